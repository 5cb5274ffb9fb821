//! The objects of the API.

pub mod build;
pub mod by_kernel;
pub mod command_buffer;
pub mod context;
pub mod device;
pub mod device_info;
pub mod event;
pub mod extension;
pub mod format;
pub mod image;
pub mod kernel;
pub mod launch;
pub mod map;
pub mod memory;
pub mod mutable;
pub mod pixel;
pub mod platform;
pub mod program;
pub mod queue;
pub mod recipe;
pub mod rectangle;
pub mod sampler;
pub mod semaphore;
pub mod svm;
pub mod unified_svm;
pub mod usm;
