//! The rules of [`Stage::Raised`](super::Stage::Raised): what the SPIR-V writer can write without decisions
//! of its own.
//!
//! They follow those of [`operations`](super::operations) and state only what is stricter. Nothing that
//! depends on the device is here, because the verifier does not see a profile.

use super::Verifier;
use super::operations::{Checked, ensure};
use crate::{
    AtomicOp, BinaryOp, CompareOp, ConvertOp, FenceFlags, ImageOp, InstData, MathOp, MemoryOrder, Op,
    RoundingMode, Scalar, Scope, Type, UnaryOp, Value, VariableSpace,
};

/// Lanes of SPIR-V's largest vector.
const MOST_LANES: u32 = 4;

impl Verifier<'_> {
    /// Checks an instruction whose operands and results are right.
    pub(super) fn raised(&self, data: &InstData) -> Checked {
        for &value in data.operands.iter().chain(&data.results) {
            let ty = self.ty(value);
            ensure(ty.lanes() <= MOST_LANES, || format!("a raised vector has at most 4 lanes: {ty}"))?;
            ensure(!ty.is_pointer() || self.pointed(value).is_some(), || {
                "a raised pointer is an element of a variable, or an address".into()
            })?;
        }
        match &data.op {
            Op::Unary(op) => self.raised_unary(*op, data),
            Op::Binary(op) => self.raised_binary(*op, data),
            Op::Compare(CompareOp::FOrd | CompareOp::FUno) => left(&data.op),
            Op::Convert(op) => self.raised_conversion(*op, data),
            Op::Math(op) => self.raised_math(*op, data),
            Op::Switch(_) => {
                let ty = self.ty(data.operands[0]);
                ensure(matches!(ty, Type::I32 | Type::I64), || {
                    format!("a raised selector has 32 or 64 bits: {ty}")
                })
            }
            Op::AtomicRmw { .. }
            | Op::AtomicCompareExchange { .. }
            | Op::AtomicLoad { .. }
            | Op::AtomicStore { .. } => {
                self.raised_atomic(data)?;
                raised_orders(&data.op)
            }
            Op::Fence { order, scope, flags } => {
                let orders = !matches!(order, MemoryOrder::Relaxed | MemoryOrder::SequentiallyConsistent);
                ensure(orders && *scope != Scope::WorkItem && !flags.is_empty(), || {
                    "a raised fence orders memory for several work-items, and not sequentially".into()
                })
            }
            Op::Barrier { memory, flags, .. } => {
                ensure(*memory != Scope::WorkItem && flags.contains(FenceFlags::LOCAL), || {
                    "a raised barrier orders local memory for several work-items".into()
                })
            }
            other => ensure(is_written(other), || format!("{other:?} is lowered or raised before")),
        }
    }

    /// The memory that a pointer points to: `None` if no instruction tells, `Some(None)` for a physical
    /// address.
    fn pointed(&self, pointer: Value) -> Option<Option<VariableSpace>> {
        match self.function.insts[self.function.defining_inst(pointer)?].op {
            Op::ElementPointer(variable) => Some(Some(self.function.variables[variable].space)),
            Op::PhysicalPointer(_) => Some(None),
            _ => None,
        }
    }

    fn raised_unary(&self, op: UnaryOp, data: &InstData) -> Checked {
        match op {
            UnaryOp::CountLeadingZeros | UnaryOp::CountTrailingZeros => left(&data.op),
            UnaryOp::PopCount => {
                let ty = self.ty(data.operands[0]);
                ensure(ty.scalar() == Some(Scalar::I32), || {
                    format!("raised bits are those of words, not {ty}")
                })
            }
            _ => Ok(()),
        }
    }

    fn raised_binary(&self, op: BinaryOp, data: &InstData) -> Checked {
        let ty = self.ty(data.operands[0]);
        match op {
            BinaryOp::SRem => left(&data.op),
            BinaryOp::SMulHi | BinaryOp::UMulHi => {
                ensure(ty == Type::I32, || format!("a raised high product is one of words, not {ty}"))
            }
            BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr => {
                let bits = ty.scalar().map_or(0, Scalar::bits);
                ensure(self.function.is_below(data.operands[1], u64::from(bits)), || {
                    "the count of a raised shift is known to be below the width".into()
                })
            }
            _ => Ok(()),
        }
    }

    fn raised_conversion(&self, op: ConvertOp, data: &InstData) -> Checked {
        let from = self.ty(data.operands[0]);
        ensure(from != self.ty(data.results[0]), || "a raised conversion changes the type".into())?;
        match op {
            ConvertOp::ZeroExtend | ConvertOp::SignExtend if from.is_bool() => left(&data.op),
            ConvertOp::SignedToFloat(mode) | ConvertOp::UnsignedToFloat(mode) | ConvertOp::Float(mode) => {
                ensure(mode == RoundingMode::NearestEven, || {
                    "a raised conversion rounds to nearest even".into()
                })
            }
            ConvertOp::FloatToSigned { saturating: true }
            | ConvertOp::FloatToUnsigned { saturating: true }
            | ConvertOp::PointerToInt
            | ConvertOp::IntToPointer
            | ConvertOp::AddressSpace => left(&data.op),
            _ => Ok(()),
        }
    }

    fn raised_math(&self, op: MathOp, data: &InstData) -> Checked {
        match op {
            MathOp::CopySign | MathOp::IsNan | MathOp::IsInf | MathOp::NeverPositive => left(&data.op),
            _ if op.is_single_only() => {
                let ty = self.ty(data.operands[0]);
                ensure(ty.scalar() != Some(Scalar::F64), || format!("no device has {op:?} of {ty}"))
            }
            _ => Ok(()),
        }
    }

    /// The memory and the type of an atomic operation.
    fn raised_atomic(&self, data: &InstData) -> Checked {
        let shared = matches!(
            self.pointed(data.operands[0]),
            Some(None | Some(VariableSpace::Local | VariableSpace::StorageBuffer { .. }))
        );
        ensure(shared, || "raised atomic operations are on memory that work-items share".into())?;
        let ty = self.ty(data.results.first().copied().unwrap_or(data.operands[data.operands.len() - 1]));
        let compares = matches!(data.op, Op::AtomicCompareExchange { .. });
        let adds = matches!(data.op, Op::AtomicRmw { op: AtomicOp::FAdd, .. });
        let fits = match ty {
            Type::I32 | Type::I64 => true,
            Type::F32 => !compares,
            Type::F64 => adds,
            _ => false,
        };
        ensure(fits, || format!("there is no such raised atomic operation on {ty}"))
    }
}

/// The orders that an atomic operation of SPIR-V has.
fn raised_orders(op: &Op) -> Checked {
    use MemoryOrder::{Acquire, AcquireRelease, Relaxed, Release, SequentiallyConsistent};
    let fits = match *op {
        Op::AtomicRmw { order, .. } => order != SequentiallyConsistent,
        Op::AtomicLoad { order, .. } => matches!(order, Relaxed | Acquire),
        Op::AtomicStore { order, .. } => matches!(order, Relaxed | Release),
        Op::AtomicCompareExchange { success, failure, .. } => match failure {
            Relaxed => success != SequentiallyConsistent,
            Acquire => matches!(success, Acquire | AcquireRelease),
            _ => false,
        },
        _ => true,
    };
    ensure(fits, || "the raised operation does not have this memory order".into())
}

/// An operation that must not be left in the module.
fn left(op: &Op) -> Checked {
    Err(format!("{op:?} is raised to other operations"))
}

/// Whether the writer accepts an operation without a further rule.
fn is_written(op: &Op) -> bool {
    matches!(
        op,
        Op::Compare(_)
            | Op::Select
            | Op::PackedDot(_)
            | Op::Construct
            | Op::Extract(_)
            | Op::ExtractDynamic
            | Op::Insert(_)
            | Op::InsertDynamic
            | Op::Shuffle(_)
            | Op::Load { .. }
            | Op::Store { .. }
            | Op::SubGroup(_)
            | Op::Matrix(_)
            | Op::ReadClock(_)
            | Op::Image(
                ImageOp::SampledRead
                    | ImageOp::SampledTexel
                    | ImageOp::Read { .. }
                    | ImageOp::Write { .. }
                    | ImageOp::Query(_),
            )
            | Op::If
            | Op::Loop(_)
            | Op::Block
            | Op::Exit(_)
            | Op::Continue(_)
            | Op::NextIteration
            | Op::Return
            | Op::Call(_)
            | Op::Unreachable
            | Op::Input(_)
            | Op::PushConstant { .. }
            | Op::ElementPointer(_)
            | Op::PhysicalPointer(_)
            | Op::ImageBinding { .. }
            | Op::SamplerBinding { .. }
    )
}
