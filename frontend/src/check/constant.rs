//! Evaluation of constant expressions (C99 §6.6), on the HIR: integers, floating point, vectors, addresses of
//! variables of static storage duration, and values of initialised constants.

use super::Checker;
use crate::hir::{
    ArithmeticOp, ComparisonOp, Constant, Conversion, Expr, ExprKind, GlobalId, Place, PlaceKind,
};
use crate::types::{QualifiedType, ScalarKind, TypeId, TypeKind, Types};
use clvk_ir::AddressSpace;
use half::f16;
use std::cmp::Ordering;

/// The value of a constant expression.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    /// Bit patterns, one per lane.
    Lanes(Vec<u64>),
    /// An address: of a variable, or absolute.
    Address(Option<GlobalId>, i64),
}

impl Value {
    fn scalar(bits: u64) -> Self {
        Value::Lanes(vec![bits])
    }

    fn lanes(self) -> Option<Vec<u64>> {
        if let Value::Lanes(lanes) = self { Some(lanes) } else { None }
    }
}

/// The bits that a value of this kind may have set.
pub(super) fn mask(kind: ScalarKind) -> u64 {
    if kind == ScalarKind::Bool { 1 } else { kind.scalar().mask() }
}

/// A bit pattern as a number.
pub(super) fn to_integer(kind: ScalarKind, bits: u64) -> i128 {
    match kind {
        ScalarKind::Char => i128::from(bits as u8 as i8),
        ScalarKind::Short => i128::from(bits as u16 as i16),
        ScalarKind::Int => i128::from(bits as u32 as i32),
        ScalarKind::Long => i128::from(bits as i64),
        _ => i128::from(bits & mask(kind)),
    }
}

/// Whether a conversion has a value: a floating-point number, without its fraction, is one of an integer type
/// ([conv.fpint]), and a number is one of an enumeration ([expr.static.cast]/10).
pub(super) fn is_representable(types: &Types, from: ScalarKind, to: TypeId, bits: u64) -> bool {
    let Some((kind, _)) = types.as_arithmetic(to) else { return true };
    if let TypeKind::Enum(id) = types.kind(to)
        && let Some((low, high)) = types.enumeration(*id).range
        && from.is_integer()
    {
        return (low..=high).contains(&to_integer(from, bits));
    }
    if !from.is_float() || !kind.is_integer() || kind == ScalarKind::Bool {
        return true;
    }
    let number = to_float(from, bits).trunc();
    let width = 8 * kind.size() as i32 - i32::from(kind.is_signed());
    let least = if kind.is_signed() { -2f64.powi(width) } else { 0.0 };
    number >= least && number < 2f64.powi(width)
}

pub(super) fn to_float(kind: ScalarKind, bits: u64) -> f64 {
    match kind {
        ScalarKind::Half => f16::from_bits(bits as u16).to_f64(),
        ScalarKind::Float => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits),
    }
}

/// The bit pattern of a number, rounded to nearest.
pub(super) fn from_float(kind: ScalarKind, value: f64) -> u64 {
    match kind {
        ScalarKind::Half => u64::from(f16::from_f64(value).to_bits()),
        ScalarKind::Float => u64::from((value as f32).to_bits()),
        _ => value.to_bits(),
    }
}

/// Whether a value compares unequal to zero.
pub(super) fn is_true(kind: ScalarKind, bits: u64) -> bool {
    if kind.is_float() { to_float(kind, bits) != 0.0 } else { bits & mask(kind) != 0 }
}

/// A value converted to another arithmetic kind (C99 §6.3.1).
pub(super) fn convert(from: ScalarKind, to: ScalarKind, bits: u64) -> u64 {
    match (from.is_float(), to.is_float()) {
        _ if to == ScalarKind::Bool => u64::from(is_true(from, bits)),
        (false, false) => to_integer(from, bits) as u64 & mask(to),
        (false, true) => {
            let value = to_integer(from, bits);
            // Rounded only once: by way of double precision, an integer could be rounded twice.
            if to == ScalarKind::Float {
                u64::from((value as f32).to_bits())
            } else {
                from_float(to, value as f64)
            }
        }
        (true, false) => {
            let value = to_float(from, bits);
            (if to.is_signed() { value as i64 as u64 } else { value as i128 as u64 }) & mask(to)
        }
        (true, true) => {
            if from == to {
                bits
            } else {
                from_float(to, to_float(from, bits))
            }
        }
    }
}

/// An operation on numbers of one kind; `None` where C leaves it undefined.
pub(super) fn arithmetic(op: ArithmeticOp, kind: ScalarKind, a: u64, b: u64) -> Option<u64> {
    if kind.is_float() {
        return float_arithmetic(op, kind, a, b);
    }
    let (x, y) = (to_integer(kind, a), to_integer(kind, b));
    let count = (b & (u64::from(kind.scalar().bits()) - 1)) as u32;
    let result = match op {
        ArithmeticOp::Add => x + y,
        ArithmeticOp::Sub => x - y,
        ArithmeticOp::Mul => x.wrapping_mul(y),
        ArithmeticOp::Div => x.checked_div(y)?,
        ArithmeticOp::Rem => x.checked_rem(y)?,
        ArithmeticOp::Shl => x << count,
        ArithmeticOp::Shr => x >> count,
        ArithmeticOp::And => x & y,
        ArithmeticOp::Or => x | y,
        ArithmeticOp::Xor => x ^ y,
    };
    Some(result as u64 & mask(kind))
}

fn float_arithmetic(op: ArithmeticOp, kind: ScalarKind, a: u64, b: u64) -> Option<u64> {
    let (x, y) = (to_float(kind, a), to_float(kind, b));
    // Rounding the double result again to a narrower kind gives the correct result, because double has more
    // than twice its digits.
    let result = match op {
        ArithmeticOp::Add => x + y,
        ArithmeticOp::Sub => x - y,
        ArithmeticOp::Mul => x * y,
        ArithmeticOp::Div => x / y,
        _ => return None,
    };
    Some(from_float(kind, result))
}

pub(super) fn compare(op: ComparisonOp, kind: ScalarKind, a: u64, b: u64) -> bool {
    let order = if kind.is_float() {
        to_float(kind, a).partial_cmp(&to_float(kind, b))
    } else {
        Some(to_integer(kind, a).cmp(&to_integer(kind, b)))
    };
    match op {
        ComparisonOp::Equal => order == Some(Ordering::Equal),
        ComparisonOp::NotEqual => order != Some(Ordering::Equal),
        ComparisonOp::Less => order == Some(Ordering::Less),
        ComparisonOp::LessEqual => matches!(order, Some(Ordering::Less | Ordering::Equal)),
        ComparisonOp::Greater => order == Some(Ordering::Greater),
        ComparisonOp::GreaterEqual => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
    }
}

/// The value of a constant of the HIR as lanes.
pub(super) fn constant_lanes(constant: &Constant) -> Vec<u64> {
    match constant {
        Constant::Bits(bits) => vec![*bits],
        Constant::Lanes(lanes) => lanes.clone(),
    }
}

impl Checker<'_> {
    /// The value of an expression, if it is constant.
    pub(super) fn evaluate(&self, expr: &Expr) -> Option<Value> {
        match &expr.kind {
            ExprKind::Constant(constant) => {
                if self.types.pointee(expr.ty).is_some() {
                    let Constant::Bits(bits) = constant else { return None };
                    return Some(Value::Address(None, *bits as i64));
                }
                Some(Value::Lanes(constant_lanes(constant)))
            }
            ExprKind::AddressOf(place) => {
                let (global, offset) = self.address_of(place)?;
                Some(Value::Address(global, offset))
            }
            ExprKind::Load(place) => self.evaluate_load(place),
            ExprKind::Negate(operand) => self.map(operand, |kind, bits| {
                if kind.is_float() {
                    Some(bits ^ (1 << (kind.scalar().bits() - 1)))
                } else {
                    Some(bits.wrapping_neg() & mask(kind))
                }
            }),
            ExprKind::BitNot(operand) => self.map(operand, |kind, bits| Some(!bits & mask(kind))),
            ExprKind::LogicalNot(operand) => {
                self.map(operand, |kind, bits| Some(u64::from(!is_true(kind, bits))))
            }
            ExprKind::Arithmetic { op, left, right } => {
                self.zip(left, right, |kind, a, b| arithmetic(*op, kind, a, b))
            }
            ExprKind::Compare { op, left, right } => self.evaluate_compare(*op, left, right, expr.ty),
            ExprKind::Logical { and, left, right } => {
                let first = self.evaluate_bool(left)?;
                let result = if first == *and { self.evaluate_bool(right)? } else { first };
                Some(Value::scalar(u64::from(result)))
            }
            ExprKind::Conditional { condition, then, otherwise } => {
                if self.evaluate_bool(condition)? {
                    self.evaluate(then)
                } else {
                    self.evaluate(otherwise)
                }
            }
            ExprKind::VectorSelect { condition, then, otherwise } => {
                self.evaluate_select(condition, then, otherwise)
            }
            ExprKind::Convert { conversion, operand } => {
                self.evaluate_conversion(*conversion, operand, expr.ty)
            }
            ExprKind::PointerAdd { pointer, index, subtract } => {
                self.evaluate_pointer_add(pointer, index, *subtract)
            }
            ExprKind::VectorLiteral(parts) => {
                let mut lanes = Vec::new();
                for part in parts {
                    lanes.extend(self.evaluate(part)?.lanes()?);
                }
                Some(Value::Lanes(lanes))
            }
            ExprKind::Swizzle { vector, lanes } => {
                let all = self.evaluate(vector)?.lanes()?;
                lanes
                    .iter()
                    .map(|lane| all.get(usize::from(*lane)).copied())
                    .collect::<Option<_>>()
                    .map(Value::Lanes)
            }
            _ => None,
        }
    }

    fn map(&self, operand: &Expr, f: impl Fn(ScalarKind, u64) -> Option<u64>) -> Option<Value> {
        let (kind, _) = self.types.as_arithmetic(operand.ty)?;
        let lanes = self.evaluate(operand)?.lanes()?;
        lanes.into_iter().map(|bits| f(kind, bits)).collect::<Option<_>>().map(Value::Lanes)
    }

    fn zip(&self, a: &Expr, b: &Expr, f: impl Fn(ScalarKind, u64, u64) -> Option<u64>) -> Option<Value> {
        let (kind, _) = self.types.as_arithmetic(a.ty)?;
        let (a, b) = (self.evaluate(a)?.lanes()?, self.evaluate(b)?.lanes()?);
        a.into_iter().zip(b).map(|(a, b)| f(kind, a, b)).collect::<Option<_>>().map(Value::Lanes)
    }

    fn evaluate_bool(&self, expr: &Expr) -> Option<bool> {
        match self.evaluate(expr)? {
            Value::Lanes(lanes) => Some(lanes.first()? & 1 != 0),
            Value::Address(..) => None,
        }
    }

    fn evaluate_compare(&self, op: ComparisonOp, left: &Expr, right: &Expr, result: TypeId) -> Option<Value> {
        let (kind, lanes) = self.types.as_arithmetic(result)?;
        let yes = if lanes == 1 { 1 } else { mask(kind) };
        self.zip(left, right, |kind, a, b| Some(if compare(op, kind, a, b) { yes } else { 0 }))
    }

    fn evaluate_select(&self, condition: &Expr, then: &Expr, otherwise: &Expr) -> Option<Value> {
        let (kind, _) = self.types.as_arithmetic(condition.ty)?;
        let condition = self.evaluate(condition)?.lanes()?;
        let (then, otherwise) = (self.evaluate(then)?.lanes()?, self.evaluate(otherwise)?.lanes()?);
        let sign = 1 << (kind.scalar().bits() - 1);
        let choose = |((c, a), b): ((u64, u64), u64)| if c & sign != 0 { a } else { b };
        Some(Value::Lanes(condition.into_iter().zip(then).zip(otherwise).map(choose).collect()))
    }

    fn evaluate_conversion(&self, conversion: Conversion, operand: &Expr, to: TypeId) -> Option<Value> {
        let value = self.evaluate(operand)?;
        match conversion {
            Conversion::Arithmetic => {
                let (from, to) = (self.types.as_arithmetic(operand.ty)?.0, self.types.as_arithmetic(to)?.0);
                Some(Value::Lanes(value.lanes()?.into_iter().map(|bits| convert(from, to, bits)).collect()))
            }
            Conversion::Splat => {
                let lanes = self.types.as_arithmetic(to)?.1;
                Some(Value::Lanes(vec![*value.lanes()?.first()?; lanes as usize]))
            }
            Conversion::Pointer | Conversion::AddressSpace => Some(value),
            Conversion::IntToPointer => Some(Value::Address(None, *value.lanes()?.first()? as i64)),
            Conversion::PointerToInt => match value {
                Value::Address(None, offset) => Some(Value::scalar(offset as u64)),
                _ => None,
            },
            Conversion::PointerToBool => match value {
                Value::Address(None, offset) => Some(Value::scalar(u64::from(offset != 0))),
                _ => Some(Value::scalar(1)),
            },
            Conversion::Reinterpret => self.reinterpret(&value.lanes()?, operand.ty, to),
            Conversion::Discard => None,
        }
    }

    pub(super) fn reinterpret(&self, lanes: &[u64], from: TypeId, to: TypeId) -> Option<Value> {
        let mut bytes = Vec::new();
        self.write_lanes(from, lanes, &mut bytes)?;
        self.read_lanes(to, &bytes)
    }

    /// Appends the bytes of an arithmetic value. The bytes of other types, such as null events, are not known
    /// here.
    pub(super) fn write_lanes(&self, ty: TypeId, lanes: &[u64], bytes: &mut Vec<u8>) -> Option<()> {
        let (kind, _) = self.types.as_arithmetic(ty)?;
        for lane in lanes {
            bytes.extend_from_slice(&lane.to_le_bytes()[..kind.size() as usize]);
        }
        Some(())
    }

    fn read_lanes(&self, ty: TypeId, bytes: &[u8]) -> Option<Value> {
        let (kind, lanes) = self.types.as_arithmetic(ty)?;
        let size = kind.size() as usize;
        let read = |lane: usize| {
            let mut word = [0; 8];
            // If a vector of 3 is seen as one of 4, lane 3 is any value; here zero.
            if let Some(part) = bytes.get(lane * size..(lane + 1) * size) {
                word[..size].copy_from_slice(part);
            }
            u64::from_le_bytes(word)
        };
        Some(Value::Lanes((0..lanes as usize).map(read).collect()))
    }

    fn evaluate_pointer_add(&self, pointer: &Expr, index: &Expr, subtract: bool) -> Option<Value> {
        let Value::Address(global, offset) = self.evaluate(pointer)? else { return None };
        let (kind, _) = self.types.as_arithmetic(index.ty)?;
        let index = to_integer(kind, *self.evaluate(index)?.lanes()?.first()?);
        let size = i128::from(self.types.layout(self.types.pointee(pointer.ty)?.0.ty)?.0);
        let step = index.checked_mul(size)?;
        let step = if subtract { -step } else { step };
        let offset = i64::try_from(i128::from(offset).checked_add(step)?).ok()?;
        Some(Value::Address(global, offset))
    }

    /// The address of an object of static storage duration.
    fn address_of(&self, place: &Place) -> Option<(Option<GlobalId>, i64)> {
        match &place.kind {
            PlaceKind::Global(id) => Some((Some(*id), 0)),
            PlaceKind::Member(base, offset) => {
                let (global, base) = self.address_of(base)?;
                Some((global, base.checked_add(i64::try_from(*offset).ok()?)?))
            }
            PlaceKind::Deref(pointer) => match self.evaluate(pointer)? {
                Value::Address(global, offset) => Some((global, offset)),
                Value::Lanes(_) => None,
            },
            PlaceKind::Local(_)
            | PlaceKind::Swizzle(..)
            | PlaceKind::MatrixElement(..)
            | PlaceKind::CompoundLiteral(..) => None,
        }
    }

    /// Whether variables of this type may occur in constant expressions if their initialiser is constant.
    pub(super) fn is_constant_integer(&self, ty: QualifiedType) -> bool {
        let is_integer = self.types.as_scalar(ty.ty).is_some_and(ScalarKind::is_integer);
        is_integer && ty.qualifiers.is_const && !ty.qualifiers.is_volatile
    }

    /// The value of an initialised variable that never changes.
    fn evaluate_load(&self, place: &Place) -> Option<Value> {
        if let PlaceKind::Swizzle(vector, lanes) = &place.kind {
            let all = self.evaluate_load(vector)?.lanes()?;
            return lanes
                .iter()
                .map(|lane| all.get(usize::from(*lane)).copied())
                .collect::<Option<_>>()
                .map(Value::Lanes);
        }
        if let PlaceKind::Local(id) = place.kind {
            return self.current.as_ref()?.constants.get(&id).copied().map(Value::scalar);
        }
        let (Some(global), offset) = self.address_of(place)? else { return None };
        let global = &self.globals[global.0 as usize];
        if global.space != AddressSpace::Constant
            && (global.space != AddressSpace::Global || !self.is_constant_integer(global.ty))
        {
            return None;
        }
        let data = global.initializer.as_ref()?;
        let start = usize::try_from(offset).ok()?;
        let end = start.checked_add(usize::try_from(self.types.layout(place.ty.ty)?.0).ok()?)?;
        if data.pointers.iter().any(|(at, _, _)| (start as u64..end as u64).contains(at)) {
            return None;
        }
        self.read_lanes(place.ty.ty, data.bytes.get(start..end)?)
    }
}

#[cfg(test)]
mod tests {
    use super::{arithmetic, convert, from_float, to_integer};
    use crate::hir::ArithmeticOp::{Add, Div, Shl, Shr};
    use crate::types::ScalarKind::{Bool, Char, Float, Half, Int, Long, UChar, UInt, ULong};

    #[test]
    fn integers_wrap_and_extend() {
        assert_eq!(arithmetic(Add, UInt, 0xFFFF_FFFF, 1), Some(0));
        assert_eq!(arithmetic(Shr, Int, 0x8000_0000, 31), Some(0xFFFF_FFFF));
        assert_eq!(arithmetic(Shl, Int, 1, 33), Some(2));
        assert_eq!(arithmetic(Div, Int, 1, 0), None);
        assert_eq!(to_integer(Char, 0xFF), -1);
        assert_eq!(convert(Char, ULong, 0x80), 0xFFFF_FFFF_FFFF_FF80);
        assert_eq!(convert(Int, Bool, 4), 1);
    }

    #[test]
    fn floats_round_once() {
        assert_eq!(convert(Long, Float, (1 << 24) + 1), u64::from(16_777_216.0f32.to_bits()));
        assert_eq!(from_float(Half, 65504.0), 0x7BFF);
        assert_eq!(convert(Float, UChar, from_float(Float, 200.7)), 200);
        assert_eq!(convert(Float, Int, from_float(Float, -1.5)), 0xFFFF_FFFF);
        assert_eq!(convert(Float, Half, from_float(Float, 1.0)), 0x3C00);
    }
}
