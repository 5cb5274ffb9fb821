//! The table of Vulkan capabilities: for each one, its extension, its structure, and the field that it sets.
//!
//! The table is a macro that hands its rows to another one. The runtime makes of them what asks a device and
//! enables what it has; [`import`](super::import()) looks the same members up in reports.

/// Gives the rows to the macro of this name.
///
/// A row is `[extension, version from which it is core] name: VkStructure { member => owner.field; }`, with
/// names as ash has them, or would have. An empty extension is what Vulkan 1.1 has without one. The owner is
/// `profile` ([`DeviceProfile`](crate::DeviceProfile)), or `features`, which only the runtime reads. A field
/// is set if all members of its row are. The macro's caller defines `V1_1`, `V1_2`, `V1_3` and `NEVER`.
#[macro_export]
macro_rules! vulkan_capabilities {
    ($use:ident) => {
        $use! {
                core features {
                    shader_int16 => profile.int16;
                    shader_int64 => profile.int64;
                    shader_float64 => profile.float64;
                    shader_storage_image_extended_formats => features.storage_image_extended_formats;
                    shader_storage_image_read_without_format => profile.image_read_without_format;
                    shader_storage_image_write_without_format => profile.image_write_without_format;
                }
                features {
                    [c"VK_KHR_16bit_storage", V1_1] storage_16bit: PhysicalDevice16BitStorageFeatures {
                        storage_buffer16_bit_access => profile.storage_16bit;
                        storage_push_constant16 => profile.push_constant_16bit;
                    }
                    [c"VK_KHR_8bit_storage", V1_2] storage_8bit: PhysicalDevice8BitStorageFeatures {
                        storage_buffer8_bit_access => profile.storage_8bit;
                        storage_push_constant8 => profile.push_constant_8bit;
                    }
                    [c"VK_KHR_shader_float16_int8", V1_2] float16_int8: PhysicalDeviceShaderFloat16Int8Features {
                        shader_float16 => profile.float16;
                        shader_int8 => profile.int8;
                    }
                    [c"VK_KHR_buffer_device_address", V1_2] address: PhysicalDeviceBufferDeviceAddressFeatures {
                        buffer_device_address => profile.buffer_device_address;
                    }
                    [c"VK_KHR_vulkan_memory_model", V1_2] memory_model: PhysicalDeviceVulkanMemoryModelFeatures {
                        vulkan_memory_model && vulkan_memory_model_device_scope => profile.vulkan_memory_model;
                    }
                    [c"VK_KHR_shader_atomic_int64", V1_2] atomic_int64: PhysicalDeviceShaderAtomicInt64Features {
                        shader_buffer_int64_atomics => profile.buffer_int64_atomics;
                        shader_shared_int64_atomics => profile.shared_int64_atomics;
                    }
                    [c"VK_EXT_scalar_block_layout", V1_2] scalar_layout: PhysicalDeviceScalarBlockLayoutFeatures {
                        scalar_block_layout => profile.scalar_block_layout;
                    }
                    [c"VK_KHR_timeline_semaphore", V1_2] timeline: PhysicalDeviceTimelineSemaphoreFeatures {
                        timeline_semaphore => features.timeline_semaphore;
                    }
                    [c"VK_KHR_shader_subgroup_extended_types", V1_2]
                    subgroup_types: PhysicalDeviceShaderSubgroupExtendedTypesFeatures {
                        shader_subgroup_extended_types => profile.subgroup_extended_types;
                    }
                    [c"VK_EXT_subgroup_size_control", V1_3] subgroup_size: PhysicalDeviceSubgroupSizeControlFeatures {
                        subgroup_size_control && compute_full_subgroups => profile.compute_full_subgroups;
                    }
                    [c"VK_KHR_shader_integer_dot_product", V1_3]
                    dot_product: PhysicalDeviceShaderIntegerDotProductFeatures {
                        shader_integer_dot_product => profile.integer_dot_product;
                    }
                    [c"VK_EXT_shader_atomic_float", NEVER] atomic_float: PhysicalDeviceShaderAtomicFloatFeaturesEXT {
                        shader_buffer_float32_atomics && shader_buffer_float32_atomic_add => profile.buffer_float32_add;
                        shader_shared_float32_atomics && shader_shared_float32_atomic_add => profile.shared_float32_add;
                        shader_buffer_float64_atomic_add => profile.buffer_float64_add;
                        shader_shared_float64_atomic_add => profile.shared_float64_add;
                    }
                    [c"VK_EXT_shader_atomic_float2", NEVER] atomic_float2: PhysicalDeviceShaderAtomicFloat2FeaturesEXT {
                        shader_buffer_float32_atomic_min_max => profile.buffer_float32_min_max;
                        shader_shared_float32_atomic_min_max => profile.shared_float32_min_max;
                    }
                    [c"VK_KHR_shader_clock", NEVER] clock: PhysicalDeviceShaderClockFeaturesKHR {
                        shader_device_clock => profile.device_clock;
                        shader_subgroup_clock => profile.subgroup_clock;
                    }
                    [c"VK_KHR_cooperative_matrix", NEVER]
                    cooperative_matrix: PhysicalDeviceCooperativeMatrixFeaturesKHR {
                        cooperative_matrix => features.cooperative_matrix;
                    }
                    [c"VK_KHR_shader_bfloat16", NEVER] bfloat16: PhysicalDeviceShaderBfloat16FeaturesKHR {
                        shader_b_float16_type && shader_b_float16_cooperative_matrix => features.bfloat16_matrices;
                    }
                    [c"VK_KHR_pipeline_executable_properties", NEVER]
                    executables: PhysicalDevicePipelineExecutablePropertiesFeaturesKHR {
                        pipeline_executable_info => features.pipeline_executable_info;
                    }
                    [c"VK_KHR_performance_query", NEVER] performance: PhysicalDevicePerformanceQueryFeaturesKHR {
                        performance_counter_query_pools => features.performance_queries;
                    }
                    [c"VK_EXT_map_memory_placed", NEVER] placed: PhysicalDeviceMapMemoryPlacedFeaturesEXT {
                        memory_map_placed => features.memory_map_placed;
                    }
                }
                properties {
                    [c"", V1_1] ids: PhysicalDeviceIDProperties {}
                    [c"", V1_1] subgroup: PhysicalDeviceSubgroupProperties {}
                    [c"VK_KHR_maintenance3", V1_1] maintenance3: PhysicalDeviceMaintenance3Properties {}
                    [c"VK_KHR_driver_properties", V1_2] driver: PhysicalDeviceDriverProperties {}
                    [c"VK_KHR_shader_float_controls", V1_2] float_controls: PhysicalDeviceFloatControlsProperties {
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
                    [c"VK_KHR_maintenance4", V1_3] maintenance4: PhysicalDeviceMaintenance4Properties {}
                    [c"VK_EXT_external_memory_host", NEVER] host_memory: PhysicalDeviceExternalMemoryHostPropertiesEXT {}
                    [c"VK_EXT_map_memory_placed", NEVER] placement: PhysicalDeviceMapMemoryPlacedPropertiesEXT {}
                    [c"VK_EXT_pci_bus_info", NEVER] pci: PhysicalDevicePCIBusInfoPropertiesEXT {}
                    [c"VK_NV_shader_sm_builtins", NEVER] nvidia_units: PhysicalDeviceShaderSMBuiltinsPropertiesNV {}
                    [c"VK_AMD_shader_core_properties", NEVER] amd_units: PhysicalDeviceShaderCorePropertiesAMD {}
                    [c"VK_AMD_shader_core_properties2", NEVER]
                    active_amd_units: PhysicalDeviceShaderCoreProperties2AMD {}
                    [c"VK_ARM_shader_core_builtins", NEVER] arm_units: PhysicalDeviceShaderCoreBuiltinsPropertiesARM {}
                }
                functions {
                    [c"VK_KHR_spirv_1_4", V1_2]
                    [c"VK_KHR_shader_non_semantic_info", V1_3]
                    [c"VK_KHR_map_memory2", NEVER]
                    [c"VK_KHR_external_memory_fd", NEVER]
                    [c"VK_EXT_external_memory_dma_buf", NEVER]
                    [c"VK_KHR_external_semaphore_fd", NEVER]
                    [c"VK_EXT_calibrated_timestamps", NEVER]
                    [c"VK_EXT_memory_budget", NEVER]
                    [c"VK_KHR_portability_subset", NEVER]
                    [c"VK_KHR_swapchain", NEVER]
                }
                limits {
                    max_push_constants_size => profile.max_push_constants;
                    max_compute_shared_memory_size => profile.max_local_memory;
                    max_compute_work_group_invocations => profile.max_work_group_invocations;
                    max_compute_work_group_size => profile.max_work_group_size;
                    max_compute_work_group_count => profile.max_work_group_count;
                    max_storage_buffer_range => profile.max_storage_buffer_range;
                    max_per_stage_descriptor_storage_images => profile.max_storage_images;
                    max_per_stage_descriptor_sampled_images => profile.max_sampled_images;
                    max_per_stage_descriptor_samplers => profile.max_samplers;
                    max_per_stage_descriptor_storage_buffers => profile.max_storage_buffers;
                }
        }
    };
}
