//! Profiles of a device without some of its features, or with a driver that has errors.

use clvk_interface::{DeviceProfile, Quirk};

/// The device as it is, and what it can pretend to be.
pub fn variants(profile: &DeviceProfile) -> Vec<(&'static str, DeviceProfile)> {
    let native = profile.clone();
    let no_storage = DeviceProfile {
        storage_8bit: false,
        storage_16bit: false,
        push_constant_8bit: false,
        push_constant_16bit: false,
        ..profile.clone()
    };
    let no_small = DeviceProfile { int8: false, int16: false, float16: false, ..no_storage.clone() };
    let no_int64 = DeviceProfile {
        int64: false,
        buffer_int64_atomics: false,
        shared_int64_atomics: false,
        ..profile.clone()
    };
    let nothing = DeviceProfile { int64: false, ..no_small.clone() };
    let quirks = DeviceProfile { quirks: Quirk::ALL.to_vec(), ..profile.clone() };
    let mut variants: Vec<(&'static str, DeviceProfile)> = Vec::new();
    for (name, variant) in [
        ("native", native),
        ("no-small-storage", no_storage),
        ("no-small-types", no_small),
        ("no-int64", no_int64),
        ("nothing-small-or-large", nothing),
        ("driver-quirks", quirks),
    ] {
        if variants.iter().all(|(_, known)| *known != variant) {
            variants.push((name, variant));
        }
    }
    variants
}
