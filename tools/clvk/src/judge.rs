//! Which kernels a device cannot run, and why.
//!
//! A kernel is refused for a feature of the language that it uses and the device does not offer (found by the
//! front end and put off until here, see [`Compiler::judging_kernels`]), or by the translator. What exceeds a
//! limit only when it is launched is a warning.

use crate::message::{Messages, Place};
use crate::{Compiler, Error, Object, Program};
use clvk_frontend::{Deferred, Diagnostic, Diagnostics, Severity};
use clvk_interface::{CompiledModule, DeviceProfile, ExceededLimit, Feature, ProgramHook};
use clvk_ir::{Func, Span};
use clvk_translate::TranslateError;
use serde::Serialize;

/// Why a kernel, or a whole program, cannot run on a device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// The kernel; `None` where the program as a whole is at fault.
    pub kernel: Option<String>,
    /// Where in the source, if that is known.
    pub place: Option<Place>,
    /// The feature or limit that the device lacks, as Vulkan or OpenCL C names it, if it has a name.
    pub needs: Option<String>,
    /// What is wrong. Where there is a kernel, a phrase whose subject it is: `computes in double precision`.
    pub text: String,
    /// What the author of the program can do, if there is anything.
    pub remedy: Option<String>,
}

impl Error {
    /// Why the program was refused, in order: each error of its source, or what each kernel needs. Empty
    /// where neither source nor device are at fault.
    #[must_use]
    pub fn reasons(&self) -> Vec<Reason> {
        match self {
            Error::Unsupported { errors, messages } => {
                errors.iter().map(|error| Reason::of(error, messages)).collect()
            }
            Error::Source(messages) | Error::Link(messages) => {
                let errors = messages.list().into_iter().filter(|it| it.severity == Severity::Error);
                let reason = |it: crate::Message| {
                    let remedy = it.notes.first().cloned();
                    Reason { kernel: None, place: it.place, needs: None, text: it.text, remedy }
                };
                errors.map(reason).collect()
            }
            _ => Vec::new(),
        }
    }
}

impl Reason {
    fn of(error: &TranslateError, messages: &Messages) -> Self {
        let substitute = error.needs.and_then(substitute).map(str::to_owned);
        Reason {
            kernel: error.kernel.clone(),
            place: messages.place(error.span),
            needs: error.needs.map(str::to_owned),
            text: error.problem.clone(),
            remedy: error.remedy.clone().or(substitute),
        }
    }
}

/// What a program can use on a device without this feature of Vulkan.
fn substitute(vulkan: &str) -> Option<&'static str> {
    let feature = match vulkan {
        "shaderFloat64" => Feature::Fp64,
        "shaderInt64" | "shaderBufferInt64Atomics" | "shaderSharedInt64Atomics" => Feature::Int64BaseAtomics,
        "shaderStorageImageWriteWithoutFormat" => Feature::Image3dWrites,
        "shaderStorageImageReadWithoutFormat" => Feature::ReadWriteImages,
        "shaderDeviceClock" | "shaderSubgroupClock" => Feature::KernelClock,
        _ => return None,
    };
    Some(feature.instead())
}

/// For whom SPIR-V for OpenCL is written.
pub(crate) const FOR_OPENCL: &str = "for other drivers of OpenCL";

impl Compiler {
    /// Refuses the kernels to be translated that reach a use of a feature which the device does not offer.
    pub(crate) fn refuse_deferred(&self, object: &Object) -> Result<(), Error> {
        if object.deferred.is_empty() {
            return Ok(());
        }
        let module = &object.module;
        let name = |func: Func| module.functions[func].name.as_str();
        let chosen = |kernel: &Func| {
            let kernels = &self.wishes.kernels;
            kernels.is_empty() || kernels.iter().any(|wanted| wanted == name(*kernel))
        };
        let mut errors = Vec::new();
        let hooks = [ProgramHook::Initializer, ProgramHook::Finalizer];
        let hooks = hooks.into_iter().flat_map(|hook| module.hooks(hook));
        for kernel in module.launched_kernels().filter(chosen).chain(hooks) {
            let reached = module.reachable([kernel]);
            let concerns = |deferred: &&Deferred| match &deferred.function {
                Some(function) => reached.iter().any(|&func| name(func) == function),
                // The translator finds doubles by itself, wherever their type was named.
                None => deferred.feature != Feature::Fp64,
            };
            errors.extend(object.deferred.iter().filter(concerns).map(|it| refusal(name(kernel), it)));
        }
        if errors.is_empty() { Ok(()) } else { Err(self.unsupported(errors, object)) }
    }

    /// What the translator says, with the places in the source.
    pub(crate) fn unsupported(&self, errors: Vec<TranslateError>, object: &Object) -> Error {
        let device = format!("for the device `{}`", self.profile().name);
        self.unsupported_with(errors, object, if self.for_opencl { FOR_OPENCL } else { &device })
    }

    /// Likewise, with a note that says for whom the kernels are translated.
    pub(crate) fn unsupported_with(&self, errors: Vec<TranslateError>, object: &Object, note: &str) -> Error {
        let mut diagnostics = Diagnostics::default();
        for error in &errors {
            // Without its source a position means nothing.
            let span = if object.sources.is_some() { error.span } else { Span::NONE };
            diagnostics.push(Diagnostic::error(span, error.to_string()).note(note.to_owned()));
        }
        let messages = Messages::new(diagnostics, object.sources.clone().unwrap_or_default());
        Error::Unsupported { errors, messages }
    }

    /// A translated program, with a warning for each limit of the device that a kernel exceeds by itself.
    pub(crate) fn program(&self, mut compiled: CompiledModule, object: &Object) -> Program {
        if let Some(sanitized) = &mut compiled.sanitized {
            crate::sanitize::locate(sanitized, object);
        }
        if let Some(measured) = compiled.measured.as_deref_mut() {
            crate::measure::locate(measured, object);
        }
        let mut warnings = object.warnings.clone();
        let mut diagnostics = Diagnostics::default();
        for (kernel, exceeded) in exceeded(&compiled, self.profile()) {
            let message = format!("kernel `{kernel}` {}", exceeded.problem);
            let device = format!("no launch of it can succeed on the device `{}`", self.profile().name);
            let span = if object.sources.is_some() { span_of(object, kernel) } else { Span::NONE };
            diagnostics.push(Diagnostic::warning(span, message).note(device).note(exceeded.remedy));
        }
        let translation_warnings = Messages::new(diagnostics, object.sources.clone().unwrap_or_default());
        warnings.append(&translation_warnings);
        Program { compiled, warnings, translation_warnings }
    }

    /// Why kernels of a program that was translated can never be launched on the device: their own memory or
    /// their required work-group exceeds a limit.
    #[must_use]
    pub fn exceeded_limits(&self, object: &Object, program: &Program) -> Vec<Reason> {
        let place = |kernel: &str| {
            let sources = object.sources.as_ref()?;
            Place::of(span_of(object, kernel), sources)
        };
        let reason = |(kernel, exceeded): (&str, ExceededLimit)| Reason {
            kernel: Some(kernel.to_owned()),
            place: place(kernel),
            needs: Some(exceeded.limit.to_owned()),
            text: exceeded.problem,
            remedy: Some(exceeded.remedy.to_owned()),
        };
        exceeded(program.module(), self.profile()).into_iter().map(reason).collect()
    }
}

fn exceeded<'m>(compiled: &'m CompiledModule, profile: &DeviceProfile) -> Vec<(&'m str, ExceededLimit)> {
    let kernels = compiled.interface.kernels.iter();
    kernels
        .flat_map(|kernel| {
            kernel.exceeded_limits(profile).into_iter().map(|exceeded| (kernel.name.as_str(), exceeded))
        })
        .collect()
}

/// Where a kernel is declared.
fn span_of(object: &Object, kernel: &str) -> Span {
    let module = &object.module;
    module.function(kernel).map_or(Span::NONE, |func| module.functions[func].span)
}

fn refusal(kernel: &str, deferred: &Deferred) -> TranslateError {
    let instead = deferred.feature.instead();
    // The front end quotes source text as clang does.
    let what = deferred.what.replace('\'', "`");
    let vulkan = match deferred.feature.vulkan_features() {
        [] => String::new(),
        features => format!(" ({} of Vulkan)", features.join(", ")),
    };
    TranslateError {
        kernel: Some(kernel.to_owned()),
        span: deferred.span,
        problem: format!("uses {what}, which requires {}{vulkan}", deferred.feature.name()),
        needs: Some(deferred.feature.name()),
        remedy: (!instead.is_empty()).then(|| instead.to_owned()),
    }
}
