//! Memory shared by another user of Vulkan: here the runtime, with a device in its own instance.

use crate::c::*;
use crate::extensions::*;
use opencl_sys::*;
use std::os::fd::AsRawFd;
use std::ptr::{null, null_mut};
use vk_runtime::{
    Buffer, Command, CommandQueue, Device, DeviceOptions, Instance, InstanceOptions, MemoryHandle,
    QueueOptions,
};

const OPAQUE_FD: u64 = CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR as u64;
const DMA_BUF: u64 = CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR as u64;

fn offers(session: &Session) -> [bool; 2] {
    let extensions = text(|size, value, ret| {
        // SAFETY: as much room as the size says.
        unsafe { clGetDeviceInfo(session.device, CL_DEVICE_EXTENSIONS, size, value, ret) }
    });
    let has = |wanted: &str| extensions.split(' ').any(|name| name == wanted);
    let kinds = ["opaque_fd", "dma_buf"].map(|kind| has(&format!("cl_khr_external_memory_{kind}")));
    assert_eq!(has("cl_khr_external_memory"), kinds.contains(&true));
    kinds
}

/// The kinds of descriptor that the device lists.
fn offered(session: &Session) -> Vec<(u64, MemoryHandle)> {
    let kinds = [(OPAQUE_FD, MemoryHandle::OpaqueFd), (DMA_BUF, MemoryHandle::DmaBuf)];
    kinds.into_iter().zip(offers(session)).filter(|(_, offered)| *offered).map(|(kind, _)| kind).collect()
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
    // SAFETY: the properties end with a zero, and no pointer to host memory is given.
    unsafe { clCreateBufferWithProperties(session.context, properties.as_ptr(), flags, 64, null_mut(), e) }
}

#[test]
fn a_buffer_is_another_users() {
    let session = Session::new();
    for kind in offered(&session) {
        check_buffer(&session, kind);
    }
}

fn check_buffer(session: &Session, (name, handle): (u64, MemoryHandle)) {
    let expected: Vec<u8> =
        offered(session).iter().flat_map(|(name, _)| (*name as u32).to_ne_bytes()).collect();
    for list in [
        CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR,
        CL_DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR,
    ] {
        // SAFETY: as much room as the size says.
        let kinds =
            answer(|size, value, ret| unsafe { clGetDeviceInfo(session.device, list, size, value, ret) });
        assert_eq!(kinds, expected);
    }
    let other = other_user(session);
    let there = Buffer::shared(&other, 64, handle).unwrap();
    there.fill(20).unwrap();
    let theirs = CommandQueue::new(&other, QueueOptions::default());
    let shared = std::slice::from_ref(&there);
    theirs.enqueue(Command::release(&other, shared).unwrap(), &[]).unwrap().wait().unwrap();
    let descriptor = there.export().unwrap();
    let properties = [
        name,
        descriptor.as_raw_fd() as u64,
        CL_MEM_DEVICE_HANDLE_LIST_KHR,
        session.device as u64,
        CL_MEM_DEVICE_HANDLE_LIST_END_KHR,
        0,
    ];
    let here = created(|e| create(session, &properties, CL_MEM_READ_WRITE, e));
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

/// Another user's numbers are the pixels of an image here, and those of a kernel are numbers there.
#[test]
fn an_image_is_another_users() {
    let session = Session::new();
    for kind in offered(&session) {
        check_image(&session, kind);
    }
}

fn check_image(session: &Session, (name, handle): (u64, MemoryHandle)) {
    // Five pixels in rows of eight.
    const SIZE: u64 = 4 * 8 * 3;
    let other = other_user(session);
    let there = Buffer::shared(&other, SIZE, handle).unwrap();
    let before: Vec<u8> = (0..24u32).flat_map(|number| (100 + number).to_le_bytes()).collect();
    there.write(0, &before).unwrap();
    let theirs = CommandQueue::new(&other, QueueOptions::default());
    let shared = std::slice::from_ref(&there);
    theirs.enqueue(Command::release(&other, shared).unwrap(), &[]).unwrap().wait().unwrap();
    let descriptor = there.export().unwrap();
    let properties = [name, descriptor.as_raw_fd() as u64, 0];
    let image = created(|e| create_image(session, &properties, 0, 32, e));
    let associated = answer(|size, value, ret| {
        // SAFETY: as much room as the size says.
        unsafe { clGetMemObjectInfo(image, CL_MEM_ASSOCIATED_MEMOBJECT, size, value, ret) }
    });
    assert_eq!(associated, [0; size_of::<cl_mem>()]);
    let program = session.built(
        "kernel void add(read_only image2d_t from, write_only image2d_t to) {
             int2 at = (int2)(get_global_id(0), get_global_id(1));
             write_imageui(to, at, read_imageui(from, at) + 1000u * (1u + at.y));
         }",
    );
    let kernel = session.kernel(program, c"add");
    set(kernel, 0, &image);
    set(kernel, 1, &image);
    let size = [5usize, 3];
    // SAFETY: the lists have one element, and the sizes are two.
    unsafe {
        let (queue, none) = (session.queue, null_mut());
        ok(clEnqueueAcquireExternalMemObjectsKHR(queue, 1, &raw const image, 0, null(), none));
        ok(clEnqueueNDRangeKernel(queue, kernel, 2, null(), size.as_ptr(), null(), 0, null(), none));
        ok(clEnqueueReleaseExternalMemObjectsKHR(queue, 1, &raw const image, 0, null(), none));
        ok(clFinish(queue));
    }
    theirs.enqueue(Command::acquire(&other, shared).unwrap(), &[]).unwrap().wait().unwrap();
    let mut bytes = [0; SIZE as usize];
    there.read(0, &mut bytes).unwrap();
    for (index, word) in bytes.chunks_exact(4).enumerate() {
        let (x, y) = (index as u32 % 8, index as u32 / 8);
        let added = if x < 5 { 1000 * (1 + y) } else { 0 };
        assert_eq!(u32::from_le_bytes(word.try_into().unwrap()), 100 + index as u32 + added, "{x}, {y}");
    }
    let code = |properties: &[u64], flags, row| refused(|e| create_image(session, properties, flags, row, e));
    assert_eq!(code(&properties, CL_MEM_ALLOC_HOST_PTR, 32), CL_INVALID_VALUE);
    assert_eq!(code(&properties, 0, 16), CL_INVALID_IMAGE_DESCRIPTOR, "rows are longer");
    assert_eq!(code(&[name, u64::MAX, 0], 0, 32), CL_INVALID_VALUE, "not a descriptor");
    assert_eq!(code(&[name, properties[1], name, properties[1], 0], 0, 32), CL_INVALID_PROPERTY);
    // SAFETY: the handles are the test's.
    unsafe {
        ok(clReleaseKernel(kernel));
        ok(clReleaseProgram(program));
        ok(clReleaseMemObject(image));
    }
}

/// An image of 5 × 3 numbers, with this pitch in bytes.
fn create_image(session: &Session, properties: &[u64], flags: u64, row: usize, e: *mut Status) -> cl_mem {
    let format = cl_image_format { image_channel_order: CL_R, image_channel_data_type: CL_UNSIGNED_INT32 };
    let description = cl_image_desc { image_row_pitch: row, ..image_2d(5, 3) };
    let (context, list) = (session.context, properties.as_ptr());
    let (format, description) = (&raw const format, &raw const description);
    // SAFETY: the properties end with a zero, and no pointer to host memory is given.
    unsafe { clCreateImageWithProperties(context, list, flags, format, description, null_mut(), e) }
}

#[test]
fn wrong_properties_are_refused() {
    let session = Session::new();
    let code = |properties: &[u64], flags| refused(|e| create(&session, properties, flags, e));
    let file = std::fs::File::open("/dev/null").unwrap();
    let descriptor = file.as_raw_fd() as u64;
    let plain = session.buffer(CL_MEM_READ_WRITE, 64);
    let list = CL_MEM_DEVICE_HANDLE_LIST_KHR;
    assert_eq!(code(&[0x2062, descriptor, 0], 0), CL_INVALID_PROPERTY, "another kind of handle");
    assert_eq!(code(&[list, session.device as u64, 0, 0], 0), CL_INVALID_PROPERTY, "nothing is imported");
    assert_eq!(code(&[OPAQUE_FD, descriptor, list, 0, 0], 0), CL_INVALID_DEVICE, "no device");
    assert_eq!(code(&[OPAQUE_FD, descriptor, list, plain as u64, 0, 0], 0), CL_INVALID_DEVICE);
    assert_eq!(code(&[OPAQUE_FD, descriptor, OPAQUE_FD, descriptor, 0], 0), CL_INVALID_PROPERTY);
    assert_eq!(code(&[OPAQUE_FD, descriptor, 0], CL_MEM_ALLOC_HOST_PTR), CL_INVALID_OPERATION);
    if offers(&session)[0] {
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
