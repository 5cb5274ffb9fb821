//! Which version of OpenCL a device can offer with this compiler, and what SPIR-V it takes.
//!
//! OpenCL 3.1 demands what OpenCL 3.0 leaves optional (OpenCL API, appendix "Summary of changes from OpenCL
//! 3.0 to OpenCL 3.1"): sub-groups with some of their extensions, dot products, and the capabilities that the
//! OpenCL SPIR-V environment specification requires of the device. The rows of [`DEMANDS`] are that list, so
//! that a device gets the version if nothing is missing, and a user can be told what is. The reader takes all
//! capabilities that the environment requires of any device.

use clvk_interface::{DeviceProfile, Feature, FeatureSet};
use std::ffi::CStr;

/// The capabilities that the OpenCL SPIR-V environment requires (§3) and those of extensions: their numbers
/// (SPIR-V §3.31), and what a device must offer for them.
static CAPABILITIES: &[(u32, Option<Feature>)] = &[
    (4, None),                                            // Addresses
    (5, None),                                            // Linkage
    (6, None),                                            // Kernel
    (7, None),                                            // Vector16
    (8, None),                                            // Float16Buffer
    (9, Some(Feature::Fp16)),                             // Float16
    (10, Some(Feature::Fp64)),                            // Float64
    (11, None),                                           // Int64
    (12, Some(Feature::Int64BaseAtomics)),                // Int64Atomics
    (13, Some(Feature::Images)),                          // ImageBasic
    (14, Some(Feature::ReadWriteImages)),                 // ImageReadWrite
    (15, Some(Feature::MipmapImage)),                     // ImageMipmap
    (17, Some(Feature::Pipes)),                           // Pipes
    (18, None),                                           // Groups
    (19, Some(Feature::DeviceEnqueue)),                   // DeviceEnqueue
    (20, Some(Feature::Images)),                          // LiteralSampler
    (22, None),                                           // Int16
    (38, Some(Feature::GenericAddressSpace)),             // GenericPointer
    (39, None),                                           // Int8
    (43, Some(Feature::Images)),                          // Sampled1D
    (44, Some(Feature::Images)),                          // Image1D
    (46, Some(Feature::Images)),                          // SampledBuffer
    (47, Some(Feature::Images)),                          // ImageBuffer
    (58, Some(Feature::SubGroups)),                       // SubgroupDispatch
    (61, None),                                           // GroupNonUniform
    (62, Some(Feature::SubGroupNonUniformVote)),          // GroupNonUniformVote
    (63, Some(Feature::SubGroupNonUniformArithmetic)),    // GroupNonUniformArithmetic
    (64, Some(Feature::SubGroupBallot)),                  // GroupNonUniformBallot
    (65, Some(Feature::SubGroupShuffle)),                 // GroupNonUniformShuffle
    (66, Some(Feature::SubGroupShuffleRelative)),         // GroupNonUniformShuffleRelative
    (67, Some(Feature::SubGroupClusteredReduce)),         // GroupNonUniformClustered
    (71, None),                                           // UniformDecoration
    (4473, None),                                         // UntypedPointersKHR
    (5055, Some(Feature::KernelClock)),                   // ShaderClockKHR
    (5116, Some(Feature::CooperativeMatrix)),             // BFloat16TypeKHR
    (5118, Some(Feature::CooperativeMatrix)),             // BFloat16CooperativeMatrixKHR
    (5568, Some(Feature::SubGroupShuffle)),               // SubgroupShuffleINTEL
    (5569, None),                                         // SubgroupBufferBlockIOINTEL
    (5570, Some(Feature::IntelSubGroups)),                // SubgroupImageBlockIOINTEL
    (5612, Some(Feature::FloatGlobalAtomicMinMax)),       // AtomicFloat32MinMaxEXT
    (5613, Some(Feature::DoubleGlobalAtomicMinMax)),      // AtomicFloat64MinMaxEXT
    (5616, Some(Feature::HalfGlobalAtomicMinMax)),        // AtomicFloat16MinMaxEXT
    (5629, None),                                         // ExpectAssumeKHR
    (6017, Some(Feature::IntegerDotProduct4x8Bit)),       // DotProductInput4x8Bit
    (6018, Some(Feature::IntegerDotProduct4x8BitPacked)), // DotProductInput4x8BitPacked
    (6019, Some(Feature::IntegerDotProduct)),             // DotProduct
    (6022, Some(Feature::CooperativeMatrix)),             // CooperativeMatrixKHR
    (6025, Some(Feature::ExtendedBitOps)),                // BitInstructions
    (6026, Some(Feature::SubGroupRotate)),                // GroupNonUniformRotateKHR
    (6033, Some(Feature::FloatGlobalAtomicAdd)),          // AtomicFloat32AddEXT
    (6034, Some(Feature::DoubleGlobalAtomicAdd)),         // AtomicFloat64AddEXT
    (6095, Some(Feature::HalfGlobalAtomicAdd)),           // AtomicFloat16AddEXT
    (6115, Some(Feature::IntelBfloat16Conversions)),      // BFloat16ConversionINTEL
    (6400, Some(Feature::WorkGroupUniformArithmetic)),    // GroupUniformArithmeticKHR
];

/// The extensions of SPIR-V that modules may name, and what a device must offer for them.
static EXTENSIONS: &[(&CStr, Option<Feature>)] = &[
    (c"SPV_EXT_shader_atomic_float16_add", Some(Feature::HalfGlobalAtomicAdd)),
    (c"SPV_EXT_shader_atomic_float_add", Some(Feature::FloatGlobalAtomicAdd)),
    (c"SPV_EXT_shader_atomic_float_min_max", Some(Feature::FloatGlobalAtomicMinMax)),
    (c"SPV_INTEL_bfloat16_conversion", Some(Feature::IntelBfloat16Conversions)),
    (c"SPV_INTEL_subgroups", Some(Feature::SubGroupShuffle)),
    (c"SPV_KHR_bfloat16", Some(Feature::CooperativeMatrix)),
    (c"SPV_KHR_bit_instructions", Some(Feature::ExtendedBitOps)),
    (c"SPV_KHR_cooperative_matrix", Some(Feature::CooperativeMatrix)),
    (c"SPV_KHR_expect_assume", None),
    (c"SPV_KHR_integer_dot_product", Some(Feature::IntegerDotProduct)),
    (c"SPV_KHR_linkonce_odr", None),
    (c"SPV_KHR_no_integer_wrap_decoration", None),
    (c"SPV_KHR_shader_clock", Some(Feature::KernelClock)),
    (c"SPV_KHR_subgroup_rotate", Some(Feature::SubGroupRotate)),
    (c"SPV_KHR_uniform_group_instructions", Some(Feature::WorkGroupUniformArithmetic)),
    (c"SPV_KHR_untyped_pointers", None),
];

/// What OpenCL C 3.1, and so OpenCL 3.1, demands of every device.
static DEMANDS: [Feature; 8] = [
    Feature::SubGroups,
    Feature::ExtendedBitOps,
    Feature::IntegerDotProduct,
    Feature::IntegerDotProduct4x8BitPacked,
    Feature::SubGroupExtendedTypes,
    Feature::SubGroupRotate,
    Feature::SubGroupShuffle,
    Feature::SubGroupShuffleRelative,
];

/// The version of OpenCL that a device can offer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Level {
    features: FeatureSet,
}

impl Level {
    /// For a device that offers these features to programs.
    #[must_use]
    pub fn of(features: FeatureSet) -> Self {
        Level { features }
    }

    /// For a device of a profile.
    #[must_use]
    pub fn of_profile(profile: &DeviceProfile) -> Self {
        Level::of(FeatureSet::of(profile))
    }

    fn has(&self, feature: Option<Feature>) -> bool {
        feature.is_none_or(|feature| self.features.contains(feature))
    }

    /// What the device lacks for OpenCL 3.1; empty if it has everything.
    #[must_use]
    pub fn missing(&self) -> Vec<&'static str> {
        let lacking = DEMANDS.iter().filter(|&&feature| !self.features.contains(feature));
        lacking.map(|feature| feature.name()).collect()
    }

    /// The capabilities of SPIR-V that programs may declare, by number.
    #[must_use]
    pub fn spirv_capabilities(&self) -> Vec<u32> {
        CAPABILITIES.iter().filter(|&&(_, needs)| self.has(needs)).map(|&(number, _)| number).collect()
    }

    /// The extensions of SPIR-V that programs may name.
    #[must_use]
    pub fn spirv_extensions(&self) -> Vec<&'static CStr> {
        EXTENSIONS.iter().filter(|&&(_, needs)| self.has(needs)).map(|&(name, _)| name).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_that_lacks_something_is_told_what() {
        let all: FeatureSet = Feature::ALL.iter().copied().collect();
        let level = Level::of(all);
        assert_eq!(level.missing(), [""; 0]);
        let dispatch = [17, 19, 58];
        assert!(dispatch.iter().all(|number| level.spirv_capabilities().contains(number)));
        let enqueue = [Feature::DeviceEnqueue, Feature::Pipes].into_iter().collect();
        let level = Level::of(all.without(enqueue));
        assert_eq!(level.missing(), [""; 0], "what a device does not offer, no module can demand");
        // SubgroupDispatch is required of devices with sub-groups (OpenCL SPIR-V environment §3.2).
        assert_eq!(dispatch.map(|number| level.spirv_capabilities().contains(&number)), [false, false, true]);
        let shuffle = [Feature::SubGroupShuffle].into_iter().collect();
        let level = Level::of(all.without(enqueue).without(shuffle));
        assert_eq!(level.missing(), ["cl_khr_subgroup_shuffle"]);
        assert!(!level.spirv_capabilities().contains(&65) && level.spirv_capabilities().contains(&66));
        let none = Level::of(FeatureSet::default());
        assert_eq!(none.missing().len(), DEMANDS.len());
        assert!(none.spirv_capabilities().contains(&6) && !none.spirv_capabilities().contains(&10));
        assert!(!none.spirv_extensions().contains(&c"SPV_KHR_bit_instructions"));
    }
}
