//! Arithmetic, comparisons, conversions, vectors.

use super::function::FunctionWriter;
use crate::emit::arithmetic::{comparison, simple_binary};
use crate::emit::control::Body;
use clvk_ir::{BinaryOp, CompareOp, ConvertOp, FastMath, Inst, MathOp, Op, RoundingMode, Type, UnaryOp};
use rspirv::{
    dr::Operand,
    spirv::{self, Decoration, FPFastMathMode, FPRoundingMode, OpenclStd100Op as Std, Word},
};

impl FunctionWriter<'_, '_> {
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
            (Op::Select, Some(ty)) => self.select(inst, ty),
            (Op::Math(op), Some(ty)) => self.math(inst, *op, ty),
            (Op::Construct, Some(ty)) => {
                let lanes = self.operands(inst);
                self.construct(ty, &lanes)
            }
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
            (Op::WorkItem(query), Some(ty)) => self.launch_query(inst, *query, ty),
            (Op::ProgramSampler(word), _) => self.module.writer.sampler(*word),
            (Op::Image(op), _) => return self.image(inst, *op),
            (Op::Call(callee) | Op::CallElementwise(callee), _) => return self.call(inst, *callee),
            _ => return self.memory(inst),
        };
        self.define(data.results[0], id);
    }

    /// An instruction whose operands are those of the IR.
    pub fn simple(&mut self, inst: Inst, op: spirv::Op, ty: Type) -> Word {
        let operands = self.operands(inst);
        self.compute(op, ty, &operands)
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
        let ty = self.module.writer.value_type(ty);
        self.add(op, ty, operands)
    }

    /// An instruction of `OpenCL.std`.
    pub fn extended(&mut self, op: Std, ty: Type, operands: &[Word]) -> Word {
        let mut all = self.module.writer.std(op);
        all.extend(operands.iter().copied().map(Operand::IdRef));
        let ty = self.module.writer.value_type(ty);
        self.add(spirv::Op::ExtInst, ty, all)
    }

    fn extended_on_operands(&mut self, inst: Inst, op: Std, ty: Type) -> Word {
        let operands = self.operands(inst);
        self.extended(op, ty, &operands)
    }

    fn unary(&mut self, inst: Inst, op: UnaryOp, ty: Type) -> Word {
        let opcode = match op {
            UnaryOp::Neg => spirv::Op::SNegate,
            UnaryOp::Not if ty.is_bool() => spirv::Op::LogicalNot,
            UnaryOp::Not => spirv::Op::Not,
            UnaryOp::FNeg => spirv::Op::FNegate,
            UnaryOp::PopCount => return self.extended_on_operands(inst, Std::popcount, ty),
            UnaryOp::CountLeadingZeros => return self.extended_on_operands(inst, Std::clz, ty),
            UnaryOp::CountTrailingZeros => return self.extended_on_operands(inst, Std::ctz, ty),
            UnaryOp::HighestBit | UnaryOp::LowestBit => self.left(inst),
        };
        self.simple(inst, opcode, ty)
    }

    fn binary(&mut self, inst: Inst, op: BinaryOp, ty: Type) -> Word {
        let extended = match op {
            BinaryOp::SMin => Std::s_min,
            BinaryOp::SMax => Std::s_max,
            BinaryOp::UMin => Std::u_min,
            BinaryOp::UMax => Std::u_max,
            BinaryOp::SMulHi => Std::s_mul_hi,
            BinaryOp::UMulHi => Std::u_mul_hi,
            BinaryOp::SRem => return self.simple(inst, spirv::Op::SRem, ty),
            _ => {
                let Some(opcode) = simple_binary(op, ty.is_bool()) else { self.left(inst) };
                let id = self.simple(inst, opcode, ty);
                self.set_fast_math(inst, op, id);
                return id;
            }
        };
        self.extended_on_operands(inst, extended, ty)
    }

    /// Says which rewrites the source allows. Fusing can only be allowed or forbidden for whole kernels.
    fn set_fast_math(&mut self, inst: Inst, op: BinaryOp, id: Word) {
        if !matches!(op, BinaryOp::FAdd | BinaryOp::FSub | BinaryOp::FMul | BinaryOp::FDiv) {
            return;
        }
        let flags = self.function.insts[inst].fast_math;
        self.written.keeps_roundings |= op != BinaryOp::FDiv && !flags.contains(FastMath::CONTRACT);
        let of_numbers =
            FastMath::NO_NAN | FastMath::NO_INF | FastMath::NO_SIGNED_ZERO | FastMath::RECIPROCAL;
        let mut mode = FPFastMathMode::NONE;
        for (flag, bit) in [
            (FastMath::NO_NAN, FPFastMathMode::NOT_NAN),
            (FastMath::NO_INF, FPFastMathMode::NOT_INF),
            (FastMath::NO_SIGNED_ZERO, FPFastMathMode::NSZ),
            (FastMath::RECIPROCAL, FPFastMathMode::ALLOW_RECIP),
            // It allows all the others, too.
            (of_numbers | FastMath::REASSOCIATE | FastMath::CONTRACT, FPFastMathMode::FAST),
        ] {
            if flags.contains(flag) {
                mode |= bit;
            }
        }
        if mode != FPFastMathMode::NONE {
            self.module.writer.decorate(id, Decoration::FPFastMathMode, &[Operand::FPFastMathMode(mode)]);
        }
    }

    fn compare(&mut self, inst: Inst, op: CompareOp, ty: Type) -> Word {
        let opcode = match op {
            CompareOp::FOrd => spirv::Op::Ordered,
            CompareOp::FUno => spirv::Op::Unordered,
            _ => match comparison(op, self.operand_type(inst, 0).is_bool()) {
                Some(opcode) => opcode,
                None => self.left(inst),
            },
        };
        self.simple(inst, opcode, ty)
    }

    /// Before SPIR-V 1.4, each lane has its own condition.
    fn select(&mut self, inst: Inst, ty: Type) -> Word {
        if let Some(moved) = self.moved_if_there(inst, ty) {
            return moved;
        }
        let mut operands = self.operands(inst);
        if ty.lanes() > 1 && self.operand_type(inst, 0) == Type::BOOL {
            operands[0] = self.splat(operands[0], ty.with_scalar(clvk_ir::Scalar::Bool));
        }
        self.compute(spirv::Op::Select, ty, &operands)
    }

    fn convert(&mut self, inst: Inst, op: ConvertOp, ty: Type) -> Word {
        let from = self.operand_type(inst, 0);
        if from == ty {
            return self.operand(inst, 0);
        }
        if from.is_bool() {
            return self.number_of_truth(inst, op, ty);
        }
        if let Some(id) = self.convert_half(inst, ty) {
            return id;
        }
        let (opcode, rounding) = match op {
            ConvertOp::Truncate | ConvertOp::ZeroExtend => (spirv::Op::UConvert, None),
            ConvertOp::SignExtend => (spirv::Op::SConvert, None),
            ConvertOp::SignedToFloat(mode) => (spirv::Op::ConvertSToF, Some(mode)),
            ConvertOp::UnsignedToFloat(mode) => (spirv::Op::ConvertUToF, Some(mode)),
            ConvertOp::FloatToSigned { .. } => (spirv::Op::ConvertFToS, None),
            ConvertOp::FloatToUnsigned { .. } => (spirv::Op::ConvertFToU, None),
            ConvertOp::Float(mode) => (spirv::Op::FConvert, Some(mode)),
            ConvertOp::Bitcast => (spirv::Op::Bitcast, None),
            ConvertOp::PointerToInt => (spirv::Op::ConvertPtrToU, None),
            ConvertOp::IntToPointer => (spirv::Op::ConvertUToPtr, None),
            ConvertOp::AddressSpace => return self.other_space(inst, ty),
        };
        let id = self.simple(inst, opcode, ty);
        let saturating = ConvertOp::FloatToSigned { saturating: true };
        if op == saturating || op == (ConvertOp::FloatToUnsigned { saturating: true }) {
            self.module.writer.decorate(id, Decoration::SaturatedConversion, &[]);
        }
        let rounding = match rounding {
            None | Some(RoundingMode::NearestEven) => return id,
            Some(RoundingMode::TowardZero) => FPRoundingMode::RTZ,
            Some(RoundingMode::TowardPositive) => FPRoundingMode::RTP,
            Some(RoundingMode::TowardNegative) => FPRoundingMode::RTN,
        };
        self.module.writer.decorate(id, Decoration::FPRoundingMode, &[Operand::FPRoundingMode(rounding)]);
        id
    }

    /// 0 and 1, or 0 and all bits set.
    fn number_of_truth(&mut self, inst: Inst, op: ConvertOp, ty: Type) -> Word {
        let condition = self.operand(inst, 0);
        let set = if op == ConvertOp::SignExtend { u64::MAX } else { 1 };
        let mask = ty.scalar().map_or(0, clvk_ir::Scalar::mask);
        let constant = |bits: u64| match ty {
            Type::Vector(_, lanes) => clvk_ir::Constant::Lanes(vec![bits; usize::from(lanes)].into()),
            _ => clvk_ir::Constant::Bits(bits),
        };
        let set = self.module.writer.constant(ty, &constant(set & mask));
        let clear = self.module.writer.constant(ty, &constant(0));
        self.compute(spirv::Op::Select, ty, &[condition, set, clear])
    }

    fn math(&mut self, inst: Inst, op: MathOp, ty: Type) -> Word {
        let is_single = ty.scalar() == Some(clvk_ir::Scalar::F32);
        let extended = match op {
            MathOp::FAbs => Std::fabs,
            MathOp::FMin => Std::fmin,
            MathOp::FMax => Std::fmax,
            MathOp::Floor => Std::floor,
            MathOp::Ceil => Std::ceil,
            MathOp::Trunc => Std::trunc,
            MathOp::RoundEven => Std::rint,
            // What may be fused, and need not be.
            MathOp::Fma if self.function.insts[inst].fast_math.contains(FastMath::CONTRACT) => Std::mad,
            MathOp::Fma => Std::fma,
            MathOp::CopySign => Std::copysign,
            MathOp::Sqrt => Std::sqrt,
            // The native functions are of single precision only.
            MathOp::NativeSqrt if is_single => Std::native_sqrt,
            MathOp::NativeSqrt => Std::sqrt,
            MathOp::NativeRsqrt if is_single => Std::native_rsqrt,
            MathOp::NativeRsqrt => Std::rsqrt,
            MathOp::NativeExp if is_single => Std::native_exp,
            MathOp::NativeExp => Std::exp,
            MathOp::NativeExp2 if is_single => Std::native_exp2,
            MathOp::NativeExp2 => Std::exp2,
            MathOp::NativeLog if is_single => Std::native_log,
            MathOp::NativeLog => Std::log,
            MathOp::NativeLog2 if is_single => Std::native_log2,
            MathOp::NativeLog2 => Std::log2,
            MathOp::NativeSin if is_single => Std::native_sin,
            MathOp::NativeSin => Std::sin,
            MathOp::NativeCos if is_single => Std::native_cos,
            MathOp::NativeCos => Std::cos,
            MathOp::NativeDivide if is_single => Std::native_divide,
            MathOp::NativeDivide => return self.simple(inst, spirv::Op::FDiv, ty),
            MathOp::IsNan => return self.simple(inst, spirv::Op::IsNan, ty),
            MathOp::IsInf => return self.simple(inst, spirv::Op::IsInf, ty),
            MathOp::Dot => return self.simple(inst, spirv::Op::Dot, ty),
            MathOp::FClamp | MathOp::NeverPositive => self.left(inst),
        };
        self.extended_on_operands(inst, extended, ty)
    }
}
