//! A crate in Rust, over the functions in C.

use crate::export::files::{File, c_sources};
use crate::export::names::safe;
use crate::export::sample;
use crate::export::signature::{Kernel, Kind, Parameter};
use crate::export::tables::line;
use crate::export::template::fill;
use crate::export::{Kit, c};
use clvk::interface::{ImageDimension, ScalarType};

/// The files that a kit in Rust has besides those in C.
pub fn files(kit: &Kit) -> Vec<File> {
    let program = kit.program.as_str();
    let sources: Vec<String> = c_sources(kit).iter().map(|source| format!("    \"{source}\",")).collect();
    let crate_name = crate_name(kit);
    let manifest = [("CRATE", crate_name.as_str()), ("CRATE_NAME", &crate_name)];
    let library = [("PROGRAM", program), ("VERSION", env!("CARGO_PKG_VERSION"))];
    vec![
        File::of_user("Cargo.toml", fill(include_str!("../../kit/rust/Cargo.toml.in"), &manifest)),
        File::of_user(
            "build.rs",
            fill(include_str!("../../kit/rust/build.rs.in"), &[("SOURCES", &sources.join("\n"))]),
        ),
        File::of_user("src/lib.rs", fill(include_str!("../../kit/rust/lib.rs.in"), &library)),
        File::of_kit("runtime/clvk_launch.rs", include_str!("../../kit/rust/clvk_launch.rs")),
        File::of_kit(format!("program/{program}.rs"), functions(kit)),
        File::of_user("examples/sample.rs", sample(kit)),
    ]
}

/// The name of the crate: not that of its module, nor of a crate that every program has.
fn crate_name(kit: &Kit) -> String {
    format!("{}_kernels", kit.program.trim_end_matches('_'))
}

/// The type of Rust for a number.
fn number(element: ScalarType) -> &'static str {
    match element {
        ScalarType::I8 => "i8",
        ScalarType::U8 => "u8",
        ScalarType::I16 => "i16",
        // Halves are bits.
        ScalarType::U16 | ScalarType::F16 => "u16",
        ScalarType::I32 => "i32",
        ScalarType::U32 => "u32",
        ScalarType::I64 => "i64",
        ScalarType::U64 => "u64",
        ScalarType::F32 => "f32",
        ScalarType::F64 => "f64",
        ScalarType::Opaque => unreachable!("structures are bytes"),
    }
}

fn parameter(parameter: &Parameter) -> String {
    let name = &parameter.name;
    match parameter.kind {
        Kind::Buffer { .. } => format!("{name}: &Buffer"),
        Kind::Scalar(element) => format!("{name}: {}", number(element)),
        Kind::Vector(element, lanes) => format!("{name}: [{}; {lanes}]", number(element)),
        Kind::Bytes(size) => format!("{name}: &[u8; {size}]"),
        Kind::Local(_) => format!("{name}: u64"),
        Kind::Image { .. } => format!("{name}: &Image"),
        Kind::Sampler => format!("{name}: &Sampler"),
    }
}

fn argument(parameter: &Parameter) -> String {
    let name = &parameter.name;
    match parameter.kind {
        Kind::Buffer { .. } => format!("Arg::Buffer({name}, 0)"),
        Kind::Scalar(_) => format!("Arg::Value(bytes(&[{name}]))"),
        Kind::Vector(_, 3) => {
            format!("Arg::Value(bytes(&[{name}[0], {name}[1], {name}[2], Default::default()]))")
        }
        Kind::Vector(..) => format!("Arg::Value(bytes(&{name}))"),
        Kind::Bytes(_) => format!("Arg::Value({name})"),
        Kind::Local(_) => format!("Arg::Local({name})"),
        Kind::Image { .. } => format!("Arg::Image({name})"),
        Kind::Sampler => format!("Arg::Sampler({name})"),
    }
}

fn functions(kit: &Kit) -> String {
    let mut functions = String::new();
    for (index, kernel) in kit.kernels.iter().enumerate() {
        let parameters: Vec<String> =
            kernel.parameters.iter().map(|it| format!(", {}", parameter(it))).collect();
        let arguments: Vec<String> = kernel.parameters.iter().map(argument).collect();
        line!(functions, "    /// {}", c::about(kernel).join("\n    /// "));
        line!(
            functions,
            "    pub fn {}(&self, range: &Range{}) -> Result<()> {{",
            safe(&kernel.name),
            parameters.concat()
        );
        line!(functions, "        self.0.launch({index}, range, &[{}])\n    }}\n", arguments.join(", "));
    }
    let values = [
        ("PROGRAM", kit.program.as_str()),
        ("VERSION", env!("CARGO_PKG_VERSION")),
        ("FUNCTIONS", functions.trim_end()),
    ];
    fill(include_str!("../../kit/rust/program.rs.in"), &values)
}

fn scalar(element: ScalarType) -> &'static str {
    match element {
        ScalarType::F16 => "0x3c00",
        ScalarType::F32 | ScalarType::F64 => "2.0",
        _ => "16",
    }
}

fn description(shape: ImageDimension, element: ScalarType) -> String {
    let [width, height, depth, layers] = sample::image_sizes(shape);
    let channel = match sample::image_channel(element).1 {
        ScalarType::I32 => "SignedInt32",
        ScalarType::U32 => "UnsignedInt32",
        _ => "UnormInt8",
    };
    let dimension = match shape {
        ImageDimension::D1 | ImageDimension::D1Buffer => "D1",
        ImageDimension::D1Array => "D1Array",
        ImageDimension::D2 => "D2",
        ImageDimension::D2Array => "D2Array",
        ImageDimension::D3 => "D3",
    };
    format!(
        "ImageDescription {{ dimension: Dimension::{dimension}, order: Order::Rgba, channel: Channel::{channel}, \
         width: {width}, height: {height}, depth: {depth}, layers: {layers} }}"
    )
}

/// The type of an element in the sample: halves and structures are bits.
fn element(element: ScalarType) -> &'static str {
    if element == ScalarType::Opaque { "u8" } else { number(element) }
}

fn sample_kernel(out: &mut String, kernel: &Kernel) {
    let sizes = sample::range(kernel);
    let shape = ["linear", "planar", "spatial"][sizes.len() - 1];
    let (mut make, mut show) = (String::new(), String::new());
    let mut given = vec![format!("&Range::{shape}({})", sizes.join(", "))];
    for Parameter { name, kind, .. } in &kernel.parameters {
        let title = format!("{}.{name}", kernel.name);
        let mut value = format!("&{name}");
        match *kind {
            Kind::Buffer { element: of, lanes, read_only } => {
                let (ty, bytes) = (element(of), sample::buffer_bytes(of, lanes));
                line!(make, "    let {name} = Buffer::with(device, &made_up::<{ty}>({bytes}))?;");
                if !read_only {
                    line!(show, "    print(\"{title}\", &{name}.read::<{ty}>(0, 8)?);");
                }
            }
            Kind::Image { dimension, writes, element: of } => {
                let ty = element(sample::image_channel(of).1);
                line!(make, "    let {name} = new_image::<{ty}>(device, &{})?;", description(dimension, of));
                if writes {
                    line!(show, "    print(\"{title}\", &{name}.read::<{ty}>()?);");
                }
            }
            Kind::Sampler => {
                line!(make, "    let {name} = Sampler::new(device, Addressing::ClampToEdge, false, false)?;");
            }
            Kind::Scalar(of) => value = scalar(of).to_owned(),
            Kind::Vector(of, lanes) => value = format!("[{}; {lanes}]", scalar(of)),
            Kind::Bytes(size) => value = format!("&[0; {size}]"),
            Kind::Local(size) => value = (size * sample::LOCAL_ELEMENTS).to_string(),
        }
        given.push(value);
    }
    line!(out, "fn sample_{}(device: &Device, program: &Program) -> Result<()> {{", kernel.name);
    line!(out, "{make}    program.{}({})?;", safe(&kernel.name), given.join(", "));
    line!(out, "    device.finish()?;\n{show}    Ok(())\n}}\n");
}

fn sample(kit: &Kit) -> String {
    let (mut kernels, mut calls) = (String::new(), String::new());
    for kernel in &kit.kernels {
        sample_kernel(&mut kernels, kernel);
        line!(calls, "    sample_{}(&device, &program)?;", kernel.name);
    }
    let values = [
        ("PROGRAM", kit.program.as_str()),
        ("CRATE_NAME", &crate_name(kit)),
        ("KERNELS", &kernels),
        ("CALLS", calls.trim_end()),
    ];
    fill(include_str!("../../kit/rust/sample.rs.in"), &values)
}
