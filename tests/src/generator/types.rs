//! The types of generated programs, with their layout in buffers (OpenCL C §6.3.1, §6.3.2, §6.3.5).

use super::choice::Choice;

/// A scalar type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// `char`.
    Char,
    /// `uchar`.
    UChar,
    /// `short`.
    Short,
    /// `ushort`.
    UShort,
    /// `int`.
    Int,
    /// `uint`.
    UInt,
    /// `long`.
    Long,
    /// `ulong`.
    ULong,
    /// `float`.
    Float,
    /// `double`.
    Double,
    /// `half` where the implementation has it, `float` elsewhere (the prelude of programs defines `real`).
    /// Only in private variables, whose size cannot be observed.
    Half,
}

/// The integer types, by rank.
pub const INTEGERS: [Scalar; 8] = [
    Scalar::Char,
    Scalar::UChar,
    Scalar::Short,
    Scalar::UShort,
    Scalar::Int,
    Scalar::UInt,
    Scalar::Long,
    Scalar::ULong,
];

/// The possible numbers of lanes of a vector.
pub const LANES: [u8; 5] = [2, 3, 4, 8, 16];

impl Scalar {
    /// The type with this many bits and this signedness.
    #[must_use]
    pub fn integer(bits: u32, signed: bool) -> Self {
        INTEGERS[2 * (bits.ilog2() as usize - 3) + usize::from(!signed)]
    }

    /// Its spelling.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Scalar::Char => "char",
            Scalar::UChar => "uchar",
            Scalar::Short => "short",
            Scalar::UShort => "ushort",
            Scalar::Int => "int",
            Scalar::UInt => "uint",
            Scalar::Long => "long",
            Scalar::ULong => "ulong",
            Scalar::Float => "float",
            Scalar::Double => "double",
            Scalar::Half => "real",
        }
    }

    /// Whether it is a floating-point type.
    #[must_use]
    pub fn is_float(self) -> bool {
        matches!(self, Scalar::Float | Scalar::Double | Scalar::Half)
    }

    /// The magnitude of integers in variables of a floating-point type is less than two to this power; 0 for
    /// integers.
    #[must_use]
    pub fn float_bits(self) -> u8 {
        match self {
            Scalar::Float | Scalar::Half => 8,
            Scalar::Double => 20,
            _ => 0,
        }
    }

    /// Its width.
    #[must_use]
    pub fn bits(self) -> u32 {
        match self {
            Scalar::Char | Scalar::UChar => 8,
            Scalar::Short | Scalar::UShort | Scalar::Half => 16,
            Scalar::Int | Scalar::UInt | Scalar::Float => 32,
            Scalar::Long | Scalar::ULong | Scalar::Double => 64,
        }
    }

    /// Whether it is signed.
    #[must_use]
    pub fn signed(self) -> bool {
        matches!(self, Scalar::Char | Scalar::Short | Scalar::Int | Scalar::Long) || self.is_float()
    }

    /// The unsigned integer of the same width.
    #[must_use]
    pub fn to_unsigned(self) -> Self {
        Scalar::integer(self.bits(), false)
    }

    /// The signed integer of the same width.
    #[must_use]
    pub fn to_signed(self) -> Self {
        Scalar::integer(self.bits(), true)
    }

    /// Whether integer promotion turns it into `int` (C99 6.3.1.1).
    #[must_use]
    pub fn is_narrow(self) -> bool {
        self.bits() < 32
    }

    /// The largest value of an integer type, as a literal without suffix.
    #[must_use]
    pub fn greatest(self) -> u64 {
        u64::MAX >> (64 - self.bits() + u32::from(self.signed()))
    }
}

/// A scalar or a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    /// The type of each lane.
    pub scalar: Scalar,
    /// 1 for a scalar.
    pub lanes: u8,
}

impl Value {
    /// A scalar.
    #[must_use]
    pub const fn scalar(scalar: Scalar) -> Self {
        Value { scalar, lanes: 1 }
    }

    /// The same number of lanes of another type.
    #[must_use]
    pub fn of(self, scalar: Scalar) -> Self {
        Value { scalar, ..self }
    }

    /// Whether it has several lanes.
    #[must_use]
    pub fn is_vector(self) -> bool {
        self.lanes > 1
    }

    /// Its spelling.
    #[must_use]
    pub fn name(self) -> String {
        if self.is_vector() {
            format!("{}{}", self.scalar.name(), self.lanes)
        } else {
            self.scalar.name().to_owned()
        }
    }

    /// Bytes in memory; a vector of three takes as much as one of four.
    #[must_use]
    pub fn size(self) -> usize {
        let lanes = if self.lanes == 3 { 4 } else { usize::from(self.lanes) };
        lanes * self.scalar.bits() as usize / 8
    }
}

/// The type of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// A scalar or vector.
    Value(Value),
    /// The structure or union with this number.
    Record(usize),
    /// An array of this many elements.
    Array(Box<Type>, usize),
}

/// A structure or a union.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// With `struct` or `union`.
    pub name: String,
    /// Its members share their bytes, and each covers all of them, so each may be read whichever was written.
    pub union: bool,
    /// Without padding; addresses of its members are not taken, because they may be misaligned.
    pub packed: bool,
    /// Names and types.
    pub members: Vec<(String, Type)>,
}

impl Type {
    /// A declaration of `name`.
    #[must_use]
    pub fn declare(&self, name: &str, records: &[Record]) -> String {
        match self {
            Type::Value(value) => format!("{} {name}", value.name()),
            Type::Record(id) => format!("{} {name}", records[*id].name),
            Type::Array(element, length) => element.declare(&format!("{name}[{length}]"), records),
        }
    }

    /// Its name, if it can be written before a `*`.
    #[must_use]
    pub fn name(&self, records: &[Record]) -> Option<String> {
        match self {
            Type::Value(value) => Some(value.name()),
            Type::Record(id) => Some(records[*id].name.clone()),
            Type::Array(..) => None,
        }
    }

    /// Size and alignment in bytes.
    #[must_use]
    pub fn layout(&self, records: &[Record]) -> (usize, usize) {
        match self {
            Type::Value(value) => (value.size(), value.size()),
            Type::Array(element, length) => {
                let (size, align) = element.layout(records);
                (size * length, align)
            }
            Type::Record(id) => {
                let (mut size, mut align) = (0usize, 1);
                for (offset, member) in offsets(&records[*id], records) {
                    let (member_size, member_align) = member.layout(records);
                    size = size.max(offset + member_size);
                    align = align.max(if records[*id].packed { 1 } else { member_align });
                }
                (size.next_multiple_of(align), align)
            }
        }
    }

    /// Whether some of its bytes are meaningless.
    #[must_use]
    pub fn has_padding(&self, records: &[Record]) -> bool {
        self.layout(records).0 != self.used(records)
    }

    /// The number of its meaningful bytes.
    fn used(&self, records: &[Record]) -> usize {
        match self {
            Type::Value(value) => usize::from(value.lanes) * value.scalar.bits() as usize / 8,
            Type::Array(element, length) => element.used(records) * length,
            Type::Record(id) => {
                let sizes = records[*id].members.iter().map(|(_, member)| member.used(records));
                if records[*id].union { sizes.max().unwrap_or(0) } else { sizes.sum() }
            }
        }
    }

    /// Whether it contains a floating-point number.
    #[must_use]
    pub fn has_float(&self, records: &[Record]) -> bool {
        match self {
            Type::Value(value) => value.scalar.is_float(),
            Type::Array(element, _) => element.has_float(records),
            Type::Record(id) => records[*id].members.iter().any(|(_, member)| member.has_float(records)),
        }
    }

    /// The number of scalars that it contains.
    #[must_use]
    pub fn scalars(&self, records: &[Record]) -> usize {
        match self {
            Type::Value(value) => usize::from(value.lanes),
            Type::Array(element, length) => element.scalars(records) * length,
            Type::Record(id) => records[*id].members.iter().map(|(_, member)| member.scalars(records)).sum(),
        }
    }

    /// Whether a pointer may point to a part of such an object: it is neither a packed structure nor a union.
    #[must_use]
    pub fn is_open(&self, records: &[Record]) -> bool {
        match self {
            Type::Record(id) => !records[*id].packed && !records[*id].union,
            _ => true,
        }
    }

    /// Random contents, as bytes in memory; floating-point values respect their bound.
    #[must_use]
    pub fn contents(&self, records: &[Record], choice: &mut Choice) -> Vec<u8> {
        match self {
            Type::Value(value) => value_contents(*value, choice),
            Type::Array(element, length) => {
                (0..*length).flat_map(|_| element.contents(records, choice)).collect()
            }
            Type::Record(id) => {
                let mut bytes = vec![0; self.layout(records).0];
                for (offset, member) in offsets(&records[*id], records) {
                    let contents = member.contents(records, choice);
                    bytes[offset..offset + contents.len()].copy_from_slice(&contents);
                }
                bytes
            }
        }
    }
}

fn offsets<'a>(record: &'a Record, records: &[Record]) -> Vec<(usize, &'a Type)> {
    let mut next = 0usize;
    let mut result = Vec::new();
    for (_, member) in &record.members {
        let (size, align) = member.layout(records);
        let offset = if record.union {
            0
        } else if record.packed {
            next
        } else {
            next.next_multiple_of(align)
        };
        result.push((offset, member));
        next = offset + size;
    }
    result
}

fn value_contents(value: Value, choice: &mut Choice) -> Vec<u8> {
    let mut bytes = Vec::new();
    for _ in 0..value.lanes {
        if value.scalar.is_float() {
            let bound = 1i64 << value.scalar.float_bits();
            let integer = choice.below(2 * bound as usize - 1) as i64 - bound + 1;
            match value.scalar {
                Scalar::Float => bytes.extend((integer as f32).to_le_bytes()),
                Scalar::Double => bytes.extend((integer as f64).to_le_bytes()),
                _ => unreachable!("no buffer holds `real`"),
            }
        } else {
            let bits = interesting(value.scalar, choice).to_le_bytes();
            bytes.extend(&bits[..value.scalar.bits() as usize / 8]);
        }
    }
    bytes.resize(value.size(), 0);
    bytes
}

/// An integer's bits: a small number, one at the limits of the type, or any.
pub fn interesting(scalar: Scalar, choice: &mut Choice) -> u64 {
    let greatest = scalar.greatest();
    let bits = match choice.below(6) {
        0 => choice.below(4) as u64,
        1 => greatest.wrapping_sub(choice.below(2) as u64),
        2 => greatest.wrapping_add(1),
        3 => u64::MAX.wrapping_sub(choice.below(3) as u64),
        4 => 1 << choice.below(scalar.bits() as usize),
        _ => choice.bits(),
    };
    bits & (u64::MAX >> (64 - scalar.bits()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(scalar: Scalar, lanes: u8) -> Type {
        Type::Value(Value { scalar, lanes })
    }

    fn record(packed: bool, union: bool, members: Vec<Type>) -> Record {
        let members = members.into_iter().enumerate().map(|(i, ty)| (format!("m{i}"), ty)).collect();
        Record { name: "struct S".to_owned(), union, packed, members }
    }

    #[test]
    fn records_are_laid_out_as_in_c() {
        let members = vec![value(Scalar::Char, 1), value(Scalar::Short, 3), value(Scalar::Int, 1)];
        let records = [record(false, false, members.clone()), record(true, false, members)];
        assert_eq!(Type::Record(0).layout(&records), (24, 8));
        assert_eq!(Type::Record(1).layout(&records), (13, 1));
        assert!(Type::Record(0).has_padding(&records));
    }

    #[test]
    fn unions_are_as_large_as_their_members() {
        let records = [record(false, true, vec![value(Scalar::UInt, 2), value(Scalar::UChar, 8)])];
        assert_eq!(Type::Record(0).layout(&records), (8, 8));
        assert!(!Type::Record(0).has_padding(&records));
    }
}
