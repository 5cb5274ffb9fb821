//! Writes a case into a folder, so that another OpenCL implementation can run exactly the same.
//!
//! `FOLDER/NAME/case.json` describes everything (see [`CaseFile`]). Beside it are the kernel source and, as
//! raw little-endian bytes, the contents of every resource before the run and the expected outputs.

use crate::case::{Addressing, Argument, Case, Launch, Output, ResourceKind, Tolerance};
use clvk_interface::ScalarType;
use serde::Serialize;
use std::fs;
use std::io;
use std::path::Path;

/// Contents of `case.json`.
#[derive(Debug, Serialize)]
pub struct CaseFile {
    name: String,
    source: String,
    options: Vec<String>,
    bytes: u64,
    operations: u64,
    resources: Vec<ResourceEntry>,
    launches: Vec<LaunchEntry>,
    outputs: Vec<OutputEntry>,
}

#[derive(Debug, Serialize)]
struct ResourceEntry {
    name: String,
    file: String,
    size: usize,
    #[serde(flatten)]
    kind: KindEntry,
}

#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
enum KindEntry {
    Buffer { record: Vec<ScalarType> },
    ImageRgba8 { width: usize, height: usize, written: bool },
}

#[derive(Debug, Serialize)]
struct LaunchEntry {
    kernel: String,
    global: Vec<usize>,
    local: Vec<usize>,
    offset: Vec<usize>,
    arguments: Vec<ArgumentEntry>,
}

#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
enum ArgumentEntry {
    Resource { index: usize },
    Value { hex: String },
    Local { bytes: usize },
    Null,
    Sampler { addressing: &'static str, filter: &'static str, normalized: bool },
}

#[derive(Debug, Serialize)]
struct OutputEntry {
    resource: usize,
    file: String,
    tolerance: ToleranceEntry,
    reason: String,
    picture: Option<(usize, usize)>,
}

#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
enum ToleranceEntry {
    Exact,
    Float { absolute: f64, relative: f64 },
    Steps { steps: u64 },
}

/// Writes `case` into its own folder under `folder`.
///
/// # Errors
/// If a file cannot be written or the kernel source cannot be read.
pub fn write(case: &Case, folder: &Path) -> io::Result<()> {
    let folder = folder.join(&case.name);
    fs::create_dir_all(&folder)?;
    let source = format!("{}.cl", case.name);
    fs::copy(case.source_path(), folder.join(&source))?;

    let mut resources = Vec::new();
    for (index, resource) in case.resources.iter().enumerate() {
        let file = format!("{index}-{}.bin", resource.name);
        fs::write(folder.join(&file), &resource.data)?;
        let kind = kind_entry(&resource.kind);
        resources.push(ResourceEntry { name: resource.name.clone(), file, size: resource.data.len(), kind });
    }
    let mut outputs = Vec::new();
    for output in &case.outputs {
        let file = format!("{}-expected.bin", output.resource.0);
        fs::write(folder.join(&file), &output.expected)?;
        outputs.push(output_entry(output, file));
    }
    let description = CaseFile {
        name: case.name.clone(),
        source,
        options: case.options.clone(),
        bytes: case.work.bytes,
        operations: case.work.operations,
        resources,
        launches: case.launches.iter().map(launch_entry).collect(),
        outputs,
    };
    fs::write(folder.join("case.json"), serde_json::to_vec_pretty(&description)?)
}

fn kind_entry(kind: &ResourceKind) -> KindEntry {
    match *kind {
        ResourceKind::Buffer { ref record } => KindEntry::Buffer { record: record.clone() },
        ResourceKind::ImageRgba8 { width, height, written } => {
            KindEntry::ImageRgba8 { width, height, written }
        }
    }
}

fn launch_entry(launch: &Launch) -> LaunchEntry {
    LaunchEntry {
        kernel: launch.kernel.clone(),
        global: launch.global.clone(),
        local: launch.local.clone(),
        offset: launch.offset.clone(),
        arguments: launch.arguments.iter().map(argument_entry).collect(),
    }
}

fn argument_entry(argument: &Argument) -> ArgumentEntry {
    match argument {
        Argument::Resource(id) => ArgumentEntry::Resource { index: id.0 },
        Argument::Value(bytes) => {
            ArgumentEntry::Value { hex: bytes.iter().map(|byte| format!("{byte:02x}")).collect() }
        }
        Argument::Local(bytes) => ArgumentEntry::Local { bytes: *bytes },
        Argument::Null => ArgumentEntry::Null,
        Argument::Sampler(sampler) => ArgumentEntry::Sampler {
            addressing: match sampler.addressing {
                Addressing::Clamp => "clamp",
                Addressing::ClampToEdge => "clamp-to-edge",
            },
            filter: if sampler.linear { "linear" } else { "nearest" },
            normalized: sampler.normalized,
        },
    }
}

fn output_entry(output: &Output, file: String) -> OutputEntry {
    OutputEntry {
        resource: output.resource.0,
        file,
        tolerance: match output.tolerance {
            Tolerance::Exact => ToleranceEntry::Exact,
            Tolerance::Float { absolute, relative } => ToleranceEntry::Float { absolute, relative },
            Tolerance::Steps(steps) => ToleranceEntry::Steps { steps },
        },
        reason: output.reason.clone(),
        picture: output.picture,
    }
}
