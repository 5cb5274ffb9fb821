//! The tables of a program in C (`clvk_program_data.h` defines their types): the interface and the SPIR-V of
//! each variant, and what drivers do wrong and promise.

use crate::devices::kebab;
use crate::export::variant::Variant;
use clvk::interface::{
    AddressingMode, Argument, ArgumentKind, BufferLocation, Guarantee, ImageAccess, ImageDimension,
    ImageQuery, ImplicitBuffer, KernelInterface, LocalSize, ProgramVariables, Quirk, SamplerAddressing,
    SamplerSource, ValueLocation,
};
use std::fmt::Write as _;

/// The offset of what a kernel does not use.
const NOWHERE: &str = "CLVK_NOWHERE";

/// Appends a formatted line.
macro_rules! line {
    ($out:expr, $($arg:tt)*) => {{
        use std::fmt::Write as _;
        writeln!($out, $($arg)*).expect("a string takes everything");
    }};
}
pub(super) use line;

/// A string of C. Every other character is written as it is, since sources are UTF-8.
pub fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            // No digit can follow an octal escape of three digits.
            c if c.is_ascii_control() => {
                write!(out, "\\{:03o}", c as u32).expect("a string takes everything")
            }
            // Trigraphs.
            '?' => out.push_str("\\?"),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// The words of a module, as an array.
fn words(out: &mut String, name: &str, spirv: &[u32]) {
    line!(out, "static const uint32_t {name}[{}] = {{", spirv.len());
    for row in spirv.chunks(10) {
        let row: Vec<String> = row.iter().map(|word| format!("0x{word:08x}")).collect();
        line!(out, "  {},", row.join(", "));
    }
    line!(out, "}};\n");
}

/// The file with the SPIR-V of all variants.
pub fn spirv_header(variants: &[Variant]) -> String {
    let mut out =
        String::from("/* The SPIR-V of each variant; the files in the folder `spirv` are the same. */\n\n");
    for (index, variant) in variants.iter().enumerate() {
        line!(out, "/* {} */", variant.name);
        words(&mut out, &format!("variant_{index}_spirv"), variant.program.spirv());
    }
    out
}

fn location(location: ValueLocation) -> String {
    match location {
        ValueLocation::PushConstant { offset } => offset.to_string(),
        ValueLocation::ArgumentBuffer { offset } => format!("{offset} | CLVK_SPILLED"),
    }
}

fn push(offset: Option<u32>) -> String {
    offset.map_or(NOWHERE.to_owned(), |offset| offset.to_string())
}

fn place(location: Option<BufferLocation>) -> String {
    match location {
        None => "{CLVK_PLACE_NONE, 0}".to_owned(),
        Some(BufferLocation::Address { offset }) => format!("{{CLVK_PLACE_ADDRESS, {offset}}}"),
        Some(BufferLocation::Descriptor { binding }) => format!("{{CLVK_PLACE_DESCRIPTOR, {binding}}}"),
    }
}

fn dimension(dimension: ImageDimension) -> &'static str {
    match dimension {
        ImageDimension::D1 => "CLVK_IMAGE_1D",
        ImageDimension::D1Array => "CLVK_IMAGE_1D_ARRAY",
        ImageDimension::D2 => "CLVK_IMAGE_2D",
        ImageDimension::D2Array => "CLVK_IMAGE_2D_ARRAY",
        ImageDimension::D3 => "CLVK_IMAGE_3D",
        ImageDimension::D1Buffer => unreachable!("`check` refuses images made from buffers"),
    }
}

fn access(access: ImageAccess) -> &'static str {
    match access {
        ImageAccess::ReadOnly => "CLVK_READ_ONLY",
        ImageAccess::WriteOnly => "CLVK_WRITE_ONLY",
        ImageAccess::ReadWrite => "CLVK_READ_WRITE",
    }
}

/// The alignment of what a pointer points to; 0 if it is not known.
fn alignment(argument: &Argument) -> u32 {
    let lanes = if argument.lanes == 3 { 4 } else { argument.lanes };
    argument.element.size().map_or(0, |size| size * lanes)
}

fn parameter(out: &mut String, argument: &Argument) {
    let text = match &argument.kind {
        ArgumentKind::BufferAddress { location: at, .. } => format!(
            ".kind = CLVK_PARAMETER_ADDRESS, .offset = {}, .alignment = {}",
            location(*at),
            alignment(argument)
        ),
        ArgumentKind::StorageBuffer { binding, offset_location, .. } => format!(
            ".kind = CLVK_PARAMETER_STORAGE_BUFFER, .offset = {}, .binding = {binding}, .alignment = {}",
            location(*offset_location),
            alignment(argument)
        ),
        ArgumentKind::Value { location: at, size } => {
            format!(".kind = CLVK_PARAMETER_VALUE, .offset = {}, .size = {size}", location(*at))
        }
        ArgumentKind::Local { spec_id, element_size } => {
            format!(".kind = CLVK_PARAMETER_LOCAL, .spec_id = {spec_id}, .size = {element_size}")
        }
        ArgumentKind::Image { binding, dimension: shape, access: how, levels, words } => {
            let word = |query: ImageQuery| {
                let found = words.iter().find(|(which, _)| *which == query);
                found.map_or(NOWHERE.to_owned(), |(_, at)| location(*at))
            };
            format!(
                ".kind = CLVK_PARAMETER_IMAGE, .binding = {binding}, .dimension = {}, .access = {}, .count = {levels}, \
                 .words = {{{}, {}, {}, {}, {}, {}}}",
                dimension(*shape),
                access(*how),
                word(ImageQuery::Format),
                word(ImageQuery::Width),
                word(ImageQuery::Height),
                word(ImageQuery::Depth),
                word(ImageQuery::ArraySize),
                word(ImageQuery::Levels),
            )
        }
        ArgumentKind::Sampler { binding, word_location } => format!(
            ".kind = CLVK_PARAMETER_SAMPLER, .binding = {binding}, .offset = {}",
            word_location.map_or(NOWHERE.to_owned(), location)
        ),
    };
    line!(out, "  {{.name = {}, .type = {}, {text}}},", quoted(&argument.name), quoted(&argument.type_name));
}

fn addressing(addressing: SamplerAddressing) -> &'static str {
    match addressing {
        SamplerAddressing::None => "CLVK_ADDRESS_NONE",
        SamplerAddressing::ClampToEdge => "CLVK_ADDRESS_CLAMP_TO_EDGE",
        SamplerAddressing::Clamp => "CLVK_ADDRESS_CLAMP",
        SamplerAddressing::Repeat => "CLVK_ADDRESS_REPEAT",
        SamplerAddressing::MirroredRepeat => "CLVK_ADDRESS_MIRRORED_REPEAT",
    }
}

/// The arrays that a kernel's row points to.
fn kernel_arrays(out: &mut String, prefix: &str, kernel: &KernelInterface) {
    if !kernel.arguments.is_empty() {
        line!(out, "static const clvk_parameter {prefix}_parameters[] = {{");
        kernel.arguments.iter().for_each(|argument| parameter(out, argument));
        line!(out, "}};\n");
    }
    if !kernel.samplers.is_empty() {
        line!(out, "static const clvk_program_sampler {prefix}_samplers[] = {{");
        for sampler in &kernel.samplers {
            let (linear, normalized) = (u32::from(sampler.linear), u32::from(sampler.normalized_coordinates));
            line!(
                out,
                "  {{{}, {}, {linear}, {normalized}}},",
                sampler.binding,
                addressing(sampler.addressing)
            );
        }
        line!(out, "}};\n");
    }
    texel_samplers(out, prefix, kernel);
}

/// The samplers that a kernel has for coordinates in texels.
fn texel_samplers(out: &mut String, prefix: &str, kernel: &KernelInterface) {
    if kernel.texel_samplers.is_empty() {
        return;
    }
    line!(out, "static const clvk_texel_sampler {prefix}_texel_samplers[] = {{");
    for sampler in &kernel.texel_samplers {
        let (is_declared, index) = match sampler.of {
            SamplerSource::Argument(index) => (0, index),
            SamplerSource::Program(index) => (1, index),
        };
        line!(out, "  {{{}, {is_declared}, {index}}},", sampler.binding);
    }
    line!(out, "}};\n");
}

fn kernel_row(out: &mut String, prefix: &str, kernel: &KernelInterface) {
    let [x, y, z] = kernel.local_size.required().unwrap_or_default();
    let uniform = u32::from(matches!(kernel.local_size, LocalSize::Required(_)));
    line!(out, "  {{.name = {},", quoted(&kernel.name));
    if !kernel.arguments.is_empty() {
        line!(out, "   .parameters = {prefix}_parameters, .parameter_count = {},", kernel.arguments.len());
    }
    if !kernel.samplers.is_empty() {
        line!(out, "   .samplers = {prefix}_samplers, .sampler_count = {},", kernel.samplers.len());
    }
    if !kernel.texel_samplers.is_empty() {
        let count = kernel.texel_samplers.len();
        line!(out, "   .texel_samplers = {prefix}_texel_samplers, .texel_sampler_count = {count},");
    }
    line!(out, "   .required_local_size = {{{x}, {y}, {z}}}, .uniform_groups = {uniform},");
    line!(
        out,
        "   .push_constants = {}, .global_offset = {},",
        kernel.push_constant_size,
        push(kernel.global_offset)
    );
    line!(
        out,
        "   .global_size = {}, .work_dim = {}, .group_offset = {},",
        push(kernel.global_size),
        push(kernel.work_dim),
        push(kernel.group_offset)
    );
    line!(
        out,
        "   .argument_buffer_size = {}, .argument_buffer = {},",
        kernel.argument_buffer.map_or(0, |buffer| buffer.size),
        place(kernel.argument_buffer.map(|buffer| buffer.location))
    );
    let implicit = |buffer| place(kernel.implicit_buffer(buffer));
    line!(out, "   .program_variables = {},", implicit(ImplicitBuffer::ProgramVariables));
    line!(
        out,
        "   .private_memory = {}, .private_memory_size = {},",
        implicit(ImplicitBuffer::PrivateMemory),
        kernel.private_memory
    );
    line!(
        out,
        "   .loop_watch = {}, .local_memory = {}, .sub_groups = {}}},",
        implicit(ImplicitBuffer::LoopWatch),
        kernel.static_local_memory,
        u32::from(kernel.sub_groups)
    );
}

fn variables(out: &mut String, prefix: &str, variables: &ProgramVariables) {
    for (index, part) in variables.contents.iter().enumerate() {
        let bytes: Vec<String> = part.bytes.iter().map(u8::to_string).collect();
        let rows: Vec<String> = bytes.chunks(24).map(|row| row.join(",")).collect();
        line!(out, "static const uint8_t {prefix}_bytes_{index}[] = {{\n  {}}};\n", rows.join(",\n  "));
    }
    if !variables.contents.is_empty() {
        line!(out, "static const clvk_bytes {prefix}_contents[] = {{");
        for (index, part) in variables.contents.iter().enumerate() {
            line!(out, "  {{{}, {prefix}_bytes_{index}, {}}},", part.offset, part.bytes.len());
        }
        line!(out, "}};\n");
    }
    if !variables.pointers.is_empty() {
        line!(out, "static const clvk_pointer {prefix}_pointers[] = {{");
        variables.pointers.iter().for_each(|it| line!(out, "  {{{}, {}}},", it.offset, it.target));
        line!(out, "}};\n");
    }
}

/// Bits of the positions of some items in a list.
fn bits<T: PartialEq>(all: &[T], some: &[T]) -> u64 {
    all.iter().enumerate().filter(|(_, item)| some.contains(item)).map(|(index, _)| 1 << index).sum()
}

fn variant_row(out: &mut String, prefix: &str, variant: &Variant) {
    let (program, interface) = (&variant.program, variant.program.interface());
    let needs: Vec<String> = variant.needs.iter().map(|name| format!("CLVK_HAS({name})")).collect();
    let needs = if needs.is_empty() { "0".to_owned() } else { needs.join(" | ") };
    // The second word of a module is its version.
    let version = program.spirv().get(1).map_or(0, |word| word >> 8);
    line!(out, "  {{.name = {},", quoted(&variant.name));
    line!(
        out,
        "   .spirv = {prefix}_spirv, .spirv_size = sizeof {prefix}_spirv, .spirv_version = 0x{version:x},"
    );
    line!(out, "   .needs = {needs},");
    line!(
        out,
        "   .subgroup_size = {}, .max_work_group = {}u,",
        variant.subgroup_size.unwrap_or(0),
        variant.max_work_group.unwrap_or(u32::MAX)
    );
    line!(
        out,
        "   .tolerates = 0x{:x}u, .relies_on = 0x{:x}u,",
        bits(Quirk::ALL, &variant.tolerates),
        bits(Guarantee::ALL, &variant.relies_on)
    );
    let logical = u32::from(interface.addressing == AddressingMode::Logical);
    if let Some(variables) = &interface.program_variables {
        line!(out, "   .variables_size = {},", variables.size);
        if !variables.contents.is_empty() {
            line!(out, "   .contents = {prefix}_contents, .content_count = {},", variables.contents.len());
        }
        if !variables.pointers.is_empty() {
            line!(out, "   .pointers = {prefix}_pointers, .pointer_count = {},", variables.pointers.len());
        }
    }
    line!(out, "   .kernels = {prefix}_kernels, .logical = {logical}}},");
}

/// The file with the interface of all variants.
pub fn interface_header(program: &str, variants: &[Variant]) -> String {
    let mut out = format!(
        "/* How the kernels of `{program}` are launched, for each variant: arguments and where they go, bindings,\n \
         * specialisation constants, and what a device must have. `clvk_program_data.h` explains the members;\n \
         * CLVK_SPEC_LOCAL_SIZE and CLVK_SPEC_ENQUEUED_LOCAL_SIZE are the constants of the work-group size. */\n\n"
    );
    for (index, variant) in variants.iter().enumerate() {
        let prefix = format!("variant_{index}");
        line!(out, "/* ---- {} ---- */\n", variant.name);
        for (kernel, number) in variant.program.kernels().iter().zip(0..) {
            kernel_arrays(&mut out, &format!("{prefix}_kernel_{number}"), kernel);
        }
        line!(out, "static const clvk_kernel {prefix}_kernels[] = {{");
        for (kernel, number) in variant.program.kernels().iter().zip(0..) {
            kernel_row(&mut out, &format!("{prefix}_kernel_{number}"), kernel);
        }
        line!(out, "}};\n");
        if let Some(of_program) = &variant.program.interface().program_variables {
            variables(&mut out, &prefix, of_program);
        }
    }
    line!(out, "static const clvk_variant variants[] = {{");
    for (index, variant) in variants.iter().enumerate() {
        variant_row(&mut out, &format!("variant_{index}"), variant);
    }
    line!(out, "}};");
    out
}

/// What is known of drivers: their errors and guarantees by `VkDriverId` and version.
pub fn drivers_header() -> String {
    let mut out = String::from(
        "/* What drivers do wrong, and what they promise, by VkDriverId. Versions are major << 16 | minor, and the\n \
         * last one is excluded. */\n#ifndef CLVK_DRIVERS_H\n#define CLVK_DRIVERS_H\n\n#include <stdint.h>\n\n\
         typedef struct clvk_driver_fact {\n  int driver;\n  uint32_t from, until;\n  uint64_t quirk, guarantee;\n\
         } clvk_driver_fact;\n\ntypedef struct clvk_driver_name {\n  const char *name;\n  \
         uint64_t quirk, guarantee;\n} clvk_driver_name;\n\n",
    );
    for (index, quirk) in Quirk::ALL.iter().enumerate() {
        let name = kebab(quirk).to_ascii_uppercase().replace('-', "_");
        line!(out, "#define CLVK_QUIRK_{name} ((uint64_t)1 << {index})");
    }
    let version = |(major, minor): (u32, u32)| match major {
        0..=0xffff => format!("0x{:x}u", major << 16 | minor),
        _ => "UINT32_MAX".to_owned(),
    };
    line!(out, "\nstatic const clvk_driver_fact clvk_driver_facts[] = {{");
    for (index, quirk) in Quirk::ALL.iter().enumerate() {
        for (driver, versions) in quirk.drivers() {
            let (from, until) = (version(versions.start), version(versions.end));
            line!(out, "  {{{driver}, {from}, {until}, (uint64_t)1 << {index}, 0}}, /* {} */", kebab(quirk));
        }
    }
    for (index, guarantee) in Guarantee::ALL.iter().enumerate() {
        for (driver, versions) in guarantee.drivers() {
            let (from, until) = (version(versions.start), version(versions.end));
            line!(
                out,
                "  {{{driver}, {from}, {until}, 0, (uint64_t)1 << {index}}}, /* {} */",
                kebab(guarantee)
            );
        }
    }
    line!(out, "}};\n\nstatic const clvk_driver_name clvk_driver_names[] = {{");
    for (index, quirk) in Quirk::ALL.iter().enumerate() {
        line!(out, "  {{{}, (uint64_t)1 << {index}, 0}},", quoted(&kebab(quirk)));
    }
    for (index, guarantee) in Guarantee::ALL.iter().enumerate() {
        line!(out, "  {{{}, 0, (uint64_t)1 << {index}}},", quoted(&kebab(guarantee)));
    }
    line!(out, "}};\n\n#endif");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_of_c_keep_their_characters() {
        assert_eq!(quoted("a\"b\\c\n1??=é"), "\"a\\\"b\\\\c\\0121\\?\\?=é\"");
    }
}
