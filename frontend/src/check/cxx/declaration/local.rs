//! Objects in local memory that a kernel of OpenCL C++ initialises and destroys (§2.5.2, §2.5.4).

use crate::Span;
use crate::ast::Name;
use crate::check::cxx::Cxx;
use crate::check::cxx::initialize::Init;
use crate::check::cxx::scope::Storage;
use crate::check::cxx::types::Type;
use crate::check::cxx::walk;
use crate::cxx::ast::{Initializer, Specifiers};
use crate::diagnostic::Diagnostic;
use crate::hir::{ComparisonOp, Expr, ExprKind, Place, PlaceKind, Statement, StatementKind};
use crate::types::ScalarKind;
use clvk_ir::AddressSpace;
use rustc_hash::FxHashSet;

impl Cxx<'_> {
    /// A variable in local memory at the kernel's outermost scope. One work-item initialises it, and the
    /// others wait for that.
    pub(super) fn local_variable(
        &mut self,
        specifiers: &Specifiers,
        name: Name,
        ty: Type,
        initializer: Option<&Initializer>,
        out: &mut Vec<Statement>,
    ) -> Option<Type> {
        let span = name.span;
        let ty = self.with_length(ty, initializer, span)?;
        let id = self.static_variable(name, ty, specifiers, None, None, None)?;
        let Storage::Global(global) = self.variable(id).storage else { return Some(ty) };
        let place = Place { kind: PlaceKind::Global(global), ty: ty.q, space: AddressSpace::Local, span };
        if let Some(cleanup) = self.cleanup_of(&place, span) {
            self.frame().local_cleanups.push(cleanup);
        }
        if let Some(earlier) = self.frame().returned {
            let message = "a variable in local memory is declared after a 'return', where not all work-items may come (OpenCL C++ §3.4.3)";
            self.report(Diagnostic::warning(span, message).related(earlier, "the 'return' is here"));
        }
        let before = self.begin_full();
        let outer = std::mem::replace(&mut self.target_space, AddressSpace::Local);
        let init = match initializer {
            Some(initializer) => self.initialize(ty.plain(), initializer, span),
            None => self.default_initialize(ty.plain(), span),
        };
        self.target_space = outer;
        let mut stores = Vec::new();
        let is_initialised = !matches!(init, Init::None | Init::Error);
        let is_set = is_initialised || self.options.zero_local_variables;
        if self.options.zero_local_variables {
            self.emit(&place, ty, Init::Zero, &mut stores);
        }
        if is_initialised {
            self.emit(&place, ty, init, &mut stores);
        }
        let (mut statements, last) = self.end_full(before, span);
        if is_set {
            statements.extend(stores.into_iter().map(|store| statement(StatementKind::Expr(store), span)));
            statements.extend(last);
            self.by_one_work_item(statements, span, out);
            out.push(self.group_barrier(span));
        }
        Some(ty)
    }

    /// An object in local memory cannot be initialised here. In OpenCL C++ it cannot be constructed or
    /// destroyed at the scope of the program or a class either, where no kernel does it (§2.5.4).
    pub(in crate::check::cxx) fn check_local(&mut self, ty: Type, is_initialised: bool, span: Span) {
        let element = self.element_of(ty.ty());
        let is_outside = self.options.is_opencl_cxx() && self.frames.is_empty();
        let record = self.record_of(element).filter(|_| is_outside);
        let is_constructed = record.is_some_and(|it| !self.class(it).implicit.is_trivially_default);
        if is_initialised || is_constructed {
            self.error(span, "'__local' variable cannot have an initializer");
        } else if record.is_some() && !self.is_trivially_destructible(ty.ty()) {
            let message = "an object in local memory with a destructor can only be declared in a kernel";
            self.error(span, message);
        }
    }

    /// The same for static members, when their classes are complete.
    pub(in crate::check::cxx) fn check_local_members(&mut self) {
        for (ty, span) in std::mem::take(&mut self.local_members) {
            if self.record_of(self.element_of(ty.ty())).is_none_or(|it| self.require_complete(it, span)) {
                self.check_local(ty, false, span);
            }
        }
    }

    /// What a kernel does after its body: when all work-items have ended it, one of each work-group destroys
    /// the group's objects, the last one first.
    pub(in crate::check::cxx) fn local_epilogue(&mut self, span: Span) -> Vec<Statement> {
        let cleanups = std::mem::take(&mut self.frame().local_cleanups);
        let mut calls = Vec::new();
        for cleanup in cleanups.iter().rev() {
            calls.extend(self.destruction(cleanup));
        }
        if calls.is_empty() {
            return Vec::new();
        }
        let calls = calls.into_iter().map(|call| statement(StatementKind::Expr(call), span)).collect();
        let mut out = vec![self.group_barrier(span)];
        self.by_one_work_item(calls, span, &mut out);
        out
    }

    /// Statements that one work-item of each work-group executes.
    fn by_one_work_item(&mut self, statements: Vec<Statement>, span: Span, out: &mut Vec<Statement>) {
        walk::calls(&statements, &mut self.single);
        let number = self.call_builtin("get_local_linear_id", Vec::new(), span);
        let (int, boolean) = (self.checker.int(), self.types.scalar(ScalarKind::Bool));
        let zero = self.constant(0, number.ty, span);
        let kind =
            ExprKind::Compare { op: ComparisonOp::Equal, left: Box::new(number), right: Box::new(zero) };
        let condition = self.checker.convert_arithmetic(Expr { kind, ty: int, span }, boolean);
        let then = Box::new(statement(StatementKind::Block(statements), span));
        out.push(statement(StatementKind::If { condition, then, otherwise: None }, span));
    }

    /// One work-item cannot execute what all of its work-group must: barriers in constructors and destructors
    /// would never end (§3.4.4, restriction 12).
    pub(in crate::check::cxx) fn check_single_work_items(&mut self) {
        let walk::Calls { functions: mut waiting, mut barriers, .. } = std::mem::take(&mut self.single);
        let mut seen = FxHashSet::default();
        while let Some((function, _)) = waiting.pop() {
            if let (true, Some(body)) =
                (seen.insert(function), &self.checker.functions[function.0 as usize].body)
            {
                let mut inner = walk::Calls::default();
                walk::calls(body, &mut inner);
                waiting.extend(inner.functions);
                barriers.extend(inner.barriers);
            }
        }
        for span in barriers {
            let message = "one work-item executes this, to construct or destroy an object in local memory, but all of a work-group must (OpenCL C++ §3.4)";
            self.error(span, message);
        }
    }

    /// A barrier for both local and global memory, which constructors and destructors may use.
    fn group_barrier(&mut self, span: Span) -> Statement {
        let uint = self.types.scalar(ScalarKind::UInt);
        let flags = self.constant(3, uint, span);
        let barrier = self.call_builtin("barrier", vec![flags], span);
        statement(StatementKind::Expr(barrier), span)
    }

    fn call_builtin(&mut self, name: &str, values: Vec<Expr>, span: Span) -> Expr {
        let builtin = crate::builtins::lookup(name).expect("a function of the table");
        let symbol = self.checker.interner.intern(name);
        self.checker.call_found(Name { symbol, span }, builtin, values, span)
    }
}

fn statement(kind: StatementKind, span: Span) -> Statement {
    Statement { kind, span }
}
