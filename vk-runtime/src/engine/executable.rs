//! What the driver made of a kernel (`VK_KHR_pipeline_executable_properties`): its executables with the
//! driver's own statistics, and the few numbers that most drivers give under names of their own.
//!
//! Only a device that was opened to compile reports them ([`Purpose::Compile`]).
//!
//! [`Purpose::Compile`]: crate::vulkan::logical_device::Purpose::Compile

use crate::engine::pipeline::Pipeline;
use crate::vulkan::error::{Error, Result};
use crate::vulkan::logical_device::LogicalDevice;
use ash::vk;
use std::ffi::CStr;
use std::fmt;

/// One of the programs that a driver made of a kernel. Most drivers make one; some make one for each
/// sub-group size, and choose when the kernel is launched.
#[derive(Clone, Debug, PartialEq)]
pub struct Executable {
    /// The driver's name for it.
    pub name: String,
    /// The driver's description of it.
    pub description: String,
    /// Work-items of a sub-group; 0 if the driver does not say.
    pub subgroup_size: u32,
    /// What the driver counts, in its order.
    pub statistics: Vec<Statistic>,
    /// Its code, if that was asked for, in the driver's order: usually from its own intermediate languages to
    /// the machine's.
    pub representations: Vec<Representation>,
}

/// The code of an executable, in one of the driver's languages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Representation {
    /// The driver's name for the language, such as `NIR Shader(s)`.
    pub name: String,
    /// The driver's description of it.
    pub description: String,
    /// Whether it is text.
    pub is_text: bool,
    /// The code.
    pub data: Vec<u8>,
}

/// A number that a driver gives for an executable.
#[derive(Clone, Debug, PartialEq)]
pub struct Statistic {
    /// The driver's name for it, such as `VGPRs`.
    pub name: String,
    /// The driver's description of it.
    pub description: String,
    /// The number.
    pub value: StatisticValue,
}

/// The value of a [`Statistic`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StatisticValue {
    /// A flag.
    Bool(bool),
    /// A signed number.
    Int(i64),
    /// An unsigned number.
    Uint(u64),
    /// A floating-point number.
    Float(f64),
}

impl StatisticValue {
    /// The value as a count; `None` for flags, fractions and negative numbers.
    #[must_use]
    pub fn count(self) -> Option<u64> {
        match self {
            StatisticValue::Uint(value) => Some(value),
            StatisticValue::Int(value) => u64::try_from(value).ok(),
            StatisticValue::Float(value) => {
                // Whole numbers up to 2^53 are exact.
                (value.fract() == 0.0 && (0.0..9e15).contains(&value)).then_some(value as u64)
            }
            StatisticValue::Bool(_) => None,
        }
    }
}

impl fmt::Display for StatisticValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StatisticValue::Bool(value) => value.fmt(f),
            StatisticValue::Int(value) => value.fmt(f),
            StatisticValue::Uint(value) => value.fmt(f),
            StatisticValue::Float(value) => value.fmt(f),
        }
    }
}

/// What a kernel costs on a GPU, as far as its driver says so.
///
/// Registers and instructions of different vendors are different things: compare a kernel with itself on one
/// GPU, not two GPUs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExecutableCost {
    /// Instructions, each counted once.
    pub instructions: Option<u64>,
    /// Bytes of machine code.
    pub code_size: Option<u64>,
    /// Registers of a work-item.
    pub registers: Option<u64>,
    /// Registers that the work-items of a sub-group share, on GPUs that have them.
    pub shared_registers: Option<u64>,
    /// Registers, or stores of them, that went to memory because there were too few.
    pub spills: Option<u64>,
    /// Bytes of memory of a work-item for spilled registers and private arrays.
    pub scratch: Option<u64>,
    /// Bytes of local memory of a work-group.
    pub local_memory: Option<u64>,
    /// Sub-groups that a core holds at a time, as the driver counts cores.
    pub sub_groups_in_flight: Option<u64>,
    /// Cycles, as the driver estimates them.
    pub cycles: Option<u64>,
}

/// A number of [`ExecutableCost`], and the drivers' names for it.
struct Row {
    field: fn(&mut ExecutableCost) -> &mut Option<u64>,
    /// In lower case. If a driver gives several, they are added.
    names: &'static [&'static str],
}

/// The names of Mesa's drivers and of NVIDIA's.
const ROWS: &[Row] = &[
    Row {
        field: |cost| &mut cost.instructions,
        names: &["instructions", "instruction count", "instrs", "qpu instruction count"],
    },
    Row { field: |cost| &mut cost.code_size, names: &["code size", "binary size"] },
    Row {
        field: |cost| &mut cost.registers,
        names: &[
            "vgprs",
            "registers used",
            "number of gprs",
            "gprs",
            "register count",
            "max live registers",
            "work registers",
            "registers",
        ],
    },
    Row { field: |cost| &mut cost.shared_registers, names: &["sgprs", "uniforms", "uniform registers"] },
    Row {
        field: |cost| &mut cost.spills,
        names: &["spilled sgprs", "spilled vgprs", "spill count", "spills", "spills to memory", "tmu spills"],
    },
    Row {
        field: |cost| &mut cost.scratch,
        names: &[
            "scratch size",
            "scratch memory size",
            "scratch",
            "slm size",
            "stack size",
            "spill size",
            "private memory size",
        ],
    },
    Row {
        field: |cost| &mut cost.local_memory,
        names: &[
            "lds size",
            "workgroup memory size",
            "shared memory size",
            "shared size",
            "local memory size",
        ],
    },
    Row {
        field: |cost| &mut cost.sub_groups_in_flight,
        names: &["subgroups per simd", "max waves per core", "max warps/sm", "max warps per sm"],
    },
    Row {
        field: |cost| &mut cost.cycles,
        names: &["latency", "cycle count", "static cycle count", "estimated cycles"],
    },
];

impl ExecutableCost {
    /// The cost of an executable, from the statistics whose meaning is known.
    #[must_use]
    pub fn of(executable: &Executable) -> Self {
        let mut cost = ExecutableCost::default();
        for statistic in &executable.statistics {
            let name = statistic.name.trim().to_ascii_lowercase();
            let row = ROWS.iter().find(|row| row.names.contains(&name.as_str()));
            if let (Some(row), Some(count)) = (row, statistic.value.count()) {
                let field = (row.field)(&mut cost);
                *field = Some(field.unwrap_or(0).saturating_add(count));
            }
        }
        cost
    }

    /// The larger of each number, except for the sub-groups in flight, which are the fewer.
    #[must_use]
    pub fn worst(mut self, mut other: Self) -> Self {
        let fewer = match (self.sub_groups_in_flight, other.sub_groups_in_flight) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        for row in ROWS {
            let (mine, others) = ((row.field)(&mut self), (row.field)(&mut other));
            *mine = (*mine).max(*others);
        }
        self.sub_groups_in_flight = fewer;
        self
    }
}

/// What the driver made of a pipeline; nothing if it does not say. Its code is there only if the pipeline was
/// made to keep it.
pub(crate) fn executables(
    logical: &LogicalDevice,
    pipeline: &Pipeline,
    with_code: bool,
) -> Result<Vec<Executable>> {
    let Some(extension) = logical.executable_extension() else { return Ok(Vec::new()) };
    let failed = || Error::vulkan("report what it made of the kernel");
    let info = vk::PipelineInfoKHR::default().pipeline(pipeline.raw());
    // SAFETY: the extension and its feature are enabled where its functions are there, and the pipeline is of
    // this device (VUID-vkGetPipelineExecutablePropertiesKHR-pipelineExecutableInfo-03270).
    let found = unsafe { extension.get_pipeline_executable_properties(&info) }.map_err(failed())?;
    let mut executables = Vec::new();
    for (index, properties) in (0u32..).zip(&found) {
        let info = vk::PipelineExecutableInfoKHR::default().pipeline(pipeline.raw()).executable_index(index);
        // SAFETY: as above; the pipeline was made with the flag that keeps its statistics
        // (VUID-vkGetPipelineExecutableStatisticsKHR-pipeline-03274), and has an executable of this index.
        let statistics = unsafe { extension.get_pipeline_executable_statistics(&info) }.map_err(failed())?;
        let representations = if with_code { representations(logical, &info)? } else { Vec::new() };
        executables.push(Executable {
            name: text(properties.name_as_c_str()),
            description: text(properties.description_as_c_str()),
            subgroup_size: properties.subgroup_size,
            statistics: statistics.iter().map(statistic).collect(),
            representations,
        });
    }
    Ok(executables)
}

/// The code of an executable of a pipeline that keeps it.
fn representations(
    logical: &LogicalDevice,
    info: &vk::PipelineExecutableInfoKHR<'_>,
) -> Result<Vec<Representation>> {
    let Some(extension) = logical.executable_extension() else { return Ok(Vec::new()) };
    let failed = || Error::vulkan("show its code of the kernel");
    // SAFETY: as for statistics; the pipeline was made with the flag that keeps its representations
    // (VUID-vkGetPipelineExecutableInternalRepresentationsKHR-pipeline-03278).
    let sizes = unsafe { extension.get_pipeline_executable_internal_representations(info) };
    let mut found = sizes.map_err(failed())?;
    let mut texts: Vec<Vec<u8>> = found.iter().map(|it| vec![0; it.data_size]).collect();
    for (representation, text) in found.iter_mut().zip(&mut texts) {
        representation.p_data = text.as_mut_ptr().cast();
    }
    let mut count = found.len() as u32;
    let get = extension.fp().get_pipeline_executable_internal_representations_khr;
    // SAFETY: as above; there are `count` structures, each with as many bytes of memory as it says.
    let result = unsafe { get(logical.raw().handle(), info, &mut count, found.as_mut_ptr()) };
    result.result().map_err(failed())?;
    let read = |(from, mut data): (&vk::PipelineExecutableInternalRepresentationKHR<'_>, Vec<u8>)| {
        data.truncate(from.data_size);
        let is_text = from.is_text != 0;
        // Texts end with a zero.
        if is_text {
            data.truncate(data.iter().position(|&byte| byte == 0).unwrap_or(data.len()));
        }
        Representation {
            name: text(from.name_as_c_str()),
            description: text(from.description_as_c_str()),
            is_text,
            data,
        }
    };
    Ok(found.iter().zip(texts).map(read).collect())
}

fn statistic(from: &vk::PipelineExecutableStatisticKHR<'_>) -> Statistic {
    // SAFETY: `format` says which member of the union the driver wrote.
    let value = unsafe {
        match from.format {
            vk::PipelineExecutableStatisticFormatKHR::BOOL32 => StatisticValue::Bool(from.value.b32 != 0),
            vk::PipelineExecutableStatisticFormatKHR::INT64 => StatisticValue::Int(from.value.i64),
            vk::PipelineExecutableStatisticFormatKHR::FLOAT64 => StatisticValue::Float(from.value.f64),
            _ => StatisticValue::Uint(from.value.u64),
        }
    };
    Statistic { name: text(from.name_as_c_str()), description: text(from.description_as_c_str()), value }
}

/// A text of the driver.
fn text(from: std::result::Result<&CStr, core::ffi::FromBytesUntilNulError>) -> String {
    from.map_or(String::new(), |text| text.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn executable(statistics: &[(&str, u64)]) -> Executable {
        let statistic = |&(name, value): &(&str, u64)| Statistic {
            name: name.to_owned(),
            description: String::new(),
            value: StatisticValue::Uint(value),
        };
        let statistics = statistics.iter().map(statistic).collect();
        Executable {
            name: String::new(),
            description: String::new(),
            subgroup_size: 0,
            statistics,
            representations: vec![],
        }
    }

    #[test]
    fn the_names_of_drivers_are_known() {
        let radv = executable(&[
            ("SGPRs", 24),
            ("VGPRs", 12),
            ("Spilled SGPRs", 3),
            ("Spilled VGPRs", 4),
            ("Instructions", 99),
            ("Hash", 77),
        ]);
        let cost = ExecutableCost::of(&radv);
        assert_eq!((cost.registers, cost.shared_registers), (Some(12), Some(24)));
        assert_eq!((cost.spills, cost.instructions), (Some(7), Some(99)));
        assert_eq!((cost.code_size, cost.cycles), (None, None), "the driver does not say");
        let anv = ExecutableCost::of(&executable(&[("Instruction Count", 5), ("Spill Count", 0)]));
        assert_eq!((anv.instructions, anv.spills), (Some(5), Some(0)));
    }

    #[test]
    fn the_worst_of_two_has_the_larger_numbers_and_fewer_sub_groups() {
        let a = ExecutableCost::of(&executable(&[("VGPRs", 8), ("Subgroups per SIMD", 16)]));
        let b = ExecutableCost::of(&executable(&[("VGPRs", 128), ("Subgroups per SIMD", 4), ("Latency", 7)]));
        for worst in [a.worst(b), b.worst(a)] {
            assert_eq!((worst.registers, worst.sub_groups_in_flight), (Some(128), Some(4)));
            assert_eq!(worst.cycles, Some(7));
        }
    }

    #[test]
    fn only_whole_numbers_are_counts() {
        assert_eq!(StatisticValue::Int(-1).count(), None);
        assert_eq!(StatisticValue::Float(2.5).count(), None);
        assert_eq!(StatisticValue::Float(3.0).count(), Some(3));
        assert_eq!(StatisticValue::Bool(true).count(), None);
    }
}
