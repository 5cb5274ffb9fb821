//! Expressions: the dispatch over their kinds, names, and the conversion of operands to values (C99 §6.5,
//! §6.3.2).

use super::Checker;
use super::scope::{Entity, Storage};
use crate::Span;
use crate::ast::{self, ExprKind as Ast, Name};
use crate::diagnostic::Diagnostic;
use crate::hir::{Constant, Conversion, Expr, ExprKind, Initializer, Local, Place, PlaceKind};
use crate::options::LanguageVersion;
use crate::symbol::Symbol;
use crate::types::{QualifiedType, TypeId, TypeKind};
use clvk_ir::AddressSpace;

/// A checked expression before its use is known.
#[derive(Clone, Debug)]
pub(super) enum Operand {
    /// An object.
    Place(Place),
    /// A value.
    Value(Expr),
}

impl Operand {
    pub(super) fn ty(&self) -> TypeId {
        match self {
            Operand::Place(place) => place.ty.ty,
            Operand::Value(value) => value.ty,
        }
    }

    pub(super) fn span(&self) -> Span {
        match self {
            Operand::Place(place) => place.span,
            Operand::Value(value) => value.span,
        }
    }
}

/// An expression without the parentheses around it.
pub(super) fn without_parens(mut expr: &ast::Expr) -> &ast::Expr {
    while let Ast::Paren(inner) = &expr.kind {
        expr = inner;
    }
    expr
}

impl Checker<'_> {
    /// A value in place of an expression with an error.
    pub(super) fn error_value(&self, span: Span) -> Expr {
        Expr { kind: ExprKind::Constant(Constant::Bits(0)), ty: self.types.error(), span }
    }

    pub(super) fn error_operand(&self, span: Span) -> Operand {
        Operand::Value(self.error_value(span))
    }

    /// An expression as an object or a value.
    pub(super) fn operand(&mut self, expr: &ast::Expr) -> Operand {
        let span = expr.span;
        let value = match &expr.kind {
            Ast::Identifier(symbol) => return self.identifier(*symbol, span),
            Ast::Str(bytes) => return self.string_literal(bytes, span),
            Ast::Paren(inner) => return self.operand(inner),
            Ast::Prefix(op, operand) => return self.prefix(*op, operand, span),
            Ast::Index { base, index } => return self.index(base, index, span),
            Ast::Member { base, name, arrow } => return self.member(base, *name, *arrow, span),
            Ast::CompoundLiteral { ty, list } => return self.compound_literal(ty, list, span),
            Ast::Int(value, suffix) => self.int_literal(*value, *suffix, span),
            Ast::Float(value, suffix, text) => self.float_literal(*value, *suffix, *text, span),
            Ast::Char(value) => {
                let int = self.int();
                self.integer_literal(i128::from(*value), int, span)
            }
            Ast::Postfix { increment, operand } => self.increment(operand, !increment, false, span),
            Ast::Binary { op, op_span, left, right } => {
                self.binary_expression((*op, *op_span), left, right, span)
            }
            Ast::Assign { op, op_span, target, value } => {
                self.assignment((*op, *op_span), target, value, span)
            }
            Ast::Conditional { condition, then, otherwise } => {
                self.conditional(condition, then, otherwise, span)
            }
            Ast::Comma(left, right) => self.comma(left, right, span),
            Ast::Call { callee, arguments } => self.call(callee, arguments, span),
            Ast::Cast { ty, operand } => self.cast_expression(ty, operand, span),
            Ast::VectorLiteral { ty, elements } => self.vector_literal(ty, elements, span),
            Ast::SizeofExpr(operand) => {
                let ty = self.operand(operand).ty();
                self.size_of(ty, "sizeof", span)
            }
            Ast::SizeofType(name) => {
                let ty = self.type_name(name).ty.ty;
                self.size_of(ty, "sizeof", span)
            }
            Ast::AlignofExpr(operand) => {
                let ty = self.operand(operand).ty();
                self.size_of(ty, "alignof", span)
            }
            Ast::AlignofType(name) => self.align_of_type(name, span),
            Ast::VecStepExpr(operand) => {
                let ty = self.operand(operand).ty();
                self.vec_step(ty, span)
            }
            Ast::VecStepType(name) => {
                let ty = self.type_name(name).ty.ty;
                self.vec_step(ty, span)
            }
            Ast::Statements(block) => self.statement_expression(block, span),
            Ast::CompilerBuiltin { name, arguments } => {
                return self.compiler_builtin(*name, arguments, span);
            }
            Ast::BlockLiteral { result, parameters, body } => {
                self.block_literal(result.as_deref(), parameters.as_ref(), body, span)
            }
        };
        Operand::Value(value)
    }

    /// The value of an expression: objects are loaded, arrays are pointers (C99 §6.3.2.1).
    pub(super) fn value(&mut self, expr: &ast::Expr) -> Expr {
        let operand = self.operand(expr);
        self.rvalue(operand)
    }

    /// The values of all arguments of a call; `None` if one of them is wrong, which is reported.
    pub(super) fn values<'e>(
        &mut self,
        arguments: impl IntoIterator<Item = &'e ast::Expr>,
    ) -> Option<Vec<Expr>> {
        let values: Vec<Expr> = arguments.into_iter().map(|argument| self.value(argument)).collect();
        values.iter().all(|value| !self.types.is_error(value.ty)).then_some(values)
    }

    /// The value of an operand.
    pub(super) fn rvalue(&mut self, operand: Operand) -> Expr {
        match operand {
            Operand::Value(value) => value,
            Operand::Place(place) => self.load(place),
        }
    }

    /// The value of an object.
    pub(super) fn load(&mut self, place: Place) -> Expr {
        let span = place.span;
        match *self.types.kind(place.ty.ty) {
            TypeKind::Array { .. } => return self.decay(place),
            TypeKind::Void => {
                // If `p` points to void, `*p` may only be discarded.
                let ty = place.ty.ty;
                let address = self.address(place);
                return Expr {
                    kind: ExprKind::Convert { conversion: Conversion::Discard, operand: Box::new(address) },
                    ty,
                    span,
                };
            }
            _ => {}
        }
        if self.types.layout(place.ty.ty).is_none() {
            let text = self.type_text(place.ty.ty);
            self.error(span, format!("incomplete type '{text}' where a complete type is required"));
            return self.error_value(span);
        }
        if matches!(self.types.kind(place.ty.ty), TypeKind::Atomic(_)) {
            let text = self.type_text(place.ty.ty);
            self.error(
                span,
                format!("an object of type '{text}' can only be accessed with atomic functions"),
            );
            return self.error_value(span);
        }
        if self.is_storage_only_half(place.ty.ty) {
            self.error(
                span,
                "loading directly from pointer to type 'half' requires cl_khr_fp16. Use vector data load builtin \
                 functions instead",
            );
            return self.error_value(span);
        }
        let ty = place.ty.ty;
        Expr { kind: ExprKind::Load(place), ty, span }
    }

    /// An array as a pointer to its first element.
    pub(super) fn decay(&mut self, place: Place) -> Expr {
        let TypeKind::Array { element, .. } = *self.types.kind(place.ty.ty) else {
            panic!("only arrays decay");
        };
        let span = place.span;
        let ty = self.types.pointer(element, place.space);
        Expr { kind: ExprKind::AddressOf(place), ty, span }
    }

    /// The address of an object.
    pub(super) fn address(&mut self, place: Place) -> Expr {
        let span = place.span;
        let ty = self.types.pointer(place.ty, place.space);
        // `&*p` is p (C99 §6.5.3.2).
        if let PlaceKind::Deref(pointer) = place.kind {
            return if pointer.ty == ty { *pointer } else { self.convert(*pointer, Conversion::Pointer, ty) };
        }
        Expr { kind: ExprKind::AddressOf(place), ty, span }
    }

    /// An operand converted.
    pub(super) fn convert(&self, operand: Expr, conversion: Conversion, ty: TypeId) -> Expr {
        let span = operand.span;
        Expr { kind: ExprKind::Convert { conversion, operand: Box::new(operand) }, ty, span }
    }

    fn identifier(&mut self, symbol: Symbol, span: Span) -> Operand {
        match self.find(symbol).map(|(entity, _)| entity.clone()) {
            Some(Entity::Variable(variable)) => {
                let kind = match variable.storage {
                    Storage::Local(id, depth) if depth < self.outer.len() => {
                        return self.captured(id, depth, variable.ty, span);
                    }
                    Storage::Local(id, _) => PlaceKind::Local(id),
                    Storage::Global(id) => {
                        self.used_globals.insert(id);
                        PlaceKind::Global(id)
                    }
                };
                if self.types.is_error(variable.ty.ty) {
                    return self.error_operand(span);
                }
                Operand::Place(Place { kind, ty: variable.ty, space: variable.space, span })
            }
            Some(Entity::Block(variable)) => self.named_block(&variable, span),
            Some(Entity::Sampler(word, ty)) => {
                let kind = ExprKind::Constant(Constant::Bits(u64::from(word)));
                Operand::Value(Expr { kind, ty, span })
            }
            Some(Entity::Enumerator(value, ty)) => Operand::Value(self.integer_literal(value, ty, span)),
            Some(Entity::Function(_) | Entity::Overloaded(_)) => {
                let text = self.owned(symbol);
                self.error(
                    span,
                    format!(
                        "'{text}' is a function and can only be called: pointers to functions are not allowed"
                    ),
                );
                self.error_operand(span)
            }
            Some(Entity::Typedef(_)) => {
                let text = self.owned(symbol);
                self.error(span, format!("unexpected type name '{text}': expected expression"));
                self.error_operand(span)
            }
            Some(Entity::Error) => self.error_operand(span),
            None => self.unknown_identifier(symbol, span),
        }
    }

    fn unknown_identifier(&mut self, symbol: Symbol, span: Span) -> Operand {
        let text = self.owned(symbol);
        if matches!(text.as_str(), "__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__")
            && let Some(name) = self.current.as_ref().map(|current| current.name.clone())
        {
            let what = format!("the predefined identifier '{text}'");
            if !self.demand_version(span, &what, LanguageVersion::C12) {
                return self.error_operand(span);
            }
            return self.string_literal(name.as_bytes(), span);
        }
        if crate::builtins::lookup(&text).is_some() {
            self.error(span, format!("the built-in function '{text}' can only be called"));
            return self.error_operand(span);
        }
        if let Some(constant) = self.deferred_constant(&text, span) {
            return Operand::Value(constant);
        }
        self.undeclared(Name { symbol, span }, false);
        self.error_operand(span)
    }

    fn comma(&mut self, left: &ast::Expr, right: &ast::Expr, span: Span) -> Expr {
        self.warn_of_comma(left);
        let left = self.value(left);
        let right = self.value(right);
        if self.types.is_error(left.ty) || self.types.is_error(right.ty) {
            return self.error_value(span);
        }
        if self.is_block(left.ty) || self.is_block(right.ty) {
            self.invalid_operands(&left, &right, span);
            return self.error_value(span);
        }
        let ty = right.ty;
        Expr { kind: ExprKind::Comma(Box::new(left), Box::new(right)), ty, span }
    }

    pub(super) fn size_of(&mut self, ty: TypeId, operator: &str, span: Span) -> Expr {
        if self.types.is_error(ty) {
            return self.error_value(span);
        }
        if self.is_block(ty) {
            self.error(span, "the size of a block is not known at compile time (OpenCL C §6.14.2)");
            return self.error_value(span);
        }
        if self.types.holds_matrices(ty) {
            let text = self.type_text(ty);
            self.error(
                span,
                format!("invalid application of '{operator}' to '{text}': devices hold it as they like"),
            );
            return self.error_value(span);
        }
        let Some((size, align)) = self.types.layout(ty) else {
            let text = self.type_text(ty);
            self.error(span, format!("invalid application of '{operator}' to an incomplete type '{text}'"));
            return self.error_value(span);
        };
        let value = if operator == "sizeof" { size } else { u64::from(align) };
        let ty = self.size_type();
        self.integer_literal(i128::from(value), ty, span)
    }

    /// `alignof (type)`, where a `typedef` may have raised it.
    fn align_of_type(&mut self, name: &ast::TypeName, span: Span) -> Expr {
        let declared = self.type_name(name);
        let natural = self.size_of(declared.ty.ty, "alignof", span);
        match self.integer_of(&natural) {
            Some(align) if align < i128::from(declared.align) => {
                self.integer_literal(i128::from(declared.align), natural.ty, span)
            }
            _ => natural,
        }
    }

    /// The number of elements of a type, 4 for vectors of 3 (OpenCL C §6.15.13).
    pub(super) fn vec_step(&mut self, ty: TypeId, span: Span) -> Expr {
        if self.types.is_error(ty) {
            return self.error_value(span);
        }
        let Some((_, lanes)) = self.types.as_arithmetic(ty) else {
            let text = self.type_text(ty);
            self.error(span, format!("'vec_step' requires built-in scalar or vector type, '{text}' invalid"));
            return self.error_value(span);
        };
        let int = self.int();
        self.integer_literal(i128::from(lanes.next_power_of_two()), int, span)
    }

    /// `_Static_assert`.
    pub(super) fn static_assert(&mut self, assertion: &ast::StaticAssert) {
        if self.integer_constant(&assertion.condition) != Some(0) {
            return;
        }
        let text = assertion.message.as_deref().map(String::from_utf8_lossy);
        let message = match text {
            Some(text) => format!("static assertion failed: {text}"),
            None => "static assertion failed".to_owned(),
        };
        self.error(assertion.condition.span, message);
    }

    /// The value of an expression that must be an integer constant expression (C99 §6.6).
    pub(super) fn integer_constant(&mut self, expr: &ast::Expr) -> Option<i128> {
        let value = self.value(expr);
        if self.types.is_error(value.ty) {
            return None;
        }
        let result = self.integer_of(&value);
        if result.is_none() {
            self.error(expr.span, "expression is not an integer constant expression");
        }
        result
    }

    /// The value of an expression of integer type, if it is constant.
    pub(super) fn integer_of(&self, value: &Expr) -> Option<i128> {
        let kind = self.types.as_scalar(value.ty).filter(|kind| kind.is_integer())?;
        match self.evaluate(value)? {
            super::constant::Value::Lanes(lanes) => Some(super::constant::to_integer(kind, *lanes.first()?)),
            super::constant::Value::Address(..) => None,
        }
    }

    /// An expression as a condition of type `bool`: scalars and pointers are compared with zero.
    pub(super) fn condition(&mut self, expr: &ast::Expr) -> Expr {
        self.warn_of_assigned_condition(expr);
        let value = self.value(expr);
        self.truth(value)
    }

    /// A value as `bool`.
    pub(super) fn truth(&mut self, value: Expr) -> Expr {
        let bool = self.bool();
        if self.types.is_error(value.ty) || value.ty == bool {
            return value;
        }
        if self.types.pointee(value.ty).is_some() {
            return self.convert(value, Conversion::PointerToBool, bool);
        }
        if let ExprKind::Block(block) = &value.kind {
            let span = value.span;
            let known = self.integer_literal(i128::from(block.function.is_some()), bool, span);
            return Expr { kind: ExprKind::Comma(Box::new(value), Box::new(known)), ty: bool, span };
        }
        if self.types.as_scalar(value.ty).is_some() {
            return self.convert_arithmetic(value, bool);
        }
        let text = self.type_text(value.ty);
        let span = value.span;
        let message = format!("statement requires expression of scalar type ('{text}' invalid)");
        let mut diagnostic = Diagnostic::error(span, message);
        if self.types.as_vector(value.ty).is_some_and(|(kind, _)| kind.is_integer()) {
            diagnostic = diagnostic.note("any() and all() decide by the components (their highest bits)");
        }
        self.report(diagnostic);
        self.error_value(span)
    }

    /// A temporary object that holds a value, for uses that need an object; `None` outside functions.
    pub(super) fn materialized(&mut self, value: Expr) -> Option<Place> {
        self.current.as_ref()?;
        let (_, align) = self.types.layout(value.ty)?;
        let (ty, span) = (QualifiedType::from(value.ty), value.span);
        let local = self.add_local(Local { name: String::new(), ty, align, span });
        let kind = PlaceKind::CompoundLiteral(local, Box::new(Initializer::Value(value)));
        Some(self.place(kind, ty, AddressSpace::Private, span))
    }

    /// An object that the checker creates.
    pub(super) fn place(&self, kind: PlaceKind, ty: QualifiedType, space: AddressSpace, span: Span) -> Place {
        Place { kind, ty, space, span }
    }
}
