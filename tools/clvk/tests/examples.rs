//! Runs the examples on every Vulkan device found, with the validation layer, and compares the results with
//! host code.

use clvk::runtime::{Device, DeviceOptions, Instance, InstanceOptions};
use clvk::{Arg, CompiledModule, DeviceProfile, LaunchConfig};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

// Their `main` functions are not called here.
#[expect(dead_code)]
#[path = "../examples/async_queue.rs"]
mod async_queue;
#[expect(dead_code)]
#[path = "../examples/images.rs"]
mod images;
#[expect(dead_code)]
#[path = "../examples/offline.rs"]
mod offline;
#[expect(dead_code)]
#[path = "../examples/saxpy.rs"]
mod saxpy;

/// Calls `test` for every device; there must be one.
fn on_every_device(test: impl Fn(&Device)) {
    // Khronos' validation layer may crash where instances are made at the same time.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let instance =
        Instance::new(&InstanceOptions { validation: true, ..InstanceOptions::default() }).unwrap();
    let mut tested = 0;
    for info in instance.devices().unwrap().iter().filter(|info| info.unusable_reason().is_none()) {
        println!("{info}");
        test(&Device::new(info, &DeviceOptions::default()).unwrap());
        tested += 1;
    }
    assert!(tested > 0, "no device can be used");
    let messages = instance.take_validation_messages();
    assert!(messages.is_empty(), "{messages:?}");
}

#[test]
fn saxpy() {
    let x: Vec<f32> = (0..1000).map(|index| index as f32).collect();
    let y: Vec<f32> = (0..1000).map(|index| (index * 7 % 31) as f32).collect();
    // Whole numbers: the same, whether product and sum are fused or not.
    let expected: Vec<f32> = x.iter().zip(&y).map(|(x, y)| 3.0 * x + y).collect();
    on_every_device(|device| assert_eq!(saxpy::saxpy(device, 3.0, &x, &y).unwrap(), expected));
}

/// An application can read the example's output without the compiler.
#[test]
fn offline() {
    on_every_device(|device| {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("offline");
        std::fs::create_dir_all(&folder).unwrap();
        offline::compile_for(device.profile(), &folder).unwrap();
        let bytes = std::fs::read(folder.join("scale.spv")).unwrap();
        let spirv = bytes.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
        let interface = serde_json::from_slice(&std::fs::read(folder.join("scale.json")).unwrap()).unwrap();
        let program = clvk::runtime::Program::new(
            device,
            CompiledModule { spirv, interface, sanitized: None, measured: None },
        )
        .unwrap();
        let data: Vec<f32> = (0..100).map(|index| index as f32).collect();
        let buffer = clvk::upload(device, &data).unwrap();
        let arguments = [Arg::Buffer(&buffer), clvk::value(&0.5f32), clvk::value(&90u32)];
        let kernel = program.kernel("scale").unwrap();
        kernel.launch(&LaunchConfig::linear(16), &arguments).unwrap().wait().unwrap();
        let expected: Vec<f32> =
            data.iter().enumerate().map(|(at, it)| if at < 90 { it / 2.0 } else { *it }).collect();
        assert_eq!(clvk::download::<f32>(&buffer).unwrap(), expected);
    });
}

#[test]
fn offline_for_every_preset() {
    for name in DeviceProfile::preset_names() {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("offline-{name}"));
        std::fs::create_dir_all(&folder).unwrap();
        offline::compile_for(&DeviceProfile::preset(name).unwrap(), &folder).unwrap();
        let spirv = std::fs::read(folder.join("scale.spv")).unwrap();
        assert_eq!(spirv[..4], 0x0723_0203u32.to_le_bytes(), "{name}");
    }
}

#[test]
fn images() {
    let (width, height) = (37usize, 23usize);
    let pixels: Vec<u8> = (0..4 * width * height).map(|index| (index * index / 3 % 251) as u8).collect();
    let near = |at: usize, by: usize, size: usize| (at + by).saturating_sub(1).min(size - 1);
    let mean = |index: usize| {
        let (channel, x, y) = (index % 4, index / 4 % width, index / 4 / width);
        let around = (0..9).map(|place| (near(x, place % 3, width), near(y, place / 3, height)));
        let sum: u32 = around.map(|(x, y)| u32::from(pixels[4 * (y * width + x) + channel])).sum();
        (sum / 9) as u8
    };
    let expected: Vec<u8> = (0..pixels.len()).map(mean).collect();
    on_every_device(|device| {
        let blurred = images::blur(device, &pixels, width as u32, height as u32).unwrap();
        assert!(blurred == expected, "on {}", device.info());
    });
}

#[test]
fn async_queue() {
    let expected: Vec<u32> = (0..5000u32).map(|i| i.wrapping_mul(100u32.wrapping_sub(i))).collect();
    on_every_device(|device| assert_eq!(async_queue::products(device, 5000).unwrap(), expected));
}
