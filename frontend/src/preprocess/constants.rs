//! Macros that the language defines with a fixed value: one table, searched when a name first occurs.
//!
//! A row's text is what would follow `#define`. The `CLK_` constants of samplers and images have the values
//! of the OpenCL API's headers (`CL_R` …) and of SPIR's sampler words. Not here: macros whose value depends
//! on the place (`__LINE__`) or on the build options (`__OPENCL_C_VERSION__`); see `predefined`.

use crate::options::{LanguageVersion, Options};
use clvk_interface::Feature;

/// When a constant is defined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Needs {
    Always,
    Fp16,
    Fp64,
    Version(LanguageVersion),
    /// Kernels can be enqueued.
    Enqueue,
    Pipes,
    /// There are cooperative matrices.
    Matrices,
}

use LanguageVersion::C20;
use Needs::{Always, Enqueue, Fp16, Fp64, Matrices, Pipes, Version};

/// A macro.
pub(super) struct Constant {
    /// Its name, for the search.
    pub name: &'static str,
    needs: Needs,
    /// Name, parameters and replacement.
    pub definition: &'static str,
}

/// What a constant lacks to be defined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lack {
    Version(LanguageVersion),
    Feature(Feature),
}

impl Needs {
    /// What is missing.
    fn lack(self, options: &Options) -> Option<Lack> {
        let version = |first| (options.version < first).then_some(Lack::Version(first));
        let feature = |feature| (!options.features.contains(feature)).then_some(Lack::Feature(feature));
        match self {
            Always => None,
            Fp16 => feature(Feature::Fp16),
            Fp64 if options.features.contains(Feature::Fp64LanguageFeature) => None,
            Fp64 => feature(Feature::Fp64),
            Version(first) => version(first),
            Enqueue => version(C20).or_else(|| feature(Feature::DeviceEnqueue)),
            Matrices => feature(Feature::CooperativeMatrix),
            Pipes => version(C20).or_else(|| feature(Feature::Pipes)),
        }
    }
}

/// The row of the constant that has this name.
fn row(name: &str) -> Option<&'static Constant> {
    Some(&TABLE[TABLE.binary_search_by(|constant| constant.name.cmp(name)).ok()?])
}

/// The constant that has this name, if the device and the version define it.
pub(super) fn find(name: &str, options: &Options) -> Option<&'static Constant> {
    row(name).filter(|constant| constant.needs.lack(options).is_none())
}

/// The value of the constant that has this name, if it is an integer.
pub(crate) fn integer(name: &str) -> Option<i128> {
    let constant = row(name)?;
    let value = constant.definition.strip_prefix(constant.name)?;
    value.trim_matches([' ', '(', ')']).parse().ok()
}

/// What is missing for the constant that has this name; `None` if there is none, or if it is defined.
pub(crate) fn lack(name: &str, options: &Options) -> Option<Lack> {
    row(name)?.needs.lack(options)
}

macro_rules! table {
    ($($name:ident $needs:expr, $definition:literal;)*) => {
        &[$(Constant { name: stringify!($name), needs: $needs, definition: $definition }),*]
    };
}

/// Sorted by name, in byte order.
#[rustfmt::skip]
static TABLE: &[Constant] = table! {
    ATOMIC_FLAG_INIT Version(C20), "ATOMIC_FLAG_INIT 0";
    ATOMIC_VAR_INIT Version(C20), "ATOMIC_VAR_INIT(value) (value)";
    CHAR_BIT Always, "CHAR_BIT 8";
    CHAR_MAX Always, "CHAR_MAX 127";
    CHAR_MIN Always, "CHAR_MIN (-127 - 1)";
    CLK_A Always, "CLK_A 0x10B1";
    CLK_ABGR Always, "CLK_ABGR 0x10C3";
    CLK_ADDRESS_CLAMP Always, "CLK_ADDRESS_CLAMP 4";
    CLK_ADDRESS_CLAMP_TO_EDGE Always, "CLK_ADDRESS_CLAMP_TO_EDGE 2";
    CLK_ADDRESS_MIRRORED_REPEAT Always, "CLK_ADDRESS_MIRRORED_REPEAT 8";
    CLK_ADDRESS_NONE Always, "CLK_ADDRESS_NONE 0";
    CLK_ADDRESS_REPEAT Always, "CLK_ADDRESS_REPEAT 6";
    CLK_ARGB Always, "CLK_ARGB 0x10B7";
    CLK_BGRA Always, "CLK_BGRA 0x10B6";
    CLK_COOPERATIVE_MATRIX_A Matrices, "CLK_COOPERATIVE_MATRIX_A 0";
    CLK_COOPERATIVE_MATRIX_ACCUMULATOR Matrices, "CLK_COOPERATIVE_MATRIX_ACCUMULATOR 2";
    CLK_COOPERATIVE_MATRIX_B Matrices, "CLK_COOPERATIVE_MATRIX_B 1";
    CLK_COOPERATIVE_MATRIX_LAYOUT_COLUMN_MAJOR Matrices, "CLK_COOPERATIVE_MATRIX_LAYOUT_COLUMN_MAJOR 1";
    CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR Matrices, "CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR 0";
    CLK_COOPERATIVE_MATRIX_OPERAND_NONE Matrices, "CLK_COOPERATIVE_MATRIX_OPERAND_NONE 0";
    CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP Matrices, "CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP 3";
    CLK_DEPTH Always, "CLK_DEPTH 0x10BD";
    CLK_DEPTH_STENCIL Always, "CLK_DEPTH_STENCIL 0x10BE";
    CLK_DEVICE_QUEUE_FULL Enqueue, "CLK_DEVICE_QUEUE_FULL (-161)";
    CLK_ENQUEUE_FAILURE Enqueue, "CLK_ENQUEUE_FAILURE (-101)";
    CLK_ENQUEUE_FLAGS_NO_WAIT Enqueue, "CLK_ENQUEUE_FLAGS_NO_WAIT 0";
    CLK_ENQUEUE_FLAGS_WAIT_KERNEL Enqueue, "CLK_ENQUEUE_FLAGS_WAIT_KERNEL 1";
    CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP Enqueue, "CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP 2";
    CLK_EVENT_ALLOCATION_FAILURE Enqueue, "CLK_EVENT_ALLOCATION_FAILURE (-100)";
    CLK_FILTER_LINEAR Always, "CLK_FILTER_LINEAR 0x20";
    CLK_FILTER_NEAREST Always, "CLK_FILTER_NEAREST 0x10";
    CLK_FLOAT Always, "CLK_FLOAT 0x10DE";
    CLK_GLOBAL_MEM_FENCE Always, "CLK_GLOBAL_MEM_FENCE 2";
    CLK_HALF_FLOAT Always, "CLK_HALF_FLOAT 0x10DD";
    CLK_IMAGE_MEM_FENCE Always, "CLK_IMAGE_MEM_FENCE 4";
    CLK_INTENSITY Always, "CLK_INTENSITY 0x10B8";
    CLK_INVALID_ARG_SIZE Enqueue, "CLK_INVALID_ARG_SIZE (-51)";
    CLK_INVALID_EVENT_WAIT_LIST Enqueue, "CLK_INVALID_EVENT_WAIT_LIST (-57)";
    CLK_INVALID_NDRANGE Enqueue, "CLK_INVALID_NDRANGE (-160)";
    CLK_INVALID_QUEUE Enqueue, "CLK_INVALID_QUEUE (-102)";
    CLK_LOCAL_MEM_FENCE Always, "CLK_LOCAL_MEM_FENCE 1";
    CLK_LUMINANCE Always, "CLK_LUMINANCE 0x10B9";
    CLK_NORMALIZED_COORDS_FALSE Always, "CLK_NORMALIZED_COORDS_FALSE 0";
    CLK_NORMALIZED_COORDS_TRUE Always, "CLK_NORMALIZED_COORDS_TRUE 1";
    CLK_NULL_EVENT Enqueue, "CLK_NULL_EVENT 0";
    CLK_NULL_QUEUE Enqueue, "CLK_NULL_QUEUE 0";
    CLK_NULL_RESERVE_ID Pipes, "CLK_NULL_RESERVE_ID 0";
    CLK_OUT_OF_RESOURCES Enqueue, "CLK_OUT_OF_RESOURCES (-5)";
    CLK_PROFILING_COMMAND_EXEC_TIME Enqueue, "CLK_PROFILING_COMMAND_EXEC_TIME 1";
    CLK_R Always, "CLK_R 0x10B0";
    CLK_RA Always, "CLK_RA 0x10B3";
    CLK_RG Always, "CLK_RG 0x10B2";
    CLK_RGB Always, "CLK_RGB 0x10B4";
    CLK_RGBA Always, "CLK_RGBA 0x10B5";
    CLK_RGBx Always, "CLK_RGBx 0x10BC";
    CLK_RGx Always, "CLK_RGx 0x10BB";
    CLK_Rx Always, "CLK_Rx 0x10BA";
    CLK_SIGNED_INT16 Always, "CLK_SIGNED_INT16 0x10D8";
    CLK_SIGNED_INT32 Always, "CLK_SIGNED_INT32 0x10D9";
    CLK_SIGNED_INT8 Always, "CLK_SIGNED_INT8 0x10D7";
    CLK_SNORM_INT16 Always, "CLK_SNORM_INT16 0x10D1";
    CLK_SNORM_INT8 Always, "CLK_SNORM_INT8 0x10D0";
    CLK_SUCCESS Enqueue, "CLK_SUCCESS 0";
    CLK_UNORM_INT16 Always, "CLK_UNORM_INT16 0x10D3";
    CLK_UNORM_INT24 Always, "CLK_UNORM_INT24 0x10DF";
    CLK_UNORM_INT8 Always, "CLK_UNORM_INT8 0x10D2";
    CLK_UNORM_INT_101010 Always, "CLK_UNORM_INT_101010 0x10D6";
    CLK_UNORM_INT_101010_2 Always, "CLK_UNORM_INT_101010_2 0x10E0";
    CLK_UNORM_SHORT_555 Always, "CLK_UNORM_SHORT_555 0x10D5";
    CLK_UNORM_SHORT_565 Always, "CLK_UNORM_SHORT_565 0x10D4";
    CLK_UNSIGNED_INT16 Always, "CLK_UNSIGNED_INT16 0x10DB";
    CLK_UNSIGNED_INT32 Always, "CLK_UNSIGNED_INT32 0x10DC";
    CLK_UNSIGNED_INT8 Always, "CLK_UNSIGNED_INT8 0x10DA";
    CLK_sBGRA Always, "CLK_sBGRA 0x10C2";
    CLK_sRGB Always, "CLK_sRGB 0x10BF";
    CLK_sRGBA Always, "CLK_sRGBA 0x10C1";
    CLK_sRGBx Always, "CLK_sRGBx 0x10C0";
    CL_COMPLETE Enqueue, "CL_COMPLETE 0";
    CL_QUEUED Enqueue, "CL_QUEUED 3";
    CL_RUNNING Enqueue, "CL_RUNNING 1";
    CL_SUBMITTED Enqueue, "CL_SUBMITTED 2";
    DBL_DIG Fp64, "DBL_DIG 15";
    DBL_EPSILON Fp64, "DBL_EPSILON 0x1.0p-52";
    DBL_MANT_DIG Fp64, "DBL_MANT_DIG 53";
    DBL_MAX Fp64, "DBL_MAX 0x1.fffffffffffffp1023";
    DBL_MAX_10_EXP Fp64, "DBL_MAX_10_EXP +308";
    DBL_MAX_EXP Fp64, "DBL_MAX_EXP +1024";
    DBL_MIN Fp64, "DBL_MIN 0x1.0p-1022";
    DBL_MIN_10_EXP Fp64, "DBL_MIN_10_EXP -307";
    DBL_MIN_EXP Fp64, "DBL_MIN_EXP -1021";
    DBL_RADIX Fp64, "DBL_RADIX 2";
    FLT_DIG Always, "FLT_DIG 6";
    FLT_EPSILON Always, "FLT_EPSILON 0x1.0p-23f";
    FLT_MANT_DIG Always, "FLT_MANT_DIG 24";
    FLT_MAX Always, "FLT_MAX 0x1.fffffep127f";
    FLT_MAX_10_EXP Always, "FLT_MAX_10_EXP +38";
    FLT_MAX_EXP Always, "FLT_MAX_EXP +128";
    FLT_MIN Always, "FLT_MIN 0x1.0p-126f";
    FLT_MIN_10_EXP Always, "FLT_MIN_10_EXP -37";
    FLT_MIN_EXP Always, "FLT_MIN_EXP -125";
    FLT_RADIX Always, "FLT_RADIX 2";
    FP_ILOGB0 Always, "FP_ILOGB0 (-2147483647 - 1)";
    FP_ILOGBNAN Always, "FP_ILOGBNAN 2147483647";
    HALF_DIG Fp16, "HALF_DIG 3";
    HALF_EPSILON Fp16, "HALF_EPSILON 0x1.0p-10h";
    HALF_MANT_DIG Fp16, "HALF_MANT_DIG 11";
    HALF_MAX Fp16, "HALF_MAX 0x1.ffcp15h";
    HALF_MAX_10_EXP Fp16, "HALF_MAX_10_EXP +4";
    HALF_MAX_EXP Fp16, "HALF_MAX_EXP +16";
    HALF_MIN Fp16, "HALF_MIN 0x1.0p-14h";
    HALF_MIN_10_EXP Fp16, "HALF_MIN_10_EXP -4";
    HALF_MIN_EXP Fp16, "HALF_MIN_EXP -13";
    HALF_RADIX Fp16, "HALF_RADIX 2";
    HUGE_VAL Fp64, "HUGE_VAL HUGE_VAL";
    HUGE_VALF Always, "HUGE_VALF INFINITY";
    INFINITY Always, "INFINITY INFINITY";
    INT_MAX Always, "INT_MAX 2147483647";
    INT_MIN Always, "INT_MIN (-2147483647 - 1)";
    LONG_MAX Always, "LONG_MAX 0x7fffffffffffffffL";
    LONG_MIN Always, "LONG_MIN (-0x7fffffffffffffffL - 1)";
    MAXFLOAT Always, "MAXFLOAT 0x1.fffffep127f";
    M_1_PI Always, "M_1_PI 0.318309886183790671537767526745028724";
    M_1_PI_F Always, "M_1_PI_F 0.318309886183790671537767526745028724f";
    M_1_PI_H Fp16, "M_1_PI_H 0.318309886183790671537767526745028724h";
    M_2_PI Always, "M_2_PI 0.636619772367581343075535053490057448";
    M_2_PI_F Always, "M_2_PI_F 0.636619772367581343075535053490057448f";
    M_2_PI_H Fp16, "M_2_PI_H 0.636619772367581343075535053490057448h";
    M_2_SQRTPI Always, "M_2_SQRTPI 1.128379167095512573896158903121545172";
    M_2_SQRTPI_F Always, "M_2_SQRTPI_F 1.128379167095512573896158903121545172f";
    M_2_SQRTPI_H Fp16, "M_2_SQRTPI_H 1.128379167095512573896158903121545172h";
    M_E Always, "M_E 2.718281828459045235360287471352662498";
    M_E_F Always, "M_E_F 2.718281828459045235360287471352662498f";
    M_E_H Fp16, "M_E_H 2.718281828459045235360287471352662498h";
    M_LN10 Always, "M_LN10 2.302585092994045684017991454684364208";
    M_LN10_F Always, "M_LN10_F 2.302585092994045684017991454684364208f";
    M_LN10_H Fp16, "M_LN10_H 2.302585092994045684017991454684364208h";
    M_LN2 Always, "M_LN2 0.693147180559945309417232121458176568";
    M_LN2_F Always, "M_LN2_F 0.693147180559945309417232121458176568f";
    M_LN2_H Fp16, "M_LN2_H 0.693147180559945309417232121458176568h";
    M_LOG10E Always, "M_LOG10E 0.434294481903251827651128918916605082";
    M_LOG10E_F Always, "M_LOG10E_F 0.434294481903251827651128918916605082f";
    M_LOG10E_H Fp16, "M_LOG10E_H 0.434294481903251827651128918916605082h";
    M_LOG2E Always, "M_LOG2E 1.442695040888963407359924681001892137";
    M_LOG2E_F Always, "M_LOG2E_F 1.442695040888963407359924681001892137f";
    M_LOG2E_H Fp16, "M_LOG2E_H 1.442695040888963407359924681001892137h";
    M_PI Always, "M_PI 3.141592653589793238462643383279502884";
    M_PI_2 Always, "M_PI_2 1.570796326794896619231321691639751442";
    M_PI_2_F Always, "M_PI_2_F 1.570796326794896619231321691639751442f";
    M_PI_2_H Fp16, "M_PI_2_H 1.570796326794896619231321691639751442h";
    M_PI_4 Always, "M_PI_4 0.785398163397448309615660845819875721";
    M_PI_4_F Always, "M_PI_4_F 0.785398163397448309615660845819875721f";
    M_PI_4_H Fp16, "M_PI_4_H 0.785398163397448309615660845819875721h";
    M_PI_F Always, "M_PI_F 3.141592653589793238462643383279502884f";
    M_PI_H Fp16, "M_PI_H 3.141592653589793238462643383279502884h";
    M_SQRT1_2 Always, "M_SQRT1_2 0.707106781186547524400844362104849039";
    M_SQRT1_2_F Always, "M_SQRT1_2_F 0.707106781186547524400844362104849039f";
    M_SQRT1_2_H Fp16, "M_SQRT1_2_H 0.707106781186547524400844362104849039h";
    M_SQRT2 Always, "M_SQRT2 1.414213562373095048801688724209698079";
    M_SQRT2_F Always, "M_SQRT2_F 1.414213562373095048801688724209698079f";
    M_SQRT2_H Fp16, "M_SQRT2_H 1.414213562373095048801688724209698079h";
    NAN Always, "NAN NAN";
    NULL Always, "NULL ((void *)0)";
    SCHAR_MAX Always, "SCHAR_MAX 127";
    SCHAR_MIN Always, "SCHAR_MIN (-127 - 1)";
    SHRT_MAX Always, "SHRT_MAX 32767";
    SHRT_MIN Always, "SHRT_MIN (-32767 - 1)";
    UCHAR_MAX Always, "UCHAR_MAX 255";
    UINT_MAX Always, "UINT_MAX 0xffffffff";
    ULONG_MAX Always, "ULONG_MAX 0xffffffffffffffffUL";
    USHRT_MAX Always, "USHRT_MAX 65535";
    __kernel_exec Always, "__kernel_exec(X, typen) __kernel __attribute__((work_group_size_hint(X, 1, 1))) __attribute__((vec_type_hint(typen)))";
    false Always, "false 0";
    kernel_exec Always, "kernel_exec(X, typen) __kernel __attribute__((work_group_size_hint(X, 1, 1))) __attribute__((vec_type_hint(typen)))";
    memory_order_acq_rel Version(C20), "memory_order_acq_rel 4";
    memory_order_acquire Version(C20), "memory_order_acquire 2";
    memory_order_relaxed Version(C20), "memory_order_relaxed 0";
    memory_order_release Version(C20), "memory_order_release 3";
    memory_order_seq_cst Version(C20), "memory_order_seq_cst 5";
    memory_scope_all_devices Version(C20), "memory_scope_all_devices 3";
    memory_scope_all_svm_devices Version(C20), "memory_scope_all_svm_devices 3";
    memory_scope_device Version(C20), "memory_scope_device 2";
    memory_scope_sub_group Version(C20), "memory_scope_sub_group 4";
    memory_scope_work_group Version(C20), "memory_scope_work_group 1";
    memory_scope_work_item Version(C20), "memory_scope_work_item 0";
    true Always, "true 1";
};

/// The names of the constants that are defined.
pub(super) fn names(options: &Options) -> impl Iterator<Item = &'static str> {
    let defined = TABLE.iter().filter(|constant| constant.needs.lack(options).is_none());
    defined.map(|constant| constant.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_consistent() {
        for pair in TABLE.windows(2) {
            assert!(pair[0].name < pair[1].name, "{} stands before {}", pair[0].name, pair[1].name);
        }
        for constant in TABLE {
            let rest = constant.definition.strip_prefix(constant.name);
            assert!(rest.is_some_and(|rest| rest.starts_with([' ', '('])), "{}", constant.definition);
        }
    }
}
