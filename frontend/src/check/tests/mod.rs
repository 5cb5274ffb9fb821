//! Tests of the checker together with the phases before it: text in, messages or HIR out.

mod builtins;
mod declarations;
mod errors;
mod expressions;
mod initializers;
mod kernels;
mod synchronization;

use crate::diagnostic::Diagnostics;
use crate::hir::{Function, Program, Statement, StatementKind};
use crate::options::{LanguageVersion, Options};
use crate::preprocess::{Environment, preprocess};
use crate::source::{NoIncludes, SourceMap};
use crate::symbol::Interner;
use clvk_interface::{Feature, FeatureSet};

/// Options of OpenCL C 1.2 for a device with images and neither half nor double precision.
fn plain() -> Options {
    Options { features: [Feature::Images].into_iter().collect(), ..Options::default() }
}

/// Options for a device with everything.
fn everything() -> Options {
    Options { features: FeatureSet::all(), ..Options::default() }
}

fn version(version: LanguageVersion) -> Options {
    Options { version, ..plain() }
}

/// Checks `text`. Returns the program, and the messages, one per line: `line:column: severity: message`,
/// followed by the label, the related places and the notes.
fn check_with(text: &str, options: &Options) -> (Option<Program>, String) {
    let mut sources = SourceMap::default();
    let mut diagnostics = Diagnostics::new(options);
    let mut interner = Interner::default();
    let environment = Environment {
        options,
        includes: &NoIncludes,
        interner: &mut interner,
        sources: &mut sources,
        diagnostics: &mut diagnostics,
    };
    let tokens = preprocess("test.cl", text, environment);
    let unit = crate::parse::parse(&tokens, &mut interner, &mut diagnostics);
    let program = super::check(&unit, &mut interner, options, &mut diagnostics);
    let mut lines = String::new();
    // Many tests only check the type of an expression and do not use its value.
    let about_use = |message: &str| message.ends_with("result unused") || message.ends_with("has empty body");
    for diagnostic in diagnostics.list().iter().filter(|diagnostic| !about_use(&diagnostic.message)) {
        let place = sources.location(diagnostic.span);
        let severity = format!("{:?}", diagnostic.severity).to_lowercase();
        lines += &format!("{}:{}: {severity}: {}", place.line, place.column, diagnostic.message);
        if !diagnostic.label.is_empty() {
            lines += &format!(" | {}", diagnostic.label);
        }
        for related in diagnostic.related.iter().filter(|related| !related.is_part) {
            let place = sources.location(related.span);
            lines += &format!("; {} @ {}:{}", related.text, place.line, place.column);
        }
        for note in &diagnostic.notes {
            lines += &format!("; {note}");
        }
        lines.push('\n');
    }
    (program, lines)
}

/// The messages for a wrong program; there must be an error.
#[track_caller]
fn errors(text: &str) -> String {
    errors_with(text, &plain())
}

#[track_caller]
fn errors_with(text: &str, options: &Options) -> String {
    let (program, lines) = check_with(text, options);
    assert!(program.is_none(), "no error in {text}\n{lines}");
    lines
}

/// The program of a valid text that gives no warnings.
#[track_caller]
fn valid(text: &str) -> Program {
    valid_with(text, &plain())
}

#[track_caller]
fn valid_with(text: &str, options: &Options) -> Program {
    let (program, lines) = check_with(text, options);
    assert_eq!(lines, "", "in {text}");
    program.expect("no errors")
}

/// The message for a statement in a function with some variables.
#[track_caller]
fn statement_error(statement: &str) -> String {
    let text = format!(
        "struct point {{ int x, y; }};\nvoid g(int);\n\
         void f(int i, uint u, float h, float4 v, int4 w, __global int *p, __local int *q, int *r, struct point s) {{\n\
         {statement}\n}}"
    );
    errors(&text)
}

/// The program with a statement that is valid there and gives no warnings.
#[track_caller]
fn statement_valid(statement: &str) -> Program {
    valid(&format!(
        "struct point {{ int x, y; }};\nvoid g(int);\n\
         void f(int i, uint u, float h, float4 v, int4 w, __global int *p, __local int *q, int *r, struct point s) {{\n\
         {statement}\n}}"
    ))
}

/// The function called `name`.
fn function<'p>(program: &'p Program, name: &str) -> &'p Function {
    program.functions.iter().find(|function| function.name == name).expect("the function")
}

/// The body of the function called `name`.
fn body<'p>(program: &'p Program, name: &str) -> &'p [Statement] {
    function(program, name).body.as_deref().expect("a body")
}

/// The type of the value that the function `f` returns last, before conversion to the result: the type of
/// `expression`.
fn type_of(declarations: &str, expression: &str) -> String {
    type_of_with(declarations, expression, &plain())
}

fn type_of_with(declarations: &str, expression: &str, options: &Options) -> String {
    let text = format!("void test() {{ {declarations} ({expression}); }}");
    let program = valid_with(&text, options);
    let StatementKind::Expr(expr) = &body(&program, "test").last().expect("a statement").kind else {
        panic!("an expression")
    };
    match program.types.as_arithmetic(expr.ty) {
        Some((kind, 1)) => kind.name().to_owned(),
        Some((kind, lanes)) => format!("{}{lanes}", kind.name()),
        None => format!("{:?}", program.types.kind(expr.ty)),
    }
}
