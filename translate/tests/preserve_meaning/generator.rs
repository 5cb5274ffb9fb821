//! Random programs: a kernel over one buffer with helper functions, variables, structures, arrays, and all
//! control flow. Every variable is initialised, every access is in bounds and every loop ends, so that a
//! program has one meaning.

use crate::random::Random;
use clvk_ir::{
    AddressSpace, BinaryOp, Builder, CompareOp, ConvertOp, Func, Function, Global, GlobalData, Initializer,
    Inst, KernelInfo, KernelParam, KernelParamKind, Module, Op, Scalar, Type, UnaryOp, UnrollHint, Value,
};

/// What a statement may use.
#[derive(Clone, Default)]
struct Scope {
    values: Vec<Value>,
    vectors: Vec<Value>,
    /// Variables of 4 bytes.
    variables: Vec<Value>,
    /// Variables of 32 bytes.
    structures: Vec<Value>,
    /// 16 bytes each, of a caller's variables, the buffer and local memory ([`SPACES`]).
    halves: Vec<Value>,
    /// Enclosing constructs that a statement may leave.
    targets: Vec<Inst>,
    loops: Vec<Inst>,
}

struct Generator<'f> {
    random: Random,
    builder: Builder<'f>,
    buffer: Option<Value>,
    callees: Vec<Func>,
    /// The number of statements that may still be generated.
    fuel: u32,
    is_kernel: bool,
    /// Local memory of 48 bytes. If there is some, helper functions take pointers to 16 bytes ([`SPACES`]).
    shared: Option<Global>,
}

/// The program for a seed.
pub fn module(seed: u64) -> Module {
    module_of(seed, false)
}

/// The program for a seed whose functions take pointers to their callers' variables, sometimes to the same,
/// to the buffer and to local memory.
pub fn module_with_pointers(seed: u64) -> Module {
    module_of(seed, true)
}

fn module_of(seed: u64, pointers: bool) -> Module {
    let mut module = Module::default();
    let mut random = Random::new(seed);
    let mut callees = Vec::new();
    let shared = GlobalData {
        name: "shared".to_owned(),
        space: AddressSpace::Local,
        size: 48,
        align: 16,
        is_read_only: false,
        initializer: Initializer::None,
    };
    let shared = pointers.then(|| module.globals.push(shared));
    for number in 0..random.below(3) {
        let function = function(&mut random, &format!("helper{number}"), &callees, false, shared);
        callees.push(module.functions.push(function));
    }
    let kernel = function(&mut random, "kernel", &callees, true, shared);
    module.functions.push(kernel);
    module
}

/// The address spaces of the pointers that helper functions take.
const SPACES: [AddressSpace; 4] =
    [AddressSpace::Private, AddressSpace::Private, AddressSpace::Global, AddressSpace::Local];

fn function(
    random: &mut Random,
    name: &str,
    callees: &[Func],
    is_kernel: bool,
    shared: Option<Global>,
) -> Function {
    let mut function = Function::new(name, (!is_kernel).then_some(Type::I32));
    let buffer = is_kernel.then(|| function.add_param(Type::Pointer(AddressSpace::Global)));
    let numbers = [function.add_param(Type::I32), function.add_param(Type::I32)];
    let takes = if shared.is_some() && !is_kernel { &SPACES[..] } else { &[] };
    let halves = takes.iter().map(|&space| function.add_param(Type::Pointer(space))).collect();
    if is_kernel {
        function.kernel = Some(kernel_info());
    }
    let body = function.add_region();
    function.body = Some(body);
    let mut generator = Generator {
        random: random.fork(),
        builder: Builder::new(&mut function, body),
        buffer,
        callees: callees.to_vec(),
        fuel: if is_kernel { 40 } else { 10 },
        is_kernel,
        shared,
    };
    let mut scope = Scope { values: numbers.to_vec(), halves, ..Scope::default() };
    generator.declare(&mut scope);
    if generator.statements(&mut scope, 0) {
        generator.finish(&mut scope);
    }
    function
}

fn kernel_info() -> KernelInfo {
    let number = |name: &str| KernelParam {
        name: name.to_owned(),
        type_name: "int".to_owned(),
        element: Some((Scalar::I32, 1)),
        signed: true,
        kind: KernelParamKind::Value { size: 4, align: 4 },
        max_size: None,
    };
    let buffer = KernelParam {
        name: "buffer".to_owned(),
        type_name: "int*".to_owned(),
        element: Some((Scalar::I32, 1)),
        signed: true,
        kind: KernelParamKind::Buffer { read_only: false, restrict: false, volatile: false },
        max_size: None,
    };
    KernelInfo { params: vec![buffer, number("a"), number("b")], ..KernelInfo::default() }
}

impl Generator<'_> {
    fn constant(&mut self) -> Value {
        let value = self.random.pick(&[0, 1, 2, 3, 4, 7, 31, -1, -8, 255, 1 << 20, i64::from(i32::MIN)]);
        self.builder.function.int(Type::I32, value)
    }

    fn alloca(&mut self, size: u64) -> Value {
        self.builder.value(Op::Alloca { size, align: 16 }, &[], Type::Pointer(AddressSpace::Private))
    }

    /// Some variables, initialised.
    fn declare(&mut self, scope: &mut Scope) {
        if let Some(shared) = self.shared.filter(|_| self.is_kernel) {
            let shared = self.builder.function.global(Type::Pointer(AddressSpace::Local), shared);
            let source = self.buffer_place(12);
            self.builder.push(Op::MemoryCopy { size: 48, align: 4 }, &[shared, source], &[]);
        }
        for _ in 0..=self.random.below(3) {
            let variable = self.alloca(4);
            let value = self.number(scope);
            self.builder.store(variable, value, 4, false);
            scope.variables.push(variable);
        }
        // Calls need something to point to.
        let least = u64::from(self.shared.is_some() && scope.structures.is_empty());
        for _ in 0..self.random.below(3).max(least) {
            let structure = self.alloca(32);
            if self.random.below(2) == 0 || self.buffer.is_none() {
                self.builder.push(Op::MemoryZero { size: 32, align: 16 }, &[structure], &[]);
            } else {
                let source = self.buffer_place(8);
                self.builder.push(Op::MemoryCopy { size: 32, align: 4 }, &[structure, source], &[]);
            }
            scope.structures.push(structure);
        }
    }

    /// An address in the buffer with room for this many words.
    fn buffer_place(&mut self, words: u64) -> Value {
        let buffer = self.buffer.expect("only kernels have the buffer");
        let word = self.random.below(64 - words + 1);
        self.builder.pointer_offset(buffer, word as i64 * 4)
    }

    /// An index below 8 that is known only at run time.
    fn index(&mut self, scope: &Scope) -> Value {
        let value = self.random.pick(&scope.values);
        let mask = self.builder.function.int(Type::I32, 7);
        self.builder.binary(BinaryOp::And, value, mask)
    }

    /// 16 bytes of the buffer and of local memory.
    fn others(&mut self, scope: &Scope, shared: Global) -> [Value; 2] {
        if let [.., global, local] = scope.halves[..] {
            return [global, local];
        }
        let global = self.buffer_place(4);
        let shared = self.builder.function.global(Type::Pointer(AddressSpace::Local), shared);
        let local = if self.random.below(2) == 0 {
            let at = self.random.below(3) as i64;
            self.builder.pointer_offset(shared, at * 8)
        } else {
            let index = self.index(scope);
            self.builder.pointer_index(shared, index, 4)
        };
        [global, local]
    }

    /// The address of a word in a structure.
    fn member(&mut self, scope: &Scope) -> Value {
        if !scope.halves.is_empty() && self.random.below(2) == 0 {
            let half = self.random.pick(&scope.halves);
            let at = self.random.below(4) as i64;
            return self.builder.pointer_offset(half, at * 4);
        }
        let structure = self.random.pick(&scope.structures);
        match self.random.below(6) {
            0 => {
                let index = self.index(scope);
                self.builder.pointer_index(structure, index, 4)
            }
            1 => {
                let at = self.random.below(8) as i64;
                let index = self.builder.function.int(Type::I32, at);
                self.builder.pointer_index(structure, index, 4)
            }
            _ => {
                let at = self.random.below(8) as i64;
                self.builder.pointer_offset(structure, at * 4)
            }
        }
    }

    /// The address of 16 bytes.
    fn half(&mut self, scope: &Scope) -> Value {
        if !scope.halves.is_empty() && self.random.below(3) > 0 {
            return self.random.pick(&scope.halves[..2]);
        }
        let structure = self.random.pick(&scope.structures);
        let at = self.random.pick(&[0, 4, 16]);
        self.builder.pointer_offset(structure, at)
    }

    /// A 32-bit number.
    fn number(&mut self, scope: &mut Scope) -> Value {
        let value = match self.random.below(12) {
            0 => self.constant(),
            1 | 2 if !scope.variables.is_empty() => {
                let variable = self.random.pick(&scope.variables);
                self.builder.load(variable, Type::I32, 4, false)
            }
            3 if !scope.structures.is_empty() => {
                let place = self.member(scope);
                self.builder.load(place, Type::I32, 4, false)
            }
            4 if self.buffer.is_some() => {
                let place = self.buffer_place(1);
                self.builder.load(place, Type::I32, 4, false)
            }
            5 if !self.callees.is_empty() && (self.shared.is_none() || !scope.structures.is_empty()) => {
                let callee = self.random.pick(&self.callees);
                let mut arguments = vec![self.operand(scope), self.operand(scope)];
                if let Some(shared) = self.shared {
                    arguments.extend([self.half(scope), self.half(scope)]);
                    arguments.extend(self.others(scope, shared));
                }
                self.builder.value(Op::Call(callee), &arguments, Type::I32)
            }
            6 => {
                let condition = self.condition(scope);
                self.builder.convert(ConvertOp::ZeroExtend, condition, Type::I32)
            }
            7 => {
                let condition = self.condition(scope);
                let (a, b) = (self.operand(scope), self.operand(scope));
                self.builder.select(condition, a, b)
            }
            8 => self.through_vector(scope),
            9 => {
                let a = self.operand(scope);
                let narrow = self.builder.convert(ConvertOp::Truncate, a, Type::I8);
                let op = self.random.pick(&[ConvertOp::SignExtend, ConvertOp::ZeroExtend]);
                self.builder.convert(op, narrow, Type::I32)
            }
            _ => {
                use BinaryOp::*;
                let op = self.random.pick(&[
                    Add, Sub, Mul, And, Or, Xor, Shl, LShr, AShr, UDiv, URem, SMin, UMax, SMulHi, SDiv, SRem,
                ]);
                let (a, b) = (self.operand(scope), self.operand(scope));
                if matches!(op, UDiv | URem | SDiv | SRem) {
                    // Neither a zero divisor nor an overflow.
                    let divisor = self.random.pick(&[1, 2, 3, 8, 10]);
                    let divisor = self.builder.function.int(Type::I32, divisor);
                    self.builder.binary(op, a, divisor)
                } else {
                    self.builder.binary(op, a, b)
                }
            }
        };
        scope.values.push(value);
        value
    }

    fn operand(&mut self, scope: &Scope) -> Value {
        if self.random.below(4) == 0 { self.constant() } else { self.random.pick(&scope.values) }
    }

    fn through_vector(&mut self, scope: &mut Scope) -> Value {
        let vector_ty = Type::Vector(Scalar::I32, 4);
        let mut vector = match scope.vectors.last() {
            Some(&vector) if self.random.below(2) == 0 => vector,
            _ => {
                let lanes: Vec<_> = (0..4).map(|_| self.operand(scope)).collect();
                self.builder.value(Op::Construct, &lanes, vector_ty)
            }
        };
        for _ in 0..self.random.below(3) {
            vector = match self.random.below(3) {
                0 => {
                    let lane = self.random.below(4) as u8;
                    let value = self.operand(scope);
                    self.builder.value(Op::Insert(lane), &[vector, value], vector_ty)
                }
                1 => {
                    let mut mask = [255; 16];
                    for lane in &mut mask[..4] {
                        *lane = self.random.below(8) as u8;
                    }
                    let other = scope.vectors.first().copied().unwrap_or(vector);
                    self.builder.value(Op::Shuffle(mask), &[vector, other], vector_ty)
                }
                _ => self.builder.unary(UnaryOp::Not, vector),
            };
        }
        scope.vectors.push(vector);
        let lane = self.random.below(4) as u8;
        self.builder.extract(vector, lane)
    }

    fn condition(&mut self, scope: &Scope) -> Value {
        use CompareOp::*;
        let (a, b) = (self.operand(scope), self.operand(scope));
        let op = self.random.pick(&[Eq, Ne, SLt, SLe, UGt, UGe]);
        let condition = self.builder.compare(op, a, b);
        if self.random.below(4) == 0 { self.builder.unary(UnaryOp::Not, condition) } else { condition }
    }

    /// Generates statements; returns whether the end of the region can be reached.
    fn statements(&mut self, scope: &mut Scope, depth: u32) -> bool {
        for _ in 0..=self.random.below(5) {
            if self.fuel == 0 {
                break;
            }
            self.fuel -= 1;
            if !self.statement(scope, depth) {
                return false;
            }
        }
        true
    }

    fn statement(&mut self, scope: &mut Scope, depth: u32) -> bool {
        match self.random.below(16) {
            0..=2 => {
                let value = self.number(scope);
                let variable = self.random.pick(&scope.variables);
                self.builder.store(variable, value, 4, false);
            }
            3 | 4 if !scope.structures.is_empty() => self.structure_statement(scope),
            5 | 6 if self.buffer.is_some() => {
                let value = self.number(scope);
                let place = self.buffer_place(1);
                self.builder.store(place, value, 4, false);
            }
            7 if depth > 0 && !scope.targets.is_empty() => {
                let target = self.random.pick(&scope.targets);
                self.leave(scope, target);
                return false;
            }
            8 if depth > 0 && !scope.loops.is_empty() => {
                let target = self.random.pick(&scope.loops);
                self.continue_loop(target);
                return false;
            }
            9 if depth > 0 => {
                self.finish(scope);
                return false;
            }
            10 => self.declare(scope),
            11..=15 if depth < 4 => self.construct(scope, depth),
            _ => {
                self.number(scope);
            }
        }
        true
    }

    fn structure_statement(&mut self, scope: &mut Scope) {
        let structure = self.random.pick(&scope.structures);
        match self.random.below(5) {
            0 => {
                let other = self.random.pick(&scope.structures);
                let (size, at) = if other == structure {
                    (8, [0, 16])
                } else {
                    self.random.pick(&[(32, [0, 0]), (16, [8, 0]), (12, [4, 16])])
                };
                let to = self.builder.pointer_offset(structure, at[0]);
                let from = self.builder.pointer_offset(other, at[1]);
                self.builder.push(Op::MemoryCopy { size, align: 4 }, &[to, from], &[]);
            }
            1 if self.buffer.is_some() => {
                let place = self.buffer_place(8);
                self.builder.push(Op::MemoryCopy { size: 32, align: 4 }, &[place, structure], &[]);
            }
            2 => {
                let value = self.number(scope);
                let narrow = self.random.pick(&[Type::I8, Type::I16]);
                let value = self.builder.convert(ConvertOp::Truncate, value, narrow);
                let at = self.random.below(16) as i64 * 2;
                let place = self.builder.pointer_offset(structure, at);
                self.builder.store(place, value, 1, false);
            }
            3 => {
                let lanes = self.random.pick(&[2u32, 3, 4]);
                let ty = Type::with_lanes(Scalar::I32, lanes);
                let at = self.random.below(4) as i64 * 4;
                let place = self.builder.pointer_offset(structure, at);
                let vector = self.builder.load(place, ty, 4, false);
                let to = self.builder.pointer_offset(structure, 16);
                self.builder.store(to, vector, 4, false);
            }
            _ => {
                let value = self.number(scope);
                let place = self.member(scope);
                self.builder.store(place, value, 4, false);
            }
        }
    }

    /// A result for a construct: one number.
    fn leave(&mut self, scope: &Scope, target: Inst) {
        let value = self.random.pick(&scope.values);
        self.builder.push(Op::Exit(target), &[value], &[]);
    }

    fn continue_loop(&mut self, target: Inst) {
        let counter = self.builder.function.regions[self.builder.function.insts[target].regions[0]].params[0];
        self.builder.push(Op::Continue(target), &[counter], &[]);
    }

    fn finish(&mut self, scope: &mut Scope) {
        if self.is_kernel {
            // Shows the variables' contents in the buffer.
            for (position, variable) in scope.variables.clone().into_iter().take(8).enumerate() {
                let value = self.builder.load(variable, Type::I32, 4, false);
                let buffer = self.buffer.expect("kernels have the buffer");
                let place = self.builder.pointer_offset(buffer, position as i64 * 4);
                self.builder.store(place, value, 4, false);
            }
            self.builder.push(Op::Return, &[], &[]);
        } else {
            let value = self.number(scope);
            self.builder.push(Op::Return, &[value], &[]);
        }
    }

    fn construct(&mut self, scope: &mut Scope, depth: u32) {
        let kind = self.random.below(5);
        let labels: Box<[Box<[u64]>]> = Box::new([Box::new([0, 1]), Box::new([5])]);
        let (op, operands, regions) = match kind {
            0 | 1 => (Op::If, vec![self.condition(scope)], 2),
            2 => (Op::Block, vec![], 1),
            3 => {
                let selector = self.index(scope);
                (Op::Switch(labels), vec![selector], 3)
            }
            _ => (Op::Loop(UnrollHint::None), vec![self.builder.function.int(Type::I32, 0)], 2),
        };
        // A loop's limit, known at compile time or only at run time.
        let limit = if self.random.below(3) == 0 {
            self.index(scope)
        } else {
            let limit = 1 + self.random.below(6) as i64;
            self.builder.function.int(Type::I32, limit)
        };
        let regions: Vec<_> = (0..regions).map(|_| self.builder.function.add_region()).collect();
        let is_loop = op.is_loop();
        let inst = self.builder.push_with_regions(op, &operands, &[Type::I32], &regions);
        if is_loop {
            self.fill_loop(scope, inst, limit, depth);
        } else {
            for &region in &regions {
                let outer = self.builder.switch_to(region);
                let mut inner = scope.clone();
                inner.targets.push(inst);
                if self.statements(&mut inner, depth + 1) {
                    self.leave(&inner, inst);
                }
                self.builder.switch_to(outer);
            }
        }
        scope.values.push(self.builder.function.insts[inst].results[0]);
    }

    /// A loop that counts to a small number, with the test at its head or at its end.
    fn fill_loop(&mut self, scope: &Scope, inst: Inst, limit: Value, depth: u32) {
        let [body, continuing] = self.builder.function.insts[inst].regions[..] else {
            unreachable!("two regions")
        };
        let counter = self.builder.function.add_region_param(body, Type::I32);
        let passed = self.builder.function.add_region_param(continuing, Type::I32);
        let at_head = self.random.below(2) == 0;
        let outer = self.builder.switch_to(body);
        let mut inner = scope.clone();
        inner.values.push(counter);
        if at_head {
            self.test(&inner, inst, counter, limit);
        }
        inner.targets.push(inst);
        inner.loops.push(inst);
        if self.statements(&mut inner, depth + 1) {
            self.continue_loop(inst);
        }
        self.builder.switch_to(continuing);
        let one = self.builder.function.int(Type::I32, 1);
        let next = self.builder.binary(BinaryOp::Add, passed, one);
        let mut end = scope.clone();
        end.values.push(passed);
        self.test(&end, inst, next, limit);
        self.builder.push(Op::NextIteration, &[next], &[]);
        self.builder.switch_to(outer);
    }

    /// Leaves the loop when the counter has reached the limit.
    fn test(&mut self, scope: &Scope, inst: Inst, counter: Value, limit: Value) {
        let goes_on = self.builder.compare(CompareOp::SLt, counter, limit);
        let regions = [self.builder.function.add_region(), self.builder.function.add_region()];
        let test = self.builder.push_with_regions(Op::If, &[goes_on], &[], &regions);
        let outer = self.builder.switch_to(regions[0]);
        self.builder.push(Op::Exit(test), &[], &[]);
        self.builder.switch_to(regions[1]);
        self.leave(scope, inst);
        self.builder.switch_to(outer);
    }
}
