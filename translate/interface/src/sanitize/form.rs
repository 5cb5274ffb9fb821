//! Numbers of a kernel as sums of products, each of something that differs between work-items or iterations
//! and of a number that the host knows at a launch.

use super::place::{Fact, Id, Number, Operation, Relation, Size};
use super::{ArgumentMemory, KernelHabits, Shape};
use std::collections::BTreeMap;

/// Global ids, local ids, and work-groups, of three dimensions each, and then counters of loops and what else
/// has a range.
pub(super) const VARIABLES: usize = 24;
pub(super) const GLOBAL: usize = 0;
pub(super) const LOCAL: usize = 3;
pub(super) const GROUP: usize = 6;
pub(super) const COUNTERS: usize = 9;

/// What each variable is multiplied by.
pub(super) type Factors = [i64; VARIABLES];

/// A sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Form {
    pub factors: Factors,
    pub plus: i64,
}

impl Form {
    pub fn constant(plus: i64) -> Form {
        Form { factors: [0; VARIABLES], plus }
    }

    pub fn variable(variable: usize) -> Form {
        let mut form = Form::constant(0);
        form.factors[variable] = 1;
        form
    }

    /// The number, if it is always the same.
    pub fn known(&self) -> Option<i64> {
        (self.factors == [0; VARIABLES]).then_some(self.plus)
    }

    pub fn plus(&self, other: &Form) -> Option<Form> {
        let mut sum = *self;
        for (factor, other) in sum.factors.iter_mut().zip(other.factors) {
            *factor = factor.checked_add(other)?;
        }
        sum.plus = sum.plus.checked_add(other.plus)?;
        Some(sum)
    }

    pub fn times(&self, by: i64) -> Option<Form> {
        let mut product = *self;
        for factor in &mut product.factors {
            *factor = factor.checked_mul(by)?;
        }
        product.plus = product.plus.checked_mul(by)?;
        Some(product)
    }
}

/// That a sum of products is at most a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Limit {
    pub factors: Factors,
    pub most: i64,
}

/// What numbers are where a site is reached.
pub(super) struct Forms<'h> {
    pub habits: &'h KernelHabits,
    arguments: &'h [ArgumentMemory],
    shape: &'h Shape,
    /// What is known of numbers.
    known: BTreeMap<u32, Known>,
    /// The counters that were met.
    pub counters: Vec<u32>,
    /// How many values each variable has: from 0 on.
    pub counts: [i64; VARIABLES],
    pub limits: Vec<Limit>,
    /// The local ids of a work-item, if it is looked at alone. Then counters have values.
    item: Option<[u32; 3]>,
    /// Only ranges matter, so what is not a sum of products may be a variable of its own.
    pub bounds: Option<Bounds>,
    /// The values of counters, and how many each has.
    turns: Vec<(i64, i64)>,
}

/// What ranges are found out for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bounds {
    /// A launch.
    Launch,
    /// All launches whose work-groups have the size of the shape, whose other sizes mean nothing.
    Always,
}

#[derive(Clone, Copy)]
enum Known {
    Never,
    Is(Form),
}

impl<'h> Forms<'h> {
    pub fn new(
        habits: &'h KernelHabits,
        arguments: &'h [ArgumentMemory],
        shape: &'h Shape,
        item: Option<[u32; 3]>,
    ) -> Forms<'h> {
        let (known, counts, counters) = (BTreeMap::new(), all_counts(shape), Vec::new());
        let (limits, turns) = (Vec::new(), Vec::new());
        Forms { habits, arguments, shape, known, counters, counts, limits, item, turns, bounds: None }
    }

    /// Goes on to other values of the counters, if there are any.
    pub fn turn(&mut self) -> bool {
        self.turns.truncate(self.counters.len());
        while let Some((value, count)) = self.turns.pop() {
            if value + 1 < count {
                self.turns.push((value + 1, count));
                self.known.clear();
                self.counts = all_counts(self.shape);
                self.limits.clear();
                self.counters.clear();
                return true;
            }
        }
        false
    }

    /// Learns what holds; whether it ever does.
    pub fn learn(&mut self, facts: &[u32]) -> bool {
        let mut holds = true;
        for &fact in facts {
            if let Some(&fact) = self.habits.facts.get(fact as usize) {
                holds &= self.learn_one(&fact).unwrap_or(true);
            }
        }
        holds
    }

    fn learn_one(&mut self, fact: &Fact) -> Option<bool> {
        if fact.relation == Relation::Differs && self.bounds.is_none() {
            return None;
        }
        let (left, right) = (self.form(fact.left)?, self.form(fact.right)?);
        if fact.relation == Relation::Differs {
            return self.differ(&left, &right);
        }
        // Without signs, what is less than a number that is not negative is not negative.
        if !fact.signed && fact.relation != Relation::Equal && self.bounds(&right)?.0 < 0 {
            return None;
        }
        let strict = i64::from(fact.relation == Relation::Less);
        let mut holds = self.limit(&left, &right, strict)?;
        if !fact.signed && fact.relation != Relation::Equal && self.bounds.is_some() {
            holds &= self.limit(&Form::constant(0), &left, 0).unwrap_or(true);
        }
        if fact.relation == Relation::Equal {
            holds &= self.limit(&right, &left, 0)?;
        }
        Some(holds)
    }

    /// Remembers that one form is at most another one less a number; whether it ever is.
    pub fn limit(&mut self, left: &Form, right: &Form, less: i64) -> Option<bool> {
        let difference = left.plus(&right.times(-1)?)?;
        let most = difference.plus.checked_neg()?.checked_sub(less)?;
        let limit = Limit { factors: difference.factors, most };
        let (least, _) = self.range(&Form { plus: 0, ..difference })?;
        if least > most {
            return Some(false);
        }
        if limit.factors.iter().all(|&factor| factor >= 0) {
            for (count, &factor) in self.counts.iter_mut().zip(&limit.factors) {
                if factor > 0 {
                    *count = (*count).min(most / factor + 1);
                }
            }
        }
        if !self.limits.contains(&limit) {
            self.limits.push(limit);
        }
        Some(true)
    }

    /// The least and the greatest that a sum can be.
    pub fn range(&self, form: &Form) -> Option<(i64, i64)> {
        let (mut least, mut most) = (form.plus, form.plus);
        for (&factor, &count) in form.factors.iter().zip(&self.counts) {
            let end = factor.checked_mul(count - 1)?;
            let side = if factor < 0 { &mut least } else { &mut most };
            *side = side.checked_add(end)?;
        }
        Some((least, most))
    }

    /// What a number is. None if that is not known, or if it does not fit its type.
    pub fn form(&mut self, number: u32) -> Option<Form> {
        match self.known.get(&number) {
            Some(Known::Is(form)) => return Some(*form),
            Some(Known::Never) => return None,
            None => {}
        }
        self.known.insert(number, Known::Never);
        let &(what, width) = self.habits.numbers.get(number as usize)?;
        let form = self.compute(what)?;
        let fits = width.range();
        let is_too_wide = |(least, most): (i64, i64)| least < fits.0 || most > fits.1;
        if is_too_wide(self.range(&form)?) && is_too_wide(self.bounds(&form)?) {
            return None;
        }
        self.known.insert(number, Known::Is(form));
        Some(form)
    }

    fn compute(&mut self, number: Number) -> Option<Form> {
        match number {
            Number::Constant(number) => Some(Form::constant(number)),
            Number::Argument(position) => {
                let value = self.arguments.get(position as usize)?.value?;
                Some(Form::constant(value))
            }
            Number::Id(id, axis) => self.id(id, usize::from(axis)),
            Number::Size(size, axis) => Some(Form::constant(self.size(size, usize::from(axis))?.into())),
            Number::Counter(counter) => self.counter(counter),
            Number::Shrinking(first, _) => self.shrinking(first),
            Number::Any(_) => self.any(),
            Number::Unsigned(of) => {
                let form = self.form(of)?;
                match self.bounds(&form)?.0 >= 0 {
                    true => Some(form),
                    false => self.unsigned(),
                }
            }
            Number::Computed(operation, left, right) => {
                if self.bounds.is_some() {
                    return self.bounded(operation, left, right);
                }
                let (left, right) = (self.form(left)?, self.form(right)?);
                computed(operation, &left, &right)
            }
        }
    }

    fn id(&mut self, id: Id, axis: usize) -> Option<Form> {
        let offset = self.shape.offset.get(axis).copied()?;
        if self.bounds == Some(Bounds::Always) && id != Id::Local {
            return self.fresh((0, 1 << 33));
        }
        let Some(item) = self.item else {
            return Some(match id {
                Id::Global => Form { plus: offset.into(), ..Form::variable(GLOBAL + axis) },
                Id::Local => Form::variable(LOCAL + axis),
                Id::Group => Form::variable(GROUP + axis),
            });
        };
        let (local, size) = (i64::from(item[axis]), i64::from(self.shape.local[axis].max(1)));
        match id {
            Id::Local => Some(Form::constant(local)),
            Id::Group => Some(Form::variable(GROUP + axis)),
            Id::Global => {
                let groups = Form::variable(GROUP + axis).times(size)?;
                groups.plus(&Form::constant(local + i64::from(offset)))
            }
        }
    }

    fn size(&self, size: Size, axis: usize) -> Option<u32> {
        let Shape { global, local, offset, .. } = self.shape;
        if self.bounds == Some(Bounds::Always) {
            return None;
        }
        let (global, local, offset) = (*global.get(axis)?, *local.get(axis)?, *offset.get(axis)?);
        match size {
            Size::Global => Some(global),
            Size::EnqueuedLocal => Some(local),
            // The last work-group may be smaller.
            Size::Local => (local > 0 && global % local == 0).then_some(local),
            Size::Groups => (local > 0).then(|| global.div_ceil(local)),
            Size::Offset => Some(offset),
        }
    }

    fn counter(&mut self, counter: u32) -> Option<Form> {
        let habits = self.habits;
        let counted = habits.counters.get(counter as usize)?;
        let (first, step) = (self.form(counted.first)?, self.form(counted.step)?.known()?);
        if step < 0 && self.bounds.is_some() {
            return self.falling(counter, &first, step);
        }
        if step <= 0 {
            return None;
        }
        let mut times = None;
        for fact in habits.limits(counter, |fact| fact.left) {
            let Some(end) = self.form(fact.right) else { continue };
            let (least, most) = self.range(&end)?;
            if !fact.signed && (least < 0 || self.range(&first)?.0 < 0) {
                continue;
            }
            let strict = i64::from(fact.relation == Relation::Less);
            let room = most.checked_sub(strict)?.checked_sub(self.range(&first)?.0)?;
            // One more than iterations after which another one follows.
            let all = if room < 0 { 1 } else { room / step + 2 };
            times = Some(times.map_or(all, |known: i64| known.min(all)));
        }
        let variable = COUNTERS + self.counters.len();
        let count = times.filter(|_| variable < VARIABLES)?;
        self.counters.push(counter);
        if self.item.is_none() {
            self.counts[variable] = count;
            return first.plus(&Form::variable(variable).times(step)?);
        }
        if self.turns.len() < self.counters.len() {
            self.turns.push((0, count));
        }
        let (value, _) = self.turns[self.counters.len() - 1];
        first.plus(&Form::constant(step.checked_mul(value)?))
    }
}

/// How many values ids have in a launch, and counters without a loop.
fn all_counts(shape: &Shape) -> [i64; VARIABLES] {
    let mut counts = [1; VARIABLES];
    for axis in 0..3 {
        let (global, local) = (shape.global[axis].max(1), shape.local[axis].max(1));
        counts[GLOBAL + axis] = global.into();
        counts[LOCAL + axis] = local.min(global).into();
        counts[GROUP + axis] = global.div_ceil(local).into();
    }
    counts
}

pub(super) fn computed(operation: Operation, left: &Form, right: &Form) -> Option<Form> {
    match operation {
        Operation::Add => return left.plus(right),
        Operation::Sub => return left.plus(&right.times(-1)?),
        Operation::Mul => {
            return match (left.known(), right.known()) {
                (_, Some(factor)) => left.times(factor),
                (Some(factor), None) => right.times(factor),
                _ => None,
            };
        }
        Operation::ShiftLeft => {
            let count = right.known().filter(|count| (0..31).contains(count))?;
            return left.times(1 << count);
        }
        _ => {}
    }
    let (left, right) = (left.known()?, right.known()?);
    if left < 0 || right < 0 {
        return None;
    }
    let number = match operation {
        Operation::ShiftRight => left.checked_shr(u32::try_from(right).ok().filter(|&count| count < 32)?)?,
        Operation::Divide => left.checked_div(right)?,
        Operation::Remainder => left.checked_rem(right)?,
        Operation::And => left & right,
        Operation::Or => left | right,
        Operation::Xor => left ^ right,
        Operation::Min => left.min(right),
        Operation::Max => left.max(right),
        _ => return None,
    };
    Some(Form::constant(number))
}
