//! What drivers do better than Vulkan demands, as data: one row each, with its source and how it was
//! measured.
//!
//! The library may have a variant of a function for devices that give a guarantee: `__clvk_exp_f32__precise`
//! replaces `__clvk_exp_f32` where [`Guarantee::PreciseFunctions`] is given (see [`Guarantee::suffix`]). A
//! feature may depend on a guarantee, too ([`Feature`](crate::Feature)). Nothing else may trust a device
//! beyond what Vulkan promises. A driver is named here only after the precision tests
//! (`tests/tests/precision`) and the exhaustive tests (`tests/tests/exhaustive/single_functions.rs`, which
//! tries all 2^32 values of a single argument) have confirmed the guarantee on it.

use crate::driver::{LAVAPIPE, NVIDIA};
use serde::{Deserialize, Serialize};

/// Something that a driver does better than it must.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Guarantee {
    /// `Fma` rounds once, in single and double precision; Vulkan lets it round twice. NVIDIA's hardware has
    /// only this kind (CUDA C++ Programming Guide, "Floating-Point Standard"); seen with driver 580 on an
    /// H200.
    FusedMultiplyAdd,
    /// In single precision `Exp2` is within 2.1 ulp for every number, `InverseSqrt` within 1.6 and `Sqrt`
    /// within 1. Zeros, infinities and NaNs are right; subnormal numbers are computed or taken as zero.
    /// Vulkan allows `Exp2` 3 + 2 |x| ulp and leaves the others' edge cases open. NVIDIA documents 2^-22.5 of
    /// the result for `Exp2` and 2^-22.9 for `InverseSqrt` (PTX ISA, `ex2.approx` and `rsqrt.approx`). The
    /// figures above were measured over all 2^32 numbers with driver 580 on an H200.
    PreciseFunctions,
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
        Guarantee::ProcessorDoubles,
        Guarantee::ForwardProgress,
    ];

    /// The suffix of a library function's variant for devices that give this guarantee.
    #[must_use]
    pub fn suffix(self) -> &'static str {
        match self {
            Guarantee::FusedMultiplyAdd => "__fused",
            Guarantee::PreciseFunctions => "__precise",
            Guarantee::ProcessorDoubles => "__processor",
            Guarantee::ForwardProgress => "__independent",
        }
    }

    /// The drivers that give this guarantee, as values of `VkDriverId`.
    #[must_use]
    pub fn drivers(self) -> &'static [i32] {
        match self {
            Guarantee::FusedMultiplyAdd | Guarantee::PreciseFunctions | Guarantee::ForwardProgress => {
                &[NVIDIA]
            }
            Guarantee::ProcessorDoubles => &[LAVAPIPE],
        }
    }

    /// The guarantees of a driver, by its `VkDriverId`.
    #[must_use]
    pub fn of_driver(id: i32) -> Vec<Guarantee> {
        Self::ALL.iter().copied().filter(|guarantee| guarantee.drivers().contains(&id)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn precise_functions_come_with_fused_sums() {
        // The library's variants for precise functions rely on a fused multiply-add.
        for &driver in Guarantee::PreciseFunctions.drivers() {
            assert!(Guarantee::of_driver(driver).contains(&Guarantee::FusedMultiplyAdd), "driver {driver}");
        }
        assert_eq!(Guarantee::of_driver(0), []);
    }
}
