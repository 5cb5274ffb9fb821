//! Arrays of vectors in local memory in which numbers are accessed on their own, too ([`View::wide`]).
//!
//! The index of a vector is not computed of the offset in which pointers count, but of what the pointer's
//! indices count, where all are of whole vectors. The offset may have lost upper bits, so its quotient is not
//! the sum of quotients, and drivers would have to divide.

use super::access::Flags;
use super::pointers::Lowering;
use super::views::View;
use clvk_ir::{AddressSpace, BinaryOp, Op, Type, Value, Variable};

impl Lowering<'_, '_> {
    /// The index of the vector at an offset into a wide array, if it is known that one begins there.
    pub fn vector_index(&mut self, view: &View, offset: Value) -> Option<Value> {
        if !view.wide {
            return None;
        }
        let known = self.cursor.function.as_bits(offset).map(|units| units << view.scale);
        match known.filter(|bytes| bytes.is_multiple_of(1 << view.stride)) {
            Some(bytes) => Some(self.cursor.int(Type::I32, (bytes >> view.stride) as i64)),
            None => self.vectors.get(&offset).copied(),
        }
    }

    /// Notes which vector is at the offset `sum`, which is `bytes` behind another one.
    pub fn note_vector_at(&mut self, view: &View, base: Value, bytes: i64, sum: Value) {
        let whole = bytes % (1 << view.stride) == 0;
        if let Some(vector) = self.vector_index(view, base).filter(|_| whole) {
            let vector = self.cursor.binary_int(BinaryOp::Add, vector, bytes >> view.stride);
            self.vectors.insert(sum, vector);
        }
    }

    /// Notes which vector is at the offset `sum`, which is `index` times `bytes` behind another one.
    pub fn note_vector_of(&mut self, view: &View, base: Value, index: Value, bytes: u64, sum: Value) {
        let whole = bytes.is_multiple_of(1 << view.stride);
        if let Some(vector) = self.vector_index(view, base).filter(|_| whole) {
            let count = bytes >> view.stride;
            let further = match count.is_power_of_two() {
                true => self.cursor.binary_int(BinaryOp::Shl, index, i64::from(count.trailing_zeros())),
                false => self.cursor.binary_int(BinaryOp::Mul, index, count as i64),
            };
            let vector = self.cursor.binary(BinaryOp::Add, vector, further);
            self.vectors.insert(sum, vector);
        }
    }

    /// Loads a lane, of this type.
    pub fn load_lane(
        &mut self,
        view: &View,
        variable: Variable,
        offset: Value,
        ty: Type,
        flags: Flags,
    ) -> Value {
        let pointer = self.lane_pointer(view, variable, offset);
        let op = Op::Load { align: ty.access_size(), volatile: flags.volatile };
        self.cursor.value(op, &[pointer], ty)
    }

    /// Stores a lane.
    pub fn store_lane(&mut self, view: &View, variable: Variable, offset: Value, value: Value, flags: Flags) {
        let pointer = self.lane_pointer(view, variable, offset);
        let align = self.cursor.function.ty(value).access_size();
        self.cursor.push(Op::Store { align, volatile: flags.volatile }, &[pointer, value], &[], &[]);
    }

    /// A pointer to the lane at an offset, in an array of vectors.
    fn lane_pointer(&mut self, view: &View, variable: Variable, offset: Value) -> Value {
        let index = self.element_index(view, offset, 0);
        let numbers = match view.scale {
            scale @ 0..2 => self.cursor.binary_int(BinaryOp::LShr, offset, i64::from(2 - scale)),
            scale => self.cursor.binary_int(BinaryOp::Shl, offset, i64::from(scale - 2)),
        };
        let lane = self.cursor.binary_int(BinaryOp::And, numbers, 3);
        let index = self.index_or_only(variable, index);
        let ty = Type::Pointer(AddressSpace::Local);
        self.cursor.value(Op::ElementPointer(variable), &[index, lane], ty)
    }
}
