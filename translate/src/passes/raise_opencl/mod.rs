//! Raises the IR to SPIR-V for OpenCL, which has nearly all of it: memory, launches, calls, vectors of 16
//! lanes and exits from any depth stay as they are.
//!
//! - [`built_ins`] comes first: it decides which library functions remain calls, because the device has
//!   instructions for them ([`crate::counterparts`]), and refuses what such modules cannot express;
//! - [`run`] comes last and replaces what has no instruction. After it the module is in
//!   [`Stage::RaisedForOpenCl`](clvk_ir::verify::Stage::RaisedForOpenCl).

mod refuse;

use super::cursor::{Cursor, replace_where};
use super::raise_spirv::integers;
use super::{Context, lower_elementwise};
use crate::TranslateError;
use crate::counterparts::{Counterpart, counterpart};
use clvk_ir::{
    BinaryOp, Builder, CompareOp, ConvertOp, Func, Function, Inst, Module, Op, Type, Value, WorkItemQuery,
};

/// The functions that a host or another module can name: the kernels and, if no kernels are chosen, the
/// functions that are not internal.
pub fn roots(module: &Module, chosen: &[String]) -> Vec<Func> {
    let is_root = |func: &Func| {
        let function = &module.functions[*func];
        let is_library = chosen.is_empty() && !module.linkage.internal_functions.contains(&function.name);
        match &function.kernel {
            Some(kernel) => !kernel.is_block,
            None => is_library && function.body.is_some(),
        }
    };
    module.functions.ids().filter(is_root).collect()
}

/// See the module.
///
/// # Errors
/// What such modules cannot express.
pub fn built_ins(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    print(context.module);
    let errors = refuse::find(context.module, &roots(context.module, &context.options.kernels));
    if !errors.is_empty() {
        return Err(errors);
    }
    let of_colours: Vec<Func> = context.module.functions.iter().filter(is_colour).map(|it| it.0).collect();
    for (_, function) in context.module.functions.iter_mut() {
        replace_where(function, |cursor, inst| match cursor.function.insts[inst].op {
            Op::Call(callee) if of_colours.contains(&callee) => Some(cursor.operand(inst, 0)),
            _ => None,
        });
    }
    Ok(())
}

/// Leaves of the functions that are calls of `printf` only what they print: devices have a `printf`.
fn print(module: &mut Module) {
    for func in module.functions.ids() {
        let Some(format) = module.printed_format(func) else { continue };
        let function = &module.functions[func];
        let mut body = Function::new(function.name.clone(), function.result());
        body.span = function.span;
        for &param in &function.params {
            body.add_param(function.ty(param));
        }
        let region = body.add_region();
        body.body = Some(region);
        let mut builder = Builder::new(&mut body, region);
        let number = builder.value(Op::PrintNumber(format), &[], Type::I32);
        builder.push(Op::Return, &[number], &[]);
        module.functions[func] = body;
    }
}

fn is_colour((_, function): &(Func, &Function)) -> bool {
    counterpart(&function.name) == Some(Counterpart::Colour)
}

/// Lowers element-wise calls of functions that the device does not have.
///
/// # Errors
/// None.
pub fn lower_elementwise(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    lower_elementwise::lower(context.module, |callee| counterpart(&callee.name).is_none());
    Ok(())
}

/// See the module.
///
/// # Errors
/// None.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    for (_, function) in context.module.functions.iter_mut().filter(|(_, it)| it.body.is_some()) {
        replace_where(function, |cursor, inst| match cursor.function.insts[inst].op {
            Op::Binary(op) => {
                integers::shift(cursor, inst, op);
                None
            }
            Op::Compare(_) => {
                compare_addresses(cursor, inst);
                None
            }
            Op::WorkItem(query) => launch_query(cursor, inst, query),
            _ => None,
        });
    }
    Ok(())
}

/// Compares addresses as integers, because pointers cannot be compared before SPIR-V 1.4.
fn compare_addresses(cursor: &mut Cursor<'_>, inst: Inst) {
    for position in 0..2 {
        let operand = cursor.operand(inst, position);
        if cursor.function.ty(operand).is_pointer() {
            let address = cursor.convert(ConvertOp::PointerToInt, operand, Type::I64);
            cursor.function.insts[inst].operands[position] = address;
        }
    }
}

/// Dimensions beyond the third have one work-item (OpenCL C §6.15.1), but SPIR-V's vectors have three lanes.
fn launch_query(cursor: &mut Cursor<'_>, inst: Inst, query: WorkItemQuery) -> Option<Value> {
    use WorkItemQuery::{EnqueuedLocalSize, GlobalSize, LocalSize, NumGroups};
    let &dimension = cursor.function.insts[inst].operands.first()?;
    let dimension = cursor.get(dimension);
    if cursor.function.is_below(dimension, 3) {
        return None;
    }
    let is_size = matches!(query, GlobalSize | LocalSize | EnqueuedLocalSize | NumGroups);
    let ty = cursor.function.ty(cursor.result(inst));
    let beyond = cursor.int(ty, i64::from(is_size));
    let last = cursor.int(Type::I32, 2);
    let nearest = cursor.binary(BinaryOp::UMin, dimension, last);
    let known = cursor.value(Op::WorkItem(query), &[nearest], ty);
    let exists = cursor.compare(CompareOp::ULe, dimension, last);
    Some(cursor.select(exists, known, beyond))
}
