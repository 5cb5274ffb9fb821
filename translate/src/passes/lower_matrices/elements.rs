//! Operations on matrices in private memory: element by element, or by library functions.

use super::emulate::{ALIGN, Emulation};
use super::{as_matrix, elements, width};
use clvk_ir::{
    AddressSpace, BinaryOp, CompareOp, ConvertOp, Function, Inst, MatrixLayout, MatrixOp, MatrixSigns,
    MatrixType, Op, RoundingMode, Scalar, Type, Value,
};

/// The most elements that are computed one after the other; more are computed in a loop.
const UNROLLED_ELEMENTS: u32 = 32;

/// Which element.
#[derive(Clone, Copy)]
enum At {
    Known(u32),
    Computed(Value),
}

impl Emulation<'_> {
    /// Lowers an operation on matrices.
    pub fn operation(&mut self, inst: Inst, op: MatrixOp) {
        let data = &self.cursor.function.insts[inst];
        let (operands, result) = (data.operands.clone(), data.results.first().copied());
        match (op, result) {
            (MatrixOp::Length, Some(result)) => {
                let matrix = self.matrix(operands[0]).map_or(0, |matrix| elements(self.profile, matrix));
                let length = self.cursor.int(Type::I32, i64::from(matrix));
                self.cursor.replace(result, length);
            }
            (MatrixOp::Load(layout), Some(result)) => {
                let variable = self.variable(result);
                let Some(matrix) = self.matrix(result) else { return };
                let (pointer, stride) = (self.cursor.get(operands[0]), self.cursor.get(operands[1]));
                self.transfer("load", variable, matrix, (pointer, stride), layout);
            }
            (MatrixOp::Store(layout), _) => {
                // A matrix without a variable has any value.
                let Some(matrix) = self.matrix(operands[1]) else { return };
                let variable = self.variable(operands[1]);
                let (pointer, stride) = (self.cursor.get(operands[0]), self.cursor.get(operands[2]));
                self.transfer("store", variable, matrix, (pointer, stride), layout);
            }
            (MatrixOp::MulAdd(signs), Some(result)) => self.product(&operands, result, signs),
            (_, Some(result)) => self.element_wise(op, &operands, result),
            (_, None) => unreachable!("lower-matrices: {op:?} has a result"),
        }
    }

    /// A load or store of a matrix by a library function.
    fn transfer(
        &mut self,
        verb: &str,
        variable: Value,
        matrix: MatrixType,
        (pointer, stride): (Value, Value),
        layout: MatrixLayout,
    ) {
        let (pointer, suffix) = match self.cursor.function.ty(pointer).address_space() {
            Some(AddressSpace::Constant) => (pointer, "_constant"),
            Some(AddressSpace::Generic) => (pointer, ""),
            _ => {
                let generic = Type::Pointer(AddressSpace::Generic);
                (self.cursor.value(Op::Convert(ConvertOp::AddressSpace), &[pointer], generic), "")
            }
        };
        let stride = self.cursor.convert(ConvertOp::ZeroExtend, stride, Type::I64);
        let by_column = u32::from(layout == MatrixLayout::ColumnMajor);
        let (rows, columns) = (u32::from(matrix.rows), u32::from(matrix.columns));
        let numbers = [rows, columns, by_column, width(self.profile, matrix)];
        let numbers = numbers.map(|number| self.cursor.int(Type::I32, i64::from(number)));
        let arguments = [&[variable, pointer, stride][..], &numbers].concat();
        self.library(format!("__clvk_matrix_{verb}_{}{suffix}", name(matrix.scalar)), &arguments);
    }

    /// A product. The factors are first converted to the type of the sum.
    fn product(&mut self, operands: &[Value], result: Value, signs: MatrixSigns) {
        let [a, b, c] = [0, 1, 2].map(|index| self.matrix(operands[index]));
        // A matrix without a variable has any value, so the result has, too.
        let (Some(a), Some(b), Some(c)) = (a, b, c) else { return };
        let sum = c.scalar;
        let left = self.converted(self.variable(operands[0]), a, sum, signs.a);
        let right = self.converted(self.variable(operands[1]), b, sum, signs.b);
        let (to, from) = (self.variable(result), self.variable(operands[2]));
        let numbers = [u32::from(c.rows), u32::from(a.columns), u32::from(c.columns)];
        let widths = [width(self.profile, a), width(self.profile, c)];
        let numbers = [&numbers[..], &widths].concat();
        let mut arguments = vec![to, left, right, from];
        arguments.extend(numbers.into_iter().map(|number| self.cursor.int(Type::I32, i64::from(number))));
        self.library(format!("__clvk_matrix_muladd_{}", name(sum)), &arguments);
    }

    /// A variable with the elements as others, which a sum takes.
    fn converted(&mut self, variable: Value, matrix: MatrixType, to: Scalar, signed: bool) -> Value {
        if matrix.scalar == to {
            return variable;
        }
        let op = match (to.is_float(), signed) {
            (true, _) => ConvertOp::Float(RoundingMode::NearestEven),
            (false, true) => ConvertOp::SignExtend,
            (false, false) => ConvertOp::ZeroExtend,
        };
        let count = elements(self.profile, matrix);
        let size = u64::from(count * to.size());
        let room = Type::Pointer(AddressSpace::Private);
        let made = self.cursor.value(Op::Alloca { size, align: ALIGN }, &[], room);
        self.each(count, |this, at| {
            let value = this.element(variable, matrix.scalar, at);
            let value = this.cursor.value(Op::Convert(op), &[value], Type::Scalar(to));
            this.set_element(made, to, at, value);
        });
        made
    }

    fn element_wise(&mut self, op: MatrixOp, operands: &[Value], result: Value) {
        let Some(matrix) = self.matrix(result) else { return };
        let to = self.variable(result);
        self.each(elements(self.profile, matrix), |this, at| {
            let parts: Vec<Value> =
                operands.iter().map(|&operand| this.part(operand, matrix.scalar, at)).collect();
            let value = this.computed(op, &parts, matrix.scalar);
            this.set_element(to, matrix.scalar, at, value);
        });
    }

    /// Does something for each element: in a loop if there are many.
    fn each(&mut self, count: u32, mut body: impl FnMut(&mut Self, At)) {
        if count <= UNROLLED_ELEMENTS {
            (0..count).for_each(|index| body(self, At::Known(index)));
            return;
        }
        let (zero, end) = (self.cursor.int(Type::I32, 0), self.cursor.int(Type::I32, i64::from(count)));
        let begun = self.cursor.begin_loop(&[zero], &[]);
        let index = begun.carried[0];
        let condition = self.cursor.compare(CompareOp::ULt, index, end);
        self.cursor.exit_when(condition, false, begun.inst, &[]);
        body(self, At::Computed(index));
        let next = self.cursor.binary_int(BinaryOp::Add, index, 1);
        self.cursor.end_loop(&begun, &[next]);
    }

    /// An element of an operand, or the operand if it is a scalar.
    fn part(&mut self, operand: Value, scalar: Scalar, at: At) -> Value {
        match self.matrix(operand) {
            Some(of) => {
                let variable = self.variable(operand);
                self.element(variable, of.scalar, at)
            }
            // A matrix that has any value.
            None if as_matrix(self.cursor.function.ty(operand)).is_some() => {
                self.cursor.function.undef(Type::Scalar(scalar))
            }
            None => self.cursor.get(operand),
        }
    }

    /// An element of the result, of this type.
    fn computed(&mut self, op: MatrixOp, parts: &[Value], scalar: Scalar) -> Value {
        let op = match op {
            MatrixOp::Fill => return parts[0],
            MatrixOp::Unary(op) => Op::Unary(op),
            MatrixOp::Binary(op) => Op::Binary(op),
            MatrixOp::Scale if scalar.is_float() => Op::Binary(BinaryOp::FMul),
            MatrixOp::Scale => Op::Binary(BinaryOp::Mul),
            MatrixOp::Convert(op) => Op::Convert(op),
            _ => unreachable!("lower-matrices: {op:?} is not by element"),
        };
        self.cursor.value(op, parts, Type::Scalar(scalar))
    }

    fn address(&mut self, variable: Value, scalar: Scalar, at: At) -> Value {
        let room = Type::Pointer(AddressSpace::Private);
        let stride = u64::from(scalar.size());
        match at {
            At::Known(index) => {
                let offset = i64::from(index) * stride as i64;
                self.cursor.value(Op::PointerOffset(offset), &[variable], room)
            }
            At::Computed(index) => self.cursor.value(Op::PointerIndex { stride }, &[variable, index], room),
        }
    }

    fn element(&mut self, variable: Value, scalar: Scalar, at: At) -> Value {
        let address = self.address(variable, scalar, at);
        let op = Op::Load { align: scalar.size(), volatile: false };
        self.cursor.value(op, &[address], Type::Scalar(scalar))
    }

    fn set_element(&mut self, variable: Value, scalar: Scalar, at: At, value: Value) {
        let address = self.address(variable, scalar, at);
        self.cursor.push(Op::Store { align: scalar.size(), volatile: false }, &[address, value], &[], &[]);
    }

    /// A call of a library function without a result.
    fn library(&mut self, name: String, arguments: &[Value]) {
        let types: Vec<Type> = arguments.iter().map(|&value| self.cursor.function.ty(value)).collect();
        let found = self.module.functions.iter().find(|(_, function)| function.name == name);
        let func = match found {
            Some((func, _)) => func,
            None => {
                let mut declared = Function::new(name, None);
                for ty in types {
                    declared.add_param(ty);
                }
                self.module.functions.push(declared)
            }
        };
        self.cursor.push(Op::Call(func), arguments, &[], &[]);
    }
}

/// The part of a library function's name that says what elements are.
fn name(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Bool | Scalar::I8 => "u8",
        Scalar::I16 => "u16",
        Scalar::I32 => "u32",
        Scalar::I64 => "u64",
        Scalar::F16 => "f16",
        Scalar::F32 => "f32",
        Scalar::F64 => "f64",
    }
}
