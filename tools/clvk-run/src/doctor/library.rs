//! Shared libraries of drivers: where they are, and what they miss.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The file of a library that the dynamic linker would load: a path as it is, a bare name where the linker
/// looks for it. `None` if there is none.
pub fn find(name: &Path) -> Option<PathBuf> {
    if name.components().count() > 1 {
        return name.exists().then(|| name.to_owned());
    }
    let folders = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let from_variable =
        std::env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| path.exists());
    from_variable.or_else(|| listed(&name.to_string_lossy()))
}

/// The first file of this name in the linker's list.
fn listed(name: &str) -> Option<PathBuf> {
    // The folders of the administrator need not be in the path of others.
    let list = ["ldconfig", "/sbin/ldconfig"].iter().find_map(|program| {
        Command::new(program).arg("-p").output().ok().filter(|output| output.status.success())
    })?;
    let list = String::from_utf8_lossy(&list.stdout).into_owned();
    let is_it = |line: &&str| line.split_whitespace().next() == Some(name);
    list.lines().find(is_it).and_then(|line| line.split("=> ").nth(1)).map(PathBuf::from)
}

/// The libraries that a library needs and that are not there, as `ldd` says.
pub fn missing(library: &Path) -> Vec<String> {
    let Ok(output) = Command::new("ldd").arg(library).output() else { return Vec::new() };
    missing_in(&String::from_utf8_lossy(&output.stdout))
}

fn missing_in(list: &str) -> Vec<String> {
    let name = |line: &str| Some(line.trim().strip_suffix(" => not found")?.to_owned());
    list.lines().filter_map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_that_are_not_found_are_named() {
        let list =
            "\tlinux-vdso.so.1 (0x1)\n\tlibLLVM-15.so.1 => not found\n\tlibc.so.6 => /lib/libc.so.6 (0x2)\n";
        assert_eq!(missing_in(list), ["libLLVM-15.so.1"]);
    }

    #[test]
    fn bare_names_are_looked_up_and_paths_are_not() {
        assert!(find(Path::new("libc.so.6")).is_some_and(|path| path.is_absolute()));
        assert_eq!(find(Path::new("libnonesuch.so.1")), None);
        assert_eq!(find(Path::new("/nonesuch/libc.so.6")), None);
    }
}
