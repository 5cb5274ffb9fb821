/* A launch: arguments become push constants, an argument buffer and descriptors, and dispatches are recorded.
 *
 * Whatever can fail comes before the first command is recorded, so a launch is recorded whole or not at all. */
#include "clvk_internal.h"

#include <stdlib.h>
#include <string.h>

/* The offset that kernels take for a null pointer, where buffers are bound. */
#define CLVK_NULL_OFFSET UINT32_MAX
/* Of pointers where buffers are bound, if the element type is not known. */
#define CLVK_STRUCTURE_ALIGNMENT 16u
/* Bytes of memory for arguments that are made at a time. */
#define CLVK_ARGUMENTS_SIZE ((uint64_t)64 << 10)
/* Sets of descriptors that are made at a time, and descriptors of each kind for each. */
enum { CLVK_SETS = 64, CLVK_DESCRIPTORS = 4 };
/* A launch with this many commands before it submits them first, so that the device has work and memory is bounded. */
enum { CLVK_MOST_COMMANDS = 256 };

/* A descriptor to write. */
typedef struct clvk_bound {
  uint32_t binding;
  VkDescriptorType type;
  VkDescriptorBufferInfo buffer;
  VkDescriptorImageInfo image;
} clvk_bound;

/* A launch on its way. */
typedef struct clvk_work {
  clvk_program *program;
  clvk_device *device;
  const clvk_kernel *kernel;
  uint32_t index;
  clvk_plan plan;
  uint8_t *push;
  uint8_t *spilled;
  /* Numbers of elements of the local arguments, and their bytes together. */
  uint32_t *locals;
  uint32_t local_count;
  uint64_t local_bytes;
  clvk_bound *bound;
  uint32_t bound_count;
  /* Of each dispatch. */
  VkPipeline *pipelines;
  VkDescriptorSet set;
} clvk_work;

/* Where a launch has memory of its own. */
typedef struct clvk_piece {
  const clvk_buffer *buffer;
  uint64_t offset, size;
} clvk_piece;

static void clvk_put(clvk_work *work, uint32_t offset, const void *bytes, size_t size) {
  if (offset == CLVK_NOWHERE) return;
  if (offset & CLVK_SPILLED)
    memcpy(work->spilled + (offset & ~CLVK_SPILLED), bytes, size);
  else
    memcpy(work->push + offset, bytes, size);
}

static void clvk_put_word(clvk_work *work, uint32_t offset, uint32_t word) {
  clvk_put(work, offset, &word, sizeof word);
}

static clvk_bound *clvk_bind(clvk_work *work, uint32_t binding, VkDescriptorType type) {
  clvk_bound *bound = &work->bound[work->bound_count++];
  bound->binding = binding;
  bound->type = type;
  return bound;
}

static void clvk_bind_buffer(clvk_work *work, uint32_t binding, clvk_piece piece) {
  clvk_bound *bound = clvk_bind(work, binding, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER);
  bound->buffer.buffer = piece.buffer->buffer;
  bound->buffer.offset = piece.offset;
  bound->buffer.range = piece.size;
}

static clvk_piece clvk_all(const clvk_buffer *buffer) {
  clvk_piece piece = {NULL, 0, 0};
  piece.buffer = buffer;
  piece.size = buffer->whole;
  return piece;
}

/* Lets the kernel reach memory that is not an argument. */
static void clvk_reach(clvk_work *work, clvk_place place, clvk_piece piece) {
  const uint64_t address = piece.buffer->address + piece.offset;
  if (place.kind == CLVK_PLACE_ADDRESS) clvk_put(work, place.number, &address, sizeof address);
  if (place.kind == CLVK_PLACE_DESCRIPTOR) clvk_bind_buffer(work, place.number, piece);
}

/* ---- Memory of launches ---- */

/* Mapped memory until the device is done. */
static clvk_status clvk_take(clvk_device *device, uint64_t size, clvk_piece *piece) {
  uint64_t alignment = device->properties.limits.minStorageBufferOffsetAlignment;
  if (alignment < 16) alignment = 16;
  if (device->arguments && device->arguments->whole - device->arguments_used < size) {
    clvk_status status = clvk_keep(device, device->arguments, VK_NULL_HANDLE);
    device->arguments = NULL;
    if (status) return status;
  }
  if (!device->arguments) {
    const uint64_t made = size < CLVK_ARGUMENTS_SIZE ? CLVK_ARGUMENTS_SIZE : size;
    clvk_status status = clvk_create_buffer(device, made, CLVK_FOR_ARGUMENTS, &device->arguments);
    if (status) return status;
    device->arguments_used = 0;
  }
  piece->buffer = device->arguments;
  piece->offset = device->arguments_used;
  piece->size = size;
  device->arguments_used += (size + alignment - 1) / alignment * alignment;
  if (device->arguments_used > device->arguments->whole) device->arguments_used = device->arguments->whole;
  return CLVK_OK;
}

static clvk_status clvk_create_pool(clvk_device *device, const clvk_work *work) {
  static const VkDescriptorType types[] = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
                                           VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, VK_DESCRIPTOR_TYPE_SAMPLER};
  enum { TYPES = sizeof types / sizeof *types };
  VkDescriptorPoolSize sizes[TYPES];
  VkDescriptorPoolCreateInfo info = {VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, NULL, 0, CLVK_SETS, TYPES, NULL};
  VkResult result;
  uint32_t i;
  for (i = 0; i < TYPES; ++i) {
    sizes[i].type = types[i];
    sizes[i].descriptorCount = CLVK_SETS * CLVK_DESCRIPTORS + work->bound_count;
  }
  info.pPoolSizes = sizes;
  result = device->vk.CreateDescriptorPool(device->device, &info, NULL, &device->descriptors);
  if (result == VK_SUCCESS) return CLVK_OK;
  device->descriptors = VK_NULL_HANDLE;
  return clvk_fail_vulkan(result, "create a descriptor pool");
}

static clvk_status clvk_take_set(clvk_work *work) {
  clvk_device *device = work->device;
  VkDescriptorSetAllocateInfo info = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, NULL, VK_NULL_HANDLE, 1, NULL};
  int fresh = 0;
  info.pSetLayouts = &work->program->kernels[work->index].set;
  for (;;) {
    VkResult result;
    clvk_status status;
    if (!device->descriptors) {
      status = clvk_create_pool(device, work);
      if (status) return status;
      fresh = 1;
    }
    info.descriptorPool = device->descriptors;
    result = device->vk.AllocateDescriptorSets(device->device, &info, &work->set);
    if (result == VK_SUCCESS) return CLVK_OK;
    if (fresh) return clvk_fail_vulkan(result, "allocate descriptors");
    /* It is full. */
    status = clvk_keep(device, VK_NULL_HANDLE, device->descriptors);
    device->descriptors = VK_NULL_HANDLE;
    if (status) return status;
  }
}

static void clvk_write_set(clvk_work *work) {
  uint32_t i;
  for (i = 0; i < work->bound_count; ++i) {
    clvk_bound *bound = &work->bound[i];
    VkWriteDescriptorSet write = {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, NULL, VK_NULL_HANDLE, 0, 0, 1,
                                  VK_DESCRIPTOR_TYPE_SAMPLER, NULL, NULL, NULL};
    write.dstSet = work->set;
    write.dstBinding = bound->binding;
    write.descriptorType = bound->type;
    write.pImageInfo = &bound->image;
    write.pBufferInfo = &bound->buffer;
    work->device->vk.UpdateDescriptorSets(work->device->device, 1, &write, 0, NULL);
  }
}

/* ---- Arguments ---- */

/* The beginning of a message about an argument. */
#define CLVK_ABOUT "argument `%s` (%s) of kernel `%s`: "
#define CLVK_THAT parameter->name, parameter->type, work->kernel->name

static clvk_status clvk_put_pointer(clvk_work *work, const clvk_parameter *parameter, const clvk_arg *arg) {
  const int bound = parameter->kind == CLVK_PARAMETER_STORAGE_BUFFER;
  const uint32_t alignment =
      parameter->alignment ? parameter->alignment : bound ? CLVK_STRUCTURE_ALIGNMENT : 1;
  const clvk_buffer *buffer = arg->object;
  uint64_t address;
  if (arg->kind == CLVK_ARG_NULL) {
    clvk_piece piece;
    clvk_status status;
    address = 0;
    if (!bound) {
      clvk_put(work, parameter->offset, &address, sizeof address);
      return CLVK_OK;
    }
    /* The binding needs a buffer, though the kernel never reads it. */
    status = clvk_take(work->device, CLVK_STRUCTURE_ALIGNMENT, &piece);
    if (status) return status;
    clvk_put_word(work, parameter->offset, CLVK_NULL_OFFSET);
    clvk_bind_buffer(work, parameter->binding, piece);
    return CLVK_OK;
  }
  if (arg->kind != CLVK_ARG_BUFFER || !buffer)
    return clvk_fail(CLVK_INVALID, CLVK_ABOUT "a buffer is needed", CLVK_THAT);
  if (buffer->device != work->device)
    return clvk_fail(CLVK_INVALID, CLVK_ABOUT "the buffer belongs to another device", CLVK_THAT);
  if (arg->number >= buffer->size || arg->number % alignment)
    return clvk_fail(CLVK_INVALID, CLVK_ABOUT "the offset %llu is beyond the buffer or not a multiple of %u", CLVK_THAT,
                     (unsigned long long)arg->number, alignment);
  if (!bound) {
    address = buffer->address + arg->number;
    clvk_put(work, parameter->offset, &address, sizeof address);
    return CLVK_OK;
  }
  if (buffer->whole > work->device->properties.limits.maxStorageBufferRange)
    return clvk_fail(CLVK_UNSUPPORTED, CLVK_ABOUT "the device reaches only %u bytes of a buffer", CLVK_THAT,
                     work->device->properties.limits.maxStorageBufferRange);
  clvk_put_word(work, parameter->offset, (uint32_t)arg->number);
  clvk_bind_buffer(work, parameter->binding, clvk_all(buffer));
  return CLVK_OK;
}

static clvk_status clvk_put_local(clvk_work *work, const clvk_parameter *parameter, const clvk_arg *arg) {
  const uint32_t size = parameter->size ? parameter->size : 1;
  const uint64_t elements = arg->number / size + (arg->number % size != 0);
  if (arg->kind != CLVK_ARG_LOCAL || !elements)
    return clvk_fail(CLVK_INVALID, CLVK_ABOUT "a size of local memory is needed", CLVK_THAT);
  if (elements > UINT32_MAX)
    return clvk_fail(CLVK_UNSUPPORTED, CLVK_ABOUT "no device has that much local memory", CLVK_THAT);
  work->locals[work->local_count++] = (uint32_t)elements;
  work->local_bytes += elements * size;
  return CLVK_OK;
}

static clvk_status clvk_put_image(clvk_work *work, const clvk_parameter *parameter, const clvk_arg *arg) {
  const clvk_image *image = arg->object;
  const clvk_image_words *words = &parameter->words;
  const int reads = parameter->access == CLVK_READ_ONLY;
  const VkImageUsageFlags usage = reads ? VK_IMAGE_USAGE_SAMPLED_BIT : VK_IMAGE_USAGE_STORAGE_BIT;
  uint32_t level;
  if (arg->kind != CLVK_ARG_IMAGE || !image)
    return clvk_fail(CLVK_INVALID, CLVK_ABOUT "an image is needed", CLVK_THAT);
  if (image->device != work->device)
    return clvk_fail(CLVK_INVALID, CLVK_ABOUT "the image belongs to another device", CLVK_THAT);
  if (image->description.dimension != parameter->dimension)
    return clvk_fail(CLVK_INVALID, CLVK_ABOUT "the image has another shape", CLVK_THAT);
  if (!(image->usage & usage))
    return clvk_fail(CLVK_UNSUPPORTED, CLVK_ABOUT "kernels on this device cannot %s images of this format", CLVK_THAT,
                     reads ? "read" : "write");
  clvk_put_word(work, words->format, image->format_word);
  clvk_put_word(work, words->width, image->description.width);
  clvk_put_word(work, words->height, image->description.height);
  clvk_put_word(work, words->depth, image->description.depth);
  clvk_put_word(work, words->layers, image->description.layers);
  clvk_put_word(work, words->levels, 1);
  for (level = 0; level < parameter->count; ++level) {
    clvk_bound *bound = clvk_bind(work, parameter->binding + level,
                                  reads ? VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE : VK_DESCRIPTOR_TYPE_STORAGE_IMAGE);
    bound->image.imageView = image->view;
    bound->image.imageLayout = VK_IMAGE_LAYOUT_GENERAL;
  }
  return CLVK_OK;
}

static void clvk_bind_sampler(clvk_work *work, uint32_t binding, VkSampler sampler) {
  clvk_bind(work, binding, VK_DESCRIPTOR_TYPE_SAMPLER)->image.sampler = sampler;
}

static clvk_status clvk_put_argument(clvk_work *work, const clvk_parameter *parameter, const clvk_arg *arg) {
  const clvk_sampler *sampler;
  switch (parameter->kind) {
  case CLVK_PARAMETER_ADDRESS:
  case CLVK_PARAMETER_STORAGE_BUFFER: return clvk_put_pointer(work, parameter, arg);
  case CLVK_PARAMETER_VALUE:
    if (arg->kind != CLVK_ARG_VALUE || !arg->object || arg->number != parameter->size)
      return clvk_fail(CLVK_INVALID, CLVK_ABOUT "a value of %u bytes is needed", CLVK_THAT, parameter->size);
    clvk_put(work, parameter->offset, arg->object, parameter->size);
    return CLVK_OK;
  case CLVK_PARAMETER_LOCAL: return clvk_put_local(work, parameter, arg);
  case CLVK_PARAMETER_IMAGE: return clvk_put_image(work, parameter, arg);
  default:
    sampler = arg->object;
    if (arg->kind != CLVK_ARG_SAMPLER || !sampler || sampler->device != work->device)
      return clvk_fail(CLVK_INVALID, CLVK_ABOUT "a sampler of the same device is needed", CLVK_THAT);
    clvk_put_word(work, parameter->offset, sampler->word);
    clvk_bind_sampler(work, parameter->binding, sampler->sampler);
    return CLVK_OK;
  }
}

/* The words that every launch has, and the samplers that the source declares. */
static void clvk_put_common(clvk_work *work, const clvk_arg *args) {
  const clvk_kernel *kernel = work->kernel;
  clvk_sampler **samplers = work->program->kernels[work->index].samplers;
  uint32_t i;
  clvk_put(work, kernel->global_offset, work->plan.offset, sizeof work->plan.offset);
  clvk_put(work, kernel->global_size, work->plan.global, sizeof work->plan.global);
  clvk_put_word(work, kernel->work_dim, work->plan.dimensions);
  for (i = 0; i < kernel->sampler_count; ++i)
    clvk_bind_sampler(work, kernel->samplers[i].binding, samplers[i]->sampler);
  for (i = 0; i < kernel->texel_sampler_count; ++i) {
    const clvk_texel_sampler *texels = &kernel->texel_samplers[i];
    const clvk_sampler *sampler = texels->is_declared ? samplers[texels->index] : args[texels->index].object;
    clvk_bind_sampler(work, texels->binding, sampler->texel_sampler);
  }
}

/* Buffers that the kernel uses and does not have as arguments. */
static clvk_status clvk_put_implicit(clvk_work *work) {
  const clvk_kernel *kernel = work->kernel;
  clvk_piece piece;
  clvk_status status = CLVK_OK;
  if (kernel->program_variables.kind) clvk_reach(work, kernel->program_variables, clvk_all(work->program->variables));
  if (kernel->private_memory.kind) {
    clvk_buffer *buffer;
    status = clvk_create_buffer(work->device, work->plan.private_memory, CLVK_FOR_KERNELS, &buffer);
    if (status) return status;
    clvk_reach(work, kernel->private_memory, clvk_all(buffer));
    status = clvk_keep(work->device, buffer, VK_NULL_HANDLE);
  }
  if (!status && kernel->loop_watch.kind) {
    status = clvk_take(work->device, sizeof(uint32_t), &piece);
    if (status) return status;
    memset(piece.buffer->pointer + piece.offset, 0, sizeof(uint32_t));
    clvk_reach(work, kernel->loop_watch, piece);
    status = clvk_watch_loops(work->device, kernel->name, piece.buffer->pointer + piece.offset);
  }
  if (!status && kernel->argument_buffer.kind) {
    status = clvk_take(work->device, kernel->argument_buffer_size, &piece);
    if (status) return status;
    memcpy(piece.buffer->pointer + piece.offset, work->spilled, kernel->argument_buffer_size);
    clvk_reach(work, kernel->argument_buffer, piece);
  }
  return status;
}

static clvk_status clvk_encode(clvk_work *work, const clvk_arg *args, uint32_t count) {
  const clvk_kernel *kernel = work->kernel;
  const uint32_t room = work->device->properties.limits.maxComputeSharedMemorySize;
  clvk_status status = CLVK_OK;
  uint32_t i;
  if (count != kernel->parameter_count || (count && !args))
    return clvk_fail(CLVK_INVALID, "kernel `%s` takes %u arguments, not %u", kernel->name, kernel->parameter_count,
                     count);
  for (i = 0; i < count && !status; ++i) status = clvk_put_argument(work, &kernel->parameters[i], &args[i]);
  if (status) return status;
  if (kernel->local_memory + work->local_bytes > room)
    return clvk_fail(CLVK_UNSUPPORTED, "kernel `%s`: %llu bytes of local memory exceed the device's %u", kernel->name,
                     (unsigned long long)(kernel->local_memory + work->local_bytes), room);
  clvk_put_common(work, args);
  return clvk_put_implicit(work);
}

/* ---- Recording ---- */

static clvk_status clvk_compile_all(clvk_work *work) {
  clvk_status status = CLVK_OK;
  uint32_t i;
  for (i = 0; i < work->plan.dispatch_count && !status; ++i)
    status = clvk_get_pipeline(work->program, work->index, work->plan.dispatches[i].local, work->plan.local,
                               work->locals, work->local_count, &work->pipelines[i]);
  return status;
}

static void clvk_record(clvk_work *work) {
  clvk_device *device = work->device;
  const clvk_kernel *kernel = work->kernel;
  const clvk_kernel_state *state = &work->program->kernels[work->index];
  VkPipeline last = VK_NULL_HANDLE;
  uint32_t i;
  if (work->set)
    device->vk.CmdBindDescriptorSets(device->commands, VK_PIPELINE_BIND_POINT_COMPUTE, state->layout, 0, 1, &work->set,
                                     0, NULL);
  for (i = 0; i < work->plan.dispatch_count; ++i) {
    const clvk_dispatch *dispatch = &work->plan.dispatches[i];
    /* Dispatches share the private memory. */
    if (i && work->plan.private_memory) clvk_barrier(device);
    if (work->pipelines[i] != last)
      device->vk.CmdBindPipeline(device->commands, VK_PIPELINE_BIND_POINT_COMPUTE, work->pipelines[i]);
    last = work->pipelines[i];
    clvk_put(work, kernel->group_offset, dispatch->first, sizeof dispatch->first);
    if (kernel->push_constants && (!i || kernel->group_offset != CLVK_NOWHERE))
      device->vk.CmdPushConstants(device->commands, state->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                                  kernel->push_constants, work->push);
    device->vk.CmdDispatch(device->commands, dispatch->count[0], dispatch->count[1], dispatch->count[2]);
  }
}

static clvk_status clvk_do(clvk_work *work, const clvk_range *range, const clvk_arg *args, uint32_t count) {
  const clvk_kernel *kernel = work->kernel;
  /* Arguments, samplers, the implicit buffers and the argument buffer. */
  uint32_t most = kernel->sampler_count + kernel->texel_sampler_count + 4, i;
  clvk_status status = clvk_make_plan(work->program, work->index, range, &work->plan);
  if (status) return status;
  for (i = 0; i < kernel->parameter_count; ++i) {
    const clvk_parameter *parameter = &kernel->parameters[i];
    most += parameter->kind == CLVK_PARAMETER_IMAGE ? parameter->count : 1;
  }
  work->push = clvk_allocate(kernel->push_constants, 1);
  work->spilled = clvk_allocate(kernel->argument_buffer_size, 1);
  work->locals = clvk_allocate(kernel->parameter_count, sizeof *work->locals);
  work->bound = clvk_allocate(most, sizeof *work->bound);
  work->pipelines = clvk_allocate(work->plan.dispatch_count, sizeof(VkPipeline));
  if (!work->push || !work->spilled || !work->locals || !work->bound || !work->pipelines) return CLVK_OUT_OF_MEMORY;
  status = clvk_encode(work, args, count);
  if (!status) status = clvk_compile_all(work);
  if (!status && work->bound_count) status = clvk_take_set(work);
  if (!status) status = clvk_begin(work->device);
  if (status) return status;
  if (work->bound_count) clvk_write_set(work);
  clvk_record(work);
  return CLVK_OK;
}

clvk_status clvk_launch(clvk_program *program, uint32_t kernel, const clvk_range *range, const clvk_arg *args,
                        uint32_t count) {
  clvk_work work;
  clvk_status status = CLVK_OK;
  if (!program || !range) return clvk_fail(CLVK_INVALID, "there is no program or no range");
  if (kernel >= program->data->kernel_count)
    return clvk_fail(CLVK_INVALID, "program `%s` has %u kernels, and none has the number %u", program->data->name,
                     program->data->kernel_count, kernel);
  if (program->device->recorded >= CLVK_MOST_COMMANDS) status = clvk_finish(program->device);
  if (status) return status;
  memset(&work, 0, sizeof work);
  work.program = program;
  work.device = program->device;
  work.kernel = &program->variant->kernels[kernel];
  work.index = kernel;
  status = clvk_do(&work, range, args, count);
  /* Nothing waits for the memory of a launch that failed. */
  if (status && !work.device->recorded) clvk_finish(work.device);
  free(work.plan.dispatches);
  free(work.push);
  free(work.spilled);
  free(work.locals);
  free(work.bound);
  free(work.pipelines);
  return status;
}
