//! Checks that nothing depends on private memory that was not written: branches, addresses, and what leaves
//! the work-item.
//!
//! It runs on the program's own functions, where variables are still memory ([`variables`]). Each variable
//! that is followed has words beside it: one with a bit for each lane that was not written, or, if it is
//! accessed in parts, one for each granule, which is 1 once it is written. A value that may come from such a
//! variable has a word with a bit for each undefined lane, which goes with it wherever it goes. Values that
//! are copied are not read yet.

mod variables;

use super::report::{Details, Reporter, store};
use super::shadow::positions;
use super::when;
use crate::passes::cursor::Cursor;
use clvk_interface::sanitize::{Checked, Object, ObjectKind, Use};
use clvk_ir::{AddressSpace, BinaryOp, CompareOp, ConvertOp, Function, Inst, Op, Type, Value};
use rustc_hash::FxHashMap;
use variables::{Doubtful, Variable, Variables, targets};

/// The most granules whose words are changed without a loop.
const MOST_UNROLLED: u64 = 16;

/// Checks a function.
pub fn check(function: &mut Function, reporter: &mut Reporter<'_>) {
    let mut variables = Variables::of(function);
    if variables.is_empty() {
        return;
    }
    let doubtful = variables.doubtful(function);
    let mut masks = FxHashMap::default();
    let carried = prepare(function, &doubtful, &mut masks);
    let mut checks = Checks {
        cursor: Cursor::new(function),
        reporter,
        variables,
        doubtful,
        masks,
        carried,
        words: FxHashMap::default(),
        objects: FxHashMap::default(),
        places: FxHashMap::default(),
    };
    while let Some(inst) = checks.cursor.advance() {
        checks.instruction(inst);
    }
}

/// Lets constructs carry the masks of the values that they carry; gives which operands of each terminator and
/// loop have one.
fn prepare(
    function: &mut Function,
    doubtful: &Doubtful,
    masks: &mut FxHashMap<Value, Value>,
) -> FxHashMap<Inst, Vec<usize>> {
    let mut insts: Vec<Inst> = Vec::new();
    function.walk(|inst, _| insts.push(inst));
    let mut carried = FxHashMap::default();
    for &inst in &insts {
        let targets = targets(function, doubtful, inst);
        let positions: Vec<usize> =
            (0..targets.len()).filter(|&position| doubtful.contains(targets[position])).collect();
        if !positions.is_empty() {
            carried.insert(inst, positions);
        }
    }
    for inst in insts {
        for result in function.insts[inst].results.clone() {
            if function.insts[inst].op.has_regions() && doubtful.contains(result) {
                masks.insert(result, function.add_result(inst, Type::I32));
            }
        }
        for region in function.insts[inst].regions.clone() {
            for param in function.regions[region].params.clone() {
                if doubtful.contains(param) {
                    masks.insert(param, function.add_region_param(region, Type::I32));
                }
            }
        }
    }
    carried
}

struct Checks<'f, 'r, 's> {
    cursor: Cursor<'f>,
    reporter: &'r mut Reporter<'s>,
    variables: Variables,
    doubtful: Doubtful,
    /// The undefined lanes of values that may have some, `I32`.
    masks: FxHashMap<Value, Value>,
    carried: FxHashMap<Inst, Vec<usize>>,
    /// The words of the variables, by their addresses.
    words: FxHashMap<Value, Value>,
    /// Their numbers as objects, where reports name them.
    objects: FxHashMap<Value, u32>,
    /// Distances of addresses from the starts of their variables, `I64`.
    places: FxHashMap<Value, Value>,
}

/// All lanes of a type.
fn all_lanes(ty: Type) -> i64 {
    (1 << ty.lanes()) - 1
}

impl Checks<'_, '_, '_> {
    fn instruction(&mut self, inst: Inst) {
        let data = &self.cursor.function.insts[inst];
        let (op, operands) = (data.op.clone(), data.operands.to_vec());
        let result = data.results.first().copied();
        match op {
            Op::Alloca { .. } => self.variable(inst),
            Op::Load { .. } => {
                self.cursor.keep(inst);
                self.load(operands[0], result.expect("loads have results"));
            }
            Op::Store { .. } => {
                self.store(operands[0], operands[1]);
                self.cursor.keep(inst);
            }
            Op::MemoryZero { size, .. } => {
                self.cursor.keep(inst);
                self.write_parts(operands[0], size, None);
            }
            Op::MemoryCopy { size, .. } => {
                self.cursor.keep(inst);
                self.copy(operands[0], operands[1], size);
            }
            Op::PointerOffset(_) | Op::PointerIndex { .. } | Op::Within(_) => {
                if let Some(&index) = operands.get(1) {
                    self.demand(index, Use::Address);
                }
                self.cursor.keep(inst);
                self.place(&op, &operands, result.expect("it is an address"));
            }
            Op::If | Op::Switch(_) => {
                self.demand(operands[0], Use::Branch);
                self.cursor.keep(inst);
            }
            Op::Loop(_) | Op::Exit(_) | Op::Continue(_) | Op::NextIteration => {
                let positions = self.carried.remove(&inst).unwrap_or_default();
                let masks: Vec<Value> = positions
                    .into_iter()
                    .map(|position| {
                        let mask = self.masks.get(&operands[position]).copied();
                        mask.unwrap_or_else(|| self.cursor.int(Type::I32, 0))
                    })
                    .collect();
                self.cursor.keep(inst);
                self.cursor.function.insts[inst].operands.extend(masks);
            }
            op if op.is_computation() => {
                self.cursor.keep(inst);
                let result = result.expect("it computes something");
                if self.doubtful.contains(result) {
                    self.follow(&op, &operands, result);
                }
            }
            Op::Call(_) | Op::Return => {
                // Values are not followed there. Many programs pass vectors with a lane that nobody uses.
                for operand in operands {
                    let all = all_lanes(self.cursor.function.ty(operand));
                    self.demand_if(operand, Use::Passed, (CompareOp::Eq, all));
                }
                self.cursor.keep(inst);
            }
            _ => {
                for operand in operands {
                    self.demand(operand, Use::Passed);
                }
                self.cursor.keep(inst);
            }
        }
    }

    /// Reports at this place if a value has an undefined lane.
    fn demand(&mut self, value: Value, usage: Use) {
        self.demand_if(value, usage, (CompareOp::Ne, 0));
    }

    /// Reports at this place if the undefined lanes of a value compare so with others.
    fn demand_if(&mut self, value: Value, usage: Use, (comparison, lanes): (CompareOp, i64)) {
        let Some(&mask) = self.masks.get(&value) else { return };
        let lanes = self.cursor.int(Type::I32, lanes);
        let fails = self.cursor.compare(comparison, mask, lanes);
        // A construct's own place is all of it.
        let inst = self.cursor.function.defining_inst(value).filter(|_| usage == Use::Branch);
        let span = inst.map_or(self.cursor.span(), |inst| self.cursor.function.insts[inst].span);
        let object = self.doubtful.origin(value).and_then(|address| self.object(address));
        let object = object.map(|number| self.cursor.int(Type::I32, number.into()));
        let reporter = &mut *self.reporter;
        when(&mut self.cursor, fails, |cursor| {
            let details = Details { object, values: [None; 2] };
            reporter.report_at(cursor, span, Checked::Defined { usage }, details);
        });
    }

    /// The number of a variable as an object.
    fn object(&mut self, address: Value) -> Option<u32> {
        let variable = self.variables.at(address)?;
        let (size, span) = (variable.size, positions(variable.span));
        let reporter = &mut *self.reporter;
        let number = self.objects.entry(address).or_insert_with(|| {
            let (kind, name) = (ObjectKind::Private, String::new());
            reporter.object(Object { kind, name, size, span, place: None })
        });
        Some(*number)
    }

    /// Keeps a variable, and gives it its words.
    fn variable(&mut self, inst: Inst) {
        self.cursor.keep(inst);
        let address = self.cursor.result(inst);
        let Some(variable) = self.variables.at(address) else { return };
        let (whole, count) = (variable.whole, self.variables.granules(variable));
        let private = Type::Pointer(AddressSpace::Private);
        let size = if whole.is_some() { 4 } else { count * 4 };
        let words = self.cursor.value(Op::Alloca { size, align: 4 }, &[], private);
        match whole {
            Some(ty) => {
                let mask = self.cursor.int(Type::I32, all_lanes(ty));
                store(&mut self.cursor, words, 0, mask);
            }
            None => drop(self.cursor.push(Op::MemoryZero { size, align: 4 }, &[words], &[], &[])),
        }
        self.words.insert(address, words);
        let start = self.cursor.int(Type::I64, 0);
        self.places.insert(address, start);
    }

    /// Follows an address in a variable.
    fn place(&mut self, op: &Op, operands: &[Value], result: Value) {
        let (Some(&base), Some(_)) = (self.places.get(&operands[0]), self.variables.at(operands[0])) else {
            return;
        };
        let place = match *op {
            Op::PointerOffset(bytes) => self.cursor.binary_int(BinaryOp::Add, base, bytes),
            Op::PointerIndex { stride } => {
                let index = self.cursor.resize(ConvertOp::SignExtend, operands[1], Type::I64);
                let distance = self.cursor.binary_int(BinaryOp::Mul, index, stride as i64);
                self.cursor.binary(BinaryOp::Add, base, distance)
            }
            _ => base,
        };
        self.places.insert(result, place);
    }

    /// The first of the words of some granules of a variable, which are there whatever the address is.
    fn first_word(&mut self, address: Value, count: u64) -> Option<Value> {
        let (place, variable) = (*self.places.get(&address)?, self.variables.at(address)?);
        let words = *self.words.get(&variable.address)?;
        let last = self.variables.granules(variable).checked_sub(count)?;
        let shift = self.variables.granule.trailing_zeros();
        let granule = self.cursor.binary_int(BinaryOp::LShr, place, shift.into());
        let granule = match self.cursor.function.as_bits(granule) {
            Some(known) => self.cursor.int(Type::I64, known.min(last) as i64),
            None => self.cursor.binary_int(BinaryOp::UMin, granule, last as i64),
        };
        Some(self.step(words, granule))
    }

    fn step(&mut self, words: Value, granule: Value) -> Value {
        let ty = self.cursor.function.ty(words);
        self.cursor.value(Op::PointerIndex { stride: 4 }, &[words, granule], ty)
    }

    fn word(&mut self, words: Value) -> Value {
        self.cursor.value(Op::Load { align: 4, volatile: false }, &[words], Type::I32)
    }

    fn count(&self, bytes: u64) -> u64 {
        bytes.div_ceil(self.variables.granule)
    }

    fn load(&mut self, address: Value, result: Value) {
        let Some(variable) = self.variables.at(address) else { return };
        if !self.doubtful.contains(result) {
            return;
        }
        let whole = variable.whole.is_some();
        let ty = self.cursor.function.ty(result);
        if whole {
            let Some(&words) = self.words.get(&address) else { return };
            let mask = self.word(words);
            self.masks.insert(result, mask);
            return;
        }
        let count = self.count(ty.access_size().into());
        if count > MOST_UNROLLED {
            return;
        }
        let Some(first) = self.first_word(address, count) else { return };
        let mut all = self.word(first);
        for number in 1..count {
            let number = self.cursor.int(Type::I64, number as i64);
            let word = self.step(first, number);
            let word = self.word(word);
            all = self.cursor.binary(BinaryOp::And, all, word);
        }
        let zero = self.cursor.int(Type::I32, 0);
        let lacks = self.cursor.compare(CompareOp::Eq, all, zero);
        let lanes = self.cursor.int(Type::I32, all_lanes(ty));
        let mask = self.cursor.select(lacks, lanes, zero);
        self.masks.insert(result, mask);
    }

    fn store(&mut self, address: Value, value: Value) {
        let Some(variable) = self.variables.at(address) else {
            let space = self.cursor.function.ty(address).address_space();
            if matches!(space, Some(AddressSpace::Global | AddressSpace::Local)) {
                self.demand(value, Use::Stored);
            }
            return;
        };
        let mask = self.masks.get(&value).copied();
        if variable.whole.is_some() {
            let Some(&words) = self.words.get(&address) else { return };
            let mask = mask.unwrap_or_else(|| self.cursor.int(Type::I32, 0));
            return store(&mut self.cursor, words, 0, mask);
        }
        let bytes = self.cursor.function.ty(value).access_size().into();
        self.write_parts(address, bytes, mask);
    }

    /// Notes that some bytes of a variable are written, with a value that has these undefined lanes.
    fn write_parts(&mut self, address: Value, bytes: u64, mask: Option<Value>) {
        let count = self.count(bytes);
        if count == 0 || self.variables.at(address).is_none_or(|variable| variable.whole.is_some()) {
            return;
        }
        let Some(first) = self.first_word(address, count) else { return };
        let one = self.cursor.int(Type::I32, 1);
        let word = mask.map_or(one, |mask| {
            let zero = self.cursor.int(Type::I32, 0);
            let defined = self.cursor.compare(CompareOp::Eq, mask, zero);
            self.cursor.select(defined, one, zero)
        });
        self.for_each(count, |checks, number| {
            let place = checks.step(first, number);
            store(&mut checks.cursor, place, 0, word);
        });
    }

    /// Does something for numbers from 0.
    fn for_each(&mut self, count: u64, mut each: impl FnMut(&mut Self, Value)) {
        if count <= MOST_UNROLLED {
            for number in 0..count {
                let number = self.cursor.int(Type::I64, number as i64);
                each(self, number);
            }
            return;
        }
        let zero = self.cursor.int(Type::I64, 0);
        let begun = self.cursor.begin_loop(&[zero], &[]);
        let number = begun.carried[0];
        let last = self.cursor.int(Type::I64, count as i64);
        let ends = self.cursor.compare(CompareOp::UGe, number, last);
        self.cursor.exit_when(ends, true, begun.inst, &[]);
        each(self, number);
        let next = self.cursor.binary_int(BinaryOp::Add, number, 1);
        self.cursor.end_loop(&begun, &[next]);
    }

    /// Copies what is known of some bytes; those of memory that is not followed are defined.
    fn copy(&mut self, to: Value, from: Value, bytes: u64) {
        let count = self.count(bytes);
        let is_parts = |variable: &Variable| variable.whole.is_none();
        if count == 0 || !self.variables.at(to).is_some_and(is_parts) {
            return;
        }
        let source =
            if self.variables.at(from).is_some_and(is_parts) { self.first_word(from, count) } else { None };
        let Some(source) = source else { return self.write_parts(to, bytes, None) };
        let Some(first) = self.first_word(to, count) else { return };
        self.for_each(count, |checks, number| {
            let place = checks.step(source, number);
            let word = checks.word(place);
            let place = checks.step(first, number);
            store(&mut checks.cursor, place, 0, word);
        });
    }

    fn mask(&mut self, value: Value) -> Value {
        self.masks.get(&value).copied().unwrap_or_else(|| self.cursor.int(Type::I32, 0))
    }

    /// A mask for a value with other lanes: all of them if any is undefined.
    fn spread(&mut self, mask: Value, from: Type, to: Type) -> Value {
        if from.lanes() == to.lanes() {
            return mask;
        }
        let zero = self.cursor.int(Type::I32, 0);
        let any = self.cursor.compare(CompareOp::Ne, mask, zero);
        let all = self.cursor.int(Type::I32, all_lanes(to));
        self.cursor.select(any, all, zero)
    }

    /// Some lanes of a mask, given the lane of the first or the second operand that each comes from.
    fn lanes(&mut self, masks: [Value; 2], lanes: &[(usize, u32)]) -> Value {
        let mut mask = self.cursor.int(Type::I32, 0);
        for (to, &(operand, from)) in lanes.iter().enumerate() {
            if self.cursor.function.as_bits(masks[operand]) == Some(0) {
                continue;
            }
            let bit = self.cursor.binary_int(BinaryOp::LShr, masks[operand], from.into());
            let bit = self.cursor.binary_int(BinaryOp::And, bit, 1);
            let bit = self.cursor.binary_int(BinaryOp::Shl, bit, to as i64);
            mask = self.cursor.binary(BinaryOp::Or, mask, bit);
        }
        mask
    }

    /// Finds the mask of what an operation computes.
    fn follow(&mut self, op: &Op, operands: &[Value], result: Value) {
        let types: Vec<Type> = operands.iter().map(|&operand| self.cursor.function.ty(operand)).collect();
        let to = self.cursor.function.ty(result);
        let masks: Vec<Value> = operands.iter().map(|&operand| self.mask(operand)).collect();
        let mask = match *op {
            // The difference of a number to itself is known.
            Op::Binary(BinaryOp::Xor | BinaryOp::Sub) if operands[0] == operands[1] => return,
            Op::Extract(lane) => self.lanes([masks[0], masks[0]], &[(0, lane.into())]),
            Op::Insert(at) => {
                let lanes: Vec<(usize, u32)> = (0..to.lanes())
                    .map(|lane| if lane == u32::from(at) { (1, 0) } else { (0, lane) })
                    .collect();
                self.lanes([masks[0], masks[1]], &lanes)
            }
            Op::Shuffle(sources) => {
                let first = types[0].lanes();
                let lanes: Vec<(usize, u32)> = sources[..to.lanes() as usize]
                    .iter()
                    .map(|&source| match u32::from(source) {
                        source if source < first => (0, source),
                        source => (1, source.wrapping_sub(first) & 31),
                    })
                    .collect();
                self.lanes([masks[0], masks[1]], &lanes)
            }
            Op::Construct => {
                let mut mask = self.cursor.int(Type::I32, 0);
                for (lane, &bit) in masks.iter().enumerate() {
                    let bit = self.cursor.binary_int(BinaryOp::Shl, bit, lane as i64);
                    mask = self.cursor.binary(BinaryOp::Or, mask, bit);
                }
                mask
            }
            // Which lanes are meant is not known before.
            Op::InsertDynamic => return,
            Op::Select if types[0].lanes() > 1 => return,
            Op::Select => {
                let condition = self.spread(masks[0], types[0], to);
                let chosen = self.cursor.select(operands[0], masks[1], masks[2]);
                self.cursor.binary(BinaryOp::Or, chosen, condition)
            }
            _ => {
                let mut all = self.cursor.int(Type::I32, 0);
                for (&mask, &from) in masks.iter().zip(&types) {
                    if self.cursor.function.as_bits(mask) != Some(0) {
                        let mask = self.spread(mask, from, to);
                        all = self.cursor.binary(BinaryOp::Or, all, mask);
                    }
                }
                all
            }
        };
        if self.cursor.function.as_bits(mask) != Some(0) {
            self.masks.insert(result, mask);
        }
    }
}
