//! Conversions (OpenCL C §6.4).

use super::function::FunctionLowering;
use crate::hir::{Conversion, Expr, arithmetic};
use crate::types::{ScalarKind, TypeId};
use clvk_ir::{CompareOp, ConvertOp, MathOp, RoundingMode, Scalar, Type, UnaryOp, Value};

impl<'p> FunctionLowering<'_, 'p> {
    /// An explicit or implicit conversion; `None` for a conversion to `void`.
    pub fn conversion(&mut self, conversion: Conversion, operand: &'p Expr, to: TypeId) -> Option<Value> {
        if conversion == Conversion::Discard {
            self.effect(operand);
            return None;
        }
        let value = self.value(operand);
        Some(match conversion {
            Conversion::Discard => unreachable!("done above"),
            Conversion::Arithmetic => {
                let (from, _) = arithmetic(&self.lowering.program.types, operand.ty);
                let (to, _) = arithmetic(&self.lowering.program.types, to);
                self.convert_arithmetic(value, from, to)
            }
            Conversion::Splat => {
                let lanes = arithmetic(&self.lowering.program.types, to).1;
                self.build().splat(value, lanes)
            }
            Conversion::Pointer => value,
            Conversion::AddressSpace => {
                let to = self.lowering.value_type(to).expect("a pointer is a value");
                if self.function.ty(value) == to {
                    value
                } else {
                    self.build().convert(ConvertOp::AddressSpace, value, to)
                }
            }
            Conversion::PointerToInt => {
                let (to, _) = arithmetic(&self.lowering.program.types, to);
                let address = self.build().convert(ConvertOp::PointerToInt, value, Type::I64);
                self.convert_arithmetic(address, ScalarKind::ULong, to)
            }
            Conversion::IntToPointer => {
                let (from, _) = arithmetic(&self.lowering.program.types, operand.ty);
                let to = self.lowering.value_type(to).expect("a pointer is a value");
                let address = self.convert_arithmetic(value, from, ScalarKind::ULong);
                match self.function.as_bits(address) {
                    Some(0) => self.function.zero(to),
                    _ => self.build().convert(ConvertOp::IntToPointer, address, to),
                }
            }
            Conversion::PointerToBool => {
                let null = self.function.zero(self.function.ty(value));
                self.build().compare(CompareOp::Ne, value, null)
            }
            Conversion::Reinterpret => {
                let to = self.lowering.value_type(to).expect("as_type gives a value");
                self.reinterpret(value, to)
            }
        })
    }

    /// Between arithmetic types of the same number of lanes.
    pub fn convert_arithmetic(&mut self, value: Value, from: ScalarKind, to: ScalarKind) -> Value {
        if from == to {
            return value;
        }
        let ty = self.function.ty(value);
        let target = ty.with_scalar(to.scalar());
        if to == ScalarKind::Bool {
            let zero = self.function.zero(ty);
            let op = if from.is_float() { CompareOp::FUNe } else { CompareOp::Ne };
            return self.build().compare(op, value, zero);
        }
        if from == ScalarKind::Bool && to.is_float() {
            let int = self.build().convert(ConvertOp::ZeroExtend, value, ty.with_scalar(Scalar::I32));
            return self.build().convert(ConvertOp::UnsignedToFloat(RoundingMode::NearestEven), int, target);
        }
        let op = match (from.is_float(), to.is_float()) {
            (true, true) => ConvertOp::Float(RoundingMode::NearestEven),
            (true, false) if to.is_signed() => ConvertOp::FloatToSigned { saturating: false },
            (true, false) => ConvertOp::FloatToUnsigned { saturating: false },
            (false, true) if from.is_signed() => ConvertOp::SignedToFloat(RoundingMode::NearestEven),
            (false, true) => ConvertOp::UnsignedToFloat(RoundingMode::NearestEven),
            (false, false) => match from.scalar().bits().cmp(&to.scalar().bits()) {
                std::cmp::Ordering::Greater => ConvertOp::Truncate,
                std::cmp::Ordering::Equal => return value,
                std::cmp::Ordering::Less if from.is_signed() => ConvertOp::SignExtend,
                std::cmp::Ordering::Less => ConvertOp::ZeroExtend,
            },
        };
        self.build().convert(op, value, target)
    }

    /// `convert_<type>[_sat][_<rounding>]` (OpenCL C §6.4.3).
    pub fn explicit_conversion(
        &mut self,
        value: Value,
        from: ScalarKind,
        to: ScalarKind,
        saturating: bool,
        rounding: Option<RoundingMode>,
    ) -> Value {
        let target = self.function.ty(value).with_scalar(to.scalar());
        match (from.is_float(), to.is_float()) {
            (false, false) => {
                let value = if saturating { self.saturate_int(value, from, to) } else { value };
                self.convert_arithmetic(value, from, to)
            }
            (false, true) => {
                let rounding = rounding.unwrap_or(RoundingMode::NearestEven);
                let op = if from.is_signed() {
                    ConvertOp::SignedToFloat(rounding)
                } else {
                    ConvertOp::UnsignedToFloat(rounding)
                };
                self.build().convert(op, value, target)
            }
            (true, false) => {
                let rounded = match rounding {
                    None | Some(RoundingMode::TowardZero) => value,
                    Some(RoundingMode::NearestEven) => self.build().math(MathOp::RoundEven, &[value]),
                    Some(RoundingMode::TowardPositive) => self.build().math(MathOp::Ceil, &[value]),
                    Some(RoundingMode::TowardNegative) => self.build().math(MathOp::Floor, &[value]),
                };
                let op = if to.is_signed() {
                    ConvertOp::FloatToSigned { saturating }
                } else {
                    ConvertOp::FloatToUnsigned { saturating }
                };
                self.build().convert(op, rounded, target)
            }
            (true, true) if from == to => value,
            (true, true) => {
                let rounding = rounding.unwrap_or(RoundingMode::NearestEven);
                self.build().convert(ConvertOp::Float(rounding), value, target)
            }
        }
    }

    /// Clamps an integer to the range of another type, still in its own type.
    fn saturate_int(&mut self, value: Value, from: ScalarKind, to: ScalarKind) -> Value {
        use clvk_ir::BinaryOp::{SMax, SMin, UMin};
        let ty = self.function.ty(value);
        let (low, high) = range(to);
        let (from_low, from_high) = range(from);
        let mut value = value;
        if low > from_low {
            let bound = self.function.int(ty, low as i64);
            value = self.build().binary(SMax, value, bound);
        }
        if high < from_high {
            let bound = self.function.int(ty, high as i64);
            let op = if from.is_signed() { SMin } else { UMin };
            value = self.build().binary(op, value, bound);
        }
        value
    }

    /// The same bits as another type; 3 lanes count as 4, whose last is any value.
    pub fn reinterpret(&mut self, value: Value, to: Type) -> Value {
        let from = self.function.ty(value);
        if from == to {
            return value;
        }
        let padded = |ty: Type| match ty {
            Type::Vector(scalar, 3) => Type::Vector(scalar, 4),
            ty => ty,
        };
        let mut value = value;
        if padded(from) != from && from.access_size() != to.access_size() {
            value = self.swizzle(value, &[0, 1, 2, 255]);
        }
        let from = self.function.ty(value);
        let middle = if from.access_size() == to.access_size() { to } else { padded(to) };
        if from != middle {
            value = self.build().convert(ConvertOp::Bitcast, value, middle);
        }
        if middle == to { value } else { self.swizzle(value, &[0, 1, 2]) }
    }

    /// Truth values in the language's form: `int` 0 or 1 for scalars, lanes of 0 or −1 for vectors, and
    /// `bool` in OpenCL C++.
    pub fn truth(&mut self, condition: Value, result: TypeId) -> Value {
        let result = self.lowering.value_type(result).expect("truth values are integers");
        if result.is_bool() {
            return condition;
        }
        let op = if result.lanes() == 1 { ConvertOp::ZeroExtend } else { ConvertOp::SignExtend };
        self.build().convert(op, condition, result)
    }

    /// A truth value from the sign bit of each lane; lanes of `bool` are truth values.
    pub fn sign_bit(&mut self, value: Value) -> Value {
        if self.function.ty(value).is_bool() {
            return value;
        }
        let zero = self.function.zero(self.function.ty(value));
        self.build().compare(CompareOp::SLt, value, zero)
    }

    /// All bits inverted.
    pub fn not(&mut self, value: Value) -> Value {
        self.build().unary(UnaryOp::Not, value)
    }
}

/// Least and greatest value of an integer type.
fn range(kind: ScalarKind) -> (i128, i128) {
    let bits = kind.scalar().bits();
    if kind.is_signed() { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
}
