//! Gives variables that hold matrices the room that a work-item's part of them needs.
//!
//! The front end counts all elements of a matrix ([`size`](clvk_ir::MatrixType::size)), but each of the
//! work-items that share one holds only its columns. In memory that only matrices are stored in, all sizes
//! and distances are divided by the number of work-items.
//!
//! Pointers that may meet are one class, in the whole module: by pointer arithmetic, calls, selections, and
//! variables that hold pointers. A class where anything else happens, such as accesses to numbers, keeps its
//! size.

use super::emulate::ALIGN;
use super::{as_matrix, width};
use clvk_interface::DeviceProfile;
use clvk_ir::{ConvertOp, EntityId, Func, Function, Inst, InstData, Module, Op, Value, ValueDef};
use rustc_hash::FxHashSet;

/// Shrinks the variables.
pub fn run(module: &mut Module, profile: &DeviceProfile) {
    let mut classes = Classes::new(module, profile);
    let functions: Vec<Func> = module.functions.iter().map(|(func, _)| func).collect();
    for &func in &functions {
        classes.collect(module, func);
    }
    for &func in &functions {
        for (inst, factor) in classes.factors(&module.functions[func], func) {
            divide(&mut module.functions[func].insts[inst].op, factor);
        }
    }
}

fn divide(op: &mut Op, factor: u64) {
    match op {
        Op::Alloca { size, .. } | Op::PointerIndex { stride: size } => *size /= factor,
        Op::PointerOffset(offset) => *offset /= factor as i64,
        Op::MemoryCopy { size, align } | Op::MemoryZero { size, align } => {
            *size /= factor;
            *align = (*align).min(ALIGN);
        }
        _ => {}
    }
}

/// What is known of a class.
#[derive(Clone, Copy, Default)]
struct Facts {
    /// All sizes and distances, or-ed: their common power of two.
    numbers: u64,
    /// The least number of work-items that share one of the matrices; 0 if there is none.
    width: u32,
    /// Something else happens to the memory or the pointers.
    kept: bool,
}

impl Facts {
    fn add(&mut self, other: Facts) {
        self.numbers |= other.numbers;
        self.kept |= other.kept;
        self.width = match (self.width, other.width) {
            (0, width) | (width, 0) => width,
            (one, two) => one.min(two),
        };
    }

    /// What sizes and distances are divided by.
    fn factor(self) -> u64 {
        let mut factor = if self.kept { 1 } else { u64::from(self.width.max(1)) };
        while factor > 1 && !self.numbers.is_multiple_of(factor * u64::from(ALIGN)) {
            factor /= 2;
        }
        factor
    }
}

struct Classes<'p> {
    profile: &'p DeviceProfile,
    parents: Vec<usize>,
    facts: Vec<Facts>,
    /// The first node of each function: what it returns. Two follow for each value: for the value itself and
    /// for the pointers in the variable that it points to.
    first: Vec<usize>,
}

impl<'p> Classes<'p> {
    fn new(module: &Module, profile: &'p DeviceProfile) -> Self {
        let mut count = 0;
        let mut first = Vec::new();
        for (_, function) in module.functions.iter() {
            first.push(count);
            count += 1 + 2 * function.values.len();
        }
        Classes { profile, parents: (0..count).collect(), facts: vec![Facts::default(); count], first }
    }

    fn value(&self, func: Func, value: Value) -> usize {
        self.first[func.index()] + 1 + 2 * value.index()
    }

    fn find(&mut self, mut node: usize) -> usize {
        while self.parents[node] != node {
            self.parents[node] = self.parents[self.parents[node]];
            node = self.parents[node];
        }
        node
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        if a != b {
            self.parents[b] = a;
            let facts = self.facts[b];
            self.facts[a].add(facts);
        }
    }

    fn note(&mut self, node: usize, facts: Facts) {
        let node = self.find(node);
        self.facts[node].add(facts);
    }

    fn keep(&mut self, node: usize) {
        self.note(node, Facts { kept: true, ..Facts::default() });
    }

    fn number(&mut self, node: usize, number: u64) {
        self.note(node, Facts { numbers: number, ..Facts::default() });
    }

    fn collect(&mut self, module: &Module, func: Func) {
        let function = &module.functions[func];
        let called = function.kernel.is_none();
        for (value, data) in function.values.iter().filter(|(_, data)| data.ty.is_pointer()) {
            let known = match data.def {
                ValueDef::Param(_) => called,
                ValueDef::Result(..) | ValueDef::Constant(_) => true,
                ValueDef::RegionParam(..) | ValueDef::Global(_) => false,
            };
            if !known {
                self.keep(self.value(func, value));
            }
        }
        let of_pointers = variables_of_pointers(function);
        function.walk(|_, data| self.inst(module, func, data, &of_pointers));
    }

    fn inst(&mut self, module: &Module, func: Func, data: &InstData, of_pointers: &FxHashSet<Value>) {
        let function = &module.functions[func];
        let is_pointer = |value: &&Value| function.ty(**value).is_pointer();
        let node = |this: &Self, operand: usize| this.value(func, data.operands[operand]);
        let result = data.results.first().map(|&result| self.value(func, result));
        match data.op {
            Op::Alloca { size, .. } => self.number(result.expect("a pointer"), size),
            Op::PointerOffset(offset) => self.derived(result, node(self, 0), offset as u64),
            Op::PointerIndex { stride } => self.derived(result, node(self, 0), stride),
            Op::Convert(ConvertOp::AddressSpace) => self.derived(result, node(self, 0), 0),
            Op::Select if data.results.iter().any(|value| is_pointer(&value)) => {
                self.derived(result, node(self, 1), 0);
                self.derived(result, node(self, 2), 0);
            }
            Op::Compare(_) => {}
            Op::Load { .. } => self.access(func, function, data.operands[0], data.results[0], of_pointers),
            Op::Store { .. } => self.access(func, function, data.operands[0], data.operands[1], of_pointers),
            Op::MemoryCopy { size, .. } => {
                self.join(node(self, 0), node(self, 1));
                self.number(node(self, 0), size);
            }
            Op::MemoryZero { size, .. } => self.number(node(self, 0), size),
            Op::Call(callee) if module.functions[callee].body.is_some() => {
                let params = &module.functions[callee].params;
                for (&operand, &param) in data.operands.iter().zip(params) {
                    self.join(self.value(func, operand), self.value(callee, param));
                }
                if let Some(result) = result {
                    self.join(result, self.first[callee.index()]);
                }
            }
            Op::Return => {
                for operand in data.operands.iter().filter(is_pointer) {
                    self.join(self.value(func, *operand), self.first[func.index()]);
                }
            }
            _ => {
                for value in data.operands.iter().chain(&data.results).filter(is_pointer) {
                    self.keep(self.value(func, *value));
                }
            }
        }
    }

    fn derived(&mut self, result: Option<usize>, from: usize, distance: u64) {
        self.join(result.expect("a pointer"), from);
        self.number(from, distance);
    }

    /// A value that is loaded or stored.
    fn access(
        &mut self,
        func: Func,
        function: &Function,
        pointer: Value,
        value: Value,
        of_pointers: &FxHashSet<Value>,
    ) {
        let (place, ty) = (self.value(func, pointer), function.ty(value));
        match as_matrix(ty) {
            Some(matrix) => {
                let width = width(self.profile, matrix);
                self.note(place, Facts { width, ..Facts::default() });
            }
            None => self.keep(place),
        }
        match ty.is_pointer() {
            true if of_pointers.contains(&pointer) => self.join(place + 1, self.value(func, value)),
            true => self.keep(self.value(func, value)),
            false => {}
        }
    }

    /// The instructions that have sizes or distances of memory that shrinks, each with what they are divided
    /// by.
    fn factors(&mut self, function: &Function, func: Func) -> Vec<(Inst, u64)> {
        let mut factors = Vec::new();
        function.walk(|inst, data| {
            let pointer = match data.op {
                Op::Alloca { .. } => data.results[0],
                Op::PointerOffset(_)
                | Op::PointerIndex { .. }
                | Op::MemoryCopy { .. }
                | Op::MemoryZero { .. } => data.operands[0],
                _ => return,
            };
            let class = self.find(self.value(func, pointer));
            let factor = self.facts[class].factor();
            if factor > 1 {
                factors.push((inst, factor));
            }
        });
        factors
    }
}

/// Variables that only hold a pointer, which is loaded and stored as a whole.
fn variables_of_pointers(function: &Function) -> FxHashSet<Value> {
    let mut variables = FxHashSet::default();
    function.walk(|_, data| {
        if matches!(data.op, Op::Alloca { .. }) {
            variables.insert(data.results[0]);
        }
    });
    function.walk(|_, data| {
        let moved = match data.op {
            Op::Load { .. } => data.results[0],
            Op::Store { .. } => data.operands[1],
            _ => {
                for operand in &data.operands {
                    variables.remove(operand);
                }
                return;
            }
        };
        if !function.ty(moved).is_pointer() {
            variables.remove(&data.operands[0]);
        }
        if matches!(data.op, Op::Store { .. }) {
            variables.remove(&moved);
        }
    });
    variables
}
