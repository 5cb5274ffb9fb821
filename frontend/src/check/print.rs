//! `printf` (OpenCL C §6.15.14). Conversions that do not fit their arguments are undefined; they give a
//! warning, as in clang.
//!
//! Formats and strings that are known at compile time are part of the program. Others are copied at the call,
//! as `cl_ext_relaxed_printf_string_address_space` allows.

use super::Checker;
use super::constant::Value;
use super::conversion::promoted;
use super::gate::choice_of;
use crate::Span;
use crate::diagnostic::Diagnostic;
use crate::hir::{Conversion as Convert, Expr, Operation};
use crate::options::LanguageVersion;
use crate::types::ScalarKind;
use clvk_interface::print::spec::{Conversion, Directive, Length, directives};
use clvk_interface::print::{NULL_TEXT, STRING_LIMIT};
use clvk_interface::{Feature, PrintArgument, PrintFormat, PrintKind};
use clvk_ir::AddressSpace;

/// A checked argument: its description, and the value that goes into the record.
type Printed = (PrintArgument, Option<Expr>);

impl Checker<'_> {
    /// A call; `values` are the format and the arguments.
    pub(super) fn print_call(&mut self, values: Vec<Expr>, span: Span) -> Expr {
        let mut values = values.into_iter();
        let Some(format) = values.next() else {
            self.error(span, "too few arguments to function call, expected at least 1, have 0");
            return self.error_value(span);
        };
        let mut passed = Vec::new();
        let text = self.constant_text(&format);
        let arguments = match &text {
            Some(text) => self.printed_by(text, format.span, values.collect(), &mut passed),
            None if self.is_string(&format) => {
                passed.push(format);
                self.printed_by_passed(values, &mut passed)
            }
            None => {
                self.report_no_string(&format, "the format of 'printf'");
                None
            }
        };
        let Some(arguments) = arguments else { return self.error_value(span) };
        let index = self.print_formats.len() as u32;
        self.print_formats.push(PrintFormat { text, arguments });
        let int = self.int();
        self.builtin("printf", Operation::Print(index), passed, int, span)
    }

    /// The arguments of a known format; the values for the record are appended to `passed`.
    fn printed_by(
        &mut self,
        text: &[u8],
        format: Span,
        values: Vec<Expr>,
        passed: &mut Vec<Expr>,
    ) -> Option<Vec<PrintArgument>> {
        let (conversions, invalid) = self.conversions(text, format);
        // The argument of an invalid conversion is unknown.
        if !invalid {
            self.count_conversions(conversions.len(), &values, format);
        }
        let mut arguments = Vec::new();
        for (index, value) in values.into_iter().enumerate() {
            let (argument, value) = match conversions.get(index) {
                Some(conversion) if conversion.letter == b's' => self.printed_string(value, conversion)?,
                Some(conversion) => {
                    let printed = self.printed_value(value.clone())?;
                    if !printed.0.fits(conversion) {
                        self.warn_of_conversion(&value, conversion);
                    }
                    printed
                }
                None => self.printed_value(value)?,
            };
            arguments.push(argument);
            passed.extend(value);
        }
        Some(arguments)
    }

    /// The arguments of a format that is known only at run time: pointers to characters may be strings.
    fn printed_by_passed(
        &mut self,
        values: impl Iterator<Item = Expr>,
        passed: &mut Vec<Expr>,
    ) -> Option<Vec<PrintArgument>> {
        let mut arguments = Vec::new();
        for value in values {
            let (argument, value) = match self.is_string(&value) {
                true => (PrintArgument::String { limit: STRING_LIMIT, address: true }, Some(value)),
                false => self.printed_value(value)?,
            };
            arguments.push(argument);
            passed.extend(value);
        }
        Some(arguments)
    }

    /// The argument of a `%s`.
    fn printed_string(&mut self, value: Expr, conversion: &Conversion) -> Option<Printed> {
        if let Some(text) = self.constant_text(&value) {
            return Some((PrintArgument::Text(text), None));
        }
        let is_pointer = self.types.pointee(value.ty).is_some();
        if is_pointer && self.evaluate(&value) == Some(Value::Address(None, 0)) {
            return Some((PrintArgument::Text(NULL_TEXT.to_vec()), None));
        }
        let is_untyped =
            self.types.pointee(value.ty).is_some_and(|(target, _)| self.types.is_void(target.ty));
        if !(self.is_string(&value) || is_untyped && self.has_strings_in(&value)) {
            self.report_no_string(&value, "the argument of '%s'");
            return None;
        }
        let limit = conversion.precision.unwrap_or(STRING_LIMIT).min(STRING_LIMIT);
        Some((PrintArgument::String { limit, address: false }, Some(value)))
    }

    /// Whether a value is a pointer to characters in memory from which strings may be printed.
    fn is_string(&self, value: &Expr) -> bool {
        let target = self.types.pointee(value.ty).and_then(|(target, _)| self.types.as_scalar(target.ty));
        matches!(target, Some(ScalarKind::Char | ScalarKind::UChar)) && self.has_strings_in(value)
    }

    /// Whether strings may be printed from the memory that a pointer points to.
    fn has_strings_in(&self, pointer: &Expr) -> bool {
        let space = self.types.pointee(pointer.ty).map(|(_, space)| space);
        space == Some(AddressSpace::Constant)
            || space.is_some() && self.has(Feature::RelaxedPrintfStringAddressSpace)
    }

    fn report_no_string(&mut self, value: &Expr, what: &str) {
        let text = self.type_text(value.ty);
        let spaces = if self.has(Feature::RelaxedPrintfStringAddressSpace) {
            "in any address space"
        } else {
            "in constant memory"
        };
        let message = format!("{what} must be a string, not a value of type '{text}'");
        let accepted =
            format!("a string is a literal, or an array of or pointer to 'char' or 'uchar' {spaces}");
        self.report(Diagnostic::error(value.span, message).note(accepted));
    }

    /// The characters at an address that is known at compile time, up to a zero.
    fn constant_text(&self, value: &Expr) -> Option<Vec<u8>> {
        let Value::Address(Some(id), offset) = self.evaluate(value)? else { return None };
        let global = &self.globals[id.0 as usize];
        if global.space != AddressSpace::Constant {
            return None;
        }
        let bytes = &global.initializer.as_ref()?.bytes;
        let rest = bytes.get(usize::try_from(offset).ok()?..)?;
        let end = rest.iter().position(|&byte| byte == 0)?;
        Some(rest[..end].to_vec())
    }

    /// The conversions of a format, and whether any is invalid in OpenCL C; those give a warning.
    fn conversions(&mut self, text: &[u8], format: Span) -> (Vec<Conversion>, bool) {
        let mut conversions = Vec::new();
        let mut invalid = false;
        for directive in directives(text) {
            match directive {
                Directive::Conversion(conversion) => conversions.push(conversion),
                Directive::Invalid(bytes) => {
                    invalid = true;
                    let shown = String::from_utf8_lossy(bytes).escape_debug().to_string();
                    self.warn(format, format!("invalid conversion specification '{shown}'"));
                }
                Directive::Text(_) | Directive::Percent => {}
            }
        }
        let is_new =
            |conversion: &&Conversion| matches!(conversion.length, Length::Size | Length::Difference);
        if self.options.version < LanguageVersion::C31
            && let Some(conversion) = conversions.iter().find(is_new)
        {
            let modifier = conversion.length.spelling();
            let message = format!("the length modifier '{modifier}' requires OpenCL C 3.1 or newer");
            self.report(Diagnostic::warning(format, message).note(choice_of(LanguageVersion::C31)));
        }
        (conversions, invalid)
    }

    fn count_conversions(&mut self, conversions: usize, values: &[Expr], format: Span) {
        if conversions > values.len() {
            self.warn(format, "more '%' conversions than data arguments");
        } else if let Some(value) = values.get(conversions) {
            self.warn(value.span, "data argument not used by format string");
        }
    }

    /// An argument that is a number or an address.
    fn printed_value(&mut self, value: Expr) -> Option<Printed> {
        if self.types.pointee(value.ty).is_some() {
            let long = self.types.scalar(ScalarKind::ULong);
            let value = self.convert(value, Convert::PointerToInt, long);
            return Some((PrintArgument::Value(PrintKind::Pointer, 1), Some(value)));
        }
        let Some((kind, lanes)) = self.types.as_arithmetic(value.ty) else {
            let text = self.type_text(value.ty);
            self.error(value.span, format!("cannot pass a value of type '{text}' to 'printf'"));
            return None;
        };
        let (kind, printed) = match kind {
            ScalarKind::Half if lanes > 1 => (ScalarKind::Float, PrintKind::Half),
            ScalarKind::Half | ScalarKind::Float => (ScalarKind::Float, PrintKind::Float),
            ScalarKind::Double => (kind, PrintKind::Double),
            ScalarKind::Long | ScalarKind::ULong => (kind, PrintKind::Long),
            _ if lanes > 1 && kind.size() == 1 => (promoted(kind), PrintKind::Char),
            _ if lanes > 1 && kind.size() == 2 => (promoted(kind), PrintKind::Short),
            _ => (promoted(kind), PrintKind::Int),
        };
        let ty = self.types.vector(kind, lanes);
        let value = self.convert_arithmetic(value, ty);
        Some((PrintArgument::Value(printed, lanes), Some(value)))
    }

    /// Warns that a conversion does not match the argument's type.
    fn warn_of_conversion(&mut self, value: &Expr, conversion: &Conversion) {
        let (expected, given) = (self.expected_type(conversion), self.type_text(value.ty));
        let message = format!(
            "format '{}' specifies type '{expected}' but the argument has type '{given}'",
            conversion.spelled()
        );
        let mut diagnostic = Diagnostic::warning(value.span, message).label(format!("'{given}'"));
        if let Some(right) = self.fitting_conversion(conversion, value) {
            diagnostic = diagnostic.note(format!("write '{}'", right.spelled()));
        }
        self.report(diagnostic);
    }

    /// The conversion like `wrong` that fits a value; `None` if none does.
    fn fitting_conversion(&self, wrong: &Conversion, value: &Expr) -> Option<Conversion> {
        if self.types.pointee(value.ty).is_some() {
            return Some(Conversion { letter: b'p', ..Conversion::default() });
        }
        let (kind, width) = self.types.as_arithmetic(value.ty)?;
        let letter = match (kind.is_float(), wrong.is_float(), wrong.is_integer()) {
            (true, true, _) | (false, _, true) => wrong.letter,
            (true, ..) => b'f',
            _ if matches!(kind, ScalarKind::UInt | ScalarKind::ULong) => b'u',
            _ => b'd',
        };
        let length = match (width, kind.size()) {
            (1, 8) if !kind.is_float() => Length::Long,
            (1, _) => Length::None,
            (_, 1) => Length::Char,
            (_, 2) => Length::Short,
            (_, 4) => Length::Int,
            _ => Length::Long,
        };
        Some(Conversion { letter, length, lanes: (width > 1).then_some(width), ..Conversion::default() })
    }

    /// The type that a conversion expects.
    fn expected_type(&self, conversion: &Conversion) -> String {
        let unsigned = !matches!(conversion.letter, b'd' | b'i' | b'c');
        let name = match (conversion.letter, conversion.length) {
            (b'p', _) => return "void *".to_owned(),
            (_, Length::Short) if conversion.is_float() => "half",
            (_, Length::Int) if conversion.is_float() => "float",
            (..) if conversion.is_float() && (self.has(Feature::Fp64) || conversion.lanes.is_some()) => {
                "double"
            }
            (..) if conversion.is_float() => "float",
            (_, Length::Char) => {
                if unsigned {
                    "uchar"
                } else {
                    "char"
                }
            }
            (_, Length::Short) => {
                if unsigned {
                    "ushort"
                } else {
                    "short"
                }
            }
            (_, Length::Long) => {
                if unsigned {
                    "ulong"
                } else {
                    "long"
                }
            }
            (_, Length::Size) => "size_t",
            (_, Length::Difference) => "ptrdiff_t",
            (_, Length::None | Length::Int) => {
                if unsigned {
                    "uint"
                } else {
                    "int"
                }
            }
        };
        conversion.lanes.map_or(name.to_owned(), |lanes| format!("{name}{lanes}"))
    }
}
