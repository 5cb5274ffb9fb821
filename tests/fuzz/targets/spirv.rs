//! See `clvk_tests::fuzz::Target::Spirv`.
#![no_main]

clvk_fuzz::target!(Spirv);
