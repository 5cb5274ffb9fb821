//! Declarations ([dcl.dcl]), templates (\[temp\]) and bodies of functions.

use super::{
    Declarator, Derived, Expr, FunctionSuffix, Initializer, Names, QualifiedName, Specifiers, Statement,
    TemplateArgument, TypeName,
};
use crate::Span;
use crate::ast::Name;
use crate::token::Pragma;
use std::cell::OnceCell;
use std::rc::Rc;

/// A declaration.
#[derive(Debug)]
pub struct Decl {
    /// What it is.
    pub kind: DeclKind,
    /// Where.
    pub span: Span,
}

/// Kinds of declarations.
#[derive(Debug)]
pub enum DeclKind {
    Namespace {
        names: Vec<Name>,
        is_inline: bool,
        decls: Vec<Rc<Decl>>,
    },
    NamespaceAlias {
        name: Name,
        target: QualifiedName,
    },
    UsingNamespace(QualifiedName),
    /// Each name, with the names in it if it is expanded.
    Using(Vec<(QualifiedName, Option<Names>)>),
    Alias {
        name: Name,
        ty: TypeName,
    },
    StaticAssert {
        condition: Expr,
        message: Option<String>,
    },
    /// Variables, functions without bodies, types.
    Simple {
        specifiers: Rc<Specifiers>,
        declarators: Vec<InitDeclarator>,
    },
    /// `auto [a, b] = e`.
    Bindings {
        specifiers: Rc<Specifiers>,
        reference: Option<bool>,
        names: Vec<Name>,
        initializer: Initializer,
    },
    Function(Rc<FunctionDecl>),
    Template(Rc<TemplateDecl>),
    /// `template <> …`.
    Specialization(Rc<Decl>),
    /// `template …` without parameters; `extern` first.
    Instantiation {
        is_extern: bool,
        decl: Rc<Decl>,
    },
    /// `A(T) -> A<T>;`
    DeductionGuide {
        name: Name,
        suffix: Rc<FunctionSuffix>,
        target: TypeName,
        is_explicit: bool,
    },
    /// `extern "C"`.
    Linkage(Vec<Rc<Decl>>),
    Pragma(Pragma),
    Empty,
}

/// A declarator with its initialiser.
#[derive(Debug)]
pub struct InitDeclarator {
    /// Declarator.
    pub declarator: Declarator,
    /// Initialiser; of a member it may be parsed later.
    pub initializer: Option<Rc<OnceCell<Initializer>>>,
    /// Width of a bit-field.
    pub bit_field: Option<Span>,
}

/// A function with a body, or `= default`, `= delete`.
#[derive(Debug)]
pub struct FunctionDecl {
    /// Specifiers.
    pub specifiers: Rc<Specifiers>,
    /// Declarator, whose first part is the function's.
    pub declarator: Declarator,
    /// Body; `None` for a declaration.
    pub body: Option<FunctionBody>,
    /// `override` or `final`.
    pub virtual_specifier: Option<Span>,
    /// `= 0`.
    pub pure: Option<Span>,
}

impl FunctionDecl {
    /// Parameters and what follows them.
    #[must_use]
    pub fn suffix(&self) -> &Rc<FunctionSuffix> {
        match self.declarator.derived.first() {
            Some(Derived::Function(suffix)) => suffix,
            _ => unreachable!("the parser makes functions of declarators of functions"),
        }
    }
}

/// Kinds of function bodies.
#[derive(Debug)]
pub enum FunctionBody {
    /// Statements; in a class they are parsed at its end.
    Statements(Rc<OnceCell<Body>>),
    Default,
    Delete,
}

/// Member initialisers and statements.
#[derive(Debug)]
pub struct Body {
    /// Of a constructor.
    pub initializers: Vec<MemberInitializer>,
    /// The statements.
    pub block: Vec<Statement>,
    /// From brace to brace.
    pub span: Span,
}

/// `name(arguments)` in a constructor.
#[derive(Debug)]
pub struct MemberInitializer {
    /// A member or a base.
    pub name: QualifiedName,
    /// `(…)` or `{…}`.
    pub initializer: Initializer,
    /// `...`: the names in what is expanded.
    pub expansion: Option<Names>,
}

/// `template <params> decl`.
#[derive(Debug)]
pub struct TemplateDecl {
    /// Parameters.
    pub params: Rc<Vec<TemplateParam>>,
    /// What is a template.
    pub decl: Rc<Decl>,
}

/// A template parameter.
#[derive(Debug)]
pub struct TemplateParam {
    /// Name.
    pub name: Option<Name>,
    /// `...`.
    pub is_pack: bool,
    /// What it takes.
    pub kind: TemplateParamKind,
    /// Default argument.
    pub default: Option<TemplateArgument>,
    /// The parameters that the default argument names, if they are those of another declaration.
    pub named_in: Option<Rc<Vec<TemplateParam>>>,
    /// Where.
    pub span: Span,
}

/// Kinds of template parameters.
#[derive(Debug)]
pub enum TemplateParamKind {
    Type,
    Value {
        specifiers: Rc<Specifiers>,
        declarator: Declarator,
        /// Its type as written, with positions for the parameters before it: equal for the same type.
        spelling: Rc<str>,
    },
    /// With its own parameters.
    Template(Rc<Vec<TemplateParam>>),
}
