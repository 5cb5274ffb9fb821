//! Large copies and fills within the device by kernels, where the driver's own are slow
//! ([`Quirk::SlowTransfers`]).
//!
//! The kernels are written in OpenCL C (`kernels/transfer.cl`) and need buffer addresses and 64-bit integers.
//! Their SPIR-V is checked in, so the runtime needs no compiler; a test of the workspace
//! (`tests/tests/transfer_kernels.rs`) compiles them again and compares. The driver does what they cannot do:
//! odd bytes, long patterns and small amounts.

use crate::engine::buffer::BufferInner;
use crate::engine::command::{Command, Kind};
use crate::engine::nd_range::LaunchConfig;
use crate::engine::transfer::{Pitches, Shape};
use crate::objects::arguments::Arg;
use crate::objects::buffer::Buffer;
use crate::objects::device::Device;
use crate::objects::program::Program;
use crate::vulkan::error::Error;
use crate::vulkan::handle::lock;
use clvk_interface::{AddressingMode, CompiledModule, ModuleInterface, Quirk};
use smallvec::SmallVec;
use std::sync::Arc;

/// Smaller transfers are left to the driver.
const LEAST: u64 = 1 << 20;

/// The kernels, for every device with buffer addresses and 64-bit integers. Their names end in the number of
/// bytes that a work-item moves.
pub(crate) fn compiled() -> CompiledModule {
    let bytes = include_bytes!("../../kernels/transfer.spv");
    let words = bytes.as_chunks().0;
    let spirv = words.iter().map(|&word| u32::from_le_bytes(word)).collect();
    let interface: ModuleInterface = serde_json::from_str(include_str!("../../kernels/transfer.json"))
        .expect("the interface is of this version of the crate: a test reads it");
    CompiledModule { spirv, interface, sanitized: None, measured: None }
}

/// The kernels on a device. The queues of a device share them and keep them alive.
pub(crate) struct TransferKernels {
    program: Program,
}

impl TransferKernels {
    /// The kernels, if this device should use them.
    pub(crate) fn of(device: &Device) -> Option<Arc<TransferKernels>> {
        let profile = device.profile();
        let wanted = profile.has(Quirk::SlowTransfers) || device.shared.options.always_move;
        if !wanted || profile.addressing() != AddressingMode::Physical {
            return None;
        }
        let mut known = lock(&device.shared.transfer_kernels);
        if let Some(kernels) = known.upgrade() {
            return Some(kernels);
        }
        let program = Program::new(device, compiled());
        let program =
            program.inspect_err(|error| tracing::error!(%error, "the transfer kernels are not available"));
        let kernels = Arc::new(TransferKernels { program: program.ok()? });
        *known = Arc::downgrade(&kernels);
        Some(kernels)
    }

    /// The launch that does the same as a command; `None` if the command should stay as it is.
    pub(crate) fn launch(&self, command: &Command) -> Option<Command> {
        let launch = match &command.kind {
            Kind::CopyBuffer { source, destination, from, to, shape, within: true } => {
                self.copy((source, *from), (destination, *to), *shape)
            }
            Kind::FillBuffer { buffer, offset, size, pattern } if *size >= LEAST => {
                let pattern = pattern.repeated::<16>()?;
                let whole = offset.is_multiple_of(16) && size.is_multiple_of(16);
                let config = LaunchConfig::linear(size / 16);
                let target = self.buffer(buffer);
                let arguments = [Arg::BufferAt(&target, *offset), Arg::Bytes(&pattern)];
                whole.then(|| self.command("fill16", &config, &arguments))
            }
            _ => None,
        }?;
        let mut launch =
            launch.inspect_err(|error| tracing::error!(%error, "a transfer by a kernel failed")).ok()?;
        if let Kind::Launch(launch) = &mut launch.kind {
            // The bytes that are actually accessed.
            launch.encoded.accesses = SmallVec::from(command.accesses());
        }
        Some(launch)
    }

    fn copy(
        &self,
        (source, (from, a)): (&Arc<BufferInner>, (u64, Pitches)),
        (destination, (to, b)): (&Arc<BufferInner>, (u64, Pitches)),
        shape: Shape,
    ) -> Option<Result<Command, Error>> {
        if shape.size() < LEAST {
            return None;
        }
        let (source, destination) = (self.buffer(source), self.buffer(destination));
        let arguments = [Arg::BufferAt(&source, from), Arg::BufferAt(&destination, to)];
        if a.is_packed(shape) && b.is_packed(shape) {
            let unit = unit(&[from, to, shape.size()])?;
            let name = if unit == 16 { "copy16" } else { "copy4" };
            let config = LaunchConfig::linear(shape.size() / unit);
            return Some(self.command(name, &config, &arguments));
        }
        let steps = [a.row, a.slice, b.row, b.slice];
        let unit = unit(&[from, to, shape.row, steps[0], steps[1], steps[2], steps[3]])?;
        let name = if unit == 16 { "copy_box16" } else { "copy_box4" };
        let pitches = steps.map(|bytes| (bytes / unit).to_le_bytes());
        let config = LaunchConfig::spatial(shape.row / unit, shape.rows, shape.slices);
        let [source, destination] = arguments;
        Some(self.command(name, &config, &[source, destination, Arg::Bytes(pitches.as_flattened())]))
    }

    fn command(&self, name: &str, config: &LaunchConfig, arguments: &[Arg<'_>]) -> Result<Command, Error> {
        Command::launch(&self.program.kernel(name)?, config, arguments)
    }

    fn buffer(&self, inner: &Arc<BufferInner>) -> Buffer {
        Buffer::whole(self.program.device(), Arc::clone(inner))
    }
}

/// The largest unit that divides all these numbers of bytes.
fn unit(bytes: &[u64]) -> Option<u64> {
    [16, 4].into_iter().find(|&unit| bytes.iter().all(|bytes| bytes.is_multiple_of(unit)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::spirv;

    #[test]
    fn every_kernel_is_there() {
        let module = compiled();
        let names: Vec<&str> = module.interface.kernels.iter().map(|kernel| kernel.name.as_str()).collect();
        assert_eq!(names, ["copy16", "copy4", "copy_box16", "copy_box4", "fill16"]);
        let summary = spirv::summarise(&module.spirv).expect("it is SPIR-V");
        assert_eq!(summary.entry_points, names);
        assert_eq!(module.interface.addressing, AddressingMode::Physical);
    }
}
