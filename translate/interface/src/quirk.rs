//! What drivers do wrong, as data: one row each, with its reason.
//!
//! To work round a driver, add a variant, say in its comment what was seen and where, list it in [`Quirk::ALL`] and name the
//! drivers in [`Quirk::drivers`]; the runtime puts it into the profile of the devices that these drive, and passes ask
//! [`DeviceProfile::has`](crate::DeviceProfile::has). Missing features and limits are no quirks.

use serde::{Deserialize, Serialize};

/// Something that a driver does wrong, which the compiler avoids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Quirk {
    /// Whether the smaller or larger of two 16-bit integers equals a constant is answered wrongly: `max(x, (short)0) != 0` is
    /// true for −5. Seen with NVIDIA 580 on an H200, for `SMin`, `SMax`, `UMin` and `UMax`, with addresses and with
    /// descriptors; 8, 32 and 64 bits are right.
    Int16MinMax,
    /// An array element is chosen wrongly by an index that is a bit of a 64-bit quotient or remainder:
    /// `a[x / y & 1]`. Seen with NVIDIA 580 on an H200, for signed and unsigned division; products, sums and
    /// 32-bit quotients are right.
    Int64Division,
}

/// `VK_DRIVER_ID_NVIDIA_PROPRIETARY`.
const NVIDIA: i32 = 4;

impl Quirk {
    /// All of them.
    pub const ALL: &[Quirk] = &[Quirk::Int16MinMax, Quirk::Int64Division];

    /// The drivers that have it, as values of `VkDriverId`.
    fn drivers(self) -> &'static [i32] {
        match self {
            Quirk::Int16MinMax | Quirk::Int64Division => &[NVIDIA],
        }
    }

    /// The quirks of a driver, by its `VkDriverId`.
    #[must_use]
    pub fn of_driver(id: i32) -> Vec<Quirk> {
        Self::ALL.iter().copied().filter(|quirk| quirk.drivers().contains(&id)).collect()
    }
}
