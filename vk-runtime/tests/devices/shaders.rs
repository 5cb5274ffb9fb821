//! Small compute shaders, built without the compiler, with their interfaces written by hand.
//!
//! [`step`] computes `dst[i] = src[i] * 3 + c + global_size + work_dim` for the global id `i`, so that a
//! wrong word in the push constants shows in the result. [`copy_image`] reads one image through a sampler and
//! writes another.

use clvk_interface::{
    AddressingMode, Argument, ArgumentBuffer, ArgumentKind, BufferLocation, CompiledModule, DeviceProfile,
    ImageAccess, ImageDimension, KernelInterface, ModuleInterface, ScalarType, SpecConstants, ValueLocation,
};
use rspirv::binary::Assemble;
use rspirv::dr::{Builder, Operand};
use rspirv::spirv::{
    self, AddressingModel, BuiltIn, Capability, Decoration, Dim, ExecutionMode, ExecutionModel,
    FunctionControl, ImageFormat, ImageOperands, MemoryAccess, MemoryModel, StorageClass, Word,
};

/// How `step` is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepOptions {
    pub addressing: AddressingMode,
    /// The arguments are in an argument buffer (physical addressing only).
    pub spilled: bool,
    /// The values go through local memory, reversed within each work-group.
    pub local: bool,
}

/// The ways in which a device can run `step`.
pub fn variants(profile: &DeviceProfile) -> Vec<StepOptions> {
    let plain = StepOptions { addressing: AddressingMode::Logical, spilled: false, local: false };
    let mut all = vec![plain];
    if profile.buffer_device_address {
        all.push(StepOptions { addressing: AddressingMode::Physical, ..plain });
    }
    all
}

/// What `step` computes for one element.
pub fn step_value(source: u32, constant: u32, global_size: u32, work_dim: u32) -> u32 {
    source.wrapping_mul(3).wrapping_add(constant).wrapping_add(global_size).wrapping_add(work_dim)
}

// Offsets in the push constants (or, for the first three, in the argument buffer).
const SOURCE: u32 = 0;
const DESTINATION: u32 = 8;
const CONSTANT: u32 = 16;
const GROUP_OFFSET: u32 = 20;
const GLOBAL_OFFSET: u32 = 32;
const GLOBAL_SIZE: u32 = 44;
const WORK_DIM: u32 = 56;
const PUSH_SIZE: u32 = 60;

/// The module with the kernel `step(const uint *src, uint *dst, uint c[, local uint *tmp])`.
pub fn step(options: StepOptions) -> CompiledModule {
    let place = |offset| {
        if options.spilled {
            ValueLocation::ArgumentBuffer { offset }
        } else {
            ValueLocation::PushConstant { offset }
        }
    };
    let pointer = |name: &str, binding: u32, offset: u32, read_only: bool| Argument {
        name: name.to_owned(),
        type_name: if read_only { "const uint*".to_owned() } else { "uint*".to_owned() },
        element: ScalarType::U32,
        lanes: 1,
        kind: match options.addressing {
            AddressingMode::Physical => ArgumentKind::BufferAddress { location: place(offset), read_only },
            AddressingMode::Logical => {
                ArgumentKind::StorageBuffer { binding, offset_location: place(offset), read_only }
            }
        },
    };
    let scalar = |name: &str, type_name: &str, kind| Argument {
        name: name.to_owned(),
        type_name: type_name.to_owned(),
        element: ScalarType::U32,
        lanes: 1,
        kind,
    };
    let mut arguments = vec![
        pointer("src", 0, SOURCE, true),
        pointer("dst", 1, DESTINATION, false),
        scalar("c", "uint", ArgumentKind::Value { location: place(CONSTANT), size: 4 }),
    ];
    if options.local {
        arguments.push(scalar(
            "tmp",
            "local uint*",
            ArgumentKind::Local { spec_id: SpecConstants::FIRST_LOCAL_ARGUMENT, element_size: 4 },
        ));
    }
    let kernel = KernelInterface {
        push_constant_size: PUSH_SIZE,
        global_offset: Some(GLOBAL_OFFSET),
        global_size: Some(GLOBAL_SIZE),
        work_dim: Some(WORK_DIM),
        group_offset: Some(GROUP_OFFSET),
        argument_buffer: options.spilled.then_some(ArgumentBuffer {
            size: CONSTANT + 4,
            location: BufferLocation::Address { offset: 0 },
        }),
        uses_barrier: options.local,
        ..kernel("step", arguments)
    };
    let spirv = StepBuilder::new(options).build();
    CompiledModule {
        spirv,
        interface: ModuleInterface {
            addressing: options.addressing,
            kernels: vec![kernel],
            program_variables: None,
            print_formats: Vec::new(),
            print_strings: Vec::new(),
        },
        sanitized: None,
        measured: None,
    }
}

fn kernel(name: &str, arguments: Vec<Argument>) -> KernelInterface {
    KernelInterface { arguments, ..KernelInterface::new(name) }
}

/// Identifiers that every shader here has.
struct Common {
    builder: Builder,
    void: Word,
    uint: Word,
    uint3: Word,
    local_size: [Word; 3],
    interface: Vec<Word>,
}

impl Common {
    fn new(addressing: AddressingMode) -> Self {
        let mut builder = Builder::new();
        builder.set_version(1, 3);
        builder.capability(Capability::Shader);
        let model = match addressing {
            AddressingMode::Logical => AddressingModel::Logical,
            AddressingMode::Physical => {
                builder.capability(Capability::PhysicalStorageBufferAddresses);
                builder.extension("SPV_KHR_physical_storage_buffer");
                AddressingModel::PhysicalStorageBuffer64
            }
        };
        builder.memory_model(model, MemoryModel::GLSL450);
        let void = builder.type_void();
        let uint = builder.type_int(32, 0);
        let uint3 = builder.type_vector(uint, 3);
        let local_size = [0, 1, 2].map(|id| {
            let constant = builder.spec_constant_bit32(uint, 1);
            builder.decorate(constant, Decoration::SpecId, [Operand::LiteralBit32(id)]);
            constant
        });
        let size = builder.spec_constant_composite(uint3, local_size);
        builder.decorate(size, Decoration::BuiltIn, [Operand::BuiltIn(BuiltIn::WorkgroupSize)]);
        Common { builder, void, uint, uint3, local_size, interface: Vec::new() }
    }

    /// Declares an input variable of three words.
    fn input(&mut self, built_in: BuiltIn) -> Word {
        let pointer = self.builder.type_pointer(None, StorageClass::Input, self.uint3);
        let variable = self.builder.variable(pointer, None, StorageClass::Input, None);
        self.builder.decorate(variable, Decoration::BuiltIn, [Operand::BuiltIn(built_in)]);
        self.interface.push(variable);
        variable
    }

    fn begin(&mut self) -> Word {
        let kind = self.builder.type_function(self.void, []);
        let main = self.builder.begin_function(self.void, None, FunctionControl::NONE, kind).unwrap();
        self.builder.begin_block(None).unwrap();
        main
    }

    fn end(mut self, name: &str, main: Word) -> Vec<u32> {
        self.builder.ret().unwrap();
        self.builder.end_function().unwrap();
        self.builder.entry_point(ExecutionModel::GLCompute, main, name, &self.interface);
        self.builder.execution_mode(main, ExecutionMode::LocalSize, [1, 1, 1]);
        self.builder.module().assemble()
    }

    /// Loads the x component of an input variable.
    fn load_x(&mut self, variable: Word) -> Word {
        let all = self.builder.load(self.uint3, None, variable, None, []).unwrap();
        self.builder.composite_extract(self.uint, None, all, [0]).unwrap()
    }
}

struct StepBuilder {
    common: Common,
    options: StepOptions,
    push: Word,
    /// Type of a pointer to an array of words in a buffer.
    array_pointer: Word,
    buffers: [Word; 2],
}

impl StepBuilder {
    fn new(options: StepOptions) -> Self {
        let mut common = Common::new(options.addressing);
        let physical = options.addressing == AddressingMode::Physical;
        let class = if physical { StorageClass::PhysicalStorageBuffer } else { StorageClass::StorageBuffer };
        let b = &mut common.builder;
        let array = b.type_runtime_array(common.uint);
        b.decorate(array, Decoration::ArrayStride, [Operand::LiteralBit32(4)]);
        let block = b.type_struct([array]);
        b.decorate(block, Decoration::Block, []);
        b.member_decorate(block, 0, Decoration::Offset, [Operand::LiteralBit32(0)]);
        let array_pointer = b.type_pointer(None, class, block);
        let word = if physical { array_pointer } else { common.uint };
        let push = Self::declare_push(&mut common, options, word);
        let buffers = [0, 1].map(|binding| {
            if physical {
                return 0;
            }
            let b = &mut common.builder;
            let variable = b.variable(array_pointer, None, StorageClass::StorageBuffer, None);
            b.decorate(variable, Decoration::DescriptorSet, [Operand::LiteralBit32(0)]);
            b.decorate(variable, Decoration::Binding, [Operand::LiteralBit32(binding)]);
            variable
        });
        StepBuilder { common, options, push, array_pointer, buffers }
    }

    /// A structure with members at these offsets.
    fn structure(common: &mut Common, members: &[(Word, u32)]) -> Word {
        let b = &mut common.builder;
        // A fresh identifier, so that two structures of equal members are not merged.
        let id = b.id();
        let structure = b.type_struct_id(Some(id), members.iter().map(|&(kind, _)| kind));
        b.decorate(structure, Decoration::Block, []);
        for (index, &(_, offset)) in (0..).zip(members) {
            b.member_decorate(structure, index, Decoration::Offset, [Operand::LiteralBit32(offset)]);
        }
        structure
    }

    fn declare_push(common: &mut Common, options: StepOptions, pointer: Word) -> Word {
        let uint = common.uint;
        let arguments = [(pointer, SOURCE), (pointer, DESTINATION), (uint, CONSTANT)];
        let words = [(uint, GROUP_OFFSET), (uint, GLOBAL_OFFSET), (uint, GLOBAL_SIZE), (uint, WORK_DIM)];
        let members: Vec<_> = if options.spilled {
            let block = Self::structure(common, &arguments);
            let address = common.builder.type_pointer(None, StorageClass::PhysicalStorageBuffer, block);
            [(address, 0)].into_iter().chain(words).collect()
        } else {
            arguments.into_iter().chain(words).collect()
        };
        let block = Self::structure(common, &members);
        let kind = common.builder.type_pointer(None, StorageClass::PushConstant, block);
        common.builder.variable(kind, None, StorageClass::PushConstant, None)
    }

    fn member(&mut self, base: Word, class: StorageClass, kind: Word, index: u32) -> Word {
        let uint = self.common.uint;
        let b = &mut self.common.builder;
        let pointer = b.type_pointer(None, class, kind);
        let index = b.constant_bit32(uint, index);
        let place = b.access_chain(pointer, None, base, [index]).unwrap();
        self.load(kind, place, class)
    }

    fn load(&mut self, kind: Word, place: Word, class: StorageClass) -> Word {
        let b = &mut self.common.builder;
        if class == StorageClass::PhysicalStorageBuffer {
            let alignment = if kind == self.array_pointer { 8 } else { 4 };
            b.load(kind, None, place, Some(MemoryAccess::ALIGNED), [Operand::LiteralBit32(alignment)])
                .unwrap()
        } else {
            b.load(kind, None, place, None, []).unwrap()
        }
    }

    /// Loads an argument: 0 and 1 are pointers (or offsets), 2 is the constant.
    fn argument(&mut self, index: u32) -> Word {
        let physical = self.options.addressing == AddressingMode::Physical;
        let kind = if index < 2 && physical { self.array_pointer } else { self.common.uint };
        if !self.options.spilled {
            return self.member(self.push, StorageClass::PushConstant, kind, index);
        }
        let block = {
            // The same members as in `declare_push`, found again by the pointer's type in the push constants.
            let uint = self.common.uint;
            let pointer = self.array_pointer;
            let wanted = [pointer, pointer, uint].map(Operand::IdRef);
            let module = self.common.builder.module_ref();
            let found = module.types_global_values.iter().find(|instruction| {
                instruction.class.opcode == spirv::Op::TypeStruct && instruction.operands == wanted
            });
            found.and_then(|instruction| instruction.result_id).expect("declared before")
        };
        let address = self.common.builder.type_pointer(None, StorageClass::PhysicalStorageBuffer, block);
        let base = self.member(self.push, StorageClass::PushConstant, address, 0);
        self.member(base, StorageClass::PhysicalStorageBuffer, kind, index)
    }

    /// A pointer to word `index` of buffer 0 or 1.
    fn element(&mut self, buffer: u32, index: Word) -> (Word, StorageClass) {
        let argument = self.argument(buffer);
        let uint = self.common.uint;
        let b = &mut self.common.builder;
        let zero = b.constant_bit32(uint, 0);
        if self.options.addressing == AddressingMode::Physical {
            let class = StorageClass::PhysicalStorageBuffer;
            let pointer = b.type_pointer(None, class, uint);
            return (b.access_chain(pointer, None, argument, [zero, index]).unwrap(), class);
        }
        let class = StorageClass::StorageBuffer;
        let pointer = b.type_pointer(None, class, uint);
        let four = b.constant_bit32(uint, 4);
        let words = b.u_div(uint, None, argument, four).unwrap();
        let index = b.i_add(uint, None, index, words).unwrap();
        let variable = self.buffers[buffer as usize];
        (b.access_chain(pointer, None, variable, [zero, index]).unwrap(), class)
    }

    /// Sends a value through local memory: each work-item gets the one of its mirror image.
    fn mirror(&mut self, tmp: Word, local_id: Word, value: Word) -> Word {
        let uint = self.common.uint;
        let local_size = self.common.local_size[0];
        let b = &mut self.common.builder;
        let pointer = b.type_pointer(None, StorageClass::Workgroup, uint);
        let own = b.access_chain(pointer, None, tmp, [local_id]).unwrap();
        b.store(own, value, None, []).unwrap();
        let (scope, semantics) = (b.constant_bit32(uint, 2), b.constant_bit32(uint, 0x108));
        b.control_barrier(scope, scope, semantics).unwrap();
        let one = b.constant_bit32(uint, 1);
        let last = b.i_sub(uint, None, local_size, one).unwrap();
        let mirrored = b.i_sub(uint, None, last, local_id).unwrap();
        let other = b.access_chain(pointer, None, tmp, [mirrored]).unwrap();
        b.load(uint, None, other, None, []).unwrap()
    }

    fn declare_local(&mut self) -> Word {
        let uint = self.common.uint;
        let b = &mut self.common.builder;
        let length = b.spec_constant_bit32(uint, 1);
        b.decorate(length, Decoration::SpecId, [Operand::LiteralBit32(SpecConstants::FIRST_LOCAL_ARGUMENT)]);
        let array = b.type_array(uint, length);
        let pointer = b.type_pointer(None, StorageClass::Workgroup, array);
        b.variable(pointer, None, StorageClass::Workgroup, None)
    }

    fn build(mut self) -> Vec<u32> {
        let uint = self.common.uint;
        let tmp = if self.options.local { Some(self.declare_local()) } else { None };
        let group = self.common.input(BuiltIn::WorkgroupId);
        let local = self.common.input(BuiltIn::LocalInvocationId);
        let main = self.common.begin();
        let first_word = if self.options.spilled { 1 } else { 3 };
        let words = [0, 1, 2, 3]
            .map(|index| self.member(self.push, StorageClass::PushConstant, uint, first_word + index));
        let [group_offset, global_offset, global_size, work_dim] = words;
        let group = self.common.load_x(group);
        let local = self.common.load_x(local);
        let local_size = self.common.local_size[0];
        let b = &mut self.common.builder;
        let group = b.i_add(uint, None, group, group_offset).unwrap();
        let first = b.i_mul(uint, None, group, local_size).unwrap();
        let relative = b.i_add(uint, None, first, local).unwrap();
        let id = b.i_add(uint, None, relative, global_offset).unwrap();

        let (place, class) = self.element(0, id);
        let mut value = self.load(uint, place, class);
        if let Some(tmp) = tmp {
            value = self.mirror(tmp, local, value);
        }
        let constant = self.argument(2);
        let b = &mut self.common.builder;
        let three = b.constant_bit32(uint, 3);
        value = b.i_mul(uint, None, value, three).unwrap();
        for term in [constant, global_size, work_dim] {
            value = b.i_add(uint, None, value, term).unwrap();
        }
        let (place, class) = self.element(1, id);
        let b = &mut self.common.builder;
        if class == StorageClass::PhysicalStorageBuffer {
            b.store(place, value, Some(MemoryAccess::ALIGNED), [Operand::LiteralBit32(4)]).unwrap();
        } else {
            b.store(place, value, None, []).unwrap();
        }
        self.common.end("step", main)
    }
}

/// Width and height of the images that `copy_image` copies.
pub const COPIED_IMAGE: [u32; 2] = [48, 32];

/// The module with the kernel `copy_image(read_only image2d_t in, sampler_t s, write_only image2d_t out)`.
pub fn copy_image() -> CompiledModule {
    let argument = |name: &str, type_name: &str, kind| Argument {
        name: name.to_owned(),
        type_name: type_name.to_owned(),
        element: ScalarType::Opaque,
        lanes: 1,
        kind,
    };
    let dimension = ImageDimension::D2;
    let arguments = vec![
        argument(
            "in",
            "read_only image2d_t",
            ArgumentKind::Image {
                binding: 0,
                dimension,
                access: ImageAccess::ReadOnly,
                levels: 1,
                words: Vec::new(),
            },
        ),
        argument("s", "sampler_t", ArgumentKind::Sampler { binding: 1, word_location: None }),
        argument(
            "out",
            "write_only image2d_t",
            ArgumentKind::Image {
                binding: 2,
                dimension,
                access: ImageAccess::WriteOnly,
                levels: 1,
                words: Vec::new(),
            },
        ),
    ];
    let kernels = vec![kernel("copy_image", arguments)];
    CompiledModule {
        spirv: copy_image_words(),
        interface: ModuleInterface {
            addressing: AddressingMode::Logical,
            kernels,
            program_variables: None,
            print_formats: Vec::new(),
            print_strings: Vec::new(),
        },
        sanitized: None,
        measured: None,
    }
}

fn copy_image_words() -> Vec<u32> {
    let mut common = Common::new(AddressingMode::Logical);
    let (uint, id) = (common.uint, common.input(BuiltIn::GlobalInvocationId));
    let b = &mut common.builder;
    b.capability(Capability::StorageImageWriteWithoutFormat);
    let float = b.type_float(32, None);
    let (float2, float4) = (b.type_vector(float, 2), b.type_vector(float, 4));
    let uint2 = b.type_vector(uint, 2);
    let sampled = b.type_image(float, Dim::Dim2D, 0, 0, 0, 1, ImageFormat::Unknown, None);
    let storage = b.type_image(float, Dim::Dim2D, 0, 0, 0, 2, ImageFormat::Unknown, None);
    let sampler = b.type_sampler();
    let combined = b.type_sampled_image(sampled);
    let mut declare = |kind: Word, binding: u32| {
        let pointer = b.type_pointer(None, StorageClass::UniformConstant, kind);
        let variable = b.variable(pointer, None, StorageClass::UniformConstant, None);
        b.decorate(variable, Decoration::DescriptorSet, [Operand::LiteralBit32(0)]);
        b.decorate(variable, Decoration::Binding, [Operand::LiteralBit32(binding)]);
        if binding == 2 {
            b.decorate(variable, Decoration::NonReadable, []);
        }
        variable
    };
    let (source, filter, destination) = (declare(sampled, 0), declare(sampler, 1), declare(storage, 2));
    let main = common.begin();
    let all = common.builder.load(common.uint3, None, id, None, []).unwrap();
    let b = &mut common.builder;
    let x = b.composite_extract(uint, None, all, [0]).unwrap();
    let y = b.composite_extract(uint, None, all, [1]).unwrap();
    let place = b.composite_construct(uint2, None, [x, y]).unwrap();
    let half = b.constant_bit32(float, 0.5f32.to_bits());
    let zero = b.constant_bit32(float, 0);
    // Samplers take normalised coordinates.
    let [x, y] = [(x, COPIED_IMAGE[0]), (y, COPIED_IMAGE[1])].map(|(word, size)| {
        let value = b.convert_u_to_f(float, None, word).unwrap();
        let centre = b.f_add(float, None, value, half).unwrap();
        let size = b.constant_bit32(float, (size as f32).to_bits());
        b.f_div(float, None, centre, size).unwrap()
    });
    let coordinate = b.composite_construct(float2, None, [x, y]).unwrap();
    let image = b.load(sampled, None, source, None, []).unwrap();
    let filter = b.load(sampler, None, filter, None, []).unwrap();
    let combined = b.sampled_image(combined, None, image, filter).unwrap();
    let lod = [Operand::IdRef(zero)];
    let texel =
        b.image_sample_explicit_lod(float4, None, combined, coordinate, ImageOperands::LOD, lod).unwrap();
    let image = b.load(storage, None, destination, None, []).unwrap();
    b.image_write(image, place, texel, None, []).unwrap();
    common.end("copy_image", main)
}
