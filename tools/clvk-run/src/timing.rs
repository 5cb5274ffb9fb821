//! `--time`: device and host times.

use crate::failure::Result;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use std::time::Instant;

/// Least and median of several measurements, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Spread {
    /// Least.
    pub min_ns: f64,
    /// Median.
    pub median_ns: f64,
}

impl Spread {
    fn of(mut values: Vec<f64>) -> Option<Spread> {
        values.sort_by(f64::total_cmp);
        let (&min_ns, middle) = (values.first()?, values.len() / 2);
        let median_ns = if values.len() % 2 == 1 {
            values[middle]
        } else {
            f64::midpoint(values[middle - 1], values[middle])
        };
        Some(Spread { min_ns, median_ns })
    }
}

/// Times of a kernel.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Times {
    /// Launches measured.
    pub runs: u32,
    /// On the device, by its own clock; absent if it has none.
    pub device: Option<Spread>,
    /// On the host, from the call to the end of the wait.
    pub host: Spread,
}

/// Runs `launch` `runs` times; it gives the device's time if there is one.
pub fn measure(runs: u32, mut launch: impl FnMut() -> Result<Option<f64>>) -> Result<Times> {
    let style =
        ProgressStyle::with_template("timing {bar:30} {pos}/{len} {eta}").expect("the template is valid");
    let progress = ProgressBar::new(runs.into()).with_style(style);
    let (mut device, mut host) = (Vec::new(), Vec::new());
    for _ in 0..runs {
        let start = Instant::now();
        device.extend(launch()?);
        host.push(start.elapsed().as_nanos() as f64);
        progress.inc(1);
    }
    progress.finish_and_clear();
    let host = Spread::of(host).expect("at least one run was asked for");
    Ok(Times { runs, device: Spread::of(device), host })
}

/// A time as a person reads it.
pub fn human(ns: f64) -> String {
    match ns {
        ns if ns < 1e3 => format!("{ns:.0} ns"),
        ns if ns < 1e6 => format!("{:.2} µs", ns / 1e3),
        ns if ns < 1e9 => format!("{:.2} ms", ns / 1e6),
        ns => format!("{:.2} s", ns / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_even_number_lies_between_the_middle_two() {
        assert_eq!(Spread::of(vec![4.0, 1.0, 3.0, 2.0]), Some(Spread { min_ns: 1.0, median_ns: 2.5 }));
        assert_eq!(Spread::of(vec![5.0, 1.0, 3.0]), Some(Spread { min_ns: 1.0, median_ns: 3.0 }));
        assert_eq!(Spread::of(Vec::new()), None);
    }

    #[test]
    fn times_have_units() {
        assert_eq!(
            [human(12.0), human(1.5e3), human(2e6), human(3e9)],
            ["12 ns", "1.50 µs", "2.00 ms", "3.00 s"]
        );
    }
}
