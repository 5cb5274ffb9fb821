//! What the host prints, compared with rows that glibc's `snprintf` made.

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
    PrintFormat { text: Some(text.as_bytes().to_vec()), arguments: arguments.to_vec() }
}

fn print(format: &PrintFormat, words: &[u32]) -> String {
    let mut out = Vec::new();
    format.write(words, &[], &mut out);
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

/// A string as it stands in a record.
fn packed(text: &str) -> Vec<u32> {
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte));
    text.as_bytes().chunks(4).map(word).collect()
}

#[test]
fn strings_stand_behind_the_arguments() {
    let string = |address| PrintArgument::String { limit: 9, address };
    let arguments = [string(false), PrintArgument::Value(PrintKind::Int, 1), string(false), string(false)];
    let words = [vec![5, 7, NULL_STRING, 2], packed("abcde"), packed("xy")].concat();
    assert_eq!(print(&format("%s|%d|%s|%4s", &arguments), &words), "abcde|7|(null)|  xy");
    // A length that our kernels never write, and one beyond the buffer.
    assert_eq!(
        print(&format("%s.", &[string(false)]), &[&[1000][..], &packed("123456789abc")].concat()),
        "123456789."
    );
    assert_eq!(print(&format("%s.", &[string(false)]), &[8, 0x3433_3231]), "1234.");
    // With an address, the conversion decides.
    let both = [string(true), string(true)];
    let words = [vec![0x1234, 0, 2, 0x5678, 0, 2], packed("ab"), packed("cd")].concat();
    assert_eq!(print(&format("%p %s", &both), &words), "0x1234 cd");
}

#[test]
fn formats_may_be_in_the_record() {
    let format = PrintFormat { text: None, arguments: vec![PrintArgument::Value(PrintKind::Int, 1)] };
    assert_eq!(format.words(), 3);
    let record = [vec![1, 5, 42], packed("<%d>!")].concat();
    let next = [vec![1, 3, 43], packed("%x;")].concat();
    let end = HEAD_WORDS + (record.len() + next.len()) as u32;
    let buffer = [vec![end, 100, 0, 0], record, next].concat();
    assert_eq!(printed(&buffer, std::slice::from_ref(&format), &[]), (b"<42>!2b;".to_vec(), 0));
    let of_null = [HEAD_WORDS + 3, 100, 0, 0, 1, NULL_STRING, 42];
    assert_eq!(printed(&of_null, &[format], &[]).0, NULL_TEXT);
}

#[test]
fn strings_may_be_the_modules_own() {
    let known = [b"long enough".to_vec(), b"other %d".to_vec()];
    let string = |limit, address| PrintArgument::String { limit, address };
    let int = PrintArgument::Value(PrintKind::Int, 1);
    let arguments = [string(9, false), string(4096, false), int.clone(), string(4096, true)];
    let record = [
        vec![1, STRING_TABLE, 2, 7, 0x99, 0, STRING_TABLE + 1],
        packed("ab"),
        vec![2, STRING_TABLE + 1, 5],
        // No such string.
        vec![2, STRING_TABLE + 2, 6],
        vec![2, NULL_STRING - 1, 6],
        vec![2, STRING_TABLE + 1, 8],
    ]
    .concat();
    let formats = [format("%s|%s|%d|%s\n", &arguments), PrintFormat { text: None, arguments: vec![int] }];
    let buffer = [vec![HEAD_WORDS + record.len() as u32, 100, 0, 0], record].concat();
    let (text, lost) = printed(&buffer, &formats, &known);
    assert_eq!(
        (String::from_utf8(text).unwrap(), lost),
        ("long enou|ab|7|other %d\nother 5other 8".to_owned(), 0)
    );
}

#[test]
fn buffers_are_read_as_far_as_they_make_sense() {
    let formats = [format("a%d;", &[PrintArgument::Value(PrintKind::Int, 1)]), format("b;", &[])];
    // The head, two records, and one that did not fit.
    let mut buffer = vec![12, 9, 1, 0, 1, 5, 2, 0, 77];
    assert_eq!(printed(&buffer, &formats, &[]), (b"a5;b;".to_vec(), 1));
    // A truncated record, a format that does not exist, and an empty buffer.
    buffer = vec![5, 9, 0, 0, 1];
    assert_eq!(printed(&buffer, &formats, &[]).0, b"");
    buffer = vec![6, 9, 0, 0, 3, 1];
    assert_eq!(printed(&buffer, &formats, &[]).0, b"");
    assert_eq!(printed(&[], &formats, &[]), (Vec::new(), 0));
    assert_eq!(head(256), [4, 256, 0, 0]);
}

#[test]
fn arguments_are_compared_with_the_format() {
    use super::check::{Mismatch, mismatch};
    let value = PrintArgument::Value;
    let string = || PrintArgument::String { limit: 4, address: true };
    for (text, arguments, problem) in [
        ("%d %5.3f%% %s", vec![value(PrintKind::Int, 1), value(PrintKind::Float, 1), string()], None),
        ("%d", vec![value(PrintKind::Int, 1), value(PrintKind::Int, 1)], None),
        ("%v4hld %v2hhx", vec![value(PrintKind::Int, 4), value(PrintKind::Char, 2)], None),
        ("%p %p", vec![value(PrintKind::Pointer, 1), string()], None),
        ("%d %ld", vec![value(PrintKind::Int, 1)], Some("no argument of `printf` is left for `%ld`")),
        ("%n", vec![value(PrintKind::Pointer, 1)], Some("the conversion 1 of the format")),
        ("%d %", vec![value(PrintKind::Int, 1)], Some("the conversion 2 of the format")),
        (
            "%v3hld",
            vec![value(PrintKind::Int, 4)],
            Some("the argument 1 of `printf` is an `int4`, which does not fit `%v3hld`"),
        ),
        ("%v4hlf", vec![value(PrintKind::Half, 4)], Some("is a `half4`, which")),
        ("%ld", vec![value(PrintKind::Int, 1)], Some("is an `int`, which does not fit `%ld`")),
        ("%s", vec![value(PrintKind::Pointer, 1)], Some("is a pointer, which does not fit `%s`")),
        ("%d", vec![string()], Some("is a string, which does not fit `%d`")),
        ("%p", vec![value(PrintKind::Long, 1)], Some("is a `long`, which does not fit `%p`")),
    ] {
        let found = mismatch(text.as_bytes(), &arguments);
        assert_eq!(found.is_some(), problem.is_some(), "{text}: {found:?}");
        let (Some(found), Some(problem)) = (found, problem) else { continue };
        let read = Mismatch::read(found.word()).expect("something is wrong");
        let message = read.problem(&arguments);
        assert!(message.contains(problem), "{text}: {message}");
        assert_eq!(read.word(), found.word());
    }
    assert_eq!(Mismatch::read(0), None);
}
