/* What a device has: the features that kernels can use are found, and enabled when the device is opened. */
#include "clvk_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The structures of Vulkan that hold features, each with its extension and the version that includes it. */
#define CLVK_NEVER UINT32_MAX
#define CLVK_FEATURES(X)                                                                                            \
  X(storage16, VkPhysicalDevice16BitStorageFeatures, PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES,                        \
    "VK_KHR_16bit_storage", VK_API_VERSION_1_1)                                                                     \
  X(storage8, VkPhysicalDevice8BitStorageFeatures, PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES, "VK_KHR_8bit_storage",    \
    VK_API_VERSION_1_2)                                                                                             \
  X(small, VkPhysicalDeviceShaderFloat16Int8Features, PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES,                 \
    "VK_KHR_shader_float16_int8", VK_API_VERSION_1_2)                                                               \
  X(address, VkPhysicalDeviceBufferDeviceAddressFeatures, PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES,           \
    "VK_KHR_buffer_device_address", VK_API_VERSION_1_2)                                                             \
  X(model, VkPhysicalDeviceVulkanMemoryModelFeatures, PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES,                 \
    "VK_KHR_vulkan_memory_model", VK_API_VERSION_1_2)                                                               \
  X(atomic64, VkPhysicalDeviceShaderAtomicInt64Features, PHYSICAL_DEVICE_SHADER_ATOMIC_INT64_FEATURES,              \
    "VK_KHR_shader_atomic_int64", VK_API_VERSION_1_2)                                                               \
  X(scalar, VkPhysicalDeviceScalarBlockLayoutFeatures, PHYSICAL_DEVICE_SCALAR_BLOCK_LAYOUT_FEATURES,                \
    "VK_EXT_scalar_block_layout", VK_API_VERSION_1_2)                                                               \
  X(subgroup_types, VkPhysicalDeviceShaderSubgroupExtendedTypesFeatures,                                            \
    PHYSICAL_DEVICE_SHADER_SUBGROUP_EXTENDED_TYPES_FEATURES, "VK_KHR_shader_subgroup_extended_types",               \
    VK_API_VERSION_1_2)                                                                                             \
  X(subgroup_size, VkPhysicalDeviceSubgroupSizeControlFeatures, PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES,     \
    "VK_EXT_subgroup_size_control", VK_API_VERSION_1_3)                                                             \
  X(dot, VkPhysicalDeviceShaderIntegerDotProductFeatures, PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES,      \
    "VK_KHR_shader_integer_dot_product", VK_API_VERSION_1_3)                                                        \
  X(atomic_float, VkPhysicalDeviceShaderAtomicFloatFeaturesEXT, PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT,   \
    "VK_EXT_shader_atomic_float", CLVK_NEVER)                                                                       \
  X(atomic_float2, VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT,                                                   \
    PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_2_FEATURES_EXT, "VK_EXT_shader_atomic_float2", CLVK_NEVER)                  \
  X(clock, VkPhysicalDeviceShaderClockFeaturesKHR, PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR,                       \
    "VK_KHR_shader_clock", CLVK_NEVER)

/* Their members: what both of them grant. */
#define CLVK_MEMBERS(X)                                                                                             \
  X(storage16, storageBuffer16BitAccess, storageBuffer16BitAccess, storage_16bit)                                   \
  X(storage16, storagePushConstant16, storagePushConstant16, push_constant_16bit)                                   \
  X(storage8, storageBuffer8BitAccess, storageBuffer8BitAccess, storage_8bit)                                       \
  X(storage8, storagePushConstant8, storagePushConstant8, push_constant_8bit)                                       \
  X(small, shaderFloat16, shaderFloat16, float16)                                                                   \
  X(small, shaderInt8, shaderInt8, int8)                                                                            \
  X(address, bufferDeviceAddress, bufferDeviceAddress, buffer_device_address)                                       \
  X(model, vulkanMemoryModel, vulkanMemoryModelDeviceScope, vulkan_memory_model)                                    \
  X(atomic64, shaderBufferInt64Atomics, shaderBufferInt64Atomics, buffer_int64_atomics)                             \
  X(atomic64, shaderSharedInt64Atomics, shaderSharedInt64Atomics, shared_int64_atomics)                             \
  X(scalar, scalarBlockLayout, scalarBlockLayout, scalar_block_layout)                                              \
  X(subgroup_types, shaderSubgroupExtendedTypes, shaderSubgroupExtendedTypes, subgroup_extended_types)              \
  X(subgroup_size, subgroupSizeControl, computeFullSubgroups, compute_full_subgroups)                               \
  X(dot, shaderIntegerDotProduct, shaderIntegerDotProduct, integer_dot_product)                                     \
  X(atomic_float, shaderBufferFloat32Atomics, shaderBufferFloat32AtomicAdd, buffer_float32_add)                     \
  X(atomic_float, shaderSharedFloat32Atomics, shaderSharedFloat32AtomicAdd, shared_float32_add)                     \
  X(atomic_float, shaderBufferFloat64AtomicAdd, shaderBufferFloat64AtomicAdd, buffer_float64_add)                   \
  X(atomic_float, shaderSharedFloat64AtomicAdd, shaderSharedFloat64AtomicAdd, shared_float64_add)                   \
  X(atomic_float2, shaderBufferFloat32AtomicMinMax, shaderBufferFloat32AtomicMinMax, buffer_float32_min_max)        \
  X(atomic_float2, shaderSharedFloat32AtomicMinMax, shaderSharedFloat32AtomicMinMax, shared_float32_min_max)        \
  X(clock, shaderDeviceClock, shaderDeviceClock, device_clock)                                                      \
  X(clock, shaderSubgroupClock, shaderSubgroupClock, subgroup_clock)

/* Features of Vulkan 1.0. */
#define CLVK_CORE_MEMBERS(X)                                             \
  X(shaderInt16, int16)                                                  \
  X(shaderInt64, int64)                                                  \
  X(shaderFloat64, float64)                                              \
  X(shaderStorageImageReadWithoutFormat, image_read_without_format)      \
  X(shaderStorageImageWriteWithoutFormat, image_write_without_format)

/* Properties that grant something. */
#define CLVK_FLOAT_CONTROLS(X)                                                    \
  X(shaderSignedZeroInfNanPreserveFloat16, signed_zero_inf_nan_preserve_f16)      \
  X(shaderSignedZeroInfNanPreserveFloat32, signed_zero_inf_nan_preserve_f32)      \
  X(shaderSignedZeroInfNanPreserveFloat64, signed_zero_inf_nan_preserve_f64)      \
  X(shaderDenormPreserveFloat16, denorm_preserve_f16)                             \
  X(shaderDenormPreserveFloat32, denorm_preserve_f32)                             \
  X(shaderDenormPreserveFloat64, denorm_preserve_f64)                             \
  X(shaderRoundingModeRTEFloat16, rounding_rte_f16)                               \
  X(shaderRoundingModeRTEFloat32, rounding_rte_f32)                               \
  X(shaderRoundingModeRTEFloat64, rounding_rte_f64)

/* Extensions without features, which SPIR-V or a structure needs. */
#define CLVK_EXTENSIONS(X)                                                 \
  X("VK_KHR_spirv_1_4", VK_API_VERSION_1_2)                                \
  X("VK_KHR_shader_float_controls", VK_API_VERSION_1_2)                    \
  X("VK_KHR_driver_properties", VK_API_VERSION_1_2)                        \
  X("VK_KHR_shader_non_semantic_info", VK_API_VERSION_1_3)                 \
  X("VK_KHR_portability_subset", CLVK_NEVER)

enum { CLVK_MOST_EXTENSIONS = 32 };

typedef struct clvk_features {
  VkPhysicalDeviceFeatures2 all;
#define CLVK_FIELD(field, type, tag, extension, core) type field;
  CLVK_FEATURES(CLVK_FIELD)
#undef CLVK_FIELD
} clvk_features;

/* The extensions that the device lists. */
typedef struct clvk_offer {
  VkExtensionProperties *extensions;
  uint32_t count;
  uint32_t version;
} clvk_offer;

static int clvk_lists(const clvk_offer *offer, const char *name) {
  uint32_t i;
  for (i = 0; i < offer->count; ++i)
    if (!strcmp(offer->extensions[i].extensionName, name)) return 1;
  return 0;
}

static int clvk_offers(const clvk_offer *offer, const char *name, uint32_t core) {
  return core <= offer->version || clvk_lists(offer, name);
}

static clvk_status clvk_read_offer(clvk_device *device, clvk_offer *offer) {
  VkResult result = device->vk.EnumerateDeviceExtensionProperties(device->physical, NULL, &offer->count, NULL);
  if (result != VK_SUCCESS) return clvk_fail_vulkan(result, "list the device's extensions");
  offer->extensions = clvk_allocate(offer->count, sizeof *offer->extensions);
  if (!offer->extensions) return CLVK_OUT_OF_MEMORY;
  result =
      device->vk.EnumerateDeviceExtensionProperties(device->physical, NULL, &offer->count, offer->extensions);
  return result < 0 ? clvk_fail_vulkan(result, "list the device's extensions") : CLVK_OK;
}

/* Links the structures that the device knows. */
static void clvk_link(clvk_features *features, const clvk_offer *offer) {
  memset(features, 0, sizeof *features);
  features->all.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
#define CLVK_CHAIN(field, type, tag, extension, core)     \
  if (clvk_offers(offer, extension, core)) {              \
    features->field.sType = VK_STRUCTURE_TYPE_##tag;      \
    features->field.pNext = features->all.pNext;          \
    features->all.pNext = &features->field;               \
  }
  CLVK_FEATURES(CLVK_CHAIN)
#undef CLVK_CHAIN
}

/* The driver's version, as major << 16 | minor. Mesa says it in words. */
static uint32_t clvk_driver_version(uint32_t number, const char *info) {
  unsigned major, minor;
  if (sscanf(info, "Mesa %5u.%5u", &major, &minor) == 2 && major <= 0xffff && minor <= 0xffff)
    return major << 16 | minor;
  return (number >> 22) << 16 | (number >> 12 & 0x3ff);
}

static void clvk_read_properties(clvk_device *device, const clvk_offer *offer) {
  VkPhysicalDeviceProperties2 all = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, NULL, {0}};
  VkPhysicalDeviceSubgroupProperties subgroup;
  VkPhysicalDeviceMaintenance3Properties maintenance;
  VkPhysicalDeviceFloatControlsProperties floats;
  VkPhysicalDeviceDriverProperties driver;
  size_t i;
  memset(&subgroup, 0, sizeof subgroup);
  memset(&maintenance, 0, sizeof maintenance);
  memset(&floats, 0, sizeof floats);
  memset(&driver, 0, sizeof driver);
  subgroup.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES;
  maintenance.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES;
  maintenance.pNext = &subgroup;
  all.pNext = &maintenance;
  if (clvk_offers(offer, "VK_KHR_shader_float_controls", VK_API_VERSION_1_2)) {
    floats.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES;
    floats.pNext = all.pNext;
    all.pNext = &floats;
  }
  if (clvk_offers(offer, "VK_KHR_driver_properties", VK_API_VERSION_1_2)) {
    driver.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES;
    driver.pNext = all.pNext;
    all.pNext = &driver;
  }
  device->vk.GetPhysicalDeviceProperties2(device->physical, &all);
  device->max_allocation = maintenance.maxMemoryAllocationSize;
#define CLVK_CONTROL(member, name) \
  if (floats.member) device->has |= CLVK_HAS(name);
  CLVK_FLOAT_CONTROLS(CLVK_CONTROL)
#undef CLVK_CONTROL
  /* A mode that cannot be chosen independently of other widths is not used. */
  if (floats.shaderDenormFlushToZeroFloat32 &&
      floats.denormBehaviorIndependence != VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_NONE)
    device->has |= CLVK_HAS(denorm_flush_f32);
  device->subgroup_size = subgroup.subgroupSize;
  if (subgroup.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT) {
    VkSubgroupFeatureFlags has = subgroup.supportedOperations;
    VkSubgroupFeatureFlags arithmetic = VK_SUBGROUP_FEATURE_VOTE_BIT | VK_SUBGROUP_FEATURE_ARITHMETIC_BIT |
                                        VK_SUBGROUP_FEATURE_BALLOT_BIT;
    if ((has & arithmetic) == arithmetic) device->has |= CLVK_HAS(subgroup_arithmetic);
    if (has & VK_SUBGROUP_FEATURE_SHUFFLE_BIT) device->has |= CLVK_HAS(subgroup_shuffle);
    if (has & VK_SUBGROUP_FEATURE_CLUSTERED_BIT) device->has |= CLVK_HAS(subgroup_clustered);
  }
  for (i = 0; i < sizeof clvk_driver_facts / sizeof *clvk_driver_facts; ++i) {
    const clvk_driver_fact *fact = &clvk_driver_facts[i];
    uint32_t version = clvk_driver_version(device->properties.driverVersion, driver.driverInfo);
    if (fact->driver != (int)driver.driverID || version < fact->from || version >= fact->until) continue;
    device->quirks |= fact->quirk;
    device->guarantees |= fact->guarantee;
  }
}

static uint32_t clvk_highest_spirv(const clvk_offer *offer) {
  if (offer->version >= VK_API_VERSION_1_3) return 0x106;
  if (offer->version >= VK_API_VERSION_1_2) return 0x105;
  return clvk_lists(offer, "VK_KHR_spirv_1_4") ? 0x104 : 0x103;
}

/* Asks for the features that kernels can use, and opens the device with them. */
static clvk_status clvk_create_device(clvk_device *device, const clvk_offer *offer) {
  clvk_features found, wanted;
  const char *names[CLVK_MOST_EXTENSIONS];
  float priority = 1;
  VkDeviceQueueCreateInfo queue = {VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, NULL, 0, 0, 1, NULL};
  VkDeviceCreateInfo info = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, NULL, 0, 1, NULL, 0, NULL, 0, NULL, NULL};
  VkResult result;
  clvk_link(&found, offer);
  clvk_link(&wanted, offer);
  device->vk.GetPhysicalDeviceFeatures2(device->physical, &found.all);
#define CLVK_TAKE(field, first, second, name)                                 \
  if (found.field.first && found.field.second) {                              \
    wanted.field.first = VK_TRUE;                                             \
    wanted.field.second = VK_TRUE;                                            \
    device->has |= CLVK_HAS(name);                                            \
  }
  CLVK_MEMBERS(CLVK_TAKE)
#undef CLVK_TAKE
#define CLVK_TAKE(member, name)                                               \
  if (found.all.features.member) {                                            \
    wanted.all.features.member = VK_TRUE;                                     \
    device->has |= CLVK_HAS(name);                                            \
  }
  CLVK_CORE_MEMBERS(CLVK_TAKE)
#undef CLVK_TAKE
  wanted.all.features.shaderStorageImageExtendedFormats = found.all.features.shaderStorageImageExtendedFormats;
#define CLVK_NAME(name, core) \
  if (core > offer->version && clvk_lists(offer, name)) names[info.enabledExtensionCount++] = name;
#define CLVK_NAME_OF(field, type, tag, name, core) CLVK_NAME(name, core)
  CLVK_FEATURES(CLVK_NAME_OF)
  CLVK_EXTENSIONS(CLVK_NAME)
#undef CLVK_NAME_OF
#undef CLVK_NAME
  queue.queueFamilyIndex = device->family;
  queue.pQueuePriorities = &priority;
  info.pNext = &wanted.all;
  info.pQueueCreateInfos = &queue;
  info.ppEnabledExtensionNames = names;
  result = device->vk.CreateDevice(device->physical, &info, NULL, &device->device);
  if (result != VK_SUCCESS) {
    device->device = VK_NULL_HANDLE;
    return clvk_fail_vulkan(result, "open the device");
  }
  return CLVK_OK;
}

clvk_status clvk_open_with_features(clvk_device *device) {
  clvk_offer offer = {NULL, 0, 0};
  clvk_status status;
  offer.version = device->version;
  status = clvk_read_offer(device, &offer);
  if (!status) {
    device->spirv_version = clvk_highest_spirv(&offer);
    clvk_read_properties(device, &offer);
    status = clvk_create_device(device, &offer);
  }
  free(offer.extensions);
  return status;
}
