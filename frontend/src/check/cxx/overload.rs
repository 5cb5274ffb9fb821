//! Overload resolution ([over.match]).

use super::conversion::{Rank, Sequence};
use super::expression::{Given, Value};
use super::{Cxx, FnId};
use crate::Span;
use crate::cxx::ast::TemplateArgument;
use crate::diagnostic::Diagnostic;

/// Candidates that a message lists.
const LISTED: usize = 8;

/// A candidate that can be called.
#[derive(Clone, Debug)]
struct Viable {
    id: FnId,
    /// For the object first, if the function has one.
    sequences: Vec<Sequence>,
}

/// The outcome of a resolution.
#[derive(Clone, Debug)]
pub(super) enum Resolved {
    One(FnId),
    None,
    Ambiguous(Vec<FnId>),
}

impl Cxx<'_> {
    /// The function of a candidate: for a template the instance that the arguments give.
    pub(super) fn candidate(
        &mut self,
        id: FnId,
        given: &[Given],
        explicit: Option<&[TemplateArgument]>,
    ) -> Option<FnId> {
        match self.function(id).template {
            Some(template) => {
                let made = self.deduced_instance(template, given, explicit)?;
                let is_inherited = self.function(id).inherits.is_some();
                Some(if is_inherited { self.inherited_instance(id, made) } else { made })
            }
            None if explicit.is_some() => None,
            None => Some(id),
        }
    }

    /// The conversions with which a function can be called.
    fn viable(&mut self, id: FnId, object: Option<&Value>, given: &[Given]) -> Option<Viable> {
        let function = self.function(id).clone();
        let params = &function.params;
        let least = params.iter().position(|param| param.default.is_some()).unwrap_or(params.len());
        if given.len() > params.len() || given.len() < least {
            return None;
        }
        let mut sequences = Vec::with_capacity(given.len() + 1);
        if let Some(object) = object {
            if function.has_this() && function.kind != super::function::Kind::Constructor {
                sequences.push(self.takes_object(id, object)?);
            } else {
                sequences.push(Sequence::of(Rank::Exact));
            }
        } else if function.has_this() && function.kind != super::function::Kind::Constructor {
            return None;
        }
        for (given, param) in given.iter().zip(params) {
            sequences.push(self.sequence(given, param.ty, true)?);
        }
        Some(Viable { id, sequences })
    }

    /// Whether a candidate is better than another one ([over.match.best]).
    fn is_better(&mut self, a: &Viable, b: &Viable, given: usize) -> bool {
        let mut any = false;
        let skip = |list: &Viable| list.sequences.len().saturating_sub(given);
        let (a_list, b_list) = (a.sequences.clone(), b.sequences.clone());
        let (a_skip, b_skip) = (skip(a), skip(b));
        // A static method takes any object ([over.match.funcs]/4).
        let is_static = self.function(a.id).is_static || self.function(b.id).is_static;
        if a_skip == 1 && b_skip == 1 && !is_static {
            match a_list[0].better(&b_list[0]) {
                Some(true) => any = true,
                Some(false) => return false,
                None => {}
            }
        }
        for (x, y) in a_list[a_skip..].iter().zip(&b_list[b_skip..]) {
            match x.better(y) {
                Some(true) => any = true,
                Some(false) => return false,
                None => {}
            }
        }
        if any {
            return true;
        }
        // A class's own constructor is better than one that it inherits ([over.match.best]/1.7).
        let inherits = |cxx: &Self, id: FnId| cxx.function(id).inherits.is_some();
        if inherits(self, a.id) != inherits(self, b.id) {
            let (a_params, b_params) = (&self.function(a.id).params, &self.function(b.id).params);
            let mut pairs = a_params.iter().zip(b_params).take(given);
            if pairs.all(|(a, b)| a.ty.ty() == b.ty.ty()) {
                return inherits(self, b.id);
            }
        }
        let (a_instance, b_instance) =
            (self.function(a.id).instance.clone(), self.function(b.id).instance.clone());
        match (a_instance, b_instance) {
            (None, Some(_)) => true,
            (Some((a_template, _)), Some((b_template, _))) if a_template != b_template => {
                self.is_more_special(a_template, b_template, given)
            }
            _ => false,
        }
    }

    /// The best of some functions for a call.
    pub(super) fn resolve_overload(
        &mut self,
        functions: &[FnId],
        object: Option<&Value>,
        given: &[Given],
        explicit: Option<&[TemplateArgument]>,
    ) -> Resolved {
        let mut viable: Vec<Viable> = Vec::new();
        for id in functions {
            let Some(id) = self.candidate(*id, given, explicit) else { continue };
            if viable.iter().any(|known| known.id == id) {
                continue;
            }
            if let Some(candidate) = self.viable(id, object, given) {
                viable.push(candidate);
            }
        }
        if viable.is_empty() {
            return Resolved::None;
        }
        let mut best = 0;
        for next in 1..viable.len() {
            let (a, b) = (viable[next].clone(), viable[best].clone());
            if self.is_better(&a, &b, given.len()) {
                best = next;
            }
        }
        let winner = viable[best].clone();
        for (index, other) in viable.clone().iter().enumerate() {
            if index != best && !self.is_better(&winner, other, given.len()) {
                return Resolved::Ambiguous(viable.iter().map(|viable| viable.id).collect());
            }
        }
        Resolved::One(winner.id)
    }

    /// Whether every conversion of a chosen function is exact or a promotion.
    pub(super) fn is_close(&mut self, id: FnId, given: &[Given]) -> bool {
        let params: Vec<_> = self.function(id).params.iter().map(|param| param.ty).collect();
        given.iter().zip(params).all(|(given, param)| {
            self.sequence(given, param, true).is_some_and(|sequence| sequence.rank <= Rank::Promotion)
        })
    }

    /// Reports a call that no function takes, or several.
    pub(super) fn report_resolution(
        &mut self,
        what: &str,
        resolved: &Resolved,
        functions: &[FnId],
        object: Option<&Value>,
        given: &[Given],
        span: Span,
    ) {
        if self.quiet > 0 {
            self.note_error();
            return;
        }
        let has_error =
            given.iter().any(|given| matches!(given, Given::Value(value) if self.types.is_error(value.ty())));
        if has_error {
            return;
        }
        let (message, listed) = match resolved {
            Resolved::Ambiguous(list) => (format!("call to {what} is ambiguous"), list.clone()),
            _ => (format!("no matching {what}"), functions.to_vec()),
        };
        let types: Vec<String> = given
            .iter()
            .map(|given| match given {
                Given::Value(value) => self.text_of(self.type_of_value(value)),
                Given::List(_) => "{…}".to_owned(),
            })
            .collect();
        let mut diagnostic =
            Diagnostic::error(span, message).note(format!("the arguments are ({})", types.join(", ")));
        for id in listed.into_iter().take(LISTED) {
            let remark = match resolved {
                Resolved::Ambiguous(_) => "candidate function".to_owned(),
                _ => self.remark(id, object, given, &types),
            };
            diagnostic = diagnostic.related(self.function(id).span, remark);
        }
        self.report(diagnostic);
    }

    /// Why a candidate cannot be called.
    fn remark(&mut self, id: FnId, object: Option<&Value>, given: &[Given], types: &[String]) -> String {
        let function = self.function(id).clone();
        if function.template.is_some() {
            let reason = self.attempt(|cxx| cxx.candidate(id, given, None)).flatten();
            return match reason {
                Some(_) => "candidate template not viable".to_owned(),
                None => "candidate template ignored: its arguments cannot be deduced, or substitution failed"
                    .to_owned(),
            };
        }
        let count = function.params.len();
        let least = function.params.iter().position(|param| param.default.is_some()).unwrap_or(count);
        if given.len() > count || given.len() < least {
            let plural = if count == 1 { "" } else { "s" };
            let bound = if least == count { "" } else { "at most " };
            return format!(
                "candidate function not viable: requires {bound}{count} argument{plural}, {} given",
                given.len()
            );
        }
        if let Some(object) = object
            && self.takes_object(id, object).is_none()
        {
            let text = self.text_of(self.type_of_value(object));
            return format!(
                "candidate function not viable: 'this' argument has type '{text}', whose qualifiers or address space it does not take"
            );
        }
        for (index, (given, param)) in given.iter().zip(&function.params).enumerate() {
            if self.sequence(given, param.ty, true).is_none() {
                let to = self.text_of(param.ty);
                return format!(
                    "candidate function not viable: no known conversion from '{}' to '{to}' for argument {}",
                    types[index],
                    index + 1
                );
            }
        }
        "candidate function".to_owned()
    }
}
