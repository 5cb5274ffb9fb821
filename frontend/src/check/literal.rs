//! Literals: their types and values (C99 §6.4.4, OpenCL C §6.5); vector and compound literals.

use super::Checker;
use super::constant;
use super::expression::Operand;
use crate::Span;
use crate::ast::{self, InitializerList, TypeName};
use crate::hir::{
    Constant, ConstantData, Expr, ExprKind, Global, GlobalId, Linkage, Local, Place, PlaceKind,
};
use crate::symbol::Symbol;
use crate::token::{FloatSuffix, IntSuffix};
use crate::types::{QualifiedType, ScalarKind, TypeId, TypeKind};
use clvk_interface::Feature;
use clvk_ir::AddressSpace;

impl Checker<'_> {
    pub(super) fn int_literal(&mut self, value: u64, suffix: IntSuffix, span: Span) -> Expr {
        let signed = !suffix.unsigned;
        let unsigned = suffix.unsigned || !suffix.decimal;
        let candidates = [
            (ScalarKind::Int, signed && !suffix.long),
            (ScalarKind::UInt, unsigned && !suffix.long),
            (ScalarKind::Long, signed),
            (ScalarKind::ULong, unsigned),
        ];
        let fits = |kind: ScalarKind| {
            let bits = kind.scalar().bits() - u32::from(kind.is_signed());
            bits == 64 || value >> bits == 0
        };
        let kind = candidates.iter().find(|(kind, allowed)| *allowed && fits(*kind)).map(|(kind, _)| *kind);
        let kind = kind.unwrap_or_else(|| {
            self.warn(
                span,
                "integer literal is too large to be represented in a signed integer type, interpreting as unsigned",
            );
            ScalarKind::ULong
        });
        let ty = self.types.scalar(kind);
        Expr { kind: ExprKind::Constant(Constant::Bits(value)), ty, span }
    }

    pub(super) fn float_literal(
        &mut self,
        value: f64,
        suffix: FloatSuffix,
        text: Symbol,
        span: Span,
    ) -> Expr {
        let kind = match suffix {
            FloatSuffix::Float => ScalarKind::Float,
            FloatSuffix::Half => {
                if !self.has(Feature::Fp16) {
                    self.error(span, "half precision constant requires cl_khr_fp16");
                    return self.error_value(span);
                }
                ScalarKind::Half
            }
            FloatSuffix::None if self.options.single_precision_constants => ScalarKind::Float,
            FloatSuffix::None if self.has(Feature::Fp64) => ScalarKind::Double,
            FloatSuffix::None => {
                self.diagnostics.narrow(span);
                if !self.warned_of_double {
                    self.warned_of_double = true;
                    self.warn(
                        span,
                        "double precision constant requires cl_khr_fp64, casting to single precision",
                    );
                }
                ScalarKind::Float
            }
        };
        // The spelling is rounded only once, to the type of the literal.
        let bits = match kind {
            ScalarKind::Float => u64::from(crate::preprocess::float32(self.text(text)).to_bits()),
            ScalarKind::Half => u64::from(crate::preprocess::float16(self.text(text)).to_bits()),
            _ => constant::from_float(kind, value),
        };
        let ty = self.types.scalar(kind);
        Expr { kind: ExprKind::Constant(Constant::Bits(bits)), ty, span }
    }

    /// A string: an array of characters in constant memory. Equal strings are one variable.
    pub(super) fn string_literal(&mut self, bytes: &[u8], span: Span) -> Operand {
        let mut bytes = bytes.to_vec();
        bytes.push(0);
        let char = self.types.scalar(ScalarKind::Char);
        let ty: QualifiedType = self.types.array(char.into(), Some(bytes.len() as u64)).into();
        let id = match self.strings.get(&bytes) {
            Some(id) => *id,
            None => {
                let id = GlobalId(self.globals.len() as u32);
                self.globals.push(Global {
                    name: format!(".string.{}", self.strings.len()),
                    ty,
                    space: AddressSpace::Constant,
                    align: 1,
                    initializer: Some(ConstantData {
                        bytes: bytes.clone(),
                        pointers: Vec::new(),
                        members: Vec::new(),
                    }),
                    linkage: Linkage::Internal,
                    span,
                });
                self.strings.insert(bytes, id);
                id
            }
        };
        Operand::Place(Place { kind: PlaceKind::Global(id), ty, space: AddressSpace::Constant, span })
    }

    /// `(type)(elements)`: a vector literal, or a cast of a comma expression.
    pub(super) fn vector_literal(&mut self, ty: &TypeName, elements: &[ast::Expr], span: Span) -> Expr {
        let target = self.type_name(ty).ty.ty;
        let Some((kind, lanes)) = self.types.as_vector(target) else {
            return self.cast_of_comma(target, elements, span);
        };
        let values: Vec<Expr> = elements.iter().map(|element| self.value(element)).collect();
        if values.iter().any(|value| self.types.is_error(value.ty)) {
            return self.error_value(span);
        }
        if let [only] = values.as_slice() {
            let only = only.clone();
            return self.cast(only, target, span);
        }
        self.vector_of(kind, lanes, values, span)
    }

    fn cast_of_comma(&mut self, target: TypeId, elements: &[ast::Expr], span: Span) -> Expr {
        let mut result: Option<Expr> = None;
        for element in elements {
            let value = self.value(element);
            result = Some(match result {
                None => value,
                Some(left) => {
                    let ty = value.ty;
                    Expr { kind: ExprKind::Comma(Box::new(left), Box::new(value)), ty, span }
                }
            });
        }
        match result {
            Some(value) => self.cast(value, target, span),
            None => {
                self.error(span, "expected expression");
                self.error_value(span)
            }
        }
    }

    /// A vector of parts, each a scalar or a vector of the element type.
    pub(super) fn vector_of(&mut self, kind: ScalarKind, lanes: u32, values: Vec<Expr>, span: Span) -> Expr {
        let element = self.types.scalar(kind);
        let target = self.types.vector(kind, lanes);
        let mut parts = Vec::new();
        let mut count = 0;
        for value in values {
            match self.types.as_arithmetic(value.ty) {
                Some((_, 1)) => {
                    count += 1;
                    parts.push(self.convert_arithmetic(value, element));
                }
                Some((from, width)) if from == kind => {
                    count += width;
                    parts.push(value);
                }
                _ => {
                    let (from, to) = (self.type_text(value.ty), self.type_text(element));
                    self.error(
                        value.span,
                        format!("initializing '{to}' with an expression of incompatible type '{from}'"),
                    );
                    return self.error_value(span);
                }
            }
        }
        if count < lanes {
            let message = format!(
                "too few elements in vector initialization (expected {lanes} elements, have {count})"
            );
            self.error(span, message);
            return self.error_value(span);
        }
        if count > lanes {
            let message = format!(
                "too many elements in vector initialization (expected {lanes} elements, have {count})"
            );
            self.error(span, message);
            return self.error_value(span);
        }
        self.folded(Expr { kind: ExprKind::VectorLiteral(parts), ty: target, span })
    }

    /// A vector literal of constants as a constant.
    fn folded(&self, expr: Expr) -> Expr {
        let ExprKind::VectorLiteral(parts) = &expr.kind else { return expr };
        let mut lanes = Vec::new();
        for part in parts {
            let ExprKind::Constant(constant) = &part.kind else { return expr };
            lanes.extend(constant::constant_lanes(constant));
        }
        Expr { kind: ExprKind::Constant(Constant::Lanes(lanes)), ..expr }
    }

    /// `(type){ … }`: an object (C99 §6.5.2.5).
    pub(super) fn compound_literal(
        &mut self,
        name: &TypeName,
        list: &InitializerList,
        span: Span,
    ) -> Operand {
        let declared = self.type_name(name);
        if self.current.is_none() {
            self.unsupported_all(span, "compound literals outside functions");
            return self.error_operand(span);
        }
        if declared.space.is_some_and(|space| space != AddressSpace::Private) {
            self.unsupported_all(span, "compound literals with an address space");
            return self.error_operand(span);
        }
        let is_open_array = matches!(self.types.kind(declared.ty.ty), TypeKind::Array { length: None, .. });
        if !is_open_array && !self.check_object_type(declared.ty.ty, span, "compound literal") {
            return self.error_operand(span);
        }
        let Some((ty, initializer)) = self.automatic_list(declared.ty, list) else {
            return self.error_operand(span);
        };
        let Some((_, align)) = self.types.layout(ty.ty) else { return self.error_operand(span) };
        let local = self.add_local(Local { name: String::new(), ty, align, span });
        let kind = PlaceKind::CompoundLiteral(local, Box::new(initializer));
        Operand::Place(self.place(kind, ty, AddressSpace::Private, span))
    }
}
