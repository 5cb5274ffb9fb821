//! The capabilities that are ever declared, and the device feature that grants each. No other module knows
//! them.

use clvk_interface::{DeviceProfile, MatrixElement};
use rspirv::spirv::Capability;

/// A capability and what grants it.
pub struct Grant {
    /// The capability.
    pub capability: Capability,
    /// The Vulkan feature or property, for messages; empty if every device grants it.
    pub feature: &'static str,
    /// Whether a device grants it.
    pub granted: fn(&DeviceProfile) -> bool,
}

const fn grant(capability: Capability, feature: &'static str, granted: fn(&DeviceProfile) -> bool) -> Grant {
    Grant { capability, feature, granted }
}

/// All grants.
#[rustfmt::skip]
pub static GRANTS: &[Grant] = &[
    grant(Capability::Shader, "", |_| true),
    grant(Capability::Sampled1D, "", |_| true),
    grant(Capability::Image1D, "", |_| true),
    grant(Capability::SampledBuffer, "", |_| true),
    grant(Capability::ImageBuffer, "", |_| true),
    grant(Capability::ImageQuery, "", |_| true),
    grant(Capability::Int8, "shaderInt8", |p| p.int8),
    grant(Capability::Int16, "shaderInt16", |p| p.int16),
    grant(Capability::Int64, "shaderInt64", |p| p.int64),
    grant(Capability::Float16, "shaderFloat16", |p| p.float16),
    grant(Capability::Float64, "shaderFloat64", |p| p.float64),
    grant(Capability::StorageBuffer8BitAccess, "storageBuffer8BitAccess", |p| p.storage_8bit),
    grant(Capability::StorageBuffer16BitAccess, "storageBuffer16BitAccess", |p| p.storage_16bit),
    grant(Capability::StoragePushConstant8, "storagePushConstant8", |p| p.push_constant_8bit),
    grant(Capability::StoragePushConstant16, "storagePushConstant16", |p| p.push_constant_16bit),
    grant(Capability::Int64Atomics, "shaderBufferInt64Atomics", |p| p.buffer_int64_atomics || p.shared_int64_atomics),
    grant(Capability::GroupNonUniform, "subgroup operations", DeviceProfile::has_sub_groups),
    grant(Capability::GroupNonUniformVote, "subgroup operations", DeviceProfile::has_sub_groups),
    grant(Capability::GroupNonUniformBallot, "subgroup operations", DeviceProfile::has_sub_groups),
    grant(Capability::GroupNonUniformArithmetic, "subgroup operations", DeviceProfile::has_sub_groups),
    grant(Capability::GroupNonUniformShuffle, "subgroup shuffles", |p| p.subgroup_shuffle),
    grant(Capability::GroupNonUniformClustered, "clustered subgroup operations", |p| p.subgroup_clustered),
    grant(Capability::AtomicFloat32AddEXT, "shaderBufferFloat32AtomicAdd", |p| p.buffer_float32_add || p.shared_float32_add),
    grant(Capability::AtomicFloat64AddEXT, "shaderBufferFloat64AtomicAdd", |p| p.buffer_float64_add || p.shared_float64_add),
    grant(Capability::AtomicFloat32MinMaxEXT, "shaderBufferFloat32AtomicMinMax", |p| p.buffer_float32_min_max || p.shared_float32_min_max),
    grant(Capability::DotProduct, "shaderIntegerDotProduct", |p| p.integer_dot_product),
    grant(Capability::DotProductInput4x8BitPacked, "shaderIntegerDotProduct", |p| p.integer_dot_product),
    grant(Capability::CooperativeMatrixKHR, "cooperativeMatrix", |p| !p.matrices.is_empty()),
    grant(Capability::BFloat16TypeKHR, "shaderBFloat16Type", has_bfloat16),
    grant(Capability::BFloat16CooperativeMatrixKHR, "shaderBFloat16CooperativeMatrix", has_bfloat16),
    grant(Capability::ShaderClockKHR, "shaderDeviceClock", |p| p.device_clock || p.subgroup_clock),
    grant(Capability::VulkanMemoryModel, "vulkanMemoryModel", |p| p.vulkan_memory_model),
    grant(Capability::VulkanMemoryModelDeviceScope, "vulkanMemoryModelDeviceScope", |p| p.vulkan_memory_model),
    grant(Capability::PhysicalStorageBufferAddresses, "bufferDeviceAddress", |p| p.buffer_device_address),
    grant(Capability::SignedZeroInfNanPreserve, "shaderSignedZeroInfNanPreserve", |p| p.signed_zero_inf_nan_preserve_f16 || p.signed_zero_inf_nan_preserve_f32 || p.signed_zero_inf_nan_preserve_f64),
    grant(Capability::DenormPreserve, "shaderDenormPreserve", |p| p.denorm_preserve_f16 || p.denorm_preserve_f32 || p.denorm_preserve_f64),
    grant(Capability::DenormFlushToZero, "shaderDenormFlushToZeroFloat32", |p| p.denorm_flush_f32),
    grant(Capability::RoundingModeRTE, "shaderRoundingModeRTE", |p| p.rounding_rte_f16 || p.rounding_rte_f32 || p.rounding_rte_f64),
    grant(Capability::StorageImageReadWithoutFormat, "shaderStorageImageReadWithoutFormat", |p| p.image_read_without_format),
    grant(Capability::StorageImageWriteWithoutFormat, "shaderStorageImageWriteWithoutFormat", |p| p.image_write_without_format),
];

/// Whether there is an engine for matrices of bfloat16, which are all that is done with it.
fn has_bfloat16(profile: &DeviceProfile) -> bool {
    profile.matrices.iter().any(|product| product.elements.contains(&MatrixElement::BF16))
}

/// What grants a capability.
///
/// # Panics
/// If it is not in the table: whoever declares a new one adds a row.
pub fn grant_of(capability: Capability) -> &'static Grant {
    GRANTS
        .iter()
        .find(|grant| grant.capability == capability)
        .unwrap_or_else(|| panic!("nothing is known to grant the capability {capability:?}"))
}
