//! From bytes to instructions (SPIR-V §2.3). An instruction is a view of the words; nothing is copied.

use crate::error::Error;
use rspirv::grammar::{INSTRUCTION_TABLE, OperandKind};
use rspirv::spirv::{MAGIC_NUMBER, Op};
use std::sync::{Arc, LazyLock};

/// An id of a module.
pub type Id = u32;

/// Words of the header.
pub const HEADER: usize = 5;

/// The words of a module, whose bytes may be of either order.
///
/// # Errors
/// The bytes are not a SPIR-V module.
pub fn words(bytes: &[u8]) -> Result<Arc<[u32]>, Error> {
    let (chunks, rest) = bytes.as_chunks::<4>();
    let Some(&first) = chunks.first() else {
        return Err(Error::of_module("the file is too short for a SPIR-V module"));
    };
    let is_little = match () {
        () if u32::from_le_bytes(first) == MAGIC_NUMBER => true,
        () if u32::from_be_bytes(first) == MAGIC_NUMBER => false,
        () => return Err(Error::of_module("this is not a SPIR-V module: its first word is another one")),
    };
    if !rest.is_empty() {
        return Err(Error::of_module("the module's size is not a multiple of 4 bytes: it may be cut off"));
    }
    Ok(match is_little {
        true => chunks.iter().map(|&chunk| u32::from_le_bytes(chunk)).collect(),
        false => chunks.iter().map(|&chunk| u32::from_be_bytes(chunk)).collect(),
    })
}

/// A literal of one or two words, the low one first (SPIR-V §2.2.1). Narrow numbers are sign-extended.
pub fn wide(words: &[u32]) -> Option<u64> {
    match *words {
        [low] => Some(u64::from(low)),
        [low, high] => Some(u64::from(low) | u64::from(high) << 32),
        _ => None,
    }
}

/// A string at the start of words (SPIR-V §2.2.1), and the words that follow it.
pub fn string(words: &[u32]) -> (String, &[u32]) {
    let mut bytes = Vec::with_capacity(32);
    for (index, word) in words.iter().enumerate() {
        for byte in word.to_le_bytes() {
            if byte == 0 {
                return (String::from_utf8_lossy(&bytes).into_owned(), &words[index + 1..]);
            }
            bytes.push(byte);
        }
    }
    (String::from_utf8_lossy(&bytes).into_owned(), &[])
}

/// The words that follow a string at the start of words.
pub fn after_string(words: &[u32]) -> &[u32] {
    let last = words.iter().position(|word| word.to_le_bytes().contains(&0));
    last.map_or(&[], |last| &words[last + 1..])
}

/// Whether words hold this string (SPIR-V §2.2.1).
pub fn holds_string(words: &[u32], text: &str) -> bool {
    let mut bytes = words.iter().flat_map(|word| word.to_le_bytes());
    text.bytes().all(|byte| bytes.next() == Some(byte)) && bytes.next() == Some(0)
}

/// An instruction.
#[derive(Clone, Copy, Debug)]
pub struct Instruction<'w> {
    /// Its number.
    pub opcode: u16,
    kind: Kind,
    /// The position of its first word in the module.
    pub at: usize,
    /// Its words. The first one holds number and length.
    words: &'w [u32],
}

impl<'w> Instruction<'w> {
    /// The operation, if it is a known one.
    #[inline]
    pub fn op(&self) -> Option<Op> {
        self.kind.op
    }

    /// The words of the instruction that `OpSpecConstantOp` computes.
    pub fn inner(&self) -> Vec<u32> {
        let mut words = Vec::with_capacity(self.words.len());
        words.push(
            (self.words.len() as u32 - 1) << 16 | (self.operands().first().copied().unwrap_or(0) & 0xFFFF),
        );
        words.extend_from_slice(&self.words[1..3]);
        words.extend_from_slice(self.operands().get(1..).unwrap_or_default());
        words
    }

    /// An instruction of words that are not in the module.
    pub fn of(words: &'w [u32], at: usize) -> Instruction<'w> {
        let opcode = words[0] as u16;
        Instruction { opcode, kind: kind(&KINDS, opcode), at, words }
    }

    /// The type of the result.
    #[inline]
    pub fn result_type(&self) -> Option<Id> {
        if self.kind.has_type { self.words.get(1).copied() } else { None }
    }

    /// The result.
    #[inline]
    pub fn result(&self) -> Option<Id> {
        let Kind { has_type, has_result, .. } = self.kind;
        if has_result { self.words.get(1 + usize::from(has_type)).copied() } else { None }
    }

    /// The words after the result.
    #[inline]
    pub fn operands(&self) -> &'w [u32] {
        let Kind { has_type, has_result, .. } = self.kind;
        self.words.get(1 + usize::from(has_type) + usize::from(has_result)..).unwrap_or_default()
    }

    /// An operand, which must be there.
    ///
    /// # Errors
    /// The instruction is too short.
    #[inline]
    pub fn operand(&self, index: usize) -> Result<u32, Error> {
        match self.operands().get(index) {
            Some(&operand) => Ok(operand),
            None => Err(self.lacks_operand()),
        }
    }

    #[cold]
    fn lacks_operand(&self) -> Error {
        self.error("the instruction lacks an operand")
    }

    /// Operands as a string (SPIR-V §2.2.1), and what follows it.
    pub fn string(&self, from: usize) -> (String, &'w [u32]) {
        string(self.operands().get(from..).unwrap_or_default())
    }

    /// An error at this instruction.
    pub fn error(&self, problem: impl Into<String>) -> Error {
        Error::at(self.at, self.opcode, problem)
    }
}

/// The instructions from a position on.
pub fn instructions(words: &[u32], from: usize) -> Instructions<'_> {
    Instructions { words, at: from, kinds: &KINDS }
}

/// An iterator over instructions, which ends after the first wrong one.
pub struct Instructions<'w> {
    words: &'w [u32],
    at: usize,
    kinds: &'static [Kind],
}

impl<'w> Iterator for Instructions<'w> {
    type Item = Result<Instruction<'w>, Error>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let &first = self.words.get(self.at)?;
        let (opcode, count) = (first as u16, (first >> 16) as usize);
        let (at, kind) = (self.at, kind(self.kinds, opcode));
        let least = 1 + usize::from(kind.has_type) + usize::from(kind.has_result);
        match self.words.get(at..at + count) {
            Some(words) if count >= least => {
                self.at += count;
                Some(Ok(Instruction { opcode, kind, at, words }))
            }
            words => Some(Err(self.wrong(opcode, words.is_some()))),
        }
    }
}

impl<'w> Instructions<'w> {
    /// Goes to the next instruction that is one of two, in words that the index has read.
    pub fn find_either(&mut self, ops: [Op; 2]) -> Option<Instruction<'w>> {
        while let Some(&first) = self.words.get(self.at) {
            if ops.iter().any(|&op| op as u32 == first & 0xFFFF) {
                return self.next()?.ok();
            }
            self.at += (first >> 16).max(1) as usize;
        }
        None
    }

    /// The error about the next instruction, which is not whole.
    #[cold]
    fn wrong(&mut self, opcode: u16, is_inside: bool) -> Error {
        let at = self.at;
        let count = (self.words[at] >> 16) as usize;
        if is_inside && count > 0 {
            self.at += count;
            return Error::at(at, opcode, "the instruction is too short");
        }
        self.at = self.words.len();
        Error::at(at, opcode, "the instruction's length is zero, or beyond the end of the module")
    }
}

/// What the number of an instruction says.
#[derive(Clone, Copy, Debug, Default)]
struct Kind {
    /// The operation, if it is a known one.
    op: Option<Op>,
    has_type: bool,
    has_result: bool,
}

#[inline]
fn kind(kinds: &[Kind], opcode: u16) -> Kind {
    kinds.get(usize::from(opcode)).copied().unwrap_or_default()
}

/// By number: rspirv's table is searched from its start.
static KINDS: LazyLock<Vec<Kind>> = LazyLock::new(|| {
    let mut kinds = Vec::new();
    for row in INSTRUCTION_TABLE.iter() {
        let number = row.opcode as usize;
        if kinds.len() <= number {
            kinds.resize(number + 1, Kind::default());
        }
        let has = |kind| row.operands.iter().any(|operand| operand.kind == kind);
        kinds[number] = Kind {
            op: Some(row.opcode),
            has_type: has(OperandKind::IdResultType),
            has_result: has(OperandKind::IdResult),
        };
    }
    kinds
});
