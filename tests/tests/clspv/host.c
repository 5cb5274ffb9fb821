/*
 * A host of clspv: launches the kernels of a SPIR-V module as its reflection says, and knows nothing else
 * about them. It reads NonSemantic.ClspvReflection by the specification, on its own.
 *
 *     host MODULE.spv JOB
 *
 * JOB is text: `buffer FILE SIZE` and `image FILE WIDTH HEIGHT` make resources, which are numbered from 0;
 * `launch KERNEL` is followed by nine numbers (global size, local size, global offset), the number of
 * dimensions and that of the arguments, and by the arguments: `resource N`, `value HEX`, `local BYTES`,
 * `sampler WORD`. `output N FILE` writes a resource. The kernels run on the first device.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

enum { ARGUMENTS = 64, SETS = 4, BINDINGS = 64, RESOURCES = 64, PUSH = 256, REFLECTED = 512, SPECS = 64 };

static void fail(const char *what) {
    fprintf(stderr, "host: %s\n", what);
    exit(1);
}

static void vk(VkResult result, const char *what) {
    if (result != VK_SUCCESS) {
        fprintf(stderr, "host: %s: VkResult %d\n", what, result);
        exit(1);
    }
}

/* The reflection: instructions with their operands, constants as their values and the others as ids. */
typedef struct {
    uint32_t id, number, count, operand[16];
} Reflected;

static uint32_t *words, word_count, bound;
static const char **strings;
static uint32_t *constants;
static Reflected reflected[REFLECTED];
static uint32_t reflected_count;

static void read_module(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) fail("no module");
    fseek(file, 0, SEEK_END);
    word_count = (uint32_t)ftell(file) / 4;
    rewind(file);
    words = calloc(word_count, 4);
    if (fread(words, 4, word_count, file) != word_count) fail("a short module");
    fclose(file);
    bound = words[3];
    strings = calloc(bound, sizeof *strings);
    constants = calloc(bound, sizeof *constants);
    uint32_t set = 0, word_type = 0;
    for (uint32_t at = 5; at < word_count; at += words[at] >> 16) {
        uint32_t *it = words + at, length = it[0] >> 16;
        switch (it[0] & 0xffff) {
        case 11: /* OpExtInstImport */
            if (!strncmp((char *)(it + 2), "NonSemantic.ClspvReflection.", 28)) set = it[1];
            break;
        case 7: strings[it[1]] = (char *)(it + 2); break;                    /* OpString */
        case 21: if (it[2] == 32 && it[3] == 0) word_type = it[1]; break;    /* OpTypeInt */
        case 43: if (it[1] == word_type) constants[it[2]] = it[3]; break;    /* OpConstant */
        case 12:                                                             /* OpExtInst */
            if (it[3] != set) break;
            if (reflected_count == REFLECTED || length - 5 > 16) fail("too much is reflected");
            Reflected *new = &reflected[reflected_count++];
            *new = (Reflected){.id = it[2], .number = it[4], .count = length - 5};
            memcpy(new->operand, it + 5, 4 * new->count);
            break;
        }
    }
    if (!set) fail("the module has no reflection");
}

/* Takes the reflection away, for devices that do not allow it (clspv's documentation, Embedded Reflection). */
static void strip(void) {
    uint32_t *stripped = calloc(word_count, 4), end = 5, set = 0;
    memcpy(stripped, words, 20);
    for (uint32_t at = 5; at < word_count;) {
        uint32_t *it = words + at, length = it[0] >> 16, op = it[0] & 0xffff;
        int goes = op == 10 && !strcmp((char *)(it + 1), "SPV_KHR_non_semantic_info");
        if (op == 11 && !strncmp((char *)(it + 2), "NonSemantic.", 12)) {
            set = it[1];
            goes = 1;
        }
        goes |= op == 12 && set && it[3] == set;
        if (!goes) {
            memcpy(stripped + end, it, 4 * length);
            end += length;
        }
        at += length;
    }
    words = stripped; /* the strings are in the other one */
    word_count = end;
}

static uint32_t number_of(const Reflected *it, uint32_t operand) { return constants[it->operand[operand]]; }

/* The device. */
static VkPhysicalDevice physical;
static VkDevice device;
static VkQueue queue;
static VkCommandPool pool;
static int has_addresses;

static void open_device(void) {
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_2};
    VkInstanceCreateInfo create = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
    VkInstance instance;
    vk(vkCreateInstance(&create, NULL, &instance), "vkCreateInstance");
    uint32_t one = 1;
    VkResult result = vkEnumeratePhysicalDevices(instance, &one, &physical);
    if ((result != VK_SUCCESS && result != VK_INCOMPLETE) || !one) fail("no device");
    VkPhysicalDeviceVulkan12Features twelve = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
    VkPhysicalDeviceVulkan11Features eleven = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, .pNext = &twelve};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &eleven};
    vkGetPhysicalDeviceFeatures2(physical, &features);
    features.features.robustBufferAccess = VK_FALSE;
    has_addresses = twelve.bufferDeviceAddress;
    float priority = 1;
    VkDeviceQueueCreateInfo queues = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    const char *extension = "VK_KHR_shader_non_semantic_info";
    VkExtensionProperties known[512];
    uint32_t count = 512, has_extension = 0;
    vkEnumerateDeviceExtensionProperties(physical, NULL, &count, known);
    for (uint32_t i = 0; i < count; i++) has_extension |= !strcmp(known[i].extensionName, extension);
    if (!has_extension) strip();
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                               .pNext = &features,
                               .queueCreateInfoCount = 1,
                               .pQueueCreateInfos = &queues,
                               .enabledExtensionCount = has_extension,
                               .ppEnabledExtensionNames = &extension};
    vk(vkCreateDevice(physical, &info, NULL, &device), "vkCreateDevice");
    vkGetDeviceQueue(device, 0, 0, &queue);
    VkCommandPoolCreateInfo pools = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    vk(vkCreateCommandPool(device, &pools, NULL, &pool), "vkCreateCommandPool");
}

/* Memory; `addressed` if buffers in it have addresses. */
static VkDeviceMemory allocate(VkMemoryRequirements needs, VkMemoryPropertyFlags flags, int addressed) {
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(physical, &memory);
    uint32_t type = 0;
    while (!(needs.memoryTypeBits >> type & 1) || (memory.memoryTypes[type].propertyFlags & flags) != flags) {
        if (++type == memory.memoryTypeCount) fail("no memory");
    }
    VkMemoryAllocateFlagsInfo extra = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                       .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
    VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                 .pNext = addressed ? &extra : NULL,
                                 .allocationSize = needs.size,
                                 .memoryTypeIndex = type};
    VkDeviceMemory result;
    vk(vkAllocateMemory(device, &info, NULL, &result), "vkAllocateMemory");
    return result;
}

static VkCommandBuffer begin(void) {
    VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                        .commandPool = pool,
                                        .commandBufferCount = 1};
    VkCommandBuffer commands;
    vk(vkAllocateCommandBuffers(device, &info, &commands), "vkAllocateCommandBuffers");
    VkCommandBufferBeginInfo start = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    vk(vkBeginCommandBuffer(commands, &start), "vkBeginCommandBuffer");
    return commands;
}

static void finish(VkCommandBuffer commands) {
    VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                               .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                               .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT};
    VkPipelineStageFlags all = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT;
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, all, 0, 1, &barrier, 0, NULL, 0, NULL);
    vk(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
    VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
    vk(vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
    vk(vkQueueWaitIdle(queue), "vkQueueWaitIdle");
}

/* Resources: a buffer that the host sees, and for an image the image that it is copied to and from. */
typedef struct {
    VkBuffer buffer;
    uint8_t *bytes;
    uint64_t size;
    VkImage image;
    VkImageView view;
    uint32_t width, height;
} Resource;

static Resource resources[RESOURCES];
static uint32_t resource_count;

static Resource make_buffer(uint64_t size) {
    Resource it = {.size = size};
    VkBufferUsageFlags usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                               VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    if (has_addresses) usage |= VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size ? size : 4, .usage = usage};
    vk(vkCreateBuffer(device, &info, NULL, &it.buffer), "vkCreateBuffer");
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(device, it.buffer, &needs);
    VkMemoryPropertyFlags flags = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    VkDeviceMemory memory = allocate(needs, flags, has_addresses);
    vk(vkBindBufferMemory(device, it.buffer, memory, 0), "vkBindBufferMemory");
    vk(vkMapMemory(device, memory, 0, VK_WHOLE_SIZE, 0, (void **)&it.bytes), "vkMapMemory");
    return it;
}

static void fill(Resource *it, const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file || fread(it->bytes, 1, it->size, file) != it->size) fail("a resource is missing");
    fclose(file);
}

static void copy_image(Resource *it, int to_image) {
    VkCommandBuffer commands = begin();
    VkImageMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
        .oldLayout = to_image ? VK_IMAGE_LAYOUT_UNDEFINED : VK_IMAGE_LAYOUT_GENERAL,
        .newLayout = VK_IMAGE_LAYOUT_GENERAL,
        .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .image = it->image,
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    VkPipelineStageFlags all = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    vkCmdPipelineBarrier(commands, all, all, 0, 0, NULL, 0, NULL, 1, &barrier);
    VkBufferImageCopy region = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                .imageExtent = {it->width, it->height, 1}};
    if (to_image) {
        vkCmdCopyBufferToImage(commands, it->buffer, it->image, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
    } else {
        vkCmdCopyImageToBuffer(commands, it->image, VK_IMAGE_LAYOUT_GENERAL, it->buffer, 1, &region);
    }
    finish(commands);
}

static void make_image(Resource *it, uint32_t width, uint32_t height) {
    VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                              .imageType = VK_IMAGE_TYPE_2D,
                              .format = VK_FORMAT_R8G8B8A8_UNORM,
                              .extent = {width, height, 1},
                              .mipLevels = 1,
                              .arrayLayers = 1,
                              .samples = VK_SAMPLE_COUNT_1_BIT,
                              .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT |
                                       VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT};
    it->width = width;
    it->height = height;
    vk(vkCreateImage(device, &info, NULL, &it->image), "vkCreateImage");
    VkMemoryRequirements needs;
    vkGetImageMemoryRequirements(device, it->image, &needs);
    vk(vkBindImageMemory(device, it->image, allocate(needs, 0, 0), 0), "vkBindImageMemory");
    VkImageViewCreateInfo view = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                  .image = it->image,
                                  .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                  .format = VK_FORMAT_R8G8B8A8_UNORM,
                                  .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    vk(vkCreateImageView(device, &view, NULL, &it->view), "vkCreateImageView");
    copy_image(it, 1);
}

/* A sampler with the properties of an OpenCL word. */
static VkSampler make_sampler(uint32_t word) {
    static const VkSamplerAddressMode modes[] = {
        VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
        VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER, VK_SAMPLER_ADDRESS_MODE_REPEAT,
        VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT};
    VkSamplerAddressMode mode = modes[(word >> 1 & 7) % 5];
    VkFilter filter = word & 0x20 ? VK_FILTER_LINEAR : VK_FILTER_NEAREST;
    VkSamplerCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                                .magFilter = filter,
                                .minFilter = filter,
                                .addressModeU = mode,
                                .addressModeV = mode,
                                .addressModeW = mode,
                                .unnormalizedCoordinates = !(word & 1)};
    VkSampler sampler;
    vk(vkCreateSampler(device, &info, NULL, &sampler), "vkCreateSampler");
    return sampler;
}

/* A launch: what is bound, pushed and specialised. */
typedef struct {
    VkDescriptorSetLayoutBinding bindings[SETS][BINDINGS];
    VkDescriptorBufferInfo buffers[SETS][BINDINGS];
    VkDescriptorImageInfo images[SETS][BINDINGS];
    uint32_t binding_count[SETS];
    uint8_t push[PUSH];
    uint32_t push_end;
    VkSpecializationMapEntry entries[SPECS];
    uint32_t specialised[SPECS], spec_count;
} Launch;

typedef struct {
    char kind;
    uint32_t number, length;
    uint8_t bytes[4096];
} Argument;

static uint32_t bind(Launch *launch, uint32_t set, uint32_t binding, VkDescriptorType type) {
    if (set >= SETS || launch->binding_count[set] == BINDINGS) fail("a set or binding is out of range");
    for (uint32_t known = 0; known < launch->binding_count[set]; known++) {
        if (launch->bindings[set][known].binding == binding) return known;
    }
    uint32_t at = launch->binding_count[set]++;
    launch->bindings[set][at] = (VkDescriptorSetLayoutBinding){
        .binding = binding, .descriptorType = type, .descriptorCount = 1, .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
    return at;
}

static void bind_buffer(Launch *launch, uint32_t set, uint32_t binding, const Resource *it) {
    uint32_t at = bind(launch, set, binding, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER);
    launch->buffers[set][at] = (VkDescriptorBufferInfo){it->buffer, 0, VK_WHOLE_SIZE};
}

static void push(Launch *launch, uint32_t offset, const void *bytes, uint32_t size) {
    if (offset + size > PUSH) fail("push constants are out of range");
    memcpy(launch->push + offset, bytes, size);
    uint32_t end = (offset + size + 3) & ~3u;
    if (end > launch->push_end) launch->push_end = end;
}

static void push_address(Launch *launch, uint32_t offset, const Resource *it) {
    VkBufferDeviceAddressInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, .buffer = it->buffer};
    uint64_t address = vkGetBufferDeviceAddress(device, &info);
    push(launch, offset, &address, 8);
}

static void specialise(Launch *launch, uint32_t id, uint32_t value) {
    uint32_t at = launch->spec_count++;
    if (at == SPECS) fail("too many constants");
    launch->entries[at] = (VkSpecializationMapEntry){id, at * 4, 4};
    launch->specialised[at] = value;
}

/* The program's variables keep their contents from launch to launch. */
static Resource variables;

static void read_variables(const char *digits) {
    uint64_t size = strlen(digits) / 2;
    variables = make_buffer(size);
    for (uint64_t i = 0; i < size; i++) {
        unsigned byte;
        if (sscanf(digits + 2 * i, "%2x", &byte) != 1) fail("the variables are not hexadecimal");
        variables.bytes[i] = (uint8_t)byte;
    }
}

/* What an instruction says about the kernel that was declared with `kernel`. */
static void argument_of(Launch *launch, const Reflected *it, Argument *arguments, Resource *values) {
    if (number_of(it, 1) >= ARGUMENTS) fail("an argument is out of range");
    Argument *argument = &arguments[number_of(it, 1)];
    uint32_t a = number_of(it, 2), b = it->count > 3 ? number_of(it, 3) : 0;
    Resource *resource = argument->kind == 'r' ? &resources[argument->number] : NULL;
    static const uint32_t rgba = 0x10B5, unorm8 = 0x10D2;
    switch (it->number) {
    case 3: bind_buffer(launch, a, b, resource); break;
    case 5:
        if (!values->buffer) *values = make_buffer(65536);
        memcpy(values->bytes + number_of(it, 4), argument->bytes, number_of(it, 5));
        bind_buffer(launch, a, b, values);
        break;
    case 7: push(launch, a, argument->bytes, b); break;
    case 8: case 9: {
        VkDescriptorType type = it->number == 8 ? VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE : VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
        uint32_t at = bind(launch, a, b, type);
        launch->images[a][at] = (VkDescriptorImageInfo){NULL, resource->view, VK_IMAGE_LAYOUT_GENERAL};
        break;
    }
    case 10: {
        uint32_t at = bind(launch, a, b, VK_DESCRIPTOR_TYPE_SAMPLER);
        launch->images[a][at] = (VkDescriptorImageInfo){make_sampler(argument->number | 1), NULL, 0};
        break;
    }
    case 11: specialise(launch, a, argument->number / b); break;
    case 26: push_address(launch, a, resource); break;
    case 30: push(launch, a, &rgba, 4); break;
    case 31: push(launch, a, &unorm8, 4); break;
    case 41: push(launch, a, &argument->number, 4); break;
    default: fail("an instruction about a kernel is not known");
    }
}

static void gather(Launch *launch, const char *kernel, const uint32_t size[9], uint32_t dimensions, Argument *arguments) {
    Resource values = {0};
    uint32_t declaration = 0, groups[3];
    for (int i = 0; i < 3; i++) groups[i] = (size[i] + size[3 + i] - 1) / size[3 + i];
    for (uint32_t i = 0; i < reflected_count; i++) {
        const Reflected *it = &reflected[i];
        uint32_t a = number_of(it, 0), zeros[3] = {0};
        switch (it->number) {
        case 1: if (!strcmp(strings[it->operand[1]], kernel)) declaration = it->id; break;
        case 2: case 24: break;
        case 12: for (int n = 0; n < 3; n++) specialise(launch, number_of(it, n), size[3 + n]); break;
        case 13: for (int n = 0; n < 3; n++) specialise(launch, number_of(it, n), size[6 + n]); break;
        case 14: specialise(launch, a, dimensions); break;
        case 15: push(launch, a, size + 6, 12); break;
        case 16: push(launch, a, size + 3, 12); break;
        case 17: push(launch, a, size, 12); break;
        case 18: push(launch, a, size + 6, 12); break; /* there is one region */
        case 19: push(launch, a, groups, 12); break;
        case 20: push(launch, a, zeros, 12); break;
        case 21: case 28:
            if (!variables.buffer) read_variables(strings[it->operand[2]]);
            bind_buffer(launch, a, number_of(it, 1), &variables);
            break;
        case 36: case 37:
            if (!variables.buffer) read_variables(strings[it->operand[2]]);
            push_address(launch, a, &variables);
            break;
        case 23: {
            uint32_t at = bind(launch, a, number_of(it, 1), VK_DESCRIPTOR_TYPE_SAMPLER);
            launch->images[a][at] = (VkDescriptorImageInfo){make_sampler(number_of(it, 2)), NULL, 0};
            break;
        }
        default:
            if (it->operand[0] == declaration && declaration) argument_of(launch, it, arguments, &values);
        }
    }
    if (!declaration) fail("the kernel is not reflected");
}

static void dispatch(Launch *launch, const char *kernel, const uint32_t size[9]) {
    VkDescriptorSetLayout layouts[SETS];
    uint32_t set_count = 0;
    for (uint32_t set = 0; set < SETS; set++) {
        VkDescriptorSetLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                                .bindingCount = launch->binding_count[set],
                                                .pBindings = launch->bindings[set]};
        vk(vkCreateDescriptorSetLayout(device, &info, NULL, &layouts[set]), "vkCreateDescriptorSetLayout");
        if (launch->binding_count[set]) set_count = set + 1;
    }
    VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, launch->push_end};
    VkPipelineLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                       .setLayoutCount = set_count,
                                       .pSetLayouts = layouts,
                                       .pushConstantRangeCount = launch->push_end > 0,
                                       .pPushConstantRanges = &range};
    VkPipelineLayout layout;
    vk(vkCreatePipelineLayout(device, &info, NULL, &layout), "vkCreatePipelineLayout");
    VkShaderModuleCreateInfo code = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = word_count * 4, .pCode = words};
    VkShaderModule module;
    vk(vkCreateShaderModule(device, &code, NULL, &module), "vkCreateShaderModule");
    VkSpecializationInfo special = {launch->spec_count, launch->entries, launch->spec_count * 4, launch->specialised};
    VkComputePipelineCreateInfo create = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                          .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                    .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                    .module = module,
                                                    .pName = kernel,
                                                    .pSpecializationInfo = &special},
                                          .layout = layout};
    VkPipeline pipeline;
    vk(vkCreateComputePipelines(device, NULL, 1, &create, NULL, &pipeline), "vkCreateComputePipelines");
    VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, BINDINGS},
                                    {VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, BINDINGS},
                                    {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, BINDINGS},
                                    {VK_DESCRIPTOR_TYPE_SAMPLER, BINDINGS}};
    VkDescriptorPoolCreateInfo pools = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = SETS, .poolSizeCount = 4, .pPoolSizes = sizes};
    VkDescriptorPool descriptors;
    vk(vkCreateDescriptorPool(device, &pools, NULL, &descriptors), "vkCreateDescriptorPool");
    VkCommandBuffer commands = begin();
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    for (uint32_t set = 0; set < set_count; set++) {
        VkDescriptorSetAllocateInfo one = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                           .descriptorPool = descriptors,
                                           .descriptorSetCount = 1,
                                           .pSetLayouts = &layouts[set]};
        VkDescriptorSet target;
        vk(vkAllocateDescriptorSets(device, &one, &target), "vkAllocateDescriptorSets");
        for (uint32_t i = 0; i < launch->binding_count[set]; i++) {
            VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                          .dstSet = target,
                                          .dstBinding = launch->bindings[set][i].binding,
                                          .descriptorCount = 1,
                                          .descriptorType = launch->bindings[set][i].descriptorType,
                                          .pImageInfo = &launch->images[set][i],
                                          .pBufferInfo = &launch->buffers[set][i]};
            vkUpdateDescriptorSets(device, 1, &write, 0, NULL);
        }
        vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, set, 1, &target, 0, NULL);
    }
    if (launch->push_end) {
        vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, launch->push_end, launch->push);
    }
    vkCmdDispatch(commands, size[0] / size[3], size[1] / size[4], size[2] / size[5]);
    finish(commands);
}

static void run_launch(FILE *job) {
    char kernel[256], word[16];
    uint32_t size[9], dimensions, count;
    static Argument arguments[ARGUMENTS];
    static Launch launch;
    launch = (Launch){0};
    memset(arguments, 0, sizeof arguments);
    if (fscanf(job, "%255s", kernel) != 1) fail("a launch without a kernel");
    for (int i = 0; i < 9; i++) {
        if (fscanf(job, "%u", &size[i]) != 1) fail("a launch without sizes");
    }
    if (fscanf(job, "%u %u", &dimensions, &count) != 2 || count > ARGUMENTS) fail("a launch without arguments");
    for (uint32_t i = 0; i < count; i++) {
        Argument *it = &arguments[i];
        static char digits[8200];
        if (fscanf(job, "%15s", word) != 1) fail("an argument is missing");
        it->kind = word[0];
        if (!strcmp(word, "value")) {
            if (fscanf(job, "%8199s", digits) != 1) fail("a value is missing");
            for (; digits[2 * it->length]; it->length++) {
                unsigned byte;
                if (sscanf(digits + 2 * it->length, "%2x", &byte) != 1) fail("a value is not hexadecimal");
                it->bytes[it->length] = (uint8_t)byte;
            }
        } else if (fscanf(job, "%u", &it->number) != 1) {
            fail("an argument has no number");
        }
    }
    gather(&launch, kernel, size, dimensions, arguments);
    dispatch(&launch, kernel, size);
}

int main(int count, char **argument) {
    if (count != 3) fail("usage: host MODULE.spv JOB");
    read_module(argument[1]);
    open_device();
    FILE *job = fopen(argument[2], "r");
    if (!job) fail("no job");
    char word[16], path[4096];
    while (fscanf(job, "%15s", word) == 1) {
        uint32_t width, height;
        if (!strcmp(word, "launch")) {
            run_launch(job);
        } else if (!strcmp(word, "buffer") && fscanf(job, "%4095s %u", path, &width) == 2) {
            resources[resource_count] = make_buffer(width);
            fill(&resources[resource_count++], path);
        } else if (!strcmp(word, "image") && fscanf(job, "%4095s %u %u", path, &width, &height) == 3) {
            Resource *it = &resources[resource_count++];
            *it = make_buffer((uint64_t)width * height * 4);
            fill(it, path);
            make_image(it, width, height);
        } else if (!strcmp(word, "output") && fscanf(job, "%u %4095s", &width, path) == 2) {
            Resource *it = &resources[width];
            if (it->image) copy_image(it, 0);
            FILE *out = fopen(path, "wb");
            if (!out || fwrite(it->bytes, 1, it->size, out) != it->size || fclose(out)) fail("cannot write");
        } else {
            fail("the job has an unknown line");
        }
    }
    return 0;
}
