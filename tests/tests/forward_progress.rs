//! Whether the sub-groups of a work-group make progress independently of each other
//! (`Guarantee::ForwardProgress`): each waits in a loop for its turn, in orders that suit neither a device
//! that runs the first sub-group first nor one that runs the last one first. (OpenCL's conformance test
//! `subgroups ifp_core` makes random pairs of them wait for each other.)
//!
//! A device without the guarantee may never finish, so the launch runs in a separate process, which is killed
//! when its time is up. Without the guarantee, only software devices are tried: a GPU that hangs may take the
//! desktop with it.

use clvk_interface::Guarantee;
use clvk_tests::{judge, pipeline};
use std::io::Read as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use vk_runtime::{
    Arg, Buffer, Device, DeviceKind, DeviceOptions, Instance, InstanceOptions, LaunchConfig, Program,
};

/// Set for the launching process: the device's index, and whether sub-groups wait.
const LAUNCHER: &str = "CLVK_TESTS_FORWARD_PROGRESS";

/// The time limit of a launch. One that ends takes milliseconds.
const TIME: Duration = Duration::from_secs(30);

const ROUNDS: usize = 50;

const SOURCE: &str = "
kernel void relay(global const int *turns, global int *seen, int rounds, int waits)
{
    local atomic_int token;
    if (get_local_id(0) == 0)
        atomic_init(&token, 0);
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    int count = get_num_sub_groups(), own = get_sub_group_id();
    if (get_sub_group_local_id() == 0)
        for (int round = 0; round < rounds; ++round) {
            int turn = turns[round * count + own];
            while (waits && atomic_load(&token) != turn)
                ;
            seen[turn] = own;
            atomic_fetch_add(&token, 1);
        }
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        seen[rounds * count] = atomic_load(&token);
}";

fn main() {
    if let Ok(task) = std::env::var(LAUNCHER) {
        let (index, waits) = task.split_once(' ').expect("two words");
        launch(index.parse().expect("a number"), waits == "true");
        return;
    }
    for (index, info) in judge::devices().expect("there is Vulkan") {
        let name = info.name();
        let profile = info.profile().expect("the device is usable");
        let (ended, said) = ends(index, false);
        assert_eq!(ended, Some(true), "{name}: sub-groups that do not wait\n{said}");
        let given = profile.gives(Guarantee::ForwardProgress);
        if given || info.kind() == DeviceKind::Cpu {
            let (ended, said) = ends(index, true);
            println!("{name}: sub-groups that wait for each other: {ended:?}, and the guarantee is {given}");
            let keeps = !given || ended == Some(true);
            assert!(keeps, "{name} does not do what the table of guarantees says\n{said}");
        }
    }
}

/// Whether a launch gives the right results, `None` if it does not end; and what its process wrote to
/// standard error, which matters only if the answer is not the expected one.
fn ends(index: usize, waits: bool) -> (Option<bool>, String) {
    let program = std::env::current_exe().expect("the test is a program");
    let mut launcher = Command::new(program)
        .env(LAUNCHER, format!("{index} {waits}"))
        .stderr(Stdio::piped())
        .spawn()
        .expect("the test can be started");
    let mut errors = launcher.stderr.take().expect("it is a pipe");
    let reader = std::thread::spawn(move || {
        let mut said = Vec::new();
        errors.read_to_end(&mut said).expect("the pipe can be read");
        String::from_utf8_lossy(&said).into_owned()
    });
    let start = Instant::now();
    let ended = loop {
        if let Some(status) = launcher.try_wait().expect("it was started") {
            break Some(status.success());
        }
        if start.elapsed() >= TIME {
            launcher.kill().expect("it runs");
            launcher.wait().expect("it was killed");
            break None;
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    (ended, reader.join().expect("the reader does not panic"))
}

/// The turns of the sub-groups: one permutation for each round; forward, backward, and shuffled by
/// multiplication.
fn turns(sub_groups: usize) -> Vec<i32> {
    let mut turns = Vec::new();
    for round in 0..ROUNDS {
        let place = |own: usize| match round % 3 {
            0 => own,
            1 => sub_groups - 1 - own,
            _ => (own + round) % sub_groups,
        };
        turns.extend((0..sub_groups).map(|own| (round * sub_groups + place(own)) as i32));
    }
    turns
}

/// Launches, and panics unless the results are right.
fn launch(index: usize, waits: bool) {
    let instance = Instance::new(&InstanceOptions::default()).unwrap();
    let info = instance.devices().unwrap().swap_remove(index);
    let device = Device::new(&info, &DeviceOptions::default()).unwrap();
    let profile = device.profile();
    let width = profile.sub_group_size();
    let sub_groups = (profile.max_work_group_invocations / width).min(8);
    assert!(sub_groups > 1, "the device has no work-groups of several sub-groups");
    let module =
        pipeline::compile("forward_progress.cl", SOURCE, &["-cl-std=CL3.0".to_owned()], profile).unwrap();
    let kernel = Program::new(&device, module).unwrap().kernel("relay").unwrap();
    let turns = turns(sub_groups as usize);
    let order = Buffer::new(&device, size_of_val(&turns[..]) as u64).unwrap();
    order.write(0, bytemuck::cast_slice(&turns)).unwrap();
    let mut seen = vec![-1i32; turns.len() + 1];
    let out = Buffer::new(&device, size_of_val(&seen[..]) as u64).unwrap();
    let (rounds, waits) = ((ROUNDS as i32).to_le_bytes(), i32::from(waits).to_le_bytes());
    let arguments = [Arg::Buffer(&order), Arg::Buffer(&out), Arg::Bytes(&rounds), Arg::Bytes(&waits)];
    let items = sub_groups * width;
    let config = LaunchConfig::linear(u64::from(items)).with_local([items, 1, 1]);
    kernel.launch(&config, &arguments).unwrap().wait().unwrap();
    out.read(0, bytemuck::cast_slice_mut(&mut seen)).unwrap();
    assert_eq!(seen.pop(), Some(turns.len() as i32), "passes of the token");
    for (number, turn) in turns.iter().enumerate() {
        assert_eq!(seen[*turn as usize], (number % sub_groups as usize) as i32, "turn {turn}");
    }
}
