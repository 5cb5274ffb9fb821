//! `--watch`: runs again each time that a file changes.

use crate::cli::RunCommand;
use crate::console;
use crate::failure::{Failure, Result};
use crate::file::is_standard;
use crate::job::Job;
use crate::run;
use notify::event::{EventKind, ModifyKind};
use notify::{Event, RecursiveMode, Watcher};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// Endings of files that a source may include.
const SOURCES: &[&str] = &["cl", "clh", "clc", "h", "hpp", "inc", "toml"];

/// How long files must rest before a run: editors write in several steps.
const REST: Duration = Duration::from_millis(100);

/// Runs the command until the user ends the program.
pub fn watch(command: &RunCommand, build_options: &[String]) -> Result<ExitCode> {
    if is_standard(&command.file) {
        return Err(Failure::usage("the standard input (`-`) cannot be watched; name a file"));
    }
    let cannot = |error: notify::Error| Failure::usage(format!("cannot watch files: {error}"));
    let (sender, events) = channel();
    let mut watcher = notify::recommended_watcher(sender).map_err(cannot)?;
    let mut folders: Vec<PathBuf> = Vec::new();
    loop {
        let files = files(command, build_options);
        for folder in files.iter().map(|file| folder_of(file)).chain(include_folders(build_options)) {
            // A folder that is not there has nothing to watch.
            if !folders.contains(&folder) && folder.is_dir() {
                watcher.watch(&folder, RecursiveMode::NonRecursive).map_err(cannot)?;
                folders.push(folder);
            }
        }
        if let Err(failure) = run::once(command, build_options) {
            failure.report(command.json);
        }
        console::tell(format!("watching {}; Ctrl-C ends\n", command.file.display()));
        if !changed(&events, &files) {
            return Ok(ExitCode::SUCCESS);
        }
    }
}

/// Calls a function each time that a file, one of `inputs` or a source beside them has changed and rests,
/// until what it returns is dropped.
#[cfg(feature = "view")]
pub fn on_change(
    file: &Path,
    inputs: &[PathBuf],
    build_options: &[String],
    changed_files: impl Fn() + Send + 'static,
) -> Result<notify::RecommendedWatcher> {
    let cannot = |error: notify::Error| Failure::usage(format!("cannot watch files: {error}"));
    let (sender, events) = channel();
    let mut watcher = notify::recommended_watcher(sender).map_err(cannot)?;
    let files: Vec<PathBuf> =
        std::iter::once(file).chain(inputs.iter().map(PathBuf::as_path)).map(in_folder).collect();
    let mut folders: Vec<PathBuf> = files.iter().map(|file| folder_of(file)).collect();
    folders.extend(include_folders(build_options));
    folders.sort();
    folders.dedup();
    for folder in folders.iter().filter(|folder| folder.is_dir()) {
        watcher.watch(folder, RecursiveMode::NonRecursive).map_err(cannot)?;
    }
    std::thread::spawn(move || {
        while changed(&events, &files) {
            changed_files();
        }
    });
    Ok(watcher)
}

/// What the job reads, as far as it can be read itself.
fn files(command: &RunCommand, build_options: &[String]) -> Vec<PathBuf> {
    let mut files = vec![command.file.clone()];
    if let Ok(job) = Job::of_command(command, build_options) {
        files.extend(job.inputs());
    }
    files.iter().map(|file| in_folder(file)).collect()
}

/// A file as events name it.
fn in_folder(file: &Path) -> PathBuf {
    folder_of(file).join(file.file_name().unwrap_or_default())
}

/// The folder of a file, as events name it.
fn folder_of(file: &Path) -> PathBuf {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    folder.canonicalize().unwrap_or_else(|_| folder.to_owned())
}

/// The folders of `-I`.
fn include_folders(build_options: &[String]) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    let mut options = build_options.iter();
    while let Some(option) = options.next() {
        let folder = match option.strip_prefix("-I") {
            Some("") => options.next().map(String::as_str),
            folder => folder,
        };
        folders.extend(folder.and_then(|folder| Path::new(folder).canonicalize().ok()));
    }
    folders
}

/// Waits until one of the files, or a source beside them, has changed and rests; `false` if nothing can
/// change any more.
fn changed(events: &Receiver<notify::Result<Event>>, files: &[PathBuf]) -> bool {
    let counts = |event: &notify::Result<Event>| event.as_ref().is_ok_and(|event| concerns(event, files));
    loop {
        match events.recv() {
            Ok(event) if counts(&event) => break,
            Ok(_) => {}
            Err(_) => return false,
        }
    }
    loop {
        match events.recv_timeout(REST) {
            Ok(_) => {}
            Err(RecvTimeoutError::Timeout) => return true,
            Err(RecvTimeoutError::Disconnected) => return false,
        }
    }
}

/// Whether an event changes a file that counts. Reading one is an event too.
fn concerns(event: &Event, files: &[PathBuf]) -> bool {
    let changes = match event.kind {
        EventKind::Create(_) | EventKind::Remove(_) => true,
        EventKind::Modify(kind) => !matches!(kind, ModifyKind::Metadata(_)),
        _ => false,
    };
    let is_source = |path: &Path| {
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
        ending.is_some_and(|ending| SOURCES.contains(&ending.as_str()))
    };
    changes && event.paths.iter().any(|path| files.contains(path) || is_source(path))
}
