//! The SPIR-V writer. It only writes.
//!
//! Its input is a module after the last pass: kernels of [`Stage::Raised`](clvk_ir::verify::Stage::Raised),
//! and what [`declare`](crate::passes::declare) found for the module as a whole. An operation of the IR
//! becomes the instruction with the same meaning, plus what its operands need in SPIR-V's types: access
//! chains, pointers made of addresses, the sign of texels, the pair of words of a long product. One SPIR-V
//! module holds one entry point for each kernel.
//!
//! The writer decides nothing and refuses nothing. User errors come from passes; something that a pass should
//! have removed is a panic that names the pass and the instruction. The profile determines only the version
//! to write, and thereby which extensions to name. Each capability is required where the thing that needs it
//! is written.
//!
//! - [`capabilities`]: what grants each capability;
//! - [`writer`]: the module under construction: ids, types, constants, capabilities;
//! - [`kernel`]: an entry point, its variables and interface;
//! - [`functions`]: functions that kernels call, and calls of them;
//! - [`control`]: constructs become blocks, their parameters and results become phis;
//! - [`arithmetic`], [`memory`], [`sub_groups`], [`images`]: instructions;
//! - [`debug`]: where they come from, if that is wanted;
//! - [`reflection`]: what hosts of clspv are told.
//!
//! The work-group size is the built-in `WorkgroupSize`, a vector of the specialisation constants 0, 1 and 2,
//! for all kernels of a module. The host always sets them, also for a kernel whose source requires a size.
//! Where kernels use sub-groups, a work-group is one row, as long as the product of the constants, because
//! only then does Vulkan specify which work-items share a sub-group.

pub mod arithmetic;
mod capabilities;
pub mod control;
pub mod debug;
mod decorations;
pub mod functions;
mod images;
mod kernel;
mod matrices;
#[cfg(test)]
mod matrix_tests;
pub mod memory;
mod reflection;
pub mod sub_groups;
#[cfg(test)]
mod tests;
pub mod writer;

use crate::lines::LineTable;
use crate::passes::declare::{Declarations, MemoryModel};
use clvk_interface::{DeviceProfile, ModuleInterface, Preference};
use clvk_ir::{Func, Module};
use debug::Debug;
use rspirv::spirv::{self, Word};
use rustc_hash::{FxHashMap, FxHashSet};
use writer::Writer;

/// Writes the kernels of a module. A module without kernels gives no words, because a Vulkan module needs an
/// entry point.
///
/// # Panics
/// If a pass has left something that SPIR-V does not have, or that the profile does not grant.
pub fn emit(
    module: &Module,
    interface: &ModuleInterface,
    declarations: &Declarations,
    profile: &DeviceProfile,
    lines: Option<&LineTable>,
) -> Vec<u32> {
    let model = match declarations.memory_model {
        MemoryModel::Glsl => spirv::MemoryModel::GLSL450,
        MemoryModel::Vulkan => spirv::MemoryModel::Vulkan,
    };
    let mut writer = Writer::new(profile.spirv, interface.addressing, model);
    writer.reflection_spec_ids(declarations.reflection.as_ref());
    writer.marks_constants = profile.prefers(Preference::ReadOnlyLoads);
    writer.flat = interface.kernels.iter().any(|kernel| kernel.sub_groups);
    let debug = lines.map(|lines| {
        let names = lines.files.iter().map(|_| writer.id()).collect();
        Debug::new(&mut writer.module, names, lines, lines.language_version)
    });
    let called = module.functions.iter().filter(|(_, function)| function.kernel.is_none());
    let called: Vec<_> = called.map(|(func, function)| (func, function, writer.id())).collect();
    writer.functions = called.iter().map(|&(func, _, id)| (func, id)).collect();
    let mut used: FxHashMap<Func, Vec<Word>> = FxHashMap::default();
    let coherent = coherent_functions(module, declarations);
    for (func, function, id) in called {
        let coherent = coherent.contains(&func);
        used.insert(func, functions::write(&mut writer, function, id, coherent, debug.as_ref()));
    }
    for kernel in module.kernels() {
        let function = &module.functions[kernel];
        let reached = module.reachable([kernel]);
        let mut others: Vec<Word> =
            reached.iter().filter_map(|func| used.get(func)).flatten().copied().collect();
        others.sort_unstable();
        others.dedup();
        kernel::write(&mut writer, function, others, &declarations.kernels[&kernel], debug.as_ref());
    }
    let reflection = declarations.reflection.as_ref().map(|it| reflection::write(&mut writer, it));
    if interface.kernels.is_empty() { Vec::new() } else { writer.finish(profile, reflection) }
}

/// The kernels whose accesses to buffers others must see at once, and the functions that they call.
fn coherent_functions(module: &Module, declarations: &Declarations) -> FxHashSet<Func> {
    let kernels = declarations.kernels.iter().filter(|(_, declarations)| declarations.coherent);
    module.reachable(kernels.map(|(&kernel, _)| kernel))
}
