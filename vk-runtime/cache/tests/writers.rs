//! The cache on disk under several processes. Some are killed while they write.

use clvk_cache::{CacheKey, DiskCache};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Set for the writers: the folder of the cache.
const WRITER: &str = "CLVK_TESTS_CACHE_WRITER";

/// How many numbers a writer adds to the entry.
const ADDED: u64 = 150;

const LIMIT: u64 = 1 << 30;

fn main() {
    // The argument of writers that add to one entry: the first of the numbers that they add.
    let first = std::env::args().nth(1).and_then(|text| text.parse().ok());
    match (std::env::var_os(WRITER), first) {
        (Some(folder), Some(first)) => add_to_an_entry(Path::new(&folder), first),
        (Some(folder), None) => write_for_ever(Path::new(&folder)),
        (None, _) => {
            a_killed_writer_loses_at_most_what_it_was_writing();
            processes_that_add_to_an_entry_lose_nothing();
        }
    }
}

fn key(number: u64) -> CacheKey {
    CacheKey::new("test").with(&number.to_le_bytes())
}

/// What belongs to a key.
fn data(number: u64) -> Vec<u8> {
    let length = number * 7919 % 200_000;
    (0..length).map(|index| (index ^ index >> 8 ^ number) as u8).collect()
}

/// Adds entries one after the other, and prints which are done.
fn write_for_ever(folder: &Path) {
    let cache = DiskCache::new(folder, LIMIT);
    let mut out = std::io::stdout();
    for number in 0.. {
        cache.put(&key(number), &data(number));
        writeln!(out, "{number}").and_then(|()| out.flush()).expect("the test listens");
    }
}

/// The numbers in the data of a part.
fn numbers(data: &[u8]) -> impl Iterator<Item = u64> {
    data.chunks_exact(8).map(|bytes| u64::from_le_bytes(bytes.try_into().expect("eight bytes")))
}

/// Adds one number after the other to an entry, as the runtime adds pipelines: what others have added is
/// merged each time, and nothing is read again that is known.
fn add_to_an_entry(folder: &Path, first: u64) {
    let cache = DiskCache::new(folder, LIMIT);
    let (mut known, mut all) = (Vec::new(), BTreeSet::new());
    for number in first..first + ADDED {
        for (part, data) in cache.new_parts(&key(0), &known) {
            all.extend(numbers(&data));
            known.push(part);
        }
        all.insert(number);
        let data: Vec<u8> = all.iter().flat_map(|number| number.to_le_bytes()).collect();
        known = vec![cache.add_part(&key(0), &data, &known).expect("the folder can be written")];
    }
}

fn processes_that_add_to_an_entry_lose_nothing() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("adders-{}", std::process::id()));
    let cache = DiskCache::new(&folder, LIMIT);
    let mut adders: Vec<Child> = (0..3).map(|adder| start(&folder, Some(adder * ADDED))).collect();
    for adder in &mut adders {
        assert!(adder.wait().expect("it runs").success());
    }
    let parts = cache.new_parts(&key(0), &[]);
    let all: BTreeSet<u64> = parts.iter().flat_map(|(_, data)| numbers(data)).collect();
    assert_eq!(all, (0..3 * ADDED).collect(), "in {} parts", parts.len());
    assert!(parts.len() <= 3, "each has removed what it merged: {} parts", parts.len());
    std::fs::remove_dir_all(&folder).expect("the cache can be removed");
}

fn start_writer(folder: &Path) -> Child {
    start(folder, None)
}

fn start(folder: &Path, first: Option<u64>) -> Child {
    let mut command = Command::new(std::env::current_exe().expect("the test is a program"));
    command.env(WRITER, folder).args(first.map(|first| first.to_string()));
    command.stdout(Stdio::piped()).spawn().expect("the test can be started")
}

fn a_killed_writer_loses_at_most_what_it_was_writing() {
    let rounds = std::env::var("CLVK_CACHE_ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(25u64);
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("cache-{}", std::process::id()));
    let mut entries = 0;
    for round in 0..rounds {
        // Two at once, with the same keys.
        let mut writers = [start_writer(&folder), start_writer(&folder)];
        std::thread::sleep(Duration::from_micros(5_000 + round * 7_919 % 60_000));
        let mut done = 0;
        for writer in &mut writers {
            writer.kill().expect("it runs");
            writer.wait().expect("it was killed");
            let lines = BufReader::new(writer.stdout.take().expect("it is piped")).lines();
            // The last line may be cut off, and then it names an earlier entry.
            let last = lines.map_while(Result::ok).filter_map(|line| line.parse::<u64>().ok()).max();
            done = done.max(last.map_or(0, |last| last + 1));
        }
        let cache = DiskCache::new(&folder, LIMIT);
        for number in 0..done + 3 {
            match cache.get(&key(number)) {
                Some(found) => assert!(found == data(number), "round {round}: entry {number} is wrong"),
                None => assert!(number >= done, "round {round}: entry {number} of {done} is lost"),
            }
        }
        entries += done;
        // On a busy machine, both may be killed before they make the folder.
        let removed = std::fs::remove_dir_all(&folder);
        assert!(removed.is_ok() || !folder.exists(), "the cache can be removed: {removed:?}");
    }
    assert!(entries > 0, "no writer lived long enough to write anything");
    println!("{rounds} rounds, {entries} entries written, none lost or wrong");
}
