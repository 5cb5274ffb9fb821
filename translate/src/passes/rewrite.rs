//! Replacing values and copying code.

use super::structure::with_stack;
use clvk_ir::{Constant, ConvertOp, EntityId, FastMath, Function, Inst, Op, Region, Span, Type, Value};
use rustc_hash::FxHashMap;

/// Maps values to the values that represent them. Replacements may form chains; [`Substitution::get`] follows
/// them to the end.
#[derive(Default)]
pub struct Substitution {
    map: Vec<Option<Value>>,
    count: usize,
}

impl Substitution {
    /// Makes `new` replace `old` from now on. Does nothing if they are already the same.
    pub fn set(&mut self, old: Value, new: Value) {
        let new = self.get(new);
        if old == new {
            return;
        }
        if self.map.len() <= old.index() {
            self.map.resize(old.index() + 1, None);
        }
        self.map[old.index()] = Some(new);
        self.count += 1;
    }

    /// The value that represents `value`.
    #[must_use]
    pub fn get(&self, value: Value) -> Value {
        let mut value = value;
        while let Some(&Some(next)) = self.map.get(value.index()) {
            value = next;
        }
        value
    }

    /// Whether nothing was replaced.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The number of replacements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// The value that represents `value`; shortens the chain that leads there.
    pub fn resolve(&mut self, value: Value) -> Value {
        let end = self.get(value);
        let mut at = value;
        while let Some(&Some(next)) = self.map.get(at.index()) {
            if next != end {
                self.map[at.index()] = Some(end);
            }
            at = next;
        }
        end
    }

    /// Replaces the operands of all instructions of the function's body.
    pub fn apply(&mut self, function: &mut Function) {
        if self.is_empty() {
            return;
        }
        let mut regions: Vec<_> = function.body.into_iter().collect();
        while let Some(region) = regions.pop() {
            for position in 0..function.regions[region].insts.len() {
                let inst = function.regions[region].insts[position];
                for operand in &mut function.insts[inst].operands {
                    *operand = self.resolve(*operand);
                }
                regions.extend(function.insts[inst].regions.iter().copied());
            }
        }
    }
}

/// Appends instructions to a list that does not belong to a region yet.
pub struct Emitter<'a> {
    /// The function.
    pub function: &'a mut Function,
    /// Where the instructions go.
    pub out: &'a mut Vec<Inst>,
    /// Their span.
    pub span: Span,
    /// Their floating-point flags.
    pub fast_math: FastMath,
}

impl<'a> Emitter<'a> {
    /// Takes span and flags from an instruction.
    pub fn like(function: &'a mut Function, out: &'a mut Vec<Inst>, inst: Inst) -> Self {
        let (span, fast_math) = (function.insts[inst].span, function.insts[inst].fast_math);
        Emitter { function, out, span, fast_math }
    }

    /// Appends an instruction with one result.
    pub fn value(&mut self, op: Op, operands: &[Value], ty: Type) -> Value {
        let inst = self.push(op, operands, &[ty]);
        self.function.insts[inst].results[0]
    }

    /// Appends an instruction.
    pub fn push(&mut self, op: Op, operands: &[Value], results: &[Type]) -> Inst {
        let inst = self.function.make_inst(op, operands, results, &[], self.span);
        self.function.insts[inst].fast_math = self.fast_math;
        self.out.push(inst);
        inst
    }

    /// The same bytes as another type of the same size, pointers included.
    pub fn reinterpret(&mut self, value: Value, to: Type) -> Value {
        let from = self.function.ty(value);
        if from == to {
            return value;
        }
        assert_eq!(from.access_size(), to.access_size(), "reinterpretation of {from:?} as {to:?}");
        if self.function.as_constant(value) == Some(&Constant::Undef) {
            return self.function.undef(to);
        }
        let bits = if from.is_pointer() {
            self.value(Op::Convert(ConvertOp::PointerToInt), &[value], Type::I64)
        } else {
            value
        };
        if to.is_pointer() {
            let bits = self.reinterpret(bits, Type::I64);
            return self.value(Op::Convert(ConvertOp::IntToPointer), &[bits], to);
        }
        if self.function.ty(bits) == to {
            return bits;
        }
        self.value(Op::Convert(ConvertOp::Bitcast), &[bits], to)
    }

    /// `base + offset` bytes.
    pub fn pointer_offset(&mut self, base: Value, offset: i64) -> Value {
        if offset == 0 {
            return base;
        }
        let ty = self.function.ty(base);
        self.value(Op::PointerOffset(offset), &[base], ty)
    }
}

/// Visits every instruction. `replace` may return a value and append the instructions that compute it to the
/// list that it is given; then the value replaces the instruction's result, and the instruction is omitted.
/// New instructions are not visited.
pub fn replace_insts(
    function: &mut Function,
    mut replace: impl FnMut(&mut Function, Inst, &mut Vec<Inst>) -> Option<Value>,
) {
    replace_results(function, |function, inst, out| replace(function, inst, out).map(|value| [value]));
}

/// [`replace_insts`] for instructions with any number of results; `replace` gives a value for each.
pub fn replace_results<V: IntoIterator<Item = Value>>(
    function: &mut Function,
    mut replace: impl FnMut(&mut Function, Inst, &mut Vec<Inst>) -> Option<V>,
) {
    let mut substitution = Substitution::default();
    let mut regions: Vec<Region> = function.body.into_iter().collect();
    while let Some(region) = regions.pop() {
        let insts = std::mem::take(&mut function.regions[region].insts);
        let mut out = Vec::with_capacity(insts.len());
        for inst in insts {
            regions.extend(function.insts[inst].regions.iter().copied());
            match replace(function, inst, &mut out) {
                Some(values) => {
                    let results = &function.insts[inst].results;
                    results.iter().zip(values).for_each(|(&result, value)| substitution.set(result, value));
                }
                None => out.push(inst),
            }
        }
        function.regions[region].insts = out;
    }
    substitution.apply(function);
}

/// Copies regions within a function. Values from outside of the copied code stay as they are.
pub struct Cloner<'a> {
    /// The function.
    pub function: &'a mut Function,
    values: FxHashMap<Value, Value>,
    exits: FxHashMap<Inst, Inst>,
    continues: FxHashMap<Inst, Inst>,
}

impl<'a> Cloner<'a> {
    /// A cloner that has copied nothing yet.
    pub fn new(function: &'a mut Function) -> Self {
        Cloner {
            function,
            values: FxHashMap::default(),
            exits: FxHashMap::default(),
            continues: FxHashMap::default(),
        }
    }

    /// Turns exits from a loop into exits from `exit`, and its continues into exits from `iteration`.
    pub fn leave(&mut self, inst: Inst, exit: Inst, iteration: Inst) {
        self.exits.insert(inst, exit);
        self.continues.insert(inst, iteration);
    }

    /// Makes these values represent a region's parameters.
    pub fn params(&mut self, region: Region, values: &[Value]) {
        self.values.extend(self.function.regions[region].params.iter().copied().zip(values.iter().copied()));
    }

    /// Makes the second of each pair represent the first.
    pub fn represent(&mut self, pairs: &[(Value, Value)]) {
        self.values.extend(pairs.iter().copied());
    }

    /// The value that represents `value`.
    #[must_use]
    pub fn value(&self, value: Value) -> Value {
        self.values.get(&value).copied().unwrap_or(value)
    }

    /// Copies the instructions of a region to the end of another one.
    pub fn region(&mut self, from: Region, to: Region) {
        for inst in self.function.regions[from].insts.clone() {
            let copy = self.inst(inst);
            self.function.regions[to].insts.push(copy);
        }
    }

    /// Copies an instruction with its regions.
    pub fn inst(&mut self, inst: Inst) -> Inst {
        let data = self.function.insts[inst].clone();
        let operands: Vec<_> = data.operands.iter().map(|&operand| self.value(operand)).collect();
        let types: Vec<_> = data.results.iter().map(|&result| self.function.ty(result)).collect();
        let regions: Vec<_> = data.regions.iter().map(|_| self.function.add_region()).collect();
        let op = match &data.op {
            Op::Exit(target) => Op::Exit(self.exits.get(target).copied().unwrap_or(*target)),
            Op::Continue(target) => match self.continues.get(target) {
                Some(&iteration) => Op::Exit(iteration),
                None => Op::Continue(self.exits.get(target).copied().unwrap_or(*target)),
            },
            other => other.clone(),
        };
        let copy = self.function.make_inst(op, &operands, &types, &regions, data.span);
        self.function.insts[copy].fast_math = data.fast_math;
        if !regions.is_empty() {
            // A nested loop's continues are redirected, too.
            self.exits.insert(inst, copy);
        }
        for (&from, &to) in data.regions.iter().zip(&regions) {
            for param in self.function.regions[from].params.clone() {
                let new = self.function.add_region_param(to, self.function.ty(param));
                self.values.insert(param, new);
            }
            with_stack(|| self.region(from, to));
        }
        let results = self.function.insts[copy].results.clone();
        self.values.extend(data.results.into_iter().zip(results));
        copy
    }
}
