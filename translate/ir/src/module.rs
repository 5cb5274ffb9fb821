//! Modules and module-scope variables.

use crate::{AddressSpace, Arena, Func, Function, Global, KernelInfo, Op};
use clvk_interface::{PrintFormat, ProgramHook};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The name of the local memory through which the work-items of a group compute together. A front end
/// declares it. The linker makes it as large as the device's work-groups need: 8 bytes for each sub-group.
pub const WORK_GROUP_SCRATCH: &str = "__clvk_work_group_scratch";

/// How the names of functions begin that are all of a call of `printf`: they write a record, whose number is
/// an [`Op::PrintNumber`], and give the result. A front end makes one for each call.
pub const PRINT_FUNCTION: &str = "__clvk_printf.";

/// A compiled translation unit.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Module {
    /// Functions and kernels. A function without a body is a declaration, to be linked by name.
    pub functions: Arena<Func, Function>,
    /// Variables at module scope, including `static` ones and kernels' `__local` ones.
    pub globals: Arena<Global, GlobalData>,
    /// The calls of `printf`; a record in the print buffer names one by its position here.
    pub print_formats: Vec<PrintFormat>,
    /// Which names are shared with other modules.
    pub linkage: Linkage,
}

/// The names that are internal to a module, and those that it expects of others. The text form omits it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Linkage {
    /// Functions that no other module can call.
    pub internal_functions: BTreeSet<String>,
    /// Variables that no other module can name.
    pub internal_globals: BTreeSet<String>,
    /// Names that several modules may define, in the same way; one of the definitions counts
    /// (`linkonce_odr`).
    pub repeated: BTreeSet<String>,
    /// Variables that another module defines.
    pub declared_globals: BTreeSet<String>,
}

impl Module {
    /// The function of this name.
    #[must_use]
    pub fn function(&self, name: &str) -> Option<Func> {
        self.functions.iter().find(|(_, function)| function.name == name).map(|(id, _)| id)
    }

    /// The number of the format that a function prints, if it is all of a call of `printf`
    /// ([`PRINT_FUNCTION`]).
    #[must_use]
    pub fn printed_format(&self, func: Func) -> Option<u32> {
        let function = &self.functions[func];
        let mut number = None;
        if function.name.starts_with(PRINT_FUNCTION) {
            function.walk(|_, data| {
                if let Op::PrintNumber(format) = data.op {
                    number = Some(format);
                }
            });
        }
        number
    }

    /// The kernels that applications launch, in order: all except blocks and those that the host launches by
    /// itself.
    pub fn launched_kernels(&self) -> impl Iterator<Item = Func> {
        let is_launched = |info: &KernelInfo| !info.is_block && info.hook.is_none();
        self.kernels().filter(move |&func| self.functions[func].kernel.as_ref().is_some_and(is_launched))
    }

    /// The kernels that the host launches by itself at this time, in the order of the module.
    pub fn hooks(&self, hook: ProgramHook) -> impl Iterator<Item = Func> {
        let is_it = move |info: &KernelInfo| info.hook == Some(hook);
        self.kernels().filter(move |&func| self.functions[func].kernel.as_ref().is_some_and(is_it))
    }

    /// These functions and all that they call and enqueue, directly or indirectly.
    #[must_use]
    pub fn reachable(&self, roots: impl IntoIterator<Item = Func>) -> FxHashSet<Func> {
        let mut waiting: Vec<Func> = roots.into_iter().collect();
        let mut reached: FxHashSet<Func> = waiting.iter().copied().collect();
        while let Some(func) = waiting.pop() {
            self.functions[func].walk(|_, data| {
                if let Op::Call(other) | Op::CallElementwise(other) | Op::KernelNumber(other) = data.op
                    && reached.insert(other)
                {
                    waiting.push(other);
                }
            });
        }
        reached
    }

    /// The kernels, in order.
    pub fn kernels(&self) -> impl Iterator<Item = Func> {
        self.functions.iter().filter(|(_, function)| function.kernel.is_some()).map(|(id, _)| id)
    }

    /// The functions that have a body, kernels among them, in order, to change.
    pub fn bodies_mut(&mut self) -> impl Iterator<Item = &mut Function> {
        self.functions.iter_mut().map(|(_, function)| function).filter(|function| function.body.is_some())
    }

    /// The functions of the kernels, in order, to change.
    pub fn kernels_mut(&mut self) -> impl Iterator<Item = &mut Function> {
        self.functions.iter_mut().map(|(_, function)| function).filter(|function| function.kernel.is_some())
    }
}

/// A pointer inside an initialiser: the address of `target` plus `addend` at byte `offset`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Relocation {
    /// Byte offset in the variable.
    pub offset: u64,
    /// What it points to.
    pub target: Global,
    /// Bytes from the start of the target.
    pub addend: i64,
}

/// The initial contents of a variable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Initializer {
    /// Nothing: `__local` variables.
    None,
    /// All zero.
    Zero,
    /// These bytes (as many as the variable's size, little-endian), with the pointers written over them.
    Bytes {
        /// Contents.
        bytes: Vec<u8>,
        /// Pointers in it.
        relocations: Vec<Relocation>,
    },
}

/// A module-scope variable. A [`ValueDef::Global`](crate::ValueDef::Global) is its address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GlobalData {
    /// Name; unique in the module.
    pub name: String,
    /// `Constant`, `Global` or `Local`.
    pub space: AddressSpace,
    /// Size in bytes.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u32,
    /// Whether a variable in global memory keeps its initial contents. Those in constant memory always do.
    pub is_read_only: bool,
    /// Initial contents.
    pub initializer: Initializer,
}

impl GlobalData {
    /// Whether nothing writes to the variable: what it holds is known from the start.
    #[must_use]
    pub fn keeps_contents(&self) -> bool {
        self.space == AddressSpace::Constant || self.space == AddressSpace::Global && self.is_read_only
    }
}
