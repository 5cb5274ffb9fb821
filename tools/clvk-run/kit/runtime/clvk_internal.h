/* What the files of libclvk_launch share. Applications do not include it.
 *
 * A function that returns a `clvk_status` has described its failure with `clvk_fail` before it returns it, and has
 * released what it had acquired. */
#ifndef CLVK_INTERNAL_H
#define CLVK_INTERNAL_H

#ifndef VK_NO_PROTOTYPES
#define VK_NO_PROTOTYPES
#endif
#include <vulkan/vulkan.h>

#include "clvk_drivers.h"
#include "clvk_program_data.h"

#define CLVK_GLOBAL_FUNCTIONS(X) X(CreateInstance)

#define CLVK_INSTANCE_FUNCTIONS(X) \
  X(DestroyInstance) X(EnumeratePhysicalDevices) X(GetPhysicalDeviceProperties) X(GetPhysicalDeviceProperties2) \
  X(GetPhysicalDeviceFeatures2) X(GetPhysicalDeviceMemoryProperties) X(GetPhysicalDeviceQueueFamilyProperties) \
  X(GetPhysicalDeviceFormatProperties) X(GetPhysicalDeviceImageFormatProperties) \
  X(EnumerateDeviceExtensionProperties) X(CreateDevice) X(GetDeviceProcAddr)

/* `GetBufferDeviceAddress` is missing on devices without buffer addresses. */
#define CLVK_DEVICE_FUNCTIONS(X) \
  X(DestroyDevice) X(GetDeviceQueue) X(DeviceWaitIdle) X(CreateCommandPool) X(DestroyCommandPool) \
  X(ResetCommandPool) X(AllocateCommandBuffers) X(BeginCommandBuffer) X(EndCommandBuffer) X(CreateFence) \
  X(DestroyFence) X(ResetFences) X(WaitForFences) X(QueueSubmit) X(CreatePipelineCache) X(DestroyPipelineCache) \
  X(GetPipelineCacheData) X(MergePipelineCaches) X(CreateBuffer) X(DestroyBuffer) X(GetBufferMemoryRequirements) \
  X(BindBufferMemory) X(AllocateMemory) X(FreeMemory) X(MapMemory) X(CreateImage) X(DestroyImage) \
  X(GetImageMemoryRequirements) X(BindImageMemory) X(CreateImageView) X(DestroyImageView) X(CreateSampler) \
  X(DestroySampler) X(CreateShaderModule) X(DestroyShaderModule) X(CreateDescriptorSetLayout) \
  X(DestroyDescriptorSetLayout) X(CreatePipelineLayout) X(DestroyPipelineLayout) X(CreateComputePipelines) \
  X(DestroyPipeline) X(CreateDescriptorPool) X(DestroyDescriptorPool) X(ResetDescriptorPool) X(AllocateDescriptorSets) \
  X(UpdateDescriptorSets) X(CmdPipelineBarrier) X(CmdBindPipeline) X(CmdBindDescriptorSets) X(CmdPushConstants) \
  X(CmdDispatch) X(CmdCopyBuffer) X(CmdFillBuffer) X(CmdCopyBufferToImage) X(CmdCopyImageToBuffer)

typedef struct clvk_functions {
  PFN_vkGetInstanceProcAddr GetInstanceProcAddr;
  /* Missing in loaders of Vulkan 1.0. */
  PFN_vkEnumerateInstanceVersion EnumerateInstanceVersion;
  PFN_vkGetBufferDeviceAddress GetBufferDeviceAddress;
#define CLVK_MEMBER(name) PFN_vk##name name;
  CLVK_GLOBAL_FUNCTIONS(CLVK_MEMBER)
  CLVK_INSTANCE_FUNCTIONS(CLVK_MEMBER)
  CLVK_DEVICE_FUNCTIONS(CLVK_MEMBER)
#undef CLVK_MEMBER
} clvk_functions;

/* What launches need until the device is done with them. */
typedef struct clvk_temporary {
  struct clvk_temporary *next;
  clvk_buffer *buffer;
  VkDescriptorPool pool;
  /* The kernel whose loops are watched, and the word that is set if the driver ends one of them. */
  const char *watched;
  const uint8_t *word;
} clvk_temporary;

struct clvk_device {
  void *library;
  clvk_functions vk;
  VkInstance instance;
  VkPhysicalDevice physical;
  VkDevice device;
  VkQueue queue;
  uint32_t family;
  VkPhysicalDeviceProperties properties;
  VkPhysicalDeviceMemoryProperties memory;
  /* The device's version of Vulkan, as far as this library knows it. */
  uint32_t version;
  clvk_needs has;
  uint32_t spirv_version;
  uint32_t subgroup_size;
  uint64_t max_allocation;
  uint64_t quirks, guarantees;
  VkPipelineCache cache;
  VkCommandPool pool;
  VkCommandBuffer commands;
  VkFence fence;
  /* Commands that are recorded and not submitted. */
  uint32_t recorded;
  clvk_temporary *temporaries;
  /* Descriptors of the launches that are recorded, and the same for their arguments in memory. They are made when they
   * are first needed, and used again when the device is done. */
  VkDescriptorPool descriptors;
  clvk_buffer *arguments;
  uint64_t arguments_used;
  /* For copies where the host does not see the memory; made when it is first needed. */
  clvk_buffer *staging;
};

struct clvk_buffer {
  clvk_device *device;
  VkBuffer buffer;
  VkDeviceMemory memory;
  /* What was asked for; the buffer is up to a word larger. */
  uint64_t size;
  uint64_t whole;
  VkDeviceAddress address;
  /* NULL if the host does not see the memory. */
  uint8_t *pointer;
};

struct clvk_image {
  clvk_device *device;
  clvk_image_description description;
  VkImage image;
  VkDeviceMemory memory;
  VkImageView view;
  uint32_t format_word;
  VkImageUsageFlags usage;
};

struct clvk_sampler {
  clvk_device *device;
  VkSampler sampler;
  /* For coordinates in texels. */
  VkSampler texel_sampler;
  uint32_t word;
};

/* A pipeline, and what it is specialised for. */
typedef struct clvk_pipeline {
  struct clvk_pipeline *next;
  VkPipeline pipeline;
  uint32_t local[3], enqueued[3];
  /* Numbers of elements of the local arguments, in order. */
  uint32_t local_count;
  uint32_t *locals;
} clvk_pipeline;

typedef struct clvk_kernel_state {
  VkDescriptorSetLayout set;
  VkPipelineLayout layout;
  clvk_sampler **samplers;
  clvk_pipeline *pipelines;
} clvk_kernel_state;

struct clvk_program {
  clvk_device *device;
  const clvk_program_data *data;
  const clvk_variant *variant;
  VkShaderModule module;
  clvk_kernel_state *kernels;
  clvk_buffer *variables;
};

/* Notes a failure for `clvk_message`, and gives its status. */
clvk_status clvk_fail(clvk_status status, const char *format, ...);
/* The same for an error of Vulkan; `action` completes "cannot …". */
clvk_status clvk_fail_vulkan(VkResult result, const char *action);
/* Zeroed memory for `count` objects; NULL if there is none, after noting the failure. */
void *clvk_allocate(size_t count, size_t size);

/* Finds out what the chosen device has, and opens it. */
clvk_status clvk_open_with_features(clvk_device *device);

/* Begins a command, after a barrier behind those before it. */
clvk_status clvk_begin(clvk_device *device);
void clvk_barrier(clvk_device *device);
/* Takes over a buffer or a pool, which it destroys when the device is done, or if it fails. */
clvk_status clvk_keep(clvk_device *device, clvk_buffer *buffer, VkDescriptorPool pool);
/* Looks at a word when the device is done: it is not 0 if loops of a kernel were ended. */
clvk_status clvk_watch_loops(clvk_device *device, const char *kernel, const uint8_t *word);

/* Buffers for arguments are small, and mapped on every device. */
typedef enum clvk_use { CLVK_FOR_KERNELS, CLVK_FOR_ARGUMENTS, CLVK_FOR_STAGING } clvk_use;
clvk_status clvk_create_memory(clvk_device *device, const VkMemoryRequirements *requirements, clvk_use use,
                               int with_address, VkDeviceMemory *memory, int *visible);
clvk_status clvk_create_buffer(clvk_device *device, uint64_t size, clvk_use use, clvk_buffer **buffer);
/* The staging buffer, with room for at least `size` bytes. */
clvk_status clvk_staging(clvk_device *device, uint64_t size, clvk_buffer **staging);

/* The pipeline of a kernel for these sizes; compiled if it is new. */
clvk_status clvk_get_pipeline(clvk_program *program, uint32_t kernel, const uint32_t local[3],
                              const uint32_t enqueued[3], const uint32_t *locals, uint32_t local_count,
                              VkPipeline *pipeline);

/* One dispatch: the numbers of its first work-group and of its work-groups, and their size. */
typedef struct clvk_dispatch {
  uint32_t first[3], count[3], local[3];
} clvk_dispatch;

/* A launch, checked and divided into dispatches. */
typedef struct clvk_plan {
  uint32_t dimensions;
  uint32_t local[3], global[3], offset[3];
  clvk_dispatch *dispatches;
  uint32_t dispatch_count;
  /* Bytes of private memory for the largest dispatch. */
  uint64_t private_memory;
} clvk_plan;

/* Fills in a plan, whose dispatches the caller frees. */
clvk_status clvk_make_plan(const clvk_program *program, uint32_t kernel, const clvk_range *range, clvk_plan *plan);

#endif
