//! What sub-groups compute.

use super::kernel::Kernel;
use clvk_ir::{GroupArithmetic, Inst, SubGroupOp, Type};
use rspirv::{
    dr::Operand,
    spirv::{self, Capability, GroupOperation, Word},
};

impl Kernel<'_, '_, '_> {
    /// Writes an operation of a sub-group, on a type that the device has for it.
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

fn instruction(op: SubGroupOp, ty: Type) -> (spirv::Op, Capability, Option<GroupOperation>) {
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
        SubGroupOp::ClusteredReduce(_) => panic!("legalisation leaves no reductions of clusters"),
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
