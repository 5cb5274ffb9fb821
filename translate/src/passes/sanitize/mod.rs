//! The sanitizer ([`TranslateOptions::sanitize`](crate::TranslateOptions::sanitize)): kernels check for
//! errors of the program, and report them in [`ImplicitBuffer::Reports`](clvk_interface::ImplicitBuffer).
//!
//! - [`mod@matrices`] adds checks of what cooperative matrices reach, before it is decided who computes them.
//! - [`operations`] checks arithmetic, images, loops, and what is made of unwritten variables
//!   ([`definedness`]). It runs before the library is linked, so it sees the program's own operations alone.
//! - [`memory`] checks accesses ([`mod@access`]). It runs when kernels are whole, so it sees where each
//!   pointer comes from ([`shadow`]), and before anything removes accesses or splits variables.
//!   With each access may go a check of races, of memory that is read before it is written ([`order`]), and
//!   of arguments that reach the same memory ([`restrict`]): kernels remember what happened to memory
//!   ([`cells`]), but for local memory about which barriers ([`phases`]) or a [`trial`] say enough. Two
//!   accesses of one expression that nothing orders are compared ([`apart`]). Whether accesses stay in their
//!   objects is not checked where that follows from ids, sizes and integer arguments ([`confined`]).
//!   Then it checks that all work-items of a group reach its barriers and asynchronous copies
//!   ([`divergence`]). Before that, the events of copies get numbers ([`events`]).
//! - [`report`] knows the checks. Each has a record of its own, whose place is known when kernels are whole.
//!   [`log`] remembers which checks failed, and writes their records at the end of the kernel.
//!
//! A check that fails costs its operation: loads give zero, and stores, atomic operations and barriers are
//! left out, so that a launch comes to its end. Without wishes for a kind nothing here changes a module.

mod access;
mod apart;
mod arithmetic;
mod attempts;
mod cells;
mod confined;
mod copying;
mod definedness;
mod divergence;
mod events;
mod floats;
mod formats;
mod habits;
mod hash;
mod images;
mod log;
mod loops;
mod mark;
pub mod matrices;
mod narrow;
mod order;
mod phases;
mod places;
mod report;
mod restrict;
mod shadow;
mod strings;
mod sub_groups;
mod trial;
mod watched;

use super::structure::{enclose, end_after, only_return};
use super::{Context, call_sites, cursor::Cursor};
use crate::TranslateError;
use clvk_interface::Preference;
use clvk_interface::sanitize::{Cells, Checked, Kind, Kinds};
use clvk_ir::{Func, Function, Inst, Module, Op, PRINT_FUNCTION, Scope, Type, Value};
use loops::Loops;
use report::{Marks, Reporter};
use rustc_hash::{FxHashMap, FxHashSet};

/// What the passes tell each other.
#[derive(Default)]
pub struct Sanitizing {
    /// What the marks of [`report`] represent.
    marked: Vec<Checked>,
}

/// Checks operations of the program.
///
/// # Errors
/// None.
pub fn operations(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    let kinds = context.options.sanitize;
    if kinds.is_empty() {
        return Ok(());
    }
    let params = context.module.kernels().map(|kernel| context.module.functions[kernel].params.len());
    context.sanitized.arguments = params.max().unwrap_or(0) as u32;
    if remembers(kinds) {
        // What they are is known when kernels are whole.
        context.sanitized.cells = Some(Cells { granule: 1, words: 0, variables: 0, locals: 0 });
    }
    let copies: FxHashSet<Func> = match kinds.has(Kind::Barriers) || kinds.has(Kind::Races) {
        true => divergence::copies(context.module).collect(),
        false => FxHashSet::default(),
    };
    let broadcasts: FxHashSet<Func> = divergence::broadcasts(context.module).collect();
    let meeting = sub_groups::meeting(context.module);
    let waits: Vec<Func> = events::waits(context.module).collect();
    let functions = match kinds.has(Kind::Nan) {
        true => floats::functions(context.module),
        false => FxHashMap::default(),
    };
    let loop_budget = loops::budget(kinds, context.profile);
    let mark = report::declare(context.module);
    let together = divergence::Marks::declare(context.module);
    let event = events::Marks::declare(context.module);
    let copying = copying::MARK.declare(context.module);
    let printers = match kinds.has(Kind::Printf) {
        true => formats::Printers::of(context.module),
        false => formats::Printers::default(),
    };
    let Context { module, sanitized, call_sites, sanitizing, .. } = context;
    let mut reporter = Reporter::marking(sanitized, call_sites, mark, sanitizing);
    for (func, function) in module.functions.iter_mut() {
        if function.body.is_none() {
            continue;
        }
        if function.name.starts_with(PRINT_FUNCTION) {
            printers.check(func, function, &mut reporter);
            continue;
        }
        // The checks have loops of their own.
        let loops = if kinds.has(Kind::Loops) { Loops::of(function) } else { Vec::new() };
        events::expand(function, &waits, event, together.wait().filter(|_| kinds.has(Kind::Barriers)));
        if kinds.has(Kind::Uninitialised) {
            definedness::check(function, &mut reporter);
        }
        let loops = Loops::followed(function, &loops);
        let mut cursor = Cursor::new(function);
        let mut loops = Loops::enter(&mut cursor, loops, loop_budget);
        while let Some(inst) = cursor.advance() {
            loops.follow(&mut cursor, &mut reporter, inst);
            let data = &cursor.function.insts[inst];
            let source = kinds.has(Kind::Nan).then(|| floats::source(data, &functions)).flatten();
            match data.op.clone() {
                Op::Binary(op) if op.divides_integers() && kinds.has(Kind::Arithmetic) => {
                    arithmetic::division(&mut cursor, &mut reporter, inst, op);
                    cursor.keep(inst);
                }
                Op::Convert(op) if kinds.has(Kind::Arithmetic) => {
                    arithmetic::conversion(&mut cursor, &mut reporter, inst, op);
                    cursor.keep(inst);
                }
                Op::Checked => {
                    arithmetic::checked(&mut cursor, &mut reporter, inst, kinds);
                    let result = cursor.operand(inst, 0);
                    cursor.replace_result(inst, result);
                }
                Op::Call(callee) if copies.contains(&callee) => {
                    if kinds.has(Kind::Barriers) {
                        together.copy(&mut cursor, inst);
                    }
                    event.copy(&mut cursor, inst);
                    match kinds.has(Kind::Races) {
                        true => copying::mark(&mut cursor, copying, inst),
                        false => cursor.keep(inst),
                    }
                }
                Op::Call(callee) if broadcasts.contains(&callee) && kinds.has(Kind::Barriers) => {
                    together.broadcast(&mut cursor, inst);
                    cursor.keep(inst);
                }
                Op::Call(callee) if meeting == Some(callee) && kinds.has(Kind::Barriers) => {
                    sub_groups::function(&mut cursor, &mut reporter, inst);
                }
                Op::Barrier { execution: Scope::SubGroup, .. } if kinds.has(Kind::Barriers) => {
                    sub_groups::barrier(&mut cursor, &mut reporter);
                    cursor.keep(inst);
                }
                Op::Loop(_) if loops.has(inst) => loops.keep(&mut cursor, inst),
                Op::Image(op) if kinds.has(Kind::Bounds) => {
                    images::access(&mut cursor, &mut reporter, inst, op)
                }
                _ => cursor.keep(inst),
            }
            if let Some(source) = source {
                floats::check(&mut cursor, &mut reporter, inst, source);
            }
        }
    }
    Ok(())
}

/// Whether kernels remember what happened to memory.
fn remembers(kinds: Kinds) -> bool {
    [Kind::Races, Kind::Uninitialised, Kind::Restrict].into_iter().any(|kind| kinds.has(kind))
}

/// Whether accesses are checked.
pub fn checks_memory(context: &Context<'_, '_>) -> bool {
    let kinds = context.options.sanitize;
    let accesses = [Kind::Bounds, Kind::Alignment, Kind::Flags, Kind::Constness, Kind::Unsequenced];
    accesses.into_iter().any(|kind| kinds.has(kind)) || remembers(kinds)
}

/// Checks accesses and barriers, and completes the checks of operations.
///
/// # Errors
/// None.
pub fn memory(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    if context.options.sanitize.is_empty() {
        return Ok(());
    }
    let kinds = context.options.sanitize;
    let watches = checks_memory(context);
    let plan = remembers(kinds).then(|| cells::Plan::of(context.module, kinds, context.profile));
    context.sanitized.cells = plan.as_ref().map(|plan| plan.cells);
    let marks = Marks::of(context.module);
    let separate = context.profile.prefers(Preference::Scalars);
    let Context { module, sanitized, call_sites, sanitizing, .. } = context;
    let together = divergence::Marks::declared(module);
    let event = events::Marks::declared(module);
    let copying = copying::MARK.declared(module);
    let mut objects = shadow::GlobalObjects::default();
    for kernel in module.kernels().collect::<Vec<_>>() {
        let mut reporter = Reporter::new(sanitized, call_sites, marks.numbered);
        let first = reporter.next_check();
        let events = events::follow(&mut module.functions[kernel], event, &mut reporter, kinds);
        if watches {
            let Module { functions, globals, .. } = &mut **module;
            let plan = plan.as_ref();
            let kernel = &mut functions[kernel];
            let copying = copying.zip(events);
            let habits = access::check(kernel, globals, &mut objects, &mut reporter, kinds, plan, copying);
            let name = kernel.name.clone();
            reporter.set_habits(name, habits);
        }
        // With variables that the former must not check.
        if kinds.has(Kind::Barriers) {
            divergence::check(module, kernel, together, &mut reporter);
        }
        log::write(
            &mut module.functions[kernel],
            &mut reporter,
            &marks,
            &sanitizing.marked,
            (first, separate),
        );
    }
    Ok(())
}

/// Restores the positions of inlined instructions. No check needs to know of calls after this.
///
/// # Errors
/// None.
pub fn restore(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    call_sites::restore(context);
    Ok(())
}

/// Lets a kernel end at one place, the last instruction of its body; gives that.
fn one_end(function: &mut Function) -> Inst {
    only_return(function).unwrap_or_else(|| {
        let block = enclose(function, &[]);
        end_after(function, block)
    })
}

/// Adds an `if` that executes one of two things.
fn either(
    cursor: &mut Cursor<'_>,
    condition: Value,
    then: impl FnOnce(&mut Cursor<'_>),
    otherwise: impl FnOnce(&mut Cursor<'_>),
) {
    let regions = [cursor.function.add_region(), cursor.function.add_region()];
    let check = cursor.push(Op::If, &[condition], &[], &regions);
    cursor.open(regions[0]);
    then(cursor);
    cursor.push(Op::Exit(check), &[], &[], &[]);
    cursor.close();
    cursor.open(regions[1]);
    otherwise(cursor);
    cursor.push(Op::Exit(check), &[], &[], &[]);
    cursor.close();
}

/// Adds an `if` that computes words, which are zero otherwise.
fn words_when<const N: usize>(
    cursor: &mut Cursor<'_>,
    condition: Value,
    then: impl FnOnce(&mut Cursor<'_>) -> [Value; N],
) -> [Value; N] {
    let regions = [cursor.function.add_region(), cursor.function.add_region()];
    let check = cursor.push(Op::If, &[condition], &[Type::I32; N], &regions);
    cursor.open(regions[0]);
    let words = then(cursor);
    cursor.push(Op::Exit(check), &words, &[], &[]);
    cursor.close();
    cursor.open(regions[1]);
    let zeros = [cursor.int(Type::I32, 0); N];
    cursor.push(Op::Exit(check), &zeros, &[], &[]);
    cursor.close();
    std::array::from_fn(|index| cursor.function.insts[check].results[index])
}

/// Adds an `if` that executes something.
fn when(cursor: &mut Cursor<'_>, condition: Value, then: impl FnOnce(&mut Cursor<'_>)) {
    either(cursor, condition, then, |_| {});
}
