//! `switch`.
//!
//! The body is cut into groups at its labels. Groups that end with a jump become regions of an
//! [`Op::Switch`]. Groups that fall through into each other form a chain, which is one region. Inside it, a
//! second switch computes the number of the group to start with, and each group is executed if that number is
//! not greater than its own. So thousands of cases that fall through nest only two deep.

use super::function::FunctionLowering;
use crate::hir::{CaseValues, Expr, Statement, StatementKind};
use clvk_ir::{BinaryOp, CompareOp, Op, Type, Value};

/// Ranges of at most this many values become single labels; for longer ones, the selector is compared with
/// the range.
const LABELS: i128 = 256;

/// Statements that follow one or more labels.
struct Group<'p> {
    labels: Vec<u64>,
    is_default: bool,
    statements: &'p [Statement],
}

impl<'p> FunctionLowering<'_, 'p> {
    pub fn switch(&mut self, selector: &'p Expr, body: &'p Statement) {
        let mut value = self.value(selector);
        let statements = match &body.kind {
            StatementKind::Block(statements) => statements.as_slice(),
            _ => std::slice::from_ref(body),
        };
        for statement in statements {
            if let StatementKind::Case { values } = &statement.kind {
                value = self.gather_range(value, values);
            }
        }
        let groups = self.groups(statements, value);
        let chains = chains(groups);
        let default = chains.iter().position(|chain| chain.iter().any(|group| group.is_default));
        let labels: Box<[Box<[u64]>]> = chains
            .iter()
            .enumerate()
            .filter(|(index, _)| Some(*index) != default)
            .map(|(_, chain)| chain.iter().flat_map(|group| group.labels.iter().copied()).collect())
            .collect();
        let count = labels.len();
        let (inst, regions) = self.construct(Op::Switch(labels), &[value], &[], count + 1);
        let outer = self.targets;
        self.targets.break_to = Some(inst);
        let mut next = regions.iter();
        for (index, chain) in chains.iter().enumerate() {
            let region =
                if Some(index) == default { regions[count] } else { *next.next().expect("a region a chain") };
            self.within(region, |this| {
                this.chain(chain, value);
                this.exit(inst, &[]);
            });
        }
        self.targets = outer;
        if default.is_none() {
            self.within(regions[count], |this| this.exit(inst, &[]));
        }
    }

    /// The selector, with every value of a long range replaced by the range's first value, which then is the
    /// range's only label.
    pub fn gather_range(&mut self, selector: Value, values: &CaseValues) -> Value {
        let CaseValues::Range(low, high) = *values else { return selector };
        if high - low < LABELS {
            return selector;
        }
        let ty = self.function.ty(selector);
        let first = self.function.int(ty, low as i64);
        let length = self.function.int(ty, (high - low) as i64);
        let mut build = self.build();
        let distance = build.binary(BinaryOp::Sub, selector, first);
        let within = build.compare(CompareOp::ULe, distance, length);
        build.select(within, first, selector)
    }

    /// The labels of a case, as bit patterns of the selector's type; none for `default`.
    pub fn case_labels(&self, selector: Value, values: &CaseValues) -> Vec<u64> {
        let mask = self.function.ty(selector).scalar().expect("selectors are integers").mask();
        match *values {
            CaseValues::Default => Vec::new(),
            CaseValues::Range(low, high) if high - low >= LABELS => vec![low as u64 & mask],
            CaseValues::Range(low, high) => (low..=high).map(|value| value as u64 & mask).collect(),
        }
    }

    /// Cuts the body at its labels. Code before the first label is never executed.
    fn groups(&self, statements: &'p [Statement], selector: Value) -> Vec<Group<'p>> {
        let mut groups: Vec<Group<'p>> = Vec::new();
        let mut position = 0;
        while position < statements.len() {
            let mut group = Group { labels: Vec::new(), is_default: false, statements: &[] };
            let first = position;
            while let Some(StatementKind::Case { values }) =
                statements.get(position).map(|statement| &statement.kind)
            {
                group.is_default |= matches!(values, CaseValues::Default);
                group.labels.extend(self.case_labels(selector, values));
                position += 1;
            }
            let labelled = position > first;
            let start = position;
            while position < statements.len()
                && !matches!(statements[position].kind, StatementKind::Case { .. })
            {
                position += 1;
            }
            group.statements = &statements[start..position];
            if labelled {
                groups.push(group);
            }
        }
        groups
    }

    fn chain(&mut self, chain: &[Group<'p>], selector: Value) {
        let Some((last, others)) = chain.split_last() else { return };
        if others.is_empty() {
            self.statements(last.statements);
            return;
        }
        let start = self.start_of(chain, selector);
        for (index, group) in others.iter().enumerate() {
            let index = self.function.int(Type::I32, index as i64);
            let condition = self.build().compare(CompareOp::ULe, start, index);
            let (inst, regions) = self.construct(Op::If, &[condition], &[], 2);
            self.within(regions[0], |this| {
                this.statements(group.statements);
                this.exit(inst, &[]);
            });
            self.within(regions[1], |this| this.exit(inst, &[]));
        }
        self.statements(last.statements);
    }

    /// The group of a chain that the selector selects.
    fn start_of(&mut self, chain: &[Group<'p>], selector: Value) -> Value {
        // A label of the chain that is not listed can only be the default one.
        let default = chain.iter().position(|group| group.is_default).unwrap_or(0);
        let listed: Vec<usize> = (0..chain.len()).filter(|&index| index != default).collect();
        let labels = listed.iter().map(|&index| chain[index].labels.iter().copied().collect()).collect();
        let (switch, regions) =
            self.construct(Op::Switch(labels), &[selector], &[Type::I32], listed.len() + 1);
        for (&region, &index) in regions.iter().zip(listed.iter().chain([&default])) {
            let index = self.function.int(Type::I32, index as i64);
            self.within(region, |this| this.exit(switch, &[index]));
        }
        self.function.insts[switch].results[0]
    }
}

/// Joins the groups that fall through into the next one.
fn chains(groups: Vec<Group<'_>>) -> Vec<Vec<Group<'_>>> {
    let mut chains: Vec<Vec<Group<'_>>> = Vec::new();
    let mut falls = false;
    for group in groups {
        let ends = ends_with_jump(group.statements);
        match chains.last_mut() {
            Some(chain) if falls => chain.push(group),
            _ => chains.push(vec![group]),
        }
        falls = !ends;
    }
    chains
}

/// Whether control never reaches the end of the statements, because they end with a jump.
fn ends_with_jump(statements: &[Statement]) -> bool {
    match statements.last().map(|statement| &statement.kind) {
        Some(StatementKind::Break | StatementKind::Continue | StatementKind::Return(_)) => true,
        Some(StatementKind::Block(inner)) => ends_with_jump(inner),
        Some(StatementKind::If { then, otherwise: Some(otherwise), .. }) => {
            ends_with_jump(std::slice::from_ref(then)) && ends_with_jump(std::slice::from_ref(otherwise))
        }
        _ => false,
    }
}
