//! Sources to programs; warnings go to the standard error.

use crate::console;
use crate::failure::Result;
use crate::file;
use clvk::{BuildOptions, Compiler, Object, ObjectKind};
use std::path::{Path, PathBuf};

/// A source that has been read, and how to compile it.
pub struct Source {
    path: PathBuf,
    text: String,
    options: BuildOptions,
}

impl Source {
    /// Reads a file and the build options.
    pub fn read(path: &Path, build_options: &[String]) -> Result<Source> {
        let options = BuildOptions::from_arguments(build_options.iter().cloned())?;
        let (path, file) = match file::is_standard(path) {
            true => (Path::new("<stdin>"), Path::new("/dev/stdin")),
            false => (path, path),
        };
        let text = clvk::read_source(file)?;
        Ok(Source { path: path.to_owned(), text, options })
    }

    /// A compiler with the source's build options.
    pub fn compiler(&self, compiler: Compiler) -> Compiler {
        compiler.with_build_options(self.options.clone())
    }

    /// Compiles the source without printing anything.
    pub fn object_quietly(&self, compiler: &Compiler) -> Result<Object, clvk::Error> {
        compiler.object(ObjectKind::Executable, &self.path.to_string_lossy(), &self.text)
    }

    /// Compiles the source and prints warnings.
    pub fn object(&self, compiler: &Compiler) -> Result<Object> {
        let object = self.object_quietly(compiler)?;
        console::tell_messages(object.warnings());
        Ok(object)
    }

    /// Preprocesses the source and prints warnings.
    pub fn preprocessed(&self, compiler: &Compiler) -> Result<String> {
        let (text, warnings) = compiler.preprocess(&self.path.to_string_lossy(), &self.text)?;
        console::tell_messages(&warnings);
        Ok(text)
    }
}
