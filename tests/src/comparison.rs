//! The results of several implementations for one program, and the totals for many.

use crate::executor::process::{Outcome, Runner};
use crate::executor::protocol::{Answer, Request};
use std::collections::BTreeMap;
use std::fmt;

/// The verdict on one implementation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The same results as the first implementation that had any.
    Agrees,
    /// Other results.
    Differs {
        /// The first word that differs, as buffer, word, and both values.
        place: String,
        /// An earlier implementation with the same results.
        like: Option<String>,
    },
    /// The compiler refused the program.
    Refused(String),
    /// It did not run.
    Failed(String),
}

/// The verdicts, each with the name of its implementation. Others are compared with the first one that has
/// results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    verdicts: Vec<(String, Verdict)>,
}

/// Runs a program everywhere at once.
///
/// # Errors
/// A sentence, if an implementation cannot be started.
pub fn compare(runners: &mut [Runner], request: &Request) -> Result<Comparison, String> {
    runners.iter_mut().try_for_each(|runner| runner.send(request))?;
    let mut results: Vec<(String, Vec<String>)> = Vec::new();
    let mut verdicts = Vec::new();
    for runner in runners {
        let verdict = outputs_of(runner.receive()).map_or_else(
            |failure| failure,
            |outputs| {
                let verdict = judge(&results, &outputs);
                results.push((runner.name().to_owned(), outputs));
                verdict
            },
        );
        verdicts.push((runner.name().to_owned(), verdict));
    }
    Ok(Comparison { verdicts })
}

/// The results of a run.
///
/// # Errors
/// The verdict on a run without results.
pub fn outputs_of(outcome: Outcome) -> Result<Vec<String>, Verdict> {
    match outcome {
        Outcome::Answered(Answer::Outputs(outputs)) => Ok(outputs),
        Outcome::Answered(Answer::Refused(text)) => Err(Verdict::Refused(text)),
        Outcome::Answered(Answer::Failed(text)) => Err(Verdict::Failed(text)),
        Outcome::Crashed(status) => Err(Verdict::Failed(format!("crashed: {status}"))),
        Outcome::TimedOut => Err(Verdict::Failed("timed out".to_owned())),
    }
}

/// The verdict on results, given the earlier ones.
fn judge(results: &[(String, Vec<String>)], outputs: &[String]) -> Verdict {
    match results.iter().position(|(_, known)| known == outputs) {
        None if results.is_empty() => Verdict::Agrees,
        Some(0) => Verdict::Agrees,
        same => Verdict::Differs {
            place: first_difference(&results[0].1, outputs),
            like: same.map(|index| results[index].0.clone()),
        },
    }
}

fn first_difference(expected: &[String], outputs: &[String]) -> String {
    for (buffer, (wanted, got)) in expected.iter().zip(outputs).enumerate() {
        let words = |text: &str| text.as_bytes().chunks(8).map(<[u8]>::to_vec).collect::<Vec<_>>();
        for (index, (wanted, got)) in words(wanted).into_iter().zip(words(got)).enumerate() {
            if wanted != got {
                let [wanted, got] = [wanted, got].map(|word| String::from_utf8_lossy(&word).into_owned());
                return format!("buffer {buffer}, word {index}: {got} instead of {wanted}");
            }
        }
    }
    "buffers of other sizes".to_owned()
}

impl Verdict {
    /// The kind of failure, without what is specific to a program: its digits and quoted text.
    #[must_use]
    pub fn class(&self) -> Option<String> {
        match self {
            Verdict::Agrees => None,
            Verdict::Differs { like: None, .. } => Some("other results".to_owned()),
            Verdict::Differs { like: Some(name), .. } => Some(format!("other results, those of {name}")),
            Verdict::Refused(text) => Some(format!("refused: {}", essence(text))),
            Verdict::Failed(text) => Some(format!("failed: {}", essence(text))),
        }
    }
}

/// The first error of a message, without positions, numbers and names.
fn essence(text: &str) -> String {
    let line = text.lines().find(|line| line.contains("error")).or_else(|| text.lines().next()).unwrap_or("");
    let line = line.split_once("error: ").map_or(line, |(_, message)| message);
    let mut quoted = false;
    let kept = line.chars().filter(|&character| {
        if character == '`' || character == '\'' {
            quoted = !quoted;
        }
        !quoted && !character.is_ascii_digit()
    });
    kept.take(160).collect()
}

impl Comparison {
    /// Whether all ran the program with the same results.
    #[must_use]
    pub fn agreed(&self) -> bool {
        self.verdicts.iter().all(|(_, verdict)| *verdict == Verdict::Agrees)
    }

    /// Which implementations failed, and how, in a line.
    #[must_use]
    pub fn summary(&self) -> String {
        let failures =
            self.verdicts.iter().filter_map(|(name, verdict)| Some(format!("{name}: {}", verdict.class()?)));
        failures.collect::<Vec<_>>().join("; ")
    }

    /// Whether the first implementation that fails in another comparison fails here in the same way, while
    /// the reference is right.
    #[must_use]
    pub fn resembles(&self, other: &Comparison) -> bool {
        let first = other.verdicts.iter().position(|(_, verdict)| *verdict != Verdict::Agrees);
        first.is_some_and(|index| {
            self.verdicts[index].1.class() == other.verdicts[index].1.class()
                && (index == 0 || self.verdicts[0].1 == Verdict::Agrees)
        })
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.verdicts.iter().try_for_each(|(name, verdict)| match verdict {
            Verdict::Agrees => writeln!(f, "{name}: agrees"),
            Verdict::Differs { place, like: None } => writeln!(f, "{name}: {place}"),
            Verdict::Differs { place, like: Some(other) } => writeln!(f, "{name}: {place}, as {other}"),
            Verdict::Refused(text) => writeln!(f, "{name}: refused: {text}"),
            Verdict::Failed(text) => writeln!(f, "{name}: failed: {text}"),
        })
    }
}

/// The number of programs, and the failures of each kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    programs: usize,
    agreed: usize,
    classes: BTreeMap<String, Vec<u64>>,
}

impl Totals {
    /// Counts a program.
    pub fn add(&mut self, seed: u64, comparison: &Comparison) {
        self.programs += 1;
        self.agreed += usize::from(comparison.agreed());
        for (name, verdict) in &comparison.verdicts {
            if let Some(class) = verdict.class() {
                self.classes.entry(format!("{name}: {class}")).or_default().push(seed);
            }
        }
    }

    /// The number of programs whose results were not the same everywhere.
    #[must_use]
    pub fn failed(&self) -> usize {
        self.programs - self.agreed
    }
}

impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (class, seeds) in &self.classes {
            let shown: Vec<String> = seeds.iter().take(8).map(u64::to_string).collect();
            writeln!(f, "{:6} {class} (seeds {})", seeds.len(), shown.join(", "))?;
        }
        writeln!(f, "{} of {} programs gave the same results everywhere", self.agreed, self.programs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_classed_without_names_and_numbers() {
        let text = "test.cl:12:3: error: cannot convert `int4` to `v17` in 3 steps\n";
        assert_eq!(essence(text), "cannot convert ` to ` in  steps");
    }

    #[test]
    fn who_agrees_with_whom_is_told() {
        let result = |text: &str| vec![text.to_owned()];
        let known = [("first".to_owned(), result("00")), ("second".to_owned(), result("11"))];
        assert_eq!(judge(&known[..0], &result("11")), Verdict::Agrees);
        assert_eq!(judge(&known, &result("00")), Verdict::Agrees);
        let Verdict::Differs { like, .. } = judge(&known, &result("11")) else { panic!("it differs") };
        assert_eq!(like.as_deref(), Some("second"));
        assert!(matches!(judge(&known, &result("22")), Verdict::Differs { like: None, .. }));
    }

    #[test]
    fn a_difference_is_shown_by_its_place() {
        let [wanted, got] = ["0000000011111111", "0000000022222222"].map(|text| vec![text.to_owned()]);
        assert_eq!(first_difference(&wanted, &got), "buffer 0, word 1: 22222222 instead of 11111111");
    }
}
