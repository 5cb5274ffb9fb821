//! `printf` (OpenCL C §6.15.14): its format is known when the program is compiled, and strings are part of it. What the
//! language leaves undefined, conversions that do not fit their arguments, is warned about as clang does.

use super::Checker;
use super::constant::Value;
use super::conversion::promoted;
use crate::Span;
use crate::hir::{Conversion as Convert, Expr, Operation};
use crate::options::LanguageVersion;
use crate::types::ScalarKind;
use clvk_interface::print::spec::{Conversion, Directive, Length, directives};
use clvk_interface::{Feature, PrintArgument, PrintFormat, PrintKind};

impl Checker<'_> {
    /// A call; `values` are the format and the arguments.
    pub(super) fn print_call(&mut self, values: Vec<Expr>, span: Span) -> Expr {
        let mut values = values.into_iter();
        let Some(format) = values.next() else {
            self.error(span, "too few arguments to function call, expected at least 1, have 0");
            return self.error_value(span);
        };
        let Some(text) = self.constant_text(&format) else {
            self.error(format.span, "the format of 'printf' must be a string literal");
            return self.error_value(span);
        };
        let (conversions, invalid) = self.conversions(&text, &format);
        let values: Vec<Expr> = values.collect();
        // What an invalid one takes is not known.
        if !invalid {
            self.count_conversions(conversions.len(), &values, format.span);
        }
        let mut arguments = Vec::new();
        let mut passed = Vec::new();
        for (index, value) in values.into_iter().enumerate() {
            let conversion = conversions.get(index);
            match self.printed(value, conversion) {
                Some((argument, value)) => {
                    arguments.push(argument);
                    passed.extend(value);
                }
                None => return self.error_value(span),
            }
        }
        let index = self.print_formats.len() as u32;
        self.print_formats.push(PrintFormat { text, arguments });
        let int = self.int();
        self.builtin("printf", Operation::Print(index), passed, int, span)
    }

    /// The characters at an address that is known when the program is compiled, up to a zero.
    fn constant_text(&self, value: &Expr) -> Option<Vec<u8>> {
        let Value::Address(Some(id), offset) = self.evaluate(value)? else { return None };
        let global = &self.globals[id.0 as usize];
        if global.space != clvk_ir::AddressSpace::Constant {
            return None;
        }
        let bytes = &global.initializer.as_ref()?.bytes;
        let rest = bytes.get(usize::try_from(offset).ok()?..)?;
        let end = rest.iter().position(|&byte| byte == 0)?;
        Some(rest[..end].to_vec())
    }

    /// The conversions of a format; those that OpenCL C does not have are warned about, and whether there are any.
    fn conversions(&mut self, text: &[u8], format: &Expr) -> (Vec<Conversion>, bool) {
        let mut conversions = Vec::new();
        let mut invalid = false;
        for directive in directives(text) {
            match directive {
                Directive::Conversion(conversion) => conversions.push(conversion),
                Directive::Invalid(bytes) => {
                    invalid = true;
                    let shown = String::from_utf8_lossy(bytes).into_owned();
                    self.warn(format.span, format!("invalid conversion specification '{shown}'"));
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
            self.warn(
                format.span,
                format!("the length modifier '{modifier}' requires OpenCL C 3.1 or newer"),
            );
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

    /// What becomes of an argument: its description, and the value that goes into the record.
    fn printed(
        &mut self,
        value: Expr,
        conversion: Option<&Conversion>,
    ) -> Option<(PrintArgument, Option<Expr>)> {
        if conversion.is_some_and(|conversion| conversion.letter == b's') {
            let Some(text) = self.constant_text(&value) else {
                self.error(value.span, "the argument of '%s' must be a string literal");
                return None;
            };
            return Some((PrintArgument::Text(text), None));
        }
        if let Some(conversion) = conversion {
            self.warn_of_conversion(&value, conversion);
        }
        if self.types.pointee(value.ty).is_some() {
            let long = self.types.scalar(ScalarKind::ULong);
            let value = self.convert(value, Convert::PointerToInt, long);
            return Some((PrintArgument::Value(PrintKind::Long, 1), Some(value)));
        }
        let Some((kind, lanes)) = self.types.as_arithmetic(value.ty) else {
            let text = self.type_text(value.ty);
            self.error(value.span, format!("cannot pass a value of type '{text}' to 'printf'"));
            return None;
        };
        let (kind, printed) = match kind {
            ScalarKind::Half | ScalarKind::Float => (ScalarKind::Float, PrintKind::Float),
            ScalarKind::Double => (kind, PrintKind::Double),
            ScalarKind::Long | ScalarKind::ULong => (kind, PrintKind::Long),
            _ => (promoted(kind), PrintKind::Int),
        };
        let ty = self.types.vector(kind, lanes);
        let value = self.convert_arithmetic(value, ty);
        Some((PrintArgument::Value(printed, lanes), Some(value)))
    }

    /// Warns if a conversion is not for the argument's type.
    fn warn_of_conversion(&mut self, value: &Expr, conversion: &Conversion) {
        let arithmetic = self.types.as_arithmetic(value.ty);
        let fits = match (conversion.letter, conversion.lanes, arithmetic) {
            (b'p', ..) => arithmetic.is_none(),
            (_, None, Some((kind, 1))) if conversion.is_float() => kind.is_float(),
            (_, None, Some((kind, 1))) => {
                let wide = matches!(conversion.length, Length::Long | Length::Size | Length::Difference);
                kind.is_integer() && (kind.size() == 8) == wide
            }
            (_, Some(lanes), Some((kind, width))) => {
                let size = match conversion.length {
                    Length::Char => 1,
                    Length::Short => 2,
                    Length::Int => 4,
                    _ => 8,
                };
                lanes == width && kind.is_float() == conversion.is_float() && kind.size() == size
            }
            _ => false,
        };
        if !fits {
            let (expected, given) = (self.expected_type(conversion), self.type_text(value.ty));
            let message = format!("format specifies type '{expected}' but the argument has type '{given}'");
            self.warn(value.span, message);
        }
    }

    /// The type that a conversion is for.
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
