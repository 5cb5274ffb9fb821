//! Unified SVM (`cl_khr_unified_svm`).

use crate::c::*;
use crate::extensions::*;
use opencl_sys::*;
use std::ffi::c_void;
use std::ptr::{null, null_mut};

const LARGEST: u32 = u32::MAX;

/// What the device can do with each type; `None` if it lacks the extension.
fn types(session: &Session) -> Option<Vec<u64>> {
    let (mut types, mut size) = ([0u64; 64], 0);
    let name = CL_DEVICE_SVM_TYPE_CAPABILITIES_KHR;
    let room = size_of_val(&types);
    // SAFETY: as much room as the size says.
    let status =
        unsafe { clGetDeviceInfo(session.device, name, room, types.as_mut_ptr().cast(), &raw mut size) };
    let extensions = text(|size, value, ret| {
        // SAFETY: as much room as the size says.
        unsafe { clGetDeviceInfo(session.device, CL_DEVICE_EXTENSIONS, size, value, ret) }
    });
    assert_eq!(status == CL_SUCCESS, extensions.split(' ').any(|name| name == "cl_khr_unified_svm"));
    if status != CL_SUCCESS {
        eprintln!("the device lacks unified SVM: not tested");
        return None;
    }
    let types = types[..size / 8].to_vec();
    assert!(types.iter().any(|&bits| bits != 0));
    Some(types)
}

fn info<T: Copy>(session: &Session, pointer: *const c_void, name: u32) -> T {
    let bytes = answer(|size, value, ret| {
        // SAFETY: as much room as the size says.
        unsafe { clGetSVMPointerInfoKHR(session.context, session.device, pointer, name, size, value, ret) }
    });
    assert_eq!(bytes.len(), size_of::<T>());
    // SAFETY: as many bytes, and all bytes make a number or a pointer.
    unsafe { bytes.as_ptr().cast::<T>().read_unaligned() }
}

/// The index that is suggested for capabilities.
fn suggested(session: &Session, required: u64, desired: u64, list: &[u64]) -> u32 {
    let mut index = 77;
    // SAFETY: a zero ends the list.
    ok(unsafe {
        clGetSVMSuggestedTypeIndexKHR(session.context, required, desired, list.as_ptr(), 64, &raw mut index)
    });
    index
}

const FOLLOW: &str = "
kernel void follow(global ulong *place, int more)
{
    global int *to = (global int *)place[0];
    to[1] = to[0] + more;
}";

/// Memory of every type works as its capabilities say.
#[test]
fn memory_of_every_type_does_what_its_capabilities_say() {
    let session = Session::new();
    let Some(types) = types(&session) else { return };
    let program = session.built(FOLLOW);
    let kernel = session.kernel(program, c"follow");
    let (context, queue) = (session.context, session.queue);
    let name = CL_KERNEL_EXEC_INFO_SVM_INDIRECT_ACCESS_KHR;
    // SAFETY: sizes are those of the memory; the host uses it while no command does.
    unsafe {
        let yes = CL_TRUE;
        ok(clSetKernelExecInfo(kernel, name, 4, (&raw const yes).cast()));
        for (index, &bits) in (0u32..).zip(&types) {
            let list = [
                CL_SVM_ALLOC_ASSOCIATED_DEVICE_HANDLE_KHR,
                session.device as u64,
                CL_SVM_ALLOC_ALIGNMENT_KHR,
                64,
                0,
            ];
            if bits == 0 {
                let code = refused(|e| clSVMAllocWithPropertiesKHR(context, list.as_ptr(), index, 64, e));
                assert_eq!(code, CL_INVALID_OPERATION);
                continue;
            }
            let has = |bit| bits & bit != 0;
            let memory = created(|e| clSVMAllocWithPropertiesKHR(context, list.as_ptr(), index, 4096, e));
            let place = created(|e| clSVMAllocWithPropertiesKHR(context, list.as_ptr(), index, 8, e));
            let inside = memory.byte_add(100);
            assert_eq!(info::<u32>(&session, inside, CL_SVM_INFO_TYPE_INDEX_KHR), index);
            assert_eq!(info::<u64>(&session, inside, CL_SVM_INFO_CAPABILITIES_KHR), bits);
            assert_eq!(info::<*mut c_void>(&session, inside, CL_SVM_INFO_BASE_PTR_KHR), memory);
            assert_eq!(info::<usize>(&session, inside, CL_SVM_INFO_SIZE_KHR), 4096);
            assert_eq!(info::<[u64; 5]>(&session, inside, CL_SVM_INFO_PROPERTIES_KHR), list);
            let owner = CL_SVM_INFO_ASSOCIATED_DEVICE_HANDLE_KHR;
            assert_eq!(info::<cl_device_id>(&session, inside, owner), session.device);
            let copy = |to: *mut c_void, from: *const c_void, size| {
                ok(clEnqueueSVMMemcpy(queue, CL_TRUE, to, from, size, 0, null(), null_mut()));
            };
            let (numbers, address) = ([40 + index as i32, 0], [memory]);
            copy(memory, numbers.as_ptr().cast(), 8);
            copy(place, address.as_ptr().cast(), 8);
            ok(clSetKernelArgSVMPointer(kernel, 0, place));
            set(kernel, 1, &2i32);
            ok(session.launch(kernel, 1));
            let mut seen = [0i32; 2];
            copy(seen.as_mut_ptr().cast(), memory, 8);
            assert_eq!(seen, [40 + index as i32, 42 + index as i32], "type {index}");
            if has(CL_SVM_CAPABILITY_HOST_READ_KHR) && has(CL_SVM_CAPABILITY_HOST_WRITE_KHR) {
                memory.cast::<i32>().write(1000);
                ok(session.launch(kernel, 1));
                ok(clFinish(queue));
                assert_eq!(memory.cast::<i32>().add(1).read(), 1002);
            }
            let flags = CL_MAP_READ;
            let mapped = clEnqueueSVMMap(queue, CL_TRUE, flags, memory, 8, 0, null(), null_mut());
            if has(CL_SVM_CAPABILITY_HOST_MAP_KHR) {
                ok(mapped);
                assert!(memory.cast::<i32>().add(1).read() > 41);
                ok(clEnqueueSVMUnmap(queue, memory, 0, null(), null_mut()));
                ok(clFinish(queue));
            } else {
                assert_eq!(mapped, CL_INVALID_VALUE);
            }
            // The first that can do as much.
            let first = types.iter().position(|other| other & bits == bits).unwrap();
            assert_eq!(suggested(&session, bits, 0, &[list[0], list[1], 0]), first as u32);
            ok(clSVMFreeWithPropertiesKHR(context, null(), 0, memory));
            assert_eq!(clSVMFreeWithPropertiesKHR(context, null(), 0, memory), CL_INVALID_VALUE);
            clSVMFree(context, place);
            assert_eq!(info::<u32>(&session, place, CL_SVM_INFO_TYPE_INDEX_KHR), LARGEST, "it is freed");
        }
        ok(clReleaseKernel(kernel));
        ok(clReleaseProgram(program));
    }
}

#[test]
fn wrong_types_properties_and_pointers_are_refused() {
    let session = Session::new();
    let Some(types) = types(&session) else { return };
    let context = session.context;
    let device = (0u32..).zip(&types).find(|(_, bits)| **bits & CL_SVM_CAPABILITY_DEVICE_OWNED_KHR != 0);
    let index = device.expect("device memory needs only addresses").0;
    let make = |list: &[u64], index, size| {
        let mut status = 1;
        // SAFETY: a zero ends the list.
        let memory =
            unsafe { clSVMAllocWithPropertiesKHR(context, list.as_ptr(), index, size, &raw mut status) };
        assert!(memory.is_null());
        status
    };
    let owner = [CL_SVM_ALLOC_ASSOCIATED_DEVICE_HANDLE_KHR, session.device as u64];
    assert_eq!(make(&[owner[0], owner[1], 0], index, 0), CL_SUCCESS, "no bytes are a null pointer");
    assert_eq!(make(&[owner[0], owner[1], 0], types.len() as u32, 64), CL_INVALID_VALUE);
    assert_eq!(make(&[owner[0], 4096, 0], index, 64), CL_INVALID_DEVICE);
    assert_eq!(make(&[0], index, 64), CL_INVALID_DEVICE, "it belongs to a device");
    assert_eq!(make(&[owner[0], owner[1], owner[0], owner[1], 0], index, 64), CL_INVALID_PROPERTY);
    assert_eq!(make(&[owner[0], owner[1], 7, 7, 0], index, 64), CL_INVALID_PROPERTY);
    let access = CL_SVM_ALLOC_ACCESS_FLAGS_KHR;
    assert_eq!(make(&[owner[0], owner[1], access, 1 << 20, 0], index, 64), CL_INVALID_PROPERTY);
    let alignment = CL_SVM_ALLOC_ALIGNMENT_KHR;
    assert_eq!(make(&[owner[0], owner[1], alignment, 3, 0], index, 64), CL_INVALID_VALUE);
    assert_eq!(suggested(&session, 1 << 40, 0, &[0]), LARGEST);
    let stranger = 1i32;
    let pointer: *const c_void = (&raw const stranger).cast();
    assert_eq!(info::<u32>(&session, pointer, CL_SVM_INFO_TYPE_INDEX_KHR), LARGEST);
    assert_eq!(info::<u64>(&session, pointer, CL_SVM_INFO_CAPABILITIES_KHR), 0);
    assert_eq!(info::<usize>(&session, pointer, CL_SVM_INFO_SIZE_KHR), 0);
    // SAFETY: the pointers are looked up.
    unsafe {
        ok(clSVMFreeWithPropertiesKHR(context, null(), 0, null_mut()));
        assert_eq!(clSVMFreeWithPropertiesKHR(context, null(), 0, pointer.cast_mut()), CL_INVALID_VALUE);
        assert_eq!(clSVMFreeWithPropertiesKHR(context, null(), 1, null_mut()), CL_INVALID_VALUE);
        let none = null_mut();
        assert_eq!(clGetSVMSuggestedTypeIndexKHR(context, 0, 0, null(), 64, none), CL_INVALID_VALUE);
    }
}
