//! C = A B with the types of matrix engines: small whole numbers, whose sums are exact in every order.

use crate::case::{Argument, Case, Size, Tolerance, Work};
use crate::random::{Random, generate, generate_rows};
use clvk_interface::ScalarType;
use half::{bf16, f16};

/// Side of the tile of C that a work-group computes.
const TILE: usize = 128;
/// Work-items in a work-group.
const ITEMS: usize = 128;

/// What the kernel computes with.
struct Types {
    name: &'static str,
    options: &'static [&'static str],
    /// How elements of A and B are stored: a type of 16 bits, or bytes.
    stored: Stored,
    /// A bias for each column is added, negative results become zero, and results are half-precision numbers.
    fused: bool,
}

enum Stored {
    /// The type in the buffer, and the bits of a number.
    Floats(ScalarType, fn(i32) -> u16),
    Bytes,
}

const HALVES: Stored = Stored::Floats(ScalarType::F16, |value| f16::from_f32(value as f32).to_bits());

pub fn build(size: Size) -> Case {
    let options = &["-DELEMENT=half", "-DSUM=float", "-DINNER=16"];
    product(size, Types { name: "matrix_product", options, stored: HALVES, fused: false })
}

pub fn build_bfloat16(size: Size) -> Case {
    let options = &["-DELEMENT=__bf16", "-DSUM=float", "-DINNER=16"];
    let stored = Stored::Floats(ScalarType::U16, |value| bf16::from_f32(value as f32).to_bits());
    product(size, Types { name: "matrix_product_bfloat16", options, stored, fused: false })
}

pub fn build_bytes(size: Size) -> Case {
    let options = &["-DELEMENT=char", "-DSUM=int", "-DINNER=32", "-DBYTES"];
    product(size, Types { name: "matrix_product_bytes", options, stored: Stored::Bytes, fused: false })
}

pub fn build_fused(size: Size) -> Case {
    let options = &["-DELEMENT=half", "-DSUM=float", "-DINNER=16", "-DFUSED"];
    product(size, Types { name: "matrix_product_fused", options, stored: HALVES, fused: true })
}

/// Whole numbers from `-most` to `most`.
pub(super) fn whole(random: Random, index: usize, most: i32) -> i32 {
    (random.signed(index) * (most as f32 + 0.999)) as i32
}

fn product(size: Size, types: Types) -> Case {
    let (m, n, k) = size.pick((256, 128, 128), (4096, 4096, 4096));
    let (random_a, random_b, random_bias) = (Random::new(21), Random::new(22), Random::new(23));
    let is_float = matches!(types.stored, Stored::Floats(..));
    let most = if is_float { 8 } else { 127 };
    let a = generate(m * k, |i| whole(random_a, i, most));
    let b = generate(k * n, |i| whole(random_b, i, most));
    let bias = generate(n, |i| whole(random_bias, i, 100));
    // At most 4096 * 8 * 8 + 100, which single precision represents, or 4096 * 127 * 127 in 32 bits.
    let sums = generate_rows(m, n, |row, out: &mut [i32]| {
        for (column, sum) in out.iter_mut().enumerate() {
            *sum = if types.fused { bias[column] } else { 0 };
        }
        for (step, &factor) in a[row * k..][..k].iter().enumerate() {
            for (sum, &value) in out.iter_mut().zip(&b[step * n..][..n]) {
                *sum += factor * value;
            }
        }
    });

    let mut case = Case::new(types.name, "matrix_product/matrix_product.cl");
    case.options = types.options.iter().map(|&option| option.to_owned()).collect();
    // Deep tiles are faster on GPUs, and take more local memory than every device has.
    case.options.push(size.pick("-DUNITS=4", "-DUNITS=8").to_owned());
    let (a_id, b_id) = match types.stored {
        Stored::Floats(ty, bits) => {
            let (a, b): (Vec<u16>, Vec<u16>) =
                (a.into_iter().map(bits).collect(), b.into_iter().map(bits).collect());
            (case.input("a", ty, &a), case.input("b", ty, &b))
        }
        Stored::Bytes => {
            let bytes = |values: &[i32]| values.iter().map(|&value| value as i8).collect::<Vec<_>>();
            (case.input("a", ScalarType::I8, &bytes(&a)), case.input("b", ScalarType::I8, &bytes(&b)))
        }
    };
    let bias_id = if is_float {
        let bias: Vec<f32> = bias.iter().map(|&value| value as f32).collect();
        case.input("bias", ScalarType::F32, &bias)
    } else {
        case.input("bias", ScalarType::I32, &bias)
    };
    let element = match (types.fused, is_float) {
        (true, _) => ScalarType::F16,
        (false, true) => ScalarType::F32,
        (false, false) => ScalarType::I32,
    };
    let c_id = case.output("c", element, m * n);
    case.launch(
        "matrix_product",
        [n / TILE * ITEMS, m / TILE],
        [ITEMS, 1],
        vec![
            Argument::value(n as u32),
            Argument::value(k as u32),
            Argument::Resource(a_id),
            Argument::Resource(b_id),
            Argument::Resource(bias_id),
            Argument::Resource(c_id),
        ],
    );
    let reason = "all sums are whole numbers that the types represent";
    if types.fused {
        let results: Vec<i32> = sums.iter().map(|&sum| sum.max(0)).collect();
        let results: Vec<u16> = results.iter().map(|&sum| f16::from_f32(sum as f32).to_bits()).collect();
        case.expect(c_id, &results, Tolerance::Exact, "one rounding of a whole number");
    } else if is_float {
        let results: Vec<f32> = sums.iter().map(|&sum| sum as f32).collect();
        case.expect(c_id, &results, Tolerance::Exact, reason);
    } else {
        case.expect(c_id, &sums, Tolerance::Exact, reason);
    }
    let sizes = if is_float { (2, if types.fused { 2 } else { 4 }) } else { (1, 4) };
    let bytes = sizes.0 * (m * k + k * n) + sizes.1 * m * n;
    case.work = Work { bytes: bytes as u64, operations: 2 * (m * n * k) as u64 };
    case
}
