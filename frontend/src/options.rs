//! Build options.

use clvk_interface::FeatureSet;

/// Version of the language (`-cl-std`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs)]
pub enum LanguageVersion {
    C10,
    C11,
    /// The default without `-cl-std` (OpenCL API §5.8.6.5).
    #[default]
    C12,
    C20,
    C30,
    C31,
}

impl LanguageVersion {
    /// From the value of `-cl-std`, `CL1.2` for instance.
    #[must_use]
    pub fn from_option(text: &str) -> Option<Self> {
        Some(match text {
            "CL1.0" => Self::C10,
            "CL1.1" | "CL" => Self::C11,
            "CL1.2" => Self::C12,
            "CL2.0" => Self::C20,
            "CL3.0" => Self::C30,
            "CL3.1" => Self::C31,
            _ => return None,
        })
    }

    /// `__OPENCL_C_VERSION__`.
    #[must_use]
    pub fn number(self) -> u32 {
        match self {
            Self::C10 => 100,
            Self::C11 => 110,
            Self::C12 => 120,
            Self::C20 => 200,
            Self::C30 => 300,
            Self::C31 => 310,
        }
    }
}

/// The form of `-cl-std` and the specification: `1.2`.
impl std::fmt::Display for LanguageVersion {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}.{}", self.number() / 100, self.number() % 100 / 10)
    }
}

/// Versions of C++ (`-cl-std=c++`, `-cl-std=CLC++…`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CxxVersion {
    /// OpenCL C++ 1.0, whose address spaces, images and functions are a library in headers. Here it is on
    /// OpenCL C 2.0, which has all that the library needs.
    OpenCl,
    /// C++ for OpenCL 1.0: C++17 on OpenCL C 2.0.
    V100,
    /// C++ for OpenCL 2021: C++17 on OpenCL C 3.0.
    V2021,
}

impl CxxVersion {
    /// From the value of `-cl-std`.
    #[must_use]
    pub fn from_option(text: &str) -> Option<Self> {
        Some(match text {
            "c++" | "C++" | "c++14" | "C++14" => Self::OpenCl,
            "CLC++" | "clc++" | "CLC++1.0" | "clc++1.0" => Self::V100,
            "CLC++2021" | "clc++2021" => Self::V2021,
            _ => return None,
        })
    }

    /// `__OPENCL_CPP_VERSION__`.
    #[must_use]
    pub fn number(self) -> u32 {
        match self {
            Self::OpenCl | Self::V100 => 100,
            Self::V2021 => 202_100,
        }
    }

    /// The version of OpenCL C whose types and functions it has.
    #[must_use]
    pub fn base(self) -> LanguageVersion {
        match self {
            Self::OpenCl | Self::V100 => LanguageVersion::C20,
            Self::V2021 => LanguageVersion::C30,
        }
    }
}

/// The options of a compilation. [`Options::parse`](crate::options::Options::parse) parses option strings.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools)]
pub struct Options {
    /// `-cl-std`.
    pub version: LanguageVersion,
    /// The text is C++, on the version of OpenCL C in `version`.
    pub cxx: Option<CxxVersion>,
    /// `-D name=value` (value `1` if none is given) and `-U name` (`None`), in order.
    pub macros: Vec<(String, Option<String>)>,
    /// `-I`, in order.
    pub include_dirs: Vec<std::path::PathBuf>,
    /// Optional language features of the device.
    pub features: FeatureSet,
    /// Work-items of the device's sub-groups, if they are known. Kernels cannot demand another size.
    pub sub_group_size: Option<u32>,
    /// What needs a feature that the device does not offer is accepted and put on a list
    /// ([`Diagnostics::deferred`](crate::Diagnostics::deferred)), so that whoever translates the program can
    /// refuse single kernels.
    pub defers_features: bool,
    /// `-w`: no warnings.
    pub no_warnings: bool,
    /// `-Werror`.
    pub warnings_are_errors: bool,
    /// `-cl-single-precision-constant`.
    pub single_precision_constants: bool,
    /// `-cl-denorms-are-zero`.
    pub denorms_are_zero: bool,
    /// `-cl-fp32-correctly-rounded-divide-sqrt`.
    pub correctly_rounded_divide_sqrt: bool,
    /// `-cl-opt-disable`.
    pub no_optimization: bool,
    /// `-cl-no-signed-zeros` and what implies it.
    pub no_signed_zeros: bool,
    /// `-cl-unsafe-math-optimizations` and what implies it.
    pub unsafe_math: bool,
    /// `-cl-finite-math-only` and what implies it.
    pub finite_math_only: bool,
    /// `-cl-fast-relaxed-math`.
    pub fast_relaxed_math: bool,
    /// `-cl-uniform-work-group-size`.
    pub uniform_work_group_size: bool,
    /// `-g`: the translated program says which lines its instructions come from.
    pub line_information: bool,
    /// Pointers into arrays that are members or elements say where these end ([`clvk_ir::Op::Within`]).
    pub marks_arrays: bool,
    /// Shifts and arithmetic of signed integers that the source writes say so ([`clvk_ir::Op::Checked`]).
    pub marks_arithmetic: bool,
    /// Accesses of one expression that nothing orders say so ([`clvk_ir::Op::Apart`]).
    pub marks_order: bool,
    /// `-cl-zero-init-local-mem-vars` of OpenCL C++: kernels clear their variables in local memory.
    pub zero_local_variables: bool,
    /// Bits of specialisation constants that are set, by ID (OpenCL C++ 1.0 §3.5).
    pub specialised: Vec<(u32, u64)>,
    /// Options of other vendors' compilers, which are ignored with a warning.
    pub ignored: Vec<String>,
    /// Whether the program is linked with others, which may define what it only declares
    /// (`clCompileProgram`).
    pub for_linking: bool,
    /// Whether this compiles the built-in library itself: floating-point contraction is off, and names with
    /// `__clvk_` may be defined.
    pub library: bool,
}

impl Options {
    /// The options for a file: its name may say that it is in C++ (`.clcpp`, `.clpp`).
    #[must_use]
    pub fn for_file(&self, name: &str) -> std::borrow::Cow<'_, Options> {
        let is_cxx = [".clcpp", ".clpp"].iter().any(|ending| name.ends_with(ending));
        if !is_cxx || self.cxx.is_some() {
            return std::borrow::Cow::Borrowed(self);
        }
        let cxx = CxxVersion::V2021;
        std::borrow::Cow::Owned(Options { cxx: Some(cxx), version: cxx.base(), ..self.clone() })
    }
}

impl Options {
    /// Whether the language is OpenCL C++ 1.0.
    pub(crate) fn is_opencl_cxx(&self) -> bool {
        self.cxx == Some(CxxVersion::OpenCl)
    }
}

mod parse;

pub use parse::{OptionsError, is_of_vendor};
