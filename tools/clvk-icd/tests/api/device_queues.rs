//! Queues on the device, and kernels that enqueue kernels on them.

use crate::c::*;
use opencl_sys::*;
use std::ptr::{null, null_mut};

const ON_DEVICE: u64 = CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;

const SOURCE: &str = "
    kernel void through(queue_t q, global int* out) {
        enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(4), ^{ out[get_global_id(0)] += 10; });
        out[get_global_id(0)] = 1;
    }
    kernel void by_default(global int* out) {
        queue_t q = get_default_queue();
        out[0] = q == CLK_NULL_QUEUE ? -1 : enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ out[0] = 7; });
    }
    kernel void fails(global int* out) {
        clk_event_t event = create_user_event();
        set_user_event_status(event, -77);
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &event, NULL, ^{ out[0] = 7; });
        release_event(event);
    }
    kernel void never(global int* out) {
        clk_event_t event = create_user_event();
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &event, NULL, ^{ out[0] = 7; });
    }";

impl Session {
    /// Whether the device has on-device queues.
    fn enqueues(&self) -> bool {
        let (device, name) = (self.device, CL_DEVICE_MAX_ON_DEVICE_QUEUES);
        // SAFETY: as much room as the size says.
        number(|size, value, ret| unsafe { clGetDeviceInfo(device, name, size, value, ret) }) > 0
    }

    fn create_queue(&self, list: &[u64], status: *mut Status) -> cl_command_queue {
        assert_eq!(list.last(), Some(&0));
        // SAFETY: a zero ends the list.
        unsafe { clCreateCommandQueueWithProperties(self.context, self.device, list.as_ptr(), status) }
    }

    fn queue_with(&self, properties: u64) -> cl_command_queue {
        created(|e| self.create_queue(&[CL_QUEUE_PROPERTIES.into(), properties, 0], e))
    }
}

fn queue_number(queue: cl_command_queue, name: u32) -> u32 {
    // SAFETY: as much room as the size says.
    number(|size, value, ret| unsafe { clGetCommandQueueInfo(queue, name, size, value, ret) })
}

#[test]
fn queues_on_the_device_are_made_as_the_device_says() {
    let session = Session::new();
    let (properties, size) = (u64::from(CL_QUEUE_PROPERTIES), u64::from(CL_QUEUE_SIZE));
    if !session.enqueues() {
        let status = refused(|e| session.create_queue(&[properties, ON_DEVICE, 0], e));
        assert_eq!(status, CL_INVALID_QUEUE_PROPERTIES);
        return;
    }
    let in_order = refused(|e| session.create_queue(&[properties, CL_QUEUE_ON_DEVICE, 0], e));
    assert_eq!(in_order, CL_INVALID_VALUE);
    let too_large = refused(|e| session.create_queue(&[properties, ON_DEVICE, size, 1 << 40, 0], e));
    assert_eq!(too_large, CL_INVALID_QUEUE_PROPERTIES);
    let of_host = refused(|e| session.create_queue(&[size, 1024, 0], e));
    assert_eq!(of_host, CL_INVALID_QUEUE_PROPERTIES);
    let queue = created(|e| session.create_queue(&[properties, ON_DEVICE, size, 16384, 0], e));
    assert_eq!(queue_number(queue, CL_QUEUE_SIZE), 16384);
    // SAFETY: the queue is one.
    unsafe {
        assert_eq!(clFinish(queue), CL_INVALID_COMMAND_QUEUE);
        assert_eq!(clFlush(queue), CL_INVALID_COMMAND_QUEUE);
        ok(clReleaseCommandQueue(queue));
    }
}

#[test]
fn there_is_one_default_queue() {
    let session = Session::new();
    if !session.enqueues() {
        return;
    }
    let first = session.queue_with(ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT);
    let again = session.queue_with(ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT);
    assert_eq!(first, again);
    assert_eq!(queue_number(first, CL_QUEUE_REFERENCE_COUNT), 2);
    let other = session.queue_with(ON_DEVICE);
    assert_ne!(first, other);
    let default = || {
        let (queue, name) = (session.queue, CL_QUEUE_DEVICE_DEFAULT);
        // SAFETY: as much room as the size says.
        answer(|size, value, ret| unsafe { clGetCommandQueueInfo(queue, name, size, value, ret) })
    };
    assert_eq!(default(), (first as usize).to_ne_bytes());
    // SAFETY: the handles are valid, or are refused.
    unsafe {
        let refused = clSetDefaultDeviceCommandQueue(session.context, session.device, session.queue);
        assert_eq!(refused, CL_INVALID_COMMAND_QUEUE);
        ok(clSetDefaultDeviceCommandQueue(session.context, session.device, other));
    }
    assert_eq!(default(), (other as usize).to_ne_bytes());
    // SAFETY: these are all references.
    unsafe {
        ok(clReleaseCommandQueue(first));
        ok(clReleaseCommandQueue(first));
        ok(clReleaseCommandQueue(other));
    }
    assert_eq!(default(), 0usize.to_ne_bytes());
}

/// The first two kernels of `SOURCE` in OpenCL C++.
const SOURCE_IN_CXX: &str = "
    #include <opencl_device_queue>
    #include <opencl_memory>
    #include <opencl_work_item>
    using namespace cl;
    kernel void through(device_queue q, global_ptr<int[]> out) {
        q.enqueue_kernel(enqueue_policy::wait_kernel, ndrange(4), [=]() { out[get_global_id(0)] += 10; });
        out[get_global_id(0)] = 1;
    }
    kernel void by_default(global_ptr<int[]> out) {
        auto q = get_default_device_queue();
        if (!q.is_valid())
            out[0] = -1;
        else
            q.enqueue_kernel(enqueue_policy::no_wait, ndrange(1), [](global_ptr<int[]> out) { out[0] = 7; }, out);
    }";

#[test]
fn kernels_enqueue_on_queues_that_they_are_given_and_on_the_default_one() {
    let session = Session::new();
    if !session.enqueues() {
        return;
    }
    let program = session.built_for_version_three(SOURCE);
    enqueue_on_given_and_default(&session, program, "through;by_default;fails;never");
}

#[test]
fn kernels_in_cxx_enqueue_on_queues() {
    let session = Session::new();
    if !session.enqueues() {
        return;
    }
    let program = session.program(SOURCE_IN_CXX);
    // SAFETY: a text with a zero at its end.
    let status = unsafe { clBuildProgram(program, 0, null(), c"-cl-std=c++".as_ptr(), None, null_mut()) };
    assert_eq!(status, CL_SUCCESS, "{}", session.log(program));
    enqueue_on_given_and_default(&session, program, "through;by_default");
}

/// Launches `through` and `by_default` of a program with these kernels, and releases it.
fn enqueue_on_given_and_default(session: &Session, program: cl_program, kernels: &str) {
    let (out, queue) = (session.buffer_of(&[0; 4]), session.queue_with(ON_DEVICE));
    let through = session.kernel(program, c"through");
    let size = size_of::<cl_command_queue>();
    // SAFETY: as many bytes as the size says.
    let of_host = unsafe { clSetKernelArg(through, 0, size, (&raw const session.queue).cast()) };
    assert_eq!(of_host, CL_INVALID_DEVICE_QUEUE);
    set(through, 0, &queue);
    set(through, 1, &out);
    ok(session.launch(through, 4));
    // Four work-items enqueued four work-items, after the first launch and before the read.
    assert_eq!(session.contents(out, 4), [41; 4]);
    let by_default = session.kernel(program, c"by_default");
    set(by_default, 0, &out);
    ok(session.launch(by_default, 1));
    assert_eq!(session.contents(out, 1), [-1], "there is no default queue yet");
    // SAFETY: the handles are what they should be.
    ok(unsafe { clSetDefaultDeviceCommandQueue(session.context, session.device, queue) });
    ok(session.launch(by_default, 1));
    assert_eq!(session.contents(out, 1), [7]);
    // SAFETY: as much room as the size says.
    let names = text(|size, value, ret| unsafe {
        clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, size, value, ret)
    });
    assert_eq!(names, kernels, "what is enqueued is not a kernel of the program");
    // SAFETY: the handles are this test's.
    unsafe {
        ok(clReleaseKernel(through));
        ok(clReleaseKernel(by_default));
        ok(clReleaseProgram(program));
        ok(clReleaseMemObject(out));
        ok(clReleaseCommandQueue(queue));
    }
}

#[test]
fn a_launch_fails_with_what_it_enqueued() {
    let session = Session::new();
    if !session.enqueues() {
        return;
    }
    let program = session.built_for_version_three(SOURCE);
    let (out, queue) =
        (session.buffer_of(&[0; 4]), session.queue_with(ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT));
    for name in [c"fails", c"never"] {
        let kernel = session.kernel(program, name);
        set(kernel, 0, &out);
        let (count, mut event) = (1usize, null_mut());
        // SAFETY: one size for one dimension, room for one event.
        unsafe {
            ok(clEnqueueNDRangeKernel(
                session.queue,
                kernel,
                1,
                null(),
                &raw const count,
                null(),
                0,
                null(),
                &raw mut event,
            ));
            let waited = clWaitForEvents(1, &raw const event);
            assert_eq!(waited, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "{name:?}");
            ok(clReleaseEvent(event));
            ok(clReleaseKernel(kernel));
        }
        assert_eq!(session.contents(out, 1), [0], "{name:?}");
    }
    // SAFETY: the handles are this test's.
    unsafe {
        ok(clReleaseProgram(program));
        ok(clReleaseMemObject(out));
        ok(clReleaseCommandQueue(queue));
    }
}

#[test]
fn a_queue_that_waits_for_enqueued_kernels_stalls_no_other() {
    let session = Session::new();
    if !session.enqueues() {
        return;
    }
    let program = session.built_for_version_three(SOURCE);
    let device_queue = session.queue_with(ON_DEVICE);
    let other = session.queue_with(0);
    let (late, early) = (session.buffer_of(&[0; 4]), session.buffer_of(&[5]));
    let through = session.kernel(program, c"through");
    set(through, 0, &device_queue);
    set(through, 1, &late);
    let (count, mut contents, seven) = (4usize, [0i32; 4], 7i32);
    // SAFETY: sizes for their dimensions, and memory that lives until the commands are complete.
    unsafe {
        let user = created(|e| clCreateUserEvent(session.context, e));
        let launch = |waits: &[cl_event]| {
            let list = if waits.is_empty() { null() } else { waits.as_ptr() };
            let (waits, none) = (waits.len() as u32, null_mut());
            let size = &raw const count;
            clEnqueueNDRangeKernel(session.queue, through, 1, null(), size, null(), waits, list, none)
        };
        ok(launch(&[user]));
        // In order after the first one, and more than once.
        ok(launch(&[]));
        let (place, none) = (contents.as_mut_ptr().cast(), null_mut());
        let mut read = null_mut();
        ok(clEnqueueReadBuffer(session.queue, late, CL_FALSE, 0, 16, place, 0, null(), &raw mut read));
        let pattern = (&raw const seven).cast();
        ok(clEnqueueFillBuffer(other, early, pattern, 4, 0, 4, 0, null(), none));
        ok(clFinish(other));
        ok(clSetUserEventStatus(user, CL_COMPLETE));
        ok(clWaitForEvents(1, &raw const read));
        ok(clReleaseEvent(read));
        ok(clReleaseEvent(user));
    }
    assert_eq!(contents, [41; 4]);
    assert_eq!(session.contents(early, 1), [7]);
    // SAFETY: the handles are this test's.
    unsafe {
        ok(clReleaseKernel(through));
        ok(clReleaseProgram(program));
        ok(clReleaseMemObject(late));
        ok(clReleaseMemObject(early));
        ok(clReleaseCommandQueue(other));
        ok(clReleaseCommandQueue(device_queue));
    }
}

const IMAGES: &str = "
    kernel void start(read_only image2d_t image, sampler_t given, write_only image2d_t result, global int* out) {
        const sampler_t own = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
        queue_t q = get_default_queue();
        enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(4), ^{
            int i = get_global_id(0);
            out[i] = read_imagei(image, given, (int2)(i - 1, 0)).x;
            out[4 + i] = read_imagei(image, own, (int2)(i - 1, 0)).x;
            if (i == 0)
                enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{
                    out[8] = read_imagei(image, own, (int2)(2, 0)).x;
                    out[9] = get_image_width(image) + read_imagei(image, given, (int2)(4, 0)).x;
                    write_imagei(result, (int2)(1, 0), (int4)(9));
                });
        });
    }
    kernel void look(read_only image2d_t image, global int* out) { out[0] = read_imagei(image, (int2)(1, 0)).x; }";

#[test]
fn blocks_hold_images_and_samplers() {
    let session = Session::new();
    if !session.enqueues() {
        return;
    }
    let program = session.built_for_version_three(IMAGES);
    let queue = session.queue_with(ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT);
    let mut pixels = [10i32, 20, 30, 40];
    let format = cl_image_format { image_channel_order: CL_R, image_channel_data_type: CL_SIGNED_INT32 };
    // SAFETY: numbers and null pointers.
    let mut shape: cl_image_desc = unsafe { std::mem::zeroed() };
    (shape.image_type, shape.image_width, shape.image_height) = (CL_MEM_OBJECT_IMAGE2D, 4, 1);
    let image = |flags: u64, host: *mut i32| {
        // SAFETY: the descriptions are whole, and the memory has the four pixels.
        created(|e| unsafe {
            clCreateImage(session.context, flags, &raw const format, &raw const shape, host.cast(), e)
        })
    };
    let source = image(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, pixels.as_mut_ptr());
    let (result, out) = (image(CL_MEM_READ_WRITE, null_mut()), session.buffer_of(&[0; 10]));
    // SAFETY: no pointers but the context.
    let sampler = created(|e| unsafe {
        clCreateSampler(session.context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, e)
    });
    let start = session.kernel(program, c"start");
    set(start, 0, &source);
    set(start, 1, &sampler);
    set(start, 2, &result);
    set(start, 3, &out);
    ok(session.launch(start, 1));
    // Beyond the edge, the given sampler reads the border and the program's the edge.
    assert_eq!(session.contents(out, 10), [0, 10, 20, 30, 10, 10, 20, 30, 30, 4]);
    let look = session.kernel(program, c"look");
    set(look, 0, &result);
    set(look, 1, &out);
    ok(session.launch(look, 1));
    assert_eq!(session.contents(out, 1), [9]);
    // SAFETY: the handles are this test's.
    unsafe {
        ok(clReleaseSampler(sampler));
        for kernel in [start, look] {
            ok(clReleaseKernel(kernel));
        }
        ok(clReleaseProgram(program));
        for memory in [source, result, out] {
            ok(clReleaseMemObject(memory));
        }
        ok(clReleaseCommandQueue(queue));
    }
}

/// Blocks read and write images whose pixels lie in a buffer, and see what blocks before them wrote.
#[test]
fn blocks_hold_images_in_buffers() {
    let session = Session::new();
    if !session.enqueues() {
        return;
    }
    let program = session.built_for_version_three(
        "kernel void start(read_only image2d_t image, write_only image2d_t result, global int* out) {
             queue_t q = get_default_queue();
             enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(4), ^{
                 int i = get_global_id(0);
                 write_imagei(result, (int2)(i, 1), read_imagei(image, (int2)(i, 1)) * 2);
                 if (i == 0)
                     enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(4), ^{
                         int i = get_global_id(0);
                         out[i] = read_imagei(image, (int2)(i, 1)).x;
                         write_imagei(result, (int2)(i, 0), (int4)(-i));
                     });
             });
         }",
    );
    let queue = session.queue_with(ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT);
    // Both images are the same pixels: four and two more in each of two rows.
    let pixels = session.buffer_of(&[1, 2, 3, 4, 5, 6, 10, 20, 30, 40, 50, 60]);
    let format = cl_image_format { image_channel_order: CL_R, image_channel_data_type: CL_SIGNED_INT32 };
    // SAFETY: numbers and null pointers.
    let mut shape: cl_image_desc = unsafe { std::mem::zeroed() };
    (shape.image_type, shape.image_width, shape.image_height) = (CL_MEM_OBJECT_IMAGE2D, 4, 2);
    (shape.image_row_pitch, shape.buffer) = (24, pixels);
    let (format, shape) = (&raw const format, &raw const shape);
    let image = || {
        // SAFETY: the descriptions are whole.
        created(|e| unsafe { clCreateImage(session.context, 0, format, shape, null_mut(), e) })
    };
    let (source, result, out) = (image(), image(), session.buffer_of(&[0; 4]));
    let start = session.kernel(program, c"start");
    set(start, 0, &source);
    set(start, 1, &result);
    set(start, 2, &out);
    ok(session.launch(start, 1));
    assert_eq!(session.contents(pixels, 12), [0, -1, -2, -3, 5, 6, 20, 40, 60, 80, 50, 60]);
    assert_eq!(session.contents(out, 4), [20, 40, 60, 80]);
    // SAFETY: the handles are this test's.
    unsafe {
        ok(clReleaseKernel(start));
        ok(clReleaseProgram(program));
        for memory in [source, result, pixels, out] {
            ok(clReleaseMemObject(memory));
        }
        ok(clReleaseCommandQueue(queue));
    }
}

/// A kernel that enqueues a block inside a static function; every such program has its own function of that
/// name.
fn part(kernel: &str, added: i32) -> String {
    format!(
        "static void go(global int* out) {{
            enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{{ out[0] += {added}; }});
        }}
        kernel void {kernel}(global int* out) {{ go(out); }}"
    )
}

#[test]
fn blocks_of_linked_programs_stay_apart() {
    let session = Session::new();
    if !session.enqueues() {
        return;
    }
    let queue = session.queue_with(ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT);
    let parts = [session.program(&part("first", 1)), session.program(&part("second", 10))];
    // SAFETY: the lists are as long as their numbers say, and the text has a zero at its end.
    let program = unsafe {
        for part in parts {
            let options = c"-cl-std=CL3.0".as_ptr();
            ok(clCompileProgram(part, 0, null(), options, 0, null(), null(), None, null_mut()));
        }
        let (context, list) = (session.context, parts.as_ptr());
        created(|e| clLinkProgram(context, 0, null(), null(), 2, list, None, null_mut(), e))
    };
    let out = session.buffer_of(&[100]);
    for (name, expected) in [(c"second", 110), (c"first", 111), (c"second", 121)] {
        let kernel = session.kernel(program, name);
        set(kernel, 0, &out);
        ok(session.launch(kernel, 1));
        assert_eq!(session.contents(out, 1), [expected], "after {name:?}");
        // SAFETY: the handle is this test's.
        ok(unsafe { clReleaseKernel(kernel) });
    }
    // SAFETY: the handles are this test's.
    unsafe {
        for program in parts.into_iter().chain([program]) {
            ok(clReleaseProgram(program));
        }
        ok(clReleaseMemObject(out));
        ok(clReleaseCommandQueue(queue));
    }
}
