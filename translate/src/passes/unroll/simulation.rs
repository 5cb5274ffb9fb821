//! Finds how often a loop goes round by executing its control flow on constants.
//!
//! Where the end depends on conditions that are not known, but only by which of some constants they choose
//! (the bounds of a binary search in a table), all that they may choose is followed.

use super::super::structure::Structure;
use clvk_ir::fold;
use clvk_ir::{BinaryOp, Constant, Function, Inst, InstData, Op, Region, Scalar, Type, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// The most iterations.
const MAX_TRIPS: usize = 256;
/// The most instructions executed to find a trip count.
const MAX_STEPS: usize = 1 << 16;
/// The most combinations of carried constants that are followed.
const MAX_STATES: usize = 1 << 10;
/// The most unknown conditions that an iteration follows both ways.
const MAX_CHOICES: usize = 6;

/// How execution continues after a region.
enum Step {
    /// To the instruction after the construct, which gives these values.
    Results(Inst, Vec<Option<Constant>>),
    /// Round the loop.
    Continue,
    /// Out of the loop.
    Leave,
    /// To the next iteration with these values.
    Next(Vec<Option<Constant>>),
    /// Unknown.
    Unknown,
}

/// How often a loop goes round.
pub(super) struct Trips {
    /// After this number it has certainly been left.
    pub most: usize,
    /// Whether something else may end it earlier (`while (n < 3 && !found)`).
    pub may_be_fewer: bool,
    /// What ends it, if nothing else does, and where that is not the same in each execution.
    pub ending: Option<Ending>,
}

/// The only check that ends a loop.
pub(super) struct Ending {
    /// The `if`, which stands in the loop's body itself.
    pub check: Inst,
    /// Whether it leaves the loop when its condition is true.
    pub leaves_if: bool,
    /// Until this number of iterations it certainly goes on.
    pub fewest: usize,
}

impl Ending {
    fn of(function: &Function, structure: &Structure, inst: Inst) -> Option<Ending> {
        let [exit] = *structure.exits(inst) else { return None };
        let exiting = structure.parent(exit)?;
        let check = structure.owner(exiting)?;
        let data = &function.insts[check];
        let is_own = data.op == Op::If && structure.parent(check) == Some(function.insts[inst].regions[0]);
        is_own.then(|| Ending { check, leaves_if: data.regions[0] == exiting, fewest: 0 })
    }

    /// Whether the loop ends in an iteration, of at most this many, if that is known.
    pub fn leaves(&self, trip: usize, most: usize) -> Option<bool> {
        if trip < self.fewest { Some(false) } else { (trip == most).then_some(true) }
    }
}

/// Carried values, as far as they are known.
type State = Vec<Option<Constant>>;

/// What an iteration takes unknown conditions to be, in the order in which it meets them.
#[derive(Default)]
struct Choices {
    made: Vec<bool>,
    at: usize,
}

impl Choices {
    /// What the next condition is taken to be; `None` if there are too many.
    fn choose(&mut self) -> Option<bool> {
        if self.at == self.made.len() {
            self.made.push(false);
        }
        self.at += 1;
        (self.at <= MAX_CHOICES).then(|| self.made[self.at - 1])
    }

    /// Goes on to the next combination, if there is one.
    fn advance(&mut self) -> bool {
        self.at = 0;
        while let Some(last) = self.made.pop() {
            if !last {
                self.made.push(true);
                return true;
            }
        }
        false
    }
}

/// Executes a loop as far as it depends only on constants. A construct whose condition is not constant is
/// skipped: it may leave the loop earlier, but that does not change the number of iterations that are enough.
/// Where it may leave a construct around it, what follows in this iteration is not known.
pub(super) struct Simulation<'a> {
    function: &'a Function,
    inst: Inst,
    known: FxHashMap<Value, Constant>,
    /// Constructs that contain a continue of the loop.
    continuing: FxHashSet<Inst>,
    /// Whether this iteration skipped one of those, in which it may have continued.
    may_have_continued: bool,
    /// Constructs that contain an exit of the loop.
    leaving: FxHashSet<Inst>,
    /// Constructs that contain an exit of another one around them, within the loop.
    escaping: FxHashSet<Inst>,
    /// Whether an iteration skipped one of those, by which it may have left the loop.
    may_be_fewer: bool,
    steps: usize,
    /// If unknown conditions are followed both ways.
    choices: Option<Choices>,
}

impl<'a> Simulation<'a> {
    /// How often a loop goes round, if that can be found out.
    pub fn trips(function: &'a Function, structure: &Structure, inst: Inst) -> Option<Trips> {
        structure.next_iteration(function, inst)?;
        let mut simulation = Simulation::new(function, structure, inst);
        let start = simulation.start();
        let mut carried = start.clone();
        for trip in 0..=MAX_TRIPS {
            if carried.iter().all(Option::is_none) {
                // They are known no longer.
                return if trip == 0 { None } else { Self::explored(function, structure, inst, start) };
            }
            match simulation.iteration(structure, &carried) {
                Step::Leave => {
                    let may_be_fewer = simulation.may_be_fewer;
                    return Some(Trips { most: trip, may_be_fewer, ending: None });
                }
                Step::Next(next) => carried = next,
                _ => return None,
            }
        }
        if simulation.may_be_fewer { Self::explored(function, structure, inst, start) } else { None }
    }

    /// The same, following unknown conditions both ways, for loops that only a check ends which depends on
    /// none.
    fn explored(function: &'a Function, structure: &Structure, inst: Inst, start: State) -> Option<Trips> {
        let mut ending = Ending::of(function, structure, inst)?;
        let mut simulation = Simulation::new(function, structure, inst);
        let mut fewest = None;
        let mut states = FxHashSet::from_iter([start]);
        for trip in 0..=MAX_TRIPS {
            let mut following = FxHashSet::default();
            for state in &states {
                simulation.choices = Some(Choices::default());
                loop {
                    match simulation.iteration(structure, state) {
                        Step::Leave => drop(fewest.get_or_insert(trip)),
                        Step::Next(next) => drop(following.insert(next)),
                        _ => return None,
                    }
                    if following.len() > MAX_STATES {
                        return None;
                    }
                    if !simulation.choices.as_mut().is_some_and(Choices::advance) {
                        break;
                    }
                }
            }
            if following.is_empty() {
                ending.fewest = fewest.unwrap_or(trip);
                return Some(Trips { most: trip, may_be_fewer: false, ending: Some(ending) });
            }
            states = following;
        }
        None
    }

    fn new(function: &'a Function, structure: &Structure, inst: Inst) -> Self {
        Simulation {
            function,
            inst,
            known: FxHashMap::default(),
            continuing: constructs_around(structure, inst, structure.continues(inst)),
            may_have_continued: false,
            leaving: constructs_around(structure, inst, structure.exits(inst)),
            escaping: escaping_constructs(function, structure, inst),
            may_be_fewer: false,
            steps: 0,
            choices: None,
        }
    }

    fn start(&self) -> State {
        self.function.insts[self.inst].operands.iter().map(|&value| self.constant(value)).collect()
    }

    /// Executes an iteration, which leaves the loop, or gives the values of the next.
    fn iteration(&mut self, structure: &Structure, carried: &[Option<Constant>]) -> Step {
        let [body, continuing] = self.function.insts[self.inst].regions[..] else { return Step::Unknown };
        self.known.clear();
        self.enter(body, carried);
        self.may_have_continued = false;
        match self.region(body) {
            Step::Leave if !self.may_have_continued => return Step::Leave,
            Step::Continue => {}
            Step::Leave | Step::Unknown if self.choices.is_none() => {}
            _ => return Step::Unknown,
        }
        let passed = self.passed(structure, continuing);
        self.enter(continuing, &passed);
        match self.region(continuing) {
            step @ (Step::Leave | Step::Next(_)) => step,
            _ => Step::Unknown,
        }
    }

    fn constant(&self, value: Value) -> Option<Constant> {
        self.known.get(&value).or_else(|| self.function.as_constant(value)).cloned()
    }

    fn enter(&mut self, region: Region, values: &[Option<Constant>]) {
        for (&param, value) in self.function.regions[region].params.iter().zip(values) {
            self.set(param, value.clone());
        }
    }

    fn set(&mut self, value: Value, constant: Option<Constant>) {
        match constant {
            Some(constant) => drop(self.known.insert(value, constant)),
            None => drop(self.known.remove(&value)),
        }
    }

    /// What the continues pass, where they all agree.
    fn passed(&self, structure: &Structure, continuing: Region) -> Vec<Option<Constant>> {
        let continues = structure.continues(self.inst);
        (0..self.function.regions[continuing].params.len())
            .map(|index| {
                let mut values = continues.iter().map(|&inst| self.function.insts[inst].operands[index]);
                let first = values.next()?;
                if values.all(|value| value == first) { self.constant(first) } else { None }
            })
            .collect()
    }

    fn region(&mut self, region: Region) -> Step {
        let mut at = (region, 0);
        let mut outer: Vec<(Region, usize)> = Vec::new();
        loop {
            let inst = self.function.regions[at.0].insts[at.1];
            self.steps += 1;
            if self.steps > MAX_STEPS {
                return Step::Unknown;
            }
            let data = &self.function.insts[inst];
            if data.op == Op::If
                && let Some(condition) = self.truth(data.operands[0]).or_else(|| self.choice(inst))
            {
                outer.push(at);
                at = (data.regions[usize::from(!condition)], 0);
                continue;
            }
            if self.escaping.contains(&inst) || self.choices.is_some() && self.redirects(inst) {
                return Step::Unknown;
            }
            if data.op.is_terminator() {
                match self.end(inst) {
                    Step::Results(target, values) => {
                        // Only an `if` that was entered can be left: find it.
                        let Some(back) = outer.pop() else { return Step::Unknown };
                        let owner = self.function.regions[back.0].insts[back.1];
                        if owner != target {
                            return Step::Unknown;
                        }
                        let results = self.function.insts[owner].results.clone();
                        for (result, value) in results.into_iter().zip(values) {
                            self.set(result, value);
                        }
                        at = (back.0, back.1 + 1);
                        continue;
                    }
                    step => return step,
                }
            }
            self.execute(inst);
            at.1 += 1;
        }
    }

    fn truth(&self, condition: Value) -> Option<bool> {
        Some(self.constant(condition)?.lane(0)? != 0)
    }

    /// What the unknown condition of an `if` or a selection is taken to be, if both are to be followed.
    fn choice(&mut self, inst: Inst) -> Option<bool> {
        let data = &self.function.insts[inst];
        if data.results.is_empty() || self.redirects(inst) {
            return None;
        }
        let choice = self.choices.as_mut()?.choose()?;
        self.set(data.operands[0], Some(Constant::Bits(u64::from(choice))));
        Some(choice)
    }

    /// Whether a construct may leave the loop, or go on to its next iteration.
    fn redirects(&self, inst: Inst) -> bool {
        self.leaving.contains(&inst) || self.continuing.contains(&inst)
    }

    fn execute(&mut self, inst: Inst) {
        self.may_have_continued |= self.continuing.contains(&inst);
        self.may_be_fewer |= self.leaving.contains(&inst);
        let data = &self.function.insts[inst];
        if data.op == Op::Select && self.is_open(data) {
            self.choice(inst);
        }
        let mut value = None;
        if data.op.is_pure() && data.results.len() == 1 {
            let ty = self.function.ty(data.results[0]);
            let operands: Option<Vec<_>> = data
                .operands
                .iter()
                .map(|&value| Some((self.constant(value)?, self.function.ty(value))))
                .collect();
            if let (Some(operands), Type::Scalar(_) | Type::Vector(..)) = (operands, ty)
                && !operands.is_empty()
            {
                let pairs: Vec<_> = operands.iter().map(|(constant, ty)| (constant, *ty)).collect();
                value = fold::fold(&data.op, &pairs, ty);
            }
        }
        let value = value.or_else(|| self.absorbing(data));
        for &result in &data.results {
            self.set(result, value.clone());
        }
    }

    /// Whether a selection has an unknown condition, but something to choose that is known.
    fn is_open(&self, data: &InstData) -> bool {
        let [condition, a, b] = data.operands[..] else { return false };
        let (a_known, b_known) = (self.constant(a), self.constant(b));
        self.function.ty(condition) == Type::BOOL && self.truth(condition).is_none() && a_known != b_known
    }

    /// The value of `false && x` and `true || x`, whatever the other operand is.
    fn absorbing(&self, data: &InstData) -> Option<Constant> {
        let bits = match data.op {
            Op::Binary(BinaryOp::And) => 0,
            Op::Binary(BinaryOp::Or) => 1,
            _ => return None,
        };
        let is_truth = self.function.ty(data.results[0]) == Type::Scalar(Scalar::Bool);
        let mut operands = data.operands.iter().filter_map(|&value| self.constant(value));
        operands.find(|constant| is_truth && constant.lane(0) == Some(bits))
    }

    fn end(&self, inst: Inst) -> Step {
        let data = &self.function.insts[inst];
        let values = || data.operands.iter().map(|&value| self.constant(value)).collect();
        match data.op {
            Op::Exit(target) if target == self.inst => Step::Leave,
            Op::Exit(target) => Step::Results(target, values()),
            Op::Continue(target) if target == self.inst => Step::Continue,
            Op::NextIteration => Step::Next(values()),
            _ => Step::Unknown,
        }
    }
}

/// The constructs in a loop that contain one of these instructions.
fn constructs_around(structure: &Structure, inst: Inst, contained: &[Inst]) -> FxHashSet<Inst> {
    let mut constructs = FxHashSet::default();
    for &from in contained {
        for owner in structure.owners(from) {
            if owner == inst || !constructs.insert(owner) {
                break;
            }
        }
    }
    constructs
}

/// The constructs in a loop that contain an exit of one around them, which is in the loop too.
fn escaping_constructs(function: &Function, structure: &Structure, inst: Inst) -> FxHashSet<Inst> {
    let mut constructs = FxHashSet::default();
    let mut regions = function.insts[inst].regions.to_vec();
    while let Some(region) = regions.pop() {
        for &from in &function.regions[region].insts {
            let data = &function.insts[from];
            regions.extend(&data.regions);
            if let Op::Exit(target) = data.op {
                let around: Vec<Inst> = structure.owners(from).take_while(|&owner| owner != inst).collect();
                if let Some(depth) = around.iter().position(|&owner| owner == target) {
                    constructs.extend(&around[..depth]);
                }
            }
        }
    }
    constructs
}
