//! Steps along a gradient. The kernel in C++ has a type that differentiates by itself.

use crate::case::{Argument, Case, NOT_FUSED, Size, Tolerance, Work, round_up};
use crate::random::{Random, generate, generate_rows};
use clvk_interface::ScalarType;

const GROUP: usize = 64;
const RATE: f32 = 0.01;

pub fn build(size: Size) -> Case {
    named("derivatives", "derivatives/derivatives.cl", size)
}

/// The same with the kernel in C++.
pub fn build_cxx(size: Size) -> Case {
    named("derivatives_cxx", "derivatives/derivatives.clcpp", size)
}

fn named(name: &str, source: &str, size: Size) -> Case {
    let (count, steps) = size.pick((1000, 40), (1 << 22, 1024));
    let random = Random::new(101);
    let starts: Vec<f32> = generate(2 * count, |i| 1.5 * random.signed(i));
    let mut case = Case::new(name, source);
    // Products with derivatives that are zero are zero.
    case.options.extend(["-cl-finite-math-only", "-cl-no-signed-zeros"].map(str::to_owned));
    let starts_id = case.input("starts", ScalarType::F32, &starts);
    let ends_id = case.output("ends", ScalarType::F32, 4 * count);
    case.launch(
        "descend",
        [round_up(count, GROUP)],
        [GROUP],
        vec![
            Argument::Resource(starts_id),
            Argument::Resource(ends_id),
            Argument::value(count as u32),
            Argument::value(steps),
            Argument::value(RATE),
        ],
    );
    let expected: Vec<f32> = generate_rows(count, 4, |i, out: &mut [f32]| {
        out.copy_from_slice(&descended(starts[2 * i], starts[2 * i + 1], steps));
    });
    case.expect(ends_id, &expected, Tolerance::Exact, NOT_FUSED);
    case.work = Work { bytes: 24 * count as u64, operations: 20 * u64::from(steps) * count as u64 };
    case
}

/// The place after all steps, and the value and its derivative by x before the last one.
fn descended(mut x: f32, mut y: f32, steps: u32) -> [f32; 4] {
    let (mut value, mut dx) = (0.0, 0.0);
    for _ in 0..steps {
        let (u, v) = (1.0 - x, y - x * x);
        let v_dx = -(x + x);
        value = u * u + 8.0 * (v * v);
        dx = (-u + -u) + 8.0 * (v_dx * v + v * v_dx);
        let dy = 8.0 * (v + v);
        x -= RATE * dx;
        y -= RATE * dy;
    }
    [x, y, value, dx]
}
