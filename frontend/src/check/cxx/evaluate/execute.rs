//! Calls and statements.

use super::{Call, Evaluated, Flow, Machine, Pointer, Value, stop};
use crate::Span;
use crate::check::constant::to_integer;
use crate::check::cxx::FnId;
use crate::hir::{CaseValues, Expr, FunctionId, LocalId, Statement, StatementKind};
use rustc_hash::FxHashMap;

/// Nested calls.
const CALLS: usize = 512;

impl Machine<'_, '_> {
    pub(super) fn call(&mut self, function: FunctionId, arguments: &[Expr], span: Span) -> Evaluated<Value> {
        if self.calls.len() > CALLS {
            return stop(span, format!("the evaluation has more than {CALLS} nested calls"));
        }
        let cxx = self.cxx;
        let callee = &cxx.checker.functions[function.0 as usize];
        let id = cxx.of_hir.get(&function).copied();
        let values = self.arguments(id, arguments, span)?;
        let is_constexpr = id.is_none_or(|id| cxx.function(id).is_constexpr);
        if !is_constexpr {
            return stop(span, format!("the function '{}' is not constexpr", callee.name));
        }
        let Some(body) = &callee.body else {
            return stop(span, format!("the function '{}' is not defined here", callee.name));
        };
        self.calls.push(Call { function: Some(function), locals: FxHashMap::default() });
        let first = self.objects.len();
        let mut result = Ok(());
        for (index, value) in values.iter().enumerate() {
            let local = LocalId(index as u32);
            let ty = callee.locals[index].ty.ty;
            result = result.and_then(|()| {
                let object = self.local(local, ty, span)?;
                self.write(Pointer { object: Some(object), offset: 0 }, ty, value, span)
            });
        }
        let class = id.and_then(|id| cxx.constructed_class(id));
        let flow = result.and_then(|()| match (id, class, values.first()) {
            (Some(id), Some(record), Some(Value::Pointer(this))) => self.construct(id, record, *this, body),
            _ => self.statements(body),
        });
        let call = self.calls.pop().expect("pushed above");
        for object in call.locals.values().filter(|object| **object >= first) {
            self.objects[*object].is_dead = true;
        }
        match flow? {
            Flow::Return(value) => Ok(value),
            _ if cxx.types.is_void(callee.result) => Ok(Value::Void),
            _ => stop(span, format!("the end of '{}' is reached without 'return'", callee.name)),
        }
    }

    /// The arguments of a call.
    fn arguments(&mut self, callee: Option<FnId>, arguments: &[Expr], span: Span) -> Evaluated<Vec<Value>> {
        let cxx = self.cxx;
        let class = callee.and_then(|id| cxx.constructed_class(id));
        if let (Some(record), Some((first, rest))) = (class, arguments.split_first())
            && let Value::Pointer(this) = self.value(first)?
        {
            let mut values = vec![Value::Pointer(this)];
            values.extend(self.constructor_arguments(record, this, rest)?);
            return Ok(values);
        }
        let values = arguments.iter().map(|it| self.value(it)).collect::<Evaluated<Vec<Value>>>()?;
        if let Some(id) = callee {
            // The address of the result may come first.
            let function = cxx.function(id);
            let result = function.hir.map(|hir| cxx.checker.functions[hir.0 as usize].result);
            let is_void = |ty| cxx.types.is_void(ty);
            let first = result.is_some_and(is_void) && !is_void(function.result.ty());
            if let Some(Value::Pointer(this)) = values.get(usize::from(first)) {
                self.check_member_call(id, *this, span)?;
            }
        }
        Ok(values)
    }

    pub(super) fn statements(&mut self, list: &[Statement]) -> Evaluated<Flow> {
        for statement in list {
            match self.statement(statement)? {
                Flow::Next => {}
                flow => return Ok(flow),
            }
        }
        Ok(Flow::Next)
    }

    pub(super) fn statement(&mut self, statement: &Statement) -> Evaluated<Flow> {
        let span = statement.span;
        self.step(span)?;
        match &statement.kind {
            StatementKind::Expr(expr) => {
                self.value(expr)?;
            }
            StatementKind::Declare { local, initializer } => {
                // A new object each time, so that a loop's variables are not known from the last round.
                if let Some(last) = self.calls.last_mut().expect("a call").locals.remove(local) {
                    self.objects[last].is_dead = true;
                }
                let ty = self.local_type(*local, self.cxx.types.error());
                let function = self.calls.last().and_then(|call| call.function);
                if self.is_strict && function.is_some_and(|it| self.cxx.unset_locals.contains(&(it, *local)))
                {
                    return stop(span, "the constructor of an object is not constexpr: it sets no members");
                }
                let object = self.local(*local, ty, span)?;
                if let Some(initializer) = initializer {
                    self.objects[object].is_constant = false;
                    self.initialize(object, ty, initializer, span)?;
                    // Parts of classes may be `mutable`.
                    let is_number = self.cxx.types.as_arithmetic(ty).is_some();
                    self.objects[object].is_constant = is_number && self.is_const_local(*local);
                }
            }
            StatementKind::Block(list) => return self.block(list),
            StatementKind::If { condition, then, otherwise } => {
                if self.truth(condition)? {
                    return self.statement(then);
                } else if let Some(otherwise) = otherwise {
                    return self.statement(otherwise);
                }
            }
            StatementKind::While { condition, step, body, .. } => loop {
                self.step(span)?;
                if let Some(condition) = condition
                    && !self.truth(condition)?
                {
                    break;
                }
                match self.statement(body)? {
                    Flow::Break => break,
                    Flow::Return(value) => return Ok(Flow::Return(value)),
                    Flow::Next | Flow::Continue => {}
                }
                if let Some(step) = step {
                    self.value(step)?;
                }
            },
            StatementKind::DoWhile { body, condition, .. } => loop {
                self.step(span)?;
                match self.statement(body)? {
                    Flow::Break => break,
                    Flow::Return(value) => return Ok(Flow::Return(value)),
                    Flow::Next | Flow::Continue => {}
                }
                if !self.truth(condition)? {
                    break;
                }
            },
            StatementKind::Switch { selector, body } => {
                let (kind, _) = self.kind(selector.ty, span)?;
                let value = to_integer(kind, self.lanes(selector)?[0]);
                return self.switch(value, body, span);
            }
            StatementKind::Case { .. } | StatementKind::Label(_) => {}
            StatementKind::Goto(_) => return stop(span, "'goto' is not evaluated at compile time"),
            StatementKind::Break => return Ok(Flow::Break),
            StatementKind::Continue => return Ok(Flow::Continue),
            StatementKind::Return(value) => {
                let value = match value {
                    Some(value) => self.value(value)?,
                    None => Value::Void,
                };
                return Ok(Flow::Return(value));
            }
        }
        Ok(Flow::Next)
    }

    pub(super) fn switch(&mut self, value: i128, body: &Statement, span: Span) -> Evaluated<Flow> {
        let StatementKind::Block(list) = &body.kind else {
            return stop(span, "this 'switch' is not evaluated at compile time");
        };
        let matches = |statement: &Statement| match &statement.kind {
            StatementKind::Case { values: CaseValues::Range(low, high) } => (*low..=*high).contains(&value),
            _ => false,
        };
        let is_default = |statement: &Statement| {
            matches!(statement.kind, StatementKind::Case { values: CaseValues::Default })
        };
        let start = list.iter().position(matches).or_else(|| list.iter().position(is_default));
        let Some(start) = start else { return Ok(Flow::Next) };
        Ok(match self.block(&list[start..])? {
            Flow::Break => Flow::Next,
            flow => flow,
        })
    }
}
