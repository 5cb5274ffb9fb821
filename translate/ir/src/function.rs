//! Functions: arenas of instructions, values and regions.

use crate::{
    Arena, BinaryOp, Constant, EntityId, FastMath, Global, ImageType, Inst, Op, Region, Scalar, Span, Type,
    Value, Variable,
};
use clvk_interface::ProgramHook;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ValueDef {
    /// The function's parameter at this position.
    Param(u32),
    /// The result of an instruction at this position.
    Result(Inst, u32),
    /// The parameter of a region (a loop's body or continuing region) at this position.
    RegionParam(Region, u32),
    /// A constant.
    Constant(Constant),
    /// The address of a module-scope variable.
    Global(Global),
}

/// A value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ValueData {
    /// Its type.
    pub ty: Type,
    /// Its definition.
    pub def: ValueDef,
}

/// An instruction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InstData {
    /// Operation and its immediate attributes.
    pub op: Op,
    /// Values it uses, in the order that [`Op`] documents.
    pub operands: SmallVec<[Value; 4]>,
    /// Values it defines.
    pub results: SmallVec<[Value; 1]>,
    /// Regions it owns, in the order that [`Op`] documents.
    pub regions: SmallVec<[Region; 2]>,
    /// The floating-point rewrites that are allowed.
    pub fast_math: FastMath,
    /// Its source position.
    pub span: Span,
}

/// A sequence of instructions that ends with a terminator.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RegionData {
    /// Values that the region receives each time it is entered.
    pub params: Vec<Value>,
    /// Instructions, in order.
    pub insts: Vec<Inst>,
}

/// The host's view of a kernel's parameter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum KernelParamKind {
    /// A pointer to global or constant memory.
    Buffer {
        /// The pointee is `const`, or the address space is `__constant`.
        read_only: bool,
        /// `restrict`.
        restrict: bool,
        /// `volatile` pointee.
        volatile: bool,
    },
    /// A pointer to local memory whose size the host sets.
    Local {
        /// `const` pointee.
        read_only: bool,
        /// `restrict`.
        restrict: bool,
        /// `volatile` pointee.
        volatile: bool,
    },
    /// By value. A structure's IR parameter is a private pointer to a read-only copy of `size` bytes;
    /// everything else is the value itself.
    Value {
        /// Size in bytes as the host sees it (a vector of 3 is as large as one of 4).
        size: u32,
        /// Alignment in bytes.
        align: u32,
    },
    /// An image.
    Image(ImageType),
    /// A sampler.
    Sampler,
    /// A queue on the device: a number of 64 bits that the host chose.
    Queue,
    /// A pipe (OpenCL C §6.15.18): a pointer to global memory.
    Pipe {
        /// Whether the kernel writes packets; it reads them otherwise.
        writes: bool,
    },
}

/// A kernel's parameter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelParam {
    /// Name in the source.
    pub name: String,
    /// Type as the source spells it.
    pub type_name: String,
    /// Element type of a value or of a pointer's target: `None` if it is neither a scalar nor a vector.
    pub element: Option<(Scalar, u32)>,
    /// Whether that element is a signed integer.
    pub signed: bool,
    /// Kind.
    pub kind: KernelParamKind,
    /// The most bytes that the memory of this argument may have (`max_size`, OpenCL C++ §2.8.4).
    pub max_size: Option<u64>,
}

/// What makes a function a kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelInfo {
    /// Parameters, as many as the function's.
    pub params: Vec<KernelParam>,
    /// `reqd_work_group_size` (OpenCL C §6.9.2).
    pub required_work_group_size: Option<[u32; 3]>,
    /// The number of sub-groups in each work-group (SPIR-V's execution mode `SubgroupsPerWorkgroup`).
    pub required_sub_groups: Option<u32>,
    /// All work-groups of a launch have the same size: before OpenCL C 2.0, and with
    /// `-cl-uniform-work-group-size`.
    pub uniform_work_groups: bool,
    /// Subnormal numbers of single precision may be zeros (`-cl-denorms-are-zero`).
    pub flush_subnormals: bool,
    /// `work_group_size_hint`.
    pub work_group_size_hint: Option<[u32; 3]>,
    /// The type of `vec_type_hint`, for `clGetKernelInfo`. The text form leaves it out.
    pub vec_type_hint: Option<String>,
    /// Whether it is a block, which only kernels enqueue.
    pub is_block: bool,
    /// When the host launches it by itself, if it does.
    pub hook: Option<ProgramHook>,
}

/// Storage of a [`VariableData`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum VariableSpace {
    /// A work-item's own array.
    Private,
    /// A constant array, private to each work-item as far as the target knows, with an initialiser.
    ConstantTable,
    /// Shared by the work-group.
    Local,
    /// A storage buffer (logical addressing).
    StorageBuffer {
        /// Descriptor set and binding ([`descriptor`](crate::descriptor)).
        binding: u32,
        /// Memory written through another variable or pointer is not accessed through this one, and vice
        /// versa.
        restrict: bool,
    },
}

/// Number of elements of a [`VariableData`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ElementCount {
    /// Known at compile time.
    Fixed(u32),
    /// A specialisation constant (a `__local` argument).
    Specialised {
        /// `SpecId`.
        spec_id: u32,
    },
    /// Known only at run time (storage buffers).
    Runtime,
}

/// A typed array variable that memory lowering made; [`Op::ElementPointer`] points into it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VariableData {
    /// Name for disassembly.
    pub name: String,
    /// Storage.
    pub space: VariableSpace,
    /// Whether it is local memory that several functions of the module use: those of the same name are one.
    pub shared: bool,
    /// Element type: a scalar or a vector of up to 4 lanes.
    pub element: Type,
    /// Number of elements.
    pub count: ElementCount,
    /// Contents at the start, one constant an element; empty if none.
    pub initializer: Vec<Constant>,
}

/// A function or kernel.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Function {
    /// Name; unique in the module.
    pub name: String,
    /// Parameters.
    pub params: Vec<Value>,
    /// Types of the results. A source's functions have at most one; those that passes make may have several.
    pub results: Vec<Type>,
    /// Set for kernels.
    pub kernel: Option<KernelInfo>,
    /// The body; `None` for a declaration.
    pub body: Option<Region>,
    /// Where the function's name stands.
    pub span: Span,
    /// Instructions.
    pub insts: Arena<Inst, InstData>,
    /// Values.
    pub values: Arena<Value, ValueData>,
    /// Regions.
    pub regions: Arena<Region, RegionData>,
    /// Typed variables, once memory has been lowered.
    pub variables: Arena<Variable, VariableData>,
    /// Once it has constants or regions. (Modules may have many declarations.)
    #[serde(skip)]
    making: Option<Box<Making>>,
}

/// What helps to make a body.
#[derive(Clone, Debug, Default)]
struct Making {
    /// Constants and global addresses that exist already.
    interned: FxHashMap<(Type, ConstantKey), Value>,
    /// Empty lists, for the instructions of new regions.
    lists: Vec<Vec<Inst>>,
}

/// The room that one body after another takes: see [`Function::enter`].
#[derive(Debug, Default)]
pub struct Room {
    insts: Arena<Inst, InstData>,
    /// While a function has the room, where its declaration had its parameters.
    values: Arena<Value, ValueData>,
    regions: Arena<Region, RegionData>,
    making: Option<Box<Making>>,
}

/// Lists with room for more instructions are not kept for other regions, nor are tables of more constants for
/// other functions: emptying them costs as much as they have room for.
const LARGE_LIST: usize = 64;
const LARGE_TABLE: usize = 1024;

/// Adds the constants among values to their table, which is not serialised with a function.
fn intern(values: &Arena<Value, ValueData>, interned: &mut FxHashMap<(Type, ConstantKey), Value>) {
    for (value, data) in values.iter() {
        let key = match &data.def {
            ValueDef::Constant(constant) => ConstantKey::Constant(constant.clone()),
            ValueDef::Global(global) => ConstantKey::Global(*global),
            _ => continue,
        };
        interned.insert((data.ty, key), value);
    }
}

/// A list of values, copied where it is short without a call.
fn few(values: &[Value]) -> SmallVec<[Value; 4]> {
    let Some(&first) = values.first() else { return SmallVec::new() };
    if values.len() > 4 {
        return SmallVec::from_slice(values);
    }
    let mut inline = [first; 4];
    inline.iter_mut().zip(values).for_each(|(place, &value)| *place = value);
    SmallVec::from_buf_and_len(inline, values.len())
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum ConstantKey {
    Constant(Constant),
    Global(Global),
}

impl Function {
    /// A function without parameters and body. `result` is `None` for `void`.
    #[must_use]
    pub fn new(name: impl Into<String>, result: Option<Type>) -> Self {
        Function { name: name.into(), results: result.into_iter().collect(), ..Function::default() }
    }

    /// Takes the room for a body, which the declaration does not have yet.
    pub fn enter(&mut self, room: &mut Room) {
        self.exchange(room);
        self.values.append(&mut room.values);
    }

    /// Leaves the room to another function, and the body with it: this one is a declaration again.
    pub fn leave(&mut self, room: &mut Room) {
        self.body = None;
        self.insts.clear();
        let Making { interned, lists } = &mut **self.making.get_or_insert_default();
        match interned.capacity() {
            ..=LARGE_TABLE => interned.clear(),
            _ => *interned = FxHashMap::default(),
        }
        for (_, region) in self.regions.iter_mut() {
            let mut list = std::mem::take(&mut region.insts);
            if (1..=LARGE_LIST).contains(&list.capacity()) {
                list.clear();
                lists.push(list);
            }
        }
        self.regions.clear();
        // Parameters are the first values.
        self.values.truncate(self.params.len());
        room.values.append(&mut self.values);
        self.exchange(room);
    }

    fn exchange(&mut self, room: &mut Room) {
        std::mem::swap(&mut self.insts, &mut room.insts);
        std::mem::swap(&mut self.values, &mut room.values);
        std::mem::swap(&mut self.regions, &mut room.regions);
        std::mem::swap(&mut self.making, &mut room.making);
    }

    /// The type of the only result; `None` for `void`.
    #[must_use]
    pub fn result(&self) -> Option<Type> {
        self.results.first().copied()
    }

    /// Adds a parameter.
    pub fn add_param(&mut self, ty: Type) -> Value {
        let value = self.values.push(ValueData { ty, def: ValueDef::Param(self.params.len() as u32) });
        self.params.push(value);
        value
    }

    /// Adds an empty region.
    pub fn add_region(&mut self) -> Region {
        let insts = self.making.as_mut().and_then(|making| making.lists.pop()).unwrap_or_default();
        self.regions.push(RegionData { params: Vec::new(), insts })
    }

    /// Adds a parameter to a region.
    pub fn add_region_param(&mut self, region: Region, ty: Type) -> Value {
        let position = self.regions[region].params.len() as u32;
        let value = self.values.push(ValueData { ty, def: ValueDef::RegionParam(region, position) });
        self.regions[region].params.push(value);
        value
    }

    /// The type of a value.
    #[must_use]
    pub fn ty(&self, value: Value) -> Type {
        self.values[value].ty
    }

    /// The constant that a value is, if it is one.
    #[must_use]
    pub fn as_constant(&self, value: Value) -> Option<&Constant> {
        if let ValueDef::Constant(constant) = &self.values[value].def { Some(constant) } else { None }
    }

    /// The bits of a constant scalar.
    #[must_use]
    pub fn as_bits(&self, value: Value) -> Option<u64> {
        if let Some(Constant::Bits(bits)) = self.as_constant(value) { Some(*bits) } else { None }
    }

    /// The bits of a constant scalar, or of a constant vector whose lanes are equal.
    #[must_use]
    pub fn as_splat(&self, value: Value) -> Option<u64> {
        match self.as_constant(value)? {
            Constant::Bits(bits) => Some(*bits),
            Constant::Lanes(lanes) => lanes.iter().all(|lane| *lane == lanes[0]).then_some(lanes[0]),
            Constant::Undef => None,
        }
    }

    /// Whether it is obvious that each lane of an integer is below `limit`: the value is a constant, or is
    /// masked with a constant.
    #[must_use]
    pub fn is_below(&self, value: Value, limit: u64) -> bool {
        let lanes = self.ty(value).lanes() as usize;
        let is_small = |value: Value| {
            self.as_constant(value).is_some_and(|constant| {
                (0..lanes).all(|lane| constant.lane(lane).is_some_and(|bits| bits < limit))
            })
        };
        let masked = self.defining_inst(value).map(|inst| &self.insts[inst]);
        is_small(value)
            || masked.is_some_and(|data| {
                data.op == Op::Binary(BinaryOp::And) && data.operands.iter().any(|&mask| is_small(mask))
            })
    }

    /// The instruction that defines a value.
    #[must_use]
    pub fn defining_inst(&self, value: Value) -> Option<Inst> {
        if let ValueDef::Result(inst, _) = self.values[value].def { Some(inst) } else { None }
    }

    /// A constant, made once: the same type and bits give the same value. For a vector, `Bits` means that
    /// scalar in every lane.
    pub fn constant(&mut self, ty: Type, constant: Constant) -> Value {
        let constant = match (ty, constant) {
            (Type::Vector(scalar, lanes), Constant::Bits(bits)) => {
                Constant::Lanes(vec![bits & scalar.mask(); usize::from(lanes)].into())
            }
            (Type::Scalar(scalar), Constant::Bits(bits)) => Constant::Bits(bits & scalar.mask()),
            (_, constant) => constant,
        };
        self.intern(ty, ConstantKey::Constant(constant))
    }

    /// An integer or `Bool` constant (in all lanes of a vector), truncated to the type's width.
    pub fn int(&mut self, ty: Type, value: i64) -> Value {
        self.constant(ty, Constant::Bits(value as u64))
    }

    /// A floating-point constant (in all lanes of a vector), rounded to the type. For half precision, callers
    /// pass bits to [`Self::constant`].
    ///
    /// # Panics
    /// If `ty` is not single or double precision.
    pub fn float(&mut self, ty: Type, value: f64) -> Value {
        let bits = match ty.scalar() {
            Some(Scalar::F32) => u64::from((value as f32).to_bits()),
            Some(Scalar::F64) => value.to_bits(),
            other => panic!("no float constant of type {other:?}"),
        };
        self.constant(ty, Constant::Bits(bits))
    }

    /// All bits zero.
    pub fn zero(&mut self, ty: Type) -> Value {
        self.constant(ty, Constant::Bits(0))
    }

    /// Any value of this type.
    pub fn undef(&mut self, ty: Type) -> Value {
        self.constant(ty, Constant::Undef)
    }

    /// Empties the table of constants, after the ids that values refer to have changed.
    pub(crate) fn forget_interned(&mut self) {
        self.making = None;
    }

    /// The address of a module-scope variable of address space `ty`.
    pub fn global(&mut self, ty: Type, global: Global) -> Value {
        self.intern(ty, ConstantKey::Global(global))
    }

    fn intern(&mut self, ty: Type, key: ConstantKey) -> Value {
        let making = self.making.get_or_insert_default();
        if making.interned.is_empty() {
            intern(&self.values, &mut making.interned);
        }
        if let Some(&value) = making.interned.get(&(ty, key.clone())) {
            return value;
        }
        let def = match &key {
            ConstantKey::Constant(constant) => ValueDef::Constant(constant.clone()),
            ConstantKey::Global(global) => ValueDef::Global(*global),
        };
        let value = self.values.push(ValueData { ty, def });
        making.interned.insert((ty, key), value);
        value
    }

    /// Makes an instruction with results of the given types; it does not belong to a region yet.
    pub fn make_inst(
        &mut self,
        op: Op,
        operands: &[Value],
        result_types: &[Type],
        regions: &[Region],
        span: Span,
    ) -> Inst {
        let inst = Inst::from_index(self.insts.len());
        let mut results = SmallVec::new();
        for (index, &ty) in result_types.iter().enumerate() {
            results.push(self.values.push(ValueData { ty, def: ValueDef::Result(inst, index as u32) }));
        }
        self.insts.push(InstData {
            op,
            operands: few(operands),
            results,
            regions: if regions.is_empty() { SmallVec::new() } else { SmallVec::from_slice(regions) },
            fast_math: FastMath::empty(),
            span,
        })
    }

    /// Adds a result to an instruction.
    pub fn add_result(&mut self, inst: Inst, ty: Type) -> Value {
        let position = self.insts[inst].results.len() as u32;
        let value = self.values.push(ValueData { ty, def: ValueDef::Result(inst, position) });
        self.insts[inst].results.push(value);
        value
    }

    /// The terminator of a region, if it has instructions.
    #[must_use]
    pub fn terminator(&self, region: Region) -> Option<Inst> {
        self.regions[region].insts.last().copied()
    }

    /// The exits of each construct.
    #[must_use]
    pub fn exits(&self) -> FxHashMap<Inst, Vec<Inst>> {
        let mut exits: FxHashMap<Inst, Vec<Inst>> = FxHashMap::default();
        self.walk(|inst, data| {
            if let Op::Exit(construct) = data.op {
                exits.entry(construct).or_default().push(inst);
            }
        });
        exits
    }

    /// Calls `visit` for every instruction in the body in order, each before those in its regions. Does not
    /// recurse, however deep the regions are.
    pub fn walk(&self, mut visit: impl FnMut(Inst, &InstData)) {
        let mut stack: Vec<(Region, usize)> = self.body.map(|body| (body, 0)).into_iter().collect();
        while let Some((region, position)) = stack.pop() {
            for (&inst, next) in self.regions[region].insts[position..].iter().zip(position + 1..) {
                let data = &self.insts[inst];
                visit(inst, data);
                if !data.regions.is_empty() {
                    stack.push((region, next));
                    stack.extend(data.regions.iter().rev().map(|&nested| (nested, 0)));
                    break;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Builder;

    #[test]
    fn functions_take_the_room_of_each_other() {
        let mut room = Room::default();
        for name in ["first", "second"] {
            let mut function = Function::new(name, None);
            let param = function.add_param(Type::I32);
            function.enter(&mut room);
            assert!(function.insts.is_empty() && function.regions.is_empty());
            let body = function.add_region();
            assert!(function.regions[body].insts.is_empty());
            function.body = Some(body);
            let seven = function.int(Type::I32, 7);
            assert_eq!(function.as_bits(seven), Some(7));
            let mut builder = Builder::new(&mut function, body);
            builder.binary(BinaryOp::Add, param, seven);
            builder.push(Op::Return, &[], &[]);
            function.leave(&mut room);
            assert_eq!((function.values.len(), function.params.as_slice()), (1, &[param][..]));
            assert!(function.body.is_none() && function.insts.is_empty() && function.regions.is_empty());
        }
    }
}
