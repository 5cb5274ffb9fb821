//! Measures how fast data moves:
//! `cargo run --release -p vk-runtime --example transfer -- [DEVICE [MEBIBYTES]]`.

use std::time::{Duration, Instant};
use vk_runtime::{
    Buffer, Command, CommandQueue, Device, DeviceOptions, Instance, InstanceOptions, QueueOptions, Rectangle,
};

/// Makes a command anew.
type Make<'a> = &'a dyn Fn() -> vk_runtime::Result<Command>;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let instance = Instance::new(&InstanceOptions::default())?;
    let info = match arguments.next() {
        Some(query) => instance.select(&query)?,
        None => instance.default_device()?,
    };
    let mebibytes: usize = arguments.next().map_or(Ok(256), |text| text.parse())?;
    let size = mebibytes << 20;
    let device = Device::new(&info, &DeviceOptions::default())?;
    println!("{info}, {}", if device.has_direct_access() { "direct" } else { "staged" });

    let mut data: Vec<u8> = (0..size).map(|index| index as u8).collect();
    let (a, b) = (Buffer::new(&device, size as u64)?, Buffer::new(&device, size as u64)?);
    let pinned = Buffer::pinned(&device, size as u64)?;
    pinned.write(0, &data)?;
    let queue = CommandQueue::new(&device, QueueOptions::default());
    for round in ["first", "second"] {
        let report = |what: &str, bytes: usize, time: Duration| {
            println!("{round} {what}: {:.2} GB/s", bytes as f64 / time.as_secs_f64() / 1e9);
        };
        let start = Instant::now();
        a.write(0, &data)?;
        device.finish()?;
        report("write", size, start.elapsed());
        let start = Instant::now();
        a.read(0, &mut data)?;
        report("read", size, start.elapsed());
        let start = Instant::now();
        let mut batch = device.batch();
        for _ in 0..10 {
            batch.copy(&a, 0, &b, 0, size as u64)?;
        }
        batch.submit()?.wait()?;
        // A copy reads and writes each byte.
        report("copy on the device, by the driver", 20 * size, start.elapsed());
        let (bytes, row) = (size as u64, 64 << 10);
        let whole = Rectangle { offset: 0, row_pitch: row, slice_pitch: bytes };
        let region = [row - 4096, bytes / row, 1];
        let commands: [(&str, usize, Make<'_>); 3] = [
            ("copy on the device", 2 * size, &|| Command::copy_buffer(&a, 0, &b, 0, bytes)),
            ("rectangular copy", 2 * (region[0] * region[1]) as usize, &|| {
                Command::copy_rectangle(&a, &whole, &b, &whole, region)
            }),
            ("fill", size, &|| Command::fill_buffer(&b, 0, bytes, &[1, 2, 3, 4])),
        ];
        for (what, moved, command) in commands {
            queue.run(command()?, &[])?;
            let start = Instant::now();
            for _ in 0..10 {
                queue.enqueue_silently(command()?, &[])?;
            }
            queue.finish()?;
            report(what, 10 * moved, start.elapsed());
        }
        let Some(place) = pinned.host_pointer() else { continue };
        let start = Instant::now();
        // SAFETY: the place has as many bytes, lives until the end, and only these commands access it.
        queue.run(unsafe { Command::write_buffer(&a, 0, place, size as u64) }?, &[])?;
        report("write from pinned memory", size, start.elapsed());
        let start = Instant::now();
        // SAFETY: as above.
        queue.run(unsafe { Command::read_buffer(&a, 0, place, size as u64) }?, &[])?;
        report("read to pinned memory", size, start.elapsed());
    }
    assert!(data.iter().enumerate().all(|(index, &byte)| byte == index as u8), "the data came back changed");
    Ok(())
}
