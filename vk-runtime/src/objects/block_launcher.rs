//! Launches of the blocks that kernels of a program enqueue, for the engine (`engine::device_enqueue`).

use crate::engine::command::Command;
use crate::engine::device_enqueue::{BlockLauncher, FIRST};
use crate::engine::device_queue::{Block, DeviceQueue};
use crate::objects::arguments::{Arg, Handle};
use crate::objects::lifetime::Hold;
use crate::objects::program::Kernel;
use crate::objects::sampler::Sampler;
use crate::vulkan::error::{Error, Result};
use clvk_interface::enqueue::PROGRAM_SAMPLER;
use clvk_interface::{Argument, ArgumentKind, ProgramSampler};
use rustc_hash::FxHashMap;

/// The blocks of a program.
pub(crate) struct ProgramBlocks {
    /// A kernel of the program; blocks are found by their positions.
    kernel: Kernel,
    /// The image and sampler arguments of each command that has not ended: it may pass them on.
    handles: FxHashMap<u32, Vec<Option<Handle>>>,
}

impl ProgramBlocks {
    /// The blocks for a launch of `kernel` from the host with these arguments.
    pub(crate) fn new(kernel: &Kernel, arguments: &[Arg<'_>]) -> Self {
        let first = arguments.iter().map(Handle::of).collect();
        let hold = kernel.hold.of_launch().unwrap_or_else(Hold::none);
        let kernel = Kernel { hold, ..kernel.clone() };
        ProgramBlocks { kernel, handles: FxHashMap::from_iter([(FIRST, first)]) }
    }

    /// The images and samplers of a command.
    fn of(&self, number: u32) -> &[Option<Handle>] {
        self.handles.get(&number).map_or(&[], Vec::as_slice)
    }
}

impl BlockLauncher for ProgramBlocks {
    /// Registers the block's image and sampler arguments, which come from the command that enqueued it or
    /// from the program.
    fn adopt(&mut self, number: u32, parent: u32, block: &Block) -> Result<()> {
        let kernel = self.kernel.sibling(block.kernel)?;
        let parameters = &kernel.interface().arguments;
        let mut values = block.arguments(&value_sizes(parameters))?.into_iter();
        let unknown = || Error::DeviceQueue { reason: WRONG_ARGUMENTS };
        let known = self.of(parent);
        let mut handle = |parameter: &Argument| {
            if value_size(&parameter.kind).is_none() {
                return Ok(None);
            }
            let value = values.next().ok_or_else(unknown)?;
            if !matches!(parameter.kind, ArgumentKind::Image { .. } | ArgumentKind::Sampler { .. }) {
                return Ok(None);
            }
            let number = u32::from_le_bytes(value.try_into().map_err(|_| unknown())?);
            if number & PROGRAM_SAMPLER != 0 {
                let sampler = ProgramSampler::of_word(number & !PROGRAM_SAMPLER, 0);
                return Sampler::of_program(kernel.device(), &sampler).map(Handle::Sampler).map(Some);
            }
            known.get(number as usize).cloned().flatten().ok_or_else(unknown).map(Some)
        };
        let handles = parameters.iter().map(&mut handle).collect::<Result<_>>()?;
        self.handles.insert(number, handles);
        Ok(())
    }

    fn command(&self, number: u32, block: &Block, queue: &DeviceQueue) -> Result<Command> {
        let kernel = self.kernel.sibling(block.kernel)?;
        let parameters = &kernel.interface().arguments;
        let mut locals = block.locals.iter();
        let mut values = block.arguments(&value_sizes(parameters))?.into_iter();
        let handles = self.of(number);
        let argument = |(position, parameter): (usize, &Argument)| match parameter.kind {
            ArgumentKind::Local { .. } => locals.next().map(|&size| Arg::Local(size.into())),
            ArgumentKind::BufferAddress { .. } => {
                values.next()?.try_into().ok().map(|bytes| Arg::Address(u64::from_le_bytes(bytes)))
            }
            ArgumentKind::Image { .. } | ArgumentKind::Sampler { .. } => {
                values.next()?;
                handles.get(position)?.as_ref().map(Handle::argument)
            }
            _ => values.next().map(Arg::Bytes),
        };
        let arguments: Option<Vec<Arg<'_>>> = parameters.iter().enumerate().map(argument).collect();
        let arguments = arguments.ok_or(Error::DeviceQueue { reason: WRONG_ARGUMENTS })?;
        Command::launch_of_family(&kernel, &block.config(), &arguments, queue, number)
    }

    fn forget(&mut self, number: u32) {
        self.handles.remove(&number);
    }
}

const WRONG_ARGUMENTS: &str = "the arguments do not match those of the block";

/// Bytes of an argument among the values that a block holds; none for local memory.
fn value_size(kind: &ArgumentKind) -> Option<u32> {
    match *kind {
        ArgumentKind::Value { size, .. } => Some(size),
        ArgumentKind::BufferAddress { .. } => Some(8),
        ArgumentKind::Image { .. } | ArgumentKind::Sampler { .. } => Some(4),
        _ => None,
    }
}

fn value_sizes(parameters: &[Argument]) -> Vec<u32> {
    parameters.iter().filter_map(|parameter| value_size(&parameter.kind)).collect()
}
