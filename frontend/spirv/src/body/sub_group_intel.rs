//! Shuffles and block accesses of sub-groups (`SPV_INTEL_subgroups`), which compilers of SYCL write: the
//! functions of cl_intel_subgroups.

use super::Body;
use super::extended::list;
use crate::binary::Instruction;
use crate::error::Error;
use crate::glue::{self, Spelled};
use clvk_ir::{ConvertOp, Scalar, Type, Value};
use rspirv::spirv::Op;

impl Body<'_, '_> {
    /// Translates an instruction of this extension; gives whether it is one.
    pub fn intel_sub_group(&mut self, op: Op, instruction: &Instruction<'_>) -> Result<bool, Error> {
        match op {
            Op::SubgroupShuffleINTEL => self.intel_shuffle("", 1, instruction)?,
            Op::SubgroupShuffleXorINTEL => self.intel_shuffle("_xor", 1, instruction)?,
            Op::SubgroupShuffleDownINTEL => self.intel_shuffle("_down", 2, instruction)?,
            Op::SubgroupShuffleUpINTEL => self.intel_shuffle("_up", 2, instruction)?,
            Op::SubgroupBlockReadINTEL => self.read_block(instruction)?,
            Op::SubgroupBlockWriteINTEL => self.write_block(instruction)?,
            Op::SubgroupImageBlockReadINTEL => self.read_image_block(instruction)?,
            Op::SubgroupImageBlockWriteINTEL => self.write_image_block(instruction)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// One value or two of the same type, and then a number of work-items.
    fn intel_shuffle(
        &mut self,
        end: &str,
        values: usize,
        instruction: &Instruction<'_>,
    ) -> Result<(), Error> {
        let ty = self.result_value_type(instruction)?;
        let number = glue::number(ty, true).ok_or_else(|| instruction.error("the result is not a number"))?;
        let mut arguments = Vec::new();
        for index in 0..values {
            let value = self.value_at(index, instruction)?;
            if self.function.ty(value) != ty {
                return Err(instruction.error("an operand is of another type than the result"));
            }
            arguments.push((value, number.clone()));
        }
        let lane = self.integer_at(values, instruction)?;
        let index = glue::number(Type::I32, false).expect("it is a number");
        arguments.push((self.resized(lane, Type::I32), index));
        let text = format!("intel_sub_group_shuffle{end}({})", list(arguments.len()));
        let value = self.call_expression(Some(&number), &arguments, &text);
        self.define_value(instruction, value.expect("the function has a result"))
    }

    /// The type of a block's rows as the functions have it, and the end of their names.
    fn block(&self, ty: Type, instruction: &Instruction<'_>) -> Result<(Spelled, Spelled, String), Error> {
        let wrong = || instruction.error("a block is not of numbers");
        let (scalar, letter) = match ty.scalar().ok_or_else(wrong)?.size() {
            1 => (Scalar::I8, 'c'),
            2 => (Scalar::I16, 's'),
            4 => (Scalar::I32, 'i'),
            _ => (Scalar::I64, 'l'),
        };
        let rows = glue::number(ty.with_scalar(scalar), false).ok_or_else(wrong)?;
        let element = glue::number(Type::Scalar(scalar), false).ok_or_else(wrong)?;
        let lanes = if ty.lanes() == 1 { String::new() } else { ty.lanes().to_string() };
        Ok((rows, element, format!("_u{letter}{lanes}")))
    }

    fn read_block(&mut self, instruction: &Instruction<'_>) -> Result<(), Error> {
        let ty = self.result_value_type(instruction)?;
        let (rows, element, end) = self.block(ty, instruction)?;
        let base = self.pointer(instruction.operand(0)?, instruction)?;
        let Type::Pointer(space) = self.function.ty(base) else { return Ok(()) };
        let arguments = [(base, glue::pointer(space, &element))];
        let text = format!("intel_sub_group_block_read{end}(a0)");
        let read = self.call_expression(Some(&rows), &arguments, &text).expect("the function has a result");
        let value = self.bits_as(read, ty);
        self.define_value(instruction, value)
    }

    fn write_block(&mut self, instruction: &Instruction<'_>) -> Result<(), Error> {
        let base = self.writable(instruction.operand(0)?, instruction)?;
        let data = self.value_at(1, instruction)?;
        let (rows, element, end) = self.block(self.function.ty(data), instruction)?;
        let Type::Pointer(space) = self.function.ty(base) else { return Ok(()) };
        let bits = self.bits_as(data, rows.ty);
        let arguments = [(base, glue::pointer(space, &element)), (bits, rows)];
        self.call_expression(None, &arguments, &format!("intel_sub_group_block_write{end}(a0, a1)"));
        Ok(())
    }

    /// An image, and coordinates in it that count bytes.
    fn image_place(&mut self, instruction: &Instruction<'_>) -> Result<[(Value, Spelled); 2], Error> {
        let (image, image_type) = self.image_at(0, instruction)?;
        Ok([(image, glue::image(image_type)), self.coordinates_at(1, instruction)?])
    }

    fn read_image_block(&mut self, instruction: &Instruction<'_>) -> Result<(), Error> {
        let ty = self.result_value_type(instruction)?;
        let (rows, _, end) = self.block(ty, instruction)?;
        let place = self.image_place(instruction)?;
        let text = format!("intel_sub_group_block_read{end}(a0, a1)");
        let read = self.call_expression(Some(&rows), &place, &text).expect("the function has a result");
        let value = self.bits_as(read, ty);
        self.define_value(instruction, value)
    }

    fn write_image_block(&mut self, instruction: &Instruction<'_>) -> Result<(), Error> {
        let [image, coordinates] = self.image_place(instruction)?;
        let data = self.value_at(2, instruction)?;
        let (rows, _, end) = self.block(self.function.ty(data), instruction)?;
        let bits = self.bits_as(data, rows.ty);
        let arguments = [image, coordinates, (bits, rows)];
        self.call_expression(None, &arguments, &format!("intel_sub_group_block_write{end}(a0, a1, a2)"));
        Ok(())
    }

    fn bits_as(&mut self, value: Value, ty: Type) -> Value {
        if self.function.ty(value) == ty {
            value
        } else {
            self.build().convert(ConvertOp::Bitcast, value, ty)
        }
    }
}
