/* libclvk_launch for the Java virtual machine: the functions of `org.clvk.launch.Native`. Handles are pointers as
 * numbers; the classes in Clvk.kt keep them valid. A failure throws a ClvkException. */
#include <jni.h>
#include <stdlib.h>
#include <string.h>

#include "clvk_program_data.h"

/* The program of this library. */
extern const clvk_program_data *const clvk_jni_program;

#define CLVK_JNI(type, name) JNIEXPORT type JNICALL Java_org_clvk_launch_Native_##name

static void *clvk_pointer_of(jlong handle) { return (void *)(intptr_t)handle; }

static jlong clvk_handle_of(const void *pointer) { return (jlong)(intptr_t)pointer; }

/* Throws if a function failed. Without memory for the exception, the machine throws another one. */
static void clvk_throw(JNIEnv *env, clvk_status status, const char *text) {
  jclass type = (*env)->FindClass(env, "org/clvk/launch/ClvkException");
  jmethodID make = type ? (*env)->GetMethodID(env, type, "<init>", "(ILjava/lang/String;)V") : NULL;
  jstring message = make ? (*env)->NewStringUTF(env, text) : NULL;
  jobject exception = message ? (*env)->NewObject(env, type, make, (jint)status, message) : NULL;
  if (exception) (*env)->Throw(env, (jthrowable)exception);
}

static void clvk_check(JNIEnv *env, clvk_status status) {
  if (status) clvk_throw(env, status, clvk_message());
}

/* The bytes of a direct buffer; NULL, after throwing, if it has not got that many. */
static uint8_t *clvk_direct(JNIEnv *env, jobject buffer, jlong position, jlong size) {
  uint8_t *bytes = buffer ? (*env)->GetDirectBufferAddress(env, buffer) : NULL;
  if (bytes && position >= 0 && size >= 0 && (*env)->GetDirectBufferCapacity(env, buffer) - position >= size)
    return bytes + position;
  clvk_throw(env, CLVK_INVALID, "the data is not a direct buffer of at least that size");
  return NULL;
}

CLVK_JNI(jlong, deviceOpen)(JNIEnv *env, jobject self, jstring name) {
  const char *text = name ? (*env)->GetStringUTFChars(env, name, NULL) : NULL;
  clvk_device *device = NULL;
  (void)self;
  if (name && !text) return 0;
  clvk_check(env, clvk_device_open(text, &device));
  if (text) (*env)->ReleaseStringUTFChars(env, name, text);
  return clvk_handle_of(device);
}

CLVK_JNI(void, deviceClose)(JNIEnv *env, jobject self, jlong device) {
  (void)env, (void)self;
  clvk_device_close(clvk_pointer_of(device));
}

CLVK_JNI(jstring, deviceName)(JNIEnv *env, jobject self, jlong device) {
  (void)self;
  return (*env)->NewStringUTF(env, clvk_device_name(clvk_pointer_of(device)));
}

CLVK_JNI(void, finish)(JNIEnv *env, jobject self, jlong device) {
  (void)self;
  clvk_check(env, clvk_finish(clvk_pointer_of(device)));
}

CLVK_JNI(jbyteArray, cacheGet)(JNIEnv *env, jobject self, jlong device) {
  size_t size = 0;
  void *data = NULL;
  jbyteArray result = NULL;
  clvk_status status = clvk_cache_get(clvk_pointer_of(device), NULL, &size);
  (void)self;
  if (!status && size <= INT32_MAX && (data = malloc(size ? size : 1)))
    status = clvk_cache_get(clvk_pointer_of(device), data, &size);
  clvk_check(env, status);
  if (!status && data && (result = (*env)->NewByteArray(env, (jsize)size)))
    (*env)->SetByteArrayRegion(env, result, 0, (jsize)size, data);
  free(data);
  return result;
}

CLVK_JNI(void, cachePut)(JNIEnv *env, jobject self, jlong device, jbyteArray data) {
  jbyte *bytes = (*env)->GetByteArrayElements(env, data, NULL);
  (void)self;
  if (!bytes) return;
  clvk_check(env, clvk_cache_put(clvk_pointer_of(device), bytes, (size_t)(*env)->GetArrayLength(env, data)));
  (*env)->ReleaseByteArrayElements(env, data, bytes, JNI_ABORT);
}

CLVK_JNI(jlong, bufferCreate)(JNIEnv *env, jobject self, jlong device, jlong size) {
  clvk_buffer *buffer = NULL;
  (void)self;
  clvk_check(env, clvk_buffer_create(clvk_pointer_of(device), (uint64_t)size, &buffer));
  return clvk_handle_of(buffer);
}

CLVK_JNI(void, bufferDestroy)(JNIEnv *env, jobject self, jlong buffer) {
  (void)env, (void)self;
  clvk_buffer_destroy(clvk_pointer_of(buffer));
}

CLVK_JNI(void, bufferWrite)
(JNIEnv *env, jobject self, jlong buffer, jlong offset, jobject data, jlong position, jlong size) {
  const uint8_t *bytes = clvk_direct(env, data, position, size);
  (void)self;
  if (bytes)
    clvk_check(env, clvk_buffer_write(clvk_pointer_of(buffer), (uint64_t)offset, bytes, (uint64_t)size));
}

CLVK_JNI(void, bufferRead)
(JNIEnv *env, jobject self, jlong buffer, jlong offset, jobject data, jlong position, jlong size) {
  uint8_t *bytes = clvk_direct(env, data, position, size);
  (void)self;
  if (bytes) clvk_check(env, clvk_buffer_read(clvk_pointer_of(buffer), (uint64_t)offset, bytes, (uint64_t)size));
}

CLVK_JNI(void, bufferFill)(JNIEnv *env, jobject self, jlong buffer, jlong offset, jlong size, jint word) {
  (void)self;
  clvk_check(env, clvk_buffer_fill(clvk_pointer_of(buffer), (uint64_t)offset, (uint64_t)size, (uint32_t)word));
}

CLVK_JNI(jlong, imageCreate)
(JNIEnv *env, jobject self, jlong device, jint dimension, jint order, jint channel, jint width, jint height, jint depth,
 jint layers) {
  const clvk_image_description description = {(clvk_dimension)dimension, (clvk_order)order,   (clvk_channel)channel,
                                              (uint32_t)width,           (uint32_t)height,    (uint32_t)depth,
                                              (uint32_t)layers};
  clvk_image *image = NULL;
  (void)self;
  clvk_check(env, clvk_image_create(clvk_pointer_of(device), &description, &image));
  return clvk_handle_of(image);
}

CLVK_JNI(void, imageDestroy)(JNIEnv *env, jobject self, jlong image) {
  (void)env, (void)self;
  clvk_image_destroy(clvk_pointer_of(image));
}

CLVK_JNI(jlong, imageSize)(JNIEnv *env, jobject self, jlong image) {
  (void)env, (void)self;
  return (jlong)clvk_image_size(clvk_pointer_of(image));
}

CLVK_JNI(void, imageWrite)(JNIEnv *env, jobject self, jlong image, jobject data, jlong position) {
  const uint8_t *bytes = clvk_direct(env, data, position, (jlong)clvk_image_size(clvk_pointer_of(image)));
  (void)self;
  if (bytes) clvk_check(env, clvk_image_write(clvk_pointer_of(image), bytes));
}

CLVK_JNI(void, imageRead)(JNIEnv *env, jobject self, jlong image, jobject data, jlong position) {
  uint8_t *bytes = clvk_direct(env, data, position, (jlong)clvk_image_size(clvk_pointer_of(image)));
  (void)self;
  if (bytes) clvk_check(env, clvk_image_read(clvk_pointer_of(image), bytes));
}

CLVK_JNI(jlong, samplerCreate)
(JNIEnv *env, jobject self, jlong device, jint addressing, jboolean linear, jboolean normalized) {
  clvk_sampler *sampler = NULL;
  (void)self;
  clvk_check(env, clvk_sampler_create(clvk_pointer_of(device), (clvk_addressing)addressing, linear == JNI_TRUE,
                                      normalized == JNI_TRUE, &sampler));
  return clvk_handle_of(sampler);
}

CLVK_JNI(void, samplerDestroy)(JNIEnv *env, jobject self, jlong sampler) {
  (void)env, (void)self;
  clvk_sampler_destroy(clvk_pointer_of(sampler));
}

CLVK_JNI(jlong, programCreate)(JNIEnv *env, jobject self, jlong device) {
  clvk_program *program = NULL;
  (void)self;
  clvk_check(env, clvk_program_create(clvk_pointer_of(device), clvk_jni_program, &program));
  return clvk_handle_of(program);
}

CLVK_JNI(void, programDestroy)(JNIEnv *env, jobject self, jlong program) {
  (void)env, (void)self;
  clvk_program_destroy(clvk_pointer_of(program));
}

CLVK_JNI(jstring, programVariant)(JNIEnv *env, jobject self, jlong program) {
  (void)self;
  return (*env)->NewStringUTF(env, clvk_program_variant(clvk_pointer_of(program)));
}

/* `sizes` has the global sizes, the work-group size and the offsets. An argument is a kind, a number and an object; the
 * object of a value is its place among the bytes. */
CLVK_JNI(void, launch)
(JNIEnv *env, jobject self, jlong program, jint kernel, jint dimensions, jlongArray sizes, jintArray kinds,
 jlongArray numbers, jlongArray objects, jbyteArray bytes) {
  const jsize count = (*env)->GetArrayLength(env, kinds), size = (*env)->GetArrayLength(env, bytes);
  clvk_arg *args = calloc((size_t)count + 1, sizeof *args);
  jint *kind = calloc((size_t)count + 1, sizeof *kind);
  jlong *number = calloc((size_t)count + 1, sizeof *number), *object = calloc((size_t)count + 1, sizeof *object);
  jbyte *values = calloc((size_t)size + 1, 1);
  jlong all[9] = {0};
  clvk_range range;
  jsize i;
  (void)self;
  (*env)->GetLongArrayRegion(env, sizes, 0, 9, all);
  if (args && kind && number && object && values && !(*env)->ExceptionCheck(env)) {
    (*env)->GetIntArrayRegion(env, kinds, 0, count, kind);
    (*env)->GetLongArrayRegion(env, numbers, 0, count, number);
    (*env)->GetLongArrayRegion(env, objects, 0, count, object);
    (*env)->GetByteArrayRegion(env, bytes, 0, size, values);
  }
  for (i = 0; i < 3; ++i) {
    range.global[i] = (uint64_t)all[i];
    range.local[i] = (uint32_t)all[3 + i];
    range.offset[i] = (uint64_t)all[6 + i];
  }
  range.dimensions = (uint32_t)dimensions;
  if (!args || !kind || !number || !object || !values) {
    clvk_throw(env, CLVK_OUT_OF_MEMORY, "the host has no memory for arguments");
  } else if (!(*env)->ExceptionCheck(env)) {
    for (i = 0; i < count; ++i) {
      args[i].kind = (clvk_arg_kind)kind[i];
      args[i].number = (uint64_t)number[i];
      args[i].object = kind[i] == CLVK_ARG_VALUE ? (const void *)(values + object[i]) : clvk_pointer_of(object[i]);
    }
    clvk_check(env, clvk_launch(clvk_pointer_of(program), (uint32_t)kernel, &range, args, (uint32_t)count));
  }
  free(args);
  free(kind);
  free(number);
  free(object);
  free(values);
}
