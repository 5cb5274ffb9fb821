//! The functions that are measured: every floating-point function of the built-in table in every type.

use crate::number::Format;
use crate::relaxed;
use clvk_frontend::builtins::{Lanes, Precision, Row, Signature, Term, rows};
use clvk_frontend::testing::ScalarKind;

/// One lane of a parameter or of a result.
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
    /// The number of lanes: more than one only where lanes are not independent.
    pub lanes: usize,
    /// Parameters by value, in order.
    pub params: Vec<Slot>,
    /// Its results: the returned one, and then what it writes through its pointer. `false` means one value
    /// however many lanes there are.
    pub results: Vec<(Slot, bool)>,
    pub precision: Precision,
    pub variant: Variant,
}

/// The build options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    Plain,
    /// `-cl-unsafe-math-optimizations`.
    Unsafe,
    /// `-cl-fp32-correctly-rounded-divide-sqrt`.
    Correct,
}

impl Variant {
    pub fn option(self) -> Option<&'static str> {
        match self {
            Variant::Plain => None,
            Variant::Unsafe => Some("-cl-unsafe-math-optimizations"),
            Variant::Correct => Some("-cl-fp32-correctly-rounded-divide-sqrt"),
        }
    }
}

impl Subject {
    /// `sin/float`, `dot/half3`, `sin/float/unsafe`.
    pub fn label(&self) -> String {
        let variant = match self.variant {
            Variant::Plain => "",
            Variant::Unsafe => "/unsafe",
            Variant::Correct => "/correct",
        };
        format!("{}/{}{variant}", self.name, self.type_name())
    }

    /// The generic type.
    pub fn type_name(&self) -> String {
        match self.lanes {
            1 => self.format.name().to_owned(),
            lanes => format!("{}{lanes}", self.format.name()),
        }
    }

    /// The numbers of real and integer arguments of a call.
    pub fn arity(&self) -> usize {
        self.params.len() * self.lanes
    }

    /// The allowed error in units in the last place, if it is bounded in this way.
    pub fn ulps(&self) -> Option<f64> {
        match self.precision {
            Precision::Ulp(ulps) => Some(ulps),
            Precision::UlpByLanes(fixed, by_lane) => Some(fixed + by_lane * self.lanes as f64),
            _ => None,
        }
    }

    /// The bound, for readers.
    pub fn bound(&self) -> String {
        match self.precision {
            Precision::Exact => "exact".to_owned(),
            Precision::Absolute(error) => format!("{error:e} absolute"),
            Precision::Relative => "by magnitude".to_owned(),
            Precision::Free => "—".to_owned(),
            Precision::AbsoluteIn(error, (low, high), others) => {
                let others = others.map_or(String::new(), |ulps| format!(", else {ulps}"));
                format!("{error:.1e} absolute in [{low:.2}, {high:.2}]{others}")
            }
            Precision::Ulp(_) | Precision::UlpByLanes(..) => format!("{}", self.ulps().unwrap_or_default()),
        }
    }
}

/// The sections of the specification whose functions are measured: math, common, geometric, relational.
const SECTIONS: [&str; 4] = ["6.15.2", "6.15.4", "6.15.5", "6.15.6"];

/// Arithmetic operators, and their precision in single, double and half precision.
const OPERATORS: [(&str, [Precision; 3]); 4] = [
    ("operator+", [Precision::Exact; 3]),
    ("operator-", [Precision::Exact; 3]),
    ("operator*", [Precision::Exact; 3]),
    ("operator/", [Precision::Ulp(2.5), Precision::Exact, Precision::Ulp(1.0)]),
];

fn operators() -> Vec<Subject> {
    let mut subjects = Vec::new();
    for (name, precisions) in OPERATORS {
        for (format, precision) in [Format::Single, Format::Double, Format::Half].into_iter().zip(precisions)
        {
            let (params, results) = (vec![Slot::Real; 2], vec![(Slot::Real, true)]);
            let variant = Variant::Plain;
            subjects.push(Subject { name, format, lanes: 1, params, results, precision, variant });
        }
    }
    subjects
}

/// The functions whose precision an option changes, with that option.
fn variants(plain: &[Subject]) -> Vec<Subject> {
    let mut subjects = Vec::new();
    for subject in plain.iter().filter(|subject| subject.format == Format::Single) {
        if let "operator/" | "sqrt" = subject.name {
            let (precision, variant) = (Precision::Exact, Variant::Correct);
            subjects.push(Subject { precision, variant, ..subject.clone() });
        }
        if let Some(precision) = relaxed::precision(subject.name) {
            subjects.push(Subject { precision, variant: Variant::Unsafe, ..subject.clone() });
        }
    }
    let (format, variant) = (Format::Single, Variant::Unsafe);
    let (params, results) = (vec![Slot::Real; 3], vec![(Slot::Real, true)]);
    let precision = Precision::Exact;
    subjects.push(Subject { name: "operator*+", format, lanes: 1, params, results, precision, variant });
    subjects
}

/// Fails if a function with a relaxed form is not measured in it, or a row of the specification's table is
/// not measured.
pub fn check_relaxed() -> Result<(), String> {
    let measured: Vec<&str> =
        all().iter().filter(|it| it.variant == Variant::Unsafe).map(|it| it.name).collect();
    let mut wanted: Vec<&str> = rows().filter(|row| row.relaxed.is_some()).map(|row| row.name).collect();
    wanted.extend(relaxed::FUNCTIONS);
    match wanted.iter().find(|name| !measured.contains(name)) {
        None => Ok(()),
        Some(name) => Err(format!("{name} is not measured with relaxed options")),
    }
}

/// All functions: operators, then functions in the order of the table, then those with build options.
pub fn all() -> Vec<Subject> {
    let mut subjects: Vec<Subject> = operators();
    for row in rows().filter(|row| SECTIONS.contains(&row.section)) {
        for signature in row.signatures() {
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
    let variants = variants(&subjects);
    subjects.extend(variants);
    subjects
}

/// Lanes are independent except in geometric functions.
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
    Some(Subject { name: row.name, format, lanes, params, results, precision, variant: Variant::Plain })
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
