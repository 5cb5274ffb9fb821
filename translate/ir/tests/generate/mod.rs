//! Random valid functions.

use clvk_ir::{
    AddressSpace, BinaryOp, Builder, CompareOp, Constant, ConvertOp, FastMath, Function, Inst, MathOp,
    Module, Op, Scalar, Type, UnrollHint, Value,
};

/// A module with one function of about `size` instructions.
pub fn module(seed: u64, size: usize) -> Module {
    let mut function = Function::new("random", Some(Type::I32));
    let mut visible = vec![
        function.add_param(Type::I32),
        function.add_param(Type::F32),
        function.add_param(Type::Pointer(AddressSpace::Global)),
        function.add_param(Type::BOOL),
    ];
    let body = function.add_region();
    function.body = Some(body);
    let mut generator = Generator {
        builder: Builder::new(&mut function, body),
        state: seed | 1,
        left: size,
        owners: Vec::new(),
    };
    generator.region(&mut visible);
    let result = generator.pick(Type::I32, &visible);
    generator.builder.push(Op::Return, &[result], &[]);
    let mut module = Module::default();
    module.functions.push(function);
    module
}

struct Generator<'f> {
    builder: Builder<'f>,
    state: u64,
    left: usize,
    /// The constructs around the current place, and whether it is in their first region.
    owners: Vec<(Inst, bool)>,
}

const TYPES: [Type; 6] = [
    Type::I32,
    Type::F32,
    Type::BOOL,
    Type::Pointer(AddressSpace::Global),
    Type::Vector(Scalar::F32, 4),
    Type::I64,
];

impl Generator<'_> {
    fn next(&mut self, bound: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 11) as usize % bound
    }

    /// A visible value of a type, or a constant.
    fn pick(&mut self, ty: Type, visible: &[Value]) -> Value {
        let fitting: Vec<Value> =
            visible.iter().copied().filter(|&value| self.builder.function.ty(value) == ty).collect();
        if !fitting.is_empty() && self.next(4) > 0 {
            return fitting[self.next(fitting.len())];
        }
        let bits = if self.next(2) == 0 { self.next(20) as u64 } else { self.state };
        let constant = match ty {
            Type::Scalar(Scalar::Bool) => Constant::Bits(bits & 1),
            Type::Pointer(_) => Constant::Bits(0),
            _ if self.next(10) == 0 => Constant::Undef,
            _ => Constant::Bits(bits),
        };
        self.builder.function.constant(ty, constant)
    }

    fn types(&mut self) -> Vec<Type> {
        (0..self.next(3)).map(|_| TYPES[self.next(TYPES.len())]).collect()
    }

    fn picks(&mut self, types: &[Type], visible: &[Value]) -> Vec<Value> {
        types.iter().map(|&ty| self.pick(ty, visible)).collect()
    }

    /// Instructions up to the terminator, which the caller appends.
    fn region(&mut self, visible: &mut Vec<Value>) {
        let count = 1 + self.next(8);
        for _ in 0..count {
            if self.left == 0 {
                return;
            }
            self.left -= 1;
            match self.next(10) {
                0..7 => self.simple(visible),
                _ if self.owners.len() < 12 => self.construct(visible),
                _ => {}
            }
        }
    }

    fn simple(&mut self, visible: &mut Vec<Value>) {
        let flags = FastMath::from_bits_truncate(self.next(128) as u8);
        self.builder.set_fast_math(flags);
        let value = match self.next(7) {
            0 => {
                let op = [BinaryOp::Add, BinaryOp::Shl, BinaryOp::UMulHi, BinaryOp::Xor][self.next(4)];
                let (a, b) = (self.pick(Type::I32, visible), self.pick(Type::I32, visible));
                self.builder.binary(op, a, b)
            }
            1 => {
                let ty = TYPES[[1, 4][self.next(2)]];
                let (a, b, c) = (self.pick(ty, visible), self.pick(ty, visible), self.pick(ty, visible));
                self.builder.math(MathOp::Fma, &[a, b, c])
            }
            2 => {
                let op = [CompareOp::SLt, CompareOp::Eq, CompareOp::UGe][self.next(3)];
                let (a, b) = (self.pick(Type::I32, visible), self.pick(Type::I32, visible));
                self.builder.compare(op, a, b)
            }
            3 => {
                let ty = TYPES[self.next(TYPES.len())];
                let c = self.pick(Type::BOOL, visible);
                let (a, b) = (self.pick(ty, visible), self.pick(ty, visible));
                self.builder.select(c, a, b)
            }
            4 => {
                let pointer = self.pick(Type::Pointer(AddressSpace::Global), visible);
                let pointer = self.builder.pointer_offset(pointer, 16);
                self.builder.load(pointer, Type::F32, 4, self.state & 1 == 0)
            }
            5 => {
                let a = self.pick(Type::I32, visible);
                self.builder.convert(ConvertOp::SignExtend, a, Type::I64)
            }
            _ => {
                let (p, v) =
                    (self.pick(Type::Pointer(AddressSpace::Global), visible), self.pick(Type::I64, visible));
                return self.builder.store(p, v, 8, false);
            }
        };
        visible.push(value);
    }

    fn construct(&mut self, visible: &mut Vec<Value>) {
        let results = self.types();
        let carried = self.types();
        let region_count = [2, 2, 1, 4][self.next(4)];
        let is_loop = region_count == 2 && self.next(2) == 0;
        let regions: Vec<_> = (0..region_count).map(|_| self.builder.function.add_region()).collect();
        let (op, operands) = match region_count {
            1 => (Op::Block, vec![]),
            2 if is_loop => (Op::Loop(UnrollHint::None), self.picks(&carried, visible)),
            2 => (Op::If, vec![self.pick(Type::BOOL, visible)]),
            _ => {
                let cases: [Box<[u64]>; 3] = [[1, 2].into(), [u64::from(u32::MAX)].into(), [7].into()];
                (Op::Switch(cases.into()), vec![self.pick(Type::I32, visible)])
            }
        };
        let inst = self.builder.push_with_regions(op, &operands, &results, &regions);
        for &region in regions.iter().filter(|_| is_loop) {
            for &ty in &carried {
                self.builder.function.add_region_param(region, ty);
            }
        }
        for (index, &region) in regions.iter().enumerate() {
            let mut inner = visible.clone();
            inner.extend(self.builder.function.regions[region].params.clone());
            let outer = self.builder.switch_to(region);
            self.owners.push((inst, index == 0));
            self.region(&mut inner);
            if is_loop && index == 1 {
                let values = self.picks(&carried, &inner);
                self.builder.push(Op::NextIteration, &values, &[]);
            } else {
                self.leave(&inner);
            }
            self.owners.pop();
            self.builder.switch_to(outer);
        }
        visible.extend(self.builder.function.insts[inst].results.clone());
    }

    /// A jump to one of the constructs around.
    fn leave(&mut self, visible: &[Value]) {
        let depth = if self.next(3) > 0 { self.owners.len() - 1 } else { self.next(self.owners.len()) };
        let (target, in_body) = self.owners[depth];
        let data = &self.builder.function.insts[target];
        let (op, values) = if data.op.is_loop() && in_body && self.state & 4 == 0 {
            (Op::Continue(target), self.builder.function.regions[data.regions[1]].params.clone())
        } else {
            (Op::Exit(target), data.results.to_vec())
        };
        let types: Vec<Type> = values.iter().map(|&value| self.builder.function.ty(value)).collect();
        let operands = self.picks(&types, visible);
        self.builder.push(op, &operands, &[]);
    }
}
