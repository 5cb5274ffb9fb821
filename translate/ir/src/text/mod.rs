//! The text form of the IR: a printer, and a parser of everything that it prints.
//!
//! ```text
//! ; A comment runs to the end of the line.
//! print "256420" int 1, text "6162"
//! global @table: constant size 8 align 4 = bytes "0100000002000000"
//!
//! kernel @scale(
//!   %0: ptr.global "data" "float*" buffer element f32 signed,
//!   %1: f32 "factor" "float" value size 4 align 4 element f32 signed,
//! ) {
//!   %2: i64 = workitem.global_id 0:i32
//!   %3: ptr.global = index %0, %2 stride 4
//!   %4: f32 = load %3 align 4
//!   %5: bool = folt %4, 0.0:f32
//!   %6 = if %5 -> (f32) {
//!     yield 0.0:f32
//!   } else {
//!     %7: f32 = fmul contract %4, %1
//!     yield %7
//!   }
//!   store %3, %6 align 4
//!   return
//! }
//! ```
//!
//! - Values are numbered in the order in which they are printed; the parser accepts any name, such as
//!   `%limit`. A value has its type where it is defined. Constants are written where they are used: `7:i32`,
//!   `true`, `1.5:f32`, `0x7fc00000:f32` (a bit pattern), `<1, 2>:i32x2`, `null:ptr.global`, `undef:f32x4`;
//!   `@name` is the address of a variable at module scope.
//! - `yield` leaves the enclosing construct, and `exit ^label` an outer one with that label; `continue`
//!   enters the continuing region of the innermost loop, and `continue ^label` that of another; `next`
//!   returns to the body.
//! - `print` is a call of `printf`: its format, or `passed`, and its arguments as in
//!   [`clvk_interface::PrintArgument`]. Strings are bytes in hexadecimal, and `string 64` is a string of at
//!   most 64 bytes in the record.
//! - `global @size: global read_only …` is a variable in global memory that keeps its contents.
//! - An `if` without `else` has an else region that only yields nothing.
//! - `loop ^0 (%8: i32 = %init) -> (f32) { … } continuing (%9: i32) { … next %10 }`; an unroll hint precedes
//!   the label: `loop unroll 4 ^0`, `loop unroll full`.
//! - `switch %0 -> (i32) { case 1, 2 { … } default { … } }`
//! - An operation's attributes follow its operands: `load %p align 4 volatile`,
//!   `barrier execution workgroup memory workgroup flags [local]`.
//!
//! Spans are not printed, nor are fast-math flags of operations that ignore them. Nothing here recurses with
//! the depth of regions.

mod lex;
mod names;
mod number;
mod numbering;
mod parse;
mod print;
mod print_module;

pub use names::op_names;
pub use parse::{ParseError, parse_module};
pub use print::{inst_to_string, op_name};

pub(crate) use numbering::Numbering;
