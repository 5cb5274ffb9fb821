//! Refuses what the device lacks.

use crate::TranslateError;
use clvk_interface::DeviceProfile;
use clvk_ir::{Function, ImageOp, InstData, Op, Scalar, Type, VariableSpace};
use std::collections::BTreeSet;

/// The features that a kernel needs and the device lacks, each once.
pub fn check(function: &Function, profile: &DeviceProfile) -> Vec<TranslateError> {
    let mut errors = Vec::new();
    let mut reported = BTreeSet::new();
    function.walk(|_, data| {
        for (what, feature) in lacking(function, profile, data) {
            if reported.insert((what, feature)) {
                errors.push(TranslateError {
                    kernel: Some(function.name.clone()),
                    message: format!("kernel `{}` {what}; the device has no {feature}", function.name),
                    span: data.span,
                });
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
        _ => {}
    }
    lacking
}

fn lacking_atomic(
    function: &Function,
    profile: &DeviceProfile,
    data: &InstData,
) -> Option<(&'static str, &'static str)> {
    let value = data.results.first().copied().unwrap_or(data.operands[1]);
    if function.ty(value).scalar().map_or(0, Scalar::bits) != 64 {
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
