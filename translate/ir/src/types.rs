//! Types of values. They are small and `Copy`: aggregates live only in memory and pointers are opaque, so no
//! type refers to another one and nothing is interned.

use serde::{Deserialize, Serialize};

/// A scalar type. Integers have no sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[expect(missing_docs)]
pub enum Scalar {
    /// A truth value; exists only as a value, never in memory.
    Bool,
    I8,
    I16,
    I32,
    I64,
    F16,
    F32,
    F64,
}

impl Scalar {
    /// Width in bits; 1 for [`Scalar::Bool`].
    #[must_use]
    pub fn bits(self) -> u32 {
        match self {
            Scalar::Bool => 1,
            Scalar::I8 => 8,
            Scalar::I16 | Scalar::F16 => 16,
            Scalar::I32 | Scalar::F32 => 32,
            Scalar::I64 | Scalar::F64 => 64,
        }
    }

    /// Size in memory in bytes. `Bool` has none and counts as 1.
    #[must_use]
    pub fn size(self) -> u32 {
        self.bits().div_ceil(8)
    }

    /// Whether it is an integer (not `Bool`).
    #[must_use]
    pub fn is_int(self) -> bool {
        matches!(self, Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64)
    }

    /// Whether it is a floating-point type.
    #[must_use]
    pub fn is_float(self) -> bool {
        matches!(self, Scalar::F16 | Scalar::F32 | Scalar::F64)
    }

    /// The integer type of `bits` bits (8, 16, 32 or 64).
    ///
    /// # Panics
    /// For another width.
    #[must_use]
    pub fn int(bits: u32) -> Scalar {
        match bits {
            8 => Scalar::I8,
            16 => Scalar::I16,
            32 => Scalar::I32,
            64 => Scalar::I64,
            _ => panic!("no integer type has {bits} bits"),
        }
    }

    /// All bits that a constant of this type may have set.
    #[must_use]
    pub fn mask(self) -> u64 {
        if self.bits() == 64 { u64::MAX } else { (1 << self.bits()) - 1 }
    }

    /// The bits of a constant of this type as a signed number.
    #[must_use]
    pub fn sign_extend(self, bits: u64) -> i64 {
        sign_extend(self.bits(), bits)
    }
}

/// The lowest bits of a word, 1 to 64 of them, as a signed number.
#[must_use]
pub fn sign_extend(width: u32, bits: u64) -> i64 {
    let unused = 64 - width;
    ((bits << unused) as i64) >> unused
}

/// An address space (OpenCL C §6.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum AddressSpace {
    /// A work-item's own memory.
    Private,
    /// A work-group's memory.
    Local,
    /// Buffers and program-scope variables.
    Global,
    /// Read-only buffers and program-scope constants.
    Constant,
    /// Private, local or global memory, known only at run time (OpenCL C §6.7.5).
    Generic,
}

impl AddressSpace {
    /// Those whose pointers may point into buffers.
    pub const OF_BUFFERS: [AddressSpace; 3] =
        [AddressSpace::Global, AddressSpace::Constant, AddressSpace::Generic];
}

/// Shape of an image (OpenCL C §6.3.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[expect(missing_docs)]
pub enum ImageDimension {
    D1,
    D1Array,
    D1Buffer,
    D2,
    D2Array,
    D3,
    /// A depth image (`image2d_depth_t`), whose texels are single numbers to the language; otherwise as `D2`.
    D2Depth,
    /// An array of depth images.
    D2ArrayDepth,
}

impl ImageDimension {
    const ALL: [ImageDimension; 8] = [
        ImageDimension::D1,
        ImageDimension::D1Array,
        ImageDimension::D1Buffer,
        ImageDimension::D2,
        ImageDimension::D2Array,
        ImageDimension::D3,
        ImageDimension::D2Depth,
        ImageDimension::D2ArrayDepth,
    ];

    /// The shape in the names of OpenCL C's types: the `2d_array` of `image2d_array_t`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ImageDimension::D1 => "1d",
            ImageDimension::D1Array => "1d_array",
            ImageDimension::D1Buffer => "1d_buffer",
            ImageDimension::D2 => "2d",
            ImageDimension::D2Array => "2d_array",
            ImageDimension::D3 => "3d",
            ImageDimension::D2Depth => "2d_depth",
            ImageDimension::D2ArrayDepth => "2d_array_depth",
        }
    }

    /// The name of the type in OpenCL C (§6.3.3).
    #[must_use]
    pub fn type_name(self) -> String {
        format!("image{}_t", self.name())
    }

    /// The shape of the type of OpenCL C that has this name.
    #[must_use]
    pub fn from_type_name(name: &str) -> Option<ImageDimension> {
        let shape = name.strip_prefix("image")?.strip_suffix("_t")?;
        Self::ALL.into_iter().find(|dimension| dimension.name() == shape)
    }

    /// Number of lanes of its coordinates; the last one of an array is the layer.
    #[must_use]
    pub fn coordinate_lanes(self) -> u32 {
        match self {
            ImageDimension::D1 | ImageDimension::D1Buffer => 1,
            ImageDimension::D1Array | ImageDimension::D2 | ImageDimension::D2Depth => 2,
            ImageDimension::D2Array | ImageDimension::D3 | ImageDimension::D2ArrayDepth => 3,
        }
    }

    /// Whether it is a depth image.
    #[must_use]
    pub fn is_depth(self) -> bool {
        matches!(self, ImageDimension::D2Depth | ImageDimension::D2ArrayDepth)
    }

    /// The shape without the distinction of depth images.
    #[must_use]
    pub fn without_depth(self) -> ImageDimension {
        match self {
            ImageDimension::D2Depth => ImageDimension::D2,
            ImageDimension::D2ArrayDepth => ImageDimension::D2Array,
            other => other,
        }
    }
}

/// The type of an image's texels, recovered from its reads and writes (`read_imagef`, `…i`, `…ui`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum SampledType {
    /// Not known (yet): the language does not specify it.
    Unknown,
    /// 32-bit floating point.
    Float,
    /// Signed 32-bit integers.
    Sint,
    /// Unsigned 32-bit integers.
    Uint,
}

/// An image type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ImageType {
    /// Shape.
    pub dimension: ImageDimension,
    /// May be read.
    pub readable: bool,
    /// May be written.
    pub writable: bool,
    /// The type of a texel.
    pub sampled: SampledType,
}

/// The place of a cooperative matrix in a multiplication. The numbers are those of SPIR-V and OpenCL C.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum MatrixUse {
    /// The left factor.
    A = 0,
    /// The right factor.
    B = 1,
    /// The summand, and the result.
    Accumulator = 2,
}

/// The type of a matrix that the work-items of a sub-group hold together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct MatrixType {
    /// An element.
    pub element: ElementType,
    /// Number of rows.
    pub rows: u16,
    /// Number of columns.
    pub columns: u16,
    /// What it is used for.
    pub usage: MatrixUse,
}

impl MatrixType {
    /// Bytes of all elements together.
    #[must_use]
    pub fn size(self) -> u32 {
        u32::from(self.rows) * u32::from(self.columns) * self.element.size()
    }
}

/// What the elements of a matrix are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ElementType {
    /// Scalars, not `Bool`.
    Scalar(Scalar),
    /// bfloat16: the upper half of an `F32` number. No scalar has this type: outside of matrices such a
    /// number is an `F32`, or its bits are an `I16`.
    BFloat16,
}

impl ElementType {
    /// The scalar of the same size that holds an element in memory: the bits of a bfloat16.
    #[must_use]
    pub fn held(self) -> Scalar {
        match self {
            ElementType::Scalar(scalar) => scalar,
            ElementType::BFloat16 => Scalar::I16,
        }
    }

    /// The scalar that computes with an element, and whose values it takes.
    #[must_use]
    pub fn value(self) -> Scalar {
        match self {
            ElementType::Scalar(scalar) => scalar,
            ElementType::BFloat16 => Scalar::F32,
        }
    }

    /// Size in bytes.
    #[must_use]
    pub fn size(self) -> u32 {
        self.held().size()
    }

    /// Whether it is a floating-point number.
    #[must_use]
    pub fn is_float(self) -> bool {
        self.value().is_float()
    }
}

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Type {
    /// No value; only as the result of functions.
    Void,
    /// A scalar.
    Scalar(Scalar),
    /// A vector of 2, 3, 4, 8 or 16 lanes.
    Vector(Scalar, u8),
    /// A pointer; the size in memory is 8 bytes in every address space.
    Pointer(AddressSpace),
    /// An image handle; only function parameters are of this type.
    Image(ImageType),
    /// A sampler handle.
    Sampler,
    /// A cooperative matrix. In private memory each work-item has room for all of its elements; how they are
    /// distributed there is the device's or the translator's business.
    Matrix(MatrixType),
}

impl Type {
    /// `Bool`.
    pub const BOOL: Type = Type::Scalar(Scalar::Bool);
    /// 8-bit integer.
    pub const I8: Type = Type::Scalar(Scalar::I8);
    /// 16-bit integer.
    pub const I16: Type = Type::Scalar(Scalar::I16);
    /// 32-bit integer.
    pub const I32: Type = Type::Scalar(Scalar::I32);
    /// 64-bit integer.
    pub const I64: Type = Type::Scalar(Scalar::I64);
    /// Half precision.
    pub const F16: Type = Type::Scalar(Scalar::F16);
    /// Single precision.
    pub const F32: Type = Type::Scalar(Scalar::F32);
    /// Double precision.
    pub const F64: Type = Type::Scalar(Scalar::F64);

    /// A vector, or the scalar itself for one lane.
    #[must_use]
    pub fn with_lanes(scalar: Scalar, lanes: u32) -> Type {
        if lanes == 1 { Type::Scalar(scalar) } else { Type::Vector(scalar, lanes as u8) }
    }

    /// The scalar of a scalar or vector.
    #[must_use]
    pub fn scalar(self) -> Option<Scalar> {
        match self {
            Type::Scalar(scalar) | Type::Vector(scalar, _) => Some(scalar),
            _ => None,
        }
    }

    /// Number of lanes of a vector; 1 for everything else.
    #[must_use]
    pub fn lanes(self) -> u32 {
        if let Type::Vector(_, lanes) = self { u32::from(lanes) } else { 1 }
    }

    /// The same shape with another scalar.
    ///
    /// # Panics
    /// If this is neither a scalar nor a vector.
    #[must_use]
    pub fn with_scalar(self, scalar: Scalar) -> Type {
        match self {
            Type::Scalar(_) => Type::Scalar(scalar),
            Type::Vector(_, lanes) => Type::Vector(scalar, lanes),
            other => panic!("{other:?} is not a scalar or vector"),
        }
    }

    /// Bytes that a load or store of this type touches: a vector of 3 touches 3 elements. Zero for types that
    /// cannot be in memory.
    #[must_use]
    pub fn access_size(self) -> u32 {
        match self {
            Type::Scalar(scalar) => scalar.size(),
            Type::Vector(scalar, lanes) => scalar.size() * u32::from(lanes),
            Type::Pointer(_) => 8,
            Type::Matrix(matrix) => matrix.size(),
            Type::Void | Type::Image(_) | Type::Sampler => 0,
        }
    }

    /// The address space of a pointer.
    #[must_use]
    pub fn address_space(self) -> Option<AddressSpace> {
        if let Type::Pointer(space) = self { Some(space) } else { None }
    }

    /// Whether it is a pointer.
    #[must_use]
    pub fn is_pointer(self) -> bool {
        matches!(self, Type::Pointer(_))
    }

    /// Whether it is a pointer that may point into a buffer.
    #[must_use]
    pub fn may_point_into_buffer(self) -> bool {
        matches!(self, Type::Pointer(space) if AddressSpace::OF_BUFFERS.contains(&space))
    }

    /// Whether it is an integer or a vector of them (not `Bool`).
    #[must_use]
    pub fn is_int(self) -> bool {
        self.scalar().is_some_and(Scalar::is_int)
    }

    /// Whether it is floating point or a vector of it.
    #[must_use]
    pub fn is_float(self) -> bool {
        self.scalar().is_some_and(Scalar::is_float)
    }

    /// Whether it is `Bool` or a vector of it.
    #[must_use]
    pub fn is_bool(self) -> bool {
        self.scalar() == Some(Scalar::Bool)
    }
}
