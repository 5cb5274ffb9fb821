//! y = a x + y.

use crate::case::{Argument, Case, Size, Tolerance, Work, round_up};
use crate::random::{Random, generate};
use clvk_interface::ScalarType;

const GROUP: usize = 256;

pub fn build(size: Size) -> Case {
    let vectors = size.pick(4099, 1 << 26);
    let count = vectors * 4;
    let factor = 2.5f32;
    let (random_x, random_y) = (Random::new(1), Random::new(2));
    let x = generate(count, |i| random_x.signed(i));
    let y = generate(count, |i| random_y.signed(i));

    let mut case = Case::new("saxpy", "saxpy/saxpy.cl");
    let x_id = case.input("x", ScalarType::F32, &x);
    let y_id = case.input("y", ScalarType::F32, &y);
    case.launch(
        "saxpy",
        [round_up(vectors, GROUP)],
        [GROUP],
        vec![
            Argument::value(vectors as u32),
            Argument::value(factor),
            Argument::Resource(x_id),
            Argument::Resource(y_id),
        ],
    );
    let expected = generate(count, |i| (f64::from(factor) * f64::from(x[i]) + f64::from(y[i])) as f32);
    let tolerance = Tolerance::Float { absolute: 4e-7, relative: 0.0 };
    case.expect(y_id, &expected, tolerance, "two roundings of values below 3.5");
    case.work = Work { bytes: 12 * count as u64, operations: 0 };
    case
}
