//! A work-item: its values, its position, and control flow.
//!
//! The position is an explicit stack of regions rather than the call stack, so a work-item can stop wherever
//! it has to wait.

use super::memory::Kind;
use super::query::Ids;
use super::{Bits, Fault, MOST_STEPS, Machine, compute, index};
use clvk_ir::{Constant, Function, Inst, InstData, Op, Region, SubGroupOp, Type, Value, ValueDef};
use std::collections::HashMap;

/// Whether a work-item can continue.
#[derive(Clone, Debug, PartialEq)]
pub enum State {
    Running,
    /// It waits at a barrier of its work-group.
    AtBarrier(Inst),
    /// It waits for its sub-group, with the value that it contributes.
    InSubGroup {
        inst: Inst,
        op: Option<SubGroupOp>,
        operands: Vec<Bits>,
    },
    Done,
}

/// A region being executed.
struct Level {
    region: Region,
    next: usize,
    /// The construct that owns it.
    owner: Option<Inst>,
}

/// A function being executed.
pub struct Frame<'m> {
    pub function: &'m Function,
    /// By value index; no lanes before it is defined.
    values: Vec<Bits>,
    levels: Vec<Level>,
    pub allocas: HashMap<Inst, u64>,
    /// Addresses of the function's typed variables.
    pub variables: Vec<Option<u64>>,
    /// The call that it returns to.
    call: Option<Inst>,
}

pub struct Item<'m> {
    pub ids: Ids,
    pub state: State,
    frames: Vec<Frame<'m>>,
    /// Addresses of the module's variables in local memory.
    pub locals: HashMap<clvk_ir::Global, u64>,
    /// Addresses of the local memory that several functions use, by name.
    pub shared: HashMap<&'m str, u64>,
}

impl<'m> Frame<'m> {
    fn new(function: &'m Function, arguments: Vec<Bits>, call: Option<Inst>) -> Result<Frame<'m>, Fault> {
        let body = function.body.ok_or_else(|| format!("`{}` has no body", function.name))?;
        let mut values = vec![Bits::new(); function.values.len()];
        for (&param, argument) in function.params.iter().zip(arguments) {
            values[index(param)] = argument;
        }
        let levels = vec![Level { region: body, next: 0, owner: None }];
        let variables = vec![None; function.variables.len()];
        Ok(Frame { function, values, levels, allocas: HashMap::new(), variables, call })
    }

    fn set(&mut self, values: &[Value], bits: Vec<Bits>) -> Result<(), Fault> {
        if values.len() != bits.len() {
            return Err(format!("{} values are given for {}", bits.len(), values.len()));
        }
        for (&value, bits) in values.iter().zip(bits) {
            self.values[index(value)] = bits;
        }
        Ok(())
    }

    fn enter(&mut self, region: Region, owner: Option<Inst>, params: Vec<Bits>) -> Result<(), Fault> {
        let function = self.function;
        self.set(&function.regions[region].params, params)?;
        self.levels.push(Level { region, next: 0, owner });
        Ok(())
    }
}

impl<'m> Item<'m> {
    /// A work-item at the beginning of a kernel.
    pub fn new(function: &'m Function, arguments: Vec<Bits>, ids: Ids) -> Result<Item<'m>, Fault> {
        let frames = vec![Frame::new(function, arguments, None)?];
        Ok(Item { ids, state: State::Running, frames, locals: HashMap::new(), shared: HashMap::new() })
    }

    /// The function being executed.
    pub fn frame(&mut self) -> &mut Frame<'m> {
        self.frames.last_mut().expect("a work-item that is not done executes a function")
    }

    /// Defines the results of an instruction.
    pub fn define(&mut self, inst: Inst, bits: Vec<Bits>) -> Result<(), Fault> {
        let frame = self.frame();
        let function = frame.function;
        frame.set(&function.insts[inst].results, bits)
    }
}

impl<'m> Machine<'m> {
    /// The bits of an operand.
    fn operand(&self, item: &Item<'m>, value: Value) -> Result<Bits, Fault> {
        let frame = item.frames.last().expect("a work-item that is not done executes a function");
        let data = &frame.function.values[value];
        let lanes = data.ty.lanes() as usize;
        Ok(match &data.def {
            ValueDef::Constant(Constant::Undef) => {
                (0..lanes).map(|lane| self.undefined_lane(data.ty, lane)).collect()
            }
            ValueDef::Constant(constant) => {
                (0..lanes).map(|lane| constant.lane(lane).expect("each lane is a number")).collect()
            }
            ValueDef::Global(global) => {
                let address = self.globals.get(global).or_else(|| item.locals.get(global));
                Bits::from_slice(&[*address.ok_or("a variable has no place")?])
            }
            _ => {
                let bits = frame.values[index(value)].clone();
                if bits.is_empty() {
                    return Err(format!("{value:?} is used before it is defined"));
                }
                bits
            }
        })
    }

    fn undefined_lane(&self, ty: Type, lane: usize) -> u64 {
        (self.any() >> lane) & compute::scalar(ty).mask()
    }

    /// Executes one instruction.
    pub fn step(&mut self, item: &mut Item<'m>) -> Result<(), Fault> {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return Err("it does not end".to_owned());
        }
        let frame = item.frame();
        let function = frame.function;
        let level = frame.levels.last_mut().ok_or("it goes on after its end")?;
        let region = &function.regions[level.region];
        let inst = *region.insts.get(level.next).ok_or("a region has no terminator")?;
        level.next += 1;
        let data = &function.insts[inst];
        let operands: Vec<Bits> =
            data.operands.iter().map(|&operand| self.operand(item, operand)).collect::<Result<_, _>>()?;
        if data.op.is_terminator() || data.op.has_regions() {
            return self.control(item, inst, data, operands);
        }
        match &data.op {
            Op::Call(callee) => {
                let frame = Frame::new(&self.module.functions[*callee], operands, Some(inst))?;
                item.frames.push(frame);
            }
            Op::Barrier { execution: clvk_ir::Scope::SubGroup, .. } => {
                item.state = State::InSubGroup { inst, op: None, operands };
            }
            Op::Barrier { .. } => item.state = State::AtBarrier(inst),
            Op::SubGroup(op) => item.state = State::InSubGroup { inst, op: Some(*op), operands },
            _ => {
                let results = self.execute(item, inst, data, &operands)?;
                item.define(inst, results)?;
            }
        }
        Ok(())
    }

    fn control(
        &mut self,
        item: &mut Item<'m>,
        inst: Inst,
        data: &'m InstData,
        operands: Vec<Bits>,
    ) -> Result<(), Fault> {
        let frame = item.frame();
        let function = frame.function;
        match &data.op {
            Op::If => {
                let taken = data.regions[usize::from(operands[0][0] == 0)];
                frame.enter(taken, Some(inst), Vec::new())
            }
            Op::Switch(labels) => {
                let taken = labels.iter().position(|labels| labels.contains(&operands[0][0]));
                frame.enter(data.regions[taken.unwrap_or(labels.len())], Some(inst), Vec::new())
            }
            Op::Block | Op::Loop(_) => frame.enter(data.regions[0], Some(inst), operands),
            Op::Exit(target) => {
                self.leave(item, *target)?;
                item.define(*target, operands)
            }
            Op::Continue(target) => {
                self.leave(item, *target)?;
                item.frame().enter(function.insts[*target].regions[1], Some(*target), operands)
            }
            Op::NextIteration => {
                let owner = frame.levels.last().and_then(|level| level.owner);
                let owner = owner.ok_or("an iteration ends outside of loops")?;
                self.leave(item, owner)?;
                item.frame().enter(function.insts[owner].regions[0], Some(owner), operands)
            }
            Op::Return => {
                let call = frame.call;
                item.frames.pop();
                match call {
                    Some(call) => item.define(call, operands),
                    None => {
                        item.state = State::Done;
                        Ok(())
                    }
                }
            }
            _ => Err("unreachable code is reached".to_owned()),
        }
    }

    /// Leaves regions up to one of a construct.
    fn leave(&self, item: &mut Item<'m>, target: Inst) -> Result<(), Fault> {
        let frame = item.frame();
        while let Some(level) = frame.levels.pop() {
            if level.owner == Some(target) {
                return Ok(());
            }
        }
        Err("a construct is left from outside".to_owned())
    }

    /// Executes an instruction that neither moves the work-item nor makes it wait.
    fn execute(
        &mut self,
        item: &mut Item<'m>,
        inst: Inst,
        data: &InstData,
        operands: &[Bits],
    ) -> Result<Vec<Bits>, Fault> {
        let function = item.frame().function;
        let one = |bits: u64| Ok(vec![Bits::from_slice(&[bits])]);
        match &data.op {
            Op::Alloca { size, .. } => {
                let known = item.frame().allocas.get(&inst).copied();
                let address = known.unwrap_or_else(|| {
                    let bytes = self.undefined(*size as usize);
                    self.memory.add(Kind::Private, bytes)
                });
                item.frame().allocas.insert(inst, address);
                one(address)
            }
            Op::WorkItem(query) => {
                let dimension = operands.first().map(|bits| bits[0]);
                one(self.query(item, *query, dimension)?)
            }
            Op::Input(input) => Ok(vec![self.input(item, *input)]),
            Op::PushConstant { offset } => {
                let ty = function.ty(data.results[0]);
                let bytes = self.passed.push_constants(*offset, ty.access_size())?;
                Ok(vec![compute_lanes(ty, bytes)])
            }
            Op::KernelNumber(_) | Op::PrintNumber(_) | Op::Fence { .. } if data.results.is_empty() => {
                Ok(Vec::new())
            }
            op if super::access::is_access(op) => self.access(item, inst, data, operands),
            op => {
                let result =
                    function.ty(*data.results.first().ok_or_else(|| format!("{op:?} is not interpreted"))?);
                let typed: Vec<(Bits, Type)> = operands
                    .iter()
                    .zip(&data.operands)
                    .map(|(bits, &value)| (bits.clone(), function.ty(value)))
                    .collect();
                let (mut count, machine) = (0, &*self);
                let mut any = || {
                    count += 1;
                    machine.any().rotate_left(count)
                };
                Ok(vec![compute::compute(op, &typed, result, &mut any)?])
            }
        }
    }
}

/// The lanes of a value in memory.
pub fn compute_lanes(ty: Type, bytes: &[u8]) -> Bits {
    bytes.chunks(compute::scalar(ty).size() as usize).map(compute::from_bytes).collect()
}
