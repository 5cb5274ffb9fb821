//! What drivers do wrong, as data: one row each, with its reason.
//!
//! To work round a driver, add a variant, say in its comment what was seen and where, list it in
//! [`Quirk::ALL`] and name the drivers in [`Quirk::drivers`]; the runtime puts it into the profile of the
//! devices that these drive, and passes ask [`DeviceProfile::has`](crate::DeviceProfile::has). Missing
//! features and limits are not quirks.

use crate::driver::{LAVAPIPE, NVIDIA, SWIFTSHADER};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Something that a driver does wrong, which the compiler avoids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Quirk {
    /// Operations on 8- and 16-bit integers are not cut to their width before what follows: `-(char)-128` is
    /// 128, `(short)(a - b)` leaves the range of `short`, `max(x, (short)0) != 0` is true for −5. Seen with
    /// NVIDIA 580 on an H200, whose instructions are of 32 bits; memory of small elements is right.
    NarrowIntegers,
    /// The driver's compiler is wrong about the values that an integer can have: `(x & 255) / 255` of a
    /// number in local memory that is 1 is folded to 1, and results differ where small integers were loaded
    /// and widened. Seen with NVIDIA 580 on an H200, also where no division is linked
    /// ([`Quirk::LinkedDivisions`]).
    ValueRanges,
    /// Quotients for which the driver's compiler links a function of its own make it confuse the kernel's
    /// constants and the results of these functions: beside a division of 64-bit integers
    /// (`__cuda_sm20_div_u64` and the like, also by constants), of single or of double precision
    /// (`__cuda_sm3x_div_rn_noftz_f32_slowpath`, `__cuda_sm20_div_f64_slowpath_v2`), `x & 1` of a 64-bit `x`
    /// tests bit 34, `0xfffffffffffffffd` loses its upper word, an element is loaded from four times its
    /// offset, and the sum of a quotient and a constant becomes that of another quotient. Seen with NVIDIA
    /// 580 on an H200, in the machine code (`docs/log/random-programs.md`).
    LinkedDivisions,
    /// A memory barrier is also waited at by the whole work-group: where some work-items do not come by, or
    /// not as often, others are lost. Seen with lavapipe 22.3 for `OpMemoryBarrier` and for atomic operations
    /// with an order, in loops of different lengths; 25.0 is right. Its atomic operations without an order
    /// are sequentially consistent.
    MemoryBarrierMeets,
    /// `NumSubgroups` does not count the sub-group that is not full. Seen with lavapipe 22.3; 25.0 is right.
    FullSubgroupsCounted,
    /// Kernels with much private memory do not compile (`vkCreateComputePipelines` fails without saying why).
    /// Seen with NVIDIA 580 on an H200: an array of 14,000 bytes compiles, one of 16,000 does not.
    LargePrivateMemory,
    /// A work-item's loops are given 65,535 iterations, all loops of the kernel together; then each is left
    /// after one more, as if it were done. Seen with lavapipe 22.3; 25.0 is right. Nothing makes it go on, so
    /// that it is noticed and reported.
    LoopsEnd,
    /// Samplers round what they interpolate between texels of 8-bit normalised channels to 8 bits. Seen with
    /// lavapipe 22.3 and 25.0; other channels are interpolated in single precision.
    CoarseInterpolation,
    /// Samplers are up to two steps of 255 off in what they interpolate between texels of sRGB. Seen with
    /// NVIDIA 580 on an H200, where reading the texels themselves is right.
    EncodedInterpolation,
    /// Samplers are up to a step of 127 too low in what they interpolate between texels of signed 8-bit
    /// normalised channels where the result is negative. Seen with NVIDIA 580 on an H200; 16-bit channels are
    /// right.
    SignedInterpolation,
    /// Kernels write images that are made of buffers, but the driver does not say so of any format
    /// (`VK_FORMAT_FEATURE_2_STORAGE_WRITE_WITHOUT_FORMAT_BIT` of `VkFormatProperties3::bufferFeatures`), so
    /// that the validation layer complains of each. Seen with SwiftShader; what is written is right.
    UnreportedTexelWrites,
    /// The logarithm of a subnormal number is neither its own nor that of zero: `Log2` gives −126 and some.
    /// Seen with lavapipe 22.3 and 25.0 and with SwiftShader.
    SubnormalLogarithm,
    /// Copies and fills of buffers by the driver's commands use a fraction of the memory's bandwidth. Seen
    /// with NVIDIA 580 on an H200: `vkCmdCopyBuffer` moves 840 GB/s, of 4300 that a kernel moves.
    SlowTransfers,
    /// Of a value that is computed in a loop and used after it, work-items that leave the loop earlier than
    /// others beside them get what the last iteration left (mostly 0), unless several exits bring different
    /// values: where the merging block's `OpPhi` has one operand, the driver's optimiser takes the operand
    /// itself, and what was computed in a loop is kept for all work-items alike. Seen with SwiftShader and
    /// lavapipe 22.3; 25.0 is right.
    LoopResults,
    /// `-(c / x)` and `-(x / c)` of integers become quotients with `-c`, also for the smallest integer, whose
    /// negation is itself: `-(INT_MIN / 3)` is below zero. Seen with SwiftShader, whose optimiser is that of
    /// SPIRV-Tools; subtractions from zero stay.
    NegatedQuotients,
    /// `SMin` and `SMax` of integers that are declared as unsigned, as all are here, are folded as if they
    /// were `UMin` and `UMax`: where the optimiser finds out that both operands are constant,
    /// `max(0, -32768)` is -32768. Seen with SwiftShader, whose optimiser is that of SPIRV-Tools.
    UnsignedExtremes,
    /// Memory is read at an address that is the same for all work-items where none of them does: in the
    /// branch that none takes and after the last has left a loop, unless the condition is the same for all of
    /// them too, so that following a list to its null pointer ends the process. Seen with lavapipe 26.2; 25.0
    /// is right.
    UnguardedLoads,
    /// `c ? x : copysign(r, x)` is wrong, with the sign put together of bits as well: bits of `x` that are
    /// clear in `r`. Seen with lavapipe 26.2 on a processor with AVX-512, for which LLVM 22.1 makes one
    /// instruction of it.
    MergedSigns,
    /// Loops that may end early are unrolled up to a number of iterations that the driver guesses, as that
    /// many nested branches, and its compiler crashes beyond 80 of them. Seen with lavapipe 26.2, also where
    /// nothing asks for it; 25.0 does where it is asked.
    DeepUnrolling,
    /// Subnormal numbers of double precision are taken for zeros, which Vulkan allows and OpenCL does not.
    /// Seen with lavapipe 26.2.
    FlushedDoubles,
}

impl Quirk {
    /// All of them.
    pub const ALL: &[Quirk] = &[
        Quirk::NarrowIntegers,
        Quirk::ValueRanges,
        Quirk::LinkedDivisions,
        Quirk::MemoryBarrierMeets,
        Quirk::FullSubgroupsCounted,
        Quirk::LargePrivateMemory,
        Quirk::LoopsEnd,
        Quirk::CoarseInterpolation,
        Quirk::EncodedInterpolation,
        Quirk::SignedInterpolation,
        Quirk::UnreportedTexelWrites,
        Quirk::SubnormalLogarithm,
        Quirk::SlowTransfers,
        Quirk::LoopResults,
        Quirk::NegatedQuotients,
        Quirk::UnsignedExtremes,
        Quirk::UnguardedLoads,
        Quirk::MergedSigns,
        Quirk::DeepUnrolling,
        Quirk::FlushedDoubles,
    ];

    /// What is appended to a library function's name to name its variant for devices with this quirk, if
    /// there may be one.
    #[must_use]
    pub fn suffix(self) -> Option<&'static str> {
        match self {
            Quirk::LinkedDivisions => Some("__divided"),
            _ => None,
        }
    }

    /// The drivers that have it, as values of `VkDriverId`, each with the versions that do, as (major,
    /// minor).
    fn drivers(self) -> &'static [(i32, Range<(u32, u32)>)] {
        const LAST: (u32, u32) = (u32::MAX, 0);
        const ALL: Range<(u32, u32)> = (0, 0)..LAST;
        /// Mesa's, whose lavapipe says 0.0 up to 22.3.
        const OLD_MESA: Range<(u32, u32)> = (0, 0)..(25, 0);
        const NEW_MESA: Range<(u32, u32)> = (25, 1)..LAST;
        match self {
            Quirk::NarrowIntegers
            | Quirk::ValueRanges
            | Quirk::LinkedDivisions
            | Quirk::LargePrivateMemory
            | Quirk::EncodedInterpolation
            | Quirk::SignedInterpolation
            | Quirk::SlowTransfers => &[(NVIDIA, ALL)],
            Quirk::MemoryBarrierMeets | Quirk::FullSubgroupsCounted | Quirk::LoopsEnd => {
                &[(LAVAPIPE, OLD_MESA)]
            }
            Quirk::UnguardedLoads | Quirk::MergedSigns | Quirk::DeepUnrolling | Quirk::FlushedDoubles => {
                &[(LAVAPIPE, NEW_MESA)]
            }
            Quirk::CoarseInterpolation => &[(LAVAPIPE, ALL)],
            Quirk::NegatedQuotients | Quirk::UnsignedExtremes | Quirk::UnreportedTexelWrites => {
                &[(SWIFTSHADER, ALL)]
            }
            Quirk::LoopResults => &[(LAVAPIPE, OLD_MESA), (SWIFTSHADER, ALL)],
            Quirk::SubnormalLogarithm => &[(LAVAPIPE, ALL), (SWIFTSHADER, ALL)],
        }
    }

    /// The one that profiles call so.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Quirk> {
        use serde::de::{IntoDeserializer as _, value};
        let name: value::StrDeserializer<'_, value::Error> = name.into_deserializer();
        Quirk::deserialize(name).ok()
    }

    /// The quirks of a driver, by its `VkDriverId` and its version, as (major, minor).
    #[must_use]
    pub fn of_driver(id: i32, version: (u32, u32)) -> Vec<Quirk> {
        let has = |quirk: &Quirk| {
            quirk.drivers().iter().any(|(driver, versions)| *driver == id && versions.contains(&version))
        };
        Self::ALL.iter().copied().filter(has).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_driver_that_was_corrected_has_the_quirk_no_more() {
        let lavapipe = |version| Quirk::of_driver(LAVAPIPE, version);
        assert!(lavapipe((0, 0)).contains(&Quirk::MemoryBarrierMeets));
        assert!(!lavapipe((25, 0)).contains(&Quirk::MemoryBarrierMeets));
        assert!(lavapipe((25, 0)).contains(&Quirk::CoarseInterpolation));
        assert!(!lavapipe((25, 0)).contains(&Quirk::UnguardedLoads));
        assert!(lavapipe((26, 2)).contains(&Quirk::UnguardedLoads));
        assert!(Quirk::of_driver(NVIDIA, (580, 159)).contains(&Quirk::NarrowIntegers));
        assert_eq!(Quirk::of_driver(0, (1, 0)), []);
    }
}
