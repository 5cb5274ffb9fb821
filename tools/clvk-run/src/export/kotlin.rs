//! An application for Android in Kotlin, over the functions in C.

use crate::export::files::{File, c_sources};
use crate::export::names::{camel, lower_camel, package};
use crate::export::sample;
use crate::export::signature::{Kernel, Kind, Parameter, element_name, stored_lanes};
use crate::export::tables::line;
use crate::export::template::fill;
use crate::export::{Kit, c};
use clvk::interface::{ImageDimension, ScalarType};

/// The files that a kit in Kotlin has besides those in C.
pub fn files(kit: &Kit) -> Vec<File> {
    let program = kit.program.as_str();
    let package = package(program);
    let class = camel(program);
    let sources =
        [&c_sources(kit)[..], &["runtime/clvk_jni.c".to_owned(), format!("program/{program}_jni.c")]]
            .concat();
    let of_package = [("PACKAGE", package.as_str())];
    let cmake = [("PROGRAM", program), ("SOURCES", &sources.join("\n  "))];
    let in_folder = |name: &str| format!("src/main/kotlin/org/example/{package}/{name}");
    vec![
        File::of_kit("runtime/clvk_jni.c", include_str!("../../kit/kotlin/clvk_jni.c")),
        File::of_kit("runtime/Clvk.kt", include_str!("../../kit/kotlin/Clvk.kt")),
        File::of_kit(
            format!("program/{program}_jni.c"),
            fill(include_str!("../../kit/kotlin/program_jni.c"), &[("PROGRAM", program)]),
        ),
        File::of_kit(format!("program/{class}Program.kt"), functions(kit, &class)),
        File::of_user("CMakeLists.txt", fill(include_str!("../../kit/kotlin/CMakeLists.txt"), &cmake)),
        File::of_user(
            "build.gradle.kts",
            fill(include_str!("../../kit/kotlin/build.gradle.kts.in"), &of_package),
        ),
        File::of_user(
            "settings.gradle.kts",
            fill(include_str!("../../kit/build/settings.gradle.kts"), &[("PROGRAM", program)]),
        ),
        File::of_user(
            "src/main/AndroidManifest.xml",
            fill(include_str!("../../kit/kotlin/AndroidManifest.xml"), &[("PROGRAM", program)]),
        ),
        File::of_user(
            in_folder("MainActivity.kt"),
            fill(include_str!("../../kit/kotlin/MainActivity.kt"), &of_package),
        ),
        File::of_user(in_folder("Sample.kt"), sample(kit, &package, &class)),
    ]
}

/// Kotlin's signed type for the bits of a number, and the function of `Arg` that takes several of them.
fn number(element: ScalarType) -> (&'static str, &'static str) {
    match element {
        ScalarType::I8 | ScalarType::U8 => ("Byte", "bytes"),
        ScalarType::I16 | ScalarType::U16 | ScalarType::F16 => ("Short", "shorts"),
        ScalarType::I32 | ScalarType::U32 => ("Int", "ints"),
        ScalarType::I64 | ScalarType::U64 => ("Long", "longs"),
        ScalarType::F32 => ("Float", "floats"),
        ScalarType::F64 => ("Double", "doubles"),
        ScalarType::Opaque => unreachable!("structures are bytes"),
    }
}

/// A value of a number's type: the number, or the bits of a half.
fn literal(element: ScalarType, real: &str, whole: &str) -> String {
    match element {
        ScalarType::I8 | ScalarType::U8 => format!("{whole}.toByte()"),
        ScalarType::I16 | ScalarType::U16 => format!("{whole}.toShort()"),
        ScalarType::F16 => "0x3c00.toShort()".to_owned(),
        ScalarType::I32 | ScalarType::U32 => whole.to_owned(),
        ScalarType::I64 | ScalarType::U64 => format!("{whole}L"),
        ScalarType::F32 => format!("{real}f"),
        ScalarType::F64 => real.to_owned(),
        ScalarType::Opaque => unreachable!("structures are bytes"),
    }
}

fn parameter(parameter: &Parameter) -> String {
    let name = &parameter.name;
    let ty = match parameter.kind {
        Kind::Buffer { .. } => "Buffer".to_owned(),
        Kind::Scalar(element) => number(element).0.to_owned(),
        Kind::Vector(element, _) => format!("{}Array", number(element).0),
        Kind::Bytes(_) => "ByteArray".to_owned(),
        Kind::Local(_) => "Long".to_owned(),
        Kind::Image { .. } => "Image".to_owned(),
        Kind::Sampler => "Sampler".to_owned(),
    };
    format!("{name}: {ty}")
}

fn argument(parameter: &Parameter) -> String {
    let name = &parameter.name;
    match parameter.kind {
        Kind::Buffer { .. } | Kind::Image { .. } | Kind::Sampler | Kind::Bytes(_) => {
            format!("Arg.of({name})")
        }
        Kind::Scalar(element) => format!("Arg.{}({name})", number(element).1),
        Kind::Vector(element, lanes) => {
            format!("Arg.{}(*{name}.copyOf({}))", number(element).1, stored_lanes(lanes))
        }
        Kind::Local(_) => format!("Arg.local({name})"),
    }
}

/// The function of a kernel; two kernels never share one.
fn function(kit: &Kit, index: usize) -> String {
    let name = |kernel: &Kernel| lower_camel(&kernel.name);
    let own = name(&kit.kernels[index]);
    let clashes = kit.kernels.iter().filter(|kernel| name(kernel) == own).count() > 1;
    if clashes || ["close", "raw"].contains(&own.as_str()) { format!("{own}{index}") } else { own }
}

fn functions(kit: &Kit, class: &str) -> String {
    let mut functions = String::new();
    for (index, kernel) in kit.kernels.iter().enumerate() {
        let parameters: Vec<String> =
            kernel.parameters.iter().map(|it| format!(", {}", parameter(it))).collect();
        let arguments: Vec<String> =
            kernel.parameters.iter().map(|it| format!(", {}", argument(it))).collect();
        line!(functions, "    /**\n     * {}\n     */", c::about(kernel).join("\n     * "));
        line!(functions, "    fun {}(range: Range{}) =", function(kit, index), parameters.concat());
        line!(functions, "        launch({index}, range{})\n", arguments.concat());
    }
    let values = [
        ("PROGRAM", kit.program.as_str()),
        ("VERSION", env!("CARGO_PKG_VERSION")),
        ("CLASS", class),
        ("FUNCTIONS", functions.trim_end()),
    ];
    fill(include_str!("../../kit/kotlin/program.kt"), &values)
}

fn new_image(shape: ImageDimension, element: ScalarType) -> String {
    let [width, height, depth, layers] = sample::image_sizes(shape);
    let (channel, _) = sample::image_channel(element);
    let dimension = match shape {
        ImageDimension::D1 | ImageDimension::D1Buffer => "D1",
        ImageDimension::D1Array => "D1_ARRAY",
        ImageDimension::D2 => "D2",
        ImageDimension::D2Array => "D2_ARRAY",
        ImageDimension::D3 => "D3",
    };
    format!(
        "Image(device, Dimension.{dimension}, Order.RGBA, Channel.{channel}, {width}, {height}, {depth}, {layers})"
    )
}

fn sample_kernel(out: &mut String, kit: &Kit, index: usize, class: &str) {
    let kernel = &kit.kernels[index];
    let sizes = sample::range(kernel);
    let (mut make, mut show, mut close) = (String::new(), String::new(), String::new());
    let mut given = vec![format!("Range({})", sizes.join(", "))];
    for Parameter { name, kind, .. } in &kernel.parameters {
        let title = format!("{}.{name}", kernel.name);
        let mut value = name.clone();
        match *kind {
            Kind::Buffer { element, lanes, read_only } => {
                let (ty, bytes) = (element_name(element), sample::buffer_bytes(element, lanes));
                line!(make, "    val {name} = newBuffer(device, Element.{ty}, {bytes})");
                if !read_only {
                    line!(
                        show,
                        "    text += values(\"{title}\", Element.{ty}, {name}.read(0, 8 * Element.{ty}.size))"
                    );
                }
                line!(close, "    {name}.close()");
            }
            Kind::Image { dimension, writes, element } => {
                let ty = element_name(sample::image_channel(element).1);
                line!(make, "    val {name} = filled(Element.{ty}, {})", new_image(dimension, element));
                if writes {
                    line!(show, "    text += values(\"{title}\", Element.{ty}, {name}.read())");
                }
                line!(close, "    {name}.close()");
            }
            Kind::Sampler => {
                line!(make, "    val {name} = Sampler(device, Addressing.CLAMP_TO_EDGE, false, false)");
                line!(close, "    {name}.close()");
            }
            Kind::Scalar(element) => value = literal(element, "2.0", "16"),
            Kind::Vector(element, lanes) => {
                let of = number(element).0.to_ascii_lowercase();
                let values = vec![literal(element, "2.0", "16"); lanes as usize].join(", ");
                value = format!("{of}ArrayOf({values})");
            }
            Kind::Bytes(size) => value = format!("ByteArray({size})"),
            Kind::Local(size) => value = (size * sample::LOCAL_ELEMENTS).to_string(),
        }
        given.push(value);
    }
    let name = camel(&function(kit, index));
    line!(out, "private fun sample{name}(device: Device, program: {class}Program): String {{");
    line!(out, "{make}    program.{}({})", function(kit, index), given.join(", "));
    line!(out, "    device.finish()\n    var text = \"\"\n{show}{close}    return text\n}}\n");
}

fn sample(kit: &Kit, package: &str, class: &str) -> String {
    let (mut kernels, mut calls) = (String::new(), String::new());
    for index in 0..kit.kernels.len() {
        sample_kernel(&mut kernels, kit, index, class);
        calls.push_str(&format!(" +\n            sample{}(device, program)", camel(&function(kit, index))));
    }
    let values = [
        ("PROGRAM", kit.program.as_str()),
        ("PACKAGE", package),
        ("CLASS", class),
        ("KERNELS", &kernels),
        ("CALLS", &calls),
    ];
    fill(include_str!("../../kit/kotlin/Sample.kt"), &values)
}
