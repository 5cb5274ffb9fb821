//! The table of expressions that are available at a point: one scope for each region that encloses it.

use super::algebra::is_commutative;
use clvk_ir::{EntityId, Function, Inst, InstData, MathOp, Op, Value};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

/// The table.
#[derive(Default)]
pub struct Expressions {
    /// Instructions, by the hash of what they compute. If two different ones have the same hash, the first
    /// one stays.
    available: FxHashMap<u64, Inst>,
    /// Hashes in the order in which they were added, for leaving a scope.
    added: Vec<u64>,
}

impl Expressions {
    /// An instruction with one result that computes the same and dominates this point; otherwise adds this
    /// one.
    pub fn find_or_add(&mut self, function: &Function, inst: Inst) -> Option<Inst> {
        let hash = hash(function, inst);
        match self.available.get(&hash) {
            Some(&known) => is_equal(function, known, inst).then_some(known),
            None => {
                self.available.insert(hash, inst);
                self.added.push(hash);
                None
            }
        }
    }

    /// Enters a scope; [`Expressions::leave`] takes the result.
    #[must_use]
    pub fn enter(&self) -> usize {
        self.added.len()
    }

    /// Forgets the expressions that the scope added.
    pub fn leave(&mut self, scope: usize) {
        for hash in self.added.drain(scope..) {
            self.available.remove(&hash);
        }
    }
}

fn hash(function: &Function, inst: Inst) -> u64 {
    let data = &function.insts[inst];
    let mut hasher = FxHasher::default();
    (&data.op, function.ty(data.results[0]), data.fast_math).hash(&mut hasher);
    for operand in operands(data) {
        operand.hash(&mut hasher);
    }
    hasher.finish()
}

/// The operands; those of a sum or product, which may change places, in one order.
fn operands(data: &InstData) -> impl Iterator<Item = Value> + '_ {
    let commutes = match data.op {
        Op::Binary(op) => is_commutative(op),
        Op::Math(op) => op == MathOp::Fma,
        _ => false,
    };
    let swaps = commutes && data.operands[1].index() < data.operands[0].index();
    let position = move |at: usize| if swaps && at < 2 { 1 - at } else { at };
    (0..data.operands.len()).map(move |at| data.operands[position(at)])
}

fn is_equal(function: &Function, a: Inst, b: Inst) -> bool {
    let (first, second) = (&function.insts[a], &function.insts[b]);
    first.op == second.op
        && operands(first).eq(operands(second))
        && function.ty(first.results[0]) == function.ty(second.results[0])
        && first.fast_math == second.fast_math
}

#[cfg(test)]
mod tests {
    use super::*;
    use clvk_ir::{BinaryOp, FastMath, Op, Span, Type};

    #[test]
    fn only_what_computes_the_same_is_found_and_scopes_end() {
        let mut function = Function::default();
        let [a, b] = [1, 2].map(|value| function.int(Type::I32, value));
        let mut binary =
            |op, operands: &[_]| function.make_inst(Op::Binary(op), operands, &[Type::I32], &[], Span::NONE);
        let sum = binary(BinaryOp::Add, &[a, b]);
        let same = binary(BinaryOp::Add, &[a, b]);
        let turned = binary(BinaryOp::Add, &[b, a]);
        let difference = binary(BinaryOp::Sub, &[a, b]);
        let swapped = binary(BinaryOp::Sub, &[b, a]);
        let fast = binary(BinaryOp::Add, &[a, b]);
        function.insts[fast].fast_math = FastMath::CONTRACT;
        let mut table = Expressions::default();
        let outer = table.enter();
        assert_eq!(table.find_or_add(&function, sum), None);
        let inner = table.enter();
        assert_eq!(table.find_or_add(&function, difference), None);
        assert_eq!(table.find_or_add(&function, swapped), None);
        assert_eq!(table.find_or_add(&function, turned), Some(sum));
        assert_eq!(table.find_or_add(&function, fast), None);
        assert_eq!(table.find_or_add(&function, same), Some(sum));
        table.leave(inner);
        assert_eq!(table.find_or_add(&function, swapped), None);
        table.leave(outer);
        assert_eq!(table.find_or_add(&function, same), None);
    }
}
