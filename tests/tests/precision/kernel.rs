//! The kernel that calls a function on every input.

use crate::number::Format;
use crate::subject::{Slot, Subject};
use std::fmt::Write;

impl Slot {
    /// Its scalar type in OpenCL C.
    pub fn type_name(self, format: Format) -> &'static str {
        match (self, format) {
            (Slot::Real, _) => format.name(),
            (Slot::Int, _) => "int",
            (Slot::Code, Format::Half) => "ushort",
            (Slot::Code, Format::Single) => "uint",
            (Slot::Code, Format::Double) => "ulong",
        }
    }

    /// Size of its scalar type in bytes.
    pub fn size(self, format: Format) -> usize {
        match self {
            Slot::Int => 4,
            Slot::Real | Slot::Code => format.size(),
        }
    }
}

/// The source of a kernel `measure`, with a buffer for each parameter and then one for each result, lane
/// after lane. The function's pointers point to private memory.
pub fn source(subject: &Subject) -> String {
    let mut text = String::new();
    match subject.format {
        Format::Half => text += "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n",
        Format::Double => text += "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n",
        Format::Single => {}
    }
    let parameters: Vec<String> = (subject.params.iter().enumerate())
        .map(|(index, slot)| format!("global const {} *a{index}", slot.type_name(subject.format)))
        .chain(
            subject
                .results
                .iter()
                .enumerate()
                .map(|(index, (slot, _))| format!("global {} *r{index}", slot.type_name(subject.format))),
        )
        .collect();
    let _ = writeln!(text, "kernel void measure({})\n{{", parameters.join(", "));
    text += "    size_t i = get_global_id(0);\n";
    let mut arguments: Vec<String> =
        (0..subject.params.len()).map(|index| argument(subject, index)).collect();
    for (index, &(slot, by_lane)) in subject.results.iter().enumerate() {
        let _ = writeln!(text, "    {} v{index};", vector(slot, subject, by_lane));
        if index > 0 {
            arguments.push(format!("&v{index}"));
        }
    }
    let call = match subject.name.strip_prefix("operator") {
        Some("*+") => format!("{} * {} + {}", arguments[0], arguments[1], arguments[2]),
        Some(operator) => arguments.join(&format!(" {operator} ")),
        None => format!("{}({})", subject.name, arguments.join(", ")),
    };
    let _ = writeln!(text, "    v0 = {call};");
    for (index, &(_, by_lane)) in subject.results.iter().enumerate() {
        if subject.lanes == 1 || !by_lane {
            let _ = writeln!(text, "    r{index}[i] = v{index};");
            continue;
        }
        for lane in 0..subject.lanes {
            let _ = writeln!(text, "    r{index}[{0} * i + {lane}] = v{index}.s{lane};", subject.lanes);
        }
    }
    text + "}\n"
}

fn vector(slot: Slot, subject: &Subject, by_lane: bool) -> String {
    let scalar = slot.type_name(subject.format);
    if subject.lanes == 1 || !by_lane { scalar.to_owned() } else { format!("{scalar}{}", subject.lanes) }
}

fn argument(subject: &Subject, index: usize) -> String {
    let lanes = subject.lanes;
    if lanes == 1 {
        return format!("a{index}[i]");
    }
    let parts: Vec<String> = (0..lanes).map(|lane| format!("a{index}[{lanes} * i + {lane}]")).collect();
    format!("({})({})", vector(subject.params[index], subject, true), parts.join(", "))
}
