//! Measures the host's cost of a launch: empty kernels enqueued in order and then waited for, and one kernel
//! at a time.
//!
//! `cargo run --release -p clvk-tests --bin launch-rate`

use clvk_tests::pipeline;
use std::time::{Duration, Instant};
use vk_runtime::{
    Arg, Buffer, Command, CommandQueue, Device, DeviceOptions, Instance, InstanceOptions, LaunchConfig,
    Program, QueueOptions,
};

const SOURCE: &str = "kernel void empty(global int *p, int n) { if (n < 0) p[0] = n; }";
const LAUNCHES: u32 = 10_000;
const HOST_LAUNCHES: u32 = 2_000;
const LATENCY_LAUNCHES: u32 = 1_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let instance = Instance::new(&InstanceOptions::default())?;
    let device = Device::new(&instance.default_device()?, &DeviceOptions::default())?;
    println!("{}", device.info());
    let module =
        pipeline::compile("empty.cl", SOURCE, &[], device.profile()).map_err(|e| format!("{e:?}"))?;
    let kernel = Program::new(&device, module)?.kernel("empty")?;
    let buffer = Buffer::new(&device, 4096)?;
    let number = 1i32.to_le_bytes();
    let arguments = [Arg::Buffer(&buffer), Arg::Bytes(&number)];
    let config = LaunchConfig::linear(1).with_local([1, 1, 1]);
    let queue = CommandQueue::new(&device, QueueOptions::default());
    let launch = || Command::launch(&kernel, &config, &arguments);
    queue.run(launch()?, &[])?;
    let (mut best, mut host) = (Duration::MAX, Duration::MAX);
    for _ in 0..3 {
        let start = Instant::now();
        for _ in 0..LAUNCHES {
            queue.enqueue_silently(launch()?, &[])?;
        }
        queue.finish()?;
        best = best.min(start.elapsed());
        // Few enough not to wait for the device.
        let start = Instant::now();
        for _ in 0..HOST_LAUNCHES {
            queue.enqueue_silently(launch()?, &[])?;
        }
        host = host.min(start.elapsed());
        queue.finish()?;
    }
    let each = |time: Duration, launches: u32| time.as_secs_f64() * 1e6 / f64::from(launches);
    println!("{LAUNCHES} launches, then finish: {:.2} µs each", each(best, LAUNCHES));
    println!("the host's part of a launch: {:.2} µs", each(host, HOST_LAUNCHES));
    let start = Instant::now();
    for _ in 0..LATENCY_LAUNCHES {
        queue.run(launch()?, &[])?;
    }
    println!("launch and wait: {:.2} µs each", each(start.elapsed(), LATENCY_LAUNCHES));
    Ok(())
}
