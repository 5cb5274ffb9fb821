//! Kernels: a function of a program with the arguments that are set.

use super::build::Unit;
use super::device::Device;
use super::forms::OnDevice;
use super::memory::Memory;
use super::platform::VERSION;
use super::program::Program;
use super::queue::Queue;
use super::sampler::Sampler;
use super::svm::Kind;
use crate::border::{HostMemory, In};
use crate::cl::*;
use crate::code::{self, Result, ensure};
use crate::handle::{self, Handle, Header, Object, object};
use crate::info::{self, Answer};
use crate::timeline;
use clvk_ir::{
    AddressSpace, Func, Function, ImageType, KernelInfo, KernelParam, KernelParamKind, Module, Type,
};
use smallvec::SmallVec;
use std::ffi::c_void;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// An argument that is set. It does not keep objects alive, because the specification forbids that.
#[derive(Clone)]
pub enum Argument {
    /// Plain data.
    Value(SmallVec<[u8; 16]>),
    /// A buffer, image or pipe.
    Memory(Weak<Memory>),
    /// A null pointer to global or constant memory.
    Null,
    /// A pointer to shared virtual memory.
    Svm(HostMemory),
    /// Any address, which is most often that of unified shared memory.
    Pointer(HostMemory),
    /// An address of a buffer.
    Address(Weak<Memory>, u64),
    /// Bytes of local memory.
    Local(usize),
    /// A sampler.
    Sampler(Weak<Sampler>),
}

/// The size that a kernel demands of sub-groups (of `cl_intel_required_subgroup_size`), which is none.
const COMPILED_SIZE: cl_kernel_sub_group_info = CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL;

/// What a kernel accesses besides its arguments.
#[derive(Clone, Default)]
pub struct Indirect {
    /// Pointers to shared virtual memory.
    pub shared: Vec<HostMemory>,
    /// Pointers to unified shared memory.
    pub unified: Vec<HostMemory>,
    /// Buffers.
    pub buffers: Vec<Weak<Memory>>,
    /// It may access any memory of these kinds.
    pub kinds: SmallVec<[Kind; 4]>,
}

impl Indirect {
    /// Whether it is nothing.
    pub fn is_empty(&self) -> bool {
        self.shared.is_empty() && self.unified.is_empty() && self.buffers.is_empty() && self.kinds.is_empty()
    }
}

/// A kernel.
#[repr(C)]
pub struct Kernel {
    header: Header<Kernel>,
    program: Arc<Program>,
    name: String,
    /// Its label in the timeline, if there is one.
    label: Option<NonZeroU32>,
    /// The kernel on each device of the program; `None` where nothing was built.
    on_devices: Vec<Option<OnDevice>>,
    /// A built program, and the kernel's place in it, for queries about parameters.
    unit: Arc<Unit>,
    function: Func,
    arguments: Mutex<Vec<Option<Argument>>>,
    /// Memory that it finds through pointers in memory: shared memory, and addresses of buffers.
    indirect: Mutex<Indirect>,
}

object!(Kernel, code::INVALID_KERNEL);

impl Kernel {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its label in the timeline, if there is one.
    pub fn label(&self) -> Option<NonZeroU32> {
        self.label
    }

    /// The kernel of this name.
    pub fn new(program: Arc<Program>, name: &str) -> Result<Arc<Self>> {
        let units = program.units_of(name)?;
        let unit = units.iter().flatten().next().map(Arc::clone).ok_or(code::INVALID_KERNEL_NAME)?;
        let function = unit.object.module().function(name).ok_or(code::INVALID_KERNEL_NAME)?;
        let info =
            unit.object.module().functions[function].kernel.as_ref().ok_or(code::INVALID_KERNEL_NAME)?;
        let arguments = Mutex::new(vec![None; info.params.len()]);
        let printing = program.context().printing();
        let on_device = |unit: Option<Arc<Unit>>| OnDevice::new(&unit?, name, printing);
        let on_devices = units.into_iter().map(on_device).collect();
        program.attach_kernel();
        let (header, name) = (Header::new(), name.to_owned());
        let (indirect, label) = (Mutex::default(), timeline::kernel(&name));
        let kernel = Kernel { header, program, name, label, on_devices, unit, function, arguments, indirect };
        kernel.compile_ahead();
        Ok(Arc::new(kernel))
    }

    /// A copy with the same arguments.
    pub fn duplicate(&self) -> Arc<Self> {
        self.program.attach_kernel();
        Arc::new(Kernel {
            header: Header::new(),
            program: Arc::clone(&self.program),
            name: self.name.clone(),
            label: self.label,
            on_devices: self.on_devices.clone(),
            unit: Arc::clone(&self.unit),
            function: self.function,
            arguments: Mutex::new(self.arguments().clone()),
            indirect: Mutex::new(self.indirect().clone()),
        })
    }

    /// Its program.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// The arguments, by parameter.
    pub fn arguments(&self) -> MutexGuard<'_, Vec<Option<Argument>>> {
        self.arguments.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Memory that it finds through pointers in memory, as the application declared it.
    pub fn indirect(&self) -> MutexGuard<'_, Indirect> {
        self.indirect.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets an argument to a pointer to shared virtual memory.
    pub fn set_svm_argument(&self, index: u32, pointer: HostMemory) -> Result<()> {
        let context = self.program.context();
        context.check_usm(Kind::Device)?;
        let is_buffer = matches!(self.parameter(index)?.kind, KernelParamKind::Buffer { .. });
        ensure(is_buffer, code::INVALID_ARG_VALUE)?;
        let argument = if pointer.is_null() { Argument::Null } else { Argument::Svm(pointer) };
        let known = pointer.is_null() || context.svm_place(pointer).is_some();
        ensure(known, code::INVALID_ARG_VALUE)?;
        self.put(index, argument);
        Ok(())
    }

    /// Sets an argument to an address, which need not be one of known memory.
    pub fn set_usm_argument(&self, index: u32, pointer: HostMemory) -> Result<()> {
        let is_buffer = matches!(self.parameter(index)?.kind, KernelParamKind::Buffer { .. });
        ensure(is_buffer, code::INVALID_ARG_VALUE)?;
        let argument = if pointer.is_null() { Argument::Null } else { Argument::Pointer(pointer) };
        self.put(index, argument);
        Ok(())
    }

    /// Sets an argument to an address in a buffer that was created with a device address.
    pub fn set_address_argument(&self, index: u32, address: u64) -> Result<()> {
        let is_buffer = matches!(self.parameter(index)?.kind, KernelParamKind::Buffer { .. });
        ensure(is_buffer, code::INVALID_ARG_INDEX)?;
        let context = self.program.context();
        ensure(context.devices().iter().any(|device| device.has_addresses()), code::INVALID_OPERATION)?;
        let argument = if address == 0 {
            Argument::Null
        } else {
            let (memory, offset) = context.find_addressed(address).ok_or(code::INVALID_ARG_VALUE)?;
            Argument::Address(Arc::downgrade(&memory), offset)
        };
        self.put(index, argument);
        Ok(())
    }

    /// Declares the memory that it uses besides its arguments, or that it uses any host memory (which no
    /// device can).
    pub fn set_execution_info(
        &self,
        name: cl_kernel_exec_info,
        size: usize,
        value: In<c_void>,
    ) -> Result<()> {
        match name {
            CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT => return self.set_device_pointers(size, value),
            CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL => return self.set_unified_pointers(size, value),
            CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL => return self.reach(&[Kind::Host], size, value),
            CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL => {
                return self.reach(&[Kind::Device], size, value);
            }
            CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL => {
                return self.reach(&[Kind::Shared], size, value);
            }
            CL_KERNEL_EXEC_INFO_SVM_INDIRECT_ACCESS_KHR => {
                let all = [Kind::Device, Kind::Svm, Kind::Host, Kind::Shared];
                return self.reach(&all, size, value);
            }
            _ => {}
        }
        let context = self.program.context();
        context.check_usm(Kind::Device)?;
        if name == CL_KERNEL_EXEC_INFO_SVM_PTRS && size == 0 && value.is_null() {
            // An empty list removes all pointers.
            self.indirect().shared.clear();
            return Ok(());
        }
        ensure(!value.is_null(), code::INVALID_VALUE)?;
        match name {
            CL_KERNEL_EXEC_INFO_SVM_PTRS => {
                ensure(size > 0 && size.is_multiple_of(size_of::<usize>()), code::INVALID_VALUE)?;
                let pointers = pointers(value, size);
                let known = pointers.iter().all(|&pointer| context.svm_place(pointer).is_some());
                ensure(known, code::INVALID_VALUE)?;
                self.indirect().shared = pointers;
                Ok(())
            }
            CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM => {
                ensure(size == size_of::<cl_bool>(), code::INVALID_VALUE)?;
                ensure(value.read::<cl_bool>() == Some(CL_FALSE), code::INVALID_OPERATION)
            }
            _ => Err(code::INVALID_VALUE),
        }
    }

    /// Declares unified shared memory that it uses besides its arguments. An empty list removes all.
    fn set_unified_pointers(&self, size: usize, value: In<c_void>) -> Result<()> {
        self.program.context().check_usm(Kind::Device)?;
        ensure(value.is_null() == (size == 0), code::INVALID_VALUE)?;
        ensure(size.is_multiple_of(size_of::<usize>()), code::INVALID_VALUE)?;
        self.indirect().unified = pointers(value, size);
        Ok(())
    }

    /// Declares whether it may use any memory of some kinds. A device must have the first of them.
    fn reach(&self, kinds: &[Kind], size: usize, value: In<c_void>) -> Result<()> {
        self.program.context().check_usm(kinds[0])?;
        ensure(!value.is_null() && size == size_of::<cl_bool>(), code::INVALID_VALUE)?;
        let mut indirect = self.indirect();
        indirect.kinds.retain(|kind| !kinds.contains(kind));
        if value.read::<cl_bool>() != Some(CL_FALSE) {
            indirect.kinds.extend_from_slice(kinds);
        }
        Ok(())
    }

    /// Declares the addresses of buffers that it finds in memory.
    fn set_device_pointers(&self, size: usize, value: In<c_void>) -> Result<()> {
        ensure(!value.is_null(), code::INVALID_VALUE)?;
        ensure(size > 0 && size.is_multiple_of(size_of::<u64>()), code::INVALID_VALUE)?;
        let context = self.program.context();
        let find = |address: usize| context.find_addressed(address as u64).ok_or(code::INVALID_VALUE);
        let found =
            value.list_of_sizes(size).into_iter().map(|address| Ok(Arc::downgrade(&find(address)?.0)));
        self.indirect().buffers = found.collect::<Result<_>>()?;
        Ok(())
    }

    /// The kernel on a device in all its forms; `CL_INVALID_PROGRAM_EXECUTABLE` if nothing was built for it.
    pub fn forms_on(&self, device: &Arc<Device>) -> Result<&OnDevice> {
        let index = self.program.index_of(device).map_err(|_| code::INVALID_PROGRAM_EXECUTABLE)?;
        self.on_devices[index].as_ref().ok_or(code::INVALID_PROGRAM_EXECUTABLE)
    }

    /// The kernel on a device in its preferred form, for queries; the error is that of [`Kernel::forms_on`].
    pub fn on_device(&self, device: &Arc<Device>) -> Result<&vk_runtime::Kernel> {
        self.forms_on(device).map(OnDevice::preferred)
    }

    /// Sets an argument that was checked.
    fn put(&self, index: u32, argument: Argument) {
        let new_forms = self.forms().filter(|forms| forms.prepare(&argument)).count();
        let is_local = matches!(argument, Argument::Local(_));
        self.arguments()[index as usize] = Some(argument);
        if is_local || new_forms > 0 {
            self.compile_ahead();
        }
    }

    /// The kernel on each device that it was built for.
    pub fn forms(&self) -> impl Iterator<Item = &OnDevice> {
        self.on_devices.iter().flatten()
    }

    /// The program in the IR.
    pub fn module(&self) -> &Module {
        self.unit.object.module()
    }

    /// Its place in the IR.
    pub fn function_id(&self) -> Func {
        self.function
    }

    /// The function in the IR.
    pub fn function(&self) -> &Function {
        &self.module().functions[self.function]
    }

    /// What the program says about it.
    pub fn kernel_info(&self) -> &KernelInfo {
        self.function().kernel.as_ref().expect("it was a kernel when the kernel was made")
    }

    /// The parameter of this index.
    pub fn parameter(&self, index: u32) -> Result<&KernelParam> {
        self.kernel_info().params.get(index as usize).ok_or(code::INVALID_ARG_INDEX)
    }

    /// `reqd_work_group_size`.
    pub fn required_size(&self) -> Option<[u32; 3]> {
        self.kernel_info().required_work_group_size
    }

    /// The number of sub-groups that each work-group must have, if the program requires one.
    pub fn required_sub_groups(&self) -> Option<u32> {
        self.kernel_info().required_sub_groups
    }

    /// Whether all work-groups of a launch must have the same size.
    pub fn has_uniform_groups(&self) -> bool {
        self.unit.object.has_uniform_work_groups()
    }

    /// Sets an argument.
    pub fn set_argument(&self, index: u32, size: usize, value: In<c_void>) -> Result<()> {
        let parameter = self.parameter(index)?;
        let check_size = |size: usize| {
            ensure(
                parameter.max_size.is_none_or(|most| size as u64 <= most),
                code::MAX_SIZE_RESTRICTION_EXCEEDED,
            )
        };
        let argument = match &parameter.kind {
            KernelParamKind::Local { .. } => {
                ensure(value.is_null(), code::INVALID_ARG_VALUE)?;
                // No local memory at all is an argument since OpenCL 3.1.
                let is_new = self.program.devices().iter().all(|device| device.version() > VERSION);
                ensure(size > 0 || is_new, code::INVALID_ARG_SIZE)?;
                check_size(size)?;
                Argument::Local(size)
            }
            KernelParamKind::Value { size: expected, .. } => {
                ensure(!value.is_null(), code::INVALID_ARG_VALUE)?;
                ensure(size == *expected as usize, code::INVALID_ARG_SIZE)?;
                Argument::Value(value.bytes(size).unwrap_or_default())
            }
            KernelParamKind::Buffer { .. } => {
                ensure(size == size_of::<usize>(), code::INVALID_ARG_SIZE)?;
                match object_argument::<Memory>(value)? {
                    None => Argument::Null,
                    Some(memory) => {
                        ensure(memory.is_buffer(), code::INVALID_MEM_OBJECT)?;
                        self.check_context(&memory)?;
                        check_size(memory.size())?;
                        Argument::Memory(Arc::downgrade(&memory))
                    }
                }
            }
            KernelParamKind::Pipe { .. } => {
                ensure(size == size_of::<usize>(), code::INVALID_ARG_SIZE)?;
                ensure(!value.is_null(), code::INVALID_ARG_VALUE)?;
                let memory = object_argument::<Memory>(value)?.ok_or(code::INVALID_MEM_OBJECT)?;
                ensure(memory.packets().is_some(), code::INVALID_MEM_OBJECT)?;
                self.check_context(&memory)?;
                Argument::Memory(Arc::downgrade(&memory))
            }
            KernelParamKind::Image(image) => {
                ensure(size == size_of::<usize>(), code::INVALID_ARG_SIZE)?;
                ensure(!value.is_null(), code::INVALID_ARG_VALUE)?;
                let memory = object_argument::<Memory>(value)?.ok_or(code::INVALID_MEM_OBJECT)?;
                self.check_context(&memory)?;
                check_image(image, &memory)?;
                Argument::Memory(Arc::downgrade(&memory))
            }
            KernelParamKind::Queue => {
                ensure(size == size_of::<usize>(), code::INVALID_ARG_SIZE)?;
                let queue = object_argument::<Queue>(value).map_err(|_| code::INVALID_DEVICE_QUEUE)?;
                let queue = queue.filter(|queue| Arc::ptr_eq(queue.context(), self.program.context()));
                let number = queue.and_then(|queue| queue.number_on_device());
                let number = u64::from(number.ok_or(code::INVALID_DEVICE_QUEUE)?);
                Argument::Value(SmallVec::from_slice(&number.to_le_bytes()))
            }
            KernelParamKind::Sampler => {
                ensure(size == size_of::<usize>(), code::INVALID_ARG_SIZE)?;
                let sampler = object_argument::<Sampler>(value)?.ok_or(code::INVALID_SAMPLER)?;
                ensure(Arc::ptr_eq(sampler.context(), self.program.context()), code::INVALID_SAMPLER)?;
                Argument::Sampler(Arc::downgrade(&sampler))
            }
        };
        self.put(index, argument);
        Ok(())
    }

    fn check_context(&self, memory: &Memory) -> Result<()> {
        ensure(Arc::ptr_eq(memory.context(), self.program.context()), code::INVALID_MEM_OBJECT)
    }

    /// Answers a query.
    pub fn query(&self, name: cl_kernel_info) -> Result<Answer> {
        match name {
            CL_KERNEL_FUNCTION_NAME => info::text(&self.name),
            CL_KERNEL_NUM_ARGS => info::value(self.kernel_info().params.len() as u32),
            CL_KERNEL_REFERENCE_COUNT => info::value(handle::references(self)),
            CL_KERNEL_CONTEXT => info::value(Handle::of(self.program.context())),
            CL_KERNEL_PROGRAM => info::value(Handle::of(&self.program)),
            CL_KERNEL_ATTRIBUTES => info::text(&self.attributes()),
            _ => Err(code::INVALID_VALUE),
        }
    }

    /// The attributes as the source spells them.
    fn attributes(&self) -> String {
        let info = self.kernel_info();
        let sizes = [
            ("reqd_work_group_size", info.required_work_group_size),
            ("work_group_size_hint", info.work_group_size_hint),
        ];
        let sized =
            sizes.iter().filter_map(|(name, size)| size.map(|[x, y, z]| format!("{name}({x},{y},{z})")));
        let hint = info.vec_type_hint.as_ref().map(|name| format!("vec_type_hint({name})"));
        sized.chain(hint).collect::<Vec<_>>().join(" ")
    }

    /// Answers a query about a parameter.
    pub fn query_argument(&self, index: u32, name: cl_kernel_arg_info) -> Result<Answer> {
        let parameter = self.parameter(index)?;
        let pointer = self.pointer_space(index as usize);
        match name {
            CL_KERNEL_ARG_ADDRESS_QUALIFIER => info::value(match (&parameter.kind, pointer) {
                (KernelParamKind::Image(_) | KernelParamKind::Pipe { .. }, _) => CL_KERNEL_ARG_ADDRESS_GLOBAL,
                (_, Some(AddressSpace::Global)) => CL_KERNEL_ARG_ADDRESS_GLOBAL,
                (_, Some(AddressSpace::Constant)) => CL_KERNEL_ARG_ADDRESS_CONSTANT,
                (_, Some(AddressSpace::Local)) => CL_KERNEL_ARG_ADDRESS_LOCAL,
                _ => CL_KERNEL_ARG_ADDRESS_PRIVATE,
            }),
            CL_KERNEL_ARG_ACCESS_QUALIFIER => info::value(match &parameter.kind {
                KernelParamKind::Image(image) => match (image.readable, image.writable) {
                    (true, true) => CL_KERNEL_ARG_ACCESS_READ_WRITE,
                    (false, true) => CL_KERNEL_ARG_ACCESS_WRITE_ONLY,
                    _ => CL_KERNEL_ARG_ACCESS_READ_ONLY,
                },
                KernelParamKind::Pipe { writes: true } => CL_KERNEL_ARG_ACCESS_WRITE_ONLY,
                KernelParamKind::Pipe { writes: false } => CL_KERNEL_ARG_ACCESS_READ_ONLY,
                _ => CL_KERNEL_ARG_ACCESS_NONE,
            }),
            CL_KERNEL_ARG_TYPE_NAME => info::text(&parameter.type_name),
            CL_KERNEL_ARG_TYPE_QUALIFIER => info::value(type_qualifiers(parameter)),
            CL_KERNEL_ARG_NAME => info::text(&parameter.name),
            _ => Err(code::INVALID_VALUE),
        }
    }

    /// The address space that a pointer parameter points to.
    fn pointer_space(&self, index: usize) -> Option<AddressSpace> {
        let function = self.function();
        match (&self.kernel_info().params[index].kind, function.values[function.params[index]].ty) {
            (KernelParamKind::Value { .. }, _) => None,
            (_, Type::Pointer(space)) => Some(space),
            _ => None,
        }
    }

    /// Answers a query about the kernel on a device.
    pub fn query_work_group(&self, device: &Arc<Device>, name: cl_kernel_work_group_info) -> Result<Answer> {
        let kernel = self.on_device(device).map_err(|_| code::INVALID_DEVICE)?;
        let profile = device.profile();
        match name {
            CL_KERNEL_WORK_GROUP_SIZE => {
                let required = self.required_size().map(|size| size.iter().product::<u32>());
                info::value(required.unwrap_or(profile.max_work_group_invocations) as usize)
            }
            CL_KERNEL_COMPILE_WORK_GROUP_SIZE => {
                info::list(&self.required_size().unwrap_or([0; 3]).map(|size| size as usize))
            }
            CL_KERNEL_LOCAL_MEM_SIZE => {
                let set = self.arguments();
                let of_arguments: usize = set
                    .iter()
                    .map(|argument| if let Some(Argument::Local(size)) = argument { *size } else { 0 })
                    .sum();
                info::value(u64::from(kernel.interface().static_local_memory) + of_arguments as u64)
            }
            CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE => info::value(profile.subgroup_size as usize),
            CL_KERNEL_PRIVATE_MEM_SIZE | CL_KERNEL_SPILL_MEM_SIZE_INTEL => info::value(0u64),
            _ => Err(code::INVALID_VALUE),
        }
    }

    /// Answers a query about sub-groups, for a work-group size or a number of sub-groups.
    pub fn query_sub_group(
        &self,
        device: &Arc<Device>,
        name: cl_kernel_sub_group_info,
        input: Vec<usize>,
        size: usize,
    ) -> Result<Answer> {
        self.on_device(device).map_err(|_| code::INVALID_DEVICE)?;
        ensure(device.has_sub_groups(), code::INVALID_OPERATION)?;
        let (width, most) = (device.profile().sub_group_size(), device.profile().max_work_group_invocations);
        let items = || {
            ensure((1..=3).contains(&input.len()), code::INVALID_VALUE)?;
            Ok::<_, code::Code>(input.iter().product::<usize>())
        };
        match name {
            // Also for smaller work-groups: the value of `get_max_sub_group_size` in the kernel.
            CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE => items().and_then(|_| info::value(width as usize)),
            CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE => info::value(items()?.div_ceil(width as usize)),
            CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT => {
                let [count] = input[..] else { return Err(code::INVALID_VALUE) };
                let local = count.saturating_mul(width as usize);
                let fits = local <= most as usize;
                let dimensions = size / size_of::<usize>();
                ensure((1..=3).contains(&dimensions), code::INVALID_VALUE)?;
                let sizes = [if fits { local } else { 0 }, usize::from(fits), usize::from(fits)];
                info::list(&sizes[..dimensions])
            }
            CL_KERNEL_MAX_NUM_SUB_GROUPS => info::value(most.div_ceil(width) as usize),
            CL_KERNEL_COMPILE_NUM_SUB_GROUPS => info::value(self.required_sub_groups().unwrap_or(0) as usize),
            COMPILED_SIZE => info::value(0usize),
            _ => Err(code::INVALID_VALUE),
        }
    }
}

/// The list of pointers of this many bytes.
fn pointers(value: In<c_void>, size: usize) -> Vec<HostMemory> {
    value.list_of_sizes(size).into_iter().map(|it| HostMemory::of(it as *mut u8)).collect()
}

/// The object whose handle is at `value`; `None` for a null pointer or a null handle.
fn object_argument<T: Object>(value: In<c_void>) -> Result<Option<Arc<T>>> {
    let handle: Handle<T> =
        value.read::<HostMemory>().map_or(Handle::NULL, |it| Handle::from_word(it.pointer() as usize));
    handle.optional()
}

/// Whether an image fits a parameter.
fn check_image(parameter: &ImageType, memory: &Memory) -> Result<()> {
    let image = memory.image().ok_or(code::INVALID_MEM_OBJECT)?;
    ensure(image.fits(parameter), code::INVALID_ARG_VALUE)?;
    let flags = memory.flags();
    let unreadable = parameter.readable && flags & CL_MEM_WRITE_ONLY != 0;
    let unwritable = parameter.writable && flags & CL_MEM_READ_ONLY != 0;
    ensure(!unreadable && !unwritable, code::INVALID_ARG_VALUE)
}

fn type_qualifiers(parameter: &KernelParam) -> cl_kernel_arg_type_qualifier {
    let bit = |condition: bool, bit| u64::from(if condition { bit } else { CL_KERNEL_ARG_TYPE_NONE });
    match parameter.kind {
        KernelParamKind::Buffer { read_only, restrict, volatile }
        | KernelParamKind::Local { read_only, restrict, volatile } => {
            bit(read_only, CL_KERNEL_ARG_TYPE_CONST)
                | bit(restrict, CL_KERNEL_ARG_TYPE_RESTRICT)
                | bit(volatile, CL_KERNEL_ARG_TYPE_VOLATILE)
        }
        KernelParamKind::Pipe { .. } => bit(true, CL_KERNEL_ARG_TYPE_PIPE),
        _ => bit(false, CL_KERNEL_ARG_TYPE_NONE),
    }
}

impl Drop for Kernel {
    fn drop(&mut self) {
        self.program.detach_kernel();
    }
}
