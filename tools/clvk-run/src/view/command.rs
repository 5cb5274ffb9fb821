//! The command line of `clvk-run view`.

use crate::cli::{Size, parse_size};
use clap::Args;
use std::path::PathBuf;

/// What follows the options in its help.
pub const HELP: &str = "\
Kernel arguments are those of `clvk-run run` that need no output file, and these:
  screen:[WxH][:FORMAT]           the picture: an image that the kernel writes, or a buffer of
                                  uchar4, half4 or float4 pixels; as large as the window
                                  unless WxH is given
  time:                           seconds since the start (milliseconds in an integer)
  frame:                          number of the frame, from 0
  mouse:                          int2 or float2: place in the picture, in pixels; int4 or
                                  float4: also the buttons (1 left, 2 right, 4 middle) and the wheel
  size:                           width and height of the picture
  pingpong:ARG ... pingpong:      two parameters: the state that the last frame left, at first
                                  ARG (such as rand:1:float[256,256]), and the next state
Without arguments, the image that the kernel writes is the screen, and parameters named `time`,
`frame`, `mouse` and `size` get those. A job file (.toml) has several kernels in order.

Keys: Space pauses, `.` goes on by a frame, R starts again, + and - zoom at the mouse, 0 shows all,
S saves the picture, Escape ends. The source is compiled again when it changes.

Exit codes: 0 the window was closed, 2 usage, 3 the source is wrong, 4 the device failed, or there is no display.

Examples:
  clvk-run view plasma.cl
  clvk-run view life.cl -- pingpong:rand:1:uchar4[240,320] pingpong:
  clvk-run view plasma.cl --frames 60 --save plasma.apng";

/// `clvk-run view`.
#[derive(Debug, Args)]
pub struct ViewCommand {
    /// OpenCL C source, or a job file (.toml) whose steps run for each frame.
    pub file: PathBuf,
    /// Kernel to run; may be left out where there is only one.
    #[arg(long, value_name = "NAME")]
    pub kernel: Option<String>,
    /// Size of the window, or of the picture that is saved.
    #[arg(long, value_name = "WxH", default_value = "640x480", value_parser = parse_extent)]
    pub size: [u32; 2],
    /// Global size, one to three numbers; that of the picture if left out.
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = parse_size)]
    pub global: Option<Size>,
    /// Work-group size; chosen if left out.
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = parse_size)]
    pub local: Option<Size>,
    /// Argument to show, by name; the screen, or else the last picture that is written, if left out.
    #[arg(long, value_name = "ARG")]
    pub show: Option<String>,
    /// Device, by index or by a part of its name; see `clvk-run devices`.
    #[arg(long, value_name = "N|NAME")]
    pub device: Option<String>,
    /// End after this many frames.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub frames: Option<u32>,
    /// Write the frames instead of opening a window: FILE.apng, FILE.y4m, or FILE-%04d.png with a number for
    /// each frame. One frame unless `--frames` says more.
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
    /// Frames a second in files.
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub fps: u32,
    /// Draw as many frames as the device can, without waiting for the screen.
    #[arg(long)]
    pub no_vsync: bool,
    /// Run under the Khronos validation layer; a message of it is a failure.
    #[arg(long)]
    pub validate: bool,
    /// Check each access of the kernel.
    #[arg(long)]
    pub robust: bool,
    /// Kernel arguments; see below.
    #[arg(last = true, value_name = "ARGS", allow_negative_numbers = true)]
    pub arguments: Vec<String>,
}

/// Width and height.
fn parse_extent(text: &str) -> Result<[u32; 2], String> {
    let numbers =
        text.split_once('x').and_then(|(width, height)| Some([width.parse().ok()?, height.parse().ok()?]));
    numbers
        .filter(|size| size.iter().all(|size| (1..=16384).contains(size)))
        .ok_or_else(|| "a width and a height are expected, such as `640x480`".to_owned())
}
