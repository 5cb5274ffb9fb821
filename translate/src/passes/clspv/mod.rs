//! How hosts of clspv launch kernels ([`clvk_interface::clspv`]), in place of our own way.
//!
//! Two passes stand around `lower-launch`, which knows nothing of them, and a third one ends the pipeline.
//! Without [`TranslateOptions::clspv`](crate::TranslateOptions) none of them does anything.
//!
//! - [`mod@queries`] answers what kernels ask about their launch, from inputs, specialisation constants, and
//!   words at the same place for all kernels.
//! - [`mod@arguments`] moves what `lower-launch` placed: buffers begin where their descriptors do, values
//!   stand after the words or in a storage buffer, and images tell their sizes themselves.
//! - [`mod@reflect`] tells the host all of it, as [`Reflection`](clvk_interface::clspv::Reflection).
//!
//! # Descriptor sets
//! The program's samplers have set 0, the arguments of all kernels the next one, and the program's variables
//! the one after that. Sets that no kernel needs do not count. A binding number of the IR holds the set in
//! its high half ([`clvk_ir::descriptor`]).

mod arguments;
mod queries;
mod reflect;

use super::Context;
use crate::TranslateError;
use clvk_interface::clspv::{ArgumentPlace, ClspvLaunch, LaunchWords, ReflectedWord, VariablesPlace};
use clvk_interface::{DeviceProfile, ProgramSampler};
use clvk_ir::{AddressSpace, Function, KernelInfo};

/// Until [`mod@arguments`] places the values, the words of the launch have offsets from here. No argument
/// reaches them ([`profile`]).
const LAUNCH_WORDS: u32 = 1 << 24;

/// What the passes tell each other.
#[derive(Default)]
pub struct Convention {
    /// Where the words of the launch go.
    words: Vec<(LaunchWords, u32)>,
    /// The end of what all kernels share in the push constants.
    shared_end: u32,
    /// The next free specialisation constant.
    spec_id: u32,
    work_dim: Option<u32>,
    global_offset: Option<u32>,
    samplers: Vec<ProgramSampler>,
    variables: Option<VariablesPlace>,
    kernels: Vec<KernelPlan>,
}

/// What is decided for one kernel.
struct KernelPlan {
    /// As the front end made it.
    info: KernelInfo,
    /// The memory that each parameter points to.
    spaces: Vec<Option<AddressSpace>>,
    places: Vec<ArgumentPlace>,
    words: Vec<ReflectedWord>,
}

/// The profile with which `lower-launch` puts all values into push constants, from where they are moved.
pub fn profile(profile: &DeviceProfile) -> DeviceProfile {
    DeviceProfile { max_push_constants: LAUNCH_WORDS, ..profile.clone() }
}

/// Answers the queries.
///
/// # Errors
/// Parameters that hosts of clspv cannot pass.
pub fn queries(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    match &context.options.clspv {
        Some(launch) => queries::run(context.module, launch, &mut context.clspv),
        None => Ok(()),
    }
}

/// Places the arguments.
///
/// # Errors
/// What hosts of clspv do not provide.
pub fn arguments(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    match context.options.clspv.clone() {
        Some(launch) => arguments::run(context, &launch),
        None => Ok(()),
    }
}

/// Writes down how kernels are launched.
///
/// # Errors
/// None.
pub fn reflect(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    if let Some(launch) = context.options.clspv.clone() {
        context.declarations.reflection = Some(reflect::run(context, &launch));
    }
    Ok(())
}

/// A refusal: the vocabulary of the reflection has no word for it.
fn refusal(function: &Function, problem: &str, remedy: &str) -> TranslateError {
    TranslateError::of_kernel(function, problem).remedy(remedy)
}

/// Whether the global offset is among the words of the launch, where the host sets one.
fn offset_is_pushed(launch: &ClspvLaunch) -> bool {
    launch.non_uniform || launch.global_offset_in_push_constants
}
