//! A safe, OpenCL-like runtime over Vulkan. It runs compute shaders that come with a [`KernelInterface`].
//!
//! It takes SPIR-V and plain data ([`CompiledModule`]) and does not know the language that they were compiled
//! from. The objects, in the order of use:
//!
//! - [`Instance`] finds the [`DeviceInfo`]s. A [`Device`] is an opened one; compile for its
//!   [`Device::profile`].
//! - [`Buffer`] and [`Image`] live in device memory; [`Sampler`] goes with images.
//! - [`Program`] holds a module; its [`Kernel`]s take [`Arg`]s and a [`LaunchConfig`].
//! - [`Device::batch`] makes a [`Batch`], the simple way to run kernels; a [`Submission`] is a batch in
//!   flight.
//! - A [`CommandQueue`] takes any [`Command`], with wait lists, and gives [`Event`]s.
//! - A [`Presenter`] shows images in a window, which is a [`Surface`].
//! - A [`PipelineCompiler`] only compiles kernels, and says what the driver makes of them.
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
//! Everything takes effect as if in the order of the calls: [`Buffer::write`], [`Buffer::read`],
//! [`Batch::submit`] and so on. A call blocks only as long as that order demands. Operations that depend on
//! each other through a buffer or image run in order; independent ones may overlap. Dependencies through
//! addresses stored *in* buffers are declared by [`Batch::uses`]. Commands of a [`CommandQueue`] that wait
//! for events take their place in that order when the wait ends.
//!
//! # Trust
//!
//! The API is safe on the host: handles live as long as the device uses them, and no argument or size makes
//! the runtime itself misbehave. It does not confine kernels: like any GPU kernel, a kernel can read and
//! write past the end of a buffer, and the SPIR-V goes to the driver unchanged. Run only kernels and modules
//! that you trust as much as native code.

mod engine;
#[deny(unsafe_code)]
mod objects;
mod vulkan;

pub use clvk_cache::{CacheKey, DiskCache};
pub use clvk_interface::{CompiledModule, DeviceProfile, KernelInterface, SamplerLevels};
pub use engine::command::Command;
pub use engine::event::{Event, EventStatus, Profile};
pub use engine::executable::{Executable, ExecutableCost, Representation, Statistic, StatisticValue};
pub use engine::image::{ImageDescription, ImageRegion};
pub use engine::label::{Record, RecordHandler, Source};
pub use engine::nd_range::LaunchConfig;
pub use engine::pipeline::{Compilation, CompileHandler, PipelineStatistics};
pub use engine::print::{PrintHandler, PrintOptions, Printed};
pub use engine::reports::{MeasureHandler, ReportHandler};
pub use engine::sampler::{AddressingMode, FilterMode, SamplerDescription};
pub use objects::ahead::Expected;
pub use objects::arguments::Arg;
pub use objects::batch::{Batch, DispatchTime, Submission};
pub use objects::buffer::Buffer;
pub use objects::buffer_image::BufferImage;
pub use objects::command::buffer::Rectangle;
pub use objects::command_queue::{CommandQueue, QueueOptions};
pub use objects::device::{Device, DeviceOptions};
pub use objects::image::Image;
pub use objects::mapping::Mapping;
pub use objects::performance::PerformanceCounters;
pub use objects::pinned::PinnedMemory;
pub use objects::pipeline_compiler::{CompiledPipeline, PipelineCompiler, PipelineModule};
pub use objects::pitched_image::PitchedImage;
pub use objects::presenter::{Layer, PixelRectangle, Presenter, PresenterOptions};
pub use objects::program::{Kernel, Program};
pub use objects::sampler::Sampler;
pub use objects::semaphore::Semaphore;
pub use objects::shared_memory::InPlace;
pub use vulkan::clock::host_time;
pub use vulkan::error::{Error, ErrorKind, Result};
pub use vulkan::external_memory::MemoryHandle;
pub use vulkan::external_semaphore::SemaphoreHandle;
pub use vulkan::format::{ChannelOrder, ChannelType, ImageFormat};
pub use vulkan::format_support::ImageSupport;
pub use vulkan::instance::{Instance, InstanceOptions};
pub use vulkan::performance::PerformanceCounter;
pub use vulkan::physical_device::{DeviceInfo, DeviceKind};
pub use vulkan::properties::DeviceFacts;
pub use vulkan::surface::{Surface, WindowSystem};
pub use vulkan::validation::{ValidationMessage, ValidationSeverity};
