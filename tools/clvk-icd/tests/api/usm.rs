//! Unified shared memory (`cl_intel_unified_shared_memory`).

use crate::c::*;
use crate::extensions::*;
use opencl_sys::*;
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::{Mutex, PoisonError};

macro_rules! functions {
    ($(fn $name:ident($($arg:ident: $ty:ty),* $(,)?) -> $result:ty;)*) => {
        unsafe extern "C" {
            $(fn $name($($arg: $ty),*) -> $result;)*
        }

        /// The functions of the extension.
        const FUNCTIONS: &[&str] = &[$(stringify!($name)),*];
    };
}

functions! {
    fn clHostMemAllocINTEL(c: cl_context, p: *const u64, size: usize, alignment: u32, e: *mut Status) -> *mut c_void;
    fn clDeviceMemAllocINTEL(c: cl_context, d: cl_device_id, p: *const u64, size: usize, alignment: u32, e: *mut Status) -> *mut c_void;
    fn clSharedMemAllocINTEL(c: cl_context, d: cl_device_id, p: *const u64, size: usize, alignment: u32, e: *mut Status) -> *mut c_void;
    fn clMemFreeINTEL(c: cl_context, p: *mut c_void) -> Status;
    fn clMemBlockingFreeINTEL(c: cl_context, p: *mut c_void) -> Status;
    fn clGetMemAllocInfoINTEL(c: cl_context, p: *const c_void, name: u32, size: usize, value: *mut c_void, ret: *mut usize) -> Status;
    fn clSetKernelArgMemPointerINTEL(k: cl_kernel, index: u32, p: *const c_void) -> Status;
    fn clEnqueueMemsetINTEL(q: cl_command_queue, p: *mut c_void, value: i32, size: usize, n: u32, w: *const cl_event, e: *mut cl_event) -> Status;
    fn clEnqueueMemFillINTEL(q: cl_command_queue, p: *mut c_void, pattern: *const c_void, length: usize, size: usize, n: u32, w: *const cl_event, e: *mut cl_event) -> Status;
    fn clEnqueueMemcpyINTEL(q: cl_command_queue, blocking: u32, to: *mut c_void, from: *const c_void, size: usize, n: u32, w: *const cl_event, e: *mut cl_event) -> Status;
    fn clEnqueueMigrateMemINTEL(q: cl_command_queue, p: *const c_void, size: usize, flags: u64, n: u32, w: *const cl_event, e: *mut cl_event) -> Status;
    fn clEnqueueMemAdviseINTEL(q: cl_command_queue, p: *const c_void, size: usize, advice: u32, n: u32, w: *const cl_event, e: *mut cl_event) -> Status;
}

/// What the device can do with a kind of memory; `None` if it lacks the extension.
fn capabilities(session: &Session, name: u32) -> Option<u64> {
    let mut value = 0u64;
    let place = (&raw mut value).cast();
    // SAFETY: room for eight bytes.
    let status = unsafe { clGetDeviceInfo(session.device, name, 8, place, null_mut()) };
    assert!([CL_SUCCESS, CL_INVALID_VALUE].contains(&status));
    (status == CL_SUCCESS).then_some(value)
}

/// Whether the device has the extension; a device without it must refuse it everywhere.
fn offered(session: &Session) -> bool {
    let extensions = text(|size, value, ret| {
        // SAFETY: as much room as the size says.
        unsafe { clGetDeviceInfo(session.device, CL_DEVICE_EXTENSIONS, size, value, ret) }
    });
    let listed = extensions.split(' ').any(|name| name == "cl_intel_unified_shared_memory");
    let device = capabilities(session, CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL);
    // Access to device memory is required (table of minimum capabilities).
    assert_eq!(device.is_some_and(|bits| bits & CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL != 0), listed);
    if !listed {
        eprintln!("the device has no unified shared memory: only that it refuses some is tested");
        let (context, device) = (session.context, session.device);
        // SAFETY: no properties.
        let code = refused(|e| unsafe { clDeviceMemAllocINTEL(context, device, null(), 64, 0, e) });
        assert_eq!(code, CL_INVALID_OPERATION);
    }
    listed
}

/// Whether the host can use host and shared memory.
fn shares(session: &Session) -> bool {
    let host = capabilities(session, CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL).unwrap_or(0) != 0;
    let single = CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL;
    let shared = capabilities(session, single).unwrap_or(0) != 0;
    assert_eq!(host, shared);
    if !host {
        eprintln!(
            "the device has no memory that it shares with the host: only that it refuses some is tested"
        );
        // SAFETY: no properties.
        unsafe {
            let code = refused(|e| clHostMemAllocINTEL(session.context, null(), 64, 0, e));
            assert_eq!(code, CL_INVALID_OPERATION);
            let code = refused(|e| clSharedMemAllocINTEL(session.context, session.device, null(), 64, 0, e));
            assert_eq!(code, CL_INVALID_OPERATION);
        }
    }
    host
}

impl Session {
    /// New device memory.
    fn device_memory(&self, size: usize) -> *mut i32 {
        // SAFETY: no properties.
        created(|e| unsafe { clDeviceMemAllocINTEL(self.context, self.device, null(), size, 0, e) }).cast()
    }

    fn free(&self, memory: *mut i32) {
        // SAFETY: it is looked up.
        ok(unsafe { clMemFreeINTEL(self.context, memory.cast()) });
    }

    /// Copies without waiting.
    fn copy(&self, to: *mut i32, from: *const i32, count: usize) {
        // SAFETY: as many numbers on both sides.
        ok(unsafe {
            clEnqueueMemcpyINTEL(
                self.queue,
                CL_FALSE,
                to.cast(),
                from.cast(),
                4 * count,
                0,
                null(),
                null_mut(),
            )
        });
    }

    /// The numbers at an address, after everything that was enqueued.
    fn numbers(&self, from: *const i32, count: usize) -> Vec<i32> {
        let mut data = vec![0; count];
        let to = data.as_mut_ptr().cast();
        // SAFETY: as many numbers on both sides.
        ok(unsafe {
            clEnqueueMemcpyINTEL(self.queue, CL_TRUE, to, from.cast(), 4 * count, 0, null(), null_mut())
        });
        data
    }
}

/// Sets an argument to an address.
fn point(kernel: cl_kernel, index: u32, pointer: *const i32) {
    // SAFETY: it is not followed.
    ok(unsafe { clSetKernelArgMemPointerINTEL(kernel, index, pointer.cast()) });
}

fn info<T: Copy>(session: &Session, pointer: *const i32, name: u32) -> T {
    let bytes = answer(|size, value, ret| {
        // SAFETY: as much room as the size says.
        unsafe { clGetMemAllocInfoINTEL(session.context, pointer.cast(), name, size, value, ret) }
    });
    assert_eq!(bytes.len(), size_of::<T>());
    // SAFETY: as many bytes, and all bytes make a number or a pointer.
    unsafe { bytes.as_ptr().cast::<T>().read_unaligned() }
}

#[test]
fn every_function_is_found_by_name() {
    for name in FUNCTIONS {
        let text = std::ffi::CString::new(*name).unwrap();
        let (mut platform, none) = (null_mut(), null_mut());
        // SAFETY: a text with a zero at its end.
        let address = unsafe {
            ok(clGetPlatformIDs(1, &raw mut platform, none));
            clGetExtensionFunctionAddressForPlatform(platform, text.as_ptr())
        };
        assert!(!address.is_null(), "{name}");
    }
}

#[test]
fn device_memory_is_filled_copied_and_known_by_any_address_in_it() {
    let session = Session::new();
    if !offered(&session) {
        return;
    }
    let [a, b] = [4096, 1000].map(|size| session.device_memory(size));
    // SAFETY: sizes are those of the memory.
    unsafe {
        let pattern = [1i32, 2];
        let start = pattern.as_ptr().cast();
        let fill = |to: *mut i32, length, size| {
            clEnqueueMemFillINTEL(session.queue, to.cast(), start, length, size, 0, null(), null_mut())
        };
        ok(fill(a, 8, 4096));
        ok(clEnqueueMemsetINTEL(session.queue, a.add(3).cast(), 0x101, 8, 0, null(), null_mut()));
        session.copy(b.add(1), a.add(2), 200);
        assert_eq!(session.numbers(b.add(1), 5), [1, 0x0101_0101, 0x0101_0101, 2, 1]);
        session.copy(b.add(2), [7, 8, 9].as_ptr(), 3);
        assert_eq!(session.numbers(b.add(1), 6), [1, 7, 8, 9, 1, 2]);
        // From host to host, in order too.
        let (mut host, source) = ([0; 2], [3, 4]);
        session.copy(host.as_mut_ptr(), source.as_ptr(), 2);
        ok(clFinish(session.queue));
        assert_eq!(host, source);
        assert_eq!(fill(a, 3, 3), CL_INVALID_VALUE);
        assert_eq!(fill(a.add(1), 8, 8), CL_INVALID_VALUE, "it is not aligned to the pattern");
        assert_eq!(fill(a, 8, 12), CL_INVALID_VALUE);
        assert_eq!(fill(b, 4, 1004), CL_INVALID_VALUE, "it is longer than the memory");
        assert_eq!(fill(null_mut(), 4, 4), CL_INVALID_VALUE);
        assert_eq!(fill(host.as_mut_ptr(), 4, 8), CL_INVALID_VALUE, "it is not such memory");
        let copy = |to: *mut i32, from: *const i32, size| {
            let (to, from) = (to.cast(), from.cast());
            clEnqueueMemcpyINTEL(session.queue, CL_TRUE, to, from, size, 0, null(), null_mut())
        };
        assert_eq!(copy(a.add(1), a, 8), CL_MEM_COPY_OVERLAP);
        assert_eq!(copy(a, null(), 8), CL_INVALID_VALUE);
        assert_eq!(copy(host.as_mut_ptr(), b.add(249), 8), CL_INVALID_VALUE, "it leaves the memory");
    }
    for pointer in [a, a.wrapping_add(500), a.wrapping_byte_add(4095)] {
        assert_eq!(info::<u32>(&session, pointer, CL_MEM_ALLOC_TYPE_INTEL), CL_MEM_TYPE_DEVICE_INTEL);
        assert_eq!(info::<*mut i32>(&session, pointer, CL_MEM_ALLOC_BASE_PTR_INTEL), a);
        assert_eq!(info::<usize>(&session, pointer, CL_MEM_ALLOC_SIZE_INTEL), 4096);
        assert_eq!(info::<cl_device_id>(&session, pointer, CL_MEM_ALLOC_DEVICE_INTEL), session.device);
        assert_eq!(info::<u64>(&session, pointer, CL_MEM_ALLOC_FLAGS_INTEL as u32), 0);
    }
    let stranger = 1;
    for pointer in [&raw const stranger, null()] {
        assert_eq!(info::<u32>(&session, pointer, CL_MEM_ALLOC_TYPE_INTEL), CL_MEM_TYPE_UNKNOWN_INTEL);
        assert!(info::<*mut i32>(&session, pointer, CL_MEM_ALLOC_BASE_PTR_INTEL).is_null());
        assert_eq!(info::<usize>(&session, pointer, CL_MEM_ALLOC_SIZE_INTEL), 0);
        assert!(info::<cl_device_id>(&session, pointer, CL_MEM_ALLOC_DEVICE_INTEL).is_null());
    }
    // SAFETY: pointers are looked up.
    unsafe {
        assert_eq!(clMemFreeINTEL(session.context, a.add(1).cast()), CL_INVALID_VALUE);
        assert_eq!(clMemBlockingFreeINTEL(session.context, a.add(1).cast()), CL_INVALID_VALUE);
        ok(clMemFreeINTEL(session.context, null_mut()));
        clSVMFree(session.context, a.cast());
        assert_eq!(info::<usize>(&session, a, CL_MEM_ALLOC_SIZE_INTEL), 4096, "it is not SVM");
        ok(clMemFreeINTEL(session.context, a.cast()));
        ok(clMemBlockingFreeINTEL(session.context, b.cast()));
        assert_eq!(clMemFreeINTEL(session.context, b.cast()), CL_INVALID_VALUE, "it is free already");
    }
    assert_eq!(info::<u32>(&session, a, CL_MEM_ALLOC_TYPE_INTEL), CL_MEM_TYPE_UNKNOWN_INTEL);
}

#[test]
fn allocations_are_refused_by_the_specification() {
    let session = Session::new();
    if !offered(&session) {
        return;
    }
    let (context, device) = (session.context, session.device);
    let make = |list: &[u64], size, alignment| {
        // SAFETY: a zero ends the list.
        refused(|e| unsafe { clDeviceMemAllocINTEL(context, device, list.as_ptr(), size, alignment, e) })
    };
    let flags = CL_MEM_ALLOC_FLAGS_INTEL;
    assert_eq!(make(&[0], 0, 0), CL_INVALID_BUFFER_SIZE);
    assert_eq!(make(&[0], usize::MAX, 0), CL_INVALID_BUFFER_SIZE);
    assert_eq!(make(&[0], 64, 3), CL_INVALID_VALUE);
    assert_eq!(make(&[0], 64, 256), CL_INVALID_VALUE);
    assert_eq!(make(&[flags + 1, 0, 0], 64, 0), CL_INVALID_PROPERTY);
    assert_eq!(make(&[flags, 0, flags, 0, 0], 64, 0), CL_INVALID_PROPERTY);
    assert_eq!(make(&[flags, CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL, 0], 64, 0), CL_INVALID_PROPERTY);
    assert_eq!(make(&[flags, 1 << 40, 0], 64, 0), CL_INVALID_PROPERTY);
    // SAFETY: the handle is looked up.
    let stranger = refused(|e| unsafe { clDeviceMemAllocINTEL(context, null_mut(), null(), 64, 0, e) });
    assert_eq!(stranger, CL_INVALID_DEVICE);
    let list = [flags, CL_MEM_ALLOC_WRITE_COMBINED_INTEL, 0];
    // SAFETY: a zero ends the list.
    let memory = created(|e| unsafe { clDeviceMemAllocINTEL(context, device, list.as_ptr(), 1, 128, e) });
    assert_eq!(info::<u64>(&session, memory.cast(), flags as u32), CL_MEM_ALLOC_WRITE_COMBINED_INTEL);
    assert_eq!(info::<usize>(&session, memory.cast(), CL_MEM_ALLOC_SIZE_INTEL), 1);
    session.free(memory.cast());
}

const STEPS: &str = "
kernel void add(global int *to, global const int *from, int more)
{
    size_t i = get_global_id(0);
    to[i] = from[i] + more;
}
kernel void through(global ulong *places)
{
    global int *to = (global int *)places[0], *from = (global int *)places[1];
    for (int i = 0; i < 64; i++)
        to[i] = from[i] + 1;
}
kernel void is_null(global int *given, global int *out)
{
    out[0] = given == 0;
}
kernel void slow(global ulong *places, int steps)
{
    global int *to = (global int *)places[0];
    int value = 1;
    for (int i = 0; i < steps; i++)
        value = value * 1664525 + 1013904223;
    to[get_global_id(0)] = value | 1;
}";

#[test]
fn kernels_take_pointers_into_the_middle_of_memory() {
    let session = Session::new();
    if !offered(&session) {
        return;
    }
    let program = session.built(STEPS);
    let (kernel, null_kernel) = (session.kernel(program, c"add"), session.kernel(program, c"is_null"));
    let memory = session.device_memory(4096);
    let source: Vec<i32> = (0..64).collect();
    session.copy(memory, source.as_ptr(), 64);
    // SAFETY: offsets are within the memory.
    let [middle, end] = unsafe { [memory.add(100), memory.add(1024)] };
    point(kernel, 0, middle);
    // SAFETY: as above.
    point(kernel, 1, unsafe { memory.add(10) });
    set(kernel, 2, &1000i32);
    ok(session.launch(kernel, 20));
    // The next launch depends on it.
    point(kernel, 0, middle);
    point(kernel, 1, middle);
    ok(session.launch(kernel, 10));
    let expected: Vec<i32> = (0..20).map(|i| i + 10 + if i < 10 { 2000 } else { 1000 }).collect();
    assert_eq!(session.numbers(middle, 20), expected);
    // Null, and the end of memory, are values like others.
    for (pointer, expected) in [(null(), 1), (end.cast_const(), 0)] {
        point(null_kernel, 0, pointer);
        point(null_kernel, 1, memory);
        ok(session.launch(null_kernel, 1));
        assert_eq!(session.numbers(memory, 1), [expected]);
    }
    // SAFETY: pointers are not followed.
    unsafe {
        assert_eq!(clSetKernelArgMemPointerINTEL(kernel, 3, null()), CL_INVALID_ARG_INDEX);
        assert_eq!(clSetKernelArgMemPointerINTEL(kernel, 2, null()), CL_INVALID_ARG_VALUE);
        session.free(memory);
        [kernel, null_kernel].into_iter().for_each(|kernel| ok(clReleaseKernel(kernel)));
        ok(clReleaseProgram(program));
    }
}

/// Declares that a kernel may access any memory of some kind.
fn reach(kernel: cl_kernel, name: u32, yes: u32) -> Status {
    // SAFETY: as many bytes as the size says.
    unsafe { clSetKernelExecInfo(kernel, name, 4, (&raw const yes).cast()) }
}

/// Launches that only memory connects run one after the other, also with copies and ordinary buffers between
/// them.
#[test]
fn launches_that_reach_memory_through_pointers_are_ordered() {
    let session = Session::new();
    if !offered(&session) {
        return;
    }
    let program = session.built(STEPS);
    let (kernel, add) = (session.kernel(program, c"through"), session.kernel(program, c"add"));
    let memory: Vec<*mut i32> = (0..9).map(|_| session.device_memory(256)).collect();
    let places: Vec<*mut i32> = (0..8).map(|_| session.device_memory(16)).collect();
    for (index, &place) in places.iter().enumerate() {
        // Each copies from the memory that the one before has written.
        let addresses = [memory[index + 1] as u64, memory[index] as u64];
        session.copy(place, addresses.as_ptr().cast(), 4);
        // SAFETY: the queue is the session's.
        ok(unsafe { clFinish(session.queue) });
    }
    let (start, list) = (vec![5; 64], [memory.clone(), places.clone()].concat());
    let listed = CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL;
    for by_list in [false, true] {
        if by_list {
            ok(reach(kernel, CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL, CL_FALSE));
            // SAFETY: as many pointers as the size says.
            ok(unsafe { clSetKernelExecInfo(kernel, listed, size_of_val(&list[..]), list.as_ptr().cast()) });
        } else {
            ok(reach(kernel, CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL, CL_TRUE));
        }
        for round in 0..20 {
            session.copy(memory[0], start.as_ptr(), 64);
            for &place in &places {
                point(kernel, 0, place);
                ok(session.launch(kernel, 1));
            }
            point(add, 0, memory[0]);
            point(add, 1, memory[8]);
            set(add, 2, &round);
            ok(session.launch(add, 64));
            assert_eq!(session.numbers(memory[0], 64), [13 + round; 64], "round {round}");
        }
    }
    // SAFETY: the handles are the test's.
    unsafe {
        list.into_iter().for_each(|memory| session.free(memory));
        [kernel, add].into_iter().for_each(|kernel| ok(clReleaseKernel(kernel)));
        ok(clReleaseProgram(program));
    }
}

#[test]
fn memory_lives_until_launches_that_may_reach_it_are_done() {
    let session = Session::new();
    if !offered(&session) {
        return;
    }
    let program = session.built(STEPS);
    let kernel = session.kernel(program, c"slow");
    ok(reach(kernel, CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL, CL_TRUE));
    let place = session.device_memory(8);
    for waits in [false, true] {
        for _ in 0..4 {
            let memory = session.device_memory(4 << 20);
            let address = [memory as u64];
            session.copy(place, address.as_ptr().cast(), 2);
            // SAFETY: the queue is the session's; memory is freed once.
            unsafe {
                ok(clFinish(session.queue));
                point(kernel, 0, place);
                set(kernel, 1, &10_000i32);
                let (count, mut event) = (20_000usize, null_mut());
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
                ok(clFlush(session.queue));
                if waits {
                    ok(clMemBlockingFreeINTEL(session.context, memory.cast()));
                    let name = CL_EVENT_COMMAND_EXECUTION_STATUS;
                    let status = number(|size, value, ret| clGetEventInfo(event, name, size, value, ret));
                    assert_eq!(status.cast_signed(), CL_COMPLETE);
                } else {
                    ok(clMemFreeINTEL(session.context, memory.cast()));
                }
                ok(clWaitForEvents(1, &raw const event));
                ok(clReleaseEvent(event));
            }
        }
    }
    // SAFETY: the handles are the test's.
    unsafe {
        session.free(place);
        ok(clReleaseKernel(kernel));
        ok(clReleaseProgram(program));
    }
}

#[test]
fn the_host_uses_host_and_shared_memory_in_place() {
    let session = Session::new();
    if !offered(&session) || !shares(&session) {
        return;
    }
    let program = session.built(STEPS);
    let (kernel, through) = (session.kernel(program, c"add"), session.kernel(program, c"through"));
    let (context, device) = (session.context, session.device);
    let list = [CL_MEM_ALLOC_FLAGS_INTEL, CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL, 0];
    // SAFETY: a zero ends the list; the host uses the memory while no command does.
    unsafe {
        let host: *mut i32 = created(|e| clHostMemAllocINTEL(context, null(), 1024, 16, e)).cast();
        let shared: *mut i32 =
            created(|e| clSharedMemAllocINTEL(context, device, list.as_ptr(), 1024, 0, e)).cast();
        let anywhere: *mut i32 =
            created(|e| clSharedMemAllocINTEL(context, null_mut(), null(), 1024, 0, e)).cast();
        let kind = |pointer: *mut i32| info::<u32>(&session, pointer, CL_MEM_ALLOC_TYPE_INTEL);
        assert_eq!(
            [host, shared, anywhere].map(kind),
            [CL_MEM_TYPE_HOST_INTEL, CL_MEM_TYPE_SHARED_INTEL, CL_MEM_TYPE_SHARED_INTEL]
        );
        let owner = |pointer: *mut i32| info::<cl_device_id>(&session, pointer, CL_MEM_ALLOC_DEVICE_INTEL);
        assert_eq!([host, shared, anywhere].map(owner), [null_mut(), device, null_mut()]);
        (0..256).for_each(|index| host.add(index).write(index as i32));
        point(kernel, 0, shared);
        point(kernel, 1, host.add(56));
        set(kernel, 2, &-56i32);
        ok(session.launch(kernel, 200));
        ok(clFinish(session.queue));
        let seen: Vec<i32> = (0..200).map(|index| shared.add(index).read()).collect();
        assert_eq!(seen, (0..200).collect::<Vec<i32>>());
        // Through pointers that the host has written.
        anywhere.cast::<[*mut i32; 2]>().write([host, shared]);
        for name in
            [CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL, CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL]
        {
            ok(reach(through, name, CL_TRUE));
        }
        point(through, 0, anywhere);
        ok(session.launch(through, 1));
        // A blocking copy sees it, though nothing tells that the launch writes that memory.
        let copied = session.numbers(host, 64);
        assert_eq!(copied, (1..65).collect::<Vec<i32>>());
        let migrate =
            |flags| clEnqueueMigrateMemINTEL(session.queue, shared.cast(), 64, flags, 0, null(), null_mut());
        ok(migrate(0));
        ok(migrate(CL_MIGRATE_MEM_OBJECT_HOST));
        assert_eq!(migrate(1 << 20), CL_INVALID_VALUE);
        let advise =
            |advice| clEnqueueMemAdviseINTEL(session.queue, shared.cast(), 64, advice, 0, null(), null_mut());
        ok(advise(0));
        assert_eq!(advise(7), CL_INVALID_VALUE);
        let both = [
            CL_MEM_ALLOC_FLAGS_INTEL,
            CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL | CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL,
            0,
        ];
        let code = refused(|e| clSharedMemAllocINTEL(context, device, both.as_ptr(), 64, 0, e));
        assert_eq!(code, CL_INVALID_PROPERTY);
        ok(clFinish(session.queue));
        [host, shared, anywhere].into_iter().for_each(|memory| session.free(memory));
        [kernel, through].into_iter().for_each(|kernel| ok(clReleaseKernel(kernel)));
        ok(clReleaseProgram(program));
    }
}

/// The time that this thread has had a processor, in seconds. Unlike time, it does not depend on what else
/// the machine does.
fn thread_time() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    text.split(' ').next().unwrap().parse::<f64>().unwrap() * 1e-9
}

/// The processor time that 200 launches that may reach all memory take of this thread, in seconds: the best
/// of some.
fn time_launches(session: &Session, kernel: cl_kernel) -> f64 {
    let times = (0..5).map(|_| {
        let start = thread_time();
        (0..200).for_each(|_| ok(session.launch(kernel, 64)));
        // SAFETY: the queue is the session's.
        ok(unsafe { clFinish(session.queue) });
        thread_time() - start
    });
    times.fold(f64::MAX, f64::min)
}

/// Robust mode has to know each range.
fn is_robust() -> bool {
    std::env::var_os("CLVK_ROBUST").is_some_and(|value| value == "1")
}

/// Held by tests with very many allocations. Two at a time leave gaps, and the allocator looks at each gap.
static MANY: Mutex<()> = Mutex::new(());

#[test]
fn launches_cost_the_same_whatever_number_of_allocations_there_is() {
    let _alone = MANY.lock().unwrap_or_else(PoisonError::into_inner);
    let session = Session::new();
    if !offered(&session) || is_robust() {
        return;
    }
    let program = session.built(STEPS);
    let kernel = session.kernel(program, c"add");
    let mut memory: Vec<*mut i32> = (0..10).map(|_| session.device_memory(256)).collect();
    ok(reach(kernel, CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL, CL_TRUE));
    point(kernel, 0, memory[0]);
    point(kernel, 1, memory[1]);
    set(kernel, 2, &1i32);
    let few = time_launches(&session, kernel);
    memory.extend((0..20_000).map(|_| session.device_memory(64)));
    let many = time_launches(&session, kernel);
    // A walk over all of them would take a hundred times longer.
    assert!(many < 4.0 * few + 0.01, "{few} s with 10 allocations, {many} s with {}", memory.len());
    // SAFETY: as many pointers as the size says; the handles are the test's.
    unsafe {
        let size = size_of_val(&memory[..]);
        ok(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL, size, memory.as_ptr().cast()));
        let listed = time_launches(&session, kernel);
        assert!(listed < 4.0 * few + 0.01, "{few} s with 10 allocations, {listed} s with a list of all");
        memory.into_iter().for_each(|memory| session.free(memory));
        ok(clReleaseKernel(kernel));
        ok(clReleaseProgram(program));
    }
}

/// A kernel reaches any of them by its address, and the driver knows each by any address in it.
#[test]
fn a_hundred_thousand_allocations_live_at_once() {
    let _alone = MANY.lock().unwrap_or_else(PoisonError::into_inner);
    let session = Session::new();
    if !offered(&session) || is_robust() {
        return;
    }
    let program = session.built(STEPS);
    let (add, through) = (session.kernel(program, c"add"), session.kernel(program, c"through"));
    let mut memory: Vec<*mut i32> = (0..10).map(|_| session.device_memory(256)).collect();
    (0..2).for_each(|index| point(add, index, memory[index as usize]));
    set(add, 2, &41i32);
    ok(reach(add, CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL, CL_TRUE));
    let few = time_launches(&session, add);
    memory.extend((10..100_000).map(|_| session.device_memory(256)));
    // `through` adds 1 to what is at the second place.
    let places = session.device_memory(16);
    let (from, to) = (memory[3], memory[99_998]);
    let (zeros, addresses) = ([0i32; 64], [to as u64, from as u64]);
    session.copy(from, zeros.as_ptr(), 64);
    session.copy(places, addresses.as_ptr().cast(), 4);
    ok(reach(through, CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL, CL_TRUE));
    point(through, 0, places);
    ok(session.launch(through, 1));
    // Its result is an argument of the next launch.
    point(add, 0, memory[50_000]);
    point(add, 1, to);
    ok(session.launch(add, 64));
    assert_eq!(session.numbers(memory[50_000], 64), [42; 64]);
    let times = [few, time_launches(&session, add)].map(|seconds| (seconds * 1e6 / 200.0).round());
    eprintln!("microseconds a launch with 10 allocations, and with 100,000: {times:?}");
    for base in [memory[0], memory[49_999], memory[99_999]] {
        assert_eq!(info::<*mut i32>(&session, base.wrapping_add(63), CL_MEM_ALLOC_BASE_PTR_INTEL), base);
    }
    memory.into_iter().chain([places]).for_each(|memory| session.free(memory));
    // SAFETY: the handles are the test's.
    unsafe {
        ok(clReleaseKernel(add));
        ok(clReleaseKernel(through));
        ok(clReleaseProgram(program));
    }
}
