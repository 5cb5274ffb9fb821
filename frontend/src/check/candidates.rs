//! Messages about calls of built-in functions that match no overload, or several.

use super::Checker;
use crate::ast::Name;
use crate::builtins::{
    Argument, ImageUse, Mismatch, Parameter, Resolution, Row, Signature, Spaces, Term, coordinate_lanes,
};
use crate::diagnostic::Diagnostic;
use crate::hir::{Expr, ExprKind};
use crate::types::{ScalarKind, TypeId};
use std::cmp::Reverse;

/// Candidates that a message lists.
const LISTED: usize = 8;

/// An overload that a call does not match.
struct Candidate {
    name: &'static str,
    signature: &'static Signature,
    /// The argument that does not fit; `None` if their number is wrong, or if they fit one by one.
    misfit: Option<usize>,
    /// How far it is from matching.
    key: (bool, bool, Reverse<usize>),
}

impl Checker<'_> {
    /// Reports a call that cannot be resolved, with the candidates.
    pub(super) fn report_mismatch(
        &mut self,
        name: Name,
        rows: &[&'static Row],
        mismatch: &Mismatch,
        values: &[Expr],
    ) {
        let text = self.owned(name.symbol);
        match mismatch {
            Mismatch::Ambiguous(candidates) => {
                let mut diagnostic = Diagnostic::error(name.span, format!("call to '{text}' is ambiguous"))
                    .note(self.given_text(values.iter().map(|value| value.ty)));
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
            Mismatch::NoMatch => self.report_no_match(name, rows, values),
        }
    }

    fn report_no_match(&mut self, name: Name, rows: &[&'static Row], values: &[Expr]) {
        let text = self.owned(name.symbol);
        let candidates = self.sorted_candidates(rows, values);
        let mut counts = candidates.iter().map(|candidate| candidate.signature.params.len());
        let count = counts.next().filter(|first| counts.all(|count| count == *first));
        let mut diagnostic = match count.filter(|count| *count != values.len()) {
            Some(count) => Diagnostic::error(name.span, wrong_count(count, values.len())),
            None => Diagnostic::error(name.span, format!("no matching function for call to '{text}'"))
                .note(self.given_text(values.iter().map(|value| value.ty))),
        };
        // Where one argument is wrong for all that are near, it is marked.
        let near = candidates.iter().take_while(|candidate| candidate.key == candidates[0].key);
        let mut places = near.clone().map(|candidate| candidate.misfit);
        if let Some(Some(index)) = places.next()
            && places.all(|place| place == Some(index))
            && let Some(value) = values.get(index)
        {
            diagnostic = diagnostic.mark(value.span, format!("'{}'", self.type_text(value.ty)));
        }
        let mut listed = 0;
        for candidate in near.take(LISTED) {
            diagnostic = diagnostic.note(self.candidate_line(candidate, values, count.is_some()));
            listed += 1;
        }
        match candidates.len() - listed {
            0 => {}
            1 => diagnostic = diagnostic.note("and 1 more candidate"),
            more => diagnostic = diagnostic.note(format!("and {more} more candidates")),
        }
        self.report(diagnostic);
    }

    /// What a call passes.
    pub(super) fn given_text(&self, types: impl Iterator<Item = TypeId>) -> String {
        let given: Vec<String> = types.map(|ty| self.type_text(ty)).collect();
        match given.as_slice() {
            [] => "no arguments are given".to_owned(),
            [one] => format!("the argument is ({one})"),
            _ => format!("the arguments are ({})", given.join(", ")),
        }
    }

    /// The candidates, the nearest first: those with the same number of arguments and the same kind of image,
    /// and those that fit the most arguments.
    fn sorted_candidates(&self, rows: &[&'static Row], values: &[Expr]) -> Vec<Candidate> {
        let shapes: Vec<Argument> = values.iter().map(|value| Argument::of(&self.types, value.ty)).collect();
        let resolver = self.resolver_with(self.options.features);
        let candidate = |name: &'static str, signature: &'static Signature| {
            let fits = signature.params.len() == shapes.len();
            let misfit = if fits { resolver.misfit(signature, &shapes) } else { Some(0) };
            let same_image = match (signature.params.first(), shapes.first()) {
                (Some(Term::Image(wanted, _)), Some(Argument::Image(given))) => *wanted == given.dimension,
                _ => true,
            };
            let key = (!fits, !same_image, Reverse(misfit.unwrap_or(usize::MAX)));
            Candidate { name, signature, misfit: misfit.filter(|_| fits), key }
        };
        let mut candidates: Vec<Candidate> = rows
            .iter()
            .flat_map(|row| row.signatures().iter().map(|signature| candidate(row.name, signature)))
            .collect();
        candidates.sort_by_key(|candidate| candidate.key);
        candidates
    }

    /// A candidate, and why it does not take the arguments. With `is_counted`, the message already says that
    /// their number is wrong.
    fn candidate_line(&self, candidate: &Candidate, values: &[Expr], is_counted: bool) -> String {
        let signature = candidate.signature;
        let text = signature_text(candidate.name, signature);
        let count = signature.params.len();
        if count != values.len() {
            let plural = if count == 1 { "" } else { "s" };
            return match is_counted {
                true => format!("candidate: {text}"),
                false => format!("candidate: {text}: takes {count} argument{plural}, {} given", values.len()),
            };
        }
        let why = match candidate.misfit {
            Some(index) => {
                let (given, term) = (self.type_text(values[index].ty), signature.params[index]);
                let advice = self.misfit_advice(&values[index], term);
                format!("argument {} is '{given}', not '{}'{advice}", index + 1, term_text(term))
            }
            None => "the arguments have different types".to_owned(),
        };
        format!("candidate: {text}: {why}")
    }

    /// What may be meant by an argument that does not fit.
    fn misfit_advice(&self, value: &Expr, wanted: Term) -> &'static str {
        let is_pointer = matches!(wanted, Term::Pointer(_) | Term::IntPointer(_));
        match (&value.kind, self.types.pointee(value.ty)) {
            (ExprKind::Load(_), None) if is_pointer && self.types.as_arithmetic(value.ty).is_some() => {
                "; take its address with '&'"
            }
            (ExprKind::Load(_), Some(_)) if !is_pointer => "; take what it points to with '*'",
            _ => "",
        }
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

/// The message for a call with a wrong number of arguments.
pub(super) fn wrong_count(expected: usize, given: usize) -> String {
    let which = if given < expected { "few" } else { "many" };
    format!("too {which} arguments to function call, expected {expected}, have {given}")
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
        Term::Pointer(spaces) => format!("{}gentype *", spaces_text(spaces)),
        Term::IntPointer(spaces) => format!("{}intn *", spaces_text(spaces)),
        Term::Image(dimension, usage) => {
            let image = dimension.type_name();
            match usage {
                ImageUse::Write => format!("write_only {image}"),
                ImageUse::Read | ImageUse::Sample => format!("read_only {image}"),
                ImageUse::Query => image,
            }
        }
        Term::Sampler => "sampler_t".to_owned(),
        Term::Coordinates(kind, dimension) => arithmetic_text(kind, coordinate_lanes(dimension)),
    }
}

/// Address spaces before a pointer; empty if all but constant memory are accepted.
fn spaces_text(spaces: Spaces) -> &'static str {
    match spaces {
        Spaces::Writable => "",
        Spaces::Shared => "__global or __local ",
        Spaces::Global => "__global ",
    }
}
