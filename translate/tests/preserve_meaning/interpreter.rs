//! Executes a kernel of one buffer and two numbers, for one work-item. Arithmetic is that of the constant folder, which has
//! tests of its own.

use clvk_ir::{Constant, EntityId, Function, Inst, Module, Op, Region, Scalar, Type, Value, ValueDef};
use clvk_translate::passes::simplify::fold;
use std::collections::HashMap;

/// Bytes of the buffer.
pub const BUFFER: usize = 256;

type Bits = Vec<u64>;

/// How a region ended.
enum Flow {
    Exit(Inst, Vec<Bits>),
    Continue(Inst, Vec<Bits>),
    Next(Vec<Bits>),
    Return(Option<Bits>),
    /// It has no meaning: unreachable code was reached.
    Lost,
}

struct Machine<'m> {
    module: &'m Module,
    memory: Vec<Vec<u8>>,
    steps: usize,
    lost: bool,
}

struct Frame<'m> {
    function: &'m Function,
    values: HashMap<Value, Bits>,
    allocas: HashMap<Inst, usize>,
}

/// The buffer after the kernel ran; `None` if it reached what is not to be reached.
pub fn run(module: &Module) -> Option<Vec<u8>> {
    let kernel = module.kernels().next().expect("there is a kernel");
    let buffer = (0..BUFFER).map(|byte| (byte * 37 % 251) as u8).collect();
    let mut machine = Machine { module, memory: vec![Vec::new(), buffer], steps: 0, lost: false };
    machine.call(&module.functions[kernel], vec![vec![1 << 32], vec![5], vec![0xffff_fff0]]);
    (!machine.lost).then(|| machine.memory.swap_remove(1))
}

impl<'m> Machine<'m> {
    fn call(&mut self, function: &'m Function, arguments: Vec<Bits>) -> Option<Bits> {
        let values = function.params.iter().copied().zip(arguments).collect();
        let mut frame = Frame { function, values, allocas: HashMap::new() };
        match self.region(&mut frame, function.body.expect("it has a body")) {
            Flow::Return(value) => value,
            Flow::Lost => {
                self.lost = true;
                Some(vec![0])
            }
            _ => panic!("a body ends with a return"),
        }
    }

    fn region(&mut self, frame: &mut Frame<'m>, region: Region) -> Flow {
        for &inst in &frame.function.regions[region].insts {
            if let Some(flow) = self.inst(frame, inst) {
                return flow;
            }
        }
        panic!("a region has no terminator")
    }

    fn inst(&mut self, frame: &mut Frame<'m>, inst: Inst) -> Option<Flow> {
        self.steps += 1;
        assert!(self.steps < 10_000_000, "the program does not end");
        let function = frame.function;
        let data = &function.insts[inst];
        let operands: Vec<Bits> = data.operands.iter().map(|&operand| frame.value(operand)).collect();
        match &data.op {
            Op::Exit(target) => return Some(Flow::Exit(*target, operands)),
            Op::Continue(target) => return Some(Flow::Continue(*target, operands)),
            Op::NextIteration => return Some(Flow::Next(operands)),
            Op::Return => return Some(Flow::Return(operands.into_iter().next())),
            Op::Unreachable => return Some(Flow::Lost),
            op if op.has_regions() => {
                return match self.construct(frame, inst, operands) {
                    Flow::Exit(target, values) if target == inst => {
                        frame.values.extend(data.results.iter().copied().zip(values));
                        None
                    }
                    flow => Some(flow),
                };
            }
            _ => {}
        }
        if let Some(value) = self.execute(frame, inst, &operands) {
            frame.values.insert(data.results[0], value);
        }
        None
    }

    fn construct(&mut self, frame: &mut Frame<'m>, inst: Inst, operands: Vec<Bits>) -> Flow {
        let function = frame.function;
        let data = &function.insts[inst];
        match &data.op {
            Op::If => self.region(frame, data.regions[usize::from(operands[0][0] == 0)]),
            Op::Switch(labels) => {
                let taken = labels.iter().position(|labels| labels.contains(&operands[0][0]));
                self.region(frame, data.regions[taken.unwrap_or(labels.len())])
            }
            Op::Block => self.region(frame, data.regions[0]),
            _ => {
                let mut carried = operands;
                loop {
                    frame
                        .values
                        .extend(function.regions[data.regions[0]].params.iter().copied().zip(carried));
                    let passed = match self.region(frame, data.regions[0]) {
                        Flow::Continue(target, values) if target == inst => values,
                        flow => return flow,
                    };
                    frame.values.extend(function.regions[data.regions[1]].params.iter().copied().zip(passed));
                    carried = match self.region(frame, data.regions[1]) {
                        Flow::Next(values) => values,
                        flow => return flow,
                    };
                }
            }
        }
    }

    fn execute(&mut self, frame: &mut Frame<'m>, inst: Inst, operands: &[Bits]) -> Option<Bits> {
        let function = frame.function;
        let data = &function.insts[inst];
        let ty = |value: Value| function.ty(value);
        Some(match &data.op {
            Op::Alloca { size, .. } => {
                let memory = &mut self.memory;
                let id = *frame.allocas.entry(inst).or_insert_with(|| {
                    memory.push(vec![0xcd; *size as usize]);
                    memory.len() - 1
                });
                vec![(id as u64) << 32]
            }
            Op::PointerOffset(offset) => vec![operands[0][0].wrapping_add_signed(*offset)],
            Op::PointerIndex { stride } => {
                let index = fold::signed(ty(data.operands[1]).scalar().unwrap(), operands[1][0]);
                vec![operands[0][0].wrapping_add_signed(index * *stride as i64)]
            }
            Op::Load { .. } => self.load(operands[0][0], ty(data.results[0])),
            Op::Store { .. } => {
                self.store(operands[0][0], &operands[1], ty(data.operands[1]));
                return None;
            }
            Op::MemoryZero { size, .. } => {
                self.bytes(operands[0][0], *size as usize).fill(0);
                return None;
            }
            Op::MemoryCopy { size, .. } => {
                let copied = self.bytes(operands[1][0], *size as usize).to_vec();
                self.bytes(operands[0][0], *size as usize).copy_from_slice(&copied);
                return None;
            }
            Op::Call(callee) => return self.call(&self.module.functions[*callee], operands.to_vec()),
            Op::Select if operands[0].len() == 1 => operands[if operands[0][0] != 0 { 1 } else { 2 }].clone(),
            op => {
                let constants: Vec<_> = operands.iter().map(|bits| constant(bits)).collect();
                let pairs: Vec<_> = constants
                    .iter()
                    .zip(&data.operands)
                    .map(|(constant, &value)| (constant, ty(value)))
                    .collect();
                let result = ty(data.results[0]);
                let folded =
                    fold::fold(op, &pairs, result).unwrap_or_else(|| panic!("{op:?} is not interpreted"));
                (0..result.lanes() as usize).map(|lane| folded.lane(lane).unwrap()).collect()
            }
        })
    }

    fn bytes(&mut self, pointer: u64, size: usize) -> &mut [u8] {
        let (memory, offset) = ((pointer >> 32) as usize, (pointer & 0xffff_ffff) as usize);
        &mut self.memory[memory][offset..offset + size]
    }

    fn load(&mut self, pointer: u64, ty: Type) -> Bits {
        let scalar = ty.scalar().unwrap_or(Scalar::I64);
        let size = scalar.size() as usize;
        let bytes = self.bytes(pointer, ty.access_size() as usize);
        bytes
            .chunks(size)
            .map(|chunk| {
                let mut bits = [0; 8];
                bits[..size].copy_from_slice(chunk);
                u64::from_le_bytes(bits)
            })
            .collect()
    }

    fn store(&mut self, pointer: u64, value: &[u64], ty: Type) {
        let size = ty.scalar().unwrap_or(Scalar::I64).size() as usize;
        let bytes = self.bytes(pointer, ty.access_size() as usize);
        for (chunk, bits) in bytes.chunks_mut(size).zip(value) {
            chunk.copy_from_slice(&bits.to_le_bytes()[..size]);
        }
    }
}

impl Frame<'_> {
    fn value(&self, value: Value) -> Bits {
        let data = &self.function.values[value];
        match &data.def {
            ValueDef::Constant(constant) => {
                (0..data.ty.lanes() as usize).map(|lane| constant.lane(lane).unwrap_or(0)).collect()
            }
            ValueDef::Global(global) => vec![(0x1000 + global.index() as u64) << 32],
            _ => self
                .values
                .get(&value)
                .unwrap_or_else(|| panic!("{value:?} is used before its definition"))
                .clone(),
        }
    }
}

fn constant(bits: &[u64]) -> Constant {
    if bits.len() == 1 { Constant::Bits(bits[0]) } else { Constant::Lanes(bits.into()) }
}
