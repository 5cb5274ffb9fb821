//! The upper floor: the crate's public objects, which check their arguments and use the engine.
//!
//! - [`device`]: an opened [`Device`](crate::Device), which owns the heap, the stream and what its objects
//!   share.
//! - [`buffer`], [`image`], [`buffer_image`], [`pitched_image`], [`sampler`], [`mapping`]: memory;
//!   [`external_buffer`], [`pinned`] and [`shared_memory`] are other ways to make buffers.
//! - [`program`], [`arguments`]: kernels and their arguments. [`pipeline_compiler`]: kernels that are only
//!   compiled. [`ahead`]: kernels that are compiled before they are launched. [`lifetime`]: what programs do
//!   when they begin and end.
//! - [`command`]: the constructors of commands. [`command_queue`] decides whether a command can be recorded
//!   now or must wait ([`pending`]), or has a thread ([`worker`]) do it; [`batch`] is the simple way.
//! - [`semaphore`]: order between queues; [`external_semaphore`]: between users of Vulkan.
//! - [`performance`]: what the device's counters say of a launch.
//! - [`presenter`]: images shown in a window.
//! - [`block_launcher`]: launches of what kernels enqueue. [`transfer_kernels`]: copies and fills by kernels.
//!
//! `unsafe` is allowed only in modules that take pointers to the application's memory.

pub(crate) mod ahead;
pub(crate) mod arguments;
pub(crate) mod batch;
pub(crate) mod block_launcher;
pub(crate) mod buffer;
pub(crate) mod buffer_image;
pub(crate) mod command;
pub(crate) mod command_queue;
pub(crate) mod device;
pub(crate) mod external_buffer;
pub(crate) mod external_semaphore;
pub(crate) mod image;
pub(crate) mod lifetime;
pub(crate) mod mapping;
pub(crate) mod pending;
pub(crate) mod performance;
pub(crate) mod pinned;
pub(crate) mod pipeline_compiler;
pub(crate) mod pitched_image;
pub(crate) mod presenter;
pub(crate) mod program;
pub(crate) mod sampler;
pub(crate) mod semaphore;
pub(crate) mod shared_memory;
pub(crate) mod transfer_kernels;
pub(crate) mod watching;
pub(crate) mod worker;
