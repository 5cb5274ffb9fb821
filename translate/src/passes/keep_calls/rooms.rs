//! How much memory there is where a function's parameters point.
//!
//! A function that stays may index what a parameter points to by numbers that are known only at run time, if
//! the parameter always points to the same place in variables of one size: then all of that is passed.

use super::extents::constant_step;
use crate::passes::simplify::dce::root_pointer;
use clvk_ir::{AddressSpace, Func, Function, Module, Op, Type, Value, ValueDef};
use rustc_hash::{FxHashMap, FxHashSet};

/// The bytes of a variable before and after where a pointer into it points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    pub before: u64,
    pub after: u64,
}

/// The room of each parameter, by function and position; `None` where it is not known, or where calls differ.
#[derive(Default)]
pub struct Rooms(FxHashMap<(Func, usize), Option<Room>>);

impl Rooms {
    /// Finds the rooms in a module in which nothing is inlined yet; `order` has callees first.
    pub fn find(module: &Module, order: &[Func]) -> Rooms {
        let mut rooms = Rooms::default();
        // When a function is visited, all of its calls have been.
        for &func in order.iter().rev() {
            let function = &module.functions[func];
            let holders = pointer_holders(function);
            function.walk(|_, data| {
                let Op::Call(callee) = data.op else { return };
                for (position, &argument) in data.operands.iter().enumerate() {
                    if function.ty(argument) == Type::Pointer(AddressSpace::Private) {
                        let is_holder = holders.contains(&root_pointer(function, argument));
                        let room = rooms.of_value(func, function, argument).filter(|_| !is_holder);
                        rooms.meet((callee, position), room);
                    }
                }
            });
        }
        rooms
    }

    /// The room of a parameter.
    pub fn of(&self, func: Func, position: usize) -> Option<Room> {
        self.0.get(&(func, position)).copied().flatten()
    }

    fn meet(&mut self, param: (Func, usize), room: Option<Room>) {
        let known = self.0.entry(param).or_insert(room);
        if *known != room {
            *known = None;
        }
    }

    fn of_value(&self, func: Func, function: &Function, mut pointer: Value) -> Option<Room> {
        let mut offset = 0i64;
        let room = loop {
            let inst = match function.values[pointer].def {
                ValueDef::Param(index) => break self.of(func, index as usize)?,
                ValueDef::Result(inst, _) => inst,
                _ => return None,
            };
            let data = &function.insts[inst];
            match data.op {
                Op::Alloca { size, .. } => break Room { before: 0, after: size },
                _ => offset = offset.checked_add(constant_step(function, inst)?)?,
            }
            pointer = data.operands[0];
        };
        let before = room.before.checked_add_signed(offset)?;
        let after = i64::try_from(room.after).ok()?.checked_sub(offset)?;
        Some(Room { before, after: u64::try_from(after).ok()? })
    }
}

/// The variables with pointers in them. What is passed of those would be numbers, which lead nowhere.
fn pointer_holders(function: &Function) -> FxHashSet<Value> {
    let mut holders = FxHashSet::default();
    function.walk(|_, data| {
        if let Op::Store { .. } = data.op
            && function.ty(data.operands[1]).is_pointer()
        {
            holders.insert(root_pointer(function, data.operands[0]));
        }
    });
    holders
}
