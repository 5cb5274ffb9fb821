//! What a sanitized kernel reports: the kinds of errors, the places that check, and the buffer in which a
//! launch leaves what it found ([`ImplicitBuffer::Reports`](crate::ImplicitBuffer::Reports)).
//!
//! The buffer begins with an [`ARGUMENT`] for each argument, which the host writes: how many bytes of its
//! memory lie before the pointer, and how many there are. A [`RECORD`] for each check of the module follows.
//! Its first word counts how often the check failed, modulo 2³²; the work-item that counts from 0 fills in
//! the rest. So the size of the buffer is known before the launch, and a report is never lost.
//!
//! Drivers for processors execute the code for failed checks masked even where nothing fails. So a record
//! has few words, and the host finds out what follows from them ([`Shape`]).

use serde::{Deserialize, Serialize};
use std::fmt;

/// A kind of error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs)]
pub enum Kind {
    Bounds,
    Alignment,
    Arithmetic,
    Barriers,
}

/// A row of [`KINDS`].
pub struct KindRow {
    /// The kind.
    pub kind: Kind,
    /// Its name on command lines.
    pub name: &'static str,
    /// What it finds.
    pub finds: &'static str,
}

/// All kinds.
pub static KINDS: &[KindRow] = &[
    KindRow {
        kind: Kind::Bounds,
        name: "bounds",
        finds: "accesses outside of buffers, variables and images",
    },
    KindRow {
        kind: Kind::Alignment,
        name: "alignment",
        finds: "accesses that are not aligned as their type",
    },
    KindRow {
        kind: Kind::Arithmetic,
        name: "arithmetic",
        finds: "divisions by zero, quotients and conversions that do not fit their type",
    },
    KindRow {
        kind: Kind::Barriers,
        name: "barriers",
        finds: "barriers and asynchronous copies that only some work-items reach",
    },
];

impl Kind {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        KINDS.iter().find(|row| row.kind == self).map_or("", |row| row.name)
    }

    /// The kind with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Kind> {
        KINDS.iter().find(|row| row.name == name).map(|row| row.kind)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A set of kinds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Kinds(u32);

impl Kinds {
    /// Every kind.
    #[must_use]
    pub fn all() -> Kinds {
        KINDS.iter().fold(Kinds::default(), |kinds, row| kinds.with(row.kind))
    }

    /// With one more.
    #[must_use]
    pub fn with(self, kind: Kind) -> Kinds {
        Kinds(self.0 | 1 << kind as u32)
    }

    /// Whether a kind is in the set.
    #[must_use]
    pub fn has(self, kind: Kind) -> bool {
        self.0 & 1 << kind as u32 != 0
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The kinds of a list with commas; `all` and `1` are all of them, and `0` and nothing none.
    ///
    /// # Errors
    /// A sentence that names the kind that does not exist, and those that do.
    pub fn parse(text: &str) -> Result<Kinds, String> {
        let mut kinds = Kinds::default();
        for name in text.split(',').map(str::trim).filter(|name| !matches!(*name, "" | "0")) {
            kinds = match (name, Kind::from_name(name)) {
                ("all" | "1", _) => Kinds::all(),
                (_, Some(kind)) => kinds.with(kind),
                (_, None) => {
                    let names: Vec<&str> = KINDS.iter().map(|row| row.name).collect();
                    return Err(format!(
                        "the sanitizer has no kind `{name}`; choose among {}, or `all`",
                        names.join(", ")
                    ));
                }
            };
        }
        Ok(kinds)
    }
}

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs)]
pub enum Access {
    Read,
    Write,
    Atomic,
}

/// What a check looks at.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Checked {
    /// An access of this many bytes stays in its object. Reports give the object, the byte offset in it, and
    /// its size.
    Inside {
        /// What it does.
        access: Access,
        /// Bytes.
        bytes: u64,
    },
    /// An access is at a multiple of this many bytes. Reports give the same.
    Aligned {
        /// What it does.
        access: Access,
        /// Bytes.
        align: u32,
    },
    /// The coordinates of an access lie in the image. Reports give the coordinate and the size.
    Texel {
        /// What it does.
        access: Access,
    },
    /// The divisor is not zero.
    Divisor {
        /// It is for a remainder.
        remainder: bool,
    },
    /// The quotient fits its type, as that of the least number and -1 does not.
    Quotient,
    /// A floating-point number fits the integer that it becomes. Reports give its bits, if it has one lane.
    Conversion {
        /// The integer's bits.
        bits: u32,
        /// Whether it is signed.
        signed: bool,
        /// Whether the number is of single precision rather than double.
        single: bool,
        /// Its lanes.
        lanes: u32,
    },
    /// All work-items of the group reach a barrier equally often. Reports give the least and the greatest
    /// number.
    Barrier,
    /// The same of an asynchronous copy.
    Copy,
    /// They reach the kernel's barriers in the same order.
    BarrierOrder,
}

impl Checked {
    /// The kind of error that the check finds.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self {
            Checked::Inside { .. } | Checked::Texel { .. } => Kind::Bounds,
            Checked::Aligned { .. } => Kind::Alignment,
            Checked::Divisor { .. } | Checked::Quotient | Checked::Conversion { .. } => Kind::Arithmetic,
            Checked::Barrier | Checked::Copy | Checked::BarrierOrder => Kind::Barriers,
        }
    }
}

impl Access {
    fn noun(self) -> &'static str {
        match self {
            Access::Read => "read",
            Access::Write => "write",
            Access::Atomic => "atomic operation",
        }
    }
}

/// `1 byte`, `2 bytes`.
fn bytes(count: u64) -> String {
    format!("{count} byte{}", if count == 1 { "" } else { "s" })
}

impl Checked {
    /// What is wrong where the check failed: a line without a full stop.
    #[must_use]
    pub fn problem(&self, sanitized: &Sanitized, found: &Found) -> String {
        let [first, second] = found.values;
        let is_null = found.object == NULL_OBJECT;
        match *self {
            Checked::Inside { access, .. } | Checked::Aligned { access, .. } if is_null => {
                format!("{} through a null pointer", access.noun())
            }
            Checked::Inside { access, bytes: count } => {
                let (what, object) = (access.noun(), sanitized.describe(found.object));
                if second == 0 {
                    return format!("{what} of {} through {object}, which is null", bytes(count));
                }
                let place = match first as i64 {
                    before @ ..0 => format!("{} before the start", bytes(before.unsigned_abs())),
                    _ => format!("at byte {first}"),
                };
                format!("{what} of {} {place} of {object}, which has {}", bytes(count), bytes(second))
            }
            Checked::Aligned { access, align } => {
                let (what, object) = (access.noun(), sanitized.describe(found.object));
                format!("{what} at byte {first} of {object}, which is not a multiple of {align} bytes")
            }
            Checked::Texel { access } => {
                let what = access.noun();
                format!("{what} at the coordinate {}, where the image has a size of {second}", first as i64)
            }
            Checked::Divisor { remainder: false } => "division by zero".to_owned(),
            Checked::Divisor { remainder: true } => "remainder of a division by zero".to_owned(),
            Checked::Quotient => "the quotient does not fit: the least number is divided by -1".to_owned(),
            Checked::Conversion { bits, signed, single, lanes } => {
                let sign = if signed { "a signed" } else { "an unsigned" };
                let number = match (lanes, single) {
                    (1, true) => format!("the number {}", f32::from_bits(first as u32)),
                    (1, false) => format!("the number {}", f64::from_bits(first)),
                    _ => "a number".to_owned(),
                };
                format!("{number} does not fit into {sign} integer of {bits} bits")
            }
            Checked::Barrier | Checked::Copy => {
                let what = if *self == Checked::Copy { "asynchronous copy" } else { "barrier" };
                match first {
                    0 => format!("only some work-items of the work-group reach this {what}"),
                    _ => format!(
                        "some work-items of the work-group reach this {what} {first} times, and others {second} times"
                    ),
                }
            }
            Checked::BarrierOrder => {
                "the work-items of the work-group reach barriers in different orders".to_owned()
            }
        }
    }
}

/// A range of bytes of one of the [`Sanitized::sources`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SourceRange {
    /// Position of the source.
    pub source: u32,
    /// First byte.
    pub start: u32,
    /// Byte after the last one.
    pub end: u32,
}

/// A check. Several may stand at one place.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Check {
    /// What it looks at.
    pub checked: Checked,
    /// The number of the object, or [`UNKNOWN_OBJECT`] if the record tells it.
    pub object: u32,
    /// Where, in positions of the module.
    pub span: (u32, u32),
    /// Where, if the source is known.
    pub place: Option<SourceRange>,
}

/// What an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ObjectKind {
    /// What an argument points to, or an image.
    Argument {
        /// Position of the argument.
        position: u32,
    },
    /// A variable in private memory.
    Private,
    /// A variable in local memory.
    Local,
    /// A variable in constant memory.
    Constant,
    /// A program-scope variable in global memory.
    Global,
    /// An array that is a part of one of these.
    Part,
}

/// Something that accesses must stay in. Records name one by its position plus [`FIRST_OBJECT`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Object {
    /// What it is.
    pub kind: ObjectKind,
    /// Its name; empty if it is not known here.
    pub name: String,
    /// Bytes; those of an argument's memory are in the buffer.
    pub size: u64,
    /// Where it is declared, in positions of the module.
    pub span: (u32, u32),
    /// Where, if the source is known.
    pub place: Option<SourceRange>,
}

/// The object of a pointer whose origin is not known. It is never reported.
pub const UNKNOWN_OBJECT: u32 = 0;
/// No object: a null pointer.
pub const NULL_OBJECT: u32 = 1;
/// The number of the first object.
pub const FIRST_OBJECT: u32 = 2;

/// A source text.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SourceText {
    /// The file's name in messages.
    pub name: String,
    /// The text.
    pub text: String,
}

/// What the reports of a module refer to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Sanitized {
    /// Room for this many arguments in the buffer.
    pub arguments: u32,
    /// The checks; a record belongs to the one at its position.
    pub checks: Vec<Check>,
    /// The objects.
    pub objects: Vec<Object>,
    /// The sources of the places.
    pub sources: Vec<SourceText>,
}

/// Bytes of an argument's words: 64 bits of the bytes before the pointer, and 64 bits of all bytes.
pub const ARGUMENT: u32 = 16;
/// Bytes of a record.
pub const RECORD: u32 = 32;

/// The size of memory whose size is not known.
pub const UNKNOWN_SIZE: u64 = u64::MAX;
/// Where pointers to it begin, so that distances in both directions stay inside.
pub const UNKNOWN_START: u64 = 1 << 62;

/// Byte offsets in a record.
pub mod record {
    /// How often the check failed.
    pub const COUNT: u32 = 0;
    /// The work-item's global linear id.
    pub const ITEM: u32 = 4;
    /// The object, if the check does not name it.
    pub const OBJECT: u32 = 8;
    /// Two values of 64 bits. Of an access, only the first is there.
    pub const VALUES: u32 = 16;
}

impl Sanitized {
    /// Byte offset of the first record.
    #[must_use]
    pub fn first_record(arguments: u32) -> u32 {
        (ARGUMENT * arguments).next_multiple_of(RECORD)
    }

    /// The words of the buffer before a launch, given what is known of each argument's memory: the bytes
    /// before the pointer, and all bytes.
    #[must_use]
    pub fn head(&self, arguments: impl IntoIterator<Item = (u64, u64)>) -> Vec<u32> {
        let size = Self::first_record(self.arguments) as usize + self.checks.len() * RECORD as usize;
        let mut words = vec![0; size / 4];
        for (place, (before, all)) in words.chunks_exact_mut(4).zip(arguments).take(self.arguments as usize) {
            let halves = |value: u64| [value as u32, (value >> 32) as u32];
            place[..2].copy_from_slice(&halves(before));
            place[2..].copy_from_slice(&halves(all));
        }
        words
    }

    /// What a launch of this shape found, from the words of its buffer.
    #[must_use]
    pub fn found(&self, words: &[u32], shape: &Shape) -> Vec<Found> {
        let first = Self::first_record(self.arguments) as usize / 4;
        let records = words.get(first..).unwrap_or_default().chunks_exact(RECORD as usize / 4);
        let found = records.zip(0..).zip(&self.checks).filter(|((words, _), _)| words[0] > 0);
        let read = |((record, position), check): ((&[u32], u32), &Check)| {
            let mut found = Found::read(position, record, shape);
            if check.object != UNKNOWN_OBJECT {
                found.object = check.object;
            }
            if let Checked::Inside { .. } | Checked::Aligned { .. } = check.checked {
                found.values[1] = self.size(found.object, words);
            }
            found
        };
        found.map(read).collect()
    }

    /// The bytes of an object, given the words of the buffer.
    fn size(&self, number: u32, words: &[u32]) -> u64 {
        match self.object(number) {
            Some(Object { kind: ObjectKind::Argument { position }, size: 0, .. }) => {
                let at = *position as usize * ARGUMENT as usize / 4 + 2;
                let word = |at: usize| words.get(at).copied().map_or(0, u64::from);
                word(at) | word(at + 1) << 32
            }
            Some(object) => object.size,
            None => 0,
        }
    }

    /// How messages call an object.
    fn describe(&self, number: u32) -> String {
        let Some(object) = self.object(number) else { return "memory".to_owned() };
        let name = if object.name.is_empty() { String::new() } else { format!(" `{}`", object.name) };
        match object.kind {
            ObjectKind::Argument { position } => format!("the argument{name} ({position})"),
            ObjectKind::Private => format!("the variable{name}"),
            ObjectKind::Local => format!("the local variable{name}"),
            ObjectKind::Constant => format!("the constant{name}"),
            ObjectKind::Global => format!("the program's variable{name}"),
            ObjectKind::Part => format!("the array{name}"),
        }
    }

    /// The object of a record; none if it is null.
    #[must_use]
    pub fn object(&self, number: u32) -> Option<&Object> {
        self.objects.get(number.checked_sub(FIRST_OBJECT)? as usize)
    }
}

/// The sizes of a launch.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shape {
    /// Global size.
    pub global: [u32; 3],
    /// Global offset.
    pub offset: [u32; 3],
    /// Work-group size.
    pub local: [u32; 3],
}

impl Shape {
    /// Global id, local id and work-group of the work-item with a linear id.
    pub(crate) fn ids(&self, linear: u32) -> [[u32; 3]; 3] {
        let [width, height, _] = self.global.map(|size| size.max(1));
        let place = [linear % width, linear / width % height, linear / width / height];
        let local = self.local.map(|size| size.max(1));
        let each = |compute: &dyn Fn(usize) -> u32| [0, 1, 2].map(compute);
        [
            each(&|axis| place[axis].wrapping_add(self.offset[axis])),
            each(&|axis| place[axis] % local[axis]),
            each(&|axis| place[axis] / local[axis]),
        ]
    }
}

/// A check that failed in a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Position of the check.
    pub check: u32,
    /// How often it failed.
    pub count: u32,
    /// Global id of the first work-item that reported.
    pub global_id: [u32; 3],
    /// Its local id.
    pub local_id: [u32; 3],
    /// Its work-group.
    pub group_id: [u32; 3],
    /// The object.
    pub object: u32,
    /// What the check says.
    pub values: [u64; 2],
}

impl Found {
    fn read(check: u32, words: &[u32], shape: &Shape) -> Found {
        let at = |offset: u32| words[offset as usize / 4];
        let [global_id, local_id, group_id] = shape.ids(at(record::ITEM));
        let wide = |offset: u32| u64::from(at(offset)) | u64::from(at(offset + 4)) << 32;
        Found {
            check,
            count: at(record::COUNT),
            global_id,
            local_id,
            group_id,
            object: at(record::OBJECT),
            values: [wide(record::VALUES), wide(record::VALUES + 8)],
        }
    }
}

/// What a launch found.
#[derive(Clone, Copy, Debug)]
pub struct Reports<'a> {
    /// The kernel.
    pub kernel: &'a str,
    /// What the reports refer to.
    pub sanitized: &'a Sanitized,
    /// The checks that failed.
    pub found: &'a [Found],
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_kinds_are_read() {
        assert_eq!(Kinds::parse("all"), Ok(Kinds::all()));
        assert_eq!(Kinds::parse("1"), Ok(Kinds::all()));
        assert_eq!(Kinds::parse("0"), Ok(Kinds::default()));
        let two = Kinds::parse("bounds, barriers").unwrap();
        assert!(two.has(Kind::Bounds) && two.has(Kind::Barriers) && !two.has(Kind::Arithmetic));
        assert!(Kinds::parse("bound").unwrap_err().contains("no kind `bound`; choose among bounds, "));
        for row in KINDS {
            assert_eq!(Kind::from_name(row.name), Some(row.kind));
            assert_eq!(KINDS.iter().filter(|other| other.kind == row.kind).count(), 1);
        }
    }

    #[test]
    fn records_follow_the_arguments() {
        let inside = Checked::Inside { access: Access::Read, bytes: 4 };
        let check = |checked, object| Check { checked, object, span: (0, 0), place: None };
        let checks = vec![check(Checked::Barrier, 0), check(inside.clone(), 0), check(inside, 3)];
        let object = |kind, size| Object { kind, name: String::new(), size, span: (0, 0), place: None };
        let objects = vec![object(ObjectKind::Argument { position: 1 }, 0), object(ObjectKind::Private, 12)];
        let sanitized = Sanitized { arguments: 5, checks, objects, ..Sanitized::default() };
        let mut words = sanitized.head([(1, 2), (3, 1 << 32)]);
        assert_eq!(words.len(), (96 + 3 * 32) / 4);
        assert_eq!(words[..8], [1, 0, 2, 0, 3, 0, 0, 1]);
        let shape = Shape { global: [10, 4, 2], offset: [100, 0, 7], local: [4, 4, 1] };
        assert_eq!(sanitized.found(&words, &shape), []);
        let (second, third) = (24 + 8, 24 + 16);
        words[second..second + 8].copy_from_slice(&[7, 57, 2, 0, 11, 1, 0, 0]);
        words[third..third + 8].copy_from_slice(&[1, 0, 0, 0, 12, 0, 0, 0]);
        let found = Found {
            check: 1,
            count: 7,
            global_id: [107, 1, 8],
            local_id: [3, 1, 0],
            group_id: [1, 0, 1],
            object: 2,
            values: [11 | 1 << 32, 1 << 32],
        };
        let other = Found {
            check: 2,
            count: 1,
            global_id: [100, 0, 7],
            local_id: [0; 3],
            group_id: [0; 3],
            object: 3,
            values: [12, 12],
        };
        assert_eq!(sanitized.found(&words, &shape), [found, other]);
    }
}
