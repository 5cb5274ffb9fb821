//! Operators: those of classes, and the built-in ones ([over.oper], [expr]).

use super::expression::{Given, Value};
use super::function::Parameter;
use super::overload::Resolved;
use super::types::Type;
use super::{Cxx, FnId};
use crate::Span;
use crate::ast::{BinaryOp, PrefixOp};
use crate::cxx::ast::{Expr as Ast, ExprKind, FoldOp, InitClause, InitClauseKind, Operator};
use crate::hir::{ArithmeticOp, Conversion, Expr, ExprKind as Hir, Place};
use crate::symbol::Symbol;
use crate::types::{ScalarKind, TypeId, TypeKind};

impl Cxx<'_> {
    /// Whether operands make an operator a call of a function.
    fn is_overloadable(&self, operands: &[Value]) -> bool {
        operands.iter().any(|value| {
            !matches!(value, Value::Functions(_))
                && matches!(self.types.kind(value.ty()), TypeKind::Record(_) | TypeKind::Enum(_))
        })
    }

    /// A call of an operator function, if one takes the operands. The first operand may be the object.
    pub(super) fn overloaded(&mut self, operator: Operator, operands: &[Value], span: Span) -> Option<Value> {
        let given: Vec<Given> = operands.iter().cloned().map(Given::Value).collect();
        self.overloaded_given(operator, &operands[0], given, span)
    }

    pub(super) fn overloaded_given(
        &mut self,
        operator: Operator,
        first: &Value,
        given: Vec<Given>,
        span: Span,
    ) -> Option<Value> {
        let values: Vec<Value> = given
            .iter()
            .filter_map(|given| match given {
                Given::Value(value) => Some(value.clone()),
                Given::List(_) => None,
            })
            .collect();
        if !self.is_overloadable(&values) {
            return None;
        }
        let symbol = self.operator_symbol(operator);
        let mut members: Vec<FnId> = Vec::new();
        if let Some(record) = self.record_of(first.ty()) {
            self.require_complete(record, span);
            if let Some(super::scope::Entity::Functions(list)) =
                self.find_member(record, symbol).map(|found| found.entity)
            {
                members = list;
            }
        }
        let only_members =
            matches!(operator, Operator::Assign(None) | Operator::Call | Operator::Index | Operator::Arrow);
        let mut free: Vec<FnId> = Vec::new();
        if !only_members {
            // Members of the class around do not take part ([over.match.oper]/3).
            let mut at = Some(self.scope);
            while let Some(scope) = at {
                let kind = self.scope_ref(scope).kind;
                if !matches!(kind, super::scope::ScopeKind::Class(_))
                    && let Some(super::scope::Entity::Functions(list)) =
                        self.find_in(scope, symbol).map(|found| found.entity)
                {
                    free = list;
                    break;
                }
                at = self.scope_ref(scope).parent;
            }
            let types: Vec<TypeId> = values.iter().map(Value::ty).collect();
            for id in self.argument_dependent(symbol, &types) {
                if !free.contains(&id) {
                    free.push(id);
                }
            }
            free.retain(|id| self.function(*id).class.is_none());
        }
        if members.is_empty() && free.is_empty() {
            return None;
        }
        let (best, is_member) = self.best_operator(&members, &free, first, &given);
        let all: Vec<FnId> = members.iter().chain(&free).copied().collect();
        match best {
            Resolved::One(id) => {
                if !is_member && self.prefers_builtin(id, operator, &given) {
                    return None;
                }
                if is_member {
                    let rest = given[1..].to_vec();
                    return Some(self.call_chosen(id, Some(first.clone()), rest, span));
                }
                Some(self.call_chosen(id, None, given, span))
            }
            Resolved::None => None,
            ambiguous => {
                let text = self.owned(symbol);
                self.report_resolution(&format!("'{text}'"), &ambiguous, &all, None, &given, span);
                Some(self.error_value_of(span))
            }
        }
    }

    fn call_chosen(&mut self, id: FnId, object: Option<Value>, given: Vec<Given>, span: Span) -> Value {
        let function = self.function(id);
        if let Some(class) = function.class
            && !self.may_access(class, function.access)
        {
            let text = self.function_text(id);
            self.error(span, format!("'{text}' is a private member"));
        }
        self.call_function(id, object, given, span)
    }

    /// The best of methods and other functions; methods take the first operand as their object.
    fn best_operator(
        &mut self,
        members: &[FnId],
        free: &[FnId],
        first: &Value,
        given: &[Given],
    ) -> (Resolved, bool) {
        let member = self.resolve_overload(members, Some(first), &given[1..], None);
        let other = self.resolve_overload(free, None, given, None);
        match (&member, &other) {
            (Resolved::None, _) => (other, false),
            (_, Resolved::None) => (member, true),
            (Resolved::One(a), Resolved::One(b)) => {
                // Both can be called: compare the conversions of the first operand, then of the others.
                let object = self.takes_object(*a, first);
                let params: Vec<Type> = self.function(*b).params.iter().map(|param| param.ty).collect();
                let theirs = params.first().and_then(|ty| self.sequence(&given[0], *ty, true));
                let mine = self.function(*a).params.first().map(|param| param.ty);
                let second = match (mine, params.get(1), given.get(1)) {
                    (Some(mine), Some(ty), Some(given)) => {
                        let (a, b) = (self.sequence(given, mine, true), self.sequence(given, *ty, true));
                        match (a, b) {
                            (Some(a), Some(b)) => a.better(&b),
                            _ => None,
                        }
                    }
                    _ => None,
                };
                let first = match (object, theirs) {
                    (Some(a), Some(b)) => a.better(&b),
                    _ => None,
                };
                match (first, second) {
                    (Some(true), None | Some(true)) | (None, Some(true)) => (member, true),
                    (Some(false), None | Some(false)) | (None, Some(false)) => (other, false),
                    _ => match (self.function(*a).instance.is_some(), self.function(*b).instance.is_some()) {
                        (false, true) => (member, true),
                        (true, false) => (other, false),
                        _ => (Resolved::Ambiguous(vec![*a, *b]), true),
                    },
                }
            }
            _ => (member, true),
        }
    }

    /// Whether the built-in operator fits better than a function that needs conversions: of enumerations only.
    fn prefers_builtin(&mut self, id: FnId, _operator: Operator, given: &[Given]) -> bool {
        let has_class = given
            .iter()
            .any(|given| matches!(given, Given::Value(value) if self.record_of(value.ty()).is_some()));
        !has_class && !self.is_close(id, given)
    }

    /// An operand of a built-in operator: an object of a class becomes a number or pointer.
    fn builtin_operand(&mut self, value: Value, span: Span) -> Value {
        let Some(record) = self.record_of(value.ty()) else { return value };
        let mut list = self.conversions_of(record);
        list.retain(|id| !self.function(*id).is_explicit && self.function(*id).template.is_none());
        list.retain(|id| self.takes_object(*id, &value).is_some());
        match list.as_slice() {
            [only] => self.converted_by(*only, value, span),
            [a, b] if self.function(*a).result == self.function(*b).result => {
                let id = if self.function(*a).this_qualifiers.is_const { *b } else { *a };
                self.converted_by(id, value, span)
            }
            _ => value,
        }
    }

    /// The value of an operand, as a number where it is an unscoped enumeration.
    fn operand_value(&mut self, value: Value, span: Span) -> Expr {
        let expr = self.rvalue(value, span);
        match *self.types.kind(expr.ty) {
            TypeKind::Enum(_) if !self.is_scoped_enum(expr.ty) => {
                let kind = self.types.as_scalar(expr.ty).unwrap_or(ScalarKind::Int);
                let ty = self.types.scalar(kind);
                self.checker.convert_arithmetic(expr, ty)
            }
            TypeKind::Nullptr => {
                let hir = self.hir_type(expr.ty);
                Expr { ty: hir, ..expr }
            }
            _ => expr,
        }
    }

    pub(super) fn binary(
        &mut self,
        op: BinaryOp,
        op_span: Span,
        left: &Ast,
        right: &Ast,
        span: Span,
    ) -> Value {
        let first = self.expression(left);
        let is_short = matches!(op, BinaryOp::LogicalAnd | BinaryOp::LogicalOr);
        let second = match is_short {
            true => self.conditionally(|cxx| cxx.expression(right)),
            false => self.expression(right),
        };
        self.binary_of(op, op_span, first, second, span)
    }

    pub(super) fn binary_of(
        &mut self,
        op: BinaryOp,
        op_span: Span,
        first: Value,
        second: Value,
        span: Span,
    ) -> Value {
        if self.is_error(&first) || self.is_error(&second) {
            self.note_error();
            return self.error_value_of(span);
        }
        if let Some(value) = self.overloaded(Operator::Binary(op), &[first.clone(), second.clone()], span) {
            return value;
        }
        let (left_span, right_span) = (first.span(), second.span());
        if matches!(op, BinaryOp::LogicalAnd | BinaryOp::LogicalOr)
            && self.types.as_vector(first.ty()).is_none()
            && (matches!(second, Value::Functions(_)) || self.types.as_vector(second.ty()).is_none())
        {
            let (a, b) = (self.truth_of(first, left_span), self.truth_of(second, right_span));
            let int = self.checker.int();
            let bool = self.checker.bool();
            if self.types.is_error(a.ty) || self.types.is_error(b.ty) {
                return self.error_value_of(span);
            }
            let and = op == BinaryOp::LogicalAnd;
            let kind = Hir::Logical { and, left: Box::new(a), right: Box::new(b) };
            let value = Expr { kind, ty: int, span };
            return Value::Expr(self.checker.convert_arithmetic(value, bool));
        }
        let first = self.builtin_operand(first, left_span);
        let second = self.builtin_operand(second, right_span);
        if let Some(value) = self.compared_specially(op, &first, &second, span) {
            return value;
        }
        let (a, b) = (self.operand_value(first, left_span), self.operand_value(second, right_span));
        if self.types.is_error(a.ty) || self.types.is_error(b.ty) {
            self.note_error();
            return self.error_value_of(span);
        }
        let is_number = |cxx: &Self, ty: TypeId| {
            !matches!(cxx.types.kind(ty), TypeKind::Record(_) | TypeKind::Enum(_))
                || matches!(cxx.types.kind(ty), TypeKind::Enum(_)) && !cxx.is_scoped_enum(ty)
        };
        let is_comparison = matches!(
            op,
            BinaryOp::Less
                | BinaryOp::Greater
                | BinaryOp::LessEqual
                | BinaryOp::GreaterEqual
                | BinaryOp::Equal
                | BinaryOp::NotEqual
        );
        let same_enum = a.ty == b.ty && is_comparison && self.types.as_scalar(a.ty).is_some();
        if !(same_enum || is_number(self, a.ty) && is_number(self, b.ty)) {
            self.checker.invalid_operands(&a, &b, span);
            self.note_error();
            return self.error_value_of(span);
        }
        let (a, b) = self.common_pointers(a, b, is_comparison);
        if is_comparison
            && (self.types.pointee(a.ty).is_some() != self.types.pointee(b.ty).is_some())
            && !self.checker.is_null_constant(&a)
            && !self.checker.is_null_constant(&b)
        {
            let (x, y) = (self.type_text(a.ty), self.type_text(b.ty));
            self.error(span, format!("comparison between pointer and integer ('{x}' and '{y}')"));
            return self.error_value_of(span);
        }
        let value = self.checker.operation((op, op_span), a, b, span);
        Value::Expr(self.as_truth(value, is_comparison))
    }

    /// Comparisons of scalars are of type `bool` in C++.
    fn as_truth(&mut self, value: Expr, is_truth: bool) -> Expr {
        if !is_truth || self.types.as_scalar(value.ty).is_none() {
            return value;
        }
        let bool = self.checker.bool();
        self.checker.convert_arithmetic(value, bool)
    }

    /// Pointers to a class and to its base, compared as pointers to the base.
    fn common_pointers(&mut self, a: Expr, b: Expr, is_comparison: bool) -> (Expr, Expr) {
        let (Some((x, x_space)), Some((y, y_space))) = (self.types.pointee(a.ty), self.types.pointee(b.ty))
        else {
            return (a, b);
        };
        if !is_comparison || x.ty == y.ty {
            return (a, b);
        }
        if let (Some(derived), Some(base)) = (self.record_of(x.ty), self.record_of(y.ty)) {
            if self.base_offset(derived, base).is_some() {
                let to = self.types.pointer(y, x_space);
                return (self.convert_standard(a, to, false), b);
            }
            if self.base_offset(base, derived).is_some() {
                let to = self.types.pointer(x, y_space);
                return (a, self.convert_standard(b, to, false));
            }
        }
        (a, b)
    }

    /// Comparisons of `nullptr` and of pointers to members.
    fn compared_specially(&mut self, op: BinaryOp, a: &Value, b: &Value, span: Span) -> Option<Value> {
        if !matches!(op, BinaryOp::Equal | BinaryOp::NotEqual) {
            return None;
        }
        if matches!(a, Value::Functions(_)) || matches!(b, Value::Functions(_)) {
            return None;
        }
        let is_nullptr = |cxx: &Self, value: &Value| matches!(cxx.types.kind(value.ty()), TypeKind::Nullptr);
        if is_nullptr(self, a) && is_nullptr(self, b) {
            return Some(Value::Expr(self.truth_value(op == BinaryOp::Equal, span)));
        }
        let member = |cxx: &Self, value: &Value| match cxx.types.kind(value.ty()) {
            TypeKind::MemberPointer { .. } => Some(value.ty()),
            _ => None,
        };
        let ty = member(self, a).or_else(|| member(self, b))?;
        let (a_null, b_null) = (self.is_null(a), self.is_null(b));
        let (a, b) = (self.rvalue(a.clone(), span), self.rvalue(b.clone(), span));
        let (a, b) = (self.convert_standard(a, ty, a_null), self.convert_standard(b, ty, b_null));
        let long = self.types.scalar(ScalarKind::Long);
        let value = self.checker.operation((op, span), Expr { ty: long, ..a }, Expr { ty: long, ..b }, span);
        Some(Value::Expr(self.as_truth(value, true)))
    }

    pub(super) fn prefix_expression(&mut self, op: PrefixOp, operand: &Ast, span: Span) -> Value {
        if op == PrefixOp::AddressOf {
            if let ExprKind::Name(name) = &operand.kind
                && let Some(value) = self.address_of_member(name, span)
            {
                return value;
            }
        }
        let discards = std::mem::take(&mut self.discards);
        let value = self.expression(operand);
        self.discards = discards && matches!(op, PrefixOp::Increment | PrefixOp::Decrement);
        let value = self.prefix_of(op, value, span);
        self.discards = false;
        value
    }

    pub(super) fn prefix_of(&mut self, op: PrefixOp, value: Value, span: Span) -> Value {
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

    fn types_vector(&self, value: &Value) -> Option<(ScalarKind, u32)> {
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
        Some(place)
    }

    fn incremented(&mut self, place: Place, decrement: bool, prefix: bool, span: Span) -> Value {
        let discarded = std::mem::take(&mut self.discards);
        let ty = place.ty.ty;
        let pointee = self.types.pointee(ty);
        let valid = match pointee {
            Some((target, _)) => {
                self.complete(target.ty, span, "operand") && self.types.layout(target.ty).is_some()
            }
            None => {
                self.types.as_arithmetic(ty).is_some_and(|(kind, lanes)| {
                    (lanes == 1 || kind.is_integer()) && kind != ScalarKind::Bool
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

    pub(super) fn postfix(&mut self, increment: bool, operand: &Ast, span: Span) -> Value {
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

    pub(super) fn assignment(
        &mut self,
        op: Option<BinaryOp>,
        op_span: Span,
        target: &Ast,
        value: &InitClause,
        span: Span,
    ) -> Value {
        let discards = std::mem::take(&mut self.discards);
        let target = self.expression(target);
        if self.is_error(&target) {
            self.note_error();
            return self.error_value_of(span);
        }
        let given = match &value.kind {
            InitClauseKind::Expr(expr) => Given::Value(self.expression(expr)),
            InitClauseKind::List(list) => Given::List(list.clone()),
        };
        self.discards = discards;
        let value = self.assignment_of(op, op_span, target, given, span);
        self.discards = false;
        value
    }

    pub(super) fn assignment_of(
        &mut self,
        op: Option<BinaryOp>,
        _op_span: Span,
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
        let value = match given {
            Given::Value(value) => value,
            Given::List(list) => {
                let init = self.list_initialize(Type::of(ty), &list, true);
                Value::Expr(self.value_of_init(ty, init, list.span))
            }
        };
        let at = value.span();
        let (prelude, place) = if discards { (None, place) } else { self.stable(place) };
        let change = match op {
            None => {
                let value = self.implicit(value, ty, at, "assigning to");
                if self.types.is_error(value.ty) {
                    return self.error_value_of(span);
                }
                self.store(place.clone(), value, span)
            }
            Some(op) => {
                let value = self.builtin_operand(value, at);
                let value = self.operand_value(value, at);
                if self.types.is_error(value.ty) || self.is_scoped_enum(value.ty) || self.is_scoped_enum(ty) {
                    if !self.types.is_error(value.ty) {
                        let (a, b) = (self.type_text(ty), self.type_text(value.ty));
                        self.error(span, format!("invalid operands to binary expression ('{a}' and '{b}')"));
                    }
                    return self.error_value_of(span);
                }
                if matches!(self.types.kind(ty), TypeKind::Enum(_)) {
                    let text = self.type_text(ty);
                    self.error(span, format!("assigning to '{text}' from an incompatible integer type"));
                    return self.error_value_of(span);
                }
                let operand = super::super::expression::Operand::Place(place.clone());
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
    pub(super) fn store(&mut self, place: Place, value: Expr, span: Span) -> Expr {
        let hir = self.hir_type(place.ty.ty);
        let mut target = place;
        target.ty.ty = hir;
        let value = Box::new(Expr { ty: hir, ..value });
        Expr { kind: Hir::Assign { target, value }, ty: hir, span }
    }

    /// An object that can be designated twice: the part that has effects comes first.
    pub(super) fn stable(&mut self, place: Place) -> (Option<Expr>, Place) {
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

    pub(super) fn conditional(&mut self, condition: &Ast, then: &Ast, otherwise: &Ast, span: Span) -> Value {
        let test = self.expression(condition);
        if self.types_vector(&test).is_some() {
            let test = self.rvalue(test, condition.span);
            let a = self.value(then);
            let b = self.value(otherwise);
            if [&test, &a, &b].iter().any(|value| self.types.is_error(value.ty)) {
                return self.error_value_of(span);
            }
            return Value::Expr(self.checker.vector_conditional(test, a, b, span));
        }
        let test = self.truth_of(test, condition.span);
        let (a, b) = self.conditionally(|cxx| (cxx.expression(then), cxx.expression(otherwise)));
        if self.types.is_error(test.ty) || self.is_error(&a) || self.is_error(&b) {
            self.note_error();
            return self.error_value_of(span);
        }
        self.conditional_of(test, a, b, span)
    }

    fn conditional_of(&mut self, test: Expr, a: Value, b: Value, span: Span) -> Value {
        // Two objects of one type: the result is an object.
        if let (Some(x), Some(y)) = (a.place().cloned(), b.place().cloned())
            && x.ty.ty == y.ty.ty
            && matches!(a, Value::Place(_)) == matches!(b, Value::Place(_))
            && !matches!(x.kind, crate::hir::PlaceKind::Swizzle(..))
            && !matches!(y.kind, crate::hir::PlaceKind::Swizzle(..))
            && !self.types.is_parameter_only(x.ty.ty)
        {
            let q = crate::types::QualifiedType {
                ty: x.ty.ty,
                qualifiers: x.ty.qualifiers.union(y.ty.qualifiers),
            };
            let spaces = if x.space == y.space {
                Some(x.space)
            } else if super::super::operator::overlap(x.space, y.space) {
                Some(clvk_ir::AddressSpace::Generic)
            } else if [x.space, y.space].contains(&clvk_ir::AddressSpace::Constant) {
                None
            } else {
                Some(clvk_ir::AddressSpace::Generic)
            };
            let scalar = self.types.as_arithmetic(x.ty.ty).is_some();
            // The value of a number needs no address.
            if let Some(space) = spaces.filter(|space| !scalar || *space != clvk_ir::AddressSpace::Generic) {
                let pointer = self.types.pointer(q, space);
                let (x, y) = (self.address_as(x, pointer), self.address_as(y, pointer));
                let kind =
                    Hir::Conditional { condition: Box::new(test), then: Box::new(x), otherwise: Box::new(y) };
                let address = Expr { kind, ty: pointer, span };
                let kind = crate::hir::PlaceKind::Deref(Box::new(address));
                let place = Place { kind, ty: q, space, span };
                return if matches!(a, Value::Place(_)) { Value::Place(place) } else { Value::Moved(place) };
            }
        }
        if self.record_of(a.ty()).is_some() || self.record_of(b.ty()).is_some() {
            return self.conditional_classes(test, a, b, span);
        }
        let (a_null, b_null) = (self.is_null(&a), self.is_null(&b));
        let (at, bt) = (a.span(), b.span());
        let (mut x, mut y) = (self.rvalue(a, at), self.rvalue(b, bt));
        if x.ty != y.ty {
            if self.types.pointee(x.ty).is_some() && b_null {
                y = self.convert_standard(y, x.ty, true);
            } else if self.types.pointee(y.ty).is_some() && a_null {
                x = self.convert_standard(x, y.ty, true);
            } else if let (Some((p, _)), Some((q, _))) = (self.types.pointee(x.ty), self.types.pointee(y.ty))
                && p.ty != q.ty
            {
                if self.standard(x.ty, y.ty, false).is_some() {
                    let to = y.ty;
                    x = self.convert_standard(x, to, false);
                } else if self.standard(y.ty, x.ty, false).is_some() {
                    let to = x.ty;
                    y = self.convert_standard(y, to, false);
                }
            }
        }
        if self.types.is_void(x.ty) != self.types.is_void(y.ty) {
            self.error(span, "incompatible operand types: one side of the conditional operator is 'void'");
            return self.error_value_of(span);
        }
        if x.ty != y.ty && (self.is_scoped_enum(x.ty) || self.is_scoped_enum(y.ty)) {
            let (a, b) = (self.type_text(x.ty), self.type_text(y.ty));
            self.error(span, format!("incompatible operand types ('{a}' and '{b}')"));
            return self.error_value_of(span);
        }
        let is_same = x.ty == y.ty;
        let pair = match is_same {
            true => Some((x, y)),
            false => self.checker.matched_branches(x, y, span),
        };
        let Some((x, y)) = pair else {
            self.note_error();
            return self.error_value_of(span);
        };
        let ty = x.ty;
        let hir = self.hir_type(ty);
        let kind = Hir::Conditional {
            condition: Box::new(test),
            then: Box::new(Expr { ty: hir, ..x }),
            otherwise: Box::new(Expr { ty: hir, ..y }),
        };
        Value::Expr(Expr { kind, ty, span })
    }

    fn conditional_classes(&mut self, test: Expr, a: Value, b: Value, span: Span) -> Value {
        let (x, y) = (a.ty(), b.ty());
        // The type that one converts to and the other has ([expr.cond]/4).
        let target = if x == y {
            Some(x)
        } else {
            let forward = self.sequence(&Given::Value(a.clone()), Type::of(y), true);
            let backward = self.sequence(&Given::Value(b.clone()), Type::of(x), true);
            match (forward, backward) {
                (Some(_), None) => Some(y),
                (None, Some(_)) => Some(x),
                _ => None,
            }
        };
        let Some(target) = target else {
            let (a, b) = (self.type_text(x), self.type_text(y));
            self.error(span, format!("incompatible operand types ('{a}' and '{b}')"));
            return self.error_value_of(span);
        };
        let (at, bt) = (a.span(), b.span());
        let first = self.conditionally(|cxx| cxx.copy_initialize(Type::of(target), a, at));
        let second = self.conditionally(|cxx| cxx.copy_initialize(Type::of(target), b, bt));
        if self.record_of(target).is_none() {
            let x = self.value_of_init(target, first, at);
            let y = self.value_of_init(target, second, bt);
            let kind =
                Hir::Conditional { condition: Box::new(test), then: Box::new(x), otherwise: Box::new(y) };
            return Value::Expr(Expr { kind, ty: target, span });
        }
        match (first, second) {
            (super::initialize::Init::Class(first), super::initialize::Init::Class(second)) => {
                let kind = super::initialize::PrvalueKind::Conditional {
                    condition: test,
                    then: Box::new(first),
                    otherwise: Box::new(second),
                };
                Value::Class(Box::new(super::initialize::Prvalue { ty: target, kind, span }))
            }
            _ => {
                self.note_error();
                self.error_value_of(span)
            }
        }
    }

    pub(super) fn index(&mut self, base: &Ast, index: &InitClause, span: Span) -> Value {
        let object = self.expression(base);
        let given = self.given_one(index);
        if self.is_error(&object) {
            self.note_error();
            return self.error_value_of(span);
        }
        let operands = vec![Given::Value(object.clone()), given.clone()];
        if let Some(value) = self.overloaded_given(Operator::Index, &object, operands, span) {
            return value;
        }
        let Given::Value(index) = given else {
            self.error(span, "a list cannot be an index here");
            return self.error_value_of(span);
        };
        if self.is_error(&index) {
            self.note_error();
            return self.error_value_of(span);
        }
        let at = index.span();
        let object = self.builtin_operand(object, span);
        let index = self.builtin_operand(index, at);
        let index = self.operand_value(index, at);
        if self.is_scoped_enum(index.ty) {
            self.error(at, "array subscript is not an integer");
            return self.error_value_of(span);
        }
        let moved = matches!(object, Value::Moved(_));
        let operand = match object {
            Value::Place(place) | Value::Moved(place) => super::super::expression::Operand::Place(place),
            value => {
                let expr = self.operand_value(value, span);
                super::super::expression::Operand::Value(expr)
            }
        };
        match Value::from(self.checker.indexed(operand, index, span, true)) {
            Value::Place(place) if moved => Value::Moved(place),
            value => value,
        }
    }

    /// `(pack op ...)` and its kin ([expr.prim.fold]).
    pub(super) fn fold(
        &mut self,
        op: FoldOp,
        left: Option<&Ast>,
        right: Option<&Ast>,
        names: &[Symbol],
        span: Span,
    ) -> Value {
        // In a binary fold one side has the pack.
        let has_pack = |cxx: &Self, expr: Option<&Ast>| {
            expr.is_some_and(|expr| {
                super::walk::names_of(expr).iter().any(|name| cxx.pack_of(*name).is_some())
            })
        };
        let (pattern, initial, is_left) = match (left, right) {
            (Some(pattern), None) => (pattern, None, false),
            (None, Some(pattern)) => (pattern, None, true),
            (Some(a), Some(b)) if has_pack(self, Some(a)) => (a, Some(b), false),
            (Some(a), Some(b)) => (b, Some(a), true),
            (None, None) => return self.error_value_of(span),
        };
        let mut values = self.expand(names, span, |cxx| cxx.expression(pattern));
        if values.iter().any(|value| self.is_error(value)) {
            self.note_error();
            return self.error_value_of(span);
        }
        if let Some(initial) = initial {
            let initial = self.expression(initial);
            if is_left {
                values.insert(0, initial);
            } else {
                values.push(initial);
            }
        }
        if values.is_empty() {
            return match op {
                FoldOp::Binary(BinaryOp::LogicalAnd) => Value::Expr(self.truth_value(true, span)),
                FoldOp::Binary(BinaryOp::LogicalOr) => Value::Expr(self.truth_value(false, span)),
                FoldOp::Comma => {
                    let void = self.types.void();
                    let int = self.checker.int();
                    let zero = self.constant(0, int, span);
                    Value::Expr(self.checker.convert(zero, Conversion::Discard, void))
                }
                _ => {
                    self.error(
                        span,
                        "unary fold expression has empty expansion for an operator with no fallback value",
                    );
                    self.error_value_of(span)
                }
            };
        }
        let mut list = values.into_iter();
        if is_left {
            let mut result = list.next().expect("not empty");
            for next in list {
                result = self.folded(op, result, next, span);
            }
            result
        } else {
            let mut list = list.rev();
            let mut result = list.next().expect("not empty");
            for next in list {
                result = self.folded(op, next, result, span);
            }
            result
        }
    }

    fn folded(&mut self, op: FoldOp, a: Value, b: Value, span: Span) -> Value {
        match op {
            FoldOp::Binary(op) => self.binary_of(op, span, a, b, span),
            FoldOp::Assign(op) => self.assignment_of(op, span, a, Given::Value(b), span),
            FoldOp::Comma => {
                if let Some(value) = self.overloaded(Operator::Comma, &[a.clone(), b.clone()], span) {
                    return value;
                }
                let first = self.discarded(a, span);
                self.sequence_value(first, b, span)
            }
        }
    }

    /// The rules for operator functions ([over.oper]).
    pub(super) fn check_operator(
        &mut self,
        operator: Operator,
        params: &[Parameter],
        is_method: bool,
        span: Span,
    ) {
        let text = super::function::operator_text(operator);
        if operator == Operator::Allocation {
            self.error(span, "memory cannot be allocated in C++ for OpenCL (§2.1)");
            return;
        }
        let only_member =
            matches!(operator, Operator::Assign(None) | Operator::Call | Operator::Index | Operator::Arrow);
        if only_member && !is_method {
            self.error(span, format!("overloaded 'operator{text}' must be a non-static member function"));
            return;
        }
        let has_own = params.iter().any(|param| {
            let ty = self.without_reference(param.ty).ty();
            matches!(self.types.kind(ty), TypeKind::Record(_) | TypeKind::Enum(_) | TypeKind::Error)
        });
        if !is_method && !has_own {
            self.error(span, format!("overloaded 'operator{text}' must have at least one parameter of class or enumeration type"));
            return;
        }
        let count = params.len() + usize::from(is_method);
        let fits = match operator {
            Operator::Prefix(_) => count == 1,
            Operator::Increment | Operator::Decrement => count == 1 || count == 2,
            Operator::Call => true,
            Operator::Arrow => count == 1,
            Operator::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::BitAnd) => {
                count == 1 || count == 2
            }
            _ => count == 2,
        };
        if !fits {
            let plural = if params.len() == 1 { "" } else { "s" };
            self.error(
                span,
                format!("overloaded 'operator{text}' cannot have {} parameter{plural}", params.len()),
            );
        }
    }
}

/// Whether designating an object has no effects.
fn is_stable(place: &Place) -> bool {
    use crate::hir::PlaceKind;
    match &place.kind {
        PlaceKind::Local(_) | PlaceKind::Global(_) => true,
        PlaceKind::Member(inner, _) | PlaceKind::Swizzle(inner, _) => is_stable(inner),
        // What a pointer points to may change before the object is designated again.
        PlaceKind::Deref(_) | PlaceKind::CompoundLiteral(..) => false,
    }
}
