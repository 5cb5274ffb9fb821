//! SPIR-V for hosts of clspv.

use crate::{Compiler, Error, Object};
use clvk_interface::clspv::{ClspvLaunch, Reflection};
use clvk_interface::{DeviceProfile, Feature, FeatureSet};
use clvk_translate::{TranslateOptions, translate_for_clspv};

/// A program for a host of clspv. [`Compiler::translate_for_clspv`] makes it.
#[derive(Clone, Debug)]
pub struct ClspvProgram {
    /// SPIR-V words, with `NonSemantic.ClspvReflection`; none if there are no kernels.
    pub spirv: Vec<u32>,
    /// The reflection as data.
    pub reflection: Reflection,
}

/// Features that rely on what hosts of clspv cannot do: pass pipes, launch what kernels enqueue, require full
/// sub-groups, bind levels of detail.
const LACKING: &[Feature] = &[
    Feature::Pipes,
    Feature::DeviceEnqueue,
    Feature::DeviceEnqueueLocalArgumentTypes,
    Feature::SubGroups,
    Feature::SubGroupsExtension,
    Feature::SubGroupExtendedTypes,
    Feature::SubGroupNonUniformVote,
    Feature::SubGroupBallot,
    Feature::SubGroupNonUniformArithmetic,
    Feature::SubGroupShuffle,
    Feature::SubGroupShuffleRelative,
    Feature::SubGroupClusteredReduce,
    Feature::SubGroupRotate,
    Feature::MipmapImageWrites,
];

impl Compiler {
    /// A compiler for hosts of clspv: it offers programs what such a host can provide on the device.
    #[must_use]
    pub fn for_clspv(profile: &DeviceProfile) -> Self {
        let profile = profile.for_clspv();
        let features = FeatureSet::of(&profile).without(LACKING.iter().copied().collect());
        Compiler::new(&profile).with_features(features)
    }

    /// Translates an object for a host of clspv, which launches kernels as the SPIR-V itself says.
    ///
    /// # Errors
    /// [`Error::Unsupported`]: what the kernels need and the device or such a host does not have.
    pub fn translate_for_clspv(&self, object: &Object, launch: &ClspvLaunch) -> Result<ClspvProgram, Error> {
        self.refuse_deferred(object)?;
        let wishes = TranslateOptions { clspv: Some(launch.clone()), ..self.wishes_for(object).into_owned() };
        let (module, library) = (object.module().clone(), clvk_shaders::library());
        match translate_for_clspv(module, library, self.profile(), &wishes, &mut |_, _| {}) {
            Ok((spirv, reflection)) => Ok(ClspvProgram { spirv, reflection }),
            Err(errors) => Err(self.unsupported(errors, object)),
        }
    }
}
