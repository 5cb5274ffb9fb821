//! Signatures ([dcl.fct]): parameters, results, and what kernels may take.

use super::{DefaultArgument, Function, Kind, Owner, Parameter, Progress};
use crate::Span;
use crate::check::cxx::operator::Membership;
use crate::check::cxx::scope::{Entity, ScopeId, ScopeKind, Storage, Variable};
use crate::check::cxx::this::OtherThis;
use crate::check::cxx::types::Type;
use crate::check::cxx::{Cxx, FnId};
use crate::cxx::ast::{
    Access, ExprKind, FunctionBody, FunctionDecl, FunctionSuffix, Id, Operator, TemplateArgument,
    TemplateArgumentKind, TypeSpecifier,
};
use crate::types::{QualifiedType, RecordId, ScalarKind, TypeId, TypeKind, TypeQualifiers};
use clvk_interface::Feature;
use clvk_ir::AddressSpace;
use std::rc::Rc;

impl Cxx<'_> {
    /// `virtual`, `override` and `= 0`.
    pub(in crate::check::cxx) fn refuse_virtual(&mut self, decl: &FunctionDecl) {
        if let Some(span) = decl.specifiers.is_virtual
            && self.is_first_report(span)
        {
            self.error(span, "virtual functions are not supported in C++ for OpenCL (§2.1)");
        }
        if let Some(span) = decl.virtual_specifier
            && self.is_first_report(span)
        {
            self.error(
                span,
                "virtual functions are not supported in C++ for OpenCL (§2.1): this overrides none",
            );
        }
        if let Some(span) = decl.pure
            && self.is_first_report(span)
        {
            self.error(span, "virtual functions are not supported in C++ for OpenCL (§2.1)");
        }
    }

    /// Whether an error at this place has not been reported yet, for another instance of a template.
    fn is_first_report(&mut self, span: Span) -> bool {
        self.quiet > 0 || self.undeclared.insert(span)
    }

    pub(super) fn refuse_specifiers(&mut self, decl: &FunctionDecl, class: Option<RecordId>) {
        self.refuse_virtual(decl);
        if let Some(span) = decl.specifiers.is_mutable {
            self.error(span, "'mutable' cannot be applied to functions");
        }
        if class.is_none() && decl.specifiers.is_explicit {
            self.error(
                decl.specifiers.span,
                "'explicit' can only be applied to a constructor or conversion function",
            );
        }
        let suffix = decl.suffix();
        if let Some(span) = suffix.throws {
            self.error(span, "exceptions are not supported in C++ for OpenCL (§2.1)");
        }
        if let Some(span) = suffix.variadic
            && !self.declares_printf(decl)
        {
            self.error(span, "invalid prototype, variadic arguments are not allowed in OpenCL");
        }
    }

    /// Whether a program declares the built-in `printf` again, as the only function with variable arguments
    /// that it may declare (OpenCL C §6.11 g).
    pub(super) fn declares_printf(&self, decl: &FunctionDecl) -> bool {
        let is_printf = decl
            .declarator
            .name
            .as_ref()
            .and_then(|name| name.plain())
            .is_some_and(|name| self.text(name.symbol) == "printf");
        is_printf && decl.suffix().variadic.is_some() && decl.body.is_none() && self.scope.0 == 0
    }

    /// Parameters, result and kind of a declared function.
    pub(in crate::check::cxx) fn signature(
        &mut self,
        decl: &Rc<FunctionDecl>,
        owner: Option<Owner>,
        scope: ScopeId,
    ) -> Option<Function> {
        let name = decl.declarator.name.as_ref()?;
        let suffix = decl.suffix().clone();
        let kind = self.declared_kind(decl, owner)?;
        let (mut params, result, written) = self.declared_types(decl, owner, kind, scope);
        let is_static = self.check_member(decl, owner, kind, &params, result, written);
        let symbol = match kind {
            Kind::Constructor | Kind::Destructor => None,
            _ => self.symbol_of(&name.last().id),
        };
        if let Some(symbol) = symbol
            && self.text(symbol) == "main"
            && owner.is_none()
        {
            self.error(name.span, "a function cannot be called 'main' in OpenCL");
        }
        let is_kernel = decl.specifiers.is_kernel.is_some();
        let (body, is_defaulted, is_deleted) = match &decl.body {
            Some(FunctionBody::Statements(body)) => (Some(body.clone()), false, false),
            Some(FunctionBody::Default) => (None, true, false),
            Some(FunctionBody::Delete) => (None, false, true),
            None => (None, false, false),
        };
        let attributes: Vec<_> =
            decl.specifiers.attributes.iter().chain(&decl.declarator.attributes).cloned().collect();
        self.refuse_function_attributes(&attributes);
        if let Id::Literal(_) = name.last().id {
            self.check_literal_operator(&params, &suffix, owner.is_some(), name.span);
        }
        if decl.specifiers.is_constexpr.is_some() && !self.in_instance() {
            self.check_literal_parameters(&params, name.span);
            self.check_literal_result(result, name.span);
        }
        if is_kernel {
            if let Some(span) = decl.specifiers.is_static {
                self.error(span, "kernel functions cannot be declared static");
            }
            self.check_kernel_signature(&params, result, name.span);
            self.refuse_host_sizes(&suffix);
            self.take_max_sizes(&suffix, &mut params);
        }
        Some(Function {
            symbol,
            kind,
            params,
            result,
            class: owner.map(|owner| owner.record),
            is_static,
            this_qualifiers: written.q.qualifiers,
            this_space: written.space.unwrap_or(AddressSpace::Generic),
            this_reference: suffix.reference,
            is_explicit: decl.specifiers.is_explicit,
            is_deleted,
            is_defaulted,
            is_constexpr: decl.specifiers.is_constexpr.is_some(),
            is_kernel,
            is_internal: decl.specifiers.is_static.is_some() || decl.specifiers.is_inline,
            c_linkage: false,
            access: owner.map_or(Access::Public, |owner| owner.access),
            template: None,
            instance: None,
            suffix,
            returns_decltype: matches!(decl.specifiers.ty, TypeSpecifier::DecltypeAuto),
            attributes: attributes.into(),
            scope,
            body,
            inherits: None,
            closure: None,
            hir: None,
            progress: Progress::None,
            may_throw: None,
            order: self.order,
            horizon: self.horizon,
            span: name.span,
        })
    }

    /// The kind of a declared function.
    fn declared_kind(&mut self, decl: &FunctionDecl, owner: Option<Owner>) -> Option<Kind> {
        let name = decl.declarator.name.as_ref()?;
        Some(match (&name.last().id, owner, &decl.specifiers.ty) {
            (Id::Destructor(_), Some(_), _) => Kind::Destructor,
            (Id::Conversion(_), Some(_), _) => Kind::Conversion,
            (Id::Conversion(_) | Id::Destructor(_), None, _) => {
                self.error(name.span, "conversion functions and destructors must be members of a class");
                return None;
            }
            (Id::Name(symbol), Some(owner), TypeSpecifier::None) => {
                let class = self.class(owner.record);
                let own = class.name == Some(*symbol)
                    || class.instance.as_ref().is_some_and(|(template, _)| {
                        self.templates[template.0 as usize].name.symbol == *symbol
                    });
                if !own {
                    self.error(name.span, "C++ requires a type specifier for all declarations");
                    return None;
                }
                Kind::Constructor
            }
            (_, _, TypeSpecifier::None) => {
                self.error(name.span, "C++ requires a type specifier for all declarations");
                return None;
            }
            _ => Kind::Plain,
        })
    }

    /// The parameters of a declared function, its result, and the qualifiers of its object.
    fn declared_types(
        &mut self,
        decl: &FunctionDecl,
        owner: Option<Owner>,
        kind: Kind,
        scope: ScopeId,
    ) -> (Vec<Parameter>, Type, Type) {
        let name = decl.declarator.name.as_ref().expect("functions have names");
        let suffix = decl.suffix();
        let base = match (&name.last().id, kind) {
            (Id::Conversion(ty), _) => self.type_name(ty),
            (_, Kind::Constructor | Kind::Destructor) => Type::of(self.types.void()),
            _ => self.specifiers(&decl.specifiers),
        };
        let mut result = self.derive(base, &decl.declarator.derived[1..], decl.declarator.span);
        // The trailing result may name the parameters.
        let params_scope = self.new_scope(self.scope, ScopeKind::Block);
        let mut params = self.in_scope(params_scope, |cxx| cxx.declared_parameters(suffix, scope));
        for param in &mut params {
            if self.has_auto(param.ty.ty()) {
                self.error(suffix.params[param.index].span, "'auto' not allowed in function prototype");
                param.ty = self.error_type();
            }
        }
        let mut written = Type::of(self.types.void());
        written = self.with_written(written, &suffix.qualifiers);
        if let Some(trailing) = &suffix.trailing {
            let this = owner.filter(|_| decl.specifiers.is_static.is_none()).map(|owner| {
                let target =
                    QualifiedType { ty: self.class(owner.record).ty, qualifiers: written.q.qualifiers };
                let space = written.space.unwrap_or(AddressSpace::Generic);
                let ty = self.types.pointer(target, space);
                OtherThis { frames: self.frames.len(), ty, holder: None, is_used: false }
            });
            let outer = std::mem::replace(&mut self.other_this, this);
            result = self.in_scope(params_scope, |cxx| {
                cxx.bind_unevaluated(suffix, &params);
                cxx.type_name(trailing)
            });
            self.other_this = outer;
        }
        if self.in_instance() {
            // A deduced type may name the address space of the object that it was deduced from.
            result.space = None;
        }
        if decl.body.is_some()
            && owner.is_none()
            && !self.in_instance()
            && let Some(record) = self.record_of(result.ty())
        {
            // Whether it wraps an image shows when it is complete.
            self.require_complete(record, name.span);
        }
        (params, result, written)
    }

    /// Qualifiers, operators and conversions, which depend on whether a function is a member. Returns whether
    /// it is a static one.
    fn check_member(
        &mut self,
        decl: &FunctionDecl,
        owner: Option<Owner>,
        kind: Kind,
        params: &[Parameter],
        result: Type,
        written: Type,
    ) -> bool {
        let name = decl.declarator.name.as_ref().expect("functions have names");
        let suffix = decl.suffix();
        self.check_result(result, name.span);
        let is_static = decl.specifiers.is_static.is_some();
        let has_qualifiers = written.q.qualifiers != TypeQualifiers::default()
            || written.space.is_some()
            || suffix.reference.is_some();
        if has_qualifiers && (owner.is_none() || is_static || matches!(kind, Kind::Constructor)) {
            let is_space_of_constructor =
                kind == Kind::Constructor && written.q.qualifiers == TypeQualifiers::default();
            if !is_space_of_constructor {
                self.error(name.span, "only non-static member functions can have qualifiers");
            }
        }
        let operator = match name.last().id {
            Id::Operator(operator) => Some(operator),
            _ => None,
        };
        let allocates = matches!(operator, Some(Operator::New { .. } | Operator::Delete { .. }));
        // Functions that allocate are static members, whether they say so or not.
        let is_static = (is_static || allocates) && owner.is_some();
        if let Some(operator) = operator {
            let member = match (owner, is_static) {
                (None, _) => Membership::Free,
                (Some(_), false) => Membership::Method,
                (Some(_), true) => Membership::Static,
            };
            match allocates {
                true => self.check_allocation(operator, params, result, member, name.span),
                false => self.check_operator(operator, params, member, name.span),
            }
        }
        if kind == Kind::Conversion {
            self.check_conversion_function(decl, params, name.span);
        }
        is_static
    }

    /// The parameters of a constexpr function have literal types ([dcl.constexpr]/3).
    fn check_literal_parameters(&mut self, params: &[Parameter], span: Span) {
        for param in params {
            let record = self.record_of(param.ty.ty());
            if record.is_some_and(|record| self.class(record).is_complete)
                && !self.is_trivially_destructible(param.ty.ty())
            {
                let text = self.text_of(param.ty);
                self.error(
                    span,
                    format!("constexpr function's parameter type '{text}' is not a literal type"),
                );
            }
        }
    }

    /// So has its result: a class has a constructor that is constexpr, unless it is an aggregate
    /// (\[basic.types\]/10).
    fn check_literal_result(&mut self, result: Type, span: Span) {
        let Some(record) = self.record_of(result.ty()).filter(|record| self.class(*record).is_complete)
        else {
            return;
        };
        let constructors = self.class(record).constructors.clone();
        let may_be_constant = |id: &FnId| {
            let function = self.function(*id);
            let only = function.params.first().filter(|_| function.params.len() == 1);
            let source = only.and_then(|only| self.reference(only.ty.ty()));
            if source.is_some_and(|source| self.record_of(source.target.ty) == Some(record)) {
                return false;
            }
            function.is_constexpr || function.is_defaulted || function.template.is_some()
        };
        let has_own = self.class(record).implicit.has_own_constructor;
        if has_own && !constructors.iter().any(may_be_constant) && !self.is_closure(record) {
            let text = self.text_of(result);
            self.error(span, format!("constexpr function's return type '{text}' is not a literal type"));
        }
    }

    /// Types whose sizes differ between host and device (OpenCL C §6.11).
    fn refuse_host_sizes(&mut self, suffix: &FunctionSuffix) {
        for param in &suffix.params {
            let TypeSpecifier::Named(name) = &param.specifiers.ty else { continue };
            if !param.declarator.derived.is_empty() {
                continue;
            }
            let Some(plain) = name.plain() else { continue };
            let text = self.owned(plain.symbol);
            if matches!(text.as_str(), "size_t" | "ptrdiff_t" | "intptr_t" | "uintptr_t") {
                self.error(param.span, format!("'{text}' cannot be used as the type of a kernel parameter"));
            }
        }
    }

    /// `cl::max_size` of memory objects in constant and local memory (OpenCL C++ §2.8.4).
    fn take_max_sizes(&mut self, suffix: &FunctionSuffix, params: &mut [Parameter]) {
        for param in params {
            let written = &suffix.params[param.index];
            let attributes = written.specifiers.attributes.iter().chain(&written.declarator.attributes);
            let Some(attribute) = attributes.into_iter().find(|it| it.name == "max_size") else { continue };
            let ty = self.types.wrapped(param.ty.ty()).unwrap_or(param.ty.ty());
            let space = match self.reference(ty) {
                Some(reference) => Some(reference.space),
                None => self.types.pointee(ty).map(|(_, space)| space),
            };
            if !matches!(space, Some(AddressSpace::Constant | AddressSpace::Local)) {
                let message = "'max_size' attribute only applies to pointers and references to constant and local memory";
                self.error(attribute.span, message);
            }
            let size = match attribute.arguments.as_slice() {
                [only] => match &only.kind {
                    TemplateArgumentKind::Expr(expr) => self.constant_of(expr, "a size"),
                    TemplateArgumentKind::Type(_) => None,
                },
                _ => None,
            };
            param.max_size = size.and_then(|size| u64::try_from(size).ok()).filter(|&size| size > 0);
            if param.max_size.is_none() {
                self.error(attribute.span, "'max_size' attribute requires a positive size in bytes");
            }
        }
    }

    /// `operator T()` takes nothing but its object, and its name is its result ([class.conv.fct]).
    fn check_conversion_function(&mut self, decl: &FunctionDecl, params: &[Parameter], span: Span) {
        if !matches!(decl.specifiers.ty, TypeSpecifier::None) {
            self.error(decl.specifiers.ty_span, "conversion function cannot have a return type");
        }
        if !params.is_empty() {
            self.error(span, "conversion function cannot have any parameters");
        }
        if let Some(span) = decl.specifiers.is_static {
            self.error(span, "conversion function must be a non-static member function");
        }
    }

    fn refuse_function_attributes(&mut self, attributes: &[crate::cxx::ast::Attribute]) {
        for attribute in attributes {
            if matches!(attribute.name.as_str(), "constructor" | "destructor" | "alias" | "weak" | "ifunc") {
                let message = format!("the attribute '{}' is not supported", attribute.name);
                self.error(attribute.span, message);
            }
            let is_text = |argument: &TemplateArgument| matches!(&argument.kind, TemplateArgumentKind::Expr(expr) if matches!(expr.kind, ExprKind::Str(_)));
            if attribute.name == "nodiscard" && !attribute.arguments.iter().all(is_text) {
                self.error(attribute.span, "'nodiscard' attribute requires a string");
            }
        }
    }

    fn check_result(&mut self, result: Type, span: Span) {
        let text = self.text_of(result);
        match self.types.kind(result.ty()) {
            TypeKind::Array { .. } | TypeKind::Function { .. } => {
                self.error(span, format!("function cannot return array or function type '{text}'"));
            }
            _ if self.types.is_parameter_only(result.ty()) => {
                self.error(span, format!("declaring function return value of type '{text}' is not allowed"));
            }
            _ if result.space.is_some() && !self.is_error_type(result) => {
                self.error(span, format!("return type cannot be qualified with address space '{text}'"));
            }
            TypeKind::Scalar(ScalarKind::Half) if !self.has(Feature::Fp16) => {
                self.error(span, "declaring function return value of type 'half' is not allowed");
            }
            _ => {}
        }
    }

    pub(in crate::check::cxx) fn declared_parameters(
        &mut self,
        suffix: &Rc<FunctionSuffix>,
        scope: ScopeId,
    ) -> Vec<Parameter> {
        let types = self.parameter_types(&suffix.params);
        let mut result = Vec::new();
        for (ty, index) in types {
            let param = &suffix.params[index];
            if ty.space.is_some_and(|space| space != AddressSpace::Private) {
                self.error(param.span, "parameter may not be qualified with an address space");
            }
            let default = DefaultArgument::of(param, scope);
            result.push(Parameter::new(Type { space: None, ..ty }, index, default));
        }
        result
    }

    /// Makes parameters known by their types, where they are not evaluated.
    pub(in crate::check::cxx) fn bind_unevaluated(&mut self, suffix: &FunctionSuffix, params: &[Parameter]) {
        for (index, param) in suffix.params.iter().enumerate() {
            let Some(name) = param.declarator.name.as_ref().and_then(|name| name.plain()) else { continue };
            let of_param: Vec<_> = params.iter().filter(|known| known.index == index).map(|p| p.ty).collect();
            let ids: Vec<_> = of_param
                .into_iter()
                .map(|ty| {
                    self.add_variable(Variable {
                        name: name.symbol,
                        ty,
                        space: AddressSpace::Private,
                        storage: Storage::None,
                        constant: None,
                        target: None,
                        is_constexpr: false,
                        span: name.span,
                    })
                })
                .collect();
            let entity = match (param.expansion.is_some(), ids.first()) {
                (false, Some(id)) => Entity::Variable(*id),
                _ => Entity::Variables(ids),
            };
            self.bind(name, entity);
        }
    }

    fn check_kernel_signature(&mut self, params: &[Parameter], result: Type, span: Span) {
        if !self.types.is_void(result.ty()) && !self.is_error_type(result) {
            self.error(span, "kernel must have void return type");
        }
        if self.enclosing_class(self.scope).is_some() {
            self.error(span, "kernel functions cannot be class members (C++ for OpenCL §2.4)");
        }
        for param in params {
            let at = span;
            self.complete_parameter(param.ty, at);
            // Of a class that wraps a pointer or an image, the kernel takes what it wraps.
            let ty = self.types.wrapped(param.ty.ty()).map_or(param.ty, Type::of);
            if param.default.is_some() {
                self.error(at, "a kernel's parameter cannot have a default argument");
            }
            let target = match self.reference(ty.ty()) {
                Some(reference) => Some((reference.target, reference.space)),
                None => self.types.pointee(ty.ty()),
            };
            if let Some((target, space)) = target {
                if !matches!(space, AddressSpace::Global | AddressSpace::Constant | AddressSpace::Local) {
                    self.error(
                        at,
                        "pointer arguments to kernel functions must reside in '__global', '__constant' or '__local' address space",
                    );
                }
                let mut pointed = target.ty;
                while let Some((inner, _)) = self.types.pointee(pointed) {
                    pointed = inner.ty;
                }
                if let Some(record) = self.record_of(pointed)
                    && self.require_complete(record, at)
                    && !self.has_free_parameters
                    && !self.is_standard_layout(record)
                {
                    let text = self.type_text(pointed);
                    self.error(at, format!("'{text}' cannot be used as the type of a kernel parameter: it has no standard layout"));
                }
                continue;
            }
            if let Some(record) = self.record_of(ty.ty()) {
                self.complete(ty.ty(), at, "parameter");
                let is_plain = self.is_trivially_copyable(ty.ty())
                    && (self.has_free_parameters
                        || self.class(record).implicit.is_trivially_default
                            && self.is_standard_layout(record));
                if !is_plain {
                    let text = self.text_of(ty);
                    self.error(at, format!("'{text}' cannot be used as the type of a kernel parameter: it must be a plain class (C++ for OpenCL §2.4)"));
                    continue;
                }
            }
            if matches!(self.types.kind(ty.ty()), TypeKind::MemberPointer { .. } | TypeKind::Nullptr) {
                let text = self.text_of(ty);
                self.error(at, format!("'{text}' cannot be used as the type of a kernel parameter"));
                continue;
            }
            self.checker.check_kernel_type(ty.ty(), at);
        }
    }

    fn complete_parameter(&mut self, ty: Type, span: Span) {
        if let Some(record) = self.record_of(ty.ty()) {
            self.require_complete(record, span);
        }
    }

    /// Whether objects of a type that is not trivially copyable are passed and returned in memory.
    pub(in crate::check::cxx) fn is_passed_in_memory(&mut self, ty: TypeId) -> bool {
        self.record_of(ty).is_some() && !self.is_trivially_copyable(ty) && self.types.wrapped(ty).is_none()
    }

    /// The type of the address to which a function writes its result, an object of this class. Callers make
    /// the object where it will live ([class.copy.elision]), so that is any address space, unless
    /// constructors are for one only: then it is private memory.
    pub(in crate::check::cxx) fn result_address(&mut self, ty: TypeId) -> TypeId {
        let record = self.record_of(ty).expect("only classes are returned in memory");
        let constructors = &self.class(record).constructors;
        let is_any = constructors.iter().all(|id| self.function(*id).this_space == AddressSpace::Generic);
        let space = if is_any { AddressSpace::Generic } else { AddressSpace::Private };
        self.types.pointer(ty.into(), space)
    }

    /// The type of a parameter in the HIR.
    pub(super) fn passed_type(&mut self, ty: TypeId) -> TypeId {
        if self.is_passed_in_memory(ty) {
            return self.types.pointer(ty.into(), AddressSpace::Private);
        }
        self.hir_type(ty)
    }

    /// The type of `this`.
    pub(in crate::check::cxx) fn this_type(&mut self, id: FnId) -> Option<TypeId> {
        let function = self.function(id);
        let record = function.class.filter(|_| function.has_this())?;
        let target = QualifiedType { ty: self.class(record).ty, qualifiers: function.this_qualifiers };
        let space = function.this_space;
        Some(self.types.pointer(target, space))
    }
}
