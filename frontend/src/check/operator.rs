//! Operators (C99 §6.5, OpenCL C §6.5).

use super::Checker;
use super::conversion::promoted;
use crate::Span;
use crate::ast::{self, BinaryOp, PrefixOp};
use crate::hir::{ArithmeticOp, ComparisonOp, Constant, Expr, ExprKind};
use crate::types::{OpaqueType, ScalarKind, TypeId, TypeKind};
use clvk_ir::AddressSpace;

/// The kind of a binary operator, which decides how its operands are converted.
pub(super) enum Meaning {
    Arithmetic(ArithmeticOp),
    Shift(ArithmeticOp),
    Comparison(ComparisonOp),
    Logical { and: bool },
}

/// The kind of an operator.
pub(super) fn meaning(op: BinaryOp) -> Meaning {
    use Meaning::{Arithmetic, Comparison, Logical, Shift};
    match op {
        BinaryOp::Mul => Arithmetic(ArithmeticOp::Mul),
        BinaryOp::Div => Arithmetic(ArithmeticOp::Div),
        BinaryOp::Rem => Arithmetic(ArithmeticOp::Rem),
        BinaryOp::Add => Arithmetic(ArithmeticOp::Add),
        BinaryOp::Sub => Arithmetic(ArithmeticOp::Sub),
        BinaryOp::BitAnd => Arithmetic(ArithmeticOp::And),
        BinaryOp::BitXor => Arithmetic(ArithmeticOp::Xor),
        BinaryOp::BitOr => Arithmetic(ArithmeticOp::Or),
        BinaryOp::Shl => Shift(ArithmeticOp::Shl),
        BinaryOp::Shr => Shift(ArithmeticOp::Shr),
        BinaryOp::Less => Comparison(ComparisonOp::Less),
        BinaryOp::Greater => Comparison(ComparisonOp::Greater),
        BinaryOp::LessEqual => Comparison(ComparisonOp::LessEqual),
        BinaryOp::GreaterEqual => Comparison(ComparisonOp::GreaterEqual),
        BinaryOp::Equal => Comparison(ComparisonOp::Equal),
        BinaryOp::NotEqual => Comparison(ComparisonOp::NotEqual),
        BinaryOp::LogicalAnd => Logical { and: true },
        BinaryOp::LogicalOr => Logical { and: false },
    }
}

/// Whether an object may be in both address spaces (OpenCL C §6.7.9).
pub(super) fn overlap(a: AddressSpace, b: AddressSpace) -> bool {
    let generic = [a, b].contains(&AddressSpace::Generic);
    a == b || generic && ![a, b].contains(&AddressSpace::Constant)
}

/// Whether an operation works on integers only.
fn integers_only(op: ArithmeticOp) -> bool {
    !matches!(op, ArithmeticOp::Add | ArithmeticOp::Sub | ArithmeticOp::Mul | ArithmeticOp::Div)
}

impl Checker<'_> {
    pub(super) fn binary_expression(
        &mut self,
        (op, op_span): (BinaryOp, Span),
        left: &ast::Expr,
        right: &ast::Expr,
        span: Span,
    ) -> Expr {
        self.warn_of_precedence(op, left, right);
        let left = self.value(left);
        let right = self.value(right);
        self.operation((op, op_span), left, right, span)
    }

    /// An operator on values; not part of [`Checker::binary_expression`], whose frame is on the stack for
    /// each level of an expression.
    pub(super) fn operation(
        &mut self,
        (op, op_span): (BinaryOp, Span),
        left: Expr,
        right: Expr,
        span: Span,
    ) -> Expr {
        if self.types.is_error(left.ty) || self.types.is_error(right.ty) {
            return self.error_value(span);
        }
        let before = self.diagnostics.list().len();
        let operands = [(left.span, left.ty), (right.span, right.ty)];
        let result = match meaning(op) {
            Meaning::Arithmetic(op) => self.arithmetic(op, left, right, span),
            Meaning::Shift(op) => self.shift(op, left, right, span),
            Meaning::Comparison(op) => self.comparison(op, left, right, span),
            Meaning::Logical { and } => self.logical(and, left, right, span),
        };
        self.mark_operands(before, span, op_span, operands);
        result
    }

    /// Marks the operands, with their types, in the errors about an expression that came after the first
    /// `count` messages.
    pub(super) fn mark_operands(
        &mut self,
        count: usize,
        span: Span,
        op_span: Span,
        operands: [(Span, TypeId); 2],
    ) {
        if self.diagnostics.list().len() > count {
            let marks = operands.map(|(span, ty)| (span, format!("'{}'", self.type_text(ty))));
            self.diagnostics.mark_operands(count, span, op_span, &marks);
        }
    }

    pub(super) fn arithmetic(&mut self, op: ArithmeticOp, left: Expr, right: Expr, span: Span) -> Expr {
        let operands = [left.ty, right.ty];
        let result = self.computed(op, left, right, span);
        self.as_bools_again(&operands, result)
    }

    /// An arithmetic operation in the type in which it is computed.
    pub(super) fn computed(&mut self, op: ArithmeticOp, left: Expr, right: Expr, span: Span) -> Expr {
        if matches!(op, ArithmeticOp::Add | ArithmeticOp::Sub)
            && (self.types.pointee(left.ty).is_some() || self.types.pointee(right.ty).is_some())
        {
            return self.pointer_arithmetic(op, left, right, span);
        }
        if let Some(matrix) = self.matrix_arithmetic(op, &left, &right, span) {
            return matrix;
        }
        if integers_only(op) && (self.is_float(left.ty) || self.is_float(right.ty)) {
            self.invalid_operands(&left, &right, span);
            return self.error_value(span);
        }
        let Some((left, right)) = self.usual_conversions(left, right, span) else {
            return self.error_value(span);
        };
        let is_bitwise = matches!(op, ArithmeticOp::And | ArithmeticOp::Or | ArithmeticOp::Xor);
        let (left, right) = match is_bitwise {
            true => (left, right),
            false => (self.bools_as_bytes(left), self.bools_as_bytes(right)),
        };
        let zero = matches!(&right.kind, ExprKind::Constant(Constant::Bits(0)));
        if zero && matches!(op, ArithmeticOp::Div | ArithmeticOp::Rem) && !self.is_float(right.ty) {
            let what = if op == ArithmeticOp::Div { "division" } else { "remainder" };
            self.warn(span, format!("{what} by zero is undefined"));
        }
        self.warn_of_overflow(op, &left, &right, span);
        let ty = left.ty;
        Expr { kind: ExprKind::Arithmetic { op, left: Box::new(left), right: Box::new(right) }, ty, span }
    }

    /// Vectors of `bool` as vectors of bytes, in which arithmetic and shifts compute.
    fn bools_as_bytes(&mut self, value: Expr) -> Expr {
        match self.types.as_vector(value.ty) {
            Some((ScalarKind::Bool, lanes)) => {
                let bytes = self.types.vector(ScalarKind::UChar, lanes);
                self.convert_arithmetic(value, bytes)
            }
            _ => value,
        }
    }

    /// The result of an operation on vectors of `bool`, which has their type (OpenCL C++ §2.4).
    fn as_bools_again(&mut self, operands: &[TypeId], result: Expr) -> Expr {
        match operands.iter().find(|ty| self.is_bool_vector(**ty)) {
            Some(&bools) if !self.types.is_error(result.ty) => self.convert_arithmetic(result, bools),
            _ => result,
        }
    }

    /// Whether it is a vector of `bool`, which OpenCL C++ has.
    fn is_bool_vector(&self, ty: TypeId) -> bool {
        self.types.as_vector(ty).is_some_and(|(kind, _)| kind == ScalarKind::Bool)
    }

    fn is_float(&self, ty: TypeId) -> bool {
        self.types.as_arithmetic(ty).is_some_and(|(kind, _)| kind.is_float())
    }

    pub(super) fn is_integer(&self, ty: TypeId) -> bool {
        self.types.as_scalar(ty).is_some_and(ScalarKind::is_integer)
    }

    fn pointer_arithmetic(&mut self, op: ArithmeticOp, left: Expr, right: Expr, span: Span) -> Expr {
        let subtract = op == ArithmeticOp::Sub;
        let pointers = (self.types.pointee(left.ty), self.types.pointee(right.ty));
        let result = match pointers {
            (Some((a, a_space)), Some((b, b_space))) if subtract => {
                if !overlap(a_space, b_space) {
                    let (a, b) = (self.type_text(left.ty), self.type_text(right.ty));
                    let message = format!(
                        "arithmetic operation with operands of type ('{a}' and '{b}') which are pointers to \
                         non-overlapping address spaces"
                    );
                    self.error(span, message);
                    None
                } else if a.ty != b.ty {
                    let (a, b) = (self.type_text(left.ty), self.type_text(right.ty));
                    self.error(span, format!("'{a}' and '{b}' are not pointers to compatible types"));
                    None
                } else if self.types.layout(a.ty).is_none() {
                    let text = self.type_text(a.ty);
                    self.error(span, format!("arithmetic on a pointer to incomplete type '{text}'"));
                    None
                } else {
                    if self.types.layout(a.ty).is_some_and(|(size, _)| size == 0) {
                        let text = self.type_text(a.ty);
                        let message =
                            format!("subtraction of pointers to type '{text}' of size 0 is undefined");
                        self.warn(span, message);
                    }
                    let ty = self.types.scalar(ScalarKind::Long);
                    let (left, right) = match (a_space, b_space) {
                        _ if a_space == b_space => (left, right),
                        (AddressSpace::Generic, _) => {
                            let to = left.ty;
                            (left, self.convert_pointer(right, to))
                        }
                        _ => {
                            let to = right.ty;
                            (self.convert_pointer(left, to), right)
                        }
                    };
                    let kind = ExprKind::PointerDifference { left: Box::new(left), right: Box::new(right) };
                    Some(Expr { kind, ty, span })
                }
            }
            (Some(_), None) if self.is_integer(right.ty) => self.pointer_add(left, right, subtract, span),
            (None, Some(_)) if !subtract && self.is_integer(left.ty) => {
                self.pointer_add(right, left, false, span)
            }
            _ => {
                self.invalid_operands(&left, &right, span);
                None
            }
        };
        result.unwrap_or_else(|| self.error_value(span))
    }

    /// Shifts: the result has the type of the promoted left operand (OpenCL C §6.5.10).
    fn shift(&mut self, op: ArithmeticOp, left: Expr, right: Expr, span: Span) -> Expr {
        let Some(right) = self.shift_count(&left, right, span) else { return self.error_value(span) };
        let value_type = left.ty;
        let left = self.bools_as_bytes(left);
        let left = self.promote(left);
        let ty = left.ty;
        let kind = ExprKind::Arithmetic { op, left: Box::new(left), right: Box::new(right) };
        self.as_bools_again(&[value_type], Expr { kind, ty, span })
    }

    /// The count of a shift in the type of the promoted value.
    pub(super) fn shift_count(&mut self, value: &Expr, count: Expr, span: Span) -> Option<Expr> {
        let shapes = (self.types.as_arithmetic(value.ty), self.types.as_arithmetic(count.ty));
        let (Some((kind, lanes)), Some((count_kind, count_lanes))) = shapes else {
            self.invalid_operands(value, &count, span);
            return None;
        };
        let are_integers = !kind.is_float() && !count_kind.is_float();
        if !are_integers || (count_lanes > 1 && count_lanes != lanes) {
            self.invalid_operands(value, &count, span);
            return None;
        }
        let kind = match (kind, lanes) {
            (_, 1) => promoted(kind),
            (ScalarKind::Bool, _) => ScalarKind::UChar,
            _ => kind,
        };
        if let (Some(number), 1) = (self.integer_of(&count), count_lanes)
            && !(0..i128::from(kind.scalar().bits())).contains(&number)
        {
            let what = if number < 0 { "is negative" } else { ">= width of type" };
            self.warn(count.span, format!("shift count {what}"));
        }
        let to = self.types.vector(kind, lanes);
        Some(self.convert_arithmetic(count, to))
    }

    fn comparison(&mut self, op: ComparisonOp, left: Expr, right: Expr, span: Span) -> Expr {
        let pointers = self.types.pointee(left.ty).is_some() || self.types.pointee(right.ty).is_some();
        self.warn_of_decided_comparison(op, &left, &right, span);
        let handles = self.is_handle(left.ty) || self.is_handle(right.ty);
        let pair = if handles && matches!(op, ComparisonOp::Equal | ComparisonOp::NotEqual) {
            self.compared_handles(left, right, span)
        } else if pointers {
            self.compared_pointers(op, left, right, span)
        } else {
            self.usual_conversions(left, right, span)
        };
        let Some((left, right)) = pair else { return self.error_value(span) };
        self.compare(op, left, right, span)
    }

    /// A comparison of operands of the same type.
    fn compare(&mut self, op: ComparisonOp, left: Expr, right: Expr, span: Span) -> Expr {
        let ty = self.truth_type(left.ty);
        let (left, right) = (self.bools_as_bytes(left), self.bools_as_bytes(right));
        Expr { kind: ExprKind::Compare { op, left: Box::new(left), right: Box::new(right) }, ty, span }
    }

    /// The type of a comparison of this type: `int`, or the signed integer vector of its size (OpenCL C
    /// §6.5.4); in OpenCL C++, vectors give vectors of `bool` (§2.4).
    fn truth_type(&mut self, ty: TypeId) -> TypeId {
        match self.types.as_vector(ty) {
            Some((_, lanes)) if self.options.is_opencl_cxx() => self.types.vector(ScalarKind::Bool, lanes),
            Some((kind, lanes)) => self.types.vector(ScalarKind::integer(kind.size(), true), lanes),
            None => self.int(),
        }
    }

    /// Whether it is the type of device queues or of their events.
    fn is_handle(&self, ty: TypeId) -> bool {
        matches!(self.types.kind(ty), TypeKind::Opaque(OpaqueType::Queue | OpaqueType::ClkEvent))
    }

    /// Handles can only be compared with handles of their type, and with null.
    fn compared_handles(&mut self, left: Expr, right: Expr, span: Span) -> Option<(Expr, Expr)> {
        if left.ty == right.ty {
            return Some((left, right));
        }
        let (left_null, right_null) = (self.is_null_constant(&left), self.is_null_constant(&right));
        if left_null || right_null {
            let null = |of: &Expr| Expr { kind: ExprKind::Constant(Constant::Bits(0)), ty: of.ty, span };
            return Some(if right_null { (left.clone(), null(&left)) } else { (null(&right), right) });
        }
        let (a, b) = (self.type_text(left.ty), self.type_text(right.ty));
        self.error(span, format!("invalid operands to binary expression ('{a}' and '{b}')"));
        None
    }

    fn compared_pointers(
        &mut self,
        op: ComparisonOp,
        left: Expr,
        right: Expr,
        span: Span,
    ) -> Option<(Expr, Expr)> {
        let equality = matches!(op, ComparisonOp::Equal | ComparisonOp::NotEqual);
        match (self.types.pointee(left.ty), self.types.pointee(right.ty)) {
            (Some(_), _) if self.is_null_constant(&right) => {
                let right = self.null_pointer(left.ty, right.span);
                Some((left, right))
            }
            (_, Some(_)) if self.is_null_constant(&left) => {
                let left = self.null_pointer(right.ty, left.span);
                Some((left, right))
            }
            (Some((a, a_space)), Some((b, b_space))) => {
                let (a_text, b_text) = (self.type_text(left.ty), self.type_text(right.ty));
                if !overlap(a_space, b_space) {
                    let message = format!(
                        "comparison between ('{a_text}' and '{b_text}') which are pointers to non-overlapping address \
                         spaces"
                    );
                    self.error(span, message);
                    return None;
                }
                let void = self.types.is_void(a.ty) || self.types.is_void(b.ty);
                if a.ty != b.ty && !(void && equality) {
                    self.warn(
                        span,
                        format!("comparison of distinct pointer types ('{a_text}' and '{b_text}')"),
                    );
                }
                if b_space == AddressSpace::Generic {
                    let left = self.convert_pointer(left, right.ty);
                    return Some((left, right));
                }
                let right = self.convert_pointer(right, left.ty);
                Some((left, right))
            }
            (Some(_), None) if self.is_integer(right.ty) => {
                self.warn_of_pointer_and_integer(&left, &right, span);
                let right = self.cast(right, left.ty, span);
                Some((left, right))
            }
            (None, Some(_)) if self.is_integer(left.ty) => {
                self.warn_of_pointer_and_integer(&left, &right, span);
                let left = self.cast(left, right.ty, span);
                Some((left, right))
            }
            _ => {
                self.invalid_operands(&left, &right, span);
                None
            }
        }
    }

    fn warn_of_pointer_and_integer(&mut self, left: &Expr, right: &Expr, span: Span) {
        let (a, b) = (self.type_text(left.ty), self.type_text(right.ty));
        self.warn(span, format!("comparison between pointer and integer ('{a}' and '{b}')"));
    }

    fn logical(&mut self, and: bool, left: Expr, right: Expr, span: Span) -> Expr {
        if self.types.as_vector(left.ty).is_none() && self.types.as_vector(right.ty).is_none() {
            let valid = |checker: &Self, ty| {
                checker.types.as_scalar(ty).is_some() || checker.types.pointee(ty).is_some()
            };
            if !valid(self, left.ty) || !valid(self, right.ty) {
                self.invalid_operands(&left, &right, span);
                return self.error_value(span);
            }
            let (left, right) = (self.truth(left), self.truth(right));
            let ty = self.int();
            return Expr {
                kind: ExprKind::Logical { and, left: Box::new(left), right: Box::new(right) },
                ty,
                span,
            };
        }
        let Some((left, right)) = self.usual_conversions(left, right, span) else {
            return self.error_value(span);
        };
        let (left, right) = (self.lanes_unequal_zero(left), self.lanes_unequal_zero(right));
        let ty = left.ty;
        let op = if and { ArithmeticOp::And } else { ArithmeticOp::Or };
        Expr { kind: ExprKind::Arithmetic { op, left: Box::new(left), right: Box::new(right) }, ty, span }
    }

    fn lanes_unequal_zero(&mut self, value: Expr) -> Expr {
        if self.is_bool_vector(value.ty) {
            return value;
        }
        let span = value.span;
        let zero = self.zero(value.ty, span);
        self.compare(ComparisonOp::NotEqual, value, zero, span)
    }

    /// Zero of an arithmetic type.
    pub(super) fn zero(&self, ty: TypeId, span: Span) -> Expr {
        let (_, lanes) = self.types.as_arithmetic(ty).expect("an arithmetic type");
        let constant = if lanes == 1 { Constant::Bits(0) } else { Constant::Lanes(vec![0; lanes as usize]) };
        Expr { kind: ExprKind::Constant(constant), ty, span }
    }

    /// `+`, `-`, `~` and `!`.
    pub(super) fn unary(&mut self, op: PrefixOp, value: Expr, span: Span) -> Expr {
        if self.types.is_error(value.ty) {
            return value;
        }
        if let (PrefixOp::Minus, Some(negated)) = (op, self.negated_matrix(&value, span)) {
            return negated;
        }
        let shape = self.types.as_arithmetic(value.ty);
        if op == PrefixOp::LogicalNot && (shape.is_some() || self.types.pointee(value.ty).is_some()) {
            return self.logical_not(value, span);
        }
        let valid = match op {
            PrefixOp::BitNot => shape.is_some_and(|(kind, _)| kind.is_integer()),
            PrefixOp::LogicalNot => false,
            _ => shape.is_some(),
        };
        if !valid {
            let text = self.type_text(value.ty);
            self.error(span, format!("invalid argument type '{text}' to unary expression"));
            return self.error_value(span);
        }
        if matches!(op, PrefixOp::Plus | PrefixOp::Minus) && self.is_bool_vector(value.ty) {
            // Minus one is true, too.
            return Expr { span, ..value };
        }
        let value = self.promote(value);
        let ty = value.ty;
        let folded = match op {
            PrefixOp::Minus => self.negated_constant(&value),
            _ => None,
        };
        let kind = match op {
            PrefixOp::Plus => return Expr { span, ..value },
            PrefixOp::Minus => folded.unwrap_or_else(|| ExprKind::Negate(Box::new(value))),
            _ => ExprKind::BitNot(Box::new(value)),
        };
        Expr { kind, ty, span }
    }

    /// A literal with a sign is a constant.
    fn negated_constant(&self, value: &Expr) -> Option<ExprKind> {
        let ExprKind::Constant(Constant::Bits(_)) = value.kind else { return None };
        let negated =
            Expr { kind: ExprKind::Negate(Box::new(value.clone())), ty: value.ty, span: value.span };
        match self.evaluate(&negated)? {
            super::constant::Value::Lanes(lanes) => Some(ExprKind::Constant(Constant::Bits(*lanes.first()?))),
            super::constant::Value::Address(..) => None,
        }
    }

    fn logical_not(&mut self, value: Expr, span: Span) -> Expr {
        if self.is_bool_vector(value.ty) {
            let ty = value.ty;
            return Expr { kind: ExprKind::BitNot(Box::new(value)), ty, span };
        }
        if self.types.as_vector(value.ty).is_some() {
            let zero = self.zero(value.ty, span);
            return self.compare(ComparisonOp::Equal, value, zero, span);
        }
        let value = self.truth(value);
        let ty = self.int();
        Expr { kind: ExprKind::LogicalNot(Box::new(value)), ty, span }
    }
}
