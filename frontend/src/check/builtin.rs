//! Calls of built-in functions: the version and feature checks for every function, and the functions with
//! signatures, whose arguments are converted to the chosen overload.
//!
//! Not here: the other strategies, which have a file each ([`Strategy`] names them).

use super::Checker;
use crate::Span;
use crate::ast::{self, Name};
use crate::builtins::{Argument, Builtin, Lowering, Mismatch, Parameter, Resolution, Row, Strategy};
use crate::diagnostic::Diagnostic;
use crate::hir::{BuiltinCall, Constant, Expr, ExprKind, Operation};
use crate::types::{ScalarKind, TypeId};
use clvk_interface::ImageQuery;
use clvk_ir::ImageOp;
use smallvec::SmallVec;

/// Rows with a name, among which a call can choose.
type Candidates = SmallVec<[&'static Row; 4]>;

impl Checker<'_> {
    pub(super) fn call_builtin(
        &mut self,
        name: Name,
        builtin: Builtin,
        arguments: &[ast::Expr],
        span: Span,
    ) -> Expr {
        let Some(values) = self.values(arguments) else {
            // Whether there is such a function does not depend on its arguments.
            self.demand(name, builtin.rows);
            return self.error_value(span);
        };
        self.call_found(name, builtin, values, span)
    }

    /// A call of a built-in function, if the language version and the device have it.
    pub(super) fn call_found(&mut self, name: Name, builtin: Builtin, values: Vec<Expr>, span: Span) -> Expr {
        let Some(rows) = self.demand(name, builtin.rows) else { return self.error_value(span) };
        let given: SmallVec<[TypeId; 8]> = values.iter().map(|value| value.ty).collect();
        let before = self.diagnostics.list().len();
        let call = match builtin.strategy {
            Strategy::Overloads(..) => Ok(self.call_among(name, &rows, values, span)),
            Strategy::Family(family) => self.call_family(family, &values, span),
            Strategy::Print => Ok(self.print_call(values, span)),
            Strategy::Pipe(function) => self.call_pipe(name, function, &values, span),
            Strategy::AsyncCopy(what) => self.call_async_copy(what, values, span),
            Strategy::Synchronization(what) => self.call_synchronization(name, what, values, span),
            Strategy::Enqueue(what) => self.call_enqueue(what, values, span),
            Strategy::Matrix(function) => self.call_matrix(function, values, span),
            Strategy::Unsupported => {
                let message = format!("the built-in function '{}' is not supported", self.text(name.symbol));
                self.error(name.span, message);
                Err(String::new())
            }
            Strategy::Pattern(_) => unreachable!("`lookup` makes a member of the family"),
        };
        call.unwrap_or_else(|expected| {
            if self.diagnostics.list().len() == before {
                self.report_unexpected(name, &given, expected);
            }
            self.error_value(span)
        })
    }

    /// A call of one of some rows, without checking the language version and the device.
    pub(super) fn call_among(
        &mut self,
        name: Name,
        available: &[&'static Row],
        values: Vec<Expr>,
        span: Span,
    ) -> Expr {
        let shapes: Vec<Argument> = values.iter().map(|value| Argument::of(&self.types, value.ty)).collect();
        match self.resolver(&shapes).resolve(available, &shapes).or_else(|mismatch| {
            // Overloads of features that the device does not offer.
            self.resolve_deferred(name, &shapes).ok_or(mismatch)
        }) {
            Ok(resolution) => self.resolved(&resolution, values, span),
            Err(Mismatch::NoMatch) if self.report_lacking_overload(name, &shapes) => self.error_value(span),
            Err(mismatch) => {
                self.report_mismatch(name, available, &mismatch, &values);
                self.error_value(span)
            }
        }
    }

    /// The rows that the language version and the device have.
    pub(super) fn available(&self, rows: &'static [Row]) -> Candidates {
        let (version, features) = (self.options.version, self.features());
        let has = |row: &&Row| row.since <= version && row.needs.without(features).is_empty();
        rows.iter().filter(has).filter(|row| self.is_of_language(row)).collect()
    }

    /// Whether a row is not one of another language.
    fn is_of_language(&self, row: &Row) -> bool {
        !row.is_of_opencl_cxx || self.options.is_opencl_cxx()
    }

    /// The rows that the language version and the device have; an error if they have none.
    fn demand(&mut self, name: Name, rows: &'static [Row]) -> Option<Candidates> {
        let available = self.available(rows);
        if !available.is_empty() {
            return Some(available);
        }
        let first = rows.iter().map(|row| row.since).min().expect("a name has rows");
        let what = format!("the built-in function '{}'", self.text(name.symbol));
        if self.demand_version(name.span, &what, first) {
            let in_version = rows.iter().find(|row| row.since <= self.options.version);
            let missing = in_version.expect("there is one").needs.without(self.features());
            if self.report_lacking(name, missing.iter().next().expect("a feature is missing")) {
                return Some(self.of_version(rows));
            }
        }
        None
    }

    /// The rows that the language version has, whatever the device has.
    fn of_version(&self, rows: &'static [Row]) -> Candidates {
        rows.iter().filter(|row| row.since <= self.options.version && self.is_of_language(row)).collect()
    }

    /// The overload that the device could have, where the judgement of features is deferred.
    fn resolve_deferred(&mut self, name: Name, shapes: &[Argument]) -> Option<Resolution> {
        if !self.options.defers_features {
            return None;
        }
        let rows = self.of_version(crate::builtins::lookup(self.text(name.symbol))?.rows);
        let resolution = self.resolver(shapes).resolve(&rows, shapes).ok()?;
        let missing = resolution.row.needs.without(self.features());
        let feature = missing.iter().next()?;
        self.report_lacking(name, feature).then_some(resolution)
    }

    /// Reports a call that would be right in a newer version, or on a device with another feature; false if
    /// it would not.
    fn report_lacking_overload(&mut self, name: Name, shapes: &[Argument]) -> bool {
        let Some(builtin) = crate::builtins::lookup(self.text(name.symbol)) else { return false };
        let rows: Candidates = builtin.rows.iter().collect();
        let Ok(resolution) = self.resolver(shapes).resolve(&rows, shapes) else { return false };
        let row = resolution.row;
        let what = format!("the built-in function '{}' with these arguments", self.text(name.symbol));
        if self.demand_version(name.span, &what, row.since)
            && let Some(feature) = row.needs.without(self.features()).iter().next()
        {
            self.report_lacking_of(name.span, &what, feature);
        }
        true
    }

    /// Reports a call with arguments that the function does not accept.
    fn report_unexpected(&mut self, name: Name, given: &[TypeId], expected: String) {
        let message = format!("no matching function for call to '{}'", self.text(name.symbol));
        let given = self.given_text(given.iter().copied());
        self.report(Diagnostic::error(name.span, message).note(given).note(expected));
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
        let lowering = relaxed.unwrap_or(resolution.lowering);
        if let Lowering::Image(_) | Lowering::ImageLibrary(_) = lowering {
            self.shrink_coordinates(&resolution.params, &mut arguments);
        }
        let call = self.builtin(row.name, Operation::Row(lowering), arguments, result, span);
        if lowering == Lowering::Image(ImageOp::Query(ImageQuery::ArraySize)) {
            let size = self.size_type();
            return self.convert_arithmetic(call, size);
        }
        call
    }

    pub(super) fn builtin(
        &self,
        name: &'static str,
        operation: Operation,
        arguments: Vec<Expr>,
        ty: TypeId,
        span: Span,
    ) -> Expr {
        Expr { kind: ExprKind::Builtin(Box::new(BuiltinCall { name, operation, arguments })), ty, span }
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

    /// Images with three coordinates take vectors of four, whose last component is ignored (OpenCL C
    /// §6.15.15).
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
