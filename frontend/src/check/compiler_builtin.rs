//! Functions of the compiler, which GNU C and clang have and OpenCL C does not: `__builtin_expect` and others that
//! programs use. What is not listed here is refused by name.

use super::Checker;
use super::constant::from_float;
use super::expression::Operand;
use crate::Span;
use crate::ast::{self, BuiltinArgument, Designator, Name};
use crate::builtins;
use crate::hir::{Constant, Conversion, Expr, ExprKind};
use crate::types::{ScalarKind, TypeId, TypeKind};
use clvk_interface::Feature;

/// What a function of the compiler does.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Meaning {
    /// The first argument, as `long`.
    Expect,
    /// Nothing; arguments are not evaluated.
    Nothing,
    /// Bytes in reverse order.
    ByteSwap(ScalarKind),
    /// A built-in function of OpenCL C, its argument converted to a type first, the result an `int`.
    Count(&'static str, ScalarKind),
    /// A built-in function of OpenCL C on numbers of a kind.
    Math(ScalarKind),
    /// A constant of floating point.
    Number(ScalarKind, f64),
    IsConstant,
    SameTypes,
    Choose,
    OffsetOf,
    Reinterpret,
    Convert,
    Shuffle,
}

/// Functions of `math.h` that OpenCL C has under the same name.
const MATH: &[&str] = &[
    "acos", "asin", "atan", "atan2", "cbrt", "ceil", "copysign", "cos", "exp", "exp2", "fabs", "fdim",
    "floor", "fma", "fmax", "fmin", "fmod", "hypot", "log", "log10", "log2", "pow", "rint", "round", "sin",
    "sqrt", "tan", "trunc",
];

fn meaning(name: &str) -> Option<Meaning> {
    use Meaning::{ByteSwap, Count, Math, Number};
    use ScalarKind::{Double, Float, UInt, ULong, UShort};
    let rest = name.strip_prefix("__builtin_")?;
    Some(match rest {
        "expect" | "expect_with_probability" => Meaning::Expect,
        "assume" | "unreachable" | "prefetch" => Meaning::Nothing,
        "bswap16" => ByteSwap(UShort),
        "bswap32" => ByteSwap(UInt),
        "bswap64" => ByteSwap(ULong),
        "popcount" => Count("popcount", UInt),
        "popcountl" | "popcountll" => Count("popcount", ULong),
        "clz" => Count("clz", UInt),
        "clzl" | "clzll" => Count("clz", ULong),
        "ctz" => Count("ctz", UInt),
        "ctzl" | "ctzll" => Count("ctz", ULong),
        "inff" | "huge_valf" => Number(Float, f64::INFINITY),
        "inf" | "huge_val" => Number(Double, f64::INFINITY),
        "nanf" => Number(Float, f64::NAN),
        "nan" => Number(Double, f64::NAN),
        "constant_p" => Meaning::IsConstant,
        "types_compatible_p" => Meaning::SameTypes,
        "choose_expr" => Meaning::Choose,
        "offsetof" => Meaning::OffsetOf,
        "astype" => Meaning::Reinterpret,
        "convertvector" => Meaning::Convert,
        "shufflevector" => Meaning::Shuffle,
        _ if MATH.contains(&rest) => Math(Double),
        _ if rest.strip_suffix('f').is_some_and(|stem| MATH.contains(&stem)) => Math(Float),
        _ => return None,
    })
}

/// Whether a function of the compiler is supported (`__has_builtin`).
pub(crate) fn is_compiler_builtin(name: &str) -> bool {
    meaning(name).is_some()
}

/// The arguments where all are expressions.
fn expressions<'a>(arguments: &'a [BuiltinArgument]) -> Option<Vec<&'a ast::Expr>> {
    let expression = |argument: &'a BuiltinArgument| match argument {
        BuiltinArgument::Expr(expr) => Some(expr),
        _ => None,
    };
    arguments.iter().map(expression).collect()
}

impl Checker<'_> {
    pub(super) fn compiler_builtin(
        &mut self,
        name: Name,
        arguments: &[BuiltinArgument],
        span: Span,
    ) -> Operand {
        let text = self.owned(name.symbol);
        let Some(meaning) = meaning(&text) else {
            self.unsupported(name.span, format_args!("the function '{text}' of other compilers"));
            return self.error_operand(span);
        };
        if let Meaning::Choose = meaning {
            return self.choose_expression(arguments, span);
        }
        let result = match (meaning, arguments) {
            (Meaning::OffsetOf, [BuiltinArgument::Type(ty), BuiltinArgument::Member(path)]) => {
                Some(self.offset_of(ty, path, span))
            }
            (Meaning::SameTypes, [BuiltinArgument::Type(a), BuiltinArgument::Type(b)]) => {
                let same = self.type_name(a).ty.ty == self.type_name(b).ty.ty;
                Some(self.truth_literal(same, span))
            }
            (Meaning::Reinterpret, [BuiltinArgument::Expr(value), BuiltinArgument::Type(ty)]) => {
                Some(self.value_as(value, ty, true, span))
            }
            (Meaning::Convert, [BuiltinArgument::Expr(value), BuiltinArgument::Type(ty)]) => {
                Some(self.value_as(value, ty, false, span))
            }
            _ => {
                expressions(arguments).and_then(|list| self.of_expressions(meaning, &text, name, &list, span))
            }
        };
        Operand::Value(result.unwrap_or_else(|| {
            self.error(span, format!("'{text}' does not take these arguments"));
            self.error_value(span)
        }))
    }

    /// A function all of whose arguments are expressions; `None` if it does not take as many.
    fn of_expressions(
        &mut self,
        meaning: Meaning,
        text: &str,
        name: Name,
        arguments: &[&ast::Expr],
        span: Span,
    ) -> Option<Expr> {
        if let (Meaning::Number(kind, number), 0 | 1) = (meaning, arguments.len()) {
            return Some(self.number(kind, number, span));
        }
        let values: Vec<Expr> = arguments.iter().map(|argument| self.value(argument)).collect();
        if values.iter().any(|value| self.types.is_error(value.ty)) {
            return Some(self.error_value(span));
        }
        Some(match (meaning, values.as_slice()) {
            (Meaning::Nothing, _) => {
                let (int, void) = (self.int(), self.types.void());
                let zero = self.integer_literal(0, int, span);
                self.convert(zero, Conversion::Discard, void)
            }
            (Meaning::Expect, [value, _] | [value, _, _]) => {
                self.types.as_scalar(value.ty).filter(|kind| kind.is_integer())?;
                let long = self.types.scalar(ScalarKind::Long);
                self.convert_arithmetic(value.clone(), long)
            }
            (Meaning::IsConstant, [value]) => {
                let constant = self.evaluate(value).is_some();
                self.truth_literal(constant, span)
            }
            (Meaning::Shuffle, [first, second, lanes @ ..]) => {
                self.shuffle_vector(first, second, lanes, span)?
            }
            (Meaning::ByteSwap(kind), [value]) => self.byte_swap(value, kind, span)?,
            (Meaning::Count(function, kind), [value]) => {
                self.types.as_scalar(value.ty).filter(|kind| kind.is_integer())?;
                let ty = self.types.scalar(kind);
                let value = self.convert_arithmetic(value.clone(), ty);
                let counted = self.call_of_builtin(name, function, vec![value], span);
                let int = self.int();
                self.convert_arithmetic(counted, int)
            }
            (Meaning::Math(kind), _) => {
                let ty = self.floating_type(kind, span)?;
                let scalars = values.iter().all(|value| self.types.as_scalar(value.ty).is_some());
                let converted: Vec<Expr> = values
                    .into_iter()
                    .filter(|_| scalars)
                    .map(|value| self.convert_arithmetic(value, ty))
                    .collect();
                let stem = text.trim_start_matches("__builtin_");
                let stem = if kind == ScalarKind::Float { stem.trim_end_matches('f') } else { stem };
                // `fdimf` and the like end in one `f` of the type; no name of the table ends in one of its own.
                self.call_of_builtin(name, stem, converted, span)
            }
            _ => return None,
        })
    }

    fn call_of_builtin(&mut self, name: Name, function: &str, values: Vec<Expr>, span: Span) -> Expr {
        match builtins::lookup(function) {
            Some(builtin) => {
                let rows: Vec<&'static builtins::Row> = builtin.rows.iter().collect();
                self.call_among(name, &rows, values, span)
            }
            None => panic!("`{function}` is not in the table of built-in functions"),
        }
    }

    fn truth_literal(&mut self, holds: bool, span: Span) -> Expr {
        let int = self.int();
        self.integer_literal(i128::from(holds), int, span)
    }

    /// A floating-point type, if the device has it.
    fn floating_type(&mut self, kind: ScalarKind, span: Span) -> Option<TypeId> {
        if kind == ScalarKind::Double && !self.has(Feature::Fp64) {
            self.error(span, "use of type 'double' requires cl_khr_fp64 support");
            return Some(self.types.error());
        }
        Some(self.types.scalar(kind))
    }

    fn number(&mut self, kind: ScalarKind, number: f64, span: Span) -> Expr {
        let ty = self.floating_type(kind, span).expect("a type of some kind");
        let kind = ExprKind::Constant(Constant::Bits(from_float(kind, number)));
        Expr { kind, ty, span }
    }

    /// The bytes of an integer as a vector, in reverse order.
    fn byte_swap(&mut self, value: &Expr, kind: ScalarKind, span: Span) -> Option<Expr> {
        self.types.as_scalar(value.ty).filter(|kind| kind.is_integer())?;
        let (ty, count) = (self.types.scalar(kind), kind.size() as u8);
        let bytes = self.types.vector(ScalarKind::UChar, u32::from(count));
        let number = self.convert_arithmetic(value.clone(), ty);
        let vector = Box::new(self.convert(number, Conversion::Reinterpret, bytes));
        let lanes = (0..count).rev().collect();
        let reversed = Expr { kind: ExprKind::Swizzle { vector, lanes }, ty: bytes, span };
        Some(self.convert(reversed, Conversion::Reinterpret, ty))
    }

    /// `__builtin_shufflevector`: lanes of two vectors, counted through; −1 is any value. `None` for other arguments.
    fn shuffle_vector(&mut self, first: &Expr, second: &Expr, lanes: &[Expr], span: Span) -> Option<Expr> {
        let (kind, count) = self.types.as_vector(first.ty).filter(|_| first.ty == second.ty)?;
        if !matches!(lanes.len(), 2 | 3 | 4 | 8 | 16) {
            return None;
        }
        let lane = |index: &Expr| match self.integer_of(index)? {
            -1 => Some(255),
            lane if (0..2 * i128::from(count)).contains(&lane) => Some(lane as u8),
            _ => None,
        };
        let lanes: Vec<u8> = lanes.iter().map(lane).collect::<Option<_>>()?;
        let ty = self.types.vector(kind, lanes.len() as u32);
        let vectors = Box::new([first.clone(), second.clone()]);
        Some(Expr { kind: ExprKind::Shuffle { vectors, lanes }, ty, span })
    }

    /// `__builtin_astype` and `__builtin_convertvector`.
    fn value_as(&mut self, value: &ast::Expr, ty: &ast::TypeName, same_bits: bool, span: Span) -> Expr {
        let value = self.value(value);
        let target = self.type_name(ty).ty.ty;
        if self.types.is_error(value.ty) || self.types.is_error(target) {
            return self.error_value(span);
        }
        let Some(shape) = self.types.as_arithmetic(target) else {
            let text = self.type_text(target);
            self.error(ty.span, format!("'{text}' is not a scalar or vector type"));
            return self.error_value(span);
        };
        let result = match same_bits {
            true => self.reinterpret_call(&value, shape, span),
            false => self.convert_call(&value, shape, false, None, span),
        };
        result.unwrap_or_else(|message| {
            self.error(span, message);
            self.error_value(span)
        })
    }

    /// `__builtin_choose_expr(constant, a, b)`: one of two expressions, as it stands.
    fn choose_expression(&mut self, arguments: &[BuiltinArgument], span: Span) -> Operand {
        let list = expressions(arguments).unwrap_or_default();
        let &[condition, then, otherwise] = list.as_slice() else {
            self.error(span, "'__builtin_choose_expr' takes a constant and two expressions");
            return self.error_operand(span);
        };
        match self.integer_constant(condition) {
            Some(0) => self.operand(otherwise),
            Some(_) => self.operand(then),
            None => self.error_operand(span),
        }
    }

    /// `__builtin_offsetof(type, member.member[index])`, of type `size_t`.
    fn offset_of(&mut self, ty: &ast::TypeName, path: &[Designator], span: Span) -> Expr {
        let mut ty = self.type_name(ty).ty.ty;
        let mut offset = 0u64;
        for designator in path {
            let step = match designator {
                _ if self.types.is_error(ty) => None,
                Designator::Member(name) => self.offset_of_member(ty, *name),
                Designator::Index(index) => self.offset_of_element(ty, index, span),
                Designator::Range(..) => unreachable!("the parser reads no range here"),
            };
            let Some((inner, bytes)) = step else { return self.error_value(span) };
            ty = inner;
            offset = offset.saturating_add(bytes);
        }
        let size = self.size_type();
        self.integer_literal(i128::from(offset), size, span)
    }

    fn offset_of_member(&mut self, ty: TypeId, name: Name) -> Option<(TypeId, u64)> {
        let text = self.type_text(ty);
        let TypeKind::Record(id) = *self.types.kind(ty) else {
            self.error(name.span, format!("offsetof requires struct or union type, '{text}' invalid"));
            return None;
        };
        let found = self.find_member(id, name.symbol).map(|(member, offset)| (member.ty, offset));
        if found.is_none() {
            let member = self.owned(name.symbol);
            self.error(name.span, format!("no member named '{member}' in '{text}'"));
        }
        found
    }

    fn offset_of_element(&mut self, ty: TypeId, index: &ast::Expr, span: Span) -> Option<(TypeId, u64)> {
        let TypeKind::Array { element, .. } = *self.types.kind(ty) else {
            let text = self.type_text(ty);
            self.error(span, format!("offsetof requires array type, '{text}' invalid"));
            return None;
        };
        let index = u64::try_from(self.integer_constant(index)?).ok()?;
        let (size, _) = self.types.layout(element.ty)?;
        Some((element.ty, index.saturating_mul(size)))
    }
}

#[cfg(test)]
mod tests {
    use super::{MATH, meaning};

    #[test]
    fn functions_of_mathematics_are_built_in_functions() {
        for name in MATH {
            assert!(crate::builtins::lookup(name).is_some(), "{name}");
            assert!(!name.ends_with('f'), "{name} would lose its last letter");
            assert!(meaning(&format!("__builtin_{name}f")).is_some());
        }
    }
}
