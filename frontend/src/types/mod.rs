//! Types of the language, interned (C99 §6.2.5, OpenCL C §6.3).
//!
//! A [`TypeId`] is an unqualified type; equal types have equal ids. A [`QualifiedType`] adds qualifiers.
//! Layout (size, alignment, member offsets) is decided here, following OpenCL C §6.3.5 and C99.

mod matrix;
mod method;

use crate::symbol::Symbol;
use clvk_ir::{AddressSpace, ImageType, Scalar};
use rustc_hash::FxHashMap;

pub use self::matrix::{BFLOAT16, CooperativeMatrix, ElementKind};
pub use self::method::MethodQualifiers;

/// An arithmetic scalar type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs)]
pub enum ScalarKind {
    Bool,
    Char,
    UChar,
    Short,
    UShort,
    Int,
    UInt,
    Long,
    ULong,
    Half,
    Float,
    Double,
}

impl ScalarKind {
    /// The IR's scalar; in memory a `bool` is an `I8` (its value is `Scalar::Bool`).
    #[must_use]
    pub fn scalar(self) -> Scalar {
        match self {
            Self::Bool => Scalar::Bool,
            Self::Char | Self::UChar => Scalar::I8,
            Self::Short | Self::UShort => Scalar::I16,
            Self::Int | Self::UInt => Scalar::I32,
            Self::Long | Self::ULong => Scalar::I64,
            Self::Half => Scalar::F16,
            Self::Float => Scalar::F32,
            Self::Double => Scalar::F64,
        }
    }

    /// Size in bytes, which is also the alignment.
    #[must_use]
    pub fn size(self) -> u64 {
        u64::from(self.scalar().size())
    }

    /// Whether it is a signed integer type.
    #[must_use]
    pub fn is_signed(self) -> bool {
        matches!(self, Self::Char | Self::Short | Self::Int | Self::Long)
    }

    /// Whether it is an integer type (`bool` is one).
    #[must_use]
    pub fn is_integer(self) -> bool {
        !self.is_float()
    }

    /// Whether it is a floating-point type.
    #[must_use]
    pub fn is_float(self) -> bool {
        matches!(self, Self::Half | Self::Float | Self::Double)
    }

    /// The integer kind of `size` bytes.
    ///
    /// # Panics
    /// If there is none.
    #[must_use]
    pub fn integer(size: u64, signed: bool) -> Self {
        match (size, signed) {
            (1, true) => Self::Char,
            (1, false) => Self::UChar,
            (2, true) => Self::Short,
            (2, false) => Self::UShort,
            (4, true) => Self::Int,
            (4, false) => Self::UInt,
            (8, true) => Self::Long,
            (8, false) => Self::ULong,
            _ => panic!("no integer type has {size} bytes"),
        }
    }

    /// Its spelling in the language; also the stem of its vector types.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::Char => "char",
            Self::UChar => "uchar",
            Self::Short => "short",
            Self::UShort => "ushort",
            Self::Int => "int",
            Self::UInt => "uint",
            Self::Long => "long",
            Self::ULong => "ulong",
            Self::Half => "half",
            Self::Float => "float",
            Self::Double => "double",
        }
    }

    /// The types that have vectors, in order.
    pub const VECTOR_ELEMENTS: [ScalarKind; 11] = [
        Self::Char,
        Self::UChar,
        Self::Short,
        Self::UShort,
        Self::Int,
        Self::UInt,
        Self::Long,
        Self::ULong,
        Self::Half,
        Self::Float,
        Self::Double,
    ];
}

/// An interned type without qualifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeId(u32);

impl TypeId {
    /// The error type, for what has no type.
    pub const NONE: TypeId = TypeId(0);
}

/// A structure or union.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RecordId(u32);

/// An enumeration; its values are of type `int` (or `uint`, `long` where they do not fit).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EnumId(u32);

/// Qualifiers of a type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeQualifiers {
    /// `const`.
    pub is_const: bool,
    /// `volatile`.
    pub is_volatile: bool,
    /// `restrict`.
    pub is_restrict: bool,
}

impl TypeQualifiers {
    /// Only `const`.
    pub const CONST: TypeQualifiers =
        TypeQualifiers { is_const: true, is_volatile: false, is_restrict: false };

    /// The qualifiers of both.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        TypeQualifiers {
            is_const: self.is_const || other.is_const,
            is_volatile: self.is_volatile || other.is_volatile,
            is_restrict: self.is_restrict || other.is_restrict,
        }
    }

    /// Whether an object qualified like this may be accessed through `other` without losing `const` or
    /// `volatile`.
    #[must_use]
    pub fn fits_in(self, other: Self) -> bool {
        (other.is_const || !self.is_const) && (other.is_volatile || !self.is_volatile)
    }
}

/// A type with qualifiers. An object's address space belongs to its declaration and to the pointers to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct QualifiedType {
    /// Type.
    pub ty: TypeId,
    /// Qualifiers.
    pub qualifiers: TypeQualifiers,
}

impl From<TypeId> for QualifiedType {
    fn from(ty: TypeId) -> Self {
        QualifiedType { ty, qualifiers: TypeQualifiers::default() }
    }
}

/// What a type is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TypeKind {
    /// Type of an expression with an error. It is compatible with everything, so that one mistake is reported
    /// once.
    Error,
    Void,
    Scalar(ScalarKind),
    /// 2, 3, 4, 8 or 16 lanes.
    Vector(ScalarKind, u8),
    Pointer {
        pointee: QualifiedType,
        space: AddressSpace,
    },
    /// `None`: incomplete.
    Array {
        element: QualifiedType,
        length: Option<u64>,
    },
    Record(RecordId),
    Enum(EnumId),
    Function {
        result: TypeId,
        params: Vec<TypeId>,
        variadic: bool,
        /// What stands after the parameters of a method (C++).
        method: MethodQualifiers,
    },
    /// A block (OpenCL C §6.14). It has no size, because the block in a variable is known at compile time.
    Block {
        result: TypeId,
        params: Vec<TypeId>,
    },
    Image(ImageType),
    Sampler,
    /// A handle of 8 bytes.
    Event,
    /// An atomic type: objects that only the atomic functions access (OpenCL C §6.15.12.1). `Bool` is
    /// `atomic_flag`.
    Atomic(ScalarKind),
    Opaque(OpaqueType),
    /// bfloat16 (`__bf16`), whose objects are only copied; matrices have arithmetic of it.
    BFloat16,
    /// A cooperative matrix (`cl_khr_cooperative_matrix`).
    Matrix(CooperativeMatrix),
    /// Type of a call that makes a cooperative matrix whose type its use gives.
    AnyMatrix,
    /// C++: a reference. In the HIR it is a pointer.
    Reference {
        target: QualifiedType,
        space: AddressSpace,
        is_rvalue: bool,
    },
    /// C++: a pointer to a data member: its offset in objects of the class.
    MemberPointer {
        class: RecordId,
        target: QualifiedType,
    },
    /// C++: the type of `nullptr`.
    Nullptr,
    /// C++: `auto` before its type is deduced.
    Auto,
}

/// Opaque types: the language gives only their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OpaqueType {
    /// `queue_t`.
    Queue,
    /// `ndrange_t`.
    NdRange,
    /// `clk_event_t`.
    ClkEvent,
    /// `reserve_id_t`.
    ReserveId,
    /// `pipe T`.
    Pipe {
        /// Type of the packets.
        packet: TypeId,
        /// `write_only`.
        writable: bool,
    },
}

impl OpaqueType {
    /// The name of the type, without qualifiers.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Queue => "queue_t",
            Self::NdRange => "ndrange_t",
            Self::ClkEvent => "clk_event_t",
            Self::ReserveId => "reserve_id_t",
            Self::Pipe { .. } => "pipe",
        }
    }

    /// Whether it is only allowed for parameters, like images.
    #[must_use]
    pub fn is_parameter_only(self) -> bool {
        matches!(self, Self::Pipe { .. })
    }
}

/// A member of a structure or union.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Name; none for an anonymous structure or union, whose members are found through it.
    pub name: Option<Symbol>,
    /// Type.
    pub ty: QualifiedType,
    /// Offset in bytes.
    pub offset: u64,
}

/// A structure or union.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// Tag.
    pub tag: Option<Symbol>,
    /// `union`.
    pub is_union: bool,
    /// Members with their offsets; `None` while incomplete.
    pub members: Option<Vec<Member>>,
    /// Size in bytes, a multiple of the alignment.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u32,
    /// Whether kernels take its only member in its place (C++: the library's pointers and images).
    pub is_wrapper: bool,
    /// Bytes at the end that a copy leaves alone, because a derived class of C++ may have members there.
    pub padding: u64,
}

/// An enumeration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enum {
    /// Tag.
    pub tag: Option<Symbol>,
    /// Type of its values; `None` while incomplete.
    pub underlying: Option<ScalarKind>,
    /// Its least and its greatest value, if the program has not fixed the underlying type (C++).
    pub range: Option<(i128, i128)>,
}

/// All types of a compilation.
#[derive(Debug)]
pub struct Types {
    kinds: Vec<TypeKind>,
    ids: FxHashMap<TypeKind, TypeId>,
    records: Vec<Record>,
    enums: Vec<Enum>,
}

impl Default for Types {
    fn default() -> Self {
        Self::new()
    }
}

impl Types {
    /// Only the error type.
    #[must_use]
    pub fn new() -> Self {
        let mut types =
            Types { kinds: Vec::new(), ids: FxHashMap::default(), records: Vec::new(), enums: Vec::new() };
        types.intern(TypeKind::Error);
        types
    }

    /// The id of a type.
    pub fn intern(&mut self, kind: TypeKind) -> TypeId {
        if let Some(&id) = self.ids.get(&kind) {
            return id;
        }
        let id = TypeId(self.kinds.len() as u32);
        self.kinds.push(kind.clone());
        self.ids.insert(kind, id);
        id
    }

    /// What a type is.
    #[must_use]
    pub fn kind(&self, id: TypeId) -> &TypeKind {
        &self.kinds[id.0 as usize]
    }

    /// The error type.
    #[must_use]
    pub fn error(&self) -> TypeId {
        TypeId(0)
    }

    /// `void`.
    pub fn void(&mut self) -> TypeId {
        self.intern(TypeKind::Void)
    }

    /// A scalar type.
    pub fn scalar(&mut self, kind: ScalarKind) -> TypeId {
        self.intern(TypeKind::Scalar(kind))
    }

    /// A vector type; the scalar for one lane.
    pub fn vector(&mut self, kind: ScalarKind, lanes: u32) -> TypeId {
        if lanes == 1 { self.scalar(kind) } else { self.intern(TypeKind::Vector(kind, lanes as u8)) }
    }

    /// A pointer type.
    pub fn pointer(&mut self, pointee: QualifiedType, space: AddressSpace) -> TypeId {
        self.intern(TypeKind::Pointer { pointee, space })
    }

    /// Adds an incomplete structure or union.
    pub fn add_record(&mut self, tag: Option<Symbol>, is_union: bool) -> RecordId {
        self.records.push(Record { tag, is_union, align: 1, ..Record::default() });
        RecordId(self.records.len() as u32 - 1)
    }

    /// A structure or union.
    #[must_use]
    pub fn record(&self, id: RecordId) -> &Record {
        &self.records[id.0 as usize]
    }

    /// A structure or union, to complete it.
    pub fn record_mut(&mut self, id: RecordId) -> &mut Record {
        &mut self.records[id.0 as usize]
    }

    /// Adds an incomplete enumeration.
    pub fn add_enum(&mut self, tag: Option<Symbol>) -> EnumId {
        self.enums.push(Enum { tag, underlying: None, range: None });
        EnumId(self.enums.len() as u32 - 1)
    }

    /// An enumeration.
    #[must_use]
    pub fn enumeration(&self, id: EnumId) -> &Enum {
        &self.enums[id.0 as usize]
    }

    /// An enumeration, to complete it.
    pub fn enumeration_mut(&mut self, id: EnumId) -> &mut Enum {
        &mut self.enums[id.0 as usize]
    }

    /// An array type.
    pub fn array(&mut self, element: QualifiedType, length: Option<u64>) -> TypeId {
        self.intern(TypeKind::Array { element, length })
    }

    /// Whether it is the error type.
    #[must_use]
    pub fn is_error(&self, id: TypeId) -> bool {
        id == self.error()
    }

    /// Whether it is `void`.
    #[must_use]
    pub fn is_void(&self, id: TypeId) -> bool {
        *self.kind(id) == TypeKind::Void
    }

    /// The target type of a pointer, and its address space.
    #[must_use]
    pub fn pointee(&self, id: TypeId) -> Option<(QualifiedType, AddressSpace)> {
        if let TypeKind::Pointer { pointee, space } = self.kind(id) { Some((*pointee, *space)) } else { None }
    }

    /// Element kind and lanes of a vector type.
    #[must_use]
    pub fn as_vector(&self, id: TypeId) -> Option<(ScalarKind, u32)> {
        if let TypeKind::Vector(kind, lanes) = self.kind(id) {
            Some((*kind, u32::from(*lanes)))
        } else {
            None
        }
    }

    /// Number of pointers and arrays from this type down to one that is neither. The checker bounds it, which
    /// also bounds recursion over types.
    #[must_use]
    pub fn nesting(&self, mut id: TypeId) -> usize {
        let mut depth = 0;
        while let TypeKind::Pointer { pointee: inner, .. } | TypeKind::Array { element: inner, .. } =
            self.kind(id)
        {
            id = inner.ty;
            depth += 1;
        }
        depth
    }

    /// The arithmetic scalar kind of this type's values, for scalars and enumerations.
    #[must_use]
    pub fn as_scalar(&self, id: TypeId) -> Option<ScalarKind> {
        match self.kind(id) {
            TypeKind::Scalar(kind) => Some(*kind),
            TypeKind::Enum(id) => self.enumeration(*id).underlying,
            _ => None,
        }
    }

    /// Element type and lanes of a scalar (one lane), enumeration or vector.
    #[must_use]
    pub fn as_arithmetic(&self, id: TypeId) -> Option<(ScalarKind, u32)> {
        match self.kind(id) {
            TypeKind::Vector(kind, lanes) => Some((*kind, u32::from(*lanes))),
            _ => self.as_scalar(id).map(|kind| (kind, 1)),
        }
    }

    /// The type of the only member of a class that wraps it: what kernels take.
    #[must_use]
    pub fn wrapped(&self, id: TypeId) -> Option<TypeId> {
        use TypeKind::{Image, Opaque, Pointer, Sampler};
        let TypeKind::Record(record) = self.kind(id) else { return None };
        let record = self.record(*record);
        let [bases @ .., only] = record.members.as_deref()? else { return None };
        let is_taken = matches!(self.kind(only.ty.ty), Image(_) | Sampler | Pointer { .. } | Opaque(_));
        let is_only = only.offset == 0 && bases.iter().all(|base| base.name.is_none());
        (record.is_wrapper && is_only && is_taken).then_some(only.ty.ty)
    }

    /// The image or sampler that an object of this type is, or that a pointer points to: such objects are in
    /// no memory, and references to them are themselves.
    #[must_use]
    pub fn handle(&self, id: TypeId) -> Option<TypeId> {
        let target = match self.kind(id) {
            TypeKind::Pointer { pointee, .. } => pointee.ty,
            TypeKind::Record(_) | TypeKind::Image(_) | TypeKind::Sampler => id,
            _ => return None,
        };
        let inner = self.wrapped(target).unwrap_or(target);
        matches!(self.kind(inner), TypeKind::Image(_) | TypeKind::Sampler).then_some(inner)
    }

    /// Whether objects of this type can only be parameters (images, samplers, pipes), which have no address
    /// and cannot be in arrays and structures.
    #[must_use]
    pub fn is_parameter_only(&self, id: TypeId) -> bool {
        match self.kind(id) {
            TypeKind::Image(_) | TypeKind::Sampler => true,
            // The library's pipes are addresses, which can be in memory.
            TypeKind::Record(_) => self.handle(id).is_some(),
            TypeKind::Opaque(opaque) => opaque.is_parameter_only(),
            _ => false,
        }
    }

    /// Whether it is a cooperative matrix, or an array of them.
    #[must_use]
    pub fn holds_matrices(&self, mut id: TypeId) -> bool {
        while let TypeKind::Array { element, .. } = self.kind(id) {
            id = element.ty;
        }
        matches!(self.kind(id), TypeKind::Matrix(_))
    }

    /// Size and alignment in bytes; `None` for incomplete types and types without a size. Images, samplers
    /// and events are 8 bytes (handles).
    #[must_use]
    pub fn layout(&self, id: TypeId) -> Option<(u64, u32)> {
        Some(match self.kind(id) {
            TypeKind::Scalar(kind) => (kind.size(), kind.size() as u32),
            // A vector of 3 has the size and alignment of one of 4 (OpenCL C §6.3.5).
            TypeKind::Vector(kind, lanes) => {
                let size = kind.size() * u64::from(lanes.next_power_of_two());
                (size, size as u32)
            }
            TypeKind::Pointer { .. } | TypeKind::Image(_) | TypeKind::Sampler | TypeKind::Event => (8, 8),
            // The number of dimensions, and three offsets, sizes and work-group sizes.
            TypeKind::Opaque(OpaqueType::NdRange) => (80, 8),
            TypeKind::Opaque(_) => (8, 8),
            TypeKind::Reference { .. } | TypeKind::MemberPointer { .. } | TypeKind::Nullptr => (8, 8),
            TypeKind::Atomic(ScalarKind::Bool) => (4, 4),
            TypeKind::Atomic(kind) => (kind.size(), kind.size() as u32),
            TypeKind::Array { element, length: Some(length) } => {
                let (size, align) = self.layout(element.ty)?;
                (size.checked_mul(*length)?, align)
            }
            TypeKind::Record(id) => {
                let record = self.record(*id);
                record.members.as_ref()?;
                (record.size, record.align)
            }
            TypeKind::Enum(id) => {
                let size = self.enumeration(*id).underlying?.size();
                (size, size as u32)
            }
            TypeKind::BFloat16 => (2, 2),
            TypeKind::Matrix(matrix) => (u64::from(matrix.ir().size()), 16),
            TypeKind::Error
            | TypeKind::Void
            | TypeKind::AnyMatrix
            | TypeKind::Function { .. }
            | TypeKind::Block { .. }
            | TypeKind::Auto
            | TypeKind::Array { length: None, .. } => {
                return None;
            }
        })
    }
}
