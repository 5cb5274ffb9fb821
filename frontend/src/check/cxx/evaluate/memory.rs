//! The memory of an evaluation: objects, and values that are read from and written to them.

use super::union::{Access, decayed};
use super::{Evaluated, Machine, Object, Pointer, Stop, Value, stop};
use crate::Span;
use crate::check::constant::mask;
use crate::hir::{ActiveMember, ConstantData, Expr, GlobalId, Initializer, Local, LocalId, Place, PlaceKind};
use crate::types::{RecordId, TypeId, TypeKind};
use clvk_ir::AddressSpace;
use std::ops::Range;

/// What is said of a part of a constant object that has no value.
const UNINITIALIZED: &str = "a subobject is not initialized";

/// Steps of one evaluation.
const STEPS: u64 = 1_048_576;

/// Bytes of all objects.
const MEMORY: usize = 64 << 20;

impl Machine<'_, '_> {
    pub(super) fn step(&mut self, span: Span) -> Evaluated<()> {
        self.steps += 1;
        if self.steps > STEPS {
            return stop(span, format!("the evaluation needs more than {STEPS} steps"));
        }
        Ok(())
    }

    pub(super) fn layout(&self, ty: TypeId, span: Span) -> Evaluated<usize> {
        match self.cxx.types.layout(ty) {
            Some((size, _)) if (size as usize) <= MEMORY => Ok(size as usize),
            _ => stop(span, "an object is too large or has no size"),
        }
    }

    fn new_object(&mut self, size: usize, span: Span) -> Evaluated<usize> {
        self.memory += size;
        if self.memory > MEMORY {
            return stop(span, "the evaluation needs too much memory");
        }
        self.objects.push(Object { bytes: vec![0; size], known: vec![false; size], ..Object::default() });
        Ok(self.objects.len() - 1)
    }

    pub(super) fn local(&mut self, local: LocalId, ty: TypeId, span: Span) -> Evaluated<usize> {
        let depth = self.calls.len();
        let call = self.calls.last().expect("a call");
        if let Some(object) = call.locals.get(&local) {
            return Ok(*object);
        }
        let constant = match (depth, call.function) {
            (1, Some(function)) => self.cxx.local_constants.get(&(function, local)).cloned(),
            _ => None,
        };
        let size = self.layout(ty, span)?;
        let object = self.new_object(size, span)?;
        if let Some(data) = constant {
            self.fill(object, &data, span)?;
            self.objects[object].is_constant = true;
        }
        self.calls.last_mut().expect("a call").locals.insert(local, object);
        Ok(object)
    }

    fn fill(&mut self, object: usize, data: &ConstantData, span: Span) -> Evaluated<()> {
        let size = self.objects[object].bytes.len().min(data.bytes.len());
        self.objects[object].bytes[..size].copy_from_slice(&data.bytes[..size]);
        self.objects[object].known.fill(true);
        let members = data.members.iter().map(|it| ((it.offset, it.union), it.member));
        self.objects[object].active.extend(members);
        for (at, global, addend) in &data.pointers {
            let target = self.global(*global, span)?;
            self.objects[object].pointers.insert(*at, Pointer { object: Some(target), offset: *addend });
        }
        Ok(())
    }

    pub(super) fn global(&mut self, id: GlobalId, span: Span) -> Evaluated<usize> {
        if let Some(object) = self.globals.get(&id) {
            return Ok(*object);
        }
        let global = &self.cxx.checker.globals[id.0 as usize];
        let (ty, space, is_const) = (global.ty.ty, global.space, global.ty.qualifiers.is_const);
        let data = global.initializer.clone();
        let size = self.layout(ty, span)?;
        let object = self.new_object(size, span)?;
        self.objects[object].global = Some(id);
        self.globals.insert(id, object);
        if self.target == Some(id) {
            return Ok(object);
        }
        let is_known =
            space == AddressSpace::Constant || is_const || self.cxx.constexpr_globals.contains(&id);
        self.objects[object].is_constant = true;
        let is_known = is_known && !self.cxx.lifetimes.unknown.contains(&id);
        if is_known && space != AddressSpace::Local {
            match data {
                Some(data) => self.fill(object, &data, span)?,
                None if self.cxx.constexpr_globals.contains(&id)
                    || self.cxx.zero_globals.contains(&id)
                    || space == AddressSpace::Constant =>
                {
                    self.objects[object].known.fill(true);
                    self.objects[object].is_zero = true;
                }
                None => {}
            }
        }
        Ok(object)
    }

    /// The contents of an object as data of the program.
    pub(super) fn data(&mut self, object: usize, span: Span) -> Evaluated<ConstantData> {
        let object = &self.objects[object];
        let mut pointers = Vec::new();
        for (at, pointer) in &object.pointers {
            match pointer.object.map(|target| self.objects[target].global) {
                None => {}
                Some(Some(global)) => pointers.push((*at, global, pointer.offset)),
                Some(None) => return stop(span, "it points to a temporary object or a local variable"),
            }
        }
        let member =
            |(&(offset, union), &member): (&(u64, RecordId), &TypeId)| ActiveMember { offset, union, member };
        let members = object.active.iter().map(member).collect();
        Ok(ConstantData { bytes: object.bytes.clone(), pointers, members })
    }

    /// Whether every part of a constant object has a value; of a union, which part that is is not known here.
    pub(super) fn check_initialized(
        &self,
        object: usize,
        offset: u64,
        ty: TypeId,
        span: Span,
    ) -> Evaluated<()> {
        let known = &self.objects[object].known;
        let types = &self.cxx.types;
        match types.kind(ty) {
            TypeKind::Record(record) if types.record(*record).is_union => Ok(()),
            TypeKind::Record(record) => {
                for member in types.record(*record).members.iter().flatten() {
                    self.check_initialized(object, offset + member.offset, member.ty.ty, span).map_err(
                        |it| match member.name {
                            Some(name) if it.reason == UNINITIALIZED => {
                                let text = self.cxx.checker.interner.text(name);
                                Box::new(Stop {
                                    reason: format!("subobject '{text}' is not initialized"),
                                    ..*it
                                })
                            }
                            _ => it,
                        },
                    )?;
                }
                Ok(())
            }
            TypeKind::Array { element, length: Some(count) } => {
                let (size, _) = types.layout(element.ty).unwrap_or((1, 1));
                (0..*count).try_for_each(|index| {
                    self.check_initialized(object, offset + index * size, element.ty, span)
                })
            }
            _ => {
                let is_known = known.get(offset as usize).is_none_or(|known| *known);
                if is_known { Ok(()) } else { stop(span, UNINITIALIZED) }
            }
        }
    }

    pub(super) fn read(&self, at: Pointer, ty: TypeId, span: Span) -> Evaluated<Value> {
        let Some(object) = at.object else { return stop(span, "a null pointer is dereferenced") };
        let object = &self.objects[object];
        let size = self.layout(ty, span)?;
        let start = usize::try_from(at.offset).ok();
        let Some(range) =
            start.map(|start| start..start + size).filter(|range| range.end <= object.bytes.len())
        else {
            return stop(span, "an object is accessed outside of its bounds");
        };
        if object.is_dead {
            return stop(span, "an object is read after its lifetime has ended");
        }
        let types = &self.cxx.types;
        if types.pointee(ty).is_some() {
            if !object.known[range.clone()].iter().all(|known| *known) {
                return stop(span, "a value is read that is not known at compile time");
            }
            if let Some(pointer) = object.pointers.get(&(range.start as u64)) {
                return Ok(Value::Pointer(*pointer));
            }
            let mut word = [0; 8];
            word.copy_from_slice(&object.bytes[range]);
            return Ok(Value::Pointer(Pointer { object: None, offset: i64::from_le_bytes(word) }));
        }
        if let Some((kind, lanes)) = types.as_arithmetic(ty) {
            let size = kind.size() as usize;
            let used = range.start..range.start + size * lanes as usize;
            if !object.known[used.clone()].iter().all(|known| *known) {
                return stop(span, "a value is read that is not known at compile time");
            }
            if object.pointers.range(used.start as u64..used.end as u64).next().is_some() {
                return stop(span, "a pointer is read as a number");
            }
            let lanes = (0..lanes as usize).map(|lane| {
                let mut word = [0; 8];
                let at = range.start + lane * size;
                word[..size].copy_from_slice(&object.bytes[at..at + size]);
                u64::from_le_bytes(word) & mask(kind)
            });
            return Ok(Value::Lanes(lanes.collect()));
        }
        let mut copy = Object {
            bytes: object.bytes[range.clone()].to_vec(),
            known: object.known[range.clone()].to_vec(),
            ..Object::default()
        };
        for (offset, pointer) in object.pointers.range(range.start as u64..range.end as u64) {
            copy.pointers.insert(offset - range.start as u64, *pointer);
        }
        let start = range.start as u64;
        let members = object.active.iter().filter(|((at, _), _)| range.contains(&(*at as usize)));
        copy.active.extend(members.map(|((at, union), member)| ((at - start, *union), *member)));
        Ok(Value::Bytes(copy))
    }

    pub(super) fn write(&mut self, at: Pointer, ty: TypeId, value: &Value, span: Span) -> Evaluated<()> {
        let Some(index) = at.object else { return stop(span, "a null pointer is dereferenced") };
        let size = self.layout(ty, span)?;
        let element = match *self.cxx.types.kind(ty) {
            // An atomic object begins with a number.
            TypeKind::Atomic(kind) => Some((kind, 1)),
            _ => self.cxx.types.as_arithmetic(ty),
        };
        if self.objects[index].is_constant {
            return stop(span, "an object is changed that was not made by this evaluation");
        }
        let start = usize::try_from(at.offset).ok();
        let length = self.objects[index].bytes.len();
        let Some(range) = start.map(|start| start..start + size).filter(|range| range.end <= length) else {
            return stop(span, "an object is accessed outside of its bounds");
        };
        self.check_alive(index, &range, span)?;
        let is_in = |it: &Range<usize>| range.start < it.end && it.start < range.end;
        if let Value::Bytes(_) = value {
            // A new object in the place of another.
            self.objects[index].fixed.retain(|it| !is_in(it));
        } else if self.objects[index].fixed.iter().any(is_in) {
            return stop(span, "a constant member of an object is changed");
        }
        let object = &mut self.objects[index];
        if object.is_unborn && !object.known[range.clone()].iter().all(|known| *known) {
            return stop(span, "an object is changed before its lifetime begins");
        }
        let stale: Vec<u64> =
            object.pointers.range(range.start as u64..range.end as u64).map(|(at, _)| *at).collect();
        for at in stale {
            object.pointers.remove(&at);
        }
        match value {
            Value::Lanes(lanes) => {
                let Some((kind, _)) = element else {
                    return stop(span, "a number is stored as something else");
                };
                let size = kind.size() as usize;
                for (lane, bits) in lanes.iter().enumerate() {
                    let at = range.start + lane * size;
                    object.bytes[at..at + size].copy_from_slice(&bits.to_le_bytes()[..size]);
                }
                object.known[range].fill(true);
            }
            Value::Pointer(pointer) => {
                let bits = if pointer.object.is_some() { 0 } else { pointer.offset };
                object.bytes[range.clone()].copy_from_slice(&bits.to_le_bytes()[..size]);
                object.known[range.clone()].fill(true);
                if pointer.object.is_some() {
                    object.pointers.insert(range.start as u64, *pointer);
                }
            }
            Value::Bytes(other) => {
                let count = size.min(other.bytes.len());
                object.bytes[range.start..range.start + count].copy_from_slice(&other.bytes[..count]);
                object.known[range.start..range.start + count].copy_from_slice(&other.known[..count]);
                for (offset, pointer) in &other.pointers {
                    object.pointers.insert(range.start as u64 + offset, *pointer);
                }
                let start = range.start as u64;
                let members = other.active.iter();
                object.active.extend(members.map(|((at, union), member)| ((start + at, *union), *member)));
            }
            Value::Void => return stop(span, "nothing is stored"),
        }
        Ok(())
    }

    /// Where an object is. Components of vectors are not here.
    pub(super) fn place(&mut self, place: &Place, access: Access) -> Evaluated<Pointer> {
        let span = place.span;
        match &place.kind {
            PlaceKind::Local(local) => {
                let ty = self.local_type(*local, place.ty.ty);
                let object = self.local(*local, ty, span)?;
                Ok(Pointer { object: Some(object), offset: 0 })
            }
            PlaceKind::Global(id) => {
                let object = self.global(*id, span)?;
                Ok(Pointer { object: Some(object), offset: 0 })
            }
            PlaceKind::Deref(pointer) => {
                if let (Some(array), true) = (decayed(pointer), access != Access::Address) {
                    // An element of an array is a part of what has the array.
                    self.place(array, access)?;
                }
                match self.value(pointer)? {
                    Value::Pointer(pointer) => Ok(pointer),
                    _ => stop(span, "a pointer is not known at compile time"),
                }
            }
            PlaceKind::Member(base, offset) => {
                let at = self.place(base, access)?;
                if at.object.is_none() {
                    return stop(span, "a member of a null pointer is accessed");
                }
                self.union_member(at, base.ty.ty, place.ty.ty, access, span)?;
                Ok(Pointer { offset: at.offset + *offset as i64, ..at })
            }
            PlaceKind::CompoundLiteral(local, initializer) => {
                let ty = self.local_type(*local, place.ty.ty);
                let object = self.local(*local, ty, span)?;
                self.initialize(object, ty, initializer, span)?;
                Ok(Pointer { object: Some(object), offset: 0 })
            }
            PlaceKind::Swizzle(..) => stop(span, "components of a vector have no address"),
            PlaceKind::MatrixElement(..) => stop(span, "elements of a cooperative matrix have no address"),
        }
    }

    pub(super) fn local_type(&self, local: LocalId, default: TypeId) -> TypeId {
        self.local_variable(local).map_or(default, |local| local.ty.ty)
    }

    pub(super) fn is_const_local(&self, local: LocalId) -> bool {
        self.local_variable(local).is_some_and(|local| local.ty.qualifiers.is_const)
    }

    fn local_variable(&self, local: LocalId) -> Option<&Local> {
        let function = self.calls.last().and_then(|call| call.function);
        let is_current = self.calls.len() == 1;
        let locals = match (is_current, function) {
            (true, _) => self.cxx.checker.current.as_ref().map(|current| &current.locals),
            (false, Some(function)) => Some(&self.cxx.checker.functions[function.0 as usize].locals),
            _ => None,
        };
        locals?.get(local.0 as usize)
    }

    pub(super) fn initialize(
        &mut self,
        object: usize,
        ty: TypeId,
        init: &Initializer,
        span: Span,
    ) -> Evaluated<()> {
        let at = Pointer { object: Some(object), offset: 0 };
        match init {
            Initializer::Value(value) => {
                let result = self.first_value(object, value)?;
                self.write(at, ty, &result, span)
            }
            Initializer::Parts { parts, zero_rest } => {
                if *zero_rest {
                    self.objects[object].bytes.fill(0);
                    self.objects[object].known.fill(true);
                    self.objects[object].pointers.clear();
                }
                for part in parts {
                    let result = self.first_value(object, &part.value)?;
                    for offset in part.offsets() {
                        let at = Pointer { object: Some(object), offset: offset as i64 };
                        self.write(at, part.value.ty, &result, span)?;
                    }
                }
                Ok(())
            }
        }
    }

    /// A value that an object, or a part of it, begins with.
    fn first_value(&mut self, object: usize, value: &Expr) -> Evaluated<Value> {
        self.objects[object].is_unborn = true;
        let result = self.value(value);
        self.objects[object].is_unborn = false;
        result
    }

    pub(super) fn load(&mut self, place: &Place) -> Evaluated<Value> {
        if let PlaceKind::Swizzle(inner, lanes) = &place.kind {
            let Value::Lanes(all) = self.load(inner)? else { return stop(place.span, "not a vector") };
            return Ok(Value::Lanes(lanes.iter().map(|lane| all[usize::from(*lane)]).collect()));
        }
        if place.ty.qualifiers.is_volatile {
            return stop(place.span, "a volatile object is read");
        }
        let at = self.place(place, Access::Read)?;
        self.read(at, place.ty.ty, place.span)
    }

    pub(super) fn store(&mut self, place: &Place, value: &Value) -> Evaluated<()> {
        if let PlaceKind::Swizzle(inner, lanes) = &place.kind {
            let Value::Lanes(mut all) = self.load(inner)? else { return stop(place.span, "not a vector") };
            let Value::Lanes(new) = value else { return stop(place.span, "not a vector") };
            for (lane, bits) in lanes.iter().zip(new) {
                all[usize::from(*lane)] = *bits;
            }
            return self.store(inner, &Value::Lanes(all));
        }
        let at = self.place(place, Access::Write)?;
        self.write(at, place.ty.ty, value, place.span)
    }
}
