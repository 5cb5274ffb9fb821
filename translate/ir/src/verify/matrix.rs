//! Operands and results of operations on cooperative matrices.

use super::operations::{Checked, Signature, check_conversion, ensure};
use crate::{
    BinaryOp, ConvertOp, ElementType, MatrixOp, MatrixType, MatrixUse, RoundingMode, Scalar, Type, UnaryOp,
};

pub(super) fn check(op: MatrixOp, s: &Signature<'_>) -> Checked {
    match op {
        MatrixOp::Load(_) => {
            let [_, stride] = s.take()?;
            s.pointer(0)?;
            check_stride(stride)?;
            matrix(s.result()?).map(drop)
        }
        MatrixOp::Store(_) => {
            let [_, value, stride] = s.take()?;
            super::memory::writable(s.pointer(0)?)?;
            matrix(value)?;
            check_stride(stride)?;
            s.no_result()
        }
        MatrixOp::MulAdd(_) => check_product(s),
        MatrixOp::Fill => {
            let [scalar] = s.take()?;
            is_value(scalar, matrix(s.result()?)?.element.value())
        }
        MatrixOp::Length => {
            let [of] = s.take()?;
            matrix(of)?;
            s.returns(Type::I32)
        }
        MatrixOp::Extract => {
            let [of, index] = s.take()?;
            ensure(index == Type::I32, || format!("the index is i32, not {index}"))?;
            s.returns(Type::Scalar(matrix(of)?.element.value()))
        }
        MatrixOp::Insert => {
            let [of, scalar, index] = s.take()?;
            ensure(index == Type::I32, || format!("the index is i32, not {index}"))?;
            is_value(scalar, matrix(of)?.element.value())?;
            s.returns(of)
        }
        MatrixOp::Unary(op) => {
            let [a] = s.take()?;
            let is_float = arithmetic(a)?.is_float();
            ensure(op == if is_float { UnaryOp::FNeg } else { UnaryOp::Neg }, || {
                format!("{op:?} does not take {a}")
            })?;
            s.returns(a)
        }
        MatrixOp::Binary(op) => {
            use BinaryOp::{Add, FAdd, FDiv, FMul, FSub, Mul, SDiv, Sub, UDiv};
            let [a, b] = s.take()?;
            let allowed = match arithmetic(a)?.is_float() {
                true => matches!(op, FAdd | FSub | FMul | FDiv),
                false => matches!(op, Add | Sub | Mul | SDiv | UDiv),
            };
            ensure(allowed, || format!("{op:?} does not take {a}"))?;
            ensure(a == b, || format!("the operands are of different types, {a} and {b}"))?;
            s.returns(a)
        }
        MatrixOp::Scale => {
            let [a, scalar] = s.take()?;
            is_value(scalar, arithmetic(a)?)?;
            s.returns(a)
        }
        MatrixOp::Convert(op) => {
            let [from] = s.take()?;
            let (from, to) = (matrix(from)?, matrix(s.result()?)?);
            ensure(MatrixType { element: to.element, ..from } == to, || {
                "a conversion keeps the shape and the use".into()
            })?;
            match (from.element, to.element) {
                (ElementType::Scalar(from), ElementType::Scalar(to)) => {
                    check_conversion(op, Type::Scalar(from), Type::Scalar(to))
                }
                (ElementType::BFloat16, ElementType::Scalar(Scalar::F32))
                | (ElementType::Scalar(Scalar::F32), ElementType::BFloat16) => {
                    let nearest = op == ConvertOp::Float(RoundingMode::NearestEven);
                    ensure(nearest, || format!("{op:?} does not take bfloat16"))
                }
                _ => Err("bfloat16 is converted only from and to f32".into()),
            }
        }
    }
}

fn matrix(ty: Type) -> Result<MatrixType, String> {
    let Type::Matrix(matrix) = ty else { return Err(format!("{ty} is not a matrix")) };
    let fits = matrix.element != ElementType::Scalar(Scalar::Bool) && matrix.rows > 0 && matrix.columns > 0;
    ensure(fits, || format!("there is no matrix {ty}"))?;
    Ok(matrix)
}

/// The elements of a matrix with which operations by element compute.
fn arithmetic(ty: Type) -> Result<Scalar, String> {
    match matrix(ty)?.element {
        ElementType::Scalar(scalar) => Ok(scalar),
        ElementType::BFloat16 => Err("bfloat16 elements have no arithmetic".into()),
    }
}

fn is_value(scalar: Type, element: Scalar) -> Checked {
    ensure(scalar == Type::Scalar(element), || format!("{scalar} is not an element of the matrix"))
}

/// Strides have 64 bits until memory is lowered.
fn check_stride(stride: Type) -> Checked {
    ensure(matches!(stride, Type::I64 | Type::I32), || format!("the stride is an integer, not {stride}"))
}

fn check_product(s: &Signature<'_>) -> Checked {
    let [a, b, c] = s.take()?;
    s.returns(c)?;
    let (a, b, c) = (matrix(a)?, matrix(b)?, matrix(c)?);
    let uses = (a.usage, b.usage, c.usage) == (MatrixUse::A, MatrixUse::B, MatrixUse::Accumulator);
    ensure(uses, || "the operands are of use A, B and accumulator".into())?;
    let fits = (a.rows, b.columns, a.columns) == (c.rows, c.columns, b.rows);
    ensure(fits, || "the shapes of the operands do not fit".into())?;
    let floats = [a, b, c].map(|matrix| matrix.element.is_float());
    ensure(floats.iter().all(|&float| float == floats[0]), || {
        "the elements are all integers, or all floating-point numbers".into()
    })
}
