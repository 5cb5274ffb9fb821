//! What the device can do at most, measured: bytes and operations a second.

use crate::failure::Result;
use clvk::runtime::DeviceKind;
use clvk::{Arg, Buffer, Compiler, Device, Kernel, LaunchConfig, value};
use serde::Serialize;
use std::time::Instant;

/// Peaks of a device.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Peaks {
    /// Bytes a second of a copy in global memory, those read and those written.
    pub bytes: f64,
    /// Operations of single precision a second.
    pub operations: f64,
}

/// Operations of a work-item in a round: 8 vectors of 4 lanes, a product and a sum each.
const IN_ROUND: f64 = 64.0;

/// How long a measurement runs at least, in nanoseconds, so that the start of a launch does not count.
const LONG_ENOUGH: f64 = 4e6;

/// Measures a device.
pub fn measure(device: &Device) -> Result<Peaks> {
    let program = Compiler::for_device(device).compile("peaks.cl", include_str!("peaks.cl"))?.load(device)?;
    let is_cpu = device.info().kind() == DeviceKind::Cpu;
    let size: u64 = if is_cpu { 32 << 20 } else { 256 << 20 };
    let (from, to) = (Buffer::new(device, size)?, Buffer::new(device, size)?);
    from.fill(0)?;
    let copy = program.kernel("copy")?;
    let config = LaunchConfig::linear(size / 16);
    let ns = best(5, || time(&copy, &config, &[Arg::Buffer(&from), Arg::Buffer(&to)]))?;
    let bytes = 2.0 * size as f64 / ns * 1e9;
    let items: u64 = if is_cpu { 1 << 12 } else { 1 << 20 };
    let out = Buffer::new(device, items * 4)?;
    let kernel = program.kernel("multiply_and_add")?;
    let config = LaunchConfig::linear(items);
    let (a, b) = (0.5f32, 1.0f32);
    let mut rounds = 16i32;
    let run =
        |rounds: &i32| time(&kernel, &config, &[Arg::Buffer(&out), value(&a), value(&b), value(rounds)]);
    while run(&rounds)? < LONG_ENOUGH && rounds < 1 << 20 {
        rounds *= 2;
    }
    let ns = best(5, || run(&rounds))?;
    let operations = items as f64 * f64::from(rounds) * IN_ROUND / ns * 1e9;
    Ok(Peaks { bytes, operations })
}

/// The least of several times.
fn best(runs: u32, mut run: impl FnMut() -> Result<f64>) -> Result<f64> {
    let mut least = f64::INFINITY;
    for _ in 0..=runs {
        least = least.min(run()?);
    }
    Ok(least)
}

/// The time of a launch in nanoseconds: the device's, or the host's where it has no clock.
fn time(kernel: &Kernel, config: &LaunchConfig, arguments: &[Arg<'_>]) -> Result<f64> {
    let start = Instant::now();
    let submission = kernel.launch(config, arguments)?;
    submission.wait()?;
    let host = start.elapsed().as_nanos() as f64;
    let device = submission.timings().ok().map(|times| times.iter().map(|it| it.duration_ns() as f64).sum());
    Ok(device.filter(|&ns: &f64| ns > 0.0).unwrap_or(host).max(1.0))
}
