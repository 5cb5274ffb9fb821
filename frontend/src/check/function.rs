//! Functions: declarations, definitions, kernels (C99 §6.9.1, OpenCL C §6.9, §6.11).

use super::Checker;
use super::block::Captured;
use super::declarator::Declared;
use super::scope::{Entity, Storage, Variable};
use super::statement::Flow;
use crate::Span;
use crate::ast::{self, Derived, FunctionDefinition, Name, Specifiers, StorageClass, TypeSpecifier};
use crate::diagnostic::Diagnostic;
use crate::hir::{Function, FunctionId, Kernel, Local, LocalId};
use crate::options::LanguageVersion;
use crate::symbol::Symbol;
use crate::types::{TypeId, TypeKind};
use clvk_ir::AddressSpace;
use rustc_hash::FxHashMap;

/// What calls need to know about a function.
#[derive(Clone, Debug)]
pub(super) struct FunctionInfo {
    pub params: Vec<TypeId>,
    pub result: TypeId,
    pub span: Span,
    pub defined: bool,
    pub is_kernel: bool,
    pub is_static: bool,
    pub is_overloadable: bool,
}

/// The function whose body is being checked.
#[derive(Debug)]
pub(super) struct FunctionState {
    pub id: FunctionId,
    pub name: String,
    pub returns: Returns,
    pub is_kernel: bool,
    pub locals: Vec<Local>,
    pub labels: FxHashMap<Symbol, Span>,
    pub gotos: Vec<Name>,
    pub flow: Vec<Flow>,
    /// Whether every part of the body so far may be contracted.
    pub contract: bool,
    /// Values of `const` integer variables whose initialiser is constant: they may occur in constant
    /// expressions.
    pub constants: FxHashMap<LocalId, u64>,
    /// For a block: the enclosing variables that its body has named so far.
    pub captures: Vec<Captured>,
}

impl FunctionState {
    /// The initial state for a function or block, without parameters.
    pub fn new(id: FunctionId, name: String, returns: Returns, contract: bool) -> Self {
        FunctionState {
            id,
            name,
            returns,
            is_kernel: false,
            locals: Vec::new(),
            labels: FxHashMap::default(),
            gotos: Vec::new(),
            flow: Vec::new(),
            contract,
            constants: FxHashMap::default(),
            captures: Vec::new(),
        }
    }
}

/// What a function returns.
#[derive(Clone, Copy, Debug)]
pub(super) enum Returns {
    Declared(TypeId),
    /// A block literal without a result type: the type of the first `return` (OpenCL C §6.14.3).
    Inferred(Option<TypeId>),
}

/// A function's name, parameters and result as declared.
struct Header<'b> {
    name: Name,
    params: &'b [ast::Parameter],
    types: Vec<Declared>,
    result: TypeId,
    kernel: Option<Kernel>,
    is_inline: bool,
    is_static: bool,
    is_overloadable: bool,
}

impl Checker<'_> {
    /// A declaration without a body.
    pub(super) fn function_declaration(&mut self, specifiers: &Specifiers, declarator: &ast::Declarator) {
        let base = self.specifiers(specifiers);
        self.enter_scope();
        let header = self.header(base, specifiers, declarator);
        self.leave_scope();
        if let Some(header) = header {
            self.declare_function(&header, false);
            self.declare_in_block(header.name);
        }
    }

    /// A declaration in a block hides the outer meaning of the name.
    fn declare_in_block(&mut self, name: Name) {
        if self.at_file_scope() {
            return;
        }
        let Some((entity, _)) = self.scopes[0].names.get(&name.symbol).cloned() else { return };
        match self.find_here(name.symbol) {
            Some((Entity::Function(_) | Entity::Overloaded(_), _)) => self.redeclare(name, entity),
            _ => self.declare(name, entity),
        }
    }

    pub(super) fn function_definition(&mut self, definition: &FunctionDefinition) -> Option<FunctionId> {
        if !matches!(definition.declarator.derived.first(), Some(Derived::Function(_))) {
            self.error(definition.declarator.span, "expected a function declarator before a function body");
            return None;
        }
        self.check_version_of_storage(&definition.specifiers);
        // The scope of the body also holds the parameters and the types that they define, but not types that
        // the result defines.
        let base = self.specifiers(&definition.specifiers);
        self.enter_scope();
        let header = self.header(base, &definition.specifiers, &definition.declarator);
        let id = header.map(|mut header| {
            self.complete_header(&mut header);
            let inner = self.scopes.pop().expect("the function's scope");
            let id = self.declare_function(&header, true);
            self.scopes.push(inner);
            self.body(id, &header, definition);
            id
        });
        self.leave_scope();
        id
    }

    /// The result and the parameters of a defined function must have complete types (C99 §6.9.1).
    fn complete_header(&mut self, header: &mut Header) {
        if !self.is_complete_result(header.result, header.name.span) {
            header.result = self.types.error();
        }
        for (param, declared) in header.params.iter().zip(&mut header.types) {
            let ty = declared.ty.ty;
            if !self.types.is_error(ty) && !self.check_complete(ty, param.span, "parameter") {
                *declared = Declared::of(self.types.error());
            }
        }
    }

    /// Reports an incomplete result type where a function or block is defined or called.
    pub(super) fn is_complete_result(&mut self, result: TypeId, span: Span) -> bool {
        let needs_none = self.types.is_void(result) || self.types.is_error(result);
        needs_none || self.check_complete(result, span, "function return value")
    }

    /// `extern` and `static` came with OpenCL C 1.2 (§6.10).
    fn check_version_of_storage(&mut self, specifiers: &Specifiers) {
        for (class, span) in &specifiers.storage {
            let text = match class {
                StorageClass::Extern => "extern",
                StorageClass::Static => "static",
                _ => continue,
            };
            let what = format!("the '{text}' storage class specifier");
            self.demand_version(*span, &what, LanguageVersion::C12);
        }
    }

    fn header<'b>(
        &mut self,
        base: Declared,
        specifiers: &Specifiers,
        declarator: &'b ast::Declarator,
    ) -> Option<Header<'b>> {
        let Some((Derived::Function(parameters), rest)) = declarator.derived.split_first() else {
            panic!("only functions have headers");
        };
        let name = declarator.name?;
        let mut is_static = false;
        for (class, span) in &specifiers.storage {
            match class {
                StorageClass::Extern => {}
                StorageClass::Static if self.current.is_some() => {
                    self.error(*span, "a function declared in block scope cannot be static");
                }
                StorageClass::Static if specifiers.is_kernel.is_none() => is_static = true,
                StorageClass::Static => self.error(*span, "kernel functions cannot be declared static"),
                _ => self.error(*span, "illegal storage class on function"),
            }
        }
        if let Some(space) = base.space {
            let text = super::spelling::space_text(space);
            if rest.is_empty() {
                self.error(
                    declarator.span,
                    format!("return type cannot be qualified with address space '{text}'"),
                );
            }
        }
        let result = self.derive(base, rest, declarator.span).ty.ty;
        let result = self.checked_result(result, name.span);
        if let Some(span) = parameters.variadic {
            self.error(span, "invalid prototype, variadic arguments are not allowed in OpenCL");
        }
        let mut types = Vec::new();
        for param in &parameters.params {
            let declared = self.parameter_type(param);
            self.declare_parameter(param, declared, types.len());
            types.push(declared);
        }
        let is_kernel = specifiers.is_kernel.is_some();
        let attributes = specifiers.attributes.iter().chain(&declarator.attributes);
        let is_overloadable = self.is_overloadable(attributes.clone());
        let mut kernel = self.function_attributes(attributes, is_kernel);
        if is_kernel {
            self.check_kernel(name, result, parameters, &types);
            kernel.param_type_names =
                parameters.params.iter().map(|param| self.spelled_type(param)).collect();
        }
        if self.text(name.symbol) == "main" {
            self.error(name.span, "a function cannot be called 'main' in OpenCL");
        }
        let kernel = is_kernel.then_some(kernel);
        let is_inline = specifiers.is_inline.is_some();
        let params = &parameters.params;
        Some(Header { name, params, types, result, kernel, is_static, is_inline, is_overloadable })
    }

    /// A parameter is in scope from its declarator on, including the declarators of later parameters.
    fn declare_parameter(&mut self, param: &ast::Parameter, declared: Declared, index: usize) {
        let Some(name) = param.declarator.name else { return };
        let variable = Variable {
            storage: Storage::Local(LocalId(index as u32), self.outer.len()),
            ty: declared.ty,
            space: AddressSpace::Private,
        };
        self.declare(name, Entity::Variable(variable));
    }

    pub(super) fn checked_result(&mut self, result: TypeId, span: Span) -> TypeId {
        let text = self.type_text(result);
        match self.types.kind(result) {
            TypeKind::Error | TypeKind::Void => return result,
            TypeKind::Array { .. } | TypeKind::Function { .. } => {
                self.error(span, format!("function cannot return array or function type '{text}'"));
            }
            _ if self.types.is_parameter_only(result) || self.is_block(result) => {
                self.error(span, format!("declaring function return value of type '{text}' is not allowed"));
            }
            _ => {
                let refused = self.refuse_storage_only_half(result, span, "function return value");
                return if refused { self.types.error() } else { result };
            }
        }
        self.types.error()
    }

    /// The type of a parameter as the source spells it, without qualifiers (clGetKernelArgInfo).
    fn spelled_type(&self, param: &ast::Parameter) -> String {
        // For a pipe, the type of its packets: being a pipe is a qualifier of the parameter.
        if let TypeSpecifier::Pipe(packet) = &param.specifiers.ty {
            return self.spelled(&packet.specifiers.ty, &packet.declarator);
        }
        self.spelled(&param.specifiers.ty, &param.declarator)
    }

    fn spelled(&self, specifier: &TypeSpecifier, declarator: &ast::Declarator) -> String {
        let mut text = match specifier {
            TypeSpecifier::Named(name) => self.owned(name.symbol),
            TypeSpecifier::Record(record) => {
                let keyword = if record.is_union { "union" } else { "struct" };
                let tag = record.tag.map_or("", |tag| self.text(tag.symbol));
                format!("{keyword} {tag}").trim_end().to_owned()
            }
            TypeSpecifier::Enum(specifier) => {
                format!("enum {}", specifier.tag.map_or("", |tag| self.text(tag.symbol)))
                    .trim_end()
                    .to_owned()
            }
            TypeSpecifier::Basic(basic) => format!("{basic:?}").to_lowercase(),
            _ => String::new(),
        };
        for part in &declarator.derived {
            if matches!(part, Derived::Pointer(..) | Derived::Array { .. }) {
                text.push('*');
            }
        }
        text
    }

    /// Adds a function, or finds the one that was declared before.
    fn declare_function(&mut self, header: &Header, define: bool) -> FunctionId {
        let params: Vec<TypeId> = header.types.iter().map(|declared| declared.ty.ty).collect();
        let name = header.name;
        let mut others: Vec<FunctionId> = Vec::new();
        match self.scopes[0].names.get(&name.symbol).cloned() {
            None | Some((Entity::Error, _)) => {}
            Some((Entity::Function(id), _)) => others.push(id),
            Some((Entity::Overloaded(ids), _)) => others.extend(ids.iter()),
            Some((_, previous)) => {
                let message =
                    format!("redefinition of '{}' as different kind of symbol", self.text(name.symbol));
                let diagnostic = Diagnostic::error(name.span, message);
                self.report(diagnostic.related(previous, "previous definition is here"));
            }
        }
        if let Some(id) = self.declared_before(header, &params, &others) {
            return self.redeclare_function(id, header, &params, define);
        }
        if others.len() >= crate::limits::OVERLOADS {
            let message = format!("more than {} functions have the same name", crate::limits::OVERLOADS);
            self.error(name.span, message);
            // The meaning of the name does not change.
            return others[0];
        }
        if !others.is_empty() && header.kernel.is_some() {
            self.error(name.span, "a kernel cannot be overloaded");
        }
        let id = FunctionId(self.functions.len() as u32);
        let text = self.owned(name.symbol);
        let link_name = match header.is_overloadable && header.kernel.is_none() {
            true => self.mangled_name(&text, &params),
            false => text.clone(),
        };
        self.function_infos.push(FunctionInfo {
            params: params.clone(),
            result: header.result,
            span: name.span,
            defined: define,
            is_kernel: header.kernel.is_some(),
            is_static: header.is_static,
            is_overloadable: header.is_overloadable,
        });
        self.functions.push(Function {
            name: text,
            link_name,
            result: header.result,
            param_count: params.len(),
            captures: Vec::new(),
            locals: self.parameter_locals(header),
            kernel: header.kernel.clone(),
            contract: self.contract,
            is_internal: header.is_static || header.is_inline,
            body: None,
            epilogue: Vec::new(),
            span: name.span,
        });
        let entity = match others.is_empty() {
            true => Entity::Function(id),
            false => Entity::Overloaded(others.into_iter().chain([id]).collect()),
        };
        self.scopes[0].names.insert(name.symbol, (entity, name.span));
        id
    }

    /// The function that a header redeclares, legally or not: one with the same parameters, or any function
    /// if one of the two is not overloadable.
    fn declared_before(
        &self,
        header: &Header,
        params: &[TypeId],
        others: &[FunctionId],
    ) -> Option<FunctionId> {
        let info = |id: &&FunctionId| &self.function_infos[id.0 as usize];
        let same = others.iter().find(|id| info(id).params == params);
        let plain = others.iter().find(|id| !info(id).is_overloadable && !header.is_overloadable);
        same.or(plain).copied()
    }

    fn redeclare_function(
        &mut self,
        id: FunctionId,
        header: &Header,
        params: &[TypeId],
        define: bool,
    ) -> FunctionId {
        let info = self.function_infos[id.0 as usize].clone();
        let name = self.owned(header.name.symbol);
        let same_params = info.params == params;
        let problem = if same_params && info.is_overloadable != header.is_overloadable {
            let must = if info.is_overloadable { "must" } else { "must not" };
            Some(format!("redeclaration of '{name}' {must} have the 'overloadable' attribute"))
        } else if define && info.defined {
            Some(format!("redefinition of '{name}'"))
        } else if info.params != params || info.result != header.result {
            Some(format!("conflicting types for '{name}'"))
        } else if header.is_static && !info.is_static {
            Some(format!("static declaration of '{name}' follows non-static declaration"))
        } else {
            None
        };
        if let Some(message) = problem {
            let is_error = params.iter().chain([&header.result]).any(|ty| self.types.is_error(*ty));
            if !is_error {
                let diagnostic = Diagnostic::error(header.name.span, message);
                self.report(diagnostic.related(info.span, "previous declaration is here"));
            }
        }
        let function = &mut self.functions[id.0 as usize];
        if let Some(kernel) = &header.kernel {
            let previous = function.kernel.take().unwrap_or_default();
            function.kernel = Some(Kernel {
                required_work_group_size: kernel
                    .required_work_group_size
                    .or(previous.required_work_group_size),
                work_group_size_hint: kernel.work_group_size_hint.or(previous.work_group_size_hint),
                vec_type_hint: kernel.vec_type_hint.clone().or(previous.vec_type_hint),
                param_type_names: kernel.param_type_names.clone(),
                max_sizes: Vec::new(),
                hook: None,
                required_sub_groups: None,
            });
        }
        if define {
            let info = &mut self.function_infos[id.0 as usize];
            info.defined = true;
            info.is_kernel |= header.kernel.is_some();
            info.params = params.to_vec();
            info.result = header.result;
            let function = &mut self.functions[id.0 as usize];
            function.span = header.name.span;
            function.result = header.result;
            function.param_count = params.len();
        }
        id
    }

    fn parameter_locals(&self, header: &Header) -> Vec<Local> {
        let local = |(param, declared): (&ast::Parameter, &Declared)| {
            let name = param.declarator.name;
            Local {
                name: name.map_or(String::new(), |name| self.owned(name.symbol)),
                ty: declared.ty,
                align: self.types.layout(declared.ty.ty).map_or(1, |(_, align)| align),
                span: name.map_or(param.span, |name| name.span),
            }
        };
        header.params.iter().zip(&header.types).map(local).collect()
    }

    fn body(&mut self, id: FunctionId, header: &Header, definition: &FunctionDefinition) {
        let is_kernel = self.function_infos[id.0 as usize].is_kernel;
        let name = self.owned(header.name.symbol);
        self.current = Some(FunctionState {
            is_kernel,
            locals: self.parameter_locals(header),
            ..FunctionState::new(id, name, Returns::Declared(header.result), self.contract)
        });
        for (param, declared) in header.params.iter().zip(&header.types) {
            if param.declarator.name.is_none() && !self.types.is_error(declared.ty.ty) {
                self.warn(param.span, "omitting the name of a parameter in a function definition is not C99");
            }
        }
        let contract = self.contract;
        let body = self.statements(&definition.body.statements);
        self.contract = contract;
        self.check_labels();
        let needs_result = !self.types.is_void(header.result) && !self.types.is_error(header.result);
        // A statement with an error may have been the `return`.
        if needs_result && !self.diagnostics.has_errors() && self.falls_through(&body) {
            self.warn_of_missing_return(&body, definition.body.span);
        }
        let state = self.current.take().expect("the function's state");
        let function = &mut self.functions[id.0 as usize];
        function.locals = state.locals;
        function.contract = state.contract;
        function.body = Some(body);
    }

    pub(super) fn check_labels(&mut self) {
        let state = self.current.as_mut().expect("inside a function");
        let gotos = std::mem::take(&mut state.gotos);
        for name in gotos {
            if !self.current.as_ref().is_some_and(|state| state.labels.contains_key(&name.symbol)) {
                let text = self.owned(name.symbol);
                self.error(name.span, format!("use of undeclared label '{text}'"));
            }
        }
    }

    /// Adds a variable to the function that is being checked.
    pub(super) fn add_local(&mut self, local: Local) -> LocalId {
        let locals = &mut self.current.as_mut().expect("inside a function").locals;
        let id = LocalId(locals.len() as u32);
        locals.push(local);
        id
    }
}
