//! The lowering passes preserve meaning on every device: a random kernel leaves the same contents in its
//! buffers before `lower-launch` and after each pass from there on.

use crate::machine::{self, Argument, Launch, Settings};
use crate::typed::{self, Features, Program};
use clvk_interface::{DeviceProfile, ModuleInterface, Preference, Quirk, ShaderFeature};
use clvk_ir::Module;
use clvk_ir::container::Library;
use clvk_translate::{Calls, Target, TranslateOptions, pipeline, translate_observed};
use std::collections::HashSet;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A device, and its description for failures.
struct Device {
    name: String,
    profile: DeviceProfile,
    options: TranslateOptions,
}

/// Every preset as it is, in robust mode, and with each quirk that it does not have.
fn devices() -> Vec<Device> {
    let mut devices = Vec::new();
    for name in DeviceProfile::preset_names() {
        let mut profile = DeviceProfile::preset(name).expect("the presets are right");
        // A small size, so that work-groups of a few work-items have several sub-groups.
        profile.subgroup_size = 2;
        let device = |name: String, profile: DeviceProfile, robust: bool| {
            let options = TranslateOptions { robust, ..TranslateOptions::default() };
            Device { name, profile, options }
        };
        devices.push(device(name.to_owned(), profile.clone(), false));
        devices.push(device(format!("{name}, robust"), profile.clone(), true));
        // What nests too deeply is only refused.
        let changing = Quirk::ALL.iter().filter(|&&quirk| quirk != Quirk::NestedConditions);
        for &quirk in changing.filter(|quirk| !profile.quirks.contains(quirk)) {
            let mut changed = profile.clone();
            changed.quirks.push(quirk);
            // Only devices without half precision have this quirk worked around.
            changed.float16 &= quirk != Quirk::SingleCarry;
            devices.push(device(format!("{name} with {quirk:?}"), changed, false));
        }
    }
    devices
}

impl Device {
    fn features(&self) -> Features {
        let profile = &self.profile;
        let atomics_64 = profile.int64 && profile.buffer_int64_atomics && profile.shared_int64_atomics;
        Features { doubles: profile.float64, atomics_64 }
    }

    /// Undefined values differ for each pass, so a result that depends on them differs.
    fn settings(&self, number: u64, memory_lowered: bool) -> Settings {
        let sub_group_size = self.profile.sub_group_size();
        let counts_full_sub_groups = self.profile.has(Quirk::FullSubgroupsCounted);
        let order = number.wrapping_mul(0x2545_f491_4f6c_dd1d);
        Settings { garbage: number * 77 + 5, order, sub_group_size, counts_full_sub_groups, memory_lowered }
    }
}

/// The buffers that a launch leaves, or the reason why it is meaningless.
type Outcome = Result<Vec<Vec<u8>>, String>;

fn execute(
    module: &Module,
    interface: Option<&ModuleInterface>,
    launch: &Launch,
    settings: Settings,
) -> Outcome {
    let kernel = machine::only_kernel(module);
    let interface = interface.map(|all| (&all.kernels[0], all));
    machine::run(module, kernel, interface, launch, settings)
}

/// A program after a pass.
struct Stage {
    pass: &'static str,
    module: Module,
}

/// Translates a program, keeping it after each pass.
fn stages(program: &Program, device: &Device) -> Result<(Vec<Stage>, ModuleInterface), String> {
    let mut stages = Vec::new();
    let mut keep = |pass: &'static str, module: &Module| stages.push(Stage { pass, module: module.clone() });
    let translated = catch_unwind(AssertUnwindSafe(|| {
        let module = program.module.clone();
        translate_observed(module, &Library::empty(), &device.profile, &device.options, &mut keep)
    }));
    let compiled = match translated {
        Ok(Ok(compiled)) => compiled,
        Ok(Err(errors)) => {
            return Err(errors.iter().map(|error| format!("{error}\n")).collect());
        }
        Err(panic) => {
            let message = panic.downcast_ref::<String>().cloned();
            return Err(message.unwrap_or_else(|| "a panic".to_owned()));
        }
    };
    Ok((stages, compiled.interface))
}

/// Checks one program on one device, and returns the passes that changed it; the error names the pass that is
/// wrong, and shows the program before and after it.
fn check(seed: u64, device: &Device) -> Result<Vec<&'static str>, String> {
    check_program(seed, &typed::program(seed, device.features()), device)
}

fn check_program(seed: u64, program: &Program, device: &Device) -> Result<Vec<&'static str>, String> {
    let context = |what: &str| format!("seed {seed} on {}: {what}", device.name);
    clvk_ir::verify::verify(&program.module)
        .map_err(|errors| context(&format!("this is not a program: {errors:?}\n{}", program.module)))?;
    let settings = |number| device.settings(number, false);
    let expected = execute(&program.module, None, &program.launch, settings(0));
    let again = execute(&program.module, None, &program.launch, settings(seed + 1));
    if expected.is_err() || expected != again {
        let (difference, text) = (difference(&expected, &again), &program.module);
        return Err(context(&format!("this has no meaning: {difference}\n{text}")));
    }
    let (stages, interface) =
        stages(program, device).map_err(|errors| context(&format!("{errors}\n{}", program.module)))?;
    let lowered = stages.iter().position(|stage| stage.pass == "lower-memory").expect("the pass runs");
    let mut before = program.module.to_string();
    let mut changed = Vec::new();
    for (number, stage) in stages.iter().enumerate() {
        let text = stage.module.to_string();
        if text == before {
            continue;
        }
        let settings = device.settings(seed + number as u64, number >= lowered);
        let found = execute(&stage.module, Some(&interface), &program.launch, settings);
        if found != expected {
            let difference = difference(&expected, &found);
            return Err(context(&format!("`{}`: {difference}\nfrom\n{before}\nto\n{text}", stage.pass)));
        }
        before = text;
        changed.push(stage.pass);
    }
    Ok(changed)
}

fn difference(expected: &Outcome, found: &Outcome) -> String {
    let (Ok(expected), Ok(found)) = (expected, found) else {
        return found.as_ref().err().cloned().unwrap_or_default();
    };
    for (buffer, (expected, found)) in expected.iter().zip(found).enumerate() {
        if let Some(byte) = (0..expected.len()).find(|&byte| expected[byte] != found[byte]) {
            let range = byte & !3..(byte & !3) + 4;
            let (old, new) = (expected.get(range.clone()), found.get(range));
            return format!("byte {byte} of buffer {buffer} differs: {old:02x?} becomes {new:02x?}");
        }
    }
    "nothing differs".to_owned()
}

/// The seeds of a test: more with `CLVK_SEEDS=FIRST..END`.
fn seeds(default: Range<u64>) -> Range<u64> {
    let Ok(text) = std::env::var("CLVK_SEEDS") else { return default };
    let (first, end) = text.split_once("..").expect("CLVK_SEEDS is FIRST..END");
    let number = |text: &str| text.parse().expect("CLVK_SEEDS is FIRST..END");
    number(first)..number(end)
}

/// Checks programs, each on some of the devices, so that each device gets the same number; returns the passes
/// that changed some program.
fn check_some(seeds: Range<u64>, devices: &[Device], each: u64) -> HashSet<&'static str> {
    let (mut failures, mut changed) = (Vec::new(), HashSet::new());
    for seed in seeds {
        for turn in 0..each {
            let device = &devices[((seed * each + turn) % devices.len() as u64) as usize];
            match check(seed, device) {
                Ok(passes) => changed.extend(passes),
                Err(failure) => failures.push(failure),
            }
        }
    }
    if let Some(first) = failures.first() {
        let names: Vec<&str> = failures.iter().map(|failure| failure.lines().next().unwrap_or("")).collect();
        panic!("{} programs change what they do:\n{}\n{first}", failures.len(), names.join("\n"));
    }
    changed
}

#[test]
fn the_lowering_passes_preserve_meaning_on_the_presets() {
    let plain: Vec<Device> = devices().into_iter().filter(|device| !device.name.contains(' ')).collect();
    check_some(seeds(0..100), &plain, 2);
}

/// A program whose functions take pointers, as a kernel of one work-item.
fn program_with_calls(seed: u64) -> Program {
    let contents = (0..256).map(|byte| (byte * 37 % 251) as u8).collect();
    let number = |number: i32| Argument::Value(number.to_le_bytes().to_vec());
    let arguments = vec![Argument::Buffer { contents, start: 0 }, number(5), number(-16)];
    let (global, local, offset) = ([1; 3], [1; 3], [0; 3]);
    let launch = Launch { work_dim: 1, global, local, offset, arguments };
    Program { module: crate::generator::module_with_pointers(seed), launch }
}

#[test]
fn functions_that_stay_are_lowered_like_kernels() {
    let mut devices = devices();
    devices.iter_mut().for_each(|device| device.options.calls = Calls::Kept);
    let mut failures = Vec::new();
    for seed in seeds(4000..4000 + devices.len() as u64) {
        let device = &devices[seed as usize % devices.len()];
        failures.extend(check_program(seed, &program_with_calls(seed), device).err());
    }
    assert!(failures.is_empty(), "{} fail:\n{}", failures.len(), failures[0]);
}

/// As shaders in naga's languages are compiled: halves without 16-bit integers, and few scans of sub-groups.
#[test]
fn the_lowering_passes_preserve_meaning_with_the_features_of_webgpu() {
    let webgpu = DeviceProfile::preset("webgpu").expect("it is a preset");
    let mut profile = webgpu.with_shader_features(&ShaderFeature::ALL).for_naga();
    profile.subgroup_size = 2;
    let (name, options) = ("webgpu with its features".to_owned(), TranslateOptions::default());
    check_some(seeds(2000..2030), &[Device { name, profile, options }], 1);
}

/// Passes that random programs cannot exercise: `declare` changes no instruction, `subnormal-logarithms`
/// changes native logarithms, whose results differ between devices, `nested-conditions` only refuses, and
/// those of clspv work only for its hosts, which launch in another way than the machine does
/// (`tests/tests/clspv`).
const WITHOUT_WORK: &[&str] = &[
    "declare",
    "subnormal-logarithms",
    "nested-conditions",
    "clspv-queries",
    "clspv-arguments",
    "clspv-reflect",
];

#[test]
fn the_lowering_passes_preserve_meaning_with_quirks_and_robust() {
    let changed: Vec<Device> = devices().into_iter().filter(|device| device.name.contains(' ')).collect();
    let mut working = check_some(seeds(1000..1700), &changed, 1);
    // Few programs load four neighbours from local memory.
    let wide = |device: &Device| device.profile.prefers(Preference::WideLocalLoads);
    let wide: Vec<Device> = devices().into_iter().filter(wide).collect();
    working.extend(check_some(seeds(6300..6700), &wide, 1));
    // The programs give each pass something to do.
    let lowering = pipeline(Target::Spirv).map(|pass| pass.name).skip_while(|name| *name != "watch-loops");
    let mut idle: Vec<&str> = lowering.filter(|name| !working.contains(name)).collect();
    idle.retain(|name| !WITHOUT_WORK.contains(name));
    let few = std::env::var_os("CLVK_SEEDS").is_some();
    assert!(few || idle.is_empty(), "no program was changed by {idle:?}");
}
