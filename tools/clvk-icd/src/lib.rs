//! The OpenCL API (1.0 to 3.0) on Vulkan: a driver that the OpenCL loader loads, or libOpenCL itself.
//!
//! - [`api`]: the entry points, one file for each section of the specification. They check arguments, in the
//!   order in which the specification lists the errors, and call the objects.
//! - [`object`]: platform, devices, contexts, programs and so on: what they hold and do.
//! - [`handle`]: which objects are live, and the application's references to them.
//! - [`entry`], [`border`], [`info`], [`code`]: the building blocks of entry points.
//! - `timeline`: what `CLVK_PROFILE` records.
//! - [`dispatch`]: the table of entry points that the loader reads; it lists everything that is implemented.
//!
//! Invariants: no panic crosses the border. A handle that is not live is an error and never dereferenced. The
//! application's memory is read and written only in [`border`], and by the runtime for commands. Dependencies
//! point down: `api` uses `object`, `object` uses the compiler and the runtime, and these do not know this
//! crate.
//!
//! Not here: compiling (`clvk-frontend`, `clvk-translate`) and executing (`vk-runtime`).

pub mod api;
pub mod border;
pub mod cl;
pub mod code;
pub mod dispatch;
pub mod entry;
pub mod handle;
pub mod info;
pub mod object;
mod timeline;
