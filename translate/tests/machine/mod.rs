//! A machine that executes the IR, before and after each pass: an implementation of the manual in
//! `clvk_ir::Op` that shares nothing with the compiler.
//!
//! [`run`] launches a kernel as a host does. Before `lower-launch`, a kernel gets its arguments as parameters
//! and queries its ids; after that it finds them where its
//! [`KernelInterface`](clvk_interface::KernelInterface) says ([`host`]). Work-items of a group take turns
//! after a few instructions each, in an order that depends on [`Settings::order`], and wait for each other at
//! barriers ([`group`]).
//!
//! An access outside every object, at an address that is less aligned than it claims, or of a type that its
//! variable does not have is a [`Fault`]. Whatever the manual leaves open (uninitialised memory, `undef`, a
//! division by zero, the last places of a quotient) is derived from [`Settings::garbage`], so a dependence on
//! it shows as a difference between two runs.
//!
//! Not here: images, samplers, `printf` and enqueued kernels.
//!
//! Files: [`memory`], [`compute`] and [`float`] (operations without effects), [`item`] (a work-item: control
//! flow), [`access`] (loads, stores, pointers, atomic operations), [`query`] (what a work-item knows of its
//! launch), [`group`] (work-items that wait for each other), [`host`].

mod access;
mod compute;
mod float;
mod group;
mod host;
mod item;
mod memory;
mod query;

use clvk_interface::KernelInterface;
use clvk_ir::{AddressSpace, EntityId, Func, Global, GlobalData, Initializer, Module};
use memory::{Kind, Memory};
use smallvec::SmallVec;
use std::collections::HashMap;

/// The reason why an execution is meaningless.
pub type Fault = String;

/// A value: the bits of each lane. A pointer is a 64-bit address.
pub type Bits = SmallVec<[u64; 4]>;

/// A launch.
#[derive(Clone, Debug)]
pub struct Launch {
    pub work_dim: u32,
    pub global: [u32; 3],
    pub local: [u32; 3],
    pub offset: [u32; 3],
    pub arguments: Vec<Argument>,
}

/// What the host passes for a parameter.
#[derive(Clone, Debug)]
pub enum Argument {
    /// A buffer with these contents; the kernel gets a pointer to the byte `start`.
    Buffer { contents: Vec<u8>, start: u32 },
    /// A null pointer to a buffer.
    Null,
    /// The bytes of a value.
    Value(Vec<u8>),
    /// The size in bytes of local memory.
    Local(u32),
}

/// How a run resolves what the IR leaves open, and the device that it runs on.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The seed of undefined values.
    pub garbage: u64,
    /// The seed of the order of work-items; with 0, each one of a group runs as far as it can before the
    /// next.
    pub order: u64,
    /// The number of work-items in the largest sub-group.
    pub sub_group_size: u32,
    /// The driver does not count a sub-group that is not full (`Quirk::FullSubgroupsCounted`).
    pub counts_full_sub_groups: bool,
    /// `lower-memory` has run, so what it promises is checked.
    pub memory_lowered: bool,
}

impl Settings {
    /// Settings in which each work-item is a sub-group.
    pub fn new(garbage: u64, order: u64) -> Settings {
        Settings { garbage, order, sub_group_size: 1, counts_full_sub_groups: false, memory_lowered: false }
    }
}

/// The number of instructions after which a launch is considered endless.
const MOST_STEPS: u64 = 20_000_000;

/// A kernel in execution.
struct Machine<'m> {
    module: &'m Module,
    memory: Memory,
    /// Module-scope variables outside local memory.
    globals: HashMap<Global, u64>,
    /// What the host has passed, where the kernel finds it.
    passed: host::Passed,
    settings: Settings,
    launch: &'m Launch,
    /// Work-groups of a dispatch are one row.
    flat: bool,
    /// Bytes of the buffer with the program's variables.
    program_size: u64,
    steps: u64,
}

/// Launches a kernel, and returns the contents of the buffers among its arguments. `interface` describes the
/// launch if `lower-launch` has run.
pub fn run(
    module: &Module,
    kernel: Func,
    interface: Option<(&KernelInterface, &clvk_interface::ModuleInterface)>,
    launch: &Launch,
    settings: Settings,
) -> Result<Vec<Vec<u8>>, Fault> {
    let lowered = module.functions[kernel].params.is_empty() && !launch.arguments.is_empty();
    let interface = interface.filter(|_| lowered);
    let mut machine = Machine::new(module, launch, settings);
    let buffers = machine.place_arguments();
    machine.place_globals()?;
    match interface {
        Some((kernel, module)) => machine.pass(kernel, module)?,
        None => {
            machine.provide_watch();
        }
    }
    for dispatch in host::dispatches(launch) {
        if let Some((kernel, _)) = interface {
            machine.pass_dispatch(kernel, &dispatch)?;
        }
        machine.dispatch(&module.functions[kernel], &dispatch)?;
    }
    if machine.loop_ended()? {
        return Err("the kernel says that the driver ended a loop early".to_owned());
    }
    machine.contents(&buffers)
}

/// The inputs of a kernel written in the form that `lower-launch` produces: push constants, and buffers by
/// their bindings.
pub struct Raw {
    pub push_constants: Vec<u8>,
    pub buffers: Vec<(u32, Vec<u8>)>,
}

/// Launches such a kernel, and returns the contents of its buffers. Only the sizes in `launch` are used.
pub fn run_raw(
    module: &Module,
    kernel: Func,
    raw: &Raw,
    launch: &Launch,
    settings: Settings,
) -> Result<Vec<Vec<u8>>, Fault> {
    let mut machine = Machine::new(module, launch, settings);
    machine.place_globals()?;
    let buffers = machine.pass_raw(raw);
    for dispatch in host::dispatches(launch) {
        machine.dispatch(&module.functions[kernel], &dispatch)?;
    }
    machine.contents(&buffers)
}

/// The contents that one work-item leaves in the buffer that is its kernel's first argument; the other
/// arguments are numbers.
pub fn run_alone(module: &Module, contents: Vec<u8>, numbers: &[i32]) -> Result<Vec<u8>, Fault> {
    let mut arguments = vec![Argument::Buffer { contents, start: 0 }];
    arguments.extend(numbers.iter().map(|number| Argument::Value(number.to_le_bytes().to_vec())));
    let launch = Launch { work_dim: 1, global: [1; 3], local: [1; 3], offset: [0; 3], arguments };
    let mut buffers = run(module, only_kernel(module), None, &launch, Settings::new(0, 0))?;
    Ok(buffers.swap_remove(0))
}

/// The kernel of a module with one kernel.
pub fn only_kernel(module: &Module) -> Func {
    module.kernels().next().expect("there is a kernel")
}

impl<'m> Machine<'m> {
    fn new(module: &'m Module, launch: &'m Launch, settings: Settings) -> Machine<'m> {
        Machine {
            module,
            memory: Memory::default(),
            globals: HashMap::new(),
            passed: host::Passed::default(),
            settings,
            launch,
            flat: false,
            program_size: 0,
            steps: 0,
        }
    }

    /// The contents of buffers, given by their addresses and sizes.
    fn contents(&self, buffers: &[(u64, usize)]) -> Result<Vec<Vec<u8>>, Fault> {
        buffers.iter().map(|&(address, size)| Ok(self.memory.read(address, size)?.to_vec())).collect()
    }

    /// A number on which no result may depend.
    fn any(&self) -> u64 {
        let mut bits = (self.settings.garbage ^ self.steps).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        bits ^= bits >> 29;
        bits.wrapping_mul(0xbf58_476d_1ce4_e5b9)
    }

    /// Uninitialised memory.
    fn undefined(&self, size: usize) -> Vec<u8> {
        let byte = |index: usize| (self.settings.garbage as usize).wrapping_mul(181).wrapping_add(index * 57);
        (0..size).map(|index| byte(index) as u8).collect()
    }

    /// Makes the buffers among the arguments; returns their addresses and sizes.
    fn place_arguments(&mut self) -> Vec<(u64, usize)> {
        let mut buffers = Vec::new();
        for argument in &self.launch.arguments {
            let address = match argument {
                Argument::Buffer { contents, start } => {
                    let address = self.memory.add(Kind::Global, contents.clone());
                    buffers.push((address, contents.len()));
                    address + u64::from(*start)
                }
                _ => 0,
            };
            self.passed.arguments.push(address);
        }
        buffers
    }

    /// Makes the module's variables that all work-groups share.
    fn place_globals(&mut self) -> Result<(), Fault> {
        for (global, data) in self.module.globals.iter() {
            let kind = match data.space {
                AddressSpace::Local => continue,
                AddressSpace::Constant => Kind::Constant,
                _ => Kind::Global,
            };
            let contents = initial(data);
            let address = self.memory.add(kind, contents);
            self.globals.insert(global, address);
        }
        for (global, data) in self.module.globals.iter() {
            let Initializer::Bytes { relocations, .. } = &data.initializer else { continue };
            for relocation in relocations {
                let target = self.globals[&relocation.target].wrapping_add_signed(relocation.addend);
                let place = self.globals[&global] + relocation.offset;
                self.memory.initialize(place, &target.to_le_bytes())?;
            }
        }
        Ok(())
    }
}

/// A variable's initial contents, without pointers.
fn initial(data: &GlobalData) -> Vec<u8> {
    let mut contents = vec![0; data.size as usize];
    if let Initializer::Bytes { bytes, .. } = &data.initializer {
        contents[..bytes.len()].copy_from_slice(bytes);
    }
    contents
}

/// The position of an entity in its arena.
fn index(entity: impl EntityId) -> usize {
    entity.index()
}
