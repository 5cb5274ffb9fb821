//! See `clvk_tests::fuzz::Target::Check`.
#![no_main]

clvk_fuzz::target!(Check);
