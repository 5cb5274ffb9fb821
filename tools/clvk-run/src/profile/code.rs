//! What the driver says of its code of the kernels, and the code itself (`--show-code`).

use super::Profiler;
use crate::pipelines::Cost;
use crate::run::plan::Plan;
use clvk::Compiler;
use clvk::interface::{ArgumentKind, KernelInterface};
use clvk::runtime::{CompiledPipeline, DeviceInfo, PipelineCompiler, Representation};
use serde::Serialize;
use std::collections::BTreeMap;

/// What the driver says of a kernel.
#[derive(Clone, Default)]
pub struct Told {
    /// Numbers.
    pub cost: Cost,
    /// Its code, if that was asked for.
    pub code: Vec<Code>,
}

/// The driver's code of a kernel, in one of its languages.
#[derive(Clone, Debug, Serialize)]
pub struct Code {
    /// The program, and the language.
    pub name: String,
    /// What the driver says about the language.
    pub description: String,
    /// The code.
    pub text: String,
}

impl Profiler<'_> {
    /// What the driver says of each kernel; nothing where it says nothing.
    pub fn told(&self, info: &DeviceInfo, plan: &Plan) -> BTreeMap<String, Told> {
        let mut told = BTreeMap::new();
        let Ok(compiler) = PipelineCompiler::new(info) else { return told };
        for source in &self.sources {
            let front = source.compiler(Compiler::new(compiler.profile()));
            let Ok(object) = source.object_quietly(&front) else { continue };
            for launch in plan.launches() {
                let name = launch.kernel.name();
                let locals = plan.local_arguments(launch);
                let compile = || {
                    let front = front.clone().with_kernels([name]);
                    let program = match is_bound(launch.kernel.interface()) {
                        true => front.translate_preferred(&object).ok()?,
                        false => front.translate(&object).ok()?,
                    };
                    let module = compiler.load(program.into_module()).ok()?;
                    let module = if self.command.show_code { module.with_code() } else { module };
                    let config = clvk::LaunchConfig { local: Some(launch.local.0), ..launch.config };
                    module.compile(name, &config, &locals).ok()?.into_iter().next()
                };
                if let Some(pipeline) = compile() {
                    told.insert(name.to_owned(), Told::of(&pipeline));
                }
            }
        }
        told
    }
}

/// Whether a kernel reaches its buffers through descriptors.
fn is_bound(kernel: &KernelInterface) -> bool {
    kernel.arguments.iter().any(|argument| matches!(argument.kind, ArgumentKind::StorageBuffer { .. }))
}

impl Told {
    fn of(pipeline: &CompiledPipeline) -> Told {
        let executables = pipeline.executables.iter();
        let code = executables.flat_map(|executable| {
            executable.representations.iter().map(|it| Code::of(&executable.name, it))
        });
        Told { cost: pipeline.cost().into(), code: code.collect() }
    }
}

impl Code {
    fn of(executable: &str, from: &Representation) -> Code {
        let text = match from.is_text {
            true => String::from_utf8_lossy(&from.data).into_owned(),
            false => format!("{} bytes that are not text", from.data.len()),
        };
        let name = match executable {
            "" => from.name.clone(),
            executable => format!("{executable}, {}", from.name),
        };
        Code { name, description: from.description.clone(), text }
    }
}

/// The lines that show the code of a kernel.
pub fn lines(kernel: &str, code: &[Code]) -> Vec<String> {
    if code.is_empty() {
        return vec![String::new(), format!("The driver does not show its code of `{kernel}`.")];
    }
    let mut lines = Vec::new();
    for Code { name, description, text } in code {
        lines.extend([String::new(), format!("\u{1b}[1m{kernel}: {name}\u{1b}[0m ({description})")]);
        lines.extend(text.lines().map(str::to_owned));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_shown_in_each_language() {
        let representation = |name: &str, is_text, data: &[u8]| Representation {
            name: name.to_owned(),
            description: "d".to_owned(),
            is_text,
            data: data.to_vec(),
        };
        let code = [representation("NIR", true, b"a\nb"), representation("Binary", false, &[1, 2, 3])]
            .map(|it| Code::of("CS", &it));
        let lines = lines("k", &code);
        let plain: Vec<&str> = lines.iter().map(String::as_str).collect();
        assert_eq!(
            plain,
            [
                "",
                "\u{1b}[1mk: CS, NIR\u{1b}[0m (d)",
                "a",
                "b",
                "",
                "\u{1b}[1mk: CS, Binary\u{1b}[0m (d)",
                "3 bytes that are not text"
            ]
        );
        assert_eq!(super::lines("k", &[])[1], "The driver does not show its code of `k`.");
    }
}
