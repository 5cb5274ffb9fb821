//! The connection between programs and the runtime, and the lines that every host program would write.

use crate::{Compiler, Error, Program};
use bytemuck::{AnyBitPattern, NoUninit};
use clvk_cache::DiskCache;
use vk_runtime::{Arg, Buffer, Device, DeviceOptions, Instance, InstanceOptions};

/// Opens a device: the one with this index or this part of its name, or else the first usable one. Its
/// pipelines are kept in the user's cache ([`DiskCache::shared`]).
///
/// Use [`Device::new`] for other options, or to list the devices first.
///
/// # Errors
/// [`Error::Runtime`]: there is no Vulkan, no such device, or it cannot be used.
pub fn open_device(query: Option<&str>) -> Result<Device, Error> {
    let instance = Instance::new(&InstanceOptions::default())?;
    let info = match query {
        Some(query) => instance.select(query)?,
        None => instance.default_device()?,
    };
    let options = DeviceOptions { cache: DiskCache::shared(), ..DeviceOptions::default() };
    Ok(Device::new(&info, &options)?)
}

impl Compiler {
    /// A compiler for an opened device: [`Compiler::new`] for its profile, with checked accesses if the
    /// device is in robust mode.
    #[must_use]
    pub fn for_device(device: &Device) -> Self {
        Compiler::new(device.profile()).with_robustness(device.info().is_robust())
    }
}

impl From<&Device> for Compiler {
    fn from(device: &Device) -> Self {
        Compiler::for_device(device)
    }
}

impl Program {
    /// Loads the program on a device. The device must have the capabilities that the program was translated
    /// for; ideally it is the compiler's device ([`Compiler::for_device`]).
    ///
    /// # Errors
    /// [`Error::Runtime`]: the device cannot run the program.
    pub fn load(&self, device: &Device) -> Result<vk_runtime::Program, Error> {
        Ok(vk_runtime::Program::new(device, self.compiled.clone())?)
    }
}

/// A buffer on a device that holds these elements.
///
/// # Errors
/// [`Error::Runtime`]: there is not enough memory, or the device failed.
pub fn upload<T: NoUninit>(device: &Device, elements: &[T]) -> Result<Buffer, Error> {
    Ok(Buffer::with_data(device, bytemuck::cast_slice(elements))?)
}

/// The elements of a buffer, after everything submitted to the device before is done. Bytes at the end that
/// do not fill an element are left out.
///
/// # Errors
/// [`Error::Runtime`]: the device failed.
pub fn download<T: NoUninit + AnyBitPattern>(buffer: &Buffer) -> Result<Vec<T>, Error> {
    let count = buffer.size() as usize / size_of::<T>().max(1);
    let mut elements = vec![T::zeroed(); count];
    buffer.read(0, bytemuck::cast_slice_mut(&mut elements))?;
    Ok(elements)
}

/// A scalar, vector or structure as a kernel argument, in the layout of OpenCL C.
#[must_use]
pub fn value<T: NoUninit>(value: &T) -> Arg<'_> {
    Arg::Bytes(bytemuck::bytes_of(value))
}
