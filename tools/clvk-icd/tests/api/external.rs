//! Memory shared by another user of Vulkan: here the runtime, with a device in its own instance.

use crate::c::*;
use opencl_sys::*;
use std::os::fd::AsRawFd;
use std::ptr::{null, null_mut};
use vk_runtime::{
    Buffer, Command, CommandQueue, Device, DeviceOptions, Instance, InstanceOptions, QueueOptions,
};

unsafe extern "C" {
    fn clCreateBufferWithProperties(
        c: cl_context,
        p: *const u64,
        flags: u64,
        size: usize,
        host: *mut std::ffi::c_void,
        e: *mut Status,
    ) -> cl_mem;
    fn clEnqueueAcquireExternalMemObjectsKHR(
        q: cl_command_queue,
        n: u32,
        m: *const cl_mem,
        count: u32,
        w: *const cl_event,
        e: *mut cl_event,
    ) -> Status;
    fn clEnqueueReleaseExternalMemObjectsKHR(
        q: cl_command_queue,
        n: u32,
        m: *const cl_mem,
        count: u32,
        w: *const cl_event,
        e: *mut cl_event,
    ) -> Status;
}

const OPAQUE_FD: u64 = CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR as u64;

fn offers(session: &Session) -> bool {
    let extensions = text(|size, value, ret| {
        // SAFETY: as much room as the size says.
        unsafe { clGetDeviceInfo(session.device, CL_DEVICE_EXTENSIONS, size, value, ret) }
    });
    let has = |wanted: &str| extensions.split(' ').any(|name| name == wanted);
    assert_eq!(has("cl_khr_external_memory"), has("cl_khr_external_memory_opaque_fd"));
    has("cl_khr_external_memory")
}

/// The Vulkan device of a session, opened once more by another user.
pub fn other_user(session: &Session) -> Device {
    // SAFETY: as much room as the size says.
    let uuid = answer(|size, value, ret| unsafe {
        clGetDeviceInfo(session.device, CL_DEVICE_UUID_KHR, size, value, ret)
    });
    let devices = Instance::new(&InstanceOptions::default()).unwrap().devices().unwrap();
    let same =
        devices.into_iter().find(|info| info.facts().is_some_and(|facts| facts.device_uuid[..] == uuid));
    Device::new(&same.expect("the driver's devices are Vulkan's"), &DeviceOptions::default()).unwrap()
}

fn create(session: &Session, properties: &[u64], flags: u64, e: *mut Status) -> cl_mem {
    // SAFETY: a zero ends the properties, and there is no host memory.
    unsafe { clCreateBufferWithProperties(session.context, properties.as_ptr(), flags, 64, null_mut(), e) }
}

#[test]
fn a_buffer_is_another_users() {
    let session = Session::new();
    if !offers(&session) {
        return;
    }
    // SAFETY: as much room as the size says.
    let kinds = answer(|size, value, ret| unsafe {
        clGetDeviceInfo(session.device, CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR, size, value, ret)
    });
    assert_eq!(kinds, CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR.to_ne_bytes());
    let other = other_user(&session);
    let there = Buffer::shared(&other, 64).unwrap();
    there.fill(20).unwrap();
    let theirs = CommandQueue::new(&other, QueueOptions::default());
    let shared = std::slice::from_ref(&there);
    theirs.enqueue(Command::release(&other, shared).unwrap(), &[]).unwrap().wait().unwrap();
    let descriptor = there.export().unwrap();
    let properties = [
        OPAQUE_FD,
        descriptor.as_raw_fd() as u64,
        CL_MEM_DEVICE_HANDLE_LIST_KHR,
        session.device as u64,
        CL_MEM_DEVICE_HANDLE_LIST_END_KHR,
        0,
    ];
    let here = created(|e| create(&session, &properties, CL_MEM_READ_WRITE, e));
    drop(descriptor);
    let program =
        session.built("kernel void add(global int *x) { x[get_global_id(0)] += get_global_id(0); }");
    let kernel = session.kernel(program, c"add");
    set(kernel, 0, &here);
    let mut event = null_mut();
    // SAFETY: the lists have one element, and there is room for an event.
    unsafe {
        let queue = session.queue;
        ok(clEnqueueAcquireExternalMemObjectsKHR(queue, 1, &raw const here, 0, null(), &raw mut event));
        let kind = number(|size, value, ret| clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, size, value, ret));
        assert_eq!(kind, CL_COMMAND_ACQUIRE_EXTERNAL_MEM_OBJECTS_KHR);
        ok(session.launch(kernel, 16));
        ok(clEnqueueReleaseExternalMemObjectsKHR(queue, 1, &raw const here, 1, &raw const event, null_mut()));
        ok(clFinish(queue));
        let given = answer(|size, value, ret| clGetMemObjectInfo(here, CL_MEM_PROPERTIES, size, value, ret));
        let words: Vec<u8> = properties.iter().flat_map(|word| word.to_ne_bytes()).collect();
        assert_eq!(given, words);
    }
    theirs.enqueue(Command::acquire(&other, shared).unwrap(), &[]).unwrap().wait().unwrap();
    let mut bytes = [0; 64];
    there.read(0, &mut bytes).unwrap();
    let words: Vec<u32> =
        bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
    assert_eq!(words, (20..36).collect::<Vec<u32>>());
    // SAFETY: the handles are the test's.
    unsafe {
        ok(clReleaseEvent(event));
        ok(clReleaseKernel(kernel));
        ok(clReleaseProgram(program));
        ok(clReleaseMemObject(here));
    }
}

#[test]
fn wrong_properties_are_refused() {
    let session = Session::new();
    let code = |properties: &[u64], flags| refused(|e| create(&session, properties, flags, e));
    let file = std::fs::File::open("/dev/null").unwrap();
    let descriptor = file.as_raw_fd() as u64;
    let plain = session.buffer(CL_MEM_READ_WRITE, 64);
    let list = CL_MEM_DEVICE_HANDLE_LIST_KHR;
    assert_eq!(code(&[0x2061, descriptor, 0], 0), CL_INVALID_PROPERTY, "another kind of handle");
    assert_eq!(code(&[list, session.device as u64, 0, 0], 0), CL_INVALID_PROPERTY, "nothing is imported");
    assert_eq!(code(&[OPAQUE_FD, descriptor, list, 0, 0], 0), CL_INVALID_DEVICE, "no device");
    assert_eq!(code(&[OPAQUE_FD, descriptor, list, plain as u64, 0, 0], 0), CL_INVALID_DEVICE);
    assert_eq!(code(&[OPAQUE_FD, descriptor, OPAQUE_FD, descriptor, 0], 0), CL_INVALID_PROPERTY);
    assert_eq!(code(&[OPAQUE_FD, descriptor, 0], CL_MEM_ALLOC_HOST_PTR), CL_INVALID_OPERATION);
    if offers(&session) {
        assert_eq!(code(&[OPAQUE_FD, descriptor, 0], 0), CL_INVALID_VALUE, "not memory");
        assert_eq!(code(&[OPAQUE_FD, u64::from(u32::MAX), 0], 0), CL_INVALID_VALUE, "not a descriptor");
        assert_eq!(code(&[OPAQUE_FD, 0x7fff_fff0, 0], 0), CL_INVALID_VALUE, "not an open descriptor");
    } else {
        assert_eq!(code(&[OPAQUE_FD, descriptor, 0], 0), CL_INVALID_DEVICE);
    }
    let acquire = |count, objects| {
        // SAFETY: the list has as many elements, or is null.
        unsafe { clEnqueueAcquireExternalMemObjectsKHR(session.queue, count, objects, 0, null(), null_mut()) }
    };
    assert_eq!(acquire(1, &raw const plain), CL_INVALID_MEM_OBJECT);
    assert_eq!(acquire(0, &raw const plain), CL_INVALID_VALUE);
    assert_eq!(acquire(1, null()), CL_INVALID_VALUE);
    ok(acquire(0, null()));
    // SAFETY: the handle is the test's.
    ok(unsafe { clReleaseMemObject(plain) });
}
