//! The environment variables for users, for the manual and the doctor.

/// Variables of clvk, as `docs/reference/environment.md` lists them, and of the loaders: name and meaning.
pub const VARIABLES: [(&str, &str); 13] = [
    ("CLVK_CACHE", "0 turns the cache of compiled kernels on disk off."),
    ("CLVK_CACHE_DIR", "Where the cache is; $XDG_CACHE_HOME/clvk or ~/.cache/clvk if it is not set."),
    ("CLVK_CACHE_SIZE", "The cache's largest size in MiB, 1024 if it is not set."),
    ("CLVK_BUSY_WAIT", "How long a wait for the device polls before it sleeps, in microseconds."),
    (
        "CLVK_COMPILE_THREADS",
        "How many threads compile kernels of OpenCL applications before launches; 0 for none.",
    ),
    ("CLVK_EXTENSIONS", "+NAME,-NAME: names of extensions to add and to hide."),
    ("CLVK_ROBUST", "1 checks each access of the kernels, as --robust does."),
    ("CLVK_PROFILE", "Where OpenCL applications leave a timeline; clvk-run has the command profile."),
    ("CLVK_SANITIZE", "Kinds of errors that kernels check for and report, as --sanitize takes them."),
    ("VK_DRIVER_FILES", "Manifests of the only Vulkan drivers to load; formerly VK_ICD_FILENAMES."),
    ("OCL_ICD_VENDORS", "Where the OpenCL loader finds its drivers; clvk-run does not need it."),
    ("OCL_ICD_FILENAMES", "The libraries of OpenCL drivers to load; clvk-run does not need it."),
    ("NO_COLOR", "Any value turns colours off."),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variables_of_clvk_are_those_of_the_reference() {
        let page = include_str!("../../../docs/reference/environment.md");
        let users = page.split("## For users").nth(1).unwrap().split("\n## ").next().unwrap();
        let rows = users.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`'));
        let listed: Vec<&str> = rows.map(|(name, _)| name).filter(|name| name.starts_with("CLVK_")).collect();
        let ours = VARIABLES.iter().map(|(name, _)| *name).filter(|name| name.starts_with("CLVK_"));
        assert_eq!(listed, ours.collect::<Vec<_>>());
    }
}
