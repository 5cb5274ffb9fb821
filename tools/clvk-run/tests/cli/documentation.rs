//! Every command that README and the guide show is run: those of `clvk-run` here, in a folder that looks like
//! the root of the repository; for the others, a script of the tests is named that runs them.

use crate::harness::{Folder, finish};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Commands of other programs, or that need a display, and the script that runs them.
const ELSEWHERE: [(&str, &str); 12] = [
    ("clvk-run view docs/guide/plasma.cl", "tests/clients/view.sh"),
    ("tools/demo", "tests/clients/demo.sh"),
    ("tools/gpu-compilers", "tests/clients/gpu-compilers.sh"),
    ("tools/test", ".ci/run"),
    ("tools/install", "tests/clients/install.sh"),
    ("tools/playground/serve", "tests/clients/playground.sh"),
    ("tools/uninstall", "tests/clients/install.sh"),
    ("cargo build --workspace", "tools/test"),
    ("pip install ./tools/python", "tests/clients/packages.sh"),
    ("clinfo", "tests/clients/clinfo.sh"),
    ("export OCL_ICD_FILENAMES=", "tests/clients/run"),
    ("echo", "tests/clients/run"),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// README and the pages of the guide: name and text.
fn pages() -> Vec<(String, String)> {
    let root = root();
    let guide = std::fs::read_dir(root.join("docs/guide")).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> = guide.chain([root.join("README.md")]).collect();
    paths.sort();
    let name = |path: &Path| path.strip_prefix(&root).unwrap().display().to_string();
    paths.iter().map(|path| (name(path), std::fs::read_to_string(path).unwrap())).collect()
}

/// The indented blocks of a page, each with the line of text before it.
fn blocks(text: &str) -> Vec<(&str, String)> {
    let mut blocks: Vec<(&str, String)> = Vec::new();
    let (mut before, mut inside, mut fenced) = ("", false, false);
    for line in text.lines() {
        fenced ^= line.starts_with("```");
        match line.strip_prefix("    ") {
            Some(code) if !fenced => {
                if !inside {
                    blocks.push((before, String::new()));
                }
                inside = true;
                let block = &mut blocks.last_mut().unwrap().1;
                block.push_str(code);
                block.push('\n');
            }
            _ if line.is_empty() => inside &= blocks.last().is_some(),
            _ => {
                inside = false;
                before = line;
            }
        }
    }
    blocks
}

/// The commands of a block: lines that begin with a program's name, and their continuations.
fn commands(block: &str) -> Vec<String> {
    let joined = block.replace("\\\n", " ");
    let programs = ["clvk-run", "cargo", "clinfo", "export", "echo", "apt", "apt-get", "pip", "sudo"];
    let is_command = |line: &&str| {
        let program = line.split(' ').next().unwrap_or_default();
        programs.contains(&program) || program.starts_with("tools/")
    };
    joined.lines().filter(is_command).map(str::to_owned).collect()
}

/// A folder with the tests' kernels and the files that the guide tells its reader to have.
fn folder() -> Folder {
    let folder = Folder::new("documentation");
    std::fs::create_dir(folder.path("tests")).unwrap();
    #[cfg(unix)]
    for linked in ["tests/kernels", "tests/programs", "docs"] {
        std::os::unix::fs::symlink(root().join(linked), folder.path(linked)).unwrap();
    }
    for (_, text) in pages() {
        for (before, block) in blocks(&text) {
            let name = before.strip_prefix("Put this in `").and_then(|rest| rest.split_once("`:"));
            if let Some((name, _)) = name {
                folder.write(name, block);
            }
        }
    }
    // Eight numbers, and what `scale.cl` makes of them with the factor 2.
    for (file, value) in [("input.npy", "fill:1.5:float[8]"), ("expected.npy", "fill:3:float[8]")] {
        let copy = "kernel void copy(global const float *x, global float *y) { y[get_global_id(0)] = x[get_global_id(0)]; }";
        folder.write("copy.cl", copy);
        folder.good(&["run", "copy.cl", "--", value, &format!("out:{file}:float[8]")]);
    }
    folder.write("blur.cl", "kernel void blur(global float *x) { x[get_global_id(0)] /= 2; }");
    std::fs::create_dir(folder.path("kernels")).unwrap();
    std::fs::copy(folder.path("blur.cl"), folder.path("kernels/blur.cl")).unwrap();
    let devices: serde_json::Value = serde_json::from_str(&folder.good(&["devices", "--json"]).out).unwrap();
    folder.write("my-phone.json", devices[0]["profile"].to_string());
    folder
}

#[test]
fn commands_of_the_documents_run() {
    let folder = folder();
    let binary = Path::new(env!("CARGO_BIN_EXE_clvk-run")).parent().unwrap();
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap());
    let mut seen = 0;
    for (page, text) in pages() {
        for command in blocks(&text).iter().flat_map(|(_, block)| commands(block)) {
            let script = ELSEWHERE.iter().find(|(name, _)| command.starts_with(name));
            if script.is_some() || !command.starts_with("clvk-run ") {
                let (name, script) = script.unwrap_or_else(|| panic!("{page}: no test runs `{command}`"));
                let text = std::fs::read_to_string(root().join(script)).unwrap();
                let program = name
                    .split_once('=')
                    .map_or(*name, |(variable, _)| variable.trim_start_matches("export "));
                assert!(text.contains(program), "{page}: {script} does not run `{command}`");
                continue;
            }
            let mut shell = Command::new("bash");
            shell.args(["-c", &command]).current_dir(folder.path("")).env("PATH", &path);
            let run = finish(shell, &[&command]);
            // A check that finds that a device cannot run a kernel has done its work.
            let expected: &[i32] = if command.starts_with("clvk-run check") { &[0, 3] } else { &[0] };
            assert!(expected.contains(&run.code), "{page}: `{command}`: {run:?}");
            seen += 1;
        }
    }
    assert!(seen >= 12, "only {seen} commands were found");
}
