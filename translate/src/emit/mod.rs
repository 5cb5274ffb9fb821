//! The SPIR-V writer.
//!
//! It expects modules after the last pass: kernels without parameters, typed memory, exits that SPIR-V has, and
//! only operations that the profile has. One SPIR-V module holds one entry point for each kernel. Nothing is decided
//! here that changes what a kernel computes; each capability is required where the thing that needs it is written.
//!
//! - [`capabilities`]: what grants each capability;
//! - [`writer`]: the module under construction: ids, types, constants, capabilities;
//! - [`kernel`]: an entry point, its variables and interface;
//! - [`control`]: constructs become blocks, their parameters and results become phis;
//! - [`arithmetic`], [`memory`], [`sub_groups`], [`images`]: instructions.
//!
//! Modules whose kernels order their accesses with those of other work-groups are written in Vulkan's memory model, where the
//! device has it; all others in that of GLSL.
//!
//! The work-group size is the built-in `WorkgroupSize`, a vector of the specialisation constants 0, 1 and 2, for all
//! kernels of a module: the host always sets them, also for a kernel whose size is required by its source. Where kernels use
//! sub-groups, work-groups are one row of the product of the constants: only then Vulkan says which work-items are together.

mod arithmetic;
mod capabilities;
mod control;
mod images;
mod kernel;
mod memory;
mod sub_groups;
#[cfg(test)]
mod tests;
mod writer;

use crate::TranslateError;
use clvk_interface::{CompiledModule, DeviceProfile, ModuleInterface};
use clvk_ir::Module;
use writer::Writer;

/// Writes the kernels of a module. Where there are none, neither are there words: Vulkan has no module without an entry
/// point.
///
/// # Errors
/// What a kernel needs and no pass or writer has.
pub fn emit(
    module: &Module,
    interface: ModuleInterface,
    profile: &DeviceProfile,
) -> Result<CompiledModule, Vec<TranslateError>> {
    let mut writer = Writer::new(profile, interface.addressing, memory::model(module, profile));
    let mut errors = Vec::new();
    writer.flat = interface.kernels.iter().any(|kernel| kernel.sub_groups);
    for kernel in module.kernels() {
        if let Err(error) = kernel::write(&mut writer, &module.functions[kernel], &interface) {
            errors.push(error);
        }
    }
    errors.extend(writer.refused_capabilities());
    if !errors.is_empty() {
        return Err(errors);
    }
    let spirv = if interface.kernels.is_empty() { Vec::new() } else { writer.finish() };
    Ok(CompiledModule { spirv, interface })
}
