//! Functions and methods: declarations, signatures, bodies ([dcl.fct], [class.mfct]).

mod body;
mod declare;
mod noexcept;
mod signature;
mod special;

use super::scope::ScopeId;
use super::template::Argument;
use super::types::Type;
use super::{Cxx, FnId, TemplateId};
use crate::Span;
use crate::cxx::ast::{Access, Body, FunctionSuffix, Id, Initializer, Operator, Param};
use crate::hir::FunctionId;
use crate::symbol::Symbol;
use crate::types::{RecordId, TypeQualifiers};
use clvk_ir::AddressSpace;
use std::cell::OnceCell;
use std::rc::Rc;

/// The class of a method, and its access.
#[derive(Clone, Copy, Debug)]
pub(super) struct Owner {
    pub record: RecordId,
    pub access: Access,
}

/// What a function is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Plain,
    Constructor,
    Destructor,
    Conversion,
}

/// A parameter.
#[derive(Clone, Debug)]
pub(super) struct Parameter {
    pub ty: Type,
    /// Its place in the written list, which is the same for all parameters of a pack.
    pub index: usize,
    pub default: Option<DefaultArgument>,
    /// `cl::max_size` of a kernel's parameter.
    pub max_size: Option<u64>,
}

impl Parameter {
    /// A parameter of any function.
    pub fn new(ty: Type, index: usize, default: Option<DefaultArgument>) -> Parameter {
        Parameter { ty, index, default, max_size: None }
    }
}

/// A default argument, and where its names are looked up: another declaration of a template may name its
/// parameters in another way.
#[derive(Clone, Debug)]
pub(super) struct DefaultArgument {
    pub initializer: Rc<OnceCell<Initializer>>,
    pub scope: ScopeId,
}

impl DefaultArgument {
    /// The default argument of a parameter as it is written.
    pub fn of(param: &Param, scope: ScopeId) -> Option<DefaultArgument> {
        Some(DefaultArgument { initializer: param.default.clone()?, scope })
    }
}

/// The progress of a function's body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// Not checked, or there is none.
    None,
    Checking,
    Done,
}

/// A function, method or function template.
#[derive(Clone, Debug)]
pub(super) struct Function {
    /// Its name for lookup: an identifier, or `operator+`.
    pub symbol: Option<Symbol>,
    pub kind: Kind,
    pub params: Vec<Parameter>,
    /// `auto` until the body is checked.
    pub result: Type,
    pub class: Option<RecordId>,
    /// Without `this`.
    pub is_static: bool,
    pub this_qualifiers: TypeQualifiers,
    pub this_space: AddressSpace,
    /// `&` (false) or `&&` (true) after the parameters.
    pub this_reference: Option<bool>,
    pub is_explicit: bool,
    pub is_deleted: bool,
    /// A special member whose body the compiler makes.
    pub is_defaulted: bool,
    pub is_constexpr: bool,
    pub is_kernel: bool,
    pub is_internal: bool,
    pub c_linkage: bool,
    pub access: Access,
    /// For a template: which.
    pub template: Option<TemplateId>,
    /// The template and arguments that it is an instance of.
    pub instance: Option<(TemplateId, Rc<[Argument]>)>,
    pub suffix: Rc<FunctionSuffix>,
    /// `decltype(auto)`.
    pub returns_decltype: bool,
    pub attributes: Rc<[crate::cxx::ast::Attribute]>,
    /// Where its default arguments and its body are resolved.
    pub scope: ScopeId,
    pub body: Option<Rc<OnceCell<Body>>>,
    /// The constructor of a base that an inherited constructor calls.
    pub inherits: Option<FnId>,
    /// For the function of a closure: its captures' enclosing frame.
    pub closure: Option<Rc<super::lambda::Closure>>,
    pub hir: Option<FunctionId>,
    pub progress: Progress,
    /// Whether a call may throw, once that is known.
    pub may_throw: Option<bool>,
    pub order: u32,
    pub horizon: u32,
    pub span: Span,
}

impl Function {
    /// Whether it is called on an object.
    pub fn has_this(&self) -> bool {
        self.class.is_some() && !self.is_static
    }
}

impl Cxx<'_> {
    pub(super) fn function(&self, id: FnId) -> &Function {
        &self.functions[id.0 as usize]
    }

    pub(super) fn function_mut(&mut self, id: FnId) -> &mut Function {
        &mut self.functions[id.0 as usize]
    }

    pub(super) fn add_function(&mut self, function: Function) -> FnId {
        self.functions.push(function);
        FnId(self.functions.len() as u32 - 1)
    }

    /// The name under which an operator's functions are found.
    pub(super) fn operator_symbol(&mut self, operator: Operator) -> Symbol {
        let text = format!("operator{}", operator_text(operator));
        self.checker.interner.intern(&text)
    }

    /// The symbol of a declared name.
    pub(super) fn symbol_of(&mut self, id: &Id) -> Option<Symbol> {
        match id {
            Id::Name(symbol) => Some(*symbol),
            Id::Operator(operator) => Some(self.operator_symbol(*operator)),
            Id::Literal(symbol) => {
                let text = format!("operator\"\"{}", self.owned(*symbol));
                Some(self.checker.interner.intern(&text))
            }
            Id::Conversion(_) => Some(self.checker.interner.intern("operator type")),
            Id::Destructor(_) | Id::Decltype(_) => None,
        }
    }
}

/// The spelling of an operator.
pub(super) fn operator_text(operator: Operator) -> String {
    use crate::ast::{BinaryOp, PrefixOp};
    let binary = |op: BinaryOp| match op {
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Rem => "%",
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Shl => "<<",
        BinaryOp::Shr => ">>",
        BinaryOp::Less => "<",
        BinaryOp::Greater => ">",
        BinaryOp::LessEqual => "<=",
        BinaryOp::GreaterEqual => ">=",
        BinaryOp::Equal => "==",
        BinaryOp::NotEqual => "!=",
        BinaryOp::BitAnd => "&",
        BinaryOp::BitXor => "^",
        BinaryOp::BitOr => "|",
        BinaryOp::LogicalAnd => "&&",
        BinaryOp::LogicalOr => "||",
    };
    match operator {
        Operator::Prefix(PrefixOp::BitNot) => "~".to_owned(),
        Operator::Prefix(PrefixOp::LogicalNot) => "!".to_owned(),
        Operator::Prefix(PrefixOp::Plus) => "+".to_owned(),
        Operator::Prefix(PrefixOp::Minus) => "-".to_owned(),
        Operator::Prefix(PrefixOp::Dereference) => "*".to_owned(),
        Operator::Prefix(PrefixOp::AddressOf) => "&".to_owned(),
        Operator::Prefix(PrefixOp::Increment) | Operator::Increment => "++".to_owned(),
        Operator::Prefix(PrefixOp::Decrement) | Operator::Decrement => "--".to_owned(),
        Operator::Binary(op) => binary(op).to_owned(),
        Operator::Assign(op) => format!("{}=", op.map_or("", binary)),
        Operator::Call => "()".to_owned(),
        Operator::Index => "[]".to_owned(),
        Operator::Arrow => "->".to_owned(),
        Operator::ArrowStar => "->*".to_owned(),
        Operator::Comma => ",".to_owned(),
        Operator::New { is_array } => format!(" new{}", if is_array { "[]" } else { "" }),
        Operator::Delete { is_array } => format!(" delete{}", if is_array { "[]" } else { "" }),
    }
}
