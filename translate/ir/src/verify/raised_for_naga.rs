//! The rules of [`Stage::RaisedForNaga`](super::Stage::RaisedForNaga): what the writer of naga's modules can
//! write without decisions of its own.
//!
//! They follow those of [`operations`](super::operations) and state only what is stricter. That exits are
//! nested is not checked here but by the writer.

use super::Verifier;
use super::operations::{Checked, ensure};
use crate::{
    AtomicOp, BinaryOp, CompareOp, ConvertOp, FastMath, GroupArithmetic, ImageOp, InstData, MathOp,
    MemoryOrder, Op, RoundingMode, Scalar, Scope, SubGroupOp, Type, UnaryOp, VariableSpace,
};

impl Verifier<'_> {
    /// Checks an instruction whose operands and results are right.
    pub(super) fn raised_for_naga(&self, data: &InstData) -> Checked {
        for &value in data.operands.iter().chain(&data.results) {
            let ty = self.ty(value);
            let known = match ty {
                Type::Scalar(scalar) => is_known(scalar),
                Type::Vector(scalar, lanes) => is_known(scalar) && lanes <= 4,
                Type::Pointer(_) => self.is_element(value),
                Type::Image(_) | Type::Sampler => true,
                Type::Void | Type::Matrix(_) => false,
            };
            ensure(known, || format!("naga's modules have no value of type {ty}"))?;
        }
        match &data.op {
            Op::Unary(op) => ensure(
                !matches!(op, UnaryOp::Neg | UnaryOp::CountLeadingZeros | UnaryOp::CountTrailingZeros),
                || left(&data.op),
            ),
            Op::Binary(op) => self.binary_for_naga(*op, data),
            Op::Compare(op) => {
                use CompareOp::{FOEq, FOGe, FOGt, FOLe, FOLt};
                let of_floats = self.ty(data.operands[0]).is_float();
                ensure(!of_floats || matches!(op, FOEq | FOLt | FOLe | FOGt | FOGe), || left(&data.op))
            }
            Op::Convert(op) => self.conversion_for_naga(*op, data),
            Op::Math(op) => {
                let of_numbers = data.fast_math.contains(FastMath::NO_NAN);
                let raised = match op {
                    MathOp::FMin | MathOp::FMax => of_numbers,
                    MathOp::CopySign
                    | MathOp::IsNan
                    | MathOp::IsInf
                    | MathOp::FClamp
                    | MathOp::NeverPositive => false,
                    _ => true,
                };
                ensure(raised, || left(&data.op))
            }
            Op::AtomicRmw { op, order, .. } => {
                let adds = matches!(op, AtomicOp::FAdd | AtomicOp::FMin | AtomicOp::FMax);
                ensure(!adds, || left(&data.op))?;
                self.atomic_for_naga(data, *order)
            }
            Op::AtomicCompareExchange { success, failure, .. } => {
                self.atomic_for_naga(data, *success)?;
                self.atomic_for_naga(data, *failure)
            }
            Op::AtomicLoad { order, .. } | Op::AtomicStore { order, .. } => {
                self.atomic_for_naga(data, *order)
            }
            Op::Barrier { execution, memory, .. } => {
                let in_group = |scope| matches!(scope, Scope::WorkItem | Scope::SubGroup | Scope::WorkGroup);
                ensure(*execution == Scope::WorkGroup && in_group(*memory), || {
                    "a raised barrier is one of a work-group".into()
                })
            }
            Op::SubGroup(op) => {
                let words = match op {
                    SubGroupOp::All | SubGroupOp::Any | SubGroupOp::Ballot => true,
                    _ => matches!(self.ty(data.results[0]), Type::I32 | Type::F32),
                };
                ensure(words && raised_for_sub_groups(*op), || left(&data.op))
            }
            Op::Switch(_) => {
                ensure(self.ty(data.operands[0]) == Type::I32, || "a raised selector has 32 bits".into())
            }
            other => ensure(is_written(other), || left(other)),
        }
    }

    /// Whether a pointer is known to be an element of a variable, not a lane of one.
    fn is_element(&self, pointer: crate::Value) -> bool {
        let data = self.function.defining_inst(pointer).map(|inst| &self.function.insts[inst]);
        data.is_some_and(|data| matches!(data.op, Op::ElementPointer(_)) && data.operands.len() == 1)
    }

    fn binary_for_naga(&self, op: BinaryOp, data: &InstData) -> Checked {
        match op {
            BinaryOp::SRem | BinaryOp::SMulHi | BinaryOp::UMulHi => Err(left(&data.op)),
            BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr => {
                ensure(self.function.is_below(data.operands[1], 32), || {
                    "the count of a raised shift is known to be below the width".into()
                })
            }
            _ => Ok(()),
        }
    }

    fn conversion_for_naga(&self, op: ConvertOp, data: &InstData) -> Checked {
        let (from, to) = (self.ty(data.operands[0]), self.ty(data.results[0]));
        let raised = match op {
            ConvertOp::SignedToFloat(mode) | ConvertOp::UnsignedToFloat(mode) => {
                mode == RoundingMode::NearestEven
            }
            ConvertOp::FloatToSigned { saturating } | ConvertOp::FloatToUnsigned { saturating } => {
                !saturating
            }
            ConvertOp::Bitcast => {
                let same = |ty: Type| ty.scalar().map(Scalar::bits);
                from.lanes() == to.lanes() && from != to && same(from) == same(to)
            }
            ConvertOp::Float(mode) => mode == RoundingMode::NearestEven && from != to,
            _ => false,
        };
        ensure(raised, || left(&data.op))
    }

    fn atomic_for_naga(&self, data: &InstData, order: MemoryOrder) -> Checked {
        let pointer = self.function.defining_inst(data.operands[0]).map(|inst| &self.function.insts[inst].op);
        let shared = match pointer {
            Some(Op::ElementPointer(variable)) => matches!(
                self.function.variables[*variable].space,
                VariableSpace::Local | VariableSpace::StorageBuffer { .. }
            ),
            _ => false,
        };
        ensure(shared && order == MemoryOrder::Relaxed, || {
            "raised atomic operations are relaxed, on memory that work-items share".into()
        })
    }
}

/// Whether values have elements of this type.
fn is_known(scalar: Scalar) -> bool {
    matches!(scalar, Scalar::Bool | Scalar::I32 | Scalar::F16 | Scalar::F32)
}

/// Whether there is such an operation of a sub-group: scans are of sums and products.
fn raised_for_sub_groups(op: SubGroupOp) -> bool {
    use GroupArithmetic::{Add, FAdd, FMul, Mul};
    match op {
        SubGroupOp::InclusiveScan(arithmetic) | SubGroupOp::ExclusiveScan(arithmetic) => {
            matches!(arithmetic, Add | FAdd | Mul | FMul)
        }
        SubGroupOp::Elect | SubGroupOp::ClusteredReduce(_) => false,
        _ => true,
    }
}

/// The rule that an operation breaks which must not be left in the module.
fn left(op: &Op) -> String {
    format!("{op:?} is lowered or raised before")
}

/// Whether the writer accepts an operation without a further rule.
fn is_written(op: &Op) -> bool {
    matches!(
        op,
        Op::Select
            | Op::Construct
            | Op::Extract(_)
            | Op::ExtractDynamic
            | Op::Load { .. }
            | Op::Store { .. }
            | Op::Image(ImageOp::SampledRead | ImageOp::Read { .. } | ImageOp::Write { .. })
            | Op::If
            | Op::Loop(_)
            | Op::Block
            | Op::Exit(_)
            | Op::Continue(_)
            | Op::NextIteration
            | Op::Return
            | Op::Unreachable
            | Op::Input(_)
            | Op::PushConstant { .. }
            | Op::ElementPointer(_)
            | Op::ImageBinding { .. }
            | Op::SamplerBinding { .. }
    )
}
