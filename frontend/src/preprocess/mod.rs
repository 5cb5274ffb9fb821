//! From text to tokens: translation phases 1 to 7 of C99 §5.1.1.2, OpenCL C §6.12.
//!
//! # The way of a token
//! [`lexer`] (text → preprocessing tokens) → [`expand`] (macros; on `#` at the start of a line [`directive`])
//! → [`decode`] (→ [`Token`]s with values) or [`mod@print`] (→ text, for `-E`). Tokens are pulled one at a
//! time through a stack: the files being included are below, the replacements being rescanned above.
//!
//! # Invariants
//! - Time and memory are linear in the source and the stated [`limits`]. Expansion steps, built text,
//!   included files and positions are counted, and the first limit that is reached ends preprocessing with
//!   one error.
//! - The only recursion is the expansion of macro arguments, whose depth has a limit.
//! - While a directive is executed, the stack of replacements is empty: directives only occur in files.

mod condition;
pub(crate) mod constants;
mod cxx_features;
mod decode;
mod definition;
mod directive;
mod expand;
mod header;
mod include;
mod lexer;
mod literal;
mod names;
mod pp_token;
mod pragma;
mod print;
mod scan;
mod substitute;
mod target_macros;

pub use literal::{float16, float32};
pub use pragma::NON_PORTABLE_PARAMETERS;

use crate::Span;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::limits;
use crate::options::Options;
use crate::source::{FileId, IncludeResolver, SourceMap};
use crate::symbol::{Interner, Symbol};
use crate::token::{Pragma, Token};
use expand::Context;
use lexer::Lexer;
use names::Names;
use pp_token::PpToken;
use rustc_hash::FxHashSet;
use std::path::PathBuf;

/// The inputs and outputs of preprocessing besides the text.
pub struct Environment<'a> {
    /// Macros, version, features.
    pub options: &'a Options,
    /// Finds included files.
    pub includes: &'a dyn IncludeResolver,
    /// Receives the names and strings.
    pub interner: &'a mut Interner,
    /// Receives the files and expansions.
    pub sources: &'a mut SourceMap,
    /// Receives the messages.
    pub diagnostics: &'a mut Diagnostics,
}

/// The names of the constants that the language version and the device predefine as macros, for suggestions.
pub(crate) fn constant_names(options: &Options) -> impl Iterator<Item = &'static str> {
    constants::names(options)
}

/// Preprocesses `text`, which messages call `name`. After an error it returns the tokens that it could make,
/// so that the parser can find more errors; if a limit was reached or an included file is missing, none.
#[must_use]
pub fn preprocess(name: &str, text: &str, environment: Environment<'_>) -> Vec<Token> {
    let mut preprocessor = Preprocessor::new(environment);
    preprocessor.start(name, text);
    preprocessor.decode_all()
}

/// Preprocesses `text` to text, as for `-E`, with `#line` where the position jumps.
#[must_use]
pub fn preprocess_to_text(name: &str, text: &str, environment: Environment<'_>) -> String {
    let mut preprocessor = Preprocessor::new(environment);
    preprocessor.start(name, text);
    preprocessor.print_all()
}

/// A file that is being read.
struct OpenFile {
    id: FileId,
    lexer: Lexer,
    conditionals: Vec<Conditional>,
}

/// An `#if` that is not closed yet.
struct Conditional {
    span: Span,
    /// Whether a group of it was compiled.
    taken: bool,
    /// Its `#else`.
    otherwise: Option<Span>,
}

/// Names with a special meaning to the preprocessor.
struct Known {
    variable_arguments: Symbol,
    defined: Symbol,
}

struct Preprocessor<'a> {
    options: &'a Options,
    includes: &'a dyn IncludeResolver,
    interner: &'a mut Interner,
    sources: &'a mut SourceMap,
    diagnostics: &'a mut Diagnostics,
    names: Names<'a>,
    known: Known,
    /// Innermost last; the main file is never closed.
    files: Vec<OpenFile>,
    contexts: Vec<Context>,
    /// A token that was read ahead; it comes next.
    pushed_back: Option<PpToken>,
    /// Whether the arguments of a macro are being read; the end of an included file ends them.
    gathering: bool,
    /// Whether the condition of an `#if` is being expanded, so that `defined` is an operator.
    in_condition: bool,
    argument_depth: usize,
    /// The remaining parts of the limits.
    steps: u64,
    text_left: usize,
    includes_left: usize,
    /// Whether a limit was reached, so that no more tokens come.
    stopped: bool,
    /// Whether the text after a macro call without its `)` was read again.
    has_resumed: bool,
    /// An included file is missing: the tokens do not count.
    is_incomplete: bool,
    counter: u32,
    once: FxHashSet<PathBuf>,
    pragmas: Vec<Pragma>,
    /// The current value of `#pragma pack`, and the values that `push` has saved, with their names.
    pack: Option<u32>,
    packs: Vec<(Option<Symbol>, Option<u32>)>,
    /// Buffers of finished contexts, for reuse.
    spare: Vec<Vec<PpToken>>,
    scratch: String,
    /// The suffix of the number that was just decoded, if the program defines it.
    literal_suffix: Option<crate::token::TokenKind>,
}

impl<'a> Preprocessor<'a> {
    fn new(environment: Environment<'a>) -> Self {
        let Environment { options, includes, interner, sources, diagnostics } = environment;
        let known =
            Known { variable_arguments: interner.intern("__VA_ARGS__"), defined: interner.intern("defined") };
        Preprocessor {
            options,
            includes,
            interner,
            sources,
            diagnostics,
            names: Names::new(options),
            known,
            files: Vec::new(),
            contexts: Vec::new(),
            pushed_back: None,
            gathering: false,
            in_condition: false,
            argument_depth: 0,
            steps: limits::EXPANSION_STEPS,
            text_left: limits::BUILT_TEXT,
            includes_left: limits::INCLUDES,
            stopped: false,
            has_resumed: false,
            is_incomplete: false,
            counter: 0,
            once: FxHashSet::default(),
            pragmas: Vec::new(),
            pack: None,
            packs: Vec::new(),
            spare: Vec::new(),
            literal_suffix: None,
            scratch: String::new(),
        }
    }

    fn error(&mut self, span: Span, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error(span, message));
    }

    fn warning(&mut self, span: Span, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::warning(span, message));
    }

    /// Reports a limit and ends preprocessing.
    fn stop(&mut self, diagnostic: Diagnostic) {
        if !self.stopped {
            self.stopped = true;
            self.diagnostics.push(diagnostic);
        }
    }

    /// Counts work of macro expansion.
    fn spend(&mut self, steps: usize, span: Span) {
        match self.steps.checked_sub(steps as u64) {
            Some(left) => self.steps = left,
            None => {
                let message = format!("macro expansion takes more than {} steps", limits::EXPANSION_STEPS);
                self.stop(
                    Diagnostic::error(span, message)
                        .note("macros that each expand another one several times multiply the steps"),
                );
            }
        }
    }

    /// Counts text that macro expansion builds.
    fn spend_text(&mut self, bytes: usize, span: Span) {
        match self.text_left.checked_sub(bytes) {
            Some(left) => self.text_left = left,
            None => {
                let message =
                    format!("'#' and '##' build more than {} MiB of text", limits::BUILT_TEXT >> 20);
                self.stop(Diagnostic::error(span, message));
            }
        }
    }

    fn out_of_positions(&mut self, span: Span) {
        let message = "the sources and their macro expansions are larger than 4 GiB";
        self.stop(Diagnostic::error(span, message));
    }

    fn definition_of(&mut self, symbol: Symbol) -> &names::Definition {
        self.names.definition(symbol, self.interner)
    }
}
