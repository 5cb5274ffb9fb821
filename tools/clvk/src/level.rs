//! Which version of OpenCL a device can offer with this compiler, and what SPIR-V it takes.
//!
//! OpenCL 3.1 demands what OpenCL 3.0 leaves optional (OpenCL API, appendix "Summary of changes from OpenCL
//! 3.0 to OpenCL 3.1"): sub-groups with some of their extensions, dot products, and the capabilities that the
//! OpenCL SPIR-V environment specification requires of the device. The rows of [`DEMANDS`] are that list, so
//! that a device gets the version if nothing is missing, and a user can be told what is.

use clvk_interface::{DeviceProfile, Feature, FeatureSet};
use std::ffi::CStr;

/// A capability of SPIR-V, and what a device must offer for it.
struct Capability {
    /// SPIR-V §3.31.
    number: u32,
    name: &'static str,
    needs: Option<Feature>,
    /// Whether the reader takes it. The others are those that some device must have.
    is_read: bool,
}

const fn read(number: u32, name: &'static str) -> Capability {
    Capability { number, name, needs: None, is_read: true }
}

const fn read_with(number: u32, name: &'static str, feature: Feature) -> Capability {
    Capability { number, name, needs: Some(feature), is_read: true }
}

const fn missing(number: u32, name: &'static str, feature: Feature) -> Capability {
    Capability { number, name, needs: Some(feature), is_read: false }
}

/// The capabilities that the OpenCL SPIR-V environment requires (§3) and those of extensions.
static CAPABILITIES: &[Capability] = &[
    read(4, "Addresses"),
    read(5, "Linkage"),
    read(6, "Kernel"),
    read(7, "Vector16"),
    read(8, "Float16Buffer"),
    read_with(9, "Float16", Feature::Fp16),
    read_with(10, "Float64", Feature::Fp64),
    read(11, "Int64"),
    read_with(12, "Int64Atomics", Feature::Int64BaseAtomics),
    read_with(13, "ImageBasic", Feature::Images),
    read_with(14, "ImageReadWrite", Feature::ReadWriteImages),
    read_with(15, "ImageMipmap", Feature::MipmapImage),
    missing(17, "Pipes", Feature::Pipes),
    read(18, "Groups"),
    missing(19, "DeviceEnqueue", Feature::DeviceEnqueue),
    read_with(20, "LiteralSampler", Feature::Images),
    read(22, "Int16"),
    read_with(38, "GenericPointer", Feature::GenericAddressSpace),
    read(39, "Int8"),
    read_with(43, "Sampled1D", Feature::Images),
    read_with(44, "Image1D", Feature::Images),
    read_with(46, "SampledBuffer", Feature::Images),
    read_with(47, "ImageBuffer", Feature::Images),
    missing(58, "SubgroupDispatch", Feature::DeviceEnqueue),
    read(61, "GroupNonUniform"),
    read_with(62, "GroupNonUniformVote", Feature::SubGroupNonUniformVote),
    read_with(63, "GroupNonUniformArithmetic", Feature::SubGroupNonUniformArithmetic),
    read_with(64, "GroupNonUniformBallot", Feature::SubGroupBallot),
    read_with(65, "GroupNonUniformShuffle", Feature::SubGroupShuffle),
    read_with(66, "GroupNonUniformShuffleRelative", Feature::SubGroupShuffleRelative),
    read_with(67, "GroupNonUniformClustered", Feature::SubGroupClusteredReduce),
    read_with(5055, "ShaderClockKHR", Feature::KernelClock),
    read_with(5568, "SubgroupShuffleINTEL", Feature::SubGroupShuffle),
    read(5569, "SubgroupBufferBlockIOINTEL"),
    read(5629, "ExpectAssumeKHR"),
    read_with(6017, "DotProductInput4x8Bit", Feature::IntegerDotProduct4x8Bit),
    read_with(6018, "DotProductInput4x8BitPacked", Feature::IntegerDotProduct4x8BitPacked),
    read_with(6019, "DotProduct", Feature::IntegerDotProduct),
    read_with(6025, "BitInstructions", Feature::ExtendedBitOps),
    read_with(6026, "GroupNonUniformRotateKHR", Feature::SubGroupRotate),
];

/// The extensions of SPIR-V that modules may name, and what a device must offer for them.
static EXTENSIONS: &[(&CStr, Option<Feature>)] = &[
    (c"SPV_INTEL_subgroups", Some(Feature::SubGroupShuffle)),
    (c"SPV_KHR_bit_instructions", Some(Feature::ExtendedBitOps)),
    (c"SPV_KHR_expect_assume", None),
    (c"SPV_KHR_integer_dot_product", Some(Feature::IntegerDotProduct)),
    (c"SPV_KHR_linkonce_odr", None),
    (c"SPV_KHR_no_integer_wrap_decoration", None),
    (c"SPV_KHR_shader_clock", Some(Feature::KernelClock)),
    (c"SPV_KHR_subgroup_rotate", Some(Feature::SubGroupRotate)),
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

    /// Whether the device has OpenCL C 3.1.
    #[must_use]
    pub fn has_language(&self) -> bool {
        DEMANDS.iter().all(|&feature| self.features.contains(feature))
    }

    /// What the device lacks for OpenCL 3.1; empty if it has everything.
    #[must_use]
    pub fn missing(&self) -> Vec<String> {
        let features = DEMANDS.iter().filter(|&&feature| !self.features.contains(feature));
        let features = features.map(|feature| feature.name().to_owned());
        let unread = CAPABILITIES.iter().filter(|row| !row.is_read && self.has(row.needs));
        features.chain(unread.map(|row| format!("the SPIR-V capability {}", row.name))).collect()
    }

    /// The capabilities of SPIR-V that programs may declare, by number.
    #[must_use]
    pub fn spirv_capabilities(&self) -> Vec<u32> {
        let rows = CAPABILITIES.iter().filter(|row| row.is_read && self.has(row.needs));
        rows.map(|row| row.number).collect()
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
        assert!(level.has_language());
        let unread = ["Pipes", "DeviceEnqueue", "SubgroupDispatch"];
        assert_eq!(level.missing(), unread.map(|name| format!("the SPIR-V capability {name}")));
        let enqueue = [Feature::DeviceEnqueue, Feature::Pipes].into_iter().collect();
        let level = Level::of(all.without(enqueue));
        assert_eq!(level.missing(), [""; 0], "what a device does not offer, no module can demand");
        let shuffle = [Feature::SubGroupShuffle].into_iter().collect();
        let level = Level::of(all.without(enqueue).without(shuffle));
        assert!(!level.has_language());
        assert_eq!(level.missing(), ["cl_khr_subgroup_shuffle"]);
        assert!(!level.spirv_capabilities().contains(&65) && level.spirv_capabilities().contains(&66));
        let none = Level::of(FeatureSet::default());
        assert_eq!(none.missing().len(), DEMANDS.len());
        assert!(none.spirv_capabilities().contains(&6) && !none.spirv_capabilities().contains(&10));
        assert!(!none.spirv_extensions().contains(&c"SPV_KHR_bit_instructions"));
    }
}
