//! See `clvk_tests::fuzz::Target::Parse`.
#![no_main]

clvk_fuzz::target!(Parse);
