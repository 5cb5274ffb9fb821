//! Compare-and-exchanges: who they race with, and what they note, depends on whether they succeed.

use super::cells::{Clocks, Own};
use super::order::{ATOMICS, Granules, report};
use super::report::Reporter;
use super::watched::Watched;
use super::when;
use crate::passes::cursor::Cursor;
use clvk_ir::{AddressSpace, BinaryOp, CompareOp, ConvertOp, Type, Value};

/// What is known of a compare-and-exchange before it is executed. Who it races with is found out then,
/// because others may be ordered by it, and what it changes is noted when it has succeeded.
pub struct Attempt {
    pub check: u32,
    pub has: Value,
    /// The number of the first cell, `I64`, and how many there are.
    pub cells: (Value, u64),
    pub item: Value,
    pub clocks: Option<Clocks>,
    /// The words of a race anyway, and of one if it succeeds.
    pub races: [Value; 4],
}

/// Notes a compare-and-exchange that was executed, if it succeeded, and reports it if it races.
pub fn succeed(
    cursor: &mut Cursor<'_>,
    reporter: &mut Reporter<'_>,
    own: &Own<'_>,
    watched: &Watched,
    attempt: Attempt,
    succeeds: Value,
) {
    let Attempt { check, has, cells: (first, count), item, clocks, races } = attempt;
    when(cursor, has, |cursor| {
        let zero = cursor.int(Type::I32, 0);
        when(cursor, succeeds, |cursor| {
            let in_local = match watched.space {
                Some(AddressSpace::Generic) => {
                    let position = watched.shadow.position.expect("it has cells");
                    cursor.compare(CompareOp::UGe, position, own.local)
                }
                space => cursor.int(Type::BOOL, i64::from(space == Some(AddressSpace::Local))),
            };
            let ordered = Some(check);
            let (is_calm, asks, hash, through) = (false, false, item, None);
            let note =
                Granules { own, watched, in_local, ordered, is_calm, asks, item, clocks, hash, through };
            let first = cursor.convert(ConvertOp::Truncate, first, Type::I32);
            let begun = cursor.begin_loop(&[zero], &[]);
            let index = begun.carried[0];
            let last = cursor.int(Type::I32, count as i64);
            let ends = cursor.compare(CompareOp::UGe, index, last);
            cursor.exit_when(ends, true, begun.inst, &[]);
            let number = cursor.binary(BinaryOp::Add, first, index);
            let cell = note.cell(cursor, number);
            note.join(cursor, cell, ATOMICS);
            let next = cursor.binary_int(BinaryOp::Add, index, 1);
            cursor.end_loop(&begun, &[next]);
        });
        let [low, high, low_then, high_then] = races;
        let races_then = cursor.compare(CompareOp::Ne, high_then, zero);
        let then = cursor.binary(BinaryOp::And, succeeds, races_then);
        let race = [cursor.select(then, low_then, low), cursor.select(then, high_then, high)];
        report(cursor, reporter, check, watched.shadow, race);
    });
}
