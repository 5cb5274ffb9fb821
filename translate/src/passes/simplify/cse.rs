//! The table of expressions that are available at a point: one scope for each region that encloses it.

use clvk_ir::{FastMath, Inst, InstData, Op, Type, Value};
use rustc_hash::FxHashMap;

/// What makes two instructions equal.
#[derive(PartialEq, Eq, Hash, Clone)]
struct Key {
    op: Op,
    operands: Vec<Value>,
    result: Type,
    fast_math: FastMath,
}

/// The table.
#[derive(Default)]
pub struct Expressions {
    available: FxHashMap<Key, Inst>,
    /// Keys in the order in which they were added, to leave a scope.
    added: Vec<Key>,
}

impl Expressions {
    /// An instruction that computes the same and dominates this point; else notes this one.
    pub fn find_or_add(&mut self, inst: Inst, data: &InstData, result: Type) -> Option<Inst> {
        let key =
            Key { op: data.op.clone(), operands: data.operands.to_vec(), result, fast_math: data.fast_math };
        if let Some(&known) = self.available.get(&key) {
            return Some(known);
        }
        self.added.push(key.clone());
        self.available.insert(key, inst);
        None
    }

    /// Enters a scope; [`Expressions::leave`] takes what this gives.
    #[must_use]
    pub fn enter(&self) -> usize {
        self.added.len()
    }

    /// Forgets what the scope added.
    pub fn leave(&mut self, scope: usize) {
        for key in self.added.drain(scope..) {
            self.available.remove(&key);
        }
    }
}
