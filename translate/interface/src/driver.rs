//! The drivers that [`Quirk`](crate::Quirk) and [`Guarantee`](crate::Guarantee) know, as values of
//! `VkDriverId`.

/// `VK_DRIVER_ID_NVIDIA_PROPRIETARY`.
pub(crate) const NVIDIA: i32 = 4;
/// `VK_DRIVER_ID_GOOGLE_SWIFTSHADER`.
pub(crate) const SWIFTSHADER: i32 = 10;
/// `VK_DRIVER_ID_MESA_LLVMPIPE`.
pub(crate) const LAVAPIPE: i32 = 13;
