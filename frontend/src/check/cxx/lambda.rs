//! Function bodies that are being checked, and lambda expressions ([expr.prim.lambda]).

use super::cleanup::{Cleanup, Temporary};
use super::expression::Value;
use super::function::{DefaultArgument, Function, Kind, Parameter, Progress};
use super::initialize::Init;
use super::scope::{Entity, ScopeKind, Storage};
use super::statement::bypass::Bypass;
use super::types::Type;
use super::{Cxx, FnId, VarId};
use crate::Span;
use crate::ast::Name;
use crate::cxx::ast::{Access, ClassKey, Lambda, TypeSpecifier};
use crate::diagnostic::Diagnostic;
use crate::hir::{LocalId, Place, PlaceKind};
use crate::types::{QualifiedType, RecordId, TypeQualifiers};
use clvk_ir::AddressSpace;
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// The parameters of a function in the HIR that are not in the source.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Home {
    /// The address of the result.
    pub result: Option<LocalId>,
    /// `this`.
    pub this: Option<LocalId>,
}

impl Home {
    pub fn of(by_memory: bool, has_this: bool) -> Home {
        let result = by_memory.then_some(LocalId(0));
        let this = has_this.then_some(LocalId(u32::from(by_memory)));
        Home { result, this }
    }
}

/// A function body that is being checked.
#[derive(Debug)]
pub(super) struct Frame {
    pub function: FnId,
    pub home: Home,
    pub result: Type,
    /// The result, if it was declared `auto` and a `return` was found.
    pub deduced: Option<Type>,
    /// Parameters that are addresses of objects.
    pub indirect: FxHashSet<LocalId>,
    /// Objects to destroy, by scope.
    pub cleanups: Vec<Vec<Cleanup>>,
    /// Objects in local memory, which the end of a kernel destroys.
    pub local_cleanups: Vec<Cleanup>,
    /// A `return`, if there was one.
    pub returned: Option<Span>,
    /// For each loop and switch, the number of scopes around it; the second is that of `continue`.
    pub jumps: Vec<(usize, Option<usize>)>,
    /// Temporary objects of the current full expression.
    pub temporaries: Vec<Temporary>,
    /// Whether the current part of an expression may not be evaluated.
    pub conditional: usize,
    /// Flags of temporaries, to be cleared when the expression begins.
    pub flags: Vec<LocalId>,
    pub closure: Option<Rc<Closure>>,
    /// The result for which the body must be checked again, because it is returned in memory.
    pub restart: Option<Type>,
    /// What jumps may bypass.
    pub bypass: Bypass,
}

impl Frame {
    pub fn new(function: FnId, home: Home) -> Frame {
        Frame {
            function,
            home,
            result: Type::of(crate::types::Types::new().error()),
            deduced: None,
            indirect: FxHashSet::default(),
            cleanups: vec![Vec::new()],
            local_cleanups: Vec::new(),
            returned: None,
            jumps: Vec::new(),
            temporaries: Vec::new(),
            conditional: 0,
            flags: Vec::new(),
            closure: None,
            restart: None,
            bypass: Bypass::default(),
        }
    }
}

/// What a closure holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Captured {
    Variable(VarId),
    /// The pointer, or (true) the object.
    This(bool),
    /// A structured binding, by its number.
    Binding(usize),
    /// `[name = value]`.
    New(Name),
}

/// A captured variable and the field that holds it, or its address.
#[derive(Clone, Copy, Debug)]
pub(super) struct CapturedField {
    pub what: Captured,
    pub by_reference: bool,
    pub field: usize,
}

/// The type of a lambda expression.
#[derive(Debug)]
pub(super) struct Closure {
    pub record: RecordId,
    pub fields: Vec<CapturedField>,
    /// Whether it says so. One that does not is constexpr if it can be ([expr.prim.lambda.closure]/4).
    pub is_constexpr: bool,
}

impl Cxx<'_> {
    pub(super) fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("inside a function")
    }

    /// A lambda expression: an object of a class that is made for it.
    pub(super) fn lambda(&mut self, lambda: &Rc<Lambda>, span: Span) -> Value {
        let is_local = self.frames.last().is_some_and(|frame| frame.function != super::global::START);
        if !is_local && lambda.default.is_some() || self.frames.is_empty() && !lambda.captures.is_empty() {
            self.error(span, "non-local lambda expression cannot have a capture-default or captures");
            return self.error_value_of(span);
        }
        let key = (Rc::as_ptr(lambda) as usize, self.scope);
        if let Some(known) = self.closures.get(&key).copied() {
            return self.closure_object(lambda, known, span);
        }
        self.lambdas += 1;
        let text = format!("(lambda {})", self.lambdas);
        let symbol = self.checker.interner.intern(&text);
        let record = self.add_class(Some(Name { symbol, span }), ClassKey::Class, self.scope, span);
        let mut fields = Vec::new();
        let mut inits = Vec::new();
        self.explicit_captures(lambda, record, &mut fields, &mut inits);
        self.implicit_captures(lambda, record, &mut fields, &mut inits);
        self.lay_out(record, 1, None);
        let closure = Rc::new(Closure { record, fields, is_constexpr: lambda.is_constexpr });
        self.class_mut(record).is_complete = true;
        let id = self.closure_function(lambda, record, &closure, span);
        self.class_mut(record).closure = Some(id);
        let call = self.operator_symbol(crate::cxx::ast::Operator::Call);
        let scope = self.class(record).scope;
        self.bind_in(scope, Name { symbol: call, span }, Entity::Functions(vec![id]));
        self.declare_implicit(record);
        self.closures.insert(key, record);
        if self.function(id).template.is_none() {
            self.body(id);
        }
        self.closure_of(record, inits, span)
    }

    /// Another object of a lambda expression that was seen before: checking it again, for its type or its
    /// value, gives the same class.
    fn closure_object(&mut self, lambda: &Rc<Lambda>, record: RecordId, span: Span) -> Value {
        let scratch = self.add_class(None, ClassKey::Class, self.scope, span);
        let (mut fields, mut inits) = (Vec::new(), Vec::new());
        self.explicit_captures(lambda, scratch, &mut fields, &mut inits);
        self.implicit_captures(lambda, scratch, &mut fields, &mut inits);
        self.closure_of(record, inits, span)
    }

    fn closure_of(&mut self, record: RecordId, inits: Vec<Init>, span: Span) -> Value {
        let ty = self.class(record).ty;
        let parts = self
            .class(record)
            .fields
            .iter()
            .map(|field| (field.offset, field.ty))
            .zip(inits)
            .map(|((offset, ty), init)| (offset, ty, init))
            .collect();
        Value::Class(Box::new(super::initialize::Prvalue::new(
            ty,
            super::initialize::PrvalueKind::Parts { this: None, parts },
            span,
        )))
    }

    fn add_capture(
        &mut self,
        record: RecordId,
        ty: Type,
        what: Captured,
        by_reference: bool,
        fields: &mut Vec<CapturedField>,
    ) {
        let span = self.class(record).span;
        let target = match self.types.pointee(ty.ty()) {
            Some((target, _)) => target.ty,
            None => self.without_reference(ty).ty(),
        };
        if self.types.is_parameter_only(target) {
            let text = self.type_text(target);
            self.error(
                span,
                format!("an object of type '{text}' cannot be captured: pass it as an argument"),
            );
        }
        let class = self.class_mut(record);
        class.fields.push(super::class::Field {
            name: None,
            ty,
            offset: 0,
            default: None,
            is_mutable: false,
            is_injected: false,
        });
        class.implicit.field_aligns.push(1);
        class.has_hidden_parts = true;
        let field = class.fields.len() - 1;
        fields.push(CapturedField { what, by_reference, field });
    }

    fn explicit_captures(
        &mut self,
        lambda: &Lambda,
        record: RecordId,
        fields: &mut Vec<CapturedField>,
        inits: &mut Vec<Init>,
    ) {
        for (number, capture) in lambda.captures.iter().enumerate() {
            let again = |other: &crate::cxx::ast::Capture| {
                other.name.map(|name| name.symbol) == capture.name.map(|name| name.symbol)
            };
            if lambda.captures[..number].iter().any(again) {
                self.error(capture.span, "a variable or 'this' can appear only once in a capture list");
                continue;
            }
            if lambda.default == Some(capture.by_reference)
                && capture.initializer.is_none()
                && capture.name.is_some()
            {
                let what = if capture.by_reference {
                    "'&' cannot precede a capture when the capture default is '&'"
                } else {
                    "'&' must precede a capture when the capture default is '='"
                };
                self.error(capture.span, what);
                continue;
            }
            let hides = |param: &crate::cxx::ast::Param| {
                let name = param.declarator.name.as_ref().and_then(|name| name.plain());
                name.map(|name| name.symbol) == capture.name.map(|name| name.symbol) && name.is_some()
            };
            if lambda.suffix.params.iter().any(hides) {
                self.error(capture.span, "a lambda parameter cannot shadow an explicitly captured entity");
                continue;
            }
            let Some(name) = capture.name else {
                self.capture_this(record, capture.by_reference, capture.span, fields, inits);
                continue;
            };
            if let Some(initializer) = &capture.initializer {
                match &capture.expansion {
                    Some(_) => self.error(capture.span, "a pack of captures with initializers needs C++20"),
                    None => {
                        let declared = if capture.by_reference {
                            let auto = Type::of(self.types.intern(crate::types::TypeKind::Auto));
                            self.reference_to(auto, false)
                        } else {
                            Type::of(self.types.intern(crate::types::TypeKind::Auto))
                        };
                        let Some((ty, init)) = self.deduced_initializer(declared, initializer, name.span)
                        else {
                            continue;
                        };
                        self.add_capture(record, ty, Captured::New(name), false, fields);
                        inits.push(init);
                    }
                }
                continue;
            }
            match self.find(name.symbol).map(|found| found.entity) {
                Some(Entity::Variable(id)) => {
                    if !matches!(self.variable(id).storage, Storage::Local(..)) {
                        let text = self.owned(name.symbol);
                        self.error(
                            name.span,
                            format!("'{text}' cannot be captured because it does not have automatic storage duration"),
                        );
                        continue;
                    }
                    self.capture_variable(record, id, capture.by_reference, name.span, fields, inits);
                }
                Some(Entity::Variables(ids)) => {
                    for id in ids {
                        self.capture_variable(record, id, capture.by_reference, name.span, fields, inits);
                    }
                }
                Some(Entity::Binding(place, number)) => {
                    // As clang has it; the name is none of a variable before C++20.
                    if self.class(record).name.is_some() {
                        let message = "captured structured bindings are a C++20 extension";
                        self.report(Diagnostic::warning(name.span, message));
                    }
                    self.capture_binding(record, &place, number, capture.by_reference, fields, inits);
                }
                Some(_) => {
                    let text = self.owned(name.symbol);
                    self.error(name.span, format!("'{text}' in capture list does not name a variable"));
                }
                None => {
                    let text = self.owned(name.symbol);
                    self.error(name.span, format!("use of undeclared identifier '{text}'"));
                }
            }
        }
    }

    fn capture_this(
        &mut self,
        record: RecordId,
        by_reference: bool,
        span: Span,
        fields: &mut Vec<CapturedField>,
        inits: &mut Vec<Init>,
    ) {
        let Some(this) = self.this_expr(span) else {
            self.error(span, "'this' cannot be captured in this context");
            return;
        };
        if by_reference {
            let ty = Type::of(this.ty);
            self.add_capture(record, ty, Captured::This(false), false, fields);
            inits.push(Init::Value(this));
            return;
        }
        let object = self.checker.dereference(this, span);
        let value = Value::from(object);
        let ty = Type::of(value.ty());
        let init = self.copy_initialize(ty, value, span);
        self.add_capture(record, ty, Captured::This(true), false, fields);
        inits.push(init);
    }

    fn capture_variable(
        &mut self,
        record: RecordId,
        id: VarId,
        by_reference: bool,
        span: Span,
        fields: &mut Vec<CapturedField>,
        inits: &mut Vec<Init>,
    ) {
        if fields.iter().any(|field| field.what == Captured::Variable(id)) {
            return;
        }
        let value = self.variable_value(id, span);
        self.capture_value(record, value, Captured::Variable(id), by_reference, span, fields, inits);
    }

    fn capture_binding(
        &mut self,
        record: RecordId,
        place: &Place,
        number: usize,
        by_reference: bool,
        fields: &mut Vec<CapturedField>,
        inits: &mut Vec<Init>,
    ) {
        if fields.iter().any(|field| field.what == Captured::Binding(number)) {
            return;
        }
        let span = place.span;
        // The lambda around may have captured it.
        let outer = self.captured(Captured::Binding(number), span);
        let value = Value::Place(outer.unwrap_or_else(|| place.clone()));
        self.capture_value(record, value, Captured::Binding(number), by_reference, span, fields, inits);
    }

    fn capture_value(
        &mut self,
        record: RecordId,
        value: Value,
        what: Captured,
        by_reference: bool,
        span: Span,
        fields: &mut Vec<CapturedField>,
        inits: &mut Vec<Init>,
    ) {
        let Value::Place(place) = value else {
            return;
        };
        if by_reference {
            let address = self.checker.address(place);
            let ty = Type::of(address.ty);
            self.add_capture(record, ty, what, true, fields);
            inits.push(Init::Value(address));
        } else {
            let ty = Type { q: place.ty, space: None };
            let copies = std::mem::replace(&mut self.copies_arrays, true);
            let init = self.copy_initialize(ty.plain(), Value::Place(place), span);
            self.copies_arrays = copies;
            self.add_capture(record, ty, what, false, fields);
            inits.push(init);
        }
    }

    /// Captures what the body names, if there is a default.
    fn implicit_captures(
        &mut self,
        lambda: &Lambda,
        record: RecordId,
        fields: &mut Vec<CapturedField>,
        inits: &mut Vec<Init>,
    ) {
        let Some(by_reference) = lambda.default else { return };
        let mut needs_this = false;
        for symbol in lambda.names.iter() {
            match self.find(*symbol).map(|found| found.entity) {
                Some(Entity::Variable(id)) => {
                    let variable = self.variable(id);
                    let is_local = matches!(variable.storage, Storage::Local(..));
                    let is_constant = variable.constant.is_some() && variable.is_constexpr;
                    if is_local && !is_constant {
                        let span = lambda.span;
                        self.capture_variable(record, id, by_reference, span, fields, inits);
                    }
                }
                Some(Entity::Variables(ids)) => {
                    for id in ids {
                        let span = lambda.span;
                        self.capture_variable(record, id, by_reference, span, fields, inits);
                    }
                }
                Some(Entity::Binding(place, number)) => {
                    self.capture_binding(record, &place, number, by_reference, fields, inits);
                }
                Some(Entity::Field(..) | Entity::Functions(_)) => needs_this = true,
                _ => {}
            }
        }
        let has_this = fields.iter().any(|field| matches!(field.what, Captured::This(_)));
        if !has_this
            && (needs_this || self.this_expr(lambda.span).is_some())
            && self.this_expr(lambda.span).is_some()
        {
            self.capture_this(record, true, lambda.span, fields, inits);
        }
    }

    /// The `operator()` of a closure; a template, if a parameter is `auto`.
    fn closure_function(
        &mut self,
        lambda: &Rc<Lambda>,
        record: RecordId,
        closure: &Rc<Closure>,
        span: Span,
    ) -> FnId {
        let scope = self.class(record).scope;
        let symbol = self.operator_symbol(crate::cxx::ast::Operator::Call);
        let is_generic =
            lambda.suffix.params.iter().any(|param| matches!(param.specifiers.ty, TypeSpecifier::Auto));
        let auto = Type::of(self.types.intern(crate::types::TypeKind::Auto));
        let mut space = Type::of(self.types.void());
        space = self.with_written(space, &lambda.suffix.qualifiers);
        let mut function = Function {
            symbol: Some(symbol),
            kind: Kind::Plain,
            params: Vec::new(),
            result: auto,
            class: Some(record),
            is_static: false,
            this_qualifiers: TypeQualifiers { is_const: !lambda.is_mutable, ..TypeQualifiers::default() },
            this_space: space.space.unwrap_or(AddressSpace::Generic),
            this_reference: None,
            is_explicit: false,
            is_deleted: false,
            is_defaulted: false,
            is_constexpr: true,
            is_kernel: false,
            is_internal: true,
            c_linkage: false,
            access: Access::Public,
            template: None,
            instance: None,
            suffix: lambda.suffix.clone(),
            returns_decltype: false,
            attributes: Rc::from([]),
            scope,
            body: Some(lambda.body.clone()),
            inherits: None,
            closure: Some(closure.clone()),
            hir: None,
            progress: Progress::None,
            may_throw: None,
            order: 0,
            horizon: self.horizon,
            span,
        };
        if is_generic {
            let template = self.lambda_template(lambda, function.clone());
            function.template = Some(template);
            let id = self.add_function(function);
            self.templates[template.0 as usize].function = Some(id);
            return id;
        }
        let inner = self.new_scope(scope, ScopeKind::Block);
        let suffix = lambda.suffix.clone();
        let (params, result) = self.in_scope(inner, |cxx| cxx.closure_signature(&suffix, scope));
        function.params = params;
        function.result = result.unwrap_or(auto);
        self.add_function(function)
    }

    /// Parameters and the written result of a closure's function.
    pub(super) fn closure_signature(
        &mut self,
        suffix: &Rc<crate::cxx::ast::FunctionSuffix>,
        scope: super::scope::ScopeId,
    ) -> (Vec<Parameter>, Option<Type>) {
        let types = self.parameter_types(&suffix.params);
        let params: Vec<Parameter> = types
            .into_iter()
            .map(|(ty, index)| {
                let default = DefaultArgument::of(&suffix.params[index], scope);
                Parameter::new(ty, index, default)
            })
            .collect();
        self.bind_unevaluated(suffix, &params);
        let result = suffix.trailing.as_ref().map(|trailing| self.type_name(trailing));
        (params, result)
    }

    /// Makes what a closure holds known in its body.
    pub(super) fn bind_captures(&mut self, closure: &Rc<Closure>) {
        self.frame().closure = Some(closure.clone());
        for field in &closure.fields {
            let Captured::New(name) = field.what else { continue };
            let span = name.span;
            let Some(place) = self.capture_place(field, span) else { continue };
            let number = (self.class(closure.record).scope.0 as usize) << 16 | field.field;
            self.bind(name, Entity::Binding(place, usize::MAX - number));
        }
    }

    /// The place of something that the current closure has captured.
    pub(super) fn captured(&mut self, what: Captured, span: Span) -> Option<Place> {
        let closure = self.frames.last()?.closure.clone()?;
        let field = *closure.fields.iter().find(|field| field.what == what)?;
        self.capture_place(&field, span)
    }

    fn capture_place(&mut self, captured: &CapturedField, span: Span) -> Option<Place> {
        let frame = self.frames.last()?;
        let closure = frame.closure.clone()?;
        let this = frame.home.this?;
        let field = self.class(closure.record).fields[captured.field].clone();
        let this = self.this_of(this, frame_function(self), span)?;
        let mut object = match self.checker.dereference(this, span) {
            super::super::expression::Operand::Place(place) => place,
            super::super::expression::Operand::Value(_) => return None,
        };
        let by_address = captured.by_reference || self.reference(field.ty.ty()).is_some();
        let is_const = object.ty.qualifiers.is_const;
        object.span = span;
        let hir = self.hir_type(field.ty.ty());
        let q = QualifiedType {
            ty: hir,
            qualifiers: TypeQualifiers {
                is_const: is_const || field.ty.q.qualifiers.is_const,
                ..field.ty.q.qualifiers
            },
        };
        let space = object.space;
        let place = Place { kind: PlaceKind::Member(Box::new(object), field.offset), ty: q, space, span };
        if !by_address {
            return Some(place);
        }
        let pointer = self.checker.load(place);
        match self.checker.dereference(pointer, span) {
            super::super::expression::Operand::Place(place) => Some(place),
            super::super::expression::Operand::Value(_) => None,
        }
    }
}

fn frame_function(cxx: &Cxx) -> FnId {
    cxx.frames.last().expect("inside a function").function
}
