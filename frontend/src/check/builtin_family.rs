//! Calls of built-in functions whose names contain types: conversions, vector loads and stores, shuffles, and
//! the address-space functions.

use super::Checker;
use super::candidates::{arithmetic_text, wrong_count};
use crate::Span;
use crate::builtins::Family;
use crate::diagnostic::Diagnostic;
use crate::hir::{Conversion, Expr, ExprKind, Operation, PlaceKind};
use crate::types::{QualifiedType, ScalarKind, TypeId, TypeKind};
use clvk_interface::Feature;
use clvk_ir::{AddressSpace, ImageDimension, RoundingMode};

impl Checker<'_> {
    pub(super) fn call_family(
        &mut self,
        family: Family,
        values: &[Expr],
        span: Span,
    ) -> Result<Expr, String> {
        let wanted = match family {
            Family::Convert { .. }
            | Family::Reinterpret { .. }
            | Family::ToSpace { .. }
            | Family::GetFence
            | Family::BlockRead { .. } => 1,
            Family::Load { .. }
            | Family::LoadHalf { .. }
            | Family::Shuffle { two: false }
            | Family::BlockWrite { .. } => 2,
            Family::Store { .. } | Family::StoreHalf { .. } | Family::Shuffle { two: true } => 3,
        };
        let is_block = matches!(family, Family::BlockRead { .. } | Family::BlockWrite { .. });
        let of_image = |value: &Expr| matches!(self.types.kind(value.ty), TypeKind::Image(_));
        // Images also need coordinates.
        let wanted = wanted + usize::from(is_block && values.first().is_some_and(of_image));
        if values.len() != wanted {
            self.error(span, wrong_count(wanted, values.len()));
            return Err(String::new());
        }
        match family {
            Family::Convert { kind, lanes, saturating, rounding } => {
                self.convert_call(&values[0], (kind, lanes), saturating, rounding, span)
            }
            Family::Reinterpret { kind, lanes } => self.reinterpret_call(&values[0], (kind, lanes), span),
            Family::Load { lanes } => self.vector_load(values, lanes, span),
            Family::Store { lanes } => self.vector_store(values, lanes, span),
            Family::LoadHalf { lanes, stride } => self.half_load(values, lanes, stride, span),
            Family::StoreHalf { lanes, stride, rounding } => {
                self.half_store(values, lanes, stride, rounding, span)
            }
            Family::Shuffle { two } => self.shuffle(values, two, span),
            Family::BlockRead { kind, lanes } => self.block_read(values, (kind, lanes), span),
            Family::BlockWrite { kind, lanes } => self.block_write(values, (kind, lanes), span),
            Family::ToSpace { space } => self.space_call(&values[0], Some(space), span),
            Family::GetFence => self.space_call(&values[0], None, span),
        }
    }

    /// Checks that the device supports values of this kind, or defers that as [`Checker::lack`] does;
    /// otherwise returns the message.
    fn demand_kind(&mut self, kind: ScalarKind, span: Span) -> Result<(), String> {
        if self.resolver_with(self.options.features).has(kind) {
            return Ok(());
        }
        let feature = if kind == ScalarKind::Half { Feature::Fp16 } else { Feature::Fp64 };
        let message = format!("the type '{}' requires {} support", kind.name(), feature.name());
        if self.defers(feature) {
            self.lack(feature, &format!("the type '{}'", kind.name()), Diagnostic::error(span, message));
            return Ok(());
        }
        Err(message)
    }

    /// `to_global` and similar functions if there is a destination, `get_fence` otherwise.
    fn space_call(&mut self, value: &Expr, to: Option<AddressSpace>, span: Span) -> Result<Expr, String> {
        let Some((pointee, space)) = self.types.pointee(value.ty) else {
            return Err("expected a pointer to the generic address space".to_owned());
        };
        if space == AddressSpace::Constant {
            return Err("a pointer to the constant address space is never generic".to_owned());
        }
        let generic = self.types.pointer(pointee, AddressSpace::Generic);
        let value = self.convert_pointer(value.clone(), generic);
        let (operation, result) = match to {
            Some(space) => (Operation::ToSpace, self.types.pointer(pointee, space)),
            None => (Operation::GetFence, self.types.scalar(ScalarKind::UInt)),
        };
        Ok(self.builtin("to_global", operation, vec![value], result, span))
    }

    pub(super) fn convert_call(
        &mut self,
        value: &Expr,
        (kind, lanes): (ScalarKind, u32),
        saturating: bool,
        rounding: Option<RoundingMode>,
        span: Span,
    ) -> Result<Expr, String> {
        self.demand_kind(kind, span)?;
        let Some((_, from_lanes)) = self.types.as_arithmetic(value.ty) else {
            return Err("expected a scalar or vector".to_owned());
        };
        if from_lanes != lanes {
            return Err(format!(
                "the argument and the result must have the same number of elements ({lanes})"
            ));
        }
        let value = self.promoted_bool(value.clone());
        let ty = self.types.vector(kind, lanes);
        let operation = Operation::Convert { saturating, rounding };
        Ok(self.builtin("convert", operation, vec![value], ty, span))
    }

    /// Converts a `bool` to `int`, also in lanes, and other scalars, such as enumerations, to their plain
    /// scalar type.
    fn promoted_bool(&mut self, value: Expr) -> Expr {
        match self.types.as_arithmetic(value.ty) {
            Some((ScalarKind::Bool, lanes)) => {
                let ty = self.types.vector(ScalarKind::Int, lanes);
                self.convert_arithmetic(value, ty)
            }
            Some((kind, 1)) => {
                let ty = self.types.scalar(kind);
                self.convert_arithmetic(value, ty)
            }
            _ => value,
        }
    }

    pub(super) fn reinterpret_call(
        &mut self,
        value: &Expr,
        (kind, lanes): (ScalarKind, u32),
        span: Span,
    ) -> Result<Expr, String> {
        self.demand_kind(kind, span)?;
        if self.types.as_arithmetic(value.ty).is_none_or(|(from, _)| from == ScalarKind::Bool) {
            return Err("expected a scalar or vector that is not 'bool'".to_owned());
        }
        let to = self.types.vector(kind, lanes);
        let sizes = (self.types.layout(value.ty), self.types.layout(to));
        if sizes.0.map(|(size, _)| size) != sizes.1.map(|(size, _)| size) {
            let (from, to) = (self.type_text(value.ty), self.type_text(to));
            return Err(format!("'{from}' and '{to}' have different sizes"));
        }
        if value.ty == to {
            return Ok(value.clone());
        }
        let value = self.promoted_bool(value.clone());
        let mut result = self.convert(value, Conversion::Reinterpret, to);
        result.span = span;
        Ok(result)
    }

    /// An index of type `size_t`.
    fn offset(&mut self, value: &Expr) -> Result<Expr, String> {
        if self.types.as_scalar(value.ty).is_none() {
            return Err("expected an integer offset before the pointer".to_owned());
        }
        let size = self.size_type();
        Ok(self.convert_arithmetic(value.clone(), size))
    }

    /// The target of a pointer argument, which must be a scalar.
    fn pointed(&self, value: &Expr) -> Result<(ScalarKind, QualifiedType, AddressSpace), String> {
        let wrong = || "expected a pointer to a scalar type as the last argument".to_owned();
        let (target, space) = self.types.pointee(value.ty).ok_or_else(wrong)?;
        match self.types.as_arithmetic(target.ty) {
            Some((kind, 1)) if kind != ScalarKind::Bool => Ok((kind, target, space)),
            _ => Err(wrong()),
        }
    }

    fn writable(&self, target: QualifiedType, space: AddressSpace) -> Result<(), String> {
        if target.qualifiers.is_const || space == AddressSpace::Constant {
            return Err("the pointer points to read-only memory".to_owned());
        }
        Ok(())
    }

    fn vector_load(&mut self, values: &[Expr], lanes: u32, span: Span) -> Result<Expr, String> {
        let offset = self.offset(&values[0])?;
        let (kind, ..) = self.pointed(&values[1])?;
        self.demand_kind(kind, span)?;
        let ty = self.types.vector(kind, lanes);
        let operation = Operation::VectorLoad;
        Ok(self.builtin("vload", operation, vec![offset, values[1].clone()], ty, span))
    }

    fn vector_store(&mut self, values: &[Expr], lanes: u32, span: Span) -> Result<Expr, String> {
        let offset = self.offset(&values[1])?;
        let (kind, target, space) = self.pointed(&values[2])?;
        self.demand_kind(kind, span)?;
        self.writable(target, space)?;
        let ty = self.types.vector(kind, lanes);
        let from = self.types.as_arithmetic(values[0].ty);
        if from.is_none_or(|(from, width)| width != 1 && (from, width) != (kind, lanes)) {
            return Err(format!("expected a value of type '{}'", arithmetic_text(kind, lanes)));
        }
        let value = self.convert_arithmetic(values[0].clone(), ty);
        let void = self.types.void();
        let operation = Operation::VectorStore;
        Ok(self.builtin("vstore", operation, vec![value, offset, values[2].clone()], void, span))
    }

    /// The memory of a block, of elements of this size in memory that work-items share; for writes, the
    /// extensions have the pointer before the value.
    fn block_memory(
        &self,
        pointer: &Expr,
        kind: ScalarKind,
    ) -> Result<(QualifiedType, AddressSpace), String> {
        let name = kind.name();
        let wrong = || format!("expected a pointer to '{name}' in global memory");
        let (target, space) = self.types.pointee(pointer.ty).ok_or_else(wrong)?;
        let found = self.types.as_arithmetic(target.ty);
        let fits = found
            .is_some_and(|(found, lanes)| lanes == 1 && found.is_integer() && found.size() == kind.size());
        if fits && space != AddressSpace::Private { Ok((target, space)) } else { Err(wrong()) }
    }

    /// The arguments that say where a block is: a pointer, or an image and the byte coordinates in it.
    fn block_place(&mut self, values: &[Expr], kind: ScalarKind, writes: bool) -> Result<Vec<Expr>, String> {
        let TypeKind::Image(image) = *self.types.kind(values[0].ty) else {
            let (target, space) = self.block_memory(&values[0], kind)?;
            if writes {
                self.writable(target, space)?;
            }
            return Ok(vec![values[0].clone()]);
        };
        if image.dimension != ImageDimension::D2 {
            return Err("blocks of images are those of 'image2d_t'".to_owned());
        }
        if !(if writes { image.writable } else { image.readable }) {
            let access = if writes { "written" } else { "read" };
            return Err(format!("the image cannot be {access}, because of its access qualifier"));
        }
        let ty = self.types.vector(ScalarKind::Int, 2);
        if self.types.as_arithmetic(values[1].ty) != Some((ScalarKind::Int, 2)) {
            return Err("expected byte coordinates of type 'int2'".to_owned());
        }
        Ok(vec![values[0].clone(), self.convert_arithmetic(values[1].clone(), ty)])
    }

    fn block_read(
        &mut self,
        values: &[Expr],
        (kind, lanes): (ScalarKind, u32),
        span: Span,
    ) -> Result<Expr, String> {
        let place = self.block_place(values, kind, false)?;
        let ty = self.types.vector(kind, lanes);
        Ok(self.builtin("intel_sub_group_block_read", Operation::BlockRead, place, ty, span))
    }

    fn block_write(
        &mut self,
        values: &[Expr],
        (kind, lanes): (ScalarKind, u32),
        span: Span,
    ) -> Result<Expr, String> {
        let mut arguments = self.block_place(values, kind, true)?;
        let ty = self.types.vector(kind, lanes);
        let data = values.last().expect("counted");
        let from = self.types.as_arithmetic(data.ty);
        if from.is_none_or(|(from, width)| width != 1 && (from, width) != (kind, lanes)) {
            return Err(format!("expected a value of type '{}'", arithmetic_text(kind, lanes)));
        }
        arguments.push(self.convert_arithmetic(data.clone(), ty));
        let void = self.types.void();
        Ok(self.builtin("intel_sub_group_block_write", Operation::BlockWrite, arguments, void, span))
    }

    /// The pointer to a half-precision vector in memory, which starts at `index × stride` elements.
    fn half_pointer(&mut self, pointer: &Expr, index: Expr, stride: u32, span: Span) -> Result<Expr, String> {
        let (kind, ..) = self.pointed(pointer)?;
        if kind != ScalarKind::Half {
            return Err("expected a pointer to 'half'".to_owned());
        }
        let size = self.size_type();
        let stride = self.integer_literal(i128::from(stride), size, span);
        let product = ExprKind::Arithmetic {
            op: crate::hir::ArithmeticOp::Mul,
            left: Box::new(index),
            right: Box::new(stride),
        };
        let index = Expr { kind: product, ty: size, span };
        self.pointer_add(pointer.clone(), index, false, span).ok_or_else(|| "half has no size".to_owned())
    }

    /// `vload_half<n>`: loads as half precision and converts, which is exact.
    fn half_load(&mut self, values: &[Expr], lanes: u32, stride: u32, span: Span) -> Result<Expr, String> {
        let index = self.offset(&values[0])?;
        let pointer = self.half_pointer(&values[1], index, stride, span)?;
        let half = self.types.vector(ScalarKind::Half, lanes);
        let loaded = self.load_lanes(pointer, half, lanes, span);
        let float = self.types.vector(ScalarKind::Float, lanes);
        Ok(self.convert(loaded, Conversion::Arithmetic, float))
    }

    fn load_lanes(&mut self, pointer: Expr, ty: TypeId, lanes: u32, span: Span) -> Expr {
        if lanes == 1 {
            let (target, space) = self.types.pointee(pointer.ty).expect("a pointer");
            let place = self.place(PlaceKind::Deref(Box::new(pointer)), target, space, span);
            return Expr { kind: ExprKind::Load(place), ty, span };
        }
        let size = self.size_type();
        let zero = self.integer_literal(0, size, span);
        self.builtin("vload", Operation::VectorLoad, vec![zero, pointer], ty, span)
    }

    /// `vstore_half<n>`: converts with the rounding given in the name, and stores.
    fn half_store(
        &mut self,
        values: &[Expr],
        lanes: u32,
        stride: u32,
        rounding: Option<RoundingMode>,
        span: Span,
    ) -> Result<Expr, String> {
        let index = self.offset(&values[1])?;
        let (_, target, space) = self.pointed(&values[2])?;
        self.writable(target, space)?;
        let pointer = self.half_pointer(&values[2], index, stride, span)?;
        let value = match self.types.as_arithmetic(values[0].ty) {
            Some((ScalarKind::Float | ScalarKind::Double, width)) if width == lanes => values[0].clone(),
            Some((_, 1)) => {
                let float = self.types.vector(ScalarKind::Float, lanes);
                self.convert_arithmetic(values[0].clone(), float)
            }
            _ => {
                return Err(format!(
                    "expected a value of type '{}'",
                    arithmetic_text(ScalarKind::Float, lanes)
                ));
            }
        };
        let half = self.types.vector(ScalarKind::Half, lanes);
        let operation = Operation::Convert { saturating: false, rounding };
        let value = self.builtin("convert", operation, vec![value], half, span);
        let void = self.types.void();
        if lanes == 1 {
            let target = self.place(PlaceKind::Deref(Box::new(pointer)), target, space, span);
            let assign = Expr { kind: ExprKind::Assign { target, value: Box::new(value) }, ty: half, span };
            return Ok(self.convert(assign, Conversion::Discard, void));
        }
        let size = self.size_type();
        let zero = self.integer_literal(0, size, span);
        let operation = Operation::VectorStore;
        Ok(self.builtin("vstore", operation, vec![value, zero, pointer], void, span))
    }

    fn shuffle(&mut self, values: &[Expr], two: bool, span: Span) -> Result<Expr, String> {
        let mask = values.last().expect("counted");
        let expected = || {
            "expected vectors of 2, 4, 8 or 16 elements and a mask of unsigned integers of the same size"
                .to_owned()
        };
        let (kind, lanes) = self.types.as_vector(values[0].ty).ok_or_else(expected)?;
        let (mask_kind, mask_lanes) = self.types.as_vector(mask.ty).ok_or_else(expected)?;
        let matching = mask_kind == ScalarKind::integer(kind.size(), false) && lanes != 3 && mask_lanes != 3;
        if !matching || (two && values[1].ty != values[0].ty) {
            return Err(expected());
        }
        let ty = self.types.vector(kind, mask_lanes);
        Ok(self.builtin("shuffle", Operation::Shuffle, values.to_vec(), ty, span))
    }
}
