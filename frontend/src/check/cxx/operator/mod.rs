//! Operators: those of classes, and the built-in ones ([over.oper], \[expr\]).

mod assign;
mod atomic;
mod compare;
mod conditional;
mod fold;

pub(super) use assign::is_stable;

use super::class::access::Naming;
use super::expression::{Given, Value};
use super::function::Parameter;
use super::overload::Resolved;
use super::types::Type;
use super::{Cxx, FnId};
use crate::Span;
use crate::ast::{BinaryOp, Name};
use crate::cxx::ast::{Expr as Ast, InitClause, Operator};
use crate::hir::{Expr, ExprKind as Hir};
use crate::types::{ScalarKind, TypeId, TypeKind};

/// How an operator function belongs to a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Membership {
    Free,
    Method,
    Static,
}

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
            if let Some(found) = self.find_member(record, symbol)
                && let super::scope::Entity::Functions(list) = &found.entity
            {
                self.check_unambiguous(&found, Name { symbol, span });
                members = list.clone();
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
                if !is_member && self.prefers_builtin(id, &given) {
                    return None;
                }
                self.is_right_first = matches!(operator, Operator::Assign(_));
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
        let naming = object.as_ref().and_then(|object| self.record_of(object.ty()));
        self.check_call_access(id, naming.map(Naming::of_object), span);
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

    /// Whether the built-in operator fits better than a function that needs conversions: of enumerations
    /// only.
    fn prefers_builtin(&mut self, id: FnId, given: &[Given]) -> bool {
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
        match self.best_conversion(&list, &value) {
            Some(id) => self.converted_by(id, value, span),
            None => value,
        }
    }

    /// Of conversion functions to one type, or all to pointers, the one that fits the object best.
    pub(super) fn best_conversion(&mut self, list: &[FnId], value: &Value) -> Option<FnId> {
        let results: Vec<TypeId> =
            list.iter().map(|id| self.without_reference(self.function(*id).result).ty()).collect();
        let are_pointers = results.iter().all(|ty| self.types.pointee(*ty).is_some());
        if !are_pointers && results.iter().any(|ty| *ty != results[0]) {
            return None;
        }
        let fits: Vec<_> = list.iter().map(|id| self.takes_object(*id, value)).collect::<Option<_>>()?;
        let is_best = |index: usize| {
            (0..fits.len()).all(|other| other == index || fits[index].better(&fits[other]) == Some(true))
        };
        (0..fits.len()).find(|index| is_best(*index)).map(|index| list[index])
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
        if is_comparison && !self.check_compared_pointers(op, &a, &b, span) {
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

    pub(super) fn index(&mut self, base: &Ast, index: &InitClause, span: Span) -> Value {
        let object = self.expression(base);
        self.index_into(object, index, span)
    }

    fn index_into(&mut self, object: Value, index: &InitClause, span: Span) -> Value {
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

    /// The rules for operator functions ([over.oper]).
    pub(super) fn check_operator(
        &mut self,
        operator: Operator,
        params: &[Parameter],
        member: Membership,
        span: Span,
    ) {
        let text = super::function::operator_text(operator);
        if member == Membership::Static {
            self.error(span, format!("overloaded 'operator{text}' cannot be a static member function"));
            return;
        }
        let is_method = member == Membership::Method;
        if operator != Operator::Call && params.iter().any(|param| param.default.is_some()) {
            let message = format!("parameter of overloaded 'operator{text}' cannot have a default argument");
            self.error(span, message);
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
        if matches!(operator, Operator::Increment | Operator::Decrement) && count == 2 {
            self.check_postfix(operator, params, span);
        }
    }

    /// `operator++(int)`: its parameter only says that it is the postfix operator ([over.inc]).
    fn check_postfix(&mut self, operator: Operator, params: &[Parameter], span: Span) {
        let Some(param) = params.last() else { return };
        if param.ty.ty() == self.checker.int() || self.is_error_type(param.ty) {
            return;
        }
        let word = if operator == Operator::Increment { "increment" } else { "decrement" };
        let text = self.text_of(param.ty);
        let message =
            format!("parameter of overloaded post-{word} operator must have type 'int' (not '{text}')");
        self.error(span, message);
    }
}
