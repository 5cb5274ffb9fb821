//! Shuffles and block accesses of sub-groups (`SPV_INTEL_subgroups`), which compilers of SYCL write.

use super::Body;
use super::values::Definition;
use crate::binary::Instruction;
use crate::error::Error;
use crate::glue;
use clvk_ir::{BinaryOp, CompareOp, Op as IrOp, Scalar, Type, Value, WorkItemQuery};
use rspirv::spirv::Op;

impl Body<'_, '_> {
    /// Translates an instruction of this extension; gives whether it is one.
    pub fn intel_sub_group(&mut self, op: Op, instruction: &Instruction<'_>) -> Result<bool, Error> {
        match op {
            Op::SubgroupShuffleINTEL => {
                let (data, lane) = (self.value_at(0, instruction)?, self.lane_at(1, instruction)?);
                let value = self.shuffled("sub_group_shuffle(a0, a1)", data, lane, instruction)?;
                self.define_value(instruction, value)?;
            }
            Op::SubgroupShuffleXorINTEL => {
                let (data, mask) = (self.value_at(0, instruction)?, self.lane_at(1, instruction)?);
                let value = self.shuffled("sub_group_shuffle_xor(a0, a1)", data, mask, instruction)?;
                self.define_value(instruction, value)?;
            }
            Op::SubgroupShuffleDownINTEL | Op::SubgroupShuffleUpINTEL => {
                self.shift(op == Op::SubgroupShuffleDownINTEL, instruction)?;
            }
            Op::SubgroupBlockReadINTEL => self.read_block(instruction)?,
            Op::SubgroupBlockWriteINTEL => self.write_block(instruction)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// An operand that numbers work-items, of 32 bits.
    fn lane_at(&mut self, index: usize, instruction: &Instruction<'_>) -> Result<Value, Error> {
        let value = self.integer_at(index, instruction)?;
        Ok(self.resized(value, Type::I32))
    }

    fn sub_group_query(&mut self, query: WorkItemQuery) -> Value {
        self.build().value(IrOp::WorkItem(query), &[], Type::I32)
    }

    /// The function of OpenCL C on each element of `data`: it takes numbers only.
    fn shuffled(
        &mut self,
        text: &str,
        data: Value,
        lane: Value,
        instruction: &Instruction<'_>,
    ) -> Result<Value, Error> {
        let ty = self.function.ty(data);
        let element = ty.scalar().map(Type::Scalar);
        let number = element.and_then(|element| glue::number(element, true));
        let number = number.ok_or_else(|| instruction.error("an operand is not a number"))?;
        let index = glue::number(Type::I32, false).expect("it is a number");
        let mut elements = Vec::new();
        for element in 0..ty.lanes() {
            let element = if ty.lanes() == 1 { data } else { self.build().extract(data, element as u8) };
            let arguments = [(element, number.clone()), (lane, index.clone())];
            let called = self.call_expression(Some(&number), &arguments, text);
            elements.push(called.expect("the function has a result"));
        }
        Ok(match elements[..] {
            [only] => only,
            _ => self.build().value(IrOp::Construct, &elements, ty),
        })
    }

    /// Shuffles over two values, one after the other: down takes from `current` and then `next`, up from
    /// `current` and before it `previous`.
    fn shift(&mut self, down: bool, instruction: &Instruction<'_>) -> Result<(), Error> {
        let (first, second) = (self.value_at(0, instruction)?, self.value_at(1, instruction)?);
        let delta = self.lane_at(2, instruction)?;
        if self.function.ty(first) != self.function.ty(second) {
            return Err(instruction.error("the operands are of different types"));
        }
        let (current, other) = if down { (first, second) } else { (second, first) };
        let lane = self.sub_group_query(WorkItemQuery::SubGroupLocalId);
        let size = self.sub_group_query(WorkItemQuery::MaxSubGroupSize);
        let (move_by, back) =
            if down { (BinaryOp::Add, BinaryOp::Sub) } else { (BinaryOp::Sub, BinaryOp::Add) };
        let here = self.build().binary(move_by, lane, delta);
        let there = self.build().binary(back, here, size);
        // All work-items take part in both shuffles.
        let inside = self.shuffled("sub_group_shuffle(a0, a1)", current, here, instruction)?;
        let outside = self.shuffled("sub_group_shuffle(a0, a1)", other, there, instruction)?;
        let is_inside = match down {
            true => self.build().compare(CompareOp::ULt, here, size),
            false => self.build().compare(CompareOp::UGe, lane, delta),
        };
        let value = self.build().select(is_inside, inside, outside);
        self.define_value(instruction, value)
    }

    /// The addresses of the elements of a block that belong to this work-item: element `c` is the one with
    /// its number among the sub-group's, in row `c`.
    fn block(&mut self, base: Value, scalar: Scalar, rows: u32) -> Vec<Value> {
        let lane = self.sub_group_query(WorkItemQuery::SubGroupLocalId);
        let size = self.sub_group_query(WorkItemQuery::MaxSubGroupSize);
        let mut index = lane;
        let mut addresses = Vec::new();
        for row in 0..rows {
            if row > 0 {
                index = self.build().binary(BinaryOp::Add, index, size);
            }
            addresses.push(self.build().pointer_index(base, index, u64::from(scalar.size())));
        }
        addresses
    }

    fn read_block(&mut self, instruction: &Instruction<'_>) -> Result<(), Error> {
        let ty = self.result_value_type(instruction)?;
        let base = self.block_pointer(instruction)?;
        let scalar = ty.scalar().ok_or_else(|| instruction.error("the result is not a number"))?;
        let mut elements = Vec::new();
        for address in self.block(base, scalar, ty.lanes()) {
            elements.push(self.build().load(address, Type::Scalar(scalar), scalar.size(), false));
        }
        let value = match elements[..] {
            [only] => only,
            _ => self.build().value(IrOp::Construct, &elements, ty),
        };
        self.define(instruction, Definition::Value(value))
    }

    fn write_block(&mut self, instruction: &Instruction<'_>) -> Result<(), Error> {
        let base = self.block_pointer(instruction)?;
        let data = self.value_at(1, instruction)?;
        let ty = self.function.ty(data);
        let scalar = ty.scalar().ok_or_else(|| instruction.error("the data is not a number"))?;
        for (element, address) in self.block(base, scalar, ty.lanes()).into_iter().enumerate() {
            let element = if ty.lanes() == 1 { data } else { self.build().extract(data, element as u8) };
            self.build().store(address, element, scalar.size(), false);
        }
        Ok(())
    }

    fn block_pointer(&mut self, instruction: &Instruction<'_>) -> Result<Value, Error> {
        let id = instruction.operand(0)?;
        match instruction.op() {
            Some(Op::SubgroupBlockWriteINTEL) => self.writable(id, instruction),
            _ => self.pointer(id, instruction),
        }
    }
}
