//! The host's part of a launch: divides it into dispatches, and passes arguments and buffers as the kernel's
//! interface says.
//!
//! It is written from the documentation of `clvk_interface`, and shares nothing with `vk-runtime`.

use super::memory::Kind;
use super::{Argument, Bits, Fault, Launch, Machine, Raw, item::compute_lanes};
use clvk_interface::{
    AddressingMode, ArgumentKind, BufferLocation, ImplicitBuffer, KernelInterface, ModuleInterface,
    PROGRAM_VARIABLES_TAG, ValueLocation, bounds,
};
use clvk_ir::Function;
use std::collections::HashMap;

/// Adjacent work-groups of one size.
#[derive(Clone, Copy, Debug)]
pub struct Dispatch {
    /// The first group.
    pub first: [u32; 3],
    /// The number of groups.
    pub count: [u32; 3],
    /// The size of each.
    pub local: [u32; 3],
}

/// The dispatches of a launch. The smaller groups at the ends are separate, and the others form two
/// dispatches along x, as on a device that limits their number.
pub fn dispatches(launch: &Launch) -> Vec<Dispatch> {
    let runs = |d: usize| {
        let (whole, rest) = (launch.global[d] / launch.local[d], launch.global[d] % launch.local[d]);
        let half = if d == 0 { whole / 2 } else { 0 };
        let parts = [(0, half, launch.local[d]), (half, whole - half, launch.local[d]), (whole, 1, rest)];
        parts.into_iter().filter(|&(_, count, size)| count > 0 && size > 0)
    };
    let mut dispatches = Vec::new();
    for z in runs(2) {
        for y in runs(1) {
            for x in runs(0) {
                let runs = [x, y, z];
                dispatches.push(Dispatch {
                    first: runs.map(|(first, ..)| first),
                    count: runs.map(|(_, count, _)| count),
                    local: runs.map(|(.., size)| size),
                });
            }
        }
    }
    dispatches
}

/// What the host has passed.
#[derive(Default)]
pub struct Passed {
    /// Addresses of the buffers among the arguments, 0 for others.
    pub arguments: Vec<u64>,
    push_constants: Vec<u8>,
    argument_buffer: Vec<u8>,
    bindings: HashMap<u32, u64>,
    /// Bytes of `__local` arguments.
    locals: HashMap<u32, u32>,
    implicit: HashMap<ImplicitBuffer, u64>,
    /// The buffer with the program's variables.
    pub program_variables: Option<u64>,
}

impl Passed {
    pub fn push_constants(&self, offset: u32, size: u32) -> Result<&[u8], Fault> {
        let (start, end) = (offset as usize, (offset + size) as usize);
        self.push_constants
            .get(start..end)
            .ok_or_else(|| format!("{size} bytes at {offset} are not in the push constants"))
    }

    pub fn binding(&self, binding: u32) -> Result<u64, Fault> {
        self.bindings.get(&binding).copied().ok_or_else(|| format!("nothing is bound to {binding}"))
    }

    pub fn local(&self, spec_id: u32) -> Result<u32, Fault> {
        self.locals.get(&spec_id).copied().ok_or_else(|| format!("there is no size {spec_id}"))
    }

    pub fn implicit(&self, which: ImplicitBuffer) -> Result<u64, Fault> {
        self.implicit.get(&which).copied().ok_or_else(|| format!("there is no buffer {which:?}"))
    }

    fn put(&mut self, location: ValueLocation, bytes: &[u8]) {
        let (memory, offset) = match location {
            ValueLocation::PushConstant { offset } => (&mut self.push_constants, offset as usize),
            ValueLocation::ArgumentBuffer { offset } => (&mut self.argument_buffer, offset as usize),
        };
        memory[offset..offset + bytes.len()].copy_from_slice(bytes);
    }

    fn words(&mut self, offset: Option<u32>, words: &[u32]) {
        let Some(offset) = offset else { return };
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.put(ValueLocation::PushConstant { offset }, &bytes);
    }

    fn place(&mut self, location: BufferLocation, address: u64) {
        match location {
            BufferLocation::Address { offset } => {
                self.put(ValueLocation::PushConstant { offset }, &address.to_le_bytes());
            }
            BufferLocation::Descriptor { binding } => drop(self.bindings.insert(binding, address)),
        }
    }
}

impl Machine<'_> {
    /// The parameters of a kernel before `lower-launch`.
    pub fn parameters(&mut self, kernel: &Function) -> Result<Vec<Bits>, Fault> {
        let launch = self.launch;
        let params = kernel.params.iter().zip(&launch.arguments).enumerate();
        params
            .map(|(index, (&param, argument))| {
                let ty = kernel.ty(param);
                Ok(match argument {
                    Argument::Buffer { .. } | Argument::Null => {
                        Bits::from_slice(&[self.passed.arguments[index]])
                    }
                    Argument::Local(size) => Bits::from_slice(&[self.local_memory(u64::from(*size))]),
                    // A structure is passed as a read-only copy.
                    Argument::Value(bytes) if ty.is_pointer() => {
                        Bits::from_slice(&[self.memory.add(Kind::Private, bytes.clone())])
                    }
                    Argument::Value(bytes) => compute_lanes(ty, &bytes[..ty.access_size() as usize]),
                })
            })
            .collect()
    }

    /// Passes what a test specifies; returns the addresses and sizes of the buffers.
    pub fn pass_raw(&mut self, raw: &Raw) -> Vec<(u64, usize)> {
        self.passed.push_constants.clone_from(&raw.push_constants);
        let place = |(binding, contents): &(u32, Vec<u8>)| {
            let address = self.memory.add(Kind::Global, contents.clone());
            self.passed.bindings.insert(*binding, address);
            (address, contents.len())
        };
        raw.buffers.iter().map(place).collect()
    }

    /// Passes everything that is the same for all dispatches.
    pub fn pass(&mut self, kernel: &KernelInterface, module: &ModuleInterface) -> Result<(), Fault> {
        self.flat = kernel.sub_groups;
        self.passed.push_constants = self.undefined(kernel.push_constant_size as usize);
        let spilled = kernel.argument_buffer.map_or(0, |buffer| buffer.size);
        self.passed.argument_buffer = self.undefined(spilled as usize);
        if self.launch.arguments.len() != kernel.arguments.len() {
            return Err(format!("{} arguments are described", kernel.arguments.len()));
        }
        for (index, argument) in kernel.arguments.iter().enumerate() {
            self.pass_argument(index, &argument.kind)?;
        }
        if let Some(buffer) = kernel.argument_buffer {
            let address = self.memory.add(Kind::Constant, self.passed.argument_buffer.clone());
            self.passed.place(buffer.location, address);
        }
        let launch = self.launch;
        self.passed.words(kernel.global_offset, &launch.offset);
        self.passed.words(kernel.global_size, &launch.global);
        self.passed.words(kernel.work_dim, &[launch.work_dim]);
        self.passed.words(kernel.zero, &[0]);
        self.passed.words(kernel.command_number, &[0]);
        for &(which, location) in &kernel.implicit_buffers {
            let address = match which {
                ImplicitBuffer::ProgramVariables => self.program_variables(module)?,
                ImplicitBuffer::LoopWatch => self.provide_watch(),
                // These come with the dispatch, or need the others.
                ImplicitBuffer::PrivateMemory | ImplicitBuffer::Bounds => continue,
                other => return Err(format!("the buffer {other:?} is not provided")),
            };
            self.passed.implicit.insert(which, address);
            self.passed.place(location, address);
        }
        Ok(())
    }

    /// The word of `ImplicitBuffer::LoopWatch`.
    pub fn provide_watch(&mut self) -> u64 {
        let address = self.memory.add(Kind::Global, vec![0; 4]);
        self.passed.implicit.insert(ImplicitBuffer::LoopWatch, address);
        address
    }

    /// Whether the kernel has said that a loop ended early.
    pub fn loop_ended(&self) -> Result<bool, Fault> {
        match self.passed.implicit.get(&ImplicitBuffer::LoopWatch) {
            Some(&address) => Ok(self.memory.read(address, 4)? != [0; 4]),
            None => Ok(false),
        }
    }

    fn pass_argument(&mut self, index: usize, kind: &ArgumentKind) -> Result<(), Fault> {
        let address = self.passed.arguments[index];
        match (kind, &self.launch.arguments[index]) {
            (ArgumentKind::BufferAddress { location, .. }, Argument::Buffer { .. } | Argument::Null) => {
                self.passed.put(*location, &address.to_le_bytes());
            }
            (ArgumentKind::StorageBuffer { binding, offset_location, .. }, argument) => {
                let (address, offset) = match argument {
                    Argument::Buffer { start, .. } => (address - u64::from(*start), *start),
                    _ => (self.memory.add(Kind::Global, vec![0; 16]), u32::MAX),
                };
                self.passed.bindings.insert(*binding, address);
                self.passed.put(*offset_location, &offset.to_le_bytes());
            }
            (ArgumentKind::Value { location, size }, Argument::Value(bytes)) => {
                if bytes.len() != *size as usize {
                    return Err(format!("argument {index} has {size} bytes"));
                }
                self.passed.put(*location, bytes);
            }
            (ArgumentKind::Local { spec_id, .. }, Argument::Local(bytes)) => {
                self.passed.locals.insert(*spec_id, *bytes);
            }
            (kind, argument) => return Err(format!("{argument:?} is not passed as {kind:?}")),
        }
        Ok(())
    }

    /// The buffer with the program's variables.
    fn program_variables(&mut self, module: &ModuleInterface) -> Result<u64, Fault> {
        let variables = module.program_variables.as_ref().ok_or("there are no program variables")?;
        let address = self.memory.add(Kind::Global, vec![0; variables.size as usize]);
        self.passed.program_variables = Some(address);
        self.program_size = variables.size;
        for contents in &variables.contents {
            self.memory.initialize(address + contents.offset, &contents.bytes)?;
        }
        for pointer in &variables.pointers {
            let bits = match module.addressing {
                AddressingMode::Physical => address + pointer.target,
                AddressingMode::Logical => u64::from(PROGRAM_VARIABLES_TAG) << 32 | pointer.target,
            };
            self.memory.initialize(address + pointer.offset, &bits.to_le_bytes())?;
        }
        Ok(address)
    }

    /// Passes what is specific to a dispatch.
    pub fn pass_dispatch(&mut self, kernel: &KernelInterface, dispatch: &Dispatch) -> Result<(), Fault> {
        self.passed.words(kernel.group_offset, &dispatch.first);
        let size = |size: [u32; 3]| size.iter().map(|&size| u64::from(size)).product::<u64>();
        if let Some(location) = kernel.implicit_buffer(ImplicitBuffer::PrivateMemory) {
            let bytes = self
                .undefined((size(dispatch.count) * size(dispatch.local) * kernel.private_memory) as usize);
            let address = self.memory.add(Kind::Global, bytes);
            self.passed.implicit.insert(ImplicitBuffer::PrivateMemory, address);
            self.passed.place(location, address);
        }
        if let Some(location) = kernel.implicit_buffer(ImplicitBuffer::Bounds) {
            let table: Vec<u8> =
                bounds::table(self.ranges(kernel, dispatch).into_iter()).flat_map(u64::to_le_bytes).collect();
            let address = self.memory.add(Kind::Constant, table);
            self.passed.implicit.insert(ImplicitBuffer::Bounds, address);
            self.passed.place(location, address);
        }
        Ok(())
    }

    /// The memory that the launch may reach: see `clvk_interface::bounds`.
    fn ranges(&self, kernel: &KernelInterface, dispatch: &Dispatch) -> Vec<(u64, u64)> {
        let items: u64 = dispatch.count.iter().chain(&dispatch.local).map(|&size| u64::from(size)).product();
        let of_arguments = kernel.arguments.iter().enumerate().map(|(index, argument)| {
            let (by_address, argument) = (&argument.kind, &self.launch.arguments[index]);
            match (by_address, argument) {
                (ArgumentKind::BufferAddress { .. }, Argument::Buffer { contents, start }) => {
                    (self.passed.arguments[index], contents.len() as u64 - u64::from(*start))
                }
                (_, Argument::Buffer { contents, start }) => {
                    (u64::from(*start), contents.len() as u64 - u64::from(*start))
                }
                (_, Argument::Local(bytes)) => (0, u64::from(*bytes)),
                _ => (0, 0),
            }
        });
        let of_implicit = kernel.implicit_buffers.iter().map(|&(which, location)| {
            let size = match which {
                ImplicitBuffer::LoopWatch => 4,
                ImplicitBuffer::PrivateMemory => items * kernel.private_memory,
                ImplicitBuffer::ProgramVariables => self.program_size,
                _ => 0,
            };
            let start = match location {
                BufferLocation::Address { .. } => self.passed.implicit.get(&which).copied().unwrap_or(0),
                BufferLocation::Descriptor { .. } => 0,
            };
            if size == 0 { (0, 0) } else { (start, size) }
        });
        of_arguments.chain(of_implicit).collect()
    }
}
