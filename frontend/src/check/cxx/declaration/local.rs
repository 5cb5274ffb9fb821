//! Objects in local memory that a kernel of OpenCL C++ initialises (§2.5.4).

use crate::Span;
use crate::ast::Name;
use crate::check::cxx::Cxx;
use crate::check::cxx::initialize::Init;
use crate::check::cxx::scope::Storage;
use crate::check::cxx::types::Type;
use crate::cxx::ast::{Initializer, Specifiers};
use crate::hir::{ComparisonOp, Expr, ExprKind, Place, PlaceKind, Statement, StatementKind};
use crate::types::ScalarKind;
use clvk_ir::AddressSpace;

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
        if !self.is_trivially_destructible(ty.ty()) {
            let text = self.text_of(ty);
            self.error(span, format!("a destructor of a local object is not supported (type '{text}')"));
            return Some(ty);
        }
        let before = self.begin_full();
        let outer = std::mem::replace(&mut self.target_space, AddressSpace::Local);
        let init = match initializer {
            Some(initializer) => self.initialize(ty.plain(), initializer, span),
            None => self.default_initialize(ty.plain(), span),
        };
        self.target_space = outer;
        let mut stores = Vec::new();
        let is_set = !matches!(init, Init::None | Init::Error);
        if is_set {
            let kind = PlaceKind::Global(global);
            let place = Place { kind, ty: ty.q, space: AddressSpace::Local, span };
            self.emit(&place, ty, init, &mut stores);
        }
        let (mut statements, last) = self.end_full(before, span);
        if is_set {
            statements.extend(stores.into_iter().map(|store| statement(StatementKind::Expr(store), span)));
            statements.extend(last);
            self.by_one_work_item(statements, span, out);
        }
        Some(ty)
    }

    /// Statements that one work-item of each work-group executes, and a barrier after them.
    fn by_one_work_item(&mut self, statements: Vec<Statement>, span: Span, out: &mut Vec<Statement>) {
        let number = self.call_builtin("get_local_linear_id", Vec::new(), span);
        let (int, boolean) = (self.checker.int(), self.types.scalar(ScalarKind::Bool));
        let zero = self.constant(0, number.ty, span);
        let kind =
            ExprKind::Compare { op: ComparisonOp::Equal, left: Box::new(number), right: Box::new(zero) };
        let condition = self.checker.convert_arithmetic(Expr { kind, ty: int, span }, boolean);
        let then = Box::new(statement(StatementKind::Block(statements), span));
        out.push(statement(StatementKind::If { condition, then, otherwise: None }, span));
        let uint = self.types.scalar(ScalarKind::UInt);
        let local = self.constant(1, uint, span);
        let barrier = self.call_builtin("barrier", vec![local], span);
        out.push(statement(StatementKind::Expr(barrier), span));
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
