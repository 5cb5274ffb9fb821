/* What Intel's stand-in knows about a GPU. Mesa's own stand-in takes it from tables that are generated while
 * Mesa is built; here the variable STAND_IN_GPU has it: the number of the PCI device (hexadecimal), the
 * generation, whether the GPU has memory of its own, and the numbers of slices, of subslices in each, and of
 * execution units in each of these. */

#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { INTEL_PLATFORM_CHV = 1 };
enum { INTEL_ENGINE_CLASS_RENDER = 0, INTEL_ENGINE_CLASS_COPY = 1 };

struct intel_device_info {
   int ver;
   int platform;
   unsigned num_slices;
   unsigned num_subslices[8];
   unsigned max_eus_per_subslice;
   uint64_t timestamp_frequency;
   bool has_local_mem;
};

struct drm_intel_stub_devinfo {
   uint64_t addr;
   uint32_t size;
};

static inline void intel_describe(struct intel_device_info *info, uint32_t *device_id)
{
   const char *text = getenv("STAND_IN_GPU");
   unsigned device, local, slices, subslices, units;
   int generation;
   if (!text || sscanf(text, "%x %d %u %u %u %u", &device, &generation, &local, &slices, &subslices, &units) != 6 ||
       slices > 8) {
      fprintf(stderr, "STAND_IN_GPU does not describe a GPU\n");
      abort();
   }
   *device_id = device;
   info->ver = generation;
   info->has_local_mem = local != 0;
   info->num_slices = slices;
   for (unsigned slice = 0; slice < slices; slice++)
      info->num_subslices[slice] = subslices;
   info->max_eus_per_subslice = units;
   info->timestamp_frequency = 19200000;
}
