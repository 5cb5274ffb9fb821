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
use clvk_translate::TranslateOptions;
use clvk_translate::testing::run_named;

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
    let module = generator::module(seed);
    clvk_ir::verify::verify(&module)
        .unwrap_or_else(|errors| panic!("seed {seed} is not a program: {errors:?}"));
    let expected = execute(&module);
    assert!(expected.is_ok(), "seed {seed} is not a program: {expected:?}");
    let mut changed: Module = module.clone();
    let profile = DeviceProfile::preset("lavapipe-22.3").unwrap();
    for name in names {
        let before = changed.clone();
        run_named(&mut changed, &[name], &Library::empty(), &profile, &TranslateOptions::default()).unwrap();
        let found = execute(&changed);
        assert_eq!(found, expected, "seed {seed}: `{name}` changes what this does:\n{before}\nto\n{changed}");
    }
}

#[test]
fn the_source_passes_preserve_meaning() {
    for seed in (0..400).chain(SEEDS_OF_PAST_BUGS) {
        check(seed, PIPELINE);
    }
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
