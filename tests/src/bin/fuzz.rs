//! Feeds damaged sources to the compiler, and keeps those on which it panics or takes long.
//!
//! Seeds are the programs of this repository. Their words are deleted, doubled, replaced and mixed. What the input is that
//! is being looked at stands in `TARGET-current` in the folder of findings, so that an abort leaves it behind. Without
//! feedback from coverage this finds less than an hour of libFuzzer does, but it runs anywhere:
//!
//!     cargo run --release -p clvk-tests --bin fuzz -- compile --seconds 600 --seed 1

use clap::{Parser, ValueEnum};
use clvk_frontend::{NoIncludes, Options};
use clvk_interface::{DeviceProfile, FeatureSet};
use clvk_tests::generator::choice::Choice;
use clvk_tests::pipeline;
use std::error::Error;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Feed damaged sources to the compiler.
#[derive(Debug, Parser)]
struct Arguments {
    /// What is fed.
    #[arg(value_enum)]
    target: Target,
    /// For how long.
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// Where the random numbers begin.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Where inputs that are findings are kept.
    #[arg(long, default_value = "target/fuzz")]
    findings: PathBuf,
    /// Feed this file once instead, and let a panic through.
    #[arg(long)]
    input: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Target {
    Preprocess,
    Frontend,
    IrText,
    Compile,
}

/// Longer than any input of this size may take, also on a busy machine.
const SLOW: Duration = Duration::from_secs(10);
/// Bytes that an input has at most.
const SIZE: usize = 16 << 10;

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(findings) => {
            eprintln!("{findings} findings");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &Arguments) -> Result<usize, Box<dyn Error>> {
    if let Some(path) = &arguments.input {
        feed(arguments.target, &std::fs::read_to_string(path)?);
        return Ok(0);
    }
    let seeds = seeds(arguments.target)?;
    std::fs::create_dir_all(&arguments.findings)?;
    let name = format!("{:?}", arguments.target).to_lowercase();
    let current = arguments.findings.join(format!("{name}-current"));
    let mut random = Choice::new(arguments.seed);
    let (start, mut count, mut findings) = (Instant::now(), 0, 0);
    std::panic::set_hook(Box::new(|_| {}));
    while start.elapsed().as_secs() < arguments.seconds {
        let text = damaged(&seeds, &mut random);
        std::fs::write(&current, &text)?;
        let begin = Instant::now();
        let panicked = catch_unwind(AssertUnwindSafe(|| feed(arguments.target, &text))).is_err();
        count += 1;
        if panicked || begin.elapsed() > SLOW {
            let path = arguments.findings.join(format!("{name}-{}-{count}", arguments.seed));
            std::fs::write(&path, &text)?;
            println!("{} on {}", if panicked { "panic" } else { "slow" }, path.display());
            findings += 1;
        }
    }
    println!("{name}: {count} inputs in {} s, seed {}", start.elapsed().as_secs(), arguments.seed);
    std::fs::remove_file(current)?;
    Ok(findings)
}

fn feed(target: Target, text: &str) {
    let options = || Options { features: FeatureSet::all(), ..Options::default() };
    match target {
        Target::Preprocess => drop(clvk_frontend::preprocess_only("a.cl", text, &options(), &NoIncludes)),
        Target::Frontend => {
            if let Ok(compilation) = clvk_frontend::compile("a.cl", text, &options(), &NoIncludes) {
                clvk_ir::verify::verify(&compilation.module)
                    .expect("the front end makes modules that are right");
            }
        }
        Target::IrText => {
            if let Ok(module) = clvk_ir::text::parse_module(text)
                && clvk_ir::verify::verify(&module).is_ok()
            {
                let again = clvk_ir::text::parse_module(&module.to_string());
                assert!(
                    again.is_ok_and(|again| again.to_string() == module.to_string()),
                    "the text form is lossless"
                );
            }
        }
        Target::Compile => {
            let profile = DeviceProfile::preset("lavapipe-22.3").expect("the preset exists");
            drop(pipeline::compile("a.cl", text, &[], &profile));
        }
    }
}

/// Texts of the files that inputs are made of.
fn seeds(target: Target) -> Result<Vec<String>, Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let (folders, extension): (&[&str], &str) = match target {
        Target::IrText => (&["translate/tests/passes", "translate/ir/tests"], "ir"),
        _ => (&["tests/kernels", "tests/programs", "frontend/tests/agreement", "shaders/library"], "cl"),
    };
    let mut pending: Vec<PathBuf> = folders.iter().map(|folder| root.join(folder)).collect();
    let mut texts = Vec::new();
    while let Some(path) = pending.pop() {
        if path.is_dir() {
            for entry in std::fs::read_dir(path)? {
                pending.push(entry?.path());
            }
        } else if path.extension().is_some_and(|it| it == extension) {
            texts.extend(std::fs::read_to_string(path)?.split("//# ").map(str::to_owned));
        }
    }
    texts.retain(|text| !text.is_empty());
    texts.sort();
    if texts.is_empty() { Err("there are no seeds".into()) } else { Ok(texts) }
}

/// Words, numbers, white space and single signs.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_word = |it: char| it.is_alphanumeric() || it == '_';
        let end = match rest.find(|it: char| !is_word(it)) {
            Some(0) => first.len_utf8(),
            Some(end) => end,
            None => rest.len(),
        };
        let (piece, tail) = rest.split_at(end);
        pieces.push(piece);
        rest = tail;
    }
    pieces
}

/// Words that seeds have few of.
const WORDS: &[&str] = &[
    "goto",
    "case",
    "default",
    ":",
    "switch",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "#",
    "##",
    "\\\n",
    "\"",
    "'",
    "/*",
    "0x",
    "1e999",
    "-",
    "*",
    "&",
    "struct",
    "union",
    "typedef",
    "enum",
    "constant",
    "local",
    "generic",
    "half",
    "double16",
    "ulong3",
    "=",
    ",",
    "...",
    "sizeof",
    "?",
    "<<",
    "18446744073709551616",
    "\0",
    "é",
];

fn damaged(seeds: &[String], random: &mut Choice) -> String {
    let source = pieces(&seeds[random.below(seeds.len())]);
    let other = pieces(&seeds[random.below(seeds.len())]);
    let mut words: Vec<&str> = source;
    for _ in 0..=random.below(6) {
        let at = random.below(words.len().max(1));
        let longest = 1 << random.below(6);
        let length = 1 + random.below(longest);
        let end = (at + length).min(words.len());
        let from = random.below(other.len().max(1));
        match random.below(6) {
            0 => drop(words.drain(at..end)),
            1 => {
                let copy = words[at..end].to_vec();
                let to = random.below(words.len().max(1));
                words.splice(to..to, copy);
            }
            2 => drop(words.splice(at..end, other[from..(from + length).min(other.len())].iter().copied())),
            3 => drop(words.splice(at..at, [WORDS[random.below(WORDS.len())]])),
            4 => drop(words.splice(at..end.min(at + 1), [other.get(from).copied().unwrap_or("0")])),
            _ => words.truncate(end),
        }
    }
    let mut text = words.concat();
    while text.len() > SIZE {
        text.pop();
    }
    text
}
