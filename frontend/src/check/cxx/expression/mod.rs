//! Expressions: their values and categories, the dispatch over their kinds, and names (\[expr\]).

pub(super) mod name;

use super::class::access::Naming;
use super::initialize::Prvalue;
use super::scope::Entity;
use super::types::Type;
use super::{Cxx, FnId};
use crate::Span;
use crate::ast::Name;
use crate::cxx::ast::{Expr as Ast, ExprKind, Id, InitClause, InitClauseKind, InitList, TemplateArgument};
use crate::hir::{Constant, Expr, ExprKind as Hir, Place, PlaceKind};
use crate::symbol::Symbol;
use crate::types::{QualifiedType, ScalarKind, TypeId, TypeKind};

/// What an expression gives ([basic.lval]).
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// An lvalue: an object.
    Place(Place),
    /// An xvalue: an object that may be moved from.
    Moved(Place),
    /// A prvalue.
    Expr(Expr),
    /// A prvalue of a class: how an object of it is initialised.
    Class(Box<Prvalue>),
    /// Functions of one name, before one is chosen.
    Functions(Box<Set>),
}

/// Functions of one name, and the object that they are called on.
#[derive(Clone, Debug)]
pub(super) struct Set {
    pub name: Name,
    pub functions: Vec<FnId>,
    pub object: Option<Value>,
    /// Where the name of methods was looked up.
    pub naming: Option<Naming>,
    /// Template arguments that are written.
    pub explicit: Option<Vec<TemplateArgument>>,
    /// Whether functions of the arguments' namespaces take part, and built-in functions.
    pub is_open: bool,
    /// Whether the name is qualified, so that the arguments' namespaces are not searched.
    pub is_qualified: bool,
}

/// An argument: a value, or a list that has no type.
#[derive(Clone, Debug)]
pub(super) enum Given {
    Value(Value),
    List(InitList),
}

impl Value {
    pub fn ty(&self) -> TypeId {
        match self {
            Value::Place(place) | Value::Moved(place) => place.ty.ty,
            Value::Expr(expr) => expr.ty,
            Value::Class(prvalue) => prvalue.ty,
            Value::Functions(_) => TypeId::NONE,
        }
    }

    pub fn span(&self) -> Span {
        match self {
            Value::Place(place) | Value::Moved(place) => place.span,
            Value::Expr(expr) => expr.span,
            Value::Class(prvalue) => prvalue.span,
            Value::Functions(set) => set.name.span,
        }
    }

    pub fn place(&self) -> Option<&Place> {
        match self {
            Value::Place(place) | Value::Moved(place) => Some(place),
            _ => None,
        }
    }
}

impl From<super::super::expression::Operand> for Value {
    fn from(operand: super::super::expression::Operand) -> Value {
        match operand {
            super::super::expression::Operand::Place(place) => Value::Place(place),
            super::super::expression::Operand::Value(value) => Value::Expr(value),
        }
    }
}

impl Cxx<'_> {
    pub(super) fn error_value_of(&mut self, span: Span) -> Value {
        Value::Expr(self.checker.error_value(span))
    }

    pub(super) fn is_error(&self, value: &Value) -> bool {
        !matches!(value, Value::Functions(_)) && self.types.is_error(value.ty())
    }

    /// An expression.
    pub(super) fn expression(&mut self, expr: &Ast) -> Value {
        let mut value = stacker::maybe_grow(256 << 10, 4 << 20, || self.expression_inner(expr));
        if let Value::Class(prvalue) = &mut value
            && prvalue.order == 0
        {
            prvalue.order = self.next_temporary();
        }
        self.note_end(expr.span);
        value
    }

    fn expression_inner(&mut self, expr: &Ast) -> Value {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Name(name) => self.name(name, span),
            ExprKind::Int(value, suffix) => Value::Expr(self.checker.int_literal(*value, *suffix, span)),
            ExprKind::Float(value, suffix, text) => {
                Value::Expr(self.checker.float_literal(*value, *suffix, *text, span))
            }
            ExprKind::Char(value) => {
                let char = self.types.scalar(ScalarKind::Char);
                Value::Expr(self.constant(*value as u8 as u64, char, span))
            }
            ExprKind::Str(bytes) => {
                let mut value = Value::from(self.checker.string_literal(bytes, span));
                if let Value::Place(place) = &mut value
                    && let TypeKind::Array { element, length } = *self.types.kind(place.ty.ty)
                {
                    let element =
                        QualifiedType { qualifiers: crate::types::TypeQualifiers::CONST, ..element };
                    place.ty.ty = self.types.array(element, length);
                }
                value
            }
            ExprKind::Bool(value) => Value::Expr(self.truth_value(*value, span)),
            ExprKind::Nullptr => {
                let ty = self.types.intern(TypeKind::Nullptr);
                Value::Expr(self.constant(0, ty, span))
            }
            ExprKind::This => match self.this_expr(span) {
                Some(this) => Value::Expr(this),
                None => {
                    self.error(span, "invalid use of 'this' outside of a non-static member function");
                    self.error_value_of(span)
                }
            },
            ExprKind::UserLiteral { literal, text, suffix } => {
                self.user_literal(literal, *text, *suffix, span)
            }
            ExprKind::Paren(inner) => self.expression(inner),
            ExprKind::Prefix(op, operand) => self.prefix_expression(*op, operand, span),
            ExprKind::Postfix { increment, operand } => self.postfix(*increment, operand, span),
            ExprKind::Binary { op, op_span, left, right } => self.binary(*op, *op_span, left, right, span),
            ExprKind::Assign { op, target, value } => self.assignment(*op, target, value, span),
            ExprKind::Conditional { condition, then, otherwise } => {
                self.conditional(condition, then, otherwise, span)
            }
            ExprKind::Comma(left, right) => self.comma(left, right, span),
            ExprKind::Call { callee, arguments } => self.call(callee, arguments, span),
            ExprKind::Index { base, index } => self.index(base, index, span),
            ExprKind::Member { base, arrow, name } => self.member_expression(base, *arrow, name, span),
            ExprKind::MemberPointer { base, arrow, member } => {
                self.member_pointer_access(base, *arrow, member, span)
            }
            ExprKind::Cast { ty, operand } => self.c_cast(ty, operand, span),
            ExprKind::VectorLiteral { ty, elements } => self.vector_literal(ty, elements, span),
            ExprKind::CompoundLiteral { ty, list } => self.compound_literal(ty, list, span),
            ExprKind::NamedCast { cast, ty, operand } => self.named_cast(*cast, ty, operand, span),
            ExprKind::Construct { ty, initializer } => self.construct(ty, initializer, span),
            ExprKind::SizeofExpr(operand) => {
                let ty = self.unevaluated(operand);
                self.size_of(ty, true, span)
            }
            ExprKind::SizeofType(name) => {
                let ty = self.type_name(name);
                self.size_of(ty, true, span)
            }
            ExprKind::AlignofExpr(operand) => {
                let ty = self.unevaluated(operand);
                self.size_of(ty, false, span)
            }
            ExprKind::AlignofType(name) => {
                let ty = self.type_name(name);
                self.size_of(ty, false, span)
            }
            ExprKind::SizeofPack(name) => self.size_of_pack(*name, span),
            ExprKind::VecStepExpr(operand) => {
                let ty = self.unevaluated(operand);
                Value::Expr(self.checker.vec_step(ty.ty(), span))
            }
            ExprKind::VecStepType(name) => {
                let ty = self.type_name(name);
                Value::Expr(self.checker.vec_step(ty.ty(), span))
            }
            ExprKind::Noexcept(operand) => {
                let never_throws = self.never_throws(operand);
                Value::Expr(self.truth_value(never_throws, span))
            }
            ExprKind::ValueAs { value, ty, same_bits } => {
                let value = self.value(value);
                let ty = self.type_name(ty).ty();
                Value::Expr(self.checker.value_as(&value, ty, *same_bits, span))
            }
            ExprKind::Trait { name, types } => self.type_trait(*name, types, span),
            ExprKind::Lambda(lambda) => self.lambda(lambda, span),
            ExprKind::Fold { op, left, right, names } => {
                self.fold(*op, left.as_deref(), right.as_deref(), names, span)
            }
            ExprKind::New(new) => self.new_expression(new, span),
            ExprKind::Delete { is_global, is_array, operand } => {
                self.delete_expression(*is_global, *is_array, operand, span)
            }
            ExprKind::Refused(what) => {
                self.error(span, format!("{what} are not supported in C++ for OpenCL (§2.1)"));
                self.error_value_of(span)
            }
            ExprKind::Statements(block) => self.statement_expression(block, span),
        }
    }

    /// A constant of a scalar type.
    pub(super) fn constant(&self, bits: u64, ty: TypeId, span: Span) -> Expr {
        Expr { kind: Hir::Constant(Constant::Bits(bits)), ty, span }
    }

    pub(super) fn truth_value(&mut self, value: bool, span: Span) -> Expr {
        let bool = self.checker.bool();
        self.constant(u64::from(value), bool, span)
    }

    /// The value of an expression: objects are loaded.
    pub(super) fn value(&mut self, expr: &Ast) -> Expr {
        let value = self.expression(expr);
        self.rvalue(value, expr.span)
    }

    /// An expression as a condition (\[conv\], contextually converted to `bool`).
    pub(super) fn condition(&mut self, expr: &Ast) -> Expr {
        let value = self.expression(expr);
        self.truth_of(value, expr.span)
    }

    pub(super) fn truth_of(&mut self, value: Value, span: Span) -> Expr {
        let bool = self.checker.bool();
        if self.is_error(&value) {
            self.note_error();
            return self.checker.error_value(span);
        }
        if self.record_of(value.ty()).is_some() {
            return self.explicit_truth(value, span);
        }
        if self.is_scoped_enum(value.ty()) || matches!(value, Value::Functions(_)) {
            self.no_conversion(&value, Type::of(bool), span, "condition");
            return self.checker.error_value(span);
        }
        if matches!(self.types.kind(value.ty()), TypeKind::Nullptr) {
            return self.truth_value(false, span);
        }
        let expr = self.rvalue(value, span);
        if matches!(self.types.kind(expr.ty), TypeKind::MemberPointer { .. }) {
            return self.convert_standard(expr, bool, false);
        }
        self.checker.truth(expr)
    }

    /// The type of an expression that is not evaluated.
    pub(super) fn unevaluated(&mut self, expr: &Ast) -> Type {
        let value = self.unevaluated_value(expr);
        match &value {
            Value::Functions(_) => {
                let value = self.rvalue(value, expr.span);
                Type::of(value.ty)
            }
            _ => self.type_of_value(&value),
        }
    }

    /// `decltype(e)` ([dcl.type.simple]).
    pub(super) fn decltype(&mut self, expr: &Ast) -> Type {
        // Of a name or member access, its declared type.
        if let ExprKind::Name(name) = &expr.kind
            && let Some(found) = self.resolve(name)
        {
            match found.entity {
                Entity::Variable(id) => return self.variable(id).ty,
                Entity::Field(record, index) => return self.class(record).fields[index].ty,
                // A part of an object, unless that is a reference.
                Entity::Binding(part, _) if !matches!(part.kind, PlaceKind::Deref(_)) => {
                    return Type { q: part.ty, space: None };
                }
                _ => {}
            }
        }
        if let ExprKind::Member { base, arrow, name } = &expr.kind
            && let Id::Name(symbol) = name.last().id
        {
            let value = self.unevaluated_value(base);
            let record = match arrow {
                true => self.types.pointee(value.ty()).and_then(|(target, _)| self.record_of(target.ty)),
                false => self.record_of(value.ty()),
            };
            if let Some(record) = record
                && let Some(Entity::Field(owner, index)) =
                    self.find_member(record, symbol).map(|found| found.entity)
            {
                return self.class(owner).fields[index].ty;
            }
        }
        let value = self.unevaluated_value(expr);
        let ty = self.type_of_value(&value);
        match value {
            Value::Place(_) => self.reference_to(ty, false),
            Value::Moved(_) => self.reference_to(ty, true),
            Value::Functions(_) => {
                let value = self.rvalue(value, expr.span);
                Type::of(value.ty)
            }
            _ => ty,
        }
    }

    pub(super) fn unevaluated_value(&mut self, expr: &Ast) -> Value {
        let before = self.begin_full();
        self.unevaluated += 1;
        let value = self.apart(|cxx| cxx.expression(expr));
        self.unevaluated -= 1;
        self.restore_full(before);
        value
    }

    fn size_of(&mut self, ty: Type, is_size: bool, span: Span) -> Value {
        let ty = self.without_reference(ty).ty();
        if self.types.is_error(ty) || !self.complete(ty, span, "operand of 'sizeof'") {
            return self.error_value_of(span);
        }
        let hir = self.hir_type(ty);
        Value::Expr(self.checker.size_of(hir, if is_size { "sizeof" } else { "alignof" }, span))
    }

    fn size_of_pack(&mut self, name: Name, span: Span) -> Value {
        let size = self.checker.size_type();
        let Some(count) = self.pack_of(name.symbol) else {
            let text = self.owned(name.symbol);
            self.error(span, format!("'{text}' does not refer to the name of a parameter pack"));
            return self.error_value_of(span);
        };
        Value::Expr(self.constant(count as u64, size, span))
    }

    /// `a, b`.
    fn comma(&mut self, left: &Ast, right: &Ast, span: Span) -> Value {
        let first = self.expression(left);
        let second = self.expression(right);
        if let Some(value) =
            self.overloaded(crate::cxx::ast::Operator::Comma, &[first.clone(), second.clone()], span)
        {
            return value;
        }
        let first = self.discarded(first, left.span);
        self.sequence_value(first, second, span)
    }

    /// A value that is evaluated after another one.
    pub(super) fn sequence_value(&mut self, first: Expr, then: Value, span: Span) -> Value {
        match then {
            Value::Place(place) => Value::Place(self.after(first, place)),
            Value::Moved(place) => Value::Moved(self.after(first, place)),
            Value::Expr(expr) => {
                let ty = expr.ty;
                let then = Expr { ty: self.hir_type(ty), ..expr };
                Value::Expr(Expr { kind: Hir::Comma(Box::new(first), Box::new(then)), ty, span })
            }
            Value::Class(prvalue) => {
                let ty = prvalue.ty;
                let kind = super::initialize::PrvalueKind::Sequence { first, then: prvalue };
                Value::Class(Box::new(Prvalue::new(ty, kind, span)))
            }
            functions @ Value::Functions(_) => functions,
        }
    }

    /// An object that is designated after something was evaluated.
    pub(super) fn after(&mut self, first: Expr, place: Place) -> Place {
        let (q, space, span) = (place.ty, place.space, place.span);
        if let PlaceKind::Swizzle(inner, lanes) = place.kind {
            let inner = Box::new(self.after(first, *inner));
            return Place { kind: PlaceKind::Swizzle(inner, lanes), ty: q, space, span };
        }
        let address = self.checker.address(place);
        let ty = address.ty;
        let both = Expr { kind: Hir::Comma(Box::new(first), Box::new(address)), ty, span };
        Place { kind: PlaceKind::Deref(Box::new(both)), ty: q, space, span }
    }

    /// A value whose result is not used.
    pub(super) fn discarded(&mut self, value: Value, span: Span) -> Expr {
        match value {
            Value::Place(place) | Value::Moved(place) => {
                // Loading a class or a volatile object is not what a discarded lvalue does.
                let void = self.types.void();
                if self.types.is_error(place.ty.ty) {
                    return self.checker.error_value(span);
                }
                if matches!(place.kind, PlaceKind::Swizzle(..)) || self.types.layout(place.ty.ty).is_none() {
                    let value = self.load(place);
                    return self.checker.convert(value, crate::hir::Conversion::Discard, void);
                }
                let hir = self.hir_type(place.ty.ty);
                let place = Place { ty: QualifiedType { ty: hir, ..place.ty }, ..place };
                let address = self.checker.address(place);
                self.checker.convert(address, crate::hir::Conversion::Discard, void)
            }
            value => {
                let expr = self.rvalue(value, span);
                let ty = self.hir_type(expr.ty);
                Expr { ty, ..expr }
            }
        }
    }

    /// Arguments of a call, with packs expanded. `None` if one has an error.
    pub(super) fn given(&mut self, arguments: &[InitClause]) -> Option<Vec<Given>> {
        let mut list = Vec::new();
        for argument in arguments {
            match &argument.expansion {
                Some(names) => {
                    let span = clause_span(argument);
                    let each = self.expand(names, span, |cxx| cxx.given_one(argument));
                    list.extend(each);
                }
                None => list.push(self.given_one(argument)),
            }
        }
        let valid = list.iter().all(|given| match given {
            Given::Value(value) => !self.is_error(value),
            Given::List(_) => true,
        });
        if !valid {
            self.note_error();
        }
        valid.then_some(list)
    }

    pub(super) fn given_one(&mut self, clause: &InitClause) -> Given {
        match &clause.kind {
            InitClauseKind::Expr(expr) => Given::Value(self.expression(expr)),
            InitClauseKind::List(list) => {
                self.note_end(list.span);
                Given::List(list.clone())
            }
        }
    }

    /// Does something for each element of the packs among some names; the number of elements must agree.
    pub(super) fn expand<T>(
        &mut self,
        names: &[Symbol],
        span: Span,
        mut work: impl FnMut(&mut Self) -> T,
    ) -> Vec<T> {
        let mut packs: Vec<(Symbol, Entity)> = Vec::new();
        for symbol in names {
            if packs.iter().any(|(known, _)| known == symbol) {
                continue;
            }
            if let Some(entity) = self.find_pack(*symbol) {
                packs.push((*symbol, entity));
            }
        }
        let length = |entity: &Entity| match entity {
            Entity::Pack(list) => list.len(),
            Entity::Variables(list) => list.len(),
            _ => 0,
        };
        let Some((_, first)) = packs.first() else {
            self.error(span, "pack expansion does not contain any unexpanded parameter packs");
            return Vec::new();
        };
        let count = length(first);
        if packs.iter().any(|(_, entity)| length(entity) != count) {
            self.error(span, "pack expansion contains parameter packs that have different lengths");
            return Vec::new();
        }
        let mut results = Vec::new();
        for index in 0..count {
            let scope = self.new_scope(self.scope, super::scope::ScopeKind::Template);
            self.scopes[scope.0 as usize].is_round = true;
            for (symbol, entity) in &packs {
                let name = Name { symbol: *symbol, span };
                let element = match entity {
                    Entity::Pack(list) => self.argument_entity(&list[index], name),
                    Entity::Variables(list) => Entity::Variable(list[index]),
                    _ => Entity::Error,
                };
                self.bind_in(scope, name, element);
            }
            results.push(self.in_scope(scope, |cxx| work(cxx)));
        }
        results
    }

    /// A pack by its name. In a round of an expansion around, the name means an element; an expansion in the
    /// pattern takes all of them.
    fn find_pack(&self, symbol: Symbol) -> Option<Entity> {
        let mut start = self.scope;
        let mut at = Some(start);
        while let Some(id) = at {
            let scope = self.scope_ref(id);
            at = scope.parent;
            match (scope.names.contains_key(&symbol), scope.parent) {
                (true, Some(parent)) if scope.is_round => start = parent,
                (true, _) => break,
                (false, _) => {}
            }
        }
        let found = self.find_from(start, symbol)?.entity;
        matches!(found, Entity::Pack(_) | Entity::Variables(_)).then_some(found)
    }

    /// The number of elements of a pack.
    pub(super) fn pack_of(&self, symbol: Symbol) -> Option<usize> {
        match self.find_pack(symbol)? {
            Entity::Pack(list) => Some(list.len()),
            Entity::Variables(list) => Some(list.len()),
            _ => None,
        }
    }
}

/// The place of a clause.
pub(super) fn clause_span(clause: &InitClause) -> Span {
    match &clause.kind {
        InitClauseKind::Expr(expr) => expr.span,
        InitClauseKind::List(list) => list.span,
    }
}
