//! The module under construction: ids, types, constants, capabilities, decorations.

use crate::emit::writer::instruction;
use clvk_ir::{AddressSpace, Constant, ImageDimension, ImageType, Scalar, Type};
use rspirv::{
    binary::Assemble,
    dr::{self, Operand},
    spirv::{self, BuiltIn, Capability, Decoration, LinkageType, OpenclStd100Op as Std, StorageClass, Word},
};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// What identifies a type.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum TypeKey {
    /// No value.
    Void,
    /// A type of the IR. Pointers point to bytes.
    Value(Type),
    /// A pointer to a type.
    Pointer(StorageClass, Word),
    /// An array of a type, with this many elements.
    Array(Word, u64),
    /// A structure, which may be packed.
    Struct(Vec<Word>, bool),
    /// A function's: result, then parameters.
    Function(Word, Vec<Word>),
    /// An image with a sampler.
    SampledImage(Word),
}

/// See the module documentation.
pub struct Writer {
    /// Sections.
    pub module: dr::Module,
    next_id: Word,
    version: (u32, u32),
    language: u32,
    capabilities: BTreeSet<u32>,
    extensions: BTreeSet<&'static str>,
    types: FxHashMap<TypeKey, Word>,
    constants: FxHashMap<(Type, Constant), Word>,
    nulls: FxHashMap<Word, Word>,
    inputs: FxHashMap<u32, Word>,
    samplers: FxHashMap<u32, Word>,
    zeros: FxHashMap<u64, Word>,
    /// Whether there is the type of halves.
    has_halves: bool,
    std: Word,
}

impl Writer {
    /// An empty module, made of this version of OpenCL C: 102000 is 1.2.
    pub fn new(language: u32) -> Self {
        let mut writer = Writer {
            module: dr::Module::new(),
            next_id: 1,
            version: (1, 0),
            language,
            capabilities: BTreeSet::new(),
            extensions: BTreeSet::new(),
            types: FxHashMap::default(),
            constants: FxHashMap::default(),
            nulls: FxHashMap::default(),
            inputs: FxHashMap::default(),
            samplers: FxHashMap::default(),
            zeros: FxHashMap::default(),
            has_halves: false,
            std: 0,
        };
        for capability in [Capability::Kernel, Capability::Addresses, Capability::Linkage] {
            writer.require(capability);
        }
        writer.std = writer.id();
        let (name, std) = (Operand::LiteralString("OpenCL.std".to_owned()), Some(writer.std));
        writer.module.ext_inst_imports.push(instruction(spirv::Op::ExtInstImport, None, std, vec![name]));
        writer
    }

    /// The words, in the lowest version of SPIR-V that has what was used.
    pub fn finish(mut self) -> Vec<u32> {
        self.module.memory_model = Some(instruction(
            spirv::Op::MemoryModel,
            None,
            None,
            vec![
                Operand::AddressingModel(spirv::AddressingModel::Physical64),
                Operand::MemoryModel(spirv::MemoryModel::OpenCL),
            ],
        ));
        if self.has_halves && !self.capabilities.contains(&(Capability::Float16 as u32)) {
            self.require(Capability::Float16Buffer);
        }
        for &capability in &self.capabilities {
            let capability = Capability::from_u32(capability).expect("it was a capability");
            let operands = vec![Operand::Capability(capability)];
            self.module.capabilities.push(instruction(spirv::Op::Capability, None, None, operands));
        }
        for extension in &self.extensions {
            let name = Operand::LiteralString((*extension).to_owned());
            self.module.extensions.push(instruction(spirv::Op::Extension, None, None, vec![name]));
        }
        let source = &mut self.module.debug_string_source;
        if source.iter().all(|it| it.class.opcode != spirv::Op::Source) {
            let language = Operand::SourceLanguage(spirv::SourceLanguage::OpenCL_C);
            let operands = vec![language, Operand::LiteralBit32(0)];
            source.insert(0, instruction(spirv::Op::Source, None, None, operands));
        }
        for source in source.iter_mut().filter(|it| it.class.opcode == spirv::Op::Source) {
            source.operands[1] = Operand::LiteralBit32(self.language);
        }
        // What is only declared stands before what has a body.
        self.module.functions.sort_by_key(|function| !function.blocks.is_empty());
        let mut header = dr::ModuleHeader::new(self.next_id);
        header.set_version(self.version.0 as u8, self.version.1 as u8);
        self.module.header = Some(header);
        self.module.assemble()
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

    /// Declares an extension.
    pub fn extension(&mut self, name: &'static str) {
        self.extensions.insert(name);
    }

    /// Declares that the module uses something of this version of SPIR-V.
    pub fn needs_version(&mut self, version: (u32, u32)) {
        self.version = self.version.max(version);
    }

    /// The operands that name an instruction of `OpenCL.std`.
    pub fn std(&self, op: Std) -> Vec<Operand> {
        vec![Operand::IdRef(self.std), Operand::LiteralExtInstInteger(op as u32)]
    }

    /// Names an id.
    pub fn name(&mut self, id: Word, name: &str) {
        let operands = vec![Operand::IdRef(id), Operand::LiteralString(name.to_owned())];
        self.module.debug_names.push(instruction(spirv::Op::Name, None, None, operands));
    }

    /// Decorates an id.
    pub fn decorate(&mut self, id: Word, decoration: Decoration, extra: &[Operand]) {
        let mut operands = vec![Operand::IdRef(id), Operand::Decoration(decoration)];
        operands.extend_from_slice(extra);
        self.module.annotations.push(instruction(spirv::Op::Decorate, None, None, operands));
    }

    /// Lets other modules name an id, or finds it in one of them.
    pub fn link(&mut self, id: Word, name: &str, linkage: LinkageType) {
        if linkage == LinkageType::LinkOnceODR {
            self.extension("SPV_KHR_linkonce_odr");
        }
        let extra = [Operand::LiteralString(name.to_owned()), Operand::LinkageType(linkage)];
        self.decorate(id, Decoration::LinkageAttributes, &extra);
    }

    /// Says that the module uses what only later versions of OpenCL C have. Drivers choose their built-in
    /// functions by the version that the module names.
    pub fn needs_language_2(&mut self) {
        self.language = self.language.max(200_000);
    }

    /// A string that is not used by instructions.
    pub fn string(&mut self, text: String) {
        let id = self.id();
        let operands = vec![Operand::LiteralString(text)];
        self.module.debug_string_source.push(instruction(spirv::Op::String, None, Some(id), operands));
    }

    /// Adds a type, constant or module-scope variable.
    pub fn declare(&mut self, op: spirv::Op, ty: Option<Word>, operands: Vec<Operand>) -> Word {
        let id = self.id();
        self.module.types_global_values.push(instruction(op, ty, Some(id), operands));
        id
    }

    /// The id of the type of a value.
    pub fn value_type(&mut self, ty: Type) -> Word {
        self.type_id(TypeKey::Value(ty))
    }

    /// The id of the type of pointers to values of a type.
    pub fn pointer_type(&mut self, class: StorageClass, target: Type) -> Word {
        let target = self.value_type(target);
        self.type_id(TypeKey::Pointer(class, target))
    }

    /// The id of a type.
    pub fn type_id(&mut self, key: TypeKey) -> Word {
        // Pointers to bytes have one id, however they are asked for.
        let key = match key {
            TypeKey::Value(Type::Pointer(space)) => {
                TypeKey::Pointer(storage_class(space), self.value_type(Type::I8))
            }
            TypeKey::Value(Type::Void) => TypeKey::Void,
            key => key,
        };
        if let Some(&id) = self.types.get(&key) {
            return id;
        }
        let id = self.declare_type(&key);
        self.types.insert(key, id);
        id
    }

    fn declare_type(&mut self, key: &TypeKey) -> Word {
        match *key {
            TypeKey::Void => self.declare(spirv::Op::TypeVoid, None, vec![]),
            TypeKey::Value(Type::Vector(scalar, lanes)) => {
                if lanes > 4 {
                    self.require(Capability::Vector16);
                }
                let scalar = self.value_type(Type::Scalar(scalar));
                let lanes = Operand::LiteralBit32(u32::from(lanes));
                self.declare(spirv::Op::TypeVector, None, vec![Operand::IdRef(scalar), lanes])
            }
            TypeKey::Value(Type::Scalar(scalar)) => self.declare_scalar(scalar),
            TypeKey::Value(Type::Image(image)) => self.declare_image(image),
            TypeKey::Value(Type::Sampler) => self.declare(spirv::Op::TypeSampler, None, vec![]),
            TypeKey::Value(other) => unreachable!("{other} has another key"),
            TypeKey::Pointer(class, target) => {
                if class == StorageClass::Generic {
                    self.require(Capability::GenericPointer);
                    self.needs_language_2();
                }
                let operands = vec![Operand::StorageClass(class), Operand::IdRef(target)];
                self.declare(spirv::Op::TypePointer, None, operands)
            }
            TypeKey::Array(element, length) => {
                // Not every device has 64 bits.
                let count = if length <= u64::from(u32::MAX) { Type::I32 } else { Type::I64 };
                let length = self.constant(count, &Constant::Bits(length));
                let operands = vec![Operand::IdRef(element), Operand::IdRef(length)];
                self.declare(spirv::Op::TypeArray, None, operands)
            }
            TypeKey::Struct(ref members, packed) => {
                let members = members.iter().copied().map(Operand::IdRef).collect();
                let id = self.declare(spirv::Op::TypeStruct, None, members);
                if packed {
                    self.decorate(id, Decoration::CPacked, &[]);
                }
                id
            }
            TypeKey::Function(result, ref params) => {
                let all = std::iter::once(result).chain(params.iter().copied());
                self.declare(spirv::Op::TypeFunction, None, all.map(Operand::IdRef).collect())
            }
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
            Scalar::F16 => self.has_halves = true,
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
        self.require(Capability::ImageBasic);
        let (dimension, arrayed) = match image.dimension.without_depth() {
            ImageDimension::D1 => (spirv::Dim::Dim1D, 0),
            ImageDimension::D1Array => (spirv::Dim::Dim1D, 1),
            ImageDimension::D1Buffer => (spirv::Dim::DimBuffer, 0),
            ImageDimension::D2 => (spirv::Dim::Dim2D, 0),
            ImageDimension::D2Array => (spirv::Dim::Dim2D, 1),
            _ => (spirv::Dim::Dim3D, 0),
        };
        match dimension {
            spirv::Dim::Dim1D => self.require(Capability::Sampled1D),
            spirv::Dim::DimBuffer => self.require(Capability::SampledBuffer),
            _ => {}
        }
        let access = match (image.readable, image.writable) {
            (true, true) => {
                self.require(Capability::ImageReadWrite);
                spirv::AccessQualifier::ReadWrite
            }
            (_, true) => spirv::AccessQualifier::WriteOnly,
            _ => spirv::AccessQualifier::ReadOnly,
        };
        let texel = self.type_id(TypeKey::Void);
        let operands = vec![
            Operand::IdRef(texel),
            Operand::Dim(dimension),
            Operand::LiteralBit32(u32::from(image.dimension.is_depth())),
            Operand::LiteralBit32(arrayed),
            Operand::LiteralBit32(0),
            Operand::LiteralBit32(0),
            Operand::ImageFormat(spirv::ImageFormat::Unknown),
            Operand::AccessQualifier(access),
        ];
        self.declare(spirv::Op::TypeImage, None, operands)
    }

    /// The constant of a type whose bits are all zero.
    pub fn null(&mut self, ty: Word) -> Word {
        if let Some(&id) = self.nulls.get(&ty) {
            return id;
        }
        let id = self.declare(spirv::Op::ConstantNull, Some(ty), vec![]);
        self.nulls.insert(ty, id);
        id
    }

    /// The id of a constant; a pointer is null or undefined.
    pub fn constant(&mut self, ty: Type, constant: &Constant) -> Word {
        let key = (ty, constant.clone());
        if let Some(&id) = self.constants.get(&key) {
            return id;
        }
        let type_id = self.value_type(ty);
        let id = match (ty, constant) {
            (_, Constant::Undef) => self.declare(spirv::Op::Undef, Some(type_id), vec![]),
            (Type::Scalar(scalar), constant) => {
                let bits = constant.lane(0).unwrap_or(0);
                let (op, operands) = match scalar {
                    Scalar::Bool if bits == 0 => (spirv::Op::ConstantFalse, vec![]),
                    Scalar::Bool => (spirv::Op::ConstantTrue, vec![]),
                    _ if scalar.bits() == 64 => (spirv::Op::Constant, vec![Operand::LiteralBit64(bits)]),
                    _ => (spirv::Op::Constant, vec![Operand::LiteralBit32(bits as u32)]),
                };
                self.declare(op, Some(type_id), operands)
            }
            _ if constant.is_zero() => self.null(type_id),
            (Type::Vector(scalar, lanes), constant) => {
                let lanes = (0..usize::from(lanes))
                    .map(|lane| {
                        let bits = constant.lane(lane).unwrap_or(0);
                        Operand::IdRef(self.constant(Type::Scalar(scalar), &Constant::Bits(bits)))
                    })
                    .collect();
                self.declare(spirv::Op::ConstantComposite, Some(type_id), lanes)
            }
            (ty, constant) => unreachable!("{constant:?} is not a constant of type {ty}"),
        };
        self.constants.insert(key, id);
        id
    }

    /// A 32-bit constant.
    pub fn word(&mut self, value: u32) -> Word {
        self.constant(Type::I32, &Constant::Bits(u64::from(value)))
    }

    /// A 64-bit constant.
    pub fn long(&mut self, value: u64) -> Word {
        self.constant(Type::I64, &Constant::Bits(value))
    }

    /// The variable of a built-in input of this type.
    pub fn input(&mut self, built_in: BuiltIn, ty: Type) -> Word {
        if let Some(&id) = self.inputs.get(&(built_in as u32)) {
            return id;
        }
        if matches!(built_in, BuiltIn::LocalInvocationIndex | BuiltIn::GlobalLinearId) {
            self.needs_language_2();
        }
        let pointer = self.pointer_type(StorageClass::Input, ty);
        let class = vec![Operand::StorageClass(StorageClass::Input)];
        let id = self.declare(spirv::Op::Variable, Some(pointer), class);
        self.decorate(id, Decoration::BuiltIn, &[Operand::BuiltIn(built_in)]);
        self.decorate(id, Decoration::Constant, &[]);
        let name = format!("__spirv_BuiltIn{built_in:?}");
        self.name(id, &name);
        self.link(id, &name, LinkageType::Import);
        self.inputs.insert(built_in as u32, id);
        id
    }

    /// A sampler that the program declares, by its word ([`clvk_ir::SamplerWord`]).
    pub fn sampler(&mut self, word: clvk_ir::SamplerWord) -> Word {
        if let Some(&id) = self.samplers.get(&word.bits()) {
            return id;
        }
        self.require(Capability::LiteralSampler);
        let addressing = match word.addressing() {
            2 => spirv::SamplerAddressingMode::ClampToEdge,
            4 => spirv::SamplerAddressingMode::Clamp,
            6 => spirv::SamplerAddressingMode::Repeat,
            8 => spirv::SamplerAddressingMode::RepeatMirrored,
            _ => spirv::SamplerAddressingMode::None,
        };
        let filter = match word.bits() & 0x30 {
            0x20 => spirv::SamplerFilterMode::Linear,
            _ => spirv::SamplerFilterMode::Nearest,
        };
        let ty = self.value_type(Type::Sampler);
        let operands = vec![
            Operand::SamplerAddressingMode(addressing),
            Operand::LiteralBit32(word.bits() & 1),
            Operand::SamplerFilterMode(filter),
        ];
        let id = self.declare(spirv::Op::ConstantSampler, Some(ty), operands);
        self.samplers.insert(word.bits(), id);
        id
    }

    /// A constant variable of this many zero bytes, to copy from; its address as a pointer to bytes is
    /// `OpBitcast` of it.
    pub fn zeros(&mut self, size: u64) -> Word {
        if let Some(&id) = self.zeros.get(&size) {
            return id;
        }
        let byte = self.value_type(Type::I8);
        let array = self.type_id(TypeKey::Array(byte, size));
        let pointer = self.type_id(TypeKey::Pointer(StorageClass::UniformConstant, array));
        let contents = self.null(array);
        let operands = vec![Operand::StorageClass(StorageClass::UniformConstant), Operand::IdRef(contents)];
        let id = self.declare(spirv::Op::Variable, Some(pointer), operands);
        self.decorate(id, Decoration::Constant, &[]);
        self.decorate(id, Decoration::Alignment, &[Operand::LiteralBit32(16)]);
        self.zeros.insert(size, id);
        id
    }
}

/// Where an address space is in SPIR-V.
pub fn storage_class(space: AddressSpace) -> StorageClass {
    match space {
        AddressSpace::Private => StorageClass::Function,
        AddressSpace::Local => StorageClass::Workgroup,
        AddressSpace::Global => StorageClass::CrossWorkgroup,
        AddressSpace::Constant => StorageClass::UniformConstant,
        AddressSpace::Generic => StorageClass::Generic,
    }
}
