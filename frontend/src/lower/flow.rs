//! Functions with `goto`, or with case labels inside nested statements of a `switch`.
//!
//! Such a function becomes a graph of basic blocks, which [`structurize`] turns into regions. Statements that
//! no jump enters or leaves keep their structure: each is lowered into a block as usual. Variables are in
//! memory, so values never cross blocks. Functions without such flow are not lowered here.

use super::function::FunctionLowering;
use crate::hir::{CaseValues, Expr, Statement, StatementKind};
use crate::symbol::Symbol;
use clvk_ir::structurize::{Cfg, End, Limits, structurize};
use clvk_ir::{Block, Value};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// Whether a function's flow is unstructured.
pub(super) fn is_unstructured(body: &[Statement]) -> bool {
    let mut jumps = Jumps::default();
    body.iter().for_each(|statement| jumps.add(statement, Around::default()));
    jumps.gotos || jumps.nested_cases
}

/// The jumps in a statement that lead into or out of it.
#[derive(Default)]
struct Jumps {
    gotos: bool,
    labels: bool,
    /// Labels of a `switch` inside a nested statement of its body.
    nested_cases: bool,
    /// Labels of a `switch` around the statement.
    outer_cases: bool,
    /// `break` and `continue` to a statement around it.
    breaks: bool,
}

/// The enclosing constructs of a statement, within the examined one.
#[derive(Clone, Copy, Default)]
struct Around {
    /// A construct that `break` leaves.
    breakable: bool,
    /// A loop.
    loops: bool,
    /// A `switch`; the statement is nested in its body.
    switch: bool,
}

impl Jumps {
    fn of(statement: &Statement) -> Jumps {
        let mut jumps = Jumps::default();
        jumps.add(statement, Around::default());
        jumps
    }

    /// Whether the statement, and everything in it, is only entered at its start and only left at its end or
    /// by `return`.
    fn is_structured(&self) -> bool {
        !(self.gotos || self.labels || self.nested_cases || self.outer_cases || self.breaks)
    }

    fn add(&mut self, statement: &Statement, around: Around) {
        match &statement.kind {
            StatementKind::Goto(_) => self.gotos = true,
            StatementKind::Label(_) => self.labels = true,
            StatementKind::Case { .. } if around.switch => self.nested_cases = true,
            StatementKind::Case { .. } => self.outer_cases = true,
            StatementKind::Break => self.breaks |= !around.breakable,
            StatementKind::Continue => self.breaks |= !around.loops,
            StatementKind::Block(statements) => {
                statements.iter().for_each(|statement| self.add(statement, around))
            }
            StatementKind::If { then, otherwise, .. } => {
                self.add(then, around);
                if let Some(otherwise) = otherwise {
                    self.add(otherwise, around);
                }
            }
            StatementKind::While { body, .. } | StatementKind::DoWhile { body, .. } => {
                self.add(body, Around { breakable: true, loops: true, ..around });
            }
            StatementKind::Switch { body, .. } => {
                let around = Around { breakable: true, switch: true, ..around };
                let statements = match &body.kind {
                    StatementKind::Block(statements) => statements.as_slice(),
                    _ => std::slice::from_ref(&**body),
                };
                let nested = statements.iter().filter(|it| !matches!(it.kind, StatementKind::Case { .. }));
                nested.for_each(|statement| self.add(statement, around));
            }
            StatementKind::Expr(_) | StatementKind::Declare { .. } | StatementKind::Return(_) => {}
        }
    }
}

/// The graph of a function that is being lowered.
struct Flow<'f, 'l, 'p> {
    function: &'f mut FunctionLowering<'l, 'p>,
    cfg: Cfg,
    /// The block that is being filled.
    block: Block,
    labels: FxHashMap<Symbol, Block>,
    /// The targets of `break`, innermost last.
    breaks: Vec<Block>,
    continues: Vec<Block>,
    /// For each `switch`, innermost last: the blocks of its remaining labels.
    cases: Vec<VecDeque<Block>>,
}

impl<'p> FunctionLowering<'_, 'p> {
    /// Lowers a body with unstructured flow.
    pub fn unstructured(&mut self, body: &'p [Statement]) {
        let into = self.region;
        let mut cfg = Cfg::default();
        let block = cfg.add_block(&mut self.function);
        let mut flow = Flow {
            function: self,
            cfg,
            block,
            labels: FxHashMap::default(),
            breaks: Vec::new(),
            continues: Vec::new(),
            cases: Vec::new(),
        };
        flow.start(block);
        flow.statements(body);
        flow.function.end();
        let cfg = flow.cfg;
        self.region = into;
        structurize(&mut self.function, cfg, into, Limits::default());
    }
}

impl<'p> Flow<'_, '_, 'p> {
    fn add(&mut self) -> Block {
        self.cfg.add_block(&mut self.function.function)
    }

    /// Continues in a block.
    fn start(&mut self, block: Block) {
        self.block = block;
        self.function.region = self.cfg.blocks[block].region;
    }

    /// Ends the current block, unless it has ended already.
    fn end(&mut self, end: End) {
        if !self.function.is_terminated() {
            self.cfg.blocks[self.block].end = end;
        }
    }

    /// Ends the current block with a jump; the following code is reached only by labels.
    fn jump(&mut self, target: Block) {
        self.end(End::Jump(target));
        let next = self.add();
        self.start(next);
    }

    /// Ends the current block and continues in the next one.
    fn fall_into(&mut self, next: Block) {
        self.end(End::Jump(next));
        self.start(next);
    }

    fn branch(&mut self, condition: &'p Expr, then: Block, otherwise: Block) {
        let condition = self.function.value(condition);
        self.end(End::Branch { condition, then, otherwise });
    }

    fn label(&mut self, name: Symbol) -> Block {
        match self.labels.get(&name) {
            Some(&block) => block,
            None => {
                let block = self.add();
                self.labels.insert(name, block);
                block
            }
        }
    }

    fn statements(&mut self, statements: &'p [Statement]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &'p Statement) {
        if Jumps::of(statement).is_structured() {
            // Code after a `return` in the same block is not reached.
            if !self.function.is_terminated() {
                self.function.statement(statement);
            }
            return;
        }
        if self.function.is_terminated() {
            // Only the labels in it may be reached.
            let unreached = self.add();
            self.start(unreached);
        }
        let outer = std::mem::replace(&mut self.function.span, statement.span);
        match &statement.kind {
            StatementKind::Block(statements) => self.statements(statements),
            StatementKind::If { condition, then, otherwise } => {
                self.if_statement(condition, then, otherwise.as_deref());
            }
            StatementKind::While { condition, step, body, .. } => {
                self.while_statement(condition.as_ref(), step.as_ref(), body);
            }
            StatementKind::DoWhile { body, condition, .. } => self.do_while(body, condition),
            StatementKind::Switch { selector, body } => self.switch(selector, body),
            StatementKind::Case { .. } => {
                let cases = self.cases.last_mut().expect("the checker refuses labels outside of a switch");
                let block = cases.pop_front().expect("every label of a switch was counted");
                self.fall_into(block);
            }
            StatementKind::Label(name) => {
                let block = self.label(*name);
                self.fall_into(block);
            }
            StatementKind::Goto(name) => {
                let block = self.label(*name);
                self.jump(block);
            }
            StatementKind::Break => {
                let target = *self.breaks.last().expect("the checker refuses break elsewhere");
                self.jump(target);
            }
            StatementKind::Continue => {
                let target = *self.continues.last().expect("the checker refuses continue elsewhere");
                self.jump(target);
            }
            StatementKind::Expr(_) | StatementKind::Declare { .. } | StatementKind::Return(_) => {
                unreachable!("these are structured")
            }
        }
        self.function.span = outer;
    }

    fn if_statement(&mut self, condition: &'p Expr, then: &'p Statement, otherwise: Option<&'p Statement>) {
        let (then_block, end) = (self.add(), self.add());
        let else_block = if otherwise.is_some() { self.add() } else { end };
        self.branch(condition, then_block, else_block);
        self.start(then_block);
        self.statement(then);
        if let Some(otherwise) = otherwise {
            self.end(End::Jump(end));
            self.start(else_block);
            self.statement(otherwise);
        }
        self.fall_into(end);
    }

    fn while_statement(&mut self, condition: Option<&'p Expr>, step: Option<&'p Expr>, body: &'p Statement) {
        let (head, end) = (self.add(), self.add());
        let next = if step.is_some() { self.add() } else { head };
        self.fall_into(head);
        if let Some(condition) = condition {
            let inside = self.add();
            self.branch(condition, inside, end);
            self.start(inside);
        }
        self.loop_body(body, end, next);
        if let Some(step) = step {
            self.fall_into(next);
            self.function.effect(step);
        }
        self.end(End::Jump(head));
        self.start(end);
    }

    fn do_while(&mut self, body: &'p Statement, condition: &'p Expr) {
        let (head, test, end) = (self.add(), self.add(), self.add());
        self.fall_into(head);
        self.loop_body(body, end, test);
        self.fall_into(test);
        self.branch(condition, head, end);
        self.start(end);
    }

    fn loop_body(&mut self, body: &'p Statement, break_to: Block, continue_to: Block) {
        self.breaks.push(break_to);
        self.continues.push(continue_to);
        self.statement(body);
        self.breaks.pop();
        self.continues.pop();
    }

    fn switch(&mut self, selector: &'p Expr, body: &'p Statement) {
        let mut value = self.function.value(selector);
        let mut found = Vec::new();
        case_labels(body, &mut found);
        for &values in &found {
            value = self.function.gather_range(value, values);
        }
        let end = self.add();
        let mut default = end;
        let mut cases = Vec::new();
        let mut blocks = VecDeque::new();
        for values in found {
            let block = self.add();
            blocks.push_back(block);
            match values {
                CaseValues::Default => default = block,
                CaseValues::Range(..) => cases.push((self.labels_of(value, values), block)),
            }
        }
        self.end(End::Switch { selector: value, cases, default });
        // Code before the first label is reached only by `goto`.
        let before = self.add();
        self.start(before);
        self.breaks.push(end);
        self.cases.push(blocks);
        self.statement(body);
        self.cases.pop();
        self.breaks.pop();
        self.fall_into(end);
    }

    fn labels_of(&self, selector: Value, values: &CaseValues) -> Vec<u64> {
        self.function.case_labels(selector, values)
    }
}

/// The labels that belong to a `switch` with this body, in order.
fn case_labels<'p>(statement: &'p Statement, found: &mut Vec<&'p CaseValues>) {
    match &statement.kind {
        StatementKind::Case { values } => found.push(values),
        StatementKind::Block(statements) => {
            statements.iter().for_each(|statement| case_labels(statement, found))
        }
        StatementKind::If { then, otherwise, .. } => {
            case_labels(then, found);
            if let Some(otherwise) = otherwise {
                case_labels(otherwise, found);
            }
        }
        StatementKind::While { body, .. } | StatementKind::DoWhile { body, .. } => case_labels(body, found),
        _ => {}
    }
}
