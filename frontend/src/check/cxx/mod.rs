//! The meaning of C++ for OpenCL: from its syntax tree to the HIR that C has, too.
//!
//! Numbers, vectors, pointers, address spaces and built-in functions are the C checker's, which [`Cxx`]
//! contains and calls. Here is what only C++ has, a file or folder for each concern: [`scope`] and [`lookup`]
//! (names), [`types`] (types as written), [`declaration`] and [`global`] (variables, namespaces), [`dynamic`]
//! (objects that code begins and ends), [`class`] (members, layout, enumerations), [`special`] (what the
//! compiler adds to classes), [`function`] (declarations, signatures, bodies), [`overload`] and
//! [`conversion`] (which function, and how its arguments become its parameters), [`initialize`] (objects:
//! lists, aggregates, stores), [`expression`], [`literal`], [`member`], [`operator`], [`call`], [`cast`],
//! [`allocation`] (`new` and `delete`), [`statement`], [`cleanup`] (destructors), [`template`] and [`deduce`]
//! (arguments, instances, specialisations, partial ordering), [`lambda`] and [`this`], [`sampler`],
//! [`evaluate`] (an interpreter of the HIR for constant expressions), [`traits`], and [`walk`] (the calls in
//! a body).
//!
//! How C++ becomes HIR: references are pointers; methods are functions whose first parameter is `this`;
//! constructors write to places; an object that must not be copied is constructed where it will live;
//! destructors are calls at each exit of a scope; lambdas are classes; each instance of a template is checked
//! anew from its syntax tree, in a scope that binds its parameters.

mod allocation;
mod call;
mod cast;
mod class;
mod cleanup;
mod conversion;
mod declaration;
mod deduce;
mod dynamic;
mod evaluate;
mod expression;
mod function;
mod global;
mod initialize;
mod lambda;
mod literal;
mod lookup;
mod member;
mod operator;
mod overload;
mod sampler;
mod scope;
mod spec_constant;
mod special;
mod statement;
mod template;
mod this;
mod traits;
mod types;
mod walk;

use super::Checker;
use crate::Span;
use crate::cxx::ast::{DeclKind, Id, Unit};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::hir::{ConstantData, FunctionId, GlobalId, LocalId, Program};
use crate::options::Options;
use crate::symbol::{Interner, Symbol};
use crate::types::{RecordId, TypeId};
use class::Class;
use function::Function;
use lambda::Frame;
use rustc_hash::{FxHashMap, FxHashSet};
use scope::{Scope, ScopeId, Variable};
use std::ops::{Deref, DerefMut};
use template::Template;

/// Nested instantiations and evaluations of bodies.
const INSTANTIATION_DEPTH: usize = 256;
/// All instantiations.
const INSTANTIATIONS: usize = 20_000;

/// Checks the translation unit of a file. `None` if there are errors, including those of earlier phases.
pub fn check<'a>(
    unit: &'a Unit,
    interner: &'a mut Interner,
    options: &'a Options,
    file: &str,
    diagnostics: &'a mut Diagnostics,
) -> Option<Program> {
    let names = Words::new(interner);
    let mut cxx = Cxx {
        checker: Checker::new(interner, options, diagnostics),
        scopes: vec![Scope::new(None, scope::ScopeKind::Namespace)],
        scope: ScopeId(0),
        variables: Vec::new(),
        functions: Vec::new(),
        classes: FxHashMap::default(),
        templates: Vec::new(),
        frames: Vec::new(),
        of_hir: FxHashMap::default(),
        order: 0,
        horizon: u32::MAX,
        instantiations: 0,
        chain: Vec::new(),
        quiet: 0,
        failed: false,
        may_throw: false,
        unevaluated: 0,
        pending: Vec::new(),
        scoped_enums: FxHashSet::default(),
        enum_scopes: FxHashMap::default(),
        lambdas: 0,
        making: cleanup::Making::default(),
        discards: false,
        local_constants: FxHashMap::default(),
        constexpr_globals: FxHashSet::default(),
        unset_locals: FxHashSet::default(),
        union_assignments: FxHashSet::default(),
        initialized_parts: FxHashMap::default(),
        zero_globals: FxHashSet::default(),
        undefined_globals: FxHashSet::default(),
        copies_arrays: false,
        switch_types: Vec::new(),
        depth: 0,
        is_trial: false,
        is_partial_params: false,
        with_defaults: Vec::new(),
        inherited: FxHashMap::default(),
        other_this: None,
        has_lost: false,
        delegations: FxHashMap::default(),
        ignores_base_access: false,
        is_right_first: false,
        target_space: clvk_ir::AddressSpace::Private,
        closures: FxHashMap::default(),
        has_free_parameters: false,
        instantiated: Vec::new(),
        undeclared: unit.undeclared.iter().map(|found| found.name.span).collect(),
        lifetimes: dynamic::Lifetimes::default(),
        lost: &unit.lost,
        keeps_temporaries: false,
        spec_constants: FxHashMap::default(),
        kernels: FxHashMap::default(),
        single: walk::Calls::default(),
        local_members: Vec::new(),
        names,
    };
    for decl in &unit.decls {
        cxx.declaration(decl, None);
        cxx.check_pending();
    }
    cxx.check_pending();
    cxx.report_undeclared(&unit.undeclared);
    cxx.finish(file);
    if cxx.has_lost && !cxx.checker.diagnostics.has_errors() {
        let message = "a part of this program cannot be translated, and it is not known which";
        cxx.checker.report(Diagnostic::error(Span::NONE, message));
    }
    cxx.checker.into_program()
}

/// Names that the language itself uses.
struct Words {
    begin: Symbol,
    end: Symbol,
}

impl Words {
    fn new(interner: &mut Interner) -> Words {
        Words { begin: interner.intern("begin"), end: interner.intern("end") }
    }
}

/// A function, method or function template, by position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct FnId(u32);

/// A variable, by position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct VarId(u32);

/// A template, by position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct TemplateId(u32);

/// The state of a check.
struct Cxx<'a> {
    checker: Checker<'a>,
    scopes: Vec<Scope>,
    scope: ScopeId,
    variables: Vec<Variable>,
    functions: Vec<Function>,
    classes: FxHashMap<RecordId, Class>,
    templates: Vec<Template>,
    /// The function bodies that are being checked, the innermost last.
    frames: Vec<Frame>,
    /// The functions of the HIR.
    of_hir: FxHashMap<FunctionId, FnId>,
    /// Counts declarations, so that a template does not see what is declared after it.
    order: u32,
    /// What is declared from here on is not seen, except by argument-dependent lookup.
    horizon: u32,
    instantiations: usize,
    /// What is being instantiated, and from where: for messages.
    chain: Vec<(String, Span)>,
    /// Whether errors mean only that something is not possible (SFINAE, overload resolution).
    quiet: usize,
    /// Whether there was such an error.
    failed: bool,
    /// Whether what is being checked calls a function that may throw.
    may_throw: bool,
    /// Operands around that are not evaluated, such as those of `sizeof`.
    unevaluated: usize,
    /// Functions whose bodies are to be checked.
    pending: Vec<FnId>,
    scoped_enums: FxHashSet<crate::types::EnumId>,
    enum_scopes: FxHashMap<crate::types::EnumId, ScopeId>,
    lambdas: u32,
    /// The order in which temporary objects are made.
    making: cleanup::Making,
    /// Whether the value of the assignment that is checked next is not used.
    discards: bool,
    /// The first kernel of each name.
    kernels: FxHashMap<Symbol, FnId>,
    /// Specialisation constants by their types, which have their IDs.
    spec_constants: FxHashMap<TypeId, Span>,
    /// Static members of classes in local memory.
    local_members: Vec<(types::Type, Span)>,
    /// What one work-item of each work-group calls, to construct and destroy objects in local memory.
    single: walk::Calls,
    /// Values of constant variables of functions.
    local_constants: FxHashMap<(FunctionId, LocalId), ConstantData>,
    /// Variables of the program that never change.
    constexpr_globals: FxHashSet<GlobalId>,
    /// Variables of functions whose class has a constructor that is not constexpr, as it sets nothing.
    unset_locals: FxHashSet<(FunctionId, LocalId)>,
    /// Assignments to parts of unions, which initialise nothing.
    union_assignments: FxHashSet<Span>,
    /// What constructors initialise before their bodies, in order.
    initialized_parts: FxHashMap<FnId, Vec<evaluate::InitializedPart>>,
    /// Constant variables of the program whose value is zero, which has no data.
    zero_globals: FxHashSet<GlobalId>,
    /// Variables that are declared but not yet defined.
    undefined_globals: FxHashSet<VarId>,
    /// Whether arrays may be copied: in what the compiler makes, and for structured bindings.
    copies_arrays: bool,
    /// Types of the values of the `switch` statements around.
    switch_types: Vec<TypeId>,
    /// Whether the next call is of an assignment operator, whose right operand is evaluated first.
    is_right_first: bool,
    /// The address space of the object that is being initialised.
    target_space: clvk_ir::AddressSpace,
    /// Whether something was left out because of an error, which was reported or should have been.
    has_lost: bool,
    /// The constructors to which constructors delegate.
    delegations: FxHashMap<FnId, FnId>,
    /// Whether base classes are reached whatever their access: by casts as in C.
    ignores_base_access: bool,
    /// Instances of inherited constructor templates, by the class and the instance of the base's template.
    inherited: FxHashMap<(RecordId, FnId), FnId>,
    /// `this` where it is not the first parameter of a method.
    other_this: Option<this::OtherThis>,
    /// Functions whose default arguments are still to be checked.
    with_defaults: Vec<FnId>,
    /// Whether something is instantiated for types that represent template parameters: errors mean only that
    /// this is not possible.
    is_trial: bool,
    /// Whether template parameters are those of a partial specialisation.
    is_partial_params: bool,
    /// Depth of substitutions into signatures.
    depth: usize,
    /// The classes of lambda expressions, by their place in the tree and their scope.
    closures: FxHashMap<(usize, ScopeId), RecordId>,
    /// Whether kernels may take any class that can be copied bit by bit.
    has_free_parameters: bool,
    /// What the program instantiates explicitly.
    instantiated: Vec<template::Instance>,
    /// Undeclared names and other errors in templates, which are reported once and not for each instance.
    undeclared: FxHashSet<Span>,
    /// Objects of static storage duration that code begins and ends.
    lifetimes: dynamic::Lifetimes,
    /// Names that may be declared in what the parser did not understand.
    lost: &'a FxHashSet<Symbol>,
    /// Whether temporary objects are in memory of the program.
    keeps_temporaries: bool,
    names: Words,
}

impl<'a> Deref for Cxx<'a> {
    type Target = Checker<'a>;

    fn deref(&self) -> &Checker<'a> {
        &self.checker
    }
}

impl DerefMut for Cxx<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.checker
    }
}

impl Cxx<'_> {
    /// Reports an error; while something is only tried, it is noted.
    fn error(&mut self, span: Span, message: impl Into<String>) {
        self.report(Diagnostic::error(span, message));
    }

    fn report(&mut self, mut diagnostic: Diagnostic) {
        use crate::diagnostic::Severity;
        if self.quiet > 0 {
            self.failed |= diagnostic.severity == Severity::Error;
            return;
        }
        for (what, span) in self.chain.iter().rev().take(8) {
            diagnostic = diagnostic.related(*span, format!("in instantiation of {what} requested here"));
        }
        self.checker.report(diagnostic);
    }

    /// Does something that may fail, without messages, and without temporary objects that the full expression
    /// around it would destroy. `None` if there was an error.
    fn attempt<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> Option<T> {
        let before = std::mem::replace(&mut self.failed, false);
        self.quiet += 1;
        self.checker.diagnostics.set_quiet(true);
        let errors = self.checker.diagnostics.swallowed();
        let made = self.temporaries();
        let result = self.apart(work);
        self.forget_temporaries(made);
        let failed = self.failed || self.checker.diagnostics.swallowed() != errors;
        self.quiet -= 1;
        self.checker.diagnostics.set_quiet(self.quiet > 0);
        self.failed = before;
        (!failed).then_some(result)
    }

    /// Whether what declares a name may be something that the parser did not understand and reported.
    fn is_lost(&mut self, name: Symbol) -> bool {
        let is_lost = self.lost.contains(&name);
        if is_lost {
            self.note_error();
        }
        is_lost
    }

    fn note_error(&mut self) {
        self.failed = true;
        self.has_lost |= self.quiet == 0;
    }

    fn in_scope<T>(&mut self, scope: ScopeId, work: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.scope, scope);
        let result = work(self);
        self.scope = outer;
        result
    }

    /// Runs nested work on a stack that is large enough, up to a depth.
    fn deeper<T>(&mut self, span: Span, what: &str, work: impl FnOnce(&mut Self) -> T) -> Option<T> {
        const RED_ZONE: usize = 512 << 10;
        const SEGMENT: usize = 4 << 20;
        self.instantiations += 1;
        if self.is_trial && self.chain.len() >= INSTANTIATION_DEPTH {
            self.note_error();
            return None;
        }
        if self.chain.len() >= INSTANTIATION_DEPTH || self.instantiations > INSTANTIATIONS {
            // One message is enough; the rest would say the same.
            if self.instantiations != usize::MAX / 2 {
                self.instantiations = usize::MAX / 2;
                let quiet = std::mem::take(&mut self.quiet);
                self.checker.diagnostics.set_quiet(false);
                let message = format!("template instantiation exceeded the depth of {INSTANTIATION_DEPTH}");
                let diagnostic = Diagnostic::error(span, message);
                let diagnostic = diagnostic.related(span, format!("in instantiation of {what}"));
                self.checker.report(diagnostic);
                self.quiet = quiet;
                self.checker.diagnostics.set_quiet(quiet > 0);
            }
            self.note_error();
            return None;
        }
        self.chain.push((what.to_owned(), span));
        let result = stacker::maybe_grow(RED_ZONE, SEGMENT, || self.apart(work));
        self.chain.pop();
        Some(result)
    }

    /// Checks the bodies that were postponed.
    fn check_pending(&mut self) {
        while let Some(id) = self.pending.pop() {
            self.body(id);
        }
        self.check_default_arguments();
    }

    /// What remains at the end: recursion, and variables that need a start.
    fn finish(&mut self, file: &str) {
        self.report_undefined_globals();
        self.finish_lifetimes(file);
        self.check_local_members();
        self.check_single_work_items();
        self.prune();
        self.checker.report_recursion();
    }

    /// Removes the bodies of functions that no kernel and no function for other programs calls: those that
    /// only constant expressions call may recurse. Recursion is looked for among the calls of what remains,
    /// and of every function that can only be called by running code.
    fn prune(&mut self) {
        let count = self.checker.functions.len();
        let is_root = |index: &usize| {
            let function = &self.checker.functions[*index];
            function.kernel.is_some() || !function.is_internal
        };
        let mut reached = vec![false; count];
        self.record_calls((0..count).filter(is_root).collect(), &mut reached);
        let runs = |index: &usize| {
            let id = self.of_hir.get(&FunctionId(*index as u32));
            id.is_some_and(|&id| !self.function(id).is_constexpr && !self.is_of_placeholder(id))
        };
        self.record_calls((0..count).filter(runs).collect(), &mut reached.clone());
        for (index, function) in self.checker.functions.iter_mut().enumerate() {
            if !reached[index] {
                function.body = Some(Vec::new());
                function.epilogue = Vec::new();
                function.is_internal = true;
            }
        }
    }

    /// Adds the calls of functions, and of what they reach, to the call graph, except for those that were
    /// reached before.
    fn record_calls(&mut self, mut waiting: Vec<usize>, reached: &mut [bool]) {
        while let Some(index) = waiting.pop() {
            if std::mem::replace(&mut reached[index], true) {
                continue;
            }
            let mut calls = walk::Calls::default();
            if let Some(body) = &self.checker.functions[index].body {
                walk::calls(body, &mut calls);
                walk::calls(&self.checker.functions[index].epilogue, &mut calls);
            }
            for (callee, span) in calls.functions {
                self.checker.call_graph.add(FunctionId(index as u32), callee, span);
                waiting.push(callee.0 as usize);
            }
            waiting.extend(calls.enqueued.iter().map(|function| function.0 as usize));
        }
    }

    /// Declarations in `extern "C"`.
    fn each_in_linkage(&mut self, decls: &[std::rc::Rc<crate::cxx::ast::Decl>]) {
        for decl in decls {
            if let DeclKind::Function(function) = &decl.kind {
                if let Some(name) = &function.declarator.name
                    && matches!(name.last().id, Id::Literal(_))
                {
                    self.error(name.span, "literal operator must have C++ linkage");
                }
                self.free_function(function, true);
            } else {
                self.declaration(decl, None);
            }
        }
    }
}
