//! Arithmetic, comparisons, conversions, vectors.

use super::{kernel::Kernel, writer::TypeKey};
use crate::TranslateError;
use crate::passes::simplify::fold::to_f64;
use clvk_interface::Quirk;
use clvk_ir::{
    BinaryOp, CompareOp, Constant, ConvertOp, EntityId, FastMath, Inst, MathOp, Op, RoundingMode, Scalar,
    Type, UnaryOp, Value,
};
use rspirv::{
    dr::Operand,
    spirv::{self, Decoration, GlslStd450Op as GLOp, Word},
};

impl Kernel<'_, '_, '_> {
    /// Writes an instruction that is neither a construct nor a terminator.
    pub fn instruction(&mut self, inst: Inst) -> Result<(), TranslateError> {
        let function = self.function;
        let data = &function.insts[inst];
        let ty = data.results.first().map(|&result| function.ty(result));
        self.note_float_modes(inst);
        let id = match (&data.op, ty) {
            (Op::Unary(op), Some(ty)) => self.unary(inst, *op, ty)?,
            (Op::Binary(op), Some(ty)) => self.binary(inst, *op, ty)?,
            (Op::Compare(op), Some(ty)) => self.compare(inst, *op, ty),
            (Op::Convert(op), Some(ty)) => self.convert(inst, *op, ty)?,
            (Op::Select, Some(ty)) => self.select(inst, ty),
            (Op::Math(op), Some(ty)) => self.math(inst, *op, ty)?,
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
            (Op::Image(op), _) => return self.image(inst, *op),
            (Op::ImageBinding { .. } | Op::SamplerBinding { .. }, _) => return self.binding(inst),
            _ => return self.memory(inst),
        };
        if self.is_rounding(inst) && !data.fast_math.contains(FastMath::REASSOCIATE) {
            self.keep_as_it_is(id);
        }
        self.ids[data.results[0].index()] = id;
        Ok(())
    }

    /// Keeps the driver from computing something else in the place of an operation, if only it is the same for real numbers: Vulkan lets
    /// it reassociate, and drop conversions there and back, whatever is not decorated so. Mesa does from 26 on: `(a + b) - b` is
    /// `a`. What may be fused is fused by then ([`passes::contract`](crate::passes::contract)).
    fn keep_as_it_is(&mut self, id: Word) {
        self.writer.decorate(id, Decoration::NoContraction, &[]);
    }

    /// Whether an operation rounds, so that two in turn are not what they are for real numbers.
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

    fn note_float_modes(&mut self, inst: Inst) {
        let data = &self.function.insts[inst];
        let arithmetic =
            matches!(data.op, Op::Unary(_) | Op::Binary(_) | Op::Compare(_) | Op::Convert(_) | Op::Math(_));
        if !arithmetic {
            return;
        }
        let relaxed = FastMath::NO_NAN | FastMath::NO_INF | FastMath::NO_SIGNED_ZERO;
        let strict = !data.fast_math.contains(relaxed);
        for &value in data.operands.iter().chain(&data.results) {
            let mode = match self.function.ty(value).scalar() {
                Some(Scalar::F16) => &mut self.modes.f16,
                Some(Scalar::F32) => &mut self.modes.f32,
                Some(Scalar::F64) => &mut self.modes.f64,
                _ => continue,
            };
            mode.used = true;
            mode.strict |= strict;
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

    /// Operands in this order, then literals; 255 is any lane.
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

    /// An extended instruction.
    pub fn glsl(&mut self, op: GLOp, ty: Type, operands: &[Word]) -> Word {
        let set = self.writer.glsl();
        let mut all = vec![Operand::IdRef(set), Operand::LiteralExtInstInteger(op as u32)];
        all.extend(operands.iter().copied().map(Operand::IdRef));
        let ty = self.writer.value_type(ty);
        self.add(spirv::Op::ExtInst, ty, all)
    }

    fn unary(&mut self, inst: Inst, op: UnaryOp, ty: Type) -> Result<Word, TranslateError> {
        let a = self.operand(inst, 0);
        let bits = ty.scalar().map_or(0, Scalar::bits);
        Ok(match op {
            UnaryOp::Neg => self.compute(spirv::Op::SNegate, ty, &[a]),
            UnaryOp::Not if ty.is_bool() => self.compute(spirv::Op::LogicalNot, ty, &[a]),
            UnaryOp::Not => self.compute(spirv::Op::Not, ty, &[a]),
            UnaryOp::FNeg => self.compute(spirv::Op::FNegate, ty, &[a]),
            _ if bits != 32 => {
                return Err(
                    self.refuse(inst, format!("computes {op:?} of {bits} bits, which is not supported"))
                );
            }
            UnaryOp::PopCount => self.compute(spirv::Op::BitCount, ty, &[a]),
            UnaryOp::CountLeadingZeros => {
                let highest = self.glsl(GLOp::FindUMsb, ty, &[a]);
                let last = self.writer.splat(ty, 31);
                self.compute(spirv::Op::ISub, ty, &[last, highest])
            }
            UnaryOp::CountTrailingZeros => {
                let lowest = self.glsl(GLOp::FindILsb, ty, &[a]);
                let (zero, width) = (self.writer.splat(ty, 0), self.writer.splat(ty, 32));
                let is_zero = self.compute(spirv::Op::IEqual, ty.with_scalar(Scalar::Bool), &[a, zero]);
                self.compute(spirv::Op::Select, ty, &[is_zero, width, lowest])
            }
        })
    }

    fn binary(&mut self, inst: Inst, op: BinaryOp, ty: Type) -> Result<Word, TranslateError> {
        let (a, b) = (self.operand(inst, 0), self.operand(inst, 1));
        let glsl = match op {
            BinaryOp::SMin => Some(GLOp::SMin),
            BinaryOp::SMax => Some(GLOp::SMax),
            BinaryOp::UMin => Some(GLOp::UMin),
            BinaryOp::UMax => Some(GLOp::UMax),
            _ => None,
        };
        if let Some(glsl) = glsl {
            return Ok(self.glsl(glsl, ty, &[a, b]));
        }
        let opcode = match op {
            BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr => return Ok(self.shift(inst, op, ty)),
            BinaryOp::SMulHi | BinaryOp::UMulHi => return self.multiply_high(inst, op, ty),
            BinaryOp::FRem => {
                return Err(self.refuse(
                    inst,
                    "computes the remainder of floating-point numbers, which is not supported",
                ));
            }
            _ => simple_binary(op, ty.is_bool()),
        };
        Ok(self.compute(opcode, ty, &[a, b]))
    }

    /// A shift by a count modulo the width.
    fn shift(&mut self, inst: Inst, op: BinaryOp, ty: Type) -> Word {
        let opcode = match op {
            BinaryOp::Shl => spirv::Op::ShiftLeftLogical,
            BinaryOp::LShr => spirv::Op::ShiftRightLogical,
            _ => spirv::Op::ShiftRightArithmetic,
        };
        let a = self.operand(inst, 0);
        let last = u64::from(ty.scalar().map_or(0, Scalar::bits)) - 1;
        let count = self.function.insts[inst].operands[1];
        let in_range = self.constant_of(count).is_some_and(|constant| {
            (0..ty.lanes() as usize).all(|lane| constant.lane(lane).is_some_and(|bits| bits <= last))
        });
        let mut count = self.id(count);
        if !in_range {
            let mask = self.writer.splat(ty, last);
            count = self.compute(spirv::Op::BitwiseAnd, ty, &[count, mask]);
        }
        self.compute(opcode, ty, &[a, count])
    }

    fn multiply_high(&mut self, inst: Inst, op: BinaryOp, ty: Type) -> Result<Word, TranslateError> {
        if ty != Type::I32 {
            return Err(self.refuse(
                inst,
                "computes the high half of a product that is not a 32-bit scalar, which is not supported",
            ));
        }
        let opcode = if op == BinaryOp::SMulHi { spirv::Op::SMulExtended } else { spirv::Op::UMulExtended };
        let operands = self.operand_ids(inst).into_iter().map(Operand::IdRef).collect();
        let pair = self.writer.type_id(TypeKey::Pair);
        let product = self.add(opcode, pair, operands);
        let word = self.writer.value_type(ty);
        Ok(self.add(
            spirv::Op::CompositeExtract,
            word,
            vec![Operand::IdRef(product), Operand::LiteralBit32(1)],
        ))
    }

    fn compare(&mut self, inst: Inst, op: CompareOp, ty: Type) -> Word {
        let (a, b) = (self.operand(inst, 0), self.operand(inst, 1));
        let of_bool = self.operand_type(inst, 0).is_bool();
        match op {
            CompareOp::FOrd => {
                let (a, b) = (
                    self.compute(spirv::Op::FOrdEqual, ty, &[a, a]),
                    self.compute(spirv::Op::FOrdEqual, ty, &[b, b]),
                );
                self.compute(spirv::Op::LogicalAnd, ty, &[a, b])
            }
            CompareOp::FUno => {
                let (a, b) = (
                    self.compute(spirv::Op::FUnordNotEqual, ty, &[a, a]),
                    self.compute(spirv::Op::FUnordNotEqual, ty, &[b, b]),
                );
                self.compute(spirv::Op::LogicalOr, ty, &[a, b])
            }
            _ => self.compute(comparison(op, of_bool), ty, &[a, b]),
        }
    }

    fn convert(&mut self, inst: Inst, op: ConvertOp, ty: Type) -> Result<Word, TranslateError> {
        let a = self.operand(inst, 0);
        let from = self.operand_type(inst, 0);
        if from == ty {
            return Ok(a);
        }
        let opcode = match op {
            ConvertOp::ZeroExtend | ConvertOp::SignExtend if from.is_bool() => {
                let set = if op == ConvertOp::ZeroExtend { 1 } else { ty.scalar().map_or(0, Scalar::mask) };
                let (set, clear) = (self.writer.splat(ty, set), self.writer.splat(ty, 0));
                return Ok(self.compute(spirv::Op::Select, ty, &[a, set, clear]));
            }
            ConvertOp::Truncate | ConvertOp::ZeroExtend => spirv::Op::UConvert,
            ConvertOp::SignExtend => spirv::Op::SConvert,
            ConvertOp::SignedToFloat(mode) => {
                self.check_rounding(inst, mode, from, ty)?;
                spirv::Op::ConvertSToF
            }
            ConvertOp::UnsignedToFloat(mode) => {
                self.check_rounding(inst, mode, from, ty)?;
                spirv::Op::ConvertUToF
            }
            ConvertOp::FloatToSigned { saturating: false } => spirv::Op::ConvertFToS,
            ConvertOp::FloatToUnsigned { saturating: false } => spirv::Op::ConvertFToU,
            ConvertOp::Float(mode) => {
                self.check_rounding(inst, mode, from, ty)?;
                spirv::Op::FConvert
            }
            ConvertOp::Bitcast => spirv::Op::Bitcast,
            other => {
                return Err(
                    self.refuse(inst, format!("has the conversion {other:?}, which is not supported"))
                );
            }
        };
        Ok(self.compute(opcode, ty, &[a]))
    }

    /// The device rounds to nearest even: another rounding must have nothing to round.
    fn check_rounding(
        &self,
        inst: Inst,
        mode: RoundingMode,
        from: Type,
        to: Type,
    ) -> Result<(), TranslateError> {
        let significant = |ty: Type| match ty.scalar() {
            Some(Scalar::F16) => 11,
            Some(Scalar::F32) => 24,
            Some(Scalar::F64) => 53,
            Some(scalar) => scalar.bits(),
            None => 0,
        };
        if mode == RoundingMode::NearestEven || significant(from) <= significant(to) {
            return Ok(());
        }
        Err(self.refuse(
            inst,
            format!("has a conversion that rounds {}, which is not supported", rounding_name(mode)),
        ))
    }

    fn select(&mut self, inst: Inst, ty: Type) -> Word {
        let operands = self.operand_ids(inst);
        let (mut condition, lanes) = (operands[0], ty.lanes());
        let condition_type = self.operand_type(inst, 0);
        if lanes > 1 && condition_type.lanes() == 1 && self.writer.version < (1, 4) {
            let vector = Type::with_lanes(Scalar::Bool, lanes);
            condition = self.compute(spirv::Op::CompositeConstruct, vector, &vec![condition; lanes as usize]);
        }
        self.compute(spirv::Op::Select, ty, &[condition, operands[1], operands[2]])
    }

    fn math(&mut self, inst: Inst, op: MathOp, ty: Type) -> Result<Word, TranslateError> {
        let operands = self.operand_ids(inst);
        let from = self.operand_type(inst, 0);
        let device_only_32 = matches!(
            op,
            MathOp::NativeExp
                | MathOp::NativeExp2
                | MathOp::NativeLog
                | MathOp::NativeLog2
                | MathOp::NativeSin
                | MathOp::NativeCos
        );
        if device_only_32 && ty.scalar() == Some(Scalar::F64) {
            return Err(self.refuse(
                inst,
                format!("computes {op:?} in double precision; the device has no such operation"),
            ));
        }
        let glsl = match op {
            MathOp::FAbs => GLOp::FAbs,
            MathOp::FMin => match self.clamped(inst) {
                Some(number) => {
                    let (number, low) = (self.id(number[0]), self.id(number[1]));
                    return Ok(self.glsl(GLOp::NClamp, ty, &[number, low, operands[1]]));
                }
                None => GLOp::NMin,
            },
            MathOp::FMax => GLOp::NMax,
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
            MathOp::NativeDivide => return Ok(self.compute(spirv::Op::FDiv, ty, &operands)),
            MathOp::Dot => return Ok(self.compute(spirv::Op::Dot, ty, &operands)),
            MathOp::CopySign => return Ok(self.copy_sign(ty, &operands)),
            MathOp::IsNan => return Ok(self.classify(spirv::Op::UGreaterThan, from, ty, operands[0])),
            MathOp::IsInf => return Ok(self.classify(spirv::Op::IEqual, from, ty, operands[0])),
        };
        Ok(self.glsl(glsl, ty, &operands))
    }

    /// The number and the lower bound if an instruction brings a number between two constants: devices have an operation for that, and
    /// for 0 and 1 often none is needed.
    fn clamped(&self, inst: Inst) -> Option<[Value; 2]> {
        let raised = self.function.defining_inst(self.function.insts[inst].operands[0])?;
        let raised = &self.function.insts[raised];
        if raised.op != Op::Math(MathOp::FMax) {
            return None;
        }
        let low = self.constant_of(raised.operands[1])?;
        let high = self.constant_of(self.function.insts[inst].operands[1])?;
        let ty = self.operand_type(inst, 1);
        let scalar = ty.scalar()?;
        let number = |constant: &Constant, lane| constant.lane(lane).map(|bits| to_f64(scalar, bits));
        let in_order = (0..ty.lanes() as usize).all(|lane| match (number(low, lane), number(high, lane)) {
            (Some(low), Some(high)) => low <= high,
            _ => false,
        });
        in_order.then_some([raised.operands[0], raised.operands[1]])
    }

    /// Compares a number's bits without the sign to those of infinity: drivers may assume that there is no NaN, but
    /// only in floating-point comparisons.
    fn classify(&mut self, comparison: spirv::Op, from: Type, ty: Type, a: Word) -> Word {
        let scalar = from.scalar().expect("classified values are floating-point");
        let bits_type = from.with_scalar(Scalar::int(scalar.bits()));
        let sign = 1 << (scalar.bits() - 1);
        let bits = self.compute(spirv::Op::Bitcast, bits_type, &[a]);
        let mask = self.writer.splat(bits_type, scalar.mask() & !sign);
        let magnitude = self.compute(spirv::Op::BitwiseAnd, bits_type, &[bits, mask]);
        let infinity = self.writer.splat(bits_type, infinity(scalar));
        self.compute(comparison, ty, &[magnitude, infinity])
    }

    /// The magnitude of one number with the sign of another.
    fn copy_sign(&mut self, ty: Type, operands: &[Word]) -> Word {
        let scalar = ty.scalar().expect("signs are of floating-point numbers");
        let bits_type = ty.with_scalar(Scalar::int(scalar.bits()));
        let sign = 1 << (scalar.bits() - 1);
        let [magnitude, signed] =
            [0, 1].map(|at| self.compute(spirv::Op::Bitcast, bits_type, &[operands[at]]));
        let [clear, sign] = [scalar.mask() & !sign, sign].map(|bits| self.writer.splat(bits_type, bits));
        let positive = self.compute(spirv::Op::BitwiseAnd, bits_type, &[magnitude, clear]);
        let bits = if self.writer.profile.has(Quirk::MergedSigns) {
            let negative = self.compute(spirv::Op::BitwiseOr, bits_type, &[magnitude, sign]);
            let zero = self.writer.splat(bits_type, 0);
            let choice = ty.with_scalar(Scalar::Bool);
            let choice = self.compute(spirv::Op::SLessThan, choice, &[signed, zero]);
            self.compute(spirv::Op::Select, bits_type, &[choice, negative, positive])
        } else {
            let sign = self.compute(spirv::Op::BitwiseAnd, bits_type, &[signed, sign]);
            self.compute(spirv::Op::BitwiseOr, bits_type, &[positive, sign])
        };
        self.compute(spirv::Op::Bitcast, ty, &[bits])
    }
}

fn infinity(scalar: Scalar) -> u64 {
    match scalar {
        Scalar::F16 => 0x7c00,
        Scalar::F32 => 0x7f80_0000,
        _ => 0x7ff0_0000_0000_0000,
    }
}

fn rounding_name(mode: RoundingMode) -> &'static str {
    match mode {
        RoundingMode::NearestEven => "to nearest even",
        RoundingMode::TowardZero => "toward zero",
        RoundingMode::TowardPositive => "toward positive infinity",
        RoundingMode::TowardNegative => "toward negative infinity",
    }
}

fn simple_binary(op: BinaryOp, of_bool: bool) -> spirv::Op {
    match op {
        BinaryOp::And if of_bool => spirv::Op::LogicalAnd,
        BinaryOp::Or if of_bool => spirv::Op::LogicalOr,
        BinaryOp::Xor if of_bool => spirv::Op::LogicalNotEqual,
        BinaryOp::Add => spirv::Op::IAdd,
        BinaryOp::Sub => spirv::Op::ISub,
        BinaryOp::Mul => spirv::Op::IMul,
        BinaryOp::SDiv => spirv::Op::SDiv,
        BinaryOp::UDiv => spirv::Op::UDiv,
        BinaryOp::SRem => spirv::Op::SRem,
        BinaryOp::URem => spirv::Op::UMod,
        BinaryOp::And => spirv::Op::BitwiseAnd,
        BinaryOp::Or => spirv::Op::BitwiseOr,
        BinaryOp::Xor => spirv::Op::BitwiseXor,
        BinaryOp::FAdd => spirv::Op::FAdd,
        BinaryOp::FSub => spirv::Op::FSub,
        BinaryOp::FMul => spirv::Op::FMul,
        BinaryOp::FDiv => spirv::Op::FDiv,
        other => unreachable!("{other:?} is more than one instruction"),
    }
}

fn comparison(op: CompareOp, of_bool: bool) -> spirv::Op {
    match op {
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
        CompareOp::FOrd | CompareOp::FUno => unreachable!("made of two comparisons"),
    }
}
