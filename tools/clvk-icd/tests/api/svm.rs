//! Shared virtual memory.

use crate::c::*;
use opencl_sys::*;
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};

/// Whether the device has shared memory; a device without it must refuse it everywhere.
fn offered(session: &Session) -> bool {
    let capabilities = answer(|size, value, ret| {
        // SAFETY: as much room as the size says.
        unsafe { clGetDeviceInfo(session.device, CL_DEVICE_SVM_CAPABILITIES, size, value, ret) }
    });
    if u64::from_ne_bytes(capabilities.try_into().unwrap()) & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER != 0 {
        return true;
    }
    eprintln!("the device has no shared memory: only that it refuses some is tested");
    // SAFETY: no pointers.
    unsafe {
        assert!(clSVMAlloc(session.context, CL_MEM_READ_WRITE, 64, 0).is_null());
        clSVMFree(session.context, null_mut());
    }
    false
}

/// An element of a list that both host and device traverse.
#[repr(C)]
struct Element {
    next: *mut Element,
    value: i32,
}

const LIST: &str = "
typedef struct element { global struct element *next; int value; } element;
kernel void follow(global element *list, global int *sum)
{
    *sum = 0;
    for (; list; list = list->next) {
        *sum += list->value;
        list->value = -list->value;
    }
}";

#[test]
fn host_and_kernels_follow_the_same_pointers() {
    let session = Session::new();
    if !offered(&session) {
        return;
    }
    let (queue, context) = (session.queue, session.context);
    let program = session.built(LIST);
    let kernel = session.kernel(program, c"follow");
    // SAFETY: the memory is shared; it is mapped while the host uses it.
    unsafe {
        let elements: Vec<*mut Element> = (0..100)
            .map(|_| clSVMAlloc(context, CL_MEM_READ_WRITE, size_of::<Element>(), 0).cast())
            .collect();
        for (index, &element) in elements.iter().enumerate() {
            assert!(!element.is_null() && element.addr().is_multiple_of(128));
            let size = size_of::<Element>();
            ok(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, element.cast(), size, 0, null(), null_mut()));
            let next = elements.get(index + 1).copied().unwrap_or(null_mut());
            element.write(Element { next, value: index as i32 });
            ok(clEnqueueSVMUnmap(queue, element.cast(), 0, null(), null_mut()));
        }
        let sum = session.buffer_of(&[0]);
        ok(clSetKernelArgSVMPointer(kernel, 0, elements[0].cast()));
        set(kernel, 1, &sum);
        let size = size_of_val(&elements[..]);
        ok(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, size, elements.as_ptr().cast()));
        ok(session.launch(kernel, 1));
        assert_eq!(session.contents(sum, 1), [(0..100).sum::<i32>()]);
        for (index, &element) in elements.iter().enumerate() {
            ok(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, element.cast(), 16, 0, null(), null_mut()));
            assert_eq!((*element).value, -(index as i32));
            ok(clEnqueueSVMUnmap(queue, element.cast(), 0, null(), null_mut()));
        }
        ok(clFinish(queue));
        let stranger = 1i32;
        let pointer: *const c_void = (&raw const stranger).cast();
        assert_eq!(clSetKernelArgSVMPointer(kernel, 0, pointer), CL_INVALID_ARG_VALUE);
        elements.iter().for_each(|&element| clSVMFree(context, element.cast()));
        assert_ne!(session.launch(kernel, 1), CL_SUCCESS, "its argument is gone");
        ok(clReleaseMemObject(sum));
        ok(clReleaseKernel(kernel));
        ok(clReleaseProgram(program));
    }
}

/// A structure with pointers that host and kernel both follow, passed by value.
#[repr(C)]
struct Work {
    from: *const i32,
    count: u32,
    to: *mut i32,
}

const WORK: &str = "
struct work { global const int *from; uint count; global int *to; };
kernel void add(struct work work, int first)
{
    int sum = first;
    for (uint i = 0; i < work.count; i++)
        sum += work.from[i];
    *work.to = sum;
}";

#[test]
fn kernels_follow_the_pointers_of_a_structure_that_is_an_argument() {
    let session = Session::new();
    if !offered(&session) {
        return;
    }
    let (queue, context) = (session.queue, session.context);
    let program = session.built_for_version_three(WORK);
    let kernel = session.kernel(program, c"add");
    // SAFETY: the memory is shared; it is mapped while the host uses it.
    unsafe {
        let [from, to] = [256, 64].map(|size| clSVMAlloc(context, CL_MEM_READ_WRITE, size, 0).cast::<i32>());
        ok(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, from.cast(), 256, 0, null(), null_mut()));
        (0..64).for_each(|index| from.add(index as usize).write(index));
        ok(clEnqueueSVMUnmap(queue, from.cast(), 0, null(), null_mut()));
        ok(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, to.cast(), 64, 0, null(), null_mut()));
        (0..16).for_each(|index| to.add(index).write(-1));
        ok(clEnqueueSVMUnmap(queue, to.cast(), 0, null(), null_mut()));
        let both = [from, to];
        let size = size_of_val(&both);
        ok(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, size, both.as_ptr().cast()));
        set(kernel, 1, &1000i32);
        // From the middle of the memory to the middle of the other.
        set(kernel, 0, &Work { from: from.add(10), count: 20, to: to.add(3) });
        ok(session.launch(kernel, 1));
        // What was passed is what it was at the launch.
        set(kernel, 0, &Work { from, count: 64, to: to.add(4) });
        ok(session.launch(kernel, 1));
        ok(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, to.cast(), 64, 0, null(), null_mut()));
        let results: Vec<i32> = (0..6).map(|index| to.add(index).read()).collect();
        let (part, whole) = ((10..30).sum::<i32>() + 1000, (0..64).sum::<i32>() + 1000);
        assert_eq!(results, [-1, -1, -1, part, whole, -1]);
        ok(clEnqueueSVMUnmap(queue, to.cast(), 0, null(), null_mut()));
        ok(clFinish(queue));
        both.iter().for_each(|&memory| clSVMFree(context, memory.cast()));
        ok(clReleaseKernel(kernel));
        ok(clReleaseProgram(program));
    }
}

static FREED: AtomicUsize = AtomicUsize::new(0);

unsafe extern "C" fn freed(
    _: cl_command_queue,
    count: u32,
    pointers: *mut *mut c_void,
    context: *mut c_void,
) {
    FREED.store(count as usize, Ordering::SeqCst);
    for index in 0..count as usize {
        // SAFETY: as many pointers as it says, of the context.
        unsafe { clSVMFree(context.cast(), *pointers.add(index)) }
    }
}

#[test]
fn shared_memory_is_filled_copied_and_freed_in_order() {
    let session = Session::new();
    if !offered(&session) {
        return;
    }
    let (queue, context) = (session.queue, session.context);
    // SAFETY: sizes are those of the memory; blocking commands end before the host reads.
    unsafe {
        let [a, b] = [0, 1].map(|_| clSVMAlloc(context, CL_MEM_READ_WRITE, 4096, 64));
        let pattern = 0x0102_0304i32;
        let start: *const c_void = (&raw const pattern).cast();
        ok(clEnqueueSVMMemFill(queue, a, start, 4, 4096, 0, null(), null_mut()));
        assert_eq!(
            clEnqueueSVMMemFill(queue, a.byte_add(1), start, 4, 4, 0, null(), null_mut()),
            CL_INVALID_VALUE
        );
        ok(clEnqueueSVMMemcpy(queue, CL_FALSE, b, a, 4096, 0, null(), null_mut()));
        let mut host = [0i32; 4];
        let place: *mut c_void = host.as_mut_ptr().cast();
        ok(clEnqueueSVMMemcpy(queue, CL_TRUE, place, b.byte_add(4080), 16, 0, null(), null_mut()));
        assert_eq!(host, [pattern; 4]);
        place.cast::<[i32; 4]>().write([9; 4]);
        ok(clEnqueueSVMMemcpy(queue, CL_TRUE, a.byte_add(8), place, 16, 0, null(), null_mut()));
        ok(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, a, 32, 0, null(), null_mut()));
        assert_eq!(a.cast::<[i32; 8]>().read(), [pattern, pattern, 9, 9, 9, 9, pattern, pattern]);
        ok(clEnqueueSVMUnmap(queue, a, 0, null(), null_mut()));
        let overlap = clEnqueueSVMMemcpy(queue, CL_TRUE, a, a.byte_add(4), 16, 0, null(), null_mut());
        assert_eq!(overlap, CL_MEM_COPY_OVERLAP);
        assert_eq!(
            clEnqueueSVMMemcpy(queue, CL_TRUE, place, a.byte_add(4092), 16, 0, null(), null_mut()),
            CL_INVALID_VALUE
        );
        let mut list = [a, b];
        ok(clEnqueueSVMFree(queue, 2, list.as_mut_ptr(), Some(freed), context.cast(), 0, null(), null_mut()));
        ok(clFinish(queue));
        assert_eq!(FREED.load(Ordering::SeqCst), 2);
        assert_eq!(clEnqueueSVMUnmap(queue, a, 0, null(), null_mut()), CL_INVALID_VALUE, "it is freed");
    }
}

const TALK: &str = "
kernel void talk(global atomic_int *told, global atomic_int *started, global atomic_int *inside)
{
    atomic_fetch_add_explicit(started, 1, memory_order_relaxed, memory_scope_all_svm_devices);
    float value = 1;
    for (int i = 0; i < 20000; i++) {
        if (atomic_load_explicit(told, memory_order_acquire, memory_scope_all_svm_devices)) {
            if (i > 0)
                atomic_fetch_add_explicit(inside, 1, memory_order_relaxed, memory_scope_all_svm_devices);
            break;
        }
        for (int j = 0; j < 8; j++)
            value = sqrt(value + i);
    }
    if (value < 0)
        atomic_store(inside, -1000);
}";

/// The host sees what a running kernel tells it, and the kernel what the host answers.
#[test]
fn host_and_a_running_kernel_talk_through_fine_grained_memory() {
    let session = Session::new();
    if !offered(&session) {
        return;
    }
    let capabilities = answer(|size, value, ret| {
        // SAFETY: as much room as the size says.
        unsafe { clGetDeviceInfo(session.device, CL_DEVICE_SVM_CAPABILITIES, size, value, ret) }
    });
    let capabilities = u64::from_ne_bytes(capabilities.try_into().unwrap());
    let flags = CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS;
    // SAFETY: the memory is shared, and host and device access it only by atomic operations.
    unsafe {
        // Atomics without the fine grain mean nothing.
        assert!(clSVMAlloc(session.context, CL_MEM_SVM_ATOMICS, 64, 0).is_null());
        let memory: *mut AtomicI32 = clSVMAlloc(session.context, flags, 1024, 0).cast();
        let needed = CL_DEVICE_SVM_FINE_GRAIN_BUFFER | CL_DEVICE_SVM_ATOMICS;
        assert_eq!(!memory.is_null(), capabilities & needed == needed);
        if memory.is_null() {
            eprintln!("the device has no fine-grained memory: only that it refuses some is tested");
            return;
        }
        let program = session.built_for_version_three(TALK);
        let kernel = session.kernel(program, c"talk");
        let [told, started, inside] = [0, 64, 128].map(|index| &*memory.add(index));
        for (index, cell) in [told, started, inside].into_iter().enumerate() {
            // The host writes without a map.
            cell.store(0, Ordering::SeqCst);
            ok(clSetKernelArgSVMPointer(kernel, index as u32, std::ptr::from_ref(cell).cast()));
        }
        let (count, local) = (500usize, 1usize);
        let (size, group, none) = (&raw const count, &raw const local, null_mut());
        ok(clEnqueueNDRangeKernel(session.queue, kernel, 1, null(), size, group, 0, null(), none));
        ok(clFlush(session.queue));
        while started.load(Ordering::Acquire) == 0 {
            std::thread::yield_now();
        }
        assert!(started.load(Ordering::Acquire) < 500, "the kernel was done before the host could answer");
        told.store(1, Ordering::Release);
        // It counts with the kernel.
        for _ in 0..1000 {
            started.fetch_add(1, Ordering::Relaxed);
        }
        ok(clFinish(session.queue));
        assert!(inside.load(Ordering::SeqCst) > 0, "no work-item saw the answer while it ran");
        assert_eq!(started.load(Ordering::SeqCst), 1500);
        clSVMFree(session.context, memory.cast());
        ok(clReleaseKernel(kernel));
        ok(clReleaseProgram(program));
    }
}

/// Separate and nested maps; only those for writing change anything.
#[test]
fn parts_of_shared_memory_are_mapped_by_themselves() {
    let session = Session::new();
    if !offered(&session) {
        return;
    }
    let queue = session.queue;
    let map = |flags, place: *mut i32, count: usize| {
        // SAFETY: the memory is as large as is said.
        ok(unsafe { clEnqueueSVMMap(queue, CL_TRUE, flags, place.cast(), 4 * count, 0, null(), null_mut()) });
    };
    // SAFETY: as above.
    let unmap =
        |place: *mut i32| ok(unsafe { clEnqueueSVMUnmap(queue, place.cast(), 0, null(), null_mut()) });
    // SAFETY: the host accesses only what is mapped.
    unsafe {
        let memory: *mut i32 = clSVMAlloc(session.context, CL_MEM_READ_WRITE, 40_000, 0).cast();
        map(CL_MAP_WRITE_INVALIDATE_REGION, memory, 10_000);
        (0..10_000).for_each(|index| memory.add(index).write(index as i32));
        unmap(memory);
        let [low, high] = [memory.add(10), memory.add(9_000)];
        map(CL_MAP_READ | CL_MAP_WRITE, low, 5);
        map(CL_MAP_WRITE, high, 1_000);
        assert_eq!(
            [low.read(), low.add(4).read(), high.read(), high.add(999).read()],
            [10, 14, 9_000, 9_999]
        );
        low.write(-1);
        high.add(999).write(-2);
        unmap(low);
        unmap(high);
        // Kernels, and commands, see both; so does the host again.
        let mut found = vec![0i32; 10_000];
        let place: *mut c_void = found.as_mut_ptr().cast();
        ok(clEnqueueSVMMemcpy(queue, CL_TRUE, place, memory.cast(), 40_000, 0, null(), null_mut()));
        let mut expected: Vec<i32> = (0..10_000).collect();
        (expected[10], expected[9_999]) = (-1, -2);
        assert_eq!(found, expected);
        ok(clEnqueueSVMMemFill(queue, low.cast(), [7i32].as_ptr().cast(), 4, 8, 0, null(), null_mut()));
        map(CL_MAP_READ, memory, 10_000);
        assert_eq!([memory.add(9), low, low.add(1), low.add(2)].map(|place| place.read()), [9, 7, 7, 12]);
        unmap(memory);
        ok(clFinish(queue));
        clSVMFree(session.context, memory.cast());
    }
}

#[test]
fn a_buffer_of_shared_memory_is_that_memory() {
    let session = Session::new();
    if !offered(&session) {
        return;
    }
    let queue = session.queue;
    // SAFETY: the memory is freed after the buffer.
    unsafe {
        let memory = clSVMAlloc(session.context, CL_MEM_READ_WRITE, 256, 0);
        let flags = CL_MAP_WRITE_INVALIDATE_REGION;
        ok(clEnqueueSVMMap(queue, CL_TRUE, flags, memory, 256, 0, null(), null_mut()));
        memory.cast::<[i32; 64]>().write([3; 64]);
        ok(clEnqueueSVMUnmap(queue, memory, 0, null(), null_mut()));
        let flags = CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR;
        let buffer = created(|e| clCreateBuffer(session.context, flags, 128, memory.byte_add(128), e));
        let uses =
            number(|size, value, ret| clGetMemObjectInfo(buffer, CL_MEM_USES_SVM_POINTER, size, value, ret));
        assert_eq!(uses, CL_TRUE);
        let one = 1i32;
        ok(clEnqueueFillBuffer(queue, buffer, (&raw const one).cast(), 4, 4, 4, 0, null(), null_mut()));
        let pointer = created(|e| {
            clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 0, 12, 0, null(), null_mut(), e)
        });
        assert_eq!(pointer, memory.byte_add(128));
        assert_eq!(memory.cast::<i32>().add(32).cast::<[i32; 3]>().read(), [3, 1, 3]);
        ok(clEnqueueUnmapMemObject(queue, buffer, pointer, 0, null(), null_mut()));
        ok(clFinish(queue));
        ok(clReleaseMemObject(buffer));
        clSVMFree(session.context, memory);
    }
}
