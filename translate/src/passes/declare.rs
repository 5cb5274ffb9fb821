//! What a SPIR-V module declares for all its kernels: the memory model, and the behaviour of floating-point
//! arithmetic.
//!
//! Both follow from what the kernels need and what the device can promise. No instruction changes; the writer
//! reads the results from [`Declarations`].

use super::Context;
use crate::TranslateError;
use clvk_interface::clspv::Reflection;
use clvk_interface::{DeviceProfile, Quirk};
use clvk_ir::{FastMath, Func, Function, ImageOp, MemoryOrder, Module, Op, Scalar, Scope};
use rustc_hash::FxHashMap;

/// What memory operations mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MemoryModel {
    /// GLSL's: memory that other work-groups may change is declared coherent.
    #[default]
    Glsl,
    /// Vulkan's, which defines exactly what is visible to whom.
    Vulkan,
}

/// How the arithmetic of one width behaves (`SPV_KHR_float_controls`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatControl {
    /// NaN, infinity and the sign of zero are respected.
    SignedZeroInfNanPreserve,
    /// Subnormal numbers are preserved.
    DenormPreserve,
    /// Subnormal numbers are flushed to zero.
    DenormFlushToZero,
    /// Rounds to nearest, ties to even.
    RoundingModeRTE,
}

/// The declarations of one kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelDeclarations {
    /// Whether ordinary accesses to buffers must be seen by other work-groups while the kernel runs.
    pub coherent: bool,
    /// The controls for each width in bits.
    pub float_controls: Vec<(u32, FloatControl)>,
}

/// The declarations of a module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Declarations {
    /// The memory model.
    pub memory_model: MemoryModel,
    /// The declarations of each kernel.
    pub kernels: FxHashMap<Func, KernelDeclarations>,
    /// What the module tells a host of clspv, if it is for one.
    pub reflection: Option<Reflection>,
}

/// See the module.
///
/// # Errors
/// None.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    let module = &*context.module;
    let declarations = |kernel: Func| {
        let function = &module.functions[kernel];
        let coherent = synchronises_work_groups(function);
        let called = module.reachable([kernel]);
        let float_controls = Arithmetic::of(module, kernel, called).controls(context.profile);
        (kernel, KernelDeclarations { coherent, float_controls })
    };
    let kernels: FxHashMap<Func, KernelDeclarations> = module.kernels().map(declarations).collect();
    let coherent = kernels.values().any(|kernel| kernel.coherent);
    let memory_model = memory_model(module, context.profile, coherent);
    context.declarations = Declarations { memory_model, kernels, reflection: None };
    Ok(())
}

/// Vulkan's model is used where memory must be visible beyond the work-group, unless a kernel writes images:
/// their accesses are written for GLSL's model. Matrices demand it, and `lower-matrices` has left them only
/// where it is usable.
fn memory_model(module: &Module, profile: &DeviceProfile, coherent: bool) -> MemoryModel {
    let mut matrices = false;
    for kernel in module.kernels() {
        module.functions[kernel].walk(|_, data| matrices |= matches!(data.op, Op::Matrix(_)));
    }
    if matrices {
        return MemoryModel::Vulkan;
    }
    let usable = profile.vulkan_memory_model && !profile.has(Quirk::MemoryBarrierMeets);
    if usable && coherent && !module.kernels().any(|kernel| writes_images(&module.functions[kernel])) {
        MemoryModel::Vulkan
    } else {
        MemoryModel::Glsl
    }
}

/// Whether a kernel orders its ordinary accesses with those of other work-groups. In GLSL's model, such
/// accesses must then not be held in private caches.
fn synchronises_work_groups(function: &Function) -> bool {
    let mut found = false;
    function.walk(|_, data| {
        let wide = |scope: Scope| matches!(scope, Scope::Device | Scope::AllDevices);
        found |= match data.op {
            Op::Fence { scope, .. } => wide(scope),
            Op::Barrier { memory, .. } => wide(memory),
            Op::AtomicRmw { order, scope, .. }
            | Op::AtomicLoad { order, scope }
            | Op::AtomicStore { order, scope }
            | Op::AtomicCompareExchange { success: order, scope, .. } => {
                wide(scope) && order != MemoryOrder::Relaxed
            }
            _ => false,
        };
    });
    found
}

fn writes_images(function: &Function) -> bool {
    let mut found = false;
    function.walk(|_, data| found |= matches!(data.op, Op::Image(ImageOp::Write { .. })));
    found
}

/// A kernel's demands on floating-point arithmetic.
#[derive(Default)]
struct Arithmetic {
    half: Width,
    single: Width,
    double: Width,
    /// Subnormal numbers of single precision may be zeros.
    may_flush: bool,
}

/// A kernel's demands on the arithmetic of one width.
#[derive(Default)]
struct Width {
    /// It computes in this precision.
    used: bool,
    /// Some operation must respect NaN, infinity and the sign of zero.
    strict: bool,
}

impl Arithmetic {
    /// Those of a kernel and of what it calls.
    fn of(module: &Module, kernel: Func, called: impl IntoIterator<Item = Func>) -> Arithmetic {
        let info = module.functions[kernel].kernel.as_ref();
        let may_flush = info.is_some_and(|info| info.flush_subnormals);
        let mut asked = Arithmetic { may_flush, ..Arithmetic::default() };
        for func in called {
            asked.add(&module.functions[func]);
        }
        asked
    }

    fn add(&mut self, function: &Function) {
        let relaxed = FastMath::NO_NAN | FastMath::NO_INF | FastMath::NO_SIGNED_ZERO;
        function.walk(|_, data| {
            let computes = matches!(
                data.op,
                Op::Unary(_) | Op::Binary(_) | Op::Compare(_) | Op::Convert(_) | Op::Math(_)
            );
            if !computes {
                return;
            }
            for &value in data.operands.iter().chain(&data.results) {
                let width = match function.ty(value).scalar() {
                    Some(Scalar::F16) => &mut self.half,
                    Some(Scalar::F32) => &mut self.single,
                    Some(Scalar::F64) => &mut self.double,
                    _ => continue,
                };
                width.used = true;
                width.strict |= !data.fast_math.contains(relaxed);
            }
        });
    }

    /// The controls that the kernel needs and the device promises.
    #[rustfmt::skip]
    fn controls(&self, profile: &DeviceProfile) -> Vec<(u32, FloatControl)> {
        let flushes = self.may_flush && profile.denorm_flush_f32;
        let p = profile;
        // Width, and whether the device keeps special values, keeps subnormal numbers, and rounds to nearest.
        let widths = [
            (16, &self.half, p.signed_zero_inf_nan_preserve_f16, p.denorm_preserve_f16, p.rounding_rte_f16),
            (32, &self.single, p.signed_zero_inf_nan_preserve_f32, p.denorm_preserve_f32 && !flushes, p.rounding_rte_f32),
            (64, &self.double, p.signed_zero_inf_nan_preserve_f64, p.denorm_preserve_f64, p.rounding_rte_f64),
        ];
        let mut controls = Vec::new();
        for (bits, width, special, denorms, nearest) in widths.into_iter().filter(|(_, width, ..)| width.used) {
            let wanted = [
                (special && width.strict, FloatControl::SignedZeroInfNanPreserve),
                (denorms, FloatControl::DenormPreserve),
                (flushes && bits == 32, FloatControl::DenormFlushToZero),
                (nearest, FloatControl::RoundingModeRTE),
            ];
            controls.extend(wanted.iter().filter(|(wanted, _)| *wanted).map(|&(_, control)| (bits, control)));
        }
        controls
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{TranslateOptions, passes::run_some};
    use clvk_ir::{container::Library, text::parse_module};

    /// The declarations for a kernel with this body, whose memory is not ordered yet, on a modified device.
    fn declared(
        preset: &str,
        change: fn(&mut DeviceProfile),
        body: &str,
    ) -> (MemoryModel, KernelDeclarations) {
        let text = format!(
            "kernel @k() {{\n  var $0 \"n\": local i32 count 8\n  %p: ptr.local = element_pointer $0 0:i32\n{body}\n  return\n}}\n"
        );
        let mut module = parse_module(&text).expect("the text is right");
        let mut profile = DeviceProfile::preset(preset).expect("a preset");
        change(&mut profile);
        let passes = ["order-memory", "declare"];
        let options = TranslateOptions::default();
        let (_, declarations) = run_some(&mut module, &passes, &Library::empty(), &profile, &options)
            .expect("nothing is refused");
        let kernel = module.kernels().next().expect("a kernel");
        (declarations.memory_model, declarations.kernels[&kernel].clone())
    }

    fn unchanged(_: &mut DeviceProfile) {}

    #[test]
    fn vulkans_memory_model_is_for_order_beyond_the_work_group() {
        let on = |preset, change, body| {
            let (model, kernel) = declared(preset, change, body);
            (model, kernel.coherent)
        };
        let wide = "%n: i32 = atomic.add %p, 1:i32 order acq_rel scope device";
        let narrow = "%n: i32 = atomic.add %p, 1:i32 order acq_rel scope workgroup";
        let relaxed = "%n: i32 = atomic.add %p, 1:i32 order relaxed scope device";
        let fence = "fence order release scope all_devices flags [global]";
        let barrier = "barrier execution workgroup memory device flags [global]";
        for body in [wide, fence, barrier] {
            assert_eq!(on("nvidia-h200", unchanged, body), (MemoryModel::Vulkan, true), "{body}");
        }
        for body in [narrow, relaxed] {
            assert_eq!(on("nvidia-h200", unchanged, body), (MemoryModel::Glsl, false), "{body}");
        }
        // A device without the model, one with the error in barriers, and a kernel that writes images.
        let lacks = |profile: &mut DeviceProfile| profile.vulkan_memory_model = false;
        assert_eq!(on("nvidia-h200", lacks, wide), (MemoryModel::Glsl, true));
        let is_wrong = |profile: &mut DeviceProfile| profile.quirks = vec![Quirk::MemoryBarrierMeets];
        assert_eq!(on("nvidia-h200", is_wrong, wide), (MemoryModel::Glsl, true));
        let writes = "%i: image.d2.w.float = image_binding binding 0\n  \
            image.write %i, <1, 2>:i32x2, <1.0, 1.0, 1.0, 1.0>:f32x4\n  \
            fence order release scope device flags [global]";
        assert_eq!(on("nvidia-h200", unchanged, writes), (MemoryModel::Glsl, true));
    }

    #[test]
    fn arithmetic_is_declared_as_it_is_asked_for_and_promised() {
        use FloatControl::{DenormPreserve, RoundingModeRTE, SignedZeroInfNanPreserve};
        fn all(profile: &mut DeviceProfile) {
            profile.signed_zero_inf_nan_preserve_f32 = true;
            profile.denorm_preserve_f32 = true;
            profile.rounding_rte_f32 = true;
            profile.signed_zero_inf_nan_preserve_f64 = false;
            profile.denorm_preserve_f64 = true;
            profile.rounding_rte_f64 = false;
        }
        let of = |body| declared("nvidia-h200", all, body).1.float_controls;
        let (strict, relaxed) =
            ("%a: f32 = fadd 1.0:f32, 2.0:f32", "%b: f32 = fadd nnan ninf nsz 1.0:f32, 2.0:f32");
        let both = format!("{relaxed}\n{strict}");
        let every = [SignedZeroInfNanPreserve, DenormPreserve, RoundingModeRTE].map(|control| (32, control));
        assert_eq!(of(strict), every);
        assert_eq!(of(&both), every);
        assert_eq!(of(relaxed), every[1..]);
        assert_eq!(of("%a: f64 = fadd 1.0:f64, 2.0:f64"), [(64, DenormPreserve)]);
        assert_eq!(of("%a: i32 = add 1:i32, 2:i32"), []);
        // Values that are only moved are not computed.
        assert_eq!(of("%a: f32x2 = construct 1.0:f32, 2.0:f32"), []);
    }
}
