//! Atomic operations and barriers (SPIR-V §3.49.18 and §3.49.20).

use super::Body;
use crate::binary::{Id, Instruction};
use crate::error::Error;
use clvk_ir::{
    AtomicOp, ConvertOp, FenceFlags, MemoryOrder, Op as IrOp, Scalar, Scope, Type, UnaryOp, Value,
};
use rspirv::spirv::{MemorySemantics, Op, Scope as SpirvScope};

impl Body<'_, '_> {
    /// Translates an instruction of these chapters; gives whether it is one.
    pub fn synchronization(&mut self, op: Op, instruction: &Instruction<'_>) -> Result<bool, Error> {
        if let Some(op) = fetch(op) {
            let value = self.value_at(3, instruction)?;
            self.modify(op, value, instruction)?;
            return Ok(true);
        }
        match op {
            Op::ControlBarrier => {
                let execution = self.scope(instruction.operand(0)?, instruction)?;
                if !matches!(execution, Scope::WorkGroup | Scope::SubGroup) {
                    return Err(instruction.error("barriers are of work-groups or sub-groups"));
                }
                let memory = self.scope(instruction.operand(1)?, instruction)?;
                let (_, flags) = self.semantics(instruction.operand(2)?, instruction)?;
                self.push(IrOp::Barrier { execution, memory, flags }, &[], &[]);
            }
            Op::MemoryBarrier => {
                let scope = self.scope(instruction.operand(0)?, instruction)?;
                let (order, flags) = self.semantics(instruction.operand(1)?, instruction)?;
                if order != MemoryOrder::Relaxed {
                    self.push(IrOp::Fence { order, scope, flags }, &[], &[]);
                }
            }
            Op::AtomicLoad => self.atomic_load(instruction)?,
            Op::AtomicStore => {
                let value = self.value_at(3, instruction)?;
                self.atomic_store(value, instruction)?;
            }
            Op::AtomicIIncrement | Op::AtomicIDecrement => {
                let ty = self.integer_result(instruction)?;
                let one = self.function.int(ty, 1);
                self.modify(
                    if op == Op::AtomicIIncrement { AtomicOp::Add } else { AtomicOp::Sub },
                    one,
                    instruction,
                )?;
            }
            Op::AtomicISub => {
                let value = self.value_at(3, instruction)?;
                self.modify(AtomicOp::Sub, value, instruction)?;
            }
            Op::AtomicCompareExchange | Op::AtomicCompareExchangeWeak => {
                self.compare_exchange(instruction)?
            }
            Op::AtomicFlagTestAndSet => {
                let set = self.function.int(Type::I32, 1);
                let old = self.read_modify_write(AtomicOp::Exchange, set, instruction)?;
                let value = self.truth(old);
                self.define_value(instruction, value)?;
            }
            Op::AtomicFlagClear => {
                let clear = self.function.int(Type::I32, 0);
                self.atomic_store(clear, instruction)?;
            }
            Op::ReadClockKHR => self.clock(instruction)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// `OpReadClockKHR`: 64 bits, or two words. A work-group's work-items share the device's clock.
    /// (OpenCL has one scope more than SPV_KHR_shader_clock: OpenCL SPIR-V environment specification,
    /// `cl_khr_kernel_clock`.)
    fn clock(&mut self, instruction: &Instruction<'_>) -> Result<(), Error> {
        let scope = self.reader.index.integer(instruction.operand(0)?, instruction)?;
        let scope = match SpirvScope::from_u32(scope as u32) {
            Some(SpirvScope::Subgroup) => Scope::SubGroup,
            Some(SpirvScope::Device | SpirvScope::Workgroup) => Scope::Device,
            _ => return Err(instruction.error("clocks are of devices, work-groups or sub-groups")),
        };
        let words = Type::Vector(Scalar::I32, 2);
        let value = self.build().value(IrOp::ReadClock(scope), &[], words);
        let value = match self.result_value_type(instruction)? {
            Type::I64 => self.build().convert(ConvertOp::Bitcast, value, Type::I64),
            ty if ty == words => value,
            _ => return Err(instruction.error("a clock gives 64 bits")),
        };
        self.define_value(instruction, value)
    }

    /// For whom an atomic operation is done, and in which order.
    fn atomic(&self, instruction: &Instruction<'_>) -> Result<(Scope, MemoryOrder), Error> {
        let scope = self.scope(instruction.operand(1)?, instruction)?;
        let (order, _) = self.semantics(instruction.operand(2)?, instruction)?;
        Ok((scope, order))
    }

    fn atomic_load(&mut self, instruction: &Instruction<'_>) -> Result<(), Error> {
        let ty = self.result_value_type(instruction)?;
        let pointer = self.pointer(instruction.operand(0)?, instruction)?;
        let (scope, order) = self.atomic(instruction)?;
        let op = IrOp::AtomicLoad { order: of_load(order), scope };
        let value = self.build().value(op, &[pointer], ty);
        self.define_value(instruction, value)
    }

    fn atomic_store(&mut self, value: Value, instruction: &Instruction<'_>) -> Result<(), Error> {
        let pointer = self.writable(instruction.operand(0)?, instruction)?;
        let (scope, order) = self.atomic(instruction)?;
        let order = match order {
            MemoryOrder::Acquire => MemoryOrder::Relaxed,
            MemoryOrder::AcquireRelease => MemoryOrder::Release,
            other => other,
        };
        self.push(IrOp::AtomicStore { order, scope }, &[pointer, value], &[]);
        Ok(())
    }

    fn modify(&mut self, op: AtomicOp, value: Value, instruction: &Instruction<'_>) -> Result<(), Error> {
        let old = self.read_modify_write(op, value, instruction)?;
        self.define_value(instruction, old)
    }

    fn read_modify_write(
        &mut self,
        op: AtomicOp,
        mut value: Value,
        instruction: &Instruction<'_>,
    ) -> Result<Value, Error> {
        let ty = self.function.ty(value);
        let pointer = self.writable(instruction.operand(0)?, instruction)?;
        let (scope, order) = self.atomic(instruction)?;
        let op = match op {
            AtomicOp::Sub if ty.is_float() => {
                value = self.build().unary(UnaryOp::FNeg, value);
                AtomicOp::FAdd
            }
            other => other,
        };
        Ok(self.build().value(IrOp::AtomicRmw { op, order, scope }, &[pointer, value], ty))
    }

    fn compare_exchange(&mut self, instruction: &Instruction<'_>) -> Result<(), Error> {
        let pointer = self.writable(instruction.operand(0)?, instruction)?;
        let (scope, success) = self.atomic(instruction)?;
        let failure = of_load(self.semantics(instruction.operand(3)?, instruction)?.0);
        let (new, expected) = (self.value_at(4, instruction)?, self.value_at(5, instruction)?);
        let ty = self.function.ty(new);
        if !ty.is_int() {
            return Err(instruction.error(format!("the instruction compares integers, not {ty}")));
        }
        let op = IrOp::AtomicCompareExchange { success, failure, scope };
        let old = self.build().value(op, &[pointer, expected, new], ty);
        self.define_value(instruction, old)
    }

    /// A scope, which is a constant.
    pub fn scope(&self, id: Id, user: &Instruction<'_>) -> Result<Scope, Error> {
        match SpirvScope::from_u32(self.reader.index.integer(id, user)? as u32) {
            Some(SpirvScope::CrossDevice) => Ok(Scope::AllDevices),
            Some(SpirvScope::Device | SpirvScope::QueueFamily) => Ok(Scope::Device),
            Some(SpirvScope::Workgroup) => Ok(Scope::WorkGroup),
            Some(SpirvScope::Subgroup) => Ok(Scope::SubGroup),
            Some(SpirvScope::Invocation) => Ok(Scope::WorkItem),
            _ => Err(user.error("kernels do not have this scope")),
        }
    }

    fn semantics(&self, id: Id, user: &Instruction<'_>) -> Result<(MemoryOrder, FenceFlags), Error> {
        let bits = MemorySemantics::from_bits_retain(self.reader.index.integer(id, user)? as u32);
        let order = match () {
            () if bits.contains(MemorySemantics::SEQUENTIALLY_CONSISTENT) => {
                MemoryOrder::SequentiallyConsistent
            }
            () if bits.contains(MemorySemantics::ACQUIRE_RELEASE) => MemoryOrder::AcquireRelease,
            () if bits.contains(MemorySemantics::ACQUIRE | MemorySemantics::RELEASE) => {
                MemoryOrder::AcquireRelease
            }
            () if bits.contains(MemorySemantics::ACQUIRE) => MemoryOrder::Acquire,
            () if bits.contains(MemorySemantics::RELEASE) => MemoryOrder::Release,
            () => MemoryOrder::Relaxed,
        };
        let mut flags = FenceFlags::empty();
        flags.set(FenceFlags::LOCAL, bits.contains(MemorySemantics::WORKGROUP_MEMORY));
        flags.set(FenceFlags::GLOBAL, bits.contains(MemorySemantics::CROSS_WORKGROUP_MEMORY));
        flags.set(FenceFlags::IMAGE, bits.contains(MemorySemantics::IMAGE_MEMORY));
        Ok((order, flags))
    }
}

/// The order of a load, which releases nothing.
fn of_load(order: MemoryOrder) -> MemoryOrder {
    match order {
        MemoryOrder::Release => MemoryOrder::Relaxed,
        MemoryOrder::AcquireRelease => MemoryOrder::Acquire,
        other => other,
    }
}

fn fetch(op: Op) -> Option<AtomicOp> {
    Some(match op {
        Op::AtomicExchange => AtomicOp::Exchange,
        Op::AtomicIAdd => AtomicOp::Add,
        Op::AtomicSMin => AtomicOp::SMin,
        Op::AtomicUMin => AtomicOp::UMin,
        Op::AtomicSMax => AtomicOp::SMax,
        Op::AtomicUMax => AtomicOp::UMax,
        Op::AtomicAnd => AtomicOp::And,
        Op::AtomicOr => AtomicOp::Or,
        Op::AtomicXor => AtomicOp::Xor,
        Op::AtomicFAddEXT => AtomicOp::FAdd,
        Op::AtomicFMinEXT => AtomicOp::FMin,
        Op::AtomicFMaxEXT => AtomicOp::FMax,
        _ => return None,
    })
}
