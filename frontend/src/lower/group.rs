//! Sub-group functions become IR operations, work-group functions become library calls.

use super::builtin::{Arguments, suffix};
use super::function::FunctionLowering;
use crate::builtins::{Collective, CollectiveKind, SubGroupFunction, WorkGroupFunction};
use crate::types::ScalarKind;
use clvk_ir::{
    AddressSpace, BinaryOp, CompareOp, ConvertOp, GlobalData, Initializer, Op, SubGroupOp, Type, Value,
    WORK_GROUP_SCRATCH, WorkItemQuery,
};

impl FunctionLowering<'_, '_> {
    /// A function that all work-items of the sub-group must call, with the same index. A library function
    /// that does nothing tells the sanitizer.
    pub fn whole_sub_group(&mut self, function: SubGroupFunction, arguments: &Arguments) -> Value {
        let index = match function {
            SubGroupFunction::Broadcast => arguments.values[1],
            _ => self.function.int(Type::I32, 0),
        };
        self.plain_action("sub_group_meeting", &[index]);
        self.sub_group(function, arguments)
    }

    pub fn sub_group(&mut self, function: SubGroupFunction, arguments: &Arguments) -> Value {
        let values = arguments.values.as_slice();
        match function {
            SubGroupFunction::All => self.vote(SubGroupOp::All, values[0]),
            SubGroupFunction::Any => self.vote(SubGroupOp::Any, values[0]),
            SubGroupFunction::Elect => {
                let elected = self.together(SubGroupOp::Elect, &[], Type::BOOL);
                self.as_int(elected)
            }
            SubGroupFunction::AllEqual => self.all_equal(values[0]),
            SubGroupFunction::Ballot => {
                let condition = self.as_condition(values[0]);
                self.together(SubGroupOp::Ballot, &[condition], Type::Vector(clvk_ir::Scalar::I32, 4))
            }
            SubGroupFunction::Broadcast => self.value_at(SubGroupOp::Broadcast, values[0], values[1]),
            SubGroupFunction::BroadcastFirst => {
                let ty = self.function.ty(values[0]);
                self.together(SubGroupOp::BroadcastFirst, &values[..1], ty)
            }
            SubGroupFunction::Arithmetic(collective) => self.sub_group_arithmetic(collective, arguments),
            SubGroupFunction::ShuffleUpOfTwo => self.shuffle_of_two(false, values),
            SubGroupFunction::ShuffleDownOfTwo => self.shuffle_of_two(true, values),
            _ => {
                let index = self.index_of_source(function, &values[1..]);
                self.value_at(SubGroupOp::Shuffle, values[0], index)
            }
        }
    }

    /// The index of the work-item whose value a shuffle or rotation takes.
    fn index_of_source(&mut self, function: SubGroupFunction, values: &[Value]) -> Value {
        let by = values[0];
        if function == SubGroupFunction::Shuffle {
            return by;
        }
        let here = self.sub_group_query(WorkItemQuery::SubGroupLocalId);
        match function {
            SubGroupFunction::ShuffleXor => self.build().binary(BinaryOp::Xor, here, by),
            SubGroupFunction::ShuffleUp => self.build().binary(BinaryOp::Sub, here, by),
            SubGroupFunction::ShuffleDown => self.build().binary(BinaryOp::Add, here, by),
            SubGroupFunction::Rotate => {
                // The size is a power of two.
                let size = self.sub_group_query(WorkItemQuery::MaxSubGroupSize);
                self.rotated(here, by, size)
            }
            SubGroupFunction::ClusteredRotate => self.rotated(here, by, values[1]),
            other => panic!("{other:?} takes no value by index"),
        }
    }

    /// A shuffle over two values, one after the other (cl_intel_subgroups).
    fn shuffle_of_two(&mut self, down: bool, values: &[Value]) -> Value {
        let (current, other) = if down { (values[0], values[1]) } else { (values[1], values[0]) };
        let delta = values[2];
        let lane = self.sub_group_query(WorkItemQuery::SubGroupLocalId);
        let size = self.sub_group_query(WorkItemQuery::MaxSubGroupSize);
        let (move_by, back) =
            if down { (BinaryOp::Add, BinaryOp::Sub) } else { (BinaryOp::Sub, BinaryOp::Add) };
        let here = self.build().binary(move_by, lane, delta);
        let there = self.build().binary(back, here, size);
        // All work-items take part in both shuffles.
        let inside = self.value_at(SubGroupOp::Shuffle, current, here);
        let outside = self.value_at(SubGroupOp::Shuffle, other, there);
        let is_inside = match down {
            true => self.build().compare(CompareOp::ULt, here, size),
            false => self.build().compare(CompareOp::UGe, lane, delta),
        };
        self.build().select(is_inside, inside, outside)
    }

    /// `here` moved by `by` within its cluster, whose size is a power of two.
    fn rotated(&mut self, here: Value, by: Value, size: Value) -> Value {
        let one = self.function.int(Type::I32, 1);
        let mask = self.build().binary(BinaryOp::Sub, size, one);
        let moved = self.build().binary(BinaryOp::Add, here, by);
        let inside = self.build().binary(BinaryOp::And, moved, mask);
        let kept = self.build().unary(clvk_ir::UnaryOp::Not, mask);
        let cluster = self.build().binary(BinaryOp::And, here, kept);
        self.build().binary(BinaryOp::Or, cluster, inside)
    }

    fn together(&mut self, op: SubGroupOp, operands: &[Value], result: Type) -> Value {
        self.build().value(Op::SubGroup(op), operands, result)
    }

    pub(super) fn sub_group_query(&mut self, query: WorkItemQuery) -> Value {
        self.build().value(Op::WorkItem(query), &[], Type::I32)
    }

    fn as_condition(&mut self, value: Value) -> Value {
        let zero = self.function.int(Type::I32, 0);
        self.build().compare(CompareOp::Ne, value, zero)
    }

    fn as_int(&mut self, condition: Value) -> Value {
        self.build().convert(ConvertOp::ZeroExtend, condition, Type::I32)
    }

    fn vote(&mut self, op: SubGroupOp, value: Value) -> Value {
        let condition = self.as_condition(value);
        let all = self.together(op, &[condition], Type::BOOL);
        self.as_int(all)
    }

    /// Floating-point numbers are compared as numbers: a NaN equals nothing.
    fn all_equal(&mut self, value: Value) -> Value {
        let ty = self.function.ty(value);
        let first = self.together(SubGroupOp::BroadcastFirst, &[value], ty);
        let op = if ty.is_float() { CompareOp::FOEq } else { CompareOp::Eq };
        let same = self.build().compare(op, value, first);
        let all = self.together(SubGroupOp::All, &[same], Type::BOOL);
        self.as_int(all)
    }

    fn value_at(&mut self, op: SubGroupOp, value: Value, index: Value) -> Value {
        let ty = self.function.ty(value);
        let Type::Vector(scalar, lanes) = ty else { return self.together(op, &[value, index], ty) };
        let parts: Vec<Value> = (0..lanes)
            .map(|lane| {
                let part = self.build().extract(value, lane);
                self.together(op, &[part, index], Type::Scalar(scalar))
            })
            .collect();
        self.build().value(Op::Construct, &parts, ty)
    }

    fn sub_group_arithmetic(&mut self, collective: Collective, arguments: &Arguments) -> Value {
        let mut operands = arguments.values.clone();
        let op = collective.kind.of_sub_group(collective.key.on(arguments.kind));
        if collective.kind == CollectiveKind::ClusteredReduce {
            self.check_cluster(operands[1]);
        }
        if !collective.logical {
            let ty = self.function.ty(operands[0]);
            return self.together(op, &operands, ty);
        }
        operands[0] = self.as_condition(operands[0]);
        let result = self.together(op, &operands, Type::BOOL);
        self.as_int(result)
    }

    /// The size of a cluster must be a constant power of two (OpenCL C §6.15.20.2).
    fn check_cluster(&mut self, size: Value) {
        let bits = self.function.as_bits(size);
        if !bits.is_some_and(u64::is_power_of_two) {
            let span = self.span;
            self.lowering
                .unsupported(span, "the size of a cluster must be a constant that is a power of two");
        }
    }

    pub fn work_group(&mut self, function: WorkGroupFunction, arguments: &Arguments) -> Value {
        let values = arguments.values.as_slice();
        match function {
            WorkGroupFunction::All => self.group_predicate("reduce_and", values[0]),
            WorkGroupFunction::Any => self.group_predicate("reduce_or", values[0]),
            WorkGroupFunction::Broadcast => {
                let zero = self.function.int(Type::I64, 0);
                let mut operands = values.to_vec();
                operands.resize(4, zero);
                self.group_call("broadcast", arguments.kind, operands)
            }
            WorkGroupFunction::Arithmetic(Collective { kind, key, logical }) => {
                let name = format!("{}_{}", kind.word(), key.word());
                if logical {
                    self.group_predicate(&name, values[0])
                } else {
                    self.group_call(&name, arguments.kind, values.to_vec())
                }
            }
        }
    }

    /// Truth values as 0 and 1.
    fn group_predicate(&mut self, name: &str, value: Value) -> Value {
        let condition = self.as_condition(value);
        let value = self.as_int(condition);
        self.group_call(name, ScalarKind::Int, vec![value])
    }

    /// A library function that works through memory of the work-group.
    fn group_call(&mut self, name: &str, kind: ScalarKind, mut operands: Vec<Value>) -> Value {
        let ty = self.function.ty(operands[0]);
        operands.push(self.scratch());
        let types: Vec<Type> = operands.iter().map(|&value| self.function.ty(value)).collect();
        let name = format!("__clvk_work_group_{name}_{}", suffix(kind));
        let func = self.lowering.library_function(name, &types, Some(ty));
        self.build().value(Op::Call(func), &operands, ty)
    }

    /// The address of the scratch memory; the translation chooses its size for the device.
    fn scratch(&mut self) -> Value {
        let globals = &mut self.lowering.module.globals;
        let known =
            globals.iter().find(|(_, data)| data.name == WORK_GROUP_SCRATCH).map(|(global, _)| global);
        let global = known.unwrap_or_else(|| {
            globals.push(GlobalData {
                name: WORK_GROUP_SCRATCH.to_owned(),
                space: AddressSpace::Local,
                size: 8,
                align: 8,
                is_read_only: false,
                initializer: Initializer::None,
            })
        });
        self.function.global(Type::Pointer(AddressSpace::Local), global)
    }

    /// A library function `__clvk_<stem>` with unchanged arguments.
    pub fn plain_call(&mut self, stem: &str, values: &[Value], result: Type) -> Value {
        let types: Vec<Type> = values.iter().map(|&value| self.function.ty(value)).collect();
        let func = self.lowering.library_function(format!("__clvk_{stem}"), &types, Some(result));
        self.build().value(Op::Call(func), values, result)
    }

    /// The same of a function without a result.
    pub fn plain_action(&mut self, stem: &str, values: &[Value]) {
        let types: Vec<Type> = values.iter().map(|&value| self.function.ty(value)).collect();
        let func = self.lowering.library_function(format!("__clvk_{stem}"), &types, None);
        self.push(Op::Call(func), values, &[]);
    }
}
