//! Functions of three bits, which hashes are made of.

use super::algebra::Rewriter;
use clvk_ir::{BinaryOp, Op, Type, UnaryOp, Value};

const AND: Op = Op::Binary(BinaryOp::And);
const XOR: Op = Op::Binary(BinaryOp::Xor);

/// `x & ~(x ^ y)` is `x & y`, and `x & (x ^ y)` is `x & ~y`: so the majority of three bits, written with
/// `bitselect(x, z, x ^ y)`, takes no complement.
pub(super) fn and_with_difference(
    rewriter: &mut Rewriter<'_>,
    x: Value,
    other: Value,
    ty: Type,
) -> Option<Value> {
    let complement = Op::Unary(UnaryOp::Not);
    let inner = rewriter.operands_of(other, &complement).map(|[inner, ..]| inner);
    let [a, b] = rewriter.operands_of(inner.unwrap_or(other), &XOR)?;
    let y = if a == x { b } else { (b == x).then_some(a)? };
    let factor = if inner.is_some() { y } else { rewriter.value(complement, &[y], ty) };
    Some(rewriter.value(AND, &[x, factor], ty))
}

/// The majority of three bits, in the ways in which people and compilers write it, is
/// `((x ^ y) & (x ^ z)) ^ x`. NVIDIA's driver makes one instruction of that and two of the others: `sha256`
/// takes 0.97 of the time on an H100 (`docs/log/kernels.md`).
pub(super) fn majority(
    rewriter: &mut Rewriter<'_>,
    op: BinaryOp,
    a: Value,
    b: Value,
    ty: Type,
) -> Option<Value> {
    ty.scalar().filter(|scalar| scalar.is_int())?;
    let ([x, y], z) = voters(rewriter, op, a, b).or_else(|| voters(rewriter, op, b, a))?;
    let (first, second) = (rewriter.value(XOR, &[x, y], ty), rewriter.value(XOR, &[x, z], ty));
    let differ = rewriter.value(AND, &[first, second], ty);
    Some(rewriter.value(XOR, &[differ, x], ty))
}

/// The three values whose majority `x & y`, joined with another value by `op`, is.
fn voters(rewriter: &Rewriter<'_>, op: BinaryOp, both: Value, other: Value) -> Option<([Value; 2], Value)> {
    let [x, y] = rewriter.operands_of(both, &AND)?;
    let is_pair = |[a, b]: [Value; 2]| (a, b) == (x, y) || (b, a) == (x, y);
    if let Some([a, b]) = rewriter.operands_of(other, &AND) {
        // (x & y) | (z & (x ^ y)), (x & y) ^ (z & (x ^ y)), (x & y) | (z & (x | y))
        let joins = |value| {
            let either =
                rewriter.operands_of(value, &Op::Binary(BinaryOp::Or)).filter(|_| op == BinaryOp::Or);
            rewriter.operands_of(value, &XOR).or(either).is_some_and(is_pair)
        };
        return if joins(b) { Some(([x, y], a)) } else { joins(a).then_some(([x, y], b)) };
    }
    // (x & y) | (x & z) | (y & z), and the same with exclusive or
    let [c, d] = rewriter.operands_of(other, &Op::Binary(op))?;
    let (c, d) = (rewriter.operands_of(c, &AND)?, rewriter.operands_of(d, &AND)?);
    let besides =
        |pair: [Value; 2], one| (pair[0] == one).then_some(pair[1]).or((pair[1] == one).then_some(pair[0]));
    let third = |c, d| besides(c, x).filter(|&z| besides(d, y) == Some(z));
    third(c, d).or_else(|| third(d, c)).map(|z| ([x, y], z))
}
