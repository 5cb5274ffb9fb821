//! Random kernels that compute places, and that can be executed work-item by work-item.

use clvk_interface::sanitize::{
    ArgumentMemory, Counter, Fact, Habit, Id, KernelHabits, Number, Operation, Relation, Shape, Site, Size,
    Way, Width,
};
use std::collections::HashMap;

/// What numbers may be that are not known.
const UNKNOWN: [i64; 6] = [0, 1, 3, 12, -1, i32::MIN as i64];

/// A kernel with one buffer, and integers as arguments behind it.
#[derive(Default)]
pub struct Kernel {
    pub habits: KernelHabits,
    pub values: Vec<i64>,
    /// It has numbers about which nothing is known.
    asks: bool,
}

impl Kernel {
    fn number(&mut self, number: Number, width: Width) -> u32 {
        self.habits.numbers.push((number, width));
        self.habits.numbers.len() as u32 - 1
    }

    fn int(&mut self, number: Number) -> u32 {
        self.number(number, Width::Int)
    }

    fn constant(&mut self, number: i64) -> u32 {
        self.int(Number::Constant(number))
    }

    fn argument(&mut self, value: i64) -> u32 {
        self.values.push(value);
        self.int(Number::Argument(self.values.len() as u32))
    }

    fn fact(&mut self, relation: Relation, signed: bool, left: u32, right: u32) -> u32 {
        self.habits.facts.push(Fact { relation, signed, left, right });
        self.habits.facts.len() as u32 - 1
    }

    /// What a loop counts from a number, up while it is less than another one, or down while it is more, and
    /// what holds in it.
    fn counter(&mut self, first: u32, step: u32, end: u32, (up, signed): (bool, bool)) -> (u32, u32) {
        let number = self.int(Number::Counter(self.habits.counters.len() as u32));
        let [left, right] = if up { [number, end] } else { [end, number] };
        let fact = self.fact(Relation::Less, signed, left, right);
        self.habits.counters.push(Counter { first, step, facts: vec![fact] });
        (number, fact)
    }

    /// Whether a number may differ between the iterations of any loop.
    fn varies(&self, number: u32) -> bool {
        match self.habits.numbers[number as usize].0 {
            Number::Any(of) => of != 0,
            Number::Unsigned(of) | Number::Shrinking(of, _) => self.varies(of),
            Number::Computed(_, left, right) => self.varies(left) || self.varies(right),
            _ => false,
        }
    }

    fn sites(&mut self, sites: Vec<Site>) {
        self.habits.arguments = vec![Habit { way: Way::Sites(sites), reads: true }];
    }

    /// The arguments, with a buffer of this memory.
    pub fn arguments(&self, buffer: ArgumentMemory) -> Vec<ArgumentMemory> {
        let value = |&value: &i64| ArgumentMemory { value: Some(value), ..ArgumentMemory::default() };
        std::iter::once(buffer).chain(self.values.iter().map(value)).collect()
    }

    /// Calls something with what each work-item reaches: its number, the first byte, and the bytes.
    pub fn run(&self, shape: &Shape, mut reaches: impl FnMut(u32, i64, u32)) {
        let Way::Sites(sites) = &self.habits.arguments[0].way else { return };
        let [width, height, depth] = shape.global;
        for item in 0..width * height * depth {
            let place = [item % width, item / width % height, item / width / height];
            for site in sites {
                let mut run = Run { kernel: self, shape, place, counters: HashMap::new(), unknown: 0 };
                let mut reached = Vec::new();
                for unknown in 0..UNKNOWN.len() {
                    run.unknown = unknown;
                    run.reach(site, 0, &mut reached);
                    if !self.asks {
                        break;
                    }
                }
                reached.into_iter().for_each(|start| reaches(item, start, site.bytes));
            }
        }
    }
}

/// A work-item.
struct Run<'k> {
    kernel: &'k Kernel,
    shape: &'k Shape,
    place: [u32; 3],
    counters: HashMap<u32, i64>,
    /// The position of what a number is that is not known.
    unknown: usize,
}

impl Run<'_> {
    /// Where it comes to a site, with all values of the counters from one on.
    fn reach(&mut self, site: &Site, counter: u32, out: &mut Vec<i64>) {
        let Some(counted) = self.kernel.habits.counters.get(counter as usize) else {
            let holds = site.facts.iter().all(|&fact| self.holds(fact));
            out.extend(self.number(site.place).filter(|_| holds));
            return;
        };
        let (Some(mut value), Some(step)) = (self.number(counted.first), self.number(counted.step)) else {
            return;
        };
        for _ in 0..100 {
            self.counters.insert(counter, value);
            self.reach(site, counter + 1, out);
            if !counted.facts.iter().all(|&fact| self.holds(fact)) {
                break;
            }
            value = i64::from((value + step) as i32);
        }
        self.counters.remove(&counter);
    }

    fn holds(&self, fact: u32) -> bool {
        let Fact { relation, signed, left, right } = self.kernel.habits.facts[fact as usize];
        let (Some(left), Some(right)) = (self.number(left), self.number(right)) else { return false };
        let order = if signed { left.cmp(&right) } else { (left as u64).cmp(&(right as u64)) };
        match relation {
            Relation::Less => order.is_lt(),
            Relation::AtMost => order.is_le(),
            Relation::Equal => order.is_eq(),
            Relation::Differs => order.is_ne(),
        }
    }

    /// With the sign of its width. None if it has no value.
    fn number(&self, number: u32) -> Option<i64> {
        let (number, width) = self.kernel.habits.numbers[number as usize];
        let value = match number {
            Number::Constant(number) => number,
            Number::Argument(position) => self.kernel.values[position as usize - 1],
            Number::Id(id, axis) => self.id(id, usize::from(axis)).into(),
            Number::Size(size, axis) => self.size(size, usize::from(axis)).into(),
            Number::Counter(counter) => *self.counters.get(&counter)?,
            // One is the same in all iterations.
            Number::Any(0) => UNKNOWN[self.unknown],
            Number::Any(_) => {
                let counted = self.counters.values().fold(0, |sum: i64, &value| sum.wrapping_add(value));
                UNKNOWN[(self.unknown + counted.rem_euclid(97) as usize) % UNKNOWN.len()]
            }
            // In one of the iterations.
            Number::Shrinking(first, by) => self.number(first)?.checked_shr(by)?,
            Number::Unsigned(of) => i64::from(self.number(of)? as u32),
            Number::Computed(operation, left, right) => {
                let (left, right) = (self.number(left)?, self.number(right)?);
                match operation {
                    Operation::Add => left.wrapping_add(right),
                    Operation::Sub => left.wrapping_sub(right),
                    Operation::Mul => left.wrapping_mul(right),
                    Operation::ShiftLeft => left.wrapping_shl(right as u32),
                    Operation::ShiftRight => left.wrapping_shr(right as u32),
                    Operation::Divide => left.checked_div(right)?,
                    Operation::Remainder => left.checked_rem(right)?,
                    Operation::And => left & right,
                    Operation::Or => left | right,
                    Operation::Xor => left ^ right,
                    Operation::Min => left.min(right),
                    Operation::Max => left.max(right),
                    Operation::Either if self.unknown.is_multiple_of(2) => left,
                    Operation::Either => right,
                }
            }
        };
        Some(if width == Width::Int { i64::from(value as i32) } else { value })
    }

    fn id(&self, id: Id, axis: usize) -> u32 {
        let Shape { offset, local, .. } = self.shape;
        match id {
            Id::Global => self.place[axis] + offset[axis],
            Id::Local => self.place[axis] % local[axis],
            Id::Group => self.place[axis] / local[axis],
        }
    }

    fn size(&self, size: Size, axis: usize) -> u32 {
        let Shape { global, offset, local, .. } = self.shape;
        let before = self.place[axis] / local[axis] * local[axis];
        match size {
            Size::Global => global[axis],
            Size::EnqueuedLocal => local[axis],
            Size::Groups => global[axis].div_ceil(local[axis]),
            Size::Offset => offset[axis],
            Size::Local => local[axis].min(global[axis] - before),
        }
    }
}

/// The same numbers on every machine.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end as u64) as usize
    }

    pub fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    /// A kernel. If it `asks`, with numbers that are not known or get less, and loops that count down.
    pub fn kernel(&mut self, asks: bool) -> Kernel {
        use Operation::*;
        let mut kernel = Kernel { asks, ..Kernel::default() };
        for _ in 0..2 {
            kernel.argument(self.one(&[1, 2, 4, 7, 16, 32, -3, i64::from(i32::MAX)]));
        }
        for id in [Id::Global, Id::Local, Id::Group] {
            for axis in 0..2 {
                kernel.int(Number::Id(id, axis));
            }
        }
        let size = self.one(&[Size::Global, Size::Local, Size::EnqueuedLocal, Size::Groups]);
        kernel.int(Number::Size(size, 0));
        for _ in 0..4 {
            kernel.constant(self.one(&[0, 1, 2, 3, 4, 8, 16, -1]));
        }
        if asks {
            kernel.int(Number::Any(0));
            kernel.int(Number::Any(1));
            let first = self.below(kernel.habits.numbers.len()) as u32;
            if kernel.habits.numbers[first as usize].1 == Width::Int && !kernel.varies(first) {
                kernel.int(Number::Shrinking(first, self.below(3) as u32));
            }
        }
        let mut facts = Vec::new();
        for step in 0..10 {
            let count = kernel.habits.numbers.len();
            let [left, right] = [(); 2].map(|()| self.below(count) as u32);
            let operation = self
                .one(&[Add, Add, Add, Mul, Mul, Mul, Sub, ShiftLeft, ShiftRight, And, Remainder, Divide, Or]);
            let operation = match self.below(4) {
                0 if asks => self.one(&[Min, Max, Either]),
                _ => operation,
            };
            let computed = Number::Computed(operation, left, right);
            match self.below(8) {
                0 if step < 5 && kernel.habits.counters.len() < 2 => {
                    let (up, signed) =
                        if asks { (self.below(2) == 0, self.below(2) == 0) } else { (true, false) };
                    let by = if up { 1 + (step & 1) } else { -1 - (step & 1) };
                    let by = kernel.constant(by);
                    // It begins with a number that is the same in all iterations.
                    let left = if kernel.varies(left) { by } else { left };
                    facts.push(kernel.counter(left, by, right, (up, signed)).1);
                }
                1 if kernel.habits.numbers[left as usize].1 == Width::Int => {
                    kernel.number(Number::Unsigned(left), Width::Long);
                }
                2 => {
                    kernel.number(computed, Width::Long);
                }
                _ => {
                    kernel.int(computed);
                }
            }
        }
        let count = kernel.habits.numbers.len();
        for _ in 0..self.below(4) {
            let relation = self.one(&[Relation::Less, Relation::AtMost, Relation::Equal, Relation::Differs]);
            let [left, right] = [(); 2].map(|()| self.below(count) as u32);
            facts.push(kernel.fact(relation, self.below(2) == 0, left, right));
        }
        let sites = (0..1 + self.below(2)).map(|_| Site {
            place: (count - 1 - self.below(6)) as u32,
            bytes: self.one(&[1, 2, 4]),
            facts: facts.clone(),
        });
        let sites = sites.collect();
        kernel.sites(sites);
        kernel
    }

    /// The shape of a launch.
    pub fn shape(&mut self) -> Shape {
        Shape {
            global: [1 + self.below(9) as u32, 1 + self.below(4) as u32, 1],
            offset: [self.below(2) as u32 * 3, 0, 0],
            local: [1 + self.below(4) as u32, 1 + self.below(2) as u32, 1],
            sub_group: 0,
        }
    }
}
