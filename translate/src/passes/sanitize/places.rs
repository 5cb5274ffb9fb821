//! What the places of a kernel's accesses are computed from ([`Number`]), and what holds where they are made
//! ([`Fact`]): conditions of constructs around them, and of ends before them.

use crate::passes::structure::{Structure, with_stack};
use clvk_interface::sanitize::{Counter, Fact, Id, Number, Operation, Relation, Size, Width};
use clvk_ir::{
    BinaryOp, CompareOp, ConvertOp, EntityId, Function, Inst, Op, Region, Type, UnaryOp, Value, ValueDef,
    WorkItemQuery,
};
use rustc_hash::FxHashMap;

/// The most operations that lead from one number to another.
const LONGEST: u32 = 48;
/// The most numbers and facts of a kernel.
const MOST: usize = 1024;

/// The numbers and facts of a kernel.
pub struct Places<'f> {
    kernel: &'f Function,
    structure: &'f Structure,
    numbers: Vec<(Number, Width)>,
    /// Whether each number depends on a counter.
    counts: Vec<bool>,
    counters: Vec<Counter>,
    /// The loop of each counter.
    loops: Vec<Inst>,
    facts: Vec<Fact>,
    known: FxHashMap<Value, Option<u32>>,
    by_number: FxHashMap<(Number, Width), u32>,
    /// The facts that hold at instructions that were asked for.
    holding: FxHashMap<Inst, Vec<u32>>,
    /// The facts that hold at all jumps to a loop's continuing region.
    repeating: FxHashMap<Inst, Vec<u32>>,
    around: Vec<u32>,
}

impl<'f> Places<'f> {
    /// Walks through a kernel. Facts are remembered for the instructions that `asked` names.
    pub fn of(kernel: &'f Function, structure: &'f Structure, asked: impl Fn(Inst) -> bool) -> Places<'f> {
        let mut places = Places {
            kernel,
            structure,
            numbers: Vec::new(),
            counts: Vec::new(),
            counters: Vec::new(),
            loops: Vec::new(),
            facts: Vec::new(),
            known: FxHashMap::default(),
            by_number: FxHashMap::default(),
            holding: FxHashMap::default(),
            repeating: FxHashMap::default(),
            around: Vec::new(),
        };
        if let Some(body) = kernel.body {
            places.region(body, &asked);
        }
        places
    }

    /// Completes the counters, when all numbers are known.
    pub fn finish(mut self) -> (Vec<(Number, Width)>, Vec<Counter>, Vec<Fact>) {
        for (counter, owner) in self.counters.iter_mut().zip(&self.loops) {
            counter.facts = self.repeating.get(owner).cloned().unwrap_or_default();
        }
        (self.numbers, self.counters, self.facts)
    }

    /// The facts that hold at an instruction.
    pub fn facts_at(&self, inst: Inst) -> Vec<u32> {
        self.holding.get(&inst).cloned().unwrap_or_default()
    }

    fn region(&mut self, region: Region, asked: &impl Fn(Inst) -> bool) {
        let kernel = self.kernel;
        let outside = self.around.len();
        for &inst in &kernel.regions[region].insts {
            let data = &kernel.insts[inst];
            if asked(inst) {
                self.holding.insert(inst, self.around.clone());
            }
            match data.op {
                Op::If => {
                    let condition = data.operands[0];
                    for (&nested, holds) in data.regions.iter().zip([true, false]) {
                        let before = self.around.len();
                        self.learn(condition, holds, LONGEST);
                        with_stack(|| self.region(nested, asked));
                        self.around.truncate(before);
                    }
                    let ends = |which: usize| {
                        data.regions.get(which).is_some_and(|&nested| !self.leads_behind(inst, nested))
                    };
                    let left = [ends(0), ends(1)];
                    if left[0] != left[1] {
                        self.learn(condition, left[1], LONGEST);
                    }
                }
                Op::Continue(target) => {
                    let here = &self.around;
                    match self.repeating.get_mut(&target) {
                        Some(all) => all.retain(|fact| here.contains(fact)),
                        None => drop(self.repeating.insert(target, here.clone())),
                    }
                }
                _ => {
                    for &nested in &data.regions {
                        with_stack(|| self.region(nested, asked));
                    }
                }
            }
        }
        self.around.truncate(outside);
    }

    /// Whether a region of a construct leads to what follows the construct.
    fn leads_behind(&self, construct: Inst, region: Region) -> bool {
        self.structure.exits(construct).iter().any(|&exit| {
            let mut at = self.structure.parent(exit);
            while let Some(inside) = at {
                if inside == region {
                    return true;
                }
                at = self.structure.owner(inside).and_then(|owner| self.structure.parent(owner));
            }
            false
        })
    }

    /// Adds what follows from a condition that holds, or does not.
    fn learn(&mut self, condition: Value, holds: bool, most: u32) {
        let Some(most) = most.checked_sub(1) else { return };
        let kernel = self.kernel;
        let Some(inst) = kernel.defining_inst(condition) else { return };
        let data = &kernel.insts[inst];
        match data.op {
            Op::Compare(op) => self.compared(op, [data.operands[0], data.operands[1]], holds),
            Op::Unary(UnaryOp::Not) => self.learn(data.operands[0], !holds, most),
            Op::Binary(BinaryOp::And) if holds => {
                data.operands.iter().for_each(|&operand| self.learn(operand, true, most));
            }
            Op::Binary(BinaryOp::Or) if !holds => {
                data.operands.iter().for_each(|&operand| self.learn(operand, false, most));
            }
            // What `&&` and `||` become.
            Op::If => {
                let ValueDef::Result(_, index) = kernel.values[condition].def else { return };
                let [one, two] = *self.structure.exits(inst) else { return };
                for (short, other) in [(one, two), (two, one)] {
                    let [short_value, value] =
                        [short, other].map(|exit| kernel.insts[exit].operands[index as usize]);
                    if kernel.as_bits(short_value).is_some_and(|bits| (bits != 0) != holds) {
                        let in_first = self.structure.parent(other) == Some(data.regions[0]);
                        let in_second = self.structure.parent(other) == data.regions.get(1).copied();
                        if in_first || in_second {
                            self.learn(data.operands[0], in_first, most);
                        }
                        self.learn(value, holds, most);
                        return;
                    }
                }
            }
            _ => {}
        }
    }

    fn compared(&mut self, op: CompareOp, [left, right]: [Value; 2], holds: bool) {
        use CompareOp::{Eq, Ne, SGe, SGt, SLe, SLt, UGe, UGt, ULe, ULt};
        let signed = matches!(op, SLt | SLe | SGt | SGe);
        let (relation, turns) = match (op, holds) {
            (Eq, true) | (Ne, false) => (Relation::Equal, false),
            (SLt | ULt, true) | (SGe | UGe, false) => (Relation::Less, false),
            (SLe | ULe, true) | (SGt | UGt, false) => (Relation::AtMost, false),
            (SGt | UGt, true) | (SLe | ULe, false) => (Relation::Less, true),
            (SGe | UGe, true) | (SLt | ULt, false) => (Relation::AtMost, true),
            (Ne, true) | (Eq, false) => (Relation::Differs, false),
            _ => return,
        };
        let (left, right) = if turns { (right, left) } else { (left, right) };
        let Some((left, right)) = self.number_or_any(left).zip(self.number_or_any(right)) else { return };
        let fact = Fact { relation, signed, left, right };
        let known = self.facts.iter().position(|&known| known == fact);
        let fact = known.unwrap_or_else(|| {
            self.facts.push(fact);
            self.facts.len() - 1
        }) as u32;
        if self.facts.len() < MOST && !self.around.contains(&fact) {
            self.around.push(fact);
        }
    }

    /// The number that a value is, if it is one.
    pub fn number(&mut self, value: Value) -> Option<u32> {
        self.follow(value, LONGEST)
    }

    /// The same, or any number, about which something may hold.
    fn number_or_any(&mut self, value: Value) -> Option<u32> {
        self.number(value).or_else(|| self.any(value))
    }

    /// A number of 32 bits about which nothing is known but what holds where it is used.
    fn any(&mut self, value: Value) -> Option<u32> {
        if self.kernel.ty(value) != Type::I32 {
            return None;
        }
        let number = self.add(Number::Any(value.index() as u32), Width::Int);
        self.known.insert(value, number);
        number
    }

    fn follow(&mut self, value: Value, most: u32) -> Option<u32> {
        if let Some(&known) = self.known.get(&value) {
            return known;
        }
        let most = most.checked_sub(1)?;
        // A loop's parameter may lead to itself.
        self.known.insert(value, None);
        let found = self.find(value, most);
        self.known.insert(value, found);
        found
    }

    fn find(&mut self, value: Value, most: u32) -> Option<u32> {
        let kernel = self.kernel;
        let width = match kernel.ty(value) {
            Type::I32 => Width::Int,
            Type::I64 => Width::Long,
            _ => return None,
        };
        if let Some(bits) = kernel.as_bits(value) {
            let number = if width == Width::Int { i64::from(bits as u32 as i32) } else { bits as i64 };
            return self.add(Number::Constant(number), width);
        }
        match kernel.values[value].def {
            ValueDef::Result(inst, index) if kernel.insts[inst].op == Op::If => {
                let [one, other] = *self.structure.exits(inst) else { return None };
                let [one, other] =
                    [one, other].map(|exit| self.follow(kernel.insts[exit].operands[index as usize], most));
                self.add(Number::Computed(Operation::Either, one?, other?), width)
            }
            ValueDef::Result(inst, _) => self.computed(inst, width, most),
            ValueDef::RegionParam(region, index) => self.counter(value, region, index as usize, width, most),
            _ => {
                let position = kernel.params.iter().position(|&param| param == value)?;
                self.add(Number::Argument(position as u32), width)
            }
        }
    }

    fn computed(&mut self, inst: Inst, width: Width, most: u32) -> Option<u32> {
        let data = &self.kernel.insts[inst];
        let operation = match data.op {
            Op::WorkItem(query) => return self.query(query, data.operands.first().copied(), width),
            Op::Convert(ConvertOp::ZeroExtend) => {
                let of = self.follow(data.operands[0], most)?;
                return self.add(Number::Unsigned(of), width);
            }
            Op::Select => {
                let [one, other] = [1, 2].map(|operand| self.follow(data.operands[operand], most));
                return self.add(Number::Computed(Operation::Either, one?, other?), width);
            }
            Op::Convert(ConvertOp::SignExtend) => return self.follow(data.operands[0], most),
            Op::Convert(ConvertOp::Truncate) => {
                let (of, zero) = (self.follow(data.operands[0], most)?, self.constant(0)?);
                return self.add(Number::Computed(Operation::Add, of, zero), width);
            }
            Op::Binary(op) => match op {
                BinaryOp::Add => Operation::Add,
                BinaryOp::Sub => Operation::Sub,
                BinaryOp::Mul => Operation::Mul,
                BinaryOp::Shl => Operation::ShiftLeft,
                BinaryOp::LShr | BinaryOp::AShr => Operation::ShiftRight,
                BinaryOp::SDiv | BinaryOp::UDiv => Operation::Divide,
                BinaryOp::SRem | BinaryOp::URem => Operation::Remainder,
                BinaryOp::And => Operation::And,
                BinaryOp::Or => Operation::Or,
                BinaryOp::Xor => Operation::Xor,
                BinaryOp::SMin => Operation::Min,
                BinaryOp::SMax => Operation::Max,
                _ => return None,
            },
            _ => return None,
        };
        let mut numbers = [0, 1].map(|operand| self.follow(data.operands[operand], most));
        if operation == Operation::And && numbers.iter().flatten().count() == 1 {
            for (number, &operand) in numbers.iter_mut().zip(&data.operands) {
                *number = number.or_else(|| self.any(operand));
            }
        }
        let [left, right] = numbers;
        self.add(Number::Computed(operation, left?, right?), width)
    }

    fn query(&mut self, query: WorkItemQuery, axis: Option<Value>, width: Width) -> Option<u32> {
        let axis = match axis {
            Some(axis) => u8::try_from(self.kernel.as_bits(axis)?).ok().filter(|&axis| axis < 3)?,
            None => 0,
        };
        let number = match query {
            WorkItemQuery::GlobalId => Number::Id(Id::Global, axis),
            WorkItemQuery::LocalId => Number::Id(Id::Local, axis),
            WorkItemQuery::GroupId => Number::Id(Id::Group, axis),
            WorkItemQuery::GlobalSize => Number::Size(Size::Global, axis),
            WorkItemQuery::LocalSize => Number::Size(Size::Local, axis),
            WorkItemQuery::EnqueuedLocalSize => Number::Size(Size::EnqueuedLocal, axis),
            WorkItemQuery::NumGroups => Number::Size(Size::Groups, axis),
            WorkItemQuery::GlobalOffset => Number::Size(Size::Offset, axis),
            _ => return None,
        };
        self.add(number, width)
    }

    /// A loop's parameter that grows by a number in each iteration.
    fn counter(
        &mut self,
        value: Value,
        region: Region,
        index: usize,
        width: Width,
        most: u32,
    ) -> Option<u32> {
        let (kernel, structure) = (self.kernel, self.structure);
        let owner = structure.owner(region)?;
        let data = &kernel.insts[owner];
        if !data.op.is_loop() {
            return None;
        }
        if data.regions[0] != region {
            let passed = structure.passed(kernel, owner, value);
            return if passed == value { None } else { self.follow(passed, most) };
        }
        let next = kernel.insts[structure.next_iteration(kernel, owner)?].operands[index];
        let next = structure.passed(kernel, owner, next);
        let sum = &kernel.insts[kernel.defining_inst(next)?];
        if let Op::Binary(BinaryOp::LShr | BinaryOp::AShr | BinaryOp::UDiv | BinaryOp::SDiv) = sum.op {
            let is_own = structure.passed(kernel, owner, sum.operands[0]) == value;
            let by = kernel.as_bits(sum.operands[1]);
            by.filter(|&by| is_own && (1..32).contains(&by))?;
            let first = self.follow(data.operands[index], most)?;
            return self.add(Number::Shrinking(first, value.index() as u32), width);
        }
        if !matches!(sum.op, Op::Binary(BinaryOp::Add | BinaryOp::Sub)) {
            return None;
        }
        let before =
            sum.operands.iter().position(|&operand| structure.passed(kernel, owner, operand) == value)?;
        let (by, first) = (sum.operands[1 - before], data.operands[index]);
        let (first, by) = (self.follow(first, most)?, self.follow(by, most)?);
        let step = match sum.op {
            Op::Binary(BinaryOp::Add) => by,
            _ if before == 0 => {
                let zero = self.constant(0)?;
                self.add(Number::Computed(Operation::Sub, zero, by), width)?
            }
            _ => return None,
        };
        // It must be the same in all iterations.
        if self.counts[step as usize] {
            return None;
        }
        self.counters.push(Counter { first, step, facts: Vec::new() });
        self.loops.push(owner);
        self.add(Number::Counter(self.counters.len() as u32 - 1), width)
    }

    fn constant(&mut self, number: i64) -> Option<u32> {
        self.add(Number::Constant(number), Width::Long)
    }

    /// A sum of numbers, each times a stride, and of a number: a place.
    pub fn sum(&mut self, products: &[(Value, i64)], plus: i64) -> Option<u32> {
        let mut sum = self.constant(plus)?;
        for &(value, stride) in products {
            let (number, stride) = (self.number(value)?, self.constant(stride)?);
            let product = self.add(Number::Computed(Operation::Mul, number, stride), Width::Long)?;
            sum = self.add(Number::Computed(Operation::Add, sum, product), Width::Long)?;
        }
        Some(sum)
    }

    fn add(&mut self, number: Number, width: Width) -> Option<u32> {
        if let Some(&known) = self.by_number.get(&(number, width)) {
            return Some(known);
        }
        if self.numbers.len() >= MOST {
            return None;
        }
        let position = self.numbers.len() as u32;
        self.numbers.push((number, width));
        let counts = |of: u32| self.counts[of as usize];
        self.counts.push(match number {
            Number::Counter(_) | Number::Shrinking(..) | Number::Any(_) => true,
            Number::Unsigned(of) => counts(of),
            Number::Computed(_, left, right) => counts(left) || counts(right),
            _ => false,
        });
        self.by_number.insert((number, width), position);
        Some(position)
    }
}
