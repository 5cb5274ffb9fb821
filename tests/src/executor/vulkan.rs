//! Compiles programs for a Vulkan device and runs them there.

use super::alignment;
use super::protocol::{Answer, Argument, Request, from_hex, to_hex};
use crate::judge;
use crate::pipeline;
use clvk_interface::{CompiledModule, DeviceProfile};
use vk_runtime::{
    Arg, Buffer, Device, DeviceOptions, Error, Instance, InstanceOptions, LaunchConfig, Program,
};

/// A device, opened.
pub struct Executor {
    instance: Instance,
    device: Device,
    /// The profile for compilation: the device's, possibly with changes.
    profile: DeviceProfile,
    checks: Checks,
}

/// What counts as a failure besides wrong results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checks {
    /// Any message from spirv-val and the Khronos validation layer.
    pub validation: bool,
    /// Accesses that are less aligned than the module says; see [`alignment`] for the limits.
    pub alignment: bool,
}

enum Memory {
    Buffer(Buffer, bool, usize),
    Value(Vec<u8>),
    Local(u64),
}

impl Executor {
    /// Opens the device with an index. Programs are compiled as if its profile said what `assumptions` say:
    /// `KEY=VALUE`, with the value as JSON.
    ///
    /// # Errors
    /// A sentence: the device does not exist or does not open, or profiles have no such field.
    pub fn new(index: usize, checks: Checks, assumptions: &[String]) -> Result<Self, String> {
        let options = InstanceOptions { validation: checks.validation, ..InstanceOptions::default() };
        let instance = Instance::new(&options).map_err(|error| error.to_string())?;
        let devices = instance.devices().map_err(|error| error.to_string())?;
        let info = devices.get(index).ok_or_else(|| format!("there are only {} devices", devices.len()))?;
        let device = Device::new(info, &DeviceOptions::default()).map_err(|error| error.to_string())?;
        let profile = assume(device.profile(), assumptions)?;
        Ok(Executor { instance, device, profile, checks })
    }

    /// Compiles and runs a program.
    #[must_use]
    pub fn run(&self, request: &Request) -> Answer {
        let profile = &self.profile;
        let mut options = request.options.clone();
        if request.generic {
            options.extend(["-cl-std=CL2.0", "-D", "GENERIC"].map(str::to_owned));
        }
        let mut module = match pipeline::compile("test.cl", &request.source, &options, profile) {
            Ok(module) => module,
            Err(error) => return Answer::Refused(pipeline::messages(&error)),
        };
        if self.checks.validation
            && let Err(message) = judge::validate(&module, profile)
        {
            return Answer::Failed(message);
        }
        if self.checks.alignment {
            match alignment::check(&module.spirv) {
                Ok(checked) => module.spirv = checked,
                Err(message) => return Answer::Failed(message),
            }
        }
        let outcome = match memory(&self.device, request) {
            Ok(memory) => execute(&self.device, module, request, &memory).map_err(|error| error.to_string()),
            Err(error) => Err(error),
        };
        let messages: Vec<String> =
            self.instance.take_validation_messages().iter().map(ToString::to_string).collect();
        match outcome {
            _ if !messages.is_empty() => Answer::Failed(format!("validation: {}", messages.join("\n"))),
            Ok(outputs) => Answer::Outputs(outputs),
            Err(error) => Answer::Failed(error),
        }
    }
}

/// The profile with some fields changed.
fn assume(profile: &DeviceProfile, assumptions: &[String]) -> Result<DeviceProfile, String> {
    let mut fields = serde_json::to_value(profile).map_err(|error| error.to_string())?;
    for assumption in assumptions {
        let (key, value) = assumption.split_once('=').ok_or_else(|| format!("`{assumption}` lacks a `=`"))?;
        let field = fields.get_mut(key).ok_or_else(|| format!("profiles have no field `{key}`"))?;
        *field = serde_json::from_str(value).map_err(|error| format!("`{assumption}`: {error}"))?;
    }
    serde_json::from_value(fields).map_err(|error| format!("this is not a profile: {error}"))
}

fn memory(device: &Device, request: &Request) -> Result<Vec<Memory>, String> {
    request
        .arguments
        .iter()
        .map(|argument| {
            Ok(match argument {
                Argument::Buffer { contents, compare } => {
                    let contents = from_hex(contents)?;
                    let buffer = Buffer::with_data(device, &contents).map_err(|error| error.to_string())?;
                    Memory::Buffer(buffer, *compare, contents.len())
                }
                Argument::Value(bytes) => Memory::Value(from_hex(bytes)?),
                Argument::Local(bytes) => Memory::Local(*bytes as u64),
            })
        })
        .collect()
}

fn execute(
    device: &Device,
    module: CompiledModule,
    request: &Request,
    memory: &[Memory],
) -> Result<Vec<String>, Error> {
    let kernel = Program::new(device, module)?.kernel("test")?;
    let arguments: Vec<Arg<'_>> = memory
        .iter()
        .map(|memory| match memory {
            Memory::Buffer(buffer, ..) => Arg::Buffer(buffer),
            Memory::Value(bytes) => Arg::Bytes(bytes),
            Memory::Local(bytes) => Arg::Local(*bytes),
        })
        .collect();
    let size = |sizes: &[usize], dimension: usize| sizes.get(dimension).copied().unwrap_or(1);
    let config = LaunchConfig {
        work_dim: request.global.len() as u32,
        global: std::array::from_fn(|dimension| size(&request.global, dimension) as u64),
        local: Some(std::array::from_fn(|dimension| size(&request.local, dimension) as u32)),
        offset: [0; 3],
    };
    kernel.launch(&config, &arguments)?.wait()?;
    let mut outputs = Vec::new();
    for memory in memory {
        if let Memory::Buffer(buffer, true, length) = memory {
            let mut bytes = vec![0; *length];
            buffer.read(0, &mut bytes)?;
            outputs.push(to_hex(&bytes));
        }
    }
    Ok(outputs)
}
