//! `printf`: a record in the launch's print buffer (see [`mod@clvk_interface::print`]).
//!
//! Each call in the source becomes a function of its own ([`PRINT_FUNCTION`]), which writes the record, so
//! that targets with a `printf` of their own can put it in the function's place.

use super::builtin::Arguments;
use super::function::FunctionLowering;
use clvk_interface::print::STRING_LIMIT;
use clvk_interface::{ImplicitBuffer, PrintArgument};
use clvk_ir::{
    AddressSpace, BinaryOp, CompareOp, ConvertOp, Function, Op, PRINT_FUNCTION, Scalar, Type, Value,
};

impl FunctionLowering<'_, '_> {
    /// A call with the format at this position. Returns 0, or -1 if the buffer is full.
    pub fn print(&mut self, format: u32, arguments: &Arguments) -> Value {
        let name = format!("{PRINT_FUNCTION}{format}");
        self.lowering.module.linkage.internal_functions.insert(name.clone());
        let mut declared = Function::new(name, Some(Type::I32));
        declared.span = self.span;
        let params =
            arguments.values.iter().map(|&value| declared.add_param(self.function.ty(value))).collect();
        let mut inner = FunctionLowering::new(self.lowering, self.hir, declared);
        inner.span = self.span;
        let result = inner.print_record(format, params);
        inner.push(Op::Return, &[result], &[]);
        let function = inner.function;
        let func = self.lowering.module.functions.push(function);
        self.build().value(Op::Call(func), &arguments.values, Type::I32)
    }

    /// Writes the record of these values if there is room.
    fn print_record(&mut self, format: u32, values: Vec<Value>) -> Value {
        let pointer = Type::Pointer(AddressSpace::Global);
        let buffer = self.build().value(Op::ImplicitBuffer(ImplicitBuffer::Print), &[], pointer);
        let strings = self.strings_of(format, &values);
        let fixed = self.lowering.program.print_formats[format as usize].words();
        let mut count = self.function.int(Type::I32, i64::from(fixed));
        for text in strings.iter().flatten() {
            count = self.build().binary(BinaryOp::Add, count, text.words);
        }
        let capacity = self.build().pointer_offset(buffer, 4);
        let size = self.build().load(capacity, Type::I32, 4, false);
        let place = self.plain_call("print_place", &[buffer, count, size], Type::I32);
        let fits = self.fits(place, count, size);
        let (inst, regions) = self.construct(Op::If, &[fits], &[], 2);
        self.within(regions[0], |this| {
            let record = this.word_behind(buffer, place);
            let number = this.build().value(Op::PrintNumber(format), &[], Type::I32);
            this.build().store(record, number, 4, false);
            let mut offset = 4;
            for (&value, text) in values.iter().zip(&strings) {
                let words = match text {
                    Some(text) if text.address => {
                        let address = this.build().convert(ConvertOp::PointerToInt, value, Type::I64);
                        let mut words = this.words(address);
                        words.push(text.word);
                        words
                    }
                    Some(text) => vec![text.word],
                    None => this.words(value),
                };
                for word in words {
                    let target = this.build().pointer_offset(record, offset);
                    this.build().store(target, word, 4, false);
                    offset += 4;
                }
            }
            let mut target = this.build().pointer_offset(record, i64::from(fixed) * 4);
            for text in strings.iter().flatten() {
                this.copy_string(text, target);
                target = this.word_behind(target, text.words);
            }
            this.exit(inst, &[]);
        });
        self.within(regions[1], |this| {
            this.plain_action("print_lost", &[buffer, place, size]);
            this.exit(inst, &[]);
        });
        let (done, failed) = (self.function.int(Type::I32, 0), self.function.int(Type::I32, -1));
        self.build().select(fits, done, failed)
    }

    /// Whether a record at this place ends within the buffer.
    fn fits(&mut self, place: Value, count: Value, size: Value) -> Value {
        let mut build = self.build();
        let begins = build.compare(CompareOp::ULt, place, size);
        let rest = build.binary(BinaryOp::Sub, size, place);
        let ends = build.compare(CompareOp::ULe, count, rest);
        build.binary(BinaryOp::And, begins, ends)
    }

    /// The strings among the passed values, with their lengths: the format, if it is not known at compile
    /// time, and arguments.
    fn strings_of(&mut self, format: u32, values: &[Value]) -> Vec<Option<Text>> {
        let format = &self.lowering.program.print_formats[format as usize];
        let passed_format = format.text.is_none().then_some(Some((STRING_LIMIT, false)));
        let passed = format.arguments.iter().filter_map(|argument| match *argument {
            PrintArgument::String { limit, address } => Some(Some((limit, address))),
            PrintArgument::Value(..) => Some(None),
            PrintArgument::Text(_) => None,
        });
        let wanted: Vec<_> = passed_format.into_iter().chain(passed).collect();
        let of_value = |(&value, string): (&Value, Option<(u32, bool)>)| {
            let (limit, address) = string?;
            Some(self.measured(value, limit, address))
        };
        values.iter().zip(wanted).map(of_value).collect()
    }

    /// Searches for the end of a string, in at most `limit` bytes.
    fn measured(&mut self, pointer: Value, limit: u32, address: bool) -> Text {
        let space = self.function.ty(pointer).address_space().expect("a string is a pointer");
        let word = self.build().value(Op::StringWord { limit }, &[pointer], Type::I32);
        let words = self.plain_call("string_words", &[word], Type::I32);
        Text { pointer, space, word, words, address }
    }

    fn copy_string(&mut self, text: &Text, target: Value) {
        let name = format!("copy_string_{}", space_name(text.space));
        self.plain_action(&name, &[text.pointer, text.word, target]);
    }

    /// The address that is a number of words after another one.
    fn word_behind(&mut self, pointer: Value, words: Value) -> Value {
        let wide = self.build().convert(ConvertOp::ZeroExtend, words, Type::I64);
        let ty = self.function.ty(pointer);
        self.build().value(Op::PointerIndex { stride: 4 }, &[pointer, wide], ty)
    }

    /// The words of a value, lane by lane, the low one first.
    fn words(&mut self, value: Value) -> Vec<Value> {
        let mut words = Vec::new();
        for lane in 0..self.function.ty(value).lanes() as usize {
            let lane = self.lane(value, lane);
            match self.function.ty(lane) {
                Type::I32 => words.push(lane),
                ty if ty.access_size() == 4 => {
                    words.push(self.build().convert(ConvertOp::Bitcast, lane, Type::I32));
                }
                _ => {
                    let pair = self.build().convert(ConvertOp::Bitcast, lane, Type::Vector(Scalar::I32, 2));
                    words.extend((0..2).map(|half| self.lane(pair, half)));
                }
            }
        }
        words
    }
}

/// A string for a record.
struct Text {
    pointer: Value,
    space: AddressSpace,
    /// Its word in the record: its length, its position among the known strings, or a mark for a null pointer
    /// ([`Op::StringWord`]).
    word: Value,
    /// Words of its bytes in the record.
    words: Value,
    /// Whether the record also gets its address.
    address: bool,
}

/// The address space in the names of library functions.
pub(super) fn space_name(space: AddressSpace) -> &'static str {
    match space {
        AddressSpace::Private => "private",
        AddressSpace::Local => "local",
        AddressSpace::Global => "global",
        AddressSpace::Constant => "constant",
        AddressSpace::Generic => "generic",
    }
}
