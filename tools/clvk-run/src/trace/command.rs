//! The command line of `clvk-run trace`.

use super::condition::Wanted;
use crate::cli::{RunCommand, Size, parse_offset, parse_size};
use clap::Args;
use clvk::interface::print::DEFAULT_PRINT_BUFFER;
use std::path::PathBuf;

/// What follows the options in its help.
pub const HELP: &str = "\
It runs the kernel and shows what one work-item did: each value that it stored, and each condition
that it decided, with the source line. Long loops are folded. Kernel arguments are those of
`clvk-run run`. Nothing is written.

CONDITION compares a variable with a number (`x > 1e6`, `i == 3`; also !=, <, <=, >=), or is
`isnan(x)` or `isinf(x)`. The first work-item that stores such a value is traced.

Exit codes: 0 traced, 1 the devices differ, or no work-item meets the condition, 2 usage, 3 the source is
wrong, 4 a device failed.

Examples:
  clvk-run trace saxpy.cl --work-item 5 -- 2.0f rand:1:float[1024] fill:1:float[1024]
  clvk-run trace blur.cl --where 'isnan(sum)' -- in.npy out:o.npy:float[4096]
  clvk-run trace blur.cl --compare-device llvmpipe -- in.npy out:o.npy:float[4096]";

/// `clvk-run trace`.
#[derive(Debug, Args)]
pub struct TraceCommand {
    /// OpenCL C source, or SPIR-V for kernels.
    pub file: PathBuf,
    /// Global id of the work-item.
    #[arg(long, value_name = "X[,Y[,Z]]", default_value = "0", value_parser = parse_offset)]
    pub work_item: Size,
    /// Trace the first work-item that stores a value for which this holds; see below.
    #[arg(long = "where", value_name = "CONDITION", value_parser = Wanted::parse, conflicts_with = "work_item")]
    pub condition: Option<Wanted>,
    /// Show only the values of this variable. May be given several times.
    #[arg(long, value_name = "VARIABLE")]
    pub watch: Vec<String>,
    /// Trace the work-item on another device, too, by index or by a part of its name, and show the first
    /// difference.
    #[arg(long, value_name = "N|NAME")]
    pub compare_device: Option<String>,
    /// Difference of floating-point values that is none, relative to values above 1 and absolute below.
    #[arg(long, value_name = "NUMBER", default_value_t = 0.0, requires = "compare_device")]
    pub tolerance: f64,
    /// Kernel to run; may be left out where there is only one.
    #[arg(long, value_name = "NAME")]
    pub kernel: Option<String>,
    /// Global size, one to three numbers; taken from the arguments if left out.
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = parse_size)]
    pub global: Option<Size>,
    /// Work-group size; chosen if left out.
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = parse_size)]
    pub local: Option<Size>,
    /// Global offset.
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = parse_offset)]
    pub offset: Option<Size>,
    /// Device, by index or by a part of its name; see `clvk-run devices`.
    #[arg(long, value_name = "N|NAME")]
    pub device: Option<String>,
    /// Run under the Khronos validation layer; a message of it is a failure.
    #[arg(long)]
    pub validate: bool,
    /// Check each access of the kernel.
    #[arg(long)]
    pub robust: bool,
    /// Print the steps as JSON.
    #[arg(long)]
    pub json: bool,
    /// Kernel arguments; see below.
    #[arg(last = true, value_name = "ARGS", allow_negative_numbers = true)]
    pub arguments: Vec<String>,
}

impl TraceCommand {
    /// The command that runs the same.
    pub fn run(&self) -> RunCommand {
        RunCommand {
            file: self.file.clone(),
            kernel: self.kernel.clone(),
            global: self.global,
            local: self.local,
            offset: self.offset,
            device: self.device.clone(),
            time: None,
            profile: false,
            timeout: None,
            verify: Vec::new(),
            print: Vec::new(),
            print_buffer: DEFAULT_PRINT_BUFFER,
            validate: self.validate,
            robust: self.robust,
            sanitize: None,
            json: self.json,
            watch: false,
            arguments: self.arguments.clone(),
        }
    }
}
