//! Small values in memory that may consist only of words.

use crate::Program;
use clvk_interface::ScalarType;
use clvk_tests::case::{Argument, Case, ResourceKind, Tolerance, UNWRITTEN};
use half::f16;

const SOURCE: &str = include_str!("memory.cl");

pub static ALL: &[Program] = &[
    Program::new("race", SOURCE, race),
    Program::new("odd", SOURCE, odd),
    Program::new("whole", SOURCE, whole),
    Program::new("structures", SOURCE, structures),
    Program::new("arguments", SOURCE, arguments),
    Program::new("private", SOURCE, private),
    Program::new("casts", SOURCE, casts),
];

const EXACT: (Tolerance, &str) = (Tolerance::Exact, "bytes are bytes");

fn race() -> Case {
    let mut case = Case::new("race", "");
    let count = 512;
    let bytes: Vec<u8> = (0..count).map(|i| (i * 7 + 39) as u8).collect();
    let shorts: Vec<u16> = bytes.iter().map(|&byte| u16::from(byte) * 257).collect();
    let b = case.output("bytes", ScalarType::U8, count);
    let s = case.output("shorts", ScalarType::U16, count);
    let wrong = case.output("wrong", ScalarType::I32, count);
    case.launch("race", [count], [64], [b, s, wrong].map(Argument::Resource).to_vec());
    case.expect(b, &bytes, EXACT.0, EXACT.1);
    case.expect(s, &shorts, EXACT.0, EXACT.1);
    case.expect(wrong, &vec![0i32; count], EXACT.0, "each work-item finds its own values");
    case
}

/// The result of the copies of `odd`, element by element.
fn copied<T: Copy>(from: &[T], unwritten: T, count: usize) -> Vec<T> {
    let mut to = vec![unwritten; count * 48];
    for i in 0..count {
        for (place, lanes) in [(0, 3), (16, 4), (32, 8)] {
            let (source, target) = (i * 16 + i % 5, i * 48 + place + i % 7);
            to[target..target + lanes].copy_from_slice(&from[source..source + lanes]);
        }
    }
    to
}

fn odd() -> Case {
    let mut case = Case::new("odd", "");
    let count = 64;
    let bytes: Vec<u8> = (0..count * 16).map(|i| (i * 37 + 11) as u8).collect();
    let shorts: Vec<u16> = (0..count * 16).map(|i| (i * 4099 + 77) as u16).collect();
    let (from, from16) =
        (case.input("from", ScalarType::U8, &bytes), case.input("from16", ScalarType::U16, &shorts));
    let to = case.output("to", ScalarType::U8, count * 48);
    let to16 = case.output("to16", ScalarType::U16, count * 48);
    case.launch("odd", [count], [32], [from, to, from16, to16].map(Argument::Resource).to_vec());
    case.expect(to, &copied(&bytes, UNWRITTEN, count), EXACT.0, EXACT.1);
    case.expect(to16, &copied(&shorts, u16::from(UNWRITTEN) * 257, count), EXACT.0, EXACT.1);
    case
}

fn whole() -> Case {
    let mut case = Case::new("whole", "");
    let count = 64usize;
    let from: Vec<u8> = (0..count * 4).map(|i| (i * 29 + 3) as u8).collect();
    let to: Vec<u8> =
        (0..count * 4).map(|i| from[i / 4 * 4 + 3 - i % 4].wrapping_add((i % 4 + 1) as u8)).collect();
    let three: Vec<u8> =
        (0..count * 4).map(|i| if i % 4 == 3 { UNWRITTEN } else { from[i].wrapping_mul(3) }).collect();
    let wide: Vec<i8> = (0..count * 16).map(|i| ((i / 16) as i8).wrapping_sub((i % 16) as i8)).collect();
    let a = case.input("from", ScalarType::U8, &from);
    let b = case.output("to", ScalarType::U8, count * 4);
    let c = case.output("three", ScalarType::U8, count * 4);
    let d = case.output("wide", ScalarType::I8, count * 16);
    case.launch("whole", [count], [32], [a, b, c, d].map(Argument::Resource).to_vec());
    case.expect(b, &to, EXACT.0, EXACT.1);
    case.expect(c, &three, EXACT.0, "the fourth byte of a vector of 3 is not written");
    case.expect(d, &wide, EXACT.0, EXACT.1);
    case
}

/// The bytes of a `Mixed`: offsets 0, 2, 4 and 8; padding as given.
fn mixed(c: i8, s: i16, b: [u8; 3], l: i64, padding: [u8; 2]) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes[0] = c as u8;
    bytes[1] = padding[0];
    bytes[2..4].copy_from_slice(&s.to_le_bytes());
    bytes[4..7].copy_from_slice(&b);
    bytes[7] = padding[1];
    bytes[8..].copy_from_slice(&l.to_le_bytes());
    bytes
}

fn structures() -> Case {
    let mut case = Case::new("structures", "");
    let count = 60usize;
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for i in 0..count {
        let (c, s, l) = ((i as i8).wrapping_mul(5), (i as i16).wrapping_mul(1237), (i as i64) << 29);
        let mut b = [i as u8, (i * 3) as u8, (i * 7) as u8];
        before.extend(mixed(c, s, b, l, [0, 0]));
        let c = c.wrapping_neg();
        let s = s.wrapping_add(i16::from(c));
        b[i % 3] ^= 0x55;
        after.extend(mixed(c, s, b, l.wrapping_mul(3).wrapping_add(i64::from(s)), [0, 0]));
    }
    let kind = || ResourceKind::Buffer { record: vec![ScalarType::U8] };
    let from = case.add("from", kind(), before);
    let to = case.add("to", kind(), vec![0; count * 16]);
    case.launch("structures", [count], [20], [from, to].map(Argument::Resource).to_vec());
    case.expect(to, &after, EXACT.0, EXACT.1);
    case
}

fn arguments() -> Case {
    let mut case = Case::new("arguments", "");
    let out = case.output("out", ScalarType::I64, 9);
    let arguments = vec![
        Argument::value(-7i8),
        Argument::value(-3000i16),
        Argument::value([60000u16, 2, 3, 0]),
        Argument::value(-0x1234_5678_9abc_def0i64),
        Argument::value(f16::from_f32(-1234.0).to_bits()),
        Argument::value([u64::MAX - 4, 1 << 40]),
        Argument::Resource(out),
    ];
    case.launch("arguments", [1], [1], arguments);
    let expected = [-7, -3000, 60000, 2, 3, -0x1234_5678_9abc_def0, -1234, -5, 1i64 << 40];
    case.expect(out, &expected, EXACT.0, EXACT.1);
    case
}

fn private() -> Case {
    let mut case = Case::new("private", "");
    let table = [3, 1, 4, 1, 5, 9, 2, 255];
    let index: Vec<i32> = (0..64).map(|i| i * 11 % 97).collect();
    let expected: Vec<i32> = index
        .iter()
        .map(|&at| {
            let mut array = [0i8; 16];
            for k in 0..16 {
                array[((k + at) & 15) as usize] = k as i8 - 8;
            }
            i32::from(array[((at * 5) & 15) as usize]) + table[(at & 7) as usize] * 256
        })
        .collect();
    let a = case.input("index", ScalarType::I32, &index);
    let out = case.output("out", ScalarType::I32, 64);
    case.launch("private_bytes", [64], [32], [a, out].map(Argument::Resource).to_vec());
    case.expect(out, &expected, EXACT.0, EXACT.1);
    case
}

fn casts() -> Case {
    let mut case = Case::new("casts", "");
    let words: Vec<u32> = (0..64u32).map(|i| i.wrapping_mul(0x9e37_79b9) ^ 0x8000_ff01).collect();
    let expected: Vec<u32> = words
        .iter()
        .flat_map(|&word| {
            let b = word.to_le_bytes();
            let short = i16::from_le_bytes([b[0], b[1]]);
            let middle = i32::from(u16::from_le_bytes([b[1], b[2]]));
            [
                u32::from_le_bytes([b[1], b[0], b[3], b[2]]),
                word.rotate_left(16),
                u32::from(b[1]),
                (middle + i32::from(short)) as u32,
            ]
        })
        .collect();
    let a = case.input("words", ScalarType::U32, &words);
    let out = case.output("out", ScalarType::U32, 256);
    case.launch("casts", [64], [32], [a, out].map(Argument::Resource).to_vec());
    case.expect(out, &expected, EXACT.0, EXACT.1);
    case
}
