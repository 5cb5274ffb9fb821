//! Declarations of variables and types at file and block scope (C99 §6.7, OpenCL C §6.7, §6.10).

use super::Checker;
use super::declarator::Declared;
use super::gate::choice_of;
use super::scope::{Entity, Storage, Variable};
use crate::ast::{self, Declaration, Derived, InitDeclarator, Name, Specifiers, StorageClass};
use crate::diagnostic::Diagnostic;
use crate::hir::{Initializer, Local, Statement, StatementKind};
use crate::options::LanguageVersion;
use crate::types::{OpaqueType, QualifiedType, TypeKind};
use clvk_interface::Feature;
use clvk_ir::AddressSpace;

/// The storage classes of a declaration.
#[derive(Clone, Copy, Default)]
pub(super) struct StorageClasses {
    is_typedef: bool,
    pub is_extern: bool,
    pub is_static: bool,
}

/// A variable that is declared.
pub(super) struct Target<'b> {
    pub name: Name,
    pub declared: Declared,
    pub align: u32,
    pub initializer: Option<&'b ast::Initializer>,
    pub storage: StorageClasses,
}

impl Checker<'_> {
    /// A declaration at file scope.
    pub(super) fn file_declaration(&mut self, declaration: &Declaration) {
        let mut none = Vec::new();
        self.declaration(declaration, &mut none);
        assert!(none.is_empty(), "declarations at file scope make no statements");
    }

    /// A declaration; initialisers of automatic variables become statements.
    pub(super) fn declaration(&mut self, declaration: &Declaration, statements: &mut Vec<Statement>) {
        let specifiers = &declaration.specifiers;
        let storage = self.storage_classes(specifiers);
        let first = declaration.declarators.first();
        let is_function = |item: &InitDeclarator| {
            matches!(item.declarator.derived.first(), Some(Derived::Function(_))) && !storage.is_typedef
        };
        // A function declaration evaluates its own specifiers; evaluating them here too would define types
        // twice.
        if let (1, Some(item)) = (declaration.declarators.len(), first.filter(|item| is_function(item))) {
            self.declare_function_item(specifiers, item);
            return;
        }
        let base = self.specifiers(specifiers);
        if let (Some(span), true) = (specifiers.is_inline, declaration.declarators.is_empty()) {
            self.error(span, "'inline' can only be applied to functions");
        }
        if declaration.declarators.is_empty() {
            self.declaration_without_names(declaration);
            return;
        }
        if let Some(span) = specifiers.is_kernel {
            self.error(span, "'__kernel' can only be applied to functions");
            self.declare_erroneous(declaration);
            return;
        }
        if let Some(span) = specifiers.is_inline
            && !declaration.declarators.iter().all(is_function)
        {
            self.error(span, "'inline' can only be applied to functions");
            self.declare_erroneous(declaration);
            return;
        }
        for item in &declaration.declarators {
            if is_function(item) {
                self.declare_function_item(specifiers, item);
            } else {
                self.declare_item(base, specifiers, storage, item, statements);
            }
        }
    }

    fn declare_function_item(&mut self, specifiers: &Specifiers, item: &InitDeclarator) {
        if item.initializer.is_some() {
            self.error(item.declarator.span, "illegal initializer (only variables can be initialized)");
        }
        self.function_declaration(specifiers, &item.declarator);
    }

    /// Declares names whose declaration has an error.
    fn declare_erroneous(&mut self, declaration: &Declaration) {
        for name in declaration.declarators.iter().filter_map(|item| item.declarator.name) {
            self.redeclare(name, Entity::Error);
        }
    }

    fn declaration_without_names(&mut self, declaration: &Declaration) {
        let declares = match &declaration.specifiers.ty {
            ast::TypeSpecifier::Record(record) => record.tag.is_some() || record.members.is_none(),
            ast::TypeSpecifier::Enum(_) => true,
            ast::TypeSpecifier::Missing | ast::TypeSpecifier::Unsupported(_) => true,
            _ => false,
        };
        if !declares {
            self.warn(declaration.span, "declaration does not declare anything");
        }
    }

    fn storage_classes(&mut self, specifiers: &Specifiers) -> StorageClasses {
        let mut result = StorageClasses::default();
        for (class, span) in &specifiers.storage {
            let text = match class {
                StorageClass::Typedef => {
                    result.is_typedef = true;
                    continue;
                }
                StorageClass::Extern => {
                    result.is_extern = true;
                    "extern"
                }
                StorageClass::Static => {
                    result.is_static = true;
                    "static"
                }
                StorageClass::Auto => "auto",
                StorageClass::Register => "register",
            };
            if matches!(class, StorageClass::Auto | StorageClass::Register) {
                self.error(*span, format!("OpenCL does not support the '{text}' storage class specifier"));
            } else {
                let what = format!("the '{text}' storage class specifier");
                self.demand_version(*span, &what, LanguageVersion::C12);
            }
        }
        if specifiers.storage.len() > 1 {
            let span = specifiers.storage[1].1;
            self.error(span, "cannot combine with previous declaration specifier");
        }
        result
    }

    /// Whether the type may be completed later or by another program, because the object has linkage and is
    /// not defined here, or only tentatively (C99 §6.7p7, §6.9.2).
    fn may_be_incomplete(&self, target: &Target) -> bool {
        let constant = target.declared.space == Some(AddressSpace::Constant);
        target.storage.is_extern || (self.at_file_scope() && !constant)
    }

    fn declare_item(
        &mut self,
        base: Declared,
        specifiers: &Specifiers,
        storage: StorageClasses,
        item: &InitDeclarator,
        statements: &mut Vec<Statement>,
    ) {
        let declarator = &item.declarator;
        let Some(name) = declarator.name else { return };
        let declared = self.declarator_type(base, declarator);
        let attributes = specifiers.attributes.iter().chain(&declarator.attributes);
        let mut declared = declared;
        let (vectors, others): (Vec<&ast::Attribute>, _) =
            attributes.clone().partition(|attribute| self.makes_vector(attribute, storage.is_typedef));
        if let Some(attribute) = vectors.first() {
            declared.ty.ty = self.vector_type_of(declared.ty.ty, attribute);
        }
        let (align, _) = self.layout_attributes(others.into_iter());
        if storage.is_typedef {
            let lowers = align < self.types.layout(declared.ty.ty).map_or(1, |(_, natural)| natural);
            if lowers && self.has_alignment(attributes) {
                self.unsupported(declarator.span, "a typedef with an alignment below the type's own");
            }
            let declared = Declared { align: align.max(declared.align), ..declared };
            self.declare_typedef(name, declared, item);
            return;
        }
        if let (true, true, Some(_)) = (storage.is_extern, self.current.is_some(), &item.initializer) {
            self.error(
                name.span,
                "declaration of block scope identifier with linkage cannot have an initializer",
            );
            self.redeclare(name, Entity::Error);
            return;
        }
        let align = align.max(declared.align);
        let target = Target { name, declared, align, initializer: item.initializer.as_ref(), storage };
        self.declare_variable(target, statements);
    }

    fn declare_typedef(&mut self, name: Name, declared: Declared, item: &InitDeclarator) {
        if item.initializer.is_some() {
            self.error(name.span, "illegal initializer (only variables can be initialized)");
        }
        if let TypeKind::Record(id) = *self.types.kind(declared.ty.ty)
            && self.types.record(id).tag.is_none()
        {
            self.record_names.entry(id).or_insert(name.symbol);
        }
        if let Some((Entity::Typedef(previous), _)) = self.find_here(name.symbol)
            && previous.ty == declared.ty
            && previous.space == declared.space
        {
            return;
        }
        self.declare(name, Entity::Typedef(declared));
    }

    fn declare_variable(&mut self, target: Target, statements: &mut Vec<Statement>) {
        let name = target.name;
        let declared = target.declared;
        if self.is_block(declared.ty.ty) {
            let span = name.span;
            let effect = self.block_variable(&target);
            statements.extend(effect.map(|block| Statement { kind: StatementKind::Expr(block), span }));
            return;
        }
        if self.types.is_error(declared.ty.ty) || !self.check_variable_type(declared, &target) {
            self.initializer_for_errors(target.initializer);
            self.redeclare(name, Entity::Error);
            return;
        }
        if matches!(self.types.kind(declared.ty.ty), TypeKind::Sampler) {
            let entity = self.sampler_variable(&target);
            self.redeclare(name, entity);
            return;
        }
        let Some(space) = self.variable_space(&target) else {
            self.declare_misplaced(&target);
            return;
        };
        if space == AddressSpace::Private {
            self.automatic(&target, statements);
        } else {
            self.static_variable(&target, space);
        }
    }

    fn check_variable_type(&mut self, declared: Declared, target: &Target) -> bool {
        let span = target.name.span;
        let text = self.type_text(declared.ty.ty);
        match self.types.kind(declared.ty.ty) {
            TypeKind::Void => {
                self.error(span, "variable has incomplete type 'void'");
                false
            }
            TypeKind::Function { .. } => {
                self.error(span, "a function cannot be declared through a typedef");
                false
            }
            TypeKind::Image(_) => {
                self.error(span, format!("the '{text}' type can only be used as a function parameter"));
                false
            }
            TypeKind::Opaque(opaque) if opaque.is_parameter_only() => {
                self.error(span, format!("the '{text}' type can only be used as a function parameter"));
                false
            }
            TypeKind::Event | TypeKind::Opaque(OpaqueType::ClkEvent | OpaqueType::ReserveId)
                if self.at_file_scope() =>
            {
                self.error(
                    span,
                    format!("the '{text}' type cannot be used to declare a program scope variable"),
                );
                false
            }
            _ if self.types.holds_matrices(declared.ty.ty)
                && (self.at_file_scope()
                    || target.storage.is_static
                    || target.storage.is_extern
                    || !matches!(declared.space, None | Some(AddressSpace::Private))) =>
            {
                let message =
                    format!("the '{text}' type can only be used for automatic variables in private memory");
                self.error(span, message);
                false
            }
            TypeKind::Event if !matches!(declared.space, None | Some(AddressSpace::Private)) => {
                self.error(
                    span,
                    format!("the '{text}' type can only be used with the private address space"),
                );
                false
            }
            TypeKind::Sampler => true,
            TypeKind::Array { length: None, .. }
                if target.initializer.is_some() || self.may_be_incomplete(target) =>
            {
                true
            }
            TypeKind::Record(_) if target.initializer.is_none() && self.may_be_incomplete(target) => true,
            TypeKind::Array { length: None, .. } => {
                self.error(
                    span,
                    "definition of variable with array type needs an explicit size or an initializer",
                );
                false
            }
            _ => self.check_object_type(declared.ty.ty, span, "variable"),
        }
    }

    /// The address space of a variable: as written, or the default of its scope (OpenCL C §6.7); `None` after
    /// an error.
    fn variable_space(&mut self, target: &Target) -> Option<AddressSpace> {
        let span = target.name.span;
        let is_static = target.storage.is_static || target.storage.is_extern;
        if self.at_file_scope() {
            let allowed = self.has_program_scope_variables();
            return match target.declared.space {
                Some(AddressSpace::Constant) => Some(AddressSpace::Constant),
                None | Some(AddressSpace::Global) if allowed => Some(AddressSpace::Global),
                _ => {
                    self.report_static_space(target, "program scope variable");
                    None
                }
            };
        }
        match target.declared.space {
            None | Some(AddressSpace::Private) if !is_static => Some(AddressSpace::Private),
            Some(AddressSpace::Constant) if is_static => Some(AddressSpace::Constant),
            Some(AddressSpace::Constant) => self.kernel_scope_space(target, AddressSpace::Constant),
            Some(AddressSpace::Local) if is_static => {
                self.report_static_space(target, "static local variable");
                None
            }
            Some(AddressSpace::Local) => self.local_space(target),
            None | Some(AddressSpace::Global) if is_static && self.has_program_scope_variables() => {
                Some(AddressSpace::Global)
            }
            Some(AddressSpace::Global) => {
                let message = "function scope variable cannot be declared in global address space";
                let mut diagnostic = Diagnostic::error(span, message);
                if is_static && self.options.version < LanguageVersion::C20 {
                    let choice = choice_of(LanguageVersion::C20);
                    diagnostic =
                        diagnostic.note(format!("a 'static' one requires OpenCL C 2.0 or newer: {choice}"));
                } else if !is_static && self.has_program_scope_variables() {
                    diagnostic = diagnostic.note("declare it 'static', or outside of the function");
                }
                self.report(diagnostic);
                None
            }
            Some(AddressSpace::Generic) => {
                self.error(span, "a variable cannot be declared in the generic address space");
                None
            }
            _ => {
                self.report_static_space(target, "static local variable");
                None
            }
        }
    }

    /// Reports a variable of static storage duration in an address space that it cannot have.
    fn report_static_space(&mut self, target: &Target, what: &str) {
        let allowed = self.has_program_scope_variables();
        let spaces = if allowed { "global or constant" } else { "constant" };
        let message = format!("{what} must reside in {spaces} address space");
        let mut diagnostic = Diagnostic::error(target.name.span, message);
        if !allowed && matches!(target.declared.space, None | Some(AddressSpace::Global)) {
            let feature = Feature::ProgramScopeGlobalVariables;
            diagnostic = match self.options.version < LanguageVersion::C20 {
                true => diagnostic.note(format!(
                    "global memory requires OpenCL C 2.0 or newer: {}",
                    choice_of(LanguageVersion::C20)
                )),
                false => diagnostic
                    .note(format!(
                        "global memory requires {}, which the device does not offer",
                        feature.name()
                    ))
                    .note(format!("without it, {}", feature.instead())),
            };
        }
        self.report(diagnostic);
    }

    fn local_space(&mut self, target: &Target) -> Option<AddressSpace> {
        self.kernel_scope_space(target, AddressSpace::Local)?;
        if target.initializer.is_some() {
            self.error(target.name.span, "'__local' variable cannot have an initializer");
            return None;
        }
        Some(AddressSpace::Local)
    }

    /// The local or constant address space. Only the outermost block of a kernel may declare variables in it
    /// (OpenCL C §6.7.6).
    fn kernel_scope_space(&mut self, target: &Target, space: AddressSpace) -> Option<AddressSpace> {
        let span = target.name.span;
        let text = if space == AddressSpace::Local { "local" } else { "constant" };
        let state = self.current.as_ref().expect("inside a function");
        if !state.is_kernel {
            let message = format!("non-kernel function variable cannot be declared in {text} address space");
            self.error(span, message);
            return None;
        }
        // File scope and function scope.
        if self.scopes.len() > 2 {
            let message = format!(
                "variables in the {text} address space can only be declared in the outermost scope of a kernel function"
            );
            self.error(span, message);
            return None;
        }
        Some(space)
    }

    /// Declares a variable whose address space is wrong, so that its uses are checked.
    fn declare_misplaced(&mut self, target: &Target) {
        let (name, ty) = (target.name, target.declared.ty);
        self.initializer_for_errors(target.initializer);
        if self.current.is_none() || self.types.layout(ty.ty).is_none() {
            self.redeclare(name, Entity::Error);
            return;
        }
        let local = Local { name: self.owned(name.symbol), ty, align: target.align, span: name.span };
        let storage = Storage::Local(self.add_local(local), self.outer.len());
        let space = target.declared.space.unwrap_or(AddressSpace::Private);
        self.redeclare(name, Entity::Variable(Variable { storage, ty, space }));
    }

    /// After an error in the initialiser of a variable that is declared: its type is known, and its uses are
    /// checked, unless they depend on its value or on the length that the initialiser gives it.
    pub(super) fn redeclare_after_error(&mut self, name: Name, ty: QualifiedType) {
        if self.is_constant_integer(ty) || self.types.layout(ty.ty).is_none() {
            self.redeclare(name, Entity::Error);
        }
    }

    fn automatic(&mut self, target: &Target, statements: &mut Vec<Statement>) {
        let name = target.name;
        let mut local = Local {
            name: self.owned(name.symbol),
            ty: target.declared.ty,
            align: target.align,
            span: name.span,
        };
        let id = self.add_local(local.clone());
        let storage = Storage::Local(id, self.outer.len());
        let variable = |ty| Entity::Variable(Variable { storage, ty, space: AddressSpace::Private });
        // The name is in scope in its own initialiser (C99 §6.2.1).
        self.declare(name, variable(local.ty));
        let changes = self.changes;
        let initializer = match target.initializer {
            None => None,
            Some(initializer) => match self.automatic_initializer(local.ty, initializer) {
                Some((ty, value)) => {
                    local.ty = ty;
                    self.check_sequence(&value, changes);
                    Some(value)
                }
                None => {
                    self.redeclare_after_error(name, local.ty);
                    return;
                }
            },
        };
        let Some((_, natural)) = self.types.layout(local.ty.ty) else {
            self.redeclare(name, Entity::Error);
            return;
        };
        local.align = local.align.max(natural);
        let constant = initializer.as_ref().and_then(|value| self.constant_variable(local.ty, value));
        let state = self.current.as_mut().expect("inside a function");
        state.locals[id.0 as usize] = local.clone();
        if let Some(bits) = constant {
            state.constants.insert(id, bits);
        }
        // The initialiser may have given the type its length.
        if let Some((Entity::Variable(known), _)) =
            self.scopes.last_mut().expect("a scope").names.get_mut(&name.symbol)
        {
            known.ty = local.ty;
        }
        statements
            .push(Statement { kind: StatementKind::Declare { local: id, initializer }, span: name.span });
    }

    /// The value of a variable that constant expressions may name: a `const` integer with a constant
    /// initialiser. This comes from C++, and other OpenCL C compilers allow it too.
    fn constant_variable(&self, ty: QualifiedType, initializer: &Initializer) -> Option<u64> {
        let Initializer::Value(value) = initializer else { return None };
        if !self.is_constant_integer(ty) {
            return None;
        }
        self.integer_of(value).map(|number| {
            number as u64 & super::constant::mask(self.types.as_scalar(ty.ty).expect("an integer"))
        })
    }
}
