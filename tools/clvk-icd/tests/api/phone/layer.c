// A Vulkan layer that makes any device look like a phone's: integrated, without VK_EXT_external_memory_host,
// and with the memory budget that PHONE_BUDGET names in bytes. What a phone would not survive ends the
// process.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pthread.h>
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#define MOST 4096

static PFN_vkGetInstanceProcAddr next_instance;
static PFN_vkGetDeviceProcAddr next_device;
static VkInstance instance;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct {
    VkDeviceMemory memory;
    VkDeviceSize size;
} allocations[MOST];
static VkDeviceSize usage;

static VkDeviceSize budget(void)
{
    const char *text = getenv("PHONE_BUDGET");
    return text ? strtoull(text, NULL, 10) : (VkDeviceSize)1 << 30;
}

static void end(const char *reason)
{
    fprintf(stderr, "the phone ends the application: %s\n", reason);
    abort();
}

// What is below this layer, looked up when the instance is made: later, loaders give what is above.
#define EACH(DO) \
    DO(GetPhysicalDeviceProperties) \
    DO(GetPhysicalDeviceProperties2) \
    DO(GetPhysicalDeviceMemoryProperties2) \
    DO(EnumerateDeviceExtensionProperties)
#define DECLARE(name) static PFN_vk##name below_##name;
EACH(DECLARE)

static VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceProperties(VkPhysicalDevice device, VkPhysicalDeviceProperties *out)
{
    below_GetPhysicalDeviceProperties(device, out);
    out->deviceType = VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU;
}

static VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceProperties2(VkPhysicalDevice device, VkPhysicalDeviceProperties2 *out)
{
    below_GetPhysicalDeviceProperties2(device, out);
    out->properties.deviceType = VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU;
}

static VKAPI_ATTR void VKAPI_CALL
GetPhysicalDeviceMemoryProperties2(VkPhysicalDevice device, VkPhysicalDeviceMemoryProperties2 *out)
{
    VkPhysicalDeviceMemoryBudgetPropertiesEXT *told = NULL;
    for (VkBaseOutStructure *each = out->pNext; each; each = each->pNext)
        if (each->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT)
            told = (void *)each;
    VkPhysicalDeviceMemoryProperties2 own = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2 };
    below_GetPhysicalDeviceMemoryProperties2(device, &own);
    out->memoryProperties = own.memoryProperties;
    if (told) {
        memset(told->heapBudget, 0, sizeof told->heapBudget);
        memset(told->heapUsage, 0, sizeof told->heapUsage);
        pthread_mutex_lock(&mutex);
        for (uint32_t heap = 0; heap < own.memoryProperties.memoryHeapCount; heap++) {
            told->heapBudget[heap] = budget();
            told->heapUsage[heap] = usage;
        }
        pthread_mutex_unlock(&mutex);
    }
}

static VKAPI_ATTR VkResult VKAPI_CALL EnumerateDeviceExtensionProperties(
    VkPhysicalDevice device, const char *layer, uint32_t *count, VkExtensionProperties *out)
{
    static VkExtensionProperties list[1024];
    uint32_t all = 1023, kept = 0;
    VkResult result = below_EnumerateDeviceExtensionProperties(device, layer, &all, list);
    if (result != VK_SUCCESS)
        return result;
    for (uint32_t index = 0; index < all; index++)
        if (strcmp(list[index].extensionName, "VK_EXT_external_memory_host") != 0 &&
            strcmp(list[index].extensionName, "VK_EXT_memory_budget") != 0)
            list[kept++] = list[index];
    list[kept++] = (VkExtensionProperties){ .extensionName = "VK_EXT_memory_budget", .specVersion = 1 };
    if (out) {
        result = *count < kept ? VK_INCOMPLETE : VK_SUCCESS;
        kept = *count < kept ? *count : kept;
        memcpy(out, list, kept * sizeof *out);
    }
    *count = kept;
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL AllocateMemory(
    VkDevice device, const VkMemoryAllocateInfo *info, const VkAllocationCallbacks *callbacks, VkDeviceMemory *out)
{
    VkResult result = ((PFN_vkAllocateMemory)next_device(device, "vkAllocateMemory"))(device, info, callbacks, out);
    if (result != VK_SUCCESS)
        return result;
    pthread_mutex_lock(&mutex);
    usage += info->allocationSize;
    if (usage > budget())
        end("it uses more memory than its budget");
    for (int index = 0; index < MOST; index++)
        if (!allocations[index].size) {
            allocations[index].memory = *out;
            allocations[index].size = info->allocationSize;
            break;
        }
    pthread_mutex_unlock(&mutex);
    return result;
}

static VKAPI_ATTR void VKAPI_CALL
FreeMemory(VkDevice device, VkDeviceMemory memory, const VkAllocationCallbacks *callbacks)
{
    pthread_mutex_lock(&mutex);
    for (int index = 0; index < MOST; index++)
        if (allocations[index].size && allocations[index].memory == memory) {
            usage -= allocations[index].size;
            allocations[index].size = 0;
        }
    pthread_mutex_unlock(&mutex);
    ((PFN_vkFreeMemory)next_device(device, "vkFreeMemory"))(device, memory, callbacks);
}

static PFN_vkVoidFunction VKAPI_CALL device_function(VkDevice device, const char *name);

static VKAPI_ATTR VkResult VKAPI_CALL CreateDevice(
    VkPhysicalDevice physical, const VkDeviceCreateInfo *info, const VkAllocationCallbacks *callbacks, VkDevice *out)
{
    VkLayerDeviceCreateInfo *chain = (void *)info->pNext;
    while (chain->sType != VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO || chain->function != VK_LAYER_LINK_INFO)
        chain = (void *)chain->pNext;
    PFN_vkGetInstanceProcAddr get = chain->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    next_device = chain->u.pLayerInfo->pfnNextGetDeviceProcAddr;
    chain->u.pLayerInfo = chain->u.pLayerInfo->pNext;
    const char *names[256];
    uint32_t count = 0;
    for (uint32_t index = 0; index < info->enabledExtensionCount && count < 256; index++) {
        const char *name = info->ppEnabledExtensionNames[index];
        if (!strcmp(name, "VK_EXT_external_memory_host"))
            end("it enables an extension that the device lacks");
        if (strcmp(name, "VK_EXT_memory_budget") != 0)
            names[count++] = name;
    }
    VkDeviceCreateInfo changed = *info;
    changed.enabledExtensionCount = count;
    changed.ppEnabledExtensionNames = names;
    return ((PFN_vkCreateDevice)get(instance, "vkCreateDevice"))(physical, &changed, callbacks, out);
}

static VKAPI_ATTR VkResult VKAPI_CALL
CreateInstance(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *callbacks, VkInstance *out)
{
    VkLayerInstanceCreateInfo *chain = (void *)info->pNext;
    while (chain->sType != VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO || chain->function != VK_LAYER_LINK_INFO)
        chain = (void *)chain->pNext;
    next_instance = chain->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    chain->u.pLayerInfo = chain->u.pLayerInfo->pNext;
    VkResult result = ((PFN_vkCreateInstance)next_instance(NULL, "vkCreateInstance"))(info, callbacks, out);
    if (result != VK_SUCCESS)
        return result;
    instance = *out;
#define LOOK_UP(name) below_##name = (PFN_vk##name)next_instance(instance, "vk" #name);
    EACH(LOOK_UP)
    return result;
}

static PFN_vkVoidFunction VKAPI_CALL instance_function(VkInstance given, const char *name);

#define ROW(name) { "vk" #name, (PFN_vkVoidFunction)name }
static const struct {
    const char *name;
    PFN_vkVoidFunction function;
} table[] = {
    ROW(CreateInstance),
    ROW(CreateDevice),
    ROW(GetPhysicalDeviceProperties),
    ROW(GetPhysicalDeviceProperties2),
    ROW(GetPhysicalDeviceMemoryProperties2),
    ROW(EnumerateDeviceExtensionProperties),
    ROW(AllocateMemory),
    ROW(FreeMemory),
    { "vkGetInstanceProcAddr", (PFN_vkVoidFunction)instance_function },
    { "vkGetDeviceProcAddr", (PFN_vkVoidFunction)device_function },
};

static PFN_vkVoidFunction own(const char *name)
{
    for (size_t index = 0; index < sizeof table / sizeof *table; index++)
        if (!strcmp(table[index].name, name))
            return table[index].function;
    return NULL;
}

static PFN_vkVoidFunction VKAPI_CALL instance_function(VkInstance given, const char *name)
{
    PFN_vkVoidFunction found = own(name);
    return found || !given ? found : next_instance(given, name);
}

static PFN_vkVoidFunction VKAPI_CALL device_function(VkDevice device, const char *name)
{
    static const char *const here[] = { "vkAllocateMemory", "vkFreeMemory", "vkGetDeviceProcAddr" };
    for (size_t index = 0; index < 3; index++)
        if (!strcmp(here[index], name))
            return own(name);
    return next_device(device, name);
}

VKAPI_ATTR VkResult VKAPI_CALL vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *interface)
{
    interface->loaderLayerInterfaceVersion = 2;
    interface->pfnGetInstanceProcAddr = instance_function;
    interface->pfnGetDeviceProcAddr = device_function;
    interface->pfnGetPhysicalDeviceProcAddr = NULL;
    return VK_SUCCESS;
}
