//! Designators of initialisers (C99 §6.7.8), with GNU C's ranges `[first ... last]`.

use super::Checker;
use super::initializer::Frame;
use crate::ast::{self, Designator};
use crate::diagnostic::Diagnostic;
use crate::hir::{Part, Repeat};
use crate::types::{TypeId, TypeKind};

/// The ranges that designators name.
#[derive(Default)]
pub(super) struct Ranges {
    /// Innermost first.
    repeats: Vec<Repeat>,
    /// The object of the outermost range, by its number among the frames, and its element after the range,
    /// where the list continues.
    behind: Option<(usize, u64)>,
}

impl Ranges {
    /// Adds a range inside the earlier ones.
    fn add(&mut self, repeat: Repeat, frame: usize, behind: u64) {
        self.repeats.insert(0, repeat);
        self.behind.get_or_insert((frame, behind));
    }

    /// Repeats the initialisers of the first elements for the others.
    pub(super) fn repeat(self, parts: &mut [Part], frames: &mut Vec<Frame>) {
        for part in parts {
            part.repeats.extend(&self.repeats);
        }
        if let Some((frame, behind)) = self.behind {
            frames.truncate(frame + 1);
            frames[frame].next = behind;
        }
    }
}

impl Checker<'_> {
    /// Goes to the part that designators name, starting from the list's own object; `None` after an error.
    /// Without designators the position does not change.
    pub(super) fn designate(
        &mut self,
        frames: &mut Vec<Frame>,
        designators: &[Designator],
    ) -> Option<Ranges> {
        let mut ranges = Ranges::default();
        if designators.is_empty() {
            return Some(ranges);
        }
        frames.truncate(1);
        for (index, designator) in designators.iter().enumerate() {
            if index > 0 {
                let (ty, offset) = self.take_part(frames)?;
                frames.push(Frame { ty: ty.ty, offset, next: 0 });
            }
            let top = frames.last().expect("the list's object").ty;
            let next = match designator {
                Designator::Index(expr) => self.designated_index(top, expr)?,
                Designator::Range(first, last) => {
                    let (first, repeat) = self.designated_range(top, first, last)?;
                    ranges.add(repeat, frames.len() - 1, first + repeat.count);
                    first
                }
                Designator::Member(name) => self.designated_member(frames, *name)?,
            };
            frames.last_mut().expect("the list's object").next = next;
        }
        Some(ranges)
    }

    /// The first element of a range, and how often its initialiser is repeated.
    fn designated_range(&mut self, ty: TypeId, first: &ast::Expr, last: &ast::Expr) -> Option<(u64, Repeat)> {
        let low = self.designated_index(ty, first)?;
        let high = self.designated_index(ty, last)?;
        if high < low {
            let span = first.span.to(last.span);
            self.error(span, format!("array designator range [{low}, {high}] is empty"));
            return None;
        }
        let TypeKind::Array { element, .. } = *self.types.kind(ty) else { unreachable!("it has elements") };
        let (stride, _) = self.types.layout(element.ty)?;
        Some((low, Repeat { count: high - low + 1, stride }))
    }

    fn designated_index(&mut self, ty: TypeId, expr: &ast::Expr) -> Option<u64> {
        let TypeKind::Array { length, .. } = *self.types.kind(ty) else {
            let text = self.type_text(ty);
            self.error(expr.span, format!("array designator cannot initialize non-array type '{text}'"));
            return None;
        };
        let index = self.integer_constant(expr)?;
        let limit = i128::from(length.unwrap_or(i64::MAX as u64));
        if !(0..limit).contains(&index) {
            self.error(expr.span, format!("array designator index ({index}) exceeds array bounds ({limit})"));
            return None;
        }
        Some(index as u64)
    }

    /// The number of a member; goes into anonymous members.
    fn designated_member(&mut self, frames: &mut Vec<Frame>, name: ast::Name) -> Option<u64> {
        loop {
            let top = *frames.last().expect("the list's object");
            let TypeKind::Record(id) = *self.types.kind(top.ty) else {
                let text = self.type_text(top.ty);
                self.error(
                    name.span,
                    format!("field designator cannot initialize a non-struct type '{text}'"),
                );
                return None;
            };
            let members = self.types.record(id).members.clone().unwrap_or_default();
            if let Some(index) = members.iter().position(|member| member.name == Some(name.symbol)) {
                return Some(index as u64);
            }
            let inner = members.iter().position(|member| {
                let TypeKind::Record(inner) = self.types.kind(member.ty.ty) else { return false };
                member.name.is_none() && self.find_member(*inner, name.symbol).is_some()
            });
            let Some(index) = inner else {
                let (text, field) = (self.type_text(top.ty), self.owned(name.symbol));
                let message =
                    format!("field designator '{field}' does not refer to any field in type '{text}'");
                let mut diagnostic = Diagnostic::error(name.span, message);
                let names = members.iter().filter_map(|member| member.name);
                if let Some(best) = crate::suggest::nearest(&field, names.map(|symbol| self.text(symbol))) {
                    diagnostic = diagnostic.suggest(best);
                }
                self.report(diagnostic);
                return None;
            };
            frames.last_mut().expect("the list's object").next = index as u64 + 1;
            let member = &members[index];
            frames.push(Frame { ty: member.ty.ty, offset: top.offset + member.offset, next: 0 });
        }
    }
}
