//! Launch queries: work-item ids and sizes from the shader's inputs and push constants.

use super::Lowering;
use crate::passes::cursor::Cursor;
use crate::passes::launch_queries::LaunchQueries;
use clvk_interface::Quirk;
use clvk_ir::{
    BinaryOp, Constant, ConvertOp, InputVariable, Inst, Op, Scalar, SubGroupOp, Type, UnaryOp, Value,
    WorkItemQuery,
};

impl Lowering<'_, '_> {
    /// The answer to a query, as an integer of the query's type.
    pub(super) fn query(&mut self, query: WorkItemQuery, inst: Inst) -> Value {
        let narrow = match query {
            WorkItemQuery::WorkDim => {
                let offset = self.layout.words.work_dim.expect("placed where used");
                return self.cursor.value(Op::PushConstant { offset }, &[], Type::I32);
            }
            WorkItemQuery::CommandNumber => {
                let offset = self.layout.words.command_number.expect("placed where used");
                return self.cursor.value(Op::PushConstant { offset }, &[], Type::I32);
            }
            WorkItemQuery::Zero => {
                let offset = self.layout.words.zero.expect("placed where wanted");
                return self.cursor.value(Op::PushConstant { offset }, &[], Type::I32);
            }
            WorkItemQuery::LocalLinearId => {
                self.cursor.value(Op::Input(InputVariable::LocalInvocationIndex), &[], Type::I32)
            }
            WorkItemQuery::GlobalLinearId => self.global_linear_id(),
            WorkItemQuery::DispatchLinearId => self.dispatch_linear_id(),
            query if query.is_of_sub_groups() => return self.sub_group_query(query),
            _ => {
                let dimension = self.cursor.operands(inst)[0];
                self.in_dimension(query, dimension)
            }
        };
        let result = self.cursor.result(inst);
        let ty = self.cursor.function.ty(result);
        self.cursor.convert(ConvertOp::ZeroExtend, narrow, ty)
    }

    fn scalar_input(&mut self, input: InputVariable) -> Value {
        self.cursor.value(Op::Input(input), &[], Type::I32)
    }

    /// A query about the sub-group. Where the device has no sub-groups, each work-item is one.
    fn sub_group_query(&mut self, query: WorkItemQuery) -> Value {
        let native = self.profile.has_sub_groups();
        match query {
            WorkItemQuery::SubGroupSize if native => self.sub_group_size.expect("counted where used"),
            WorkItemQuery::MaxSubGroupSize if native => self.scalar_input(InputVariable::SubgroupSize),
            WorkItemQuery::NumSubGroups if native => self.count_sub_groups(),
            WorkItemQuery::EnqueuedNumSubGroups if native => {
                let items = self.work_items(Self::enqueued_local_size);
                self.sub_groups_of(items)
            }
            WorkItemQuery::SubGroupId if native => self.scalar_input(InputVariable::SubgroupId),
            WorkItemQuery::SubGroupLocalId if native => {
                self.scalar_input(InputVariable::SubgroupLocalInvocationId)
            }
            WorkItemQuery::NumSubGroups => self.work_items(Self::local_size),
            WorkItemQuery::EnqueuedNumSubGroups => self.work_items(Self::enqueued_local_size),
            WorkItemQuery::SubGroupId => self.scalar_input(InputVariable::LocalInvocationIndex),
            WorkItemQuery::SubGroupLocalId => self.cursor.int(Type::I32, 0),
            _ => self.cursor.int(Type::I32, 1),
        }
    }

    /// The number of work-items in a work-group of this size.
    fn work_items(&mut self, size: fn(&mut Self, u32) -> Value) -> Value {
        let sizes = [0, 1, 2].map(|dimension| size(self, dimension));
        self.volume(sizes)
    }

    /// The number of sub-groups in the work-group.
    fn count_sub_groups(&mut self) -> Value {
        if !self.profile.has(Quirk::FullSubgroupsCounted) {
            return self.scalar_input(InputVariable::NumSubgroups);
        }
        let items = self.work_items(Self::local_size);
        self.sub_groups_of(items)
    }

    /// The number of sub-groups for this many work-items.
    fn sub_groups_of(&mut self, items: Value) -> Value {
        let size = self.scalar_input(InputVariable::SubgroupSize);
        let last = self.cursor.binary_int(BinaryOp::Sub, size, 1);
        let up = self.cursor.binary(BinaryOp::Add, items, last);
        self.cursor.binary(BinaryOp::UDiv, up, size)
    }

    /// Counts the work-items of the sub-group, at the beginning of the kernel.
    pub(super) fn count_sub_group(&mut self) {
        if !self.profile.has_sub_groups() {
            return;
        }
        let everyone = self.cursor.function.constant(Type::BOOL, Constant::Bits(1));
        let words = Type::Vector(Scalar::I32, 4);
        let ballot = self.cursor.value(Op::SubGroup(SubGroupOp::Ballot), &[everyone], words);
        let mut size = self.cursor.int(Type::I32, 0);
        for lane in 0..self.profile.sub_group_size().div_ceil(32).min(4) {
            let word = self.cursor.extract(ballot, lane);
            let bits = self.cursor.value(Op::Unary(UnaryOp::PopCount), &[word], Type::I32);
            size = self.cursor.binary(BinaryOp::Add, bits, size);
        }
        self.sub_group_size = Some(size);
    }

    /// The local id, which is computed from the index where work-groups are one row.
    fn local_id(&mut self, dimension: u32) -> Value {
        if !self.flat {
            return self.input(InputVariable::LocalInvocationId, dimension);
        }
        let mut rest = self.scalar_input(InputVariable::LocalInvocationIndex);
        for before in 0..dimension {
            let size = self.local_size(before);
            rest = self.cursor.binary(BinaryOp::UDiv, rest, size);
        }
        if dimension == 2 {
            return rest;
        }
        let size = self.local_size(dimension);
        self.cursor.binary(BinaryOp::URem, rest, size)
    }

    fn input(&mut self, input: InputVariable, dimension: u32) -> Value {
        let vector = self.cursor.value(Op::Input(input), &[], Type::Vector(Scalar::I32, 3));
        self.cursor.extract(vector, dimension)
    }

    /// The size of this work-group: a constant where the kernel requires one size for all.
    fn local_size(&mut self, dimension: u32) -> Value {
        match self.required_local_size {
            Some(size) if self.uniform_work_groups => {
                self.cursor.int(Type::I32, i64::from(size[dimension as usize]))
            }
            _ => self.input(InputVariable::WorkgroupSize, dimension),
        }
    }

    /// The work-group size that the launch asked for, which determines the positions of the groups.
    fn enqueued_local_size(&mut self, dimension: u32) -> Value {
        match self.required_local_size {
            Some(size) => self.cursor.int(Type::I32, i64::from(size[dimension as usize])),
            None => self.input(InputVariable::EnqueuedWorkgroupSize, dimension),
        }
    }

    fn word(&mut self, place: Option<u32>, dimension: u32) -> Value {
        let offset = place.expect("placed where used") + dimension * 4;
        self.cursor.value(Op::PushConstant { offset }, &[], Type::I32)
    }

    fn offset_word(&mut self, place: Option<u32>, dimension: u32) -> Value {
        let word = self.word(place, dimension);
        self.masked(word)
    }

    fn group_id(&mut self, dimension: u32) -> Value {
        let group = self.input(InputVariable::WorkgroupId, dimension);
        let offset = self.offset_word(self.layout.words.group_offset, dimension);
        self.cursor.binary(BinaryOp::Add, group, offset)
    }

    /// The global id without the global offset.
    fn global_position(&mut self, dimension: u32) -> Value {
        let group = self.group_id(dimension);
        let size = self.enqueued_local_size(dimension);
        let first = self.cursor.binary(BinaryOp::Mul, group, size);
        let local = self.local_id(dimension);
        self.cursor.binary(BinaryOp::Add, first, local)
    }

    /// `(z × size y + y) × size x + x`, which is right with fewer dimensions, too.
    fn global_linear_id(&mut self) -> Value {
        let mut linear = self.global_position(2);
        for dimension in [1, 0] {
            let size = self.word(self.layout.words.global_size, dimension);
            let row = self.cursor.binary(BinaryOp::Mul, linear, size);
            let position = self.global_position(dimension);
            linear = self.cursor.binary(BinaryOp::Add, row, position);
        }
        linear
    }

    /// The linear id of the work-group in its dispatch times the size of a group, plus the local linear id.
    fn dispatch_linear_id(&mut self) -> Value {
        let mut linear = self.input(InputVariable::WorkgroupId, 2);
        for dimension in [1, 0] {
            let count = self.input(InputVariable::NumWorkgroups, dimension);
            let row = self.cursor.binary(BinaryOp::Mul, linear, count);
            let group = self.input(InputVariable::WorkgroupId, dimension);
            linear = self.cursor.binary(BinaryOp::Add, row, group);
        }
        for dimension in 0..3 {
            let size = self.local_size(dimension);
            linear = self.cursor.binary(BinaryOp::Mul, linear, size);
        }
        let local = self.cursor.value(Op::Input(InputVariable::LocalInvocationIndex), &[], Type::I32);
        self.cursor.binary(BinaryOp::Add, linear, local)
    }
}

impl<'f> LaunchQueries<'f> for Lowering<'_, 'f> {
    fn cursor(&mut self) -> &mut Cursor<'f> {
        &mut self.cursor
    }

    fn component(&mut self, query: WorkItemQuery, dimension: u32) -> Value {
        let words = &self.layout.words;
        match query {
            WorkItemQuery::GlobalId => {
                let position = self.global_position(dimension);
                let offset = self.offset_word(words.global_offset, dimension);
                self.cursor.binary(BinaryOp::Add, position, offset)
            }
            WorkItemQuery::GlobalSize => self.word(words.global_size, dimension),
            WorkItemQuery::GlobalOffset => self.offset_word(words.global_offset, dimension),
            WorkItemQuery::LocalId => self.local_id(dimension),
            WorkItemQuery::LocalSize => self.local_size(dimension),
            WorkItemQuery::EnqueuedLocalSize => self.enqueued_local_size(dimension),
            WorkItemQuery::GroupId => self.group_id(dimension),
            WorkItemQuery::NumGroups => {
                let global = self.word(words.global_size, dimension);
                let local = self.enqueued_local_size(dimension);
                let last = self.cursor.binary_int(BinaryOp::Sub, local, 1);
                let up = self.cursor.binary(BinaryOp::Add, global, last);
                self.cursor.binary(BinaryOp::UDiv, up, local)
            }
            other => unreachable!("{other:?} has no dimension"),
        }
    }
}
