//! The command line of `clvk-run export`.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// What follows the options in `--help`.
pub const HELP: &str = "\
Writes a folder with everything that an application needs to run the kernels: SPIR-V for
each profile, tables of how to launch it, a small runtime in C on Vulkan 1.1, functions
with the kernels' own arguments, a sample that runs each kernel, and build files. The
runtime takes the first SPIR-V that suits the device.

Writing to a folder again replaces `runtime`, `program` and `spirv`, and keeps the other
files, which are yours to change.

Exit codes: 0 written, 2 usage, 3 the source is wrong, or a kernel needs what a kit lacks.

Examples:
  clvk-run export blur.cl --target android --lang kotlin -o blur
  clvk-run export blur.cl --target linux --lang c -o blur
  clvk-run export blur.cl --profile adreno-740,vulkan-1.1 --lang rust -o blur";

/// `clvk-run export`.
#[derive(Debug, Args)]
pub struct ExportCommand {
    /// OpenCL C source; `-` is the standard input.
    pub file: PathBuf,
    /// Where the application runs.
    #[arg(long, value_enum, default_value = "linux")]
    pub target: Target,
    /// The application's language.
    #[arg(long, value_enum, default_value = "c")]
    pub lang: Language,
    /// Folder to write.
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    /// Devices to compile for, separated by commas: names of presets or JSON files. If none is named, presets
    /// that suit the target.
    #[arg(long, value_name = "PROFILE[,PROFILE...]", value_delimiter = ',')]
    pub profile: Vec<String>,
    /// Kernel to export; all if none is named. May be given several times.
    #[arg(long, value_name = "NAME")]
    pub kernel: Vec<String>,
    /// Name of the program, with which its functions begin; the file's name if left out.
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
}

/// Where an exported program runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Target {
    /// Phones with Android.
    Android,
    /// Linux.
    Linux,
    /// Windows.
    Windows,
}

/// The language of an application.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Language {
    /// C.
    C,
    /// C++.
    Cpp,
    /// Rust.
    Rust,
    /// Kotlin, on Android.
    Kotlin,
}

impl Target {
    /// The profiles for it, unless others are named: those of drivers that are there, and the least that any
    /// device has.
    pub fn profiles(self) -> &'static [&'static str] {
        match self {
            Target::Android => &[
                "qualcomm-adreno-740",
                "arm-mali-g710",
                // The emulator's.
                "swiftshader",
                "android-baseline-2022",
                "vulkan-1.1",
            ],
            Target::Linux | Target::Windows => {
                &["nvidia-h200", "lavapipe-25.0", "lavapipe-22.3", "swiftshader", "vulkan-1.1"]
            }
        }
    }
}
