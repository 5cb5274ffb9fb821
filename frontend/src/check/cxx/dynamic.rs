//! Objects of static storage duration that code begins and ends ([basic.start.dynamic], [basic.start.term]).
//!
//! Each initialisation and each destruction is a function. A kernel that the host launches before all others
//! ([`ProgramHook::Initializer`]) calls the initialisations in order. It has the name that clang gives it,
//! for applications that launch it themselves. Another one ([`ProgramHook::Finalizer`]) destroys the objects,
//! the last first.
//!
//! Static variables of functions are initialised when control first reaches them, in an order that is known
//! only at run time. If there are any with destructors, every object that is destroyed has a number, which
//! it gets when its initialisation is complete, and destruction goes by these numbers.

use super::Cxx;
use super::cleanup::Cleanup;
use super::initialize::{Init, Prvalue, PrvalueKind};
use super::types::Type;
use crate::Span;
use crate::check::function::FunctionInfo;
use crate::hir::{
    self, ComparisonOp, Expr, ExprKind as Hir, FunctionId, Global, GlobalId, Kernel, Linkage, Local, Place,
    PlaceKind, Statement, StatementKind,
};
use crate::types::{QualifiedType, TypeId};
use clvk_interface::ProgramHook;
use clvk_ir::{AddressSpace, UnrollHint};
use rustc_hash::FxHashSet;

/// The objects of a program that code begins and ends.
#[derive(Debug, Default)]
pub(super) struct Lifetimes {
    /// Those that the program begins with, in order.
    starts: Vec<Start>,
    /// Static variables of functions that are destroyed.
    statics: Vec<Ending>,
    /// The number of the object that was initialised last; only where the order is not known.
    counter: Option<GlobalId>,
    /// Variables whose contents are not known before the program runs.
    pub unknown: FxHashSet<GlobalId>,
}

/// An object that the program begins with.
#[derive(Debug)]
struct Start {
    global: GlobalId,
    begin: Option<FunctionId>,
    end: Option<FunctionId>,
}

/// The destruction of an object that may exist.
#[derive(Clone, Copy, Debug)]
struct Ending {
    function: FunctionId,
    /// The variable that holds the object's number; zero if it was not initialised.
    number: GlobalId,
}

impl Cxx<'_> {
    /// An object outside functions: what initialises it, if its contents are not known, and what destroys it.
    pub(super) fn begin_object(
        &mut self,
        global: GlobalId,
        begin: Option<(Vec<Statement>, Vec<Local>)>,
        cleanup: Option<&Cleanup>,
        span: Span,
    ) {
        let name = self.checker.globals[global.0 as usize].name.clone();
        if begin.is_some() {
            self.lifetimes.unknown.insert(global);
        }
        let begin =
            begin.map(|(body, locals)| self.hidden_function(format!("{name}.begin"), body, locals, span));
        let end = cleanup.map(|cleanup| self.end_function(&name, cleanup, span));
        // An explicit specialisation replaces what its template said.
        self.lifetimes.starts.retain(|start| start.global != global);
        if begin.is_some() || end.is_some() {
            self.lifetimes.starts.push(Start { global, begin, end });
        }
    }

    /// A static variable of the current function: initialised when control first reaches it. As in clang,
    /// work-items that reach it at the same time are not kept apart (C++ for OpenCL, restrictions).
    pub(super) fn begin_static(
        &mut self,
        global: GlobalId,
        mut first: Vec<Statement>,
        cleanup: Option<&Cleanup>,
        span: Span,
    ) -> Statement {
        let name = self.checker.globals[global.0 as usize].name.clone();
        self.lifetimes.unknown.insert(global);
        let guard = self.hidden_number(format!("{name}.guard"), span);
        if let Some(cleanup) = cleanup {
            let function = self.end_function(&name, cleanup, span);
            let ending = Ending { function, number: self.hidden_number(format!("{name}.number"), span) };
            self.lifetimes.statics.push(ending);
            let counter = match self.lifetimes.counter {
                Some(counter) => counter,
                None => self.hidden_number("objects".to_owned(), span),
            };
            self.lifetimes.counter = Some(counter);
            first.push(self.numbered(ending.number, counter, span));
        }
        let one = self.number(1, span);
        first.push(self.set(guard, one, span));
        let guard = self.hidden_place(guard, span);
        let condition = self.is_number(guard, 0, span);
        let then = Box::new(Statement { kind: StatementKind::Block(first), span });
        Statement { kind: StatementKind::If { condition, then, otherwise: None }, span }
    }

    /// The kernels that begin and end the program. `file` is the name of the translation unit.
    pub(super) fn finish_lifetimes(&mut self, file: &str) {
        let Lifetimes { starts, statics, counter, .. } = std::mem::take(&mut self.lifetimes);
        let span = Span::NONE;
        let (mut begin, mut endings, mut ends) = (Vec::new(), statics, Vec::new());
        for start in &starts {
            begin.extend(start.begin.map(|function| self.call_hidden(function, span)));
            let Some(function) = start.end else { continue };
            ends.push(self.call_hidden(function, span));
            if let Some(counter) = counter {
                let number = self.hidden_number("object.number".to_owned(), span);
                begin.push(self.numbered(number, counter, span));
                endings.push(Ending { function, number });
            }
        }
        let end: Vec<Statement> = match counter {
            None => ends.into_iter().rev().collect(),
            Some(counter) => vec![self.end_by_number(counter, &endings, span)],
        };
        let file = file.rsplit(['/', '\\']).next().unwrap_or_default();
        let is_kept = |it: char| it.is_ascii_alphanumeric() || "_.$".contains(it);
        let file: String = file.chars().map(|it| if is_kept(it) { it } else { '_' }).collect();
        if !begin.is_empty() {
            self.hook(ProgramHook::Initializer, format!("_GLOBAL__sub_I_{file}"), begin);
        }
        if !end.is_empty() {
            self.hook(ProgramHook::Finalizer, format!("_GLOBAL__sub_D_{file}"), end);
        }
    }

    /// Destroys the objects that were initialised, the last first.
    fn end_by_number(&mut self, counter: GlobalId, endings: &[Ending], span: Span) -> Statement {
        let int = self.checker.int();
        let mut body = Vec::new();
        for ending in endings {
            let left = Box::new(self.load_number(ending.number, span));
            let right = Box::new(self.load_number(counter, span));
            let condition = self.compared(ComparisonOp::Equal, left, right, span);
            let then = Box::new(self.call_hidden(ending.function, span));
            body.push(Statement { kind: StatementKind::If { condition, then, otherwise: None }, span });
        }
        let target = self.hidden_place(counter, span);
        let step = Expr { kind: Hir::Increment { target, decrement: true, prefix: true }, ty: int, span };
        let (left, right) = (Box::new(self.load_number(counter, span)), Box::new(self.number(0, span)));
        let condition = Some(self.compared(ComparisonOp::NotEqual, left, right, span));
        let body = Box::new(Statement { kind: StatementKind::Block(body), span });
        let kind = StatementKind::While { condition, step: Some(step), body, unroll: UnrollHint::None };
        Statement { kind, span }
    }

    /// `number = ++counter`.
    fn numbered(&mut self, number: GlobalId, counter: GlobalId, span: Span) -> Statement {
        let int = self.checker.int();
        let target = self.hidden_place(counter, span);
        let next = Expr { kind: Hir::Increment { target, decrement: false, prefix: true }, ty: int, span };
        self.set(number, next, span)
    }

    /// The function that destroys an object.
    fn end_function(&mut self, name: &str, cleanup: &Cleanup, span: Span) -> FunctionId {
        let frames = std::mem::take(&mut self.frames);
        let current = self.checker.current.take();
        let (calls, locals) = self.in_initializer(|cxx| {
            let calls = cxx.destruction(cleanup);
            (calls, cxx.initializer_locals())
        });
        self.frames = frames;
        self.checker.current = current;
        let body =
            calls.into_iter().map(|call| Statement { span: call.span, kind: StatementKind::Expr(call) });
        self.hidden_function(format!("{name}.end"), body.collect(), locals, span)
    }

    /// The variables of the function that is being made.
    pub(super) fn initializer_locals(&self) -> Vec<Local> {
        self.checker.current.as_ref().map(|current| current.locals.clone()).unwrap_or_default()
    }

    fn hook(&mut self, hook: ProgramHook, name: String, body: Vec<Statement>) {
        let id = self.hidden_function(name, body, Vec::new(), Span::NONE);
        let kernel = Kernel { hook: Some(hook), ..Kernel::default() };
        self.checker.functions[id.0 as usize].kernel = Some(kernel);
        self.checker.function_infos[id.0 as usize].is_kernel = true;
    }

    /// A function without parameters that the source does not have.
    fn hidden_function(
        &mut self,
        name: String,
        body: Vec<Statement>,
        locals: Vec<Local>,
        span: Span,
    ) -> FunctionId {
        let id = FunctionId(self.checker.functions.len() as u32);
        let result = self.types.void();
        let link_name = self.checker.unique_name(name);
        self.checker.function_infos.push(FunctionInfo {
            params: Vec::new(),
            result,
            span,
            defined: true,
            is_kernel: false,
            is_static: true,
            is_overloadable: false,
        });
        let contract = self.checker.contract;
        self.checker.functions.push(hir::Function {
            name: link_name.clone(),
            link_name,
            result,
            param_count: 0,
            captures: Vec::new(),
            locals,
            kernel: None,
            contract,
            is_internal: true,
            body: Some(body),
            epilogue: Vec::new(),
            span,
        });
        id
    }

    fn call_hidden(&mut self, function: FunctionId, span: Span) -> Statement {
        let ty = self.types.void();
        let call = Expr { kind: Hir::Call { function, arguments: Vec::new() }, ty, span };
        Statement { kind: StatementKind::Expr(call), span }
    }

    /// A variable of the program for a number that the source does not have.
    fn hidden_number(&mut self, name: String, span: Span) -> GlobalId {
        let ty = self.checker.int().into();
        let name = self.checker.unique_name(name);
        let id = GlobalId(self.checker.globals.len() as u32);
        self.checker.globals.push(Global {
            name,
            ty,
            space: AddressSpace::Global,
            align: 4,
            initializer: None,
            linkage: Linkage::Internal,
            span,
        });
        id
    }

    /// An object in memory of the program, without a name.
    pub(super) fn kept_object(&mut self, ty: TypeId, span: Span) -> Place {
        let name = self.checker.unique_name("temporary".to_owned());
        let id = GlobalId(self.checker.globals.len() as u32);
        let align = self.types.layout(ty).map_or(1, |(_, align)| align);
        let (space, linkage, q) = (AddressSpace::Global, Linkage::Internal, QualifiedType::from(ty));
        self.checker.globals.push(Global { name, ty: q, space, align, initializer: None, linkage, span });
        Place { kind: PlaceKind::Global(id), ty: q, space, span }
    }

    fn hidden_place(&mut self, global: GlobalId, span: Span) -> Place {
        let ty = self.checker.int().into();
        Place { kind: PlaceKind::Global(global), ty, space: AddressSpace::Global, span }
    }

    fn load_number(&mut self, global: GlobalId, span: Span) -> Expr {
        let place = self.hidden_place(global, span);
        let ty = place.ty.ty;
        Expr { kind: Hir::Load(place), ty, span }
    }

    fn number(&mut self, value: u64, span: Span) -> Expr {
        let int = self.checker.int();
        self.constant(value, int, span)
    }

    fn set(&mut self, global: GlobalId, value: Expr, span: Span) -> Statement {
        let target = self.hidden_place(global, span);
        let ty = value.ty;
        let store = Expr { kind: Hir::Assign { target, value: Box::new(value) }, ty, span };
        Statement { kind: StatementKind::Expr(store), span }
    }

    fn is_number(&mut self, place: Place, value: u64, span: Span) -> Expr {
        let ty = place.ty.ty;
        let left = Box::new(Expr { kind: Hir::Load(place), ty, span });
        let right = Box::new(self.number(value, span));
        self.compared(ComparisonOp::Equal, left, right, span)
    }

    fn compared(&mut self, op: ComparisonOp, left: Box<Expr>, right: Box<Expr>, span: Span) -> Expr {
        let (int, bool) = (self.checker.int(), self.checker.bool());
        let compare = Expr { kind: Hir::Compare { op, left, right }, ty: int, span };
        self.checker.convert_arithmetic(compare, bool)
    }

    /// Where a temporary object is made to which a reference is bound that an initialiser makes.
    pub(super) fn bound_temporary(&mut self, ty: Type, init: &Init) -> Option<Span> {
        match init {
            Init::Value(value) => {
                self.reference(ty.ty())?;
                temporary_at(value)
            }
            Init::Parts { parts } | Init::Class(Prvalue { kind: PrvalueKind::Parts { parts, .. }, .. }) => {
                parts.iter().find_map(|(_, ty, init)| self.bound_temporary(*ty, init))
            }
            Init::Repeat { element, init, .. } => self.bound_temporary(*element, init),
            _ => None,
        }
    }
}

/// Where a temporary object is whose address an expression gives.
fn temporary_at(address: &Expr) -> Option<Span> {
    match &address.kind {
        Hir::AddressOf(place) => {
            let mut place = place;
            loop {
                match &place.kind {
                    PlaceKind::Local(_) | PlaceKind::CompoundLiteral(..) => return Some(place.span),
                    PlaceKind::Global(_) => return None,
                    PlaceKind::Deref(pointer) => return temporary_at(pointer),
                    PlaceKind::Member(inner, _)
                    | PlaceKind::Swizzle(inner, _)
                    | PlaceKind::MatrixElement(inner, _) => place = inner,
                }
            }
        }
        Hir::Convert { operand: inner, .. }
        | Hir::PointerAdd { pointer: inner, .. }
        | Hir::Comma(_, inner) => temporary_at(inner),
        Hir::Statements { value, .. } => temporary_at(value.as_ref()?),
        Hir::Conditional { then, otherwise, .. } => temporary_at(then).or_else(|| temporary_at(otherwise)),
        _ => None,
    }
}
