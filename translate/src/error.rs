//! Why a program cannot be translated for a device.

use clvk_ir::{Function, Span};
use std::fmt;

/// Something that a kernel needs and that the device, or this version of the translator, lacks.
///
/// [`TranslateError::problem`] is a verb phrase whose subject is the kernel, or the program where no single
/// kernel is at fault. [`Display`](fmt::Display) makes a sentence of it: ``kernel `k` has more than 65536
/// instructions; split it``. Where the kernel is already named, [`TranslateError::reason`] gives the same
/// sentence without it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TranslateError {
    /// The kernel at fault, if there is one.
    pub kernel: Option<String>,
    /// Where in the source; [`Span::NONE`] if the whole program is at fault.
    pub span: Span,
    /// What the kernel does or needs, and what is missing.
    pub problem: String,
    /// The feature or limit of Vulkan, or the feature of OpenCL C, that the device lacks, if it is one that
    /// has a name.
    pub needs: Option<&'static str>,
    /// What its author can do, as an imperative, if anything besides choosing another device helps.
    pub remedy: Option<String>,
}

impl TranslateError {
    /// A problem of a kernel, at its declaration.
    pub(crate) fn of_kernel(kernel: &Function, problem: impl Into<String>) -> Self {
        let problem = problem.into();
        TranslateError {
            kernel: Some(kernel.name.clone()),
            span: kernel.span,
            problem,
            needs: None,
            remedy: None,
        }
    }

    /// A problem of the whole program.
    pub(crate) fn of_program(problem: impl Into<String>) -> Self {
        TranslateError { kernel: None, span: Span::NONE, problem: problem.into(), needs: None, remedy: None }
    }

    /// The same problem, at this place.
    pub(crate) fn at(self, span: Span) -> Self {
        TranslateError { span, ..self }
    }

    /// The same problem, for want of this feature or limit.
    pub(crate) fn needs(self, needs: &'static str) -> Self {
        TranslateError { needs: Some(needs), ..self }
    }

    /// The same problem, with a remedy for the author.
    pub(crate) fn remedy(self, remedy: impl Into<String>) -> Self {
        TranslateError { remedy: Some(remedy.into()), ..self }
    }

    /// The problem and its remedy, without the kernel.
    #[must_use]
    pub fn reason(&self) -> String {
        match &self.remedy {
            Some(remedy) => format!("{}; {remedy}", self.problem),
            None => self.problem.clone(),
        }
    }
}

impl fmt::Display for TranslateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kernel {
            Some(kernel) => write!(f, "kernel `{kernel}` ")?,
            None => f.write_str("the program ")?,
        }
        f.write_str(&self.reason())
    }
}

impl std::error::Error for TranslateError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentence_begins_with_the_kernel_and_ends_with_the_remedy() {
        let function = Function::new("k".to_owned(), None);
        let error = TranslateError::of_kernel(&function, "nests too deep");
        assert_eq!(error.to_string(), "kernel `k` nests too deep");
        assert_eq!(error.reason(), "nests too deep");
        let error = error.remedy("split it");
        assert_eq!(error.to_string(), "kernel `k` nests too deep; split it");
        assert_eq!(error.reason(), "nests too deep; split it");
        let error = TranslateError::of_program("has no kernel called `k`");
        assert_eq!(error.to_string(), "the program has no kernel called `k`");
    }
}
