//! Compiling kernels before they are launched.
//!
//! The driver compiles a kernel for one work-group size, which is known for certain only if the kernel
//! requires one. Otherwise the size is a guess, made twice: when the host prepares the kernel, and when
//! another kernel of the program is launched first, because most hosts launch all kernels of a program with
//! one size. A wrong guess costs time of a thread that had nothing else to do.

use crate::engine::nd_range::{self, LaunchConfig};
use crate::engine::pipeline::PipelineKey;
use crate::objects::arguments::{self, check_local_memory};
use crate::objects::pipeline_compiler::local_constants;
use crate::objects::program::{Kernel, ProgramShared};
use crate::vulkan::handle::lock;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// What is known of the launches of a kernel.
#[derive(Default)]
pub(crate) struct Foreseen {
    /// Whether it was launched.
    launched: AtomicBool,
    /// Set if it is prepared and its work-group size can only be guessed.
    guess: Mutex<Option<Guess>>,
}

/// A kernel with an unknown work-group size.
struct Guess {
    dimensions: u32,
    local: [u32; 3],
    /// Specialisation constants of its `__local` arguments.
    locals: Vec<(u32, u32)>,
}

/// What a host knows of the launches to come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Expected<'a> {
    /// The work-group size, if the kernel hints at one (`work_group_size_hint`).
    pub local: Option<[u32; 3]>,
    /// The number of dimensions that the kernel asks for its place in.
    pub dimensions: u32,
    /// The sizes of its `__local` arguments in bytes, in order.
    pub local_arguments: &'a [u64],
}

impl Kernel {
    /// Whether [`Kernel::prepare`] can be of use: the device has threads for it, and the kernel was not
    /// launched yet.
    #[must_use]
    pub fn may_prepare(&self) -> bool {
        let launched = &self.program.foreseen(self.index).launched;
        !launched.load(Ordering::Relaxed) && self.program.pipelines.compiles_ahead()
    }

    /// Has a thread compile the pipeline of a likely launch, if the device has such threads
    /// ([`DeviceOptions::compile_threads`](crate::DeviceOptions::compile_threads)): for the work-group size
    /// that the kernel requires, else for the one expected, else for a guess. Nothing is compiled if the
    /// sizes of the `__local` arguments are not all given, or the device cannot launch the kernel so.
    pub fn prepare(&self, expected: &Expected<'_>) {
        let (program, interface) = (&self.program, self.interface());
        if !program.pipelines.compiles_ahead() {
            return;
        }
        let Ok(mut locals) = local_constants(interface, expected.local_arguments) else { return };
        let dimensions = expected.dimensions.clamp(1, 3);
        let known = interface.local_size.required().or(expected.local);
        let local = known.unwrap_or_else(|| {
            nd_range::chosen_local_size(interface, many(dimensions), self.device().profile())
        });
        // Most launches have no offsets.
        locals.extend(arguments::offset_mask(interface));
        program.compile_ahead(self.index, local, &locals, false);
        if known.is_none() && interface.required_sub_groups.is_none() {
            *lock(&program.foreseen(self.index).guess) = Some(Guess { dimensions, local, locals });
        }
    }
}

/// A global size of many work-items, which leaves the choice of the work-group size free.
fn many(dimensions: u32) -> [u64; 3] {
    match dimensions {
        1 => [1 << 20, 1, 1],
        2 => [1 << 10, 1 << 10, 1],
        _ => [1 << 7; 3],
    }
}

impl ProgramShared {
    /// Notes a launch; whether it is the kernel's first.
    pub(crate) fn note_launch(&self, kernel: usize) -> bool {
        let launched = &self.foreseen(kernel).launched;
        let is_first = !launched.load(Ordering::Relaxed);
        if is_first {
            launched.store(true, Ordering::Relaxed);
        }
        is_first
    }

    /// Guesses that kernels that were not launched yet will have the work-group size of one that is launched
    /// for the first time, instead of what was guessed before.
    pub(crate) fn prepare_others(&self, launched: usize, local: [u32; 3]) {
        if !self.pipelines.compiles_ahead() {
            return;
        }
        let dimensions = local.iter().rposition(|&size| size > 1).map_or(1, |last| last as u32 + 1);
        // What is urgent overtakes what was before: the first kernel comes last.
        for kernel in (0..self.interface.kernels.len()).rev() {
            let foreseen = self.foreseen(kernel);
            if kernel != launched && foreseen.launched.load(Ordering::Relaxed) {
                continue;
            }
            let mut guess = lock(&foreseen.guess);
            let Some(guess) = guess.as_mut().filter(|it| it.dimensions == dimensions && it.local != local)
            else {
                continue;
            };
            let before = std::mem::replace(&mut guess.local, local);
            self.pipelines.forget(kernel, &PipelineKey::new(before, before, &guess.locals));
            if kernel != launched {
                self.compile_ahead(kernel, local, &guess.locals, true);
            }
        }
    }

    /// Has a thread compile a pipeline, if the device can launch the kernel so.
    fn compile_ahead(&self, kernel: usize, local: [u32; 3], locals: &[(u32, u32)], urgent: bool) {
        let (interface, profile) = (&self.interface.kernels[kernel], self.device.profile());
        let global = local.map(u64::from);
        let config = LaunchConfig::spatial(global[0], global[1], global[2]).with_local(local);
        let fits = nd_range::plan(interface, profile, &config).is_ok()
            && check_local_memory(profile, interface, locals).is_ok();
        if fits {
            self.pipelines.compile_ahead(kernel, PipelineKey::new(local, local, locals), urgent);
        }
    }
}
