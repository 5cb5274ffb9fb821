//! Marks: calls of functions without a body, whose first operand is the mark's number. They outlive the
//! passes up to [`super::kernels`], in their places of the control flow.

use super::parts::Parts;
use super::{MARK, Measuring};
use crate::passes::cursor::Cursor;
use clvk_interface::measure::{Kind, Point};
use clvk_ir::{Func, Function, Inst, Module, Op, PRINT_FUNCTION, Scalar, Span, Type, Value};
use rustc_hash::FxHashMap;

/// The functions of the program, without those that print.
fn program(module: &Module) -> Vec<Func> {
    let functions = module.functions.iter();
    let own = functions
        .filter(|(_, function)| function.body.is_some() && !function.name.starts_with(PRINT_FUNCTION));
    own.map(|(func, _)| func).collect()
}

/// Declares a function whose calls are marks.
fn declare(module: &mut Module, name: &str, value: Option<Type>) -> Func {
    let mut function = Function::new(format!("{MARK}{name}"), None);
    function.add_param(Type::I32);
    if let Some(ty) = value {
        function.add_param(ty);
    }
    module.functions.push(function)
}

/// Puts a mark into each part of each function, which represents the places of its instructions.
pub fn lines(module: &mut Module, measuring: &mut Measuring) {
    let functions = program(module);
    let mark = declare(module, "mark", None);
    for func in functions {
        let function = &mut module.functions[func];
        let parts = Parts::of(function);
        let first = measuring.marks.len();
        measuring.marks.resize(first + parts.count() as usize, Vec::new());
        function.walk(|inst, data| {
            // A variable exists from the start of the function, wherever it is declared.
            if let Some(part) = parts.part(inst)
                && data.span != Span::NONE
                && !matches!(data.op, Op::Alloca { .. })
            {
                measuring.marks[first + part as usize].push(data.span);
            }
        });
        for spans in &mut measuring.marks[first..] {
            spans.sort_unstable();
            spans.dedup();
        }
        let mut cursor = Cursor::new(function);
        while let Some(inst) = cursor.advance() {
            if let Some(part) = parts.begins(inst) {
                let number = cursor.int(Type::I32, (first + part as usize) as i64);
                cursor.push(Op::Call(mark), &[number], &[], &[]);
            }
            cursor.keep(inst);
        }
    }
}

/// The variable that a pointer reaches, and the bytes from its start, if they are known.
#[derive(Default)]
struct Target {
    variable: (u32, u32),
    offset: Option<u64>,
    /// Whether it is known which one.
    is_known: bool,
}

fn target(function: &Function, pointer: Value) -> Target {
    let (mut pointer, mut offset) = (pointer, Some(0i64));
    while let Some(inst) = function.defining_inst(pointer) {
        let data = &function.insts[inst];
        match data.op {
            Op::PointerOffset(bytes) => offset = offset.and_then(|offset| offset.checked_add(bytes)),
            Op::PointerIndex { .. } => offset = None,
            Op::Within(_) => {}
            Op::Alloca { .. } => {
                let variable = (data.span.start, data.span.end);
                let offset = offset.and_then(|offset| u64::try_from(offset).ok());
                return Target { variable, offset, is_known: true };
            }
            _ => break,
        }
        pointer = data.operands[0];
    }
    Target::default()
}

/// How a value's words are read; none if it is not traced.
fn kind(ty: Type) -> Option<(Kind, u32)> {
    let kind = match ty {
        Type::Scalar(scalar) | Type::Vector(scalar, _) => match scalar {
            Scalar::Bool => Kind::Bool,
            scalar if scalar.is_float() => Kind::Float(scalar.bits()),
            scalar => Kind::Int(scalar.bits()),
        },
        _ => return None,
    };
    Some((kind, ty.lanes()))
}

/// Marks the values that are stored in variables that are meant, and with `all` those that are stored
/// elsewhere and the conditions too.
pub fn values(
    module: &mut Module,
    measuring: &mut Measuring,
    is_meant: &dyn Fn((u32, u32)) -> bool,
    all: bool,
) {
    let mut functions: FxHashMap<Type, Func> = FxHashMap::default();
    for func in program(module) {
        let mut found: FxHashMap<Inst, (Value, u32)> = FxHashMap::default();
        let function = &module.functions[func];
        function.walk(|inst, _| {
            let Some((value, point)) = point(function, inst, is_meant, all) else { return };
            found.insert(inst, (value, measuring.measured.points.len() as u32));
            measuring.measured.points.push(point);
        });
        let types: Vec<Type> = found.values().map(|(value, _)| function.ty(*value)).collect();
        for ty in types {
            if !functions.contains_key(&ty) {
                let name = format!("value.{}", functions.len());
                functions.insert(ty, declare(module, &name, Some(ty)));
            }
        }
        let mut cursor = Cursor::new(&mut module.functions[func]);
        while let Some(inst) = cursor.advance() {
            let is_store = matches!(cursor.function.insts[inst].op, Op::Store { .. });
            if is_store {
                cursor.keep(inst);
            }
            if let Some(&(value, number)) = found.get(&inst) {
                let number = cursor.int(Type::I32, number.into());
                let function = functions[&cursor.function.ty(value)];
                cursor.push(Op::Call(function), &[number, value], &[], &[]);
            }
            if !is_store {
                cursor.keep(inst);
            }
        }
    }
}

/// What an instruction stores or decides by.
fn point(
    function: &Function,
    inst: Inst,
    is_meant: &dyn Fn((u32, u32)) -> bool,
    all: bool,
) -> Option<(Value, Point)> {
    let data = &function.insts[inst];
    let (value, target, decides, is_wanted) = match data.op {
        Op::Store { .. } => {
            let target = target(function, data.operands[0]);
            let is_wanted = if target.is_known { is_meant(target.variable) } else { all };
            (data.operands[1], target, false, is_wanted)
        }
        Op::If | Op::Switch(_) => (data.operands[0], Target::default(), true, all),
        _ => return None,
    };
    if !is_wanted || data.span == Span::NONE {
        return None;
    }
    let (kind, lanes) = kind(function.ty(value))?;
    let span = (data.span.start, data.span.end);
    let Target { variable, offset, .. } = target;
    Some((value, Point { variable, name: String::new(), offset, kind, lanes, decides, span, place: None }))
}
