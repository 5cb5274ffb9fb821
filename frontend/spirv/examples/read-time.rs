//! Reads all kernels of a module several times, and prints the times of the phases: words, index, bodies.
//! (`docs/log/compile-time.md` has results.)
//!
//!     cargo run --release -p clvk-spirv --example read-time -- MODULE [TIMES]

use std::time::{Duration, Instant};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("usage: read-time MODULE [TIMES]")?;
    let times: u32 = arguments.next().map_or(Ok(5), |times| times.parse())?;
    let bytes = std::fs::read(path)?;
    let mut best = [Duration::MAX; 3];
    let mut functions = 0;
    for _ in 0..times {
        let start = Instant::now();
        let words = clvk_spirv::binary::words(&bytes)?;
        let decoded = Instant::now();
        clvk_spirv::summary(&words)?;
        let listed = Instant::now();
        let reading = clvk_spirv::read(&words, &clvk_spirv::Wishes::default())?;
        let read = Instant::now();
        functions = reading.module.functions.len();
        for (best, new) in best.iter_mut().zip([decoded - start, listed - decoded, read - listed]) {
            *best = new.min(*best);
        }
    }
    let milliseconds = best.map(|time| time.as_secs_f64() * 1e3);
    let [words, summary, read] = milliseconds;
    println!("words {words:.1} ms, summary {summary:.1} ms, read {read:.1} ms; {functions} functions");
    Ok(())
}
