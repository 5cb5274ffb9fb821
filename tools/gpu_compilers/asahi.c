/* A stand-in for the kernel's driver of Apple's GPUs: an M1 (T8103), as the kernel's header describes it.
 * Mesa's own speaks an older interface. */

#include "drm-shim/drm_shim.h"
#include <asahi_drm.h>
#include <stdlib.h>
#include <string.h>

bool drm_shim_driver_prefers_first_render_node = true;

static int nothing(int fd, unsigned long request, void *arg)
{
   return 0;
}

static int get_params(int fd, unsigned long request, void *arg)
{
   const struct drm_asahi_get_params *get = arg;
   struct drm_asahi_params_global params = {
      .gpu_generation = 13,
      .gpu_variant = 'G',
      .gpu_revision = 0x11,
      .chip_id = 0x8103,
      .num_dies = 1,
      .num_clusters_total = 1,
      .num_cores_per_cluster = 8,
      .max_frequency_khz = 1278000,
      .core_masks = {0xff},
      .vm_start = 0x4000,
      .vm_end = 1ull << 39,
      .vm_kernel_min_size = 0x20000000,
      .max_commands_per_submission = 64,
      .max_attachments = 16,
      .command_timestamp_frequency_hz = 24000000,
   };
   memcpy((void *)(uintptr_t)get->pointer, &params, get->size < sizeof(params) ? get->size : sizeof(params));
   return 0;
}

static int create(int fd, unsigned long request, void *arg)
{
   struct drm_asahi_gem_create *create = arg;
   struct shim_bo *memory = calloc(1, sizeof(*memory));
   drm_shim_bo_init(memory, create->size);
   create->handle = drm_shim_bo_get_handle(drm_shim_fd_lookup(fd), memory);
   drm_shim_bo_put(memory);
   return 0;
}

static int mmap_offset(int fd, unsigned long request, void *arg)
{
   struct drm_asahi_gem_mmap_offset *map = arg;
   struct shim_fd *file = drm_shim_fd_lookup(fd);
   struct shim_bo *memory = drm_shim_bo_lookup(file, map->handle);
   map->offset = drm_shim_bo_get_mmap_offset(file, memory);
   drm_shim_bo_put(memory);
   return 0;
}

static ioctl_fn_t requests[] = {
   [DRM_ASAHI_GET_PARAMS] = get_params,
   [DRM_ASAHI_GET_TIME] = nothing,
   [DRM_ASAHI_VM_CREATE] = nothing,
   [DRM_ASAHI_VM_DESTROY] = nothing,
   [DRM_ASAHI_VM_BIND] = nothing,
   [DRM_ASAHI_GEM_CREATE] = create,
   [DRM_ASAHI_GEM_MMAP_OFFSET] = mmap_offset,
   [DRM_ASAHI_GEM_BIND_OBJECT] = nothing,
   [DRM_ASAHI_QUEUE_CREATE] = nothing,
   [DRM_ASAHI_QUEUE_DESTROY] = nothing,
   [DRM_ASAHI_SUBMIT] = nothing,
};

void drm_shim_driver_init(void)
{
   shim_device.bus_type = DRM_BUS_PLATFORM;
   shim_device.driver_name = "asahi";
   shim_device.driver_ioctls = requests;
   shim_device.driver_ioctl_count = ARRAY_SIZE(requests);
   drm_shim_override_file("DRIVER=asahi\nOF_FULLNAME=/soc/agx\nOF_COMPATIBLE_0=apple,gpu-g13g\nOF_COMPATIBLE_N=1\n",
                          "/sys/dev/char/%d:%d/device/uevent", DRM_MAJOR, render_node_minor);
}
