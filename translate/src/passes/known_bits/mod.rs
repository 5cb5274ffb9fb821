//! Folds what the bits of ids and the conditions around an instruction say.
//!
//! LLVM writes these into SPIR-V, and our front end does not:
//!
//! - `x | 4` in an index, where bit 2 of `x` is zero. It becomes `x + 4` again: drivers put constant summands
//!   into the offset of an access, so that several accesses share an address. That the bits are zero may
//!   follow from `x < 4`, a condition around the instruction, or because `x` counts a loop in steps of 8.
//! - `x & 0xffffffff`, where `x` has no other bits. The mask disappears.
//! - `if (x < 32)` around a loop that begins at `x`, where `x` is never larger. The comparison becomes true.
//! - `(char)(x != 0)`, where `x` is a flag that a loop carries as a number ([`flags`]). It is `x`.
//!
//! It stands before loops are unrolled: pointers show which numbers are indices, and loops should lie under
//! no conditions but real ones.

mod flags;

use super::Context;
use super::cursor::{Cursor, replace_where};
use super::structure::Structure;
use crate::TranslateError;
use clvk_ir::{BinaryOp, CompareOp, ConvertOp, Function, Inst, KnownBits, Op, Region, Scalar, Type, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// See the module.
///
/// # Errors
/// None.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    for function in context.module.bodies_mut() {
        let mut facts = Facts::of(function);
        replace_where(function, |cursor, inst| facts.folded(cursor, inst));
    }
    Ok(())
}

/// What is known of a function before the pass changes it.
struct Facts {
    structure: Structure,
    /// See [`indices`].
    indices: FxHashSet<Value>,
    /// See [`zeros_of_counters`].
    counters: FxHashMap<Value, u64>,
    /// See [`flags`].
    flags: FxHashSet<Value>,
    known: KnownBits,
}

impl Facts {
    fn of(function: &Function) -> Facts {
        let structure = Structure::of(function);
        let mut known = KnownBits::new(function);
        let counters = zeros_of_counters(function, &structure, &mut known);
        let flags = flags::of(function, &structure);
        Facts { structure, indices: indices(function), counters, flags, known }
    }

    /// What an instruction's result is.
    fn folded(&mut self, cursor: &mut Cursor<'_>, inst: Inst) -> Option<Value> {
        let op = cursor.function.insts[inst].op.clone();
        let result = *cursor.function.insts[inst].results.first()?;
        if !matches!(cursor.function.ty(result), Type::Scalar(_)) {
            return None;
        }
        match op {
            Op::Binary(BinaryOp::And) => without_mask(cursor, &mut self.known, inst),
            Op::Binary(BinaryOp::Or) if self.indices.contains(&result) => self.sum(cursor, inst),
            Op::Convert(ConvertOp::ZeroExtend) => self.flag(cursor, inst),
            Op::Compare(op) => decided(cursor, &mut self.known, op, inst),
            _ => None,
        }
    }

    /// The flag that an instruction extends after a comparison with zero.
    fn flag(&self, cursor: &Cursor<'_>, inst: Inst) -> Option<Value> {
        let compare = cursor.function.defining_inst(cursor.operand(inst, 0))?;
        if cursor.function.insts[compare].op != Op::Compare(CompareOp::Ne) {
            return None;
        }
        let (value, zero) = (cursor.operand(compare, 0), cursor.operand(compare, 1));
        let is_same = cursor.function.ty(value) == cursor.function.ty(cursor.function.insts[inst].results[0]);
        let is_zero = cursor.function.as_bits(zero) == Some(0);
        (is_same && is_zero && self.flags.contains(&value)).then_some(value)
    }

    /// The sum of two numbers that have no bit in common.
    fn sum(&mut self, cursor: &mut Cursor<'_>, inst: Inst) -> Option<Value> {
        let (a, b) = (cursor.operand(inst, 0), cursor.operand(inst, 1));
        let scalar = cursor.function.ty(a).scalar().filter(|scalar| scalar.is_int())?;
        let zeros = [a, b].map(|value| {
            let limit = limit(cursor, &self.structure, inst, value);
            let below = limit.and_then(u64::checked_next_power_of_two).map_or(0, |above| !(above - 1));
            let counted = self.counters.get(&value).copied().unwrap_or(0);
            self.known.of(cursor.function, value).zeros() | below | counted
        });
        let are_disjoint = scalar.mask() & !(zeros[0] | zeros[1]) == 0;
        are_disjoint.then(|| cursor.binary(BinaryOp::Add, a, b))
    }
}

/// The numbers from which indices of pointers are computed by extending, adding and multiplying.
fn indices(function: &Function) -> FxHashSet<Value> {
    let mut wanted = Vec::new();
    function.walk(|_, data| {
        if let Op::PointerIndex { .. } = data.op {
            wanted.push(data.operands[1]);
        }
    });
    let mut found = FxHashSet::default();
    while let Some(value) = wanted.pop() {
        if !found.insert(value) {
            continue;
        }
        let Some(data) = function.defining_inst(value).map(|inst| &function.insts[inst]) else { continue };
        if let Op::Convert(ConvertOp::ZeroExtend | ConvertOp::SignExtend | ConvertOp::Truncate)
        | Op::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Shl | BinaryOp::Or) =
            data.op
        {
            wanted.extend(&data.operands);
        }
    }
    found
}

/// The number itself, if a constant mask clears only bits that are zero.
fn without_mask(cursor: &Cursor<'_>, known: &mut KnownBits, inst: Inst) -> Option<Value> {
    let (a, b) = (cursor.operand(inst, 0), cursor.operand(inst, 1));
    let scalar = cursor.function.ty(a).scalar().filter(|scalar| scalar.is_int())?;
    let (value, mask) = match (cursor.function.as_bits(a), cursor.function.as_bits(b)) {
        (None, Some(mask)) => (a, mask),
        (Some(mask), None) => (b, mask),
        _ => return None,
    };
    let zeros = known.of(cursor.function, value).zeros();
    (scalar.mask() & !mask & !zeros == 0).then_some(value)
}

/// The low bits that are zero in the numbers that loops carry, because they begin with such a number and step
/// by one.
fn zeros_of_counters(
    function: &Function,
    structure: &Structure,
    known: &mut KnownBits,
) -> FxHashMap<Value, u64> {
    let mut zeros = FxHashMap::default();
    function.walk(|inst, data| {
        let next = if data.op.is_loop() { structure.next_iteration(function, inst) } else { None };
        let Some(next) = next else { return };
        let params = &function.regions[data.regions[0]].params;
        for (position, &param) in params.iter().enumerate() {
            let Type::Scalar(Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64) = function.ty(param)
            else {
                continue;
            };
            let advanced = structure.passed(function, inst, function.insts[next].operands[position]);
            let Some(add) = function.defining_inst(advanced).map(|add| &function.insts[add]) else {
                continue;
            };
            if add.op == Op::Binary(BinaryOp::Add)
                && structure.passed(function, inst, add.operands[0]) == param
            {
                let both = [data.operands[position], add.operands[1]];
                let [start, step] = both.map(|value| known.of(function, value).zeros());
                zeros.insert(param, !(u64::MAX << (start & step).trailing_ones().min(63)));
            }
        }
    });
    zeros
}

/// A number that this one is below, by the conditions around the instruction.
fn limit(cursor: &Cursor<'_>, structure: &Structure, inst: Inst, value: Value) -> Option<u64> {
    let mut least = None;
    let mut region = structure.parent(inst);
    while let Some(inside) = region {
        let Some(owner) = structure.owner(inside) else { break };
        let limit = limit_in(cursor, owner, inside, value);
        least = limit.into_iter().chain(least).min();
        region = structure.parent(owner);
    }
    least
}

/// The same, by the condition of one `if`.
fn limit_in(cursor: &Cursor<'_>, owner: Inst, inside: Region, value: Value) -> Option<u64> {
    let function = &*cursor.function;
    let data = &function.insts[owner];
    if data.op != Op::If {
        return None;
    }
    let compare = function.defining_inst(data.operands[0])?;
    let Op::Compare(op) = function.insts[compare].op else { return None };
    let op = if data.regions[0] == inside { op } else { op.inverse() };
    let (compared, limit) = (cursor.operand(compare, 0), function.as_bits(cursor.operand(compare, 1))?);
    let is_part = || {
        let data = &function.insts[function.defining_inst(value)?];
        let converts = matches!(data.op, Op::Convert(ConvertOp::Truncate | ConvertOp::ZeroExtend));
        converts.then(|| cursor.get(data.operands[0]))
    };
    if !matches!(function.ty(compared), Type::Scalar(_))
        || compared != value && is_part().is_none_or(|whole| whole != compared)
    {
        return None;
    }
    match op {
        CompareOp::ULt => Some(limit),
        CompareOp::ULe => limit.checked_add(1),
        _ => None,
    }
}

/// What a comparison with a constant says of every number that this one can be.
fn decided(cursor: &mut Cursor<'_>, known: &mut KnownBits, op: CompareOp, inst: Inst) -> Option<Value> {
    let (value, limit) = (cursor.operand(inst, 0), cursor.operand(inst, 1));
    let limit = cursor.function.as_bits(limit)?;
    let scalar = cursor.function.ty(value).scalar()?;
    if !matches!(scalar, Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64) {
        return None;
    }
    let bits = known.of(cursor.function, value);
    let (least, most) = (bits.ones(), scalar.mask() & !bits.zeros());
    let sign = scalar.mask() & !(scalar.mask() >> 1);
    let are_signed = op != op.unsigned();
    if are_signed && (most | limit) & sign != 0 {
        return None;
    }
    let holds = match op.unsigned() {
        CompareOp::ULt if most < limit => true,
        CompareOp::ULt if least >= limit => false,
        CompareOp::ULe if most <= limit => true,
        CompareOp::ULe if least > limit => false,
        CompareOp::UGt if least > limit => true,
        CompareOp::UGt if most <= limit => false,
        CompareOp::UGe if least >= limit => true,
        CompareOp::UGe if most < limit => false,
        _ => return None,
    };
    Some(cursor.int(Type::BOOL, i64::from(holds)))
}
