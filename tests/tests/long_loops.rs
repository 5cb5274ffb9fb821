//! Kernels with very many iterations: the result is right, or the launch fails with a specific error. The
//! results of a driver that ends loops early (`Quirk::LoopsEnd`) are never trusted.

use clvk_interface::Quirk;
use clvk_tests::{judge, pipeline};
use vk_runtime::{
    Arg, Buffer, Device, DeviceOptions, Error, Instance, InstanceOptions, LaunchConfig, Program,
};

/// Nested loops with returns out of them; the number of iterations differs between the work-items.
const SOURCE: &str = "
kernel void run(global uint *out, uint outer, uint inner)
{
    uint item = get_global_id(0), sum = item;
    if (item == 3) {
        out[item] = 7;
        return;
    }
    for (uint i = 0; i < outer; ++i)
        for (uint j = 0; j < inner + item % 2; ++j)
            sum = sum * 1664525u + j;
    out[item] = sum;
}";

const ITEMS: u32 = 40;

/// What a work-item computes.
fn expected(item: u32, outer: u32, inner: u32) -> u32 {
    if item == 3 {
        return 7;
    }
    let step = |sum: u32, j: u32| sum.wrapping_mul(1_664_525).wrapping_add(j);
    (0..outer).fold(item, |sum, _| (0..inner + item % 2).fold(sum, step))
}

/// Launches the kernel, treating the driver as one that ends loops early or not.
fn run(device: &Device, suspect: bool, outer: u32, inner: u32) -> Result<Vec<u32>, Error> {
    let mut profile = device.profile().clone();
    if suspect && !profile.has(Quirk::LoopsEnd) {
        profile.quirks.push(Quirk::LoopsEnd);
    }
    let module = pipeline::compile("long_loops.cl", SOURCE, &[], &profile).unwrap();
    let kernel = Program::new(device, module).unwrap().kernel("run").unwrap();
    let out = Buffer::new(device, u64::from(ITEMS) * 4).unwrap();
    let (outer, inner) = (outer.to_le_bytes(), inner.to_le_bytes());
    let arguments = [Arg::Buffer(&out), Arg::Bytes(&outer), Arg::Bytes(&inner)];
    kernel.launch(&LaunchConfig::linear(u64::from(ITEMS)), &arguments)?.wait()?;
    let mut results = vec![0; ITEMS as usize];
    out.read(0, bytemuck::cast_slice_mut(&mut results))?;
    Ok(results)
}

#[test]
fn many_iterations_are_right_or_refused() {
    for (index, info) in judge::devices().unwrap() {
        let instance =
            Instance::new(&InstanceOptions { validation: true, ..InstanceOptions::default() }).unwrap();
        let info_here = instance.devices().unwrap().swap_remove(index);
        let device = Device::new(&info_here, &DeviceOptions::default()).unwrap();
        let ends_early = device.profile().has(Quirk::LoopsEnd);
        for (outer, inner) in [(10, 10), (600, 100), (700, 100), (70_000, 3), (1, 200_000), (10, 10)] {
            let context = format!("{}: {outer} times {inner}", info.name());
            let right: Vec<u32> = (0..ITEMS).map(|item| expected(item, outer, inner)).collect();
            for suspect in [false, true] {
                match run(&device, suspect, outer, inner) {
                    Ok(results) => assert_eq!(results, right, "{context}"),
                    Err(Error::LoopsEnded { kernel }) => {
                        assert_eq!(kernel, "run");
                        assert!(ends_early, "{context}: a driver that is right was blamed");
                        assert!(outer * (inner + 2) > 65_000, "{context}: refused though it is short");
                    }
                    Err(error) => panic!("{context}: {error}"),
                }
            }
        }
        judge::no_messages(&instance).unwrap();
    }
}
