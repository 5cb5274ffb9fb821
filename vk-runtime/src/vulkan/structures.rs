//! The structures of the table of capabilities: ash's, and those that are newer than it.

pub(super) use ash::vk::*;
use std::ffi::c_void;
use std::marker::PhantomData;

/// `VkPhysicalDeviceShaderBfloat16FeaturesKHR` (`VK_KHR_shader_bfloat16`).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(super) struct PhysicalDeviceShaderBfloat16FeaturesKHR<'a> {
    s_type: StructureType,
    p_next: *mut c_void,
    pub(super) shader_b_float16_type: Bool32,
    shader_b_float16_dot_product: Bool32,
    pub(super) shader_b_float16_cooperative_matrix: Bool32,
    lifetime: PhantomData<&'a ()>,
}

impl Default for PhysicalDeviceShaderBfloat16FeaturesKHR<'_> {
    fn default() -> Self {
        PhysicalDeviceShaderBfloat16FeaturesKHR {
            s_type: Self::STRUCTURE_TYPE,
            p_next: std::ptr::null_mut(),
            shader_b_float16_type: FALSE,
            shader_b_float16_dot_product: FALSE,
            shader_b_float16_cooperative_matrix: FALSE,
            lifetime: PhantomData,
        }
    }
}

// SAFETY: the structure begins as every structure of a chain, with the number that Vulkan gives it.
unsafe impl<'a> TaggedStructure for PhysicalDeviceShaderBfloat16FeaturesKHR<'a> {
    const STRUCTURE_TYPE: StructureType = StructureType::from_raw(1_000_141_000);
}

// SAFETY: Vulkan lets the structure extend `VkPhysicalDeviceFeatures2`.
unsafe impl ExtendsPhysicalDeviceFeatures2 for PhysicalDeviceShaderBfloat16FeaturesKHR<'_> {}
