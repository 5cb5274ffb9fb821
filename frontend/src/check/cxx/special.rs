//! Special member functions: which classes have them, and what the compiler makes of them ([special]).

use super::class::Field;
use super::expression::{Given, Value};
use super::function::{Function, Kind, Parameter, Progress};
use super::initialize::Init;
use super::overload::Resolved;
use super::scope::Entity;
use super::types::Type;
use super::{Cxx, FnId};
use crate::Span;
use crate::ast::Name;
use crate::cxx::ast::{
    Access, Attribute, Body, ClassKey, FunctionSuffix, Id, Initializer, MemberInitializer, Operator,
    Qualifiers, TemplateArgumentKind,
};
use crate::hir::{self, Expr, Place, Statement, StatementKind};
use crate::types::{RecordId, ScalarKind, TypeId, TypeKind, TypeQualifiers};
use clvk_ir::AddressSpace;
use std::rc::Rc;

/// What is known of a class's special members.
#[derive(Debug, Default)]
pub(super) struct Implicit {
    pub field_aligns: Vec<u32>,
    /// Members of anonymous unions: their number, the inner class, and the number there.
    pub injected: Vec<(usize, RecordId, usize, Span)>,
    /// The default constructor does nothing.
    pub is_trivially_default: bool,
    /// Copying an object copies its bytes, and it need not be destroyed.
    pub is_trivially_copyable: bool,
    pub is_trivially_destructible: bool,
    /// Constructors that the program declares; inherited ones count.
    pub has_own_constructor: bool,
}

impl Cxx<'_> {
    /// Adds the special members that a class does not declare.
    pub(super) fn declare_implicit(&mut self, record: RecordId) {
        let ty = self.class(record).ty;
        let (key, span) = (self.class(record).key, self.class(record).span);
        let is_union = key == ClassKey::Union;
        let closure = self.class(record).closure.is_some() || self.is_closure(record);
        let has_constructor = !self.class(record).constructors.is_empty();
        self.class_mut(record).implicit.has_own_constructor = has_constructor;
        let parts = self.parts_of(record);
        // Triviality.
        let assign = self.operator_symbol(Operator::Assign(None));
        let scope = self.class(record).scope;
        let assigns: Vec<FnId> =
            match self.scope_ref(scope).names.get(&assign).map(|slot| slot.entity.clone()) {
                Some(Entity::Functions(list)) => list,
                _ => Vec::new(),
            };
        let is_copy = |cxx: &Self, id: FnId| {
            let function = cxx.function(id);
            function.template.is_none()
                && !function.params.is_empty()
                && function.params[1..].iter().all(|param| param.default.is_some())
                && cxx.without_reference(function.params[0].ty).ty() == ty
        };
        let constructors = self.class(record).constructors.clone();
        let user = |cxx: &Self, id: FnId| !cxx.function(id).is_defaulted && !cxx.function(id).is_deleted;
        let copies: Vec<FnId> = constructors.iter().copied().filter(|id| is_copy(self, *id)).collect();
        let copy_assigns: Vec<FnId> = assigns.iter().copied().filter(|id| is_copy(self, *id)).collect();
        let destructor = self.class(record).destructor;
        let own_destructor = destructor.is_some_and(|id| user(self, id));
        let parts_destructible = parts.iter().all(|part| self.is_trivially_destructible(part.ty.ty()));
        let parts_copyable = parts
            .iter()
            .all(|part| self.reference(part.ty.ty()).is_some() || self.is_trivially_copyable(part.ty.ty()));
        let own_copy = copies.iter().chain(&copy_assigns).any(|id| user(self, *id));
        let destructible = !own_destructor && parts_destructible;
        let own_default = constructors.iter().copied().find(|id| {
            let function = self.function(*id);
            function.template.is_none() && function.params.iter().all(|param| param.default.is_some())
        });
        let has_defaults = self.class(record).fields.iter().any(|field| field.default.is_some());
        let parts_default = parts.iter().all(|part| self.is_trivially_default(part.ty.ty()));
        let is_default_own = own_default.is_some_and(|id| user(self, id));
        let implicit = &mut self.class_mut(record).implicit;
        implicit.is_trivially_destructible = destructible;
        implicit.is_trivially_copyable = destructible && parts_copyable && !own_copy;
        let has_default = own_default.is_some() || !has_constructor;
        implicit.is_trivially_default = has_default && !is_default_own && !has_defaults && parts_default;
        // Which are declared.
        let by_reference = |cxx: &mut Self, is_rvalue: bool| {
            let mut target = Type::of(ty);
            if !is_rvalue {
                target.q.qualifiers = TypeQualifiers::CONST;
            }
            cxx.reference_to(target, is_rvalue)
        };
        let copy_type = by_reference(self, false);
        let move_type = by_reference(self, true);
        let is_move = |cxx: &Self, id: FnId| {
            cxx.reference(cxx.function(id).params[0].ty.ty()).is_some_and(|reference| reference.is_rvalue)
        };
        let has_move = copies.iter().chain(&copy_assigns).any(|id| is_move(self, *id));
        let has_copy = copies.iter().any(|id| !is_move(self, *id));
        let has_move_constructor = copies.iter().any(|id| is_move(self, *id));
        let has_copy_assign = copy_assigns.iter().any(|id| !is_move(self, *id));
        let has_move_assign = copy_assigns.iter().any(|id| is_move(self, *id));
        let has_copies = has_copy || has_copy_assign;
        if !has_constructor && !closure {
            let deleted = !is_union && !self.parts_have_default(record);
            let id = self.implicit_function(record, Kind::Constructor, None, deleted, span);
            self.class_mut(record).constructors.push(id);
        } else if let Some(id) = own_default
            && self.function(id).is_defaulted
            && !is_union
            && !self.parts_have_default(record)
        {
            self.function_mut(id).is_deleted = true;
        }
        if !has_copy {
            let deleted = has_move || !self.parts_copy(&parts, false);
            let id = self.implicit_function(record, Kind::Constructor, Some(copy_type), deleted, span);
            self.class_mut(record).constructors.push(id);
        }
        if !has_move_constructor && !has_copies && !has_move_assign && destructor.is_none() {
            let id = self.implicit_function(record, Kind::Constructor, Some(move_type), false, span);
            self.class_mut(record).constructors.push(id);
        }
        for id in copies {
            if self.function(id).is_defaulted && !is_move(self, id) && !self.parts_copy(&parts, false) {
                self.function_mut(id).is_deleted = true;
            }
        }
        let fixed = self.class(record).fields.iter().any(|field| {
            self.reference(field.ty.ty()).is_some()
                || field.ty.q.qualifiers.is_const && self.record_of(field.ty.ty()).is_none()
        });
        let mut more = Vec::new();
        if !has_copy_assign {
            let deleted = has_move || fixed || closure || !self.parts_copy(&parts, true);
            more.push(self.implicit_function(record, Kind::Plain, Some(copy_type), deleted, span));
        }
        if !has_move_assign
            && !has_copies
            && !has_move_constructor
            && destructor.is_none()
            && !fixed
            && !closure
        {
            more.push(self.implicit_function(record, Kind::Plain, Some(move_type), false, span));
        }
        if !more.is_empty() {
            let all: Vec<FnId> = assigns.into_iter().chain(more).collect();
            self.bind_in(scope, Name { symbol: assign, span }, Entity::Functions(all));
        }
        if destructor.is_none() && !destructible {
            let id = self.implicit_function(record, Kind::Destructor, None, false, span);
            self.class_mut(record).destructor = Some(id);
        }
    }

    fn is_closure(&self, record: RecordId) -> bool {
        self.class(record).name.is_some_and(|name| self.text(name).starts_with("(lambda"))
    }

    /// Bases and members as if all were members.
    fn parts_of(&self, record: RecordId) -> Vec<Field> {
        let class = self.class(record);
        let bases = class.bases.iter().map(|base| Field {
            name: None,
            ty: Type::of(self.class(base.record).ty),
            offset: base.offset,
            default: None,
            is_mutable: false,
            is_injected: false,
            span: class.span,
        });
        bases.chain(class.fields.iter().filter(|field| !field.is_injected).cloned()).collect()
    }

    fn parts_have_default(&mut self, record: RecordId) -> bool {
        self.parts_of(record).into_iter().all(|part| {
            if part.default.is_some() {
                return true;
            }
            let element = self.element_of(part.ty.ty());
            if self.reference(element).is_some() {
                return false;
            }
            let Some(inner) = self.record_of(element) else { return !part.ty.q.qualifiers.is_const };
            let list = self.class(inner).constructors.clone();
            list.into_iter().any(|id| {
                let function = self.function(id);
                !function.is_deleted
                    && function.params.iter().all(|param| param.default.is_some())
                    && (function.template.is_none() || function.params.is_empty())
            })
        })
    }

    /// Whether all parts can be copied (or, for `assign`, assigned).
    fn parts_copy(&mut self, parts: &[Field], assign: bool) -> bool {
        parts.iter().all(|part| {
            let element = self.element_of(part.ty.ty());
            let Some(inner) = self.record_of(element) else { return true };
            let list = match assign {
                false => self.class(inner).constructors.clone(),
                true => {
                    let symbol = self.operator_symbol(Operator::Assign(None));
                    match self.find_member(inner, symbol).map(|found| found.entity) {
                        Some(Entity::Functions(list)) => list,
                        _ => Vec::new(),
                    }
                }
            };
            let ty = self.class(inner).ty;
            list.into_iter().any(|id| {
                let function = self.function(id);
                !function.is_deleted
                    && function.params.len() == 1
                    && self.without_reference(function.params[0].ty).ty() == ty
                    && self.reference(function.params[0].ty.ty()).is_none_or(|reference| !reference.is_rvalue)
            })
        })
    }

    fn is_trivially_default(&self, ty: TypeId) -> bool {
        match self.record_of(self.element_of(ty)) {
            Some(record) => self.class(record).implicit.is_trivially_default,
            None => true,
        }
    }

    pub(super) fn is_trivially_copyable(&mut self, ty: TypeId) -> bool {
        let element = self.element_of(ty);
        match self.record_of(element) {
            Some(record) => {
                self.require_complete(record, Span::NONE);
                self.class(record).implicit.is_trivially_copyable
            }
            None => true,
        }
    }

    pub(super) fn is_trivially_destructible(&self, ty: TypeId) -> bool {
        match self.record_of(self.element_of(ty)) {
            Some(record) => self.class(record).implicit.is_trivially_destructible,
            None => true,
        }
    }

    /// Whether a class is an aggregate ([dcl.init.aggr]).
    pub(super) fn is_aggregate(&self, record: RecordId) -> bool {
        let class = self.class(record);
        !class.implicit.has_own_constructor && !class.has_hidden_parts && !self.is_closure(record)
    }

    /// Whether a class has the layout that a C structure has ([class]/7).
    pub(super) fn is_standard_layout(&self, record: RecordId) -> bool {
        let class = self.class(record);
        let own = class.fields.iter().filter(|field| !field.is_injected).count();
        let access: std::collections::BTreeSet<Access> = class
            .fields
            .iter()
            .filter_map(|field| field.name)
            .map(|name| class.access.get(&name).copied().unwrap_or(Access::Public))
            .collect();
        if access.len() > 1 {
            return false;
        }
        let mut holders = usize::from(own > 0);
        for base in &class.bases {
            if !self.is_standard_layout(base.record) {
                return false;
            }
            holders += usize::from(self.class(base.record).data_size > 0);
        }
        holders <= 1
            && class.fields.iter().all(|field| {
                let element = self.element_of(field.ty.ty());
                self.reference(element).is_none()
                    && self.record_of(element).is_none_or(|inner| self.is_standard_layout(inner))
            })
    }

    /// The destructor that must be called, if there is anything to do.
    pub(super) fn destructor_of(&mut self, record: RecordId, span: Span) -> Option<FnId> {
        self.require_complete(record, span);
        if self.class(record).implicit.is_trivially_destructible {
            if let Some(id) = self.class(record).destructor
                && self.function(id).is_deleted
            {
                let text = self.type_text(self.class(record).ty);
                self.error(span, format!("attempt to use a deleted function: the destructor of '{text}'"));
            }
            return None;
        }
        let id = self.class(record).destructor?;
        let access = self.function(id).access;
        if !self.may_access(record, access) {
            let text = self.type_text(self.class(record).ty);
            self.error(span, format!("the destructor of '{text}' is not accessible here"));
        }
        Some(id)
    }

    fn implicit_function(
        &mut self,
        record: RecordId,
        kind: Kind,
        param: Option<Type>,
        is_deleted: bool,
        span: Span,
    ) -> FnId {
        let suffix = Rc::new(FunctionSuffix {
            params: Vec::new(),
            variadic: None,
            qualifiers: Qualifiers::default(),
            reference: None,
            trailing: None,
            throws: None,
            span,
        });
        let ty = Type::of(self.class(record).ty);
        let result = match kind {
            Kind::Plain => self.reference_to(ty, false),
            _ => Type::of(self.types.void()),
        };
        let symbol = match kind {
            Kind::Plain => Some(self.operator_symbol(Operator::Assign(None))),
            _ => None,
        };
        let params = param.into_iter().map(|ty| Parameter { ty, index: usize::MAX, default: None }).collect();
        let scope = self.class(record).scope;
        self.add_function(Function {
            symbol,
            kind,
            params,
            result,
            class: Some(record),
            is_static: false,
            this_qualifiers: TypeQualifiers::default(),
            this_space: AddressSpace::Generic,
            this_reference: None,
            is_explicit: false,
            is_deleted,
            is_defaulted: true,
            is_constexpr: true,
            is_kernel: false,
            is_internal: true,
            c_linkage: false,
            access: Access::Public,
            template: None,
            instance: None,
            suffix,
            returns_decltype: false,
            attributes: Rc::from([]),
            scope,
            body: None,
            inherits: None,
            closure: None,
            hir: None,
            progress: Progress::None,
            order: 0,
            horizon: u32::MAX,
            span,
        })
    }

    /// `using Base::Base;`
    pub(super) fn inherit_constructor(&mut self, record: RecordId, id: FnId, access: Access) {
        let base = self.function(id).clone();
        if base.template.is_some() || base.params.is_empty() {
            return;
        }
        let ty = self.class(base.class.expect("a constructor has a class")).ty;
        let is_copy = base.params.len() == 1 && self.without_reference(base.params[0].ty).ty() == ty;
        if is_copy {
            return;
        }
        let scope = self.class(record).scope;
        let function = Function {
            class: Some(record),
            is_defaulted: false,
            body: None,
            inherits: Some(id),
            hir: None,
            progress: Progress::None,
            scope: base.scope,
            access: if base.access == Access::Public { access } else { base.access },
            ..base
        };
        _ = scope;
        let id = self.add_function(function);
        self.class_mut(record).constructors.push(id);
    }

    /// The object that `this` points to in the current function.
    pub(super) fn this_place(&mut self, span: Span) -> Option<Place> {
        let frame = self.frames.last()?;
        let (function, this) = (frame.function, frame.home.this?);
        let this = self.this_of(this, function, span)?;
        match self.checker.dereference(this, span) {
            super::super::expression::Operand::Place(place) => Some(place),
            super::super::expression::Operand::Value(_) => None,
        }
    }

    fn emit_part(&mut self, offset: u64, ty: Type, init: Init, span: Span, out: &mut Vec<Statement>) {
        let Some(this) = self.this_place(span) else { return };
        let hir = self.hir_type(ty.ty());
        let kind = hir::PlaceKind::Member(Box::new(this.clone()), offset);
        let place = Place { kind, ty: hir.into(), space: this.space, span };
        let mut stores = Vec::new();
        self.emit(&place, ty, init, &mut stores);
        out.extend(
            stores.into_iter().map(|expr| Statement { span: expr.span, kind: StatementKind::Expr(expr) }),
        );
    }

    /// One initialisation with the temporaries that it makes.
    fn part_statements(
        &mut self,
        offset: u64,
        ty: Type,
        span: Span,
        out: &mut Vec<Statement>,
        make: impl FnOnce(&mut Self) -> Init,
    ) {
        let before = self.begin_full();
        let init = make(self);
        let mut stores = Vec::new();
        self.emit_part(offset, ty, init, span, &mut stores);
        let (first, last) = self.end_full(before, span);
        out.extend(first);
        out.extend(stores);
        out.extend(last);
    }

    /// What a constructor does before its body: bases, then members, in the order of their declaration.
    pub(super) fn constructor_prologue(&mut self, id: FnId, body: Option<&Body>, out: &mut Vec<Statement>) {
        let function = self.function(id).clone();
        let Some(record) = function.class else { return };
        let span = function.span;
        if function.is_defaulted && function.params.len() == 1 {
            self.copy_members(id, record, out);
            return;
        }
        let mut list: Vec<(Target, &MemberInitializer, Span, super::scope::ScopeId)> = Vec::new();
        for item in body.map(|body| body.initializers.as_slice()).unwrap_or_default() {
            let at = item.name.span;
            match &item.expansion {
                Some(names) => {
                    let each =
                        self.expand(names, at, |cxx| (cxx.initializer_target(record, item), cxx.scope));
                    list.extend(
                        each.into_iter().filter_map(|(target, scope)| Some((target?, item, at, scope))),
                    );
                }
                None => {
                    if let Some(target) = self.initializer_target(record, item) {
                        if let Some((_, _, previous, _)) = list.iter().find(|(known, ..)| *known == target) {
                            let previous = *previous;
                            let diagnostic = crate::diagnostic::Diagnostic::error(
                                at,
                                "multiple initializations given for a member or base",
                            );
                            self.report(diagnostic.related(previous, "previous initialization is here"));
                            continue;
                        }
                        let scope = self.scope;
                        list.push((target, item, at, scope));
                    }
                }
            }
        }
        // A delegating constructor.
        if let Some((_, item, at, _)) = list.iter().find(|(target, ..)| *target == Target::Itself) {
            if list.len() > 1 {
                self.error(*at, "an initializer for a delegating constructor must appear alone");
            }
            let ty = Type::of(self.class(record).ty);
            let initializer = item.initializer.clone();
            self.part_statements(0, ty, *at, out, |cxx| cxx.initialize(ty, &initializer, *at));
            return;
        }
        let bases = self.class(record).bases.clone();
        for base in bases {
            let ty = Type::of(self.class(base.record).ty);
            let written = list.iter().find(|(target, ..)| *target == Target::Base(base.record));
            let inherited = function.inherits.filter(|id| self.function(*id).class == Some(base.record));
            if let Some(inherited) = inherited {
                self.call_inherited(id, inherited, base.offset, ty, out);
                continue;
            }
            match written {
                Some((_, item, at, scope)) => {
                    let initializer = item.initializer.clone();
                    self.part_statements(base.offset, ty, *at, out, |cxx| {
                        cxx.in_scope(*scope, |cxx| cxx.initialize(ty, &initializer, *at))
                    });
                }
                None => {
                    self.part_statements(base.offset, ty, span, out, |cxx| cxx.default_initialize(ty, span))
                }
            }
        }
        let is_union = self.class(record).key == ClassKey::Union;
        let fields = self.class(record).fields.clone();
        let any_written = list.iter().any(|(target, ..)| matches!(target, Target::Field(_)));
        for (index, field) in fields.iter().enumerate() {
            let written = list.iter().find(|(target, ..)| *target == Target::Field(index));
            if field.is_injected && written.is_none() {
                continue;
            }
            match written {
                Some((_, item, at, _)) => {
                    let initializer = item.initializer.clone();
                    self.part_statements(field.offset, field.ty, *at, out, |cxx| {
                        cxx.initialize(field.ty, &initializer, *at)
                    });
                }
                None if is_union && any_written => {}
                None => {
                    if let Some(default) = field.default.as_ref().and_then(|cell| cell.get()) {
                        let default = default.clone();
                        let scope = self.class(record).scope;
                        let ty = field.ty;
                        self.part_statements(field.offset, ty, span, out, |cxx| {
                            cxx.in_scope(scope, |cxx| cxx.initialize(ty, &default, span))
                        });
                        continue;
                    }
                    if is_union {
                        continue;
                    }
                    if self.reference(field.ty.ty()).is_some() {
                        let name = field.name.map_or(String::new(), |name| self.owned(name));
                        self.error(
                            span,
                            format!("constructor must explicitly initialize the reference member '{name}'"),
                        );
                        continue;
                    }
                    if field.ty.q.qualifiers.is_const && self.is_trivially_default(field.ty.ty()) {
                        let name = field.name.map_or(String::new(), |name| self.owned(name));
                        self.error(
                            span,
                            format!("constructor must explicitly initialize the const member '{name}'"),
                        );
                        continue;
                    }
                    let ty = field.ty;
                    self.part_statements(field.offset, ty, span, out, |cxx| cxx.default_initialize(ty, span));
                }
            }
        }
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
    fn parameter_object(&mut self, local: hir::LocalId, ty: Type, span: Span) -> Value {
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

    /// A copy or move constructor that the compiler makes.
    fn copy_members(&mut self, id: FnId, record: RecordId, out: &mut Vec<Statement>) {
        let function = self.function(id).clone();
        let span = function.span;
        let local = hir::LocalId(1);
        let other = self.parameter_object(local, function.params[0].ty, span);
        let is_move = matches!(other, Value::Moved(_));
        let Some(place) = other.place().cloned() else { return };
        let ty = self.class(record).ty;
        if self.class(record).implicit.is_trivially_copyable || self.class(record).key == ClassKey::Union {
            let value = self.checker.load(place);
            if let Some(this) = self.this_place(span) {
                let this = Place { ty: ty.into(), ..this };
                let store = self.store(this, value, span);
                out.push(Statement { kind: StatementKind::Expr(store), span });
            }
            return;
        }
        let before = std::mem::replace(&mut self.copies_arrays, true);
        for part in self.parts_of(record) {
            let from = self.part_of(&place, &part, is_move, span);
            let ty = part.ty;
            self.part_statements(part.offset, ty, span, out, |cxx| match cxx.reference(ty.ty()) {
                Some(reference) => {
                    Init::Value(cxx.bind_reference(Given::Value(from), reference, span, "member"))
                }
                None => cxx.copy_initialize(ty.plain(), from, span),
            });
        }
        self.copies_arrays = before;
    }

    fn part_of(&mut self, place: &Place, part: &Field, is_move: bool, span: Span) -> Value {
        if let Some(reference) = self.reference(part.ty.ty()) {
            let pointer = self.hir_type(part.ty.ty());
            let kind = hir::PlaceKind::Member(Box::new(place.clone()), part.offset);
            let holder = Place { kind, ty: pointer.into(), space: place.space, span };
            let address = Expr { kind: hir::ExprKind::Load(holder), ty: pointer, span };
            let kind = hir::PlaceKind::Deref(Box::new(address));
            return Value::Place(Place { kind, ty: reference.target, space: reference.space, span });
        }
        let mut q = part.ty.q;
        q.qualifiers.is_const |= place.ty.qualifiers.is_const;
        let kind = hir::PlaceKind::Member(Box::new(place.clone()), part.offset);
        let place = Place { kind, ty: q, space: place.space, span };
        if is_move { Value::Moved(place) } else { Value::Place(place) }
    }

    /// The body of an assignment or destructor that the compiler makes.
    pub(super) fn defaulted_body(&mut self, id: FnId, out: &mut Vec<Statement>) {
        let function = self.function(id).clone();
        let (Some(record), Kind::Plain) = (function.class, function.kind) else { return };
        let span = function.span;
        if function.params.len() != 1 {
            self.error(span, "only special member functions may be defaulted");
            return;
        }
        let other = self.parameter_object(hir::LocalId(1), function.params[0].ty, span);
        let is_move = matches!(other, Value::Moved(_));
        let (Some(place), Some(this)) = (other.place().cloned(), self.this_place(span)) else { return };
        let ty = self.class(record).ty;
        if self.class(record).implicit.is_trivially_copyable || self.class(record).key == ClassKey::Union {
            let value = self.checker.load(place);
            let target = Place { ty: ty.into(), ..this.clone() };
            let store = self.store(target, value, span);
            out.push(Statement { kind: StatementKind::Expr(store), span });
        } else {
            for part in self.parts_of(record) {
                let from = self.part_of(&place, &part, is_move, span);
                let to = self.part_of(&this, &part, false, span);
                self.assign_part(part.ty, to, from, span, out);
            }
        }
        let address = self.checker.address(this);
        let result = self.hir_type(function.result.ty());
        let address = self.checker.convert_pointer(address, result);
        out.push(Statement { kind: StatementKind::Return(Some(address)), span });
    }

    fn assign_part(&mut self, ty: Type, to: Value, from: Value, span: Span, out: &mut Vec<Statement>) {
        if let TypeKind::Array { element, length: Some(count) } = *self.types.kind(ty.ty()) {
            let (size, _) = self.types.layout(element.ty).unwrap_or((1, 1));
            let (Some(to), Some(from_place)) = (to.place().cloned(), from.place().cloned()) else { return };
            for index in 0..count.min(4096) {
                let part = |place: &Place| {
                    let kind = hir::PlaceKind::Member(Box::new(place.clone()), index * size);
                    Place { kind, ty: element, space: place.space, span }
                };
                let element = Type { q: element, space: None };
                let source = part(&from_place);
                let source =
                    if matches!(from, Value::Moved(_)) { Value::Moved(source) } else { Value::Place(source) };
                self.assign_part(element, Value::Place(part(&to)), source, span, out);
            }
            return;
        }
        let before = self.begin_full();
        let value = self.assignment_of(None, span, to, Given::Value(from), span);
        let expr = self.discarded(value, span);
        let (first, last) = self.end_full(before, span);
        out.extend(first);
        out.push(Statement { kind: StatementKind::Expr(expr), span });
        out.extend(last);
    }

    /// What a destructor does after its body: members, then bases, in the reverse order.
    pub(super) fn destructor_epilogue(&mut self, id: FnId, out: &mut Vec<Statement>) {
        let function = self.function(id).clone();
        let Some(record) = function.class else { return };
        let span = function.span;
        if self.class(record).key == ClassKey::Union || !self.checker.falls_through(out) {
            return;
        }
        for part in self.parts_of(record).into_iter().rev() {
            let Some(this) = self.this_place(span) else { return };
            if self.reference(part.ty.ty()).is_some() || self.is_trivially_destructible(part.ty.ty()) {
                continue;
            }
            let kind = hir::PlaceKind::Member(Box::new(this.clone()), part.offset);
            let place = Place { kind, ty: part.ty.q, space: this.space, span };
            if let Some(cleanup) = self.cleanup_of(&place, span) {
                for call in self.destruction(&cleanup) {
                    out.push(Statement { kind: StatementKind::Expr(call), span });
                }
            }
        }
    }

    /// `a = b` of classes.
    pub(super) fn class_assignment(
        &mut self,
        target: Value,
        record: RecordId,
        given: Given,
        span: Span,
    ) -> Value {
        self.require_complete(record, span);
        let discards = std::mem::take(&mut self.discards);
        let symbol = self.operator_symbol(Operator::Assign(None));
        let Some(Entity::Functions(list)) = self.find_member(record, symbol).map(|found| found.entity) else {
            let text = self.type_text(self.class(record).ty);
            self.error(span, format!("no viable overloaded '=' for '{text}'"));
            return self.error_value_of(span);
        };
        let given_list = vec![given.clone()];
        match self.resolve_overload(&list, Some(&target), &given_list, None) {
            Resolved::One(id) => {
                let function = self.function(id).clone();
                let ty = self.class(record).ty;
                let plain = function.is_defaulted && !function.is_deleted && self.is_trivially_copyable(ty);
                let same = matches!(&given, Given::Value(value)
                    if self.related(value.ty(), ty).is_some() && !matches!(value, Value::Functions(_)));
                if let (true, true, Value::Place(place), Given::Value(value)) = (plain, same, &target, given)
                {
                    // Bytes are copied.
                    let source = match value {
                        Value::Place(place) | Value::Moved(place) => {
                            let place = self.base_place(place, record);
                            self.checker.load(place)
                        }
                        value => self.rvalue(value, span),
                    };
                    let target = Place { ty: ty.into(), ..place.clone() };
                    if discards {
                        return Value::Expr(self.store(target, source, span));
                    }
                    let (prelude, target) = self.stable(target);
                    let mut store = self.store(target.clone(), source, span);
                    if let Some(prelude) = prelude {
                        let ty = store.ty;
                        store =
                            Expr { kind: hir::ExprKind::Comma(Box::new(prelude), Box::new(store)), ty, span };
                    }
                    return Value::Place(self.after(store, target));
                }
                if !self.may_access(record, function.access) {
                    let text = self.function_text(id);
                    self.error(span, format!("'{text}' is not accessible here"));
                }
                self.call_function(id, Some(target), given_list, span)
            }
            resolved => {
                let what = match resolved {
                    Resolved::Ambiguous(_) => "'operator='".to_owned(),
                    _ => "viable overloaded '='".to_owned(),
                };
                self.report_resolution(&what, &resolved, &list, Some(&target), &given_list, span);
                self.error_value_of(span)
            }
        }
    }

    /// `aligned`, `alignas` and `packed`.
    pub(super) fn layout_attributes(&mut self, attributes: &[Attribute]) -> (u32, bool) {
        let (mut align, mut packed) = (1, false);
        for attribute in attributes {
            match attribute.name.as_str() {
                "packed" => packed = true,
                "aligned" if attribute.arguments.is_empty() => align = align.max(128),
                "aligned" | "alignas" => {
                    let value = match attribute.arguments.first().map(|argument| &argument.kind) {
                        Some(TemplateArgumentKind::Type(ty)) => {
                            let ty = self.type_name(ty);
                            self.types.layout(ty.ty()).map(|(_, align)| i128::from(align))
                        }
                        Some(TemplateArgumentKind::Expr(expr)) => self.constant_of(expr, "an alignment"),
                        None => None,
                    };
                    match value.and_then(|value| u32::try_from(value).ok()) {
                        Some(0) => {}
                        Some(value) if value.is_power_of_two() && value <= 1 << 16 => {
                            align = align.max(value)
                        }
                        Some(_) => self.error(attribute.span, "requested alignment is not a power of 2"),
                        None => self.note_error(),
                    }
                }
                _ => {}
            }
        }
        (align, packed)
    }

    /// The attributes of a kernel.
    pub(super) fn kernel_attributes(&mut self, id: FnId) -> hir::Kernel {
        let function = self.function(id).clone();
        let mut kernel = hir::Kernel::default();
        for attribute in function.attributes.iter() {
            let target = match attribute.name.as_str() {
                "reqd_work_group_size" | "cl::reqd_work_group_size" => &mut kernel.required_work_group_size,
                "work_group_size_hint" | "cl::work_group_size_hint" => &mut kernel.work_group_size_hint,
                "vec_type_hint" => {
                    if let Some(TemplateArgumentKind::Type(ty)) =
                        attribute.arguments.first().map(|argument| &argument.kind)
                    {
                        let ty = self.type_name(ty);
                        kernel.vec_type_hint = Some(self.type_text(ty.ty()));
                    }
                    continue;
                }
                _ => continue,
            };
            _ = target;
            let mut sizes = [1u32; 3];
            if attribute.arguments.len() != 3 {
                let message = format!("'{}' attribute requires exactly 3 arguments", attribute.name);
                self.error(attribute.span, message);
                continue;
            }
            let mut valid = true;
            for (index, argument) in attribute.arguments.iter().enumerate() {
                let value = match &argument.kind {
                    TemplateArgumentKind::Expr(expr) => self.constant_of(expr, "a work-group size"),
                    TemplateArgumentKind::Type(_) => None,
                };
                match value.and_then(|value| u32::try_from(value).ok()).filter(|value| *value > 0) {
                    Some(value) => sizes[index] = value,
                    None => {
                        self.error(
                            argument.span,
                            format!("'{}' attribute must be greater than 0", attribute.name),
                        );
                        valid = false;
                    }
                }
            }
            if valid {
                match attribute.name.contains("reqd") {
                    true => kernel.required_work_group_size = Some(sizes),
                    false => kernel.work_group_size_hint = Some(sizes),
                }
            }
        }
        kernel.param_type_names =
            function.params.iter().map(|param| self.spelled_parameter(param.ty)).collect();
        kernel
    }

    /// A parameter's type as `clGetKernelArgInfo` gives it.
    fn spelled_parameter(&mut self, ty: Type) -> String {
        let (target, star) = match (self.reference(ty.ty()), self.types.pointee(ty.ty())) {
            (Some(reference), _) => (reference.target.ty, "&"),
            (_, Some((target, _))) => (target.ty, "*"),
            _ => (ty.ty(), ""),
        };
        let text = match self.types.kind(target) {
            TypeKind::Image(image) => image.dimension.type_name().to_owned(),
            TypeKind::Scalar(ScalarKind::Bool) => "bool".to_owned(),
            _ => self.type_text(target),
        };
        format!("{text}{star}")
    }
}

/// What a member initialiser initialises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    Itself,
    Base(RecordId),
    Field(usize),
}

/// Whether an initialiser is an empty list.
pub(super) fn is_empty(initializer: &Initializer) -> bool {
    match initializer {
        Initializer::List(list) => list.elements.is_empty(),
        Initializer::Paren(list, _) => list.is_empty(),
        Initializer::Copy(_) => false,
    }
}
