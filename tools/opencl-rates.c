/* Measures what an OpenCL driver costs the host and how fast it moves data, to compare drivers of one device in one run:
 *
 *     cc -O2 tools/opencl-rates.c -o opencl-rates -lOpenCL
 *     OCL_ICD_FILENAMES=libclvk_icd.so ./opencl-rates
 *     ./opencl-rates NVIDIA
 *     ./opencl-rates clvk sizes
 *
 * Wall-clock time, and in brackets the processors' time of the whole process, which on a device of the host's processors is the device's
 * work, too. The argument is part of the platform's name (default: the first platform with a GPU, or the first). Each time is the median of its
 * rounds. With `sizes`, it only measures launches of three sizes and some others, each the least of its rounds, which suits a busy machine: with
 * and without CLVK_PROFILE, it shows what recording costs. Needs the headers and the loader of OpenCL 2.0 or later.
 */

#define _POSIX_C_SOURCE 199309L
#define CL_TARGET_OPENCL_VERSION 200
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LAUNCHES = 10000, LAUNCH_ROUNDS = 7, WAITS = 1000, TRANSFER_ROUNDS = 9 };
static const size_t BYTES = (size_t)256 << 20;
static const char *SOURCE = "kernel void empty(global int *p, int n) { if (n < 0) p[0] = n; }\n"
                            "kernel void step(global float *p) { size_t i = get_global_id(0); p[i] = p[i] * 0.5f + 1.0f; }\n"
                            "kernel void turn(global float *p) { size_t i = get_global_id(0); p[i] = 1.0f - p[i]; }";

static void check(cl_int status, const char *what) {
    if (status != CL_SUCCESS) {
        fprintf(stderr, "%s: error %d\n", what, status);
        exit(1);
    }
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Processor time of the process. */
static double used(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static int order(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *times, size_t count) {
    qsort(times, count, sizeof *times, order);
    return times[count / 2];
}

static cl_device_id choose_device(const char *wanted) {
    cl_platform_id platforms[16];
    cl_uint count = 0;
    check(clGetPlatformIDs(16, platforms, &count), "clGetPlatformIDs");
    cl_device_id first = NULL;
    for (cl_uint index = 0; index < count && index < 16; index++) {
        char name[256] = "";
        cl_device_id device;
        clGetPlatformInfo(platforms[index], CL_PLATFORM_NAME, sizeof name, name, NULL);
        if (wanted && !strstr(name, wanted)) {
            continue;
        }
        if (clGetDeviceIDs(platforms[index], CL_DEVICE_TYPE_GPU, 1, &device, NULL) == CL_SUCCESS) {
            return device;
        }
        if (!first && clGetDeviceIDs(platforms[index], CL_DEVICE_TYPE_ALL, 1, &device, NULL) == CL_SUCCESS) {
            first = device;
        }
    }
    if (!first) {
        fprintf(stderr, "no such platform\n");
        exit(1);
    }
    return first;
}

/* Enqueues many launches, round after round; prints what one costs. */
static void many_launches(cl_command_queue queue, cl_kernel kernel, const char *argument) {
    static double many[LAUNCH_ROUNDS], host[LAUNCH_ROUNDS];
    const size_t one = 1;
    for (int round = -1; round < LAUNCH_ROUNDS; round++) {
        double start = now();
        for (int launch = 0; launch < LAUNCHES; launch++) {
            check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, &one, 0, NULL, NULL), "clEnqueueNDRangeKernel");
        }
        double enqueued = now();
        check(clFinish(queue), "clFinish");
        if (round >= 0) {
            host[round] = (enqueued - start) / LAUNCHES;
            many[round] = (now() - start) / LAUNCHES;
        }
    }
    printf("%d empty launches with %s and clFinish: %.2f us each, %.2f us of it for enqueuing\n", LAUNCHES, argument,
           median(many, LAUNCH_ROUNDS) * 1e6, median(host, LAUNCH_ROUNDS) * 1e6);
}

/* Something whose cost is measured: it is called with its state and the number of the call. */
typedef struct {
    cl_command_queue queues[2];
    cl_kernel kernels[2];
    cl_mem buffer;
    size_t items;
} launching;

typedef void (*action)(const launching *it, int number);

static void launch_on(cl_command_queue queue, cl_kernel kernel, size_t items, cl_event *event) {
    const size_t local = 64;
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &local, 0, NULL, event), "clEnqueueNDRangeKernel");
}

static void just_launch(const launching *it, int number) {
    (void)number;
    launch_on(it->queues[0], it->kernels[0], it->items, NULL);
}

static void launch_in_turn(const launching *it, int number) {
    launch_on(it->queues[0], it->kernels[number % 2], it->items, NULL);
}

static void launch_on_two(const launching *it, int number) {
    launch_on(it->queues[number % 2], it->kernels[0], it->items, NULL);
}

static void launch_and_wait(const launching *it, int number) {
    just_launch(it, number);
    check(clFinish(it->queues[0]), "clFinish");
}

/* Every hundredth call waits for the launches so far, and asks when they began and ended. */
static void launch_and_ask(const launching *it, int number) {
    enum { TOGETHER = 100 };
    static cl_event events[TOGETHER];
    launch_on(it->queues[0], it->kernels[0], it->items, &events[number % TOGETHER]);
    if (number % TOGETHER < TOGETHER - 1) {
        return;
    }
    check(clWaitForEvents(TOGETHER, events), "clWaitForEvents");
    for (int event = 0; event < TOGETHER; event++) {
        cl_ulong times[2];
        check(clGetEventProfilingInfo(events[event], CL_PROFILING_COMMAND_START, sizeof times[0], &times[0], NULL), "CL_PROFILING_COMMAND_START");
        check(clGetEventProfilingInfo(events[event], CL_PROFILING_COMMAND_END, sizeof times[1], &times[1], NULL), "CL_PROFILING_COMMAND_END");
        check(clReleaseEvent(events[event]), "clReleaseEvent");
    }
}

static void transfer_bytes(const launching *it, int number) {
    static char bytes[64];
    bytes[0] = (char)number;
    check(clEnqueueWriteBuffer(it->queues[0], it->buffer, CL_FALSE, 0, sizeof bytes, bytes, 0, NULL, NULL), "clEnqueueWriteBuffer");
    check(clEnqueueReadBuffer(it->queues[0], it->buffer, CL_TRUE, 0, sizeof bytes, bytes, 0, NULL, NULL), "clEnqueueReadBuffer");
}

/* Prints what a call costs at least. */
static void least(const char *name, action call, const launching *it, int times) {
    enum { ROUNDS = 12 };
    double wall = 1e9, processor = 1e9;
    for (int round = 0; round <= ROUNDS; round++) {
        double start = now(), before = used();
        for (int number = 0; number < times; number++) {
            call(it, number);
        }
        check(clFinish(it->queues[0]), "clFinish");
        check(clFinish(it->queues[1]), "clFinish");
        double waited = (now() - start) / times, worked = (used() - before) / times;
        if (round > 0) {
            wall = waited < wall ? waited : wall;
            processor = worked < processor ? worked : processor;
        }
    }
    printf("%s: %.2f us each (%.2f us)\n", name, wall * 1e6, processor * 1e6);
}

/* Launches of three sizes, and short ones in other ways. */
static void sized_launches(cl_context context, cl_device_id device, cl_command_queue queue, cl_mem buffer) {
    cl_int status;
    cl_program program = clCreateProgramWithSource(context, 1, &SOURCE, NULL, &status);
    check(status, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
    launching it = {{queue, NULL}, {NULL, NULL}, buffer, 64};
    for (int kernel = 0; kernel < 2; kernel++) {
        it.kernels[kernel] = clCreateKernel(program, kernel == 0 ? "step" : "turn", &status);
        check(status, "clCreateKernel");
        check(clSetKernelArg(it.kernels[kernel], 0, sizeof buffer, &buffer), "clSetKernelArg");
    }
    it.queues[1] = clCreateCommandQueueWithProperties(context, device, NULL, &status);
    check(status, "clCreateCommandQueueWithProperties");
    least("launches of 64 work-items", just_launch, &it, 4000);
    it.items = 16384;
    least("launches of 16384 work-items", just_launch, &it, 1000);
    it.items = 1 << 20;
    least("launches of 1048576 work-items", just_launch, &it, 30);
    it.items = 64;
    least("launches of 64 work-items, of two kernels in turn", launch_in_turn, &it, 4000);
    least("the same of one kernel, on two queues in turn", launch_on_two, &it, 4000);
    least("the same with a wait each", launch_and_wait, &it, 1000);
    least("64 bytes written, and read with a wait", transfer_bytes, &it, 1000);
    const cl_queue_properties timed[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
    it.queues[0] = clCreateCommandQueueWithProperties(context, device, timed, &status);
    check(status, "clCreateCommandQueueWithProperties");
    least("launches of 64 work-items whose times are asked for", launch_and_ask, &it, 1000);
    clReleaseCommandQueue(it.queues[0]);
    clReleaseCommandQueue(it.queues[1]);
    clReleaseKernel(it.kernels[0]);
    clReleaseKernel(it.kernels[1]);
    clReleaseProgram(program);
}

/* Replaces the first argument by unified shared memory, and by any such memory, where the driver has it. */
static void shared_launches(cl_context context, cl_device_id device, cl_command_queue queue, cl_kernel kernel) {
    cl_platform_id platform;
    check(clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL), "CL_DEVICE_PLATFORM");
    clDeviceMemAllocINTEL_fn allocate =
        (clDeviceMemAllocINTEL_fn)clGetExtensionFunctionAddressForPlatform(platform, "clDeviceMemAllocINTEL");
    clSetKernelArgMemPointerINTEL_fn set =
        (clSetKernelArgMemPointerINTEL_fn)clGetExtensionFunctionAddressForPlatform(platform, "clSetKernelArgMemPointerINTEL");
    clMemBlockingFreeINTEL_fn release =
        (clMemBlockingFreeINTEL_fn)clGetExtensionFunctionAddressForPlatform(platform, "clMemBlockingFreeINTEL");
    if (!allocate || !set || !release) {
        printf("no unified shared memory\n");
        return;
    }
    cl_int status;
    void *memory = allocate(context, device, NULL, 1 << 20, 0, &status);
    check(status, "clDeviceMemAllocINTEL");
    check(set(kernel, 0, memory), "clSetKernelArgMemPointerINTEL");
    many_launches(queue, kernel, "unified shared memory");
    const cl_bool yes = CL_TRUE;
    check(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL, sizeof yes, &yes),
          "clSetKernelExecInfo");
    many_launches(queue, kernel, "any unified shared memory");
    check(release(context, memory), "clMemBlockingFreeINTEL");
}

/* A small command, with a wait for its end. */
typedef struct {
    cl_command_queue queue;
    cl_kernel kernel;
    cl_mem from, to;
    char *memory;
} small;

enum { SMALL = 4096, SMALL_ROUNDS = 7, SMALL_TIMES = 1000 };

static void map_and_unmap(const small *it) {
    cl_int status;
    char *mapped = clEnqueueMapBuffer(it->queue, it->from, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, SMALL, 0, NULL, NULL, &status);
    check(status, "clEnqueueMapBuffer");
    mapped[0]++;
    check(clEnqueueUnmapMemObject(it->queue, it->from, mapped, 0, NULL, NULL), "clEnqueueUnmapMemObject");
}

static void marker(const small *it) {
    cl_event event;
    check(clEnqueueMarkerWithWaitList(it->queue, 0, NULL, &event), "clEnqueueMarkerWithWaitList");
    check(clWaitForEvents(1, &event), "clWaitForEvents");
    check(clReleaseEvent(event), "clReleaseEvent");
}

static void copy(const small *it) {
    check(clEnqueueCopyBuffer(it->queue, it->from, it->to, 0, 0, SMALL, 0, NULL, NULL), "clEnqueueCopyBuffer");
    check(clFinish(it->queue), "clFinish");
}

static void copy_box(const small *it) {
    const size_t origin[3] = {0, 0, 0}, box[3] = {64, 64, 1};
    check(clEnqueueCopyBufferRect(it->queue, it->from, it->to, origin, origin, box, 256, 0, 64, 0, 0, NULL, NULL), "clEnqueueCopyBufferRect");
    check(clFinish(it->queue), "clFinish");
}

static void fill(const small *it) {
    const cl_uint pattern = 7;
    check(clEnqueueFillBuffer(it->queue, it->to, &pattern, sizeof pattern, 0, SMALL, 0, NULL, NULL), "clEnqueueFillBuffer");
    check(clFinish(it->queue), "clFinish");
}

static void write_and_read(const small *it) {
    check(clEnqueueWriteBuffer(it->queue, it->to, CL_FALSE, 0, SMALL, it->memory, 0, NULL, NULL), "clEnqueueWriteBuffer");
    check(clEnqueueReadBuffer(it->queue, it->to, CL_TRUE, 0, SMALL, it->memory, 0, NULL, NULL), "clEnqueueReadBuffer");
}

static void launch(const small *it) {
    const size_t one = 1;
    check(clEnqueueNDRangeKernel(it->queue, it->kernel, 1, NULL, &one, &one, 0, NULL, NULL), "clEnqueueNDRangeKernel");
}

static void launch_and_finish(const small *it) {
    launch(it);
    check(clFinish(it->queue), "clFinish");
}

static void write_launch_and_map(const small *it) {
    check(clEnqueueWriteBuffer(it->queue, it->to, CL_FALSE, 0, SMALL, it->memory, 0, NULL, NULL), "clEnqueueWriteBuffer");
    launch(it);
    map_and_unmap(it);
}

static void small_commands(const small *it) {
    static const struct {
        const char *name;
        void (*run)(const small *);
    } ALL[] = {
        {"map (blocking) and unmap", map_and_unmap},
        {"marker and wait for its event", marker},
        {"copy and clFinish", copy},
        {"rectangular copy and clFinish", copy_box},
        {"fill and clFinish", fill},
        {"write, and blocking read", write_and_read},
        {"launch and clFinish", launch_and_finish},
        {"write, launch, blocking map, and unmap", write_launch_and_map},
    };
    for (size_t kind = 0; kind < sizeof ALL / sizeof *ALL; kind++) {
        double wall[SMALL_ROUNDS], processors[SMALL_ROUNDS];
        for (int round = -1; round < SMALL_ROUNDS; round++) {
            double start = now(), before = used();
            for (int time = 0; time < SMALL_TIMES; time++) {
                ALL[kind].run(it);
            }
            check(clFinish(it->queue), "clFinish");
            if (round >= 0) {
                wall[round] = (now() - start) / SMALL_TIMES;
                processors[round] = (used() - before) / SMALL_TIMES;
            }
        }
        printf("%d bytes: %s: %.2f us (%.2f)\n", SMALL, ALL[kind].name, median(wall, SMALL_ROUNDS) * 1e6,
               median(processors, SMALL_ROUNDS) * 1e6);
    }
}

static void launches(cl_context context, cl_device_id device, cl_command_queue queue, cl_mem buffer, cl_mem other, char *memory) {
    cl_int status;
    cl_program program = clCreateProgramWithSource(context, 1, &SOURCE, NULL, &status);
    check(status, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
    cl_kernel kernel = clCreateKernel(program, "empty", &status);
    check(status, "clCreateKernel");
    cl_int number = 1;
    check(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), "clSetKernelArg");
    check(clSetKernelArg(kernel, 1, sizeof number, &number), "clSetKernelArg");
    size_t one = 1;
    static double single[WAITS];
    many_launches(queue, kernel, "a buffer");
    for (int round = -WAITS / 10; round < WAITS; round++) {
        double start = now();
        cl_event event;
        check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, &one, 0, NULL, &event), "clEnqueueNDRangeKernel");
        check(clFlush(queue), "clFlush");
        check(clWaitForEvents(1, &event), "clWaitForEvents");
        if (round >= 0) {
            single[round] = now() - start;
        }
        check(clReleaseEvent(event), "clReleaseEvent");
    }
    printf("launch, flush and wait for its event: %.2f us\n", median(single, WAITS) * 1e6);
    for (int round = 0; round < WAITS; round++) {
        double start = now();
        check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, &one, 0, NULL, NULL), "clEnqueueNDRangeKernel");
        check(clFinish(queue), "clFinish");
        single[round] = now() - start;
    }
    printf("launch and clFinish: %.2f us\n", median(single, WAITS) * 1e6);
    const small it = {queue, kernel, buffer, other, memory};
    small_commands(&it);
    shared_launches(context, device, queue, kernel);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
}

static void to_and_from(cl_command_queue queue, cl_mem buffer, char *memory, const char *kind) {
    static double writes[TRANSFER_ROUNDS], reads[TRANSFER_ROUNDS];
    for (int round = -1; round < TRANSFER_ROUNDS; round++) {
        double start = now();
        check(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, BYTES, memory, 0, NULL, NULL), "clEnqueueWriteBuffer");
        check(clFinish(queue), "clFinish");
        double written = now();
        check(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, BYTES, memory, 0, NULL, NULL), "clEnqueueReadBuffer");
        if (round >= 0) {
            writes[round] = written - start;
            reads[round] = now() - written;
        }
    }
    printf("%s memory: write %.2f GB/s, read %.2f GB/s\n", kind, (double)BYTES / median(writes, TRANSFER_ROUNDS) * 1e-9,
           (double)BYTES / median(reads, TRANSFER_ROUNDS) * 1e-9);
}

static void on_the_device(cl_command_queue queue, cl_mem from, cl_mem to) {
    static double copies[TRANSFER_ROUNDS], boxes[TRANSFER_ROUNDS], fills[TRANSFER_ROUNDS];
    enum { TIMES = 20 };
    const size_t origin[3] = {0, 0, 0}, box[3] = {4096, 256, BYTES / 4096 / 256};
    const cl_uint pattern = 7;
    for (int round = -1; round < TRANSFER_ROUNDS; round++) {
        double start = now();
        for (int time = 0; time < TIMES; time++) {
            check(clEnqueueCopyBuffer(queue, from, to, 0, 0, BYTES, 0, NULL, NULL), "clEnqueueCopyBuffer");
        }
        check(clFinish(queue), "clFinish");
        double copied = now();
        for (int time = 0; time < TIMES; time++) {
            check(clEnqueueCopyBufferRect(queue, from, to, origin, origin, box, 4096, 0, 4096, 0, 0, NULL, NULL),
                  "clEnqueueCopyBufferRect");
        }
        check(clFinish(queue), "clFinish");
        double boxed = now();
        for (int time = 0; time < TIMES; time++) {
            check(clEnqueueFillBuffer(queue, to, &pattern, sizeof pattern, 0, BYTES, 0, NULL, NULL), "clEnqueueFillBuffer");
        }
        check(clFinish(queue), "clFinish");
        if (round >= 0) {
            copies[round] = copied - start;
            boxes[round] = boxed - copied;
            fills[round] = now() - boxed;
        }
    }
    double all = (double)BYTES * TIMES * 1e-9;
    printf("on the device, counting reads and writes: copy %.0f GB/s, rectangular copy %.0f GB/s, fill %.0f GB/s\n",
           2 * all / median(copies, TRANSFER_ROUNDS), 2 * all / median(boxes, TRANSFER_ROUNDS), all / median(fills, TRANSFER_ROUNDS));
}

int main(int count, char **arguments) {
    cl_device_id device = choose_device(count > 1 ? arguments[1] : NULL);
    char name[256] = "", version[256] = "";
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
    clGetDeviceInfo(device, CL_DEVICE_VERSION, sizeof version, version, NULL);
    printf("%s, %s\n", name, version);
    cl_int status;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    check(status, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &status);
    check(status, "clCreateCommandQueueWithProperties");
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, BYTES, NULL, &status);
    check(status, "clCreateBuffer");
    if (count > 2 && strcmp(arguments[2], "sizes") == 0) {
        sized_launches(context, device, queue, buffer);
        return 0;
    }
    cl_mem other = clCreateBuffer(context, CL_MEM_READ_WRITE, BYTES, NULL, &status);
    check(status, "clCreateBuffer");
    cl_mem pinned = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, BYTES, NULL, &status);
    check(status, "clCreateBuffer of host memory");
    char *memory = malloc(BYTES);
    char *mapped = clEnqueueMapBuffer(queue, pinned, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, BYTES, 0, NULL, NULL, &status);
    check(status, "clEnqueueMapBuffer");
    memset(memory, 1, BYTES);
    memset(mapped, 2, BYTES);
    launches(context, device, queue, buffer, other, memory);
    to_and_from(queue, buffer, memory, "the application's own (malloc)");
    to_and_from(queue, buffer, mapped, "mapped (CL_MEM_ALLOC_HOST_PTR)");
    on_the_device(queue, buffer, other);
    check(clEnqueueUnmapMemObject(queue, pinned, mapped, 0, NULL, NULL), "clEnqueueUnmapMemObject");
    check(clFinish(queue), "clFinish");
    clReleaseMemObject(pinned);
    clReleaseMemObject(other);
    clReleaseMemObject(buffer);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    free(memory);
    return 0;
}
