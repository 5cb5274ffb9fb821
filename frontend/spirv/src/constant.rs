//! Constants and specialisation constants: scalars for lengths and scopes, bytes for variables.

use crate::binary::{Id, Instruction};
use crate::error::Error;
use crate::index::Index;
use crate::types::Ty;
use clvk_ir::Scalar;
use rspirv::spirv::Op;

/// How deep constants may refer to each other.
const MAX_DEPTH: u32 = 128;

/// Computes constants of a module.
pub struct Evaluator<'i, 'w> {
    index: &'i Index<'w>,
    depth: u32,
}

impl<'i, 'w> Evaluator<'i, 'w> {
    pub fn new(index: &'i Index<'w>) -> Self {
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

    fn compute(&mut self, id: Id, instruction: &Instruction<'w>) -> Result<Option<u64>, Error> {
        Ok(match instruction.op() {
            Some(Op::ConstantTrue) => Some(1),
            Some(Op::ConstantFalse | Op::ConstantNull) => Some(0),
            Some(Op::Constant) => literal(instruction),
            Some(Op::SpecConstantTrue) => {
                Some(self.index.specialised(id).map_or(1, |bits| u64::from(bits != 0)))
            }
            Some(Op::SpecConstantFalse) => {
                Some(self.index.specialised(id).map_or(0, |bits| u64::from(bits != 0)))
            }
            Some(Op::SpecConstant) => {
                let set = self.index.specialised(id);
                set.or_else(|| literal(instruction)).map(|bits| self.wrap(instruction, bits))
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
            _ => None,
        }
    }

    fn wrap(&self, instruction: &Instruction<'_>, bits: u64) -> u64 {
        self.scalar_type(instruction).map_or(bits, |scalar| bits & scalar.mask())
    }

    /// `OpSpecConstantOp` on integers.
    fn operation(&mut self, instruction: &Instruction<'w>) -> Result<Option<u64>, Error> {
        let mut values = Vec::new();
        let mut width = 64;
        for &operand in &instruction.operands()[1..] {
            let Some(value) = self.scalar(operand)? else { return Ok(None) };
            let definition = self.index.definition(operand);
            width = definition.and_then(|it| self.scalar_type(&it)).map_or(64, Scalar::bits);
            values.push(value);
        }
        let signed = |bits: u64| ((bits << (64 - width)) as i64) >> (64 - width);
        let a = values.first().copied().unwrap_or(0);
        let b = values.get(1).copied().unwrap_or(0);
        let truth = |holds: bool| Some(u64::from(holds));
        let result = match Op::from_u32(instruction.operand(0)?) {
            Some(Op::IAdd) => Some(a.wrapping_add(b)),
            Some(Op::ISub) => Some(a.wrapping_sub(b)),
            Some(Op::IMul) => Some(a.wrapping_mul(b)),
            Some(Op::UDiv) => a.checked_div(b),
            Some(Op::UMod) => a.checked_rem(b),
            Some(Op::SDiv) => signed(a).checked_div(signed(b)).map(|value| value as u64),
            Some(Op::SRem) => signed(a).checked_rem(signed(b)).map(|value| value as u64),
            Some(Op::SNegate) => Some(a.wrapping_neg()),
            Some(Op::Not) => Some(!a),
            Some(Op::BitwiseAnd | Op::LogicalAnd) => Some(a & b),
            Some(Op::BitwiseOr | Op::LogicalOr) => Some(a | b),
            Some(Op::BitwiseXor) => Some(a ^ b),
            Some(Op::LogicalNot) => truth(a == 0),
            Some(Op::ShiftLeftLogical) => Some(a.checked_shl(b as u32).unwrap_or(0)),
            Some(Op::ShiftRightLogical) => Some(a.checked_shr(b as u32).unwrap_or(0)),
            Some(Op::UConvert | Op::Bitcast) => Some(a),
            Some(Op::SConvert) => Some(signed(a) as u64),
            Some(Op::Select) => Some(if a != 0 { b } else { values.get(2).copied().unwrap_or(0) }),
            Some(Op::IEqual | Op::LogicalEqual) => truth(a == b),
            Some(Op::INotEqual | Op::LogicalNotEqual) => truth(a != b),
            Some(Op::ULessThan) => truth(a < b),
            Some(Op::ULessThanEqual) => truth(a <= b),
            Some(Op::UGreaterThan) => truth(a > b),
            Some(Op::UGreaterThanEqual) => truth(a >= b),
            Some(Op::SLessThan) => truth(signed(a) < signed(b)),
            Some(Op::SLessThanEqual) => truth(signed(a) <= signed(b)),
            Some(Op::SGreaterThan) => truth(signed(a) > signed(b)),
            Some(Op::SGreaterThanEqual) => truth(signed(a) >= signed(b)),
            _ => None,
        };
        Ok(result.map(|bits| self.wrap(instruction, bits)))
    }
}

/// The bits of `OpConstant`, which sign-extends narrow numbers.
fn literal(instruction: &Instruction<'_>) -> Option<u64> {
    match instruction.operands() {
        [low] => Some(u64::from(*low)),
        [low, high] => Some(u64::from(*low) | u64::from(*high) << 32),
        _ => None,
    }
}
