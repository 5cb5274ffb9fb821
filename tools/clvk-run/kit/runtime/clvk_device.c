/* Vulkan, devices, and the commands that wait to be submitted. */
#if !defined(_WIN32) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#include "clvk_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#include <windows.h>
#else
#include <dlfcn.h>
#endif

/* ---- Failures ---- */

#if defined(_MSC_VER)
#define CLVK_THREAD_LOCAL __declspec(thread)
#else
#define CLVK_THREAD_LOCAL __thread
#endif

static CLVK_THREAD_LOCAL char clvk_text[512];

const char *clvk_message(void) { return clvk_text; }

clvk_status clvk_fail(clvk_status status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(clvk_text, sizeof clvk_text, format, arguments);
  va_end(arguments);
  return status;
}

clvk_status clvk_fail_vulkan(VkResult result, const char *action) {
  switch (result) {
  case VK_ERROR_OUT_OF_HOST_MEMORY:
  case VK_ERROR_OUT_OF_DEVICE_MEMORY:
  case VK_ERROR_OUT_OF_POOL_MEMORY:
  case VK_ERROR_TOO_MANY_OBJECTS:
    return clvk_fail(CLVK_OUT_OF_MEMORY, "cannot %s: out of memory (VkResult %d)", action, (int)result);
  case VK_ERROR_DEVICE_LOST:
    return clvk_fail(CLVK_DEVICE_LOST,
                     "cannot %s: the device was lost; a kernel may have left its memory or run too long", action);
  default:
    return clvk_fail(CLVK_FAILED, "cannot %s: VkResult %d", action, (int)result);
  }
}

void *clvk_allocate(size_t count, size_t size) {
  void *memory = calloc(count ? count : 1, size);
  if (!memory) clvk_fail(CLVK_OUT_OF_MEMORY, "the host has no memory for %zu objects of %zu bytes", count, size);
  return memory;
}

/* ---- The loader ---- */

static void *clvk_open_library(void) {
#ifdef _WIN32
  return (void *)LoadLibraryA("vulkan-1.dll");
#else
  static const char *const names[] = {"libvulkan.so.1", "libvulkan.so"};
  size_t i;
  for (i = 0; i < sizeof names / sizeof *names; ++i) {
    void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (library) return library;
  }
  return NULL;
#endif
}

static PFN_vkVoidFunction clvk_symbol(void *library, const char *name) {
  PFN_vkVoidFunction function = NULL;
#ifdef _WIN32
  FARPROC found = GetProcAddress((HMODULE)library, name);
#else
  void *found = dlsym(library, name);
#endif
  /* C has no conversion from objects to functions. */
  memcpy(&function, &found, sizeof function);
  return function;
}

static void clvk_close_library(void *library) {
  if (!library) return;
#ifdef _WIN32
  FreeLibrary((HMODULE)library);
#else
  dlclose(library);
#endif
}

/* The function of this name; the specification promises that it exists. */
#define CLVK_LOAD(source, owner, name)                                       \
  device->vk.name = (PFN_vk##name)device->vk.source(owner, "vk" #name);      \
  if (!device->vk.name) return clvk_fail(CLVK_NO_VULKAN, "Vulkan has no function vk" #name);

#define CLVK_KNOWN_VERSION VK_API_VERSION_1_3

static clvk_status clvk_create_instance(clvk_device *device, uint32_t *version) {
  VkApplicationInfo application = {VK_STRUCTURE_TYPE_APPLICATION_INFO, NULL, NULL, 0, "clvk", 1, 0};
  VkInstanceCreateInfo info = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, NULL, 0, NULL, 0, NULL, 0, NULL};
  VkResult result;
  device->library = clvk_open_library();
  if (!device->library) return clvk_fail(CLVK_NO_VULKAN, "this system has no Vulkan loader (libvulkan)");
  device->vk.GetInstanceProcAddr = (PFN_vkGetInstanceProcAddr)clvk_symbol(device->library, "vkGetInstanceProcAddr");
  if (!device->vk.GetInstanceProcAddr) return clvk_fail(CLVK_NO_VULKAN, "the Vulkan loader is damaged");
#define CLVK_LOAD_GLOBAL(name) CLVK_LOAD(GetInstanceProcAddr, NULL, name)
  CLVK_GLOBAL_FUNCTIONS(CLVK_LOAD_GLOBAL)
#undef CLVK_LOAD_GLOBAL
  device->vk.EnumerateInstanceVersion =
      (PFN_vkEnumerateInstanceVersion)device->vk.GetInstanceProcAddr(NULL, "vkEnumerateInstanceVersion");
  *version = VK_API_VERSION_1_0;
  if (device->vk.EnumerateInstanceVersion) device->vk.EnumerateInstanceVersion(version);
  if (*version < VK_API_VERSION_1_1)
    return clvk_fail(CLVK_NO_VULKAN, "this system has Vulkan 1.0 only; 1.1 is needed");
  if (*version > CLVK_KNOWN_VERSION) *version = CLVK_KNOWN_VERSION;
  application.apiVersion = *version;
  info.pApplicationInfo = &application;
  result = device->vk.CreateInstance(&info, NULL, &device->instance);
  if (result == VK_ERROR_INCOMPATIBLE_DRIVER)
    return clvk_fail(CLVK_NO_VULKAN, "this system has no Vulkan driver");
  if (result != VK_SUCCESS) {
    device->instance = VK_NULL_HANDLE;
    return clvk_fail_vulkan(result, "create a Vulkan instance");
  }
#define CLVK_LOAD_INSTANCE(name) CLVK_LOAD(GetInstanceProcAddr, device->instance, name)
  CLVK_INSTANCE_FUNCTIONS(CLVK_LOAD_INSTANCE)
#undef CLVK_LOAD_INSTANCE
  return CLVK_OK;
}

/* ---- The choice of a device ---- */

static int clvk_rank(VkPhysicalDeviceType type) {
  switch (type) {
  case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU: return 5;
  case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU: return 4;
  case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU: return 3;
  case VK_PHYSICAL_DEVICE_TYPE_CPU: return 2;
  default: return 1;
  }
}

/* The first queue family that computes; UINT32_MAX if there is none. */
static clvk_status clvk_find_family(clvk_device *device, VkPhysicalDevice physical, uint32_t *family) {
  VkQueueFamilyProperties *families;
  uint32_t count = 0, i;
  *family = UINT32_MAX;
  device->vk.GetPhysicalDeviceQueueFamilyProperties(physical, &count, NULL);
  families = clvk_allocate(count, sizeof *families);
  if (!families) return CLVK_OUT_OF_MEMORY;
  device->vk.GetPhysicalDeviceQueueFamilyProperties(physical, &count, families);
  for (i = count; i-- > 0;)
    if (families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) *family = i;
  free(families);
  return CLVK_OK;
}

static clvk_status clvk_choose(clvk_device *device, const char *name, const VkPhysicalDevice *all, uint32_t count) {
  int best = 0;
  uint32_t i;
  for (i = 0; i < count; ++i) {
    VkPhysicalDeviceProperties properties;
    uint32_t family;
    clvk_status status = clvk_find_family(device, all[i], &family);
    if (status) return status;
    device->vk.GetPhysicalDeviceProperties(all[i], &properties);
    if (family == UINT32_MAX || properties.apiVersion < VK_API_VERSION_1_1) continue;
    if (name && !strstr(properties.deviceName, name)) continue;
    if (clvk_rank(properties.deviceType) <= best) continue;
    best = clvk_rank(properties.deviceType);
    device->physical = all[i];
    device->family = family;
    device->properties = properties;
  }
  if (best) return CLVK_OK;
  if (name) return clvk_fail(CLVK_NO_DEVICE, "no device with Vulkan 1.1 has `%s` in its name", name);
  return clvk_fail(CLVK_NO_DEVICE, "none of the %u Vulkan devices has Vulkan 1.1 and computes", count);
}

static clvk_status clvk_find_device(clvk_device *device, const char *name) {
  VkPhysicalDevice *all;
  uint32_t count = 0;
  clvk_status status;
  VkResult result = device->vk.EnumeratePhysicalDevices(device->instance, &count, NULL);
  if (result != VK_SUCCESS) return clvk_fail_vulkan(result, "list the Vulkan devices");
  if (!count) return clvk_fail(CLVK_NO_DEVICE, "there is no Vulkan device");
  all = clvk_allocate(count, sizeof(VkPhysicalDevice));
  if (!all) return CLVK_OUT_OF_MEMORY;
  result = device->vk.EnumeratePhysicalDevices(device->instance, &count, all);
  status = result < 0 ? clvk_fail_vulkan(result, "list the Vulkan devices") : clvk_choose(device, name, all, count);
  free(all);
  return status;
}

/* ---- Opening and closing ---- */

static clvk_status clvk_prepare(clvk_device *device) {
  VkCommandPoolCreateInfo pool = {VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, NULL, 0, device->family};
  VkCommandBufferAllocateInfo commands = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, NULL, VK_NULL_HANDLE,
                                          VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
  VkFenceCreateInfo fence = {VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, NULL, 0};
  VkPipelineCacheCreateInfo cache = {VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO, NULL, 0, 0, NULL};
  VkResult result;
#define CLVK_LOAD_DEVICE(name) CLVK_LOAD(GetDeviceProcAddr, device->device, name)
  CLVK_DEVICE_FUNCTIONS(CLVK_LOAD_DEVICE)
#undef CLVK_LOAD_DEVICE
  if (device->has & CLVK_HAS(buffer_device_address)) {
    const char *name =
        device->version >= VK_API_VERSION_1_2 ? "vkGetBufferDeviceAddress" : "vkGetBufferDeviceAddressKHR";
    device->vk.GetBufferDeviceAddress =
        (PFN_vkGetBufferDeviceAddress)device->vk.GetDeviceProcAddr(device->device, name);
    if (!device->vk.GetBufferDeviceAddress) return clvk_fail(CLVK_NO_VULKAN, "Vulkan has no function %s", name);
  }
  device->vk.GetDeviceQueue(device->device, device->family, 0, &device->queue);
  if ((result = device->vk.CreateCommandPool(device->device, &pool, NULL, &device->pool)) != VK_SUCCESS)
    return clvk_fail_vulkan(result, "create a command pool");
  commands.commandPool = device->pool;
  if ((result = device->vk.AllocateCommandBuffers(device->device, &commands, &device->commands)) != VK_SUCCESS)
    return clvk_fail_vulkan(result, "create a command buffer");
  if ((result = device->vk.CreateFence(device->device, &fence, NULL, &device->fence)) != VK_SUCCESS)
    return clvk_fail_vulkan(result, "create a fence");
  if ((result = device->vk.CreatePipelineCache(device->device, &cache, NULL, &device->cache)) != VK_SUCCESS)
    return clvk_fail_vulkan(result, "create a pipeline cache");
  return CLVK_OK;
}

static clvk_status clvk_open(clvk_device *device, const char *name) {
  uint32_t version;
  clvk_status status = clvk_create_instance(device, &version);
  if (!status) status = clvk_find_device(device, name);
  if (status) return status;
  device->version = device->properties.apiVersion < version ? device->properties.apiVersion : version;
  device->vk.GetPhysicalDeviceMemoryProperties(device->physical, &device->memory);
  status = clvk_open_with_features(device);
  return status ? status : clvk_prepare(device);
}

clvk_status clvk_device_open(const char *name, clvk_device **opened) {
  clvk_device *device;
  clvk_status status;
  if (!opened) return clvk_fail(CLVK_INVALID, "there is no place for the device");
  *opened = NULL;
  device = clvk_allocate(1, sizeof *device);
  if (!device) return CLVK_OUT_OF_MEMORY;
  status = clvk_open(device, name);
  if (status)
    clvk_device_close(device);
  else
    *opened = device;
  return status;
}

static void clvk_drop_temporaries(clvk_device *device) {
  while (device->temporaries) {
    clvk_temporary *first = device->temporaries;
    device->temporaries = first->next;
    if (first->buffer) clvk_buffer_destroy(first->buffer);
    if (first->pool) device->vk.DestroyDescriptorPool(device->device, first->pool, NULL);
    free(first);
  }
}

void clvk_device_close(clvk_device *device) {
  if (!device) return;
  if (device->device && device->vk.DestroyDevice) {
    if (device->vk.DeviceWaitIdle) device->vk.DeviceWaitIdle(device->device);
    device->recorded = 0;
    clvk_drop_temporaries(device);
    clvk_buffer_destroy(device->staging);
    clvk_buffer_destroy(device->arguments);
    if (device->descriptors) device->vk.DestroyDescriptorPool(device->device, device->descriptors, NULL);
    if (device->cache) device->vk.DestroyPipelineCache(device->device, device->cache, NULL);
    if (device->fence) device->vk.DestroyFence(device->device, device->fence, NULL);
    if (device->pool) device->vk.DestroyCommandPool(device->device, device->pool, NULL);
    device->vk.DestroyDevice(device->device, NULL);
  }
  if (device->instance && device->vk.DestroyInstance) device->vk.DestroyInstance(device->instance, NULL);
  clvk_close_library(device->library);
  free(device);
}

const char *clvk_device_name(const clvk_device *device) { return device ? device->properties.deviceName : ""; }

/* ---- Commands ---- */

void clvk_barrier(clvk_device *device) {
  VkPipelineStageFlags stages =
      VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT | VK_PIPELINE_STAGE_HOST_BIT;
  VkMemoryBarrier barrier = {VK_STRUCTURE_TYPE_MEMORY_BARRIER, NULL,
                             VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
                             VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_READ_BIT |
                                 VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_HOST_READ_BIT};
  device->vk.CmdPipelineBarrier(device->commands, stages & ~(VkPipelineStageFlags)VK_PIPELINE_STAGE_HOST_BIT, stages,
                                0, 1, &barrier, 0, NULL, 0, NULL);
}

clvk_status clvk_begin(clvk_device *device) {
  VkCommandBufferBeginInfo info = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, NULL,
                                   VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT, NULL};
  VkResult result;
  if (device->recorded) {
    clvk_barrier(device);
  } else {
    result = device->vk.BeginCommandBuffer(device->commands, &info);
    if (result != VK_SUCCESS) return clvk_fail_vulkan(result, "begin a command buffer");
  }
  ++device->recorded;
  return CLVK_OK;
}

static clvk_temporary *clvk_add_temporary(clvk_device *device) {
  clvk_temporary *temporary = clvk_allocate(1, sizeof *temporary);
  if (!temporary) return NULL;
  temporary->next = device->temporaries;
  device->temporaries = temporary;
  return temporary;
}

clvk_status clvk_keep(clvk_device *device, clvk_buffer *buffer, VkDescriptorPool pool) {
  clvk_temporary *temporary = clvk_add_temporary(device);
  if (temporary) {
    temporary->buffer = buffer;
    temporary->pool = pool;
    return CLVK_OK;
  }
  clvk_buffer_destroy(buffer);
  if (pool) device->vk.DestroyDescriptorPool(device->device, pool, NULL);
  return CLVK_OUT_OF_MEMORY;
}

clvk_status clvk_watch_loops(clvk_device *device, const char *kernel, const uint8_t *word) {
  clvk_temporary *temporary = clvk_add_temporary(device);
  if (!temporary) return CLVK_OUT_OF_MEMORY;
  temporary->watched = kernel;
  temporary->word = word;
  return CLVK_OK;
}

static clvk_status clvk_submit(clvk_device *device) {
  VkSubmitInfo info = {VK_STRUCTURE_TYPE_SUBMIT_INFO, NULL, 0, NULL, NULL, 1, NULL, 0, NULL};
  VkResult result;
  clvk_barrier(device);
  result = device->vk.EndCommandBuffer(device->commands);
  if (result != VK_SUCCESS) return clvk_fail_vulkan(result, "end a command buffer");
  info.pCommandBuffers = &device->commands;
  result = device->vk.QueueSubmit(device->queue, 1, &info, device->fence);
  if (result != VK_SUCCESS) return clvk_fail_vulkan(result, "submit work");
  result = device->vk.WaitForFences(device->device, 1, &device->fence, VK_TRUE, UINT64_MAX);
  if (result != VK_SUCCESS) return clvk_fail_vulkan(result, "wait for the device");
  result = device->vk.ResetFences(device->device, 1, &device->fence);
  return result == VK_SUCCESS ? CLVK_OK : clvk_fail_vulkan(result, "reset a fence");
}

/* Whether the driver ended loops of the launches that are done. */
static clvk_status clvk_check_loops(const clvk_device *device) {
  const clvk_temporary *temporary;
  for (temporary = device->temporaries; temporary; temporary = temporary->next) {
    uint32_t ended;
    if (!temporary->watched) continue;
    memcpy(&ended, temporary->word, sizeof ended);
    if (ended)
      return clvk_fail(CLVK_LOOPS_ENDED,
                       "the driver ended loops of kernel `%s` early, so its results are wrong; use a newer driver",
                       temporary->watched);
  }
  return CLVK_OK;
}

clvk_status clvk_finish(clvk_device *device) {
  clvk_status status = CLVK_OK;
  if (!device) return clvk_fail(CLVK_INVALID, "there is no device");
  if (device->recorded) {
    VkResult result;
    status = clvk_submit(device);
    if (!status) status = clvk_check_loops(device);
    /* After a failure the device may still be at work. */
    if (status) device->vk.DeviceWaitIdle(device->device);
    device->recorded = 0;
    result = device->vk.ResetCommandPool(device->device, device->pool, 0);
    if (!status && result != VK_SUCCESS) status = clvk_fail_vulkan(result, "reset a command pool");
  }
  clvk_drop_temporaries(device);
  device->arguments_used = 0;
  if (device->descriptors) device->vk.ResetDescriptorPool(device->device, device->descriptors, 0);
  return status;
}

/* ---- Pipelines on disk ---- */

clvk_status clvk_cache_get(clvk_device *device, void *data, size_t *size) {
  VkResult result;
  if (!device || !size) return clvk_fail(CLVK_INVALID, "there is no device or no place for the size");
  result = device->vk.GetPipelineCacheData(device->device, device->cache, size, data);
  if (result == VK_INCOMPLETE) return clvk_fail(CLVK_INVALID, "the cache needs more than the bytes given");
  return result == VK_SUCCESS ? CLVK_OK : clvk_fail_vulkan(result, "read the pipeline cache");
}

clvk_status clvk_cache_put(clvk_device *device, const void *data, size_t size) {
  VkPipelineCacheCreateInfo info = {VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO, NULL, 0, 0, NULL};
  VkPipelineCache cache;
  VkResult result;
  uint32_t header[4];
  if (!device || (!data && size)) return clvk_fail(CLVK_INVALID, "there is no device or no data");
  /* Not every driver checks the header (Vulkan, Pipeline Cache Header). */
  if (size < sizeof header + VK_UUID_SIZE) return CLVK_OK;
  memcpy(header, data, sizeof header);
  if (header[1] != VK_PIPELINE_CACHE_HEADER_VERSION_ONE || header[2] != device->properties.vendorID ||
      header[3] != device->properties.deviceID ||
      memcmp((const uint8_t *)data + sizeof header, device->properties.pipelineCacheUUID, VK_UUID_SIZE))
    return CLVK_OK;
  info.initialDataSize = size;
  info.pInitialData = data;
  result = device->vk.CreatePipelineCache(device->device, &info, NULL, &cache);
  if (result != VK_SUCCESS) return clvk_fail_vulkan(result, "create a pipeline cache");
  result = device->vk.MergePipelineCaches(device->device, device->cache, 1, &cache);
  device->vk.DestroyPipelineCache(device->device, cache, NULL);
  return result == VK_SUCCESS ? CLVK_OK : clvk_fail_vulkan(result, "merge pipeline caches");
}
