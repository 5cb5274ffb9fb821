//! Checks that accesses to global and local memory are ordered with those of other work-items, and that local
//! memory is written before it is read.
//!
//! The cell of each granule says who wrote, read and changed it last ([`mod@super::cells`]). Two accesses of
//! a work-group are ordered if one of its barriers for this memory lies between them, and two of different
//! work-groups if the clock says so. Work-items that write the same value do not race: programs do it to
//! raise flags.

use super::attempts::Attempt;
use super::cells::{Clocks, LAST_BARRIER, Own, atomic, has_cells, peek, poke, raise, shadow_memory};
use super::hash::hash;
use super::report::{Details, Reporter, step};
use super::restrict::{self, Through};
use super::shadow::Shadow;
use super::watched::Watched;
use super::{when, words_when};
use crate::passes::cursor::Cursor;
use clvk_interface::sanitize::{Access, Checked, FIRST_CELL, Kind, Kinds, Race, cell, forbidden};
use clvk_ir::{AddressSpace, AtomicOp, BinaryOp, CompareOp, ConvertOp, Op, Type, UnaryOp, Value};

/// The three words of a cell that say who made an access of a sort, and the one with its clock.
#[derive(Clone, Copy)]
pub struct Words {
    group: u32,
    item: u32,
    site: u32,
    clock: u32,
}

const WRITES: Words = Words {
    group: cell::WRITE_GROUP,
    item: cell::WRITE_ITEM,
    site: cell::WRITE_SITE,
    clock: cell::WRITE_CLOCK,
};
const READS: Words =
    Words { group: cell::READ_GROUP, item: cell::READ_ITEM, site: cell::READ_SITE, clock: cell::READ_CLOCK };
pub const ATOMICS: Words = Words {
    group: cell::ATOMIC_GROUP,
    item: cell::ATOMIC_ITEM,
    site: cell::ATOMIC_SITE,
    clock: cell::ATOMIC_CLOCK,
};

/// The last access of a sort.
struct Last {
    group: Value,
    item: Value,
    site: Value,
    /// If something orders work-groups.
    clock: Option<Value>,
    /// What else must hold for a race, if it was made by another group.
    if_foreign: Value,
    /// The same, if it was made by this one.
    if_near: Value,
}

/// What is found out about a granule.
#[derive(Clone, Copy)]
struct Finding {
    /// The words of a [`Race`], `I32`; the second is zero if there is none.
    race: [Value; 2],
    /// Zero if the memory was written, `I32`.
    unwritten: Value,
    /// The bits of other arguments that this one must not meet, `I32`.
    met: Value,
    /// The words of what races with an attempt if it succeeds.
    success: [Value; 2],
}

/// Checks an access before it is executed, if it is inside its object. What it gives is for
/// [`succeed`](super::attempts::succeed).
pub fn check(
    cursor: &mut Cursor<'_>,
    reporter: &mut Reporter<'_>,
    own: &Own<'_>,
    kinds: Kinds,
    watched: &Watched,
    inside: Option<Value>,
) -> Option<Attempt> {
    let position = watched.shadow.position.filter(|_| has_cells(watched.space))?;
    let is_global = watched.space == Some(AddressSpace::Global);
    // Of memory that others wrote before the launch only races matter.
    let known = cursor.function.as_bits(watched.shadow.object);
    let may_be_new = known.is_none_or(|object| object as u32 & forbidden::EARLY_READS != 0);
    // Arguments never share local memory.
    let may_meet = watched.space != Some(AddressSpace::Local);
    let promises = own.promises.filter(|_| kinds.has(Kind::Restrict) && may_meet);
    let is_asked =
        kinds.has(Kind::Races) || promises.is_some() || kinds.has(Kind::Uninitialised) && may_be_new;
    if watched.bytes == 0 || is_global && !is_asked {
        return None;
    }
    let is_local = match watched.space {
        Some(AddressSpace::Generic) => cursor.compare(CompareOp::UGe, position, own.local),
        space => cursor.int(Type::BOOL, i64::from(space == Some(AddressSpace::Local))),
    };
    let (granule, cells) = watched.granule(own.plan);
    let count = watched.bytes.div_ceil(1 << granule);
    let first = cursor.binary_int(BinaryOp::LShr, position, granule.into());
    let end = cursor.binary_int(BinaryOp::Add, first, count as i64);
    let end = if cells == 0 { end } else { cursor.binary_int(BinaryOp::Shl, end, cells.into()) };
    let mut has = cursor.compare(CompareOp::ULe, end, own.cells);
    if let Some(inside) = inside {
        has = cursor.binary(BinaryOp::And, has, inside);
    }
    if let Some(argument) = watched.argument {
        let watches = own.watches(cursor, argument);
        has = cursor.binary(BinaryOp::And, has, watches);
    }
    let bit = cursor.binary_int(BinaryOp::And, watched.shadow.object, i64::from(forbidden::EARLY_READS));
    let none = cursor.int(Type::I32, 0);
    let is_new = cursor.compare(CompareOp::Ne, bit, none);
    let is_watched = cursor.value(Op::Binary(BinaryOp::Or), &[is_local, is_new], Type::BOOL);
    if !kinds.has(Kind::Races) && promises.is_none() {
        has = cursor.value(Op::Binary(BinaryOp::And), &[has, is_watched], Type::BOOL);
    }
    let Watched { access, bytes, shadow, .. } = *watched;
    let reads = access != Access::Write && watched.uses && (may_be_new || !is_global);
    let is_safe = watched.quiet.is_some_and(|quiet| quiet.is_safe);
    let asks = kinds.has(Kind::Uninitialised) && reads && !is_safe && !own.is_unseen(watched.space);
    let (is_calm, tells) = (watched.is_calm(), kinds.has(Kind::Uninitialised) && watched.must_tell());
    if is_calm && promises.is_none() && !asks && !tells {
        return None;
    }
    let span = cursor.span();
    let looks = kinds.has(Kind::Races) && !is_calm;
    let ordered = looks.then(|| reporter.check(span, Checked::Ordered { access, bytes }));
    // A later one uses these.
    let early = watched.attempts.then(|| (own.item_word(cursor, is_local), own.clocks(cursor)));
    let races = words_when(cursor, has, |cursor| {
        let first = cursor.convert(ConvertOp::Truncate, first, Type::I32);
        let (item, clocks) = early.unwrap_or_else(|| (own.item_word(cursor, is_local), own.clocks(cursor)));
        let hash = watched.written.map_or_else(|| item, |value| hash(cursor, value));
        let writes = access == Access::Write || watched.changes || watched.attempts;
        let through = promises.map(|promises| promises.through(cursor, &shadow, writes));
        let mut granules = Granules {
            own,
            watched,
            in_local: is_local,
            ordered,
            is_calm,
            asks,
            item,
            clocks,
            hash,
            through,
        };
        let finding =
            if count == 1 { granules.one(cursor, first) } else { granules.all(cursor, first, count) };
        let zero = cursor.int(Type::I32, 0);
        if let Some(check) = ordered.filter(|_| !watched.attempts) {
            report(cursor, reporter, check, shadow, finding.race);
        }
        if let Some(promises) = promises {
            let met = (promises.first, finding.met);
            restrict::report(cursor, reporter, shadow, (access, bytes), met);
        }
        if asks {
            let unwritten = cursor.compare(CompareOp::Ne, finding.unwritten, zero);
            let fails = cursor.value(Op::Binary(BinaryOp::And), &[unwritten, is_watched], Type::BOOL);
            when(cursor, fails, |cursor| {
                let details = Details { object: Some(shadow.object), values: [Some(shadow.offset), None] };
                reporter.report(cursor, Checked::Written { access, bytes }, details);
            });
        }
        let ([low, high], [low_then, high_then]) = (finding.race, finding.success);
        [low, high, low_then, high_then]
    });
    let (check, (item, clocks)) = ordered.zip(early)?;
    Some(Attempt { check, has, cells: (first, count), item, clocks, races })
}

/// Reports a race, if there is one.
pub fn report(
    cursor: &mut Cursor<'_>,
    reporter: &mut Reporter<'_>,
    check: u32,
    shadow: Shadow,
    [low, high]: [Value; 2],
) {
    let zero = cursor.int(Type::I32, 0);
    let races = cursor.compare(CompareOp::Ne, high, zero);
    when(cursor, races, |cursor| {
        let [low, high] = [low, high].map(|half| cursor.convert(ConvertOp::ZeroExtend, half, Type::I64));
        let high = cursor.binary_int(BinaryOp::Shl, high, 32);
        let race = cursor.binary(BinaryOp::Or, high, low);
        let values = [Some(shadow.offset), Some(race)];
        reporter.fail(cursor, check, Details { object: Some(shadow.object), values });
    });
}

/// The cells of an access.
pub struct Granules<'w, 'p> {
    pub own: &'w Own<'p>,
    pub watched: &'w Watched,
    /// Whether the memory is local.
    pub in_local: Value,
    /// The check of races, if these are looked for.
    pub ordered: Option<u32>,
    /// Whether it cannot race ([`Watched::is_calm`]).
    pub is_calm: bool,
    /// Whether it matters that the memory was written.
    pub asks: bool,
    /// The work-item's own item word.
    pub item: Value,
    pub clocks: Option<Clocks>,
    /// Of what it writes.
    pub hash: Value,
    /// The argument that it is through, if that matters.
    pub through: Option<Through>,
}

impl Granules<'_, '_> {
    /// Several cells, the last finding of each sort.
    fn all(&mut self, cursor: &mut Cursor<'_>, first: Value, count: u64) -> Finding {
        let zero = cursor.int(Type::I32, 0);
        let results = [Type::I32; 6];
        let begun = cursor.begin_loop(&[zero; 7], &results);
        let [index, low, high, unwritten, met, low_then, high_then] = begun.carried[..] else {
            unreachable!("seven were given")
        };
        let last = cursor.int(Type::I32, count as i64);
        let ends = cursor.compare(CompareOp::UGe, index, last);
        cursor.exit_when(ends, true, begun.inst, &[low, high, unwritten, met, low_then, high_then]);
        let at = cursor.binary(BinaryOp::Add, first, index);
        let one = self.one(cursor, at);
        let races = cursor.compare(CompareOp::Ne, one.race[1], zero);
        let low = cursor.select(races, one.race[0], low);
        let high = cursor.select(races, one.race[1], high);
        let unwritten = cursor.binary(BinaryOp::Or, unwritten, one.unwritten);
        let met = cursor.binary(BinaryOp::Or, met, one.met);
        let races = cursor.compare(CompareOp::Ne, one.success[1], zero);
        let low_then = cursor.select(races, one.success[0], low_then);
        let high_then = cursor.select(races, one.success[1], high_then);
        let next = cursor.binary_int(BinaryOp::Add, index, 1);
        cursor.end_loop(&begun, &[next, low, high, unwritten, met, low_then, high_then]);
        let results = cursor.function.insts[begun.inst].results.clone();
        let (race, success) = ([results[0], results[1]], [results[4], results[5]]);
        Finding { race, unwritten: results[2], met: results[3], success }
    }

    /// The cell with a number.
    pub fn cell(&self, cursor: &mut Cursor<'_>, number: Value) -> Value {
        let start = shadow_memory(cursor);
        let start = step(cursor, start, FIRST_CELL);
        let (_, cells) = self.watched.granule(self.own.plan);
        let stride = (u64::from(self.own.plan.cells.words) * 4) << cells;
        let ty = cursor.function.ty(start);
        cursor.value(Op::PointerIndex { stride }, &[start, number], ty)
    }

    /// Checks and changes the cell with a number.
    fn one(&mut self, cursor: &mut Cursor<'_>, number: Value) -> Finding {
        let cell = self.cell(cursor, number);
        let none = cursor.int(Type::I32, 0);
        let met = self.through.map_or(none, |through| through.meet(cursor, cell));
        if self.is_calm {
            return Finding { met, ..self.calmly(cursor, cell) };
        }
        if self.ordered.is_none() {
            return Finding { met, ..self.only_written(cursor, cell) };
        }
        let meanwhile = self.watched.meanwhile;
        let zero = cursor.int(Type::I32, 0);
        let (mut race, mut success) = ([zero; 2], [zero; 2]);
        let writes = self.watched.access == Access::Write;
        let reads = self.watched.access == Access::Read && !self.watched.volatile;
        let mut written = if writes {
            self.write(cursor, cell, &mut race)
        } else if meanwhile.writes {
            self.look(cursor, cell, WRITES, &mut race)
        } else {
            self.peek_item(cursor, cell, WRITES)
        };
        if (writes || self.watched.changes) && meanwhile.reads {
            self.look(cursor, cell, READS, &mut race);
        }
        if self.watched.attempts {
            self.look(cursor, cell, READS, &mut success);
        }
        if self.own.has_atomics() {
            let item = if self.watched.changes {
                self.join(cursor, cell, ATOMICS)
            } else if (writes || reads) && meanwhile.atomics {
                self.look(cursor, cell, ATOMICS, &mut race)
            } else if meanwhile.notes_atomics {
                self.peek_item(cursor, cell, ATOMICS)
            } else {
                zero
            };
            written = cursor.binary(BinaryOp::Or, written, item);
        }
        if reads && (meanwhile.writes || meanwhile.atomics) {
            self.join(cursor, cell, READS);
        }
        Finding { race, unwritten: self.is_zero(cursor, written), met, success }
    }

    /// The item word of a sort, if it matters.
    fn peek_item(&self, cursor: &mut Cursor<'_>, cell: Value, words: Words) -> Value {
        if !self.asks {
            return cursor.int(Type::I32, 0);
        }
        let item = step(cursor, cell, words.item);
        peek(cursor, item)
    }

    /// Where nothing can race: remembers only that something was written.
    fn calmly(&self, cursor: &mut Cursor<'_>, cell: Value) -> Finding {
        let mut written = self.peek_item(cursor, cell, WRITES);
        if self.own.has_atomics() && self.watched.quiet.is_none() && self.watched.meanwhile.notes_atomics {
            let item = self.peek_item(cursor, cell, ATOMICS);
            written = cursor.binary(BinaryOp::Or, written, item);
        }
        let zero = cursor.int(Type::I32, 0);
        if self.watched.must_tell() {
            let is_new = cursor.compare(CompareOp::Eq, written, zero);
            let word = step(cursor, cell, WRITES.item);
            when(cursor, is_new, |cursor| poke(cursor, word, self.item));
        }
        let none = [zero; 2];
        Finding { race: none, unwritten: self.is_zero(cursor, written), met: zero, success: none }
    }

    /// Where races are not looked for: remembers only that something was written.
    fn only_written(&self, cursor: &mut Cursor<'_>, cell: Value) -> Finding {
        let zero = cursor.int(Type::I32, 0);
        let word = step(cursor, cell, cell::WRITE_ITEM);
        let written = match self.watched.access {
            Access::Read => peek(cursor, word),
            Access::Write | Access::Atomic => raise(cursor, word, self.own.group),
        };
        let none = [zero; 2];
        Finding { race: none, unwritten: self.is_zero(cursor, written), met: zero, success: none }
    }

    /// 1 if a number is zero, and 0 otherwise.
    fn is_zero(&self, cursor: &mut Cursor<'_>, value: Value) -> Value {
        let (zero, one) = (cursor.int(Type::I32, 0), cursor.int(Type::I32, 1));
        let is_zero = cursor.compare(CompareOp::Eq, value, zero);
        cursor.select(is_zero, one, zero)
    }

    /// Who made the last accesses of a sort: group word and item word.
    fn who(&self, cursor: &mut Cursor<'_>, cell: Value, words: Words) -> (Value, Value) {
        let item = step(cursor, cell, words.item);
        let item = peek(cursor, item);
        if self.is_local() {
            return (self.group_of(cursor, item), item);
        }
        let group = step(cursor, cell, words.group);
        let group = peek(cursor, group);
        (self.settled(cursor, group, item), item)
    }

    /// The group word of memory that may be local, where others know that it is.
    fn settled(&self, cursor: &mut Cursor<'_>, group: Value, item: Value) -> Value {
        if self.watched.space != Some(AddressSpace::Generic) {
            return group;
        }
        let own = self.group_of(cursor, item);
        cursor.select(self.in_local, own, group)
    }

    /// Whether the memory is surely local. Its cells need no group words, because one group uses them.
    fn is_local(&self) -> bool {
        self.watched.space == Some(AddressSpace::Local)
    }

    /// The group word that local memory would have.
    fn group_of(&self, cursor: &mut Cursor<'_>, item: Value) -> Value {
        let zero = cursor.int(Type::I32, 0);
        let none = cursor.compare(CompareOp::Eq, item, zero);
        cursor.select(none, zero, self.own.group)
    }

    /// Notes the own group in a word; gives what was there.
    fn note_group(&self, cursor: &mut Cursor<'_>, word: Value, item: Value) -> Value {
        match self.is_local() {
            true => self.group_of(cursor, item),
            false => {
                let group = raise(cursor, word, self.own.group);
                self.settled(cursor, group, item)
            }
        }
    }

    /// The clock of the last access of a sort, if there is one.
    fn time(&self, cursor: &mut Cursor<'_>, cell: Value, words: Words) -> Option<Value> {
        self.clocks.map(|_| {
            let clock = step(cursor, cell, words.clock);
            peek(cursor, clock)
        })
    }

    /// Checks against the last accesses of a sort; gives their item word.
    fn look(&self, cursor: &mut Cursor<'_>, cell: Value, words: Words, race: &mut [Value; 2]) -> Value {
        let (group, item) = self.who(cursor, cell, words);
        let site = step(cursor, cell, words.site);
        let site = peek(cursor, site);
        let clock = self.time(cursor, cell, words);
        let always = cursor.int(Type::BOOL, 1);
        let last = Last { group, item, site, clock, if_foreign: always, if_near: always };
        self.conflict(cursor, last, race);
        item
    }

    /// Whether the item word of the own group says that another work-item came to as many barriers.
    fn is_near(&self, cursor: &mut Cursor<'_>, item: Value) -> Value {
        let differs = cursor.binary(BinaryOp::Xor, item, self.item);
        let less = cursor.binary_int(BinaryOp::Sub, differs, 1);
        let most = cursor.int(Type::I32, 0xffff);
        let near = cursor.compare(CompareOp::ULt, less, most);
        let last = cursor.int(Type::I32, LAST_BARRIER);
        let counts = cursor.compare(CompareOp::ULt, self.item, last);
        cursor.binary(BinaryOp::And, near, counts)
    }

    /// Whether a group word is of another group.
    fn is_foreign(&self, cursor: &mut Cursor<'_>, group: Value) -> Value {
        let zero = cursor.int(Type::I32, 0);
        let any = cursor.compare(CompareOp::Ne, group, zero);
        let other = cursor.compare(CompareOp::Ne, group, self.own.group);
        cursor.binary(BinaryOp::And, any, other)
    }

    /// Notes a race with the accesses of a sort that others made.
    fn conflict(&self, cursor: &mut Cursor<'_>, last: Last, race: &mut [Value; 2]) {
        let Last { group, item, site, clock, if_foreign, if_near } = last;
        let foreign = match self.is_local() {
            true => cursor.int(Type::BOOL, 0),
            false => self.is_foreign(cursor, group),
        };
        let own = cursor.compare(CompareOp::Eq, group, self.own.group);
        let near = self.is_near(cursor, item);
        let near = cursor.binary(BinaryOp::And, own, near);
        let mut is_foreign = cursor.binary(BinaryOp::And, foreign, if_foreign);
        let mut is_near = cursor.binary(BinaryOp::And, near, if_near);
        if let Some((Clocks { groups, items, .. }, clock)) = self.clocks.zip(clock) {
            let later = cursor.compare(CompareOp::UGt, clock, groups);
            is_foreign = cursor.binary(BinaryOp::And, is_foreign, later);
            let later = cursor.compare(CompareOp::UGt, clock, items);
            is_near = cursor.binary(BinaryOp::And, is_near, later);
        }
        if let Some(open) = self.own.is_open(cursor, item, self.item) {
            let open = cursor.binary(BinaryOp::And, own, open);
            let open = cursor.binary(BinaryOp::And, open, if_foreign);
            is_near = cursor.binary(BinaryOp::Or, is_near, open);
        }
        let races = cursor.binary(BinaryOp::Or, is_foreign, is_near);
        let flagged = cursor.binary_int(BinaryOp::Or, site, i64::from(Race::OTHER_GROUP));
        let low = cursor.select(is_foreign, flagged, site);
        let high = cursor.select(is_foreign, group, item);
        *race = [cursor.select(races, low, race[0]), cursor.select(races, high, race[1])];
    }

    /// Forgets the accesses of a sort that other groups made, if all of them are ordered before this one.
    fn forget(&self, cursor: &mut Cursor<'_>, cell: Value, words: Words) {
        let Some(Clocks { groups, .. }) = self.clocks.filter(|_| !self.is_local()) else { return };
        let [clock, group] = [words.clock, words.group].map(|word| {
            let word = step(cursor, cell, word);
            peek(cursor, word)
        });
        let earlier = cursor.compare(CompareOp::ULe, clock, groups);
        let foreign = cursor.compare(CompareOp::Ne, group, self.own.group);
        let mut ordered = cursor.binary(BinaryOp::And, earlier, foreign);
        if self.watched.space == Some(AddressSpace::Generic) {
            // Local memory has no group words.
            let in_local = self.in_local;
            let is_global = cursor.value(Op::Unary(UnaryOp::Not), &[in_local], Type::BOOL);
            ordered = cursor.binary(BinaryOp::And, ordered, is_global);
        }
        when(cursor, ordered, |cursor| {
            let zero = cursor.int(Type::I32, 0);
            for word in [words.group, words.item] {
                let word = step(cursor, cell, word);
                poke(cursor, word, zero);
            }
        });
    }

    /// Notes when this access is made.
    fn note_time(&self, cursor: &mut Cursor<'_>, cell: Value, words: Words) {
        if let Some(Clocks { now, .. }) = self.clocks {
            let clock = step(cursor, cell, words.clock);
            raise(cursor, clock, now);
        }
    }

    /// The number of this access.
    fn site(&self, cursor: &mut Cursor<'_>) -> Value {
        cursor.int(Type::I32, self.ordered.unwrap_or(0).into())
    }

    /// Notes a write, and races with other writes; gives the item word that was there.
    fn write(&self, cursor: &mut Cursor<'_>, cell: Value, race: &mut [Value; 2]) -> Value {
        self.forget(cursor, cell, WRITES);
        let [group_word, item_word, value_word] =
            [WRITES.group, WRITES.item, cell::VALUE].map(|word| step(cursor, cell, word));
        let item = atomic(cursor, AtomicOp::UMax, item_word, self.item);
        let group = self.note_group(cursor, group_word, item);
        let barriers = cursor.binary_int(BinaryOp::And, self.item, LAST_BARRIER);
        let low = cursor.binary_int(BinaryOp::And, self.hash, 0xffff);
        let value = cursor.binary(BinaryOp::Or, barriers, low);
        let old = atomic(cursor, AtomicOp::Exchange, value_word, value);
        let differs = cursor.binary(BinaryOp::Xor, old, value);
        let halves = cursor.binary_int(BinaryOp::And, differs, 0xffff);
        let zero = cursor.int(Type::I32, 0);
        let other_value = cursor.compare(CompareOp::Ne, halves, zero);
        let most = cursor.int(Type::I32, 0x1_0000);
        let same_time = cursor.compare(CompareOp::ULt, differs, most);
        let other_now = cursor.binary(BinaryOp::And, other_value, same_time);
        let clock = self.time(cursor, cell, WRITES);
        self.note_time(cursor, cell, WRITES);
        let (place, site) = (step(cursor, cell, WRITES.site), self.site(cursor));
        // Drivers execute work-items in step, so another one may be at the same instruction.
        let site = atomic(cursor, AtomicOp::Exchange, place, site);
        let last = Last { group, item, site, clock, if_foreign: other_value, if_near: other_now };
        self.conflict(cursor, last, race);
        item
    }

    /// Joins those who made accesses of a sort; gives the item word that was there.
    pub fn join(&self, cursor: &mut Cursor<'_>, cell: Value, words: Words) -> Value {
        self.forget(cursor, cell, words);
        let [group_word, item_word] = [words.group, words.item].map(|word| step(cursor, cell, word));
        let item = raise(cursor, item_word, self.item);
        let group = self.note_group(cursor, group_word, item);
        if !self.is_local() {
            let others = self.is_foreign(cursor, group);
            let many = cursor.int(Type::I32, i64::from(cell::MANY));
            let known = cursor.compare(CompareOp::Eq, group, many);
            let new = cursor.value(Op::Unary(UnaryOp::Not), &[known], Type::BOOL);
            let others = cursor.binary(BinaryOp::And, others, new);
            when(cursor, others, |cursor| {
                atomic(cursor, AtomicOp::UMax, group_word, many);
            });
        }
        let others = self.is_near(cursor, item);
        let many = cursor.binary_int(BinaryOp::Or, self.item, 0xffff);
        let new = cursor.compare(CompareOp::Ne, item, many);
        let others = cursor.binary(BinaryOp::And, others, new);
        when(cursor, others, |cursor| {
            atomic(cursor, AtomicOp::UMax, item_word, many);
        });
        self.note_time(cursor, cell, words);
        // Where the last one of several was is as good as where any of them was.
        let changes = cursor.compare(CompareOp::ULt, item, self.item);
        when(cursor, changes, |cursor| {
            let (place, site) = (step(cursor, cell, words.site), self.site(cursor));
            poke(cursor, place, site);
        });
        item
    }
}
