//! What naga's languages, and WebGPU's devices, have no room for.

use crate::TranslateError;
use clvk_interface::DeviceProfile;
use clvk_ir::{
    AtomicOp, EntityId, Function, ImageDimension, ImageOp, ImageType, InstData, Op, Type, VariableSpace,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// Nested braces of a function. WGSL allows 127, and naga adds some of its own.
const DEEPEST_NESTING: u32 = 110;

/// The reasons why a kernel has no translation.
pub fn check(function: &Function, profile: &DeviceProfile) -> Vec<TranslateError> {
    let mut errors = Vec::new();
    let refuse = |problem: String| TranslateError::of_kernel(function, problem);
    if nesting(function) > DEEPEST_NESTING {
        let problem =
            format!("nests more than {DEEPEST_NESTING} control structures, and WGSL allows few more");
        errors.push(refuse(problem));
    }
    let buffers = storage_buffers(function);
    if profile.max_storage_buffers != 0 && buffers > profile.max_storage_buffers {
        let limit = profile.max_storage_buffers;
        let problem = format!("uses {buffers} buffers; the device's limit is {limit}");
        errors.push(refuse(problem).needs("maxPerStageDescriptorStorageBuffers"));
    }
    if mixes_signs(function) {
        let problem = "has atomic minima or maxima of signed and of unsigned numbers in one buffer, and WGSL's \
                       atomic numbers have one sign";
        errors.push(refuse(problem.to_owned()).remedy("use two buffers"));
    }
    let mut texels: FxHashMap<u32, ImageType> = FxHashMap::default();
    let mut seen = FxHashSet::default();
    function.walk(|_, data| {
        if let Some(problem) = image_problem(function, data, &mut texels)
            && seen.insert(problem)
        {
            errors.push(refuse(problem.to_owned()).at(data.span));
        }
    });
    errors
}

/// The depth of braces: a `switch` has those of its cases, too.
fn nesting(function: &Function) -> u32 {
    let mut deepest = 0;
    let mut pending: Vec<_> = function.body.map(|body| (body, 1)).into_iter().collect();
    while let Some((region, depth)) = pending.pop() {
        deepest = deepest.max(depth);
        for &inst in &function.regions[region].insts {
            let data = &function.insts[inst];
            let inner =
                depth + if matches!(data.op, Op::Switch(_) | Op::Block | Op::Loop(_)) { 2 } else { 1 };
            pending.extend(data.regions.iter().map(|&nested| (nested, inner)));
        }
    }
    deepest
}

/// The number of storage buffers that the kernel uses.
fn storage_buffers(function: &Function) -> u32 {
    let mut bindings = FxHashSet::default();
    function.walk(|_, data| {
        if let Op::ElementPointer(variable) = data.op
            && let VariableSpace::StorageBuffer { binding, .. } = function.variables[variable].space
        {
            bindings.insert(binding);
        }
    });
    bindings.len() as u32
}

/// Whether the numbers in one array are compared as signed and as unsigned ones.
fn mixes_signs(function: &Function) -> bool {
    let mut signs: BTreeMap<usize, (bool, bool)> = BTreeMap::new();
    function.walk(|_, data| {
        let Op::AtomicRmw { op, .. } = data.op else { return };
        let made = function.defining_inst(data.operands[0]).map(|inst| &function.insts[inst].op);
        let Some(Op::ElementPointer(variable)) = made else { return };
        let (signed, unsigned) = signs.entry(variable.index()).or_default();
        *signed |= matches!(op, AtomicOp::SMin | AtomicOp::SMax);
        *unsigned |= matches!(op, AtomicOp::UMin | AtomicOp::UMax);
    });
    signs.values().any(|&(signed, unsigned)| signed && unsigned)
}

/// What is wrong with an instruction on images. `texels` has the type of each image so far.
fn image_problem(
    function: &Function,
    data: &InstData,
    texels: &mut FxHashMap<u32, ImageType>,
) -> Option<&'static str> {
    match data.op {
        Op::ImageBinding { binding } => {
            let Type::Image(image) = function.ty(data.results[0]) else { return None };
            let known = *texels.entry(binding).or_insert(image);
            (known != image).then_some("uses one image as numbers of several types, which WGSL cannot")
        }
        Op::Image(op) => {
            let Type::Image(image) = function.ty(data.operands[0]) else { return None };
            let one_dimension = matches!(
                image.dimension,
                ImageDimension::D1 | ImageDimension::D1Array | ImageDimension::D1Buffer
            );
            match op {
                ImageOp::Read { .. } if image.writable => {
                    Some("reads an image that it may also write, which WGSL cannot in most formats")
                }
                ImageOp::Write { .. } if data.operands.len() > 3 => {
                    Some("writes to a level of detail that it chooses, which WGSL cannot")
                }
                _ if image.dimension == ImageDimension::D1 && op != ImageOp::SampledRead => None,
                _ if one_dimension => Some("uses a one-dimensional image in a way that WGSL lacks"),
                _ => None,
            }
        }
        _ => None,
    }
}
