//! The stores and calls that an initialisation becomes, and temporary objects.

use super::{Init, Prvalue, PrvalueKind, sequenced};
use crate::Span;
use crate::check::cxx::Cxx;
use crate::check::cxx::class::Field;
use crate::check::cxx::conversion::space_fits;
use crate::check::cxx::expression::Value;
use crate::check::cxx::types::Type;
use crate::hir::{
    ArithmeticOp, ComparisonOp, Expr, ExprKind as Hir, Initializer as HirInitializer, Place, PlaceKind,
    Statement, StatementKind,
};
use crate::types::{QualifiedType, ScalarKind, TypeId, TypeKind};
use clvk_ir::{AddressSpace, UnrollHint};

impl Cxx<'_> {
    /// The stores that initialise an object. The place must be one that can be designated several times.
    pub(in crate::check::cxx) fn emit(&mut self, place: &Place, ty: Type, init: Init, out: &mut Vec<Expr>) {
        let span = place.span;
        match init {
            Init::Error | Init::None => {}
            Init::Zero => self.emit_zero(place, ty, out),
            Init::Value(value) => {
                let hir = self.hir_type(ty.ty());
                let mut target = place.clone();
                target.ty = hir.into();
                let value = Box::new(Expr { ty: hir, ..value });
                out.push(Expr { kind: Hir::Assign { target, value }, ty: hir, span });
            }
            Init::Class(prvalue) => self.emit_class(place, prvalue, out),
            Init::Parts { parts } => self.emit_parts(place, parts, out),
            Init::Repeat { from, count, element, init } => {
                self.emit_repeat(place, from, count, element, *init, out);
            }
            Init::Copy { from, is_moved, count, element } => {
                self.emit_copy(place, (from, is_moved), count, element, out);
            }
        }
    }

    /// A loop that makes the elements of an array from those of another one.
    fn emit_copy(
        &mut self,
        place: &Place,
        (from, is_moved): (Place, bool),
        count: u64,
        element: Type,
        out: &mut Vec<Expr>,
    ) {
        let span = place.span;
        let each = self.for_elements(place, (0, count), element, false, |cxx, part, index| {
            let source = cxx.element_at(&from, element, index.clone());
            let source = Place { ty: element.q, ..source };
            let source = if is_moved { Value::Moved(source) } else { Value::Place(source) };
            let init = cxx.copy_initialize(element.plain(), source, span);
            let mut stores = Vec::new();
            cxx.emit(part, element.plain(), init, &mut stores);
            stores
        });
        out.push(each);
    }

    /// An element of an array.
    pub(in crate::check::cxx) fn element_at(&mut self, array: &Place, element: Type, index: Expr) -> Place {
        let (span, stored) = (array.span, self.stored(element));
        let first = Place { ty: QualifiedType::from(array.ty.ty), ..array.clone() };
        let pointer = self.types.pointer(stored.into(), array.space);
        let address = Box::new(Expr { kind: Hir::AddressOf(first), ty: pointer, span });
        let kind = Hir::PointerAdd { pointer: address, index: Box::new(index), subtract: false };
        let kind = PlaceKind::Deref(Box::new(Expr { kind, ty: pointer, span }));
        Place { kind, ty: stored.into(), space: array.space, span }
    }

    fn emit_parts(&mut self, place: &Place, parts: Vec<(u64, Type, Init)>, out: &mut Vec<Expr>) {
        for (offset, ty, init) in parts {
            if let Init::Repeat { .. } = init {
                self.emit(place, ty, init, out);
                continue;
            }
            let part = self.part_place(place, offset, ty);
            self.emit(&part, ty, init, out);
        }
    }

    fn part_place(&mut self, place: &Place, offset: u64, ty: Type) -> Place {
        let hir = self.hir_type(ty.ty());
        let kind = PlaceKind::Member(Box::new(place.clone()), offset);
        Place { kind, ty: hir.into(), space: place.space, span: place.span }
    }

    fn emit_zero(&mut self, place: &Place, ty: Type, out: &mut Vec<Expr>) {
        let span = place.span;
        match *self.types.kind(ty.ty()) {
            TypeKind::Array { element, length: Some(count) } => {
                let element = Type { q: element, space: None };
                self.emit_repeat(place, 0, count, element, Init::Zero, out);
            }
            TypeKind::Record(record) => {
                let bases = self.class(record).bases.clone();
                for base in bases {
                    let ty = Type::of(self.class(base.record).ty);
                    let part = self.part_place(place, base.offset, ty);
                    self.emit_zero(&part, ty, out);
                }
                let mut fields = self.class(record).fields.clone();
                fields.retain(|field| !field.is_injected);
                if self.types.record(record).is_union && !fields.is_empty() {
                    // All bytes are zero, and the first member has a value.
                    let size = |field: &Field| self.types.layout(field.ty.ty()).map_or(0, |(size, _)| size);
                    let first = fields.swap_remove(0);
                    let largest = fields.into_iter().max_by_key(size);
                    let largest = largest.filter(|largest| size(largest) > size(&first));
                    fields = largest.into_iter().chain([first]).collect();
                }
                for field in &fields {
                    let part = self.part_place(place, field.offset, field.ty);
                    self.emit_zero(&part, field.ty, out);
                }
            }
            _ => {
                let hir = self.hir_type(ty.ty());
                let is_member = matches!(self.types.kind(ty.ty()), TypeKind::MemberPointer { .. });
                let value = match self.types.as_arithmetic(hir) {
                    Some((_, lanes)) if lanes > 1 => self.checker.zero(hir, span),
                    _ => self.constant(if is_member { u64::MAX } else { 0 }, hir, span),
                };
                let mut target = place.clone();
                target.ty = hir.into();
                out.push(Expr { kind: Hir::Assign { target, value: Box::new(value) }, ty: hir, span });
            }
        }
    }

    /// The same for several elements of an array: a loop, or few stores.
    fn emit_repeat(
        &mut self,
        place: &Place,
        from: u64,
        count: u64,
        element: Type,
        init: Init,
        out: &mut Vec<Expr>,
    ) {
        const FEW: u64 = 8;
        let stored = self.stored(element);
        let (size, _) = self.types.layout(stored).unwrap_or((1, 1));
        if count <= FEW || self.frames.is_empty() {
            for index in from..from + count.min(1 << 16) {
                let part = self.part_place(place, index * size, element);
                self.emit(&part, element, init.clone(), out);
            }
            return;
        }
        let each = self.for_elements(place, (from, count), element, false, |cxx, part, _| {
            let mut stores = Vec::new();
            cxx.emit(part, element, init, &mut stores);
            stores
        });
        out.push(each);
    }

    /// A loop that does something with a range of elements of an array, in order or the last first: with the
    /// element and its number.
    pub(in crate::check::cxx) fn for_elements(
        &mut self,
        place: &Place,
        (from, count): (u64, u64),
        element: Type,
        last_first: bool,
        work: impl FnOnce(&mut Self, &Place, &Expr) -> Vec<Expr>,
    ) -> Expr {
        let ulong = self.types.scalar(ScalarKind::ULong);
        let start = self.constant(from, ulong, place.span);
        let end = self.constant(from + count, ulong, place.span);
        self.for_elements_between(place, (start, end), element, last_first, work)
    }

    /// The same where the places of the first element and of the one after the last may be computed. These
    /// are evaluated several times.
    pub(in crate::check::cxx) fn for_elements_between(
        &mut self,
        place: &Place,
        (start, end): (Expr, Expr),
        element: Type,
        last_first: bool,
        work: impl FnOnce(&mut Self, &Place, &Expr) -> Vec<Expr>,
    ) -> Expr {
        let span = place.span;
        let ulong = self.types.scalar(ScalarKind::ULong);
        let (int, bool) = (self.checker.int(), self.checker.bool());
        let counter = self.new_local(ulong, span);
        let number = |cxx: &Self| {
            let place = cxx.local_place(counter, ulong, span);
            Box::new(Expr { kind: Hir::Load(place), ty: ulong, span })
        };
        let right = Box::new(end.clone());
        let compare = Hir::Compare { op: ComparisonOp::Less, left: number(self), right };
        let condition = self.checker.convert_arithmetic(Expr { kind: compare, ty: int, span }, bool);
        let target = self.local_place(counter, ulong, span);
        let step = Expr { kind: Hir::Increment { target, decrement: false, prefix: true }, ty: ulong, span };
        let index = match last_first {
            false => *number(self),
            true => {
                let one = self.constant(1, ulong, span);
                let sum = self.checker.arithmetic(ArithmeticOp::Add, start.clone(), end, span);
                let last = self.checker.arithmetic(ArithmeticOp::Sub, sum, one, span);
                self.checker.arithmetic(ArithmeticOp::Sub, last, *number(self), span)
            }
        };
        let part = self.element_at(place, element, index.clone());
        let body = work(self, &part, &index);
        let body = body.into_iter().map(|expr| Statement { kind: StatementKind::Expr(expr), span }).collect();
        let body = Box::new(Statement { kind: StatementKind::Block(body), span });
        let initializer = Some(HirInitializer::Value(start));
        let (condition, step, unroll) = (Some(condition), Some(step), UnrollHint::None);
        let statements = vec![
            Statement { kind: StatementKind::Declare { local: counter, initializer }, span },
            Statement { kind: StatementKind::While { condition, step, body, unroll }, span },
        ];
        let void = self.types.void();
        Expr { kind: Hir::Statements { statements, value: None }, ty: void, span }
    }

    fn emit_class(&mut self, place: &Place, prvalue: Prvalue, out: &mut Vec<Expr>) {
        let span = prvalue.span;
        let ty = prvalue.ty;
        let void = self.types.void();
        // While it is made, the object is not constant.
        let place = &Place { ty: QualifiedType::from(ty), ..place.clone() };
        match prvalue.kind {
            PrvalueKind::Zero => self.emit_zero(place, Type::of(ty), out),
            PrvalueKind::Bits(value) => {
                let target = place.clone();
                out.push(Expr { kind: Hir::Assign { target, value: Box::new(value) }, ty, span });
            }
            PrvalueKind::Construct { function, mut arguments, zeroes } => {
                if zeroes {
                    self.emit_zero(place, Type::of(ty), out);
                }
                let this = self.this_argument(place.clone(), function, span);
                arguments.insert(0, this);
                let hir = self.hir_function(function);
                out.push(Expr { kind: Hir::Call { function: hir, arguments }, ty: void, span });
            }
            PrvalueKind::Call { function, mut arguments } => {
                let pointer = self.result_address(ty);
                let (_, space) = self.types.pointee(pointer).expect("a pointer type");
                if space_fits(place.space, space) {
                    let address = self.address_as(place.clone(), pointer);
                    arguments.insert(0, address);
                    out.push(Expr { kind: Hir::Call { function, arguments }, ty: void, span });
                    return;
                }
                // The result is made in private memory, and moved from there.
                let kind = PrvalueKind::Call { function, arguments };
                let keeps = std::mem::take(&mut self.keeps_temporaries);
                let temporary = self.temporary(Prvalue::new(ty, kind, span));
                self.keeps_temporaries = keeps;
                let (prelude, temporary) = self.stable(temporary);
                out.extend(prelude);
                let record = self.record_of(ty).expect("a class");
                let init = self.copy_class(record, Value::Moved(temporary), true, span);
                self.emit(place, Type::of(ty), init, out);
            }
            PrvalueKind::Parts { this, parts } => {
                if let Some((local, pointer)) = this {
                    let address = self.address_as(place.clone(), pointer);
                    let target = self.local_place(local, pointer, span);
                    out.push(Expr {
                        kind: Hir::Assign { target, value: Box::new(address) },
                        ty: pointer,
                        span,
                    });
                }
                self.emit_parts(place, parts, out);
            }
            PrvalueKind::Sequence { first, then } => {
                out.push(first);
                self.emit_class(place, *then, out);
            }
            PrvalueKind::Conditional { condition, then, otherwise } => {
                let branch = |cxx: &mut Self, prvalue: Prvalue| {
                    let mut stores = Vec::new();
                    cxx.emit_class(place, prvalue, &mut stores);
                    let list = stores
                        .into_iter()
                        .map(|expr| Statement { kind: StatementKind::Expr(expr), span })
                        .collect();
                    Box::new(Statement { kind: StatementKind::Block(list), span })
                };
                let then = branch(self, *then);
                let otherwise = Some(branch(self, *otherwise));
                let kind = StatementKind::If { condition, then, otherwise };
                let statements = vec![Statement { kind, span }];
                out.push(Expr { kind: Hir::Statements { statements, value: None }, ty: void, span });
            }
        }
    }

    /// A temporary object of a class, made where it is used.
    pub(in crate::check::cxx) fn temporary(&mut self, prvalue: Prvalue) -> Place {
        let (ty, span) = (prvalue.ty, prvalue.span);
        self.temporary_of(ty, Init::Class(prvalue), span)
    }

    pub(in crate::check::cxx) fn temporary_of(&mut self, ty: TypeId, init: Init, span: Span) -> Place {
        if matches!(init, Init::Error) {
            self.note_error();
            let error = self.checker.error_value(span);
            let kind = PlaceKind::Deref(Box::new(error));
            return Place { kind, ty: self.types.error().into(), space: AddressSpace::Private, span };
        }
        if self.frames.is_empty() {
            return self.static_temporary(ty, init, span);
        }
        let hir = self.hir_type(ty);
        if self.keeps_temporaries {
            let object = self.kept_object(hir, span);
            return self.made_temporary(object, ty, init, span);
        }
        if let Init::Value(value) = init {
            let place = self.held(Expr { ty: hir, ..value });
            return Place { ty: ty.into(), ..place };
        }
        let local = self.new_local(hir, span);
        let object = self.local_place(local, hir, span);
        self.made_temporary(object, ty, init, span)
    }

    /// A temporary object, made where it is used.
    fn made_temporary(&mut self, object: Place, ty: TypeId, init: Init, span: Span) -> Place {
        let mut stores = Vec::new();
        let order = match &init {
            Init::Class(prvalue) => prvalue.order,
            _ => 0,
        };
        let before = self.temporaries().0;
        self.emit(&object, Type::of(ty), init, &mut stores);
        let flag = self.add_temporary(&Place { ty: ty.into(), ..object.clone() }, span, order, before);
        stores.extend(flag);
        let object = Place { ty: ty.into(), ..object };
        match sequenced(stores) {
            None => object,
            Some(first) => self.after(first, object),
        }
    }
}
