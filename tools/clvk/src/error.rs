//! What can go wrong.

use crate::message::{ErrorLimit, Form, Message, Messages, to_json};
use clvk_frontend::OptionsError;
use clvk_translate::TranslateError;
use std::fmt;
use std::path::PathBuf;

/// Why there is no program, or why it does not run.
///
/// [`Display`](fmt::Display) and [`Debug`](fmt::Debug) give the text of [`Error::plain`], so that `main` may
/// return it.
#[non_exhaustive]
pub enum Error {
    /// A build option is not known, or lacks its value.
    Options(OptionsError),
    /// A source cannot be read.
    File {
        /// Its path.
        path: PathBuf,
        /// What is wrong with it, and what to do.
        problem: String,
    },
    /// The source is wrong: all errors and warnings.
    Source(Messages),
    /// The parts of a program do not fit together: something is defined twice, or not at all.
    Link(Messages),
    /// The source is right, but a kernel needs something that the device, or this version of the compiler,
    /// does not have.
    Unsupported {
        /// What each kernel needs.
        errors: Vec<TranslateError>,
        /// The same, to be rendered.
        messages: Messages,
    },
    /// The kernels cannot be written in a language.
    #[cfg(feature = "naga")]
    Shader(clvk_naga::ShaderError),
    /// The runtime: there is no device, an argument is wrong, or a device failed.
    #[cfg(feature = "runtime")]
    Runtime(vk_runtime::Error),
}

impl Error {
    /// The messages about sources; `None` if something else is wrong.
    #[must_use]
    pub fn messages(&self) -> Option<&Messages> {
        match self {
            Error::Source(messages) | Error::Link(messages) | Error::Unsupported { messages, .. } => {
                Some(messages)
            }
            _ => None,
        }
    }

    /// All messages, as plain data.
    #[must_use]
    pub fn list(&self) -> Vec<Message> {
        self.messages().map_or_else(|| vec![Message::error(self.sentence())], Messages::list)
    }

    /// See [`Messages::render`].
    #[must_use]
    pub fn render(&self, form: Form, limit: ErrorLimit) -> String {
        match self.messages() {
            Some(messages) => messages.render(form, limit),
            None if form == (Form::Pretty { colour: true }) => {
                format!("\u{1b}[1;31merror\u{1b}[0m\u{1b}[1m: {}\u{1b}[0m\n", self.sentence())
            }
            None => format!("error: {}\n", self.sentence()),
        }
    }

    /// For logs: see [`Messages::plain`].
    #[must_use]
    pub fn plain(&self) -> String {
        self.render(Form::Plain, ErrorLimit::default())
    }

    /// For terminals: see [`Messages::pretty`].
    #[must_use]
    pub fn pretty(&self, colour: bool) -> String {
        self.render(Form::Pretty { colour }, ErrorLimit::default())
    }

    /// For programs: [`Error::list`] as a JSON array.
    #[must_use]
    pub fn json(&self) -> String {
        to_json(&self.list())
    }

    /// The error as one sentence.
    fn sentence(&self) -> String {
        match self {
            Error::Options(error) => error.to_string(),
            Error::File { path, problem } => format!("cannot read `{}`: {problem}", path.display()),
            Error::Source(messages) | Error::Link(messages) | Error::Unsupported { messages, .. } => {
                messages.to_string()
            }
            #[cfg(feature = "naga")]
            Error::Shader(error) => error.to_string(),
            #[cfg(feature = "runtime")]
            Error::Runtime(error) => {
                let causes = std::iter::successors(std::error::Error::source(error), |error| error.source());
                causes.fold(error.to_string(), |text, cause| format!("{text} ({cause})"))
            }
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {}

#[cfg(feature = "runtime")]
impl From<vk_runtime::Error> for Error {
    fn from(error: vk_runtime::Error) -> Self {
        Error::Runtime(error)
    }
}
