/* The tables of a program, which `clvk-run export` writes: for each variant its SPIR-V, what a device must have
 * for it, and how its kernels are launched. Offsets and sizes are in bytes. Descriptors are in set 0. */
#ifndef CLVK_PROGRAM_DATA_H
#define CLVK_PROGRAM_DATA_H

#include "clvk_launch.h"

/* The specialisation constants that every module has. */
enum {
  /* The work-group size in x; y and z follow. */
  CLVK_SPEC_LOCAL_SIZE = 0,
  /* The work-group size that the launch asked for, in x; y and z follow. Only the smaller groups at the ends of a
   * launch have another size. */
  CLVK_SPEC_ENQUEUED_LOCAL_SIZE = 3
};

/* No offset: the kernel does not use the value. */
#define CLVK_NOWHERE 0xffffffffu
/* Added to the offset of a value that is in the argument buffer, not in the push constants. */
#define CLVK_SPILLED 0x80000000u

/* What a device must have: features and properties of Vulkan. */
typedef uint64_t clvk_needs;
#define CLVK_NEEDS(X) \
  X(int8) X(int16) X(int64) X(float16) X(float64) X(storage_8bit) X(storage_16bit) X(push_constant_8bit) \
  X(push_constant_16bit) X(buffer_device_address) X(vulkan_memory_model) X(buffer_int64_atomics) \
  X(shared_int64_atomics) X(buffer_float32_add) X(shared_float32_add) X(buffer_float32_min_max) \
  X(shared_float32_min_max) X(buffer_float64_add) X(shared_float64_add) X(integer_dot_product) X(device_clock) \
  X(subgroup_clock) X(signed_zero_inf_nan_preserve_f32) X(denorm_preserve_f32) X(denorm_flush_f32) \
  X(rounding_rte_f32) X(signed_zero_inf_nan_preserve_f16) X(denorm_preserve_f16) X(rounding_rte_f16) \
  X(signed_zero_inf_nan_preserve_f64) X(denorm_preserve_f64) X(rounding_rte_f64) X(scalar_block_layout) \
  X(image_read_without_format) X(image_write_without_format) X(subgroup_arithmetic) X(subgroup_shuffle) \
  X(subgroup_clustered) X(subgroup_extended_types) X(compute_full_subgroups)

enum {
#define CLVK_NUMBER(name) CLVK_NUMBER_##name,
  CLVK_NEEDS(CLVK_NUMBER)
#undef CLVK_NUMBER
  CLVK_NUMBER_OF_NEEDS
};
#define CLVK_HAS(name) ((clvk_needs)1 << CLVK_NUMBER_##name)

typedef enum clvk_parameter_kind {
  /* A 64-bit address of a buffer, at `offset`. */
  CLVK_PARAMETER_ADDRESS,
  /* A storage buffer at `binding`, and a 32-bit offset into it at `offset`. */
  CLVK_PARAMETER_STORAGE_BUFFER,
  /* `size` bytes at `offset`. */
  CLVK_PARAMETER_VALUE,
  /* Local memory: the specialisation constant `spec_id` is the number of elements of `size` bytes. */
  CLVK_PARAMETER_LOCAL,
  /* An image at `binding`, or storage images at `count` bindings from there. */
  CLVK_PARAMETER_IMAGE,
  /* A sampler at `binding`; a word that describes it at `offset`. */
  CLVK_PARAMETER_SAMPLER
} clvk_parameter_kind;

typedef enum clvk_access { CLVK_READ_ONLY, CLVK_WRITE_ONLY, CLVK_READ_WRITE } clvk_access;

/* Where the words go that a kernel asks for about an image. */
typedef struct clvk_image_words {
  uint32_t format, width, height, depth, layers, levels;
} clvk_image_words;

typedef struct clvk_parameter {
  const char *name;
  const char *type;
  clvk_parameter_kind kind;
  uint32_t offset;
  uint32_t binding;
  uint32_t size;
  uint32_t spec_id;
  /* Of a pointer: the alignment of its target, which offsets of arguments are multiples of. */
  uint32_t alignment;
  /* Of an image. */
  clvk_dimension dimension;
  clvk_access access;
  uint32_t count;
  clvk_image_words words;
} clvk_parameter;

/* A sampler that the source declares. */
typedef struct clvk_program_sampler {
  uint32_t binding;
  clvk_addressing addressing;
  int linear, normalized;
} clvk_program_sampler;

/* A second descriptor of a sampler, for coordinates in texels. */
typedef struct clvk_texel_sampler {
  uint32_t binding;
  /* Whether the source declares it, and which of those or of the parameters it is. */
  int is_declared;
  uint32_t index;
} clvk_texel_sampler;

typedef enum clvk_place_kind { CLVK_PLACE_NONE, CLVK_PLACE_ADDRESS, CLVK_PLACE_DESCRIPTOR } clvk_place_kind;

/* How a kernel reaches a buffer that is not an argument. */
typedef struct clvk_place {
  clvk_place_kind kind;
  /* The offset of the address in the push constants, or the binding. */
  uint32_t number;
} clvk_place;

typedef struct clvk_kernel {
  const char *name;
  const clvk_parameter *parameters;
  uint32_t parameter_count;
  const clvk_program_sampler *samplers;
  uint32_t sampler_count;
  const clvk_texel_sampler *texel_samplers;
  uint32_t texel_sampler_count;
  /* The work-group size that the kernel requires, or zeros. */
  uint32_t required_local_size[3];
  /* Whether smaller groups at the ends of a launch are refused. */
  int uniform_groups;
  uint32_t push_constants;
  /* Offsets in the push constants: three 32-bit words each, and one for `work_dim`. */
  uint32_t global_offset, global_size, work_dim, group_offset;
  uint32_t argument_buffer_size;
  clvk_place argument_buffer;
  clvk_place program_variables;
  clvk_place private_memory;
  clvk_place loop_watch;
  /* Bytes of the buffer `private_memory` for each work-item of a dispatch. */
  uint64_t private_memory_size;
  /* Bytes of local memory that the kernel declares itself. */
  uint32_t local_memory;
  /* Its shader's work-groups are one row of work-items, in full sub-groups. */
  int sub_groups;
} clvk_kernel;

/* Bytes at an offset of the program's variables. */
typedef struct clvk_bytes {
  uint64_t offset;
  const uint8_t *bytes;
  uint64_t size;
} clvk_bytes;

/* A pointer at an offset of the program's variables to another offset of them. */
typedef struct clvk_pointer {
  uint64_t offset, target;
} clvk_pointer;

typedef struct clvk_variant {
  /* The profile that it was compiled for. */
  const char *name;
  const uint32_t *spirv;
  /* In bytes. */
  size_t spirv_size;
  /* The version of SPIR-V, as major << 8 | minor. */
  uint32_t spirv_version;
  clvk_needs needs;
  /* The size of the device's sub-groups; 0 for any. */
  uint32_t subgroup_size;
  /* The largest number of work-items of a work-group that it was compiled for. */
  uint32_t max_work_group;
  /* The driver errors that do not affect it, and the guarantees that it needs: bits of clvk_drivers.h. */
  uint64_t tolerates, relies_on;
  const clvk_kernel *kernels;
  /* Addresses are offsets into descriptors, not numbers of the device. */
  int logical;
  /* The program-scope variables: one buffer for all launches. */
  uint64_t variables_size;
  const clvk_bytes *contents;
  uint32_t content_count;
  const clvk_pointer *pointers;
  uint32_t pointer_count;
} clvk_variant;

typedef struct clvk_program_data {
  const char *name;
  /* Best first; all have the same kernels with the same parameters. */
  const clvk_variant *variants;
  uint32_t variant_count;
  uint32_t kernel_count;
} clvk_program_data;

#endif
