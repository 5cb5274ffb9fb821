//! What devices can hold in memory.

use clvk_interface::DeviceProfile;
use clvk_ir::VariableSpace;

/// What the device can hold in the memory of a class.
#[derive(Clone, Copy, Default)]
pub struct Device {
    /// No 64-bit integers: a unit is at most a word.
    pub no_64bit: bool,
    /// No bytes: a unit is at least a word.
    pub no_8bit: bool,
    /// No 16-bit integers: a unit is a word, or a byte if the device has bytes.
    pub no_16bit: bool,
    /// No half precision: its bits are stored as integers.
    pub no_half: bool,
}

impl Device {
    /// What a device can hold in a kind of memory; `None` if it is not known which.
    pub fn of(profile: &DeviceProfile, space: Option<VariableSpace>) -> Device {
        let (no_8bit, no_16bit) = match space {
            Some(VariableSpace::StorageBuffer { .. }) => {
                (!profile.buffers_hold_8bit(), !profile.buffers_hold_16bit())
            }
            Some(VariableSpace::Local) => (!profile.int8, !profile.int16),
            // Other work-items do not see it, so the elements may have any width (see `legalise`).
            _ => (false, false),
        };
        Device { no_64bit: !profile.int64, no_8bit, no_16bit, no_half: !profile.native_half() }
    }

    /// The capabilities that both have.
    pub fn and(self, other: Device) -> Device {
        Device {
            no_64bit: self.no_64bit || other.no_64bit,
            no_8bit: self.no_8bit || other.no_8bit,
            no_16bit: self.no_16bit || other.no_16bit,
            no_half: self.no_half || other.no_half,
        }
    }

    /// Whether it has no unit of this size, as log2 of bytes.
    pub fn lacks(self, unit: u32) -> bool {
        (unit == 0 && self.no_8bit) || (unit == 1 && self.no_16bit)
    }
}
