//! Sub-group operations, packed dot products, and clocks, which devices provide through extensions.

use super::control::Body;
use super::kernel::Kernel;
use clvk_ir::{GroupArithmetic, Inst, PackedDot, Scope, SubGroupOp, Type};
use rspirv::{
    dr::Operand,
    spirv::{self, Capability, GroupOperation, PackedVectorFormat, Word},
};

/// Never part of core SPIR-V.
pub const NOT_CORE: (u32, u32) = (u32::MAX, 0);

impl Kernel<'_, '_> {
    /// Writes a sub-group operation, on a type that the device supports for it.
    pub fn sub_group(&mut self, inst: Inst, op: SubGroupOp, ty: Type) -> Word {
        let (opcode, capability, group) = instruction(op, ty);
        self.writer.require(Capability::GroupNonUniform);
        self.writer.require(capability);
        let scope = self.writer.word(spirv::Scope::Subgroup as u32);
        let mut operands = vec![Operand::IdScope(scope)];
        operands.extend(group.map(Operand::GroupOperation));
        for position in 0..self.function.insts[inst].operands.len() {
            let operand = self.operand(inst, position);
            operands.push(Operand::IdRef(operand));
        }
        let ty = self.writer.value_type(ty);
        self.add(opcode, ty, operands)
    }
}

impl Kernel<'_, '_> {
    /// Writes a dot product of four bytes in a word.
    pub fn packed_dot(&mut self, inst: Inst, signs: PackedDot, ty: Type) -> Word {
        self.writer.require(Capability::DotProduct);
        self.writer.require(Capability::DotProductInput4x8BitPacked);
        self.writer.extension("SPV_KHR_integer_dot_product", (1, 6));
        let opcode = dot_product(signs);
        let mut operands: Vec<Operand> =
            (0..2).map(|position| Operand::IdRef(self.operand(inst, position))).collect();
        operands.push(Operand::PackedVectorFormat(PackedVectorFormat::PackedVectorFormat4x8Bit));
        let ty = self.writer.value_type(ty);
        self.add(opcode, ty, operands)
    }

    /// Writes a clock read.
    pub fn read_clock(&mut self, scope: Scope, ty: Type) -> Word {
        self.writer.require(Capability::ShaderClockKHR);
        self.writer.extension("SPV_KHR_shader_clock", NOT_CORE);
        let scope = match scope {
            Scope::Device => spirv::Scope::Device,
            _ => spirv::Scope::Subgroup,
        };
        let scope = self.writer.word(scope as u32);
        let ty = self.writer.value_type(ty);
        self.add(spirv::Op::ReadClockKHR, ty, vec![Operand::IdScope(scope)])
    }
}

/// The instruction of a dot product.
pub fn dot_product(signs: PackedDot) -> spirv::Op {
    match signs {
        PackedDot::Unsigned => spirv::Op::UDot,
        PackedDot::Signed => spirv::Op::SDot,
        PackedDot::Mixed => spirv::Op::SUDot,
    }
}

/// The instruction of a sub-group operation, the capability that it needs, and the work-items that take part.
pub fn instruction(op: SubGroupOp, ty: Type) -> (spirv::Op, Capability, Option<GroupOperation>) {
    use Capability as C;
    match op {
        SubGroupOp::All => (spirv::Op::GroupNonUniformAll, C::GroupNonUniformVote, None),
        SubGroupOp::Any => (spirv::Op::GroupNonUniformAny, C::GroupNonUniformVote, None),
        SubGroupOp::Elect => (spirv::Op::GroupNonUniformElect, C::GroupNonUniform, None),
        SubGroupOp::Ballot => (spirv::Op::GroupNonUniformBallot, C::GroupNonUniformBallot, None),
        SubGroupOp::Broadcast => (spirv::Op::GroupNonUniformBroadcast, C::GroupNonUniformBallot, None),
        SubGroupOp::BroadcastFirst => {
            (spirv::Op::GroupNonUniformBroadcastFirst, C::GroupNonUniformBallot, None)
        }
        SubGroupOp::Shuffle => (spirv::Op::GroupNonUniformShuffle, C::GroupNonUniformShuffle, None),
        SubGroupOp::Reduce(op) => {
            (arithmetic(op, ty), C::GroupNonUniformArithmetic, Some(GroupOperation::Reduce))
        }
        SubGroupOp::InclusiveScan(op) => {
            (arithmetic(op, ty), C::GroupNonUniformArithmetic, Some(GroupOperation::InclusiveScan))
        }
        SubGroupOp::ExclusiveScan(op) => {
            (arithmetic(op, ty), C::GroupNonUniformArithmetic, Some(GroupOperation::ExclusiveScan))
        }
        SubGroupOp::ClusteredReduce(op) => {
            (arithmetic(op, ty), C::GroupNonUniformClustered, Some(GroupOperation::ClusteredReduce))
        }
    }
}

fn arithmetic(op: GroupArithmetic, ty: Type) -> spirv::Op {
    let logical = ty.is_bool();
    match op {
        GroupArithmetic::Add => spirv::Op::GroupNonUniformIAdd,
        GroupArithmetic::FAdd => spirv::Op::GroupNonUniformFAdd,
        GroupArithmetic::Mul => spirv::Op::GroupNonUniformIMul,
        GroupArithmetic::FMul => spirv::Op::GroupNonUniformFMul,
        GroupArithmetic::SMin => spirv::Op::GroupNonUniformSMin,
        GroupArithmetic::UMin => spirv::Op::GroupNonUniformUMin,
        GroupArithmetic::FMin => spirv::Op::GroupNonUniformFMin,
        GroupArithmetic::SMax => spirv::Op::GroupNonUniformSMax,
        GroupArithmetic::UMax => spirv::Op::GroupNonUniformUMax,
        GroupArithmetic::FMax => spirv::Op::GroupNonUniformFMax,
        GroupArithmetic::And if logical => spirv::Op::GroupNonUniformLogicalAnd,
        GroupArithmetic::Or if logical => spirv::Op::GroupNonUniformLogicalOr,
        GroupArithmetic::Xor if logical => spirv::Op::GroupNonUniformLogicalXor,
        GroupArithmetic::And => spirv::Op::GroupNonUniformBitwiseAnd,
        GroupArithmetic::Or => spirv::Op::GroupNonUniformBitwiseOr,
        GroupArithmetic::Xor => spirv::Op::GroupNonUniformBitwiseXor,
    }
}
