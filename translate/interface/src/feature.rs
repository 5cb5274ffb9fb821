//! Optional parts of OpenCL C: one row each.
//!
//! To add an extension or an `__opencl_c_*` feature, add a row to the table. The macro, the pragma, the front
//! end's gates, the message where it is missing, and the device query follow from it (OpenCL C §6.2, §6.2.1).
//!
//! A device offers a feature if it has all that OpenCL demands for it. A kernel often needs less: one that
//! only reads images runs on a device that cannot write them. Programs may use the features marked
//! `PER_KERNEL` on every device, whether it offers them or not; the translator refuses each kernel that needs
//! what the device lacks, naming the kernel and the source position. Macros and device queries report only
//! what is offered.

use crate::{AddressingMode, DeviceProfile, Guarantee, MOST_LEVELS};
use serde::{Deserialize, Serialize};

/// Whether a feature is an extension or an optional feature of the core language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FeatureKind {
    /// Named in `CL_DEVICE_EXTENSIONS`, accepted by `#pragma OPENCL EXTENSION`.
    Extension,
    /// An `__opencl_c_*` feature of OpenCL C 3.0.
    LanguageFeature,
}

struct Row {
    name: &'static str,
    kind: FeatureKind,
    offered: fn(&DeviceProfile) -> bool,
    instead: &'static str,
    per_kernel: bool,
}

/// Marks a feature whose uses are judged kernel by kernel.
const PER_KERNEL: bool = true;

/// Makes the enumeration and its table. A row gives variant, name, kind, whether a device offers it, and what
/// a program can use where it is missing; [`PER_KERNEL`] where kernels are judged one by one.
macro_rules! features {
    ($($variant:ident: $name:literal, $kind:ident, $offered:expr, $instead:literal $(, $per_kernel:ident)?;)*) => {
        /// An optional part of OpenCL C.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[expect(missing_docs)]
        pub enum Feature {
            $($variant,)*
        }

        /// The rows, in the order of the enumeration.
        static ROWS: &[Row] = &[
            $(Row {
                name: $name,
                kind: FeatureKind::$kind,
                offered: $offered,
                instead: $instead,
                per_kernel: false $(|| $per_kernel)?,
            },)*
        ];

        impl Feature {
            /// All features, in the order of the enumeration.
            pub const ALL: &[Feature] = &[$(Feature::$variant,)*];
        }
    };
}

#[rustfmt::skip]
features! {
    Fp16: "cl_khr_fp16", Extension, |_| true, "compute in float, and store with vstore_half";
    Fp64: "cl_khr_fp64", Extension, |p| p.float64, "compute in float";
    Fp64LanguageFeature: "__opencl_c_fp64", LanguageFeature, |p| p.float64, "compute in float";
    Int64: "__opencl_c_int64", LanguageFeature, |_| true, "compute in int";
    GlobalInt32BaseAtomics: "cl_khr_global_int32_base_atomics", Extension, |_| true, "";
    GlobalInt32ExtendedAtomics: "cl_khr_global_int32_extended_atomics", Extension, |_| true, "";
    LocalInt32BaseAtomics: "cl_khr_local_int32_base_atomics", Extension, |_| true, "";
    LocalInt32ExtendedAtomics: "cl_khr_local_int32_extended_atomics", Extension, |_| true, "";
    ByteAddressableStore: "cl_khr_byte_addressable_store", Extension, |_| true, "";
    Images: "__opencl_c_images", LanguageFeature, |p| p.image_write_without_format, "use buffers", PER_KERNEL;
    ReadWriteImages: "__opencl_c_read_write_images", LanguageFeature, |p| p.image_write_without_format && p.image_read_without_format, "read from one image and write to another", PER_KERNEL;
    DepthImages: "cl_khr_depth_images", Extension, |p| p.image_write_without_format, "use images of one channel", PER_KERNEL;
    MipmapImage: "cl_khr_mipmap_image", Extension, |p| p.image_write_without_format, "use an image for each level", PER_KERNEL;
    // To Vulkan, each level that a kernel may write to is a separate image.
    MipmapImageWrites: "cl_khr_mipmap_image_writes", Extension, |p| p.image_write_without_format && p.max_storage_images >= MOST_LEVELS, "write to an image for each level", PER_KERNEL;
    // Multi-sampled images come only from sharing with OpenGL, which is not supported, so there are none to
    // pass to a kernel.
    GlMsaaSharing: "cl_khr_gl_msaa_sharing", Extension, |_| false, "use an array of images with a layer for each sample";
    SrgbImageWrites: "cl_khr_srgb_image_writes", Extension, |p| p.image_write_without_format, "encode the colours and write them to an image of CLK_RGBA";
    Image3dWrites: "__opencl_c_3d_image_writes", LanguageFeature, |p| p.image_write_without_format, "write to a buffer", PER_KERNEL;
    Image3dWritesExtension: "cl_khr_3d_image_writes", Extension, |p| p.image_write_without_format, "write to a buffer", PER_KERNEL;
    // Both are translated for every device: see the pass `lower-memory`.
    GenericAddressSpace: "__opencl_c_generic_address_space", LanguageFeature, |_| true, "name the address space of the pointer";
    ProgramScopeGlobalVariables: "__opencl_c_program_scope_global_variables", LanguageFeature, |_| true, "pass a buffer";
    Pipes: "__opencl_c_pipes", LanguageFeature, |_| true, "use a buffer with atomic counters";
    // A block's captures go through memory, pointers included, so pointers must mean the same in every
    // kernel.
    DeviceEnqueue: "__opencl_c_device_enqueue", LanguageFeature, enqueues, "enqueue the kernel from the host";
    DeviceEnqueueLocalArgumentTypes: "cl_khr_device_enqueue_local_arg_types", Extension, enqueues, "enqueue the kernel from the host";
    Int64BaseAtomics: "cl_khr_int64_base_atomics", Extension, has_int64_atomics, "use 32-bit atomic operations";
    Int64ExtendedAtomics: "cl_khr_int64_extended_atomics", Extension, has_int64_atomics, "use 32-bit atomic operations";
    AtomicOrderAcqRel: "__opencl_c_atomic_order_acq_rel", LanguageFeature, |_| true, "use memory_order_relaxed and atomic_work_item_fence";
    AtomicOrderSeqCst: "__opencl_c_atomic_order_seq_cst", LanguageFeature, |_| true, "use memory_order_acq_rel";
    AtomicScopeDevice: "__opencl_c_atomic_scope_device", LanguageFeature, |_| true, "use memory_scope_work_group";
    // No device here offers fine-grained SVM with atomics (`CL_DEVICE_SVM_ATOMICS`). On other memory the
    // scope of all devices equals that of the device (OpenCL API §3.3.7).
    AtomicScopeAllDevices: "__opencl_c_atomic_scope_all_devices", LanguageFeature, |_| true, "use memory_scope_device";
    ExtendedAsyncCopies: "cl_khr_extended_async_copies", Extension, |_| true, "use async_work_group_copy for each line";
    AsyncWorkGroupCopyFence: "cl_khr_async_work_group_copy_fence", Extension, |_| true, "use wait_group_events";
    ExtendedBitOps: "cl_khr_extended_bit_ops", Extension, |_| true, "use shifts and masks";
    IntegerDotProduct: "cl_khr_integer_dot_product", Extension, |_| true, "multiply and add the elements";
    IntegerDotProduct4x8Bit: "__opencl_c_integer_dot_product_input_4x8bit", LanguageFeature, |_| true, "multiply and add the elements";
    IntegerDotProduct4x8BitPacked: "__opencl_c_integer_dot_product_input_4x8bit_packed", LanguageFeature, |_| true, "multiply and add the elements";
    // Where the device cannot compute with sub-groups, each work-item is a sub-group.
    SubGroups: "__opencl_c_subgroups", LanguageFeature, |_| true, "";
    // The extension also promises that the sub-groups of a work-group make progress independently of each
    // other (OpenCL API §4.2), which Vulkan does not. Everything that the extension declares belongs to the
    // feature above.
    SubGroupsExtension: "cl_khr_subgroups", Extension, |p| p.gives(Guarantee::ForwardProgress), "use __opencl_c_subgroups, with no sub-group waiting for another outside barriers";
    SubGroupExtendedTypes: "cl_khr_subgroup_extended_types", Extension, |_| true, "";
    SubGroupNonUniformVote: "cl_khr_subgroup_non_uniform_vote", Extension, |_| true, "";
    SubGroupBallot: "cl_khr_subgroup_ballot", Extension, |_| true, "";
    SubGroupNonUniformArithmetic: "cl_khr_subgroup_non_uniform_arithmetic", Extension, |_| true, "";
    SubGroupShuffle: "cl_khr_subgroup_shuffle", Extension, DeviceProfile::shuffles, "exchange the values through local memory";
    SubGroupShuffleRelative: "cl_khr_subgroup_shuffle_relative", Extension, DeviceProfile::shuffles, "exchange the values through local memory";
    SubGroupClusteredReduce: "cl_khr_subgroup_clustered_reduce", Extension, DeviceProfile::shuffles, "reduce through local memory";
    SubGroupRotate: "cl_khr_subgroup_rotate", Extension, DeviceProfile::shuffles, "exchange the values through local memory";
    IntelSubGroups: "cl_intel_subgroups", Extension, DeviceProfile::has_blocks, "use cl_khr_subgroup_shuffle", PER_KERNEL;
    IntelSubGroupsChar: "cl_intel_subgroups_char", Extension, DeviceProfile::has_blocks, "load elements by get_sub_group_local_id", PER_KERNEL;
    IntelSubGroupsShort: "cl_intel_subgroups_short", Extension, DeviceProfile::has_blocks, "load elements by get_sub_group_local_id", PER_KERNEL;
    IntelSubGroupsLong: "cl_intel_subgroups_long", Extension, DeviceProfile::has_blocks, "load elements by get_sub_group_local_id", PER_KERNEL;
    IntelBfloat16Conversions: "cl_intel_bfloat16_conversions", Extension, |_| true, "";
    // Where a device has no matrix engine for a shape, the work-items of the sub-group compute it.
    CooperativeMatrix: "cl_khr_cooperative_matrix", Extension, |_| true, "";
    KernelClock: "cl_khr_kernel_clock", Extension, |p| p.device_clock || p.subgroup_clock, "measure by events on the host";
    KernelClockScopeDevice: "__opencl_c_kernel_clock_scope_device", LanguageFeature, |p| p.device_clock, "measure by events on the host";
    KernelClockScopeWorkGroup: "__opencl_c_kernel_clock_scope_work_group", LanguageFeature, |p| p.device_clock, "measure by events on the host";
    KernelClockScopeSubGroup: "__opencl_c_kernel_clock_scope_sub_group", LanguageFeature, |p| p.subgroup_clock, "measure by events on the host";
    // Without native operations, a compare-exchange loop does the work.
    FloatAtomics: "cl_ext_float_atomics", Extension, |_| true, "";
    FloatGlobalAtomicLoadStore: "__opencl_c_ext_fp32_global_atomic_load_store", LanguageFeature, |_| true, "";
    FloatLocalAtomicLoadStore: "__opencl_c_ext_fp32_local_atomic_load_store", LanguageFeature, |_| true, "";
    FloatGlobalAtomicAdd: "__opencl_c_ext_fp32_global_atomic_add", LanguageFeature, |_| true, "";
    FloatLocalAtomicAdd: "__opencl_c_ext_fp32_local_atomic_add", LanguageFeature, |_| true, "";
    FloatGlobalAtomicMinMax: "__opencl_c_ext_fp32_global_atomic_min_max", LanguageFeature, |_| true, "";
    FloatLocalAtomicMinMax: "__opencl_c_ext_fp32_local_atomic_min_max", LanguageFeature, |_| true, "";
    HalfGlobalAtomicLoadStore: "__opencl_c_ext_fp16_global_atomic_load_store", LanguageFeature, |_| true, "";
    HalfLocalAtomicLoadStore: "__opencl_c_ext_fp16_local_atomic_load_store", LanguageFeature, |_| true, "";
    HalfGlobalAtomicAdd: "__opencl_c_ext_fp16_global_atomic_add", LanguageFeature, |_| true, "";
    HalfLocalAtomicAdd: "__opencl_c_ext_fp16_local_atomic_add", LanguageFeature, |_| true, "";
    HalfGlobalAtomicMinMax: "__opencl_c_ext_fp16_global_atomic_min_max", LanguageFeature, |_| true, "";
    HalfLocalAtomicMinMax: "__opencl_c_ext_fp16_local_atomic_min_max", LanguageFeature, |_| true, "";
    DoubleGlobalAtomicLoadStore: "__opencl_c_ext_fp64_global_atomic_load_store", LanguageFeature, has_double_atomics, "use atomic_float";
    DoubleLocalAtomicLoadStore: "__opencl_c_ext_fp64_local_atomic_load_store", LanguageFeature, has_double_atomics, "use atomic_float";
    DoubleGlobalAtomicAdd: "__opencl_c_ext_fp64_global_atomic_add", LanguageFeature, has_double_atomics, "use atomic_float";
    DoubleLocalAtomicAdd: "__opencl_c_ext_fp64_local_atomic_add", LanguageFeature, has_double_atomics, "use atomic_float";
    DoubleGlobalAtomicMinMax: "__opencl_c_ext_fp64_global_atomic_min_max", LanguageFeature, has_double_atomics, "use atomic_float";
    DoubleLocalAtomicMinMax: "__opencl_c_ext_fp64_local_atomic_min_max", LanguageFeature, has_double_atomics, "use atomic_float";
    // Strings and formats are copied into the record, whatever memory they are in.
    RelaxedPrintfStringAddressSpace: "cl_ext_relaxed_printf_string_address_space", Extension, |_| true, "";
    WorkGroupCollectiveFunctions: "__opencl_c_work_group_collective_functions", LanguageFeature, |_| true, "";
    WorkGroupUniformArithmetic: "cl_khr_work_group_uniform_arithmetic", Extension, |_| true, "";
}

fn enqueues(profile: &DeviceProfile) -> bool {
    profile.addressing() == AddressingMode::Physical
}

fn has_double_atomics(profile: &DeviceProfile) -> bool {
    profile.float64 && has_int64_atomics(profile)
}

fn has_int64_atomics(profile: &DeviceProfile) -> bool {
    profile.int64 && profile.buffer_int64_atomics && profile.shared_int64_atomics
}

impl Feature {
    fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }

    /// The feature's name, which is also the name of its macro.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Extension or language feature.
    #[must_use]
    pub fn kind(self) -> FeatureKind {
        self.row().kind
    }

    /// What a program can use on a device that does not offer it, as an imperative; empty if every device
    /// offers it.
    #[must_use]
    pub fn instead(self) -> &'static str {
        self.row().instead
    }

    /// The features of Vulkan that a device needs to offer it, where their absence is what devices without it
    /// have in common.
    #[must_use]
    pub fn vulkan_features(self) -> &'static [&'static str] {
        match self {
            Feature::Fp64 | Feature::Fp64LanguageFeature => &["shaderFloat64"],
            Feature::Int64BaseAtomics | Feature::Int64ExtendedAtomics => {
                &["shaderInt64", "shaderBufferInt64Atomics", "shaderSharedInt64Atomics"]
            }
            Feature::Images
            | Feature::DepthImages
            | Feature::SrgbImageWrites
            | Feature::Image3dWrites
            | Feature::Image3dWritesExtension => &["shaderStorageImageWriteWithoutFormat"],
            Feature::ReadWriteImages => {
                &["shaderStorageImageReadWithoutFormat", "shaderStorageImageWriteWithoutFormat"]
            }
            Feature::KernelClockScopeDevice | Feature::KernelClockScopeWorkGroup => &["shaderDeviceClock"],
            Feature::KernelClockScopeSubGroup => &["shaderSubgroupClock"],
            _ => &[],
        }
    }

    /// The feature with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Feature> {
        Self::ALL.iter().copied().find(|feature| feature.name() == name)
    }
}

/// A set of offered features, and of others that programs may use in kernels judged one by one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FeatureSet {
    offered: u128,
    /// Kernels that use these are judged one by one.
    per_kernel: u128,
}

impl FeatureSet {
    /// The features that a device with this profile offers. Those judged kernel by kernel are also
    /// [allowed](Self::allows).
    #[must_use]
    pub fn of(profile: &DeviceProfile) -> Self {
        let all = || Feature::ALL.iter().copied();
        let offered: Self = all().filter(|feature| (feature.row().offered)(profile)).collect();
        let per_kernel: Self = all().filter(|feature| feature.row().per_kernel).collect();
        FeatureSet { per_kernel: per_kernel.offered, ..offered }
    }

    /// The features of the set that robust kernels can use. The memory that a kernel may reach is known only
    /// for launches from the host, so robust kernels cannot enqueue others.
    #[must_use]
    pub fn in_robust_mode(self) -> Self {
        let enqueues = [Feature::DeviceEnqueue, Feature::DeviceEnqueueLocalArgumentTypes];
        self.without(enqueues.into_iter().collect())
    }

    /// No feature.
    pub const EMPTY: FeatureSet = FeatureSet { offered: 0, per_kernel: 0 };

    /// Every feature there is: the library is compiled with all of them.
    #[must_use]
    pub fn all() -> Self {
        Feature::ALL.iter().copied().collect()
    }

    /// Whether `feature` is in the set: offered, so that its macro is defined.
    #[must_use]
    pub fn contains(self, feature: Feature) -> bool {
        self.offered & (1 << feature as u32) != 0
    }

    /// Whether programs may use `feature`: it is offered, or the translator judges the kernels that use it
    /// one by one.
    #[must_use]
    pub fn allows(self, feature: Feature) -> bool {
        (self.offered | self.per_kernel) & (1 << feature as u32) != 0
    }

    /// All features for which [`FeatureSet::allows`] is true, as offered ones.
    #[must_use]
    pub const fn allowed(self) -> Self {
        FeatureSet { offered: self.offered | self.per_kernel, ..self }
    }

    /// This set with `feature` added.
    #[must_use]
    pub const fn with(self, feature: Feature) -> Self {
        FeatureSet { offered: self.offered | 1 << feature as u32, per_kernel: self.per_kernel }
    }

    /// The features that are in this set, or allowed by it, but not in `other`.
    #[must_use]
    pub fn without(self, other: FeatureSet) -> Self {
        FeatureSet { offered: self.offered & !other.offered, per_kernel: self.per_kernel & !other.offered }
    }

    /// The features that are in both sets.
    #[must_use]
    pub fn intersection(self, other: FeatureSet) -> Self {
        let per_kernel = self.per_kernel & other.per_kernel;
        FeatureSet { offered: self.offered & other.offered, per_kernel }
    }

    /// The features that are in either set.
    #[must_use]
    pub const fn union(self, other: FeatureSet) -> Self {
        let per_kernel = self.per_kernel | other.per_kernel;
        FeatureSet { offered: self.offered | other.offered, per_kernel }
    }

    /// Whether the set is empty.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.offered == 0
    }

    /// Adds `feature`.
    pub fn insert(&mut self, feature: Feature) {
        *self = self.with(feature);
    }

    /// The features of the set, in the order of the enumeration.
    pub fn iter(self) -> impl Iterator<Item = Feature> {
        Feature::ALL.iter().copied().filter(move |&feature| self.contains(feature))
    }
}

impl FromIterator<Feature> for FeatureSet {
    fn from_iter<I: IntoIterator<Item = Feature>>(features: I) -> Self {
        let mut set = FeatureSet::default();
        for feature in features {
            set.insert(feature);
        }
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_lists_each_variant_once_in_order() {
        for (index, feature) in Feature::ALL.iter().enumerate() {
            assert_eq!(*feature as usize, index);
            assert_eq!(Feature::from_name(feature.name()), Some(*feature));
            assert!(index < 128, "a set has no bit for it");
        }
    }

    #[test]
    fn what_a_device_may_lack_has_a_substitute() {
        for name in DeviceProfile::preset_names() {
            let offered = FeatureSet::of(&DeviceProfile::preset(name).expect("a preset"));
            for feature in Feature::ALL.iter().filter(|feature| !offered.contains(**feature)) {
                assert!(!feature.instead().is_empty(), "{name} lacks {}", feature.name());
            }
        }
    }

    #[test]
    fn what_is_judged_by_kernel_is_allowed_but_not_offered() {
        let profile = DeviceProfile {
            image_write_without_format: false,
            ..DeviceProfile::preset("nvidia-h200").expect("a preset")
        };
        let features = FeatureSet::of(&profile);
        assert!(features.allows(Feature::Images) && !features.contains(Feature::Images));
        assert!(!features.iter().any(|feature| feature == Feature::Images));
        let robust = features.in_robust_mode();
        assert!(robust.allows(Feature::Images) && !robust.allows(Feature::DeviceEnqueue));
        assert!(features.allows(Feature::DeviceEnqueue));
        assert!(!FeatureSet::default().allows(Feature::Images));
    }

    #[test]
    fn presets_offer_what_is_translated_for_them() {
        for name in DeviceProfile::preset_names() {
            let profile = DeviceProfile::preset(name).expect("a preset");
            let offered = FeatureSet::of(&profile);
            for feature in
                [Feature::GenericAddressSpace, Feature::ProgramScopeGlobalVariables, Feature::Int64]
            {
                assert!(offered.contains(feature), "{name} lacks {}", feature.name());
            }
            assert_eq!(offered.contains(Feature::Fp64LanguageFeature), profile.float64, "{name}");
            // Each demands the other (OpenCL C §6.2.1).
            assert!(offered.contains(Feature::Images) || !offered.contains(Feature::Image3dWrites), "{name}");
            let physical = profile.addressing() == AddressingMode::Physical;
            assert_eq!(offered.contains(Feature::DeviceEnqueue), physical, "{name}");
        }
    }
}
