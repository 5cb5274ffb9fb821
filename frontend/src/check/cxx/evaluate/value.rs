//! Values of expressions, by evaluating them.

use super::union::Access;
use super::{Evaluated, Flow, Machine, Pointer, Value, stop};
use crate::Span;
use crate::check::constant::{self, mask, to_float, to_integer};
use crate::hir::{ArithmeticOp, ComparisonOp, Constant, Conversion, Expr, ExprKind, Place};
use crate::types::{ScalarKind, TypeId};

/// What is said of a number that the type it is converted to does not have.
const OUT_OF_RANGE: &str = "a number does not fit into the type that it is converted to";

impl Machine<'_, '_> {
    pub(super) fn lanes(&mut self, expr: &Expr) -> Evaluated<Vec<u64>> {
        match self.value(expr)? {
            Value::Lanes(lanes) => Ok(lanes),
            Value::Pointer(Pointer { object: None, offset }) => Ok(vec![offset as u64]),
            _ => stop(expr.span, "it is not a number"),
        }
    }

    pub(super) fn truth(&mut self, expr: &Expr) -> Evaluated<bool> {
        Ok(self.lanes(expr)?.first().is_some_and(|bits| bits & 1 != 0))
    }

    pub(super) fn kind(&self, ty: TypeId, span: Span) -> Evaluated<(ScalarKind, u32)> {
        match self.cxx.types.as_arithmetic(ty) {
            Some(found) => Ok(found),
            None => stop(span, "it is not a number"),
        }
    }

    pub(super) fn value(&mut self, expr: &Expr) -> Evaluated<Value> {
        self.step(expr.span)?;
        stacker::maybe_grow(128 << 10, 2 << 20, || self.value_inner(expr))
    }

    pub(super) fn value_inner(&mut self, expr: &Expr) -> Evaluated<Value> {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Constant(constant) => self.constant_value(constant, expr.ty, span),
            ExprKind::Load(place) => self.load(place),
            ExprKind::AddressOf(place) => Ok(Value::Pointer(self.place(place, Access::Address)?)),
            ExprKind::Negate(operand) => {
                let (kind, _) = self.kind(operand.ty, span)?;
                let lanes = self.lanes(operand)?;
                let negate = |bits: u64| match kind.is_float() {
                    true => bits ^ (1 << (kind.scalar().bits() - 1)),
                    false => bits.wrapping_neg() & mask(kind),
                };
                Ok(Value::Lanes(lanes.into_iter().map(negate).collect()))
            }
            ExprKind::BitNot(operand) => {
                let (kind, _) = self.kind(operand.ty, span)?;
                let lanes = self.lanes(operand)?;
                Ok(Value::Lanes(lanes.into_iter().map(|bits| !bits & mask(kind)).collect()))
            }
            ExprKind::LogicalNot(operand) => {
                let truth = self.truth(operand)?;
                Ok(Value::Lanes(vec![u64::from(!truth)]))
            }
            ExprKind::Arithmetic { op, left, right } => self.arithmetic(*op, left, right, span),
            ExprKind::Compare { op, left, right } => self.compare(*op, left, right, expr.ty, span),
            ExprKind::Logical { and, left, right } => {
                let first = self.truth(left)?;
                let result = if first == *and { self.truth(right)? } else { first };
                Ok(Value::Lanes(vec![u64::from(result)]))
            }
            ExprKind::Conditional { condition, then, otherwise } => {
                if self.truth(condition)? {
                    self.value(then)
                } else {
                    self.value(otherwise)
                }
            }
            ExprKind::VectorSelect { condition, then, otherwise } => {
                self.selected_lanes(condition, then, otherwise, span)
            }
            ExprKind::Convert { conversion, operand } => self.convert(*conversion, operand, expr.ty, span),
            ExprKind::PointerAdd { pointer, index, subtract } => self.moved(pointer, index, *subtract, span),
            ExprKind::PointerDifference { left, right } => self.distance(left, right, span),
            ExprKind::Assign { target, value } => {
                let result = self.value(value)?;
                if self.cxx.union_assignments.contains(&span) {
                    // It may not give a value to another member than the one that has one.
                    self.place(target, Access::Read)?;
                }
                self.store(target, &result)?;
                Ok(result)
            }
            ExprKind::CompoundAssign { op, target, compute, value } => {
                self.compound(*op, target, *compute, value, span)
            }
            ExprKind::Increment { target, decrement, prefix } => {
                self.increment(target, *decrement, *prefix, span)
            }
            ExprKind::Comma(left, right) => {
                self.value(left)?;
                self.value(right)
            }
            ExprKind::Call { function, arguments } => self.call(*function, arguments, span),
            ExprKind::VectorLiteral(parts) => {
                let mut lanes = Vec::new();
                for part in parts {
                    lanes.extend(self.lanes(part)?);
                }
                Ok(Value::Lanes(lanes))
            }
            ExprKind::Swizzle { vector, lanes } => {
                let all = self.lanes(vector)?;
                let chosen = lanes.iter().map(|lane| all.get(usize::from(*lane)).copied());
                let chosen: Option<Vec<u64>> = chosen.collect();
                chosen.map(Value::Lanes).map_or_else(|| stop(span, "its value is not known"), Ok)
            }
            ExprKind::Statements { statements, value } => {
                match self.statements(statements)? {
                    Flow::Next => {}
                    _ => return stop(span, "a jump leaves an expression"),
                }
                match value {
                    Some(value) => self.value(value),
                    None => Ok(Value::Void),
                }
            }
            ExprKind::MemberOf { value, offset } => {
                let Value::Bytes(object) = self.value(value)? else { return stop(span, "not an object") };
                self.objects.push(object);
                let at = Pointer { object: Some(self.objects.len() - 1), offset: *offset as i64 };
                self.read(at, expr.ty, span)
            }
            ExprKind::Builtin(call) => {
                stop(span, format!("the built-in function '{}' is not evaluated at compile time", call.name))
            }
            ExprKind::Shuffle { .. } | ExprKind::Block(_) => {
                stop(span, "it is not evaluated at compile time")
            }
        }
    }

    /// A number, or a pointer that is one.
    fn constant_value(&self, constant: &Constant, ty: TypeId, span: Span) -> Evaluated<Value> {
        if self.cxx.types.pointee(ty).is_some() {
            let Constant::Bits(bits) = constant else { return stop(span, "not a pointer") };
            return Ok(Value::Pointer(Pointer { object: None, offset: *bits as i64 }));
        }
        Ok(Value::Lanes(constant::constant_lanes(constant)))
    }

    /// An operation on each lane.
    fn arithmetic(&mut self, op: ArithmeticOp, left: &Expr, right: &Expr, span: Span) -> Evaluated<Value> {
        let (kind, lanes) = self.kind(left.ty, span)?;
        let (a, b) = (self.lanes(left)?, self.lanes(right)?);
        if op == ArithmeticOp::Div && self.is_strict && kind.is_float() {
            let is_zero = |bits: &u64| bits & (mask(kind) >> 1) == 0;
            if b.iter().any(is_zero) {
                return stop(span, "a division by zero");
            }
        }
        let result = a.into_iter().zip(b).map(|(a, b)| operate(op, kind, a, b, lanes == 1, span));
        let result = result.collect::<Evaluated<Vec<u64>>>()?;
        let is_nan = |bits: &u64| kind.is_float() && to_float(kind, *bits).is_nan();
        if self.is_strict && result.iter().any(is_nan) {
            return stop(span, "the result is not a number (NaN)");
        }
        Ok(Value::Lanes(result))
    }

    /// The lanes of two vectors, by the signs of a third one's.
    fn selected_lanes(
        &mut self,
        condition: &Expr,
        then: &Expr,
        otherwise: &Expr,
        span: Span,
    ) -> Evaluated<Value> {
        let (kind, _) = self.kind(condition.ty, span)?;
        let sign = 1 << (kind.scalar().bits() - 1);
        let (c, a, b) = (self.lanes(condition)?, self.lanes(then)?, self.lanes(otherwise)?);
        let pick = |((c, a), b): ((u64, u64), u64)| if c & sign != 0 { a } else { b };
        Ok(Value::Lanes(c.into_iter().zip(a).zip(b).map(pick).collect()))
    }

    /// A pointer moved by some elements, within its object.
    fn moved(&mut self, pointer: &Expr, index: &Expr, subtract: bool, span: Span) -> Evaluated<Value> {
        let Value::Pointer(at) = self.value(pointer)? else { return stop(span, "not a pointer") };
        let (kind, _) = self.kind(index.ty, span)?;
        let index = to_integer(kind, self.lanes(index)?[0]);
        let target = self.cxx.types.pointee(pointer.ty).map(|(target, _)| target.ty);
        let size = target.and_then(|ty| self.cxx.types.layout(ty)).map_or(1, |(size, _)| size);
        let step = index * i128::from(size);
        let offset = i128::from(at.offset) + if subtract { -step } else { step };
        let end = at.object.map_or(0, |object| self.objects[object].bytes.len() as i128);
        if at.object.is_some() && !(0..=end).contains(&offset) {
            return stop(span, "a pointer leaves its object");
        }
        Ok(Value::Pointer(Pointer { offset: offset as i64, ..at }))
    }

    /// The elements between two pointers into one object.
    fn distance(&mut self, left: &Expr, right: &Expr, span: Span) -> Evaluated<Value> {
        let (Value::Pointer(a), Value::Pointer(b)) = (self.value(left)?, self.value(right)?) else {
            return stop(span, "not pointers");
        };
        if a.object != b.object {
            return stop(span, "pointers to different objects are subtracted");
        }
        let target = self.cxx.types.pointee(left.ty).map(|(target, _)| target.ty);
        let size = target.and_then(|ty| self.cxx.types.layout(ty)).map_or(1, |(size, _)| size.max(1));
        Ok(Value::Lanes(vec![((a.offset - b.offset) / size as i64) as u64]))
    }

    fn compare(
        &mut self,
        op: ComparisonOp,
        left: &Expr,
        right: &Expr,
        result: TypeId,
        span: Span,
    ) -> Evaluated<Value> {
        if self.cxx.types.pointee(left.ty).is_some() {
            let (Value::Pointer(a), Value::Pointer(b)) = (self.value(left)?, self.value(right)?) else {
                return stop(span, "not pointers");
            };
            let truth = match op {
                ComparisonOp::Equal => a == b,
                ComparisonOp::NotEqual => a != b,
                _ if a.object != b.object => {
                    return stop(span, "pointers to different objects are compared");
                }
                ComparisonOp::Less => a.offset < b.offset,
                ComparisonOp::LessEqual => a.offset <= b.offset,
                ComparisonOp::Greater => a.offset > b.offset,
                ComparisonOp::GreaterEqual => a.offset >= b.offset,
            };
            return Ok(Value::Lanes(vec![u64::from(truth)]));
        }
        let (kind, _) = self.kind(left.ty, span)?;
        let (result_kind, lanes) = self.kind(result, span)?;
        let yes = if lanes == 1 { 1 } else { mask(result_kind) };
        let (a, b) = (self.lanes(left)?, self.lanes(right)?);
        let compare = |(a, b)| if constant::compare(op, kind, a, b) { yes } else { 0 };
        Ok(Value::Lanes(a.into_iter().zip(b).map(compare).collect()))
    }

    pub(super) fn convert(
        &mut self,
        conversion: Conversion,
        operand: &Expr,
        to: TypeId,
        span: Span,
    ) -> Evaluated<Value> {
        let value = self.value(operand)?;
        Ok(match (conversion, value) {
            (Conversion::Discard, _) => Value::Void,
            (Conversion::Arithmetic, Value::Lanes(lanes)) => {
                let (from, _) = self.kind(operand.ty, span)?;
                let fits = |bits: &u64| constant::is_representable(&self.cxx.types, from, to, *bits);
                let (to, _) = self.kind(to, span)?;
                if self.is_strict && !lanes.iter().all(fits) {
                    return stop(span, OUT_OF_RANGE);
                }
                Value::Lanes(lanes.into_iter().map(|bits| constant::convert(from, to, bits)).collect())
            }
            (Conversion::Splat, Value::Lanes(lanes)) => {
                let (_, count) = self.kind(to, span)?;
                Value::Lanes(vec![lanes[0]; count as usize])
            }
            (Conversion::Pointer, Value::Pointer(_))
                if self.reinterprets(operand.ty, to) && !self.is_member_access(operand) =>
            {
                return stop(span, "an object is accessed as one of another type");
            }
            (Conversion::Pointer | Conversion::AddressSpace, value @ Value::Pointer(_)) => value,
            (Conversion::PointerToBool, Value::Pointer(pointer)) => {
                Value::Lanes(vec![u64::from(pointer.object.is_some() || pointer.offset != 0)])
            }
            (Conversion::PointerToInt, Value::Pointer(Pointer { object: None, offset })) => {
                Value::Lanes(vec![offset as u64])
            }
            (Conversion::IntToPointer, Value::Lanes(lanes)) => {
                Value::Pointer(Pointer { object: None, offset: lanes[0] as i64 })
            }
            (Conversion::Reinterpret, Value::Lanes(lanes)) => {
                match self.cxx.checker.reinterpret(&lanes, operand.ty, to) {
                    Some(constant::Value::Lanes(lanes)) => Value::Lanes(lanes),
                    _ => return stop(span, "its bits are not known at compile time"),
                }
            }
            _ => return stop(span, "this conversion is not evaluated at compile time"),
        })
    }

    /// Whether a pointer is that to a member of an object, at an offset that a pointer to a member gives.
    fn is_member_access(&self, pointer: &Expr) -> bool {
        let ExprKind::PointerAdd { pointer, .. } = &pointer.kind else { return false };
        let ExprKind::Convert { conversion: Conversion::Pointer, operand } = &pointer.kind else {
            return false;
        };
        let target = self.cxx.types.pointee(operand.ty);
        target.is_some_and(|(target, _)| self.cxx.record_of(target.ty).is_some())
    }

    /// Whether a pointer to a number becomes one to a number of another type.
    fn reinterprets(&self, from: TypeId, to: TypeId) -> bool {
        let types = &self.cxx.types;
        let number = |ty| types.pointee(ty).and_then(|(pointee, _)| types.as_arithmetic(pointee.ty));
        matches!((number(from), number(to)), (Some(from), Some(to)) if from != to)
    }

    fn compound(
        &mut self,
        op: ArithmeticOp,
        target: &Place,
        compute: TypeId,
        value: &Expr,
        span: Span,
    ) -> Evaluated<Value> {
        let operand = self.lanes(value)?;
        if let Some((pointee, _)) = self.cxx.types.pointee(target.ty.ty) {
            let Value::Pointer(at) = self.load(target)? else { return stop(span, "not a pointer") };
            let (kind, _) = self.kind(value.ty, span)?;
            let size = self.cxx.types.layout(pointee.ty).map_or(1, |(size, _)| size as i64);
            let step = to_integer(kind, operand[0]) as i64 * size;
            let offset = if op == ArithmeticOp::Sub { at.offset - step } else { at.offset + step };
            let result = Value::Pointer(Pointer { offset, ..at });
            self.store(target, &result)?;
            return Ok(result);
        }
        let (kind, lanes) = self.kind(compute, span)?;
        let (own, _) = self.kind(target.ty.ty, span)?;
        let Value::Lanes(before) = self.load(target)? else { return stop(span, "not a number") };
        let (is_strict, types) = (self.is_strict, &self.cxx.types);
        let result = before
            .into_iter()
            .zip(operand)
            .map(|(a, b)| {
                let a = constant::convert(own, kind, a);
                let result = operate(op, kind, a, b, lanes == 1, span)?;
                if is_strict && !constant::is_representable(types, kind, target.ty.ty, result) {
                    return stop(span, OUT_OF_RANGE);
                }
                Ok(constant::convert(kind, own, result))
            })
            .collect::<Evaluated<Vec<u64>>>()?;
        let result = Value::Lanes(result);
        self.store(target, &result)?;
        Ok(result)
    }

    fn increment(&mut self, target: &Place, decrement: bool, prefix: bool, span: Span) -> Evaluated<Value> {
        let before = self.load(target)?;
        let after = match &before {
            Value::Pointer(at) => {
                let pointee = self.cxx.types.pointee(target.ty.ty).map(|(pointee, _)| pointee.ty);
                let size =
                    pointee.and_then(|ty| self.cxx.types.layout(ty)).map_or(1, |(size, _)| size as i64);
                let offset = if decrement { at.offset - size } else { at.offset + size };
                Value::Pointer(Pointer { offset, ..*at })
            }
            Value::Lanes(lanes) => {
                let (kind, count) = self.kind(target.ty.ty, span)?;
                let one = constant::convert(ScalarKind::Int, kind, 1);
                let op = if decrement { ArithmeticOp::Sub } else { ArithmeticOp::Add };
                let result = lanes.iter().map(|bits| match kind {
                    ScalarKind::Bool => Ok(1),
                    _ => operate(op, kind, *bits, one, count == 1 && kind.size() >= 4, span),
                });
                Value::Lanes(result.collect::<Evaluated<_>>()?)
            }
            _ => return stop(span, "not a number"),
        };
        self.store(target, &after)?;
        Ok(if prefix { after } else { before })
    }
}

/// An operation; what overflows a signed type, or is undefined otherwise, is not constant.
fn operate(op: ArithmeticOp, kind: ScalarKind, a: u64, b: u64, checks: bool, span: Span) -> Evaluated<u64> {
    if checks && kind.is_signed() {
        let (x, y) = (to_integer(kind, a), to_integer(kind, b));
        let exact = match op {
            ArithmeticOp::Add => Some(x + y),
            ArithmeticOp::Sub => Some(x - y),
            ArithmeticOp::Mul => Some(x.wrapping_mul(y)),
            ArithmeticOp::Div if y != 0 => Some(x / y),
            _ => None,
        };
        if let Some(exact) = exact
            && to_integer(kind, exact as u64) != exact
        {
            return stop(span, "the value is out of range for its type");
        }
    }
    match constant::arithmetic(op, kind, a, b) {
        Some(result) => Ok(result),
        None => stop(span, "a division by zero"),
    }
}
