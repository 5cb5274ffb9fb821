//! Stores to private variables that later stores replace before anything reads them.
//!
//! Each region is walked from its end to its start, with the bytes that are replaced from there on. Whatever
//! might read a variable forgets them: loads that may overlap, and everything else that is not pure.

use super::dce::root_alloca;
use crate::passes::structure::with_stack;
use clvk_ir::{Function, Inst, Op, Region, Type, Value};
use rustc_hash::FxHashSet;

/// The most replaced places that are remembered; the last ones in the region are forgotten first.
const MAX_REPLACED: usize = 512;

/// Bytes of a variable at a constant offset.
#[derive(Clone, Copy)]
struct Bytes {
    variable: Inst,
    /// Offsets of the first byte and of the one after the last.
    start: i64,
    end: i64,
}

impl Bytes {
    /// What an access to a variable reads or writes; `None` if its offset or variable is not known.
    fn of(function: &Function, pointer: Value, ty: Type) -> Option<Bytes> {
        let (mut base, mut start) = (pointer, 0i64);
        loop {
            let inst = function.defining_inst(base)?;
            let data = &function.insts[inst];
            match data.op {
                Op::PointerOffset(by) => start = start.checked_add(by)?,
                Op::Alloca { .. } => {
                    let end = start.checked_add(i64::from(ty.access_size()))?;
                    return Some(Bytes { variable: inst, start, end });
                }
                _ => return None,
            }
            base = data.operands[0];
        }
    }
}

/// Removes stores that are replaced; returns how many there were.
pub fn run(function: &mut Function) -> usize {
    function.body.map_or(0, |body| in_region(function, body))
}

fn in_region(function: &mut Function, region: Region) -> usize {
    let mut replaced: Vec<Bytes> = Vec::new();
    let mut inside = 0;
    let mut removed = FxHashSet::default();
    let mut insts = std::mem::take(&mut function.regions[region].insts);
    for &inst in insts.iter().rev() {
        let data = &function.insts[inst];
        match data.op {
            Op::Store { volatile: false, .. } => {
                let ty = function.ty(data.operands[1]);
                let Some(bytes) = Bytes::of(function, data.operands[0], ty) else { continue };
                let covers = |later: &Bytes| {
                    later.variable == bytes.variable && later.start <= bytes.start && bytes.end <= later.end
                };
                if replaced.iter().any(covers) {
                    removed.insert(inst);
                } else {
                    if replaced.len() == MAX_REPLACED {
                        replaced.remove(0);
                    }
                    replaced.push(bytes);
                }
            }
            Op::Load { volatile: false, .. } => {
                let ty = function.ty(data.results[0]);
                let read = Bytes::of(function, data.operands[0], ty);
                let variable = root_alloca(function, data.operands[0]);
                replaced.retain(|later| match (read, variable) {
                    (Some(read), _) if read.variable == later.variable => {
                        read.end <= later.start || later.end <= read.start
                    }
                    (_, Some(variable)) => variable != later.variable,
                    _ => false,
                });
            }
            _ if data.op.has_regions() => {
                replaced.clear();
                for inner in data.regions.clone() {
                    inside += with_stack(|| in_region(function, inner));
                }
            }
            _ if data.op.is_pure() => {}
            _ => replaced.clear(),
        }
    }
    insts.retain(|inst| !removed.contains(inst));
    function.regions[region].insts = insts;
    inside + removed.len()
}
