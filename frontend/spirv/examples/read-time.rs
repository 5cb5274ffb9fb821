//! Reads all kernels of a module several times, and prints the least processor time of each phase: words,
//! index, bodies. (`docs/log/compile-time.md` has results.) It needs Linux, which counts that time.
//!
//!     cargo run --release -p clvk-spirv --example read-time -- MODULE [TIMES]

use std::time::Duration;

/// The processor time of this thread so far.
fn now() -> std::io::Result<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    let nanoseconds = text.split(' ').next().and_then(|number| number.parse().ok());
    nanoseconds.map(Duration::from_nanos).ok_or_else(|| std::io::Error::other("the time is not a number"))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("usage: read-time MODULE [TIMES]")?;
    let times: u32 = arguments.next().map_or(Ok(5), |times| times.parse())?;
    let bytes = std::fs::read(path)?;
    let mut best = [Duration::MAX; 3];
    let mut functions = 0;
    for _ in 0..times {
        let start = now()?;
        let words = clvk_spirv::binary::words(&bytes)?;
        let decoded = now()?;
        clvk_spirv::summary(&words)?;
        let listed = now()?;
        let reading = clvk_spirv::read(&words, &clvk_spirv::Wishes::default())?;
        let read = now()?;
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
