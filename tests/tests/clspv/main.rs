//! SPIR-V for hosts of clspv, launched as its reflection says: `host.c` is such a host. Every case of
//! `tests/kernels` runs on every software driver, and must give what the execution tests expect.
//!
//! The host reads the reflection by its specification, on its own, and knows nothing of our interfaces.
//! Without a C compiler or Vulkan's headers the tests say so, and pass. `clvk-run clspv-compat` has its own
//! tests.

use clvk::interface::clspv::ClspvLaunch;
use clvk::{BuildOptions, Compiler, DeviceProfile, ObjectKind};
use clvk_tests::case::{Addressing, Argument, Case, ResourceKind, Size};
use clvk_tests::{cases, compare, pipeline, spirv};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("clspv")
}

/// The host, compiled once; `None` without what it takes.
fn host() -> Option<&'static Path> {
    static HOST: OnceLock<Option<PathBuf>> = OnceLock::new();
    HOST.get_or_init(|| {
        std::fs::create_dir_all(folder()).unwrap();
        let program = folder().join("host");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clspv/host.c");
        let mut compiler = Command::new("gcc");
        compiler.args(["-std=c99", "-g", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror"]);
        compiler.args(["-Wno-missing-field-initializers", "-fsanitize=undefined", "-fno-sanitize-recover"]);
        compiler.arg("-o").arg(&program).arg(source).arg("-lvulkan");
        let has_headers = Path::new("/usr/include/vulkan/vulkan.h").is_file();
        match compiler.output() {
            Ok(run) if has_headers => {
                assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
                Some(program)
            }
            _ => {
                eprintln!("SKIPPED: gcc or the headers of Vulkan are missing (Debian: gcc libvulkan-dev)");
                None
            }
        }
    })
    .as_deref()
}

/// The software drivers that are found, each with a preset that describes it, or one that is weaker.
fn drivers() -> Vec<(PathBuf, &'static str)> {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("it is in the target folder");
    let unpacked = |file: &str| target.join("drivers").join(file);
    let known = [
        (PathBuf::from("/usr/share/vulkan/icd.d/lvp_icd.x86_64.json"), "lavapipe-22.3"),
        (unpacked("lavapipe-25/lvp_icd.json"), "lavapipe-25.0"),
        (unpacked("swiftshader/vk_swiftshader_icd.json"), "swiftshader"),
    ];
    let found: Vec<_> = known.into_iter().filter(|(file, _)| file.is_file()).collect();
    assert!(!found.is_empty(), "there is no software driver (Debian: mesa-vulkan-drivers)");
    found
}

/// How a host of clspv launches.
fn launch(non_uniform: bool, max_push_constants: u32) -> ClspvLaunch {
    ClspvLaunch {
        non_uniform,
        global_offset: true,
        global_offset_in_push_constants: false,
        values_in_push_constants: false,
        max_push_constants,
        argument_information: true,
    }
}

/// Runs a case on a driver; gives what is wrong.
fn run(
    case: &Case,
    driver: &Path,
    profile: &DeviceProfile,
    launch: &ClspvLaunch,
    at: &Path,
) -> Result<(), String> {
    let Some(host) = host() else { return Ok(()) };
    let _ = std::fs::remove_dir_all(at);
    std::fs::create_dir_all(at).map_err(|error| error.to_string())?;
    let text = std::fs::read_to_string(case.source_path()).map_err(|error| error.to_string())?;
    let options = BuildOptions::from_arguments(case.options.iter().cloned()).map_err(|it| it.to_string())?;
    let compiler = Compiler::for_clspv(profile).with_cache(None).without_files().with_build_options(options);
    let object = compiler.object(ObjectKind::Executable, &case.source, &text);
    let program = object.and_then(|object| compiler.translate_for_clspv(&object, launch));
    let program = program.map_err(|error| pipeline::messages(&error))?;
    let bytes: Vec<u8> = spirv::bytes(&program.spirv);
    std::fs::write(at.join("module.spv"), bytes).map_err(|error| error.to_string())?;
    write_job(case, at).map_err(|error| error.to_string())?;
    let mut command = Command::new(host);
    command.current_dir(at).args(["module.spv", "job"]);
    command.env("VK_DRIVER_FILES", driver).env("VK_ICD_FILENAMES", driver);
    command.env("VK_INSTANCE_LAYERS", "VK_LAYER_KHRONOS_validation");
    let run = command.output().map_err(|error| error.to_string())?;
    let said = [run.stdout, run.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    if !run.status.success() || ["Validation", "VUID", "UNASSIGNED"].iter().any(|text| said.contains(text)) {
        return Err(format!("{}: {said}", run.status));
    }
    for output in &case.outputs {
        let file = at.join(format!("out{}", output.resource.0));
        let result = std::fs::read(file).map_err(|error| error.to_string())?;
        compare::verify(case, output, &result).map_err(|mismatch| mismatch.to_string())?;
    }
    Ok(())
}

/// Writes a case as the host reads it.
fn write_job(case: &Case, at: &Path) -> std::io::Result<()> {
    let mut job = String::new();
    for (index, resource) in case.resources.iter().enumerate() {
        std::fs::write(at.join(format!("in{index}")), &resource.data)?;
        let _ = match resource.kind {
            ResourceKind::Buffer { .. } => writeln!(job, "buffer in{index} {}", resource.data.len()),
            ResourceKind::ImageRgba8 { width, height, .. } => {
                writeln!(job, "image in{index} {width} {height}")
            }
        };
    }
    for launch in &case.launches {
        let _ = write!(job, "launch {}", launch.kernel);
        for (sizes, rest) in [(&launch.global, 1), (&launch.local, 1), (&launch.offset, 0)] {
            for dimension in 0..3 {
                let _ = write!(job, " {}", sizes.get(dimension).copied().unwrap_or(rest));
            }
        }
        let _ = writeln!(job, " {} {}", launch.global.len(), launch.arguments.len());
        for argument in &launch.arguments {
            let _ = writeln!(job, "{}", argument_text(argument));
        }
    }
    for output in &case.outputs {
        let _ = writeln!(job, "output {0} out{0}", output.resource.0);
    }
    std::fs::write(at.join("job"), job)
}

fn argument_text(argument: &Argument) -> String {
    match argument {
        Argument::Resource(id) => format!("resource {}", id.0),
        Argument::Value(bytes) => {
            bytes.iter().fold("value ".to_owned(), |text, byte| text + &format!("{byte:02x}"))
        }
        Argument::Local(bytes) => format!("local {bytes}"),
        // The numbers of OpenCL C's constants (clspv/Sampler.h has the same).
        Argument::Sampler(sampler) => {
            let addressing = match sampler.addressing {
                Addressing::ClampToEdge => 2,
                Addressing::Clamp => 4,
            };
            let filter = if sampler.linear { 0x20 } else { 0x10 };
            format!("sampler {}", addressing | filter | u32::from(sampler.normalized))
        }
        Argument::Null => panic!("hosts of clspv cannot bind a null buffer"),
    }
}

/// Cases with everything that another way to launch can change: values, local memory, launches that follow
/// each other, images with and without samplers.
const SOME: &[&str] = &["saxpy", "reduction", "convolution", "blend", "transpose"];

/// Runs cases on all drivers; all cases if `names` is empty.
fn cases(name: &str, names: &[&str], launch: &ClspvLaunch, profile: impl Fn(&'static str) -> DeviceProfile) {
    let mut wrong = Vec::new();
    for (driver, preset) in drivers() {
        let largest = DeviceProfile::preset(preset).unwrap().max_work_group_invocations as usize;
        let is_wanted = |name: &str| names.is_empty() || names.contains(&name);
        for definition in cases::ALL.iter().filter(|it| is_wanted(it.name)) {
            let case = (definition.build)(Size::Small);
            let is_large = |local: &[usize]| local.iter().product::<usize>() > largest;
            if case.launches.iter().any(|launch| is_large(&launch.local)) {
                continue;
            }
            // The bytes of this case do not end at a word.
            if definition.name == "blend" && !profile(preset).buffers_hold_8bit() {
                let refusal = run(&case, &driver, &profile(preset), launch, &folder().join(name));
                let said = refusal.expect_err("its last bytes would be lost");
                assert!(said.contains("kernel `blend` accesses 8 bits of a buffer"), "{said}");
                continue;
            }
            // Such hosts do not promise full sub-groups.
            if std::fs::read_to_string(case.source_path()).unwrap().contains("get_sub_group_id") {
                let refusal = run(&case, &driver, &profile(preset), launch, &folder().join(name));
                let said = refusal.expect_err("it asks for its sub-group");
                assert!(said.contains("requires __opencl_c_subgroups"), "{said}");
                continue;
            }
            let at = folder().join(name).join(preset).join(definition.name);
            if let Err(problem) = run(&case, &driver, &profile(preset), launch, &at) {
                wrong.push(format!("{preset}, {}: {problem}", definition.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The driver's own profile, with descriptors, as clspv's default is.
fn own(preset: &'static str) -> DeviceProfile {
    DeviceProfile { buffer_device_address: false, ..DeviceProfile::preset(preset).unwrap() }
}

#[test]
fn kernels_run_by_their_reflection() {
    cases("uniform", &[], &launch(false, 128), own);
}

#[test]
fn regions_of_a_launch_are_told_in_push_constants() {
    cases("regions", SOME, &launch(true, 256), own);
}

#[test]
fn values_that_do_not_fit_are_in_a_storage_buffer() {
    cases("stored", &["saxpy", "reduction", "blend", "transpose"], &launch(false, 4), own);
}

#[test]
fn buffers_may_be_addresses() {
    // SwiftShader has no 64-bit integers, so there it is the same as with descriptors.
    cases("addresses", SOME, &launch(false, 128), |preset| DeviceProfile::preset(preset).unwrap());
}

#[test]
fn devices_without_optional_features_do_the_same() {
    let weak = |_| DeviceProfile {
        image_write_without_format: true,
        max_work_group_invocations: 1024,
        ..DeviceProfile::preset("vulkan-1.1").unwrap()
    };
    cases("weak", SOME, &launch(false, 128), weak);
}
