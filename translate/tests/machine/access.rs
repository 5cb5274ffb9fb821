//! Pointers, loads and stores, copies, and atomic operations.

use super::compute::{self, from_bytes, scalar, signed, to_bytes};
use super::item::{Item, compute_lanes};
use super::memory::Kind;
use super::{Bits, Fault, Machine, float, index};
use clvk_interface::PROGRAM_VARIABLES_TAG;
use clvk_ir::{
    AccessOp, AtomicOp, BinaryOp, Constant, ElementCount, Function, Inst, InstData, MathOp, Op, Scalar, Type,
    Variable, VariableData, VariableSpace,
};

/// Whether an operation makes or uses a pointer.
pub fn is_access(op: &Op) -> bool {
    matches!(
        op,
        Op::Load { .. }
            | Op::Store { .. }
            | Op::MemoryCopy { .. }
            | Op::MemoryZero { .. }
            | Op::PointerOffset(_)
            | Op::Within(_)
            | Op::Apart { .. }
            | Op::Access { .. }
            | Op::PointerIndex { .. }
            | Op::PointerSpace
            | Op::AtomicRmw { .. }
            | Op::AtomicCompareExchange { .. }
            | Op::AtomicLoad { .. }
            | Op::AtomicStore { .. }
            | Op::Fence { .. }
            | Op::ElementPointer(_)
            | Op::PhysicalPointer(_)
            | Op::ImplicitBuffer(_)
    )
}

/// Bytes from one element of a variable to the next; a vector of 3 takes as much as one of 4.
pub fn stride(data: &VariableData) -> u64 {
    u64::from(scalar(data.element).size() * data.element.lanes().next_power_of_two())
}

/// The bytes of a value in memory.
fn bytes_of(ty: Type, value: &[u64]) -> Vec<u8> {
    value.iter().flat_map(|&lane| to_bytes(scalar(ty), lane)).collect()
}

impl<'m> Machine<'m> {
    /// Executes one of these operations.
    pub fn access(
        &mut self,
        item: &mut Item<'m>,
        inst: Inst,
        data: &InstData,
        operands: &[Bits],
    ) -> Result<Vec<Bits>, Fault> {
        let function = item.frame().function;
        let pointer = operands.first().map_or(0, |bits| bits[0]);
        let one = |bits: u64| Ok(vec![Bits::from_slice(&[bits])]);
        match &data.op {
            Op::Within(_) | Op::Apart { .. } | Op::Access { op: AccessOp::Done, .. } => one(pointer),
            Op::Access { op: AccessOp::Note, .. } => Ok(Vec::new()),
            Op::Access { .. } => one(1),
            Op::PointerOffset(offset) => one(pointer.wrapping_add_signed(*offset)),
            Op::PointerIndex { stride } => {
                let index = signed(scalar(function.ty(data.operands[1])), operands[1][0]);
                one(pointer.wrapping_add_signed(index.wrapping_mul(*stride as i64)))
            }
            Op::PointerSpace => one(self.memory.kind(pointer)? as u64),
            Op::PhysicalPointer(_) => one(pointer),
            Op::ElementPointer(variable) => {
                let start = self.variable(item, *variable)?;
                let data = &function.variables[*variable];
                let distance = signed(Scalar::I32, pointer) * stride(data) as i64;
                let lane = match operands.get(1) {
                    Some(lane) if lane[0] < u64::from(data.element.lanes()) => lane[0],
                    Some(lane) => return Err(format!("{} has no lane {}", data.element, lane[0])),
                    None => 0,
                };
                let within = lane * u64::from(scalar(data.element).size());
                one(start.wrapping_add_signed(distance).wrapping_add(within))
            }
            Op::ImplicitBuffer(which) => one(self.passed.implicit(*which)?),
            Op::Load { align, .. } => {
                let ty = function.ty(data.results[0]);
                check(function, data, pointer, *align, ty, self.settings.memory_lowered)?;
                let bytes = self.memory.read(pointer, ty.access_size() as usize)?;
                let value = compute_lanes(ty, bytes);
                Ok(vec![if ty.is_pointer() { self.pointer_from_memory(value) } else { value }])
            }
            Op::Store { align, .. } => {
                let ty = function.ty(data.operands[1]);
                check(function, data, pointer, *align, ty, self.settings.memory_lowered)?;
                self.put(pointer, &bytes_of(ty, &operands[1]))?;
                Ok(Vec::new())
            }
            Op::MemoryZero { size, align } => {
                aligned(pointer, *align)?;
                self.memory.write(pointer, *size as usize)?.fill(0);
                Ok(Vec::new())
            }
            Op::MemoryCopy { size, align } => {
                aligned(pointer, *align)?;
                aligned(operands[1][0], *align)?;
                let copied = self.memory.read(operands[1][0], *size as usize)?.to_vec();
                self.put(pointer, &copied)?;
                Ok(Vec::new())
            }
            Op::Fence { .. } => Ok(Vec::new()),
            _ => self.atomic(function, inst, data, operands),
        }
    }

    /// A loaded pointer. Until `lower-memory` gives them a meaning, the pointers that the host puts among the
    /// program's variables carry a tag if they are not addresses.
    fn pointer_from_memory(&self, pointer: Bits) -> Bits {
        match self.passed.program_variables {
            Some(start) if pointer[0] >> 32 == u64::from(PROGRAM_VARIABLES_TAG) => {
                Bits::from_slice(&[start + (pointer[0] & 0xffff_ffff)])
            }
            _ => pointer,
        }
    }

    fn put(&mut self, address: u64, bytes: &[u8]) -> Result<(), Fault> {
        self.memory.write(address, bytes.len())?.copy_from_slice(bytes);
        Ok(())
    }

    /// The address of a typed variable; private ones are made when the work-item first uses them.
    fn variable(&mut self, item: &mut Item<'m>, variable: Variable) -> Result<u64, Fault> {
        let data = &item.frame().function.variables[variable];
        if let VariableSpace::StorageBuffer { binding, .. } = data.space {
            return self.passed.binding(binding);
        }
        if data.shared {
            return Ok(item.shared[data.name.as_str()]);
        }
        if let Some(address) = item.frame().variables[index(variable)] {
            return Ok(address);
        }
        let ElementCount::Fixed(count) = data.count else {
            return Err(format!("the variable `{}` has no size", data.name));
        };
        let mut bytes = self.undefined((u64::from(count) * stride(data)) as usize);
        for (constant, element) in data.initializer.iter().zip(bytes.chunks_mut(stride(data) as usize)) {
            fill(element, data.element, constant);
        }
        let is_table = data.space == VariableSpace::ConstantTable;
        let kind = if is_table { Kind::Constant } else { Kind::Private };
        let address = self.memory.add(kind, bytes);
        item.frame().variables[index(variable)] = Some(address);
        Ok(address)
    }

    fn atomic(
        &mut self,
        function: &Function,
        inst: Inst,
        data: &InstData,
        operands: &[Bits],
    ) -> Result<Vec<Bits>, Fault> {
        let is_store = matches!(data.op, Op::AtomicStore { .. });
        let ty = function.ty(if is_store { data.operands[1] } else { data.results[0] });
        let (pointer, size) = (operands[0][0], ty.access_size());
        check(function, data, pointer, size, ty, self.settings.memory_lowered)?;
        let old = from_bytes(self.memory.read(pointer, size as usize)?);
        let operand = |index: usize| operands[index][0];
        let new = match data.op {
            Op::AtomicLoad { .. } => None,
            Op::AtomicStore { .. } => Some(operand(1)),
            Op::AtomicCompareExchange { .. } => (old == operand(1)).then(|| operand(2)),
            Op::AtomicRmw { op, .. } => Some(self.changed(op, ty, old, operand(1))?),
            ref other => return Err(format!("{inst:?}: {other:?} is not an atomic operation")),
        };
        if let Some(new) = new {
            self.put(pointer, &bytes_of(ty, &[new]))?;
        }
        Ok(if is_store { Vec::new() } else { vec![Bits::from_slice(&[old])] })
    }

    /// The number that an atomic operation computes.
    fn changed(&self, op: AtomicOp, ty: Type, old: u64, operand: u64) -> Result<u64, Fault> {
        let (scalar, any) = (scalar(ty), self.any());
        let op = match op {
            AtomicOp::Exchange => return Ok(operand),
            AtomicOp::FAdd => return Ok(float::binary(BinaryOp::FAdd, scalar, old, operand, any)),
            AtomicOp::FMin => return float::math(MathOp::FMin, scalar, &[old, operand], any),
            AtomicOp::FMax => return float::math(MathOp::FMax, scalar, &[old, operand], any),
            AtomicOp::Add => BinaryOp::Add,
            AtomicOp::Sub => BinaryOp::Sub,
            AtomicOp::And => BinaryOp::And,
            AtomicOp::Or => BinaryOp::Or,
            AtomicOp::Xor => BinaryOp::Xor,
            AtomicOp::SMin => BinaryOp::SMin,
            AtomicOp::SMax => BinaryOp::SMax,
            AtomicOp::UMin => BinaryOp::UMin,
            AtomicOp::UMax => BinaryOp::UMax,
        };
        let operands = [old, operand].map(|bits| (Bits::from_slice(&[bits]), ty));
        Ok(compute::compute(&Op::Binary(op), &operands, ty, &mut || any)?[0])
    }
}

/// Writes a constant to an element.
fn fill(element: &mut [u8], ty: Type, constant: &Constant) {
    let size = scalar(ty).size() as usize;
    for (lane, bytes) in element.chunks_mut(size).enumerate().take(ty.lanes() as usize) {
        if let Some(bits) = constant.lane(lane) {
            bytes.iter_mut().zip(to_bytes(scalar(ty), bits)).for_each(|(to, from)| *to = from);
        }
    }
}

fn aligned(address: u64, align: u32) -> Result<(), Fault> {
    if address.is_multiple_of(u64::from(align)) {
        return Ok(());
    }
    Err(format!("{address:#x} is not a multiple of {align}"))
}

/// Checks what an access claims and, in lowered memory, the rest of what Vulkan demands: typed pointers are
/// used with the type of their variable, and memory reached by address is accessed at multiples of its
/// scalar's size.
fn check(
    function: &Function,
    data: &InstData,
    address: u64,
    align: u32,
    ty: Type,
    lowered: bool,
) -> Result<(), Fault> {
    aligned(address, align)?;
    if !lowered {
        return Ok(());
    }
    let made_by = function.defining_inst(data.operands[0]).map(|inst| &function.insts[inst]);
    match made_by.map(|made_by| (&made_by.op, made_by.operands.len())) {
        Some((Op::ElementPointer(variable), operands)) => {
            let element = function.variables[*variable].element;
            let element = if operands == 2 { Type::Scalar(scalar(element)) } else { element };
            if element == ty { Ok(()) } else { Err(format!("{ty} is accessed in a variable of {element}")) }
        }
        Some((Op::PhysicalPointer(_), _)) => aligned(address, scalar(ty).size()),
        _ => Err("memory is lowered, but a pointer is neither to an element nor an address".to_owned()),
    }
}
