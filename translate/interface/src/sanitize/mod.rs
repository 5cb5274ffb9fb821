//! What a sanitized kernel reports: the kinds of errors, the places that check, and the buffer in which a
//! launch leaves what it found ([`ImplicitBuffer::Reports`](crate::ImplicitBuffer::Reports)).
//!
//! The buffer begins with the word [`LEFT`] and, at [`ARGUMENTS`], an [`ARGUMENT`] for each argument, which
//! the host writes: how many bytes of its memory lie before the pointer, how many there are, and what is
//! [`forbidden`] there. If kernels remember what happened to memory, a [`POSITION`] for each argument and the
//! [`launch`] follow ([`Cells`]), and then a [`RECORD`] for each check. Its first word counts how often the
//! check failed, modulo 2³²; the work-item that counts from 0 fills in the rest. So the size of the buffer is
//! known before the launch, and a report is never lost.
//!
//! Drivers for processors execute the code for failed checks masked even where nothing fails. So a record
//! has few words, and the host finds out what follows from them ([`Shape`]).

mod apart;
mod bound;
mod checked;
mod form;
mod habit;
mod inside;
mod kinds;
mod memory;
mod place;

pub use checked::{Access, Checked, FloatSource, Signed, Use};
pub use habit::{Habit, KernelHabits, MOST_UNWATCHED, Settled, UNWATCHED, Way, unwatched};
pub use inside::{Confined, Extent, INSIDE, MOST_INSIDE, PLAIN, always_inside, inside};
pub use kinds::{Group, KINDS, Kind, KindRow, Kinds, LOOP_BUDGET};
pub use memory::{
    ArgumentMemory, CLOCK, Cells, FIRST_CELL, Holder, LAUNCH, Layout, MOST_SHADOW, POSITION, Race,
    UNKNOWN_POSITION, cell, launch,
};
pub use place::{Counter, Fact, Id, Number, Operation, Relation, Site, Size, Width};

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

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
    /// The calls by which its code came into the kernel, the innermost first.
    pub calls: Vec<CallSite>,
}

/// Where a function is called.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct CallSite {
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
    /// What the kernels remember of memory, if they do.
    pub cells: Option<Cells>,
    /// What each kernel does through its arguments.
    pub habits: BTreeMap<String, KernelHabits>,
}

/// Byte offset of a word that is 0 until a loop is left because it used up its budget.
pub const LEFT: u32 = 0;
/// Byte offset of the words of the arguments.
pub const ARGUMENTS: u32 = 8;
/// Bytes of an argument's words: 64 bits of the bytes before the pointer, 64 bits of all bytes, and 32 bits
/// of what is [`forbidden`].
pub const ARGUMENT: u32 = 24;
/// Bytes of a record.
pub const RECORD: u32 = 32;

/// The size of memory whose size is not known.
pub const UNKNOWN_SIZE: u64 = u64::MAX;
/// Where pointers to it begin, so that distances in both directions stay inside.
pub const UNKNOWN_START: u64 = 1 << 62;

/// Bits beside the number of an object: what may not be done to memory through a pointer to it.
pub mod forbidden {
    /// The buffer's flags forbid reads.
    pub const READS: u32 = 1 << 31;
    /// The buffer's flags forbid writes.
    pub const WRITES: u32 = 1 << 30;
    /// The kernel's parameter is a pointer to `const`.
    pub const CHANGES: u32 = 1 << 29;
    /// Nothing has written the buffer before the launch, so what was not written in it may not be read.
    pub const EARLY_READS: u32 = 1 << 28;
    /// All of these.
    pub const ALL: u32 = READS | WRITES | CHANGES | EARLY_READS;
}

/// Byte offsets in a record.
pub mod record {
    /// How often the check failed.
    pub const COUNT: u32 = 0;
    /// The work-item's global linear id.
    pub const ITEM: u32 = 4;
    /// The object, if the check does not name it.
    pub const OBJECT: u32 = 8;
    /// Two values of 64 bits.
    pub const VALUES: u32 = 16;
}

impl Sanitized {
    /// Byte offset of the positions of the arguments' memory, which the words of the launch follow.
    #[must_use]
    pub fn positions(&self) -> u32 {
        ARGUMENTS + ARGUMENT * self.arguments
    }

    /// Byte offset of the words of the launch.
    #[must_use]
    pub fn launch(&self) -> u32 {
        self.positions() + POSITION * self.arguments
    }

    /// Byte offset of the first record.
    #[must_use]
    pub fn first_record(&self) -> u32 {
        let head = if self.cells.is_some() { self.launch() + LAUNCH } else { self.positions() };
        head.next_multiple_of(RECORD)
    }

    /// A bit for each argument of a kernel's launch whose memory needs no cells.
    #[must_use]
    pub fn unwatched(&self, kernel: &str, arguments: &[ArgumentMemory], shape: &Shape) -> u32 {
        self.habits.get(kernel).map_or(0, |habits| unwatched(habits, arguments, shape))
    }

    /// The bits of accesses of a kernel that stay in their objects in a launch, and [`PLAIN`].
    #[must_use]
    pub fn inside(&self, kernel: &str, arguments: &[ArgumentMemory], shape: &Shape) -> u32 {
        let nothing = KernelHabits::default();
        inside(self.habits.get(kernel).unwrap_or(&nothing), arguments, shape)
    }

    /// The words of the buffer before a launch, given what is known of each argument's memory.
    #[must_use]
    pub fn head(&self, arguments: &[ArgumentMemory], layout: &Layout) -> Vec<u32> {
        let size = self.first_record() as usize + self.checks.len() * RECORD as usize;
        let mut words = vec![0; size / 4];
        let mut put = |byte: u32, value: u64| {
            let at = byte as usize / 4;
            words[at..at + 2].copy_from_slice(&[value as u32, (value >> 32) as u32]);
        };
        for (memory, number) in arguments.iter().zip(0..self.arguments) {
            put(ARGUMENTS + number * ARGUMENT, memory.before);
            put(ARGUMENTS + number * ARGUMENT + 8, memory.all);
            put(ARGUMENTS + number * ARGUMENT + 16, memory.forbidden.into());
        }
        if self.cells.is_some() {
            for (&position, number) in layout.positions.iter().zip(0..self.arguments) {
                put(self.positions() + number * POSITION, position);
            }
            for (place, value) in [
                (launch::LOCAL, layout.local),
                (launch::STRIDE, layout.stride),
                (launch::CELLS, layout.cells),
            ] {
                put(self.launch() + place, value);
            }
        }
        words
    }

    /// What a launch of this shape found, from the words of its buffer.
    #[must_use]
    pub fn found(&self, words: &[u32], shape: &Shape) -> Vec<Found> {
        let first = self.first_record() as usize / 4;
        let records = words.get(first..).unwrap_or_default().chunks_exact(RECORD as usize / 4);
        let found = records.zip(0..).zip(&self.checks).filter(|((words, _), _)| words[0] > 0);
        let read = |((record, position), check): ((&[u32], u32), &Check)| {
            let mut found = Found::read(position, record, shape);
            if check.object != UNKNOWN_OBJECT {
                found.object = check.object;
            }
            found.size = if check.checked.is_of_access() { self.size(found.object, words) } else { 0 };
            found
        };
        found.map(read).collect()
    }

    /// The bytes of an object, given the words of the buffer.
    fn size(&self, number: u32, words: &[u32]) -> u64 {
        match self.object(number) {
            Some(Object { kind: ObjectKind::Argument { position }, size: 0, .. }) => {
                let at = (ARGUMENTS + *position * ARGUMENT) as usize / 4 + 2;
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
    /// Work-items of a sub-group, if the kernel's sub-groups hold consecutive ones; zero if not.
    pub sub_group: u32,
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
    /// Its sub-group, if that is known.
    pub sub_group: Option<u32>,
    /// The object.
    pub object: u32,
    /// The bytes of the object, if the check is of an access.
    pub size: u64,
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
            sub_group: local_id[0].checked_div(shape.sub_group),
            object: at(record::OBJECT) & !forbidden::ALL,
            size: 0,
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
    fn records_follow_the_arguments() {
        let inside = Checked::Inside { access: Access::Read, bytes: 4 };
        let check = |checked, object| Check { checked, object, span: (0, 0), place: None, calls: vec![] };
        let checks = vec![check(Checked::Barrier, 0), check(inside.clone(), 0), check(inside, 3)];
        let object = |kind, size| Object { kind, name: String::new(), size, span: (0, 0), place: None };
        let objects = vec![object(ObjectKind::Argument { position: 1 }, 0), object(ObjectKind::Private, 12)];
        let sanitized = Sanitized { arguments: 5, checks, objects, ..Sanitized::default() };
        let memory = |before, all| ArgumentMemory { before, all, ..ArgumentMemory::default() };
        let mut words = sanitized.head(&[memory(1, 2), memory(3, 1 << 32)], &Layout::default());
        assert_eq!(words.len(), (128 + 3 * 32) / 4);
        assert_eq!(words[..14], [0, 0, 1, 0, 2, 0, 0, 0, 3, 0, 0, 1, 0, 0]);
        let shape = Shape { global: [10, 4, 2], offset: [100, 0, 7], local: [4, 4, 1], sub_group: 0 };
        assert_eq!(sanitized.found(&words, &shape), []);
        let (second, third) = (32 + 8, 32 + 16);
        words[second..second + 8].copy_from_slice(&[7, 57, 2 | forbidden::READS, 0, 11, 1, 0, 0]);
        words[third..third + 8].copy_from_slice(&[1, 0, 0, 0, 12, 0, 0, 0]);
        let found = Found {
            check: 1,
            count: 7,
            global_id: [107, 1, 8],
            local_id: [3, 1, 0],
            group_id: [1, 0, 1],
            sub_group: None,
            object: 2,
            size: 1 << 32,
            values: [11 | 1 << 32, 0],
        };
        let other = Found {
            check: 2,
            count: 1,
            global_id: [100, 0, 7],
            local_id: [0; 3],
            group_id: [0; 3],
            sub_group: None,
            object: 3,
            size: 12,
            values: [12, 0],
        };
        assert_eq!(sanitized.found(&words, &shape), [found, other]);
    }
}
