//! Launch queries, and what the work-items of a group compute together.

use super::function::FunctionWriter;
use crate::emit::control::Body;
use crate::emit::sub_groups;
use clvk_ir::{
    Constant, ConvertOp, GroupArithmetic, Inst, Op, PackedDot, Scalar, Scope, SubGroupOp, Type, WorkItemQuery,
};
use rspirv::{
    dr::Operand,
    spirv::{self, BuiltIn, Capability, GroupOperation, PackedVectorFormat, Word},
};

/// The first version of SPIR-V with the operations of sub-groups that some work-items may leave out.
const NON_UNIFORM: (u32, u32) = (1, 3);

impl FunctionWriter<'_, '_> {
    /// A query about the launch: a built-in variable, or a lane of it.
    pub fn launch_query(&mut self, inst: Inst, query: WorkItemQuery, ty: Type) -> Word {
        let Some((built_in, of_three)) = built_in(query) else { self.left(inst) };
        if query.is_of_sub_groups() {
            self.module.writer.require(Capability::Kernel);
        }
        let variable_type = if of_three { Type::Vector(Scalar::I64, 3) } else { ty };
        let variable = self.module.writer.input(built_in, variable_type);
        self.written.inputs.insert(variable);
        let value = self.compute(spirv::Op::Load, variable_type, &[variable]);
        if !of_three {
            return value;
        }
        let dimension = self.function.insts[inst].operands[0];
        match self.function.as_bits(dimension) {
            Some(lane) => {
                let ty = self.module.writer.value_type(ty);
                let operands = vec![Operand::IdRef(value), Operand::LiteralBit32(lane as u32)];
                self.add(spirv::Op::CompositeExtract, ty, operands)
            }
            None => {
                let dimension = self.id(dimension);
                self.compute(spirv::Op::VectorExtractDynamic, ty, &[value, dimension])
            }
        }
    }

    /// An operation of a sub-group.
    pub fn sub_group(&mut self, inst: Inst, op: SubGroupOp, ty: Type) -> Word {
        let constant_index = || self.function.as_constant(self.function.insts[inst].operands[1]).is_some();
        // The index of a broadcast must be a constant before SPIR-V 1.5; that of a shuffle need not be.
        let op = match op {
            SubGroupOp::Broadcast if !constant_index() => SubGroupOp::Shuffle,
            op => op,
        };
        let (opcode, capability, group) = sub_groups::instruction(op, ty);
        self.module.writer.needs_version(NON_UNIFORM);
        self.module.writer.require(Capability::GroupNonUniform);
        self.module.writer.require(capability);
        let scope = self.scope(Scope::SubGroup);
        let mut operands = vec![Operand::IdScope(scope)];
        operands.extend(group.map(Operand::GroupOperation));
        operands.extend(self.operands(inst).into_iter().map(Operand::IdRef));
        let ty = self.module.writer.value_type(ty);
        self.add(opcode, ty, operands)
    }

    /// A reduction or scan of a work-group.
    pub fn work_group(
        &mut self,
        inst: Inst,
        participants: GroupOperation,
        op: GroupArithmetic,
        ty: Type,
    ) -> Word {
        if participants == GroupOperation::Reduce
            && let Some(result) = self.vote(inst, op, ty)
        {
            return result;
        }
        let (opcode, is_extension) = match op {
            GroupArithmetic::Add => (spirv::Op::GroupIAdd, false),
            GroupArithmetic::FAdd => (spirv::Op::GroupFAdd, false),
            GroupArithmetic::SMin => (spirv::Op::GroupSMin, false),
            GroupArithmetic::UMin => (spirv::Op::GroupUMin, false),
            GroupArithmetic::FMin => (spirv::Op::GroupFMin, false),
            GroupArithmetic::SMax => (spirv::Op::GroupSMax, false),
            GroupArithmetic::UMax => (spirv::Op::GroupUMax, false),
            GroupArithmetic::FMax => (spirv::Op::GroupFMax, false),
            GroupArithmetic::Mul => (spirv::Op::GroupIMulKHR, true),
            GroupArithmetic::FMul => (spirv::Op::GroupFMulKHR, true),
            GroupArithmetic::And => (spirv::Op::GroupBitwiseAndKHR, true),
            GroupArithmetic::Or => (spirv::Op::GroupBitwiseOrKHR, true),
            GroupArithmetic::Xor => (spirv::Op::GroupBitwiseXorKHR, true),
        };
        self.module.writer.require(Capability::Groups);
        if is_extension {
            self.module.writer.require(Capability::GroupUniformArithmeticKHR);
            self.module.writer.extension("SPV_KHR_uniform_group_instructions");
        }
        let (scope, value) = (self.scope(Scope::WorkGroup), self.operand(inst, 0));
        let operands =
            vec![Operand::IdScope(scope), Operand::GroupOperation(participants), Operand::IdRef(value)];
        let ty = self.module.writer.value_type(ty);
        self.add(opcode, ty, operands)
    }

    /// `work_group_all` and `work_group_any`: the front end reduces truth values as 0 and 1.
    fn vote(&mut self, inst: Inst, op: GroupArithmetic, ty: Type) -> Option<Word> {
        let opcode = match op {
            GroupArithmetic::And => spirv::Op::GroupAll,
            GroupArithmetic::Or => spirv::Op::GroupAny,
            _ => return None,
        };
        let function = self.function;
        let value = &function.insts[function.defining_inst(function.insts[inst].operands[0])?];
        if value.op != Op::Convert(ConvertOp::ZeroExtend) || !function.ty(value.operands[0]).is_bool() {
            return None;
        }
        self.module.writer.require(Capability::Groups);
        let (scope, condition) = (self.scope(Scope::WorkGroup), self.id(value.operands[0]));
        let truth = self.module.writer.value_type(Type::BOOL);
        let operands = vec![Operand::IdScope(scope), Operand::IdRef(condition)];
        let result = self.add(opcode, truth, operands);
        let [one, zero] = [1, 0].map(|bits| self.module.writer.constant(ty, &Constant::Bits(bits)));
        Some(self.compute(spirv::Op::Select, ty, &[result, one, zero]))
    }

    /// The value of one work-item of a work-group, by its local ids.
    pub fn work_group_broadcast(&mut self, inst: Inst, ty: Type) -> Word {
        self.module.writer.require(Capability::Groups);
        let ids: Vec<Word> = (1..4).map(|position| self.operand(inst, position)).collect();
        let item = self.construct(Type::Vector(Scalar::I64, 3), &ids);
        let (scope, value) = (self.scope(Scope::WorkGroup), self.operand(inst, 0));
        let operands = vec![Operand::IdScope(scope), Operand::IdRef(value), Operand::IdRef(item)];
        let ty = self.module.writer.value_type(ty);
        self.add(spirv::Op::GroupBroadcast, ty, operands)
    }

    /// A dot product of four bytes in a word.
    pub fn packed_dot(&mut self, inst: Inst, signs: PackedDot, ty: Type) -> Word {
        self.module.writer.require(Capability::DotProduct);
        self.module.writer.require(Capability::DotProductInput4x8BitPacked);
        self.module.writer.extension("SPV_KHR_integer_dot_product");
        let opcode = sub_groups::dot_product(signs);
        let mut operands: Vec<Operand> = self.operands(inst).into_iter().map(Operand::IdRef).collect();
        operands.push(Operand::PackedVectorFormat(PackedVectorFormat::PackedVectorFormat4x8Bit));
        let ty = self.module.writer.value_type(ty);
        self.add(opcode, ty, operands)
    }

    /// A clock.
    pub fn read_clock(&mut self, scope: Scope, ty: Type) -> Word {
        self.module.writer.require(Capability::ShaderClockKHR);
        self.module.writer.extension("SPV_KHR_shader_clock");
        let scope = self.scope(scope);
        let ty = self.module.writer.value_type(ty);
        self.add(spirv::Op::ReadClockKHR, ty, vec![Operand::IdScope(scope)])
    }
}

/// The variable that answers a query, and whether it has a lane for each dimension.
fn built_in(query: WorkItemQuery) -> Option<(BuiltIn, bool)> {
    Some(match query {
        WorkItemQuery::WorkDim => (BuiltIn::WorkDim, false),
        WorkItemQuery::GlobalSize => (BuiltIn::GlobalSize, true),
        WorkItemQuery::GlobalId => (BuiltIn::GlobalInvocationId, true),
        WorkItemQuery::LocalSize => (BuiltIn::WorkgroupSize, true),
        WorkItemQuery::EnqueuedLocalSize => (BuiltIn::EnqueuedWorkgroupSize, true),
        WorkItemQuery::LocalId => (BuiltIn::LocalInvocationId, true),
        WorkItemQuery::NumGroups => (BuiltIn::NumWorkgroups, true),
        WorkItemQuery::GroupId => (BuiltIn::WorkgroupId, true),
        WorkItemQuery::GlobalOffset => (BuiltIn::GlobalOffset, true),
        WorkItemQuery::GlobalLinearId => (BuiltIn::GlobalLinearId, false),
        WorkItemQuery::LocalLinearId => (BuiltIn::LocalInvocationIndex, false),
        WorkItemQuery::SubGroupSize => (BuiltIn::SubgroupSize, false),
        WorkItemQuery::MaxSubGroupSize => (BuiltIn::SubgroupMaxSize, false),
        WorkItemQuery::NumSubGroups => (BuiltIn::NumSubgroups, false),
        WorkItemQuery::EnqueuedNumSubGroups => (BuiltIn::NumEnqueuedSubgroups, false),
        WorkItemQuery::SubGroupId => (BuiltIn::SubgroupId, false),
        WorkItemQuery::SubGroupLocalId => (BuiltIn::SubgroupLocalInvocationId, false),
        WorkItemQuery::DispatchLinearId | WorkItemQuery::CommandNumber | WorkItemQuery::Zero => return None,
    })
}
