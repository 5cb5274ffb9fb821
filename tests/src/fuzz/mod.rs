//! The functions that the fuzzers call, one for each target, and the mutation of sources ([`mutate`]) and of
//! SPIR-V modules ([`modules`]).
//!
//! An input is a selector, one byte, and a text or the bytes of a module. The selector chooses the device
//! profile, the version of the language and the build options, so that the fuzzer varies them too. A target
//! returns or panics; a panic is a finding. So is an input that takes more time or memory than the fuzzer
//! allows. The programs for libFuzzer are in `tests/fuzz`.

pub mod modules;
pub mod mutate;
mod words;

use crate::judge;
use crate::pipeline;
use clvk::{CompiledModule, Compiler, ObjectKind};
use clvk_frontend::{LanguageVersion, NoIncludes, Options};
use clvk_interface::{DeviceProfile, FeatureSet};
use modules::Modules;
use mutate::Seeds;
use std::sync::OnceLock;

/// A target of the fuzzers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The preprocessor, to text and back.
    Preprocess,
    /// The preprocessor and the parser.
    Parse,
    /// The front end, and the verifier of its output.
    Check,
    /// The text form of the intermediate representation.
    IrText,
    /// Everything, and for some of the inputs spirv-val.
    Compile,
    /// The same of C++ for OpenCL and OpenCL C++.
    Cxx,
    /// A SPIR-V module, read and translated, and for some of the inputs spirv-val.
    Spirv,
}

/// The programs of this repository from which the inputs of a target are made.
#[derive(Debug)]
pub enum Inputs {
    /// Texts.
    Texts(Seeds),
    /// SPIR-V modules.
    Modules(Modules),
}

impl Inputs {
    /// Those for a target with at most this many bytes.
    ///
    /// # Panics
    /// If they cannot be read.
    #[must_use]
    pub fn read(target: Target, size: usize) -> Self {
        match target {
            Target::Spirv => Inputs::Modules(Modules::read(size)),
            _ => Inputs::Texts(Seeds::read(target, size)),
        }
    }

    /// An input similar to `input`, of at most `size` bytes; the same for the same seed.
    #[must_use]
    pub fn mutate(&self, input: &[u8], size: usize, seed: u64) -> Vec<u8> {
        match self {
            Inputs::Texts(seeds) => seeds.mutate(input, size, seed),
            Inputs::Modules(modules) => modules.mutate(input, size, seed),
        }
    }
}

/// Runs a target on an input.
pub fn feed(target: Target, input: &[u8]) {
    let Some((&selector, bytes)) = input.split_first() else { return };
    let text = String::from_utf8_lossy(bytes);
    match target {
        Target::Preprocess => preprocess(selector, &text),
        Target::Parse => drop(clvk_frontend::parse_only(NAME, &text, &options(selector), &NoIncludes)),
        Target::Check => check(selector, &text),
        Target::IrText => ir_text(&text),
        Target::Compile => compile(selector, &text, BUILD_OPTIONS),
        Target::Cxx => compile(selector, &text, cxx_options(&text)),
        Target::Spirv => module(selector, bytes),
    }
}

/// The input's name in messages.
const NAME: &str = "a.cl";

/// One compiled input in this many goes through spirv-val, which is a separate process.
const VALIDATED: u32 = 8;

/// What the preprocessor prints, it can read again without errors. This is not true of a program with a macro
/// `_Pragma`: in the output, where the macro is not expanded, the name means only the operator.
fn preprocess(selector: u8, text: &str) {
    let options = options(selector);
    if let Ok(first) = clvk_frontend::preprocess_only(NAME, text, &options, &NoIncludes) {
        let again = clvk_frontend::preprocess_only(NAME, &first.text, &options, &NoIncludes);
        let operator = text.contains("define") && first.text.contains("_Pragma");
        assert!(operator || again.is_ok(), "the output of the preprocessor is refused: {again:?}");
    }
}

fn check(selector: u8, text: &str) {
    if let Ok(compilation) = clvk_frontend::compile(NAME, text, &options(selector), &NoIncludes) {
        clvk_ir::verify::verify(&compilation.module).expect("the front end makes modules that are right");
    }
}

/// The text form preserves what the verifier accepts.
fn ir_text(text: &str) {
    if let Ok(module) = clvk_ir::text::parse_module(text)
        && clvk_ir::verify::verify(&module).is_ok()
    {
        let printed = module.to_string();
        let again = clvk_ir::text::parse_module(&printed);
        assert!(again.is_ok_and(|again| again.to_string() == printed), "the text form is lossless");
    }
}

fn compile(selector: u8, text: &str, choices: &[&str]) {
    let profiles = profiles();
    let profile = &profiles[usize::from(selector) % profiles.len()];
    let flags = choices[usize::from(selector) / profiles.len() % choices.len()];
    let flags: Vec<String> = flags.split_whitespace().map(str::to_owned).collect();
    if let Ok(module) = pipeline::compile(NAME, text, &flags, profile) {
        judge_some(&module, profile);
    }
}

/// What the reader accepts is translated, or refused.
fn module(selector: u8, bytes: &[u8]) {
    let profiles = profiles();
    let profile = &profiles[usize::from(selector) % profiles.len()];
    let compiler = Compiler::new(profile).with_cache(None);
    if let Ok(object) = compiler.spirv_object(ObjectKind::Executable, "fuzzed.spv", bytes)
        && let Ok(program) = compiler.translate(&object)
    {
        judge_some(program.module(), profile);
    }
}

/// Gives some modules to spirv-val.
fn judge_some(module: &CompiledModule, profile: &DeviceProfile) {
    if module.spirv.is_empty() {
        return; // There are no kernels.
    }
    let sum = module.spirv.iter().fold(0u32, |sum, word| sum.wrapping_mul(31).wrapping_add(*word));
    if sum.is_multiple_of(VALIDATED) {
        judge::validate(module, profile).expect("what is written is valid SPIR-V");
    }
}

const BUILD_OPTIONS: &[&str] = &[
    "",
    "-cl-std=CL3.0",
    "-cl-std=CL2.0",
    "-cl-std=CL1.0 -cl-opt-disable",
    "-cl-fast-relaxed-math",
    "-cl-std=CL3.0 -cl-opt-disable -cl-single-precision-constant",
    "-cl-std=CL3.1 -cl-mad-enable -cl-denorms-are-zero",
    "-cl-std=CL3.0 -cl-finite-math-only -cl-no-signed-zeros",
];

/// The build options for a text in C++. One that includes OpenCL C++'s library is in that language.
fn cxx_options(text: &str) -> &'static [&'static str] {
    if text.contains("<opencl_") {
        &["-cl-std=c++", "-cl-std=c++ -cl-opt-disable", "-cl-std=c++ -cl-fast-relaxed-math"]
    } else {
        &["-cl-std=CLC++2021", "-cl-std=CLC++1.0", "-cl-std=CLC++2021 -cl-opt-disable", "-cl-std=c++"]
    }
}

fn options(selector: u8) -> Options {
    let versions = [
        LanguageVersion::C30,
        LanguageVersion::C12,
        LanguageVersion::C20,
        LanguageVersion::C31,
        LanguageVersion::C11,
        LanguageVersion::C10,
    ];
    let selector = usize::from(selector);
    let profiles = profiles();
    // One more than the profiles means a device that has everything.
    let features = profiles.get(selector % (profiles.len() + 1)).map_or_else(FeatureSet::all, FeatureSet::of);
    Options { version: versions[selector % versions.len()], features, ..Options::default() }
}

fn profiles() -> &'static [DeviceProfile] {
    static PROFILES: OnceLock<Vec<DeviceProfile>> = OnceLock::new();
    PROFILES.get_or_init(|| {
        let preset = |name| DeviceProfile::preset(name).expect("the presets can be read");
        DeviceProfile::preset_names().map(preset).collect()
    })
}
