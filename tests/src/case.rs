//! What a test case is: plain data that any OpenCL implementation can run.
//!
//! A case names its kernel source, the memory before it runs, the launches in order, and the expected memory
//! afterwards. Launches refer to memory by [`ResourceId`]; an output is a resource with an expectation.

use clvk_interface::ScalarType;
use std::path::{Path, PathBuf};

/// Which of its two sizes a case is built at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// Takes well under a second on a software driver; the shapes do not divide evenly where the kernel
    /// allows that.
    Small,
    /// For a large GPU: a launch takes far longer than its overhead, and the data is several times as large
    /// as a 60 MB cache.
    Bench,
}

impl Size {
    /// `small` or `bench`, whichever this is.
    pub fn pick<T>(self, small: T, bench: T) -> T {
        match self {
            Size::Small => small,
            Size::Bench => bench,
        }
    }
}

/// A case that can be built at either size.
#[derive(Clone, Copy, Debug)]
pub struct Definition {
    /// Name, unique in the registry.
    pub name: &'static str,
    /// Makes the inputs and computes the reference.
    pub build: fn(Size) -> Case,
}

/// Kernels to run and their expected results.
#[derive(Clone, Debug, Default)]
pub struct Case {
    /// Name, as in its [`Definition`].
    pub name: String,
    /// Path of the source, relative to [`kernel_folder`].
    pub source: String,
    /// Build options, as OpenCL spells them.
    pub options: Vec<String>,
    /// The memory, by [`ResourceId`].
    pub resources: Vec<Resource>,
    /// The launches, in order; each sees what the previous ones wrote.
    pub launches: Vec<Launch>,
    /// The expected contents at the end.
    pub outputs: Vec<Output>,
    /// What one run of all launches moves and computes, for tables of speed.
    pub work: Work,
}

/// Index into [`Case::resources`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResourceId(pub usize);

/// Device memory and its contents before the first launch.
#[derive(Clone, Debug)]
pub struct Resource {
    /// Name, for messages and files.
    pub name: String,
    /// Shape.
    pub kind: ResourceKind,
    /// Contents, little-endian; rows of an image follow each other without gaps.
    pub data: Vec<u8>,
    /// What it forbids kernels.
    pub forbids: Option<Forbids>,
}

/// Accesses that a buffer forbids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forbids {
    /// `CL_MEM_WRITE_ONLY`.
    Reads,
    /// `CL_MEM_READ_ONLY`.
    Writes,
    /// Reads of what nothing has written: the buffer is made without contents.
    EarlyReads,
}

/// Shape of a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResourceKind {
    /// A buffer of records without padding; a record of one scalar is a plain array.
    Buffer {
        /// The scalars of one record, in order.
        record: Vec<ScalarType>,
    },
    /// A two-dimensional image with four normalised bytes for each pixel (`CL_RGBA`, `CL_UNORM_INT8`).
    ImageRgba8 {
        /// Pixels in a row.
        width: usize,
        /// Rows.
        height: usize,
        /// Whether kernels write it; otherwise they read it.
        written: bool,
    },
}

impl Resource {
    /// The scalar types of its bytes, repeating.
    #[must_use]
    pub fn record(&self) -> &[ScalarType] {
        match &self.kind {
            ResourceKind::Buffer { record } => record,
            ResourceKind::ImageRgba8 { .. } => &[ScalarType::U8],
        }
    }
}

/// One launch of a kernel.
#[derive(Clone, Debug)]
pub struct Launch {
    /// Name of the kernel.
    pub kernel: String,
    /// Global size: one to three dimensions, each a multiple of the local size.
    pub global: Vec<usize>,
    /// Local size, with as many dimensions.
    pub local: Vec<usize>,
    /// Global offset: empty, or as many dimensions.
    pub offset: Vec<usize>,
    /// The arguments, in order.
    pub arguments: Vec<Argument>,
}

/// One kernel argument.
#[derive(Clone, Debug)]
pub enum Argument {
    /// A buffer or an image.
    Resource(ResourceId),
    /// A scalar, vector or structure by value: its bytes, little-endian.
    Value(Vec<u8>),
    /// A pointer to this many bytes of local memory.
    Local(usize),
    /// A null pointer instead of a buffer.
    Null,
    /// A sampler.
    Sampler(Sampler),
}

impl Argument {
    /// A value of plain data: `uint` from `u32`, `float2` from `[f32; 2]` and so on.
    pub fn value<T: bytemuck::NoUninit>(value: T) -> Self {
        Argument::Value(bytemuck::bytes_of(&value).to_vec())
    }
}

/// The properties of a sampler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sampler {
    /// What is read outside the image.
    pub addressing: Addressing,
    /// Whether it interpolates between pixels rather than taking the nearest.
    pub linear: bool,
    /// Whether coordinates run from 0 to 1.
    pub normalized: bool,
}

/// What is read outside an image (OpenCL C §6.15.15.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Addressing {
    /// The border colour (`CLK_ADDRESS_CLAMP`).
    Clamp,
    /// The nearest pixel of the edge (`CLK_ADDRESS_CLAMP_TO_EDGE`).
    ClampToEdge,
}

/// The expected contents of a resource after the last launch.
#[derive(Clone, Debug)]
pub struct Output {
    /// The resource.
    pub resource: ResourceId,
    /// Its contents according to the reference.
    pub expected: Vec<u8>,
    /// The allowed deviation of the result.
    pub tolerance: Tolerance,
    /// Why this deviation is allowed.
    pub reason: String,
    /// Width and height, if the result is a picture with four bytes for each pixel that is worth keeping as a
    /// PNG.
    pub picture: Option<(usize, usize)>,
}

/// Why a result of floating-point numbers may be expected exactly, where the kernel turns contraction off.
pub const NOT_FUSED: &str = "sums and products that are not fused round the same everywhere";

/// The allowed deviation of a result from the reference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tolerance {
    /// The same bytes.
    Exact,
    /// Floats: `|result - expected| <= absolute + relative * |expected|`; infinities and NaNs must agree.
    Float {
        /// Absolute part.
        absolute: f64,
        /// Relative part.
        relative: f64,
    },
    /// Integers: a difference of at most this.
    Steps(u64),
}

/// What one run of a case's launches moves and computes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// The least number of bytes of global memory that must be read and written.
    pub bytes: u64,
    /// Arithmetic operations, if they limit the kernel; otherwise 0.
    pub operations: u64,
}

impl Case {
    /// A case without memory, launches or outputs.
    #[must_use]
    pub fn new(name: impl Into<String>, source: impl Into<String>) -> Self {
        Case { name: name.into(), source: source.into(), ..Case::default() }
    }

    /// Adds a buffer of scalars with these contents.
    pub fn input<T: bytemuck::NoUninit>(
        &mut self,
        name: impl Into<String>,
        element: ScalarType,
        data: &[T],
    ) -> ResourceId {
        self.add(name, ResourceKind::Buffer { record: vec![element] }, bytemuck::cast_slice(data).to_vec())
    }

    /// Adds a buffer of `count` scalars for kernels to write. Every byte is initially [`UNWRITTEN`].
    pub fn output(&mut self, name: impl Into<String>, element: ScalarType, count: usize) -> ResourceId {
        let size = element.size().expect("outputs are made of scalars") as usize;
        self.add(name, ResourceKind::Buffer { record: vec![element] }, vec![UNWRITTEN; count * size])
    }

    /// Adds a resource of any kind.
    pub fn add(&mut self, name: impl Into<String>, kind: ResourceKind, data: Vec<u8>) -> ResourceId {
        self.resources.push(Resource { name: name.into(), kind, data, forbids: None });
        ResourceId(self.resources.len() - 1)
    }

    /// Adds a launch.
    pub fn launch<const N: usize>(
        &mut self,
        kernel: impl Into<String>,
        global: [usize; N],
        local: [usize; N],
        arguments: Vec<Argument>,
    ) {
        for (global, local) in global.iter().zip(&local) {
            assert!(global % local == 0, "{}: {global} is not a multiple of {local}", self.name);
        }
        self.launches.push(Launch {
            kernel: kernel.into(),
            global: global.to_vec(),
            local: local.to_vec(),
            offset: Vec::new(),
            arguments,
        });
    }

    /// Expects `values` in a resource.
    pub fn expect<T: bytemuck::NoUninit>(
        &mut self,
        resource: ResourceId,
        values: &[T],
        tolerance: Tolerance,
        reason: impl Into<String>,
    ) {
        let expected: Vec<u8> = bytemuck::cast_slice(values).to_vec();
        assert_eq!(expected.len(), self.resources[resource.0].data.len(), "{}: size of an output", self.name);
        self.outputs.push(Output { resource, expected, tolerance, reason: reason.into(), picture: None });
    }

    /// Path of the source file.
    #[must_use]
    pub fn source_path(&self) -> PathBuf {
        kernel_folder().join(&self.source)
    }
}

/// The bytes of an output before it is written: a value that no kernel here writes everywhere.
pub const UNWRITTEN: u8 = 0xCD;

/// The folder of the kernel sources. The environment variable `CLVK_KERNELS` overrides it, for a program that
/// runs on another machine than the one that built it.
#[must_use]
pub fn kernel_folder() -> PathBuf {
    match std::env::var_os("CLVK_KERNELS") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels"),
    }
}

/// `count` rounded up to a multiple of `step`.
#[must_use]
pub fn round_up(count: usize, step: usize) -> usize {
    count.div_ceil(step) * step
}
