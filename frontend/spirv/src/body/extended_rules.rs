//! Rules of the extended instructions of OpenCL that translating them would not notice (OpenCL extended
//! instruction set specification).

use super::Body;
use super::rules::{demand, is_integers};
use crate::binary::{Id, Instruction};
use crate::error::Error;
use crate::types::Ty;
use clvk_ir::{AddressSpace, Scalar};
use rspirv::spirv::OpenclStd100Op as Std;

/// With it, formats of `printf` may be in any memory.
const RELAXED_PRINTF: &str = "SPV_EXT_relaxed_printf_string_address_space";

impl Body<'_, '_> {
    /// Checks an extended instruction with these operands.
    pub fn check_extended(
        &self,
        op: Std,
        operands: &[Id],
        instruction: &Instruction<'_>,
    ) -> Result<(), Error> {
        match *operands {
            [offset, pointer, lanes] if matches!(op, Std::vloadn | Std::vload_halfn | Std::vloada_halfn) => {
                let result = self.ty_of_result(instruction)?;
                let is_right = matches!(result, Ty::Vector(_, count) if u32::from(*count) == lanes);
                demand(is_right, "the result has another number of lanes than the instruction", instruction)?;
                self.check_vector(op == Std::vloadn, result, offset, pointer, instruction)
            }
            [offset, pointer] if op == Std::vload_half => {
                let result = self.ty_of_result(instruction)?;
                demand(
                    matches!(result, Ty::Float(_)),
                    "the result is not a floating-point number",
                    instruction,
                )?;
                self.check_vector(false, result, offset, pointer, instruction)
            }
            [data, offset, pointer, ..] if is_vector_store(op) => {
                self.check_no_result(instruction)?;
                let data = self.ty_of(data, instruction)?;
                self.check_vector(op == Std::vstoren, data, offset, pointer, instruction)
            }
            [pointer, count] if op == Std::prefetch => self.check_prefetch(pointer, count, instruction),
            [format, ..] if op == Std::printf => self.check_format(format, instruction),
            [.., pointer] if matches!(op, Std::remquo | Std::frexp | Std::lgamma_r) => {
                self.check_numbers(&operands[..operands.len() - 1], instruction)?;
                self.check_second(pointer, Some(Scalar::I32), instruction)
            }
            [x, pointer] if matches!(op, Std::fract | Std::modf | Std::sincos) => {
                self.check_numbers(&[x], instruction)?;
                self.check_second(pointer, None, instruction)
            }
            [x] if op == Std::ilogb => {
                let (x, result) = (self.ty_of(x, instruction)?, self.ty_of_result(instruction)?);
                let is_right = scalar(x).is_some_and(Scalar::is_float)
                    && scalar(result) == Some(Scalar::I32)
                    && lanes(x) == lanes(result);
                demand(is_right, "the result is not a 32-bit integer for each number", instruction)
            }
            [code] if op == Std::nan => {
                let (code, result) = (self.ty_of(code, instruction)?, self.ty_of_result(instruction)?);
                let size = |ty| scalar(ty).map(Scalar::size);
                let is_right = is_integers(code)
                    && scalar(result).is_some_and(Scalar::is_float)
                    && lanes(code) == lanes(result)
                    && size(code) == size(result);
                demand(is_right, "the codes are not integers of the result's shape", instruction)
            }
            _ => Ok(()),
        }
    }

    /// An offset and a pointer to the elements of vectors: those that the vectors have, or halves.
    fn check_vector(
        &self,
        own: bool,
        vector: &Ty,
        offset: Id,
        pointer: Id,
        instruction: &Instruction<'_>,
    ) -> Result<(), Error> {
        demand(self.is_size(offset, instruction)?, "the offset is not a size_t", instruction)?;
        let pointer = self.ty_of(pointer, instruction)?;
        let element = if own { scalar(vector) } else { Some(Scalar::F16) };
        let target = self.target_of(pointer, instruction)?;
        let is_right = target.is_none_or(|ty| scalar(ty) == element && lanes(ty) == 1);
        demand(is_right, "the pointer does not point to elements of the vector", instruction)
    }

    fn check_no_result(&self, instruction: &Instruction<'_>) -> Result<(), Error> {
        demand(*self.ty_of_result(instruction)? == Ty::Void, "the result is not void", instruction)
    }

    fn check_prefetch(&self, pointer: Id, count: Id, instruction: &Instruction<'_>) -> Result<(), Error> {
        self.check_no_result(instruction)?;
        let pointer = self.ty_of(pointer, instruction)?;
        let is_global = matches!(pointer, Ty::Pointer { space: AddressSpace::Global, .. });
        demand(is_global, "the pointer does not point to global memory", instruction)?;
        let target = self.target_of(pointer, instruction)?;
        let is_number = target.is_none_or(|ty| scalar(ty).is_some());
        demand(is_number, "the pointer does not point to numbers", instruction)?;
        demand(self.is_size(count, instruction)?, "the number of elements is not a size_t", instruction)
    }

    fn check_format(&self, format: Id, instruction: &Instruction<'_>) -> Result<(), Error> {
        let pointer = self.ty_of(format, instruction)?;
        let is_constant = matches!(pointer, Ty::Pointer { space: AddressSpace::Constant, .. });
        let is_right = is_constant || self.reader.index.declared().has_extension(RELAXED_PRINTF);
        demand(is_right, "the format of printf is not in constant memory", instruction)?;
        // LLVM's translator 19 also writes a pointer to the whole array.
        let target = match self.target_of(pointer, instruction)? {
            Some(Ty::Array { element, .. }) => Some(&self.reader.index.type_of(*element, instruction)?.ty),
            other => other,
        };
        let is_text = target.is_none_or(|ty| *ty == Ty::Int(Scalar::I8));
        demand(is_text, "the format of printf is not a string", instruction)
    }

    /// Operands of the result's type, which is a floating-point number or a vector of them.
    fn check_numbers(&self, operands: &[Id], instruction: &Instruction<'_>) -> Result<(), Error> {
        let result = self.ty_of_result(instruction)?;
        let is_float = scalar(result).is_some_and(Scalar::is_float);
        demand(is_float, "the result is not a floating-point number", instruction)?;
        for &operand in operands {
            let same = self.ty_of(operand, instruction)? == result;
            demand(same, "an operand has another type than the result", instruction)?;
        }
        Ok(())
    }

    /// Where a function puts its second result: these numbers, or those of the first.
    fn check_second(
        &self,
        pointer: Id,
        element: Option<Scalar>,
        instruction: &Instruction<'_>,
    ) -> Result<(), Error> {
        let (result, pointer) = (self.ty_of_result(instruction)?, self.ty_of(pointer, instruction)?);
        let is_constant = matches!(pointer, Ty::Pointer { space: AddressSpace::Constant, .. });
        demand(!is_constant, "constant memory is not written", instruction)?;
        let element = element.or(scalar(result));
        let target = self.target_of(pointer, instruction)?;
        let is_right = target.is_none_or(|ty| scalar(ty) == element && lanes(ty) == lanes(result));
        demand(is_right, "the pointer points to another type than the second result has", instruction)
    }

    /// Whether a value has the type that OpenCL C calls `size_t`.
    fn is_size(&self, id: Id, instruction: &Instruction<'_>) -> Result<bool, Error> {
        let size = if self.reader.index.pointer_bits() == 64 { Scalar::I64 } else { Scalar::I32 };
        Ok(*self.ty_of(id, instruction)? == Ty::Int(size))
    }
}

fn is_vector_store(op: Std) -> bool {
    matches!(
        op,
        Std::vstoren
            | Std::vstore_half
            | Std::vstore_half_r
            | Std::vstore_halfn
            | Std::vstore_halfn_r
            | Std::vstorea_halfn
            | Std::vstorea_halfn_r
    )
}

/// The number that a type is, or has in its lanes.
fn scalar(ty: &Ty) -> Option<Scalar> {
    match *ty {
        Ty::Int(scalar) | Ty::Float(scalar) => Some(scalar),
        Ty::Vector(scalar, _) if scalar != Scalar::Bool => Some(scalar),
        _ => None,
    }
}

fn lanes(ty: &Ty) -> u8 {
    match *ty {
        Ty::Vector(_, lanes) => lanes,
        _ => 1,
    }
}
