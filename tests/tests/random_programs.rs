//! Random programs on every Vulkan device found, against recorded results: those in OpenCL C against what
//! PoCL computed (`random-programs.txt`), those in C++ for OpenCL against what clang's code on the host
//! computed (`random-programs-cxx.txt`).
//!
//! `random-programs record` makes the records; `docs/log/random-programs.md` has the command. After a change
//! of the generator, new ones are needed.

use clvk_tests::executor::protocol::{Answer, Request, fingerprint};
use clvk_tests::executor::vulkan::{Checks, Executor};
use clvk_tests::generator::feature::Weights;
use clvk_tests::generator::{Program, cxx, generate};
use vk_runtime::{Instance, InstanceOptions};

/// A program, and its recorded behaviour.
struct Record {
    seed: u64,
    source: u64,
    results: u64,
}

/// Records of one language.
struct List {
    text: &'static str,
    generate: fn(u64) -> Program,
}

const LISTS: [List; 2] = [
    List { text: include_str!("random-programs.txt"), generate: |seed| generate(seed, &Weights::default()) },
    List { text: include_str!("random-programs-cxx.txt"), generate: cxx::generate },
];

fn records(list: &List) -> Vec<Record> {
    let line = |line: &str| {
        let fields: Vec<&str> = line.split(' ').collect();
        let [seed, source, results] = fields[..] else { panic!("`{line}` is not a record") };
        let number = |text| u64::from_str_radix(text, 16).expect("a hexadecimal number");
        Record { seed: seed.parse().expect("a number"), source: number(source), results: number(results) }
    };
    list.text.lines().filter(|text| !text.starts_with('#')).map(line).collect()
}

fn all() -> impl Iterator<Item = (&'static List, Record)> {
    LISTS.iter().flat_map(|list| records(list).into_iter().map(move |record| (list, record)))
}

#[test]
fn recorded_programs_are_those_that_the_generator_makes() {
    for (list, record) in all() {
        let request = Request::of(&(list.generate)(record.seed));
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
        for (list, record) in all() {
            let request = Request::of(&(list.generate)(record.seed));
            let failure = match executor.run(&request) {
                Answer::Outputs(outputs)
                    if fingerprint(outputs.iter().map(String::as_str)) == record.results =>
                {
                    continue;
                }
                Answer::Outputs(_) => "other results than those recorded".to_owned(),
                Answer::Refused(text) => format!("refused: {text}"),
                Answer::Failed(text) => format!("failed: {text}"),
            };
            let language = request.options.join(" ");
            failures.push(format!("{}, {language}, seed {}: {failure}", devices[index].name(), record.seed));
        }
    }
    assert!(failures.is_empty(), "{} programs:\n{}", failures.len(), failures.join("\n"));
}
