//! Semaphores between queues, and those that are shared with other users of Vulkan: here another device in
//! another instance.

use crate::external::again;
use crate::{Test, buffer_of, read_words};
use std::os::fd::AsFd;
use vk_runtime::{
    Buffer, Command, CommandQueue, Device, DeviceOptions, Error, Event, EventStatus, MemoryHandle,
    QueueOptions, Semaphore, SemaphoreHandle,
};

pub const TESTS: &[Test] = &[
    ("a_semaphore_orders_queues", a_semaphore_orders_queues),
    ("two_instances_share_a_semaphore", two_instances_share_a_semaphore),
    ("semaphores_go_with_fences", semaphores_go_with_fences),
    ("sync_files_carry_signals", sync_files_carry_signals),
    ("not_every_semaphore_is_shared", not_every_semaphore_is_shared),
];

fn queue(device: &Device) -> CommandQueue {
    CommandQueue::new(device, QueueOptions::default())
}

/// Fills a whole buffer with a word.
fn filled(buffer: &Buffer, word: u32) -> Command {
    Command::fill_buffer(buffer, 0, buffer.size(), &word.to_le_bytes()).unwrap()
}

fn a_semaphore_orders_queues(device: &Device) {
    let (first, second) = (queue(device), queue(device));
    let semaphore = [Semaphore::new(device)];
    let (from, to) = (buffer_of(device, [1; 64]), buffer_of(device, [2; 64]));
    let gate = Event::user();
    let wait = second.wait_for_semaphores(&semaphore, &[]).unwrap();
    second.enqueue(Command::copy_buffer(&from, 0, &to, 0, 256).unwrap(), &[]).unwrap();
    first.enqueue(filled(&from, 7), std::slice::from_ref(&gate)).unwrap();
    let signal = first.signal(&semaphore, &[]).unwrap();
    assert_eq!((wait.status(), signal.status()), (EventStatus::Queued, EventStatus::Queued));
    assert!(!semaphore[0].is_signalled());
    gate.set_status(EventStatus::Complete).unwrap();
    wait.wait().unwrap();
    assert_eq!(signal.status(), EventStatus::Complete);
    assert!(!semaphore[0].is_signalled());
    second.finish().unwrap();
    assert_eq!(read_words(&to), [7; 64]);
    let signal = first.signal(&semaphore, &[]).unwrap();
    signal.wait().unwrap();
    assert!(semaphore[0].is_signalled());
}

/// Hands a buffer over and back, by two semaphores, several times.
fn take_turns(here: &Device, there: &Device) {
    let kind = SemaphoreHandle::OpaqueFd;
    let (ours, theirs) = (queue(here), queue(there));
    let there_filled = [Semaphore::exportable(there, kind).unwrap()];
    let here_added = [Semaphore::exportable(here, kind).unwrap()];
    let descriptor = there_filled[0].export(kind).unwrap().unwrap();
    let here_filled = [Semaphore::import(here, kind, Some(descriptor.as_fd())).unwrap()];
    let descriptor = here_added[0].export(kind).unwrap().unwrap();
    let there_added = [Semaphore::import(there, kind, Some(descriptor.as_fd())).unwrap()];
    drop(descriptor);
    let memory = Buffer::shared(there, 4 << 20, MemoryHandle::OpaqueFd).unwrap();
    let descriptor = memory.export().unwrap();
    let same = Buffer::import(here, 4 << 20, MemoryHandle::OpaqueFd, descriptor.as_fd()).unwrap();
    let (memory, same) = ([memory], [same]);
    let copy = Buffer::new(here, 4 << 20).unwrap();
    for round in 0..5 {
        for step in 0..5 {
            theirs.enqueue(filled(&memory[0], 10 * round + step), &[]).unwrap();
        }
        theirs.enqueue(Command::release(there, &memory).unwrap(), &[]).unwrap();
        theirs.signal(&there_filled, &[]).unwrap();
        ours.wait_for_semaphores(&here_filled, &[]).unwrap();
        ours.enqueue(Command::acquire(here, &same).unwrap(), &[]).unwrap();
        ours.enqueue(Command::copy_buffer(&same[0], 0, &copy, 0, 4 << 20).unwrap(), &[]).unwrap();
        ours.enqueue(filled(&same[0], 9), &[]).unwrap();
        ours.enqueue(Command::release(here, &same).unwrap(), &[]).unwrap();
        ours.signal(&here_added, &[]).unwrap();
        theirs.wait_for_semaphores(&there_added, &[]).unwrap();
        theirs.enqueue(Command::acquire(there, &memory).unwrap(), &[]).unwrap();
        theirs.finish().unwrap();
        assert!(read_words(&memory[0]).iter().all(|&word| word == 9), "round {round}");
        assert!(read_words(&copy).iter().all(|&word| word == 10 * round + 4), "round {round}");
    }
    ours.finish().unwrap();
}

fn shares(device: &Device) -> bool {
    device.memory_handles().contains(&MemoryHandle::OpaqueFd)
        && device.semaphore_handles().contains(&SemaphoreHandle::OpaqueFd)
}

fn two_instances_share_a_semaphore(device: &Device) {
    if !shares(device) {
        return;
    }
    let (instance, other) = again(device);
    take_turns(device, &other);
    other.finish().unwrap();
    drop(other);
    let messages = instance.take_validation_messages();
    assert!(messages.is_empty(), "{messages:?}");
}

fn semaphores_go_with_fences(device: &Device) {
    if !shares(device) {
        return;
    }
    let options = DeviceOptions { never_timeline: true, ..DeviceOptions::default() };
    let other = Device::new(device.info(), &options).unwrap();
    take_turns(device, &other);
    take_turns(&other, &other);
}

fn sync_files_carry_signals(device: &Device) {
    let kind = SemaphoreHandle::SyncFd;
    if !device.semaphore_handles().contains(&kind) {
        return;
    }
    let (ours, theirs) = (queue(device), queue(device));
    let semaphore = [Semaphore::exportable(device, kind).unwrap()];
    assert!(matches!(semaphore[0].export(kind), Err(Error::ExternalSemaphore(_))), "no signal");
    let buffer = Buffer::new(device, 4 << 20).unwrap();
    for round in 0..3 {
        ours.enqueue(filled(&buffer, round), &[]).unwrap();
        ours.signal(&semaphore, &[]).unwrap();
        let descriptor = semaphore[0].export(kind).unwrap();
        assert!(!semaphore[0].is_signalled());
        let import = Semaphore::import(device, kind, descriptor.as_ref().map(AsFd::as_fd)).unwrap();
        let wait = theirs.wait_for_semaphores(std::slice::from_ref(&import), &[]).unwrap();
        // The commands keep what they use.
        drop(import);
        wait.wait().unwrap();
        assert!(read_words(&buffer).iter().all(|&word| word == round));
    }
    ours.signal(&semaphore, &[]).unwrap();
    theirs.wait_for_semaphores(&semaphore, &[]).unwrap();
    ours.signal(&semaphore, &[]).unwrap();
    drop(semaphore[0].export(kind).unwrap());
    theirs.finish().unwrap();
}

fn not_every_semaphore_is_shared(device: &Device) {
    let file = std::fs::File::open("/dev/null").unwrap();
    for kind in SemaphoreHandle::ALL {
        let plain = Semaphore::new(device);
        assert!(matches!(plain.export(kind), Err(Error::ExternalSemaphore(_))));
        let import = Semaphore::import(device, kind, Some(file.as_fd()));
        assert!(matches!(import, Err(Error::ExternalSemaphore(_))));
        let exportable = Semaphore::exportable(device, kind);
        assert_eq!(exportable.is_ok(), device.semaphore_handles().contains(&kind));
    }
    let none = Semaphore::import(device, SemaphoreHandle::OpaqueFd, None);
    assert!(matches!(none, Err(Error::ExternalSemaphore(_))));
    // A semaphore of another device.
    let other = Device::new(device.info(), &DeviceOptions::default()).unwrap();
    let foreign = [Semaphore::new(&other)];
    assert!(matches!(queue(device).signal(&foreign, &[]), Err(Error::OtherDevice { .. })));
    assert!(matches!(queue(device).wait_for_semaphores(&foreign, &[]), Err(Error::OtherDevice { .. })));
}
