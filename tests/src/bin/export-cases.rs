//! Writes the test cases into a folder, for another OpenCL implementation to run
//! (`tools/opencl-reference.py`).

use clap::{Parser, ValueEnum};
use clvk_tests::case::Size;
use clvk_tests::{cases, export, program};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

/// Write the test cases into a folder: sources, arguments, inputs and expected outputs.
#[derive(Debug, Parser)]
struct Arguments {
    /// Where to write; every case gets its own folder there.
    folder: PathBuf,
    /// Which size of the cases.
    #[arg(long, value_enum, default_value = "small")]
    size: SizeArgument,
    /// Only these cases (all if none is named).
    #[arg(long = "case", value_name = "NAME")]
    cases: Vec<String>,
    /// The cases that measure single math functions instead.
    #[arg(long)]
    math: bool,
    /// The small programs of `tests/programs` instead of the kernels; only those of one area if it is named.
    #[arg(long, value_name = "AREA", num_args = 0..=1, default_missing_value = "")]
    programs: Option<String>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum SizeArgument {
    Small,
    Bench,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if let Some(area) = &arguments.programs {
        return match export_programs(area, &arguments.folder) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("{error}");
                ExitCode::FAILURE
            }
        };
    }
    let definitions = if arguments.math { cases::MATH } else { cases::ALL };
    let known = |name: &String| definitions.iter().any(|definition| definition.name == name);
    if let Some(unknown) = arguments.cases.iter().find(|name| !known(name)) {
        let names: Vec<&str> = definitions.iter().map(|definition| definition.name).collect();
        eprintln!("no case is called `{unknown}`; the cases are {}", names.join(", "));
        return ExitCode::from(2);
    }
    let size = match arguments.size {
        SizeArgument::Small => Size::Small,
        SizeArgument::Bench => Size::Bench,
    };
    for definition in definitions {
        if !arguments.cases.is_empty() && !arguments.cases.iter().any(|name| name == definition.name) {
            continue;
        }
        let start = Instant::now();
        let case = (definition.build)(size);
        if let Err(error) = export::write(&case, &arguments.folder) {
            eprintln!("cannot write case {} to {}: {error}", case.name, arguments.folder.display());
            return ExitCode::FAILURE;
        }
        println!("{:14} {:6.2} s", case.name, start.elapsed().as_secs_f64());
    }
    ExitCode::SUCCESS
}

fn export_programs(area: &str, folder: &Path) -> Result<(), String> {
    for program in program::all()? {
        let chosen = area.is_empty() || program.name.split('/').next() == Some(area);
        if chosen && program.refused.is_none() {
            let failed = |error: std::io::Error| format!("{}: {error}", program.name);
            export::write(&program.case, folder).map_err(failed)?;
            for (name, text) in program.headers.iter() {
                std::fs::write(folder.join(&program.case.name).join(name), text).map_err(failed)?;
            }
        }
    }
    Ok(())
}
