//! Special member functions: which classes have them, and what the compiler makes of them (\[special\]).

mod attribute;
mod construct;
mod copy;

use super::class::Field;
use super::function::{Function, Kind, Parameter, Progress};
use super::scope::Entity;
use super::types::Type;
use super::{Cxx, FnId};
use crate::Span;
use crate::ast::Name;
use crate::cxx::ast::{Access, ClassKey, FunctionSuffix, Operator, Qualifiers};
use crate::types::{RecordId, TypeId, TypeQualifiers};
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
    /// A constructor that the program provides, declares `explicit`, or inherits.
    pub has_own_constructor: bool,
}

/// The special members that a class declares.
struct Own {
    span: Span,
    is_union: bool,
    is_closure: bool,
    /// A constructor that is not inherited.
    has_constructor: bool,
    /// The default constructor.
    default: Option<FnId>,
    /// Constructors that copy or move.
    copies: Vec<FnId>,
    /// Assignments that copy or move.
    copy_assigns: Vec<FnId>,
    /// The name of assignments.
    assign: Name,
    /// All assignments.
    assigns: Vec<FnId>,
    destructor: Option<FnId>,
    /// Whether a member has a default initializer.
    has_defaults: bool,
}

impl Cxx<'_> {
    /// Adds the special members that a class does not declare.
    pub(super) fn declare_implicit(&mut self, record: RecordId) {
        let own = self.own_special(record);
        let parts = self.parts_of(record);
        let parts_default = parts.iter().all(|part| self.is_trivially_default(part.ty.ty()));
        self.note_triviality(record, &own, &parts, parts_default);
        self.declare_default(record, &own, parts_default);
        self.declare_copies(record, &own, &parts);
        self.declare_destructor(record, &own, &parts);
    }

    /// The special members that a class declares.
    fn own_special(&mut self, record: RecordId) -> Own {
        let ty = self.class(record).ty;
        let span = self.class(record).span;
        let is_union = self.class(record).key == ClassKey::Union;
        let is_closure = self.class(record).closure.is_some() || self.is_closure(record);
        let constructors = self.class(record).constructors.clone();
        let is_own = |id: &FnId| {
            let function = self.function(*id);
            let is_provided = !function.is_defaulted && !function.is_deleted;
            is_provided || function.is_explicit || function.inherits.is_some()
        };
        let has_own_constructor = constructors.iter().any(is_own);
        self.class_mut(record).implicit.has_own_constructor = has_own_constructor;
        let assign = self.operator_symbol(Operator::Assign(None));
        let scope = self.class(record).scope;
        let assigns: Vec<FnId> =
            match self.scope_ref(scope).names.get(&assign).map(|slot| slot.entity.clone()) {
                Some(Entity::Functions(list)) => list,
                _ => Vec::new(),
            };
        let is_copy = |id: &FnId| {
            let function = self.function(*id);
            function.template.is_none()
                && !function.params.is_empty()
                && function.params[1..].iter().all(|param| param.default.is_some())
                && self.without_reference(function.params[0].ty).ty() == ty
        };
        let default = constructors.iter().copied().find(|id| {
            let function = self.function(*id);
            function.template.is_none() && function.params.iter().all(|param| param.default.is_some())
        });
        Own {
            span,
            is_union,
            is_closure,
            has_constructor: constructors.iter().any(|id| self.function(*id).inherits.is_none()),
            default,
            copies: constructors.iter().copied().filter(is_copy).collect(),
            copy_assigns: assigns.iter().copied().filter(is_copy).collect(),
            assign: Name { symbol: assign, span },
            assigns,
            destructor: self.class(record).destructor,
            has_defaults: self.class(record).fields.iter().any(|field| field.default.is_some()),
        }
    }

    /// Notes which special members do nothing but copy bytes.
    fn note_triviality(&mut self, record: RecordId, own: &Own, parts: &[Field], parts_default: bool) {
        let user = |cxx: &Self, id: FnId| !cxx.function(id).is_defaulted && !cxx.function(id).is_deleted;
        let own_destructor = own.destructor.is_some_and(|id| user(self, id));
        let parts_destructible = parts.iter().all(|part| self.is_trivially_destructible(part.ty.ty()));
        let parts_copyable = parts
            .iter()
            .all(|part| self.reference(part.ty.ty()).is_some() || self.is_trivially_copyable(part.ty.ty()));
        let own_copy = own.copies.iter().chain(&own.copy_assigns).any(|id| user(self, *id));
        let destructible = !own_destructor && parts_destructible;
        let is_default_own = own.default.is_some_and(|id| user(self, id));
        let has_default = own.default.is_some() || !own.has_constructor;
        let implicit = &mut self.class_mut(record).implicit;
        implicit.is_trivially_destructible = destructible;
        implicit.is_trivially_copyable = destructible && parts_copyable && !own_copy;
        implicit.is_trivially_default = has_default && !is_default_own && !own.has_defaults && parts_default;
    }

    /// Adds the default constructor, or deletes one that cannot work.
    fn declare_default(&mut self, record: RecordId, own: &Own, parts_default: bool) {
        let has_no_default = match own.is_union {
            true => !parts_default && !own.has_defaults,
            false => !self.parts_have_default(record),
        };
        if !own.has_constructor && !own.is_closure {
            let id = self.implicit_function(record, Kind::Constructor, None, has_no_default, own.span);
            self.class_mut(record).constructors.push(id);
        } else if let Some(id) = own.default
            && self.function(id).is_defaulted
        {
            if has_no_default {
                self.function_mut(id).is_deleted = true;
            } else if self.function(id).is_constexpr
                && !self.is_in_instance(self.class(record).scope)
                && self.leaves_field_unset(record)
            {
                let span = self.function(id).span;
                self.error(
                    span,
                    "a defaulted default constructor that leaves a member without a value cannot be constexpr",
                );
            }
        }
    }

    /// Adds the constructors and assignments that copy and move, or deletes some that cannot work.
    fn declare_copies(&mut self, record: RecordId, own: &Own, parts: &[Field]) {
        let Own { span, is_union, .. } = *own;
        let ty = self.class(record).ty;
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
        let has_move = own.copies.iter().chain(&own.copy_assigns).any(|id| is_move(self, *id));
        let has_copy = own.copies.iter().any(|id| !is_move(self, *id));
        let has_move_constructor = own.copies.iter().any(|id| is_move(self, *id));
        let has_copy_assign = own.copy_assigns.iter().any(|id| !is_move(self, *id));
        let has_move_assign = own.copy_assigns.iter().any(|id| is_move(self, *id));
        let has_copies = has_copy || has_copy_assign;
        // A union does not know which member to copy ([class.copy.ctor]/10, [class.copy.assign]/7).
        let copy_deleted = !self.parts_copy(parts, false) || is_union && !self.copies_trivially(parts, false);
        let assign_deleted = !self.parts_copy(parts, true) || is_union && !self.copies_trivially(parts, true);
        if !has_copy {
            let deleted = has_move || copy_deleted;
            let id = self.implicit_function(record, Kind::Constructor, Some(copy_type), deleted, span);
            self.class_mut(record).constructors.push(id);
        }
        let may_move = !has_copies && own.destructor.is_none();
        let may_construct = may_move && !has_move_assign && (!is_union || !copy_deleted);
        if !has_move_constructor && may_construct {
            let id = self.implicit_function(record, Kind::Constructor, Some(move_type), false, span);
            self.class_mut(record).constructors.push(id);
        }
        let copies = own.copies.iter().map(|id| (*id, copy_deleted));
        for (id, deleted) in copies.chain(own.copy_assigns.iter().map(|id| (*id, assign_deleted))) {
            if self.function(id).is_defaulted && !is_move(self, id) && deleted {
                self.function_mut(id).is_deleted = true;
            }
        }
        let fixed = self.class(record).fields.iter().any(|field| {
            self.reference(field.ty.ty()).is_some()
                || field.ty.q.qualifiers.is_const && self.record_of(field.ty.ty()).is_none()
        });
        let mut more = Vec::new();
        if !has_copy_assign {
            let deleted = has_move || fixed || own.is_closure || assign_deleted;
            more.push(self.implicit_function(record, Kind::Plain, Some(copy_type), deleted, span));
        }
        let may_assign = may_move && !has_move_constructor && (!is_union || !assign_deleted);
        if !has_move_assign && may_assign && !fixed && !own.is_closure {
            more.push(self.implicit_function(record, Kind::Plain, Some(move_type), false, span));
        }
        if !more.is_empty() {
            let all: Vec<FnId> = own.assigns.iter().copied().chain(more).collect();
            let scope = self.class(record).scope;
            self.bind_in(scope, own.assign, Entity::Functions(all));
        }
    }

    /// Adds the destructor, or deletes one that cannot work.
    fn declare_destructor(&mut self, record: RecordId, own: &Own, parts: &[Field]) {
        let destructible = self.class(record).implicit.is_trivially_destructible;
        // A union does not know which member to destroy ([class.dtor]/5).
        let is_any_deleted = || parts.iter().any(|part| self.has_deleted_destructor(part.ty.ty()));
        let deleted = !destructible && (own.is_union || is_any_deleted());
        match own.destructor {
            Some(id) if self.function(id).is_defaulted && deleted => self.function_mut(id).is_deleted = true,
            None if !destructible => {
                let id = self.implicit_function(record, Kind::Destructor, None, deleted, own.span);
                self.class_mut(record).destructor = Some(id);
            }
            _ => {}
        }
    }

    pub(in crate::check::cxx) fn is_closure(&self, record: RecordId) -> bool {
        self.class(record).name.is_some_and(|name| self.text(name).starts_with("(lambda"))
    }

    /// Bases and members as if all were members.
    pub(in crate::check::cxx) fn parts_of(&self, record: RecordId) -> Vec<Field> {
        let class = self.class(record);
        let bases = class.bases.iter().map(|base| Field {
            name: None,
            ty: Type::of(self.class(base.record).ty),
            offset: base.offset,
            default: None,
            is_mutable: false,
            is_injected: false,
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
                true => self.assignments_of(inner),
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

    /// Whether no copy (or, for `assign`, assignment) of a part calls a function of the program.
    fn copies_trivially(&mut self, parts: &[Field], assign: bool) -> bool {
        parts.iter().all(|part| {
            let element = self.element_of(part.ty.ty());
            let Some(inner) = self.record_of(element) else { return true };
            let list = match assign {
                false => self.class(inner).constructors.clone(),
                true => self.assignments_of(inner),
            };
            let ty = self.class(inner).ty;
            let own = list.into_iter().any(|id| {
                let function = self.function(id);
                !function.is_defaulted
                    && !function.is_deleted
                    && function.template.is_none()
                    && function.params.len() == 1
                    && self.without_reference(function.params[0].ty).ty() == ty
            });
            let inner = self.parts_of(inner);
            !own && self.copies_trivially(&inner, assign)
        })
    }

    fn assignments_of(&mut self, record: RecordId) -> Vec<FnId> {
        let symbol = self.operator_symbol(Operator::Assign(None));
        match self.find_member(record, symbol).map(|found| found.entity) {
            Some(Entity::Functions(list)) => list,
            _ => Vec::new(),
        }
    }

    fn has_deleted_destructor(&self, ty: TypeId) -> bool {
        let record = self.record_of(self.element_of(ty));
        let destructor = record.and_then(|record| self.class(record).destructor);
        destructor.is_some_and(|id| self.function(id).is_deleted)
    }

    /// Whether a member is an anonymous union, whose members the class's constructors and destructor leave
    /// alone unless they are told otherwise.
    fn is_anonymous_union(&self, field: &Field) -> bool {
        field.name.is_none()
            && self.record_of(field.ty.ty()).is_some_and(|record| self.types.record(record).is_union)
    }

    /// Whether an anonymous union has no default constructor: then it is not initialised.
    fn is_left_alone(&self, field: &Field) -> bool {
        let Some(record) = self.record_of(field.ty.ty()) else { return false };
        self.is_anonymous_union(field)
            && self.class(record).constructors.iter().any(|id| {
                let constructor = self.function(*id);
                constructor.is_deleted && constructor.params.is_empty()
            })
    }

    /// Whether default initialisation leaves a member that is not of a class without a value.
    fn leaves_field_unset(&self, record: RecordId) -> bool {
        let class = self.class(record);
        let is_unset = |field: &Field| {
            let is_plain = self.record_of(self.element_of(field.ty.ty())).is_none();
            is_plain && field.default.is_none() && !field.is_injected
        };
        match class.key {
            ClassKey::Union => class.fields.iter().all(is_unset) && !class.fields.is_empty(),
            _ => class.fields.iter().any(is_unset),
        }
    }

    /// Whether a class, or one that it contains, leaves members without a value by default. Then its implicit
    /// constructor is not constexpr ([class.ctor]/5).
    pub(super) fn leaves_unset(&self, record: RecordId) -> bool {
        let class = self.class(record);
        let fields = class.fields.iter().filter(|field| field.default.is_none() && !field.is_injected);
        let parts = fields.filter_map(|field| self.record_of(self.element_of(field.ty.ty())));
        self.leaves_field_unset(record)
            || parts.chain(class.bases.iter().map(|base| base.record)).any(|part| self.leaves_unset(part))
    }

    pub(super) fn is_trivially_default(&self, ty: TypeId) -> bool {
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

    /// Whether a class has the layout that a C structure has (\[class\]/7).
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
            noexcept: None,
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
        let params = param.into_iter().map(|ty| Parameter::new(ty, usize::MAX, None)).collect();
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
            may_throw: None,
            order: 0,
            horizon: u32::MAX,
            span,
        })
    }

    /// `using Base::Base;`
    pub(super) fn inherit_constructor(&mut self, record: RecordId, id: FnId, access: Access) {
        let base = self.function(id).clone();
        let ty = self.class(base.class.expect("a constructor has a class")).ty;
        let is_copy = base.params.len() == 1 && self.without_reference(base.params[0].ty).ty() == ty;
        if base.template.is_none() && (is_copy || base.params.is_empty()) {
            return;
        }
        let own = self.class(record).constructors.clone();
        let is_hidden =
            own.iter().any(|own| self.function(*own).inherits.is_none() && self.same_parameters(*own, id));
        if base.template.is_none() && is_hidden {
            return;
        }
        let id = self.add_inherited(record, id, access);
        self.class_mut(record).constructors.push(id);
    }

    /// The instance of an inherited constructor template.
    pub(super) fn inherited_instance(&mut self, inherited: FnId, instance: FnId) -> FnId {
        let function = self.function(inherited);
        let (Some(record), access) = (function.class, function.access) else { return instance };
        if let Some(known) = self.inherited.get(&(record, instance)) {
            return *known;
        }
        let id = self.add_inherited(record, instance, access);
        self.inherited.insert((record, instance), id);
        id
    }

    fn add_inherited(&mut self, record: RecordId, id: FnId, access: Access) -> FnId {
        let base = self.function(id).clone();
        let function = Function {
            class: Some(record),
            is_defaulted: false,
            body: None,
            inherits: Some(id),
            hir: None,
            progress: Progress::None,
            may_throw: None,
            scope: base.scope,
            access: if base.access == Access::Public { access } else { base.access },
            ..base
        };
        self.add_function(function)
    }
}
