//! libclvk_launch: devices, buffers, images, samplers and launches. `runtime/clvk_launch.h` explains what
//! they do.
//!
//! Everything keeps its device open, and belongs to one thread. A buffer or image may be dropped while a
//! launch uses it: dropping waits.
#![allow(dead_code)]

use std::ffi::{c_char, c_int, c_void, CStr, CString};
use std::fmt;
use std::ptr::{null, null_mut, NonNull};
use std::rc::Rc;

/// Opaque objects of C.
macro_rules! opaque {
    ($($name:ident)*) => {
        $(#[repr(C)]
        pub struct $name {
            _private: [u8; 0],
        })*
    };
}

opaque! { RawDevice RawBuffer RawImage RawSampler RawProgram RawData }

#[repr(C)]
struct RawArg {
    kind: c_int,
    number: u64,
    object: *const c_void,
}

extern "C" {
    fn clvk_message() -> *const c_char;
    fn clvk_device_open(name: *const c_char, device: *mut *mut RawDevice) -> c_int;
    fn clvk_device_close(device: *mut RawDevice);
    fn clvk_device_name(device: *const RawDevice) -> *const c_char;
    fn clvk_finish(device: *mut RawDevice) -> c_int;
    fn clvk_cache_get(device: *mut RawDevice, data: *mut c_void, size: *mut usize) -> c_int;
    fn clvk_cache_put(device: *mut RawDevice, data: *const c_void, size: usize) -> c_int;
    fn clvk_buffer_create(device: *mut RawDevice, size: u64, buffer: *mut *mut RawBuffer) -> c_int;
    fn clvk_buffer_destroy(buffer: *mut RawBuffer);
    fn clvk_buffer_size(buffer: *const RawBuffer) -> u64;
    fn clvk_buffer_write(buffer: *mut RawBuffer, offset: u64, data: *const c_void, size: u64) -> c_int;
    fn clvk_buffer_read(buffer: *mut RawBuffer, offset: u64, data: *mut c_void, size: u64) -> c_int;
    fn clvk_buffer_fill(buffer: *mut RawBuffer, offset: u64, size: u64, word: u32) -> c_int;
    fn clvk_image_create(
        device: *mut RawDevice,
        description: *const ImageDescription,
        image: *mut *mut RawImage,
    ) -> c_int;
    fn clvk_image_destroy(image: *mut RawImage);
    fn clvk_image_size(image: *const RawImage) -> u64;
    fn clvk_image_write(image: *mut RawImage, pixels: *const c_void) -> c_int;
    fn clvk_image_read(image: *mut RawImage, pixels: *mut c_void) -> c_int;
    fn clvk_sampler_create(
        device: *mut RawDevice,
        addressing: Addressing,
        linear: c_int,
        normalized: c_int,
        sampler: *mut *mut RawSampler,
    ) -> c_int;
    fn clvk_sampler_destroy(sampler: *mut RawSampler);
    fn clvk_program_create(device: *mut RawDevice, data: *const RawData, program: *mut *mut RawProgram) -> c_int;
    fn clvk_program_destroy(program: *mut RawProgram);
    fn clvk_program_variant(program: *const RawProgram) -> *const c_char;
    fn clvk_launch(
        program: *mut RawProgram,
        kernel: u32,
        range: *const Range,
        args: *const RawArg,
        count: u32,
    ) -> c_int;
}

/// Why a function failed.
#[derive(Clone, Debug)]
pub struct Error {
    /// The `clvk_status` of C.
    pub status: i32,
    /// The reason, as a sentence.
    pub message: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

/// Result of the functions here.
pub type Result<T> = std::result::Result<T, Error>;

/// `CLVK_INVALID`.
const INVALID: i32 = 4;

fn check(status: c_int) -> Result<()> {
    if status == 0 {
        return Ok(());
    }
    // SAFETY: the message of this thread's last failure is a string, valid until the next failure.
    let message = unsafe { text(clvk_message()) };
    Err(Error { status, message })
}

fn invalid(message: &str) -> Error {
    Error { status: INVALID, message: message.to_owned() }
}

/// # Safety
/// `text` is a string of C.
unsafe fn text(text: *const c_char) -> String {
    CStr::from_ptr(text).to_string_lossy().into_owned()
}

struct OpenDevice(NonNull<RawDevice>);

impl Drop for OpenDevice {
    fn drop(&mut self) {
        // SAFETY: everything that was made from it holds a reference, so it is gone.
        unsafe { clvk_device_close(self.0.as_ptr()) }
    }
}

/// An opened device.
#[derive(Clone)]
pub struct Device(Rc<OpenDevice>);

impl Device {
    /// The best device, or the best one with this part in its name.
    pub fn open(name: Option<&str>) -> Result<Device> {
        let name = name.map(CString::new).transpose().map_err(|_| invalid("the name contains a zero byte"))?;
        let mut device = null_mut();
        // SAFETY: the name is a string or null, and there is a place for the device.
        check(unsafe { clvk_device_open(name.as_ref().map_or(null(), |name| name.as_ptr()), &mut device) })?;
        Ok(Device(Rc::new(OpenDevice(made(device)))))
    }

    /// Its name.
    pub fn name(&self) -> String {
        // SAFETY: the device is open.
        unsafe { text(clvk_device_name(self.raw())) }
    }

    /// Submits everything that was launched, and waits for it.
    pub fn finish(&self) -> Result<()> {
        // SAFETY: the device is open.
        check(unsafe { clvk_finish(self.raw()) })
    }

    /// Compiled pipelines, for the next process.
    pub fn cache(&self) -> Result<Vec<u8>> {
        let mut size = 0;
        // SAFETY: the device is open; without data the call gives the size.
        check(unsafe { clvk_cache_get(self.raw(), null_mut(), &mut size) })?;
        let mut data = vec![0; size];
        // SAFETY: the data has this size.
        check(unsafe { clvk_cache_get(self.raw(), data.as_mut_ptr().cast(), &mut size) })?;
        data.truncate(size);
        Ok(data)
    }

    /// Adds what [`Device::cache`] gave; data of another driver is ignored.
    pub fn add_cache(&self, data: &[u8]) -> Result<()> {
        // SAFETY: the device is open, and the data has this size.
        check(unsafe { clvk_cache_put(self.raw(), data.as_ptr().cast(), data.len()) })
    }

    fn raw(&self) -> *mut RawDevice {
        self.0 .0.as_ptr()
    }
}

/// A function that succeeded has made an object.
fn made<T>(object: *mut T) -> NonNull<T> {
    NonNull::new(object).expect("a function that succeeds makes an object")
}

/// A number that buffers hold.
///
/// # Safety
/// Every pattern of bits is a value, and there is no padding.
pub unsafe trait Number: Copy + Default {}

macro_rules! numbers {
    ($($ty:ty)*) => {
        $(
            // SAFETY: it is a number.
            unsafe impl Number for $ty {}
        )*
    };
}

numbers! { i8 u8 i16 u16 i32 u32 i64 u64 f32 f64 }

/// The bytes of a slice.
pub fn bytes<T: Number>(values: &[T]) -> &[u8] {
    // SAFETY: numbers have no padding.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), std::mem::size_of_val(values)) }
}

/// Memory of a device.
pub struct Buffer {
    raw: NonNull<RawBuffer>,
    _device: Device,
}

impl Buffer {
    /// Memory of a size in bytes; its contents are undefined.
    pub fn new(device: &Device, size: u64) -> Result<Buffer> {
        let mut raw = null_mut();
        // SAFETY: the device is open, and there is a place for the buffer.
        check(unsafe { clvk_buffer_create(device.raw(), size, &mut raw) })?;
        Ok(Buffer { raw: made(raw), _device: device.clone() })
    }

    /// Memory with these contents, which are not empty.
    pub fn with<T: Number>(device: &Device, contents: &[T]) -> Result<Buffer> {
        let buffer = Buffer::new(device, std::mem::size_of_val(contents) as u64)?;
        buffer.write(0, contents)?;
        Ok(buffer)
    }

    /// Size in bytes.
    pub fn size(&self) -> u64 {
        // SAFETY: the buffer exists.
        unsafe { clvk_buffer_size(self.raw.as_ptr()) }
    }

    /// Writes at an offset in bytes.
    pub fn write<T: Number>(&self, offset: u64, contents: &[T]) -> Result<()> {
        let bytes = bytes(contents);
        // SAFETY: the buffer exists, and the data has this size.
        check(unsafe { clvk_buffer_write(self.raw.as_ptr(), offset, bytes.as_ptr().cast(), bytes.len() as u64) })
    }

    /// Reads this many numbers from an offset in bytes, after the launches before it.
    pub fn read<T: Number>(&self, offset: u64, count: usize) -> Result<Vec<T>> {
        let mut contents = vec![T::default(); count];
        let size = std::mem::size_of_val(&contents[..]) as u64;
        // SAFETY: the buffer exists, and the place has this size; every pattern of bits is a number.
        check(unsafe { clvk_buffer_read(self.raw.as_ptr(), offset, contents.as_mut_ptr().cast(), size) })?;
        Ok(contents)
    }

    /// Repeats a word; offset and size in bytes are multiples of 4.
    pub fn fill(&self, offset: u64, size: u64, word: u32) -> Result<()> {
        // SAFETY: the buffer exists.
        check(unsafe { clvk_buffer_fill(self.raw.as_ptr(), offset, size, word) })
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: it exists, and the device is still open.
        unsafe { clvk_buffer_destroy(self.raw.as_ptr()) }
    }
}

/// Shape of an image.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimension {
    D1,
    D1Array,
    D2,
    D2Array,
    D3,
}

/// Channels of an image, with OpenCL's numbers.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    R = 0x10B0,
    Rg = 0x10B2,
    Rgba = 0x10B5,
    Bgra = 0x10B6,
}

/// Type of a channel, with OpenCL's numbers.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    SnormInt8 = 0x10D0,
    SnormInt16 = 0x10D1,
    UnormInt8 = 0x10D2,
    UnormInt16 = 0x10D3,
    SignedInt8 = 0x10D7,
    SignedInt16 = 0x10D8,
    SignedInt32 = 0x10D9,
    UnsignedInt8 = 0x10DA,
    UnsignedInt16 = 0x10DB,
    UnsignedInt32 = 0x10DC,
    HalfFloat = 0x10DD,
    Float = 0x10DE,
}

/// Shape and format of an image. Sizes are in pixels; those that the dimension lacks are 1.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageDescription {
    pub dimension: Dimension,
    pub order: Order,
    pub channel: Channel,
    pub width: u32,
    pub height: u32,
    pub depth: u32,
    pub layers: u32,
}

/// An image.
pub struct Image {
    raw: NonNull<RawImage>,
    _device: Device,
}

impl Image {
    /// An image; its contents are undefined.
    pub fn new(device: &Device, description: &ImageDescription) -> Result<Image> {
        let mut raw = null_mut();
        // SAFETY: the device is open, and there is a place for the image.
        check(unsafe { clvk_image_create(device.raw(), description, &mut raw) })?;
        Ok(Image { raw: made(raw), _device: device.clone() })
    }

    /// Bytes of all pixels.
    pub fn size(&self) -> u64 {
        // SAFETY: the image exists.
        unsafe { clvk_image_size(self.raw.as_ptr()) }
    }

    /// Writes all pixels, row after row, slice after slice.
    pub fn write<T: Number>(&self, pixels: &[T]) -> Result<()> {
        let bytes = bytes(pixels);
        if bytes.len() as u64 != self.size() {
            return Err(invalid("the pixels do not have the size of the image"));
        }
        // SAFETY: the image exists, and there are as many bytes as it has.
        check(unsafe { clvk_image_write(self.raw.as_ptr(), bytes.as_ptr().cast()) })
    }

    /// Reads all pixels.
    pub fn read<T: Number>(&self) -> Result<Vec<T>> {
        let mut pixels = vec![T::default(); self.size() as usize / std::mem::size_of::<T>()];
        if std::mem::size_of_val(&pixels[..]) as u64 != self.size() {
            return Err(invalid("the size of the image is not a multiple of that of a number"));
        }
        // SAFETY: the image exists, and the place has its size; every pattern of bits is a number.
        check(unsafe { clvk_image_read(self.raw.as_ptr(), pixels.as_mut_ptr().cast()) })?;
        Ok(pixels)
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        // SAFETY: it exists, and the device is still open.
        unsafe { clvk_image_destroy(self.raw.as_ptr()) }
    }
}

/// What a sampler reads beyond the edges of an image.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Addressing {
    None = 0,
    ClampToEdge = 2,
    Clamp = 4,
    Repeat = 6,
    MirroredRepeat = 8,
}

/// A sampler.
pub struct Sampler {
    raw: NonNull<RawSampler>,
    _device: Device,
}

impl Sampler {
    /// A sampler; `normalized` coordinates run from 0 to 1.
    pub fn new(device: &Device, addressing: Addressing, linear: bool, normalized: bool) -> Result<Sampler> {
        let mut raw = null_mut();
        let (linear, normalized) = (c_int::from(linear), c_int::from(normalized));
        // SAFETY: the device is open, and there is a place for the sampler.
        check(unsafe { clvk_sampler_create(device.raw(), addressing, linear, normalized, &mut raw) })?;
        Ok(Sampler { raw: made(raw), _device: device.clone() })
    }
}

impl Drop for Sampler {
    fn drop(&mut self) {
        // SAFETY: it exists, and the device is still open.
        unsafe { clvk_sampler_destroy(self.raw.as_ptr()) }
    }
}

/// The work-items of a launch.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    pub dimensions: u32,
    pub global: [u64; 3],
    /// The work-group size; zeros let the library choose.
    pub local: [u32; 3],
    pub offset: [u64; 3],
}

impl Range {
    /// This many work-items in one dimension.
    pub fn linear(x: u64) -> Range {
        Range { dimensions: 1, ..Range::spatial(x, 1, 1) }
    }

    /// This many work-items in two dimensions.
    pub fn planar(x: u64, y: u64) -> Range {
        Range { dimensions: 2, ..Range::spatial(x, y, 1) }
    }

    /// This many work-items in three dimensions.
    pub fn spatial(x: u64, y: u64, z: u64) -> Range {
        Range { dimensions: 3, global: [x, y, z], local: [0; 3], offset: [0; 3] }
    }

    /// The same with this work-group size.
    pub fn with_local(self, local: [u32; 3]) -> Range {
        Range { local, ..self }
    }
}

/// An argument of a kernel.
#[derive(Clone, Copy)]
pub enum Arg<'a> {
    /// A pointer to the byte at an offset of a buffer.
    Buffer(&'a Buffer, u64),
    /// A null pointer.
    Null,
    /// The bytes of a scalar, vector or structure; a vector of 3 lanes takes as much as one of 4.
    Value(&'a [u8]),
    /// Local memory of this many bytes.
    Local(u64),
    /// An image.
    Image(&'a Image),
    /// A sampler.
    Sampler(&'a Sampler),
}

impl Arg<'_> {
    fn raw(&self) -> RawArg {
        let (kind, number, object) = match *self {
            Arg::Buffer(buffer, offset) => (0, offset, buffer.raw.as_ptr() as *const c_void),
            Arg::Null => (1, 0, null()),
            Arg::Value(bytes) => (2, bytes.len() as u64, bytes.as_ptr().cast()),
            Arg::Local(size) => (3, size, null()),
            Arg::Image(image) => (4, 0, image.raw.as_ptr() as *const c_void),
            Arg::Sampler(sampler) => (5, 0, sampler.raw.as_ptr() as *const c_void),
        };
        RawArg { kind, number, object }
    }
}

/// A program on a device.
pub struct LoadedProgram {
    raw: NonNull<RawProgram>,
    _device: Device,
}

impl LoadedProgram {
    /// Loads the first variant that suits the device.
    ///
    /// # Safety
    /// `data` is a program's tables, which live for ever.
    pub unsafe fn new(device: &Device, data: *const RawData) -> Result<LoadedProgram> {
        let mut raw = null_mut();
        check(clvk_program_create(device.raw(), data, &mut raw))?;
        Ok(LoadedProgram { raw: made(raw), _device: device.clone() })
    }

    /// The profile that the variant was compiled for.
    pub fn variant(&self) -> String {
        // SAFETY: the program exists.
        unsafe { text(clvk_program_variant(self.raw.as_ptr())) }
    }

    /// Launches a kernel by its number.
    pub fn launch(&self, kernel: u32, range: &Range, args: &[Arg<'_>]) -> Result<()> {
        let raw: Vec<RawArg> = args.iter().map(Arg::raw).collect();
        // SAFETY: the program exists; the arguments name objects that exist, which wait for the launch when
        // they are dropped, and values, which are copied.
        check(unsafe { clvk_launch(self.raw.as_ptr(), kernel, range, raw.as_ptr(), raw.len() as u32) })
    }
}

impl Drop for LoadedProgram {
    fn drop(&mut self) {
        // SAFETY: it exists, and the device is still open.
        unsafe { clvk_program_destroy(self.raw.as_ptr()) }
    }
}
