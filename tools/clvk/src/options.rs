//! Build options.

use crate::Error;
use clvk_frontend::Options;

/// Parsed build options, spelled as in OpenCL (OpenCL API §5.8.6): `-cl-std=CL3.0 -D N=4 -I include`.
///
/// If the device is known already, use [`Compiler::with_options`](crate::Compiler::with_options). Use this
/// type to refuse wrong options before that, or to use them for several devices.
#[derive(Clone, Debug, Default)]
pub struct BuildOptions {
    pub(crate) options: Options,
}

impl BuildOptions {
    /// From one text: options separated by blanks; values that contain blanks are quoted with `"` or `'`.
    ///
    /// # Errors
    /// [`Error::Options`] names the first option that is wrong.
    pub fn parse(text: &str) -> Result<Self, Error> {
        Options::parse(text).map(|options| BuildOptions { options }).map_err(Error::Options)
    }

    /// From separate options, as on a command line.
    ///
    /// # Errors
    /// As for [`BuildOptions::parse`].
    pub fn from_arguments<I>(arguments: I) -> Result<Self, Error>
    where
        I: IntoIterator,
        I::Item: Into<String>,
    {
        Options::parse_arguments(arguments).map(|options| BuildOptions { options }).map_err(Error::Options)
    }

    /// Whether it is an option of another vendor's compiler (`-cl-nv-verbose`, `-fno-bin-llvmir`): it is
    /// accepted and ignored, with a warning.
    #[must_use]
    pub fn is_of_vendor(argument: &str) -> bool {
        clvk_frontend::is_of_vendor(argument)
    }
}
