//! OpenCL-flavoured SPIR-V to the IR.
//!
//! An [`Indexed`] module is words (SPIR-V 1.0 to 1.6, kernels, physical addresses) and what they declare.
//! [`Indexed::read`] takes the kernels that are wanted, and gives a [`clvk_ir::Module`] and a text: built-in
//! functions become calls of small functions of OpenCL C, which that language's front end compiles
//! ([`Reading::built_ins`]). The caller merges both.
//!
//! Phases: [`binary`] makes instructions of words; `index` finds types, constants, variables and the
//! positions of functions in one pass; `function` declares functions and kernels; `body` translates a
//! function when a wanted kernel reaches it. Control flow goes through [`clvk_ir::structurize`]; values that
//! cross blocks are in memory until the translator's passes promote them.
//!
//! Memory: the words are there once. The index takes less than they do, and only bodies that were read for
//! wanted kernels stay; [`Indexed::check`] reads them all and keeps none.
//!
//! Invariants:
//! - Nothing in a module is trusted: every id is looked up, sizes and depths are limited, and what is wrong
//!   gives an [`Error`] with its instruction.
//! - What is not supported is refused by name.
//!
//! Not here: what OpenCL C's built-in functions mean (`clvk-frontend`, `clvk-shaders`), and anything about
//! Vulkan.
#![forbid(unsafe_code)]

mod annotations;
pub mod binary;
mod body;
mod capabilities;
mod constant;
mod error;
mod function;
mod globals;
mod glue;
mod index;
mod lines;
mod mangled;
mod recursion;
mod types;

pub use error::{Error, Line, Place};
pub use glue::PREFIX;

use binary::{Id, Instruction};
use clvk_ir::verify::{self, Stage};
use clvk_ir::{Func, Global, Module, Span};
use glue::Glue;
use index::{EntryPoint, Index, Linkage};
use lines::Spot;
use rspirv::spirv::{ExecutionMode, Op};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use types::Ty;

/// What is wanted of a module.
#[derive(Clone, Debug, Default)]
pub struct Wishes {
    /// The kernels to read; all if it is empty.
    pub kernels: Vec<String>,
    /// All work-groups of a launch have the same size (`-cl-uniform-work-group-size`).
    pub uniform_work_groups: bool,
    /// Subnormal numbers of single precision may be zeros (`-cl-denorms-are-zero`).
    pub flush_subnormals: bool,
    /// Work-items of the device's sub-groups, if it is known: kernels that require others are refused.
    pub sub_group_size: Option<u32>,
    /// Whether OpenCL C has a built-in function of this name: what modules import of these, by mangled names,
    /// becomes a call of it.
    pub is_built_in: Option<fn(&str) -> bool>,
}

/// What was read.
#[derive(Clone, Debug)]
pub struct Reading {
    /// Kernels and functions. The functions of [`Reading::built_ins`] are declared.
    pub module: Module,
    /// Functions in OpenCL C 3.0 that the module calls. Their names begin with [`PREFIX`].
    pub built_ins: String,
    /// The instruction that needs each line of them.
    pub built_in_places: Vec<Option<Place>>,
    /// Lines of the source. The span of what comes from the first of them begins and ends at 1.
    pub lines: Vec<Line>,
}

/// What a module declares for its host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// The names of its kernels, in order.
    pub kernels: Vec<String>,
    /// Its specialisation constants: `SpecId` and size in bytes. A truth value has one byte.
    pub specialisation: Vec<(u32, u32)>,
    /// It has variables in global memory, which all its kernels share.
    pub has_global_variables: bool,
    /// It has kernels that the host launches by itself, which are not among `kernels`.
    pub has_hooks: bool,
}

/// A module whose declarations have been read. It is cheap to clone.
#[derive(Clone, Debug)]
pub struct Indexed {
    index: Arc<Index>,
}

impl Indexed {
    /// Reads what a module declares, whose specialisation constants have these bits, by `SpecId`, where they
    /// are set. Bodies of functions are not read, so this takes little time, however large they are.
    ///
    /// # Errors
    /// The module is damaged, or not for kernels.
    pub fn new(words: Arc<[u32]>, specialised: &[(u32, u64)]) -> Result<Self, Error> {
        match Index::new(Arc::clone(&words), specialised.iter().copied().collect()) {
            Ok(index) => Ok(Indexed { index: Arc::new(index) }),
            Err(error) => Err(error.in_source(&words)),
        }
    }

    /// The words of the module.
    #[must_use]
    pub fn words(&self) -> &Arc<[u32]> {
        self.index.words()
    }

    /// What it declares for its host.
    #[must_use]
    pub fn summary(&self) -> Summary {
        let index = &self.index;
        let launched = index.entry_points.iter().filter(|entry| index.hook(entry.function).is_none());
        let kernels: Vec<String> = launched.map(|entry| entry.name.clone()).collect();
        Summary {
            specialisation: index.specialisation(),
            has_global_variables: index.has_global_variables(),
            has_hooks: kernels.len() < index.entry_points.len(),
            kernels,
        }
    }

    /// Reads kernels.
    ///
    /// # Errors
    /// The module is damaged, or uses something that is not supported.
    pub fn read(&self, wishes: &Wishes) -> Result<Reading, Error> {
        self.reading(wishes, true)
    }

    /// Checks what [`Indexed::read`] reads, function by function, without keeping it.
    ///
    /// # Errors
    /// Those of [`Indexed::read`].
    pub fn check(&self, wishes: &Wishes) -> Result<(), Error> {
        self.reading(wishes, false).map(drop)
    }

    fn reading(&self, wishes: &Wishes, keeps_bodies: bool) -> Result<Reading, Error> {
        let mut reader = Reader::new(&self.index, wishes, keeps_bodies);
        match reader.run().and_then(|()| reader.verify_declarations()) {
            Ok(()) => {
                let Reader { module, glue, lines, .. } = reader;
                Ok(Reading { module, built_ins: glue.text, built_in_places: glue.places, lines })
            }
            Err(error) => Err(error.in_source(self.words())),
        }
    }
}

/// The state while a module is read.
struct Reader<'w> {
    index: &'w Index,
    wishes: &'w Wishes,
    /// Bodies stay; else functions become declarations again when they have been checked.
    keeps_bodies: bool,
    module: Module,
    glue: Glue,
    globals: FxHashMap<Id, Global>,
    /// The names of variables and functions that are taken.
    names: FxHashSet<String>,
    functions: FxHashMap<Id, Func>,
    /// Functions that are declared, and whose bodies must be read.
    waiting: Vec<(Id, Func)>,
    /// Functions whose products and sums must not be fused.
    uncontracted: FxHashSet<Id>,
    /// The spans of places in the source.
    spots: FxHashMap<Spot, Span>,
    /// These places.
    lines: Vec<Line>,
    calls: Vec<recursion::Call>,
    /// The set of OpenCL's extended instructions, once one was used.
    opencl_set: Option<Id>,
    scratch: body::Scratch<'w>,
}

impl Reading {
    /// The error that a line of the functions in OpenCL C is wrong, counted from 1, in the module of these
    /// words.
    #[must_use]
    pub fn built_in_error(&self, line: u32, problem: String, words: &[u32]) -> Error {
        let number = (line as usize).checked_sub(1);
        let place = number.and_then(|number| *self.built_in_places.get(number)?);
        match place {
            Some(Place { word, opcode }) => Error::at(word, opcode, problem).in_source(words),
            None => Error::of_module(problem),
        }
    }
}

impl<'w> Reader<'w> {
    fn new(index: &'w Index, wishes: &'w Wishes, keeps_bodies: bool) -> Self {
        Reader {
            index,
            wishes,
            keeps_bodies,
            module: Module::default(),
            glue: Glue::default(),
            globals: FxHashMap::default(),
            names: FxHashSet::default(),
            functions: FxHashMap::default(),
            waiting: Vec::new(),
            uncontracted: FxHashSet::default(),
            spots: FxHashMap::default(),
            lines: Vec::new(),
            calls: Vec::new(),
            opencl_set: None,
            scratch: body::Scratch::default(),
        }
    }

    fn run(&mut self) -> Result<(), Error> {
        let chosen = |entry: &EntryPoint| {
            let wanted = &self.wishes.kernels;
            wanted.is_empty() || wanted.contains(&entry.name) || self.index.hook(entry.function).is_some()
        };
        let entries = self.index.entry_points.iter().enumerate();
        let entries: Vec<usize> =
            entries.filter(|(_, entry)| chosen(entry)).map(|(number, _)| number).collect();
        if let Some(missing) = self
            .wishes
            .kernels
            .iter()
            .find(|name| !self.index.entry_points.iter().any(|it| it.name == **name))
        {
            return Err(Error::of_module(format!("the module has no kernel `{missing}`")));
        }
        self.find_uncontracted(&entries)?;
        for number in entries {
            self.declare_kernel(number)?;
        }
        if self.wishes.kernels.is_empty() {
            for &id in &self.index.function_order {
                if self.index.linkage_kind(id).is_some_and(|linkage| linkage != Linkage::Imported) {
                    self.function(id)?;
                }
            }
        }
        while let Some((id, func)) = self.waiting.pop() {
            self.read_body(id, func)?;
        }
        recursion::check(&self.module, &self.calls)
    }

    /// Checks the rules of the IR for variables and for the declarations of functions; those of bodies are
    /// checked when they have been read.
    fn verify_declarations(&self) -> Result<(), Error> {
        let broken = verify::verify_declarations(&self.module).err();
        let broken = broken.map(|errors| errors.first().map(ToString::to_string).unwrap_or_default());
        let functions = self.module.functions.iter().filter(|(_, function)| function.body.is_none());
        let mut rules = functions.flat_map(|(func, function)| {
            let rules = verify::verify_function(&self.module, func, Stage::Any);
            rules.into_iter().map(|it| format!("`@{}`: {}", function.name, it.rule))
        });
        match broken.or_else(|| rules.next()) {
            None => Ok(()),
            Some(rule) => Err(Error::of_module(format!("the module breaks a rule: {rule}"))),
        }
    }

    /// Finds what the kernels call that have the execution mode `ContractionOff`: LLVM's translator makes a
    /// kernel of a call, and the mode is the kernel's.
    fn find_uncontracted(&mut self, entries: &[usize]) -> Result<(), Error> {
        let functions = entries.iter().map(|&number| self.index.entry_points[number].function);
        let is_off = |&id: &Id| self.index.mode(id, ExecutionMode::ContractionOff as u32).is_some();
        let mut pending: Vec<Id> = functions.filter(is_off).collect();
        while let Some(id) = pending.pop() {
            let Some(at) = self.index.function(id).filter(|_| self.uncontracted.insert(id)) else {
                continue;
            };
            let mut instructions = self.index.instructions_from(at);
            while let Some(call) = instructions
                .find_either([Op::FunctionCall, Op::FunctionEnd])
                .filter(|it| it.op() == Some(Op::FunctionCall))
            {
                pending.push(call.operand(0)?);
            }
        }
        Ok(())
    }

    /// The span of a place in the source.
    fn span(&mut self, spot: Option<Spot>) -> Span {
        let Some(spot) = spot else { return Span::NONE };
        if let Some(&known) = self.spots.get(&spot) {
            return known;
        }
        let line = spot.line(|id| self.index.definition(id));
        let span = line.map_or(Span::NONE, |line| {
            self.lines.push(line);
            let number = self.lines.len() as u32;
            Span::new(number, number)
        });
        self.spots.insert(spot, span);
        span
    }

    /// A name that nothing else in the module has.
    fn free_name(&mut self, name: Option<String>, id: Id) -> String {
        let name = name.unwrap_or_else(|| format!("id{id}"));
        let mut free = name.clone();
        while !self.names.insert(free.clone()) {
            free = format!("{free}.{id}");
        }
        free
    }

    /// The type of a variable's contents, and its initializer.
    fn contents_of(&self, variable: &Instruction<'_>) -> Result<(Id, Option<Id>), Error> {
        let operands = variable.operands();
        Ok(match variable.op() {
            Some(Op::UntypedVariableKHR) => (variable.operand(1)?, operands.get(2).copied()),
            _ => {
                let ty = variable.result_type().unwrap_or_default();
                (self.pointee(ty, variable)?, operands.get(1).copied())
            }
        })
    }

    /// The type that a pointer type points to.
    fn pointee(&self, ty: Id, user: &Instruction<'_>) -> Result<Id, Error> {
        match self.index.type_of(ty, user)?.ty {
            Ty::Pointer { pointee: Some(pointee), .. } => Ok(pointee),
            Ty::Pointer { pointee: None, .. } => Err(user.error("the pointer is not a typed one")),
            _ => Err(user.error(format!("%{ty} is not the type of a pointer"))),
        }
    }
}
