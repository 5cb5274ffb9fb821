//! The printer.

use super::names::{FAST_MATH, FENCE_FLAGS, Words, apart, carries_fast_math, mask_lane, mnemonic};
use super::number::lane_to_string;
use super::numbering::Numbering;
use crate::{
    AddressSpace, Constant, ElementCount, ElementType, EntityId, FenceFlags, Func, Function, Global, ImageOp,
    Inst, InstData, KernelParam, KernelParamKind, MatrixType, Module, Op, Region, Type, UnrollHint, Value,
    ValueDef, Variable, VariableData, VariableSpace,
};
use clvk_interface::ProgramHook;
use std::fmt::{self, Display, Write};

/// Deeper regions are not indented further, so the text's length stays proportional to the function's size.
const MAX_INDENT: usize = 40;

/// The text of a function. Without its module, which [`function_to_string`] takes, callees and variables at
/// module scope are numbered.
impl Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbering = Numbering::new(self);
        f.write_str(&Printer::new(None, self, &numbering).function())
    }
}

impl Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Void => f.write_str("void"),
            Type::Scalar(scalar) => f.write_str(scalar.word()),
            Type::Vector(scalar, lanes) => write!(f, "{}x{lanes}", scalar.word()),
            Type::Pointer(space) => write!(f, "ptr.{}", space.word()),
            Type::Image(image) => {
                let access = match (image.readable, image.writable) {
                    (true, true) => "rw",
                    (true, false) => "r",
                    (false, true) => "w",
                    (false, false) => "none",
                };
                write!(f, "image.{}.{access}.{}", image.dimension.word(), image.sampled.word())
            }
            Type::Sampler => f.write_str("sampler"),
            Type::Matrix(matrix) => {
                let MatrixType { element, rows, columns, usage } = matrix;
                let element = match element {
                    ElementType::Scalar(scalar) => scalar.word(),
                    ElementType::BFloat16 => "bf16",
                };
                write!(f, "matrix.{element}.{rows}x{columns}.{}", usage.word())
            }
        }
    }
}

impl Display for AddressSpace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// The text of a function of `module`.
#[must_use]
pub(crate) fn function_to_string(module: &Module, function: &Function) -> String {
    let numbering = Numbering::new(function);
    Printer::new(Some(module), function, &numbering).function()
}

/// One line that shows an instruction, with the numbers that its values have in the text of the function. For
/// an instruction with regions, it is the part before them. Each call numbers the function anew, which is
/// slow for many instructions.
#[must_use]
pub fn inst_to_string(module: Option<&Module>, function: &Function, inst: Inst) -> String {
    Numbering::new(function).inst_to_string(module, function, inst)
}

/// The first word of an operation in the text form.
#[must_use]
pub fn op_name(op: &Op) -> String {
    mnemonic(op)
}

impl Numbering {
    /// See [`inst_to_string`].
    pub(crate) fn inst_to_string(&self, module: Option<&Module>, function: &Function, inst: Inst) -> String {
        let mut printer = Printer::new(module, function, self);
        printer.inst(inst);
        printer.out.trim().trim_end_matches('{').trim_end().to_owned()
    }
}

/// What remains to be printed; the next task is last.
enum Task {
    /// The rest of a region.
    Insts(Region, usize),
    /// A line that closes a region and may open another.
    Line(String),
}

struct Printer<'a> {
    module: Option<&'a Module>,
    function: &'a Function,
    numbering: &'a Numbering,
    out: String,
    indent: usize,
}

impl<'a> Printer<'a> {
    fn new(module: Option<&'a Module>, function: &'a Function, numbering: &'a Numbering) -> Self {
        Printer { module, function, numbering, out: String::new(), indent: 0 }
    }

    fn put(&mut self, text: impl Display) {
        write!(self.out, "{text}").expect("writing to a string cannot fail");
    }

    fn start_line(&mut self) {
        self.out.extend(std::iter::repeat_n("  ", self.indent.min(MAX_INDENT)));
    }

    fn function(mut self) -> String {
        self.header();
        let Some(body) = self.function.body else {
            self.out.push_str(";\n");
            return self.out;
        };
        self.out.push_str(" {\n");
        self.indent = 1;
        for (id, variable) in self.function.variables.iter() {
            self.start_line();
            self.variable(id, variable);
        }
        let mut tasks = vec![Task::Line("}".into()), Task::Insts(body, 0)];
        while let Some(task) = tasks.pop() {
            match task {
                Task::Line(line) => {
                    self.indent -= usize::from(line.starts_with('}'));
                    self.start_line();
                    self.out.push_str(&line);
                    self.out.push('\n');
                    self.indent += usize::from(line.ends_with('{'));
                }
                Task::Insts(region, position) => {
                    let Some(&inst) = self.function.regions[region].insts.get(position) else { continue };
                    tasks.push(Task::Insts(region, position + 1));
                    self.start_line();
                    self.inst(inst);
                    self.out.push('\n');
                    self.regions(inst, &mut tasks);
                }
            }
        }
        self.out
    }

    fn header(&mut self) {
        let function = self.function;
        self.out.push_str(if function.kernel.is_some() { "kernel " } else { "func " });
        self.put(Name(&function.name));
        self.out.push('(');
        for (index, &param) in function.params.iter().enumerate() {
            let separator = if function.kernel.is_some() {
                "\n  "
            } else if index > 0 {
                ", "
            } else {
                ""
            };
            self.out.push_str(separator);
            self.definition(param);
            if let Some(info) = &function.kernel {
                if let Some(param) = info.params.get(index) {
                    self.kernel_param(param);
                }
                self.out.push(',');
            }
        }
        if function.kernel.is_some() && !function.params.is_empty() {
            self.out.push('\n');
        }
        self.out.push(')');
        let results: Vec<String> = function.results.iter().map(Type::to_string).collect();
        match results.len() {
            0 => {}
            1 => self.put(format_args!(" -> {}", results[0])),
            _ => self.put(format_args!(" -> ({})", results.join(", "))),
        }
        if let Some(info) = &function.kernel {
            if info.is_block {
                self.out.push_str(" block");
            }
            match info.hook {
                Some(ProgramHook::Initializer) => self.out.push_str(" initializer"),
                Some(ProgramHook::Finalizer) => self.out.push_str(" finalizer"),
                None => {}
            }
            for (word, size) in [
                ("reqd_work_group_size", info.required_work_group_size),
                ("work_group_size_hint", info.work_group_size_hint),
            ] {
                if let Some([x, y, z]) = size {
                    self.put(format_args!(" {word} [{x}, {y}, {z}]"));
                }
            }
            if let Some(count) = info.required_sub_groups {
                self.put(format_args!(" required_sub_groups {count}"));
            }
            if info.uniform_work_groups {
                self.out.push_str(" uniform_work_groups");
            }
            if info.flush_subnormals {
                self.out.push_str(" flush_subnormals");
            }
        }
    }

    fn kernel_param(&mut self, param: &KernelParam) {
        self.put(format_args!(" {} {}", Quoted(&param.name), Quoted(&param.type_name)));
        match &param.kind {
            KernelParamKind::Buffer { read_only, restrict, volatile } => {
                self.out.push_str(" buffer");
                self.qualifiers([*read_only, *restrict, *volatile]);
            }
            KernelParamKind::Local { read_only, restrict, volatile } => {
                self.out.push_str(" local");
                self.qualifiers([*read_only, *restrict, *volatile]);
            }
            KernelParamKind::Value { size, align } => {
                self.put(format_args!(" value size {size} align {align}"))
            }
            KernelParamKind::Image(image) => self.put(format_args!(" {}", Type::Image(*image))),
            KernelParamKind::Sampler => self.out.push_str(" sampler"),
            KernelParamKind::Queue => self.out.push_str(" queue"),
            KernelParamKind::Pipe { writes } => {
                self.out.push_str(if *writes { " pipe writes" } else { " pipe" });
            }
        }
        if let Some((scalar, lanes)) = param.element {
            self.put(format_args!(" element {}", Type::with_lanes(scalar, lanes)));
        }
        self.out.push_str(if param.signed { " signed" } else { "" });
        param.max_size.into_iter().for_each(|size| self.put(format_args!(" max_size {size}")));
    }

    /// The qualifiers of a pointer parameter's target.
    fn qualifiers(&mut self, set: [bool; 3]) {
        for (set, word) in set.into_iter().zip(["read_only", "restrict", "volatile"]) {
            if set {
                self.put(format_args!(" {word}"));
            }
        }
    }

    fn variable(&mut self, id: Variable, variable: &VariableData) {
        self.put(format_args!("var ${} {}: ", id.index(), Quoted(&variable.name)));
        match variable.space {
            VariableSpace::Private => self.out.push_str("private"),
            VariableSpace::ConstantTable => self.out.push_str("table"),
            VariableSpace::Local => self.out.push_str(if variable.shared { "local shared" } else { "local" }),
            VariableSpace::StorageBuffer { binding, restrict } => {
                self.put(format_args!("buffer {binding}{}", if restrict { " restrict" } else { "" }));
            }
        }
        self.put(format_args!(" {} count ", variable.element));
        match variable.count {
            ElementCount::Fixed(count) => self.put(count),
            ElementCount::Specialised { spec_id } => self.put(format_args!("spec {spec_id}")),
            ElementCount::Runtime => self.out.push_str("runtime"),
        }
        if !variable.initializer.is_empty() {
            self.out.push_str(" = [");
            for (index, constant) in variable.initializer.iter().enumerate() {
                if index > 0 {
                    self.out.push_str(", ");
                }
                self.constant(variable.element, constant, false);
            }
            self.out.push(']');
        }
        self.out.push('\n');
    }

    fn definition(&mut self, value: Value) {
        self.value_name(value);
        self.put(format_args!(": {}", self.function.ty(value)));
    }

    fn value_name(&mut self, value: Value) {
        match self.numbering.values.get(value.index()).copied().flatten() {
            Some(number) => self.put(format_args!("%{number}")),
            None => self.put(format_args!("%unplaced{}", value.index())),
        }
    }

    fn value(&mut self, value: Value) {
        let function = self.function;
        let Some(data) = function.values.get(value) else {
            self.put(format_args!("%missing{}", value.index()));
            return;
        };
        match &data.def {
            ValueDef::Constant(constant) => self.constant(data.ty, constant, true),
            ValueDef::Global(global) => self.global_name(*global),
            _ => self.value_name(value),
        }
    }

    fn constant(&mut self, ty: Type, constant: &Constant, with_type: bool) {
        match (ty, constant) {
            (_, Constant::Undef) => self.out.push_str("undef"),
            (Type::Scalar(scalar), Constant::Bits(bits)) => {
                self.put(lane_to_string(scalar, *bits));
                if ty == Type::BOOL {
                    return;
                }
            }
            (Type::Vector(scalar, _), Constant::Lanes(lanes)) => {
                let lanes: Vec<String> = lanes.iter().map(|&bits| lane_to_string(scalar, bits)).collect();
                self.put(format_args!("<{}>", lanes.join(", ")));
            }
            (_, Constant::Bits(0)) => self.out.push_str("null"),
            (_, Constant::Bits(bits)) => self.put(format_args!("0x{bits:x}")),
            (_, Constant::Lanes(lanes)) => self.put(format_args!("<{lanes:?}>")),
        }
        if with_type {
            self.put(format_args!(":{ty}"));
        }
    }

    fn global_name(&mut self, global: Global) {
        match self.module.and_then(|module| module.globals.get(global)) {
            Some(data) => self.put(Name(&data.name)),
            None => self.put(Name(&format!("global.{}", global.index()))),
        }
    }

    fn function_name(&mut self, func: Func) {
        match self.module.and_then(|module| module.functions.get(func)) {
            Some(callee) => self.put(Name(&callee.name)),
            None => self.put(Name(&format!("func.{}", func.index()))),
        }
    }

    fn label(&mut self, inst: Inst) {
        if let Some(&label) = self.numbering.labels.get(&inst) {
            self.put(format_args!(" ^{label}"));
        }
    }

    fn values(&mut self, values: &[Value]) {
        for (index, &value) in values.iter().enumerate() {
            self.out.push_str(if index > 0 { ", " } else { " " });
            self.value(value);
        }
    }

    /// The line of an instruction; if it has regions, up to and including the first opening brace.
    fn inst(&mut self, inst: Inst) {
        let function = self.function;
        let data = &function.insts[inst];
        for (index, &result) in data.results.iter().enumerate() {
            if index > 0 {
                self.out.push_str(", ");
            }
            if data.op.has_regions() { self.value_name(result) } else { self.definition(result) }
        }
        if !data.results.is_empty() {
            self.out.push_str(" = ");
        }
        if data.op.has_regions() {
            self.construct_header(inst, data);
            return;
        }
        match data.op {
            Op::Exit(target) | Op::Continue(target) => {
                let labelled = self.numbering.labelled.contains(&inst);
                let is_exit = matches!(data.op, Op::Exit(_));
                self.out.push_str(if is_exit && !labelled {
                    "yield"
                } else if is_exit {
                    "exit"
                } else {
                    "continue"
                });
                if labelled {
                    self.label(target);
                }
            }
            _ => self.put(mnemonic(&data.op)),
        }
        if carries_fast_math(&data.op) {
            for (flag, word) in FAST_MATH {
                if data.fast_math.contains(flag) {
                    self.put(format_args!(" {word}"));
                }
            }
        }
        match data.op {
            Op::Call(callee) | Op::CallElementwise(callee) | Op::KernelNumber(callee) => {
                self.out.push(' ');
                self.function_name(callee);
            }
            Op::ElementPointer(variable) => self.put(format_args!(" ${}", variable.index())),
            _ => {}
        }
        self.values(&data.operands);
        self.attributes(data);
    }

    fn construct_header(&mut self, inst: Inst, data: &InstData) {
        self.put(mnemonic(&data.op));
        match data.op {
            Op::Loop(UnrollHint::Full) => self.out.push_str(" unroll full"),
            Op::Loop(UnrollHint::Kept) => self.out.push_str(" unroll kept"),
            Op::Loop(UnrollHint::By(count)) => self.put(format_args!(" unroll {count}")),
            _ => {}
        }
        self.label(inst);
        let body = data.regions.first().and_then(|&region| self.function.regions.get(region));
        match (&data.op, body) {
            (Op::Loop(_), Some(body)) => {
                if !data.operands.is_empty() || !body.params.is_empty() {
                    self.out.push_str(" (");
                    for index in 0..data.operands.len().max(body.params.len()) {
                        self.out.push_str(if index > 0 { ", " } else { "" });
                        body.params.get(index).iter().for_each(|&&param| self.definition(param));
                        self.out.push_str(" = ");
                        data.operands.get(index).iter().for_each(|&&value| self.value(value));
                    }
                    self.out.push(')');
                }
            }
            _ => self.values(&data.operands),
        }
        if !data.results.is_empty() {
            let types: Vec<String> =
                data.results.iter().map(|&result| self.function.ty(result).to_string()).collect();
            self.put(format_args!(" -> ({})", types.join(", ")));
        }
        self.out.push_str(" {");
    }

    /// Adds the regions of an instruction, whose header is already printed, to the list of tasks.
    fn regions(&mut self, inst: Inst, tasks: &mut Vec<Task>) {
        let data = &self.function.insts[inst];
        if !data.op.has_regions() {
            return;
        }
        let first = tasks.len();
        match &data.op {
            Op::Switch(cases) => {
                for (cases, &region) in cases.iter().map(Some).chain([None]).zip(&data.regions) {
                    let opening = match cases {
                        Some(labels) => {
                            let labels: Vec<String> =
                                labels.iter().map(|&label| self.case_label(data, label)).collect();
                            format!("case {} {{", labels.join(", "))
                        }
                        None => "default {".into(),
                    };
                    tasks.extend([Task::Line(opening), Task::Insts(region, 0), Task::Line("}".into())]);
                }
            }
            Op::If if data.regions.get(1).is_some_and(|&region| self.yields_nothing(inst, region)) => {
                tasks.push(Task::Insts(data.regions[0], 0));
            }
            op => {
                for (index, &region) in data.regions.iter().enumerate() {
                    if index > 0 {
                        tasks.push(Task::Line(match op {
                            Op::If => "} else {".into(),
                            _ => self.continuing_line(region),
                        }));
                    }
                    tasks.push(Task::Insts(region, 0));
                }
            }
        }
        tasks.push(Task::Line("}".into()));
        tasks[first..].reverse();
        self.indent += 1;
    }

    fn yields_nothing(&self, owner: Inst, region: Region) -> bool {
        let [inst] = self.function.regions[region].insts[..] else { return false };
        let data = &self.function.insts[inst];
        data.op == Op::Exit(owner) && data.operands.is_empty()
    }

    fn continuing_line(&self, region: Region) -> String {
        let params = &self.function.regions[region].params;
        let mut printer = Printer::new(self.module, self.function, self.numbering);
        for (index, &param) in params.iter().enumerate() {
            printer.out.push_str(if index > 0 { ", " } else { "" });
            printer.definition(param);
        }
        let params = printer.out;
        if params.is_empty() { "} continuing {".into() } else { format!("}} continuing ({params}) {{") }
    }

    fn case_label(&self, data: &InstData, label: u64) -> String {
        let scalar =
            data.operands.first().and_then(|&selector| self.function.values.get(selector)?.ty.scalar());
        lane_to_string(scalar.unwrap_or(crate::Scalar::I64), label)
    }

    /// The attributes, which follow the operands.
    fn attributes(&mut self, data: &InstData) {
        match &data.op {
            Op::Extract(lane) | Op::Insert(lane) => self.put(format_args!(" lane {lane}")),
            Op::Shuffle(mask) => {
                let lanes = data.results.first().map_or(0, |&result| self.function.ty(result).lanes());
                let mask: Vec<String> = mask.iter().take(lanes as usize).map(mask_lane).collect();
                self.put(format_args!(" mask [{}]", mask.join(", ")));
            }
            Op::Alloca { size, align } | Op::MemoryCopy { size, align } | Op::MemoryZero { size, align } => {
                self.put(format_args!(" size {size} align {align}"));
            }
            Op::Load { align, volatile } | Op::Store { align, volatile } => {
                self.put(format_args!(" align {align}{}", if *volatile { " volatile" } else { "" }));
            }
            Op::PointerOffset(offset) => self.put(format_args!(" by {offset}")),
            Op::Within(size) => self.put(format_args!(" size {size}")),
            Op::Apart { own, other, twice } => self.put(apart(*own, *other, *twice)),
            Op::Access { size, writes, .. } => {
                self.put(format_args!(" size {size}{}", if *writes { " writes" } else { "" }));
            }
            Op::PointerIndex { stride } => self.put(format_args!(" stride {stride}")),
            Op::AtomicRmw { order, scope, .. }
            | Op::AtomicLoad { order, scope }
            | Op::AtomicStore { order, scope } => {
                self.put(format_args!(" order {} scope {}", order.word(), scope.word()));
            }
            Op::AtomicCompareExchange { success, failure, scope } => {
                let (success, failure) = (success.word(), failure.word());
                self.put(format_args!(" success {success} failure {failure} scope {}", scope.word()));
            }
            Op::Barrier { execution, memory, flags } => {
                let flags = FlagList(*flags);
                self.put(format_args!(
                    " execution {} memory {} flags {flags}",
                    execution.word(),
                    memory.word()
                ));
            }
            Op::Fence { order, scope, flags } => {
                let flags = FlagList(*flags);
                self.put(format_args!(" order {} scope {} flags {flags}", order.word(), scope.word()));
            }
            Op::Image(ImageOp::Read { signed: true } | ImageOp::Write { signed: true }) => {
                self.out.push_str(" signed")
            }
            Op::PushConstant { offset } => self.put(format_args!(" offset {offset}")),
            Op::PhysicalPointer(space) => self.put(format_args!(" space {}", space.word())),
            Op::PrintNumber(format) => self.put(format_args!(" format {format}")),
            Op::StringWord { limit } => self.put(format_args!(" limit {limit}")),
            Op::ProgramSampler(word) => self.put(format_args!(" word {}", word.bits())),
            Op::ImageBinding { binding } | Op::SamplerBinding { binding } => {
                self.put(format_args!(" binding {binding}"));
            }
            _ => {}
        }
    }
}

struct FlagList(FenceFlags);

impl Display for FlagList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<&str> =
            FENCE_FLAGS.iter().filter(|(flag, _)| self.0.contains(*flag)).map(|(_, word)| *word).collect();
        write!(f, "[{}]", words.join(", "))
    }
}

/// `@name`, quoted if it has unusual characters.
pub(super) struct Name<'a>(pub(super) &'a str);

impl Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = !self.0.is_empty() && self.0.chars().all(super::lex::is_name_char);
        if plain { write!(f, "@{}", self.0) } else { write!(f, "@{}", Quoted(self.0)) }
    }
}

/// A string in quotes, with escapes.
struct Quoted<'a>(&'a str);

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for c in self.0.chars() {
            match c {
                '"' | '\\' => write!(f, "\\{c}")?,
                c if c.is_control() => write!(f, "\\u{:x};", u32::from(c))?,
                c => f.write_char(c)?,
            }
        }
        f.write_char('"')
    }
}
