//! Every single-precision number, stored as a half in every rounding: 2^32 values, five stores each.

use crate::number::{KINDS, Mode};
use clvk_tests::bench::Bench;
use clvk_tests::pipeline;
use libtest_mimic::Failed;
use vk_runtime::{Arg, Buffer, LaunchConfig, Program};

const SOURCE: &str = "
kernel void store(global half *default_, global half *rte, global half *rtz, global half *rtp, global half *rtn, uint first)
{
    size_t i = get_global_id(0);
    float x = as_float(first + (uint)i);
    vstore_half(x, i, default_);
    vstore_half_rte(x, i, rte);
    vstore_half_rtz(x, i, rtz);
    vstore_half_rtp(x, i, rtp);
    vstore_half_rtn(x, i, rtn);
}
";

/// Values of a launch.
const CHUNK: usize = 1 << 22;

/// Runs over all values.
///
/// # Errors
/// The first value that is stored wrongly.
pub fn run(bench: &Bench) -> Result<(), Failed> {
    let module = pipeline::compile("every_float.cl", SOURCE, &[], bench.device.profile())?;
    let kernel = Program::new(&bench.device, module)?.kernel("store")?;
    let outputs: Vec<Buffer> =
        (0..5).map(|_| Buffer::new(&bench.device, 2 * CHUNK as u64)).collect::<Result<_, _>>()?;
    let config =
        LaunchConfig { work_dim: 1, global: [CHUNK as u64, 1, 1], local: Some([64, 1, 1]), offset: [0; 3] };
    let mut bytes = vec![0; 2 * CHUNK];
    for first in (0..1u64 << 32).step_by(CHUNK) {
        let start = (first as u32).to_le_bytes();
        let mut arguments: Vec<Arg<'_>> = outputs.iter().map(Arg::Buffer).collect();
        arguments.push(Arg::Bytes(&start));
        let mut batch = bench.device.batch();
        batch.dispatch(&kernel, &config, &arguments)?;
        batch.submit()?.timings()?;
        let modes = [Mode::Nearest, Mode::Nearest, Mode::Zero, Mode::Up, Mode::Down];
        for (mode, output) in modes.into_iter().zip(&outputs) {
            output.read(0, &mut bytes)?;
            check(first, mode, &bytes)?;
        }
    }
    Ok(())
}

fn check(first: u64, mode: Mode, bytes: &[u8]) -> Result<(), String> {
    let (half, float) = (KINDS[8], KINDS[9]);
    for (index, actual) in bytes.chunks_exact(2).enumerate() {
        let actual = u64::from(u16::from_le_bytes([actual[0], actual[1]]));
        let bits = first + index as u64;
        let expected = half.convert(float.number(bits), mode, false).expect("a number");
        if actual != expected && !(half.is_nan(expected) && half.is_nan(actual)) {
            return Err(format!("{bits:#x} rounded by {mode:?} is {actual:#x}, expected {expected:#x}"));
        }
    }
    Ok(())
}
