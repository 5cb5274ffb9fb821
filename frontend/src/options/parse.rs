//! The option string of `clBuildProgram` (OpenCL API §5.8.6), which clvk-run's command line also uses.

use super::{CxxVersion, LanguageVersion, Options};
use crate::diagnostic::shorten;
use crate::suggest::nearest;
use thiserror::Error;

/// What is wrong with build options.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OptionsError {
    /// An option that is not known.
    #[error("unknown build option `{option}`{}", suggest(.nearest))]
    Unknown {
        /// As given.
        option: String,
        /// A known option with a similar name.
        nearest: Option<&'static str>,
    },
    /// An option without its value.
    #[error("build option `{option}` needs {needs} after it")]
    MissingValue {
        /// As given.
        option: String,
        /// What is missing.
        needs: &'static str,
    },
    /// An unknown language version.
    #[error(
        "unknown language version `{version}` in -cl-std: the known versions are CL1.0, CL1.1, CL1.2, CL2.0, CL3.0, CL3.1, CLC++1.0, CLC++2021 and c++"
    )]
    Version {
        /// As given.
        version: String,
    },
    /// The name in `-D` or `-U` is not an identifier.
    #[error(
        "`{name}` in `{option}` is not the name of a macro: a name has letters, digits and `_`, and does not begin with a digit"
    )]
    MacroName {
        /// As given.
        name: String,
        /// `-D` or `-U`.
        option: &'static str,
    },
    /// A quote that is not closed.
    #[error("the {quote} quote in the build options is not closed")]
    OpenQuote {
        /// `'` or `"`.
        quote: char,
    },
}

fn suggest(nearest: &Option<&'static str>) -> String {
    nearest.map_or(String::new(), |option| format!(": did you mean `{option}`?"))
}

/// Prefixes of other vendors' options. Programs pass them to whatever driver they find.
const OF_VENDORS: &[&str] = &[
    "-cl-amd-",
    "-cl-arm-",
    "-cl-img-",
    "-cl-intel-",
    "-cl-nv-",
    "-cl-pocl-",
    "-cl-qcom-",
    "-fbin-",
    "-fno-bin-",
    "-qcom-",
    "-ze-",
];

/// The option to clear variables in local memory, which only OpenCL C++ has.
const ZERO_LOCAL: &str = "-cl-zero-init-local-mem-vars";

/// A flag and what it does.
type Flag = (&'static str, fn(&mut Options));

/// Every option without a value.
const FLAGS: &[Flag] = &[
    ("-cl-single-precision-constant", |o| o.single_precision_constants = true),
    ("-cl-denorms-are-zero", |o| o.denorms_are_zero = true),
    ("-cl-fp32-correctly-rounded-divide-sqrt", |o| o.correctly_rounded_divide_sqrt = true),
    ("-cl-opt-disable", |o| o.no_optimization = true),
    ("-cl-no-signed-zeros", |o| o.no_signed_zeros = true),
    ("-cl-unsafe-math-optimizations", unsafe_math),
    ("-cl-finite-math-only", |o| o.finite_math_only = true),
    ("-cl-fast-relaxed-math", |o| {
        unsafe_math(o);
        o.finite_math_only = true;
        o.fast_relaxed_math = true;
    }),
    ("-cl-uniform-work-group-size", |o| o.uniform_work_group_size = true),
    // Of OpenCL C++: halves and doubles are there where the device has them.
    ("-cl-fp16-enable", |_| ()),
    ("-cl-fp64-enable", |_| ()),
    (ZERO_LOCAL, |o| o.zero_local_variables = true),
    // What these permit is never made use of.
    ("-cl-mad-enable", |_| ()),
    ("-cl-no-subgroup-ifp", |_| ()),
    ("-cl-strict-aliasing", |_| ()),
    // Names of arguments and positions are always kept.
    ("-cl-kernel-arg-info", |_| ()),
    ("-g", |o| o.line_information = true),
    ("-w", |o| o.no_warnings = true),
    ("-Werror", |o| o.warnings_are_errors = true),
];

/// `-cl-unsafe-math-optimizations` includes `-cl-no-signed-zeros` (OpenCL API §5.8.6.3).
fn unsafe_math(options: &mut Options) {
    options.unsafe_math = true;
    options.no_signed_zeros = true;
}

/// Whether it is an option of another vendor's compiler, which is accepted and ignored.
#[must_use]
pub fn is_of_vendor(argument: &str) -> bool {
    OF_VENDORS.iter().any(|prefix| argument.starts_with(prefix))
}

impl Options {
    /// Parses an option string: options separated by blanks; values that contain blanks are quoted with `"`
    /// or `'`. The features stay empty, because they come from the device. Options of other vendors'
    /// compilers go to [`Options::ignored`].
    ///
    /// # Errors
    /// Names the first option that cannot be taken.
    pub fn parse(text: &str) -> Result<Options, OptionsError> {
        Self::parse_arguments(split(text)?)
    }

    /// Parses separate options, as on a command line.
    ///
    /// # Errors
    /// Names the first option that cannot be taken.
    pub fn parse_arguments<I>(arguments: I) -> Result<Options, OptionsError>
    where
        I: IntoIterator,
        I::Item: Into<String>,
    {
        let mut options = Options::default();
        let mut arguments = arguments.into_iter().map(Into::into).peekable();
        while let Some(argument) = arguments.next() {
            if is_of_vendor(&argument) {
                // If the next argument is not an option, it can only be the value.
                let value = arguments.next_if(|value: &String| !value.starts_with('-'));
                options.ignored.push(value.map_or(argument.clone(), |value| format!("{argument} {value}")));
                continue;
            }
            options.take(&argument, &mut arguments)?;
        }
        if options.zero_local_variables && !options.is_opencl_cxx() {
            return Err(OptionsError::Unknown { option: ZERO_LOCAL.into(), nearest: None });
        }
        Ok(options)
    }

    fn take(&mut self, argument: &str, rest: &mut impl Iterator<Item = String>) -> Result<(), OptionsError> {
        if let Some((_, set)) = FLAGS.iter().find(|(name, _)| *name == argument) {
            set(self);
            return Ok(());
        }
        if let Some(version) = argument.strip_prefix("-cl-std=") {
            if let Some(cxx) = CxxVersion::from_option(version) {
                self.cxx = Some(cxx);
                self.version = cxx.base();
                return Ok(());
            }
            self.cxx = None;
            let unknown = || OptionsError::Version { version: shorten(version).into() };
            self.version = LanguageVersion::from_option(version).ok_or_else(unknown)?;
            return Ok(());
        }
        let mut value = |prefix: &str, needs| match &argument[prefix.len()..] {
            "" => rest.next().ok_or(OptionsError::MissingValue { option: prefix.to_owned(), needs }),
            joined => Ok(joined.to_owned()),
        };
        match argument.get(..2) {
            Some("-D") => self.define(&value("-D", "a macro, `name` or `name=value`,")?),
            Some("-U") => {
                let name = value("-U", "the name of a macro")?;
                check_name(&name, "-U")?;
                self.macros.push((name, None));
                Ok(())
            }
            Some("-I") => {
                self.include_dirs.push(value("-I", "a directory")?.into());
                Ok(())
            }
            _ => {
                let known = FLAGS.iter().map(|&(name, _)| name).chain(["-cl-std=CL1.2", "-D", "-U", "-I"]);
                Err(OptionsError::Unknown {
                    option: shorten(argument).into(),
                    nearest: nearest(argument, known),
                })
            }
        }
    }

    fn define(&mut self, definition: &str) -> Result<(), OptionsError> {
        let (name, value) = definition.split_once('=').unwrap_or((definition, "1"));
        check_name(name.split('(').next().unwrap_or(name), "-D")?;
        self.macros.push((name.to_owned(), Some(value.to_owned())));
        Ok(())
    }
}

fn check_name(name: &str, option: &'static str) -> Result<(), OptionsError> {
    let is_start = |c: char| c.is_alphabetic() || c == '_' || c == '$';
    let is_name = name.starts_with(is_start) && name.chars().all(|c| is_start(c) || c.is_alphanumeric());
    if is_name { Ok(()) } else { Err(OptionsError::MacroName { name: shorten(name).into(), option }) }
}

/// Splits at blanks outside quotes. In double quotes and outside quotes, `\` escapes a quote, a blank or
/// itself.
fn split(text: &str) -> Result<Vec<String>, OptionsError> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match (character, quote) {
            ('\\', None | Some('"')) => {
                let escapes =
                    |next: &char| matches!(next, '\\' | '"' | '\'') || (*next == ' ' && quote.is_none());
                let literal = characters.next_if(escapes).unwrap_or('\\');
                word.get_or_insert_default().push(literal);
            }
            (character, Some(open)) if character == open => quote = None,
            ('"' | '\'', None) => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (character, None) if character.is_ascii_whitespace() => words.extend(word.take()),
            (character, _) => word.get_or_insert_default().push(character),
        }
    }
    if let Some(quote) = quote {
        return Err(OptionsError::OpenQuote { quote });
    }
    words.extend(word);
    Ok(words)
}
