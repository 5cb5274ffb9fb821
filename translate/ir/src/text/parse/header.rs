//! Function headers: parameters, kernel attributes, variables.

use super::body::BodyParser;
use super::{ModuleParser, ParseError};
use crate::text::lex::Token;
use crate::text::number::lane_from_str;
use crate::{
    Constant, ElementCount, Function, KernelInfo, KernelParam, KernelParamKind, Type, Value, VariableData,
    VariableSpace,
};
use clvk_interface::ProgramHook;
use rustc_hash::FxHashMap;

impl ModuleParser {
    /// A function, after `func` or `kernel`.
    pub(super) fn function(&mut self, is_kernel: bool) -> Result<Function, ParseError> {
        let mut function = Function::new(self.cursor.symbol()?, None);
        let mut info = KernelInfo::default();
        let mut values: FxHashMap<String, Value> = FxHashMap::default();
        self.cursor.list('(', ')', |cursor| {
            let name = cursor.take_value().ok_or_else(|| cursor.expected("a parameter with `%`"))?;
            let position = cursor.previous();
            cursor.punctuation(':')?;
            let value = function.add_param(cursor.ty()?);
            if values.insert(name.clone(), value).is_some() {
                return Err(position.error(format!("`%{name}` is defined twice")));
            }
            if is_kernel {
                info.params.push(kernel_param(cursor)?);
            }
            Ok(())
        })?;
        if *self.cursor.peek() == Token::Arrow {
            self.cursor.advance();
            function.results = match self.cursor.peek() {
                Token::Punctuation('(') => self.cursor.list('(', ')', super::Cursor::ty)?,
                _ => vec![self.cursor.ty()?],
            };
        }
        if is_kernel {
            info.is_block = self.cursor.take_word("block");
            if self.cursor.take_word("initializer") {
                info.hook = Some(ProgramHook::Initializer);
            } else if self.cursor.take_word("finalizer") {
                info.hook = Some(ProgramHook::Finalizer);
            }
            if self.cursor.take_word("reqd_work_group_size") {
                info.required_work_group_size = Some(self.size()?);
            }
            if self.cursor.take_word("work_group_size_hint") {
                info.work_group_size_hint = Some(self.size()?);
            }
            if self.cursor.take_word("required_sub_groups") {
                info.required_sub_groups = Some(self.cursor.number()?);
            }
            info.uniform_work_groups = self.cursor.take_word("uniform_work_groups");
            info.flush_subnormals = self.cursor.take_word("flush_subnormals");
            function.kernel = Some(info);
        }
        if !self.cursor.take_punctuation('{') {
            return Ok(function);
        }
        let mut variables = FxHashMap::default();
        while self.cursor.take_word("var") {
            let name = self.cursor.variable()?;
            let position = self.cursor.previous();
            let variable = self.variable()?;
            if variables.insert(name.clone(), function.variables.push(variable)).is_some() {
                return Err(position.error(format!("`${name}` is defined twice")));
            }
        }
        BodyParser::new(self, function, values, variables).body()
    }

    fn size(&mut self) -> Result<[u32; 3], ParseError> {
        let position = self.cursor.position();
        let size = self.cursor.list('[', ']', |cursor| cursor.number())?;
        size.try_into().map_err(|_| position.error("a work-group size has three numbers"))
    }

    /// A variable, after its `$name`.
    fn variable(&mut self) -> Result<VariableData, ParseError> {
        let cursor = &mut self.cursor;
        let name = cursor.string("the variable's name in quotes")?;
        cursor.punctuation(':')?;
        let space = match cursor.any_word("`private`, `table`, `local` or `buffer`")?.as_str() {
            "private" => VariableSpace::Private,
            "table" => VariableSpace::ConstantTable,
            "local" => VariableSpace::Local,
            "buffer" => VariableSpace::StorageBuffer {
                binding: cursor.number()?,
                restrict: cursor.take_word("restrict"),
            },
            _ => return Err(cursor.previous().error("expected `private`, `table`, `local` or `buffer`")),
        };
        let shared = space == VariableSpace::Local && cursor.take_word("shared");
        let element = cursor.ty()?;
        cursor.word("count")?;
        let count = if cursor.take_word("runtime") {
            ElementCount::Runtime
        } else if cursor.take_word("spec") {
            ElementCount::Specialised { spec_id: cursor.number()? }
        } else {
            ElementCount::Fixed(cursor.number()?)
        };
        let initializer = if cursor.take_punctuation('=') {
            cursor.list('[', ']', |cursor| bare_constant(cursor, element))?
        } else {
            Vec::new()
        };
        Ok(VariableData { name, space, shared, element, count, initializer })
    }
}

/// A constant whose type is known and therefore not written.
fn bare_constant(cursor: &mut super::Cursor, ty: Type) -> Result<Constant, ParseError> {
    if cursor.take_word("undef") {
        return Ok(Constant::Undef);
    }
    let position = cursor.position();
    let scalar =
        ty.scalar().ok_or_else(|| position.error(format!("no constants of type {ty} stand here")))?;
    let lane = |cursor: &mut super::Cursor| {
        let text = cursor.take_number().ok_or_else(|| cursor.expected("a number"))?;
        lane_from_str(scalar, &text).map_err(|message| cursor.previous().error(message))
    };
    if matches!(ty, Type::Vector(..)) {
        Ok(Constant::Lanes(cursor.list('<', '>', lane)?.into()))
    } else {
        Ok(Constant::Bits(lane(cursor)?))
    }
}

/// What the host knows of a parameter, after its type.
fn kernel_param(cursor: &mut super::Cursor) -> Result<KernelParam, ParseError> {
    let name = cursor.string("the parameter's name in quotes")?;
    let type_name = cursor.string("the parameter's type in quotes")?;
    let what = "`buffer`, `local`, `value`, `sampler`, `queue`, `pipe` or an image type";
    let kind = if cursor.take_word("buffer") {
        KernelParamKind::Buffer {
            read_only: cursor.take_word("read_only"),
            restrict: cursor.take_word("restrict"),
            volatile: cursor.take_word("volatile"),
        }
    } else if cursor.take_word("local") {
        KernelParamKind::Local {
            read_only: cursor.take_word("read_only"),
            restrict: cursor.take_word("restrict"),
            volatile: cursor.take_word("volatile"),
        }
    } else if cursor.take_word("value") {
        KernelParamKind::Value { size: cursor.attribute("size")?, align: cursor.attribute("align")? }
    } else if cursor.take_word("sampler") {
        KernelParamKind::Sampler
    } else if cursor.take_word("queue") {
        KernelParamKind::Queue
    } else if cursor.take_word("pipe") {
        KernelParamKind::Pipe { writes: cursor.take_word("writes") }
    } else {
        let position = cursor.position();
        match cursor.ty() {
            Ok(Type::Image(image)) => KernelParamKind::Image(image),
            _ => return Err(position.error(format!("expected {what}"))),
        }
    };
    let mut element = None;
    if cursor.take_word("element") {
        let ty = cursor.ty()?;
        let scalar =
            ty.scalar().ok_or_else(|| cursor.previous().error("an element is a scalar or a vector"))?;
        element = Some((scalar, ty.lanes()));
    }
    let signed = cursor.take_word("signed");
    let max_size = if cursor.take_word("max_size") { Some(cursor.number()?) } else { None };
    Ok(KernelParam { name, type_name, element, signed, kind, max_size })
}
