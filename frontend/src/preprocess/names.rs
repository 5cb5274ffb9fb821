//! The meanings of identifiers for the preprocessor: macros and keywords, indexed by symbol.
//!
//! The macros that the language predefines are not set up in advance: a name is looked up at its first
//! occurrence.

use super::constants;
use super::definition::{self, Macro};
use super::lexer::Lexer;
use super::pp_token::{PpKind, PpToken, SpecialValue};
use super::target_macros;
use crate::Span;
use crate::options::{CxxVersion, LanguageVersion, Options};
use crate::symbol::{Interner, Symbol};
use crate::token::Keyword;
use clvk_interface::{Feature, FeatureKind};
use std::rc::Rc;

/// Macros whose replacement depends on their place, and operators that look like macros.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dynamic {
    Line,
    File,
    Date,
    Time,
    Counter,
    IncludeLevel,
    /// `_Pragma` (C99 §6.10.9).
    Pragma,
    /// `defined`, in the condition of an `#if` only.
    Defined,
    /// `__has_include`, or `__has_include_next` if true.
    HasInclude(bool),
    /// `__has_attribute`, `__has_builtin`, `__has_feature`, `__has_extension`.
    Has(Question),
}

/// What a `__has_…` operator tests for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Question {
    Attribute,
    Builtin,
    /// Features and extensions in clang's sense; there are none.
    Feature,
}

/// The definition of a name.
#[derive(Clone, Debug, Default)]
pub(super) enum Definition {
    #[default]
    None,
    Macro(Rc<Macro>),
    Dynamic(Dynamic),
}

#[derive(Clone, Debug, Default)]
struct Slot {
    /// Whether the rest has been looked up.
    known: bool,
    definition: Definition,
    /// Whether the macro is being expanded, so that its name is not replaced (C99 §6.10.3.4p2).
    disabled: bool,
    keyword: Option<Keyword>,
}

/// All names.
pub(super) struct Names<'a> {
    options: &'a Options,
    slots: Vec<Slot>,
}

impl<'a> Names<'a> {
    pub fn new(options: &'a Options) -> Self {
        Names { options, slots: Vec::new() }
    }

    fn slot(&mut self, symbol: Symbol, interner: &mut Interner) -> &mut Slot {
        let index = symbol.index();
        if self.slots.len() <= index {
            self.slots.resize_with((index + 1).next_power_of_two().max(256), Slot::default);
        }
        if !self.slots[index].known {
            let keyword = keyword(interner.text(symbol), self.options);
            // Set first, because the definition's own text may contain the name.
            self.slots[index].known = true;
            let definition = predefined(symbol, interner, self.options);
            self.slots[index] = Slot { known: true, definition, disabled: false, keyword };
        }
        &mut self.slots[index]
    }

    pub fn definition(&mut self, symbol: Symbol, interner: &mut Interner) -> &Definition {
        &self.slot(symbol, interner).definition
    }

    pub fn define(&mut self, symbol: Symbol, definition: Definition, interner: &mut Interner) {
        self.slot(symbol, interner).definition = definition;
    }

    /// Whether it is a macro, as `#ifdef` asks.
    pub fn is_defined(&mut self, symbol: Symbol, interner: &mut Interner) -> bool {
        let definition = self.definition(symbol, interner);
        !matches!(definition, Definition::None | Definition::Dynamic(Dynamic::Pragma | Dynamic::Defined))
    }

    pub fn is_disabled(&mut self, symbol: Symbol) -> bool {
        self.slots.get(symbol.index()).is_some_and(|slot| slot.disabled)
    }

    pub fn set_disabled(&mut self, symbol: Symbol, disabled: bool) {
        self.slots[symbol.index()].disabled = disabled;
    }

    pub fn keyword(&mut self, symbol: Symbol, interner: &mut Interner) -> Option<Keyword> {
        self.slot(symbol, interner).keyword
    }
}

/// OpenCL C 2.0 introduced `pipe` and `generic`; before that they are identifiers.
fn keyword(text: &str, options: &Options) -> Option<Keyword> {
    if options.cxx.is_some() && is_name_of_cxx(text, options) {
        return None;
    }
    let is_new = matches!(text, "pipe" | "generic");
    if is_new && options.version < LanguageVersion::C20 {
        return None;
    }
    // `__pipe` is for the library of OpenCL C++ only.
    Keyword::from_text(text).filter(|_| text != "__pipe" || options.is_opencl_cxx())
}

/// Keywords of OpenCL C that are names like others in C++ (C++ for OpenCL, use of restrict). In OpenCL C++
/// some are names of the library; what has underscores is for its headers.
fn is_name_of_cxx(text: &str, options: &Options) -> bool {
    let is_of_library = || {
        matches!(
            text,
            "global" | "local" | "constant" | "generic" | "pipe" | "read_only" | "write_only" | "read_write"
        )
    };
    matches!(text, "complex" | "imaginary" | "restrict") || options.is_opencl_cxx() && is_of_library()
}

/// The macro that the language predefines under this name (OpenCL C §6.12, §6.2).
fn predefined(symbol: Symbol, interner: &mut Interner, options: &Options) -> Definition {
    let text = interner.text(symbol);
    if let Some(version) = options.cxx
        && let Some(definition) = predefined_in_cxx(text, version)
    {
        return match definition {
            "" => Definition::None,
            definition => Definition::Macro(Rc::new(builtin(definition, interner))),
        };
    }
    let dynamic = match text {
        "__LINE__" => Dynamic::Line,
        "__FILE__" => Dynamic::File,
        "__DATE__" => Dynamic::Date,
        "__TIME__" => Dynamic::Time,
        "__COUNTER__" => Dynamic::Counter,
        "__INCLUDE_LEVEL__" => Dynamic::IncludeLevel,
        "_Pragma" => Dynamic::Pragma,
        "defined" => Dynamic::Defined,
        "__has_include" => Dynamic::HasInclude(false),
        "__has_include_next" => Dynamic::HasInclude(true),
        "__has_attribute" => Dynamic::Has(Question::Attribute),
        "__has_cpp_attribute" if options.cxx.is_some() => Dynamic::Has(Question::Attribute),
        "__has_builtin" => Dynamic::Has(Question::Builtin),
        "__has_feature" | "__has_extension" => Dynamic::Has(Question::Feature),
        _ => {
            let definition = match constants::find(text, options) {
                Some(constant) => constant.definition.to_owned(),
                None => {
                    let of_options = value(text, options).map(|value| value.to_string());
                    match of_options.or_else(|| target_macros::value(text, options)) {
                        Some(value) => format!("{text} {value}"),
                        None => return Definition::None,
                    }
                }
            };
            return Definition::Macro(Rc::new(builtin(&definition, interner)));
        }
    };
    Definition::Dynamic(dynamic)
}

/// What C++ has in place of a macro of C, empty where there is none: `true` and `false` are keywords, and the
/// library of OpenCL C++ declares enumerations.
fn predefined_in_cxx(text: &str, version: CxxVersion) -> Option<&'static str> {
    let is_enumerator = || text.starts_with("memory_order_") || text.starts_with("memory_scope_");
    match text {
        "true" | "false" => Some(""),
        "NULL" => Some("NULL nullptr"),
        _ if version == CxxVersion::OpenCl && is_enumerator() => Some(""),
        _ => None,
    }
}

/// The value of a macro of C++ that depends on its version.
fn value_in_cxx(text: &str, version: CxxVersion) -> Option<u32> {
    let is_cxx_for_opencl = version != CxxVersion::OpenCl;
    match text {
        "__OPENCL_CPP_VERSION__" => Some(version.number()),
        "__CL_CPP_VERSION_1_0__" => is_cxx_for_opencl.then_some(CxxVersion::V100.number()),
        "__CL_CPP_VERSION_2021__" => is_cxx_for_opencl.then_some(CxxVersion::V2021.number()),
        "__cplusplus" => Some(if is_cxx_for_opencl { 201_703 } else { 201_402 }),
        _ => super::cxx_features::value(text).filter(|_| is_cxx_for_opencl),
    }
}

/// The value of a macro that depends on the options.
fn value(text: &str, options: &Options) -> Option<u32> {
    // They all begin so, and most names do not.
    if !matches!(text.as_bytes().first(), Some(b'_' | b'C' | b'c')) {
        return None;
    }
    if let Some(value) = options.cxx.and_then(|version| value_in_cxx(text, version)) {
        return Some(value);
    }
    let from = |version: LanguageVersion, value: u32| (options.version >= version).then_some(value);
    match text {
        "__OPENCL_VERSION__" => Some(300),
        "__OPENCL_C_VERSION__" if options.cxx.is_none() => Some(options.version.number()),
        "CL_VERSION_1_0" => Some(100),
        "CL_VERSION_1_1" => Some(110),
        "CL_VERSION_1_2" => Some(120),
        "CL_VERSION_2_0" => from(LanguageVersion::C20, 200),
        "CL_VERSION_3_0" => from(LanguageVersion::C30, 300),
        "CL_VERSION_3_1" => from(LanguageVersion::C31, 310),
        "__ENDIAN_LITTLE__" | "__STDC__" | "__clvk__" => Some(1),
        "__STDC_VERSION__" => options.cxx.is_none().then_some(199_901),
        "__IMAGE_SUPPORT__" => options.features.contains(Feature::Images).then_some(1),
        "__FAST_RELAXED_MATH__" => options.fast_relaxed_math.then_some(1),
        _ if !text.starts_with("cl_") && !text.starts_with("__opencl_c_") => None,
        _ => {
            let feature = Feature::from_name(text).filter(|&feature| options.features.contains(feature))?;
            match feature.kind() {
                FeatureKind::Extension => Some(1),
                FeatureKind::LanguageFeature => from(LanguageVersion::C30, 1),
            }
        }
    }
}

/// A predefined macro, made from the text of its definition.
fn builtin(definition: &str, interner: &mut Interner) -> Macro {
    let mut lexer = Lexer::new(definition.into(), 0);
    let mut line = Vec::new();
    loop {
        let mut token = lexer.next_in_line(interner);
        if token.is_end() {
            break;
        }
        if let (PpKind::Identifier(name), false) = (token.kind, line.is_empty()) {
            token.kind = match interner.text(name) {
                "INFINITY" => PpKind::Special(SpecialValue::Infinity),
                "HUGE_VAL" => PpKind::Special(SpecialValue::DoubleInfinity),
                "NAN" => PpKind::Special(SpecialValue::Nan),
                _ => token.kind,
            };
        }
        line.push(PpToken { span: Span::NONE, ..token });
    }
    let variable_arguments = interner.intern("__VA_ARGS__");
    definition::parse(&line, Span::NONE, variable_arguments, interner)
        .expect("the table's definitions are right")
}
