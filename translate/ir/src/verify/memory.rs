//! Operands and results of memory, synchronisation and image operations.

use super::operations::{Checked, Signature, check_align, ensure};
use super::{Verifier, is_memory_type};
use crate::{
    AccessOp, AddressSpace, AtomicOp, ImageDimension, ImageOp, InstData, MemoryOrder, Op, Scalar, Type,
    Value, ValueDef,
};

impl Verifier<'_> {
    pub(super) fn memory(&self, data: &InstData, s: &Signature<'_>) -> Checked {
        match &data.op {
            Op::Alloca { align, .. } => {
                let [] = s.take()?;
                check_align(*align)?;
                s.returns(Type::Pointer(AddressSpace::Private))
            }
            Op::Load { align, .. } => {
                let [_] = s.take()?;
                s.pointer(0)?;
                check_align(*align)?;
                self.accessed(data, s.result()?)
            }
            Op::Store { align, .. } => {
                let [_, value] = s.take()?;
                writable(s.pointer(0)?)?;
                check_align(*align)?;
                s.no_result()?;
                self.accessed(data, value)
            }
            Op::MemoryCopy { align, .. } => {
                let [_, _] = s.take()?;
                writable(s.pointer(0)?)?;
                s.pointer(1)?;
                check_align(*align)?;
                s.no_result()
            }
            Op::MemoryZero { align, .. } => {
                let [_] = s.take()?;
                writable(s.pointer(0)?)?;
                check_align(*align)?;
                s.no_result()
            }
            Op::PointerOffset(_) | Op::Within(_) => {
                let [base] = s.take()?;
                s.pointer(0)?;
                s.returns(base)
            }
            Op::Apart { own, other, .. } => {
                let [base, _] = s.take()?;
                s.pointer(0)?;
                s.pointer(1)?;
                ensure([own, other].iter().all(|[start, end]| start < end), || "it is of some bytes".into())?;
                s.returns(base)
            }
            Op::Access { op, size, .. } => {
                ensure(size.is_power_of_two(), || format!("no access has {size} bytes"))?;
                check_access(*op, s)
            }
            Op::PointerIndex { .. } => {
                let [base, index] = s.take()?;
                s.pointer(0)?;
                let is_index = matches!(index, Type::Scalar(scalar) if scalar.is_int());
                ensure(is_index, || format!("the index is an integer, not {index}"))?;
                s.returns(base)
            }
            Op::PointerSpace => {
                let [_] = s.take()?;
                let space = s.pointer(0)?;
                ensure(space == AddressSpace::Generic, || format!("the pointer is generic, not {space:?}"))?;
                s.returns(Type::I32)
            }
            Op::AtomicRmw { .. }
            | Op::AtomicCompareExchange { .. }
            | Op::AtomicLoad { .. }
            | Op::AtomicStore { .. } => self.atomic(data, s),
            Op::Barrier { .. } | Op::Fence { .. } => {
                let [] = s.take()?;
                s.no_result()
            }
            Op::Image(op) => check_image(*op, s),
            other => Err(format!("the verifier does not know {other:?}")),
        }
    }

    /// The type that a load or store moves.
    fn accessed(&self, data: &InstData, ty: Type) -> Checked {
        ensure(is_memory_type(ty), || format!("values of type {ty} are not in memory"))?;
        match self.element_type(data.operands[0]) {
            // Raw bytes: memory lowering has not recovered their element type yet.
            Some(Type::I8) => Ok(()),
            Some(element) => ensure(ty == element, || format!("{ty} is accessed in a variable of {element}")),
            None => Ok(()),
        }
    }

    /// The type of what a value is known to point to: an element of a variable, or a lane of it.
    fn element_type(&self, pointer: Value) -> Option<Type> {
        let ValueDef::Result(inst, _) = self.function.values[pointer].def else { return None };
        let data = &self.function.insts[inst];
        let Op::ElementPointer(variable) = data.op else { return None };
        let element = self.function.variables[variable].element;
        if data.operands.len() == 2 { element.scalar().map(Type::Scalar) } else { Some(element) }
    }

    fn atomic(&self, data: &InstData, s: &Signature<'_>) -> Checked {
        let space = s.pointer(0)?;
        let (ty, orders_fit) = match &data.op {
            Op::AtomicRmw { op, .. } => {
                let [_, value] = s.take()?;
                s.returns(value)?;
                let fits = match op {
                    AtomicOp::Exchange => true,
                    AtomicOp::FAdd | AtomicOp::FMin | AtomicOp::FMax => value.is_float(),
                    _ => value.is_int(),
                };
                ensure(fits, || format!("the operation does not take {value}"))?;
                (value, true)
            }
            Op::AtomicCompareExchange { failure, .. } => {
                let [_, expected, new] = s.take()?;
                ensure(expected == new, || {
                    format!("the operands are of different types, {expected} and {new}")
                })?;
                s.returns(new)?;
                (new, !matches!(failure, MemoryOrder::Release | MemoryOrder::AcquireRelease))
            }
            Op::AtomicLoad { order, .. } => {
                let [_] = s.take()?;
                (s.result()?, !matches!(order, MemoryOrder::Release | MemoryOrder::AcquireRelease))
            }
            Op::AtomicStore { order, .. } => {
                let [_, value] = s.take()?;
                s.no_result()?;
                (value, !matches!(order, MemoryOrder::Acquire | MemoryOrder::AcquireRelease))
            }
            _ => return Err("this is not an atomic operation".into()),
        };
        if !matches!(data.op, Op::AtomicLoad { .. }) {
            writable(space)?;
        }
        ensure(orders_fit, || "the operation does not have this memory order".into())?;
        let is_atomic = matches!(ty, Type::Scalar(scalar) if matches!(scalar.bits(), 16 | 32 | 64));
        ensure(is_atomic, || format!("there are no atomic operations on {ty}"))
    }
}

fn check_access(op: AccessOp, s: &Signature<'_>) -> Checked {
    match op {
        AccessOp::Fits => {
            let [_, length] = s.take()?;
            s.pointer(0)?;
            ensure(length == Type::I64, || format!("the length is i64, not {length}"))?;
            s.returns(Type::BOOL)
        }
        AccessOp::Check => {
            let [_] = s.take()?;
            s.pointer(0)?;
            s.returns(Type::BOOL)
        }
        AccessOp::Note => {
            s.pointer(0)?;
            let number = s.operands.get(1).copied().unwrap_or(Type::I32);
            ensure(s.operands.len() <= 2 && number == Type::I32, || "it takes a number of i32".into())?;
            s.no_result()
        }
        AccessOp::Done => {
            let [pointer] = s.take()?;
            s.pointer(0)?;
            s.returns(pointer)
        }
    }
}

pub(super) fn writable(space: AddressSpace) -> Checked {
    ensure(space != AddressSpace::Constant, || "constant memory is not written".into())
}

/// The operands of an image access, without the level of detail that may follow them.
fn level_last<const N: usize>(s: &Signature<'_>) -> Result<[Type; N], String> {
    match s.operands.get(N) {
        None => s.take(),
        Some(&level) => {
            ensure(level == Type::I32 && s.operands.len() == N + 1, || {
                "a level of detail comes last".into()
            })?;
            Ok(std::array::from_fn(|index| s.operands[index]))
        }
    }
}

fn check_image(op: ImageOp, s: &Signature<'_>) -> Checked {
    let Some(&Type::Image(image)) = s.operands.first() else {
        return Err("the first operand is an image".into());
    };
    let coordinates = |ty: Type, allowed: &[Scalar]| {
        let fits = ty.lanes() == image.dimension.coordinate_lanes()
            && ty.scalar().is_some_and(|scalar| allowed.contains(&scalar));
        ensure(fits, || format!("the image's coordinates are not of type {ty}"))
    };
    let texel = |ty: Type| {
        let fits = matches!(ty, Type::Vector(Scalar::F32 | Scalar::I32, 4));
        ensure(fits, || format!("a texel is not of type {ty}"))
    };
    let readable = || ensure(image.readable, || "the image is not readable".into());
    match op {
        ImageOp::SampledRead => {
            let [_, sampler, position, level] = s.take()?;
            ensure(level == Type::F32, || format!("a level of detail is not of type {level}"))?;
            ensure(sampler == Type::Sampler, || format!("the second operand is a sampler, not {sampler}"))?;
            coordinates(position, &[Scalar::F32])?;
            readable()?;
            s.returns(Type::Vector(Scalar::F32, 4))
        }
        ImageOp::SampledTexel => {
            let [_, sampler, position] = s.take()?;
            ensure(sampler == Type::Sampler, || format!("the second operand is a sampler, not {sampler}"))?;
            let fits = matches!(image.dimension, ImageDimension::D1 | ImageDimension::D2);
            ensure(fits, || "texels are sampled of images of one or two dimensions".into())?;
            coordinates(position, &[Scalar::F32])?;
            readable()?;
            s.returns(Type::Vector(Scalar::F32, 4))
        }
        ImageOp::Read { .. } => {
            let [_, position] = level_last(s)?;
            coordinates(position, &[Scalar::I32])?;
            readable()?;
            texel(s.result()?)
        }
        ImageOp::Write { .. } => {
            let [_, position, value] = level_last(s)?;
            coordinates(position, &[Scalar::I32])?;
            ensure(image.writable, || "the image is not writable".into())?;
            texel(value)?;
            s.no_result()
        }
        ImageOp::Query(_) => {
            let [_] = s.take()?;
            s.returns(Type::I32)
        }
    }
}
