//! See `clvk_tests::fuzz::Target::Preprocess`.
#![no_main]

clvk_fuzz::target!(Preprocess);
