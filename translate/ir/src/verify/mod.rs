//! The verifier: checks the invariants that the crate's documentation lists.
//!
//! [`mod@self`] walks the regions and checks structure and scopes; `types` checks the operands and results of each
//! operation. Nothing recurses: nesting costs memory, not stack.

mod types;

use crate::{
    Constant, EntityId, Func, Function, Inst, KernelParamKind, Module, Op, Region, Type, Value, ValueDef,
};

/// What a module may contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// What the front end makes: no target operations.
    Source,
    /// Anything.
    Any,
}

/// An invariant that does not hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("function `{function}`{}: {rule}", inst.as_ref().map_or(String::new(), |text| format!(", `{text}`")))]
pub struct VerifyError {
    /// Function.
    pub function: String,
    /// The instruction.
    pub inst: Option<String>,
    /// The rule that is broken.
    pub rule: String,
}

/// Checks a module at any stage.
///
/// # Errors
/// Everything that is wrong, at most a few per function.
pub fn verify(module: &Module) -> Result<(), Vec<VerifyError>> {
    verify_stage(module, Stage::Any)
}

/// Checks a module.
///
/// # Errors
/// Everything that is wrong, at most a few per function.
pub fn verify_stage(module: &Module, stage: Stage) -> Result<(), Vec<VerifyError>> {
    let mut errors = Vec::new();
    for func in module.functions.ids() {
        errors.extend(verify_function(module, func, stage));
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// Errors that are reported of one function.
const ERRORS: usize = 16;

/// Checks one function.
#[must_use]
pub fn verify_function(module: &Module, func: Func, stage: Stage) -> Vec<VerifyError> {
    let function = &module.functions[func];
    let mut verifier = Verifier {
        module,
        function,
        stage,
        errors: Vec::new(),
        visible: vec![false; function.values.len()],
        placed: vec![false; function.insts.len()],
        entered: vec![false; function.regions.len()],
    };
    verifier.signature();
    verifier.constants();
    if let Some(body) = function.body {
        verifier.body(body);
    }
    verifier.errors
}

struct Verifier<'m> {
    module: &'m Module,
    function: &'m Function,
    stage: Stage,
    errors: Vec<VerifyError>,
    visible: Vec<bool>,
    placed: Vec<bool>,
    entered: Vec<bool>,
}

/// A region that is being walked.
struct Frame {
    region: Region,
    position: usize,
    /// The instruction that owns it, and which of its regions it is.
    owner: Option<(Inst, usize)>,
    /// What became visible in it.
    defined: Vec<Value>,
}

impl Verifier<'_> {
    fn fail(&mut self, inst: Option<Inst>, rule: impl Into<String>) {
        if self.errors.len() < ERRORS {
            let inst = inst.map(|inst| format!("{:?} {:?}", inst, self.function.insts[inst].op));
            self.errors.push(VerifyError { function: self.function.name.clone(), inst, rule: rule.into() });
        }
    }

    fn signature(&mut self) {
        for (index, &param) in self.function.params.iter().enumerate() {
            let known = self.function.values.get(param).map(|value| &value.def);
            if known != Some(&ValueDef::Param(index as u32)) {
                self.fail(None, format!("parameter {index} is not defined as such"));
            }
        }
        if self.function.result == Some(Type::Void) {
            self.fail(None, "a function without result has `None` as its type");
        }
        let Some(kernel) = &self.function.kernel else { return };
        if kernel.params.len() != self.function.params.len() {
            return self.fail(None, "a kernel describes each of its parameters");
        }
        for (info, &param) in kernel.params.iter().zip(&self.function.params) {
            let Some(ty) = self.function.values.get(param).map(|value| value.ty) else { continue };
            let fits = match &info.kind {
                KernelParamKind::Buffer { .. } | KernelParamKind::Local => ty.is_pointer(),
                KernelParamKind::Image(_) => matches!(ty, Type::Image(_)),
                KernelParamKind::Sampler => ty == Type::Sampler,
                KernelParamKind::Value { .. } => !matches!(ty, Type::Image(_) | Type::Sampler | Type::Void),
            };
            if !fits {
                self.fail(None, format!("kernel parameter `{}` is described as {:?} but is {ty:?}", info.name, info.kind));
            }
        }
    }

    fn constants(&mut self) {
        for (value, data) in self.function.values.iter() {
            let fits = match &data.def {
                ValueDef::Constant(constant) => constant_fits(constant, data.ty),
                ValueDef::Global(global) => {
                    let space = self.module.globals.get(*global).map(|global| Type::Pointer(global.space));
                    space == Some(data.ty)
                }
                ValueDef::Param(_) => {
                    self.visible[value.index()] = true;
                    continue;
                }
                _ => continue,
            };
            self.visible[value.index()] = true;
            if !fits {
                self.fail(None, format!("{value:?} of type {:?} is {:?}", data.ty, data.def));
            }
        }
    }

    fn body(&mut self, body: Region) {
        let mut frames = Vec::new();
        // Instructions whose regions are being walked: they define their results when that is done.
        self.enter(&mut frames, body, None);
        while let Some(frame) = frames.last_mut() {
            let insts = &self.function.regions[frame.region].insts;
            let Some(&inst) = insts.get(frame.position) else {
                let frame = frames.pop().expect("the loop found it");
                self.leave(&frame, &mut frames);
                continue;
            };
            let is_last = frame.position + 1 == insts.len();
            frame.position += 1;
            if self.function.insts.get(inst).is_none() {
                self.fail(None, format!("a region names {inst:?}, which does not exist"));
                continue;
            }
            if std::mem::replace(&mut self.placed[inst.index()], true) {
                self.fail(Some(inst), "an instruction stands in one place only");
                continue;
            }
            self.instruction(inst, &frames, is_last);
            let data = &self.function.insts[inst];
            match data.regions.first() {
                Some(&first) => self.enter(&mut frames, first, Some((inst, 0))),
                None => self.define(inst, frames.last_mut().expect("the frame is still there")),
            }
        }
    }

    fn enter(&mut self, frames: &mut Vec<Frame>, region: Region, owner: Option<(Inst, usize)>) {
        let mut frame = Frame { region, position: 0, owner, defined: Vec::new() };
        let Some(data) = self.function.regions.get(region) else {
            self.fail(owner.map(|(inst, _)| inst), format!("{region:?} does not exist"));
            return self.next_region(owner, frames);
        };
        if std::mem::replace(&mut self.entered[region.index()], true) {
            self.fail(owner.map(|(inst, _)| inst), format!("{region:?} is used twice"));
            return self.next_region(owner, frames);
        }
        for (index, &param) in data.params.iter().enumerate() {
            let known = self.function.values.get(param).map(|value| &value.def);
            if known != Some(&ValueDef::RegionParam(region, index as u32)) {
                self.fail(None, format!("parameter {index} of {region:?} is not defined as such"));
                continue;
            }
            self.visible[param.index()] = true;
            frame.defined.push(param);
        }
        frames.push(frame);
    }

    fn leave(&mut self, frame: &Frame, frames: &mut Vec<Frame>) {
        let terminated = self.function.terminator(frame.region).and_then(|inst| self.function.insts.get(inst));
        if !terminated.is_some_and(|inst| inst.op.is_terminator()) {
            self.fail(frame.owner.map(|(inst, _)| inst), format!("{:?} has no terminator", frame.region));
        }
        for &value in &frame.defined {
            self.visible[value.index()] = false;
        }
        self.next_region(frame.owner, frames);
    }

    /// Goes on with the next region of an instruction, or with what follows it.
    fn next_region(&mut self, owner: Option<(Inst, usize)>, frames: &mut Vec<Frame>) {
        let Some((inst, index)) = owner else { return };
        match self.function.insts[inst].regions.get(index + 1) {
            Some(&next) => self.enter(frames, next, Some((inst, index + 1))),
            None => {
                if let Some(frame) = frames.last_mut() {
                    self.define(inst, frame);
                }
            }
        }
    }

    fn define(&mut self, inst: Inst, frame: &mut Frame) {
        for (index, &result) in self.function.insts[inst].results.iter().enumerate() {
            let known = self.function.values.get(result).map(|value| &value.def);
            if known != Some(&ValueDef::Result(inst, index as u32)) {
                self.fail(Some(inst), format!("result {index} is not defined as such"));
                continue;
            }
            self.visible[result.index()] = true;
            frame.defined.push(result);
        }
    }

    fn instruction(&mut self, inst: Inst, frames: &[Frame], is_last: bool) {
        let data = &self.function.insts[inst];
        for &operand in &data.operands {
            if !self.visible.get(operand.index()).copied().unwrap_or(false) {
                return self.fail(Some(inst), format!("{operand:?} is not visible here"));
            }
        }
        if data.op.is_terminator() != is_last {
            self.fail(Some(inst), "a terminator stands at the end of a region, and only there");
        }
        if self.stage == Stage::Source && data.op.is_target() {
            self.fail(Some(inst), "target operations appear only during translation");
        }
        if let Err(rule) = self.jump(inst, frames) {
            return self.fail(Some(inst), rule);
        }
        if let Err(rule) = types::check(self.module, self.function, data) {
            self.fail(Some(inst), rule);
        }
    }

    /// Targets of terminators, and what they pass.
    fn jump(&self, inst: Inst, frames: &[Frame]) -> Result<(), String> {
        let data = &self.function.insts[inst];
        let owner = |target: Inst| {
            frames.iter().rev().filter_map(|frame| frame.owner).find(|(owner, _)| *owner == target)
        };
        let wanted: Vec<Type> = match &data.op {
            Op::Exit(target) => {
                owner(*target).ok_or_else(|| format!("{target:?} does not enclose this exit"))?;
                self.function.insts[*target].results.iter().map(|&value| self.function.ty(value)).collect()
            }
            Op::Continue(target) => {
                let (_, region) = owner(*target).ok_or_else(|| format!("{target:?} does not enclose this"))?;
                let target = &self.function.insts[*target];
                if target.op != Op::Loop || region != 0 {
                    return Err("`continue` stands in the body of a loop".to_owned());
                }
                self.region_params(target.regions[1])?
            }
            Op::NextIteration => {
                let frame = frames.last().and_then(|frame| frame.owner);
                let Some((target, 1)) = frame else {
                    return Err("`next` ends the continuing region of a loop".to_owned());
                };
                let target = &self.function.insts[target];
                if target.op != Op::Loop {
                    return Err("`next` ends the continuing region of a loop".to_owned());
                }
                self.region_params(target.regions[0])?
            }
            Op::Return => self.function.result.into_iter().collect(),
            Op::Unreachable => Vec::new(),
            _ => return Ok(()),
        };
        let given: Vec<Type> = data.operands.iter().map(|&value| self.function.ty(value)).collect();
        if given == wanted { Ok(()) } else { Err(format!("passes {given:?} where {wanted:?} is wanted")) }
    }

    fn region_params(&self, region: Region) -> Result<Vec<Type>, String> {
        let data = self.function.regions.get(region).ok_or_else(|| format!("{region:?} does not exist"))?;
        Ok(data.params.iter().map(|&value| self.function.ty(value)).collect())
    }
}

fn constant_fits(constant: &Constant, ty: Type) -> bool {
    match (constant, ty) {
        (Constant::Bits(bits), Type::Scalar(scalar)) => bits & !scalar.mask() == 0,
        (Constant::Bits(_), Type::Pointer(_)) => true,
        (Constant::Lanes(bits), Type::Vector(scalar, lanes)) => {
            bits.len() == usize::from(lanes) && bits.iter().all(|bits| bits & !scalar.mask() == 0)
        }
        (Constant::Undef, ty) => ty != Type::Void,
        _ => false,
    }
}
