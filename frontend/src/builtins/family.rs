//! Built-in functions whose names contain the types, modes and numbers of lanes that decide their results,
//! and a few that are checked in the same way.

use super::table::{Row, Strategy, row};
use crate::options::LanguageVersion::{C12, C20};
use crate::types::ScalarKind;
use clvk_interface::Feature;
use clvk_interface::Feature::{IntelSubGroups, IntelSubGroupsChar, IntelSubGroupsLong, IntelSubGroupsShort};
use clvk_ir::{AddressSpace, RoundingMode};

/// A function, decoded from its name.
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
    /// `shuffle`, `shuffle2` (OpenCL C §6.15.13).
    Shuffle {
        /// `shuffle2`.
        two: bool,
    },
    /// `intel_sub_group_block_read…` of cl_intel_subgroups: an element for each work-item from every row of
    /// as many as a sub-group has.
    BlockRead {
        /// Element.
        kind: ScalarKind,
        /// Rows.
        lanes: u32,
    },
    /// `intel_sub_group_block_write…`.
    BlockWrite {
        /// Element.
        kind: ScalarKind,
        /// Rows.
        lanes: u32,
    },
}

/// The section of functions of Intel's extensions, which the specification does not have.
pub(super) const INTEL: &str = "cl_intel_subgroups";

/// Functions whose names are a pattern; `member` maps the choices for its braces to a member of the family.
const fn pattern(section: &'static str, name: &'static str, member: fn(&[&str]) -> Family) -> Row {
    row(section, name, Strategy::Pattern(member))
}

/// A function with a single name.
const fn single(section: &'static str, name: &'static str, member: Family) -> Row {
    row(section, name, Strategy::Family(member))
}

const fn of_spaces(name: &'static str, member: Family) -> Row {
    single("6.15.10", name, member).since(C20).needs(Feature::GenericAddressSpace)
}

const fn to_space(name: &'static str, space: AddressSpace) -> Row {
    of_spaces(name, Family::ToSpace { space })
}

/// The rows with single names.
pub(super) const ROWS: &[Row] = &[
    to_space("to_global", AddressSpace::Global),
    to_space("to_local", AddressSpace::Local),
    to_space("to_private", AddressSpace::Private),
    of_spaces("get_fence", Family::GetFence),
    single("6.15.13", "shuffle", Family::Shuffle { two: false }),
    single("6.15.13", "shuffle2", Family::Shuffle { two: true }),
    row("6.15.14", "printf", Strategy::Print).since(C12),
];

/// The rows whose names are patterns.
#[rustfmt::skip]
pub(super) const PATTERNS: &[Row] = &[
    pattern("6.4.3", "convert_{char,uchar,short,ushort,int,uint,long,ulong}{,2,3,4,8,16}{,_sat}{,_rte,_rtz,_rtp,_rtn}", to_integer),
    pattern("6.4.3", "convert_{float,double,half}{,2,3,4,8,16}{,_rte,_rtz,_rtp,_rtn}", to_float),
    pattern("6.4.4", "as_{char,uchar,short,ushort,int,uint,long,ulong,float,double,half}{,2,3,4,8,16}", reinterpret),
    pattern("6.15.7", "vload{2,3,4,8,16}", load),
    pattern("6.15.7", "vstore{2,3,4,8,16}", store),
    pattern("6.15.7", "vload_half{,2,3,4,8,16}", load_half),
    pattern("6.15.7", "vloada_half{2,3,4,8,16}", load_aligned_half),
    pattern("6.15.7", "vstore_half{,2,3,4,8,16}{,_rte,_rtz,_rtp,_rtn}", store_half),
    pattern("6.15.7", "vstorea_half{2,3,4,8,16}{,_rte,_rtz,_rtp,_rtn}", store_aligned_half),
    blocks("intel_sub_group_block_read{,_ui}{,2,4,8}", block_read, IntelSubGroups),
    blocks("intel_sub_group_block_read{_uc}{,2,4,8,16}", block_read, IntelSubGroupsChar),
    blocks("intel_sub_group_block_read{_us}{,2,4,8,16}", block_read, IntelSubGroupsShort),
    blocks("intel_sub_group_block_read{_ul}{,2,4,8}", block_read, IntelSubGroupsLong),
    blocks("intel_sub_group_block_write{,_ui}{,2,4,8}", block_write, IntelSubGroups),
    blocks("intel_sub_group_block_write{_uc}{,2,4,8,16}", block_write, IntelSubGroupsChar),
    blocks("intel_sub_group_block_write{_us}{,2,4,8,16}", block_write, IntelSubGroupsShort),
    blocks("intel_sub_group_block_write{_ul}{,2,4,8}", block_write, IntelSubGroupsLong),
];

const fn blocks(name: &'static str, member: fn(&[&str]) -> Family, feature: Feature) -> Row {
    pattern(INTEL, name, member).needs(Feature::SubGroups).needs(feature)
}

fn block_read(parts: &[&str]) -> Family {
    Family::BlockRead { kind: block_element(parts[0]), lanes: lanes(parts[1]) }
}

fn block_write(parts: &[&str]) -> Family {
    Family::BlockWrite { kind: block_element(parts[0]), lanes: lanes(parts[1]) }
}

fn block_element(suffix: &str) -> ScalarKind {
    match suffix {
        "_uc" => ScalarKind::UChar,
        "_us" => ScalarKind::UShort,
        "_ul" => ScalarKind::ULong,
        _ => ScalarKind::UInt,
    }
}

fn to_integer(parts: &[&str]) -> Family {
    let (kind, lanes) = (element(parts[0]), lanes(parts[1]));
    Family::Convert { kind, lanes, saturating: parts[2] == "_sat", rounding: rounding(parts[3]) }
}

fn to_float(parts: &[&str]) -> Family {
    let (kind, lanes) = (element(parts[0]), lanes(parts[1]));
    Family::Convert { kind, lanes, saturating: false, rounding: rounding(parts[2]) }
}

fn reinterpret(parts: &[&str]) -> Family {
    Family::Reinterpret { kind: element(parts[0]), lanes: lanes(parts[1]) }
}

fn load(parts: &[&str]) -> Family {
    Family::Load { lanes: lanes(parts[0]) }
}

fn store(parts: &[&str]) -> Family {
    Family::Store { lanes: lanes(parts[0]) }
}

fn load_half(parts: &[&str]) -> Family {
    let lanes = lanes(parts[0]);
    Family::LoadHalf { lanes, stride: lanes }
}

fn load_aligned_half(parts: &[&str]) -> Family {
    let lanes = lanes(parts[0]);
    Family::LoadHalf { lanes, stride: lanes.next_power_of_two() }
}

fn store_half(parts: &[&str]) -> Family {
    let lanes = lanes(parts[0]);
    Family::StoreHalf { lanes, stride: lanes, rounding: rounding(parts[1]) }
}

fn store_aligned_half(parts: &[&str]) -> Family {
    let lanes = lanes(parts[0]);
    Family::StoreHalf { lanes, stride: lanes.next_power_of_two(), rounding: rounding(parts[1]) }
}

/// The element type of a part of a name, which comes from a pattern.
fn element(part: &str) -> ScalarKind {
    scalar(part).unwrap_or_else(|| panic!("no element type is called `{part}`"))
}

fn lanes(part: &str) -> u32 {
    if part.is_empty() { 1 } else { width(part).unwrap_or_else(|| panic!("no vector has {part} elements")) }
}

fn rounding(part: &str) -> Option<RoundingMode> {
    Some(match part {
        "" => return None,
        "_rte" => RoundingMode::NearestEven,
        "_rtz" => RoundingMode::TowardZero,
        "_rtp" => RoundingMode::TowardPositive,
        "_rtn" => RoundingMode::TowardNegative,
        other => panic!("no rounding mode is called `{other}`"),
    })
}

/// A scalar or vector type by its name: element and lanes. Vectors of `bool` have names, too, which only
/// the parser of OpenCL C++ takes for types.
#[must_use]
pub(crate) fn vector_type(name: &str) -> Option<(ScalarKind, u32)> {
    let digits = name.find(|c: char| c.is_ascii_digit()).unwrap_or(name.len());
    let is_bool = &name[..digits] == ScalarKind::Bool.name() && digits < name.len();
    let kind = if is_bool { ScalarKind::Bool } else { scalar(&name[..digits])? };
    Some((kind, if digits == name.len() { 1 } else { width(&name[digits..])? }))
}

fn scalar(name: &str) -> Option<ScalarKind> {
    ScalarKind::VECTOR_ELEMENTS.into_iter().find(|kind| kind.name() == name)
}

fn width(text: &str) -> Option<u32> {
    Some(match text {
        "2" => 2,
        "3" => 3,
        "4" => 4,
        "8" => 8,
        "16" => 16,
        _ => return None,
    })
}
