//! The passes preserve meaning: an interpreter of the IR executes random programs before and after them.

mod generator;
mod lowering;
#[allow(dead_code, reason = "the tests of single passes need more of it")]
#[path = "../machine/mod.rs"]
mod machine;
mod random;
mod typed;

use clvk_interface::DeviceProfile;
use clvk_ir::Module;
use clvk_ir::container::Library;
use clvk_translate::testing::run_named;
use clvk_translate::{Calls, TranslateOptions};

/// The passes that work on the source's operations, in the pipeline's order.
const PIPELINE: &[&str] = &[
    "select-kernels",
    "link",
    "lower-elementwise",
    "promote-functions",
    "simplify-functions",
    "inline",
    "promote-whole",
    "simplify-pointers",
    "split-aggregates",
    "promote-members",
    "simplify",
    "unroll",
    "simplify-unrolled",
    "split-unrolled",
    "promote-unrolled",
    "simplify-promoted",
];

/// An early `continue` that the trip count of a loop missed.
const SEEDS_OF_PAST_BUGS: [u64; 1] = [7111];

/// Size of the buffer in bytes.
const BUFFER: usize = 256;

/// The bytes that a work-item of the program leaves in its buffer.
fn execute(module: &Module) -> Result<Vec<u8>, String> {
    let contents = (0..BUFFER).map(|byte| (byte * 37 % 251) as u8).collect();
    machine::run_alone(module, contents, &[5, -16])
}

fn check(seed: u64, names: &[&str]) {
    check_program(seed, generator::module(seed), names, &TranslateOptions::default());
}

/// Checks a program whose calls stay wherever that is possible; says whether any does.
fn check_calls(seed: u64, module: Module) -> bool {
    let options = TranslateOptions { calls: Calls::Kept, ..TranslateOptions::default() };
    let changed = check_program(seed, module, PIPELINE, &options);
    changed.functions.iter().any(|(_, function)| function.kernel.is_none())
}

fn check_program(seed: u64, module: Module, names: &[&str], options: &TranslateOptions) -> Module {
    clvk_ir::verify::verify(&module)
        .unwrap_or_else(|errors| panic!("seed {seed} is not a program: {errors:?}"));
    let expected = execute(&module);
    assert!(expected.is_ok(), "seed {seed} is not a program: {expected:?}");
    let mut changed: Module = module.clone();
    let profile = DeviceProfile::preset("lavapipe-22.3").unwrap();
    for name in names {
        let before = changed.clone();
        run_named(&mut changed, &[name], &Library::empty(), &profile, options).unwrap();
        let found = execute(&changed);
        assert_eq!(found, expected, "seed {seed}: `{name}` changes what this does:\n{before}\nto\n{changed}");
    }
    changed
}

#[test]
fn the_source_passes_preserve_meaning() {
    for seed in (0..400).chain(SEEDS_OF_PAST_BUGS) {
        check(seed, PIPELINE);
    }
}

#[test]
fn kept_calls_preserve_meaning() {
    let mut kept = 0;
    for seed in 3000..3400 {
        kept += usize::from(check_calls(seed, generator::module(seed)));
    }
    for seed in 3000..4000 {
        kept += usize::from(check_calls(seed, generator::module_with_pointers(seed)));
    }
    assert!(kept > 200, "calls stay in only {kept} programs");
}

#[test]
fn promotion_alone_preserves_meaning() {
    for seed in 1000..1200 {
        check(seed, &["promote-functions", "inline", "split-aggregates", "promote-whole"]);
    }
}

#[test]
fn inlining_alone_preserves_meaning() {
    for seed in 2000..2100 {
        check(seed, &["inline"]);
    }
}

#[test]
fn the_programs_are_not_trivial() {
    let outputs: std::collections::HashSet<_> =
        (0..50).map(|seed| execute(&generator::module(seed))).collect();
    assert!(outputs.len() > 40, "only {} different results of 50 programs", outputs.len());
}
