//! What the Vulkan loader and its drivers say, asked in a process of its own: a driver may crash or hang.

use clvk::runtime::{DeviceInfo, Error, Instance, InstanceOptions};
use serde::{Deserialize, Serialize};
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// How long a driver may take to list its devices.
const PATIENCE: Duration = Duration::from_secs(20);

/// What a process found out.
#[derive(Debug, Serialize, Deserialize)]
pub struct Probe {
    /// Highest version of Vulkan that the loader knows.
    pub loader: Option<(u32, u32, u32)>,
    /// Whether the validation layer can be used.
    pub validation: bool,
    /// Why there are no devices.
    pub problem: Option<Problem>,
    /// Devices.
    pub devices: Vec<Device>,
}

/// Why there are no devices.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Problem {
    /// There is no `libvulkan.so.1`, or it does not load.
    NoLoader(String),
    /// The loader knows only Vulkan 1.0.
    LoaderTooOld,
    /// No driver has a device.
    NoDevice,
    /// Something else.
    Other(String),
}

/// A device.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Device {
    /// Position in the list.
    pub index: usize,
    /// Name.
    pub name: String,
    /// Kind, in a word.
    pub kind: String,
    /// Name and version of the driver.
    pub driver: String,
    /// Version of Vulkan.
    pub version: (u32, u32, u32),
    /// PCI vendor and device.
    pub pci: (u32, u32),
    /// Why it cannot be used.
    pub unusable: Option<String>,
    /// Driver errors that the compiler avoids.
    pub quirks: Vec<String>,
    /// Measured behaviour that the compiler relies on.
    pub guarantees: Vec<String>,
}

/// How a process ended.
#[derive(Debug)]
pub enum Answer {
    /// With facts, and what the loader wrote meanwhile.
    Facts(Probe, String),
    /// By a signal.
    Crashed(i32),
    /// Not in time.
    Hung,
    /// Otherwise.
    Failed(String),
}

impl Answer {
    /// The devices that were found.
    pub fn devices(&self) -> &[Device] {
        match self {
            Answer::Facts(probe, _) => &probe.devices,
            _ => &[],
        }
    }
}

/// In the process of its own: asks the loader.
pub fn probe() -> Probe {
    let loader = Instance::loader_version().ok();
    let devices = Instance::new(&InstanceOptions::default()).and_then(|instance| instance.devices());
    let validation = devices.is_ok()
        && Instance::new(&InstanceOptions { validation: true, ..InstanceOptions::default() }).is_ok();
    match devices {
        Ok(devices) => {
            let devices = devices.iter().map(device).collect();
            Probe { loader, validation, problem: None, devices }
        }
        Err(error) => Probe { loader, validation, problem: Some(problem(error)), devices: Vec::new() },
    }
}

fn problem(error: Error) -> Problem {
    match error {
        Error::NoLoader(reason) => Problem::NoLoader(reason.to_string()),
        Error::LoaderTooOld => Problem::LoaderTooOld,
        Error::NoDevice => Problem::NoDevice,
        other => Problem::Other(with_sources(&other)),
    }
}

fn with_sources(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |error| error.source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}

fn device(device: &DeviceInfo) -> Device {
    let profile = device.profile();
    Device {
        index: device.index(),
        name: device.name().to_owned(),
        kind: device.kind().to_string(),
        driver: device.driver().to_owned(),
        version: device.api_version(),
        pci: device.pci_id(),
        unusable: device.unusable_reason().map(str::to_owned),
        quirks: profile.map_or(Vec::new(), |profile| names(&profile.quirks)),
        guarantees: profile.map_or(Vec::new(), |profile| names(&profile.guarantees)),
    }
}

/// The names that profiles have for these.
fn names<'a, T: Serialize + 'a>(values: impl IntoIterator<Item = &'a T>) -> Vec<String> {
    let name = |value| serde_json::to_value(value).ok()?.as_str().map(str::to_owned);
    values.into_iter().filter_map(name).collect()
}

/// Starts the process, for one driver alone if a manifest is named, and waits for its answer.
pub fn ask(manifest: Option<&Path>) -> Answer {
    let mut command = Command::new("/proc/self/exe");
    command.args(["doctor", "--probe"]).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.env("VK_LOADER_DEBUG", "error,warn");
    if let Some(manifest) = manifest {
        command.env("VK_DRIVER_FILES", manifest).env("VK_ICD_FILENAMES", manifest);
        command.env_remove("VK_ADD_DRIVER_FILES");
    }
    match command.spawn() {
        Ok(child) => listen(child, PATIENCE),
        Err(error) => Answer::Failed(format!("cannot start a process: {error}")),
    }
}

fn listen(mut child: Child, patience: Duration) -> Answer {
    let out = child.stdout.take().map(read_aside);
    let log = child.stderr.take().map(read_aside);
    let Some(status) = wait(&mut child, patience) else { return Answer::Hung };
    let text = |reader: Option<std::thread::JoinHandle<String>>| {
        reader.and_then(|reader| reader.join().ok()).unwrap_or_default()
    };
    let (out, log) = (text(out), text(log));
    if let Some(signal) = status.signal() {
        return Answer::Crashed(signal);
    }
    // Drivers write to the standard output too.
    match out.lines().rev().find_map(|line| serde_json::from_str(line).ok()) {
        Some(probe) => Answer::Facts(probe, log),
        None => Answer::Failed(format!("the process ended without an answer ({status})")),
    }
}

/// Reads aside, so that the process never waits for a reader.
fn read_aside(mut stream: impl Read + Send + 'static) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// The status; `None` if the process had to be ended.
fn wait(child: &mut Child, patience: Duration) -> Option<ExitStatus> {
    let started = Instant::now();
    while started.elapsed() < patience {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) => std::thread::sleep(Duration::from_millis(5)),
            Err(_) => break,
        }
    }
    let _ = child.kill();
    let _ = child.wait();
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(script: &str) -> Answer {
        let mut command = Command::new("sh");
        command.args(["-c", script]).stdout(Stdio::piped()).stderr(Stdio::piped());
        listen(command.spawn().unwrap(), Duration::from_millis(500))
    }

    #[test]
    fn every_end_of_a_process_is_an_answer() {
        assert!(matches!(run("kill -SEGV $$"), Answer::Crashed(11)));
        assert!(matches!(run("exec sleep 60"), Answer::Hung));
        assert!(matches!(run("echo nonsense; exit 3"), Answer::Failed(_)));
        let facts = r#"{"loader":[1,3,0],"validation":false,"problem":"NoDevice","devices":[]}"#;
        let answer = run(&format!("echo a driver talks; echo '{facts}'; echo log >&2"));
        assert!(
            matches!(answer, Answer::Facts(Probe { problem: Some(Problem::NoDevice), .. }, log) if log == "log\n")
        );
    }
}
