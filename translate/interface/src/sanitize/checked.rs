//! What checks look at, and what is wrong where one fails.

use super::{Found, Kind, NULL_OBJECT, Race, Sanitized};
use crate::PrintArgument;
use crate::print::check::Mismatch;
use serde::{Deserialize, Serialize};

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs)]
pub enum Access {
    Read,
    Write,
    Atomic,
}

/// What a value decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Use {
    /// Which way the kernel goes.
    Branch,
    /// What an access reaches.
    Address,
    /// What others find in memory.
    Stored,
    /// What an image holds, or the result of an atomic operation or an operation of the group.
    Passed,
}

/// Arithmetic of signed integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs)]
pub enum Signed {
    Sum,
    Difference,
    Product,
    Negation,
}

/// What makes a floating-point number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FloatSource {
    /// A division.
    Quotient,
    /// A conversion to a type with fewer bits.
    Conversion,
    /// Other operations and functions.
    Other,
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
    /// The buffer's flags allow the access. Reports give the object and the byte offset in it.
    Allowed {
        /// What it does.
        access: Access,
        /// Bytes.
        bytes: u64,
    },
    /// A write is not through a pointer that was one to `const`. Reports give the same.
    Changeable {
        /// What it does.
        access: Access,
        /// Bytes.
        bytes: u64,
    },
    /// The coordinates of an access lie in the image. Reports give the coordinate and the size.
    Texel {
        /// What it does.
        access: Access,
    },
    /// The divisor is not zero. Reports give the dividend, if it is one number.
    Divisor {
        /// It is for a remainder.
        remainder: bool,
        /// Whether the numbers are signed.
        signed: bool,
        /// Their lanes.
        lanes: u32,
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
    /// The result of signed arithmetic fits its type. Reports give the operands, if they are single numbers.
    Overflow {
        /// The operation.
        operation: Signed,
        /// Bits of the type.
        bits: u32,
        /// Lanes of the operands.
        lanes: u32,
    },
    /// A shift's count is at least zero and less than the number of bits. Reports give it, if it is one
    /// number.
    Count {
        /// Bits of the number that is shifted.
        bits: u32,
        /// Lanes of the count.
        lanes: u32,
    },
    /// The result of an operation on finite numbers is finite. Reports give the bits of the result and of the
    /// last operand, if they are single numbers.
    Finite {
        /// The operation.
        source: FloatSource,
        /// Whether the bits are those of single precision rather than double.
        single: bool,
        /// Lanes of the result.
        lanes: u32,
    },
    /// All work-items of the group reach a barrier equally often. Reports give the least and the greatest
    /// number.
    Barrier,
    /// The same of an asynchronous copy.
    Copy,
    /// They make an asynchronous copy with the same arguments.
    CopyArguments,
    /// They wait for the same events.
    WaitArguments,
    /// They name the same work-item, whose value all of them get.
    BroadcastArguments,
    /// They reach the kernel's barriers in the same order.
    BarrierOrder,
    /// An event that is waited for is one of a copy.
    Event,
    /// A copy is waited for before the kernel ends.
    Unwaited,
    /// All work-items of the sub-group are at a place. Reports give how many are, and how many there are.
    SubGroup,
    /// They name the same work-item, whose value all of them get. Reports give its index, and another one.
    SubGroupIndex,
    /// An access of this many bytes is ordered with those of other work-items to the same memory. Reports
    /// give the object, the byte offset in it, and the other access ([`Race`]).
    Ordered {
        /// What it does.
        access: Access,
        /// Bytes.
        bytes: u64,
    },
    /// Memory that is written is reached through one argument alone, if it or the other one is `restrict`.
    /// Reports give the object, the byte offset in it, and a bit for each of the other arguments.
    Unaliased {
        /// What it does.
        access: Access,
        /// Bytes.
        bytes: u64,
        /// The number of the first argument's object.
        first: u32,
    },
    /// The memory that an access of this many bytes reads was written. Reports give the object and the byte
    /// offset in it.
    Written {
        /// What it does.
        access: Access,
        /// Bytes.
        bytes: u64,
    },
    /// A loop takes no more than this number of iterations, and is left then.
    Ends {
        /// Iterations.
        budget: u32,
    },
    /// The arguments of `printf` are those that its format takes. Reports give what is wrong
    /// ([`Mismatch::word`]).
    Format {
        /// The arguments after the format.
        arguments: Vec<PrintArgument>,
    },
    /// What an expression changes, it accesses once, or in a defined order. Reports give the object and the
    /// byte offset in it.
    Sequenced {
        /// Whether the other access changes it, too.
        twice: bool,
    },
    /// A value was made of memory that was written.
    Defined {
        /// What it decides.
        usage: Use,
    },
}

impl Checked {
    /// What the access that it is of does.
    fn access(&self) -> Option<Access> {
        match *self {
            Checked::Inside { access, .. }
            | Checked::Aligned { access, .. }
            | Checked::Allowed { access, .. }
            | Checked::Changeable { access, .. }
            | Checked::Ordered { access, .. }
            | Checked::Unaliased { access, .. }
            | Checked::Written { access, .. } => Some(access),
            Checked::Sequenced { .. } => Some(Access::Write),
            _ => None,
        }
    }

    /// Whether it is of an access to an object.
    #[must_use]
    pub fn is_of_access(&self) -> bool {
        self.access().is_some()
    }

    /// The kind of error that the check finds.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self {
            Checked::Inside { .. } | Checked::Texel { .. } => Kind::Bounds,
            Checked::Aligned { .. } => Kind::Alignment,
            Checked::Divisor { .. } | Checked::Quotient | Checked::Conversion { .. } => Kind::Arithmetic,
            Checked::Barrier
            | Checked::Copy
            | Checked::CopyArguments
            | Checked::WaitArguments
            | Checked::BroadcastArguments
            | Checked::BarrierOrder
            | Checked::Event
            | Checked::Unwaited
            | Checked::SubGroup
            | Checked::SubGroupIndex => Kind::Barriers,
            Checked::Ordered { .. } => Kind::Races,
            Checked::Ends { .. } => Kind::Loops,
            Checked::Format { .. } => Kind::Printf,
            Checked::Sequenced { .. } => Kind::Unsequenced,
            Checked::Allowed { .. } => Kind::Flags,
            Checked::Changeable { .. } => Kind::Constness,
            Checked::Unaliased { .. } => Kind::Restrict,
            Checked::Overflow { .. } => Kind::Overflow,
            Checked::Count { .. } => Kind::Shifts,
            Checked::Finite { .. } => Kind::Nan,
            Checked::Written { .. } | Checked::Defined { .. } => Kind::Uninitialised,
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

/// A floating-point number, given its bits.
fn shown(bits: u64, single: bool) -> String {
    if single { f32::from_bits(bits as u32).to_string() } else { f64::from_bits(bits).to_string() }
}

impl Signed {
    fn describe(self, lanes: u32, [first, second]: [i64; 2]) -> String {
        let (sign, noun) = match self {
            Signed::Sum => ("+", "a sum"),
            Signed::Difference => ("-", "a difference"),
            Signed::Product => ("*", "a product"),
            Signed::Negation if lanes == 1 => return format!("-({first})"),
            Signed::Negation => return "a negated number".to_owned(),
        };
        match (lanes, second) {
            (1, ..0) => format!("{first} {sign} ({second})"),
            (1, _) => format!("{first} {sign} {second}"),
            _ => noun.to_owned(),
        }
    }
}

fn with_article(access: Option<Access>) -> &'static str {
    match access {
        Some(Access::Read) => "a read",
        Some(Access::Write) => "a write",
        Some(Access::Atomic) => "an atomic operation",
        None => "an access",
    }
}

/// `1 byte`, `2 bytes`.
fn bytes(count: u64) -> String {
    format!("{count} byte{}", if count == 1 { "" } else { "s" })
}

/// An access outside of an object.
fn outside(access: Access, count: u64, sanitized: &Sanitized, found: &Found) -> String {
    let (what, object) = (access.noun(), sanitized.describe(found.object));
    if found.size == 0 {
        return format!("{what} of {} through {object}, which is null", bytes(count));
    }
    let place = match found.values[0] as i64 {
        before @ ..0 => format!("{} before the start", bytes(before.unsigned_abs())),
        _ => format!("at byte {}", found.values[0]),
    };
    format!("{what} of {} {place} of {object}, which has {}", bytes(count), bytes(found.size))
}

/// A division by zero.
fn divided_by_zero(remainder: bool, signed: bool, lanes: u32, dividend: u64) -> String {
    let what = if remainder { "remainder of a division by zero" } else { "division by zero" };
    let sign = if remainder { '%' } else { '/' };
    match (lanes, signed) {
        (1, true) => format!("{what}: {} {sign} 0", dividend as i64),
        (1, false) => format!("{what}: {dividend} {sign} 0"),
        _ => what.to_owned(),
    }
}

/// A result that is not a finite number.
fn not_finite(source: FloatSource, result: String, operand: &str) -> String {
    match source {
        FloatSource::Quotient if matches!(operand, "0" | "-0") => {
            format!("division by zero, whose quotient is {result}")
        }
        FloatSource::Conversion => {
            format!("the conversion of the finite number {operand} gives {result}")
        }
        _ => format!("the result is {result}, though the operands are finite"),
    }
}

/// A race.
fn raced(access: Access, count: u64, sanitized: &Sanitized, found: &Found) -> String {
    let [first, second] = found.values;
    let (what, object) = (access.noun(), sanitized.describe(found.object));
    let race = Race::read(second);
    let by = match race {
        Race { by_copy: true, .. } => "an asynchronous copy that was not waited for",
        Race { other_group: true, .. } => "another work-group",
        _ => "another work-item",
    };
    let other = race.other(sanitized).map_or("an access", |it| with_article(it.checked.access()));
    format!("{what} of {} at byte {first} of {object} races with {other} by {by}", bytes(count))
}

/// A use of what was not written.
fn undefined(usage: Use, sanitized: &Sanitized, found: &Found) -> String {
    let what = match usage {
        Use::Branch => "a condition depends on",
        Use::Address => "an address depends on",
        Use::Stored => "the stored value depends on",
        Use::Passed => "a value that others get depends on",
    };
    match sanitized.object(found.object) {
        Some(_) => format!("{what} {}, which was not written", sanitized.describe(found.object)),
        None => format!("{what} variables that were not written"),
    }
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
            Checked::Inside { access, bytes: count } => outside(access, count, sanitized, found),
            Checked::Aligned { access, align } => {
                let (what, object) = (access.noun(), sanitized.describe(found.object));
                format!("{what} at byte {first} of {object}, which is not a multiple of {align} bytes")
            }
            Checked::Allowed { access, bytes: count } => {
                let (what, object) = (access.noun(), sanitized.describe(found.object));
                let flag = if access == Access::Read { "CL_MEM_WRITE_ONLY" } else { "CL_MEM_READ_ONLY" };
                format!("{what} of {} at byte {first} of {object}, whose buffer is `{flag}`", bytes(count))
            }
            Checked::Changeable { access, bytes: count } => {
                let (what, object) = (access.noun(), sanitized.describe(found.object));
                format!("{what} of {} at byte {first} of {object}, which points to `const`", bytes(count))
            }
            Checked::Texel { access } => {
                let what = access.noun();
                format!("{what} at the coordinate {}, where the image has a size of {second}", first as i64)
            }
            Checked::Divisor { remainder, signed, lanes } => divided_by_zero(remainder, signed, lanes, first),
            Checked::Quotient => "the quotient does not fit: the least number is divided by -1".to_owned(),
            Checked::Conversion { bits, signed, single, lanes } => {
                let sign = if signed { "a signed" } else { "an unsigned" };
                let number = match lanes {
                    1 => format!("the number {}", shown(first, single)),
                    _ => "a number".to_owned(),
                };
                format!("{number} does not fit into {sign} integer of {bits} bits")
            }
            Checked::Overflow { operation, bits, lanes } => {
                let what = operation.describe(lanes, [first, second].map(|value| value as i64));
                format!("{what} does not fit into a signed integer of {bits} bits")
            }
            Checked::Count { bits, lanes: 1 } => {
                format!("a number of {bits} bits is shifted by {}", first as i64)
            }
            Checked::Count { bits, .. } => {
                format!("numbers of {bits} bits are shifted by numbers that are not from 0 to {}", bits - 1)
            }
            Checked::Finite { source, single, lanes: 1 } => {
                not_finite(source, shown(first, single), &shown(second, single))
            }
            Checked::Finite { .. } => {
                "the result has NaNs or infinities where the operands are finite".to_owned()
            }
            Checked::CopyArguments => {
                "the work-items of the work-group make this asynchronous copy with different arguments"
                    .to_owned()
            }
            Checked::WaitArguments => "the work-items of the work-group wait for different events".to_owned(),
            Checked::BroadcastArguments => {
                "the work-items of the work-group ask for the values of different work-items".to_owned()
            }
            Checked::Event => "wait for an event that no asynchronous copy has given".to_owned(),
            Checked::Unwaited => "the kernel ends without waiting for this asynchronous copy".to_owned(),
            Checked::SubGroup => {
                format!("only {first} of {second} work-items of the sub-group reach this together")
            }
            Checked::SubGroupIndex => format!(
                "the work-items of the sub-group ask for the values of different ones, such as {first} and {second}"
            ),
            Checked::Barrier | Checked::Copy => {
                let what = if *self == Checked::Copy { "asynchronous copy" } else { "barrier" };
                match first {
                    0 => format!("only some work-items of the work-group reach this {what}"),
                    _ => format!(
                        "some work-items of the work-group reach this {what} {first} times, and others {second} times"
                    ),
                }
            }
            Checked::Ordered { access, bytes: count } => raced(access, count, sanitized, found),
            Checked::Unaliased { access, bytes: count, first: number } => {
                let (what, object) = (access.noun(), sanitized.describe(found.object));
                let other = sanitized.describe(number + second.trailing_zeros());
                format!(
                    "{what} of {} at byte {first} of {object}, which {other} reaches, too, though one of them is \
                     `restrict`",
                    bytes(count)
                )
            }
            Checked::Written { access, bytes: count } => {
                let (what, object) = (access.noun(), sanitized.describe(found.object));
                format!("{what} of {} at byte {first} of {object} before it is written", bytes(count))
            }
            Checked::Sequenced { twice } => {
                let what = match twice {
                    true => "multiple unsequenced modifications of",
                    false => "unsequenced modification and access of",
                };
                format!("{what} byte {first} of {}", sanitized.describe(found.object))
            }
            Checked::Ends { budget } => {
                format!("the loop did not end after {budget} iterations, and was left")
            }
            Checked::Format { ref arguments } => {
                let mismatch = Mismatch::read(first);
                mismatch.map_or_else(String::new, |mismatch| mismatch.problem(arguments))
            }
            Checked::Defined { usage } => undefined(usage, sanitized, found),
            Checked::BarrierOrder => {
                "the work-items of the work-group reach barriers in different orders".to_owned()
            }
        }
    }
}
