//! Calls of functions that the module imports and that are built-in functions of OpenCL C by their mangled
//! names. LLVM's translator 19 leaves those of C++ for OpenCL so.

use super::{Body, Definition};
use crate::binary::{Id, Instruction};
use crate::constant::Evaluator;
use crate::error::Error;
use crate::glue::{self, Spelled};
use crate::index::Linkage;
use crate::mangled::{Mangled, Param, demangle};
use crate::types::Ty;
use clvk_ir::{Op as IrOp, Scalar, Type};

/// An argument: its parameter, or a literal in the expression.
enum Argument {
    Passed(Spelled),
    Literal(String),
}

impl Body<'_, '_> {
    /// A call of a built-in function; gives whether it is one. Others stay imports.
    ///
    /// # Errors
    /// An argument is wrong.
    pub fn built_in_call(&mut self, instruction: &Instruction<'_>) -> Result<bool, Error> {
        let Some(name) = self.imported_name(instruction.operand(0)?) else { return Ok(false) };
        let Some(Mangled { name, params }) = demangle(&name) else { return Ok(false) };
        let arguments = &instruction.operands()[1..];
        let is_built_in = self.reader.wishes.is_built_in.is_some_and(|is_built_in| is_built_in(name));
        if !is_built_in || params.len() != arguments.len() {
            return Ok(false);
        }
        let ty = instruction.result_type().unwrap_or_default();
        let result = match &self.reader.index.type_of(ty, instruction)?.ty {
            Ty::Void => None,
            Ty::Object(name) => Some(glue::object(name)),
            _ => {
                let ty = self.reader.index.type_of(ty, instruction)?.value();
                let Some(spelled) = ty.and_then(|ty| glue::number(ty, false)) else { return Ok(false) };
                Some(spelled)
            }
        };
        let (mut passed, mut values, mut list) = (Vec::new(), Vec::new(), Vec::new());
        for (param, &id) in params.into_iter().zip(arguments) {
            match self.argument(param, id, instruction)? {
                None => return Ok(false),
                Some(Argument::Literal(text)) => list.push(text),
                Some(Argument::Passed(spelled)) => {
                    list.push(format!("a{}", passed.len()));
                    values.push(self.value(id, instruction)?);
                    passed.push(spelled);
                }
            }
        }
        let mut expression = format!("{name}({})", list.join(", "));
        // The signs of a vector's elements are not known, and vectors are not converted.
        if let Some(Spelled { text, ty: Type::Vector(..) }) = &result {
            expression = format!("as_{text}({expression})");
        }
        let func = self.glue_function(result.as_ref(), &passed, &expression);
        let inst = self.push(IrOp::Call(func), &values, result.map(|result| result.ty).as_slice());
        if let Some(&value) = self.function.insts[inst].results.first() {
            self.define(instruction, Definition::Value(value))?;
        }
        Ok(true)
    }

    /// The name of a function that another module would define.
    fn imported_name(&self, function: Id) -> Option<String> {
        let linkage = self.reader.index.linkage_kind(function)?;
        if linkage == Linkage::Imported { Some(self.reader.index.linkage(function)?.0) } else { None }
    }

    /// An argument as the function of OpenCL C takes it; `None` if it is of another type. Small integer
    /// constants are literals, because flags, orders and scopes must be known.
    fn argument(&self, param: Param, id: Id, user: &Instruction<'_>) -> Result<Option<Argument>, Error> {
        let ty = self.type_of_value(id, user)?;
        let data = self.reader.index.type_of(ty, user)?;
        let own = match &data.ty {
            Ty::Image(image) => Some(glue::image(*image)),
            Ty::Sampler => Some(glue::sampler()),
            Ty::Object(name) if param.text == *name => Some(glue::object(name)),
            _ => None,
        };
        if let Some(own) = own {
            let is_it = param.ty.is_none()
                && (matches!(own.ty, Type::Image(_)) == param.text.starts_with("ocl_image"));
            return Ok(Some(Argument::Passed(own)).filter(|_| is_it));
        }
        let value = data.value();
        let is_enumeration = matches!(param.text.as_str(), "memory_order" | "memory_scope");
        let expected = if is_enumeration { Some(Type::I32) } else { param.ty };
        let Some(ty) = value.filter(|&ty| Some(ty) == expected) else { return Ok(None) };
        if ty == Type::Scalar(Scalar::I32)
            && self.locals.get(id).is_none()
            && let Some(bits) = Evaluator::new(self.reader.index).scalar(id)?
        {
            return Ok(Some(Argument::Literal(format!("({}){}u", param.text, bits as u32))));
        }
        Ok(Some(Argument::Passed(Spelled { text: param.text, ty })))
    }
}
