//! Which functions are worth keeping.
//!
//! A kernel that is small once everything is inlined has everything inlined: nothing is gained there, and the
//! device's own compiler need not decide about calls. In a large one, a function stays if it is large itself
//! and would be copied several times, or if it only computes a number from others and its copies are large
//! together.

use crate::Calls;
use crate::passes::inline::calls;
use clvk_ir::{Func, Module};
use rustc_hash::{FxHashMap, FxHashSet};

/// A kernel with more instructions than this is large.
const LARGE_KERNEL: u64 = 1 << 14;

/// So is a function with as many.
const LARGE_FUNCTION: u64 = 1 << 8;

/// A function of numbers needs as many only, if all of its copies have as many as a large kernel.
const WORTHWHILE_FUNCTION: u64 = 1 << 4;

/// A kernel that would be larger than this with everything inlined is left to `inline`, which refuses it:
/// many drivers inline everything themselves, and would not finish.
const LARGEST_KERNEL: u64 = 1 << 24;

/// The choice.
#[derive(Default)]
pub struct Kept {
    functions: FxHashSet<Func>,
    /// The kernels in which everything is inlined.
    small: FxHashSet<Func>,
    /// Whether all that can stay shall.
    at_any_cost: bool,
}

impl Kept {
    /// Whether nothing stays.
    pub fn is_empty(&self) -> bool {
        self.functions.is_empty()
    }

    /// Whether a function stays.
    pub fn contains(&self, func: Func) -> bool {
        self.functions.contains(&func)
    }

    /// Whether calls of a function stay in another one.
    pub fn stays(&self, caller: Func, callee: Func) -> bool {
        self.contains(callee) && !self.small.contains(&caller)
    }

    /// Whether functions shall stay though nothing is gained.
    pub fn at_any_cost(&self) -> bool {
        self.at_any_cost
    }

    /// Makes a function one that is inlined.
    pub fn remove(&mut self, func: Func) {
        self.functions.remove(&func);
    }
}

/// A function as the choice sees it.
struct Candidate {
    /// Its instructions without those of the functions that it calls.
    own: u64,
    /// How often it calls each function.
    callees: Vec<(Func, u64)>,
}

/// Chooses among the functions of a module; `order` has callees first.
pub fn choose(module: &Module, order: &[Func], wish: Calls) -> Kept {
    let (large_kernel, large_function, least_calls) = match wish {
        Calls::Inlined => return Kept::default(),
        Calls::Chosen => (LARGE_KERNEL, LARGE_FUNCTION, 2),
        Calls::Kept => (0, 0, 1),
    };
    let candidates: FxHashMap<Func, Candidate> =
        order.iter().map(|&func| (func, candidate(module, func))).collect();
    let whole = sizes(&candidates, order, |_, _| false);
    let is_kernel = |func: Func| module.functions[func].kernel.is_some();
    let (large, small): (FxHashSet<Func>, FxHashSet<Func>) =
        module.kernels().filter(|func| whole.contains_key(func)).partition(|func| whole[func] > large_kernel);
    if large.is_empty() || large.iter().any(|kernel| whole[kernel] > LARGEST_KERNEL) {
        return Kept::default();
    }
    let copies = copies(&candidates, order, &large);
    let mut kept = FxHashSet::default();
    sizes(&candidates, order, |func, size| {
        let function = &module.functions[func];
        let copies = copies.get(&func).copied().unwrap_or(0);
        let worthwhile = size >= WORTHWHILE_FUNCTION
            && size.saturating_mul(copies) >= LARGE_KERNEL
            && function.params.iter().all(|&param| !function.ty(param).is_pointer());
        let stays = !is_kernel(func)
            && function.body.is_some()
            && (size >= large_function || worthwhile)
            && copies >= least_calls;
        if stays {
            kept.insert(func);
        }
        stays
    });
    Kept { functions: kept, small, at_any_cost: wish == Calls::Kept }
}

fn candidate(module: &Module, func: Func) -> Candidate {
    let function = &module.functions[func];
    let mut own = 0;
    function.walk(|_, _| own += 1);
    let mut counts: FxHashMap<Func, u64> = FxHashMap::default();
    for (callee, _) in calls(function) {
        *counts.entry(callee).or_default() += 1;
    }
    Candidate { own, callees: counts.into_iter().collect() }
}

/// The instructions of each function with those of its callees, unless `stays` says of a callee, given its
/// own number, that its calls stay.
fn sizes(
    candidates: &FxHashMap<Func, Candidate>,
    order: &[Func],
    mut stays: impl FnMut(Func, u64) -> bool,
) -> FxHashMap<Func, u64> {
    let mut sizes: FxHashMap<Func, u64> = FxHashMap::default();
    let mut inlined: FxHashMap<Func, u64> = FxHashMap::default();
    for &func in order {
        let candidate = &candidates[&func];
        let added = candidate.callees.iter().map(|(callee, count)| count.saturating_mul(inlined[callee]));
        let size = added.fold(candidate.own, u64::saturating_add);
        sizes.insert(func, size);
        inlined.insert(func, if stays(func, size) { 0 } else { size });
    }
    sizes
}

/// How often each function is copied into the large kernels when everything is inlined.
fn copies(
    candidates: &FxHashMap<Func, Candidate>,
    order: &[Func],
    large: &FxHashSet<Func>,
) -> FxHashMap<Func, u64> {
    let mut copies: FxHashMap<Func, u64> = large.iter().map(|&kernel| (kernel, 1)).collect();
    for &func in order.iter().rev() {
        let Some(&times) = copies.get(&func) else { continue };
        for &(callee, count) in &candidates[&func].callees {
            let known = copies.entry(callee).or_default();
            *known = known.saturating_add(times.saturating_mul(count));
        }
    }
    copies
}
