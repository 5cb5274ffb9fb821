//! Runs the program in a folder of its own.

use std::path::{Path, PathBuf};
use std::process::Command;

/// y = a x + y, as the first example of the help has it.
pub const SAXPY: &str = "\
__kernel void saxpy(float a, __global const float *x, __global float *y) {
    size_t i = get_global_id(0);
    y[i] = a * x[i] + y[i];
}
";

/// A folder for the files of one test.
pub struct Folder(PathBuf);

/// What a run gave.
#[derive(Debug)]
pub struct Run {
    /// Exit code.
    pub code: i32,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl Folder {
    /// An empty folder, named after the test, with `saxpy.cl` in it.
    pub fn new(test: &str) -> Folder {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cli").join(test);
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        let folder = Folder(path);
        folder.write("saxpy.cl", SAXPY);
        folder
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub fn write(&self, name: &str, contents: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), contents).unwrap();
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// The program with these arguments, to be run in this folder.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_clvk-run"));
        command.args(arguments).current_dir(&self.0).env_remove("RUST_BACKTRACE");
        command
    }

    /// Runs the program.
    pub fn run(&self, arguments: &[&str]) -> Run {
        finish(self.command(arguments), arguments)
    }

    /// Runs the program, which must succeed without a word on the standard error.
    pub fn good(&self, arguments: &[&str]) -> Run {
        let run = self.run(arguments);
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{arguments:?}: {run:?}");
        run
    }

    /// Runs the program, which must refuse with one line that contains these texts.
    pub fn refused(&self, code: i32, arguments: &[&str], expected: &[&str]) {
        let run = self.run(arguments);
        assert_eq!(run.code, code, "{arguments:?}: {run:?}");
        assert_eq!(run.err.trim_end().lines().count(), 1, "{arguments:?}: {}", run.err);
        assert!(run.err.starts_with("error: "), "{arguments:?}: {}", run.err);
        for text in expected {
            assert!(run.err.contains(text), "{arguments:?} does not say `{text}`: {}", run.err);
        }
        assert_eq!(run.out, "", "{arguments:?}");
    }

    /// Runs a kernel whose `--print` of one argument is what counts: its elements.
    pub fn printed(&self, arguments: &[&str]) -> Vec<String> {
        let run = self.good(arguments);
        let line = run.out.lines().nth(1).unwrap_or_else(|| panic!("nothing was printed: {run:?}"));
        line.split(' ').skip(1).map(str::to_owned).collect()
    }
}

/// Runs a command to its end.
pub fn finish(mut command: Command, arguments: &[&str]) -> Run {
    let output = command.output().unwrap();
    let run = Run {
        code: output.status.code().unwrap_or_else(|| panic!("{arguments:?} was killed: {output:?}")),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    };
    assert!((0..=4).contains(&run.code), "{arguments:?}: {run:?}");
    assert!(!run.out.contains("panicked") && !run.err.contains("panicked"), "{arguments:?}: {run:?}");
    run
}
