/* The work-items of a launch: checked, divided into work-groups, and split into dispatches.
 *
 * Where the work-group size does not divide the global size, the groups at the ends are smaller: dispatches of their
 * own, with pipelines of that size. */
#include "clvk_internal.h"

#include <stdlib.h>

/* Work-items of a group when the library chooses. */
#define CLVK_CHOSEN_ITEMS 256u
/* A launch with more dispatches than this is a mistake. */
#define CLVK_MOST_DISPATCHES 65536u
/* Bytes of private memory that the work-groups of a dispatch may have together. */
#define CLVK_MOST_PRIVATE_MEMORY ((uint64_t)256 << 20)

static const char clvk_axes[] = "xyz";

/* The limits of the device, and of what the program was compiled for. */
typedef struct clvk_limits {
  uint32_t size[3], items, subgroup;
} clvk_limits;

static clvk_limits clvk_limits_of(const clvk_program *program) {
  const VkPhysicalDeviceLimits *limits = &program->device->properties.limits;
  clvk_limits found;
  int d;
  for (d = 0; d < 3; ++d) found.size[d] = limits->maxComputeWorkGroupSize[d];
  found.items = limits->maxComputeWorkGroupInvocations;
  if (found.items > program->variant->max_work_group) found.items = program->variant->max_work_group;
  found.subgroup = program->device->subgroup_size ? program->device->subgroup_size : 1;
  return found;
}

static uint64_t clvk_box(const uint32_t size[3]) { return (uint64_t)size[0] * size[1] * size[2]; }

/* Larger is better: busy lanes first, then rows near the size of a sub-group, so that neighbouring work-items touch
 * neighbouring memory. */
static uint64_t clvk_score(const uint32_t size[3], uint32_t subgroup, uint32_t row) {
  const uint64_t items = clvk_box(size);
  const uint64_t lanes = (items + subgroup - 1) / subgroup * subgroup;
  uint32_t ratio = size[0] > row ? size[0] / row : row / size[0];
  uint32_t distance = 0;
  while (ratio >>= 1) ++distance;
  return (items * items / lanes) << 24 | (uint64_t)(31 - distance) << 18 | (uint64_t)size[0] << 9 | size[1];
}

static void clvk_choose_divisors(const uint32_t global[3], const clvk_limits *limits, uint32_t best[3]) {
  const uint32_t most = limits->items < CLVK_CHOSEN_ITEMS ? limits->items : CLVK_CHOSEN_ITEMS;
  const int planar = global[1] > 1 || global[2] > 1;
  const uint32_t row = planar ? (limits->subgroup > 16 ? limits->subgroup : 16) : most;
  uint64_t highest = 0;
  uint32_t size[3];
  best[0] = best[1] = best[2] = 1;
  for (size[0] = 1; size[0] <= most && size[0] <= limits->size[0]; ++size[0]) {
    if (global[0] % size[0]) continue;
    for (size[1] = 1; size[1] <= most / size[0] && size[1] <= limits->size[1]; ++size[1]) {
      if (global[1] % size[1]) continue;
      for (size[2] = 1; size[2] <= most / size[0] / size[1] && size[2] <= limits->size[2]; ++size[2]) {
        uint64_t score;
        int d;
        if (global[2] % size[2]) continue;
        score = clvk_score(size, limits->subgroup, row);
        if (score <= highest) continue;
        highest = score;
        for (d = 0; d < 3; ++d) best[d] = size[d];
      }
    }
  }
}

/* A work-group size that divides the global size, unless most lanes would be idle then. */
static void clvk_choose_local(const uint32_t global[3], const clvk_limits *limits, uint32_t local[3]) {
  const uint32_t most = limits->items < CLVK_CHOSEN_ITEMS ? limits->items : CLVK_CHOSEN_ITEMS;
  uint32_t rounded[3];
  uint64_t all = most;
  int d;
  clvk_choose_divisors(global, limits, local);
  if ((uint64_t)global[0] * global[1] < most && (uint64_t)global[0] * global[1] * global[2] < most)
    all = (uint64_t)global[0] * global[1] * global[2];
  if (clvk_box(local) * 4 >= all) return;
  for (d = 0; d < 3; ++d) {
    rounded[d] = 1;
    while (rounded[d] < global[d] && rounded[d] < 0x80000000u) rounded[d] <<= 1;
  }
  clvk_choose_divisors(rounded, limits, local);
  for (d = 0; d < 3; ++d)
    if (local[d] > global[d]) local[d] = global[d];
}

static clvk_status clvk_check_global(const char *name, const clvk_range *range, clvk_plan *plan) {
  uint32_t d;
  if (range->dimensions < 1 || range->dimensions > 3)
    return clvk_fail(CLVK_INVALID, "kernel `%s`: a launch has 1, 2 or 3 dimensions, not %u", name, range->dimensions);
  plan->dimensions = range->dimensions;
  for (d = 0; d < 3; ++d) {
    const uint64_t size = range->global[d], offset = range->offset[d];
    if (d >= range->dimensions && (size != 1 || offset))
      return clvk_fail(CLVK_INVALID, "kernel `%s`: the launch has %u dimensions, but a size or an offset in %c", name,
                       range->dimensions, clvk_axes[d]);
    if (!size) return clvk_fail(CLVK_INVALID, "kernel `%s`: the global size is 0 in %c", name, clvk_axes[d]);
    if (size > UINT32_MAX || offset > UINT32_MAX - size)
      return clvk_fail(CLVK_INVALID, "kernel `%s`: the global ids exceed 32 bits in %c", name, clvk_axes[d]);
    plan->global[d] = (uint32_t)size;
    plan->offset[d] = (uint32_t)offset;
  }
  return CLVK_OK;
}

static clvk_status clvk_check_local(const clvk_kernel *kernel, const clvk_range *range, const clvk_limits *limits,
                                    clvk_plan *plan) {
  const uint32_t *required = kernel->required_local_size;
  const int given = range->local[0] || range->local[1] || range->local[2];
  const char *name = kernel->name;
  uint32_t d;
  for (d = 0; d < 3; ++d) {
    plan->local[d] = required[0] ? required[d] : range->local[d];
    if (given && range->local[d] != plan->local[d])
      return clvk_fail(CLVK_INVALID, "kernel `%s` requires work-groups of %u x %u x %u", name, required[0], required[1],
                       required[2]);
  }
  if (!given && !required[0]) clvk_choose_local(plan->global, limits, plan->local);
  for (d = 0; d < 3; ++d) {
    const uint32_t size = plan->local[d];
    if (!size) return clvk_fail(CLVK_INVALID, "kernel `%s`: the work-group size is 0 in %c", name, clvk_axes[d]);
    if (d >= plan->dimensions && size != 1)
      return clvk_fail(CLVK_INVALID, "kernel `%s`: the work-group size is %u in %c, but the launch has %u dimensions",
                       name, size, clvk_axes[d], plan->dimensions);
    if (size > limits->size[d])
      return clvk_fail(CLVK_UNSUPPORTED, "kernel `%s`: the work-group size %u in %c exceeds the device's limit of %u",
                       name, size, clvk_axes[d], limits->size[d]);
    if (kernel->uniform_groups && plan->global[d] % size)
      return clvk_fail(CLVK_INVALID, "kernel `%s` requires that %u divides the global size %u in %c", name, size,
                       plan->global[d], clvk_axes[d]);
  }
  if (clvk_box(plan->local) > limits->items)
    return clvk_fail(CLVK_UNSUPPORTED, "kernel `%s`: a work-group of %u x %u x %u exceeds the limit of %u work-items",
                     name, plan->local[0], plan->local[1], plan->local[2], limits->items);
  if (kernel->sub_groups && clvk_box(plan->local) > limits->size[0])
    return clvk_fail(CLVK_UNSUPPORTED, "kernel `%s`: it uses sub-groups, so its work-groups have at most %u work-items",
                     name, limits->size[0]);
  return CLVK_OK;
}

/* How many work-groups have room for their private memory at a time. */
static clvk_status clvk_groups_with_memory(const clvk_program *program, const clvk_kernel *kernel,
                                           const clvk_plan *plan, uint32_t *most) {
  uint64_t room = CLVK_MOST_PRIVATE_MEMORY;
  uint64_t groups;
  *most = UINT32_MAX;
  if (!kernel->private_memory_size) return CLVK_OK;
  if (kernel->private_memory.kind == CLVK_PLACE_DESCRIPTOR &&
      room > program->device->properties.limits.maxStorageBufferRange)
    room = program->device->properties.limits.maxStorageBufferRange;
  groups = room / kernel->private_memory_size / clvk_box(plan->local);
  if (!groups)
    return clvk_fail(CLVK_UNSUPPORTED, "kernel `%s`: work-groups of %u x %u x %u need too much private memory",
                     kernel->name, plan->local[0], plan->local[1], plan->local[2]);
  if (groups < UINT32_MAX) *most = (uint32_t)groups;
  return CLVK_OK;
}

/* The groups along an axis that one dispatch takes: the first, how many, and their size. The runs of whole groups come
 * first, then the one smaller group at the end. */
static void clvk_run(const clvk_plan *plan, uint32_t limit, uint32_t d, uint32_t number, clvk_dispatch *dispatch) {
  const uint32_t whole = plan->global[d] / plan->local[d];
  const uint64_t first = (uint64_t)number * limit;
  if (first < whole) {
    const uint32_t left = whole - (uint32_t)first;
    dispatch->first[d] = (uint32_t)first;
    dispatch->count[d] = left < limit ? left : limit;
    dispatch->local[d] = plan->local[d];
  } else {
    dispatch->first[d] = whole;
    dispatch->count[d] = 1;
    dispatch->local[d] = plan->global[d] % plan->local[d];
  }
}

static clvk_status clvk_divide(const clvk_program *program, const clvk_kernel *kernel, uint32_t most,
                               clvk_plan *plan) {
  const uint32_t *counts = program->device->properties.limits.maxComputeWorkGroupCount;
  uint32_t limit[3], runs[3], number[3];
  uint64_t total = 1;
  uint32_t left = most, d;
  for (d = 0; d < 3; ++d) {
    const uint32_t whole = plan->global[d] / plan->local[d], rest = plan->global[d] % plan->local[d];
    uint32_t groups = whole + (rest != 0);
    limit[d] = counts[d] < left ? counts[d] : left;
    if (!limit[d]) limit[d] = 1;
    if (groups > limit[d]) groups = limit[d];
    left = left / groups ? left / groups : 1;
    runs[d] = whole / limit[d] + (whole % limit[d] != 0) + (rest != 0);
    total *= runs[d];
    if (total > CLVK_MOST_DISPATCHES)
      return clvk_fail(CLVK_UNSUPPORTED, "kernel `%s`: the launch needs too many dispatches; use larger work-groups",
                       kernel->name);
  }
  plan->dispatches = clvk_allocate((size_t)total, sizeof *plan->dispatches);
  if (!plan->dispatches) return CLVK_OUT_OF_MEMORY;
  for (number[2] = 0; number[2] < runs[2]; ++number[2])
    for (number[1] = 0; number[1] < runs[1]; ++number[1])
      for (number[0] = 0; number[0] < runs[0]; ++number[0]) {
        clvk_dispatch *dispatch = &plan->dispatches[plan->dispatch_count++];
        uint64_t bytes;
        for (d = 0; d < 3; ++d) clvk_run(plan, limit[d], d, number[d], dispatch);
        bytes = clvk_box(dispatch->count) * clvk_box(dispatch->local) * kernel->private_memory_size;
        if (bytes > plan->private_memory) plan->private_memory = bytes;
      }
  return CLVK_OK;
}

clvk_status clvk_make_plan(const clvk_program *program, uint32_t index, const clvk_range *range, clvk_plan *plan) {
  const clvk_kernel *kernel = &program->variant->kernels[index];
  const clvk_limits limits = clvk_limits_of(program);
  uint32_t most;
  clvk_status status = clvk_check_global(kernel->name, range, plan);
  if (!status) status = clvk_check_local(kernel, range, &limits, plan);
  if (!status) status = clvk_groups_with_memory(program, kernel, plan, &most);
  if (!status) status = clvk_divide(program, kernel, most, plan);
  return status;
}
