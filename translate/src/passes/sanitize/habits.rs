//! What a kernel does through its arguments ([`Habit`]), as far as it shows where its pointers come from.

use super::access::{Accessed, accesses, is_done, leads_to_reports, uses_what_it_reads};
use super::cells::granule;
use super::confined::{Confinement, Stays};
use super::places::Places;
use crate::passes::structure::Structure;
use clvk_interface::sanitize::{Access, Habit, KernelHabits, MOST_UNWATCHED, Settled, Site, Way};
use clvk_ir::{
    AddressSpace, Arena, ConvertOp, EntityId, Function, Global, GlobalData, Inst, InstData, Op, Value,
    ValueDef,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// Local memory that nothing else overlaps.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum LocalMemory {
    Argument(u32),
    Variable(Global),
}

/// What is known of a kernel's arguments.
#[derive(Default)]
pub struct ArgumentUses {
    pub habits: KernelHabits,
    /// The argument that an operand certainly points into.
    arguments: FxHashMap<(Inst, usize), u32>,
    /// The local memory that an operand certainly points into.
    locals: FxHashMap<(Inst, usize), LocalMemory>,
    /// The granules of local memory.
    granules: FxHashMap<LocalMemory, u32>,
    /// The bits of local memory that may go without cells.
    settled: FxHashMap<LocalMemory, u32>,
    /// The accesses that may need no checks of whether they are inside.
    pub stays: FxHashMap<(Inst, usize), Stays>,
}

impl LocalMemory {
    fn variable(self) -> Option<Global> {
        match self {
            LocalMemory::Variable(global) => Some(global),
            LocalMemory::Argument(_) => None,
        }
    }
}

impl ArgumentUses {
    /// Forgets what the kernel does through its arguments.
    pub fn forget_arguments(mut self) -> ArgumentUses {
        self.habits.arguments.clear();
        self.arguments.clear();
        self
    }

    /// The argument that an access certainly reaches, if it may be one that is not watched.
    pub fn quiet_argument(&self, inst: Inst, operand: usize) -> Option<u32> {
        let argument = *self.arguments.get(&(inst, operand))?;
        (self.habits.arguments[argument as usize].way != Way::Any).then_some(argument)
    }

    /// Watches arguments though work-items reach places of their own, because asynchronous copies race with
    /// the work-item that makes them, too.
    pub fn watch_places(&mut self) {
        for habit in &mut self.habits.arguments {
            if matches!(habit.way, Way::Sites(_)) {
                habit.way = Way::Any;
            }
        }
    }

    /// Says which local memory needs no cells in work-groups of some sizes.
    pub fn settle(&mut self, sizes: Vec<([u32; 3], Vec<LocalMemory>)>, params: usize) {
        let mut variables: Vec<Global> =
            self.granules.keys().filter_map(|memory| memory.variable()).collect();
        variables.sort_unstable_by_key(|global| global.index());
        // Those of variables are the last ones.
        let bit_of = |memory: &LocalMemory| {
            let bit = match *memory {
                LocalMemory::Argument(argument) => argument as usize,
                LocalMemory::Variable(global) => {
                    let position = variables.iter().position(|&variable| variable == global)?;
                    (MOST_UNWATCHED - 1).checked_sub(position).filter(|&bit| bit >= params)?
                }
            };
            (bit < MOST_UNWATCHED).then_some(bit as u32)
        };
        for (local, memory) in sizes {
            let mut unwatched = 0;
            for memory in memory {
                if let Some(bit) = bit_of(&memory) {
                    self.settled.insert(memory, bit);
                    unwatched |= 1 << bit;
                }
            }
            if unwatched != 0 {
                self.habits.settled.push(Settled { local, unwatched });
            }
        }
    }

    /// The bit of the local memory that an access certainly reaches, if it may go without cells.
    pub fn settled(&self, inst: Inst, operand: usize) -> Option<u32> {
        self.settled.get(self.locals.get(&(inst, operand))?).copied()
    }

    /// The local memory that an access certainly reaches, if all accesses to local memory are known.
    pub fn local(&self, inst: Inst, operand: usize) -> Option<LocalMemory> {
        self.locals.get(&(inst, operand)).copied()
    }

    /// The bytes of a granule of the local memory that an access reaches, if all accesses to that agree.
    pub fn granule(&self, inst: Inst, operand: usize) -> Option<u32> {
        self.granules.get(self.locals.get(&(inst, operand))?).copied()
    }
}

/// What the accesses through an argument are.
#[derive(Clone, Default)]
struct Reached {
    is_written: bool,
    /// Some are read, and what is read is used.
    is_read: bool,
    /// Not all are atomic.
    is_plain: bool,
    /// One is at a place that is not known.
    is_anywhere: bool,
    /// Where they are.
    places: Vec<(Inst, Place, u64)>,
}

/// How far a pointer is from its origin: a number, and values times strides.
#[derive(Clone, Default)]
pub struct Place {
    pub plus: i64,
    pub products: Vec<(Value, i64)>,
}

/// The most places of an argument's accesses.
const MOST_PLACES: usize = 64;
/// The most accesses through an argument that are looked at.
const MOST_ACCESSES: usize = 512;

impl Reached {
    fn way(self, places: &mut Places<'_>) -> Way {
        if !self.is_written {
            return Way::Reads;
        }
        if !self.is_plain {
            return Way::Atomic;
        }
        let mut sites: Vec<Site> = Vec::new();
        if self.is_anywhere {
            return Way::Any;
        }
        for (inst, Place { plus, products }, bytes) in self.places {
            let (Some(place), Ok(bytes)) = (places.sum(&products, plus), u32::try_from(bytes)) else {
                return Way::Any;
            };
            let site = Site { place, bytes, facts: places.facts_at(inst) };
            if !sites.contains(&site) {
                sites.push(site);
            }
        }
        if sites.len() <= MOST_PLACES { Way::Sites(sites) } else { Way::Any }
    }
}

/// Looks at a kernel that is whole. Accesses that stay inside are looked for with the module's variables.
pub fn of(kernel: &Function, globals: Option<&Arena<Global, GlobalData>>) -> ArgumentUses {
    let structure = Structure::of(kernel);
    let mut uses = Uses {
        kernel,
        structure: &structure,
        arguments: FxHashMap::default(),
        locals: FxHashMap::default(),
        granules: FxHashMap::default(),
        reaches_any_local: false,
        reached: vec![Reached::default(); kernel.params.len()],
        reads_anything: false,
        writes_anything: false,
    };
    kernel.walk(|inst, data| uses.instruction(inst, data));
    let Uses { arguments, locals, granules, reached, reads_anything, writes_anything, .. } = uses;
    let (locals, granules) = if uses.reaches_any_local { Default::default() } else { (locals, granules) };
    let asked: FxHashSet<Inst> =
        reached.iter().flat_map(|reached| reached.places.iter().map(|(inst, ..)| *inst)).collect();
    let asks = |inst: Inst| match globals {
        Some(_) => !accesses(kernel, &kernel.insts[inst]).is_empty(),
        None => asked.contains(&inst),
    };
    let mut places = Places::of(kernel, &structure, asks);
    let mut habit = |(index, reached): (usize, Reached)| {
        let reads = reached.is_read || reads_anything;
        let is_known = index < MOST_UNWATCHED && !writes_anything && !(reads_anything && reached.is_written);
        Habit { way: if is_known { reached.way(&mut places) } else { Way::Any }, reads }
    };
    let of_arguments = reached.into_iter().enumerate().map(&mut habit).collect();
    let confinement = globals.map(|globals| Confinement::of(kernel, globals, &mut places));
    let (numbers, counters, facts) = places.finish();
    let mut habits =
        KernelHabits { arguments: of_arguments, numbers, counters, facts, ..KernelHabits::default() };
    let local = kernel.kernel.as_ref().and_then(|info| info.required_work_group_size);
    let stays = confinement.unwrap_or_default().settle(&mut habits, local);
    ArgumentUses { habits, arguments, locals, granules, stays, settled: FxHashMap::default() }
}

struct Uses<'f> {
    kernel: &'f Function,
    structure: &'f Structure,
    arguments: FxHashMap<(Inst, usize), u32>,
    locals: FxHashMap<(Inst, usize), LocalMemory>,
    granules: FxHashMap<LocalMemory, u32>,
    /// Through a pointer whose origin is not known.
    reaches_any_local: bool,
    /// Of each parameter.
    reached: Vec<Reached>,
    /// Memory that may belong to any argument.
    reads_anything: bool,
    writes_anything: bool,
}

impl Uses<'_> {
    fn instruction(&mut self, inst: Inst, data: &InstData) {
        let all = accesses(self.kernel, data);
        for accessed in &all {
            let pointer = data.operands[accessed.operand];
            let is_written = accessed.access != Access::Read;
            // As they are where races are looked for.
            let is_atomic =
                accessed.access == Access::Atomic || matches!(data.op, Op::Load { volatile: true, .. });
            let space = self.kernel.ty(pointer).address_space();
            let origin = self.origin(pointer);
            match space {
                Some(AddressSpace::Private) => continue,
                Some(AddressSpace::Local) => {
                    self.local(inst, accessed, &origin);
                    continue;
                }
                Some(AddressSpace::Generic) => self.reaches_any_local = true,
                _ => {}
            }
            match origin {
                Origin::Arguments(arguments, place) => {
                    if let [argument] = arguments[..] {
                        self.arguments.insert((inst, accessed.operand), argument);
                    }
                    for argument in arguments {
                        let reached = &mut self.reached[argument as usize];
                        reached.is_written |= is_written && !matches!(data.op, Op::AtomicLoad { .. });
                        reached.is_read |= accessed.access != Access::Write && uses_what_it_reads(&data.op);
                        reached.is_plain |= !is_atomic;
                        match &place {
                            Some(place) if reached.places.len() < MOST_ACCESSES => {
                                reached.places.push((inst, place.clone(), accessed.bytes));
                            }
                            _ => reached.is_anywhere = true,
                        }
                    }
                }
                Origin::Variable(_) | Origin::Other => {}
                Origin::Unknown => {
                    self.reads_anything |= !is_written;
                    self.writes_anything |= is_written;
                }
            }
        }
        // What becomes of a pointer elsewhere is not known.
        let is_known = !all.is_empty() && !self.stores_pointer(data) || self.only_computes(&data.op);
        let leads_there = |&operand: &Value| {
            let space = self.kernel.ty(operand).address_space();
            matches!(space, Some(AddressSpace::Global | AddressSpace::Generic))
                && !leads_to_reports(self.kernel, operand)
                && !is_done(self.kernel, operand)
        };
        self.writes_anything |= !is_known && data.operands.iter().any(leads_there);
    }

    /// Looks at an access to local memory.
    fn local(&mut self, inst: Inst, accessed: &Accessed, origin: &Origin) {
        let memory = match *origin {
            Origin::Arguments(ref arguments, _) if arguments.len() == 1 => {
                LocalMemory::Argument(arguments[0])
            }
            Origin::Variable(global) => LocalMemory::Variable(global),
            _ => {
                self.reaches_any_local = true;
                return;
            }
        };
        self.locals.insert((inst, accessed.operand), memory);
        let granule = granule(accessed);
        self.granules.entry(memory).and_modify(|all| *all = granule.min(*all)).or_insert(granule);
    }

    fn stores_pointer(&self, data: &InstData) -> bool {
        let value = match data.op {
            Op::Store { .. } | Op::AtomicStore { .. } | Op::AtomicRmw { .. } => data.operands.get(1),
            _ => None,
        };
        value.is_some_and(|&value| self.kernel.ty(value).is_pointer())
    }

    /// Whether all that an operation makes of pointers are others, whose origin is then not known, or numbers
    /// that tell nothing about places.
    fn only_computes(&self, op: &Op) -> bool {
        op.has_regions()
            || matches!(
                op,
                Op::PointerOffset(_)
                    | Op::PointerIndex { .. }
                    | Op::Within(_)
                    | Op::Apart { .. }
                    | Op::Access { .. }
                    | Op::Matrix(_)
                    | Op::Convert(ConvertOp::AddressSpace)
                    | Op::Select
                    | Op::Compare(_)
                    | Op::Exit(_)
                    | Op::Continue(_)
                    | Op::NextIteration
            )
    }

    /// Where a pointer comes from, and how far it has gone.
    fn origin(&self, mut pointer: Value) -> Origin {
        let mut place = Place::default();
        while let Some(inst) = self.kernel.defining_inst(pointer) {
            let data = &self.kernel.insts[inst];
            match data.op {
                Op::PointerOffset(bytes) => place.plus = place.plus.wrapping_add(bytes),
                Op::PointerIndex { stride } => place.products.push((data.operands[1], stride as i64)),
                Op::Within(_) | Op::Apart { .. } | Op::Convert(ConvertOp::AddressSpace) => {}
                Op::Alloca { .. } => return Origin::Other,
                _ => break,
            }
            pointer = data.operands[0];
        }
        match self.kernel.values[pointer].def {
            ValueDef::Global(global) => Origin::Variable(global),
            ValueDef::Constant(_) => Origin::Other,
            _ => match self.parameter(pointer) {
                Some(argument) => Origin::Arguments(vec![argument], Some(place)),
                None => self.origins(pointer).map_or(Origin::Unknown, |all| Origin::Arguments(all, None)),
            },
        }
    }

    fn parameter(&self, value: Value) -> Option<u32> {
        self.kernel.params.iter().position(|&param| param == value).map(|position| position as u32)
    }

    /// The arguments that a pointer may come from through constructs, if it comes from nothing else.
    fn origins(&self, pointer: Value) -> Option<Vec<u32>> {
        let (kernel, structure) = (self.kernel, self.structure);
        let (mut seen, mut pending, mut found) = (FxHashSet::default(), vec![pointer], Vec::new());
        while let Some(value) = pending.pop() {
            if !seen.insert(value) {
                continue;
            }
            let operands = |insts: &[Inst], index: u32| -> Vec<Value> {
                insts.iter().map(|&inst| kernel.insts[inst].operands[index as usize]).collect()
            };
            match kernel.values[value].def {
                ValueDef::Result(inst, index) => {
                    let data = &kernel.insts[inst];
                    match data.op {
                        Op::PointerOffset(_) | Op::PointerIndex { .. } | Op::Within(_) | Op::Apart { .. } => {
                            pending.push(data.operands[0]);
                        }
                        Op::Select => pending.extend(&data.operands[1..3]),
                        _ if data.op.has_regions() => pending.extend(operands(structure.exits(inst), index)),
                        _ => return None,
                    }
                }
                ValueDef::RegionParam(region, index) => {
                    let owner = structure.owner(region)?;
                    let data = &kernel.insts[owner];
                    if !data.op.is_loop() {
                        return None;
                    }
                    if data.regions[0] == region {
                        pending.push(data.operands[index as usize]);
                        let next = structure.next_iteration(kernel, owner);
                        pending.extend(operands(next.as_slice(), index));
                    } else {
                        pending.extend(operands(structure.continues(owner), index));
                    }
                }
                _ => found.push(self.parameter(value)?),
            }
        }
        found.sort_unstable();
        found.dedup();
        Some(found)
    }
}

enum Origin {
    /// Of these arguments, and where in it if there is one.
    Arguments(Vec<u32>, Option<Place>),
    /// A variable of the module.
    Variable(Global),
    /// A private variable, or null.
    Other,
    Unknown,
}
