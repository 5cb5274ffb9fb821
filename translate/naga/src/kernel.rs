//! One kernel: its values and expressions.

use crate::memory::Place;
use crate::module::{Builder, Resources, known_size, vector_size};
use clvk_interface::{KernelInterface, SpecConstants};
use clvk_ir::{
    Constant, EntityId, Function, InputVariable, Inst, Op, Scalar, Type, Value, ValueDef, Variable,
};
use half::f16;
use naga::{
    Binding, Block, BuiltIn, Expression, FunctionArgument, GlobalVariable, Handle, Literal, LocalVariable,
    Range, Span, Statement,
};
use rustc_hash::FxHashMap;

/// An expression this deep gets a name: compilers bound the depth, and readers understand little of it.
const DEEPEST: u32 = 6;

/// The position of each member of the uniform block, by its offset and type.
pub type Members = FxHashMap<(u32, Type), u32>;

/// A kernel being written.
pub struct Kernel<'b, 'f> {
    /// The module.
    pub builder: &'b mut Builder,
    /// The kernel.
    pub function: &'f Function,
    /// How it is launched.
    pub interface: &'f KernelInterface,
    /// What it binds.
    pub resources: &'b mut Resources,
    /// The function so far.
    pub out: naga::Function,
    /// The block being written.
    pub block: Block,
    /// The expressions of values.
    values: Vec<Option<Handle<Expression>>>,
    /// The depth of each expression as it is written.
    depths: Vec<u32>,
    /// Whether each expression is constant, for compilers of these languages too.
    constant: Vec<bool>,
    literals: FxHashMap<(Scalar, u64), Handle<Expression>>,
    inputs: FxHashMap<InputVariable, Handle<Expression>>,
    /// Variables that hold the bits of infinities and NaNs.
    hidden: FxHashMap<u64, Handle<Expression>>,
    /// The arrays.
    pub places: FxHashMap<Variable, Place>,
    /// Images and samplers.
    pub handles: FxHashMap<u32, Handle<GlobalVariable>>,
    uniform: Option<(Handle<Expression>, Members)>,
}

impl<'b, 'f> Kernel<'b, 'f> {
    /// Writes a kernel as a function.
    pub fn write(
        builder: &'b mut Builder,
        function: &'f Function,
        interface: &'f KernelInterface,
        resources: &'b mut Resources,
    ) -> naga::Function {
        let mut kernel = Kernel {
            builder,
            function,
            interface,
            resources,
            out: naga::Function::default(),
            block: Block::new(),
            values: vec![None; function.values.len()],
            depths: Vec::new(),
            constant: Vec::new(),
            literals: FxHashMap::default(),
            inputs: FxHashMap::default(),
            hidden: FxHashMap::default(),
            places: FxHashMap::default(),
            handles: FxHashMap::default(),
            uniform: None,
        };
        kernel.declare_uniform_block();
        kernel.declare_variables();
        let body = function.body.expect("kernels have bodies");
        kernel.out.body = kernel.top_region(body);
        kernel.out
    }

    /// Panics about an instruction that the passes should not have left.
    pub fn left(&self, inst: Inst) -> ! {
        panic!(
            "the pass `raise-naga` left what naga does not have in the kernel `{}`: `{}`",
            self.function.name,
            clvk_ir::text::inst_to_string(None, self.function, inst)
        );
    }

    /// Adds an expression that is evaluated where it is used: a literal, a variable, an argument.
    pub fn fixed(&mut self, expression: Expression) -> Handle<Expression> {
        self.depths.push(0);
        self.constant.push(matches!(
            expression,
            Expression::Literal(_) | Expression::ZeroValue(_) | Expression::Override(_)
        ));
        self.out.expressions.append(expression, Span::UNDEFINED)
    }

    /// Adds an expression that a statement evaluates.
    pub fn result_of(&mut self, expression: Expression) -> Handle<Expression> {
        self.fixed(expression)
    }

    /// Adds an expression that is evaluated here.
    pub fn add(&mut self, expression: Expression) -> Handle<Expression> {
        let is_load = matches!(expression, Expression::Load { .. });
        let is_place = matches!(expression, Expression::Access { .. } | Expression::AccessIndex { .. });
        let (mut depth, mut constant) = (0, true);
        operands(&expression, |operand| {
            depth = depth.max(self.depths[operand.index()]);
            constant &= self.constant[operand.index()];
        });
        self.constant.push(constant);
        let handle = self.out.expressions.append(expression, Span::UNDEFINED);
        if is_load {
            depth = 0;
        } else if !is_place {
            depth += 1;
            if depth > DEEPEST {
                self.out.named_expressions.insert(handle, "v".to_owned());
                depth = 0;
            }
        }
        self.depths.push(depth);
        self.emit(handle);
        handle
    }

    /// Evaluates an expression here, together with the one before it if that was the last statement.
    fn emit(&mut self, handle: Handle<Expression>) {
        if let Some(Statement::Emit(range)) = self.block.last_mut()
            && let Some((first, last)) = range.first_and_last()
            && last.index() + 1 == handle.index()
        {
            *range = Range::new_from_bounds(first, handle);
            return;
        }
        self.statement(Statement::Emit(Range::new_from_bounds(handle, handle)));
    }

    /// Adds a statement.
    pub fn statement(&mut self, statement: Statement) {
        self.block.push(statement, Span::UNDEFINED);
    }

    /// The value of a variable.
    pub fn load(&mut self, pointer: Handle<Expression>) -> Handle<Expression> {
        self.add(Expression::Load { pointer })
    }

    /// The value of an expression, hidden from compilers of these languages if it is constant. They refuse
    /// constant expressions without a meaning (an index out of range, a sum that is infinite), even where
    /// they are never evaluated.
    pub fn opaque(&mut self, value: Handle<Expression>, ty: Type) -> Handle<Expression> {
        if !self.constant[value.index()] {
            return value;
        }
        let ty = self.builder.value_type(ty);
        let pointer = self.local("constant", ty);
        self.statement(Statement::Store { pointer, value });
        self.load(pointer)
    }

    /// A variable of the function, as a pointer. It is zero at the start.
    pub fn local(&mut self, name: &str, ty: Handle<naga::Type>) -> Handle<Expression> {
        let variable = LocalVariable { name: Some(name.to_owned()), ty, init: None };
        let variable = self.out.local_variables.append(variable, Span::UNDEFINED);
        self.fixed(Expression::LocalVariable(variable))
    }

    /// Says what a value is.
    pub fn define(&mut self, value: Value, expression: Handle<Expression>) {
        self.values[value.index()] = Some(expression);
    }

    /// The expression of a value.
    pub fn value(&mut self, value: Value) -> Handle<Expression> {
        if let Some(known) = self.values[value.index()] {
            return known;
        }
        match &self.function.values[value].def {
            ValueDef::Constant(constant) => self.constant(self.function.ty(value), constant),
            def => panic!("the value {def:?} is used before it is written"),
        }
    }

    /// An operand of an instruction.
    pub fn operand(&mut self, inst: Inst, position: usize) -> Handle<Expression> {
        self.value(self.function.insts[inst].operands[position])
    }

    /// The type of an operand of an instruction.
    pub fn operand_type(&self, inst: Inst, position: usize) -> Type {
        self.function.ty(self.function.insts[inst].operands[position])
    }

    fn constant(&mut self, ty: Type, constant: &Constant) -> Handle<Expression> {
        let scalar = ty.scalar().expect("constants are scalars and vectors");
        if constant.is_zero() || *constant == Constant::Undef {
            if ty.lanes() == 1 {
                return self.literal(scalar, 0);
            }
            let ty = self.builder.value_type(ty);
            return self.fixed(Expression::ZeroValue(ty));
        }
        let lanes: Vec<Handle<Expression>> = (0..ty.lanes() as usize)
            .map(|lane| self.literal(scalar, constant.lane(lane).expect("it is defined")))
            .collect();
        self.compose(ty, lanes)
    }

    /// A vector; the scalar itself if there is one lane.
    pub fn compose(&mut self, ty: Type, lanes: Vec<Handle<Expression>>) -> Handle<Expression> {
        let Some(size) = vector_size(ty.lanes()) else { return lanes[0] };
        if lanes.iter().all(|lane| *lane == lanes[0]) {
            return self.add(Expression::Splat { size, value: lanes[0] });
        }
        let ty = self.builder.value_type(ty);
        self.add(Expression::Compose { ty, components: lanes })
    }

    /// A scalar constant.
    pub fn literal(&mut self, scalar: Scalar, bits: u64) -> Handle<Expression> {
        if scalar == Scalar::F32 && !f32::from_bits(bits as u32).is_finite() {
            return self.hidden_float(bits);
        }
        let half = f16::from_bits(bits as u16);
        if scalar == Scalar::F16 && !half.is_finite() {
            let single = self.hidden_float(u64::from(half.to_f32().to_bits()));
            return self.resize(single, Scalar::F16);
        }
        if let Some(&known) = self.literals.get(&(scalar, bits)) {
            return known;
        }
        self.builder.value_type(Type::Scalar(scalar));
        let literal = literal(scalar, bits).expect("the others are hidden");
        let expression = self.fixed(Expression::Literal(literal));
        self.literals.insert((scalar, bits), expression);
        expression
    }

    /// A word.
    pub fn word(&mut self, word: u32) -> Handle<Expression> {
        self.literal(Scalar::I32, u64::from(word))
    }

    /// An infinity or NaN. Constant expressions must not have such values, so the bits are in a variable.
    fn hidden_float(&mut self, bits: u64) -> Handle<Expression> {
        let variable = match self.hidden.get(&bits) {
            Some(&known) => known,
            None => {
                let init = Some(self.literal(Scalar::I32, bits));
                let ty = self.builder.value_type(Type::I32);
                let name = if bits as u32 & 0x007f_ffff == 0 { "infinity_bits" } else { "nan_bits" };
                let variable = LocalVariable { name: Some(name.to_owned()), ty, init };
                let variable = self.out.local_variables.append(variable, Span::UNDEFINED);
                let expression = self.fixed(Expression::LocalVariable(variable));
                self.hidden.insert(bits, expression);
                expression
            }
        };
        let bits = self.load(variable);
        self.reinterpret(bits, naga::ScalarKind::Float)
    }

    /// The same number in another precision.
    pub fn resize(&mut self, expr: Handle<Expression>, to: Scalar) -> Handle<Expression> {
        // Whether a module has halves is seen by its types.
        self.builder.value_type(Type::Scalar(to));
        let convert = Some(to.size() as u8);
        self.add(Expression::As { expr, kind: naga::ScalarKind::Float, convert })
    }

    /// The same bits as another kind of number.
    pub fn reinterpret(&mut self, expr: Handle<Expression>, kind: naga::ScalarKind) -> Handle<Expression> {
        self.add(Expression::As { expr, kind, convert: None })
    }

    /// An input of the shader.
    pub fn input(&mut self, input: InputVariable) -> Handle<Expression> {
        let sizes = match input {
            InputVariable::WorkgroupSize => Some((SpecConstants::LOCAL_SIZE_X, known_size(self.interface))),
            InputVariable::EnqueuedWorkgroupSize => {
                Some((SpecConstants::ENQUEUED_LOCAL_SIZE_X, self.interface.local_size.required()))
            }
            _ => None,
        };
        let three_words = Type::Vector(Scalar::I32, 3);
        if let Some((first_id, known)) = sizes {
            let lanes = (0..3).map(|dimension| match known {
                Some(size) => self.word(size[dimension]),
                None => {
                    let size = self.builder.spec_constant(first_id + dimension as u32, "");
                    self.fixed(Expression::Override(size))
                }
            });
            let lanes = lanes.collect();
            let size = self.compose(three_words, lanes);
            return self.opaque(size, three_words);
        }
        if let Some(&known) = self.inputs.get(&input) {
            return known;
        }
        let (name, built_in, ty) = match input {
            InputVariable::LocalInvocationId => ("local_id", BuiltIn::LocalInvocationId, three_words),
            InputVariable::WorkgroupId => ("group_id", BuiltIn::WorkGroupId, three_words),
            InputVariable::NumWorkgroups => ("group_count", BuiltIn::NumWorkGroups, three_words),
            InputVariable::LocalInvocationIndex => ("local_index", BuiltIn::LocalInvocationIndex, Type::I32),
            InputVariable::SubgroupSize => ("sub_group_size", BuiltIn::SubgroupSize, Type::I32),
            InputVariable::SubgroupId => ("sub_group_id", BuiltIn::SubgroupId, Type::I32),
            InputVariable::NumSubgroups => ("sub_group_count", BuiltIn::NumSubgroups, Type::I32),
            InputVariable::SubgroupLocalInvocationId => {
                ("sub_group_local_id", BuiltIn::SubgroupInvocationId, Type::I32)
            }
            InputVariable::WorkgroupSize | InputVariable::EnqueuedWorkgroupSize => {
                unreachable!("they were handled above")
            }
            InputVariable::WorkDim
            | InputVariable::GlobalOffset
            | InputVariable::Unwatched
            | InputVariable::Inside
            | InputVariable::OffsetMask => {
                unreachable!("hosts of other languages do not give {input:?}")
            }
        };
        let ty = self.builder.value_type(ty);
        let binding = Some(Binding::BuiltIn(built_in));
        let position = self.out.arguments.len() as u32;
        self.out.arguments.push(FunctionArgument { name: Some(name.to_owned()), ty, binding });
        let expression = self.fixed(Expression::FunctionArgument(position));
        self.inputs.insert(input, expression);
        expression
    }

    fn declare_uniform_block(&mut self) {
        let mut reads: Vec<(u32, Type)> = Vec::new();
        self.function.walk(|_, data| {
            if let Op::PushConstant { offset } = data.op {
                reads.push((offset, self.function.ty(data.results[0])));
            }
        });
        reads.sort_unstable();
        reads.dedup();
        if reads.is_empty() {
            return;
        }
        let (variable, members) = self.builder.uniform_block(self.interface, &reads, self.resources);
        let block = self.fixed(Expression::GlobalVariable(variable));
        self.uniform = Some((block, members));
    }

    /// What the host passes at an offset.
    pub fn passed(&mut self, offset: u32, ty: Type) -> Handle<Expression> {
        let (base, members) = self.uniform.as_ref().expect("the block was declared");
        let (base, index) = (*base, members[&(offset, ty)]);
        let pointer = self.add(Expression::AccessIndex { base, index });
        self.load(pointer)
    }
}

/// A literal; `None` for infinities and NaNs.
pub fn literal(scalar: Scalar, bits: u64) -> Option<Literal> {
    Some(match scalar {
        Scalar::Bool => Literal::Bool(bits != 0),
        Scalar::I32 => Literal::U32(bits as u32),
        Scalar::F16 => Literal::F16(Some(f16::from_bits(bits as u16)).filter(|number| number.is_finite())?),
        Scalar::F32 => Literal::F32(Some(f32::from_bits(bits as u32)).filter(|number| number.is_finite())?),
        other => unreachable!("the verifier lets no {other:?} through"),
    })
}

/// Calls `visit` for the operands of an expression that this crate makes.
fn operands(expression: &Expression, mut visit: impl FnMut(Handle<Expression>)) {
    match expression {
        Expression::Compose { components, .. } => components.iter().copied().for_each(visit),
        Expression::Access { base, index } => [*base, *index].into_iter().for_each(visit),
        Expression::AccessIndex { base: operand, .. }
        | Expression::Splat { value: operand, .. }
        | Expression::Load { pointer: operand }
        | Expression::Unary { expr: operand, .. }
        | Expression::As { expr: operand, .. } => visit(*operand),
        Expression::Binary { left, right, .. } => [*left, *right].into_iter().for_each(visit),
        Expression::Select { condition, accept, reject } => {
            [*condition, *accept, *reject].into_iter().for_each(visit);
        }
        Expression::Math { arg, arg1, arg2, .. } => {
            visit(*arg);
            [*arg1, *arg2].into_iter().flatten().for_each(visit);
        }
        Expression::ImageSample { coordinate, array_index, .. } => {
            visit(*coordinate);
            array_index.iter().copied().for_each(visit);
        }
        Expression::ImageLoad { coordinate, array_index, level, .. } => {
            visit(*coordinate);
            [*array_index, *level].into_iter().flatten().for_each(visit);
        }
        _ => {}
    }
}
