//! Structured bindings ([dcl.struct.bind]).

use super::tuple::Bound;
use crate::Span;
use crate::ast::Name;
use crate::check::cxx::expression::Value;
use crate::check::cxx::scope::Entity;
use crate::check::cxx::types::Type;
use crate::check::cxx::{Cxx, VarId};
use crate::cxx::ast::{DeclKind, Declarator, InitDeclarator, Initializer, Specifiers, TypeSpecifier};
use crate::hir::{Place, PlaceKind, Statement};
use crate::types::TypeKind;
use std::rc::Rc;

/// The declarator of an object that has no name.
pub(super) fn nameless(span: Span) -> InitDeclarator {
    let declarator = Declarator { name: None, pack: None, derived: Vec::new(), attributes: Vec::new(), span };
    InitDeclarator { declarator, initializer: None, bit_field: None }
}

impl Cxx<'_> {
    /// An anonymous union in a function ([class.union.anon]): names of its members mean parts of an object
    /// without a name.
    pub(super) fn anonymous_union(
        &mut self,
        specifiers: &Specifiers,
        ty: Type,
        span: Span,
        out: Option<&mut Vec<Statement>>,
    ) {
        let TypeSpecifier::Class(class) = &specifiers.ty else { return };
        let Some(record) = self.record_of(ty.ty()) else { return };
        let Some(body) = class.body.as_ref().filter(|_| class.name.is_none()) else { return };
        let is_member =
            |kind: &DeclKind| matches!(kind, DeclKind::Simple { .. } | DeclKind::StaticAssert { .. });
        for (_, member) in body.members.iter().filter(|(_, member)| !is_member(&member.kind)) {
            self.error(member.span, "an anonymous union declares members without functions only");
        }
        let Some(out) = out.filter(|_| self.types.record(record).is_union) else {
            self.error(span, "a class without a name declares nothing here");
            return;
        };
        let hidden = self.checker.interner.intern(&format!("(union {})", self.variables.len()));
        let name = Name { symbol: hidden, span };
        self.automatic(specifiers, &nameless(span), name, ty, None, out);
        let slot = self.scope_ref(self.scope).names.get(&hidden);
        let Some(Entity::Variable(id)) = slot.map(|slot| slot.entity.clone()) else { return };
        let Value::Place(object) = self.variable_value(id, span) else { return };
        let number = self.variables.len() << 8;
        for index in 0..self.class(record).fields.len() {
            let Some(symbol) = self.class(record).fields[index].name else { continue };
            if let Value::Place(part) = self.field_of(Value::Place(object.clone()), record, index, span) {
                self.declare(Name { symbol, span }, Entity::Binding(part, number + index));
            }
        }
    }

    /// `auto [a, b] = e;` ([dcl.struct.bind])
    pub(super) fn bindings(
        &mut self,
        specifiers: &Rc<Specifiers>,
        reference: Option<bool>,
        names: &[Name],
        initializer: &Initializer,
        span: Span,
        out: Option<&mut Vec<Statement>>,
    ) {
        let Some(out) = out else {
            self.error(span, "a structured binding is only possible in a function");
            return;
        };
        if let Some(span) = specifiers.is_constexpr {
            self.error(span, "structured binding declaration cannot be 'constexpr'");
        }
        let hidden = self.checker.interner.intern(&format!("(bound {})", self.variables.len()));
        let name = Name { symbol: hidden, span };
        let mut ty = self.specifiers(specifiers);
        if let Some(is_rvalue) = reference {
            ty = self.reference_to(ty, is_rvalue);
        }
        let item = nameless(span);
        // An array is copied element by element.
        let copies = std::mem::replace(&mut self.copies_arrays, true);
        let declared = match (reference, crate::check::cxx::initialize::single(initializer)) {
            (None, Some(expr)) => {
                let of = self.unevaluated(expr);
                self.copied_type(ty, of)
            }
            _ => ty,
        };
        self.automatic(specifiers, &item, name, declared, Some(initializer), out);
        self.copies_arrays = copies;
        let Some(Entity::Variable(id)) =
            self.scope_ref(self.scope).names.get(&hidden).map(|slot| slot.entity.clone())
        else {
            for name in names {
                self.declare(*name, Entity::Error);
            }
            return;
        };
        self.bind_variable(id, name, names, span, out);
    }

    /// The type of a hidden variable that is declared with `auto`: an array is copied.
    pub(in crate::check::cxx) fn copied_type(&mut self, declared: Type, of: Type) -> Type {
        if !matches!(self.types.kind(of.ty()), TypeKind::Array { .. }) {
            return declared;
        }
        let q = self.checker.with_qualifiers(of.ty(), declared.q.qualifiers);
        Type { q, space: None }
    }

    /// Binds names to the parts of a hidden variable.
    pub(in crate::check::cxx) fn bind_variable(
        &mut self,
        id: VarId,
        name: Name,
        names: &[Name],
        span: Span,
        out: &mut Vec<Statement>,
    ) {
        let Value::Place(place) = self.variable_value(id, span) else { return };
        let ty = self.variable(id).ty.ty();
        let is_lvalue = self.reference(ty).is_some_and(|reference| !reference.is_rvalue);
        let bound = Bound { name, place: &place, is_lvalue };
        if self.record_of(place.ty.ty).is_none() || !self.bind_tuple(bound, names, span, out) {
            self.bind_parts(place, names, span);
        }
    }

    fn bind_parts(&mut self, object: Place, names: &[Name], span: Span) {
        let ty = object.ty.ty;
        let wrong = |cxx: &mut Self, count: usize| {
            let text = cxx.type_text(ty);
            cxx.error(
                span,
                format!(
                    "type '{text}' decomposes into {count} elements, but {} names were provided",
                    names.len()
                ),
            );
            for name in names {
                cxx.declare(*name, Entity::Error);
            }
        };
        let number = self.variables.len() << 8;
        match *self.types.kind(ty) {
            TypeKind::Array { element, length: Some(count) } => {
                if count != names.len() as u64 {
                    return wrong(self, count as usize);
                }
                let (size, _) = self.types.layout(element.ty).unwrap_or((1, 1));
                for (index, name) in names.iter().enumerate() {
                    let mut q = element;
                    q.qualifiers.is_const |= object.ty.qualifiers.is_const;
                    let kind = PlaceKind::Member(Box::new(object.clone()), index as u64 * size);
                    let part = Place { kind, ty: q, space: object.space, span: name.span };
                    self.declare(*name, Entity::Binding(part, number + index));
                }
            }
            TypeKind::Vector(_, lanes) => {
                // As clang has it: the components of a vector.
                if usize::from(lanes) != names.len() {
                    return wrong(self, usize::from(lanes));
                }
                for (index, name) in names.iter().enumerate() {
                    let operand = crate::check::expression::Operand::Place(object.clone());
                    if let crate::check::expression::Operand::Place(part) =
                        self.checker.swizzle(operand, &[index as u8], name.span)
                    {
                        self.declare(*name, Entity::Binding(part, number + index));
                    }
                }
            }
            TypeKind::Record(record) => {
                self.require_complete(record, span);
                if self.types.record(record).is_union {
                    let text = self.type_text(ty);
                    self.error(span, format!("cannot decompose union type '{text}'"));
                }
                // The members are all of the class or all of one base.
                let mut owner = record;
                while self.class(owner).fields.is_empty() && self.class(owner).bases.len() == 1 {
                    owner = self.class(owner).bases[0].record;
                }
                let fields: Vec<usize> = (0..self.class(owner).fields.len())
                    .filter(|index| !self.class(owner).fields[*index].is_injected)
                    .collect();
                if fields.len() != names.len() {
                    return wrong(self, fields.len());
                }
                self.check_base_access(record, owner, false, span);
                for (position, (index, name)) in fields.into_iter().zip(names).enumerate() {
                    if let Some(symbol) = self.class(owner).fields[index].name
                        && let Some(found) = self.find_member(owner, symbol)
                    {
                        self.check_access(&found, symbol, Some(record), name.span);
                    }
                    let value = self.field_of(Value::Place(object.clone()), owner, index, name.span);
                    if let Value::Place(part) = value {
                        self.declare(*name, Entity::Binding(part, number + position));
                    }
                }
            }
            _ => {
                let text = self.type_text(ty);
                self.error(span, format!("cannot decompose non-class, non-array type '{text}'"));
                for name in names {
                    self.declare(*name, Entity::Error);
                }
            }
        }
    }
}
