//! The builder of functions.

use crate::{
    BinaryOp, CompareOp, ConvertOp, FastMath, Function, Inst, MathOp, Op, Region, Span, Type, UnaryOp, Value,
};

/// Appends instructions at the end of a region of a function.
///
/// The builder keeps a current region, span and fast-math flags. Result types are derived from the operands
/// where the operation decides them.
pub struct Builder<'f> {
    /// The function.
    pub function: &'f mut Function,
    region: Region,
    span: Span,
    fast_math: FastMath,
}

impl<'f> Builder<'f> {
    /// Starts at the end of `region`.
    pub fn new(function: &'f mut Function, region: Region) -> Self {
        Builder { function, region, span: Span::NONE, fast_math: FastMath::empty() }
    }

    /// The region that is being filled.
    #[must_use]
    pub fn region(&self) -> Region {
        self.region
    }

    /// Continues at the end of another region; returns the previous one.
    pub fn switch_to(&mut self, region: Region) -> Region {
        std::mem::replace(&mut self.region, region)
    }

    /// Sets the span of the instructions that follow; returns the previous one.
    pub fn set_span(&mut self, span: Span) -> Span {
        std::mem::replace(&mut self.span, span)
    }

    /// Sets the flags of the floating-point instructions that follow.
    pub fn set_fast_math(&mut self, fast_math: FastMath) {
        self.fast_math = fast_math;
    }

    /// Whether the current region already ends with a terminator.
    #[must_use]
    pub fn is_terminated(&self) -> bool {
        self.function.terminator(self.region).is_some_and(|inst| self.function.insts[inst].op.is_terminator())
    }

    /// Appends an instruction.
    pub fn push(&mut self, op: Op, operands: &[Value], results: &[Type]) -> Inst {
        self.push_with_regions(op, operands, results, &[])
    }

    /// Appends an instruction that owns regions.
    pub fn push_with_regions(
        &mut self,
        op: Op,
        operands: &[Value],
        results: &[Type],
        regions: &[Region],
    ) -> Inst {
        let inst = self.function.make_inst(op, operands, results, regions, self.span);
        self.function.insts[inst].fast_math = self.fast_math;
        self.function.regions[self.region].insts.push(inst);
        inst
    }

    /// Appends an instruction with one result.
    pub fn value(&mut self, op: Op, operands: &[Value], result: Type) -> Value {
        let inst = self.push(op, operands, &[result]);
        self.function.insts[inst].results[0]
    }

    /// A unary operation.
    pub fn unary(&mut self, op: UnaryOp, a: Value) -> Value {
        let ty = self.function.ty(a);
        self.value(Op::Unary(op), &[a], ty)
    }

    /// A binary operation.
    pub fn binary(&mut self, op: BinaryOp, a: Value, b: Value) -> Value {
        let ty = self.function.ty(a);
        self.value(Op::Binary(op), &[a, b], ty)
    }

    /// A comparison.
    pub fn compare(&mut self, op: CompareOp, a: Value, b: Value) -> Value {
        let ty = match self.function.ty(a) {
            ty @ (Type::Scalar(_) | Type::Vector(..)) => ty.with_scalar(crate::Scalar::Bool),
            _ => Type::BOOL,
        };
        self.value(Op::Compare(op), &[a, b], ty)
    }

    /// A conversion.
    pub fn convert(&mut self, op: ConvertOp, a: Value, to: Type) -> Value {
        self.value(Op::Convert(op), &[a], to)
    }

    /// A selection.
    pub fn select(&mut self, condition: Value, if_true: Value, if_false: Value) -> Value {
        let ty = self.function.ty(if_true);
        self.value(Op::Select, &[condition, if_true, if_false], ty)
    }

    /// A device function whose result has the type of its first operand.
    pub fn math(&mut self, op: MathOp, operands: &[Value]) -> Value {
        let ty = self.function.ty(operands[0]);
        let ty = match op {
            MathOp::IsNan | MathOp::IsInf | MathOp::NeverPositive => ty.with_scalar(crate::Scalar::Bool),
            MathOp::Dot => Type::Scalar(ty.scalar().expect("dot takes vectors")),
            _ => ty,
        };
        self.value(Op::Math(op), operands, ty)
    }

    /// A vector with the scalar in each lane; the scalar itself for one lane.
    pub fn splat(&mut self, scalar: Value, lanes: u32) -> Value {
        if lanes == 1 {
            return scalar;
        }
        let element = self.function.ty(scalar).scalar().expect("only scalars are splat");
        self.value(Op::Construct, &vec![scalar; lanes as usize], Type::with_lanes(element, lanes))
    }

    /// One lane of a vector.
    pub fn extract(&mut self, vector: Value, lane: u8) -> Value {
        let element = self.function.ty(vector).scalar().expect("only vectors have lanes");
        self.value(Op::Extract(lane), &[vector], Type::Scalar(element))
    }

    /// A load.
    pub fn load(&mut self, pointer: Value, ty: Type, align: u32, volatile: bool) -> Value {
        self.value(Op::Load { align, volatile }, &[pointer], ty)
    }

    /// A store.
    pub fn store(&mut self, pointer: Value, value: Value, align: u32, volatile: bool) {
        self.push(Op::Store { align, volatile }, &[pointer, value], &[]);
    }

    /// `base + offset` bytes; the base itself for zero.
    pub fn pointer_offset(&mut self, base: Value, offset: i64) -> Value {
        if offset == 0 {
            return base;
        }
        let ty = self.function.ty(base);
        self.value(Op::PointerOffset(offset), &[base], ty)
    }

    /// `base + index * stride` bytes.
    pub fn pointer_index(&mut self, base: Value, index: Value, stride: u64) -> Value {
        let ty = self.function.ty(base);
        self.value(Op::PointerIndex { stride }, &[base, index], ty)
    }
}
