//! Times until they are stable, and what they look like.

use serde::Serialize;

/// Times of equal runs, in nanoseconds.
#[derive(Clone, Debug, Serialize)]
pub struct Distribution {
    /// How many.
    pub runs: usize,
    /// Least.
    pub min_ns: f64,
    /// Median.
    pub median_ns: f64,
    /// A quarter of them is below this.
    pub lower_quartile_ns: f64,
    /// A quarter of them is above this.
    pub upper_quartile_ns: f64,
    /// A twentieth of them is above this.
    pub slow_ns: f64,
    /// The median of the second half of the runs, as a part of the first half's.
    pub drift: f64,
    /// How many are in each of [`BINS`] equal ranges from the least to the slow ones.
    pub histogram: Vec<usize>,
}

/// Ranges of the histogram.
pub const BINS: usize = 20;

/// The value below which a part of sorted values is; between two of them, a mean weighted by the distance.
fn quantile(sorted: &[f64], part: f64) -> f64 {
    let place = part * (sorted.len() - 1) as f64;
    let (low, high) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    low + (high - low) * place.fract()
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values
}

/// The median; none of no values.
pub fn median(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| quantile(&sorted(values), 0.5))
}

impl Distribution {
    /// Of times in the order in which they were measured; none of none.
    pub fn of(times: &[f64]) -> Option<Distribution> {
        let all = sorted(times);
        let (&min_ns, _) = all.split_first()?;
        let (first, second) = times.split_at(times.len() / 2);
        let drift = median(first).zip(median(second)).map_or(1.0, |(first, second)| second / first.max(1.0));
        let slow_ns = quantile(&all, 0.95);
        let mut histogram = vec![0; BINS];
        for time in &all {
            let place = (time - min_ns) / (slow_ns - min_ns).max(1e-9) * BINS as f64;
            histogram[(place as usize).min(BINS - 1)] += 1;
        }
        Some(Distribution {
            runs: all.len(),
            min_ns,
            median_ns: quantile(&all, 0.5),
            lower_quartile_ns: quantile(&all, 0.25),
            upper_quartile_ns: quantile(&all, 0.75),
            slow_ns,
            drift,
            histogram,
        })
    }

    /// Half the distance of the quartiles as a part of the median.
    pub fn spread(&self) -> f64 {
        (self.upper_quartile_ns - self.lower_quartile_ns) / 2.0 / self.median_ns.max(1.0)
    }

    /// The histogram as a line of blocks.
    pub fn blocks(&self) -> String {
        const BLOCKS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
        let most = self.histogram.iter().copied().max().unwrap_or(0).max(1);
        self.histogram.iter().map(|&count| BLOCKS[(count * 8).div_ceil(most)]).collect()
    }
}

/// Runs in a row; two rows are compared to see whether times are stable.
const ROW: usize = 5;

/// Whether the last runs take as long as those before them.
pub fn is_stable(times: &[f64]) -> bool {
    let [.., a, b] = times.chunks_exact(ROW).collect::<Vec<_>>()[..] else { return false };
    let (Some(a), Some(b)) = (median(a), median(b)) else { return false };
    (a - b).abs() <= 0.03 * a.max(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_lie_between_values() {
        let times: Vec<f64> = (0..=100).rev().map(|it| f64::from(it) + 100.0).collect();
        let it = Distribution::of(&times).unwrap();
        assert_eq!((it.runs, it.min_ns, it.median_ns), (101, 100.0, 150.0));
        assert_eq!((it.lower_quartile_ns, it.upper_quartile_ns, it.slow_ns), (125.0, 175.0, 195.0));
        assert_eq!(it.histogram.iter().sum::<usize>(), 101);
        // The first half of the runs was the slower one.
        assert!(it.drift < 0.75);
        assert!(Distribution::of(&[]).is_none());
        assert_eq!(Distribution::of(&[7.0]).unwrap().median_ns, 7.0);
    }

    #[test]
    fn times_are_stable_when_two_rows_agree() {
        assert!(!is_stable(&[1.0; 9]));
        assert!(is_stable(&[1.0; 10]));
        assert!(!is_stable(&[9.0, 9.0, 9.0, 9.0, 9.0, 5.0, 5.0, 5.0, 5.0, 5.0]));
    }
}
