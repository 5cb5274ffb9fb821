//! Cooperative matrices (`SPV_KHR_cooperative_matrix`), also of bfloat16 (`SPV_KHR_bfloat16`).

use super::Body;
use crate::binary::{Id, Instruction};
use crate::error::Error;
use crate::types::Ty;
use clvk_ir::{
    AddressSpace, BinaryOp, ConvertOp, ElementType, MatrixLayout, MatrixOp, MatrixSigns, MatrixType,
    Op as IrOp, Scalar, Type, UnaryOp, Value,
};
use rspirv::spirv::{CooperativeMatrixOperands, Decoration, Op};
use std::cmp::Ordering;

impl Body<'_, '_> {
    /// Translates an instruction on matrices; gives whether it is one.
    pub fn matrix(&mut self, op: Op, instruction: &Instruction<'_>) -> Result<bool, Error> {
        if !self.reader.index.has_matrices() {
            return Ok(false);
        }
        match op {
            Op::CooperativeMatrixLoadKHR => self.load_matrix(instruction)?,
            Op::CooperativeMatrixStoreKHR => self.store_matrix(instruction)?,
            Op::CooperativeMatrixMulAddKHR => self.matrix_product(instruction)?,
            Op::CooperativeMatrixLengthKHR => {
                let of = self.reader.index.type_of(instruction.operand(0)?, instruction)?;
                let of = of.value().filter(|ty| matches!(ty, Type::Matrix(_)));
                let of = of.ok_or_else(|| instruction.error("the operand is not the type of a matrix"))?;
                let any = self.function.undef(of);
                let length = self.build().value(IrOp::Matrix(MatrixOp::Length), &[any], Type::I32);
                let ty = self.integer_result(instruction)?;
                let length = self.resized(length, ty);
                self.define_value(instruction, length)?;
            }
            // What does not look at the elements.
            Op::Load | Op::Phi | Op::FunctionCall | Op::CopyObject | Op::ExpectKHR | Op::Undef => {
                return Ok(false);
            }
            Op::CompositeExtract => return self.extract_element(instruction),
            Op::CompositeInsert if self.result_matrix(instruction)?.is_some() => {
                self.insert_element(instruction)?;
            }
            _ => match self.result_matrix(instruction)? {
                Some(ty) => self.matrix_by_element(op, ty, instruction)?,
                None => return Ok(false),
            },
        }
        Ok(true)
    }

    /// The type of an instruction's result, if it is a matrix.
    fn result_matrix(&self, instruction: &Instruction<'_>) -> Result<Option<MatrixType>, Error> {
        let Some(ty) = instruction.result_type() else { return Ok(None) };
        match self.reader.index.type_of(ty, instruction)?.ty {
            Ty::Matrix(matrix) => Ok(Some(matrix)),
            _ => Ok(None),
        }
    }

    fn matrix_at(
        &mut self,
        index: usize,
        instruction: &Instruction<'_>,
    ) -> Result<(Value, MatrixType), Error> {
        let value = self.value_at(index, instruction)?;
        match self.function.ty(value) {
            Type::Matrix(matrix) => Ok((value, matrix)),
            _ => Err(instruction.error("an operand is not a matrix")),
        }
    }

    fn load_matrix(&mut self, instruction: &Instruction<'_>) -> Result<(), Error> {
        let ty = self.result_matrix(instruction)?;
        let ty = ty.ok_or_else(|| instruction.error("the result is not a matrix"))?;
        let pointer = self.pointer(instruction.operand(0)?, instruction)?;
        let (layout, stride) = self.matrix_layout(pointer, ty, 1, instruction)?;
        let op = IrOp::Matrix(MatrixOp::Load(layout));
        let value = self.build().value(op, &[pointer, stride], Type::Matrix(ty));
        self.define_value(instruction, value)
    }

    fn store_matrix(&mut self, instruction: &Instruction<'_>) -> Result<(), Error> {
        let pointer = self.writable(instruction.operand(0)?, instruction)?;
        let (value, ty) = self.matrix_at(1, instruction)?;
        let (layout, stride) = self.matrix_layout(pointer, ty, 2, instruction)?;
        self.push(IrOp::Matrix(MatrixOp::Store(layout)), &[pointer, value, stride], &[]);
        Ok(())
    }

    /// The layout in memory, which is the operand of this number, and the stride in elements of the matrix.
    /// The module counts it in what the pointer points to.
    fn matrix_layout(
        &mut self,
        pointer: Value,
        matrix: MatrixType,
        at: usize,
        instruction: &Instruction<'_>,
    ) -> Result<(MatrixLayout, Value), Error> {
        if self.function.ty(pointer) == Type::Pointer(AddressSpace::Private) {
            return Err(instruction.error("matrices are loaded from and stored to memory that is shared"));
        }
        let layout = match self.reader.index.integer(instruction.operand(at)?, instruction)? {
            0 => MatrixLayout::RowMajor,
            1 => MatrixLayout::ColumnMajor,
            _ => return Err(instruction.error("this layout of a matrix in memory is not supported")),
        };
        let stride = self.integer_at(at + 1, instruction)?;
        let stride = self.resized(stride, Type::I64);
        let pointee = self.pointee_of(instruction.operand(0)?, instruction)?;
        let data = self.reader.index.type_of(pointee, instruction)?;
        let unit = data.size;
        let is_number = data.value().is_some_and(|ty| ty.scalar().is_some());
        let size = u64::from(matrix.element.size());
        if !is_number || !unit.is_multiple_of(size) {
            return Err(
                instruction.error("the pointer is not to elements of the matrix, or to vectors of them")
            );
        }
        let factor = self.function.int(Type::I64, (unit / size) as i64);
        let stride = if unit == size { stride } else { self.build().binary(BinaryOp::Mul, stride, factor) };
        Ok((layout, stride))
    }

    /// `OpCompositeExtract` of a matrix; gives whether it is one.
    fn extract_element(&mut self, instruction: &Instruction<'_>) -> Result<bool, Error> {
        let of = self.type_of_value(instruction.operand(0)?, instruction)?;
        let Ty::Matrix(matrix) = self.reader.index.type_of(of, instruction)?.ty else { return Ok(false) };
        let &[_, index] = instruction.operands() else {
            return Err(instruction.error("an element of a matrix has one index"));
        };
        let (from, _) = self.matrix_at(0, instruction)?;
        let index = self.function.int(Type::I32, i64::from(index));
        let scalar = Type::Scalar(matrix.element.value());
        let mut value = self.build().value(IrOp::Matrix(MatrixOp::Extract), &[from, index], scalar);
        if matrix.element == ElementType::BFloat16 {
            value = self.narrowed_bfloat16(value);
        }
        self.define_value(instruction, value)?;
        Ok(true)
    }

    fn insert_element(&mut self, instruction: &Instruction<'_>) -> Result<(), Error> {
        let &[_, _, index] = instruction.operands() else {
            return Err(instruction.error("an element of a matrix has one index"));
        };
        let mut value = self.value_at(0, instruction)?;
        let (into, matrix) = self.matrix_at(1, instruction)?;
        if self.function.ty(value) != Type::Scalar(matrix.element.held()) {
            return Err(instruction.error("the operand is not an element of the matrix"));
        }
        if matrix.element == ElementType::BFloat16 {
            value = self.widened_bfloat16(value);
        }
        let index = self.function.int(Type::I32, i64::from(index));
        let op = IrOp::Matrix(MatrixOp::Insert);
        let made = self.build().value(op, &[into, value, index], Type::Matrix(matrix));
        self.define_value(instruction, made)
    }

    fn matrix_product(&mut self, instruction: &Instruction<'_>) -> Result<(), Error> {
        let (mut values, mut sizes) = (Vec::new(), Vec::new());
        for index in 0..3 {
            let (value, ty) = self.matrix_at(index, instruction)?;
            values.push(value);
            sizes.push(ty.element.size());
        }
        if sizes[2] < sizes[0].max(sizes[1]) {
            return Err(instruction.error("the sum's elements are smaller than those of a factor"));
        }
        let flags = instruction.operands().get(3).copied().unwrap_or(0);
        let flags = CooperativeMatrixOperands::from_bits_retain(flags);
        if flags.contains(CooperativeMatrixOperands::SATURATING_ACCUMULATION_KHR) {
            return Err(instruction.error("saturating accumulation of cooperative matrices is not supported"));
        }
        let signs = MatrixSigns {
            a: flags.contains(CooperativeMatrixOperands::MATRIX_A_SIGNED_COMPONENTS_KHR),
            b: flags.contains(CooperativeMatrixOperands::MATRIX_B_SIGNED_COMPONENTS_KHR),
            c: flags.contains(CooperativeMatrixOperands::MATRIX_C_SIGNED_COMPONENTS_KHR),
        };
        let ty = self.function.ty(values[2]);
        let value = self.build().value(IrOp::Matrix(MatrixOp::MulAdd(signs)), &values, ty);
        self.define_value(instruction, value)
    }

    fn matrix_by_element(
        &mut self,
        op: Op,
        ty: MatrixType,
        instruction: &Instruction<'_>,
    ) -> Result<(), Error> {
        if op == Op::CompositeConstruct {
            let value = self.filled(ty, instruction.operands(), instruction)?;
            return self.define_value(instruction, value);
        }
        let (first, from) = self.matrix_at(0, instruction)?;
        let (op, second) = match op {
            Op::MatrixTimesScalar => (MatrixOp::Scale, Some(self.value_at(1, instruction)?)),
            Op::FNegate => (MatrixOp::Unary(UnaryOp::FNeg), None),
            Op::SNegate => (MatrixOp::Unary(UnaryOp::Neg), None),
            _ => match (binary(op), self.matrix_conversion(op, from, ty, instruction)?) {
                (Some(op), _) => (MatrixOp::Binary(op), Some(self.value_at(1, instruction)?)),
                (None, Some(Some(op))) => (MatrixOp::Convert(op), None),
                (None, Some(None)) => return self.define_value(instruction, first),
                (None, None) => {
                    return Err(
                        instruction.error("this instruction is not supported on cooperative matrices")
                    );
                }
            },
        };
        let operands: Vec<Value> = [Some(first), second].into_iter().flatten().collect();
        let value = self.build().value(IrOp::Matrix(op), &operands, Type::Matrix(ty));
        self.define_value(instruction, value)
    }

    /// A matrix with one value in all elements.
    fn filled(&mut self, ty: MatrixType, parts: &[Id], user: &Instruction<'_>) -> Result<Value, Error> {
        let &[part] = parts else {
            return Err(user.error("a cooperative matrix is made of one value"));
        };
        let mut value = self.value(part, user)?;
        if self.function.ty(value) != Type::Scalar(ty.element.held()) {
            return Err(user.error("the operand is not an element of the matrix"));
        }
        if ty.element == ElementType::BFloat16 {
            value = self.widened_bfloat16(value);
        }
        Ok(self.build().value(IrOp::Matrix(MatrixOp::Fill), &[value], Type::Matrix(ty)))
    }

    /// A constant matrix.
    pub fn constant_matrix(&mut self, definition: &Instruction<'_>, ty: MatrixType) -> Result<Value, Error> {
        match definition.op() {
            Some(Op::ConstantNull) => {
                let zero = self.function.zero(Type::Scalar(ty.element.value()));
                Ok(self.build().value(IrOp::Matrix(MatrixOp::Fill), &[zero], Type::Matrix(ty)))
            }
            Some(Op::ConstantComposite | Op::SpecConstantComposite) => {
                self.filled(ty, definition.operands(), definition)
            }
            _ => Err(definition.error("this constant is not supported")),
        }
    }

    /// The conversion that an instruction makes of elements: none if the bits stay, nothing if it is no
    /// conversion.
    fn matrix_conversion(
        &self,
        op: Op,
        from: MatrixType,
        to: MatrixType,
        instruction: &Instruction<'_>,
    ) -> Result<Option<Option<ConvertOp>>, Error> {
        let id = instruction.result().unwrap_or_default();
        if self.reader.index.decoration(id, Decoration::SaturatedConversion).is_some() {
            return Err(instruction.error("saturating conversions of cooperative matrices are not supported"));
        }
        let mode = self.rounding(instruction);
        let is_same = from.element == to.element;
        Ok(Some(match op {
            Op::FConvert | Op::UConvert | Op::SConvert | Op::Bitcast if is_same => None,
            Op::FConvert => Some(ConvertOp::Float(mode)),
            Op::Bitcast => Some(ConvertOp::Bitcast),
            Op::ConvertFToS => Some(ConvertOp::FloatToSigned { saturating: false }),
            Op::ConvertFToU => Some(ConvertOp::FloatToUnsigned { saturating: false }),
            Op::ConvertSToF => Some(ConvertOp::SignedToFloat(mode)),
            Op::ConvertUToF => Some(ConvertOp::UnsignedToFloat(mode)),
            Op::UConvert | Op::SConvert => match from.element.size().cmp(&to.element.size()) {
                Ordering::Greater => Some(ConvertOp::Truncate),
                _ if op == Op::SConvert => Some(ConvertOp::SignExtend),
                _ => Some(ConvertOp::ZeroExtend),
            },
            _ => return Ok(None),
        }))
    }

    /// The value of the bits of a bfloat16.
    pub fn widened_bfloat16(&mut self, bits: Value) -> Value {
        let words = self.function.ty(bits).with_scalar(Scalar::I32);
        let wide = self.build().convert(ConvertOp::ZeroExtend, bits, words);
        let half = self.function.int(Type::I32, 16);
        let half = self.build().splat(half, words.lanes());
        let bits = self.build().binary(BinaryOp::Shl, wide, half);
        self.build().convert(ConvertOp::Bitcast, bits, words.with_scalar(Scalar::F32))
    }
}

fn binary(op: Op) -> Option<BinaryOp> {
    Some(match op {
        Op::FAdd => BinaryOp::FAdd,
        Op::FSub => BinaryOp::FSub,
        Op::FMul => BinaryOp::FMul,
        Op::FDiv => BinaryOp::FDiv,
        Op::IAdd => BinaryOp::Add,
        Op::ISub => BinaryOp::Sub,
        Op::IMul => BinaryOp::Mul,
        Op::SDiv => BinaryOp::SDiv,
        Op::UDiv => BinaryOp::UDiv,
        _ => return None,
    })
}
