//! The SPIR-V module under construction: ids, types, constants, capabilities, decorations.

use super::capabilities::grant_of;
use clvk_interface::clspv::Reflection;
use clvk_interface::sanitize::{INSIDE, UNWATCHED};
use clvk_interface::{AddressingMode, DeviceProfile, SpecConstants};
use clvk_ir::{Constant, Func, ImageDimension, ImageType, InputVariable, SampledType, Scalar, Type};
use rspirv::{
    binary::Assemble,
    dr::{self, Instruction, Operand},
    spirv::{self, BuiltIn, Capability, Decoration, StorageClass, Word},
};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// The highest version that is written; nothing from later ones is needed.
const HIGHEST_VERSION: (u32, u32) = (1, 5);

/// What identifies a type.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum TypeKey {
    /// No value.
    Void,
    /// `void()`.
    EntryPoint,
    /// A scalar, vector or matrix.
    Value(Type),
    /// An element of matrices.
    BFloat16,
    /// Signed 32-bit integers, which only images use; 1 or 4 lanes.
    Signed(u8),
    /// A pointer to a type.
    Pointer(StorageClass, Word),
    /// An array of a type, its length a constant.
    Array(Word, Word),
    /// A storage buffer's array, with its stride in bytes.
    BufferArray(Word, u32),
    /// A structure of a storage buffer's array.
    Block(Word),
    /// A structure of one value, with such a decoration.
    Member(Word, Decoration),
    /// Two 32-bit integers.
    Pair,
    /// An image. [`Writer::type_id`] keeps of it only what SPIR-V's type has.
    Image(ImageType),
    /// A sampler.
    Sampler,
    /// An image with a sampler.
    SampledImage(Word),
}

/// The IR type that represents all IR types that are one type in SPIR-V, which forbids declaring a type
/// twice. Image types are written without depth here, and the instructions that read say whether an image can
/// be read.
fn in_spirv(image: ImageType) -> ImageType {
    let sampled = match image.sampled {
        SampledType::Unknown => SampledType::Float,
        known => known,
    };
    ImageType { dimension: image.dimension.without_depth(), readable: true, sampled, ..image }
}

/// See the module documentation.
pub struct Writer {
    /// How global pointers are represented.
    pub addressing: AddressingMode,
    /// What memory operations mean: GLSL's model or Vulkan's.
    pub model: spirv::MemoryModel,
    /// Work-groups are one row of as many work-items as the kernel's work-groups have.
    pub flat: bool,
    /// Whether loads of constant memory are marked for the driver.
    pub marks_constants: bool,
    /// The SPIR-V version that is written.
    pub version: (u32, u32),
    /// Sections.
    pub module: dr::Module,
    next_id: Word,
    capabilities: BTreeSet<u32>,
    extensions: BTreeSet<&'static str>,
    /// The ids of functions.
    pub functions: FxHashMap<Func, Word>,
    /// Those of local memory that several functions use, by name.
    pub shared: FxHashMap<String, Word>,
    types: FxHashMap<TypeKey, Word>,
    /// Types that are lists of others.
    listings: FxHashMap<(spirv::Op, Vec<Word>), Word>,
    constants: FxHashMap<(Type, Constant), Word>,
    inputs: FxHashMap<InputVariable, Word>,
    glsl: Option<Word>,
    work_group_size: Option<Word>,
    /// The work-group size that the launch asked for, once it is used.
    enqueued_work_group_size: Option<Word>,
    kernel_group_size: Option<Word>,
    /// The specialisation constants of a host of clspv: the number of dimensions, and the first of the three
    /// of the global offset.
    clspv_spec_ids: (Option<u32>, Option<u32>),
}

impl Writer {
    /// An empty module for a device that takes SPIR-V up to a version.
    pub fn new(version: (u32, u32), addressing: AddressingMode, model: spirv::MemoryModel) -> Self {
        let mut writer = Writer {
            addressing,
            model,
            flat: false,
            marks_constants: false,
            version: version.min(HIGHEST_VERSION),
            module: dr::Module::new(),
            next_id: 1,
            capabilities: BTreeSet::new(),
            extensions: BTreeSet::new(),
            functions: FxHashMap::default(),
            shared: FxHashMap::default(),
            types: FxHashMap::default(),
            listings: FxHashMap::default(),
            constants: FxHashMap::default(),
            inputs: FxHashMap::default(),
            glsl: None,
            work_group_size: None,
            enqueued_work_group_size: None,
            kernel_group_size: None,
            clspv_spec_ids: (None, None),
        };
        writer.require(Capability::Shader);
        writer
    }

    /// Notes the specialisation constants of a host of clspv.
    pub fn reflection_spec_ids(&mut self, reflection: Option<&Reflection>) {
        self.clspv_spec_ids = reflection.map_or((None, None), |it| (it.work_dim, it.global_offset));
    }

    /// The words, for a device that grants what they need. The last ones are instructions that mean nothing
    /// to the device.
    pub fn finish(mut self, profile: &DeviceProfile, last: Option<Vec<Instruction>>) -> Vec<u32> {
        let addressing = match self.addressing {
            AddressingMode::Physical => {
                self.require(Capability::PhysicalStorageBufferAddresses);
                self.extension("SPV_KHR_physical_storage_buffer", (1, 5));
                spirv::AddressingModel::PhysicalStorageBuffer64
            }
            AddressingMode::Logical => spirv::AddressingModel::Logical,
        };
        if self.model == spirv::MemoryModel::Vulkan {
            self.require(Capability::VulkanMemoryModel);
            self.extension("SPV_KHR_vulkan_memory_model", (1, 5));
        }
        self.module.memory_model = Some(instruction(
            spirv::Op::MemoryModel,
            None,
            None,
            vec![Operand::AddressingModel(addressing), Operand::MemoryModel(self.model)],
        ));
        if last.is_some() {
            self.capabilities.retain(|&capability| !is_implied(capability));
        }
        for &capability in &self.capabilities {
            let capability = Capability::from_u32(capability).expect("it was a capability");
            let grant = grant_of(capability);
            assert!(
                (grant.granted)(profile),
                "the pass `legalise` left what needs {capability:?}; the device has no {}",
                grant.feature
            );
            self.module.capabilities.push(instruction(
                spirv::Op::Capability,
                None,
                None,
                vec![Operand::Capability(capability)],
            ));
        }
        for extension in &self.extensions {
            let name = Operand::LiteralString((*extension).to_owned());
            self.module.extensions.push(instruction(spirv::Op::Extension, None, None, vec![name]));
        }
        let mut header = dr::ModuleHeader::new(self.next_id);
        header.set_version(self.version.0 as u8, self.version.1 as u8);
        self.module.header = Some(header);
        let mut words = self.module.assemble();
        for instruction in last.into_iter().flatten() {
            instruction.assemble_into(&mut words);
        }
        words
    }

    /// A new id.
    pub fn id(&mut self) -> Word {
        self.next_id += 1;
        self.next_id - 1
    }

    /// Declares that the module uses a capability.
    pub fn require(&mut self, capability: Capability) {
        self.capabilities.insert(capability as u32);
    }

    /// Declares an extension unless the version written has it.
    pub fn extension(&mut self, name: &'static str, core_since: (u32, u32)) {
        if self.version < core_since {
            self.extensions.insert(name);
        }
    }

    /// The id of GLSL's extended instruction set.
    pub fn glsl(&mut self) -> Word {
        if let Some(id) = self.glsl {
            return id;
        }
        let id = self.id();
        let name = Operand::LiteralString("GLSL.std.450".to_owned());
        self.module.ext_inst_imports.push(instruction(spirv::Op::ExtInstImport, None, Some(id), vec![name]));
        self.glsl = Some(id);
        id
    }

    /// The function of an entry point that was written.
    pub fn entry_point(&self, name: &str) -> Word {
        let is_it = |entry: &&Instruction| entry.operands[2] == Operand::LiteralString(name.to_owned());
        let entry = self.module.entry_points.iter().find(is_it).expect("each kernel is an entry point");
        entry.operands[1].unwrap_id_ref()
    }

    /// Names an id for disassembly.
    pub fn name(&mut self, id: Word, name: &str) {
        let operands = vec![Operand::IdRef(id), Operand::LiteralString(name.to_owned())];
        self.module.debug_names.push(instruction(spirv::Op::Name, None, None, operands));
    }

    /// Adds a type, constant or module-scope variable.
    pub fn declare(&mut self, op: spirv::Op, ty: Option<Word>, operands: Vec<Operand>) -> Word {
        let id = self.id();
        self.module.types_global_values.push(instruction(op, ty, Some(id), operands));
        id
    }

    /// The id of a scalar's or vector's type.
    pub fn value_type(&mut self, ty: Type) -> Word {
        self.type_id(TypeKey::Value(ty))
    }

    /// The id of a pointer type to a scalar or vector.
    pub fn pointer_type(&mut self, class: StorageClass, target: Type) -> Word {
        let target = self.value_type(target);
        self.type_id(TypeKey::Pointer(class, target))
    }

    /// The id of a type.
    pub fn type_id(&mut self, key: TypeKey) -> Word {
        let key = match key {
            TypeKey::Image(image) => TypeKey::Image(in_spirv(image)),
            other => other,
        };
        if let Some(&id) = self.types.get(&key) {
            return id;
        }
        let id = self.declare_type(key);
        self.types.insert(key, id);
        id
    }

    /// The id of a type that is a list of others: a function's, with the result first, or a structure's.
    pub fn listing_type(&mut self, op: spirv::Op, listed: Vec<Word>) -> Word {
        let key = (op, listed);
        if let Some(&id) = self.listings.get(&key) {
            return id;
        }
        let id = self.declare(op, None, key.1.iter().copied().map(Operand::IdRef).collect());
        self.listings.insert(key, id);
        id
    }

    fn declare_type(&mut self, key: TypeKey) -> Word {
        match key {
            TypeKey::Void => self.declare(spirv::Op::TypeVoid, None, vec![]),
            TypeKey::EntryPoint => {
                let void = self.type_id(TypeKey::Void);
                self.listing_type(spirv::Op::TypeFunction, vec![void])
            }
            TypeKey::Value(Type::Vector(scalar, lanes)) => {
                let scalar = self.value_type(Type::Scalar(scalar));
                let lanes = Operand::LiteralBit32(u32::from(lanes));
                self.declare(spirv::Op::TypeVector, None, vec![Operand::IdRef(scalar), lanes])
            }
            TypeKey::Value(Type::Scalar(scalar)) => self.declare_scalar(scalar),
            TypeKey::Value(Type::Matrix(matrix)) => self.matrix_type(matrix),
            TypeKey::BFloat16 => self.bfloat16_type(),
            TypeKey::Block(array) => self.block_type(array),
            TypeKey::Value(other) => unreachable!("{other:?} is not a scalar or vector"),
            TypeKey::Signed(1) => {
                let operands = vec![Operand::LiteralBit32(32), Operand::LiteralBit32(1)];
                self.declare(spirv::Op::TypeInt, None, operands)
            }
            TypeKey::Signed(lanes) => {
                let scalar = self.type_id(TypeKey::Signed(1));
                let lanes = Operand::LiteralBit32(u32::from(lanes));
                self.declare(spirv::Op::TypeVector, None, vec![Operand::IdRef(scalar), lanes])
            }
            TypeKey::Pointer(class, target) => {
                let operands = vec![Operand::StorageClass(class), Operand::IdRef(target)];
                self.declare(spirv::Op::TypePointer, None, operands)
            }
            TypeKey::Array(element, length) => self.declare(
                spirv::Op::TypeArray,
                None,
                vec![Operand::IdRef(element), Operand::IdRef(length)],
            ),
            TypeKey::BufferArray(element, stride) => {
                let id = self.declare(spirv::Op::TypeRuntimeArray, None, vec![Operand::IdRef(element)]);
                self.decorate(id, Decoration::ArrayStride, &[Operand::LiteralBit32(stride)]);
                id
            }
            TypeKey::Member(element, decoration) => {
                let id = self.block_type(element);
                self.decorate_member(id, 0, decoration, None);
                id
            }
            TypeKey::Pair => {
                let word = Operand::IdRef(self.value_type(Type::I32));
                self.declare(spirv::Op::TypeStruct, None, vec![word.clone(), word])
            }
            TypeKey::Image(image) => self.declare_image(image),
            TypeKey::Sampler => self.declare(spirv::Op::TypeSampler, None, vec![]),
            TypeKey::SampledImage(image) => {
                self.declare(spirv::Op::TypeSampledImage, None, vec![Operand::IdRef(image)])
            }
        }
    }

    fn declare_scalar(&mut self, scalar: Scalar) -> Word {
        match scalar {
            Scalar::I8 => self.require(Capability::Int8),
            Scalar::I16 => self.require(Capability::Int16),
            Scalar::I64 => self.require(Capability::Int64),
            Scalar::F16 => self.require(Capability::Float16),
            Scalar::F64 => self.require(Capability::Float64),
            Scalar::Bool | Scalar::I32 | Scalar::F32 => {}
        }
        let width = Operand::LiteralBit32(scalar.bits());
        match scalar {
            Scalar::Bool => self.declare(spirv::Op::TypeBool, None, vec![]),
            _ if scalar.is_int() => {
                self.declare(spirv::Op::TypeInt, None, vec![width, Operand::LiteralBit32(0)])
            }
            _ => self.declare(spirv::Op::TypeFloat, None, vec![width]),
        }
    }

    fn declare_image(&mut self, image: ImageType) -> Word {
        let texel = match image.sampled {
            SampledType::Float | SampledType::Unknown => self.value_type(Type::F32),
            SampledType::Sint => self.type_id(TypeKey::Signed(1)),
            SampledType::Uint => self.value_type(Type::I32),
        };
        let storage = image.writable;
        let (dimension, arrayed) = match image.dimension.without_depth() {
            ImageDimension::D1 => (spirv::Dim::Dim1D, 0),
            ImageDimension::D1Array => (spirv::Dim::Dim1D, 1),
            ImageDimension::D1Buffer => (spirv::Dim::DimBuffer, 0),
            ImageDimension::D2 => (spirv::Dim::Dim2D, 0),
            ImageDimension::D2Array => (spirv::Dim::Dim2D, 1),
            _ => (spirv::Dim::Dim3D, 0),
        };
        match (dimension, storage) {
            (spirv::Dim::Dim1D, false) => self.require(Capability::Sampled1D),
            (spirv::Dim::Dim1D, true) => self.require(Capability::Image1D),
            (spirv::Dim::DimBuffer, false) => self.require(Capability::SampledBuffer),
            (spirv::Dim::DimBuffer, true) => self.require(Capability::ImageBuffer),
            _ => {}
        }
        let operands = vec![
            Operand::IdRef(texel),
            Operand::Dim(dimension),
            Operand::LiteralBit32(0),
            Operand::LiteralBit32(arrayed),
            Operand::LiteralBit32(0),
            Operand::LiteralBit32(if storage { 2 } else { 1 }),
            Operand::ImageFormat(spirv::ImageFormat::Unknown),
        ];
        self.declare(spirv::Op::TypeImage, None, operands)
    }

    /// The id of a constant.
    pub fn constant(&mut self, ty: Type, constant: &Constant) -> Word {
        let key = (ty, constant.clone());
        if let Some(&id) = self.constants.get(&key) {
            return id;
        }
        let type_id = self.value_type(ty);
        let id = match (ty, constant) {
            (_, Constant::Undef) => self.declare(spirv::Op::Undef, Some(type_id), vec![]),
            (Type::Matrix(_), _) => self.declare(spirv::Op::ConstantNull, Some(type_id), vec![]),
            (Type::Vector(scalar, lanes), constant) => {
                let lanes = (0..usize::from(lanes))
                    .map(|lane| {
                        let bits = constant.lane(lane).unwrap_or(0);
                        Operand::IdRef(self.constant(Type::Scalar(scalar), &Constant::Bits(bits)))
                    })
                    .collect();
                self.declare(spirv::Op::ConstantComposite, Some(type_id), lanes)
            }
            (ty, constant) => {
                let bits = constant.lane(0).unwrap_or(0);
                match ty.scalar() {
                    Some(Scalar::Bool) if bits == 0 => {
                        self.declare(spirv::Op::ConstantFalse, Some(type_id), vec![])
                    }
                    Some(Scalar::Bool) => self.declare(spirv::Op::ConstantTrue, Some(type_id), vec![]),
                    Some(scalar) if scalar.bits() == 64 => {
                        self.declare(spirv::Op::Constant, Some(type_id), vec![Operand::LiteralBit64(bits)])
                    }
                    _ => self.declare(
                        spirv::Op::Constant,
                        Some(type_id),
                        vec![Operand::LiteralBit32(bits as u32)],
                    ),
                }
            }
        };
        self.constants.insert(key, id);
        id
    }

    /// A 32-bit constant.
    pub fn word(&mut self, value: u32) -> Word {
        self.constant(Type::I32, &Constant::Bits(u64::from(value)))
    }

    /// A 32-bit specialisation constant.
    pub fn spec_constant(&mut self, spec_id: u32, default: u32) -> Word {
        let ty = self.value_type(Type::I32);
        let id = self.declare(spirv::Op::SpecConstant, Some(ty), vec![Operand::LiteralBit32(default)]);
        self.decorate(id, Decoration::SpecId, &[Operand::LiteralBit32(spec_id)]);
        id
    }

    /// The work-group size: a vector of specialisation constants.
    pub fn work_group_size(&mut self) -> Word {
        if let Some(id) = self.work_group_size {
            return id;
        }
        let ty = self.value_type(Type::Vector(Scalar::I32, 3));
        let sizes: [Word; 3] =
            std::array::from_fn(|axis| self.spec_constant(SpecConstants::LOCAL_SIZE_X + axis as u32, 1));
        let composite = |writer: &mut Self, sizes: [Word; 3]| {
            writer.declare(spirv::Op::SpecConstantComposite, Some(ty), sizes.map(Operand::IdRef).to_vec())
        };
        let id = if self.flat {
            self.kernel_group_size = Some(composite(self, sizes));
            let plane = self.spec_product(sizes[0], sizes[1]);
            let row = self.spec_product(plane, sizes[2]);
            let one = self.word(1);
            composite(self, [row, one, one])
        } else {
            let id = composite(self, sizes);
            self.kernel_group_size = Some(id);
            id
        };
        self.decorate(id, Decoration::BuiltIn, &[Operand::BuiltIn(BuiltIn::WorkgroupSize)]);
        self.work_group_size = Some(id);
        id
    }

    /// The work-group size that the launch asked for.
    pub fn enqueued_work_group_size(&mut self) -> Word {
        if let Some(id) = self.enqueued_work_group_size {
            return id;
        }
        let id = self.three_spec_constants(SpecConstants::ENQUEUED_LOCAL_SIZE_X, 1);
        self.enqueued_work_group_size = Some(id);
        id
    }

    /// The global offset, for hosts of clspv.
    fn global_offset(&mut self) -> Word {
        let first = self.clspv_spec_ids.1.expect("it is allotted where it is used");
        self.three_spec_constants(first, 0)
    }

    fn three_spec_constants(&mut self, first: u32, default: u32) -> Word {
        let ty = self.value_type(Type::Vector(Scalar::I32, 3));
        let sizes = (first..first + 3).map(|id| Operand::IdRef(self.spec_constant(id, default))).collect();
        self.declare(spirv::Op::SpecConstantComposite, Some(ty), sizes)
    }

    /// The size of the kernel's work-groups, as the source sees it.
    pub fn kernel_group_size(&mut self) -> Word {
        self.work_group_size();
        self.kernel_group_size.expect("made together")
    }

    fn spec_product(&mut self, a: Word, b: Word) -> Word {
        let ty = self.value_type(Type::I32);
        let operation = Operand::LiteralSpecConstantOpInteger(spirv::Op::IMul);
        let operands = vec![operation, Operand::IdRef(a), Operand::IdRef(b)];
        self.declare(spirv::Op::SpecConstantOp, Some(ty), operands)
    }

    /// An input that is a constant: the work-group size, or a number of the launch.
    pub fn constant_input(&mut self, input: InputVariable) -> Option<Word> {
        match input {
            InputVariable::WorkgroupSize => return Some(self.kernel_group_size()),
            InputVariable::EnqueuedWorkgroupSize => return Some(self.enqueued_work_group_size()),
            InputVariable::WorkDim
            | InputVariable::GlobalOffset
            | InputVariable::Unwatched
            | InputVariable::Inside
            | InputVariable::OffsetMask => {}
            _ => return None,
        }
        if let Some(&id) = self.inputs.get(&input) {
            return Some(id);
        }
        let id = match input {
            InputVariable::WorkDim => self.spec_constant(self.clspv_spec_ids.0.expect("allotted"), 3),
            InputVariable::GlobalOffset => self.global_offset(),
            InputVariable::OffsetMask => self.spec_constant(SpecConstants::OFFSET_MASK, u32::MAX),
            InputVariable::Inside => self.spec_constant(INSIDE, 0),
            _ => self.spec_constant(UNWATCHED, 0),
        };
        self.inputs.insert(input, id);
        Some(id)
    }

    /// The variable of an input.
    pub fn input(&mut self, input: InputVariable) -> Word {
        if let Some(&id) = self.inputs.get(&input) {
            return id;
        }
        let (built_in, ty) = match input {
            InputVariable::LocalInvocationId => (BuiltIn::LocalInvocationId, Type::Vector(Scalar::I32, 3)),
            InputVariable::WorkgroupId => (BuiltIn::WorkgroupId, Type::Vector(Scalar::I32, 3)),
            InputVariable::NumWorkgroups => (BuiltIn::NumWorkgroups, Type::Vector(Scalar::I32, 3)),
            InputVariable::LocalInvocationIndex => (BuiltIn::LocalInvocationIndex, Type::I32),
            InputVariable::SubgroupSize => (BuiltIn::SubgroupSize, Type::I32),
            InputVariable::NumSubgroups => (BuiltIn::NumSubgroups, Type::I32),
            InputVariable::SubgroupId => (BuiltIn::SubgroupId, Type::I32),
            InputVariable::SubgroupLocalInvocationId => (BuiltIn::SubgroupLocalInvocationId, Type::I32),
            InputVariable::WorkgroupSize
            | InputVariable::EnqueuedWorkgroupSize
            | InputVariable::WorkDim
            | InputVariable::GlobalOffset
            | InputVariable::Unwatched
            | InputVariable::Inside
            | InputVariable::OffsetMask => unreachable!("these are constants"),
        };
        if matches!(
            input,
            InputVariable::SubgroupSize
                | InputVariable::NumSubgroups
                | InputVariable::SubgroupId
                | InputVariable::SubgroupLocalInvocationId
        ) {
            self.require(Capability::GroupNonUniform);
        }
        let pointer = self.pointer_type(StorageClass::Input, ty);
        let id = self.declare(
            spirv::Op::Variable,
            Some(pointer),
            vec![Operand::StorageClass(StorageClass::Input)],
        );
        self.decorate(id, Decoration::BuiltIn, &[Operand::BuiltIn(built_in)]);
        self.inputs.insert(input, id);
        id
    }
}

/// Whether the capability for a type's arithmetic, which the writer declares with each type, makes this one
/// superfluous. Hosts of clspv do not know it.
fn is_implied(capability: u32) -> bool {
    let storage = [
        Capability::StorageBuffer8BitAccess,
        Capability::StoragePushConstant8,
        Capability::StorageBuffer16BitAccess,
        Capability::StoragePushConstant16,
    ];
    storage.iter().any(|&known| known as u32 == capability)
}

/// An instruction.
pub fn instruction(
    op: spirv::Op,
    ty: Option<Word>,
    result: Option<Word>,
    operands: Vec<Operand>,
) -> Instruction {
    Instruction::new(op, ty, result, operands)
}
