//! Objects of every kind are made and released again and again: the memory of the process does not grow.
//!
//! A separate test binary, because it looks at the whole process. `CLVK_SOAK` sets the number of objects
//! (`docs/log/stress.md`).

#[path = "api/c.rs"]
#[expect(dead_code, reason = "shared with the other tests, which use all of it")]
mod c;

use c::*;
use opencl_sys::*;
use std::ptr::{null, null_mut};

/// Bytes by which the process may grow after the first tenth: what caches and the allocator keep.
const GROWTH: u64 = 8 << 20;

/// Bytes of the process in memory.
fn resident() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").expect("the test runs on Linux");
    let pages: u64 = text.split(' ').nth(1).and_then(|pages| pages.parse().ok()).expect("a number of pages");
    pages * 4096
}

/// Objects of a round.
const OBJECTS: u64 = 10;

fn round(session: &Session, program: cl_program, number: usize) {
    let (context, queue) = (session.context, session.queue);
    let buffer = session.buffer(CL_MEM_READ_WRITE, 512 + number % 4096);
    let pinned = session.buffer(CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, 4096);
    let region = cl_buffer_region { origin: 128, size: 256 };
    let info = (&raw const region).cast();
    let format = cl_image_format { image_channel_order: CL_RGBA, image_channel_data_type: CL_UNSIGNED_INT8 };
    // SAFETY: numbers and null pointers.
    let mut shape: cl_image_desc = unsafe { std::mem::zeroed() };
    (shape.image_type, shape.image_width, shape.image_height) = (CL_MEM_OBJECT_IMAGE2D, 16, 8);
    let word = number as u32;
    // SAFETY: the handles are made here, descriptions are whole, and the pattern has four bytes.
    unsafe {
        let part = created(|e| clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, info, e));
        let image = created(|e| {
            let (format, shape) = (&raw const format, &raw const shape);
            clCreateImage(context, CL_MEM_READ_WRITE, format, shape, null_mut(), e)
        });
        let sampler = created(|e| clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, e));
        let user = created(|e| clCreateUserEvent(context, e));
        let other = session.new_queue(0);
        let kernel = session.kernel(program, c"put");
        set(kernel, 0, &buffer);
        let (mut filled, pattern) = (null_mut(), (&raw const word).cast());
        ok(clEnqueueFillBuffer(other, part, pattern, 4, 0, 64, 1, &raw const user, &raw mut filled));
        let global = 16usize;
        let size = &raw const global;
        ok(clEnqueueNDRangeKernel(queue, kernel, 1, null(), size, null(), 1, &raw const filled, null_mut()));
        let (origin, extent) = ([0usize; 3], [16usize, 8, 1]);
        let (origin, extent) = (origin.as_ptr(), extent.as_ptr());
        ok(clEnqueueCopyBufferToImage(queue, pinned, image, 0, origin, extent, 0, null(), null_mut()));
        ok(clSetUserEventStatus(user, CL_COMPLETE));
        for memory in [part, buffer, pinned, image] {
            ok(clReleaseMemObject(memory));
        }
        ok(clReleaseSampler(sampler));
        ok(clReleaseKernel(kernel));
        ok(clReleaseEvent(user));
        ok(clReleaseEvent(filled));
        ok(clReleaseCommandQueue(other));
    }
    if number.is_multiple_of(500) {
        let again = session.built(&format!("kernel void put(global uint *a) {{ a[0] = {}; }}", number % 8));
        let inner = Session::new();
        // SAFETY: the handle is made here.
        unsafe {
            ok(clFinish(queue));
            ok(clReleaseProgram(again));
        }
        drop(inner);
    }
}

#[test]
fn memory_stays_flat() {
    let objects = std::env::var("CLVK_SOAK").map_or(20_000, |count| count.parse().expect("a number"));
    let rounds = (objects / OBJECTS) as usize;
    let session = Session::new();
    let program = session.built("kernel void put(global uint *a) { a[get_global_id(0)] = 1; }");
    let mut start = 0;
    for number in 0..rounds {
        if number == rounds / 10 {
            start = resident();
        }
        round(&session, program, number);
    }
    // SAFETY: the handles are the test's.
    unsafe {
        ok(clFinish(session.queue));
        ok(clReleaseProgram(program));
    }
    let end = resident();
    println!("{objects} objects: {} KiB, then {} KiB", start >> 10, end >> 10);
    assert!(end < start + GROWTH, "{start} bytes have become {end}");
}
