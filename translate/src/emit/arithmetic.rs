//! Arithmetic, comparisons, conversions, vectors.

use super::{control::Body, kernel::Kernel, writer::TypeKey};
use clvk_ir::{
    BinaryOp, CompareOp, ConvertOp, EntityId, FastMath, Inst, MathOp, Op, RoundingMode, Type, UnaryOp,
};
use rspirv::{
    dr::Operand,
    spirv::{self, Decoration, GlslStd450Op as GLOp, Word},
};

impl Kernel<'_, '_> {
    /// Writes an instruction that is neither a construct nor a terminator.
    pub fn ordinary(&mut self, inst: Inst) {
        let function = self.function;
        let data = &function.insts[inst];
        let ty = data.results.first().map(|&result| function.ty(result));
        let id = match (&data.op, ty) {
            (Op::Unary(op), Some(ty)) => self.unary(inst, *op, ty),
            (Op::Binary(op), Some(ty)) => self.binary(inst, *op, ty),
            (Op::Compare(op), Some(ty)) => self.compare(inst, *op, ty),
            (Op::Convert(op), Some(ty)) => self.convert(inst, *op, ty),
            (Op::Select, Some(ty)) => self.simple(inst, spirv::Op::Select, ty),
            (Op::Math(op), Some(ty)) => self.math(inst, *op, ty),
            (Op::Construct, Some(ty)) => self.simple(inst, spirv::Op::CompositeConstruct, ty),
            (Op::Extract(lane), Some(ty)) => {
                self.with_literals(inst, spirv::Op::CompositeExtract, ty, &[0], &[*lane])
            }
            (Op::Insert(lane), Some(ty)) => {
                self.with_literals(inst, spirv::Op::CompositeInsert, ty, &[1, 0], &[*lane])
            }
            (Op::ExtractDynamic, Some(ty)) => self.simple(inst, spirv::Op::VectorExtractDynamic, ty),
            (Op::InsertDynamic, Some(ty)) => self.simple(inst, spirv::Op::VectorInsertDynamic, ty),
            (Op::Shuffle(mask), Some(ty)) => {
                let mask = &mask[..ty.lanes() as usize];
                self.with_literals(inst, spirv::Op::VectorShuffle, ty, &[0, 1], mask)
            }
            (Op::SubGroup(op), Some(ty)) => self.sub_group(inst, *op, ty),
            (Op::PackedDot(signs), Some(ty)) => self.packed_dot(inst, *signs, ty),
            (Op::ReadClock(scope), Some(ty)) => self.read_clock(*scope, ty),
            (Op::Input(input), Some(ty)) => self.input(*input, ty),
            (Op::PushConstant { offset }, Some(ty)) => self.push_constant(*offset, ty),
            (Op::Call(_), _) => return self.call(inst),
            (Op::Image(op), _) => return self.image(inst, *op),
            (Op::Matrix(op), _) => return self.matrix(inst, *op),
            (Op::ImageBinding { .. } | Op::SamplerBinding { .. }, _) => return self.binding(inst),
            _ => return self.memory(inst),
        };
        if self.is_rounding(inst) && !data.fast_math.contains(FastMath::REASSOCIATE) {
            self.keep_as_it_is(id);
        }
        self.ids[data.results[0].index()] = id;
    }

    /// Keeps the driver from replacing an operation by one that is equal only for real numbers. Vulkan lets
    /// it reassociate, and drop conversions there and back, unless the result is decorated. Mesa does so
    /// since version 26: `(a + b) - b` becomes `a`. What may be fused has been fused by then
    /// ([`passes::contract`](crate::passes::contract)).
    fn keep_as_it_is(&mut self, id: Word) {
        self.writer.decorate(id, Decoration::NoContraction, &[]);
    }

    /// Whether an operation rounds, so that two in sequence differ from what they are for real numbers.
    fn is_rounding(&self, inst: Inst) -> bool {
        let data = &self.function.insts[inst];
        match data.op {
            Op::Binary(op) => {
                matches!(op, BinaryOp::FAdd | BinaryOp::FSub | BinaryOp::FMul | BinaryOp::FDiv)
            }
            Op::Convert(op) => {
                let of_floats = matches!(
                    op,
                    ConvertOp::Float(_)
                        | ConvertOp::SignedToFloat(_)
                        | ConvertOp::UnsignedToFloat(_)
                        | ConvertOp::FloatToSigned { .. }
                        | ConvertOp::FloatToUnsigned { .. }
                );
                of_floats && self.operand_type(inst, 0) != self.function.ty(data.results[0])
            }
            _ => false,
        }
    }

    /// An instruction whose operands are those of the IR.
    fn simple(&mut self, inst: Inst, op: spirv::Op, ty: Type) -> Word {
        let operands: Vec<Word> = self.operand_ids(inst);
        self.compute(op, ty, &operands)
    }

    fn operand_ids(&mut self, inst: Inst) -> Vec<Word> {
        let function = self.function;
        function.insts[inst].operands.iter().map(|&value| self.id(value)).collect()
    }

    /// Writes an instruction with operands in this order, then literals; 255 is any lane.
    fn with_literals(
        &mut self,
        inst: Inst,
        op: spirv::Op,
        ty: Type,
        order: &[usize],
        literals: &[u8],
    ) -> Word {
        let mut operands: Vec<Operand> =
            order.iter().map(|&position| Operand::IdRef(self.operand(inst, position))).collect();
        operands.extend(literals.iter().map(|&literal| {
            Operand::LiteralBit32(if literal == 255 { u32::MAX } else { u32::from(literal) })
        }));
        let ty = self.writer.value_type(ty);
        self.add(op, ty, operands)
    }

    /// An extended instruction whose operands are those of the IR.
    fn extended(&mut self, inst: Inst, op: GLOp, ty: Type) -> Word {
        let operands = self.operand_ids(inst);
        let set = self.writer.glsl();
        let mut all = vec![Operand::IdRef(set), Operand::LiteralExtInstInteger(op as u32)];
        all.extend(operands.into_iter().map(Operand::IdRef));
        let ty = self.writer.value_type(ty);
        self.add(spirv::Op::ExtInst, ty, all)
    }

    fn unary(&mut self, inst: Inst, op: UnaryOp, ty: Type) -> Word {
        let opcode = match op {
            UnaryOp::Neg => spirv::Op::SNegate,
            UnaryOp::Not if ty.is_bool() => spirv::Op::LogicalNot,
            UnaryOp::Not => spirv::Op::Not,
            UnaryOp::FNeg => spirv::Op::FNegate,
            UnaryOp::PopCount => spirv::Op::BitCount,
            UnaryOp::HighestBit => return self.extended(inst, GLOp::FindUMsb, ty),
            UnaryOp::LowestBit => return self.extended(inst, GLOp::FindILsb, ty),
            UnaryOp::CountLeadingZeros | UnaryOp::CountTrailingZeros => self.left(inst),
        };
        self.simple(inst, opcode, ty)
    }

    fn binary(&mut self, inst: Inst, op: BinaryOp, ty: Type) -> Word {
        match op {
            BinaryOp::SMin => self.extended(inst, GLOp::SMin, ty),
            BinaryOp::SMax => self.extended(inst, GLOp::SMax, ty),
            BinaryOp::UMin => self.extended(inst, GLOp::UMin, ty),
            BinaryOp::UMax => self.extended(inst, GLOp::UMax, ty),
            BinaryOp::SMulHi => self.multiply_high(inst, spirv::Op::SMulExtended, ty),
            BinaryOp::UMulHi => self.multiply_high(inst, spirv::Op::UMulExtended, ty),
            _ => match simple_binary(op, ty.is_bool()) {
                Some(opcode) => self.simple(inst, opcode, ty),
                None => self.left(inst),
            },
        }
    }

    /// The upper one of the two words of a product.
    fn multiply_high(&mut self, inst: Inst, opcode: spirv::Op, ty: Type) -> Word {
        let operands = self.operand_ids(inst).into_iter().map(Operand::IdRef).collect();
        let pair = self.writer.type_id(TypeKey::Pair);
        let product = self.add(opcode, pair, operands);
        let word = self.writer.value_type(ty);
        self.add(spirv::Op::CompositeExtract, word, vec![Operand::IdRef(product), Operand::LiteralBit32(1)])
    }

    fn compare(&mut self, inst: Inst, op: CompareOp, ty: Type) -> Word {
        match comparison(op, self.operand_type(inst, 0).is_bool()) {
            Some(opcode) => self.simple(inst, opcode, ty),
            None => self.left(inst),
        }
    }

    /// Conversions round to nearest even, because of the execution mode or because devices do.
    fn convert(&mut self, inst: Inst, op: ConvertOp, ty: Type) -> Word {
        let opcode = match op {
            ConvertOp::Truncate | ConvertOp::ZeroExtend => spirv::Op::UConvert,
            ConvertOp::SignExtend => spirv::Op::SConvert,
            ConvertOp::SignedToFloat(RoundingMode::NearestEven) => spirv::Op::ConvertSToF,
            ConvertOp::UnsignedToFloat(RoundingMode::NearestEven) => spirv::Op::ConvertUToF,
            ConvertOp::FloatToSigned { saturating: false } => spirv::Op::ConvertFToS,
            ConvertOp::FloatToUnsigned { saturating: false } => spirv::Op::ConvertFToU,
            ConvertOp::Float(RoundingMode::NearestEven) => spirv::Op::FConvert,
            ConvertOp::Bitcast => spirv::Op::Bitcast,
            _ => self.left(inst),
        };
        self.simple(inst, opcode, ty)
    }

    fn math(&mut self, inst: Inst, op: MathOp, ty: Type) -> Word {
        let extended = match op {
            MathOp::FAbs => GLOp::FAbs,
            MathOp::FMin => GLOp::NMin,
            MathOp::FMax => GLOp::NMax,
            MathOp::FClamp => GLOp::NClamp,
            MathOp::Floor => GLOp::Floor,
            MathOp::Ceil => GLOp::Ceil,
            MathOp::Trunc => GLOp::Trunc,
            MathOp::RoundEven => GLOp::RoundEven,
            MathOp::Fma => GLOp::Fma,
            MathOp::Sqrt | MathOp::NativeSqrt => GLOp::Sqrt,
            MathOp::NativeRsqrt => GLOp::InverseSqrt,
            MathOp::NativeExp => GLOp::Exp,
            MathOp::NativeExp2 => GLOp::Exp2,
            MathOp::NativeLog => GLOp::Log,
            MathOp::NativeLog2 => GLOp::Log2,
            MathOp::NativeSin => GLOp::Sin,
            MathOp::NativeCos => GLOp::Cos,
            MathOp::NativeDivide => return self.simple(inst, spirv::Op::FDiv, ty),
            MathOp::Dot => return self.simple(inst, spirv::Op::Dot, ty),
            MathOp::CopySign | MathOp::IsNan | MathOp::IsInf | MathOp::NeverPositive => self.left(inst),
        };
        self.extended(inst, extended, ty)
    }
}

/// The instruction that has the meaning of an operation, if there is one.
pub fn simple_binary(op: BinaryOp, of_bool: bool) -> Option<spirv::Op> {
    Some(match op {
        BinaryOp::And if of_bool => spirv::Op::LogicalAnd,
        BinaryOp::Or if of_bool => spirv::Op::LogicalOr,
        BinaryOp::Xor if of_bool => spirv::Op::LogicalNotEqual,
        BinaryOp::Add => spirv::Op::IAdd,
        BinaryOp::Sub => spirv::Op::ISub,
        BinaryOp::Mul => spirv::Op::IMul,
        BinaryOp::SDiv => spirv::Op::SDiv,
        BinaryOp::UDiv => spirv::Op::UDiv,
        BinaryOp::URem => spirv::Op::UMod,
        BinaryOp::Shl => spirv::Op::ShiftLeftLogical,
        BinaryOp::LShr => spirv::Op::ShiftRightLogical,
        BinaryOp::AShr => spirv::Op::ShiftRightArithmetic,
        BinaryOp::And => spirv::Op::BitwiseAnd,
        BinaryOp::Or => spirv::Op::BitwiseOr,
        BinaryOp::Xor => spirv::Op::BitwiseXor,
        BinaryOp::FAdd => spirv::Op::FAdd,
        BinaryOp::FSub => spirv::Op::FSub,
        BinaryOp::FMul => spirv::Op::FMul,
        BinaryOp::FDiv => spirv::Op::FDiv,
        _ => return None,
    })
}

/// The instruction that compares, if there is one.
pub fn comparison(op: CompareOp, of_bool: bool) -> Option<spirv::Op> {
    Some(match op {
        CompareOp::Eq if of_bool => spirv::Op::LogicalEqual,
        CompareOp::Ne if of_bool => spirv::Op::LogicalNotEqual,
        CompareOp::Eq => spirv::Op::IEqual,
        CompareOp::Ne => spirv::Op::INotEqual,
        CompareOp::SLt => spirv::Op::SLessThan,
        CompareOp::SLe => spirv::Op::SLessThanEqual,
        CompareOp::SGt => spirv::Op::SGreaterThan,
        CompareOp::SGe => spirv::Op::SGreaterThanEqual,
        CompareOp::ULt => spirv::Op::ULessThan,
        CompareOp::ULe => spirv::Op::ULessThanEqual,
        CompareOp::UGt => spirv::Op::UGreaterThan,
        CompareOp::UGe => spirv::Op::UGreaterThanEqual,
        CompareOp::FOEq => spirv::Op::FOrdEqual,
        CompareOp::FONe => spirv::Op::FOrdNotEqual,
        CompareOp::FOLt => spirv::Op::FOrdLessThan,
        CompareOp::FOLe => spirv::Op::FOrdLessThanEqual,
        CompareOp::FOGt => spirv::Op::FOrdGreaterThan,
        CompareOp::FOGe => spirv::Op::FOrdGreaterThanEqual,
        CompareOp::FUEq => spirv::Op::FUnordEqual,
        CompareOp::FUNe => spirv::Op::FUnordNotEqual,
        CompareOp::FULt => spirv::Op::FUnordLessThan,
        CompareOp::FULe => spirv::Op::FUnordLessThanEqual,
        CompareOp::FUGt => spirv::Op::FUnordGreaterThan,
        CompareOp::FUGe => spirv::Op::FUnordGreaterThanEqual,
        CompareOp::FOrd | CompareOp::FUno => return None,
    })
}
