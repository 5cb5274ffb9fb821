//! Statements and control flow.

use super::{Exchange, Generator, Scope, Target};
use clvk_ir::{
    AddressSpace, BinaryOp, CompareOp, ConvertOp, FenceFlags, GroupArithmetic, Inst, Op, Region, Scalar,
    Scope as Sharing, SubGroupOp, Type, UnrollHint, Value,
};

/// The depth to which constructs are nested.
const DEPTH: u32 = 3;

impl Generator<'_> {
    /// Generates statements; returns whether the end of the region can be reached.
    pub(super) fn statements(&mut self, scope: &mut Scope, most: u64) -> bool {
        for _ in 0..=self.random.below(most) {
            if self.fuel == 0 {
                break;
            }
            self.fuel -= 1;
            if !self.statement(scope) {
                return false;
            }
        }
        true
    }

    fn statement(&mut self, scope: &mut Scope) -> bool {
        match self.random.below(24) {
            0..=4 => self.store(scope),
            5 => self.copy_or_clear(scope),
            6 => self.variable(scope),
            7 | 8 => self.derive(scope),
            9 => self.relate(scope),
            10 => self.own_atomic(scope),
            11 => self.count(scope),
            12 if scope.depth == 0 => self.exchange(scope),
            13 if scope.depth == 0 => self.sub_group(scope),
            12 | 13 if !scope.exits.is_empty() => {
                let target = scope.exits[self.random.below(scope.exits.len() as u64) as usize].clone();
                self.leave(scope, &target);
                return false;
            }
            14 if !scope.loops.is_empty() => {
                let target = scope.loops[self.random.below(scope.loops.len() as u64) as usize].clone();
                self.continue_loop(scope, &target);
                return false;
            }
            15 if scope.depth > 0 && !self.meets => {
                self.finish(scope);
                return false;
            }
            14..=20 if scope.depth < DEPTH => self.construct(scope),
            _ => {
                let ty = self.some_type();
                let value = self.new_value(scope, ty, 1);
                scope.values.push(value);
                self.show(scope, value);
            }
        }
        true
    }

    /// Shows the contents of some variables and some values, and ends the kernel.
    pub(super) fn finish(&mut self, scope: &mut Scope) {
        for _ in 0..2 {
            self.store(scope);
            let value = self.random.pick(&scope.values);
            self.show(scope, value);
        }
        self.builder.push(Op::Return, &[], &[]);
    }

    /// A barrier, a store of each work-item's word, a barrier, and a load of another one's word.
    fn exchange(&mut self, scope: &mut Scope) {
        let Some(Exchange { start, item, items }) = self.exchange else { return };
        let value = self.value(scope, Type::I32, 1);
        self.meet(Sharing::WorkGroup);
        let own = self.builder.pointer_index(start, item, 4);
        self.builder.store(own, value, 4, false);
        self.meet(Sharing::WorkGroup);
        let distance = 1 + self.random.below(3) as i64;
        let distance = self.builder.function.int(Type::I32, distance);
        let other = self.builder.binary(BinaryOp::Add, item, distance);
        let other = self.builder.binary(BinaryOp::URem, other, items);
        let other = self.builder.pointer_index(start, other, 4);
        let value = self.builder.load(other, Type::I32, 4, false);
        scope.values.push(value);
        self.show(scope, value);
        if let Some(rows) = self.rows {
            self.exchange_row(scope, rows, value);
        }
    }

    /// Each work-item stores a vector, replaces a word of another one's, and loads the four of a third one's.
    fn exchange_row(&mut self, scope: &mut Scope, rows: Value, word: Value) {
        let Some(Exchange { item, items, .. }) = self.exchange else { return };
        let vector = self.value(scope, Type::Vector(Scalar::I32, 4), 1);
        let own = self.builder.pointer_index(rows, item, 16);
        self.builder.store(own, vector, 16, false);
        self.meet(Sharing::WorkGroup);
        let one = self.builder.function.int(Type::I32, 1);
        let next = self.builder.binary(BinaryOp::Add, item, one);
        let next = self.builder.binary(BinaryOp::URem, next, items);
        let lane = self.random.below(4) as i64;
        let next = self.builder.pointer_index(rows, next, 16);
        let replaced = self.builder.pointer_offset(next, lane * 4);
        self.builder.store(replaced, word, 4, false);
        self.meet(Sharing::WorkGroup);
        let reversed = self.builder.binary(BinaryOp::Sub, items, one);
        let reversed = self.builder.binary(BinaryOp::Sub, reversed, item);
        let other = self.builder.pointer_index(rows, reversed, 16);
        let words = [0, 1, 2, 3].map(|turn| {
            let pointer = self.builder.pointer_offset(other, (lane + turn) % 4 * 4);
            self.builder.load(pointer, Type::I32, 4, false)
        });
        scope.values.extend(words);
        self.show(scope, words[0]);
    }

    fn meet(&mut self, execution: Sharing) {
        let flags = FenceFlags::LOCAL | FenceFlags::GLOBAL;
        self.builder.push(Op::Barrier { execution, memory: Sharing::WorkGroup, flags }, &[], &[]);
    }

    /// A sub-group operation.
    fn sub_group(&mut self, scope: &mut Scope) {
        use GroupArithmetic::*;
        if !self.meets {
            return;
        }
        let scalar = self.random.pick(&[Scalar::I8, Scalar::I16, Scalar::I32, Scalar::I64]);
        let ty = Type::Scalar(scalar);
        let arithmetic = self.random.pick(&[Add, Mul, SMin, UMin, SMax, UMax, And, Or, Xor]);
        if matches!(arithmetic, Add | And) {
            self.meet(Sharing::SubGroup);
        }
        let (op, operand, result) = match self.random.below(9) {
            0 => (SubGroupOp::All, Type::BOOL, Type::BOOL),
            1 => (SubGroupOp::Any, Type::BOOL, Type::BOOL),
            2 => (SubGroupOp::Ballot, Type::BOOL, Type::Vector(Scalar::I32, 4)),
            3 => (SubGroupOp::BroadcastFirst, ty, ty),
            4 => (SubGroupOp::Reduce(arithmetic), ty, ty),
            5 => (SubGroupOp::InclusiveScan(arithmetic), ty, ty),
            6 => (SubGroupOp::ExclusiveScan(arithmetic), ty, ty),
            7 => (SubGroupOp::ClusteredReduce(arithmetic), ty, ty),
            _ => (SubGroupOp::Broadcast, ty, ty),
        };
        let mut operands = vec![self.value(scope, operand, 1)];
        match op {
            SubGroupOp::ClusteredReduce(_) => {
                let size = self.random.pick(&[1, 2, 4]);
                operands.push(self.builder.function.int(Type::I32, size));
            }
            // The first work-item always takes part.
            SubGroupOp::Broadcast => operands.push(self.builder.function.int(Type::I32, 0)),
            _ => {}
        }
        let value = self.builder.value(Op::SubGroup(op), &operands, result);
        scope.values.push(value);
        self.show(scope, value);
    }

    fn leave(&mut self, scope: &mut Scope, target: &Target) {
        let values = self.values_of(scope, &target.types);
        self.builder.push(Op::Exit(target.inst), &values, &[]);
    }

    fn values_of(&mut self, scope: &mut Scope, types: &[Type]) -> Vec<Value> {
        types
            .iter()
            .map(|&ty| match ty {
                Type::Pointer(_) => {
                    let found = scope.places.iter().rev().find(|place| self.ty(place.pointer) == ty);
                    found.expect("the types are those of places in scope").pointer
                }
                _ => self.value(scope, ty, 2),
            })
            .collect()
    }

    /// The first parameter of a continuing region is the loop's counter; the others are any values.
    fn continue_loop(&mut self, scope: &mut Scope, target: &Target) {
        let body = self.builder.function.insts[target.inst].regions[0];
        let counter = self.builder.function.regions[body].params[0];
        let mut values = vec![counter];
        values.extend(self.values_of(scope, &target.types));
        self.builder.push(Op::Continue(target.inst), &values, &[]);
    }

    fn construct(&mut self, scope: &mut Scope) {
        let results: Vec<Type> = (0..self.random.below(3)).map(|_| self.result_type()).collect();
        let inst = match self.random.below(6) {
            0 | 1 => self.choice(scope, &results),
            2 => self.switch(scope, &results),
            3 => {
                let region = self.builder.function.add_region();
                let inst = self.builder.push_with_regions(Op::Block, &[], &results, &[region]);
                self.fill(scope, inst, &[region], &results);
                inst
            }
            _ => self.counted_loop(scope, &results),
        };
        let results = self.builder.function.insts[inst].results.to_vec();
        scope.values.extend(&results);
        for value in results {
            self.show(scope, value);
        }
    }

    fn result_type(&mut self) -> Type {
        match self.random.below(6) {
            0 => Type::BOOL,
            1 => Type::I64,
            _ => self.some_type(),
        }
    }

    fn choice(&mut self, scope: &mut Scope, results: &[Type]) -> Inst {
        let condition = self.value(scope, Type::BOOL, 1);
        let regions = [self.builder.function.add_region(), self.builder.function.add_region()];
        let inst = self.builder.push_with_regions(Op::If, &[condition], results, &regions);
        self.fill(scope, inst, &regions, results);
        inst
    }

    fn switch(&mut self, scope: &mut Scope, results: &[Type]) -> Inst {
        let ty = self.random.pick(&[Type::I8, Type::I16, Type::I32, Type::I64]);
        let value = self.value(scope, ty, 1);
        let mask = self.builder.function.int(ty, if self.random.once_in(2) { 7 } else { -1 });
        let selector = self.builder.binary(BinaryOp::And, value, mask);
        let all = ty.scalar().map_or(0, Scalar::mask);
        let labels: Box<[Box<[u64]>]> =
            Box::new([Box::new([0, 1, all]), Box::new([5]), Box::new([2, all >> 1])]);
        let regions: Vec<Region> = (0..4).map(|_| self.builder.function.add_region()).collect();
        let inst = self.builder.push_with_regions(Op::Switch(labels), &[selector], results, &regions);
        self.fill(scope, inst, &regions, results);
        inst
    }

    /// Fills regions that end with an exit from their construct, or with another jump.
    fn fill(&mut self, scope: &Scope, inst: Inst, regions: &[Region], results: &[Type]) {
        let target = Target { inst, types: results.to_vec() };
        for &region in regions {
            let outer = self.builder.switch_to(region);
            let mut inner = scope.clone();
            inner.depth += 1;
            inner.exits.push(target.clone());
            if self.statements(&mut inner, 4) {
                self.leave(&mut inner, &target);
            }
            self.builder.switch_to(outer);
        }
    }

    /// A loop that counts to a small number, and carries another value and perhaps a pointer.
    fn counted_loop(&mut self, scope: &mut Scope, results: &[Type]) -> Inst {
        let counter_type = self.random.pick(&[Type::I32, Type::I32, Type::I64, Type::I8]);
        let limit = match self.random.once_in(3) {
            true => {
                let value = self.value(scope, counter_type, 2);
                let mask = self.builder.function.int(counter_type, 3);
                self.builder.binary(BinaryOp::And, value, mask)
            }
            false => {
                let limit = 1 + self.random.below(4) as i64;
                self.builder.function.int(counter_type, limit)
            }
        };
        let carried_type = self.result_type();
        let zero = self.builder.function.int(counter_type, 0);
        let mut initial = vec![zero, self.value(scope, carried_type, 1)];
        // A pointer that moves by an eighth of its memory.
        let places: Vec<_> =
            scope.places.iter().copied().filter(|place| place.size >= 32 && place.align >= 4).collect();
        let walked =
            if places.is_empty() || self.random.once_in(2) { None } else { Some(self.random.pick(&places)) };
        initial.extend(walked.map(|place| place.pointer));
        let regions = [self.builder.function.add_region(), self.builder.function.add_region()];
        let types: Vec<Type> = initial.iter().map(|&value| self.ty(value)).collect();
        let [body, continuing] = regions.map(|region| {
            types.iter().map(|&ty| self.builder.function.add_region_param(region, ty)).collect::<Vec<Value>>()
        });
        let op = Op::Loop(self.random.pick(&[UnrollHint::None, UnrollHint::By(1)]));
        let inst = self.builder.push_with_regions(op, &initial, results, &regions);
        let target = Target { inst, types: results.to_vec() };
        let mut inner = scope.clone();
        inner.depth += 1;
        inner.values.extend(&body[..2]);
        let step = walked.map_or(0, |place| (place.size / 8) & !3);
        if let Some(place) = walked {
            let align = place.align.min(1 << step.trailing_zeros());
            let part = super::Place { pointer: body[2], size: place.size - 4 * step, align, ..place };
            inner.places.push(super::Place { units: super::places::Units::Mixed, ..part });
        }
        let outer = self.builder.switch_to(regions[0]);
        self.test(&mut inner, &target, body[0], limit);
        inner.exits.push(target.clone());
        inner.loops.push(Target { inst, types: types[1..].to_vec() });
        if self.statements(&mut inner, 4) {
            let carry = Target { inst, types: types[1..].to_vec() };
            self.continue_with(&mut inner, &carry, &body);
        }
        self.builder.switch_to(regions[1]);
        let one = self.builder.function.int(counter_type, 1);
        let mut next = vec![self.builder.binary(BinaryOp::Add, continuing[0], one), continuing[1]];
        if walked.is_some() {
            // From its value at the start of the body, whatever it was continued with.
            let wide = match counter_type {
                Type::I64 => next[0],
                _ => self.builder.convert(ConvertOp::ZeroExtend, next[0], Type::I64),
            };
            next.push(self.builder.pointer_index(initial[2], wide, step));
        }
        self.builder.push(Op::NextIteration, &next, &[]);
        self.builder.switch_to(outer);
        inst
    }

    /// Ends a body, with another value for the carried one and with the pointer unchanged.
    fn continue_with(&mut self, scope: &mut Scope, target: &Target, body: &[Value]) {
        let carried = self.value(scope, target.types[0], 1);
        let mut values = vec![body[0], carried];
        values.extend(body.get(2));
        self.builder.push(Op::Continue(target.inst), &values, &[]);
    }

    /// Leaves the loop when the counter has reached the limit.
    fn test(&mut self, scope: &mut Scope, target: &Target, counter: Value, limit: Value) {
        let goes_on = self.builder.compare(CompareOp::SLt, counter, limit);
        let regions = [self.builder.function.add_region(), self.builder.function.add_region()];
        let test = self.builder.push_with_regions(Op::If, &[goes_on], &[], &regions);
        let outer = self.builder.switch_to(regions[0]);
        self.builder.push(Op::Exit(test), &[], &[]);
        self.builder.switch_to(regions[1]);
        let mut leaving = scope.clone();
        self.leave(&mut leaving, target);
        self.builder.switch_to(outer);
    }

    /// A query for a linear id, as a word.
    pub(super) fn number(&mut self, query: clvk_ir::WorkItemQuery) -> Value {
        let wide = self.builder.value(Op::WorkItem(query), &[], Type::I64);
        self.builder.convert(ConvertOp::Truncate, wide, Type::I32)
    }

    /// Makes memory available for exchanging words.
    pub(super) fn exchange_through(&mut self, start: Value) {
        debug_assert_eq!(self.ty(start), Type::Pointer(AddressSpace::Local));
        let item = self.number(clvk_ir::WorkItemQuery::LocalLinearId);
        let mut items = self.builder.function.int(Type::I32, 1);
        for dimension in 0..3 {
            let dimension = self.builder.function.int(Type::I32, dimension);
            let query = Op::WorkItem(clvk_ir::WorkItemQuery::LocalSize);
            let size = self.builder.value(query, &[dimension], Type::I64);
            let size = self.builder.convert(ConvertOp::Truncate, size, Type::I32);
            items = self.builder.binary(BinaryOp::Mul, items, size);
        }
        self.exchange = Some(Exchange { start, item, items });
    }
}
