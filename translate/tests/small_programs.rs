//! Each pass on small programs.

use clvk_interface::{DeviceProfile, ImplicitBuffer};
use clvk_ir::container::{Library, write_library};
use clvk_ir::text::parse_module;
use clvk_translate::testing::{MAX_NESTING, run_named};
use clvk_translate::{TranslateError, TranslateOptions};

fn try_passes(names: &[&str], library: &Library<'_>, text: &str) -> Result<String, Vec<TranslateError>> {
    let mut module = parse_module(text).unwrap_or_else(|error| panic!("{error:?} in\n{text}"));
    clvk_ir::verify::verify(&module).unwrap_or_else(|errors| panic!("{errors:?} in\n{text}"));
    let profile = DeviceProfile::preset("lavapipe-22.3").unwrap();
    run_named(&mut module, names, library, &profile, &TranslateOptions::default())?;
    Ok(module.to_string())
}

/// The text after the passes.
fn after(names: &[&str], text: &str) -> String {
    try_passes(names, &Library::empty(), text).unwrap_or_else(|errors| panic!("{errors:?}"))
}

/// The first message of a pass that must fail.
fn error(names: &[&str], text: &str) -> String {
    try_passes(names, &Library::empty(), text).expect_err("the pass must fail").remove(0).to_string()
}

/// A kernel over a buffer of numbers and a number.
fn kernel(body: &str) -> String {
    format!(
        "kernel @main(%p: ptr.global \"p\" \"int*\" buffer element i32 signed,
                      %q: ptr.global \"q\" \"int*\" buffer element i32 signed,
                      %n: i32 \"n\" \"int\" value size 4 align 4 element i32 signed) {{\n{body}\nreturn\n}}"
    )
}

#[track_caller]
fn has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "`{part}` is missing in\n{text}");
    }
}

#[track_caller]
fn lacks(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(!text.contains(part), "`{part}` is still in\n{text}");
    }
}

#[test]
fn a_variable_that_a_loop_changes_is_carried_and_others_are_not() {
    let text = after(
        &["promote-whole"],
        &kernel(
            "%sum: ptr.private = alloca size 4 align 4
             %fixed: ptr.private = alloca size 4 align 4
             store %sum, 0:i32 align 4
             store %fixed, %n align 4
             loop (%i: i32 = 0:i32) {
               %c: bool = slt %i, %n
               if %c { yield } else { exit }
               %s: i32 = load %sum align 4
               %f: i32 = load %fixed align 4
               %t: i32 = add %s, %f
               store %sum, %t align 4
               continue %i
             } continuing (%j: i32) {
               %k: i32 = add %j, 1:i32
               next %k
             }
             %r: i32 = load %sum align 4
             store %p, %r align 4"
                .replace("else { exit }", "else { exit ^0 }")
                .replace("loop (", "loop ^0 (")
                .as_str(),
        ),
    );
    lacks(&text, &["alloca", "load"]);
    // The counter and the sum: nothing else is carried.
    let head = text.lines().find(|line| line.contains("loop")).unwrap();
    assert_eq!(head.matches("i32 =").count(), 2, "{text}");
}

#[test]
fn a_variable_seen_as_two_types_is_reinterpreted() {
    let text = after(
        &["promote-whole"],
        &kernel(
            "%v: ptr.private = alloca size 4 align 4
             store %v, %n align 4
             %f: f32 = load %v align 4
             store %p, %f align 4",
        ),
    );
    lacks(&text, &["alloca", "load"]);
    has(&text, &["bitcast"]);
}

#[test]
fn volatile_accesses_stay() {
    let body = "%v: ptr.private = alloca size 4 align 4
         store %v, %n align 4 volatile
         %a: i32 = load %v align 4 volatile
         %b: i32 = load %p align 4 volatile
         %c: i32 = load %p align 4 volatile
         store %q, %a align 4";
    let text = after(
        &["promote-whole", "simplify", "split-aggregates", "promote-members", "simplify"],
        &kernel(body),
    );
    assert_eq!(text.matches("volatile").count(), 4, "{text}");
}

#[test]
fn structures_fall_apart_with_their_copies() {
    let text = after(
        &["split-aggregates", "promote-members", "simplify"],
        &kernel(
            "%a: ptr.private = alloca size 16 align 4
             %b: ptr.private = alloca size 16 align 4
             memcpy %a, %p size 16 align 4
             %a1: ptr.private = offset %a by 4
             store %a1, %n align 4
             memcpy %b, %a size 16 align 4
             %b1: ptr.private = offset %b by 4
             %v: i32 = load %b1 align 4
             store %q, %v align 4
             %b2: ptr.private = offset %b by 8
             %w: i32 = load %b2 align 4
             store %q, %w align 4",
        ),
    );
    lacks(&text, &["alloca", "memcpy"]);
    // Only the member that is read is loaded; the other one is known.
    assert_eq!(text.matches("load").count(), 1, "{text}");
    has(&text, &["store %1, %2 align 4"]);
}

#[test]
fn a_copy_to_a_buffer_takes_every_byte() {
    let text = after(
        &["split-aggregates", "promote-members", "simplify"],
        &kernel(
            "%a: ptr.private = alloca size 16 align 4
             memcpy %a, %p size 16 align 4
             %a1: ptr.private = offset %a by 4
             store %a1, %n align 4
             memcpy %q, %a size 16 align 4",
        ),
    );
    assert_eq!(text.matches("store").count(), 4, "{text}");
    assert_eq!(text.matches("load").count(), 3, "{text}");
}

#[test]
fn lanes_of_a_vector_in_memory_become_insertions() {
    let text = after(
        &["split-aggregates", "promote-members", "simplify"],
        &kernel(
            "%v: ptr.private = alloca size 16 align 16
             %x: i32x4 = load %p align 16
             store %v, %x align 16
             %y: ptr.private = offset %v by 8
             store %y, %n align 4
             %z: i32x4 = load %v align 16
             store %q, %z align 16",
        ),
    );
    lacks(&text, &["alloca"]);
    has(&text, &["insert"]);
}

#[test]
fn an_array_that_a_loop_indexes_becomes_values() {
    let text = after(
        &["simplify", "unroll", "split-unrolled", "promote-unrolled", "simplify-promoted"],
        &kernel(
            "%a: ptr.private = alloca size 32 align 4
             loop ^0 (%i: i32 = 0:i32) {
               %c: bool = slt %i, 8:i32
               if %c { yield } else { exit ^0 }
               %from: ptr.global = index %p, %i stride 4
               %v: i32 = load %from align 4
               %to: ptr.private = index %a, %i stride 4
               store %to, %v align 4
               continue %i
             } continuing (%j: i32) { %k: i32 = add %j, 1:i32 next %k }
             loop ^1 (%i2: i32 = 7:i32) {
               %from2: ptr.private = index %a, %i2 stride 4
               %v2: i32 = load %from2 align 4
               %to2: ptr.global = index %q, %i2 stride 4
               store %to2, %v2 align 4
               continue %i2
             } continuing (%j2: i32) {
               %k2: i32 = sub %j2, 1:i32
               %c2: bool = sge %k2, 0:i32
               if %c2 { yield } else { exit ^1 }
               next %k2
             }",
        ),
    );
    lacks(&text, &["alloca", "loop", "block", "if "]);
    assert_eq!(text.matches("store").count(), 8, "{text}");
}

#[test]
fn early_returns_become_exits_and_others_leave_no_block() {
    let text = after(
        &["inline"],
        &format!(
            "func @simple(%a: i32) -> i32 {{ %b: i32 = add %a, 1:i32 return %b }}
             func @early(%a: i32) -> i32 {{
               %c: bool = slt %a, 0:i32
               if %c {{ return 0:i32 }}
               return %a
             }}
             {}",
            kernel(
                "%x: i32 = call @simple %n
                 %y: i32 = call @early %x
                 store %p, %y align 4"
            )
        ),
    );
    lacks(&text, &["call", "@simple", "@early"]);
    assert_eq!(text.matches("block").count(), 1, "{text}");
    assert_eq!(text.matches("return").count(), 1, "{text}");
}

/// A program that calls a function of about 300 instructions this often.
fn calls_of_a_large_function(count: usize) -> String {
    let steps: String = (1..300).map(|step| format!("%s{step}: i32 = mul %s{}, %a\n", step - 1)).collect();
    let calls: String =
        (1..=count).map(|call| format!("%c{call}: i32 = call @large %c{}\n", call - 1)).collect();
    format!(
        "func @large(%a: i32) -> i32 {{\n%s0: i32 = add %a, 1:i32\n{steps}return %s299\n}}\n{}",
        kernel(&format!("%c0: i32 = add %n, 2:i32\n{calls}store %p, %c{count} align 4"))
    )
}

#[test]
fn large_functions_stay_in_large_kernels_only() {
    let count = |calls: usize| {
        let text = after(&["inline", "simplify-pointers"], &calls_of_a_large_function(calls));
        text.matches("call @large").count()
    };
    // 60 copies have more than 16,384 instructions, 50 have fewer.
    assert_eq!((count(60), count(50)), (60, 0));
}

#[test]
fn recursion_names_the_cycle() {
    let message = error(
        &["inline"],
        &format!(
            "func @even(%a: i32) -> i32 {{ %b: i32 = call @odd %a return %b }}
             func @odd(%a: i32) -> i32 {{ %b: i32 = call @even %a return %b }}
             {}",
            kernel("%x: i32 = call @even %n")
        ),
    );
    assert!(message.contains("even calls odd calls even"), "{message}");
}

#[test]
fn doubling_at_every_call_is_refused() {
    let mut text = "func @f0(%a: i32) -> i32 { %b: i32 = add %a, 1:i32 return %b }\n".to_owned();
    for level in 1..40 {
        let callee = level - 1;
        text += &format!(
            "func @f{level}(%a: i32) -> i32 {{
               %b: i32 = call @f{callee} %a %c: i32 = call @f{callee} %b return %c }}\n"
        );
    }
    let message = error(&["inline"], &(text + &kernel("%x: i32 = call @f39 %n")));
    assert!(message.contains("too large"), "{message}");
}

#[test]
fn deep_nesting_is_handled_up_to_the_limit_and_refused_beyond() {
    let nested = |depth: usize| {
        let variable = "%v: ptr.private = alloca size 4 align 4 store %v, 1:i32 align 4
                        %c: bool = slt %n, 5:i32";
        let inner =
            "%x: i32 = load %v align 4 %y: i32 = mul %x, %n store %v, %y align 4 store %p, %y align 4 yield";
        let body = format!("{}{inner}{}", "if %c { ".repeat(depth), " } yield".repeat(depth - 1));
        kernel(&format!("{variable}\n{body} }}\n%r: i32 = load %v align 4 store %q, %r align 4"))
    };
    let passes = ["inline", "promote-whole", "simplify", "unroll", "split-aggregates", "simplify-promoted"];
    lacks(&after(&passes, &nested(MAX_NESTING as usize - 2)), &["alloca"]);
    let message = error(&["inline"], &nested(MAX_NESTING as usize + 1));
    assert!(message.contains("nests more than"), "{message}");
}

#[test]
fn an_undefined_function_is_named() {
    let passes = ["link", "inline", "simplify-pointers", "undefined-calls"];
    let program = |body: &str| format!("func @missing(%a: i32) -> i32;\n{}", kernel(body));
    let message = error(&passes, &program("%x: i32 = call @missing %n"));
    assert!(message.contains("`missing`") && message.contains("never defined"), "{message}");
    let dead = program("if false { %x: i32 = call @missing %n yield }");
    lacks(&after(&passes, &dead), &["missing"]);
}

#[test]
fn the_library_is_linked_transitively_and_beside_the_programs_own_names() {
    let library = parse_module(
        "global @table: constant size 4 align 4 = bytes \"07000000\"
         func @helper(%a: i32) -> i32 { %t: i32 = load @table align 4 %b: i32 = mul %a, %t return %b }
         func @twice(%a: i32) -> i32 { %b: i32 = call @helper %a %c: i32 = add %b, %b return %c }
         func @unused(%a: i32) -> i32 { return %a }",
    )
    .unwrap();
    let bytes = write_library(&library);
    let text = format!(
        "global @table: constant size 4 align 4 = bytes \"09000000\"
         func @twice(%a: i32) -> i32;
         func @helper(%a: i32) -> i32 {{ return 1:i32 }}
         {}",
        kernel(
            "%x: i32 = call @twice %n
             %y: i32 = call @helper %x
             %z: i32 = load @table align 4
             %w: i32 = add %x, %z
             %v: i32 = add %w, %y
             store %p, %v align 4"
        )
    );
    let library = Library::open(&bytes).unwrap();
    let text = try_passes(&["link", "inline", "simplify"], &library, &text).unwrap();
    lacks(&text, &["call", "unused"]);
    // n·7·2 + 9 + 1: the library's table and helper are not the program's.
    has(&text, &["mul %2, 7:i32", "10:i32"]);
}

#[test]
fn elementwise_calls_are_made_lane_by_lane() {
    let text = after(
        &["lower-elementwise"],
        &format!(
            "func @f(%a: i32, %b: i32) -> i32 {{ %c: i32 = add %a, %b return %c }}
             {}",
            kernel(
                "%v: i32x4 = load %p align 16
                 %r: i32x4 = call_elementwise @f %v, %n
                 store %q, %r align 16"
            )
        ),
    );
    assert_eq!(text.matches("call @f").count(), 4, "{text}");
    assert_eq!(text.matches("construct").count(), 1, "{text}");
}

#[test]
fn loads_are_forwarded_but_not_past_barriers_and_aliases() {
    let body = |between: &str| {
        kernel(&format!(
            "%a: i32 = load %p align 4
             {between}
             %b: i32 = load %p align 4
             %c: i32 = sub %a, %b
             store %q, %c align 4"
        ))
    };
    let loads = |text: String| after(&["simplify"], &text).matches("load").count();
    assert_eq!(loads(body("")), 0);
    assert_eq!(loads(body("%p1: ptr.global = offset %p by 4 store %p1, %n align 4")), 0);
    assert_eq!(loads(body("%p1: ptr.global = offset %p by 2 store %p1, %n align 1")), 2);
    assert_eq!(loads(body("store %q, %n align 4")), 2);
    assert_eq!(loads(body("store %q, %n align 4").replace("buffer element", "buffer restrict element")), 0);
    assert_eq!(loads(body("barrier execution workgroup memory workgroup flags [global]")), 2);
}

#[test]
fn a_store_on_one_path_ends_what_is_known() {
    let text = after(
        &["simplify"],
        &kernel(
            "store %p, 1:i32 align 4
             %c: bool = slt %n, 0:i32
             block ^0 {
               store %p, 2:i32 align 4
               if %c { exit ^0 }
               store %p, 1:i32 align 4
               exit ^0
             }
             %r: i32 = load %p align 4
             store %q, %r align 4",
        ),
    );
    has(&text, &["load"]);
}

#[test]
fn constant_indices_and_chains_become_one_offset() {
    let text = after(
        &["simplify"],
        &kernel(
            "%a: ptr.global = offset %p by 8
             %i: i64 = sext %n
             %j: i64 = add %i, 3:i64
             %b: ptr.global = index %a, %j stride 4
             %c: ptr.global = index %b, 2:i32 stride 16
             store %c, %n align 4",
        ),
    );
    has(&text, &["offset %3 by 52", "index %0, %2 stride 4"]);
}

#[test]
fn generic_pointers_of_a_known_space_are_resolved() {
    let text = after(
        &["simplify"],
        &kernel(
            "%g: ptr.generic = addrspacecast %p
             %h: ptr.generic = index %g, %n stride 4
             %k: ptr.generic = offset %h by 4
             store %k, %n align 4",
        ),
    );
    lacks(&text, &["generic"]);
}

#[test]
fn conditions_through_integers_are_undone() {
    let text = after(
        &["simplify"],
        &kernel(
            "%c: bool = slt %n, 5:i32
             %i: i32 = zext %c
             %d: bool = ne %i, 0:i32
             %e: bool = not %d
             if %e { store %p, 1:i32 align 4 yield } else { store %p, 2:i32 align 4 yield }",
        ),
    );
    lacks(&text, &["zext", "not", "ne "]);
    has(&text, &["sge %2, 5:i32"]);
}

#[test]
fn known_paths_are_taken_and_dead_code_goes() {
    let text = after(
        &["simplify"],
        &kernel(
            "%dead: ptr.private = alloca size 4 align 4
             store %dead, %n align 4
             %r = switch 2:i32 -> (i32) { case 1 { yield 10:i32 } case 2, 3 { yield 20:i32 } default { yield 30:i32 } }
             %c: bool = slt %n, 0:i32
             %s = if %c -> (i32) { yield %r } else { yield %n }
             %t = if true -> (i32) { yield %s } else { yield 0:i32 }
             store %p, %t align 4",
        ),
    );
    lacks(&text, &["alloca", "switch", "if "]);
    has(&text, &["select", "20:i32"]);
    assert_eq!(text.matches("store").count(), 1, "{text}");
}

#[test]
fn floats_are_only_rewritten_exactly() {
    let simplify = |op: &str| {
        after(
            &["simplify"],
            &kernel(&format!("%x: f32 = load %p align 4\n%y: f32 = {op}\nstore %q, %y align 4")),
        )
    };
    has(&simplify("fadd %x, 0.0:f32"), &["fadd"]);
    lacks(&simplify("fadd %x, -0.0:f32"), &["fadd"]);
    lacks(&simplify("fsub %x, 0.0:f32"), &["fsub"]);
    has(&simplify("fmul %x, 0.0:f32"), &["fmul"]);
    has(&simplify("fdiv %x, 3.0:f32"), &["fdiv"]);
    has(&simplify("fdiv %x, 4.0:f32"), &["fmul", "0.25:f32"]);
}

#[test]
fn barriers_stay_where_they_are() {
    let text = after(
        &["simplify", "unroll", "simplify-unrolled"],
        &kernel(
            "%c: bool = slt %n, 0:i32
             if %c { barrier execution workgroup memory workgroup flags [local] yield } else { yield }
             barrier execution workgroup memory workgroup flags [local]
             barrier execution workgroup memory workgroup flags [local]",
        ),
    );
    assert_eq!(text.matches("barrier").count(), 3, "{text}");
    has(&text, &["if "]);
}

#[test]
fn early_returns_of_a_helper_leave_no_block_behind() {
    let text = after(
        &["inline", "simplify"],
        &format!(
            "func @classify(%a: i32) -> i32 {{
               %c: bool = slt %a, 0:i32
               if %c {{ return 1:i32 }}
               %d: bool = slt %a, 10:i32
               if %d {{ %e: i32 = udiv %a, 3:i32 return %e }} else {{ %f: i32 = urem %a, 7:i32 return %f }}
               unreachable
             }}
             {}",
            kernel("%x: i32 = call @classify %n store %p, %x align 4")
        ),
    );
    lacks(&text, &["block", "exit", "unreachable"]);
    assert_eq!(text.matches("if ").count(), 2, "{text}");
}

/// The text after memory lowering, for a profile with or without buffer addresses.
fn lowered(physical: bool, text: &str) -> Result<String, Vec<TranslateError>> {
    let mut module = parse_module(text).unwrap_or_else(|error| panic!("{error:?} in\n{text}"));
    clvk_ir::verify::verify(&module).unwrap_or_else(|errors| panic!("{errors:?} in\n{text}"));
    let mut profile = DeviceProfile::preset("lavapipe-22.3").unwrap();
    profile.buffer_device_address = physical;
    let names = ["simplify", "lower-launch", "legalise-vectors", "lower-memory", "simplify-lowered"];
    run_named(&mut module, &names, &Library::empty(), &profile, &TranslateOptions::default())?;
    Ok(module.to_string())
}

#[test]
fn an_access_chooses_only_between_the_buffers_that_it_can_reach() {
    let text = kernel(
        "%c: bool = slt %n, 3:i32
         %either: ptr.global = select %c, %p, %q
         %a: i32 = load %either align 4
         %b: i32 = load %p align 4
         %s: i32 = add %a, %b
         store %q, %s align 4",
    );
    let logical = lowered(false, &text).unwrap();
    // One choice for `either`, none for `p` and `q` themselves.
    assert_eq!(logical.matches("switch").count(), 1, "{logical}");
    let physical = lowered(true, &text).unwrap();
    lacks(&physical, &["switch", "element_pointer"]);
}

#[test]
fn a_generic_pointer_of_one_space_needs_no_choice() {
    let text = kernel(
        "%v: ptr.private = alloca size 64 align 4
         %g: ptr.generic = addrspacecast %v
         %e: ptr.generic = index %g, %n stride 4
         store %e, %n align 4
         %f: ptr.generic = index %g, 5:i32 stride 4
         %s: i32 = pointer_space %f
         %r: i32 = load %f align 4
         %t: i32 = add %r, %s
         store %q, %t align 4",
    );
    for physical in [true, false] {
        lacks(&lowered(physical, &text).unwrap(), &["switch", "pointer_space"]);
    }
}

#[test]
fn pointers_in_buffers_are_refused_only_without_addresses() {
    let text = kernel("store %p, %q align 8");
    lowered(true, &text).unwrap();
    let errors = lowered(false, &text).unwrap_err();
    assert!(errors[0].problem.contains("keeps a pointer in a buffer"), "{errors:?}");
}

#[test]
fn variables_of_the_program_are_one_buffer_that_says_where_its_pointers_are() {
    let text = format!(
        "global @counter: global size 4 align 4 = zero
         global @first: global size 8 align 8 = bytes \"0000000000000000\"
           at 0: @counter by 4
         {}",
        kernel("%a: ptr.global = load @first align 8\n store %a, %n align 4")
    );
    let module = match parse_module(&text) {
        Ok(module) => module,
        Err(error) => panic!("{error:?}"),
    };
    for physical in [true, false] {
        let mut module = module.clone();
        let mut profile = DeviceProfile::preset("lavapipe-22.3").unwrap();
        profile.buffer_device_address = physical;
        let interface = run_named(
            &mut module,
            &["lower-launch", "lower-memory"],
            &Library::empty(),
            &profile,
            &TranslateOptions::default(),
        )
        .unwrap();
        let variables = interface.program_variables.expect("there are variables");
        assert_eq!(variables.size, 32);
        let pointer = clvk_interface::VariablePointer { offset: 16, target: 4 };
        assert_eq!(variables.pointers, [pointer]);
        let expected = match physical {
            true => clvk_interface::BufferLocation::Address { offset: 0 },
            false => clvk_interface::BufferLocation::Descriptor { binding: 0 },
        };
        assert_eq!(interface.kernels[0].implicit_buffer(ImplicitBuffer::ProgramVariables), Some(expected));
    }
}
