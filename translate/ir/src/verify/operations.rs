//! Operands and results of each operation.

use super::{Verifier, is_memory_type};
use crate::{
    AddressSpace, BinaryOp, CompareOp, Constant, ConvertOp, Func, Function, GroupArithmetic, InputVariable,
    InstData, MathOp, Op, Scalar, Scope, SubGroupOp, Type, UnaryOp, Value, Variable, VariableSpace,
    WorkItemQuery,
};
use clvk_interface::ImplicitBuffer;
use rustc_hash::FxHashSet;

pub(super) type Checked = Result<(), String>;

/// Returns the rule as an error unless it holds.
pub(super) fn ensure(holds: bool, rule: impl FnOnce() -> String) -> Checked {
    if holds { Ok(()) } else { Err(rule()) }
}

/// Checks that a constant suits its type.
pub(super) fn check_constant(ty: Type, constant: &Constant) -> Checked {
    let fits = |scalar: Scalar, bits: u64| {
        ensure(bits & !scalar.mask() == 0, || format!("the constant {bits:#x} has more bits than {ty}"))
    };
    match (ty, constant) {
        (Type::Void | Type::Image(_) | Type::Sampler, _) => {
            Err(format!("there are no constants of type {ty}"))
        }
        (_, Constant::Undef) => super::check_value_type(ty),
        (Type::Matrix(_), Constant::Bits(0)) => Ok(()),
        (Type::Matrix(_), _) => Err(format!("there are no constants of type {ty}")),
        (Type::Pointer(_), Constant::Bits(_)) => Ok(()),
        (Type::Scalar(scalar), Constant::Bits(bits)) => fits(scalar, *bits),
        (Type::Vector(scalar, count), Constant::Lanes(lanes)) => {
            super::check_value_type(ty)?;
            ensure(lanes.len() == usize::from(count), || {
                format!("a constant of {ty} has {} lanes", lanes.len())
            })?;
            lanes.iter().try_for_each(|&bits| fits(scalar, bits))
        }
        _ => Err(format!("a constant of type {ty} is stored as {constant:?}")),
    }
}

pub(super) fn check_align(align: u32) -> Checked {
    ensure(align.is_power_of_two(), || format!("the alignment {align} is not a power of two"))
}

/// The types of the operands and of the only result; `None` if it has none.
pub(super) struct Signature<'t> {
    pub(super) operands: &'t [Type],
    pub(super) result: Option<Type>,
}

impl Signature<'_> {
    /// The result, which the operation must have.
    pub(super) fn result(&self) -> Result<Type, String> {
        self.result.ok_or_else(|| "the operation has a result".into())
    }

    pub(super) fn no_result(&self) -> Checked {
        ensure(self.result.is_none(), || "the operation has no result".into())
    }

    /// Exactly `N` operands.
    pub(super) fn take<const N: usize>(&self) -> Result<[Type; N], String> {
        self.operands
            .try_into()
            .map_err(|_| format!("the operation has {N} operands, not {}", self.operands.len()))
    }

    pub(super) fn returns(&self, expected: Type) -> Checked {
        let result = self.result()?;
        ensure(result == expected, || format!("the result is of type {expected}, not {result}"))
    }

    /// Operand `index`, which must be a pointer.
    pub(super) fn pointer(&self, index: usize) -> Result<AddressSpace, String> {
        let ty = self.operands.get(index).copied().unwrap_or(Type::Void);
        ty.address_space().ok_or_else(|| format!("operand {} is a pointer, not {ty}", index + 1))
    }
}

impl Verifier<'_> {
    /// Compares the types of all operands.
    pub(super) fn operand_types(&self, data: &InstData, expected: &[Type]) -> Checked {
        ensure(data.operands.len() == expected.len(), || {
            format!("there are {} operands instead of {}", data.operands.len(), expected.len())
        })?;
        for (index, (&operand, &expected)) in data.operands.iter().zip(expected).enumerate() {
            let ty = self.ty(operand);
            ensure(ty == expected, || {
                format!("operand {} is of type {ty} instead of {expected}", index + 1)
            })?;
        }
        Ok(())
    }

    /// Checks everything except jumps.
    pub(super) fn operation(&self, data: &InstData, operands: &[Value], results: &[Value]) -> Checked {
        if data.op.has_regions() {
            return self.construct(data);
        }
        if let Op::Call(callee) = data.op {
            return self.call(data, self.callee(callee)?);
        }
        ensure(results.len() <= 1, || "only calls and constructs with regions have several results".into())?;
        let mut few = [Type::Void; 4];
        let many: Vec<Type>;
        let types = match few.get_mut(..operands.len()) {
            Some(few) => {
                few.iter_mut().zip(operands).for_each(|(ty, &operand)| *ty = self.ty(operand));
                &*few
            }
            None => {
                many = operands.iter().map(|&operand| self.ty(operand)).collect();
                &many[..]
            }
        };
        let result = results.first().map(|&result| self.ty(result));
        let signature = Signature { operands: types, result };
        let s = &signature;
        match &data.op {
            Op::Unary(op) => check_unary(*op, s),
            Op::Binary(op) => check_binary(*op, s),
            Op::Compare(op) => check_compare(*op, s),
            Op::Convert(op) => check_convert(*op, s),
            Op::Select => check_select(s),
            Op::Checked => {
                let [number] = s.take()?;
                ensure(number.is_int(), || "its operand is an integer".into())?;
                s.returns(number)
            }
            Op::Math(op) => check_math(*op, s),
            Op::Construct
            | Op::Extract(_)
            | Op::ExtractDynamic
            | Op::Insert(_)
            | Op::InsertDynamic
            | Op::Shuffle(_) => check_vector(&data.op, s),
            Op::WorkItem(query) => check_query(*query, s),
            Op::SubGroup(op) => check_sub_group(*op, s),
            Op::Matrix(op) => super::matrix::check(*op, s),
            Op::KernelNumber(kernel) => {
                let [] = s.take()?;
                ensure(self.callee(*kernel)?.kernel.is_some(), || "only kernels have numbers".into())?;
                s.returns(Type::I32)
            }
            Op::PrintNumber(format) => {
                let [] = s.take()?;
                let count = self.module.print_formats.len();
                ensure((*format as usize) < count, || format!("there are {count} formats of `printf`"))?;
                s.returns(Type::I32)
            }
            Op::StringWord { limit } => {
                let [pointer] = s.take()?;
                ensure(pointer.is_pointer(), || {
                    format!("a string must be a pointer, but this is {pointer}")
                })?;
                let most = clvk_interface::print::STRING_LIMIT;
                ensure(*limit <= most, || format!("the limit of a string is {limit}, above {most} bytes"))?;
                s.returns(Type::I32)
            }
            Op::PackedDot(_) => {
                let [a, b] = s.take()?;
                ensure((a, b) == (Type::I32, Type::I32), || {
                    format!("the operands are words, not {a} and {b}")
                })?;
                s.returns(Type::I32)
            }
            Op::ReadClock(scope) => {
                let [] = s.take()?;
                let has_clock = matches!(scope, Scope::Device | Scope::SubGroup);
                ensure(has_clock, || format!("there is no clock of {scope:?}"))?;
                s.returns(Type::Vector(Scalar::I32, 2))
            }
            Op::CallElementwise(callee) => check_elementwise(self.callee(*callee)?, s),
            Op::Unreachable => {
                let [] = s.take()?;
                s.no_result()
            }
            Op::HandleNumber => {
                let [handle] = s.take()?;
                let is_handle = matches!(handle, Type::Image(_) | Type::Sampler);
                ensure(is_handle, || format!("the operand is an image or a sampler, not {handle}"))?;
                s.returns(Type::I32)
            }
            Op::SamplerWord => {
                let [sampler] = s.take()?;
                ensure(sampler == Type::Sampler, || format!("the operand is a sampler, not {sampler}"))?;
                s.returns(Type::I32)
            }
            Op::ProgramSampler(_)
            | Op::ImplicitBuffer(_)
            | Op::Input(_)
            | Op::PushConstant { .. }
            | Op::ElementPointer(_)
            | Op::PhysicalPointer(_)
            | Op::ImageBinding { .. }
            | Op::SamplerBinding { .. } => self.target(&data.op, s),
            _ => self.memory(data, s),
        }
    }

    fn callee(&self, callee: Func) -> Result<&Function, String> {
        self.module.functions.get(callee).ok_or_else(|| "the called function is not in the module".into())
    }

    fn call(&self, data: &InstData, callee: &Function) -> Checked {
        let (given, wanted) = (data.operands.len(), callee.params.len());
        ensure(given == wanted, || format!("there are {given} arguments instead of {wanted}"))?;
        for (index, (&operand, &param)) in data.operands.iter().zip(&callee.params).enumerate() {
            let ty = self.ty(operand);
            let wanted = callee.values.get(param).map_or(Type::Void, |data| data.ty);
            ensure(ty == wanted, || format!("argument {} is of type {ty} instead of {wanted}", index + 1))?;
        }
        let results = data.results.iter().map(|&result| self.ty(result));
        ensure(results.eq(callee.results.iter().copied()), || {
            "the results are not of the called function's types".into()
        })
    }

    fn construct(&self, data: &InstData) -> Checked {
        let function = self.function;
        for (place, &region) in data.regions.iter().enumerate() {
            let has_params = !function.regions[region].params.is_empty();
            ensure(!has_params || data.op.is_loop(), || format!("region {place} has parameters"))?;
            for &param in &function.regions[region].params {
                self.travels(self.ty(param))?;
            }
        }
        for &result in &data.results {
            self.travels(self.ty(result))?;
        }
        match &data.op {
            Op::If => self.operand_types(data, &[Type::BOOL]),
            Op::Loop(_) => {
                let params = &function.regions[data.regions[0]].params;
                let expected: Vec<Type> = params.iter().map(|&param| self.ty(param)).collect();
                self.operand_types(data, &expected)
            }
            Op::Switch(cases) => {
                let [&selector] = data.operands.iter().collect::<Vec<_>>()[..] else {
                    return Err("a switch has one operand".into());
                };
                let ty = self.ty(selector);
                let (Type::Scalar(scalar), true) = (ty, ty.is_int()) else {
                    return Err(format!("the selector is an integer, not {ty}"));
                };
                let mut seen = FxHashSet::default();
                for &label in cases.iter().flatten() {
                    ensure(label & !scalar.mask() == 0, || {
                        format!("the label {label:#x} has more bits than {ty}")
                    })?;
                    ensure(seen.insert(label), || format!("the label {label:#x} leads to two regions"))?;
                }
                ensure(cases.iter().all(|labels| !labels.is_empty()), || "each case has a label".into())
            }
            _ => self.operand_types(data, &[]),
        }
    }

    /// Whether regions may take and return values of this type.
    fn travels(&self, ty: Type) -> Checked {
        super::check_value_type(ty)?;
        let is_handle = matches!(ty, Type::Image(_) | Type::Sampler);
        ensure(!is_handle, || format!("values of type {ty} are not given to or by regions"))
    }

    fn target(&self, op: &Op, s: &Signature<'_>) -> Checked {
        let operands: &[Type] = match op {
            Op::ElementPointer(_) if s.operands.len() == 2 => &[Type::I32, Type::I32],
            Op::ElementPointer(_) => &[Type::I32],
            Op::PhysicalPointer(_) => &[Type::I64],
            _ => &[],
        };
        ensure(*s.operands == *operands, || "the operands have the wrong number or type".into())?;
        let result = s.result()?;
        match op {
            Op::Input(
                InputVariable::LocalInvocationIndex
                | InputVariable::SubgroupSize
                | InputVariable::NumSubgroups
                | InputVariable::SubgroupId
                | InputVariable::SubgroupLocalInvocationId
                | InputVariable::WorkDim
                | InputVariable::Unwatched
                | InputVariable::Inside
                | InputVariable::OffsetMask,
            ) => s.returns(Type::I32),
            Op::Input(_) => s.returns(Type::Vector(Scalar::I32, 3)),
            Op::PushConstant { .. } => ensure(is_memory_type(result) && !result.is_pointer(), || {
                format!("push constants hold no {result}")
            }),
            Op::ElementPointer(variable) => {
                ensure(self.space_matches(*variable, result), || {
                    format!("the variable is not in the memory of {result}")
                })?;
                let data = &self.function.variables[*variable];
                let has_lanes = data.space == VariableSpace::Local && data.element.lanes() > 1;
                ensure(s.operands.len() == 1 || has_lanes, || {
                    "only vectors in local memory have pointers to lanes".into()
                })
            }
            Op::PhysicalPointer(space) => s.returns(Type::Pointer(*space)),
            Op::ImplicitBuffer(ImplicitBuffer::PrivateMemory) => {
                s.returns(Type::Pointer(AddressSpace::Private))
            }
            Op::ImplicitBuffer(_) => s.returns(Type::Pointer(AddressSpace::Global)),
            Op::ImageBinding { .. } => {
                ensure(matches!(result, Type::Image(_)), || format!("{result} is not an image"))
            }
            _ => s.returns(Type::Sampler),
        }
    }

    fn space_matches(&self, variable: Variable, pointer: Type) -> bool {
        use AddressSpace::{Constant, Global, Local, Private};
        let Type::Pointer(space) = pointer else { return false };
        match self.function.variables[variable].space {
            VariableSpace::Private => space == Private,
            VariableSpace::ConstantTable => matches!(space, Constant | Private),
            VariableSpace::Local => space == Local,
            // Very large private variables may be in a buffer.
            VariableSpace::StorageBuffer { .. } => matches!(space, Global | Constant | Private),
        }
    }
}

fn check_unary(op: UnaryOp, s: &Signature<'_>) -> Checked {
    let [a] = s.take()?;
    let allowed = match op {
        UnaryOp::FNeg => a.is_float(),
        UnaryOp::HighestBit | UnaryOp::LowestBit => a.is_int() && a.scalar() == Some(Scalar::I32),
        UnaryOp::Not => a.is_int() || a.is_bool(),
        UnaryOp::Neg | UnaryOp::PopCount | UnaryOp::CountLeadingZeros | UnaryOp::CountTrailingZeros => {
            a.is_int()
        }
    };
    ensure(allowed, || format!("the operation does not take {a}"))?;
    s.returns(a)
}

fn check_binary(op: BinaryOp, s: &Signature<'_>) -> Checked {
    let [a, b] = s.take()?;
    let allowed = match op {
        BinaryOp::FAdd | BinaryOp::FSub | BinaryOp::FMul | BinaryOp::FDiv => a.is_float(),
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => a.is_int() || a.is_bool(),
        _ => a.is_int(),
    };
    ensure(allowed, || format!("the operation does not take {a}"))?;
    ensure(a == b, || format!("the operands are of different types, {a} and {b}"))?;
    s.returns(a)
}

fn check_compare(op: CompareOp, s: &Signature<'_>) -> Checked {
    let [a, b] = s.take()?;
    let allowed = match op {
        CompareOp::Eq | CompareOp::Ne => a.is_int() || a.is_bool() || a.is_pointer(),
        CompareOp::SLt
        | CompareOp::SLe
        | CompareOp::SGt
        | CompareOp::SGe
        | CompareOp::ULt
        | CompareOp::ULe
        | CompareOp::UGt
        | CompareOp::UGe => a.is_int(),
        _ => a.is_float(),
    };
    ensure(allowed, || format!("the operation does not take {a}"))?;
    ensure(a == b, || format!("the operands are of different types, {a} and {b}"))?;
    s.returns(Type::with_lanes(Scalar::Bool, a.lanes()))
}

fn check_convert(op: ConvertOp, s: &Signature<'_>) -> Checked {
    let [from] = s.take()?;
    check_conversion(op, from, s.result()?)
}

/// Checks the types of a conversion.
pub(super) fn check_conversion(op: ConvertOp, from: Type, to: Type) -> Checked {
    use AddressSpace::Generic;
    let bits = |ty: Type| ty.scalar().map_or(0, Scalar::bits);
    let plain = |ty: Type| is_memory_type(ty) && ty.scalar().is_some();
    let allowed = match op {
        ConvertOp::Truncate => from.is_int() && to.is_int() && bits(to) < bits(from),
        ConvertOp::ZeroExtend | ConvertOp::SignExtend => {
            (from.is_int() || from.is_bool()) && to.is_int() && bits(to) > bits(from)
        }
        ConvertOp::SignedToFloat(_) | ConvertOp::UnsignedToFloat(_) => from.is_int() && to.is_float(),
        ConvertOp::FloatToSigned { .. } | ConvertOp::FloatToUnsigned { .. } => from.is_float() && to.is_int(),
        ConvertOp::Float(_) => from.is_float() && to.is_float() && bits(from) != bits(to),
        ConvertOp::Bitcast => plain(from) && plain(to) && from.access_size() == to.access_size(),
        ConvertOp::PointerToInt => from.is_pointer() && to == Type::I64,
        ConvertOp::IntToPointer => from == Type::I64 && to.is_pointer(),
        ConvertOp::AddressSpace => match (from, to) {
            (Type::Pointer(from), Type::Pointer(to)) => from != to && (from == Generic || to == Generic),
            _ => false,
        },
    };
    let same_lanes = op == ConvertOp::Bitcast || from.lanes() == to.lanes();
    ensure(allowed && same_lanes, || format!("the operation does not convert {from} to {to}"))
}

fn check_select(s: &Signature<'_>) -> Checked {
    let [condition, a, b] = s.take()?;
    ensure(a == b, || format!("the values are of different types, {a} and {b}"))?;
    ensure(!matches!(a, Type::Image(_) | Type::Sampler), || format!("values of type {a} are not selected"))?;
    let allowed =
        condition == Type::BOOL || matches!(a, Type::Vector(..)) && condition == a.with_scalar(Scalar::Bool);
    ensure(allowed, || format!("{condition} does not select among {a}"))?;
    s.returns(a)
}

fn check_math(op: MathOp, s: &Signature<'_>) -> Checked {
    let count = match op {
        MathOp::Fma | MathOp::FClamp => 3,
        MathOp::FMin | MathOp::FMax | MathOp::CopySign | MathOp::NativeDivide | MathOp::Dot => 2,
        _ => 1,
    };
    ensure(s.operands.len() == count, || {
        format!("there are {} operands instead of {count}", s.operands.len())
    })?;
    let a = s.operands[0];
    ensure(a.is_float(), || format!("the operation does not take {a}"))?;
    ensure(s.operands.iter().all(|&ty| ty == a), || "the operands are of different types".into())?;
    match (op, a) {
        (MathOp::IsNan | MathOp::IsInf | MathOp::NeverPositive, _) => s.returns(a.with_scalar(Scalar::Bool)),
        (MathOp::Dot, Type::Vector(scalar, _)) => s.returns(Type::Scalar(scalar)),
        (MathOp::Dot, _) => Err("the operation takes vectors".into()),
        _ => s.returns(a),
    }
}

fn check_vector(op: &Op, s: &Signature<'_>) -> Checked {
    if let Op::Construct = op {
        let Type::Vector(scalar, lanes) = s.result()? else { return Err("the result is a vector".into()) };
        let fits =
            s.operands.len() == usize::from(lanes) && s.operands.iter().all(|&ty| ty == Type::Scalar(scalar));
        return ensure(fits, || "there is one scalar of the vector's type for each lane".into());
    }
    let Some(&Type::Vector(scalar, lanes)) = s.operands.first() else {
        return Err("the first operand is a vector".into());
    };
    let (vector, element) = (Type::Vector(scalar, lanes), Type::Scalar(scalar));
    let lane_exists = |lane: u8| ensure(lane < lanes, || format!("{vector} has no lane {lane}"));
    let is_index = |ty: Type| {
        ensure(matches!(ty, Type::Scalar(scalar) if scalar.is_int()), || format!("{ty} is not an index"))
    };
    let is_element = |ty: Type| ensure(ty == element, || format!("{ty} is not a lane of {vector}"));
    match op {
        Op::Extract(lane) => {
            let [_] = s.take()?;
            lane_exists(*lane)?;
            s.returns(element)
        }
        Op::ExtractDynamic => {
            let [_, index] = s.take()?;
            is_index(index)?;
            s.returns(element)
        }
        Op::Insert(lane) => {
            let [_, value] = s.take()?;
            is_element(value)?;
            lane_exists(*lane)?;
            s.returns(vector)
        }
        Op::InsertDynamic => {
            let [_, value, index] = s.take()?;
            is_element(value)?;
            is_index(index)?;
            s.returns(vector)
        }
        Op::Shuffle(mask) => {
            let [a, b] = s.take()?;
            ensure(a == b, || format!("the operands are of different types, {a} and {b}"))?;
            let Type::Vector(result, count) = s.result()? else {
                return Err("the result is a vector".into());
            };
            ensure(result == scalar, || format!("the lanes of {vector} are not of the result's type"))?;
            let wrong =
                mask.iter().take(usize::from(count)).find(|&&lane| lane != u8::MAX && lane >= 2 * lanes);
            ensure(wrong.is_none(), || format!("the mask names a lane that two of {vector} do not have"))
        }
        other => Err(format!("{other:?} is not an operation on vectors")),
    }
}

fn check_query(query: WorkItemQuery, s: &Signature<'_>) -> Checked {
    match query {
        WorkItemQuery::WorkDim | WorkItemQuery::CommandNumber | WorkItemQuery::Zero => {
            let [] = s.take()?;
            s.returns(Type::I32)
        }
        WorkItemQuery::GlobalLinearId | WorkItemQuery::LocalLinearId | WorkItemQuery::DispatchLinearId => {
            let [] = s.take()?;
            s.returns(Type::I64)
        }
        query if query.is_of_sub_groups() => {
            let [] = s.take()?;
            s.returns(Type::I32)
        }
        _ => {
            let [dimension] = s.take()?;
            ensure(dimension == Type::I32, || format!("the dimension is an i32, not {dimension}"))?;
            s.returns(Type::I64)
        }
    }
}

fn check_sub_group(op: SubGroupOp, s: &Signature<'_>) -> Checked {
    let scalar = |ty: Type| ensure(matches!(ty, Type::Scalar(_)), || format!("{ty} is not a scalar"));
    match op {
        SubGroupOp::All | SubGroupOp::Any => {
            let [condition] = s.take()?;
            ensure(condition == Type::BOOL, || format!("the condition is a bool, not {condition}"))?;
            s.returns(Type::BOOL)
        }
        SubGroupOp::Elect => {
            let [] = s.take()?;
            s.returns(Type::BOOL)
        }
        SubGroupOp::Ballot => {
            let [condition] = s.take()?;
            ensure(condition == Type::BOOL, || format!("the condition is a bool, not {condition}"))?;
            s.returns(Type::Vector(Scalar::I32, 4))
        }
        SubGroupOp::Broadcast | SubGroupOp::Shuffle => {
            let [value, index] = s.take()?;
            scalar(value)?;
            ensure(index == Type::I32, || format!("the index is an i32, not {index}"))?;
            s.returns(value)
        }
        SubGroupOp::BroadcastFirst => {
            let [value] = s.take()?;
            scalar(value)?;
            s.returns(value)
        }
        SubGroupOp::ClusteredReduce(op) => {
            let [value, size] = s.take()?;
            ensure(size == Type::I32, || format!("the cluster's size is an i32, not {size}"))?;
            check_group_arithmetic(op, value, s)
        }
        SubGroupOp::Reduce(op) | SubGroupOp::InclusiveScan(op) | SubGroupOp::ExclusiveScan(op) => {
            let [value] = s.take()?;
            check_group_arithmetic(op, value, s)
        }
    }
}

fn check_group_arithmetic(op: GroupArithmetic, value: Type, s: &Signature<'_>) -> Checked {
    use GroupArithmetic::{And, Or, Xor};
    let fits = match value {
        Type::Scalar(Scalar::Bool) => matches!(op, And | Or | Xor),
        Type::Scalar(scalar) => scalar.is_float() == op.is_float(),
        _ => false,
    };
    ensure(fits, || format!("the operation does not take {value}"))?;
    s.returns(value)
}

fn check_elementwise(callee: &Function, s: &Signature<'_>) -> Checked {
    let Type::Vector(scalar, lanes) = s.result()? else { return Err("the result is a vector".into()) };
    ensure(callee.result() == Some(Type::Scalar(scalar)), || {
        "a lane of the result is the called function's result".into()
    })?;
    let (given, wanted) = (s.operands.len(), callee.params.len());
    ensure(given == wanted, || format!("there are {given} arguments instead of {wanted}"))?;
    for (index, (&ty, &param)) in s.operands.iter().zip(&callee.params).enumerate() {
        let wanted = callee.values.get(param).map_or(Type::Void, |data| data.ty);
        let is_vector = matches!((ty, wanted), (Type::Vector(a, n), Type::Scalar(b)) if a == b && n == lanes);
        ensure(ty == wanted || is_vector, || {
            format!("argument {} is of type {ty} instead of {wanted}", index + 1)
        })?;
    }
    Ok(())
}
