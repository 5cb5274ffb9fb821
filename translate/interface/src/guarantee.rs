//! What drivers do better than Vulkan demands, as data: one row each, with its source and how it was
//! measured.
//!
//! The library may have a variant of a function for devices that give a guarantee: `__clvk_exp_f32__precise`
//! replaces `__clvk_exp_f32` where [`Guarantee::PreciseFunctions`] is given (see [`Guarantee::suffix`]). A
//! feature may depend on a guarantee, too ([`Feature`](crate::Feature)). Nothing else may trust a device
//! beyond what Vulkan promises. A driver is named here only after the precision tests
//! (`tests/tests/precision`) and the exhaustive tests (`tests/tests/exhaustive/single_functions.rs`, which
//! tries all 2^32 values of a single argument) have confirmed the guarantee on it; or, for a single
//! instruction that the GPU's vendor or others document, after the driver's machine code was read
//! (`docs/log/gpu-compilers.md`).

use crate::driver::{ANV, HONEYKRISP, LAVAPIPE, NVIDIA, NVK, PANVK, RADV};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Something that a driver does better than it must.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Guarantee {
    /// `Fma` rounds once in single precision; Vulkan lets it round twice. NVIDIA's hardware has only this
    /// kind (CUDA C++ Programming Guide, "Floating-Point Standard"); seen with driver 580 on an H200. In Mesa
    /// 26.1 it is one instruction of GPUs whose multiply-add is fused: `ffma` with NVK and Honeykrisp, `mad`
    /// with ANV, `FMA.f32` with PanVK. RADV splits it on GPUs before GFX9, which the profile does not tell
    /// from others, and Turnip always.
    FusedMultiplyAdd,
    /// `Fma` rounds once in double precision. NVIDIA's driver as above; in Mesa 26.1 it is `dfma` with NVK,
    /// `mad` of double precision with ANV, and `v_fma_f64`, which every GPU since GCN has, with RADV.
    FusedMultiplyAddDouble,
    /// In single precision `Exp2` is within 2.1 ulp for every number, `InverseSqrt` within 1.6 and `Sqrt`
    /// within 1. Zeros, infinities and NaNs are right; subnormal numbers are computed or taken as zero.
    /// Vulkan allows `Exp2` 3 + 2 |x| ulp and leaves the others' edge cases open. NVIDIA documents 2^-22.5 of
    /// the result for `Exp2` and 2^-22.9 for `InverseSqrt` (PTX ISA, `ex2.approx` and `rsqrt.approx`). The
    /// figures above were measured over all 2^32 numbers with driver 580 on an H200.
    PreciseFunctions,
    /// In single precision `InverseSqrt` is within 1.5 ulp for every number, subnormal ones too, and right
    /// for zeros, infinities, NaNs and negative numbers. lavapipe divides by a root, both correctly rounded;
    /// seen with 22.3.6 and 25.0.7 over all 2^32 numbers (1.49 ulp).
    PreciseInverseRoots,
    /// Double precision is as fast as single precision, and its quotients and square roots are correctly
    /// rounded, as on a processor with IEEE 754 arithmetic. lavapipe's LLVM uses the processor's
    /// instructions; seen with 22.3 and 25.0.
    ProcessorDoubles,
    /// The sub-groups of a work-group make progress independently of each other: one may wait in a loop for
    /// what another one writes, whichever of them the device runs first. Vulkan does not promise it.
    /// `tests/tests/forward_progress.rs` measures it as the conformance test `subgroups ifp_core` does.
    /// NVIDIA's driver 580 gives it on an H200: GPUs of NVIDIA schedule warps one by one. lavapipe (22.3 and
    /// 25.0) and SwiftShader do not: between barriers they run the sub-groups of a work-group one after the
    /// other.
    ForwardProgress,
}

impl Guarantee {
    /// All guarantees, best first: the linker takes the first whose variant the library has.
    pub const ALL: &[Guarantee] = &[
        Guarantee::PreciseFunctions,
        Guarantee::FusedMultiplyAdd,
        Guarantee::FusedMultiplyAddDouble,
        Guarantee::PreciseInverseRoots,
        Guarantee::ProcessorDoubles,
        Guarantee::ForwardProgress,
    ];

    /// The suffix of a library function's variant for devices that give this guarantee.
    #[must_use]
    pub fn suffix(self) -> &'static str {
        match self {
            Guarantee::FusedMultiplyAdd => "__fused",
            Guarantee::FusedMultiplyAddDouble => "__fused_double",
            Guarantee::PreciseFunctions => "__precise",
            Guarantee::PreciseInverseRoots => "__inverse_root",
            Guarantee::ProcessorDoubles => "__processor",
            Guarantee::ForwardProgress => "__independent",
        }
    }

    /// Whether it says something about double precision only.
    #[must_use]
    pub fn is_of_doubles(self) -> bool {
        matches!(self, Guarantee::FusedMultiplyAddDouble | Guarantee::ProcessorDoubles)
    }

    /// The drivers that give this guarantee, as values of `VkDriverId`, each with its versions as (major,
    /// minor).
    #[must_use]
    pub fn drivers(self) -> &'static [(i32, Range<(u32, u32)>)] {
        const LAST: (u32, u32) = (u32::MAX, 0);
        const ALL: Range<(u32, u32)> = (0, 0)..LAST;
        /// The versions of Mesa whose machine code was read, and later ones.
        const READ: Range<(u32, u32)> = (26, 1)..LAST;
        match self {
            Guarantee::PreciseFunctions | Guarantee::ForwardProgress => &[(NVIDIA, ALL)],
            Guarantee::FusedMultiplyAdd => {
                &[(NVIDIA, ALL), (NVK, READ), (ANV, READ), (HONEYKRISP, READ), (PANVK, READ)]
            }
            Guarantee::FusedMultiplyAddDouble => &[(NVIDIA, ALL), (NVK, READ), (ANV, READ), (RADV, READ)],
            Guarantee::PreciseInverseRoots => &[(LAVAPIPE, (22, 3)..(22, 4)), (LAVAPIPE, (25, 0)..(25, 1))],
            Guarantee::ProcessorDoubles => &[(LAVAPIPE, ALL)],
        }
    }

    /// The guarantees of a driver, by its `VkDriverId` and its version
    /// ([`driver_version`](crate::vulkan::driver_version)).
    #[must_use]
    pub fn of_driver(id: i32, version: (u32, u32)) -> Vec<Guarantee> {
        let gives = |guarantee: &Guarantee| {
            guarantee.drivers().iter().any(|(driver, versions)| *driver == id && versions.contains(&version))
        };
        Self::ALL.iter().copied().filter(gives).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn precise_functions_come_with_fused_sums() {
        // The library's variants for precise functions rely on a fused multiply-add.
        for (driver, versions) in Guarantee::PreciseFunctions.drivers() {
            let given = Guarantee::of_driver(*driver, versions.start);
            assert!(given.contains(&Guarantee::FusedMultiplyAdd), "driver {driver}");
            assert!(given.contains(&Guarantee::FusedMultiplyAddDouble), "driver {driver}");
        }
        assert_eq!(Guarantee::of_driver(0, (26, 1)), []);
    }

    #[test]
    fn versions_whose_code_was_not_read_are_not_trusted() {
        assert_eq!(Guarantee::of_driver(RADV, (26, 1)), [Guarantee::FusedMultiplyAddDouble]);
        assert_eq!(Guarantee::of_driver(RADV, (22, 3)), []);
        assert_eq!(Guarantee::of_driver(NVK, (0, 0)), []);
        assert_eq!(Guarantee::of_driver(HONEYKRISP, (26, 2)), [Guarantee::FusedMultiplyAdd]);
        let measured = [Guarantee::PreciseInverseRoots, Guarantee::ProcessorDoubles];
        assert_eq!(Guarantee::of_driver(LAVAPIPE, (25, 0)), measured);
        assert_eq!(Guarantee::of_driver(LAVAPIPE, (26, 2)), [Guarantee::ProcessorDoubles]);
    }
}
