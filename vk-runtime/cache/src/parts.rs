//! Entries that several processes add to, such as the pipelines of a program.
//!
//! Such an entry has several files, its parts, and means all that they contain together. A part is named by
//! its contents and never changed. A process that adds something reads the parts, writes one that contains
//! theirs and its own additions, and only then removes those that it has read. What another process has
//! written meanwhile stays, and the next process merges it. So nothing is lost, and nobody waits: there is no
//! lock, and it suffices that a file is renamed at once, as in folders on a network.

use crate::{CacheKey, DiskCache, HEADER, hexadecimal};
use sha2::{Digest, Sha256};
use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;

/// How often the parts are looked for. A part that is gone was merged by another process, whose part is found
/// the next time.
const ATTEMPTS: usize = 4;

/// The name of a part of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part(PathBuf);

impl DiskCache {
    /// The parts of an entry that can be read, except for those that are known, with their data.
    #[must_use]
    pub fn new_parts(&self, key: &CacheKey, known: &[Part]) -> Vec<(Part, Vec<u8>)> {
        let mut found: Vec<(Part, Vec<u8>)> = Vec::new();
        for _ in 0..ATTEMPTS {
            let mut is_complete = true;
            for part in self.parts(key) {
                if known.contains(&part) || found.iter().any(|(other, _)| *other == part) {
                    continue;
                }
                match self.read(&part.0) {
                    Ok(Some(data)) => found.push((part, data)),
                    Ok(None) => {}
                    Err(error) => is_complete &= error.kind() != ErrorKind::NotFound,
                }
            }
            if is_complete {
                break;
            }
        }
        found
    }

    /// Adds a part that contains what these parts contain, which are removed. Returns its name, or `None` if
    /// it cannot be written.
    pub fn add_part(&self, key: &CacheKey, data: &[u8], merged: &[Part]) -> Option<Part> {
        let mut path = self.path(key).into_os_string();
        path.push(format!(".{}", hexadecimal(&Sha256::digest(data)[..16])));
        let part = Part(PathBuf::from(path));
        let size = (HEADER + data.len()) as u64;
        let is_there = fs::metadata(&part.0).is_ok_and(|file| file.len() == size);
        if !is_there && !self.put_file(&part.0, data) {
            return None;
        }
        for old in merged.iter().filter(|old| **old != part) {
            let _ = fs::remove_file(&old.0);
        }
        Some(part)
    }

    /// The files that are there now. One without a name of its own was written by [`DiskCache::put`].
    fn parts(&self, key: &CacheKey) -> Vec<Part> {
        let entry = self.path(key);
        let Some((folder, name)) = entry.parent().zip(entry.file_name()) else { return Vec::new() };
        let (Ok(files), Some(name)) = (fs::read_dir(folder), name.to_str()) else { return Vec::new() };
        let paths = files.flatten().map(|file| file.path());
        let is_part = |path: &PathBuf| {
            let rest = path.file_name().and_then(|file| file.to_str()?.strip_prefix(name));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        paths.filter(is_part).map(Part).collect()
    }
}
