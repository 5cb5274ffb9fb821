//! Local memory that functions reach through parameters.
//!
//! A function that stays names a variable instead of taking a pointer. All variables that a parameter may
//! point to become one: those of one kernel lie behind each other in it, and those of different kernels in
//! the same place, because only one kernel runs. What is left of the pointer is its offset, which is often
//! the same at all calls.

use super::extents::constant_step;
use crate::passes::rewrite::{Emitter, Substitution};
use crate::passes::simplify::dce::root_pointer;
use clvk_ir::{
    AddressSpace, EntityId, FastMath, Func, Function, Global, Module, Op, Type, Value, ValueDef,
    WORK_GROUP_SCRATCH,
};
use rustc_hash::FxHashMap;

/// Pointers to local memory.
pub const POINTER: Type = Type::Pointer(AddressSpace::Local);

/// The alignment of variables that become one, in bytes, which suits every access.
const ALIGNMENT: u64 = 128;

/// What a parameter points to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// The variable.
    pub global: Global,
    /// The offset in bytes, where it is the same at all calls.
    pub offset: Option<i64>,
}

/// What parameters point to, by function and position.
pub type Places = FxHashMap<(Func, usize), Place>;

/// Whether it is known which variable a pointer points into: one of the module, or what a parameter points
/// to.
/// The scratch memory of group functions, whose size the linker decides, is nobody else's.
pub fn has_place(module: &Module, function: &Function, pointer: Value) -> bool {
    match function.values[root_pointer(function, pointer)].def {
        ValueDef::Param(_) => function.kernel.is_none(),
        ValueDef::Global(global) => {
            let data = &module.globals[global];
            data.space == AddressSpace::Local && data.name != WORK_GROUP_SCRATCH
        }
        _ => false,
    }
}

/// A variable, or what a parameter points to.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Node {
    Global(Global),
    Param(Func, usize),
}

/// Makes one variable of all that a parameter may point to; gives what each parameter points to. `order` has
/// the kernels and the functions that stay, callees first.
pub fn share(module: &mut Module, order: &[Func]) -> Places {
    let links = links(module, order);
    if links.is_empty() {
        return Places::default();
    }
    let mut classes = Classes::default();
    for link in &links {
        classes.join(link.from, Node::Param(link.callee, link.position));
    }
    let mut members: Vec<(Node, Vec<Global>)> = Vec::new();
    for global in module.globals.ids() {
        if classes.of(Node::Global(global)).is_none() {
            continue;
        }
        let class = classes.representative(Node::Global(global));
        match members.iter_mut().find(|(known, _)| *known == class) {
            Some((_, globals)) => globals.push(global),
            None => members.push((class, vec![global])),
        }
    }
    let mut offsets = FxHashMap::default();
    for (_, globals) in &members {
        lay_out(module, order, globals, &mut offsets);
    }
    let mut places = Places::default();
    // Callers come before what they call.
    for func in order.iter().rev() {
        for link in links.iter().filter(|link| link.caller == *func) {
            let class = classes.representative(link.from);
            let Some((_, globals)) = members.iter().find(|(known, _)| *known == class) else { continue };
            let from = match link.from {
                Node::Global(global) => Some(offsets.get(&(*func, global)).copied().unwrap_or(0)),
                Node::Param(func, position) => places.get(&(func, position)).and_then(|place| place.offset),
            };
            let offset = from.zip(link.offset).and_then(|(from, offset)| from.checked_add(offset));
            let place = Place { global: globals[0], offset };
            let known = places.entry((link.callee, link.position)).or_insert(place);
            if known.offset != offset {
                known.offset = None;
            }
        }
    }
    for &func in order {
        replace(module, func, &members, &offsets);
    }
    places
}

/// A pointer that is passed to a function.
struct Link {
    caller: Func,
    callee: Func,
    position: usize,
    /// Where it comes from.
    from: Node,
    /// How far it is from there in bytes, if that is constant.
    offset: Option<i64>,
}

fn links(module: &Module, order: &[Func]) -> Vec<Link> {
    let mut links = Vec::new();
    for &caller in order {
        let function = &module.functions[caller];
        function.walk(|_, data| {
            let Op::Call(callee) = data.op else { return };
            for (position, &argument) in data.operands.iter().enumerate() {
                if function.ty(argument) != POINTER || module.functions[callee].body.is_none() {
                    continue;
                }
                let from = match function.values[root_pointer(function, argument)].def {
                    ValueDef::Global(global) => Node::Global(global),
                    ValueDef::Param(position) => Node::Param(caller, position as usize),
                    _ => unreachable!("such calls were inlined"),
                };
                links.push(Link { caller, callee, position, from, offset: distance(function, argument) });
            }
        });
    }
    links
}

/// How far a pointer is from its root, if that is constant.
fn distance(function: &Function, mut pointer: Value) -> Option<i64> {
    let mut distance = 0i64;
    while let Some(inst) = function.defining_inst(pointer) {
        distance = distance.checked_add(constant_step(function, inst)?)?;
        pointer = function.insts[inst].operands[0];
    }
    Some(distance)
}

/// Sets of nodes that point to the same.
#[derive(Default)]
struct Classes {
    parents: FxHashMap<Node, Node>,
}

impl Classes {
    fn of(&self, node: Node) -> Option<Node> {
        self.parents.get(&node).copied()
    }

    fn representative(&self, mut node: Node) -> Node {
        while let Some(parent) = self.of(node).filter(|&parent| parent != node) {
            node = parent;
        }
        node
    }

    fn join(&mut self, a: Node, b: Node) {
        for node in [a, b] {
            self.parents.entry(node).or_insert(node);
        }
        let (a, b) = (self.representative(a), self.representative(b));
        self.parents.insert(b, a);
    }
}

/// Places variables in the first of them, kernel by kernel.
fn lay_out(
    module: &mut Module,
    order: &[Func],
    globals: &[Global],
    offsets: &mut FxHashMap<(Func, Global), i64>,
) {
    let [first, _, ..] = globals else { return };
    let mut whole = 0;
    for &func in order {
        let mut end = 0u64;
        let used = used(&module.functions[func]);
        for &global in globals.iter().filter(|&global| used.contains_key(global)) {
            let start = end.next_multiple_of(ALIGNMENT);
            offsets.insert((func, global), start as i64);
            end = start + module.globals[global].size;
        }
        whole = whole.max(end);
    }
    let data = &mut module.globals[*first];
    data.size = whole;
    data.align = data.align.max(ALIGNMENT as u32);
}

/// The variables in local memory that a function uses, and their addresses.
fn used(function: &Function) -> FxHashMap<Global, Value> {
    let mut used = vec![false; function.values.len()];
    function.walk(|_, data| data.operands.iter().for_each(|operand| used[operand.index()] = true));
    let values = function.values.iter().filter(|(value, _)| used[value.index()]);
    values
        .filter_map(|(value, data)| match data.def {
            ValueDef::Global(global) if data.ty == POINTER => Some((global, value)),
            _ => None,
        })
        .collect()
}

/// Replaces variables by their places in the first ones, which have the first place where they are used.
fn replace(
    module: &mut Module,
    func: Func,
    members: &[(Node, Vec<Global>)],
    offsets: &FxHashMap<(Func, Global), i64>,
) {
    let function = &mut module.functions[func];
    let used = used(function);
    let mut head = Vec::new();
    let mut substitution = Substitution::default();
    for (global, first) in members.iter().flat_map(|(_, all)| all.iter().map(|global| (global, all[0]))) {
        if let (Some(&value), Some(&offset)) = (used.get(global), offsets.get(&(func, *global))) {
            let start = function.global(POINTER, first);
            let span = function.span;
            let mut emitter = Emitter { function, out: &mut head, span, fast_math: FastMath::empty() };
            substitution.set(value, emitter.pointer_offset(start, offset));
        }
    }
    if let Some(body) = function.body.filter(|_| !substitution.is_empty()) {
        substitution.apply(function);
        head.append(&mut function.regions[body].insts);
        function.regions[body].insts = head;
    }
}
