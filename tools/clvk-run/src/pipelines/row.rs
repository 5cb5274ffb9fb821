//! What a driver made of a kernel, as data.

use clvk::runtime::{CompiledPipeline, Executable, ExecutableCost, StatisticValue};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One kernel on one device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The file, as it was named.
    pub file: String,
    /// Empty if the file does not compile, so that its kernels are not known.
    pub kernel: String,
    /// The device's name.
    pub device: String,
    /// The driver's name and version.
    pub driver: String,
    /// The profile that the kernel was compiled for, if it is not the device's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// What became of it.
    pub outcome: Outcome,
    /// Why it was not compiled.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
    /// The work-group size; zeros if nothing was compiled.
    pub local_size: [u32; 3],
    /// How long the driver compiled, in seconds.
    pub seconds: f64,
    /// What the kernel costs, as far as the driver says so.
    pub cost: Cost,
    /// What the driver says itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub executables: Vec<Program>,
}

/// What became of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The driver compiled it.
    Compiled,
    /// clvk did not translate it for the device, or the device cannot launch it.
    Refused,
    /// The driver reported an error.
    Failed,
    /// The driver crashed.
    Crashed,
    /// The driver did not finish in time.
    TimedOut,
}

impl Outcome {
    /// The outcome in words.
    pub fn word(self) -> &'static str {
        match self {
            Outcome::Compiled => "compiled",
            Outcome::Refused => "refused",
            Outcome::Failed => "failed",
            Outcome::Crashed => "crashed",
            Outcome::TimedOut => "timed out",
        }
    }
}

/// [`ExecutableCost`] as JSON has it; what the driver does not say is left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Cost {
    /// Registers of a work-item.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub registers: Option<u64>,
    /// Registers that a sub-group shares.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shared_registers: Option<u64>,
    /// Registers that went to memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spills: Option<u64>,
    /// Instructions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<u64>,
    /// Bytes of machine code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code_size: Option<u64>,
    /// Bytes of memory of a work-item.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scratch: Option<u64>,
    /// Bytes of local memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub local_memory: Option<u64>,
    /// Sub-groups that a core holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sub_groups_in_flight: Option<u64>,
    /// Cycles, as the driver estimates them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycles: Option<u64>,
}

impl From<ExecutableCost> for Cost {
    fn from(from: ExecutableCost) -> Self {
        Cost {
            registers: from.registers,
            shared_registers: from.shared_registers,
            spills: from.spills,
            instructions: from.instructions,
            code_size: from.code_size,
            scratch: from.scratch,
            local_memory: from.local_memory,
            sub_groups_in_flight: from.sub_groups_in_flight,
            cycles: from.cycles,
        }
    }
}

/// One of the programs that the driver made of a kernel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Program {
    /// The driver's name for it.
    pub name: String,
    /// Work-items of a sub-group; 0 if the driver does not say.
    pub subgroup_size: u32,
    /// The driver's statistics by their names.
    pub statistics: BTreeMap<String, serde_json::Value>,
}

impl From<&Executable> for Program {
    fn from(from: &Executable) -> Self {
        let value = |value| match value {
            StatisticValue::Bool(value) => value.into(),
            StatisticValue::Int(value) => value.into(),
            StatisticValue::Uint(value) => value.into(),
            StatisticValue::Float(value) => value.into(),
        };
        let statistics = from.statistics.iter().map(|it| (it.name.clone(), value(it.value)));
        Program {
            name: from.name.clone(),
            subgroup_size: from.subgroup_size,
            statistics: statistics.collect(),
        }
    }
}

impl Row {
    /// With what the driver made of the kernel.
    pub fn compiled(mut self, pipeline: &CompiledPipeline) -> Self {
        self.outcome = Outcome::Compiled;
        self.local_size = pipeline.local_size;
        self.seconds = pipeline.compile_time.as_secs_f64();
        self.cost = pipeline.cost().into();
        self.executables = pipeline.executables.iter().map(Program::from).collect();
        self
    }

    /// With the reasons why nothing was compiled.
    pub fn stopped(mut self, outcome: Outcome, reasons: Vec<String>) -> Self {
        (self.outcome, self.reasons) = (outcome, reasons);
        self
    }
}
