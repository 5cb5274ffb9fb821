//! The known alignment of pointers.

use super::Buffers;
use super::objects::{Objects, regions_of_insts};
use clvk_ir::{ConvertOp, EntityId, Function, Inst, Op, Value, VariableSpace};

/// The largest alignment that is tracked, as log2: enough for every type.
pub const MOST_ALIGNED: u32 = 7;
/// Alignment that the host guarantees for the start of a storage buffer, as log2.
pub const BUFFER_ALIGNMENT: u32 = 4;

/// The alignment of pointers relative to the start of their variable.
pub struct Alignments<'b> {
    of_value: Vec<u32>,
    buffers: &'b Buffers,
}

impl<'b> Alignments<'b> {
    /// Finds the alignments by data flow.
    pub fn find(function: &Function, objects: &Objects, buffers: &'b Buffers) -> Alignments<'b> {
        let mut alignments = Alignments { of_value: vec![MOST_ALIGNED; function.values.len()], buffers };
        let region_of = regions_of_insts(function);
        // Each round lowers some alignment, which has few values, or is the last one.
        loop {
            let mut changed = false;
            function.walk(|inst, data| {
                for flow in objects.flows(function, inst, region_of[inst.index()]) {
                    changed |= alignments.lower(flow.target, alignments.of(data.operands[flow.operand]));
                }
                if let Some(align) = alignments.derived(function, inst) {
                    changed |= alignments.lower(data.results[0], align);
                }
            });
            if !changed {
                return alignments;
            }
        }
    }

    /// As a power of two.
    pub fn of(&self, value: Value) -> u32 {
        self.of_value[value.index()]
    }

    fn lower(&mut self, value: Value, align: u32) -> bool {
        let known = &mut self.of_value[value.index()];
        let changed = align < *known;
        *known = align.min(*known);
        changed
    }

    fn derived(&self, function: &Function, inst: Inst) -> Option<u32> {
        let data = &function.insts[inst];
        let base = || self.of(data.operands[0]);
        match data.op {
            Op::PointerOffset(offset) => Some(base().min(offset.trailing_zeros())),
            Op::PointerIndex { stride } => Some(base().min(stride.trailing_zeros())),
            // Nothing is known about an address; only accesses state its alignment.
            Op::PhysicalPointer(_) | Op::Convert(ConvertOp::IntToPointer) => Some(0),
            Op::Convert(_) if function.ty(data.results[0]).is_pointer() => Some(base()),
            Op::Load { .. } if function.ty(data.results[0]).is_pointer() => Some(0),
            Op::ElementPointer(variable) => Some(match function.variables[variable].space {
                VariableSpace::StorageBuffer { .. } => {
                    let of_argument = self.buffers.alignments.get(&variable).copied();
                    // The operand is an offset that the host chose, or that of a program-scope variable.
                    of_argument.unwrap_or(BUFFER_ALIGNMENT).min(BUFFER_ALIGNMENT)
                }
                _ => MOST_ALIGNED,
            }),
            _ => None,
        }
    }
}
