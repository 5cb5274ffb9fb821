//! `printf`: a record in the launch's print buffer (see [`mod@clvk_interface::print`]).

use super::builtin::Arguments;
use super::function::FunctionLowering;
use clvk_interface::ImplicitBuffer;
use clvk_ir::{AddressSpace, CompareOp, ConvertOp, Op, Scalar, Type, Value};

impl FunctionLowering<'_, '_> {
    /// A call with the format at this position: writes the record where there is room. Gives 0, or -1 if there is none.
    pub fn print(&mut self, format: u32, arguments: &Arguments) -> Value {
        let pointer = Type::Pointer(AddressSpace::Global);
        let buffer = self.build().value(Op::ImplicitBuffer(ImplicitBuffer::Print), &[], pointer);
        let count = self.lowering.program.print_formats[format as usize].words();
        let count = self.function.int(Type::I32, i64::from(count));
        let reserve = self.lowering.library_function(
            "__clvk_print_place".to_owned(),
            &[pointer, Type::I32],
            Some(Type::I32),
        );
        let place = self.build().value(Op::Call(reserve), &[buffer, count], Type::I32);
        let zero = self.function.int(Type::I32, 0);
        let fits = self.build().compare(CompareOp::Ne, place, zero);
        let (inst, regions) = self.construct(Op::If, &[fits], &[], 2);
        self.within(regions[0], |this| {
            let wide = this.build().convert(ConvertOp::ZeroExtend, place, Type::I64);
            let record = this.build().value(Op::PointerIndex { stride: 4 }, &[buffer, wide], pointer);
            let number = this.build().value(Op::PrintNumber(format), &[], Type::I32);
            this.build().store(record, number, 4, false);
            let mut offset = 4;
            for &value in &arguments.values {
                for word in this.words(value) {
                    let target = this.build().pointer_offset(record, offset);
                    this.build().store(target, word, 4, false);
                    offset += 4;
                }
            }
            this.exit(inst, &[]);
        });
        self.within(regions[1], |this| this.exit(inst, &[]));
        let (done, failed) = (self.function.int(Type::I32, 0), self.function.int(Type::I32, -1));
        self.build().select(fits, done, failed)
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
