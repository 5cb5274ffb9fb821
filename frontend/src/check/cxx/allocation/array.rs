//! Arrays that `new` makes and `delete[]` releases. As in the C++ ABI of Itanium (§2.7), which clang follows
//! for SPIR-V, the number of elements stands before the first one where `delete[]` needs it.

use super::Cxx;
use crate::Span;
use crate::check::cxx::FnId;
use crate::check::cxx::cleanup::Cleanup;
use crate::check::cxx::initialize::Init;
use crate::check::cxx::types::Type;
use crate::cxx::ast::{Expr as Ast, Initializer, New};
use crate::hir::{ArithmeticOp, Conversion, Expr, ExprKind as Hir, Place, PlaceKind};
use crate::types::{QualifiedType, ScalarKind, TypeId};

/// Bytes of the number of elements.
const COUNT_SIZE: u64 = 8;

/// The number of elements of an array.
pub(super) struct Length {
    /// Something that may be evaluated several times.
    pub value: Expr,
    /// What computes it before.
    pub keep: Option<Expr>,
    pub constant: Option<u64>,
}

impl Cxx<'_> {
    /// The number of elements that is written in `[]`.
    pub(super) fn length_of(&mut self, length: &Ast) -> Length {
        let value = self.expression(length);
        let value = self.integral(value, length.span);
        let size_type = self.checker.size_type();
        let value = self.implicit(value, size_type, length.span, "length of an array");
        let constant = self.evaluated(&value).ok();
        if constant.is_some() || self.types.is_error(value.ty) || self.frames.is_empty() {
            return Length { value, keep: None, constant };
        }
        let (keep, value) = self.kept(value);
        Length { value, keep: Some(keep), constant }
    }

    /// Bytes before an array in which its number of elements stands; none if `delete[]` does not need it.
    pub(super) fn bytes_before(&mut self, element: TypeId, is_global: bool) -> u64 {
        let element = self.element_of(element);
        let Some(record) = self.record_of(element) else { return 0 };
        let release = self.usual_release(Some(record).filter(|_| !is_global), true);
        let takes_size = release.is_some_and(|id| self.function(id).params.len() == 2);
        if self.is_trivially_destructible(element) && !takes_size {
            return 0;
        }
        let (_, align) = self.types.layout(element).unwrap_or((1, 1));
        COUNT_SIZE.max(u64::from(align))
    }

    /// The size of an array with the bytes before it.
    pub(super) fn bytes_of(&mut self, length: Expr, element: TypeId, before: u64, span: Span) -> Expr {
        let size_type = self.checker.size_type();
        let hir = self.hir_type(element);
        let (size, _) = self.types.layout(hir).unwrap_or((1, 1));
        let size = self.constant(size, size_type, span);
        let bytes = self.checker.arithmetic(ArithmeticOp::Mul, length, size, span);
        if before == 0 {
            return bytes;
        }
        let before = self.constant(before, size_type, span);
        self.checker.arithmetic(ArithmeticOp::Add, bytes, before, span)
    }

    /// The number that stands before the first element.
    fn place_of_length(&mut self, first: Expr, span: Span) -> Place {
        let (_, space) = self.types.pointee(first.ty).expect("a pointer");
        let ty = QualifiedType::from(self.types.scalar(ScalarKind::ULong));
        let address = self.moved_by(first, -COUNT_SIZE.cast_signed(), ty, span);
        Place { kind: PlaceKind::Deref(Box::new(address)), ty, space, span }
    }

    /// Makes an array in memory. Returns the address of its first element.
    pub(super) fn make_array(
        &mut self,
        new: &New,
        element: Type,
        memory: Expr,
        (length, before): (&Length, u64),
        out: &mut Vec<Expr>,
    ) -> Expr {
        let (span, space) = (memory.span, self.types.pointee(memory.ty).expect("a pointer").1);
        let first = match before {
            0 => memory,
            _ => self.moved_by(memory, before.cast_signed(), element.q, span),
        };
        if before > 0 {
            let target = self.place_of_length(first.clone(), span);
            let (ty, value) = (target.ty.ty, Box::new(length.value.clone()));
            out.push(Expr { kind: Hir::Assign { target, value }, ty, span });
        }
        let kind = PlaceKind::Deref(Box::new(first.clone()));
        let place = Place { kind, ty: element.ty().into(), space, span };
        if let Some(count) = length.constant {
            let whole = Type::of(self.types.array(element.q, Some(count)));
            let place = Place { ty: whole.ty().into(), ..place };
            let init = self.conditionally(|cxx| cxx.initial_value(new, whole, space, span));
            self.emit(&place, whole.plain(), init, out);
            return first;
        }
        let made = self.listed_elements(new, element, &place, out);
        let rest = self.other_elements(new, element, &place);
        if !matches!(rest, Init::None | Init::Error) {
            let size_type = self.checker.size_type();
            let start = self.constant(made, size_type, span);
            let range = (start, length.value.clone());
            out.push(self.for_elements_between(&place, range, element, false, |cxx, part, _| {
                let mut stores = Vec::new();
                cxx.emit(part, element.plain(), rest, &mut stores);
                stores
            }));
        }
        first
    }

    /// Makes the elements that a list names, where their number is not known. Returns how many there are.
    fn listed_elements(&mut self, new: &New, element: Type, place: &Place, out: &mut Vec<Expr>) -> u64 {
        let Some(Initializer::List(list)) = &new.initializer else { return 0 };
        let count = list.elements.len() as u64;
        if count == 0 {
            return 0;
        }
        if list.elements.iter().any(|clause| clause.expansion.is_some()) {
            let message = "a pack cannot initialize an array whose length is not constant";
            self.error(list.span, message);
            return 0;
        }
        let listed = Type::of(self.types.array(element.q, Some(count)));
        let init = self.conditionally(|cxx| cxx.initial_value(new, listed, place.space, place.span));
        let place = Place { ty: listed.ty().into(), ..place.clone() };
        self.emit(&place, listed.plain(), init, out);
        count
    }

    /// How elements that no list names are initialised.
    fn other_elements(&mut self, new: &New, element: Type, place: &Place) -> Init {
        let span = place.span;
        let outer = std::mem::replace(&mut self.target_space, place.space);
        let init = self.conditionally(|cxx| match &new.initializer {
            None => cxx.default_initialize(element.plain(), span),
            Some(Initializer::Paren(arguments, at)) if !arguments.is_empty() => {
                cxx.error(*at, "array 'new' cannot have initialization arguments");
                Init::Error
            }
            Some(_) => cxx.value_initialize(element.plain(), span),
        });
        self.target_space = outer;
        init
    }

    /// Destroys an array and releases its memory. The pointer may be evaluated several times.
    pub(super) fn delete_array(
        &mut self,
        first: Expr,
        element: QualifiedType,
        (destructor, release): (Option<FnId>, FnId),
        is_global: bool,
        calls: &mut Vec<Expr>,
    ) {
        let span = first.span;
        let before = self.bytes_before(element.ty, is_global);
        if before == 0 {
            let size_type = self.checker.size_type();
            let unknown = self.constant(1, size_type, span);
            calls.push(self.release_call(release, first, unknown, span));
            return;
        }
        let place = self.place_of_length(first.clone(), span);
        let ty = place.ty.ty;
        let (keep, length) = self.kept(Expr { kind: Hir::Load(place), ty, span });
        calls.push(keep);
        if let Some(destructor) = destructor {
            let (_, space) = self.types.pointee(first.ty).expect("a pointer");
            let kind = PlaceKind::Deref(Box::new(first.clone()));
            let place = Place { kind, ty: element.ty.into(), space, span };
            let range = (self.constant(0, ty, span), length.clone());
            calls.push(self.for_elements_between(
                &place,
                range,
                Type::of(element.ty),
                true,
                |cxx, part, _| {
                    let place = Place { ty: element.ty.into(), ..part.clone() };
                    cxx.destruction(&Cleanup { place, destructor, span })
                },
            ));
        }
        let bytes = self.bytes_of(length, element.ty, before, span);
        let memory = self.moved_by(first, -before.cast_signed(), element.ty.into(), span);
        calls.push(self.release_call(release, memory, bytes, span));
    }

    /// A call that does nothing.
    pub(super) fn nothing(&mut self, span: Span) -> Expr {
        let (void, int) = (self.types.void(), self.checker.int());
        let zero = self.constant(0, int, span);
        self.checker.convert(zero, Conversion::Discard, void)
    }
}
