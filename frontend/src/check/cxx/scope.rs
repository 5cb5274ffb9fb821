//! Scopes and what names mean in them.

use super::template::Argument;
use super::types::Type;
use super::{Cxx, FnId, TemplateId, VarId};
use crate::Span;
use crate::ast::Name;
use crate::diagnostic::Diagnostic;
use crate::hir::{ConstantData, Expr, GlobalId, LocalId, Place};
use crate::symbol::Symbol;
use crate::types::{RecordId, TypeId};
use clvk_ir::AddressSpace;
use rustc_hash::{FxHashMap, FxHashSet};

/// A scope, by position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ScopeId(pub u32);

/// What a scope belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScopeKind {
    Namespace,
    Class(RecordId),
    /// Bindings of template parameters.
    Template,
    /// A function's parameters, or a block.
    Block,
    Enum,
}

/// The names of a scope.
#[derive(Debug)]
pub(super) struct Scope {
    pub parent: Option<ScopeId>,
    pub kind: ScopeKind,
    pub names: FxHashMap<Symbol, Slot>,
    /// Namespaces named by `using namespace`, and inline namespaces.
    pub also: Vec<ScopeId>,
    /// Built-in functions that using declarations made members.
    pub builtins: FxHashSet<Symbol>,
    /// Name of a namespace or class, for messages and for the names of functions.
    pub name: Option<Symbol>,
    /// Of a statement with a condition: its names must not be declared again in the block that it controls.
    pub is_condition: bool,
    /// The scope of an explicit specialisation of a member.
    pub is_specialization: bool,
    /// A round of a pack expansion, in which names of packs mean their elements.
    pub is_round: bool,
}

impl Scope {
    pub fn new(parent: Option<ScopeId>, kind: ScopeKind) -> Scope {
        Scope {
            parent,
            kind,
            names: FxHashMap::default(),
            also: Vec::new(),
            builtins: FxHashSet::default(),
            name: None,
            is_condition: false,
            is_specialization: false,
            is_round: false,
        }
    }
}

/// A name's meanings: a class or enumeration may be hidden behind another one.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub entity: Entity,
    pub hidden_type: Option<Type>,
    pub span: Span,
    pub order: u32,
}

/// What a name means.
#[derive(Clone, Debug)]
pub(super) enum Entity {
    Variable(VarId),
    /// Functions and function templates of one name.
    Functions(Vec<FnId>),
    Type(Type),
    /// A template of classes, aliases or variables.
    Template(TemplateId),
    Namespace(ScopeId),
    Enumerator(i128, TypeId),
    /// A member that is not static, by its number in the class.
    Field(RecordId, usize),
    /// The value of a template parameter.
    Constant(Expr),
    /// A template parameter pack.
    Pack(Vec<Argument>),
    /// A function parameter pack.
    Variables(Vec<VarId>),
    /// A structured binding: an object.
    Binding(Place, usize),
    /// A sampler of the program.
    Sampler(u32, TypeId),
    Error,
}

impl Entity {
    /// Whether two bases have the same member, not only one of the same name ([class.member.lookup]/4).
    pub fn is_same(&self, other: &Entity) -> bool {
        match (self, other) {
            (Entity::Variable(a), Entity::Variable(b)) => a == b,
            (Entity::Functions(a), Entity::Functions(b)) => {
                a.iter().all(|id| b.contains(id)) && b.iter().all(|id| a.contains(id))
            }
            (Entity::Type(a), Entity::Type(b)) => a.q.ty == b.q.ty,
            (Entity::Template(a), Entity::Template(b)) => a == b,
            (Entity::Namespace(a), Entity::Namespace(b)) => a == b,
            (Entity::Enumerator(a, a_type), Entity::Enumerator(b, b_type)) => a == b && a_type == b_type,
            (Entity::Field(a, a_index), Entity::Field(b, b_index)) => a == b && a_index == b_index,
            (Entity::Error, _) | (_, Entity::Error) => true,
            _ => false,
        }
    }
}

/// Where a variable lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Storage {
    /// In the body of this function.
    Local(LocalId, FnId),
    Global(GlobalId),
    /// Nowhere: after an error, or before its definition.
    None,
}

/// A variable.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub name: Symbol,
    /// Its type; of a reference, the reference type.
    pub ty: Type,
    pub space: AddressSpace,
    pub storage: Storage,
    /// Its value if that is constant and may be used in constant expressions.
    pub constant: Option<ConstantData>,
    /// For a reference that is bound to an object of static storage duration: that object.
    pub target: Option<Place>,
    pub is_constexpr: bool,
    pub span: Span,
}

impl Cxx<'_> {
    pub(super) fn new_scope(&mut self, parent: ScopeId, kind: ScopeKind) -> ScopeId {
        self.scopes.push(Scope::new(Some(parent), kind));
        ScopeId(self.scopes.len() as u32 - 1)
    }

    pub(super) fn scope_ref(&self, id: ScopeId) -> &Scope {
        &self.scopes[id.0 as usize]
    }

    /// The innermost namespace or function around a scope: where `class x` in a parameter is declared.
    pub(super) fn enclosing_namespace(&self, mut scope: ScopeId) -> ScopeId {
        loop {
            let it = self.scope_ref(scope);
            match (it.kind, it.parent) {
                (ScopeKind::Namespace, _) | (_, None) => return scope,
                (_, Some(parent)) => scope = parent,
            }
        }
    }

    /// The class whose members a scope belongs to.
    pub(super) fn enclosing_class(&self, scope: ScopeId) -> Option<RecordId> {
        let mut at = Some(scope);
        while let Some(id) = at {
            let scope = self.scope_ref(id);
            if let ScopeKind::Class(record) = scope.kind {
                return Some(record);
            }
            at = scope.parent;
        }
        None
    }

    /// Gives a name a meaning in the current scope, over one that is there.
    pub(super) fn bind(&mut self, name: Name, entity: Entity) {
        self.bind_in(self.scope, name, entity);
    }

    pub(super) fn bind_in(&mut self, scope: ScopeId, name: Name, entity: Entity) {
        self.order += 1;
        let slot = Slot { entity, hidden_type: None, span: name.span, order: self.order };
        self.scopes[scope.0 as usize].names.insert(name.symbol, slot);
    }

    /// Gives a name a meaning in a scope; an error if it has another one there.
    pub(super) fn declare_in(&mut self, scope: ScopeId, name: Name, entity: Entity) {
        self.check_reserved(name, &entity);
        self.order += 1;
        let order = self.order;
        let Some(slot) = self.scopes[scope.0 as usize].names.get_mut(&name.symbol) else {
            return self.bind_in(scope, name, entity);
        };
        match (&mut slot.entity, &entity) {
            (Entity::Error, _) => {
                slot.entity = entity;
                slot.span = name.span;
            }
            // A function or variable hides a class of its name ([basic.scope.hiding]).
            (
                Entity::Type(ty),
                Entity::Variable(_) | Entity::Functions(_) | Entity::Enumerator(..) | Entity::Field(..),
            ) => {
                slot.hidden_type = Some(*ty);
                slot.entity = entity;
                slot.span = name.span;
                slot.order = order;
            }
            (Entity::Variable(_) | Entity::Functions(_), Entity::Type(ty)) if slot.hidden_type.is_none() => {
                slot.hidden_type = Some(*ty);
            }
            (Entity::Type(a), Entity::Type(b)) if a.ty() == b.ty() => {}
            (Entity::Functions(known), Entity::Functions(new)) => known.extend(new.iter().copied()),
            (Entity::Template(a), Entity::Template(b)) if a == b => {}
            (Entity::Namespace(a), Entity::Namespace(b)) if a == b => {}
            _ => {
                let previous = slot.span;
                let message = format!("redefinition of '{}'", self.owned(name.symbol));
                let diagnostic = Diagnostic::error(name.span, message);
                self.report(diagnostic.related(previous, "previous definition is here"));
            }
        }
    }

    /// In OpenCL C++, names of vector types and access qualifiers are keywords (§2.7), except where the
    /// library itself has them: enumerators.
    fn check_reserved(&mut self, name: Name, entity: &Entity) {
        if !self.options.is_opencl_cxx() || matches!(entity, Entity::Enumerator(..) | Entity::Error) {
            return;
        }
        let text = self.checker.text(name.symbol);
        let is_vector = crate::builtins::vector_type(text).is_some_and(|(_, lanes)| lanes > 1);
        if is_vector || matches!(text, "read_only" | "write_only" | "read_write") {
            let message = format!("'{text}' is a keyword of OpenCL C++ and cannot be declared");
            self.error(name.span, message);
        }
    }

    pub(super) fn declare(&mut self, name: Name, entity: Entity) {
        self.declare_in(self.scope, name, entity);
    }

    pub(super) fn variable(&self, id: VarId) -> &Variable {
        &self.variables[id.0 as usize]
    }

    pub(super) fn add_variable(&mut self, variable: Variable) -> VarId {
        self.variables.push(variable);
        VarId(self.variables.len() as u32 - 1)
    }

    /// Adds a variable of the function that is being checked, and declares its name.
    pub(super) fn declare_local(
        &mut self,
        name: Name,
        ty: Type,
        local: LocalId,
        is_constexpr: bool,
    ) -> VarId {
        let home = self.frame().function;
        let id = self.add_variable(Variable {
            name: name.symbol,
            ty,
            space: AddressSpace::Private,
            storage: Storage::Local(local, home),
            constant: None,
            target: None,
            is_constexpr,
            span: name.span,
        });
        self.declare(name, Entity::Variable(id));
        id
    }

    /// The name of a scope with those around it: `a::b::`.
    pub(super) fn scope_text(&self, scope: ScopeId) -> String {
        let mut parts = Vec::new();
        let mut at = Some(scope);
        while let Some(id) = at {
            let scope = self.scope_ref(id);
            if let Some(name) = scope.name {
                parts.push(self.owned(name));
            }
            at = scope.parent;
        }
        parts.reverse();
        parts.iter().map(|part| format!("{part}::")).collect()
    }
}
