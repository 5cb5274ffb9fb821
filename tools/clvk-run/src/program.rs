//! Sources to programs; warnings go to the standard error.

use crate::assembly;
use crate::console;
use crate::failure::{Failure, Result, Status};
use crate::file;
use crate::similar::did_you_mean;
use clvk::{BuildOptions, Compiler, Input, Object, ObjectKind};
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// Whether a kernel that the command line names is one of the source's.
pub fn check_kernel(name: &str, kernels: &[&str]) -> Result<()> {
    if kernels.contains(&name) {
        return Ok(());
    }
    let list = || format!("; the kernels are {}", kernels.join(", "));
    let meant = did_you_mean(name, kernels.iter().copied(), list);
    Err(Failure::usage(format!("there is no kernel `{name}`{meant}")))
}

/// A file without kernels is a mistake in every command.
pub fn without_kernels(file: &str) -> Failure {
    Failure::new(Status::Source, format!("`{file}` has no kernels: a kernel is a function marked `__kernel`"))
}

/// A source that has been read, and how to compile it.
pub struct Source {
    path: PathBuf,
    content: Input,
    options: BuildOptions,
}

impl Source {
    /// Reads a file and the build options.
    pub fn read(path: &Path, build_options: &[String]) -> Result<Source> {
        let options = BuildOptions::from_arguments(build_options.iter().cloned())?;
        if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("toml")) {
            let message = format!("`{}` is a job file, which only `clvk-run run` takes", path.display());
            return Err(Failure::usage(message));
        }
        let (path, file) = file::source(path);
        let content = match assembly::is_text(path) {
            true => Input::Spirv(assembly::assemble(path)?),
            false => clvk::read_input(file)?,
        };
        Ok(Source { path: path.to_owned(), content, options })
    }

    /// The file, as it was named.
    pub fn name(&self) -> Cow<'_, str> {
        self.path.to_string_lossy()
    }

    /// A compiler with the source's build options.
    pub fn compiler(&self, compiler: Compiler) -> Compiler {
        compiler.with_build_options(self.options.clone())
    }

    /// Compiles the source as a whole program, without printing anything.
    pub fn object_quietly(&self, compiler: &Compiler) -> Result<Object, clvk::Error> {
        self.object_of(ObjectKind::Executable, compiler)
    }

    fn object_of(&self, kind: ObjectKind, compiler: &Compiler) -> Result<Object, clvk::Error> {
        match &self.content {
            Input::OpenClC(text) => compiler.object(kind, &self.name(), text),
            Input::Spirv(bytes) => compiler.spirv_object(kind, &self.name(), bytes),
        }
    }

    /// Compiles the source as a part of a program, and prints warnings.
    pub fn part(&self, compiler: &Compiler) -> Result<Object> {
        let object = self.object_of(ObjectKind::Compiled, compiler)?;
        console::tell_messages(object.warnings());
        Ok(object)
    }

    /// Compiles the source and prints warnings.
    pub fn object(&self, compiler: &Compiler) -> Result<Object> {
        let object = self.object_quietly(compiler)?;
        console::tell_messages(object.warnings());
        Ok(object)
    }

    /// Preprocesses the source and prints warnings.
    pub fn preprocessed(&self, compiler: &Compiler) -> Result<String> {
        let Input::OpenClC(text) = &self.content else {
            return Err(Failure::usage(format!("`{}` is SPIR-V, which has no preprocessor", self.name())));
        };
        let (text, warnings) = compiler.preprocess(&self.name(), text)?;
        console::tell_messages(&warnings);
        Ok(text)
    }
}
