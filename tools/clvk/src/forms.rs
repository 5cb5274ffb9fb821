//! The two forms of kernels: buffers through descriptors, where that is faster, and through addresses.

use crate::{Compiler, Error, Object, Program};
use clvk_interface::{
    AddressingMode, ArgumentKind, BufferLocation, DeviceProfile, KernelInterface, Preference,
};
use clvk_translate::{TranslateOptions, kernels_with_constants, kernels_with_vectors, kernels_without_state};
use std::collections::HashSet;

/// The kernels of a program, each in the form that is preferred for it.
pub struct Forms {
    /// Those that reach buffers through descriptors. Launches of them take buffers of at most
    /// `max_storage_buffer_range` bytes, and no addresses. For other arguments, [`Compiler::translate`] makes
    /// the same kernels with addresses ([`Compiler::with_kernels`]).
    pub bound: Option<Program>,
    /// All others.
    pub others: Option<Program>,
}

impl Compiler {
    /// Translates an object for the device, each kernel in the form that is faster there: it reaches buffers
    /// through descriptors if the device prefers that ([`Preference`]) and nobody can tell the difference
    /// from addresses. Elsewhere there are only [`Forms::others`].
    ///
    /// # Errors
    /// As for [`Compiler::translate`].
    pub fn translate_forms(&self, object: &Object) -> Result<Forms, Error> {
        let all = self.wanted(object);
        let Some((bound, names)) = self.through_descriptors(object, &all) else {
            return Ok(Forms { bound: None, others: Some(self.translate(object)?) });
        };
        let names: HashSet<String> = names.into_iter().collect();
        let rest: Vec<&String> = all.iter().filter(|name| !names.contains(*name)).collect();
        let translate_rest = || self.clone().with_kernels(rest.iter().copied()).translate(object);
        let others = if rest.is_empty() { None } else { Some(translate_rest()?) };
        Ok(Forms { bound: Some(bound), others })
    }

    /// Translates an object for the device in one form: that of [`Compiler::translate_forms`] if all kernels
    /// have the same, else with addresses. The interface's `addressing` is the form.
    ///
    /// # Errors
    /// As for [`Compiler::translate`].
    pub fn translate_preferred(&self, object: &Object) -> Result<Program, Error> {
        let all = self.wanted(object);
        match self.through_descriptors(object, &all) {
            Some((bound, names)) if names.len() == all.len() => Ok(bound),
            _ => self.translate(object),
        }
    }

    /// The names of the kernels that are translated.
    fn wanted(&self, object: &Object) -> Vec<String> {
        match self.wishes.kernels.as_slice() {
            [] => object.kernel_names().map(str::to_owned).collect(),
            chosen => chosen.to_vec(),
        }
    }

    /// Those of these kernels that reach buffers through descriptors, and their names.
    fn through_descriptors(&self, object: &Object, wanted: &[String]) -> Option<(Program, Vec<String>)> {
        let profile = self.profile();
        if !Preference::OF_BUFFERS.iter().any(|&preference| profile.prefers(preference))
            || profile.addressing() == AddressingMode::Logical
        {
            return None;
        }
        let set = |names: Vec<_>| names.into_iter().collect::<HashSet<&str>>();
        let free = set(kernels_without_state(&object.module));
        let mut may_gain = HashSet::new();
        if profile.prefers(Preference::VectorDescriptors) {
            may_gain.extend(kernels_with_vectors(&object.module));
        }
        if profile.prefers(Preference::FixedDescriptors) {
            may_gain.extend(kernels_with_constants(&object.module));
        }
        let all_gain = profile.prefers(Preference::Descriptors);
        let mut names = wanted.to_vec();
        names.retain(|name| {
            let name = name.as_str();
            free.contains(name) && (all_gain || may_gain.contains(name))
        });
        let wishes = TranslateOptions { as_with_addresses: true, ..self.wishes.clone() };
        let compiler = self.changed(profile.through_descriptors(), wishes);
        // Each round leaves out the kernels that are refused or need too much, or is the last.
        while !names.is_empty() {
            match compiler.clone().with_kernels(&names).translate(object) {
                Ok(program) => {
                    let before = names.len();
                    names.retain(|name| program.kernel(name).is_some_and(|it| has_room(it, profile)));
                    if names.len() == before {
                        return Some((program, names));
                    }
                }
                Err(Error::Unsupported { errors, .. }) => {
                    let refused: HashSet<String> =
                        errors.into_iter().map(|error| error.kernel).collect::<Option<_>>()?;
                    let before = names.len();
                    names.retain(|name| !refused.contains(name));
                    if names.len() == before {
                        return None;
                    }
                }
                Err(_) => return None,
            }
        }
        None
    }
}

/// Whether the device has enough descriptors for a kernel, if their number is known.
fn has_room(kernel: &KernelInterface, profile: &DeviceProfile) -> bool {
    let arguments = kernel.arguments.iter();
    let buffers = arguments.filter(|it| matches!(it.kind, ArgumentKind::StorageBuffer { .. })).count()
        + kernel.buffer_locations().filter(|it| matches!(it, BufferLocation::Descriptor { .. })).count();
    profile.max_storage_buffers == 0 || buffers <= profile.max_storage_buffers as usize
}
