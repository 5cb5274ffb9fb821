//! Replaces kernel parameters and launch queries by what a Vulkan compute shader has.
//!
//! After this pass a kernel has no parameters and no [`Op::WorkItem`], and the module has its interface.
//!
//! # Push constants
//! The push constants are in this order, each aligned to its size (at most 16): the 64-bit addresses of the
//! buffers (logical addressing: their 32-bit byte offsets), the values in the order of the parameters, the
//! global offset, the work-group offset, the global size (three words each), the work dimension and the
//! number of the command, if they are used. If they exceed the device's limit, everything that the arguments
//! need moves to an argument buffer, whose address (logical addressing: descriptor) replaces it. The
//! addresses of the buffers that are not arguments ([`ImplicitBuffer`]) come before all of these;
//! [`variables`] are one of them.
//!
//! # Work-item ids
//! Work-item ids are 32-bit values, extended with zeros:
//! `(WorkgroupId + group offset) × EnqueuedWorkgroupSize + LocalInvocationId + global offset`. The number of
//! work-groups is derived from the global size, because a launch may be split into several dispatches.
//!
//! # Offsets
//! Where a driver prefers it ([`Preference::OffsetMask`]), the global offset, the work-group offset and the
//! offsets of buffers are masked with a specialisation constant, which a launch that has none sets to 0.
//!
//! # Pointers
//! The pointer to a buffer is an [`Op::PhysicalPointer`] of its address. With logical addressing, and for
//! `__local` parameters, it is an [`Op::ElementPointer`] with a byte offset into a variable of bytes; memory
//! lowering recovers the element type. The offset of a null buffer is -1.
//!
//! Files: [`uses`] (what a kernel uses), [`layout`] (the positions of the values), [`inputs`] (arguments),
//! [`queries`], [`handles`] (images and samplers), [`variables`], [`mod@private_memory`].

mod handles;
mod inputs;
mod layout;
mod private_memory;
mod queries;
mod uses;
pub(super) mod variables;

use super::{Context, cursor::Cursor, zero};
use crate::TranslateError;
use clvk_interface::{
    Argument, ArgumentKind, BufferLocation, DeviceProfile, ImageQuery, ImplicitBuffer, KernelInterface,
    LocalSize, Preference, ProgramSampler, ScalarType, SpecConstants, TexelSampler,
};
use clvk_ir::{
    BinaryOp, Func, Function, ImageOp, InputVariable, Inst, KernelParam, KernelParamKind, Op, SamplerWord,
    Scalar, Span, Type, Value, Variable,
};
use layout::{Layout, lay_out};
use rustc_hash::FxHashMap;
use uses::{Uses, constant_step};
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
    let robust = context.options.robust;
    let masked = context.profile.prefers(Preference::OffsetMask) && context.options.is_plain();
    for kernel in kernels {
        let function = &mut context.module.functions[kernel];
        match lower_kernel(function, &placed, context.profile, (robust, masked), &mut spec_id, flat) {
            Ok(interface) => context.interface.kernels.push(interface),
            Err(found) => errors.extend(found),
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// Lowers one kernel and gives its interface.
fn lower_kernel(
    function: &mut Function,
    placed: &Placed,
    profile: &DeviceProfile,
    (robust, masked): (bool, bool),
    spec_id: &mut u32,
    flat: bool,
) -> Result<KernelInterface, Vec<TranslateError>> {
    let private_memory = private_memory::spill(function, profile)?;
    let info = function.kernel.take().expect("only kernels are lowered");
    let mut uses = Uses::of(function);
    uses.zero = zero::is_wanted(profile);
    let variables = placed.used_by(function);
    if !variables.is_empty() {
        uses.implicit.push(ImplicitBuffer::ProgramVariables);
    }
    if robust {
        check_enqueues(function, &uses)?;
        uses.implicit.push(ImplicitBuffer::Bounds);
    }
    let layout = lay_out(function, &info.params, &uses, profile)?;
    let mut lowering = Lowering {
        layout: &layout,
        profile,
        spilled: None,
        structures: FxHashMap::default(),
        binding: 0,
        spec_id,
        arguments: Vec::new(),
        samplers: Vec::new(),
        texel_samplers: Vec::new(),
        words: FxHashMap::default(),
        image_words: FxHashMap::default(),
        handles: FxHashMap::default(),
        implicit: Vec::new(),
        required_local_size: info.required_work_group_size,
        uniform_work_groups: info.uniform_work_groups,
        flat,
        sub_group_size: None,
        mask: None,
        cursor: Cursor::new(function),
    };
    if masked {
        let mask = lowering.cursor.value(Op::Input(InputVariable::OffsetMask), &[], Type::I32);
        lowering.mask = Some(mask);
    }
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
    let implicit_buffers =
        lowering.implicit.iter().map(|implicit| (implicit.which, implicit.location)).collect();
    let arguments = lowering.arguments;
    let has_offsets = layout.words.global_offset.is_some()
        || layout.words.group_offset.is_some()
        || arguments.iter().any(|argument| matches!(argument.kind, ArgumentKind::StorageBuffer { .. }));
    let samplers = lowering.samplers.iter();
    let samplers: Vec<_> =
        samplers.map(|&(word, binding)| ProgramSampler::of_word(word.bits(), binding)).collect();
    let texel_samplers = lowering.texel_samplers;
    let declared = (samplers.len() + texel_samplers.len()) as u32;
    handles::check_counts(function, &arguments, declared, profile)?;
    function.params.clear();
    let interface = KernelInterface {
        name: function.name.clone(),
        arguments,
        samplers,
        texel_samplers,
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
        offset_mask: masked && has_offsets,
        argument_buffer,
        implicit_buffers,
        private_memory,
        static_local_memory: 0,
        uses_barrier: uses.barrier,
        sub_groups: flat,
        required_sub_groups: info.required_sub_groups,
        is_block: info.is_block,
        hook: info.hook,
    };
    function.kernel = Some(clvk_ir::KernelInfo { params: Vec::new(), ..info });
    Ok(interface)
}

/// Refuses a robust kernel that enqueues others: the host knows what a kernel may reach only for what it
/// launches itself.
fn check_enqueues(function: &Function, uses: &Uses) -> Result<(), Vec<TranslateError>> {
    if !uses.implicit.contains(&ImplicitBuffer::DeviceQueue) {
        return Ok(());
    }
    let mut place = function.span;
    function.walk(|_, data| {
        if data.op == Op::ImplicitBuffer(ImplicitBuffer::DeviceQueue) && data.span != Span::NONE {
            place = data.span;
        }
    });
    let problem = "enqueues kernels, which robust mode does not allow";
    Err(vec![TranslateError::of_kernel(function, problem).at(place).remedy("enqueue them from the host")])
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
    spec_id: &'a mut u32,
    arguments: Vec<Argument>,
    /// Samplers of the program that were met, and their bindings.
    samplers: Vec<(SamplerWord, u32)>,
    /// Samplers through which texels are read.
    texel_samplers: Vec<TexelSampler>,
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
    /// What offsets are masked with, if they are ([`SpecConstants::OFFSET_MASK`]).
    mask: Option<Value>,
    cursor: Cursor<'f>,
}

impl Lowering<'_, '_> {
    /// Replaces a parameter at the start of the kernel and describes the argument.
    fn parameter(&mut self, index: usize, param: &KernelParam, uses: &Uses) {
        let old = self.cursor.function.params[index];
        let (kind, new) = match &param.kind {
            KernelParamKind::Buffer { read_only, restrict, .. } => {
                self.buffer(index, param, (*read_only, *restrict), uses)
            }
            KernelParamKind::Pipe { .. } => self.buffer(index, param, (false, false), uses),
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
        let (element, lanes) = match (&param.kind, param.element) {
            (KernelParamKind::Image(_), _) => (uses.texel(old), 4),
            (_, Some((scalar, lanes))) => (scalar_type(scalar, param.signed), lanes),
            (_, None) => (ScalarType::Opaque, 1),
        };
        let (name, type_name) = (param.name.clone(), param.type_name.clone());
        self.arguments.push(Argument { name, type_name, element, lanes, kind });
    }

    /// An offset that the host passes, masked if offsets are.
    fn masked(&mut self, offset: Value) -> Value {
        match self.mask {
            Some(mask) => self.cursor.binary(BinaryOp::And, offset, mask),
            None => offset,
        }
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
                Op::Call(_) => self.call(inst),
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

    /// Passes the zero that the driver does not know to a function that takes it.
    fn call(&mut self, inst: Inst) {
        let mut operands = self.cursor.operands(inst);
        if let Some(offset) = self.layout.words.zero {
            operands[0] = self.cursor.value(Op::PushConstant { offset }, &[], Type::I32);
        }
        self.cursor.keep_with(inst, &operands);
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
            Op::MemoryCopy { size, align } if position == 1 => {
                let destination = self.cursor.get(self.cursor.function.insts[inst].operands[0]);
                for word in 0..(size / 4) as u32 {
                    let value = self.passed(start + word * 4, Type::I32);
                    let to = self.step(destination, word * 4);
                    let store = Op::Store { align: align.clamp(1, 4), volatile: false };
                    self.cursor.push(store, &[to, value], &[], &[]);
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

#[cfg(test)]
mod tests {
    use crate::{TranslateOptions, translate};
    use clvk_interface::DeviceProfile;
    use clvk_ir::{container::Library, text::parse_module};

    #[test]
    fn only_the_host_enqueues_robust_kernels() {
        let text = r#"kernel @k() {
  %0: ptr.global = implicit_buffer.device_queue
  store %0, 1:i32 align 4
  return
}
"#;
        let profile = DeviceProfile::preset("nvidia-h200").expect("a preset");
        let translate_it = |robust| {
            let options = TranslateOptions { robust, ..TranslateOptions::default() };
            translate(parse_module(text).expect("the text is right"), &Library::empty(), &profile, &options)
        };
        assert!(translate_it(false).is_ok());
        let errors = translate_it(true).expect_err("what it enqueues would not be confined");
        let expected =
            "kernel `k` enqueues kernels, which robust mode does not allow; enqueue them from the host";
        assert_eq!(errors.iter().map(ToString::to_string).collect::<Vec<_>>(), [expected]);
    }
}
