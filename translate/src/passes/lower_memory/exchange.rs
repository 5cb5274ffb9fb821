//! Updates of memory that others may change at the same time: repeated until no other change intervenes.

use super::pointers::Lowering;
use clvk_ir::{CompareOp, Inst, Op, Value};

impl Lowering<'_, '_> {
    /// Replaces the integer at a pointer by what `new` computes from the expected one, with `exchange`, a
    /// compare-exchange. The first attempt expects `first`, later ones the value found. Returns the replaced
    /// integer. `new` also receives the loop, and may leave it with the expected integer if that is to
    /// remain.
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
