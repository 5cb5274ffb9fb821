//! Job files: TOML. Files that they name are relative to their own folder.

use super::{Job, Launch, PrintText, Shared, SourceText, Step, VerifyText};
use crate::argument::ArgumentText;
use crate::cli::Size;
use crate::failure::{Failure, Result};
use crate::file::read_bytes;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A job file as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct JobFile {
    /// Source of the steps that name none.
    file: Option<PathBuf>,
    /// Build options of all sources.
    #[serde(default)]
    options: String,
    /// Device.
    device: Option<String>,
    /// Arguments that launches share, by name.
    #[serde(default)]
    arguments: BTreeMap<String, Value>,
    /// What to do.
    #[serde(default)]
    steps: Vec<StepFile>,
}

/// A step as it is written: of one kind, though TOML cannot say so.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct StepFile {
    file: Option<PathBuf>,
    options: Option<String>,
    kernel: Option<String>,
    global: Option<Sizes>,
    local: Option<Sizes>,
    offset: Option<Sizes>,
    arguments: Option<Vec<Value>>,
    swap: Option<[String; 2]>,
    repeat: Option<u32>,
    steps: Vec<StepFile>,
    verify: Option<String>,
    print: Option<String>,
}

/// An argument: a number, the numbers of a vector, a name, or a text as on the command line.
#[derive(Deserialize)]
#[serde(untagged)]
enum Value {
    Whole(i64),
    Real(f64),
    Vector(Vec<f64>),
    Text(String),
}

/// One number or several.
#[derive(Deserialize)]
#[serde(untagged)]
enum Sizes {
    One(u64),
    Several(Vec<u64>),
}

/// Bytes that a job file may have.
const MOST_BYTES: u64 = 1 << 20;

/// Repetitions in repetitions at most.
const MOST_NESTING: u32 = 16;

impl Job {
    /// The job of a file; the build options come after its own.
    pub fn of_file(path: &Path, build_options: &[String]) -> Result<Job> {
        let wrong = |what: String| Failure::usage(format!("`{}` {what}", path.display()));
        let text = String::from_utf8(read_bytes(path, MOST_BYTES)?);
        let text = text.map_err(|_| wrong("is not valid UTF-8 text".to_owned()))?;
        let file: JobFile = toml::from_str(&text).map_err(|error| {
            let line = error.span().map_or(1, |span| text[..span.start].matches('\n').count() + 1);
            wrong(format!("is not a job, line {line}: {}", error.message().trim_end().replace('\n', "; ")))
        })?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut reader = Reader {
            folder,
            file: file.file,
            options: file.options,
            build_options,
            names: BTreeMap::new(),
            job: Job {
                sources: Vec::new(),
                arguments: Vec::new(),
                steps: Vec::new(),
                is_file: true,
                device: file.device,
            },
        };
        for (name, value) in file.arguments {
            reader.share(name, value)?;
        }
        reader.job.steps = reader.steps(file.steps, "", MOST_NESTING)?;
        reader.check_used()?;
        if reader.job.launches().is_empty() {
            return Err(wrong("launches nothing: add `[[steps]]` with `kernel` and `arguments`".to_owned()));
        }
        Ok(reader.job)
    }
}

/// What is known while a job file is read.
struct Reader<'a> {
    folder: &'a Path,
    file: Option<PathBuf>,
    options: String,
    build_options: &'a [String],
    /// Positions of the arguments with names.
    names: BTreeMap<String, usize>,
    job: Job,
}

impl Reader<'_> {
    fn parse(&self, value: &Value) -> Result<ArgumentText> {
        let mut text = match value {
            Value::Whole(number) => ArgumentText::parse(&number.to_string())?,
            Value::Real(number) => ArgumentText::parse(&number.to_string())?,
            Value::Vector(numbers) => {
                let numbers: Vec<String> = numbers.iter().map(f64::to_string).collect();
                ArgumentText::parse(&format!("({})", numbers.join(",")))?
            }
            Value::Text(text) => ArgumentText::parse(text)?,
        };
        text.relative_to(self.folder);
        Ok(text)
    }

    fn share(&mut self, name: String, value: Value) -> Result<()> {
        let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
        if !name.starts_with(|c: char| c.is_alphabetic() || c == '_')
            || !name.chars().all(is_name)
            || name == "null"
        {
            return Err(Failure::usage(format!(
                "`{name}` cannot be the name of an argument: begin with a letter, and use letters, digits, `_` and `-`"
            )));
        }
        let text = self.parse(&value).map_err(|failure| failure.of(&format!("argument `{name}`")))?;
        self.names.insert(name.clone(), self.job.arguments.len());
        self.job.arguments.push(Shared { name: Some(name), text });
        Ok(())
    }

    /// Reads steps; `inside` is the number of the repetition that they are in, with a full stop.
    fn steps(&mut self, steps: Vec<StepFile>, inside: &str, nesting: u32) -> Result<Vec<Step>> {
        let numbered = steps.into_iter().zip(1..);
        numbered.map(|(step, number)| self.step(&format!("{inside}{number}"), step, nesting)).collect()
    }

    fn step(&mut self, number: &str, step: StepFile, nesting: u32) -> Result<Step> {
        let wrong = |what: &str| Failure::usage(format!("step {number} {what}"));
        let launches = step.arguments.is_some() || step.kernel.is_some();
        let kinds = [
            launches,
            step.swap.is_some(),
            step.repeat.is_some(),
            step.verify.is_some(),
            step.print.is_some(),
        ];
        if kinds.iter().filter(|is_there| **is_there).count() != 1 {
            return Err(wrong(
                "must be one thing: a launch (`kernel`, `arguments`), `swap`, `repeat` with `steps`, `verify` or `print`",
            ));
        }
        let sized = step.global.is_some() || step.local.is_some() || step.offset.is_some();
        if !launches && (sized || step.file.is_some() || step.options.is_some()) {
            return Err(wrong("is not a launch, but has `file`, `options`, `global`, `local` or `offset`"));
        }
        if step.repeat.is_none() && !step.steps.is_empty() {
            return Err(wrong("has `steps`, but no `repeat`"));
        }
        if let Some(times) = step.repeat {
            let nesting = nesting.checked_sub(1).ok_or_else(|| wrong("repeats too deeply"))?;
            return Ok(Step::Repeat {
                times,
                steps: self.steps(step.steps, &format!("{number}."), nesting)?,
            });
        }
        if let Some(text) = &step.verify {
            let mut verify = VerifyText::parse("verify = ", text)?;
            verify.path = self.folder.join(verify.path);
            return Ok(Step::Verify(verify));
        }
        if let Some(text) = &step.print {
            return Ok(Step::Print(PrintText::parse("print = ", text)?));
        }
        if let Some(names) = step.swap {
            return Ok(Step::Swap(names));
        }
        let named = |failure: Failure| failure.of(&format!("step {number}"));
        let size = |sizes: Option<Sizes>, what: &str| sizes.map(|sizes| sizes.read(what)).transpose();
        Ok(Step::Launch(Launch {
            source: self.source(step.file, step.options).map_err(named)?,
            kernel: step.kernel,
            global: size(step.global, "global").map_err(named)?,
            local: size(step.local, "local").map_err(named)?,
            offset: size(step.offset, "offset").map_err(named)?,
            arguments: self.arguments(step.arguments.unwrap_or_default()).map_err(named)?,
        }))
    }

    /// The position of a source, which is new or known.
    fn source(&mut self, file: Option<PathBuf>, options: Option<String>) -> Result<usize> {
        let file = file.or_else(|| self.file.clone()).ok_or_else(|| {
            Failure::usage(
                "no source is named: write `file = \"kernels.cl\"` at the top of the job or in the step",
            )
        })?;
        let options = options.as_ref().unwrap_or(&self.options).split_whitespace().map(str::to_owned);
        let source = SourceText {
            path: self.folder.join(file),
            options: options.chain(self.build_options.iter().cloned()).collect(),
        };
        let known = self.job.sources.iter().position(|other| *other == source);
        Ok(known.unwrap_or_else(|| {
            self.job.sources.push(source);
            self.job.sources.len() - 1
        }))
    }

    fn arguments(&mut self, values: Vec<Value>) -> Result<Vec<usize>> {
        let mut positions = Vec::new();
        for value in values {
            if let Value::Text(name) = &value
                && let Some(&position) = self.names.get(name)
            {
                positions.push(position);
                continue;
            }
            let text = self.parse(&value).map_err(|failure| match &value {
                Value::Text(text) if text.chars().all(|c| c.is_alphanumeric() || c == '_') => {
                    self.unknown(text)
                }
                _ => failure,
            })?;
            positions.push(self.job.arguments.len());
            self.job.arguments.push(Shared { name: None, text });
        }
        Ok(positions)
    }

    fn unknown(&self, name: &str) -> Failure {
        let known: Vec<&str> = self.names.keys().map(String::as_str).collect();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        Failure::usage(format!("`{name}` is not the name of an argument in `[arguments]`; there are {known}"))
    }

    /// An argument that nothing takes has no type, and is probably a mistake.
    fn check_used(&self) -> Result<()> {
        let used: Vec<usize> =
            self.job.launches().iter().flat_map(|launch| launch.arguments.clone()).collect();
        match self.names.iter().find(|(_, position)| !used.contains(position)) {
            Some((name, _)) => Err(Failure::usage(format!(
                "the argument `{name}` is not used: no step's `arguments` name it"
            ))),
            None => Ok(()),
        }
    }
}

impl Sizes {
    fn read(self, what: &str) -> Result<Size> {
        let numbers = match self {
            Sizes::One(number) => vec![number],
            Sizes::Several(numbers) => numbers,
        };
        let rest = u64::from(what != "offset");
        let mut values = [rest; 3];
        if numbers.is_empty() || numbers.len() > 3 || (what != "offset" && numbers.contains(&0)) {
            return Err(Failure::usage(format!("`{what}` must be one to three numbers of at least {rest}")));
        }
        values[..numbers.len()].copy_from_slice(&numbers);
        Ok(Size { dimensions: numbers.len() as u32, values })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(test: &str, text: &str) -> std::result::Result<Job, String> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tmp/jobs");
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join(format!("{test}.toml"));
        std::fs::write(&path, text).unwrap();
        Job::of_file(&path, &["-w".to_owned()]).map_err(|failure| failure.message().to_owned())
    }

    const JOB: &str = r#"
file = "k.cl"
options = "-DN=4 -cl-std=CL3.0"

[arguments]
a = "in:a.npy"
b = "zero:float[4]"

[[steps]]
repeat = 3
steps = [
    { kernel = "k", global = [4, 2], arguments = ["a", "b", 1.5, [1, 2], "local:16"] },
    { swap = ["a", "b"] },
]

[[steps]]
verify = "a=e.npy:1e-5"
"#;

    #[test]
    fn a_job_is_read() {
        let job = read("right", JOB).unwrap();
        assert_eq!(job.sources[0].options, ["-DN=4", "-cl-std=CL3.0", "-w"]);
        assert!(job.sources[0].path.ends_with("target/tmp/jobs/k.cl"));
        let launches = job.launches();
        assert_eq!((launches.len(), &launches[0].arguments[..]), (1, &[0, 1, 2, 3, 4][..]));
        assert_eq!(launches[0].global, Some(Size { dimensions: 2, values: [4, 2, 1] }));
        assert_eq!(job.arguments[3].text, ArgumentText::parse("(1,2)").unwrap());
        assert!(job.inputs().iter().any(|path| path.ends_with("jobs/a.npy")));
        assert!(matches!(&job.steps[..], [Step::Repeat { times: 3, .. }, Step::Verify(_)]));
    }

    #[test]
    fn mistakes_have_a_place() {
        let deep = "steps = [".to_owned() + &"{ repeat = 1, steps = [".repeat(18) + &"] }".repeat(18) + "]";
        for (name, from, to, expected) in [
            ("syntax", "[arguments]", "[arguments", "is not a job, line 5: "),
            ("field", "repeat = 3", "repaet = 3", "line 10: unknown field `repaet`"),
            (
                "kind",
                "swap = [\"a\", \"b\"]",
                "swap = [\"a\", \"b\"], print = \"a\"",
                "step 1.2 must be one thing",
            ),
            ("unused", "b = ", "c = \"zero:int[1]\"\nb = ", "the argument `c` is not used"),
            (
                "unknown",
                "\"a\", \"b\", 1.5",
                "\"a\", \"d\", 1.5",
                "`d` is not the name of an argument in `[arguments]`; there are a, b",
            ),
            ("source", "file = \"k.cl\"", "", "step 1.1: no source is named"),
            ("size", "[4, 2]", "[4, 0]", "step 1.1: `global` must be one to three numbers"),
            ("argument", "in:a.npy", "inn:a.npy", "argument `a`: `inn:`"),
            ("nothing", JOB, "file = \"k.cl\"", "launches nothing"),
            ("deep", JOB, &deep, "1.1 repeats too deeply"),
        ] {
            let message = read(name, &JOB.replacen(from, to, 1)).unwrap_err();
            assert!(message.contains(expected), "{name}: {message}");
            assert!(!message.contains('\n'), "{message}");
        }
    }
}
