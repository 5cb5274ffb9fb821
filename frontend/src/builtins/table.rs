//! The table of built-in functions: what a row holds.
//!
//! A [`Row`] names a function and holds everything that the compiler knows about it. Its [`Strategy`] says
//! how calls are checked: by signatures over generic types, or by code where signatures are not expressive
//! enough. A function that is lowered differently for different types has several rows. The files beside this
//! one group the rows by chapter.

use super::Lowering;
use super::async_copy::AsyncCopy;
use super::enqueue::EnqueueFunction;
use super::family::Family;
use super::matrix::MatrixFunction;
use super::pattern;
use super::pipes::PipeFunction;
use super::synchronization::Synchronization;
use crate::options::LanguageVersion;
use crate::types::ScalarKind;
use clvk_interface::{Feature, FeatureSet};
use clvk_ir::{AddressSpace, ImageDimension};

/// Precision that OpenCL C §7.4 demands of a function in single precision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Precision {
    /// Correctly rounded, or exact. All functions that are not floating-point functions have this.
    Exact,
    /// Units in the last place.
    Ulp(f64),
    /// Units in the last place: a fixed number, plus a number for each lane.
    UlpByLanes(f64, f64),
    /// An absolute error.
    Absolute(f64),
    /// A bound relative to the operands' magnitude, for `dot` and `cross`.
    Relative,
    /// An absolute error for arguments between two bounds, and units in the last place for other arguments,
    /// if their error is bounded.
    AbsoluteIn(f64, (f64, f64), Option<f64>),
    /// Implementation-defined.
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
pub enum Spaces {
    /// Global, local, private and generic, to write to.
    Writable,
    /// Global, local and generic: atomics.
    Shared,
    /// Global only.
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
    /// The result of a relation: `int` for scalars, the signed integer type of the same size for vectors.
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
pub enum ImageUse {
    Read,
    /// Read through a sampler, which is not allowed for images that are also written (OpenCL C §6.8).
    Sample,
    Write,
    Query,
}

/// Parameters and result over a generic type.
#[derive(Clone, Copy, Debug)]
pub struct Signature {
    /// Element kinds of the generic type; a single arbitrary entry if there is none.
    pub elements: &'static [ScalarKind],
    /// Its lanes.
    pub lanes: Lanes,
    /// Result.
    pub result: Term,
    /// Parameters.
    pub params: &'static [Term],
}

/// How a call of a function is checked, and how it is lowered.
#[derive(Clone, Copy, Debug)]
pub enum Strategy {
    /// The arguments choose one of the signatures in all rows with this name; the lowering is that of the
    /// chosen row.
    Overloads(&'static [Signature], Lowering),
    /// The name is a pattern; the function maps the choices for its braces to a member of a family.
    Pattern(fn(&[&str]) -> Family),
    /// As this member of a family demands (`check/builtin_family.rs`).
    Family(Family),
    /// `printf` (`check/print.rs`).
    Print,
    /// A function on pipes (`check/pipe.rs`).
    Pipe(PipeFunction),
    /// An asynchronous copy, or a wait for copies (`check/async_copy.rs`).
    AsyncCopy(AsyncCopy),
    /// A barrier, a fence or an atomic function of C11 (`check/synchronization.rs`).
    Synchronization(Synchronization),
    /// A function that enqueues kernels, or a related one (`check/enqueue.rs`).
    Enqueue(EnqueueFunction),
    /// A function on cooperative matrices (`check/matrix.rs`).
    Matrix(MatrixFunction),
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
    /// Optional features that it needs (all of them).
    pub needs: FeatureSet,
    /// Precision in single precision.
    pub precision: Precision,
    /// Precision in double precision, if it differs.
    pub double: Option<Precision>,
    /// Precision in half precision, if it differs from the usual 2 ulp of inexact functions.
    pub half: Option<Precision>,
    /// Its lowering in single precision under `-cl-unsafe-math-optimizations` (OpenCL C §7.4, table 67).
    pub relaxed: Option<Lowering>,
    /// Section of the OpenCL C specification.
    pub section: &'static str,
    /// Whether only OpenCL C++ 1.0 has it.
    pub is_of_opencl_cxx: bool,
}

impl Row {
    /// Sets the first version.
    #[must_use]
    pub const fn since(mut self, version: LanguageVersion) -> Self {
        self.since = version;
        self
    }

    /// Makes it one of OpenCL C++ 1.0 only.
    #[must_use]
    pub const fn of_opencl_cxx(mut self) -> Self {
        self.is_of_opencl_cxx = true;
        self
    }

    /// Adds a feature that it needs.
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

    /// Sets the precision in ulp.
    #[must_use]
    pub(crate) const fn ulp(mut self, ulp: f64) -> Self {
        self.precision = Precision::Ulp(ulp);
        self
    }

    /// Sets a precision of another kind.
    #[must_use]
    pub const fn precision(mut self, precision: Precision) -> Self {
        self.precision = precision;
        self
    }

    /// Sets another precision for double-precision numbers (OpenCL C §7.4, table 68).
    #[must_use]
    pub const fn double(mut self, precision: Precision) -> Self {
        self.double = Some(precision);
        self
    }

    /// Sets another precision for half-precision numbers (OpenCL C §7.4, table 69).
    #[must_use]
    pub const fn half(mut self, precision: Precision) -> Self {
        self.half = Some(precision);
        self
    }

    /// Sets a faster lowering in single precision, used if the build options allow it.
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

/// A row for an exact function that exists in every version and on every device.
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
        is_of_opencl_cxx: false,
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
/// Integers for which a wider type exists.
pub(super) const NARROW: &[ScalarKind] = &[Char, UChar, Short, UShort, Int, UInt];
/// `int` and `uint`.
pub(super) const WORDS: &[ScalarKind] = &[Int, UInt];
/// All types that have vectors.
pub(super) const ALL: &[ScalarKind] = &ScalarKind::VECTOR_ELEMENTS;
/// For signatures without a generic type.
pub(super) const NONE: &[ScalarKind] = &[Int];

/// Whether a signature mentions its generic type, so that its lanes and element matter.
#[must_use]
pub(crate) fn is_generic(signature: &Signature) -> bool {
    let fixed = |term: &Term| {
        matches!(term, Term::Void | Term::Fixed(..) | Term::Image(..) | Term::Sampler | Term::Coordinates(..))
    };
    !(fixed(&signature.result) && signature.params.iter().all(fixed))
}
