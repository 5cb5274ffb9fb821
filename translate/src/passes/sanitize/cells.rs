//! Where kernels remember what happened to global and local memory ([`Cells`]), and what a work-item needs
//! for it: its number, that of its work-group, and how many barriers it came to.
//!
//! Operations that order the memory of work-groups advance a counter that all share, the clock, before they
//! release, and read it after they acquire. What a work-item did before the clock that another one read is
//! taken to be ordered before it. That may hold too often, so races are missed, but none is made up.

use super::access::{Accessed, accesses};
use super::events::Events;
use super::report::{POINTER, Reporter, step, store};
use super::restrict::Promises;
use super::shadow::{Places, is_followed, word};
use crate::passes::cursor::Cursor;
use crate::passes::simplify::dce::root_pointer;
use clvk_interface::sanitize::{Access, CLOCK, Cells, Kind, Kinds, cell, launch};
use clvk_interface::{DeviceProfile, ImplicitBuffer};
use clvk_ir::{
    AddressSpace, AtomicOp, BinaryOp, CompareOp, ConvertOp, FenceFlags, Function, Global, InputVariable,
    Inst, InstData, MemoryOrder, Module, Op, Region, Scope, Type, Value, ValueDef, WorkItemQuery,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// The most bytes of a granule.
const WIDEST: u32 = 16;
/// Objects begin at multiples of this many bytes.
const ALIGN: u64 = 128;
/// What a barrier adds to the upper half of an item word.
const BARRIER: i64 = 1 << 16;
/// The greatest upper half: more barriers are not counted.
pub const LAST_BARRIER: i64 = 0xffff_0000;

/// What the kernels of a module remember.
pub struct Plan {
    pub cells: Cells,
    /// Where the cells of module-scope variables are.
    positions: FxHashMap<Global, u64>,
    /// Work-items of a sub-group, if that is known.
    pub sub_group: Option<u32>,
}

/// Whether memory of this address space has cells.
pub fn has_cells(space: Option<AddressSpace>) -> bool {
    matches!(space, Some(AddressSpace::Global | AddressSpace::Local | AddressSpace::Generic))
}

impl Plan {
    /// For a module whose kernels are whole.
    pub fn of(module: &Module, kinds: Kinds, profile: &DeviceProfile) -> Plan {
        let mut cells = Cells { granule: WIDEST, words: cell::FEW, variables: 0, locals: 0 };
        let mut positions = FxHashMap::default();
        for (global, data) in module.globals.iter().filter(|(_, data)| !data.name.starts_with("__clvk_")) {
            let end = match data.space {
                AddressSpace::Local => &mut cells.locals,
                AddressSpace::Global => &mut cells.variables,
                _ => continue,
            };
            positions.insert(global, *end);
            *end = (*end + data.size).next_multiple_of(ALIGN);
        }
        for kernel in module.kernels().map(|kernel| &module.functions[kernel]) {
            cells.granule = cells.granule.min(granule_of_all(kernel));
            let habits = Habits::of(kernel, kinds);
            if habits.atomics || habits.orders {
                cells.words = cell::ALL;
            }
        }
        let size = profile.sub_group_size();
        let is_known = profile.compute_full_subgroups && size == profile.least_sub_group_size();
        Plan { cells, positions, sub_group: is_known.then_some(size) }
    }
}

/// The greatest power of two that divides the place and the size of an access, up to [`WIDEST`].
pub fn granule(accessed: &Accessed) -> u32 {
    let bytes = 1 << accessed.bytes.trailing_zeros().min(WIDEST.ilog2());
    accessed.align.max(1).min(bytes)
}

/// The greatest that divides those of all accesses.
fn granule_of_all(kernel: &Function) -> u32 {
    let mut least = WIDEST;
    kernel.walk(|_, data| {
        for accessed in accesses(kernel, data) {
            let space = kernel.ty(data.operands[accessed.operand]).address_space();
            if has_cells(space) && accessed.bytes > 0 {
                least = least.min(granule(&accessed));
            }
        }
    });
    least
}

/// What a kernel does that matters for races.
#[derive(Clone, Copy, Default)]
pub struct Habits {
    /// Atomic operations on memory with cells.
    atomics: bool,
    /// Something that orders the memory of work-groups.
    orders: bool,
    /// Barriers do, too, because they may stand next to atomic operations that do not.
    barriers_order: bool,
    /// Barriers of sub-groups, whose work-items are taken to be ordered.
    sub_groups: bool,
    /// Local and global memory that may be written through pointers whose object is not known, such as those
    /// that are kept in objects. It may be any variable's.
    unseen: [bool; 2],
}

impl Habits {
    pub fn of(kernel: &Function, kinds: Kinds) -> Habits {
        let mut habits = Habits::default();
        let (mut barriers, mut global_atomics) = (false, false);
        kernel.walk(|_, data| {
            if is_atomic(&data.op) {
                let space = kernel.ty(data.operands[0]).address_space();
                habits.atomics |= has_cells(space);
                global_atomics |= matches!(space, Some(AddressSpace::Global | AddressSpace::Generic));
            }
            habits.orders |= orders(&data.op);
            if let Op::Barrier { execution, .. } = data.op {
                barriers |= execution == Scope::WorkGroup;
                habits.sub_groups |= execution == Scope::SubGroup;
            }
        });
        // Without races the order does not matter, and no launch may have cells.
        habits.barriers_order = barriers && global_atomics && kinds.has(Kind::Races);
        habits.orders = habits.barriers_order || habits.orders && kinds.has(Kind::Races);
        habits.unseen = [AddressSpace::Local, AddressSpace::Global].map(|space| writes_unseen(kernel, space));
        habits
    }
}

/// Whether memory of an address space may be written through a pointer without a shadow: there is one, and
/// something is written that is not surely an argument or a variable.
fn writes_unseen(kernel: &Function, space: AddressSpace) -> bool {
    let is_there = |value: Value| {
        let of = kernel.ty(value).address_space();
        of == Some(space) || of == Some(AddressSpace::Generic)
    };
    let (mut has_unknown, mut writes) = (false, false);
    kernel.walk(|_, data| {
        has_unknown |= !is_followed(&data.op) && data.results.iter().any(|&result| is_there(result));
        for accessed in accesses(kernel, data) {
            let pointer = data.operands[accessed.operand];
            let is_known = || match kernel.values[root_pointer(kernel, pointer)].def {
                ValueDef::Result(inst, _) => matches!(kernel.insts[inst].op, Op::Alloca { .. }),
                ValueDef::RegionParam(..) => false,
                _ => true,
            };
            writes |= accessed.access != Access::Read && is_there(pointer) && !is_known();
        }
    });
    has_unknown && writes
}

fn is_atomic(op: &Op) -> bool {
    matches!(
        op,
        Op::AtomicRmw { .. }
            | Op::AtomicCompareExchange { .. }
            | Op::AtomicLoad { .. }
            | Op::AtomicStore { .. }
    )
}

fn is_barrier(op: &Op) -> bool {
    matches!(op, Op::Barrier { execution: Scope::WorkGroup, .. })
}

/// Whether an operation that is not a barrier orders memory.
fn orders(op: &Op) -> bool {
    match *op {
        Op::Fence { .. } => true,
        Op::AtomicRmw { order, .. } | Op::AtomicLoad { order, .. } | Op::AtomicStore { order, .. } => {
            order != MemoryOrder::Relaxed
        }
        Op::AtomicCompareExchange { success, failure, .. } => {
            success != MemoryOrder::Relaxed || failure != MemoryOrder::Relaxed
        }
        _ => false,
    }
}

/// The barriers that an atomic operation on global memory, or a `volatile` read there, may come before. Only
/// they can tell a work-group what others have done.
fn followers(kernel: &Function) -> FxHashSet<Inst> {
    let mut followers = FxHashSet::default();
    if let Some(body) = kernel.body {
        collect_followers(kernel, body, &mut false, &mut followers);
    }
    followers
}

fn collect_followers(kernel: &Function, region: Region, follows: &mut bool, out: &mut FxHashSet<Inst>) {
    for &inst in &kernel.regions[region].insts {
        let data = &kernel.insts[inst];
        if *follows && is_barrier(&data.op) {
            out.insert(inst);
        }
        *follows |= tells_of_others(kernel, data);
        // Of an iteration before.
        *follows |= matches!(data.op, Op::Loop(_)) && has_tellers(kernel, &data.regions);
        for &region in &data.regions {
            collect_followers(kernel, region, follows, out);
        }
    }
}

fn has_tellers(kernel: &Function, regions: &[Region]) -> bool {
    let mut insts = regions.iter().flat_map(|&region| &kernel.regions[region].insts);
    insts.any(|&inst| {
        let data = &kernel.insts[inst];
        tells_of_others(kernel, data) || has_tellers(kernel, &data.regions)
    })
}

fn tells_of_others(kernel: &Function, data: &InstData) -> bool {
    let is_asked = is_atomic(&data.op) || matches!(data.op, Op::Load { volatile: true, .. });
    if !is_asked || accesses(kernel, data).is_empty() {
        return false;
    }
    let space = data.operands.first().and_then(|&pointer| kernel.ty(pointer).address_space());
    matches!(space, Some(AddressSpace::Global | AddressSpace::Generic))
}

/// What a work-item knows about itself.
pub struct Own<'p> {
    pub plan: &'p Plan,
    habits: Habits,
    /// A bit for each argument whose memory is not watched in this launch, `I32`.
    unwatched: Value,
    /// What the kernel's parameters promise, if they do.
    pub promises: Option<Promises>,
    /// The barriers that may tell a work-group what others have done.
    followers: FxHashSet<Inst>,
    /// The number of cells, `I64`.
    pub cells: Value,
    /// The position of the work-group's local memory, `I64`.
    pub local: Value,
    /// The group word, `I32`.
    pub group: Value,
    /// The lower half of the item word, `I32`.
    item: Value,
    /// Whether what follows is of an asynchronous copy, which does it in place of the work-item.
    pub copies: bool,
    /// The events of asynchronous copies, if there are some.
    pub events: Option<Events>,
    /// Private variables with the upper halves, for local and for global memory.
    barriers: [Value; 2],
    /// Private variables with the clock that was read last, if there is one: by anything, and by something
    /// that is not a barrier.
    seen: Option<[Value; 2]>,
}

/// Clocks that a work-item knows at an access.
#[derive(Clone, Copy)]
pub struct Clocks {
    /// Other work-groups' accesses up to this one are ordered before.
    pub groups: Value,
    /// Other work-items' of the same group.
    pub items: Value,
    /// The time of this access.
    pub now: Value,
}

impl<'p> Own<'p> {
    /// Finds it out at the kernel's entry.
    pub fn enter(cursor: &mut Cursor<'_>, reporter: &Reporter<'_>, plan: &'p Plan, habits: Habits) -> Self {
        let table = cursor.value(Op::ImplicitBuffer(ImplicitBuffer::Reports), &[], POINTER);
        let [local, stride, cells] = [launch::LOCAL, launch::STRIDE, launch::CELLS]
            .map(|bytes| word(cursor, table, reporter.launch() + bytes));
        let number = group_number(cursor);
        let wide = cursor.convert(ConvertOp::ZeroExtend, number, Type::I64);
        let before = cursor.binary(BinaryOp::Mul, wide, stride);
        let local = cursor.binary(BinaryOp::Add, local, before);
        let group = cursor.binary_int(BinaryOp::Add, number, 1);
        let item = if habits.sub_groups {
            cursor.value(Op::WorkItem(WorkItemQuery::SubGroupId), &[], Type::I32)
        } else {
            let number = cursor.value(Op::WorkItem(WorkItemQuery::LocalLinearId), &[], Type::I64);
            cursor.convert(ConvertOp::Truncate, number, Type::I32)
        };
        let item = cursor.binary_int(BinaryOp::Add, item, 1);
        let first = cursor.int(Type::I32, BARRIER);
        let barriers = [(); 2].map(|()| variable(cursor, first));
        let zero = cursor.int(Type::I32, 0);
        let seen = habits.orders.then(|| [(); 2].map(|()| variable(cursor, zero)));
        let promises = Promises::of(cursor.function, reporter.next_object());
        let followers = if habits.barriers_order { followers(cursor.function) } else { FxHashSet::default() };
        let unwatched = cursor.value(Op::Input(InputVariable::Unwatched), &[], Type::I32);
        Own {
            plan,
            habits,
            followers,
            unwatched,
            promises,
            cells,
            local,
            group,
            item,
            copies: false,
            events: None,
            barriers,
            seen,
        }
    }

    /// Whether memory of an address space may have been written unseen.
    pub fn is_unseen(&self, space: Option<AddressSpace>) -> bool {
        let [local, global] = self.habits.unseen;
        local && space != Some(AddressSpace::Global) || global && space != Some(AddressSpace::Local)
    }

    /// Whether the memory with this bit, such as that of an argument, is watched. Drivers know it when they
    /// compile the kernel.
    pub fn watches(&self, cursor: &mut Cursor<'_>, argument: u32) -> Value {
        let bit = cursor.binary_int(BinaryOp::And, self.unwatched, 1 << argument);
        let zero = cursor.int(Type::I32, 0);
        cursor.compare(CompareOp::Eq, bit, zero)
    }

    /// Where the cells of variables are.
    pub fn places(&self) -> Places<'p> {
        Places { positions: &self.plan.positions, local: self.local }
    }

    /// The item word, for memory that is local if a condition holds.
    pub fn item_word(&self, cursor: &mut Cursor<'_>, is_local: Value) -> Value {
        let [local, global] = self.barriers.map(|variable| load(cursor, variable));
        let barriers = match cursor.function.as_bits(is_local) {
            Some(0) => global,
            Some(_) => local,
            None => cursor.select(is_local, local, global),
        };
        let item = match &self.events {
            Some(events) if self.copies => {
                let event = load(cursor, events.last);
                let event = cursor.binary_int(BinaryOp::And, event, i64::from(cell::EVENTS - 1));
                cursor.binary_int(BinaryOp::Or, event, cell::COPIES.into())
            }
            _ => self.item,
        };
        cursor.binary(BinaryOp::Or, barriers, item)
    }

    /// Whether an item word is of another copy than its own that the work-item has not waited for, whichever
    /// barriers it came to since.
    pub fn is_open(&self, cursor: &mut Cursor<'_>, item: Value, own: Value) -> Option<Value> {
        let events = self.events.as_ref()?;
        let low = cursor.binary_int(BinaryOp::And, item, 0xffff);
        let own = cursor.binary_int(BinaryOp::And, own, 0xffff);
        let mut any = cursor.int(Type::BOOL, 0);
        let zero = cursor.int(Type::I32, 0);
        for &open in &events.open {
            let number = load(cursor, open);
            let event = cursor.binary_int(BinaryOp::And, number, i64::from(cell::EVENTS - 1));
            let word = cursor.binary_int(BinaryOp::Or, event, cell::COPIES.into());
            let is_it = cursor.compare(CompareOp::Eq, word, low);
            let is_open = cursor.compare(CompareOp::Ne, number, zero);
            let both = cursor.binary(BinaryOp::And, is_it, is_open);
            any = cursor.binary(BinaryOp::Or, any, both);
        }
        let differs = cursor.compare(CompareOp::Ne, low, own);
        Some(cursor.binary(BinaryOp::And, any, differs))
    }

    /// Whether there are atomic operations on memory with cells.
    pub fn has_atomics(&self) -> bool {
        self.habits.atomics
    }

    /// The clocks, if something orders work-groups.
    pub fn clocks(&self, cursor: &mut Cursor<'_>) -> Option<Clocks> {
        let [groups, items] = self.seen?.map(|variable| load(cursor, variable));
        let now = read_clock(cursor);
        Some(Clocks { groups, items, now: cursor.binary_int(BinaryOp::Add, now, 1) })
    }

    /// Whether an operation orders memory.
    pub fn orders(&self, op: &Op) -> bool {
        self.seen.is_some() && (orders(op) || self.habits.barriers_order && is_barrier(op))
    }

    /// Advances the clock, before something that orders memory.
    pub fn release(&self, cursor: &mut Cursor<'_>) {
        let (clock, one) = (clock(cursor), cursor.int(Type::I32, 1));
        atomic(cursor, AtomicOp::Add, clock, one);
    }

    /// Reads the clock, after an operation that orders memory.
    pub fn acquire(&self, cursor: &mut Cursor<'_>, inst: Inst, op: &Op) {
        if is_barrier(op) && !self.followers.contains(&inst) {
            return;
        }
        if let Some([groups, items]) = self.seen {
            let now = read_clock(cursor);
            store(cursor, groups, 0, now);
            // Which of the group's memory a barrier orders is known.
            if !is_barrier(op) {
                store(cursor, items, 0, now);
            }
        }
    }

    /// Counts a barrier that orders some memory.
    pub fn count(&self, cursor: &mut Cursor<'_>, flags: FenceFlags) {
        let orders = [flags.contains(FenceFlags::LOCAL), flags.contains(FenceFlags::GLOBAL)];
        for (variable, _) in self.barriers.into_iter().zip(orders).filter(|(_, orders)| *orders) {
            let old = load(cursor, variable);
            let last = cursor.int(Type::I32, LAST_BARRIER);
            let next = cursor.binary_int(BinaryOp::Add, old, BARRIER);
            let is_last = cursor.compare(CompareOp::Eq, old, last);
            let new = cursor.select(is_last, old, next);
            store(cursor, variable, 0, new);
        }
    }
}

/// The linear number of the work-group.
fn group_number(cursor: &mut Cursor<'_>) -> Value {
    let query = |cursor: &mut Cursor<'_>, query, dimension| {
        let axis = cursor.int(Type::I32, dimension);
        let value = cursor.value(Op::WorkItem(query), &[axis], Type::I64);
        cursor.convert(ConvertOp::Truncate, value, Type::I32)
    };
    let [x, y, z] = [0, 1, 2].map(|axis| query(cursor, WorkItemQuery::GroupId, axis));
    let [width, height] = [0, 1].map(|axis| query(cursor, WorkItemQuery::NumGroups, axis));
    let planes = cursor.binary(BinaryOp::Mul, z, height);
    let rows = cursor.binary(BinaryOp::Add, y, planes);
    let before = cursor.binary(BinaryOp::Mul, rows, width);
    cursor.binary(BinaryOp::Add, x, before)
}

/// A private variable of 32 bits.
fn variable(cursor: &mut Cursor<'_>, first: Value) -> Value {
    let pointer = Type::Pointer(AddressSpace::Private);
    let variable = cursor.value(Op::Alloca { size: 4, align: 4 }, &[], pointer);
    store(cursor, variable, 0, first);
    variable
}

fn load(cursor: &mut Cursor<'_>, variable: Value) -> Value {
    cursor.value(Op::Load { align: 4, volatile: false }, &[variable], Type::I32)
}

/// The start of the shadow memory.
pub fn shadow_memory(cursor: &mut Cursor<'_>) -> Value {
    cursor.value(Op::ImplicitBuffer(ImplicitBuffer::Shadow), &[], POINTER)
}

fn clock(cursor: &mut Cursor<'_>) -> Value {
    let start = shadow_memory(cursor);
    step(cursor, start, CLOCK)
}

fn read_clock(cursor: &mut Cursor<'_>) -> Value {
    let clock = clock(cursor);
    peek(cursor, clock)
}

/// Reads a word of the shadow memory, which others write at any time.
pub fn peek(cursor: &mut Cursor<'_>, word: Value) -> Value {
    let load = Op::AtomicLoad { order: MemoryOrder::Relaxed, scope: Scope::Device };
    cursor.value(load, &[word], Type::I32)
}

/// Writes one.
pub fn poke(cursor: &mut Cursor<'_>, word: Value, value: Value) {
    let store = Op::AtomicStore { order: MemoryOrder::Relaxed, scope: Scope::Device };
    cursor.push(store, &[word, value], &[], &[]);
}

/// Changes one; gives what it was.
pub fn atomic(cursor: &mut Cursor<'_>, op: AtomicOp, word: Value, value: Value) -> Value {
    let change = Op::AtomicRmw { op, order: MemoryOrder::Relaxed, scope: Scope::Device };
    cursor.value(change, &[word, value], Type::I32)
}

/// Makes a word at least as great as a value; gives what it was. Words that are great enough, because all
/// read the same memory, are only read.
pub fn raise(cursor: &mut Cursor<'_>, word: Value, value: Value) -> Value {
    let before = peek(cursor, word);
    let less = cursor.compare(CompareOp::ULt, before, value);
    let regions = [cursor.function.add_region(), cursor.function.add_region()];
    let check = cursor.push(Op::If, &[less], &[Type::I32], &regions);
    cursor.open(regions[0]);
    let changed = atomic(cursor, AtomicOp::UMax, word, value);
    cursor.push(Op::Exit(check), &[changed], &[], &[]);
    cursor.close();
    cursor.open(regions[1]);
    cursor.push(Op::Exit(check), &[before], &[], &[]);
    cursor.close();
    cursor.result(check)
}
