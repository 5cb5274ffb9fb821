//! The common part of the libFuzzer programs in `targets/`. The inputs, and how they are damaged, are in
//! `clvk_tests::fuzz`; `docs/log/fuzzing.md` says how to run the programs.

#[doc(hidden)]
pub use libfuzzer_sys;

use clvk_tests::fuzz::{Inputs, Target};
use std::sync::OnceLock;

/// The libFuzzer program of a target.
#[macro_export]
macro_rules! target {
    ($target:ident) => {
        use $crate::libfuzzer_sys::{fuzz_mutator, fuzz_target};

        fuzz_target!(|input: &[u8]| clvk_tests::fuzz::feed(clvk_tests::fuzz::Target::$target, input));

        fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
            $crate::mutate(clvk_tests::fuzz::Target::$target, data, size, max_size, seed)
        });
    };
}

/// Changes the first `size` bytes of `data`, mostly by words, sometimes by bytes; returns the new size.
pub fn mutate(target: Target, data: &mut [u8], size: usize, max_size: usize, seed: u32) -> usize {
    static INPUTS: OnceLock<Inputs> = OnceLock::new();
    if size > 1 && seed % 8 == 0 {
        return libfuzzer_sys::fuzzer_mutate(data, size, max_size);
    }
    let inputs = INPUTS.get_or_init(|| Inputs::read(target, max_size));
    let next = inputs.mutate(&data[..size], max_size, u64::from(seed));
    data[..next.len()].copy_from_slice(&next);
    next.len()
}
