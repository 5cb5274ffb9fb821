//! Messages about calls of built-in functions that match no overload, or several.

use super::Checker;
use crate::Span;
use crate::ast::Name;
use crate::builtins::{
    Argument, ImageUse, Mismatch, Parameter, Resolution, Resolver, Row, Signature, Term, coordinate_lanes,
};
use crate::diagnostic::Diagnostic;
use crate::hir::Expr;
use crate::types::ScalarKind;

/// Candidates that a message lists.
const LISTED: usize = 8;

impl Checker<'_> {
    /// Reports a call that cannot be resolved, with the candidates.
    pub(super) fn report_mismatch(
        &mut self,
        name: Name,
        rows: &[&'static Row],
        mismatch: &Mismatch,
        values: &[Expr],
        span: Span,
    ) {
        let text = self.owned(name.symbol);
        let given: Vec<String> = values.iter().map(|value| self.type_text(value.ty)).collect();
        let given = given.join(", ");
        match mismatch {
            Mismatch::Ambiguous(candidates) => {
                let mut diagnostic = Diagnostic::error(span, format!("call to '{text}' is ambiguous"))
                    .note(format!("the arguments are ({given})"));
                for candidate in candidates.iter().take(LISTED) {
                    diagnostic = diagnostic.note(format!("candidate: {}", self.candidate_text(candidate)));
                }
                let floats = values
                    .iter()
                    .all(|value| self.types.as_arithmetic(value.ty).is_some_and(|(kind, _)| kind.is_float()));
                let other = match text.as_str() {
                    "abs" if floats => Some("for floating-point numbers use 'fabs'"),
                    "mad24" if floats => Some("for floating-point numbers use 'mad' or 'fma'"),
                    "fabs" if !floats => Some("for integers use 'abs'"),
                    "fmin" if !floats => Some("for integers use 'min'"),
                    "fmax" if !floats => Some("for integers use 'max'"),
                    _ => None,
                };
                let remedy = other.unwrap_or("cast the arguments to the intended type");
                diagnostic = diagnostic.note(remedy);
                self.report(diagnostic);
            }
            Mismatch::NoMatch => {
                let mut diagnostic =
                    Diagnostic::error(span, format!("no matching function for call to '{text}'"))
                        .note(format!("the arguments are ({given})"));
                let lines = self.candidate_lines(rows, values);
                let left_out = lines.len().saturating_sub(LISTED);
                for line in lines.into_iter().take(LISTED) {
                    diagnostic = diagnostic.note(line);
                }
                if left_out > 0 {
                    diagnostic = diagnostic.note(format!("and {left_out} more candidates"));
                }
                self.report(diagnostic);
            }
        }
    }

    /// The candidates, with the reason why each does not take the arguments.
    fn candidate_lines(&self, rows: &[&'static Row], values: &[Expr]) -> Vec<String> {
        let shapes: Vec<Argument> = values.iter().map(|value| Argument::of(&self.types, value.ty)).collect();
        let given: Vec<String> = values.iter().map(|value| self.type_text(value.ty)).collect();
        let resolver = Resolver { features: self.options.features };
        let mut candidates: Vec<(&str, &Signature)> = rows
            .iter()
            .flat_map(|row| row.signatures().iter().map(|signature| (row.name, signature)))
            .collect();
        // The nearest candidates come first: those with the same number of arguments and the same kind of
        // image, and those that fit the most arguments.
        candidates.sort_by_key(|(_, signature)| {
            let fits = signature.params.len() == shapes.len();
            let misfit = if fits { resolver.misfit(signature, &shapes) } else { Some(0) };
            let same_image = match (signature.params.first(), shapes.first()) {
                (Some(Term::Image(wanted, _)), Some(Argument::Image(given))) => *wanted == given.dimension,
                _ => true,
            };
            (!fits, !same_image, std::cmp::Reverse(misfit.unwrap_or(usize::MAX)))
        });
        let line = |(name, signature): (&str, &Signature)| {
            let why = misfit_text(resolver, signature, &shapes, &given);
            format!("candidate: {}: {why}", signature_text(name, signature))
        };
        candidates.into_iter().map(line).collect()
    }

    fn candidate_text(&mut self, candidate: &Resolution) -> String {
        let result = match candidate.result {
            Some((kind, lanes)) => arithmetic_text(kind, lanes),
            None => "void".to_owned(),
        };
        let params: Vec<String> = candidate
            .params
            .iter()
            .map(|param| match param {
                Parameter::Arithmetic { kind, lanes, .. } => arithmetic_text(*kind, *lanes),
                Parameter::Pointer { kind, lanes, .. } => format!("{} *", arithmetic_text(*kind, *lanes)),
                Parameter::Image(dimension, _) => format!("{dimension:?} image"),
                Parameter::Sampler => "sampler_t".to_owned(),
            })
            .collect();
        format!("{result} {}({})", candidate.row.name, params.join(", "))
    }
}

/// An arithmetic type as the language spells it.
pub(super) fn arithmetic_text(kind: ScalarKind, lanes: u32) -> String {
    if lanes == 1 { kind.name().to_owned() } else { format!("{}{lanes}", kind.name()) }
}

/// Why a signature does not take the arguments.
fn misfit_text(resolver: Resolver, signature: &Signature, shapes: &[Argument], given: &[String]) -> String {
    let count = signature.params.len();
    if count != shapes.len() {
        let plural = if count == 1 { "" } else { "s" };
        return format!("takes {count} argument{plural}, {} given", shapes.len());
    }
    match resolver.misfit(signature, shapes) {
        Some(index) => {
            let param = term_text(signature.params[index]);
            format!("argument {} is '{}', not '{param}'", index + 1, given[index])
        }
        None => "the arguments have different types".to_owned(),
    }
}

/// A signature in the words of the specification.
fn signature_text(name: &str, signature: &Signature) -> String {
    let params: Vec<String> = signature.params.iter().map(|term| term_text(*term)).collect();
    let result = term_text(signature.result);
    let mut text = format!("{result} {name}({})", params.join(", "));
    if params.iter().chain([&result]).any(|text| text.contains("gentype")) {
        let kinds: Vec<&str> = signature.elements.iter().map(|kind| kind.name()).collect();
        text.push_str(&format!(" with gentype of {}", kinds.join(", ")));
    }
    text
}

fn term_text(term: Term) -> String {
    match term {
        Term::Void => "void".to_owned(),
        Term::Generic => "gentype".to_owned(),
        Term::Element | Term::ElementResult => "sgentype".to_owned(),
        Term::Signed => "igentype".to_owned(),
        Term::Unsigned => "ugentype".to_owned(),
        Term::Wide => "wider gentype".to_owned(),
        Term::Truth => "int or igentype".to_owned(),
        Term::Lanes(kind) => format!("{}n", kind.name()),
        Term::Widened(kind) => kind.name().to_owned(),
        Term::Fixed(kind, lanes) => arithmetic_text(kind, lanes),
        Term::Pointer(_) => "gentype *".to_owned(),
        Term::IntPointer(_) => "intn *".to_owned(),
        Term::Image(dimension, usage) => {
            let image = super::spelling::image_text(dimension);
            match usage {
                ImageUse::Write => format!("write_only {image}"),
                ImageUse::Read | ImageUse::Sample => format!("read_only {image}"),
                ImageUse::Query => image.to_owned(),
            }
        }
        Term::Sampler => "sampler_t".to_owned(),
        Term::Coordinates(kind, dimension) => arithmetic_text(kind, coordinate_lanes(dimension)),
    }
}
