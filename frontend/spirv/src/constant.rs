//! Constants and specialisation constants: scalars for lengths and scopes, bytes for variables.

use crate::binary::{Id, Instruction, wide};
use crate::body::arithmetic::{binary, comparison, unary};
use crate::error::Error;
use crate::index::Index;
use crate::types::Ty;
use clvk_ir::{BinaryOp, Scalar, fold};
use rspirv::spirv::Op;

/// How deep constants may refer to each other.
pub const MAX_DEPTH: u32 = 128;

/// Computes constants of a module.
pub struct Evaluator<'i> {
    index: &'i Index,
    depth: u32,
}

impl<'i> Evaluator<'i> {
    pub fn new(index: &'i Index) -> Self {
        Evaluator { index, depth: 0 }
    }

    /// The bits of a scalar constant; `None` if it is another constant, or none.
    ///
    /// # Errors
    /// Constants refer to each other too deeply.
    pub fn scalar(&mut self, id: Id) -> Result<Option<u64>, Error> {
        let Some(instruction) = self.index.definition(id) else { return Ok(None) };
        if self.depth == MAX_DEPTH {
            return Err(instruction.error("constants refer to each other too deeply"));
        }
        self.depth += 1;
        let value = self.compute(id, &instruction);
        self.depth -= 1;
        value
    }

    fn compute(&mut self, id: Id, instruction: &Instruction<'_>) -> Result<Option<u64>, Error> {
        Ok(match instruction.op() {
            Some(Op::ConstantTrue) => Some(1),
            Some(Op::ConstantFalse | Op::ConstantNull) => Some(0),
            Some(Op::Constant) => wide(instruction.operands()).map(|bits| self.wrap(instruction, bits)),
            Some(Op::SpecConstantTrue) => {
                Some(self.index.specialised(id).map_or(1, |bits| u64::from(bits != 0)))
            }
            Some(Op::SpecConstantFalse) => {
                Some(self.index.specialised(id).map_or(0, |bits| u64::from(bits != 0)))
            }
            Some(Op::SpecConstant) => {
                let set = self.index.specialised(id);
                set.or_else(|| wide(instruction.operands())).map(|bits| self.wrap(instruction, bits))
            }
            Some(Op::SpecConstantOp) => self.operation(instruction)?,
            _ => None,
        })
    }

    /// The scalar type of an id's definition.
    fn scalar_type(&self, instruction: &Instruction<'_>) -> Option<Scalar> {
        let ty = self.index.type_of(instruction.result_type()?, instruction).ok()?;
        match ty.ty {
            Ty::Bool => Some(Scalar::Bool),
            Ty::Int(scalar) | Ty::Float(scalar) => Some(scalar),
            Ty::BFloat16 => Some(Scalar::I16),
            _ => None,
        }
    }

    fn wrap(&self, instruction: &Instruction<'_>, bits: u64) -> u64 {
        self.scalar_type(instruction).map_or(bits, |scalar| bits & scalar.mask())
    }

    /// `OpSpecConstantOp` on numbers; `None` for operations that have no value here, such as a division by
    /// zero.
    fn operation(&mut self, instruction: &Instruction<'_>) -> Result<Option<u64>, Error> {
        let mut values = Vec::new();
        for &operand in instruction.operands().get(1..).unwrap_or_default() {
            let Some(value) = self.scalar(operand)? else { return Ok(None) };
            values.push(value);
        }
        let first = instruction.operands().get(1).and_then(|&operand| self.index.definition(operand));
        let from = first.and_then(|it| self.scalar_type(&it)).unwrap_or(Scalar::I64);
        let at = |position: usize| values.get(position).copied().unwrap_or(0);
        let result = match Op::from_u32(instruction.operand(0)?) {
            Some(Op::UConvert | Op::Bitcast) => Some(at(0)),
            Some(Op::SConvert) => Some(from.sign_extend(at(0)) as u64),
            Some(Op::Select) => Some(if at(0) != 0 { at(1) } else { at(2) }),
            Some(op) => computed(op, from, at(0), at(1)),
            None => None,
        };
        Ok(result.map(|bits| self.wrap(instruction, bits)))
    }
}

/// The value of an operation on numbers of a type.
fn computed(op: Op, scalar: Scalar, a: u64, b: u64) -> Option<u64> {
    if let Some(op) = binary(op) {
        let divides = matches!(op, BinaryOp::SDiv | BinaryOp::UDiv | BinaryOp::SRem | BinaryOp::URem);
        return if divides && b == 0 { None } else { fold::binary(op, scalar, a, b) };
    }
    match comparison(op) {
        Some(op) => Some(u64::from(fold::compare(op, scalar, a, b))),
        None => unary(op).map(|op| fold::unary(op, scalar, a)),
    }
}
