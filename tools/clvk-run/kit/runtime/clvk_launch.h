/* libclvk_launch: runs kernels that clvk has compiled to SPIR-V on any device with Vulkan 1.1.
 *
 * It needs nothing but the C library and the headers of Vulkan (vulkan/vulkan.h, 1.3.204 or later); it loads
 * Vulkan itself at run time. `clvk-run export` writes it beside the tables of a program (a `clvk_program_data`),
 * which hold the SPIR-V and say how each kernel is launched. An application opens a device, loads programs,
 * creates buffers and images, launches kernels, and reads results.
 *
 * - A function that can fail returns a `clvk_status`. `clvk_message` then gives the reason as a sentence. Nothing
 *   aborts, and nothing that a failed function created remains.
 * - Launches run in order, each after what it depends on. They are submitted together when the host waits: in
 *   `clvk_finish`, and wherever the host reads or writes memory.
 * - A device and what was made from it belong to one thread at a time. Different devices are independent.
 * - Destroy programs, buffers, images and samplers before their device. The `destroy` functions take NULL.
 */
#ifndef CLVK_LAUNCH_H
#define CLVK_LAUNCH_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum clvk_status {
  CLVK_OK = 0,
  /* There is no Vulkan loader, or it finds no driver. */
  CLVK_NO_VULKAN = 1,
  /* No device suits. */
  CLVK_NO_DEVICE = 2,
  /* The device lacks something that the program, a format or a launch needs. */
  CLVK_UNSUPPORTED = 3,
  /* An argument of a function is wrong. */
  CLVK_INVALID = 4,
  /* The host or the device has too little memory. */
  CLVK_OUT_OF_MEMORY = 5,
  /* The device stopped, for example because a kernel left its memory or ran too long. */
  CLVK_DEVICE_LOST = 6,
  /* The driver ended loops of a kernel early, a known error of some drivers: the results are wrong. */
  CLVK_LOOPS_ENDED = 7,
  /* Vulkan reported another error. */
  CLVK_FAILED = 8
} clvk_status;

/* Why the last function that failed in this thread did so; valid until the next one fails. */
const char *clvk_message(void);

/* ---- Devices ---- */

typedef struct clvk_device clvk_device;

/* Opens the best device: a discrete GPU before an integrated one, a virtual one and software. `name` restricts
 * the choice to devices with this part in their name; NULL allows all. */
clvk_status clvk_device_open(const char *name, clvk_device **device);
void clvk_device_close(clvk_device *device);
const char *clvk_device_name(const clvk_device *device);

/* Submits everything that was launched, and waits until it is done. */
clvk_status clvk_finish(clvk_device *device);

/* Compiled pipelines, which an application may store and give to the next process, so that drivers need not
 * compile again. `clvk_cache_get` with `data` NULL gives the size. Data of another driver is ignored. */
clvk_status clvk_cache_get(clvk_device *device, void *data, size_t *size);
clvk_status clvk_cache_put(clvk_device *device, const void *data, size_t size);

/* ---- Buffers ---- */

typedef struct clvk_buffer clvk_buffer;

/* Memory of the device; its contents are undefined. */
clvk_status clvk_buffer_create(clvk_device *device, uint64_t size, clvk_buffer **buffer);
void clvk_buffer_destroy(clvk_buffer *buffer);
uint64_t clvk_buffer_size(const clvk_buffer *buffer);
/* Sizes and offsets are in bytes. Reading waits for the launches before it. */
clvk_status clvk_buffer_write(clvk_buffer *buffer, uint64_t offset, const void *data, uint64_t size);
clvk_status clvk_buffer_read(clvk_buffer *buffer, uint64_t offset, void *data, uint64_t size);
/* Repeats a 32-bit word; offset and size are multiples of 4. */
clvk_status clvk_buffer_fill(clvk_buffer *buffer, uint64_t offset, uint64_t size, uint32_t word);

/* ---- Images and samplers ---- */

typedef struct clvk_image clvk_image;
typedef struct clvk_sampler clvk_sampler;

typedef enum clvk_dimension {
  CLVK_IMAGE_1D,
  CLVK_IMAGE_1D_ARRAY,
  CLVK_IMAGE_2D,
  CLVK_IMAGE_2D_ARRAY,
  CLVK_IMAGE_3D
} clvk_dimension;

/* The numbers of OpenCL's channel orders (CL_R and so on). */
typedef enum clvk_order { CLVK_R = 0x10B0, CLVK_RG = 0x10B2, CLVK_RGBA = 0x10B5, CLVK_BGRA = 0x10B6 } clvk_order;

/* The numbers of OpenCL's channel types (CL_UNORM_INT8 and so on). */
typedef enum clvk_channel {
  CLVK_SNORM_INT8 = 0x10D0,
  CLVK_SNORM_INT16 = 0x10D1,
  CLVK_UNORM_INT8 = 0x10D2,
  CLVK_UNORM_INT16 = 0x10D3,
  CLVK_SIGNED_INT8 = 0x10D7,
  CLVK_SIGNED_INT16 = 0x10D8,
  CLVK_SIGNED_INT32 = 0x10D9,
  CLVK_UNSIGNED_INT8 = 0x10DA,
  CLVK_UNSIGNED_INT16 = 0x10DB,
  CLVK_UNSIGNED_INT32 = 0x10DC,
  CLVK_HALF_FLOAT = 0x10DD,
  CLVK_FLOAT = 0x10DE
} clvk_channel;

/* Sizes are in pixels; those that the dimension lacks are 1. */
typedef struct clvk_image_description {
  clvk_dimension dimension;
  clvk_order order;
  clvk_channel channel;
  uint32_t width, height, depth, layers;
} clvk_image_description;

/* An image; its contents are undefined. A format that the device can neither read nor write is refused. */
clvk_status clvk_image_create(clvk_device *device, const clvk_image_description *description, clvk_image **image);
void clvk_image_destroy(clvk_image *image);
/* Bytes of all pixels, row after row, slice after slice, without padding. */
uint64_t clvk_image_size(const clvk_image *image);
clvk_status clvk_image_write(clvk_image *image, const void *pixels);
clvk_status clvk_image_read(clvk_image *image, void *pixels);

typedef enum clvk_addressing {
  CLVK_ADDRESS_NONE = 0,
  CLVK_ADDRESS_CLAMP_TO_EDGE = 2,
  CLVK_ADDRESS_CLAMP = 4,
  CLVK_ADDRESS_REPEAT = 6,
  CLVK_ADDRESS_MIRRORED_REPEAT = 8
} clvk_addressing;

/* `linear` interpolates between pixels; `normalized` coordinates run from 0 to 1. */
clvk_status clvk_sampler_create(clvk_device *device, clvk_addressing addressing, int linear, int normalized,
                                clvk_sampler **sampler);
void clvk_sampler_destroy(clvk_sampler *sampler);

/* ---- Programs and launches ---- */

typedef struct clvk_program clvk_program;
struct clvk_program_data;

/* Loads the first variant of a program that suits the device. */
clvk_status clvk_program_create(clvk_device *device, const struct clvk_program_data *data, clvk_program **program);
void clvk_program_destroy(clvk_program *program);
/* The name of the variant that was loaded: the profile that it was compiled for. */
const char *clvk_program_variant(const clvk_program *program);

typedef enum clvk_arg_kind {
  CLVK_ARG_BUFFER,
  CLVK_ARG_NULL,
  CLVK_ARG_VALUE,
  CLVK_ARG_LOCAL,
  CLVK_ARG_IMAGE,
  CLVK_ARG_SAMPLER
} clvk_arg_kind;

/* An argument; the functions below make it. */
typedef struct clvk_arg {
  clvk_arg_kind kind;
  /* Offset into the buffer, size of the value, or size of the local memory, in bytes. */
  uint64_t number;
  /* The buffer, value, image or sampler. */
  const void *object;
} clvk_arg;

static inline clvk_arg clvk_make_arg(clvk_arg_kind kind, uint64_t number, const void *object) {
  clvk_arg arg;
  arg.kind = kind;
  arg.number = number;
  arg.object = object;
  return arg;
}

/* A pointer to the first byte of a buffer; NULL is a null pointer. */
static inline clvk_arg clvk_arg_buffer(const clvk_buffer *buffer) {
  return clvk_make_arg(buffer ? CLVK_ARG_BUFFER : CLVK_ARG_NULL, 0, buffer);
}
/* A pointer to the byte at an offset, which has the alignment of the kernel's element type. */
static inline clvk_arg clvk_arg_buffer_at(const clvk_buffer *buffer, uint64_t offset) {
  return clvk_make_arg(CLVK_ARG_BUFFER, offset, buffer);
}
/* A scalar, vector or structure in the layout of OpenCL C: a vector of 3 lanes takes as much as one of 4. */
static inline clvk_arg clvk_arg_value(const void *value, uint64_t size) {
  return clvk_make_arg(CLVK_ARG_VALUE, size, value);
}
/* Local memory of this many bytes. */
static inline clvk_arg clvk_arg_local(uint64_t size) { return clvk_make_arg(CLVK_ARG_LOCAL, size, NULL); }
static inline clvk_arg clvk_arg_image(const clvk_image *image) { return clvk_make_arg(CLVK_ARG_IMAGE, 0, image); }
static inline clvk_arg clvk_arg_sampler(const clvk_sampler *sampler) {
  return clvk_make_arg(CLVK_ARG_SAMPLER, 0, sampler);
}

/* The work-items of a launch, as clEnqueueNDRangeKernel takes them. */
typedef struct clvk_range {
  /* 1, 2 or 3. Further dimensions have size 1 and offset 0. */
  uint32_t dimensions;
  uint64_t global[3];
  /* The work-group size; zeros let the library choose. */
  uint32_t local[3];
  uint64_t offset[3];
} clvk_range;

static inline clvk_range clvk_range_3d(uint64_t x, uint64_t y, uint64_t z) {
  clvk_range range;
  int d;
  range.dimensions = 3;
  range.global[0] = x;
  range.global[1] = y;
  range.global[2] = z;
  for (d = 0; d < 3; ++d) {
    range.local[d] = 0;
    range.offset[d] = 0;
  }
  return range;
}
static inline clvk_range clvk_range_2d(uint64_t x, uint64_t y) {
  clvk_range range = clvk_range_3d(x, y, 1);
  range.dimensions = 2;
  return range;
}
static inline clvk_range clvk_range_1d(uint64_t x) {
  clvk_range range = clvk_range_3d(x, 1, 1);
  range.dimensions = 1;
  return range;
}

/* Launches a kernel by its position in the program. What the arguments name must live until the next
 * `clvk_finish`, except for values, which are copied. */
clvk_status clvk_launch(clvk_program *program, uint32_t kernel, const clvk_range *range, const clvk_arg *args,
                        uint32_t count);

#ifdef __cplusplus
}
#endif

#endif
