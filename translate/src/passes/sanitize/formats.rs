//! Checks that `printf` gets the arguments that its format takes (OpenCL C §6.15.14.2). Formats that are
//! known are read here, and others by functions of the library, in the functions that write the records.

use super::report::{Details, Reporter};
use super::when;
use crate::passes::cursor::Cursor;
use clvk_interface::PrintArgument;
use clvk_interface::print::check::{Mismatch, mismatch};
use clvk_interface::sanitize::Checked;
use clvk_ir::{
    AddressSpace, CompareOp, Func, Function, Inst, Module, Op, PRINT_FUNCTION, Scalar, Type, Value,
};
use rustc_hash::FxHashMap;

/// The most arguments that the library compares with a format.
const MOST: usize = 16;

/// The functions that write records, and how their formats are checked.
#[derive(Default)]
pub struct Printers {
    printers: FxHashMap<Func, Printer>,
}

struct Printer {
    arguments: Vec<PrintArgument>,
    check: FormatCheck,
}

enum FormatCheck {
    /// What is wrong is known.
    Known(Mismatch),
    /// This library function tells.
    Asked(Func),
}

impl Printers {
    /// Finds those whose format is wrong or not known, and declares the functions of the library.
    pub fn of(module: &mut Module) -> Printers {
        let mut found = Vec::new();
        for (func, function) in module.functions.iter().filter(|(_, function)| function.body.is_some()) {
            if !function.name.starts_with(PRINT_FUNCTION) {
                continue;
            }
            let number = function.insts.iter().find_map(|(_, data)| match data.op {
                Op::PrintNumber(number) => Some(number),
                _ => None,
            });
            let Some(format) = number.and_then(|number| module.print_formats.get(number as usize)) else {
                continue;
            };
            let known = format.text.as_deref().map(|text| mismatch(text, &format.arguments));
            let space = function.params.first().and_then(|&param| function.ty(param).address_space());
            found.push((func, known, space, format.arguments.clone()));
        }
        let mut printers = FxHashMap::default();
        for (func, known, space, arguments) in found {
            let check = match (known, space) {
                (Some(known), _) => known.map(FormatCheck::Known),
                (None, Some(space)) if arguments.len() <= MOST => {
                    Some(FormatCheck::Asked(library_function(module, space)))
                }
                _ => None,
            };
            printers.extend(check.map(|check| (func, Printer { arguments, check })));
        }
        Printers { printers }
    }

    /// Adds the check to such a function.
    pub fn check(&self, func: Func, function: &mut Function, reporter: &mut Reporter<'_>) {
        let Some(printer) = self.printers.get(&func) else { return };
        let checked = Checked::Format { arguments: printer.arguments.clone() };
        let format = function.params.first().copied();
        let mut cursor = Cursor::new(function);
        let mut done = false;
        while let Some(inst) = cursor.advance() {
            match printer.check {
                FormatCheck::Known(mismatch) if !done => {
                    let word = cursor.int(Type::I64, mismatch.word() as i64);
                    let details = Details { object: None, values: [Some(word), None] };
                    reporter.report(&mut cursor, checked.clone(), details);
                    done = true;
                }
                FormatCheck::Asked(callee) if !done && is_word_of(&cursor, inst, format) => {
                    cursor.keep(inst);
                    let word = cursor.result(inst);
                    printer.ask(&mut cursor, callee, word, checked.clone(), reporter);
                    done = true;
                    continue;
                }
                _ => {}
            }
            cursor.keep(inst);
        }
    }
}

/// Whether an instruction gives the word of a format.
fn is_word_of(cursor: &Cursor<'_>, inst: Inst, format: Option<Value>) -> bool {
    let data = &cursor.function.insts[inst];
    matches!(data.op, Op::StringWord { .. }) && data.operands.first().copied() == format
}

impl Printer {
    /// Asks the library about a format whose word is known.
    fn ask(
        &self,
        cursor: &mut Cursor<'_>,
        callee: Func,
        word: Value,
        checked: Checked,
        reporter: &mut Reporter<'_>,
    ) {
        let mut codes = [0u32; MOST / 4];
        for (index, argument) in self.arguments.iter().enumerate() {
            codes[index / 4] |= u32::from(argument.code()) << (index % 4 * 8);
        }
        let codes = codes.map(|code| cursor.int(Type::I32, code.into()));
        let codes = cursor.value(Op::Construct, &codes, CODES);
        let count = cursor.int(Type::I32, self.arguments.len() as i64);
        let format = cursor.function.params[0];
        let found = cursor.value(Op::Call(callee), &[format, word, codes, count], Type::I64);
        let zero = cursor.int(Type::I64, 0);
        let fails = cursor.compare(CompareOp::Ne, found, zero);
        when(cursor, fails, |cursor| {
            let details = Details { object: None, values: [Some(found), None] };
            reporter.report(cursor, checked, details);
        });
    }
}

const CODES: Type = Type::Vector(Scalar::I32, MOST as u8 / 4);

/// Declares the library function for formats in this memory.
fn library_function(module: &mut Module, space: AddressSpace) -> Func {
    let name = match space {
        AddressSpace::Private => "private",
        AddressSpace::Local => "local",
        AddressSpace::Global => "global",
        AddressSpace::Constant => "constant",
        AddressSpace::Generic => "generic",
    };
    let name = format!("__clvk_print_mismatch_{name}");
    if let Some(func) = module.function(&name) {
        return func;
    }
    let mut declared = Function::new(name, Some(Type::I64));
    for ty in [Type::Pointer(space), Type::I32, CODES, Type::I32] {
        declared.add_param(ty);
    }
    module.functions.push(declared)
}
