//! The OpenCL API (1.0 to 3.0) on Vulkan: a driver that the OpenCL loader loads, or libOpenCL itself.
//!
//! - [`api`]: the entry points, one file for each section of the specification. They check arguments, in the
//!   order in which the specification lists the errors, and call the objects.
//! - [`object`]: platform, devices, contexts, programs and so on: what they hold and do.
//! - [`handle`]: which objects live, and what the application holds of them.
//! - [`entry`], [`border`], [`info`], [`code`]: what every entry point is made of.
//! - [`dispatch`]: the table of entry points that the loader reads; it is the list of what there is.
//!
//! Invariants: no panic crosses the border; a handle that is not live is an error and never followed; memory
//! of the application is read and written in [`border`], and by the runtime where a command says so. Data
//! flows down: `api` knows `object`, `object` knows the compiler and the runtime, and neither of these knows
//! anything of this crate.
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
