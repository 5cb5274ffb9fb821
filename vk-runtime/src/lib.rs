//! Safe, OpenCL-shaped runtime over Vulkan: runs compute shaders that come with a [`KernelInterface`].
//!
//! It takes SPIR-V and plain data ([`CompiledModule`]) and knows nothing of the language that they were compiled
//! from. The objects, in the order in which one meets them:
//!
//! - [`Instance`] finds the [`DeviceInfo`]s; [`Device`] is an opened one, and its [`Device::profile`] is what to
//!   compile for.
//! - [`Buffer`] and [`Image`] live in device memory; [`Sampler`] goes with images.
//! - [`Program`] holds a module; its [`Kernel`]s take [`Arg`]s and a [`LaunchConfig`].
//! - [`Device::batch`] makes a [`Batch`], the simple way to run kernels; a [`Submission`] is one under way.
//! - A [`CommandQueue`] takes any [`Command`], with wait lists, and gives [`Event`]s.
//!
//! ```no_run
//! use vk_runtime::{Arg, Buffer, Device, DeviceOptions, Instance, InstanceOptions, LaunchConfig, Program};
//! # fn compiled_for(_: &clvk_interface::DeviceProfile) -> clvk_interface::CompiledModule { unreachable!() }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let instance = Instance::new(&InstanceOptions::default())?;
//! let device = Device::new(&instance.default_device()?, &DeviceOptions::default())?;
//!
//! let program = Program::new(&device, compiled_for(device.profile()))?;
//! let saxpy = program.kernel("saxpy")?;
//! let (x, y) = (Buffer::new(&device, 4096)?, Buffer::new(&device, 4096)?);
//! x.write(0, &[0; 4096])?;
//! y.fill(0)?;
//!
//! let mut batch = device.batch();
//! let arguments = [Arg::Bytes(&2.5f32.to_le_bytes()), Arg::Buffer(&x), Arg::Buffer(&y)];
//! batch.dispatch(&saxpy, &LaunchConfig::linear(1024), &arguments)?;
//! let submission = batch.submit()?;
//! submission.wait()?;
//! println!("{} ns", submission.timings()?[0].duration_ns());
//!
//! let mut result = [0; 4096];
//! y.read(0, &mut result)?;
//! # Ok(())
//! # }
//! ```
//!
//! # Order of effects
//!
//! Everything takes effect as if in the order of the calls: [`Buffer::write`], [`Buffer::read`], [`Batch::submit`] and so
//! on. A call blocks only as long as that demands. Operations that depend on each other through a buffer or image run in
//! order; independent ones may overlap. Dependencies through addresses stored *in* buffers are declared by [`Batch::uses`].
//! Commands of a [`CommandQueue`] that wait for events take their place in that order when they have waited.
//!
//! # Trust
//!
//! The API is safe as far as the host goes: handles live as long as the device uses them, and no argument or size
//! makes the runtime itself misbehave. What a kernel does is another matter: like any GPU kernel it can read and
//! write past the end of a buffer, and the SPIR-V goes to the driver as it is. Run kernels and modules that you
//! trust as much as native code.

mod arguments;
mod batch;
mod buffer;
mod clock;
mod command;
mod device;
mod device_queue;
mod error;
mod external;
mod facts;
mod features;
mod format;
mod frequency;
mod handle;
mod hazard;
mod image;
mod instance;
mod interface;
mod launch;
mod loop_watch;
mod memory;
mod physical;
mod pinned;
mod pipeline_cache;
mod print;
mod program;
mod sampler;
mod spirv;
mod staging;
mod support;
mod texels;
mod twin;
mod validation;

pub use arguments::Arg;
pub use batch::{Batch, DispatchTime, Submission};
pub use buffer::Buffer;
pub use clock::host_time;
pub use clvk_cache::{CacheKey, DiskCache};
pub use clvk_interface::{CompiledModule, DeviceProfile, KernelInterface, SamplerLevels};
pub use command::{Command, CommandQueue, Event, EventStatus, Mapping, Profile, QueueOptions, Rectangle};
pub use device::{Device, DeviceOptions, PipelineStatistics};
pub use error::{Error, ErrorKind, Result};
pub use facts::DeviceFacts;
pub use format::{ChannelOrder, ChannelType, ImageFormat};
pub use image::{Image, ImageDescription, ImageRegion};
pub use instance::{Instance, InstanceOptions};
pub use launch::LaunchConfig;
pub use physical::{DeviceInfo, DeviceKind};
pub use pinned::PinnedMemory;
pub use print::{PrintHandler, Printed};
pub use program::{Kernel, Program};
pub use sampler::{AddressingMode, FilterMode, Sampler, SamplerDescription};
pub use support::ImageSupport;
pub use texels::BufferImage;
pub use validation::{ValidationMessage, ValidationSeverity};
