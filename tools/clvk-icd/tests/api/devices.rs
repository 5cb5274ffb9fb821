//! Several devices in one context: contents follow the commands that use them, in the order of events. With
//! one Vulkan device, there is nothing to test.

use crate::c::*;
use opencl_sys::*;
use std::ptr::{null, null_mut};

/// A context of two devices, with a queue on each.
pub struct Pair {
    pub devices: [cl_device_id; 2],
    pub context: cl_context,
    pub queues: [cl_command_queue; 2],
}

impl Pair {
    /// None on machines with one device.
    pub fn new(properties: u64) -> Option<Self> {
        let (mut platform, mut devices, mut count) = (null_mut(), [null_mut(); 2], 0);
        // SAFETY: as much room as the counts say.
        unsafe {
            ok(clGetPlatformIDs(1, &raw mut platform, null_mut()));
            let all = CL_DEVICE_TYPE_ALL;
            ok(clGetDeviceIDs(platform, all, 2, devices.as_mut_ptr(), &raw mut count));
        }
        if count < 2 {
            return None;
        }
        let list = devices.as_ptr();
        // SAFETY: two devices.
        let context = created(|e| unsafe { clCreateContext(null(), 2, list, None, null_mut(), e) });
        let properties = [u64::from(CL_QUEUE_PROPERTIES), properties, 0];
        let queues = devices.map(|device| {
            let properties = properties.as_ptr();
            // SAFETY: a zero ends the list.
            created(|e| unsafe { clCreateCommandQueueWithProperties(context, device, properties, e) })
        });
        Some(Pair { devices, context, queues })
    }

    pub fn buffer(&self, data: &[i32]) -> cl_mem {
        let (flags, size) = (CL_MEM_COPY_HOST_PTR, size_of_val(data));
        let host = data.as_ptr().cast_mut().cast();
        // SAFETY: as many bytes as the size says.
        created(|e| unsafe { clCreateBuffer(self.context, flags, size, host, e) })
    }

    fn kernel(&self, source: &std::ffi::CStr, name: &std::ffi::CStr) -> cl_kernel {
        let list = [source.as_ptr()];
        // SAFETY: the texts end with zeros. The kernel keeps its program.
        unsafe {
            let program = created(|e| clCreateProgramWithSource(self.context, 1, list.as_ptr(), null(), e));
            ok(clBuildProgram(program, 0, null(), null(), None, null_mut()));
            let kernel = created(|e| clCreateKernel(program, name.as_ptr(), e));
            ok(clReleaseProgram(program));
            kernel
        }
    }

    /// Launches with a wait list; returns the event.
    pub fn launch(&self, on: usize, kernel: cl_kernel, size: &[usize], waits: &[cl_event]) -> cl_event {
        let mut event = null_mut();
        let (dims, list) = (size.len() as u32, if waits.is_empty() { null() } else { waits.as_ptr() });
        let (queue, count) = (self.queues[on], waits.len() as u32);
        // SAFETY: as many sizes and events as the counts say.
        ok(unsafe {
            let size = size.as_ptr();
            clEnqueueNDRangeKernel(queue, kernel, dims, null(), size, null(), count, list, &raw mut event)
        });
        event
    }

    pub fn contents(&self, on: usize, buffer: cl_mem, count: usize, waits: &[cl_event]) -> Vec<i32> {
        let mut data = vec![0; count];
        let (size, place) = (size_of_val(&data[..]), data.as_mut_ptr().cast());
        let list = if waits.is_empty() { null() } else { waits.as_ptr() };
        let (queue, many) = (self.queues[on], waits.len() as u32);
        // SAFETY: as many bytes as the size says; the read blocks.
        ok(unsafe { clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, size, place, many, list, null_mut()) });
        data
    }
}

impl Drop for Pair {
    fn drop(&mut self) {
        // SAFETY: the handles are the test's.
        unsafe {
            for queue in self.queues {
                ok(clFinish(queue));
                ok(clReleaseCommandQueue(queue));
            }
            ok(clReleaseContext(self.context));
        }
    }
}

fn release_events(events: &[cl_event]) {
    for &event in events {
        // SAFETY: the events are the test's.
        ok(unsafe { clReleaseEvent(event) });
    }
}

const STEP: &std::ffi::CStr = c"kernel void step(global int *x, int by) {
    x[get_global_id(0)] = x[get_global_id(0)] * 3 + by;
}";

/// Each step sees the one before, on the other device, and no call waits for the gate.
#[test]
fn buffers_follow_commands_in_the_order_of_events() {
    for properties in [0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE] {
        let Some(pair) = Pair::new(properties) else { return };
        for count in [1000, 1_000_000] {
            let mut data: Vec<i32> = (0..count).collect();
            let buffer = pair.buffer(&data);
            let step = pair.kernel(STEP, c"step");
            set(step, 0, &buffer);
            // SAFETY: no pointers but the code.
            let gate = created(|e| unsafe { clCreateUserEvent(pair.context, e) });
            let mut events = vec![gate];
            for turn in 0..6 {
                set(step, 1, &turn);
                let last = events[events.len() - 1];
                events.push(pair.launch(turn as usize % 2, step, &[data.len()], &[last]));
                data.iter_mut().for_each(|x| *x = x.wrapping_mul(3).wrapping_add(turn));
            }
            let waits = number(|size, value, ret| {
                let name = CL_EVENT_COMMAND_EXECUTION_STATUS;
                // SAFETY: as much room as the size says.
                unsafe { clGetEventInfo(events[6], name, size, value, ret) }
            });
            assert!(waits > CL_COMPLETE as u32 && waits < u32::MAX / 2, "nothing has begun");
            // SAFETY: the event is the test's.
            ok(unsafe { clSetUserEventStatus(gate, CL_COMPLETE) });
            // Both devices have the end.
            for on in [0, 1] {
                assert_eq!(pair.contents(on, buffer, data.len(), &events[6..]), data);
            }
            release_events(&events);
            // SAFETY: the handles are the test's.
            unsafe {
                ok(clReleaseKernel(step));
                ok(clReleaseMemObject(buffer));
            }
        }
    }
}

/// What a command waits for has failed: it and all that follow fail, and nothing hangs.
#[test]
fn a_failed_event_ends_the_moves_behind_it() {
    let Some(pair) = Pair::new(0) else { return };
    let buffer = pair.buffer(&[1, 2, 3]);
    let step = pair.kernel(STEP, c"step");
    set(step, 0, &buffer);
    set(step, 1, &1);
    // SAFETY: no pointers but the code.
    let gate = created(|e| unsafe { clCreateUserEvent(pair.context, e) });
    let first = pair.launch(1, step, &[3], &[gate]);
    let second = pair.launch(0, step, &[3], &[first]);
    // SAFETY: the events are the test's.
    unsafe {
        ok(clSetUserEventStatus(gate, -7));
        assert_eq!(clWaitForEvents(1, &raw const second), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        ok(clReleaseKernel(step));
        ok(clReleaseMemObject(buffer));
    }
    release_events(&[gate, first, second]);
}

/// Parts of a buffer move with it, and what replaces all of it needs nothing of what was there.
#[test]
fn parts_follow_and_whole_contents_are_replaced() {
    let Some(pair) = Pair::new(0) else { return };
    let buffer = pair.buffer(&vec![5; 2048]);
    let region = cl_buffer_region { origin: 4096, size: 4096 };
    let kind = CL_BUFFER_CREATE_TYPE_REGION;
    // SAFETY: one region.
    let part = created(|e| unsafe { clCreateSubBuffer(buffer, 0, kind, (&raw const region).cast(), e) });
    let step = pair.kernel(STEP, c"step");
    set(step, 0, &part);
    set(step, 1, &2);
    let first = pair.launch(1, step, &[1024], &[]);
    let mut expected = vec![5; 2048];
    expected[1024..].fill(17);
    assert_eq!(pair.contents(0, buffer, 2048, &[first]), expected);
    // SAFETY: a pattern of four bytes; one object; the events are the test's.
    unsafe {
        let (pattern, mut filled, mut moved) = (9, null_mut(), null_mut());
        let (fill, queue) = ((&raw const pattern).cast(), pair.queues[1]);
        ok(clEnqueueFillBuffer(queue, buffer, fill, 4, 0, 8192, 0, null(), &raw mut filled));
        let list = &raw const filled;
        ok(clEnqueueMigrateMemObjects(pair.queues[0], 1, &raw const buffer, 0, 1, list, &raw mut moved));
        assert_eq!(pair.contents(0, buffer, 2048, &[moved]), vec![9; 2048]);
        release_events(&[first, filled, moved]);
        ok(clReleaseKernel(step));
        ok(clReleaseMemObject(part));
        ok(clReleaseMemObject(buffer));
    }
}

/// An image goes from device to device as a buffer does.
#[test]
fn images_follow_commands() {
    let Some(pair) = Pair::new(0) else { return };
    let [width, height] = [33usize, 7];
    let mut data: Vec<i32> = (0..(width * height) as i32).collect();
    let format = cl_image_format { image_channel_order: CL_R, image_channel_data_type: CL_SIGNED_INT32 };
    let description = image_2d(width, height);
    let (context, shape) = (pair.context, &raw const description);
    let images = [0, 1].map(|_| {
        let (flags, host) = (CL_MEM_COPY_HOST_PTR, data.as_mut_ptr().cast());
        // SAFETY: the host's memory has all pixels.
        created(|e| unsafe { clCreateImage(context, flags, &raw const format, shape, host, e) })
    });
    let step = pair.kernel(
        c"kernel void step(read_only image2d_t from, write_only image2d_t to) {
            int2 at = (int2)(get_global_id(0), get_global_id(1));
            write_imagei(to, at, read_imagei(from, at) * 3 + at.x);
        }",
        c"step",
    );
    let mut events: Vec<cl_event> = Vec::new();
    for turn in 0..4 {
        set(step, 0, &images[turn % 2]);
        set(step, 1, &images[1 - turn % 2]);
        let waits = events.last().copied().into_iter().collect::<Vec<_>>();
        events.push(pair.launch(turn % 2, step, &[width, height], &waits));
        data.iter_mut().enumerate().for_each(|(at, x)| *x = *x * 3 + (at % width) as i32);
    }
    let mut found = vec![0; data.len()];
    let (origin, region) = ([0usize; 3], [width, height, 1]);
    // SAFETY: as much room as all pixels need; the read blocks. The handles are the test's.
    unsafe {
        let (origin, region, place) = (origin.as_ptr(), region.as_ptr(), found.as_mut_ptr().cast());
        let (queue, last) = (pair.queues[0], &raw const events[3]);
        let none = null_mut();
        ok(clEnqueueReadImage(queue, images[0], CL_TRUE, origin, region, 0, 0, place, 1, last, none));
        for image in images {
            ok(clReleaseMemObject(image));
        }
        ok(clReleaseKernel(step));
    }
    assert_eq!(found, data);
    release_events(&events);
}
