//! Counts what a kernel does that its device can do only by combining other operations.
//!
//! [`Survey::after_pass`] looks at the module while such operations are still those of the source: accesses
//! before memory is lowered, arithmetic before it is legalised. It counts instructions, with a vector of up
//! to 4 lanes as one, with their places and the loops around them, and not how often they are executed.

use clvk_interface::DeviceProfile;
use clvk_ir::{AddressSpace, ConvertOp, Function, InstData, Module, Op, Scalar, Span, Type};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Something that is composed of other operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Emulated {
    /// Loads of 8- or 16-bit values from 32-bit words: a shift or two each.
    SmallLoads,
    /// Stores of 8- or 16-bit values into 32-bit words: a compare-exchange each, unless they cover whole
    /// words.
    SmallStores,
    /// 8- and 16-bit integers in 32 bits: an operation or two more each.
    SmallIntegers,
    /// Half precision in single precision, rounded after each operation: some 20 operations each.
    Half,
    /// 64-bit integers as pairs of words: 2 to 12 operations each.
    WideIntegers,
    /// Divisions of 64-bit integers by estimates in single precision: a loop of a few rounds each.
    WideDivisions,
    /// Operations on cooperative matrices without a matrix engine, by the work-items of the sub-group: a
    /// product of 16×16×16 elements takes 4,096 multiplications and additions in all.
    Matrices,
}

impl Emulated {
    /// A description that follows a number.
    #[must_use]
    pub fn description(self) -> &'static str {
        match self {
            Emulated::SmallLoads => "8/16-bit loads from words",
            Emulated::SmallStores => "8/16-bit stores into words",
            Emulated::SmallIntegers => "8/16-bit integer operations in 32 bits",
            Emulated::Half => "half-precision operations in single precision",
            Emulated::WideIntegers => "64-bit integer operations by words",
            Emulated::WideDivisions => "64-bit divisions by estimates",
            Emulated::Matrices => "matrix operations without a matrix engine",
        }
    }

    /// The approximate number of operations that one of these takes.
    #[must_use]
    pub fn cost(self) -> u32 {
        match self {
            Emulated::SmallLoads => 3,
            Emulated::SmallStores => 8,
            Emulated::SmallIntegers => 2,
            Emulated::Half => 20,
            Emulated::WideIntegers => 5,
            Emulated::WideDivisions => 500,
            Emulated::Matrices => 1000,
        }
    }
}

/// An operation that is made of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Use {
    /// What it is.
    pub emulated: Emulated,
    /// Where in the source, in what the kernel calls too.
    pub span: Span,
    /// How many loops are around it, one in another.
    pub loops: usize,
}

/// The emulated operations of the kernels of a module, for a device.
pub struct Survey<'p> {
    profile: &'p DeviceProfile,
    /// By the kernel's name.
    pub kernels: BTreeMap<String, Vec<Use>>,
    /// The operations on matrices, until it is known whether they stay.
    matrices: BTreeMap<String, Vec<Use>>,
}

impl<'p> Survey<'p> {
    /// A survey that has found nothing yet.
    #[must_use]
    pub fn new(profile: &'p DeviceProfile) -> Self {
        Survey { profile, kernels: BTreeMap::new(), matrices: BTreeMap::new() }
    }

    /// Call this after each pass; see [`translate_observed`](crate::translate_observed).
    pub fn after_pass(&mut self, pass: &str, module: &Module) {
        let find: fn(&DeviceProfile, &Function, &InstData) -> Option<Emulated> = match pass {
            "number" => return self.note_matrices(module),
            "lower-matrices" => return self.settle_matrices(module),
            "legalise-vectors" => access,
            "simplify-lowered" => arithmetic,
            _ => return,
        };
        for kernel in module.kernels() {
            let uses = self.kernels.entry(module.functions[kernel].name.clone()).or_default();
            let called: BTreeSet<_> = module.reachable([kernel]).into_iter().collect();
            for function in called.into_iter().map(|func| &module.functions[func]) {
                walk(function, |data, loops| {
                    let emulated = find(self.profile, function, data);
                    uses.extend(emulated.map(|emulated| Use { emulated, span: data.span, loops }));
                });
            }
        }
    }
}

impl Survey<'_> {
    /// Notes the operations on matrices of each kernel and of what it calls.
    fn note_matrices(&mut self, module: &Module) {
        for kernel in module.kernels() {
            let mut uses = Vec::new();
            let (mut seen, mut waiting) = (BTreeSet::from([kernel]), vec![kernel]);
            while let Some(func) = waiting.pop() {
                walk(&module.functions[func], |data, loops| match data.op {
                    Op::Matrix(_) => uses.push(Use { emulated: Emulated::Matrices, span: data.span, loops }),
                    Op::Call(callee) if seen.insert(callee) => waiting.push(callee),
                    _ => {}
                });
            }
            self.matrices.insert(module.functions[kernel].name.clone(), uses);
        }
    }

    /// Counts them unless the device has an engine for them.
    fn settle_matrices(&mut self, module: &Module) {
        let noted = std::mem::take(&mut self.matrices);
        let stay = module.functions.iter().any(|(_, function)| holds_matrices(function));
        for (name, uses) in noted.into_iter().filter(|_| !stay) {
            self.kernels.entry(name).or_default().extend(uses);
        }
    }
}

/// Whether operations on matrices are in a function's body.
fn holds_matrices(function: &Function) -> bool {
    let mut found = false;
    function.walk(|_, data| found |= matches!(data.op, Op::Matrix(_)));
    found
}

/// Visits the instructions of a function with the number of loops around each.
fn walk(function: &Function, mut visit: impl FnMut(&InstData, usize)) {
    let mut stack: Vec<_> = function.body.map(|body| (body, 0, 0)).into_iter().collect();
    while let Some((region, position, loops)) = stack.pop() {
        let Some(&inst) = function.regions[region].insts.get(position) else { continue };
        stack.push((region, position + 1, loops));
        let data = &function.insts[inst];
        visit(data, loops);
        let inner = loops + usize::from(matches!(data.op, Op::Loop(_)));
        stack.extend(data.regions.iter().rev().map(|&nested| (nested, 0, inner)));
    }
}

fn access(profile: &DeviceProfile, function: &Function, data: &InstData) -> Option<Emulated> {
    let (value, emulated) = match data.op {
        Op::Load { .. } => (data.results[0], Emulated::SmallLoads),
        Op::Store { .. } => (data.operands[1], Emulated::SmallStores),
        _ => return None,
    };
    let bits = function.ty(value).scalar().map_or(0, Scalar::bits);
    let Type::Pointer(space) = function.ty(data.operands[0]) else { return None };
    let (no_8bit, no_16bit) = match space {
        AddressSpace::Private => return None,
        AddressSpace::Local => (!profile.int8, !profile.int16),
        _ => (!profile.buffers_hold_8bit(), !profile.buffers_hold_16bit()),
    };
    ((bits == 8 && no_8bit) || (bits == 16 && no_16bit)).then_some(emulated)
}

fn arithmetic(profile: &DeviceProfile, function: &Function, data: &InstData) -> Option<Emulated> {
    if !matches!(data.op, Op::Unary(_) | Op::Binary(_) | Op::Compare(_) | Op::Convert(_) | Op::Math(_)) {
        return None;
    }
    let has = |scalar| {
        data.operands.iter().chain(&data.results).any(|&value| function.ty(value).scalar() == Some(scalar))
    };
    // Widening and truncation cost nothing worth mentioning.
    let resizes =
        matches!(data.op, Op::Convert(ConvertOp::Truncate | ConvertOp::ZeroExtend | ConvertOp::SignExtend));
    if has(Scalar::F16) && !profile.native_half() {
        return Some(Emulated::Half);
    }
    if has(Scalar::I64) && !profile.int64 && !resizes {
        let divides = matches!(data.op, Op::Binary(op) if op.divides_integers());
        return Some(if divides { Emulated::WideDivisions } else { Emulated::WideIntegers });
    }
    let small = (has(Scalar::I8) && !profile.int8) || (has(Scalar::I16) && !profile.int16);
    (small && !resizes).then_some(Emulated::SmallIntegers)
}
