//! A cursor that walks a function in order and rebuilds its regions: the base of the lowering passes.
//!
//! The cursor visits every instruction once, each before those in its regions. The pass either keeps it, or
//! leaves it out after inserting others in its place and naming the values that replace its results. Uses
//! come after definitions, so one walk sees every use of a replaced value. Regions that the pass makes itself
//! are not walked.
//!
//! The walk keeps its own stack, so nesting does not use the thread's stack.

use clvk_ir::{
    BinaryOp, CompareOp, ConvertOp, EntityId, FastMath, Function, Inst, Op, Region, Scalar, Span, Type,
    UnrollHint, Value, ValueDef,
};
use std::ops::Range;

/// One region that is being rebuilt.
struct Frame {
    region: Region,
    input: Vec<Inst>,
    position: usize,
    output: Vec<Inst>,
}

/// A loop that the pass makes, whose body is being filled.
pub struct NewLoop {
    /// The loop, as the target of exits.
    pub inst: Inst,
    /// The carried values at the start of the body.
    pub carried: Vec<Value>,
    continuing: Region,
    /// The same values, on their way to the next iteration.
    next: Vec<Value>,
}

/// See the module documentation.
pub struct Cursor<'f> {
    /// The function.
    pub function: &'f mut Function,
    frames: Vec<Frame>,
    replaced: Vec<Option<Value>>,
    span: Span,
    fast_math: FastMath,
}

impl<'f> Cursor<'f> {
    /// Starts at the beginning of the body.
    pub fn new(function: &'f mut Function) -> Self {
        let mut cursor = Cursor {
            replaced: Vec::new(),
            frames: Vec::new(),
            span: function.span,
            fast_math: FastMath::empty(),
            function,
        };
        if let Some(body) = cursor.function.body {
            cursor.enter(body);
        }
        cursor
    }

    fn enter(&mut self, region: Region) {
        let input = std::mem::take(&mut self.function.regions[region].insts);
        self.frames.push(Frame { region, output: Vec::with_capacity(input.len()), input, position: 0 });
    }

    /// The next instruction, with its original operands; `None` at the end of the function, which is then
    /// complete.
    pub fn advance(&mut self) -> Option<Inst> {
        loop {
            let frame = self.frames.last_mut()?;
            if let Some(&inst) = frame.input.get(frame.position) {
                frame.position += 1;
                self.span = self.function.insts[inst].span;
                self.fast_math = self.function.insts[inst].fast_math;
                return Some(inst);
            }
            let frame = self.frames.pop().expect("there is a frame");
            self.function.regions[frame.region].insts = frame.output;
        }
    }

    /// The region that the current instruction is in.
    pub fn region(&self) -> Region {
        self.frames.last().expect("asked during the walk").region
    }

    /// The source position of the current instruction.
    pub fn span(&self) -> Span {
        self.span
    }

    /// Sets the floating-point flags of the instructions that are added for the current one; returns the
    /// previous flags.
    pub fn set_fast_math(&mut self, fast_math: FastMath) -> FastMath {
        std::mem::replace(&mut self.fast_math, fast_math)
    }

    /// The value that now represents `value`.
    pub fn get(&self, value: Value) -> Value {
        self.replaced.get(value.index()).copied().flatten().unwrap_or(value)
    }

    /// The current operands of an instruction, after replacements.
    pub fn operands(&self, inst: Inst) -> Vec<Value> {
        self.function.insts[inst].operands.iter().map(|&value| self.get(value)).collect()
    }

    /// The current operand of an instruction, after replacements.
    pub fn operand(&self, inst: Inst, position: usize) -> Value {
        self.get(self.function.insts[inst].operands[position])
    }

    /// The first result of an instruction.
    pub fn result(&self, inst: Inst) -> Value {
        self.function.insts[inst].results[0]
    }

    /// Makes `new` replace `old` from here on.
    pub fn replace(&mut self, old: Value, new: Value) {
        if self.replaced.len() <= old.index() {
            self.replaced.resize(old.index() + 1, None);
        }
        self.replaced[old.index()] = Some(new);
    }

    /// Makes `new` replace the only result of `inst`.
    pub fn replace_result(&mut self, inst: Inst, new: Value) {
        let old = self.result(inst);
        self.replace(old, new);
    }

    /// Puts an instruction here with its operands replaced; the walk continues in its regions.
    pub fn keep(&mut self, inst: Inst) {
        for operand in &mut self.function.insts[inst].operands {
            *operand = self.replaced.get(operand.index()).copied().flatten().unwrap_or(*operand);
        }
        self.place(inst);
    }

    /// Puts an instruction here with these operands; the walk continues in its regions.
    pub fn keep_with(&mut self, inst: Inst, operands: &[Value]) {
        let data = &mut self.function.insts[inst];
        data.operands.clear();
        data.operands.extend_from_slice(operands);
        self.place(inst);
    }

    /// Puts an instruction here as it is; the walk continues in its regions.
    fn place(&mut self, inst: Inst) {
        self.append(inst);
        for position in (0..self.function.insts[inst].regions.len()).rev() {
            self.enter(self.function.insts[inst].regions[position]);
        }
    }

    /// Puts an instruction here as it is, without walking its regions.
    pub fn append(&mut self, inst: Inst) {
        self.frames.last_mut().expect("appended during the walk").output.push(inst);
    }

    /// Begins to fill a region that the pass made.
    pub fn open(&mut self, region: Region) {
        self.frames.push(Frame { region, input: Vec::new(), position: 0, output: Vec::new() });
    }

    /// Ends that region.
    pub fn close(&mut self) {
        let frame = self.frames.pop().expect("closed after opened");
        self.function.regions[frame.region].insts = frame.output;
    }

    /// Adds an instruction.
    pub fn push(&mut self, op: Op, operands: &[Value], results: &[Type], regions: &[Region]) -> Inst {
        let inst = self.function.make_inst(op, operands, results, regions, self.span);
        self.function.insts[inst].fast_math = self.fast_math;
        self.append(inst);
        inst
    }

    /// Adds an instruction with one result.
    pub fn value(&mut self, op: Op, operands: &[Value], ty: Type) -> Value {
        let inst = self.push(op, operands, &[ty], &[]);
        self.result(inst)
    }

    /// An integer constant.
    pub fn int(&mut self, ty: Type, value: i64) -> Value {
        self.function.int(ty, value)
    }

    /// A binary operation; sums with zero, and products and shifts without effect, are omitted.
    pub fn binary(&mut self, op: BinaryOp, a: Value, b: Value) -> Value {
        let bits = self.function.as_bits(b);
        match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr
                if bits == Some(0) =>
            {
                return a;
            }
            BinaryOp::Mul if bits == Some(1) => return a,
            _ => {}
        }
        let ty = self.function.ty(a);
        if let (Type::Scalar(scalar), Some(a), Some(b)) = (ty, self.function.as_bits(a), bits) {
            let folded = match op {
                BinaryOp::Add => Some(a.wrapping_add(b)),
                BinaryOp::Sub => Some(a.wrapping_sub(b)),
                BinaryOp::Mul => Some(a.wrapping_mul(b)),
                BinaryOp::Shl => Some(a << (b % u64::from(scalar.bits()))),
                BinaryOp::LShr => Some(a >> (b % u64::from(scalar.bits()))),
                _ => None,
            };
            if let Some(folded) = folded {
                return self.int(ty, folded as i64);
            }
        }
        self.value(Op::Binary(op), &[a, b], ty)
    }

    /// A binary operation with a constant.
    pub fn binary_int(&mut self, op: BinaryOp, a: Value, b: i64) -> Value {
        let ty = self.function.ty(a);
        let b = self.int(ty, b);
        self.binary(op, a, b)
    }

    /// A comparison of scalars or vectors.
    pub fn compare(&mut self, op: CompareOp, a: Value, b: Value) -> Value {
        let ty = self.function.ty(a).with_scalar(Scalar::Bool);
        self.value(Op::Compare(op), &[a, b], ty)
    }

    /// A selection.
    pub fn select(&mut self, condition: Value, if_true: Value, if_false: Value) -> Value {
        let ty = self.function.ty(if_true);
        self.value(Op::Select, &[condition, if_true, if_false], ty)
    }

    /// A conversion; the value itself if it has the type already.
    pub fn convert(&mut self, op: ConvertOp, value: Value, ty: Type) -> Value {
        if self.function.ty(value) == ty {
            return value;
        }
        if let (Type::Scalar(from), Type::Scalar(_), Some(bits)) =
            (self.function.ty(value), ty, self.function.as_bits(value))
        {
            match op {
                ConvertOp::Truncate | ConvertOp::ZeroExtend if from != Scalar::Bool => {
                    return self.int(ty, bits as i64);
                }
                ConvertOp::SignExtend if from != Scalar::Bool => {
                    return self.int(ty, from.sign_extend(bits));
                }
                _ => {}
            }
        }
        self.value(Op::Convert(op), &[value], ty)
    }

    /// One lane of a vector; the scalar itself if it is one.
    pub fn extract(&mut self, vector: Value, lane: u32) -> Value {
        let ty = self.function.ty(vector);
        if ty.lanes() == 1 {
            return vector;
        }
        let scalar = ty.scalar().expect("only vectors have lanes");
        self.value(Op::Extract(lane as u8), &[vector], Type::Scalar(scalar))
    }

    /// All lanes of a vector; the scalar itself if it is one.
    pub fn lanes(&mut self, vector: Value) -> Vec<Value> {
        (0..self.function.ty(vector).lanes()).map(|lane| self.extract(vector, lane)).collect()
    }

    /// A vector of scalars; the scalar itself if there is one.
    pub fn construct(&mut self, lanes: &[Value]) -> Value {
        if let [only] = lanes {
            return *only;
        }
        let scalar = self.function.ty(lanes[0]).scalar().expect("vectors are made of scalars");
        self.value(Op::Construct, lanes, Type::with_lanes(scalar, lanes.len() as u32))
    }

    /// The same bits as another type.
    pub fn bitcast(&mut self, value: Value, ty: Type) -> Value {
        self.convert(ConvertOp::Bitcast, value, ty)
    }

    /// An integer as wide as `ty`, truncated or extended.
    pub fn resize(&mut self, extend: ConvertOp, value: Value, ty: Type) -> Value {
        let bits = |ty: Type| ty.scalar().map_or(0, Scalar::bits);
        let op = if bits(self.function.ty(value)) > bits(ty) { ConvertOp::Truncate } else { extend };
        self.convert(op, value, ty)
    }

    /// Leaves a construct with these results if a condition is true, or if it is false.
    pub fn exit_when(&mut self, condition: Value, holds: bool, construct: Inst, results: &[Value]) {
        let regions = [self.function.add_region(), self.function.add_region()];
        let check = self.push(Op::If, &[condition], &[], &regions);
        let (leaving, staying) = if holds { (0, 1) } else { (1, 0) };
        self.open(regions[leaving]);
        self.push(Op::Exit(construct), results, &[], &[]);
        self.close();
        self.open(regions[staying]);
        self.push(Op::Exit(check), &[], &[], &[]);
        self.close();
    }

    /// Begins a loop, whose body is filled next. Its iterations carry values; the first one starts with
    /// these. Only exits leave it, with results of these types.
    pub fn begin_loop(&mut self, first: &[Value], results: &[Type]) -> NewLoop {
        self.begin_loop_with(UnrollHint::None, first, results)
    }

    /// The same, with a hint.
    pub fn begin_loop_with(&mut self, hint: UnrollHint, first: &[Value], results: &[Type]) -> NewLoop {
        let (body, continuing) = (self.function.add_region(), self.function.add_region());
        let types: Vec<Type> = first.iter().map(|&value| self.function.ty(value)).collect();
        let [carried, next] = [body, continuing]
            .map(|region| types.iter().map(|&ty| self.function.add_region_param(region, ty)).collect());
        let inst = self.push(Op::Loop(hint), first, results, &[body, continuing]);
        self.open(body);
        NewLoop { inst, carried, continuing, next }
    }

    /// Ends the body of a loop; the next iteration carries these values.
    pub fn end_loop(&mut self, begun: &NewLoop, values: &[Value]) {
        self.push(Op::Continue(begun.inst), values, &[], &[]);
        self.close();
        self.open(begun.continuing);
        self.push(Op::NextIteration, &begun.next, &[], &[]);
        self.close();
    }

    /// Keeps a construct or terminator with these operands. Its results and the parameters of its regions for
    /// which `parts` gives a number and a type become that many values; returns the new values.
    pub fn keep_split(
        &mut self,
        inst: Inst,
        operands: &[Value],
        parts: impl Fn(Type) -> Option<(u32, Type)>,
    ) -> Vec<(Value, Vec<Value>)> {
        let mut split = Vec::new();
        let function = &mut *self.function;
        for result in std::mem::take(&mut function.insts[inst].results) {
            if let Some((count, ty)) = parts(function.ty(result)) {
                split.push((result, (0..count).map(|_| function.add_result(inst, ty)).collect()));
            } else {
                let position = function.insts[inst].results.len() as u32;
                function.values[result].def = ValueDef::Result(inst, position);
                function.insts[inst].results.push(result);
            }
        }
        for region in function.insts[inst].regions.clone() {
            for param in std::mem::take(&mut function.regions[region].params) {
                if let Some((count, ty)) = parts(function.ty(param)) {
                    let made = (0..count).map(|_| function.add_region_param(region, ty)).collect();
                    split.push((param, made));
                } else {
                    let position = function.regions[region].params.len() as u32;
                    function.values[param].def = ValueDef::RegionParam(region, position);
                    function.regions[region].params.push(param);
                }
            }
        }
        self.keep_with(inst, operands);
        split
    }
}

/// Replaces every instruction that `replacement` gives a value for by this value, and keeps the others.
pub fn replace_where(
    function: &mut Function,
    mut replacement: impl FnMut(&mut Cursor<'_>, Inst) -> Option<Value>,
) {
    let mut cursor = Cursor::new(function);
    while let Some(inst) = cursor.advance() {
        match replacement(&mut cursor, inst) {
            Some(value) => cursor.replace_result(inst, value),
            None => cursor.keep(inst),
        }
    }
}

/// The most bytes that one access by address moves, which is what hardware moves. NVIDIA 580 takes minutes,
/// if it finishes at all, to compile kernels with loads of 32 bytes. It also fails to pass the last 16 bytes
/// of push constants that end with a vector of 32.
pub const WIDEST_ACCESS: u32 = 16;

/// The lanes that each access to a wide vector moves.
pub fn pieces(ty: Type) -> impl Iterator<Item = Range<u32>> {
    let size = ty.scalar().map_or(WIDEST_ACCESS, Scalar::size);
    let (step, lanes) = ((WIDEST_ACCESS / size) as usize, ty.lanes());
    (0..lanes).step_by(step).map(move |start| start..lanes.min(start + step as u32))
}

/// The instruction that owns each region; `None` for the body and for regions without an owner.
pub fn region_owners(function: &Function) -> Vec<Option<Inst>> {
    let mut owners = vec![None; function.regions.len()];
    function.walk(|inst, data| {
        for region in &data.regions {
            owners[region.index()] = Some(inst);
        }
    });
    owners
}
