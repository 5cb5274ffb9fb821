//! Two sets of times side by side, and whether they differ by more than chance.

use super::sample::Distribution;
use crate::timing::human;

/// Whether one of two sets of times tends to be longer: the two-sided probability that it only seems so
/// (Mann and Whitney's test, with the normal distribution in place of the exact one, and ties counted half).
pub fn chance(a: &[f64], b: &[f64]) -> f64 {
    let (n, m) = (a.len() as f64, b.len() as f64);
    if a.is_empty() || b.is_empty() {
        return 1.0;
    }
    let mut all: Vec<(f64, bool)> =
        a.iter().map(|&it| (it, true)).chain(b.iter().map(|&it| (it, false))).collect();
    all.sort_by(|x, y| x.0.total_cmp(&y.0));
    let (mut ranks, mut ties, mut before) = (0.0, 0.0, 0.0);
    for equal in all.chunk_by(|x, y| x.0 == y.0) {
        let count = equal.len() as f64;
        let rank = before + (count + 1.0) / 2.0;
        ranks += rank * equal.iter().filter(|(_, is_a)| *is_a).count() as f64;
        ties += count * count * count - count;
        before += count;
    }
    let u = ranks - n * (n + 1.0) / 2.0;
    let all = n + m;
    let variance = n * m / 12.0 * (all + 1.0 - ties / (all * (all - 1.0)).max(1.0));
    if variance <= 0.0 {
        return 1.0;
    }
    let distance = ((u - n * m / 2.0).abs() - 0.5).max(0.0) / variance.sqrt();
    tail(distance)
}

/// The probability that a normal variable is farther from its mean than that many deviations (Abramowitz and
/// Stegun 26.2.17, within 1e-7).
fn tail(deviations: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.231_641_9 * deviations);
    let series = t
        * (0.319_381_530
            + t * (-0.356_563_782 + t * (1.781_477_937 + t * (-1.821_255_978 + t * 1.330_274_429))));
    let density = (-deviations * deviations / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    (2.0 * density * series).clamp(0.0, 1.0)
}

/// Below this a difference is taken for real.
const SIGNIFICANT: f64 = 0.01;

/// The lines that compare two sets of times; what is compared has these names.
pub fn text(names: [&str; 2], times: [&[f64]; 2]) -> Vec<String> {
    let [Some(a), Some(b)] = times.map(Distribution::of) else {
        return vec!["there are no times to compare: the device has no clock".to_owned()];
    };
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let mut lines = Vec::new();
    for (name, it) in names.iter().zip([&a, &b]) {
        lines.push(format!(
            "  {name:<width$}  {:>10} median, ±{:.1}%, {} runs  {}",
            human(it.median_ns),
            it.spread() * 100.0,
            it.runs,
            it.blocks()
        ));
    }
    let chance = chance(times[0], times[1]);
    let odds = if chance < 0.001 { "p < 0.001".to_owned() } else { format!("p = {chance:.3}") };
    let (fast, slow, quick, long) = match a.median_ns <= b.median_ns {
        true => (names[0], names[1], a.median_ns, b.median_ns),
        false => (names[1], names[0], b.median_ns, a.median_ns),
    };
    lines.push(match chance < SIGNIFICANT && quick < long {
        true => format!("  {fast} is {:.2} times as fast as {slow} ({odds})", long / quick.max(1.0)),
        false => format!("  no difference that is more than chance ({odds})"),
    });
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_are_those_of_the_tables() {
        // 1.96 deviations leave 5%, 2.5758 leave 1%.
        assert!((tail(1.959_964) - 0.05).abs() < 1e-6);
        assert!((tail(2.575_829) - 0.01).abs() < 1e-6);
        assert!((tail(0.0) - 1.0).abs() < 1e-6);
        // R: wilcox.test(1:10, 11:20, exact = FALSE) gives 0.0001827.
        let (low, high): (Vec<f64>, Vec<f64>) =
            (1..=10).map(|it| (f64::from(it), f64::from(it + 10))).unzip();
        assert!((chance(&low, &high) - 0.000_182_7).abs() < 1e-6, "{}", chance(&low, &high));
        assert_eq!(chance(&[1.0; 9], &[1.0; 9]), 1.0);
        assert_eq!(chance(&[], &low), 1.0);
    }

    #[test]
    fn the_text_says_which_is_faster() {
        let (slow, fast): (Vec<f64>, Vec<f64>) =
            (0..30).map(|it| (2000.0 + f64::from(it), 1000.0 + f64::from(it))).unzip();
        let lines = text(["a", "b"], [&slow, &fast]);
        assert!(lines[2].contains("b is 1.99 times as fast as a (p < 0.001)"), "{lines:?}");
        assert!(text(["a", "b"], [&slow, &slow])[2].contains("no difference"));
    }
}
