//! The bodies of functions, and their functions of the HIR.

use super::{Function, Kind, Progress};
use crate::Span;
use crate::ast::Name;
use crate::check::cxx::lambda::{Frame, Home};
use crate::check::cxx::scope::{Entity, ScopeKind, Storage, Variable};
use crate::check::cxx::types::Type;
use crate::check::cxx::{Cxx, FnId};
use crate::diagnostic::Diagnostic;
use crate::hir::{self, FunctionId, Local, LocalId, Statement};
use crate::types::TypeId;
use clvk_ir::AddressSpace;

impl Cxx<'_> {
    /// The function in the HIR, declared when it is first needed.
    pub(in crate::check::cxx) fn hir_function(&mut self, id: FnId) -> FunctionId {
        if let Some(hir) = self.function(id).hir {
            return hir;
        }
        // The arguments of attributes may call functions, which come first.
        let kernel = self.function(id).is_kernel.then(|| self.kernel_attributes(id));
        let function = self.function(id).clone();
        let mut locals = Vec::new();
        let mut add = |cxx: &mut Self, name: String, ty: TypeId| {
            let align = cxx.types.layout(ty).map_or(1, |(_, align)| align);
            locals.push(Local { name, ty: ty.into(), align, span: function.span });
        };
        let by_memory = self.is_passed_in_memory(function.result.ty());
        if by_memory {
            let ty = self.result_address(function.result.ty());
            add(self, String::new(), ty);
        }
        if let Some(this) = self.this_type(id) {
            add(self, "this".to_owned(), this);
        }
        for param in &function.params {
            let name =
                function.suffix.params.get(param.index).and_then(|param| param.declarator.name.as_ref());
            let name =
                name.and_then(|name| name.plain()).map_or(String::new(), |name| self.owned(name.symbol));
            let ty = self.passed_type(param.ty.ty());
            add(self, name, ty);
        }
        let result = if by_memory { self.types.void() } else { self.hir_type(function.result.ty()) };
        let name = self.function_text(id);
        let params: Vec<TypeId> = locals.iter().map(|local| local.ty.ty).collect();
        let is_external = function.class.is_none()
            && function.instance.is_none()
            && !function.is_internal
            && !function.is_constexpr
            && function.closure.is_none();
        let plain = function.symbol.map_or(String::new(), |symbol| self.owned(symbol));
        let link_name = if function.is_kernel || function.c_linkage {
            plain.clone()
        } else {
            let full = self.checker.mangled_name(&name, &params);
            self.checker.unique_name(full)
        };
        // The types of the parameters may have needed other functions, even this one.
        if let Some(hir) = self.function(id).hir {
            return hir;
        }
        let hir = FunctionId(self.checker.functions.len() as u32);
        self.function_mut(id).hir = Some(hir);
        self.of_hir.insert(hir, id);
        self.checker.function_infos.push(crate::check::function::FunctionInfo {
            params: params.clone(),
            result,
            span: function.span,
            defined: function.body.is_some(),
            is_kernel: function.is_kernel,
            is_static: function.is_internal,
            is_overloadable: false,
        });
        let contract = self.checker.contract;
        self.checker.functions.push(hir::Function {
            name: if function.is_kernel || function.c_linkage { plain } else { name },
            link_name,
            result,
            param_count: params.len(),
            captures: Vec::new(),
            locals,
            kernel,
            contract,
            is_internal: !function.is_kernel && !is_external,
            body: None,
            epilogue: Vec::new(),
            span: function.span,
        });
        hir
    }

    /// A function as messages name it.
    pub(in crate::check::cxx) fn function_text(&self, id: FnId) -> String {
        let function = self.function(id);
        let owner = match function.class {
            Some(record) => {
                let text = self.type_text(self.class(record).ty);
                format!("{text}::")
            }
            None => self.scope_text(self.enclosing_namespace(function.scope)),
        };
        let name = match (function.kind, function.class, function.symbol) {
            (Kind::Constructor, Some(record), _) => self.type_text(self.class(record).ty),
            (Kind::Destructor, Some(record), _) => format!("~{}", self.type_text(self.class(record).ty)),
            (Kind::Conversion, ..) => format!("operator {}", self.text_of(function.result)),
            (_, _, Some(symbol)) => self.owned(symbol),
            _ => String::new(),
        };
        let arguments = match &function.instance {
            Some((_, arguments)) => self.arguments_text(arguments),
            None => String::new(),
        };
        format!("{owner}{name}{arguments}")
    }

    /// Checks a function's body, if it has one and that was not done.
    pub(in crate::check::cxx) fn body(&mut self, id: FnId) {
        let function = self.function(id);
        if function.progress != Progress::None || function.template.is_some() {
            return;
        }
        let has_body = function.body.as_ref().is_some_and(|body| body.get().is_some());
        if !has_body && !function.is_defaulted && function.inherits.is_none() {
            return;
        }
        self.function_mut(id).progress = Progress::Checking;
        let hir = self.hir_function(id);
        let text = self.function_text(id);
        let span = self.function(id).span;
        let is_instance = self.function(id).instance.is_some();
        let work = |cxx: &mut Self| {
            cxx.apart(|cxx| {
                cxx.may_throw = false;
                cxx.body_of(id, hir);
                cxx.note_body(id);
            });
        };
        // Errors in a body are errors, even where something is only tried ([temp.deduct]/8).
        let is_trial = self.is_trial || self.is_of_placeholder(id);
        let outer_trial = std::mem::replace(&mut self.is_trial, is_trial);
        let quiet = self.quiet;
        self.quiet = if is_trial { quiet.max(1) } else { 0 };
        let ignores_base_access = std::mem::take(&mut self.ignores_base_access);
        self.checker.diagnostics.set_quiet(is_trial);
        if is_instance {
            self.deeper(span, &format!("'{text}'"), work);
        } else {
            let chain = std::mem::take(&mut self.chain);
            stacker::maybe_grow(512 << 10, 4 << 20, || work(self));
            self.chain = chain;
        }
        self.is_trial = outer_trial;
        self.quiet = quiet;
        self.ignores_base_access = ignores_base_access;
        self.checker.diagnostics.set_quiet(quiet > 0);
        self.function_mut(id).progress = Progress::Done;
    }

    fn body_of(&mut self, id: FnId, hir: FunctionId) {
        let function = self.function(id).clone();
        let outer = (self.scope, self.horizon, self.checker.current.take(), self.checker.contract);
        self.horizon = function.horizon;
        let scope = self.new_scope(function.scope, ScopeKind::Block);
        self.scope = scope;
        let mut state = crate::check::function::FunctionState::new(
            hir,
            self.function_text(id),
            crate::check::function::Returns::Declared(function.result.ty()),
            self.checker.contract,
        );
        state.is_kernel = function.is_kernel;
        state.locals = self.checker.functions[hir.0 as usize].locals.clone();
        self.checker.current = Some(state);
        let by_memory = self.is_passed_in_memory(function.result.ty());
        let mut frame = Frame::new(id, Home::of(by_memory, function.has_this()));
        frame.result = function.result;
        self.frames.push(frame);
        self.bind_parameters(&function, by_memory);
        let mut statements: Vec<Statement> = Vec::new();
        if let Some(closure) = &function.closure {
            self.bind_captures(closure);
        }
        // An inherited constructor only calls that of the base.
        let own = function.body.as_ref().filter(|_| function.inherits.is_none());
        let body = own.and_then(|body| body.get());
        let span = body.map_or(function.span, |body| body.span);
        if function.kind == Kind::Constructor {
            self.constructor_prologue(id, body, &mut statements);
        } else if let Some(initializer) = body.and_then(|body| body.initializers.first()) {
            self.error(initializer.name.span, "only constructors take base initializers");
        }
        if function.is_defaulted && function.kind != Kind::Constructor {
            self.defaulted_body(id, &mut statements);
        }
        if let Some(body) = body {
            self.block_in_scope(&body.block, &mut statements);
        }
        if function.kind == Kind::Destructor {
            self.destructor_epilogue(id, &mut statements);
        }
        let epilogue = self.local_epilogue(span);
        self.checker.functions[hir.0 as usize].epilogue = epilogue;
        let restart = self.frames.last().and_then(|frame| frame.restart);
        if restart.is_none() {
            self.check_gotos();
            self.finish_body(id, hir, statements, span);
        }
        self.frames.pop();
        let state = self.checker.current.take().expect("the function's state");
        let target = &mut self.checker.functions[hir.0 as usize];
        target.locals = state.locals;
        target.contract = state.contract;
        (self.scope, self.horizon, self.checker.current, self.checker.contract) = outer;
        if let Some(result) = restart {
            let again = self.function_mut(id);
            again.result = result;
            again.hir = None;
            let hir = self.hir_function(id);
            self.body_of(id, hir);
        }
    }

    fn bind_parameters(&mut self, function: &Function, by_memory: bool) {
        let mut next = u32::from(by_memory) + u32::from(function.has_this());
        let home = self.frames.last().expect("a frame").function;
        let mut packs: Vec<(Name, Vec<crate::check::cxx::VarId>)> = Vec::new();
        for param in &function.suffix.params {
            if let (Some(name), Some(_)) =
                (param.declarator.name.as_ref().and_then(|name| name.plain()), &param.expansion)
            {
                packs.push((name, Vec::new()));
            }
        }
        for param in &function.params {
            let local = LocalId(next);
            next += 1;
            let Some(written) = function.suffix.params.get(param.index) else { continue };
            let Some(name) = written.declarator.name.as_ref().and_then(|name| name.plain()) else { continue };
            let by_address = self.is_passed_in_memory(param.ty.ty());
            if by_address {
                self.frames.last_mut().expect("a frame").indirect.insert(local);
            }
            let id = self.add_variable(Variable {
                name: name.symbol,
                ty: param.ty,
                space: AddressSpace::Private,
                storage: Storage::Local(local, home),
                constant: None,
                target: None,
                is_constexpr: false,
                span: name.span,
            });
            match packs.iter_mut().find(|(pack, _)| pack.symbol == name.symbol) {
                Some((_, list)) if written.expansion.is_some() => list.push(id),
                _ => self.declare(name, Entity::Variable(id)),
            }
        }
        for (name, list) in packs {
            self.declare(name, Entity::Variables(list));
        }
    }

    /// Stores the statements, and completes a result type that was `auto`.
    fn finish_body(&mut self, id: FnId, hir: FunctionId, statements: Vec<Statement>, span: Span) {
        self.checker.check_labels();
        if self.has_auto(self.function(id).result.ty()) {
            let void = Type::of(self.types.void());
            let result = self.frames.last().and_then(|frame| frame.deduced).unwrap_or(void);
            self.function_mut(id).result = result;
            let hir_type = self.hir_type(result.ty());
            self.checker.functions[hir.0 as usize].result = hir_type;
            self.checker.function_infos[hir.0 as usize].result = hir_type;
        }
        let result = self.checker.functions[hir.0 as usize].result;
        let kind = self.function(id).kind;
        let needs = !self.types.is_void(result) && !self.types.is_error(result) && kind == Kind::Plain;
        if needs && !self.checker.diagnostics.has_errors() && self.checker.falls_through(&statements) {
            self.checker.warn_of_missing_return(&statements, span);
        }
        self.checker.check_sequence_of_cxx(&statements);
        self.checker.functions[hir.0 as usize].body = Some(statements);
        self.checker.function_infos[hir.0 as usize].defined = true;
    }

    /// Makes a function ready to be called: declared, its result known, its body checked some time.
    pub(in crate::check::cxx) fn use_function(&mut self, id: FnId, span: Span) -> FunctionId {
        if self.function(id).is_deleted {
            let text = self.function_text(id);
            let declared = self.function(id).span;
            let diagnostic = Diagnostic::error(span, format!("call to deleted function '{text}'"));
            self.report(
                diagnostic.related(declared, format!("'{text}' has been explicitly marked deleted here")),
            );
        }
        self.find_outside_body(id);
        let function = self.function(id);
        if self.has_auto(function.result.ty()) {
            self.body(id);
            if self.has_auto(self.function(id).result.ty()) {
                let text = self.function_text(id);
                self.error(
                    span,
                    format!("function '{text}' with deduced return type cannot be used before it is defined"),
                );
                let error = self.error_type();
                self.function_mut(id).result = error;
            }
        } else if function.is_constexpr || function.is_defaulted || function.closure.is_some() {
            self.body(id);
        } else if function.progress == Progress::None {
            self.pending.push(id);
        }
        self.note_call(id);
        self.hir_function(id)
    }
}
