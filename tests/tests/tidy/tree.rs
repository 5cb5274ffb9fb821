//! The files of the repository.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// A text file of the repository.
pub struct File {
    /// Path from the root, with `/`.
    pub path: String,
    pub text: String,
}

impl File {
    pub fn has_extension(&self, extensions: &[&str]) -> bool {
        let extension = Path::new(&self.path).extension().and_then(|it| it.to_str());
        extension.is_some_and(|extension| extensions.contains(&extension))
    }

    /// Whether the file is source code. Scripts have no extension, but begin with `#!`.
    pub fn is_code(&self) -> bool {
        self.has_extension(&["rs", "cl", "py", "sh", "c", "js"]) || self.text.starts_with("#!/")
    }

    /// The lines with their numbers from 1.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text.lines().enumerate().map(|(index, line)| (index + 1, line))
    }
}

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate lies in the root").to_owned()
}

/// Every text file, without build outputs.
pub fn files() -> &'static [File] {
    static FILES: LazyLock<Vec<File>> = LazyLock::new(|| {
        let mut files = Vec::new();
        collect(&root(), &mut files);
        assert!(files.len() > 500, "the repository has more files than {}", files.len());
        files.sort_by(|a, b| a.path.cmp(&b.path));
        files
    });
    &FILES
}

/// Whether a file or folder with this path exists.
pub fn exists(path: &str) -> bool {
    root().join(path).exists()
}

fn collect(folder: &Path, files: &mut Vec<File>) {
    let entries = std::fs::read_dir(folder).expect("folders of the repository can be read");
    for entry in entries {
        let path = entry.expect("entries can be read").path();
        let name = path.file_name().and_then(|it| it.to_str()).unwrap_or_default();
        if path.is_dir() {
            let is_output =
                name.starts_with("target") || name == ".git" || path.join("CACHEDIR.TAG").exists();
            if !is_output {
                collect(&path, files);
            }
        } else if let Ok(text) = std::fs::read_to_string(&path) {
            let relative = path.strip_prefix(root()).expect("it was found there");
            files.push(File { path: relative.to_string_lossy().replace('\\', "/"), text });
        }
    }
}

/// Fails with all findings, one on each line.
pub fn report(rule: &str, findings: Vec<String>) {
    assert!(findings.is_empty(), "{rule}:\n{}\n({} findings)", findings.join("\n"), findings.len());
}
