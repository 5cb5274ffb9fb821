//! Turns exits over several constructs into exits from the innermost one, and tests after it.
//!
//! Each such exit has one number all the way. A construct that is left with a number other than 0 is followed
//! by tests: exits with nothing in their way are tested one by one, and all others leave the next construct
//! together. So the added code is proportional to the number of constructs and exits, however deeply they are
//! nested. What the exits bring becomes results of the construct ([`Slots`]).

use super::slots::{Place, Slots};
use super::{Jump, Structuring};
use clvk_ir::{CompareOp, Inst, Op, Region, Type, Value};
use rustc_hash::FxHashMap;

/// The most instructions before a construct that move with it, so that the time is linear.
const MOST_MOVED: usize = 16;

/// Numbers of exits, and the values that each brings.
pub(super) type Exits = Vec<(usize, Vec<Value>)>;

/// An exit that has to leave a construct on its way.
pub(super) struct Departure {
    /// The terminator.
    inst: Inst,
    /// The value that holds the exit's number.
    code: Value,
    /// The exits that it may be.
    pub(super) exits: Exits,
}

/// Routes all exits of the function. `breaks_leave_switches` says whether an exit from a loop may leave a
/// `switch` or `block` on its way; continues may.
pub(super) fn route_exits(pass: &mut Structuring<'_>, breaks_leave_switches: bool) {
    let all = pass.all();
    let mut router = Router {
        pass,
        breaks_leave_switches,
        numbers: FxHashMap::default(),
        jumps: Vec::new(),
        exits: FxHashMap::default(),
    };
    let mut departures: FxHashMap<Inst, Vec<Departure>> = FxHashMap::default();
    for &inst in &all {
        let Some(jump) = Jump::of(&router.pass.function.insts[inst].op) else { continue };
        match router.obstacle(inst, jump) {
            Some(obstacle) => {
                let departure = router.departure(inst, jump);
                departures.entry(obstacle).or_default().push(departure);
            }
            None => router.note(inst, jump),
        }
    }
    router.pass.carries |= !departures.is_empty();
    // Inner constructs first: exits from them may leave outer ones, too.
    for construct in all.into_iter().rev() {
        if let Some(leaving) = departures.remove(&construct) {
            for (obstacle, departure) in router.leave(construct, leaving) {
                departures.entry(obstacle).or_default().push(departure);
            }
        }
    }
}

struct Router<'p, 'f> {
    pass: &'p mut Structuring<'f>,
    /// Whether an exit from a loop may leave a `switch` or `block` on its way.
    breaks_leave_switches: bool,
    /// Numbers of exits, starting from 1.
    numbers: FxHashMap<Jump, usize>,
    /// The jumps, by number less 1.
    jumps: Vec<Jump>,
    /// The terminators that leave each construct.
    exits: FxHashMap<Inst, Vec<Inst>>,
}

impl Router<'_, '_> {
    /// The innermost construct that a jump may not leave on its way.
    fn obstacle(&self, inst: Inst, jump: Jump) -> Option<Inst> {
        let target = jump.target();
        let may_leave = self.breaks_leave_switches || matches!(jump, Jump::Continue(_));
        let through_switches = may_leave && self.pass.is(target, |op| op.is_loop());
        let mut current = inst;
        loop {
            current = self.pass.tree.parent(current)?;
            if current == target {
                return None;
            }
            match self.pass.function.insts[current].op {
                Op::Loop(_) => return Some(current),
                Op::Switch(_) | Op::Block if !through_switches => return Some(current),
                _ => {}
            }
        }
    }

    fn departure(&mut self, inst: Inst, jump: Jump) -> Departure {
        let next = self.jumps.len() + 1;
        let number = *self.numbers.entry(jump).or_insert(next);
        if number == next {
            self.jumps.push(jump);
        }
        let code = self.pass.function.int(Type::I32, number as i64);
        let payload = self.pass.function.insts[inst].operands.to_vec();
        Departure { inst, code, exits: vec![(number, payload)] }
    }

    /// Records a terminator that leaves its target directly.
    fn note(&mut self, inst: Inst, jump: Jump) {
        if let Jump::Exit(target) = jump {
            self.exits.entry(target).or_default().push(inst);
        }
    }

    /// Turns departures into exits from a construct that continue after it. Returns those that then have to
    /// leave another construct.
    fn leave(&mut self, construct: Inst, departures: Vec<Departure>) -> Vec<(Inst, Departure)> {
        let before: Vec<Type> = self.result_types(construct);
        let code = self.pass.function.add_result(construct, Type::I32);
        let direct = self.exits.remove(&construct).unwrap_or_default();
        let slots = Slots::new(self.pass, construct, before.len(), &direct, &departures);
        let added = self.result_types(construct).split_off(before.len());
        let mut absent: Vec<Value> = added.iter().map(|&ty| self.pass.function.undef(ty)).collect();
        absent[0] = self.pass.function.int(Type::I32, 0);
        for exit in direct {
            self.pass.function.insts[exit].operands.extend_from_slice(&absent);
        }
        let undefined: Vec<Value> = before.iter().map(|&ty| self.pass.function.undef(ty)).collect();
        for departure in departures {
            let mut operands = undefined.clone();
            operands.extend_from_slice(&absent);
            operands[before.len()] = departure.code;
            for (number, payload) in departure.exits {
                for (place, value) in slots.places(number).iter().zip(payload) {
                    if let Place::Result(position) = *place {
                        operands[position] = value;
                    }
                }
            }
            let data = &mut self.pass.function.insts[departure.inst];
            data.op = Op::Exit(construct);
            data.operands = operands.into_iter().collect();
        }
        self.go_on(construct, code, &slots)
    }

    fn result_types(&self, inst: Inst) -> Vec<Type> {
        let function = &self.pass.function;
        function.insts[inst].results.iter().map(|&result| function.ty(result)).collect()
    }

    /// The tests after a construct.
    fn go_on(&mut self, construct: Inst, code: Value, slots: &Slots) -> Vec<(Inst, Departure)> {
        let exits = slots.exits(&self.pass.function.insts[construct].results);
        let blocks = self.blocks_begun(construct, &exits);
        self.move_before(construct, &blocks);
        let (inner, exits): (Exits, Exits) =
            exits.into_iter().partition(|&(number, _)| blocks.contains(&self.jumps[number - 1].target()));
        for (number, payload) in inner {
            let jump = self.jumps[number - 1];
            let place = (self.pass.function.insts[jump.target()].regions[0], &mut 0);
            let leave = self.test(place, code, CompareOp::Eq, number, jump.op(), &payload);
            self.note(leave, jump);
        }
        let mut groups: Vec<(Option<Inst>, Exits)> = Vec::new();
        for exit in exits {
            let obstacle = self.obstacle(construct, self.jumps[exit.0 - 1]);
            match groups.iter_mut().find(|group| group.0 == obstacle) {
                Some(group) => group.1.push(exit),
                None => groups.push((obstacle, vec![exit])),
            }
        }
        // The largest group that continues comes last and needs no tests.
        groups.sort_by_key(|(obstacle, exits)| (obstacle.is_some(), exits.len()));
        let together = groups.pop_if(|(obstacle, exits)| obstacle.is_some() && exits.len() > 1);
        let region = self.pass.tree.region(construct).expect("the construct is in the function");
        let mut position = self.pass.position(region, construct) + 1;
        let mut further = Vec::new();
        for (obstacle, (number, payload)) in groups
            .into_iter()
            .flat_map(|(obstacle, exits)| exits.into_iter().map(move |exit| (obstacle, exit)))
        {
            let jump = self.jumps[number - 1];
            let leave = self.test((region, &mut position), code, CompareOp::Eq, number, jump.op(), &payload);
            match obstacle {
                Some(obstacle) => further.push((obstacle, self.departure(leave, jump))),
                None => self.note(leave, jump),
            }
        }
        if let Some((Some(obstacle), exits)) = together {
            let leave = self.test((region, &mut position), code, CompareOp::Ne, 0, Op::Exit(obstacle), &[]);
            further.push((obstacle, Departure { inst: leave, code, exits }));
        }
        further
    }

    /// The blocks that begin with a construct and that an exit from it leaves on its way, inner ones first.
    ///
    /// The construct moves before them, so that these exits need no test after the rest of each block. What
    /// they bring is then not kept until there, which takes registers.
    fn blocks_begun(&self, construct: Inst, exits: &Exits) -> Vec<Inst> {
        let mut blocks = Vec::new();
        let mut first = construct;
        let mut jumps: Vec<Jump> = exits.iter().map(|exit| self.jumps[exit.0 - 1]).collect();
        let obstacles = |inst, jumps: &[Jump]| -> Vec<Inst> {
            jumps.iter().filter_map(|&jump| self.obstacle(inst, jump)).collect()
        };
        while let Some(block) = self.pass.tree.parent(first)
            && self.pass.is(block, |op| *op == Op::Block)
            && obstacles(first, &jumps).contains(&block)
            && self.begins(block, first)
        {
            jumps.retain(|jump| jump.target() != block);
            blocks.push(block);
            first = block;
        }
        // Exits that go on together are told by a number that is not 0, which those to the blocks also have.
        let mut left = obstacles(first, &jumps);
        left.sort_unstable();
        if left.windows(2).any(|pair| pair[0] == pair[1]) {
            blocks.clear();
        }
        blocks
    }

    /// Whether only a few instructions precede an instruction in a block, and none of them is a construct.
    fn begins(&self, block: Inst, inst: Inst) -> bool {
        let function = &self.pass.function;
        let insts = &function.regions[function.insts[block].regions[0]].insts;
        let position = insts.iter().take(MOST_MOVED + 1).position(|&other| other == inst);
        position.is_some_and(|at| insts[..at].iter().all(|&it| function.insts[it].regions.is_empty()))
    }

    /// Moves a construct, and what precedes it, out of the blocks that begin with it.
    fn move_before(&mut self, construct: Inst, blocks: &[Inst]) {
        let pass = &mut *self.pass;
        for &block in blocks {
            let inner = pass.function.insts[block].regions[0];
            let outer = pass.tree.region(block).expect("the block is in the function");
            let rest = pass.position(inner, construct) + 1;
            let moved: Vec<Inst> = pass.function.regions[inner].insts.drain(..rest).collect();
            let at = pass.position(outer, block);
            moved.iter().for_each(|&inst| pass.tree.place(inst, outer));
            pass.function.regions[outer].insts.splice(at..at, moved);
        }
    }

    /// Inserts `if (code compared with number) leave`; returns the terminator.
    fn test(
        &mut self,
        (region, position): (Region, &mut usize),
        code: Value,
        compare: CompareOp,
        number: usize,
        leave: Op,
        payload: &[Value],
    ) -> Inst {
        let pass = &mut *self.pass;
        let construct = pass.function.defining_inst(code).expect("a construct tells the number");
        let span = pass.function.insts[construct].span;
        let number = pass.function.int(Type::I32, number as i64);
        let compare = pass.make(Op::Compare(compare), &[code, number], &[Type::BOOL], &[], span);
        let condition = pass.function.insts[compare].results[0];
        let (then, otherwise) = (pass.function.add_region(), pass.function.add_region());
        let test = pass.make(Op::If, &[condition], &[], &[then, otherwise], span);
        let leave = pass.make(leave, payload, &[], &[], span);
        let stay = pass.make(Op::Exit(test), &[], &[], &[], span);
        pass.set_insts(then, vec![leave]);
        pass.set_insts(otherwise, vec![stay]);
        pass.function.regions[region].insts.splice(*position..*position, [compare, test]);
        *position += 2;
        pass.tree.place(compare, region);
        pass.tree.place(test, region);
        leave
    }
}
