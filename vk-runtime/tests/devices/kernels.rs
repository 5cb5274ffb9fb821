//! Running kernels.

use crate::shaders::{self, StepOptions, step_value, variants};
use crate::{Test, buffer_of, read_words};
use clvk_interface::{AddressingMode, LocalSize};
use std::time::Duration;
use vk_runtime::{
    Arg, Buffer, Device, DeviceOptions, Error, Kernel, LaunchConfig, PipelineStatistics, Program,
};

pub const TESTS: &[Test] = &[
    ("a_kernel_computes", a_kernel_computes),
    ("a_chain_of_dispatches_runs_in_order", a_chain_of_dispatches_runs_in_order),
    ("offsets_and_splitting", offsets_and_splitting),
    ("buffer_offsets", buffer_offsets),
    ("local_arguments", local_arguments),
    ("spilled_arguments", spilled_arguments),
    ("arguments_are_checked", arguments_are_checked),
    ("launches_are_checked", launches_are_checked),
    ("programs_are_checked", programs_are_checked),
    ("pipelines_are_reused", pipelines_are_reused),
    ("dispatches_are_timed", dispatches_are_timed),
    ("marks_are_timed", marks_are_timed),
    ("waiting_has_a_limit", waiting_has_a_limit),
];

fn step(device: &Device, options: StepOptions) -> Kernel {
    Program::new(device, shaders::step(options)).unwrap().kernel("step").unwrap()
}

/// Runs `test` with the kernel in every form that the device can run.
fn for_each_variant(device: &Device, test: impl Fn(&Kernel)) {
    for options in variants(device.profile()) {
        test(&step(device, options));
    }
}

fn a_kernel_computes(device: &Device) {
    for_each_variant(device, |kernel| {
        for size in [1u32, 77, 1000, 65_536] {
            let source = buffer_of(device, (0..size).map(|i| i * 7));
            let destination = Buffer::new(device, u64::from(size) * 4).unwrap();
            let arguments =
                [Arg::Buffer(&source), Arg::Buffer(&destination), Arg::Bytes(&5u32.to_le_bytes())];
            kernel.launch(&LaunchConfig::linear(size.into()), &arguments).unwrap();
            let expected: Vec<u32> = (0..size).map(|i| step_value(i * 7, 5, size, 1)).collect();
            assert!(read_words(&destination) == expected, "{kernel:?} with {size} elements");
        }
    });
}

fn a_chain_of_dispatches_runs_in_order(device: &Device) {
    const SIZE: u32 = 1 << 14;
    for_each_variant(device, |kernel| {
        let buffers = [buffer_of(device, 0..SIZE), Buffer::new(device, 4 * u64::from(SIZE)).unwrap()];
        let mut expected: Vec<u32> = (0..SIZE).collect();
        let mut batch = device.batch();
        for round in 0..100u32 {
            let (from, to) = (&buffers[round as usize % 2], &buffers[(round as usize + 1) % 2]);
            let bytes = round.to_le_bytes();
            let arguments = [Arg::Buffer(from), Arg::Buffer(to), Arg::Bytes(&bytes)];
            batch.dispatch(kernel, &LaunchConfig::linear(SIZE.into()), &arguments).unwrap();
            expected.iter_mut().for_each(|value| *value = step_value(*value, round, SIZE, 1));
        }
        batch.submit().unwrap().wait().unwrap();
        assert!(read_words(&buffers[0]) == expected, "a dispatch saw old data");
    });
}

fn offsets_and_splitting(device: &Device) {
    // More work-groups than most devices take in one dispatch.
    const SIZE: u32 = 70_000;
    const START: u32 = 1000;
    for_each_variant(device, |kernel| {
        let source = buffer_of(device, 0..SIZE + START);
        let destination = Buffer::new(device, 4 * u64::from(SIZE + START)).unwrap();
        destination.fill(0).unwrap();
        let arguments = [Arg::Buffer(&source), Arg::Buffer(&destination), Arg::Bytes(&[1, 0, 0, 0])];
        let config =
            LaunchConfig::linear(SIZE.into()).with_offset([START.into(), 0, 0]).with_local([1, 1, 1]);
        kernel.launch(&config, &arguments).unwrap();
        let expected: Vec<u32> =
            (0..SIZE + START).map(|i| if i < START { 0 } else { step_value(i, 1, SIZE, 1) }).collect();
        assert!(read_words(&destination) == expected);
    });
}

fn buffer_offsets(device: &Device) {
    for_each_variant(device, |kernel| {
        let buffer = buffer_of(device, 0..100);
        // Reads words 60 to 79, writes words 20 to 39 of the same buffer.
        let arguments = [Arg::BufferAt(&buffer, 240), Arg::BufferAt(&buffer, 80), Arg::Bytes(&[0; 4])];
        kernel.launch(&LaunchConfig::linear(20), &arguments).unwrap();
        let words = read_words(&buffer);
        for i in 0..100u32 {
            let expected = if (20..40).contains(&i) { step_value(i + 40, 0, 20, 1) } else { i };
            assert_eq!(words[i as usize], expected, "word {i}");
        }
    });
}

fn local_arguments(device: &Device) {
    for options in variants(device.profile()) {
        let kernel = step(device, StepOptions { local: true, ..options });
        let source = buffer_of(device, 0..1024);
        let destination = Buffer::new(device, 4096).unwrap();
        let run = |local: u32, bytes: u64| {
            let arguments =
                [Arg::Buffer(&source), Arg::Buffer(&destination), Arg::Bytes(&[0; 4]), Arg::Local(bytes)];
            kernel.launch(&LaunchConfig::linear(1024).with_local([local, 1, 1]), &arguments)
        };
        for local in [8u32, 64, 128] {
            run(local, u64::from(local) * 4).unwrap();
            let words = read_words(&destination);
            for i in 0..1024 {
                let mirrored = i / local * local + (local - 1 - i % local);
                assert_eq!(
                    words[i as usize],
                    step_value(mirrored, 0, 1024, 1),
                    "local size {local}, word {i}"
                );
            }
        }
        let error = run(8, 0).unwrap_err();
        assert!(error.to_string().contains("argument 3") && error.to_string().contains("tmp"), "{error}");
        let error = run(8, u64::from(device.profile().max_local_memory) + 4).unwrap_err();
        assert!(error.to_string().contains("local memory"), "{error}");
    }
}

fn spilled_arguments(device: &Device) {
    if !device.profile().buffer_device_address {
        // Argument buffers are for devices with addresses; elsewhere the program must be refused.
        let options = StepOptions { addressing: AddressingMode::Logical, spilled: true, local: false };
        assert!(matches!(Program::new(device, shaders::step(options)), Err(Error::InvalidProgram(_))));
        return;
    }
    let options = StepOptions { addressing: AddressingMode::Physical, spilled: true, local: false };
    let kernel = step(device, options);
    let (a, b) = (buffer_of(device, 0..256), Buffer::new(device, 1024).unwrap());
    let c = Buffer::new(device, 1024).unwrap();
    let mut batch = device.batch();
    let config = LaunchConfig::linear(256);
    batch.dispatch(&kernel, &config, &[Arg::Buffer(&a), Arg::Buffer(&b), Arg::Bytes(&[1, 0, 0, 0])]).unwrap();
    batch.dispatch(&kernel, &config, &[Arg::Buffer(&b), Arg::Buffer(&c), Arg::Bytes(&[2, 0, 0, 0])]).unwrap();
    batch.submit().unwrap();
    let expected: Vec<u32> = (0..256).map(|i| step_value(step_value(i, 1, 256, 1), 2, 256, 1)).collect();
    assert_eq!(read_words(&c), expected);
}

fn arguments_are_checked(device: &Device) {
    for_each_variant(device, |kernel| {
        let buffer = Buffer::new(device, 64).unwrap();
        let config = LaunchConfig::linear(4);
        let refuse = |arguments: &[Arg<'_>], parts: &[&str]| {
            let message = kernel.launch(&config, arguments).unwrap_err().to_string();
            assert!(parts.iter().all(|part| message.contains(part)), "{message}");
        };
        let (good, value) = (Arg::Buffer(&buffer), Arg::Bytes(&[0; 4]));
        refuse(&[good, good], &["3 arguments", "2 were given", "uint c"]);
        refuse(&[good, good, Arg::Bytes(&[0; 8])], &["argument 2", "uint c", "4 bytes", "8 bytes"]);
        refuse(&[good, value, value], &["argument 1", "uint* dst", "a buffer is needed"]);
        refuse(&[good, good, good], &["argument 2", "a buffer was given"]);
        refuse(&[good, good, Arg::Local(4)], &["argument 2", "local memory"]);
        refuse(
            &[Arg::BufferAt(&buffer, 64), good, value],
            &["argument 0", "const uint* src", "beyond the end"],
        );
        refuse(&[Arg::BufferAt(&buffer, 2), good, value], &["argument 0", "alignment of 4"]);
        let other = Device::new(device.info(), &DeviceOptions::default()).unwrap();
        let foreign = Buffer::new(&other, 64).unwrap();
        refuse(&[good, Arg::Buffer(&foreign), value], &["argument 1", "another device"]);
    });
}

fn launches_are_checked(device: &Device) {
    for_each_variant(device, |kernel| {
        let buffer = Buffer::new(device, 4000).unwrap();
        let arguments = [Arg::Buffer(&buffer), Arg::Buffer(&buffer), Arg::Bytes(&[0; 4])];
        let refuse = |config: LaunchConfig, part: &str| {
            let error = kernel.launch(&config, &arguments).unwrap_err();
            assert!(matches!(error, Error::Launch { .. }) && error.to_string().contains(part), "{error}");
        };
        refuse(LaunchConfig::linear(0), "global size is 0");
        let too_many = device.profile().max_work_group_invocations * 2;
        refuse(LaunchConfig::linear(too_many.into()).with_local([too_many, 1, 1]), "limit");
    });
}

fn programs_are_checked(device: &Device) {
    let options = variants(device.profile())[0];
    let refuse = |change: fn(&mut clvk_interface::CompiledModule), part: &str| {
        let mut module = shaders::step(options);
        change(&mut module);
        let error = Program::new(device, module).unwrap_err();
        assert!(matches!(error, Error::InvalidProgram(_)) && error.to_string().contains(part), "{error}");
    };
    refuse(|module| module.spirv.truncate(100), "cut off");
    refuse(|module| module.spirv.clear(), "too few");
    refuse(|module| module.spirv[1] = 0x0001_6300, "at most");
    refuse(|module| module.interface.kernels[0].name = "other".to_owned(), "no entry point `other`");
    refuse(|module| module.interface.kernels[0].push_constant_size = 1 << 20, "push constants");
    refuse(|module| module.interface.kernels[0].work_dim = Some(1000), "outside");
    let program = Program::new(device, shaders::step(options)).unwrap();
    let error = program.kernel("nonesuch").unwrap_err().to_string();
    assert!(error.contains("nonesuch") && error.contains("step"), "{error}");
    // A program without kernels is valid and has no SPIR-V.
    let mut module = shaders::step(options);
    module.spirv.clear();
    module.interface.kernels.clear();
    let program = Program::new(device, module).unwrap();
    assert_eq!(program.kernel_names().count(), 0);
    assert!(program.kernel("step").is_err());
}

fn pipelines_are_reused(device: &Device) {
    let before = device.pipeline_statistics();
    assert_eq!(before, PipelineStatistics::default());
    let kernel = step(device, StepOptions { local: true, ..variants(device.profile())[0] });
    let buffer = Buffer::new(device, 4096).unwrap();
    let launch = |local: u32, bytes: u64| {
        let arguments = [Arg::Buffer(&buffer), Arg::Buffer(&buffer), Arg::Bytes(&[0; 4]), Arg::Local(bytes)];
        kernel.launch(&LaunchConfig::linear(512).with_local([local, 1, 1]), &arguments).unwrap();
        let now = device.pipeline_statistics();
        (now.compiled, now.reused)
    };
    assert_eq!(launch(64, 256), (1, 0));
    assert_eq!(launch(64, 256), (1, 1));
    assert_eq!(launch(64, 253), (1, 2), "the same number of whole elements");
    assert_eq!(launch(32, 256), (2, 2), "another work-group size");
    assert_eq!(launch(64, 512), (3, 2), "another size of local memory");
    assert_eq!(launch(32, 256), (3, 3));
    // A required size is compiled without looking at the constants.
    let mut module = shaders::step(variants(device.profile())[0]);
    module.interface.kernels[0].local_size = LocalSize::Required([1, 1, 1]);
    let kernel = Program::new(device, module).unwrap().kernel("step").unwrap();
    let arguments = [Arg::Buffer(&buffer), Arg::Buffer(&buffer), Arg::Bytes(&[0; 4])];
    kernel.launch(&LaunchConfig::linear(16), &arguments).unwrap();
    assert_eq!(device.pipeline_statistics().compiled, 4);
}

fn dispatches_are_timed(device: &Device) {
    const SIZE: u32 = 1 << 18;
    for_each_variant(device, |kernel| {
        let (a, b) = (buffer_of(device, 0..SIZE), Buffer::new(device, 4 * u64::from(SIZE)).unwrap());
        let mut batch = device.batch();
        for _ in 0..3 {
            let arguments = [Arg::Buffer(&a), Arg::Buffer(&b), Arg::Bytes(&[0; 4])];
            batch.dispatch(kernel, &LaunchConfig::linear(SIZE.into()), &arguments).unwrap();
        }
        let times = batch.submit().unwrap().timings().unwrap();
        assert_eq!(times.len(), 3);
        assert_eq!(times[0].start_ns, 0);
        for time in &times {
            assert!(time.duration_ns() < 60_000_000_000, "{times:?}");
        }
        assert!(times.iter().any(|time| time.duration_ns() > 0), "{times:?}");
        let mut batch = device.batch();
        batch.timed(false).fill(&a, 0).unwrap();
        assert!(matches!(batch.submit().unwrap().timings(), Err(Error::NoTimestamps)));
    });
}

/// Two marks without anything between them lie closer together than two with much work between them.
fn marks_are_timed(device: &Device) {
    const SIZE: u32 = 1 << 18;
    for_each_variant(device, |kernel| {
        let (a, b) = (buffer_of(device, 0..SIZE), Buffer::new(device, 4 * u64::from(SIZE)).unwrap());
        let mut batch = device.batch();
        batch.timed(false).mark().mark();
        for _ in 0..200 {
            let arguments = [Arg::Buffer(&a), Arg::Buffer(&b), Arg::Bytes(&[0; 4])];
            batch.dispatch(kernel, &LaunchConfig::linear(SIZE.into()), &arguments).unwrap();
        }
        batch.mark();
        let submission = batch.submit().unwrap();
        let marks = submission.marks().unwrap();
        assert_eq!((marks.len(), marks[0]), (3, 0));
        assert!(marks[1] < marks[2] - marks[1], "{marks:?}");
        assert!(matches!(submission.timings(), Err(Error::NoTimestamps)));
    });
}

fn waiting_has_a_limit(device: &Device) {
    let kernel = step(device, variants(device.profile())[0]);
    let (a, b) = (buffer_of(device, 0..1 << 20), Buffer::new(device, 4 << 20).unwrap());
    let mut batch = device.batch();
    for _ in 0..50 {
        let arguments = [Arg::Buffer(&a), Arg::Buffer(&b), Arg::Bytes(&[0; 4])];
        batch.dispatch(&kernel, &LaunchConfig::linear(1 << 20), &arguments).unwrap();
        batch.barrier();
    }
    let submission = batch.submit().unwrap();
    match submission.wait_for(Duration::ZERO) {
        // A fast device may be done already.
        Ok(()) => assert!(submission.is_done().unwrap()),
        Err(error) => assert!(matches!(error, Error::Timeout { .. }), "{error}"),
    }
    submission.wait().unwrap();
    assert!(submission.is_done().unwrap());
}
