//! Refuses what the device lacks and no earlier step replaced.

use crate::TranslateError;
use clvk_interface::DeviceProfile;
use clvk_ir::{Function, ImageOp, InstData, Op, Scalar, Scope, Type, VariableSpace};
use std::collections::BTreeSet;

/// The features that a kernel needs and the device lacks, each once.
pub fn check(function: &Function, profile: &DeviceProfile) -> Vec<TranslateError> {
    let mut errors = Vec::new();
    let mut reported = BTreeSet::new();
    function.walk(|_, data| {
        for (what, feature) in lacking(function, profile, data) {
            if reported.insert((what, feature)) {
                let problem = format!("{what}; the device has no {feature}");
                errors.push(TranslateError::of_kernel(function, problem).at(data.span).needs(feature));
            }
        }
    });
    errors
}

fn lacking(
    function: &Function,
    profile: &DeviceProfile,
    data: &InstData,
) -> Vec<(&'static str, &'static str)> {
    let mut lacking = Vec::new();
    for &value in data.results.iter().chain(&data.operands) {
        lacking.extend(lacking_type(function.ty(value), profile));
    }
    match data.op {
        Op::AtomicRmw { .. }
        | Op::AtomicCompareExchange { .. }
        | Op::AtomicLoad { .. }
        | Op::AtomicStore { .. } => {
            lacking.extend(lacking_atomic(function, profile, data));
        }
        Op::Image(ImageOp::Write { .. }) if !profile.image_write_without_format => {
            lacking.push(("writes images", "shaderStorageImageWriteWithoutFormat"));
        }
        Op::Image(ImageOp::Read { .. })
            if is_storage_image(function, data) && !profile.image_read_without_format =>
        {
            lacking.push(("reads images that it may also write", "shaderStorageImageReadWithoutFormat"));
        }
        Op::ReadClock(Scope::Device) if !profile.device_clock => {
            lacking.push(("reads the device's clock", "shaderDeviceClock"));
        }
        Op::ReadClock(Scope::SubGroup) if !profile.subgroup_clock => {
            lacking.push(("reads the sub-group's clock", "shaderSubgroupClock"));
        }
        Op::Math(op)
            if op.is_single_only() && function.ty(data.operands[0]).scalar() == Some(Scalar::F64) =>
        {
            lacking.push(("uses native functions in double precision", "such functions"));
        }
        _ => {}
    }
    lacking
}

fn lacking_atomic(
    function: &Function,
    profile: &DeviceProfile,
    data: &InstData,
) -> Option<(&'static str, &'static str)> {
    let value = data.results.first().copied().unwrap_or_else(|| data.operands[1]);
    // Sums of doubles exist only where the device has doubles.
    if function.ty(value).scalar() != Some(Scalar::I64) {
        return None;
    }
    match (is_local(function, data), profile.buffer_int64_atomics, profile.shared_int64_atomics) {
        (true, _, false) => {
            Some(("has 64-bit atomic operations on local memory", "shaderSharedInt64Atomics"))
        }
        (false, false, _) => {
            Some(("has 64-bit atomic operations on global memory", "shaderBufferInt64Atomics"))
        }
        _ => None,
    }
}

fn is_storage_image(function: &Function, data: &InstData) -> bool {
    matches!(function.ty(data.operands[0]), Type::Image(image) if image.writable)
}

fn lacking_type(ty: Type, profile: &DeviceProfile) -> Option<(&'static str, &'static str)> {
    match ty.scalar()? {
        Scalar::I8 if !profile.int8 => Some(("computes with 8-bit integers", "shaderInt8")),
        Scalar::I16 if !profile.int16 => Some(("computes with 16-bit integers", "shaderInt16")),
        Scalar::I64 if !profile.int64 => Some(("computes with 64-bit integers", "shaderInt64")),
        Scalar::F16 if !profile.native_half() => Some(("computes in half precision", "shaderFloat16")),
        Scalar::F64 if !profile.float64 => Some(("computes in double precision", "shaderFloat64")),
        _ => None,
    }
}

/// Whether a pointer operand points into local memory.
fn is_local(function: &Function, data: &InstData) -> bool {
    match function.defining_inst(data.operands[0]).map(|inst| &function.insts[inst].op) {
        Some(Op::ElementPointer(variable)) => function.variables[*variable].space == VariableSpace::Local,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::{TranslateOptions, translate};
    use clvk_interface::DeviceProfile;
    use clvk_ir::{container::Library, text::parse_module};

    /// The errors of translating a module for a modified device, one message a line.
    fn refusals(text: &str, change: impl FnOnce(&mut DeviceProfile)) -> String {
        let mut profile = DeviceProfile::preset("nvidia-h200").expect("a preset");
        change(&mut profile);
        let module = parse_module(text).expect("the text is right");
        match translate(module, &Library::empty(), &profile, &TranslateOptions::default()) {
            Ok(_) => String::new(),
            Err(errors) => errors.into_iter().map(|error| format!("{error}\n")).collect(),
        }
    }

    const GLOBAL_ATOMICS: &str = r#"kernel @k(
  %0: ptr.global "p" "long*" buffer element i64 signed,
) {
  %1: i64 = atomic.add %0, 1:i64 order relaxed scope device
  %2: i64 = atomic.add %0, 2:i64 order relaxed scope device
  return
}
"#;
    const LOCAL_ATOMICS: &str = r#"kernel @k(
  %0: ptr.local "p" "long*" local element i64 signed,
) {
  %1: i64 = atomic.add %0, 1:i64 order relaxed scope workgroup
  return
}
"#;

    #[test]
    fn atomic_operations_of_64_bits_need_a_feature_for_each_memory() {
        let without_global = |profile: &mut DeviceProfile| profile.buffer_int64_atomics = false;
        let without_local = |profile: &mut DeviceProfile| profile.shared_int64_atomics = false;
        let global = "kernel `k` has 64-bit atomic operations on global memory; the device has no shaderBufferInt64Atomics\n";
        let local = "kernel `k` has 64-bit atomic operations on local memory; the device has no shaderSharedInt64Atomics\n";
        assert_eq!(refusals(GLOBAL_ATOMICS, without_global), global);
        assert_eq!(refusals(LOCAL_ATOMICS, without_local), local);
        assert_eq!(refusals(GLOBAL_ATOMICS, without_local), "");
        assert_eq!(refusals(LOCAL_ATOMICS, without_global), "");
        // Without the integers, there is one error for each operation, at the operation.
        let wide = "kernel `k` has 64-bit atomic operations; the device has no shaderInt64\n";
        let without_integers = |profile: &mut DeviceProfile| profile.int64 = false;
        assert_eq!(refusals(GLOBAL_ATOMICS, without_integers), wide.repeat(2));
        assert_eq!(refusals(LOCAL_ATOMICS, without_integers), wide);
        // Operations of 32 bits need neither.
        let smaller = GLOBAL_ATOMICS.replace("i64", "i32");
        let without_either = |profile: &mut DeviceProfile| {
            without_global(profile);
            without_local(profile);
        };
        assert_eq!(refusals(&smaller, without_either), "");
    }

    #[test]
    fn what_no_device_or_only_some_have_is_named() {
        let body = |line: &str| format!("kernel @k() {{\n  {line}\n  return\n}}\n");
        let says = |line: &str, change: fn(&mut DeviceProfile)| refusals(&body(line), change);
        let on_device = "%0: i32x2 = clock.device";
        assert_eq!(says(on_device, |profile| profile.subgroup_clock = false), "");
        let message = "kernel `k` reads the device's clock; the device has no shaderDeviceClock\n";
        assert_eq!(says(on_device, |profile| profile.device_clock = false), message);
        let in_sub_group = "%0: i32x2 = clock.subgroup";
        assert_eq!(says(in_sub_group, |profile| profile.device_clock = false), "");
        let message = "kernel `k` reads the sub-group's clock; the device has no shaderSubgroupClock\n";
        assert_eq!(says(in_sub_group, |profile| profile.subgroup_clock = false), message);
    }

    const IMAGES: &str = r#"kernel @k(
  %0: image.d2.rw.unknown "i" "image2d_t" image.d2.rw.unknown,
  %1: image.d2.w.unknown "o" "image2d_t" image.d2.w.unknown,
) {
  image.write %1, <1, 2>:i32x2, <1.0, 1.0, 1.0, 1.0>:f32x4
  %2: f32x4 = image.read %0, <0, 0>:i32x2 signed
  image.write %1, <2, 2>:i32x2, %2
  return
}
"#;

    #[test]
    fn storage_images_are_read_and_written_without_a_format() {
        let writes = "kernel `k` writes images; the device has no shaderStorageImageWriteWithoutFormat\n";
        let reads = "kernel `k` reads images that it may also write; the device has no shaderStorageImageReadWithoutFormat\n";
        assert_eq!(refusals(IMAGES, |_| {}), "");
        assert_eq!(refusals(IMAGES, |profile| profile.image_write_without_format = false), writes);
        assert_eq!(refusals(IMAGES, |profile| profile.image_read_without_format = false), reads);
        // Images that are only read are not storage images.
        let read_only = IMAGES.replace("d2.rw", "d2.r");
        assert_eq!(refusals(&read_only, |profile| profile.image_read_without_format = false), "");
    }
}
