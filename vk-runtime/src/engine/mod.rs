//! The middle floor: the engine that orders a device's work.
//!
//! - [`buffer`], [`image`], [`sampler`], [`texel_view`], [`pipeline`]: what commands use, made from the
//!   memory heap and the limits alone.
//! - [`command`], [`launch`], [`arguments`], [`transfer`], [`fill`]: commands as plain data, which name their
//!   device by a number. [`nd_range`], [`interface_check`] and [`spirv`] are the arithmetic and the checks
//!   behind launches.
//! - [`stream`]: the one order of a device's work. It records commands into [`slot`]s and submits them
//!   ([`record`], `record_image`, [`hazard`], [`signal`]), or submits a slot again ([`repeat`]). An [`arena`]
//!   provides the memory for a submission's data. [`label`], [`runs`] and [`sampling`] make
//!   records of labelled commands: they time some, and estimate the others.
//! - [`event`]: the state of a command. [`followup`] is what its changes trigger, and [`event::Dependent`] is
//!   anything that waits. [`watch`] is the thread that waits for the device where no other may.
//! - [`staging`], [`pinned`], [`host_mirror`], [`placed`]: data between host and device. [`host_work`]: small
//!   commands that the host does itself.
//! - [`semaphore`]: semaphores that other users of Vulkan have too.
//! - [`device_enqueue`], [`device_queue`]: kernels that enqueue others. [`mod@print`], [`loop_watch`],
//!   [`reports`], [`faults`]: other output of launches.
//! - [`swapchain`]: the images of a window.
//! - [`compile_table`]: which pipelines are compiled, and who does it. [`compile_pool`]: threads that do it
//!   before launches ask. [`pipeline_cache`]: compiled pipelines, kept from process to process.
//!   [`executable`]: what the driver made of them. [`counting`]: launches under the device's counters.
//!
//! Nothing here knows the crate's public objects; what the engine needs of them are traits
//! ([`event::Dependent`], [`device_enqueue::BlockLauncher`]). It imports `vulkan` but nothing from `objects`.

pub(crate) mod arena;
pub(crate) mod arguments;
pub(crate) mod buffer;
pub(crate) mod command;
pub(crate) mod compile_pool;
pub(crate) mod compile_table;
pub(crate) mod counting;
pub(crate) mod device_enqueue;
pub(crate) mod device_queue;
pub(crate) mod event;
pub(crate) mod executable;
pub(crate) mod faults;
pub(crate) mod fill;
pub(crate) mod followup;
pub(crate) mod hazard;
pub(crate) mod host_mirror;
pub(crate) mod host_work;
pub(crate) mod image;
pub(crate) mod interface_check;
pub(crate) mod label;
pub(crate) mod launch;
pub(crate) mod loop_watch;
pub(crate) mod nd_range;
pub(crate) mod pinned;
pub(crate) mod pipeline;
pub(crate) mod pipeline_cache;
pub(crate) mod placed;
pub(crate) mod print;
pub(crate) mod record;
mod record_image;
pub(crate) mod repeat;
pub(crate) mod reports;
pub(crate) mod runs;
pub(crate) mod sampler;
pub(crate) mod sampling;
pub(crate) mod semaphore;
pub(crate) mod signal;
pub(crate) mod slot;
pub(crate) mod spirv;
pub(crate) mod staging;
pub(crate) mod stream;
pub(crate) mod swapchain;
#[cfg(test)]
mod tests;
pub(crate) mod texel_view;
pub(crate) mod transfer;
mod watch;
