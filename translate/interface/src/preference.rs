//! What drivers do faster than its alternative, as data: one row each, with its measurements.
//!
//! A preference never decides whether a kernel runs, or what it computes. To add one, measure both ways, add
//! a variant with the figures, and name the drivers in [`Preference::drivers`].

use crate::driver::{ANV, LAVAPIPE, NVIDIA, RADV, TURNIP};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// One of two ways that is faster on some devices, where both are possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Preference {
    /// Buffers are reached through storage-buffer descriptors faster than through 64-bit addresses. Mesa's
    /// Turnip 26.1 makes 10 to 15 % fewer instructions of `tests/kernels` for Adreno 630 and 740, and a third
    /// fewer cycles stalled on memory; RADV and ANV make 7 to 20 % fewer, with 11 to 19 % fewer registers
    /// (`docs/log/gpu-compilers.md`).
    Descriptors,
    /// Vectors in buffers are reached through descriptors faster, single numbers through addresses. With
    /// lavapipe 22.3.6 copies of vectors of four take two thirds of the time with descriptors, and of two
    /// 0.8; single numbers in a loop take 1.3 times as long. With lavapipe 25.0.7 only loops over vectors
    /// gain, a fifth, and launches cost more (`docs/log/kernels.md`).
    VectorDescriptors,
    /// Numbers at places in buffers that are the same in all launches are loaded through descriptors faster,
    /// everything else through addresses. lavapipe 25.0.7 loads from 64-bit addresses by a gather of eight
    /// addresses, although they are equal, and through a descriptor at a known place one number:
    /// `convolution` takes 0.86 of the time (`docs/log/kpet-clvk.md`).
    FixedDescriptors,
    /// Many private variables are faster than arrays in private memory, although all indices but the last are
    /// constants. lavapipe 22.3 takes 1.2 to 5 times as long for kernels of the sanitizer that note in arrays
    /// which checks failed (`docs/log/sanitizer.md`). GPUs would need registers for the variables.
    Scalars,
    /// Small loops of unknown length that read global memory are faster with four iterations at once, because
    /// the loads of all four are under way together: `reduction` and others on an H200, whose driver does not
    /// unroll them. With lavapipe `bfs`, `spmv` and `spmv_ell` take 0.7 to 0.8 of the time without it on 22.3
    /// and 0.85 to 0.96 on 25.0 (`docs/log/kernels.md`). Mesa's RADV, ANV and Turnip make 5 to 6 % fewer
    /// instructions of `tests/kernels` without it, and what it is worth on their GPUs is not known.
    UnrolledLoops,
    /// Loops over large private arrays should stay loops, and so should those that copy one, those around
    /// loops that stay, and those over arrays that such loops index. lavapipe 22.3 copies each loop of up to
    /// 32 iterations that indexes one. For the emulated matrices of `tests/kernels` it takes 2 to 5 times as
    /// long then. 25.0 takes 1.6 to 2.6 times as long, and runs them no faster (`docs/log/compile-time.md`).
    RolledLoops,
    /// Loops through local memory should stay loops, or have four iterations at a time where the source asks
    /// for all. lavapipe copies those of up to 32 iterations: for `needle` and `lud_internal` 22.3 takes 4 to
    /// 5 times as long then, and 25.0.7 takes 4 times as long for `sgemm`, which it runs no faster. As loops
    /// they run as fast, except those that halve or double their counter, and on 22.3 `sgemm`, which takes
    /// 1.15 times as long (`docs/log/compile-time.md`).
    RolledLocalLoops,
    /// Loops through local memory that change 128 bytes of private variables or more are faster as all the
    /// copies that their source asks for, in spite of [`Preference::RolledLocalLoops`]. lavapipe 22.3.6
    /// merges what a loop carries in each iteration, and computes places in local memory for each work-item:
    /// `sgemm` takes 0.87 of the time as copies. With 25.0.7 it takes 1.06 times as long
    /// (`docs/log/kpet-clvk.md`).
    CopiedSums,
    /// Loops are faster with their test at the end, behind one for the first iteration. lavapipe executes all
    /// code with a mask of the work-items that are left, which a test at the start changes before each
    /// iteration: 22.3.6 takes 0.82 of the time for `bitonic_sort` and 0.86 for `sgemm`, 25.0.7 0.87 for
    /// `sgemm`, 0.93 for `mandelbrot` and 0.94 for `spmv` (`docs/log/kpet-clvk.md`). What it is worth on GPUs
    /// is not known.
    TestsAtEnd,
    /// Four neighbouring numbers in local memory are loaded faster as a vector, and arrays that are mostly
    /// read so are faster as arrays of vectors, although single numbers in them cost a shift and a mask more.
    /// An H200's driver (580.159.04) does not merge such loads: `kmeans` has 512 of them for each point and
    /// takes 1.428 ms; with an array of vectors, written by hand, it has 128 and takes 1.005 ms
    /// (`docs/log/kernels.md`). Mesa's drivers merge loads themselves.
    WideLocalLoads,
    /// Launches whose offsets are all zero are faster with pipelines of their own, which do not add them: the
    /// offsets of buffers that are descriptors, the global offset and the number of the first work-group. A
    /// kernel has up to twice as many pipelines then. Mesa's RADV and ANV 26.1 make 10 to 11 % fewer
    /// instructions of `tests/kernels`, Turnip 6 % (`docs/log/gpu-compilers.md`). lavapipe 22.3.6 takes 0.84
    /// to 0.95 of the time for small kernels with descriptors; 25.0.7, which has none, gains nothing
    /// (`docs/log/kpet-clvk.md`). What it is worth with other drivers is not known.
    OffsetMask,
    /// Arrays in local memory are faster as arrays of vectors if vectors are mostly loaded from them,
    /// although single numbers are stored. lavapipe loads the lanes of a vector together, but each number on
    /// its own: with the first tile of `sgemm` as vectors, 22.3.6 takes 0.75 of the time and 25.0.7 0.82
    /// (`docs/log/kpet-clvk.md`).
    LocalVectors,
    /// Texels at integer coordinates are read faster through the device's sampler than fetched, where the
    /// kernel has one. lavapipe 25.0.7 takes 0.67 of the time for `convolution`, whose pixels are of 8 bits.
    /// 22.3.6 is not faster so (`docs/log/kpet-clvk.md`).
    SampledTexels,
    /// Private memory that is accessed in words and in parts of them is faster in words. lavapipe clears each
    /// element of an array with a store of its own, which LLVM's scheduler compares with all others of the
    /// array, and accesses elements work-item by work-item. With 16-bit elements 22.3.6 takes 4 times as long
    /// to compile copies of large arrays of structures; kernels on such arrays run 1.7 to 5 times as long, on
    /// 25.0.7 2.6 to 3.4 times (`docs/log/compile-time.md`).
    PrivateWords,
    /// Loads of what nothing changes while a kernel runs are faster when they are marked (`NonWritable`),
    /// because the driver then moves them. An H200's (580.159.04) takes 0.96 of the time for `cfd` and 0.98
    /// for `black_scholes`. It moves them to where their results are used, so `bfs` takes 1.07 times as long
    /// if those that clvk has moved ahead are marked, too (`docs/log/kernels.md`).
    ReadOnlyLoads,
    /// Loads from local memory under conditions are faster if they begin before the conditions, even where
    /// those do not hold. An H200 (driver 580.159.04) takes 0.92 of the time for `lud`. lavapipe 22.3.6 takes
    /// 1.09 times as long for it, and 25.0.7 1.17 times (`docs/log/kernels.md`).
    SpeculatedLoads,
}

impl Preference {
    /// All preferences.
    pub const ALL: &[Preference] = &[
        Preference::Descriptors,
        Preference::VectorDescriptors,
        Preference::FixedDescriptors,
        Preference::Scalars,
        Preference::UnrolledLoops,
        Preference::RolledLoops,
        Preference::RolledLocalLoops,
        Preference::CopiedSums,
        Preference::TestsAtEnd,
        Preference::WideLocalLoads,
        Preference::OffsetMask,
        Preference::LocalVectors,
        Preference::SampledTexels,
        Preference::PrivateWords,
        Preference::ReadOnlyLoads,
        Preference::SpeculatedLoads,
    ];

    /// Those that say how kernels reach buffers.
    pub const OF_BUFFERS: &[Preference] =
        &[Preference::Descriptors, Preference::VectorDescriptors, Preference::FixedDescriptors];

    /// The drivers that have this preference, as values of `VkDriverId`, each with its versions as (major,
    /// minor).
    #[must_use]
    pub fn drivers(self) -> &'static [(i32, Range<(u32, u32)>)] {
        const ALL: Range<(u32, u32)> = (0, 0)..(u32::MAX, 0);
        const MEASURED: &[(i32, Range<(u32, u32)>)] =
            &[(LAVAPIPE, (22, 3)..(22, 4)), (LAVAPIPE, (25, 0)..(25, 1))];
        match self {
            Preference::Descriptors => &[(TURNIP, ALL), (RADV, ALL), (ANV, ALL)],
            Preference::OffsetMask => &[(TURNIP, ALL), (RADV, ALL), (ANV, ALL), (LAVAPIPE, (22, 3)..(22, 4))],
            Preference::VectorDescriptors | Preference::CopiedSums => &[(LAVAPIPE, (22, 3)..(22, 4))],
            Preference::RolledLoops
            | Preference::RolledLocalLoops
            | Preference::LocalVectors
            | Preference::PrivateWords => MEASURED,
            Preference::Scalars | Preference::TestsAtEnd => &[(LAVAPIPE, ALL)],
            Preference::SampledTexels | Preference::FixedDescriptors => &[(LAVAPIPE, (25, 0)..(25, 1))],
            Preference::UnrolledLoops
            | Preference::WideLocalLoads
            | Preference::ReadOnlyLoads
            | Preference::SpeculatedLoads => &[(NVIDIA, ALL)],
        }
    }

    /// The suffix of a library function's variant for devices with this preference, if a function may have
    /// one.
    #[must_use]
    pub fn suffix(self) -> Option<&'static str> {
        (self == Preference::SampledTexels).then_some("__sampled")
    }

    /// The preference with this name in profiles.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Preference> {
        crate::profile::named(name)
    }

    /// The preferences of a driver, by its `VkDriverId` and its version
    /// ([`driver_version`](crate::vulkan::driver_version)).
    #[must_use]
    pub fn of_driver(id: i32, version: (u32, u32)) -> Vec<Preference> {
        let has = |preference: &Preference| {
            let mut drivers = preference.drivers().iter();
            drivers.any(|(driver, versions)| *driver == id && versions.contains(&version))
        };
        Self::ALL.iter().copied().filter(has).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_measured_drivers_have_preferences() {
        assert_eq!(Preference::of_driver(TURNIP, (26, 1)), [Preference::Descriptors, Preference::OffsetMask]);
        let all = [
            Preference::VectorDescriptors,
            Preference::Scalars,
            Preference::RolledLoops,
            Preference::RolledLocalLoops,
            Preference::CopiedSums,
            Preference::TestsAtEnd,
            Preference::OffsetMask,
            Preference::LocalVectors,
            Preference::PrivateWords,
        ];
        assert_eq!(Preference::of_driver(LAVAPIPE, (22, 3)), all);
        let all = [
            Preference::FixedDescriptors,
            Preference::Scalars,
            Preference::RolledLoops,
            Preference::RolledLocalLoops,
            Preference::TestsAtEnd,
            Preference::LocalVectors,
            Preference::SampledTexels,
            Preference::PrivateWords,
        ];
        assert_eq!(Preference::of_driver(LAVAPIPE, (25, 0)), all);
        assert_eq!(Preference::of_driver(LAVAPIPE, (26, 2)), [Preference::Scalars, Preference::TestsAtEnd]);
        let all = [
            Preference::UnrolledLoops,
            Preference::WideLocalLoads,
            Preference::ReadOnlyLoads,
            Preference::SpeculatedLoads,
        ];
        assert_eq!(Preference::of_driver(NVIDIA, (580, 159)), all);
        assert_eq!(Preference::of_driver(0, (26, 1)), []);
    }
}
