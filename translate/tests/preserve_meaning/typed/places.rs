//! Memory: the targets of pointers, and accesses to them.

use super::{Generator, Scope};
use clvk_ir::{
    AddressSpace, AtomicOp, BinaryOp, CompareOp, Constant, ConvertOp, MemoryOrder, Op, Scalar,
    Scope as Sharing, Type, Value,
};

/// The types with which memory is accessed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Units {
    /// This type only.
    Only(Type),
    /// All types, at multiples of their sizes.
    Mixed,
    /// All types, at any address.
    Packed,
}

/// Memory behind a pointer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub pointer: Value,
    /// The number of bytes that follow.
    pub size: u64,
    /// The pointer's alignment.
    pub align: u32,
    pub units: Units,
    pub writable: bool,
    /// The address space from which a generic pointer was made.
    pub origin: Option<AddressSpace>,
}

impl Place {
    fn allows(&self, ty: Type) -> bool {
        let fits = u64::from(ty.access_size()) <= self.size;
        fits && match self.units {
            Units::Only(own) => own == ty && self.align >= ty.scalar().map_or(1, Scalar::size),
            Units::Mixed => self.align >= ty.scalar().map_or(1, Scalar::size),
            Units::Packed => true,
        }
    }

    /// What is known about memory that may be either of two places.
    fn or(&self, other: &Place, pointer: Value) -> Place {
        let packed = [self.units, other.units].contains(&Units::Packed);
        Place {
            pointer,
            size: self.size.min(other.size),
            align: self.align.min(other.align),
            units: if packed { Units::Packed } else { Units::Mixed },
            writable: self.writable && other.writable,
            origin: None,
        }
    }
}

impl Generator<'_> {
    pub(super) fn space(&self, place: &Place) -> AddressSpace {
        self.ty(place.pointer).address_space().expect("places are behind pointers")
    }

    /// A type with which a place may be accessed.
    pub(super) fn type_at(&mut self, place: &Place) -> Option<Type> {
        if let Units::Only(ty) = place.units {
            return place.allows(ty).then_some(ty);
        }
        (0..8).map(|_| self.some_type()).find(|&ty| place.allows(ty))
    }

    /// A pointer to a value of a type somewhere in a place, and its alignment.
    pub(super) fn within(&mut self, scope: &mut Scope, place: &Place, ty: Type) -> (Value, u32) {
        let scalar = ty.scalar().map_or(8, Scalar::size);
        let whole = (scalar * ty.lanes().next_power_of_two()).min(place.align);
        let align = match place.units {
            Units::Only(_) => whole,
            Units::Mixed => self.random.pick(&[whole, scalar.min(whole)]),
            Units::Packed => self.random.pick(&[whole, scalar.min(whole), 1, 2.min(whole)]),
        };
        let room = place.size - u64::from(ty.access_size());
        let step = u64::from(ty.access_size()).next_multiple_of(u64::from(align));
        let count = room / step + 1;
        if count >= 2 && self.random.once_in(3) {
            let limit = 1 << count.ilog2();
            let index = self.index(scope, limit);
            let spare = room - (limit - 1) * step;
            let lead = self.random.below(spare / u64::from(align) + 1) * u64::from(align);
            let base = self.builder.pointer_offset(place.pointer, lead as i64);
            return (self.builder.pointer_index(base, index, step), align);
        }
        let offset = (self.random.below(room / u64::from(align) + 1) * u64::from(align)) as i64;
        if self.random.once_in(8) {
            let beyond = self.builder.pointer_offset(place.pointer, offset + 64);
            return (self.builder.pointer_offset(beyond, -64), align);
        }
        (self.builder.pointer_offset(place.pointer, offset), align)
    }

    /// A value of a type loaded from memory, if some memory is accessed with it.
    pub(super) fn load(&mut self, scope: &mut Scope, ty: Type) -> Option<Value> {
        let places: Vec<Place> = scope.places.iter().copied().filter(|place| place.allows(ty)).collect();
        if places.is_empty() || ty.is_bool() {
            return None;
        }
        let place = self.random.pick(&places);
        let (pointer, align) = self.within(scope, &place, ty);
        let volatile = self.random.once_in(16);
        Some(self.builder.load(pointer, ty, align, volatile))
    }

    fn writable(&mut self, scope: &Scope) -> Place {
        let places: Vec<Place> = scope.places.iter().copied().filter(|place| place.writable).collect();
        self.random.pick(&places)
    }

    /// Stores a value where the host sees it.
    pub(super) fn show(&mut self, scope: &mut Scope, value: Value) {
        let (place, ty) = (scope.places[0], self.ty(value));
        if ty.is_bool() {
            return;
        }
        let value = self.observed(value);
        let (pointer, align) = self.within(scope, &place, ty);
        self.builder.store(pointer, value, align, false);
    }

    pub(super) fn store(&mut self, scope: &mut Scope) {
        let place = self.writable(scope);
        let Some(ty) = self.type_at(&place) else { return };
        let value = self.value(scope, ty, 1);
        let value = self.observed(value);
        let (pointer, align) = self.within(scope, &place, ty);
        let volatile = self.random.once_in(16);
        self.builder.store(pointer, value, align, volatile);
    }

    /// Copies from another place, or clears some bytes.
    pub(super) fn copy_or_clear(&mut self, scope: &mut Scope) {
        let to = self.writable(scope);
        let from = self.random.pick(&scope.places);
        let most = to.size.min(from.size);
        let align = self.random.pick(&[to.align.min(from.align), 1]);
        let size = (1 + self.random.below(most)).next_multiple_of(u64::from(self.random.pick(&[1, align])));
        if size > most {
            return;
        }
        if from.writable || self.random.once_in(3) {
            // Two places may overlap.
            self.builder.push(Op::MemoryZero { size, align }, &[to.pointer], &[]);
        } else {
            self.builder.push(Op::MemoryCopy { size, align }, &[to.pointer, from.pointer], &[]);
        }
    }

    /// Initialised private memory.
    pub(super) fn variable(&mut self, scope: &mut Scope) {
        let ty = self.some_type();
        let units = self.random.pick(&[Units::Only(ty), Units::Mixed, Units::Packed]);
        let size = match units {
            Units::Only(_) => u64::from(ty.access_size().next_power_of_two()) * self.random.pick(&[1, 2, 5]),
            _ => self.random.pick(&[8, 24, 64]),
        };
        let pointer = self.alloca(size);
        let place = Place { pointer, size, align: 16, units, writable: true, origin: None };
        let source = scope.places.iter().copied().find(|place| place.size >= size && place.align >= 4);
        match source {
            Some(source) if size.is_multiple_of(4) && self.random.once_in(2) => {
                self.builder.push(Op::MemoryCopy { size, align: 4 }, &[pointer, source.pointer], &[]);
            }
            _ => drop(self.builder.push(Op::MemoryZero { size, align: 4 }, &[pointer], &[])),
        }
        scope.places.push(place);
    }

    pub(super) fn alloca(&mut self, size: u64) -> Value {
        self.builder.value(Op::Alloca { size, align: 16 }, &[], Type::Pointer(AddressSpace::Private))
    }

    /// An atomic operation on memory that no other work-item accesses.
    pub(super) fn own_atomic(&mut self, scope: &mut Scope) {
        let place = self.writable(scope);
        let mut types = vec![Type::I32, Type::I32, Type::F32, Type::I16];
        if self.features.atomics_64 {
            types.push(Type::I64);
        }
        let ty = self.random.pick(&types);
        if place.align < ty.access_size()
            || place.size < u64::from(ty.access_size())
            || place.units == Units::Packed
        {
            return;
        }
        if matches!(place.units, Units::Only(own) if own != ty) {
            return;
        }
        let strict = Place { units: Units::Only(ty), ..place };
        let (pointer, _) = self.within(scope, &strict, ty);
        let (order, scope_of) =
            (self.random.pick(&[MemoryOrder::Relaxed, MemoryOrder::SequentiallyConsistent]), Sharing::Device);
        let value = if ty.is_float() {
            // Sums of whole numbers are not rounded.
            let [old, new] = [0, 1].map(|_| {
                let number = self.random.below(1000) as f64;
                self.builder.function.float(ty, number)
            });
            self.builder.store(pointer, old, 4, false);
            let op = self.random.pick(&[AtomicOp::FAdd, AtomicOp::FMin, AtomicOp::FMax, AtomicOp::Exchange]);
            self.builder.value(Op::AtomicRmw { op, order, scope: scope_of }, &[pointer, new], ty)
        } else if self.random.once_in(4) {
            let expected = match self.random.once_in(2) {
                true => self.builder.load(pointer, ty, ty.access_size(), false),
                false => self.value(scope, ty, 2),
            };
            let new = self.value(scope, ty, 2);
            let exchange =
                Op::AtomicCompareExchange { success: order, failure: MemoryOrder::Relaxed, scope: scope_of };
            self.builder.value(exchange, &[pointer, expected, new], ty)
        } else if self.random.once_in(4) {
            let new = self.value(scope, ty, 2);
            self.builder.push(
                Op::AtomicStore { order: MemoryOrder::Relaxed, scope: scope_of },
                &[pointer, new],
                &[],
            );
            self.builder.value(
                Op::AtomicLoad { order: MemoryOrder::Relaxed, scope: scope_of },
                &[pointer],
                ty,
            )
        } else {
            use AtomicOp::*;
            let value = self.value(scope, ty, 2);
            let op = self.random.pick(&[Exchange, Add, Sub, And, Or, Xor, SMin, SMax, UMin, UMax]);
            self.builder.value(Op::AtomicRmw { op, order, scope: scope_of }, &[pointer, value], ty)
        };
        scope.values.push(value);
    }

    /// Changes a number that all work-items change by the same operation; its old value depends on their
    /// order.
    pub(super) fn count(&mut self, scope: &mut Scope) {
        if self.counters.is_empty() {
            return;
        }
        let counter = self.random.pick(&self.counters.clone());
        let value = match counter.ty {
            Type::F32 => {
                let number = self.random.below(100) as f64;
                self.builder.function.float(Type::F32, number)
            }
            ty => self.value(scope, ty, 2),
        };
        let op = Op::AtomicRmw { op: counter.op, order: MemoryOrder::Relaxed, scope: Sharing::Device };
        self.builder.value(op, &[counter.pointer, value], counter.ty);
    }

    /// Another pointer into some of the memory.
    pub(super) fn derive(&mut self, scope: &mut Scope) {
        let place = self.random.pick(&scope.places);
        let space = self.space(&place);
        let others: Vec<Place> =
            scope.places.iter().copied().filter(|other| self.space(other) == space).collect();
        let other = self.random.pick(&others);
        let ty = Type::Pointer(space);
        let derived = match self.random.below(8) {
            0 | 1 if space != AddressSpace::Constant && space != AddressSpace::Generic => {
                let generic = Type::Pointer(AddressSpace::Generic);
                let pointer = self.builder.convert(ConvertOp::AddressSpace, place.pointer, generic);
                Place { pointer, origin: Some(space), ..place }
            }
            0 | 1 => match place.origin {
                Some(origin) => {
                    let op = ConvertOp::AddressSpace;
                    let pointer = self.builder.convert(op, place.pointer, Type::Pointer(origin));
                    Place { pointer, origin: None, ..place }
                }
                None => place,
            },
            2 => {
                let condition = self.value(scope, Type::BOOL, 2);
                let pointer = self.builder.select(condition, place.pointer, other.pointer);
                place.or(&other, pointer)
            }
            3 => self.through_variable(scope, &place, &other),
            4 => {
                let address = self.builder.convert(ConvertOp::PointerToInt, place.pointer, Type::I64);
                let pointer = self.builder.convert(ConvertOp::IntToPointer, address, ty);
                Place { pointer, origin: None, ..place }
            }
            5 => self.through_null(scope, &place),
            _ => self.part(&place),
        };
        scope.places.push(derived);
    }

    /// A pointer loaded from a variable, in which another one may have replaced it.
    fn through_variable(&mut self, scope: &mut Scope, place: &Place, other: &Place) -> Place {
        let variable = self.alloca(8);
        self.builder.store(variable, place.pointer, 8, false);
        let condition = self.value(scope, Type::BOOL, 2);
        let regions = [self.builder.function.add_region(), self.builder.function.add_region()];
        let choice = self.builder.push_with_regions(Op::If, &[condition], &[], &regions);
        let outer = self.builder.switch_to(regions[0]);
        self.builder.store(variable, other.pointer, 8, false);
        self.builder.push(Op::Exit(choice), &[], &[]);
        self.builder.switch_to(regions[1]);
        self.builder.push(Op::Exit(choice), &[], &[]);
        self.builder.switch_to(outer);
        let pointer = self.builder.load(variable, self.ty(place.pointer), 8, false);
        place.or(other, pointer)
    }

    /// The same pointer, after it was null in some work-items.
    fn through_null(&mut self, scope: &mut Scope, place: &Place) -> Place {
        let condition = self.value(scope, Type::BOOL, 2);
        let null = self.builder.function.constant(self.ty(place.pointer), Constant::Bits(0));
        let either = self.builder.select(condition, null, place.pointer);
        let is_null = self.builder.compare(CompareOp::Eq, either, null);
        scope.values.push(is_null);
        let pointer = self.builder.select(is_null, place.pointer, either);
        Place { pointer, origin: None, ..*place }
    }

    /// A part of a place, which may be less aligned.
    fn part(&mut self, place: &Place) -> Place {
        let step = match place.units {
            Units::Packed => self.random.pick(&[1, 2, 4]),
            Units::Mixed => self.random.pick(&[1, 4, 8]),
            Units::Only(ty) => u64::from(ty.access_size().next_power_of_two()),
        };
        let steps = place.size / step;
        if steps < 2 {
            return *place;
        }
        let offset = (1 + self.random.below(steps - 1)) * step;
        let pointer = self.builder.pointer_offset(place.pointer, offset as i64);
        let align = place.align.min(1 << offset.trailing_zeros());
        Place { pointer, size: place.size - offset, align, ..*place }
    }

    /// The results of comparing and subtracting pointers.
    pub(super) fn relate(&mut self, scope: &mut Scope) {
        let place = self.random.pick(&scope.places);
        let space = self.space(&place);
        if space == AddressSpace::Generic && self.asks_space && self.random.once_in(2) {
            let number = self.builder.value(Op::PointerSpace, &[place.pointer], Type::I32);
            return scope.values.push(number);
        }
        let [first, second] = [0, 1].map(|_| {
            let offset = self.random.below(place.size) as i64;
            self.builder.pointer_offset(place.pointer, offset)
        });
        let value = match self.random.below(3) {
            0 => {
                let op = self.random.pick(&[CompareOp::Eq, CompareOp::Ne]);
                self.builder.compare(op, first, second)
            }
            kind => {
                let [first, second] = [first, second]
                    .map(|pointer| self.builder.convert(ConvertOp::PointerToInt, pointer, Type::I64));
                match kind {
                    1 => self.builder.binary(BinaryOp::Sub, first, second),
                    _ => {
                        let op = self.random.pick(&[CompareOp::ULt, CompareOp::UGe, CompareOp::Eq]);
                        self.builder.compare(op, first, second)
                    }
                }
            }
        };
        scope.values.push(value);
    }
}
