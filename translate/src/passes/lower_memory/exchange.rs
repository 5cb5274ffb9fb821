//! Changes to memory that others may change at the same time: tried until nobody came between.

use super::pointers::Lowering;
use clvk_ir::{CompareOp, Inst, Op, Value};

impl Lowering<'_, '_> {
    /// Replaces the integer at a pointer by what `new` makes of the one expected there, by `exchange`, a
    /// compare-exchange; `first` is expected first, then what was found. Gives the integer that was replaced.
    /// `new` is also given the loop, which it may leave with the expected integer where that is to stay.
    pub fn exchange_or_repeat(
        &mut self,
        exchange: Op,
        pointer: Value,
        first: Value,
        new: impl FnOnce(&mut Self, Inst, Value) -> Value,
    ) -> Value {
        let ty = self.cursor.function.ty(first);
        let tries = self.cursor.begin_loop(&[first], &[ty]);
        let expected = tries.carried[0];
        let new = new(self, tries.inst, expected);
        let seen = self.cursor.value(exchange, &[pointer, expected, new], ty);
        let same = self.cursor.compare(CompareOp::Eq, seen, expected);
        self.cursor.exit_when(same, true, tries.inst, &[seen]);
        self.cursor.end_loop(&tries, &[seen]);
        self.cursor.result(tries.inst)
    }
}
