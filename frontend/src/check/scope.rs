//! Scopes: what names mean (C99 §6.2.1, §6.2.3).

use super::Checker;
use super::block::BlockVariable;
use super::declarator::Declared;
use crate::Span;
use crate::ast::Name;
use crate::builtins;
use crate::diagnostic::Diagnostic;
use crate::hir::{Expr, FunctionId, GlobalId, LocalId};
use crate::preprocess::constants::{self, Lack};
use crate::suggest::nearest;
use crate::symbol::Symbol;
use crate::types::{EnumId, QualifiedType, RecordId, ScalarKind, TypeId};
use clvk_interface::Feature;
use clvk_ir::AddressSpace;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// What an ordinary name means.
#[derive(Clone, Debug)]
pub(super) enum Entity {
    /// A variable.
    Variable(Variable),
    /// A function.
    Function(FunctionId),
    /// Several functions of one name; at most one of them is not overloadable.
    Overloaded(Rc<[FunctionId]>),
    /// A block variable.
    Block(BlockVariable),
    /// A `typedef` name.
    Typedef(Declared),
    /// An enumerator.
    Enumerator(i128, TypeId),
    /// A sampler that the program declares: its value and type.
    Sampler(u32, TypeId),
    /// A name whose declaration has an error.
    Error,
}

/// A variable or parameter.
#[derive(Clone, Copy, Debug)]
pub(super) struct Variable {
    pub storage: Storage,
    pub ty: QualifiedType,
    pub space: AddressSpace,
}

/// Where a variable lives.
#[derive(Clone, Copy, Debug)]
pub(super) enum Storage {
    /// A variable of the function at this depth: 0 is a function, more are blocks in it.
    Local(LocalId, usize),
    Global(GlobalId),
}

/// What a tag means.
#[derive(Clone, Copy, Debug)]
pub(super) enum Tag {
    Record(RecordId),
    Enum(EnumId),
}

/// The names of a file, function or block.
#[derive(Debug, Default)]
pub(super) struct Scope {
    pub names: FxHashMap<Symbol, (Entity, Span)>,
    pub tags: FxHashMap<Symbol, (Tag, Span)>,
}

impl Checker<'_> {
    pub(super) fn enter_scope(&mut self) {
        self.scopes.push(Scope::default());
    }

    pub(super) fn leave_scope(&mut self) {
        assert!(self.scopes.len() > 1, "the file's scope is never left");
        let scope = self.scopes.pop().expect("it was entered");
        if self.at_file_scope() {
            self.ended.clear();
        } else {
            let declared =
                scope.names.into_iter().filter(|(_, (entity, _))| !matches!(entity, Entity::Error));
            self.ended.extend(declared.map(|(symbol, (_, span))| (symbol, span)));
        }
    }

    pub(super) fn at_file_scope(&self) -> bool {
        self.scopes.len() == 1
    }

    pub(super) fn find(&self, symbol: Symbol) -> Option<&(Entity, Span)> {
        self.scopes.iter().rev().find_map(|scope| scope.names.get(&symbol))
    }

    pub(super) fn find_here(&self, symbol: Symbol) -> Option<&(Entity, Span)> {
        self.scopes.last().and_then(|scope| scope.names.get(&symbol))
    }

    pub(super) fn find_tag(&self, symbol: Symbol) -> Option<Tag> {
        self.scopes.iter().rev().find_map(|scope| scope.tags.get(&symbol)).map(|(tag, _)| *tag)
    }

    pub(super) fn find_tag_here(&self, symbol: Symbol) -> Option<(Tag, Span)> {
        self.scopes.last().and_then(|scope| scope.tags.get(&symbol)).copied()
    }

    pub(super) fn declare_tag(&mut self, symbol: Symbol, tag: Tag, span: Span) {
        self.scopes.last_mut().expect("the file's scope").tags.insert(symbol, (tag, span));
    }

    /// Gives `name` a meaning in the innermost scope; reports an error if it has another one there.
    pub(super) fn declare(&mut self, name: Name, entity: Entity) {
        if let Some((known, previous)) = self.find_here(name.symbol)
            && !matches!(known, Entity::Error)
        {
            let previous = *previous;
            let mut message = format!("redefinition of '{}'", self.text(name.symbol));
            if let (Entity::Variable(new), Entity::Variable(old)) = (&entity, known)
                && new.ty.ty != old.ty.ty
            {
                let (new, old) = (self.type_text(new.ty.ty), self.type_text(old.ty.ty));
                message += &format!(" with a different type: '{new}' vs '{old}'");
            }
            self.report(
                Diagnostic::error(name.span, message).related(previous, "previous definition is here"),
            );
            return;
        }
        self.redeclare(name, entity);
    }

    /// Replaces the meaning of `name` in the innermost scope.
    pub(super) fn redeclare(&mut self, name: Name, entity: Entity) {
        self.scopes.last_mut().expect("the file's scope").names.insert(name.symbol, (entity, name.span));
    }

    /// Reports an undeclared name, once: from then on it is an error entity.
    pub(super) fn undeclared(&mut self, name: Name, function: bool) {
        if !self.suspects.contains(&name.symbol) {
            self.report_undeclared(name, function);
        }
        let scope = if self.scopes.len() > 1 { 1 } else { 0 };
        self.scopes[scope].names.insert(name.symbol, (Entity::Error, name.span));
    }

    /// A constant of the language that the device does not define, where its use is judged later: the kernels
    /// that reach it will be refused, so only its type matters, and the value of integers, which types may
    /// depend on.
    pub(super) fn deferred_constant(&mut self, text: &str, span: Span) -> Option<Expr> {
        let Some(Lack::Feature(feature)) = constants::lack(text, self.options) else {
            return None;
        };
        if !self.defers(feature) {
            return None;
        }
        self.diagnostics.defer(feature, &format!("the constant '{text}'"), span);
        let (kind, value) = match constants::integer(text) {
            Some(value) => (ScalarKind::Int, value),
            None if feature == Feature::Fp16 => (ScalarKind::Half, 0),
            None => (ScalarKind::Double, 0),
        };
        let ty = self.types.scalar(kind);
        Some(self.integer_literal(value, ty, span))
    }

    /// Reports a constant of the language that the version or the device does not define; false if `text` is
    /// not one.
    fn report_lacking_constant(&mut self, name: Name, text: &str) -> bool {
        let what = format!("the constant '{text}'");
        match constants::lack(text, self.options) {
            Some(Lack::Version(first)) => _ = self.demand_version(name.span, &what, first),
            Some(Lack::Feature(feature)) => _ = self.report_lacking_of(name.span, &what, feature),
            None => return false,
        }
        true
    }

    fn report_undeclared(&mut self, name: Name, function: bool) {
        let text = self.owned(name.symbol);
        if self.report_lacking_constant(name, &text) {
            return;
        }
        let ended = self.ended.get(&name.symbol).copied();
        let best = self.similar_name(&text, function).filter(|_| ended.is_none());
        let message = if function {
            format!("use of undeclared function '{text}'")
        } else {
            format!("use of undeclared identifier '{text}'")
        };
        let mut diagnostic = Diagnostic::error(name.span, message);
        let remark = crate::foreign::remark(&text);
        if let Some(best) = best.filter(|_| remark.is_none()) {
            diagnostic = diagnostic.suggest(&best);
            if let Some(declared) = self.declaration_of(&best) {
                diagnostic = diagnostic.related(declared, format!("'{best}' is declared here"));
            }
        }
        if let Some(ended) = ended {
            diagnostic = diagnostic.related(ended, "it is declared here, in a block that has ended");
        }
        if let Some(later) = self.defined_somewhere.get(&name.symbol) {
            let text = "it is defined here, after its use: declare it earlier";
            diagnostic = diagnostic.related(*later, text);
        }
        if let Some(remark) = remark {
            diagnostic = diagnostic.note(remark);
        }
        self.report(diagnostic);
    }

    /// Where the program declares a name.
    fn declaration_of(&self, name: &str) -> Option<Span> {
        let mut names = self.scopes.iter().rev().flat_map(|scope| &scope.names);
        names.find(|(symbol, _)| self.text(**symbol) == name).map(|(_, (_, span))| *span)
    }

    /// The intended name for an undeclared one: first a name of the program, then a constant of the language,
    /// then a built-in function. There is no search once errors are only counted.
    fn similar_name(&self, text: &str, function: bool) -> Option<String> {
        if self.diagnostics.list().len() >= crate::limits::SUGGESTIONS {
            return None;
        }
        let names = self.scopes.iter().flat_map(|scope| &scope.names);
        let names = names.filter(|(_, (entity, _))| !matches!(entity, Entity::Error));
        let known = nearest(text, names.map(|(symbol, _)| self.text(*symbol)));
        let known = known.or_else(|| nearest(text, crate::preprocess::constant_names(self.options)));
        match known {
            Some(known) => Some(known.to_owned()),
            None if function => nearest(text, builtins::names()),
            None => None,
        }
    }
}
