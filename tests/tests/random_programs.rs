//! Random programs on every Vulkan device found, against the results that PoCL computed, recorded in
//! `random-programs.txt`.
//!
//! `random-programs record` makes the records; `docs/log/random-programs.md` has the command. After a change
//! of the generator, new ones are needed.

use clvk_tests::executor::protocol::{Answer, Request, fingerprint};
use clvk_tests::executor::vulkan::{Checks, Executor};
use clvk_tests::generator::feature::Weights;
use clvk_tests::generator::generate;
use vk_runtime::{Instance, InstanceOptions};

/// A program, and its recorded behaviour.
struct Record {
    seed: u64,
    source: u64,
    results: u64,
}

fn records() -> Vec<Record> {
    let line = |line: &str| {
        let fields: Vec<&str> = line.split(' ').collect();
        let [seed, source, results] = fields[..] else { panic!("`{line}` is not a record") };
        let number = |text| u64::from_str_radix(text, 16).expect("a hexadecimal number");
        Record { seed: seed.parse().expect("a number"), source: number(source), results: number(results) }
    };
    include_str!("random-programs.txt").lines().filter(|text| !text.starts_with('#')).map(line).collect()
}

#[test]
fn recorded_programs_are_those_that_the_generator_makes() {
    let weights = Weights::default();
    for record in records() {
        let request = Request::of(&generate(record.seed, &weights));
        assert_eq!(
            fingerprint([request.source.as_str()]),
            record.source,
            "the program of seed {} has changed: record the results again",
            record.seed
        );
    }
}

#[test]
fn recorded_results_are_computed_on_every_device() {
    let devices = Instance::new(&InstanceOptions::default()).and_then(|instance| instance.devices());
    let devices = devices.expect("Vulkan works");
    let usable: Vec<usize> =
        (0..devices.len()).filter(|&index| devices[index].unusable_reason().is_none()).collect();
    assert!(!usable.is_empty(), "there is no usable Vulkan device");
    let mut failures = Vec::new();
    for index in usable {
        let executor = Executor::new(index, Checks { validation: true, alignment: false }, &[])
            .expect("the device opens");
        for record in records() {
            let request = Request::of(&generate(record.seed, &Weights::default()));
            let failure = match executor.run(&request) {
                Answer::Outputs(outputs)
                    if fingerprint(outputs.iter().map(String::as_str)) == record.results =>
                {
                    continue;
                }
                Answer::Outputs(_) => "other results than PoCL's".to_owned(),
                Answer::Refused(text) => format!("refused: {text}"),
                Answer::Failed(text) => format!("failed: {text}"),
            };
            failures.push(format!("{}, seed {}: {failure}", devices[index].name(), record.seed));
        }
    }
    assert!(failures.is_empty(), "{} programs:\n{}", failures.len(), failures.join("\n"));
}
