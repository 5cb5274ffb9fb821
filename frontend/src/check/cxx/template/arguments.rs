//! Arguments of templates: as written, as values, completed by defaults ([temp.arg]).

use super::Argument;
use super::object::Designated;
use crate::Span;
use crate::check::cxx::evaluate::Stop;
use crate::check::cxx::expression::Value;
use crate::check::cxx::scope::{Entity, ScopeId, ScopeKind};
use crate::check::cxx::types::Type;
use crate::check::cxx::{Cxx, FnId, TemplateId};
use crate::cxx::ast::{
    Expr as Ast, ExprKind, Id, QualifiedName, TemplateArgument, TemplateArgumentKind, TemplateParam,
    TemplateParamKind, TypeSpecifier,
};
use crate::diagnostic::Diagnostic;
use crate::hir::{Expr, ExprKind as Hir, PlaceKind};
use crate::types::{TypeId, TypeKind};
use std::rc::Rc;

/// The numbers from here on represent parameters where templates are compared.
const PLACEHOLDERS: u64 = 0x4000_0000;

/// A template argument before it is matched with its parameter.
#[derive(Debug)]
struct Raw {
    argument: RawKind,
    span: Span,
}

#[derive(Debug)]
enum RawKind {
    /// A type; its class template, if it is named by the injected name.
    Type(Type, Option<TemplateId>),
    Value(Expr, Option<Designated>),
    Template(TemplateId),
}

impl Cxx<'_> {
    /// Arguments that are like no others, for comparing templates.
    pub(in crate::check::cxx) fn unique_arguments(&mut self, template: TemplateId) -> Vec<Argument> {
        let params = self.template(template).params.clone();
        let scope = self.template(template).scope;
        let mut arguments: Vec<Argument> = Vec::new();
        for param in params.iter() {
            let argument = match &param.kind {
                TemplateParamKind::Type => Argument::Type(self.placeholder(param.span)),
                TemplateParamKind::Value { specifiers, declarator, .. } => {
                    let inner = self.bound_scope(scope, &params, &arguments);
                    let ty = self
                        .attempt(|cxx| {
                            cxx.in_scope(inner, |cxx| {
                                let base = cxx.specifiers(specifiers);
                                cxx.declarator_type(base, declarator)
                            })
                        })
                        .unwrap_or_else(|| Type::of(self.types.error()));
                    let ty = if self.has_auto(ty.ty()) { self.checker.int() } else { ty.ty() };
                    self.unique_value(PLACEHOLDERS, ty)
                }
                TemplateParamKind::Template(_) => Argument::Template(template),
            };
            arguments.push(if param.is_pack { Argument::Pack(vec![argument]) } else { argument });
        }
        arguments
    }

    /// A value that is like no other, from the numbers that begin here.
    pub(in crate::check::cxx) fn unique_value(&mut self, first: u64, ty: TypeId) -> Argument {
        self.lambdas += 1;
        let value = first + u64::from(self.lambdas);
        match self.types.as_vector(ty) {
            Some((_, lanes)) => Argument::Lanes(vec![value; lanes as usize], ty),
            None => Argument::Value(value, ty),
        }
    }

    /// A type that is like no other.
    pub(in crate::check::cxx) fn placeholder(&mut self, span: Span) -> Type {
        let record = self.add_class(None, crate::cxx::ast::ClassKey::Struct, ScopeId(0), span);
        self.class_mut(record).is_complete = true;
        let definition = self.types.record_mut(record);
        (definition.members, definition.size) = (Some(Vec::new()), 1);
        let ty = self.class(record).ty;
        self.class_mut(record).is_placeholder = true;
        Type::of(ty)
    }

    /// Whether arguments are made of those that represent parameters.
    pub(super) fn mention_placeholder(&self, arguments: &[Argument]) -> bool {
        arguments.iter().any(|argument| match argument {
            Argument::Type(ty) => self.mentions_placeholder(ty.ty(), 0),
            Argument::Value(value, _) => self.is_placeholder_value(*value),
            Argument::Lanes(lanes, _) => self.is_placeholder_value(lanes[0]),
            Argument::Pack(list) => self.mention_placeholder(list),
            Argument::Template(_) | Argument::Object(..) => false,
        })
    }

    fn is_placeholder_value(&self, value: u64) -> bool {
        (PLACEHOLDERS..=PLACEHOLDERS + u64::from(self.lambdas)).contains(&value)
    }

    /// Whether a function is made of arguments that represent parameters.
    pub(in crate::check::cxx) fn is_of_placeholder(&self, id: FnId) -> bool {
        let function = self.function(id);
        let own =
            function.instance.as_ref().is_some_and(|(_, arguments)| self.mention_placeholder(arguments));
        own || function.class.is_some_and(|record| self.mentions_placeholder(self.class(record).ty, 0))
    }

    fn mentions_placeholder(&self, ty: TypeId, depth: usize) -> bool {
        if depth > crate::check::TYPE_NESTING {
            return false;
        }
        match self.types.kind(ty) {
            TypeKind::Pointer { pointee: inner, .. }
            | TypeKind::Reference { target: inner, .. }
            | TypeKind::Array { element: inner, .. } => self.mentions_placeholder(inner.ty, depth + 1),
            TypeKind::Record(record) => self.class(*record).is_placeholder,
            _ => false,
        }
    }

    /// A scope in which parameters mean their arguments.
    pub(in crate::check::cxx) fn bound_scope(
        &mut self,
        outer: ScopeId,
        params: &[TemplateParam],
        arguments: &[Argument],
    ) -> ScopeId {
        let scope = self.new_scope(outer, ScopeKind::Template);
        for (param, argument) in params.iter().zip(arguments) {
            if let Some(name) = param.name {
                let entity = self.argument_entity(argument, name);
                self.bind_in(scope, name, entity);
            }
        }
        scope
    }

    /// A template's arguments as written, one for each parameter. Errors are reported.
    pub(in crate::check::cxx) fn arguments(
        &mut self,
        template: TemplateId,
        written: &[TemplateArgument],
        span: Span,
    ) -> Option<Vec<Argument>> {
        let params = self.template(template).params.clone();
        let scope = self.template(template).scope;
        let flat = self.written_arguments(written)?;
        self.complete_arguments(template, &params, scope, flat, span)
    }

    /// Arguments for the first parameters of a function template.
    pub(in crate::check::cxx) fn leading_arguments(
        &mut self,
        template: TemplateId,
        written: &[TemplateArgument],
    ) -> Option<Vec<Argument>> {
        let params = self.template(template).params.clone();
        let scope = self.template(template).scope;
        let mut rest = self.written_arguments(written)?.into_iter();
        let mut arguments: Vec<Argument> = Vec::new();
        for param in params.iter() {
            if param.is_pack {
                let mut list = Vec::new();
                for raw in rest.by_ref() {
                    list.push(self.fitting(param, &params, scope, &arguments, raw)?);
                }
                if !list.is_empty() {
                    arguments.push(Argument::Pack(list));
                }
                break;
            }
            let Some(raw) = rest.next() else { break };
            arguments.push(self.fitting(param, &params, scope, &arguments, raw)?);
        }
        rest.next().is_none().then_some(arguments)
    }

    /// Arguments without the parameters that they are for, packs expanded.
    pub(in crate::check::cxx) fn flat_arguments(
        &mut self,
        written: &[TemplateArgument],
    ) -> Option<Vec<Argument>> {
        let raws = self.written_arguments(written)?;
        let mut list = Vec::new();
        for raw in raws {
            list.push(match raw.argument {
                RawKind::Type(ty, _) => Argument::Type(ty),
                RawKind::Template(id) => Argument::Template(id),
                RawKind::Value(value, _) => {
                    let ty = Type::of(value.ty);
                    self.value_argument(value, ty, raw.span)?
                }
            });
        }
        Some(list)
    }

    /// What arguments are, before they are matched with parameters.
    fn written_arguments(&mut self, written: &[TemplateArgument]) -> Option<Vec<Raw>> {
        let mut flat = Vec::new();
        for argument in written {
            match &argument.expansion {
                Some(names) => {
                    let each = self.expand(names, argument.span, |cxx| cxx.raw_argument(argument));
                    for raw in each {
                        flat.push(raw?);
                    }
                }
                None => flat.push(self.raw_argument(argument)?),
            }
        }
        Some(flat)
    }

    fn raw_argument(&mut self, argument: &TemplateArgument) -> Option<Raw> {
        let span = argument.span;
        match &argument.kind {
            TemplateArgumentKind::Type(ty) => {
                if ty.declarator.derived.is_empty()
                    && let TypeSpecifier::Named(name) = &ty.specifiers.ty
                    && let Id::Name(_) = name.last().id
                {
                    // The name of a template, of a value that depends on a parameter, or of a type.
                    let found = match name.is_qualified() {
                        true => self.attempt(|cxx| cxx.resolve(name)).flatten(),
                        false => self.resolve(name),
                    };
                    match found.map(|found| found.entity) {
                        Some(Entity::Template(id)) if name.last().arguments.is_none() => {
                            return Some(Raw { argument: RawKind::Template(id), span });
                        }
                        Some(Entity::Constant(expr)) => {
                            return Some(Raw { argument: RawKind::Value(Expr { span, ..expr }, None), span });
                        }
                        Some(Entity::Variable(_) | Entity::Enumerator(..) | Entity::Field(..)) => {
                            let expr = Ast { kind: ExprKind::Name(name.clone()), span };
                            return self.raw_value(&expr, span);
                        }
                        Some(Entity::Type(own)) if name.last().arguments.is_none() => {
                            // The injected name of a class template is also the template.
                            let ty = self.type_name(ty);
                            let template = self.template_of_type(own);
                            if self.is_error_type(ty) {
                                self.note_error();
                                return None;
                            }
                            return Some(Raw { argument: RawKind::Type(ty, template), span });
                        }
                        _ => {}
                    }
                }
                let ty = self.type_name(ty);
                if self.is_error_type(ty) {
                    self.note_error();
                    return None;
                }
                Some(Raw { argument: RawKind::Type(ty, None), span })
            }
            TemplateArgumentKind::Expr(expr) => {
                if let ExprKind::Name(name) = &expr.kind
                    && let Some(Entity::Template(id)) = self.peek_entity(name)
                    && name.last().arguments.is_none()
                {
                    return Some(Raw { argument: RawKind::Template(id), span });
                }
                if let ExprKind::Name(name) = &expr.kind
                    && let Some(Entity::Type(ty)) = self.peek_entity(name)
                {
                    return Some(Raw { argument: RawKind::Type(ty, None), span });
                }
                self.raw_value(expr, span)
            }
        }
    }

    /// What a name means, without messages.
    pub(in crate::check::cxx) fn peek_entity(&mut self, name: &QualifiedName) -> Option<Entity> {
        self.attempt(|cxx| cxx.resolve(name)).flatten().map(|found| found.entity)
    }

    fn raw_value(&mut self, expr: &Ast, span: Span) -> Option<Raw> {
        if let ExprKind::Str(_) = expr.kind {
            self.error(span, "a string literal is not allowed in a template argument");
            return None;
        }
        let mut designated = None;
        let value = self.in_initializer(|cxx| {
            cxx.full_value(|cxx| {
                let value = cxx.expression(expr);
                designated = Designated::of(expr, &value);
                cxx.rvalue(value, span)
            })
        });
        if self.types.is_error(value.ty) {
            self.note_error();
            return None;
        }
        Some(Raw { argument: RawKind::Value(value, designated), span })
    }

    /// Arguments for all parameters, with defaults.
    fn complete_arguments(
        &mut self,
        template: TemplateId,
        params: &Rc<Vec<TemplateParam>>,
        scope: ScopeId,
        flat: Vec<Raw>,
        span: Span,
    ) -> Option<Vec<Argument>> {
        let mut rest = flat.into_iter().peekable();
        let mut arguments: Vec<Argument> = Vec::new();
        for param in params.iter() {
            if param.is_pack {
                let mut list = Vec::new();
                for raw in rest.by_ref() {
                    list.push(self.fitting(param, params, scope, &arguments, raw)?);
                }
                arguments.push(Argument::Pack(list));
                continue;
            }
            let argument = match rest.next() {
                Some(raw) => self.fitting(param, params, scope, &arguments, raw)?,
                None => match self.default_template_argument(param, params, scope, &arguments) {
                    Some(argument) => argument,
                    None => {
                        if param.default.is_none() {
                            let text = self.owned(self.template(template).name.symbol);
                            self.error(span, format!("too few template arguments for template '{text}'"));
                        }
                        return None;
                    }
                },
            };
            arguments.push(argument);
        }
        if let Some(extra) = rest.next() {
            let text = self.owned(self.template(template).name.symbol);
            self.error(extra.span, format!("too many template arguments for template '{text}'"));
            return None;
        }
        Some(arguments)
    }

    /// The default argument of a parameter, with the parameters before it bound.
    pub(in crate::check::cxx) fn default_template_argument(
        &mut self,
        param: &TemplateParam,
        params: &Rc<Vec<TemplateParam>>,
        scope: ScopeId,
        before: &[Argument],
    ) -> Option<Argument> {
        let default = param.default.clone()?;
        let inner = self.bound_scope(scope, param.named_in.as_ref().unwrap_or(params), before);
        let raw = self.in_scope(inner, |cxx| cxx.raw_argument(&default))?;
        self.fitting(param, params, scope, before, raw)
    }

    /// An argument as its parameter takes it.
    fn fitting(
        &mut self,
        param: &TemplateParam,
        params: &Rc<Vec<TemplateParam>>,
        scope: ScopeId,
        before: &[Argument],
        raw: Raw,
    ) -> Option<Argument> {
        let span = raw.span;
        match (&param.kind, raw.argument) {
            (TemplateParamKind::Type, RawKind::Type(ty, _)) => Some(Argument::Type(ty)),
            (TemplateParamKind::Template(wanted), RawKind::Template(id) | RawKind::Type(_, Some(id))) => {
                if !self.fits_template_param(wanted, id) {
                    let message = "template template argument has different template parameters than \
                                   its corresponding template template parameter";
                    self.error(span, message);
                    return None;
                }
                Some(Argument::Template(id))
            }
            (TemplateParamKind::Value { specifiers, declarator, .. }, RawKind::Value(value, designated)) => {
                let inner = self.bound_scope(scope, params, before);
                let ty = self.in_scope(inner, |cxx| {
                    let base = cxx.specifiers(specifiers);
                    cxx.declarator_type(base, declarator)
                });
                match self.reference_type(specifiers, ty, designated.as_ref()) {
                    Some(ty) => self.object_argument(ty, designated, span),
                    None => self.value_argument(value, ty, span),
                }
            }
            (kind, _) => {
                let what = match kind {
                    TemplateParamKind::Type => "a type",
                    TemplateParamKind::Value { .. } => "an expression",
                    TemplateParamKind::Template(_) => "a class template",
                };
                let name = param.name.map_or(String::new(), |name| format!(" '{}'", self.owned(name.symbol)));
                self.error(span, format!("template argument for parameter{name} must be {what}"));
                None
            }
        }
    }

    fn value_argument(&mut self, value: Expr, ty: Type, span: Span) -> Option<Argument> {
        if self.is_error_type(ty) || self.types.is_error(value.ty) {
            self.note_error();
            return None;
        }
        let target = match self.has_auto(ty.ty()) {
            true => value.ty,
            false => ty.ty(),
        };
        // An object of a class is converted by a function of the class.
        let value = match self.record_of(value.ty).is_some() && self.record_of(target).is_none() {
            true => self.in_initializer(|cxx| {
                cxx.full_value(|cxx| cxx.implicit(Value::Expr(value), target, span, "template argument"))
            }),
            false => value,
        };
        if self.types.is_error(value.ty) {
            return None;
        }
        if let Hir::AddressOf(crate::hir::Place { kind: PlaceKind::Global(id), space, .. }) = &value.kind {
            return self.address_argument((*id, *space), &value, target, span);
        }
        if self.types.as_arithmetic(target).is_some_and(|(kind, _)| kind.is_float()) {
            let text = self.type_text(target);
            self.error(span, format!("a non-type template parameter cannot have type '{text}' before C++20"));
            return None;
        }
        if self.types.as_vector(target).is_some() {
            return self.vector_argument(value, target, span);
        }
        let from = value.ty;
        let bits = match self.evaluated(&value) {
            Ok(bits) => bits,
            Err(reason) => return self.not_constant(*reason, span),
        };
        if bits != 0 && self.types.pointee(from).is_some() {
            self.error(span, "non-type template argument refers to a part of an object");
            return None;
        }
        if from == target {
            return Some(Argument::Value(bits, target));
        }
        let (Some(a), Some(b)) = (self.types.as_scalar(from), self.types.as_scalar(target)) else {
            let is_null = matches!(self.types.kind(from), TypeKind::Nullptr);
            if is_null && self.types.pointee(target).is_some() {
                return Some(Argument::Value(0, target));
            }
            let (a, b) = (self.type_text(from), self.type_text(target));
            self.error(span, format!("value of type '{a}' is not implicitly convertible to '{b}'"));
            return None;
        };
        let enums = matches!(self.types.kind(target), TypeKind::Enum(_)) || self.is_scoped_enum(from);
        if enums || a.is_float() {
            let (a, b) = (self.type_text(from), self.type_text(target));
            self.error(span, format!("value of type '{a}' is not implicitly convertible to '{b}'"));
            return None;
        }
        let converted = crate::check::constant::convert(a, b, bits);
        let exact =
            crate::check::constant::to_integer(a, bits) == crate::check::constant::to_integer(b, converted);
        if !exact {
            let text = self.type_text(target);
            self.error(
                span,
                format!(
                    "non-type template argument evaluates to a value that cannot be narrowed to type '{text}'"
                ),
            );
            return None;
        }
        Some(Argument::Value(converted, target))
    }

    /// A vector, which is an argument in OpenCL C++ (§2.1).
    fn vector_argument(&mut self, value: Expr, target: TypeId, span: Span) -> Option<Argument> {
        if !self.options.is_opencl_cxx() {
            let text = self.type_text(target);
            self.checker.unsupported(span, format_args!("a vector as a template argument ('{text}')"));
            return None;
        }
        let value = self.implicit(Value::Expr(value), target, span, "template argument");
        if self.types.is_error(value.ty) {
            return None;
        }
        match self.evaluated_lanes(&value) {
            Ok(lanes) => Some(Argument::Lanes(lanes, target)),
            Err(reason) => self.not_constant(*reason, span),
        }
    }

    fn not_constant(&mut self, reason: Stop, span: Span) -> Option<Argument> {
        let diagnostic = Diagnostic::error(span, "non-type template argument is not a constant expression");
        self.report(match reason.span == Span::NONE {
            true => diagnostic.note(reason.reason),
            false => diagnostic.related(reason.span, reason.reason),
        });
        None
    }

    /// Arguments as messages and names show them.
    pub(in crate::check::cxx) fn arguments_text(&self, arguments: &[Argument]) -> String {
        let mut parts = Vec::new();
        for argument in arguments {
            self.argument_text(argument, &mut parts);
        }
        format!("<{}>", parts.join(", "))
    }

    fn argument_text(&self, argument: &Argument, parts: &mut Vec<String>) {
        match argument {
            Argument::Type(ty) => parts.push(self.text_of(*ty)),
            Argument::Value(bits, ty) => {
                let kind = self.types.as_scalar(*ty);
                parts.push(match kind {
                    Some(crate::types::ScalarKind::Bool) => (*bits != 0).to_string(),
                    Some(kind) => crate::check::constant::to_integer(kind, *bits).to_string(),
                    None => "nullptr".to_owned(),
                });
            }
            Argument::Lanes(lanes, ty) => {
                let (kind, _) = self.types.as_vector(*ty).expect("a vector");
                let lanes =
                    lanes.iter().map(|bits| crate::check::constant::to_integer(kind, *bits).to_string());
                parts.push(format!("{}({})", self.type_text(*ty), lanes.collect::<Vec<_>>().join(", ")));
            }
            Argument::Object(global, ..) => {
                parts.push(format!("&{}", self.checker.globals[global.0 as usize].name));
            }
            Argument::Template(template) => parts.push(self.owned(self.template(*template).name.symbol)),
            Argument::Pack(list) => {
                for argument in list {
                    self.argument_text(argument, parts);
                }
            }
        }
    }
}
