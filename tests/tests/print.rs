//! `printf` beyond what single programs print. Where the print buffer is too small, whole records are lost,
//! and counted; linked programs print with each program's formats.

use clvk_interface::{CompiledModule, DeviceProfile};
use clvk_tests::{judge, pipeline};
use std::sync::{Arc, Mutex};
use vk_runtime::{
    Arg, Buffer, Device, DeviceOptions, Instance, InstanceOptions, LaunchConfig, PrintHandler, Program,
};

const SOURCE: &str = r#"
kernel void run(global int *failed)
{
    int item = get_global_id(0);
    failed[item] = printf("<%d:%v4hld>", item, (int4)(item, item + 1, item + 2, item + 3));
}"#;

/// Size of a record of the kernel in bytes: the number of the format and five integers.
const RECORD: u32 = 24;
const ITEMS: usize = 1000;

/// Compiles a module with these options for this device.
type Compile = dyn Fn(&[String], &DeviceProfile) -> Result<CompiledModule, clvk::Error>;

/// The output of a launch with a print buffer of `size` bytes, the number of lost records, and the results of
/// the calls.
fn printed(index: usize, size: u32, compile: &Compile) -> (String, u32, Vec<i32>) {
    let instance =
        Instance::new(&InstanceOptions { validation: true, ..InstanceOptions::default() }).unwrap();
    let info = instance.devices().unwrap().swap_remove(index);
    let seen: Arc<Mutex<(Vec<u8>, u32)>> = Arc::default();
    let handler = Arc::clone(&seen);
    let print_handler = PrintHandler::new(move |print| {
        let mut seen = handler.lock().unwrap();
        seen.0.extend_from_slice(print.text);
        seen.1 += print.lost;
    });
    let options = DeviceOptions { print_buffer_size: size, print_handler, ..DeviceOptions::default() };
    let device = Device::new(&info, &options).unwrap();
    let module = compile(&["-cl-std=CL3.0".to_owned()], device.profile()).unwrap();
    let kernel = Program::new(&device, module).unwrap().kernel("run").unwrap();
    let failed = Buffer::new(&device, ITEMS as u64 * 4).unwrap();
    kernel.launch(&LaunchConfig::linear(ITEMS as u64), &[Arg::Buffer(&failed)]).unwrap().wait().unwrap();
    let mut results = vec![0; ITEMS];
    failed.read(0, bytemuck::cast_slice_mut(&mut results)).unwrap();
    judge::no_messages(&instance).unwrap();
    let (text, lost) = std::mem::take(&mut *seen.lock().unwrap());
    (String::from_utf8(text).unwrap(), lost, results)
}

#[test]
fn records_are_lost_whole_and_counted() {
    let compile =
        |options: &[String], profile: &DeviceProfile| pipeline::compile("print.cl", SOURCE, options, profile);
    for (index, info) in judge::devices().unwrap() {
        for room in [0, 1, 7, ITEMS as u32] {
            // Not quite room for one more record.
            let (text, lost, results) = printed(index, 16 + room * RECORD + RECORD - 4, &compile);
            let context = format!("{} with room for {room}: {text}", info.name());
            let records: Vec<&str> = text.split_inclusive('>').collect();
            assert_eq!(records.len(), room as usize, "{context}");
            assert_eq!(lost, ITEMS as u32 - room, "{context}");
            for record in records {
                let item: i32 = record[1..].split(':').next().unwrap().parse().unwrap();
                assert_eq!(
                    record,
                    format!("<{item}:{item},{},{},{}>", item + 1, item + 2, item + 3),
                    "{context}"
                );
                assert_eq!(results[item as usize], 0, "{context}");
            }
            assert_eq!(results.iter().filter(|&&result| result == -1).count(), lost as usize, "{context}");
        }
    }
}

#[test]
fn linked_programs_print_with_their_own_formats() {
    let parts = [
        r#"void one(int item) { printf("one %d\n", item); }"#,
        r#"void one(int item);
           void two(int item);
           kernel void run(global int *failed) {
               int item = get_global_id(0);
               failed[item] = item == 0 ? printf("%s\n", "first") : 0;
               if (item == 1) one(item);
               if (item == 2) two(item);
           }"#,
        r#"void two(int item) { if (item > 2) printf("never"); printf("two %.1f\n", item * 0.5f); }"#,
    ];
    for (index, info) in judge::devices().unwrap() {
        let compile =
            move |options: &[String], profile: &DeviceProfile| pipeline::link(&parts, options, profile);
        let (text, lost, _) = printed(index, 4096, &compile);
        let mut lines: Vec<&str> = text.lines().collect();
        lines.sort_unstable();
        assert_eq!((lines, lost), (vec!["first", "one 1", "two 1.0"], 0), "{}", info.name());
    }
}
