//! The table of Vulkan capabilities: for each one, its extension, its structure, and the field that it sets.
//!
//! A capability needs only its row: the query, the enabling and the linking of its structure follow from it.
//! The types that the table fills, and the numbers that are not capabilities, are in `capabilities`.

use crate::vulkan::capabilities::{Capabilities, Offer};
use ash::{amd, arm, ext, khr, nv, vk};
use std::ffi::CStr;

const V1_1: u32 = vk::API_VERSION_1_1;
const V1_2: u32 = vk::API_VERSION_1_2;
const V1_3: u32 = vk::API_VERSION_1_3;

/// Never part of core Vulkan up to [`crate::vulkan::instance::HIGHEST_KNOWN_VERSION`].
const NEVER: u32 = u32::MAX;

/// Used in place of an extension for what Vulkan 1.1 has without one.
const CORE: &CStr = c"";

/// Generates the structures and their functions from the table below. A field is set if all members of its
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
            $($feature: vk::$feature_type<'static>,)*
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
        }
    };
}

// A row is `[extension, version from which it is core] name: VkStructure { member => owner.field; }`. The
// owner is `profile`, which the compiler reads (`clvk_interface::DeviceProfile`), or `features`, for the
// runtime alone (`RuntimeFeatures`).
table! {
    core features {
        shader_int16 => profile.int16;
        shader_int64 => profile.int64;
        shader_float64 => profile.float64;
        shader_storage_image_extended_formats => features.storage_image_extended_formats;
        shader_storage_image_read_without_format => profile.image_read_without_format;
        shader_storage_image_write_without_format => profile.image_write_without_format;
    }
    features {
        [khr::_16bit_storage::NAME, V1_1] storage_16bit: PhysicalDevice16BitStorageFeatures {
            storage_buffer16_bit_access => profile.storage_16bit;
            storage_push_constant16 => profile.push_constant_16bit;
        }
        [khr::_8bit_storage::NAME, V1_2] storage_8bit: PhysicalDevice8BitStorageFeatures {
            storage_buffer8_bit_access => profile.storage_8bit;
            storage_push_constant8 => profile.push_constant_8bit;
        }
        [khr::shader_float16_int8::NAME, V1_2] float16_int8: PhysicalDeviceShaderFloat16Int8Features {
            shader_float16 => profile.float16;
            shader_int8 => profile.int8;
        }
        [khr::buffer_device_address::NAME, V1_2] address: PhysicalDeviceBufferDeviceAddressFeatures {
            buffer_device_address => profile.buffer_device_address;
        }
        [khr::vulkan_memory_model::NAME, V1_2] memory_model: PhysicalDeviceVulkanMemoryModelFeatures {
            vulkan_memory_model && vulkan_memory_model_device_scope => profile.vulkan_memory_model;
        }
        [khr::shader_atomic_int64::NAME, V1_2] atomic_int64: PhysicalDeviceShaderAtomicInt64Features {
            shader_buffer_int64_atomics => profile.buffer_int64_atomics;
            shader_shared_int64_atomics => profile.shared_int64_atomics;
        }
        [ext::scalar_block_layout::NAME, V1_2] scalar_layout: PhysicalDeviceScalarBlockLayoutFeatures {
            scalar_block_layout => profile.scalar_block_layout;
        }
        [khr::timeline_semaphore::NAME, V1_2] timeline: PhysicalDeviceTimelineSemaphoreFeatures {
            timeline_semaphore => features.timeline_semaphore;
        }
        [khr::shader_subgroup_extended_types::NAME, V1_2]
        subgroup_types: PhysicalDeviceShaderSubgroupExtendedTypesFeatures {
            shader_subgroup_extended_types => profile.subgroup_extended_types;
        }
        [ext::subgroup_size_control::NAME, V1_3] subgroup_size: PhysicalDeviceSubgroupSizeControlFeatures {
            subgroup_size_control && compute_full_subgroups => profile.compute_full_subgroups;
        }
        [khr::shader_integer_dot_product::NAME, V1_3]
        dot_product: PhysicalDeviceShaderIntegerDotProductFeatures {
            shader_integer_dot_product => profile.integer_dot_product;
        }
        [ext::shader_atomic_float::NAME, NEVER] atomic_float: PhysicalDeviceShaderAtomicFloatFeaturesEXT {
            shader_buffer_float32_atomics && shader_buffer_float32_atomic_add => profile.buffer_float32_add;
            shader_shared_float32_atomics && shader_shared_float32_atomic_add => profile.shared_float32_add;
            shader_buffer_float64_atomic_add => profile.buffer_float64_add;
            shader_shared_float64_atomic_add => profile.shared_float64_add;
        }
        [ext::shader_atomic_float2::NAME, NEVER] atomic_float2: PhysicalDeviceShaderAtomicFloat2FeaturesEXT {
            shader_buffer_float32_atomic_min_max => profile.buffer_float32_min_max;
            shader_shared_float32_atomic_min_max => profile.shared_float32_min_max;
        }
        [khr::shader_clock::NAME, NEVER] clock: PhysicalDeviceShaderClockFeaturesKHR {
            shader_device_clock => profile.device_clock;
            shader_subgroup_clock => profile.subgroup_clock;
        }
    }
    properties {
        [CORE, V1_1] ids: PhysicalDeviceIDProperties {}
        [CORE, V1_1] subgroup: PhysicalDeviceSubgroupProperties {}
        [khr::maintenance3::NAME, V1_1] maintenance3: PhysicalDeviceMaintenance3Properties {}
        [khr::driver_properties::NAME, V1_2] driver: PhysicalDeviceDriverProperties {}
        [khr::shader_float_controls::NAME, V1_2] float_controls: PhysicalDeviceFloatControlsProperties {
            shader_signed_zero_inf_nan_preserve_float16 => profile.signed_zero_inf_nan_preserve_f16;
            shader_signed_zero_inf_nan_preserve_float32 => profile.signed_zero_inf_nan_preserve_f32;
            shader_signed_zero_inf_nan_preserve_float64 => profile.signed_zero_inf_nan_preserve_f64;
            shader_denorm_preserve_float16 => profile.denorm_preserve_f16;
            shader_denorm_preserve_float32 => profile.denorm_preserve_f32;
            shader_denorm_preserve_float64 => profile.denorm_preserve_f64;
            shader_denorm_flush_to_zero_float32 => profile.denorm_flush_f32;
            shader_rounding_mode_rte_float16 => profile.rounding_rte_f16;
            shader_rounding_mode_rte_float32 => profile.rounding_rte_f32;
            shader_rounding_mode_rte_float64 => profile.rounding_rte_f64;
        }
        [khr::maintenance4::NAME, V1_3] maintenance4: PhysicalDeviceMaintenance4Properties {}
        [ext::external_memory_host::NAME, NEVER] host_memory: PhysicalDeviceExternalMemoryHostPropertiesEXT {}
        [ext::pci_bus_info::NAME, NEVER] pci: PhysicalDevicePCIBusInfoPropertiesEXT {}
        [nv::shader_sm_builtins::NAME, NEVER] nvidia_units: PhysicalDeviceShaderSMBuiltinsPropertiesNV {}
        [amd::shader_core_properties::NAME, NEVER] amd_units: PhysicalDeviceShaderCorePropertiesAMD {}
        [amd::shader_core_properties2::NAME, NEVER]
        active_amd_units: PhysicalDeviceShaderCoreProperties2AMD {}
        [arm::shader_core_builtins::NAME, NEVER] arm_units: PhysicalDeviceShaderCoreBuiltinsPropertiesARM {}
    }
    functions {
        [khr::spirv_1_4::NAME, V1_2]
        [khr::shader_non_semantic_info::NAME, V1_3]
        [khr::external_memory_fd::NAME, NEVER]
        [ext::calibrated_timestamps::NAME, NEVER]
        [khr::portability_subset::NAME, NEVER]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
