//! Every case of `tests/kernels` and every program of `tests/programs` as WGSL, through wgpu, on every
//! Vulkan device found: the results must be what the execution tests expect. On devices with the optional
//! features of WebGPU that shaders can use, those whose text then differs run with them, too.
//!
//! `refused.txt` beside this file lists what has no translation, each with its reason: a program that is
//! not in it must run, and one that is must be refused for that reason. `CLVK_BLESS=1` writes it.
//! `refused-with-features.txt` is the list where all features are used. The same kernels are also written
//! as MSL, HLSL and GLSL, which naga must be able to do. GLSL also goes through `glslangValidator` where
//! it is installed (Debian's `glslang-tools`), whose front end for HLSL lacks too much.

mod gpu;

use clvk::{BuildOptions, Compiler, Error, Overrides, ShaderText, Shaders};
use clvk_interface::{DeviceProfile, Feature, ShaderFeature, ShaderLanguage};
use clvk_tests::case::{Case, Size};
use clvk_tests::program::{self, Program};
use clvk_tests::{cases, compare, pipeline};
use gpu::Gpu;
use libtest_mimic::{Arguments, Completion, Failed, Trial};
use std::collections::BTreeMap;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::{Arc, LazyLock, OnceLock};

fn main() -> ExitCode {
    without_device_selection();
    let arguments = Arguments::from_args();
    let tests = match tests() {
        Ok(tests) => tests,
        Err(error) => {
            eprintln!("the tests of WGSL cannot run: {error}");
            return ExitCode::FAILURE;
        }
    };
    if std::env::var_os("CLVK_BLESS").is_some_and(|value| value == "1") {
        for features in VARIANTS {
            let refusal = |test: &Test| Some(format!("{}: {}\n", test.name, test.refusal(features)?));
            let text: String = tests.iter().filter_map(refusal).collect();
            std::fs::write(list_path(features), text).expect("the list can be written");
        }
        return ExitCode::SUCCESS;
    }
    if let Some(folder) = std::env::var_os("CLVK_WGSL_FOLDER") {
        return match export(&tests, Path::new(&folder)) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("{error}");
                ExitCode::FAILURE
            }
        };
    }
    libtest_mimic::run(&arguments, trials(tests)).exit_code()
}

/// Writes each text and its interface into a folder, for other compilers (`tools/tint`).
fn export(tests: &[Test], folder: &Path) -> Result<(), Box<dyn std::error::Error>> {
    for (variant, features) in ["portable", "features"].into_iter().zip(VARIANTS) {
        for test in tests {
            let Ok(shaders) = test.shaders(features) else { continue };
            let shader = shaders.to_wgsl()?;
            if shader.interface.features.is_empty() && !features.is_empty() {
                continue;
            }
            let file = folder.join(variant).join(format!("{}.wgsl", test.name));
            std::fs::create_dir_all(file.parent().expect("it has a folder"))?;
            std::fs::write(file.with_extension("json"), serde_json::to_string(&shader.interface)?)?;
            std::fs::write(file, shader.text)?;
        }
    }
    Ok(())
}

/// Without optional features, and with all.
const VARIANTS: [&[ShaderFeature]; 2] = [&[], &ShaderFeature::ALL];

/// Starts the program again without Mesa's layer that puts a desktop's device first. wgpu enables extensions
/// for windows, and with them the layer prints an error wherever there is no desktop.
fn without_device_selection() {
    const DISABLES: &str = "NODEVICE_SELECT";
    if std::env::var_os(DISABLES).is_some() {
        return;
    }
    let Ok(program) = std::env::current_exe() else { return };
    // It returns only if it fails; then the tests run with the layer.
    let _ = Command::new(program).args(std::env::args_os().skip(1)).env(DISABLES, "1").exec();
}

/// A source to translate and run.
struct Test {
    name: String,
    case: Case,
    text: String,
    /// Set for the programs of `tests/programs`.
    program: Option<Program>,
}

/// Why there is nothing to run.
enum Refusal {
    /// WebGPU has no such feature of the language, or the kernels have no translation.
    Listed(String),
    /// The source is wrong, as the program's header says, or the compiler is.
    Failed(String),
}

fn list_path(features: &[ShaderFeature]) -> PathBuf {
    let name = if features.is_empty() { "refused.txt" } else { "refused-with-features.txt" };
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wgsl").join(name)
}

/// Names and reasons.
fn refused(features: &[ShaderFeature]) -> BTreeMap<String, String> {
    let text = std::fs::read_to_string(list_path(features)).unwrap_or_default();
    let entry = |line: &str| line.split_once(": ").map(|(name, reason)| (name.to_owned(), reason.to_owned()));
    text.lines().filter_map(entry).collect()
}

fn tests() -> Result<Vec<Test>, String> {
    let mut tests = Vec::new();
    for definition in cases::ALL.iter().chain(cases::CXX) {
        let case = (definition.build)(Size::Small);
        let text = std::fs::read_to_string(case.source_path()).map_err(|error| error.to_string())?;
        tests.push(Test { name: format!("kernels/{}", definition.name), case, text, program: None });
    }
    for program in program::all()? {
        if ![".cl", ".clcpp"].iter().any(|ending| program.file.ends_with(ending)) {
            continue;
        }
        let (name, case, text) = (program.name.clone(), program.case.clone(), program.text.clone());
        // What no device may compile is not about WGSL.
        if program.refused.is_none() {
            tests.push(Test { name, case, text, program: Some(program) });
        }
    }
    Ok(tests)
}

impl Test {
    /// The file's name, whose ending tells the language.
    fn file(&self) -> &str {
        self.program.as_ref().map_or(&self.case.source, |program| &program.file)
    }

    fn shaders(&self, features: &[ShaderFeature]) -> Result<Shaders, Refusal> {
        let profile = DeviceProfile::preset("webgpu").expect("it is a preset").with_shader_features(features);
        let options = BuildOptions::from_arguments(self.case.options.iter().cloned());
        let options = options.map_err(|error| Refusal::Failed(error.to_string()))?;
        let mut compiler =
            Compiler::new(&profile).with_cache(None).without_files().with_build_options(options);
        if let Some(program) = &self.program {
            let offered = compiler.features();
            if let Some(&missing) = program.needs.iter().find(|feature| !offered.contains(**feature)) {
                return Err(Refusal::Listed(format!("it needs {}", missing.name())));
            }
            let clusters = program.needs.contains(&Feature::SubGroupClusteredReduce);
            if clusters && !features.contains(&ShaderFeature::SubGroups) {
                return Err(Refusal::Listed("it needs sub-groups of several work-items".to_owned()));
            }
            for (name, text) in program.headers.iter() {
                compiler = compiler.with_header(name, text);
            }
        }
        let local = |launch: &clvk_tests::case::Launch| launch.local.iter().product::<usize>();
        let largest = self.case.launches.iter().map(local).max().unwrap_or(1);
        if largest > profile.max_work_group_invocations as usize {
            return Err(Refusal::Listed(format!("it needs work-groups of {largest} work-items")));
        }
        compiler.compile_shaders(self.file(), &self.text).map_err(|error| match &error {
            Error::Unsupported { errors, .. } => Refusal::Listed(errors[0].to_string()),
            _ => Refusal::Failed(pipeline::messages(&error)),
        })
    }

    /// Why it has no translation, if so.
    fn refusal(&self, features: &[ShaderFeature]) -> Option<String> {
        match self.shaders(features) {
            Err(Refusal::Listed(reason)) => Some(reason),
            _ => None,
        }
    }
}

fn trials(tests: Vec<Test>) -> Vec<Trial> {
    let tests: Vec<Arc<Test>> = tests.into_iter().map(Arc::new).collect();
    let refused = VARIANTS.map(|features| Arc::new(refused(features)));
    let mut trials = Vec::new();
    for (index, (device, offered)) in Gpu::found().into_iter().enumerate() {
        let device = device.split('(').next().unwrap_or_default().trim().replace(' ', "-").to_lowercase();
        // Whether there are halves decides no refusal, so the same list is right without them.
        let mut variants: Vec<&'static [ShaderFeature]> = vec![&[]];
        if offered.contains(&ShaderFeature::SubGroups) {
            variants.push(offered.leak());
        }
        for (features, refused) in variants.into_iter().zip(&refused) {
            let device = if features.is_empty() { device.clone() } else { format!("{device}-with-features") };
            let gpu: Arc<OnceLock<Result<Gpu, String>>> = Arc::default();
            for test in &tests {
                let (test, gpu, refused) = (Arc::clone(test), Arc::clone(&gpu), Arc::clone(refused));
                trials.push(Trial::ignorable_test(format!("{device}/{}", test.name), move || {
                    let gpu = || gpu.get_or_init(|| Gpu::open(index, features)).as_ref();
                    run(&test, gpu, features, &refused)
                }));
            }
        }
    }
    let names: Vec<String> = tests.iter().map(|test| test.name.clone()).collect();
    for test in tests {
        let name = format!("languages/{}", test.name);
        trials.push(Trial::test(name, move || {
            VARIANTS.into_iter().try_for_each(|features| write(&test, features))
        }));
    }
    trials.push(Trial::test("most_programs_have_a_translation", move || {
        refused.iter().try_for_each(|refused| share(&names, refused))
    }));
    trials
}

fn run<'g>(
    test: &Test,
    gpu: impl FnOnce() -> Result<&'g Gpu, &'g String>,
    features: &[ShaderFeature],
    refused: &BTreeMap<String, String>,
) -> Result<Completion, Failed> {
    let expected = refused.get(&test.name);
    let shaders = match (test.shaders(features), expected) {
        (Ok(shaders), None) => shaders,
        (Err(Refusal::Listed(reason)), Some(expected)) if reason == *expected => {
            return Ok(Completion::ignored_with(reason));
        }
        (Err(Refusal::Listed(reason)), _) => {
            return Err(format!("it is refused, but the list does not say so: {reason}").into());
        }
        (Err(Refusal::Failed(problem)), _) => return Err(problem.into()),
        (Ok(_), Some(reason)) => return Err(format!("it is not refused any more: {reason}").into()),
    };
    let shader = shaders.to_wgsl()?;
    if shader.interface.features.is_empty() && !features.is_empty() {
        return Ok(Completion::ignored_with("it uses no optional feature"));
    }
    let outcome = gpu()?.run(&test.case, &shader)?;
    let mut wrong = Vec::new();
    for output in &test.case.outputs {
        let result = &outcome.contents[output.resource.0];
        wrong.extend(compare::verify(&test.case, output, result).err().map(|it| it.to_string()));
    }
    if let Some(program) = &test.program {
        let text = String::from_utf8_lossy(&outcome.printed);
        let mut lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        let mut expected: Vec<&str> = program.prints.iter().map(String::as_str).collect();
        lines.sort_unstable();
        expected.sort_unstable();
        if lines != expected {
            wrong.push(format!("it printed {lines:#?}, not {expected:#?}"));
        }
    }
    if wrong.is_empty() { Ok(Completion::Completed) } else { Err(wrong.join("\n").into()) }
}

/// Writes the kernels in the other languages.
fn write(test: &Test, features: &[ShaderFeature]) -> Result<(), Failed> {
    let Ok(shaders) = test.shaders(features) else { return Ok(()) };
    let wgsl = shaders.to_wgsl()?;
    if wgsl.interface.features.is_empty() && !features.is_empty() {
        return Ok(());
    }
    let values: Overrides =
        wgsl.interface.overrides.iter().map(|it| (it.id, it.default.unwrap_or(64))).collect();
    for language in [ShaderLanguage::Msl, ShaderLanguage::Hlsl] {
        let text = shaders.write(language, &values)?;
        if text.interface.entry_points.len() != wgsl.interface.entry_points.len() {
            return Err(format!("{language:?}: entry points are missing").into());
        }
    }
    if wgsl.interface.entry_points.len() != 1 {
        return Ok(());
    }
    match shaders.write(ShaderLanguage::Glsl, &values) {
        Ok(shader) => glslang(&test.name, &shader),
        // It has no halves.
        Err(error) if wgsl.interface.features.contains(&ShaderFeature::Half) => {
            let message = error.to_string();
            match message.contains("there is no half precision") {
                true => Ok(()),
                false => Err(message.into()),
            }
        }
        Err(error) => Err(error.into()),
    }
}

/// Lets `glslangValidator` judge a text, if it is installed.
fn glslang(name: &str, shader: &ShaderText) -> Result<(), Failed> {
    static INSTALLED: LazyLock<bool> =
        LazyLock::new(|| Command::new("glslangValidator").arg("--version").output().is_ok());
    if !*INSTALLED {
        return Ok(());
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("shaders");
    std::fs::create_dir_all(&folder)?;
    let variant = shader.interface.features.iter().map(|feature| format!("-{}", feature.name()));
    let file = folder.join(format!("{}{}.comp", name.replace('/', "-"), variant.collect::<String>()));
    std::fs::write(&file, &shader.text)?;
    let output = Command::new("glslangValidator").args(["-S", "comp"]).arg(&file).output()?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("{}: {}", file.display(), String::from_utf8_lossy(&output.stdout)).into()),
    }
}

/// At least nine of ten programs that need no feature which WebGPU lacks have a translation.
fn share(names: &[String], refused: &BTreeMap<String, String>) -> Result<(), Failed> {
    if let Some(unknown) = refused.keys().find(|name| !names.contains(name)) {
        return Err(format!("the list has `{unknown}`, which does not exist").into());
    }
    let lacks = |reason: &str| reason.starts_with("it needs ") || reason.contains("the device has no ");
    let compatible = names.iter().filter(|name| !refused.get(*name).is_some_and(|reason| lacks(reason)));
    let (compatible, refused) = (compatible.count(), refused.values().filter(|it| !lacks(it)).count());
    let counted = format!("{refused} of {compatible} programs are refused");
    println!("{counted}");
    if refused * 10 > compatible { Err(counted.into()) } else { Ok(()) }
}
