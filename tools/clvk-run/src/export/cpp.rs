//! Classes and samples in C++, over the functions in C.

use crate::export::files::File;
use crate::export::names::safe;
use crate::export::sample;
use crate::export::signature::{Kernel, Kind, Parameter, element_name};
use crate::export::tables::line;
use crate::export::template::fill;
use crate::export::{Kit, c};
use clvk::interface::ScalarType;

/// The files that a kit in C++ has besides those in C.
pub fn files(kit: &Kit) -> Vec<File> {
    vec![
        File::of_kit("runtime/clvk_launch.hpp", include_str!("../../kit/cpp/clvk_launch.hpp")),
        File::of_kit(format!("program/{}.hpp", kit.program), header(kit)),
        File::of_user("sample.cpp", sample(kit)),
    ]
}

fn parameter(parameter: &Parameter) -> String {
    let name = &parameter.name;
    match parameter.kind {
        Kind::Buffer { .. } => format!("const clvk::Buffer &{name}"),
        Kind::Scalar(element) => format!("{} {name}", c::number(element)),
        Kind::Vector(element, lanes) => format!("const std::array<{}, {lanes}> &{name}", c::number(element)),
        Kind::Bytes(_) => format!("const void *{name}"),
        Kind::Local(_) => format!("std::uint64_t {name}"),
        Kind::Image { .. } => format!("const clvk::Image &{name}"),
        Kind::Sampler => format!("const clvk::Sampler &{name}"),
    }
}

fn argument(parameter: &Parameter) -> String {
    let name = &parameter.name;
    match parameter.kind {
        Kind::Buffer { .. } | Kind::Image { .. } | Kind::Sampler => format!("{name}.get()"),
        Kind::Vector(..) => format!("{name}.data()"),
        Kind::Scalar(_) | Kind::Bytes(_) | Kind::Local(_) => name.clone(),
    }
}

/// The method of a kernel, which no other member hides.
fn method(kernel: &Kernel) -> String {
    match kernel.name.as_str() {
        "get" | "Program" => format!("{}_", kernel.name),
        name => safe(name),
    }
}

fn header(kit: &Kit) -> String {
    let mut functions = String::new();
    for kernel in &kit.kernels {
        let first = ["const clvk_range &range".to_owned()];
        let parameters: Vec<String> =
            first.into_iter().chain(kernel.parameters.iter().map(parameter)).collect();
        let first = ["get()".to_owned(), "&range".to_owned()];
        let arguments: Vec<String> =
            first.into_iter().chain(kernel.parameters.iter().map(argument)).collect();
        line!(functions, "  // {}", c::about(kernel).join("\n  // "));
        line!(functions, "  void {}({}) {{", method(kernel), parameters.join(", "));
        line!(functions, "    clvk::check({}_{}({}));\n  }}", kit.program, kernel.name, arguments.join(", "));
    }
    let guard = format!("{}_PROGRAM_HPP", kit.program.to_ascii_uppercase());
    let values = [
        ("PROGRAM", kit.program.as_str()),
        ("VERSION", env!("CARGO_PKG_VERSION")),
        ("GUARD", &guard),
        ("FUNCTIONS", functions.trim_end()),
    ];
    fill(include_str!("../../kit/cpp/program.hpp"), &values)
}

/// The type of an element in the sample.
fn element(element: ScalarType) -> &'static str {
    match element {
        ScalarType::F16 => "Half",
        ScalarType::Opaque => element_name(element),
        other => c::number(other),
    }
}

fn sample_kernel(out: &mut String, kit: &Kit, kernel: &Kernel) {
    let sizes = sample::range(kernel);
    let (mut make, mut show) = (String::new(), String::new());
    let mut given = vec![format!("clvk_range_{}d({})", sizes.len(), sizes.join(", "))];
    for Parameter { name, kind, .. } in &kernel.parameters {
        let title = format!("{}.{name}", kernel.name);
        let mut value = name.clone();
        match *kind {
            Kind::Buffer { element: of, lanes, read_only } => {
                let (ty, bytes) = (element(of), sample::buffer_bytes(of, lanes));
                line!(make, "  clvk::Buffer {name}(device, made_up<{ty}>({bytes}));");
                if !read_only {
                    line!(show, "  print(\"{title}\", {name}.read<{ty}>(8));");
                }
            }
            Kind::Image { dimension, writes, element: of } => {
                let ty = element(sample::image_channel(of).1);
                let description = c::image_description(dimension, of);
                line!(make, "  clvk::Image {name} = new_image<{ty}>(device, {description});");
                if writes {
                    line!(show, "  print_image<{ty}>(\"{title}\", {name});");
                }
            }
            Kind::Sampler => {
                line!(make, "  clvk::Sampler {name}(device, CLVK_ADDRESS_CLAMP_TO_EDGE, false, false);");
            }
            Kind::Scalar(of) => value = c::scalar(of).to_owned(),
            Kind::Vector(of, lanes) => {
                let values = vec![c::scalar(of); lanes as usize].join(", ");
                line!(make, "  const std::array<{}, {lanes}> {name} = {{{{{values}}}}};", c::number(of));
            }
            Kind::Bytes(size) => line!(make, "  const std::uint8_t {name}[{size}] = {{}};"),
            Kind::Local(size) => value = (size * sample::LOCAL_ELEMENTS).to_string(),
        }
        given.push(value);
    }
    line!(out, "void run_once_{}(clvk::Device &device, {}::Program &program) {{", kernel.name, kit.program);
    line!(out, "{make}  program.{}({});", method(kernel), given.join(", "));
    line!(out, "  device.finish();\n{show}}}\n");
}

fn sample(kit: &Kit) -> String {
    let (mut kernels, mut calls) = (String::new(), String::new());
    for kernel in &kit.kernels {
        sample_kernel(&mut kernels, kit, kernel);
        line!(calls, "    run_once_{}(device, program);", kernel.name);
    }
    let values = [("PROGRAM", kit.program.as_str()), ("KERNELS", &kernels), ("CALLS", calls.trim_end())];
    fill(include_str!("../../kit/cpp/sample.cpp"), &values)
}
