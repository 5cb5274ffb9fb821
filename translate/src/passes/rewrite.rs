//! Replacing values and copying code.

use clvk_ir::{EntityId, Function, Value};

/// Values that stand for other values. Replacements may form chains; [`Substitution::get`] follows them to the end.
#[derive(Default)]
pub struct Substitution {
    map: Vec<Option<Value>>,
    used: bool,
}

impl Substitution {
    /// Makes `new` stand for `old` from now on. Does nothing if they are the same already.
    pub fn set(&mut self, old: Value, new: Value) {
        let new = self.get(new);
        if old == new {
            return;
        }
        if self.map.len() <= old.index() {
            self.map.resize(old.index() + 1, None);
        }
        self.map[old.index()] = Some(new);
        self.used = true;
    }

    /// What stands for `value`.
    #[must_use]
    pub fn get(&self, value: Value) -> Value {
        let mut value = value;
        while let Some(&Some(next)) = self.map.get(value.index()) {
            value = next;
        }
        value
    }

    /// Whether nothing was replaced.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.used
    }

    /// What stands for `value`; shortens the chain that leads there.
    pub fn resolve(&mut self, value: Value) -> Value {
        let end = self.get(value);
        let mut at = value;
        while let Some(&Some(next)) = self.map.get(at.index()) {
            if next != end {
                self.map[at.index()] = Some(end);
            }
            at = next;
        }
        end
    }

    /// Replaces the operands of all instructions of the function's body.
    pub fn apply(&mut self, function: &mut Function) {
        if self.is_empty() {
            return;
        }
        let mut regions: Vec<_> = function.body.into_iter().collect();
        while let Some(region) = regions.pop() {
            for position in 0..function.regions[region].insts.len() {
                let inst = function.regions[region].insts[position];
                for operand in &mut function.insts[inst].operands {
                    *operand = self.resolve(*operand);
                }
                regions.extend(function.insts[inst].regions.iter().copied());
            }
        }
    }
}
