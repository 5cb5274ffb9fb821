//! Kernel parameters and launch queries become what a Vulkan compute shader has.
//!
//! After this pass a kernel has no parameters and no [`Op::WorkItem`], and the module has its interface.
//!
//! # Push constants
//! In this order, each aligned to its size (at most 16): the 64-bit addresses of the buffers (logical addressing: their
//! 32-bit byte offsets), the values in the order of the parameters, the global offset, the work-group offset,
//! the global size (three words each), the work dimension and the number of the command, as far as they are used. If that is more than
//! the device has, everything that the arguments need moves to an argument buffer, whose address (logical addressing:
//! descriptor) takes their place. Before all of it come the addresses of the buffers that are no arguments
//! ([`ImplicitBuffer`]), of which [`variables`] are one.
//!
//! # Work-item ids
//! They are 32-bit values, extended with zeros: `(WorkgroupId + group offset) × EnqueuedWorkgroupSize + LocalInvocationId +
//! global offset`. The number of work-groups is derived from the global size, since a launch may be split into several dispatches.
//!
//! # Pointers
//! The address of a buffer is an [`Op::PhysicalPointer`] of its address. With logical addressing, and for `__local`
//! parameters, it is an [`Op::ElementPointer`] with a byte offset into a variable of bytes; memory lowering recovers the
//! element type.

mod handles;
mod private_memory;
mod queries;
mod variables;

use super::{Context, cursor::Cursor};
use crate::TranslateError;
use clvk_interface::{
    AddressingMode, Argument, ArgumentBuffer, ArgumentKind, BufferLocation, DeviceProfile, ImageQuery,
    ImplicitBuffer, KernelInterface, LocalSize, ProgramSampler, Quirk, ScalarType, SpecConstants,
    ValueLocation,
};
use clvk_ir::{
    AddressSpace, ConvertOp, ElementCount, Func, Function, Global, ImageOp, Inst, KernelParam,
    KernelParamKind, Op, SampledType, SamplerWord, Scalar, Scope, Type, Value, Variable, VariableData,
    VariableSpace, WorkItemQuery,
};
use handles::texels;
use rustc_hash::{FxHashMap, FxHashSet};
use variables::Placed;

/// Lowers the parameters and launch queries of every kernel.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    let kernels: Vec<Func> = context.module.kernels().collect();
    let mut spec_id = SpecConstants::FIRST_LOCAL_ARGUMENT;
    let mut errors = Vec::new();
    let placed = variables::place(context.module);
    context.interface.program_variables = placed.contents(context.module);
    context.interface.print_formats.clone_from(&context.module.print_formats);
    let flat = context.profile.has_sub_groups()
        && kernels.iter().any(|&kernel| Uses::of(&context.module.functions[kernel]).sub_groups);
    for kernel in kernels {
        let function = &mut context.module.functions[kernel];
        match lower_kernel(function, &placed, context.profile, &mut spec_id, flat) {
            Ok(interface) => context.interface.kernels.push(interface),
            Err(found) => errors.extend(found),
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// Push-constant words that launch queries need.
#[derive(Default)]
struct LaunchWords {
    global_offset: Option<u32>,
    group_offset: Option<u32>,
    global_size: Option<u32>,
    work_dim: Option<u32>,
    command_number: Option<u32>,
    zero: Option<u32>,
}

/// Where the values that the host passes lie.
struct Layout {
    /// Offset of each parameter that has a place.
    offsets: Vec<Option<u32>>,
    words: LaunchWords,
    push_constant_size: u32,
    /// The implicit buffers that the kernel uses, with the offsets of their addresses where it reaches them by those.
    implicit: Vec<(ImplicitBuffer, Option<u32>)>,
    /// Size of the argument buffer, and the offset of its address, where it has one.
    argument_buffer: Option<(u32, u32)>,
}

impl Layout {
    fn location(&self, param: usize) -> ValueLocation {
        self.at(self.offsets[param].expect("the parameter has a place"))
    }

    /// A place among the arguments.
    fn at(&self, offset: u32) -> ValueLocation {
        match self.argument_buffer {
            Some(_) => ValueLocation::ArgumentBuffer { offset },
            None => ValueLocation::PushConstant { offset },
        }
    }
}

/// Lowers one kernel and gives its interface.
fn lower_kernel(
    function: &mut Function,
    placed: &Placed,
    profile: &DeviceProfile,
    spec_id: &mut u32,
    flat: bool,
) -> Result<KernelInterface, Vec<TranslateError>> {
    let private_memory = private_memory::spill(function, profile)?;
    let info = function.kernel.take().expect("only kernels are lowered");
    let mut uses = Uses::of(function);
    uses.zero = profile.has(Quirk::ValueRanges);
    let variables = placed.used_by(function);
    if !variables.is_empty() {
        uses.implicit.push(ImplicitBuffer::ProgramVariables);
    }
    if profile.robust {
        uses.implicit.push(ImplicitBuffer::Bounds);
    }
    let layout = lay_out(function, &info.params, &uses, profile)?;
    let mut lowering = Lowering {
        layout: &layout,
        profile,
        spilled: None,
        structures: FxHashMap::default(),
        binding: 0,
        storage_images: 0,
        spec_id,
        arguments: Vec::new(),
        samplers: Vec::new(),
        words: FxHashMap::default(),
        image_words: FxHashMap::default(),
        handles: FxHashMap::default(),
        implicit: Vec::new(),
        required_local_size: info.required_work_group_size,
        uniform_work_groups: info.uniform_work_groups,
        flat,
        sub_group_size: None,
        cursor: Cursor::new(function),
    };
    if uses.sub_group_size {
        lowering.count_sub_group();
    }
    let argument_buffer = lowering.argument_buffer();
    lowering.implicit_buffers();
    lowering.program_variables(placed, &variables);
    for (index, param) in info.params.iter().enumerate() {
        lowering.parameter(index, param, &uses);
    }
    lowering.body();
    let storage_images = lowering.storage_images;
    let implicit_buffers =
        lowering.implicit.iter().map(|implicit| (implicit.which, implicit.location)).collect();
    let arguments = lowering.arguments;
    let samplers = lowering.samplers.iter();
    let samplers = samplers.map(|&(word, binding)| ProgramSampler::of_word(word.bits(), binding)).collect();
    if storage_images > profile.max_storage_images {
        let message = format!(
            "kernel `{}` writes to {storage_images} images, levels of detail counted; the device has {} \
             (maxPerStageDescriptorStorageImages)",
            function.name, profile.max_storage_images
        );
        return Err(refuse(function, message));
    }
    function.params.clear();
    let interface = KernelInterface {
        name: function.name.clone(),
        arguments,
        samplers,
        local_size: match info.required_work_group_size {
            None => LocalSize::Specialised,
            Some(size) if info.uniform_work_groups => LocalSize::Required(size),
            Some(size) => LocalSize::RequiredWhole(size),
        },
        push_constant_size: layout.push_constant_size,
        global_offset: layout.words.global_offset,
        global_size: layout.words.global_size,
        work_dim: layout.words.work_dim,
        command_number: layout.words.command_number,
        zero: layout.words.zero,
        group_offset: layout.words.group_offset,
        argument_buffer,
        implicit_buffers,
        private_memory,
        static_local_memory: 0,
        uses_barrier: uses.barrier,
        sub_groups: flat,
        is_block: info.is_block,
    };
    function.kernel = Some(clvk_ir::KernelInfo { params: Vec::new(), ..info });
    Ok(interface)
}

/// What a kernel uses of its launch.
#[derive(Default)]
struct Uses {
    global_offset: bool,
    group_offset: bool,
    global_size: bool,
    work_dim: bool,
    command_number: bool,
    zero: bool,
    implicit: Vec<ImplicitBuffer>,
    barrier: bool,
    /// Anything of sub-groups.
    sub_groups: bool,
    /// The number of work-items of the sub-group.
    sub_group_size: bool,
    /// Parameters that are structures, whose pointers are used otherwise than by loads at constant offsets.
    copied_structures: Vec<Value>,
    /// Samplers that the kernel asks what they are.
    words: FxHashSet<Value>,
    /// What the kernel asks of images, each thing once.
    queries: FxHashMap<Value, Vec<ImageQuery>>,
    /// Images of which the kernel writes to levels of detail.
    levels: FxHashSet<Value>,
    /// What the texels of each image parameter are.
    images: FxHashMap<Value, SampledType>,
}

impl Uses {
    fn of(function: &Function) -> Uses {
        let mut uses = Uses::default();
        let mut structure_of: FxHashMap<Value, Value> = function
            .params
            .iter()
            .filter(|&&param| function.ty(param) == Type::Pointer(AddressSpace::Private))
            .map(|&param| (param, param))
            .collect();
        function.walk(|inst, data| {
            match &data.op {
                Op::WorkItem(query) => uses.query(*query),
                Op::Barrier { execution, .. } => {
                    uses.barrier = true;
                    uses.sub_groups |= *execution == Scope::SubGroup;
                }
                Op::SubGroup(_) => {
                    uses.barrier = true;
                    uses.sub_groups = true;
                }
                Op::SamplerWord => {
                    uses.words.insert(data.operands[0]);
                }
                Op::Image(ImageOp::Query(query)) => uses.ask(data.operands[0], *query),
                Op::ImplicitBuffer(which) if !uses.implicit.contains(which) => uses.implicit.push(*which),
                Op::Image(op) => uses.image(function, inst, *op),
                _ => {}
            }
            for (position, operand) in data.operands.iter().enumerate() {
                let Some(&structure) = structure_of.get(operand) else { continue };
                match constant_step(function, inst) {
                    Some(_) => {
                        structure_of.insert(data.results[0], structure);
                    }
                    None if matches!(data.op, Op::Load { .. }) => {}
                    None if matches!(data.op, Op::MemoryCopy { size, align } if position == 1 && small_copy(size, align)) => {}
                    None => uses.copied_structures.push(structure),
                }
            }
        });
        uses
    }

    fn query(&mut self, query: WorkItemQuery) {
        match query {
            WorkItemQuery::GlobalId => {
                self.global_offset = true;
                self.group_offset = true;
            }
            WorkItemQuery::GroupId => self.group_offset = true,
            WorkItemQuery::GlobalOffset => self.global_offset = true,
            WorkItemQuery::GlobalSize | WorkItemQuery::NumGroups => self.global_size = true,
            WorkItemQuery::GlobalLinearId => {
                self.group_offset = true;
                self.global_size = true;
            }
            WorkItemQuery::WorkDim => self.work_dim = true,
            WorkItemQuery::CommandNumber => self.command_number = true,
            WorkItemQuery::SubGroupSize => {
                self.sub_groups = true;
                self.sub_group_size = true;
            }
            query if query.is_of_sub_groups() => self.sub_groups = true,
            WorkItemQuery::LocalSize
            | WorkItemQuery::EnqueuedLocalSize
            | WorkItemQuery::LocalId
            | WorkItemQuery::LocalLinearId => {}
            // The dispatches of a launch are those of parts of it.
            WorkItemQuery::DispatchLinearId => self.group_offset = true,
            other => unreachable!("{other:?} is of sub-groups"),
        }
    }

    fn ask(&mut self, image: Value, query: ImageQuery) {
        let asked = self.queries.entry(image).or_default();
        if !asked.contains(&query) {
            asked.push(query);
        }
    }

    /// What the kernel asks of an image.
    fn asked(&self, image: Value) -> &[ImageQuery] {
        self.queries.get(&image).map_or(&[], Vec::as_slice)
    }

    /// How many words about an image or a sampler the kernel needs.
    fn word_count(&self, param: Value) -> u32 {
        u32::from(self.words.contains(&param)) + self.asked(param).len() as u32
    }

    fn image(&mut self, function: &Function, inst: Inst, op: ImageOp) {
        let data = &function.insts[inst];
        if let Some(seen) = texels(function, inst, op) {
            self.images.entry(data.operands[0]).or_insert(seen);
        }
        if matches!(op, ImageOp::Write { .. }) && data.operands.len() > 3 {
            self.levels.insert(data.operands[0]);
        }
    }
}

/// Bytes by which an instruction moves a pointer, if that is constant.
fn constant_step(function: &Function, inst: Inst) -> Option<i64> {
    let data = &function.insts[inst];
    match data.op {
        Op::PointerOffset(offset) => Some(offset),
        Op::PointerIndex { stride } => {
            let index = function.as_bits(data.operands[1])?;
            let shift = 64 - function.ty(data.operands[1]).scalar()?.bits();
            let index = ((index << shift) as i64) >> shift;
            index.checked_mul(i64::try_from(stride).ok()?)
        }
        _ => None,
    }
}

/// Whether a copy out of a structure is worth a store for each word.
fn small_copy(size: u64, align: u32) -> bool {
    size <= 128 && align >= 4 && size.is_multiple_of(4)
}

fn refuse(function: &Function, message: String) -> Vec<TranslateError> {
    vec![TranslateError { kernel: Some(function.name.clone()), message, span: function.span }]
}

/// Places the parameters and launch words.
fn lay_out(
    function: &Function,
    params: &[KernelParam],
    uses: &Uses,
    profile: &DeviceProfile,
) -> Result<Layout, Vec<TranslateError>> {
    let addressing = profile.addressing();
    let address = if addressing == AddressingMode::Physical { 8 } else { 0 };
    let places = (0..).map(|position| (address > 0).then_some(position * address));
    let implicit: Vec<_> = uses.implicit.iter().copied().zip(places).collect();
    let start = address * implicit.len() as u32;
    let asked: Vec<u32> = function.params.iter().map(|&param| uses.word_count(param)).collect();
    let (offsets, arguments_end) = place_arguments(params, &asked, addressing, start);
    let mut words = LaunchWords::default();
    let end = place_words(&mut words, uses, arguments_end);
    if end <= profile.max_push_constants {
        return Ok(Layout { offsets, words, push_constant_size: end, implicit, argument_buffer: None });
    }
    let (offsets, size) = place_arguments(params, &asked, addressing, 0);
    if size == 0 {
        let message = format!(
            "kernel `{}` needs {end} bytes of push constants; the device has {}",
            function.name, profile.max_push_constants
        );
        return Err(refuse(function, message));
    }
    let end = place_words(&mut words, uses, start + address);
    let argument_buffer = Some((size, start));
    Ok(Layout { offsets, words, push_constant_size: end, implicit, argument_buffer })
}

fn place_arguments(
    params: &[KernelParam],
    asked: &[u32],
    addressing: AddressingMode,
    start: u32,
) -> (Vec<Option<u32>>, u32) {
    let pointer = if addressing == AddressingMode::Physical { 8 } else { 4 };
    let mut offsets = vec![None; params.len()];
    let mut end = start;
    let is_buffer = |param: &KernelParam| {
        matches!(param.kind, KernelParamKind::Buffer { .. } | KernelParamKind::Pipe { .. })
    };
    let buffers = params.iter().enumerate().filter(|(_, param)| is_buffer(param));
    for (index, _) in buffers {
        offsets[index] = Some(end);
        end += pointer;
    }
    for (index, param) in params.iter().enumerate() {
        let (size, align) = match param.kind {
            KernelParamKind::Value { size, align } => (size, align),
            KernelParamKind::Queue => (8, 8),
            KernelParamKind::Image(_) | KernelParamKind::Sampler if asked[index] > 0 => (4 * asked[index], 4),
            _ => continue,
        };
        end = end.next_multiple_of(align.clamp(1, 16));
        offsets[index] = Some(end);
        end = end.saturating_add(size);
    }
    (offsets, end.next_multiple_of(4))
}

fn place_words(words: &mut LaunchWords, uses: &Uses, mut end: u32) -> u32 {
    for (used, place, size) in [
        (uses.global_offset, &mut words.global_offset, 12),
        (uses.group_offset, &mut words.group_offset, 12),
        (uses.global_size, &mut words.global_size, 12),
        (uses.work_dim, &mut words.work_dim, 4),
        (uses.command_number, &mut words.command_number, 4),
        (uses.zero, &mut words.zero, 4),
    ] {
        if used {
            *place = Some(end);
            end += size;
        }
    }
    end
}

/// An implicit buffer of a kernel.
struct Implicit {
    which: ImplicitBuffer,
    location: BufferLocation,
    /// Its address, or the offset of its start in the variable.
    start: Value,
    /// Where it is a descriptor.
    variable: Option<Variable>,
}

struct Lowering<'a, 'f> {
    layout: &'a Layout,
    profile: &'a DeviceProfile,
    /// The argument buffer, where it is a descriptor.
    spilled: Option<Variable>,
    /// Pointers into structures in the push constants: the parameter's place and an offset.
    structures: FxHashMap<Value, i64>,
    binding: u32,
    /// Descriptors of images that may be written.
    storage_images: u32,
    spec_id: &'a mut u32,
    arguments: Vec<Argument>,
    /// Samplers of the program that were met, and their bindings.
    samplers: Vec<(SamplerWord, u32)>,
    /// What the host says of samplers.
    words: FxHashMap<Value, Value>,
    /// What the host says of images.
    image_words: FxHashMap<(Value, ImageQuery), Value>,
    /// Images and samplers that are parameters, by their descriptors, with their positions.
    handles: FxHashMap<Value, u32>,
    /// The implicit buffers.
    implicit: Vec<Implicit>,
    /// `reqd_work_group_size`.
    required_local_size: Option<[u32; 3]>,
    /// There are no smaller work-groups at the ends.
    uniform_work_groups: bool,
    /// The shader's work-groups are one row.
    flat: bool,
    /// Work-items of the sub-group, counted where the kernel begins and all are there.
    sub_group_size: Option<Value>,
    cursor: Cursor<'f>,
}

impl Lowering<'_, '_> {
    /// Replaces a parameter at the start of the kernel and describes the argument.
    fn parameter(&mut self, index: usize, param: &KernelParam, uses: &Uses) {
        let old = self.cursor.function.params[index];
        let (kind, new) = match &param.kind {
            KernelParamKind::Buffer { read_only, .. } => self.buffer(index, param, *read_only),
            KernelParamKind::Pipe { .. } => self.buffer(index, param, false),
            KernelParamKind::Local { .. } => self.local(param),
            KernelParamKind::Value { size, .. } => self.by_value(index, old, *size, uses),
            KernelParamKind::Queue => self.by_value(index, old, 8, uses),
            KernelParamKind::Image(image) => self.image(index, old, *image, uses),
            KernelParamKind::Sampler => {
                let binding = self.next_binding();
                let new = self.cursor.value(Op::SamplerBinding { binding }, &[], Type::Sampler);
                let word_location = self.sampler_word(index, new);
                (ArgumentKind::Sampler { binding, word_location }, Some(new))
            }
        };
        if let Some(new) = new {
            if let KernelParamKind::Image(_) | KernelParamKind::Sampler = param.kind {
                self.handles.insert(new, index as u32);
            }
            self.cursor.replace(old, new);
        }
        let (element, lanes) = match param.element {
            Some((scalar, lanes)) => (scalar_type(scalar, param.signed), lanes),
            None => (ScalarType::Opaque, 1),
        };
        let (name, type_name) = (param.name.clone(), param.type_name.clone());
        self.arguments.push(Argument { name, type_name, element, lanes, kind });
    }

    fn next_binding(&mut self) -> u32 {
        self.binding += 1;
        self.binding - 1
    }

    /// A storage buffer of bytes; memory lowering recovers the element type.
    fn storage_buffer(&mut self, name: &str) -> (u32, Variable) {
        let binding = self.next_binding();
        let variable = self.cursor.function.variables.push(VariableData {
            name: name.to_owned(),
            space: VariableSpace::StorageBuffer { binding },
            element: Type::I8,
            count: ElementCount::Runtime,
            initializer: Vec::new(),
        });
        (binding, variable)
    }

    /// Makes the argument buffer, if the layout has one.
    fn argument_buffer(&mut self) -> Option<ArgumentBuffer> {
        let (size, offset) = self.layout.argument_buffer?;
        if self.profile.addressing() == AddressingMode::Physical {
            return Some(ArgumentBuffer { size, location: BufferLocation::Address { offset } });
        }
        let (binding, variable) = self.storage_buffer("arguments");
        self.spilled = Some(variable);
        Some(ArgumentBuffer { size, location: BufferLocation::Descriptor { binding } })
    }

    /// Makes the implicit buffers.
    fn implicit_buffers(&mut self) {
        for (which, offset) in self.layout.implicit.clone() {
            let implicit = match offset {
                Some(offset) => {
                    let start = self.cursor.value(Op::PushConstant { offset }, &[], Type::I64);
                    Implicit { which, location: BufferLocation::Address { offset }, start, variable: None }
                }
                None => {
                    let (binding, variable) = self.storage_buffer(match which {
                        ImplicitBuffer::ProgramVariables => "program variables",
                        ImplicitBuffer::Print => "print buffer",
                        ImplicitBuffer::PrivateMemory => "private memory",
                        ImplicitBuffer::DeviceQueue => "device queue",
                        ImplicitBuffer::LoopWatch => "loop watch",
                        ImplicitBuffer::Bounds => "bounds",
                    });
                    let start = self.cursor.int(Type::I32, 0);
                    let location = BufferLocation::Descriptor { binding };
                    Implicit { which, location, start, variable: Some(variable) }
                }
            };
            self.implicit.push(implicit);
        }
    }

    /// A pointer to a place in an implicit buffer.
    fn implicit_pointer(&mut self, which: ImplicitBuffer, space: AddressSpace, place: i64) -> Value {
        let found = self.implicit.iter().find(|implicit| implicit.which == which);
        let &Implicit { start, variable, .. } = found.expect("made where it is used");
        let ty = Type::Pointer(space);
        match variable {
            Some(variable) => {
                let bytes = if place == 0 { start } else { self.cursor.int(Type::I32, place) };
                self.cursor.value(Op::ElementPointer(variable), &[bytes], ty)
            }
            None => {
                let base = self.cursor.value(Op::PhysicalPointer(space), &[start], ty);
                match place {
                    0 => base,
                    _ => self.cursor.value(Op::PointerOffset(place), &[base], ty),
                }
            }
        }
    }

    /// Replaces the addresses of the program's variables that the kernel uses.
    fn program_variables(&mut self, placed: &Placed, used: &[(Value, Global)]) {
        for &(value, global) in used {
            let space = self.cursor.function.ty(value).address_space();
            let space = space.expect("the address of a variable is a pointer");
            let place = placed.offset(global).expect("the variable is placed") as i64;
            let pointer = self.implicit_pointer(ImplicitBuffer::ProgramVariables, space, place);
            self.cursor.replace(value, pointer);
        }
    }

    /// A value that the host passes at an offset: from the push constants or from the argument buffer.
    fn passed(&mut self, offset: u32, ty: Type) -> Value {
        let Some((_, address)) = self.layout.argument_buffer else {
            // Pointers are in structures that blocks hold.
            let memory = if ty.is_pointer() { Type::I64 } else { ty };
            let value = self.cursor.value(Op::PushConstant { offset }, &[], memory);
            return match ty.is_pointer() {
                true => self.cursor.convert(ConvertOp::IntToPointer, value, ty),
                false => value,
            };
        };
        let pointer_type = Type::Pointer(AddressSpace::Constant);
        let pointer = match self.spilled {
            Some(variable) => {
                let start = self.cursor.int(Type::I32, 0);
                self.cursor.value(Op::ElementPointer(variable), &[start], pointer_type)
            }
            None => {
                let base = self.cursor.value(Op::PushConstant { offset: address }, &[], Type::I64);
                self.cursor.value(Op::PhysicalPointer(AddressSpace::Constant), &[base], pointer_type)
            }
        };
        let pointer = match offset {
            0 => pointer,
            _ => self.cursor.value(Op::PointerOffset(i64::from(offset)), &[pointer], pointer_type),
        };
        let align = 1 << offset.trailing_zeros().min(4);
        self.cursor.value(Op::Load { align, volatile: false }, &[pointer], ty)
    }

    fn buffer(
        &mut self,
        index: usize,
        param: &KernelParam,
        read_only: bool,
    ) -> (ArgumentKind, Option<Value>) {
        let old = self.cursor.function.params[index];
        let pointer = self.cursor.function.ty(old);
        let space = pointer.address_space().expect("a buffer parameter is a pointer");
        let offset = self.layout.offsets[index].expect("buffers have a place");
        let location = self.layout.location(index);
        if self.profile.addressing() == AddressingMode::Physical {
            let address = self.passed(offset, Type::I64);
            let new = self.cursor.value(Op::PhysicalPointer(space), &[address], pointer);
            return (ArgumentKind::BufferAddress { location, read_only }, Some(new));
        }
        let (binding, variable) = self.storage_buffer(&param.name);
        let bytes = self.passed(offset, Type::I32);
        let new = self.cursor.value(Op::ElementPointer(variable), &[bytes], pointer);
        (ArgumentKind::StorageBuffer { binding, offset_location: location, read_only }, Some(new))
    }

    fn local(&mut self, param: &KernelParam) -> (ArgumentKind, Option<Value>) {
        let spec_id = *self.spec_id;
        *self.spec_id += 1;
        let variable = self.cursor.function.variables.push(VariableData {
            name: param.name.clone(),
            space: VariableSpace::Local,
            element: Type::I8,
            count: ElementCount::Specialised { spec_id },
            initializer: Vec::new(),
        });
        let start = self.cursor.int(Type::I32, 0);
        let pointer = Type::Pointer(AddressSpace::Local);
        let new = self.cursor.value(Op::ElementPointer(variable), &[start], pointer);
        (ArgumentKind::Local { spec_id, element_size: 1 }, Some(new))
    }

    fn by_value(
        &mut self,
        index: usize,
        old: Value,
        size: u32,
        uses: &Uses,
    ) -> (ArgumentKind, Option<Value>) {
        let offset = self.layout.offsets[index].expect("values have a place");
        let kind = ArgumentKind::Value { location: self.layout.location(index), size };
        let ty = self.cursor.function.ty(old);
        if !ty.is_pointer() {
            return (kind, Some(self.passed(offset, ty)));
        }
        if uses.copied_structures.contains(&old) {
            return (kind, Some(self.copy_of_structure(offset, size)));
        }
        self.structures.insert(old, i64::from(offset));
        (kind, None)
    }

    /// Private memory that holds what was passed.
    fn copy_of_structure(&mut self, offset: u32, size: u32) -> Value {
        let pointer = Type::Pointer(AddressSpace::Private);
        let copy = self.cursor.value(Op::Alloca { size: u64::from(size), align: 16 }, &[], pointer);
        let mut done = 0;
        while done < size {
            let aligned = (offset + done).trailing_zeros().min(2);
            let unit = (1u32 << aligned).min(1 << (size - done).ilog2());
            let ty = Type::Scalar(Scalar::int(unit * 8));
            let value = self.passed(offset + done, ty);
            let to = match done {
                0 => copy,
                _ => self.cursor.value(Op::PointerOffset(i64::from(done)), &[copy], pointer),
            };
            self.cursor.push(Op::Store { align: unit, volatile: false }, &[to, value], &[], &[]);
            done += unit;
        }
        copy
    }

    /// Replaces the queries and the loads from structures.
    fn body(&mut self) {
        while let Some(inst) = self.cursor.advance() {
            match self.cursor.function.insts[inst].op.clone() {
                Op::WorkItem(query) => {
                    let value = self.query(query, inst);
                    self.cursor.replace_result(inst, value);
                }
                Op::SamplerWord => {
                    let word = self.word_of(inst);
                    self.cursor.replace_result(inst, word);
                }
                Op::Image(ImageOp::Query(query)) => {
                    let word = self.word_of_image(inst, query);
                    self.cursor.replace_result(inst, word);
                }
                Op::HandleNumber => {
                    let number = self.handle_number(inst);
                    self.cursor.replace_result(inst, number);
                }
                Op::Image(op) => self.image_access(inst, op),
                Op::ProgramSampler(word) => {
                    let value = self.program_sampler(word);
                    self.cursor.replace_result(inst, value);
                }
                Op::ImplicitBuffer(which) => {
                    let ty = self.cursor.function.ty(self.cursor.result(inst));
                    let space = ty.address_space().expect("the result is a pointer");
                    let pointer = self.implicit_pointer(which, space, 0);
                    self.cursor.replace_result(inst, pointer);
                }
                _ if self.structure_access(inst) => {}
                _ => self.cursor.keep(inst),
            }
        }
    }

    /// Handles an instruction that reads a structure in the push constants.
    fn structure_access(&mut self, inst: Inst) -> bool {
        let data = &self.cursor.function.insts[inst];
        let Some((position, &offset)) = data
            .operands
            .iter()
            .enumerate()
            .find_map(|(position, value)| Some((position, self.structures.get(value)?)))
        else {
            return false;
        };
        if let Some(step) = constant_step(self.cursor.function, inst) {
            let result = self.cursor.result(inst);
            self.structures.insert(result, offset.wrapping_add(step));
            return true;
        }
        let start = u32::try_from(offset).unwrap_or(0);
        match data.op {
            Op::Load { .. } => {
                let ty = self.cursor.function.ty(data.results[0]);
                let value = self.passed(start, ty);
                self.cursor.replace_result(inst, value);
            }
            Op::MemoryCopy { size, .. } if position == 1 => {
                let destination = self.cursor.get(self.cursor.function.insts[inst].operands[0]);
                let pointer = self.cursor.function.ty(destination);
                for word in 0..(size / 4) as u32 {
                    let value = self.passed(start + word * 4, Type::I32);
                    let to = match word {
                        0 => destination,
                        _ => {
                            self.cursor.value(Op::PointerOffset(i64::from(word * 4)), &[destination], pointer)
                        }
                    };
                    self.cursor.push(Op::Store { align: 4, volatile: false }, &[to, value], &[], &[]);
                }
            }
            _ => unreachable!("structures used otherwise are copied"),
        }
        true
    }
}

fn scalar_type(scalar: Scalar, signed: bool) -> ScalarType {
    match (scalar, signed) {
        (Scalar::I8, true) => ScalarType::I8,
        (Scalar::I8, false) => ScalarType::U8,
        (Scalar::I16, true) => ScalarType::I16,
        (Scalar::I16, false) => ScalarType::U16,
        (Scalar::I32, true) => ScalarType::I32,
        (Scalar::I32, false) => ScalarType::U32,
        (Scalar::I64, true) => ScalarType::I64,
        (Scalar::I64, false) => ScalarType::U64,
        (Scalar::F16, _) => ScalarType::F16,
        (Scalar::F32, _) => ScalarType::F32,
        (Scalar::F64, _) => ScalarType::F64,
        (Scalar::Bool, _) => ScalarType::Opaque,
    }
}
