//! The table of built-in functions: what a row holds.
//!
//! A [`Row`] names a function and says all that the compiler knows of it. Its [`Strategy`] says how calls are
//! checked: by signatures over generic types, or by code for the functions that take more than those can say.
//! Functions with signatures that are lowered in different ways for different types have several rows. Rows
//! are grouped by chapter in the files beside this one.

use super::Lowering;
use super::async_copy::AsyncCopy;
use super::enqueue::EnqueueFunction;
use super::family::Family;
use super::pattern;
use super::pipes::PipeFunction;
use super::synchronization::Synchronization;
use crate::options::LanguageVersion;
use crate::types::ScalarKind;
use clvk_interface::{Feature, FeatureSet};
use clvk_ir::{AddressSpace, ImageDimension};

/// Precision that OpenCL C §7.4 asks of a function of single-precision numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Precision {
    /// Correctly rounded, or exact: also everything that is not a floating-point function.
    Exact,
    /// Units in the last place.
    Ulp(f64),
    /// Units in the last place, and more for each lane: fixed, by lane.
    UlpByLanes(f64, f64),
    /// An absolute error.
    Absolute(f64),
    /// A bound relative to the operands' magnitude: of `dot` and `cross`.
    Relative,
    /// An absolute error for arguments from a lower to an upper bound, and units in the last place for
    /// others, if those are bounded.
    AbsoluteIn(f64, (f64, f64), Option<f64>),
    /// Whatever the implementation defines.
    Free,
}

/// Lanes that a signature's generic type may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs)]
pub enum Lanes {
    /// 1, 2, 3, 4, 8 or 16.
    Any,
    /// More than one.
    Vector,
    Scalar,
    /// 2, 3 or 4.
    Geometric,
    /// 3 or 4.
    Cross,
}

impl Lanes {
    /// The numbers of lanes.
    #[must_use]
    pub fn list(self) -> &'static [u32] {
        match self {
            Lanes::Any => &[1, 2, 3, 4, 8, 16],
            Lanes::Vector => &[2, 3, 4, 8, 16],
            Lanes::Scalar => &[1],
            Lanes::Geometric => &[2, 3, 4],
            Lanes::Cross => &[3, 4],
        }
    }
}

/// Address spaces that a pointer parameter accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs)]
pub enum Spaces {
    /// Global, local, private and generic, to write to.
    Writable,
    /// Global, local and generic: atomics.
    Shared,
    Global,
}

impl Spaces {
    /// Whether it accepts `space`.
    #[must_use]
    pub fn contains(self, space: AddressSpace) -> bool {
        match self {
            Spaces::Writable => space != AddressSpace::Constant,
            Spaces::Shared => {
                matches!(space, AddressSpace::Global | AddressSpace::Local | AddressSpace::Generic)
            }
            Spaces::Global => space == AddressSpace::Global,
        }
    }
}

/// A parameter or result in terms of the generic type, which has an element kind and a number of lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Term {
    /// No value.
    Void,
    /// The generic type itself (`gentype`).
    Generic,
    /// Its element (`sgentype`). An argument is widened to the generic type.
    Element,
    /// Its element, as a result (`dot`).
    ElementResult,
    /// The signed integer type of the same size and lanes (`igentype`).
    Signed,
    /// The unsigned one (`ugentype`).
    Unsigned,
    /// The integer type with elements of twice the size (`upsample`).
    Wide,
    /// What a relation gives: `int` for scalars, the signed integer type of the same size for vectors.
    Truth,
    /// This element with the generic type's lanes (`intn`).
    Lanes(ScalarKind),
    /// This scalar, widened to the generic type's lanes.
    Widened(ScalarKind),
    /// This type.
    Fixed(ScalarKind, u32),
    /// A pointer to the generic type.
    Pointer(Spaces),
    /// A pointer to `int` with the generic type's lanes.
    IntPointer(Spaces),
    /// An image of this shape.
    Image(ImageDimension, ImageUse),
    /// A sampler.
    Sampler,
    /// Integer or floating-point coordinates of an image of this shape.
    Coordinates(ScalarKind, ImageDimension),
}

/// What a function does with an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs)]
pub enum ImageUse {
    Read,
    /// Through a sampler, which images that are written too do not have (OpenCL C §6.8).
    Sample,
    Write,
    Query,
}

/// Parameters and result over a generic type.
#[derive(Clone, Copy, Debug)]
pub struct Signature {
    /// Element kinds of the generic type; one entry, which does not matter, if there is none.
    pub elements: &'static [ScalarKind],
    /// Its lanes.
    pub lanes: Lanes,
    /// Result.
    pub result: Term,
    /// Parameters.
    pub params: &'static [Term],
}

/// How a call of a function is checked, and what becomes of it.
#[derive(Clone, Copy, Debug)]
pub enum Strategy {
    /// The arguments choose one of the signatures of all rows of the name; the lowering is that of its row.
    Overloads(&'static [Signature], Lowering),
    /// The name is a pattern, and the choices for its braces make a member of a family.
    Pattern(fn(&[&str]) -> Family),
    /// As the member of a family demands (`check/builtin_family.rs`).
    Family(Family),
    /// `printf` (`check/print.rs`).
    Print,
    /// A function on pipes (`check/pipe.rs`).
    Pipe(PipeFunction),
    /// An asynchronous copy, or what waits for one (`check/async_copy.rs`).
    AsyncCopy(AsyncCopy),
    /// A barrier, a fence or an atomic function of C11 (`check/synchronization.rs`).
    Synchronization(Synchronization),
    /// A function that enqueues kernels, or goes with those (`check/enqueue.rs`).
    Enqueue(EnqueueFunction),
    /// Calls are refused: the function is known, but not supported.
    Unsupported,
}

/// A built-in function, or several with names of one pattern.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Name, or a pattern of names: `vload{2,3,4,8,16}`.
    pub name: &'static str,
    /// How calls are checked.
    pub strategy: Strategy,
    /// First language version that has it.
    pub since: LanguageVersion,
    /// Optional features that it needs, all of them.
    pub needs: FeatureSet,
    /// Precision in single precision.
    pub precision: Precision,
    /// Precision in double precision, if it is another one.
    pub double: Option<Precision>,
    /// Precision in half precision, if it is not the usual 2 ulp of functions that are not exact.
    pub half: Option<Precision>,
    /// What `-cl-unsafe-math-optimizations` makes of it in single precision, within OpenCL C §7.4, table 67.
    pub relaxed: Option<Lowering>,
    /// Section of the OpenCL C specification.
    pub section: &'static str,
}

impl Row {
    /// With a first version.
    #[must_use]
    pub const fn since(mut self, version: LanguageVersion) -> Self {
        self.since = version;
        self
    }

    /// With a feature that it needs, besides the others.
    #[must_use]
    pub const fn needs(mut self, feature: Feature) -> Self {
        self.needs = self.needs.with(feature);
        self
    }

    /// Its overloads; none if it is checked by other means.
    #[must_use]
    pub fn signatures(&self) -> &'static [Signature] {
        match self.strategy {
            Strategy::Overloads(signatures, _) => signatures,
            _ => &[],
        }
    }

    /// The names of its functions, except where the pattern leaves their endings open.
    pub fn names(&self) -> impl Iterator<Item = String> + use<> {
        pattern::expand(self.name).into_iter()
    }

    /// With a precision.
    #[must_use]
    pub const fn ulp(mut self, ulp: f64) -> Self {
        self.precision = Precision::Ulp(ulp);
        self
    }

    /// With a precision of another kind.
    #[must_use]
    pub const fn precision(mut self, precision: Precision) -> Self {
        self.precision = precision;
        self
    }

    /// With another precision for double-precision numbers (OpenCL C §7.4, table 68).
    #[must_use]
    pub const fn double(mut self, precision: Precision) -> Self {
        self.double = Some(precision);
        self
    }

    /// With another precision for half-precision numbers (OpenCL C §7.4, table 69).
    #[must_use]
    pub const fn half(mut self, precision: Precision) -> Self {
        self.half = Some(precision);
        self
    }

    /// With a faster form in single precision where the build options allow it.
    #[must_use]
    pub const fn relaxed(mut self, lowering: Lowering) -> Self {
        self.relaxed = Some(lowering);
        self
    }

    /// The precision for numbers of this kind.
    #[must_use]
    pub fn precision_in(&self, kind: ScalarKind) -> Precision {
        match (kind, self.precision) {
            (Double, precision) => self.double.unwrap_or(precision),
            (Half, Precision::Ulp(_)) => self.half.unwrap_or(Precision::Ulp(2.0)),
            (Half, precision) => self.half.unwrap_or(precision),
            (_, precision) => precision,
        }
    }
}

/// A row for every version and device, whose function is exact.
pub(super) const fn row(section: &'static str, name: &'static str, strategy: Strategy) -> Row {
    Row {
        name,
        strategy,
        since: LanguageVersion::C10,
        needs: FeatureSet::EMPTY,
        precision: Precision::Exact,
        double: None,
        half: None,
        relaxed: None,
        section,
    }
}

/// A row with signatures.
pub(super) const fn overloads(
    section: &'static str,
    name: &'static str,
    signatures: &'static [Signature],
    lowering: Lowering,
) -> Row {
    row(section, name, Strategy::Overloads(signatures, lowering))
}

/// A signature.
pub(super) const fn signature(
    elements: &'static [ScalarKind],
    lanes: Lanes,
    result: Term,
    params: &'static [Term],
) -> Signature {
    Signature { elements, lanes, result, params }
}

use ScalarKind::{Char, Double, Float, Half, Int, Long, Short, UChar, UInt, ULong, UShort};

/// `half`, `float`, `double`.
pub(super) const FLOATS: &[ScalarKind] = &[Float, Double, Half];
/// `float`.
pub(super) const FLOAT: &[ScalarKind] = &[Float];
/// All integers.
pub(super) const INTEGERS: &[ScalarKind] = &[Char, UChar, Short, UShort, Int, UInt, Long, ULong];
/// Signed integers.
pub(super) const SIGNED: &[ScalarKind] = &[Char, Short, Int, Long];
/// Integers with a wider one.
pub(super) const NARROW: &[ScalarKind] = &[Char, UChar, Short, UShort, Int, UInt];
/// `int` and `uint`.
pub(super) const WORDS: &[ScalarKind] = &[Int, UInt];
/// Everything that has vectors.
pub(super) const ALL: &[ScalarKind] = &ScalarKind::VECTOR_ELEMENTS;
/// For signatures without a generic type.
pub(super) const NONE: &[ScalarKind] = &[Int];

/// Whether a signature mentions its generic type, so that its lanes and element matter.
#[must_use]
pub fn is_generic(signature: &Signature) -> bool {
    let fixed = |term: &Term| {
        matches!(term, Term::Void | Term::Fixed(..) | Term::Image(..) | Term::Sampler | Term::Coordinates(..))
    };
    !(fixed(&signature.result) && signature.params.iter().all(fixed))
}
