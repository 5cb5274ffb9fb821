//! Whether the conditions around a loop imply a comparison.

use super::super::structure::Structure;
use clvk_ir::fold;
use clvk_ir::{BinaryOp, CompareOp, ConvertOp, Function, Inst, Op, Scalar, Value};

/// A comparison of two integers.
type Comparison = (CompareOp, Value, Value);

/// Whether a comparison is true wherever an instruction is executed: of constants, or because the condition
/// of an `if` around it says so.
pub(super) fn holds(function: &Function, structure: &Structure, inst: Inst, wanted: Comparison) -> bool {
    let (op, a, b) = wanted;
    let Some(scalar) = function.ty(a).scalar() else { return false };
    if let (Some(a), Some(b)) = (function.as_bits(a), function.as_bits(b)) {
        return fold::compare(op, scalar, a, b);
    }
    let mut region = structure.parent(inst);
    while let Some((inside, owner)) = region.and_then(|inside| Some((inside, structure.owner(inside)?))) {
        let data = &function.insts[owner];
        if data.op == Op::If {
            let is_true = data.regions[0] == inside;
            if implies(function, data.operands[0], is_true, wanted) {
                return true;
            }
        }
        region = structure.parent(owner);
    }
    false
}

/// Whether a condition that is true, or false, implies a comparison.
fn implies(function: &Function, condition: Value, is_true: bool, wanted: Comparison) -> bool {
    let Some(inst) = function.defining_inst(condition) else { return false };
    let data = &function.insts[inst];
    match (&data.op, &data.operands[..]) {
        // One level, so that nothing is visited often.
        (Op::Binary(BinaryOp::And), &[a, b]) if is_true => {
            [a, b].into_iter().any(|part| compared(function, part, true, wanted))
        }
        (Op::Binary(BinaryOp::Or), &[a, b]) if !is_true => {
            [a, b].into_iter().any(|part| compared(function, part, false, wanted))
        }
        _ => compared(function, condition, is_true, wanted),
    }
}

/// The same, if the condition is a comparison.
fn compared(function: &Function, condition: Value, is_true: bool, (op, a, b): Comparison) -> bool {
    let Some(data) = function.defining_inst(condition).map(|inst| &function.insts[inst]) else {
        return false;
    };
    let (&Op::Compare(known), &[left, right]) = (&data.op, &data.operands[..]) else { return false };
    let known = if is_true { known } else { known.inverse() };
    if (left, right) == (a, b) && includes(op, known)
        || (left, right) == (b, a) && includes(op, known.swapped())
    {
        return true;
    }
    let Some(first) = function.as_bits(a) else { return false };
    let (known, value, bound) = match (function.as_bits(left), function.as_bits(right)) {
        (None, Some(bound)) => (known, left, bound),
        (Some(bound), None) => (known.swapped(), right, bound),
        _ => return false,
    };
    if value == b && (op, known) == (CompareOp::Ne, CompareOp::Ne) && bound == first {
        return true;
    }
    let Some(scalar) = function.ty(b).scalar() else { return false };
    Least::of(function, (known, value, bound), b).exceeds(scalar, op, first)
}

/// The least number that a value can be, as an unsigned and as a signed one.
#[derive(Default)]
struct Least {
    unsigned: Option<i128>,
    signed: Option<i128>,
}

impl Least {
    /// What the comparison of a number with a constant says of a value that is this number, or is extended
    /// from it.
    fn of(function: &Function, (known, number, bound): (CompareOp, Value, u64), value: Value) -> Least {
        let Some(scalar) = function.ty(number).scalar() else { return Least::default() };
        let (unsigned, signed) = (i128::from(bound), i128::from(scalar.sign_extend(bound)));
        let signed = match known {
            CompareOp::SGt => Some(signed + 1),
            CompareOp::SGe | CompareOp::Eq => Some(signed),
            _ => None,
        };
        let unsigned = match known {
            CompareOp::UGt => Some(unsigned + 1),
            CompareOp::UGe | CompareOp::Eq => Some(unsigned),
            CompareOp::Ne if bound == 0 => Some(1),
            _ => signed.filter(|&least| least >= 0),
        };
        if value == number {
            return Least { unsigned, signed };
        }
        let data = function.defining_inst(value).map(|inst| &function.insts[inst]);
        match data.filter(|data| data.operands.first() == Some(&number)).map(|data| &data.op) {
            Some(Op::Convert(ConvertOp::ZeroExtend)) => Least { unsigned, signed: unsigned },
            Some(Op::Convert(ConvertOp::SignExtend)) => {
                Least { unsigned: signed.filter(|&least| least >= 0), signed }
            }
            _ => Least::default(),
        }
    }

    /// Whether a comparison of a constant with every such value is true.
    fn exceeds(&self, scalar: Scalar, op: CompareOp, first: u64) -> bool {
        let unsigned = self.unsigned.map(|least| least - i128::from(first));
        let signed = self.signed.map(|least| least - i128::from(scalar.sign_extend(first)));
        let above = |distance: Option<i128>| distance.is_some_and(|distance| distance > 0);
        match op {
            CompareOp::ULt => above(unsigned),
            CompareOp::ULe => unsigned.is_some_and(|distance| distance >= 0),
            CompareOp::SLt => above(signed),
            CompareOp::SLe => signed.is_some_and(|distance| distance >= 0),
            CompareOp::Ne => above(unsigned) || above(signed),
            _ => false,
        }
    }
}

/// Whether a comparison of two values is true wherever another one of them is.
fn includes(wanted: CompareOp, known: CompareOp) -> bool {
    use CompareOp::{Eq, Ne, SGe, SGt, SLe, SLt, UGe, UGt, ULe, ULt};
    wanted == known
        || match known {
            Eq => matches!(wanted, ULe | UGe | SLe | SGe),
            ULt => matches!(wanted, ULe | Ne),
            UGt => matches!(wanted, UGe | Ne),
            SLt => matches!(wanted, SLe | Ne),
            SGt => matches!(wanted, SGe | Ne),
            _ => false,
        }
}
