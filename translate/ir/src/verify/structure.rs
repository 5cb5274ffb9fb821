//! Terminators, targets of jumps, and which values are visible where.

use super::{Stage, Verifier, check_value_type};
use crate::{EntityId, Inst, Op, Region, Type, Value, ValueDef};
use smallvec::SmallVec;

/// A region on the path from the function's body to the current instruction.
struct Frame {
    region: Region,
    position: usize,
    /// The instruction whose regions are being walked.
    current: Option<Inst>,
    /// The owner and the region's position among its regions; none for the function's body.
    owner: Option<(Inst, usize)>,
    /// The number of values that were visible before the region.
    visible: usize,
}

/// What is known on the walk through a function.
struct Scope {
    frames: Vec<Frame>,
    /// The visible values that regions define, innermost last.
    visible: Vec<Value>,
    /// For each value, whether it is visible.
    is_visible: Vec<bool>,
    /// For each instruction, the position of the region through which it encloses the current one, from 1; 0
    /// for those that do not.
    encloses: Vec<u32>,
}

impl Scope {
    fn define(&mut self, values: &[Value]) {
        for &value in values {
            self.is_visible[value.index()] = true;
            self.visible.push(value);
        }
    }

    fn enter(&mut self, region: Region, owner: Option<(Inst, usize)>, params: &[Value]) {
        if let Some((inst, place)) = owner {
            self.encloses[inst.index()] = place as u32 + 1;
        }
        self.frames.push(Frame { region, position: 0, current: None, owner, visible: self.visible.len() });
        self.define(params);
    }

    fn leave(&mut self) {
        let Some(frame) = self.frames.pop() else { return };
        for value in self.visible.drain(frame.visible..) {
            self.is_visible[value.index()] = false;
        }
        if let Some((inst, _)) = frame.owner {
            self.encloses[inst.index()] = 0;
        }
    }
}

impl Verifier<'_> {
    /// Walks through the body.
    pub(super) fn structure(&mut self) {
        let function = self.function;
        let Some(body) = function.body else { return };
        if !function.regions[body].params.is_empty() {
            self.report(None, "the body of a function is a region without parameters".into());
        }
        let mut scope = Scope {
            frames: Vec::new(),
            visible: Vec::with_capacity(function.values.len()),
            is_visible: vec![false; function.values.len()],
            encloses: vec![0; function.insts.len()],
        };
        scope.define(&function.params);
        scope.enter(body, None, &[]);
        self.terminator(body, None);
        // The regions of an instruction that remain to be entered, the next one last.
        let mut waiting: Vec<(Region, Inst, usize, usize)> = Vec::new();
        while !scope.frames.is_empty() {
            let depth = scope.frames.len();
            if let Some((region, owner, place, _)) = waiting.pop_if(|(.., at)| *at == depth) {
                self.terminator(region, Some(owner));
                scope.enter(region, Some((owner, place)), &function.regions[region].params);
                continue;
            }
            // The regions of the previous instruction are done: its results are visible from here on.
            if let Some(done) = scope.frames.last_mut().and_then(|frame| frame.current.take()) {
                scope.define(&function.insts[done].results);
            }
            match self.insts(&mut scope) {
                None => scope.leave(),
                Some(inst) => {
                    for (place, &region) in function.insts[inst].regions.iter().enumerate().rev() {
                        waiting.push((region, inst, place, depth));
                    }
                }
            }
        }
    }

    /// Checks the instructions of the innermost region up to one with regions; gives that one.
    fn insts(&mut self, scope: &mut Scope) -> Option<Inst> {
        let function = self.function;
        let frame = scope.frames.last()?;
        let insts = &function.regions[frame.region].insts;
        for (position, &inst) in insts.iter().enumerate().skip(frame.position) {
            self.inst(inst, scope);
            let data = &function.insts[inst];
            if data.regions.is_empty() {
                scope.define(&data.results);
                continue;
            }
            let frame = scope.frames.last_mut()?;
            (frame.position, frame.current) = (position + 1, Some(inst));
            return Some(inst);
        }
        None
    }

    /// A region ends with a terminator and has none before.
    fn terminator(&mut self, region: Region, owner: Option<Inst>) {
        let function = self.function;
        let insts = &function.regions[region].insts;
        match insts.split_last() {
            None => self.report(owner, "a region is empty instead of ending with a terminator".into()),
            Some((&last, before)) => {
                if !function.insts[last].op.is_terminator() {
                    self.report(Some(last), "a region must end with a terminator".into());
                }
                if let Some(&early) = before.iter().find(|&&inst| function.insts[inst].op.is_terminator()) {
                    self.report(Some(early), "nothing may follow a terminator".into());
                }
            }
        }
    }

    fn inst(&mut self, inst: Inst, scope: &Scope) {
        let function = self.function;
        let data = &function.insts[inst];
        if self.stage == Stage::Source && data.op.is_target() {
            self.report(Some(inst), "the front end makes no target operations".into());
        }
        let (operands, results) = (data.operands.as_slice(), data.results.as_slice());
        for &operand in operands {
            if let Err(rule) = self.operand(operand, scope) {
                self.report(Some(inst), rule);
            }
        }
        for &result in results {
            if let Err(rule) = check_value_type(self.ty(result)) {
                self.report(Some(inst), rule);
            }
        }
        let checked = match data.op {
            Op::Exit(_) | Op::Continue(_) | Op::NextIteration | Op::Return => self.jump(inst, scope),
            _ => self.operation(data, operands, results),
        };
        let checked = match self.stage {
            Stage::Raised => checked.and_then(|()| self.raised(data)),
            Stage::RaisedForNaga => checked.and_then(|()| self.raised_for_naga(data)),
            Stage::RaisedForOpenCl => checked.and_then(|()| self.raised_for_opencl(data)),
            Stage::Source | Stage::Any => checked,
        };
        if let Err(rule) = checked {
            self.report(Some(inst), rule);
        }
    }

    /// A used value must be visible, or a valid constant.
    #[inline]
    fn operand(&self, value: Value, scope: &Scope) -> Result<(), String> {
        let data = &self.function.values[value];
        match &data.def {
            ValueDef::Result(..) if scope.is_visible[value.index()] => Ok(()),
            ValueDef::Constant(constant) => super::operations::check_constant(data.ty, constant),
            ValueDef::Global(global) => match self.module.globals.get(*global) {
                None => Err("an operand is the address of no variable of the module".into()),
                Some(global) if data.ty != Type::Pointer(global.space) => {
                    Err(format!("the address of `@{}` is not of type {}", global.name, data.ty))
                }
                Some(_) => Ok(()),
            },
            _ if scope.is_visible[value.index()] => Ok(()),
            _ => Err("an operand is used where its definition does not dominate it".into()),
        }
    }

    /// Checks the targets and operands of instructions that leave a region.
    fn jump(&self, inst: Inst, scope: &Scope) -> Result<(), String> {
        let function = self.function;
        let data = &function.insts[inst];
        if !data.results.is_empty() {
            return Err("a terminator has no results".into());
        }
        let expected: &[Value] = match data.op {
            Op::Exit(target) => {
                if scope.encloses[target.index()] == 0 {
                    return Err("an exit names an instruction around it".into());
                }
                &function.insts[target].results
            }
            Op::Continue(target) => {
                let target_data = &function.insts[target];
                if scope.encloses[target.index()] != 1 || !target_data.op.is_loop() {
                    return Err("a continue names a loop whose body is around it".into());
                }
                &function.regions[target_data.regions[1]].params
            }
            Op::NextIteration => {
                let owner = scope.frames.last().and_then(|frame| frame.owner);
                match owner {
                    Some((owner, 1)) if function.insts[owner].op.is_loop() => {
                        &function.regions[function.insts[owner].regions[0]].params
                    }
                    _ => return Err("`next` ends the continuing region of a loop, not one inside it".into()),
                }
            }
            _ => {
                return self.operand_types(data, &function.results);
            }
        };
        let expected: SmallVec<[Type; 4]> = expected.iter().map(|&value| self.ty(value)).collect();
        self.operand_types(data, &expected)
    }
}
