//! Functions and samples in C.

use crate::export::Kit;
use crate::export::sample;
use crate::export::signature::{Kernel, Kind, Parameter, element_name, stored_lanes};
use crate::export::tables::line;
use crate::export::template::fill;
use clvk::interface::{ImageDimension, ScalarType};

/// The type of C for a number.
pub fn number(element: ScalarType) -> &'static str {
    match element {
        ScalarType::I8 => "int8_t",
        ScalarType::U8 => "uint8_t",
        ScalarType::I16 => "int16_t",
        // Halves are bits.
        ScalarType::U16 | ScalarType::F16 => "uint16_t",
        ScalarType::I32 => "int32_t",
        ScalarType::U32 => "uint32_t",
        ScalarType::I64 => "int64_t",
        ScalarType::U64 => "uint64_t",
        ScalarType::F32 => "float",
        ScalarType::F64 => "double",
        ScalarType::Opaque => unreachable!("structures are bytes"),
    }
}

/// The enumerator of an image's shape.
pub fn dimension(dimension: ImageDimension) -> &'static str {
    match dimension {
        ImageDimension::D1 | ImageDimension::D1Buffer => "CLVK_IMAGE_1D",
        ImageDimension::D1Array => "CLVK_IMAGE_1D_ARRAY",
        ImageDimension::D2 => "CLVK_IMAGE_2D",
        ImageDimension::D2Array => "CLVK_IMAGE_2D_ARRAY",
        ImageDimension::D3 => "CLVK_IMAGE_3D",
    }
}

fn parameter(parameter: &Parameter) -> String {
    let name = &parameter.name;
    match parameter.kind {
        Kind::Buffer { .. } => format!("const clvk_buffer *{name}"),
        Kind::Scalar(element) => format!("{} {name}", number(element)),
        Kind::Vector(element, lanes) => format!("const {} {name}[{lanes}]", number(element)),
        Kind::Bytes(_) => format!("const void *{name}"),
        Kind::Local(_) => format!("uint64_t {name}"),
        Kind::Image { .. } => format!("const clvk_image *{name}"),
        Kind::Sampler => format!("const clvk_sampler *{name}"),
    }
}

/// What a comment says about a parameter whose C type does not say it.
fn remark(parameter: &Parameter) -> Option<String> {
    let Parameter { name, type_name, kind } = parameter;
    let text = match kind {
        Kind::Scalar(ScalarType::F16) | Kind::Vector(ScalarType::F16, _) => "the bits of halves".to_owned(),
        Kind::Bytes(size) => format!("{size} bytes, a `{type_name}` in the layout of OpenCL C"),
        Kind::Local(size) => format!("bytes of local memory, a multiple of {size}"),
        Kind::Buffer { read_only: true, .. } => "only read".to_owned(),
        Kind::Image { writes: true, .. } => "written".to_owned(),
        _ => return None,
    };
    Some(format!("`{name}`: {text}"))
}

/// The head of a kernel's function.
fn head(program: &str, kernel: &Kernel) -> String {
    let first = ["clvk_program *program".to_owned(), "const clvk_range *range".to_owned()];
    let parameters: Vec<String> = first.into_iter().chain(kernel.parameters.iter().map(parameter)).collect();
    format!("clvk_status {program}_{}({})", kernel.name, parameters.join(", "))
}

/// The comment above a kernel's function, as lines of text.
pub fn about(kernel: &Kernel) -> Vec<String> {
    let mut lines = vec![format!("`{}`", kernel.declaration)];
    if let Some([x, y, z]) = kernel.required_local_size {
        lines.push(format!("Work-groups have {x} x {y} x {z} work-items."));
    }
    let remarks: Vec<String> = kernel.parameters.iter().filter_map(remark).collect();
    if !remarks.is_empty() {
        lines.push(format!("{}.", remarks.join("; ")));
    }
    lines
}

fn argument(out: &mut String, index: usize, parameter: &Parameter) {
    let name = &parameter.name;
    let value = match parameter.kind {
        Kind::Buffer { .. } => format!("clvk_arg_buffer({name})"),
        Kind::Scalar(_) => format!("clvk_arg_value(&{name}, sizeof {name})"),
        Kind::Vector(_, 3) => format!("clvk_arg_value(padded_{name}, sizeof padded_{name})"),
        Kind::Vector(element, lanes) => {
            format!("clvk_arg_value({name}, {lanes} * sizeof({}))", number(element))
        }
        Kind::Bytes(size) => format!("clvk_arg_value({name}, {size})"),
        Kind::Local(_) => format!("clvk_arg_local({name})"),
        Kind::Image { .. } => format!("clvk_arg_image({name})"),
        Kind::Sampler => format!("clvk_arg_sampler({name})"),
    };
    line!(out, "  args[{index}] = {value};");
}

fn function(out: &mut String, program: &str, kernel: &Kernel, index: usize) {
    let count = kernel.parameters.len();
    line!(out, "{} {{", head(program, kernel));
    if count > 0 {
        line!(out, "  clvk_arg args[{count}];");
    }
    for Parameter { name, kind, .. } in &kernel.parameters {
        if let Kind::Vector(element, 3) = kind {
            let ty = number(*element);
            line!(
                out,
                "  const {ty} padded_{name}[{}] = {{{name}[0], {name}[1], {name}[2], 0}};",
                stored_lanes(3)
            );
        }
    }
    kernel.parameters.iter().enumerate().for_each(|(at, it)| argument(out, at, it));
    line!(
        out,
        "  return clvk_launch(program, {index}, range, {}, {count});",
        if count > 0 { "args" } else { "NULL" }
    );
    line!(out, "}}\n");
}

/// The program's header.
pub fn header(kit: &Kit) -> String {
    let (mut numbers, mut functions) = (String::new(), String::new());
    for (index, kernel) in kit.kernels.iter().enumerate() {
        let upper = kit.program.to_ascii_uppercase();
        line!(numbers, "  {upper}_KERNEL_{} = {index},", kernel.name);
        line!(functions, "/* {} */", about(kernel).join("\n * "));
        line!(functions, "{};\n", head(&kit.program, kernel));
    }
    let guard = format!("{}_PROGRAM_H", kit.program.to_ascii_uppercase());
    let values = [
        ("PROGRAM", kit.program.as_str()),
        ("VERSION", env!("CARGO_PKG_VERSION")),
        ("GUARD", &guard),
        ("NUMBERS", numbers.trim_end()),
        ("FUNCTIONS", &functions),
    ];
    fill(include_str!("../../kit/c/program.h"), &values)
}

/// The program's source.
pub fn source(kit: &Kit) -> String {
    let mut functions = String::new();
    for (index, kernel) in kit.kernels.iter().enumerate() {
        function(&mut functions, &kit.program, kernel, index);
    }
    let values = [
        ("PROGRAM", kit.program.as_str()),
        ("VERSION", env!("CARGO_PKG_VERSION")),
        ("VARIANTS", &kit.variants.len().to_string()),
        ("KERNELS", &kit.kernels.len().to_string()),
        ("FUNCTIONS", functions.trim_end()),
    ];
    fill(include_str!("../../kit/c/program.c"), &values)
}

/// The literal of a scalar in the samples of C and C++.
pub fn scalar(element: ScalarType) -> &'static str {
    match element {
        // One, as bits.
        ScalarType::F16 => "0x3c00",
        ScalarType::F32 => "2.0f",
        ScalarType::F64 => "2.0",
        _ => "16",
    }
}

/// A description of an image in braces.
pub fn image_description(shape: ImageDimension, element: ScalarType) -> String {
    let [width, height, depth, layers] = sample::image_sizes(shape);
    let (channel, _) = sample::image_channel(element);
    format!("{{{}, CLVK_RGBA, CLVK_{channel}, {width}, {height}, {depth}, {layers}}}", dimension(shape))
}

/// A kernel's part of the sample.
fn sample_kernel(out: &mut String, kit: &Kit, kernel: &Kernel) {
    let sizes = sample::range(kernel);
    let [mut declare, mut make, mut show, mut drop] = [const { String::new() }; 4];
    let mut given = vec!["program".to_owned(), "&range".to_owned()];
    let title = |name: &str| format!("{}.{name}", kernel.name);
    for Parameter { name, kind, .. } in &kernel.parameters {
        let then = "  if (!status) status =";
        given.push(name.clone());
        match *kind {
            Kind::Buffer { element, lanes, read_only } => {
                let (ty, bytes) = (element_name(element), sample::buffer_bytes(element, lanes));
                line!(declare, "  clvk_buffer *{name} = NULL;");
                line!(make, "{then} new_buffer(device, {ty}, {bytes}, &{name});");
                if !read_only {
                    line!(show, "{then} print_buffer(\"{}\", {ty}, {name});", title(name));
                }
                line!(drop, "  clvk_buffer_destroy({name});");
            }
            Kind::Image { dimension, writes, element } => {
                let ty = element_name(sample::image_channel(element).1);
                let description = image_description(dimension, element);
                line!(declare, "  const clvk_image_description shape_of_{name} = {description};");
                line!(declare, "  clvk_image *{name} = NULL;");
                line!(make, "{then} new_image(device, {ty}, &shape_of_{name}, &{name});");
                if writes {
                    line!(show, "{then} print_image(\"{}\", {ty}, {name});", title(name));
                }
                line!(drop, "  clvk_image_destroy({name});");
            }
            Kind::Sampler => {
                line!(declare, "  clvk_sampler *{name} = NULL;");
                line!(make, "{then} clvk_sampler_create(device, CLVK_ADDRESS_CLAMP_TO_EDGE, 0, 0, &{name});");
                line!(drop, "  clvk_sampler_destroy({name});");
            }
            Kind::Scalar(element) => *given.last_mut().expect("it was pushed") = scalar(element).to_owned(),
            Kind::Vector(element, lanes) => {
                let values = vec![scalar(element); lanes as usize].join(", ");
                line!(declare, "  const {} {name}[{lanes}] = {{{values}}};", number(element));
            }
            Kind::Bytes(size) => line!(declare, "  const uint8_t {name}[{size}] = {{0}};"),
            Kind::Local(size) => {
                *given.last_mut().expect("it was pushed") = (size * sample::LOCAL_ELEMENTS).to_string();
            }
        }
    }
    line!(out, "static clvk_status run_once_{}(clvk_device *device, clvk_program *program) {{", kernel.name);
    line!(out, "  const clvk_range range = clvk_range_{}d({});", sizes.len(), sizes.join(", "));
    line!(out, "{declare}  clvk_status status = CLVK_OK;\n  (void)device;\n{}", make.trim_end());
    line!(out, "  if (!status) status = {}_{}({});", kit.program, kernel.name, given.join(", "));
    line!(out, "  if (!status) status = clvk_finish(device);\n{show}{drop}  return status;\n}}\n");
}

/// The sample.
pub fn sample(kit: &Kit) -> String {
    let (mut kernels, mut calls) = (String::new(), String::new());
    for kernel in &kit.kernels {
        sample_kernel(&mut kernels, kit, kernel);
        line!(calls, "  if (!status) status = run_once_{}(device, program);", kernel.name);
    }
    let values = [("PROGRAM", kit.program.as_str()), ("KERNELS", &kernels), ("CALLS", calls.trim_end())];
    fill(include_str!("../../kit/c/sample.c"), &values)
}
