//! Exported kits: writing, building and running them.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Says why a test did nothing.
pub fn skip(reason: &str) {
    eprintln!("SKIPPED: {reason}");
}

/// Whether a program is installed.
pub fn has(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// A file beside this one.
pub fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/export").join(name)
}

/// The folder with `vulkan/vulkan.h`: the system's, or the one that `VULKAN_SDK` names.
pub fn vulkan_headers() -> Option<PathBuf> {
    let sdk = std::env::var_os("VULKAN_SDK").map(|sdk| PathBuf::from(sdk).join("include"));
    let folders = sdk.into_iter().chain(["/usr/include", "/usr/local/include"].map(PathBuf::from));
    folders.into_iter().find(|folder| folder.join("vulkan/vulkan.h").is_file())
}

/// The manifests of the drivers: those that the environment names, else the installed software driver and
/// those of `target/drivers`.
pub fn driver_files() -> Vec<PathBuf> {
    if let Some(files) = std::env::var_os("VK_DRIVER_FILES").or_else(|| std::env::var_os("VK_ICD_FILENAMES"))
    {
        return std::env::split_paths(&files).collect();
    }
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("it is in the target folder");
    let files_of = |folder: &Path| {
        std::fs::read_dir(folder)
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path())
            .collect::<Vec<_>>()
    };
    let is_manifest = |file: &PathBuf| file.extension().is_some_and(|extension| extension == "json");
    let installed = files_of(Path::new("/usr/share/vulkan/icd.d"));
    // Other installed drivers need hardware.
    let software = installed.into_iter().filter(|file| file.to_string_lossy().contains("lvp_icd"));
    let unpacked = files_of(&target.join("drivers")).into_iter().flat_map(|folder| files_of(&folder));
    let mut files: Vec<PathBuf> = software.chain(unpacked).filter(is_manifest).collect();
    files.sort();
    assert!(!files.is_empty(), "there is no Vulkan driver (Debian: mesa-vulkan-drivers)");
    files
}

/// An exported kit in a folder of its own.
pub struct Kit(PathBuf);

impl Kit {
    /// An empty folder for a test.
    pub fn folder(test: &str) -> PathBuf {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("export").join(test);
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        path
    }

    /// Exports a source of this folder.
    pub fn export(test: &str, file: &str, options: &[&str]) -> Kit {
        let kit = Kit(Kit::folder(test));
        let run = kit.export_again(file, options);
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        kit
    }

    /// Exports to the same folder.
    pub fn export_again(&self, file: &str, options: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_clvk-run"));
        command.arg("export").arg(source(file)).args(options).arg("-o").arg(&self.0);
        command.output().unwrap()
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// Runs a command in the folder, which must succeed without a warning.
    pub fn must(&self, mut command: Command) {
        let run = command.current_dir(&self.0).output().unwrap();
        let text = [run.stdout, run.stderr].concat();
        let text = String::from_utf8_lossy(&text);
        assert!(run.status.success() && !text.contains("warning:"), "{command:?}: {text}");
    }

    /// Compiles the runtime, the program and a source in C, with strict warnings.
    pub fn compile_c(&self, file: &str, options: &[&str]) -> Option<PathBuf> {
        let Some(headers) = vulkan_headers() else {
            skip("the headers of Vulkan are missing (Debian: libvulkan-dev)");
            return None;
        };
        if !has("gcc") {
            skip("gcc is missing");
            return None;
        }
        let mut objects: Vec<PathBuf> = Vec::new();
        for folder in ["runtime", "program"] {
            let files = std::fs::read_dir(self.path(folder)).unwrap().flatten().map(|entry| entry.path());
            objects.extend(files.filter(|file| file.extension().is_some_and(|extension| extension == "c")));
        }
        let program = self.path("program.out");
        let mut command = Command::new("gcc");
        command.args(["-std=c99", "-g", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror"]);
        command.args(["-Wno-missing-field-initializers", "-fsanitize=undefined", "-fno-sanitize-recover"]);
        command.args(["-Iruntime", "-Iprogram", "-I"]).arg(headers).args(options).arg("-o").arg(&program);
        command.arg(file).args(objects).arg("-ldl");
        self.must(command);
        Some(program)
    }

    /// Builds the sample by the kit's CMake file.
    pub fn build_by_cmake(&self) -> Option<PathBuf> {
        if !has("cmake") || !has("g++") || vulkan_headers().is_none() {
            skip("cmake, g++ or the headers of Vulkan are missing (Debian: cmake g++ libvulkan-dev)");
            return None;
        }
        let mut configure = Command::new("cmake");
        configure.args(["-B", "build", "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Wno-missing-field-initializers"]);
        self.must(configure);
        let mut build = Command::new("cmake");
        build.args(["--build", "build"]);
        self.must(build);
        Some(self.path("build/sample"))
    }

    /// Builds the sample by cargo, without the network.
    pub fn build_by_cargo(&self) -> Option<PathBuf> {
        let Some(headers) = vulkan_headers().filter(|_| has("gcc")) else {
            skip("gcc or the headers of Vulkan are missing (Debian: gcc libvulkan-dev)");
            return None;
        };
        let cargo = || {
            let mut command = Command::new(env!("CARGO"));
            command.current_dir(&self.0).env("CARGO_TARGET_DIR", self.path("target"));
            command.env("VULKAN_SDK", headers.parent().expect("it is a folder named include"));
            command
        };
        // The crate `cc` is a dependency of ours, so cargo has it, unless its copies were removed.
        let fetched = cargo().args(["fetch", "--offline"]).output().unwrap();
        if !fetched.status.success() {
            skip("cargo has no copy of the crate `cc`");
            return None;
        }
        let mut build = cargo();
        build.args(["build", "--offline", "--example", "sample"]);
        self.must(build);
        Some(self.path("target/debug/examples/sample"))
    }

    /// A program on a driver, under the validation layer.
    pub fn command_on(&self, driver: &Path, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.0).env("VK_DRIVER_FILES", driver).env("VK_ICD_FILENAMES", driver);
        command.env("VK_INSTANCE_LAYERS", "VK_LAYER_KHRONOS_validation");
        command
    }

    /// What a program prints on a driver. It must succeed, and the validation layer must be silent.
    pub fn run_on(&self, driver: &Path, program: &Path, arguments: &[&str]) -> String {
        let run = self.command_on(driver, program).args(arguments).output().unwrap();
        let (out, err) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
        assert!(run.status.success(), "{driver:?}: {out}{err}");
        for text in ["Validation", "VUID", "UNASSIGNED"] {
            assert!(!out.contains(text) && !err.contains(text), "{driver:?}: {out}{err}");
        }
        out.into_owned()
    }
}
