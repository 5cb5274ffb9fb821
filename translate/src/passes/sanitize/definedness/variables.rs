//! The private variables of a function whose contents are followed, and the values that may come from them.

use clvk_ir::{Function, Inst, InstData, Op, Region, Span, Type, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// The most granules of a variable that is followed in parts.
const MOST_GRANULES: u64 = 4096;

/// A variable.
pub struct Variable {
    /// Its address.
    pub address: Value,
    pub size: u64,
    /// Its declaration.
    pub span: Span,
    /// The type of all accesses, if each is of the whole variable.
    pub whole: Option<Type>,
    escapes: bool,
    /// It is written before anything else uses it, with values that are known to be defined.
    is_certain: bool,
    /// The greatest power of two that divides all places and sizes of accesses.
    granule: u64,
}

/// The variables to follow. Those whose address goes elsewhere, into calls and memory, are not among them.
pub struct Variables {
    list: Vec<Variable>,
    /// The variable that an address is in.
    root: FxHashMap<Value, usize>,
    /// Bytes of a granule of all that are followed in parts.
    pub granule: u64,
}

/// The largest power of two that divides a number.
fn divisor(number: u64) -> u64 {
    1 << number.trailing_zeros().min(4)
}

impl Variable {
    fn is_followed(&self) -> bool {
        !self.escapes && !self.is_certain
    }
}

impl Variables {
    pub fn of(function: &Function) -> Variables {
        let mut variables = Variables { list: Vec::new(), root: FxHashMap::default(), granule: 16 };
        function.walk(|_, data| {
            if let Op::Alloca { size, .. } = data.op {
                let (address, span) = (data.results[0], data.span);
                variables.root.insert(address, variables.list.len());
                let variable = Variable {
                    address,
                    size,
                    span,
                    whole: None,
                    escapes: false,
                    is_certain: false,
                    granule: 16,
                };
                variables.list.push(variable);
            } else {
                for position in 0..data.operands.len() {
                    variables.note_use(function, data, position);
                }
            }
        });
        let is_certain = certain(function, &variables);
        for (index, variable) in variables.list.iter_mut().enumerate() {
            let is_too_large = variable.whole.is_none() && variable.size > MOST_GRANULES;
            variable.escapes |= is_too_large;
            variable.is_certain = is_certain.contains(&index);
        }
        let parts = variables.list.iter().filter(|variable| !variable.escapes && variable.whole.is_none());
        variables.granule = parts.map(|variable| variable.granule).min().unwrap_or(16);
        variables
    }

    fn note_use(&mut self, function: &Function, data: &InstData, position: usize) {
        let operand = data.operands[position];
        let Some(&index) = self.root.get(&operand) else { return };
        let variable = &mut self.list[index];
        let accessed = |variable: &mut Variable, ty: Type, align: u32| {
            let is_first = variable.granule == 16 && variable.whole.is_none();
            let is_whole = operand == variable.address && u64::from(ty.access_size()) <= variable.size;
            variable.granule =
                variable.granule.min(divisor(ty.access_size().into())).min(align.max(1).into());
            match variable.whole {
                None if is_first && is_whole && !ty.is_pointer() => variable.whole = Some(ty),
                Some(whole) if whole == ty && is_whole => {}
                _ => {
                    variable.whole = None;
                    variable.granule = variable.granule.min(8);
                }
            }
        };
        match data.op {
            Op::Load { align, .. } => accessed(variable, function.ty(data.results[0]), align),
            Op::Store { align, .. } if position == 0 => {
                accessed(variable, function.ty(data.operands[1]), align);
            }
            Op::MemoryCopy { size, align } | Op::MemoryZero { size, align } => {
                variable.granule = variable.granule.min(divisor(size)).min(align.max(1).into()).min(8);
                variable.whole = None;
            }
            Op::PointerOffset(bytes) => self.derive(data, index, divisor(bytes as u64)),
            Op::PointerIndex { stride } if position == 0 => self.derive(data, index, divisor(stride)),
            Op::Within(_) => self.derive(data, index, 8),
            _ => variable.escapes = true,
        }
    }

    /// Notes an address in a variable.
    fn derive(&mut self, data: &InstData, index: usize, granule: u64) {
        let variable = &mut self.list[index];
        variable.granule = variable.granule.min(granule).min(8);
        variable.whole = None;
        self.root.insert(data.results[0], index);
    }

    /// The variable that an address is in, if it is followed.
    pub fn at(&self, address: Value) -> Option<&Variable> {
        self.list.get(*self.root.get(&address)?).filter(|variable| variable.is_followed())
    }

    /// The number of granules of a variable.
    pub fn granules(&self, variable: &Variable) -> u64 {
        variable.size.div_ceil(self.granule)
    }

    /// Whether none is followed.
    pub fn is_empty(&self) -> bool {
        !self.list.iter().any(Variable::is_followed)
    }

    /// Finds the values that may come from unwritten memory, and follows the variables that these go to.
    pub fn doubtful(&mut self, function: &Function) -> Doubtful {
        loop {
            let doubtful = Doubtful::of(function, self);
            let mut reached: Vec<usize> = Vec::new();
            function.walk(|_, data| {
                let goes_on = match data.op {
                    Op::Store { .. } => doubtful.contains(data.operands[1]),
                    Op::MemoryCopy { .. } => self.at(data.operands[1]).is_some(),
                    _ => false,
                };
                if goes_on {
                    reached.extend(self.root.get(&data.operands[0]));
                }
            });
            reached.retain(|&index| self.list[index].is_certain);
            if reached.is_empty() {
                return doubtful;
            }
            for index in reached {
                self.list[index].is_certain = false;
            }
        }
    }
}

/// Variables that are written before anything else uses them: the first use, in the body itself, writes all.
fn certain(function: &Function, variables: &Variables) -> FxHashSet<usize> {
    let mut first: FxHashMap<usize, bool> = FxHashMap::default();
    let Some(body) = function.body else { return FxHashSet::default() };
    let body: FxHashSet<Inst> = function.regions[body].insts.iter().copied().collect();
    function.walk(|inst, data| {
        for (position, operand) in data.operands.iter().enumerate() {
            let Some(&index) = variables.root.get(operand) else { continue };
            let variable = &variables.list[index];
            let bytes = match data.op {
                Op::Store { .. } if position == 0 => function.ty(data.operands[1]).access_size().into(),
                Op::MemoryZero { size, .. } => size,
                Op::MemoryCopy { size, .. } if position == 0 => size,
                _ => 0,
            };
            let is_whole = variable.whole.is_some() && bytes > 0 || bytes >= variable.size;
            let writes = is_whole && *operand == variable.address && body.contains(&inst);
            first.entry(index).or_insert(writes);
        }
    });
    first.into_iter().filter(|(_, writes)| *writes).map(|(index, _)| index).collect()
}

/// The values that may come from unwritten memory.
#[derive(Default)]
pub struct Doubtful {
    /// With the address of the variable that they come from, if it is only one.
    values: FxHashMap<Value, Option<Value>>,
    changed: bool,
    /// The loop that each end of an iteration belongs to.
    pub loops: FxHashMap<Inst, Inst>,
}

impl Doubtful {
    pub fn of(function: &Function, variables: &Variables) -> Doubtful {
        let mut doubtful = Doubtful::default();
        function.walk(|inst, data| {
            if let Op::Loop(_) = data.op
                && let Some(end) = function.terminator(data.regions[1])
                && function.insts[end].op == Op::NextIteration
            {
                doubtful.loops.insert(end, inst);
            }
        });
        loop {
            doubtful.changed = false;
            function.walk(|inst, data| doubtful.visit(function, variables, inst, data));
            if !doubtful.changed {
                return doubtful;
            }
        }
    }

    pub fn contains(&self, value: Value) -> bool {
        self.values.contains_key(&value)
    }

    /// The address of the variable that a value comes from, if it is one.
    pub fn origin(&self, value: Value) -> Option<Value> {
        self.values.get(&value).copied().flatten()
    }

    fn visit(&mut self, function: &Function, variables: &Variables, inst: Inst, data: &InstData) {
        match data.op {
            Op::Load { .. } => {
                if let Some(variable) = variables.at(data.operands[0]) {
                    self.add(function, data.results[0], Some(variable.address));
                }
            }
            ref op if op.is_computation() => {
                for operand in &data.operands {
                    self.pass_on(function, *operand, data.results[0]);
                }
            }
            _ => {
                for (operand, target) in data.operands.iter().zip(targets(function, self, inst)) {
                    self.pass_on(function, *operand, target);
                }
            }
        }
    }

    fn pass_on(&mut self, function: &Function, from: Value, to: Value) {
        if let Some(&origin) = self.values.get(&from) {
            self.add(function, to, origin);
        }
    }

    fn add(&mut self, function: &Function, value: Value, origin: Option<Value>) {
        if !matches!(function.ty(value), Type::Scalar(_) | Type::Vector(..)) {
            return;
        }
        let known = self.values.get(&value).copied();
        let joined = known.map_or(origin, |known| known.filter(|known| Some(*known) == origin));
        if known != Some(joined) {
            self.values.insert(value, joined);
            self.changed = true;
        }
    }
}

/// The values that an instruction's operands become, in order, if it enters, leaves or repeats a construct.
pub fn targets(function: &Function, doubtful: &Doubtful, inst: Inst) -> Vec<Value> {
    let params = |region: Region| function.regions[region].params.clone();
    match function.insts[inst].op {
        Op::Exit(construct) => function.insts[construct].results.to_vec(),
        Op::Continue(target) => params(function.insts[target].regions[1]).to_vec(),
        Op::Loop(_) => params(function.insts[inst].regions[0]).to_vec(),
        Op::NextIteration => match doubtful.loops.get(&inst) {
            Some(&target) => params(function.insts[target].regions[0]).to_vec(),
            None => Vec::new(),
        },
        _ => Vec::new(),
    }
}
