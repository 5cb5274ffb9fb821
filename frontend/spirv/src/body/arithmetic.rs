//! Arithmetic, bits, relations and logic (SPIR-V §3.49.13 to §3.49.15).

use super::Body;
use super::values::{Access, Definition};
use crate::binary::Instruction;
use crate::error::Error;
use crate::glue::{self, Operation};
use clvk_ir::{
    BinaryOp, CompareOp, ConvertOp, FastMath, Func, MathOp, Op as IrOp, Scalar, Type, UnaryOp, Value,
};
use rspirv::spirv::{Decoration, Op};

impl Body<'_, '_> {
    /// Translates an instruction of this chapter; gives whether it is one.
    pub fn arithmetic(&mut self, op: Op, instruction: &Instruction<'_>) -> Result<bool, Error> {
        if let Some(op) = binary(op) {
            self.binary(op, instruction)?;
        } else if let Some(op) = comparison(op) {
            self.comparison(op, instruction)?;
        } else if let Some(op) = unary(op) {
            let a = self.number_at(0, instruction)?;
            let value = self.build().unary(op, a);
            self.define_value(instruction, value)?;
        } else if let Some((expression, signed)) = expression(op) {
            self.of_numbers(expression, signed, instruction)?;
        } else {
            return self.special(op, instruction);
        }
        Ok(true)
    }

    fn special(&mut self, op: Op, instruction: &Instruction<'_>) -> Result<bool, Error> {
        match op {
            Op::IsNan | Op::IsInf => {
                let a = self.number_at(0, instruction)?;
                if !self.function.ty(a).is_float() {
                    return Err(instruction.error("the operand is not a floating-point number"));
                }
                let value =
                    self.build().math(if op == Op::IsNan { MathOp::IsNan } else { MathOp::IsInf }, &[a]);
                self.define_value(instruction, value)?;
            }
            Op::IsFinite => self.truth_of_numbers("isfinite(a0)", instruction)?,
            Op::IsNormal => self.truth_of_numbers("isnormal(a0)", instruction)?,
            Op::SignBitSet => self.truth_of_numbers("signbit(a0)", instruction)?,
            Op::Any | Op::All => self.any_or_all(op == Op::Any, instruction)?,
            Op::Select => self.select(instruction)?,
            Op::VectorTimesScalar => {
                let (vector, scalar) = (self.number_at(0, instruction)?, self.number_at(1, instruction)?);
                let lanes = self.function.ty(vector).lanes();
                let splat = self.build().splat(scalar, lanes);
                let value = self.build().binary(BinaryOp::FMul, vector, splat);
                self.define_value(instruction, value)?;
            }
            Op::SMod => self.signed_modulo(instruction)?,
            Op::SDot | Op::UDot | Op::SUDot | Op::SDotAccSat | Op::UDotAccSat | Op::SUDotAccSat => {
                self.integer_dot(op, instruction)?;
            }
            Op::IAddCarry | Op::ISubBorrow | Op::UMulExtended | Op::SMulExtended => {
                self.extended_arithmetic(op, instruction)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// An operand that is a number, a truth value or a vector.
    fn number_at(&mut self, index: usize, instruction: &Instruction<'_>) -> Result<Value, Error> {
        let value = self.value_at(index, instruction)?;
        match self.function.ty(value) {
            Type::Scalar(_) | Type::Vector(..) => Ok(value),
            _ => Err(instruction.error("an operand is not a number")),
        }
    }

    /// What an instruction's decorations allow, of the function's modes.
    ///
    /// Translators do not decorate negations, in which nothing is rounded: what their operand allows of
    /// special values, they do, too.
    pub fn fast_math_of(&self, op: Op, instruction: &Instruction<'_>) -> FastMath {
        let id = instruction.result().unwrap_or_default();
        let index = &self.reader.index;
        let mut flags = index.fast_math(id);
        if op == Op::FNegate {
            let special = FastMath::NO_NAN | FastMath::NO_INF | FastMath::NO_SIGNED_ZERO;
            flags |= index.fast_math(instruction.operand(0).unwrap_or_default()) & special;
        }
        let kept = index.decoration(id, Decoration::NoContraction).is_some();
        flags.set(FastMath::CONTRACT, self.contract && !kept);
        flags
    }

    fn binary(&mut self, op: BinaryOp, instruction: &Instruction<'_>) -> Result<(), Error> {
        let (a, mut b) = (self.number_at(0, instruction)?, self.number_at(1, instruction)?);
        if matches!(op, BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr) {
            // The count may have another width.
            let ty = self.function.ty(a);
            if !ty.is_int() || !self.function.ty(b).is_int() {
                return Err(instruction.error("an operand is not an integer"));
            }
            b = self.resized(b, ty);
        }
        let value = self.build().binary(op, a, b);
        self.define_value(instruction, value)
    }

    fn comparison(&mut self, op: CompareOp, instruction: &Instruction<'_>) -> Result<(), Error> {
        let (a, b) = (self.value_at(0, instruction)?, self.value_at(1, instruction)?);
        // LLVM's translator compares pointers as integers.
        let value = self.build().compare(op, a, b);
        self.define_value(instruction, value)
    }

    fn any_or_all(&mut self, any: bool, instruction: &Instruction<'_>) -> Result<(), Error> {
        let vector = self.number_at(0, instruction)?;
        let ty = self.function.ty(vector);
        if !ty.is_bool() || ty.lanes() == 1 {
            return Err(instruction.error("the operand is not a vector of truth values"));
        }
        let mut result = self.build().extract(vector, 0);
        for lane in 1..ty.lanes() {
            let lane = self.build().extract(vector, lane as u8);
            result = self.build().binary(if any { BinaryOp::Or } else { BinaryOp::And }, result, lane);
        }
        self.define_value(instruction, result)
    }

    fn select(&mut self, instruction: &Instruction<'_>) -> Result<(), Error> {
        let condition = self.number_at(0, instruction)?;
        let a = self.operand(instruction.operand(1)?, instruction)?;
        let b = self.operand(instruction.operand(2)?, instruction)?;
        if !self.function.ty(condition).is_bool() {
            return Err(instruction.error("the condition is not a truth value"));
        }
        match (a, b) {
            (Definition::Memory(a), Definition::Memory(b)) => {
                // Both are aggregates in private or constant memory: the address is chosen.
                let ty = instruction.result_type().unwrap_or_default();
                let (ids, mut sources) = ([instruction.operand(1)?, instruction.operand(2)?], [a, b]);
                for (source, id) in sources.iter_mut().zip(ids) {
                    *source = self.private_copy(id, *source, instruction)?;
                }
                let source = self.build().select(condition, sources[0], sources[1]);
                let memory = self.memory_for(ty, instruction)?;
                self.store(memory, Definition::Memory(source), ty, Access::default(), instruction)?;
                self.define(instruction, Definition::Memory(memory))
            }
            (a, b) => {
                let (a, b) = (self.value_of(a, instruction)?, self.value_of(b, instruction)?);
                let value = self.build().select(condition, a, b);
                self.define_value(instruction, value)
            }
        }
    }

    /// The result of an expression of OpenCL C on the operands, which are numbers.
    fn of_numbers(&mut self, text: &str, signed: bool, instruction: &Instruction<'_>) -> Result<(), Error> {
        let ty = self.result_value_type(instruction)?;
        if let Some(Op::FDiv | Op::FRem | Op::FMod) = instruction.op() {
            // OpenCL C converts integers, and divides them in another way.
            for index in 0..instruction.operands().len() {
                let operand = self.number_at(index, instruction)?;
                if !ty.is_float() || self.function.ty(operand) != ty {
                    return Err(
                        instruction.error("an operand is not a floating-point number like the result")
                    );
                }
            }
        }
        let result =
            glue::number(ty, signed).ok_or_else(|| instruction.error("the result is not a number"))?;
        let value = self.expression(Some(&result), text, signed, instruction)?;
        match value {
            Some(value) => self.define_value(instruction, value),
            None => Ok(()),
        }
    }

    /// Whether a relational function of OpenCL C is true for the operands.
    fn truth_of_numbers(&mut self, text: &str, instruction: &Instruction<'_>) -> Result<(), Error> {
        let operand = self.number_at(0, instruction)?;
        let ty = self.function.ty(operand);
        let scalar = match ty {
            Type::Vector(scalar, _) => Scalar::int(scalar.bits().max(8)),
            _ => Scalar::I32,
        };
        let result = glue::number(ty.with_scalar(scalar), true);
        let value = self.expression(result.as_ref(), text, true, instruction)?;
        let value = value.ok_or_else(|| instruction.error("the operand is not a number"))?;
        let value = self.truth(value);
        self.define_value(instruction, value)
    }

    /// Calls an expression of OpenCL C on all operands, which are numbers.
    fn expression(
        &mut self,
        result: Option<&glue::Spelled>,
        text: &str,
        signed: bool,
        instruction: &Instruction<'_>,
    ) -> Result<Option<Value>, Error> {
        let mut values = Vec::with_capacity(instruction.operands().len());
        for index in 0..instruction.operands().len() {
            values.push(self.number_at(index, instruction)?);
        }
        let ty = result.map(|result| result.ty);
        let types = values.iter().map(|&value| self.function.ty(value));
        let number = (0, u32::from(instruction.opcode));
        let operation = Operation::new(number, ty.unwrap_or(Type::Void), types);
        let known = operation.as_ref().and_then(|operation| self.reader.glue.known(operation));
        let func = match known {
            Some(known) => known,
            None => {
                let spelled = values.iter().map(|&value| glue::number(self.function.ty(value), signed));
                let params: Option<Vec<_>> = spelled.collect();
                let params = params.ok_or_else(|| instruction.error("an operand is not a number"))?;
                let func = self.glue_function(result, &params, text);
                self.reader.glue.remember(operation, func);
                func
            }
        };
        Ok(self.call_function(func, &values, ty))
    }

    /// Calls an expression of OpenCL C on values `a0`, `a1`, ….
    pub fn call_expression(
        &mut self,
        result: Option<&glue::Spelled>,
        arguments: &[(Value, glue::Spelled)],
        text: &str,
    ) -> Option<Value> {
        let params: Vec<glue::Spelled> = arguments.iter().map(|(_, spelled)| spelled.clone()).collect();
        let values: Vec<Value> = arguments.iter().map(|&(value, _)| value).collect();
        let func = self.glue_function(result, &params, text);
        self.call_function(func, &values, result.map(|result| result.ty))
    }

    /// The function of OpenCL C with parameters `a0`, `a1`, … of these types that gives an expression.
    pub fn glue_function(
        &mut self,
        result: Option<&glue::Spelled>,
        params: &[glue::Spelled],
        text: &str,
    ) -> Func {
        self.reader.glue.function(&mut self.reader.module, result, params, text)
    }

    /// Calls a function of the IR; gives its result.
    pub fn call_function(&mut self, func: Func, values: &[Value], result: Option<Type>) -> Option<Value> {
        let inst = self.push(IrOp::Call(func), values, result.as_slice());
        self.function.insts[inst].results.first().copied()
    }

    /// The remainder with the sign of the divisor.
    fn signed_modulo(&mut self, instruction: &Instruction<'_>) -> Result<(), Error> {
        let (a, b) = (self.number_at(0, instruction)?, self.number_at(1, instruction)?);
        let ty = self.function.ty(a);
        if !ty.is_int() || self.function.ty(b) != ty {
            return Err(instruction.error("an operand is not an integer"));
        }
        let zero = self.function.zero(ty);
        let remainder = self.build().binary(BinaryOp::SRem, a, b);
        let sum = self.build().binary(BinaryOp::Add, remainder, b);
        let signs = self.build().binary(BinaryOp::Xor, remainder, b);
        let differ = self.build().compare(CompareOp::SLt, signs, zero);
        let some = self.build().compare(CompareOp::Ne, remainder, zero);
        let adjust = self.build().binary(BinaryOp::And, differ, some);
        let value = self.build().select(adjust, sum, remainder);
        self.define_value(instruction, value)
    }

    /// Dot products of four bytes, in vectors or packed in words (SPIR-V, SPV_KHR_integer_dot_product).
    fn integer_dot(&mut self, op: Op, instruction: &Instruction<'_>) -> Result<(), Error> {
        let (a_signed, b_signed, letters) = match op {
            Op::SDot | Op::SDotAccSat => (true, true, "ss"),
            Op::UDot | Op::UDotAccSat => (false, false, "uu"),
            _ => (true, false, "su"),
        };
        let sums = matches!(op, Op::SDotAccSat | Op::UDotAccSat | Op::SUDotAccSat);
        let packed = instruction.operands().len() > if sums { 3 } else { 2 };
        let mut arguments = Vec::new();
        for (index, signed) in
            [(0, a_signed), (1, b_signed), (2, a_signed)].into_iter().take(if sums { 3 } else { 2 })
        {
            let value = self.number_at(index, instruction)?;
            let spelled = glue::number(self.function.ty(value), signed && (!packed || index == 2));
            arguments.push((value, spelled.ok_or_else(|| instruction.error("an operand is not a number"))?));
        }
        let ty = self.result_value_type(instruction)?;
        let bytes = match packed {
            true => self.function.ty(arguments[0].0) == Type::I32,
            false => self.function.ty(arguments[0].0) == Type::Vector(Scalar::I8, 4),
        };
        if ty != Type::I32 || !bytes {
            return Err(instruction.error(
                "dot products of these types are not supported: four bytes and a result of 32 bits are",
            ));
        }
        let kind = if a_signed { "int" } else { "uint" };
        let text = match (packed, sums) {
            (false, false) => "dot(a0, a1)".to_owned(),
            (false, true) => "dot_acc_sat(a0, a1, a2)".to_owned(),
            (true, false) => format!("dot_4x8packed_{letters}_{kind}(a0, a1)"),
            (true, true) => format!("dot_acc_sat_4x8packed_{letters}_{kind}(a0, a1, a2)"),
        };
        let result =
            glue::number(ty, a_signed).ok_or_else(|| instruction.error("the result is not a number"))?;
        let value =
            self.call_expression(Some(&result), &arguments, &text).expect("the function has a result");
        self.define_value(instruction, value)
    }

    /// Sums with carry and whole products: a structure of two numbers.
    fn extended_arithmetic(&mut self, op: Op, instruction: &Instruction<'_>) -> Result<(), Error> {
        let (a, b) = (self.number_at(0, instruction)?, self.number_at(1, instruction)?);
        let number = self.function.ty(a);
        if !number.is_int() || self.function.ty(b) != number {
            return Err(instruction.error("an operand is not an integer"));
        }
        let mut both = |low: BinaryOp, high: Result<BinaryOp, (CompareOp, bool)>| {
            let first = self.build().binary(low, a, b);
            let second = match high {
                Ok(high) => self.build().binary(high, a, b),
                Err((compare, with_result)) => {
                    let less = self.build().compare(
                        compare,
                        if with_result { first } else { a },
                        if with_result { a } else { b },
                    );
                    self.build().convert(ConvertOp::ZeroExtend, less, number)
                }
            };
            [first, second]
        };
        let values = match op {
            Op::IAddCarry => both(BinaryOp::Add, Err((CompareOp::ULt, true))),
            Op::ISubBorrow => both(BinaryOp::Sub, Err((CompareOp::ULt, false))),
            Op::UMulExtended => both(BinaryOp::Mul, Ok(BinaryOp::UMulHi)),
            _ => both(BinaryOp::Mul, Ok(BinaryOp::SMulHi)),
        };
        let ty = instruction.result_type().unwrap_or_default();
        let memory = self.memory_for(ty, instruction)?;
        for (number, value) in values.into_iter().enumerate() {
            let (member, offset) = self.reader.index.part(ty, number as u64, instruction)?;
            let address = self.build().pointer_offset(memory, offset as i64);
            self.store(address, Definition::Value(value), member, Access::default(), instruction)?;
        }
        self.define(instruction, Definition::Memory(memory))
    }
}

/// The operation of the IR for an instruction, if it is one.
pub fn binary(op: Op) -> Option<BinaryOp> {
    Some(match op {
        Op::IAdd => BinaryOp::Add,
        Op::ISub => BinaryOp::Sub,
        Op::IMul => BinaryOp::Mul,
        Op::UDiv => BinaryOp::UDiv,
        Op::SDiv => BinaryOp::SDiv,
        Op::UMod => BinaryOp::URem,
        Op::SRem => BinaryOp::SRem,
        Op::FAdd => BinaryOp::FAdd,
        Op::FSub => BinaryOp::FSub,
        Op::FMul => BinaryOp::FMul,
        Op::ShiftLeftLogical => BinaryOp::Shl,
        Op::ShiftRightLogical => BinaryOp::LShr,
        Op::ShiftRightArithmetic => BinaryOp::AShr,
        Op::BitwiseAnd | Op::LogicalAnd => BinaryOp::And,
        Op::BitwiseOr | Op::LogicalOr => BinaryOp::Or,
        Op::BitwiseXor => BinaryOp::Xor,
        _ => return None,
    })
}

/// The operation of the IR for an instruction, if it is one.
pub fn unary(op: Op) -> Option<UnaryOp> {
    Some(match op {
        Op::SNegate => UnaryOp::Neg,
        Op::FNegate => UnaryOp::FNeg,
        Op::Not | Op::LogicalNot => UnaryOp::Not,
        Op::BitCount => UnaryOp::PopCount,
        _ => return None,
    })
}

/// The operation of the IR for an instruction, if it is one.
pub fn comparison(op: Op) -> Option<CompareOp> {
    Some(match op {
        Op::IEqual | Op::LogicalEqual => CompareOp::Eq,
        Op::INotEqual | Op::LogicalNotEqual => CompareOp::Ne,
        Op::UGreaterThan => CompareOp::UGt,
        Op::SGreaterThan => CompareOp::SGt,
        Op::UGreaterThanEqual => CompareOp::UGe,
        Op::SGreaterThanEqual => CompareOp::SGe,
        Op::ULessThan => CompareOp::ULt,
        Op::SLessThan => CompareOp::SLt,
        Op::ULessThanEqual => CompareOp::ULe,
        Op::SLessThanEqual => CompareOp::SLe,
        Op::FOrdEqual => CompareOp::FOEq,
        Op::FUnordEqual => CompareOp::FUEq,
        Op::FOrdNotEqual | Op::LessOrGreater => CompareOp::FONe,
        Op::FUnordNotEqual => CompareOp::FUNe,
        Op::FOrdLessThan => CompareOp::FOLt,
        Op::FUnordLessThan => CompareOp::FULt,
        Op::FOrdGreaterThan => CompareOp::FOGt,
        Op::FUnordGreaterThan => CompareOp::FUGt,
        Op::FOrdLessThanEqual => CompareOp::FOLe,
        Op::FUnordLessThanEqual => CompareOp::FULe,
        Op::FOrdGreaterThanEqual => CompareOp::FOGe,
        Op::FUnordGreaterThanEqual => CompareOp::FUGe,
        Op::Ordered => CompareOp::FOrd,
        Op::Unordered => CompareOp::FUno,
        _ => return None,
    })
}

/// An expression of OpenCL C for an instruction on numbers, and whether its integers are signed. OpenCL C's
/// division meets its precision on every device.
fn expression(op: Op) -> Option<(&'static str, bool)> {
    Some(match op {
        Op::FDiv => ("a0 / a1", true),
        Op::FRem => ("fmod(a0, a1)", true),
        Op::FMod => ("a0 - a1 * floor(a0 / a1)", true),
        Op::Dot => ("dot(a0, a1)", true),
        Op::BitReverse => ("bit_reverse(a0)", false),
        Op::BitFieldInsert => ("bitfield_insert(a0, a1, (uint)a2, (uint)a3)", false),
        Op::BitFieldSExtract => ("bitfield_extract_signed(a0, (uint)a1, (uint)a2)", true),
        Op::BitFieldUExtract => ("bitfield_extract_unsigned(a0, (uint)a1, (uint)a2)", false),
        _ => return None,
    })
}
