//! Checks the invariants that the crate's documentation lists.
//!
//! - here: what the callers use, and module-scope variables;
//! - [`indices`]: every index is valid in its arena and the regions are a tree; the other checks rely on it;
//! - [`structure`]: terminators, targets of jumps, and which values are visible where;
//! - [`operations`] and [`memory`]: operands and results of each operation;
//! - [`raised`]: the stricter rules for modules that are ready to be written as SPIR-V;
//! - [`raised_for_naga`], [`raised_for_opencl`]: the same for naga's modules, and for SPIR-V for OpenCL.
//!
//! Nothing here recurses with the depth of regions.

mod indices;
mod matrix;
mod memory;
mod operations;
mod raised;
mod raised_for_naga;
mod raised_for_opencl;
mod structure;

use crate::text::Numbering;
use crate::{
    Func, Function, GlobalData, Initializer, Inst, KernelInfo, KernelParamKind, Module, Op, Scalar, Type,
    Value, ValueDef, VariableData, VariableSpace,
};
use rustc_hash::FxHashSet;

pub(crate) use indices::check_indices;

/// What a module may contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Only what the front end makes: no target operations (the second part of [`Op`]), no typed variables.
    Source,
    /// Everything, at any point of the pipeline.
    Any,
    /// The input of the SPIR-V writer: each operation means what one SPIR-V instruction does, in a type that
    /// instruction has.
    Raised,
    /// The input of the writer of naga's modules: each operation means what one expression or statement of
    /// naga's IR does, on 32-bit numbers and truth values.
    RaisedForNaga,
    /// The input of the writer of SPIR-V for OpenCL: untyped memory, calls and launch queries, but nothing
    /// that only our runtime provides.
    RaisedForOpenCl,
}

/// A broken rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`@{function}`{}: {rule}", inst.as_ref().map_or(String::new(), |text| format!(", `{text}`")))]
pub struct VerifyError {
    /// The function, or the variable at module scope.
    pub function: String,
    /// The instruction's text, if the rule is about one.
    pub inst: Option<String>,
    /// The rule that is broken.
    pub rule: String,
}

/// A rule that a function breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenRule {
    /// The instruction, if the rule is about one.
    pub inst: Option<Inst>,
    /// The rule.
    pub rule: String,
}

/// After this many errors, the rest of a function is not checked.
const ERROR_LIMIT: usize = 50;

/// Checks a module at any stage.
///
/// # Errors
/// The broken rules.
pub fn verify(module: &Module) -> Result<(), Vec<VerifyError>> {
    verify_stage(module, Stage::Any)
}

/// Checks a module.
///
/// # Errors
/// The broken rules.
pub fn verify_stage(module: &Module, stage: Stage) -> Result<(), Vec<VerifyError>> {
    let mut errors = Vec::new();
    errors.extend(verify_declarations(module).err().into_iter().flatten());
    for (func, function) in module.functions.iter() {
        let rules = verify_function(module, func, stage);
        if rules.is_empty() {
            continue;
        }
        let numbering = Numbering::new(function);
        errors.extend(rules.into_iter().map(|BrokenRule { inst, rule }| VerifyError {
            function: function.name.clone(),
            inst: inst.map(|inst| numbering.inst_to_string(Some(module), function, inst)),
            rule,
        }));
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// Checks the names of functions, and the variables at module scope. With [`verify_function`] for each
/// function, this is all that [`verify_stage`] does.
///
/// # Errors
/// The broken rules.
pub fn verify_declarations(module: &Module) -> Result<(), Vec<VerifyError>> {
    let mut errors = Vec::new();
    let error = |name: &str, rule| VerifyError { function: name.to_owned(), inst: None, rule };
    let mut names = FxHashSet::default();
    for (_, global) in module.globals.iter() {
        let mut rules = Vec::new();
        if !names.insert(&global.name) {
            rules.push("there are two variables of this name".to_owned());
        }
        check_global(module, global, &mut rules);
        errors.extend(rules.into_iter().map(|rule| error(&global.name, rule)));
    }
    let mut names = FxHashSet::default();
    for (_, function) in module.functions.iter() {
        if !names.insert(&function.name) {
            errors.push(error(&function.name, "there are two functions of this name".to_owned()));
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// Checks one function; gives the broken rules. The functions that it calls must be declared.
#[must_use]
pub fn verify_function(module: &Module, func: Func, stage: Stage) -> Vec<BrokenRule> {
    let function = &module.functions[func];
    if let Err(rule) = check_indices(function) {
        return vec![BrokenRule { inst: None, rule }];
    }
    let mut verifier = Verifier { module, function, stage, errors: Vec::new() };
    verifier.signature();
    for (_, variable) in function.variables.iter() {
        verifier.variable(variable);
    }
    verifier.structure();
    verifier.errors
}

/// Whether memory can hold a value of this type.
fn is_memory_type(ty: Type) -> bool {
    match ty {
        Type::Scalar(scalar) | Type::Vector(scalar, _) => scalar != Scalar::Bool,
        Type::Pointer(_) | Type::Matrix(_) => true,
        Type::Void | Type::Image(_) | Type::Sampler => false,
    }
}

fn check_global(module: &Module, global: &GlobalData, rules: &mut Vec<String>) {
    use crate::AddressSpace::{Constant, Global, Local};
    if !matches!(global.space, Constant | Global | Local) {
        rules.push(format!(
            "a variable at module scope is in constant, global or local memory, not {}",
            global.space
        ));
    }
    if !global.align.is_power_of_two() {
        rules.push(format!("the alignment {} is not a power of two", global.align));
    }
    if global.space == Local && global.initializer != Initializer::None {
        rules.push("a local variable has no initialiser".into());
    }
    let Initializer::Bytes { bytes, relocations } = &global.initializer else { return };
    if bytes.len() as u64 != global.size {
        rules.push(format!("the initialiser has {} bytes, the variable {}", bytes.len(), global.size));
    }
    for relocation in relocations {
        if module.globals.get(relocation.target).is_none() {
            rules.push(format!("the pointer at byte {} points to no variable", relocation.offset));
        }
        if relocation.offset.checked_add(8).is_none_or(|end| end > global.size) {
            rules.push(format!("the pointer at byte {} is not inside the variable", relocation.offset));
        }
    }
}

/// Checks one function whose indices are known to be valid.
struct Verifier<'a> {
    module: &'a Module,
    function: &'a Function,
    stage: Stage,
    errors: Vec<BrokenRule>,
}

impl Verifier<'_> {
    fn ty(&self, value: Value) -> Type {
        self.function.ty(value)
    }

    /// Notes that a rule is broken.
    fn report(&mut self, inst: Option<Inst>, rule: String) {
        if self.errors.len() < ERROR_LIMIT {
            self.errors.push(BrokenRule { inst, rule });
        }
    }

    fn signature(&mut self) {
        let function = self.function;
        for (index, &param) in function.params.iter().enumerate() {
            if function.values[param].def != ValueDef::Param(index as u32) {
                self.report(None, format!("parameter {index} is not defined as that parameter"));
            }
            if let Err(rule) = check_value_type(self.ty(param)) {
                self.report(None, format!("parameter {index}: {rule}"));
            }
        }
        for &result in &function.results {
            if let Err(rule) = check_value_type(result) {
                self.report(None, format!("the function's result: {rule}"));
            }
        }
        if let Some(info) = &function.kernel {
            self.kernel(info);
        }
    }

    fn kernel(&mut self, info: &KernelInfo) {
        let function = self.function;
        if !function.results.is_empty() {
            self.report(None, "a kernel has no result".into());
        }
        for size in [info.required_work_group_size, info.work_group_size_hint].into_iter().flatten() {
            if size.contains(&0) {
                self.report(None, "a work-group size is not zero".into());
            }
        }
        if info.required_sub_groups == Some(0) {
            self.report(None, "a work-group has sub-groups".into());
        }
        // After arguments are read from where the device has them, a function has no parameters.
        if self.stage != Stage::Source && function.params.is_empty() {
            return;
        }
        if info.params.len() != function.params.len() {
            let (known, actual) = (info.params.len(), function.params.len());
            self.report(
                None,
                format!("the kernel's description has {known} parameters, the function {actual}"),
            );
        }
        for (index, (param, &value)) in info.params.iter().zip(&function.params).enumerate() {
            let ty = self.ty(value);
            if !kind_matches(&param.kind, ty) {
                self.report(None, format!("parameter {index} of type {ty} is described as {:?}", param.kind));
            }
            let align = if let KernelParamKind::Value { align, .. } = param.kind { align } else { 1 };
            if !align.is_power_of_two() {
                self.report(
                    None,
                    format!("the alignment of parameter {index}, {align}, is not a power of two"),
                );
            }
        }
    }

    fn variable(&mut self, variable: &VariableData) {
        use crate::ElementCount::{Fixed, Runtime};
        let name = &variable.name;
        if self.stage == Stage::Source {
            self.report(
                None,
                format!("variable {name}: there are no typed variables before memory is lowered"),
            );
        }
        let is_element = matches!(variable.element, Type::Scalar(_) | Type::Vector(_, 2..=4));
        if !is_element || !is_memory_type(variable.element) {
            self.report(None, format!("variable {name}: {} is not an element type", variable.element));
        }
        if matches!(variable.space, VariableSpace::StorageBuffer { .. }) != (variable.count == Runtime) {
            self.report(
                None,
                format!("variable {name}: storage buffers, and only they, have a run-time size"),
            );
        }
        if variable.initializer.is_empty() {
            return;
        }
        if variable.count != Fixed(variable.initializer.len() as u32) {
            self.report(None, format!("variable {name}: the initialiser has a constant for each element"));
        }
        for constant in &variable.initializer {
            if let Err(rule) = operations::check_constant(variable.element, constant) {
                self.report(None, format!("variable {name}: {rule}"));
            }
        }
    }
}

/// Whether a value can have this type at all.
fn check_value_type(ty: Type) -> Result<(), String> {
    match ty {
        Type::Void => Err("no value is of type void".into()),
        Type::Vector(_, lanes) if !matches!(lanes, 2 | 3 | 4 | 8 | 16) => {
            Err(format!("no vector has {lanes} lanes"))
        }
        _ => Ok(()),
    }
}

fn kind_matches(kind: &KernelParamKind, ty: Type) -> bool {
    use crate::AddressSpace::{Constant, Global, Local, Private};
    match kind {
        KernelParamKind::Buffer { .. } => matches!(ty, Type::Pointer(Global | Constant)),
        KernelParamKind::Pipe { .. } => ty == Type::Pointer(Global),
        KernelParamKind::Local { .. } => ty == Type::Pointer(Local),
        KernelParamKind::Value { size, .. } => match ty {
            Type::Scalar(scalar) => scalar != Scalar::Bool && scalar.size() == *size,
            Type::Vector(scalar, lanes) => {
                scalar != Scalar::Bool && scalar.size() * u32::from(lanes).next_power_of_two() == *size
            }
            Type::Pointer(space) => space == Private,
            Type::Void | Type::Image(_) | Type::Sampler | Type::Matrix(_) => false,
        },
        KernelParamKind::Image(image) => ty == Type::Image(*image),
        KernelParamKind::Sampler => ty == Type::Sampler,
        KernelParamKind::Queue => ty == Type::I64,
    }
}

/// How many regions an operation owns.
fn region_count(op: &Op) -> usize {
    match op {
        Op::If | Op::Loop(_) => 2,
        Op::Switch(cases) => cases.len() + 1,
        Op::Block => 1,
        _ => 0,
    }
}
