//! Bodies of functions. Open regions are on an explicit list, not on the call stack.

use super::{ModuleParser, ParseError};
use crate::text::lex::Token;
use crate::text::names::{FAST_MATH, FENCE_FLAGS, Words, carries_fast_math, plain_op};
use crate::text::number::lane_from_str;
use crate::{
    AccessOp, AtomicOp, Constant, FastMath, FenceFlags, Function, ImageOp, Inst, Op, Region, SamplerWord,
    Scalar, Span, Type, UnrollHint, Value, Variable,
};
use rustc_hash::FxHashMap;

/// A region that is being filled.
struct Frame {
    /// The instruction that owns it; none for the function's body.
    owner: Option<Inst>,
    /// The owner's label.
    label: Option<String>,
    /// The region; none between the cases of a switch.
    region: Option<Region>,
    /// The labels of a switch's cases so far, and whether its default region is done.
    cases: Vec<Box<[u64]>>,
    has_default: bool,
}

/// Parses the body of one function.
pub(super) struct BodyParser<'p> {
    parser: &'p mut ModuleParser,
    function: Function,
    values: FxHashMap<String, Value>,
    variables: FxHashMap<String, Variable>,
    frames: Vec<Frame>,
}

impl<'p> BodyParser<'p> {
    pub(super) fn new(
        parser: &'p mut ModuleParser,
        function: Function,
        values: FxHashMap<String, Value>,
        variables: FxHashMap<String, Variable>,
    ) -> Self {
        BodyParser { parser, function, values, variables, frames: Vec::new() }
    }

    /// Everything after the opening brace.
    pub(super) fn body(mut self) -> Result<Function, ParseError> {
        let body = self.function.add_region();
        self.function.body = Some(body);
        self.open(None, None, Some(body));
        while let Some(frame) = self.frames.last() {
            let region = frame.region;
            if self.parser.cursor.take_punctuation('}') {
                self.close()?;
            } else if let Some(region) = region {
                self.inst(region)?;
            } else {
                self.case()?;
            }
        }
        Ok(self.function)
    }

    fn open(&mut self, owner: Option<Inst>, label: Option<String>, region: Option<Region>) {
        self.frames.push(Frame { owner, label, region, cases: Vec::new(), has_default: false });
    }

    /// After the closing brace of a region, or of a switch.
    fn close(&mut self) -> Result<(), ParseError> {
        let Some(frame) = self.frames.last_mut() else { return Ok(()) };
        let Some(owner) = frame.owner else {
            self.frames.pop();
            return Ok(());
        };
        let data = &self.function.insts[owner];
        let next = data.regions.get(1).copied().filter(|_| frame.region == data.regions.first().copied());
        match (&data.op, next) {
            (Op::Switch(_), _) if frame.region.is_some() => {
                frame.region = None;
                return Ok(());
            }
            (Op::Switch(_), _) => {
                if !frame.has_default {
                    return Err(self.parser.cursor.previous().error("a switch ends with a `default` region"));
                }
                self.function.insts[owner].op = Op::Switch(std::mem::take(&mut frame.cases).into());
            }
            (Op::If, Some(next)) => {
                if self.parser.cursor.take_word("else") {
                    frame.region = Some(next);
                    return self.parser.cursor.punctuation('{');
                }
                let exit = self.function.make_inst(Op::Exit(owner), &[], &[], &[], Span::NONE);
                self.function.regions[next].insts.push(exit);
            }
            (Op::Loop(_), Some(next)) => {
                frame.region = Some(next);
                return self.continuing(next);
            }
            _ => {}
        }
        self.frames.pop();
        Ok(())
    }

    /// The head of a continuing region.
    fn continuing(&mut self, region: Region) -> Result<(), ParseError> {
        self.parser.cursor.word("continuing")?;
        if *self.parser.cursor.peek() == Token::Punctuation('(') {
            let params = self.parser.cursor.list('(', ')', |cursor| {
                let name = cursor.take_value().ok_or_else(|| cursor.expected("a parameter with `%`"))?;
                cursor.punctuation(':')?;
                Ok((name, cursor.ty()?))
            })?;
            for (name, ty) in params {
                let value = self.function.add_region_param(region, ty);
                self.define(name, value)?;
            }
        }
        self.parser.cursor.punctuation('{')
    }

    /// The head of a switch's region.
    fn case(&mut self) -> Result<(), ParseError> {
        let Some(frame) = self.frames.last_mut() else { return Ok(()) };
        let Some(owner) = frame.owner else { return Ok(()) };
        let cursor = &mut self.parser.cursor;
        if frame.has_default {
            return Err(cursor.expected("`}`: the default region is the last one"));
        }
        if cursor.take_word("default") {
            frame.has_default = true;
        } else {
            cursor.word("case")?;
            let selector = self.function.insts[owner].operands.first().copied();
            let scalar = selector.and_then(|value| self.function.ty(value).scalar()).unwrap_or(Scalar::I64);
            let mut labels = Vec::new();
            loop {
                let text = cursor.take_number().ok_or_else(|| cursor.expected("a number"))?;
                let label =
                    lane_from_str(scalar, &text).map_err(|message| cursor.previous().error(message))?;
                labels.push(label);
                if !cursor.take_punctuation(',') {
                    break;
                }
            }
            frame.cases.push(labels.into());
        }
        cursor.punctuation('{')?;
        let region = self.function.add_region();
        frame.region = Some(region);
        self.function.insts[owner].regions.push(region);
        Ok(())
    }

    fn define(&mut self, name: String, value: Value) -> Result<(), ParseError> {
        let position = self.parser.cursor.previous();
        let message = format!("`%{name}` is defined twice");
        match self.values.insert(name, value) {
            None => Ok(()),
            Some(_) => Err(position.error(message)),
        }
    }

    /// One instruction; if it has regions, everything up to the first opening brace.
    fn inst(&mut self, region: Region) -> Result<(), ParseError> {
        let mut results: Vec<(String, Option<Type>)> = Vec::new();
        while let Some(name) = self.parser.cursor.take_value() {
            let ty =
                if self.parser.cursor.take_punctuation(':') { Some(self.parser.cursor.ty()?) } else { None };
            results.push((name, ty));
            if !self.parser.cursor.take_punctuation(',') {
                self.parser.cursor.punctuation('=')?;
                break;
            }
        }
        let position = self.parser.cursor.position();
        let word = self.parser.cursor.any_word("an operation")?;
        if matches!(word.as_str(), "if" | "loop" | "switch" | "block") {
            if results.iter().any(|(_, ty)| ty.is_some()) {
                return Err(position.error(format!("the types of `{word}` stand after `->`")));
            }
            let names = results.into_iter().map(|(name, _)| name).collect();
            return self.construct(region, &word, names);
        }
        let (op, operands, fast_math) = self.simple(&word)?;
        let mut types = Vec::new();
        for (name, ty) in &results {
            types.push(
                ty.ok_or_else(|| position.error(format!("`%{name}` needs a type: `%{name}: f32 = …`")))?,
            );
        }
        let inst = self.function.make_inst(op, &operands, &types, &[], Span::NONE);
        self.function.insts[inst].fast_math = fast_math;
        self.function.regions[region].insts.push(inst);
        for (index, (name, _)) in results.into_iter().enumerate() {
            let value = self.function.insts[inst].results[index];
            self.define(name, value)?;
        }
        Ok(())
    }

    /// An instruction with regions, after its first word.
    fn construct(&mut self, region: Region, word: &str, names: Vec<String>) -> Result<(), ParseError> {
        let position = self.parser.cursor.previous();
        let unroll = if word == "loop" { self.unroll_hint()? } else { UnrollHint::None };
        let label = self.parser.cursor.take_label();
        let mut params = Vec::new();
        let mut operands = Vec::new();
        if word == "loop" && self.parser.cursor.take_punctuation('(') {
            while !self.parser.cursor.take_punctuation(')') {
                let cursor = &mut self.parser.cursor;
                let name = cursor.take_value().ok_or_else(|| cursor.expected("a parameter with `%`"))?;
                cursor.punctuation(':')?;
                params.push((name, cursor.ty()?));
                cursor.punctuation('=')?;
                operands.push(self.value()?);
                if !self.parser.cursor.take_punctuation(',') {
                    self.parser.cursor.punctuation(')')?;
                    break;
                }
            }
        } else if word != "loop" {
            operands = self.operands()?;
        }
        let mut types = Vec::new();
        if *self.parser.cursor.peek() == Token::Arrow {
            self.parser.cursor.advance();
            types = self.parser.cursor.list('(', ')', super::Cursor::ty)?;
        }
        if types.len() != names.len() {
            let message = format!("`{word}` has {} results and {} result types", names.len(), types.len());
            return Err(position.error(message));
        }
        let (op, region_count) = match word {
            "if" => (Op::If, 2),
            "loop" => (Op::Loop(unroll), 2),
            "switch" => (Op::Switch(Box::default()), 0),
            _ => (Op::Block, 1),
        };
        let regions: Vec<Region> = (0..region_count).map(|_| self.function.add_region()).collect();
        let inst = self.function.make_inst(op, &operands, &types, &regions, Span::NONE);
        self.function.regions[region].insts.push(inst);
        for (index, name) in names.into_iter().enumerate() {
            let value = self.function.insts[inst].results[index];
            self.define(name, value)?;
        }
        for (name, ty) in params {
            let value = self.function.add_region_param(regions[0], ty);
            self.define(name, value)?;
        }
        self.open(Some(inst), label, regions.first().copied());
        self.parser.cursor.punctuation('{')
    }

    /// `unroll full`, `unroll kept` or `unroll 4`, if it is here.
    fn unroll_hint(&mut self) -> Result<UnrollHint, ParseError> {
        let cursor = &mut self.parser.cursor;
        if !cursor.take_word("unroll") {
            return Ok(UnrollHint::None);
        }
        Ok(match () {
            () if cursor.take_word("full") => UnrollHint::Full,
            () if cursor.take_word("kept") => UnrollHint::Kept,
            () => UnrollHint::By(cursor.number()?),
        })
    }

    /// The operation, operands and flags of an instruction without regions, after its first word.
    fn simple(&mut self, word: &str) -> Result<(Op, Vec<Value>, FastMath), ParseError> {
        if let Some(op) = plain_op(word) {
            let fast_math = self.fast_math(&op);
            return Ok((op, self.operands()?, fast_math));
        }
        match word {
            "yield" | "exit" | "continue" => {
                let op = self.jump(word)?;
                return Ok((op, self.operands()?, FastMath::empty()));
            }
            "call" | "call_elementwise" => {
                // Flags precede the callee's name.
                let fast_math = self.fast_math_words();
                let callee = self.parser.function_name()?;
                let op = if word == "call" { Op::Call(callee) } else { Op::CallElementwise(callee) };
                return Ok((op, self.operands()?, fast_math));
            }
            "kernel_number" => {
                let kernel = self.parser.function_name()?;
                return Ok((Op::KernelNumber(kernel), self.operands()?, FastMath::empty()));
            }
            "element_pointer" => {
                let name = self.parser.cursor.variable()?;
                let position = self.parser.cursor.previous();
                let variable = self.variables.get(&name).copied();
                let variable =
                    variable.ok_or_else(|| position.error(format!("there is no variable `${name}`")))?;
                return Ok((Op::ElementPointer(variable), self.operands()?, FastMath::empty()));
            }
            _ => {}
        }
        let position = self.parser.cursor.previous();
        let operands = self.operands()?;
        match self.attributes(word)? {
            Some(op) => Ok((op, operands, FastMath::empty())),
            None => Err(position.error(format!("there is no operation `{word}`"))),
        }
    }

    /// `yield`, `exit` or `continue` with its target.
    fn jump(&mut self, word: &str) -> Result<Op, ParseError> {
        let position = self.parser.cursor.previous();
        let label = if word == "yield" { None } else { self.parser.cursor.take_label() };
        let is_loop = |inst: Inst| self.function.insts[inst].op.is_loop();
        let target = match (&label, word) {
            (Some(_), _) => {
                self.frames.iter().rev().find(|frame| frame.label == label).and_then(|frame| frame.owner)
            }
            (None, "yield") => self.frames.last().and_then(|frame| frame.owner),
            (None, "continue") => {
                self.frames.iter().rev().filter_map(|frame| frame.owner).find(|&inst| is_loop(inst))
            }
            _ => return Err(self.parser.cursor.expected("a label with `^`")),
        };
        let target = target.ok_or_else(|| match label {
            Some(label) => position.error(format!("nothing around this `{word}` has the label `^{label}`")),
            None => position.error(format!("there is nothing that this `{word}` could refer to")),
        })?;
        Ok(if word == "continue" { Op::Continue(target) } else { Op::Exit(target) })
    }

    /// The attributes of an operation that has some; `None` if the operation does not exist.
    fn attributes(&mut self, word: &str) -> Result<Option<Op>, ParseError> {
        let cursor = &mut self.parser.cursor;
        if let Some(op) = word.strip_prefix("atomic.").and_then(AtomicOp::from_word) {
            let order = cursor.variant_attribute("order")?;
            return Ok(Some(Op::AtomicRmw { op, order, scope: cursor.variant_attribute("scope")? }));
        }
        if let Some(op) = word.strip_prefix("access.").and_then(AccessOp::from_word) {
            let size = cursor.attribute("size")?;
            return Ok(Some(Op::Access { op, size, writes: cursor.take_word("writes") }));
        }
        Ok(Some(match word {
            "extract" => Op::Extract(cursor.attribute("lane")?),
            "insert" => Op::Insert(cursor.attribute("lane")?),
            "shuffle" => Op::Shuffle(self.mask()?),
            "alloca" => Op::Alloca { size: cursor.attribute("size")?, align: cursor.attribute("align")? },
            "memcpy" => Op::MemoryCopy { size: cursor.attribute("size")?, align: cursor.attribute("align")? },
            "memzero" => {
                Op::MemoryZero { size: cursor.attribute("size")?, align: cursor.attribute("align")? }
            }
            "load" => Op::Load { align: cursor.attribute("align")?, volatile: cursor.take_word("volatile") },
            "store" => {
                Op::Store { align: cursor.attribute("align")?, volatile: cursor.take_word("volatile") }
            }
            "offset" => Op::PointerOffset(cursor.attribute("by")?),
            "within" => Op::Within(cursor.attribute("size")?),
            "apart" => Op::Apart {
                own: [cursor.attribute("start")?, cursor.attribute("end")?],
                other: [cursor.attribute("other_start")?, cursor.attribute("other_end")?],
                twice: cursor.take_word("twice"),
            },
            "index" => Op::PointerIndex { stride: cursor.attribute("stride")? },
            "atomic.compare_exchange" => Op::AtomicCompareExchange {
                success: cursor.variant_attribute("success")?,
                failure: cursor.variant_attribute("failure")?,
                scope: cursor.variant_attribute("scope")?,
            },
            "atomic.load" => Op::AtomicLoad {
                order: cursor.variant_attribute("order")?,
                scope: cursor.variant_attribute("scope")?,
            },
            "atomic.store" => Op::AtomicStore {
                order: cursor.variant_attribute("order")?,
                scope: cursor.variant_attribute("scope")?,
            },
            "barrier" => Op::Barrier {
                execution: cursor.variant_attribute("execution")?,
                memory: cursor.variant_attribute("memory")?,
                flags: self.fence_flags()?,
            },
            "fence" => Op::Fence {
                order: cursor.variant_attribute("order")?,
                scope: cursor.variant_attribute("scope")?,
                flags: self.fence_flags()?,
            },
            "image.sample" => Op::Image(ImageOp::SampledRead),
            "image.sample_texel" => Op::Image(ImageOp::SampledTexel),
            "image.read" => Op::Image(ImageOp::Read { signed: cursor.take_word("signed") }),
            "image.write" => Op::Image(ImageOp::Write { signed: cursor.take_word("signed") }),
            "program_sampler" => {
                let position = cursor.position();
                let word: u32 = cursor.attribute("word")?;
                let error =
                    || position.error(format!("{word} is not a combination of a sampler's properties"));
                Op::ProgramSampler(SamplerWord::new(word).ok_or_else(error)?)
            }
            "print_number" => Op::PrintNumber(cursor.attribute("format")?),
            "string_word" => Op::StringWord { limit: cursor.attribute("limit")? },
            "push_constant" => Op::PushConstant { offset: cursor.attribute("offset")? },
            "physical_pointer" => Op::PhysicalPointer(cursor.variant_attribute("space")?),
            "image_binding" => Op::ImageBinding { binding: cursor.attribute("binding")? },
            "sampler_binding" => Op::SamplerBinding { binding: cursor.attribute("binding")? },
            _ => return Ok(None),
        }))
    }

    fn mask(&mut self) -> Result<[u8; 16], ParseError> {
        self.parser.cursor.word("mask")?;
        let position = self.parser.cursor.position();
        let lanes = self
            .parser
            .cursor
            .list('[', ']', |cursor| if cursor.take_word("_") { Ok(u8::MAX) } else { cursor.number() })?;
        let mut mask = [u8::MAX; 16];
        match mask.get_mut(..lanes.len()) {
            Some(prefix) => prefix.copy_from_slice(&lanes),
            None => return Err(position.error("a mask has at most 16 entries")),
        }
        Ok(mask)
    }

    fn fence_flags(&mut self) -> Result<FenceFlags, ParseError> {
        self.parser.cursor.word("flags")?;
        let mut flags = FenceFlags::empty();
        self.parser.cursor.list('[', ']', |cursor| {
            let word = cursor.any_word("`local`, `global` or `image`")?;
            match FENCE_FLAGS.iter().find(|(_, name)| *name == word) {
                Some((flag, _)) => flags |= *flag,
                None => return Err(cursor.previous().error(format!("`{word}` is not a kind of memory"))),
            }
            Ok(())
        })?;
        Ok(flags)
    }

    fn fast_math(&mut self, op: &Op) -> FastMath {
        if carries_fast_math(op) { self.fast_math_words() } else { FastMath::empty() }
    }

    fn fast_math_words(&mut self) -> FastMath {
        let mut flags = FastMath::empty();
        while let Token::Word(word) = self.parser.cursor.peek() {
            let Some((flag, _)) = FAST_MATH.iter().find(|(_, name)| name == word) else { break };
            flags |= *flag;
            self.parser.cursor.advance();
        }
        flags
    }

    /// The operands, if there are any on this line.
    fn operands(&mut self) -> Result<Vec<Value>, ParseError> {
        let cursor = &self.parser.cursor;
        let starts = match cursor.peek() {
            Token::Value(_) | Token::Symbol(_) | Token::Number(_) | Token::Punctuation('<') => true,
            Token::Word(word) => matches!(word.as_str(), "true" | "false" | "undef" | "null"),
            _ => false,
        };
        let mut operands = Vec::new();
        if starts && cursor.on_same_line() {
            operands.push(self.value()?);
            while self.parser.cursor.take_punctuation(',') {
                operands.push(self.value()?);
            }
        }
        Ok(operands)
    }

    fn value(&mut self) -> Result<Value, ParseError> {
        let position = self.parser.cursor.position();
        if let Some(name) = self.parser.cursor.take_value() {
            let value = self.values.get(&name).copied();
            return value
                .ok_or_else(|| position.error(format!("`%{name}` is not defined before this place")));
        }
        if matches!(self.parser.cursor.peek(), Token::Symbol(_)) {
            let global = self.parser.global_name()?;
            let data = self.parser.globals.get(crate::EntityId::index(global));
            let space =
                data.ok_or_else(|| position.error("a variable must be defined before its use"))?.space;
            return Ok(self.function.global(Type::Pointer(space), global));
        }
        let lanes = self.constant_words()?;
        if let [word @ ("true" | "false")] = lanes.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            return Ok(self.function.constant(Type::BOOL, Constant::Bits(u64::from(word == "true"))));
        }
        self.parser.cursor.punctuation(':')?;
        let ty = self.parser.cursor.ty()?;
        let constant = constant(&lanes, ty).map_err(|message| position.error(message))?;
        Ok(self.function.constant(ty, constant))
    }

    /// The words of a constant: one for each lane, or one word.
    fn constant_words(&mut self) -> Result<Vec<String>, ParseError> {
        let word = |cursor: &mut super::Cursor| match cursor.take_number() {
            Some(number) => Ok(number),
            None => cursor.any_word("a value"),
        };
        if *self.parser.cursor.peek() == Token::Punctuation('<') {
            let mut lanes = self.parser.cursor.list('<', '>', word)?;
            // So that a vector of one lane is distinct from a scalar.
            lanes.insert(0, "<".into());
            return Ok(lanes);
        }
        Ok(vec![word(&mut self.parser.cursor)?])
    }
}

fn constant(words: &[String], ty: Type) -> Result<Constant, String> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let lane = |scalar: Scalar, word: &str| match (scalar, word) {
        (Scalar::Bool, "true") => Ok(1),
        (Scalar::Bool, "false") => Ok(0),
        _ => lane_from_str(scalar, word),
    };
    match (&words[..], ty) {
        (["undef"], _) => Ok(Constant::Undef),
        (["null"], Type::Pointer(_)) => Ok(Constant::Bits(0)),
        ([word], Type::Pointer(_)) => lane(Scalar::I64, word).map(Constant::Bits),
        ([word], Type::Scalar(scalar)) => lane(scalar, word).map(Constant::Bits),
        (["<", words @ ..], Type::Vector(scalar, _)) => {
            let lanes: Result<Vec<u64>, String> = words.iter().map(|word| lane(scalar, word)).collect();
            Ok(Constant::Lanes(lanes?.into()))
        }
        _ => Err(format!("this is not a constant of type {ty}")),
    }
}
