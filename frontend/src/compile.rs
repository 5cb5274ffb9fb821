//! The whole front end in one call.
//!
//! Preprocessing runs on the caller's stack, because it does not recurse into the source. Parsing, checking
//! and lowering walk trees whose depth [`crate::limits`] bounds. They run on a separate stack that is large
//! enough for that depth, so a caller may have a small stack.

use crate::ast::TranslationUnit;
use crate::diagnostic::Diagnostics;
use crate::hir::Program;
use crate::layout::{self, ParameterLayout};
use crate::options::Options;
use crate::preprocess::{self, Environment};
use crate::source::{IncludeResolver, NoIncludes, SourceMap};
use crate::symbol::Interner;
use crate::token::Token;
use crate::{check, cxx, lower, parse};
use clvk_ir::Module;

/// Size in bytes of the stack for parsing, checking and lowering. Only the used part takes memory.
const STACK_SIZE: usize = 64 << 20;
/// Errors that make a text one of another language, if most declarations in it are not understood.
const FOREIGN_ERRORS: usize = 3;

/// The result of a compilation.
pub struct Compilation {
    /// The program.
    pub module: Module,
    /// The structures that kernels take.
    pub layouts: Vec<ParameterLayout>,
    /// Specialisation constants: ID and size in bytes, by ID.
    pub specialisation: Vec<(u32, u32)>,
    /// Warnings.
    pub diagnostics: Diagnostics,
    /// The sources that the spans of the diagnostics and of the module's instructions refer to.
    pub sources: SourceMap,
}

/// A compilation that found errors.
#[derive(Debug)]
pub struct Failure {
    /// Errors and warnings.
    pub diagnostics: Diagnostics,
    /// To render them.
    pub sources: SourceMap,
}

/// Text that was preprocessed only.
#[derive(Debug)]
pub struct Preprocessed {
    /// The text, with `#line` where the position jumps.
    pub text: String,
    /// Warnings.
    pub diagnostics: Diagnostics,
    /// To render them.
    pub sources: SourceMap,
}

/// What the phases after preprocessing make.
struct Lowered {
    module: Module,
    layouts: Vec<ParameterLayout>,
    specialisation: Vec<(u32, u32)>,
}

/// What the phases of one compilation share.
struct Session {
    sources: SourceMap,
    diagnostics: Diagnostics,
    interner: Interner,
}

impl Session {
    fn new(options: &Options) -> Self {
        let mut diagnostics = Diagnostics::new(options);
        for option in &options.ignored {
            diagnostics.push_about_options(option);
        }
        Session { sources: SourceMap::default(), diagnostics, interner: Interner::default() }
    }

    /// What C++ predefines, whatever macros the program defines.
    fn predefined(&mut self, options: &Options) -> Vec<Token> {
        let own = Options {
            version: options.version,
            cxx: options.cxx,
            features: options.features,
            ..Options::default()
        };
        let environment = self.environment(&own, &NoIncludes);
        preprocess::preprocess("<predefined>", cxx::predefined::TEXT, environment)
    }

    fn environment<'a>(
        &'a mut self,
        options: &'a Options,
        includes: &'a dyn IncludeResolver,
    ) -> Environment<'a> {
        Environment {
            options,
            includes,
            interner: &mut self.interner,
            sources: &mut self.sources,
            diagnostics: &mut self.diagnostics,
        }
    }
}

/// Compiles `text`, which messages call `name`.
///
/// # Errors
/// All diagnostics, if one is an error.
pub fn compile(
    name: &str,
    text: &str,
    options: &Options,
    includes: &dyn IncludeResolver,
) -> Result<Compilation, Box<Failure>> {
    let options = &*options.for_file(name);
    let mut session = Session::new(options);
    let mut tokens = preprocess::preprocess(name, text, session.environment(options, includes));
    if options.cxx.is_some() && cxx::predefined::is_wanted(&session.interner) {
        tokens.splice(0..0, session.predefined(options));
    }
    let Session { sources, mut diagnostics, mut interner } = session;
    let lowered = on_large_stack(|| {
        compile_tokens(&tokens, &mut interner, options, &mut diagnostics, (name, &sources))
    });
    match lowered {
        Some(Lowered { module, layouts, specialisation }) if !diagnostics.has_errors() => {
            Ok(Compilation { module, layouts, specialisation, diagnostics, sources })
        }
        _ => {
            assert!(diagnostics.has_errors(), "a phase gave no result and no error");
            Err(Box::new(Failure { diagnostics, sources }))
        }
    }
}

/// Preprocesses `text` to text (`-E`).
///
/// # Errors
/// All diagnostics, if one is an error.
pub fn preprocess_only(
    name: &str,
    text: &str,
    options: &Options,
    includes: &dyn IncludeResolver,
) -> Result<Preprocessed, Box<Failure>> {
    let options = &*options.for_file(name);
    let mut session = Session::new(options);
    let text = preprocess::preprocess_to_text(name, text, session.environment(options, includes));
    let Session { sources, diagnostics, .. } = session;
    if diagnostics.has_errors() {
        return Err(Box::new(Failure { diagnostics, sources }));
    }
    Ok(Preprocessed { text, diagnostics, sources })
}

/// Parses `text` without checking types.
///
/// # Errors
/// All diagnostics, if one is an error.
pub fn parse_only(
    name: &str,
    text: &str,
    options: &Options,
    includes: &dyn IncludeResolver,
) -> Result<TranslationUnit, Box<Failure>> {
    let mut session = Session::new(options);
    let tokens = preprocess::preprocess(name, text, session.environment(options, includes));
    let Session { sources, mut diagnostics, mut interner } = session;
    let unit = on_large_stack(|| parse::parse(&tokens, &mut interner, &mut diagnostics));
    if diagnostics.has_errors() {
        return Err(Box::new(Failure { diagnostics, sources }));
    }
    Ok(unit)
}

/// The phases after preprocessing. Parsing and checking also run after errors, lowering does not.
fn compile_tokens(
    tokens: &[Token],
    interner: &mut Interner,
    options: &Options,
    diagnostics: &mut Diagnostics,
    (name, sources): (&str, &SourceMap),
) -> Option<Lowered> {
    if options.cxx.is_some() {
        return compile_cxx(tokens, interner, options, diagnostics, (name, sources));
    }
    let found_before = diagnostics.list().len();
    let unit = parse::parse(tokens, interner, diagnostics);
    diagnostics.drop_consequences(found_before, sources);
    if unit.is_foreign && diagnostics.error_count() >= FOREIGN_ERRORS {
        diagnostics.show_first_error(sources, "most of this file is not OpenCL C: is it the right file?");
        return None;
    }
    let found_before = diagnostics.list().len();
    let program = check::check(&unit, interner, options, diagnostics);
    if unit.is_repaired {
        diagnostics.drop_consequences(found_before, sources);
    }
    lowered(program?, interner, options, diagnostics)
}

/// The same for C++.
fn compile_cxx(
    tokens: &[Token],
    interner: &mut Interner,
    options: &Options,
    diagnostics: &mut Diagnostics,
    (name, sources): (&str, &SourceMap),
) -> Option<Lowered> {
    let found_before = diagnostics.list().len();
    let unit = cxx::parse(tokens, interner, options, diagnostics);
    diagnostics.drop_consequences(found_before, sources);
    let found_before = diagnostics.list().len();
    let program = check::check_cxx(&unit, interner, options, name, diagnostics);
    diagnostics.drop_consequences(found_before, sources);
    lowered(program?, interner, options, diagnostics)
}

/// The last phase for both languages; none after errors.
fn lowered(
    program: Program,
    interner: &Interner,
    options: &Options,
    diagnostics: &mut Diagnostics,
) -> Option<Lowered> {
    if diagnostics.has_errors() {
        return None;
    }
    let layouts = layout::of_kernels(&program, interner);
    let module = lower::lower(&program, options, diagnostics)?;
    Some(Lowered { module, layouts, specialisation: program.specialisation })
}

/// Runs `work` with a stack of [`STACK_SIZE`].
fn on_large_stack<R>(work: impl FnOnce() -> R) -> R {
    stacker::grow(STACK_SIZE, work)
}
