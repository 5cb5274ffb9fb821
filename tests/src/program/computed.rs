//! Expected results that are too long for a header, computed here from what the program's comments say.

use half::bf16;

/// A function that computes the expected integers.
type Expectation = fn() -> Vec<i128>;

const ALL: &[(&str, Expectation)] = &[
    ("squares", squares),
    ("wide_changed", wide_changed),
    ("wide_ends", wide_ends),
    ("wide_kept", wide_kept),
    ("wide_rows", wide_rows),
    ("wide_wrapped", wide_wrapped),
    ("matrix_rows", matrix_rows),
    ("matrix_rows_as_bfloat16", matrix_rows_as_bfloat16),
    ("matrix_rows_through_bfloat16", matrix_rows_through_bfloat16),
];

/// The values that the function with this name computes, as words of a header.
pub fn words(name: &str) -> Result<String, String> {
    let (_, compute) = ALL
        .iter()
        .find(|(known, _)| *known == name)
        .ok_or_else(|| format!("no function `{name}` in program/computed.rs"))?;
    Ok(compute().iter().map(i128::to_string).collect::<Vec<_>>().join(" "))
}

/// Squares of 0 to 255.
fn squares() -> Vec<i128> {
    (0..256).map(|value| value * value).collect()
}

/// Half the sum of a row of the numbers 0 to 255, 16 in a row, and the number itself.
fn matrix_rows() -> Vec<i128> {
    (0..256).map(|number| ((number / 16 * 16)..(number / 16 * 16 + 16)).sum::<i128>() / 2 + number).collect()
}

/// The same as the bits of bfloat16 numbers.
fn matrix_rows_as_bfloat16() -> Vec<i128> {
    matrix_rows().into_iter().map(|sum| i128::from(bf16::from_f32(sum as f32).to_bits())).collect()
}

/// The same, rounded to bfloat16, which leaves whole numbers.
fn matrix_rows_through_bfloat16() -> Vec<i128> {
    matrix_rows().into_iter().map(|sum| bf16::from_f32(sum as f32).to_f32() as i128).collect()
}

/// What `memory/wide_local_loads.cl` stores at a position.
fn value(position: u32) -> u32 {
    position * position * 7 + 3
}

/// A number after others, in a sum that depends on their order.
fn then(sum: u32, next: u32) -> u32 {
    sum.wrapping_mul(31).wrapping_add(next)
}

/// The sum of a row's numbers times 1, 3, 5 and 7.
fn weighted(row: [u32; 4]) -> u32 {
    row.iter().zip([1, 3, 5, 7]).fold(0, |sum: u32, (number, weight)| sum.wrapping_add(number * weight))
}

fn wide_rows() -> Vec<i128> {
    let products = |tile: &[u32], id: u32| {
        tile.chunks(8).fold(0, |total, row| {
            let terms = row.iter().zip(id..).map(|(number, own)| number.wrapping_mul(own));
            then(total, terms.fold(0, u32::wrapping_add))
        })
    };
    let of_group = |group: u32| {
        let before: Vec<u32> = (0..128).map(|place| value(place) + group).collect();
        let mut after = before.clone();
        for id in 0..64 {
            after[id as usize * 2 + id as usize % 2] += id;
        }
        (0..64).map(move |id| i128::from(products(&before, id) ^ products(&after, id)))
    };
    (0..2).flat_map(of_group).collect()
}

fn wide_ends() -> Vec<i128> {
    let of_group = |group: u32| {
        (0..16).map(move |id| {
            let row = |place: u32| value(place + group);
            i128::from((0..12).fold(row(id % 15), |sum, place| then(sum, row(place))))
        })
    };
    (0..2).flat_map(of_group).collect()
}

fn wide_changed() -> Vec<i128> {
    let mut tile = [[0u32; 4]; 16];
    for (row, id) in tile.iter_mut().zip(1..) {
        *row = [id, 2 * id, id * 2 * id, 4 * id];
    }
    let own = tile;
    for id in 0..16 {
        tile[id][id % 4] = weighted(own[(id + 1) % 16]);
    }
    let after =
        tile.iter().fold(0, |sum, row| then(sum, row[0] ^ row[1]).wrapping_add(row[2]).wrapping_sub(row[3]));
    let of_item = |id: usize| after.wrapping_add(own[id % 16][2] * 11 + own[id % 16][3] * 13);
    (0..32).map(|id| i128::from(of_item(id))).collect()
}

fn wide_kept() -> Vec<i128> {
    let of_item = |id: u32| {
        let row = [0, 1, 2, 3].map(|column| id % 16 / 4 * 4 + column);
        // The work-item with this row and column exchanged adds its id.
        let counted = row.map(|place| place + place % 4 * 4 + place / 4);
        then(weighted(counted), weighted(row.map(|place| place * 3)))
    };
    (0..32).map(|id| i128::from(of_item(id))).collect()
}

fn wide_wrapped() -> Vec<i128> {
    let row = |number: u32| [0, 1, 2, 3].map(|column| value(number * 4 + column));
    let of_item = |id: u32| {
        let mut low = row(3 - id % 4);
        low.reverse();
        then(weighted(row(id % 4)), weighted(low))
    };
    (0..32).map(|id| i128::from(of_item(id))).collect()
}
