//! Ranges of numbers of a kernel. What is not a sum of products has a range, too, and is then a variable of
//! its own: so two of them are taken to differ though they may not, which makes ranges wider, never narrower.

use super::form::{Bounds, COUNTERS, Form, Forms, VARIABLES, computed};
use super::place::{Number, Operation, Relation, Site};
use super::{ArgumentMemory, KernelHabits, Shape};
use std::collections::BTreeSet;

/// The most limits that are put together to bound a sum, and that if there are many.
const MOST_LIMITS: u32 = 3;
const FEW_LIMITS: u32 = 2;
/// More than this are many.
const MANY: usize = 12;

impl<'h> Forms<'h> {
    /// For ranges alone.
    pub fn bounding(
        habits: &'h KernelHabits,
        arguments: &'h [ArgumentMemory],
        shape: &'h Shape,
        bounds: Bounds,
    ) -> Forms<'h> {
        let mut forms = Forms::new(habits, arguments, shape, None);
        forms.bounds = Some(bounds);
        forms
    }

    /// The least and the greatest that a sum can be where all limits hold.
    pub fn bounds(&self, form: &Form) -> Option<(i64, i64)> {
        if self.bounds.is_none() {
            return self.range(form);
        }
        let together = if self.limits.len() > MANY { FEW_LIMITS } else { MOST_LIMITS };
        let least = self.most(&form.times(-1)?, together)?.checked_neg()?;
        // Where limits contradict each other, nothing is ever reached.
        Some((least, self.most(form, together)?.max(least)))
    }

    /// The greatest that a sum can be: what limits take off it, any number of times, plus the rest.
    fn most(&self, form: &Form, limits: u32) -> Option<i64> {
        let mut most = self.range(form)?.1;
        let Some(limits) = limits.checked_sub(1) else { return Some(most) };
        for limit in &self.limits {
            let mut tried = 0;
            for (&factor, &limited) in form.factors.iter().zip(&limit.factors) {
                if limited == 0 || factor.signum() != limited.signum() || factor / limited == tried {
                    continue;
                }
                tried = factor / limited;
                let of = Form { factors: limit.factors, plus: 0 };
                let rest = of.times(-tried).and_then(|off| form.plus(&off));
                let rest = rest.and_then(|rest| self.most(&rest, limits));
                let taken = limit.most.checked_mul(tried);
                if let Some(sum) = rest.zip(taken).and_then(|(rest, taken)| rest.checked_add(taken)) {
                    most = most.min(sum);
                }
            }
        }
        Some(most)
    }

    /// A number whose range alone is known.
    pub fn fresh(&mut self, (least, most): (i64, i64)) -> Option<Form> {
        if least == most {
            return Some(Form::constant(least));
        }
        let variable = COUNTERS + self.counters.len();
        let count = most.checked_sub(least)?.checked_add(1).filter(|_| variable < VARIABLES)?;
        self.counters.push(u32::MAX);
        self.counts[variable] = count;
        Some(Form { plus: least, ..Form::variable(variable) })
    }

    /// Any number of 32 bits.
    pub fn any(&mut self) -> Option<Form> {
        self.bounds?;
        self.fresh((i32::MIN.into(), i32::MAX.into()))
    }

    /// Any number of 32 bits that was extended without a sign.
    pub fn unsigned(&mut self) -> Option<Form> {
        self.bounds?;
        self.fresh((0, u32::MAX.into()))
    }

    /// Finds out what loops count, for places and facts, before anything is learned: what holds in the
    /// iteration of a site need not hold in those before, which decide how often a loop is repeated.
    pub fn count(&mut self, site: &Site) {
        let habits = self.habits;
        let mut pending = vec![site.place];
        for fact in site.facts.iter().filter_map(|&fact| habits.facts.get(fact as usize)) {
            pending.extend([fact.left, fact.right]);
        }
        let mut seen = BTreeSet::new();
        while let Some(number) = pending.pop() {
            if !seen.insert(number) {
                continue;
            }
            match habits.numbers.get(number as usize) {
                Some(&(Number::Computed(_, left, right), _)) => pending.extend([left, right]),
                Some(&(Number::Unsigned(of) | Number::Shrinking(of, _), _)) => pending.push(of),
                Some((Number::Counter(_), _)) => drop(self.form(number)),
                _ => {}
            }
        }
    }

    /// Remembers that two numbers are not the same, where one of them is never the greater one.
    pub fn differ(&mut self, left: &Form, right: &Form) -> Option<bool> {
        let (least, most) = self.bounds(&left.plus(&right.times(-1)?)?)?;
        match (least, most) {
            (0, _) => self.limit(right, left, 1),
            (_, 0) => self.limit(left, right, 1),
            _ => None,
        }
    }

    /// What gets less in each iteration, and not negative, from a number on.
    pub fn shrinking(&mut self, first: u32) -> Option<Form> {
        self.bounds?;
        let first = self.form(first)?;
        let (least, most) = self.bounds(&first)?;
        if least < 0 { None } else { self.fresh((0, most)) }
    }

    /// What a loop counts down.
    pub fn falling(&mut self, counter: u32, first: &Form, step: i64) -> Option<Form> {
        let habits = self.habits;
        let (lowest, highest) = self.bounds(first)?;
        let mut end = None;
        for fact in habits.limits(counter, |fact| fact.right) {
            let Some(least) = self.form(fact.left) else { continue };
            let strict = i64::from(fact.relation == Relation::Less);
            let least = self.bounds(&least)?.0.checked_add(strict)?;
            // The number after the last one that an iteration follows.
            let last = least.checked_add(step)?;
            if !fact.signed && (last < 0 || lowest < 0) {
                continue;
            }
            end = Some(end.map_or(last, |known: i64| known.max(last)));
        }
        self.fresh((end?.min(lowest), highest))
    }

    /// What an operation makes of two numbers.
    pub fn bounded(&mut self, operation: Operation, left: u32, right: u32) -> Option<Form> {
        let forms = [left, right].map(|number| self.form(number));
        if operation == Operation::And {
            // Of a number that is not negative, no more is left, whatever the other one is.
            let mut ends = Vec::new();
            for form in forms.iter().flatten() {
                ends.extend(self.bounds(form).filter(|&(least, _)| least >= 0));
            }
            if forms.iter().all(|form| form.is_some_and(|form| form.known().is_some())) {
                return computed(operation, &forms[0]?, &forms[1]?);
            }
            let most = ends.into_iter().map(|(_, most)| most).min()?;
            return self.fresh((0, most));
        }
        let [left, right] = [forms[0]?, forms[1]?];
        if let Some(form) = computed(operation, &left, &right) {
            return Some(form);
        }
        let range = of_operation(operation, self.bounds(&left)?, self.bounds(&right)?)?;
        self.fresh(range)
    }
}

/// The range of an operation whose operands have ranges.
fn of_operation(operation: Operation, left: (i64, i64), right: (i64, i64)) -> Option<(i64, i64)> {
    if operation == Operation::Mul {
        let ends = [(left.0, right.0), (left.0, right.1), (left.1, right.0), (left.1, right.1)];
        let mut products = Vec::new();
        for (left, right) in ends {
            products.push(left.checked_mul(right)?);
        }
        return Some((*products.iter().min()?, *products.iter().max()?));
    }
    match operation {
        Operation::Min => return Some((left.0.min(right.0), left.1.min(right.1))),
        Operation::Max => return Some((left.0.max(right.0), left.1.max(right.1))),
        Operation::Either => return Some((left.0.min(right.0), left.1.max(right.1))),
        _ if left.0 < 0 || right.0 < 0 => return None,
        _ => {}
    }
    let all_bits = |most: i64| ((most as u64 + 1).next_power_of_two() - 1) as i64;
    match operation {
        Operation::Divide if right.0 > 0 => Some((left.0 / right.1, left.1 / right.0)),
        Operation::Remainder if right.0 > 0 => Some((0, left.1.min(right.1 - 1))),
        Operation::ShiftRight if right.1 < 32 => Some((left.0 >> right.1, left.1 >> right.0)),
        Operation::ShiftLeft if right.1 < 31 => {
            Some((left.0.checked_mul(1 << right.0)?, left.1.checked_mul(1 << right.1)?))
        }
        Operation::Or | Operation::Xor => Some((0, all_bits(left.1.max(right.1)))),
        _ => None,
    }
}
