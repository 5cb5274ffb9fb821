//! Accesses of one expression that nothing orders (C99 §6.5 paragraph 2, C++17 [intro.execution]): the same
//! object is changed twice, or changed and used, and the language leaves open which comes first, as in
//! `i = i++ + i` and, if `i` is `j`, in `a[i] = a[j]++`.
//!
//! Whole variables are followed and, if that is asked for, what pointers reach, elements of arrays among it.
//! Members and lanes of variables are not. The accesses that a called function makes itself are not seen.

use super::{
    ArithmeticOp, ComparisonOp, Constant, Expr, ExprKind, GlobalId, Initializer, LocalId, Place, PlaceKind,
    Statement, StatementKind,
};
use crate::Span;
use smallvec::{SmallVec, smallvec};

/// What a language orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rules {
    /// Operands are evaluated in any order, and changes may come late.
    C,
    /// The same, but the right operand of an assignment comes before the left one, the left one of a shift
    /// before the right one, and the parts of an initialiser one after the other.
    Cxx,
}

/// A variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variable {
    /// A parameter or automatic variable.
    Local(LocalId),
    /// A variable of static storage duration.
    Global(GlobalId),
}

/// What is accessed.
#[derive(Clone, Copy, Debug)]
pub enum Object<'e> {
    /// A whole variable.
    Variable(Variable),
    /// Something that a pointer reaches.
    Reached(&'e Place),
}

/// An access.
#[derive(Clone, Copy, Debug)]
pub struct Use<'e> {
    /// To what.
    pub object: Object<'e>,
    /// Where.
    pub span: Span,
    /// Whether it changes the object.
    pub changes: bool,
}

type Uses<'e> = Vec<Use<'e>>;
/// Expressions within another one, few of them.
type Parts<'e> = SmallVec<[&'e Expr; 4]>;

/// What the evaluation of an expression does.
#[derive(Default)]
struct Effects<'e> {
    reads: Uses<'e>,
    /// Changes that are complete before the expression has its value.
    done: Uses<'e>,
    /// Changes that may be made after that.
    pending: Uses<'e>,
}

impl<'e> Effects<'e> {
    /// Both.
    fn with(mut self, other: Effects<'e>) -> Effects<'e> {
        join(&mut self.reads, other.reads);
        join(&mut self.done, other.done);
        join(&mut self.pending, other.pending);
        self
    }

    /// The same, before a sequence point.
    fn completed(mut self) -> Effects<'e> {
        join(&mut self.done, std::mem::take(&mut self.pending));
        self
    }

    fn changes(&self) -> impl Iterator<Item = &Use<'e>> {
        self.done.iter().chain(&self.pending)
    }

    fn uses(&self) -> impl Iterator<Item = &Use<'e>> {
        self.changes().chain(&self.reads)
    }
}

/// Adds the shorter list to the longer one.
fn join<'e>(to: &mut Uses<'e>, mut from: Uses<'e>) {
    if from.len() > to.len() {
        std::mem::swap(to, &mut from);
    }
    to.append(&mut from);
}

/// A place that is a whole variable.
#[must_use]
pub fn variable(place: &Place) -> Option<Variable> {
    match place.kind {
        PlaceKind::Local(local) => Some(Variable::Local(local)),
        PlaceKind::Global(global) => Some(Variable::Global(global)),
        _ => None,
    }
}

/// Whether a pointer reaches a place.
fn is_reached(place: &Place) -> bool {
    match &place.kind {
        PlaceKind::Deref(_) => true,
        PlaceKind::Member(whole, _) | PlaceKind::Swizzle(whole, _) => is_reached(whole),
        _ => false,
    }
}

/// The place that an expression changes.
#[must_use]
pub fn changed(expr: &Expr) -> Option<&Place> {
    match &expr.kind {
        ExprKind::Assign { target, .. }
        | ExprKind::CompoundAssign { target, .. }
        | ExprKind::Increment { target, .. } => Some(target),
        _ => None,
    }
}

/// The expressions that an initialiser evaluates.
fn values(initializer: &Initializer) -> Parts<'_> {
    match initializer {
        Initializer::Value(value) => smallvec![value],
        Initializer::Parts { parts, .. } => parts.iter().map(|part| &part.value).collect(),
    }
}

/// Adds the expressions that say which object a place is.
fn push_parts_of_place<'e>(place: &'e Place, parts: &mut Parts<'e>) {
    match &place.kind {
        PlaceKind::Local(_) | PlaceKind::Global(_) => {}
        PlaceKind::Deref(pointer) => parts.push(pointer),
        PlaceKind::Member(whole, _) | PlaceKind::Swizzle(whole, _) => push_parts_of_place(whole, parts),
        PlaceKind::MatrixElement(whole, index) => {
            push_parts_of_place(whole, parts);
            parts.push(index);
        }
        PlaceKind::CompoundLiteral(_, initializer) => parts.extend(values(initializer)),
    }
}

/// The expressions directly within one, but not statements.
fn parts(expr: &Expr) -> Parts<'_> {
    let mut parts = Parts::new();
    match &expr.kind {
        ExprKind::Constant(_) | ExprKind::Statements { .. } => {}
        ExprKind::Load(place) | ExprKind::AddressOf(place) | ExprKind::Increment { target: place, .. } => {
            push_parts_of_place(place, &mut parts);
        }
        ExprKind::Negate(operand)
        | ExprKind::BitNot(operand)
        | ExprKind::LogicalNot(operand)
        | ExprKind::Convert { operand, .. }
        | ExprKind::Swizzle { vector: operand, .. }
        | ExprKind::MemberOf { value: operand, .. } => parts.push(operand),
        ExprKind::Arithmetic { left, right, .. }
        | ExprKind::Compare { left, right, .. }
        | ExprKind::Logical { left, right, .. }
        | ExprKind::PointerAdd { pointer: left, index: right, .. }
        | ExprKind::PointerDifference { left, right }
        | ExprKind::Comma(left, right) => parts.extend([&**left, &**right]),
        ExprKind::Conditional { condition, then, otherwise }
        | ExprKind::VectorSelect { condition, then, otherwise } => {
            parts.extend([&**condition, &**then, &**otherwise]);
        }
        ExprKind::Assign { target, value } | ExprKind::CompoundAssign { target, value, .. } => {
            push_parts_of_place(target, &mut parts);
            parts.push(value);
        }
        ExprKind::Block(block) => {
            parts.extend(block.captures.iter().filter_map(|capture| capture.value.as_ref()));
        }
        ExprKind::Call { arguments, .. } | ExprKind::VectorLiteral(arguments) => parts.extend(arguments),
        ExprKind::Builtin(call) => parts.extend(&call.arguments),
        ExprKind::Shuffle { vectors, .. } => parts.extend(&**vectors),
    }
    parts
}

/// The changes within an expression, at least two if it contains statements.
fn changes(expr: &Expr) -> usize {
    let own = match &expr.kind {
        ExprKind::Statements { .. } => 2,
        _ => usize::from(changed(expr).is_some()),
    };
    parts(expr).into_iter().fold(own, |sum, part| sum + changes(part))
}

/// The values of a compound literal.
fn literal(expr: &Expr) -> Option<Parts<'_>> {
    match &expr.kind {
        ExprKind::Load(Place { kind: PlaceKind::CompoundLiteral(_, initializer), .. })
        | ExprKind::AddressOf(Place { kind: PlaceKind::CompoundLiteral(_, initializer), .. }) => {
            Some(values(initializer))
        }
        _ => None,
    }
}

/// The truth value that a condition always has.
fn known(expr: &Expr) -> Option<bool> {
    match &expr.kind {
        ExprKind::Constant(Constant::Bits(bits)) => Some(*bits != 0),
        ExprKind::Convert { operand, .. } => known(operand),
        ExprKind::Compare { op, left, right } => match (op, &left.kind, &right.kind) {
            (ComparisonOp::Equal, ExprKind::Constant(left), ExprKind::Constant(right)) => Some(left == right),
            (ComparisonOp::NotEqual, ExprKind::Constant(left), ExprKind::Constant(right)) => {
                Some(left != right)
            }
            _ => None,
        },
        _ => None,
    }
}

/// Looks for accesses that nothing orders.
pub struct Search<'f, 'e> {
    /// What the language orders.
    pub rules: Rules,
    /// Whether to look at what pointers reach instead of variables.
    pub reached: bool,
    /// Gets each two such accesses of what is, or may be, the same object. The first one changes it.
    pub found: &'f mut dyn FnMut(Use<'e>, Use<'e>, Around),
    /// The full expression that is looked at.
    full: Span,
}

/// Where two accesses meet.
#[derive(Clone, Copy, Debug)]
pub struct Around {
    /// The expression whose parts they are in.
    pub whole: Span,
    /// The full expression.
    pub full: Span,
}

impl<'f, 'e> Search<'f, 'e> {
    /// A search by these rules, of variables or of what pointers reach.
    pub fn new(rules: Rules, reached: bool, found: &'f mut dyn FnMut(Use<'e>, Use<'e>, Around)) -> Self {
        Search { rules, reached, found, full: Span::NONE }
    }

    /// Looks at a full expression.
    pub fn expression(&mut self, expr: &'e Expr) {
        // A single change that is the last thing that happens is ordered after everything else.
        if changes(expr) > usize::from(changed(expr).is_some()) {
            let outer = std::mem::replace(&mut self.full, expr.span);
            self.effects(expr);
            self.full = outer;
        }
    }

    /// Looks at an initialiser. In C its parts are evaluated in any order, though one after the other, so
    /// what they do to memory is defined.
    pub fn initializer(&mut self, initializer: &'e Initializer) {
        self.list(values(initializer), Span::NONE);
    }

    fn list(&mut self, values: Parts<'e>, whole: Span) -> Effects<'e> {
        if self.rules == Rules::C && !self.reached {
            return self.together(values, whole);
        }
        let mut all = Effects::default();
        for value in values {
            let outer = std::mem::replace(&mut self.full, value.span);
            all = all.with(self.effects(value).completed());
            self.full = outer;
        }
        all
    }

    /// Looks at the full expressions of statements.
    pub fn statements(&mut self, statements: &'e [Statement]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &'e Statement) {
        match &statement.kind {
            StatementKind::Expr(expr) | StatementKind::Return(Some(expr)) => self.expression(expr),
            StatementKind::Declare { initializer: Some(initializer), .. } => self.initializer(initializer),
            StatementKind::Block(list) => self.statements(list),
            StatementKind::If { condition, then, otherwise } => {
                self.expression(condition);
                self.statement(then);
                otherwise.iter().for_each(|otherwise| self.statement(otherwise));
            }
            StatementKind::While { condition, step, body, .. } => {
                condition.iter().chain(step).for_each(|expr| self.expression(expr));
                self.statement(body);
            }
            StatementKind::DoWhile { body, condition: expr, .. }
            | StatementKind::Switch { selector: expr, body } => {
                self.expression(expr);
                self.statement(body);
            }
            StatementKind::Declare { initializer: None, .. }
            | StatementKind::Return(None)
            | StatementKind::Case { .. }
            | StatementKind::Label(_)
            | StatementKind::Goto(_)
            | StatementKind::Break
            | StatementKind::Continue => {}
        }
    }

    fn effects(&mut self, expr: &'e Expr) -> Effects<'e> {
        if let Some(values) = literal(expr) {
            return self.list(values, expr.span);
        }
        let is_cxx = self.rules == Rules::Cxx;
        match &expr.kind {
            ExprKind::Comma(first, second) => self.one_by_one(first, second),
            ExprKind::Logical { and, left, right } => match known(left) {
                Some(decides) if decides != *and => self.effects(left).completed(),
                _ => self.one_by_one(left, right),
            },
            ExprKind::Conditional { condition, then, otherwise } => match known(condition) {
                Some(true) => self.one_by_one(condition, then),
                Some(false) => self.one_by_one(condition, otherwise),
                None => {
                    let first = self.one_by_one(condition, then);
                    first.with(self.effects(otherwise))
                }
            },
            ExprKind::Arithmetic { op: ArithmeticOp::Shl | ArithmeticOp::Shr, left, right }
            | ExprKind::PointerAdd { pointer: left, index: right, .. }
                if is_cxx =>
            {
                self.one_by_one(left, right)
            }
            ExprKind::VectorLiteral(lanes) if is_cxx => self.list(lanes.iter().collect(), expr.span),
            ExprKind::Call { .. } | ExprKind::Builtin(_) => self.parts(expr).completed(),
            ExprKind::Assign { target, value } | ExprKind::CompoundAssign { target, value, .. } if is_cxx => {
                let before = self.effects(value).completed();
                let mut effects = before.with(self.place(target));
                effects.done.extend(self.used(target, target.span, true));
                effects
            }
            ExprKind::Assign { target, .. } => {
                let mut effects = self.parts(expr);
                if let Some(change) = self.used(target, target.span, true) {
                    for other in effects.pending.iter().filter(|other| may_be_same(change, **other)) {
                        (self.found)(*other, change, Around { whole: expr.span, full: self.full });
                    }
                    effects.pending.push(change);
                }
                effects
            }
            ExprKind::CompoundAssign { target, .. } => {
                let mut effects = self.parts(expr);
                if let Some(change) = self.used(target, target.span, true) {
                    let read = Use { changes: false, ..change };
                    for other in effects.changes().filter(|other| may_be_same(read, **other)) {
                        (self.found)(*other, read, Around { whole: expr.span, full: self.full });
                    }
                    effects.pending.push(change);
                }
                effects
            }
            ExprKind::Increment { target, prefix, .. } => {
                let mut effects = self.parts(expr);
                let change = self.used(target, expr.span, true);
                if is_cxx && *prefix { &mut effects.done } else { &mut effects.pending }.extend(change);
                effects
            }
            ExprKind::Load(place) => {
                let mut effects = self.parts(expr);
                effects.reads.extend(self.used(place, place.span, false));
                effects
            }
            ExprKind::Statements { statements, value } => {
                // Those of C for variables are looked at where the statements are checked.
                if self.reached || is_cxx {
                    self.statements(statements);
                    value.iter().for_each(|value| self.expression(value));
                }
                Effects::default()
            }
            _ => self.parts(expr),
        }
    }

    /// The access of a place, if it is to be looked at.
    fn used(&self, place: &'e Place, span: Span, changes: bool) -> Option<Use<'e>> {
        let object = match self.reached {
            true => is_reached(place).then_some(Object::Reached(place)),
            false => variable(place).map(Object::Variable),
        };
        object.map(|object| Use { object, span, changes })
    }

    /// One expression, and when that is complete another.
    fn one_by_one(&mut self, first: &'e Expr, second: &'e Expr) -> Effects<'e> {
        let first = self.effects(first).completed();
        first.with(self.effects(second))
    }

    /// The effects of the expressions that say which object a place is.
    fn place(&mut self, place: &'e Place) -> Effects<'e> {
        let mut parts = Parts::new();
        push_parts_of_place(place, &mut parts);
        self.together(parts, place.span)
    }

    /// The effects of the expressions directly within one.
    fn parts(&mut self, expr: &'e Expr) -> Effects<'e> {
        self.together(parts(expr), expr.span)
    }

    /// The effects of expressions that are evaluated in any order.
    fn together(&mut self, parts: Parts<'e>, whole: Span) -> Effects<'e> {
        let mut all = Effects::default();
        for part in parts {
            let effects = self.effects(part);
            for change in effects.changes().copied().collect::<Uses<'e>>() {
                self.meet(all.uses(), change, whole);
            }
            for change in all.changes().copied().collect::<Uses<'e>>() {
                self.meet(effects.reads.iter(), change, whole);
            }
            all = all.with(effects);
        }
        all
    }

    /// A change, and the accesses that are not ordered with it.
    fn meet<'a>(&mut self, others: impl Iterator<Item = &'a Use<'e>>, change: Use<'e>, whole: Span)
    where
        'e: 'a,
    {
        for other in others.filter(|other| may_be_same(change, **other)) {
            (self.found)(change, *other, Around { whole, full: self.full });
        }
    }
}

/// Whether two accesses are, or may be, to the same object.
fn may_be_same(one: Use<'_>, other: Use<'_>) -> bool {
    match (one.object, other.object) {
        (Object::Variable(one), Object::Variable(other)) => one == other,
        (Object::Reached(_), Object::Reached(_)) => true,
        _ => false,
    }
}
