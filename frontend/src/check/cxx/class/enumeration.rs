//! Enumerations ([dcl.enum]).

use crate::ast::Name;
use crate::check::cxx::Cxx;
use crate::check::cxx::scope::{Entity, ScopeKind};
use crate::check::cxx::types::Type;
use crate::cxx::ast::EnumSpecifier;
use crate::types::{ScalarKind, TypeId, TypeKind};

impl Cxx<'_> {
    /// `enum`.
    pub(in crate::check::cxx) fn enum_specifier(&mut self, specifier: &EnumSpecifier) -> Type {
        let underlying = specifier.underlying.as_ref().map(|ty| {
            let span = ty.span;
            let ty = self.type_name(ty);
            let kind = self.types.as_scalar(ty.ty()).filter(|kind| kind.is_integer());
            if kind.is_none() && !self.is_error_type(ty) {
                let text = self.text_of(ty);
                self.error(span, format!("non-integral type '{text}' is an invalid underlying type"));
            }
            kind.unwrap_or(ScalarKind::Int)
        });
        let name = specifier.name.as_ref().and_then(|name| name.plain());
        let known = match &specifier.name {
            Some(name) if name.is_qualified() => match self.resolve(name).map(|found| found.entity) {
                Some(Entity::Type(ty)) => Some(ty),
                _ => return self.error_type(),
            },
            _ => name.and_then(|name| {
                let slot = self.scope_ref(self.scope).names.get(&name.symbol)?;
                match (&slot.entity, slot.hidden_type) {
                    (Entity::Type(ty), _) => Some(*ty),
                    (_, hidden) => hidden,
                }
            }),
        };
        let id = match known.map(|ty| self.types.kind(ty.ty()).clone()) {
            Some(TypeKind::Enum(id)) => {
                let before = self.types.enumeration(id).underlying;
                if let (Some(before), Some(now), Some(written)) = (before, underlying, &specifier.underlying)
                    && before != now
                {
                    self.error(written.span, "enumeration redeclared with different underlying type");
                }
                id
            }
            _ if specifier.enumerators.is_none() && underlying.is_none() && !specifier.is_scoped => {
                // `enum x` names one that exists.
                return match &specifier.name {
                    Some(name) => self.named_type(name),
                    None => self.error_type(),
                };
            }
            _ => {
                let id = self.types.add_enum(name.map(|name| name.symbol));
                let ty = Type::of(self.types.intern(TypeKind::Enum(id)));
                let scope = self.new_scope(self.scope, ScopeKind::Enum);
                self.scopes[scope.0 as usize].name = name.map(|name| name.symbol);
                self.enum_scopes.insert(id, scope);
                if specifier.is_scoped {
                    self.scoped_enums.insert(id);
                }
                if let Some(name) = name {
                    self.declare(name, Entity::Type(ty));
                }
                id
            }
        };
        let ty = self.types.intern(TypeKind::Enum(id));
        let default = if specifier.is_scoped { Some(ScalarKind::Int) } else { None };
        if let Some(kind) = underlying.or(default) {
            self.types.enumeration_mut(id).underlying = Some(kind);
        }
        if let Some(list) = &specifier.enumerators {
            self.enumerators(id, ty, specifier, list, underlying.or(default));
        }
        Type::of(ty)
    }

    fn enumerators(
        &mut self,
        id: crate::types::EnumId,
        ty: TypeId,
        specifier: &EnumSpecifier,
        list: &[(Name, Option<crate::cxx::ast::Expr>)],
        fixed: Option<ScalarKind>,
    ) {
        let scope = self.enum_scopes[&id];
        let mut next = 0i128;
        let (mut low, mut high) = (0i128, 0i128);
        // While the enumeration is being defined, its values have the underlying type.
        let kind = fixed.unwrap_or(ScalarKind::Long);
        let before = self.types.enumeration(id).underlying;
        self.types.enumeration_mut(id).underlying = Some(kind);
        let value_type = if fixed.is_some() { ty } else { self.types.scalar(ScalarKind::Long) };
        let mut declared = Vec::new();
        for (name, value) in list {
            if let Some(value) = value
                && let Some(value) =
                    self.in_scope(scope, |cxx| cxx.constant_of(value, "the value of an enumerator"))
            {
                next = value;
            }
            if let Some(kind) = fixed {
                let fits = crate::check::constant::to_integer(kind, next as u64) == next;
                if !fits {
                    let text = kind.name();
                    let message = format!(
                        "enumerator value {next} is not representable in the underlying type '{text}'"
                    );
                    self.error(name.span, message);
                }
            }
            low = low.min(next);
            high = high.max(next);
            let entity = Entity::Enumerator(next, value_type);
            self.declare_in(scope, *name, entity.clone());
            if !specifier.is_scoped {
                self.declare(*name, entity);
            }
            declared.push((*name, next));
            next += 1;
        }
        if fixed.is_some() {
            return;
        }
        let kind = crate::check::record::enumeration_kind(low, high, specifier.is_packed);
        let definition = self.types.enumeration_mut(id);
        definition.underlying = Some(before.unwrap_or(kind));
        definition.range = Some(range_of(low, high));
        for (name, value) in declared {
            let entity = Entity::Enumerator(value, ty);
            self.bind_in(scope, name, entity.clone());
            if !specifier.is_scoped {
                self.bind(name, entity);
            }
        }
    }
}

/// The values of an enumeration: those of the smallest integer that has all its enumerators ([dcl.enum]/8).
fn range_of(low: i128, high: i128) -> (i128, i128) {
    let mut end = 2;
    while high >= end || low < -end {
        end *= 2;
    }
    (if low < 0 { -end } else { 0 }, end - 1)
}
