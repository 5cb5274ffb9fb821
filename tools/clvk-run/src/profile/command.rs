//! The command line of `clvk-run profile`.

use super::sweep::Sweep;
use crate::cli::RunCommand;
use clap::Args;
use std::path::PathBuf;

/// What follows the options in its help.
pub const HELP: &str = "\
It takes the options and arguments of `clvk-run run`, runs the kernel until its time is stable,
measures it by the device's clock, and runs it once more with counters in it. `--time N` fixes the
number of runs. It writes and verifies nothing.

Bytes and operations are those that the kernel asks for: caches may serve a part of the bytes.
Sub-groups, cache lines and banks are judged on up to 8 work-groups.

Exit codes: 0 measured, 2 usage, 3 the source is wrong, 4 the device failed.

Examples:
  clvk-run profile saxpy.cl --global 1024 -- 2.0f rand:1:float[1024] fill:1:float[1024]
  clvk-run profile saxpy.cl --sweep local=32/64/128 -- 2.0f rand:1:float[4096] fill:1:float[4096]
  clvk-run profile --html report.html --svg roofline.svg blur.cl -- in.npy out:o.npy:float[4096]";

/// `clvk-run profile`.
#[derive(Debug, Args)]
pub struct ProfileCommand {
    /// What runs.
    #[command(flatten)]
    pub run: RunCommand,
    /// Write the roofline, or the times of a sweep, as a picture.
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Write the report with the annotated source as one page.
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Try work-group sizes (`local`) and values of macros: all combinations, each verified against the
    /// first.
    #[arg(long, value_name = "local=N/NxN,MACRO=V/V", value_parser = Sweep::parse,
          conflicts_with_all = ["html", "lines"])]
    pub sweep: Option<Sweep>,
    /// Run another source with the same arguments in turn, and say which one is faster.
    #[arg(long, value_name = "OTHER.cl", conflicts_with_all = ["svg", "html", "lines", "sweep"])]
    pub compare: Option<PathBuf>,
    /// Compare with what `--json` printed before: other build options, or an older version.
    #[arg(long, value_name = "FILE.json", conflicts_with_all = ["sweep", "compare", "json"])]
    pub compare_profile: Option<PathBuf>,
    /// Print each source line with how often it ran, below the summary.
    #[arg(long)]
    pub lines: bool,
    /// Print the driver's code of each kernel, in each of its languages, below the summary.
    #[arg(long, conflicts_with_all = ["sweep", "compare"])]
    pub show_code: bool,
}
