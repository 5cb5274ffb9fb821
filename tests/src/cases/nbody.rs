//! One step of a gravitational n-body simulation.

use crate::case::{Argument, Case, Size, Tolerance, Work};
use crate::random::{Random, generate, generate_rows};
use clvk_interface::ScalarType;

const GROUP: usize = 256;

pub fn build(size: Size) -> Case {
    let count = size.pick(512, 1 << 16);
    let (time_step, softening) = (0.1f32, 0.01f32);
    let (random_body, random_velocity) = (Random::new(51), Random::new(52));
    // The masses sum to about one half whatever their number, so accelerations are of the order of one.
    let bodies: Vec<f32> = generate_rows(count, 4, |i, body: &mut [f32]| {
        for (axis, value) in body.iter_mut().take(3).enumerate() {
            *value = random_body.signed(4 * i + axis);
        }
        body[3] = random_body.unit(4 * i + 3) / count as f32;
    });
    let velocities: Vec<f32> = generate_rows(count, 4, |i, velocity: &mut [f32]| {
        for (axis, value) in velocity.iter_mut().enumerate() {
            *value = 0.1 * random_velocity.signed(4 * i + axis);
        }
    });

    let mut case = Case::new("nbody", "nbody/nbody.cl");
    let bodies_id = case.input("bodies", ScalarType::F32, &bodies);
    let velocities_id = case.input("velocities", ScalarType::F32, &velocities);
    let moved_id = case.output("moved", ScalarType::F32, count * 4);
    case.launch(
        "nbody",
        [count],
        [GROUP],
        vec![
            Argument::Resource(bodies_id),
            Argument::Resource(velocities_id),
            Argument::Resource(moved_id),
            Argument::value(time_step),
            Argument::value(softening),
            Argument::Local(GROUP * 16),
        ],
    );

    let stepped: Vec<[f32; 8]> =
        generate(count, |i| step(&bodies, &velocities, i, f64::from(time_step), f64::from(softening)));
    let pick =
        |from: usize| -> Vec<f32> { stepped.iter().flat_map(|body| body[from..from + 4].to_vec()).collect() };
    let tolerance = Tolerance::Float { absolute: 4e-6, relative: 0.0 };
    case.expect(
        velocities_id,
        &pick(4),
        tolerance,
        "rsqrt of 2 ulp cubed, sums of thousands of terms, times 0.1",
    );
    case.expect(moved_id, &pick(0), tolerance, "the velocity's error and two roundings");
    case.work = Work { bytes: 64 * count as u64, operations: 20 * (count as u64).pow(2) };
    case
}

/// Position and velocity of body `i` after the step.
fn step(bodies: &[f32], velocities: &[f32], i: usize, time_step: f64, softening: f64) -> [f32; 8] {
    let own: [f64; 4] = std::array::from_fn(|axis| f64::from(bodies[4 * i + axis]));
    let mut acceleration = [0f64; 3];
    for other in bodies.chunks_exact(4) {
        let way: [f64; 3] = std::array::from_fn(|axis| f64::from(other[axis]) - own[axis]);
        let squared = way[0] * way[0] + way[1] * way[1] + way[2] * way[2] + softening;
        let pull = f64::from(other[3]) / (squared * squared.sqrt());
        for axis in 0..3 {
            acceleration[axis] += way[axis] * pull;
        }
    }
    let mut moved = [0f32; 8];
    for axis in 0..3 {
        let velocity = f64::from(velocities[4 * i + axis]) + acceleration[axis] * time_step;
        moved[axis] = (own[axis] + velocity * time_step) as f32;
        moved[4 + axis] = velocity as f32;
    }
    moved[3] = bodies[4 * i + 3];
    moved[7] = velocities[4 * i + 3];
    moved
}
