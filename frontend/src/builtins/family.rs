//! Built-in functions whose name holds types, modes and numbers of lanes.

use super::PipeFunction;
use crate::types::ScalarKind;
use clvk_ir::{AddressSpace, RoundingMode};

/// A function, as its name says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// `convert_<type>[_sat][_<rounding>]` (OpenCL C §6.4.3).
    Convert {
        /// Destination element.
        kind: ScalarKind,
        /// Lanes.
        lanes: u32,
        /// `_sat`.
        saturating: bool,
        /// `_rte` and its kind.
        rounding: Option<RoundingMode>,
    },
    /// `as_<type>` (OpenCL C §6.4.4.2).
    Reinterpret {
        /// Destination element.
        kind: ScalarKind,
        /// Lanes.
        lanes: u32,
    },
    /// `vload<n>` (OpenCL C §6.15.7).
    Load {
        /// Lanes.
        lanes: u32,
    },
    /// `vstore<n>`.
    Store {
        /// Lanes.
        lanes: u32,
    },
    /// `vload_half[<n>]`, `vloada_half<n>`.
    LoadHalf {
        /// Lanes.
        lanes: u32,
        /// Elements from one vector to the next.
        stride: u32,
    },
    /// `vstore_half[<n>][_<rounding>]`, `vstorea_half<n>[_<rounding>]`.
    StoreHalf {
        /// Lanes.
        lanes: u32,
        /// Elements from one vector to the next.
        stride: u32,
        /// Rounding.
        rounding: Option<RoundingMode>,
    },
    /// `to_global`, `to_local`, `to_private` (OpenCL C §6.15.10).
    ToSpace {
        /// Destination.
        space: AddressSpace,
    },
    /// `get_fence` (OpenCL C §6.15.10).
    GetFence,
    /// Pipes (OpenCL C §6.15.18).
    Pipe(PipeFunction),
    /// `printf` (OpenCL C §6.15.14).
    Print,
    /// `shuffle`, `shuffle2` (OpenCL C §6.15.13).
    Shuffle {
        /// `shuffle2`.
        two: bool,
    },
}

impl Family {
    /// The family that `name` belongs to.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        if let Some(rest) = name.strip_prefix("convert_") {
            return convert(rest);
        }
        if let Some(rest) = name.strip_prefix("as_") {
            let (kind, lanes) = vector_type(rest)?;
            return Some(Family::Reinterpret { kind, lanes });
        }
        if let Some(function) = PipeFunction::from_name(name) {
            return Some(Family::Pipe(function));
        }
        match name {
            "shuffle" => return Some(Family::Shuffle { two: false }),
            "shuffle2" => return Some(Family::Shuffle { two: true }),
            "to_global" => return Some(Family::ToSpace { space: AddressSpace::Global }),
            "to_local" => return Some(Family::ToSpace { space: AddressSpace::Local }),
            "to_private" => return Some(Family::ToSpace { space: AddressSpace::Private }),
            "printf" => return Some(Family::Print),
            "get_fence" => return Some(Family::GetFence),
            _ => {}
        }
        if let Some(rest) = name.strip_prefix("vload") {
            return load(rest);
        }
        name.strip_prefix("vstore").and_then(store)
    }
}

/// A scalar or vector type by its name: element and lanes.
#[must_use]
pub(crate) fn vector_type(name: &str) -> Option<(ScalarKind, u32)> {
    let digits = name.find(|c: char| c.is_ascii_digit()).unwrap_or(name.len());
    let kind = ScalarKind::VECTOR_ELEMENTS.into_iter().find(|kind| kind.name() == &name[..digits])?;
    Some((kind, if digits == name.len() { 1 } else { lanes(&name[digits..])? }))
}

fn lanes(text: &str) -> Option<u32> {
    Some(match text {
        "2" => 2,
        "3" => 3,
        "4" => 4,
        "8" => 8,
        "16" => 16,
        _ => return None,
    })
}

fn rounding(text: &str) -> Option<RoundingMode> {
    Some(match text {
        "rte" => RoundingMode::NearestEven,
        "rtz" => RoundingMode::TowardZero,
        "rtp" => RoundingMode::TowardPositive,
        "rtn" => RoundingMode::TowardNegative,
        _ => return None,
    })
}

fn convert(rest: &str) -> Option<Family> {
    let mut parts = rest.split('_');
    let (kind, lanes) = vector_type(parts.next()?)?;
    let mut next = parts.next();
    let saturating = next == Some("sat");
    if saturating {
        if kind.is_float() {
            return None;
        }
        next = parts.next();
    }
    let mode = match next {
        Some(text) => Some(rounding(text)?),
        None => None,
    };
    parts.next().is_none().then_some(Family::Convert { kind, lanes, saturating, rounding: mode })
}

/// Lanes and stride of `_half`, `_half4`, `a_half3`.
fn half(text: &str) -> Option<(u32, u32)> {
    let (aligned, count) = match text.strip_prefix("a_half") {
        Some(count) => (true, count),
        None => (false, text.strip_prefix("_half")?),
    };
    let lanes = if count.is_empty() && !aligned { 1 } else { lanes(count)? };
    Some((lanes, if aligned { lanes.next_power_of_two() } else { lanes }))
}

fn load(rest: &str) -> Option<Family> {
    if let Some(lanes) = lanes(rest) {
        return Some(Family::Load { lanes });
    }
    half(rest).map(|(lanes, stride)| Family::LoadHalf { lanes, stride })
}

fn store(rest: &str) -> Option<Family> {
    if let Some(lanes) = lanes(rest) {
        return Some(Family::Store { lanes });
    }
    if let Some((lanes, stride)) = half(rest) {
        return Some(Family::StoreHalf { lanes, stride, rounding: None });
    }
    let (head, mode) = rest.rsplit_once('_')?;
    let (lanes, stride) = half(head)?;
    Some(Family::StoreHalf { lanes, stride, rounding: Some(rounding(mode)?) })
}
