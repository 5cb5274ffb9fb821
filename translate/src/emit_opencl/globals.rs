//! Variables of module scope.

use super::writer::{TypeKey, Writer, storage_class};
use crate::passes::structure::with_stack;
use clvk_ir::{
    AddressSpace, Arena, Constant, Global, GlobalData, Initializer, Linkage, Module, Relocation, Scalar, Type,
};
use rspirv::{
    dr::Operand,
    spirv::{self, Decoration, LinkageType, StorageClass, Word},
};
use rustc_hash::FxHashMap;

/// The variables that are written, and those that are being written.
#[derive(Default)]
pub struct Globals {
    written: FxHashMap<Global, Word>,
}

/// Bytes of a variable that are one member of its type.
enum Part<'i> {
    Bytes(&'i [u8], u64),
    Pointer(&'i Relocation),
}

impl Globals {
    /// The id of a variable, whose type is [`type_of`].
    pub fn id(&mut self, writer: &mut Writer, module: &Module, global: Global, exports: bool) -> Word {
        if let Some(&id) = self.written.get(&global) {
            return id;
        }
        let data = &module.globals[global];
        // The declaration follows those of its targets; the pass `opencl-built-ins` refuses circles.
        let id = writer.id();
        self.written.insert(global, id);
        let class = storage_class(data.space);
        let mut operands = vec![Operand::StorageClass(class)];
        let ty = match &data.initializer {
            Initializer::None => type_of(writer, &module.globals, data),
            Initializer::Zero => {
                let ty = type_of(writer, &module.globals, data);
                if !module.linkage.declared_globals.contains(&data.name) {
                    operands.push(Operand::IdRef(writer.null(ty)));
                }
                ty
            }
            Initializer::Bytes { bytes, relocations } => {
                let targets: FxHashMap<Global, Word> = relocations
                    .iter()
                    .map(|it| (it.target, with_stack(|| self.id(writer, module, it.target, exports))))
                    .collect();
                let ty = type_of(writer, &module.globals, data);
                let contents = Contents { writer, globals: &module.globals, targets: &targets };
                operands.push(Operand::IdRef(contents.write(data, bytes, relocations, ty)));
                ty
            }
        };
        let pointer = writer.type_id(TypeKey::Pointer(class, ty));
        let variable =
            crate::emit::writer::instruction(spirv::Op::Variable, Some(pointer), Some(id), operands);
        writer.module.types_global_values.push(variable);
        writer.name(id, &data.name);
        writer.decorate(id, Decoration::Alignment, &[Operand::LiteralBit32(data.align)]);
        if data.space == AddressSpace::Constant {
            writer.decorate(id, Decoration::Constant, &[]);
        }
        if let Some(linkage) =
            linkage_of(&module.linkage, data).filter(|it| exports || *it == LinkageType::Import)
        {
            writer.link(id, &data.name, linkage);
        }
        id
    }
}

fn linkage_of(linkage: &Linkage, data: &GlobalData) -> Option<LinkageType> {
    if data.space == AddressSpace::Local || linkage.internal_globals.contains(&data.name) {
        None
    } else if linkage.declared_globals.contains(&data.name) {
        Some(LinkageType::Import)
    } else if linkage.repeated.contains(&data.name) {
        Some(LinkageType::LinkOnceODR)
    } else {
        Some(LinkageType::Export)
    }
}

/// Whether another module can name it.
pub fn is_exported(linkage: &Linkage, data: &GlobalData) -> bool {
    linkage_of(linkage, data).is_some_and(|linkage| linkage != LinkageType::Import)
}

/// The type of a variable's memory: numbers of the size of its alignment, and pointers where it has such.
pub fn type_of(writer: &mut Writer, globals: &Arena<Global, GlobalData>, data: &GlobalData) -> Word {
    let Initializer::Bytes { bytes, relocations } = &data.initializer else {
        return memory_type(writer, data.size, data.align);
    };
    if relocations.is_empty() {
        return memory_type(writer, data.size, data.align);
    }
    let mut members = Vec::new();
    let mut packed = false;
    for part in parts(bytes, relocations) {
        members.push(match part {
            Part::Bytes(bytes, offset) => {
                memory_type(writer, bytes.len() as u64, unit(offset, bytes.len() as u64))
            }
            Part::Pointer(relocation) => {
                packed |= relocation.offset % 8 != 0;
                writer.value_type(Type::Pointer(globals[relocation.target].space))
            }
        });
    }
    writer.type_id(TypeKey::Struct(members, packed))
}

/// Elements of an array, whose constants must fit an instruction of 65,535 words. Longer arrays are
/// structures of several.
const MOST_ELEMENTS: u64 = 32768;

/// The number whose size is an alignment, or the largest one.
fn unit_of(align: u32) -> Scalar {
    Scalar::int(8 * align.min(8))
}

/// The type of this much memory: an array of numbers. Variables are decorated with larger alignments.
pub fn memory_type(writer: &mut Writer, size: u64, align: u32) -> Word {
    let unit = unit_of(align);
    let width = u64::from(unit.size());
    let unit = Type::Scalar(unit);
    let unit = writer.value_type(unit);
    let count = size.max(1).div_ceil(width);
    if count <= MOST_ELEMENTS {
        return writer.type_id(TypeKey::Array(unit, count));
    }
    let whole = writer.type_id(TypeKey::Array(unit, MOST_ELEMENTS));
    let mut members = vec![whole; (count / MOST_ELEMENTS) as usize];
    if count % MOST_ELEMENTS != 0 {
        members.push(writer.type_id(TypeKey::Array(unit, count % MOST_ELEMENTS)));
    }
    writer.type_id(TypeKey::Struct(members, false))
}

/// The type of a structure that is passed by value: it has its alignment.
pub fn structure_type(writer: &mut Writer, size: u64, align: u32) -> Word {
    let unit = match align {
        16 => Type::Vector(Scalar::I32, 4),
        32 => Type::Vector(Scalar::I64, 4),
        64 => Type::Vector(Scalar::I64, 8),
        128 => Type::Vector(Scalar::I64, 16),
        _ => Type::Scalar(unit_of(align)),
    };
    let count = size.max(1).div_ceil(u64::from(unit.access_size()));
    let unit = writer.value_type(unit);
    let array = writer.type_id(TypeKey::Array(unit, count));
    writer.type_id(TypeKey::Struct(vec![array], false))
}

/// The largest power of two up to 8 that divides an offset and a size.
fn unit(offset: u64, size: u64) -> u32 {
    1 << (offset | size | 8).trailing_zeros()
}

fn parts<'i>(bytes: &'i [u8], relocations: &'i [Relocation]) -> Vec<Part<'i>> {
    let mut sorted: Vec<&Relocation> = relocations.iter().collect();
    sorted.sort_by_key(|relocation| relocation.offset);
    let mut parts = Vec::new();
    let mut at = 0;
    for relocation in sorted {
        let start = relocation.offset as usize;
        if start > at {
            parts.push(Part::Bytes(&bytes[at..start], at as u64));
        }
        parts.push(Part::Pointer(relocation));
        at = start + 8;
    }
    if at < bytes.len() {
        parts.push(Part::Bytes(&bytes[at..], at as u64));
    }
    parts
}

/// Writes the contents of a variable.
struct Contents<'w> {
    writer: &'w mut Writer,
    globals: &'w Arena<Global, GlobalData>,
    targets: &'w FxHashMap<Global, Word>,
}

impl Contents<'_> {
    fn write(mut self, data: &GlobalData, bytes: &[u8], relocations: &[Relocation], ty: Word) -> Word {
        if relocations.is_empty() {
            return self.numbers(bytes, data.align, ty);
        }
        let mut members = Vec::new();
        for part in parts(bytes, relocations) {
            members.push(Operand::IdRef(match part {
                Part::Bytes(bytes, offset) => {
                    let align = unit(offset, bytes.len() as u64);
                    let ty = memory_type(self.writer, bytes.len() as u64, align);
                    self.numbers(bytes, align, ty)
                }
                Part::Pointer(relocation) => self.pointer(relocation),
            }));
        }
        self.writer.declare(spirv::Op::ConstantComposite, Some(ty), members)
    }

    /// An array of numbers, of [`memory_type`].
    fn numbers(&mut self, bytes: &[u8], align: u32, ty: Word) -> Word {
        if bytes.iter().all(|&byte| byte == 0) {
            return self.writer.null(ty);
        }
        let unit = unit_of(align);
        let number = |bytes: &[u8]| {
            let mut word = [0; 8];
            word[..bytes.len()].copy_from_slice(bytes);
            Constant::Bits(u64::from_le_bytes(word))
        };
        let element = Type::Scalar(unit);
        let elements: Vec<Word> = bytes
            .chunks(unit.size() as usize)
            .map(|bytes| self.writer.constant(element, &number(bytes)))
            .collect();
        if elements.len() as u64 <= MOST_ELEMENTS {
            return self.composite(ty, &elements);
        }
        let unit = self.writer.value_type(element);
        let mut arrays = Vec::new();
        for part in elements.chunks(MOST_ELEMENTS as usize) {
            let ty = self.writer.type_id(TypeKey::Array(unit, part.len() as u64));
            arrays.push(self.composite(ty, part));
        }
        self.composite(ty, &arrays)
    }

    fn composite(&mut self, ty: Word, parts: &[Word]) -> Word {
        let parts = parts.iter().copied().map(Operand::IdRef).collect();
        self.writer.declare(spirv::Op::ConstantComposite, Some(ty), parts)
    }

    /// The address of a variable plus bytes.
    fn pointer(&mut self, relocation: &Relocation) -> Word {
        let data = &self.globals[relocation.target];
        let (class, size) = (storage_class(data.space), data.size.max(1));
        let ty = self.writer.value_type(Type::Pointer(data.space));
        let target = self.targets[&relocation.target];
        if relocation.addend == 0 {
            return self.constant_operation(spirv::Op::Bitcast, ty, vec![target]);
        }
        // An index in an array of bytes: rspirv cannot read a chain without indices.
        let byte = self.writer.value_type(Type::I8);
        let array = self.writer.type_id(TypeKey::Array(byte, size));
        let pointer = self.writer.type_id(TypeKey::Pointer(class, array));
        let bytes = self.constant_operation(spirv::Op::Bitcast, pointer, vec![target]);
        let (first, addend) = (self.writer.long(0), self.writer.long(relocation.addend as u64));
        self.constant_operation(spirv::Op::InBoundsPtrAccessChain, ty, vec![bytes, first, addend])
    }

    fn constant_operation(&mut self, op: spirv::Op, ty: Word, operands: Vec<Word>) -> Word {
        let mut all = vec![Operand::LiteralSpecConstantOpInteger(op)];
        all.extend(operands.into_iter().map(Operand::IdRef));
        self.writer.declare(spirv::Op::SpecConstantOp, Some(ty), all)
    }
}

/// The variable that holds a string with a zero at its end.
pub fn string(writer: &mut Writer, known: &mut FxHashMap<Vec<u8>, Word>, text: &[u8]) -> Word {
    if let Some(&id) = known.get(text) {
        return id;
    }
    let byte = writer.value_type(Type::I8);
    let ty = writer.type_id(TypeKey::Array(byte, text.len() as u64 + 1));
    let bytes = text.iter().chain(&[0]).map(|&byte| Constant::Bits(byte.into()));
    let bytes: Vec<Operand> = bytes.map(|byte| Operand::IdRef(writer.constant(Type::I8, &byte))).collect();
    let contents = writer.declare(spirv::Op::ConstantComposite, Some(ty), bytes);
    let pointer = writer.type_id(TypeKey::Pointer(StorageClass::UniformConstant, ty));
    let operands = vec![Operand::StorageClass(StorageClass::UniformConstant), Operand::IdRef(contents)];
    let id = writer.declare(spirv::Op::Variable, Some(pointer), operands);
    writer.decorate(id, Decoration::Constant, &[]);
    known.insert(text.to_vec(), id);
    id
}

/// Declares a private variable of this size; gives its id and its declaration.
pub fn private_variable(writer: &mut Writer, size: u64, align: u32) -> (Word, rspirv::dr::Instruction) {
    let ty = memory_type(writer, size, align);
    let pointer = writer.type_id(TypeKey::Pointer(StorageClass::Function, ty));
    let id = writer.id();
    writer.decorate(id, Decoration::Alignment, &[Operand::LiteralBit32(align)]);
    let class = vec![Operand::StorageClass(StorageClass::Function)];
    let declaration = crate::emit::writer::instruction(spirv::Op::Variable, Some(pointer), Some(id), class);
    (id, declaration)
}
