//! Members of structures and components of vectors (C99 §6.5.2.3, OpenCL C §6.3.7).

use super::Checker;
use super::expression::Operand;
use crate::Span;
use crate::ast::{self, Name};
use crate::diagnostic::Diagnostic;
use crate::hir::{Expr, ExprKind, Place, PlaceKind};
use crate::options::LanguageVersion;
use crate::suggest::nearest;
use crate::symbol::Symbol;
use crate::types::{QualifiedType, RecordId, TypeKind};

/// Members that a message lists.
const LISTED: usize = 8;

impl Checker<'_> {
    /// `base.name` and `base->name`.
    pub(super) fn member(&mut self, base: &ast::Expr, name: Name, arrow: bool, span: Span) -> Operand {
        let base_span = base.span;
        let mut base = self.operand(base);
        if self.types.is_error(base.ty()) {
            return self.error_operand(span);
        }
        if arrow {
            let pointer = self.rvalue(base);
            if self.types.is_error(pointer.ty) {
                return self.error_operand(span);
            }
            if self.types.pointee(pointer.ty).is_none() {
                let text = self.type_text(pointer.ty);
                let message = format!("member reference type '{text}' is not a pointer");
                let mut diagnostic =
                    Diagnostic::error(name.span, message).mark(base_span, format!("'{text}'"));
                if matches!(self.types.kind(pointer.ty), TypeKind::Record(_)) {
                    diagnostic.message.push_str("; did you mean to use '.'?");
                }
                self.report(diagnostic);
                return self.error_operand(span);
            }
            base = self.dereference(pointer, base_span);
        }
        match *self.types.kind(base.ty()) {
            TypeKind::Error => self.error_operand(span),
            TypeKind::Record(id) => self.record_member(base, id, name, span),
            TypeKind::Vector(_, lanes) => self.components(base, u32::from(lanes), name, span),
            _ => {
                let text = self.type_text(base.ty());
                let message = format!("member reference base type '{text}' is not a structure or union");
                let mut diagnostic =
                    Diagnostic::error(name.span, message).mark(base_span, format!("'{text}'"));
                if self.types.pointee(base.ty()).is_some() {
                    diagnostic.message.push_str("; did you mean to use '->'?");
                }
                self.report(diagnostic);
                self.error_operand(span)
            }
        }
    }

    fn record_member(&mut self, base: Operand, id: RecordId, name: Name, span: Span) -> Operand {
        if self.types.record(id).members.is_none() {
            let text = self.type_text(base.ty());
            self.error(span, format!("incomplete definition of type '{text}'"));
            return self.error_operand(span);
        }
        let Some((ty, offset)) = self.find_member(id, name.symbol) else {
            self.unknown_member(&base, id, name);
            return self.error_operand(span);
        };
        match base {
            Operand::Place(place) => Operand::Place(self.member_place(place, ty, offset, span)),
            Operand::Value(value) => self.member_of_value(value, ty, offset, span),
        }
    }

    /// A member of an object; it also has the object's qualifiers.
    pub(super) fn member_place(&mut self, place: Place, ty: QualifiedType, offset: u64, span: Span) -> Place {
        let ty = self.with_qualifiers(ty.ty, ty.qualifiers.union(place.ty.qualifiers));
        let space = place.space;
        // Offsets of nested members add up.
        let kind = match place.kind {
            PlaceKind::Member(base, outer) => PlaceKind::Member(base, outer + offset),
            _ => PlaceKind::Member(Box::new(place), offset),
        };
        Place { kind, ty, space, span }
    }

    fn member_of_value(&mut self, value: Expr, ty: QualifiedType, offset: u64, span: Span) -> Operand {
        if matches!(self.types.kind(ty.ty), TypeKind::Array { .. }) {
            let Some(copy) = self.materialized(value) else {
                self.unsupported_all(span, "arrays in values outside of functions");
                return self.error_operand(span);
            };
            return Operand::Place(self.member_place(copy, ty, offset, span));
        }
        let kind = match value.kind {
            ExprKind::MemberOf { value, offset: outer } => {
                ExprKind::MemberOf { value, offset: outer + offset }
            }
            _ => ExprKind::MemberOf { value: Box::new(value), offset },
        };
        Operand::Value(Expr { kind, ty: ty.ty, span })
    }

    /// Type and offset of a member, through anonymous ones too.
    pub(super) fn find_member(&self, id: RecordId, name: Symbol) -> Option<(QualifiedType, u64)> {
        self.types.record(id).members.as_ref()?.iter().find_map(|member| match member.name {
            Some(symbol) => (symbol == name).then_some((member.ty, member.offset)),
            None => {
                let TypeKind::Record(inner) = self.types.kind(member.ty.ty) else { return None };
                let (ty, offset) = self.find_member(*inner, name)?;
                Some((ty, member.offset + offset))
            }
        })
    }

    fn unknown_member(&mut self, base: &Operand, id: RecordId, name: Name) {
        if self.broken_records.contains(&id) {
            return;
        }
        let text = self.owned(name.symbol);
        let ty = self.type_text(base.ty());
        let members = self.types.record(id).members.iter().flatten().filter_map(|member| member.name);
        let best = nearest(&text, members.map(|symbol| self.text(symbol))).map(str::to_owned);
        let mut diagnostic = Diagnostic::error(name.span, format!("no member named '{text}' in '{ty}'"));
        let members = self.types.record(id).members.iter().flatten().filter_map(|member| member.name);
        let listed: Vec<&str> = members.take(LISTED).map(|symbol| self.text(symbol)).collect();
        diagnostic = match best {
            Some(best) => diagnostic.suggest(&best),
            None => diagnostic.note(format!("its members are {}", listed.join(", "))),
        };
        self.report(diagnostic);
    }

    pub(super) fn components(&mut self, base: Operand, lanes: u32, name: Name, span: Span) -> Operand {
        let text = self.owned(name.symbol);
        let ty = self.type_text(base.ty());
        let rgba = text.starts_with(['r', 'g', 'b', 'a']);
        if rgba && self.options.version < LanguageVersion::C30 && component_indices(&text, lanes).is_ok() {
            self.warn(
                name.span,
                format!("vector component name '{text}' is a feature from OpenCL version 3.0 onwards"),
            );
        }
        match component_indices(&text, lanes) {
            Ok(indices) => self.swizzle(base, &indices, span),
            Err(ComponentError::OutOfRange) => {
                let indices = format!("s0 to s{:x}", lanes - 1);
                let has =
                    if lanes <= 4 { format!("{} or {indices}", &"xyzw"[..lanes as usize]) } else { indices };
                let message = format!("vector component access exceeds type '{ty}'");
                self.report(Diagnostic::error(name.span, message).note(format!("its components are {has}")));
                self.error_operand(span)
            }
            Err(ComponentError::Count(count)) => {
                let message = format!("there is no vector type with {count} components: '{text}' in '{ty}'");
                self.error(name.span, message);
                self.error_operand(span)
            }
            Err(ComponentError::Name) => {
                let message = format!("illegal vector component name '{text}' in type '{ty}'");
                let mut diagnostic = Diagnostic::error(name.span, message);
                let known = |set: &str| text.chars().any(|letter| set.contains(letter));
                if u8::from(known("xyzw")) + u8::from(known("rgba")) + u8::from(known("0123456789")) > 1 {
                    diagnostic =
                        diagnostic.note("name components by xyzw, by rgba, or by s and hexadecimal digits, without mixing them");
                }
                self.report(diagnostic);
                self.error_operand(span)
            }
        }
    }

    /// Lanes of a vector: one gives a scalar. Components of components are components of the vector.
    pub(super) fn swizzle(&mut self, base: Operand, lanes: &[u8], span: Span) -> Operand {
        let (kind, _) = self.types.as_vector(base.ty()).expect("only vectors have components");
        let ty = self.types.vector(kind, lanes.len() as u32);
        match base {
            Operand::Place(place) => {
                let qualifiers = place.ty.qualifiers;
                let (vector, lanes) = match place.kind {
                    PlaceKind::Swizzle(vector, outer) => (vector, compose(&outer, lanes)),
                    _ => (Box::new(place.clone()), lanes.to_vec()),
                };
                let kind = PlaceKind::Swizzle(vector, lanes);
                Operand::Place(Place { kind, ty: QualifiedType { ty, qualifiers }, space: place.space, span })
            }
            Operand::Value(value) => {
                let (vector, lanes) = match value.kind {
                    ExprKind::Swizzle { vector, lanes: outer } => (vector, compose(&outer, lanes)),
                    _ => (Box::new(value), lanes.to_vec()),
                };
                Operand::Value(Expr { kind: ExprKind::Swizzle { vector, lanes }, ty, span })
            }
        }
    }
}

fn compose(outer: &[u8], lanes: &[u8]) -> Vec<u8> {
    lanes.iter().map(|lane| outer[usize::from(*lane)]).collect()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ComponentError {
    Name,
    OutOfRange,
    Count(usize),
}

/// The lanes that a component name selects in a vector of `lanes`.
///
/// In a vector of three, the second component of `hi` and `odd` is any value (OpenCL C §6.3.7). The third
/// component is used for it, which also prevents assignments to such a name.
fn component_indices(name: &str, lanes: u32) -> Result<Vec<u8>, ComponentError> {
    let padded = lanes.next_power_of_two() as u8;
    let last = lanes as u8 - 1;
    let pick = |indices: Vec<u8>| Ok(indices.into_iter().map(|index| index.min(last)).collect());
    match name {
        "lo" => return pick((0..padded / 2).collect()),
        "hi" => return pick((padded / 2..padded).collect()),
        "even" => return pick((0..padded).step_by(2).collect()),
        "odd" => return pick((1..padded).step_by(2).collect()),
        _ => {}
    }
    let numeric = name.strip_prefix(['s', 'S']).filter(|digits| !digits.is_empty());
    let indices: Option<Vec<u8>> = match numeric {
        Some(digits) => digits.chars().map(|digit| digit.to_digit(16).map(|digit| digit as u8)).collect(),
        None => ["xyzw", "rgba"].iter().find_map(|set| {
            name.chars().map(|letter| set.find(letter).map(|index| index as u8)).collect::<Option<Vec<u8>>>()
        }),
    };
    let indices = indices.filter(|indices| !indices.is_empty()).ok_or(ComponentError::Name)?;
    if indices.iter().any(|index| *index > last) {
        return Err(ComponentError::OutOfRange);
    }
    if !matches!(indices.len(), 1 | 2 | 3 | 4 | 8 | 16) {
        return Err(ComponentError::Count(indices.len()));
    }
    Ok(indices)
}

#[cfg(test)]
mod tests {
    use super::{ComponentError, component_indices};

    #[test]
    fn component_names() {
        assert_eq!(component_indices("wzyx", 4), Ok(vec![3, 2, 1, 0]));
        assert_eq!(component_indices("sAf", 16), Ok(vec![10, 15]));
        assert_eq!(component_indices("rg", 2), Ok(vec![0, 1]));
        assert_eq!(component_indices("hi", 3), Ok(vec![2, 2]));
        assert_eq!(component_indices("odd", 8), Ok(vec![1, 3, 5, 7]));
        assert_eq!(component_indices("lo", 2), Ok(vec![0]));
        assert_eq!(component_indices("z", 2), Err(ComponentError::OutOfRange));
        assert_eq!(component_indices("s4", 4), Err(ComponentError::OutOfRange));
        assert_eq!(component_indices("xr", 4), Err(ComponentError::Name));
        assert_eq!(component_indices("s", 4), Err(ComponentError::Name));
        assert_eq!(component_indices("xyzwx", 4), Err(ComponentError::Count(5)));
    }
}
