//! Literals with the suffix of a program ([lex.ext], [over.literal]).

use super::Cxx;
use super::expression::{Given, Set, Value};
use super::function::Parameter;
use super::scope::Entity;
use crate::Span;
use crate::ast::{BasicType, Name};
use crate::cxx::ast::{
    Expr as Ast, ExprKind, FunctionDecl, FunctionSuffix, Id, Param, TemplateDecl, TemplateParam,
    TemplateParamKind, TypeSpecifier,
};
use crate::symbol::Symbol;
use crate::types::{ScalarKind, TypeId};

impl Cxx<'_> {
    pub(super) fn user_literal(&mut self, literal: &Ast, text: Symbol, suffix: Name, span: Span) -> Value {
        let name = format!("operator\"\"{}", self.owned(suffix.symbol));
        let symbol = self.checker.interner.intern(&name);
        let Some(Entity::Functions(functions)) = self.find(symbol).map(|found| found.entity) else {
            self.error(span, format!("no matching literal operator for call to '{name}'"));
            return self.error_value_of(span);
        };
        let value = self.expression(literal);
        let given = match &literal.kind {
            // The value in the largest type ([lex.ext]).
            ExprKind::Int(bits, _) => {
                let ulong = self.types.scalar(ScalarKind::ULong);
                vec![Given::Value(Value::Expr(self.constant(*bits, ulong, span)))]
            }
            ExprKind::Str(bytes) => {
                let size = self.checker.size_type();
                let length = self.constant(bytes.len() as u64, size, span);
                vec![Given::Value(value), Given::Value(Value::Expr(length))]
            }
            _ => vec![Given::Value(value)],
        };
        let is_number = matches!(literal.kind, ExprKind::Int(..) | ExprKind::Float(..));
        let takes = self
            .attempt(|cxx| match cxx.resolve_overload(&functions, None, &given, None) {
                super::overload::Resolved::One(_) => Some(()),
                _ => None,
            })
            .flatten()
            .is_some();
        let is_template = functions.iter().any(|id| self.function(*id).template.is_some());
        if !takes && is_number && is_template {
            return self.literal_template(functions, text, suffix, symbol, span);
        }
        let given = match takes || !is_number {
            true => given,
            // A raw literal operator takes the text.
            false => {
                let text = self.owned(text);
                vec![Given::Value(Value::from(self.checker.string_literal(text.as_bytes(), span)))]
            }
        };
        let set = Set {
            name: Name { symbol, span: suffix.span },
            functions,
            object: None,
            naming: None,
            explicit: None,
            is_open: false,
            is_qualified: false,
        };
        self.call_set(set, given, span)
    }

    /// A literal operator template takes the characters of a number.
    fn literal_template(
        &mut self,
        functions: Vec<super::FnId>,
        text: Symbol,
        suffix: Name,
        symbol: Symbol,
        span: Span,
    ) -> Value {
        use crate::cxx::ast::{TemplateArgument, TemplateArgumentKind};
        let text = self.owned(text);
        let arguments = text.bytes().map(|byte| {
            let expr = Ast { kind: ExprKind::Char(i32::from(byte)), span };
            TemplateArgument { kind: TemplateArgumentKind::Expr(expr), expansion: None, span }
        });
        let explicit = Some(arguments.collect());
        let name = Name { symbol, span: suffix.span };
        let set = Set {
            name,
            functions,
            object: None,
            naming: None,
            explicit,
            is_open: false,
            is_qualified: false,
        };
        self.call_set(set, Vec::new(), span)
    }

    /// The parameters that a literal operator may have ([over.literal]/3).
    pub(super) fn check_literal_operator(
        &mut self,
        params: &[Parameter],
        suffix: &FunctionSuffix,
        is_member: bool,
        span: Span,
    ) {
        if is_member {
            self.error(span, "literal operator must be in a namespace or global scope");
        }
        if params.iter().any(|param| param.default.is_some()) {
            self.error(span, "literal operator cannot have a default argument");
        }
        let is_text = |cxx: &Self, ty: TypeId| {
            let target = cxx.types.pointee(ty).map(|(target, _)| target);
            target.is_some_and(|it| {
                it.qualifiers.is_const && cxx.types.as_scalar(it.ty) == Some(ScalarKind::Char)
            })
        };
        let is_size = |cxx: &Self, ty: TypeId| cxx.types.as_scalar(ty) == Some(ScalarKind::ULong);
        let is_right = match params {
            // A template of characters.
            [] => self.in_instance(),
            [only] => match self.types.as_scalar(only.ty.ty()) {
                Some(ScalarKind::Char) => true,
                Some(ScalarKind::ULong | ScalarKind::Double) => self.is_longest(&suffix.params[only.index]),
                _ => is_text(self, only.ty.ty()),
            },
            [text, size] => is_text(self, text.ty.ty()) && is_size(self, size.ty.ty()),
            _ => false,
        };
        if !is_right {
            self.error(span, "parameters of this literal operator have invalid types");
        }
    }

    /// Whether a number is written as `long long` or `long double`, perhaps with a name of the program.
    fn is_longest(&self, param: &Param) -> bool {
        match &param.specifiers.ty {
            TypeSpecifier::Named(name) => name.plain().is_none_or(|name| self.find(name.symbol).is_some()),
            TypeSpecifier::Basic(_) => param.specifiers.is_longest,
            _ => true,
        }
    }

    /// A template of literal operators takes nothing but characters as arguments ([over.literal]/5).
    pub(super) fn check_literal_template(&mut self, template: &TemplateDecl, function: &FunctionDecl) {
        let Some(name) = &function.declarator.name else { return };
        if !matches!(name.last().id, Id::Literal(_)) {
            return;
        }
        if !function.suffix().params.is_empty() {
            self.error(name.span, "literal operator template cannot have any parameters");
            return;
        }
        let of_type = |param: &TemplateParam, wanted: &dyn Fn(&TypeSpecifier) -> bool| {
            let TemplateParamKind::Value { specifiers, declarator, .. } = &param.kind else { return false };
            param.is_pack && declarator.derived.is_empty() && wanted(&specifiers.ty)
        };
        let is_right = match template.params.as_slice() {
            [only] => of_type(only, &|ty| matches!(ty, TypeSpecifier::Basic(BasicType::Char))),
            // An extension of clang's.
            [first, rest] => {
                matches!(first.kind, TemplateParamKind::Type)
                    && of_type(
                        rest,
                        &|ty| matches!(ty, TypeSpecifier::Named(name) if name.plain().map(|it| it.symbol) == first.name.map(|it| it.symbol)),
                    )
            }
            _ => false,
        };
        if !is_right {
            let message =
                "template parameter list for literal operator must be either 'char...' or 'typename T, T...'";
            self.error(name.span, message);
        }
    }
}
