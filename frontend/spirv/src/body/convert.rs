//! Conversions (SPIR-V §3.49.11).

use super::Body;
use crate::binary::{Id, Instruction};
use crate::error::Error;
use crate::glue;
use crate::types::Ty;
use clvk_ir::{AddressSpace, BinaryOp, CompareOp, ConvertOp, MathOp, RoundingMode, Scalar, Type, Value};
use rspirv::spirv::{Decoration, Op};
use std::cmp::Ordering;

impl Body<'_, '_> {
    /// Translates an instruction of this chapter; gives whether it is one.
    pub fn conversion(&mut self, op: Op, instruction: &Instruction<'_>) -> Result<bool, Error> {
        let value = match op {
            Op::ConvertFToU | Op::ConvertFToS => self.float_to_integer(op == Op::ConvertFToS, instruction)?,
            Op::ConvertSToF | Op::ConvertUToF => {
                let signed = op == Op::ConvertSToF;
                let mode = self.rounding(instruction);
                self.plain(
                    if signed { ConvertOp::SignedToFloat(mode) } else { ConvertOp::UnsignedToFloat(mode) },
                    instruction,
                )?
            }
            Op::UConvert | Op::SConvert => self.resize(op == Op::SConvert, instruction)?,
            Op::FConvert if self.result_type(instruction)?.ty == Ty::BFloat16 => {
                self.narrow_to_bfloat16(instruction)?
            }
            Op::FConvert if self.is_bfloat16(instruction.operand(0)?, instruction) => {
                self.widen_bfloat16(instruction)?
            }
            Op::FConvert => {
                let mode = self.rounding(instruction);
                self.plain(ConvertOp::Float(mode), instruction)?
            }
            Op::SatConvertSToU => self.glued(true, false, "_sat", instruction)?,
            Op::SatConvertUToS => self.glued(false, true, "_sat", instruction)?,
            Op::ConvertPtrToU => {
                let ty = self.integer_result(instruction)?;
                let value = self.value_at(0, instruction)?;
                let address = match self.function.ty(value) {
                    Type::Pointer(_) => self.build().convert(ConvertOp::PointerToInt, value, Type::I64),
                    // An object that a number names.
                    Type::I64 => value,
                    _ => return Err(instruction.error("the operand is not a pointer")),
                };
                self.resized(address, ty)
            }
            Op::ConvertUToPtr => {
                let address = self.integer_at(0, instruction)?;
                if let Ty::Object(_) = self.result_type(instruction)?.ty {
                    self.object_of(address)
                } else {
                    let ty = self.pointer_result(instruction)?;
                    let address = self.resized(address, Type::I64);
                    self.build().convert(ConvertOp::IntToPointer, address, ty)
                }
            }
            Op::PtrCastToGeneric | Op::GenericCastToPtr => {
                let pointer = self.pointer(instruction.operand(0)?, instruction)?;
                let ty = self.pointer_result(instruction)?;
                self.cast_pointer(pointer, ty)
            }
            Op::GenericCastToPtrExplicit => self.explicit_cast(instruction)?,
            Op::GenericPtrMemSemantics => self.semantics_of_pointer(instruction)?,
            Op::Bitcast => self.bitcast(instruction)?,
            Op::ConvertFToBF16INTEL => self.narrow_to_bfloat16(instruction)?,
            Op::ConvertBF16ToFINTEL => self.widen_bfloat16(instruction)?,
            _ => return Ok(false),
        };
        self.define_value(instruction, value)?;
        Ok(true)
    }

    /// The object that a number names. Headers of clang's spell some null objects as the largest number.
    fn object_of(&mut self, number: Value) -> Value {
        let ty = self.function.ty(number);
        let largest = self.function.int(ty, -1);
        let is_null = self.build().compare(CompareOp::Eq, number, largest);
        let wide = self.resized(number, Type::I64);
        let null = self.function.int(Type::I64, 0);
        self.build().select(is_null, null, wide)
    }

    /// The rounding that the result is decorated with.
    pub fn rounding(&self, instruction: &Instruction<'_>) -> RoundingMode {
        match instruction.result().and_then(|id| self.reader.index.rounding(id)) {
            Some("_rtz") => RoundingMode::TowardZero,
            Some("_rtp") => RoundingMode::TowardPositive,
            Some("_rtn") => RoundingMode::TowardNegative,
            _ => RoundingMode::NearestEven,
        }
    }

    fn plain(&mut self, op: ConvertOp, instruction: &Instruction<'_>) -> Result<Value, Error> {
        let value = self.value_at(0, instruction)?;
        let ty = self.result_value_type(instruction)?;
        let (from, lanes) = (self.function.ty(value), ty.lanes());
        if from.scalar().is_none() || ty.scalar().is_none() || from.lanes() != lanes {
            return Err(instruction.error("the operand does not suit the result"));
        }
        Ok(if from == ty && matches!(op, ConvertOp::Float(_)) {
            value
        } else {
            self.build().convert(op, value, ty)
        })
    }

    /// A conversion by a function of OpenCL C.
    fn glued(
        &mut self,
        from_signed: bool,
        to_signed: bool,
        suffix: &str,
        instruction: &Instruction<'_>,
    ) -> Result<Value, Error> {
        let value = self.value_at(0, instruction)?;
        let ty = self.result_value_type(instruction)?;
        let (from, to) = (glue::number(self.function.ty(value), from_signed), glue::number(ty, to_signed));
        let (Some(from), Some(to)) = (from, to) else {
            return Err(instruction.error("the operand or the result is not a number"));
        };
        let text = format!("convert_{}{suffix}(a0)", to.text);
        let called = self.call_expression(Some(&to), &[(value, from)], &text);
        called.ok_or_else(|| instruction.error("the conversion has no result"))
    }

    /// The upper half of a float, rounded to the nearest even (`SPV_INTEL_bfloat16_conversion`); a NaN stays
    /// one.
    fn narrow_to_bfloat16(&mut self, instruction: &Instruction<'_>) -> Result<Value, Error> {
        let value = self.bfloat16_operand(Scalar::F32, Scalar::I16, instruction)?;
        Ok(self.narrowed_bfloat16(value))
    }

    /// The bits of a bfloat16.
    pub fn narrowed_bfloat16(&mut self, value: Value) -> Value {
        let words = self.function.ty(value).with_scalar(Scalar::I32);
        let bits = self.build().convert(ConvertOp::Bitcast, value, words);
        let mut constant = |number: i64| {
            let number = self.function.int(Type::I32, number);
            self.build().splat(number, words.lanes())
        };
        let [half, one, below_half, quiet] = [16, 1, 0x7FFF, 0x40].map(&mut constant);
        let upper = self.build().binary(BinaryOp::LShr, bits, half);
        let odd = self.build().binary(BinaryOp::And, upper, one);
        let up = self.build().binary(BinaryOp::Add, odd, below_half);
        let sum = self.build().binary(BinaryOp::Add, bits, up);
        let rounded = self.build().binary(BinaryOp::LShr, sum, half);
        let is_nan = self.build().math(MathOp::IsNan, &[value]);
        let nan = self.build().binary(BinaryOp::Or, upper, quiet);
        let chosen = self.build().select(is_nan, nan, rounded);
        self.build().convert(ConvertOp::Truncate, chosen, words.with_scalar(Scalar::I16))
    }

    fn widen_bfloat16(&mut self, instruction: &Instruction<'_>) -> Result<Value, Error> {
        let value = self.bfloat16_operand(Scalar::I16, Scalar::F32, instruction)?;
        Ok(self.widened_bfloat16(value))
    }

    fn is_bfloat16(&self, id: Id, user: &Instruction<'_>) -> bool {
        let ty = self.type_of_value(id, user).and_then(|ty| self.reader.index.type_of(ty, user));
        ty.is_ok_and(|data| data.ty == Ty::BFloat16)
    }

    fn bfloat16_operand(
        &mut self,
        from: Scalar,
        to: Scalar,
        instruction: &Instruction<'_>,
    ) -> Result<Value, Error> {
        let value = self.value_at(0, instruction)?;
        let (ty, result) = (self.function.ty(value), self.result_value_type(instruction)?);
        if ty.scalar() != Some(from) || result.scalar() != Some(to) || ty.lanes() != result.lanes() {
            return Err(instruction.error("the operand does not suit the result"));
        }
        Ok(value)
    }

    fn float_to_integer(&mut self, signed: bool, instruction: &Instruction<'_>) -> Result<Value, Error> {
        let id = instruction.result().unwrap_or_default();
        let saturating = self.reader.index.decoration(id, Decoration::SaturatedConversion).is_some();
        if let Some(suffix) = self.reader.index.rounding(id).filter(|&suffix| suffix != "_rtz") {
            let suffix = format!("{}{suffix}", if saturating { "_sat" } else { "" });
            return self.glued(signed, signed, &suffix, instruction);
        }
        if saturating {
            return self.glued(signed, signed, "_sat", instruction);
        }
        let op = match signed {
            true => ConvertOp::FloatToSigned { saturating: false },
            false => ConvertOp::FloatToUnsigned { saturating: false },
        };
        self.plain(op, instruction)
    }

    fn resize(&mut self, signed: bool, instruction: &Instruction<'_>) -> Result<Value, Error> {
        let id = instruction.result().unwrap_or_default();
        if self.reader.index.decoration(id, Decoration::SaturatedConversion).is_some() {
            return self.glued(signed, signed, "_sat", instruction);
        }
        let value = self.value_at(0, instruction)?;
        let ty = self.result_value_type(instruction)?;
        let (from, bits) = (self.function.ty(value), |ty: Type| ty.scalar().map_or(0, Scalar::bits));
        if !from.is_int() || !ty.is_int() || from.lanes() != ty.lanes() {
            return Err(instruction.error("the operand does not suit the result"));
        }
        let op = match bits(from).cmp(&bits(ty)) {
            Ordering::Equal => return Ok(value),
            Ordering::Greater => ConvertOp::Truncate,
            Ordering::Less if signed => ConvertOp::SignExtend,
            Ordering::Less => ConvertOp::ZeroExtend,
        };
        Ok(self.build().convert(op, value, ty))
    }

    fn pointer_result(&self, instruction: &Instruction<'_>) -> Result<Type, Error> {
        let ty = self.result_value_type(instruction)?;
        if ty.is_pointer() { Ok(ty) } else { Err(instruction.error("the result is not a pointer")) }
    }

    fn cast_pointer(&mut self, pointer: Value, ty: Type) -> Value {
        match self.function.ty(pointer) == ty {
            true => pointer,
            false => self.build().convert(ConvertOp::AddressSpace, pointer, ty),
        }
    }

    fn bitcast(&mut self, instruction: &Instruction<'_>) -> Result<Value, Error> {
        let value = self.value_at(0, instruction)?;
        let (from, to) = (self.function.ty(value), self.result_value_type(instruction)?);
        Ok(match (from, to) {
            _ if from == to => value,
            (Type::Pointer(_), Type::Pointer(_)) => self.cast_pointer(value, to),
            (Type::Pointer(_), Type::I64) => self.build().convert(ConvertOp::PointerToInt, value, to),
            (Type::I64, Type::Pointer(_)) => self.build().convert(ConvertOp::IntToPointer, value, to),
            // Two words (SPIR-V 1.5).
            (Type::Pointer(_), Type::Vector(Scalar::I32, 2)) => {
                let address = self.build().convert(ConvertOp::PointerToInt, value, Type::I64);
                self.build().convert(ConvertOp::Bitcast, address, to)
            }
            (Type::Vector(Scalar::I32, 2), Type::Pointer(_)) => {
                let address = self.build().convert(ConvertOp::Bitcast, value, Type::I64);
                self.build().convert(ConvertOp::IntToPointer, address, to)
            }
            _ if from.scalar().is_some() && to.scalar().is_some() => {
                self.build().convert(ConvertOp::Bitcast, value, to)
            }
            _ => return Err(instruction.error("the operand does not suit the result")),
        })
    }

    /// A generic pointer in an address space, or null if it points elsewhere.
    fn explicit_cast(&mut self, instruction: &Instruction<'_>) -> Result<Value, Error> {
        let pointer = self.pointer(instruction.operand(0)?, instruction)?;
        let ty = self.pointer_result(instruction)?;
        let wanted = match ty {
            Type::Pointer(AddressSpace::Private) => 0,
            Type::Pointer(AddressSpace::Local) => 1,
            Type::Pointer(AddressSpace::Global) => 2,
            _ => return Err(instruction.error("generic pointers do not point to this address space")),
        };
        let space = self.space_number(pointer, instruction)?;
        let wanted = self.function.int(Type::I32, wanted);
        let fits = self.build().compare(CompareOp::Eq, space, wanted);
        let cast = self.cast_pointer(pointer, ty);
        let null = self.function.zero(ty);
        Ok(self.build().select(fits, cast, null))
    }

    /// The memory that a generic pointer points to, as memory semantics.
    fn semantics_of_pointer(&mut self, instruction: &Instruction<'_>) -> Result<Value, Error> {
        let pointer = self.pointer(instruction.operand(0)?, instruction)?;
        let space = self.space_number(pointer, instruction)?;
        let mut result = self.function.int(Type::I32, 0);
        for (number, semantics) in [(1, 0x100), (2, 0x200)] {
            let number = self.function.int(Type::I32, number);
            let semantics = self.function.int(Type::I32, semantics);
            let fits = self.build().compare(CompareOp::Eq, space, number);
            result = self.build().select(fits, semantics, result);
        }
        Ok(result)
    }
}
