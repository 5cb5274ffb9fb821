//! Refuses what the device lacks.

use crate::TranslateError;
use clvk_interface::DeviceProfile;
use clvk_ir::{Function, Inst, InstData, Op, Scalar, Type, VariableSpace};
use std::collections::BTreeSet;

/// The features that a kernel needs and the device lacks, each once.
pub fn check(function: &Function, profile: &DeviceProfile) -> Vec<TranslateError> {
    let mut errors = Vec::new();
    let mut reported = BTreeSet::new();
    function.walk(|inst, data| {
        for (what, feature) in lacking(function, profile, inst, data) {
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
    inst: Inst,
    data: &InstData,
) -> Vec<(&'static str, &'static str)> {
    let _ = inst;
    let mut lacking = Vec::new();
    for &value in data.results.iter().chain(&data.operands) {
        lacking.extend(lacking_type(function.ty(value), profile));
    }
    let accessed = match data.op {
        Op::Load { .. } => Some((function.ty(data.results[0]), "reads")),
        Op::Store { .. } => Some((function.ty(data.operands[1]), "stores")),
        _ => None,
    };
    if let Some((ty, verb)) = accessed.filter(|_| is_buffer(function, data)) {
        match (ty.scalar().map_or(0, Scalar::bits), verb) {
            (8, "reads") if !profile.storage_8bit => {
                lacking.push(("reads 8-bit values", "storageBuffer8BitAccess"))
            }
            (8, _) if !profile.storage_8bit => {
                lacking.push(("stores 8-bit values", "storageBuffer8BitAccess"))
            }
            (16, "reads") if !profile.storage_16bit => {
                lacking.push(("reads 16-bit values", "storageBuffer16BitAccess"));
            }
            (16, _) if !profile.storage_16bit => {
                lacking.push(("stores 16-bit values", "storageBuffer16BitAccess"))
            }
            _ => {}
        }
    }
    lacking
}

fn lacking_type(ty: Type, profile: &DeviceProfile) -> Option<(&'static str, &'static str)> {
    match ty.scalar()? {
        Scalar::I8 if !profile.int8 => Some(("computes with 8-bit integers", "shaderInt8")),
        Scalar::I16 if !profile.int16 => Some(("computes with 16-bit integers", "shaderInt16")),
        Scalar::I64 if !profile.int64 => Some(("computes with 64-bit integers", "shaderInt64")),
        Scalar::F16 if !profile.float16 => Some(("computes in half precision", "shaderFloat16")),
        Scalar::F64 if !profile.float64 => Some(("computes in double precision", "shaderFloat64")),
        _ => None,
    }
}

/// Whether a load or store goes to a buffer.
fn is_buffer(function: &Function, data: &InstData) -> bool {
    match function.defining_inst(data.operands[0]).map(|inst| &function.insts[inst].op) {
        Some(Op::ElementPointer(variable)) => {
            matches!(function.variables[*variable].space, VariableSpace::StorageBuffer { .. })
        }
        _ => true,
    }
}
