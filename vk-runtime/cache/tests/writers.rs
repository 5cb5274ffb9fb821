//! The cache on disk under several processes. Some are killed while they write.

use clvk_cache::{CacheKey, DiskCache};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Set for the writers: the folder of the cache.
const WRITER: &str = "CLVK_TESTS_CACHE_WRITER";

const LIMIT: u64 = 1 << 30;

fn main() {
    match std::env::var_os(WRITER) {
        Some(folder) => write_for_ever(Path::new(&folder)),
        None => a_killed_writer_loses_at_most_what_it_was_writing(),
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

fn start_writer(folder: &Path) -> Child {
    let program = std::env::current_exe().expect("the test is a program");
    Command::new(program).env(WRITER, folder).stdout(Stdio::piped()).spawn().expect("the test can be started")
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
        std::fs::remove_dir_all(&folder).expect("the cache can be removed");
    }
    assert!(entries > 0, "no writer lived long enough to write anything");
    println!("{rounds} rounds, {entries} entries written, none lost or wrong");
}
