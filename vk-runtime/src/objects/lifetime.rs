//! The end of programs that have something to do then ([`ProgramHook::Finalizer`]).
//!
//! A program lives as long as its handles, its kernels, and the launches that wait to be recorded: what was
//! recorded before the end also runs before it. The end comes where the last of these is dropped. That is on
//! the application's thread, which waits until the device is done, or, if a launch was the last, in the
//! middle of recording it: then a thread of its own does the rest.

use crate::engine::command::Command;
use crate::engine::nd_range::LaunchConfig;
use crate::objects::batch::Batch;
use crate::objects::program::{Kernel, ProgramShared};
use crate::vulkan::error::Result;
use crate::vulkan::handle::lock;
use clvk_interface::ProgramHook;
use std::any::Any;
use std::sync::{Arc, Mutex};

/// Something that is dropped when a program has ended.
pub(crate) type Kept = Arc<dyn Any + Send + Sync>;

/// The life of a program on a device.
pub(crate) struct Life {
    program: Arc<ProgramShared>,
    /// Whether it has something to do at its end.
    has_end: bool,
    kept: Mutex<Vec<Kept>>,
}

impl Life {
    /// Begins a program: launches what it has to do first.
    pub(crate) fn begin(program: &Arc<ProgramShared>) -> Result<Hold> {
        run(program, ProgramHook::Initializer)?;
        let has_end = !program.interface.hooks(ProgramHook::Finalizer).is_empty();
        let life = Life { program: Arc::clone(program), has_end, kept: Mutex::default() };
        Ok(Hold { life: Some(Arc::new(life)), is_launch: false })
    }

    /// Ends the program, and waits until that is done.
    fn end(self) {
        if let Err(error) = run(&self.program, ProgramHook::Finalizer) {
            tracing::error!(%error, "the objects of a program were not destroyed");
        }
    }
}

/// Launches what a program does at its begin or end; waits at its end.
fn run(program: &Arc<ProgramShared>, hook: ProgramHook) -> Result<()> {
    let positions = program.interface.hooks(hook);
    if positions.is_empty() {
        return Ok(());
    }
    let mut batch = Batch::new(&program.device);
    batch.timed(false);
    for index in positions {
        let printing = program.printing.clone();
        let kernel = Kernel { program: Arc::clone(program), index, printing, hold: Hold::none() };
        // Objects may hold pointers to any memory.
        batch.add(Command::launch(&kernel, &LaunchConfig::linear(1), &[])?.reaching_anything());
    }
    let submission = batch.submit()?;
    if hook == ProgramHook::Finalizer { submission.wait() } else { Ok(()) }
}

/// Keeps a program alive.
pub(crate) struct Hold {
    life: Option<Arc<Life>>,
    /// Whether a launch holds it.
    is_launch: bool,
}

impl Hold {
    /// Holds nothing: for what runs while a program begins or ends.
    pub(crate) fn none() -> Self {
        Hold { life: None, is_launch: false }
    }

    /// For a launch; `None` if the program has nothing to do at its end.
    pub(crate) fn of_launch(&self) -> Option<Self> {
        let life = self.life.as_ref()?;
        life.has_end.then(|| Hold { life: Some(Arc::clone(life)), is_launch: true })
    }

    /// Keeps something until the program has ended.
    pub(crate) fn keep(&self, kept: Kept) {
        if let Some(life) = &self.life {
            lock(&life.kept).push(kept);
        }
    }
}

impl Clone for Hold {
    fn clone(&self) -> Self {
        Hold { life: self.life.clone(), is_launch: self.is_launch }
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        let Some(life) = self.life.take().and_then(Arc::into_inner) else { return };
        if !self.is_launch || !life.has_end {
            life.end();
            return;
        }
        let thread = std::thread::Builder::new().name("clvk program".to_owned());
        if let Err(error) = thread.spawn(move || life.end()) {
            tracing::error!(%error, "the objects of a program were not destroyed");
        }
    }
}
