//! The highest clock frequency of a device, which Vulkan does not report. It comes from Linux's files on
//! processors and PCI devices, and from NVIDIA's management library. It is only for applications that ask;
//! nothing here depends on it.

use libloading::{Library, Symbol};
use std::ffi::{CString, c_char, c_int, c_uint, c_void};
use std::path::{Path, PathBuf};

/// Frequency of the machine's first processor in MHz: the highest one, or else the current one.
pub(crate) fn of_processor() -> Option<u32> {
    let highest = std::fs::read_to_string("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq").ok();
    let highest = highest.and_then(|text| text.trim().parse::<u32>().ok()).map(|kilohertz| kilohertz / 1000);
    highest.or_else(|| processor_in(&std::fs::read_to_string("/proc/cpuinfo").ok()?))
}

/// The first processor's frequency in the text of `/proc/cpuinfo`.
fn processor_in(text: &str) -> Option<u32> {
    let line = text.lines().find(|line| line.starts_with("cpu MHz"))?;
    line.split(':').nth(1)?.trim().parse::<f64>().ok().map(|frequency| frequency as u32)
}

/// Frequency of the device with this PCI domain, bus, device and function, in MHz.
pub(crate) fn of_pci_device(address: [u32; 4]) -> Option<u32> {
    let [domain, bus, device, function] = address;
    let address = format!("{domain:04x}:{bus:02x}:{device:02x}.{function:x}");
    let folder = Path::new("/sys/bus/pci/devices").join(&address);
    if let Ok(levels) = std::fs::read_to_string(folder.join("pp_dpm_sclk")) {
        return highest_level(&levels);
    }
    intel_files(&folder)
        .iter()
        .find_map(|file| std::fs::read_to_string(file).ok()?.trim().parse().ok())
        .or_else(|| of_nvidia_device(&address))
}

/// The highest of the levels that the driver `amdgpu` lists: `1: 2100Mhz *`.
fn highest_level(levels: &str) -> Option<u32> {
    let frequency = |line: &str| {
        let (_, level) = line.split_once(':')?;
        let digits = level.trim_start().split(|letter: char| !letter.is_ascii_digit()).next()?;
        digits.parse().ok()
    };
    levels.lines().filter_map(frequency).max()
}

/// Files in which the drivers `i915` and `xe` report the highest frequency.
fn intel_files(folder: &Path) -> Vec<PathBuf> {
    let cards = std::fs::read_dir(folder.join("drm")).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = cards.map(|card| card.path().join("gt_RP0_freq_mhz")).collect();
    files.push(folder.join("tile0/gt0/freq0/rp0_freq"));
    files
}

/// What NVIDIA's management library (`nvml.h`) calls the clock of the multiprocessors.
const CLOCK_OF_MULTIPROCESSORS: c_uint = 1;

/// Asks NVIDIA's management library, which comes with the driver.
fn of_nvidia_device(address: &str) -> Option<u32> {
    type Plain = unsafe extern "C" fn() -> c_int;
    type Find = unsafe extern "C" fn(*const c_char, *mut *mut c_void) -> c_int;
    type Clock = unsafe extern "C" fn(*mut c_void, c_uint, *mut c_uint) -> c_int;
    let address = CString::new(address).ok()?;
    // SAFETY: the driver's library has no demands on who loads it; the symbols have the types of `nvml.h`.
    unsafe {
        let library = Library::new("libnvidia-ml.so.1").ok()?;
        let start: Symbol<'_, Plain> = library.get(b"nvmlInit_v2\0").ok()?;
        let stop: Symbol<'_, Plain> = library.get(b"nvmlShutdown\0").ok()?;
        let find: Symbol<'_, Find> = library.get(b"nvmlDeviceGetHandleByPciBusId_v2\0").ok()?;
        let clock: Symbol<'_, Clock> = library.get(b"nvmlDeviceGetMaxClockInfo\0").ok()?;
        if start() != 0 {
            return None;
        }
        let (mut device, mut frequency) = (std::ptr::null_mut(), 0);
        let found = find(address.as_ptr(), &raw mut device) == 0
            && clock(device, CLOCK_OF_MULTIPROCESSORS, &raw mut frequency) == 0;
        stop();
        found.then_some(frequency)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_level_counts_whatever_the_order() {
        assert_eq!(highest_level("0: 500Mhz\n1: 2100Mhz *\n2: 1200Mhz\n"), Some(2100));
        assert_eq!(highest_level("S: 19Mhz *\n0: 800MHz\n"), Some(800));
        assert_eq!(highest_level("nothing\n"), None);
    }

    #[test]
    fn a_processor_tells_its_frequency() {
        let text = "processor\t: 0\nmodel name\t: a 2.90GHz one\ncpu MHz\t\t: 2899.998\ncpu MHz\t\t: 1.0\n";
        assert_eq!(processor_in(text), Some(2899));
        assert_eq!(processor_in("processor : 0\n"), None);
    }
}
