//! Initialisers (C99 §6.7.8): lists with designators and elided braces become values at byte offsets; those
//! of variables of static storage duration become bytes.

use super::Checker;
use super::INITIALIZED_SIZE;
use super::constant::Value;
use super::conversion::Purpose;
use super::expression::{Operand, without_parens};
use crate::Span;
use crate::ast::{self, InitializerList};
use crate::hir::{Constant, ConstantData, Expr, ExprKind, Initializer, Part};
use crate::types::{QualifiedType, ScalarKind, TypeId, TypeKind};

/// Most elements that ranges of designators may initialise in total.
const RANGE_ELEMENTS: u64 = 1 << 16;

/// Values at byte offsets, in order.
type Parts = Vec<Part>;

/// A value that is stored once.
fn part(offset: u64, value: Expr) -> Part {
    Part { offset, value, repeats: Vec::new() }
}

/// An aggregate (or vector) whose parts are being initialised: the next part's number.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    pub ty: TypeId,
    pub offset: u64,
    pub next: u64,
}

impl Checker<'_> {
    /// The initialiser of an automatic variable, and the variable's type, whose length the initialiser may
    /// give.
    pub(super) fn automatic_initializer(
        &mut self,
        ty: QualifiedType,
        initializer: &ast::Initializer,
    ) -> Option<(QualifiedType, Initializer)> {
        match initializer {
            ast::Initializer::List(list) => self.automatic_list(ty, list),
            ast::Initializer::Expr(expr) if self.is_string_for(ty.ty, expr) => {
                let mut parts = Vec::new();
                let ty = self.string_parts(ty, 0, expr, &mut parts)?;
                self.finished(ty, parts)
            }
            ast::Initializer::Expr(expr) => {
                let value = self.value(expr);
                if self.types.is_error(value.ty) {
                    return None;
                }
                if matches!(self.types.kind(ty.ty), TypeKind::Array { .. }) {
                    self.error(expr.span, "array initializer must be an initializer list");
                    return None;
                }
                let value = self.assign_to(value, ty.ty, Purpose::Initializing);
                (!self.types.is_error(value.ty)).then_some((ty, Initializer::Value(value)))
            }
        }
    }

    /// A braced list as an initialiser.
    pub(super) fn automatic_list(
        &mut self,
        ty: QualifiedType,
        list: &InitializerList,
    ) -> Option<(QualifiedType, Initializer)> {
        let mut parts = Vec::new();
        let ty = self.list(ty, 0, list, &mut parts)?;
        self.finished(ty, parts)
    }

    fn finished(&mut self, ty: QualifiedType, mut parts: Parts) -> Option<(QualifiedType, Initializer)> {
        let (size, _) = self.types.layout(ty.ty)?;
        if let [Part { offset: 0, value, repeats }] = parts.as_slice()
            && value.ty == ty.ty
            && repeats.is_empty()
        {
            let part = parts.remove(0);
            return Some((ty, Initializer::Value(part.value)));
        }
        self.check_ranges(&parts)?;
        let zero_rest = !self.covers(&parts, size);
        Some((ty, Initializer::Parts { parts, zero_rest }))
    }

    /// Whether the parts cover a whole object.
    fn covers(&self, parts: &Parts, size: u64) -> bool {
        let ranges = |part: &Part| {
            let ty = part.value.ty;
            let lanes = self.types.as_arithmetic(ty).map(|(kind, lanes)| kind.size() * u64::from(lanes));
            let size = lanes.or_else(|| self.types.layout(ty).map(|(size, _)| size)).unwrap_or(0);
            part.offsets().map(|offset| (offset, offset + size)).collect::<Vec<_>>()
        };
        let mut ranges: Vec<(u64, u64)> = parts.iter().flat_map(ranges).collect();
        ranges.sort_unstable();
        let mut end = 0;
        for (from, to) in ranges {
            if from > end {
                return false;
            }
            end = end.max(to);
        }
        end >= size
    }

    /// Reports ranges of designators that would take too long.
    fn check_ranges(&mut self, parts: &Parts) -> Option<()> {
        let ranges = parts.iter().filter(|part| !part.repeats.is_empty());
        let count = ranges.clone().fold(0_u64, |count, part| count.saturating_add(part.count()));
        if count > RANGE_ELEMENTS {
            let span = ranges.into_iter().next_back().map_or(Span::NONE, |part| part.value.span);
            self.unsupported(
                span,
                format_args!("initialising more than {RANGE_ELEMENTS} elements by ranges"),
            );
            return None;
        }
        Some(())
    }

    /// The initialiser of a variable of static storage duration as bytes; `None` after an error. An all-zero
    /// initialiser has no bytes.
    pub(super) fn static_initializer(
        &mut self,
        ty: QualifiedType,
        initializer: &ast::Initializer,
    ) -> Option<(QualifiedType, Option<ConstantData>)> {
        let mut parts = Vec::new();
        let ty = match initializer {
            ast::Initializer::List(list) => self.list(ty, 0, list, &mut parts)?,
            ast::Initializer::Expr(expr) if self.is_string_for(ty.ty, expr) => {
                self.string_parts(ty, 0, expr, &mut parts)?
            }
            ast::Initializer::Expr(expr) => {
                // A copy of another constant of the same structure.
                let value = self.value(expr);
                if matches!(self.types.kind(ty.ty), TypeKind::Array { .. }) && !self.types.is_error(value.ty)
                {
                    self.error(expr.span, "array initializer must be an initializer list");
                    return None;
                }
                let value = self.assign_to(value, ty.ty, Purpose::Initializing);
                parts.push(part(0, value));
                ty
            }
        };
        let (size, _) = self.types.layout(ty.ty)?;
        if size > INITIALIZED_SIZE {
            let span = parts.first().map_or(Span::NONE, |part| part.value.span);
            self.error(
                span,
                format!("an initialised variable is larger than {} MiB", INITIALIZED_SIZE >> 20),
            );
            return None;
        }
        self.check_ranges(&parts)?;
        let mut data =
            ConstantData { bytes: vec![0; size as usize], pointers: Vec::new(), members: Vec::new() };
        let mut valid = true;
        for part in &parts {
            let value = &part.value;
            if self.types.is_error(value.ty) {
                valid = false;
            } else if !part.offsets().all(|offset| self.write_constant(offset, value, &mut data)) {
                self.error(value.span, "initializer element is not a compile-time constant");
                valid = false;
            }
        }
        let is_zero = data.pointers.is_empty() && data.bytes.iter().all(|byte| *byte == 0);
        valid.then_some((ty, (!is_zero).then_some(data)))
    }

    fn write_constant(&self, offset: u64, value: &Expr, data: &mut ConstantData) -> bool {
        // A string's character, an arithmetic value, a pointer, or a copy of a constant structure.
        match self.evaluate(value) {
            Some(Value::Lanes(lanes)) => {
                let mut bytes = Vec::new();
                let written = self.write_lanes(value.ty, &lanes, &mut bytes);
                overwrite(data, offset, &bytes);
                written.is_some()
            }
            Some(Value::Address(Some(global), addend)) => {
                overwrite(data, offset, &[0; 8]);
                data.pointers.push((offset, global, addend));
                true
            }
            Some(Value::Address(None, address)) => {
                overwrite(data, offset, &address.to_le_bytes());
                true
            }
            None => false,
        }
    }

    /// Whether an expression is a string that initialises an array of characters.
    fn is_string_for(&self, ty: TypeId, expr: &ast::Expr) -> bool {
        let TypeKind::Array { element, .. } = self.types.kind(ty) else { return false };
        let is_char = matches!(self.types.as_scalar(element.ty), Some(ScalarKind::Char | ScalarKind::UChar));
        is_char && matches!(without_parens(expr).kind, ast::ExprKind::Str(_))
    }

    /// The characters of a string, and the type, whose length they may give.
    fn string_parts(
        &mut self,
        ty: QualifiedType,
        offset: u64,
        expr: &ast::Expr,
        parts: &mut Parts,
    ) -> Option<QualifiedType> {
        let ast::ExprKind::Str(bytes) = &without_parens(expr).kind else { panic!("a string") };
        let TypeKind::Array { element, length } = *self.types.kind(ty.ty) else { panic!("an array") };
        let length = length.unwrap_or(bytes.len() as u64 + 1);
        if bytes.len() as u64 > length {
            self.warn(expr.span, "initializer-string for char array is too long");
        }
        for (index, byte) in bytes.iter().enumerate().take(usize::try_from(length).unwrap_or(usize::MAX)) {
            let constant = ExprKind::Constant(Constant::Bits(u64::from(*byte)));
            let value = Expr { kind: constant, ty: element.ty, span: expr.span };
            parts.push(part(offset + index as u64, value));
        }
        // An array of zeros is still initialised.
        if bytes.is_empty() {
            let constant = ExprKind::Constant(Constant::Bits(0));
            parts.push(part(offset, Expr { kind: constant, ty: element.ty, span: expr.span }));
        }
        Some(QualifiedType { ty: self.types.array(element, Some(length)), qualifiers: ty.qualifiers })
    }

    /// A braced list for an object of type `ty` at `offset`.
    fn list(
        &mut self,
        ty: QualifiedType,
        offset: u64,
        list: &InitializerList,
        parts: &mut Parts,
    ) -> Option<QualifiedType> {
        match self.types.kind(ty.ty) {
            TypeKind::Error => return None,
            TypeKind::Array { .. } | TypeKind::Record(_) | TypeKind::Vector(..) => {}
            _ => return self.braced_scalar(ty, offset, list, parts),
        }
        // `char s[] = { "text" }`.
        if let [(designators, ast::Initializer::Expr(expr))] = list.elements.as_slice()
            && designators.is_empty()
            && self.is_string_for(ty.ty, expr)
        {
            return self.string_parts(ty, offset, expr, parts);
        }
        let mut frames = vec![Frame { ty: ty.ty, offset, next: 0 }];
        let mut longest = 0;
        for (designators, initializer) in &list.elements {
            let ranges = self.designate(&mut frames, designators)?;
            let first = parts.len();
            if !self.element(&mut frames, initializer, parts) {
                return None;
            }
            ranges.repeat(&mut parts[first..], &mut frames);
            longest = longest.max(frames[0].next);
        }
        self.with_length(ty, longest, list.span)
    }

    /// An array without a length gets it from its list.
    fn with_length(&mut self, ty: QualifiedType, longest: u64, span: Span) -> Option<QualifiedType> {
        let TypeKind::Array { element, length: None } = *self.types.kind(ty.ty) else { return Some(ty) };
        let array = self.types.array(element, Some(longest));
        if self.types.layout(array).is_none() {
            self.error(span, "array is too large");
            return None;
        }
        Some(QualifiedType { ty: array, qualifiers: ty.qualifiers })
    }

    fn braced_scalar(
        &mut self,
        ty: QualifiedType,
        offset: u64,
        list: &InitializerList,
        parts: &mut Parts,
    ) -> Option<QualifiedType> {
        let [(designators, initializer), rest @ ..] = list.elements.as_slice() else {
            let text = self.type_text(ty.ty);
            self.error(list.span, format!("scalar initializer of type '{text}' cannot be empty"));
            return None;
        };
        if !designators.is_empty() {
            let text = self.type_text(ty.ty);
            self.error(list.span, format!("designator in initializer for scalar type '{text}'"));
            return None;
        }
        if !rest.is_empty() {
            self.warn(list.span, "excess elements in scalar initializer");
        }
        match initializer {
            ast::Initializer::List(inner) => self.list(ty, offset, inner, parts),
            ast::Initializer::Expr(expr) => {
                let value = self.value(expr);
                let value = self.assign_to(value, ty.ty, Purpose::Initializing);
                let valid = !self.types.is_error(value.ty);
                parts.push(part(offset, value));
                valid.then_some(ty)
            }
        }
    }

    /// The next part of the innermost object that has one; `None` if all are full.
    pub(super) fn take_part(&mut self, frames: &mut Vec<Frame>) -> Option<(QualifiedType, u64)> {
        loop {
            let frame = frames.last_mut()?;
            let index = frame.next;
            let part = match self.types.kind(frame.ty) {
                TypeKind::Array { element, length } => {
                    let size = self.types.layout(element.ty)?.0;
                    (index < length.unwrap_or(u64::MAX)).then(|| (*element, index.saturating_mul(size)))
                }
                TypeKind::Record(id) => {
                    let record = self.types.record(*id);
                    let count = if record.is_union { 1 } else { u64::MAX };
                    // A designator may name any member of a union; without one it is the first.
                    let members = record.members.as_deref().unwrap_or_default();
                    let fits = index < count || record.is_union && index < members.len() as u64;
                    members.get(index as usize).filter(|_| fits).map(|member| (member.ty, member.offset))
                }
                TypeKind::Vector(kind, lanes) => {
                    let part = (*kind, index * kind.size());
                    let fits = index < u64::from(*lanes);
                    fits.then(|| (QualifiedType::from(self.types.scalar(part.0)), part.1))
                }
                _ => None,
            };
            match part {
                Some((ty, offset)) => {
                    let is_union = matches!(self.types.kind(frame.ty), TypeKind::Record(id) if self.types.record(*id).is_union);
                    frame.next = if is_union { u64::MAX } else { index + 1 };
                    return Some((ty, frame.offset + offset));
                }
                None if frames.len() > 1 => {
                    frames.pop();
                }
                None => return None,
            }
        }
    }

    /// An element of a list: initialises the next part, or the first part within it if braces are elided.
    fn element(
        &mut self,
        frames: &mut Vec<Frame>,
        initializer: &ast::Initializer,
        parts: &mut Parts,
    ) -> bool {
        let Some((mut ty, mut offset)) = self.take_part(frames) else {
            let at = match initializer {
                ast::Initializer::Expr(expr) => expr.span,
                ast::Initializer::List(list) => list.span,
            };
            let what = if matches!(self.types.kind(frames[0].ty), TypeKind::Array { .. }) {
                "array"
            } else {
                "struct"
            };
            if self.types.as_vector(frames[0].ty).is_some() {
                self.error(at, "excess elements in vector initializer");
                return false;
            }
            self.warn(at, format!("excess elements in {what} initializer"));
            self.initializer_for_errors(Some(initializer));
            return true;
        };
        let expr = match initializer {
            ast::Initializer::List(list) => return self.list(ty, offset, list, parts).is_some(),
            ast::Initializer::Expr(expr) => expr,
        };
        // The string is handled before it is checked as an expression: it does not become a pointer here.
        let mut operand: Option<Operand> = None;
        loop {
            if self.is_string_for(ty.ty, expr) {
                return self.string_parts(ty, offset, expr, parts).is_some();
            }
            let found = match operand.take() {
                Some(found) => found,
                None => {
                    if self.first_is_string(ty.ty, expr) {
                        frames.push(Frame { ty: ty.ty, offset, next: 0 });
                        let Some(part) = self.take_part(frames) else { return false };
                        (ty, offset) = part;
                        continue;
                    }
                    self.operand(expr)
                }
            };
            if self.types.is_error(found.ty()) {
                return false;
            }
            if !self.elides(ty.ty, found.ty()) {
                return self.initialize_part(frames, ty.ty, offset, found, parts);
            }
            operand = Some(found);
            frames.push(Frame { ty: ty.ty, offset, next: 0 });
            let Some(part) = self.take_part(frames) else { return false };
            (ty, offset) = part;
        }
    }

    /// Whether the first part within a type is an array of characters that a string initialises.
    fn first_is_string(&self, ty: TypeId, expr: &ast::Expr) -> bool {
        let mut inner = ty;
        loop {
            inner = match self.types.kind(inner) {
                TypeKind::Array { element, .. } => element.ty,
                TypeKind::Record(id) => match self.types.record(*id).members.iter().flatten().next() {
                    Some(member) => member.ty.ty,
                    None => return false,
                },
                _ => return false,
            };
            if self.is_string_for(inner, expr) {
                return true;
            }
        }
    }

    /// Whether a value of type `from` initialises a part inside an object of type `ty` instead of the object.
    fn elides(&self, ty: TypeId, from: TypeId) -> bool {
        match self.types.kind(ty) {
            TypeKind::Array { .. } => true,
            TypeKind::Record(_) => ty != from,
            // A vector is not an aggregate: without its own braces, one expression initialises it, and a
            // scalar initialises all lanes.
            _ => false,
        }
    }

    /// Stores a value at an offset. A vector may fill several lanes of the vector whose lanes are being
    /// initialised.
    fn initialize_part(
        &mut self,
        frames: &mut [Frame],
        ty: TypeId,
        offset: u64,
        operand: Operand,
        parts: &mut Parts,
    ) -> bool {
        let span = operand.span();
        let value = self.rvalue(operand);
        if let (Some((kind, width)), Some(frame)) = (self.types.as_vector(value.ty), frames.last_mut())
            && let Some((element, lanes)) = self.types.as_vector(frame.ty)
            && element == kind
            && self.types.as_scalar(ty) == Some(kind)
        {
            // One lane was counted already.
            frame.next += u64::from(width) - 1;
            if frame.next > u64::from(lanes) {
                self.error(span, "excess elements in vector initializer");
                return false;
            }
            parts.push(part(offset, value));
            return true;
        }
        let value = self.assign_to(value, ty, Purpose::Initializing);
        let valid = !self.types.is_error(value.ty);
        parts.push(part(offset, value));
        valid
    }

    /// Checks an initialiser that initialises nothing, for its errors.
    pub(super) fn initializer_for_errors(&mut self, initializer: Option<&ast::Initializer>) {
        match initializer {
            Some(ast::Initializer::Expr(expr)) => {
                self.operand(expr);
            }
            Some(ast::Initializer::List(list)) => {
                for (_, element) in &list.elements {
                    self.initializer_for_errors(Some(element));
                }
            }
            None => {}
        }
    }
}

fn overwrite(data: &mut ConstantData, offset: u64, bytes: &[u8]) {
    let start = offset as usize;
    let end = start + bytes.len();
    data.pointers.retain(|(at, _, _)| !(start as u64..end as u64).contains(at));
    data.bytes[start..end].copy_from_slice(bytes);
}
