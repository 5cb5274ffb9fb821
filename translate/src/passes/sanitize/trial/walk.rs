//! Executes a kernel for all work-items of a group in step.

use super::Trial;
use super::column::{Column, Mask};
use super::ledger::{Entry, Ledger};
use super::needed::{Needed, Target, target};
use super::sites::{self, Site};
use crate::passes::sanitize::access::leads_to_reports;
use crate::passes::sanitize::habits::ArgumentUses;
use crate::passes::sanitize::phases::orders_local;
use crate::passes::structure::with_stack;
use clvk_ir::{Arena, Function, Global, GlobalData, Inst, Op, Region, Scope, Type, Value, WorkItemQuery};
use rustc_hash::{FxHashMap, FxHashSet};

/// The most work-items of a group.
const MOST_ITEMS: u32 = 1024;
/// The most iterations of a loop.
const MOST_ITERATIONS: u32 = 2048;

/// Tries a kernel in work-groups of a size, with sub-groups of one if it is known, with at most as many
/// operations of single work-items.
pub fn run(
    kernel: &Function,
    globals: &Arena<Global, GlobalData>,
    uses: &ArgumentUses,
    (size, sub_group): ([u32; 3], Option<u32>),
    most_steps: usize,
) -> Option<Trial> {
    let items = size.into_iter().try_fold(1u32, u32::checked_mul).filter(|&items| items <= MOST_ITEMS)?;
    let sites = sites::of(kernel, globals, uses);
    if sites.is_empty() || items == 0 {
        return None;
    }
    let places: FxHashMap<Inst, Vec<Value>> = sites
        .iter()
        .map(|(&inst, sites)| (inst, sites.iter().flat_map(|site| site.values()).collect()))
        .collect();
    let needed = Needed::of(kernel, &places);
    let sub_groups = sub_group.map(|size| SubGroups {
        size: size as usize,
        count: items.div_ceil(size),
        ordered: meet_in_sub_groups(kernel),
    });
    let (mut open, mut steps) = (FxHashSet::default(), 0);
    loop {
        let mut walk = Walk {
            kernel,
            size,
            sub_groups,
            items: items as usize,
            sites: &sites,
            needed: &needed,
            open: &mut open,
            steps: &mut steps,
            most_steps,
            values: FxHashMap::default(),
            arrivals: FxHashMap::default(),
            around: Vec::new(),
            ledger: Ledger::default(),
            last_phase: 0,
            unsure: 0,
        };
        let start = State { mask: Mask::all(items as usize), phases: vec![0], gone: Vec::new() };
        match walk.region(kernel.body?, start) {
            Ok(()) => return Some(conclude(&walk.ledger, &sites)),
            Err(Stop::Again) => {}
            Err(Stop::Never) => return None,
        }
    }
}

fn conclude(ledger: &Ledger, sites: &FxHashMap<Inst, Vec<Site>>) -> Trial {
    let mut trial = Trial::default();
    let all = || sites.iter().flat_map(|(&inst, sites)| sites.iter().map(move |site| (inst, site)));
    for (inst, site) in all().filter(|(_, site)| !ledger.racing.contains(&site.memory)) {
        trial.quiet.insert(site.memory);
        let place = (inst, site.operand);
        if ledger.read.contains(&place) && !ledger.doubtful.contains(&place) {
            trial.safe.insert(place);
        }
    }
    trial.filled = trial.quiet.clone();
    for (inst, site) in all() {
        if site.uses && !trial.safe.contains(&(inst, site.operand)) {
            trial.filled.remove(&site.memory);
        }
    }
    trial
}

/// Why a trial ends before the kernel does.
enum Stop {
    /// More loops than before are known to be taken for anything.
    Again,
    Never,
}

/// Where work-items are.
#[derive(Clone)]
struct State {
    mask: Mask,
    /// The phases in which they may be.
    phases: Vec<u32>,
    /// Where some work-items may have gone instead.
    gone: Vec<Target>,
}

impl State {
    /// Some work-items may have gone to these places instead.
    fn may_leave(&mut self, targets: &[Target]) {
        for target in targets {
            if !self.gone.contains(target) {
                self.gone.push(*target);
            }
        }
    }
}

type Arrival = (State, Vec<Column>);

/// The sub-groups of a work-group, which is one row of work-items to kernels that ask for them.
#[derive(Clone, Copy)]
struct SubGroups {
    size: usize,
    count: u32,
    /// Their work-items are taken to be ordered, as where races are looked for.
    ordered: bool,
}

struct Walk<'f, 't> {
    kernel: &'f Function,
    size: [u32; 3],
    sub_groups: Option<SubGroups>,
    items: usize,
    sites: &'t FxHashMap<Inst, Vec<Site>>,
    needed: &'t Needed,
    /// Loops whose iterations are not known.
    open: &'t mut FxHashSet<Inst>,
    steps: &'t mut usize,
    most_steps: usize,
    values: FxHashMap<Value, Column>,
    /// Who has jumped, with which values.
    arrivals: FxHashMap<Target, Vec<Arrival>>,
    around: Vec<(Inst, Region)>,
    ledger: Ledger,
    last_phase: u32,
    /// How many conditions that are not known lie around.
    unsure: u32,
}

impl Walk<'_, '_> {
    fn value(&self, value: Value) -> Column {
        match self.kernel.as_bits(value) {
            Some(bits) => Column::Same(bits),
            None => self.values.get(&value).cloned().unwrap_or(Column::Unknown),
        }
    }

    fn count(&mut self, steps: usize) -> Result<(), Stop> {
        *self.steps += steps;
        if *self.steps > self.most_steps { Err(Stop::Never) } else { Ok(()) }
    }

    fn region(&mut self, region: Region, mut state: State) -> Result<(), Stop> {
        let kernel = self.kernel;
        let insts = &kernel.regions[region].insts;
        for (position, &inst) in insts.iter().enumerate() {
            if state.mask.is_empty() {
                return Ok(());
            }
            let data = &kernel.insts[inst];
            if let Some(target) = target(kernel, inst, &self.around) {
                let values = data.operands.iter().map(|&value| self.value(value)).collect();
                self.arrivals.entry(target).or_default().push((state, values));
                return Ok(());
            }
            if data.op.has_regions() {
                if self.needed.executes(inst) {
                    let meets = insts[position..].iter().any(|&inst| orders_local(&kernel.insts[inst].op));
                    match with_stack(|| self.construct(inst, state, meets))? {
                        Some(after) => state = after,
                        None => return Ok(()),
                    }
                }
            } else if orders_local(&data.op) {
                self.last_phase += 1;
                state.phases = vec![self.last_phase];
            } else if self.sites.contains_key(&inst) {
                self.access(inst, &state)?;
            } else if let [result] = data.results[..]
                && self.needed.has(result)
            {
                self.compute(inst, result)?;
            }
        }
        Ok(())
    }

    fn compute(&mut self, inst: Inst, result: Value) -> Result<(), Stop> {
        let data = &self.kernel.insts[inst];
        let (column, steps) = match data.op {
            Op::WorkItem(query) => {
                let axis = data.operands.first().map_or(Some(0), |&axis| self.kernel.as_bits(axis));
                (axis.map_or(Column::Unknown, |axis| self.query(query, axis)), 1)
            }
            // Whether another loop was left, after which nothing means anything.
            Op::Load { .. } if leads_to_reports(self.kernel, data.operands[0]) => (Column::Same(0), 1),
            ref op if op.is_computation() => {
                let operands: Vec<(Column, Type)> = data
                    .operands
                    .iter()
                    .map(|&operand| (self.value(operand), self.kernel.ty(operand)))
                    .collect();
                Column::computed(op, &operands, self.kernel.ty(result), self.items)
            }
            _ => (Column::Unknown, 1),
        };
        self.values.insert(result, column);
        self.count(steps)
    }

    fn query(&self, query: WorkItemQuery, axis: u64) -> Column {
        if query.is_of_sub_groups() {
            return self.sub_groups.map_or(Column::Unknown, |groups| groups.query(query, self.items));
        }
        let [width, height, _] = self.size.map(u64::from);
        let items = 0..self.items as u64;
        match (query, axis) {
            (WorkItemQuery::LocalId, 0) => Column::of(items.map(|item| item % width).collect()),
            (WorkItemQuery::LocalId, 1) => Column::of(items.map(|item| item / width % height).collect()),
            (WorkItemQuery::LocalId, 2) => Column::of(items.map(|item| item / width / height).collect()),
            (WorkItemQuery::LocalId, _) => Column::Same(0),
            (WorkItemQuery::LocalLinearId, _) => Column::of(items.collect()),
            (WorkItemQuery::LocalSize | WorkItemQuery::EnqueuedLocalSize, _) => {
                Column::Same(self.size.get(axis as usize).copied().map_or(1, u64::from))
            }
            _ => Column::Unknown,
        }
    }

    /// Executes a construct; gives where work-items are behind it. A barrier may follow in the same region.
    fn construct(&mut self, inst: Inst, state: State, meets: bool) -> Result<Option<State>, Stop> {
        let data = &self.kernel.insts[inst];
        match data.op {
            Op::If => {
                let condition = self.value(data.operands[0]);
                if condition == Column::Unknown {
                    return self.any(inst, state, meets);
                }
                for (&region, value) in data.regions.iter().zip([true, false]) {
                    let mask = state.mask.where_is(&condition, value);
                    self.inside(inst, region, State { mask, ..state.clone() })?;
                }
            }
            Op::Switch(_) => return self.any(inst, state, meets),
            Op::Loop(_) if self.open.contains(&inst) => return self.open_loop(inst, state, meets),
            Op::Loop(_) => self.closed_loop(inst, state)?,
            _ => self.inside(inst, data.regions[0], state)?,
        }
        Ok(self.arrive(inst))
    }

    fn inside(&mut self, inst: Inst, region: Region, state: State) -> Result<(), Stop> {
        self.around.push((inst, region));
        let done = self.region(region, state);
        self.around.pop();
        done
    }

    /// Executes all regions of a construct, because it is not known which one is executed.
    fn any(&mut self, inst: Inst, state: State, meets: bool) -> Result<Option<State>, Stop> {
        let together = meets || self.needed.meets(inst);
        for target in self.needed.leaves(inst) {
            if let Target::Exit(outer) = *target
                && self.kernel.insts[outer].op.is_loop()
                && self.open.insert(outer)
            {
                return Err(Stop::Again);
            }
        }
        self.unsure += u32::from(!together);
        for &region in &self.kernel.insts[inst].regions {
            let written = self.ledger.written();
            self.count(self.items)?;
            self.inside(inst, region, state.clone())?;
            self.ledger.restore(written);
        }
        self.unsure -= u32::from(!together);
        let mut after = self.arrive(inst);
        if let Some(after) = after.as_mut().filter(|_| !together) {
            after.may_leave(self.needed.leaves(inst));
        }
        Ok(after)
    }

    /// Executes a loop whose iterations are known, until nobody is in it.
    fn closed_loop(&mut self, inst: Inst, mut state: State) -> Result<(), Stop> {
        let data = &self.kernel.insts[inst];
        let mut carried: Vec<Column> = data.operands.iter().map(|&value| self.value(value)).collect();
        for _ in 0..MOST_ITERATIONS {
            self.enter(inst, 0, carried, state)?;
            let Some((continuing, passed)) = self.merged(Target::Continue(inst)) else { return Ok(()) };
            self.enter(inst, 1, passed, continuing)?;
            let Some(next) = self.merged(Target::Next(inst)) else { return Ok(()) };
            (state, carried) = next;
            self.count(self.items)?;
        }
        self.open.insert(inst);
        Err(Stop::Again)
    }

    /// Executes two iterations of a loop about whose iterations nothing is known.
    fn open_loop(&mut self, inst: Inst, state: State, meets: bool) -> Result<Option<State>, Stop> {
        let together = self.needed.meets(inst);
        let written = self.ledger.written();
        self.unsure += u32::from(!together);
        let mut next = Some(state);
        for _ in 0..2 {
            let Some(state) = next.take() else { break };
            self.enter(inst, 0, Vec::new(), state)?;
            if let Some((state, _)) = self.merged(Target::Continue(inst)) {
                self.enter(inst, 1, Vec::new(), state)?;
            }
            next = self.merged(Target::Next(inst)).map(|(state, _)| state);
        }
        self.unsure -= u32::from(!together);
        self.ledger.restore(written);
        let mut after = self.arrive(inst);
        for &result in &self.kernel.insts[inst].results {
            self.values.insert(result, Column::Unknown);
        }
        if let Some(after) = after.as_mut().filter(|_| !together && !meets) {
            after.may_leave(self.needed.leaves(inst));
        }
        Ok(after)
    }

    /// Enters a region of a loop with values for its parameters, or without.
    fn enter(&mut self, inst: Inst, which: usize, values: Vec<Column>, state: State) -> Result<(), Stop> {
        let region = self.kernel.insts[inst].regions[which];
        let mut values = values.into_iter();
        for &param in &self.kernel.regions[region].params {
            let column = values.next().unwrap_or(Column::Unknown);
            self.values.insert(param, column);
        }
        self.inside(inst, region, state)
    }

    /// Goes on behind a construct.
    fn arrive(&mut self, inst: Inst) -> Option<State> {
        let (mut state, values) = self.merged(Target::Exit(inst))?;
        state.gone.retain(|target| ![Target::Exit(inst), Target::Continue(inst)].contains(target));
        for (&result, column) in self.kernel.insts[inst].results.iter().zip(values) {
            self.values.insert(result, column);
        }
        Some(state)
    }

    /// All who have jumped to a target.
    fn merged(&mut self, target: Target) -> Option<Arrival> {
        let arrivals = self.arrivals.remove(&target)?;
        let mut arrivals = arrivals.into_iter();
        let (mut state, mut values) = arrivals.next()?;
        for (other, others) in arrivals {
            for (one, two) in values.iter_mut().zip(others) {
                *one = Column::either((&*one, &state.mask), (&two, &other.mask));
            }
            state.mask = state.mask.or(&other.mask);
            state.phases.extend(other.phases);
            state.may_leave(&other.gone);
        }
        state.phases.sort_unstable();
        state.phases.dedup();
        Some((state, values))
    }

    /// What a work-item counts as.
    fn who(&self, item: usize) -> usize {
        self.sub_groups.filter(|groups| groups.ordered).map_or(item, |groups| item / groups.size)
    }

    /// What all work-items that are somewhere count as, if it is one.
    fn one(&self, state: &State) -> Option<usize> {
        let mut all = state.mask.items().map(|item| self.who(item));
        let one = all.next()?;
        all.all(|other| other == one).then_some(one)
    }

    /// Notes what an instruction accesses.
    fn access(&mut self, inst: Inst, state: &State) -> Result<(), Stop> {
        let is_sure = self.unsure == 0 && state.gone.is_empty();
        for site in &self.sites[&inst] {
            let entry = Entry {
                place: (inst, site.operand),
                memory: site.memory,
                way: site.way,
                uses: site.uses,
                phases: &state.phases,
                is_sure: is_sure && site.leaves,
            };
            let place = site.place(|value| self.value(value), self.items);
            let mut steps = 1;
            match place {
                Column::Unknown => {
                    self.ledger.note_anywhere(&entry, self.one(state), site.granules());
                }
                Column::Same(place) => {
                    if let Some(granules) = site.reach(place) {
                        self.ledger.note(&entry, self.one(state), granules);
                    }
                }
                Column::Each(places) => {
                    for item in state.mask.items() {
                        if let Some(granules) = site.reach(places[item]) {
                            self.ledger.note(&entry, Some(self.who(item)), granules);
                        }
                    }
                    steps = self.items;
                }
            }
            self.count(steps * state.phases.len())?;
        }
        Ok(())
    }
}

impl SubGroups {
    fn query(self, query: WorkItemQuery, items: usize) -> Column {
        let (size, items) = (self.size, 0..items);
        match query {
            WorkItemQuery::SubGroupLocalId => Column::of(items.map(|item| (item % size) as u64).collect()),
            WorkItemQuery::SubGroupId => Column::of(items.map(|item| (item / size) as u64).collect()),
            WorkItemQuery::NumSubGroups | WorkItemQuery::EnqueuedNumSubGroups => {
                Column::Same(self.count.into())
            }
            // Those of the last one may be fewer.
            WorkItemQuery::SubGroupSize if items.end % size == 0 => Column::Same(size as u64),
            _ => Column::Unknown,
        }
    }
}

/// Whether a kernel has barriers of sub-groups.
fn meet_in_sub_groups(kernel: &Function) -> bool {
    let mut meets = false;
    kernel.walk(|_, data| meets |= matches!(data.op, Op::Barrier { execution: Scope::SubGroup, .. }));
    meets
}
