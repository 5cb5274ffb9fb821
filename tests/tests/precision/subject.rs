//! What is measured: every floating-point function of the built-in table in every type.

use crate::number::Format;
use clvk_frontend::builtins::{Lanes, Precision, Row, Signature, Term, rows};
use clvk_frontend::types::ScalarKind;

/// A parameter of one lane, or its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    Real,
    /// A 32-bit integer, signed.
    Int,
    /// An unsigned integer of the format's size (`nan`, `select`).
    Code,
}

/// A function in one type.
#[derive(Clone, Debug)]
pub struct Subject {
    pub name: &'static str,
    pub format: Format,
    /// Lanes: more than one only where they are not independent of each other.
    pub lanes: usize,
    /// Parameters by value, in order.
    pub params: Vec<Slot>,
    /// What it gives, and then what it writes through its pointer. `false`: one value however many lanes there are.
    pub results: Vec<(Slot, bool)>,
    pub precision: Precision,
}

impl Subject {
    /// `sin/float`, `dot/half3`.
    pub fn label(&self) -> String {
        format!("{}/{}", self.name, self.type_name())
    }

    /// The generic type.
    pub fn type_name(&self) -> String {
        match self.lanes {
            1 => self.format.name().to_owned(),
            lanes => format!("{}{lanes}", self.format.name()),
        }
    }

    /// Real numbers and integers that one call takes.
    pub fn arity(&self) -> usize {
        self.params.len() * self.lanes
    }

    /// The error that is allowed, in units in the last place, if that is how it is bounded.
    pub fn ulps(&self) -> Option<f64> {
        match self.precision {
            Precision::Ulp(ulps) => Some(ulps),
            Precision::UlpByLanes(fixed, by_lane) => Some(fixed + by_lane * self.lanes as f64),
            _ => None,
        }
    }

    /// The bound, for people.
    pub fn bound(&self) -> String {
        match self.precision {
            Precision::Exact => "exact".to_owned(),
            Precision::Absolute(error) => format!("{error:e} absolute"),
            Precision::Relative => "by magnitude".to_owned(),
            Precision::Free => "—".to_owned(),
            Precision::Ulp(_) | Precision::UlpByLanes(..) => format!("{}", self.ulps().unwrap_or_default()),
        }
    }
}

/// The sections of the specification whose functions are measured: math, common, geometric, relational.
const SECTIONS: [&str; 4] = ["6.15.2", "6.15.4", "6.15.5", "6.15.6"];

/// All of them, in the order of the table.
pub fn all() -> Vec<Subject> {
    let mut subjects: Vec<Subject> = Vec::new();
    for row in rows().filter(|row| SECTIONS.contains(&row.section)) {
        for signature in row.signatures {
            for &kind in signature.elements {
                let Some(format) = Format::of(kind) else { continue };
                for &lanes in lanes(signature) {
                    let Some(subject) = subject(row, signature, kind, format, lanes as usize) else {
                        continue;
                    };
                    // An overload with scalars beside vectors is the same function.
                    if !subjects.iter().any(|known| known.label() == subject.label()) {
                        subjects.push(subject);
                    }
                }
            }
        }
    }
    subjects
}

/// Lanes are independent but in geometric functions.
fn lanes(signature: &Signature) -> &'static [u32] {
    match signature.lanes {
        Lanes::Geometric | Lanes::Cross => signature.lanes.list(),
        Lanes::Vector => &[],
        Lanes::Any | Lanes::Scalar => &[1],
    }
}

fn subject(
    row: &Row,
    signature: &Signature,
    kind: ScalarKind,
    format: Format,
    lanes: usize,
) -> Option<Subject> {
    let mut params = Vec::new();
    let mut results = vec![(slot(signature.result)?, signature.result != Term::ElementResult)];
    for &term in signature.params {
        match term {
            Term::Pointer(_) => results.push((Slot::Real, true)),
            Term::IntPointer(_) => results.push((Slot::Int, true)),
            _ => params.push(slot(term)?),
        }
    }
    let precision = row.precision_in(kind);
    Some(Subject { name: row.name, format, lanes, params, results, precision })
}

fn slot(term: Term) -> Option<Slot> {
    match term {
        Term::Generic | Term::Element | Term::ElementResult => Some(Slot::Real),
        Term::Lanes(ScalarKind::Int) | Term::Widened(_) | Term::Truth => Some(Slot::Int),
        Term::Lanes(ScalarKind::UInt) => Some(Slot::Code),
        Term::Signed | Term::Unsigned => Some(Slot::Code),
        _ => None,
    }
}
