//! The table of kernels by time.

use std::fmt::Write as _;
use vk_runtime::{Record, Source};

/// All launches of a kernel; times are nanoseconds.
pub struct Total {
    name: Box<str>,
    launches: u64,
    sum: u64,
    /// Launches that were measured, alone or together with others of this kernel.
    measured: u64,
    /// The least and the most that those took, which is a mean where they were measured together.
    least: u64,
    most: u64,
    /// Whether any were measured together.
    together: bool,
}

impl Total {
    /// No launches yet.
    pub fn new(name: &str) -> Self {
        let (launches, sum, measured, together) = (0, 0, 0, false);
        Total { name: name.into(), launches, sum, measured, least: u64::MAX, most: 0, together }
    }

    /// Adds the launches of a record.
    pub fn add(&mut self, record: &Record) {
        let (count, took) = (u64::from(record.count), record.ended.saturating_sub(record.started));
        self.launches += count;
        self.sum += took;
        if record.source == Source::Measured {
            let each = took / count.max(1);
            self.measured += count;
            self.least = self.least.min(each);
            self.most = self.most.max(each);
            self.together |= count > 1;
        }
    }
}

/// The kernels by time.
pub fn table<'a>(totals: impl Iterator<Item = &'a Total>) -> String {
    let mut rows: Vec<&Total> = totals.filter(|total| total.launches > 0).collect();
    rows.sort_by(|a, b| b.sum.cmp(&a.sum).then(a.name.cmp(&b.name)));
    if rows.is_empty() {
        return String::new();
    }
    let all: u64 = rows.iter().map(|total| total.sum).sum();
    let millis = |time: u64| time as f64 / 1e6;
    let mut text = format!(
        "{:>6} {:>12} {:>9} {:>9} {:>12} {:>12} {:>12}  KERNEL\n",
        "PART", "ms", "LAUNCHES", "MEASURED", "MEAN ms", "LEAST ms", "MOST ms"
    );
    for total in &rows {
        let part = total.sum as f64 / all.max(1) as f64 * 100.0;
        let known = |time: u64| match total.measured {
            0 => String::new(),
            _ => format!("{:.4}", millis(time)),
        };
        let _ = writeln!(
            text,
            "{part:>5.1}% {:>12.3} {:>9} {:>9} {:>12.4} {:>12} {:>12}  {}",
            millis(total.sum),
            total.launches,
            total.measured,
            millis(total.sum) / total.launches as f64,
            known(total.least),
            known(total.most),
            total.name
        );
    }
    if rows.iter().any(|total| total.together) {
        text.push_str(
            "Short launches were timed many at a time: LEAST and MOST are of the means of these.\n",
        );
    }
    if rows.iter().any(|total| total.measured < total.launches) {
        text.push_str("Launches that are not among the MEASURED have the time that others took.\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::num::NonZeroU32;

    #[test]
    fn launches_that_were_measured_together_count_with_their_mean() {
        let record = |count, source, (started, ended)| Record {
            queue: 0,
            name: NonZeroU32::MIN,
            count,
            interleaved: false,
            source,
            queued: 1,
            submitted: 1,
            started,
            ended,
        };
        let mut total = Total::new("k");
        total.add(&record(100, Source::Measured, (0, 500_000)));
        total.add(&record(1, Source::Measured, (0, 7000)));
        total.add(&record(10, Source::Expected, (0, 60_000)));
        let text = table(std::iter::once(&total));
        let row: Vec<&str> = text.lines().nth(1).unwrap().split_whitespace().collect();
        assert_eq!(row, ["100.0%", "0.567", "111", "101", "0.0051", "0.0050", "0.0070", "k"], "{text}");
        assert_eq!(text.lines().count(), 4, "{text}");
    }
}
