//! Objects: assignable objects, addresses, indexing (C99 §6.3.2.1, §6.5.2.1, §6.5.3).

use super::Checker;
use super::expression::{Operand, without_parens};
use super::scope::Entity;
use crate::Span;
use crate::ast::{self, PrefixOp};
use crate::hir::{Conversion, Expr, ExprKind, Place, PlaceKind};
use crate::types::{QualifiedType, TypeId, TypeKind};
use clvk_ir::AddressSpace;

impl Checker<'_> {
    pub(super) fn prefix(&mut self, op: PrefixOp, operand: &ast::Expr, span: Span) -> Operand {
        match op {
            PrefixOp::Dereference => {
                let pointer = self.value(operand);
                self.dereference(pointer, span)
            }
            PrefixOp::AddressOf => Operand::Value(self.address_expression(operand, span)),
            PrefixOp::Increment => Operand::Value(self.increment(operand, false, true, span)),
            PrefixOp::Decrement => Operand::Value(self.increment(operand, true, true, span)),
            PrefixOp::Plus | PrefixOp::Minus | PrefixOp::BitNot | PrefixOp::LogicalNot => {
                let value = self.value(operand);
                Operand::Value(self.unary(op, value, span))
            }
        }
    }

    /// What a pointer points to.
    pub(super) fn dereference(&mut self, pointer: Expr, span: Span) -> Operand {
        if self.types.is_error(pointer.ty) {
            return self.error_operand(span);
        }
        let Some((target, space)) = self.types.pointee(pointer.ty) else {
            let text = self.type_text(pointer.ty);
            self.error(span, format!("indirection requires pointer operand ('{text}' invalid)"));
            return self.error_operand(span);
        };
        if self.types.is_void(target.ty) {
            self.error(span, "dereferencing a pointer to void");
            return self.error_operand(span);
        }
        // `*&x` is x (C99 §6.5.3.2).
        if let ExprKind::AddressOf(place) = &pointer.kind
            && place.ty == target
        {
            return Operand::Place(Place { span, ..place.clone() });
        }
        Operand::Place(self.place(PlaceKind::Deref(Box::new(pointer)), target, space, span))
    }

    fn address_expression(&mut self, operand: &ast::Expr, span: Span) -> Expr {
        let inner = without_parens(operand);
        if let ast::ExprKind::Identifier(symbol) = inner.kind
            && matches!(self.find(symbol), Some((Entity::Function(_) | Entity::Overloaded(_), _)))
        {
            self.error(span, "taking address of function is not allowed");
            return self.error_value(span);
        }
        let operand = match &inner.kind {
            ast::ExprKind::Index { base, index } => self.index_to(base, index, inner.span, false),
            _ => self.operand(operand),
        };
        if self.types.is_error(operand.ty()) {
            return self.error_value(span);
        }
        let Operand::Place(place) = operand else {
            let text = self.type_text(operand.ty());
            self.error(span, format!("cannot take the address of an rvalue of type '{text}'"));
            return self.error_value(span);
        };
        if matches!(place.kind, PlaceKind::Swizzle(..)) {
            self.error(span, "address of vector element requested");
            return self.error_value(span);
        }
        if matches!(place.kind, PlaceKind::MatrixElement(..)) {
            self.error(span, "address of an element of a cooperative matrix requested");
            return self.error_value(span);
        }
        if self.is_captured(&place) {
            self.error(span, "taking address of a capture is not allowed");
            return self.error_value(span);
        }
        if self.types.is_parameter_only(place.ty.ty) || self.types.holds_matrices(place.ty.ty) {
            let text = self.type_text(place.ty.ty);
            self.error(span, format!("taking the address of an object of type '{text}' is not allowed"));
            return self.error_value(span);
        }
        let mut address = self.address(place);
        address.span = span;
        address
    }

    /// `base[index]`: of pointers, arrays and vectors.
    pub(super) fn index(&mut self, base: &ast::Expr, index: &ast::Expr, span: Span) -> Operand {
        self.index_to(base, index, span, true)
    }

    /// The same; only the address may be taken of the element after the last one.
    fn index_to(&mut self, base: &ast::Expr, index: &ast::Expr, span: Span, is_access: bool) -> Operand {
        let base = self.operand(base);
        let index = self.value(index);
        self.indexed(base, index, span, is_access)
    }

    /// An element by values.
    pub(super) fn indexed(&mut self, base: Operand, index: Expr, span: Span, is_access: bool) -> Operand {
        if self.types.is_error(base.ty()) || self.types.is_error(index.ty) {
            return self.error_operand(span);
        }
        if self.types.as_vector(base.ty()).is_some() {
            return self.vector_element(base, index, span);
        }
        if self.as_matrix(base.ty()).is_some() {
            return self.matrix_element(base, index, span);
        }
        if let TypeKind::Array { length: Some(length), .. } = *self.types.kind(base.ty()) {
            let text = self.type_text(base.ty());
            let is_variable = matches!(&base, Operand::Place(place) if is_in_variable(place));
            // An array of one element or none at the end of a structure may have more elements in memory.
            if is_variable || length > 1 {
                self.warn_of_bad_index(length, &index, &text, is_access && is_variable);
            }
        }
        let base = self.rvalue(base);
        // `i[p]` is `p[i]` (C99 §6.5.2.1).
        let (pointer, index) = match (self.types.pointee(base.ty), self.types.pointee(index.ty)) {
            (Some(_), _) => (base, index),
            (None, Some(_)) => (index, base),
            _ => {
                if !self.types.is_error(base.ty) {
                    self.error(span, "subscripted value is not an array, pointer, or vector");
                }
                return self.error_operand(span);
            }
        };
        if !self.types.as_scalar(index.ty).is_some_and(|kind| kind.is_integer()) {
            if !self.types.is_error(index.ty) {
                self.error(index.span, "array subscript is not an integer");
            }
            return self.error_operand(span);
        }
        match self.pointer_add(pointer, index, false, span) {
            Some(pointer) => self.dereference(pointer, span),
            None => self.error_operand(span),
        }
    }

    /// A lane of a vector by index. Vectors in memory are arrays of their lanes.
    fn vector_element(&mut self, base: Operand, index: Expr, span: Span) -> Operand {
        let (kind, lanes) = self.types.as_vector(base.ty()).expect("a vector");
        if !self.types.as_scalar(index.ty).is_some_and(|kind| kind.is_integer()) {
            self.error(index.span, "vector subscript is not an integer");
            return self.error_operand(span);
        }
        if let Some(lane) = self.integer_of(&index) {
            if !(0..i128::from(lanes)).contains(&lane) {
                let text = self.type_text(base.ty());
                self.error(
                    index.span,
                    format!("vector element index {lane} is out of bounds of type '{text}'"),
                );
                return self.error_operand(span);
            }
            return self.swizzle(base, &[lane as u8], span);
        }
        let element = self.types.scalar(kind);
        match base {
            Operand::Place(place) if !matches!(place.kind, PlaceKind::Swizzle(..)) => {
                self.element_of_object(place, element, index, span)
            }
            // The lane of a copy is a value, not an object.
            base => {
                let vector = self.rvalue(base);
                let Some(copy) = self.materialized(vector) else {
                    self.unsupported_all(span, "vectors indexed outside of functions");
                    return self.error_operand(span);
                };
                let lane = self.element_of_object(copy, element, index, span);
                Operand::Value(self.rvalue(lane))
            }
        }
    }

    /// A lane of a vector in memory, which is an array of its lanes.
    fn element_of_object(&mut self, place: Place, element: TypeId, index: Expr, span: Span) -> Operand {
        let target = QualifiedType { ty: element, qualifiers: place.ty.qualifiers };
        let pointer = self.types.pointer(target, place.space);
        let address = self.address(place);
        let address = self.convert(address, Conversion::Pointer, pointer);
        match self.pointer_add(address, index, false, span) {
            Some(pointer) => self.dereference(pointer, span),
            None => self.error_operand(span),
        }
    }

    /// A pointer plus or minus an integer; `None`, with a reported error, if its target has no size.
    pub(super) fn pointer_add(
        &mut self,
        pointer: Expr,
        index: Expr,
        subtract: bool,
        span: Span,
    ) -> Option<Expr> {
        let (target, _) = self.types.pointee(pointer.ty).expect("a pointer");
        if self.types.layout(target.ty).is_none() {
            let text = self.type_text(target.ty);
            let what = if self.types.is_void(target.ty) {
                "void".to_owned()
            } else {
                format!("incomplete type '{text}'")
            };
            self.error(span, format!("arithmetic on a pointer to {what}"));
            return None;
        }
        let ty = pointer.ty;
        let index = match self.types.as_scalar(index.ty) {
            Some(crate::types::ScalarKind::Bool) => self.promote(index),
            _ => index,
        };
        let kind = ExprKind::PointerAdd { pointer: Box::new(pointer), index: Box::new(index), subtract };
        Some(Expr { kind, ty, span })
    }

    /// The object that is assigned to; `None`, with a reported error, if the operand is not assignable.
    pub(super) fn modifiable(&mut self, operand: Operand, span: Span) -> Option<Place> {
        if self.types.is_error(operand.ty()) {
            return None;
        }
        let Operand::Place(place) = operand else {
            let message = match self.types.kind(operand.ty()) {
                TypeKind::Block { .. } => {
                    "block variables are constant and cannot be assigned to (OpenCL C §6.14.5)"
                }
                TypeKind::Sampler => "samplers cannot be assigned: initialize them (OpenCL C §6.15.15.1)",
                _ => "expression is not assignable",
            };
            self.error(span, message);
            return None;
        };
        let text = self.type_text(place.ty.ty);
        match self.types.kind(place.ty.ty) {
            TypeKind::Array { .. } => {
                self.error(span, format!("array type '{text}' is not assignable"));
                return None;
            }
            _ if self.types.is_parameter_only(place.ty.ty) => {
                self.error(span, format!("an object of type '{text}' cannot be modified"));
                return None;
            }
            TypeKind::Atomic(_) => {
                self.error(
                    span,
                    format!("an object of type '{text}' can only be accessed with atomic functions"),
                );
                return None;
            }
            _ => {}
        }
        if let PlaceKind::Swizzle(_, lanes) = &place.kind
            && (1..lanes.len()).any(|i| lanes[..i].contains(&lanes[i]))
        {
            self.error(span, "vector is not assignable (contains duplicate components)");
            return None;
        }
        if place.space == AddressSpace::Constant || place.ty.qualifiers.is_const {
            self.report_read_only(&place, span);
            return None;
        }
        if self.has_const_member(place.ty.ty) {
            self.error(
                span,
                format!("cannot assign to an object of type '{text}', which has a const member"),
            );
            return None;
        }
        if self.is_storage_only_half(place.ty.ty) {
            self.error(
                span,
                "assigning directly to pointer to type 'half' requires cl_khr_fp16. Use vector data store builtin \
                 functions instead",
            );
            return None;
        }
        Some(place)
    }

    fn report_read_only(&mut self, place: &Place, span: Span) {
        if self.is_captured(place) {
            let message =
                "variable is not assignable: a block holds constant copies of the variables around it";
            let note = "the storage type '__block' is not supported in OpenCL C (§6.14.5)";
            self.report(crate::diagnostic::Diagnostic::error(span, message).note(note));
            return;
        }
        let ty = self.qualified_text(place.ty);
        let name = self.declared_variable(place);
        let constant = place.space == AddressSpace::Constant;
        let qualified = if constant { format!("__constant {ty}") } else { ty };
        match name {
            Some((name, declared)) => {
                let message =
                    format!("cannot assign to variable '{name}' with const-qualified type '{qualified}'");
                let diagnostic = crate::diagnostic::Diagnostic::error(span, message);
                self.report(diagnostic.related(declared, format!("variable '{name}' declared here")));
            }
            None => {
                let message = format!("read-only object of type '{qualified}' is not assignable");
                let mut diagnostic = crate::diagnostic::Diagnostic::error(span, message);
                if let Some((name, declared)) = self.declared_variable(root(place)) {
                    diagnostic = diagnostic.related(declared, format!("variable '{name}' declared here"));
                }
                self.report(diagnostic);
            }
        }
    }

    /// Name and place of a variable, if the object is the whole variable.
    fn declared_variable(&self, place: &Place) -> Option<(String, Span)> {
        match &place.kind {
            PlaceKind::Local(id) => {
                let local = &self.current.as_ref()?.locals[id.0 as usize];
                Some((local.name.clone(), local.span)).filter(|(name, _)| !name.is_empty())
            }
            PlaceKind::Global(id) => {
                let global = &self.globals[id.0 as usize];
                Some((global.name.rsplit('.').next().unwrap_or_default().to_owned(), global.span))
            }
            _ => None,
        }
    }

    fn has_const_member(&self, ty: TypeId) -> bool {
        let TypeKind::Record(id) = self.types.kind(ty) else { return false };
        let mut seen = rustc_hash::FxHashSet::default();
        let mut waiting = vec![*id];
        while let Some(id) = waiting.pop() {
            if !seen.insert(id) {
                continue;
            }
            for member in self.types.record(id).members.iter().flatten() {
                let mut ty = member.ty;
                while let TypeKind::Array { element, .. } = self.types.kind(ty.ty) {
                    ty = *element;
                }
                if ty.qualifiers.is_const {
                    return true;
                }
                if let TypeKind::Record(inner) = self.types.kind(ty.ty) {
                    waiting.push(*inner);
                }
            }
        }
        false
    }
}

/// The outermost object that contains this one as a member, an element or a lane, as far as the source shows.
fn root(mut place: &Place) -> &Place {
    loop {
        place = match &place.kind {
            PlaceKind::Member(base, _) | PlaceKind::Swizzle(base, _) | PlaceKind::MatrixElement(base, _) => {
                base
            }
            PlaceKind::Deref(pointer) => match object_of(pointer) {
                Some(base) => base,
                None => return place,
            },
            _ => return place,
        };
    }
}

/// The object whose address, or the address of one of whose parts, an expression computes. A pointer variable
/// counts as the object that it points to.
fn object_of(mut pointer: &Expr) -> Option<&Place> {
    loop {
        pointer = match &pointer.kind {
            ExprKind::AddressOf(place) => return Some(place),
            ExprKind::PointerAdd { pointer, .. } => pointer,
            ExprKind::Convert { operand, .. } => operand,
            ExprKind::Load(place) => return Some(place),
            _ => return None,
        };
    }
}

/// Whether a place is in a variable itself instead of behind a pointer.
fn is_in_variable(place: &Place) -> bool {
    match &place.kind {
        PlaceKind::Local(_) | PlaceKind::Global(_) => true,
        PlaceKind::Member(base, _) => is_in_variable(base),
        _ => false,
    }
}
