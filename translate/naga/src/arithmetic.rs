//! Arithmetic, comparisons, conversions, vectors.

use crate::kernel::Kernel;
use clvk_ir::{BinaryOp, CompareOp, ConvertOp, Inst, MathOp, Op, Type, UnaryOp};
use naga::{BinaryOperator, Expression, Handle, MathFunction, ScalarKind, UnaryOperator};

impl Kernel<'_, '_> {
    /// Writes an instruction that is neither a construct nor a terminator.
    pub fn instruction(&mut self, inst: Inst) {
        let data = &self.function.insts[inst];
        let Some(&result) = data.results.first() else { return self.memory(inst) };
        let ty = self.function.ty(result);
        let expression = match data.op {
            Op::Unary(op) => self.unary(inst, op, ty),
            Op::Binary(op) => self.binary(inst, op, ty),
            Op::Compare(op) => self.compare(inst, op),
            Op::Convert(op) => self.convert(inst, op),
            Op::Math(op) => self.math(inst, op),
            Op::Select => {
                let [condition, accept, reject] = [0, 1, 2].map(|position| self.operand(inst, position));
                self.add(Expression::Select { condition, accept, reject })
            }
            Op::Construct => {
                let count = data.operands.len();
                let lanes = (0..count).map(|position| self.operand(inst, position)).collect();
                self.compose(ty, lanes)
            }
            Op::Extract(lane) => {
                let base = self.operand(inst, 0);
                self.add(Expression::AccessIndex { base, index: u32::from(lane) })
            }
            Op::ExtractDynamic => {
                let [base, index] = [0, 1].map(|position| self.operand(inst, position));
                self.add(Expression::Access { base, index })
            }
            Op::Input(input) => self.input(input),
            Op::PushConstant { offset } => self.passed(offset, ty),
            Op::Image(op) => self.image(inst, op),
            Op::SubGroup(op) => self.sub_group(inst, op),
            // An image or sampler is named where it is used.
            Op::ImageBinding { .. } | Op::SamplerBinding { .. } => return,
            _ => return self.memory(inst),
        };
        self.define(result, expression);
    }

    /// An operand; the first one is hidden if all of them are constant.
    fn hidden(&mut self, inst: Inst, position: usize) -> Handle<Expression> {
        let function = self.function;
        let operands = &function.insts[inst].operands;
        let expression = self.value(operands[position]);
        if position > 0 || operands.iter().any(|&operand| function.as_constant(operand).is_none()) {
            return expression;
        }
        self.opaque(expression, function.ty(operands[0]))
    }

    fn unary(&mut self, inst: Inst, op: UnaryOp, ty: Type) -> Handle<Expression> {
        let expr = self.hidden(inst, 0);
        let op = match op {
            UnaryOp::FNeg => UnaryOperator::Negate,
            UnaryOp::Not if ty.is_bool() => UnaryOperator::LogicalNot,
            UnaryOp::Not => UnaryOperator::BitwiseNot,
            UnaryOp::PopCount => return self.call(MathFunction::CountOneBits, &[expr]),
            UnaryOp::HighestBit => return self.call(MathFunction::FirstLeadingBit, &[expr]),
            UnaryOp::LowestBit => return self.call(MathFunction::FirstTrailingBit, &[expr]),
            UnaryOp::Neg | UnaryOp::CountLeadingZeros | UnaryOp::CountTrailingZeros => self.left(inst),
        };
        self.add(Expression::Unary { op, expr })
    }

    /// A call of a function.
    fn call(&mut self, fun: MathFunction, operands: &[Handle<Expression>]) -> Handle<Expression> {
        let operand = |position: usize| operands.get(position).copied();
        self.add(Expression::Math { fun, arg: operands[0], arg1: operand(1), arg2: operand(2), arg3: None })
    }

    fn infix(
        &mut self,
        op: BinaryOperator,
        left: Handle<Expression>,
        right: Handle<Expression>,
    ) -> Handle<Expression> {
        self.add(Expression::Binary { op, left, right })
    }

    /// Two operands as signed integers.
    fn signed(&mut self, inst: Inst) -> [Handle<Expression>; 2] {
        [0, 1].map(|position| {
            let operand = self.hidden(inst, position);
            self.reinterpret(operand, ScalarKind::Sint)
        })
    }

    fn binary(&mut self, inst: Inst, op: BinaryOp, ty: Type) -> Handle<Expression> {
        let signed = match op {
            BinaryOp::SDiv => {
                let [left, right] = self.signed(inst);
                self.infix(BinaryOperator::Divide, left, right)
            }
            BinaryOp::SMin | BinaryOp::SMax => {
                let operands = self.signed(inst);
                let least = op == BinaryOp::SMin;
                self.call(if least { MathFunction::Min } else { MathFunction::Max }, &operands)
            }
            BinaryOp::AShr => {
                let [value, count] = [0, 1].map(|position| self.hidden(inst, position));
                let value = self.reinterpret(value, ScalarKind::Sint);
                self.infix(BinaryOperator::ShiftRight, value, count)
            }
            _ => return self.unsigned_binary(inst, op, ty),
        };
        self.reinterpret(signed, ScalarKind::Uint)
    }

    fn unsigned_binary(&mut self, inst: Inst, op: BinaryOp, ty: Type) -> Handle<Expression> {
        let [left, right] = [0, 1].map(|position| self.hidden(inst, position));
        let op = match op {
            BinaryOp::UMin => return self.call(MathFunction::Min, &[left, right]),
            BinaryOp::UMax => return self.call(MathFunction::Max, &[left, right]),
            BinaryOp::Add | BinaryOp::FAdd => BinaryOperator::Add,
            BinaryOp::Sub | BinaryOp::FSub => BinaryOperator::Subtract,
            BinaryOp::Mul | BinaryOp::FMul => BinaryOperator::Multiply,
            BinaryOp::UDiv | BinaryOp::FDiv => BinaryOperator::Divide,
            BinaryOp::URem => BinaryOperator::Modulo,
            BinaryOp::Shl => BinaryOperator::ShiftLeft,
            BinaryOp::LShr => BinaryOperator::ShiftRight,
            BinaryOp::And => BinaryOperator::And,
            BinaryOp::Or => BinaryOperator::InclusiveOr,
            BinaryOp::Xor if ty.is_bool() => BinaryOperator::NotEqual,
            BinaryOp::Xor => BinaryOperator::ExclusiveOr,
            BinaryOp::SDiv
            | BinaryOp::SRem
            | BinaryOp::AShr
            | BinaryOp::SMin
            | BinaryOp::SMax
            | BinaryOp::SMulHi
            | BinaryOp::UMulHi => self.left(inst),
        };
        self.infix(op, left, right)
    }

    fn compare(&mut self, inst: Inst, op: CompareOp) -> Handle<Expression> {
        use CompareOp::{Eq, FOEq, FOGe, FOGt, FOLe, FOLt, Ne, SGe, SGt, SLe, SLt, UGe, UGt, ULe, ULt};
        let operator = match op {
            Eq | FOEq => BinaryOperator::Equal,
            Ne => BinaryOperator::NotEqual,
            SLt | ULt | FOLt => BinaryOperator::Less,
            SLe | ULe | FOLe => BinaryOperator::LessEqual,
            SGt | UGt | FOGt => BinaryOperator::Greater,
            SGe | UGe | FOGe => BinaryOperator::GreaterEqual,
            _ => self.left(inst),
        };
        let [left, right] = match op {
            SLt | SLe | SGt | SGe => self.signed(inst),
            _ => [0, 1].map(|position| self.hidden(inst, position)),
        };
        self.infix(operator, left, right)
    }

    fn convert(&mut self, inst: Inst, op: ConvertOp) -> Handle<Expression> {
        let operand = self.hidden(inst, 0);
        let as_number = |expr, kind| Expression::As { expr, kind, convert: Some(4) };
        match op {
            ConvertOp::UnsignedToFloat(_) => self.add(as_number(operand, ScalarKind::Float)),
            ConvertOp::SignedToFloat(_) => {
                let signed = self.reinterpret(operand, ScalarKind::Sint);
                self.add(as_number(signed, ScalarKind::Float))
            }
            ConvertOp::FloatToUnsigned { saturating: false } => {
                self.add(as_number(operand, ScalarKind::Uint))
            }
            ConvertOp::FloatToSigned { saturating: false } => {
                let signed = self.add(as_number(operand, ScalarKind::Sint));
                self.reinterpret(signed, ScalarKind::Uint)
            }
            ConvertOp::Float(_) => {
                let to = self.function.ty(self.function.insts[inst].results[0]);
                self.resize(operand, to.scalar().expect("numbers are scalars and vectors"))
            }
            ConvertOp::Bitcast => {
                let to = crate::module::kind(self.function.ty(self.function.insts[inst].results[0]));
                self.reinterpret(operand, to)
            }
            _ => self.left(inst),
        }
    }

    fn math(&mut self, inst: Inst, op: MathOp) -> Handle<Expression> {
        let count = self.function.insts[inst].operands.len();
        let operands: Vec<_> = (0..count).map(|position| self.hidden(inst, position)).collect();
        let function = match op {
            MathOp::NativeDivide => return self.infix(BinaryOperator::Divide, operands[0], operands[1]),
            MathOp::FAbs => MathFunction::Abs,
            MathOp::FMin => MathFunction::Min,
            MathOp::FMax => MathFunction::Max,
            MathOp::Floor => MathFunction::Floor,
            MathOp::Ceil => MathFunction::Ceil,
            MathOp::Trunc => MathFunction::Trunc,
            MathOp::RoundEven => MathFunction::Round,
            MathOp::Fma => MathFunction::Fma,
            MathOp::Sqrt | MathOp::NativeSqrt => MathFunction::Sqrt,
            MathOp::NativeRsqrt => MathFunction::InverseSqrt,
            MathOp::NativeExp => MathFunction::Exp,
            MathOp::NativeExp2 => MathFunction::Exp2,
            MathOp::NativeLog => MathFunction::Log,
            MathOp::NativeLog2 => MathFunction::Log2,
            MathOp::NativeSin => MathFunction::Sin,
            MathOp::NativeCos => MathFunction::Cos,
            MathOp::Dot => MathFunction::Dot,
            MathOp::FClamp | MathOp::CopySign | MathOp::IsNan | MathOp::IsInf | MathOp::NeverPositive => {
                self.left(inst)
            }
        };
        self.call(function, &operands)
    }
}
