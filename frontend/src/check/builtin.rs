//! Calls of built-in functions: arguments converted to the overload that is chosen, and what is composed of simpler
//! operations already here.

use super::Checker;
use crate::Span;
use crate::ast::{self, Name};
use crate::builtins::{
    Argument, BuiltinCall, Family, Found, ImageUse, Lowering, Mismatch, Parameter, Resolution, Resolver, Row,
    Signature, Special, Term, coordinate_lanes,
};
use crate::diagnostic::Diagnostic;
use crate::hir::{Constant, Conversion, Expr, ExprKind, PlaceKind};
use crate::types::{QualifiedType, ScalarKind, TypeId};
use clvk_ir::{AddressSpace, ImageDimension, ImageOp, RoundingMode};

/// Candidates that a message lists.
const LISTED: usize = 8;

impl Checker<'_> {
    pub(super) fn call_builtin(
        &mut self,
        name: Name,
        found: Found,
        arguments: &[ast::Expr],
        span: Span,
    ) -> Expr {
        let values: Vec<Expr> = arguments.iter().map(|argument| self.value(argument)).collect();
        let text = self.owned(name.symbol);
        if let Found::Unsupported = found {
            self.error(name.span, format!("the built-in function '{text}' is not supported"));
            return self.error_value(span);
        }
        if values.iter().any(|value| self.types.is_error(value.ty)) {
            return self.error_value(span);
        }
        match found {
            Found::Rows(rows) => self.call_rows(name, rows, values, span),
            Found::Family(family) => self.call_family(&text, family, values, span),
            Found::Unsupported => panic!("handled above"),
        }
    }

    pub(super) fn call_rows(
        &mut self,
        name: Name,
        rows: &'static [&'static Row],
        values: Vec<Expr>,
        span: Span,
    ) -> Expr {
        match self.available(name, rows) {
            Some(available) => self.call_among(name, &available, values, span),
            None => self.error_value(span),
        }
    }

    /// A call of one of some rows, whatever the language version and the device have.
    pub(super) fn call_among(
        &mut self,
        name: Name,
        available: &[&'static Row],
        values: Vec<Expr>,
        span: Span,
    ) -> Expr {
        let shapes: Vec<Argument> = values.iter().map(|value| Argument::of(&self.types, value.ty)).collect();
        let resolver = Resolver { features: self.options.features };
        match resolver.resolve(available, &shapes) {
            Ok(resolution) => self.resolved(&resolution, values, span),
            Err(mismatch) => {
                self.report_mismatch(name, available, &mismatch, &values, span);
                self.error_value(span)
            }
        }
    }

    /// The rows that the language version and the device have; an error if they have none.
    fn available(&mut self, name: Name, rows: &'static [&'static Row]) -> Option<Vec<&'static Row>> {
        let in_version: Vec<&Row> =
            rows.iter().copied().filter(|row| row.since <= self.options.version).collect();
        let text = self.owned(name.symbol);
        if in_version.is_empty() {
            let version = rows.iter().map(|row| row.since).min().expect("a name has rows").number();
            let message = format!(
                "the built-in function '{text}' requires OpenCL C {}.{} or newer",
                version / 100,
                version % 100 / 10
            );
            let option = format!("choose it with -cl-std=CL{}.{}", version / 100, version % 100 / 10);
            self.report(Diagnostic::error(name.span, message).note(option));
            return None;
        }
        let offered: Vec<&Row> = in_version
            .iter()
            .copied()
            .filter(|row| row.feature.is_none_or(|feature| self.has(feature)))
            .collect();
        if offered.is_empty() {
            let feature = in_version.iter().find_map(|row| row.feature).expect("a feature is missing").name();
            let message =
                format!("the built-in function '{text}' requires {feature}, which the device does not offer");
            self.error(name.span, message);
            return None;
        }
        Some(offered)
    }

    fn report_mismatch(
        &mut self,
        name: Name,
        rows: &[&'static Row],
        mismatch: &Mismatch,
        values: &[Expr],
        span: Span,
    ) {
        let text = self.owned(name.symbol);
        let given: Vec<String> = values.iter().map(|value| self.type_text(value.ty)).collect();
        let given = given.join(", ");
        match mismatch {
            Mismatch::Ambiguous(candidates) => {
                let mut diagnostic = Diagnostic::error(span, format!("call to '{text}' is ambiguous"))
                    .note(format!("the arguments are ({given})"));
                for candidate in candidates.iter().take(LISTED) {
                    diagnostic = diagnostic.note(format!("candidate: {}", self.candidate_text(candidate)));
                }
                diagnostic = diagnostic.note("cast the arguments to the type that is meant");
                self.report(diagnostic);
            }
            Mismatch::NoMatch => {
                let mut diagnostic =
                    Diagnostic::error(span, format!("no matching function for call to '{text}'"))
                        .note(format!("the arguments are ({given})"));
                let lines = self.candidate_lines(rows, values);
                let left_out = lines.len().saturating_sub(LISTED);
                for line in lines.into_iter().take(LISTED) {
                    diagnostic = diagnostic.note(line);
                }
                if left_out > 0 {
                    diagnostic = diagnostic.note(format!("and {left_out} more candidates"));
                }
                self.report(diagnostic);
            }
        }
    }

    /// The candidates with why each does not take the arguments.
    fn candidate_lines(&self, rows: &[&'static Row], values: &[Expr]) -> Vec<String> {
        let shapes: Vec<Argument> = values.iter().map(|value| Argument::of(&self.types, value.ty)).collect();
        let given: Vec<String> = values.iter().map(|value| self.type_text(value.ty)).collect();
        let resolver = Resolver { features: self.options.features };
        let mut candidates: Vec<(&str, &Signature)> = rows
            .iter()
            .flat_map(|row| row.signatures.iter().map(|signature| (row.name, signature)))
            .collect();
        // The nearest first: that take as many arguments, an image of the same kind, and fit furthest.
        candidates.sort_by_key(|(_, signature)| {
            let fits = signature.params.len() == shapes.len();
            let misfit = if fits { resolver.misfit(signature, &shapes) } else { Some(0) };
            let same_image = match (signature.params.first(), shapes.first()) {
                (Some(Term::Image(wanted, _)), Some(Argument::Image(given))) => *wanted == given.dimension,
                _ => true,
            };
            (!fits, !same_image, std::cmp::Reverse(misfit.unwrap_or(usize::MAX)))
        });
        let line = |(name, signature): (&str, &Signature)| {
            let why = misfit_text(resolver, signature, &shapes, &given);
            format!("candidate: {}: {why}", signature_text(name, signature))
        };
        candidates.into_iter().map(line).collect()
    }

    fn candidate_text(&mut self, candidate: &Resolution) -> String {
        let result = match candidate.result {
            Some((kind, lanes)) => arithmetic_text(kind, lanes),
            None => "void".to_owned(),
        };
        let params: Vec<String> = candidate
            .params
            .iter()
            .map(|param| match param {
                Parameter::Arithmetic { kind, lanes, .. } => arithmetic_text(*kind, *lanes),
                Parameter::Pointer { kind, lanes, .. } => format!("{} *", arithmetic_text(*kind, *lanes)),
                Parameter::Image(dimension, _) => format!("{dimension:?} image"),
                Parameter::Sampler => "sampler_t".to_owned(),
            })
            .collect();
        format!("{result} {}({})", candidate.row.name, params.join(", "))
    }

    /// The call of a chosen overload.
    fn resolved(&mut self, resolution: &Resolution, values: Vec<Expr>, span: Span) -> Expr {
        let result = match resolution.result {
            Some((kind, lanes)) => self.types.vector(kind, lanes),
            None => self.types.void(),
        };
        let mut arguments: Vec<Expr> = values
            .into_iter()
            .zip(&resolution.params)
            .map(|(value, param)| self.argument(value, *param))
            .collect();
        let lowering = resolution.row.lowering;
        if let Lowering::Image(_) = lowering {
            self.shrink_coordinates(&resolution.params, &mut arguments);
        }
        if let Lowering::Special(Special::Barrier | Special::MemFence) = lowering {
            return self.fence_call(resolution.row.name, lowering, arguments, result, span);
        }
        let call = self.builtin(resolution.row.name, lowering, arguments, result, span);
        if lowering == Lowering::Image(ImageOp::ArraySize) {
            let size = self.size_type();
            return self.convert_arithmetic(call, size);
        }
        call
    }

    fn builtin(
        &self,
        name: &'static str,
        lowering: Lowering,
        arguments: Vec<Expr>,
        ty: TypeId,
        span: Span,
    ) -> Expr {
        Expr { kind: ExprKind::Builtin(Box::new(BuiltinCall { name, lowering, arguments })), ty, span }
    }

    fn argument(&mut self, value: Expr, param: Parameter) -> Expr {
        match param {
            Parameter::Arithmetic { kind, lanes, widened } => {
                let ty = self.types.vector(kind, lanes);
                let value = self.convert_arithmetic(value, ty);
                let widened = self.types.vector(kind, widened);
                self.convert_arithmetic(value, widened)
            }
            Parameter::Sampler if self.types.as_scalar(value.ty).is_some() => self.sampler_of_integer(&value),
            Parameter::Pointer { .. } | Parameter::Image(..) | Parameter::Sampler => value,
        }
    }

    /// Images of three coordinates take vectors of four, of which the last does not count (OpenCL C §6.15.15).
    fn shrink_coordinates(&mut self, params: &[Parameter], arguments: &mut [Expr]) {
        let Some(Parameter::Image(ImageDimension::D2Array | ImageDimension::D3, _)) = params.first() else {
            return;
        };
        let is_write = params.len() == 3 && !matches!(params[1], Parameter::Sampler);
        let index = if is_write { 1 } else { params.len() - 1 };
        if index == 0 {
            return;
        }
        let argument = &mut arguments[index];
        let (kind, lanes) = self.types.as_arithmetic(argument.ty).expect("coordinates");
        assert_eq!(lanes, 4, "coordinates of three dimensions are vectors of four");
        let ty = self.types.vector(kind, 3);
        let span = argument.span;
        let vector = Box::new(std::mem::replace(
            argument,
            Expr { kind: ExprKind::Constant(Constant::Bits(0)), ty, span },
        ));
        argument.kind = ExprKind::Swizzle { vector, lanes: vec![0, 1, 2] };
    }

    /// Barriers and fences: the flags are a constant. Flags that are none are evaluated, and the fence is for all memory.
    fn fence_call(
        &mut self,
        name: &'static str,
        lowering: Lowering,
        mut arguments: Vec<Expr>,
        result: TypeId,
        span: Span,
    ) -> Expr {
        let flags = arguments.remove(0);
        let (ty, at) = (flags.ty, flags.span);
        let constant = self.integer_of(&flags);
        let flags_constant = self.integer_literal(constant.unwrap_or(7), ty, at);
        let call = self.builtin(name, lowering, vec![flags_constant], result, span);
        match constant {
            Some(_) => call,
            None => Expr { kind: ExprKind::Comma(Box::new(flags), Box::new(call)), ty: result, span },
        }
    }

    fn call_family(&mut self, text: &str, family: Family, values: Vec<Expr>, span: Span) -> Expr {
        let wanted = match family {
            Family::Convert { .. }
            | Family::Reinterpret { .. }
            | Family::ToSpace { .. }
            | Family::GetFence => 1,
            Family::Load { .. } | Family::LoadHalf { .. } | Family::Shuffle { two: false } => 2,
            Family::Store { .. } | Family::StoreHalf { .. } | Family::Shuffle { two: true } => 3,
        };
        if values.len() != wanted {
            let which = if values.len() < wanted { "few" } else { "many" };
            let message =
                format!("too {which} arguments to function call, expected {wanted}, have {}", values.len());
            self.error(span, message);
            return self.error_value(span);
        }
        let result = match family {
            Family::Convert { kind, lanes, saturating, rounding } => {
                self.convert_call(&values[0], (kind, lanes), saturating, rounding, span)
            }
            Family::Reinterpret { kind, lanes } => self.reinterpret_call(&values[0], (kind, lanes), span),
            Family::Load { lanes } => self.vector_load(&values, lanes, span),
            Family::Store { lanes } => self.vector_store(&values, lanes, span),
            Family::LoadHalf { lanes, stride } => self.half_load(&values, lanes, stride, span),
            Family::StoreHalf { lanes, stride, rounding } => {
                self.half_store(&values, lanes, stride, rounding, span)
            }
            Family::Shuffle { two } => self.shuffle(&values, two, span),
            Family::ToSpace { space } => self.space_call(&values[0], Some(space), span),
            Family::GetFence => self.space_call(&values[0], None, span),
        };
        result.unwrap_or_else(|expected| {
            let given: Vec<String> = values.iter().map(|value| self.type_text(value.ty)).collect();
            self.report(
                Diagnostic::error(span, format!("no matching function for call to '{text}'"))
                    .note(format!("the arguments are ({})", given.join(", ")))
                    .note(expected),
            );
            self.error_value(span)
        })
    }

    /// Whether values of this kind exist on the device; otherwise what to say.
    fn demand(&self, kind: ScalarKind) -> Result<(), String> {
        if (Resolver { features: self.options.features }).has(kind) {
            return Ok(());
        }
        let extension = if kind == ScalarKind::Half { "cl_khr_fp16" } else { "cl_khr_fp64" };
        Err(format!("the type '{}' requires {extension} support", kind.name()))
    }

    /// `to_global` and its kind for a destination, `get_fence` without one.
    fn space_call(&mut self, value: &Expr, to: Option<AddressSpace>, span: Span) -> Result<Expr, String> {
        if !self.has_generic() {
            return Err(
                "the generic address space requires OpenCL C 2.0 (-cl-std=CL2.0), or 3.0 with the feature \
                        __opencl_c_generic_address_space"
                    .to_owned(),
            );
        }
        let Some((pointee, space)) = self.types.pointee(value.ty) else {
            return Err("expected a pointer to the generic address space".to_owned());
        };
        if space == AddressSpace::Constant {
            return Err("a pointer to the constant address space is never generic".to_owned());
        }
        let generic = self.types.pointer(pointee, AddressSpace::Generic);
        let value = self.convert_pointer(value.clone(), generic);
        let (special, result) = match to {
            Some(space) => (Special::ToSpace, self.types.pointer(pointee, space)),
            None => (Special::GetFence, self.types.scalar(ScalarKind::UInt)),
        };
        Ok(self.builtin("to_global", Lowering::Special(special), vec![value], result, span))
    }

    pub(super) fn convert_call(
        &mut self,
        value: &Expr,
        (kind, lanes): (ScalarKind, u32),
        saturating: bool,
        rounding: Option<RoundingMode>,
        span: Span,
    ) -> Result<Expr, String> {
        self.demand(kind)?;
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
        let lowering = Lowering::Special(Special::Convert { saturating, rounding });
        Ok(self.builtin("convert", lowering, vec![value], ty, span))
    }

    /// A `bool` as `int`, anything else as it is but of a plain scalar type.
    fn promoted_bool(&mut self, value: Expr) -> Expr {
        match self.types.as_scalar(value.ty) {
            Some(ScalarKind::Bool) => self.promote(value),
            Some(kind) => {
                let ty = self.types.scalar(kind);
                self.convert_arithmetic(value, ty)
            }
            None => value,
        }
    }

    pub(super) fn reinterpret_call(
        &mut self,
        value: &Expr,
        (kind, lanes): (ScalarKind, u32),
        span: Span,
    ) -> Result<Expr, String> {
        self.demand(kind)?;
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
            return Err("expected an integer offset".to_owned());
        }
        let size = self.size_type();
        Ok(self.convert_arithmetic(value.clone(), size))
    }

    /// The element that a pointer argument points to, which must be scalar.
    fn pointed(&self, value: &Expr) -> Result<(ScalarKind, QualifiedType, AddressSpace), String> {
        let wrong = || "expected a pointer to a scalar type".to_owned();
        let (target, space) = self.types.pointee(value.ty).ok_or_else(wrong)?;
        match self.types.as_arithmetic(target.ty) {
            Some((kind, 1)) if kind != ScalarKind::Bool => Ok((kind, target, space)),
            _ => Err(wrong()),
        }
    }

    fn writable(&self, target: QualifiedType, space: AddressSpace) -> Result<(), String> {
        if target.qualifiers.is_const || space == AddressSpace::Constant {
            return Err("the pointer is to read-only memory".to_owned());
        }
        Ok(())
    }

    fn vector_load(&mut self, values: &[Expr], lanes: u32, span: Span) -> Result<Expr, String> {
        let offset = self.offset(&values[0])?;
        let (kind, ..) = self.pointed(&values[1])?;
        self.demand(kind)?;
        let ty = self.types.vector(kind, lanes);
        let lowering = Lowering::Special(Special::VectorLoad);
        Ok(self.builtin("vload", lowering, vec![offset, values[1].clone()], ty, span))
    }

    fn vector_store(&mut self, values: &[Expr], lanes: u32, span: Span) -> Result<Expr, String> {
        let offset = self.offset(&values[1])?;
        let (kind, target, space) = self.pointed(&values[2])?;
        self.demand(kind)?;
        self.writable(target, space)?;
        let ty = self.types.vector(kind, lanes);
        let from = self.types.as_arithmetic(values[0].ty);
        if from.is_none_or(|(from, width)| width != 1 && (from, width) != (kind, lanes)) {
            return Err(format!("expected a value of type '{}'", arithmetic_text(kind, lanes)));
        }
        let value = self.convert_arithmetic(values[0].clone(), ty);
        let void = self.types.void();
        let lowering = Lowering::Special(Special::VectorStore);
        Ok(self.builtin("vstore", lowering, vec![value, offset, values[2].clone()], void, span))
    }

    /// Half-precision vectors in memory start at `index × stride` elements: the pointer to them.
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
        self.builtin("vload", Lowering::Special(Special::VectorLoad), vec![zero, pointer], ty, span)
    }

    /// `vstore_half<n>`: converts with the rounding that the name says, and stores.
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
        let lowering = Lowering::Special(Special::Convert { saturating: false, rounding });
        let value = self.builtin("convert", lowering, vec![value], half, span);
        let void = self.types.void();
        if lanes == 1 {
            let target = self.place(PlaceKind::Deref(Box::new(pointer)), target, space, span);
            let assign = Expr { kind: ExprKind::Assign { target, value: Box::new(value) }, ty: half, span };
            return Ok(self.convert(assign, Conversion::Discard, void));
        }
        let size = self.size_type();
        let zero = self.integer_literal(0, size, span);
        let lowering = Lowering::Special(Special::VectorStore);
        Ok(self.builtin("vstore", lowering, vec![value, zero, pointer], void, span))
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
        let (name, special) =
            if two { ("shuffle2", Special::Shuffle2) } else { ("shuffle", Special::Shuffle) };
        Ok(self.builtin(name, Lowering::Special(special), values.to_vec(), ty, span))
    }
}

fn arithmetic_text(kind: ScalarKind, lanes: u32) -> String {
    if lanes == 1 { kind.name().to_owned() } else { format!("{}{lanes}", kind.name()) }
}

/// Why a signature does not take the arguments.
fn misfit_text(resolver: Resolver, signature: &Signature, shapes: &[Argument], given: &[String]) -> String {
    let count = signature.params.len();
    if count != shapes.len() {
        let plural = if count == 1 { "" } else { "s" };
        return format!("takes {count} argument{plural}, {} given", shapes.len());
    }
    match resolver.misfit(signature, shapes) {
        Some(index) => {
            let param = term_text(signature.params[index]);
            format!("argument {} is '{}', not '{param}'", index + 1, given[index])
        }
        None => "the arguments are not of one type".to_owned(),
    }
}

/// A signature in the words of the specification.
fn signature_text(name: &str, signature: &Signature) -> String {
    let params: Vec<String> = signature.params.iter().map(|term| term_text(*term)).collect();
    let result = term_text(signature.result);
    let mut text = format!("{result} {name}({})", params.join(", "));
    if params.iter().chain([&result]).any(|text| text.contains("gentype")) {
        let kinds: Vec<&str> = signature.elements.iter().map(|kind| kind.name()).collect();
        text.push_str(&format!(" with gentype of {}", kinds.join(", ")));
    }
    text
}

fn term_text(term: Term) -> String {
    match term {
        Term::Void => "void".to_owned(),
        Term::Generic => "gentype".to_owned(),
        Term::Element | Term::ElementResult => "sgentype".to_owned(),
        Term::Signed => "igentype".to_owned(),
        Term::Unsigned => "ugentype".to_owned(),
        Term::Wide => "wider gentype".to_owned(),
        Term::Truth => "int or igentype".to_owned(),
        Term::Lanes(kind) => format!("{}n", kind.name()),
        Term::Widened(kind) => kind.name().to_owned(),
        Term::Fixed(kind, lanes) => arithmetic_text(kind, lanes),
        Term::Pointer(_) => "gentype *".to_owned(),
        Term::IntPointer(_) => "intn *".to_owned(),
        Term::Image(dimension, usage) => {
            let image = super::spelling::image_text(dimension);
            match usage {
                ImageUse::Write => format!("write_only {image}"),
                ImageUse::Read | ImageUse::Sample => format!("read_only {image}"),
                ImageUse::Query => image.to_owned(),
            }
        }
        Term::Sampler => "sampler_t".to_owned(),
        Term::Coordinates(kind, dimension) => arithmetic_text(kind, coordinate_lanes(dimension)),
    }
}
