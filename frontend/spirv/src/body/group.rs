//! Operations of work-groups and sub-groups (SPIR-V §3.49.21 and §3.49.24): functions of OpenCL C.

use super::Body;
use super::extended::list;
use crate::binary::{Id, Instruction};
use crate::error::Error;
use crate::glue::{self, Spelled};
use clvk_ir::{ConvertOp, Scope, Type};
use rspirv::spirv::{GroupOperation, Op};

/// How a name of OpenCL C's begins.
enum Start {
    /// `work_group_` or `sub_group_`, by the scope; all work-items take part.
    Uniform,
    /// `sub_group_non_uniform_`.
    NonUniform,
}

impl Body<'_, '_> {
    /// Translates an instruction of these chapters; gives whether it is one.
    pub fn group(&mut self, op: Op, instruction: &Instruction<'_>) -> Result<bool, Error> {
        if let Some((start, end, signed)) = arithmetic(op) {
            self.group_arithmetic(&start, end, signed, instruction)?;
            return Ok(true);
        }
        match op {
            Op::GroupAll => self.of_scope("all(a0)", 1, instruction)?,
            Op::GroupAny => self.of_scope("any(a0)", 1, instruction)?,
            Op::GroupBroadcast => self.broadcast(instruction)?,
            Op::GroupAsyncCopy => {
                let element = self.pointee_of(instruction.operand(1)?, instruction)?;
                self.async_copy(element, 1, instruction)?;
            }
            Op::UntypedGroupAsyncCopyKHR => self.async_copy(instruction.operand(1)?, 2, instruction)?,
            Op::GroupWaitEvents => self.wait_events(instruction)?,
            _ => return self.non_uniform(op, instruction),
        }
        Ok(true)
    }

    fn non_uniform(&mut self, op: Op, instruction: &Instruction<'_>) -> Result<bool, Error> {
        let text = match op {
            Op::GroupNonUniformElect => "sub_group_elect()",
            Op::GroupNonUniformAll => "sub_group_non_uniform_all(a0)",
            Op::GroupNonUniformAny => "sub_group_non_uniform_any(a0)",
            Op::GroupNonUniformAllEqual => "sub_group_non_uniform_all_equal(a0)",
            Op::GroupNonUniformBroadcast => "sub_group_non_uniform_broadcast(a0, a1)",
            Op::GroupNonUniformBroadcastFirst => "sub_group_broadcast_first(a0)",
            Op::GroupNonUniformBallot => "sub_group_ballot(a0)",
            Op::GroupNonUniformInverseBallot => "sub_group_inverse_ballot(a0)",
            Op::GroupNonUniformBallotBitExtract => "sub_group_ballot_bit_extract(a0, a1)",
            Op::GroupNonUniformBallotFindLSB => "sub_group_ballot_find_lsb(a0)",
            Op::GroupNonUniformBallotFindMSB => "sub_group_ballot_find_msb(a0)",
            Op::GroupNonUniformShuffle => "sub_group_shuffle(a0, a1)",
            Op::GroupNonUniformShuffleXor => "sub_group_shuffle_xor(a0, a1)",
            Op::GroupNonUniformShuffleUp => "sub_group_shuffle_up(a0, a1)",
            Op::GroupNonUniformShuffleDown => "sub_group_shuffle_down(a0, a1)",
            Op::GroupNonUniformBallotBitCount => match self.operation(instruction)? {
                GroupOperation::Reduce => {
                    return self.of_sub_group("sub_group_ballot_bit_count(a0)", 2, instruction);
                }
                GroupOperation::InclusiveScan => {
                    return self.of_sub_group("sub_group_ballot_inclusive_scan(a0)", 2, instruction);
                }
                GroupOperation::ExclusiveScan => {
                    return self.of_sub_group("sub_group_ballot_exclusive_scan(a0)", 2, instruction);
                }
                _ => return Err(instruction.error("the operation of the group is not supported")),
            },
            Op::GroupNonUniformRotateKHR => match instruction.operands().len() {
                3 => "sub_group_rotate(a0, (int)a1)",
                _ => return self.clustered_rotate(instruction),
            },
            _ => return Ok(false),
        };
        self.of_sub_group(text, 1, instruction)
    }

    fn of_sub_group(
        &mut self,
        text: &str,
        from: usize,
        instruction: &Instruction<'_>,
    ) -> Result<bool, Error> {
        if self.scope(instruction.operand(0)?, instruction)? != Scope::SubGroup {
            return Err(instruction.error("only sub-groups have this operation"));
        }
        self.group_call(text, true, &instruction.operands()[from..], instruction)?;
        Ok(true)
    }

    fn clustered_rotate(&mut self, instruction: &Instruction<'_>) -> Result<bool, Error> {
        let size = self.reader.index.integer(instruction.operand(3)?, instruction)?;
        let text = format!("sub_group_clustered_rotate(a0, (int)a1, {size}u)");
        let operands = &instruction.operands()[1..3];
        self.group_call(&text, true, operands, instruction)?;
        Ok(true)
    }

    /// `work_group_` or `sub_group_`.
    fn prefix(&self, instruction: &Instruction<'_>) -> Result<&'static str, Error> {
        match self.scope(instruction.operand(0)?, instruction)? {
            Scope::WorkGroup => Ok("work_group_"),
            Scope::SubGroup => Ok("sub_group_"),
            _ => Err(instruction.error("this operation is of work-groups or sub-groups")),
        }
    }

    fn of_scope(&mut self, text: &str, from: usize, instruction: &Instruction<'_>) -> Result<(), Error> {
        let text = format!("{}{text}", self.prefix(instruction)?);
        self.group_call(&text, true, &instruction.operands()[from..], instruction)
    }

    fn operation(&self, instruction: &Instruction<'_>) -> Result<GroupOperation, Error> {
        let operation = GroupOperation::from_u32(instruction.operand(1)?);
        operation.ok_or_else(|| instruction.error("the operation of the group is unknown"))
    }

    fn group_arithmetic(
        &mut self,
        start: &Start,
        end: &str,
        signed: bool,
        instruction: &Instruction<'_>,
    ) -> Result<(), Error> {
        let prefix = match start {
            Start::Uniform => self.prefix(instruction)?,
            Start::NonUniform => "sub_group_non_uniform_",
        };
        let middle = match self.operation(instruction)? {
            GroupOperation::Reduce => "reduce_",
            GroupOperation::InclusiveScan => "scan_inclusive_",
            GroupOperation::ExclusiveScan => "scan_exclusive_",
            GroupOperation::ClusteredReduce => {
                let size = self.reader.index.integer(instruction.operand(3)?, instruction)?;
                let text = format!("sub_group_clustered_reduce_{end}(a0, {size}u)");
                return self.group_call(&text, signed, &instruction.operands()[2..3], instruction);
            }
            _ => return Err(instruction.error("the operation of the group is not supported")),
        };
        let text = format!("{prefix}{middle}{end}(a0)");
        self.group_call(&text, signed, &instruction.operands()[2..], instruction)
    }

    /// Calls an expression of OpenCL C; truth values are passed as `int`.
    fn group_call(
        &mut self,
        text: &str,
        signed: bool,
        operands: &[Id],
        instruction: &Instruction<'_>,
    ) -> Result<(), Error> {
        let mut arguments = Vec::new();
        for (number, &operand) in operands.iter().enumerate() {
            let mut value = self.value(operand, instruction)?;
            if self.function.ty(value) == Type::BOOL {
                value = self.build().convert(ConvertOp::ZeroExtend, value, Type::I32);
            }
            // Indices and masks are unsigned.
            let ballot = number == 0 && text.contains("ballot") && self.function.ty(value).lanes() == 4;
            let spelled = glue::number(self.function.ty(value), signed && number == 0 && !ballot);
            arguments.push((value, spelled.ok_or_else(|| instruction.error("an operand is not a number"))?));
        }
        let ty = self.result_value_type(instruction)?;
        let is_truth = ty == Type::BOOL;
        let shown = if is_truth { Type::I32 } else { ty };
        let unsigned_result = text.contains("ballot") && !is_truth;
        let result = glue::number(shown, signed && !unsigned_result);
        let result = result.ok_or_else(|| instruction.error("the result is not a number"))?;
        let value = self.call_expression(Some(&result), &arguments, text).expect("the function has a result");
        let value = if is_truth { self.truth(value) } else { value };
        self.define_value(instruction, value)
    }

    /// `OpGroupBroadcast`: the work-item is a number, or a vector of two or three.
    fn broadcast(&mut self, instruction: &Instruction<'_>) -> Result<(), Error> {
        let prefix = self.prefix(instruction)?;
        let value = self.value_at(1, instruction)?;
        let item = self.value_at(2, instruction)?;
        let ty = self.function.ty(value);
        let spelled =
            glue::number(ty, true).ok_or_else(|| instruction.error("an operand is not a number"))?;
        let mut arguments = vec![(value, spelled.clone())];
        let lanes = self.function.ty(item).lanes();
        for lane in 0..lanes {
            let index = if lanes == 1 { item } else { self.build().extract(item, lane as u8) };
            let spelled = glue::number(self.function.ty(index), false);
            arguments.push((index, spelled.ok_or_else(|| instruction.error("an index is not a number"))?));
        }
        let text = format!("{prefix}broadcast({})", list(arguments.len()));
        let value =
            self.call_expression(Some(&spelled), &arguments, &text).expect("the function has a result");
        self.define_value(instruction, value)
    }

    /// `OpGroupAsyncCopy`, of elements of this type: destination, source, number of elements, stride and
    /// event are its operands from this one on.
    fn async_copy(&mut self, element: Id, from: usize, instruction: &Instruction<'_>) -> Result<(), Error> {
        let element = self.reader.index.type_of(element, instruction)?.value();
        let element = element.and_then(|ty| glue::number(ty, false));
        let element = element.ok_or_else(|| instruction.error("the elements are not numbers"))?;
        let mut arguments = Vec::new();
        for index in [from, from + 1] {
            let pointer = self.pointer(instruction.operand(index)?, instruction)?;
            let Type::Pointer(space) = self.function.ty(pointer) else { continue };
            arguments.push((pointer, glue::pointer(space, &element)));
        }
        for index in [from + 2, from + 3] {
            let value = self.integer_at(index, instruction)?;
            let value = self.resized(value, Type::I64);
            arguments.push((value, Spelled { text: "ulong".to_owned(), ty: Type::I64 }));
        }
        arguments.push((self.value_at(from + 4, instruction)?, glue::object("event_t")));
        let strided = "async_work_group_strided_copy(a0, a1, a2, a3, a4)";
        let text = match self.function.as_bits(arguments[3].0) {
            Some(1) => "async_work_group_copy(a0, a1, a2, a4)",
            _ => strided,
        };
        let value = self
            .call_expression(Some(&glue::object("event_t")), &arguments, text)
            .expect("the function has a result");
        self.define_value(instruction, value)
    }

    fn wait_events(&mut self, instruction: &Instruction<'_>) -> Result<(), Error> {
        let count = self.value_at(1, instruction)?;
        let ty = self.function.ty(count);
        let number = glue::number(ty, true)
            .ok_or_else(|| instruction.error("the number of events is not a number"))?;
        let events = self.pointer(instruction.operand(2)?, instruction)?;
        let Type::Pointer(space) = self.function.ty(events) else { return Ok(()) };
        let arguments = [(count, number), (events, glue::pointer(space, &glue::object("event_t")))];
        self.call_expression(None, &arguments, "wait_group_events((int)a0, a1)");
        Ok(())
    }
}

/// How a reduction or scan is called, and whether its integers are signed.
fn arithmetic(op: Op) -> Option<(Start, &'static str, bool)> {
    use Start::{NonUniform, Uniform};
    Some(match op {
        Op::GroupIAdd | Op::GroupFAdd => (Uniform, "add", true),
        Op::GroupSMin | Op::GroupFMin => (Uniform, "min", true),
        Op::GroupUMin => (Uniform, "min", false),
        Op::GroupSMax | Op::GroupFMax => (Uniform, "max", true),
        Op::GroupUMax => (Uniform, "max", false),
        Op::GroupIMulKHR | Op::GroupFMulKHR => (Uniform, "mul", true),
        Op::GroupBitwiseAndKHR => (Uniform, "and", true),
        Op::GroupBitwiseOrKHR => (Uniform, "or", true),
        Op::GroupBitwiseXorKHR => (Uniform, "xor", true),
        Op::GroupLogicalAndKHR => (Uniform, "logical_and", true),
        Op::GroupLogicalOrKHR => (Uniform, "logical_or", true),
        Op::GroupLogicalXorKHR => (Uniform, "logical_xor", true),
        Op::GroupNonUniformIAdd | Op::GroupNonUniformFAdd => (NonUniform, "add", true),
        Op::GroupNonUniformIMul | Op::GroupNonUniformFMul => (NonUniform, "mul", true),
        Op::GroupNonUniformSMin | Op::GroupNonUniformFMin => (NonUniform, "min", true),
        Op::GroupNonUniformUMin => (NonUniform, "min", false),
        Op::GroupNonUniformSMax | Op::GroupNonUniformFMax => (NonUniform, "max", true),
        Op::GroupNonUniformUMax => (NonUniform, "max", false),
        Op::GroupNonUniformBitwiseAnd => (NonUniform, "and", true),
        Op::GroupNonUniformBitwiseOr => (NonUniform, "or", true),
        Op::GroupNonUniformBitwiseXor => (NonUniform, "xor", true),
        Op::GroupNonUniformLogicalAnd => (NonUniform, "logical_and", true),
        Op::GroupNonUniformLogicalOr => (NonUniform, "logical_or", true),
        Op::GroupNonUniformLogicalXor => (NonUniform, "logical_xor", true),
        _ => return None,
    })
}
