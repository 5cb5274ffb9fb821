//! Computes in 32 bits what is computed in 64 bits although only the low 32 are wanted.
//! `get_group_id(0) * 16` has 64 bits, because the group's number has them; where it becomes an index of
//! `uint`, half of the work is for nothing, and more than half where 64-bit integers are pairs of words.
//!
//! The pass finds which bits of each integer anything depends on ([`Wanted`]), from uses back to
//! definitions, also round loops. Additions, subtractions, products and shifts to the left need no higher
//! bits of their operands than those wanted of their results; masks, choices, extensions and shifts by
//! constants show which. Where none of the high 32 bits is wanted, the operation, or what a region passes
//! on, has 32 bits.
//!
//! Later simplification removes the truncations that meet extensions.

use super::Context;
use super::cursor::Cursor;
use super::structure::Structure;
use crate::TranslateError;
use clvk_ir::{
    BinaryOp, Constant, ConvertOp, EntityId, Function, Inst, InstData, Op, Scalar, UnaryOp, Value, ValueDef,
};
use rustc_hash::FxHashMap;

/// The bits that a narrow integer has.
const LOW: u64 = 0xffff_ffff;

/// See the module.
///
/// # Errors
/// None.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    for function in context.module.bodies_mut() {
        let mut truncates = false;
        function.walk(|_, data| {
            truncates |= data.op == Op::Convert(ConvertOp::Truncate) && is_wide(function, data.operands[0]);
        });
        if truncates {
            narrow(function);
        }
    }
    Ok(())
}

fn narrow(function: &mut Function) {
    let structure = Structure::of(function);
    let wanted = Wanted::of(function, &structure);
    let is_narrow = |(value, _)| is_wide(function, value) && can_be_narrow(function, &wanted, value);
    let narrow: Vec<bool> = function.values.iter().map(is_narrow).collect();
    if !narrow.contains(&true) {
        return;
    }
    let mut narrower =
        Narrower { cursor: Cursor::new(function), structure, narrow, low: FxHashMap::default() };
    while let Some(inst) = narrower.cursor.advance() {
        narrower.inst(inst);
    }
}

fn is_wide(function: &Function, value: Value) -> bool {
    function.ty(value).scalar() == Some(Scalar::I64)
}

/// The bits of each integer that anything depends on. Of a vector: those of any lane.
struct Wanted {
    bits: Vec<u64>,
    /// Values whose wanted bits were not followed yet.
    pending: Vec<Value>,
}

impl Wanted {
    fn of(function: &Function, structure: &Structure) -> Self {
        let mut wanted = Wanted { bits: vec![0; function.values.len()], pending: Vec::new() };
        function.walk(|_, data| {
            let passes_on =
                matches!(data.op, Op::Exit(_) | Op::Continue(_) | Op::NextIteration | Op::Loop(_));
            if !passes_on && !is_transparent(function, data) {
                data.operands.iter().for_each(|&operand| wanted.want(function, operand, u64::MAX));
            }
        });
        while let Some(value) = wanted.pending.pop() {
            wanted.follow(function, structure, value);
        }
        wanted
    }

    fn want(&mut self, function: &Function, value: Value, bits: u64) {
        let bits = bits & function.ty(value).scalar().map_or(u64::MAX, Scalar::mask);
        let known = &mut self.bits[value.index()];
        if bits & !*known != 0 {
            *known |= bits;
            self.pending.push(value);
        }
    }

    /// Wants of the operands of a value's definition what is wanted of it.
    fn follow(&mut self, function: &Function, structure: &Structure, value: Value) {
        let bits = self.bits[value.index()];
        match function.values[value].def {
            ValueDef::Result(inst, index) if function.insts[inst].op.has_regions() => {
                for &exit in structure.exits(inst) {
                    self.want(function, function.insts[exit].operands[index as usize], bits);
                }
            }
            ValueDef::Result(inst, _) => {
                let data = &function.insts[inst];
                if is_transparent(function, data) {
                    for (position, &operand) in data.operands.iter().enumerate() {
                        self.want(function, operand, of_operand(function, data, position, bits));
                    }
                }
            }
            ValueDef::RegionParam(region, index) => {
                let Some(owner) = structure.owner(region) else { return };
                let mut from = structure.continues(owner).to_vec();
                if function.insts[owner].regions[0] == region {
                    from = structure.next_iteration(function, owner).into_iter().chain([owner]).collect();
                }
                for inst in from {
                    self.want(function, function.insts[inst].operands[index as usize], bits);
                }
            }
            ValueDef::Param(_) | ValueDef::Constant(_) | ValueDef::Global(_) => {}
        }
    }
}

/// Whether [`of_operand`] knows which bits of its operands an instruction needs.
fn is_transparent(function: &Function, data: &InstData) -> bool {
    use BinaryOp::{AShr, Add, And, LShr, Mul, Or, Shl, Sub, Xor};
    let [result] = data.results[..] else { return false };
    if !function.ty(result).scalar().is_some_and(Scalar::is_int) {
        return false;
    }
    match data.op {
        Op::Binary(Add | Sub | Mul | And | Or | Xor | Shl) | Op::Unary(UnaryOp::Neg | UnaryOp::Not) => true,
        Op::Binary(LShr | AShr) => function.as_splat(data.operands[1]).is_some(),
        Op::Convert(ConvertOp::Truncate | ConvertOp::ZeroExtend | ConvertOp::SignExtend) => true,
        Op::Select | Op::Construct | Op::Extract(_) | Op::Insert(_) | Op::Shuffle(_) => true,
        _ => false,
    }
}

/// The bits of an operand that those wanted of the result depend on.
fn of_operand(function: &Function, data: &InstData, position: usize, bits: u64) -> u64 {
    let scalar = function.ty(data.operands[position]).scalar();
    let mask = scalar.map_or(u64::MAX, Scalar::mask);
    let width = u64::from(function.ty(data.results[0]).scalar().map_or(64, Scalar::bits));
    // A bit of a sum depends on those below it.
    let below = if bits == 0 { 0 } else { u64::MAX >> bits.leading_zeros() };
    let other = || function.as_splat(data.operands[1 - position]);
    let count = || function.as_splat(data.operands[1]).map(|count| count % width);
    match data.op {
        Op::Binary(BinaryOp::And) => bits & other().unwrap_or(u64::MAX),
        Op::Binary(BinaryOp::Or) => bits & !other().unwrap_or(0),
        Op::Binary(BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr) if position == 1 => width - 1,
        Op::Binary(BinaryOp::Shl) => count().map_or(below, |count| bits >> count),
        Op::Binary(BinaryOp::LShr) => count().map_or(u64::MAX, |count| bits << count) & mask,
        Op::Binary(BinaryOp::AShr) => {
            let count = count().unwrap_or(0);
            let copies = bits & !(mask >> count) != 0;
            bits << count & mask | if copies { mask & !(mask >> 1) } else { 0 }
        }
        Op::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul) | Op::Unary(UnaryOp::Neg) => below,
        Op::Convert(ConvertOp::SignExtend) => {
            bits & mask | if bits & !mask != 0 { mask & !(mask >> 1) } else { 0 }
        }
        Op::Select if position == 0 => u64::MAX,
        _ => bits & mask,
    }
}

/// Whether an integer of 64 bits can be made with 32.
fn can_be_narrow(function: &Function, wanted: &Wanted, value: Value) -> bool {
    if wanted.bits[value.index()] & !LOW != 0 {
        return false;
    }
    let inst = match function.values[value].def {
        ValueDef::RegionParam(..) => return true,
        ValueDef::Result(inst, _) => inst,
        _ => return false,
    };
    let data = &function.insts[inst];
    match data.op {
        Op::Binary(BinaryOp::Shl) => function.as_splat(data.operands[1]).is_some(),
        // Also of what is shifted down into the low bits.
        Op::Binary(BinaryOp::LShr | BinaryOp::AShr) => {
            let bits = wanted.bits[value.index()];
            function.as_splat(data.operands[1]).is_some_and(|count| count % 64 < 32)
                && of_operand(function, data, 0, bits) & !LOW == 0
        }
        _ => data.op.has_regions() || is_transparent(function, data),
    }
}

/// The walk that makes the integers narrow.
struct Narrower<'f> {
    cursor: Cursor<'f>,
    structure: Structure,
    /// Whether a value shall have 32 bits.
    narrow: Vec<bool>,
    /// Those with 32 bits.
    low: FxHashMap<Value, Value>,
}

impl Narrower<'_> {
    fn is_narrow(&self, value: Value) -> bool {
        self.narrow.get(value.index()).copied().unwrap_or(false)
    }

    fn inst(&mut self, inst: Inst) {
        let data = &self.cursor.function.insts[inst];
        let (op, results) = (data.op.clone(), data.results.clone());
        match (&op, &results[..]) {
            (Op::If | Op::Switch(_) | Op::Block | Op::Loop(_), _) => self.construct(inst),
            (Op::Exit(_) | Op::Continue(_) | Op::NextIteration, _) => {
                let given = self.received(inst);
                let operands = self.operands(inst, &given);
                self.cursor.keep_with(inst, &operands);
            }
            (_, &[result]) if self.is_narrow(result) => {
                let low = self.operation(inst, &op);
                self.low.insert(result, low);
            }
            (Op::Convert(ConvertOp::Truncate), &[result])
                if self.is_narrow(self.cursor.function.insts[inst].operands[0]) =>
            {
                let low = self.low_of(self.cursor.function.insts[inst].operands[0]);
                let ty = self.cursor.function.ty(result);
                let value = self.cursor.convert(ConvertOp::Truncate, low, ty);
                self.cursor.replace(result, value);
            }
            _ => {
                let operands = self.operands(inst, &[]);
                self.cursor.keep_with(inst, &operands);
            }
        }
    }

    /// Gives the results and parameters of a construct their types.
    fn construct(&mut self, inst: Inst) {
        let function = &*self.cursor.function;
        let data = &function.insts[inst];
        let mut changed = data.results.to_vec();
        data.regions.iter().for_each(|&region| changed.extend(&function.regions[region].params));
        let first = match data.op {
            Op::Loop(_) => function.regions[data.regions[0]].params.clone(),
            _ => Vec::new(),
        };
        // First the operands: the parameters are not yet values in the function.
        let operands = self.operands(inst, &first);
        changed.retain(|&value| self.is_narrow(value));
        for value in changed {
            let ty = self.cursor.function.ty(value).with_scalar(Scalar::I32);
            self.cursor.function.values[value].ty = ty;
            self.low.insert(value, value);
        }
        self.cursor.keep_with(inst, &operands);
    }

    /// The results or parameters that receive the operands of a jump.
    fn received(&self, inst: Inst) -> Vec<Value> {
        let function = &*self.cursor.function;
        match function.insts[inst].op {
            Op::Exit(target) => function.insts[target].results.to_vec(),
            Op::Continue(target) => function.regions[function.insts[target].regions[1]].params.clone(),
            _ => {
                let region = self.structure.parent(inst);
                let owner = region.and_then(|region| self.structure.owner(region));
                let owner = owner.expect("an iteration ends in its loop");
                function.regions[function.insts[owner].regions[0]].params.clone()
            }
        }
    }

    /// The operands of an instruction that is kept: narrow where what receives them is, otherwise as wide as
    /// they were.
    fn operands(&mut self, inst: Inst, received: &[Value]) -> Vec<Value> {
        let operands = self.cursor.function.insts[inst].operands.to_vec();
        let narrows = |position: usize| received.get(position).is_some_and(|&value| self.is_narrow(value));
        let narrows: Vec<bool> = (0..operands.len()).map(narrows).collect();
        let pairs = operands.into_iter().zip(narrows);
        pairs.map(|(value, narrow)| if narrow { self.low_of(value) } else { self.wide(value) }).collect()
    }

    /// The low half of an integer.
    fn low_of(&mut self, value: Value) -> Value {
        if let Some(&low) = self.low.get(&value) {
            return low;
        }
        let ty = self.cursor.function.ty(value).with_scalar(Scalar::I32);
        if let Some(constant) = self.cursor.function.as_constant(value).cloned() {
            let constant = match constant {
                Constant::Lanes(lanes) => Constant::Lanes(lanes.iter().map(|lane| lane & LOW).collect()),
                constant => constant,
            };
            return self.cursor.function.constant(ty, constant);
        }
        let value = self.cursor.get(value);
        self.cursor.convert(ConvertOp::Truncate, value, ty)
    }

    /// The value with its own width. The high half of one that has become narrow is not wanted.
    fn wide(&mut self, value: Value) -> Value {
        match self.low.get(&value) {
            Some(&low) => {
                let ty = self.cursor.function.ty(low).with_scalar(Scalar::I64);
                self.cursor.convert(ConvertOp::ZeroExtend, low, ty)
            }
            None => self.cursor.get(value),
        }
    }

    /// The operation on the low halves.
    fn operation(&mut self, inst: Inst, op: &Op) -> Value {
        let (result, operands) = {
            let data = &self.cursor.function.insts[inst];
            (data.results[0], data.operands.to_vec())
        };
        let ty = self.cursor.function.ty(result).with_scalar(Scalar::I32);
        match *op {
            Op::Convert(extension) => {
                let value = self.cursor.get(operands[0]);
                self.cursor.convert(extension, value, ty)
            }
            Op::Binary(shift @ (BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr)) => {
                let count = self.cursor.function.as_splat(operands[1]).expect("shifted by a constant") % 64;
                if count >= 32 {
                    return self.cursor.int(ty, 0);
                }
                let low = self.low_of(operands[0]);
                // No copy of the sign is wanted.
                let shift = if shift == BinaryOp::Shl { shift } else { BinaryOp::LShr };
                self.cursor.binary_int(shift, low, count as i64)
            }
            _ => {
                let operands: Vec<Value> = operands.into_iter().map(|value| self.operand(value)).collect();
                self.cursor.value(op.clone(), &operands, ty)
            }
        }
    }

    /// An operand of an operation that becomes narrow.
    fn operand(&mut self, value: Value) -> Value {
        let is_low = self.low.contains_key(&value) || is_wide(self.cursor.function, value);
        if is_low { self.low_of(value) } else { self.cursor.get(value) }
    }
}
