/* What the samples do not show of libclvk_launch: ranges that work-groups do not divide, offsets, null pointers, many
 * launches, failures, and what remains of them. The runtime is compiled with `calloc` and `free` of this file, which
 * count, and which fail on demand.
 *
 * usage: checks [PART OF A DEVICE'S NAME] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"

#undef calloc
#undef free

static long living, until_failure = -1;

void *counted_calloc(size_t count, size_t size) {
  void *memory = until_failure == 0 ? NULL : calloc(count, size);
  if (until_failure > 0) --until_failure;
  living += memory != NULL;
  return memory;
}

void counted_free(void *memory) {
  living -= memory != NULL;
  free(memory);
}

static int wrong;

#define EXPECT(condition)                                                                        \
  do {                                                                                           \
    if (!(condition)) {                                                                          \
      printf("line %d: %s is false (%s)\n", __LINE__, #condition, clvk_message());                \
      ++wrong;                                                                                   \
    }                                                                                            \
  } while (0)

/* The status, and that the message has a text. */
#define REFUSED(expected, call, text)                     \
  do {                                                    \
    EXPECT((call) == (expected));                         \
    EXPECT(strstr(clvk_message(), text) != NULL);         \
  } while (0)

static void check_ranges(clvk_device *device, clvk_program *program) {
  enum { WIDTH = 37, HEIGHT = 23 };
  uint32_t values[WIDTH * HEIGHT];
  clvk_range range = clvk_range_2d(WIDTH, HEIGHT);
  clvk_buffer *out = NULL;
  uint32_t x, y, bad = 0;
  range.local[0] = 8;
  range.local[1] = 4;
  range.local[2] = 1;
  range.offset[0] = 5;
  range.offset[1] = 70;
  EXPECT(clvk_buffer_create(device, sizeof values, &out) == CLVK_OK);
  EXPECT(checks_ids(program, &range, out, WIDTH) == CLVK_OK);
  EXPECT(clvk_buffer_read(out, 0, values, sizeof values) == CLVK_OK);
  /* 5 groups, also in the dispatches of the smaller ones. */
  for (y = 0; y < HEIGHT; ++y)
    for (x = 0; x < WIDTH; ++x) bad += values[y * WIDTH + x] != (x + 5) * 1000 + (y + 70) + (5u << 24);
  EXPECT(bad == 0);
  clvk_buffer_destroy(out);
}

static void check_order(clvk_device *device, clvk_program *program) {
  const clvk_range range = clvk_range_1d(64);
  int32_t values[64];
  clvk_buffer *data = NULL;
  int i, bad = 0;
  EXPECT(clvk_buffer_create(device, sizeof values, &data) == CLVK_OK);
  EXPECT(clvk_buffer_fill(data, 0, sizeof values, 7) == CLVK_OK);
  for (i = 1; i <= 600; ++i) EXPECT(checks_add(program, &range, data, i) == CLVK_OK);
  EXPECT(clvk_buffer_read(data, 0, values, sizeof values) == CLVK_OK);
  for (i = 0; i < 64; ++i) bad += values[i] != 7 + 600 * 601 / 2;
  EXPECT(bad == 0);
  clvk_buffer_destroy(data);
}

static void check_pointers(clvk_device *device, clvk_program *program) {
  const clvk_range range = clvk_range_1d(4);
  int32_t values[8] = {0};
  clvk_arg args[2];
  clvk_buffer *out = NULL;
  EXPECT(clvk_buffer_create(device, sizeof values, &out) == CLVK_OK);
  EXPECT(clvk_buffer_write(out, 0, values, sizeof values) == CLVK_OK);
  EXPECT(checks_is_null(program, &range, NULL, out) == CLVK_OK);
  args[0] = clvk_arg_buffer(out);
  args[1] = clvk_arg_buffer_at(out, 16);
  EXPECT(clvk_launch(program, CHECKS_KERNEL_is_null, &range, args, 2) == CLVK_OK);
  EXPECT(clvk_buffer_read(out, 0, values, sizeof values) == CLVK_OK);
  EXPECT(values[0] == 2 && values[3] == 2 && values[4] == 1 && values[7] == 1);
  clvk_buffer_destroy(out);
}

static void check_private_memory(clvk_device *device, clvk_program *program) {
  const clvk_range range = clvk_range_1d(100);
  int32_t values[100];
  clvk_buffer *out = NULL;
  int i, bad = 0;
  EXPECT(clvk_buffer_create(device, sizeof values, &out) == CLVK_OK);
  EXPECT(checks_scratch(program, &range, out, 3) == CLVK_OK);
  EXPECT(clvk_buffer_read(out, 0, values, sizeof values) == CLVK_OK);
  for (i = 0; i < 100; ++i) bad += values[i] != 120 + 16 * i;
  EXPECT(bad == 0);
  clvk_buffer_destroy(out);
}

/* Sizes that are not multiples of a word. */
static void check_bytes(clvk_device *device, clvk_program *program) {
  const clvk_range range = clvk_range_1d(13);
  uint8_t values[13] = {0};
  clvk_buffer *data = NULL;
  int i, bad = 0;
  EXPECT(clvk_buffer_create(device, sizeof values, &data) == CLVK_OK);
  EXPECT(clvk_buffer_size(data) == 13);
  for (i = 0; i < 13; ++i) values[i] = (uint8_t)(250 + i);
  EXPECT(clvk_buffer_write(data, 0, values, sizeof values) == CLVK_OK);
  EXPECT(checks_bytes(program, &range, data) == CLVK_OK);
  EXPECT(clvk_buffer_read(data, 0, values, sizeof values) == CLVK_OK);
  for (i = 0; i < 13; ++i) bad += values[i] != (uint8_t)(251 + i);
  EXPECT(bad == 0);
  clvk_buffer_destroy(data);
}

static void check_refusals(clvk_device *device, clvk_program *program) {
  clvk_range range = clvk_range_1d(4);
  clvk_image_description shape = {CLVK_IMAGE_2D, CLVK_RGBA, CLVK_FLOAT, 4, 4, 1, 1};
  clvk_arg args[2];
  clvk_buffer *data = NULL, *none = NULL;
  clvk_image *image = NULL;
  clvk_sampler *sampler = NULL;
  clvk_device *other = NULL;
  uint8_t bytes[8];
  EXPECT(clvk_buffer_create(device, 64, &data) == CLVK_OK);
  args[0] = clvk_arg_buffer(data);
  args[1] = clvk_arg_value(bytes, 8);
  REFUSED(CLVK_INVALID, clvk_launch(program, CHECKS_KERNEL_add, &range, args, 2), "a value of 4 bytes is needed");
  REFUSED(CLVK_INVALID, clvk_launch(program, CHECKS_KERNEL_add, &range, args, 1), "takes 2 arguments, not 1");
  args[1] = clvk_arg_local(4);
  REFUSED(CLVK_INVALID, clvk_launch(program, CHECKS_KERNEL_add, &range, args, 2), "`value` (int) of kernel `add`");
  args[0] = clvk_arg_buffer_at(data, 2);
  REFUSED(CLVK_INVALID, clvk_launch(program, CHECKS_KERNEL_add, &range, args, 2), "not a multiple of 4");
  args[0] = clvk_arg_buffer_at(data, 64);
  REFUSED(CLVK_INVALID, clvk_launch(program, CHECKS_KERNEL_add, &range, args, 2), "beyond the buffer");
  REFUSED(CLVK_INVALID, clvk_launch(program, 99, &range, args, 2), "none has the number 99");
  REFUSED(CLVK_INVALID, clvk_launch(NULL, 0, &range, args, 2), "no program");
  range.global[0] = 0;
  REFUSED(CLVK_INVALID, checks_add(program, &range, data, 1), "global size is 0");
  range.global[0] = UINT64_MAX;
  REFUSED(CLVK_INVALID, checks_add(program, &range, data, 1), "32 bits");
  range = clvk_range_1d(UINT32_MAX);
  range.local[0] = range.local[1] = range.local[2] = 1;
  REFUSED(CLVK_UNSUPPORTED, checks_add(program, &range, data, 1), "too many dispatches");
  range = clvk_range_1d(4);
  range.local[0] = 1 << 20;
  range.local[1] = range.local[2] = 1;
  REFUSED(CLVK_UNSUPPORTED, checks_add(program, &range, data, 1), "exceeds");
  range.dimensions = 4;
  REFUSED(CLVK_INVALID, checks_add(program, &range, data, 1), "not 4");
  REFUSED(CLVK_INVALID, clvk_buffer_read(data, 60, bytes, 8), "8 bytes at 60 lie outside");
  REFUSED(CLVK_INVALID, clvk_buffer_write(data, UINT64_MAX, bytes, 8), "lie outside");
  REFUSED(CLVK_INVALID, clvk_buffer_fill(data, 2, 4, 0), "that 4 divides");
  REFUSED(CLVK_INVALID, clvk_buffer_create(device, 0, &none), "at least 1 byte");
  REFUSED(CLVK_OUT_OF_MEMORY, clvk_buffer_create(device, (uint64_t)1 << 62, &none), "");
  EXPECT(none == NULL);
  shape.height = 0;
  REFUSED(CLVK_INVALID, clvk_image_create(device, &shape, &image), "is 0");
  shape.height = 1 << 30;
  REFUSED(CLVK_UNSUPPORTED, clvk_image_create(device, &shape, &image), "no images of");
  shape.order = CLVK_BGRA;
  REFUSED(CLVK_INVALID, clvk_image_create(device, &shape, &image), "channel order");
  REFUSED(CLVK_INVALID, clvk_sampler_create(device, CLVK_ADDRESS_REPEAT, 0, 0, &sampler), "normalised");
  REFUSED(CLVK_NO_DEVICE, clvk_device_open("no such device", &other), "no such device");
  EXPECT(other == NULL && image == NULL && sampler == NULL);
  clvk_buffer_destroy(data);
}

static void check_cache(clvk_device *device) {
  size_t size = 0;
  uint8_t *data;
  EXPECT(clvk_cache_get(device, NULL, &size) == CLVK_OK);
  data = malloc(size);
  if (!data) return;
  EXPECT(clvk_cache_get(device, data, &size) == CLVK_OK);
  EXPECT(clvk_cache_put(device, data, size) == CLVK_OK);
  /* Of another driver, and damaged. */
  memset(data, 0xff, size < 16 ? size : 16);
  EXPECT(clvk_cache_put(device, data, size) == CLVK_OK);
  EXPECT(clvk_cache_put(device, data, 3) == CLVK_OK);
  free(data);
}

/* A whole use, in which any allocation may fail. */
static clvk_status use(const char *name) {
  const clvk_range range = clvk_range_1d(100);
  clvk_device *device = NULL;
  clvk_program *program = NULL;
  clvk_buffer *out = NULL;
  int32_t value = 0;
  clvk_status status = clvk_device_open(name, &device);
  if (!status) status = clvk_program_create(device, &checks_program, &program);
  if (!status) status = clvk_buffer_create(device, 400, &out);
  if (!status) status = checks_is_null(program, &range, NULL, out);
  if (!status) status = checks_scratch(program, &range, out, 1);
  if (!status) status = clvk_buffer_read(out, 4, &value, sizeof value);
  if (!status) EXPECT(value == 136);
  clvk_buffer_destroy(out);
  clvk_program_destroy(program);
  clvk_device_close(device);
  return status;
}

static void check_failing_memory(const char *name) {
  long failing;
  clvk_status status = CLVK_OUT_OF_MEMORY;
  for (failing = 0; status && failing < 1000; ++failing) {
    until_failure = failing;
    status = use(name);
    until_failure = -1;
    EXPECT(status == CLVK_OK || status == CLVK_OUT_OF_MEMORY);
    EXPECT(living == 0);
  }
  EXPECT(status == CLVK_OK);
  printf("%ld allocations; each of them failed once\n", failing - 1);
}

int main(int count, char **arguments) {
  const char *name = count > 1 ? arguments[1] : NULL;
  clvk_device *device = NULL;
  clvk_program *program = NULL;
  EXPECT(clvk_device_open(name, &device) == CLVK_OK);
  if (device) EXPECT(clvk_program_create(device, &checks_program, &program) == CLVK_OK);
  if (program) {
    printf("%s, variant %s\n", clvk_device_name(device), clvk_program_variant(program));
    check_ranges(device, program);
    check_order(device, program);
    check_pointers(device, program);
    check_private_memory(device, program);
    check_bytes(device, program);
    check_refusals(device, program);
    check_cache(device);
  }
  clvk_program_destroy(program);
  clvk_device_close(device);
  EXPECT(living == 0);
  check_failing_memory(name);
  printf(wrong ? "%d wrong\n" : "all right\n", wrong);
  return wrong ? 1 : 0;
}
