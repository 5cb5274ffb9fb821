//! Semaphores shared with other users of Vulkan: another context, or the runtime with a device in its own
//! instance.

use crate::c::*;
use crate::extensions::*;
use crate::external::other_user;
use crate::semaphores::*;
use opencl_sys::*;
use std::os::fd::{AsRawFd, FromRawFd, IntoRawFd, OwnedFd};
use std::ptr::{null, null_mut};
use vk_runtime::{Buffer, Command, CommandQueue, MemoryHandle, QueueOptions, Semaphore, SemaphoreHandle};

const OPAQUE: u64 = CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR as u64;
const SYNC: u64 = CL_SEMAPHORE_HANDLE_SYNC_FD_KHR as u64;
const EXPORTS: u64 = CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR;

fn lists(session: &Session, wanted: &str) -> bool {
    let extensions = text(|size, value, ret| {
        // SAFETY: as much room as the size says.
        unsafe { clGetDeviceInfo(session.device, CL_DEVICE_EXTENSIONS, size, value, ret) }
    });
    extensions.split(' ').any(|name| name == wanted)
}

fn shares_opaque(session: &Session) -> bool {
    lists(session, "cl_khr_external_semaphore_opaque_fd")
}

fn shares_sync(session: &Session) -> bool {
    lists(session, "cl_khr_external_semaphore_sync_fd")
}

fn exportable(session: &Session, kind: u64) -> cl_semaphore_khr {
    created(|e| create(session, &[TYPE, BINARY, EXPORTS, kind, 0, 0], e))
}

/// A semaphore from a descriptor, which the driver owns afterwards.
fn imported(session: &Session, kind: u64, descriptor: i32) -> cl_semaphore_khr {
    created(|e| create(session, &[TYPE, BINARY, kind, descriptor as u64, 0], e))
}

/// Asks for a descriptor.
fn export(session: &Session, semaphore: cl_semaphore_khr, kind: u64) -> Result<i32, Status> {
    let (mut descriptor, mut size) = (-2i32, 0);
    let (room, place) = (size_of::<i32>(), (&raw mut descriptor).cast());
    // SAFETY: as much room as the size says.
    let status = unsafe {
        clGetSemaphoreHandleForTypeKHR(semaphore, session.device, kind as u32, room, place, &raw mut size)
    };
    if status != CL_SUCCESS {
        return Err(status);
    }
    assert_eq!(size, room);
    Ok(descriptor)
}

/// Whether a descriptor is open.
/// The same descriptor with a number that no test beside this one gets: new descriptors have the lowest.
fn with_high_number(descriptor: i32) -> i32 {
    // SAFETY: the export gave it to the test.
    let descriptor = unsafe { OwnedFd::from_raw_fd(descriptor) };
    rustix::io::fcntl_dupfd_cloexec(&descriptor, 500).unwrap().into_raw_fd()
}

fn is_open(descriptor: i32) -> bool {
    std::fs::exists(format!("/proc/self/fd/{descriptor}")).unwrap()
}

#[test]
fn two_contexts_share_a_semaphore() {
    let (here, there) = (Session::new(), Session::with(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE));
    if !shares_opaque(&here) {
        return;
    }
    let ours = exportable(&here, OPAQUE);
    let descriptor = with_high_number(export(&here, ours, OPAQUE).unwrap());
    let second = export(&here, ours, OPAQUE).unwrap();
    let theirs = imported(&there, OPAQUE, descriptor);
    assert!(!is_open(descriptor) && is_open(second), "the import takes its own descriptor");
    // SAFETY: the export gave it to the test.
    drop(unsafe { OwnedFd::from_raw_fd(second) });
    for gated in [false, true] {
        let gate = user_event(&here);
        let waits = if gated { std::slice::from_ref(&gate) } else { &[] };
        // There and back, by one semaphore. A wait must not get to the device before its signal.
        let a = signal(here.queue, &[ours], waits);
        let b = wait(there.queue, &[theirs], &[]);
        let c = signal(there.queue, &[theirs], &[b]);
        let d = wait(here.queue, &[ours], &[]);
        flush(here.queue);
        flush(there.queue);
        if gated {
            assert!([a, b, c, d].into_iter().all(|event| status(event) > CL_COMPLETE));
        }
        set_status(gate, CL_COMPLETE);
        for event in [a, b, c, d] {
            ok(wait_for(event));
        }
        release(&[gate, a, b, c, d], &[], &[], &[]);
    }
    release(&[], &[], &[ours], &[]);
    // The exporter may be gone.
    let a = signal(there.queue, &[theirs], &[]);
    let b = wait(there.queue, &[theirs], &[]);
    ok(wait_for(b));
    release(&[a, b], &[], &[theirs], &[]);
}

#[test]
fn another_user_of_vulkan_signals_and_waits() {
    const WORDS: usize = 1 << 20;
    let session = Session::new();
    if !shares_opaque(&session) || !lists(&session, "cl_khr_external_memory_opaque_fd") {
        return;
    }
    let other = other_user(&session);
    let kind = SemaphoreHandle::OpaqueFd;
    assert!(other.semaphore_handles().contains(&kind));
    let [filled, taken] = [0, 1].map(|_| Semaphore::exportable(&other, kind).unwrap());
    let [here_filled, here_taken] = [&filled, &taken].map(|semaphore| {
        let descriptor = semaphore.export(kind).unwrap().unwrap();
        imported(&session, OPAQUE, descriptor.into_raw_fd())
    });
    let size = 4 * WORDS as u64;
    let there = Buffer::shared(&other, size, MemoryHandle::OpaqueFd).unwrap();
    let memory = there.export().unwrap();
    let list = [u64::from(CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR), memory.as_raw_fd() as u64, 0];
    // SAFETY: a zero ends the list, and there is no host memory.
    let here = created(|e| unsafe {
        clCreateBufferWithProperties(session.context, list.as_ptr(), 0, size as usize, null_mut(), e)
    });
    let theirs = CommandQueue::new(&other, QueueOptions::default());
    let mut words = vec![0i32; WORDS];
    for round in 1..4 {
        // Enough to do that the reading would come too early without the semaphore.
        for step in 1..=10 {
            there.fill(10 * round + step).unwrap();
        }
        let shared = std::slice::from_ref(&there);
        theirs.enqueue(Command::release(&other, shared).unwrap(), &[]).unwrap();
        theirs.signal(std::slice::from_ref(&filled), &[]).unwrap();
        let a = wait(session.queue, &[here_filled], &[]);
        let mut read = null_mut();
        // SAFETY: the lists have one element, and there is room for the words and an event.
        unsafe {
            let queue = session.queue;
            ok(clEnqueueAcquireExternalMemObjectsKHR(queue, 1, &raw const here, 0, null(), null_mut()));
            let place = words.as_mut_ptr().cast();
            ok(clEnqueueReadBuffer(queue, here, CL_FALSE, 0, size as usize, place, 0, null(), &raw mut read));
        }
        let b = signal(session.queue, &[here_taken], &[]);
        theirs.wait_for_semaphores(std::slice::from_ref(&taken), &[]).unwrap().wait().unwrap();
        ok(wait_for(read));
        assert!(words.iter().all(|&word| word == 10 * round as i32 + 10), "round {round}");
        assert_eq!(status(b), CL_COMPLETE);
        release(&[a, b, read], &[], &[], &[]);
    }
    finish(session.queue);
    release(&[], &[here], &[here_filled, here_taken], &[]);
}

#[test]
fn a_failed_signal_does_not_block_the_device() {
    let (here, there) = (Session::new(), Session::new());
    if !shares_opaque(&here) {
        return;
    }
    let ours = exportable(&here, OPAQUE);
    // Nobody else has it yet, so this wait is for a signal of this side.
    let early = wait(here.queue, &[ours], &[]);
    flush(here.queue);
    assert_eq!(status(early), CL_QUEUED);
    let other = here.new_queue(0);
    let a = signal(other, &[ours], &[]);
    ok(wait_for(early));
    let theirs = imported(&there, OPAQUE, export(&here, ours, OPAQUE).unwrap());
    let gate = user_event(&here);
    let failing = signal(here.queue, &[ours], &[gate]);
    let b = wait(there.queue, &[theirs], &[]);
    let c = wait(other, &[ours], &[]);
    set_status(gate, -7);
    for event in [failing, b, c] {
        assert_eq!(wait_for(event), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    }
    finish(here.queue);
    finish(there.queue);
    release(&[early, a, gate, failing, b, c], &[], &[ours, theirs], &[other]);
}

#[test]
fn a_sync_file_is_one_signal() {
    let (here, there) = (Session::new(), Session::new());
    if !shares_sync(&here) {
        return;
    }
    let ours = exportable(&here, SYNC);
    assert_eq!(export(&here, ours, SYNC), Err(CL_INVALID_OPERATION), "there is no signal");
    let gate = user_event(&here);
    let a = signal(here.queue, &[ours], &[gate]);
    assert_eq!(export(&here, ours, SYNC), Err(CL_INVALID_OPERATION), "the signal is not submitted");
    set_status(gate, CL_COMPLETE);
    let theirs = imported(&there, SYNC, export(&here, ours, SYNC).unwrap());
    let b = wait(there.queue, &[theirs], &[]);
    ok(wait_for(b));
    // The export was a wait, so the semaphore can be signalled again, and this side can wait too.
    let c = signal(here.queue, &[ours], &[]);
    let d = wait(here.queue, &[ours], &[]);
    let e = signal(here.queue, &[ours], &[]);
    ok(wait_for(d));
    // The imported one has no signal any more.
    let f = wait(there.queue, &[theirs], &[]);
    flush(there.queue);
    assert_eq!(status(f), CL_QUEUED);
    let descriptor = export(&here, ours, SYNC).unwrap();
    // SAFETY: null is an empty list.
    unsafe {
        ok(clReImportSemaphoreSyncFdKHR(theirs, null(), descriptor));
        // As if the semaphore before was released.
        assert_eq!(wait_for(f), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        let g = wait(there.queue, &[theirs], &[]);
        ok(wait_for(g));
        ok(clReImportSemaphoreSyncFdKHR(theirs, [0].as_ptr(), -1));
        let h = wait(there.queue, &[theirs], &[]);
        ok(wait_for(h));
        assert_eq!(clReImportSemaphoreSyncFdKHR(theirs, [1, 1, 0].as_ptr(), -1), CL_INVALID_VALUE);
        assert_eq!(clReImportSemaphoreSyncFdKHR(theirs, null(), -2), CL_INVALID_VALUE);
        assert_eq!(clReImportSemaphoreSyncFdKHR(theirs, null(), 0x7fff_fff0), CL_INVALID_VALUE);
        assert_eq!(clReImportSemaphoreSyncFdKHR(ours, null(), -1), CL_INVALID_SEMAPHORE_KHR);
        release(&[g, h], &[], &[], &[]);
    }
    release(&[gate, a, b, c, d, e, f], &[], &[ours, theirs], &[]);
}

#[test]
fn the_handle_types_are_told() {
    let session = Session::new();
    let mut expected: Vec<u8> = Vec::new();
    for (has, kind) in [(shares_opaque(&session), OPAQUE), (shares_sync(&session), SYNC)] {
        if has {
            expected.extend((kind as u32).to_ne_bytes());
        }
    }
    assert_eq!(lists(&session, "cl_khr_external_semaphore"), !expected.is_empty());
    for name in [CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR, CL_DEVICE_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR] {
        // SAFETY: as much room as the size says.
        let ask = |size, value, ret| unsafe { clGetDeviceInfo(session.device, name, size, value, ret) };
        if expected.is_empty() {
            assert_eq!(ask(0, null_mut(), null_mut()), CL_INVALID_VALUE);
        } else {
            assert_eq!(answer(ask), expected);
        }
    }
    if !shares_opaque(&session) {
        return;
    }
    let plain = semaphore(&session);
    let shared = exportable(&session, OPAQUE);
    let query = |semaphore, name| {
        // SAFETY: as much room as the size says.
        answer(|size, value, ret| unsafe { clGetSemaphoreInfoKHR(semaphore, name, size, value, ret) })
    };
    assert_eq!(query(plain, CL_SEMAPHORE_EXPORTABLE_KHR), CL_FALSE.to_ne_bytes());
    assert_eq!(query(plain, EXPORTS as u32), [0u8; 0]);
    assert_eq!(query(shared, CL_SEMAPHORE_EXPORTABLE_KHR), CL_TRUE.to_ne_bytes());
    assert_eq!(query(shared, EXPORTS as u32), (OPAQUE as u32).to_ne_bytes());
    let given: Vec<u8> =
        [TYPE, BINARY, EXPORTS, OPAQUE, 0, 0].iter().flat_map(|word| word.to_ne_bytes()).collect();
    assert_eq!(query(shared, CL_SEMAPHORE_PROPERTIES_KHR), given);
    assert_eq!(query(shared, CL_SEMAPHORE_PAYLOAD_KHR), 0u64.to_ne_bytes());
    release(&[], &[], &[plain, shared], &[]);
}

#[test]
fn what_cannot_be_shared_is_refused() {
    let session = Session::new();
    let code =
        |properties: &[u64]| refused(|e| create(&session, &[&[TYPE, BINARY], properties, &[0]].concat(), e));
    let file = std::fs::File::open("/dev/null").unwrap();
    let descriptor = file.as_raw_fd() as u64;
    assert_eq!(code(&[EXPORTS, OPAQUE, SYNC, 0]), CL_INVALID_VALUE, "two kinds");
    assert_eq!(code(&[EXPORTS, 0x2056, 0]), CL_INVALID_PROPERTY, "a kind of Windows");
    assert_eq!(code(&[0x2056, descriptor]), CL_INVALID_PROPERTY, "a kind of Windows");
    assert_eq!(code(&[OPAQUE, descriptor, EXPORTS, OPAQUE, 0]), CL_INVALID_OPERATION);
    assert_eq!(code(&[OPAQUE, descriptor, SYNC, descriptor]), CL_INVALID_PROPERTY, "two descriptors");
    assert_eq!(code(&[OPAQUE, 1 << 40]), CL_INVALID_PROPERTY, "not a number of 32 bits");
    // An empty list of kinds is none.
    let semaphore = created(|e| create(&session, &[TYPE, BINARY, EXPORTS, 0, 0], e));
    for (kind, shares) in [(OPAQUE, shares_opaque(&session)), (SYNC, shares_sync(&session))] {
        if shares {
            assert_eq!(code(&[kind, descriptor]), CL_INVALID_PROPERTY, "not a semaphore");
            assert_eq!(code(&[kind, 0x7fff_fff0]), CL_INVALID_PROPERTY, "not an open descriptor");
            assert_eq!(code(&[kind, u64::from(u32::MAX) - 1]), CL_INVALID_PROPERTY, "not a descriptor");
        } else {
            assert_eq!(code(&[kind, descriptor]), CL_INVALID_DEVICE);
            assert_eq!(code(&[EXPORTS, kind, 0]), CL_INVALID_PROPERTY);
        }
        assert_eq!(export(&session, semaphore, kind), Err(CL_INVALID_VALUE), "not made for it");
    }
    if shares_opaque(&session) {
        assert_eq!(code(&[OPAQUE, u64::MAX]), CL_INVALID_PROPERTY, "only sync files may be -1");
        let shared = exportable(&session, OPAQUE);
        let mut place = [0u8; 4];
        let mut size = 0;
        // SAFETY: as much room as the size says; handles are not followed.
        unsafe {
            let ask = |semaphore, device, size, value: *mut u8, ret| {
                clGetSemaphoreHandleForTypeKHR(semaphore, device, OPAQUE as u32, size, value.cast(), ret)
            };
            let (device, room) = (session.device, place.as_mut_ptr());
            assert_eq!(ask(shared, device, 3, room, null_mut()), CL_INVALID_VALUE);
            assert_eq!(ask(shared, null_mut(), 4, room, null_mut()), CL_INVALID_DEVICE);
            assert_eq!(ask(null_mut(), device, 4, room, null_mut()), CL_INVALID_SEMAPHORE_KHR);
            ok(ask(shared, device, 0, null_mut(), &raw mut size));
        }
        assert_eq!((size, place), (4, [0; 4]));
        assert_eq!(export(&session, shared, SYNC), Err(CL_INVALID_VALUE), "another kind");
        release(&[], &[], &[shared], &[]);
    }
    // SAFETY: null is an empty list, and handles are not followed.
    unsafe {
        assert_eq!(clReImportSemaphoreSyncFdKHR(semaphore, null(), -1), CL_INVALID_SEMAPHORE_KHR);
        assert_eq!(clReImportSemaphoreSyncFdKHR(null_mut(), null(), -1), CL_INVALID_SEMAPHORE_KHR);
    }
    release(&[], &[], &[semaphore], &[]);
}
