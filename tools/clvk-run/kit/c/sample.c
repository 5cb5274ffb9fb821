/* Runs each kernel of `@PROGRAM@` once with made-up arguments, and prints the first values of what it may have
 * written. It is here to show how to call them; change it as you like. An argument is a part of the device's name. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "@PROGRAM@.h"

typedef enum element { I8, U8, I16, U16, I32, U32, I64, U64, F16, F32, F64, Opaque } element;

static const size_t element_sizes[] = {1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8, 16};

/* Element N is N % 16, halved in floating-point numbers. Halves are 1, and structures are zeros. */
static void fill(element type, uint8_t *bytes, size_t count) {
  size_t i;
  for (i = 0; i < count; ++i) {
    const int64_t number = (int64_t)(i % 16);
    const int32_t small = (int32_t)number;
    const int16_t tiny = type == F16 ? 0x3c00 : (int16_t)number;
    const float real = (float)number / 2;
    const double precise = (double)number / 2;
    uint8_t *at = bytes + i * element_sizes[type];
    switch (type) {
    case I8:
    case U8: *at = (uint8_t)number; break;
    case I16:
    case U16:
    case F16: memcpy(at, &tiny, 2); break;
    case I32:
    case U32: memcpy(at, &small, 4); break;
    case I64:
    case U64: memcpy(at, &number, 8); break;
    case F32: memcpy(at, &real, 4); break;
    case F64: memcpy(at, &precise, 8); break;
    default: memset(at, 0, element_sizes[type]); break;
    }
  }
}

static void print_value(element type, const uint8_t *at) {
  union {
    int8_t i8;
    int16_t i16;
    uint16_t u16;
    int32_t i32;
    uint32_t u32;
    int64_t i64;
    uint64_t u64;
    float f32;
    double f64;
  } value;
  memcpy(&value, at, element_sizes[type] < sizeof value ? element_sizes[type] : sizeof value);
  switch (type) {
  case I8: printf(" %d", value.i8); break;
  case U8: printf(" %u", *at); break;
  case I16: printf(" %d", value.i16); break;
  case U16: printf(" %u", value.u16); break;
  case F16: printf(" 0x%04x", value.u16); break;
  case I32: printf(" %" PRId32, value.i32); break;
  case U32: printf(" %" PRIu32, value.u32); break;
  case I64: printf(" %" PRId64, value.i64); break;
  case U64: printf(" %" PRIu64, value.u64); break;
  case F32: printf(" %g", (double)value.f32); break;
  case F64: printf(" %g", value.f64); break;
  default: printf(" 0x%02x", *at); break;
  }
}

static void print_values(const char *name, element type, const uint8_t *bytes) {
  size_t i;
  printf("%s:", name);
  for (i = 0; i < 8; ++i) print_value(type, bytes + i * element_sizes[type]);
  printf("\n");
}

static uint8_t *made_up(element type, uint64_t size) {
  uint8_t *bytes = malloc((size_t)size);
  if (bytes) fill(type, bytes, (size_t)size / element_sizes[type]);
  return bytes;
}

static clvk_status new_buffer(clvk_device *device, element type, uint64_t size, clvk_buffer **buffer) {
  uint8_t *bytes = made_up(type, size);
  clvk_status status = bytes ? clvk_buffer_create(device, size, buffer) : CLVK_OUT_OF_MEMORY;
  if (!status) status = clvk_buffer_write(*buffer, 0, bytes, size);
  free(bytes);
  return status;
}

static clvk_status new_image(clvk_device *device, element type, const clvk_image_description *description,
                             clvk_image **image) {
  uint8_t *bytes = NULL;
  clvk_status status = clvk_image_create(device, description, image);
  if (!status) {
    bytes = made_up(type, clvk_image_size(*image));
    status = bytes ? clvk_image_write(*image, bytes) : CLVK_OUT_OF_MEMORY;
  }
  free(bytes);
  return status;
}

static clvk_status print_buffer(const char *name, element type, clvk_buffer *buffer) {
  uint8_t bytes[8 * 16];
  clvk_status status = clvk_buffer_read(buffer, 0, bytes, 8 * element_sizes[type]);
  if (!status) print_values(name, type, bytes);
  return status;
}

static clvk_status print_image(const char *name, element type, clvk_image *image) {
  uint8_t *bytes = malloc((size_t)clvk_image_size(image));
  clvk_status status = bytes ? clvk_image_read(image, bytes) : CLVK_OUT_OF_MEMORY;
  if (!status) print_values(name, type, bytes);
  free(bytes);
  return status;
}

@KERNELS@
int main(int count, char **arguments) {
  clvk_device *device = NULL;
  clvk_program *program = NULL;
  clvk_status status;
  /* Not every program has arguments of every kind. */
  (void)new_buffer, (void)new_image, (void)print_buffer, (void)print_image;
  status = clvk_device_open(count > 1 ? arguments[1] : NULL, &device);
  if (!status) status = clvk_program_create(device, &@PROGRAM@_program, &program);
  if (!status) printf("%s, variant %s\n", clvk_device_name(device), clvk_program_variant(program));
@CALLS@
  if (status) fprintf(stderr, "error %d: %s\n", status, clvk_message());
  clvk_program_destroy(program);
  clvk_device_close(device);
  return status ? 1 : 0;
}
