/* Programs: the choice of a variant, shader modules, layouts and pipelines. */
#include "clvk_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The choice of a variant ---- */

/* How many descriptors of each kind a kernel has. */
typedef struct clvk_counts {
  uint32_t buffers, sampled, storage, samplers;
} clvk_counts;

static clvk_counts clvk_count(const clvk_kernel *kernel) {
  const clvk_place places[] = {kernel->argument_buffer, kernel->program_variables, kernel->private_memory,
                               kernel->loop_watch};
  clvk_counts counts = {0, 0, 0, 0};
  uint32_t i;
  for (i = 0; i < sizeof places / sizeof *places; ++i) counts.buffers += places[i].kind == CLVK_PLACE_DESCRIPTOR;
  counts.samplers = kernel->sampler_count + kernel->texel_sampler_count;
  for (i = 0; i < kernel->parameter_count; ++i) {
    const clvk_parameter *parameter = &kernel->parameters[i];
    if (parameter->kind == CLVK_PARAMETER_STORAGE_BUFFER) ++counts.buffers;
    if (parameter->kind == CLVK_PARAMETER_SAMPLER) ++counts.samplers;
    if (parameter->kind != CLVK_PARAMETER_IMAGE) continue;
    if (parameter->access == CLVK_READ_ONLY)
      counts.sampled += parameter->count;
    else
      counts.storage += parameter->count;
  }
  return counts;
}

/* What a kernel needs more of than the device has; NULL if nothing. */
static const char *clvk_exceeds(const clvk_device *device, const clvk_kernel *kernel) {
  const VkPhysicalDeviceLimits *limits = &device->properties.limits;
  const clvk_counts counts = clvk_count(kernel);
  const uint32_t *required = kernel->required_local_size;
  if (kernel->push_constants > limits->maxPushConstantsSize) return "maxPushConstantsSize";
  if (kernel->local_memory > limits->maxComputeSharedMemorySize) return "maxComputeSharedMemorySize";
  if (counts.buffers > limits->maxPerStageDescriptorStorageBuffers) return "maxPerStageDescriptorStorageBuffers";
  if (counts.sampled > limits->maxPerStageDescriptorSampledImages) return "maxPerStageDescriptorSampledImages";
  if (counts.storage > limits->maxPerStageDescriptorStorageImages) return "maxPerStageDescriptorStorageImages";
  if (counts.samplers > limits->maxPerStageDescriptorSamplers) return "maxPerStageDescriptorSamplers";
  if (counts.buffers + counts.sampled + counts.storage > limits->maxPerStageResources) return "maxPerStageResources";
  if (required[0]) {
    const uint32_t most[3] = {limits->maxComputeWorkGroupSize[0], limits->maxComputeWorkGroupSize[1],
                              limits->maxComputeWorkGroupSize[2]};
    const uint64_t items = (uint64_t)required[0] * required[1] * required[2];
    if (items > limits->maxComputeWorkGroupInvocations) return "maxComputeWorkGroupInvocations";
    if (required[0] > most[0] || required[1] > most[1] || required[2] > most[2]) return "maxComputeWorkGroupSize";
  }
  return NULL;
}

static const char *const clvk_need_names[] = {
#define CLVK_NEED_NAME(name) #name,
    CLVK_NEEDS(CLVK_NEED_NAME)
#undef CLVK_NEED_NAME
};

/* Whether a variant suits the device; if not, `reason` has a clause. */
static int clvk_suits(const clvk_device *device, const clvk_program_data *data, const clvk_variant *variant,
                      char *reason, size_t size) {
  const clvk_needs missing = variant->needs & ~device->has;
  uint32_t i;
  for (i = 0; i < CLVK_NUMBER_OF_NEEDS; ++i) {
    if (!(missing >> i & 1)) continue;
    snprintf(reason, size, "the device has no %s", clvk_need_names[i]);
    return 0;
  }
  if (variant->spirv_version > device->spirv_version) {
    snprintf(reason, size, "the device takes SPIR-V up to 1.%u", device->spirv_version & 0xff);
    return 0;
  }
  if (variant->subgroup_size && variant->subgroup_size != device->subgroup_size) {
    snprintf(reason, size, "the device's sub-groups have %u work-items", device->subgroup_size);
    return 0;
  }
  for (i = 0; i < sizeof clvk_driver_names / sizeof *clvk_driver_names; ++i) {
    const clvk_driver_name *name = &clvk_driver_names[i];
    const int wrong = (name->quirk & device->quirks & ~variant->tolerates) != 0;
    const int lacking = (name->guarantee & variant->relies_on & ~device->guarantees) != 0;
    if (!wrong && !lacking) continue;
    snprintf(reason, size, wrong ? "it does not avoid the driver's error %s" : "the driver does not promise %s",
             name->name);
    return 0;
  }
  for (i = 0; i < data->kernel_count; ++i) {
    const char *limit = clvk_exceeds(device, &variant->kernels[i]);
    if (!limit) continue;
    snprintf(reason, size, "kernel `%s` exceeds the device's %s", variant->kernels[i].name, limit);
    return 0;
  }
  return 1;
}

static clvk_status clvk_choose_variant(clvk_program *program) {
  const clvk_program_data *data = program->data;
  char reasons[400] = "";
  size_t length = 0;
  uint32_t i;
  for (i = 0; i < data->variant_count; ++i) {
    char reason[160];
    if (clvk_suits(program->device, data, &data->variants[i], reason, sizeof reason)) {
      program->variant = &data->variants[i];
      return CLVK_OK;
    }
    if (length < sizeof reasons)
      length += (size_t)snprintf(reasons + length, sizeof reasons - length, "%s%s: %s", i ? "; " : "",
                                 data->variants[i].name, reason);
  }
  return clvk_fail(CLVK_UNSUPPORTED, "no variant of program `%s` suits `%s` (%s)", data->name,
                   clvk_device_name(program->device), reasons);
}

/* ---- Layouts ---- */

static void clvk_add_binding(VkDescriptorSetLayoutBinding *bindings, uint32_t *count, uint32_t number,
                             VkDescriptorType type) {
  VkDescriptorSetLayoutBinding *binding = &bindings[(*count)++];
  memset(binding, 0, sizeof *binding);
  binding->binding = number;
  binding->descriptorType = type;
  binding->descriptorCount = 1;
  binding->stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
}

static void clvk_list_bindings(const clvk_kernel *kernel, VkDescriptorSetLayoutBinding *bindings, uint32_t *count) {
  const clvk_place places[] = {kernel->argument_buffer, kernel->program_variables, kernel->private_memory,
                               kernel->loop_watch};
  uint32_t i, level;
  for (i = 0; i < sizeof places / sizeof *places; ++i)
    if (places[i].kind == CLVK_PLACE_DESCRIPTOR)
      clvk_add_binding(bindings, count, places[i].number, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER);
  for (i = 0; i < kernel->sampler_count; ++i)
    clvk_add_binding(bindings, count, kernel->samplers[i].binding, VK_DESCRIPTOR_TYPE_SAMPLER);
  for (i = 0; i < kernel->texel_sampler_count; ++i)
    clvk_add_binding(bindings, count, kernel->texel_samplers[i].binding, VK_DESCRIPTOR_TYPE_SAMPLER);
  for (i = 0; i < kernel->parameter_count; ++i) {
    const clvk_parameter *parameter = &kernel->parameters[i];
    if (parameter->kind == CLVK_PARAMETER_STORAGE_BUFFER)
      clvk_add_binding(bindings, count, parameter->binding, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER);
    if (parameter->kind == CLVK_PARAMETER_SAMPLER)
      clvk_add_binding(bindings, count, parameter->binding, VK_DESCRIPTOR_TYPE_SAMPLER);
    if (parameter->kind != CLVK_PARAMETER_IMAGE) continue;
    for (level = 0; level < parameter->count; ++level)
      clvk_add_binding(bindings, count, parameter->binding + level,
                       parameter->access == CLVK_READ_ONLY ? VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE
                                                           : VK_DESCRIPTOR_TYPE_STORAGE_IMAGE);
  }
}

static clvk_status clvk_create_layout(clvk_device *device, const clvk_kernel *kernel, clvk_kernel_state *state) {
  const clvk_counts counts = clvk_count(kernel);
  VkDescriptorSetLayoutCreateInfo set = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, NULL, 0, 0, NULL};
  VkPipelineLayoutCreateInfo layout = {VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, NULL, 0, 0, NULL, 0, NULL};
  VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, 0};
  VkDescriptorSetLayoutBinding *bindings;
  VkResult result;
  bindings = clvk_allocate(counts.buffers + counts.sampled + counts.storage + counts.samplers, sizeof *bindings);
  if (!bindings) return CLVK_OUT_OF_MEMORY;
  clvk_list_bindings(kernel, bindings, &set.bindingCount);
  if (set.bindingCount) {
    set.pBindings = bindings;
    result = device->vk.CreateDescriptorSetLayout(device->device, &set, NULL, &state->set);
    if (result != VK_SUCCESS) {
      state->set = VK_NULL_HANDLE;
      free(bindings);
      return clvk_fail_vulkan(result, "create a descriptor set layout");
    }
    layout.setLayoutCount = 1;
    layout.pSetLayouts = &state->set;
  }
  free(bindings);
  if (kernel->push_constants) {
    range.size = kernel->push_constants;
    layout.pushConstantRangeCount = 1;
    layout.pPushConstantRanges = &range;
  }
  result = device->vk.CreatePipelineLayout(device->device, &layout, NULL, &state->layout);
  if (result == VK_SUCCESS) return CLVK_OK;
  state->layout = VK_NULL_HANDLE;
  return clvk_fail_vulkan(result, "create a pipeline layout");
}

static clvk_status clvk_create_kernel(clvk_program *program, uint32_t index) {
  const clvk_kernel *kernel = &program->variant->kernels[index];
  clvk_kernel_state *state = &program->kernels[index];
  uint32_t i;
  clvk_status status = clvk_create_layout(program->device, kernel, state);
  if (status) return status;
  state->samplers = clvk_allocate(kernel->sampler_count, sizeof *state->samplers);
  if (!state->samplers) return CLVK_OUT_OF_MEMORY;
  for (i = 0; i < kernel->sampler_count && !status; ++i) {
    const clvk_program_sampler *sampler = &kernel->samplers[i];
    status = clvk_sampler_create(program->device, sampler->addressing, sampler->linear, sampler->normalized,
                                 &state->samplers[i]);
  }
  return status;
}

/* ---- Program-scope variables ---- */

/* The high word of a pointer to a variable where buffers are bound; the low word is the offset. */
#define CLVK_VARIABLES_TAG ((uint64_t)0x80000001u << 32)

static clvk_status clvk_create_variables(clvk_program *program) {
  const clvk_variant *variant = program->variant;
  clvk_buffer *buffer;
  uint32_t i;
  clvk_status status = clvk_create_buffer(program->device, variant->variables_size, CLVK_FOR_KERNELS, &buffer);
  if (status) return status;
  program->variables = buffer;
  buffer->size = buffer->whole;
  status = clvk_buffer_fill(buffer, 0, buffer->whole, 0);
  for (i = 0; i < variant->content_count && !status; ++i) {
    const clvk_bytes *part = &variant->contents[i];
    status = clvk_buffer_write(buffer, part->offset, part->bytes, part->size);
  }
  for (i = 0; i < variant->pointer_count && !status; ++i) {
    const clvk_pointer *pointer = &variant->pointers[i];
    uint64_t target = (variant->logical ? CLVK_VARIABLES_TAG : buffer->address) + pointer->target;
    status = clvk_buffer_write(buffer, pointer->offset, &target, sizeof target);
  }
  return status;
}

/* ---- Programs ---- */

static clvk_status clvk_load(clvk_program *program) {
  clvk_device *device = program->device;
  VkShaderModuleCreateInfo info = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, NULL, 0, 0, NULL};
  VkResult result;
  uint32_t i;
  clvk_status status = clvk_choose_variant(program);
  if (status) return status;
  info.codeSize = program->variant->spirv_size;
  info.pCode = program->variant->spirv;
  result = device->vk.CreateShaderModule(device->device, &info, NULL, &program->module);
  if (result != VK_SUCCESS) {
    program->module = VK_NULL_HANDLE;
    return clvk_fail_vulkan(result, "create a shader module");
  }
  program->kernels = clvk_allocate(program->data->kernel_count, sizeof *program->kernels);
  if (!program->kernels) return CLVK_OUT_OF_MEMORY;
  for (i = 0; i < program->data->kernel_count && !status; ++i) status = clvk_create_kernel(program, i);
  if (!status && program->variant->variables_size) status = clvk_create_variables(program);
  return status;
}

clvk_status clvk_program_create(clvk_device *device, const clvk_program_data *data, clvk_program **created) {
  clvk_program *program;
  clvk_status status;
  if (!created) return clvk_fail(CLVK_INVALID, "there is no place for the program");
  *created = NULL;
  if (!device || !data) return clvk_fail(CLVK_INVALID, "there is no device or no program");
  program = clvk_allocate(1, sizeof *program);
  if (!program) return CLVK_OUT_OF_MEMORY;
  program->device = device;
  program->data = data;
  status = clvk_load(program);
  if (status)
    clvk_program_destroy(program);
  else
    *created = program;
  return status;
}

static void clvk_destroy_kernel(clvk_device *device, const clvk_kernel *kernel, clvk_kernel_state *state) {
  uint32_t i;
  while (state->pipelines) {
    clvk_pipeline *first = state->pipelines;
    state->pipelines = first->next;
    device->vk.DestroyPipeline(device->device, first->pipeline, NULL);
    free(first->locals);
    free(first);
  }
  for (i = 0; state->samplers && i < kernel->sampler_count; ++i) clvk_sampler_destroy(state->samplers[i]);
  free(state->samplers);
  if (state->layout) device->vk.DestroyPipelineLayout(device->device, state->layout, NULL);
  if (state->set) device->vk.DestroyDescriptorSetLayout(device->device, state->set, NULL);
}

void clvk_program_destroy(clvk_program *program) {
  clvk_device *device;
  uint32_t i;
  if (!program) return;
  device = program->device;
  if (device->recorded) clvk_finish(device);
  for (i = 0; program->kernels && i < program->data->kernel_count; ++i)
    clvk_destroy_kernel(device, &program->variant->kernels[i], &program->kernels[i]);
  free(program->kernels);
  clvk_buffer_destroy(program->variables);
  if (program->module) device->vk.DestroyShaderModule(device->device, program->module, NULL);
  free(program);
}

const char *clvk_program_variant(const clvk_program *program) { return program ? program->variant->name : ""; }

/* ---- Pipelines ---- */

static int clvk_is_for(const clvk_pipeline *pipeline, const uint32_t local[3], const uint32_t enqueued[3],
                       const uint32_t *locals, uint32_t local_count) {
  return !memcmp(pipeline->local, local, sizeof pipeline->local) &&
         !memcmp(pipeline->enqueued, enqueued, sizeof pipeline->enqueued) && pipeline->local_count == local_count &&
         (!local_count || !memcmp(pipeline->locals, locals, local_count * sizeof *locals));
}

static clvk_status clvk_compile(clvk_program *program, uint32_t index, clvk_pipeline *pipeline) {
  clvk_device *device = program->device;
  const clvk_kernel *kernel = &program->variant->kernels[index];
  const uint32_t count = 6 + pipeline->local_count;
  VkSpecializationMapEntry *entries = clvk_allocate(count, sizeof *entries);
  uint32_t *values = clvk_allocate(count, sizeof *values);
  VkSpecializationInfo specialization = {0, NULL, 0, NULL};
  VkComputePipelineCreateInfo info = {VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, NULL, 0};
  const uint64_t row = (uint64_t)pipeline->local[0] * pipeline->local[1] * pipeline->local[2];
  VkResult result = VK_ERROR_OUT_OF_HOST_MEMORY;
  if (entries && values) {
    uint32_t i, next = 6;
    for (i = 0; i < 3; ++i) {
      entries[i].constantID = CLVK_SPEC_LOCAL_SIZE + i;
      values[i] = pipeline->local[i];
      entries[3 + i].constantID = CLVK_SPEC_ENQUEUED_LOCAL_SIZE + i;
      values[3 + i] = pipeline->enqueued[i];
    }
    for (i = 0; i < kernel->parameter_count; ++i) {
      if (kernel->parameters[i].kind != CLVK_PARAMETER_LOCAL) continue;
      entries[next].constantID = kernel->parameters[i].spec_id;
      values[next] = pipeline->locals[next - 6];
      ++next;
    }
    for (i = 0; i < count; ++i) {
      entries[i].offset = 4 * i;
      entries[i].size = 4;
    }
    specialization.mapEntryCount = count;
    specialization.pMapEntries = entries;
    specialization.dataSize = 4 * (size_t)count;
    specialization.pData = values;
    info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.module = program->module;
    info.stage.pName = kernel->name;
    info.stage.pSpecializationInfo = &specialization;
    if (kernel->sub_groups && device->has & CLVK_HAS(compute_full_subgroups) && row % device->subgroup_size == 0)
      info.stage.flags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
    info.layout = program->kernels[index].layout;
    result =
        device->vk.CreateComputePipelines(device->device, device->cache, 1, &info, NULL, &pipeline->pipeline);
  }
  free(entries);
  free(values);
  return result == VK_SUCCESS ? CLVK_OK : clvk_fail_vulkan(result, "compile a kernel");
}

clvk_status clvk_get_pipeline(clvk_program *program, uint32_t index, const uint32_t local[3],
                              const uint32_t enqueued[3], const uint32_t *locals, uint32_t local_count,
                              VkPipeline *found) {
  clvk_kernel_state *state = &program->kernels[index];
  clvk_pipeline *pipeline;
  clvk_status status;
  for (pipeline = state->pipelines; pipeline; pipeline = pipeline->next) {
    if (!clvk_is_for(pipeline, local, enqueued, locals, local_count)) continue;
    *found = pipeline->pipeline;
    return CLVK_OK;
  }
  pipeline = clvk_allocate(1, sizeof *pipeline);
  if (!pipeline) return CLVK_OUT_OF_MEMORY;
  pipeline->locals = clvk_allocate(local_count, sizeof *pipeline->locals);
  memcpy(pipeline->local, local, sizeof pipeline->local);
  memcpy(pipeline->enqueued, enqueued, sizeof pipeline->enqueued);
  pipeline->local_count = local_count;
  if (pipeline->locals && local_count) memcpy(pipeline->locals, locals, local_count * sizeof *locals);
  status = pipeline->locals ? clvk_compile(program, index, pipeline) : CLVK_OUT_OF_MEMORY;
  if (status) {
    free(pipeline->locals);
    free(pipeline);
    return status;
  }
  pipeline->next = state->pipelines;
  state->pipelines = pipeline;
  *found = pipeline->pipeline;
  return CLVK_OK;
}
