//! Operands, results and regions of each operation.

use crate::{
    ConvertOp, Function, ImageOp, InputVariable, InstData, MathOp, Module, Op, Scalar, Type, UnaryOp, BinaryOp,
    CompareOp, WorkItemQuery,
};

type Check = Result<(), String>;

/// Operand and result types of an instruction.
struct Signature<'f> {
    function: &'f Function,
    data: &'f InstData,
    operands: Vec<Type>,
    results: Vec<Type>,
}

/// Checks one instruction against the manual in [`Op`].
pub(super) fn check(module: &Module, function: &Function, data: &InstData) -> Check {
    let types = |values: &[crate::Value]| values.iter().map(|&value| function.ty(value)).collect::<Vec<_>>();
    let signature = Signature { function, data, operands: types(&data.operands), results: types(&data.results) };
    signature.regions()?;
    match &data.op {
        Op::Call(func) => signature.call(module, *func, false),
        Op::CallElementwise(func) => signature.call(module, *func, true),
        Op::If | Op::Loop | Op::Switch(_) | Op::Block => signature.construct(),
        op if op.is_terminator() => need(signature.results.is_empty(), "a terminator has no result"),
        Op::Alloca { .. }
        | Op::Load { .. }
        | Op::Store { .. }
        | Op::MemoryCopy { .. }
        | Op::MemoryZero { .. }
        | Op::PointerOffset(_)
        | Op::PointerIndex { .. }
        | Op::AtomicRmw { .. }
        | Op::AtomicCompareExchange { .. }
        | Op::AtomicLoad { .. }
        | Op::AtomicStore { .. }
        | Op::Barrier { .. }
        | Op::Fence { .. } => signature.memory(),
        Op::Input(_)
        | Op::PushConstant { .. }
        | Op::ElementPointer(_)
        | Op::PhysicalPointer(_)
        | Op::ImageBinding { .. }
        | Op::SamplerBinding { .. } => signature.target(),
        Op::Image(op) => signature.image(*op),
        Op::WorkItem(query) => signature.work_item(*query),
        _ => signature.value(),
    }
}

fn need(condition: bool, rule: &str) -> Check {
    if condition { Ok(()) } else { Err(rule.to_owned()) }
}

impl Signature<'_> {
    fn regions(&self) -> Check {
        let expected = match &self.data.op {
            Op::If | Op::Loop => 2,
            Op::Switch(cases) => cases.len() + 1,
            Op::Block => 1,
            _ => 0,
        };
        need(self.data.regions.len() == expected, "the number of regions is wrong")
    }

    /// `(operands) → result` of given numbers.
    fn arity(&self, operands: usize, results: usize) -> Check {
        if self.operands.len() == operands && self.results.len() == results {
            return Ok(());
        }
        Err(format!(
            "takes {operands} operands and gives {results} results, not {} and {}",
            self.operands.len(),
            self.results.len()
        ))
    }

    fn construct(&self) -> Check {
        match &self.data.op {
            Op::If => need(self.operands == [Type::BOOL], "the condition of an `if` is one Bool"),
            Op::Loop => {
                let params = &self.function.regions[self.data.regions[0]].params;
                let carried: Vec<Type> = params.iter().map(|&value| self.function.ty(value)).collect();
                need(self.operands == carried, "a loop's initial values match the parameters of its body")
            }
            Op::Switch(cases) => {
                let [Type::Scalar(selector)] = self.operands[..] else {
                    return Err("a switch has one scalar selector".to_owned());
                };
                need(selector.is_int(), "a selector is an integer")?;
                let mut labels: Vec<u64> = cases.iter().flat_map(|labels| labels.iter().copied()).collect();
                need(labels.iter().all(|label| label & !selector.mask() == 0), "a label fits the selector")?;
                labels.sort_unstable();
                need(labels.windows(2).all(|pair| pair[0] != pair[1]), "labels are different")
            }
            _ => need(self.operands.is_empty(), "a block has no operands"),
        }?;
        let bare = |region: &crate::Region| self.function.regions[*region].params.is_empty();
        need(self.data.op == Op::Loop || self.data.regions.iter().all(bare), "only a loop's regions have parameters")
    }

    fn call(&self, module: &Module, func: crate::Func, elementwise: bool) -> Check {
        let callee = module.functions.get(func).ok_or("the callee does not exist")?;
        let params: Vec<Type> = callee.params.iter().map(|&value| callee.ty(value)).collect();
        need(params.len() == self.operands.len(), "a call has an argument for each parameter")?;
        if !elementwise {
            need(params == self.operands, "arguments have the parameters' types")?;
            let result: Vec<Type> = callee.result.into_iter().collect();
            return need(result == self.results, "a call gives the function's result");
        }
        let [Type::Vector(scalar, lanes)] = self.results[..] else {
            return Err("an element-wise call gives a vector".to_owned());
        };
        need(callee.result == Some(Type::Scalar(scalar)), "the function gives an element of the result")?;
        let fits = |(param, given): (&Type, &Type)| {
            param == given || matches!((*param, *given), (Type::Scalar(a), Type::Vector(b, n)) if a == b && n == lanes)
        };
        need(params.iter().zip(&self.operands).all(fits), "arguments are parameters or vectors of them")
    }

    fn memory(&self) -> Check {
        let aligned = |align: u32| need(align.is_power_of_two(), "alignments are powers of two");
        let in_memory = |ty: Type| need(ty.access_size() > 0 && !ty.is_bool(), "the type is not one that is in memory");
        let pointer = || need(self.operands.first().is_some_and(|ty| ty.is_pointer()), "the first operand is a pointer");
        match &self.data.op {
            Op::Alloca { align, .. } => {
                self.arity(0, 1)?;
                aligned(*align)?;
                need(self.results[0] == Type::Pointer(crate::AddressSpace::Private), "an alloca is private")
            }
            Op::Load { align, .. } => {
                self.arity(1, 1)?;
                pointer()?;
                aligned(*align)?;
                in_memory(self.results[0])
            }
            Op::Store { align, .. } => {
                self.arity(2, 0)?;
                pointer()?;
                aligned(*align)?;
                in_memory(self.operands[1])
            }
            Op::MemoryCopy { align, .. } => {
                self.arity(2, 0)?;
                aligned(*align)?;
                need(self.operands.iter().all(|ty| ty.is_pointer()), "both operands are pointers")
            }
            Op::MemoryZero { align, .. } => {
                self.arity(1, 0)?;
                aligned(*align)?;
                pointer()
            }
            Op::PointerOffset(_) => {
                self.arity(1, 1)?;
                pointer()?;
                need(self.operands[0] == self.results[0], "the address space stays")
            }
            Op::PointerIndex { .. } => {
                self.arity(2, 1)?;
                pointer()?;
                need(self.operands[0] == self.results[0], "the address space stays")?;
                need(matches!(self.operands[1], Type::Scalar(scalar) if scalar.is_int()), "an index is an integer")
            }
            Op::AtomicRmw { .. } => {
                self.arity(2, 1)?;
                pointer()?;
                need(self.operands[1] == self.results[0], "the old value has the operand's type")
            }
            Op::AtomicCompareExchange { .. } => {
                self.arity(3, 1)?;
                pointer()?;
                let value = self.results[0];
                need(self.operands[1] == value && self.operands[2] == value, "all values have one type")
            }
            Op::AtomicLoad { .. } => self.arity(1, 1).and_then(|()| pointer()),
            Op::AtomicStore { .. } => self.arity(2, 0).and_then(|()| pointer()),
            _ => self.arity(0, 0),
        }
    }

    fn target(&self) -> Check {
        match &self.data.op {
            Op::Input(input) => {
                self.arity(0, 1)?;
                let wanted = match input {
                    InputVariable::LocalInvocationIndex => Type::I32,
                    _ => Type::Vector(Scalar::I32, 3),
                };
                need(self.results[0] == wanted, "the input has another type")
            }
            Op::PushConstant { .. } => {
                self.arity(0, 1)?;
                need(self.results[0].scalar().is_some_and(|s| s != Scalar::Bool), "a push constant is a number")
            }
            Op::ElementPointer(variable) => {
                self.arity(1, 1)?;
                need(self.function.variables.get(*variable).is_some(), "the variable does not exist")?;
                need(self.operands[0] == Type::I32, "an element's index is an I32")?;
                need(self.results[0].is_pointer(), "gives a pointer")
            }
            Op::PhysicalPointer(space) => {
                self.arity(1, 1)?;
                need(self.operands[0] == Type::I64, "an address is an I64")?;
                need(self.results[0] == Type::Pointer(*space), "gives a pointer to that address space")
            }
            Op::ImageBinding { .. } => {
                self.arity(0, 1)?;
                need(matches!(self.results[0], Type::Image(_)), "gives an image")
            }
            _ => {
                self.arity(0, 1)?;
                need(self.results[0] == Type::Sampler, "gives a sampler")
            }
        }
    }

    fn image(&self, op: ImageOp) -> Check {
        need(matches!(self.operands.first(), Some(Type::Image(_))), "the first operand is an image")?;
        let coordinates = |ty: Type| matches!(ty.scalar(), Some(Scalar::I32 | Scalar::F32)) && ty.lanes() <= 4;
        match op {
            ImageOp::SampledRead { .. } => {
                self.arity(3, 1)?;
                need(self.operands[1] == Type::Sampler && coordinates(self.operands[2]), "takes a sampler and coordinates")
            }
            ImageOp::Read { .. } => {
                self.arity(2, 1)?;
                need(coordinates(self.operands[1]), "takes coordinates")
            }
            ImageOp::Write { .. } => {
                self.arity(3, 0)?;
                need(coordinates(self.operands[1]) && self.operands[2].lanes() == 4, "takes coordinates and four lanes")
            }
            _ => {
                self.arity(1, 1)?;
                need(self.results[0] == Type::I32, "a size is an I32")
            }
        }
    }

    fn work_item(&self, query: WorkItemQuery) -> Check {
        let (operands, result) = match query {
            WorkItemQuery::WorkDim => (0, Type::I32),
            WorkItemQuery::GlobalLinearId | WorkItemQuery::LocalLinearId => (0, Type::I64),
            _ => (1, Type::I64),
        };
        self.arity(operands, 1)?;
        need(self.operands.iter().all(|ty| *ty == Type::I32), "a dimension is an I32")?;
        need(self.results[0] == result, "the result has another type")
    }

    fn value(&self) -> Check {
        let [result] = self.results[..] else { return Err("gives one result".to_owned()) };
        match &self.data.op {
            Op::Unary(op) => {
                self.arity(1, 1)?;
                need(self.operands[0] == result, "operand and result have one type")?;
                match op {
                    UnaryOp::FNeg => need(result.is_float(), "works on floating point"),
                    UnaryOp::Not => need(result.is_int() || result.is_bool(), "works on integers and Bool"),
                    _ => need(result.is_int(), "works on integers"),
                }
            }
            Op::Binary(op) => {
                self.arity(2, 1)?;
                need(self.operands == [result, result], "operands and result have one type")?;
                use BinaryOp::{And, FAdd, FDiv, FMul, FRem, FSub, Or, Xor};
                match op {
                    FAdd | FSub | FMul | FDiv | FRem => need(result.is_float(), "works on floating point"),
                    And | Or | Xor => need(result.is_int() || result.is_bool(), "works on integers and Bool"),
                    _ => need(result.is_int(), "works on integers"),
                }
            }
            Op::Compare(op) => self.compare(*op, result),
            Op::Convert(op) => {
                self.arity(1, 1)?;
                convert(*op, self.operands[0], result)
            }
            Op::Select => {
                self.arity(3, 1)?;
                need(self.operands[1] == result && self.operands[2] == result, "both values have the result's type")?;
                let condition = self.operands[0];
                need(condition.is_bool(), "the condition is Bool")?;
                need(condition.lanes() == 1 || condition.lanes() == result.lanes(), "the condition has as many lanes")
            }
            Op::Math(op) => self.math(*op, result),
            _ => self.vector(result),
        }
    }

    fn compare(&self, op: CompareOp, result: Type) -> Check {
        use CompareOp::{Eq, Ne, SGe, SGt, SLe, SLt, UGe, UGt, ULe, ULt};
        self.arity(2, 1)?;
        let operand = self.operands[0];
        need(operand == self.operands[1], "operands have one type")?;
        need(result.is_bool() && result.lanes() == operand.lanes(), "gives as many Bool")?;
        match op {
            Eq | Ne => need(!operand.is_float(), "does not compare floating point"),
            SLt | SLe | SGt | SGe | ULt | ULe | UGt | UGe => need(operand.is_int(), "compares integers"),
            _ => need(operand.is_float(), "compares floating point"),
        }
    }

    fn math(&self, op: MathOp, result: Type) -> Check {
        let count = match op {
            MathOp::Fma => 3,
            MathOp::FMin | MathOp::FMax | MathOp::CopySign | MathOp::NativeDivide | MathOp::Dot => 2,
            _ => 1,
        };
        self.arity(count, 1)?;
        let operand = self.operands[0];
        need(operand.is_float() && self.operands.iter().all(|ty| *ty == operand), "operands are floats of one type")?;
        match op {
            MathOp::IsNan | MathOp::IsInf => {
                need(result.is_bool() && result.lanes() == operand.lanes(), "gives as many Bool")
            }
            MathOp::Dot => {
                need(operand.lanes() > 1 && operand.scalar().map(Type::Scalar) == Some(result), "gives a scalar")
            }
            _ => need(result == operand, "operands and result have one type"),
        }
    }

    fn vector(&self, result: Type) -> Check {
        let vector = self.operands.first().copied().unwrap_or(Type::Void);
        let element = vector.scalar().map_or(Type::Void, Type::Scalar);
        let is_vector = vector.lanes() > 1;
        let index = |position: usize| matches!(self.operands[position], Type::Scalar(scalar) if scalar.is_int());
        match &self.data.op {
            Op::Construct => {
                let element = result.scalar().map_or(Type::Void, Type::Scalar);
                need(result.lanes() > 1 && self.operands.len() == result.lanes() as usize, "takes a scalar a lane")?;
                need(self.operands.iter().all(|ty| *ty == element), "operands are lanes of the result")
            }
            Op::Extract(lane) => {
                self.arity(1, 1)?;
                need(is_vector && u32::from(*lane) < vector.lanes() && result == element, "gives a lane of a vector")
            }
            Op::ExtractDynamic => {
                self.arity(2, 1)?;
                need(is_vector && index(1) && result == element, "gives a lane of a vector")
            }
            Op::Insert(lane) => {
                self.arity(2, 1)?;
                need(is_vector && u32::from(*lane) < vector.lanes(), "replaces a lane of a vector")?;
                need(self.operands[1] == element && result == vector, "replaces a lane of a vector")
            }
            Op::InsertDynamic => {
                self.arity(3, 1)?;
                need(is_vector && index(2) && self.operands[1] == element && result == vector, "replaces a lane")
            }
            Op::Shuffle(mask) => {
                self.arity(2, 1)?;
                need(self.operands[0] == self.operands[1] && is_vector, "takes two vectors of one type")?;
                let lanes = result.lanes() as usize;
                need(lanes > 1 && result.scalar() == vector.scalar(), "gives a vector of the same elements")?;
                let fits = |lane: &u8| *lane == 255 || u32::from(*lane) < 2 * vector.lanes();
                need(mask[..lanes].iter().all(fits), "the mask chooses lanes of the operands")
            }
            other => Err(format!("no rule for {other:?}")),
        }
    }
}

fn convert(op: ConvertOp, from: Type, to: Type) -> Check {
    let bits = |ty: Type| ty.scalar().map_or(0, Scalar::bits);
    let same_lanes = || need(from.lanes() == to.lanes(), "as many lanes as before");
    match op {
        ConvertOp::Truncate => {
            same_lanes()?;
            need(from.is_int() && to.is_int() && bits(from) > bits(to), "narrows an integer")
        }
        ConvertOp::ZeroExtend | ConvertOp::SignExtend => {
            same_lanes()?;
            need((from.is_int() || from.is_bool()) && to.is_int() && bits(from) < bits(to), "widens an integer")
        }
        ConvertOp::SignedToFloat(_) | ConvertOp::UnsignedToFloat(_) => {
            same_lanes()?;
            need(from.is_int() && to.is_float(), "makes floating point of an integer")
        }
        ConvertOp::FloatToSigned { .. } | ConvertOp::FloatToUnsigned { .. } => {
            same_lanes()?;
            need(from.is_float() && to.is_int(), "makes an integer of floating point")
        }
        ConvertOp::Float(_) => {
            same_lanes()?;
            need(from.is_float() && to.is_float() && from != to, "changes the precision")
        }
        ConvertOp::Bitcast => {
            let numbers = [from, to].iter().all(|ty| ty.is_int() || ty.is_float());
            need(numbers && from.access_size() == to.access_size() && from != to, "keeps all bits of a number")
        }
        ConvertOp::PointerToInt => need(from.is_pointer() && to == Type::I64, "makes an I64 of a pointer"),
        ConvertOp::IntToPointer => need(from == Type::I64 && to.is_pointer(), "makes a pointer of an I64"),
        ConvertOp::AddressSpace => need(from.is_pointer() && to.is_pointer() && from != to, "changes the address space"),
    }
}
