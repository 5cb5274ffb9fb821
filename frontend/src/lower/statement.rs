//! Statements.

use super::function::{ContinueTarget, FunctionLowering, JumpTargets};
use crate::hir::{Expr, Initializer, LocalId, Part, Statement, StatementKind};
use clvk_ir::{Inst, Op, UnrollHint, Value};

impl<'p> FunctionLowering<'_, 'p> {
    pub fn statements(&mut self, statements: &'p [Statement]) {
        for statement in statements {
            // Code after a jump is not reached: `flow` lowers functions with labels that are jumped to.
            if self.is_terminated() {
                break;
            }
            self.statement(statement);
        }
    }

    /// Lowers a statement that no jump enters, and that only jumps to its own parts and to known targets.
    pub fn statement(&mut self, statement: &'p Statement) {
        let outer = std::mem::replace(&mut self.span, statement.span);
        self.unordered.leave(0);
        match &statement.kind {
            StatementKind::Expr(expr) => self.effect(expr),
            StatementKind::Declare { local, initializer } => {
                if let Some(initializer) = initializer {
                    self.initialize(*local, initializer);
                }
            }
            StatementKind::Block(statements) => self.statements(statements),
            StatementKind::If { condition, then, otherwise } => {
                self.if_statement(condition, then, otherwise.as_deref())
            }
            StatementKind::While { condition, step, body, unroll } => {
                self.while_statement(condition.as_ref(), step.as_ref(), body, *unroll);
            }
            StatementKind::DoWhile { body, condition, unroll } => self.do_while(body, condition, *unroll),
            StatementKind::Switch { selector, body } => self.switch(selector, body),
            // `switch` consumes its labels, and `flow` those of nested statements.
            StatementKind::Case { .. } => unreachable!("a case label inside a nested statement"),
            StatementKind::Goto(_) => {
                unreachable!("a goto in a function that is lowered as it is structured")
            }
            StatementKind::Label(_) => {}
            StatementKind::Break => {
                let target =
                    self.targets.break_to.expect("the checker refuses break outside of loops and switches");
                self.exit(target, &[]);
            }
            StatementKind::Continue => self.continue_statement(),
            StatementKind::Return(value) => self.return_statement(value.as_ref()),
        }
        self.span = outer;
    }

    /// Initialises a variable.
    pub fn initialize(&mut self, local: LocalId, initializer: &'p Initializer) {
        let address = self.local(local);
        let data = &self.hir.locals[local.0 as usize];
        let (size, align) = (self.lowering.layout(data.ty.ty).0, data.align);
        match initializer {
            Initializer::Value(value) => {
                self.store_expr(address, value, align, data.ty.qualifiers.is_volatile)
            }
            Initializer::Parts { parts, zero_rest } => {
                if *zero_rest {
                    self.push(Op::MemoryZero { size, align }, &[address], &[]);
                }
                parts.iter().for_each(|part| self.initialize_part(address, align, part));
            }
        }
    }

    fn initialize_part(&mut self, address: Value, align: u32, part: &'p Part) {
        if part.repeats.is_empty() {
            let target = self.build().pointer_offset(address, part.offset as i64);
            self.store_expr(target, &part.value, align_at(align, part.offset), false);
            return;
        }
        if self.lowering.is_record(part.value.ty) {
            let (source, source_align) = self.record(&part.value);
            for offset in part.offsets() {
                let target = self.build().pointer_offset(address, offset as i64);
                self.copy(target, align_at(align, offset), source, source_align, part.value.ty);
            }
        } else {
            let value = self.value(&part.value);
            for offset in part.offsets() {
                let target = self.build().pointer_offset(address, offset as i64);
                self.store_value(target, value, align_at(align, offset), false);
            }
        }
    }

    fn if_statement(&mut self, condition: &'p Expr, then: &'p Statement, otherwise: Option<&'p Statement>) {
        let condition = self.value(condition);
        let (inst, regions) = self.construct(Op::If, &[condition], &[], 2);
        self.within(regions[0], |this| {
            this.statement(then);
            this.exit(inst, &[]);
        });
        self.within(regions[1], |this| {
            if let Some(otherwise) = otherwise {
                this.statement(otherwise);
            }
            this.exit(inst, &[]);
        });
    }

    /// Leaves `target` unless the condition holds.
    fn exit_unless(&mut self, condition: &'p Expr, target: Inst) {
        let condition = self.value(condition);
        let (inst, regions) = self.construct(Op::If, &[condition], &[], 2);
        self.within(regions[0], |this| this.exit(inst, &[]));
        self.within(regions[1], |this| this.exit(target, &[]));
    }

    fn while_statement(
        &mut self,
        condition: Option<&'p Expr>,
        step: Option<&'p Expr>,
        body: &'p Statement,
        unroll: UnrollHint,
    ) {
        let (inst, regions) = self.construct(Op::Loop(unroll), &[], &[], 2);
        let outer = self.enter_loop(inst, ContinueTarget::Loop(inst));
        self.within(regions[0], |this| {
            if let Some(condition) = condition {
                this.exit_unless(condition, inst);
            }
            this.statement(body);
            this.end_iteration(inst);
        });
        self.targets = outer;
        self.within(regions[1], |this| {
            if let Some(step) = step {
                this.effect(step);
            }
            this.push(Op::NextIteration, &[], &[]);
        });
    }

    fn do_while(&mut self, body: &'p Statement, condition: &'p Expr, unroll: UnrollHint) {
        let (inst, regions) = self.construct(Op::Loop(unroll), &[], &[], 2);
        self.within(regions[0], |this| {
            if contains_continue(body) {
                let (block, inner) = this.construct(Op::Block, &[], &[], 1);
                let outer = this.enter_loop(inst, ContinueTarget::Block(block));
                this.within(inner[0], |this| {
                    this.statement(body);
                    this.exit(block, &[]);
                });
                this.targets = outer;
            } else {
                let outer = this.enter_loop(inst, ContinueTarget::Loop(inst));
                this.statement(body);
                this.targets = outer;
            }
            if !this.is_terminated() {
                this.exit_unless(condition, inst);
            }
            this.end_iteration(inst);
        });
        self.within(regions[1], |this| {
            this.push(Op::NextIteration, &[], &[]);
        });
    }

    fn enter_loop(&mut self, inst: Inst, continue_to: ContinueTarget) -> JumpTargets {
        let inner = JumpTargets { break_to: Some(inst), continue_to: Some(continue_to) };
        std::mem::replace(&mut self.targets, inner)
    }

    fn end_iteration(&mut self, inst: Inst) {
        if !self.is_terminated() {
            self.push(Op::Continue(inst), &[], &[]);
        }
    }

    fn continue_statement(&mut self) {
        match self.targets.continue_to.expect("the checker refuses continue outside of loops") {
            ContinueTarget::Loop(inst) => self.end_iteration(inst),
            ContinueTarget::Block(inst) => self.exit(inst, &[]),
        }
    }

    fn return_statement(&mut self, value: Option<&'p Expr>) {
        match (value, self.result_pointer) {
            (None, _) => self.leave(),
            (Some(value), Some(pointer)) => {
                let align = self.lowering.layout(self.hir.result).1;
                self.store_expr(pointer, value, align, false);
                self.leave();
            }
            (Some(value), None) if self.function.results.is_empty() => {
                self.effect(value);
                self.leave();
            }
            (Some(value), None) => {
                let value = self.value(value);
                self.push(Op::Return, &[value], &[]);
            }
        }
    }
}

/// The known alignment at an offset from an aligned address.
pub(super) fn align_at(align: u32, offset: u64) -> u32 {
    if offset == 0 { align } else { align.min(1 << offset.trailing_zeros().min(31)) }
}

/// Whether a `continue` in a statement belongs to the loop around it.
fn contains_continue(statement: &Statement) -> bool {
    match &statement.kind {
        StatementKind::Continue => true,
        StatementKind::Block(statements) => statements.iter().any(contains_continue),
        StatementKind::If { then, otherwise, .. } => {
            contains_continue(then) || otherwise.as_deref().is_some_and(contains_continue)
        }
        StatementKind::Switch { body, .. } => contains_continue(body),
        _ => false,
    }
}
