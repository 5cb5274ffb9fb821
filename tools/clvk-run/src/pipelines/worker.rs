//! The second process: compiles kernels with the driver of one device, and says what becomes of each. It may
//! crash, or never end.

use super::process::{Line, WorkerCommand};
use super::row::{Cost, Outcome, Row};
use crate::check::reason_text;
use crate::failure::{Failure, Result};
use crate::program::Source;
use crate::supervise;
use clvk::interface::{ArgumentKind, KernelInterface};
use clvk::runtime::{Instance, InstanceOptions, LaunchConfig, PipelineCompiler};
use clvk::{Compiler, DeviceProfile, Object, Reason};
use std::io::Write;
use std::process::ExitCode;

/// Kernels that one process compiles: some drivers keep memory of each.
const MOST: usize = 200;

/// Work-items of a launch whose size is left to the runtime.
const ITEMS: u64 = 1 << 16;

/// Runs the command.
pub fn work(command: &WorkerCommand, build_options: &[String]) -> Result<ExitCode> {
    supervise::follow_parent();
    let info = Instance::new(&InstanceOptions::default())?.select(&command.device.to_string())?;
    let compiler = PipelineCompiler::new(&info)?;
    let (profile, name) = match &command.profile {
        Some(text) => {
            let profile = DeviceProfile::from_json(text).map_err(Failure::usage)?;
            let name = profile.name.clone();
            (profile, Some(name))
        }
        None => (compiler.profile().clone(), None),
    };
    let blank = Row {
        file: String::new(),
        kernel: String::new(),
        device: info.name().to_owned(),
        driver: info.driver().to_owned(),
        profile: name,
        outcome: Outcome::Refused,
        reasons: Vec::new(),
        local_size: [0; 3],
        seconds: 0.0,
        cost: Cost::default(),
        executables: Vec::new(),
    };
    let mut worker = Worker { command, compiler, profile, blank, seen: 0 };
    for file in &command.files {
        let source = Source::read(file, build_options)?;
        if !worker.file(&file.to_string_lossy(), &source) {
            worker.say(&Line::More);
            break;
        }
    }
    Ok(ExitCode::SUCCESS)
}

struct Worker<'c> {
    command: &'c WorkerCommand,
    compiler: PipelineCompiler,
    profile: DeviceProfile,
    /// A row without a kernel.
    blank: Row,
    /// Kernels, and files that do not compile, that were come to.
    seen: usize,
}

impl Worker<'_> {
    fn say(&self, line: &Line) {
        let text = serde_json::to_string(line).expect("it is plain data");
        let mut output = std::io::stdout().lock();
        // Whoever reads may be gone.
        let _ = writeln!(output, "{text}").and_then(|()| output.flush());
    }

    /// Whether the next kernel is to be compiled; `None` if another process shall do it.
    fn is_next(&mut self) -> Option<bool> {
        let (seen, skip) = (self.seen, self.command.skip);
        if seen >= skip + MOST {
            return None;
        }
        self.seen += 1;
        Some(seen >= skip)
    }

    /// Compiles the kernels of a file; whether that was all of them.
    fn file(&mut self, file: &str, source: &Source) -> bool {
        let compiler = source.compiler(Compiler::new(&self.profile).judging_kernels());
        let object = match source.object_quietly(&compiler) {
            Ok(object) => object,
            Err(error) => {
                let reasons = error.reasons().iter().take(1).map(reason_text).collect();
                return match self.is_next() {
                    None => false,
                    Some(false) => true,
                    Some(true) => {
                        self.begin(file, "").end(self, vec![], Outcome::Refused, reasons);
                        true
                    }
                };
            }
        };
        let kernels: Vec<String> = object.kernel_names().map(str::to_owned).collect();
        for kernel in kernels {
            match self.is_next() {
                None => return false,
                Some(false) => {}
                Some(true) => self.kernel(file, &compiler, &object, &kernel),
            }
        }
        true
    }

    fn begin(&self, file: &str, kernel: &str) -> Begun {
        let row = Row { file: file.to_owned(), kernel: kernel.to_owned(), ..self.blank.clone() };
        self.say(&Line::Begin(row.clone()));
        Begun(row)
    }

    fn kernel(&self, file: &str, compiler: &Compiler, object: &Object, kernel: &str) {
        let begun = self.begin(file, kernel);
        let program = match compiler.clone().with_kernels([kernel]).translate_preferred(object) {
            Ok(program) => program,
            Err(error) => {
                return begun.end(self, vec![], Outcome::Refused, texts(&error.reasons()));
            }
        };
        let exceeded = compiler.exceeded_limits(object, &program);
        if !exceeded.is_empty() {
            return begun.end(self, vec![], Outcome::Refused, texts(&exceeded));
        }
        let module = match self.compiler.load(program.into_module()) {
            Ok(module) => module,
            Err(error) => return begun.fail(self, vec![], &error),
        };
        let mut rows = Vec::new();
        for interface in &module.interface().kernels {
            let row = Row { kernel: interface.name.clone(), ..begun.0.clone() };
            let config = self.config(interface);
            match module.compile(&interface.name, &config, &self.local_arguments(interface, &config)) {
                Ok(pipelines) => rows.extend(pipelines.first().map(|pipeline| row.compiled(pipeline))),
                Err(error) => return Begun(row).fail(self, rows, &error),
            }
        }
        self.say(&Line::End(rows));
    }

    /// The sizes to compile a kernel for.
    fn config(&self, kernel: &KernelInterface) -> LaunchConfig {
        match (kernel.local_size.required(), self.command.local) {
            (Some(size), _) | (None, Some(size)) => {
                let global = size.map(u64::from);
                LaunchConfig { work_dim: 3, global, local: Some(size), offset: [0; 3] }
            }
            (None, None) => LaunchConfig::linear(ITEMS),
        }
    }

    /// Bytes of each local argument: 16 for each work-item, if there is room.
    fn local_arguments(&self, kernel: &KernelInterface, config: &LaunchConfig) -> Vec<u64> {
        let elements: Vec<u64> = kernel
            .arguments
            .iter()
            .filter_map(|argument| match argument.kind {
                ArgumentKind::Local { element_size, .. } => Some(u64::from(element_size.max(1))),
                _ => None,
            })
            .collect();
        let items = config.local.map_or(256, |size| size.iter().map(|&size| u64::from(size)).product());
        let room = self.compiler.profile().max_local_memory.saturating_sub(kernel.static_local_memory);
        let share = u64::from(room) / (elements.len() as u64).max(1);
        let size = |&element: &u64| (16 * items).min(share).max(element) / element * element;
        elements.iter().map(size).collect()
    }
}

/// A kernel that was announced.
struct Begun(Row);

impl Begun {
    fn end(self, worker: &Worker<'_>, mut rows: Vec<Row>, outcome: Outcome, reasons: Vec<String>) {
        rows.push(self.0.stopped(outcome, reasons));
        worker.say(&Line::End(rows));
    }

    /// Ends with what the runtime says: the driver failed, or the device cannot launch the kernel.
    fn fail(self, worker: &Worker<'_>, rows: Vec<Row>, error: &clvk::runtime::Error) {
        use clvk::runtime::Error;
        let outcome = match error {
            Error::Launch { .. } | Error::InvalidProgram(_) => Outcome::Refused,
            _ => Outcome::Failed,
        };
        let source = std::error::Error::source(error).map_or(String::new(), |source| format!(" ({source})"));
        self.end(worker, rows, outcome, vec![format!("{error}{source}")]);
    }
}

fn texts(reasons: &[Reason]) -> Vec<String> {
    let mut texts: Vec<String> = reasons.iter().map(reason_text).collect();
    texts.dedup();
    texts
}
