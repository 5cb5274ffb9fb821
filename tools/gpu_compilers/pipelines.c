/* Compiles pipelines on the first Vulkan device, as clvk's runtime would, and tells their statistics: for
 * drivers of another architecture, which an emulator runs. What to compile is on the standard input, a line
 * for each pipeline, with tabs between its parts:
 *
 *     FILE ENTRY-POINT BYTES-OF-PUSH-CONSTANTS FULL-SUB-GROUPS CONSTANTS {ID VALUE} BINDINGS {NUMBER TYPE}
 *
 * The answer to each is a line: the result of Vulkan (0 is success), the seconds that the driver took, and its
 * statistics as NAME=VALUE, separated by tabs. */

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <vulkan/vulkan.h>

#define LENGTH(array) (sizeof(array) / sizeof(array[0]))
#define CHECK(call)                                                       \
   do {                                                                   \
      VkResult result_ = (call);                                          \
      if (result_ != VK_SUCCESS) {                                        \
         fprintf(stderr, "%s: the result is %d\n", #call, result_);       \
         exit(1);                                                         \
      }                                                                   \
   } while (0)

/* What is enabled where the device has it: all features of these structures. */
static const struct {
   const char *extension;
   VkStructureType type;
   size_t size;
} FEATURES[] = {
#define ROW(extension, name, type) {extension, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_##name, sizeof(VkPhysicalDevice##type)}
   ROW("VK_KHR_16bit_storage", 16BIT_STORAGE_FEATURES, 16BitStorageFeatures),
   ROW("VK_KHR_8bit_storage", 8BIT_STORAGE_FEATURES, 8BitStorageFeatures),
   ROW("VK_KHR_shader_float16_int8", SHADER_FLOAT16_INT8_FEATURES, ShaderFloat16Int8Features),
   ROW("VK_KHR_variable_pointers", VARIABLE_POINTERS_FEATURES, VariablePointersFeatures),
   ROW("VK_KHR_buffer_device_address", BUFFER_DEVICE_ADDRESS_FEATURES, BufferDeviceAddressFeatures),
   ROW("VK_KHR_vulkan_memory_model", VULKAN_MEMORY_MODEL_FEATURES, VulkanMemoryModelFeatures),
   ROW("VK_EXT_scalar_block_layout", SCALAR_BLOCK_LAYOUT_FEATURES, ScalarBlockLayoutFeatures),
   ROW("VK_KHR_shader_subgroup_extended_types", SHADER_SUBGROUP_EXTENDED_TYPES_FEATURES, ShaderSubgroupExtendedTypesFeatures),
   ROW("VK_KHR_shader_atomic_int64", SHADER_ATOMIC_INT64_FEATURES, ShaderAtomicInt64Features),
   ROW("VK_EXT_shader_atomic_float", SHADER_ATOMIC_FLOAT_FEATURES_EXT, ShaderAtomicFloatFeaturesEXT),
   ROW("VK_EXT_shader_atomic_float2", SHADER_ATOMIC_FLOAT_2_FEATURES_EXT, ShaderAtomicFloat2FeaturesEXT),
   ROW("VK_KHR_shader_integer_dot_product", SHADER_INTEGER_DOT_PRODUCT_FEATURES, ShaderIntegerDotProductFeatures),
   ROW("VK_KHR_shader_clock", SHADER_CLOCK_FEATURES_KHR, ShaderClockFeaturesKHR),
   ROW("VK_EXT_subgroup_size_control", SUBGROUP_SIZE_CONTROL_FEATURES, SubgroupSizeControlFeatures),
   ROW("VK_KHR_maintenance4", MAINTENANCE_4_FEATURES, Maintenance4Features),
   ROW("VK_KHR_pipeline_executable_properties", PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR,
       PipelineExecutablePropertiesFeaturesKHR),
};

static VkDevice device;
static bool has_statistics;

static void open_device(void)
{
   VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_3};
   VkInstanceCreateInfo instance_info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
   VkInstance instance;
   CHECK(vkCreateInstance(&instance_info, NULL, &instance));
   uint32_t count = 1;
   VkPhysicalDevice physical;
   if (vkEnumeratePhysicalDevices(instance, &count, &physical) < 0 || count == 0) {
      fprintf(stderr, "there is no device\n");
      exit(1);
   }
   uint32_t offered = 0;
   vkEnumerateDeviceExtensionProperties(physical, NULL, &offered, NULL);
   VkExtensionProperties *extensions = calloc(offered, sizeof(*extensions));
   vkEnumerateDeviceExtensionProperties(physical, NULL, &offered, extensions);
   VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
   const char *names[LENGTH(FEATURES)];
   uint32_t enabled = 0;
   for (size_t row = 0; row < LENGTH(FEATURES); row++) {
      for (uint32_t i = 0; i < offered; i++) {
         if (strcmp(extensions[i].extensionName, FEATURES[row].extension) != 0)
            continue;
         VkBaseOutStructure *structure = calloc(1, FEATURES[row].size);
         structure->sType = FEATURES[row].type;
         structure->pNext = features.pNext;
         features.pNext = structure;
         names[enabled++] = FEATURES[row].extension;
         has_statistics |= row + 1 == LENGTH(FEATURES);
      }
   }
   vkGetPhysicalDeviceFeatures2(physical, &features);
   float priority = 1;
   VkDeviceQueueCreateInfo queue = {
      .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
   VkDeviceCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
      .pNext = &features,
      .queueCreateInfoCount = 1,
      .pQueueCreateInfos = &queue,
      .enabledExtensionCount = enabled,
      .ppEnabledExtensionNames = names,
   };
   CHECK(vkCreateDevice(physical, &info, NULL, &device));
}

static uint32_t number(void)
{
   const char *word = strtok(NULL, "\t\n");
   return word ? strtoul(word, NULL, 10) : 0;
}

static VkShaderModule load(const char *path)
{
   static uint32_t words[1 << 24];
   FILE *file = fopen(path, "rb");
   size_t bytes = file ? fread(words, 1, sizeof(words), file) : 0;
   if (bytes == 0 || bytes == sizeof(words)) {
      fprintf(stderr, "cannot read %s\n", path);
      exit(1);
   }
   fclose(file);
   VkShaderModuleCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = bytes, .pCode = words};
   VkShaderModule module;
   CHECK(vkCreateShaderModule(device, &info, NULL, &module));
   return module;
}

static void print_statistics(VkPipeline pipeline)
{
   PFN_vkGetPipelineExecutablePropertiesKHR list =
      (PFN_vkGetPipelineExecutablePropertiesKHR)vkGetDeviceProcAddr(device, "vkGetPipelineExecutablePropertiesKHR");
   PFN_vkGetPipelineExecutableStatisticsKHR get =
      (PFN_vkGetPipelineExecutableStatisticsKHR)vkGetDeviceProcAddr(device, "vkGetPipelineExecutableStatisticsKHR");
   VkPipelineInfoKHR which = {.sType = VK_STRUCTURE_TYPE_PIPELINE_INFO_KHR, .pipeline = pipeline};
   uint32_t executables = 0;
   // A kernel that does nothing may have no program.
   if (!has_statistics || list(device, &which, &executables, NULL) < 0 || executables == 0)
      return;
   VkPipelineExecutableInfoKHR info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR, .pipeline = pipeline};
   VkPipelineExecutableStatisticKHR statistics[64];
   for (size_t i = 0; i < LENGTH(statistics); i++)
      statistics[i] = (VkPipelineExecutableStatisticKHR){.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR};
   uint32_t count = LENGTH(statistics);
   if (get(device, &info, &count, statistics) < 0)
      return;
   for (uint32_t i = 0; i < count; i++) {
      bool is_float = statistics[i].format == VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_FLOAT64_KHR;
      printf("\t%s=%.0f", statistics[i].name, is_float ? statistics[i].value.f64 : (double)statistics[i].value.u64);
   }
}

static void compile(char *line)
{
   const char *path = strtok(line, "\t\n"), *name = strtok(NULL, "\t\n");
   uint32_t push_constants = number(), full = number();
   uint32_t values[64], constants = number();
   VkSpecializationMapEntry entries[64];
   for (uint32_t i = 0; i < constants && i < 64; i++) {
      entries[i] = (VkSpecializationMapEntry){.constantID = number(), .offset = 4 * i, .size = 4};
      values[i] = number();
   }
   VkDescriptorSetLayoutBinding bindings[256];
   uint32_t count = number();
   for (uint32_t i = 0; i < count && i < 256; i++)
      bindings[i] = (VkDescriptorSetLayoutBinding){
         .binding = number(), .descriptorType = number(), .descriptorCount = 1, .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
   VkDescriptorSetLayoutCreateInfo set_info = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = count, .pBindings = bindings};
   VkDescriptorSetLayout set;
   CHECK(vkCreateDescriptorSetLayout(device, &set_info, NULL, &set));
   VkPushConstantRange range = {.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT, .size = push_constants};
   VkPipelineLayoutCreateInfo layout_info = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
      .setLayoutCount = count > 0,
      .pSetLayouts = &set,
      .pushConstantRangeCount = push_constants > 0,
      .pPushConstantRanges = &range,
   };
   VkPipelineLayout layout;
   CHECK(vkCreatePipelineLayout(device, &layout_info, NULL, &layout));
   VkShaderModule module = load(path);
   VkSpecializationInfo specialization = {
      .mapEntryCount = constants, .pMapEntries = entries, .dataSize = 4 * constants, .pData = values};
   VkComputePipelineCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
      .flags = has_statistics ? VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR : 0,
      .stage = {
         .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
         .flags = full ? VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT : 0,
         .stage = VK_SHADER_STAGE_COMPUTE_BIT,
         .module = module,
         .pName = name,
         .pSpecializationInfo = &specialization,
      },
      .layout = layout,
   };
   struct timespec start, end;
   clock_gettime(CLOCK_MONOTONIC, &start);
   VkPipeline pipeline = VK_NULL_HANDLE;
   VkResult result = vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline);
   clock_gettime(CLOCK_MONOTONIC, &end);
   printf("%d\t%.3f", result, end.tv_sec - start.tv_sec + (end.tv_nsec - start.tv_nsec) / 1e9);
   if (result == VK_SUCCESS)
      print_statistics(pipeline);
   printf("\n");
   vkDestroyPipeline(device, pipeline, NULL);
   vkDestroyShaderModule(device, module, NULL);
   vkDestroyPipelineLayout(device, layout, NULL);
   vkDestroyDescriptorSetLayout(device, set, NULL);
}

int main(void)
{
   setvbuf(stdout, NULL, _IOLBF, 0);
   open_device();
   char *line = NULL;
   size_t size = 0;
   while (getline(&line, &size, stdin) > 0)
      compile(line);
   return 0;
}
