//! Measures what a launch costs the host: empty kernels enqueued in order and then waited for, and one kernel at a time.
//!
//! `cargo run --release -p clvk-tests --bin launch-rate`

use clvk_tests::pipeline;
use std::time::{Duration, Instant};
use vk_runtime::{Arg, Buffer, Device, DeviceOptions, Instance, InstanceOptions, LaunchConfig, Program};

const SOURCE: &str = "kernel void empty(global int *p, int n) { if (n < 0) p[0] = n; }";
const LAUNCHES: u32 = 10_000;

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
    kernel.launch(&config, &arguments)?.wait()?;
    let mut best = Duration::MAX;
    for _ in 0..3 {
        let start = Instant::now();
        for _ in 0..LAUNCHES {
            kernel.launch(&config, &arguments)?;
        }
        device.finish()?;
        best = best.min(start.elapsed());
    }
    println!(
        "{LAUNCHES} launches, then finish: {:.2} µs each",
        best.as_secs_f64() * 1e6 / f64::from(LAUNCHES)
    );
    let start = Instant::now();
    for _ in 0..1000 {
        kernel.launch(&config, &arguments)?.wait()?;
    }
    println!("launch and wait: {:.2} µs each", start.elapsed().as_secs_f64() * 1e3);
    Ok(())
}
