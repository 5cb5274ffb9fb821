//! Kernels that the host launches by itself: they begin and end a program.

use crate::{KernelInterface, ModuleInterface};
use serde::{Deserialize, Serialize};

/// When the host launches a kernel that it launches by itself, with one work-item and without arguments
/// (SPIR-V §3.6, execution modes `Initializer` and `Finalizer`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProgramHook {
    /// Once, after the program's variables have their contents and before any other kernel of the program.
    /// Several run in the order of [`ModuleInterface::kernels`].
    Initializer,
    /// Once, after all other kernels of the program. Several run in the opposite order.
    Finalizer,
}

impl KernelInterface {
    /// Whether applications launch it: it is neither a block nor has a [`ProgramHook`].
    #[must_use]
    pub fn is_launched(&self) -> bool {
        !self.is_block && self.hook.is_none()
    }
}

impl ModuleInterface {
    /// The positions of the kernels that the host launches by itself, in the order in which they run.
    #[must_use]
    pub fn hooks(&self, hook: ProgramHook) -> Vec<usize> {
        let kernels = self.kernels.iter().enumerate();
        let found = kernels.filter(|(_, kernel)| kernel.hook == Some(hook)).map(|(position, _)| position);
        match hook {
            ProgramHook::Initializer => found.collect(),
            ProgramHook::Finalizer => found.rev().collect(),
        }
    }
}
