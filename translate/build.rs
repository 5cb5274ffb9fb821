//! Computes the translator's identity, a hash over its sources, for caches of translated programs.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

/// Everything that decides the translator's output, except the library that is linked.
const FOLDERS: [&str; 3] = ["src", "ir/src", "interface/src"];

fn main() {
    let mut files = Vec::new();
    for folder in FOLDERS {
        println!("cargo::rerun-if-changed={folder}");
        collect(Path::new(folder), &mut files);
    }
    files.sort();
    let mut hash = DefaultHasher::new();
    for file in files {
        file.hash(&mut hash);
        std::fs::read(&file).expect("sources can be read").hash(&mut hash);
    }
    println!("cargo::rustc-env=CLVK_TRANSLATOR={:016x}", hash.finish());
}

/// Collects the files of a folder and of its subfolders.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the folder is in the package") {
        let path = entry.expect("the folder can be listed").path();
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.push(path);
        }
    }
}
