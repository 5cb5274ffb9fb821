//! Commands that wait for events instead of for each other: two launches that may overlap, one that needs
//! both, and a callback.

use clvk::runtime::{EventStatus, QueueOptions};
use clvk::{Arg, Buffer, Command, CommandQueue, Compiler, Device, Error, Event, LaunchConfig};
use std::sync::mpsc::channel;

const SOURCE: &str = "
kernel void count(global uint *to, uint first, uint step)
{
    size_t i = get_global_id(0);
    to[i] = first + step * (uint)i;
}

kernel void multiply(global const uint *a, global const uint *b, global uint *to)
{
    size_t i = get_global_id(0);
    to[i] = a[i] * b[i];
}";

/// The products of `i` and `100 - i` (modulo 2³²) for `i` from 0.
pub fn products(device: &Device, size: u64) -> Result<Vec<u32>, Error> {
    let program = Compiler::for_device(device).compile("products.cl", SOURCE)?.load(device)?;
    let (count, multiply) = (program.kernel("count")?, program.kernel("multiply")?);
    let [a, b, to] = [(); 3].map(|()| Buffer::new(device, 4 * size));
    let (a, b, to) = (a?, b?, to?);
    let all = LaunchConfig::linear(size);
    let count = |to: &Buffer, first: u32, step: u32| {
        Command::launch(&count, &all, &[Arg::Buffer(to), clvk::value(&first), clvk::value(&step)])
    };
    let multiply = Command::launch(&multiply, &all, &[Arg::Buffer(&a), Arg::Buffer(&b), Arg::Buffer(&to)])?;

    let queue = CommandQueue::new(device, QueueOptions { out_of_order: true, ..QueueOptions::default() });
    // No command begins before the host completes this event.
    let start = Event::user();
    let first = queue.enqueue(count(&a, 0, 1)?, std::slice::from_ref(&start))?;
    let second = queue.enqueue(count(&b, 100, u32::MAX)?, std::slice::from_ref(&start))?;
    let third = queue.enqueue(multiply, &[first, second])?;
    let (sender, receiver) = channel();
    third.on_status(EventStatus::Complete, move |status| {
        // The receiver is gone if the function returned early.
        let _ = sender.send(status);
    });
    start.set_status(EventStatus::Complete)?;
    queue.flush()?;
    // The host is free for other work here.
    third.wait()?;
    let status = receiver.recv().expect("callbacks are called");
    assert_eq!(status, EventStatus::Complete);
    clvk::download(&to)
}

fn main() -> Result<(), Error> {
    let products = products(&clvk::open_device(None)?, 101)?;
    println!("largest product: {:?}", products.iter().max());
    Ok(())
}
