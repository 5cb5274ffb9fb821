//! Matrix values become variables in private memory.

use super::homes::{self, Homes};
use super::{as_matrix, elements};
use crate::passes::cursor::Cursor;
use clvk_interface::DeviceProfile;
use clvk_ir::{
    AddressSpace, ElementType, Func, Function, Inst, MatrixOp, MatrixType, Module, Op, Scalar, Type, Value,
    ValueDef,
};
use rustc_hash::FxHashMap;

const POINTER: Type = Type::Pointer(AddressSpace::Private);

/// Alignment of the variables in bytes.
pub const ALIGN: u32 = 16;

/// Lowers the matrices of all functions. What they access may have been checked.
pub fn run(module: &mut Module, profile: &DeviceProfile, checked: bool) {
    let functions: Vec<Func> = module.functions.iter().map(|(func, _)| func).collect();
    let results: FxHashMap<Func, Option<Type>> =
        functions.iter().map(|&func| (func, module.functions[func].result())).collect();
    for &func in &functions {
        let mut function = std::mem::take(&mut module.functions[func]);
        let (returned, params) = lower_signature(&mut function);
        if function.body.is_some() {
            let mut emulation = Emulation::new(&mut function, module, profile, &results, returned);
            emulation.variables.extend(params);
            emulation.checked = checked;
            while let Some(inst) = emulation.cursor.advance() {
                emulation.inst(inst);
            }
        }
        module.functions[func] = function;
    }
}

/// The variables of matrix values, and their types.
type Variables = FxHashMap<Value, (Value, MatrixType)>;

/// Parameters and the result become pointers; returns the one for the result, and the parameters' matrices.
fn lower_signature(function: &mut Function) -> (Option<Value>, Variables) {
    let mut matrices = Variables::default();
    for param in function.params.clone() {
        if let Some(matrix) = as_matrix(function.ty(param)) {
            function.values[param].ty = POINTER;
            matrices.insert(param, (param, matrix));
        }
    }
    if function.result().and_then(as_matrix).is_none() {
        return (None, matrices);
    }
    function.results.clear();
    let pointer = function.add_param(POINTER);
    function.params.rotate_right(1);
    for (position, param) in function.params.clone().into_iter().enumerate() {
        function.values[param].def = ValueDef::Param(position as u32);
    }
    (Some(pointer), matrices)
}

pub struct Emulation<'a> {
    pub cursor: Cursor<'a>,
    /// Where library functions are declared.
    pub module: &'a mut Module,
    pub profile: &'a DeviceProfile,
    /// What functions returned before.
    results: &'a FxHashMap<Func, Option<Type>>,
    /// Where the function's result goes.
    returned: Option<Value>,
    variables: Variables,
    homes: Homes,
    /// Variables for matrices of a product as other numbers, by their number of elements and type. Products
    /// share them.
    rooms: FxHashMap<(Part, u32, Scalar), Value>,
    /// What constructs gave before.
    given: FxHashMap<Inst, Vec<Value>>,
    /// Whether the accesses of loads and stores need no check.
    pub checked: bool,
}

/// A matrix of a product.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum Part {
    Left,
    Right,
    Sum,
}

impl<'a> Emulation<'a> {
    fn new(
        function: &'a mut Function,
        module: &'a mut Module,
        profile: &'a DeviceProfile,
        results: &'a FxHashMap<Func, Option<Type>>,
        returned: Option<Value>,
    ) -> Self {
        let homes = homes::find(function);
        let mut values: Vec<(Value, MatrixType)> = Vec::new();
        let mut products: Vec<[MatrixType; 3]> = Vec::new();
        function.walk(|inst, data| {
            let matrix = |value: Value| as_matrix(function.ty(value));
            let own = data.results.iter().filter(|value| !homes.loaded.contains_key(value));
            if !homes.delayed.contains_key(&inst) {
                values.extend(own.filter_map(|&value| Some((value, matrix(value)?))));
            }
            if matches!(data.op, Op::Matrix(MatrixOp::MulAdd(_))) {
                let parts = [0, 1, 2].map(|part| matrix(data.operands[part]));
                products.extend(if let [Some(a), Some(b), Some(c)] = parts { Some([a, b, c]) } else { None });
            }
        });
        let mut cursor = Cursor::new(function);
        let variables = values
            .into_iter()
            .map(|(value, matrix)| {
                let size = u64::from(elements(profile, matrix) * matrix.element.size());
                let variable = cursor.value(Op::Alloca { size, align: ALIGN }, &[], POINTER);
                (value, (variable, matrix))
            })
            .collect();
        let (rooms, given) = (FxHashMap::default(), FxHashMap::default());
        let mut emulation = Emulation {
            cursor,
            module,
            profile,
            results,
            returned,
            variables,
            homes,
            rooms,
            given,
            checked: false,
        };
        products.iter().for_each(|parts| emulation.make_rooms(parts));
        emulation
    }

    /// Makes the variables that a product needs and no other one has made, where the function begins.
    fn make_rooms(&mut self, parts: &[MatrixType; 3]) {
        let sum = parts[2].element.value();
        for (part, &matrix) in [Part::Left, Part::Right, Part::Sum].into_iter().zip(parts) {
            let count = elements(self.profile, matrix);
            if matrix.element != ElementType::Scalar(sum) && !self.rooms.contains_key(&(part, count, sum)) {
                let size = u64::from(count * sum.size());
                let room = self.cursor.value(Op::Alloca { size, align: ALIGN }, &[], POINTER);
                self.rooms.insert((part, count, sum), room);
            }
        }
    }

    /// The variable for a matrix of a product as numbers of another type.
    pub fn room(&self, part: Part, matrix: MatrixType, of: Scalar) -> Value {
        self.rooms[&(part, elements(self.profile, matrix), of)]
    }

    /// The type of a matrix value: of an instruction's result, or what a parameter was.
    pub fn matrix(&self, value: Value) -> Option<MatrixType> {
        self.variables.get(&value).map(|&(_, matrix)| matrix)
    }

    /// The variable that holds a matrix value, which may be a parameter.
    pub fn variable(&self, value: Value) -> Value {
        self.variables.get(&value).map_or(value, |&(variable, _)| variable)
    }

    /// The bytes of a matrix's elements that a work-item holds.
    fn size(&self, matrix: MatrixType) -> u64 {
        u64::from(elements(self.profile, matrix) * matrix.element.size())
    }

    pub fn copy(&mut self, to: Value, from: Value, matrix: MatrixType) {
        let size = self.size(matrix);
        self.cursor.push(Op::MemoryCopy { size, align: ALIGN }, &[to, from], &[], &[]);
    }

    fn inst(&mut self, inst: Inst) {
        let data = &self.cursor.function.insts[inst];
        let operands = data.operands.clone();
        match data.op.clone() {
            Op::Matrix(_) if self.homes.delayed.contains_key(&inst) => {}
            Op::Matrix(op) => self.operation(inst, op),
            Op::Store { .. } if self.homes.stored.contains_key(&inst) => self.delayed(inst),
            Op::Load { .. } if self.homes.loaded.contains_key(&data.results[0]) => {
                self.settle(data.results[0], operands[0]);
            }
            Op::Load { .. } if self.matrix(data.results[0]).is_some() => {
                let result = data.results[0];
                let matrix = self.matrix(result).expect("it was asked");
                let (to, from) = (self.variable(result), self.cursor.get(operands[0]));
                self.copy(to, from, matrix);
            }
            Op::Store { .. } if self.matrix(operands[1]).is_some() => {
                let matrix = self.matrix(operands[1]).expect("it was asked");
                let (to, from) = (self.cursor.get(operands[0]), self.variable(operands[1]));
                self.copy(to, from, matrix);
            }
            Op::Call(callee) => self.call(inst, callee),
            Op::Exit(target) => self.exit(inst, target),
            Op::Return => self.leave(inst),
            op if op.has_regions() => self.construct(inst),
            _ => self.cursor.keep(inst),
        }
    }

    /// Makes memory of the program the variable of a matrix value.
    fn settle(&mut self, value: Value, pointer: Value) {
        if let Some(matrix) = as_matrix(self.cursor.function.ty(value)) {
            let pointer = self.cursor.get(pointer);
            self.variables.insert(value, (pointer, matrix));
        }
    }

    /// Does the operation whose result a store wants.
    fn delayed(&mut self, store: Inst) {
        let inst = self.homes.stored[&store];
        let (to, data) = (self.cursor.function.insts[store].operands[0], &self.cursor.function.insts[inst]);
        let (op, result, fast_math) = (data.op.clone(), data.results[0], data.fast_math);
        self.settle(result, to);
        self.cursor.set_fast_math(fast_math);
        if let Op::Matrix(op) = op {
            self.operation(inst, op);
        }
    }

    fn call(&mut self, inst: Inst, callee: Func) {
        let data = &self.cursor.function.insts[inst];
        let result = data.results.first().copied();
        let mut operands: Vec<Value> =
            data.operands.iter().map(|&operand| self.cursor.get(self.variable(operand))).collect();
        let returns_matrix = self.results.get(&callee).copied().flatten().and_then(as_matrix).is_some();
        if let (true, Some(result)) = (returns_matrix, result) {
            operands.insert(0, self.variable(result));
            self.cursor.function.insts[inst].results.clear();
        }
        self.cursor.keep_with(inst, &operands);
    }

    /// Results that are matrices become variables, which exits fill.
    fn construct(&mut self, inst: Inst) {
        let results = self.cursor.function.insts[inst].results.to_vec();
        self.given.insert(inst, results);
        let operands = self.cursor.operands(inst);
        self.cursor.keep_split(inst, &operands, |ty| as_matrix(ty).map(|_| (0, POINTER)));
    }

    fn exit(&mut self, inst: Inst, target: Inst) {
        let operands = self.cursor.function.insts[inst].operands.to_vec();
        let given = self.given.get(&target).cloned().unwrap_or_default();
        let mut kept = Vec::new();
        for (index, &operand) in operands.iter().enumerate() {
            match given.get(index).and_then(|&result| Some((result, self.matrix(result)?))) {
                Some((result, matrix)) => {
                    let (to, from) = (self.variable(result), self.variable(operand));
                    self.copy(to, from, matrix);
                }
                None => kept.push(self.cursor.get(operand)),
            }
        }
        self.cursor.keep_with(inst, &kept);
    }

    fn leave(&mut self, inst: Inst) {
        let operand = self.cursor.function.insts[inst].operands.first().copied();
        let (Some(to), Some(value)) = (self.returned, operand) else { return self.cursor.keep(inst) };
        if let Some(matrix) = self.matrix(value) {
            let from = self.variable(value);
            self.copy(to, from, matrix);
        }
        self.cursor.keep_with(inst, &[]);
    }
}
