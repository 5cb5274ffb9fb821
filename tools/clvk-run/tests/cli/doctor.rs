//! `doctor` on machines that are broken in many ways, by variables, manifests and libraries.

use crate::harness::{Folder, Run, finish};
use std::process::Command;

/// Variables that a test sets; those that would change the outcome are removed first.
fn doctor(folder: &Folder, arguments: &[&str], variables: &[(&str, &str)]) -> Run {
    let arguments = [&["doctor"], arguments].concat();
    let mut command = folder.command(&arguments);
    for name in ["VK_DRIVER_FILES", "VK_ICD_FILENAMES", "VK_ADD_DRIVER_FILES", "CLVK_CACHE", "COLUMNS"] {
        command.env_remove(name);
    }
    command.envs(variables.iter().copied());
    finish(command, &arguments)
}

/// The report with these variables, which must be of this exit code and say these texts.
fn says(folder: &Folder, code: i32, variables: &[(&str, &str)], expected: &[&str]) {
    let run = doctor(folder, &[], variables);
    assert_eq!((run.code, run.err.as_str()), (code, ""), "{run:?}");
    let text: String = run.out.split_whitespace().collect::<Vec<_>>().join(" ");
    for expected in expected {
        assert!(text.contains(expected), "the report does not say `{expected}`:\n{}", run.out);
    }
}

/// A manifest in the folder that names a library; its path.
fn manifest(folder: &Folder, name: &str, library: &str) -> String {
    let text = format!(
        r#"{{"file_format_version": "1.0.0", "ICD": {{"library_path": "{library}", "api_version": "1.3.0"}}}}"#
    );
    folder.write(name, text);
    folder.path(name).to_str().unwrap().to_owned()
}

/// Makes a shared library of C.
fn library(folder: &Folder, name: &str, source: &str, options: &[&str]) {
    folder.write("source.c", source);
    let mut command = Command::new("cc");
    command.args(["-shared", "-fPIC", "-o", name, "source.c"]).args(options).current_dir(folder.path(""));
    assert!(command.status().unwrap().success());
}

#[test]
fn a_machine_that_works_is_said_to() {
    let folder = Folder::new("doctor-good");
    let run = doctor(&folder, &[], &[]);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{run:?}");
    assert!(run.out.lines().next().unwrap().ends_with("can be used"), "{}", run.out);
    assert!(!run.out.contains('\u{1b}'), "colours where there is no terminal");
    let run = doctor(&folder, &["--json"], &[]);
    let report: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert!(report["usable_devices"].as_u64().unwrap() >= 1);
    let marks = report["sections"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|section| section["lines"].as_array().unwrap());
    assert!(marks.clone().all(|line| line["mark"].is_string() && line["text"].is_string()));
    assert!(marks.count() >= 7);
}

#[test]
fn manifests_that_are_broken_are_told_apart() {
    let folder = Folder::new("doctor-manifests");
    let empty = folder.path("empty");
    std::fs::create_dir(&empty).unwrap();
    let empty = empty.to_str().unwrap();
    let value = format!("VK_DRIVER_FILES={empty}");
    says(
        &folder,
        4,
        &[("VK_DRIVER_FILES", empty)],
        &[
            "no manifest of a driver",
            &value,
            "VK_DRIVER_FILES, whose value is below, restricts",
            "no device can be used",
        ],
    );
    says(
        &folder,
        4,
        &[("VK_ICD_FILENAMES", "/nonesuch.json")],
        &["/nonesuch.json: there is no such file", "unset"],
    );
    folder.write("text.json", "not JSON");
    folder.write("other.json", "{}");
    folder.write("text.so", "not a library");
    let text = folder.path("text.so");
    let files = [
        folder.path("text.json").to_str().unwrap().to_owned(),
        folder.path("other.json").to_str().unwrap().to_owned(),
        manifest(&folder, "nowhere.json", "/nonesuch/lib.so"),
        manifest(&folder, "nolibrary.json", text.to_str().unwrap()),
    ];
    let expected = [
        "text.json: not a driver's manifest: not JSON",
        "other.json: not a driver's manifest: it names no library_path",
        "nowhere.json: its library /nonesuch/lib.so does not exist",
        "nolibrary.json: ",
        "text.so: file too short",
    ];
    says(&folder, 4, &[("VK_DRIVER_FILES", &files.join(":"))], &expected);
}

#[test]
fn libraries_that_crash_or_miss_others_are_found_out() {
    let folder = Folder::new("doctor-libraries");
    library(&folder, "libneeded.so", "int f(void) { return 1; }", &[]);
    library(&folder, "libneedy.so", "int f(void); int g(void) { return f(); }", &["-L.", "-lneeded"]);
    std::fs::remove_file(folder.path("libneeded.so")).unwrap();
    let crash = "__attribute__((constructor)) static void crash(void) { __builtin_trap(); }";
    library(&folder, "libcrash.so", crash, &[]);
    // Relative to the manifest.
    let files =
        [manifest(&folder, "needy.json", "./libneedy.so"), manifest(&folder, "crash.json", "./libcrash.so")];
    let expected = [
        "libneedy.so needs libneeded.so, which is not there",
        "crash.json: the driver crashed (signal",
        "a driver ended the process",
    ];
    says(&folder, 4, &[("VK_DRIVER_FILES", &files.join(":"))], &expected);
}

#[test]
fn a_loader_that_does_not_load_is_the_reason() {
    let folder = Folder::new("doctor-loader");
    // Found before the real ones.
    folder.write("libvulkan.so.1", "not a library");
    folder.write("libvulkan.so", "not a library");
    let path = folder.path("");
    let expected = ["the loader libvulkan.so.1 does not load", "sudo apt-get install libvulkan1"];
    says(&folder, 4, &[("LD_LIBRARY_PATH", path.to_str().unwrap())], &expected);
}

#[test]
fn caches_and_opencl_are_looked_at() {
    let folder = Folder::new("doctor-opencl");
    let broken =
        ["/proc/nonesuch cannot be written", "CLVK_CACHE_DIR=FOLDER", "CLVK_CACHE_DIR=/proc/nonesuch"];
    says(&folder, 0, &[("CLVK_CACHE_DIR", "/proc/nonesuch")], &broken);
    says(&folder, 0, &[("CLVK_CACHE", "0")], &["off: kernels are compiled anew"]);
    let cache = folder.path("cache");
    let cache = cache.to_str().unwrap();
    says(&folder, 0, &[("CLVK_CACHE_DIR", cache)], &[&format!("{cache}, 0 of at most 1024 MiB")]);
    std::fs::create_dir(folder.path("vendors")).unwrap();
    let vendors = folder.path("vendors");
    let vendors = ("OCL_ICD_VENDORS", vendors.to_str().unwrap());
    says(&folder, 0, &[vendors], &["no vendor file of clvk", "tools/install"]);
    folder.write("vendors/clvk.icd", "/nonesuch/libclvk_icd.so\n");
    says(&folder, 0, &[vendors], &["clvk.icd: /nonesuch/libclvk_icd.so, which does not exist"]);
}
