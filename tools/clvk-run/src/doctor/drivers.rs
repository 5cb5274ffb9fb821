//! The manifests of Vulkan drivers that the loader finds, and what each driver does when it is loaded alone.

use super::library;
use super::probe::{self, Answer, Problem};
use super::report::{Line, Mark, Section};
use super::vulkan::INSTALL_LOADER;
use std::path::{Path, PathBuf};

/// Variables that replace the loader's search; the first that is set counts.
pub const RESTRICTING: [&str; 2] = ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"];

/// Looks up an environment variable.
pub type Variable<'v> = &'v dyn Fn(&str) -> Option<String>;

/// A driver's manifest, and what came of it.
#[derive(Clone, Debug)]
pub struct Driver {
    /// Path of the manifest.
    pub manifest: PathBuf,
    /// What came of it.
    pub state: State,
}

/// What came of a manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// The driver has these devices.
    Devices(Vec<String>),
    /// It loads and finds no device that it is for.
    NoDevice,
    /// The manifest is not there.
    NoManifest,
    /// The manifest is not one.
    BadManifest(String),
    /// The library is not there.
    NoLibrary(String),
    /// The library needs others that are not there.
    MissingLibraries(String, Vec<String>),
    /// The loader refuses it.
    Refused(String),
    /// The process that loaded it ended by a signal.
    Crashed(i32),
    /// It did not answer.
    Hung,
}

/// The manifests in the loader's order (Vulkan loader, "Driver Discovery on Linux").
pub fn find(variable: Variable) -> Vec<PathBuf> {
    let restricting = RESTRICTING.iter().find_map(|name| variable(name));
    let mut found: Vec<PathBuf> = match restricting {
        Some(list) => std::env::split_paths(&list).flat_map(|path| manifests_of(&path)).collect(),
        None => {
            let added = variable("VK_ADD_DRIVER_FILES").unwrap_or_default();
            let added: Vec<PathBuf> =
                std::env::split_paths(&added).flat_map(|path| manifests_of(&path)).collect();
            added.into_iter().chain(folders(variable).iter().flat_map(|folder| in_folder(folder))).collect()
        }
    };
    let mut seen = std::collections::HashSet::new();
    found.retain(|path| !path.as_os_str().is_empty() && seen.insert(path.clone()));
    found
}

fn folders(variable: Variable) -> Vec<PathBuf> {
    let home = variable("HOME").unwrap_or_default();
    let one = |name: &str, default: &str| {
        variable(name).map_or_else(|| Path::new(&home).join(default), PathBuf::from)
    };
    let several = |name: &str, default: &str| -> Vec<PathBuf> {
        std::env::split_paths(&variable(name).unwrap_or_else(|| default.to_owned())).collect()
    };
    let mut folders = vec![one("XDG_CONFIG_HOME", ".config")];
    folders.extend(several("XDG_CONFIG_DIRS", "/etc/xdg"));
    folders.push("/etc".into());
    folders.push(one("XDG_DATA_HOME", ".local/share"));
    folders.extend(several("XDG_DATA_DIRS", "/usr/local/share:/usr/share"));
    folders.into_iter().map(|folder| folder.join("vulkan/icd.d")).collect()
}

/// A variable names files, or folders of them.
fn manifests_of(path: &Path) -> Vec<PathBuf> {
    if path.is_dir() { in_folder(path) } else { vec![path.to_owned()] }
}

fn in_folder(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut found: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|ending| ending == "json")).collect();
    found.sort();
    found
}

/// Loads each driver alone, all at the same time.
pub fn probe_all(manifests: &[PathBuf]) -> Vec<Driver> {
    std::thread::scope(|scope| {
        let threads: Vec<_> =
            manifests.iter().map(|manifest| (manifest, scope.spawn(|| state_of(manifest)))).collect();
        let joined = threads.into_iter().map(|(manifest, thread)| {
            let state = thread.join().unwrap_or(State::Hung);
            Driver { manifest: manifest.clone(), state }
        });
        joined.collect()
    })
}

fn state_of(manifest: &Path) -> State {
    let library = match library_of(manifest) {
        Ok(library) => library,
        Err(state) => return state,
    };
    let name = library.display().to_string();
    let Some(file) = library::find(&library) else { return State::NoLibrary(name) };
    match state_after(probe::ask(Some(manifest))) {
        State::Refused(reason) => match library::missing(&file) {
            missing if missing.is_empty() => State::Refused(reason),
            missing => State::MissingLibraries(name, missing),
        },
        other => other,
    }
}

/// The library that a manifest names; a relative path is one from the manifest's folder.
fn library_of(manifest: &Path) -> Result<PathBuf, State> {
    let text = match std::fs::read_to_string(manifest) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Err(State::NoManifest),
        read => read.map_err(|error| State::BadManifest(error.to_string()))?,
    };
    let value: serde_json::Value =
        serde_json::from_str(&text).map_err(|error| State::BadManifest(format!("not JSON: {error}")))?;
    let library = value["ICD"]["library_path"].as_str();
    let library =
        Path::new(library.ok_or_else(|| State::BadManifest("it names no library_path".to_owned()))?);
    let is_relative = library.is_relative() && library.components().count() > 1;
    let folder = manifest.parent().unwrap_or(Path::new(""));
    Ok(if is_relative { folder.join(library) } else { library.to_owned() })
}

fn state_after(answer: Answer) -> State {
    match answer {
        Answer::Facts(probe, _) if !probe.devices.is_empty() => {
            State::Devices(probe.devices.into_iter().map(|device| device.name).collect())
        }
        Answer::Facts(probe, log) => match (reason_in(&log), probe.problem) {
            (Some(reason), _) | (None, Some(Problem::Other(reason) | Problem::NoLoader(reason))) => {
                State::Refused(reason)
            }
            _ => State::NoDevice,
        },
        Answer::Crashed(signal) => State::Crashed(signal),
        Answer::Hung => State::Hung,
        Answer::Failed(reason) => State::Refused(reason),
    }
}

/// Why the loader refused a driver, in its own words: what the dynamic linker said comes first.
fn reason_in(log: &str) -> Option<String> {
    const SIGNS: [&str; 3] = ["cannot open shared object", "Failed loading library", "Ignoring this JSON"];
    if !SIGNS.iter().any(|sign| log.contains(sign)) {
        return None;
    }
    let line = log.lines().find(|line| line.contains("ERROR") || line.contains(SIGNS[0]))?;
    // `ERROR: …`, with the kind of the message before it in newer loaders.
    let text = line.split_once(": ").map_or(line, |(_, text)| text);
    Some(text.trim().to_owned())
}

/// The judgement.
pub fn judge(drivers: &[Driver], variable: Variable) -> Section {
    let (idle, others): (Vec<&Driver>, Vec<&Driver>) =
        drivers.iter().partition(|driver| driver.state == State::NoDevice);
    let mut lines: Vec<Line> = others.into_iter().map(line).collect();
    if !idle.is_empty() {
        let paths: Vec<String> = idle.iter().map(|driver| driver.manifest.display().to_string()).collect();
        lines.push(Line::new(Mark::Note, format!("loaded, without a device to drive: {}", paths.join(", "))));
    }
    if drivers.is_empty() {
        let text = "no manifest of a driver (vulkan/icd.d/*.json)";
        lines.push(Line::new(Mark::Missing, text).remedy(INSTALL_LOADER));
    }
    if let Some(name) = RESTRICTING.iter().find(|name| variable(name).is_some()) {
        let text = format!("{name}, whose value is below, restricts the loader to these");
        lines.push(
            Line::new(Mark::Note, text).remedy(format!("to see the others: unset {}", RESTRICTING.join(" "))),
        );
    }
    for name in ["VK_LOADER_DRIVERS_SELECT", "VK_LOADER_DRIVERS_DISABLE"] {
        if let Some(value) = variable(name) {
            let text = format!("{name}={value} leaves drivers out");
            lines.push(Line::new(Mark::Note, text).remedy(format!("to see all: unset {name}")));
        }
    }
    Section { title: "Vulkan drivers", lines }
}

fn line(driver: &Driver) -> Line {
    let path = driver.manifest.display();
    let missing = |text: String| Line::new(Mark::Missing, format!("{path}: {text}"));
    match &driver.state {
        State::Devices(names) => Line::new(Mark::Ok, format!("{path}: {}", names.join(", "))),
        State::NoDevice => {
            Line::new(Mark::Note, format!("{path}: loads, and finds no device that it drives"))
        }
        State::NoManifest => missing("there is no such file".to_owned())
            .remedy(format!("name an existing one, or: unset {}", RESTRICTING.join(" "))),
        State::BadManifest(reason) => missing(format!("not a driver's manifest: {reason}"))
            .remedy("install its package again, or remove the file"),
        State::NoLibrary(library) => missing(format!("its library {library} does not exist"))
            .remedy("install the driver again, or correct the path in the manifest"),
        State::MissingLibraries(library, names) => {
            missing(format!("{library} needs {}, which is not there", names.join(", ")))
                .remedy("sudo apt-get install --fix-broken, or install the packages that hold them")
        }
        State::Refused(reason) => missing(reason.clone()),
        State::Crashed(signal) => missing(format!(
            "the driver crashed (signal {signal}) when it listed its devices"
        ))
        .remedy("update or remove the driver; to leave it out, name another: export VK_DRIVER_FILES=FILE"),
        State::Hung => missing("the driver did not list its devices in time".to_owned()).remedy(
            "update or remove the driver; to leave it out, name another: export VK_DRIVER_FILES=FILE",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(state: State) -> Line {
        line(&Driver { manifest: "/d/x.json".into(), state })
    }

    #[test]
    fn every_state_of_a_driver_is_judged() {
        assert_eq!(judged(State::Devices(vec!["a".to_owned()])).mark, Mark::Ok);
        assert_eq!(judged(State::NoDevice).mark, Mark::Note);
        let libraries = State::MissingLibraries("libx.so".to_owned(), vec!["libLLVM.so.1".to_owned()]);
        let line = judged(libraries);
        assert!(line.mark == Mark::Missing && line.text.contains("libx.so needs libLLVM.so.1"));
        assert!(line.remedy.is_some());
        for state in
            [State::NoManifest, State::Hung, State::Crashed(11), State::NoLibrary("libx.so".to_owned())]
        {
            let line = judged(state);
            assert!(line.mark == Mark::Missing && line.remedy.is_some(), "{line:?}");
        }
    }

    #[test]
    fn variables_that_restrict_the_loader_are_named() {
        let none = |_: &str| None;
        assert!(judge(&[], &none).lines[0].remedy.as_ref().unwrap().contains("mesa-vulkan-drivers"));
        let old = |name: &str| (name == "VK_ICD_FILENAMES").then(|| "/x.json".to_owned());
        let lines = judge(&[], &old).lines;
        assert!(lines[1].text.starts_with("VK_ICD_FILENAMES, whose"), "{lines:?}");
        assert_eq!(find(&old), [Path::new("/x.json")]);
        let both = |name: &str| match name {
            "VK_DRIVER_FILES" => Some("/a.json:/b.json".to_owned()),
            "VK_ICD_FILENAMES" => Some("/c.json".to_owned()),
            _ => None,
        };
        assert_eq!(find(&both), [Path::new("/a.json"), Path::new("/b.json")]);
    }

    #[test]
    fn the_loaders_folders_are_searched_in_its_order() {
        let variable = |name: &str| match name {
            "HOME" => Some("/home/me".to_owned()),
            "XDG_DATA_DIRS" => Some("/opt/share".to_owned()),
            _ => None,
        };
        let expected = ["/home/me/.config", "/etc/xdg", "/etc", "/home/me/.local/share", "/opt/share"];
        let expected: Vec<PathBuf> =
            expected.iter().map(|path| Path::new(path).join("vulkan/icd.d")).collect();
        assert_eq!(folders(&variable), expected);
    }

    #[test]
    fn the_loaders_reason_is_found_in_its_log() {
        let log = "WARNING:          something\nERROR:            /x/lib.so: cannot open shared object file: No such file or directory\nERROR: more\n";
        let reason = "/x/lib.so: cannot open shared object file: No such file or directory";
        assert_eq!(reason_in(log).as_deref(), Some(reason));
        let log = "ERROR:  /x/lib.so: file too short\nERROR:  loader_icd_scan: Failed loading library associated with ICD JSON /x/lib.so. Ignoring this JSON";
        assert_eq!(reason_in(log).as_deref(), Some("/x/lib.so: file too short"));
        assert_eq!(reason_in("ERROR: setup_loader_term_phys_devs:  Failed to detect any valid GPUs"), None);
    }
}
