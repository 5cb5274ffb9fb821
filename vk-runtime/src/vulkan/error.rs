//! The one error type of the crate.
//!
//! Every message says what happened and what to do about it. Lower-level causes are in
//! [`std::error::Error::source`].

use ash::vk;

/// Who can act on an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The machine lacks something: a loader, a driver, a layer, a usable device.
    Setup,
    /// The caller asked for something that is wrong or that this device cannot do.
    Usage,
    /// The device or its driver failed: out of memory, lost, too slow.
    Device,
}

/// What went wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The Vulkan loader library is not there.
    #[error(
        "no Vulkan loader was found (libvulkan.so.1); install it and a driver: on Debian and Ubuntu \
         `apt install libvulkan1 mesa-vulkan-drivers`"
    )]
    NoLoader(#[source] ash::LoadingError),
    /// The loader only knows Vulkan 1.0.
    #[error("the Vulkan loader supports only Vulkan 1.0, but 1.1 is needed; update the package `libvulkan1`")]
    LoaderTooOld,
    /// The loader found no driver or the drivers found no device.
    #[error(
        "no Vulkan device was found; install the driver of your GPU or, for a software device, on Debian and Ubuntu \
         `apt install libvulkan1 mesa-vulkan-drivers`{}",
        icd_hint()
    )]
    NoDevice,
    /// No buffer is at the same address for the host and for kernels.
    #[error(
        "host and kernels cannot share addresses: the device gives buffers no address that is free in this process"
    )]
    SharedAddress,
    /// Validation was asked for and its layer is not installed.
    #[error(
        "validation needs the layer VK_LAYER_KHRONOS_validation, which is not installed; install it: on Debian and Ubuntu \
         `apt install vulkan-validationlayers`"
    )]
    NoValidationLayer,
    /// No device has this index or name.
    #[error("no Vulkan device matches `{query}`; the devices are: {devices}")]
    UnknownDevice {
        /// What was asked for.
        query: String,
        /// The devices that exist, with their indices.
        devices: String,
    },
    /// The device cannot run compute shaders for us.
    #[error("the device `{name}` cannot be used: {reason}; choose another one")]
    UnusableDevice {
        /// Its name.
        name: String,
        /// Why.
        reason: String,
    },
    /// There is no surface for the window.
    #[error("Vulkan cannot draw in the window: {0}")]
    NoSurface(String),
    /// The device cannot show images in this window, or in any.
    #[error("the device `{device}` cannot show images in the window: {reason}")]
    Presentation {
        /// Its name.
        device: String,
        /// Why.
        reason: String,
    },
    /// A Vulkan function failed in a way that no other variant covers.
    #[error("Vulkan could not {operation}")]
    Vulkan {
        /// What was being done, as the end of the sentence "Vulkan could not …".
        operation: &'static str,
        /// The result code.
        source: vk::Result,
    },
    /// Device or host memory ran out.
    #[error(
        "out of memory: could not allocate {size} bytes for {what}{hint}; free some buffers or use smaller ones"
    )]
    OutOfMemory {
        /// What the memory was for.
        what: &'static str,
        /// How much was asked for, in bytes.
        size: u64,
        /// A limit of the device that the size exceeds, or nothing.
        hint: String,
        /// What the allocator said.
        #[source]
        source: Option<gpu_allocator::AllocationError>,
    },
    /// The device stopped working.
    #[error(
        "the device was lost when asked to {operation}: a kernel crashed it or ran longer than the driver allows, or the \
         driver failed; all its buffers are gone, so open it again"
    )]
    DeviceLost {
        /// What was being done.
        operation: &'static str,
    },
    /// The device did not finish in time.
    #[error(
        "the device did not finish within {seconds} seconds; if the kernel does not loop forever, allow more time \
         (`DeviceOptions::wait_timeout`)"
    )]
    Timeout {
        /// The length of the wait.
        seconds: f64,
    },
    /// The driver did not run the loops of a launch to their end.
    #[error(
        "the driver ended loops of the kernel `{kernel}` early, so its results are wrong: this driver allows a work-item \
         65,535 iterations, all loops together; use a newer driver (Mesa 25 works) or divide the work into more \
         work-items"
    )]
    LoopsEnded {
        /// Name of the kernel.
        kernel: String,
    },
    /// Memory cannot be shared with other users of Vulkan.
    #[error("memory cannot be shared: {0}")]
    ExternalMemory(String),
    /// A semaphore cannot be shared with other users of Vulkan.
    #[error("the semaphore cannot be shared: {0}")]
    ExternalSemaphore(String),
    /// A buffer's or image's size is zero or above a limit of the device.
    #[error("{what} of {size} cannot be created: {limit}")]
    Size {
        /// "a buffer", "an image".
        what: &'static str,
        /// The size, with its unit.
        size: String,
        /// The limit that is exceeded, as a clause.
        limit: String,
    },
    /// A read, write or copy reaches beyond the end.
    #[error(
        "{operation} of {size} bytes at offset {offset} reaches beyond the end of a buffer of {length} bytes"
    )]
    OutOfRange {
        /// "read", "write", …
        operation: &'static str,
        /// First byte.
        offset: u64,
        /// Number of bytes.
        size: u64,
        /// Length of the buffer.
        length: u64,
    },
    /// Source and destination of a copy overlap.
    #[error(
        "the source and the destination of a copy within one buffer overlap; copy through another buffer"
    )]
    OverlappingCopy,
    /// The rows or slices of a box overlap.
    #[error("the row or slice pitch is wrong: {0}")]
    Pitch(String),
    /// A pattern to fill memory with is wrong.
    #[error("the fill pattern is wrong: {0}")]
    Pattern(String),
    /// A region lies outside its image, or does not suit another image.
    #[error("the image region is wrong: {0}")]
    ImageRegion(String),
    /// A command that a kernel enqueued cannot run.
    #[error("a command enqueued by a kernel cannot run: {reason}")]
    DeviceQueue {
        /// Why.
        reason: &'static str,
    },
    /// A command failed, or one that it waited for failed.
    #[error("the command failed with the code {code}")]
    CommandFailed {
        /// OpenCL's code.
        code: i32,
    },
    /// The event is not a user event, so its status cannot be set.
    #[error("only the status of a user event can be set; this event belongs to a command")]
    NotAUserEvent,
    /// The status of the user event is already set.
    #[error("the status of this user event is already set; create a new event")]
    EventIsSet,
    /// The operating system did not start a thread.
    #[error("could not start a thread; end some threads or raise the limit of the process")]
    Thread(#[source] std::io::Error),
    /// The data given for an image or taken from it does not have the image's size.
    #[error("the image holds {expected} bytes ({description}), but {given} bytes were given")]
    ImageDataSize {
        /// Bytes of the image.
        expected: u64,
        /// Bytes given.
        given: u64,
        /// Shape and format.
        description: String,
    },
    /// The device cannot do this with an image format.
    #[error("the device cannot use images of format {format}: {reason}")]
    ImageFormat {
        /// OpenCL's names of channel order and type.
        format: String,
        /// What is missing.
        reason: String,
    },
    /// The combination of sampler properties is not supported.
    #[error("the sampler cannot be created: {0}")]
    Sampler(String),
    /// The program does not suit the device, or is not a well-formed program.
    #[error("the program cannot be used: {0}")]
    InvalidProgram(String),
    /// No kernel has this name.
    #[error("the program has no kernel called `{name}`; its kernels are: {known}")]
    UnknownKernel {
        /// What was asked for.
        name: String,
        /// The names that exist.
        known: String,
    },
    /// The number of arguments is wrong.
    #[error("the kernel `{kernel}` takes {expected} arguments ({signature}), but {given} were given")]
    ArgumentCount {
        /// Kernel.
        kernel: String,
        /// Parameters it has.
        expected: usize,
        /// Arguments given.
        given: usize,
        /// The parameters' types and names.
        signature: String,
    },
    /// One argument is wrong.
    #[error("argument {index} of the kernel `{kernel}` ({type_name} {name}): {reason}")]
    Argument {
        /// Kernel.
        kernel: String,
        /// Index from 0.
        index: usize,
        /// Name of the parameter.
        name: String,
        /// Type of the parameter.
        type_name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The sizes of a launch are wrong.
    #[error("the kernel `{kernel}` cannot be launched: {reason}")]
    Launch {
        /// Kernel.
        kernel: String,
        /// Why not.
        reason: String,
    },
    /// Objects of two devices were mixed.
    #[error("{what} belongs to another device; use only objects of the same device together")]
    OtherDevice {
        /// Which object.
        what: &'static str,
    },
    /// The device's queue writes no time stamps.
    #[error("the queue of the device has no time stamps; measure on the host instead")]
    NoTimestamps,
}

impl Error {
    /// Who can act on it.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Error::NoLoader(_) | Error::LoaderTooOld | Error::NoDevice | Error::NoValidationLayer => {
                ErrorKind::Setup
            }
            Error::UnusableDevice { .. } | Error::NoSurface(_) | Error::Presentation { .. } => {
                ErrorKind::Setup
            }
            Error::Vulkan { .. }
            | Error::OutOfMemory { .. }
            | Error::DeviceLost { .. }
            | Error::LoopsEnded { .. }
            | Error::Timeout { .. } => ErrorKind::Device,
            _ => ErrorKind::Usage,
        }
    }

    /// Turns the result code of `operation` into an error: "Vulkan could not {operation}".
    pub(crate) fn vulkan(operation: &'static str) -> impl FnOnce(vk::Result) -> Error {
        move |source| match source {
            vk::Result::ERROR_DEVICE_LOST => Error::DeviceLost { operation },
            _ => Error::Vulkan { operation, source },
        }
    }
}

/// Explains an empty device list when an environment variable hides the installed drivers.
fn icd_hint() -> String {
    ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"]
        .iter()
        .find_map(|name| Some((name, std::env::var(name).ok()?)))
        .map(|(name, value)| format!(" (the environment restricts the drivers: {name}={value})"))
        .unwrap_or_default()
}

/// Shorthand of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;
