//! Version and feature checks, with one wording of messages for every construct.

use super::Checker;
use crate::Span;
use crate::ast::Name;
use crate::builtins::{Argument, Resolver};
use crate::diagnostic::Diagnostic;
use crate::options::LanguageVersion;
use crate::types::ScalarKind;
use clvk_interface::{Feature, FeatureSet};

/// Features that every device has in OpenCL C 2.0, and that are optional in newer versions. Device-side
/// enqueue is not among them: it is refused, whatever the version, if the device cannot do it.
const CORE_OF_TWO: FeatureSet = FeatureSet::EMPTY
    .with(Feature::GenericAddressSpace)
    .with(Feature::Pipes)
    .with(Feature::AtomicOrderAcqRel)
    .with(Feature::AtomicOrderSeqCst)
    .with(Feature::AtomicScopeDevice)
    .with(Feature::AtomicScopeAllDevices);

impl Checker<'_> {
    pub(super) fn has(&self, feature: Feature) -> bool {
        self.options.features.allows(feature) && !(feature == Feature::Fp16 && self.half_disabled)
    }

    /// The features that gate functions: those that the device allows, and those that are mandatory in OpenCL
    /// C 2.0.
    pub(super) fn features(&self) -> FeatureSet {
        let mut features = self.options.features.allowed();
        if self.half_disabled {
            features = features.without(FeatureSet::EMPTY.with(Feature::Fp16));
        }
        match self.options.version {
            LanguageVersion::C20 => features.union(CORE_OF_TWO),
            _ => features,
        }
    }

    /// Whether unqualified pointers are generic (OpenCL C §6.7.5). In the library they are private.
    pub(super) fn has_generic(&self) -> bool {
        self.has_since_three(Feature::GenericAddressSpace) && !self.options.library
    }

    /// Whether a feature is available that is mandatory in OpenCL C 2.0 and optional in newer versions.
    pub(super) fn has_since_three(&self, feature: Feature) -> bool {
        match self.options.version {
            LanguageVersion::C10 | LanguageVersion::C11 | LanguageVersion::C12 => false,
            LanguageVersion::C20 => true,
            LanguageVersion::C30 | LanguageVersion::C31 => self.has(feature),
        }
    }

    /// Whether program-scope variables may be in global memory (OpenCL C §6.7.1).
    pub(super) fn has_program_scope_variables(&self) -> bool {
        self.has_since_three(Feature::ProgramScopeGlobalVariables)
    }

    /// Whether the language version is at least this one; reports an error if not.
    pub(super) fn demand_version(&mut self, span: Span, what: &str, first: LanguageVersion) -> bool {
        let has = self.options.version >= first;
        if !has {
            let message = format!("{what} requires OpenCL C {first} or newer");
            self.report(Diagnostic::error(span, message).note(choice_of(first)));
        }
        has
    }

    /// Reports the use of a function whose feature the device lacks, or defers it, as [`Checker::lack`] does.
    pub(super) fn report_lacking(&mut self, name: Name, feature: Feature) -> bool {
        let what = format!("the built-in function '{}'", self.text(name.symbol));
        self.report_lacking_of(name.span, &what, feature)
    }

    /// Reports the use of something whose feature the device lacks: the feature, how a program can test for
    /// it, and an alternative. Or defers that, as [`Checker::lack`] does.
    pub(super) fn report_lacking_of(&mut self, span: Span, what: &str, feature: Feature) -> bool {
        let macro_name = feature.name();
        let message = format!("{what} requires {macro_name}, which the device does not offer");
        let mut diagnostic = Diagnostic::error(span, message)
            .note(format!("the macro {macro_name} is defined on devices that offer it"));
        if !feature.vulkan_features().is_empty() {
            let features = feature.vulkan_features().join(", ");
            diagnostic = diagnostic.note(format!("it needs {features} of Vulkan"));
        }
        if !feature.instead().is_empty() {
            diagnostic = diagnostic.note(format!("without it, {}", feature.instead()));
        }
        self.lack(feature, what, diagnostic)
    }

    /// Reports the use of a feature that the device does not offer, or defers the judgement where the options
    /// want that: the checker then goes on as if the device offered it. Gives whether it was deferred.
    pub(super) fn lack(&mut self, feature: Feature, what: &str, diagnostic: Diagnostic) -> bool {
        let defers = self.defers(feature);
        if defers {
            self.diagnostics.defer(feature, what, diagnostic.span);
        } else {
            self.report(diagnostic);
        }
        defers
    }

    /// Whether uses of the feature are judged later.
    pub(super) fn defers(&self, feature: Feature) -> bool {
        self.options.defers_features && !self.options.features.allows(feature)
    }

    /// What chooses overloads for these arguments: doubles that were only deferred are chosen for, too.
    pub(super) fn resolver(&self, arguments: &[Argument]) -> Resolver {
        let features = self.options.features;
        let is_double = |argument: &Argument| {
            matches!(
                argument,
                Argument::Arithmetic(ScalarKind::Double, _)
                    | Argument::Pointer { kind: ScalarKind::Double, .. }
            )
        };
        let deferred = self.options.defers_features && arguments.iter().any(is_double);
        self.resolver_with(if deferred { features.with(Feature::Fp64) } else { features })
    }

    /// What chooses overloads in this language on a device with these features.
    pub(super) fn resolver_with(&self, features: FeatureSet) -> Resolver {
        Resolver { features, truth_is_bool: self.options.is_opencl_cxx() }
    }
}

/// The advice how to choose a version.
pub(super) fn choice_of(version: LanguageVersion) -> String {
    format!("choose it with -cl-std=CL{version}")
}
