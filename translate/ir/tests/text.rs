//! The text form: printed text parses back to the same text, and no input makes the parser panic.

mod generate;

use clvk_ir::text::parse_module;
use clvk_ir::verify::{Stage, verify, verify_stage};
use proptest::prelude::*;

/// Parses, verifies and prints.
fn round_trip(text: &str) -> String {
    let module = parse_module(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    if let Err(errors) = verify(&module) {
        panic!("{}\n{text}", errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"));
    }
    module.to_string()
}

/// Every operation and every kind of item, as the printer writes it.
const EVERYTHING: &str = include_str!("everything.ir");

#[test]
fn the_text_of_every_operation_is_stable() {
    let printed = round_trip(EVERYTHING);
    assert_eq!(printed, EVERYTHING);
}

#[test]
fn every_operation_has_a_case() {
    let module = parse_module(EVERYTHING).unwrap();
    let used: Vec<String> = module
        .functions
        .iter()
        .flat_map(|(_, function)| function.insts.iter())
        .map(|(_, inst)| clvk_ir::text::op_name(&inst.op))
        .collect();
    for name in clvk_ir::text::op_names() {
        assert!(used.contains(&name), "everything.ir has no case for `{name}`");
    }
}

#[test]
fn names_and_short_forms_are_read() {
    let text = "; a comment\nfunc @f(%x: i32) -> i32 {\n %positive: bool = sgt %x, 0:i32 ; another\n\
                %y = if %positive -> (i32) { yield %x } else { yield -1:i32 }\n if %positive { return %y }\n return 0x10:i32 }";
    let expected = "func @f(%0: i32) -> i32 {\n  %1: bool = sgt %0, 0:i32\n  %2 = if %1 -> (i32) {\n    yield %0\n  } else {\n    \
                    yield -1:i32\n  }\n  if %1 {\n    return %2\n  }\n  return 16:i32\n}\n";
    assert_eq!(round_trip(text), expected);
}

#[test]
fn deep_nesting_needs_no_stack() {
    let depth = 100_000;
    let mut text = String::from("func @f(%c: bool) {\n");
    text.push_str(&"if %c {\n".repeat(depth));
    text.push_str(&"yield\n}\n".repeat(depth));
    text.push_str("return\n}\n");
    let printed = round_trip(&text);
    assert_eq!(printed.matches("if %0 {").count(), depth);
}

#[test]
fn errors_say_where() {
    let cases = [
        ("func @f() {\n  %0: i32 = add %1, %1\n  return\n}", "2:17: `%1` is not defined before this place"),
        ("func @f() {\n  frobnicate\n}", "2:3: there is no operation `frobnicate`"),
        ("func @f() {\n  yield\n}", "2:3: there is nothing that this `yield` could refer to"),
        ("func @f(%0: i33) {\n}", "1:13: `i33` is not a type"),
        ("func @f() {\n  return 300:i8\n}", "2:10: `300` does not fit into 8 bits"),
        ("func @f();\nfunc @f();", "2:6: `@f` is defined twice"),
        ("func @f() { call @g }", "1:18: the module has no function `@g`"),
        ("func @f() {", "1:12: expected an operation, found the end of the text"),
        (
            "global @g: constant size 1 align 1 = bytes \"0\"",
            "1:44: a string of bytes holds two hexadecimal digits a byte",
        ),
        (
            "func @f(%0: i32) { switch %0 { case 1 { yield } } }",
            "1:49: a switch ends with a `default` region",
        ),
        ("func @f() { store ? }", "1:19: no token starts with '?'"),
        ("\"", "1:1: this string has no end"),
    ];
    for (text, expected) in cases {
        assert_eq!(parse_module(text).unwrap_err().to_string(), expected, "{text}");
    }
}

/// Broken modules, and part of the verifier's message.
#[test]
fn the_verifier_names_the_broken_rule() {
    let cases = [
        (
            "func @f(%c: bool) -> i32 { if %c { %x: i32 = add 1:i32, 1:i32\n yield } return %x }",
            "does not dominate",
        ),
        (
            "func @f(%c: bool) { %x = if %c -> (i32) { yield %x } else { yield 1:i32 } return }",
            "does not dominate",
        ),
        (
            "func @f(%c: bool) { %x = if %c -> (i32) { yield } else { yield 1:i32 } return }",
            "0 operands instead of 1",
        ),
        ("func @f(%c: bool) { if %c { yield } }", "must end with a terminator"),
        ("func @f() { return return }", "nothing may follow a terminator"),
        ("func @f() { }", "empty"),
        ("func @f() -> i32 { return 1:i64 }", "i64 instead of i32"),
        ("func @f() { next }", "continuing region"),
        ("func @f() { loop { yield } continuing { continue } return }", "body is around it"),
        (
            "func @f() { loop (%x: i32 = 1:i32) { continue } continuing { next } return }",
            "0 operands instead of 1",
        ),
        (
            "func @f() { loop (%x: i32 = 1:i64) { yield } continuing { next 2:i32 } return }",
            "i64 instead of i32",
        ),
        ("func @f(%x: i32) { %y: i32 = fadd %x, %x\n return }", "does not take i32"),
        ("func @f(%x: i32) { %y: i64 = add %x, %x\n return }", "the result is of type i32"),
        ("func @f(%x: i32) { %y: i32 = add %x, 1:i64\n return }", "different types"),
        ("func @f(%x: i32) { %y: i32 = truncate %x\n return }", "does not convert i32 to i32"),
        ("func @f(%p: ptr.global) { %y: bool = load %p align 1\n return }", "not in memory"),
        ("func @f(%p: ptr.global) { %y: i32 = load %p align 3\n return }", "not a power of two"),
        ("func @f(%p: ptr.constant) { store %p, 1:i32 align 4\n return }", "constant memory is not written"),
        ("func @f(%v: i32x4) { %y: i32 = extract %v lane 4\n return }", "has no lane 4"),
        ("func @f(%v: i32x5) { return }", "no vector has 5 lanes"),
        (
            "func @f(%v: i32) { switch %v { case 1 { yield } case 1 { yield } default { yield } } return }",
            "two regions",
        ),
        ("func @f() { call @g 1:i32\n return }\nfunc @g();", "1 arguments instead of 0"),
        ("kernel @f(%0: i32 \"x\" \"int*\" buffer) { return }", "is described as"),
        ("func @f() { %0: i32x3 = input.workgroup_id\n return }", "no target operations"),
        ("global @g: local size 4 align 4 = zero", "has no initialiser"),
        ("global @g: constant size 4 align 4 = bytes \"00\"", "1 bytes, the variable 4"),
    ];
    for (text, rule) in cases {
        let module = parse_module(text).unwrap_or_else(|error| panic!("{error}: {text}"));
        let errors = verify_stage(&module, Stage::Source).expect_err(text);
        assert!(errors.iter().any(|error| error.to_string().contains(rule)), "{text}\n{errors:?}");
    }
}

/// The rules for the SPIR-V writer's input that a kernel with this body breaks. `%w`, `%l`, `%f` and `%b` are
/// a word, a long, a float and a truth value; `%p` points to words of local memory, `%a` to private ones, and
/// `%g` is a physical address.
fn raised(body: &str) -> Result<(), String> {
    let text = format!(
        "kernel @k() {{\n  var $0 \"n\": local i32 count 8\n  var $1 \"a\": private i32 count 8\n  \
         %w: i32 = push_constant offset 0\n  %l: i64 = push_constant offset 8\n  %f: f32 = push_constant offset 4\n  \
         %b: bool = eq %w, 0:i32\n  %p: ptr.local = element_pointer $0 %w\n  \
         %a: ptr.private = element_pointer $1 %w\n  %g: ptr.global = physical_pointer %l space global\n  \
         {body}\n  return\n}}\n"
    );
    let module = parse_module(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    verify(&module).unwrap_or_else(|errors| panic!("{errors:?}: {text}"));
    verify_stage(&module, Stage::Raised).map_err(|errors| errors[0].rule.clone())
}

#[test]
fn what_spirv_says_otherwise_is_not_raised() {
    let cases = [
        ("%x: i32 = clz %w", "raised to other operations"),
        ("%x: i32 = ctz %w", "raised to other operations"),
        ("%x: i64 = popcount %l", "bits are those of words"),
        ("%x: i32 = shl %w, %w", "below the width"),
        ("%x: i64 = ashr %l, 64:i64", "below the width"),
        ("%m: i32 = and %w, 32:i32\n %x: i32 = lshr %w, %m", "below the width"),
        ("%x: i32x2 = shl <1, 1>:i32x2, <31, 32>:i32x2", "below the width"),
        ("%x: i32 = srem %w, %w", "raised to other operations"),
        ("%x: i64 = umulhi %l, %l", "high product"),
        ("%x: bool = ford %f, %f", "raised to other operations"),
        ("%x: bool = funo %f, %f", "raised to other operations"),
        ("%x: i32 = zext %b", "raised to other operations"),
        ("%x: i32 = bitcast %w", "changes the type"),
        ("%x: f32 = sitof.rtz %w", "nearest even"),
        ("%x: i32 = ftosi.sat %f", "raised to other operations"),
        ("%x: i64 = ptrtoint %g", "raised to other operations"),
        ("%x: f32 = copysign %f, %f", "raised to other operations"),
        ("%x: bool = isnan %f", "raised to other operations"),
        ("%x: f64 = native_exp2 1.0:f64", "no device has"),
        ("%s: i8 = truncate %w\n switch %s { case 1 { yield } default { yield } }", "32 or 64 bits"),
        ("%x: i32 = atomic.add %p, 1:i32 order seq_cst scope device", "memory order"),
        ("%x: i32 = atomic.load %p order seq_cst scope device", "memory order"),
        (
            "%x: i32 = atomic.compare_exchange %p, %w, %w success release failure acquire scope device",
            "memory order",
        ),
        ("%x: i32 = atomic.add %a, 1:i32 order relaxed scope device", "that work-items share"),
        (
            "%x: f32 = atomic.compare_exchange %g, %f, %f success relaxed failure relaxed scope device",
            "no such raised",
        ),
        ("%x: f64 = atomic.fmin %g, 1.0:f64 order relaxed scope device", "no such raised"),
        ("fence order relaxed scope device flags [global]", "a raised fence"),
        ("fence order acquire scope workitem flags [image]", "a raised fence"),
        ("fence order acquire scope device flags []", "a raised fence"),
        ("barrier execution workgroup memory workgroup flags [global]", "a raised barrier"),
        ("%x: ptr.private = alloca size 4 align 4", "an element of a variable, or an address"),
        ("%x: f32x8 = construct %f, %f, %f, %f, %f, %f, %f, %f", "at most 4 lanes"),
        ("%x: i64 = workitem.global_id 0:i32", "lowered or raised before"),
    ];
    for (body, rule) in cases {
        let broken = raised(body).expect_err(body);
        assert!(broken.contains(rule), "{body}\n{broken}");
    }
}

#[test]
fn what_spirv_says_is_raised() {
    for body in [
        "%x: i32 = highest_bit %w\n %y: i32 = lowest_bit %w",
        "%m: i32 = and %w, 31:i32\n %x: i32 = lshr %w, %m",
        "%m: i64 = and 63:i64, %l\n %x: i64 = shl %l, %m",
        "%x: i8 = shl 1:i8, 7:i8",
        "%x: f32 = fclamp %f, 0.0:f32, 1.0:f32",
        "%x: f32 = select %b, %f, 0.0:f32",
        "%x: i32 = atomic.compare_exchange %p, %w, %w success acq_rel failure acquire scope device",
        "%x: f64 = atomic.fadd %g, 1.0:f64 order relaxed scope device",
        "%x: i64 = load %g align 8\n store %a, %w align 4",
        "fence order acq_rel scope workgroup flags [image]",
        "barrier execution workgroup memory workgroup flags [local]",
    ] {
        assert_eq!(raised(body), Ok(()), "{body}");
    }
}

#[test]
fn errors_show_the_instruction() {
    let module = parse_module("func @f(%a: i32) -> i32 {\n %b: i32 = fadd %a, 1:i32\n return %b\n}").unwrap();
    let errors = verify(&module).unwrap_err();
    assert_eq!(errors[0].to_string(), "`@f`, `%1: i32 = fadd %0, 1:i32`: the operation does not take i32");
}

proptest! {
    #[test]
    fn printing_parses_back(seed in any::<u64>(), size in 1_usize..120) {
        let module = generate::module(seed, size);
        prop_assert_eq!(verify_stage(&module, Stage::Source), Ok(()));
        let printed = module.to_string();
        prop_assert_eq!(&round_trip(&printed), &printed);
    }

    #[test]
    fn mutations_do_not_panic(edits in prop::collection::vec((any::<prop::sample::Index>(), 0_usize..4, any::<u8>()), 1..12)) {
        let mut bytes = EVERYTHING.as_bytes().to_vec();
        for (index, kind, byte) in edits {
            let at = index.index(bytes.len());
            match kind {
                // Something remains, however often the text is halved.
                _ if bytes.len() < 8 => break,
                0 => bytes[at] = byte & 0x7f,
                1 => { bytes.remove(at); }
                2 => bytes.insert(at, bytes[byte as usize % bytes.len()]),
                _ => bytes.truncate(at.max(bytes.len() / 2)),
            }
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Ok(module) = parse_module(&text) {
            let _ = verify(&module);
            let _ = module.to_string();
        }
    }

    #[test]
    fn swapped_words_do_not_panic(swaps in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 1..6)) {
        let mut words: Vec<&str> = EVERYTHING.split_inclusive(' ').collect();
        for (a, b) in swaps {
            let (a, b) = (a.index(words.len()), b.index(words.len()));
            words.swap(a, b);
        }
        if let Ok(module) = parse_module(&words.concat()) {
            let _ = verify(&module);
            let _ = module.to_string();
        }
    }
}
