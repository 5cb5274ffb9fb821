//! Tests of the parser: trees in a compact notation, and messages with the text that they point at.

mod declarations;
mod errors;
mod expressions;
mod lex;
mod print;
mod robustness;
mod statements;
mod types;

use crate::ast::TranslationUnit;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::symbol::Interner;

/// Parses `text`.
fn parse_text(text: &str) -> (TranslationUnit, Interner, Vec<Diagnostic>) {
    let mut interner = Interner::default();
    let tokens = lex::tokens(text, &mut interner);
    let mut diagnostics = Diagnostics::default();
    let unit = super::parse(&tokens, &mut interner, &mut diagnostics);
    (unit, interner, diagnostics.list().to_vec())
}

/// The items of `text` in the notation of [`print`], one per line.
fn items(text: &str) -> String {
    let (unit, interner, diagnostics) = parse_text(text);
    assert!(diagnostics.is_empty(), "{text}: {diagnostics:#?}");
    let printer = print::Printer { interner: &interner };
    unit.items.iter().map(|item| printer.item(item)).collect::<Vec<_>>().join("\n")
}

/// The statements of a function's body, one per line.
fn statements(text: &str) -> String {
    let text = format!("void f() {{ {text} }}");
    let (unit, interner, diagnostics) = parse_text(&text);
    assert!(diagnostics.is_empty(), "{text}: {diagnostics:#?}");
    let [crate::ast::Item::Function(function)] = unit.items.as_slice() else {
        panic!("{text}: not one function")
    };
    let printer = print::Printer { interner: &interner };
    let body = function.body.statements.iter();
    body.map(|statement| printer.statement(statement)).collect::<Vec<_>>().join("\n")
}

/// The messages for `text`: `message @ the source text from there`, followed by notes.
fn errors(text: &str) -> Vec<String> {
    let (_, _, diagnostics) = parse_text(text);
    let place = |span: crate::Span| {
        let rest = &text[span.start as usize..];
        if span.start == span.end { format!("|{}", shortened(rest)) } else { shortened(rest) }
    };
    diagnostics
        .iter()
        .map(|diagnostic| {
            let mut line = format!("{} @ {}", diagnostic.message, place(diagnostic.span));
            for related in &diagnostic.related {
                line += &format!("; {} @ {}", related.text, place(related.span));
            }
            for note in &diagnostic.notes {
                line += &format!("; note: {note}");
            }
            line
        })
        .collect()
}

fn shortened(text: &str) -> String {
    text.chars().take(8).collect()
}
