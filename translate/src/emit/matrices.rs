//! Cooperative matrices (`SPV_KHR_cooperative_matrix`).

use super::control::Body;
use super::kernel::Kernel;
use super::sub_groups::NOT_CORE;
use super::writer::{TypeKey, Writer};
use clvk_ir::{
    BinaryOp, ConvertOp, ElementType, EntityId, Inst, MatrixLayout, MatrixOp, MatrixSigns, MatrixType,
    MatrixUse, Op, Scalar, Type, UnaryOp,
};
use rspirv::{
    dr::Operand,
    spirv::{self, Capability, CooperativeMatrixOperands, StorageClass, Word},
};

impl Writer {
    /// Declares the type of a matrix.
    pub fn matrix_type(&mut self, matrix: MatrixType) -> Word {
        self.require(Capability::CooperativeMatrixKHR);
        self.extension("SPV_KHR_cooperative_matrix", NOT_CORE);
        let usage = match matrix.usage {
            MatrixUse::A => spirv::CooperativeMatrixUse::MatrixAKHR,
            MatrixUse::B => spirv::CooperativeMatrixUse::MatrixBKHR,
            MatrixUse::Accumulator => spirv::CooperativeMatrixUse::MatrixAccumulatorKHR,
        };
        if matrix.element == ElementType::BFloat16 {
            self.require(Capability::BFloat16CooperativeMatrixKHR);
        }
        let element = self.element_type(matrix.element);
        let scope = self.word(spirv::Scope::Subgroup as u32);
        let rest = [u32::from(matrix.rows), u32::from(matrix.columns), usage as u32];
        let rest = rest.map(|number| Operand::IdRef(self.word(number)));
        let mut operands = vec![Operand::IdRef(element), Operand::IdScope(scope)];
        operands.extend(rest);
        self.declare(spirv::Op::TypeCooperativeMatrixKHR, None, operands)
    }

    /// The type of an element.
    fn element_type(&mut self, element: ElementType) -> Word {
        match element {
            ElementType::Scalar(scalar) => self.value_type(Type::Scalar(scalar)),
            ElementType::BFloat16 => self.type_id(TypeKey::BFloat16),
        }
    }

    /// Declares bfloat16 numbers.
    pub fn bfloat16_type(&mut self) -> Word {
        self.require(Capability::BFloat16TypeKHR);
        self.extension("SPV_KHR_bfloat16", NOT_CORE);
        let encoding = Operand::FPEncoding(spirv::FPEncoding::BFloat16KHR);
        self.declare(spirv::Op::TypeFloat, None, vec![Operand::LiteralBit32(16), encoding])
    }

    /// The type of a pointer to an array of scalars of any length, at an address.
    fn array_address(&mut self, scalar: Scalar) -> Word {
        let element = self.value_type(Type::Scalar(scalar));
        let array = self.type_id(TypeKey::BufferArray(element, scalar.size()));
        let block = self.type_id(TypeKey::Block(array));
        self.type_id(TypeKey::Pointer(StorageClass::PhysicalStorageBuffer, block))
    }
}

impl Kernel<'_, '_> {
    /// Writes an operation on matrices.
    pub fn matrix(&mut self, inst: Inst, op: MatrixOp) {
        let function = self.function;
        let data = &function.insts[inst];
        let result = data.results.first().copied();
        let ty = result.map_or(Type::Void, |result| function.ty(result));
        let id = match op {
            MatrixOp::Load(layout) => self.matrix_load(inst, layout, ty),
            MatrixOp::Store(layout) => return self.matrix_store(inst, layout),
            MatrixOp::MulAdd(signs) => self.matrix_product(inst, signs, ty),
            MatrixOp::Fill => self.matrix_fill(inst, ty),
            MatrixOp::Extract => self.matrix_extract(inst, ty),
            MatrixOp::Insert => self.matrix_insert(inst, ty),
            MatrixOp::Scale => self.matrix_simple(inst, spirv::Op::MatrixTimesScalar, ty),
            MatrixOp::Length => {
                let of = self.operand_type(inst, 0);
                let of = self.writer.value_type(of);
                let ty = self.writer.value_type(ty);
                self.add(spirv::Op::CooperativeMatrixLengthKHR, ty, vec![Operand::IdRef(of)])
            }
            MatrixOp::Unary(UnaryOp::FNeg) => self.matrix_simple(inst, spirv::Op::FNegate, ty),
            MatrixOp::Unary(_) => self.matrix_simple(inst, spirv::Op::SNegate, ty),
            MatrixOp::Binary(op) => match binary_opcode(op) {
                Some(op) => self.matrix_simple(inst, op, ty),
                None => self.left(inst),
            },
            MatrixOp::Convert(op) => match conversion_opcode(op) {
                Some(op) => self.matrix_simple(inst, op, ty),
                None => self.left(inst),
            },
        };
        if let Some(result) = result {
            self.ids[result.index()] = id;
        }
    }

    fn matrix_simple(&mut self, inst: Inst, op: spirv::Op, ty: Type) -> Word {
        let count = self.function.insts[inst].operands.len();
        let operands: Vec<Word> = (0..count).map(|position| self.operand(inst, position)).collect();
        self.compute(op, ty, &operands)
    }

    fn matrix_fill(&mut self, inst: Inst, ty: Type) -> Word {
        let Type::Matrix(matrix) = ty else { self.left(inst) };
        let value = self.operand(inst, 0);
        let value = self.matrix_value(value, matrix.element);
        self.compute(spirv::Op::CompositeConstruct, ty, &[value])
    }

    /// A scalar as an element of a matrix.
    fn matrix_value(&mut self, value: Word, element: ElementType) -> Word {
        match element {
            ElementType::Scalar(_) => value,
            ElementType::BFloat16 => {
                let element = self.writer.element_type(element);
                self.add(spirv::Op::FConvert, element, vec![Operand::IdRef(value)])
            }
        }
    }

    /// A variable with a matrix, and a pointer to the element with the index that is this operand. Only
    /// variables have elements with numbers that are not literals.
    fn matrix_element(&mut self, inst: Inst, index: usize) -> (Word, Word) {
        let ty = self.operand_type(inst, 0);
        let Type::Matrix(matrix) = ty else { self.left(inst) };
        let id = self.writer.value_type(ty);
        let pointer = self.writer.type_id(TypeKey::Pointer(StorageClass::Function, id));
        let variable = self.local_variable(pointer);
        let value = self.operand(inst, 0);
        self.effect(spirv::Op::Store, vec![Operand::IdRef(variable), Operand::IdRef(value)]);
        let element = self.writer.element_type(matrix.element);
        let pointer = self.writer.type_id(TypeKey::Pointer(StorageClass::Function, element));
        let index = self.operand(inst, index);
        let operands = [variable, index].map(Operand::IdRef);
        (variable, self.add(spirv::Op::AccessChain, pointer, operands.to_vec()))
    }

    fn matrix_extract(&mut self, inst: Inst, ty: Type) -> Word {
        let Type::Matrix(matrix) = self.operand_type(inst, 0) else { self.left(inst) };
        let (_, pointer) = self.matrix_element(inst, 1);
        let element = self.writer.element_type(matrix.element);
        let value = self.add(spirv::Op::Load, element, vec![Operand::IdRef(pointer)]);
        match matrix.element {
            ElementType::Scalar(_) => value,
            ElementType::BFloat16 => self.compute(spirv::Op::FConvert, ty, &[value]),
        }
    }

    fn matrix_insert(&mut self, inst: Inst, ty: Type) -> Word {
        let Type::Matrix(matrix) = ty else { self.left(inst) };
        let (variable, pointer) = self.matrix_element(inst, 2);
        let value = self.operand(inst, 1);
        let value = self.matrix_value(value, matrix.element);
        self.effect(spirv::Op::Store, vec![Operand::IdRef(pointer), Operand::IdRef(value)]);
        let ty = self.writer.value_type(ty);
        self.add(spirv::Op::Load, ty, vec![Operand::IdRef(variable)])
    }

    /// The operands after the matrix: pointer, layout, stride, and how memory is accessed.
    fn matrix_memory(&mut self, inst: Inst, layout: MatrixLayout, matrix: Type) -> (Word, Vec<Operand>) {
        let data = &self.function.insts[inst];
        let Type::Matrix(matrix) = matrix else { self.left(inst) };
        let (pointer, stride) = (data.operands[0], data.operands.len() - 1);
        let is_address = self
            .function
            .defining_inst(pointer)
            .is_some_and(|made| matches!(self.function.insts[made].op, Op::PhysicalPointer(_)));
        let mut id = self.id(pointer);
        let mut access = spirv::MemoryAccess::NON_PRIVATE_POINTER;
        let mut alignment = None;
        if is_address {
            id = self.matrix_address(id, matrix.element.held());
            access |= spirv::MemoryAccess::ALIGNED;
            alignment = Some(Operand::LiteralBit32(matrix.element.size()));
        }
        let layout = match layout {
            MatrixLayout::RowMajor => spirv::CooperativeMatrixLayout::RowMajorKHR,
            MatrixLayout::ColumnMajor => spirv::CooperativeMatrixLayout::ColumnMajorKHR,
        };
        let layout = self.writer.word(layout as u32);
        let stride = self.operand(inst, stride);
        let mut rest = vec![Operand::IdRef(layout), Operand::IdRef(stride), Operand::MemoryAccess(access)];
        rest.extend(alignment);
        (id, rest)
    }

    /// A pointer to the first element of an array at an address.
    fn matrix_address(&mut self, address: Word, scalar: Scalar) -> Word {
        match scalar.bits() {
            8 => {
                self.writer.require(Capability::StorageBuffer8BitAccess);
                self.writer.extension("SPV_KHR_8bit_storage", (1, 5));
            }
            16 => self.writer.require(Capability::StorageBuffer16BitAccess),
            _ => {}
        }
        let block = self.writer.array_address(scalar);
        let base = self.add(spirv::Op::ConvertUToPtr, block, vec![Operand::IdRef(address)]);
        let element = self.writer.pointer_type(StorageClass::PhysicalStorageBuffer, Type::Scalar(scalar));
        let zero = self.writer.word(0);
        let operands = [base, zero, zero].map(Operand::IdRef);
        self.add(spirv::Op::AccessChain, element, operands.to_vec())
    }

    fn matrix_load(&mut self, inst: Inst, layout: MatrixLayout, ty: Type) -> Word {
        let (pointer, rest) = self.matrix_memory(inst, layout, ty);
        let ty = self.writer.value_type(ty);
        let operands = [vec![Operand::IdRef(pointer)], rest].concat();
        self.add(spirv::Op::CooperativeMatrixLoadKHR, ty, operands)
    }

    fn matrix_store(&mut self, inst: Inst, layout: MatrixLayout) {
        let ty = self.operand_type(inst, 1);
        let matrix = self.operand(inst, 1);
        let (pointer, rest) = self.matrix_memory(inst, layout, ty);
        let operands = [vec![Operand::IdRef(pointer), Operand::IdRef(matrix)], rest].concat();
        self.effect(spirv::Op::CooperativeMatrixStoreKHR, operands);
    }

    fn matrix_product(&mut self, inst: Inst, signs: MatrixSigns, ty: Type) -> Word {
        let mut operands: Vec<Operand> =
            (0..3).map(|position| Operand::IdRef(self.operand(inst, position))).collect();
        let is_integer = matches!(ty, Type::Matrix(matrix) if !matrix.element.is_float());
        let mut flags = CooperativeMatrixOperands::NONE_KHR;
        flags.set(CooperativeMatrixOperands::MATRIX_A_SIGNED_COMPONENTS_KHR, signs.a);
        flags.set(CooperativeMatrixOperands::MATRIX_B_SIGNED_COMPONENTS_KHR, signs.b);
        flags.set(CooperativeMatrixOperands::MATRIX_C_SIGNED_COMPONENTS_KHR, signs.c);
        flags.set(CooperativeMatrixOperands::MATRIX_RESULT_SIGNED_COMPONENTS_KHR, signs.c);
        if is_integer && !flags.is_empty() {
            operands.push(Operand::CooperativeMatrixOperands(flags));
        }
        let ty = self.writer.value_type(ty);
        self.add(spirv::Op::CooperativeMatrixMulAddKHR, ty, operands)
    }
}

fn binary_opcode(op: BinaryOp) -> Option<spirv::Op> {
    Some(match op {
        BinaryOp::FAdd => spirv::Op::FAdd,
        BinaryOp::FSub => spirv::Op::FSub,
        BinaryOp::FMul => spirv::Op::FMul,
        BinaryOp::FDiv => spirv::Op::FDiv,
        BinaryOp::Add => spirv::Op::IAdd,
        BinaryOp::Sub => spirv::Op::ISub,
        BinaryOp::Mul => spirv::Op::IMul,
        BinaryOp::SDiv => spirv::Op::SDiv,
        BinaryOp::UDiv => spirv::Op::UDiv,
        _ => return None,
    })
}

fn conversion_opcode(op: ConvertOp) -> Option<spirv::Op> {
    Some(match op {
        ConvertOp::Truncate | ConvertOp::ZeroExtend => spirv::Op::UConvert,
        ConvertOp::SignExtend => spirv::Op::SConvert,
        ConvertOp::SignedToFloat(_) => spirv::Op::ConvertSToF,
        ConvertOp::UnsignedToFloat(_) => spirv::Op::ConvertUToF,
        ConvertOp::FloatToSigned { saturating: false } => spirv::Op::ConvertFToS,
        ConvertOp::FloatToUnsigned { saturating: false } => spirv::Op::ConvertFToU,
        ConvertOp::Float(_) => spirv::Op::FConvert,
        ConvertOp::Bitcast => spirv::Op::Bitcast,
        _ => return None,
    })
}
