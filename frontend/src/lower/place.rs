//! Objects: addresses, loads and stores.

use super::function::FunctionLowering;
use super::statement::align_at;
use crate::hir::{Expr, Place, PlaceKind};
use crate::types::{QualifiedType, TypeId, TypeKind};
use clvk_ir::{AddressSpace, CompareOp, ConvertOp, MatrixOp, Op, Scalar, Type, Value};

/// A designated object with its computed address.
#[derive(Clone)]
pub(super) struct Object {
    /// Address; the value itself for images and samplers.
    pub address: Value,
    /// Known alignment of the address.
    pub align: u32,
    /// Type of the object, or of the vector whose lanes are designated.
    pub ty: QualifiedType,
    /// Lanes of a vector, if only a part of the object is designated.
    pub lanes: Option<Vec<u8>>,
    /// The number of an element, if only that of a cooperative matrix is designated.
    pub element: Option<Value>,
    /// Address space.
    pub space: AddressSpace,
}

impl<'p> FunctionLowering<'_, 'p> {
    /// Computes the address of a place.
    pub fn object(&mut self, place: &'p Place) -> Object {
        let whole = |address, align| {
            let (ty, space) = (place.ty, place.space);
            Object { address, align, ty, lanes: None, element: None, space }
        };
        match &place.kind {
            PlaceKind::Local(local) => whole(self.local(*local), self.hir.locals[local.0 as usize].align),
            PlaceKind::Global(id) => {
                let global = self.lowering.globals[id.0 as usize];
                let address = self.function.global(Type::Pointer(place.space), global);
                whole(address, self.lowering.program.global(*id).align)
            }
            PlaceKind::Deref(pointer) => {
                let address = self.value(pointer);
                whole(address, self.place_align(place))
            }
            PlaceKind::Member(base, offset) => {
                let is_handle = self.is_handle(base.ty.ty);
                let base = self.object(base);
                // The member of a handle's class is the handle.
                if is_handle {
                    return whole(base.address, base.align);
                }
                let address = self.build().pointer_offset(base.address, *offset as i64);
                whole(address, align_at(base.align, *offset))
            }
            PlaceKind::Swizzle(base, lanes) => {
                let mut base = self.object(base);
                base.lanes = Some(match base.lanes {
                    None => lanes.clone(),
                    Some(outer) => lanes.iter().map(|&lane| outer[usize::from(lane)]).collect(),
                });
                base
            }
            PlaceKind::MatrixElement(base, index) => {
                let base = self.object(base);
                let index = self.value(index);
                Object { element: Some(index), ..base }
            }
            PlaceKind::CompoundLiteral(local, initializer) => {
                self.initialize(*local, initializer);
                whole(self.local(*local), self.hir.locals[local.0 as usize].align)
            }
        }
    }

    /// The value of an object that is not a structure.
    pub fn load_object(&mut self, object: &Object) -> Value {
        if self.is_handle(object.ty.ty) {
            return object.address;
        }
        let volatile = object.ty.qualifiers.is_volatile;
        let whole = self.load_value(object.address, object.ty.ty, object.align, volatile);
        if let (Some(index), Type::Matrix(matrix)) = (object.element, self.function.ty(whole)) {
            let scalar = Type::Scalar(matrix.element.value());
            return self.build().value(Op::Matrix(MatrixOp::Extract), &[whole, index], scalar);
        }
        match &object.lanes {
            None => whole,
            Some(lanes) => self.swizzle(whole, lanes),
        }
    }

    /// Stores a value that is not a structure.
    pub fn store_object(&mut self, object: &Object, value: Value) {
        let volatile = object.ty.qualifiers.is_volatile;
        if let Some(index) = object.element {
            let whole = self.load_value(object.address, object.ty.ty, object.align, volatile);
            let ty = self.function.ty(whole);
            let whole = self.build().value(Op::Matrix(MatrixOp::Insert), &[whole, value, index], ty);
            return self.store_value(object.address, whole, object.align, volatile);
        }
        let Some(lanes) = object.lanes.clone() else {
            return self.store_value(object.address, value, object.align, volatile);
        };
        // The other lanes may only be written back in private memory: elsewhere another work-item may own
        // them.
        if object.space == AddressSpace::Private && !volatile {
            let mut whole = self.load_value(object.address, object.ty.ty, object.align, false);
            let ty = self.function.ty(whole);
            for (index, &lane) in lanes.iter().enumerate() {
                let part = self.lane(value, index);
                whole = self.build().value(Op::Insert(lane), &[whole, part], ty);
            }
            return self.store_value(object.address, whole, object.align, false);
        }
        for (index, &lane) in lanes.iter().enumerate() {
            let part = self.lane(value, index);
            let offset = u64::from(self.function.ty(part).access_size()) * u64::from(lane);
            let address = self.build().pointer_offset(object.address, offset as i64);
            self.store_value(address, part, align_at(object.align, offset), volatile);
        }
    }

    /// A lane of a vector; a scalar is its own lane.
    pub fn lane(&mut self, value: Value, lane: usize) -> Value {
        match self.function.ty(value) {
            Type::Vector(..) => self.build().extract(value, lane as u8),
            _ => value,
        }
    }

    /// Chosen lanes of a vector value.
    pub fn swizzle(&mut self, vector: Value, lanes: &[u8]) -> Value {
        if let [lane] = lanes {
            return self.lane(vector, usize::from(*lane));
        }
        self.shuffle(vector, vector, lanes)
    }

    /// Chosen lanes of two vectors of one type.
    pub fn shuffle(&mut self, first: Value, second: Value, lanes: &[u8]) -> Value {
        let element = self.function.ty(first).scalar().expect("only vectors have lanes");
        let mut mask = [255; 16];
        mask[..lanes.len()].copy_from_slice(lanes);
        let ty = Type::with_lanes(element, lanes.len() as u32);
        self.build().value(Op::Shuffle(mask), &[first, second], ty)
    }

    /// Loads a value; `bool` from its byte.
    pub fn load_value(&mut self, address: Value, ty: TypeId, align: u32, volatile: bool) -> Value {
        let ty = self.lowering.value_type(ty).expect("structures are not values");
        let memory = memory_type(ty);
        let loaded = self.build().load(address, memory, align, volatile);
        if memory == ty {
            return loaded;
        }
        let zero = self.function.zero(memory);
        self.build().compare(CompareOp::Ne, loaded, zero)
    }

    /// Stores a value; `bool` as a byte.
    pub fn store_value(&mut self, address: Value, value: Value, align: u32, volatile: bool) {
        let ty = self.function.ty(value);
        let memory = memory_type(ty);
        let value =
            if memory == ty { value } else { self.build().convert(ConvertOp::ZeroExtend, value, memory) };
        self.build().store(address, value, align, volatile);
    }

    /// Evaluates an expression into memory; structures are copied.
    pub fn store_expr(&mut self, address: Value, expr: &'p Expr, align: u32, volatile: bool) {
        if self.lowering.is_record(expr.ty) {
            let (source, source_align) = self.record(expr);
            self.copy(address, align, source, source_align, expr.ty);
        } else {
            let value = self.value(expr);
            self.store_value(address, value, align, volatile);
        }
    }

    /// Copies an object of a type.
    pub fn copy(&mut self, to: Value, to_align: u32, from: Value, from_align: u32, ty: TypeId) {
        let types = &self.lowering.program.types;
        let padding = match *types.kind(ty) {
            TypeKind::Record(record) => types.record(record).padding,
            _ => 0,
        };
        let size = self.lowering.layout(ty).0 - padding;
        self.copy_bytes(to, from, size, to_align.min(from_align));
    }

    /// Copies bytes between objects that do not overlap; an empty structure has none.
    pub fn copy_bytes(&mut self, to: Value, from: Value, size: u64, align: u32) {
        if size > 0 {
            self.push(Op::MemoryCopy { size, align }, &[to, from], &[]);
        }
    }

    /// The size of a pointer's target; 1 for `void`.
    pub fn pointee_size(&self, pointer: TypeId) -> u64 {
        match self.lowering.program.types.kind(pointer) {
            TypeKind::Pointer { pointee, .. } => {
                self.lowering.program.types.layout(pointee.ty).map_or(1, |it| it.0)
            }
            other => panic!("{other:?} is not a pointer"),
        }
    }
}

/// The type of a value in memory: `bool` is a byte.
fn memory_type(ty: Type) -> Type {
    if ty.is_bool() { ty.with_scalar(Scalar::I8) } else { ty }
}
