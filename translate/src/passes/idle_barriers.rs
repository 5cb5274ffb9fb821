//! Removes barriers that order nothing.
//!
//! A barrier of a work-group orders what is accessed since the barriers before it, and what is accessed until
//! those behind it. It may go if nothing in these two stretches conflicts: they access different memory, or
//! only read, or one of them is empty, as behind the last iteration of a loop that was unrolled. What it
//! orders in other stretches, its neighbours order as well.
//!
//! The flags of the removed barrier do not count: programs rely on barriers with `CLK_LOCAL_MEM_FENCE` for
//! global memory, too. Those of its neighbours do. Volatile accesses, atomic operations, collectives, calls
//! and whatever else has an effect conflict with everything.
//!
//! The stretches of a region are looked at one after the other. Beyond its ends lies anything, but for the
//! regions that a kernel begins and ends with.

use super::Context;
use super::simplify::dce::root_pointer;
use super::structure::Structure;
use super::unroll::streams::unchanging;
use crate::TranslateError;
use clvk_ir::{AddressSpace, FenceFlags, Function, Inst, Op, Region, Scope};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::BitOr;

/// See the module.
///
/// # Errors
/// None.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    for function in context.module.kernels_mut() {
        let mut barriers = 0;
        function.walk(|_, data| barriers += u32::from(orders(&data.op).is_some()));
        if barriers > 0 {
            Accesses::of(function).remove_barriers(function);
        }
    }
    Ok(())
}

/// The memory that a barrier of a work-group orders; `None` for everything else.
fn orders(op: &Op) -> Option<FenceFlags> {
    match *op {
        Op::Barrier { execution: Scope::WorkGroup, memory: Scope::WorkGroup, flags } => Some(flags),
        _ => None,
    }
}

/// What is accessed, in one kind of memory.
#[derive(Clone, Copy, Default, PartialEq)]
struct Use {
    reads: bool,
    writes: bool,
}

/// What a stretch of code accesses of what work-items share.
#[derive(Clone, Copy, Default, PartialEq)]
struct Stretch {
    local: Use,
    global: Use,
    /// Something that conflicts with every access.
    anything: bool,
}

impl BitOr for Use {
    type Output = Use;

    fn bitor(self, other: Use) -> Use {
        Use { reads: self.reads | other.reads, writes: self.writes | other.writes }
    }
}

impl BitOr for Stretch {
    type Output = Stretch;

    fn bitor(self, other: Stretch) -> Stretch {
        Stretch {
            local: self.local | other.local,
            global: self.global | other.global,
            anything: self.anything | other.anything,
        }
    }
}

impl Use {
    fn conflicts(self, other: Use) -> bool {
        let (any, other_any) = (self.reads | self.writes, other.reads | other.writes);
        self.writes && other_any || any && other.writes
    }
}

impl Stretch {
    const ANYTHING: Stretch = Stretch {
        local: Use { reads: true, writes: true },
        global: Use { reads: true, writes: true },
        anything: true,
    };

    /// What an instruction accesses by itself.
    fn of(function: &Function, inst: Inst) -> Stretch {
        let data = &function.insts[inst];
        let access = match data.op {
            Op::Load { volatile: false, .. } => Use { reads: true, writes: false },
            Op::Store { volatile: false, .. } => Use { reads: false, writes: true },
            _ if orders(&data.op).is_some() => return Stretch::default(),
            _ if data.op.has_effect() || data.op.is_convergent() || matches!(data.op, Op::Image(_)) => {
                return Stretch::ANYTHING;
            }
            _ => return Stretch::default(),
        };
        let of_local = Stretch { local: access, ..Stretch::default() };
        let of_global = Stretch { global: access, ..Stretch::default() };
        match function.ty(data.operands[0]).address_space() {
            Some(AddressSpace::Private | AddressSpace::Constant) => Stretch::default(),
            Some(AddressSpace::Local) => of_local,
            Some(AddressSpace::Global) => of_global,
            Some(AddressSpace::Generic) | None => of_local | of_global,
        }
    }

    fn conflicts(self, other: Stretch) -> bool {
        let none = Stretch::default();
        self.local.conflicts(other.local)
            || self.global.conflicts(other.global)
            || (self.anything || other.anything) && self != none && other != none
    }

    /// What is left to be ordered by other barriers than one with these flags.
    fn behind(self, flags: FenceFlags) -> Stretch {
        let keep = |flag, access| if flags.contains(flag) { Use::default() } else { access };
        Stretch {
            local: keep(FenceFlags::LOCAL, self.local),
            global: keep(FenceFlags::GLOBAL, self.global),
            anything: self.anything && !flags.contains(FenceFlags::LOCAL | FenceFlags::GLOBAL),
        }
    }
}

/// What the code of a kernel accesses.
struct Accesses {
    /// What instructions access, those in their regions included.
    stretches: FxHashMap<Inst, Stretch>,
    /// The regions before which the kernel accesses nothing.
    first: FxHashSet<Region>,
    /// The regions after which it does not.
    last: FxHashSet<Region>,
}

impl Accesses {
    fn of(function: &Function) -> Self {
        let mut accesses = Accesses {
            stretches: FxHashMap::default(),
            first: FxHashSet::default(),
            last: FxHashSet::default(),
        };
        let structure = Structure::of(function);
        let unchanging = unchanging(function);
        function.walk(|inst, data| {
            let loads = matches!(data.op, Op::Load { volatile: false, .. });
            if loads && unchanging.contains(&root_pointer(function, data.operands[0])) {
                return;
            }
            let own = Stretch::of(function, inst);
            if own != Stretch::default() {
                accesses.note(inst, own);
                structure.owners(inst).take_while(|&owner| accesses.note(owner, own)).for_each(drop);
            }
        });
        let ends = accesses.find_ends(function);
        // What leaves a construct from within others goes on somewhere else.
        function.walk(|inst, data| {
            if let Op::Exit(target) | Op::Continue(target) = data.op
                && !ends.contains(&target)
            {
                for left in structure.owners(inst).take_while(|&owner| owner != target) {
                    accesses.note(left, Stretch::ANYTHING);
                }
            }
        });
        accesses
    }

    /// Adds what an instruction accesses. False if that was known.
    fn note(&mut self, inst: Inst, more: Stretch) -> bool {
        let stretch = self.stretches.entry(inst).or_default();
        let all = *stretch | more;
        std::mem::replace(stretch, all) != all
    }

    fn stretch(&self, inst: Inst) -> Stretch {
        self.stretches.get(&inst).copied().unwrap_or_default()
    }

    /// Finds the regions that a kernel begins and ends with: its body, and blocks there. Gives those blocks
    /// that it ends with; what leaves them ends the kernel.
    fn find_ends(&mut self, function: &Function) -> FxHashSet<Inst> {
        let is_idle = |inst: &&Inst| {
            let data = &function.insts[**inst];
            !data.op.has_regions() && orders(&data.op).is_none() && self.stretch(**inst) == Stretch::default()
        };
        let block = |inst: Option<&Inst>| {
            let &inst = inst?;
            let data = &function.insts[inst];
            (data.op == Op::Block).then(|| (inst, data.regions[0]))
        };
        let first = |region: Region| block(function.regions[region].insts.iter().find(|inst| !is_idle(inst)));
        let last =
            |region: Region| block(function.regions[region].insts.iter().rev().find(|inst| !is_idle(inst)));
        let (mut firsts, mut lasts, mut ends) =
            (FxHashSet::default(), FxHashSet::default(), FxHashSet::default());
        firsts.extend(std::iter::successors(function.body, |&region| Some(first(region)?.1)));
        for region in std::iter::successors(function.body, |&region| Some(last(region)?.1)) {
            ends.extend(last(region).map(|(inst, _)| inst));
            lasts.insert(region);
        }
        (self.first, self.last) = (firsts, lasts);
        ends
    }

    fn remove_barriers(&self, function: &mut Function) {
        let mut regions: Vec<Region> = function.body.into_iter().collect();
        while let Some(region) = regions.pop() {
            let mut insts = std::mem::take(&mut function.regions[region].insts);
            regions.extend(insts.iter().flat_map(|&inst| function.insts[inst].regions.iter().copied()));
            let behind = self.behind_barriers(function, region, &insts);
            let mut behind = behind.into_iter().rev();
            let start = if self.first.contains(&region) { Stretch::default() } else { Stretch::ANYTHING };
            let mut before = start;
            insts.retain(|&inst| {
                let Some(flags) = orders(&function.insts[inst].op) else {
                    before = before | self.stretch(inst);
                    return true;
                };
                let stays = before.conflicts(behind.next().expect("there is one for each barrier"));
                if stays {
                    before = before.behind(flags);
                }
                stays
            });
            function.regions[region].insts = insts;
        }
    }

    /// For each barrier in a region, the last one first, what is accessed until barriers behind it.
    fn behind_barriers(&self, function: &Function, region: Region, insts: &[Inst]) -> Vec<Stretch> {
        let mut behind = if self.last.contains(&region) { Stretch::default() } else { Stretch::ANYTHING };
        let mut all = Vec::new();
        for &inst in insts.iter().rev() {
            match orders(&function.insts[inst].op) {
                None => behind = behind | self.stretch(inst),
                Some(flags) => {
                    all.push(behind);
                    behind = behind.behind(flags);
                }
            }
        }
        all
    }
}
