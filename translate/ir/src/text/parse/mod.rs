//! The parser: a cursor over the tokens ([`Cursor`]), items of a module (here), and bodies of functions
//! ([`body`]).

mod body;
mod cursor;
mod header;

use super::lex::{Token, lex};
use crate::{EntityId, Func, Function, Global, GlobalData, Initializer, Module, Relocation};
use clvk_interface::{PrintArgument, PrintFormat};
use cursor::Cursor;
use rustc_hash::FxHashMap;

/// The text is not in the form that the printer writes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {message}")]
pub struct ParseError {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// What was expected.
    pub message: String,
}

/// Parses the text of a module. The result is not verified.
///
/// # Errors
/// The first position where the text is not that of a module.
pub fn parse_module(text: &str) -> Result<Module, ParseError> {
    let cursor = Cursor::new(lex(text)?);
    let names = Names::collect(&cursor)?;
    ModuleParser { cursor, names, globals: Vec::new() }.module()
}

/// The names of a module, which may be used before they are defined.
#[derive(Default)]
struct Names {
    functions: FxHashMap<String, Func>,
    globals: FxHashMap<String, Global>,
}

impl Names {
    fn collect(cursor: &Cursor) -> Result<Names, ParseError> {
        let mut names = Names::default();
        let mut depth = 0_usize;
        for pair in cursor.tokens().windows(2) {
            let [(first, _), (second, position)] = pair else { continue };
            match (first, second) {
                (Token::Punctuation('{'), _) => depth += 1,
                (Token::Punctuation('}'), _) => depth = depth.saturating_sub(1),
                (Token::Word(word), Token::Symbol(name)) if depth == 0 => {
                    let is_new = match word.as_str() {
                        "func" | "kernel" => {
                            let id = Func::from_index(names.functions.len());
                            names.functions.insert(name.clone(), id).is_none()
                        }
                        "global" => {
                            let id = Global::from_index(names.globals.len());
                            names.globals.insert(name.clone(), id).is_none()
                        }
                        _ => true,
                    };
                    if !is_new {
                        return Err(position.error(format!("`@{name}` is defined twice")));
                    }
                }
                _ => {}
            }
        }
        Ok(names)
    }
}

/// Parses the items of a module.
struct ModuleParser {
    cursor: Cursor,
    names: Names,
    /// The variables parsed so far.
    globals: Vec<GlobalData>,
}

impl ModuleParser {
    fn module(mut self) -> Result<Module, ParseError> {
        let mut functions: Vec<Function> = Vec::new();
        let mut module = Module::default();
        loop {
            if self.cursor.take_word("print") {
                module.print_formats.push(self.print_format()?);
            } else if self.cursor.take_word("global") {
                let global = self.global()?;
                self.globals.push(global);
            } else if self.cursor.take_word("func") {
                functions.push(self.function(false)?);
            } else if self.cursor.take_word("kernel") {
                functions.push(self.function(true)?);
            } else if self.cursor.at_end() {
                break;
            } else {
                return Err(self.cursor.expected("`print`, `global`, `func` or `kernel`"));
            }
        }
        for global in self.globals {
            module.globals.push(global);
        }
        for function in functions {
            module.functions.push(function);
        }
        Ok(module)
    }

    fn global(&mut self) -> Result<GlobalData, ParseError> {
        let name = self.cursor.symbol()?;
        self.cursor.punctuation(':')?;
        let space = self.cursor.variant()?;
        let is_read_only = self.cursor.take_word("read_only");
        let size = self.cursor.attribute("size")?;
        let align = self.cursor.attribute("align")?;
        let initializer = if !self.cursor.take_punctuation('=') {
            Initializer::None
        } else if self.cursor.take_word("zero") {
            Initializer::Zero
        } else {
            self.cursor.word("bytes")?;
            self.bytes()?
        };
        Ok(GlobalData { name, space, size, align, is_read_only, initializer })
    }

    fn bytes(&mut self) -> Result<Initializer, ParseError> {
        let mut bytes = Vec::new();
        while let Some(text) = self.cursor.take_string() {
            self.decode(&text, &mut bytes)?;
        }
        let mut relocations = Vec::new();
        while self.cursor.take_word("at") {
            let offset = self.cursor.number()?;
            self.cursor.punctuation(':')?;
            let target = self.global_name()?;
            let addend = self.cursor.attribute("by")?;
            relocations.push(Relocation { offset, target, addend });
        }
        Ok(Initializer::Bytes { bytes, relocations })
    }

    /// Appends the bytes that a string of hexadecimal digits represents; the string was the last token.
    fn decode(&self, text: &str, bytes: &mut Vec<u8>) -> Result<(), ParseError> {
        let bad = || self.cursor.previous().error("a string of bytes holds two hexadecimal digits a byte");
        if !text.len().is_multiple_of(2) || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(bad());
        }
        for pair in text.as_bytes().chunks(2) {
            let digits = std::str::from_utf8(pair).map_err(|_| bad())?;
            bytes.push(u8::from_str_radix(digits, 16).map_err(|_| bad())?);
        }
        Ok(())
    }

    fn one_string(&mut self) -> Result<Vec<u8>, ParseError> {
        let text = self.cursor.string("bytes in quotes")?;
        let mut bytes = Vec::new();
        self.decode(&text, &mut bytes)?;
        Ok(bytes)
    }

    /// A call of `printf`, after `print`.
    fn print_format(&mut self) -> Result<PrintFormat, ParseError> {
        let text = if self.cursor.take_word("passed") { None } else { Some(self.one_string()?) };
        let mut arguments = Vec::new();
        let mut more = self.cursor.on_same_line() && !self.cursor.at_end();
        while more {
            arguments.push(self.print_argument()?);
            more = self.cursor.take_punctuation(',');
        }
        Ok(PrintFormat { text, arguments })
    }

    fn print_argument(&mut self) -> Result<PrintArgument, ParseError> {
        if self.cursor.take_word("text") {
            return Ok(PrintArgument::Text(self.one_string()?));
        }
        for (word, address) in [("string", false), ("string_or_address", true)] {
            if self.cursor.take_word(word) {
                return Ok(PrintArgument::String { limit: self.cursor.number()?, address });
            }
        }
        let kind = self.cursor.variant()?;
        Ok(PrintArgument::Value(kind, self.cursor.number()?))
    }

    fn global_name(&mut self) -> Result<Global, ParseError> {
        let name = self.cursor.symbol()?;
        match self.names.globals.get(&name) {
            Some(&global) => Ok(global),
            None => Err(self.cursor.previous().error(format!("the module has no variable `@{name}`"))),
        }
    }

    fn function_name(&mut self) -> Result<Func, ParseError> {
        let name = self.cursor.symbol()?;
        match self.names.functions.get(&name) {
            Some(&func) => Ok(func),
            None => Err(self.cursor.previous().error(format!("the module has no function `@{name}`"))),
        }
    }
}
