//! Whether a call can do with copies of the private memory that its arguments point to, with the addresses of
//! global memory and with offsets in local memory.
//!
//! Copies do if the places of all that the function reaches are known, lie within one variable each, and do
//! not overlap where the function writes, unless it has read what it reads by then. Parameters of the caller
//! count as separate variables: the calls of the caller were judged by all that it reaches, which includes
//! what its callees reach.
//!
//! Global memory always has addresses where pointers to it are passed ([`super::scalars`]). Constants have
//! them unless they are in the shader. Which variable a pointer to local memory points into must be known.

use super::extents::{Extents, Piece};
use super::locals;
use crate::passes::simplify::dce::root_pointer;
use clvk_ir::{AddressSpace, Function, Global, Inst, Module, Op, Type, Value, ValueDef};

/// What a pointer points into.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Root {
    /// A variable of the function, with its size.
    Alloca(Inst, u64),
    /// What a parameter points to.
    Param(u32),
}

/// Whether copies, addresses and offsets do for a call of a function that reaches this. `is_table` says which
/// variables of the module are in the shader.
pub fn is_exact(
    module: &Module,
    function: &Function,
    call: Inst,
    extents: &Extents,
    is_table: impl Fn(Global) -> bool,
) -> bool {
    let mut reached: Vec<(Root, i64, &[Piece])> = Vec::new();
    for (&argument, pieces) in function.insts[call].operands.iter().zip(extents) {
        let is_passed = match function.ty(argument) {
            Type::Pointer(AddressSpace::Constant) => has_address(function, argument, &is_table),
            locals::POINTER => locals::has_place(module, function, argument),
            _ => true,
        };
        if !is_passed {
            return false;
        }
        let Some(pieces) = pieces.as_deref().filter(|pieces| !pieces.is_empty()) else { continue };
        let Some((root, offset)) = place(function, argument) else { return false };
        if !is_within(function, root, offset, pieces) {
            return false;
        }
        reached.push((root, offset, pieces));
    }
    let conflict = |(index, (root, offset, pieces)): (usize, &(Root, i64, &[Piece]))| {
        let mut earlier = reached[..index].iter().filter(|(other, ..)| other == root);
        earlier.any(|&(_, other, others)| overlap((*offset, pieces), (other, others)))
    };
    !reached.iter().enumerate().any(conflict)
}

/// Whether a pointer to constant memory is known to be an address.
fn has_address(function: &Function, pointer: Value, is_table: impl Fn(Global) -> bool) -> bool {
    match function.values[root_pointer(function, pointer)].def {
        ValueDef::Param(_) => true,
        ValueDef::Global(global) => !is_table(global),
        _ => false,
    }
}

/// The variable that a pointer points into, and the offset in it.
fn place(function: &Function, mut pointer: Value) -> Option<(Root, i64)> {
    let mut offset = 0i64;
    loop {
        let inst = match function.values[pointer].def {
            ValueDef::Param(index) => return Some((Root::Param(index), offset)),
            ValueDef::Result(inst, _) => inst,
            _ => return None,
        };
        let data = &function.insts[inst];
        match data.op {
            Op::Alloca { size, .. } => return Some((Root::Alloca(inst, size), offset)),
            _ => offset = offset.checked_add(super::extents::constant_step(function, inst)?)?,
        }
        pointer = data.operands[0];
    }
}

fn is_within(function: &Function, root: Root, offset: i64, pieces: &[Piece]) -> bool {
    match root {
        // What a kernel's parameters point to is passed by the host.
        Root::Param(_) => function.kernel.is_none(),
        Root::Alloca(_, size) => pieces.iter().all(|piece| {
            let start = offset.checked_add(piece.start).and_then(|start| u64::try_from(start).ok());
            start.is_some_and(|start| start.saturating_add(u64::from(piece.ty.access_size())) <= size)
        }),
    }
}

/// Whether two sets of pieces in one variable overlap where one of them is written, and the function may not
/// have read all that it reads of the other by then.
fn overlap((offset, pieces): (i64, &[Piece]), (other, others): (i64, &[Piece])) -> bool {
    let is_read_before = |read: &Piece, written: &Piece| {
        !read.written && read.when.last_read.is_none_or(|last| last < written.when.first_write)
    };
    pieces.iter().any(|a| {
        let (start, end) = (offset + a.start, offset + a.end());
        others.iter().any(|b| {
            let is_apart = start >= other.saturating_add(b.end()) || other + b.start >= end;
            let is_unchanged = !a.written && !b.written;
            !(is_apart || is_unchanged || is_read_before(a, b) || is_read_before(b, a))
        })
    })
}
