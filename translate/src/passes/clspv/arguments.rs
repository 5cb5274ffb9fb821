//! Moves what the host passes from where `lower-launch` put it to where hosts of clspv do.
//!
//! `lower-launch` left every value in push constants, because [`super::profile`] has room for all of them,
//! and all descriptors in one set. Here each read of a push constant finds out what it reads:
//!
//! - the byte offset of a buffer is 0, because a descriptor begins where its buffer does;
//! - a value is in push constants behind the words of the launch, or in a storage buffer;
//! - the size of an image is a query of the image, its format two words that the reflection has;
//! - the properties of a sampler are a word that the reflection has.
//!
//! Kernels interpolate between texels by themselves: nothing tells them what the device's sampler can do with
//! the image.

use super::{Convention, LAUNCH_WORDS, refusal};
use crate::TranslateError;
use crate::passes::{Context, cursor::Cursor};
use clvk_interface::clspv::{
    ArgumentPlace, ClspvLaunch, Descriptor, ReflectedWord, VariablesPlace, WordKind,
};
use clvk_interface::{
    AddressingMode, Argument, ArgumentKind, BufferLocation, DeviceProfile, ImageAccess, ImageDimension,
    ImageQuery, ImplicitBuffer, KernelInterface, ProgramSampler, ValueLocation,
};
use clvk_ir::{
    AddressSpace, BinaryOp, ElementCount, Func, Function, ImageOp, Inst, KernelParam, KernelParamKind, Op,
    Type, Value, Variable, VariableData, VariableSpace, descriptor,
};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Bytes of an address.
const ADDRESS: u32 = 8;

pub(super) fn run(context: &mut Context<'_, '_>, launch: &ClspvLaunch) -> Result<(), Vec<TranslateError>> {
    let kernels: Vec<Func> = context.module.kernels().collect();
    let pairs = || kernels.iter().copied().zip(&context.interface.kernels);
    let mut errors: Vec<_> = pairs()
        .filter_map(|(kernel, interface)| check(&context.module.functions[kernel], interface))
        .collect();
    for (position, &kernel) in kernels.iter().enumerate() {
        let spaces = &context.clspv.kernels[position].spaces;
        errors.extend(check_accesses(&context.module.functions[kernel], spaces, context.profile));
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let convention = &mut context.clspv;
    let sets = Sets::of(&context.interface.kernels, launch);
    convention.samplers.clone_from(&sets.samplers);
    if let Some(variables) = &context.interface.program_variables {
        convention.variables =
            Some(match context.profile.addressing() {
                AddressingMode::Logical => {
                    VariablesPlace::StorageBuffer(Descriptor { set: sets.variables, binding: 0 })
                }
                AddressingMode::Physical if variables.pointers.is_empty() => {
                    let offset = convention.shared_end.next_multiple_of(ADDRESS);
                    convention.shared_end = offset + ADDRESS;
                    VariablesPlace::PushConstant(offset)
                }
                AddressingMode::Physical => return Err(kernels
                    .iter()
                    .map(|&kernel| {
                        let problem =
                            "has program-scope variables that hold pointers, which hosts of clspv cannot set";
                        refusal(
                            &context.module.functions[kernel],
                            problem,
                            "let a kernel set them, or do without `-physical-storage-buffers`",
                        )
                    })
                    .collect()),
            });
    }
    let mut errors = Vec::new();
    for (position, kernel) in kernels.into_iter().enumerate() {
        let function = &mut context.module.functions[kernel];
        let interface = &mut context.interface.kernels[position];
        match Plan::of(function, interface, position, launch, convention, &sets) {
            Ok(plan) => plan.carry_out(function, interface, convention, position),
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// Refuses what the vocabulary of the reflection does not have.
fn check(function: &Function, interface: &KernelInterface) -> Option<TranslateError> {
    for (buffer, _) in &interface.implicit_buffers {
        let (problem, remedy) = match buffer {
            ImplicitBuffer::ProgramVariables => continue,
            ImplicitBuffer::Print => {
                ("calls `printf`, whose output hosts of clspv read in another form", "write to a buffer")
            }
            ImplicitBuffer::PrivateMemory => (
                "has more private memory than a shader can have, and hosts of clspv provide no buffer for it",
                "make its arrays smaller or pass them as buffers",
            ),
            ImplicitBuffer::DeviceQueue => {
                ("enqueues kernels, which hosts of clspv cannot launch", "enqueue them from the host")
            }
            ImplicitBuffer::LoopWatch
            | ImplicitBuffer::Bounds
            | ImplicitBuffer::Reports
            | ImplicitBuffer::Shadow => (
                "needs a buffer that hosts of clspv do not provide",
                "compile it without robust mode and sanitizer",
            ),
        };
        return Some(refusal(function, problem, remedy));
    }
    if interface.argument_buffer.is_some() {
        let problem = format!("takes more than {LAUNCH_WORDS} bytes of arguments");
        return Some(refusal(function, &problem, "pass a buffer"));
    }
    let writes_levels =
        |argument: &&Argument| matches!(argument.kind, ArgumentKind::Image { levels: 2.., .. });
    interface.arguments.iter().find(writes_levels).map(|argument| {
        let problem = format!(
            "writes to a level of detail of the image `{}`, for which hosts of clspv have no descriptor",
            argument.name
        );
        refusal(function, &problem, "write to an image for each level")
    })
}

/// Refuses accesses that a device can do only by whole words, where a host's buffer may end within a word:
/// what is beyond the end of a buffer is lost. Our own runtime has buffers of whole words.
fn check_accesses(
    function: &Function,
    spaces: &[Option<AddressSpace>],
    profile: &DeviceProfile,
) -> Option<TranslateError> {
    // Tables of constants are in the shader, unless they are arguments.
    let constants = spaces.contains(&Some(AddressSpace::Constant));
    let mut found = None;
    function.walk(|_, data| {
        let pointers: Vec<Value> = match data.op {
            Op::Load { .. } | Op::Store { .. } => vec![data.operands[0]],
            Op::MemoryCopy { .. } => data.operands.clone().into_iter().take(2).collect(),
            _ => return,
        };
        let in_buffer = pointers.iter().any(|&pointer| match function.ty(pointer).address_space() {
            Some(AddressSpace::Global | AddressSpace::Generic) => true,
            Some(AddressSpace::Constant) => constants,
            _ => false,
        });
        let (size, align) = match data.op {
            Op::Load { align, .. } => (function.ty(data.results[0]).access_size(), align),
            Op::Store { align, .. } => (function.ty(data.operands[1]).access_size(), align),
            Op::MemoryCopy { size, align } => (size as u32, align),
            _ => unreachable!("only these go on"),
        };
        let lacks = match (size | align | 4).trailing_zeros() {
            0 if !profile.buffers_hold_8bit() => 8,
            1 if !profile.buffers_hold_16bit() => 16,
            _ => return,
        };
        if in_buffer {
            found.get_or_insert((lacks, data.span));
        }
    });
    let (bits, span) = found?;
    let problem = format!(
        "accesses {bits} bits of a buffer, which the device can do only by words of 32 bits, and the buffers of \
         hosts of clspv may end within one"
    );
    Some(refusal(function, &problem, "use 32-bit types, or vectors of that size").at(span))
}

/// The descriptor sets of a module.
struct Sets {
    /// The program's samplers, each once.
    samplers: Vec<ProgramSampler>,
    arguments: u32,
    variables: u32,
}

impl Sets {
    fn of(kernels: &[KernelInterface], launch: &ClspvLaunch) -> Sets {
        let mut samplers: Vec<ProgramSampler> = Vec::new();
        for sampler in kernels.iter().flat_map(|kernel| &kernel.samplers) {
            if !samplers.iter().any(|known| same_sampler(known, sampler)) {
                samplers.push(ProgramSampler { binding: samplers.len() as u32, ..*sampler });
            }
        }
        let bound = |argument: &Argument| {
            use ArgumentKind as Kind;
            match argument.kind {
                Kind::StorageBuffer { .. } | Kind::Image { .. } | Kind::Sampler { .. } => true,
                // They may need a buffer.
                Kind::Value { .. } => !launch.values_in_push_constants,
                _ => false,
            }
        };
        let arguments = u32::from(!samplers.is_empty());
        let has_arguments = kernels.iter().flat_map(|kernel| &kernel.arguments).any(bound);
        Sets { samplers, arguments, variables: arguments + u32::from(has_arguments) }
    }
}

fn same_sampler(a: &ProgramSampler, b: &ProgramSampler) -> bool {
    ProgramSampler { binding: 0, ..*a } == ProgramSampler { binding: 0, ..*b }
}

/// What a push constant of `lower-launch` is.
#[derive(Clone)]
enum Meaning {
    /// The byte offset of a buffer.
    Start,
    /// In the push constants, from this offset on.
    Pushed(u32),
    /// In the storage buffer of values, from this offset on.
    Stored(u32),
    /// The format of an image: its channel order and its channel data type are at these offsets.
    Format([u32; 2]),
    /// About the image of an old binding.
    Image(u32, ImageQuery),
}

/// What is to be done with a kernel.
struct Plan {
    meanings: Vec<(Range<u32>, Meaning)>,
    /// New binding numbers, by the old ones.
    bindings: FxHashMap<u32, u32>,
    places: Vec<ArgumentPlace>,
    words: Vec<ReflectedWord>,
    /// The binding of the buffer with the values, if there is one.
    values: Option<u32>,
    /// New specialisation constants of `__local` arguments, by the old ones.
    spec_ids: FxHashMap<u32, u32>,
}

/// The offsets of a kernel's values, and the end of the push constants.
struct Layout {
    /// By argument.
    values: Vec<Option<u32>>,
    /// The values are in a buffer.
    stored: bool,
    /// Where words about images and samplers begin.
    words: u32,
}

/// The number of words about an argument that the host passes.
fn word_count(argument: &Argument) -> u32 {
    match &argument.kind {
        ArgumentKind::Image { words, .. } => {
            2 * u32::from(words.iter().any(|(query, _)| *query == ImageQuery::Format))
        }
        ArgumentKind::Sampler { word_location: Some(_), .. } => 1,
        _ => 0,
    }
}

impl Layout {
    fn of(
        function: &Function,
        params: &[KernelParam],
        interface: &KernelInterface,
        launch: &ClspvLaunch,
        start: u32,
    ) -> Result<Layout, TranslateError> {
        let words = 4 * interface.arguments.iter().map(word_count).sum::<u32>();
        let (values, end) = place(params, interface, start);
        let words_start = end.next_multiple_of(4);
        if words_start.saturating_add(words) <= launch.max_push_constants {
            return Ok(Layout { values, stored: false, words: words_start });
        }
        let physical =
            interface.arguments.iter().any(|it| matches!(it.kind, ArgumentKind::BufferAddress { .. }));
        let words_start = start.next_multiple_of(4);
        if launch.values_in_push_constants || physical || words_start + words > launch.max_push_constants {
            let problem = format!(
                "needs {} bytes of push constants; `-max-pushconstant-size` allows {}",
                end.next_multiple_of(4).saturating_add(words),
                launch.max_push_constants
            );
            return Err(refusal(function, &problem, "pass a structure in a buffer"));
        }
        // Some hosts keep the bytes of the buffer and of the push constants in one array.
        let (values, _) = place(params, interface, words_start + words);
        Ok(Layout { values, stored: true, words: words_start })
    }
}

fn place(params: &[KernelParam], interface: &KernelInterface, start: u32) -> (Vec<Option<u32>>, u32) {
    let mut end = start;
    let mut place = |(param, argument): (&KernelParam, &Argument)| {
        let (size, align) = match (&param.kind, &argument.kind) {
            (KernelParamKind::Value { size, align }, _) => (*size, *align),
            (_, ArgumentKind::BufferAddress { .. }) => (ADDRESS, ADDRESS),
            _ => return None,
        };
        let offset = end.next_multiple_of(align.clamp(1, 16));
        end = offset.saturating_add(size);
        Some(offset)
    };
    let values = params.iter().zip(&interface.arguments).map(&mut place).collect();
    (values, end)
}

fn pushed_at(location: ValueLocation) -> u32 {
    match location {
        ValueLocation::PushConstant { offset } => offset,
        ValueLocation::ArgumentBuffer { .. } => unreachable!("kernels with an argument buffer are refused"),
    }
}

impl Plan {
    fn of(
        function: &Function,
        interface: &KernelInterface,
        position: usize,
        launch: &ClspvLaunch,
        convention: &mut Convention,
        sets: &Sets,
    ) -> Result<Plan, TranslateError> {
        let params = &convention.kernels[position].info.params;
        let layout = Layout::of(function, params, interface, launch, convention.shared_end)?;
        let mut plan = Plan {
            meanings: Vec::new(),
            bindings: FxHashMap::default(),
            places: Vec::new(),
            words: Vec::new(),
            values: None,
            spec_ids: FxHashMap::default(),
        };
        for (buffer, location) in &interface.implicit_buffers {
            debug_assert_eq!(*buffer, ImplicitBuffer::ProgramVariables);
            match (*location, convention.variables) {
                (BufferLocation::Descriptor { binding }, _) => {
                    plan.bindings.insert(binding, descriptor::of(sets.variables, 0));
                }
                (BufferLocation::Address { offset }, Some(VariablesPlace::PushConstant(place))) => {
                    plan.meanings.push((offset..offset + ADDRESS, Meaning::Pushed(place)));
                }
                (BufferLocation::Address { .. }, _) => unreachable!("placed with the module"),
            }
        }
        for sampler in &interface.samplers {
            let known = sets.samplers.iter().find(|known| same_sampler(known, sampler));
            let known = known.expect("all samplers are in the set");
            plan.bindings.insert(sampler.binding, descriptor::of(0, known.binding));
        }
        let mut bound = 0;
        let mut next = layout.words;
        let values_binding = interface.arguments.iter().filter(|it| is_bound(it)).count() as u32;
        if layout.stored {
            plan.values = Some(descriptor::of(sets.arguments, values_binding));
        }
        for (ordinal, argument) in interface.arguments.iter().enumerate() {
            let descriptor = Descriptor { set: sets.arguments, binding: bound };
            bound += u32::from(is_bound(argument));
            let value = layout.values[ordinal];
            plan.argument(argument, descriptor, value, &mut convention.spec_id);
            plan.words_about(ordinal as u32, argument, &mut next);
        }
        Ok(plan)
    }

    fn argument(&mut self, argument: &Argument, at: Descriptor, value: Option<u32>, spec_id: &mut u32) {
        let encoded = descriptor::of(at.set, at.binding);
        let place = match &argument.kind {
            ArgumentKind::StorageBuffer { binding, offset_location, .. } => {
                let old = pushed_at(*offset_location);
                self.meanings.push((old..old + 4, Meaning::Start));
                self.bindings.insert(*binding, encoded);
                ArgumentPlace::StorageBuffer(at)
            }
            ArgumentKind::BufferAddress { location, .. } => {
                let (old, offset) = (pushed_at(*location), value.expect("addresses have a place"));
                self.meanings.push((old..old + ADDRESS, Meaning::Pushed(offset)));
                ArgumentPlace::PointerPushConstant { offset, size: ADDRESS }
            }
            ArgumentKind::Value { location, size } => {
                let (old, offset) = (pushed_at(*location), value.expect("values have a place"));
                let range = old..old.saturating_add(*size);
                // To clspv, a vector of three is as large as its three elements.
                let size = if argument.lanes == 3 { size / 4 * 3 } else { *size };
                match self.values {
                    Some(values) => {
                        self.meanings.push((range, Meaning::Stored(offset)));
                        let (set, binding) = descriptor::parts(values);
                        let descriptor = Descriptor { set, binding };
                        ArgumentPlace::PodStorageBuffer { descriptor, offset, size }
                    }
                    None => {
                        self.meanings.push((range, Meaning::Pushed(offset)));
                        ArgumentPlace::PodPushConstant { offset, size }
                    }
                }
            }
            ArgumentKind::Local { spec_id: old, element_size } => {
                self.spec_ids.insert(*old, *spec_id);
                *spec_id += 1;
                ArgumentPlace::Workgroup { spec_id: *spec_id - 1, element_size: *element_size }
            }
            ArgumentKind::Image { binding, dimension, access, .. } => {
                self.bindings.insert(*binding, encoded);
                match (dimension, access) {
                    (ImageDimension::D1Buffer, ImageAccess::ReadOnly) => {
                        ArgumentPlace::UniformTexelBuffer(at)
                    }
                    (ImageDimension::D1Buffer, _) => ArgumentPlace::StorageTexelBuffer(at),
                    (_, ImageAccess::ReadOnly) => ArgumentPlace::SampledImage(at),
                    _ => ArgumentPlace::StorageImage(at),
                }
            }
            ArgumentKind::Sampler { binding, .. } => {
                self.bindings.insert(*binding, encoded);
                ArgumentPlace::Sampler(at)
            }
        };
        self.places.push(place);
    }

    /// The words about an image or a sampler.
    fn words_about(&mut self, ordinal: u32, argument: &Argument, next: &mut u32) {
        let mut word = |plan: &mut Plan, kind| {
            plan.words.push(ReflectedWord { ordinal, kind, offset: *next });
            *next += 4;
            *next - 4
        };
        match &argument.kind {
            ArgumentKind::Image { binding, words, .. } => {
                for &(query, location) in words {
                    let old = pushed_at(location);
                    let meaning = match query {
                        ImageQuery::Format => {
                            let kinds = [WordKind::ChannelOrder, WordKind::ChannelDataType];
                            Meaning::Format(kinds.map(|kind| word(self, kind)))
                        }
                        _ => Meaning::Image(*binding, query),
                    };
                    self.meanings.push((old..old + 4, meaning));
                }
            }
            ArgumentKind::Sampler { word_location: Some(location), .. } => {
                let old = pushed_at(*location);
                let offset = word(self, WordKind::SamplerMask);
                self.meanings.push((old..old + 4, Meaning::Pushed(offset)));
            }
            _ => {}
        }
    }

    fn carry_out(
        mut self,
        function: &mut Function,
        interface: &mut KernelInterface,
        convention: &mut Convention,
        position: usize,
    ) {
        for argument in &mut interface.arguments {
            if let ArgumentKind::Local { spec_id, .. } = &mut argument.kind {
                *spec_id = self.spec_ids[spec_id];
            }
        }
        for (_, data) in function.variables.iter_mut() {
            if let ElementCount::Specialised { spec_id } = &mut data.count {
                *spec_id = self.spec_ids[spec_id];
            }
            if let VariableSpace::StorageBuffer { binding, .. } = &mut data.space {
                *binding = self.bindings[binding];
            }
        }
        let values = self.values.map(|binding| {
            function.variables.push(VariableData {
                name: "arguments".to_owned(),
                space: VariableSpace::StorageBuffer { binding, restrict: true },
                shared: false,
                element: Type::I8,
                count: ElementCount::Runtime,
                initializer: Vec::new(),
            })
        });
        convention.kernels[position].places = std::mem::take(&mut self.places);
        convention.kernels[position].words = std::mem::take(&mut self.words);
        Move { plan: &self, values, images: FxHashMap::default(), cursor: Cursor::new(function) }.run();
    }
}

fn is_bound(argument: &Argument) -> bool {
    use ArgumentKind as Kind;
    matches!(argument.kind, Kind::StorageBuffer { .. } | Kind::Image { .. } | Kind::Sampler { .. })
}

/// A kernel whose reads are moved.
struct Move<'a, 'f> {
    plan: &'a Plan,
    values: Option<Variable>,
    /// The images that were met, by their old bindings.
    images: FxHashMap<u32, Value>,
    cursor: Cursor<'f>,
}

impl Move<'_, '_> {
    fn run(mut self) {
        while let Some(inst) = self.cursor.advance() {
            match self.cursor.function.insts[inst].op {
                Op::PushConstant { offset } => {
                    let value = self.pushed(inst, offset);
                    self.cursor.replace_result(inst, value);
                }
                Op::ImageBinding { binding } => {
                    self.cursor.function.insts[inst].op =
                        Op::ImageBinding { binding: self.plan.bindings[&binding] };
                    self.images.entry(binding).or_insert(self.cursor.result(inst));
                    self.cursor.keep(inst);
                }
                Op::SamplerBinding { binding } => {
                    self.cursor.function.insts[inst].op =
                        Op::SamplerBinding { binding: self.plan.bindings[&binding] };
                    self.cursor.keep(inst);
                }
                _ => self.cursor.keep(inst),
            }
        }
    }

    /// What was a push constant.
    fn pushed(&mut self, inst: Inst, offset: u32) -> Value {
        let result = self.cursor.result(inst);
        let ty = self.cursor.function.ty(result);
        if let Some(offset) = offset.checked_sub(LAUNCH_WORDS) {
            return self.cursor.value(Op::PushConstant { offset }, &[], ty);
        }
        let found = self.plan.meanings.iter().find(|(range, _)| range.contains(&offset));
        let (range, meaning) = found.expect("the host passes nothing else").clone();
        let within = offset - range.start;
        match meaning {
            Meaning::Start => self.cursor.int(ty, 0),
            Meaning::Pushed(start) => self.cursor.value(Op::PushConstant { offset: start + within }, &[], ty),
            Meaning::Stored(start) => self.stored(start + within, ty),
            Meaning::Format([order, kind]) => {
                let order = self.cursor.value(Op::PushConstant { offset: order }, &[], ty);
                let kind = self.cursor.value(Op::PushConstant { offset: kind }, &[], ty);
                // OpenCL's numbers have 15 bits. The others would say that the device's samplers interpolate.
                let order = self.cursor.binary_int(BinaryOp::And, order, 0x7fff);
                let kind = self.cursor.binary_int(BinaryOp::And, kind, 0x7fff);
                let kind = self.cursor.binary_int(BinaryOp::Shl, kind, 16);
                self.cursor.binary(BinaryOp::Or, order, kind)
            }
            Meaning::Image(binding, query) => {
                let image = self.images[&binding];
                self.cursor.value(Op::Image(ImageOp::Query(query)), &[image], ty)
            }
        }
    }

    fn stored(&mut self, offset: u32, ty: Type) -> Value {
        let variable = self.values.expect("there is a buffer of values");
        let start = self.cursor.int(Type::I32, i64::from(offset));
        let pointer = Type::Pointer(AddressSpace::Constant);
        let pointer = self.cursor.value(Op::ElementPointer(variable), &[start], pointer);
        let align = 1 << offset.trailing_zeros().min(4);
        self.cursor.value(Op::Load { align, volatile: false }, &[pointer], ty)
    }
}
