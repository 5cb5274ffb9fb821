//! Constructs become statements; their results and parameters become local variables.

use crate::kernel::Kernel;
use clvk_ir::{Inst, Op, Region, Value};
use naga::{Block, Expression, Handle, Span, Statement, SwitchCase, SwitchValue};
use rustc_hash::FxHashMap;

/// The constructs around an instruction.
#[derive(Default)]
struct Walk {
    /// The variables that the results of each construct leave in.
    results: FxHashMap<Inst, Vec<Handle<Expression>>>,
    /// The variables of a loop: what goes round it, and the parameters of its continuing region.
    carried: FxHashMap<Inst, [Vec<Handle<Expression>>; 2]>,
    /// The constructs around the current instruction, and whether it is in the continuing region, from the
    /// outermost one on.
    around: Vec<Inst>,
}

impl Kernel<'_, '_> {
    /// Writes the body.
    pub fn top_region(&mut self, body: Region) -> Block {
        self.region(&mut Walk::default(), body)
    }

    /// Writes a region as a block. The nesting is bounded by the pass `raise-naga`.
    fn region(&mut self, walk: &mut Walk, region: Region) -> Block {
        let outer = std::mem::replace(&mut self.block, Block::new());
        for &inst in &self.function.regions[region].insts {
            match self.function.insts[inst].op {
                Op::If | Op::Loop(_) | Op::Switch(_) | Op::Block => self.construct(walk, inst),
                Op::Exit(_) | Op::Continue(_) | Op::NextIteration | Op::Return | Op::Unreachable => {
                    self.terminator(walk, inst);
                }
                _ => self.instruction(inst),
            }
        }
        std::mem::replace(&mut self.block, outer)
    }

    fn variables(&mut self, values: &[Value], name: &str) -> Vec<Handle<Expression>> {
        let make = |value: &Value| {
            let ty = self.builder.value_type(self.function.ty(*value));
            self.local(name, ty)
        };
        values.iter().map(make).collect()
    }

    fn set(&mut self, variables: &[Handle<Expression>], values: &[Value]) {
        for (&pointer, &value) in variables.iter().zip(values) {
            let value = self.value(value);
            self.statement(Statement::Store { pointer, value });
        }
    }

    fn get(&mut self, variables: &[Handle<Expression>], values: &[Value]) {
        for (&variable, &value) in variables.iter().zip(values) {
            let loaded = self.load(variable);
            self.define(value, loaded);
        }
    }

    fn construct(&mut self, walk: &mut Walk, inst: Inst) {
        let function = self.function;
        let data = &function.insts[inst];
        let results = self.variables(&data.results, "result");
        walk.results.insert(inst, results.clone());
        walk.around.push(inst);
        let statement = match &data.op {
            Op::If => {
                let condition = self.operand(inst, 0);
                let accept = self.region(walk, data.regions[0]);
                let reject = self.region(walk, data.regions[1]);
                Statement::If { condition, accept, reject }
            }
            Op::Loop(_) => self.write_loop(walk, inst),
            Op::Switch(cases) => self.switch(walk, inst, cases),
            _ => {
                let selector = self.word(0);
                let body = self.region(walk, data.regions[0]);
                let only = SwitchCase { value: SwitchValue::Default, body, fall_through: false };
                Statement::Switch { selector, cases: vec![only] }
            }
        };
        walk.around.pop();
        self.statement(statement);
        self.get(&results, &data.results);
    }

    fn write_loop(&mut self, walk: &mut Walk, inst: Inst) -> Statement {
        let function = self.function;
        let data = &function.insts[inst];
        let [body, continuing] = [0, 1].map(|position| data.regions[position]);
        let [params, continued] = [body, continuing].map(|region| &function.regions[region].params);
        let carried = self.variables(params, "carried");
        let entering = self.variables(continued, "next");
        self.set(&carried, &data.operands);
        walk.carried.insert(inst, [carried.clone(), entering.clone()]);
        let body = self.region_with(walk, body, &carried, params);
        let continuing = self.region_with(walk, continuing, &entering, continued);
        Statement::Loop { body, continuing, break_if: None }
    }

    /// A region that begins by reading its parameters.
    fn region_with(
        &mut self,
        walk: &mut Walk,
        region: Region,
        variables: &[Handle<Expression>],
        params: &[Value],
    ) -> Block {
        let outer = std::mem::replace(&mut self.block, Block::new());
        self.get(variables, params);
        let mut block = std::mem::replace(&mut self.block, outer);
        let mut rest = self.region(walk, region);
        block.append(&mut rest);
        block
    }

    fn switch(&mut self, walk: &mut Walk, inst: Inst, cases: &[Box<[u64]>]) -> Statement {
        let selector = self.operand(inst, 0);
        let regions = &self.function.insts[inst].regions;
        let mut written = Vec::new();
        for (labels, &region) in cases.iter().zip(regions) {
            let Some((last, before)) = labels.split_last() else { continue };
            for &label in before {
                let value = SwitchValue::U32(label as u32);
                written.push(SwitchCase { value, body: Block::new(), fall_through: true });
            }
            let body = self.region(walk, region);
            written.push(SwitchCase { value: SwitchValue::U32(*last as u32), body, fall_through: false });
        }
        let default = *regions.last().expect("a switch has a default region");
        let body = self.region(walk, default);
        written.push(SwitchCase { value: SwitchValue::Default, body, fall_through: false });
        Statement::Switch { selector, cases: written }
    }

    fn terminator(&mut self, walk: &mut Walk, inst: Inst) {
        let function = self.function;
        let data = &function.insts[inst];
        let innermost = walk.around.last().copied();
        let is_loop = |construct: Inst| function.insts[construct].op.is_loop();
        match data.op {
            Op::Exit(target) => {
                self.set(&walk.results[&target], &data.operands);
                if is_loop(target) || innermost != Some(target) {
                    self.check_break(walk, target, inst);
                    self.statement(Statement::Break);
                }
            }
            Op::Continue(target) => {
                self.set(&walk.carried[&target][1], &data.operands);
                if innermost != Some(target) {
                    self.statement(Statement::Continue);
                }
            }
            Op::NextIteration => {
                let owner = innermost.expect("a loop owns its continuing region");
                self.set(&walk.carried[&owner][0], &data.operands);
            }
            Op::Return if !walk.around.is_empty() => self.statement(Statement::Return { value: None }),
            Op::Return => {}
            // Never executed; but a loop must not seem to have no end.
            _ => {
                if innermost.is_some_and(is_loop) {
                    self.statement(Statement::Break);
                }
            }
        }
    }

    /// A `break` leaves the innermost construct that it can leave.
    fn check_break(&self, walk: &Walk, target: Inst, inst: Inst) {
        let left = walk.around.iter().rev().find(|around| self.function.insts[**around].op != Op::If);
        if left != Some(&target) {
            self.left(inst);
        }
    }

    /// A loop around a statement whose end is a `break` in it; used where an operation must be tried again.
    pub fn repeat(&mut self, write: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.block, Block::new());
        write(self);
        let body = std::mem::replace(&mut self.block, outer);
        self.statement(Statement::Loop { body, continuing: Block::new(), break_if: None });
    }

    /// Leaves the loop if a condition holds.
    pub fn break_if(&mut self, condition: Handle<Expression>) {
        let mut accept = Block::new();
        accept.push(Statement::Break, Span::UNDEFINED);
        self.statement(Statement::If { condition, accept, reject: Block::new() });
    }
}
