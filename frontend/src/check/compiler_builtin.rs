//! Compiler built-ins, which GNU C and clang have and OpenCL C does not: `__builtin_expect` and others that
//! programs use. Others are refused by name.

use super::Checker;
use super::constant::from_float;
use super::expression::Operand;
use super::math_names::{CLASSIFICATIONS, math};
use super::overflow::{Overflow, overflow};
use crate::Span;
use crate::ast::{self, BuiltinArgument, Designator, Name, PrefixOp};
use crate::builtins::{self, BlockQuery};
use crate::diagnostic::Diagnostic;
use crate::hir::{ArithmeticOp, Constant, Conversion, Expr, ExprKind};
use crate::types::{ScalarKind, TypeId, TypeKind};
use clvk_interface::Feature;

/// What a compiler built-in does.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Meaning {
    /// The first argument, as `long`.
    Expect,
    /// Nothing; arguments are not evaluated.
    Nothing,
    /// Nothing, although its name promises something: a warning says so.
    Trap,
    /// The first argument, a pointer.
    Aligned,
    /// Arithmetic that reports whether its result fits.
    Overflow(Overflow),
    /// The value that a pointer points to.
    Load,
    /// The first argument, stored where the second points to.
    Store,
    /// Bytes in reverse order.
    ByteSwap(ScalarKind),
    /// An OpenCL C function whose argument is first converted to this type and whose result is an `int`.
    Count(&'static str, ScalarKind),
    /// An OpenCL C function whose argument is first converted to this type, which is also the type of the
    /// result.
    Bits(&'static str, ScalarKind),
    /// Rotation to the left, or to the right.
    Rotate(ScalarKind, bool),
    /// One more than the position of the lowest set bit; 0 if there is none.
    FindFirst(ScalarKind),
    /// Whether the number of set bits is odd.
    Parity(ScalarKind),
    /// An OpenCL C function on numbers of this kind.
    Math(&'static str, ScalarKind),
    /// An OpenCL C function that classifies floating-point numbers.
    Classify(&'static str),
    /// A floating-point constant.
    Number(ScalarKind, f64),
    IsConstant,
    SameTypes,
    Choose,
    OffsetOf,
    Reinterpret,
    /// The same with its arguments in the other order.
    BitCast,
    Convert,
    Shuffle,
    /// A specialisation constant of OpenCL C++: its ID and its default value.
    SpecConstant,
    /// What OpenCL C++'s `enqueue_kernel` does.
    Enqueue,
    /// A query about an enqueued function.
    EnqueueQuery(BlockQuery),
}

fn meaning(name: &str) -> Option<Meaning> {
    use Meaning::{Bits, ByteSwap, Count, FindFirst, Math, Number, Parity, Rotate};
    use ScalarKind::{Double, Float, Int, Long, UChar, UInt, ULong, UShort};
    let rest = name.strip_prefix("__builtin_")?;
    Some(match rest {
        "expect" | "expect_with_probability" | "unpredictable" => Meaning::Expect,
        "assume" | "unreachable" | "prefetch" => Meaning::Nothing,
        "trap" | "debugtrap" => Meaning::Trap,
        "assume_aligned" => Meaning::Aligned,
        "nontemporal_load" => Meaning::Load,
        "nontemporal_store" => Meaning::Store,
        "bswap16" => ByteSwap(UShort),
        "bswap32" => ByteSwap(UInt),
        "bswap64" => ByteSwap(ULong),
        "popcount" => Count("popcount", UInt),
        "popcountl" | "popcountll" => Count("popcount", ULong),
        "clz" => Count("clz", UInt),
        "clzl" | "clzll" => Count("clz", ULong),
        "ctz" => Count("ctz", UInt),
        "ctzl" | "ctzll" => Count("ctz", ULong),
        "ffs" => FindFirst(UInt),
        "ffsl" | "ffsll" => FindFirst(ULong),
        "parity" => Parity(UInt),
        "parityl" | "parityll" => Parity(ULong),
        "abs" => Bits("abs", Int),
        "labs" | "llabs" => Bits("abs", Long),
        "bitreverse8" => Bits("bit_reverse", UChar),
        "bitreverse16" => Bits("bit_reverse", UShort),
        "bitreverse32" => Bits("bit_reverse", UInt),
        "bitreverse64" => Bits("bit_reverse", ULong),
        "rotateleft8" => Rotate(UChar, true),
        "rotateleft16" => Rotate(UShort, true),
        "rotateleft32" => Rotate(UInt, true),
        "rotateleft64" => Rotate(ULong, true),
        "rotateright8" => Rotate(UChar, false),
        "rotateright16" => Rotate(UShort, false),
        "rotateright32" => Rotate(UInt, false),
        "rotateright64" => Rotate(ULong, false),
        "inff" | "huge_valf" => Number(Float, f64::INFINITY),
        "inf" | "huge_val" => Number(Double, f64::INFINITY),
        "nanf" => Number(Float, f64::NAN),
        "nan" => Number(Double, f64::NAN),
        "constant_p" => Meaning::IsConstant,
        "types_compatible_p" => Meaning::SameTypes,
        "choose_expr" => Meaning::Choose,
        "offsetof" => Meaning::OffsetOf,
        "astype" => Meaning::Reinterpret,
        "bit_cast" => Meaning::BitCast,
        "convertvector" => Meaning::Convert,
        "shufflevector" => Meaning::Shuffle,
        "spec_constant" => Meaning::SpecConstant,
        "enqueue" => Meaning::Enqueue,
        "enqueue_work_group_size" => Meaning::EnqueueQuery(BlockQuery::WorkGroupSize),
        "enqueue_preferred_multiple" => Meaning::EnqueueQuery(BlockQuery::PreferredMultiple),
        "enqueue_sub_group_size" => Meaning::EnqueueQuery(BlockQuery::SubGroupSize),
        "enqueue_sub_group_count" => Meaning::EnqueueQuery(BlockQuery::SubGroupCount),
        "signbitf" => Meaning::Classify("signbit"),
        _ => {
            let question = CLASSIFICATIONS.iter().find(|question| **question == rest).copied();
            let single = || rest.strip_suffix('f').and_then(math).map(|function| Math(function, Float));
            let double = math(rest).map(|function| Math(function, Double));
            return (double.or_else(single))
                .or(question.map(Meaning::Classify))
                .or_else(|| overflow(rest).map(Meaning::Overflow));
        }
    })
}

/// Whether a compiler built-in is supported (`__has_builtin`).
pub(crate) fn is_compiler_builtin(name: &str) -> bool {
    meaning(name).is_some()
}

/// The arguments, if all of them are expressions.
fn expressions<'a>(arguments: &'a [BuiltinArgument]) -> Option<Vec<&'a ast::Expr>> {
    let expression = |argument: &'a BuiltinArgument| match argument {
        BuiltinArgument::Expr(expr) => Some(expr),
        _ => None,
    };
    arguments.iter().map(expression).collect()
}

/// `*pointer`.
fn target_of(pointer: &ast::Expr, span: Span) -> ast::Expr {
    ast::Expr { kind: ast::ExprKind::Prefix(PrefixOp::Dereference, Box::new(pointer.clone())), span }
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
            self.unsupported(name.span, format_args!("the compiler built-in '{text}'"));
            return self.error_operand(span);
        };
        match (meaning, arguments) {
            (Meaning::Choose, _) => return self.choose_expression(arguments, span),
            (Meaning::Load, [BuiltinArgument::Expr(pointer)]) => {
                return self.operand(&target_of(pointer, span));
            }
            (Meaning::Store, [BuiltinArgument::Expr(value), BuiltinArgument::Expr(pointer)]) => {
                let (target, value) = (Box::new(target_of(pointer, span)), Box::new(value.clone()));
                let kind = ast::ExprKind::Assign { op: None, op_span: span, target, value };
                return self.operand(&ast::Expr { kind, span });
            }
            _ => {}
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
                Some(self.converted_to(value, ty, true, span))
            }
            (Meaning::BitCast, [BuiltinArgument::Type(ty), BuiltinArgument::Expr(value)]) => {
                Some(self.converted_to(value, ty, true, span))
            }
            (Meaning::Convert, [BuiltinArgument::Expr(value), BuiltinArgument::Type(ty)]) => {
                Some(self.converted_to(value, ty, false, span))
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

    /// A compiler built-in whose arguments are all expressions; `None` if their number is wrong.
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
        let Some(values) = self.values(arguments.iter().copied()) else {
            return Some(self.error_value(span));
        };
        self.of_values(meaning, text, name, values, span)
    }

    /// The same by values: for C++.
    pub(super) fn compiler_builtin_values(
        &mut self,
        name: Name,
        values: Vec<Expr>,
        span: Span,
    ) -> Option<Expr> {
        let text = self.owned(name.symbol);
        let meaning = meaning(&text)?;
        if let (Meaning::Number(kind, number), 0 | 1) = (meaning, values.len()) {
            return Some(self.number(kind, number, span));
        }
        self.of_values(meaning, &text, name, values, span)
    }

    fn of_values(
        &mut self,
        meaning: Meaning,
        text: &str,
        name: Name,
        values: Vec<Expr>,
        span: Span,
    ) -> Option<Expr> {
        Some(match (meaning, values.as_slice()) {
            (Meaning::Nothing, _) => self.no_operation(span),
            (Meaning::Trap, []) => {
                self.warn(span, format!("'{text}' does nothing: a kernel cannot end the program"));
                self.no_operation(span)
            }
            (Meaning::Aligned, [pointer, _] | [pointer, _, _]) => {
                self.types.pointee(pointer.ty)?;
                pointer.clone()
            }
            (Meaning::Overflow(function), _) => {
                let operands = <[Expr; 3]>::try_from(values).ok()?;
                self.overflow_call(function, operands, span)
            }
            (Meaning::Expect, [value] | [value, _] | [value, _, _]) => {
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
            (Meaning::SpecConstant, [id, value]) => self.spec_constant(id, value, span)?,
            (Meaning::Enqueue, _) => self.enqueue_call(values, span)?,
            (Meaning::EnqueueQuery(query), _) => self.enqueue_query(query, values, span)?,
            (Meaning::ByteSwap(kind), [value]) => self.byte_swap(value, kind, span)?,
            (Meaning::Count(function, kind), [value]) => {
                let counted = self.call_on_integers(name, function, kind, &[value], span)?;
                let int = self.int();
                self.convert_arithmetic(counted, int)
            }
            (Meaning::Bits(function, kind), [value]) => {
                let result = self.call_on_integers(name, function, kind, &[value], span)?;
                let ty = self.types.scalar(kind);
                self.convert_arithmetic(result, ty)
            }
            (Meaning::Parity(kind), [value]) => {
                let count = self.call_on_integers(name, "popcount", kind, &[value], span)?;
                self.int_with(ArithmeticOp::And, count, 1)
            }
            (Meaning::FindFirst(kind), [value]) => {
                // If no bit is set, `ctz` counts all bits.
                let zeros = self.call_on_integers(name, "ctz", kind, &[value], span)?;
                let position = self.int_with(ArithmeticOp::Add, zeros, 1);
                self.int_with(ArithmeticOp::Rem, position, i128::from(8 * kind.size() + 1))
            }
            (Meaning::Rotate(kind, left), [value, count]) => {
                self.types.as_scalar(count.ty).filter(|kind| kind.is_integer())?;
                let ty = self.types.scalar(kind);
                let count = self.convert_arithmetic(count.clone(), ty);
                let negated = Expr { kind: ExprKind::Negate(Box::new(count.clone())), ty, span };
                let count = if left { count } else { negated };
                self.call_on_integers(name, "rotate", kind, &[value, &count], span)?
            }
            (Meaning::Math(function, kind), _) => self.call_of_math(name, function, kind, values, span)?,
            (Meaning::Classify(function), _) => {
                let kinds = values.iter().map(|value| self.types.as_scalar(value.ty));
                let kinds: Vec<ScalarKind> =
                    kinds.collect::<Option<Vec<_>>>()?.into_iter().filter(|kind| kind.is_float()).collect();
                let widest = kinds.iter().copied().max_by_key(|kind| kind.size())?;
                if kinds.len() < values.len() {
                    return None;
                }
                let ty = self.types.scalar(widest);
                let values = values.into_iter().map(|value| self.convert_arithmetic(value, ty)).collect();
                self.call_of_builtin(name, function, values, span)
            }
            _ => return None,
        })
    }

    fn no_operation(&mut self, span: Span) -> Expr {
        let (int, void) = (self.int(), self.types.void());
        let zero = self.integer_literal(0, int, span);
        self.convert(zero, Conversion::Discard, void)
    }

    /// An OpenCL C function on integers, which are first converted to a type; `None` for other arguments.
    fn call_on_integers(
        &mut self,
        name: Name,
        function: &str,
        kind: ScalarKind,
        values: &[&Expr],
        span: Span,
    ) -> Option<Expr> {
        let are_integers =
            values.iter().all(|value| self.types.as_scalar(value.ty).is_some_and(ScalarKind::is_integer));
        let ty = self.types.scalar(kind);
        let convert = |value: &&Expr| self.convert_arithmetic((*value).clone(), ty);
        let values = are_integers.then(|| values.iter().map(convert).collect())?;
        Some(self.call_of_builtin(name, function, values, span))
    }

    /// An OpenCL C function on floating-point numbers, which are first converted to a type.
    fn call_of_math(
        &mut self,
        name: Name,
        function: &str,
        kind: ScalarKind,
        values: Vec<Expr>,
        span: Span,
    ) -> Option<Expr> {
        let ty = self.floating_type(kind, span)?;
        let int = self.int();
        let of_exponent = matches!(function, "ldexp" | "pown");
        let mut converted = Vec::with_capacity(values.len());
        for (index, value) in values.into_iter().enumerate() {
            self.types.as_scalar(value.ty)?;
            let ty = if of_exponent && index == 1 { int } else { ty };
            converted.push(self.convert_arithmetic(value, ty));
        }
        Some(self.call_of_builtin(name, function, converted, span))
    }

    /// An operation on an integer, converted to `int`, and a constant.
    fn int_with(&mut self, op: ArithmeticOp, value: Expr, number: i128) -> Expr {
        let (int, span) = (self.int(), value.span);
        let left = Box::new(self.convert_arithmetic(value, int));
        let right = Box::new(self.integer_literal(number, int, span));
        Expr { kind: ExprKind::Arithmetic { op, left, right }, ty: int, span }
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
            let message = "use of type 'double' requires cl_khr_fp64 support";
            if !self.lack(Feature::Fp64, "the type 'double'", Diagnostic::error(span, message)) {
                return Some(self.types.error());
            }
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

    /// `__builtin_shufflevector`: lanes of two vectors, numbered consecutively; −1 is any value. `None` for
    /// other arguments.
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

    fn converted_to(&mut self, value: &ast::Expr, ty: &ast::TypeName, same_bits: bool, span: Span) -> Expr {
        let value = self.value(value);
        let target = self.type_name(ty).ty.ty;
        self.value_as(&value, target, same_bits, span)
    }

    /// `__builtin_astype` and `__builtin_convertvector`.
    pub(super) fn value_as(&mut self, value: &Expr, target: TypeId, same_bits: bool, span: Span) -> Expr {
        if self.types.is_error(value.ty) || self.types.is_error(target) {
            return self.error_value(span);
        }
        let Some(shape) = self.types.as_arithmetic(target) else {
            let text = self.type_text(target);
            self.error(span, format!("'{text}' is not a scalar or vector type"));
            return self.error_value(span);
        };
        let result = match same_bits {
            true => self.reinterpret_call(value, shape, span),
            false => self.convert_call(value, shape, false, None, span),
        };
        result.unwrap_or_else(|message| {
            self.error(span, message);
            self.error_value(span)
        })
    }

    /// `__builtin_choose_expr(constant, a, b)`: one of two expressions, unconverted.
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
    use super::super::math_names::{MATH, MATH_BY_OTHER_NAMES};
    use super::*;

    #[test]
    fn functions_of_mathematics_are_built_in_functions() {
        let others = MATH_BY_OTHER_NAMES.iter().map(|(_, function)| function);
        for name in MATH.iter().chain(CLASSIFICATIONS).chain(others) {
            assert!(builtins::lookup(name).is_some(), "{name}");
        }
        for name in MATH {
            let of = |name: String| meaning(&format!("__builtin_{name}"));
            assert_eq!(of((*name).to_owned()), Some(Meaning::Math(name, ScalarKind::Double)));
            assert_eq!(of(format!("{name}f")), Some(Meaning::Math(name, ScalarKind::Float)));
        }
    }
}
