//! The passes, in order.
//!
//! [`SHARED`] and one of [`FOR_SPIRV`] and [`FOR_NAGA`], or [`FOR_OPENCL`] alone, are the whole middle end as
//! data ([`pipeline`]): each row names a pass, says why it stands there, what it requires
//! ([`Pass::requires`]) and what it establishes ([`Pass::establishes`]). An established property remains true
//! to the end of the pipeline; a test checks that each row finds what it requires. A pass may stand in
//! several rows.
//!
//! A pass changes the [`Context::module`] and, if it decides how a kernel is launched, the
//! [`Context::interface`]. What the source asks for and the device or this translator cannot do is a
//! [`TranslateError`]; a pass reports all errors that it finds. In builds with debug assertions the verifier
//! runs after each pass. A module that it rejects is a bug of the pass that the panic names.
//!
//! Passes may recurse over nested regions, because [`inline`] bounds the nesting ([`inline::MAX_NESTING`])
//! and each recursion grows its stack ([`structure::with_stack`]).

mod call_sites;
pub mod clspv;
pub mod confine;
pub mod constant_arguments;
pub mod contract;
pub mod cursor;
pub mod declare;
pub mod early_loads;
pub mod float_bits;
pub mod hoist_invariants;
mod hooks;
mod idle_barriers;
pub mod inline;
mod keep_calls;
pub mod known_bits;
pub mod known_signs;
pub mod late_summands;
mod launch_queries;
pub mod legalise;
pub mod legalise_vectors;
pub mod link;
pub mod load_words;
pub mod lower_elementwise;
pub mod lower_launch;
pub mod lower_matrices;
pub mod lower_memory;
mod measure;
pub mod measure_strings;
pub mod merge_loads;
pub mod narrow_integers;
pub mod narrow_operands;
pub mod number;
mod only_barriers;
pub mod order_memory;
pub mod promote;
mod raise_naga;
pub mod raise_opencl;
mod raise_spirv;
pub mod rewrite;
pub mod rotate_loops;
mod sanitize;
mod select_kernels;
pub mod simplify;
pub mod sink_results;
mod speculate_loads;
pub mod split_aggregates;
pub mod structure;
pub mod structure_exits;
pub mod undefined_calls;
pub mod uniform;
pub mod unroll;
pub mod unrotate;
mod work_around;
mod zero;

use crate::{Calls, Target, TranslateError, TranslateOptions};
use call_sites::CallSites;
use clvk_interface::measure::Measured;
use clvk_interface::sanitize::Sanitized;
use clvk_interface::{DeviceProfile, ModuleInterface};
use clvk_ir::{
    Module,
    container::Library,
    verify::{Stage, verify_stage},
};
use declare::Declarations;
use measure::Measuring;
use rustc_hash::FxHashSet;

/// What the passes read and change.
pub struct Context<'a, 'l> {
    /// The program.
    pub module: &'a mut Module,
    /// The built-in functions to link from.
    pub library: &'a Library<'l>,
    /// The device.
    pub profile: &'a DeviceProfile,
    /// How the kernels are launched; the passes that decide it fill it in.
    pub interface: ModuleInterface,
    /// The caller's wishes.
    pub options: &'a TranslateOptions,
    /// Which calls stay.
    pub calls: Calls,
    /// The declarations of the SPIR-V module; [`declare`] fills them in.
    pub declarations: Declarations,
    /// What the passes for hosts of clspv tell each other.
    pub clspv: clspv::Convention,
    /// What reports refer to; [`sanitize`] fills it in.
    pub sanitized: Sanitized,
    /// The calls by which code came where it is.
    call_sites: CallSites,
    /// What the passes of [`sanitize`] tell each other.
    sanitizing: sanitize::Sanitizing,
    /// What the passes that measure tell each other.
    measuring: Measuring,
    /// Fingerprints of the functions that [`simplify`] has finished with.
    pub simplified: FxHashSet<u64>,
}

impl<'a, 'l> Context<'a, 'l> {
    /// The input of the first pass: the interface is empty.
    fn new(
        module: &'a mut Module,
        library: &'a Library<'l>,
        profile: &'a DeviceProfile,
        options: &'a TranslateOptions,
        target: Target,
    ) -> Self {
        let interface = ModuleInterface {
            addressing: profile.addressing(),
            kernels: Vec::new(),
            program_variables: None,
            print_formats: Vec::new(),
            print_strings: Vec::new(),
        };
        let (declarations, simplified) = (Declarations::default(), FxHashSet::default());
        let clspv = clspv::Convention::default();
        let sanitized = Sanitized::default();
        let call_sites = CallSites::new(!options.sanitize.is_empty());
        let sanitizing = sanitize::Sanitizing::default();
        let measuring = Measuring::default();
        Context {
            module,
            library,
            profile,
            options,
            calls: calls(options, target),
            interface,
            declarations,
            clspv,
            sanitized,
            call_sites,
            sanitizing,
            measuring,
            simplified,
        }
    }
}

/// Which calls stay: none where a pass looks at whole kernels, and in what other tools read.
fn calls(options: &TranslateOptions, target: Target) -> Calls {
    let TranslateOptions { robust, sanitize, measure, clspv, .. } = options;
    let looks_at_kernels = *robust || !sanitize.is_empty() || measure.is_some() || clspv.is_some();
    if target == Target::Spirv && !looks_at_kernels { options.calls } else { Calls::Inlined }
}

/// Something that remains true of a module once a pass establishes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Property {
    /// The module contains only the kernels that the caller wants.
    KernelsSelected,
    /// Every function that a kernel can reach has a body, unless neither program nor library defines it.
    Linked,
    /// There is no `CallElementwise`.
    NoElementwiseCalls,
    /// The only remaining calls are of undefined functions, and of functions that only compute: they take
    /// and return numbers. Every other function is a kernel; nesting is bounded.
    Inlined,
    /// No library function asks about signs.
    SignsKnown,
    /// Every function is a kernel, or only computes.
    CallsDefined,
    /// Variables that are only accessed as a whole are values.
    Promoted,
    /// Vectors have at most 4 lanes and types exist on the device.
    LegalTypes,
    /// Kernels have no parameters and no launch queries: inputs and push constants replaced them.
    LaunchLowered,
    /// No instruction makes or uses untyped memory.
    MemoryLowered,
    /// Exits leave only constructs that SPIR-V can leave.
    ExitsStructured,
    /// Exits from loops do not leave a `switch` or `block` on their way either.
    ExitsNested,
    /// Fences, barriers and atomic operations have orders that the target has.
    MemoryOrdered,
    /// The SPIR-V writer can write each operation as it is: [`Stage::Raised`].
    Raised,
    /// The writer of naga's modules can write each operation as it is: [`Stage::RaisedForNaga`].
    RaisedForNaga,
    /// The writer of SPIR-V for OpenCL can write each operation as it is: [`Stage::RaisedForOpenCl`].
    RaisedForOpenCl,
}

/// One row of the table.
pub struct Pass {
    /// Name, for `--dump-after` and tests.
    pub name: &'static str,
    /// Why it stands here.
    pub purpose: &'static str,
    /// What must hold before it.
    pub requires: &'static [Property],
    /// What holds after it.
    pub establishes: &'static [Property],
    /// Run only if a pass with one of these names, which come before it, has changed something. Nothing else
    /// gives this one work since it, or an equivalent pass, last ran. If empty, always run.
    pub only_after: &'static [&'static str],
    /// Runs it.
    pub run: fn(&mut Context<'_, '_>) -> Result<(), Vec<TranslateError>>,
}

use Property::*;

/// The passes that all targets share, in the order in which they run.
#[rustfmt::skip]
pub static SHARED: &[Pass] = &[
    Pass { name: "select-kernels", purpose: "kernels that were not asked for, and functions that no kernel reaches, cost nothing and raise no errors", requires: &[], establishes: &[KernelsSelected], only_after: &[], run: select_kernels::run },
    Pass { name: "hooks", purpose: "kernels that the host launches by itself work once, before kernels are numbered", requires: &[KernelsSelected], establishes: &[], only_after: &[], run: hooks::run },
    Pass { name: "number", purpose: "numbers enqueued kernels and printf formats by their positions, which no longer change", requires: &[KernelsSelected], establishes: &[], only_after: &[], run: number::run },
    Pass { name: "sanitize-matrices", purpose: "checks what matrices reach in memory, before it matters who computes them", requires: &[KernelsSelected], establishes: &[], only_after: &[], run: sanitize::matrices::run },
    Pass { name: "lower-matrices", purpose: "matrices that the device has no engine for become arrays in private memory, on which library functions work", requires: &[KernelsSelected], establishes: &[], only_after: &[], run: lower_matrices::run },
    Pass { name: "sanitize-operations", purpose: "checks operations of the program, before library functions join it", requires: &[KernelsSelected], establishes: &[], only_after: &[], run: sanitize::operations },
    Pass { name: "measure-source", purpose: "marks the program's lines and values, while there are all of them", requires: &[KernelsSelected], establishes: &[], only_after: &[], run: measure::mark },
    Pass { name: "link", purpose: "brings in the library functions that the program declares", requires: &[KernelsSelected], establishes: &[Linked], only_after: &[], run: link::run },
    Pass { name: "lower-elementwise", purpose: "element-wise calls become one call for each lane, because only scalar bodies exist", requires: &[Linked], establishes: &[NoElementwiseCalls], only_after: &[], run: lower_elementwise::run },
    Pass { name: "promote-functions", purpose: "each function is cleaned up once, not once for each inlined call", requires: &[Linked], establishes: &[], only_after: &[], run: promote::run },
    Pass { name: "simplify-functions", purpose: "likewise, so that inlining copies little", requires: &[Linked], establishes: &[], only_after: &[], run: simplify::run_functions },
    Pass { name: "inline", purpose: "kernels become self-contained: no pointers across functions, and no calls but of large functions in large kernels", requires: &[Linked, NoElementwiseCalls], establishes: &[Inlined], only_after: &[], run: inline::run },
    Pass { name: "promote-whole", purpose: "pointer variables become values, which shows what they point to", requires: &[Inlined], establishes: &[], only_after: &["inline"], run: promote::run },
    Pass { name: "sanitize-memory", purpose: "checks accesses and barriers, when a kernel shows where its pointers come from and nothing was removed", requires: &[Inlined], establishes: &[], only_after: &[], run: sanitize::memory },
    Pass { name: "measure-kernels", purpose: "makes code of the marks, and counts, when a kernel shows where its pointers come from", requires: &[Inlined], establishes: &[], only_after: &[], run: measure::kernels },
    Pass { name: "simplify-pointers", purpose: "addresses become base plus constant where possible", requires: &[Inlined], establishes: &[], only_after: &["inline", "sanitize-memory", "measure-kernels"], run: simplify::run },
    Pass { name: "measure-strings", purpose: "strings for printf are named if they are known now, otherwise searched for their end", requires: &[Inlined], establishes: &[], only_after: &[], run: measure_strings::run },
    Pass { name: "undefined-calls", purpose: "called functions must be defined, unless constants rule the call out, which is known now", requires: &[Inlined], establishes: &[CallsDefined], only_after: &[], run: undefined_calls::run },
    Pass { name: "restore-calls", purpose: "no check needs to know by which calls code came where it is", requires: &[CallsDefined], establishes: &[], only_after: &[], run: sanitize::restore },
    Pass { name: "split-aggregates", purpose: "structures and arrays at constant offsets become single variables", requires: &[CallsDefined], establishes: &[], only_after: &[], run: split_aggregates::run },
    Pass { name: "promote-members", purpose: "these variables become values", requires: &[CallsDefined], establishes: &[], only_after: &[], run: promote::run },
    Pass { name: "simplify", purpose: "trip counts and loop bodies show their real size", requires: &[CallsDefined], establishes: &[], only_after: &[], run: simplify::run },
    Pass { name: "known-bits", purpose: "indices become sums again and needless masks and conditions disappear, where compilers of SPIR-V know the bits of ids", requires: &[CallsDefined], establishes: &[], only_after: &[], run: known_bits::run },
    Pass { name: "known-signs", purpose: "answers what library functions ask about signs, and decides comparisons, when a kernel shows where numbers come from", requires: &[CallsDefined], establishes: &[SignsKnown], only_after: &[], run: known_signs::run },
    Pass { name: "simplify-known", purpose: "folds what that decides", requires: &[CallsDefined], establishes: &[], only_after: &["known-bits", "known-signs"], run: simplify::run },
    Pass { name: "unrotate", purpose: "loops that compilers of SPIR-V test at their ends are counted and unrolled as others are", requires: &[CallsDefined], establishes: &[], only_after: &[], run: unrotate::run },
    Pass { name: "unroll", purpose: "array indices that depend on loop counters become constants", requires: &[CallsDefined], establishes: &[], only_after: &[], run: unroll::run },
    Pass { name: "simplify-unrolled", purpose: "decides the conditions of the copied iterations", requires: &[CallsDefined], establishes: &[], only_after: &["unroll"], run: simplify::run },
    Pass { name: "split-unrolled", purpose: "arrays with only such indices are split into variables", requires: &[CallsDefined], establishes: &[], only_after: &["unroll"], run: split_aggregates::run },
    Pass { name: "promote-unrolled", purpose: "their elements become values", requires: &[CallsDefined], establishes: &[Promoted], only_after: &["unroll"], run: promote::run },
    Pass { name: "simplify-promoted", purpose: "folds what memory hid, before types and memory are lowered", requires: &[Promoted], establishes: &[], only_after: &["unroll"], run: simplify::run },
    Pass { name: "sink-results", purpose: "what a loop only leaves behind is computed once, after it; the next simplification drops what the loop carried for it", requires: &[CallsDefined, Promoted], establishes: &[], only_after: &[], run: sink_results::run },
    Pass { name: "early-loads", purpose: "loads of what nothing changes begin before barriers, while parameters show what that is", requires: &[CallsDefined, Promoted], establishes: &[], only_after: &[], run: early_loads::run },
    Pass { name: "speculate-loads", purpose: "loads from local memory under conditions that follow each other are under way together, after the last unrolling and while pointers name their variables", requires: &[CallsDefined, Promoted], establishes: &[], only_after: &[], run: speculate_loads::run },
    Pass { name: "idle-barriers", purpose: "work-items do not wait where that orders nothing, as after the last iteration of an unrolled loop, while pointers tell their address spaces", requires: &[CallsDefined, Promoted], establishes: &[], only_after: &[], run: idle_barriers::run },
    Pass { name: "watch-loops", purpose: "detects a driver that ends loops early, after the last unrolling", requires: &[CallsDefined, Promoted], establishes: &[], only_after: &[], run: work_around::watch_loops::run },
    Pass { name: "constant-arguments", purpose: "what nothing changes is marked for drivers, after the passes that load it early and while parameters show what that is", requires: &[CallsDefined, Promoted], establishes: &[], only_after: &[], run: constant_arguments::run },
    Pass { name: "clspv-queries", purpose: "hosts of clspv tell about a launch in their own way, which launch lowering does not know", requires: &[CallsDefined], establishes: &[], only_after: &[], run: clspv::queries },
    Pass { name: "lower-launch", purpose: "parameters and launch queries become inputs and push constants", requires: &[CallsDefined], establishes: &[LaunchLowered], only_after: &[], run: lower_launch::run },
    Pass { name: "clspv-arguments", purpose: "they pass arguments in their own places, before memory is lowered", requires: &[LaunchLowered], establishes: &[], only_after: &[], run: clspv::arguments },
    Pass { name: "legalise-vectors", purpose: "accesses have at most 4 lanes before element types are recovered from them", requires: &[LaunchLowered], establishes: &[], only_after: &[], run: legalise_vectors::run },
    Pass { name: "load-words", purpose: "vectors whose bits alone count are loaded as words, on some devices all of that size, before element types are recovered from accesses", requires: &[Promoted], establishes: &[], only_after: &[], run: load_words::run },
    Pass { name: "merge-loads", purpose: "neighbouring numbers in local memory are loaded as vectors for drivers that do not merge loads, before element types are recovered from accesses", requires: &[LaunchLowered, Promoted], establishes: &[], only_after: &[], run: merge_loads::run },
    Pass { name: "lower-memory", purpose: "pointers become indices of typed arrays, or addresses", requires: &[LaunchLowered, Promoted], establishes: &[MemoryLowered], only_after: &[], run: lower_memory::run },
    Pass { name: "simplify-lowered", purpose: "folds what the lowering of launch and memory exposes", requires: &[Promoted], establishes: &[], only_after: &[], run: simplify::run },
    Pass { name: "confine", purpose: "accesses are final here, and addresses show where they come from", requires: &[MemoryLowered], establishes: &[], only_after: &[], run: confine::run },
    Pass { name: "simplify-confined", purpose: "folds checks that cannot fail", requires: &[Promoted], establishes: &[], only_after: &["confine"], run: simplify::run },
    Pass { name: "subnormal-logarithms", purpose: "flushes operands where a subnormal number's logarithm is neither its own nor that of zero, before halves become single precision", requires: &[CallsDefined], establishes: &[], only_after: &[], run: work_around::subnormal_logarithms::run },
    Pass { name: "narrow-operands", purpose: "64-bit divisions of numbers that are known to have 32 bits are 32-bit ones, and products of such numbers are of extended words, before the device's own are chosen", requires: &[MemoryLowered], establishes: &[], only_after: &[], run: narrow_operands::run },
    Pass { name: "narrow-integers", purpose: "64-bit integers whose low half alone is wanted have 32 bits, after divisions have become 32-bit ones and before the device's own types are chosen", requires: &[MemoryLowered], establishes: &[], only_after: &[], run: narrow_integers::run },
    Pass { name: "rotate-loops", purpose: "loops test at their ends on devices that execute such loops faster, after the last pass that counts iterations; the next simplification decides tests of first iterations", requires: &[MemoryLowered, Promoted], establishes: &[], only_after: &[], run: rotate_loops::run },
    Pass { name: "legalise", purpose: "replaces what the device lacks by what it has, or refuses it", requires: &[MemoryLowered], establishes: &[LegalTypes], only_after: &[], run: legalise::run },
    Pass { name: "negated-quotients", purpose: "negations become subtractions where the driver moves them into quotients, also in legalised code", requires: &[LegalTypes], establishes: &[], only_after: &[], run: work_around::negated_quotients::run },
    Pass { name: "unsigned-extremes", purpose: "signed minima and maxima become comparisons where the driver folds them as unsigned, also in legalised code", requires: &[LegalTypes], establishes: &[], only_after: &[], run: work_around::unsigned_extremes::run },
    Pass { name: "hide-ranges", purpose: "hides the values of integers from a driver that computes wrong ranges, also in legalised code", requires: &[LegalTypes, LaunchLowered], establishes: &[], only_after: &[], run: work_around::hide_ranges::run },
    Pass { name: "compared-lanes", purpose: "extends vectors lane by lane for a driver that compares lanes of extended vectors wrongly, also in legalised code", requires: &[LegalTypes], establishes: &[], only_after: &[], run: work_around::compared_lanes::run },
    Pass { name: "simplify-legalised", purpose: "folds what that exposes", requires: &[LegalTypes], establishes: &[], only_after: &["subnormal-logarithms", "narrow-operands", "narrow-integers", "rotate-loops", "legalise", "negated-quotients", "unsigned-extremes", "hide-ranges", "compared-lanes"], run: simplify::run },
    Pass { name: "contract", purpose: "fuses products and sums, because drivers fuse only some of those that they may", requires: &[LegalTypes], establishes: &[], only_after: &[], run: contract::run },
    Pass { name: "hoist-invariants", purpose: "loops do not compute again what they do not change, after addresses are computed and sums are fused", requires: &[MemoryLowered, LegalTypes], establishes: &[], only_after: &[], run: hoist_invariants::run },
    Pass { name: "late-summands", purpose: "what comes out of branches is added last, after the last pass that forms sums", requires: &[MemoryLowered, LegalTypes], establishes: &[], only_after: &[], run: late_summands::run },
    Pass { name: "kept-roundings", purpose: "hides results whose rounding counts from compilers that compute as if numbers were real, after the last simplification", requires: &[LegalTypes, LaunchLowered], establishes: &[], only_after: &[], run: work_around::kept_roundings::run },
    Pass { name: "structure-exits", purpose: "SPIR-V can leave only the innermost constructs; later passes may change control flow only by exits from these", requires: &[MemoryLowered], establishes: &[ExitsStructured], only_after: &[], run: structure_exits::run },
    Pass { name: "second-exits", purpose: "adds an exit to loops for a driver that mixes up the values with which work-items leave a loop", requires: &[ExitsStructured], establishes: &[], only_after: &[], run: work_around::second_exits::run },
    Pass { name: "nested-conditions", purpose: "refuses what a driver that ignores deep conditions would get wrong, after the last pass that adds constructs", requires: &[ExitsStructured], establishes: &[], only_after: &[], run: work_around::nested_conditions::run },
    Pass { name: "counted-indices", purpose: "keeps a driver from using the next value of a counter as the index of a private array, after the last change of what regions pass on", requires: &[MemoryLowered, LaunchLowered, ExitsStructured], establishes: &[], only_after: &[], run: work_around::counted_indices::run },
    Pass { name: "guard-loads", purpose: "keeps a driver from executing loads that no work-item executes", requires: &[MemoryLowered, ExitsStructured], establishes: &[], only_after: &[], run: work_around::guard_loads::run },
    Pass { name: "deep-unrolling", purpose: "asks a driver that unrolls too deeply not to, after the last pass that reads the source's hints", requires: &[], establishes: &[], only_after: &[], run: work_around::deep_unrolling::run },
    Pass { name: "merged-signs", purpose: "copysign becomes a choice of two numbers where the driver merges signs with selections wrongly", requires: &[LegalTypes], establishes: &[], only_after: &[], run: work_around::merged_signs::run },
    Pass { name: "carried-sums", purpose: "loops carry 64-bit integers as words where the driver's compiler crashes at sums, after the last simplification", requires: &[LegalTypes, ExitsStructured], establishes: &[], only_after: &[], run: work_around::carried_sums::run },
    Pass { name: "single-carry", purpose: "64-bit sums and products become those of words where the driver runs out of registers for carries, after the last simplification", requires: &[LegalTypes], establishes: &[], only_after: &[], run: work_around::single_carry::run },
    Pass { name: "packed-quarters", purpose: "four 16-bit numbers become 64 bits by arithmetic where the driver cannot pack them, after the last simplification", requires: &[LegalTypes], establishes: &[], only_after: &[], run: work_around::packed_quarters::run },
    Pass { name: "float-bits", purpose: "tests NaN, infinity and signs by bits, because drivers may assume that comparisons see only numbers", requires: &[LegalTypes], establishes: &[], only_after: &[], run: float_bits::run },
];

/// The passes that raise the IR to SPIR-V, after [`SHARED`].
#[rustfmt::skip]
pub static FOR_SPIRV: &[Pass] = &[
    Pass { name: "sub-group-barriers", purpose: "barriers of sub-groups become fences for a driver that makes whole work-groups wait at them", requires: &[MemoryLowered], establishes: &[], only_after: &[], run: work_around::sub_group_barriers::run },
    Pass { name: "order-memory", purpose: "Vulkan has no sequential consistency, and no orders that order nothing", requires: &[MemoryLowered], establishes: &[MemoryOrdered], only_after: &[], run: order_memory::run },
    Pass { name: "declare", purpose: "the memory model and the arithmetic modes follow from the remaining operations", requires: &[LegalTypes, MemoryOrdered], establishes: &[], only_after: &[], run: declare::run },
    Pass { name: "clspv-reflect", purpose: "tells hosts of clspv how to launch what is left", requires: &[LaunchLowered, MemoryLowered], establishes: &[], only_after: &[], run: clspv::reflect },
    Pass { name: "memory-barriers", purpose: "removes memory barriers for a driver that makes whole work-groups wait at them, though the model is declared for them", requires: &[MemoryOrdered], establishes: &[], only_after: &[], run: work_around::memory_barriers::run },
    Pass { name: "raise-spirv", purpose: "replaces operations that SPIR-V lacks by several others; no simplification may follow", requires: &[CallsDefined, SignsKnown, LaunchLowered, LegalTypes, ExitsStructured, MemoryOrdered], establishes: &[Raised], only_after: &[], run: raise_spirv::run },
];

/// The passes that raise the IR to naga's, after [`SHARED`].
#[rustfmt::skip]
pub static FOR_NAGA: &[Pass] = &[
    Pass { name: "only-barriers", purpose: "WGSL orders memory by barriers alone; what asks for more is refused", requires: &[MemoryLowered], establishes: &[MemoryOrdered], only_after: &[], run: only_barriers::run },
    Pass { name: "nest-exits", purpose: "a `break` in a `switch` leaves the `switch`, not the loop around it", requires: &[ExitsStructured], establishes: &[ExitsNested], only_after: &[], run: structure_exits::run_nested },
    Pass { name: "raise-naga", purpose: "replaces operations that naga's IR lacks by several others; no simplification may follow", requires: &[CallsDefined, SignsKnown, LaunchLowered, LegalTypes, ExitsNested, MemoryOrdered], establishes: &[RaisedForNaga], only_after: &[], run: raise_naga::run },
];

/// The passes for SPIR-V for OpenCL. They share none of [`SHARED`]: such modules have calls, untyped memory
/// and launch queries, and the device's own compiler inlines, splits and unrolls.
#[rustfmt::skip]
pub static FOR_OPENCL: &[Pass] = &[
    Pass { name: "select-kernels-for-opencl", purpose: "kernels that were not asked for cost nothing and raise no errors", requires: &[], establishes: &[KernelsSelected], only_after: &[], run: select_kernels::run_for_opencl },
    Pass { name: "hooks-for-opencl", purpose: "kernels that the host launches by itself work once, for hosts that do not and let the application launch them", requires: &[KernelsSelected], establishes: &[], only_after: &[], run: hooks::run },
    Pass { name: "opencl-built-ins", purpose: "the device has most built-in functions; what cannot be expressed is refused before anything is linked", requires: &[KernelsSelected], establishes: &[], only_after: &[], run: raise_opencl::built_ins },
    Pass { name: "lower-matrices-for-opencl", purpose: "few drivers of OpenCL have matrices", requires: &[KernelsSelected], establishes: &[], only_after: &[], run: lower_matrices::run_for_opencl },
    Pass { name: "link-for-opencl", purpose: "brings in the library functions that devices lack", requires: &[KernelsSelected], establishes: &[Linked], only_after: &[], run: link::run_for_opencl },
    Pass { name: "lower-elementwise-for-opencl", purpose: "these have only scalar bodies", requires: &[Linked], establishes: &[NoElementwiseCalls], only_after: &[], run: raise_opencl::lower_elementwise },
    Pass { name: "promote-for-opencl", purpose: "variables become values, which makes the module small", requires: &[Linked], establishes: &[Promoted], only_after: &[], run: promote::run },
    Pass { name: "simplify-for-opencl", purpose: "folds what that exposes", requires: &[Promoted], establishes: &[], only_after: &[], run: simplify::run },
    Pass { name: "known-signs-for-opencl", purpose: "as `known-signs`", requires: &[Promoted], establishes: &[SignsKnown], only_after: &[], run: known_signs::run },
    Pass { name: "contract-for-opencl", purpose: "a product in a sum becomes `mad`, which devices fuse as they like even where a kernel keeps other roundings", requires: &[Linked], establishes: &[], only_after: &[], run: contract::run },
    Pass { name: "sub-group-barriers-for-opencl", purpose: "as `sub-group-barriers`, for drivers of OpenCL, where the host asks for it", requires: &[Linked], establishes: &[], only_after: &[], run: work_around::sub_group_barriers::run },
    Pass { name: "raise-opencl", purpose: "replaces operations that such SPIR-V lacks by several others", requires: &[Linked, NoElementwiseCalls, SignsKnown], establishes: &[RaisedForOpenCl], only_after: &[], run: raise_opencl::run },
];

/// The passes for a target, in the order in which they run.
pub fn pipeline(target: Target) -> impl Iterator<Item = &'static Pass> {
    let (shared, own) = match target {
        Target::Spirv => (SHARED, FOR_SPIRV),
        Target::Naga => (SHARED, FOR_NAGA),
        Target::OpenCl => (&[][..], FOR_OPENCL),
    };
    shared.iter().chain(own)
}

/// The rows of all tables.
fn all() -> impl Iterator<Item = &'static Pass> {
    SHARED.iter().chain(FOR_SPIRV).chain(FOR_NAGA).chain(FOR_OPENCL)
}

/// What the passes find out about a module, besides changing it.
pub struct Outcome {
    /// How its kernels are launched.
    pub interface: ModuleInterface,
    /// What the writer declares.
    pub declarations: Declarations,
    /// What reports refer to.
    pub sanitized: Sanitized,
    /// What measurements refer to.
    pub measured: Measured,
}

/// Runs all passes for a target.
///
/// # Errors
/// Those of the first pass that fails.
pub fn run(
    module: &mut Module,
    library: &Library<'_>,
    profile: &DeviceProfile,
    options: &TranslateOptions,
    target: Target,
    observe: &mut dyn FnMut(&'static str, &Module),
) -> Result<Outcome, Vec<TranslateError>> {
    let mut context = Context::new(module, library, profile, options, target);
    let verify = cfg!(debug_assertions);
    let mut changed: Vec<&'static str> = Vec::new();
    for pass in pipeline(target) {
        if pass.only_after.is_empty() || pass.only_after.iter().any(|name| changed.contains(name)) {
            let before = size(context.module);
            run_pass(pass, &mut context, verify)?;
            if size(context.module) != before {
                changed.push(pass.name);
            }
        }
        observe(pass.name, context.module);
    }
    let Context { interface, declarations, sanitized, measuring, .. } = context;
    Ok(Outcome { interface, declarations, sanitized, measured: measuring.measured })
}

/// Runs some passes by name and verifies after each, for tests of single passes.
///
/// # Errors
/// Those of the first pass that fails.
///
/// # Panics
/// If there is no pass of a name.
pub fn run_named(
    module: &mut Module,
    names: &[&str],
    library: &Library<'_>,
    profile: &DeviceProfile,
    options: &TranslateOptions,
) -> Result<ModuleInterface, Vec<TranslateError>> {
    run_some(module, names, library, profile, options).map(|(interface, _)| interface)
}

/// Like [`run_named`], with the declarations for the SPIR-V module.
pub(crate) fn run_some(
    module: &mut Module,
    names: &[&str],
    library: &Library<'_>,
    profile: &DeviceProfile,
    options: &TranslateOptions,
) -> Result<(ModuleInterface, Declarations), Vec<TranslateError>> {
    let mut context = Context::new(module, library, profile, options, Target::Spirv);
    for name in names {
        let pass = all().find(|pass| pass.name == *name);
        run_pass(pass.unwrap_or_else(|| panic!("there is no pass called `{name}`")), &mut context, true)?;
    }
    Ok((context.interface, context.declarations))
}

/// The numbers of instructions and values ever made. Arenas only grow, so a pass that makes something changes
/// them.
fn size(module: &Module) -> (usize, usize) {
    let functions = || module.functions.iter().map(|(_, function)| function);
    (
        functions().map(|function| function.insts.len()).sum(),
        functions().map(|function| function.values.len()).sum(),
    )
}

fn run_pass(pass: &Pass, context: &mut Context<'_, '_>, verify: bool) -> Result<(), Vec<TranslateError>> {
    tracing::debug!(pass = pass.name, "run");
    if let Err(mut errors) = (pass.run)(context) {
        for error in &mut errors {
            error.span = context.call_sites.resolve(error.span).0;
        }
        return Err(errors);
    }
    let stage = match pass.establishes {
        establishes if establishes.contains(&Raised) => Stage::Raised,
        establishes if establishes.contains(&RaisedForNaga) => Stage::RaisedForNaga,
        establishes if establishes.contains(&RaisedForOpenCl) => Stage::RaisedForOpenCl,
        _ => Stage::Any,
    };
    if verify && let Err(errors) = verify_stage(context.module, stage) {
        panic!("the module is broken after the pass `{}`: {errors:?}", pass.name);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn each_pass_finds_what_it_requires() {
        for target in [Target::Spirv, Target::Naga, Target::OpenCl] {
            let mut established: HashSet<Property> = HashSet::new();
            for pass in pipeline(target) {
                for property in pass.requires {
                    assert!(
                        established.contains(property),
                        "`{}` requires {property:?}, which nothing before it establishes",
                        pass.name
                    );
                }
                established.extend(pass.establishes);
            }
        }
    }

    #[test]
    fn names_are_unique_and_purposes_given() {
        let mut names = HashSet::new();
        for pass in all() {
            let before = pass.only_after.iter().all(|name| names.contains(name));
            assert!(before, "`{}` waits for a pass that does not stand before it", pass.name);
            assert!(names.insert(pass.name), "two passes are called `{}`", pass.name);
            assert!(!pass.purpose.is_empty());
        }
    }
}
