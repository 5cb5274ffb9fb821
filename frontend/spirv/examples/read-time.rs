//! Reads a module several times, and prints the least processor time of each phase: its words, what it
//! declares, and checking all kernels, or reading them where a third argument says `read`; then the most
//! memory that the process had. (`docs/log/compile-time.md` has results.) It needs Linux, which counts these.
//!
//!     cargo run --release -p clvk-spirv --example read-time -- MODULE [TIMES [read]]

use clvk_spirv::{Indexed, Wishes, binary};

use std::time::Duration;

/// The processor time of this thread so far.
fn now() -> std::io::Result<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    let nanoseconds = text.split(' ').next().and_then(|number| number.parse().ok());
    nanoseconds.map(Duration::from_nanos).ok_or_else(|| std::io::Error::other("the time is not a number"))
}

/// The most memory that the process had, in kilobytes.
fn peak() -> std::io::Result<u64> {
    let text = std::fs::read_to_string("/proc/self/status")?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse().ok());
    number.ok_or_else(|| std::io::Error::other("the memory is not a number"))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("usage: read-time MODULE [TIMES [read]]")?;
    let times: u32 = arguments.next().map_or(Ok(5), |times| times.parse())?;
    let reads = arguments.next().is_some_and(|it| it == "read");
    let bytes = std::fs::read(path)?;
    let mut best = [Duration::MAX; 3];
    let mut kernels = 0;
    for _ in 0..times {
        let start = now()?;
        let words = binary::words(&bytes)?;
        let decoded = now()?;
        let module = Indexed::new(words, &[])?;
        kernels = module.summary().kernels.len();
        let listed = now()?;
        match reads {
            true => drop(module.read(&Wishes::default())?),
            false => module.check(&Wishes::default())?,
        }
        let read = now()?;
        for (best, new) in best.iter_mut().zip([decoded - start, listed - decoded, read - listed]) {
            *best = new.min(*best);
        }
    }
    let [words, listed, read] = best.map(|time| time.as_secs_f64() * 1e3);
    let what = if reads { "reading" } else { "checking" };
    let peak = peak()?;
    println!(
        "words {words:.1} ms, listing {listed:.1} ms, {what} {read:.1} ms; {kernels} kernels; {peak} kB"
    );
    Ok(())
}
