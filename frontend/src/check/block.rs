//! Blocks (OpenCL C §6.14): functions that capture values of the variables around them.
//!
//! A block variable is bound at its declaration, so blocks become ordinary functions. A block literal becomes
//! a function, and the variables that its body names become locals of that function, which the caller passes.
//! The values are captured when the literal is evaluated, into copies beside the variables. Arrays are
//! captured as pointers, and images and samplers without a copy.

use super::Checker;
use super::conversion::Purpose;
use super::declaration::Target;
use super::expression::Operand;
use super::function::{FunctionInfo, FunctionState, Returns};
use super::scope::{Entity, Storage, Variable};
use crate::Span;
use crate::ast::{self, Parameters, TypeName};
use crate::diagnostic::Diagnostic;
use crate::hir::{self, Capture, Expr, ExprKind, Function, FunctionId, Local, LocalId, Place, PlaceKind};
use crate::options::LanguageVersion;
use crate::types::{QualifiedType, TypeId, TypeKind, TypeQualifiers};
use clvk_interface::Feature;
use clvk_ir::AddressSpace;

/// The meaning of the name of a block variable.
#[derive(Clone, Debug)]
pub(super) struct BlockVariable {
    /// The block with its captured values; `None` while its initialiser is being checked.
    value: Option<hir::Block>,
    ty: TypeId,
    /// Depth of the function that declares it; `None` for static storage duration.
    depth: Option<usize>,
}

/// A variable of the enclosing function that a block's body names.
#[derive(Clone, Copy, Debug)]
pub(super) struct Captured {
    /// The variable in the enclosing function.
    source: LocalId,
    /// The local that represents it in the block.
    local: LocalId,
}

impl Checker<'_> {
    /// Reports blocks, once, if the language version and the device do not have them, or defers
    /// that as [`Checker::lack`] does.
    pub(super) fn require_blocks(&mut self, span: Span) -> bool {
        let feature = Feature::DeviceEnqueue;
        if self.has_since_three(feature) {
            return true;
        }
        let message =
            "blocks require OpenCL C 2.0 (-cl-std=CL2.0), or 3.0 with the feature __opencl_c_device_enqueue";
        if self.defers(feature) && self.options.version >= LanguageVersion::C30 {
            return self.lack(feature, "a block", Diagnostic::error(span, message));
        }
        if !std::mem::replace(&mut self.refused_blocks, true)
            && self.demand_version(span, "a block", LanguageVersion::C20)
        {
            self.error(span, message);
        }
        false
    }

    /// The block type for a function type.
    pub(super) fn block_type(&mut self, function: TypeId, span: Span) -> TypeId {
        if !self.require_blocks(span) {
            return self.types.error();
        }
        match self.types.kind(function).clone() {
            TypeKind::Error => function,
            TypeKind::Function { result, params, .. } => {
                let result = self.checked_result(result, span);
                self.types.intern(TypeKind::Block { result, params })
            }
            _ => {
                self.error(span, "block pointer to non-function type is invalid");
                self.types.error()
            }
        }
    }

    /// Whether it is the type of a block.
    pub(super) fn is_block(&self, ty: TypeId) -> bool {
        matches!(self.types.kind(ty), TypeKind::Block { .. })
    }

    /// A declaration of a block variable, which must have an initialiser; returns the expression that
    /// evaluates it.
    pub(super) fn block_variable(&mut self, target: &Target) -> Option<Expr> {
        let (name, ty) = (target.name, target.declared.ty.ty);
        if target.storage.is_extern {
            let message = "invalid block variable declaration: the 'extern' storage class is not allowed";
            self.error(name.span, message);
            self.redeclare(name, Entity::Error);
            return None;
        }
        let Some(ast::Initializer::Expr(initializer)) = target.initializer else {
            self.initializer_for_errors(target.initializer);
            let message = "invalid block variable declaration: it must be initialized with a block";
            let note = "block variables are constant and cannot be assigned to later (OpenCL C §6.14.5)";
            self.report(Diagnostic::error(name.span, message).note(note));
            self.redeclare(name, Entity::Error);
            return None;
        };
        let is_static = self.current.is_none() || target.storage.is_static;
        let depth = (!is_static).then_some(self.outer.len());
        self.declare(name, Entity::Block(BlockVariable { value: None, ty, depth }));
        let block = self.value(initializer);
        let Some((value, effect)) = self.initial_block(block, ty, is_static) else {
            self.redeclare(name, Entity::Error);
            return None;
        };
        self.redeclare(name, Entity::Block(BlockVariable { value: Some(value), ty, depth }));
        effect
    }

    /// The value of a block variable's initialiser: the block with its captured values, and the expression
    /// that captures them.
    fn initial_block(
        &mut self,
        block: Expr,
        ty: TypeId,
        is_static: bool,
    ) -> Option<(hir::Block, Option<Expr>)> {
        if self.types.is_error(block.ty) {
            return None;
        }
        if self.is_null_constant(&block) {
            return Some((hir::Block::default(), None));
        }
        if block.ty != ty {
            let (to, from) = (self.type_text(ty), self.type_text(block.ty));
            let what = if self.is_block(block.ty) { "incompatible block pointer types " } else { "" };
            let message = format!("{what}initializing '{to}' with an expression of type '{from}'");
            self.error(block.span, message);
            return None;
        }
        let ExprKind::Block(value) = &block.kind else {
            self.error(
                block.span,
                "a block variable must be initialized with a block literal or another block variable",
            );
            return None;
        };
        if is_static && !value.captures.is_empty() {
            let message = "initializer element is not a compile-time constant: the block captures variables";
            self.error(block.span, message);
            return None;
        }
        let taken = value.captures.iter().map(|capture| Capture { value: None, ..capture.clone() }).collect();
        let taken = hir::Block { function: value.function, captures: taken };
        Some((taken, (!is_static).then_some(block)))
    }

    /// The block that a name represents.
    pub(super) fn named_block(&mut self, variable: &BlockVariable, span: Span) -> Operand {
        let here = self.outer.len();
        let problem = match &variable.value {
            _ if variable.depth.is_some_and(|depth| depth != here) => {
                "cannot refer to a block inside block: a block cannot capture another block variable (OpenCL C §6.14.5)"
            }
            None => "a block cannot refer to itself: recursion is not supported in OpenCL C",
            Some(value) => {
                let kind = ExprKind::Block(value.clone());
                return Operand::Value(Expr { kind, ty: variable.ty, span });
            }
        };
        self.error(span, problem);
        self.error_operand(span)
    }

    /// A call of a block.
    pub(super) fn call_block(&mut self, callee: Expr, arguments: &[ast::Expr], span: Span) -> Expr {
        let TypeKind::Block { result, params } = self.types.kind(callee.ty).clone() else {
            panic!("only blocks are called as blocks");
        };
        let values: Vec<Expr> = arguments.iter().map(|argument| self.value(argument)).collect();
        if values.len() != params.len() {
            let which = if values.len() < params.len() { "few" } else { "many" };
            let (wanted, given) = (params.len(), values.len());
            self.error(span, format!("too {which} arguments to block call, expected {wanted}, have {given}"));
            return self.error_value(span);
        }
        let mut operands: Vec<Expr> = values
            .into_iter()
            .zip(params)
            .map(|(value, param)| self.assign_to(value, param, Purpose::Passing))
            .collect();
        if operands.iter().any(|operand| self.types.is_error(operand.ty)) || self.types.is_error(result) {
            return self.error_value(span);
        }
        let ExprKind::Block(block) = &callee.kind else {
            self.error(callee.span, "the called block is not known at compile time");
            return self.error_value(span);
        };
        let Some(function) = block.function else {
            self.error(callee.span, "this block variable is null: it cannot be called");
            return self.error_value(span);
        };
        if let Some(state) = &self.current {
            self.call_graph.add(state.id, function, span);
        }
        operands.extend(block.captures.iter().map(|capture| self.local_value(capture.local, span)));
        let takes_values = block.captures.iter().any(|capture| capture.value.is_some());
        let call = Expr { kind: ExprKind::Call { function, arguments: operands }, ty: result, span };
        match takes_values {
            true => Expr { kind: ExprKind::Comma(Box::new(callee), Box::new(call)), ty: result, span },
            false => call,
        }
    }

    fn local_place(&self, local: LocalId, span: Span) -> Place {
        let ty = self.current.as_ref().expect("inside a function").locals[local.0 as usize].ty;
        self.place(PlaceKind::Local(local), ty, AddressSpace::Private, span)
    }

    pub(super) fn local_value(&self, local: LocalId, span: Span) -> Expr {
        let place = self.local_place(local, span);
        let ty = place.ty.ty;
        Expr { kind: ExprKind::Load(place), ty, span }
    }

    /// A block literal.
    pub(super) fn block_literal(
        &mut self,
        result: Option<&TypeName>,
        parameters: Option<&Parameters>,
        body: &ast::Block,
        span: Span,
    ) -> Expr {
        if !self.require_blocks(span) {
            return self.error_value(span);
        }
        let result = result.map(|result| {
            let ty = self.type_name(result).ty.ty;
            let ty = self.checked_result(ty, result.span);
            if self.is_complete_result(ty, result.span) { ty } else { self.types.error() }
        });
        if let Some(span) = parameters.and_then(|parameters| parameters.variadic) {
            self.error(span, "blocks with variadic arguments are not supported in OpenCL");
        }
        let id = self.new_block_function(span);
        self.enter_scope();
        let name = self.functions[id.0 as usize].link_name.clone();
        let returns = result.map_or(Returns::Inferred(None), Returns::Declared);
        let state = FunctionState::new(id, name, returns, self.contract);
        self.outer.push(self.current.replace(state));
        let params: Vec<ast::Parameter> =
            parameters.map_or(Vec::new(), |parameters| parameters.params.clone());
        let types = self.block_parameters(&params);
        let contract = self.contract;
        let body_statements = self.statements(&body.statements);
        self.contract = contract;
        self.check_labels();
        let state = self.current.take().expect("the block's state");
        let result = match state.returns {
            Returns::Inferred(found) => found.unwrap_or_else(|| self.types.void()),
            Returns::Declared(ty) => ty,
        };
        let needs_result = !self.types.is_void(result) && !self.types.is_error(result);
        if needs_result && !self.diagnostics.has_errors() && self.falls_through(&body_statements) {
            self.warn_of_missing_return(&body_statements, body.span);
        }
        self.leave_scope();
        self.current = self.outer.pop().expect("the function around the block");
        let captures = self.take_values(&state.captures, span);
        let function = &mut self.functions[id.0 as usize];
        function.result = result;
        function.param_count = types.len();
        function.captures = state.captures.iter().map(|captured| captured.local).collect();
        function.locals = state.locals;
        function.contract = state.contract;
        function.body = Some(body_statements);
        let info = &mut self.function_infos[id.0 as usize];
        (info.params, info.result) = (types.clone(), result);
        if self.types.is_error(result) || types.iter().any(|ty| self.types.is_error(*ty)) {
            return self.error_value(span);
        }
        let ty = self.types.intern(TypeKind::Block { result, params: types });
        Expr { kind: ExprKind::Block(hir::Block { function: Some(id), captures }), ty, span }
    }

    /// Adds the function for a block literal, to be filled in later.
    fn new_block_function(&mut self, span: Span) -> FunctionId {
        let around = self.current.as_ref().map_or("", |state| state.name.as_str());
        let link_name = format!("{around}.block");
        let link_name = self.unique_name(link_name);
        let id = FunctionId(self.functions.len() as u32);
        let result = self.types.void();
        self.functions.push(Function {
            name: "this block".to_owned(),
            link_name,
            result,
            param_count: 0,
            captures: Vec::new(),
            locals: Vec::new(),
            kernel: None,
            contract: self.contract,
            is_internal: true,
            body: None,
            epilogue: Vec::new(),
            span,
        });
        self.function_infos.push(FunctionInfo {
            params: Vec::new(),
            result,
            span,
            defined: true,
            is_kernel: false,
            is_static: true,
            is_overloadable: false,
        });
        id
    }

    /// Declares the parameters of a block: the first locals of its function.
    fn block_parameters(&mut self, params: &[ast::Parameter]) -> Vec<TypeId> {
        let mut types = Vec::new();
        for param in params {
            let declared = self.parameter_type(param);
            if !self.types.is_error(declared.ty.ty) {
                self.check_complete(declared.ty.ty, param.span, "parameter");
            }
            let name = param.declarator.name;
            let local = self.add_local(Local {
                name: name.map_or(String::new(), |name| self.owned(name.symbol)),
                ty: declared.ty,
                align: self.types.layout(declared.ty.ty).map_or(1, |(_, align)| align),
                span: name.map_or(param.span, |name| name.span),
            });
            types.push(declared.ty.ty);
            if let Some(name) = name {
                let storage = Storage::Local(local, self.outer.len());
                let variable = Variable { storage, ty: declared.ty, space: AddressSpace::Private };
                self.declare(name, Entity::Variable(variable));
            }
        }
        types
    }

    /// Copies, in the enclosing function, of the variables that a block names, with their values.
    fn take_values(&mut self, captured: &[Captured], span: Span) -> Vec<Capture> {
        let take = |checker: &mut Self, captured: &Captured| {
            let source = checker.local_place(captured.source, span);
            // They are parameters, which never change.
            if checker.types.is_parameter_only(source.ty.ty) {
                return Capture { local: captured.source, value: None };
            }
            let name = checker.current.as_ref().expect("inside a function").locals
                [captured.source.0 as usize]
                .name
                .clone();
            let value = checker.load(source);
            // The layout is unknown if the variable's type was refused.
            let align = checker.types.layout(value.ty).map_or(1, |(_, align)| align);
            let local = checker.add_local(Local { name, ty: value.ty.into(), align, span });
            Capture { local, value: Some(value) }
        };
        captured.iter().map(|captured| take(self, captured)).collect()
    }

    /// The function at a depth, the innermost being the current one.
    fn function_at(&mut self, depth: usize) -> &mut FunctionState {
        let state = if depth == self.outer.len() { &mut self.current } else { &mut self.outer[depth] };
        state.as_mut().expect("a function that has variables")
    }

    /// The local of the current block for a variable of an enclosing function. Blocks in between capture its
    /// value too.
    pub(super) fn captured(
        &mut self,
        source: LocalId,
        depth: usize,
        ty: QualifiedType,
        span: Span,
    ) -> Operand {
        let mut id = source;
        for level in depth + 1..=self.outer.len() {
            let known =
                self.function_at(level).captures.iter().find(|captured| captured.source == id).copied();
            id = match known {
                Some(captured) => captured.local,
                None => self.capture_at(level, id),
            };
        }
        let place = self.local_place(id, span);
        if matches!(self.types.kind(ty.ty), TypeKind::Array { .. }) {
            // A pointer to it was captured; its elements are constant, like everything that is captured.
            let ty = self.with_qualifiers(ty.ty, TypeQualifiers::CONST);
            let pointer_type = self.types.pointer(ty, AddressSpace::Private);
            let pointer = Expr { ty: place.ty.ty, kind: ExprKind::Load(place), span };
            let pointer = self.convert(pointer, hir::Conversion::Pointer, pointer_type);
            return Operand::Place(self.place(
                PlaceKind::Deref(Box::new(pointer)),
                ty,
                AddressSpace::Private,
                span,
            ));
        }
        Operand::Place(place)
    }

    fn capture_at(&mut self, level: usize, source: LocalId) -> LocalId {
        let around = self.function_at(level - 1);
        let mut local = around.locals[source.0 as usize].clone();
        let constant = around.constants.get(&source).copied();
        if let TypeKind::Array { element, .. } = *self.types.kind(local.ty.ty) {
            local.ty = self.types.pointer(element, AddressSpace::Private).into();
        }
        local.ty.qualifiers.is_const = true;
        local.align = self.types.layout(local.ty.ty).map_or(1, |(_, align)| align);
        let state = self.function_at(level);
        let id = LocalId(state.locals.len() as u32);
        state.locals.push(local);
        state.captures.push(Captured { source, local: id });
        if let Some(bits) = constant {
            state.constants.insert(id, bits);
        }
        id
    }

    /// Whether a place is a block's copy of a captured variable.
    pub(super) fn is_captured(&self, place: &Place) -> bool {
        let PlaceKind::Local(id) = place.kind else { return false };
        self.current.as_ref().is_some_and(|state| state.captures.iter().any(|captured| captured.local == id))
    }
}
