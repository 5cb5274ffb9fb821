//! Rewrites of operations on lanes.

use super::algebra::Rewriter;
use clvk_ir::{BinaryOp, Op, Type, UnaryOp, Value};

/// The length to which a chain of insertions is followed.
const MAX_CHAIN: usize = 16;

/// A simpler value for an operation on lanes.
pub fn rewrite(rewriter: &mut Rewriter<'_>, op: &Op, operands: &[Value], ty: Type) -> Option<Value> {
    match *op {
        Op::Extract(lane) => extract(rewriter, operands[0], lane, ty),
        Op::ExtractDynamic => {
            let lane = rewriter.bits(operands[1])?;
            let lanes = u64::from(rewriter.ty(operands[0]).lanes());
            if lane >= lanes {
                return Some(rewriter.function().undef(ty));
            }
            Some(rewriter.value(Op::Extract(lane as u8), &[operands[0]], ty))
        }
        Op::InsertDynamic => {
            let lane = rewriter.bits(operands[2])?;
            if lane >= u64::from(ty.lanes()) {
                return Some(rewriter.function().undef(ty));
            }
            Some(rewriter.value(Op::Insert(lane as u8), &operands[..2], ty))
        }
        Op::Construct => construct(rewriter, operands, ty),
        Op::Insert(_) => insert(rewriter, op, operands, ty),
        Op::Shuffle(mask) => shuffle(rewriter, &mask, operands, ty),
        _ => None,
    }
}

/// The scalar in a lane, if it is known.
fn lane_of(rewriter: &Rewriter<'_>, vector: Value, lane: u8) -> Option<Value> {
    let mut vector = vector;
    for _ in 0..MAX_CHAIN {
        let (op, operands) = rewriter.definition(vector)?;
        match op {
            Op::Construct => return Some(operands[usize::from(lane)]),
            Op::Insert(at) if *at == lane => return Some(operands[1]),
            Op::Insert(_) => vector = operands[0],
            _ => return None,
        }
    }
    None
}

/// A sum or difference of vectors lane by lane, where at least every second lane of one is a negation, which
/// then disappears. Drivers compute it, once for all of its uses. Not of a product, which may become a part
/// of the sum.
pub(super) fn with_negated_lanes(
    rewriter: &mut Rewriter<'_>,
    op: BinaryOp,
    operands: [Value; 2],
    ty: Type,
) -> Option<Value> {
    let Type::Vector(scalar, lanes) = ty else { return None };
    // In a difference, the second one alone.
    let sides = if op == BinaryOp::FSub { 1..2 } else { 0..2 };
    let is_negated = |lane: Value| matches!(rewriter.definition(lane), Some((Op::Unary(UnaryOp::FNeg), _)));
    let negates = |side: usize| {
        let Some((Op::Construct, lanes)) = rewriter.definition(operands[side]) else { return false };
        2 * lanes.iter().filter(|&&lane| is_negated(lane)).count() >= lanes.len()
    };
    let multiplies =
        |&value: &Value| matches!(rewriter.definition(value), Some((Op::Binary(BinaryOp::FMul), _)));
    if !sides.into_iter().any(negates) || operands.iter().any(multiplies) {
        return None;
    }
    let ty_of_lane = Type::Scalar(scalar);
    let results: Vec<Value> = (0..lanes)
        .map(|lane| {
            let both = operands.map(|vector| rewriter.value(Op::Extract(lane), &[vector], ty_of_lane));
            rewriter.value(Op::Binary(op), &both, ty_of_lane)
        })
        .collect();
    Some(rewriter.value(Op::Construct, &results, ty))
}

fn extract(rewriter: &mut Rewriter<'_>, vector: Value, lane: u8, ty: Type) -> Option<Value> {
    if let Some(scalar) = lane_of(rewriter, vector, lane) {
        return Some(scalar);
    }
    let (op, operands) = rewriter.definition(vector)?;
    let (source, at) = match *op {
        Op::Insert(at) if at != lane => (operands[0], lane),
        Op::Shuffle(mask) => {
            let width = rewriter.ty(operands[0]).lanes() as u8;
            match mask[usize::from(lane)] {
                255 => return Some(rewriter.function().undef(ty)),
                at if at < width => (operands[0], at),
                at => (operands[1], at - width),
            }
        }
        _ => return None,
    };
    Some(rewriter.value(Op::Extract(at), &[source], ty))
}

/// A construction from all lanes of one vector, in order, is that vector.
fn construct(rewriter: &mut Rewriter<'_>, operands: &[Value], ty: Type) -> Option<Value> {
    let mut source = None;
    for (index, &operand) in operands.iter().enumerate() {
        let (op, from) = rewriter.definition(operand)?;
        if *op != Op::Extract(index as u8) || source.is_some_and(|source| source != from[0]) {
            return None;
        }
        source = Some(from[0]);
    }
    source.filter(|&source| rewriter.ty(source) == ty)
}

/// A chain of insertions that sets every lane is a construction.
fn insert(rewriter: &mut Rewriter<'_>, op: &Op, operands: &[Value], ty: Type) -> Option<Value> {
    let Op::Insert(first) = *op else { return None };
    let mut lanes: Vec<Option<Value>> = vec![None; ty.lanes() as usize];
    lanes[usize::from(first)] = Some(operands[1]);
    let mut vector = operands[0];
    for _ in 0..MAX_CHAIN {
        if lanes.iter().all(Option::is_some) {
            break;
        }
        if let Some(constant) = rewriter.constant(vector).cloned() {
            let scalar = Type::Scalar(ty.scalar()?);
            for (index, lane) in lanes.iter_mut().enumerate() {
                if lane.is_none() {
                    let bits = constant.lane(index);
                    *lane = Some(match bits {
                        Some(bits) => rewriter.function().constant(scalar, clvk_ir::Constant::Bits(bits)),
                        None => rewriter.function().undef(scalar),
                    });
                }
            }
            break;
        }
        let (op, from) = rewriter.definition(vector)?;
        match op {
            Op::Insert(at) => {
                let lane = &mut lanes[usize::from(*at)];
                *lane = lane.or(Some(from[1]));
                vector = from[0];
            }
            Op::Construct => {
                for (lane, &value) in lanes.iter_mut().zip(from) {
                    *lane = lane.or(Some(value));
                }
            }
            _ => return None,
        }
    }
    let lanes = lanes.into_iter().collect::<Option<Vec<_>>>()?;
    Some(rewriter.value(Op::Construct, &lanes, ty))
}

fn shuffle(rewriter: &mut Rewriter<'_>, mask: &[u8; 16], operands: &[Value], ty: Type) -> Option<Value> {
    let lanes = ty.lanes() as usize;
    let width = rewriter.ty(operands[0]).lanes() as u8;
    let identity = |base: u8| (0..lanes).all(|lane| mask[lane] == 255 || mask[lane] == base + lane as u8);
    if rewriter.ty(operands[0]) == ty && identity(0) {
        return Some(operands[0]);
    }
    if rewriter.ty(operands[1]) == ty && identity(width) {
        return Some(operands[1]);
    }
    // Every lane is a known scalar.
    let scalar = Type::Scalar(ty.scalar()?);
    let picks: Vec<(Value, u8)> =
        (0..lanes)
            .filter(|&lane| mask[lane] != 255)
            .map(|lane| {
                if mask[lane] < width { (operands[0], mask[lane]) } else { (operands[1], mask[lane] - width) }
            })
            .collect();
    if let Some(known) =
        picks.iter().map(|&(from, lane)| lane_of(rewriter, from, lane)).collect::<Option<Vec<_>>>()
    {
        let mut known = known.into_iter();
        let values: Vec<_> = (0..lanes)
            .map(|lane| match mask[lane] {
                255 => rewriter.function().undef(scalar),
                _ => known.next().expect("as many as picks"),
            })
            .collect();
        return Some(rewriter.value(Op::Construct, &values, ty));
    }
    shuffle_of_shuffle(rewriter, mask, &picks, ty)
}

/// Reads through a shuffle from which all lanes come.
fn shuffle_of_shuffle(
    rewriter: &mut Rewriter<'_>,
    mask: &[u8; 16],
    picks: &[(Value, u8)],
    ty: Type,
) -> Option<Value> {
    let &(source, _) = picks.first()?;
    if picks.iter().any(|(from, _)| *from != source) {
        return None;
    }
    let (op, inner) = rewriter.definition(source)?;
    let Op::Shuffle(inner_mask) = *op else { return None };
    let inner = [inner[0], inner[1]];
    let mut picks = picks.iter();
    let mut combined = [255; 16];
    for lane in 0..ty.lanes() as usize {
        if mask[lane] != 255 {
            let (_, at) = picks.next().expect("as many as defined lanes");
            combined[lane] = inner_mask[usize::from(*at)];
        }
    }
    Some(rewriter.value(Op::Shuffle(combined), &inner, ty))
}
