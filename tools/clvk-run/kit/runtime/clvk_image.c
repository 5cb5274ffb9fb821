/* Images and samplers. An image has one level of detail, optimal tiling, and the layout GENERAL. */
#include "clvk_internal.h"

#include <stdlib.h>
#include <string.h>

typedef struct clvk_format {
  clvk_channel channel;
  /* The bytes of a channel. */
  uint32_t size;
  VkFormat r, rg, rgba, bgra;
} clvk_format;

#define CLVK_NO_FORMAT VK_FORMAT_UNDEFINED

static const clvk_format clvk_formats[] = {
    {CLVK_SNORM_INT8, 1, VK_FORMAT_R8_SNORM, VK_FORMAT_R8G8_SNORM, VK_FORMAT_R8G8B8A8_SNORM, CLVK_NO_FORMAT},
    {CLVK_SNORM_INT16, 2, VK_FORMAT_R16_SNORM, VK_FORMAT_R16G16_SNORM, VK_FORMAT_R16G16B16A16_SNORM, CLVK_NO_FORMAT},
    {CLVK_UNORM_INT8, 1, VK_FORMAT_R8_UNORM, VK_FORMAT_R8G8_UNORM, VK_FORMAT_R8G8B8A8_UNORM,
     VK_FORMAT_B8G8R8A8_UNORM},
    {CLVK_UNORM_INT16, 2, VK_FORMAT_R16_UNORM, VK_FORMAT_R16G16_UNORM, VK_FORMAT_R16G16B16A16_UNORM, CLVK_NO_FORMAT},
    {CLVK_SIGNED_INT8, 1, VK_FORMAT_R8_SINT, VK_FORMAT_R8G8_SINT, VK_FORMAT_R8G8B8A8_SINT, CLVK_NO_FORMAT},
    {CLVK_SIGNED_INT16, 2, VK_FORMAT_R16_SINT, VK_FORMAT_R16G16_SINT, VK_FORMAT_R16G16B16A16_SINT, CLVK_NO_FORMAT},
    {CLVK_SIGNED_INT32, 4, VK_FORMAT_R32_SINT, VK_FORMAT_R32G32_SINT, VK_FORMAT_R32G32B32A32_SINT, CLVK_NO_FORMAT},
    {CLVK_UNSIGNED_INT8, 1, VK_FORMAT_R8_UINT, VK_FORMAT_R8G8_UINT, VK_FORMAT_R8G8B8A8_UINT, CLVK_NO_FORMAT},
    {CLVK_UNSIGNED_INT16, 2, VK_FORMAT_R16_UINT, VK_FORMAT_R16G16_UINT, VK_FORMAT_R16G16B16A16_UINT, CLVK_NO_FORMAT},
    {CLVK_UNSIGNED_INT32, 4, VK_FORMAT_R32_UINT, VK_FORMAT_R32G32_UINT, VK_FORMAT_R32G32B32A32_UINT, CLVK_NO_FORMAT},
    {CLVK_HALF_FLOAT, 2, VK_FORMAT_R16_SFLOAT, VK_FORMAT_R16G16_SFLOAT, VK_FORMAT_R16G16B16A16_SFLOAT,
     CLVK_NO_FORMAT},
    {CLVK_FLOAT, 4, VK_FORMAT_R32_SFLOAT, VK_FORMAT_R32G32_SFLOAT, VK_FORMAT_R32G32B32A32_SFLOAT, CLVK_NO_FORMAT}};

static const clvk_format *clvk_find_format(const clvk_image_description *description, VkFormat *format) {
  size_t i;
  for (i = 0; i < sizeof clvk_formats / sizeof *clvk_formats; ++i) {
    const clvk_format *row = &clvk_formats[i];
    if (row->channel != description->channel) continue;
    switch (description->order) {
    case CLVK_R: *format = row->r; break;
    case CLVK_RG: *format = row->rg; break;
    case CLVK_RGBA: *format = row->rgba; break;
    case CLVK_BGRA: *format = row->bgra; break;
    default: *format = CLVK_NO_FORMAT; break;
    }
    return *format == CLVK_NO_FORMAT ? NULL : row;
  }
  return NULL;
}

static uint32_t clvk_channels(clvk_order order) {
  return order == CLVK_R ? 1 : order == CLVK_RG ? 2 : 4;
}

/* What a kernel is told about the format: order, type, and at which coordinates the device's samplers interpolate
 * well enough. Elsewhere kernels interpolate by themselves. */
static uint32_t clvk_format_word(const clvk_device *device, const clvk_image_description *description,
                                 VkFormatFeatureFlags features) {
  const uint32_t word = (uint32_t)description->order | (uint32_t)description->channel << 16;
  const uint32_t normalized = 0x80000000u, in_texels = 0x8000u;
  const int is_float = description->channel == CLVK_FLOAT || description->channel == CLVK_HALF_FLOAT;
  if (!(features & VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT)) return word;
  if (device->quirks & CLVK_QUIRK_COARSE_INTERPOLATION && description->channel == CLVK_UNORM_INT8) return word;
  if (device->quirks & CLVK_QUIRK_SIGNED_INTERPOLATION && description->channel == CLVK_SNORM_INT8) return word;
  /* Texel coordinates become normalised ones with an error that only software samplers do not round away. */
  if (is_float && device->properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU) return word | normalized;
  return word | normalized | in_texels;
}

static VkImageType clvk_image_type(clvk_dimension dimension) {
  switch (dimension) {
  case CLVK_IMAGE_1D:
  case CLVK_IMAGE_1D_ARRAY: return VK_IMAGE_TYPE_1D;
  case CLVK_IMAGE_3D: return VK_IMAGE_TYPE_3D;
  default: return VK_IMAGE_TYPE_2D;
  }
}

static VkImageViewType clvk_view_type(clvk_dimension dimension) {
  switch (dimension) {
  case CLVK_IMAGE_1D: return VK_IMAGE_VIEW_TYPE_1D;
  case CLVK_IMAGE_1D_ARRAY: return VK_IMAGE_VIEW_TYPE_1D_ARRAY;
  case CLVK_IMAGE_2D_ARRAY: return VK_IMAGE_VIEW_TYPE_2D_ARRAY;
  case CLVK_IMAGE_3D: return VK_IMAGE_VIEW_TYPE_3D;
  default: return VK_IMAGE_VIEW_TYPE_2D;
  }
}

static clvk_status clvk_check_shape(const clvk_image_description *image) {
  const int is_row = image->dimension == CLVK_IMAGE_1D || image->dimension == CLVK_IMAGE_1D_ARRAY;
  const int is_array = image->dimension == CLVK_IMAGE_1D_ARRAY || image->dimension == CLVK_IMAGE_2D_ARRAY;
  if ((unsigned)image->dimension > CLVK_IMAGE_3D) return clvk_fail(CLVK_INVALID, "an image has an unknown dimension");
  if (!image->width || !image->height || !image->depth || !image->layers)
    return clvk_fail(CLVK_INVALID, "a size of an image is 0; sizes that it lacks are 1");
  if ((is_row && image->height != 1) || (!is_array && image->layers != 1) ||
      (image->dimension != CLVK_IMAGE_3D && image->depth != 1))
    return clvk_fail(CLVK_INVALID, "an image has a size in a dimension that it lacks; it must be 1");
  return CLVK_OK;
}

/* Puts a new image into the layout that it keeps. */
static clvk_status clvk_set_layout(const clvk_image *image) {
  clvk_device *device = image->device;
  VkImageMemoryBarrier barrier = {VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                  NULL,
                                  0,
                                  VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_READ_BIT |
                                      VK_ACCESS_TRANSFER_WRITE_BIT,
                                  VK_IMAGE_LAYOUT_UNDEFINED,
                                  VK_IMAGE_LAYOUT_GENERAL,
                                  VK_QUEUE_FAMILY_IGNORED,
                                  VK_QUEUE_FAMILY_IGNORED,
                                  VK_NULL_HANDLE,
                                  {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, VK_REMAINING_ARRAY_LAYERS}};
  clvk_status status = clvk_begin(device);
  if (status) return status;
  barrier.image = image->image;
  device->vk.CmdPipelineBarrier(device->commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT,
                                VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL, 0,
                                NULL, 1, &barrier);
  return clvk_finish(device);
}

static clvk_status clvk_fill_image(clvk_image *image, VkFormat format) {
  clvk_device *device = image->device;
  const clvk_image_description *shape = &image->description;
  VkImageCreateInfo info = {VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, NULL, 0};
  VkImageViewCreateInfo view = {VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO, NULL, 0};
  VkImageFormatProperties limits;
  VkMemoryRequirements requirements;
  VkResult result;
  clvk_status status;
  int visible;
  info.imageType = clvk_image_type(shape->dimension);
  info.format = format;
  info.extent.width = shape->width;
  info.extent.height = shape->height;
  info.extent.depth = shape->depth;
  info.mipLevels = 1;
  info.arrayLayers = shape->layers;
  info.samples = VK_SAMPLE_COUNT_1_BIT;
  info.tiling = VK_IMAGE_TILING_OPTIMAL;
  info.usage = image->usage;
  result = device->vk.GetPhysicalDeviceImageFormatProperties(device->physical, format, info.imageType, info.tiling,
                                                             info.usage, 0, &limits);
  if (result != VK_SUCCESS || shape->width > limits.maxExtent.width || shape->height > limits.maxExtent.height ||
      shape->depth > limits.maxExtent.depth || shape->layers > limits.maxArrayLayers)
    return clvk_fail(CLVK_UNSUPPORTED, "the device has no images of %u x %u x %u pixels and %u layers", shape->width,
                     shape->height, shape->depth, shape->layers);
  result = device->vk.CreateImage(device->device, &info, NULL, &image->image);
  if (result != VK_SUCCESS) {
    image->image = VK_NULL_HANDLE;
    return clvk_fail_vulkan(result, "create an image");
  }
  device->vk.GetImageMemoryRequirements(device->device, image->image, &requirements);
  status = clvk_create_memory(device, &requirements, CLVK_FOR_KERNELS, 0, &image->memory, &visible);
  if (status) return status;
  result = device->vk.BindImageMemory(device->device, image->image, image->memory, 0);
  if (result != VK_SUCCESS) return clvk_fail_vulkan(result, "bind memory to an image");
  view.image = image->image;
  view.viewType = clvk_view_type(shape->dimension);
  view.format = format;
  view.subresourceRange.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT;
  view.subresourceRange.levelCount = 1;
  view.subresourceRange.layerCount = VK_REMAINING_ARRAY_LAYERS;
  result = device->vk.CreateImageView(device->device, &view, NULL, &image->view);
  if (result != VK_SUCCESS) {
    image->view = VK_NULL_HANDLE;
    return clvk_fail_vulkan(result, "create an image view");
  }
  return clvk_set_layout(image);
}

clvk_status clvk_image_create(clvk_device *device, const clvk_image_description *description, clvk_image **created) {
  clvk_image *image;
  VkFormatProperties properties;
  VkFormatFeatureFlags features;
  VkFormat format = CLVK_NO_FORMAT;
  clvk_status status;
  if (!created) return clvk_fail(CLVK_INVALID, "there is no place for the image");
  *created = NULL;
  if (!device || !description) return clvk_fail(CLVK_INVALID, "there is no device or no description");
  status = clvk_check_shape(description);
  if (status) return status;
  if (!clvk_find_format(description, &format))
    return clvk_fail(CLVK_INVALID, "there are no images with channel order 0x%x and type 0x%x",
                     (unsigned)description->order, (unsigned)description->channel);
  device->vk.GetPhysicalDeviceFormatProperties(device->physical, format, &properties);
  features = properties.optimalTilingFeatures;
  image = clvk_allocate(1, sizeof *image);
  if (!image) return CLVK_OUT_OF_MEMORY;
  image->device = device;
  image->description = *description;
  image->format_word = clvk_format_word(device, description, features);
  image->usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  if (features & VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT) image->usage |= VK_IMAGE_USAGE_SAMPLED_BIT;
  if (features & VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT) image->usage |= VK_IMAGE_USAGE_STORAGE_BIT;
  if (!(image->usage & (VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT)) ||
      !(features & VK_FORMAT_FEATURE_TRANSFER_SRC_BIT) || !(features & VK_FORMAT_FEATURE_TRANSFER_DST_BIT))
    status = clvk_fail(CLVK_UNSUPPORTED, "the device has no images with channel order 0x%x and type 0x%x",
                       (unsigned)description->order, (unsigned)description->channel);
  else
    status = clvk_fill_image(image, format);
  if (status)
    clvk_image_destroy(image);
  else
    *created = image;
  return status;
}

void clvk_image_destroy(clvk_image *image) {
  clvk_device *device;
  if (!image) return;
  device = image->device;
  if (device->recorded) clvk_finish(device);
  if (image->view) device->vk.DestroyImageView(device->device, image->view, NULL);
  if (image->image) device->vk.DestroyImage(device->device, image->image, NULL);
  if (image->memory) device->vk.FreeMemory(device->device, image->memory, NULL);
  free(image);
}

uint64_t clvk_image_size(const clvk_image *image) {
  const clvk_image_description *shape;
  VkFormat format;
  if (!image) return 0;
  shape = &image->description;
  return (uint64_t)shape->width * shape->height * shape->depth * shape->layers * clvk_channels(shape->order) *
         clvk_find_format(shape, &format)->size;
}

static VkBufferImageCopy clvk_whole(const clvk_image *image) {
  VkBufferImageCopy copy;
  memset(&copy, 0, sizeof copy);
  copy.imageSubresource.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT;
  copy.imageSubresource.layerCount = image->description.layers;
  copy.imageExtent.width = image->description.width;
  copy.imageExtent.height = image->description.height;
  copy.imageExtent.depth = image->description.depth;
  return copy;
}

/* The staging buffer for all pixels, when no command uses it. */
static clvk_status clvk_staging_of(const clvk_image *image, const void *pixels, clvk_buffer **staging) {
  clvk_status status;
  if (!image || !pixels) return clvk_fail(CLVK_INVALID, "there is no image or no data");
  status = clvk_finish(image->device);
  return status ? status : clvk_staging(image->device, clvk_image_size(image), staging);
}

clvk_status clvk_image_write(clvk_image *image, const void *pixels) {
  clvk_buffer *staging;
  clvk_device *device;
  VkBufferImageCopy copy;
  clvk_status status = clvk_staging_of(image, pixels, &staging);
  if (status) return status;
  device = image->device;
  memcpy(staging->pointer, pixels, (size_t)clvk_image_size(image));
  status = clvk_begin(device);
  if (status) return status;
  copy = clvk_whole(image);
  device->vk.CmdCopyBufferToImage(device->commands, staging->buffer, image->image, VK_IMAGE_LAYOUT_GENERAL, 1, &copy);
  return clvk_finish(device);
}

clvk_status clvk_image_read(clvk_image *image, void *pixels) {
  clvk_buffer *staging;
  clvk_device *device;
  VkBufferImageCopy copy;
  clvk_status status = clvk_staging_of(image, pixels, &staging);
  if (status) return status;
  device = image->device;
  status = clvk_begin(device);
  if (status) return status;
  copy = clvk_whole(image);
  device->vk.CmdCopyImageToBuffer(device->commands, image->image, VK_IMAGE_LAYOUT_GENERAL, staging->buffer, 1, &copy);
  status = clvk_finish(device);
  if (!status) memcpy(pixels, staging->pointer, (size_t)clvk_image_size(image));
  return status;
}

/* ---- Samplers ---- */

static clvk_status clvk_address_mode(clvk_addressing addressing, VkSamplerAddressMode *mode) {
  switch (addressing) {
  case CLVK_ADDRESS_NONE:
  case CLVK_ADDRESS_CLAMP_TO_EDGE: *mode = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE; return CLVK_OK;
  case CLVK_ADDRESS_CLAMP: *mode = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER; return CLVK_OK;
  case CLVK_ADDRESS_REPEAT: *mode = VK_SAMPLER_ADDRESS_MODE_REPEAT; return CLVK_OK;
  case CLVK_ADDRESS_MIRRORED_REPEAT: *mode = VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT; return CLVK_OK;
  default: return clvk_fail(CLVK_INVALID, "a sampler has the unknown addressing mode %d", (int)addressing);
  }
}

clvk_status clvk_sampler_create(clvk_device *device, clvk_addressing addressing, int linear, int normalized,
                                clvk_sampler **created) {
  VkSamplerCreateInfo info = {VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO, NULL, 0};
  VkSamplerAddressMode mode = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
  clvk_sampler *sampler;
  clvk_status status;
  VkResult result;
  if (!created) return clvk_fail(CLVK_INVALID, "there is no place for the sampler");
  *created = NULL;
  if (!device) return clvk_fail(CLVK_INVALID, "there is no device");
  if (!normalized && (addressing == CLVK_ADDRESS_REPEAT || addressing == CLVK_ADDRESS_MIRRORED_REPEAT))
    return clvk_fail(CLVK_INVALID, "a sampler repeats an image only at normalised coordinates");
  status = clvk_address_mode(addressing, &mode);
  if (status) return status;
  sampler = clvk_allocate(1, sizeof *sampler);
  if (!sampler) return CLVK_OUT_OF_MEMORY;
  sampler->device = device;
  sampler->word = (uint32_t)addressing | (linear ? 0x20u : 0x10u) | (normalized ? 1u : 0u);
  info.magFilter = info.minFilter = linear ? VK_FILTER_LINEAR : VK_FILTER_NEAREST;
  info.mipmapMode = VK_SAMPLER_MIPMAP_MODE_NEAREST;
  info.addressModeU = info.addressModeV = info.addressModeW = mode;
  info.maxLod = VK_LOD_CLAMP_NONE;
  info.borderColor = VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK;
  result = device->vk.CreateSampler(device->device, &info, NULL, &sampler->sampler);
  if (result != VK_SUCCESS) {
    free(sampler);
    return clvk_fail_vulkan(result, "create a sampler");
  }
  /* What a kernel reads through this one is defined for the nearest filter without repetition. */
  info.magFilter = info.minFilter = VK_FILTER_NEAREST;
  if (mode != VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER) mode = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
  info.addressModeU = info.addressModeV = info.addressModeW = mode;
  info.maxLod = 0;
  info.unnormalizedCoordinates = VK_TRUE;
  result = device->vk.CreateSampler(device->device, &info, NULL, &sampler->texel_sampler);
  if (result != VK_SUCCESS) {
    sampler->texel_sampler = VK_NULL_HANDLE;
    clvk_sampler_destroy(sampler);
    return clvk_fail_vulkan(result, "create a sampler");
  }
  *created = sampler;
  return CLVK_OK;
}

void clvk_sampler_destroy(clvk_sampler *sampler) {
  clvk_device *device;
  if (!sampler) return;
  device = sampler->device;
  if (device->recorded) clvk_finish(device);
  device->vk.DestroySampler(device->device, sampler->sampler, NULL);
  if (sampler->texel_sampler) device->vk.DestroySampler(device->device, sampler->texel_sampler, NULL);
  free(sampler);
}
