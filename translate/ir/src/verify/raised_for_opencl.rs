//! The rules of [`Stage::RaisedForOpenCl`](super::Stage::RaisedForOpenCl): what the writer of SPIR-V for
//! OpenCL can write without decisions of its own.
//!
//! They follow those of [`operations`](super::operations) and state only what is stricter.

use super::Verifier;
use super::operations::{Checked, ensure};
use crate::{InstData, Op, WorkItemQuery};

impl Verifier<'_> {
    /// Checks an instruction whose operands and results are right.
    pub(super) fn raised_for_opencl(&self, data: &InstData) -> Checked {
        match &data.op {
            Op::Compare(_) => ensure(!self.ty(data.operands[0]).is_pointer(), || {
                "a raised comparison is not of pointers".into()
            }),
            Op::WorkItem(
                WorkItemQuery::DispatchLinearId | WorkItemQuery::CommandNumber | WorkItemQuery::Zero,
            )
            | Op::KernelNumber(_)
            | Op::HandleNumber
            | Op::StringWord { .. }
            | Op::SamplerWord
            | Op::ImplicitBuffer(_) => Err(left(&data.op)),
            other => ensure(!other.is_target(), || left(other)),
        }
    }
}

fn left(op: &Op) -> String {
    format!("{op:?} cannot be written as SPIR-V for OpenCL")
}
