//! Which memories of its class each pointer value can actually point into.
//!
//! Classes ([`super::objects`]) are coarse: once two pointers meet, all pointers to either variable share a
//! class. Here each value has the set of the class's [`View`](super::views::View)s, and of physical memory,
//! from which it can come, so an access chooses only among those. A pointer that was read from memory or made
//! from an integer may point into any memory of its class that its address space can name.

use super::{
    objects::{Objects, Root, regions_of_insts},
    views::Views,
};
use clvk_ir::{AddressSpace, ConvertOp, EntityId, Function, Inst, Op, Value, ValueDef};

/// A set of memories: bit `i` is the class's view `i`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memories(u128);

impl Memories {
    const NONE: Memories = Memories(0);
    const PHYSICAL: Memories = Memories(1 << 127);
    const NULL: Memories = Memories(1 << 126);
    /// Views from this index on share a bit.
    const LAST: usize = 125;

    fn view(index: usize) -> Memories {
        Memories(1 << index.min(Self::LAST))
    }

    fn union(self, other: Memories) -> Memories {
        Memories(self.0 | other.0)
    }

    fn intersection(self, other: Memories) -> Memories {
        Memories(self.0 & other.0)
    }

    /// Whether it contains the view with this index.
    pub fn has_view(self, index: usize) -> bool {
        self.0 & Self::view(index).0 != 0
    }

    /// Whether it may be an address.
    pub fn has_physical(self) -> bool {
        self.0 & Self::PHYSICAL.0 != 0
    }

    /// Whether it may be null.
    pub fn has_null(self) -> bool {
        self.0 & Self::NULL.0 != 0
    }
}

/// The memories that each pointer value may point into.
pub struct Reach {
    of_value: Vec<Memories>,
}

impl Reach {
    /// Finds the memories.
    pub fn find(function: &Function, objects: &Objects, views: &Views) -> Reach {
        let mut reach = Reach { of_value: vec![Memories::NONE; function.values.len()] };
        for (value, data) in function.values.iter().filter(|(_, data)| data.ty.is_pointer()) {
            reach.of_value[value.index()] = match data.def {
                ValueDef::Constant(_) => Memories::NULL,
                ValueDef::Global(global) => of_root(objects, views, value, Root::Global(global)),
                _ => Memories::NONE,
            };
        }
        let region_of = regions_of_insts(function);
        loop {
            // Each round adds to some set or is the last.
            let mut changed = false;
            function.walk(|inst, data| {
                for flow in objects.flows(function, inst, region_of[inst.index()]) {
                    changed |= reach.add(flow.target, reach.of(data.operands[flow.operand]));
                }
                if let Some(made) = reach.made(function, objects, views, inst) {
                    changed |= reach.add(data.results[0], made);
                }
            });
            if !changed {
                return reach;
            }
        }
    }

    /// The memories that a pointer may point into.
    pub fn of(&self, pointer: Value) -> Memories {
        // Only the original values are looked up, not those that the lowering makes.
        self.of_value[pointer.index()]
    }

    fn add(&mut self, value: Value, memories: Memories) -> bool {
        let known = self.of(value);
        self.of_value[value.index()] = known.union(memories);
        self.of(value) != known
    }

    /// The memories of an instruction's result, if it is a pointer whose origin the instruction determines.
    fn made(&self, function: &Function, objects: &Objects, views: &Views, inst: Inst) -> Option<Memories> {
        let data = &function.insts[inst];
        let result = *data.results.first()?;
        let space = function.ty(result).address_space()?;
        Some(match data.op {
            Op::Alloca { .. } => of_root(objects, views, result, Root::Alloca(inst)),
            Op::ElementPointer(variable) => of_root(objects, views, result, Root::Variable(variable)),
            Op::PhysicalPointer(_) => Memories::PHYSICAL,
            Op::PointerOffset(_) | Op::PointerIndex { .. } => self.of(data.operands[0]),
            Op::Convert(ConvertOp::AddressSpace) => {
                let named = in_space(objects, views, result, space);
                self.of(data.operands[0]).intersection(named)
            }
            Op::Load { .. } | Op::Convert(ConvertOp::IntToPointer) => in_space(objects, views, result, space),
            _ => return None,
        })
    }
}

fn of_root(objects: &Objects, views: &Views, value: Value, root: Root) -> Memories {
    let views = objects.class(value).map_or(&[][..], |class| views.of(class));
    views.iter().position(|view| view.roots.contains_key(&root)).map_or(Memories::NONE, Memories::view)
}

/// All memories of a value's class that a pointer to an address space may name.
fn in_space(objects: &Objects, views: &Views, value: Value, space: AddressSpace) -> Memories {
    let Some(class) = objects.class(value) else { return Memories::NULL };
    let mut all = Memories::NULL;
    if objects.is_physical(class) && objects.has_addresses(space) {
        all = all.union(Memories::PHYSICAL);
    }
    for (index, view) in views.of(class).iter().enumerate() {
        let fits = match space {
            AddressSpace::Generic => view.space != AddressSpace::Constant,
            // Constant data may be in the buffer of the program's variables.
            AddressSpace::Constant => {
                matches!(view.space, AddressSpace::Constant | AddressSpace::Global)
            }
            space => view.space == space,
        };
        if fits {
            all = all.union(Memories::view(index));
        }
    }
    all
}
