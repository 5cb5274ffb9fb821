//! The extended instructions of OpenCL (`OpenCL.std`). Their names are those of OpenCL C's built-in
//! functions, but for a prefix that says whether integers are signed, and a few others.

use super::Body;
use crate::binary::{Id, Instruction, holds_string};
use crate::error::Error;
use crate::glue::{self, Operation, Spelled};
use crate::index::rounding_suffix;
use clvk_ir::{AddressSpace, Func, Initializer, Scalar, Type, Value};
use rspirv::spirv::{Op, OpenclStd100Op as Std};
use std::fmt::Write;

impl Body<'_, '_> {
    /// `OpExtInst`.
    pub fn extended(&mut self, instruction: &Instruction<'_>) -> Result<(), Error> {
        let set = instruction.operand(0)?;
        if self.reader.opencl_set != Some(set) && !self.find_opencl_set(set, instruction)? {
            return Ok(());
        }
        let number = instruction.operand(1)?;
        let op = Std::from_u32(number);
        let op = op.ok_or_else(|| {
            instruction.error(format!("OpenCL.std has no instruction with the number {number}"))
        })?;
        let operands = &instruction.operands()[2..];
        self.check_extended(op, operands, instruction)?;
        match op {
            Std::prefetch => Ok(()),
            Std::printf => self.print(operands, instruction),
            Std::vloadn | Std::vload_halfn | Std::vloada_halfn | Std::vload_half => {
                self.vector_load(op, operands, instruction)
            }
            Std::vstoren
            | Std::vstore_half
            | Std::vstore_halfn
            | Std::vstorea_halfn
            | Std::vstore_half_r
            | Std::vstore_halfn_r
            | Std::vstorea_halfn_r => self.vector_store(op, operands, instruction),
            _ => self.function_of_name(op, operands, instruction),
        }
    }

    /// Whether a set of instructions is OpenCL's; those of debug information are not.
    fn find_opencl_set(&mut self, set: Id, instruction: &Instruction<'_>) -> Result<bool, Error> {
        let import = self.reader.index.definition(set).filter(|it| it.op() == Some(Op::ExtInstImport));
        let import =
            import.ok_or_else(|| instruction.error(format!("%{set} is not a set of instructions")))?;
        if holds_string(import.operands(), "OpenCL.std") {
            self.reader.opencl_set = Some(set);
            return Ok(true);
        }
        let (set, _) = import.string(0);
        if set.starts_with("NonSemantic.") || set.contains("DebugInfo") {
            return Ok(false);
        }
        Err(instruction.error(format!("the instructions of `{set}` are not supported")))
    }

    /// A call of the function of OpenCL C with this name, with the same operands.
    fn function_of_name(
        &mut self,
        op: Std,
        operands: &[Id],
        instruction: &Instruction<'_>,
    ) -> Result<(), Error> {
        let result = self.result_value_type(instruction)?;
        let mut values = Vec::with_capacity(operands.len());
        for &operand in operands {
            values.push(self.value(operand, instruction)?);
        }
        let types = values.iter().map(|&value| self.function.ty(value));
        let operation = Operation::new((instruction.operand(0)?, op as u32), result, types);
        let func = match operation.as_ref().and_then(|operation| self.reader.glue.known(operation)) {
            Some(known) => known,
            None => {
                let func = self.declare_function_of_name(op, result, &values, instruction)?;
                self.reader.glue.remember(operation, func);
                func
            }
        };
        let value = self.call_function(func, &values, Some(result));
        self.define_value(instruction, value.expect("the function has a result"))
    }

    /// The function of OpenCL C for an extended instruction.
    fn declare_function_of_name(
        &mut self,
        op: Std,
        result: Type,
        values: &[Value],
        instruction: &Instruction<'_>,
    ) -> Result<Func, Error> {
        let full = format!("{op:?}");
        let (name, signed) = match full.split_once('_') {
            Some(("s", name)) => (name, true),
            Some(("u", name)) => (name, false),
            // Bits: any sign will do. `nan` takes unsigned numbers only, others signed ones.
            _ => (full.as_str(), !is_of_bits(op)),
        };
        let name = match op {
            Std::fclamp => "clamp",
            Std::fmax_common => "max",
            Std::fmin_common => "min",
            _ => name,
        };
        // What pointers point to: the whole number, the exponent or the sign, or the other result.
        let target = match op {
            Std::frexp | Std::lgamma_r | Std::remquo if result.scalar().is_some() => {
                result.with_scalar(Scalar::I32)
            }
            _ => result,
        };
        let mut params = Vec::new();
        for (number, &value) in values.iter().enumerate() {
            // The low halves of `upsample` are unsigned.
            let signed = signed && !(op == Std::s_upsample && number == 1);
            params.push(self.spelled(value, target, signed, instruction)?);
        }
        let signed_result = signed && !matches!(op, Std::s_abs | Std::s_abs_diff);
        let result = glue::number(result, signed_result);
        let result = result.ok_or_else(|| instruction.error("the result is not a number"))?;
        let text = format!("{name}({})", list(params.len()));
        Ok(self.glue_function(Some(&result), &params, &text))
    }

    /// An operand: a number, or a pointer to numbers of this type.
    fn spelled_operand(
        &mut self,
        id: Id,
        target: Type,
        signed: bool,
        instruction: &Instruction<'_>,
    ) -> Result<(Value, Spelled), Error> {
        let value = self.value(id, instruction)?;
        Ok((value, self.spelled(value, target, signed, instruction)?))
    }

    /// The type of a value: a number, or a pointer to numbers of this type.
    fn spelled(
        &self,
        value: Value,
        target: Type,
        signed: bool,
        instruction: &Instruction<'_>,
    ) -> Result<Spelled, Error> {
        let ty = self.function.ty(value);
        let spelled = match ty {
            Type::Pointer(space) => glue::number(target, signed).map(|target| glue::pointer(space, &target)),
            _ => glue::number(ty, signed),
        };
        spelled.ok_or_else(|| instruction.error("an operand is not a number"))
    }

    /// `vloadn` and its kind: offset and pointer, then the number of lanes.
    fn vector_load(&mut self, op: Std, operands: &[Id], instruction: &Instruction<'_>) -> Result<(), Error> {
        let &[offset, pointer, ..] = operands else {
            return Err(instruction.error("the instruction lacks an operand"));
        };
        let result = self.result_value_type(instruction)?;
        let element = if op == Std::vloadn { result.scalar() } else { Some(Scalar::F16) };
        let element = Type::Scalar(element.unwrap_or(Scalar::F16));
        let arguments = [
            self.spelled_operand(offset, element, false, instruction)?,
            self.spelled_operand(pointer, element, true, instruction)?,
        ];
        let result =
            glue::number(result, true).ok_or_else(|| instruction.error("the result is not a number"))?;
        let lanes = result.ty.lanes();
        let text = match op {
            Std::vloadn => format!("vload{lanes}(a0, a1)"),
            Std::vload_half => "vload_half(a0, a1)".to_owned(),
            Std::vload_halfn => format!("vload_half{lanes}(a0, a1)"),
            _ => format!("vloada_half{lanes}(a0, a1)"),
        };
        let value = self.call_expression(Some(&result), &arguments, &text);
        self.define_value(instruction, value.expect("the function has a result"))
    }

    /// `vstoren` and its kind: data, offset and pointer, then the rounding.
    fn vector_store(&mut self, op: Std, operands: &[Id], instruction: &Instruction<'_>) -> Result<(), Error> {
        let &[data, offset, pointer, ref rest @ ..] = operands else {
            return Err(instruction.error("the instruction lacks an operand"));
        };
        let stored = self.value(data, instruction)?;
        let element = if op == Std::vstoren { self.function.ty(stored).scalar() } else { Some(Scalar::F16) };
        let element = Type::Scalar(element.unwrap_or(Scalar::F16));
        let arguments = [
            self.spelled_operand(data, element, true, instruction)?,
            self.spelled_operand(offset, element, false, instruction)?,
            self.spelled_operand(pointer, element, true, instruction)?,
        ];
        let lanes = arguments[0].1.ty.lanes();
        let suffix = match rest.first() {
            Some(&mode) if matches!(op, Std::vstore_half_r | Std::vstore_halfn_r | Std::vstorea_halfn_r) => {
                rounding_suffix(mode).ok_or_else(|| instruction.error("the rounding is unknown"))?
            }
            _ => "",
        };
        let text = match op {
            Std::vstoren => format!("vstore{lanes}(a0, a1, a2)"),
            Std::vstore_half | Std::vstore_half_r => format!("vstore_half{suffix}(a0, a1, a2)"),
            Std::vstore_halfn | Std::vstore_halfn_r => format!("vstore_half{lanes}{suffix}(a0, a1, a2)"),
            _ => format!("vstorea_half{lanes}{suffix}(a0, a1, a2)"),
        };
        self.call_expression(None, &arguments, &text);
        Ok(())
    }

    /// `printf`, whose format must be a constant string.
    fn print(&mut self, operands: &[Id], instruction: &Instruction<'_>) -> Result<(), Error> {
        let Some((&format, rest)) = operands.split_first() else {
            return Err(instruction.error("the instruction lacks an operand"));
        };
        let format = self.constant_string(format, instruction);
        let format =
            format.ok_or_else(|| instruction.error("the format of printf is not a constant string"))?;
        let mut arguments = Vec::new();
        for &operand in rest {
            let value = self.value(operand, instruction)?;
            let spelled = match self.function.ty(value) {
                Type::Pointer(space) => {
                    let byte = glue::number(Type::I8, true).expect("bytes are numbers");
                    glue::pointer(space, &byte)
                }
                ty => {
                    glue::number(ty, true).ok_or_else(|| instruction.error("an operand cannot be printed"))?
                }
            };
            arguments.push((value, spelled));
        }
        let mut text = format!("printf(\"{}\"", literal(&format));
        for number in 0..arguments.len() {
            let _ = write!(text, ", a{number}");
        }
        text.push(')');
        let result = glue::number(Type::I32, true);
        let value = self.call_expression(result.as_ref(), &arguments, &text);
        self.define_value(instruction, value.expect("the function has a result"))
    }

    /// The string that an address points to, if the address is a constant one.
    fn constant_string(&mut self, id: Id, instruction: &Instruction<'_>) -> Option<Vec<u8>> {
        let pointer = self.value(id, instruction).ok()?;
        let (global, offset) = self.known_address(pointer)?;
        let bytes = match &self.reader.module.globals[global].initializer {
            Initializer::Bytes { bytes, .. } => bytes,
            Initializer::Zero => return Some(Vec::new()),
            Initializer::None => return None,
        };
        let text = bytes.get(usize::try_from(offset).ok()?..)?;
        let end = text.iter().position(|&byte| byte == 0)?;
        Some(text[..end].to_vec())
    }

    /// The variable and the offset that a pointer is known to have.
    fn known_address(&self, mut pointer: Value) -> Option<(clvk_ir::Global, i64)> {
        let mut offset = 0i64;
        loop {
            if let clvk_ir::ValueDef::Global(global) = self.function.values[pointer].def {
                return Some((global, offset));
            }
            let data = &self.function.insts[self.function.defining_inst(pointer)?];
            match data.op {
                clvk_ir::Op::PointerOffset(by) => offset = offset.checked_add(by)?,
                clvk_ir::Op::Convert(clvk_ir::ConvertOp::AddressSpace) => {}
                _ => return None,
            }
            pointer = data.operands[0];
        }
    }

    /// Copies a number of bytes that is known only when the kernel runs.
    pub fn copy_bytes(
        &mut self,
        to: Value,
        from: Value,
        count: Value,
        user: &Instruction<'_>,
    ) -> Result<(), Error> {
        let space = |value: Value| match self.function.ty(value) {
            Type::Pointer(space) => Ok(space),
            _ => Err(user.error("an operand is not a pointer")),
        };
        let byte = Spelled { text: "uchar".to_owned(), ty: Type::I8 };
        let (target, source): (AddressSpace, AddressSpace) = (space(to)?, space(from)?);
        let size = Spelled { text: "ulong".to_owned(), ty: Type::I64 };
        let arguments =
            [(to, glue::pointer(target, &byte)), (from, glue::pointer(source, &byte)), (count, size)];
        self.call_expression(None, &arguments, "for (ulong i = 0; i < a2; i++) a0[i] = a1[i]");
        Ok(())
    }
}

/// `a0, a1, …`.
pub fn list(count: usize) -> String {
    let names: Vec<String> = (0..count).map(|number| format!("a{number}")).collect();
    names.join(", ")
}

/// Whether the integers of a function have no sign.
fn is_of_bits(op: Std) -> bool {
    matches!(
        op,
        Std::nan
            | Std::clz
            | Std::ctz
            | Std::popcount
            | Std::rotate
            | Std::shuffle
            | Std::shuffle2
            | Std::bitselect
            | Std::select
    )
}

/// The inside of a literal of OpenCL C.
fn literal(bytes: &[u8]) -> String {
    let mut text = String::new();
    for &byte in bytes {
        match byte {
            b'"' | b'\\' => text.extend(['\\', char::from(byte)]),
            b' '..=b'~' if byte != b'?' => text.push(char::from(byte)),
            _ => {
                let _ = write!(text, "\\{byte:03o}");
            }
        }
    }
    text
}
