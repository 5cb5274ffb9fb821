//! What the host prints, against rows that glibc's `snprintf` made.

use super::text::Value;
use super::*;

fn int(value: i64) -> Value {
    Value::Int { bits: value as u64 & 0xffff_ffff, wide: false }
}

fn long(value: i64) -> Value {
    Value::Int { bits: value as u64, wide: true }
}

fn float(value: f64) -> Value {
    Value::Float(value)
}

/// A format of one conversion, its argument, and what C prints.
fn rows() -> Vec<(&'static str, Value, &'static str)> {
    include!("rows.in")
}

fn words(value: Value) -> (PrintKind, Vec<u32>) {
    let halves = |bits: u64| vec![bits as u32, (bits >> 32) as u32];
    match value {
        Value::Int { bits, wide: false } => (PrintKind::Int, vec![bits as u32]),
        Value::Int { bits, wide: true } => (PrintKind::Long, halves(bits)),
        Value::Float(number) => (PrintKind::Double, halves(number.to_bits())),
    }
}

fn format(text: &str, arguments: &[PrintArgument]) -> PrintFormat {
    PrintFormat { text: text.as_bytes().to_vec(), arguments: arguments.to_vec() }
}

fn print(format: &PrintFormat, words: &[u32]) -> String {
    let mut out = Vec::new();
    format.write(words, &mut out);
    String::from_utf8(out).unwrap()
}

#[test]
fn numbers_are_written_as_c_writes_them() {
    let rows = rows();
    assert!(rows.len() > 300);
    for (text, value, expected) in rows {
        let (kind, words) = words(value);
        let format = format(text, &[PrintArgument::Value(kind, 1)]);
        assert_eq!(print(&format, &words), expected, "{text} of {value:?}");
    }
}

#[test]
fn vectors_have_commas_and_each_lane_its_field() {
    let lanes = |kind, count| [PrintArgument::Value(kind, count)];
    assert_eq!(print(&format("<%v4hld>", &lanes(PrintKind::Int, 4)), &[1, u32::MAX, 3, 4]), "<1,-1,3,4>");
    assert_eq!(print(&format("%3v2hhu", &lanes(PrintKind::Int, 2)), &[0x1ff, 7]), "255,  7");
    let floats = [1.5f32.to_bits(), (-2.0f32).to_bits(), 0.25f32.to_bits()];
    assert_eq!(print(&format("%.2v3hlf", &lanes(PrintKind::Float, 3)), &floats), "1.50,-2.00,0.25");
    assert_eq!(print(&format("%v2lx", &lanes(PrintKind::Long, 2)), &[1, 2, 0, 1]), "200000001,100000000");
}

#[test]
fn strings_percents_and_conversions_that_are_none() {
    let strings = |texts: &[&str]| -> Vec<PrintArgument> {
        texts.iter().map(|text| PrintArgument::Text(text.as_bytes().to_vec())).collect()
    };
    assert_eq!(
        print(&format("%s-%5s|%-5s|%.2s", &strings(&["ab", "cd", "ef", "ghi"])), &[]),
        "ab-   cd|ef   |gh"
    );
    assert_eq!(print(&format("100%% %q %n %llu %", &[]), &[]), "100% %q %n %llu %");
    assert_eq!(print(&format("%d", &[]), &[]), "");
}

#[test]
fn buffers_are_read_as_far_as_they_make_sense() {
    let formats = [format("a%d;", &[PrintArgument::Value(PrintKind::Int, 1)]), format("b;", &[])];
    // The head, two records, and one that did not fit.
    let mut buffer = vec![12, 9, 1, 0, 1, 5, 2, 0, 77];
    assert_eq!(printed(&buffer, &formats), (b"a5;b;".to_vec(), 1));
    // A record that is cut off, a format that there is not, and no buffer.
    buffer = vec![5, 9, 0, 0, 1];
    assert_eq!(printed(&buffer, &formats).0, b"");
    buffer = vec![6, 9, 0, 0, 3, 1];
    assert_eq!(printed(&buffer, &formats).0, b"");
    assert_eq!(printed(&[], &formats), (Vec::new(), 0));
    assert_eq!(head(256), [4, 256, 0, 0]);
}
