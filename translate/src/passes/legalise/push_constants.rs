//! Replaces push constants that a block cannot declare by words.
//!
//! The members of a block do not overlap, are aligned to their scalars' sizes, and need features of their own
//! if they have 8 or 16 bits. A kernel may read a push constant in several ways (a union passed by value), at
//! an odd offset (in a packed structure), or as a small value on a device without those features. Such reads
//! become reads of 32-bit words, from which the value is extracted.

use crate::passes::cursor::Cursor;
use clvk_interface::DeviceProfile;
use clvk_ir::{BinaryOp, ConvertOp, Function, Op, Scalar, Type, Value};
use std::collections::BTreeSet;

/// Changes a function's push constants so that each can be a member of a block.
pub fn normalise(function: &mut Function, profile: &DeviceProfile) {
    let words = shared_words(function, profile);
    if words.is_empty() {
        return;
    }
    let mut cursor = Cursor::new(function);
    while let Some(inst) = cursor.advance() {
        let Op::PushConstant { offset } = cursor.function.insts[inst].op else {
            cursor.keep(inst);
            continue;
        };
        let result = cursor.result(inst);
        let ty = cursor.function.ty(result);
        if (ty == Type::I32 && offset % 4 == 0) || !words_of(offset, ty).any(|word| words.contains(&word)) {
            cursor.keep(inst);
            continue;
        }
        let scalar = ty.scalar().expect("push constants are scalars and vectors");
        let lanes: Vec<Value> = (0..ty.lanes())
            .map(|lane| from_words(&mut cursor, offset + lane * scalar.size(), scalar))
            .collect();
        let value = cursor.construct(&lanes);
        cursor.replace(result, value);
    }
}

fn words_of(offset: u32, ty: Type) -> impl Iterator<Item = u32> {
    offset / 4..(offset + ty.access_size()).div_ceil(4)
}

/// The words that must be read as whole words.
fn shared_words(function: &Function, profile: &DeviceProfile) -> BTreeSet<u32> {
    let mut reads: BTreeSet<(u32, Type)> = BTreeSet::new();
    function.walk(|_, data| {
        if let Op::PushConstant { offset } = data.op {
            reads.insert((offset, function.ty(data.results[0])));
        }
    });
    let mut words: BTreeSet<u32> = BTreeSet::new();
    let reads: Vec<(u32, Type)> = reads.into_iter().collect();
    let mut end = 0;
    let mut last: Option<(u32, Type)> = None;
    for &(offset, ty) in &reads {
        let bits = ty.scalar().map_or(32, Scalar::bits);
        let too_small = (bits == 8 && !(profile.push_constant_8bit && profile.native_int8()))
            || (bits == 16 && !(profile.push_constant_16bit && profile.native_int16()))
            || (ty.scalar() == Some(Scalar::F16) && !profile.native_half());
        if too_small || !can_be_member(offset, ty, profile) {
            words.extend(words_of(offset, ty));
        }
        if let Some((last_offset, last_type)) = last.filter(|_| offset < end) {
            words.extend(words_of(offset, ty));
            words.extend(words_of(last_offset, last_type));
        }
        if offset + ty.access_size() > end {
            end = offset + ty.access_size();
            last = Some((offset, ty));
        }
    }
    // A read that shares a word with one of these is composed of words too.
    loop {
        let before = words.len();
        for &(offset, ty) in &reads {
            if words_of(offset, ty).any(|word| words.contains(&word)) {
                words.extend(words_of(offset, ty));
            }
        }
        if words.len() == before {
            return words;
        }
    }
}

/// Whether a block may have a member of this type at this offset: aligned to its scalars and, unless the
/// device has the scalar layout, not a vector across a 16-byte boundary where it could avoid that (Vulkan,
/// "Offset and Stride Assignment").
fn can_be_member(offset: u32, ty: Type, profile: &DeviceProfile) -> bool {
    let scalar = ty.scalar().map_or(4, Scalar::size);
    let size = ty.access_size();
    let straddles =
        if size > 16 { !offset.is_multiple_of(16) } else { offset / 16 != (offset + size - 1) / 16 };
    offset.is_multiple_of(scalar) && (profile.scalar_block_layout || ty.lanes() == 1 || !straddles)
}

/// The scalar at a byte offset, composed of words.
fn from_words(cursor: &mut Cursor<'_>, offset: u32, scalar: Scalar) -> Value {
    match scalar.size() {
        8 => {
            let (low, high) = (word_at(cursor, offset, 4), word_at(cursor, offset + 4, 4));
            let pair = cursor.construct(&[low, high]);
            cursor.bitcast(pair, Type::Scalar(scalar))
        }
        4 => {
            let word = word_at(cursor, offset, 4);
            cursor.bitcast(word, Type::Scalar(scalar))
        }
        size => {
            let word = word_at(cursor, offset, size);
            let small = cursor.convert(ConvertOp::Truncate, word, Type::Scalar(Scalar::int(size * 8)));
            cursor.bitcast(small, Type::Scalar(scalar))
        }
    }
}

/// A word whose lowest `size` bytes are those at a byte offset.
fn word_at(cursor: &mut Cursor<'_>, offset: u32, size: u32) -> Value {
    let aligned =
        |cursor: &mut Cursor<'_>, offset: u32| cursor.value(Op::PushConstant { offset }, &[], Type::I32);
    let (start, within) = (offset & !3, offset % 4);
    let first = aligned(cursor, start);
    if within == 0 {
        return first;
    }
    let low = cursor.binary_int(BinaryOp::LShr, first, i64::from(within * 8));
    if within + size <= 4 {
        return low;
    }
    let second = aligned(cursor, start + 4);
    let high = cursor.binary_int(BinaryOp::Shl, second, i64::from(32 - within * 8));
    cursor.binary(BinaryOp::Or, low, high)
}
