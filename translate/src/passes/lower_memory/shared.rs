//! The arrays of local memory that several functions use.
//!
//! Such an array must be the same in all of them, so its element follows from the accesses of all, and it
//! contains all variables that the pointers of any of them may point into.

use super::objects::{Objects, Root};
use super::views::{self, Facts};
use super::{Buffers, alignments::Alignments};
use crate::passes::Context;
use clvk_interface::AddressingMode;
use clvk_ir::{AddressSpace, Func, Function, Global, Module, ValueDef};
use rustc_hash::{FxHashMap, FxHashSet};

/// An array.
pub struct Array {
    /// Name; that of a variable in it.
    pub name: String,
    /// Its variables.
    pub roots: Vec<Root>,
    /// What is known of its memory.
    pub facts: Facts,
}

/// All of them.
#[derive(Default)]
pub struct Shared {
    of_global: FxHashMap<Global, usize>,
    arrays: Vec<Array>,
}

impl Shared {
    /// Finds the arrays.
    pub fn find(context: &Context<'_, '_>, bodies: &[Func]) -> Shared {
        let (module, profile) = (&*context.module, context.profile);
        let is_called = |func: &&Func| module.functions[**func].kernel.is_none();
        let called = bodies.iter().filter(is_called).map(|&func| &module.functions[func]);
        let wanted: FxHashSet<Global> =
            called.flat_map(|function| local_variables(module, function)).collect();
        if wanted.is_empty() {
            return Shared::default();
        }
        let mut shared = Shared::default();
        let mut found = Vec::new();
        for &func in bodies {
            let function = &module.functions[func];
            let buffers = Buffers::of(function, context.interface.kernel(&function.name));
            let physical = profile.addressing() == AddressingMode::Physical;
            let objects = Objects::find(module, function, physical, buffers.holder);
            let alignments = Alignments::find(function, &objects, &buffers);
            let (mut facts, _) = views::collect(function, &objects, &alignments, profile);
            for class in objects.classes() {
                let globals: Vec<Global> =
                    objects.roots(class).iter().filter_map(|&root| local(module, root)).collect();
                shared.join(&globals);
                if let (Some(&first), Some(facts)) = (globals.first(), facts.remove(&class)) {
                    found.push((first, facts));
                }
            }
        }
        shared.make_arrays(module, &wanted);
        for array in &mut shared.arrays {
            array.facts = Facts::of_local_memory(profile);
        }
        for (global, facts) in found {
            if let Some(&array) = shared.of_global.get(&global) {
                shared.arrays[array].facts.add(facts);
            }
        }
        shared
    }

    /// Notes that pointers may point into any of these variables. Until all is known, `of_global` numbers
    /// sets.
    fn join(&mut self, globals: &[Global]) {
        let Some(first) = globals.first() else { return };
        let next = self.of_global.len();
        let set = *self.of_global.entry(*first).or_insert(next);
        for &global in &globals[1..] {
            let next = self.of_global.len();
            let other = *self.of_global.entry(global).or_insert(next);
            self.of_global.values_mut().filter(|of| **of == other).for_each(|of| *of = set);
        }
    }

    /// Makes an array of each set with a variable that functions use, and forgets the others.
    fn make_arrays(&mut self, module: &Module, wanted: &FxHashSet<Global>) {
        let sets = std::mem::take(&mut self.of_global);
        let used: FxHashSet<usize> = wanted.iter().filter_map(|global| sets.get(global)).copied().collect();
        let mut numbers: FxHashMap<usize, usize> = FxHashMap::default();
        for (global, data) in module.globals.iter() {
            let Some(set) = sets.get(&global).filter(|set| used.contains(set)) else { continue };
            let number = *numbers.entry(*set).or_insert(self.arrays.len());
            if number == self.arrays.len() {
                let (name, facts) = (data.name.clone(), Facts::default());
                self.arrays.push(Array { name, roots: Vec::new(), facts });
            }
            self.arrays[number].roots.push(Root::Global(global));
            self.of_global.insert(global, number);
        }
    }

    /// The array with these variables, if several functions use it.
    pub fn array(&self, roots: &[Root]) -> Option<&Array> {
        roots.iter().find_map(|root| match root {
            Root::Global(global) => self.of_global.get(global).map(|&array| &self.arrays[array]),
            _ => None,
        })
    }
}

/// The variables in local memory that a function uses.
fn local_variables(module: &Module, function: &Function) -> FxHashSet<Global> {
    let mut found = FxHashSet::default();
    function.walk(|_, data| {
        for &operand in &data.operands {
            if let ValueDef::Global(global) = function.values[operand].def {
                found.extend(local(module, Root::Global(global)));
            }
        }
    });
    found
}

fn local(module: &Module, root: Root) -> Option<Global> {
    match root {
        Root::Global(global) => (module.globals[global].space == AddressSpace::Local).then_some(global),
        _ => None,
    }
}
