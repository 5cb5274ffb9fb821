//! Launches without offsets have a pipeline of their own where a driver prefers it
//! ([`Preference::OffsetMask`]): buffers' offsets, the global offset and the first work-group's number. Each
//! launch must get what it asks for, whatever was launched before, with at most two pipelines.

use clvk_interface::Preference;
use clvk_tests::{judge, pipeline};
use vk_runtime::{
    Arg, Buffer, Device, DeviceOptions, Instance, InstanceOptions, LaunchConfig, Program, host_time,
};

/// Writes where each work-item is, and what it reads.
const SOURCE: &str = "
kernel void run(global const uint *in, global uint *out, global uint *null)
{
    uint item = get_global_id(0) - get_global_offset(0);
    out[item * 4] = get_global_id(0);
    out[item * 4 + 1] = get_group_id(0);
    out[item * 4 + 2] = in[item];
    out[item * 4 + 3] = null ? 1 : 0;
}";

const ITEMS: u32 = 48;
const LOCAL: u32 = 16;

/// Offsets of a launch.
#[derive(Clone, Copy, Debug, Default)]
struct Offsets {
    /// Elements of the buffer that is read.
    read: u32,
    /// Elements of the buffer that is written.
    written: u32,
    /// Work-items.
    global: u32,
    /// Whether the third argument is a buffer.
    third: bool,
}

/// Launches that differ in each offset, those without any before and after the others.
const LAUNCHES: [Offsets; 9] = {
    let none = Offsets { read: 0, written: 0, global: 0, third: true };
    [
        none,
        Offsets { read: 4, ..none },
        none,
        Offsets { written: 8, ..none },
        Offsets { global: 5, ..none },
        none,
        Offsets { third: false, ..none },
        Offsets { read: 12, written: 4, global: 100, third: false },
        none,
    ]
};

fn words(values: impl Iterator<Item = u32>) -> Vec<u8> {
    values.flat_map(u32::to_le_bytes).collect()
}

/// Launches the kernel and compares all of the buffer that it writes.
fn launch(device: &Device, kernel: &vk_runtime::Kernel, offsets: Offsets, local: u32) {
    let input = Buffer::new(device, 4 * 128).unwrap();
    input.write(0, &words((0..128).map(|at| 1000 + at))).unwrap();
    let output = Buffer::new(device, 4 * 256).unwrap();
    output.write(0, &words((0..256).map(|_| 77))).unwrap();
    let third = if offsets.third { Arg::Buffer(&input) } else { Arg::NullBuffer };
    let at = |elements: u32| u64::from(elements) * 4;
    let arguments =
        [Arg::BufferAt(&input, at(offsets.read)), Arg::BufferAt(&output, at(offsets.written)), third];
    let config = LaunchConfig::linear(u64::from(ITEMS)).with_local([local, 1, 1]);
    let config = config.with_offset([u64::from(offsets.global), 0, 0]);
    kernel.launch(&config, &arguments).unwrap().wait().unwrap();
    let mut found = vec![0; 256];
    output.read(0, bytemuck::cast_slice_mut(&mut found)).unwrap();
    let mut right = vec![77; 256];
    for item in 0..ITEMS {
        let place = (offsets.written + item * 4) as usize;
        let values =
            [item + offsets.global, item / local, 1000 + offsets.read + item, u32::from(offsets.third)];
        right[place..place + 4].copy_from_slice(&values);
    }
    assert_eq!(found, right, "{offsets:?}, groups of {local}");
}

#[test]
fn launches_with_and_without_offsets_follow_each_other() {
    for (index, info) in judge::devices().unwrap() {
        let options = InstanceOptions { validation: true, ..InstanceOptions::default() };
        let instance = Instance::new(&options).unwrap();
        let info_here = instance.devices().unwrap().swap_remove(index);
        for addresses in [false, true] {
            let device = Device::new(&info_here, &DeviceOptions::default()).unwrap();
            let mut profile = device.profile().clone();
            profile.preferences.push(Preference::OffsetMask);
            profile.buffer_device_address &= addresses;
            // Another program each time, so that no cache on disk has its pipelines.
            let source = format!("{SOURCE}\n// {} {}", host_time(), info.name());
            let module = pipeline::compile("offsets.cl", &source, &[], &profile).unwrap();
            assert!(module.interface.kernels[0].offset_mask, "{}", info.name());
            let kernel = Program::new(&device, module).unwrap().kernel("run").unwrap();
            for offsets in LAUNCHES {
                launch(&device, &kernel, offsets, LOCAL);
            }
            assert_eq!(device.pipeline_statistics().compiled, 2, "{}", info.name());
            // Work-groups of 10 leave one of 8 at the end, whose number is an offset.
            for offsets in LAUNCHES {
                launch(&device, &kernel, offsets, 10);
            }
            assert_eq!(device.pipeline_statistics().compiled, 4, "{}", info.name());
        }
        judge::no_messages(&instance).unwrap();
    }
}

#[test]
fn only_plain_kernels_have_the_mask() {
    let mut profile = clvk_interface::DeviceProfile::preset("radv-navi31").expect("it is a preset");
    let masks = |compiler: clvk::Compiler| {
        let program = compiler.compile("offsets.cl", SOURCE).unwrap();
        program.into_module().interface.kernels[0].offset_mask
    };
    assert!(masks(clvk::Compiler::new(&profile)));
    assert!(!masks(clvk::Compiler::new(&profile).with_robustness(true)));
    profile.preferences.retain(|preference| *preference != Preference::OffsetMask);
    assert!(!masks(clvk::Compiler::new(&profile)));
}
