//! Functions with the attribute `overloadable`: overload resolution, and their names in the module.
//!
//! The rules are those of C++, as far as C has the conversions ([over.match]). Each argument's conversion has
//! a rank. The call selects the function whose conversions are all at least as good as those of any other
//! function, with one of them better.

use super::Checker;
use super::conversion::promoted;
use crate::Span;
use crate::ast::{self, Name};
use crate::builtins;
use crate::diagnostic::Diagnostic;
use crate::hir::{Expr, FunctionId};
use crate::types::{QualifiedType, ScalarKind, TypeId, TypeKind};
use clvk_ir::AddressSpace;
use std::fmt::Write as _;

/// Candidates that a message lists.
const LISTED: usize = 8;

/// How well an argument fits a parameter; lower is better. The number of a pointer conversion counts what it
/// widens: qualifiers and the generic address space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    Exact(u32),
    Promotion,
    Conversion(u32),
    /// A scalar to each lane of a vector.
    Widening,
    /// Allowed in C but not in C++; gives a warning.
    Doubtful,
}

impl Checker<'_> {
    /// A call of a name with overloadable functions; built-in functions of that name take part.
    pub(super) fn call_overloaded(
        &mut self,
        name: Name,
        candidates: &[FunctionId],
        arguments: &[ast::Expr],
        span: Span,
    ) -> Expr {
        let Some(values) = self.values(arguments) else { return self.error_value(span) };
        let viable: Vec<(FunctionId, Vec<Fit>)> = candidates
            .iter()
            .filter_map(|&id| {
                let fits = self.fits(&self.function_infos[id.0 as usize].params, &values)?;
                Some((id, fits))
            })
            .collect();
        // If one candidate is better than all others, no other is better than it, so one pass finds it.
        let best = viable.iter().reduce(|best, next| if is_better(&next.1, &best.1) { next } else { best });
        let best = best
            .filter(|(id, fits)| viable.iter().all(|(other, theirs)| id == other || is_better(fits, theirs)));
        let is_close = |fits: &[Fit]| fits.iter().all(|fit| *fit <= Fit::Promotion);
        if let Some((id, fits)) = best
            && (is_close(fits) || !self.builtin_takes(name, &values))
        {
            return self.call_with(*id, values, span);
        }
        if self.builtin_takes(name, &values)
            && let Some(builtin) = builtins::lookup(self.text(name.symbol))
        {
            return self.call_found(name, builtin, values, span);
        }
        let text = self.owned(name.symbol);
        let given: Vec<String> = values.iter().map(|value| self.type_text(value.ty)).collect();
        let (message, listed) = match viable.is_empty() {
            true => (format!("no matching function for call to '{text}'"), candidates.to_vec()),
            false => (format!("call to '{text}' is ambiguous"), viable.iter().map(|(id, _)| *id).collect()),
        };
        let mut diagnostic =
            Diagnostic::error(span, message).note(format!("the arguments are ({})", given.join(", ")));
        for id in listed.into_iter().take(LISTED) {
            let declared = self.function_infos[id.0 as usize].span;
            diagnostic = diagnostic.related(declared, self.candidate_remark(id, &values, &given));
        }
        self.report(diagnostic);
        self.error_value(span)
    }

    /// Whether a built-in function of this name has a signature that takes these arguments.
    pub(super) fn builtin_takes(&self, name: Name, values: &[Expr]) -> bool {
        let Some(builtin) = builtins::lookup(self.text(name.symbol)) else { return false };
        let shapes: Vec<builtins::Argument> =
            values.iter().map(|value| builtins::Argument::of(&self.types, value.ty)).collect();
        let rows = self.available(builtin.rows);
        let resolver = self.resolver_with(self.options.features);
        resolver.resolve(&rows, &shapes).is_ok()
    }

    fn candidate_remark(&self, id: FunctionId, values: &[Expr], given: &[String]) -> String {
        let params = &self.function_infos[id.0 as usize].params;
        if params.len() != values.len() {
            let plural = if params.len() == 1 { "" } else { "s" };
            let count = params.len();
            return format!(
                "candidate function not viable: requires {count} argument{plural}, {} given",
                values.len()
            );
        }
        let misfit = (0..params.len()).find(|&index| self.fit(&values[index], params[index]).is_none());
        match misfit {
            Some(index) => format!(
                "candidate function not viable: no known conversion from '{}' to '{}' for argument {}",
                given[index],
                self.type_text(params[index]),
                index + 1
            ),
            None => "candidate function".to_owned(),
        }
    }

    fn fits(&self, params: &[TypeId], values: &[Expr]) -> Option<Vec<Fit>> {
        if params.len() != values.len() {
            return None;
        }
        values.iter().zip(params).map(|(value, param)| self.fit(value, *param)).collect()
    }

    /// How well a value fits a parameter; `None` if it does not.
    fn fit(&self, value: &Expr, param: TypeId) -> Option<Fit> {
        if value.ty == param || self.types.is_error(param) {
            return Some(Fit::Exact(0));
        }
        if let (Some((from, lanes)), Some((to, wanted))) =
            (self.types.as_arithmetic(value.ty), self.types.as_arithmetic(param))
        {
            return match (lanes, wanted) {
                (1, 1) if is_promotion(from, to) => Some(Fit::Promotion),
                (1, 1) => Some(Fit::Conversion(0)),
                (1, _) => Some(Fit::Widening),
                _ => None,
            };
        }
        match (self.types.kind(param), self.types.kind(value.ty)) {
            (TypeKind::Pointer { .. } | TypeKind::Event | TypeKind::Opaque(_), _)
                if self.is_null_constant(value) =>
            {
                Some(Fit::Conversion(0))
            }
            (&TypeKind::Pointer { pointee: to, space: to_space }, &TypeKind::Pointer { pointee, space }) => {
                self.fit_of_pointers((pointee, space), (to, to_space))
            }
            (TypeKind::Scalar(ScalarKind::Bool), TypeKind::Pointer { .. }) => Some(Fit::Conversion(0)),
            (TypeKind::Sampler, TypeKind::Scalar(kind)) if kind.is_integer() => Some(Fit::Conversion(0)),
            _ => None,
        }
    }

    fn fit_of_pointers(
        &self,
        (from, from_space): (QualifiedType, AddressSpace),
        (to, to_space): (QualifiedType, AddressSpace),
    ) -> Option<Fit> {
        let widens = to_space == AddressSpace::Generic && from_space != AddressSpace::Constant;
        if from_space != to_space && !widens {
            return None;
        }
        let added = |has: bool, had: bool| u32::from(has && !had);
        let (has, had) = (to.qualifiers, from.qualifiers);
        let width = added(has.is_const, had.is_const)
            + added(has.is_volatile, had.is_volatile)
            + 4 * u32::from(from_space != to_space);
        Some(match () {
            () if !had.fits_in(has) => Fit::Doubtful,
            () if from.ty == to.ty => Fit::Exact(width),
            () if self.types.is_void(to.ty) => Fit::Conversion(width),
            () => Fit::Doubtful,
        })
    }

    /// The name of an overloadable function in the module, unique in the program. It is the source name with
    /// the types of the parameters, encoded as in the Itanium C++ ABI but without its abbreviations.
    pub(super) fn mangled_name(&mut self, name: &str, params: &[TypeId]) -> String {
        let mut text = format!("_Z{}{name}", name.len());
        for param in params {
            self.mangle(*param, &mut text);
        }
        if params.is_empty() {
            text.push('v');
        }
        self.unique_name(text)
    }

    fn mangle(&self, ty: TypeId, text: &mut String) {
        let mut named = |prefix: &str, name: &str| {
            let _ = write!(text, "{prefix}{}{name}", name.len());
        };
        match self.types.kind(ty) {
            TypeKind::Scalar(kind) => text.push_str(scalar_code(*kind)),
            TypeKind::Vector(kind, lanes) => {
                let _ = write!(text, "Dv{lanes}_{}", scalar_code(*kind));
            }
            TypeKind::Pointer { pointee, space } => {
                text.push('P');
                match space {
                    AddressSpace::Private => {}
                    AddressSpace::Global => text.push_str("U3AS1"),
                    AddressSpace::Constant => text.push_str("U3AS2"),
                    AddressSpace::Local => text.push_str("U3AS3"),
                    AddressSpace::Generic => text.push_str("U3AS4"),
                }
                if pointee.qualifiers.is_volatile {
                    text.push('V');
                }
                if pointee.qualifiers.is_const {
                    text.push('K');
                }
                self.mangle(pointee.ty, text);
            }
            TypeKind::Array { element, length } => {
                let _ = write!(text, "A{}_", length.unwrap_or(0));
                self.mangle(element.ty, text);
            }
            TypeKind::Image(image) => {
                let access = match (image.readable, image.writable) {
                    (true, true) => "rw",
                    (false, _) => "wo",
                    _ => "ro",
                };
                let shape = image.dimension.name().replace('_', "");
                named("", &format!("ocl_image{shape}_{access}"));
            }
            TypeKind::Sampler => named("", "ocl_sampler"),
            TypeKind::Event => named("", "ocl_event"),
            TypeKind::Void => text.push('v'),
            // The encoding cannot express everything in a type, so the name is made unique.
            _ => {
                let spelled: String = self
                    .type_text(ty)
                    .chars()
                    .filter(|it| it.is_ascii_alphanumeric() || *it == '_')
                    .collect();
                named("", &spelled);
            }
        }
    }

    /// A name, with a number after it if the name is taken.
    pub(super) fn unique_name(&mut self, name: String) -> String {
        let count = self.global_names.entry(name.clone()).or_insert(0);
        *count += 1;
        if *count == 1 { name } else { format!("{name}.{count}") }
    }
}

/// Whether one list of conversions is better than another.
fn is_better(fits: &[Fit], others: &[Fit]) -> bool {
    let pairs = || fits.iter().zip(others);
    pairs().all(|(fit, other)| fit <= other) && pairs().any(|(fit, other)| fit < other)
}

/// C++ promotions: small integers to `int`, `half` to `float`, `float` to `double`.
fn is_promotion(from: ScalarKind, to: ScalarKind) -> bool {
    let integer = from.is_integer() && promoted(from) == to;
    integer
        || matches!(
            (from, to),
            (ScalarKind::Half, ScalarKind::Float) | (ScalarKind::Float, ScalarKind::Double)
        )
}

fn scalar_code(kind: ScalarKind) -> &'static str {
    match kind {
        ScalarKind::Bool => "b",
        ScalarKind::Char => "c",
        ScalarKind::UChar => "h",
        ScalarKind::Short => "s",
        ScalarKind::UShort => "t",
        ScalarKind::Int => "i",
        ScalarKind::UInt => "j",
        ScalarKind::Long => "l",
        ScalarKind::ULong => "m",
        ScalarKind::Half => "Dh",
        ScalarKind::Float => "f",
        ScalarKind::Double => "d",
    }
}
