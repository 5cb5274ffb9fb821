//! Operations on matrices in private memory: element by element, or by library functions.

use super::emulate::{Emulation, Part};
use super::{as_matrix, elements, width};
use clvk_ir::{
    AddressSpace, BinaryOp, CompareOp, ConvertOp, ElementType, Function, Inst, MatrixLayout, MatrixOp,
    MatrixSigns, MatrixType, Op, RoundingMode, Scalar, Type, UnrollHint, Value,
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
                // The operand may be any matrix, which has no variable.
                let of = self.matrix(operands[0]);
                let of = of.or_else(|| as_matrix(self.cursor.function.ty(operands[0])));
                let length = of.map_or(0, |matrix| elements(self.profile, matrix));
                let length = self.cursor.int(Type::I32, i64::from(length));
                self.cursor.replace(result, length);
            }
            (MatrixOp::Extract, Some(result)) => {
                let index = self.cursor.get(operands[1]);
                let value = match self.matrix(operands[0]) {
                    Some(of) => {
                        let variable = self.variable(operands[0]);
                        self.element(variable, of.element, At::Computed(index))
                    }
                    None => {
                        let ty = self.cursor.function.ty(result);
                        self.cursor.function.undef(ty)
                    }
                };
                self.cursor.replace(result, value);
            }
            (MatrixOp::Insert, Some(result)) => {
                let Some(matrix) = self.matrix(result) else { return };
                let to = self.variable(result);
                if self.matrix(operands[0]).is_some() {
                    let from = self.variable(operands[0]);
                    self.copy(to, from, matrix);
                }
                let (value, index) = (self.cursor.get(operands[1]), self.cursor.get(operands[2]));
                self.set_element(to, matrix.element, At::Computed(index), value);
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
        let callee = format!("__clvk_matrix_{verb}_{}{suffix}", name(matrix.element.held()));
        self.library(callee, &arguments, None);
    }

    /// A product. The factors are first converted to the type of the sum.
    fn product(&mut self, operands: &[Value], result: Value, signs: MatrixSigns) {
        let [a, b, c] = [0, 1, 2].map(|index| self.matrix(operands[index]));
        // A matrix without a variable has any value, so the result has, too.
        let (Some(a), Some(b), Some(c)) = (a, b, c) else { return };
        let sum = c.element.value();
        let left = self.converted(self.variable(operands[0]), a, Part::Left, sum, signs.a);
        let right = self.converted(self.variable(operands[1]), b, Part::Right, sum, signs.b);
        let from = self.converted(self.variable(operands[2]), c, Part::Sum, sum, signs.c);
        let kept = self.variable(result);
        let is_kept = c.element == ElementType::Scalar(sum);
        let to = if is_kept { kept } else { self.room(Part::Sum, c, sum) };
        let numbers = [u32::from(c.rows), u32::from(a.columns), u32::from(c.columns)];
        let widths = [width(self.profile, a), width(self.profile, c)];
        let numbers = [&numbers[..], &widths].concat();
        let mut arguments = vec![to, left, right, from];
        arguments.extend(numbers.into_iter().map(|number| self.cursor.int(Type::I32, i64::from(number))));
        self.library(format!("__clvk_matrix_muladd_{}", name(sum)), &arguments, None);
        if !is_kept {
            self.each(elements(self.profile, c), |this, at| {
                let value = this.element(to, ElementType::Scalar(sum), at);
                this.set_element(kept, c.element, at, value);
            });
        }
    }

    /// A variable with the elements as others, which a sum takes.
    fn converted(
        &mut self,
        variable: Value,
        matrix: MatrixType,
        part: Part,
        to: Scalar,
        signed: bool,
    ) -> Value {
        if matrix.element == ElementType::Scalar(to) {
            return variable;
        }
        let op = match (to.is_float(), signed) {
            (true, _) => ConvertOp::Float(RoundingMode::NearestEven),
            (false, true) => ConvertOp::SignExtend,
            (false, false) => ConvertOp::ZeroExtend,
        };
        let made = self.room(part, matrix, to);
        self.each(elements(self.profile, matrix), |this, at| {
            let value = this.element(variable, matrix.element, at);
            let value = this.cursor.convert(op, value, Type::Scalar(to));
            this.set_element(made, ElementType::Scalar(to), at, value);
        });
        made
    }

    fn element_wise(&mut self, op: MatrixOp, operands: &[Value], result: Value) {
        let Some(matrix) = self.matrix(result) else { return };
        let to = self.variable(result);
        self.each(elements(self.profile, matrix), |this, at| {
            let scalar = matrix.element.value();
            let parts: Vec<Value> = operands.iter().map(|&operand| this.part(operand, scalar, at)).collect();
            let value = this.computed(op, &parts, scalar);
            this.set_element(to, matrix.element, at, value);
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
        // As a loop it stays: copies for each of hundreds of elements would take drivers minutes.
        self.cursor.function.insts[begun.inst].op = Op::Loop(UnrollHint::By(1));
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
                self.element(variable, of.element, at)
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
            MatrixOp::Convert(op) => return self.cursor.convert(op, parts[0], Type::Scalar(scalar)),
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

    /// The value of an element ([`ElementType::value`]).
    fn element(&mut self, variable: Value, element: ElementType, at: At) -> Value {
        let held = element.held();
        let address = self.address(variable, held, at);
        let op = Op::Load { align: held.size(), volatile: false };
        let bits = self.cursor.value(op, &[address], Type::Scalar(held));
        match element {
            ElementType::Scalar(_) => bits,
            ElementType::BFloat16 => {
                let callee = "__clvk_from_bfloat16_u16".to_owned();
                self.library(callee, &[bits], Some(Type::F32)).expect("it has a result")
            }
        }
    }

    fn set_element(&mut self, variable: Value, element: ElementType, at: At, value: Value) {
        let held = element.held();
        let address = self.address(variable, held, at);
        let bits = match element {
            ElementType::Scalar(_) => value,
            ElementType::BFloat16 => {
                let callee = "__clvk_to_bfloat16_f32".to_owned();
                self.library(callee, &[value], Some(Type::I16)).expect("it has a result")
            }
        };
        self.cursor.push(Op::Store { align: held.size(), volatile: false }, &[address, bits], &[], &[]);
    }

    /// A call of a library function.
    fn library(&mut self, name: String, arguments: &[Value], result: Option<Type>) -> Option<Value> {
        let types: Vec<Type> = arguments.iter().map(|&value| self.cursor.function.ty(value)).collect();
        let found = self.module.functions.iter().find(|(_, function)| function.name == name);
        let func = match found {
            Some((func, _)) => func,
            None => {
                let mut declared = Function::new(name, result);
                for ty in types {
                    declared.add_param(ty);
                }
                self.module.functions.push(declared)
            }
        };
        let inst = self.cursor.push(Op::Call(func), arguments, result.as_slice(), &[]);
        self.cursor.function.insts[inst].results.first().copied()
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
