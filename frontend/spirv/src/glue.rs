//! Built-in functions: what OpenCL C can say in one expression becomes a function of OpenCL C, which the
//! front end of that language compiles. Both languages thus share one table of built-in functions, one
//! lowering and one library, and nothing is written twice.

use crate::binary::Id;
use crate::error::Place;
use clvk_ir::{AddressSpace, Func, Function, ImageType, Module, Scalar, Type};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;

/// The start of the functions' names.
pub const PREFIX: &str = "clvk_spirv_";

/// A type as OpenCL C spells it, and as the IR does.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Spelled {
    pub text: String,
    pub ty: Type,
}

/// An instruction and the types of its result and its operands, which decide its function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Operation {
    /// The set of instructions, if it is an extended one, and the number.
    number: (Id, u32),
    types: [Type; 4],
}

impl Operation {
    /// The key of an instruction with few operands.
    pub fn new(number: (Id, u32), result: Type, operands: impl IntoIterator<Item = Type>) -> Option<Self> {
        let mut types = [Type::Void; 4];
        types[0] = result;
        for (position, ty) in operands.into_iter().enumerate() {
            *types.get_mut(1 + position)? = ty;
        }
        Some(Operation { number, types })
    }
}

/// The functions so far.
#[derive(Default)]
pub struct Glue {
    /// OpenCL C, a function or another declaration in each line.
    pub text: String,
    /// The instruction that needed each line.
    pub places: Vec<Option<Place>>,
    /// The instruction that is being translated.
    pub place: Option<Place>,
    functions: FxHashMap<String, Func>,
    known: FxHashMap<Operation, Func>,
    /// What was declared before the functions that need it.
    declared: FxHashSet<String>,
}

impl Glue {
    /// The function that [`Glue::remember`] named for an operation.
    pub fn known(&self, operation: &Operation) -> Option<Func> {
        self.known.get(operation).copied()
    }

    /// Names the function of an operation, if it has a key: its text need not be made again.
    pub fn remember(&mut self, operation: Option<Operation>, func: Func) {
        if let Some(operation) = operation {
            self.known.insert(operation, func);
        }
    }

    /// Adds a declaration; gives whether it is a new one.
    pub fn declare(&mut self, declaration: String) -> bool {
        let is_new = self.declared.insert(declaration.clone());
        if is_new {
            let _ = writeln!(self.text, "{declaration}");
            self.places.push(self.place);
        }
        is_new
    }

    /// A structure of this many bytes, which is at multiples of `align`, a power of two up to 128; at smaller
    /// ones if the size is not a multiple of it.
    pub fn structure(&mut self, size: u64, align: u64) -> Spelled {
        let align = 1 << size.trailing_zeros().min(align.trailing_zeros()).min(7);
        let unit = match align {
            1 => "uchar",
            2 => "ushort",
            4 => "uint",
            8 => "ulong",
            16 => "ulong2",
            32 => "ulong4",
            64 => "ulong8",
            _ => "ulong16",
        };
        let text = format!("struct {PREFIX}{size}_{align}");
        self.declare(format!("{text} {{ {unit} units[{}]; }};", size / align));
        Spelled { text, ty: Type::Pointer(AddressSpace::Private) }
    }

    /// The function whose parameters `a0`, `a1`, … have these types and which gives this expression.
    pub fn function(
        &mut self,
        module: &mut Module,
        result: Option<&Spelled>,
        params: &[Spelled],
        expression: &str,
    ) -> Func {
        let list: Vec<String> =
            params.iter().enumerate().map(|(number, param)| format!("{} a{number}", param.text)).collect();
        let (result_text, keyword) = match result {
            Some(result) => (result.text.as_str(), "return "),
            None => ("void", ""),
        };
        let rest = format!("({}) {{ {keyword}{expression}; }}", list.join(", "));
        let key = format!("{result_text} {rest}");
        if let Some(&func) = self.functions.get(&key) {
            return func;
        }
        let name = format!("{PREFIX}{}", self.functions.len());
        let _ = writeln!(self.text, "{result_text} {name}{rest}");
        self.places.push(self.place);
        let mut declaration = Function::new(name, result.map(|result| result.ty));
        for param in params {
            declaration.add_param(param.ty);
        }
        let func = module.functions.push(declaration);
        self.functions.insert(key, func);
        func
    }
}

/// A number or a vector of numbers.
pub fn number(ty: Type, signed: bool) -> Option<Spelled> {
    let name = match (ty.scalar()?, signed) {
        (Scalar::Bool, _) => return None,
        (Scalar::I8, true) => "char",
        (Scalar::I8, false) => "uchar",
        (Scalar::I16, true) => "short",
        (Scalar::I16, false) => "ushort",
        (Scalar::I32, true) => "int",
        (Scalar::I32, false) => "uint",
        (Scalar::I64, true) => "long",
        (Scalar::I64, false) => "ulong",
        (Scalar::F16, _) => "half",
        (Scalar::F32, _) => "float",
        (Scalar::F64, _) => "double",
    };
    let text = if ty.lanes() == 1 { name.to_owned() } else { format!("{name}{}", ty.lanes()) };
    Some(Spelled { text, ty })
}

/// A pointer to numbers.
pub fn pointer(space: AddressSpace, target: &Spelled) -> Spelled {
    let space_text = match space {
        AddressSpace::Private => "private ",
        AddressSpace::Local => "local ",
        AddressSpace::Global => "global ",
        AddressSpace::Constant => "constant ",
        AddressSpace::Generic => "",
    };
    Spelled { text: format!("{space_text}{} *", target.text), ty: Type::Pointer(space) }
}

/// An image.
pub fn image(ty: ImageType) -> Spelled {
    let access = match (ty.readable, ty.writable) {
        (true, true) => "read_write",
        (_, true) => "write_only",
        _ => "read_only",
    };
    Spelled { text: format!("{access} {}", ty.dimension.type_name()), ty: Type::Image(ty) }
}

/// A sampler.
pub fn sampler() -> Spelled {
    Spelled { text: "sampler_t".to_owned(), ty: Type::Sampler }
}

/// A number of 64 bits that names an object.
pub fn object(name: &str) -> Spelled {
    Spelled { text: name.to_owned(), ty: Type::I64 }
}

/// A pipe of packets of this type.
pub fn pipe(writes: bool, packet: &Spelled) -> Spelled {
    let access = if writes { "write_only" } else { "read_only" };
    Spelled { text: format!("{access} pipe {}", packet.text), ty: Type::Pointer(AddressSpace::Global) }
}
