//! Hides the possible values of integers from a driver that draws wrong conclusions from them
//! ([`Quirk::ValueRanges`]). A word of the push constants that is always 0 is added to the operands of
//! integer divisions, to the masks that made these operands, and to loaded values of small types. Each of
//! these is needed: among 10,000 random programs some are wrong without it (`docs/log/random-programs.md`).
//! It runs after `legalise`, which introduces divisions and small types.

use crate::TranslateError;
use crate::passes::{Context, cursor::Cursor, zero::Zero};
use clvk_interface::Quirk;
use clvk_ir::{BinaryOp, ConvertOp, Function, Inst, Op, Scalar, Type, Value};

/// See the module.
///
/// # Errors
/// None.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    if !context.profile.has(Quirk::ValueRanges) {
        return Ok(());
    }
    for function in context.module.bodies_mut() {
        if let Some(zero) = Zero::of(function, &context.interface) {
            hide(function, zero);
        }
    }
    Ok(())
}

/// Adds the word.
fn hide(function: &mut Function, zero: Zero) {
    let mut hiding = Hiding { cursor: Cursor::new(function), zero };
    while let Some(inst) = hiding.cursor.advance() {
        match hiding.cursor.function.insts[inst].op {
            Op::Binary(op) if op.divides_integers() => hiding.division(inst),
            Op::Convert(ConvertOp::ZeroExtend) if hiding.is_small(inst) => hiding.widening(inst),
            _ => hiding.cursor.keep(inst),
        }
    }
}

struct Hiding<'f> {
    cursor: Cursor<'f>,
    zero: Zero,
}

impl Hiding<'_> {
    /// Whether an 8- or 16-bit integer is converted.
    fn is_small(&self, inst: Inst) -> bool {
        let function = &self.cursor.function;
        let from = function.ty(function.insts[inst].operands[0]).scalar();
        matches!(from, Some(Scalar::I8 | Scalar::I16))
    }

    fn division(&mut self, inst: Inst) {
        let operands = self.cursor.operands(inst);
        let [dividend, divisor] = [operands[0], operands[1]].map(|value| self.hidden_mask(value));
        let (dividend, divisor) = (self.hidden(dividend), self.unless_constant(divisor));
        self.cursor.keep_with(inst, &[dividend, divisor]);
    }

    /// For a value that is masked: the same with a mask that the driver does not know.
    fn hidden_mask(&mut self, value: Value) -> Value {
        let function = &self.cursor.function;
        let Some(inst) = function.defining_inst(value) else { return value };
        let data = &function.insts[inst];
        if data.op != Op::Binary(BinaryOp::And) || function.as_constant(data.operands[1]).is_none() {
            return value;
        }
        let (masked, mask, ty) = (data.operands[0], data.operands[1], function.ty(value));
        let mask = self.hidden(mask);
        self.cursor.value(Op::Binary(BinaryOp::And), &[masked, mask], ty)
    }

    fn widening(&mut self, inst: Inst) {
        let (value, ty) = (self.cursor.operands(inst)[0], self.cursor.function.ty(self.cursor.result(inst)));
        let wide = self.cursor.convert(ConvertOp::ZeroExtend, value, ty);
        let wide = self.hidden(wide);
        self.cursor.replace_result(inst, wide);
    }

    fn unless_constant(&mut self, value: Value) -> Value {
        match self.cursor.function.as_constant(value) {
            Some(_) => value,
            None => self.hidden(value),
        }
    }

    /// The value plus the hidden zero.
    fn hidden(&mut self, value: Value) -> Value {
        let ty = self.cursor.function.ty(value);
        let Some(scalar @ (Scalar::I32 | Scalar::I64)) = ty.scalar() else { return value };
        let zero = self.zero.read(|op| self.cursor.value(op, &[], Type::I32));
        let zero = self.cursor.resize(ConvertOp::ZeroExtend, zero, Type::Scalar(scalar));
        let zeros = vec![zero; ty.lanes() as usize];
        let zeros = self.cursor.construct(&zeros);
        self.cursor.value(Op::Binary(BinaryOp::Add), &[value, zeros], ty)
    }
}
