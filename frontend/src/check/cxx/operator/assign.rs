//! Prefix and postfix operators, and assignments ([expr.unary], [expr.ass]).

use crate::Span;
use crate::ast::{BinaryOp, PrefixOp};
use crate::check::cxx::Cxx;
use crate::check::cxx::expression::{Given, Value};
use crate::check::cxx::types::Type;
use crate::cxx::ast::{Expr as Ast, ExprKind, InitClause, InitClauseKind, Operator};
use crate::hir::{Expr, ExprKind as Hir, Place};
use crate::types::{ScalarKind, TypeKind};

impl Cxx<'_> {
    pub(in crate::check::cxx) fn prefix_expression(
        &mut self,
        op: PrefixOp,
        operand: &Ast,
        span: Span,
    ) -> Value {
        if op == PrefixOp::AddressOf
            && let ExprKind::Name(name) = &operand.kind
            && let Some(value) = self.address_of_member(name, span)
        {
            return value;
        }
        let discards = std::mem::take(&mut self.discards);
        let value = self.expression(operand);
        self.discards = discards && matches!(op, PrefixOp::Increment | PrefixOp::Decrement);
        let value = self.prefix_of(op, value, span);
        self.discards = false;
        value
    }

    pub(in crate::check::cxx) fn prefix_of(&mut self, op: PrefixOp, value: Value, span: Span) -> Value {
        if self.is_error(&value) {
            self.note_error();
            return self.error_value_of(span);
        }
        let operator = match op {
            PrefixOp::Increment => Operator::Increment,
            PrefixOp::Decrement => Operator::Decrement,
            op => Operator::Prefix(op),
        };
        if let Some(value) = self.overloaded(operator, std::slice::from_ref(&value), span) {
            return value;
        }
        match op {
            PrefixOp::AddressOf => self.address_expression(value, span),
            PrefixOp::Dereference => {
                let value = self.builtin_operand(value, span);
                let pointer = self.rvalue(value, span);
                Value::from(self.checker.dereference(pointer, span))
            }
            PrefixOp::Increment | PrefixOp::Decrement => {
                let decrement = op == PrefixOp::Decrement;
                let Some(place) = self.assignable(value, span) else { return self.error_value_of(span) };
                self.incremented(place, decrement, true, span)
            }
            PrefixOp::LogicalNot if self.types_vector(&value).is_none() => {
                let value = self.truth_of(value, span);
                if self.types.is_error(value.ty) {
                    return self.error_value_of(span);
                }
                let int = self.checker.int();
                let bool = self.checker.bool();
                let not = Expr { kind: Hir::LogicalNot(Box::new(value)), ty: int, span };
                Value::Expr(self.checker.convert_arithmetic(not, bool))
            }
            PrefixOp::Plus | PrefixOp::Minus | PrefixOp::BitNot | PrefixOp::LogicalNot => {
                let value = self.builtin_operand(value, span);
                let expr = self.operand_value(value, span);
                if op == PrefixOp::Plus && self.types.pointee(expr.ty).is_some() {
                    return Value::Expr(expr);
                }
                if self.is_scoped_enum(expr.ty) {
                    let text = self.type_text(expr.ty);
                    self.error(span, format!("invalid argument type '{text}' to unary expression"));
                    return self.error_value_of(span);
                }
                Value::Expr(self.checker.unary(op, expr, span))
            }
        }
    }

    pub(super) fn types_vector(&self, value: &Value) -> Option<(ScalarKind, u32)> {
        match value {
            Value::Functions(_) => None,
            value => self.types.as_vector(value.ty()),
        }
    }

    fn address_expression(&mut self, value: Value, span: Span) -> Value {
        match value {
            Value::Place(place) => {
                if matches!(place.kind, crate::hir::PlaceKind::Swizzle(..)) {
                    self.error(span, "address of vector element requested");
                    return self.error_value_of(span);
                }
                if self.types.is_parameter_only(place.ty.ty) {
                    let text = self.type_text(place.ty.ty);
                    self.error(
                        span,
                        format!("taking the address of an object of type '{text}' is not allowed"),
                    );
                    return self.error_value_of(span);
                }
                let mut address = self.checker.address(place);
                address.span = span;
                Value::Expr(address)
            }
            Value::Functions(set) => {
                let is_method = set.functions.iter().any(|id| self.function(*id).has_this());
                let message = if is_method {
                    "pointers to member functions are not allowed (C++ for OpenCL §2.1)"
                } else {
                    "taking address of function is not allowed (C++ for OpenCL §2.1)"
                };
                self.error(span, message);
                self.error_value_of(span)
            }
            value => {
                let text = self.text_of(self.type_of_value(&value));
                self.error(span, format!("cannot take the address of an rvalue of type '{text}'"));
                self.error_value_of(span)
            }
        }
    }

    /// An object that may be changed, or an error.
    fn assignable(&mut self, value: Value, span: Span) -> Option<Place> {
        let text = self.text_of(self.type_of_value(&value));
        let Value::Place(place) = value else {
            self.error(span, "expression is not assignable");
            return None;
        };
        if place.ty.qualifiers.is_const {
            self.error(span, format!("cannot assign to an object with const-qualified type '{text}'"));
            return None;
        }
        if place.space == clvk_ir::AddressSpace::Constant {
            self.error(
                span,
                format!("cannot assign to an object in the constant address space, of type '{text}'"),
            );
            return None;
        }
        if matches!(self.types.kind(place.ty.ty), TypeKind::Array { .. }) {
            self.error(span, format!("array type '{text}' is not assignable"));
            return None;
        }
        if let crate::hir::PlaceKind::Swizzle(_, lanes) = &place.kind
            && (1..lanes.len()).any(|index| lanes[..index].contains(&lanes[index]))
        {
            self.error(span, "vector is not assignable (contains duplicate components)");
            return None;
        }
        Some(place)
    }

    fn incremented(&mut self, place: Place, decrement: bool, prefix: bool, span: Span) -> Value {
        let discarded = std::mem::take(&mut self.discards);
        let ty = place.ty.ty;
        if let Some(value) = self.atomic_value(ty) {
            return self.atomic_increment(place, value, decrement, prefix, span);
        }
        let pointee = self.types.pointee(ty);
        let valid = match pointee {
            Some((target, _)) => {
                self.complete(target.ty, span, "operand") && self.types.layout(target.ty).is_some()
            }
            None => {
                // C++14 increments `bool`, but does not decrement it ([expr.pre.incr]); C++17 does neither.
                let counts_truths = self.options.is_opencl_cxx() && !decrement;
                self.types.as_arithmetic(ty).is_some_and(|(kind, lanes)| {
                    (lanes == 1 || kind.is_integer()) && (kind != ScalarKind::Bool || counts_truths)
                }) && !matches!(self.types.kind(ty), TypeKind::Enum(_))
            }
        };
        if !valid {
            let (what, text) = (if decrement { "decrement" } else { "increment" }, self.type_text(ty));
            self.error(span, format!("cannot {what} value of type '{text}'"));
            return self.error_value_of(span);
        }
        if !prefix {
            let kind = Hir::Increment { target: place, decrement, prefix };
            return Value::Expr(Expr { kind, ty, span });
        }
        if discarded {
            let kind = Hir::Increment { target: place, decrement, prefix };
            return Value::Expr(Expr { kind, ty, span });
        }
        let (prelude, place) = self.stable(place);
        let kind = Hir::Increment { target: place.clone(), decrement, prefix };
        let change = Expr { kind, ty, span };
        self.changed(prelude, change, place, span)
    }

    /// The object that an assignment gives, after the assignment.
    fn changed(&mut self, prelude: Option<Expr>, change: Expr, place: Place, span: Span) -> Value {
        let first = match prelude {
            Some(prelude) => {
                let ty = change.ty;
                Expr { kind: Hir::Comma(Box::new(prelude), Box::new(change)), ty, span }
            }
            None => change,
        };
        // In a statement nothing else is wanted of it; the value is loaded again otherwise.
        Value::Place(self.after_change(first, Place { span, ..place }))
    }

    fn after_change(&mut self, first: Expr, place: Place) -> Place {
        self.after(first, place)
    }

    pub(in crate::check::cxx) fn postfix(&mut self, increment: bool, operand: &Ast, span: Span) -> Value {
        let value = self.expression(operand);
        if self.is_error(&value) {
            self.note_error();
            return self.error_value_of(span);
        }
        let operator = if increment { Operator::Increment } else { Operator::Decrement };
        if self.is_overloadable(std::slice::from_ref(&value)) {
            let int = self.checker.int();
            let zero = Value::Expr(self.constant(0, int, span));
            if let Some(value) = self.overloaded(operator, &[value.clone(), zero], span) {
                return value;
            }
        }
        let Some(place) = self.assignable(value, span) else { return self.error_value_of(span) };
        self.incremented(place, !increment, false, span)
    }

    pub(in crate::check::cxx) fn assignment(
        &mut self,
        op: Option<BinaryOp>,
        target: &Ast,
        value: &InitClause,
        span: Span,
    ) -> Value {
        let discards = std::mem::take(&mut self.discards);
        let target = match indexed(target) {
            Some((base, index)) if op.is_none() && self.options.is_opencl_cxx() => {
                let object = self.expression(base);
                if self.is_image_object(&object) {
                    return self.store_in_image(object, index, value, span);
                }
                self.index_into(object, index, target.span)
            }
            _ => self.expression(target),
        };
        if self.is_error(&target) {
            if let InitClauseKind::Expr(expr) = &value.kind {
                _ = self.expression(expr);
            }
            self.note_error();
            return self.error_value_of(span);
        }
        let given = match &value.kind {
            InitClauseKind::Expr(expr) => Given::Value(self.expression(expr)),
            InitClauseKind::List(list) => Given::List(list.clone()),
        };
        self.discards = discards;
        let value = self.assignment_of(op, target, given, span);
        self.discards = false;
        value
    }

    /// `image[place] = color` of the library's images: no object could hold both image and place, so the
    /// method `write` is called.
    fn store_in_image(&mut self, image: Value, place: &InitClause, color: &InitClause, span: Span) -> Value {
        let symbol = self.checker.interner.intern("write");
        let given = vec![self.given_one(place), self.given_one(color)];
        self.call_member(image, symbol, given, span)
    }

    fn is_image_object(&self, value: &Value) -> bool {
        !matches!(value, Value::Functions(_))
            && self.record_of(value.ty()).is_some()
            && self.types.is_parameter_only(value.ty())
    }

    pub(in crate::check::cxx) fn assignment_of(
        &mut self,
        op: Option<BinaryOp>,
        target: Value,
        given: Given,
        span: Span,
    ) -> Value {
        let discards = std::mem::take(&mut self.discards);
        if let Given::Value(value) = &given
            && self.is_error(value)
        {
            self.note_error();
            return self.error_value_of(span);
        }
        let operator = Operator::Assign(op);
        let operands = vec![Given::Value(target.clone()), given.clone()];
        if op.is_none()
            && let Some(record) = self.record_of(target.ty())
        {
            return self.class_assignment(target, record, given, span);
        }
        if let Some(value) = self.overloaded_given(operator, &target, operands, span) {
            return value;
        }
        let Some(place) = self.assignable(target, span) else { return self.error_value_of(span) };
        let ty = place.ty.ty;
        if matches!(self.types.kind(ty), TypeKind::Image(_)) {
            let text = self.type_text(ty);
            self.error(span, format!("an object of type '{text}' cannot be assigned to"));
            return self.error_value_of(span);
        }
        let value = match given {
            Given::Value(value) => value,
            Given::List(list) => {
                let init = self.list_initialize(Type::of(ty), &list, true);
                Value::Expr(self.value_of_init(ty, init, list.span))
            }
        };
        let at = value.span();
        if let Some(plain) = self.atomic_value(ty) {
            return self.atomic_assignment(op, place, plain, value, span);
        }
        let (mut prelude, place) = if discards { (None, place) } else { self.stable(place) };
        let change = match op {
            None => {
                let converted = self.implicit(value, ty, at, "assigning to");
                if self.types.is_error(converted.ty) {
                    return self.error_value_of(span);
                }
                let value;
                (prelude, value) = self.before_designation(prelude, converted);
                self.note_union_assignment(&place, span);
                self.store(place.clone(), value, span)
            }
            Some(op) => {
                let value = self.builtin_operand(value, at);
                let operand_value = self.operand_value(value, at);
                let right = operand_value.ty;
                if self.types.is_error(right) || self.is_scoped_enum(right) || self.is_scoped_enum(ty) {
                    if !self.types.is_error(right) {
                        let (a, b) = (self.type_text(ty), self.type_text(right));
                        self.error(span, format!("invalid operands to binary expression ('{a}' and '{b}')"));
                    }
                    return self.error_value_of(span);
                }
                if matches!(self.types.kind(ty), TypeKind::Enum(_)) {
                    let text = self.type_text(ty);
                    self.error(span, format!("assigning to '{text}' from an incompatible integer type"));
                    return self.error_value_of(span);
                }
                let value;
                (prelude, value) = self.before_designation(prelude, operand_value);
                let operand = crate::check::expression::Operand::Place(place.clone());
                self.checker.compound_assignment(op, operand, value, span)
            }
        };
        if self.types.is_error(change.ty) {
            self.note_error();
            return self.error_value_of(span);
        }
        if discards {
            return Value::Expr(change);
        }
        self.changed(prelude, change, place, span)
    }

    /// `place = value` in the HIR, where both have one type.
    pub(in crate::check::cxx) fn store(&mut self, place: Place, value: Expr, span: Span) -> Expr {
        let hir = self.hir_type(place.ty.ty);
        let mut target = place;
        target.ty.ty = hir;
        let value = Box::new(Expr { ty: hir, ..value });
        Expr { kind: Hir::Assign { target, value }, ty: hir, span }
    }

    /// A value that is evaluated before something else: its evaluation, and what then gives it.
    pub(in crate::check::cxx) fn evaluated_first(&mut self, value: Expr) -> (Expr, Expr) {
        let (ty, span) = (self.hir_type(value.ty), value.span);
        let local = self.new_local(ty, span);
        let target = self.local_place(local, ty, span);
        let loaded = Expr { kind: Hir::Load(target.clone()), ty: value.ty, span };
        let first = Expr { kind: Hir::Assign { target, value: Box::new(Expr { ty, ..value }) }, ty, span };
        (first, loaded)
    }

    /// The right operand of an assignment, evaluated before the object is designated ([expr.ass]/1).
    pub(in crate::check::cxx) fn before_designation(
        &mut self,
        prelude: Option<Expr>,
        value: Expr,
    ) -> (Option<Expr>, Expr) {
        match prelude {
            Some(prelude) if !matches!(value.kind, Hir::Constant(_)) => {
                let (first, value) = self.evaluated_first(value);
                let (ty, span) = (prelude.ty, prelude.span);
                (Some(Expr { kind: Hir::Comma(Box::new(first), Box::new(prelude)), ty, span }), value)
            }
            prelude => (prelude, value),
        }
    }

    /// An object that can be designated twice: the part that has effects comes first.
    pub(in crate::check::cxx) fn stable(&mut self, place: Place) -> (Option<Expr>, Place) {
        if is_stable(&place) || self.frames.is_empty() {
            return (None, place);
        }
        if let crate::hir::PlaceKind::Swizzle(inner, lanes) = place.kind {
            let (prelude, inner) = self.stable(*inner);
            let kind = crate::hir::PlaceKind::Swizzle(Box::new(inner), lanes);
            return (prelude, Place { kind, ty: place.ty, space: place.space, span: place.span });
        }
        let (q, space, span) = (place.ty, place.space, place.span);
        let address = self.checker.address(place);
        let pointer = address.ty;
        let local = self.new_local(pointer, span);
        let holder = self.local_place(local, pointer, span);
        let target = holder.clone();
        let prelude = Expr { kind: Hir::Assign { target, value: Box::new(address) }, ty: pointer, span };
        let loaded = Expr { kind: Hir::Load(holder), ty: pointer, span };
        let kind = crate::hir::PlaceKind::Deref(Box::new(loaded));
        (Some(prelude), Place { kind, ty: q, space, span })
    }
}

/// The parts of `base[index]`, which may be in parentheses.
fn indexed(expr: &Ast) -> Option<(&Ast, &InitClause)> {
    match &expr.kind {
        ExprKind::Paren(inner) => indexed(inner),
        ExprKind::Index { base, index } => Some((base, index)),
        _ => None,
    }
}

/// Whether designating an object has no effects.
pub(in crate::check::cxx) fn is_stable(place: &Place) -> bool {
    use crate::hir::PlaceKind;
    match &place.kind {
        PlaceKind::Local(_) | PlaceKind::Global(_) => true,
        PlaceKind::Member(inner, _) | PlaceKind::Swizzle(inner, _) => is_stable(inner),
        // What a pointer points to may change before the object is designated again.
        PlaceKind::Deref(_) | PlaceKind::MatrixElement(..) | PlaceKind::CompoundLiteral(..) => false,
    }
}
