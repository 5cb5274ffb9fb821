//! Build options that permit less precision must give less code, counted in words of SPIR-V, which is free of
//! the drivers' noise. The device here gives no guarantees and has no quirks; others may need as little code
//! without the options, or more in spite of them.

use clvk_frontend::builtins::{Term, rows};
use clvk_interface::DeviceProfile;
use clvk_tests::pipeline;

/// The number of words of a kernel that evaluates `expression` of `x` and `y`, built with these options.
fn words(expression: &str, options: &[&str]) -> usize {
    let mut profile = DeviceProfile::preset("nvidia-h200").expect("it is a preset");
    profile.guarantees.clear();
    profile.quirks.clear();
    let source = format!(
        "kernel void run(global float *out, float x, float y) {{ out[get_global_id(0)] = {expression}; }}"
    );
    let options: Vec<String> = options.iter().map(|&option| option.to_owned()).collect();
    let module = pipeline::compile("relaxed.cl", &source, &options, &profile)
        .unwrap_or_else(|error| panic!("{expression}: {error}"));
    module.spirv.len()
}

#[test]
fn relaxed_functions_are_less_than_half_as_long() {
    let nothing = words("x + y", &[]);
    let relaxed = rows().filter(|row| row.relaxed.is_some());
    let mut count = 0;
    for row in relaxed {
        let arguments = match row.signatures()[0].params {
            [Term::Generic] => "x",
            [Term::Generic, Term::Generic] => "x, y",
            other => panic!("{}: {other:?}", row.name),
        };
        let call = format!("{}({arguments})", row.name);
        let precise = words(&call, &[]) - nothing.min(words(&call, &[]));
        for option in ["-cl-unsafe-math-optimizations", "-cl-fast-relaxed-math"] {
            let relaxed = words(&call, &[option]).saturating_sub(nothing);
            assert!(2 * relaxed < precise, "{call} with {option}: {relaxed} of {precise} words");
        }
        count += 1;
    }
    assert!(count >= 8, "only {count} functions have a relaxed form");
}

#[test]
fn relaxed_quotients_are_one_instruction() {
    let precise = words("x / y", &[]);
    let relaxed = words("x / y", &["-cl-unsafe-math-optimizations"]);
    let correct = words("x / y", &["-cl-fp32-correctly-rounded-divide-sqrt"]);
    assert!(relaxed < precise && precise < correct, "{relaxed}, {precise}, {correct}");
    // The device divides well enough by a constant; without the option, a decoration of three words keeps the
    // division as it is.
    let relaxed = words("x / 3.0f", &["-cl-unsafe-math-optimizations"]);
    assert_eq!(words("x / 3.0f", &[]), relaxed + 3);
}
