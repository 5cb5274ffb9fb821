//! Device-side enqueue (SPIR-V §3.49.22): the functions of OpenCL C, with a block that copies the bytes which
//! the module calls `Param`, and calls the function `Invoke` with their address.

use super::Body;
use super::extended::list;
use super::values::Definition;
use crate::binary::{Id, Instruction};
use crate::error::Error;
use crate::glue::{self, PREFIX, Spelled};
use crate::types::Ty;
use clvk_ir::{AddressSpace, Builder, ConvertOp, Function, Op as IrOp, Type, Value};
use rspirv::spirv::Op;
use std::fmt::Write;

/// The most bytes that `Param` may have.
const MAX_PARAM: u64 = 1 << 16;

/// The least alignment of its copy. LLVM's translator states one that is too small for vectors.
const PARAM_ALIGN: u64 = 16;

/// Bytes of an `ndrange_t` as the front end of OpenCL C lays it out: dimensions, offsets, sizes and sizes of
/// work-groups, 8 bytes each.
const RANGE: u64 = 80;

/// The largest sub-group of any block, and the largest work-group, in OpenCL C.
const WIDTH: &str = "get_kernel_max_sub_group_size_for_ndrange(ndrange_1D(1), ^{})";
const MOST: &str = "get_kernel_work_group_size(^{})";

impl Body<'_, '_> {
    /// Translates an instruction of this chapter; gives whether it is one.
    pub fn enqueue(&mut self, op: Op, instruction: &Instruction<'_>) -> Result<bool, Error> {
        match op {
            Op::EnqueueKernel => self.enqueue_kernel(instruction)?,
            Op::EnqueueMarker => self.enqueue_marker(instruction)?,
            Op::BuildNDRange => self.build_range(instruction)?,
            Op::GetDefaultQueue => self.number_of_call("get_default_queue()", &[], instruction)?,
            Op::CreateUserEvent => self.number_of_call("create_user_event()", &[], instruction)?,
            Op::IsValidEvent => {
                let event = self.object_at(0, "clk_event_t", instruction)?;
                self.truth_of_call("is_valid_event(a0)", event, instruction)?;
            }
            Op::RetainEvent => self.event_call("retain_event(a0)", &[], instruction)?,
            Op::ReleaseEvent => self.event_call("release_event(a0)", &[], instruction)?,
            Op::SetUserEventStatus => {
                let status = self.word_at(1, true, instruction)?;
                self.event_call("set_user_event_status(a0, a1)", &[status], instruction)?;
            }
            Op::CaptureEventProfilingInfo => {
                let what = self.word_at(1, true, instruction)?;
                let values = self.pointer(instruction.operand(2)?, instruction)?;
                let bytes = Spelled { text: "ulong".to_owned(), ty: Type::I64 };
                let Type::Pointer(space) = self.function.ty(values) else { return Ok(true) };
                let values = (values, glue::pointer(space, &bytes));
                let text = "capture_event_profiling_info(a0, a1, (global void *)a2)";
                self.event_call(text, &[what, values], instruction)?;
            }
            Op::GetKernelWorkGroupSize => self.number_of_call(MOST, &[], instruction)?,
            Op::GetKernelPreferredWorkGroupSizeMultiple => {
                let text = "get_kernel_preferred_work_group_size_multiple(^{})";
                self.number_of_call(text, &[], instruction)?;
            }
            Op::GetKernelNDrangeSubGroupCount => {
                let range = self.range_at(0, instruction)?;
                let text = "get_kernel_sub_group_count_for_ndrange(a0, ^{})";
                self.number_of_call(text, &[range], instruction)?;
            }
            Op::GetKernelNDrangeMaxSubGroupSize => {
                let range = self.range_at(0, instruction)?;
                let text = "get_kernel_max_sub_group_size_for_ndrange(a0, ^{})";
                self.number_of_call(text, &[range], instruction)?;
            }
            Op::GetKernelLocalSizeForSubgroupCount => {
                let count = self.word_at(0, false, instruction)?;
                let text = format!("a0 <= {MOST} / {WIDTH} ? a0 * {WIDTH} : 0");
                self.number_of_call(&text, &[count], instruction)?;
            }
            Op::GetKernelMaxNumSubgroups => {
                let text = format!("({MOST} + {WIDTH} - 1) / {WIDTH}");
                self.number_of_call(&text, &[], instruction)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// An expression whose value is a number, or names an object, as the result's type says.
    fn number_of_call(
        &mut self,
        text: &str,
        arguments: &[(Value, Spelled)],
        instruction: &Instruction<'_>,
    ) -> Result<(), Error> {
        let data = self.result_type(instruction)?;
        let result = match data.ty {
            Ty::Object(name) => Some(glue::object(name)),
            _ => data.value().and_then(|ty| glue::number(ty, true)),
        };
        let result = result.ok_or_else(|| instruction.error("the result is not a number"))?;
        let called = self.call_expression(Some(&result), arguments, text);
        self.define_value(instruction, called.expect("the function has a result"))
    }

    /// A function without result, whose first operand is an event.
    fn event_call(
        &mut self,
        text: &str,
        rest: &[(Value, Spelled)],
        instruction: &Instruction<'_>,
    ) -> Result<(), Error> {
        let mut arguments = vec![self.object_at(0, "clk_event_t", instruction)?];
        arguments.extend_from_slice(rest);
        self.call_expression(None, &arguments, text);
        Ok(())
    }

    /// An operand of 32 bits.
    fn word_at(
        &mut self,
        index: usize,
        signed: bool,
        instruction: &Instruction<'_>,
    ) -> Result<(Value, Spelled), Error> {
        let value = self.integer_at(index, instruction)?;
        let spelled = glue::number(Type::I32, signed).expect("it is a number");
        Ok((self.resized(value, Type::I32), spelled))
    }

    /// A pointer to events, which may be null.
    fn events_at(&mut self, index: usize, instruction: &Instruction<'_>) -> Result<(Value, Spelled), Error> {
        let pointer = self.pointer(instruction.operand(index)?, instruction)?;
        let generic = Type::Pointer(AddressSpace::Generic);
        let pointer = match self.function.ty(pointer) {
            Type::Pointer(AddressSpace::Constant) => {
                return Err(instruction.error("events are not in constant memory"));
            }
            ty if ty == generic => pointer,
            _ => self.build().convert(ConvertOp::AddressSpace, pointer, generic),
        };
        Ok((pointer, glue::pointer(AddressSpace::Generic, &glue::object("clk_event_t"))))
    }

    fn enqueue_marker(&mut self, instruction: &Instruction<'_>) -> Result<(), Error> {
        let arguments = [
            self.object_at(0, "queue_t", instruction)?,
            self.word_at(1, false, instruction)?,
            self.events_at(2, instruction)?,
            self.events_at(3, instruction)?,
        ];
        self.number_of_call("enqueue_marker(a0, a1, a2, a3)", &arguments, instruction)
    }

    fn enqueue_kernel(&mut self, instruction: &Instruction<'_>) -> Result<(), Error> {
        let mut arguments = vec![
            self.object_at(0, "queue_t", instruction)?,
            self.word_at(1, false, instruction)?,
            self.range_at(2, instruction)?,
            self.word_at(3, false, instruction)?,
            self.events_at(4, instruction)?,
            self.events_at(5, instruction)?,
            self.param(instruction)?,
        ];
        let held = arguments[6].1.text.clone();
        let locals = instruction.operands().len().saturating_sub(10);
        for index in 0..locals {
            arguments.push(self.word_at(10 + index, false, instruction)?);
        }
        let (invoke, bytes) = self.invoke(instruction.operand(6)?, locals, instruction)?;
        let (mut params, mut sizes, mut passed) = (Vec::new(), String::new(), String::new());
        for local in 0..locals {
            params.push(format!("local void *l{local}"));
            let _ = write!(sizes, ", a{}", 7 + local);
            let _ = write!(passed, ", l{local}");
        }
        let params = if locals == 0 { String::new() } else { format!("({})", params.join(", ")) };
        // The function may change its copy.
        let block = format!("^{params} {{ {held} held = a6; {invoke}(({bytes})&held{passed}); }}");
        let text = format!("enqueue_kernel({}, {block}{sizes})", list(6));
        self.number_of_call(&text, &arguments, instruction)
    }

    /// The bytes that the block takes along, as a structure.
    fn param(&mut self, instruction: &Instruction<'_>) -> Result<(Value, Spelled), Error> {
        let from = self.pointer(instruction.operand(7)?, instruction)?;
        let size = self.reader.index.integer(instruction.operand(8)?, instruction)?;
        let align = self.reader.index.integer(instruction.operand(9)?, instruction)?;
        if size > MAX_PARAM || !(align == 0 || align.is_power_of_two()) {
            return Err(instruction.error("parameters of this size or alignment are not supported"));
        }
        let room = align.clamp(PARAM_ALIGN, 128);
        let spelled = self.reader.glue.structure(size.max(1).next_multiple_of(room), room);
        let copy = self.alloca(size.max(1).next_multiple_of(room), room);
        self.copy(copy, from, size, align.clamp(1, 128) as u32);
        Ok((copy, spelled))
    }

    /// The name of a function of the module as OpenCL C can call it, with the address of bytes and pointers
    /// to local memory, and the type of that address.
    fn invoke(
        &mut self,
        id: Id,
        locals: usize,
        instruction: &Instruction<'_>,
    ) -> Result<(String, &'static str), Error> {
        let callee = self.reader.function(id).map_err(|error| error.used_by(instruction))?;
        let index = &self.reader.index;
        let definition = self.reader.definition_of_function(id)?;
        let (result, params) = index.function_type(definition.operand(1)?, &definition)?;
        let params = params.iter().map(|&param| Ok(index.type_of(param, &definition)?.value()));
        let types = params.collect::<Result<Option<Vec<Type>>, Error>>()?.unwrap_or_default();
        let bytes = match types.first() {
            Some(Type::Pointer(AddressSpace::Generic)) => "uchar *",
            Some(Type::Pointer(AddressSpace::Private)) => "private uchar *",
            _ => return Err(instruction.error("the function does not take the address of its parameter")),
        };
        let takes_locals = types[1..].iter().all(|&ty| ty == Type::Pointer(AddressSpace::Local));
        let has_result = index.type_of(result, &definition)?.ty != Ty::Void;
        if types.len() != locals + 1 || !takes_locals || has_result {
            return Err(instruction.error(format!(
                "%{id} does not take a pointer to local memory for each size, or has a result"
            )));
        }
        let name = format!("{PREFIX}invoke_{id}");
        let declaration = format!("void {name}({bytes}{});", ", local void *".repeat(locals));
        if self.reader.glue.declare(declaration) {
            if !self.reader.names.insert(name.clone()) {
                return Err(instruction.error(format!("the module has a function of the name `{name}`")));
            }
            let mut function = Function::new(name.clone(), None);
            let region = function.add_region();
            function.body = Some(region);
            let operands: Vec<Value> = types.iter().map(|&ty| function.add_param(ty)).collect();
            let mut builder = Builder::new(&mut function, region);
            builder.push(IrOp::Call(callee), &operands, &[]);
            builder.push(IrOp::Return, &[], &[]);
            self.reader.module.functions.push(function);
        }
        Ok((name, bytes))
    }

    /// Where the parts of a range of the module are: offsets, sizes and sizes of work-groups begin here, and
    /// each number has this type.
    fn range_layout(&self) -> ([u64; 3], Type, u64) {
        match self.reader.index.pointer_bits() {
            32 => ([4, 16, 28], Type::I32, 40),
            _ => ([8, 32, 56], Type::I64, RANGE),
        }
    }

    /// A range, or a pointer to one.
    fn range_at(&mut self, index: usize, instruction: &Instruction<'_>) -> Result<(Value, Spelled), Error> {
        let id = instruction.operand(index)?;
        let from = match self.operand(id, instruction)? {
            Definition::Memory(address) => {
                let ty = self.type_of_value(id, instruction)?;
                self.check_range(ty, instruction)?;
                address
            }
            _ => self.pointer(id, instruction)?,
        };
        let (starts, number, _) = self.range_layout();
        let size = number.access_size();
        let range = self.alloca(RANGE, 8);
        let dimensions = self.build().load(from, Type::I32, 4, false);
        let dimensions = self.resized(dimensions, Type::I64);
        self.build().store(range, dimensions, 8, false);
        let mut target = 8;
        for start in starts {
            for dimension in 0..3 {
                let source = start + dimension * u64::from(size);
                let source = self.build().pointer_offset(from, source as i64);
                let value = self.build().load(source, number, size, false);
                let value = self.resized(value, Type::I64);
                let address = self.build().pointer_offset(range, target);
                self.build().store(address, value, 8, false);
                target += 8;
            }
        }
        Ok((range, Spelled { text: "ndrange_t".to_owned(), ty: Type::Pointer(AddressSpace::Private) }))
    }

    fn check_range(&self, ty: Id, instruction: &Instruction<'_>) -> Result<(), Error> {
        let data = self.reader.index.type_of(ty, instruction)?;
        let (_, _, size) = self.range_layout();
        match data.ty {
            Ty::Struct { .. } if data.size == size => Ok(()),
            _ => Err(instruction.error("the range is not the structure that SPIR-V prescribes")),
        }
    }

    /// `OpBuildNDRange`: sizes, sizes of work-groups and offsets, each a number or an array of them.
    fn build_range(&mut self, instruction: &Instruction<'_>) -> Result<(), Error> {
        let ty = instruction.result_type().unwrap_or_default();
        self.check_range(ty, instruction)?;
        let ([offset, global, local], number, _) = self.range_layout();
        let range = self.memory_for(ty, instruction)?;
        let mut dimensions = 1;
        for (index, start, otherwise) in [(0, global, 1), (1, local, 0), (2, offset, 0)] {
            let sizes = self.sizes(instruction.operand(index)?, number, instruction)?;
            dimensions = dimensions.max(sizes.len());
            for dimension in 0..3 {
                let value = sizes.get(dimension).copied();
                let value = value.unwrap_or_else(|| self.function.int(number, otherwise));
                let size = number.access_size();
                let place = start + dimension as u64 * u64::from(size);
                let address = self.build().pointer_offset(range, place as i64);
                self.build().store(address, value, size, false);
            }
        }
        let dimensions = self.function.int(Type::I32, dimensions as i64);
        self.build().store(range, dimensions, 4, false);
        self.define(instruction, Definition::Memory(range))
    }

    /// One to three numbers of this type: of an array, or one by itself.
    fn sizes(&mut self, id: Id, number: Type, instruction: &Instruction<'_>) -> Result<Vec<Value>, Error> {
        let Definition::Memory(address) = self.operand(id, instruction)? else {
            let (value, _) = self.integer(id, instruction)?;
            return Ok(vec![self.resized(value, number)]);
        };
        let ty = self.type_of_value(id, instruction)?;
        let Ty::Array { element, count: count @ 1..=3 } = self.reader.index.type_of(ty, instruction)?.ty
        else {
            return Err(instruction.error("ranges have one to three dimensions"));
        };
        let element = self.reader.index.type_of(element, instruction)?.value();
        let element = element.filter(|ty| ty.is_int() && ty.lanes() == 1);
        let element = element.ok_or_else(|| instruction.error("the sizes of a range are not integers"))?;
        let size = element.access_size();
        let mut sizes = Vec::new();
        for position in 0..count {
            let address = self.build().pointer_offset(address, (position * u64::from(size)) as i64);
            let value = self.build().load(address, element, size, false);
            sizes.push(self.resized(value, number));
        }
        Ok(sizes)
    }
}
