//! What names mean, as far as the grammar needs it: a tree of scopes.
//!
//! A scope remains after its end, because later text may name its members (`a::b`) or continue it (`namespace
//! a`, functions of a class that are defined outside).

use crate::symbol::Symbol;
use rustc_hash::{FxHashMap, FxHashSet};

/// A scope, by position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ScopeId(u32);

/// The meaning of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// A variable, function, enumerator or member.
    Value,
    /// A type, with the scope of its members if that is known.
    Type(Option<ScopeId>),
    /// A template of classes, or an alias template: with arguments it is a type.
    TypeTemplate(Option<ScopeId>),
    /// A template of functions or variables.
    ValueTemplate,
    /// A namespace.
    Namespace(ScopeId),
}

#[derive(Debug, Default)]
struct Scope {
    parent: Option<ScopeId>,
    names: FxHashMap<Symbol, Meaning>,
    /// Namespaces of `using namespace`, inline namespaces and base classes.
    also: Vec<ScopeId>,
    /// Those of `also` that are bases which depend on a template parameter.
    dependent: Vec<ScopeId>,
    /// Names of parameter packs.
    packs: FxHashSet<Symbol>,
    /// A base has members that are not known here.
    is_open: bool,
    /// The members of a class template.
    is_template: bool,
    /// There are specialisations of the class template.
    is_specialized: bool,
    /// Their members.
    specializations: Vec<ScopeId>,
}

/// All scopes, and the current one.
#[derive(Debug)]
pub struct Names {
    scopes: Vec<Scope>,
    current: ScopeId,
    /// Names of member templates: after `.`, the class of the object is not known here.
    member_templates: FxHashSet<Symbol>,
}

impl Names {
    pub fn new() -> Names {
        Names { scopes: vec![Scope::default()], current: ScopeId(0), member_templates: FxHashSet::default() }
    }

    pub fn global(&self) -> ScopeId {
        ScopeId(0)
    }

    pub fn current(&self) -> ScopeId {
        self.current
    }

    /// The scope around the current one.
    pub fn parent(&self) -> Option<ScopeId> {
        self.scope(self.current).parent
    }

    /// Goes to a scope, and returns the one before.
    pub fn go(&mut self, scope: ScopeId) -> ScopeId {
        std::mem::replace(&mut self.current, scope)
    }

    /// A new scope inside the current one.
    pub fn inner(&mut self) -> ScopeId {
        self.scopes.push(Scope { parent: Some(self.current), ..Scope::default() });
        ScopeId(self.scopes.len() as u32 - 1)
    }

    /// A new scope inside the current one that also sees what `member` and the scopes around it hold: for
    /// definitions of members outside their class or namespace.
    pub fn inner_with(&mut self, member: ScopeId) -> ScopeId {
        let inner = self.inner();
        let mut at = Some(member);
        while let Some(scope) = at {
            self.add_also(inner, scope);
            at = self.scope(scope).parent;
        }
        inner
    }

    fn scope(&self, id: ScopeId) -> &Scope {
        &self.scopes[id.0 as usize]
    }

    pub fn declare(&mut self, name: Symbol, meaning: Meaning) {
        self.declare_in(self.current, name, meaning);
    }

    /// Declares a name that may be that of a parameter pack.
    pub fn declare_param(&mut self, name: Symbol, meaning: Meaning, is_pack: bool) {
        self.declare(name, meaning);
        if is_pack {
            self.scopes[self.current.0 as usize].packs.insert(name);
        }
    }

    pub fn declare_in(&mut self, scope: ScopeId, name: Symbol, meaning: Meaning) {
        let names = &mut self.scopes[scope.0 as usize].names;
        // A function or variable of the same name hides a class ([basic.scope.hiding]), but for the grammar a
        // type that is known is more useful; `struct x` names it anyway.
        match (names.get(&name), meaning) {
            (Some(Meaning::Type(Some(_))), Meaning::Type(None)) => {}
            (Some(Meaning::TypeTemplate(Some(_))), Meaning::TypeTemplate(None)) => {}
            (Some(Meaning::ValueTemplate), Meaning::Value) => {}
            _ => {
                names.insert(name, meaning);
            }
        }
    }

    pub fn add_also(&mut self, scope: ScopeId, also: ScopeId) {
        let list = &mut self.scopes[scope.0 as usize].also;
        if scope != also && !list.contains(&also) {
            list.push(also);
        }
    }

    /// A name in one scope, its inline namespaces and bases.
    pub fn find_in(&self, scope: ScopeId, name: Symbol) -> Option<Meaning> {
        let mut seen = vec![scope];
        let mut next = 0;
        while next < seen.len() {
            let scope = self.scope(seen[next]);
            if let Some(meaning) = scope.names.get(&name) {
                return Some(*meaning);
            }
            for also in &scope.also {
                if !seen.contains(also) {
                    seen.push(*also);
                }
            }
            next += 1;
        }
        None
    }

    /// A member of a namespace or class, after `::`. Which specialisation of a class template is meant is not
    /// known here, so a name that the template and its bases do not have is looked for in all of them.
    pub fn find_member(&self, scope: ScopeId, name: Symbol) -> Option<Meaning> {
        self.find_in(scope, name).or_else(|| {
            let mut seen = vec![scope];
            let mut next = 0;
            while next < seen.len() {
                let scope = self.scope(seen[next]);
                if let Some(meaning) = scope.names.get(&name) {
                    return Some(*meaning);
                }
                for other in scope.also.iter().chain(&scope.specializations) {
                    if !seen.contains(other) {
                        seen.push(*other);
                    }
                }
                next += 1;
            }
            None
        })
    }

    pub fn add_specialization(&mut self, template: ScopeId, members: ScopeId) {
        self.scopes[template.0 as usize].specializations.push(members);
    }

    /// A namespace or type before `::`, from the current scope outward.
    pub fn find_container(&self, name: Symbol) -> Option<Meaning> {
        let mut at = Some(self.current);
        while let Some(scope) = at {
            if let Some(meaning) = self.find_in(scope, name)
                && !matches!(meaning, Meaning::Value | Meaning::ValueTemplate)
            {
                return Some(meaning);
            }
            at = self.scope(scope).parent;
        }
        None
    }

    /// Whether some class has a member template of this name.
    pub fn is_member_template(&self, name: Symbol) -> bool {
        self.member_templates.contains(&name)
    }

    pub fn add_member_template(&mut self, name: Symbol) {
        self.member_templates.insert(name);
    }

    /// A name, from the current scope outward.
    pub fn find(&self, name: Symbol) -> Option<Meaning> {
        let mut at = Some(self.current);
        while let Some(scope) = at {
            if let Some(meaning) = self.find_in(scope, name) {
                return Some(meaning);
            }
            at = self.scope(scope).parent;
        }
        None
    }

    pub fn add_dependent(&mut self, class: ScopeId, base: ScopeId) {
        self.scopes[class.0 as usize].dependent.push(base);
    }

    pub fn open(&mut self, class: ScopeId) {
        self.scopes[class.0 as usize].is_open = true;
    }

    pub fn mark_template(&mut self, class: ScopeId) {
        self.scopes[class.0 as usize].is_template = true;
    }

    pub fn is_template(&self, class: ScopeId) -> bool {
        self.scope(class).is_template
    }

    pub fn mark_specialized(&mut self, class: ScopeId) {
        self.scopes[class.0 as usize].is_specialized = true;
    }

    /// Whether a scope belongs to a class template that has specialisations.
    pub fn is_in_specialized(&self, scope: ScopeId) -> bool {
        self.around(scope).any(|scope| self.scope(scope).is_specialized)
    }

    /// A scope and those around it.
    fn around(&self, scope: ScopeId) -> impl Iterator<Item = ScopeId> + '_ {
        std::iter::successors(Some(scope), |scope| self.scope(*scope).parent)
    }

    /// A scope and those whose names belong to it, but for bases that depend on a template parameter.
    fn with_also(&self, scope: ScopeId) -> Vec<ScopeId> {
        let mut seen = vec![scope];
        let mut next = 0;
        while next < seen.len() {
            let scope = self.scope(seen[next]);
            for also in &scope.also {
                if !seen.contains(also) && !scope.dependent.contains(also) {
                    seen.push(*also);
                }
            }
            next += 1;
        }
        seen
    }

    /// Whether an unqualified name that does not depend on a template parameter is declared, or may be.
    pub fn is_visible(&self, name: Symbol) -> bool {
        self.around(self.current).flat_map(|scope| self.with_also(scope)).any(|scope| {
            let scope = self.scope(scope);
            scope.is_open || scope.names.contains_key(&name)
        })
    }

    /// Whether a name is a parameter pack, or hides one.
    pub fn may_be_pack(&self, name: Symbol) -> bool {
        self.around(self.current)
            .flat_map(|scope| self.with_also(scope))
            .any(|scope| self.scope(scope).packs.contains(&name))
    }

    /// Whether the innermost declaration of a name is that of a parameter pack.
    pub fn is_pack(&self, name: Symbol) -> bool {
        self.around(self.current)
            .flat_map(|scope| self.with_also(scope))
            .find(|scope| self.scope(*scope).names.contains_key(&name))
            .is_some_and(|scope| self.scope(scope).packs.contains(&name))
    }
}
