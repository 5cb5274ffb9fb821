//! Calls of built-in functions: arguments converted to the overload that is chosen, and what is composed of simpler
//! operations already here.

use super::Checker;
use crate::Span;
use crate::ast::{self, Name};
use crate::builtins::{Argument, BuiltinCall, Found, Lowering, Parameter, Resolution, Resolver, Row};
use crate::diagnostic::Diagnostic;
use crate::hir::{Constant, Expr, ExprKind};
use crate::options::LanguageVersion;
use crate::types::{ScalarKind, TypeId};
use clvk_interface::{Feature, ImageQuery};
use clvk_ir::ImageOp;

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
        if let Found::Lacking(feature) = found {
            self.report_lacking(name, feature);
            return self.error_value(span);
        }
        if values.iter().any(|value| self.types.is_error(value.ty)) {
            return self.error_value(span);
        }
        match found {
            Found::Rows(rows) => self.call_rows(name, rows, values, span),
            Found::Family(family) => self.call_family(&text, family, values, span),
            Found::AsyncCopy(what) => self.call_async_copy(name, what, values, span),
            Found::Synchronization(what) => self.call_synchronization(name, what, values, span),
            Found::Enqueue(what) => self.call_enqueue(name, what, values, span),
            Found::Unsupported | Found::Lacking(_) => panic!("handled above"),
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
        if in_version.is_empty() {
            let first = rows.iter().map(|row| row.since).min().expect("a name has rows");
            self.demand_version(name, first);
            return None;
        }
        let offered: Vec<&Row> = in_version
            .iter()
            .copied()
            .filter(|row| row.feature.is_none_or(|feature| self.has(feature)))
            .collect();
        if offered.is_empty() {
            let feature = in_version.iter().find_map(|row| row.feature).expect("a feature is missing");
            self.report_lacking(name, feature);
            return None;
        }
        Some(offered)
    }

    /// Whether the language version has a function that came with this one; an error if it has not.
    pub(super) fn demand_version(&mut self, name: Name, first: LanguageVersion) -> bool {
        if self.options.version >= first {
            return true;
        }
        let (text, version) = (self.owned(name.symbol), first.number());
        let message = format!(
            "the built-in function '{text}' requires OpenCL C {}.{} or newer",
            version / 100,
            version % 100 / 10
        );
        let option = format!("choose it with -cl-std=CL{}.{}", version / 100, version % 100 / 10);
        self.report(Diagnostic::error(name.span, message).note(option));
        false
    }

    /// Reports a call whose arguments are not what the function expects.
    pub(super) fn report_unexpected(&mut self, text: &str, given: &[String], expected: String, span: Span) {
        self.report(
            Diagnostic::error(span, format!("no matching function for call to '{text}'"))
                .note(format!("the arguments are ({})", given.join(", ")))
                .note(expected),
        );
    }

    /// Reports the use of a function whose feature the device lacks: which one, how a program can tell, and what there is
    /// instead.
    pub(super) fn report_lacking(&mut self, name: Name, feature: Feature) {
        let (text, macro_name) = (self.owned(name.symbol), feature.name());
        let message =
            format!("the built-in function '{text}' requires {macro_name}, which the device does not offer");
        let mut diagnostic = Diagnostic::error(name.span, message)
            .note(format!("where it does, the macro {macro_name} is defined"));
        if !feature.instead().is_empty() {
            diagnostic = diagnostic.note(format!("without it, {}", feature.instead()));
        }
        self.report(diagnostic);
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
        let row = resolution.row;
        let single = matches!(resolution.result, Some((ScalarKind::Float, _)));
        let relaxed = row.relaxed.filter(|_| self.options.unsafe_math && single);
        let lowering = relaxed.unwrap_or(row.lowering);
        if let Lowering::Image(_) | Lowering::ImageLibrary(_) = lowering {
            self.shrink_coordinates(&resolution.params, &mut arguments);
        }
        let call = self.builtin(resolution.row.name, lowering, arguments, result, span);
        if lowering == Lowering::Image(ImageOp::Query(ImageQuery::ArraySize)) {
            let size = self.size_type();
            return self.convert_arithmetic(call, size);
        }
        call
    }

    pub(super) fn builtin(
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
        let Some(Parameter::Image(dimension, _)) = params.first() else { return };
        if dimension.coordinate_lanes() < 3 {
            return;
        }
        let index = match params.get(1) {
            None => return,
            Some(Parameter::Sampler) => 2,
            Some(_) => 1,
        };
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
}
