//! Pipes (SPIR-V §3.49.23): the functions of OpenCL C on packets of bytes.

use super::Body;
use super::extended::list;
use crate::binary::{Id, Instruction};
use crate::error::Error;
use crate::glue::{self, Spelled};
use crate::types::Ty;
use clvk_ir::{Scope, Type, Value};
use rspirv::spirv::Op;

/// The most bytes that a packet may have.
const MAX_PACKET: u64 = 1 << 16;

impl Body<'_, '_> {
    /// Translates an instruction of this chapter; gives whether it is one.
    pub fn pipe(&mut self, op: Op, instruction: &Instruction<'_>) -> Result<bool, Error> {
        match op {
            Op::ReadPipe | Op::ReservedReadPipe => self.packet_call("read_pipe", false, 0, instruction)?,
            Op::WritePipe | Op::ReservedWritePipe => self.packet_call("write_pipe", true, 0, instruction)?,
            Op::ReserveReadPipePackets => self.packet_call("reserve_read_pipe", false, 0, instruction)?,
            Op::ReserveWritePipePackets => self.packet_call("reserve_write_pipe", true, 0, instruction)?,
            Op::CommitReadPipe => self.packet_call("commit_read_pipe", false, 0, instruction)?,
            Op::CommitWritePipe => self.packet_call("commit_write_pipe", true, 0, instruction)?,
            Op::GroupReserveReadPipePackets => self.of_group("reserve_read_pipe", false, instruction)?,
            Op::GroupReserveWritePipePackets => self.of_group("reserve_write_pipe", true, instruction)?,
            Op::GroupCommitReadPipe => self.of_group("commit_read_pipe", false, instruction)?,
            Op::GroupCommitWritePipe => self.of_group("commit_write_pipe", true, instruction)?,
            Op::GetNumPipePackets => self.pipe_query("get_pipe_num_packets", instruction)?,
            Op::GetMaxPipePackets => self.pipe_query("get_pipe_max_packets", instruction)?,
            Op::IsValidReserveId => {
                let id = self.object_at(0, "reserve_id_t", instruction)?;
                self.truth_of_call("is_valid_reserve_id(a0)", id, instruction)?;
            }
            Op::ConstantPipeStorage | Op::CreatePipeFromPipeStorage => {
                return Err(
                    instruction.error("pipes of the program itself are not supported: OpenCL C has none")
                );
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// An operand that is an object of this type.
    pub fn object_at(
        &mut self,
        index: usize,
        name: &'static str,
        instruction: &Instruction<'_>,
    ) -> Result<(Value, Spelled), Error> {
        let id = instruction.operand(index)?;
        let ty = self.type_of_value(id, instruction)?;
        if self.reader.index.type_of(ty, instruction)?.ty != Ty::Object(name) {
            return Err(instruction.error(format!("%{id} is not of the type that OpenCL C calls {name}")));
        }
        Ok((self.value(id, instruction)?, glue::object(name)))
    }

    /// An expression whose value is an `int` that is zero or not.
    pub fn truth_of_call(
        &mut self,
        text: &str,
        argument: (Value, Spelled),
        instruction: &Instruction<'_>,
    ) -> Result<(), Error> {
        let int = glue::number(Type::I32, true);
        let called = self.call_expression(int.as_ref(), &[argument], text);
        let truth = self.truth(called.expect("the function has a result"));
        self.define_value(instruction, truth)
    }

    fn of_group(&mut self, end: &str, writes: bool, instruction: &Instruction<'_>) -> Result<(), Error> {
        let prefix = match self.scope(instruction.operand(0)?, instruction)? {
            Scope::WorkGroup => "work_group_",
            Scope::SubGroup => "sub_group_",
            _ => return Err(instruction.error("this operation is of work-groups or sub-groups")),
        };
        self.packet_call(&format!("{prefix}{end}"), writes, 1, instruction)
    }

    /// A function whose operands, from this one on, are the pipe, others in the order of OpenCL C, and then
    /// size and alignment of packets.
    fn packet_call(
        &mut self,
        name: &str,
        writes: bool,
        from: usize,
        instruction: &Instruction<'_>,
    ) -> Result<(), Error> {
        let Some([pipe, middle @ .., size, align]) = instruction.operands().get(from..) else {
            return Err(instruction.error("the instruction lacks an operand"));
        };
        let packet = self.packet(*size, *align, instruction)?;
        if self.is_for_writing(*pipe, instruction)? != writes {
            let lacks = if writes { "writing" } else { "reading" };
            return Err(instruction.error(format!("the pipe is not for {lacks}")));
        }
        let mut arguments = vec![(self.value(*pipe, instruction)?, glue::pipe(writes, &packet))];
        for &operand in middle {
            arguments.push(self.pipe_operand(operand, &packet, instruction)?);
        }
        let result = match instruction.result_type() {
            None => None,
            Some(ty) => Some(match self.reader.index.type_of(ty, instruction)?.ty {
                Ty::Object(name) => glue::object(name),
                _ => glue::number(Type::I32, true).expect("it is a number"),
            }),
        };
        let text = format!("{name}({})", list(arguments.len()));
        match self.call_expression(result.as_ref(), &arguments, &text) {
            Some(value) => self.define_value(instruction, value),
            None => Ok(()),
        }
    }

    /// A reservation, a number, or a pointer to a packet.
    fn pipe_operand(
        &mut self,
        id: Id,
        packet: &Spelled,
        instruction: &Instruction<'_>,
    ) -> Result<(Value, Spelled), Error> {
        let ty = self.type_of_value(id, instruction)?;
        let object = match self.reader.index.type_of(ty, instruction)?.ty {
            Ty::Object(name) => Some(glue::object(name)),
            _ => None,
        };
        let value = self.value(id, instruction)?;
        let spelled = match self.function.ty(value) {
            Type::Pointer(space) => Some(glue::pointer(space, packet)),
            ty => object.or_else(|| glue::number(ty, false)),
        };
        Ok((value, spelled.ok_or_else(|| instruction.error("an operand is not a number"))?))
    }

    fn pipe_query(&mut self, name: &str, instruction: &Instruction<'_>) -> Result<(), Error> {
        let packet = self.packet(instruction.operand(1)?, instruction.operand(2)?, instruction)?;
        let pipe = instruction.operand(0)?;
        let writes = self.is_for_writing(pipe, instruction)?;
        let argument = (self.value(pipe, instruction)?, glue::pipe(writes, &packet));
        let uint = glue::number(Type::I32, false);
        let called = self.call_expression(uint.as_ref(), &[argument], &format!("{name}(a0)"));
        self.define_value(instruction, called.expect("the function has a result"))
    }

    fn is_for_writing(&self, pipe: Id, instruction: &Instruction<'_>) -> Result<bool, Error> {
        let ty = self.type_of_value(pipe, instruction)?;
        match self.reader.index.type_of(ty, instruction)?.ty {
            Ty::Pipe { writes } => Ok(writes),
            _ => Err(instruction.error(format!("%{pipe} is not a pipe"))),
        }
    }

    /// The type of packets of this size and alignment.
    fn packet(&mut self, size: Id, align: Id, instruction: &Instruction<'_>) -> Result<Spelled, Error> {
        let size = self.reader.index.integer(size, instruction)?;
        let align = self.reader.index.integer(align, instruction)?;
        if !(1..=MAX_PACKET).contains(&size) || !align.is_power_of_two() {
            return Err(instruction.error("packets of this size or alignment are not supported"));
        }
        Ok(self.reader.glue.structure(size, align))
    }
}
