//! See `clvk_tests::fuzz::Target::IrText`.
#![no_main]

clvk_fuzz::target!(IrText);
