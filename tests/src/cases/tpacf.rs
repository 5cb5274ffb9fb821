//! Angular correlation: histograms of the angles between points, of data and of random sets.

use crate::case::{Argument, Case, NOT_FUSED, Size, Tolerance, Work, round_up};
use crate::random::{Random, generate_rows};
use clvk_interface::ScalarType;

const GROUP: usize = 256;
const BINS: usize = 20;

pub fn build(size: Size) -> Case {
    let (points, random_sets, slices) = size.pick((421, 2, 2), (16_384, 3, 32));
    let bounds = bounds();
    let sets: Vec<Vec<f32>> = (0..=random_sets).map(|set| sky(points, set)).collect();

    let mut case = Case::new("tpacf", "tpacf/tpacf.cl");
    let bounds_id = case.input("bounds", ScalarType::F32, &bounds);
    let set_ids: Vec<_> = sets
        .iter()
        .enumerate()
        .map(|(set, points)| case.input(format!("set{set}"), ScalarType::F32, points))
        .collect();
    // Data with itself, data with random sets, random sets with themselves.
    for (name, pairs) in [
        ("data_data", vec![(0, 0)]),
        ("data_random", (1..=random_sets).map(|set| (0, set)).collect()),
        ("random_random", (1..=random_sets).map(|set| (set, set)).collect::<Vec<_>>()),
    ] {
        let histogram_id = case.input(name, ScalarType::U32, &[0u32; BINS]);
        let mut histogram = [0u32; BINS];
        for (a, b) in pairs {
            let mut arguments = [set_ids[a], set_ids[b]].map(Argument::Resource).to_vec();
            arguments.extend([points as u32, u32::from(a == b)].map(Argument::value));
            arguments.extend([bounds_id, histogram_id].map(Argument::Resource));
            case.launch("tpacf", [round_up(points, GROUP), slices], [GROUP, 1], arguments);
            add_pairs(&mut histogram, &bounds, &sets[a], &sets[b], a == b);
            let pairs = if a == b { points * (points - 1) / 2 } else { points * points };
            // Five for the cosine, a comparison for each of five halvings.
            case.work.operations += 10 * pairs as u64;
        }
        case.expect(histogram_id, &histogram, Tolerance::Exact, NOT_FUSED);
    }
    case.work = Work { bytes: (16 * points * sets.len()) as u64, ..case.work };
    case
}

/// Cosines of angles from 1 to 10,000 minutes of arc, five bins a decade.
fn bounds() -> Vec<f32> {
    (0..=BINS).map(|bin| (10f64.powf(bin as f64 / 5.0) / 60.0).to_radians().cos() as f32).collect()
}

/// Points on the sphere, with a fourth coordinate that means nothing. Half of the data's points (of set 0)
/// are near the point before them.
fn sky(points: usize, set: usize) -> Vec<f32> {
    let random = Random::new(311 + set as u64);
    generate_rows(points, 4, |i, point: &mut [f32]| {
        let (base, spread) = if set == 0 && i % 2 == 1 { (i - 1, 0.01) } else { (i, 0.0) };
        let height = f64::from(random.signed(4 * base));
        let turn = f64::from(random.unit(4 * base + 1)) * std::f64::consts::TAU;
        let radius = (1.0 - height * height).sqrt();
        let mut place = [radius * turn.cos(), radius * turn.sin(), height];
        for (axis, coordinate) in place.iter_mut().enumerate() {
            *coordinate += spread * f64::from(random.signed(4 * i + axis));
        }
        let length = place.iter().map(|it| it * it).sum::<f64>().sqrt();
        for (coordinate, exact) in point.iter_mut().zip(place) {
            *coordinate = (exact / length) as f32;
        }
        point[3] = f32::NAN;
    })
}

fn add_pairs(histogram: &mut [u32; BINS], bounds: &[f32], first: &[f32], second: &[f32], same: bool) {
    let count = first.len() / 4;
    let rows = generate_rows(count, BINS, |i, bins: &mut [u32]| {
        let own = &first[4 * i..];
        for j in if same { i + 1..count } else { 0..count } {
            let other = &second[4 * j..];
            let cosine = own[0] * other[0] + own[1] * other[1] + own[2] * other[2];
            let above = bounds.partition_point(|&bound| cosine < bound);
            if (1..=BINS).contains(&above) {
                bins[above - 1] += 1;
            }
        }
    });
    for bins in rows.chunks_exact(BINS) {
        for (sum, count) in histogram.iter_mut().zip(bins) {
            *sum += count;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_are_correlated_and_some_pairs_are_outside_of_all_bins() {
        let case = build(Size::Small);
        let histogram =
            |output: usize| -> Vec<u32> { bytemuck::pod_collect_to_vec(&case.outputs[output].expected) };
        let (data, random) = (histogram(0), histogram(2));
        assert!(
            2 * data[..9].iter().sum::<u32>() > 5 * random[..9].iter().sum::<u32>(),
            "{data:?} {random:?}"
        );
        assert!(histogram(1).iter().sum::<u32>() < 2 * 421 * 421);
    }
}
