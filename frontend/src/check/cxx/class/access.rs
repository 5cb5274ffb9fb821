//! Access to members and base classes ([class.access]).

use crate::Span;
use crate::check::cxx::lookup::Found;
use crate::check::cxx::scope::ScopeKind;
use crate::check::cxx::{Cxx, FnId};
use crate::cxx::ast::Access;
use crate::symbol::Symbol;
use crate::types::RecordId;

/// Where the name of a method was looked up.
#[derive(Clone, Copy, Debug)]
pub(in crate::check::cxx) struct Naming {
    pub class: RecordId,
    /// The class of the object before it was converted to that class; `None` if it is implied.
    pub object: Option<RecordId>,
}

impl Naming {
    /// In the class of the object.
    pub fn of_object(class: RecordId) -> Naming {
        Naming { class, object: Some(class) }
    }
}

/// A member as a name finds it.
#[derive(Clone, Copy, Debug)]
struct Named {
    /// The class in which the name is looked up.
    naming: RecordId,
    /// The class that declares it, `naming` or a base.
    declaring: RecordId,
    /// Its access there.
    access: Access,
    /// The class of the object, for a member that is not static.
    object: Option<RecordId>,
}

impl Cxx<'_> {
    /// Whether code at the current place may use what a name found; an error if not. `object` is the class of
    /// the object, if a member is not static.
    pub(in crate::check::cxx) fn check_access(
        &mut self,
        found: &Found,
        symbol: Symbol,
        object: Option<RecordId>,
        span: Span,
    ) -> bool {
        let Some(declaring) = found.class else { return true };
        let naming = found.naming.unwrap_or(declaring);
        let access = self.declared_access(declaring, symbol);
        let named = Named { naming, declaring, access, object };
        if self.is_accessible(named) {
            return true;
        }
        let (text, class) = (self.owned(symbol), self.type_text(self.class(declaring).ty));
        let word = self.hidden_as(named);
        self.error(span, format!("'{text}' is a {word} member of '{class}'"));
        false
    }

    /// The access of a name in the class that declares it.
    pub(in crate::check::cxx) fn declared_access(&self, record: RecordId, symbol: Symbol) -> Access {
        self.class(record).access.get(&symbol).copied().unwrap_or(Access::Public)
    }

    /// Whether a chosen function may be called; an error if not.
    pub(in crate::check::cxx) fn check_call_access(&mut self, id: FnId, naming: Option<Naming>, span: Span) {
        let function = self.function(id);
        let (Some(class), symbol, has_this) = (function.class, function.symbol, function.has_this()) else {
            return;
        };
        let mut access = function.access;
        let mut declaring = class;
        let object = naming.filter(|_| has_this).and_then(|naming| naming.object);
        let naming = naming.map(|naming| naming.class);
        let naming = naming.filter(|naming| self.base_offset(*naming, class).is_some()).unwrap_or(class);
        if let Some(symbol) = symbol
            && let Some(found) = self.find_member(naming, symbol)
            && let Some(user) = found.class
            && user != class
        {
            // A using declaration gives it another access.
            declaring = user;
            access = self.declared_access(user, symbol);
        }
        let named = Named { naming, declaring, access, object };
        if !self.is_accessible(named) {
            let text = self.function_text(id);
            let word = self.hidden_as(named);
            self.error(span, format!("'{text}' is a {word} member"));
        }
    }

    fn hidden_as(&self, named: Named) -> &'static str {
        match self.access_as_member(named.naming, named.declaring, named.access) {
            Some(Access::Protected) => "protected",
            _ => "private",
        }
    }

    /// [class.access.base]/5.
    fn is_accessible(&self, named: Named) -> bool {
        let Named { naming, declaring, access, object } = named;
        if let Some(access) = self.access_as_member(naming, declaring, access)
            && self.may_access_of(naming, access, object)
        {
            return true;
        }
        naming != declaring
            && self.class(naming).bases.iter().any(|base| {
                self.base_offset(base.record, declaring).is_some()
                    && self.may_access(naming, base.access)
                    && self.is_accessible(Named { naming: base.record, ..named })
            })
    }

    /// The access that a member of a base has as a member of a derived class ([class.access.base]/1): `None`
    /// if it is private in a base.
    fn access_as_member(&self, naming: RecordId, declaring: RecordId, access: Access) -> Option<Access> {
        if naming == declaring {
            return Some(access);
        }
        let bases = self.class(naming).bases.iter();
        bases
            .filter_map(|base| {
                let inherited = self.access_as_member(base.record, declaring, access)?;
                (inherited != Access::Private).then(|| inherited.max(base.access))
            })
            .min()
    }

    /// Whether code at the current place may use members of a class that have an access.
    pub(in crate::check::cxx) fn may_access(&self, record: RecordId, access: Access) -> bool {
        self.may_access_of(record, access, None)
    }

    fn may_access_of(&self, record: RecordId, access: Access, object: Option<RecordId>) -> bool {
        if access == Access::Public || self.is_inside(record) {
            return true;
        }
        // A protected member is used through the derived class to which the code belongs, or one derived from
        // that ([class.protected]).
        access == Access::Protected
            && self.classes.keys().any(|derived| {
                *derived != record
                    && self.base_offset(*derived, record).is_some()
                    && object.is_none_or(|object| self.base_offset(object, *derived).is_some())
                    && self.is_inside(*derived)
            })
    }

    /// Whether the current place belongs to a class or to one of its friends.
    fn is_inside(&self, record: RecordId) -> bool {
        let mut at = Some(self.scope);
        while let Some(scope) = at {
            let it = self.scope_ref(scope);
            if let ScopeKind::Class(inside) = it.kind
                && (inside == record || self.is_friend_class(record, inside))
            {
                return true;
            }
            at = it.parent;
        }
        self.frames.iter().any(|frame| {
            let friends = &self.class(record).friends;
            friends.iter().any(|(_, id)| *id == frame.function || self.is_instance_of(frame.function, *id))
        })
    }

    fn is_friend_class(&self, record: RecordId, other: RecordId) -> bool {
        let class = self.class(record);
        let ty = self.class(other).ty;
        class.friend_classes.contains(&ty)
            || self
                .class(other)
                .instance
                .as_ref()
                .is_some_and(|(template, _)| class.friend_templates.contains(template))
    }

    /// Whether a class may be converted to its base at the current place ([class.access.base]/4).
    fn is_accessible_base(&self, derived: RecordId, base: RecordId) -> bool {
        derived == base
            || self.class(derived).bases.iter().any(|parent| {
                self.base_offset(parent.record, base).is_some()
                    && self.may_access(derived, parent.access)
                    && self.is_accessible_base(parent.record, base)
            })
    }

    /// Reports a conversion between a class and a base of it that is not accessible; casts as in C may do
    /// that ([expr.cast]/4).
    pub(in crate::check::cxx) fn check_base_access(
        &mut self,
        derived: RecordId,
        base: RecordId,
        is_down: bool,
        span: Span,
    ) {
        if self.ignores_base_access || self.is_accessible_base(derived, base) {
            return;
        }
        let is_protected = self.access_as_member(derived, base, Access::Public) == Some(Access::Protected);
        let word = if is_protected { "protected" } else { "private" };
        let (class, part) = (self.type_text(self.class(derived).ty), self.type_text(self.class(base).ty));
        let message = match is_down {
            true => format!("cannot cast {word} base class '{part}' to '{class}'"),
            false => format!("cannot cast '{class}' to its {word} base class '{part}'"),
        };
        self.error(span, message);
    }
}
