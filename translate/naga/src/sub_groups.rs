//! Operations of sub-groups. They are statements in naga's modules.

use crate::kernel::Kernel;
use clvk_ir::{GroupArithmetic, Inst, SubGroupOp, Type};
use naga::{
    CollectiveOperation, Expression, GatherMode, Handle, Literal, ScalarKind, Statement, SubgroupOperation,
};

/// WGSL takes no larger index in a broadcast.
const MOST_WORK_ITEMS: u32 = 128;

impl Kernel<'_, '_> {
    /// An operation of a sub-group.
    pub fn sub_group(&mut self, inst: Inst, op: SubGroupOp) -> Handle<Expression> {
        let ty = self.function.ty(self.function.insts[inst].results[0]);
        let argument = self.operand(inst, 0);
        let reduce = CollectiveOperation::Reduce;
        match op {
            SubGroupOp::All => self.collective(reduce, SubgroupOperation::All, argument, ty),
            SubGroupOp::Any => self.collective(reduce, SubgroupOperation::Any, argument, ty),
            SubGroupOp::Ballot => {
                let result = self.result_of(Expression::SubgroupBallotResult);
                self.statement(Statement::SubgroupBallot { result, predicate: Some(argument) });
                result
            }
            SubGroupOp::BroadcastFirst => self.gather(GatherMode::BroadcastFirst, argument, ty),
            SubGroupOp::Broadcast => {
                let index = self.operand(inst, 1);
                let mode = match self.out.expressions[index] {
                    Expression::Literal(Literal::U32(lane)) if lane < MOST_WORK_ITEMS => {
                        GatherMode::Broadcast(index)
                    }
                    _ => self.shuffle(index),
                };
                self.gather(mode, argument, ty)
            }
            SubGroupOp::Shuffle => {
                let index = self.operand(inst, 1);
                let mode = self.shuffle(index);
                self.gather(mode, argument, ty)
            }
            SubGroupOp::Reduce(op) => self.arithmetic(reduce, op, argument, ty),
            SubGroupOp::InclusiveScan(op) => {
                self.arithmetic(CollectiveOperation::InclusiveScan, op, argument, ty)
            }
            SubGroupOp::ExclusiveScan(op) => {
                self.arithmetic(CollectiveOperation::ExclusiveScan, op, argument, ty)
            }
            SubGroupOp::Elect | SubGroupOp::ClusteredReduce(_) => self.left(inst),
        }
    }

    /// A constant index must be in range even if it is never evaluated, so it is hidden.
    fn shuffle(&mut self, index: Handle<Expression>) -> GatherMode {
        GatherMode::Shuffle(self.opaque(index, Type::I32))
    }

    fn gather(&mut self, mode: GatherMode, argument: Handle<Expression>, ty: Type) -> Handle<Expression> {
        let ty = self.builder.value_type(ty);
        let result = self.result_of(Expression::SubgroupOperationResult { ty });
        self.statement(Statement::SubgroupGather { mode, argument, result });
        result
    }

    /// A reduction or scan; of signed numbers where the operation compares those.
    fn arithmetic(
        &mut self,
        collective: CollectiveOperation,
        arithmetic: GroupArithmetic,
        argument: Handle<Expression>,
        ty: Type,
    ) -> Handle<Expression> {
        use GroupArithmetic as G;
        let op = match arithmetic {
            G::Add | G::FAdd => SubgroupOperation::Add,
            G::Mul | G::FMul => SubgroupOperation::Mul,
            G::SMin | G::UMin | G::FMin => SubgroupOperation::Min,
            G::SMax | G::UMax | G::FMax => SubgroupOperation::Max,
            G::And => SubgroupOperation::And,
            G::Or => SubgroupOperation::Or,
            G::Xor => SubgroupOperation::Xor,
        };
        if !matches!(arithmetic, G::SMin | G::SMax) {
            return self.collective(collective, op, argument, ty);
        }
        let argument = self.reinterpret(argument, ScalarKind::Sint);
        let ty = self.builder.ty(naga::TypeInner::Scalar(naga::Scalar::I32));
        let signed = self.collective_of(collective, op, argument, ty);
        self.reinterpret(signed, ScalarKind::Uint)
    }

    fn collective(
        &mut self,
        collective: CollectiveOperation,
        op: SubgroupOperation,
        argument: Handle<Expression>,
        ty: Type,
    ) -> Handle<Expression> {
        let ty = self.builder.value_type(ty);
        self.collective_of(collective, op, argument, ty)
    }

    fn collective_of(
        &mut self,
        collective_op: CollectiveOperation,
        op: SubgroupOperation,
        argument: Handle<Expression>,
        ty: Handle<naga::Type>,
    ) -> Handle<Expression> {
        let result = self.result_of(Expression::SubgroupOperationResult { ty });
        self.statement(Statement::SubgroupCollectiveOperation { op, collective_op, argument, result });
        result
    }
}
