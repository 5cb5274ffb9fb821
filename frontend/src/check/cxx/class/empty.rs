//! Empty subobjects: of one class, no two have the same address (Itanium C++ ABI §2.4).

use crate::check::cxx::Cxx;
use crate::types::{RecordId, TypeId, TypeKind};

/// Elements of an array that are looked at. Clang looks at all; an array of more is not worth the time.
const ELEMENTS: u64 = 1024;

/// The empty subobjects of a class that is being laid out, with their offsets.
#[derive(Debug, Default)]
pub(super) struct EmptyParts {
    known: Vec<(RecordId, u64)>,
}

impl EmptyParts {
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }
}

impl Cxx<'_> {
    /// The first offset, from one on and in steps, at which no empty part of a subobject lies on one of its
    /// class. Its parts are added.
    pub(super) fn place_apart(&self, ty: TypeId, from: u64, step: u64, parts: &mut EmptyParts) -> u64 {
        let mut own = Vec::new();
        self.empty_parts(ty, 0, &mut own);
        let mut offset = from;
        while own.iter().any(|(record, at)| parts.known.contains(&(*record, at + offset))) {
            offset += step.max(1);
        }
        parts.known.extend(own.into_iter().map(|(record, at)| (record, at + offset)));
        offset
    }

    /// The offset of an empty base: zero, or else from the end of the data on.
    pub(super) fn place_empty_base(&self, ty: TypeId, end: u64, step: u64, parts: &mut EmptyParts) -> u64 {
        let mut own = Vec::new();
        self.empty_parts(ty, 0, &mut own);
        let collides = own.iter().any(|part| parts.known.contains(part));
        let from = if collides { end.next_multiple_of(step.max(1)) } else { 0 };
        self.place_apart(ty, from, step, parts)
    }

    fn empty_parts(&self, ty: TypeId, at: u64, list: &mut Vec<(RecordId, u64)>) {
        match *self.types.kind(ty) {
            TypeKind::Array { element, length: Some(length) } => {
                let (size, _) = self.types.layout(element.ty).unwrap_or((0, 1));
                let before = list.len();
                for index in 0..length.min(ELEMENTS) {
                    self.empty_parts(element.ty, at.saturating_add(index.saturating_mul(size)), list);
                    if list.len() == before {
                        return;
                    }
                }
            }
            TypeKind::Record(record) => {
                let Some(class) = self.classes.get(&record).filter(|class| class.has_empty_parts) else {
                    return;
                };
                if class.data_size == 0 {
                    list.push((record, at));
                }
                for base in &class.bases {
                    self.empty_parts(self.class(base.record).ty, at.saturating_add(base.offset), list);
                }
                for field in class.fields.iter().filter(|field| !field.is_injected) {
                    self.empty_parts(field.ty.ty(), at.saturating_add(field.offset), list);
                }
            }
            _ => {}
        }
    }
}
