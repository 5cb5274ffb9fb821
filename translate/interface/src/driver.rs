//! The drivers that [`Quirk`](crate::Quirk) and [`Guarantee`](crate::Guarantee) know, as values of
//! `VkDriverId`.

/// Makes the constants, and the function that knows their names.
macro_rules! drivers {
    ($($name:literal $constant:ident = $id:literal;)*) => {
        $(#[doc = concat!("`VK_", $name, "`.")] pub(crate) const $constant: i32 = $id;)*

        /// The value of an enumerator of `VkDriverId`, named without `VK_`, if the driver is known here.
        pub(crate) fn id(name: &str) -> Option<i32> {
            match name {
                $($name => Some($constant),)*
                _ => None,
            }
        }
    };
}

drivers! {
    "DRIVER_ID_MESA_RADV" RADV = 3;
    "DRIVER_ID_NVIDIA_PROPRIETARY" NVIDIA = 4;
    "DRIVER_ID_INTEL_OPEN_SOURCE_MESA" ANV = 6;
    "DRIVER_ID_GOOGLE_SWIFTSHADER" SWIFTSHADER = 10;
    "DRIVER_ID_MESA_LLVMPIPE" LAVAPIPE = 13;
    "DRIVER_ID_MESA_TURNIP" TURNIP = 18;
    "DRIVER_ID_MESA_PANVK" PANVK = 20;
    "DRIVER_ID_MESA_NVK" NVK = 24;
    "DRIVER_ID_MESA_HONEYKRISP" HONEYKRISP = 26;
}

/// The version of a driver as (major, minor), from `driverVersion` and `driverInfo`.
///
/// Mesa's text (`Mesa 25.0.7-2 (LLVM 15.0.6)`) names its version, while the number of some of its drivers
/// says nothing: that of lavapipe 22.3 and 25.0 is 1. Other numbers are packed like Vulkan's own versions,
/// except for the minor number of NVIDIA's.
#[must_use]
pub fn driver_version(number: u32, info: &str) -> (u32, u32) {
    mesa_version(info).unwrap_or((number >> 22, number >> 12 & 0x3ff))
}

fn mesa_version(info: &str) -> Option<(u32, u32)> {
    let mut parts = info.strip_prefix("Mesa ")?.split(|c: char| !c.is_ascii_digit());
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mesa_tells_its_version_in_words() {
        // What lavapipe of Debian 12 and of its backports report.
        assert_eq!(driver_version(1, "Mesa 22.3.6 (LLVM 15.0.6)"), (22, 3));
        assert_eq!(driver_version(1, "Mesa 25.0.7-2~bpo12+1 (LLVM 15.0.6)"), (25, 0));
        assert_eq!(driver_version(1, "Mesa 26.1-devel (git-0123abcdef)"), (26, 1));
        // Others' numbers count.
        assert_eq!(driver_version(580 << 22 | 159 << 12, "580.159.03"), (580, 159));
        for unknown in ["", "Mesa", "Mesa 25", "Mesa x.y", "Mesa 99999999999.1"] {
            assert_eq!(driver_version(512 << 22 | 676 << 12, unknown), (512, 676), "{unknown}");
        }
    }
}
