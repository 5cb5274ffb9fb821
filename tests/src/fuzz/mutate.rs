//! Damages sources word by word, so that much of the result still gets past the parser.
//!
//! Words are deleted, duplicated, moved, and replaced by others from the text, from the programs of this
//! repository and from [`super::words`]. Names are swapped throughout, so that types no longer agree;
//! brackets are moved with their contents. An empty input becomes one of the programs, so a fuzzer needs no
//! other seeds.

use super::Target;
use super::words::WORDS;
use crate::generator::choice::Choice;
use std::path::{Path, PathBuf};

/// The programs of this repository, from which inputs are made.
#[derive(Debug)]
pub struct Seeds {
    texts: Vec<String>,
}

impl Seeds {
    /// The seeds for a target with at most this many bytes.
    ///
    /// # Panics
    /// If the folders of the repository cannot be read.
    #[must_use]
    pub fn read(target: Target, size: usize) -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let (folders, extension): (&[&str], &str) = match target {
            Target::IrText => (&["translate/tests/passes", "translate/ir/tests"], "ir"),
            Target::Cxx => (&["tests/kernels", "tests/programs", "frontend/tests"], "clcpp"),
            _ => (&["tests/kernels", "tests/programs", "frontend/tests", "shaders/library"], "cl"),
        };
        let mut pending: Vec<PathBuf> = folders.iter().map(|folder| root.join(folder)).collect();
        let mut texts = Vec::new();
        while let Some(path) = pending.pop() {
            if path.is_dir() {
                let entries = std::fs::read_dir(&path).expect("a folder of this repository can be read");
                pending.extend(entries.map(|entry| entry.expect("it can be read").path()));
            } else if path.extension().is_some_and(|it| it == extension) || is_opencl_cxx(&path, target) {
                let text = std::fs::read_to_string(&path).expect("a program of this repository can be read");
                texts.extend(text.split("//# ").map(str::to_owned));
            }
        }
        texts.retain(|text| !text.is_empty() && text.len() < size);
        texts.sort();
        assert!(!texts.is_empty(), "there are no seeds");
        Seeds { texts }
    }

    /// An input similar to `input`, of at most `size` bytes; the same for the same seed.
    #[must_use]
    pub fn mutate(&self, input: &[u8], size: usize, seed: u64) -> Vec<u8> {
        let mut random = Choice::new(seed);
        let (selector, text) = match input.split_first() {
            Some((&selector, text)) if text.len() > 1 && random.below(64) > 0 => {
                (selector, String::from_utf8_lossy(text).into_owned())
            }
            _ => (random.below(256) as u8, random.pick(&self.texts).clone()),
        };
        let selector = if random.below(16) == 0 { random.below(256) as u8 } else { selector };
        let other = random.pick(&self.texts);
        let mut text = damaged(&text, other, &mut random);
        while text.len() >= size {
            text.pop();
        }
        [&[selector], text.as_bytes()].concat()
    }
}

/// OpenCL C++ has the names of files that OpenCL C has.
fn is_opencl_cxx(path: &Path, target: Target) -> bool {
    let is_of = |folder| path.components().any(|part| part.as_os_str() == folder);
    target == Target::Cxx && (is_of("cxx10") || is_of("opencl_cxx"))
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

fn damaged(source: &str, other: &str, random: &mut Choice) -> String {
    let mut words = pieces(source);
    let other = pieces(other);
    for _ in 0..=random.below(4) {
        let at = random.below(words.len().max(1));
        let longest = 1 << random.below(6);
        let end = (at + 1 + random.below(longest)).min(words.len());
        let from = random.below(other.len().max(1));
        match random.below(10) {
            0 => drop(words.drain(at..end)),
            1 => {
                let copy = words[at..end].to_vec();
                let to = random.below(words.len().max(1));
                words.splice(to..to, copy);
            }
            2 => {
                let taken = other[from..(from + end - at).min(other.len())].iter().copied();
                words.splice(at..end, taken);
            }
            3 => drop(words.splice(at..at, [*random.pick(WORDS)])),
            4 => drop(words.splice(at..end.min(at + 1), [*random.pick(WORDS)])),
            5 => replace_name(&mut words, at, random),
            6 => {
                let closed = bracket(&words, at);
                let copy = words[at..closed].to_vec();
                let to = random.below(words.len().max(1));
                words.splice(to..to, copy);
            }
            7 => drop(words.drain(at..bracket(&words, at))),
            8 => {
                let taken = other[from..bracket(&other, from)].iter().copied();
                words.splice(at..at, taken);
            }
            _ => words.truncate(if random.below(16) == 0 { end } else { words.len() }),
        }
    }
    words.concat()
}

/// Replaces the word at `at`, throughout the text, by another word of the text or a known one.
fn replace_name(words: &mut [&str], at: usize, random: &mut Choice) {
    let Some(&old) = words.get(at) else { return };
    let new = if random.below(2) == 0 {
        words[random.below(words.len())]
    } else {
        WORDS[random.below(WORDS.len())]
    };
    words.iter_mut().filter(|word| **word == old).for_each(|word| *word = new);
}

/// The end of the bracket, or otherwise of the statement, that begins at `at`.
fn bracket(words: &[&str], at: usize) -> usize {
    let mut depth = 0usize;
    for (index, word) in words.iter().enumerate().skip(at) {
        match *word {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return index + 1;
                }
            }
            ";" if depth == 0 => return index + 1,
            _ => {}
        }
    }
    words.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_keep_to_their_size_and_repeat() {
        let seeds = Seeds::read(Target::Compile, 4096);
        let mut input = Vec::new();
        for seed in 0..2000 {
            let next = seeds.mutate(&input, 4096, seed);
            assert!(next.len() <= 4096);
            assert_eq!(next, seeds.mutate(&input, 4096, seed));
            assert!(std::str::from_utf8(&next[1..]).is_ok());
            input = next;
        }
    }

    #[test]
    fn brackets_are_taken_whole() {
        let words = pieces("f(a[0], {1});b;");
        assert_eq!(words[1..bracket(&words, 1)].concat(), "(a[0], {1})");
        assert_eq!(bracket(&words, words.len() - 2), words.len());
    }
}
