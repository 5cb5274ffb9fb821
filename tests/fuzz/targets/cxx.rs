//! See `clvk_tests::fuzz::Target::Cxx`.
#![no_main]

clvk_fuzz::target!(Cxx);
