//! The GPUs of this machine, as the kernel knows them, and why one is not among the devices.

use super::drivers::{Driver, RESTRICTING, State};
use super::probe::Device;
use super::report::{Line, Mark, Section};
use rustix::fs::{Access, access};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A display or compute adapter on the PCI bus, or one of a system on a chip.
#[derive(Clone, Debug)]
pub struct Gpu {
    /// Its place: `0000:01:00.0`, or the name of its node.
    place: String,
    /// PCI vendor and device, where it has them.
    pci: Option<(u32, u32)>,
    /// The kernel's driver.
    kernel_driver: Option<String>,
    /// The files through which programs reach it.
    nodes: Vec<Node>,
}

/// A file through which programs reach a GPU.
#[derive(Clone, Debug)]
struct Node {
    path: PathBuf,
    exists: bool,
    /// Whether this user may read and write it.
    usable: bool,
    /// Its group.
    group: Option<String>,
}

/// A vendor: number, name, packages of its Vulkan driver in Debian, and a part of the manifests' names.
const VENDORS: [(u32, &str, &str, &[&str]); 3] = [
    (0x1002, "AMD", "mesa-vulkan-drivers", &["radeon", "amd"]),
    (0x8086, "Intel", "mesa-vulkan-drivers", &["intel"]),
    (0x10de, "NVIDIA", "nvidia-vulkan-icd", &["nvidia", "nouveau"]),
];

/// Adapters that show a picture and compute nothing: virtual machines' (Bochs, Cirrus, QXL, VMware,
/// VirtualBox, Hyper-V) and servers' (ASPEED, Matrox).
const DISPLAYS: [u32; 8] = [0x1234, 0x1013, 0x1b36, 0x15ad, 0x80ee, 0x1414, 0x1a03, 0x102b];

/// The GPUs below a root, which is `/` but for tests.
pub fn find(root: &Path) -> Vec<Gpu> {
    let mut found: Vec<Gpu> = entries(&root.join("sys/bus/pci/devices"))
        .iter()
        .filter(|device| read(&device.join("class")).is_some_and(|class| class.starts_with("0x03")))
        .map(|device| of_pci(root, device))
        .collect();
    // Of a system on a chip.
    for node in entries(&root.join("sys/class/drm")) {
        let name = file_name(&node);
        let is_pci = node.join("device/vendor").exists();
        if name.starts_with("renderD") && !is_pci {
            let kernel_driver = link_name(&node.join("device/driver"));
            found.push(Gpu { nodes: vec![of_node(root, &name)], place: name, pci: None, kernel_driver });
        }
    }
    // Of Windows, below which Linux runs.
    if root.join("dev/dxg").exists() {
        let nodes = vec![node(root.join("dev/dxg"))];
        found.push(Gpu {
            place: "/dev/dxg".to_owned(),
            pci: None,
            kernel_driver: Some("dxgkrnl".to_owned()),
            nodes,
        });
    }
    found
}

fn of_pci(root: &Path, device: &Path) -> Gpu {
    let number = |name: &str| {
        let text = read(&device.join(name))?;
        u32::from_str_radix(text.strip_prefix("0x")?, 16).ok()
    };
    let kernel_driver = link_name(&device.join("driver"));
    let nodes = match kernel_driver.as_deref() {
        Some("nvidia") => {
            let number = nvidia_number(root, &file_name(device));
            vec![node(root.join("dev/nvidiactl")), node(root.join(format!("dev/nvidia{number}")))]
        }
        _ => {
            let names = entries(&device.join("drm")).iter().map(|path| file_name(path)).collect::<Vec<_>>();
            names.iter().filter(|name| name.starts_with("renderD")).map(|name| of_node(root, name)).collect()
        }
    };
    Gpu { place: file_name(device), pci: number("vendor").zip(number("device")), kernel_driver, nodes }
}

/// The number in the name of the node, as NVIDIA's driver tells it.
fn nvidia_number(root: &Path, place: &str) -> u32 {
    let text =
        read(&root.join("proc/driver/nvidia/gpus").join(place).join("information")).unwrap_or_default();
    let number = text.lines().find_map(|line| line.strip_prefix("Device Minor:")?.trim().parse().ok());
    number.unwrap_or(0)
}

fn of_node(root: &Path, name: &str) -> Node {
    node(root.join("dev/dri").join(name))
}

fn node(path: PathBuf) -> Node {
    let data = fs::metadata(&path).ok();
    let usable = access(&path, Access::READ_OK | Access::WRITE_OK).is_ok();
    let group = data.as_ref().and_then(|data| group_name(data.gid()));
    Node { path, exists: data.is_some(), usable, group }
}

fn group_name(gid: u32) -> Option<String> {
    let text = fs::read_to_string("/etc/group").ok()?;
    let is_it = |line: &&str| line.split(':').nth(2).and_then(|number| number.parse().ok()) == Some(gid);
    text.lines().find(is_it).and_then(|line| line.split(':').next()).map(str::to_owned)
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    found.sort();
    found
}

fn read(path: &Path) -> Option<String> {
    fs::read_to_string(path).ok().map(|text| text.trim().to_owned())
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn link_name(path: &Path) -> Option<String> {
    fs::read_link(path).ok().map(|target| file_name(&target))
}

/// The judgement.
pub fn judge(gpus: &[Gpu], devices: &[Device], drivers: &[Driver]) -> Section {
    let mut lines: Vec<Line> = gpus.iter().map(|gpu| line(gpu, devices, drivers)).collect();
    if gpus.is_empty() {
        let seen = devices.iter().any(|device| device.kind != "CPU");
        if !seen {
            lines.push(Line::new(Mark::Note, "the kernel knows no GPU: none on the PCI bus, no /dev/dri/renderD*")
                .remedy("in a container or virtual machine, pass it through: docker run --device /dev/dri, or --gpus all"));
        }
    }
    if lines.is_empty() {
        lines.push(Line::new(Mark::Ok, "all GPUs are among the devices"));
    }
    Section { title: "Why do I not see my GPU?", lines }
}

fn line(gpu: &Gpu, devices: &[Device], drivers: &[Driver]) -> Line {
    let name = name(gpu);
    if let Some(device) = devices.iter().find(|device| is_it(gpu, device)) {
        return match &device.unusable {
            None => Line::new(Mark::Ok, format!("{name} is device {}", device.index)),
            Some(reason) => {
                let text = format!("{name} is device {}, which cannot be used: {reason}", device.index);
                Line::new(Mark::Warn, text).remedy("update its driver; clvk needs Vulkan 1.1")
            }
        };
    }
    if gpu.pci.is_some_and(|(vendor, _)| DISPLAYS.contains(&vendor)) {
        return Line::new(Mark::Note, format!("{name} shows a picture and computes nothing"));
    }
    let missing = |text: String| Line::new(Mark::Missing, format!("{name}: {text}"));
    let Some(kernel_driver) = &gpu.kernel_driver else {
        let remedy = match gpu.pci {
            Some((0x10de, _)) => "sudo apt-get install nvidia-driver, and restart",
            Some((0x1002, _)) => "sudo apt-get install firmware-amd-graphics, and restart",
            _ => "look for its reason: sudo dmesg | grep -i -e drm -e firmware",
        };
        return missing("the kernel has no driver for it".to_owned()).remedy(remedy);
    };
    if let Some(node) = gpu.nodes.iter().find(|node| !node.exists) {
        return missing(format!(
            "{} does not exist, though the kernel drives it with {kernel_driver}",
            node.path.display()
        ))
        .remedy("in a container, pass it through: docker run --device /dev/dri, or --gpus all");
    }
    if let Some(node) = gpu.nodes.iter().find(|node| !node.usable) {
        let group = node.group.as_deref().unwrap_or("render");
        return missing(format!(
            "no permission to open {}, which belongs to the group {group}",
            node.path.display()
        ))
        .remedy(format!("sudo usermod -aG {group} $USER, then log out and in again"));
    }
    without_device(gpu, kernel_driver, drivers, missing)
}

/// Why a GPU that can be opened is not among the devices.
fn without_device(
    gpu: &Gpu,
    kernel_driver: &str,
    drivers: &[Driver],
    missing: impl Fn(String) -> Line,
) -> Line {
    if kernel_driver == "dxgkrnl" {
        return missing("no Vulkan driver for the GPUs of Windows found it".to_owned())
            .remedy("install a Mesa that has `dzn` (dzn_icd.*.json)");
    }
    let vendor = VENDORS.iter().find(|(number, ..)| gpu.pci.is_some_and(|(vendor, _)| vendor == *number));
    let Some((_, vendor, package, names)) = vendor else {
        return missing("no Vulkan driver found it".to_owned())
            .remedy("sudo apt-get install mesa-vulkan-drivers");
    };
    let is_theirs = |driver: &&Driver| {
        let file = file_name(&driver.manifest);
        names.iter().any(|name| file.contains(name))
    };
    match drivers.iter().find(is_theirs) {
        Some(driver) if driver.state == State::NoDevice => {
            let text = format!("{} loads and does not take it", driver.manifest.display());
            missing(text).remedy(format!("update {package}, or the kernel's driver {kernel_driver}"))
        }
        Some(driver) => missing(format!("{} does not load; see above", driver.manifest.display())),
        None => missing(format!("the loader finds no driver of {vendor}")).remedy(format!(
            "sudo apt-get install {package}; if it is installed: unset {}",
            RESTRICTING.join(" ")
        )),
    }
}

fn is_it(gpu: &Gpu, device: &Device) -> bool {
    match gpu.pci {
        Some(pci) => device.pci == pci,
        // Devices of systems on a chip have numbers of their own.
        None => device.kind != "CPU",
    }
}

fn name(gpu: &Gpu) -> String {
    let vendor =
        |number| VENDORS.iter().find(|(known, ..)| *known == number).map_or("", |(_, name, ..)| name);
    match gpu.pci {
        Some((number, device)) => {
            let space = if vendor(number).is_empty() { "" } else { " " };
            format!("{}{space}GPU {number:04x}:{device:04x} at {}", vendor(number), gpu.place)
        }
        None => format!("GPU {}", gpu.place),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gpu() -> Gpu {
        let node = Node {
            path: "/dev/dri/renderD128".into(),
            exists: true,
            usable: true,
            group: Some("render".to_owned()),
        };
        let kernel_driver = Some("amdgpu".to_owned());
        Gpu {
            place: "0000:01:00.0".to_owned(),
            pci: Some((0x1002, 0x73df)),
            kernel_driver,
            nodes: vec![node],
        }
    }

    fn judged(gpu: Gpu, state: Option<State>) -> Line {
        let manifest = "/usr/share/vulkan/icd.d/radeon_icd.x86_64.json".into();
        let drivers: Vec<Driver> = state.map(|state| Driver { manifest, state }).into_iter().collect();
        judge(&[gpu], &[], &drivers).lines.remove(0)
    }

    fn says(line: &Line, text: &str, remedy: &str) {
        assert!(line.text.contains(text), "{line:?}");
        assert!(line.remedy.as_deref().unwrap_or_default().contains(remedy), "{line:?}");
    }

    #[test]
    fn each_reason_for_a_gpu_to_be_missing_is_told_from_the_others() {
        let mut without_rights = gpu();
        without_rights.nodes[0].usable = false;
        says(
            &judged(without_rights, None),
            "no permission to open /dev/dri/renderD128",
            "usermod -aG render",
        );
        let mut without_node = gpu();
        without_node.nodes[0].exists = false;
        says(&judged(without_node, None), "does not exist", "--device /dev/dri");
        says(
            &judged(Gpu { kernel_driver: None, ..gpu() }, None),
            "no driver for it",
            "firmware-amd-graphics",
        );
        says(&judged(gpu(), None), "finds no driver of AMD", "mesa-vulkan-drivers");
        says(&judged(gpu(), Some(State::NoDevice)), "does not take it", "amdgpu");
        says(&judged(gpu(), Some(State::Hung)), "does not load", "");
        let display = Gpu { pci: Some((0x1234, 0x1111)), kernel_driver: None, ..gpu() };
        assert_eq!(judged(display, None).mark, Mark::Note);
    }

    #[test]
    fn a_gpu_among_the_devices_is_fine_unless_it_cannot_be_used() {
        let mut device =
            Device { pci: (0x1002, 0x73df), kind: "discrete GPU".to_owned(), ..Device::default() };
        assert_eq!(judge(&[gpu()], &[device.clone()], &[]).lines[0].mark, Mark::Ok);
        device.unusable = Some("Vulkan 1.0".to_owned());
        says(&judge(&[gpu()], &[device.clone()], &[]).lines[0], "Vulkan 1.0", "update");
        // What Windows or a phone has need not be on a bus.
        device.unusable = None;
        assert_eq!(judge(&[], &[device], &[]).lines[0].mark, Mark::Ok);
        assert_eq!(judge(&[], &[], &[]).lines[0].mark, Mark::Note);
    }

    #[test]
    fn gpus_are_found_in_the_kernels_files() {
        let root = std::env::temp_dir().join(format!("clvk-doctor-gpus-{}", std::process::id()));
        let device = root.join("sys/bus/pci/devices/0000:03:00.0");
        fs::create_dir_all(device.join("drm/renderD128")).unwrap();
        fs::create_dir_all(device.join("drm/card0")).unwrap();
        fs::create_dir_all(root.join("dev/dri")).unwrap();
        for (name, text) in [("class", "0x030000\n"), ("vendor", "0x8086\n"), ("device", "0x56a0\n")] {
            fs::write(device.join(name), text).unwrap();
        }
        std::os::unix::fs::symlink("../../../bus/pci/drivers/i915", device.join("driver")).unwrap();
        fs::write(root.join("dev/dri/renderD128"), "").unwrap();
        let sound = root.join("sys/bus/pci/devices/0000:04:00.0");
        fs::create_dir_all(&sound).unwrap();
        fs::write(sound.join("class"), "0x040300\n").unwrap();
        let found = find(&root);
        fs::remove_dir_all(&root).unwrap();
        let [gpu] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((gpu.pci, gpu.kernel_driver.as_deref()), (Some((0x8086, 0x56a0)), Some("i915")));
        assert_eq!(gpu.nodes.len(), 1);
        assert!(gpu.nodes[0].exists && gpu.nodes[0].usable);
        assert_eq!(name(gpu), "Intel GPU 8086:56a0 at 0000:03:00.0");
    }
}
