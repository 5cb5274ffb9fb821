//! Cooperative matrices (`cl_khr_cooperative_matrix`): the attribute that makes their types, the functions on
//! them, and their operators.
//!
//! A call of `coop_mat_load` or `coop_mat_init` makes a matrix whose type its use gives. Until then the call
//! is of type [`TypeKind::AnyMatrix`]; a conversion to a matrix type, as by assignment, decides it.

use super::Checker;
use super::expression::Operand;
use crate::Span;
use crate::ast::{Attribute, AttributeArgument};
use crate::builtins::MatrixFunction;
use crate::diagnostic::Diagnostic;
use crate::hir::{ArithmeticOp, Expr, ExprKind, Operation, Place, PlaceKind};
use crate::types::{CooperativeMatrix, ElementKind, QualifiedType, ScalarKind, TypeId, TypeKind};
use clvk_interface::Feature;
use clvk_ir::{
    AddressSpace, BinaryOp, ConvertOp, MatrixLayout, MatrixOp, MatrixSigns, MatrixUse, RoundingMode, UnaryOp,
};

/// The values of `scope` that mean a sub-group: `CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP`, which is SPIR-V's
/// number, and `memory_scope_sub_group`.
const SUB_GROUP: [i128; 2] = [3, 4];

/// The most rows or columns. No device has larger ones, and work-items may have to hold whole matrices.
const LARGEST: i128 = 128;

impl Checker<'_> {
    /// The matrix type that `coop_mat(scope, rows, columns, use)` makes from the type of its elements.
    pub(super) fn matrix_type_of(&mut self, element: TypeId, attribute: &Attribute) -> TypeId {
        if self.types.is_error(element) {
            return element;
        }
        self.made_matrix(element, attribute).unwrap_or_else(|| self.types.error())
    }

    fn made_matrix(&mut self, element: TypeId, attribute: &Attribute) -> Option<TypeId> {
        if !self.has(Feature::CooperativeMatrix)
            && !self.report_lacking_of(attribute.span, "the attribute 'coop_mat'", Feature::CooperativeMatrix)
        {
            return None;
        }
        let [scope, rows, columns, usage] = attribute.arguments.as_slice() else {
            self.error(
                attribute.span,
                "'coop_mat' attribute takes four arguments: scope, rows, columns, use",
            );
            return None;
        };
        let element = match self.element_kind(element) {
            Some(kind) if kind != ElementKind::Scalar(ScalarKind::Bool) => kind,
            _ => {
                let text = self.type_text(element);
                self.error(attribute.span, format!("invalid cooperative matrix element type '{text}'"));
                return None;
            }
        };
        let (scope, scope_span) = self.matrix_argument(scope, attribute.span)?;
        if !SUB_GROUP.contains(&scope) {
            let message = "the scope of a cooperative matrix must be CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP";
            self.error(scope_span, message);
            return None;
        }
        let rows = self.matrix_extent(rows, "rows", attribute.span)?;
        let columns = self.matrix_extent(columns, "columns", attribute.span)?;
        let (usage, usage_span) = self.matrix_argument(usage, attribute.span)?;
        let usage = match usage {
            0 => MatrixUse::A,
            1 => MatrixUse::B,
            2 => MatrixUse::Accumulator,
            _ => {
                let message = "the use of a cooperative matrix must be CLK_COOPERATIVE_MATRIX_A, \
                               CLK_COOPERATIVE_MATRIX_B or CLK_COOPERATIVE_MATRIX_ACCUMULATOR";
                self.error(usage_span, message);
                return None;
            }
        };
        Some(self.types.intern(TypeKind::Matrix(CooperativeMatrix { element, rows, columns, usage })))
    }

    fn matrix_argument(&mut self, argument: &AttributeArgument, span: Span) -> Option<(i128, Span)> {
        let AttributeArgument::Expr(expr) = argument else {
            self.error(span, "'coop_mat' attribute requires integer constants");
            return None;
        };
        Some((self.integer_constant(expr)?, expr.span))
    }

    fn matrix_extent(&mut self, argument: &AttributeArgument, what: &str, span: Span) -> Option<u16> {
        let (value, span) = self.matrix_argument(argument, span)?;
        if !(1..=LARGEST).contains(&value) {
            let message = format!("a cooperative matrix has 1 to {LARGEST} {what}, not {value}");
            self.error(span, message);
            return None;
        }
        Some(value as u16)
    }

    /// What a type is as that of elements.
    fn element_kind(&self, ty: TypeId) -> Option<ElementKind> {
        match *self.types.kind(ty) {
            TypeKind::Scalar(kind) => Some(ElementKind::Scalar(kind)),
            TypeKind::BFloat16 => Some(ElementKind::BFloat16),
            _ => None,
        }
    }

    /// The matrix type of a value.
    pub(super) fn as_matrix(&self, ty: TypeId) -> Option<CooperativeMatrix> {
        if let TypeKind::Matrix(matrix) = self.types.kind(ty) { Some(*matrix) } else { None }
    }

    /// Whether the type of a matrix, or of a call whose use gives it.
    fn is_some_matrix(&self, ty: TypeId) -> bool {
        matches!(self.types.kind(ty), TypeKind::Matrix(_) | TypeKind::AnyMatrix)
    }

    /// A call of a function on matrices.
    pub(super) fn call_matrix(
        &mut self,
        function: MatrixFunction,
        values: Vec<Expr>,
        span: Span,
    ) -> Result<Expr, String> {
        match (function, values.as_slice()) {
            (MatrixFunction::Load, [pointer, layout, stride]) => {
                self.matrix_memory(pointer)?;
                let operation = MatrixOp::Load(self.matrix_layout(layout)?);
                let arguments = vec![pointer.clone(), self.matrix_stride(stride)?];
                let any = self.types.intern(TypeKind::AnyMatrix);
                Ok(self.matrix_call(operation, arguments, any, span))
            }
            (MatrixFunction::Store, [pointer, matrix, layout, stride]) => {
                let (element, read_only) = self.matrix_memory(pointer)?;
                let of = self.as_matrix(matrix.ty).ok_or("expected a cooperative matrix to store")?;
                if read_only {
                    return Err("the pointer is to read-only memory".to_owned());
                }
                self.matrix_elements_fit(of, element, pointer.span)?;
                let operation = MatrixOp::Store(self.matrix_layout(layout)?);
                let arguments = vec![pointer.clone(), matrix.clone(), self.matrix_stride(stride)?];
                let void = self.types.void();
                Ok(self.matrix_call(operation, arguments, void, span))
            }
            (MatrixFunction::MulAdd, [a, b, c]) => self.matrix_product([a, b, c], span),
            (MatrixFunction::MulAdd, [a, b, c, operands]) => {
                match self.integer_of(operands) {
                    Some(0) => {}
                    Some(_) => {
                        self.unsupported(
                            operands.span,
                            format_args!("saturating accumulation of cooperative matrices"),
                        );
                        return Ok(self.error_value(span));
                    }
                    None => return Err("expected a constant as the operands".to_owned()),
                }
                self.matrix_product([a, b, c], span)
            }
            (MatrixFunction::Fill, [value]) => {
                if self.types.as_scalar(value.ty).is_none() {
                    return Err("expected a scalar".to_owned());
                }
                let any = self.types.intern(TypeKind::AnyMatrix);
                Ok(self.matrix_call(MatrixOp::Fill, values, any, span))
            }
            (MatrixFunction::Length, [matrix]) => {
                self.as_matrix(matrix.ty).ok_or("expected a cooperative matrix")?;
                let uint = self.types.scalar(ScalarKind::UInt);
                Ok(self.matrix_call(MatrixOp::Length, values, uint, span))
            }
            (MatrixFunction::Load, _) => Err("expected (pointer, layout, stride)".to_owned()),
            (MatrixFunction::Store, _) => Err("expected (pointer, matrix, layout, stride)".to_owned()),
            (MatrixFunction::MulAdd, _) => Err("expected three matrices, and optionally operands".to_owned()),
            (MatrixFunction::Fill, _) => Err("expected one value".to_owned()),
            (MatrixFunction::Length, _) => Err("expected one matrix".to_owned()),
        }
    }

    /// One of the elements that the work-item holds, by its number.
    pub(super) fn matrix_element(&mut self, base: Operand, index: Expr, span: Span) -> Operand {
        let matrix = self.as_matrix(base.ty()).expect("a matrix");
        if !self.types.as_scalar(index.ty).is_some_and(|kind| kind.is_integer()) {
            self.error(index.span, "the number of a matrix's element is not an integer");
            return self.error_operand(span);
        }
        let uint = self.types.scalar(ScalarKind::UInt);
        let index = self.convert_arithmetic(index, uint);
        let ty = self.types.scalar(matrix.element.value());
        match base {
            Operand::Place(place) => {
                let (space, qualifiers) = (place.space, place.ty.qualifiers);
                let kind = PlaceKind::MatrixElement(Box::new(place), Box::new(index));
                Operand::Place(Place { kind, ty: QualifiedType { ty, qualifiers }, space, span })
            }
            Operand::Value(value) => {
                Operand::Value(self.matrix_call(MatrixOp::Extract, vec![value, index], ty, span))
            }
        }
    }

    fn matrix_call(&self, operation: MatrixOp, arguments: Vec<Expr>, ty: TypeId, span: Span) -> Expr {
        self.builtin("coop_mat", Operation::Matrix(operation), arguments, ty, span)
    }

    /// The type of the elements that a pointer points to, and whether they are read-only.
    fn matrix_memory(&self, pointer: &Expr) -> Result<(TypeId, bool), String> {
        let (target, space) = self.types.pointee(pointer.ty).ok_or("expected a pointer to elements")?;
        if space == AddressSpace::Private {
            return Err(
                "matrices are loaded from and stored to memory that work-items share, not private memory"
                    .to_owned(),
            );
        }
        let read_only = target.qualifiers.is_const || space == AddressSpace::Constant;
        Ok((target.ty, read_only))
    }

    fn matrix_elements_fit(
        &mut self,
        matrix: CooperativeMatrix,
        element: TypeId,
        span: Span,
    ) -> Result<(), String> {
        if self.element_kind(element) == Some(matrix.element) {
            return Ok(());
        }
        let (memory, kind) = (self.type_text(element), matrix.element.name());
        let message = format!(
            "a cooperative matrix of '{kind}' cannot be loaded from or stored to '{memory}' elements"
        );
        self.report(Diagnostic::error(span, message).note(format!("convert the pointer to one to '{kind}'")));
        Err(String::new())
    }

    fn matrix_layout(&self, value: &Expr) -> Result<MatrixLayout, String> {
        match self.integer_of(value) {
            Some(0) => Ok(MatrixLayout::RowMajor),
            Some(1) => Ok(MatrixLayout::ColumnMajor),
            _ => Err("the layout must be the constant CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR or \
                      CLK_COOPERATIVE_MATRIX_LAYOUT_COLUMN_MAJOR"
                .to_owned()),
        }
    }

    fn matrix_stride(&mut self, value: &Expr) -> Result<Expr, String> {
        if self.types.as_scalar(value.ty).is_none_or(|kind| !kind.is_integer()) {
            return Err("the stride must be an integer".to_owned());
        }
        let size = self.size_type();
        Ok(self.convert_arithmetic(value.clone(), size))
    }

    fn matrix_product(&mut self, operands: [&Expr; 3], span: Span) -> Result<Expr, String> {
        let types = operands.map(|operand| self.as_matrix(operand.ty));
        let [Some(a), Some(b), Some(c)] = types else {
            return Err("expected three cooperative matrices".to_owned());
        };
        let uses = [MatrixUse::A, MatrixUse::B, MatrixUse::Accumulator];
        if [a, b, c].map(|matrix| matrix.usage) != uses {
            return Err("expected matrices of use A, B and accumulator, in this order".to_owned());
        }
        if (a.rows, b.columns, a.columns) != (c.rows, c.columns, b.rows) {
            return Err(format!(
                "the shapes do not fit: {}×{} times {}×{} plus {}×{}",
                a.rows, a.columns, b.rows, b.columns, c.rows, c.columns
            ));
        }
        let floats = [a, b, c].map(|matrix| matrix.element.is_float());
        if floats != [floats[0]; 3]
            || (floats[0] && a.element != b.element)
            || a.element.size() != b.element.size()
        {
            return Err(
                "the elements must be all integers or all floating-point numbers, and those of both \
                        factors of one size"
                    .to_owned(),
            );
        }
        if c.element.size() < a.element.size() {
            return Err("the accumulator's elements must not be smaller than the factors'".to_owned());
        }
        let [sa, sb, sc] = [a, b, c].map(|matrix| matrix.element.is_signed());
        let operation = MatrixOp::MulAdd(MatrixSigns { a: sa, b: sb, c: sc });
        let arguments: Vec<Expr> = operands.into_iter().cloned().collect();
        let ty = arguments[2].ty;
        Ok(self.matrix_call(operation, arguments, ty, span))
    }

    /// A value converted to a matrix type as by assignment, if it is a call whose use gives the type, or
    /// after a reported error; `None` if it is something else.
    pub(super) fn matrix_of_use(&mut self, value: &Expr, to: TypeId) -> Option<Expr> {
        let matrix = self.as_matrix(to)?;
        if *self.types.kind(value.ty) != TypeKind::AnyMatrix {
            return None;
        }
        let ExprKind::Builtin(call) = &value.kind else {
            let message = "assign the result of 'coop_mat_load' or 'coop_mat_init' directly to a variable";
            self.error(value.span, message);
            return Some(self.error_value(value.span));
        };
        let mut call = call.clone();
        if call.operation == Operation::Matrix(MatrixOp::Fill) {
            let element = self.types.scalar(matrix.element.value());
            call.arguments[0] = self.convert_arithmetic(call.arguments[0].clone(), element);
        } else {
            let pointer = &call.arguments[0];
            let (element, _) = self.types.pointee(pointer.ty).expect("it was checked");
            let span = pointer.span;
            if self.matrix_elements_fit(matrix, element.ty, span).is_err() {
                return Some(self.error_value(value.span));
            }
        }
        Some(Expr { kind: ExprKind::Builtin(call), ty: to, span: value.span })
    }

    /// An operator of arithmetic on a matrix and another operand; `None` if neither is a matrix.
    pub(super) fn matrix_arithmetic(
        &mut self,
        op: ArithmeticOp,
        left: &Expr,
        right: &Expr,
        span: Span,
    ) -> Option<Expr> {
        if !self.is_some_matrix(left.ty) && !self.is_some_matrix(right.ty) {
            return None;
        }
        let scalar = |checker: &Self, value: &Expr| checker.types.as_scalar(value.ty).is_some();
        let (a, b) = (self.as_matrix(left.ty), self.as_matrix(right.ty));
        let call = match (a, b) {
            (Some(matrix), Some(_)) if left.ty == right.ty => element_wise(op, matrix.element).map(|op| {
                self.matrix_call(MatrixOp::Binary(op), vec![left.clone(), right.clone()], left.ty, span)
            }),
            (Some(matrix), None) if op == ArithmeticOp::Mul && scalar(self, right) => {
                self.scaled(left, right, matrix.element, span)
            }
            (None, Some(matrix)) if op == ArithmeticOp::Mul && scalar(self, left) => {
                self.scaled(right, left, matrix.element, span)
            }
            _ => None,
        };
        if call.is_none() {
            self.invalid_operands(left, right, span);
        }
        Some(call.unwrap_or_else(|| self.error_value(span)))
    }

    /// A matrix times a scalar; `None` if its elements have no arithmetic.
    fn scaled(&mut self, matrix: &Expr, scalar: &Expr, element: ElementKind, span: Span) -> Option<Expr> {
        let ElementKind::Scalar(kind) = element else { return None };
        let element = self.types.scalar(kind);
        let scalar = self.convert_arithmetic(scalar.clone(), element);
        Some(self.matrix_call(MatrixOp::Scale, vec![matrix.clone(), scalar], matrix.ty, span))
    }

    /// A negated matrix; `None` if the value is not a matrix, or one without arithmetic.
    pub(super) fn negated_matrix(&self, value: &Expr, span: Span) -> Option<Expr> {
        let matrix = self.as_matrix(value.ty)?;
        let ElementKind::Scalar(kind) = matrix.element else { return None };
        let op = if kind.is_float() { UnaryOp::FNeg } else { UnaryOp::Neg };
        Some(self.matrix_call(MatrixOp::Unary(op), vec![value.clone()], value.ty, span))
    }

    /// The value that a compound assignment to a matrix stores; `None` if the target is not a matrix.
    pub(super) fn matrix_compound(
        &mut self,
        op: ArithmeticOp,
        target: &Place,
        value: &Expr,
        span: Span,
    ) -> Option<Expr> {
        self.as_matrix(target.ty.ty)?;
        if !is_repeatable(target) {
            self.unsupported(
                span,
                format_args!("a compound assignment to a cooperative matrix whose place has side effects"),
            );
            return Some(self.error_value(span));
        }
        let read = Expr { kind: ExprKind::Load(target.clone()), ty: target.ty.ty, span };
        self.matrix_arithmetic(op, &read, value, span)
    }

    /// A cast to a matrix type; `None` if it is to something else.
    pub(super) fn cast_to_matrix(&mut self, value: &Expr, target: TypeId) -> Option<Expr> {
        let to = self.as_matrix(target)?;
        if let Some(made) = self.matrix_of_use(value, target) {
            return Some(made);
        }
        let from = self.as_matrix(value.ty)?;
        let fits = CooperativeMatrix { element: to.element, ..from } == to;
        let (from, to) = (from.element, to.element);
        if fits && !converts(from, to) {
            let message = format!("cannot convert elements of '{}' to '{}'", from.name(), to.name());
            self.report(Diagnostic::error(value.span, message).note("convert them to 'float' in between"));
            return Some(self.error_value(value.span));
        }
        let call = fits.then(|| match conversion(from, to) {
            Some(op) => self.matrix_call(MatrixOp::Convert(op), vec![value.clone()], target, value.span),
            // The same elements, which only operations give a sign.
            None => Expr { ty: target, ..value.clone() },
        });
        if call.is_none() {
            let (to, from) = (self.type_text(target), self.type_text(value.ty));
            let message = format!("cannot convert '{from}' to '{to}'");
            self.report(
                Diagnostic::error(value.span, message).note("conversions keep the shape and the use"),
            );
        }
        Some(call.unwrap_or_else(|| self.error_value(value.span)))
    }
}

/// Whether a place may be evaluated twice.
fn is_repeatable(place: &Place) -> bool {
    match &place.kind {
        PlaceKind::Local(_) | PlaceKind::Global(_) => true,
        PlaceKind::Member(base, _) => is_repeatable(base),
        PlaceKind::Deref(pointer) => is_pure(pointer),
        PlaceKind::Swizzle(..) | PlaceKind::MatrixElement(..) | PlaceKind::CompoundLiteral(..) => false,
    }
}

fn is_pure(expr: &Expr) -> bool {
    let mut waiting = vec![expr];
    while let Some(expr) = waiting.pop() {
        match &expr.kind {
            ExprKind::Constant(_) => {}
            ExprKind::Load(place) | ExprKind::AddressOf(place) => match &place.kind {
                PlaceKind::Local(_) => {}
                PlaceKind::Deref(pointer) => waiting.push(pointer),
                _ => return false,
            },
            ExprKind::PointerAdd { pointer, index, .. } => waiting.extend([&**pointer, &**index]),
            ExprKind::Arithmetic { left, right, .. } => waiting.extend([&**left, &**right]),
            ExprKind::Convert { operand, .. } => waiting.push(operand),
            _ => return false,
        }
    }
    true
}

/// The operation of two matrices by element.
fn element_wise(op: ArithmeticOp, element: ElementKind) -> Option<BinaryOp> {
    let ElementKind::Scalar(kind) = element else { return None };
    Some(match (op, kind.is_float()) {
        (ArithmeticOp::Add, true) => BinaryOp::FAdd,
        (ArithmeticOp::Sub, true) => BinaryOp::FSub,
        (ArithmeticOp::Mul, true) => BinaryOp::FMul,
        (ArithmeticOp::Div, true) => BinaryOp::FDiv,
        (ArithmeticOp::Add, false) => BinaryOp::Add,
        (ArithmeticOp::Sub, false) => BinaryOp::Sub,
        (ArithmeticOp::Mul, false) => BinaryOp::Mul,
        (ArithmeticOp::Div, false) if kind.is_signed() => BinaryOp::SDiv,
        (ArithmeticOp::Div, false) => BinaryOp::UDiv,
        _ => return None,
    })
}

/// Whether there is a conversion: bfloat16 has those from and to `float`.
fn converts(from: ElementKind, to: ElementKind) -> bool {
    let is_bfloat16 = |element| element == ElementKind::BFloat16;
    is_bfloat16(from) == is_bfloat16(to) || [from, to].contains(&ElementKind::Scalar(ScalarKind::Float))
}

/// The conversion of elements as C's between scalars; `None` if the bits stay.
fn conversion(from: ElementKind, to: ElementKind) -> Option<ConvertOp> {
    let nearest = RoundingMode::NearestEven;
    Some(match (from.is_float(), to.is_float()) {
        (true, true) if from == to => return None,
        (true, true) => ConvertOp::Float(nearest),
        (true, false) if to.is_signed() => ConvertOp::FloatToSigned { saturating: false },
        (true, false) => ConvertOp::FloatToUnsigned { saturating: false },
        (false, true) if from.is_signed() => ConvertOp::SignedToFloat(nearest),
        (false, true) => ConvertOp::UnsignedToFloat(nearest),
        (false, false) if from.size() == to.size() => return None,
        (false, false) if from.size() > to.size() => ConvertOp::Truncate,
        (false, false) if from.is_signed() => ConvertOp::SignExtend,
        (false, false) => ConvertOp::ZeroExtend,
    })
}
