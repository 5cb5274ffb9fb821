//! Types of a module, and how they lie in memory (OpenCL SPIR-V environment specification §2.5: as in
//! OpenCL C).

use crate::binary::{Id, Instruction};
use crate::error::Error;
use crate::index::Index;
use clvk_ir::{
    AddressSpace, ElementType, ImageDimension, ImageType, MatrixType, MatrixUse, SampledType, Scalar, Type,
};
use rspirv::spirv::{AccessQualifier, CooperativeMatrixUse, Dim, FPEncoding, Op, Scope, StorageClass};
use rustc_hash::FxHashMap;

/// How deep types may be nested, and how large they may be.
const MAX_DEPTH: u32 = 64;
const MAX_SIZE: u64 = 1 << 40;

/// The most rows or columns of a matrix.
const MOST_ROWS: u64 = 128;

/// `BFloat16KHR`, an encoding of numbers.
const BFLOAT16: u32 = FPEncoding::BFloat16KHR as u32;

/// A type.
#[derive(Clone, Debug, PartialEq)]
pub enum Ty {
    Void,
    Bool,
    Int(Scalar),
    Float(Scalar),
    /// A bfloat16 number, whose value is its bits. Only conversions and matrices know what it is worth.
    BFloat16,
    /// Element and lanes.
    Vector(Scalar, u8),
    Array {
        element: Id,
        count: u64,
    },
    Struct {
        /// Types and byte offsets.
        members: Vec<(Id, u64)>,
    },
    Pointer {
        space: AddressSpace,
        /// `None` for an untyped pointer, or one that is only declared.
        pointee: Option<Id>,
    },
    Image(ImageType),
    Sampler,
    /// An image with a sampler.
    SampledImage,
    /// A number of 64 bits that names an object: the type as OpenCL C calls it.
    Object(&'static str),
    /// A pipe, and whether it is for writing.
    Pipe {
        writes: bool,
    },
    Function {
        result: Id,
        params: Vec<Id>,
    },
    /// A cooperative matrix of a sub-group.
    Matrix(MatrixType),
    /// A type whose values are refused where they are used.
    Other(&'static str),
}

/// A type, its size and its alignment in bytes.
#[derive(Clone, Debug)]
pub struct TypeData {
    pub ty: Ty,
    pub size: u64,
    pub align: u64,
    /// How deep arrays and structures are nested in it.
    depth: u32,
    /// Whether it has a pointer inside.
    has_pointer: bool,
}

impl TypeData {
    /// The type of its values in the IR; `None` for aggregates, which are in memory, and for `void`.
    pub fn value(&self) -> Option<Type> {
        Some(match self.ty {
            Ty::Bool => Type::BOOL,
            Ty::Int(scalar) | Ty::Float(scalar) => Type::Scalar(scalar),
            Ty::BFloat16 => Type::I16,
            Ty::Vector(scalar, lanes) => Type::Vector(scalar, lanes),
            Ty::Matrix(matrix) => Type::Matrix(matrix),
            Ty::Pointer { space, .. } => Type::Pointer(space),
            Ty::Image(image) => Type::Image(image),
            Ty::Sampler => Type::Sampler,
            Ty::Object(_) => Type::I64,
            Ty::Pipe { .. } => Type::Pointer(AddressSpace::Global),
            _ => return None,
        })
    }

    /// The type of its values in memory: truth values are bytes.
    pub fn in_memory(&self) -> Option<Type> {
        self.value().map(|ty| if ty.is_bool() { ty.with_scalar(Scalar::I8) } else { ty })
    }

    /// Whether its values are in memory: arrays and structures.
    pub fn is_aggregate(&self) -> bool {
        matches!(self.ty, Ty::Array { .. } | Ty::Struct { .. })
    }
}

/// Types by id. Producers number them early, so most are found without hashing.
#[derive(Debug, Default)]
pub struct Types {
    rows: Vec<TypeData>,
    /// By id below [`Types::EARLY`]: the number of its row, from 1; 0 if it has none.
    early: Vec<u32>,
    others: FxHashMap<Id, u32>,
}

impl Types {
    const EARLY: usize = 1024;

    /// The type of an id.
    #[inline]
    pub fn get(&self, id: Id) -> Option<&TypeData> {
        let number = match self.early.get(id as usize) {
            Some(&number) => number,
            None => *self.others.get(&id)?,
        };
        self.rows.get((number as usize).checked_sub(1)?)
    }

    /// Adds the type of an id; gives the one that it had.
    pub fn insert(&mut self, id: Id, data: TypeData) -> Option<TypeData> {
        if self.early.is_empty() {
            self.early.resize(Self::EARLY, 0);
        }
        let next = self.rows.len() as u32 + 1;
        let number = match self.early.get_mut(id as usize) {
            Some(number) if *number == 0 => {
                *number = next;
                next
            }
            Some(number) => *number,
            None => *self.others.entry(id).or_insert(next),
        };
        match self.rows.get_mut(number as usize - 1) {
            Some(known) => Some(std::mem::replace(known, data)),
            None => {
                self.rows.push(data);
                None
            }
        }
    }
}

/// The address space of a storage class.
pub fn address_space(class: u32) -> Option<AddressSpace> {
    Some(match StorageClass::from_u32(class)? {
        StorageClass::UniformConstant => AddressSpace::Constant,
        StorageClass::Workgroup => AddressSpace::Local,
        StorageClass::CrossWorkgroup | StorageClass::DeviceOnlyALTERA | StorageClass::HostOnlyALTERA => {
            AddressSpace::Global
        }
        StorageClass::Function | StorageClass::Private | StorageClass::Input => AddressSpace::Private,
        StorageClass::Generic => AddressSpace::Generic,
        _ => return None,
    })
}

/// The type that an instruction declares.
///
/// # Errors
/// It is wrong, or not supported.
pub fn declare(index: &Index, instruction: &Instruction<'_>) -> Result<TypeData, Error> {
    let fail = |problem: String| instruction.error(problem);
    let plain = |ty, size: u64| TypeData { ty, size, align: size.max(1), depth: 0, has_pointer: false };
    // Their sizes are those of pointers.
    let object = |name| TypeData { has_pointer: true, ..plain(Ty::Object(name), 8) };
    Ok(match instruction.op() {
        Some(Op::TypeVoid) => plain(Ty::Void, 0),
        Some(Op::TypeBool) => plain(Ty::Bool, 1),
        Some(Op::TypeInt) => match instruction.operand(0)? {
            bits @ (8 | 16 | 32 | 64) => plain(Ty::Int(Scalar::int(bits)), u64::from(bits / 8)),
            bits => return Err(fail(format!("integers of {bits} bits are not supported"))),
        },
        Some(Op::TypeFloat) => match (instruction.operand(0)?, instruction.operands().get(1)) {
            (16, None) => plain(Ty::Float(Scalar::F16), 2),
            (32, None) => plain(Ty::Float(Scalar::F32), 4),
            (64, None) => plain(Ty::Float(Scalar::F64), 8),
            (16, Some(&BFLOAT16)) => plain(Ty::BFloat16, 2),
            (bits, _) => {
                return Err(fail(format!(
                    "floating-point numbers of {bits} bits of this encoding are not supported"
                )));
            }
        },
        Some(Op::TypeVector) => vector(index, instruction)?,
        Some(Op::TypeCooperativeMatrixKHR) => matrix(index, instruction)?,
        Some(Op::TypeArray) => array(index, instruction)?,
        Some(Op::TypeStruct) => structure(index, instruction)?,
        Some(Op::TypePointer | Op::TypeUntypedPointerKHR) => {
            let class = instruction.operand(0)?;
            match address_space(class) {
                Some(space) => {
                    let pointee = instruction.operands().get(1).copied();
                    let holds = pointee.is_some_and(|pointee| holds_matrices(index, pointee, instruction));
                    if holds && space != AddressSpace::Private {
                        return Err(fail("cooperative matrices are in private memory only".to_owned()));
                    }
                    let ty = Ty::Pointer { space, pointee };
                    TypeData { has_pointer: true, ..plain(ty, 8) }
                }
                None => plain(Ty::Other("a pointer of a storage class that kernels do not have"), 8),
            }
        }
        Some(Op::TypeImage) => image(instruction)?,
        Some(Op::TypeSampler) => plain(Ty::Sampler, 0),
        Some(Op::TypeSampledImage) => plain(Ty::SampledImage, 0),
        Some(Op::TypeEvent) => object("event_t"),
        Some(Op::TypeDeviceEvent) => object("clk_event_t"),
        Some(Op::TypeQueue) => object("queue_t"),
        Some(Op::TypeReserveId) => object("reserve_id_t"),
        Some(Op::TypePipe) => {
            let writes =
                AccessQualifier::from_u32(instruction.operand(0)?) == Some(AccessQualifier::WriteOnly);
            TypeData { has_pointer: true, ..plain(Ty::Pipe { writes }, 8) }
        }
        Some(Op::TypeFunction) => {
            let (result, params) = (instruction.operand(0)?, instruction.operands()[1..].to_vec());
            plain(Ty::Function { result, params }, 0)
        }
        Some(Op::TypePipeStorage) => plain(Ty::Other("a pipe of the program itself"), 8),
        Some(Op::TypeOpaque) => plain(Ty::Other("an opaque type"), 0),
        _ => plain(Ty::Other("a type that is not supported"), 0),
    })
}

/// Whether it is a cooperative matrix, or an array of them.
fn holds_matrices(index: &Index, mut ty: Id, user: &Instruction<'_>) -> bool {
    loop {
        match index.type_of(ty, user).map(|data| &data.ty) {
            Ok(Ty::Matrix(_)) => return true,
            Ok(&Ty::Array { element, .. }) => ty = element,
            _ => return false,
        }
    }
}

/// A pointer whose target is declared later.
pub fn forward_pointer(class: u32) -> TypeData {
    let ty = match address_space(class) {
        Some(space) => Ty::Pointer { space, pointee: None },
        None => Ty::Other("a pointer of a storage class that kernels do not have"),
    };
    TypeData { ty, size: 8, align: 8, depth: 0, has_pointer: true }
}

fn vector(index: &Index, instruction: &Instruction<'_>) -> Result<TypeData, Error> {
    let element = index.type_of(instruction.operand(0)?, instruction)?;
    let (Ty::Int(scalar) | Ty::Float(scalar)) = element.ty else {
        return match element.ty {
            Ty::Bool => lanes(instruction).map(|lanes| sized_vector(Scalar::Bool, lanes)),
            _ => Err(instruction.error("only vectors of numbers and of truth values are supported")),
        };
    };
    Ok(sized_vector(scalar, lanes(instruction)?))
}

/// The scope must be the sub-group, and the shape one that the front end of OpenCL C also takes.
fn matrix(index: &Index, instruction: &Instruction<'_>) -> Result<TypeData, Error> {
    let element = match index.type_of(instruction.operand(0)?, instruction)?.ty {
        Ty::Int(scalar) | Ty::Float(scalar) => ElementType::Scalar(scalar),
        Ty::BFloat16 => ElementType::BFloat16,
        _ => return Err(instruction.error("elements of cooperative matrices are numbers")),
    };
    let number = |position: usize| index.integer(instruction.operand(position)?, instruction);
    if Scope::from_u32(number(1)? as u32) != Some(Scope::Subgroup) {
        return Err(instruction.error("only cooperative matrices of sub-groups are supported"));
    }
    let (rows, columns) = (number(2)?, number(3)?);
    let extents = 1..=MOST_ROWS;
    if !extents.contains(&rows) || !extents.contains(&columns) {
        let problem = format!("a cooperative matrix has 1 to {MOST_ROWS} rows and columns");
        return Err(instruction.error(problem));
    }
    let usage = match CooperativeMatrixUse::from_u32(number(4)? as u32) {
        Some(CooperativeMatrixUse::MatrixAKHR) => MatrixUse::A,
        Some(CooperativeMatrixUse::MatrixBKHR) => MatrixUse::B,
        Some(CooperativeMatrixUse::MatrixAccumulatorKHR) => MatrixUse::Accumulator,
        None => return Err(instruction.error("this use of a cooperative matrix is not supported")),
    };
    let matrix = MatrixType { element, rows: rows as u16, columns: columns as u16, usage };
    let size = u64::from(matrix.size());
    Ok(TypeData { ty: Ty::Matrix(matrix), size, align: 16, depth: 0, has_pointer: false })
}

fn lanes(instruction: &Instruction<'_>) -> Result<u8, Error> {
    match instruction.operand(1)? {
        lanes @ (2 | 3 | 4 | 8 | 16) => Ok(lanes as u8),
        lanes => Err(instruction.error(format!("kernels have no vectors of {lanes} elements"))),
    }
}

fn sized_vector(scalar: Scalar, lanes: u8) -> TypeData {
    let size = u64::from(scalar.size()) * u64::from(lanes).next_power_of_two();
    TypeData { ty: Ty::Vector(scalar, lanes), size, align: size, depth: 0, has_pointer: false }
}

fn array(index: &Index, instruction: &Instruction<'_>) -> Result<TypeData, Error> {
    let element = instruction.operand(0)?;
    let of = index.type_of(element, instruction)?.clone();
    let count = index.integer(instruction.operand(1)?, instruction)?;
    let size = of.size.checked_mul(count).filter(|&size| size <= MAX_SIZE);
    let size = size.ok_or_else(|| instruction.error("the array is too large"))?;
    nested(instruction, Ty::Array { element, count }, size, of.align, of.depth, of.has_pointer)
}

fn structure(index: &Index, instruction: &Instruction<'_>) -> Result<TypeData, Error> {
    let packed = instruction.result().is_some_and(|id| index.is_packed(id));
    let (mut size, mut align, mut depth, mut has_pointer) = (0u64, 1u64, 0, false);
    let mut members = Vec::new();
    for &member in instruction.operands() {
        let of = index.type_of(member, instruction)?;
        if holds_matrices(index, member, instruction) {
            return Err(instruction.error("cooperative matrices in structures are not supported"));
        }
        let offset = if packed { size } else { size.next_multiple_of(of.align) };
        members.push((member, offset));
        size = offset + of.size;
        if size > MAX_SIZE {
            return Err(instruction.error("the structure is too large"));
        }
        align = if packed { 1 } else { align.max(of.align) };
        (depth, has_pointer) = (depth.max(of.depth), has_pointer | of.has_pointer);
    }
    if has_pointer && index.pointer_bits() == 32 {
        return Err(
            instruction.error("pointers in structures are not supported in modules with 32-bit addresses")
        );
    }
    nested(instruction, Ty::Struct { members }, size.next_multiple_of(align), align, depth, has_pointer)
}

fn nested(
    instruction: &Instruction<'_>,
    ty: Ty,
    size: u64,
    align: u64,
    depth: u32,
    has_pointer: bool,
) -> Result<TypeData, Error> {
    if depth >= MAX_DEPTH {
        return Err(instruction.error(format!("types are nested deeper than {MAX_DEPTH}")));
    }
    Ok(TypeData { ty, size, align, depth: depth + 1, has_pointer })
}

fn image(instruction: &Instruction<'_>) -> Result<TypeData, Error> {
    let [_, dimension, depth, arrayed, samples, _, _, rest @ ..] = instruction.operands() else {
        return Err(instruction.error("the instruction lacks an operand"));
    };
    let dimension = match (Dim::from_u32(*dimension), *arrayed == 1, *depth == 1) {
        (Some(Dim::Dim1D), false, false) => ImageDimension::D1,
        (Some(Dim::Dim1D), true, false) => ImageDimension::D1Array,
        (Some(Dim::DimBuffer), false, false) => ImageDimension::D1Buffer,
        (Some(Dim::Dim2D), false, false) => ImageDimension::D2,
        (Some(Dim::Dim2D), true, false) => ImageDimension::D2Array,
        (Some(Dim::Dim2D), false, true) => ImageDimension::D2Depth,
        (Some(Dim::Dim2D), true, true) => ImageDimension::D2ArrayDepth,
        (Some(Dim::Dim3D), false, false) => ImageDimension::D3,
        _ => return Err(instruction.error("kernels have no images of this shape")),
    };
    if *samples != 0 {
        return Err(instruction.error("images with several samples are not supported"));
    }
    let access = rest.first().copied().and_then(AccessQualifier::from_u32);
    let (readable, writable) = match access.unwrap_or(AccessQualifier::ReadOnly) {
        AccessQualifier::ReadOnly => (true, false),
        AccessQualifier::WriteOnly => (false, true),
        AccessQualifier::ReadWrite => (true, true),
    };
    let ty = Ty::Image(ImageType { dimension, readable, writable, sampled: SampledType::Unknown });
    Ok(TypeData { ty, size: 0, align: 1, depth: 0, has_pointer: false })
}
