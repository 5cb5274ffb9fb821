//! The files of a kit.

use crate::export::command::{Language, Target};
use crate::export::names::package;
use crate::export::template::fill;
use crate::export::{Kit, c, cpp, kotlin, rust, tables};

/// Who changes a file once it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// Exporting again replaces it.
    Kit,
    /// It is a start, which the user changes.
    User,
}

/// A file to write.
pub struct File {
    /// Path in the kit's folder.
    pub path: String,
    /// Bytes.
    pub contents: Vec<u8>,
    /// Whose it is.
    pub owner: Owner,
}

impl File {
    /// A file that exporting again replaces.
    pub fn of_kit(path: impl Into<String>, contents: impl Into<Vec<u8>>) -> File {
        File { path: path.into(), contents: contents.into(), owner: Owner::Kit }
    }

    /// A file that the user changes.
    pub fn of_user(path: impl Into<String>, contents: impl Into<Vec<u8>>) -> File {
        File { path: path.into(), contents: contents.into(), owner: Owner::User }
    }
}

/// The runtime's files, by name.
macro_rules! runtime {
    ($($name:literal)*) => {
        [$(($name, include_str!(concat!("../../kit/runtime/", $name))),)*]
    };
}

/// The runtime.
const RUNTIME: &[(&str, &str)] = &runtime! {
    "clvk_launch.h" "clvk_program_data.h" "clvk_internal.h" "clvk_device.c" "clvk_features.c" "clvk_memory.c"
    "clvk_image.c" "clvk_program.c" "clvk_range.c" "clvk_command.c"
};

/// The sources of the runtime and the program in C, for build files.
pub fn c_sources(kit: &Kit) -> Vec<String> {
    let runtime = RUNTIME.iter().filter(|(name, _)| name.ends_with(".c"));
    let mut sources: Vec<String> = runtime.map(|(name, _)| format!("runtime/{name}")).collect();
    sources.push(format!("program/{}.c", kit.program));
    sources
}

/// All files of a kit.
pub fn files(kit: &Kit) -> Vec<File> {
    let program = &kit.program;
    let mut files: Vec<File> =
        RUNTIME.iter().map(|(name, text)| File::of_kit(format!("runtime/{name}"), *text)).collect();
    files.push(File::of_kit("runtime/clvk_drivers.h", tables::drivers_header()));
    files.push(File::of_kit(format!("program/{program}.h"), c::header(kit)));
    files.push(File::of_kit(format!("program/{program}.c"), c::source(kit)));
    files.push(File::of_kit(
        format!("program/{program}_interface.h"),
        tables::interface_header(program, &kit.variants),
    ));
    files.push(File::of_kit(format!("program/{program}_spirv.h"), tables::spirv_header(&kit.variants)));
    for variant in &kit.variants {
        let stem =
            format!("spirv/{program}-{}", variant.name.replace(|c: char| !c.is_ascii_alphanumeric(), "-"));
        files.push(File::of_kit(format!("{stem}.spv"), variant.program.spirv_bytes()));
        files.push(File::of_kit(format!("{stem}.json"), variant.program.interface_json()));
    }
    match kit.language {
        Language::C => files.push(File::of_user("sample.c", c::sample(kit))),
        Language::Cpp => files.extend(cpp::files(kit)),
        Language::Rust => files.extend(rust::files(kit)),
        Language::Kotlin => files.extend(kotlin::files(kit)),
    }
    if matches!(kit.language, Language::C | Language::Cpp) {
        files.push(File::of_user("CMakeLists.txt", cmake(kit)));
        if kit.target == Target::Android {
            files.extend(gradle_library(kit));
        }
    }
    files.push(File::of_user("README.md", readme(kit)));
    files
}

fn cmake(kit: &Kit) -> String {
    let (languages, sample) = match kit.language {
        Language::Cpp => ("C CXX", "sample.cpp"),
        _ => ("C", "sample.c"),
    };
    let values = [
        ("PROGRAM", kit.program.as_str()),
        ("LANGUAGES", languages),
        ("SOURCES", &c_sources(kit).join("\n  ")),
        ("SAMPLE", sample),
    ];
    fill(include_str!("../../kit/build/CMakeLists.txt"), &values)
}

/// What a library for Android has besides.
fn gradle_library(kit: &Kit) -> Vec<File> {
    let package = package(&kit.program);
    let values = [("PACKAGE", package.as_str())];
    vec![
        File::of_user("build.gradle.kts", fill(include_str!("../../kit/build/library.gradle.kts"), &values)),
        File::of_user(
            "settings.gradle.kts",
            fill(include_str!("../../kit/build/settings.gradle.kts"), &[("PROGRAM", &kit.program)]),
        ),
        File::of_user("src/main/AndroidManifest.xml", include_str!("../../kit/build/library.xml")),
    ]
}

/// How to build and run the sample.
fn commands(kit: &Kit) -> &'static str {
    match (kit.language, kit.target) {
        (Language::Rust, Target::Android) => include_str!("../../kit/build/rust-android.md"),
        (Language::Rust, _) => include_str!("../../kit/build/rust.md"),
        (Language::Kotlin, _) => include_str!("../../kit/build/kotlin.md"),
        (_, Target::Android) => include_str!("../../kit/build/android.md"),
        (_, Target::Linux) => include_str!("../../kit/build/linux.md"),
        (_, Target::Windows) => include_str!("../../kit/build/windows.md"),
    }
}

fn readme(kit: &Kit) -> String {
    let mut variants = String::new();
    for variant in &kit.variants {
        let mut needs: Vec<String> = variant.needs.iter().map(|name| format!("`{name}`")).collect();
        needs.extend(variant.subgroup_size.map(|size| format!("sub-groups of {size}")));
        let needs = if needs.is_empty() { "Vulkan 1.1".to_owned() } else { needs.join(", ") };
        let bytes = variant.program.spirv().len() * 4;
        variants.push_str(&format!("| {} | {bytes} | {needs} |\n", variant.name));
    }
    let kernels: Vec<String> =
        kit.kernels.iter().map(|kernel| format!("- `{}`", kernel.declaration)).collect();
    let values = [
        ("PROGRAM", kit.program.as_str()),
        ("VERSION", env!("CARGO_PKG_VERSION")),
        ("KERNELS", &kernels.join("\n")),
        ("VARIANTS", variants.trim_end()),
        ("COMMANDS", commands(kit).trim_end()),
    ];
    fill(include_str!("../../kit/build/README.md"), &values)
}
