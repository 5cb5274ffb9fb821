//! What constructors do before their bodies ([class.base.init]).

use crate::Span;
use crate::check::cxx::class::Field;
use crate::check::cxx::evaluate::{InitializedPart, offset_from_object};
use crate::check::cxx::expression::{Given, Value};
use crate::check::cxx::initialize::{Init, Prvalue, PrvalueKind};
use crate::check::cxx::scope::{Entity, ScopeId};
use crate::check::cxx::types::Type;
use crate::check::cxx::{Cxx, FnId};
use crate::cxx::ast::{Body, ClassKey, Id, MemberInitializer};
use crate::hir::{self, Expr, Place, Statement, StatementKind};
use crate::types::RecordId;
use clvk_ir::AddressSpace;

/// What a member initialiser initialises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    Itself,
    Base(RecordId),
    Field(usize),
}

/// A member initialiser that a constructor writes, with its place and the scope of its names.
struct Written<'b> {
    target: Target,
    item: &'b MemberInitializer,
    at: Span,
    scope: ScopeId,
}

impl Cxx<'_> {
    /// The object that `this` points to in the current function.
    pub(super) fn this_place(&mut self, span: Span) -> Option<Place> {
        let frame = self.frames.last()?;
        let (function, this) = (frame.function, frame.home.this?);
        let this = self.this_of(this, function, span)?;
        match self.checker.dereference(this, span) {
            crate::check::expression::Operand::Place(place) => Some(place),
            crate::check::expression::Operand::Value(_) => None,
        }
    }

    /// One initialisation of a part of `*this`, with the temporaries that it makes.
    pub(super) fn part_statements(
        &mut self,
        offset: u64,
        ty: Type,
        span: Span,
        out: &mut Vec<Statement>,
        make: impl FnOnce(&mut Self) -> Init,
    ) {
        let Some(this) = self.this_place(span) else { return };
        self.statements_in((this, offset), ty, span, out, make);
    }

    /// The same of a part of any object.
    fn statements_in(
        &mut self,
        (object, offset): (Place, u64),
        ty: Type,
        span: Span,
        out: &mut Vec<Statement>,
        make: impl FnOnce(&mut Self) -> Init,
    ) {
        let before = self.begin_full();
        let init = make(self);
        let (hir, space) = (self.hir_type(ty.ty()), object.space);
        let start = offset_from_object(&object).map(|start| start + offset);
        let statements = out.len();
        let kind = hir::PlaceKind::Member(Box::new(object), offset);
        let mut stores = Vec::new();
        self.emit(&Place { kind, ty: hir.into(), space, span }, ty, init, &mut stores);
        let (first, last) = self.end_full(before, span);
        out.extend(first);
        out.extend(
            stores.into_iter().map(|expr| Statement { span: expr.span, kind: StatementKind::Expr(expr) }),
        );
        out.extend(last);
        let end = start.zip(self.types.layout(hir)).map(|(start, (size, _))| start + size);
        if let (Some(end), Some(frame)) = (end, self.frames.last()) {
            let part = InitializedPart { statements: statements..out.len(), end };
            self.initialized_parts.entry(frame.function).or_default().push(part);
        }
    }

    /// What a constructor does before its body: bases, then members, in the order of their declaration.
    pub(in crate::check::cxx) fn constructor_prologue(
        &mut self,
        id: FnId,
        body: Option<&Body>,
        out: &mut Vec<Statement>,
    ) {
        let function = self.function(id).clone();
        let Some(record) = function.class else { return };
        if function.is_defaulted && function.params.len() == 1 {
            self.copy_members(id, record, out);
            return;
        }
        let list = self.written_initializers(record, body);
        if let Some(written) = list.iter().find(|written| written.target == Target::Itself) {
            if list.len() > 1 {
                self.error(written.at, "an initializer for a delegating constructor must appear alone");
            }
            self.delegate(id, record, written, out);
            return;
        }
        self.initialize_bases(id, record, &list, out);
        let is_union = self.class(record).key == ClassKey::Union;
        let fields = self.class(record).fields.clone();
        let any_written = list.iter().any(|written| matches!(written.target, Target::Field(_)));
        for (index, field) in fields.iter().enumerate() {
            match list.iter().find(|written| written.target == Target::Field(index)) {
                Some(written) => {
                    let (initializer, at) = (written.item.initializer.clone(), written.at);
                    let Some(this) = self.this_place(at) else { continue };
                    let part = self.anonymous_place(this, record, index);
                    self.statements_in(part, field.ty, at, out, |cxx| {
                        cxx.initialize(field.ty, &initializer, at)
                    });
                }
                None if field.is_injected || (is_union && any_written) => {}
                None => self.initialize_unwritten(record, field, function.span, out),
            }
        }
    }

    /// The member initialisers that a constructor writes.
    fn written_initializers<'b>(&mut self, record: RecordId, body: Option<&'b Body>) -> Vec<Written<'b>> {
        let mut list: Vec<Written<'b>> = Vec::new();
        for item in body.map(|body| body.initializers.as_slice()).unwrap_or_default() {
            let at = item.name.span;
            if let Some(names) = &item.expansion {
                let each = self.expand(names, at, |cxx| (cxx.initializer_target(record, item), cxx.scope));
                let each = each.into_iter();
                list.extend(
                    each.filter_map(|(target, scope)| Some(Written { target: target?, item, at, scope })),
                );
                continue;
            }
            let Some(target) = self.initializer_target(record, item) else { continue };
            if let Some(previous) = list.iter().find(|written| written.target == target) {
                let message = "multiple initializations given for a member or base";
                let diagnostic = crate::diagnostic::Diagnostic::error(at, message);
                self.report(diagnostic.related(previous.at, "previous initialization is here"));
                continue;
            }
            list.push(Written { target, item, at, scope: self.scope });
        }
        list
    }

    /// What a constructor that delegates to another one does.
    fn delegate(&mut self, id: FnId, record: RecordId, written: &Written<'_>, out: &mut Vec<Statement>) {
        let (ty, at) = (Type::of(self.class(record).ty), written.at);
        let initializer = written.item.initializer.clone();
        self.part_statements(0, ty, at, out, |cxx| {
            let init = cxx.initialize(ty, &initializer, at);
            cxx.check_delegation(id, &init, at);
            init
        });
    }

    fn initialize_bases(
        &mut self,
        id: FnId,
        record: RecordId,
        list: &[Written<'_>],
        out: &mut Vec<Statement>,
    ) {
        let (inherits, span) = (self.function(id).inherits, self.function(id).span);
        for base in self.class(record).bases.clone() {
            let ty = Type::of(self.class(base.record).ty);
            let inherited = inherits.filter(|id| self.function(*id).class == Some(base.record));
            if let Some(inherited) = inherited {
                self.call_inherited(id, inherited, base.offset, ty, out);
                continue;
            }
            match list.iter().find(|written| written.target == Target::Base(base.record)) {
                Some(&Written { item, at, scope, .. }) => {
                    let initializer = item.initializer.clone();
                    self.part_statements(base.offset, ty, at, out, |cxx| {
                        cxx.in_scope(scope, |cxx| cxx.initialize(ty, &initializer, at))
                    });
                }
                None => {
                    self.part_statements(base.offset, ty, span, out, |cxx| cxx.default_initialize(ty, span))
                }
            }
        }
    }

    /// Initialises a member for which the constructor writes nothing.
    fn initialize_unwritten(
        &mut self,
        record: RecordId,
        field: &Field,
        span: Span,
        out: &mut Vec<Statement>,
    ) {
        let ty = field.ty;
        if let Some(default) = field.default.as_ref().and_then(|cell| cell.get()) {
            let (default, scope) = (default.clone(), self.class(record).scope);
            self.part_statements(field.offset, ty, span, out, |cxx| {
                cxx.in_scope(scope, |cxx| cxx.initialize(ty, &default, span))
            });
            return;
        }
        if self.class(record).key == ClassKey::Union {
            return;
        }
        let is_reference = self.reference(ty.ty()).is_some();
        if is_reference || (ty.q.qualifiers.is_const && self.is_trivially_default(ty.ty())) {
            let name = field.name.map_or(String::new(), |name| self.owned(name));
            let kind = if is_reference { "reference" } else { "const" };
            let message = format!("constructor must explicitly initialize the {kind} member '{name}'");
            self.error(span, message);
        } else if !self.is_left_alone(field) {
            self.part_statements(field.offset, ty, span, out, |cxx| cxx.default_initialize(ty, span));
        }
    }

    /// Reports a constructor that delegates to itself, also through others ([class.base.init]/6).
    fn check_delegation(&mut self, id: FnId, init: &Init, span: Span) {
        let Init::Class(Prvalue { kind: PrvalueKind::Construct { function: target, .. }, .. }) = init else {
            return;
        };
        let mut next = Some(*target);
        while let Some(at) = next {
            if at == id {
                let text = self.function_text(id);
                self.error(span, format!("constructor '{text}' creates a delegation cycle"));
                return;
            }
            next = self.delegations.get(&at).copied();
        }
        self.delegations.insert(id, *target);
    }

    /// What a member initialiser names.
    fn initializer_target(&mut self, record: RecordId, item: &MemberInitializer) -> Option<Target> {
        let span = item.name.span;
        if let Some(name) = item.name.plain() {
            let scope = self.class(record).scope;
            let own = self.scope_ref(scope).names.get(&name.symbol).map(|slot| slot.entity.clone());
            if let Some(Entity::Field(owner, index)) = own
                && owner == record
            {
                return Some(Target::Field(index));
            }
        }
        let found = match item.name.last().id {
            Id::Name(symbol) => match item.name.is_qualified() {
                false => self.find(symbol).map(|found| found.entity),
                true => self.resolve(&item.name).map(|found| found.entity),
            },
            _ => None,
        };
        let ty = match found {
            Some(Entity::Type(_) | Entity::Template(_)) if item.name.last().arguments.is_some() => {
                self.named_type(&item.name)
            }
            Some(Entity::Type(ty)) => ty,
            // A base that is an instance of a template, by the template's name alone.
            Some(Entity::Template(template)) => {
                let bases = self.class(record).bases.clone();
                let base = bases.iter().find(|base| {
                    self.class(base.record).instance.as_ref().is_some_and(|(known, _)| *known == template)
                });
                match base {
                    Some(base) => Type::of(self.class(base.record).ty),
                    None => self.named_type(&item.name),
                }
            }
            _ => {
                let text = item.name.plain().map_or(String::new(), |name| self.owned(name.symbol));
                let class = self.type_text(self.class(record).ty);
                self.error(
                    span,
                    format!("member initializer '{text}' does not name a non-static data member or base class of '{class}'"),
                );
                return None;
            }
        };
        if self.is_error_type(ty) {
            return None;
        }
        let named = self.record_of(ty.ty());
        if named == Some(record) {
            return Some(Target::Itself);
        }
        if let Some(named) = named
            && self.class(record).bases.iter().any(|base| base.record == named)
        {
            return Some(Target::Base(named));
        }
        let text = self.text_of(ty);
        self.error(span, format!("type '{text}' is not a direct base of the class"));
        None
    }

    fn call_inherited(&mut self, id: FnId, inherited: FnId, offset: u64, ty: Type, out: &mut Vec<Statement>) {
        let function = self.function(id).clone();
        let span = function.span;
        let first = 1;
        let mut given = Vec::new();
        for (index, param) in function.params.iter().enumerate() {
            let local = hir::LocalId(first + index as u32);
            let value = self.parameter_object(local, param.ty, span);
            given.push(Given::Value(value));
        }
        let record = self.record_of(ty.ty()).expect("a base class");
        self.part_statements(offset, ty, span, out, |cxx| {
            match cxx.construct_by(record, inherited, given, span) {
                Value::Class(prvalue) => Init::Class(*prvalue),
                _ => Init::Error,
            }
        });
    }

    /// A parameter as the object that it is, to be passed on.
    pub(super) fn parameter_object(&mut self, local: hir::LocalId, ty: Type, span: Span) -> Value {
        if let Some(reference) = self.reference(ty.ty()) {
            let pointer = self.hir_type(ty.ty());
            let holder = self.local_place(local, pointer, span);
            let address = Expr { kind: hir::ExprKind::Load(holder), ty: pointer, span };
            let kind = hir::PlaceKind::Deref(Box::new(address));
            let place = Place { kind, ty: reference.target, space: reference.space, span };
            return if reference.is_rvalue { Value::Moved(place) } else { Value::Place(place) };
        }
        if self.is_passed_in_memory(ty.ty()) {
            let pointer = self.types.pointer(ty.ty().into(), AddressSpace::Private);
            let holder = self.local_place(local, pointer, span);
            let address = Expr { kind: hir::ExprKind::Load(holder), ty: pointer, span };
            let kind = hir::PlaceKind::Deref(Box::new(address));
            return Value::Moved(Place { kind, ty: ty.q, space: AddressSpace::Private, span });
        }
        Value::Moved(Place {
            kind: hir::PlaceKind::Local(local),
            ty: ty.q,
            space: AddressSpace::Private,
            span,
        })
    }
}
