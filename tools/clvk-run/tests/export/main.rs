//! `clvk-run export`: kits are written, built with the system's compilers, and run on every software driver
//! that is found, under the validation layer.
//!
//! A test that lacks a compiler or a header says so, and passes. The drivers are the installed one and those
//! that `tools/test` unpacks into `target/drivers`.

mod kit;

use kit::{Kit, driver_files, has, skip};
use std::path::Path;
use std::process::Command;

/// What the samples of `sample.cl` print, computed by hand from its comment.
const EXPECTED: [&str; 6] = [
    // 2 x + y, of halves of 0, 1, 2, ...
    "saxpy.y: 0 1.5 3 4.5 6 7.5 9 10.5",
    // 16 + 160 + 1600 + 16 + 16 + 16 * 1024
    "widths.out_: 18192 18192 18192 18192 18192 18192 18192 18192",
    "mirror.data_: 15 14 13 12 11 10 9 8",
    "spilled.out_: 10 11 12 13 14 15 16 17",
    // 0 + 1 + ... + 15
    "sums.out_: 120 120 120 120 120 120 120 120",
    "required.out_: 4 5 7 9 13 15 19 21",
];

/// The same of `images.cl`: 255 - N % 16, and 16 + 32 + 64 + 4 N % 16.
const EXPECTED_IMAGES: [&str; 2] =
    ["invert.to: 255 254 253 252 251 250 249 248", "sizes.out_: 112 116 120 124 112 116 120 124"];

/// Profiles with which every driver that tests run on finds a variant.
const ALL_PROFILES: &str = "nvidia-h200,lavapipe-26.2,lavapipe-25.0,lavapipe-22.3,swiftshader,vulkan-1.1";

/// The profiles of the software drivers, and the least.
const PROFILES: &str = "lavapipe-25.0,lavapipe-22.3,swiftshader,vulkan-1.1";

fn check_sample(kit: &Kit, program: &Path, expected: &[&str]) {
    for driver in driver_files() {
        let out = kit.run_on(&driver, program, &[]);
        for line in expected {
            assert!(out.lines().any(|it| it == *line), "{driver:?} does not print `{line}`:\n{out}");
        }
    }
}

#[test]
fn the_sample_in_c_gives_known_values() {
    let kit = Kit::export("c", "sample.cl", &["--profile", ALL_PROFILES]);
    if let Some(program) = kit.compile_c("sample.c", &[]) {
        check_sample(&kit, &program, &EXPECTED);
    }
}

#[test]
fn the_sample_in_cpp_gives_known_values() {
    let kit = Kit::export("cpp", "sample.cl", &["--lang", "cpp", "--profile", ALL_PROFILES]);
    if let Some(program) = kit.build_by_cmake() {
        check_sample(&kit, &program, &EXPECTED);
    }
}

#[test]
fn the_sample_in_rust_gives_known_values() {
    let kit = Kit::export("rust", "sample.cl", &["--lang", "rust", "--profile", ALL_PROFILES]);
    if let Some(program) = kit.build_by_cargo() {
        check_sample(&kit, &program, &EXPECTED);
    }
}

#[test]
fn images_and_samplers_give_known_values() {
    for (language, source) in [("c", "sample.c"), ("cpp", "sample.cpp")] {
        let name = format!("images-{language}");
        let kit = Kit::export(&name, "images.cl", &["--lang", language, "--profile", ALL_PROFILES]);
        let program = match language {
            "c" => kit.compile_c(source, &[]),
            _ => kit.build_by_cmake(),
        };
        if let Some(program) = program {
            check_sample(&kit, &program, &EXPECTED_IMAGES);
        }
    }
}

#[test]
fn variables_keep_their_values() {
    let kit = Kit::export("variables", "variables.cl", &["--profile", ALL_PROFILES, "-cl-std=CL3.0"]);
    if let Some(program) = kit.compile_c("sample.c", &[]) {
        check_sample(&kit, &program, &["count.out_: 6 4 7 4 8 12 5 9"]);
    }
}

#[test]
fn a_device_gets_the_first_variant_that_suits_it() {
    let kit = Kit::export("variants", "sample.cl", &["--profile", PROFILES]);
    let Some(program) = kit.compile_c("sample.c", &[]) else { return };
    let mut seen = 0;
    for driver in driver_files() {
        let out = kit.run_on(&driver, &program, &[]);
        let expected = match driver.to_string_lossy() {
            name if name.contains("swiftshader") => "swiftshader",
            name if name.contains("lavapipe-25") => "lavapipe-25.0",
            name if name.contains("lvp_icd") => "lavapipe-22.3",
            _ => continue,
        };
        let first = out.lines().next().unwrap_or_default();
        // A newer lavapipe may be installed, which has another list of errors.
        if expected == "lavapipe-22.3" && !first.contains("LLVM 15") {
            continue;
        }
        assert!(first.contains(&format!(", variant {expected}")), "{driver:?}: {out}");
        seen += 1;
    }
    assert!(seen > 0, "no driver was tried");
}

#[test]
fn a_device_that_nothing_suits_is_refused_by_name() {
    let kit = Kit::export("none-suits", "sample.cl", &["--profile", "lavapipe-25.0", "--kernel", "widths"]);
    let Some(program) = kit.compile_c("sample.c", &[]) else { return };
    let Some(driver) = driver_files().into_iter().find(|it| it.to_string_lossy().contains("swiftshader"))
    else {
        return skip("SwiftShader is not in target/drivers");
    };
    let run = kit.command_on(&driver, &program).output().unwrap();
    let err = String::from_utf8_lossy(&run.stderr);
    assert_eq!(run.status.code(), Some(1), "{err}");
    assert!(err.contains("error 3: no variant of program `sample` suits `SwiftShader"), "{err}");
    assert!(err.contains("(lavapipe-25.0: the device has no "), "{err}");
}

#[test]
fn the_runtime_keeps_its_promises() {
    let kit = Kit::export("checks", "checks.cl", &["--profile", ALL_PROFILES]);
    let names = "#define calloc counted_calloc\n#define free counted_free\n";
    kit.write(
        "counted.h",
        &format!(
            "#include <stdlib.h>\n{names}void *counted_calloc(size_t, size_t);\nvoid counted_free(void *);\n"
        ),
    );
    std::fs::copy(kit::source("checks.c"), kit.path("checks.c")).unwrap();
    let Some(program) = kit.compile_c("checks.c", &["-include", "counted.h"]) else { return };
    for driver in driver_files() {
        let out = kit.run_on(&driver, &program, &[]);
        assert!(out.ends_with("all right\n"), "{driver:?}:\n{out}");
    }
}

#[test]
fn the_sources_of_kotlin_fit_their_machine() {
    let kit = Kit::export("kotlin", "images.cl", &["--target", "android", "--lang", "kotlin"]);
    for file in
        ["runtime/Clvk.kt", "program/ImagesProgram.kt", "src/main/AndroidManifest.xml", "build.gradle.kts"]
    {
        assert!(kit.path(file).is_file(), "{file} is missing");
    }
    let homes = std::fs::read_dir("/usr/lib/jvm").into_iter().flatten().flatten();
    let home = homes.map(|entry| entry.path()).find(|home| home.join("include/jni.h").is_file());
    let (Some(home), Some(headers)) = (home, kit::vulkan_headers()) else {
        return skip(
            "jni.h or the headers of Vulkan are missing (Debian: default-jdk-headless, libvulkan-dev)",
        );
    };
    if !has("gcc") {
        return skip("gcc is missing");
    }
    for source in ["runtime/clvk_jni.c", "program/images_jni.c"] {
        let mut command = Command::new("gcc");
        command.args([
            "-std=c99",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-Wno-missing-field-initializers",
            "-fsyntax-only",
        ]);
        command.args(["-Iruntime", "-Iprogram"]).arg("-I").arg(home.join("include"));
        command.arg("-I").arg(home.join("include/linux")).arg("-I").arg(&headers).arg(source);
        kit.must(command);
    }
}

#[test]
fn what_a_kit_cannot_run_is_refused_by_name() {
    let refused = |source: &str, options: &[&str], expected: &str| {
        let folder = Kit::folder("refused");
        std::fs::write(folder.join("refused.cl"), source).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_clvk-run"));
        command.current_dir(&folder).args([
            "export",
            "refused.cl",
            "-o",
            "kit",
            "--profile",
            "lavapipe-25.0",
        ]);
        let run = command.args(options).output().unwrap();
        let err = String::from_utf8_lossy(&run.stderr);
        assert_eq!(run.status.code(), Some(3), "{err}");
        assert!(err.contains(expected), "{err}");
        assert!(!folder.join("kit").exists(), "{expected}: something was written");
    };
    refused("kernel void p(int n) { printf(\"%d\", n); }", &[], "kernel `p` prints with `printf`");
    let pipe =
        "kernel void r(global int *a, read_only pipe int q) { int v; if (read_pipe(q, &v) == 0) *a = v; }";
    refused(pipe, &["-cl-std=CL3.0"], "kernel `r` takes the pipe `q`");
    let image = "kernel void b(read_only image1d_buffer_t i, global float4 *o) { *o = read_imagef(i, 0); }";
    refused(image, &[], "kernel `b` takes the image `i`, which is made from a buffer");
    let differs = "#ifdef cl_khr_fp64\nkernel void d(global double *x) { *x = 1; }\n#else\nkernel void d(global float *x) { *x = 1; }\n#endif";
    refused(differs, &["--profile", "vulkan-1.1"], "have different parameters");
}

#[test]
fn only_what_the_user_does_not_change_is_written_again() {
    let kit = Kit::export("again", "sample.cl", &["--profile", "vulkan-1.1"]);
    kit.write("sample.c", "mine");
    kit.write("program/sample.c", "old");
    let run = kit.export_again("sample.cl", &["--profile", "vulkan-1.1"]);
    assert!(run.status.success());
    assert!(String::from_utf8_lossy(&run.stderr).contains("kept"));
    assert_eq!(kit.read("sample.c"), "mine");
    assert_ne!(kit.read("program/sample.c"), "old");
    std::fs::remove_dir_all(kit.path("runtime")).unwrap();
    let run = kit.export_again("sample.cl", &[]);
    assert_eq!(run.status.code(), Some(2), "a folder with other files is not an exported program");
    assert_eq!(kit.read("sample.c"), "mine");
}
