//! Conversions between `float` and bfloat16, whose bits are in a `ushort` (`cl_intel_bfloat16_conversions`).
//!
//! A name holds the number of lanes, so each function has one signature.

use super::Lowering::Library;
use super::table::{FLOAT, Lanes, Row, Signature, Term, overloads, signature};
use crate::types::ScalarKind::{Float, UShort};
use clvk_interface::Feature;

/// The name of the extension.
pub(super) const BFLOAT16: &str = "cl_intel_bfloat16_conversions";

const fn conversion(name: &'static str, signatures: &'static [Signature], stem: &'static str) -> Row {
    overloads(BFLOAT16, name, signatures, Library(stem)).needs(Feature::IntelBfloat16Conversions)
}

macro_rules! conversions {
    ($($lanes:literal: $to:literal, $from:literal;)*) => {
        /// The rows.
        pub(super) const ROWS: &[Row] = &[$(
            conversion($to, &[to_bits($lanes, &[Term::Fixed(Float, $lanes)])], "to_bfloat16"),
            conversion($from, &[from_bits($lanes, &[Term::Fixed(UShort, $lanes)])], "from_bfloat16"),
        )*];
    };
}

const fn to_bits(lanes: u32, params: &'static [Term]) -> Signature {
    signature(FLOAT, Lanes::Scalar, Term::Fixed(UShort, lanes), params)
}

const fn from_bits(lanes: u32, params: &'static [Term]) -> Signature {
    signature(FLOAT, Lanes::Scalar, Term::Fixed(Float, lanes), params)
}

conversions! {
    1: "intel_convert_bfloat16_as_ushort", "intel_convert_as_bfloat16_float";
    2: "intel_convert_bfloat162_as_ushort2", "intel_convert_as_bfloat162_float2";
    3: "intel_convert_bfloat163_as_ushort3", "intel_convert_as_bfloat163_float3";
    4: "intel_convert_bfloat164_as_ushort4", "intel_convert_as_bfloat164_float4";
    8: "intel_convert_bfloat168_as_ushort8", "intel_convert_as_bfloat168_float8";
    16: "intel_convert_bfloat1616_as_ushort16", "intel_convert_as_bfloat1616_float16";
}
