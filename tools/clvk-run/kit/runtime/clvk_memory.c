/* Memory: buffers, and copies between the host and the device.
 *
 * Where the device and the host share memory (phones, integrated GPUs, software), buffers are mapped. Elsewhere data
 * goes through a staging buffer. Only host-coherent memory is mapped. */
#include "clvk_internal.h"

#include <stdlib.h>
#include <string.h>

/* Bytes that a copy moves through the staging buffer at a time. */
#define CLVK_STAGING_SIZE ((uint64_t)4 << 20)

/* How well a kind of memory suits: 0 not at all. */
static int clvk_fitness(const clvk_device *device, VkMemoryPropertyFlags flags, clvk_use use) {
  const VkMemoryPropertyFlags mapped = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  const int is_mapped = (flags & mapped) == mapped;
  const int is_cached = (flags & VK_MEMORY_PROPERTY_HOST_CACHED_BIT) != 0;
  const int is_local = (flags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) != 0;
  const VkPhysicalDeviceType type = device->properties.deviceType;
  const int shared = type == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU || type == VK_PHYSICAL_DEVICE_TYPE_CPU;
  if (flags & (VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT | VK_MEMORY_PROPERTY_PROTECTED_BIT)) return 0;
  if (use == CLVK_FOR_ARGUMENTS) return is_mapped ? 1 + is_local : 0;
  if (use == CLVK_FOR_STAGING) return is_mapped ? 1 + 2 * is_cached + !is_local : 0;
  return 1 + 4 * is_local + (shared ? 2 * is_mapped + is_cached : 0);
}

clvk_status clvk_create_memory(clvk_device *device, const VkMemoryRequirements *requirements, clvk_use use,
                               int with_address, VkDeviceMemory *memory, int *visible) {
  VkMemoryAllocateFlagsInfo flags = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, NULL,
                                     VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT, 0};
  VkMemoryAllocateInfo info = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, NULL, 0, 0};
  uint32_t tried = 0;
  VkResult result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
  *memory = VK_NULL_HANDLE;
  if (device->max_allocation && requirements->size > device->max_allocation)
    return clvk_fail(CLVK_OUT_OF_MEMORY, "%llu bytes are more than the device allocates at a time (%llu)",
                     (unsigned long long)requirements->size, (unsigned long long)device->max_allocation);
  if (with_address) info.pNext = &flags;
  info.allocationSize = requirements->size;
  /* The best kind of memory that has room. */
  for (;;) {
    int best = 0;
    uint32_t chosen = 0, i;
    VkMemoryPropertyFlags found;
    for (i = 0; i < device->memory.memoryTypeCount; ++i) {
      const VkMemoryType *type = &device->memory.memoryTypes[i];
      int fitness = clvk_fitness(device, type->propertyFlags, use);
      if (!(requirements->memoryTypeBits >> i & 1) || tried >> i & 1 || fitness <= best) continue;
      if (device->memory.memoryHeaps[type->heapIndex].size < requirements->size) continue;
      best = fitness;
      chosen = i;
    }
    if (!best) return clvk_fail_vulkan(result, "allocate memory");
    tried |= (uint32_t)1 << chosen;
    info.memoryTypeIndex = chosen;
    result = device->vk.AllocateMemory(device->device, &info, NULL, memory);
    if (result != VK_SUCCESS) continue;
    found = device->memory.memoryTypes[chosen].propertyFlags;
    *visible = (found & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) && (found & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
    /* Device memory of a discrete GPU may be mapped, but is slow to read. */
    if (use == CLVK_FOR_KERNELS && device->properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU)
      *visible = 0;
    return CLVK_OK;
  }
}

static clvk_status clvk_fill_in(clvk_buffer *buffer, clvk_use use) {
  clvk_device *device = buffer->device;
  const int with_address = use != CLVK_FOR_STAGING && device->has & CLVK_HAS(buffer_device_address) ? 1 : 0;
  VkBufferCreateInfo info = {VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, NULL, 0, 0, 0, VK_SHARING_MODE_EXCLUSIVE, 0, NULL};
  VkMemoryRequirements requirements;
  VkResult result;
  clvk_status status;
  int visible;
  info.size = buffer->whole;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
               VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  if (with_address) info.usage |= VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  result = device->vk.CreateBuffer(device->device, &info, NULL, &buffer->buffer);
  if (result != VK_SUCCESS) {
    buffer->buffer = VK_NULL_HANDLE;
    return clvk_fail_vulkan(result, "create a buffer");
  }
  device->vk.GetBufferMemoryRequirements(device->device, buffer->buffer, &requirements);
  status = clvk_create_memory(device, &requirements, use, with_address, &buffer->memory, &visible);
  if (status) return status;
  result = device->vk.BindBufferMemory(device->device, buffer->buffer, buffer->memory, 0);
  if (result != VK_SUCCESS) return clvk_fail_vulkan(result, "bind memory to a buffer");
  if (visible) {
    void *pointer;
    result = device->vk.MapMemory(device->device, buffer->memory, 0, VK_WHOLE_SIZE, 0, &pointer);
    if (result != VK_SUCCESS) return clvk_fail_vulkan(result, "map memory");
    buffer->pointer = pointer;
  }
  if (with_address) {
    VkBufferDeviceAddressInfo address = {VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, NULL, VK_NULL_HANDLE};
    address.buffer = buffer->buffer;
    buffer->address = device->vk.GetBufferDeviceAddress(device->device, &address);
  }
  return CLVK_OK;
}

clvk_status clvk_create_buffer(clvk_device *device, uint64_t size, clvk_use use, clvk_buffer **created) {
  clvk_buffer *buffer;
  clvk_status status;
  if (size > UINT64_MAX / 2)
    return clvk_fail(CLVK_OUT_OF_MEMORY, "no device has %llu bytes", (unsigned long long)size);
  buffer = clvk_allocate(1, sizeof *buffer);
  if (!buffer) return CLVK_OUT_OF_MEMORY;
  buffer->device = device;
  buffer->size = size;
  /* Small values are accessed through whole words. */
  buffer->whole = (size + 15) / 16 * 16;
  status = clvk_fill_in(buffer, use);
  if (status)
    clvk_buffer_destroy(buffer);
  else
    *created = buffer;
  return status;
}

clvk_status clvk_buffer_create(clvk_device *device, uint64_t size, clvk_buffer **buffer) {
  if (!buffer) return clvk_fail(CLVK_INVALID, "there is no place for the buffer");
  *buffer = NULL;
  if (!device) return clvk_fail(CLVK_INVALID, "there is no device");
  if (!size) return clvk_fail(CLVK_INVALID, "a buffer has at least 1 byte");
  return clvk_create_buffer(device, size, CLVK_FOR_KERNELS, buffer);
}

void clvk_buffer_destroy(clvk_buffer *buffer) {
  clvk_device *device;
  if (!buffer) return;
  device = buffer->device;
  /* Recorded commands may use it. */
  if (device->recorded) clvk_finish(device);
  if (buffer->buffer) device->vk.DestroyBuffer(device->device, buffer->buffer, NULL);
  if (buffer->memory) device->vk.FreeMemory(device->device, buffer->memory, NULL);
  free(buffer);
}

uint64_t clvk_buffer_size(const clvk_buffer *buffer) { return buffer ? buffer->size : 0; }

clvk_status clvk_staging(clvk_device *device, uint64_t size, clvk_buffer **staging) {
  if (!device->staging || device->staging->size < size) {
    clvk_buffer_destroy(device->staging);
    device->staging = NULL;
    clvk_status status = clvk_create_buffer(device, size < CLVK_STAGING_SIZE ? CLVK_STAGING_SIZE : size,
                                            CLVK_FOR_STAGING, &device->staging);
    if (status) return status;
  }
  *staging = device->staging;
  return CLVK_OK;
}

static clvk_status clvk_check_part(const clvk_buffer *buffer, uint64_t offset, const void *data, uint64_t size) {
  if (!buffer) return clvk_fail(CLVK_INVALID, "there is no buffer");
  if (!data && size) return clvk_fail(CLVK_INVALID, "there is no data");
  if (offset > buffer->size || size > buffer->size - offset)
    return clvk_fail(CLVK_INVALID, "%llu bytes at %llu lie outside a buffer of %llu bytes", (unsigned long long)size,
                     (unsigned long long)offset, (unsigned long long)buffer->size);
  return CLVK_OK;
}

static clvk_status clvk_copy(clvk_buffer *from, uint64_t source, clvk_buffer *to, uint64_t target, uint64_t size) {
  clvk_device *device = from->device;
  VkBufferCopy region = {0, 0, 0};
  clvk_status status = clvk_begin(device);
  if (status) return status;
  region.srcOffset = source;
  region.dstOffset = target;
  region.size = size;
  device->vk.CmdCopyBuffer(device->commands, from->buffer, to->buffer, 1, &region);
  return clvk_finish(device);
}

clvk_status clvk_buffer_write(clvk_buffer *buffer, uint64_t offset, const void *data, uint64_t size) {
  const uint8_t *bytes = data;
  clvk_status status = clvk_check_part(buffer, offset, data, size);
  if (!status) status = clvk_finish(buffer->device);
  while (!status && size) {
    uint64_t part = size < CLVK_STAGING_SIZE ? size : CLVK_STAGING_SIZE;
    clvk_buffer *staging;
    if (buffer->pointer) {
      memcpy(buffer->pointer + offset, bytes, (size_t)size);
      break;
    }
    status = clvk_staging(buffer->device, part, &staging);
    if (status) break;
    memcpy(staging->pointer, bytes, (size_t)part);
    status = clvk_copy(staging, 0, buffer, offset, part);
    bytes += part;
    offset += part;
    size -= part;
  }
  return status;
}

clvk_status clvk_buffer_read(clvk_buffer *buffer, uint64_t offset, void *data, uint64_t size) {
  uint8_t *bytes = data;
  clvk_status status = clvk_check_part(buffer, offset, data, size);
  if (!status) status = clvk_finish(buffer->device);
  while (!status && size) {
    uint64_t part = size < CLVK_STAGING_SIZE ? size : CLVK_STAGING_SIZE;
    clvk_buffer *staging;
    if (buffer->pointer) {
      memcpy(bytes, buffer->pointer + offset, (size_t)size);
      break;
    }
    status = clvk_staging(buffer->device, part, &staging);
    if (!status) status = clvk_copy(buffer, offset, staging, 0, part);
    if (status) break;
    memcpy(bytes, staging->pointer, (size_t)part);
    bytes += part;
    offset += part;
    size -= part;
  }
  return status;
}

clvk_status clvk_buffer_fill(clvk_buffer *buffer, uint64_t offset, uint64_t size, uint32_t word) {
  clvk_status status = clvk_check_part(buffer, offset, buffer, size);
  if (status || !size) return status;
  if (offset % 4 || size % 4) return clvk_fail(CLVK_INVALID, "a fill takes offsets and sizes that 4 divides");
  status = clvk_begin(buffer->device);
  if (status) return status;
  buffer->device->vk.CmdFillBuffer(buffer->device->commands, buffer->buffer, offset, size, word);
  return CLVK_OK;
}
