//! Optional parts of OpenCL C: one row each.
//!
//! To add an extension or an `__opencl_c_*` feature, add a variant and its row in [`Feature::row`]; the macro, the
//! pragma, the front end's gates and the device query follow from it (OpenCL C §6.2, §6.2.1).

use crate::DeviceProfile;
use serde::{Deserialize, Serialize};

/// Whether a feature is an extension or an optional feature of the core language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FeatureKind {
    /// Named in `CL_DEVICE_EXTENSIONS`, accepted by `#pragma OPENCL EXTENSION`.
    Extension,
    /// An `__opencl_c_*` feature of OpenCL C 3.0.
    LanguageFeature,
}

/// An optional part of OpenCL C.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[expect(missing_docs)]
pub enum Feature {
    Fp16,
    Fp64,
    Fp64LanguageFeature,
    Int64,
    GlobalInt32BaseAtomics,
    GlobalInt32ExtendedAtomics,
    LocalInt32BaseAtomics,
    LocalInt32ExtendedAtomics,
    ByteAddressableStore,
    Images,
    Image3dWrites,
    Image3dWritesExtension,
    GenericAddressSpace,
    ProgramScopeGlobalVariables,
    DeviceEnqueue,
}

struct Row {
    name: &'static str,
    kind: FeatureKind,
    offered: fn(&DeviceProfile) -> bool,
}

impl Feature {
    /// All of them, in the order of the enumeration.
    pub const ALL: &[Feature] = &[
        Feature::Fp16,
        Feature::Fp64,
        Feature::Fp64LanguageFeature,
        Feature::Int64,
        Feature::GlobalInt32BaseAtomics,
        Feature::GlobalInt32ExtendedAtomics,
        Feature::LocalInt32BaseAtomics,
        Feature::LocalInt32ExtendedAtomics,
        Feature::ByteAddressableStore,
        Feature::Images,
        Feature::Image3dWrites,
        Feature::Image3dWritesExtension,
        Feature::GenericAddressSpace,
        Feature::ProgramScopeGlobalVariables,
        Feature::DeviceEnqueue,
    ];

    fn row(self) -> Row {
        use FeatureKind::{Extension, LanguageFeature};
        let row = |name, kind, offered| Row { name, kind, offered };
        match self {
            Feature::Fp16 => row("cl_khr_fp16", Extension, |_| true),
            Feature::Fp64 => row("cl_khr_fp64", Extension, |p| p.float64),
            Feature::Fp64LanguageFeature => row("__opencl_c_fp64", LanguageFeature, |p| p.float64),
            Feature::Int64 => row("__opencl_c_int64", LanguageFeature, |_| true),
            Feature::GlobalInt32BaseAtomics => row("cl_khr_global_int32_base_atomics", Extension, |_| true),
            Feature::GlobalInt32ExtendedAtomics => {
                row("cl_khr_global_int32_extended_atomics", Extension, |_| true)
            }
            Feature::LocalInt32BaseAtomics => row("cl_khr_local_int32_base_atomics", Extension, |_| true),
            Feature::LocalInt32ExtendedAtomics => {
                row("cl_khr_local_int32_extended_atomics", Extension, |_| true)
            }
            Feature::ByteAddressableStore => row("cl_khr_byte_addressable_store", Extension, |_| true),
            Feature::Images => row("__opencl_c_images", LanguageFeature, |p| p.image_write_without_format),
            Feature::Image3dWrites => {
                row("__opencl_c_3d_image_writes", LanguageFeature, |p| p.image_write_without_format)
            }
            Feature::Image3dWritesExtension => {
                row("cl_khr_3d_image_writes", Extension, |p| p.image_write_without_format)
            }
            // Both are translated for every device: see the pass `lower-memory`.
            Feature::GenericAddressSpace => {
                row("__opencl_c_generic_address_space", LanguageFeature, |_| true)
            }
            Feature::ProgramScopeGlobalVariables => {
                row("__opencl_c_program_scope_global_variables", LanguageFeature, |_| true)
            }
            // The front end has blocks; no device offers the feature before kernels can be enqueued.
            Feature::DeviceEnqueue => row("__opencl_c_device_enqueue", LanguageFeature, |_| false),
        }
    }

    /// The name, which is also the name of its macro.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Extension or language feature.
    #[must_use]
    pub fn kind(self) -> FeatureKind {
        self.row().kind
    }

    /// The feature that has this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Feature> {
        Self::ALL.iter().copied().find(|feature| feature.name() == name)
    }
}

/// A set of features.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FeatureSet(u64);

impl FeatureSet {
    /// The features that a device with this profile offers.
    #[must_use]
    pub fn of(profile: &DeviceProfile) -> Self {
        Feature::ALL.iter().copied().filter(|feature| (feature.row().offered)(profile)).collect()
    }

    /// Every feature there is: the library is compiled with all of them.
    #[must_use]
    pub fn all() -> Self {
        Feature::ALL.iter().copied().collect()
    }

    /// Whether `feature` is in the set.
    #[must_use]
    pub fn contains(self, feature: Feature) -> bool {
        self.0 & (1 << feature as u32) != 0
    }

    /// Adds `feature`.
    pub fn insert(&mut self, feature: Feature) {
        self.0 |= 1 << feature as u32;
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
        }
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
            // One demands the other (OpenCL C §6.2.1).
            assert!(offered.contains(Feature::Images) || !offered.contains(Feature::Image3dWrites), "{name}");
            assert!(!offered.contains(Feature::DeviceEnqueue), "{name} cannot enqueue kernels");
        }
    }
}
