//! Templates: their declarations, arguments and instances (\[temp\]).

mod arguments;
mod declaration;
mod guides;
mod instance;
mod matching;
mod object;
mod outside;
mod rules;
mod specialization;

use super::function::{Function, Owner};
use super::scope::{Entity, ScopeId};
use super::types::Type;
use super::{Cxx, FnId, TemplateId, VarId};
use crate::Span;
use crate::ast::Name;
use crate::cxx::ast::{
    Decl, DeclKind, FunctionSuffix, TemplateArgument, TemplateDecl, TemplateParam, TemplateParamKind,
    TypeSpecifier,
};
use crate::hir::{Constant, Expr, ExprKind as Hir, GlobalId};
use crate::types::{RecordId, TypeId};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A template argument.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Argument {
    Type(Type),
    /// The bits of a value of a type.
    Value(u64, TypeId),
    /// The elements of a vector, which OpenCL C++ takes (§2.1).
    Lanes(Vec<u64>, TypeId),
    /// An object of the program, which the type points or refers to, and its address space.
    Object(GlobalId, TypeId, clvk_ir::AddressSpace),
    Template(TemplateId),
    Pack(Vec<Argument>),
}

impl Argument {
    /// What the name of a parameter with this argument means, which is not a reference.
    fn entity(&self) -> Entity {
        match self {
            Argument::Type(ty) => Entity::Type(*ty),
            Argument::Value(bits, ty) => Entity::Constant(Expr {
                kind: Hir::Constant(Constant::Bits(*bits)),
                ty: *ty,
                span: Span::NONE,
            }),
            Argument::Lanes(lanes, ty) => Entity::Constant(Expr {
                kind: Hir::Constant(Constant::Lanes(lanes.clone())),
                ty: *ty,
                span: Span::NONE,
            }),
            Argument::Object(global, ty, space) => Entity::Constant(Expr {
                kind: Hir::AddressOf(crate::hir::Place {
                    kind: crate::hir::PlaceKind::Global(*global),
                    ty: (*ty).into(),
                    space: *space,
                    span: Span::NONE,
                }),
                ty: *ty,
                span: Span::NONE,
            }),
            Argument::Template(template) => Entity::Template(*template),
            Argument::Pack(list) => Entity::Pack(list.clone()),
        }
    }
}

/// What a template makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TemplateKind {
    Class,
    Alias,
    Variable,
    Function,
}

/// A partial specialisation.
#[derive(Clone, Debug)]
pub(super) struct Partial {
    pub params: Rc<Vec<TemplateParam>>,
    pub pattern: Vec<TemplateArgument>,
    pub decl: Rc<Decl>,
    pub scope: ScopeId,
}

/// An earlier declaration of a template, or the definition of a class template's member outside of it.
#[derive(Clone, Debug)]
pub(super) struct Declaration {
    pub params: Rc<Vec<TemplateParam>>,
    pub decl: Rc<Decl>,
}

impl Declaration {
    /// What follows the name, of a function.
    fn suffix(&self) -> Option<&Rc<FunctionSuffix>> {
        match &self.decl.kind {
            DeclKind::Function(function) => Some(function.suffix()),
            _ => None,
        }
    }
}

/// The definition of a class that waits for its first use.
#[derive(Clone, Debug)]
pub(super) struct Pending {
    pub template: TemplateId,
    pub arguments: Rc<[Argument]>,
}

/// An instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Instance {
    Class(RecordId),
    Variable(VarId),
    Function(FnId),
}

/// A template.
#[derive(Debug)]
pub(super) struct Template {
    pub kind: TemplateKind,
    pub name: Name,
    pub params: Rc<Vec<TemplateParam>>,
    pub decl: Rc<Decl>,
    /// Where it is declared.
    pub scope: ScopeId,
    pub owner: Option<Owner>,
    pub instances: FxHashMap<Vec<Argument>, Instance>,
    pub partial: Vec<Partial>,
    pub outside: Vec<Declaration>,
    /// What declared a function template before its definition, with the default arguments.
    pub first: Option<Declaration>,
    /// Guides for the deduction of a class's arguments, with those of its constructors once they are made.
    pub guides: Vec<FnId>,
    /// How many of them, at the start, the program declares.
    pub written_guides: usize,
    pub has_constructor_guides: bool,
    /// For a function template: the candidate.
    pub function: Option<FnId>,
    /// For a generic lambda: the function without parameters.
    pub lambda: Option<Box<Function>>,
    pub horizon: u32,
    pub is_defined: bool,
}

impl Cxx<'_> {
    pub(super) fn template(&self, id: TemplateId) -> &Template {
        &self.templates[id.0 as usize]
    }

    fn add_template(
        &mut self,
        kind: TemplateKind,
        name: Name,
        params: &Rc<Vec<TemplateParam>>,
        decl: &Rc<Decl>,
        scope: ScopeId,
        owner: Option<Owner>,
    ) -> TemplateId {
        self.order += 1;
        let is_defined = match &decl.kind {
            DeclKind::Simple { specifiers, .. } => {
                !matches!(&specifiers.ty, TypeSpecifier::Class(class) if class.body.is_none())
            }
            _ => true,
        };
        self.templates.push(Template {
            kind,
            name,
            params: params.clone(),
            decl: decl.clone(),
            scope,
            owner,
            instances: FxHashMap::default(),
            partial: Vec::new(),
            outside: Vec::new(),
            first: None,
            guides: Vec::new(),
            written_guides: 0,
            has_constructor_guides: false,
            function: None,
            lambda: None,
            // Its own name, and what is declared before.
            horizon: self.order + 1,
            is_defined,
        });
        TemplateId(self.templates.len() as u32 - 1)
    }

    /// The class template that a type is an instance of.
    pub(super) fn template_of_type(&self, ty: Type) -> Option<TemplateId> {
        let record = self.record_of(ty.ty())?;
        self.classes.get(&record)?.instance.as_ref().map(|(template, _)| *template)
    }

    /// Gives a function template its definition. What declared it before keeps its default arguments.
    fn define_function_template(&mut self, id: TemplateId, template: &TemplateDecl, horizon: u32) {
        let target = &mut self.templates[id.0 as usize];
        let params = merged_defaults(&target.params, &template.params);
        let before = Declaration {
            params: std::mem::replace(&mut target.params, params),
            decl: std::mem::replace(&mut target.decl, template.decl.clone()),
        };
        target.first.get_or_insert(before);
        target.horizon = horizon;
    }

    /// Whether a function template has a default argument for a parameter.
    pub(super) fn has_default_argument(&self, id: TemplateId, index: usize) -> bool {
        let of = |suffix: &FunctionSuffix| suffix.params.get(index).is_some_and(|it| it.default.is_some());
        let template = self.template(id);
        self.template_suffix(id).is_some_and(|suffix| of(&suffix))
            || template.first.as_ref().and_then(Declaration::suffix).is_some_and(|suffix| of(suffix))
    }

    /// Whether a function is an instance of a function template.
    pub(super) fn is_instance_of(&self, function: FnId, template: FnId) -> bool {
        let Some(function) = self.functions.get(function.0 as usize) else { return false };
        match (&function.instance, self.function(template).template) {
            (Some((a, _)), Some(b)) => *a == b,
            _ => false,
        }
    }
}

fn copied_param(param: &TemplateParam) -> TemplateParam {
    let kind = match &param.kind {
        TemplateParamKind::Type => TemplateParamKind::Type,
        TemplateParamKind::Template(params) => TemplateParamKind::Template(params.clone()),
        TemplateParamKind::Value { specifiers, declarator, spelling } => TemplateParamKind::Value {
            specifiers: specifiers.clone(),
            declarator: declarator.clone(),
            spelling: spelling.clone(),
        },
    };
    TemplateParam {
        name: param.name,
        is_pack: param.is_pack,
        kind,
        default: param.default.clone(),
        named_in: param.named_in.clone(),
        span: param.span,
    }
}

/// The parameters of a later declaration, with the default arguments of an earlier one.
fn merged_defaults(
    before: &Rc<Vec<TemplateParam>>,
    after: &Rc<Vec<TemplateParam>>,
) -> Rc<Vec<TemplateParam>> {
    let merged = after.iter().enumerate().map(|(index, param)| {
        let mut param = copied_param(param);
        if param.default.is_none() {
            let known = before.get(index);
            param.default = known.and_then(|param| param.default.clone());
            param.named_in = known.map(|known| known.named_in.clone().unwrap_or_else(|| before.clone()));
        }
        param
    });
    Rc::new(merged.collect())
}
