//! Buffers, parts of buffers, and maps.

use crate::c::*;
use opencl_sys::*;
use std::ffi::c_void;
use std::process::Command;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicUsize, Ordering};

#[test]
fn wrong_buffers_are_refused() {
    let session = Session::new();
    let mut host = [0u8; 16];
    let pointer: *mut c_void = host.as_mut_ptr().cast();
    // SAFETY: 16 bytes of host memory at most.
    let code =
        |flags, size, host| refused(|e| unsafe { clCreateBuffer(session.context, flags, size, host, e) });
    assert_eq!(code(CL_MEM_READ_WRITE, 0, null_mut()), CL_INVALID_BUFFER_SIZE);
    assert_eq!(code(CL_MEM_READ_WRITE, usize::MAX, null_mut()), CL_INVALID_BUFFER_SIZE);
    assert_eq!(code(CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 16, null_mut()), CL_INVALID_VALUE);
    assert_eq!(code(CL_MEM_USE_HOST_PTR, 16, null_mut()), CL_INVALID_HOST_PTR);
    assert_eq!(code(CL_MEM_READ_WRITE, 16, pointer), CL_INVALID_HOST_PTR);
    assert_eq!(code(1 << 40, 16, null_mut()), CL_INVALID_VALUE);
}

#[test]
fn a_part_of_a_buffer_is_its_memory() {
    let session = Session::new();
    let whole = session.buffer_of(&(0..128).collect::<Vec<i32>>());
    let part = |origin, size| {
        let region = cl_buffer_region { origin, size };
        move |e| {
            let info = (&raw const region).cast();
            // SAFETY: the region is one.
            unsafe { clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, info, e) }
        }
    };
    assert_eq!(refused(part(64, 64)), CL_MISALIGNED_SUB_BUFFER_OFFSET);
    assert_eq!(refused(part(256, 512)), CL_INVALID_VALUE);
    assert_eq!(refused(part(0, 0)), CL_INVALID_BUFFER_SIZE);
    let second = created(part(128, 256));
    let (pattern, from, to) = (-1i32, 4usize, 8usize);
    // SAFETY: the pattern has four bytes.
    unsafe {
        ok(clEnqueueFillBuffer(
            session.queue,
            second,
            (&raw const pattern).cast(),
            4,
            from,
            to,
            0,
            null(),
            null_mut(),
        ));
        let overlap = clEnqueueCopyBuffer(session.queue, whole, second, 128, 4, 16, 0, null(), null_mut());
        assert_eq!(overlap, CL_MEM_COPY_OVERLAP);
    }
    assert_eq!(session.contents(whole, 128)[31..37], [31, 32, -1, -1, 35, 36]);
    // SAFETY: the handles are the test's.
    unsafe {
        ok(clReleaseMemObject(whole));
        assert_eq!(session.contents(second, 2), [32, -1], "the part keeps the whole");
        ok(clReleaseMemObject(second));
    }
}

#[test]
fn what_is_written_to_a_map_arrives() {
    let session = Session::new();
    let buffer = session.buffer_of(&[1, 2, 3, 4]);
    let map = |flags, offset, size| {
        move |e| {
            // SAFETY: the pointers are null or valid.
            unsafe {
                let (queue, blocking) = (session.queue, CL_TRUE);
                clEnqueueMapBuffer(queue, buffer, blocking, flags, offset, size, 0, null(), null_mut(), e)
            }
        }
    };
    let session = &session;
    assert_eq!(refused(map(CL_MAP_READ, 8, 9)), CL_INVALID_VALUE);
    assert_eq!(refused(map(CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, 0, 4)), CL_INVALID_VALUE);
    let pointer = created(map(CL_MAP_READ | CL_MAP_WRITE, 4, 8));
    // SAFETY: eight bytes are mapped.
    unsafe {
        let mapped = pointer.cast::<[i32; 2]>();
        assert_eq!(mapped.read(), [2, 3]);
        mapped.write([20, 30]);
        let count =
            || number(|size, value, ret| clGetMemObjectInfo(buffer, CL_MEM_MAP_COUNT, size, value, ret));
        assert_eq!(count(), 1);
        let unmap = |pointer| clEnqueueUnmapMemObject(session.queue, buffer, pointer, 0, null(), null_mut());
        ok(unmap(pointer));
        assert_eq!(unmap(pointer), CL_INVALID_VALUE);
        assert_eq!(count(), 0);
        assert_eq!(session.contents(buffer, 4), [1, 20, 30, 4]);
        ok(clReleaseMemObject(buffer));
    }
}

#[test]
fn memory_of_the_application_is_what_maps_give() {
    let session = Session::new();
    let mut host = [7i32; 8];
    let flags = CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR;
    // SAFETY: the array lives longer than the buffer.
    unsafe {
        let start: *mut c_void = host.as_mut_ptr().cast();
        let buffer = created(|e| clCreateBuffer(session.context, flags, 32, start, e));
        let one = 1i32;
        ok(clEnqueueFillBuffer(
            session.queue,
            buffer,
            (&raw const one).cast(),
            4,
            16,
            16,
            0,
            null(),
            null_mut(),
        ));
        let (queue, place) = (session.queue, start.byte_add(12));
        let pointer = created(|e| {
            clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 12, 8, 0, null(), null_mut(), e)
        });
        assert_eq!(pointer, place);
        assert_eq!(pointer.cast::<[i32; 2]>().read(), [7, 1]);
        ok(clEnqueueUnmapMemObject(queue, buffer, pointer, 0, null(), null_mut()));
        ok(clFinish(queue));
        ok(clReleaseMemObject(buffer));
    }
}

/// A page of memory, which devices that share the host's memory use in place.
#[repr(align(4096))]
struct Page([i32; 1024]);

#[test]
fn pages_of_the_application_are_current_when_mapped() {
    let session = Session::new();
    let mut page = Box::new(Page([5; 1024]));
    let flags = CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR;
    let program =
        session.built("kernel void add(global int *a) { a[get_global_id(0)] += get_global_id(0); }");
    let kernel = session.kernel(program, c"add");
    let queue = session.queue;
    // SAFETY: the page lives longer than the buffer, and is accessed only while it is mapped.
    unsafe {
        let start: *mut c_void = page.0.as_mut_ptr().cast();
        let buffer = created(|e| clCreateBuffer(session.context, flags, 4096, start, e));
        set(kernel, 0, &buffer);
        ok(session.launch(kernel, 1024));
        let both = CL_MAP_READ | CL_MAP_WRITE;
        let map = |e| clEnqueueMapBuffer(queue, buffer, CL_TRUE, both, 0, 4096, 0, null(), null_mut(), e);
        assert_eq!(created(map), start);
        let expected: Vec<i32> = (5..1029).collect();
        assert_eq!(start.cast::<[i32; 1024]>().read(), expected[..]);
        start.cast::<i32>().add(7).write(-100);
        ok(clEnqueueUnmapMemObject(queue, buffer, start, 0, null(), null_mut()));
        ok(session.launch(kernel, 1024));
        // Reading a buffer to its own memory is allowed too.
        ok(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 4096, start, 0, null(), null_mut()));
        assert_eq!(start.cast::<i32>().add(7).read(), -93);
        assert_eq!(start.cast::<i32>().add(8).read(), 5 + 8 + 8);
        ok(clReleaseMemObject(buffer));
        ok(clReleaseKernel(kernel));
        ok(clReleaseProgram(program));
    }
}

/// Large enough for a device with its own memory to access the application's for transfers; at an odd
/// address.
#[test]
fn large_memory_of_the_application_is_current_when_mapped() {
    let session = Session::new();
    let flags = CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR;
    let program =
        session.built("kernel void add(global int *a) { a[get_global_id(0)] += get_global_id(0); }");
    let kernel = session.kernel(program, c"add");
    let (queue, count) = (session.queue, 700_000usize);
    let size = count * 4;
    for round in 0..2 {
        let mut host: Vec<i32> = (0..count as i32 + 5).map(|at| at * 3).collect();
        let mut expected = host.clone();
        // SAFETY: the vector lives longer than the buffer and the commands, and is accessed only while it is
        // mapped.
        unsafe {
            let start: *mut c_void = host.as_mut_ptr().add(1).cast();
            let buffer = created(|e| clCreateBuffer(session.context, flags, size, start, e));
            let other = session.buffer(CL_MEM_READ_WRITE, size);
            set(kernel, 0, &buffer);
            ok(session.launch(kernel, count));
            let both = CL_MAP_READ | CL_MAP_WRITE;
            let map = |e| clEnqueueMapBuffer(queue, buffer, CL_TRUE, both, 0, size, 0, null(), null_mut(), e);
            assert_eq!(created(map), start);
            start.cast::<i32>().add(7).write(-100);
            ok(clEnqueueUnmapMemObject(queue, buffer, start, 0, null(), null_mut()));
            ok(session.launch(kernel, count));
            let part = start.byte_add(400);
            ok(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 400, size - 400, part, 0, null(), null_mut()));
            for (at, value) in expected[1..=count].iter_mut().enumerate() {
                *value += at as i32 * if at < 100 { 1 } else { 2 };
            }
            expected[8] = -100;
            // It is the source of a command that finishes after the object is gone.
            ok(clEnqueueWriteBuffer(queue, other, CL_FALSE, 0, size, start, 0, null(), null_mut()));
            ok(clReleaseMemObject(buffer));
            assert!(session.contents(other, count) == expected[1..=count], "round {round}");
            ok(clReleaseMemObject(other));
        }
        assert!(host == expected, "round {round}");
    }
    // SAFETY: the objects are the test's.
    unsafe {
        ok(clReleaseKernel(kernel));
        ok(clReleaseProgram(program));
    }
}

#[test]
fn large_memory_of_the_application_is_current_where_everything_is_staged() {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["memory::large_memory_of_the_application_is_current_when_mapped", "--exact"])
        .env("CLVK_ALWAYS_STAGE", "1")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}

static DESTROYED: AtomicUsize = AtomicUsize::new(0);

unsafe extern "C" fn destroyed(_: cl_mem, order: *mut c_void) {
    DESTROYED.store(DESTROYED.load(Ordering::SeqCst) * 10 + order as usize, Ordering::SeqCst);
}

#[test]
fn destructors_are_called_last_first() {
    let session = Session::new();
    let buffer = session.buffer(CL_MEM_READ_WRITE, 16);
    // SAFETY: the data is a number that the function does not dereference.
    unsafe {
        ok(clSetMemObjectDestructorCallback(buffer, Some(destroyed), 3 as *mut c_void));
        ok(clSetMemObjectDestructorCallback(buffer, Some(destroyed), 2 as *mut c_void));
        assert_eq!(clSetMemObjectDestructorCallback(buffer, None, null_mut()), CL_INVALID_VALUE);
        assert_eq!(DESTROYED.load(Ordering::SeqCst), 0);
        ok(clReleaseMemObject(buffer));
    }
    assert_eq!(DESTROYED.load(Ordering::SeqCst), 23);
}
