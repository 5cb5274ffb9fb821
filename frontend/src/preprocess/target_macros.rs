//! Macros by which C compilers describe their types and the target: `__INT32_TYPE__`, `__SIZEOF_LONG__`,
//! `__BYTE_ORDER__`.
//!
//! OpenCL C does not define them, but programs and their headers use them. Every type has the same size on
//! every device, so none of them depends on a profile. Not here: macros that identify a compiler
//! (`__clang__`, `__GNUC__`, `__SPIR__`), because programs take them as a promise of all of that compiler's
//! features.

use crate::options::Options;
use clvk_interface::Feature;

/// An integer type that the macros describe.
struct Integer {
    /// The start of the names, after `__`.
    stem: &'static str,
    /// The type, as spelled by `__…_TYPE__`.
    spelling: &'static str,
    bits: u32,
    signed: bool,
}

const fn signed(stem: &'static str, spelling: &'static str, bits: u32) -> Integer {
    Integer { stem, spelling, bits, signed: true }
}

const fn unsigned(stem: &'static str, spelling: &'static str, bits: u32) -> Integer {
    Integer { stem, spelling, bits, signed: false }
}

/// The types of `stdint.h` and `stddef.h`. The least and the fast type of a width are the exact one.
static NAMED: &[Integer] = &[
    signed("INT8", "signed char", 8),
    signed("INT16", "short", 16),
    signed("INT32", "int", 32),
    signed("INT64", "long int", 64),
    unsigned("UINT8", "unsigned char", 8),
    unsigned("UINT16", "unsigned short", 16),
    unsigned("UINT32", "unsigned int", 32),
    unsigned("UINT64", "long unsigned int", 64),
    signed("INTMAX", "long int", 64),
    unsigned("UINTMAX", "long unsigned int", 64),
    signed("INTPTR", "long int", 64),
    unsigned("UINTPTR", "long unsigned int", 64),
    signed("PTRDIFF", "long int", 64),
    unsigned("SIZE", "long unsigned int", 64),
];

/// The types of the language, which do not have a `_TYPE__`.
static PLAIN: &[Integer] = &[
    signed("SCHAR", "", 8),
    signed("SHRT", "", 16),
    signed("INT", "", 32),
    signed("LONG", "", 64),
    signed("LONG_LONG", "", 64),
    signed("LLONG", "", 64),
];

/// The other macros: name, whether only devices with double precision have it, and value. Sorted by name.
#[rustfmt::skip]
static FIXED: &[(&str, bool, &str)] = &[
    ("_LP64", false, "1"),
    ("__ATOMIC_ACQUIRE", false, "2"),
    ("__ATOMIC_ACQ_REL", false, "4"),
    ("__ATOMIC_RELAXED", false, "0"),
    ("__ATOMIC_RELEASE", false, "3"),
    ("__ATOMIC_SEQ_CST", false, "5"),
    ("__BOOL_WIDTH__", false, "8"),
    ("__BYTE_ORDER__", false, "__ORDER_LITTLE_ENDIAN__"),
    ("__CHAR_BIT__", false, "8"),
    ("__DBL_DECIMAL_DIG__", true, "17"),
    ("__DBL_DENORM_MIN__", true, "4.9406564584124654e-324"),
    ("__DBL_DIG__", true, "15"),
    ("__DBL_EPSILON__", true, "2.2204460492503131e-16"),
    ("__DBL_HAS_DENORM__", true, "1"),
    ("__DBL_HAS_INFINITY__", true, "1"),
    ("__DBL_HAS_QUIET_NAN__", true, "1"),
    ("__DBL_MANT_DIG__", true, "53"),
    ("__DBL_MAX_10_EXP__", true, "308"),
    ("__DBL_MAX_EXP__", true, "1024"),
    ("__DBL_MAX__", true, "1.7976931348623157e+308"),
    ("__DBL_MIN_10_EXP__", true, "(-307)"),
    ("__DBL_MIN_EXP__", true, "(-1021)"),
    ("__DBL_MIN__", true, "2.2250738585072014e-308"),
    ("__DBL_NORM_MAX__", true, "1.7976931348623157e+308"),
    ("__FLT_DECIMAL_DIG__", false, "9"),
    ("__FLT_DENORM_MIN__", false, "1.40129846e-45F"),
    ("__FLT_DIG__", false, "6"),
    ("__FLT_EPSILON__", false, "1.19209290e-7F"),
    ("__FLT_HAS_DENORM__", false, "1"),
    ("__FLT_HAS_INFINITY__", false, "1"),
    ("__FLT_HAS_QUIET_NAN__", false, "1"),
    ("__FLT_MANT_DIG__", false, "24"),
    ("__FLT_MAX_10_EXP__", false, "38"),
    ("__FLT_MAX_EXP__", false, "128"),
    ("__FLT_MAX__", false, "3.40282347e+38F"),
    ("__FLT_MIN_10_EXP__", false, "(-37)"),
    ("__FLT_MIN_EXP__", false, "(-125)"),
    ("__FLT_MIN__", false, "1.17549435e-38F"),
    ("__FLT_NORM_MAX__", false, "3.40282347e+38F"),
    ("__FLT_RADIX__", false, "2"),
    ("__LITTLE_ENDIAN__", false, "1"),
    ("__LP64__", false, "1"),
    ("__OPENCL_MEMORY_SCOPE_ALL_SVM_DEVICES", false, "3"),
    ("__OPENCL_MEMORY_SCOPE_DEVICE", false, "2"),
    ("__OPENCL_MEMORY_SCOPE_SUB_GROUP", false, "4"),
    ("__OPENCL_MEMORY_SCOPE_WORK_GROUP", false, "1"),
    ("__OPENCL_MEMORY_SCOPE_WORK_ITEM", false, "0"),
    ("__ORDER_BIG_ENDIAN__", false, "4321"),
    ("__ORDER_LITTLE_ENDIAN__", false, "1234"),
    ("__ORDER_PDP_ENDIAN__", false, "3412"),
    ("__POINTER_WIDTH__", false, "64"),
    ("__SIZEOF_DOUBLE__", false, "8"),
    ("__SIZEOF_FLOAT__", false, "4"),
    ("__SIZEOF_INT__", false, "4"),
    ("__SIZEOF_LONG_LONG__", false, "8"),
    ("__SIZEOF_LONG__", false, "8"),
    ("__SIZEOF_POINTER__", false, "8"),
    ("__SIZEOF_PTRDIFF_T__", false, "8"),
    ("__SIZEOF_SHORT__", false, "2"),
    ("__SIZEOF_SIZE_T__", false, "8"),
];

/// The replacement text of the macro with this name, if it describes a type or the target.
pub(super) fn value(name: &str, options: &Options) -> Option<String> {
    if let Ok(index) = FIXED.binary_search_by(|(fixed, ..)| (*fixed).cmp(name)) {
        let (_, needs_double, value) = FIXED[index];
        return (!needs_double || options.features.contains(Feature::Fp64)).then(|| value.to_owned());
    }
    if name == "__FINITE_MATH_ONLY__" {
        return Some(u32::from(options.finite_math_only).to_string());
    }
    if matches!(name, "__FAST_MATH__" | "__OPTIMIZE__") {
        let holds = if name == "__OPTIMIZE__" { !options.no_optimization } else { options.fast_relaxed_math };
        return holds.then(|| "1".to_owned());
    }
    of_integer(name.strip_prefix("__")?)
}

/// The value of a macro of an integer type, named without the first `__`.
fn of_integer(name: &str) -> Option<String> {
    // `INT_LEAST32` and `INT_FAST32` are `INT32`.
    let exact = ["INT_LEAST", "INT_FAST"].into_iter().find_map(|kind| {
        let (unsigned, rest) = name.split_once(kind).filter(|(unsigned, _)| matches!(*unsigned, "" | "U"))?;
        rest.starts_with(|first: char| first.is_ascii_digit()).then(|| format!("{unsigned}INT{rest}"))
    });
    let name = exact.as_deref().unwrap_or(name);
    let integer = |rows: &'static [Integer], stem| rows.iter().find(|row| row.stem == stem);
    if let Some(stem) = name.strip_suffix("_TYPE__") {
        return integer(NAMED, stem).map(|row| row.spelling.to_owned());
    }
    if let Some(stem) = name.strip_suffix("_C_SUFFIX__") {
        return integer(NAMED, stem).map(|row| row.suffix().to_owned());
    }
    if let Some((stem, letter)) = name.strip_suffix("__").and_then(|name| name.split_once("_FMT")) {
        return integer(NAMED, stem)?.format(letter);
    }
    let any = |stem| integer(NAMED, stem).or_else(|| integer(PLAIN, stem));
    if let Some(stem) = name.strip_suffix("_MAX__") {
        return any(stem).map(Integer::largest);
    }
    any(name.strip_suffix("_WIDTH__")?).map(|row| row.bits.to_string())
}

impl Integer {
    /// The suffix of literals of this type.
    fn suffix(&self) -> &'static str {
        match (self.bits, self.signed) {
            (64, true) => "L",
            (64, false) => "UL",
            (32, false) => "U",
            _ => "",
        }
    }

    fn largest(&self) -> String {
        let bits = self.bits - u32::from(self.signed);
        format!("{}{}", u64::MAX >> (64 - bits), self.suffix())
    }

    /// The conversion of `printf` by this letter, as a string literal.
    fn format(&self, letter: &str) -> Option<String> {
        let known = if self.signed { ["d", "i"].as_slice() } else { &["X", "o", "u", "x"] };
        let length = match self.bits {
            8 => "hh",
            16 => "h",
            32 => "",
            _ => "l",
        };
        known.contains(&letter).then(|| format!("\"{length}{letter}\""))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        for pair in FIXED.windows(2) {
            assert!(pair[0].0 < pair[1].0, "{} stands before {}", pair[0].0, pair[1].0);
        }
    }

    #[test]
    fn names_that_only_look_alike_are_not_macros() {
        for name in [
            "__INT_TYPE__",
            "__SHRT_C_SUFFIX__",
            "__INT_LEASTPTR_TYPE__",
            "__INT_LEAST_MAX__",
            "__XINT_FAST32_MAX__",
            "__UINT_MAX__",
            "__INT24_MAX__",
            "__INT32_FMTu__",
            "__UINT32_FMTd__",
            "__INT32_MAX_",
            "INT32_MAX__",
            "__clang__",
            "__GNUC__",
            "__SPIR__",
        ] {
            assert_eq!(value(name, &Options::default()), None, "{name}");
        }
    }
}
