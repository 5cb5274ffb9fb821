//! Calls that stay calls.
//!
//! Inlining splits memory into values and shows where pointers lead. But where large functions call large
//! functions several times, a kernel grows to megabytes. In such kernels ([`choose()`]) some functions stay
//! functions, down to those of SPIR-V. They compute and access memory, but neither wait for others nor have
//! other effects. Their parameters and results are numbers.
//!
//! - [`choose()`]: which functions are worth it, by their sizes and the number of their calls;
//! - [`extents`]: what a function does to the private memory that its parameters point to. A function that
//!   does more than compute cannot stay;
//! - [`rooms`]: how much private memory there is where parameters point, for accesses at places that are
//!   known only at run time;
//! - [`sites`]: whether a call can do with copies of that memory; where it cannot, it is inlined after all;
//! - [`by_value`]: the function takes the contents of that memory and returns what it changed, so callers can
//!   still keep it as values. Launch queries become parameters, too;
//! - [`locals`]: the variables in local memory that functions name instead of taking pointers to them;
//! - [`scalars`]: the numbers that a value is passed as, in types that every device has.
//!
//! [`super::inline`] asks these while it inlines everything else. Later passes see functions without pointers
//! among their parameters, and treat them as they treat kernels.

mod by_value;
mod choose;
mod extents;
mod locals;
mod rooms;
mod scalars;
mod sites;

pub use choose::{Kept, choose};

use super::lower_launch::variables;
use super::{promote, simplify, split_aggregates};
use by_value::Passing;
use clvk_interface::DeviceProfile;
use clvk_ir::{Arena, Func, Function, Global, GlobalData, Inst, Module, Op};
use extents::Extents;
use rooms::Rooms;
use rustc_hash::{FxHashMap, FxHashSet};
use scalars::Scalars;

/// Rounds of cleaning a function: the values of one round show the constant places of the next.
const ROUNDS: usize = 2;

/// What is known about the functions that stay.
pub struct Keeping {
    /// Those that were chosen, less those that cannot stay.
    pub kept: Kept,
    extents: FxHashMap<Func, Extents>,
    /// Constants that stay in the shader, so that functions can read them.
    tables: FxHashSet<Global>,
    rooms: Rooms,
    scalars: Scalars,
    /// Whether functions take a zero that the driver does not know ([`super::zero`]).
    zero: bool,
}

impl Keeping {
    /// Nothing is inlined yet; `order` has callees first.
    pub fn new(kept: Kept, module: &Module, order: &[Func], profile: &DeviceProfile) -> Self {
        let placed = variables::place(module);
        let tables = module.globals.ids().filter(|&global| placed.offset(global).is_none()).collect();
        Keeping {
            kept,
            extents: FxHashMap::default(),
            tables,
            rooms: Rooms::find(module, order),
            scalars: Scalars::of(profile),
            zero: super::zero::is_wanted(profile),
        }
    }

    /// The calls that cannot stay, in a function whose other calls are inlined. Those in a function that does
    /// not stay itself are judged where it is inlined.
    pub fn inexact_calls(&self, module: &Module, func: Func, function: &Function) -> FxHashSet<Inst> {
        let mut found = FxHashSet::default();
        if function.kernel.is_none() && !self.kept.contains(func) {
            return found;
        }
        function.walk(|inst, data| {
            if let Op::Call(callee) = data.op
                && let Some(extents) = self.extents.get(&callee)
                && !sites::is_exact(module, function, inst, extents, |global| self.tables.contains(&global))
            {
                found.insert(inst);
            }
        });
        found
    }

    /// Finds what a function that shall stay does to its parameters' memory. It does not stay if that cannot
    /// be found.
    pub fn settle(&mut self, func: Func, function: &Function) {
        let globals = |global| self.tables.contains(&global);
        let room = |position| self.rooms.of(func, position);
        match extents::find(function, &self.extents, globals, room, self.scalars, self.kept.at_any_cost()) {
            Some(extents) => drop(self.extents.insert(func, extents)),
            None => self.kept.remove(func),
        }
    }

    /// Makes the functions that stay, and their calls, pass numbers only. `order` has callees first.
    pub fn pass_by_value(&self, module: &mut Module, order: &[Func]) {
        let mut passings: FxHashMap<Func, Passing> = FxHashMap::default();
        let stays = |func: Func| self.kept.contains(func) || module.functions[func].kernel.is_some();
        let left: Vec<Func> = order.iter().copied().filter(|&func| stays(func)).collect();
        let places = locals::share(module, &left);
        for func in left {
            let Module { functions, globals, .. } = &mut *module;
            let function = &mut functions[func];
            match self.extents.get(&func).filter(|_| self.kept.contains(func)) {
                Some(extents) => {
                    let zero = self.zero.then(|| by_value::zero_param(function));
                    by_value::convert_calls(function, &passings, self.scalars, zero);
                    let place = |position: usize| places.get(&(func, position)).copied();
                    let mut passing = by_value::convert(function, extents, place, self.scalars, zero);
                    for _ in 0..ROUNDS {
                        clean(function, globals);
                    }
                    passing.drop_needless(function);
                    passings.insert(func, passing);
                }
                None if function.kernel.is_some() => {
                    let zero = self.zero.then(|| function.int(clvk_ir::Type::I32, 0));
                    by_value::convert_calls(function, &passings, self.scalars, zero);
                }
                None => {}
            }
        }
    }
}

/// Splits and promotes a function's variables, and simplifies it.
pub fn clean(function: &mut Function, globals: &Arena<Global, GlobalData>) {
    split_aggregates::split(function);
    promote::promote_and_prune(function);
    simplify::simplify(function, globals);
}
