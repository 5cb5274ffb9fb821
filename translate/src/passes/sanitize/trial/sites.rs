//! Accesses to local memory, and where they are.

use super::column::Column;
use super::ledger::Way;
use crate::passes::sanitize::access::{accesses, uses_what_it_reads};
use crate::passes::sanitize::habits::{ArgumentUses, LocalMemory};
use clvk_interface::sanitize::Access;
use clvk_ir::{Arena, ConvertOp, Function, Global, GlobalData, Inst, InstData, Op, Scalar, Value};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// The farthest place in memory whose size is not known.
const FARTHEST: u64 = 1 << 20;

/// An operand that points into local memory.
pub struct Site {
    pub operand: usize,
    pub memory: LocalMemory,
    pub way: Way,
    /// What it reads is used.
    pub uses: bool,
    /// It writes, whatever it finds.
    pub leaves: bool,
    bytes: u64,
    granule: u64,
    /// Bytes of the memory, if that is known.
    size: Option<u64>,
    /// The place is a sum of this number and of products of strides and indices.
    start: u64,
    indices: Vec<(u64, Value, Scalar)>,
}

/// Those of a kernel.
pub fn of(
    kernel: &Function,
    globals: &Arena<Global, GlobalData>,
    uses: &ArgumentUses,
) -> FxHashMap<Inst, Vec<Site>> {
    let mut all: FxHashMap<Inst, Vec<Site>> = FxHashMap::default();
    kernel.walk(|inst, data| {
        for accessed in accesses(kernel, data) {
            let memory = uses.local(inst, accessed.operand);
            let granule = uses.granule(inst, accessed.operand);
            let Some((memory, granule)) = memory.zip(granule).filter(|_| accessed.bytes > 0) else {
                continue;
            };
            let (start, indices) = place(kernel, data.operands[accessed.operand]);
            let size = match memory {
                LocalMemory::Variable(global) => Some(globals[global].size),
                LocalMemory::Argument(_) => None,
            };
            let site = Site {
                operand: accessed.operand,
                memory,
                way: way(data, accessed.access),
                uses: accessed.access != Access::Write && uses_what_it_reads(&data.op),
                leaves: accessed.access == Access::Write
                    || matches!(data.op, Op::AtomicRmw { .. } | Op::AtomicStore { .. }),
                bytes: accessed.bytes,
                granule: granule.into(),
                size,
                start,
                indices,
            };
            all.entry(inst).or_default().push(site);
        }
    });
    all
}

fn way(data: &InstData, access: Access) -> Way {
    match access {
        Access::Read if matches!(data.op, Op::Load { volatile: true, .. }) => Way::AtomicRead,
        Access::Read => Way::Read,
        Access::Write => Way::Write,
        Access::Atomic if matches!(data.op, Op::AtomicLoad { .. }) => Way::AtomicRead,
        Access::Atomic => Way::Atomic,
    }
}

/// How far a pointer is from the start of its object.
fn place(kernel: &Function, mut pointer: Value) -> (u64, Vec<(u64, Value, Scalar)>) {
    let (mut start, mut indices) = (0u64, Vec::new());
    while let Some(inst) = kernel.defining_inst(pointer) {
        let data = &kernel.insts[inst];
        match data.op {
            Op::PointerOffset(bytes) => start = start.wrapping_add(bytes as u64),
            Op::PointerIndex { stride } => {
                let index = data.operands[1];
                indices.push((stride, index, kernel.ty(index).scalar().unwrap_or(Scalar::I64)));
            }
            Op::Within(_) | Op::Apart { .. } | Op::Convert(ConvertOp::AddressSpace) => {}
            _ => break,
        }
        pointer = data.operands[0];
    }
    (start, indices)
}

impl Site {
    /// The values that say where it is.
    pub fn values(&self) -> impl Iterator<Item = Value> + '_ {
        self.indices.iter().map(|&(_, index, _)| index)
    }

    /// The granules of the memory, if its size is known.
    pub fn granules(&self) -> Option<u64> {
        self.size.map(|size| size.div_ceil(self.granule))
    }

    /// Where it is in each work-item, given what the values are.
    pub fn place(&self, value: impl Fn(Value) -> Column, items: usize) -> Column {
        let columns: Vec<Column> = self.indices.iter().map(|&(_, index, _)| value(index)).collect();
        if columns.contains(&Column::Unknown) {
            return Column::Unknown;
        }
        let at = |item: usize| {
            let terms = self.indices.iter().zip(&columns).map(|((stride, _, scalar), column)| {
                stride.wrapping_mul(scalar.sign_extend(column.at(item).unwrap_or(0)) as u64)
            });
            terms.fold(self.start, u64::wrapping_add)
        };
        if columns.iter().all(|column| matches!(column, Column::Same(_))) {
            return Column::Same(at(0));
        }
        Column::of((0..items).map(at).collect())
    }

    /// The granules that an access at this place reaches; none if it is outside, and not executed.
    pub fn reach(&self, place: u64) -> Option<Range<u64>> {
        let end = place.checked_add(self.bytes)?;
        let is_inside = end <= self.size.unwrap_or(FARTHEST);
        is_inside.then(|| place / self.granule..end.div_ceil(self.granule))
    }
}
