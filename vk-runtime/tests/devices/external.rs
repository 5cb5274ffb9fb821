//! Buffers that are shared with other users of Vulkan: here another device in another instance.

use crate::{Test, buffer_of, read_words};
use std::os::fd::AsFd;
use vk_runtime::{
    Buffer, Command, CommandQueue, Device, DeviceOptions, Error, Instance, InstanceOptions, MemoryHandle,
    QueueOptions,
};

pub const TESTS: &[Test] = &[
    ("two_instances_share_a_buffer", two_instances_share_a_buffer),
    ("not_all_is_shared", not_all_is_shared),
];

fn run(device: &Device, command: Command) {
    let queue = CommandQueue::new(device, QueueOptions::default());
    queue.enqueue(command, &[]).unwrap().wait().unwrap();
}

/// The same physical device in another instance.
pub fn again(device: &Device) -> (Instance, Device) {
    let instance =
        Instance::new(&InstanceOptions { validation: true, ..InstanceOptions::default() }).unwrap();
    let info = instance.select(&device.info().index().to_string()).unwrap();
    let device = Device::new(&info, &DeviceOptions::default()).unwrap();
    (instance, device)
}

fn two_instances_share_a_buffer(device: &Device) {
    if !device.memory_handles().contains(&MemoryHandle::OpaqueFd) {
        // What the driver says, or what it does.
        let attempt = Buffer::shared(device, 64, MemoryHandle::OpaqueFd).and_then(|buffer| buffer.export());
        assert!(matches!(attempt, Err(Error::ExternalMemory(_) | Error::Vulkan { .. })), "{attempt:?}");
        eprintln!("{}: {}", device.info().name(), attempt.unwrap_err());
        return;
    }
    let (instance, other) = again(device);
    {
        let there = Buffer::shared(&other, 1000, MemoryHandle::OpaqueFd).unwrap();
        let descriptor = there.export().unwrap();
        let here = Buffer::import(device, 1000, MemoryHandle::OpaqueFd, descriptor.as_fd()).unwrap();
        // The descriptor is still ours, and still refers to the memory.
        let twice = Buffer::import(device, 1000, MemoryHandle::OpaqueFd, descriptor.as_fd()).unwrap();
        drop(descriptor);
        there.fill(7).unwrap();
        run(&other, Command::release(&other, std::slice::from_ref(&there)).unwrap());
        run(device, Command::acquire(device, std::slice::from_ref(&here)).unwrap());
        assert_eq!(read_words(&here), [7; 250]);
        buffer_of(device, [1, 2, 3]).copy_to(0, &here, 988, 12).unwrap();
        run(device, Command::release(device, std::slice::from_ref(&here)).unwrap());
        run(&other, Command::acquire(&other, std::slice::from_ref(&there)).unwrap());
        assert_eq!(read_words(&there)[245..], [7, 7, 1, 2, 3]);
        // The exporter may be dropped first.
        drop((there, here));
        run(device, Command::acquire(device, std::slice::from_ref(&twice)).unwrap());
        assert_eq!(read_words(&twice)[245..], [7, 7, 1, 2, 3]);
    }
    other.finish().unwrap();
    drop(other);
    let messages: Vec<String> = instance.take_validation_messages().iter().map(ToString::to_string).collect();
    assert!(messages.is_empty(), "{messages:?}");
}

fn not_all_is_shared(device: &Device) {
    let plain = Buffer::new(device, 64).unwrap();
    assert!(!plain.is_external());
    assert!(matches!(plain.export(), Err(Error::ExternalMemory(_))));
    let refused = Command::acquire(device, std::slice::from_ref(&plain));
    assert!(matches!(refused, Err(Error::ExternalMemory(_))));
    // A descriptor of something else.
    let file = std::fs::File::open("/dev/null").unwrap();
    assert!(matches!(
        Buffer::import(device, 64, MemoryHandle::OpaqueFd, file.as_fd()),
        Err(Error::ExternalMemory(_))
    ));
}
