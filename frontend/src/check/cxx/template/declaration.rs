//! Declarations of templates: of classes, aliases, variables and functions (\[temp\]).

use super::{Partial, TemplateKind, merged_defaults};
use crate::Span;
use crate::ast::Name;
use crate::check::cxx::function::{Function, Owner};
use crate::check::cxx::scope::Entity;
use crate::check::cxx::types::Type;
use crate::check::cxx::{Cxx, FnId, TemplateId};
use crate::cxx::ast::{
    Access, ClassSpecifier, Decl, DeclKind, FunctionDecl, Id, Specifiers, TemplateDecl, TemplateParam,
    TemplateParamKind, TypeSpecifier,
};
use crate::diagnostic::Diagnostic;
use crate::symbol::Symbol;
use std::rc::Rc;

impl Cxx<'_> {
    /// `template <…> decl`. Returns the name that it declares.
    pub(in crate::check::cxx) fn template_declaration(
        &mut self,
        template: &Rc<TemplateDecl>,
        span: Span,
        owner: Option<Owner>,
    ) -> Option<Symbol> {
        let is_function = matches!(
            template.decl.kind,
            DeclKind::Function(_) | DeclKind::DeductionGuide { .. } | DeclKind::Template(_)
        );
        self.is_partial_params = match &template.decl.kind {
            DeclKind::Simple { specifiers, declarators } => match (&specifiers.ty, declarators.first()) {
                (_, Some(item)) => {
                    item.declarator.name.as_ref().is_some_and(|name| name.last().arguments.is_some())
                }
                (TypeSpecifier::Class(class), None) => {
                    class.name.as_ref().is_some_and(|name| name.last().arguments.is_some())
                }
                _ => false,
            },
            _ => false,
        };
        let earlier = self.earlier_params(&template.decl);
        self.check_template_params(&template.params, earlier.as_deref(), is_function);
        let first = self.templates.len();
        let symbol = self.declared_template(template, span, owner);
        // A template sees itself and what is declared before it.
        self.order += 1;
        for made in &mut self.templates[first..] {
            made.horizon = self.order + 1;
        }
        symbol
    }

    fn declared_template(
        &mut self,
        template: &Rc<TemplateDecl>,
        span: Span,
        owner: Option<Owner>,
    ) -> Option<Symbol> {
        match &template.decl.kind {
            DeclKind::Alias { name, .. } => {
                let id = self.add_template(
                    TemplateKind::Alias,
                    *name,
                    &template.params,
                    &template.decl,
                    self.scope,
                    owner,
                );
                self.declare(*name, Entity::Template(id));
                Some(name.symbol)
            }
            DeclKind::Simple { specifiers, declarators } => match (&specifiers.ty, declarators.is_empty()) {
                (TypeSpecifier::Class(class), true) => {
                    self.class_template(template, class, specifiers, owner)
                }
                _ => {
                    self.check_variable_type(template, specifiers);
                    self.variable_template(template, declarators, span, owner)
                }
            },
            DeclKind::Function(function) => self.function_template(template, function, owner),
            // A member template of a class template, defined outside.
            DeclKind::Template(inner) => {
                let DeclKind::Function(function) = &inner.decl.kind else {
                    self.error(span, "this declaration cannot be a template");
                    return None;
                };
                let name = function.declarator.name.clone()?;
                self.outside_member(template, &name, span);
                None
            }
            DeclKind::DeductionGuide { name, suffix, target, is_explicit } => {
                self.deduction_guide(*name, suffix, target, *is_explicit, Some(&template.params));
                None
            }
            _ => {
                self.error(span, "this declaration cannot be a template");
                None
            }
        }
    }

    /// Reports the type of a variable template that nothing declares ([temp.nondep]).
    fn check_variable_type(&mut self, template: &TemplateDecl, specifiers: &Specifiers) {
        let TypeSpecifier::Named(name) = &specifiers.ty else { return };
        let Some(plain) = name.plain() else { return };
        let is_param = |param: &TemplateParam| param.name.is_some_and(|name| name.symbol == plain.symbol);
        if !template.params.iter().any(is_param) && self.peek_entity(name).is_none() {
            let text = self.owned(plain.symbol);
            let mut diagnostic = Diagnostic::error(plain.span, format!("unknown type name '{text}'"));
            if text == "concept" {
                diagnostic = diagnostic.note("concepts need C++20; C++ for OpenCL has C++17");
            }
            self.report(diagnostic);
        }
    }

    /// The parameters in earlier declarations of a class template.
    fn earlier_params(&self, decl: &Decl) -> Option<Rc<Vec<TemplateParam>>> {
        let DeclKind::Simple { specifiers, .. } = &decl.kind else { return None };
        let TypeSpecifier::Class(class) = &specifiers.ty else { return None };
        let name = class.name.as_ref()?.plain()?;
        match self.scope_ref(self.scope).names.get(&name.symbol)?.entity {
            Entity::Template(known) => Some(self.template(known).params.clone()),
            _ => None,
        }
    }

    fn check_template_params(
        &mut self,
        params: &[TemplateParam],
        earlier: Option<&Vec<TemplateParam>>,
        is_function: bool,
    ) {
        let has_earlier =
            |index: usize| earlier.and_then(|list| list.get(index)).is_some_and(|it| it.default.is_some());
        for (index, param) in params.iter().enumerate() {
            if let Some(name) = param.name
                && let Some(other) = params[..index]
                    .iter()
                    .filter_map(|param| param.name)
                    .find(|other| other.symbol == name.symbol)
            {
                let text = self.owned(name.symbol);
                let diagnostic = Diagnostic::error(name.span, format!("redefinition of '{text}'"));
                self.report(diagnostic.related(other.span, "previous definition is here"));
            }
            let is_last = index + 1 == params.len();
            if param.default.is_none()
                && !has_earlier(index)
                && !is_function
                && !param.is_pack
                && params[..index].iter().any(|param| param.default.is_some())
            {
                self.error(param.span, "template parameter missing a default argument");
            }
            if let TemplateParamKind::Value { specifiers, declarator, .. } = &param.kind {
                self.check_reference_parameter(declarator, param.span);
                let is_float = matches!(
                    specifiers.ty,
                    TypeSpecifier::Basic(
                        crate::ast::BasicType::Float
                            | crate::ast::BasicType::Double
                            | crate::ast::BasicType::Half
                    )
                );
                let is_class = matches!(&specifiers.ty, TypeSpecifier::Named(name)
                    if matches!(self.peek_entity(name), Some(Entity::Type(ty)) if self.record_of(ty.ty()).is_some()));
                if (is_float || is_class) && declarator.derived.is_empty() {
                    self.error(
                        param.span,
                        "a non-type template parameter cannot have this type before C++20",
                    );
                }
            }
            let is_class = !is_function
                && matches!(
                    &param.kind,
                    TemplateParamKind::Type
                        | TemplateParamKind::Value { .. }
                        | TemplateParamKind::Template(_)
                );
            if is_class && param.is_pack && !is_last && !self.is_partial_params {
                self.error(param.span, "template parameter pack must be the last template parameter");
            }
            if param.is_pack && param.default.is_some() {
                self.error(param.span, "template parameter pack cannot have a default argument");
            }
        }
    }

    fn class_template(
        &mut self,
        template: &Rc<TemplateDecl>,
        class: &Rc<ClassSpecifier>,
        specifiers: &Specifiers,
        owner: Option<Owner>,
    ) -> Option<Symbol> {
        self.refuse_virtual_members(class);
        let name = class.name.as_ref()?;
        let Id::Name(symbol) = name.last().id else { return None };
        let at = Name { symbol, span: name.last().span };
        let (last, around) = name.parts.split_last()?;
        if last.arguments.is_none() && around.iter().any(|part| part.arguments.is_some()) {
            // A class in a class template, whose instances define it.
            self.outside_member(template, name, at.span);
            return None;
        }
        let scope = match name.is_qualified() {
            true => match self.prefix(name)? {
                crate::check::cxx::lookup::Within::Scope(scope) => scope,
                crate::check::cxx::lookup::Within::Scalar(_) => return None,
            },
            false if specifiers.is_friend.is_some() => self.enclosing_namespace(self.scope),
            false => self.scope,
        };
        let known = match self.scope_ref(scope).names.get(&symbol).map(|slot| slot.entity.clone()) {
            Some(Entity::Template(id)) => Some(id),
            _ => None,
        };
        if let Some(arguments) = &name.last().arguments {
            let Some(known) = known else {
                let text = self.owned(symbol);
                self.error(at.span, format!("explicit specialization of undeclared template '{text}'"));
                return None;
            };
            let home = self.template(known).scope;
            if !self.check_specialization_scope(home, at.span) {
                return None;
            }
            self.check_partial(known, &template.params, arguments, at.span);
            self.templates[known.0 as usize].partial.push(Partial {
                params: template.params.clone(),
                pattern: arguments.clone(),
                decl: template.decl.clone(),
                scope: self.scope,
            });
            return None;
        }
        if let Some(known) = known {
            let before = self.template(known).params.clone();
            if !self.check_redeclared_params(&before, &template.params, at.span) {
                return None;
            }
            if let (Some(owner), true) = (owner, specifiers.is_friend.is_some()) {
                self.class_mut(owner.record).friend_templates.push(known);
                return None;
            }
            let defined = self.template(known).is_defined;
            if class.body.is_some() && defined {
                let previous = self.template(known).name.span;
                let text = self.owned(symbol);
                let diagnostic = Diagnostic::error(at.span, format!("redefinition of '{text}'"));
                self.report(diagnostic.related(previous, "previous definition is here"));
                return None;
            }
            if class.body.is_some() {
                // Default arguments may be in the first declaration.
                self.order += 1;
                let horizon = self.order + 1;
                let merged = merged_defaults(&before, &template.params);
                let target = &mut self.templates[known.0 as usize];
                target.params = merged;
                target.decl = template.decl.clone();
                target.is_defined = true;
                target.horizon = horizon;
            } else {
                // Default arguments may be in any declaration; the names are those of the definition.
                self.templates[known.0 as usize].params = merged_defaults(&template.params, &before);
            }
            return Some(symbol);
        }
        let id = self.add_template(TemplateKind::Class, at, &template.params, &template.decl, scope, owner);
        self.declare_in(scope, at, Entity::Template(id));
        if let (Some(owner), true) = (owner, specifiers.is_friend.is_some()) {
            self.class_mut(owner.record).friend_templates.push(id);
            return None;
        }
        Some(symbol)
    }

    fn variable_template(
        &mut self,
        template: &Rc<TemplateDecl>,
        declarators: &[crate::cxx::ast::InitDeclarator],
        span: Span,
        owner: Option<Owner>,
    ) -> Option<Symbol> {
        let [item] = declarators else {
            self.error(span, "a template declares one name");
            return None;
        };
        let name = item.declarator.name.as_ref()?;
        if name.is_qualified() {
            self.outside_member(template, name, span);
            return None;
        }
        let Id::Name(symbol) = name.last().id else { return None };
        let at = Name { symbol, span: name.last().span };
        if let Some(arguments) = &name.last().arguments {
            let Some(Entity::Template(known)) = self.find(symbol).map(|found| found.entity) else {
                self.error(at.span, "explicit specialization of an undeclared template");
                return None;
            };
            self.check_partial(known, &template.params, arguments, at.span);
            self.templates[known.0 as usize].partial.push(Partial {
                params: template.params.clone(),
                pattern: arguments.clone(),
                decl: template.decl.clone(),
                scope: self.scope,
            });
            return None;
        }
        let id = self.add_template(
            TemplateKind::Variable,
            at,
            &template.params,
            &template.decl,
            self.scope,
            owner,
        );
        self.declare(at, Entity::Template(id));
        Some(symbol)
    }

    fn function_template(
        &mut self,
        template: &Rc<TemplateDecl>,
        function: &Rc<FunctionDecl>,
        owner: Option<Owner>,
    ) -> Option<Symbol> {
        let name = function.declarator.name.clone()?;
        if function.specifiers.is_kernel.is_some() {
            self.error(
                name.span,
                "kernel functions cannot be used in a template declaration, instantiation or specialization",
            );
            return None;
        }
        if let Some(span) = function.specifiers.is_virtual {
            self.error(span, "'virtual' cannot be specified on member function templates");
            return None;
        }
        if self.is_partial_function(&name) {
            return None;
        }
        self.check_literal_template(template, function);
        if name.is_qualified() {
            self.outside_member(template, &name, name.span);
            return None;
        }
        let is_friend = function.specifiers.is_friend.is_some();
        let own = if is_friend { None } else { owner };
        let is_constructor = own.is_some()
            && matches!(function.specifiers.ty, TypeSpecifier::None)
            && matches!(name.last().id, Id::Name(_));
        let symbol = match &name.last().id {
            Id::Conversion(_) => self.names.begin,
            id => self.symbol_of(id)?,
        };
        let at = Name { symbol, span: name.span };
        let scope = self.scope;
        let home = if is_friend { self.enclosing_namespace(scope) } else { scope };
        // A declaration that is defined here, or the other way round.
        let siblings: Vec<FnId> = match (own, is_constructor) {
            (Some(_), true) => Vec::new(),
            _ => match self.scope_ref(home).names.get(&symbol).map(|slot| slot.entity.clone()) {
                Some(Entity::Functions(list)) => list,
                _ => Vec::new(),
            },
        };
        let id = self.add_template(TemplateKind::Function, at, &template.params, &template.decl, scope, own);
        let is_plain = own.is_none();
        for known in siblings {
            let Some(other) = self.function(known).template else { continue };
            if is_plain && self.is_same_template(other, id) {
                let has_body = |cxx: &Self, template: TemplateId| match &cxx.template(template).decl.kind {
                    DeclKind::Function(function) => function.body.is_some(),
                    _ => false,
                };
                if has_body(self, other) && has_body(self, id) {
                    let previous = self.template(other).name.span;
                    let text = self.owned(symbol);
                    let diagnostic = Diagnostic::error(at.span, format!("redefinition of '{text}'"));
                    self.report(diagnostic.related(previous, "previous definition is here"));
                    self.templates.pop();
                    return None;
                }
                self.refuse_added_defaults(function);
                if has_body(self, id) {
                    self.define_function_template(other, template, self.template(id).horizon);
                }
                self.templates.pop();
                self.order += 1;
                if let (Some(owner), true) = (owner, is_friend) {
                    self.class_mut(owner.record).friends.push((symbol, known));
                }
                return Some(symbol);
            }
        }
        let candidate = self.template_candidate(id, function, own)?;
        self.templates[id.0 as usize].function = Some(candidate);
        if let (Some(owner), true) = (owner, is_friend) {
            self.class_mut(owner.record).friends.push((symbol, candidate));
            if function.body.is_none() {
                self.function_mut(candidate).order = u32::MAX;
                self.declare_in(home, at, Entity::Functions(vec![candidate]));
            }
            return None;
        }
        match (own, &name.last().id) {
            (Some(owner), _) if is_constructor => {
                self.class_mut(owner.record).constructors.push(candidate);
                None
            }
            (Some(owner), Id::Conversion(_)) => {
                self.class_mut(owner.record).conversions.push(candidate);
                None
            }
            _ => {
                self.declare_in(scope, at, Entity::Functions(vec![candidate]));
                Some(symbol)
            }
        }
    }

    /// The function that represents a template among overloads.
    pub(super) fn template_candidate(
        &mut self,
        template: TemplateId,
        decl: &Rc<FunctionDecl>,
        owner: Option<Owner>,
    ) -> Option<FnId> {
        let name = self.template(template).name;
        self.order += 1;
        let is_constructor = owner.is_some() && matches!(decl.specifiers.ty, TypeSpecifier::None);
        let is_conversion =
            matches!(decl.declarator.name.as_ref().map(|name| &name.last().id), Some(Id::Conversion(_)));
        let kind = match (is_constructor, is_conversion) {
            (_, true) => crate::check::cxx::function::Kind::Conversion,
            (true, _) => crate::check::cxx::function::Kind::Constructor,
            _ => crate::check::cxx::function::Kind::Plain,
        };
        let error = self.error_type();
        let mut qualifiers = Type::of(self.types.void());
        qualifiers = self.with_written(qualifiers, &decl.suffix().qualifiers);
        let function = Function {
            symbol: Some(name.symbol),
            kind,
            params: Vec::new(),
            result: error,
            class: owner.map(|owner| owner.record),
            is_static: decl.specifiers.is_static.is_some() && owner.is_some(),
            this_qualifiers: qualifiers.q.qualifiers,
            this_space: qualifiers.space.unwrap_or(clvk_ir::AddressSpace::Generic),
            this_reference: decl.suffix().reference,
            is_explicit: decl.specifiers.is_explicit,
            is_deleted: false,
            is_defaulted: false,
            is_constexpr: false,
            is_kernel: false,
            is_internal: true,
            c_linkage: false,
            access: owner.map_or(Access::Public, |owner| owner.access),
            template: Some(template),
            instance: None,
            suffix: decl.suffix().clone(),
            returns_decltype: false,
            attributes: Rc::from([]),
            scope: self.scope,
            body: None,
            inherits: None,
            closure: None,
            hir: None,
            progress: crate::check::cxx::function::Progress::None,
            may_throw: None,
            order: self.order,
            horizon: self.horizon,
            span: name.span,
        };
        Some(self.add_function(function))
    }
}
