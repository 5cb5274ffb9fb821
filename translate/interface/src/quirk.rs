//! Driver errors as data: one row each, with its reason.
//!
//! To work around a driver error, add a variant, say in its comment what was seen and where, and name the
//! drivers in [`Quirk::drivers`]. The runtime puts it into the profiles of the devices with these drivers,
//! and passes ask [`DeviceProfile::has`]. Missing features and limits are not quirks.

use crate::DeviceProfile;
use crate::driver::{ANV, HONEYKRISP, LAVAPIPE, NVIDIA, NVK, PANVK, RADV, SWIFTSHADER, TURNIP};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Makes the enumeration and the list of its variants.
macro_rules! quirks {
    ($($(#[$doc:meta])* $variant:ident,)*) => {
        /// A driver error that the compiler avoids.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum Quirk {
            $($(#[$doc])* $variant,)*
        }

        impl Quirk {
            /// All quirks.
            pub const ALL: &[Quirk] = &[$(Quirk::$variant,)*];
        }
    };
}

quirks! {
    /// Results of 8- and 16-bit integer operations are not truncated to their width before they are used:
    /// `-(char)-128` is 128, `(short)(a - b)` leaves the range of `short`, `max(x, (short)0) != 0` is true
    /// for −5. Seen with NVIDIA 580 on an H200, which has only 32-bit instructions; memory of small elements
    /// is right.
    NarrowIntegers,
    /// The driver's compiler computes wrong ranges for integers: `(x & 255) / 255` of a number in local
    /// memory that is 1 is folded to 1, and results differ where small integers were loaded and widened. Seen
    /// with NVIDIA 580 on an H200, also where no division is linked ([`Quirk::LinkedDivisions`]).
    ValueRanges,
    /// For some quotients the driver's compiler links a function of its own, and then confuses the kernel's
    /// constants with the results of that function. This affects division of 64-bit integers
    /// (`__cuda_sm20_div_u64` and the like, also by constants), and of single and double precision
    /// (`__cuda_sm3x_div_rn_noftz_f32_slowpath`, `__cuda_sm20_div_f64_slowpath_v2`). Beside such a division,
    /// `x & 1` of a 64-bit `x` tests bit 34, `0xfffffffffffffffd` loses its upper word, an element is loaded
    /// from four times its offset, and the sum of a quotient and a constant becomes that of another quotient.
    /// Seen with NVIDIA 580 on an H200, in the machine code (`docs/log/random-programs.md`).
    LinkedDivisions,
    /// The whole work-group also waits at a memory barrier. Where some work-items do not reach it, or reach
    /// it less often, others get lost. Seen with lavapipe 22.3 for `OpMemoryBarrier` and for atomic
    /// operations with an order, in loops of different lengths; 25.0 is right. Its atomic operations without
    /// an order are sequentially consistent.
    MemoryBarrierMeets,
    /// The whole work-group waits at a barrier of a sub-group, and where some sub-groups do not reach it,
    /// others lose what they do after it. Seen with lavapipe 25.0.7, in copies of SYCL's libraries; later
    /// versions were not tried. Its sub-groups run in lockstep. Seen with Intel's OpenCL for processors
    /// 2026.22.10, too, for modules in SPIR-V (`docs/log/opencl-spirv.md`).
    SubGroupBarrierMeets,
    /// `NumSubgroups` does not count a sub-group that is not full. Seen with lavapipe 22.3; 25.0 is right.
    FullSubgroupsCounted,
    /// Kernels with much private memory do not compile (`vkCreateComputePipelines` fails without a reason).
    /// Seen with NVIDIA 580 on an H200: an array of 14,000 bytes compiles, one of 16,000 does not; and with
    /// Mesa's ANV 26.1, where the registers that do not fit count as well: on Lunar Lake and Battlemage an
    /// array of 16,000 bytes compiles and one of 20,000 does not, on DG2 one of 32,000 does and one of 48,000
    /// does not, and 7,600 bytes beside 4,000 such registers are too much. Older GPUs of Intel compile
    /// 128,000. PanVK 26.1 gives each element of an array 16 bytes, a byte too, and its compiler crashes
    /// (`Invalid byte offset`) where what it reaches at a constant place lies beyond 64 KiB: a variable
    /// behind an array of 5,600 bytes.
    LargePrivateMemory,
    /// A work-item's loops get 65,535 iterations, for all loops of the kernel together. After that, each loop
    /// is left after one iteration, as if it were done. Seen with lavapipe 22.3; 25.0 is right. Nothing
    /// prevents it, so the kernel detects it and the host reports it.
    LoopsEnd,
    /// Samplers round what they interpolate between texels with 8-bit normalised channels to 8 bits. Seen
    /// with lavapipe 22.3 and 25.0; other channels are interpolated in single precision.
    CoarseInterpolation,
    /// Samplers interpolate between sRGB texels with errors of up to two steps of 1/255. Seen with NVIDIA 580
    /// on an H200, where reading the texels themselves is right.
    EncodedInterpolation,
    /// Between texels with signed 8-bit normalised channels, samplers interpolate up to a step of 1/127 too
    /// low where the result is negative. Seen with NVIDIA 580 on an H200; 16-bit channels are right.
    SignedInterpolation,
    /// Kernels can write images that are made of buffers, but the driver does not report it for any format
    /// (`VK_FORMAT_FEATURE_2_STORAGE_WRITE_WITHOUT_FORMAT_BIT` of `VkFormatProperties3::bufferFeatures`), so
    /// the validation layer complains about each one. Seen with SwiftShader; the written values are right.
    UnreportedTexelWrites,
    /// The logarithm of a subnormal number is neither its own nor that of zero: `Log2` returns −126 and a
    /// fraction. Seen with lavapipe 22.3 and 25.0 and with SwiftShader.
    SubnormalLogarithm,
    /// The driver's commands that copy and fill buffers use a fraction of the memory's bandwidth. Seen with
    /// NVIDIA 580 on an H200: `vkCmdCopyBuffer` moves 840 GB/s, where a kernel moves 4300.
    SlowTransfers,
    /// A value is computed in a loop and used after it. Work-items that leave the loop earlier than their
    /// neighbours get what the last iteration left (mostly 0), unless several exits bring different values.
    /// Where the merging block's `OpPhi` has one operand, the driver's optimiser takes the operand itself,
    /// and what was computed in a loop is kept for all work-items alike. Seen with SwiftShader and lavapipe
    /// 22.3; 25.0 is right.
    LoopResults,
    /// `-(c / x)` and `-(x / c)` of integers become quotients with `-c`, also for the smallest integer, which
    /// is its own negation: `-(INT_MIN / 3)` becomes negative. Seen with SwiftShader, whose optimiser is that
    /// of SPIRV-Tools; subtractions from zero are left alone.
    NegatedQuotients,
    /// `SMin` and `SMax` of integers declared as unsigned, as all integers are here, are folded as if they
    /// were `UMin` and `UMax`. Where the optimiser finds both operands constant, `max(0, -32768)` is -32768.
    /// Seen with SwiftShader, whose optimiser is that of SPIRV-Tools.
    UnsignedExtremes,
    /// Memory is read at an address that is the same for all work-items even where none of them reads: in a
    /// branch that none takes, and after the last one has left a loop, unless the condition is the same for
    /// all of them too. Following a list to its null pointer then ends the process. Seen with lavapipe 26.2;
    /// 25.0 is right.
    UnguardedLoads,
    /// `c ? x : copysign(r, x)` is wrong: bits of `x` that are clear in `r` get into the result, even if the
    /// sign is combined by bit operations. Seen with lavapipe 26.2 on a processor with AVX-512, where LLVM
    /// 22.1 makes one instruction of it. With LLVM 15 (lavapipe 22.3 and 25.0) only bits of `fabs(r)` are
    /// wrong, which `simplify` replaces on all devices.
    MergedSigns,
    /// A lane of a vector of 32-bit integers that was extended to 64 bits, with its sign, is compared with a
    /// constant wrongly: `convert_long4(v).x < 100` is false for 5. Comparisons of whole vectors are right,
    /// and so is a vector whose lanes were extended one by one. Seen with lavapipe 22.3; 25.0 is right.
    ComparedLanes,
    /// The driver unrolls loops that may end early, up to a number of iterations that it guesses, into nested
    /// branches, one for each iteration; beyond 80 of them its compiler crashes. Seen with lavapipe 26.2,
    /// even without an unroll hint; with 25.0 only with a hint.
    DeepUnrolling,
    /// Subnormal numbers of double precision are taken as zeros, which Vulkan allows and OpenCL does not.
    /// Seen with lavapipe 26.2.
    FlushedDoubles,
    /// The driver expands each division of 64-bit integers, also by a constant, bit by bit into hundreds of
    /// instructions: seen with Mesa's RADV 22.3 for Navi 21 (714, and 443 by a constant, where our own code
    /// takes 95 and 42), and with its Turnip (910 on Adreno 780), NVK (669 on Turing), PanVK (10 kB),
    /// ANV (868 on Tiger Lake, ours 108) and Honeykrisp (810 on an M1, ours 87).
    ExpandedDivisions,
    /// Four 16-bit numbers cannot be packed into 64 bits (`OpBitcast`): the driver's compiler has no
    /// `pack_64_4x16` and ends the process or does not end. A sum of both numbers of a word, one of them
    /// shifted, compiles, and so does unpacking. Seen with Mesa's Honeykrisp 26.1 for the Apple M1.
    PackedQuarters,
    /// Sums and products of single precision are reassociated as if numbers were real, which SPIR-V can
    /// forbid and WGSL cannot (section Reassociation and Fusion): `(x + 0x1.8p23) - 0x1.8p23` becomes `x`.
    /// Seen with WGSL on lavapipe 22.3; no driver of Vulkan has it.
    ReassociatedFloats,
    /// A number that a loop carries from iteration to iteration is the index of a store to a private array,
    /// and its next value is computed before the store: the element of the next value is stored to.
    /// `t = a[j]; a[j] = a[j - 1]; a[j - 1] = t; --j` leaves three elements alike. Both numbers get one
    /// register, as if an index of an array were not a use. Seen with lavapipe 22.3; 25.0 is right.
    CountedIndices,
    /// Each lane of a vector is loaded and stored on its own: a `uchar4` costs four accesses, where a word
    /// and its unpacking cost one. Kernels that read and write `uchar4` take 1.2 to 2.3 times the
    /// processor's time so with lavapipe 22.3 and 25.0.
    SplitAccesses,
    /// Minima and maxima of floating-point numbers cost more than comparisons and selections of small
    /// integers: `convert_uchar4_sat` of `float4`, clamped, takes 1.3 times as long with lavapipe 22.3, and
    /// 1.05 times with 25.0, where RADV 22.3 needs 42 instructions instead of 69 for the kernel.
    SlowExtremes,
    /// Much private memory costs too much, of time or of the device's memory. lavapipe's time to compile a
    /// kernel grows with its square: 0.7 s of the processor for an array of 4 KiB, 7 s for 16 KiB, nearly a
    /// minute for 64 KiB, where LLVM's lists of uses become long; seen with 22.3, 25.0 and 26.1. Turnip 26.1
    /// allocates private memory for all work-items that the GPU can hold, when a pipeline is made: for 64 KiB
    /// 0.13 GB on an Adreno 618, 0.8 GB on a 660, and 1.6 GB on a 740. PanVK 26.1 makes registers of arrays
    /// with constant indices, and crashes where more than 64 KiB of those do not fit: seen on a Mali-G610
    /// with an array of 16 KiB.
    CostlyPrivateMemory,
    /// A loop whose number of iterations the driver knows carries a 64-bit integer whose next value is a sum
    /// or a difference, and the integer's upper word is used: `for (i = 0; i < 200; i++) s += a[j], j += n;`
    /// with a `ulong j` crashes the driver's compiler. As two words the integer can be carried. Seen with
    /// PanVK 26.1 for all of the Mali GPUs G310, G610, G720 and G725.
    CarriedSums,
    /// The GPU has one register for carries, and the driver's compiler does not keep sums of 64-bit integers
    /// apart: where the upper word of one is computed after the lower word of the next, it finds no register
    /// for the second carry and refuses the kernel (`assign_regs.rs: Failed to find free register`):
    /// `v += sub_group_shuffle_xor(v, 1); v += sub_group_shuffle_xor(v, 2);` with a `ulong v`. Seen with
    /// Mesa's NVK 26.1 for Maxwell and Pascal, which, unlike later GPUs, have no half precision.
    SingleCarry,
    /// Conditions that are inside about 80 others are ignored: work-items execute what they should not. Seen
    /// with lavapipe 22.3.6 and 25.0.7 (a kernel of 80 nested `if`s adds up to 3,161 instead of 3,240); the
    /// latter crashes with 82.
    NestedConditions,
}

impl Quirk {
    /// Those that SPIR-V for other drivers of OpenCL can avoid.
    pub const IN_OPENCL: &[Quirk] = &[Quirk::SubGroupBarrierMeets];

    /// The suffix of a library function's variant for devices with this quirk, if a function may have one.
    #[must_use]
    pub fn suffix(self) -> Option<&'static str> {
        match self {
            Quirk::LinkedDivisions => Some("__divided"),
            _ => None,
        }
    }

    /// Whether results are right even where nothing avoids it: it only costs time or memory.
    #[must_use]
    pub fn is_only_slow(self) -> bool {
        matches!(
            self,
            Quirk::SlowTransfers
                | Quirk::ExpandedDivisions
                | Quirk::SplitAccesses
                | Quirk::SlowExtremes
                | Quirk::CostlyPrivateMemory
        )
    }

    /// The drivers that have this quirk, as values of `VkDriverId`, each with the affected versions as
    /// (major, minor).
    #[must_use]
    pub fn drivers(self) -> &'static [(i32, Range<(u32, u32)>)] {
        const LAST: (u32, u32) = (u32::MAX, 0);
        const ALL: Range<(u32, u32)> = (0, 0)..LAST;
        /// Versions of Mesa before 25.0, the oldest that was seen to be right, and those that are not known.
        const OLD_MESA: Range<(u32, u32)> = (0, 0)..(25, 0);
        const NEW_MESA: Range<(u32, u32)> = (25, 1)..LAST;
        const SINCE_25: Range<(u32, u32)> = (25, 0)..LAST;
        match self {
            Quirk::NarrowIntegers
            | Quirk::ValueRanges
            | Quirk::LinkedDivisions
            | Quirk::EncodedInterpolation
            | Quirk::SignedInterpolation
            | Quirk::SlowTransfers => &[(NVIDIA, ALL)],
            Quirk::MemoryBarrierMeets
            | Quirk::FullSubgroupsCounted
            | Quirk::LoopsEnd
            | Quirk::CountedIndices
            | Quirk::ComparedLanes => &[(LAVAPIPE, OLD_MESA)],
            Quirk::SplitAccesses | Quirk::SlowExtremes | Quirk::NestedConditions => &[(LAVAPIPE, ALL)],
            Quirk::CostlyPrivateMemory => &[(LAVAPIPE, ALL), (TURNIP, ALL), (PANVK, ALL)],
            Quirk::SubGroupBarrierMeets => &[(LAVAPIPE, SINCE_25)],
            Quirk::UnguardedLoads | Quirk::MergedSigns | Quirk::DeepUnrolling | Quirk::FlushedDoubles => {
                &[(LAVAPIPE, NEW_MESA)]
            }
            Quirk::LargePrivateMemory => &[(NVIDIA, ALL), (ANV, ALL), (PANVK, ALL)],
            Quirk::PackedQuarters => &[(HONEYKRISP, ALL)],
            Quirk::CarriedSums => &[(PANVK, ALL)],
            Quirk::SingleCarry => &[(NVK, ALL)],
            Quirk::ExpandedDivisions => {
                &[(RADV, ALL), (TURNIP, ALL), (NVK, ALL), (PANVK, ALL), (ANV, ALL), (HONEYKRISP, ALL)]
            }
            Quirk::CoarseInterpolation => &[(LAVAPIPE, ALL)],
            Quirk::NegatedQuotients | Quirk::UnsignedExtremes | Quirk::UnreportedTexelWrites => {
                &[(SWIFTSHADER, ALL)]
            }
            Quirk::ReassociatedFloats => &[],
            Quirk::LoopResults => &[(LAVAPIPE, OLD_MESA), (SWIFTSHADER, ALL)],
            Quirk::SubnormalLogarithm => &[(LAVAPIPE, ALL), (SWIFTSHADER, ALL)],
        }
    }

    /// The quirk with this name in profiles.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Quirk> {
        crate::profile::named(name)
    }

    /// The quirks of a driver, given its `VkDriverId` and its version
    /// ([`driver_version`](crate::vulkan::driver_version)).
    #[must_use]
    pub fn of_driver(id: i32, version: (u32, u32)) -> Vec<Quirk> {
        let has = |quirk: &Quirk| {
            quirk.drivers().iter().any(|(driver, versions)| *driver == id && versions.contains(&version))
        };
        Self::ALL.iter().copied().filter(has).collect()
    }
}

/// What quirks make of limits.
impl DeviceProfile {
    /// Bytes of private memory that a work-item may have in variables that remain in memory. Vulkan has no
    /// limit that could be queried.
    #[must_use]
    pub fn private_memory_limit(&self) -> u32 {
        match self.has(Quirk::LargePrivateMemory) {
            // The registers that do not fit come on top of it.
            true if self.native_int8() => 4 << 10,
            // A byte may occupy a word.
            true => 3 << 10,
            false => 128 << 10,
        }
    }

    /// Bytes of private memory that a work-item should have in variables that remain in memory; a larger
    /// total goes to a buffer where it can.
    #[must_use]
    pub fn private_memory(&self) -> u32 {
        match self.has(Quirk::CostlyPrivateMemory) {
            true => self.private_memory_limit().min(8 << 10),
            false => self.private_memory_limit(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_driver_that_was_corrected_no_longer_has_the_quirk() {
        let lavapipe = |version| Quirk::of_driver(LAVAPIPE, version);
        assert!(lavapipe((22, 3)).contains(&Quirk::MemoryBarrierMeets));
        // A version that is not known may be an old one.
        assert!(lavapipe((0, 0)).contains(&Quirk::MemoryBarrierMeets));
        assert!(!lavapipe((25, 0)).contains(&Quirk::MemoryBarrierMeets));
        assert!(lavapipe((25, 0)).contains(&Quirk::CoarseInterpolation));
        assert!(!lavapipe((25, 0)).contains(&Quirk::UnguardedLoads));
        assert!(lavapipe((26, 2)).contains(&Quirk::UnguardedLoads));
        assert!(Quirk::of_driver(NVIDIA, (580, 159)).contains(&Quirk::NarrowIntegers));
        assert_eq!(Quirk::of_driver(0, (1, 0)), []);
    }
}
