//! Kernels that are compiled before they are launched. Counters tell who compiled; nothing depends on time.

use crate::shaders::{self, StepOptions, step_value, variants};
use crate::{Test, buffer_of, read_words};
use clvk_interface::LocalSize;
use vk_runtime::{Arg, Buffer, Device, DeviceOptions, Expected, Kernel, LaunchConfig, Program};

pub const TESTS: &[Test] = &[
    ("a_prepared_kernel_is_compiled_before_its_launch", a_prepared_kernel_is_compiled_before_its_launch),
    ("a_size_that_nobody_expected_is_right", a_size_that_nobody_expected_is_right),
    ("all_sizes_of_a_launch_are_compiled_side_by_side", all_sizes_of_a_launch_are_compiled_side_by_side),
    ("local_arguments_must_be_known", local_arguments_must_be_known),
    ("what_cannot_be_launched_is_not_compiled", what_cannot_be_launched_is_not_compiled),
    ("without_threads_nothing_is_compiled_ahead", without_threads_nothing_is_compiled_ahead),
    ("each_pipeline_is_compiled_once", each_pipeline_is_compiled_once),
    ("programs_go_while_they_are_compiled", programs_go_while_they_are_compiled),
];

/// The same device, opened with this number of threads.
fn with_threads(device: &Device, threads: usize) -> Device {
    let options = DeviceOptions { compile_threads: Some(threads), ..DeviceOptions::default() };
    Device::new(device.info(), &options).unwrap()
}

fn step(device: &Device, local: bool) -> Kernel {
    let options = StepOptions { local, ..variants(device.profile())[0] };
    Program::new(device, shaders::step(options)).unwrap().kernel("step").unwrap()
}

fn expecting(local: [u32; 3]) -> Expected<'static> {
    Expected { local: Some(local), dimensions: 1, ..Expected::default() }
}

/// Launches this number of work-items in work-groups of this size, and compares the result.
#[track_caller]
fn launch(kernel: &Kernel, items: u32, local: Option<u32>) {
    let device = kernel.device();
    let (from, to) = (buffer_of(device, 0..items), Buffer::new(device, u64::from(items) * 4).unwrap());
    let arguments = [Arg::Buffer(&from), Arg::Buffer(&to), Arg::Bytes(&[9, 0, 0, 0])];
    let config = LaunchConfig::linear(items.into());
    let config = local.map_or(config, |local| config.with_local([local, 1, 1]));
    kernel.launch(&config, &arguments).unwrap();
    let expected: Vec<u32> = (0..items).map(|item| step_value(item, 9, items, 1)).collect();
    assert!(read_words(&to) == expected, "{items} items in groups of {local:?}");
}

/// Compiled pipelines, those of them that were compiled ahead, and launches that found theirs.
fn counts(device: &Device) -> [u64; 3] {
    let now = device.pipeline_statistics();
    [now.compiled, now.ahead, now.reused]
}

fn a_prepared_kernel_is_compiled_before_its_launch(device: &Device) {
    let device = &with_threads(device, 2);
    // A size that the host expects.
    let kernel = step(device, false);
    assert!(kernel.may_prepare());
    kernel.prepare(&expecting([32, 1, 1]));
    device.finish_compiling();
    assert_eq!(counts(device), [1, 1, 0]);
    launch(&kernel, 96, Some(32));
    assert_eq!(counts(device), [1, 1, 1]);
    assert!(!kernel.may_prepare(), "it was launched");
    // The size that the runtime chooses for many work-items.
    let kernel = step(device, false);
    kernel.prepare(&Expected { dimensions: 1, ..Expected::default() });
    device.finish_compiling();
    assert_eq!(counts(device), [2, 2, 1]);
    launch(&kernel, 1 << 12, None);
    assert_eq!(counts(device), [2, 2, 2]);
    // The size that the kernel requires, whatever the host expects.
    let mut module = shaders::step(variants(device.profile())[0]);
    module.interface.kernels[0].local_size = LocalSize::Required([1, 1, 1]);
    let kernel = Program::new(device, module).unwrap().kernel("step").unwrap();
    kernel.prepare(&expecting([32, 1, 1]));
    device.finish_compiling();
    assert_eq!(counts(device), [3, 3, 2]);
    launch(&kernel, 4, None);
    assert_eq!(counts(device), [3, 3, 3]);
}

fn a_size_that_nobody_expected_is_right(device: &Device) {
    let device = &with_threads(device, 2);
    let kernel = step(device, false);
    kernel.prepare(&expecting([64, 1, 1]));
    launch(&kernel, 96, Some(16));
    launch(&kernel, 128, Some(64));
    device.finish_compiling();
    let [compiled, ahead, reused] = counts(device);
    // Whoever was faster compiled the expected one.
    assert_eq!((compiled, ahead), (2, reused));
}

/// The kernel does not know smaller work-groups at the ends, so its results do not count here.
fn all_sizes_of_a_launch_are_compiled_side_by_side(device: &Device) {
    let device = &with_threads(device, 2);
    let kernel = step(device, false);
    let (from, to) = (buffer_of(device, 0..128), Buffer::new(device, 512).unwrap());
    let arguments = [Arg::Buffer(&from), Arg::Buffer(&to), Arg::Bytes(&[0; 4])];
    kernel.launch(&LaunchConfig::planar(10, 9).with_local([4, 4, 1]), &arguments).unwrap();
    device.finish_compiling();
    let [compiled, ahead, reused] = counts(device);
    assert_eq!((compiled, ahead), (4, reused), "the corner, both edges and the inside");
}

fn local_arguments_must_be_known(device: &Device) {
    let device = &with_threads(device, 1);
    let kernel = step(device, true);
    kernel.prepare(&expecting([64, 1, 1]));
    device.finish_compiling();
    assert_eq!(counts(device), [0; 3]);
    kernel.prepare(&Expected { local_arguments: &[256], ..expecting([64, 1, 1]) });
    device.finish_compiling();
    assert_eq!(counts(device), [1, 1, 0]);
    let (from, to) = (buffer_of(device, 0..64), Buffer::new(device, 256).unwrap());
    let arguments = [Arg::Buffer(&from), Arg::Buffer(&to), Arg::Bytes(&[0; 4]), Arg::Local(256)];
    kernel.launch(&LaunchConfig::linear(64).with_local([64, 1, 1]), &arguments).unwrap();
    assert_eq!(counts(device), [1, 1, 1]);
}

fn what_cannot_be_launched_is_not_compiled(device: &Device) {
    let device = &with_threads(device, 1);
    let kernel = step(device, true);
    let limits = device.profile();
    let (most, memory) = (limits.max_work_group_size[0], u64::from(limits.max_local_memory));
    let [small, large] = [64, memory + 4].map(|size| [size]);
    kernel.prepare(&Expected { local_arguments: &large, ..expecting([64, 1, 1]) });
    kernel.prepare(&Expected { local_arguments: &small, ..expecting([most.saturating_add(1), 1, 1]) });
    kernel.prepare(&Expected { local_arguments: &small, ..expecting([0, 1, 1]) });
    device.finish_compiling();
    assert_eq!(counts(device), [0; 3]);
}

fn without_threads_nothing_is_compiled_ahead(device: &Device) {
    let device = &with_threads(device, 0);
    let kernel = step(device, false);
    assert!(!kernel.may_prepare());
    kernel.prepare(&expecting([32, 1, 1]));
    device.finish_compiling();
    assert_eq!(counts(device), [0; 3]);
    launch(&kernel, 96, Some(32));
    assert_eq!(counts(device), [1, 0, 0]);
}

fn each_pipeline_is_compiled_once(device: &Device) {
    const SIZES: [u32; 4] = [8, 16, 32, 64];
    let device = &with_threads(device, 3);
    let kernels: Vec<Kernel> = (0..6).map(|_| step(device, false)).collect();
    std::thread::scope(|scope| {
        for kernel in &kernels {
            for turn in 0..2 {
                scope.spawn(move || {
                    for size in SIZES {
                        kernel.prepare(&expecting([size, 1, 1]));
                        launch(kernel, 128, Some(SIZES[(turn + size as usize) % 4]));
                        launch(kernel, 128, Some(size));
                    }
                });
            }
        }
    });
    device.finish_compiling();
    assert_eq!(device.pipeline_statistics().compiled, (kernels.len() * SIZES.len()) as u64);
}

fn programs_go_while_they_are_compiled(device: &Device) {
    let device = with_threads(device, 3);
    for round in 0..60u32 {
        let kernel = step(&device, false);
        for size in [1, 2, 4, 8] {
            kernel.prepare(&expecting([size, 1, 1]));
        }
        if round.is_multiple_of(4) {
            launch(&kernel, 16, Some(4));
        }
    }
    // The device goes, too.
    drop(device);
}
