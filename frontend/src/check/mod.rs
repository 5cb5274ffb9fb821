//! From the syntax tree to the checked program: names, types, conversions and overloads.
//!
//! The checker walks the tree once, in order, and builds the HIR on the way. An expression is first an
//! [`Operand`](expression::Operand), that is, an object or a value; its user converts it to what it needs.
//! Every error is reported where it is found, and its expression gets the error type, which is compatible
//! with everything, so that one mistake is reported once.
//!
//! There is a file for each concern: [`scope`] (the meaning of names), [`specifier`] and [`declarator`]
//! (types as written), [`record`] (structures, unions, enumerations and their layout), [`declaration`],
//! [`global`], [`function`], [`attribute`], [`statement`], [`initializer`], [`expression`] and its parts,
//! [`conversion`], [`constant`] (evaluation of constant expressions), [`builtin`] (calls of built-in
//! functions), [`gate`] (version and feature checks), [`compiler_builtin`], [`overload`], [`block`],
//! [`pragma`], [`pipe`], [`mod@enqueue`], [`mod@print`], [`recursion`], [`flow`] (missing `return`),
//! [`warning`], [`spelling`] (types in messages).

mod assignment;
mod async_copy;
mod attribute;
mod block;
mod builtin;
mod builtin_family;
mod call;
mod candidates;
mod compiler_builtin;
mod conditional;
mod constant;
mod conversion;
mod cxx;
mod declaration;
mod declarator;
mod designator;
mod enqueue;
mod expression;
mod flow;
mod function;
mod gate;
mod global;
mod initializer;
mod kernel;
mod literal;
mod math_names;
mod matrix;
mod member;
mod operator;
mod overflow;
mod overload;
mod pipe;
mod place;
mod pragma;
mod print;
mod record;
mod recursion;
mod sampler;
mod scope;
mod spec_constant;
mod specifier;
mod spelling;
mod statement;
mod synchronization;
mod unsequenced;
mod warning;
mod widening;

#[cfg(test)]
mod tests;

use crate::Span;
use crate::ast::{Item, TranslationUnit};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::hir::{self, GlobalId, Program};
use crate::options::Options;
use crate::symbol::{Interner, Symbol};
use crate::types::{RecordId, ScalarKind, TypeId, Types};
pub(crate) use attribute::is_known_attribute;
use clvk_interface::PrintFormat;
pub(crate) use compiler_builtin::is_compiler_builtin;
pub use cxx::check as check_cxx;
use function::{FunctionInfo, FunctionState};
use rustc_hash::{FxHashMap, FxHashSet};
use scope::Scope;
use std::collections::BTreeMap;

/// Greatest nesting of pointers and arrays in a type, and of structures in structures.
const TYPE_NESTING: usize = 128;
/// Most bytes of a variable whose initialiser is stored as data.
const INITIALIZED_SIZE: u64 = 256 << 20;

/// Checks a translation unit. `None` if there are errors, including those of earlier phases.
pub fn check(
    unit: &TranslationUnit,
    interner: &mut Interner,
    options: &Options,
    diagnostics: &mut Diagnostics,
) -> Option<Program> {
    let mut checker = Checker::new(interner, options, diagnostics);
    checker.translation_unit(unit);
    checker.into_program()
}

/// The state of a check.
struct Checker<'a> {
    interner: &'a mut Interner,
    options: &'a Options,
    diagnostics: &'a mut Diagnostics,
    types: Types,
    scopes: Vec<Scope>,
    /// Names of blocks of the current function that have ended, for messages.
    ended: FxHashMap<Symbol, Span>,
    functions: Vec<hir::Function>,
    function_infos: Vec<FunctionInfo>,
    globals: Vec<hir::Global>,
    /// `extern` variables without a definition so far.
    undefined: FxHashMap<GlobalId, Span>,
    /// Variables with external linkage, by name, in whichever scope they were declared.
    external_globals: FxHashMap<Symbol, GlobalId>,
    /// Variables whose type was incomplete at their declaration, with its place.
    incomplete_globals: FxHashMap<GlobalId, Span>,
    used_globals: FxHashSet<GlobalId>,
    strings: FxHashMap<Vec<u8>, GlobalId>,
    /// Calls of `printf`.
    print_formats: Vec<PrintFormat>,
    /// Types of the specialisation constants, by ID.
    specialisation: BTreeMap<u32, ScalarKind>,
    global_names: FxHashMap<String, u32>,
    /// `typedef` names of structures without a tag.
    record_names: FxHashMap<RecordId, Symbol>,
    /// Nesting depth of each structure, counting itself.
    record_depths: FxHashMap<RecordId, usize>,
    /// The function whose body is being checked.
    current: Option<FunctionState>,
    /// If that is a block: the enclosing functions, the outermost first; `None` is file scope.
    outer: Vec<Option<FunctionState>>,
    /// The current state of `FP_CONTRACT`.
    contract: bool,
    /// How often expressions changed whole variables so far.
    changes: usize,
    warned_of_double: bool,
    /// Whether a use of blocks without support was already reported.
    refused_blocks: bool,
    /// Whether `cl_khr_fp16` was disabled by a pragma.
    half_disabled: bool,
    call_graph: recursion::CallGraph,
    /// Functions that the file defines, with their places, for calls before the declaration.
    defined_somewhere: FxHashMap<Symbol, Span>,
    /// Names that parts which the parser did not understand may have declared.
    suspects: FxHashSet<Symbol>,
    /// Structures with a member for which the parser reported an error, so that some members are unknown.
    broken_records: FxHashSet<RecordId>,
    /// Structures with a member of type `size_t` or a similar type, whose size differs between host and
    /// device.
    host_sized_records: FxHashSet<RecordId>,
}

impl<'a> Checker<'a> {
    fn new(interner: &'a mut Interner, options: &'a Options, diagnostics: &'a mut Diagnostics) -> Self {
        Checker {
            interner,
            options,
            diagnostics,
            types: Types::new(),
            scopes: vec![Scope::default()],
            ended: FxHashMap::default(),
            functions: Vec::new(),
            function_infos: Vec::new(),
            globals: Vec::new(),
            undefined: FxHashMap::default(),
            external_globals: FxHashMap::default(),
            incomplete_globals: FxHashMap::default(),
            used_globals: FxHashSet::default(),
            strings: FxHashMap::default(),
            print_formats: Vec::new(),
            specialisation: BTreeMap::new(),
            global_names: FxHashMap::default(),
            record_names: FxHashMap::default(),
            record_depths: FxHashMap::default(),
            current: None,
            outer: Vec::new(),
            contract: !options.library,
            changes: 0,
            warned_of_double: false,
            refused_blocks: false,
            half_disabled: false,
            call_graph: recursion::CallGraph::default(),
            defined_somewhere: FxHashMap::default(),
            suspects: FxHashSet::default(),
            broken_records: FxHashSet::default(),
            host_sized_records: FxHashSet::default(),
        }
    }

    /// What was checked; `None` if there are errors, including those of earlier phases.
    fn into_program(self) -> Option<Program> {
        let Checker { types, functions, globals, print_formats, specialisation, diagnostics, .. } = self;
        let specialisation = specialisation.into_iter().map(|(id, kind)| (id, kind.size() as u32)).collect();
        (!diagnostics.has_errors()).then_some(Program {
            types,
            functions,
            globals,
            print_formats,
            specialisation,
        })
    }

    fn translation_unit(&mut self, unit: &TranslationUnit) {
        let names = unit.items.iter().filter_map(|item| match item {
            Item::Function(definition) => definition.declarator.name,
            _ => None,
        });
        self.suspects.clone_from(&unit.suspects);
        self.defined_somewhere = names.map(|name| (name.symbol, name.span)).collect();
        for item in &unit.items {
            let function = match item {
                Item::Function(definition) => self.function_definition(definition),
                _ => None,
            };
            match item {
                Item::Declaration(declaration) => self.file_declaration(declaration),
                Item::Pragma(pragma, span) => self.file_pragma(*pragma, *span),
                Item::StaticAssert(assertion) => self.static_assert(assertion),
                Item::Function(_) | Item::Empty(_) => {}
            }
            let function = function.map(|id| self.functions[id.0 as usize].name.as_str());
            self.diagnostics.attribute_deferred(function);
        }
        self.finish_globals();
        self.report_recursion();
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    fn error(&mut self, span: Span, message: impl Into<String>) {
        self.report(Diagnostic::error(span, message));
    }

    fn warn(&mut self, span: Span, message: impl Into<String>) {
        self.report(Diagnostic::warning(span, message));
    }

    /// Reports a language construct that is not supported.
    fn unsupported(&mut self, span: Span, what: impl std::fmt::Display) {
        self.error(span, format!("{what} is not supported"));
    }

    /// Reports language constructs, in the plural, that are not supported.
    fn unsupported_all(&mut self, span: Span, what: impl std::fmt::Display) {
        self.error(span, format!("{what} are not supported"));
    }

    fn text(&self, symbol: Symbol) -> &str {
        self.interner.text(symbol)
    }

    fn owned(&self, symbol: Symbol) -> String {
        self.text(symbol).to_owned()
    }

    fn int(&mut self) -> TypeId {
        self.types.scalar(ScalarKind::Int)
    }

    fn bool(&mut self) -> TypeId {
        self.types.scalar(ScalarKind::Bool)
    }

    fn size_type(&mut self) -> TypeId {
        self.types.scalar(ScalarKind::ULong)
    }
}
