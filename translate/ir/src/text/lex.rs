//! Splits the text into tokens.

use super::ParseError;

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A keyword or mnemonic, with dots.
    Word(String),
    /// `%name`.
    Value(String),
    /// `^name`.
    Label(String),
    /// `@name`.
    Symbol(String),
    /// `$name`.
    Variable(String),
    /// A number, also negative, in decimal, hexadecimal or with a fraction.
    Number(String),
    /// A string's contents.
    String(String),
    /// `->`.
    Arrow,
    /// A single character.
    Punctuation(char),
    /// The end.
    End,
}

impl Token {
    /// Its name in a message.
    pub(super) fn describe(&self) -> String {
        match self {
            Token::Word(word) | Token::Number(word) => format!("`{word}`"),
            Token::Value(name) => format!("`%{name}`"),
            Token::Label(name) => format!("`^{name}`"),
            Token::Symbol(name) => format!("`@{name}`"),
            Token::Variable(name) => format!("`${name}`"),
            Token::String(_) => "a string".into(),
            Token::Arrow => "`->`".into(),
            Token::Punctuation(c) => format!("`{c}`"),
            Token::End => "the end of the text".into(),
        }
    }
}

/// A position in the text; line and column count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Position {
    pub(super) line: u32,
    pub(super) column: u32,
}

impl Position {
    pub(super) fn error(self, message: impl Into<String>) -> ParseError {
        ParseError { line: self.line, column: self.column, message: message.into() }
    }
}

/// Whether a name may contain this character without quotes.
pub(super) fn is_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '.'
}

/// All tokens with their positions; the last one is [`Token::End`].
pub(super) fn lex(text: &str) -> Result<Vec<(Token, Position)>, ParseError> {
    let mut lexer = Lexer { rest: text, position: Position { line: 1, column: 1 } };
    let mut tokens = Vec::new();
    loop {
        lexer.skip_blank();
        let position = lexer.position;
        let token = lexer.token()?;
        let is_end = token == Token::End;
        tokens.push((token, position));
        if is_end {
            return Ok(tokens);
        }
    }
}

struct Lexer<'a> {
    rest: &'a str,
    position: Position,
}

impl<'a> Lexer<'a> {
    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.rest = &self.rest[c.len_utf8()..];
        if c == '\n' {
            self.position = Position { line: self.position.line + 1, column: 1 };
        } else {
            self.position.column += 1;
        }
        Some(c)
    }

    fn take_while(&mut self, accept: impl Fn(char) -> bool) -> &'a str {
        let start = self.rest;
        while self.peek().is_some_and(&accept) {
            self.bump();
        }
        &start[..start.len() - self.rest.len()]
    }

    fn skip_blank(&mut self) {
        loop {
            self.take_while(char::is_whitespace);
            // `;` also ends a declaration; reading the rest of its line as a comment makes no difference.
            if self.peek() != Some(';') {
                return;
            }
            self.take_while(|c| c != '\n');
        }
    }

    fn token(&mut self) -> Result<Token, ParseError> {
        let position = self.position;
        let Some(c) = self.peek() else { return Ok(Token::End) };
        if c.is_ascii_alphabetic() || c == '_' {
            return Ok(Token::Word(self.take_while(is_name_char).to_owned()));
        }
        if c.is_ascii_digit() {
            return Ok(Token::Number(self.number()));
        }
        self.bump();
        match c {
            '%' => Ok(Token::Value(self.name("%")?)),
            '^' => Ok(Token::Label(self.name("^")?)),
            '$' => Ok(Token::Variable(self.name("$")?)),
            '@' if self.peek() == Some('"') => {
                self.bump();
                Ok(Token::Symbol(self.string(position)?))
            }
            '@' => Ok(Token::Symbol(self.name("@")?)),
            '"' => Ok(Token::String(self.string(position)?)),
            '-' if self.peek() == Some('>') => {
                self.bump();
                Ok(Token::Arrow)
            }
            '-' if self.peek().is_some_and(|c| c.is_ascii_digit()) => {
                Ok(Token::Number(format!("-{}", self.number())))
            }
            '{' | '}' | '(' | ')' | '[' | ']' | '<' | '>' | ',' | ':' | '=' => Ok(Token::Punctuation(c)),
            c => Err(position.error(format!("no token starts with {c:?}"))),
        }
    }

    fn name(&mut self, sigil: &str) -> Result<String, ParseError> {
        let position = self.position;
        let name = self.take_while(is_name_char);
        if name.is_empty() {
            Err(position.error(format!("a name must follow `{sigil}`")))
        } else {
            Ok(name.to_owned())
        }
    }

    fn number(&mut self) -> String {
        let mut text = self.take_while(|c| c.is_ascii_alphanumeric() || c == '.').to_owned();
        let exponent = !text.starts_with("0x") && text.ends_with(['e', 'E']);
        if exponent && matches!(self.peek(), Some('-' | '+')) {
            text.extend(self.bump());
            text.push_str(self.take_while(|c| c.is_ascii_digit()));
        }
        text
    }

    /// The rest of a string after its opening quote.
    fn string(&mut self, start: Position) -> Result<String, ParseError> {
        let mut text = String::new();
        loop {
            let position = self.position;
            match self.bump() {
                None => return Err(start.error("this string has no end")),
                Some('"') => return Ok(text),
                Some('\\') => text.push(self.escape(position)?),
                Some(c) => text.push(c),
            }
        }
    }

    fn escape(&mut self, position: Position) -> Result<char, ParseError> {
        match self.bump() {
            Some(c @ ('"' | '\\')) => Ok(c),
            Some('u') => {
                let digits = self.take_while(|c| c.is_ascii_hexdigit());
                let c = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
                match (c, self.bump()) {
                    (Some(c), Some(';')) => Ok(c),
                    _ => {
                        Err(position
                            .error("an escape is `\\u`, a character's number in hexadecimal, and `;`"))
                    }
                }
            }
            _ => Err(position.error("a backslash stands before a quote, a backslash or `u`")),
        }
    }
}
