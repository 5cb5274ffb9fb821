//! Needleman-Wunsch: dynamic programming along anti-diagonals, one launch each.

use crate::case::{Argument, Case, Size, Tolerance, Work, round_up};
use crate::random::{Random, generate};
use clvk_interface::ScalarType;

const BLOCK: usize = 32;
const LETTERS: usize = 24;
const GAP: i32 = 3;
const GROUP: usize = 64;

pub fn build(size: Size) -> Case {
    // In blocks.
    let (high, wide): (usize, usize) = size.pick((3, 5), (256, 256));
    let (rows, columns) = (high * BLOCK + 1, wide * BLOCK + 1);
    let random: [Random; 3] = std::array::from_fn(|i| Random::new(281 + i as u64));
    let letter = |random: Random, i: usize| random.below(i, LETTERS as u32) as i32;
    let down = generate(rows - 1, |i| letter(random[0], i));
    // Every third letter is what the other sequence has there.
    let across = generate(columns - 1, |i| match i % 3 {
        0 => down[i * (rows - 1) / (columns - 1)],
        _ => letter(random[1], i),
    });
    // Of letters with each other: symmetric, and the best of each is itself.
    let similarity = generate(LETTERS * LETTERS, |i| {
        let (a, b) = (i / LETTERS, i % LETTERS);
        let bits = random[2].below(a.min(b) * LETTERS + a.max(b), 7) as i32;
        if a == b { 4 + bits } else { bits - 4 }
    });

    let mut case = Case::new("needle", "needle/needle.cl");
    let scores_id = case.output("scores", ScalarType::I32, rows * columns);
    let down_id = case.input("down", ScalarType::I32, &down);
    let across_id = case.input("across", ScalarType::I32, &across);
    let similarity_id = case.input("similarity", ScalarType::I32, &similarity);
    let number = |value: usize| Argument::value(value as i32);
    let arguments = vec![Argument::Resource(scores_id), number(rows), number(columns), Argument::value(GAP)];
    case.launch("borders", [round_up(rows.max(columns), GROUP)], [GROUP], arguments);
    for diagonal in 0..high + wide - 1 {
        let first = (diagonal + 1).saturating_sub(high);
        let blocks = diagonal.min(wide - 1) + 1 - first;
        let mut arguments = vec![Argument::Resource(scores_id), number(columns)];
        arguments.extend([down_id, across_id, similarity_id].map(Argument::Resource));
        arguments.extend([Argument::value(GAP), number(diagonal), number(first)]);
        case.launch("needle", [blocks * BLOCK], [BLOCK], arguments);
    }

    let mut scores = vec![0i32; rows * columns];
    for row in 0..rows {
        for column in 0..columns {
            let at = row * columns + column;
            scores[at] = if row == 0 || column == 0 {
                -GAP * (row + column) as i32
            } else {
                let pair = down[row - 1] as usize * LETTERS + across[column - 1] as usize;
                (scores[at - columns - 1] + similarity[pair])
                    .max(scores[at - columns] - GAP)
                    .max(scores[at - 1] - GAP)
            };
        }
    }
    case.expect(scores_id, &scores, Tolerance::Exact, "integers");
    case.work = Work { bytes: (4 * rows * columns) as u64, operations: 0 };
    case
}
