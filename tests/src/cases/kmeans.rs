//! Lloyd's iterations of k-means. Features are small whole numbers, so all distances and sums are exact.

use crate::case::{Argument, Case, Size, Tolerance, Work, round_up};
use crate::random::{Random, generate};
use clvk_interface::ScalarType;

const GROUP: usize = 256;
const FEATURES: usize = 16;
const CLUSTERS: usize = 32;
const ITERATIONS: usize = 3;

pub fn build(size: Size) -> Case {
    let (points, groups) = size.pick((3001, 4), (1 << 22, 1024));
    let random = Random::new(241);
    // One byte for each feature of each point. Neighbouring points are alike.
    let feature = |feature: usize, point: usize| {
        let base = random.below(point / 64 * FEATURES + feature, 192);
        base + random.below((point + points) * FEATURES + feature, 64)
    };
    let features = generate(points * FEATURES, |i| feature(i / points, i % points) as f32);
    let mut centres: Vec<f32> = (0..CLUSTERS * FEATURES)
        .map(|i| feature(i % FEATURES, i / FEATURES * (points / CLUSTERS)) as f32)
        .collect();
    // Too far away for any point.
    centres[5 * FEATURES..6 * FEATURES].fill(1000.0);

    let mut case = Case::new("kmeans", "kmeans/kmeans.cl");
    case.options = vec![format!("-DFEATURES={FEATURES}"), format!("-DCLUSTERS={CLUSTERS}")];
    let features_id = case.input("features", ScalarType::F32, &features);
    let centres_id = case.input("centres", ScalarType::F32, &centres);
    let nearest_id = case.output("nearest", ScalarType::U32, points);
    let sums = CLUSTERS * (FEATURES + 1);
    let sums_id = case.output("sums", ScalarType::U32, sums);
    for _ in 0..ITERATIONS {
        let arguments = vec![Argument::Resource(sums_id), Argument::value(sums as u32)];
        case.launch("clear", [round_up(sums, GROUP)], [GROUP], arguments);
        let mut arguments = vec![Argument::Resource(features_id), Argument::value(points as u32)];
        arguments.extend([centres_id, nearest_id, sums_id].map(Argument::Resource));
        case.launch("assign", [groups * GROUP], [GROUP], arguments);
        let arguments = [sums_id, centres_id].map(Argument::Resource).to_vec();
        case.launch("move", [round_up(CLUSTERS * FEATURES, GROUP)], [GROUP], arguments);
    }

    let mut nearest = Vec::new();
    for _ in 0..ITERATIONS {
        nearest = generate(points, |point| nearest_centre(&features, &centres, point, points));
        move_centres(&features, &nearest, &mut centres);
    }
    let reason = "all values are whole numbers below 2^24";
    case.expect(nearest_id, &nearest, Tolerance::Exact, reason);
    case.expect(centres_id, &centres, Tolerance::Exact, reason);
    case.work = Work {
        bytes: (ITERATIONS * points * 4 * (FEATURES + 1)) as u64,
        operations: (ITERATIONS * points * CLUSTERS * FEATURES * 3) as u64,
    };
    case
}

fn nearest_centre(features: &[f32], centres: &[f32], point: usize, points: usize) -> u32 {
    let distance = |centre: &[f32]| -> f32 {
        let difference = |f: usize| features[f * points + point] - centre[f];
        (0..FEATURES).map(|f| difference(f) * difference(f)).sum()
    };
    let distances: Vec<f32> = centres.chunks_exact(FEATURES).map(distance).collect();
    let least = distances.iter().copied().fold(f32::INFINITY, f32::min);
    distances.iter().position(|&distance| distance == least).expect("it is one of them") as u32
}

fn move_centres(features: &[f32], nearest: &[u32], centres: &mut [f32]) {
    let points = nearest.len();
    let mut counts = [0u64; CLUSTERS];
    let mut sums = [[0u64; FEATURES]; CLUSTERS];
    for (point, &cluster) in nearest.iter().enumerate() {
        counts[cluster as usize] += 1;
        for (f, sum) in sums[cluster as usize].iter_mut().enumerate() {
            *sum += features[f * points + point] as u64;
        }
    }
    for (cluster, centre) in centres.chunks_exact_mut(FEATURES).enumerate().filter(|(it, _)| counts[*it] > 0)
    {
        for (value, sum) in centre.iter_mut().zip(sums[cluster]) {
            *value = ((sum + counts[cluster] / 2) / counts[cluster]) as f32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_change_their_centre_and_one_centre_has_none() {
        let case = build(Size::Small);
        let expected = |output: usize| -> &[f32] { bytemuck::cast_slice(&case.outputs[output].expected) };
        let nearest: &[u32] = bytemuck::cast_slice(&case.outputs[0].expected);
        assert!(!nearest.contains(&5) && expected(1)[5 * FEATURES] == 1000.0);
        let used = (0..CLUSTERS as u32).filter(|cluster| nearest.contains(cluster)).count();
        assert!(used > CLUSTERS / 2, "{used} clusters have points");
        let features: &[f32] = bytemuck::cast_slice(&case.resources[0].data);
        let before: &[f32] = bytemuck::cast_slice(&case.resources[1].data);
        let points = nearest.len();
        let moved =
            (0..points).filter(|&point| nearest_centre(features, before, point, points) != nearest[point]);
        assert!(moved.count() > points / 50);
    }
}
