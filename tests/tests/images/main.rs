//! Images of every shape, read through every sampler, written and queried, on every device found, compared
//! with OpenCL C §8 as implemented in `reference`. spirv-val and the Khronos validation layer must be silent.

mod levels;
mod opencl_cxx;
mod reads;
mod reference;
mod srgb;
mod writes;

use clvk_interface::{CompiledModule, Preference, Quirk};
use clvk_tests::applicable::not_applicable;
use clvk_tests::random::Random;
use clvk_tests::{judge, pipeline};
use libtest_mimic::{Arguments, Failed, Trial};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use vk_runtime::{ChannelOrder, ChannelType, Device, DeviceOptions, Instance, InstanceOptions};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    match trials() {
        Ok(trials) => libtest_mimic::run(&arguments, trials).exit_code(),
        Err(error) => {
            eprintln!("the image tests cannot run: {error}");
            ExitCode::FAILURE
        }
    }
}

/// A device with the validation layer on, for one test at a time.
pub struct Bench {
    instance: Instance,
    /// The device.
    pub device: Device,
    running: Mutex<()>,
}

impl Bench {
    fn new(index: usize) -> Result<Bench, vk_runtime::Error> {
        let instance = Instance::new(&InstanceOptions { validation: true, ..InstanceOptions::default() })?;
        let info = instance.devices()?.swap_remove(index);
        let device = Device::new(&info, &DeviceOptions::default())?;
        Ok(Bench { instance, device, running: Mutex::new(()) })
    }

    /// Compiles and validates a program.
    pub fn compile(&self, source: &str) -> Result<CompiledModule, Failed> {
        self.compile_as(source, "-cl-std=CL3.0")
    }

    /// Compiles and validates a program as for a driver with a preference.
    pub fn compile_preferring(&self, source: &str, wanted: Preference) -> Result<CompiledModule, Failed> {
        let mut profile = self.device.profile().clone();
        if !profile.prefers(wanted) {
            profile.preferences.push(wanted);
        }
        let options = ["-cl-std=CL3.0".to_owned()];
        let module = pipeline::compile("image.cl", source, &options, &profile)?;
        judge::validate(&module, &profile)?;
        Ok(module)
    }

    /// The same in another language.
    pub fn compile_as(&self, source: &str, language: &str) -> Result<CompiledModule, Failed> {
        let options = [language.to_owned()];
        let module = pipeline::compile("image.cl", source, &options, self.device.profile())?;
        judge::validate(&module, self.device.profile())?;
        Ok(module)
    }

    /// Keeps other tests away until the guard is dropped.
    fn lock(&self) -> MutexGuard<'_, ()> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn trials() -> Result<Vec<Trial>, vk_runtime::Error> {
    let mut trials = Vec::new();
    for (index, info) in judge::devices()? {
        if info.profile().is_none_or(|profile| !profile.image_write_without_format) {
            not_applicable("images", info.name(), "it cannot write images without a format");
            continue;
        }
        let bench = Arc::new(Bench::new(index)?);
        let tests = [reads::tests(), writes::tests(), levels::tests(), srgb::tests(), opencl_cxx::tests()];
        for (name, test) in tests.into_iter().flatten() {
            let bench = Arc::clone(&bench);
            trials.push(Trial::test(format!("{index}/{name}"), move || {
                let _running = bench.lock();
                test(&bench)?;
                Ok(judge::no_messages_but(&bench.instance, mistakes(&bench.device))?)
            }));
        }
    }
    Ok(trials)
}

/// The validation layer's messages about errors of a device's driver.
fn mistakes(device: &Device) -> &'static [&'static str] {
    match device.profile().has(Quirk::UnreportedTexelWrites) {
        true => &["VUID-vkCmdDispatch-OpTypeImage-07029"],
        false => &[],
    }
}

/// A sequence of random numbers.
pub struct Numbers {
    random: Random,
    next: usize,
}

impl Numbers {
    /// The sequence for a seed.
    pub fn new(seed: u64) -> Numbers {
        Numbers { random: Random::new(seed), next: 0 }
    }

    /// Any number.
    pub fn next_u32(&mut self) -> u32 {
        self.next += 1;
        self.random.word(self.next)
    }

    /// In `[0, 1)`.
    pub fn unit(&mut self) -> f32 {
        self.next += 1;
        self.random.unit(self.next)
    }
}

/// Whether values interpolated between texels of a format are as exact as single-precision arithmetic,
/// because kernels do not leave it to the device's samplers, whose weights need have only 8 bits.
pub fn interpolates_exactly(bench: &Bench, order: ChannelOrder, channel: ChannelType) -> bool {
    let has = |quirk| bench.device.profile().has(quirk);
    match (order, channel) {
        (ChannelOrder::Srgba, _) if has(Quirk::EncodedInterpolation) => true,
        (_, ChannelType::UnormInt8) => has(Quirk::CoarseInterpolation),
        (_, ChannelType::SnormInt8) => has(Quirk::SignedInterpolation),
        _ => false,
    }
}

/// A test on a device.
pub type Test = Box<dyn FnOnce(&Bench) -> Result<(), Failed> + Send>;

/// The bytes of random texels of a format, and the results of reading them.
pub fn random_texels(
    random: &mut Numbers,
    order: ChannelOrder,
    channel: ChannelType,
    count: usize,
) -> (Vec<u8>, Vec<[f64; 4]>) {
    let mut bytes = Vec::new();
    let mut texels = Vec::new();
    for _ in 0..count {
        let channels = match order {
            ChannelOrder::R | ChannelOrder::Depth => 1,
            ChannelOrder::Rg => 2,
            _ => 4,
        };
        let mut texel = [0.0, 0.0, 0.0, 1.0];
        for (place, value) in texel.iter_mut().enumerate().take(channels) {
            *value = random_channel(random, channel, order, place, &mut bytes);
        }
        if matches!(order, ChannelOrder::Bgra | ChannelOrder::Sbgra) {
            texel.swap(0, 2);
        }
        texels.push(texel);
    }
    (bytes, texels)
}

fn random_channel(
    random: &mut Numbers,
    channel: ChannelType,
    order: ChannelOrder,
    place: usize,
    bytes: &mut Vec<u8>,
) -> f64 {
    let bits = random.next_u32();
    let mut push = |value: &[u8]| bytes.extend_from_slice(value);
    match channel {
        ChannelType::UnormInt8 => {
            push(&[bits as u8]);
            let value = f64::from(bits as u8) / 255.0;
            let is_encoded = matches!(order, ChannelOrder::Srgba | ChannelOrder::Sbgra) && place < 3;
            if !is_encoded {
                value
            } else if value <= 0.04045 {
                value / 12.92
            } else {
                ((value + 0.055) / 1.055).powf(2.4)
            }
        }
        ChannelType::UnormInt16 => {
            push(&(bits as u16).to_le_bytes());
            f64::from(bits as u16) / 65535.0
        }
        ChannelType::SnormInt8 => {
            push(&[bits as u8]);
            (f64::from(bits as u8 as i8) / 127.0).max(-1.0)
        }
        ChannelType::SnormInt16 => {
            push(&(bits as u16).to_le_bytes());
            (f64::from(bits as u16 as i16) / 32767.0).max(-1.0)
        }
        ChannelType::SignedInt8 => {
            push(&[bits as u8]);
            f64::from(bits as u8 as i8)
        }
        ChannelType::SignedInt16 => {
            push(&(bits as u16).to_le_bytes());
            f64::from(bits as u16 as i16)
        }
        ChannelType::SignedInt32 => {
            push(&bits.to_le_bytes());
            f64::from(bits.cast_signed())
        }
        ChannelType::UnsignedInt8 => {
            push(&[bits as u8]);
            f64::from(bits as u8)
        }
        ChannelType::UnsignedInt16 => {
            push(&(bits as u16).to_le_bytes());
            f64::from(bits as u16)
        }
        ChannelType::UnsignedInt32 => {
            push(&bits.to_le_bytes());
            f64::from(bits)
        }
        ChannelType::HalfFloat => {
            let value = half::f16::from_f32((bits % 2048) as f32 / 2048.0);
            push(&value.to_le_bytes());
            value.to_f64()
        }
        ChannelType::Float => {
            let value = (bits % 65536) as f32 / 65536.0;
            push(&value.to_le_bytes());
            f64::from(value)
        }
    }
}
