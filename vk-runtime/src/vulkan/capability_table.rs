//! What the runtime makes of the table of Vulkan capabilities (`clvk_interface::vulkan_capabilities`).
//!
//! A capability needs only its row: the query, the enabling and the linking of its structure follow from it.
//! The types that the table fills, and the numbers that are not capabilities, are in `capabilities`.

use crate::vulkan::capabilities::{Capabilities, Offer};
use crate::vulkan::structures;
use ash::vk;
use std::ffi::CStr;

const V1_1: u32 = vk::API_VERSION_1_1;
const V1_2: u32 = vk::API_VERSION_1_2;
const V1_3: u32 = vk::API_VERSION_1_3;

/// Never part of core Vulkan up to [`crate::vulkan::instance::HIGHEST_KNOWN_VERSION`].
const NEVER: u32 = u32::MAX;

/// Generates the structures and their functions from the table. A field is set if all members of its
/// row are, and enabling it enables all of them.
macro_rules! table {
    (
        core features {
            $($core:ident => $core_owner:ident . $core_field:ident;)*
        }
        features {
            $([$feature_extension:expr, $feature_core:expr] $feature:ident: $feature_type:ident {
                $($($feature_member:ident)&&+ => $feature_owner:ident . $feature_field:ident;)*
            })*
        }
        properties {
            $([$property_extension:expr, $property_core:expr] $property:ident: $property_type:ident {
                $($property_member:ident => $property_owner:ident . $property_field:ident;)*
            })*
        }
        functions {
            $([$function_extension:expr, $function_core:expr])*
        }
        limits {
            $($limit_member:ident => $limit_owner:ident . $limit_field:ident;)*
        }
    ) => {
        /// The relevant device extensions, with the version from which they are core and need not be enabled.
        /// Some are listed twice.
        pub(super) const EXTENSIONS: &[(&CStr, u32)] = &[
            $(($feature_extension, $feature_core),)*
            $(($property_extension, $property_core),)*
            $(($function_extension, $function_core),)*
        ];

        /// The feature structures, to be linked into one chain. Use it only once, because the links stay in
        /// the structures.
        #[derive(Default)]
        pub(super) struct FeatureChain {
            $($feature: structures::$feature_type<'static>,)*
        }

        impl FeatureChain {
            /// Links the structures that the device knows.
            pub(super) fn link(
                &mut self,
                core: vk::PhysicalDeviceFeatures,
                offer: &Offer,
            ) -> vk::PhysicalDeviceFeatures2<'_> {
                let mut all = vk::PhysicalDeviceFeatures2::default().features(core);
                $(if offer.has($feature_extension) {
                    all = all.push_next(&mut self.$feature);
                })*
                all
            }

            /// Sets the fields that come from features.
            pub(super) fn read(&self, core: &vk::PhysicalDeviceFeatures, into: &mut Capabilities) {
                $(into.$core_owner.$core_field = core.$core != vk::FALSE;)*
                $($(into.$feature_owner.$feature_field =
                    $(self.$feature.$feature_member != vk::FALSE)&&+;)*)*
            }

            /// The structures that enable what the fields say, with the features of Vulkan 1.0.
            pub(super) fn enabling(capabilities: &Capabilities) -> (Self, vk::PhysicalDeviceFeatures) {
                let mut core = vk::PhysicalDeviceFeatures::default();
                let mut chain = FeatureChain::default();
                $(core.$core = capabilities.$core_owner.$core_field.into();)*
                $($($(chain.$feature.$feature_member =
                    capabilities.$feature_owner.$feature_field.into();)+)*)*
                (chain, core)
            }
        }

        /// The property structures beyond `VkPhysicalDeviceProperties`. Use it only once, because the links
        /// stay in the structures.
        #[derive(Default)]
        pub(super) struct PropertyChain {
            $(pub(super) $property: vk::$property_type<'static>,)*
        }

        impl PropertyChain {
            /// Links the structures that the device knows.
            pub(super) fn link(&mut self, offer: &Offer) -> vk::PhysicalDeviceProperties2<'_> {
                let mut all = vk::PhysicalDeviceProperties2::default();
                $(if offer.has($property_extension) {
                    all = all.push_next(&mut self.$property);
                })*
                all
            }

            /// Sets the fields that come from properties.
            pub(super) fn read(&self, into: &mut Capabilities) {
                $($(into.$property_owner.$property_field =
                    self.$property.$property_member != vk::FALSE;)*)*
            }

            /// Sets the fields that come from limits.
            pub(super) fn read_limits(limits: &vk::PhysicalDeviceLimits, into: &mut Capabilities) {
                $(into.$limit_owner.$limit_field = limits.$limit_member;)*
            }
        }
    };
}

clvk_interface::vulkan_capabilities!(table);

#[cfg(test)]
mod tests {
    use super::*;
    use ash::khr;
    use rustc_hash::FxHashSet;
    use std::ffi::CString;

    fn nothing() -> Capabilities {
        Capabilities::none(Offer::new(V1_3, FxHashSet::default()))
    }

    #[test]
    fn what_is_enabled_is_what_was_read() {
        let mut wanted = nothing();
        let profile = &mut wanted.profile;
        (profile.int64, profile.float16, profile.push_constant_8bit) = (true, true, true);
        (profile.shared_float32_add, profile.compute_full_subgroups) = (true, true);
        wanted.features.timeline_semaphore = true;
        let (chain, core) = FeatureChain::enabling(&wanted);
        assert_eq!((core.shader_int64, core.shader_int16), (vk::TRUE, vk::FALSE));
        let mut read = nothing();
        chain.read(&core, &mut read);
        assert_eq!((read.profile, read.features), (wanted.profile, wanted.features));
    }

    #[test]
    fn a_field_needs_all_members_of_its_row_and_enables_them() {
        let mut chain = FeatureChain::default();
        let mut read = nothing();
        chain.memory_model.vulkan_memory_model = vk::TRUE;
        chain.read(&vk::PhysicalDeviceFeatures::default(), &mut read);
        assert!(!read.profile.vulkan_memory_model, "without its device scope");
        chain.memory_model.vulkan_memory_model_device_scope = vk::TRUE;
        chain.read(&vk::PhysicalDeviceFeatures::default(), &mut read);
        assert!(read.profile.vulkan_memory_model);
        let (enabling, _) = FeatureChain::enabling(&read);
        assert_eq!(enabling.memory_model.vulkan_memory_model_device_scope, vk::TRUE);
        assert_eq!(enabling.atomic_float.shader_buffer_float32_atomics, vk::FALSE);
    }

    #[test]
    fn only_structures_that_the_device_knows_are_linked() {
        let linked = |version: u32, extensions: &[&CStr]| {
            let extensions: FxHashSet<CString> = extensions.iter().map(|&name| name.to_owned()).collect();
            let offer = Offer::new(version, extensions);
            let mut chain = FeatureChain::default();
            let mut next = chain.link(vk::PhysicalDeviceFeatures::default(), &offer).p_next;
            let mut found = Vec::new();
            while !next.is_null() {
                // SAFETY: the chain links structures that begin as `VkBaseOutStructure` does, and lives.
                let structure = unsafe { &*next.cast::<vk::BaseOutStructure<'_>>() };
                found.push(structure.s_type);
                next = structure.p_next.cast();
            }
            found
        };
        let of_1_1 = linked(V1_1, &[]);
        assert_eq!(of_1_1.len(), 1, "{of_1_1:?}");
        assert!(of_1_1.contains(&vk::StructureType::PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES));
        let clock = vk::StructureType::PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR;
        assert!(!linked(V1_3, &[]).contains(&clock));
        assert!(linked(V1_1, &[khr::shader_clock::NAME]).contains(&clock));
    }
}
