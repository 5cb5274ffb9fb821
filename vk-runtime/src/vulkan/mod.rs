//! The lowest floor: Vulkan's own objects, and what devices can do.
//!
//! - [`instance`], [`physical_device`], [`logical_device`]: from the loader to an opened device;
//!   [`validation`] collects messages.
//! - [`capabilities`] with its table, [`properties`], [`mod@format`], [`format_support`], [`frequency`]: what
//!   a device offers.
//! - [`handle`], [`memory`] with [`budget`], [`external_memory`], [`external_semaphore`]: owners of what is
//!   created from a device. [`descriptor`]: file descriptors.
//! - [`performance`]: performance counters. [`surface`]: windows to show images in.
//! - [`clock`]: the device's time stamps on the host's clock. [`error`]: what can go wrong, on every floor.
//!
//! Nothing here knows about commands, kernels or the crate's public objects, and nothing imports `engine` or
//! `objects`.

pub(crate) mod budget;
pub(crate) mod capabilities;
mod capability_table;
pub(crate) mod clock;
pub(crate) mod descriptor;
pub(crate) mod error;
pub(crate) mod external_memory;
pub(crate) mod external_semaphore;
pub(crate) mod format;
pub(crate) mod format_support;
pub(crate) mod frequency;
pub(crate) mod handle;
pub(crate) mod instance;
pub(crate) mod logical_device;
pub(crate) mod memory;
pub(crate) mod performance;
pub(crate) mod physical_device;
pub(crate) mod properties;
mod structures;
pub(crate) mod surface;
pub(crate) mod validation;
