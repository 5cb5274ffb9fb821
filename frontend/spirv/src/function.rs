//! Functions and kernels: their declarations.
//!
//! Calling conventions are those of the OpenCL C front end: an aggregate parameter is a private pointer to an
//! object that the function does not change, and an aggregate result is written through a private pointer
//! that is the first parameter.

use crate::binary::{Id, Instruction};
use crate::error::Error;
use crate::index::{EntryPoint, Linkage};
use crate::types::Ty;
use crate::{Reader, glue};
use clvk_ir::{AddressSpace, Func, Function, KernelInfo, KernelParam, KernelParamKind, Scalar, Type};
use rspirv::spirv::{Decoration, ExecutionMode, FunctionParameterAttribute, Op};

impl<'w> Reader<'w> {
    /// The function of the IR for one of the module; it is read later.
    ///
    /// # Errors
    /// It does not exist, or its types are not supported.
    pub fn function(&mut self, id: Id) -> Result<Func, Error> {
        if let Some(&func) = self.functions.get(&id) {
            return Ok(func);
        }
        let linkage = self.index.linkage(id);
        let name = linkage.as_ref().map(|(name, _)| name.clone()).or_else(|| self.index.name(id));
        let name = self.free_name(name, id);
        let linkage = linkage.map(|(_, linkage)| linkage);
        match linkage {
            None => drop(self.module.linkage.internal_functions.insert(name.clone())),
            Some(Linkage::Repeated) => drop(self.module.linkage.repeated.insert(name.clone())),
            Some(_) => {}
        }
        let func = self.declare(id, name)?;
        self.functions.insert(id, func);
        if linkage != Some(Linkage::Imported) {
            self.waiting.push((id, func));
        }
        Ok(func)
    }

    /// Declares the kernel of an entry point.
    ///
    /// # Errors
    /// Its types are not supported.
    pub fn declare_kernel(&mut self, entry: usize) -> Result<(), Error> {
        let EntryPoint { ref name, function: id, at } = self.index.entry_points[entry];
        let name = name.clone();
        let instruction = self.index.instructions_from(at).next().expect("the index has read it")?;
        if !self.names.insert(name.clone()) {
            return Err(instruction.error(format!("two kernels are called `{name}`")));
        }
        let func = self.declare(id, name.clone()).map_err(|error| error.used_by(&instruction))?;
        self.module.functions[func].kernel = Some(self.kernel_info(id, &name)?);
        self.functions.entry(id).or_insert(func);
        self.waiting.push((id, func));
        Ok(())
    }

    /// `OpFunction`.
    pub fn definition_of_function(&self, id: Id) -> Result<Instruction<'w>, Error> {
        let at = self.index.function(id);
        let found = at.and_then(|at| self.index.instructions_from(at).next()).and_then(Result::ok);
        found.ok_or_else(|| Error::of_module(format!("%{id} is not a function")))
    }

    fn declare(&mut self, id: Id, name: String) -> Result<Func, Error> {
        let definition = self.definition_of_function(id)?;
        let (result, params) = self.index.function_type(definition.operand(1)?, &definition)?;
        let result = self.index.type_of(result, &definition)?;
        let mut function = Function::new(name, if result.is_aggregate() { None } else { result.value() });
        if result.is_aggregate() {
            function.add_param(Type::Pointer(AddressSpace::Private));
        }
        for &param in params {
            let data = self.index.type_of(param, &definition)?;
            let ty =
                if data.is_aggregate() { Some(Type::Pointer(AddressSpace::Private)) } else { data.value() };
            function.add_param(ty.ok_or_else(|| unsupported(&data.ty, &definition))?);
        }
        Ok(self.module.functions.push(function))
    }

    /// The ids and instructions of a function's parameters.
    pub fn parameters(&self, id: Id) -> Vec<Instruction<'w>> {
        let Some(at) = self.index.function(id) else { return Vec::new() };
        let rest = self.index.instructions_from(at).skip(1).map_while(Result::ok);
        rest.filter(|it| it.op() != Some(Op::Line))
            .take_while(|it| it.op() == Some(Op::FunctionParameter))
            .collect()
    }

    fn kernel_info(&self, id: Id, name: &str) -> Result<KernelInfo, Error> {
        let size = |mode: ExecutionMode| {
            let words = self.index.mode(id, mode as u32)?;
            Some([*words.first()?, *words.get(1)?, *words.get(2)?])
        };
        let sizes_by_id = self.index.mode(id, ExecutionMode::LocalSizeId as u32);
        let definition = self.definition_of_function(id)?;
        let mut required = size(ExecutionMode::LocalSize);
        if let Some([x, y, z]) = sizes_by_id {
            let of = |id: u32| self.index.integer(id, &definition).map(|size| size as u32);
            required = Some([of(*x)?, of(*y)?, of(*z)?]);
        }
        for mode in [
            ExecutionMode::RoundingModeRTZ,
            ExecutionMode::RoundingModeRTPINTEL,
            ExecutionMode::RoundingModeRTNINTEL,
        ] {
            if self.index.mode(id, mode as u32).is_some() {
                return Err(definition.error(format!("the execution mode {mode:?} is not supported")));
            }
        }
        if let Some(&[wanted, ..]) = self.index.mode(id, ExecutionMode::SubgroupSize as u32)
            && let Some(known) = self.wishes.sub_group_size
            && wanted != known
        {
            return Err(definition.error(format!(
                "the kernel requires sub-groups of {wanted} work-items, and those of the device have {known}"
            )));
        }
        let hook = self.index.hook(id);
        let params = self.parameters(id);
        if hook.is_some() && !params.is_empty() {
            return Err(definition.error("an initializer or finalizer has parameters"));
        }
        let params = params.iter().enumerate().map(|(number, param)| self.kernel_param(name, number, param));
        Ok(KernelInfo {
            params: params.collect::<Result<_, _>>()?,
            required_work_group_size: required.filter(|size| !size.contains(&0)),
            uniform_work_groups: self.wishes.uniform_work_groups,
            flush_subnormals: self.wishes.flush_subnormals,
            work_group_size_hint: size(ExecutionMode::LocalSizeHint).filter(|size| !size.contains(&0)),
            vec_type_hint: None,
            required_sub_groups: self.required_sub_groups(id, &definition)?,
            is_block: false,
            hook,
        })
    }

    /// The number of sub-groups that each work-group of a kernel must have.
    fn required_sub_groups(&self, id: Id, definition: &Instruction<'_>) -> Result<Option<u32>, Error> {
        let literal = self.index.mode(id, ExecutionMode::SubgroupsPerWorkgroup as u32);
        let count = match self.index.mode(id, ExecutionMode::SubgroupsPerWorkgroupId as u32) {
            Some(&[count, ..]) => Some(self.index.integer(count, definition)?),
            _ => literal.and_then(|words| words.first()).map(|&count| u64::from(count)),
        };
        match count.map(u32::try_from) {
            None => Ok(None),
            Some(Ok(count @ 1..)) => Ok(Some(count)),
            Some(_) => Err(definition.error("the kernel requires a wrong number of sub-groups")),
        }
    }

    fn kernel_param(
        &self,
        kernel: &str,
        number: usize,
        param: &Instruction<'w>,
    ) -> Result<KernelParam, Error> {
        let id = param.result().unwrap_or_default();
        let data = self.index.type_of(param.result_type().unwrap_or_default(), param)?;
        let has = |attribute: FunctionParameterAttribute| {
            let mut attributes = self.index.decorations_of(id, Decoration::FuncParamAttr);
            attributes.any(|words| words.first() == Some(&(attribute as u32)))
        };
        let read_only = has(FunctionParameterAttribute::NoWrite)
            || self.index.decoration(id, Decoration::NonWritable).is_some()
            || self.index.decoration(id, Decoration::Constant).is_some();
        let restrict = has(FunctionParameterAttribute::NoAlias)
            || self.index.decoration(id, Decoration::Restrict).is_some();
        let volatile = self.index.decoration(id, Decoration::Volatile).is_some();
        let value = |size: u64, align: u64| KernelParamKind::Value { size: size as u32, align: align as u32 };
        let mut target = None;
        let kind = match &data.ty {
            Ty::Pointer { space, pointee } => {
                let pointee = pointee.map(|pointee| self.index.type_of(pointee, param)).transpose()?;
                target = pointee.and_then(|pointee| pointee.in_memory());
                match space {
                    AddressSpace::Global => KernelParamKind::Buffer { read_only, restrict, volatile },
                    AddressSpace::Constant => KernelParamKind::Buffer { read_only: true, restrict, volatile },
                    AddressSpace::Local => KernelParamKind::Local { read_only, restrict, volatile },
                    AddressSpace::Private => match pointee {
                        Some(pointee) => value(pointee.size, pointee.align),
                        None => return Err(param.error("the size of this argument is not known")),
                    },
                    AddressSpace::Generic => return Err(param.error("kernels do not take generic pointers")),
                }
            }
            Ty::Image(image) => KernelParamKind::Image(*image),
            Ty::Sampler => KernelParamKind::Sampler,
            Ty::Pipe { writes } => KernelParamKind::Pipe { writes: *writes },
            Ty::Object("queue_t") => KernelParamKind::Queue,
            Ty::Bool => return Err(param.error("kernels do not take truth values")),
            Ty::Matrix(_) => return Err(param.error("kernels do not take cooperative matrices")),
            ty if data.is_aggregate() || data.value().is_some() && !matches!(ty, Ty::Object(_)) => {
                target = data.value();
                value(data.size, data.align)
            }
            ty => return Err(unsupported(ty, param)),
        };
        let element = target.and_then(|ty| Some((ty.scalar()?, ty.lanes())));
        let spelled = self.index.argument_type(kernel, number);
        let type_name = spelled.unwrap_or_else(|| match data.ty {
            Ty::Object(name) => name.to_owned(),
            Ty::Pipe { .. } => "pipe".to_owned(),
            _ => spell(data.value(), target),
        });
        let signed =
            !type_name.starts_with('u') && element.is_some_and(|(scalar, _): (Scalar, u32)| scalar.is_int());
        let name = self.index.name(id).unwrap_or_else(|| format!("arg{number}"));
        Ok(KernelParam { name, type_name, element, signed, kind, max_size: None })
    }
}

/// The type of an argument as OpenCL C spells it, as far as the module tells.
fn spell(value: Option<Type>, target: Option<Type>) -> String {
    let name = |ty: Option<Type>| {
        ty.and_then(|ty| glue::number(ty, true)).map_or_else(|| "void".to_owned(), |it| it.text)
    };
    match value {
        Some(Type::Pointer(AddressSpace::Private)) | None => "struct".to_owned(),
        Some(Type::Pointer(_)) => format!("{}*", name(target)),
        Some(Type::Image(image)) => image.dimension.type_name(),
        Some(Type::Sampler) => "sampler_t".to_owned(),
        other => name(other),
    }
}

/// The error about values of a type that are not supported.
pub fn unsupported(ty: &Ty, user: &Instruction<'_>) -> Error {
    let what = match ty {
        Ty::Void => "a value without type",
        Ty::SampledImage => "an image combined with a sampler",
        Ty::Function { .. } => "a function",
        Ty::Other(what) => what,
        _ => "a value of this type",
    };
    user.error(format!("{what} is not supported here"))
}
