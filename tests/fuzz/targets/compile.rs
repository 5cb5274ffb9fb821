//! See `clvk_tests::fuzz::Target::Compile`.
#![no_main]

clvk_fuzz::target!(Compile);
