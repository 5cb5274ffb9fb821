//! Programs that a device can run.

use crate::message::Messages;
use clvk_interface::{CompiledModule, KernelInterface, ModuleInterface};
use std::fmt;

/// A program translated for a device: its SPIR-V, and the interface for launching its kernels.
#[derive(Clone)]
pub struct Program {
    pub(crate) compiled: CompiledModule,
    pub(crate) warnings: Messages,
    pub(crate) translation_warnings: Messages,
}

impl Program {
    /// The SPIR-V, with an entry point for each kernel; empty if there are no kernels.
    #[must_use]
    pub fn spirv(&self) -> &[u32] {
        &self.compiled.spirv
    }

    /// The SPIR-V as the bytes of a file, least significant byte first.
    #[must_use]
    pub fn spirv_bytes(&self) -> Vec<u8> {
        self.compiled.spirv.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    /// The interface that the host needs to launch the kernels.
    #[must_use]
    pub fn interface(&self) -> &ModuleInterface {
        &self.compiled.interface
    }

    /// The interface as JSON, from which [`ModuleInterface`] can be deserialised.
    #[must_use]
    pub fn interface_json(&self) -> String {
        serde_json::to_string_pretty(self.interface()).expect("interfaces are plain data")
    }

    /// The interfaces of the kernels, in the order of the source. Blocks that kernels enqueue are among them,
    /// and the kernels that the host launches by itself.
    #[must_use]
    pub fn kernels(&self) -> &[KernelInterface] {
        &self.compiled.interface.kernels
    }

    /// The names of the kernels.
    pub fn kernel_names(&self) -> impl Iterator<Item = &str> {
        self.kernels().iter().map(|kernel| kernel.name.as_str())
    }

    /// The interface of the kernel of this name.
    #[must_use]
    pub fn kernel(&self, name: &str) -> Option<&KernelInterface> {
        self.compiled.interface.kernel(name)
    }

    /// The compiler's warnings.
    #[must_use]
    pub fn warnings(&self) -> &Messages {
        &self.warnings
    }

    /// Those of the warnings that the translation for the device gave, beyond [`Object::warnings`]: a kernel
    /// exceeds a limit of the device by itself.
    ///
    /// [`Object::warnings`]: crate::Object::warnings
    #[must_use]
    pub fn translation_warnings(&self) -> &Messages {
        &self.translation_warnings
    }

    /// SPIR-V and interface, as the runtime takes them.
    #[must_use]
    pub fn module(&self) -> &CompiledModule {
        &self.compiled
    }

    /// SPIR-V and interface, as the runtime takes them.
    #[must_use]
    pub fn into_module(self) -> CompiledModule {
        self.compiled
    }
}

/// The kernels and the size; the SPIR-V itself is for `spirv-dis`.
impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kernels: Vec<&str> = self.kernel_names().collect();
        let words = self.spirv().len();
        f.debug_struct("Program").field("kernels", &kernels).field("words", &words).finish_non_exhaustive()
    }
}
