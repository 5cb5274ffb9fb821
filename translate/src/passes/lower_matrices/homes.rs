//! Which matrix values need no variable of their own.
//!
//! The front end loads a matrix from a variable, computes with it and stores the result. A value with a
//! variable of its own would be copied for each of the three. So
//!
//! - a value that is loaded stays where it is if nothing may change it there before its last use, and
//! - a result that is only stored is computed where it is stored, if nothing happens in between. This is done
//!   at the place of the store, because its pointer is computed late.
//!
//! Memory of two matrices is the same, or does not overlap: whoever stores what depends on memory that
//! overlaps in another way has no defined behaviour (C99 §6.5.16.1).

use super::as_matrix;
use clvk_ir::{
    AddressSpace, ElementType, Function, Inst, InstData, MatrixOp, MatrixType, Op, Region, Type, Value,
};
use rustc_hash::FxHashMap;

/// Where the values are that need no variable.
#[derive(Default)]
pub struct Homes {
    /// Loaded values, each with the pointer that it is loaded from.
    pub loaded: FxHashMap<Value, Value>,
    /// Stores, each with the operation that is done in its place.
    pub stored: FxHashMap<Inst, Inst>,
    /// These operations, each with its store.
    pub delayed: FxHashMap<Inst, Inst>,
}

/// Finds them.
pub fn find(function: &Function) -> Homes {
    let mut finder = Finder { function, places: FxHashMap::default(), users: FxHashMap::default() };
    finder.survey();
    let mut homes = Homes::default();
    function.walk(|inst, data| {
        if let Some(store) = finder.only_store(inst, data) {
            homes.stored.insert(store, inst);
            homes.delayed.insert(inst, store);
        }
    });
    function.walk(|inst, data| {
        if finder.stays(inst, data, &homes) {
            homes.loaded.insert(data.results[0], data.operands[0]);
        }
    });
    for (store, inst) in &homes.stored {
        finder.separate(function.insts[*store].operands[0], &function.insts[*inst], &mut homes.loaded);
    }
    homes
}

struct Finder<'f> {
    function: &'f Function,
    places: FxHashMap<Inst, (Region, usize)>,
    /// Of each matrix value.
    users: FxHashMap<Value, Vec<Inst>>,
}

impl Finder<'_> {
    fn matrix(&self, value: Value) -> Option<MatrixType> {
        as_matrix(self.function.ty(value))
    }

    fn survey(&mut self) {
        let function = self.function;
        let mut regions: Vec<Region> = function.body.into_iter().collect();
        while let Some(region) = regions.pop() {
            for (position, &inst) in function.regions[region].insts.iter().enumerate() {
                let data = &function.insts[inst];
                self.places.insert(inst, (region, position));
                for &operand in &data.operands {
                    if self.matrix(operand).is_some() {
                        self.users.entry(operand).or_default().push(inst);
                    }
                }
                regions.extend(&data.regions);
            }
        }
    }

    /// The instructions between two of one region, in order; `None` if they are not in this order.
    fn between(&self, from: Inst, to: Inst) -> Option<&[Inst]> {
        let ((region, first), (other, last)) = (self.places[&from], self.places[&to]);
        (region == other && first < last).then(|| &self.function.regions[region].insts[first + 1..last])
    }

    fn is_private(&self, pointer: Value) -> bool {
        self.function.ty(pointer) == Type::Pointer(AddressSpace::Private)
    }

    /// The store that alone uses the result of an operation, if the operation may be done there.
    fn only_store(&self, inst: Inst, data: &InstData) -> Option<Inst> {
        let (Op::Matrix(op), Some(&result)) = (&data.op, data.results.first()) else { return None };
        self.matrix(result)?;
        let &[store] = self.users.get(&result)?.as_slice() else { return None };
        let stored = &self.function.insts[store];
        let to = stored.operands[0];
        let is_store = matches!(stored.op, Op::Store { volatile: false, .. }) && self.is_private(to);
        let is_apart = match (op, data.operands.first()) {
            (MatrixOp::Load(_), Some(&from)) => match self.function.ty(from).address_space() {
                Some(AddressSpace::Private | AddressSpace::Generic) => self.are_apart(from, to),
                _ => true,
            },
            _ => true,
        };
        let quiet = |inst: &Inst| self.function.insts[*inst].op.is_removable();
        let delayed = is_store && is_apart && self.between(inst, store)?.iter().all(quiet);
        delayed.then_some(store)
    }

    /// Whether an instruction loads a matrix that is used only before its memory may change.
    fn stays(&self, inst: Inst, data: &InstData, homes: &Homes) -> bool {
        if !matches!(data.op, Op::Load { volatile: false, .. })
            || self.matrix(data.results[0]).is_none()
            || !self.is_private(data.operands[0])
        {
            return false;
        }
        let users = self.users.get(&data.results[0]).map_or(&[][..], Vec::as_slice);
        users.iter().all(|user| {
            let known = matches!(self.function.insts[*user].op, Op::Matrix(_) | Op::Store { .. });
            let used = homes.delayed.get(user).unwrap_or(user);
            let keeps = |inst: &Inst| self.keeps_private_memory(&self.function.insts[*inst]);
            known && self.between(inst, *used).is_some_and(|between| between.iter().all(keeps))
        })
    }

    fn keeps_private_memory(&self, data: &InstData) -> bool {
        data.op.is_removable()
            || matches!(data.op, Op::Store { .. } | Op::Matrix(MatrixOp::Store(_)))
                && matches!(
                    self.function.ty(data.operands[0]).address_space(),
                    Some(AddressSpace::Global | AddressSpace::Local)
                )
    }

    /// Gives operands of an operation variables of their own if they may be where its result goes and the
    /// operation reads elements after it has written others.
    fn separate(&self, to: Value, data: &InstData, loaded: &mut FxHashMap<Value, Value>) {
        let Op::Matrix(op) = data.op else { return };
        let held = |value: Value| self.matrix(value).map(|matrix| matrix.element);
        let result = held(data.results[0]);
        let late: &[Value] = match op {
            // The summand is read element by element. Factors of another type are converted before.
            MatrixOp::MulAdd(_) => &data.operands[..2],
            MatrixOp::Convert(_) => &data.operands,
            _ => &[],
        };
        for operand in late {
            let moves = loaded.get(operand).is_some_and(|&from| !self.are_apart(from, to));
            let converted = matches!(op, MatrixOp::MulAdd(_))
                && held(*operand) != result.map(|element| ElementType::Scalar(element.value()));
            if moves && !converted {
                loaded.remove(operand);
            }
        }
    }

    /// Whether two pointers lead to different variables.
    fn are_apart(&self, a: Value, b: Value) -> bool {
        matches!((self.root(a), self.root(b)), (Some(a), Some(b)) if a != b)
    }

    /// The variable that a pointer points into, if that is seen.
    fn root(&self, mut pointer: Value) -> Option<Inst> {
        loop {
            let inst = self.function.defining_inst(pointer)?;
            let data = &self.function.insts[inst];
            match data.op {
                Op::Alloca { .. } => return Some(inst),
                Op::PointerOffset(_) | Op::PointerIndex { .. } => pointer = data.operands[0],
                _ => return None,
            }
        }
    }
}
