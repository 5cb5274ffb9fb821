//! The library functions that SPIR-V for OpenCL has an instruction for.
//!
//! The front end calls a built-in function as `__clvk_<stem>_<type>`. A device with OpenCL brings its own
//! built-in functions, so a module for it calls those: [`counterpart`] names the instruction. What it does
//! not know is linked from the library and stays a function.

use clvk_ir::GroupArithmetic;
use rspirv::spirv::{GroupOperation, OpenclStd100Op as Std};
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// What a library function is in SPIR-V for OpenCL. Operands are those of the function unless stated
/// otherwise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Counterpart {
    /// An instruction of `OpenCL.std`.
    Extended(Std),
    /// A quotient.
    Divide,
    /// A reduction or scan of a work-group; its last operand, the scratch memory, is not used.
    WorkGroup(GroupOperation, GroupArithmetic),
    /// The value of one work-item of a work-group, by its three local ids; again with scratch memory.
    WorkGroupBroadcast,
    /// A texel read through a sampler.
    Sample(Sample),
    /// A colour with the image's format, which the device converts by itself: the first operand.
    Colour,
}

/// How an image is read through a sampler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The texels' type.
    pub texel: Texel,
    /// What decides the level of detail.
    pub level: Level,
}

/// The texels that a read gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Texel {
    Float,
    Half,
    Signed,
    Unsigned,
}

/// What decides the level of detail of a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// It is the first one.
    First,
    /// The last operand.
    Given,
    /// The gradients, which are the last two operands.
    Gradients,
}

/// The counterpart of a library function, if it has one.
#[must_use]
pub fn counterpart(name: &str) -> Option<Counterpart> {
    let stem_and_type = name.strip_prefix("__clvk_")?;
    if let Some(rest) = stem_and_type.strip_prefix("work_group_") {
        return of_work_group(rest);
    }
    if let Some(rest) = stem_and_type.strip_prefix("read_image") {
        return sample(rest).map(Counterpart::Sample);
    }
    let (stem, ty) = stem_and_type.rsplit_once('_')?;
    let is_number = matches!(ty.as_bytes(), [b'f' | b'i' | b'u', width @ ..]
        if matches!(width, b"8" | b"16" | b"32" | b"64"));
    if !is_number {
        return None;
    }
    match stem {
        "encoded" | "decoded" | "saturated" => return Some(Counterpart::Colour),
        "divide" | "divide_exact" => return Some(Counterpart::Divide),
        "sqrt_exact" => return Some(Counterpart::Extended(Std::sqrt)),
        _ => {}
    }
    // Those on integers say in front whether they are signed.
    let signed = match ty.as_bytes()[0] {
        b'i' => "s_",
        b'u' => "u_",
        _ => "",
    };
    let names = [format!("{signed}{stem}"), stem.to_owned()];
    names.iter().find_map(|name| EXTENDED.get(name.as_str())).map(|&op| Counterpart::Extended(op))
}

/// The instructions of `OpenCL.std` by name.
static EXTENDED: LazyLock<FxHashMap<String, Std>> = LazyLock::new(|| {
    const LAST: u32 = 255;
    (0..=LAST).filter_map(Std::from_u32).map(|op| (format!("{op:?}"), op)).collect()
});

/// `<reduce|scan_inclusive|scan_exclusive>_<operation>_<type>`, or `broadcast_<type>`.
fn of_work_group(rest: &str) -> Option<Counterpart> {
    let (rest, ty) = rest.rsplit_once('_')?;
    if rest == "broadcast" {
        return Some(Counterpart::WorkGroupBroadcast);
    }
    let (participants, operation) = rest.rsplit_once('_')?;
    let participants = match participants {
        "reduce" => GroupOperation::Reduce,
        "scan_inclusive" => GroupOperation::InclusiveScan,
        "scan_exclusive" => GroupOperation::ExclusiveScan,
        _ => return None,
    };
    let (is_float, is_signed) = (ty.starts_with('f'), ty.starts_with('i'));
    let operation = match (operation, is_float, is_signed) {
        ("add", true, _) => GroupArithmetic::FAdd,
        ("add", ..) => GroupArithmetic::Add,
        ("mul", true, _) => GroupArithmetic::FMul,
        ("mul", ..) => GroupArithmetic::Mul,
        ("min", true, _) => GroupArithmetic::FMin,
        ("min", _, true) => GroupArithmetic::SMin,
        ("min", ..) => GroupArithmetic::UMin,
        ("max", true, _) => GroupArithmetic::FMax,
        ("max", _, true) => GroupArithmetic::SMax,
        ("max", ..) => GroupArithmetic::UMax,
        ("and", false, _) => GroupArithmetic::And,
        ("or", false, _) => GroupArithmetic::Or,
        ("xor", false, _) => GroupArithmetic::Xor,
        _ => return None,
    };
    Some(Counterpart::WorkGroup(participants, operation))
}

/// `<f|h|i|ui>_<shape>_<coordinates>`.
fn sample(rest: &str) -> Option<Sample> {
    let texel = match rest.split_once('_')?.0 {
        "f" => Texel::Float,
        "h" => Texel::Half,
        "i" => Texel::Signed,
        "ui" => Texel::Unsigned,
        _ => return None,
    };
    let level = match rest.rsplit_once('_')?.1 {
        "f32" | "i32" => Level::First,
        "level" => Level::Given,
        "gradients" => Level::Gradients,
        _ => return None,
    };
    Some(Sample { texel, level })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_library_have_counterparts() {
        use Counterpart::Extended;
        let of = |name: &str| counterpart(&format!("__clvk_{name}"));
        assert_eq!(of("sin_f32"), Some(Extended(Std::sin)));
        assert_eq!(of("native_exp10_f32"), Some(Extended(Std::native_exp10)));
        assert_eq!(of("mad_sat_i8"), Some(Extended(Std::s_mad_sat)));
        assert_eq!(of("mad_sat_u64"), Some(Extended(Std::u_mad_sat)));
        assert_eq!(of("nan_u32"), Some(Extended(Std::nan)));
        assert_eq!(of("sqrt_exact_f32"), Some(Extended(Std::sqrt)));
        assert_eq!(of("divide_f64"), Some(Counterpart::Divide));
        let sum = Counterpart::WorkGroup(GroupOperation::ExclusiveScan, GroupArithmetic::FAdd);
        assert_eq!(of("work_group_scan_exclusive_add_f32"), Some(sum));
        let greatest = Counterpart::WorkGroup(GroupOperation::Reduce, GroupArithmetic::UMax);
        assert_eq!(of("work_group_reduce_max_u64"), Some(greatest));
        let sample = Sample { texel: Texel::Unsigned, level: Level::Gradients };
        assert_eq!(of("read_imageui_2d_array_depth_gradients"), Some(Counterpart::Sample(sample)));
        assert_eq!(of("encoded_f32"), Some(Counterpart::Colour));
    }

    #[test]
    fn others_have_none() {
        let names =
            ["__clvk_bit_reverse_u32", "__clvk_print_place", "sin_f32", "__clvk_async_copy_to_local_4"];
        for name in names {
            assert_eq!(counterpart(name), None, "{name}");
        }
    }
}
