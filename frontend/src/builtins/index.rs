//! The rows of all chapters as one table, with an index by name. Both are computed at build time, so that the
//! first lookup of a built-in function costs no more than the next.

use super::pattern;
use super::table::{Row, Strategy};
use super::{
    async_copy, bfloat16, device, enqueue, family, general, group, images, math, matrix, pipes,
    synchronization, unsupported,
};
use clvk_interface::fnv1a;

/// All rows with a single name.
const CHAPTERS: &[&[Row]] = &[
    device::ROWS,
    device::ATOMICS,
    synchronization::ROWS,
    synchronization::ATOMICS,
    async_copy::ROWS,
    images::ROWS,
    images::OF_LIBRARY,
    math::ROWS,
    math::OF_LIBRARY,
    general::ROWS,
    family::ROWS,
    pipes::ROWS,
    matrix::ROWS,
    bfloat16::ROWS,
    enqueue::ROWS,
    group::SINGLE,
    group::SUB_GROUP,
    group::UNIFORM,
];

/// All rows whose names are patterns.
static PATTERNS: &[&[Row]] = &[family::PATTERNS, unsupported::PATTERNS];

const COUNT: usize = {
    let (mut count, mut chapter) = (0, 0);
    while chapter < CHAPTERS.len() {
        count += CHAPTERS[chapter].len();
        chapter += 1;
    }
    count
};

/// Slots of the hash table: a power of two, at most half of them taken.
const SLOTS: usize = (2 * COUNT).next_power_of_two();

/// The position of a name's rows in the table.
#[derive(Clone, Copy)]
struct Slot {
    start: u16,
    /// 0 if the slot is free.
    count: u16,
}

struct Table {
    /// The rows of a name are adjacent.
    rows: [Row; COUNT],
    /// The positions of the chapters' rows, in the order of the chapters.
    order: [u16; COUNT],
    slots: [Slot; SLOTS],
}

static TABLE: Table = table();

const fn table() -> Table {
    let mut slots = [Slot { start: 0, count: 0 }; SLOTS];
    // Counts the rows of each name. Until the next step, `start` is the number of its first row.
    let mut found = [0; COUNT];
    let mut number = 0;
    while number < COUNT {
        let slot = slot_of(&slots, row(number).name);
        if slots[slot].count == 0 {
            slots[slot].start = number as u16;
        }
        slots[slot].count += 1;
        found[number] = slot;
        number += 1;
    }
    let (mut rows, mut order) = ([*row(0); COUNT], [0; COUNT]);
    let mut filled = [0; SLOTS];
    let (mut number, mut end) = (0, 0);
    while number < COUNT {
        let slot = found[number];
        if filled[slot] == 0 {
            slots[slot].start = end;
            end += slots[slot].count;
        }
        order[number] = slots[slot].start + filled[slot];
        rows[order[number] as usize] = *row(number);
        filled[slot] += 1;
        number += 1;
    }
    Table { rows, order, slots }
}

/// The row of this number, counted through the chapters.
const fn row(mut number: usize) -> &'static Row {
    let mut chapter = 0;
    while number >= CHAPTERS[chapter].len() {
        number -= CHAPTERS[chapter].len();
        chapter += 1;
    }
    &CHAPTERS[chapter][number]
}

/// For building the table: the slot that a name has, or else the free one that it will take.
const fn slot_of(slots: &[Slot; SLOTS], name: &str) -> usize {
    let mut slot = fnv1a(name.as_bytes()) as usize % SLOTS;
    while slots[slot].count > 0 && !same(row(slots[slot].start as usize).name, name) {
        slot = (slot + 1) % SLOTS;
    }
    slot
}

const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut at = 0;
    while at < a.len() {
        if a[at] != b[at] {
            return false;
        }
        at += 1;
    }
    true
}

/// The rows with exactly this name.
fn rows_of(name: &str) -> Option<&'static [Row]> {
    let mut slot = fnv1a(name.as_bytes()) as usize % SLOTS;
    loop {
        let Slot { start, count } = TABLE.slots[slot];
        if count == 0 {
            return None;
        }
        let rows = &TABLE.rows[usize::from(start)..][..usize::from(count)];
        if rows[0].name == name {
            return Some(rows);
        }
        slot = (slot + 1) % SLOTS;
    }
}

/// A built-in function, found by its name.
#[derive(Clone, Copy, Debug)]
pub struct Builtin {
    /// Its rows: several only if they are overloads of each other.
    pub rows: &'static [Row],
    /// How calls are checked; never [`Strategy::Pattern`].
    pub strategy: Strategy,
}

/// The built-in function that is called `name`.
#[must_use]
pub fn lookup(name: &str) -> Option<Builtin> {
    if let Some(rows) = rows_of(name) {
        return Some(Builtin { rows, strategy: rows[0].strategy });
    }
    PATTERNS.iter().copied().flatten().find_map(|row| {
        let parts = pattern::parts(row.name, name)?;
        let strategy = match row.strategy {
            Strategy::Pattern(member) => Strategy::Family(member(&parts)),
            other => other,
        };
        Some(Builtin { rows: std::slice::from_ref(row), strategy })
    })
}

/// All rows of OpenCL C except those that only the library calls, in the order of the chapters.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    let rows = TABLE.order.iter().map(|&at| &TABLE.rows[usize::from(at)]);
    let rows = rows.chain(PATTERNS.iter().copied().flatten());
    rows.filter(|row| !row.name.starts_with("__") && !row.is_of_opencl_cxx)
}

/// The names of all functions, to suggest one of them for a misspelled name.
pub fn names() -> impl Iterator<Item = String> {
    rows().flat_map(Row::names)
}
