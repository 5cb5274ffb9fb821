//! What a module declares, found in one pass over its words. Bodies of functions are skipped: only their
//! positions are kept, so a module with thousands of kernels costs little until they are read.

use crate::annotations::{Annotations, Marks};
use crate::binary::{self, HEADER, Id, Instruction, Instructions, instructions};
use crate::capabilities::Declared;
use crate::constant::Evaluator;
use crate::error::Error;
use crate::types::{self, Ty, TypeData, Types};
use clvk_ir::{AddressSpace, FastMath, ProgramHook, Scalar, Type};
use rspirv::dr::Operand;
use rspirv::spirv::{
    AddressingModel, Capability, Decoration, ExecutionMode, ExecutionModel, FPFastMathMode, FPRoundingMode,
    LinkageType, MemoryModel, Op, StorageClass,
};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A kernel (`OpEntryPoint`).
#[derive(Debug)]
pub struct EntryPoint {
    pub name: String,
    pub function: Id,
    /// The position of the instruction.
    pub at: usize,
}

/// How a name is shared with other modules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linkage {
    /// Another module defines it.
    Imported,
    /// Others may use it.
    Exported,
    /// Others may use it, and define it in the same way.
    Repeated,
}

/// How the strings begin in which LLVM's translator says how the source spelled the types of arguments.
const ARGUMENT_TYPES: &str = "kernel_arg_type.";

/// An index of a module. Besides the words it holds little: positions by id (of 32 bits, which is enough for
/// every module), and types.
#[derive(Debug, Default)]
pub struct Index {
    words: Arc<[u32]>,
    pointer_bits: u32,
    declared: Declared,
    /// The ids that are decorated as built-in variables, with the positions of the decorations.
    built_ins: Vec<(Id, usize)>,
    has_packed: bool,
    has_global_variables: bool,
    has_matrices: bool,
    /// The host launches some of its kernels by itself.
    has_hooks: bool,
    /// Its kernels may enqueue kernels.
    enqueues: bool,
    pub entry_points: Vec<EntryPoint>,
    /// The position of `OpFunction`, by function.
    functions: FxHashMap<Id, u32>,
    /// Functions in the order of the module.
    pub function_order: Vec<Id>,
    types: Types,
    /// The types of scalars.
    scalars: FxHashMap<Scalar, Id>,
    /// The position of the instruction that defines a constant, variable, string or set of instructions.
    definitions: FxHashMap<Id, u32>,
    /// The position of `OpName`.
    names: FxHashMap<Id, u32>,
    decorations: Annotations,
    decorated: Marks,
    modes: Annotations,
    /// By kernel, the position of `kernel_arg_type.NAME.TYPE,TYPE,`, which LLVM's translator writes.
    argument_types: FxHashMap<Box<str>, u32>,
    /// What specialisation constants are set to, by `SpecId`.
    specialised: FxHashMap<u32, u64>,
}

impl Index {
    /// Indexes a module, whose specialisation constants have these bits where they are set.
    ///
    /// # Errors
    /// The module is damaged, or not for kernels.
    pub fn new(words: Arc<[u32]>, specialised: FxHashMap<u32, u64>) -> Result<Self, Error> {
        if words.len() < HEADER {
            return Err(Error::of_module("the module is too short for a header"));
        }
        if u32::try_from(words.len()).is_err() {
            return Err(Error::of_module("the module is too large"));
        }
        let version = words[1];
        if !(0x0001_0000..=0x0001_0600).contains(&(version & 0x00FF_FF00)) {
            return Err(Error::of_module(format!(
                "the module is of SPIR-V {}.{}; versions 1.0 to 1.6 are supported",
                (version >> 16) & 0xFF,
                (version >> 8) & 0xFF
            )));
        }
        let decorated = Marks::new(words.len());
        let mut index = Index { words: Arc::clone(&words), specialised, decorated, ..Index::default() };
        let mut inside: Option<Instruction<'_>> = None;
        for instruction in instructions(&words, HEADER) {
            let instruction = instruction?;
            match instruction.op() {
                Some(Op::Function) if inside.is_none() => {
                    inside = Some(instruction);
                    let id = instruction.result().unwrap_or_default();
                    let is_taken = index.types.get(id).is_some() || index.definitions.contains_key(&id);
                    if index.functions.insert(id, instruction.at as u32).is_some() || is_taken {
                        return Err(instruction.error(format!("the function %{id} is defined twice")));
                    }
                    index.function_order.push(id);
                }
                Some(Op::FunctionEnd) if inside.is_some() => inside = None,
                Some(Op::Function | Op::FunctionEnd) => {
                    return Err(instruction.error("functions are not nested in each other"));
                }
                _ if inside.is_some() => {}
                _ => index.add(instruction)?,
            }
        }
        if let Some(function) = inside {
            return Err(function.error("the module ends within this function: it may be cut off"));
        }
        if index.pointer_bits == 0 {
            return Err(Error::of_module("the module has no memory model"));
        }
        index.declared.check_extensions()?;
        index.check_built_ins()?;
        let hosts: Vec<bool> = index.entry_points.iter().map(|entry| !index.is_of_block(entry)).collect();
        let mut hosts = hosts.into_iter();
        index.entry_points.retain(|_| hosts.next() == Some(true));
        Ok(index)
    }

    fn add(&mut self, instruction: Instruction<'_>) -> Result<(), Error> {
        match instruction.op() {
            Some(Op::Capability) => self.capability(&instruction)?,
            Some(Op::Extension) => self.declared.add_extension(instruction.string(0).0),
            Some(Op::MemoryModel) => self.memory_model(&instruction)?,
            Some(Op::EntryPoint) => {
                if ExecutionModel::from_u32(instruction.operand(0)?) != Some(ExecutionModel::Kernel) {
                    return Err(instruction.error("the module has entry points that are not kernels"));
                }
                let (name, _) = instruction.string(2);
                let function = instruction.operand(1)?;
                self.entry_points.push(EntryPoint { name, function, at: instruction.at });
            }
            Some(Op::ExecutionMode | Op::ExecutionModeId) => {
                let target = instruction.operand(0)?;
                let mode = ExecutionMode::from_u32(instruction.operand(1)?);
                self.has_hooks |= matches!(mode, Some(ExecutionMode::Initializer | ExecutionMode::Finalizer));
                let mode = mode.map(Operand::ExecutionMode);
                if mode.is_some_and(|mode| mode.required_capabilities() == [Capability::Shader]) {
                    return Err(instruction.error("kernels do not have this execution mode"));
                }
                self.modes.add(target, instruction.at as u32);
            }
            Some(Op::Name) => {
                self.names.insert(instruction.operand(0)?, instruction.at as u32);
            }
            Some(Op::String) => {
                self.define(&instruction)?;
                self.string(&instruction);
            }
            Some(Op::Decorate | Op::DecorateId) => {
                let target = instruction.operand(0)?;
                match Decoration::from_u32(instruction.operand(1)?) {
                    Some(Decoration::BuiltIn) => self.built_ins.push((target, instruction.at)),
                    Some(Decoration::LinkageAttributes) => self.declared.check_linkage(&instruction)?,
                    _ => {}
                }
                self.decorations.add(target, instruction.at as u32);
                self.decorated.set(target, instruction.operand(1)?);
            }
            Some(Op::GroupDecorate) => {
                instruction.operand(0)?;
                self.decorated.set_all();
                for &target in &instruction.operands()[1..] {
                    self.decorations.add(target, instruction.at as u32);
                }
            }
            Some(Op::TypeForwardPointer) => {
                let data = types::forward_pointer(instruction.operand(1)?);
                self.types.insert(instruction.operand(0)?, data);
            }
            Some(op) if is_type(op) => {
                if let Some(capability) = self.declared.missing(&instruction) {
                    let problem = format!("the module does not declare the capability {capability:?}");
                    return Err(instruction.error(problem));
                }
                let id = instruction.result().unwrap_or_default();
                self.has_packed |= op == Op::TypeStruct && self.is_packed(id);
                self.has_matrices |= op == Op::TypeCooperativeMatrixKHR;
                let data = types::declare(self, &instruction)?;
                if let Some(Type::Scalar(scalar)) =
                    data.value().filter(|_| !matches!(data.ty, Ty::Object(_) | Ty::BFloat16))
                {
                    self.scalars.insert(scalar, id);
                }
                let is_forward = |known: TypeData| matches!(known.ty, Ty::Pointer { pointee: None, .. });
                if self.types.insert(id, data).is_some_and(|known| !is_forward(known)) {
                    return Err(instruction.error(format!("the type %{id} is declared twice")));
                }
            }
            _ if instruction.result().is_some() => {
                if let Some(Op::Variable | Op::UntypedVariableKHR) = instruction.op() {
                    let class = StorageClass::from_u32(instruction.operand(0)?);
                    self.has_global_variables |= class == Some(StorageClass::CrossWorkgroup);
                }
                self.define(&instruction)?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Whether only other kernels can launch a kernel: LLVM's translator lists the functions of blocks, too.
    /// They take a generic pointer, which a host cannot pass (OpenCL SPIR-V environment specification §2.8).
    fn is_of_block(&self, entry: &EntryPoint) -> bool {
        let definition = self.function(entry.function).and_then(|at| self.instructions_from(at).next());
        let Some(Ok(definition)) = definition.filter(|_| self.enqueues) else { return false };
        let Ok(ty) = definition.operand(1) else { return false };
        let params = self.function_type(ty, &definition).map(|(_, params)| params.first());
        let Ok(Some(&first)) = params else { return false };
        let first = self.type_of(first, &definition).map(|data| &data.ty);
        matches!(first, Ok(Ty::Pointer { space: AddressSpace::Generic, .. }))
    }

    fn define(&mut self, instruction: &Instruction<'_>) -> Result<Id, Error> {
        let id = instruction.result().ok_or_else(|| instruction.error("the instruction lacks a result"))?;
        if instruction.op() == Some(Op::Undef) {
            let ty = instruction.result_type().and_then(|ty| self.types.get(ty));
            if ty.is_some_and(|data| data.ty == Ty::Void) {
                return Err(instruction.error("there is no undefined value of type void"));
            }
        }
        match self.definitions.insert(id, instruction.at as u32) {
            None if self.types.get(id).is_none() => Ok(id),
            _ => Err(instruction.error(format!("%{id} is defined twice"))),
        }
    }

    /// Refuses what changes the meaning of a whole module. Other capabilities are judged by the instructions
    /// that need them.
    fn capability(&mut self, instruction: &Instruction<'_>) -> Result<(), Error> {
        let capability = Capability::from_u32(instruction.operand(0)?);
        if let Some(capability) = capability {
            self.declared.add_capability(capability, instruction);
        }
        match capability {
            Some(Capability::Shader) => {
                return Err(instruction.error("the module is a shader; kernels are expected"));
            }
            Some(Capability::DeviceEnqueue | Capability::SubgroupDispatch) => self.enqueues = true,
            _ => {}
        }
        Ok(())
    }

    /// Built-in variables are variables.
    fn check_built_ins(&self) -> Result<(), Error> {
        for &(id, at) in &self.built_ins {
            let op = self.definition(id).and_then(|it| it.op());
            if let (Some(Ok(decoration)), false) = (
                instructions(&self.words, at).next(),
                matches!(op, Some(Op::Variable | Op::UntypedVariableKHR | Op::DecorationGroup)),
            ) {
                return Err(
                    decoration.error(format!("%{id} is decorated as a built-in variable, but is not one"))
                );
            }
        }
        Ok(())
    }

    fn memory_model(&mut self, instruction: &Instruction<'_>) -> Result<(), Error> {
        self.pointer_bits = match AddressingModel::from_u32(instruction.operand(0)?) {
            Some(AddressingModel::Physical32) => 32,
            Some(AddressingModel::Physical64) => 64,
            _ => return Err(instruction.error("the module does not use the physical addresses of kernels")),
        };
        match MemoryModel::from_u32(instruction.operand(1)?) {
            Some(MemoryModel::OpenCL) => Ok(()),
            _ => {
                Err(instruction.error("the module does not use OpenCL's memory model: it is not for kernels"))
            }
        }
    }

    fn string(&mut self, instruction: &Instruction<'_>) {
        let (text, _) = instruction.string(0);
        let Some(rest) = text.strip_prefix(ARGUMENT_TYPES) else { return };
        let Some((kernel, _)) = rest.split_once('.') else { return };
        self.argument_types.insert(kernel.into(), instruction.at as u32);
    }

    /// What it declares.
    pub fn declared(&self) -> &Declared {
        &self.declared
    }

    /// Whether it has types of cooperative matrices.
    pub fn has_matrices(&self) -> bool {
        self.has_matrices
    }

    /// The width of addresses: 32 or 64.
    pub fn pointer_bits(&self) -> u32 {
        self.pointer_bits
    }

    /// The words.
    pub fn words(&self) -> &Arc<[u32]> {
        &self.words
    }

    /// The position of `OpFunction`.
    pub fn function(&self, id: Id) -> Option<usize> {
        self.functions.get(&id).map(|&at| at as usize)
    }

    /// The instructions from a position on.
    pub fn instructions_from(&self, at: usize) -> Instructions<'_> {
        instructions(&self.words, at)
    }

    /// The instruction at a position that the index has read.
    fn instruction_at(&self, at: usize) -> Option<Instruction<'_>> {
        self.instructions_from(at).next()?.ok()
    }

    /// A type.
    ///
    /// # Errors
    /// There is no such type.
    #[inline]
    pub fn type_of(&self, id: Id, user: &Instruction<'_>) -> Result<&TypeData, Error> {
        match self.types.get(id) {
            Some(data) => Ok(data),
            None => Err(no_type(id, user)),
        }
    }

    /// The type of a part of a composite type, and its offset in bytes. An index of an array may be beyond
    /// its end.
    ///
    /// # Errors
    /// There is no such part.
    pub fn part(&self, ty: Id, position: u64, user: &Instruction<'_>) -> Result<(Id, u64), Error> {
        let data = self.type_of(ty, user)?;
        let missing = || user.error(format!("a value of type %{ty} has no part with the number {position}"));
        match &data.ty {
            Ty::Struct { members } => members.get(position as usize).copied().ok_or_else(missing),
            Ty::Array { element, .. } => {
                Ok((*element, position.wrapping_mul(self.type_of(*element, user)?.size)))
            }
            Ty::Vector(scalar, _) => {
                let element = self.scalars.get(scalar).copied().ok_or_else(missing)?;
                Ok((element, position.wrapping_mul(u64::from(scalar.size()))))
            }
            _ => Err(missing()),
        }
    }

    /// The type of a function.
    ///
    /// # Errors
    /// It is not one.
    pub fn function_type(&self, id: Id, user: &Instruction<'_>) -> Result<(Id, &[Id]), Error> {
        match &self.type_of(id, user)?.ty {
            Ty::Function { result, params } => Ok((*result, params)),
            _ => Err(user.error(format!("%{id} is not the type of a function"))),
        }
    }

    /// The instruction outside functions that defines an id.
    pub fn definition(&self, id: Id) -> Option<Instruction<'_>> {
        self.instruction_at(*self.definitions.get(&id)? as usize)
    }

    /// The value of an integer constant.
    ///
    /// # Errors
    /// It is not one.
    pub fn integer(&self, id: Id, user: &Instruction<'_>) -> Result<u64, Error> {
        let value = Evaluator::new(self).scalar(id)?;
        value.ok_or_else(|| user.error(format!("%{id} is not an integer constant")))
    }

    /// What a specialisation constant is set to.
    pub fn specialised(&self, id: Id) -> Option<u64> {
        let decoration = self.decoration(id, Decoration::SpecId)?;
        self.specialised.get(decoration.first()?).copied()
    }

    /// The specialisation constants, which are scalars: `SpecId` and size in bytes, by `SpecId`.
    pub fn specialisation(&self) -> Vec<(u32, u32)> {
        let of = |id: Id| {
            let number = *self.decoration(id, Decoration::SpecId)?.first()?;
            let definition = self.definition(id)?;
            let ty = self.type_of(definition.result_type()?, &definition).ok()?;
            matches!(ty.ty, Ty::Bool | Ty::Int(_) | Ty::Float(_)).then_some((number, ty.size as u32))
        };
        let mut all: Vec<(u32, u32)> = self.decorations.ids().filter_map(of).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The name of an id.
    pub fn name(&self, id: Id) -> Option<String> {
        let instruction = self.instruction_at(*self.names.get(&id)? as usize)?;
        Some(instruction.string(1).0).filter(|name| !name.is_empty())
    }

    /// The operands of a decoration.
    #[inline]
    pub fn decoration(&self, id: Id, decoration: Decoration) -> Option<&[u32]> {
        if !self.decorated.may_have(id, decoration as u32) {
            return None;
        }
        self.decorations_of(id, decoration).next()
    }

    /// The operands of each decoration of this kind.
    pub fn decorations_of(&self, id: Id, decoration: Decoration) -> impl Iterator<Item = &[u32]> {
        // Groups are not in groups.
        let of = |id: Id| self.decorations.of(id).filter_map(|at| self.instruction_at(at));
        let all = of(id).flat_map(move |it| {
            let group = it.operands().first().filter(|_| it.op() == Some(Op::GroupDecorate));
            std::iter::once(it).chain(group.into_iter().flat_map(move |&group| of(group)))
        });
        all.filter_map(move |it| match it.operands() {
            [_, number, operands @ ..]
                if *number == decoration as u32 && it.op() != Some(Op::GroupDecorate) =>
            {
                Some(operands)
            }
            _ => None,
        })
    }

    /// Whether there are variables in global memory.
    pub fn has_global_variables(&self) -> bool {
        self.has_global_variables
    }

    /// Whether any structure has no padding, so that its parts may have any alignment.
    pub fn has_packed_structures(&self) -> bool {
        self.has_packed
    }

    /// Whether a structure has no padding.
    pub fn is_packed(&self, id: Id) -> bool {
        self.decoration(id, Decoration::CPacked).is_some()
    }

    /// What `FPFastMathMode` allows of an instruction (SPIR-V §3.15), but whether it may be fused.
    pub fn fast_math(&self, id: Id) -> FastMath {
        let mode = self.decoration(id, Decoration::FPFastMathMode).and_then(|words| words.first().copied());
        let Some(mode) = mode.map(FPFastMathMode::from_bits_truncate) else { return FastMath::empty() };
        let special = FastMath::NO_NAN | FastMath::NO_INF | FastMath::NO_SIGNED_ZERO;
        [
            (FPFastMathMode::NOT_NAN, FastMath::NO_NAN),
            (FPFastMathMode::NOT_INF, FastMath::NO_INF),
            (FPFastMathMode::NSZ, FastMath::NO_SIGNED_ZERO),
            (FPFastMathMode::ALLOW_RECIP, FastMath::RECIPROCAL),
            (FPFastMathMode::ALLOW_REASSOC, FastMath::REASSOCIATE),
            (FPFastMathMode::FAST, special | FastMath::RECIPROCAL | FastMath::REASSOCIATE),
        ]
        .into_iter()
        .filter(|&(bit, _)| mode.contains(bit))
        .fold(FastMath::empty(), |all, (_, flags)| all | flags)
    }

    /// The rounding that decorates a conversion, as OpenCL C's suffix.
    pub fn rounding(&self, id: Id) -> Option<&'static str> {
        rounding_suffix(*self.decoration(id, Decoration::FPRoundingMode)?.first()?)
    }

    /// The name under which other modules know an id, and how it is linked.
    pub fn linkage(&self, id: Id) -> Option<(String, Linkage)> {
        let words = self.decoration(id, Decoration::LinkageAttributes)?;
        let linkage = self.linkage_kind(id)?;
        Some((binary::string(words).0, linkage))
    }

    /// How other modules know an id.
    pub fn linkage_kind(&self, id: Id) -> Option<Linkage> {
        let words = self.decoration(id, Decoration::LinkageAttributes)?;
        let rest = binary::after_string(words);
        Some(match rest.first().copied().and_then(LinkageType::from_u32) {
            Some(LinkageType::Import) => Linkage::Imported,
            Some(LinkageType::LinkOnceODR) => Linkage::Repeated,
            _ => Linkage::Exported,
        })
    }

    /// The operands of an execution mode of a kernel.
    pub fn mode(&self, function: Id, mode: u32) -> Option<&[u32]> {
        let mut modes = self.modes.of(function).filter_map(|at| self.instruction_at(at)?.operands().get(1..));
        modes.find_map(|words| words.split_first().filter(|(known, _)| **known == mode)).map(|(_, rest)| rest)
    }

    /// When the host launches a kernel by itself, if it does.
    pub fn hook(&self, kernel: Id) -> Option<ProgramHook> {
        if !self.has_hooks {
            None
        } else if self.mode(kernel, ExecutionMode::Initializer as u32).is_some() {
            Some(ProgramHook::Initializer)
        } else {
            let is_finalizer = self.mode(kernel, ExecutionMode::Finalizer as u32).is_some();
            is_finalizer.then_some(ProgramHook::Finalizer)
        }
    }

    /// The type of a kernel's argument as its source spelled it.
    pub fn argument_type(&self, kernel: &str, argument: usize) -> Option<String> {
        let (text, _) = self.instruction_at(*self.argument_types.get(kernel)? as usize)?.string(0);
        let (_, types) = text.strip_prefix(ARGUMENT_TYPES)?.split_once('.')?;
        types.split(',').nth(argument).map(str::to_owned)
    }
}

/// OpenCL C's suffix for a rounding mode.
pub fn rounding_suffix(mode: u32) -> Option<&'static str> {
    Some(match FPRoundingMode::from_u32(mode)? {
        FPRoundingMode::RTE => "_rte",
        FPRoundingMode::RTZ => "_rtz",
        FPRoundingMode::RTP => "_rtp",
        FPRoundingMode::RTN => "_rtn",
    })
}

#[cold]
fn no_type(id: Id, user: &Instruction<'_>) -> Error {
    user.error(format!("%{id} is not a type that is declared before"))
}

fn is_type(op: Op) -> bool {
    matches!(
        op,
        Op::TypeVoid
            | Op::TypeBool
            | Op::TypeInt
            | Op::TypeFloat
            | Op::TypeVector
            | Op::TypeMatrix
            | Op::TypeCooperativeMatrixKHR
            | Op::TypeImage
            | Op::TypeSampler
            | Op::TypeSampledImage
            | Op::TypeArray
            | Op::TypeRuntimeArray
            | Op::TypeStruct
            | Op::TypeOpaque
            | Op::TypePointer
            | Op::TypeUntypedPointerKHR
            | Op::TypeFunction
            | Op::TypeEvent
            | Op::TypeDeviceEvent
            | Op::TypeReserveId
            | Op::TypeQueue
            | Op::TypePipe
            | Op::TypePipeStorage
            | Op::TypeNamedBarrier
    )
}
