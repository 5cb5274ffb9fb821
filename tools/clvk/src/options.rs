//! Build options.

use crate::Error;
use clvk_frontend::Options;

/// Build options, as OpenCL spells them (OpenCL API §5.8.6), understood: `-cl-std=CL3.0 -D N=4 -I include`.
///
/// [`Compiler::with_options`](crate::Compiler::with_options) reads them where a device is known already; this
/// type is for those who want to refuse wrong options before that, or use them for several devices.
#[derive(Clone, Debug, Default)]
pub struct BuildOptions {
    pub(crate) options: Options,
}

impl BuildOptions {
    /// From one text: options with blanks between them, values quoted with `"` or `'` where they hold blanks.
    ///
    /// # Errors
    /// [`Error::Options`] names the first option that cannot be taken.
    pub fn parse(text: &str) -> Result<Self, Error> {
        Options::parse(text).map(|options| BuildOptions { options }).map_err(Error::Options)
    }

    /// From options that are split already, as a command line has them.
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
}
