//! Whether all that different work-items of a launch reach through an argument is apart, which the host finds
//! out from the sites ([`Site`]).
//!
//! A place is a sum of products of variables, such as ids. Taken by the products' sizes, each variable must
//! move what those before it can reach, all together, past itself. Where places do not have that form, those
//! of one work-group are listed, and only the work-groups are variables.

use super::form::{Factors, Form, Forms, GLOBAL, GROUP, LOCAL, Limit, VARIABLES};
use super::place::Site;
use super::{ArgumentMemory, KernelHabits, Shape};

/// The most places of a work-group that are listed, and numbers that are computed for them.
const MOST_LISTED: usize = 8192;
const MOST_COMPUTED: usize = 400_000;
/// The most places that are compared with each other.
const MOST_COMPARED: usize = 1024;

/// What a site reaches, for certain variables.
#[derive(Clone, PartialEq)]
struct Reach {
    factors: Factors,
    start: i64,
    end: i64,
    counts: [i64; VARIABLES],
    limits: Vec<Limit>,
}

/// Whether the sites of an argument are apart.
pub(super) fn are_apart(
    habits: &KernelHabits,
    arguments: &[ArgumentMemory],
    shape: &Shape,
    sites: &[Site],
) -> bool {
    let mut reached = Vec::new();
    for site in sites {
        match reach(&mut Forms::new(habits, arguments, shape, None), site) {
            Reached::Unknown => return listed(habits, arguments, shape, sites).unwrap_or(false),
            Reached::Nothing => {}
            Reached::Bytes(reach) => reached.push(*reach),
        }
    }
    variables_apart(reached, shape).unwrap_or(false)
}

enum Reached {
    Unknown,
    Nothing,
    Bytes(Box<Reach>),
}

/// What a site reaches.
fn reach(forms: &mut Forms<'_>, site: &Site) -> Reached {
    if !forms.learn(&site.facts) {
        return Reached::Nothing;
    }
    let Some(Form { factors, plus }) = forms.form(site.place) else { return Reached::Unknown };
    let Some(end) = plus.checked_add(site.bytes.into()) else { return Reached::Unknown };
    let (counts, limits) = (forms.counts, std::mem::take(&mut forms.limits));
    Reached::Bytes(Box::new(Reach { factors, start: plus, end, counts, limits }))
}

/// Whether sites are apart whose places depend on ids and counters.
fn variables_apart(mut sites: Vec<Reach>, shape: &Shape) -> Option<bool> {
    for axis in 0..3 {
        split(&mut sites, shape, axis)?;
    }
    settle(sites)
}

/// Takes a dimension apart into work-groups and local ids, if they matter.
fn split(sites: &mut [Reach], shape: &Shape, axis: usize) -> Option<()> {
    let splits = |factors: &Factors| factors[LOCAL + axis] != 0 || factors[GROUP + axis] != 0;
    let any = |site: &Reach| splits(&site.factors) || site.limits.iter().any(|it| splits(&it.factors));
    if !sites.iter().any(any) {
        for site in sites {
            (site.counts[LOCAL + axis], site.counts[GROUP + axis]) = (1, 1);
        }
        return Some(());
    }
    let size = i64::from(shape.local[axis].max(1));
    let last = i64::from(shape.global[axis].max(1)) - 1;
    for site in sites {
        let all = std::iter::once(&mut site.factors);
        for factors in all.chain(site.limits.iter_mut().map(|limit| &mut limit.factors)) {
            let global = std::mem::take(&mut factors[GLOBAL + axis]);
            factors[LOCAL + axis] = factors[LOCAL + axis].checked_add(global)?;
            factors[GROUP + axis] = factors[GROUP + axis].checked_add(global.checked_mul(size)?)?;
        }
        let mut inside = Limit { factors: [0; VARIABLES], most: last };
        (inside.factors[LOCAL + axis], inside.factors[GROUP + axis]) = (1, size);
        site.limits.push(inside);
        let most = std::mem::replace(&mut site.counts[GLOBAL + axis], 1);
        for variable in [LOCAL + axis, GROUP + axis] {
            site.counts[variable] = site.counts[variable].min(most);
        }
    }
    Some(())
}

/// Decides about sites each of whose variables is one of work-items, or of a loop.
fn settle(mut sites: Vec<Reach>) -> Option<bool> {
    if sites.is_empty() {
        return Some(true);
    }
    // The least first.
    let mut variables: Vec<(i64, usize, i64)> = Vec::new();
    for variable in 0..VARIABLES {
        let count = sites.iter().map(|site| site.counts[variable]).max()?;
        let moving = |site: &&Reach| site.counts[variable] > 1;
        let is_of_items = variable < GROUP + 3;
        let uses = |site: &Reach| site.factors[variable] != 0;
        if count <= 1 || !is_of_items && !sites.iter().any(uses) {
            continue;
        }
        let factor = sites.iter().find(moving)?.factors[variable];
        if sites.iter().filter(moving).any(|site| site.factors[variable] != factor) {
            return Some(false);
        }
        match factor {
            0 if is_of_items => return Some(false),
            0 => continue,
            _ => {}
        }
        if factor < 0 {
            turn(&mut sites, variable, count)?;
        }
        for site in &mut sites {
            site.factors[variable] = factor.checked_abs()?;
        }
        variables.push((factor.checked_abs()?, variable, count));
    }
    variables.sort_unstable();
    let mut before: Vec<usize> = Vec::new();
    for &(factor, variable, count) in &variables {
        let moves_items = variable < GROUP + 3 || before.iter().any(|&it| it < GROUP + 3);
        if moves_items && !passes(&sites, &before, factor, count)? {
            return Some(false);
        }
        before.push(variable);
    }
    Some(true)
}

/// Counts a variable with a negative factor from its other end.
fn turn(sites: &mut [Reach], variable: usize, count: i64) -> Option<()> {
    for site in sites {
        // One that does not move stays at its end.
        if site.counts[variable] <= 1 {
            return None;
        }
        let by = site.factors[variable].checked_mul(count - 1)?;
        site.start = site.start.checked_add(by)?;
        site.end = site.end.checked_add(by)?;
        site.counts[variable] = count;
        site.limits.retain(|limit| limit.factors[variable] == 0);
    }
    Some(())
}

/// How far the last byte that a site reaches can be from the first one, by some variables.
fn extent(site: &Reach, by: &[usize]) -> Option<i64> {
    let free = |variable: usize| site.factors[variable].checked_mul(site.counts[variable] - 1);
    let sum = |counts: &dyn Fn(usize) -> bool| {
        let mut variables = by.iter().copied().filter(|&variable| counts(variable));
        variables.try_fold(0i64, |sum, variable| sum.checked_add(free(variable)?))
    };
    let mut least = sum(&|_| true)?;
    for limit in &site.limits {
        // What it limits: the same products, all of them a number times as large.
        let among = |variable: usize| limit.factors[variable] != 0;
        let fails = |variable: usize| {
            let moves_outside = !by.contains(&variable) && site.counts[variable] > 1;
            among(variable) && (limit.factors[variable] < 0 || moves_outside)
        };
        let first = by.iter().copied().find(|&variable| among(variable));
        let Some(first) = first.filter(|_| !(0..VARIABLES).any(fails)) else { continue };
        let times = site.factors[first] / limit.factors[first];
        let differs = |variable: usize| {
            let product = limit.factors[variable].checked_mul(times);
            among(variable) && product != Some(site.factors[variable])
        };
        if by.iter().any(|&variable| differs(variable)) {
            continue;
        }
        let rest = sum(&|variable| !among(variable))?;
        if let Some(bound) = limit.most.checked_mul(times).and_then(|bound| bound.checked_add(rest)) {
            least = least.min(bound);
        }
    }
    Some(least.max(0))
}

/// Whether a variable moves all sites past what they reach by the variables before it.
fn passes(sites: &[Reach], before: &[usize], factor: i64, count: i64) -> Option<bool> {
    let mut spans: Vec<(i64, i64)> = Vec::new();
    for site in sites {
        let span = (site.start, site.end.checked_add(extent(site, before)?)?);
        if !spans.contains(&span) {
            spans.push(span);
        }
    }
    spans_pass(&spans, factor, count)
}

fn spans_pass(spans: &[(i64, i64)], factor: i64, count: i64) -> Option<bool> {
    if spans.len() > MOST_COMPARED {
        return None;
    }
    for one in spans {
        for other in spans {
            // The fewest steps by which the one begins behind the other's start, or reaches into it.
            let behind = other.0.checked_sub(one.1)?;
            let steps = behind.div_euclid(factor).checked_add(1)?.max(1);
            let meets = one.0.checked_add(factor.checked_mul(steps)?)? < other.1;
            if steps < count && meets {
                return Some(false);
            }
        }
    }
    Some(true)
}

/// Decides by a list of all that the work-items of a group reach.
fn listed(
    habits: &KernelHabits,
    arguments: &[ArgumentMemory],
    shape: &Shape,
    sites: &[Site],
) -> Option<bool> {
    let local = shape.local.map(|size| size.max(1));
    let items = local.into_iter().try_fold(1u32, u32::checked_mul)?;
    let mut list = List::default();
    for item in 0..items {
        let ids = [item % local[0], item / local[0] % local[1], item / local[0] / local[1]];
        for site in sites {
            list.add(habits, arguments, shape, (item, ids), site)?;
        }
    }
    list.apart(shape)
}

#[derive(Default)]
struct List {
    /// From where to where, and who.
    spans: Vec<(i64, i64, u32)>,
    /// What work-groups add.
    factors: Option<Factors>,
    computed: usize,
}

impl List {
    /// Adds what a work-item reaches at a site, whatever its counters are.
    fn add(
        &mut self,
        habits: &KernelHabits,
        arguments: &[ArgumentMemory],
        shape: &Shape,
        (item, ids): (u32, [u32; 3]),
        site: &Site,
    ) -> Option<()> {
        let mut forms = Forms::new(habits, arguments, shape, Some(ids));
        loop {
            self.computed += habits.numbers.len().min(64);
            if self.computed > MOST_COMPUTED || self.spans.len() > MOST_LISTED {
                return None;
            }
            match reach(&mut forms, site) {
                Reached::Unknown => return None,
                Reached::Nothing => {}
                Reached::Bytes(reach) => {
                    let Reach { factors, start, end, .. } = *reach;
                    if *self.factors.get_or_insert(factors) != factors {
                        return None;
                    }
                    self.spans.push((start, end, item));
                }
            }
            if !forms.turn() {
                return Some(());
            }
        }
    }

    fn apart(mut self, shape: &Shape) -> Option<bool> {
        self.spans.sort_unstable();
        self.spans.dedup();
        let mut all: Vec<(i64, i64)> = Vec::new();
        let mut last: Option<(i64, u32)> = None;
        for &(start, end, item) in &self.spans {
            if let Some((reached, who)) = last
                && start < reached
                && who != item
            {
                return Some(false);
            }
            last = Some(last.filter(|&(reached, _)| reached >= end).unwrap_or((end, item)));
            match all.last_mut() {
                Some(span) if start <= span.1 => span.1 = span.1.max(end),
                _ => all.push((start, end)),
            }
        }
        let Some(factors) = self.factors else { return Some(true) };
        let mut groups: Vec<(i64, i64)> = Vec::new();
        for axis in 0..3 {
            let count = shape.global[axis].max(1).div_ceil(shape.local[axis].max(1));
            if count > 1 {
                groups.push((factors[GROUP + axis], count.into()));
            }
        }
        groups.sort_unstable();
        for (factor, count) in groups {
            if factor <= 0 || !spans_pass(&all, factor, count)? {
                return Some(false);
            }
            let further = factor.checked_mul(count - 1)?;
            let mut wide: Vec<(i64, i64)> = Vec::new();
            for (start, end) in all {
                let end = end.checked_add(further)?;
                match wide.last_mut() {
                    Some(span) if start <= span.1 => span.1 = span.1.max(end),
                    _ => wide.push((start, end)),
                }
            }
            all = wide;
        }
        Some(true)
    }
}
