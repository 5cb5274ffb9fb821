//! What loops contain.

use super::{MAX_ARRAY, changes_with, weight};
use crate::passes::simplify::dce::root_alloca;
use crate::passes::structure::Structure;
use clvk_ir::{AddressSpace, Function, Inst, InstData, Op, Region, Type, UnrollHint};
use rustc_hash::FxHashSet;

/// The private arrays that loops index which should stay, or which are around such loops. They remain
/// arrays whatever becomes of other loops.
pub fn whole_arrays(function: &Function, structure: &Structure) -> FxHashSet<Inst> {
    let mut staying: FxHashSet<Inst> = FxHashSet::default();
    function.walk(|inst, data| {
        if should_stay(&data.op) {
            staying.insert(inst);
            staying.extend(structure.owners(inst).filter(|outer| function.insts[*outer].op.is_loop()));
        }
    });
    let mut arrays = FxHashSet::default();
    if !staying.is_empty() {
        function.walk(|inst, _| {
            if let Some((alloca, _)) = indexed_array(function, inst) {
                let mut around = structure.owners(inst).filter(|outer| staying.contains(outer));
                arrays.extend(around.any(|outer| changes_with(function, inst, outer)).then_some(alloca));
            }
        });
    }
    arrays
}

/// Whether the source or the library asks for a loop to stay one.
pub fn should_stay(op: &Op) -> bool {
    matches!(op, Op::Loop(UnrollHint::By(0 | 1) | UnrollHint::Kept))
}

/// The contents of a loop.
#[derive(Default)]
pub struct LoopSize {
    pub instructions: usize,
    pub has_loops: bool,
    /// It contains a loop that should stay one.
    pub keeps_loops: bool,
    /// It contains a loop that begins with something that changes with each iteration.
    pub starts_loops: bool,
    /// It indexes a small private array by something that changes with each iteration.
    pub indexes_array: bool,
    /// The same of a private array that is too large to be split.
    pub indexes_large_array: bool,
    /// It loads from global or constant memory.
    pub reads_global: bool,
    /// It writes to any memory, or has another effect.
    pub writes: bool,
    /// It contains barriers or other operations that work-items execute together.
    pub is_convergent: bool,
}

impl LoopSize {
    pub fn of(function: &Function, whole: Inst) -> Self {
        Self::with(function, whole, &FxHashSet::default())
    }

    /// The same, where some arrays count as too large to be split ([`whole_arrays`]).
    pub fn with(function: &Function, whole: Inst, large: &FxHashSet<Inst>) -> Self {
        let mut size = LoopSize::default();
        let mut regions: Vec<Region> = function.insts[whole].regions.to_vec();
        while let Some(region) = regions.pop() {
            for &inst in &function.regions[region].insts {
                let data = &function.insts[inst];
                size.instructions += weight(function, data);
                size.has_loops |= data.op.is_loop();
                size.keeps_loops |= should_stay(&data.op);
                size.starts_loops |= data.op.is_loop() && changes_with(function, inst, whole);
                if let Some((alloca, bytes)) = indexed_array(function, inst)
                    && changes_with(function, inst, whole)
                {
                    let is_large = bytes > MAX_ARRAY || large.contains(&alloca);
                    size.indexes_array |= !is_large;
                    size.indexes_large_array |= is_large;
                }
                size.indexes_array = size.indexes_array
                    || pointer_to_matrix(function, data)
                        .is_some_and(|pointer| changes_with(function, pointer, whole));
                size.reads_global |= reads_global(function, inst);
                size.writes |= data.op.has_effect();
                size.is_convergent |= data.op.is_convergent();
                regions.extend(data.regions.iter().copied());
            }
        }
        size
    }
}

fn reads_global(function: &Function, inst: Inst) -> bool {
    let data = &function.insts[inst];
    matches!(data.op, Op::Load { volatile: false, .. })
        && matches!(
            function.ty(data.operands[0]),
            Type::Pointer(AddressSpace::Global | AddressSpace::Constant)
        )
}

/// The private array that an instruction indexes, and its size in bytes.
fn indexed_array(function: &Function, inst: Inst) -> Option<(Inst, u64)> {
    let data = &function.insts[inst];
    let Op::PointerIndex { .. } = data.op else { return None };
    let alloca = root_alloca(function, data.operands[0])?;
    if let Op::Alloca { size, .. } = function.insts[alloca].op { Some((alloca, size)) } else { None }
}

/// The instruction that computes the pointer by which an instruction loads or stores a cooperative matrix.
/// Devices keep matrices in registers only, so indices of arrays of them must become constants.
fn pointer_to_matrix(function: &Function, data: &InstData) -> Option<Inst> {
    let value = match data.op {
        Op::Load { .. } => data.results.first(),
        Op::Store { .. } => data.operands.get(1),
        _ => None,
    };
    matches!(function.ty(*value?), Type::Matrix(_)).then(|| function.defining_inst(data.operands[0]))?
}
