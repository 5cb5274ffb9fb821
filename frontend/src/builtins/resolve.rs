//! Overload resolution: which signature of a built-in function a call selects.
//!
//! The rules are those of clang's overloadable functions, which programs rely on. Each argument converts to
//! its parameter exactly, by promotion, by an arithmetic conversion, or by widening a scalar to a vector. A
//! candidate wins if it is better for some argument and worse for none. Two candidates that are each better
//! for one argument are ambiguous.

use super::lowering::Lowering;
use super::table::{ImageUse, Row, Signature, Spaces, Strategy, Term, is_generic};
use crate::types::{ScalarKind, TypeId, TypeKind, Types};
use clvk_interface::{Feature, FeatureSet};
use clvk_ir::{ImageDimension, ImageType};

/// What overload resolution needs to know about an argument.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Argument {
    /// A scalar or vector. Enumerations are scalars.
    Arithmetic(ScalarKind, u32),
    /// A pointer to a scalar or vector.
    Pointer {
        /// Element.
        kind: ScalarKind,
        /// Lanes.
        lanes: u32,
        /// Address space.
        space: clvk_ir::AddressSpace,
        /// Whether the target is `const`.
        is_const: bool,
    },
    /// An image.
    Image(ImageType),
    /// A sampler.
    Sampler,
    /// Anything else: no built-in function takes it.
    Other,
}

impl Argument {
    /// Describes a value of this type.
    #[must_use]
    pub fn of(types: &Types, ty: TypeId) -> Self {
        if let Some((kind, lanes)) = types.as_arithmetic(ty) {
            return Argument::Arithmetic(kind, lanes);
        }
        match types.kind(ty) {
            TypeKind::Pointer { pointee, space } => match types.as_arithmetic(pointee.ty) {
                Some((kind, lanes)) => {
                    Argument::Pointer { kind, lanes, space: *space, is_const: pointee.qualifiers.is_const }
                }
                None => Argument::Other,
            },
            TypeKind::Image(image) => Argument::Image(*image),
            TypeKind::Sampler => Argument::Sampler,
            _ => Argument::Other,
        }
    }
}

/// The type to which an argument is converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// This arithmetic type, then widened to `widened` lanes if that is more.
    Arithmetic {
        /// Element.
        kind: ScalarKind,
        /// Lanes of the parameter.
        lanes: u32,
        /// Lanes that it is widened to.
        widened: u32,
    },
    /// A pointer to this type, in the argument's address space.
    Pointer {
        /// Element.
        kind: ScalarKind,
        /// Lanes.
        lanes: u32,
        /// Accepted address spaces.
        spaces: Spaces,
        /// Whether it is only read through.
        read_only: bool,
    },
    /// An image.
    Image(ImageDimension, ImageUse),
    /// A sampler.
    Sampler,
}

/// A chosen overload.
#[derive(Clone, Debug)]
pub struct Resolution {
    /// The function.
    pub row: &'static Row,
    /// How it is lowered.
    pub lowering: Lowering,
    /// Element and lanes of the result; `None` for `void`.
    pub result: Option<(ScalarKind, u32)>,
    /// Parameters.
    pub params: Vec<Parameter>,
}

/// Why no overload was chosen.
#[derive(Clone, Debug)]
pub enum Mismatch {
    /// None takes these arguments.
    NoMatch,
    /// Several do, and none is better than the others.
    Ambiguous(Vec<Resolution>),
}

/// Resolves calls for a language version and a set of features.
#[derive(Clone, Copy, Debug)]
pub struct Resolver {
    /// Features of the device.
    pub features: FeatureSet,
    /// Whether relations give `bool` and vectors of it, as in OpenCL C++ (§3.21), and not integers.
    pub truth_is_bool: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Exact,
    Promotion,
    Conversion,
    Widening,
}

const MAX_PARAMS: usize = 5;

struct Candidate {
    row: &'static Row,
    lowering: Lowering,
    signature: &'static Signature,
    element: ScalarKind,
    lanes: u32,
    ranks: [Rank; MAX_PARAMS],
}

impl Resolver {
    /// The overload of `rows` that takes `arguments`.
    ///
    /// # Errors
    /// None takes them, or the call is ambiguous.
    pub fn resolve(&self, rows: &[&'static Row], arguments: &[Argument]) -> Result<Resolution, Mismatch> {
        let mut viable = Vec::new();
        for row in rows {
            let Strategy::Overloads(signatures, lowering) = row.strategy else { continue };
            for signature in signatures {
                if signature.params.len() == arguments.len() {
                    self.collect((row, lowering), signature, arguments, &mut viable);
                }
            }
        }
        let Some(best) = viable.iter().reduce(|best, next| if better(next, best) { next } else { best })
        else {
            return Err(Mismatch::NoMatch);
        };
        if viable.iter().all(|other| std::ptr::eq(other, best) || better(best, other)) {
            return Ok(best.resolution(self.truth_is_bool));
        }
        let unbeaten = viable.iter().filter(|this| !viable.iter().any(|other| better(other, this)));
        Err(Mismatch::Ambiguous(unbeaten.map(|it| it.resolution(self.truth_is_bool)).collect()))
    }

    /// The first argument that fits its parameter for no generic type; `None` if each argument fits some
    /// generic type, but not all the same one. The number of arguments must match the signature.
    #[must_use]
    pub(crate) fn misfit(&self, signature: &Signature, arguments: &[Argument]) -> Option<usize> {
        let generic = is_generic(signature);
        let kinds = || signature.elements.iter().copied().filter(|element| !generic || self.has(*element));
        let fits = |term: Term, argument: Argument| {
            kinds().any(|element| {
                let lanes = signature.lanes.list().iter();
                lanes
                    .copied()
                    .any(|lanes| rank_of(argument, parameter(term, signature, element, lanes)).is_some())
            })
        };
        signature.params.iter().zip(arguments).position(|(term, argument)| !fits(*term, *argument))
    }

    fn collect(
        &self,
        (row, lowering): (&'static Row, Lowering),
        signature: &'static Signature,
        arguments: &[Argument],
        viable: &mut Vec<Candidate>,
    ) {
        assert!(arguments.len() <= MAX_PARAMS, "{} has too many parameters", row.name);
        let generic = is_generic(signature);
        for &element in signature.elements {
            if generic && !self.has(element) {
                continue;
            }
            for &lanes in signature.lanes.list() {
                let mut ranks = [Rank::Exact; MAX_PARAMS];
                let fits =
                    signature.params.iter().zip(arguments).zip(&mut ranks).all(|((term, argument), rank)| {
                        match rank_of(*argument, parameter(*term, signature, element, lanes)) {
                            Some(found) => {
                                *rank = found;
                                true
                            }
                            None => false,
                        }
                    });
                if fits {
                    viable.push(Candidate { row, lowering, signature, element, lanes, ranks });
                }
            }
        }
    }

    /// Whether values of this kind are supported.
    #[must_use]
    pub fn has(&self, kind: ScalarKind) -> bool {
        match kind {
            ScalarKind::Half => self.features.contains(Feature::Fp16),
            ScalarKind::Double => self.features.contains(Feature::Fp64),
            _ => true,
        }
    }
}

impl Candidate {
    fn resolution(&self, truth_is_bool: bool) -> Resolution {
        let params = self
            .signature
            .params
            .iter()
            .map(|term| parameter(*term, self.signature, self.element, self.lanes))
            .collect();
        let result = match self.signature.result {
            Term::Truth if truth_is_bool => Some((ScalarKind::Bool, self.lanes)),
            term => result(term, self.element, self.lanes),
        };
        Resolution { row: self.row, lowering: self.lowering, result, params }
    }
}

fn better(a: &Candidate, b: &Candidate) -> bool {
    let pairs = || a.ranks.iter().zip(&b.ranks);
    pairs().all(|(a, b)| a <= b) && pairs().any(|(a, b)| a < b)
}

fn same_size(kind: ScalarKind, signed: bool) -> ScalarKind {
    ScalarKind::integer(kind.size(), signed)
}

fn result(term: Term, element: ScalarKind, lanes: u32) -> Option<(ScalarKind, u32)> {
    Some(match term {
        Term::Void => return None,
        Term::Truth if lanes == 1 => (ScalarKind::Int, 1),
        Term::Truth => (same_size(element, true), lanes),
        Term::ElementResult => (element, 1),
        other => arithmetic(other, element, lanes).expect("a result is void or arithmetic"),
    })
}

/// Element and lanes of an arithmetic term.
fn arithmetic(term: Term, element: ScalarKind, lanes: u32) -> Option<(ScalarKind, u32)> {
    Some(match term {
        Term::Generic => (element, lanes),
        Term::Element => (element, 1),
        Term::Signed => (same_size(element, true), lanes),
        Term::Unsigned => (same_size(element, false), lanes),
        Term::Wide => (ScalarKind::integer(element.size() * 2, element.is_signed()), lanes),
        Term::Lanes(kind) => (kind, lanes),
        Term::Widened(kind) => (kind, 1),
        Term::Fixed(kind, count) => (kind, count),
        Term::Coordinates(kind, dimension) => (kind, coordinate_lanes(dimension)),
        _ => return None,
    })
}

/// Lanes of an image's coordinates in OpenCL C: 4 if 3 are used (OpenCL C §6.15.15).
pub(crate) fn coordinate_lanes(dimension: ImageDimension) -> u32 {
    match dimension.coordinate_lanes() {
        3 => 4,
        lanes => lanes,
    }
}

fn parameter(term: Term, signature: &Signature, element: ScalarKind, lanes: u32) -> Parameter {
    if let Some((kind, count)) = arithmetic(term, element, lanes) {
        let widened = if matches!(term, Term::Element | Term::Widened(_)) { lanes } else { count };
        return Parameter::Arithmetic { kind, lanes: count, widened };
    }
    match term {
        // A function without a result that takes a pointer only reads through it: `prefetch`.
        Term::Pointer(spaces) => {
            Parameter::Pointer { kind: element, lanes, spaces, read_only: signature.result == Term::Void }
        }
        Term::IntPointer(spaces) => {
            Parameter::Pointer { kind: ScalarKind::Int, lanes, spaces, read_only: false }
        }
        Term::Image(dimension, usage) => Parameter::Image(dimension, usage),
        Term::Sampler => Parameter::Sampler,
        other => panic!("{other:?} is not a parameter"),
    }
}

fn rank_of(argument: Argument, parameter: Parameter) -> Option<Rank> {
    match (argument, parameter) {
        (Argument::Arithmetic(from, from_lanes), Parameter::Arithmetic { kind, lanes, .. }) => {
            match (from_lanes, lanes) {
                (1, 1) => Some(scalar_rank(from, kind)),
                (1, _) => Some(Rank::Widening),
                _ => ((from, from_lanes) == (kind, lanes)).then_some(Rank::Exact),
            }
        }
        (
            Argument::Pointer { kind: from, lanes: from_lanes, space, is_const },
            Parameter::Pointer { kind, lanes, spaces, read_only },
        ) => {
            let fits =
                (from, from_lanes) == (kind, lanes) && spaces.contains(space) && (read_only || !is_const);
            fits.then_some(Rank::Exact)
        }
        (Argument::Image(image), Parameter::Image(dimension, usage)) => {
            let allowed = match usage {
                ImageUse::Read => image.readable,
                ImageUse::Sample => image.readable && !image.writable,
                ImageUse::Write => image.writable,
                ImageUse::Query => true,
            };
            (allowed && image.dimension == dimension).then_some(Rank::Exact)
        }
        (Argument::Sampler, Parameter::Sampler) => Some(Rank::Exact),
        (Argument::Arithmetic(kind, 1), Parameter::Sampler) => kind.is_integer().then_some(Rank::Conversion),
        _ => None,
    }
}

fn scalar_rank(from: ScalarKind, to: ScalarKind) -> Rank {
    let promotes = (from.is_integer() && from.size() < 4 && to == ScalarKind::Int)
        || (from == ScalarKind::Float && to == ScalarKind::Double);
    if from == to {
        Rank::Exact
    } else if promotes {
        Rank::Promotion
    } else {
        Rank::Conversion
    }
}
