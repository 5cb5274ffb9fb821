//! Accesses to memory that exists only in words: of small values where the device lacks 8- or 16-bit access,
//! of parts of words with atomic operations on them, and of values that are not at multiples of their size.
//!
//! A load reads the words that hold a value and shifts out its bytes. A store replaces whole words where the
//! value covers them. In a word that it covers only partly, it replaces the bytes of the value, in a loop
//! around an atomic compare-exchange. So work-items that store to neighbouring bytes of a word do not disturb
//! each other (the bytes of different work-items are different memory locations, OpenCL C §6.3.5), and a
//! reader sees the old or the new byte, never a third one. A word is touched only if the value covers one of
//! its bytes.

use super::{
    access::{Flags, Place},
    pointers::Lowering,
    views::View,
};
use clvk_ir::{
    BinaryOp, CompareOp, ConvertOp, MemoryOrder, Op, Scalar, Scope, Type, Value, Variable, VariableSpace,
};

/// The unit that memory consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    /// 32 bits.
    Single,
    /// 64 bits, with atomic operations on them.
    Double,
}

impl Word {
    /// The word of the memory at a place, if it may have to be accessed by words.
    pub fn of(place: Place<'_>) -> Option<Word> {
        match place {
            Place::Address(_) => Some(Word::Single),
            Place::Element(view, ..) => view.word,
        }
    }

    /// Its size.
    pub fn bytes(self) -> u32 {
        match self {
            Word::Single => 4,
            Word::Double => 8,
        }
    }

    /// Its type.
    pub fn ty(self) -> Type {
        Type::Scalar(Scalar::int(self.bytes() * 8))
    }

    /// A word with all bits set.
    fn ones(self) -> u64 {
        u64::MAX >> (64 - self.bytes() * 8)
    }
}

/// Words of memory, and where a value begins in the first of them.
struct Words<'v> {
    word: Word,
    base: Base<'v>,
    /// Byte offset in the first word, a 32-bit value.
    within: Value,
    /// Bit offset in the first word, of the word's type.
    shift: Value,
    volatile: bool,
}

#[derive(Clone, Copy)]
enum Base<'v> {
    /// Address of the first word.
    Address(Value),
    /// Index of the first word in an array.
    Element(&'v View, Variable, Value),
}

impl Words<'_> {
    /// Size of a word in bytes.
    fn bytes(&self) -> u32 {
        self.word.bytes()
    }

    /// The number of bytes from the start of word `index` to the end of a value of `total` bytes, if `within`
    /// were zero.
    fn bytes_from(&self, total: u32, index: u32) -> i64 {
        i64::from(total) - i64::from(index * self.bytes())
    }
}

impl Lowering<'_, '_> {
    /// Whether a value at this place is extracted from words.
    pub fn is_in_words(&self, place: Place<'_>, ty: Type, flags: Flags) -> bool {
        let scalar = ty.scalar().expect("values in memory are scalars or vectors");
        match place {
            // For a misaligned value, the units in which it would be accessed.
            Place::Address(_) => match scalar.size().min(flags.align) {
                1 => !self.profile().buffers_hold_8bit(),
                2 => !self.profile().buffers_hold_16bit(),
                _ => false,
            },
            Place::Element(view, ..) => {
                view.word.is_some_and(|word| scalar.size().min(flags.align) < word.bytes())
            }
        }
    }

    fn words<'v>(&mut self, place: Place<'v>, flags: Flags) -> Words<'v> {
        let word = Word::of(place).expect("the memory is made of words");
        let size = i64::from(word.bytes());
        let (base, within) = match place {
            Place::Address(address) => {
                let first = self.cursor.binary_int(BinaryOp::And, address, !3);
                let low = self.cursor.convert(ConvertOp::Truncate, address, Type::I32);
                (Base::Address(first), low)
            }
            Place::Element(view, variable, offset) => {
                let first =
                    self.cursor.binary_int(BinaryOp::LShr, offset, i64::from(view.stride - view.scale));
                let bytes = self.cursor.binary_int(BinaryOp::Shl, offset, i64::from(view.scale));
                (Base::Element(view, variable, first), bytes)
            }
        };
        let align = i64::from(flags.align);
        let within = match align < size {
            true => self.cursor.binary_int(BinaryOp::And, within, size - align),
            false => self.cursor.int(Type::I32, 0),
        };
        let wide = self.as_word(within, word);
        let shift = self.cursor.binary_int(BinaryOp::Shl, wide, 3);
        Words { word, base, within, shift, volatile: flags.volatile }
    }

    /// A 32-bit number as a word.
    fn as_word(&mut self, number: Value, word: Word) -> Value {
        match word {
            Word::Single => number,
            Word::Double => self.cursor.convert(ConvertOp::ZeroExtend, number, word.ty()),
        }
    }

    /// The word in which a value begins: a pointer to it, and the number of bits before the value, in the
    /// word's type.
    pub fn word_of(&mut self, place: Place<'_>, flags: Flags) -> (Word, Value, Value) {
        let words = self.words(place, flags);
        let none = self.cursor.int(Type::I32, 0);
        (words.word, self.word_pointer(&words, none), words.shift)
    }

    /// A pointer to the word that comes `further` words after the first; `further` is a 32-bit value.
    fn word_pointer(&mut self, words: &Words<'_>, further: Value) -> Value {
        match words.base {
            Base::Address(address) => {
                let wide = self.cursor.convert(ConvertOp::ZeroExtend, further, Type::I64);
                let bytes = self.cursor.binary_int(BinaryOp::Shl, wide, 2);
                let address = self.cursor.binary(BinaryOp::Add, address, bytes);
                self.physical_pointer(address, false)
            }
            Base::Element(view, variable, first) => {
                let index = self.cursor.binary(BinaryOp::Add, first, further);
                self.element_pointer_at(view, variable, index)
            }
        }
    }

    fn load_word(&mut self, words: &Words<'_>, further: Value) -> Value {
        let pointer = self.word_pointer(words, further);
        let op = Op::Load { align: words.bytes(), volatile: words.volatile };
        self.cursor.value(op, &[pointer], words.word.ty())
    }

    /// Loads a value from words.
    pub fn load_from_words(&mut self, place: Place<'_>, ty: Type, flags: Flags) -> Value {
        let words = self.words(place, flags);
        let total = ty.access_size();
        let count = total.div_ceil(words.bytes());
        let aligned = self.cursor.function.as_bits(words.within) == Some(0);
        // A value that is aligned to its size lies in one word.
        let spans = !aligned && total > flags.align;
        let mut loaded: Vec<Value> = Vec::new();
        for index in 0..count + u32::from(spans) {
            let mut further = self.cursor.int(Type::I32, i64::from(index));
            if spans && words.bytes_from(total, index) < i64::from(words.bytes()) {
                // The last word that holds a byte of the value, if it is not this one.
                let last = self.cursor.binary_int(BinaryOp::Add, words.within, i64::from(total) - 1);
                let log2 = i64::from(words.bytes().ilog2());
                let last = self.cursor.binary_int(BinaryOp::LShr, last, log2);
                further = self.cursor.value(Op::Binary(BinaryOp::UMin), &[further, last], Type::I32);
            }
            loaded.push(self.load_word(&words, further));
        }
        let parts: Vec<Value> = (0..count as usize)
            .map(|index| {
                let low = self.cursor.binary(BinaryOp::LShr, loaded[index], words.shift);
                match loaded.get(index + 1).filter(|_| spans) {
                    Some(&next) => {
                        let high = self.upper_bits(next, &words);
                        self.cursor.binary(BinaryOp::Or, low, high)
                    }
                    None => low,
                }
            })
            .collect();
        self.value_of_words(words.word, &parts, ty)
    }

    /// The shift, less one, that aligns the bits of the next word to the one in which a value begins.
    fn complement(&mut self, words: &Words<'_>) -> Value {
        let last = self.cursor.int(words.word.ty(), i64::from(words.bytes()) * 8 - 1);
        self.cursor.binary(BinaryOp::Sub, last, words.shift)
    }

    /// `value << (bits of a word - shift)`, and zero for a shift of zero.
    fn upper_bits(&mut self, value: Value, words: &Words<'_>) -> Value {
        let complement = self.complement(words);
        let moved = self.cursor.binary(BinaryOp::Shl, value, complement);
        self.cursor.binary_int(BinaryOp::Shl, moved, 1)
    }

    /// `value >> (bits of a word - shift)`, and zero for a shift of zero.
    fn lower_bits(&mut self, value: Value, words: &Words<'_>) -> Value {
        let complement = self.complement(words);
        let moved = self.cursor.binary(BinaryOp::LShr, value, complement);
        self.cursor.binary_int(BinaryOp::LShr, moved, 1)
    }

    /// The value whose bytes are those of the words, lowest first; surplus bytes of the last word are
    /// ignored.
    fn value_of_words(&mut self, word: Word, words: &[Value], ty: Type) -> Value {
        let scalar = ty.scalar().expect("values in memory are scalars or vectors");
        let (size, bytes) = (scalar.size(), word.bytes());
        if size >= bytes {
            let units = (size / bytes) as usize;
            let lanes: Vec<Value> = words.chunks(units).map(|parts| self.join(parts, scalar)).collect();
            return self.cursor.construct(&lanes);
        }
        if ty.access_size().is_multiple_of(bytes) {
            let whole = self.cursor.construct(words);
            return self.cursor.bitcast(whole, ty);
        }
        let lanes: Vec<Value> = (0..ty.lanes())
            .map(|lane| {
                let byte = lane * size;
                let word = words[(byte / bytes) as usize];
                let shifted = self.cursor.binary_int(BinaryOp::LShr, word, i64::from(byte % bytes * 8));
                let bits = Type::Scalar(Scalar::int(scalar.bits()));
                let lane = self.cursor.convert(ConvertOp::Truncate, shifted, bits);
                self.cursor.bitcast(lane, Type::Scalar(scalar))
            })
            .collect();
        self.cursor.construct(&lanes)
    }

    /// The words that hold a value's bytes, lowest first; surplus bytes of the last one are zero.
    fn words_of_value(&mut self, word: Word, value: Value) -> Vec<Value> {
        let ty = self.cursor.function.ty(value);
        let scalar = ty.scalar().expect("values in memory are scalars or vectors");
        let (size, bytes) = (scalar.size(), word.bytes());
        if size >= bytes {
            let lanes = self.cursor.lanes(value);
            return lanes.into_iter().flat_map(|lane| self.split(lane, size / bytes, word.ty())).collect();
        }
        let count = ty.access_size() / bytes;
        if ty.access_size().is_multiple_of(bytes) {
            let whole = self.cursor.bitcast(value, Type::with_lanes(Scalar::int(bytes * 8), count));
            return self.cursor.lanes(whole);
        }
        let mut words: Vec<Value> = Vec::new();
        for lane in 0..ty.lanes() {
            let byte = lane * size;
            let part = self.cursor.extract(value, lane);
            let part = self.cursor.bitcast(part, Type::Scalar(Scalar::int(scalar.bits())));
            let part = self.cursor.convert(ConvertOp::ZeroExtend, part, word.ty());
            let part = self.cursor.binary_int(BinaryOp::Shl, part, i64::from(byte % bytes * 8));
            let index = (byte / bytes) as usize;
            match words.get(index).copied() {
                Some(word) => words[index] = self.cursor.binary(BinaryOp::Or, word, part),
                None => words.push(part),
            }
        }
        words
    }

    /// Stores a value into words.
    pub fn store_to_words(&mut self, place: Place<'_>, value: Value, flags: Flags) {
        let total = self.cursor.function.ty(value).access_size();
        let words = self.words(place, flags);
        let parts = self.words_of_value(words.word, value);
        let aligned = self.cursor.function.as_bits(words.within) == Some(0);
        let spans = !aligned && total > flags.align;
        for index in 0..total.div_ceil(words.bytes()) + u32::from(spans) {
            let further = self.cursor.int(Type::I32, i64::from(index));
            let mut bits: Option<Value> = None;
            if let Some(&part) = parts.get(index as usize) {
                bits = Some(self.cursor.binary(BinaryOp::Shl, part, words.shift));
            }
            if let Some(&before) =
                (index as usize).checked_sub(1).and_then(|at| parts.get(at)).filter(|_| spans)
            {
                let over = self.lower_bits(before, &words);
                bits = Some(match bits {
                    Some(bits) => self.cursor.binary(BinaryOp::Or, bits, over),
                    None => over,
                });
            }
            let bits = bits.expect("each word holds bytes of this part or of the one before");
            let mask = self.covered(&words, index, total, spans);
            self.store_masked(&words, further, bits, mask);
        }
    }

    /// The bits of a word that a value covers.
    fn covered(&mut self, words: &Words<'_>, index: u32, total: u32, spans: bool) -> Value {
        let (ty, bytes) = (words.word.ty(), i64::from(words.bytes()));
        let ones = self.cursor.int(ty, -1);
        let rest = words.bytes_from(total, index);
        if !spans {
            let mask = self.cursor.int(ty, if rest >= bytes { -1 } else { (1 << (rest * 8)) - 1 });
            return self.cursor.binary(BinaryOp::Shl, mask, words.shift);
        }
        let begin = if index == 0 { self.cursor.binary(BinaryOp::Shl, ones, words.shift) } else { ones };
        if rest >= bytes {
            return begin;
        }
        // The value ends `rest + within` bytes into this word. This is not before its start, because `rest`
        // is greater than minus a word and the word was only added for values that may begin late, and at
        // most at its end.
        let end = self.cursor.binary_int(BinaryOp::Add, words.within, rest);
        let zero = self.cursor.int(Type::I32, 0);
        let end = self.cursor.value(Op::Binary(BinaryOp::SMax), &[end, zero], Type::I32);
        let most = self.cursor.int(Type::I32, bytes);
        let end = self.cursor.value(Op::Binary(BinaryOp::SMin), &[end, most], Type::I32);
        let bits = self.cursor.binary_int(BinaryOp::Shl, end, 3);
        // All bits below `bits`, which may be the width of the word.
        let last = self.cursor.int(Type::I32, bytes * 8);
        let unused = self.cursor.binary(BinaryOp::Sub, last, bits);
        let unused = self.as_word(unused, words.word);
        let shifted = self.cursor.binary(BinaryOp::LShr, ones, unused);
        let none = self.cursor.compare(CompareOp::Eq, end, zero);
        let nothing = self.cursor.int(ty, 0);
        let below = self.cursor.select(none, nothing, shifted);
        self.cursor.binary(BinaryOp::And, begin, below)
    }

    /// Replaces the bits of a word that are in the mask.
    fn store_masked(&mut self, words: &Words<'_>, further: Value, bits: Value, mask: Value) {
        match self.cursor.function.as_bits(mask) {
            Some(0) => {}
            Some(all) if all == words.word.ones() => self.store_word(words, further, bits),
            Some(_) => self.exchange_bits(words, further, bits, mask),
            None if self.never_whole(words.word, mask) => self.exchange_bits(words, further, bits, mask),
            None => {
                let ones = self.cursor.int(words.word.ty(), -1);
                let whole = self.cursor.compare(CompareOp::Eq, mask, ones);
                self.either(
                    whole,
                    |this| this.store_word(words, further, bits),
                    |this| {
                        let zero = this.cursor.int(words.word.ty(), 0);
                        let some = this.cursor.compare(CompareOp::Ne, mask, zero);
                        this.either(some, |this| this.exchange_bits(words, further, bits, mask), |_| {});
                    },
                );
            }
        }
    }

    /// Whether a mask is a shifted constant with fewer bits than a word.
    fn never_whole(&self, word: Word, mask: Value) -> bool {
        let function = &*self.cursor.function;
        function.defining_inst(mask).is_some_and(|inst| {
            let data = &function.insts[inst];
            matches!(data.op, Op::Binary(BinaryOp::Shl))
                && function.as_bits(data.operands[0]).is_some_and(|bits| bits != word.ones())
        })
    }

    fn store_word(&mut self, words: &Words<'_>, further: Value, bits: Value) {
        let pointer = self.word_pointer(words, further);
        let op = Op::Store { align: words.bytes(), volatile: words.volatile };
        self.cursor.push(op, &[pointer, bits], &[], &[]);
    }

    fn either(
        &mut self,
        condition: Value,
        if_true: impl FnOnce(&mut Self),
        if_false: impl FnOnce(&mut Self),
    ) {
        let regions = [self.cursor.function.add_region(), self.cursor.function.add_region()];
        let owner = self.cursor.push(Op::If, &[condition], &[], &regions);
        self.cursor.open(regions[0]);
        if_true(self);
        self.cursor.push(Op::Exit(owner), &[], &[], &[]);
        self.cursor.close();
        self.cursor.open(regions[1]);
        if_false(self);
        self.cursor.push(Op::Exit(owner), &[], &[], &[]);
        self.cursor.close();
    }

    /// Replaces bits of a word. If others may change it at the same time, repeats until the rest is as it was
    /// read.
    fn exchange_bits(&mut self, words: &Words<'_>, further: Value, bits: Value, mask: Value) {
        let first = self.load_word(words, further);
        let kept = self.cursor.value(Op::Unary(clvk_ir::UnaryOp::Not), &[mask], words.word.ty());
        let bits = self.cursor.binary(BinaryOp::And, bits, mask);
        if self.space(words) == Some(VariableSpace::Private) {
            let rest = self.cursor.binary(BinaryOp::And, first, kept);
            let new = self.cursor.binary(BinaryOp::Or, rest, bits);
            return self.store_word(words, further, new);
        }
        let pointer = self.word_pointer(words, further);
        let exchange = Op::AtomicCompareExchange {
            success: MemoryOrder::Relaxed,
            failure: MemoryOrder::Relaxed,
            scope: self.word_scope(words),
        };
        self.exchange_or_repeat(exchange, pointer, first, |this, _, found| {
            let rest = this.cursor.binary(BinaryOp::And, found, kept);
            this.cursor.binary(BinaryOp::Or, rest, bits)
        });
    }

    fn word_scope(&self, words: &Words<'_>) -> Scope {
        if self.space(words) == Some(VariableSpace::Local) { Scope::WorkGroup } else { Scope::Device }
    }

    /// The storage of words that are not reached by address.
    fn space(&self, words: &Words<'_>) -> Option<VariableSpace> {
        match words.base {
            Base::Element(_, variable, _) => Some(self.cursor.function.variables[variable].space),
            _ => None,
        }
    }
}
