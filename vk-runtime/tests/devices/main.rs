//! Runs every test on every Vulkan device found, with validation; on devices whose memory the host reaches
//! directly also with staging, as on a discrete GPU. Finding no device is a failure.

mod ahead;
mod allocations;
mod boxes;
mod compiling;
mod counting;
mod external;
mod images;
mod kernels;
mod pitched_images;
mod queues;
mod semaphores;
mod shaders;
mod small;
mod transfers;

use libtest_mimic::{Arguments, Failed, Trial};
use vk_runtime::{Device, DeviceOptions, Instance, InstanceOptions};

/// A test: its name and what it does with a device.
pub type Test = (&'static str, fn(&Device));

fn main() {
    // Each test has its own instance. While one thread creates an instance, Khronos' validation layer
    // (1.3.239) may crash in another, because it reads a table that grows.
    let arguments = Arguments { test_threads: Some(1), ..Arguments::from_args() };
    // Lives until the end, so that the drivers stay loaded: NVIDIA's cannot be loaded again and again.
    let instance = Instance::new(&InstanceOptions::default());
    let trials = instance.and_then(|instance| Ok((trials(&instance)?, instance)));
    let (trials, _instance) = match trials {
        Ok((trials, instance)) => (trials, Some(instance)),
        Err(error) => {
            let message = error.to_string();
            (vec![Trial::test("devices_are_found", move || Err(Failed::from(message)))], None)
        }
    };
    libtest_mimic::run(&arguments, trials).exit();
}

fn trials(instance: &Instance) -> Result<Vec<Trial>, vk_runtime::Error> {
    let mut trials = Vec::new();
    for info in instance.devices()? {
        if let Some(reason) = info.unusable_reason() {
            eprintln!("not tested: {info}: {reason}");
            continue;
        }
        let direct = Device::new(&info, &DeviceOptions::default())?.has_direct_access();
        let ways: &[bool] = if direct { &[false, true] } else { &[true] };
        for &always_stage in ways {
            let way = if always_stage { "staged" } else { "direct" };
            let tests = transfers::TESTS
                .iter()
                .chain(kernels::TESTS)
                .chain(images::TESTS)
                .chain(pitched_images::TESTS)
                .chain(queues::TESTS)
                .chain(small::TESTS)
                .chain(boxes::TESTS)
                .chain(allocations::TESTS)
                .chain(external::TESTS)
                .chain(semaphores::TESTS)
                .chain(compiling::TESTS)
                .chain(ahead::TESTS);
            for &(name, test) in tests {
                let index = info.index();
                let name = format!("{}: {way}: {name}", info.name());
                trials.push(Trial::test(name, move || run(index, always_stage, test)));
            }
        }
    }
    if trials.is_empty() {
        return Err(vk_runtime::Error::NoDevice);
    }
    Ok(trials)
}

/// Runs one test on its own instance, so that validation messages are its own.
fn run(index: usize, always_stage: bool, test: fn(&Device)) -> Result<(), Failed> {
    let instance = Instance::new(&InstanceOptions { validation: true, ..InstanceOptions::default() })?;
    let info = instance.select(&index.to_string())?;
    let options = DeviceOptions { always_stage, ..DeviceOptions::default() };
    let device = Device::new(&info, &options)?;
    test(&device);
    device.finish()?;
    drop(device);
    let messages = instance.take_validation_messages();
    if messages.is_empty() {
        return Ok(());
    }
    let messages: Vec<_> = messages.iter().map(ToString::to_string).collect();
    Err(messages.join("\n").into())
}

/// Different bytes at every place, depending on a seed.
pub fn noise(length: usize, seed: u32) -> Vec<u8> {
    let mut state = seed.wrapping_mul(2_654_435_761).wrapping_add(1);
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        (state >> 8) as u8
    };
    (0..length).map(|_| next()).collect()
}

/// The words of a buffer.
pub fn read_words(buffer: &vk_runtime::Buffer) -> Vec<u32> {
    let mut bytes = vec![0; buffer.size() as usize];
    buffer.read(0, &mut bytes).unwrap();
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
}

/// A buffer with these words.
pub fn buffer_of(device: &Device, words: impl IntoIterator<Item = u32>) -> vk_runtime::Buffer {
    let bytes: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
    vk_runtime::Buffer::with_data(device, &bytes).unwrap()
}
