//! The OpenCL side: the loader, its vendor files, and whether clvk is among its platforms.

use super::drivers::Variable;
use super::library;
use super::report::{Line, Mark, Section};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where loaders look if no variable says otherwise.
const VENDORS: &str = "/etc/OpenCL/vendors";

/// What is known of OpenCL on this machine.
#[derive(Clone, Debug, Default)]
pub struct OpenCl {
    /// File of `libOpenCL.so.1`.
    loader: Option<PathBuf>,
    /// Drivers that the loader is told of.
    drivers: Vec<Driver>,
    /// A vendor file of clvk that the loader is not told of.
    elsewhere: Option<PathBuf>,
    /// Platforms, as `clinfo` lists them; `None` if it is not installed or fails.
    platforms: Option<Vec<String>>,
}

/// A driver that the loader is told of.
#[derive(Clone, Debug)]
struct Driver {
    /// Vendor file, or the variable that names the library.
    named_by: String,
    /// Library.
    library: PathBuf,
    /// Whether the library exists.
    exists: bool,
    /// What the library needs and does not find.
    missing: Vec<String>,
}

impl Driver {
    fn new(named_by: String, library: &str) -> Self {
        let library = PathBuf::from(library.trim());
        let file = library::find(&library);
        let missing = file.as_deref().map(library::missing).unwrap_or_default();
        Driver { named_by, library, exists: file.is_some(), missing }
    }

    /// By its library's name: installed as another file, it could not be told from others.
    fn is_ours(&self) -> bool {
        self.library.file_name().is_some_and(|name| name.to_string_lossy().contains("clvk_icd"))
    }
}

/// Looks at the machine.
pub fn find(variable: Variable) -> OpenCl {
    let drivers = told(variable);
    let home = variable("HOME").unwrap_or_default();
    let places = [
        format!("{home}/.local/etc/OpenCL/vendors/clvk.icd"),
        "/usr/local/etc/OpenCL/vendors/clvk.icd".to_owned(),
    ];
    let elsewhere = places.into_iter().map(PathBuf::from).find(|path| path.exists());
    let elsewhere = elsewhere.filter(|_| !drivers.iter().any(Driver::is_ours));
    OpenCl { loader: library::find(Path::new("libOpenCL.so.1")), drivers, elsewhere, platforms: platforms() }
}

/// What the variables and folders tell the loader.
fn told(variable: Variable) -> Vec<Driver> {
    if let Some(list) = variable("OCL_ICD_FILENAMES") {
        return list.split(':').map(|library| Driver::new("OCL_ICD_FILENAMES".to_owned(), library)).collect();
    }
    let vendors = PathBuf::from(variable("OCL_ICD_VENDORS").unwrap_or_else(|| VENDORS.to_owned()));
    if vendors.is_dir() {
        let entries = std::fs::read_dir(&vendors).into_iter().flatten().flatten().map(|entry| entry.path());
        let mut files: Vec<PathBuf> =
            entries.filter(|path| path.extension().is_some_and(|ending| ending == "icd")).collect();
        files.sort();
        return files.iter().filter_map(|file| of_file(file)).collect();
    }
    of_file(&vendors).into_iter().collect()
}

/// The driver that a vendor file names; a file that is not one is the library itself.
fn of_file(path: &Path) -> Option<Driver> {
    if path.extension().is_some_and(|ending| ending == "icd") {
        let text = std::fs::read_to_string(path).ok()?;
        return Some(Driver::new(path.display().to_string(), text.lines().next()?));
    }
    let name = path.to_str().filter(|name| name.contains(".so"))?;
    Some(Driver::new("OCL_ICD_VENDORS".to_owned(), name))
}

/// The platforms that an application sees.
fn platforms() -> Option<Vec<String>> {
    let output = Command::new("timeout").args(["20", "clinfo", "--list"]).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    output.status.success().then(|| platforms_in(&text))
}

fn platforms_in(list: &str) -> Vec<String> {
    let name = |line: &str| Some(line.strip_prefix("Platform #")?.split_once(": ")?.1.to_owned());
    list.lines().filter_map(name).collect()
}

/// The judgement.
pub fn judge(opencl: &OpenCl) -> Section {
    let mut lines = Vec::new();
    lines.push(match &opencl.loader {
        Some(path) => Line::new(Mark::Ok, format!("loader {}", path.display())),
        None => {
            Line::new(Mark::Missing, "no loader (libOpenCL.so.1), which applications need; clvk-run does not")
                .remedy("sudo apt-get install ocl-icd-libopencl1")
        }
    });
    let (ours, others): (Vec<&Driver>, Vec<&Driver>) =
        opencl.drivers.iter().partition(|driver| driver.is_ours());
    lines.extend(ours.iter().map(|driver| line(driver)));
    if ours.is_empty() {
        let line = Line::new(
            Mark::Missing,
            "no vendor file of clvk: applications do not see it; clvk-run needs none",
        );
        lines.push(match &opencl.elsewhere {
            Some(path) => line.remedy(format!("export OCL_ICD_VENDORS={}", path.display())),
            None => line.remedy("in clvk's source: tools/install"),
        });
    }
    let is_clvk = |platform: &String| platform.contains("clvk");
    match &opencl.platforms {
        Some(platforms) if platforms.iter().any(is_clvk) => {
            let all = format!("clvk is among the platforms: {}", platforms.join(", "));
            lines.push(Line::new(Mark::Ok, all));
        }
        // The reason is above.
        _ if ours.is_empty() || opencl.loader.is_none() => {}
        Some(_) => lines.push(
            Line::new(
                Mark::Missing,
                "clvk is not among the platforms that clinfo lists, though its vendor file is there",
            )
            .remedy("look at what it says: OCL_ICD_DEBUG=15 clinfo -l"),
        ),
        None => lines.push(
            Line::new(Mark::Note, "whether the loader lists clvk is not known without clinfo")
                .remedy("sudo apt-get install clinfo"),
        ),
    }
    if !others.is_empty() {
        let names: Vec<String> = others.iter().map(|driver| driver.library.display().to_string()).collect();
        lines.push(Line::new(Mark::Note, format!("other drivers: {}", names.join(", "))));
    }
    Section { title: "OpenCL", lines }
}

fn line(driver: &Driver) -> Line {
    let Driver { named_by, library, .. } = driver;
    let text = format!("{named_by}: {}", library.display());
    if !driver.exists {
        return Line::new(Mark::Missing, format!("{text}, which does not exist"))
            .remedy("in clvk's source: tools/install");
    }
    if !driver.missing.is_empty() {
        let text = format!("{text} needs {}, which is not there", driver.missing.join(", "));
        return Line::new(Mark::Missing, text).remedy("install the packages that hold them");
    }
    Line::new(Mark::Ok, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn driver(exists: bool) -> Driver {
        let (named_by, library) = ("/v/clvk.icd".to_owned(), "/lib/libclvk_icd.so".into());
        Driver { named_by, library, exists, missing: Vec::new() }
    }

    #[test]
    fn what_applications_lack_has_a_remedy() {
        let lines = judge(&OpenCl::default()).lines;
        assert!(lines[0].remedy.as_ref().unwrap().contains("ocl-icd-libopencl1"));
        assert!(lines[1].remedy.as_ref().unwrap().contains("tools/install"));
        assert_eq!(lines.len(), 2);
        let loader = Some("/lib/libOpenCL.so.1".into());
        let elsewhere =
            OpenCl { loader: loader.clone(), elsewhere: Some("/h/clvk.icd".into()), ..OpenCl::default() };
        assert_eq!(judge(&elsewhere).lines[1].remedy.as_deref(), Some("export OCL_ICD_VENDORS=/h/clvk.icd"));
        let broken = OpenCl { loader: loader.clone(), drivers: vec![driver(false)], ..OpenCl::default() };
        assert!(judge(&broken).lines[1].text.contains("does not exist"));
        let platforms = |names: &[&str]| OpenCl {
            loader: loader.clone(),
            drivers: vec![driver(true)],
            platforms: Some(names.iter().map(|&name| name.to_owned()).collect()),
            ..OpenCl::default()
        };
        assert!(judge(&platforms(&["clvk"])).lines.iter().all(|line| line.mark == Mark::Ok));
        assert_eq!(judge(&platforms(&["other"])).lines[2].mark, Mark::Missing);
    }

    #[test]
    fn platforms_are_read_from_the_list() {
        let list = "Platform #0: clvk\n `-- Device #0: llvmpipe\nPlatform #1: Portable Computing Language\n";
        assert_eq!(platforms_in(list), ["clvk", "Portable Computing Language"]);
    }
}
