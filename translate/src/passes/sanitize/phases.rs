//! What may happen to local memory while a work-item accesses it.
//!
//! Barriers that order local memory divide a kernel into phases: what is executed from one barrier, or from
//! the kernel's entry, to the next. All work-items of a work-group come to the same barriers, so two accesses
//! of different work-items can race only if both are in a phase that begins at the same place. If nothing in
//! the phases of an access writes the memory, for instance, reading it cannot race, and need not be noted.

use super::access::{Accessed, accesses};
use super::habits::{ArgumentUses, LocalMemory};
use crate::passes::structure::with_stack;
use clvk_interface::sanitize::Access;
use clvk_ir::{FenceFlags, Function, Inst, InstData, Op, Region, Scope};
use rustc_hash::FxHashMap;

/// What other work-items may do to the memory of an access, as far as nothing orders it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Meanwhile {
    pub reads: bool,
    pub writes: bool,
    pub atomics: bool,
    /// Atomic operations on this memory may be noted as such, at any time.
    pub notes_atomics: bool,
}

impl Meanwhile {
    /// Anything.
    pub const ANY: Meanwhile = Meanwhile { reads: true, writes: true, atomics: true, notes_atomics: true };
    const NOTHING: Meanwhile =
        Meanwhile { reads: false, writes: false, atomics: false, notes_atomics: false };

    fn with(self, other: Meanwhile) -> Meanwhile {
        Meanwhile {
            reads: self.reads | other.reads,
            writes: self.writes | other.writes,
            atomics: self.atomics | other.atomics,
            notes_atomics: self.notes_atomics | other.notes_atomics,
        }
    }
}

/// What may happen during each access to local memory about which something is known: those whose operand
/// certainly points into it.
#[derive(Default)]
pub struct Phases(FxHashMap<(Inst, usize), Meanwhile>);

impl Phases {
    /// Of a kernel that is whole, and that makes no asynchronous copies, which last longer than a phase.
    pub fn of(kernel: &Function, uses: &ArgumentUses) -> Phases {
        let mut walk = Walk::new(kernel);
        let Some(body) = kernel.body.filter(|_| walk.starts.len() < u128::BITS as usize) else {
            return Phases::default();
        };
        loop {
            walk.changed = false;
            walk.region(body, 1, None);
            if !walk.changed {
                break;
            }
        }
        let located: Vec<Located> = walk
            .reached
            .iter()
            .flat_map(|(&inst, &phases)| {
                let data = &kernel.insts[inst];
                accesses(kernel, data).into_iter().filter_map(move |accessed| {
                    let memory = uses.local(inst, accessed.operand)?;
                    Some(Located {
                        place: (inst, accessed.operand),
                        memory,
                        phases,
                        does: does(data, &accessed),
                    })
                })
            })
            .collect();
        Phases::between(&located)
    }

    fn between(located: &[Located]) -> Phases {
        let mut in_phase: FxHashMap<(LocalMemory, u32), Meanwhile> = FxHashMap::default();
        for access in located {
            for phase in bits(access.phases) {
                let all = in_phase.entry((access.memory, phase)).or_insert(Meanwhile::NOTHING);
                *all = all.with(access.does);
            }
        }
        let during = |access: &Located| {
            let all = bits(access.phases).map(|phase| in_phase[&(access.memory, phase)]);
            all.fold(Meanwhile::NOTHING, Meanwhile::with)
        };
        let mut noted: FxHashMap<LocalMemory, bool> = FxHashMap::default();
        for access in located {
            let Meanwhile { reads, writes, .. } = during(access);
            let notes = access.does.notes_atomics || access.does.atomics && (reads || writes);
            *noted.entry(access.memory).or_default() |= notes;
        }
        let known = located.iter().map(|access| {
            let meanwhile = Meanwhile { notes_atomics: noted[&access.memory], ..during(access) };
            (access.place, meanwhile)
        });
        Phases(known.collect())
    }

    /// What may happen during an access through an operand.
    pub fn during(&self, inst: Inst, operand: usize) -> Meanwhile {
        self.0.get(&(inst, operand)).copied().unwrap_or(Meanwhile::ANY)
    }
}

/// An access to known memory.
struct Located {
    place: (Inst, usize),
    memory: LocalMemory,
    phases: u128,
    does: Meanwhile,
}

fn bits(set: u128) -> impl Iterator<Item = u32> {
    (0..u128::BITS).filter(move |bit| set >> bit & 1 != 0)
}

/// What an access does to others.
fn does(data: &InstData, accessed: &Accessed) -> Meanwhile {
    let attempts = matches!(data.op, Op::AtomicCompareExchange { .. });
    Meanwhile {
        // Those that are `volatile` are taken for atomic ones, which do not race with those that change.
        reads: accessed.access == Access::Read && !matches!(data.op, Op::Load { volatile: true, .. }),
        writes: accessed.access == Access::Write,
        atomics: accessed.access == Access::Atomic && !matches!(data.op, Op::AtomicLoad { .. }),
        notes_atomics: attempts,
    }
}

struct Walk<'f> {
    kernel: &'f Function,
    /// The number of each barrier's phase; that of the entry is 0.
    starts: FxHashMap<Inst, u32>,
    /// The phases in which instructions are executed, as bits.
    reached: FxHashMap<Inst, u128>,
    /// Those in which constructs are left, continuing regions entered, and iterations ended.
    left: FxHashMap<Inst, u128>,
    continued: FxHashMap<Inst, u128>,
    repeated: FxHashMap<Inst, u128>,
    changed: bool,
}

impl<'f> Walk<'f> {
    fn new(kernel: &'f Function) -> Self {
        let mut starts = FxHashMap::default();
        kernel.walk(|inst, data| {
            if orders_local(&data.op) {
                starts.insert(inst, starts.len() as u32 + 1);
            }
        });
        let (reached, left) = (FxHashMap::default(), FxHashMap::default());
        let (continued, repeated) = (FxHashMap::default(), FxHashMap::default());
        Walk { kernel, starts, reached, left, continued, repeated, changed: false }
    }

    /// Follows a region, the continuing one of a loop perhaps, that is entered in these phases.
    fn region(&mut self, region: Region, mut phases: u128, repeats: Option<Inst>) {
        let kernel = self.kernel;
        for &inst in &kernel.regions[region].insts {
            let data = &kernel.insts[inst];
            self.changed |= join(&mut self.reached, inst, phases);
            match data.op {
                Op::Loop(_) => {
                    let begins = phases | self.repeated.get(&inst).copied().unwrap_or(0);
                    with_stack(|| self.region(data.regions[0], begins, None));
                    let continues = self.continued.get(&inst).copied().unwrap_or(0);
                    with_stack(|| self.region(data.regions[1], continues, Some(inst)));
                    phases = self.left.get(&inst).copied().unwrap_or(0);
                }
                Op::If | Op::Switch(_) | Op::Block => {
                    for &region in &data.regions {
                        with_stack(|| self.region(region, phases, repeats));
                    }
                    phases = self.left.get(&inst).copied().unwrap_or(0);
                }
                Op::Exit(target) => self.changed |= join(&mut self.left, target, phases),
                Op::Continue(target) => self.changed |= join(&mut self.continued, target, phases),
                Op::NextIteration => {
                    if let Some(target) = repeats {
                        self.changed |= join(&mut self.repeated, target, phases);
                    }
                }
                _ => {
                    if let Some(&start) = self.starts.get(&inst) {
                        phases = 1 << start;
                    }
                }
            }
        }
    }
}

/// Adds phases to those of an instruction; whether there are more.
fn join(all: &mut FxHashMap<Inst, u128>, inst: Inst, phases: u128) -> bool {
    let known = all.entry(inst).or_default();
    let before = std::mem::replace(known, *known | phases);
    before != *known
}

/// Whether it is a barrier that orders local memory.
pub fn orders_local(op: &Op) -> bool {
    matches!(op, Op::Barrier { execution: Scope::WorkGroup, flags, .. } if flags.contains(FenceFlags::LOCAL))
}
