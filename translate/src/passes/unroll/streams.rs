//! Loads of a loop that may happen before what earlier iterations do.
//!
//! In a loop that writes, the loads of an iteration wait for the writes of the one before it, because the
//! driver does not know what the writes change. Nothing changes what a kernel reads through an argument that
//! is `const` and `restrict` (C99 §6.7.3.1) or in constant memory. So if the address of such a load depends
//! on the counter alone, the loads of all copies can begin before the first copy.

use super::counted::Counted;
use crate::passes::hoist_invariants::register_words;
use crate::passes::rewrite::Cloner;
use crate::passes::simplify::dce::root_pointer;
use crate::passes::structure::Structure;
use clvk_ir::{AddressSpace, ConvertOp, Function, Inst, KernelParamKind, Op, Type, Value, ValueDef};
use rustc_hash::FxHashSet;

/// The most 32-bit words that are loaded for all copies together.
const MAX_WORDS: u32 = 32;

/// The pointers among a kernel's parameters behind which nothing changes while the kernel runs.
pub(in crate::passes) fn unchanging(function: &Function) -> FxHashSet<Value> {
    let Some(kernel) = &function.kernel else { return FxHashSet::default() };
    let is_promised = |(kind, value): (&KernelParamKind, Value)| {
        let KernelParamKind::Buffer { read_only, restrict, volatile } = *kind else { return false };
        let constant = function.ty(value) == Type::Pointer(AddressSpace::Constant);
        read_only && (restrict || constant) && !volatile
    };
    let kinds = kernel.params.iter().map(|param| &param.kind);
    let params = kinds.zip(function.params.iter().copied()).filter(|&param| is_promised(param));
    let mut unchanging: FxHashSet<Value> = params.map(|(_, value)| value).collect();
    if unchanging.is_empty() {
        return unchanging;
    }
    // The promise may be broken by a cast, also in a function that gets the address as a number.
    let mut calls = false;
    function.walk(|_, data| calls |= matches!(data.op, Op::Call(_)));
    let mut unknown = false;
    function.walk(|_, data| {
        let is_passed = calls && data.op == Op::Convert(ConvertOp::PointerToInt);
        if !data.op.has_effect() && !is_passed {
            return;
        }
        for &operand in &data.operands {
            if let Type::Pointer(space) = function.ty(operand) {
                let root = root_pointer(function, operand);
                unchanging.remove(&root);
                let is_known = matches!(function.values[root].def, ValueDef::Param(_) | ValueDef::Global(_));
                let elsewhere = matches!(space, AddressSpace::Local | AddressSpace::Private);
                unknown |= !is_known && !elsewhere;
            }
        }
    });
    if unknown { FxHashSet::default() } else { unchanging }
}

/// The loads of a loop that can happen early, and what computes their addresses.
#[derive(Default)]
pub(super) struct Streams {
    /// In order; all of them stand in the loop's body itself, so that every iteration executes them.
    insts: Vec<Inst>,
    /// Those of them that load.
    pub loads: Vec<Inst>,
}

impl Streams {
    /// The streams of a loop; none if there are too many to keep in registers for `factor` copies.
    pub fn of(
        function: &Function,
        structure: &Structure,
        unchanging: &FxHashSet<Value>,
        (inst, counted): (Inst, &Counted),
        factor: u32,
    ) -> Streams {
        let mut streams = Streams::default();
        if unchanging.is_empty() {
            return streams;
        }
        let body = function.insts[inst].regions[0];
        let mut computable = FxHashSet::from_iter([counted.counter()]);
        let mut words = 0;
        for &inside in &function.regions[body].insts {
            let data = &function.insts[inside];
            let is_known =
                |&value: &Value| computable.contains(&value) || !structure.encloses(function, inst, value);
            let loads = matches!(data.op, Op::Load { volatile: false, .. })
                && unchanging.contains(&root_pointer(function, data.operands[0]));
            if !(loads || data.op.is_movable()) || !data.operands.iter().all(is_known) {
                continue;
            }
            if loads {
                words += register_words(function.ty(data.results[0]));
                streams.loads.push(inside);
            }
            computable.extend(data.results.iter().copied());
            streams.insts.push(inside);
        }
        if words * factor > MAX_WORDS {
            return Streams::default();
        }
        streams.keep_needed(function);
        streams
    }

    /// Drops what no load needs.
    fn keep_needed(&mut self, function: &Function) {
        let mut needed: FxHashSet<Value> = FxHashSet::default();
        let mut kept: Vec<Inst> = Vec::new();
        for &inst in self.insts.iter().rev() {
            let data = &function.insts[inst];
            if self.loads.contains(&inst) || data.results.iter().any(|result| needed.contains(result)) {
                needed.extend(data.operands.iter().copied());
                kept.push(inst);
            }
        }
        kept.reverse();
        self.insts = kept;
    }

    /// Appends the loads of all copies, which have these counters. Returns for each copy what the loads give.
    pub fn load(
        &self,
        function: &mut Function,
        (inst, counted): (Inst, &Counted),
        counters: &[Value],
        out: &mut Vec<Inst>,
    ) -> Vec<Vec<(Value, Value)>> {
        if self.loads.is_empty() {
            return vec![Vec::new(); counters.len()];
        }
        let body = function.insts[inst].regions[0];
        let ValueDef::RegionParam(_, position) = function.values[counted.counter()].def else {
            unreachable!("the counter is carried")
        };
        let mut loaded = Vec::new();
        for &counter in counters {
            // Nothing here needs any other parameter.
            let mut params = function.regions[body].params.clone();
            params[position as usize] = counter;
            let mut cloner = Cloner::new(function);
            cloner.params(body, &params);
            out.extend(self.insts.iter().map(|&inst| cloner.inst(inst)));
            let results = self.loads.iter().map(|&load| cloner.function.insts[load].results[0]);
            loaded.push(results.map(|result| (result, cloner.value(result))).collect());
        }
        loaded
    }
}
