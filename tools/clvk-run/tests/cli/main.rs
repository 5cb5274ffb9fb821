//! The command line as a user meets it: the program is run, and its output, files and exit codes are looked
//! at.
//!
//! Everything runs on the default device. What all runs have in common (no panic, an exit code of the list)
//! is asserted in `harness`.

mod arguments;
mod check;
mod clspv;
mod compile;
mod crash;
mod doctor;
mod documentation;
mod files;
mod harness;
mod images;
mod jobs;
mod mistakes;
mod options;
mod pipelines;
mod profile;
mod sanitizer;
mod shells;
mod trace;
#[cfg(feature = "view")]
mod view;
