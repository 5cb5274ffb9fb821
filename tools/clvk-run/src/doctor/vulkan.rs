//! The Vulkan loader, the validation layer, and the devices.

use super::probe::{Answer, Device, Problem};
use super::report::{Line, Mark, Section};

/// Debian's name for the loader, and for the drivers of Mesa.
pub const INSTALL_LOADER: &str = "sudo apt-get install libvulkan1 mesa-vulkan-drivers";

const LEAVE_OUT: &str =
    "see the drivers below; to leave the broken one out, name another: export VK_DRIVER_FILES=FILE";

/// The loader and its layer.
pub fn loader(answer: &Answer) -> Section {
    let probe = match answer {
        Answer::Facts(probe, _) => probe,
        Answer::Crashed(signal) => {
            let text = format!("a driver ended the process that listed the devices (signal {signal})");
            return section(vec![Line::new(Mark::Missing, text).remedy(LEAVE_OUT)]);
        }
        Answer::Hung => {
            let text = "a driver did not list its devices in time";
            return section(vec![Line::new(Mark::Missing, text).remedy(LEAVE_OUT)]);
        }
        Answer::Failed(reason) => return section(vec![Line::new(Mark::Missing, reason)]),
    };
    let mut lines = Vec::new();
    match (&probe.problem, probe.loader) {
        (Some(Problem::NoLoader(reason)), _) => {
            let text = format!("the loader libvulkan.so.1 does not load: {reason}");
            return section(vec![Line::new(Mark::Missing, text).remedy(INSTALL_LOADER)]);
        }
        (Some(Problem::LoaderTooOld), _) => {
            let text = "the loader knows only Vulkan 1.0, and 1.1 is needed";
            lines.push(
                Line::new(Mark::Missing, text).remedy("sudo apt-get install --only-upgrade libvulkan1"),
            );
        }
        (_, Some(version)) => {
            lines.push(Line::new(Mark::Ok, format!("loader libvulkan.so.1, {}", dotted(version))))
        }
        (_, None) => lines.push(Line::new(Mark::Warn, "the loader does not say its version")),
    }
    if let Some(Problem::Other(text)) = &probe.problem {
        lines.push(Line::new(Mark::Missing, text).remedy("put right first what is missing below"));
    }
    // Without a device, whether the layer works is not known.
    if probe.problem.is_none() {
        lines.push(match probe.validation {
            true => Line::new(Mark::Ok, "validation layer, for `--validate`"),
            false => Line::new(Mark::Note, "no validation layer; only `--validate` needs it")
                .remedy("sudo apt-get install vulkan-validationlayers"),
        });
    }
    section(lines)
}

fn section(lines: Vec<Line>) -> Section {
    Section { title: "Vulkan loader", lines }
}

/// The devices.
pub fn devices(devices: &[Device]) -> Section {
    let mut lines = Vec::new();
    if devices.is_empty() {
        let line = Line::new(Mark::Missing, "no device: no driver above found one");
        lines.push(line.remedy("install the driver of your GPU; lavapipe runs on any processor: sudo apt-get install mesa-vulkan-drivers"));
    }
    for device in devices {
        let Device { index, name, kind, driver, version, .. } = device;
        let text = format!("{index}: {name} ({kind}, {driver}, Vulkan {})", dotted(*version));
        match &device.unusable {
            Some(reason) => lines.push(Line::new(Mark::Warn, format!("{text} cannot be used: {reason}"))),
            None => lines.push(Line::new(Mark::Ok, text)),
        }
        for (what, names) in [("avoids", &device.quirks), ("relies on", &device.guarantees)] {
            if !names.is_empty() {
                lines.push(Line::new(Mark::Note, format!("{index}: clvk {what} {}", names.join(", "))));
            }
        }
    }
    if !devices.is_empty() && devices.iter().all(|device| device.kind == "CPU") {
        lines.push(Line::new(
            Mark::Note,
            "all of them run on the processor; why no GPU is among them, see below",
        ));
    }
    Section { title: "Devices", lines }
}

fn dotted((major, minor, patch): (u32, u32, u32)) -> String {
    format!("{major}.{minor}.{patch}")
}

#[cfg(test)]
mod tests {
    use super::super::probe::Probe;
    use super::*;

    fn answer(problem: Option<Problem>, validation: bool) -> Answer {
        let probe = Probe { loader: Some((1, 3, 239)), validation, problem, devices: Vec::new() };
        Answer::Facts(probe, String::new())
    }

    #[test]
    fn what_the_loader_lacks_has_a_remedy() {
        let missing = loader(&answer(Some(Problem::NoLoader("no such file".to_owned())), false));
        assert_eq!(missing.lines.len(), 1);
        assert_eq!(missing.lines[0].remedy.as_deref(), Some(INSTALL_LOADER));
        assert!(missing.lines[0].text.contains("no such file"));
        let old = loader(&answer(Some(Problem::LoaderTooOld), false));
        assert!(old.lines[0].remedy.as_ref().unwrap().contains("upgrade libvulkan1"));
        let plain = loader(&answer(None, false));
        assert_eq!((plain.lines[0].mark, plain.lines[1].mark), (Mark::Ok, Mark::Note));
        assert!(plain.lines[1].remedy.as_ref().unwrap().contains("vulkan-validationlayers"));
        assert!(loader(&answer(None, true)).lines.iter().all(|line| line.mark == Mark::Ok));
        assert_eq!(loader(&Answer::Hung).lines[0].mark, Mark::Missing);
        assert!(loader(&Answer::Crashed(11)).lines[0].text.contains("signal 11"));
    }

    #[test]
    fn devices_say_why_they_cannot_be_used_and_what_is_avoided() {
        let cpu =
            Device { kind: "CPU".to_owned(), quirks: vec!["loops-end".to_owned()], ..Device::default() };
        let reason = Some("it has no compute queue".to_owned());
        let gpu = Device { index: 1, kind: "discrete GPU".to_owned(), unusable: reason, ..Device::default() };
        let lines = devices(&[cpu.clone(), gpu]).lines;
        assert_eq!(lines[0].mark, Mark::Ok);
        assert!(lines[1].text.contains("avoids loops-end"));
        assert!(lines[2].mark == Mark::Warn && lines[2].text.contains("it has no compute queue"));
        assert_eq!(lines.len(), 3);
        assert!(devices(&[cpu]).lines[2].text.contains("why no GPU"));
        assert_eq!(devices(&[]).lines[0].mark, Mark::Missing);
    }
}
