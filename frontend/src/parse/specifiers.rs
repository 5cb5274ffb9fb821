//! Declaration specifiers (C99 §6.7, OpenCL C §6.7 to §6.10), which precede the declarators in any order.

use super::attributes::attributes;
use super::expressions::expression;
use super::fault::Fault;
use super::tokens::{
    at_punct, bump, expect_closer, here, index, peek, peek_at, peek_identifier, previous, report, span_since,
};
use super::{In, Parsed, records};
use crate::Span;
use crate::ast::{
    AccessQualifier, AddressSpaceQualifier, BasicType, Declarator, Name, Qualifiers, Specifiers,
    StorageClass, TypeName, TypeSpecifier,
};
use crate::diagnostic::Diagnostic;
use crate::token::{Keyword, Punct, Token, TokenKind};
use smallvec::SmallVec;

/// Whether a declaration starts here (`_Static_assert` does not count).
pub(super) fn starts_declaration(input: &mut In<'_, '_>) -> bool {
    let mut ahead = 0;
    while peek_at(input, ahead) == Some(TokenKind::Keyword(Keyword::Extension)) {
        ahead += 1;
    }
    match peek_at(input, ahead) {
        Some(TokenKind::Keyword(keyword)) => {
            is_type_keyword(keyword) || is_qualifier(keyword) || is_declaration_keyword(keyword)
        }
        Some(TokenKind::Identifier(symbol)) => input.state().is_type(symbol),
        _ => false,
    }
}

/// Whether the token `ahead` tokens after the next starts a type name.
pub(super) fn starts_type_name(input: &mut In<'_, '_>, ahead: usize) -> bool {
    match peek_at(input, ahead) {
        Some(TokenKind::Keyword(keyword)) => {
            is_type_keyword(keyword) || is_qualifier(keyword) || keyword == Keyword::Attribute
        }
        Some(TokenKind::Identifier(symbol)) => input.state().is_type(symbol),
        _ => false,
    }
}

fn is_type_keyword(keyword: Keyword) -> bool {
    use Keyword as K;
    is_basic(keyword) || matches!(keyword, K::Struct | K::Union | K::Enum | K::Typeof | K::Pipe)
}

fn is_basic(keyword: Keyword) -> bool {
    use Keyword as K;
    matches!(
        keyword,
        K::Void
            | K::Bool
            | K::Char
            | K::Short
            | K::Int
            | K::Long
            | K::Half
            | K::Float
            | K::Double
            | K::Signed
    ) || matches!(keyword, K::Unsigned | K::Complex | K::Imaginary)
}

fn is_qualifier(keyword: Keyword) -> bool {
    use Keyword as K;
    matches!(keyword, K::Const | K::Volatile | K::Restrict)
        || address_space(keyword).is_some()
        || access(keyword).is_some()
}

fn is_declaration_keyword(keyword: Keyword) -> bool {
    storage_class(keyword).is_some()
        || matches!(keyword, Keyword::Inline | Keyword::Kernel | Keyword::Attribute)
}

fn storage_class(keyword: Keyword) -> Option<StorageClass> {
    Some(match keyword {
        Keyword::Typedef => StorageClass::Typedef,
        Keyword::Extern => StorageClass::Extern,
        Keyword::Static => StorageClass::Static,
        Keyword::Auto => StorageClass::Auto,
        Keyword::Register => StorageClass::Register,
        _ => return None,
    })
}

fn address_space(keyword: Keyword) -> Option<AddressSpaceQualifier> {
    Some(match keyword {
        Keyword::Private => AddressSpaceQualifier::Private,
        Keyword::Local => AddressSpaceQualifier::Local,
        Keyword::Global => AddressSpaceQualifier::Global,
        Keyword::Constant => AddressSpaceQualifier::Constant,
        Keyword::Generic => AddressSpaceQualifier::Generic,
        _ => return None,
    })
}

fn access(keyword: Keyword) -> Option<AccessQualifier> {
    Some(match keyword {
        Keyword::ReadOnly => AccessQualifier::ReadOnly,
        Keyword::WriteOnly => AccessQualifier::WriteOnly,
        Keyword::ReadWrite => AccessQualifier::ReadWrite,
        _ => return None,
    })
}

impl Qualifiers {
    /// Adds a qualifier; returns whether `keyword` is one.
    pub(super) fn add(&mut self, keyword: Keyword, span: Span) -> bool {
        match keyword {
            Keyword::Const => _ = self.is_const.get_or_insert(span),
            Keyword::Volatile => _ = self.is_volatile.get_or_insert(span),
            Keyword::Restrict => _ = self.is_restrict.get_or_insert(span),
            _ => {
                if let Some(space) = address_space(keyword) {
                    self.address_spaces.push((space, span));
                } else if let Some(access) = access(keyword) {
                    self.access.push((access, span));
                } else {
                    return false;
                }
            }
        }
        true
    }
}

/// The type among the specifiers, as far as it was read.
enum Type {
    None,
    /// Basic type keywords so far.
    Basic(SmallVec<[Keyword; 4]>),
    /// Anything else.
    Other(TypeSpecifier),
    /// A type with a reported error.
    Wrong,
}

struct Builder {
    specifiers: Specifiers,
    ty: Type,
    start: usize,
}

/// ```text
/// specifiers: (storage-class | 'inline' | 'kernel' | qualifier | attribute | type-specifier)+
/// type-specifier: basic-keyword | typedef-name | record | enum | 'typeof' '(' … ')' | 'pipe' type
/// ```
pub(super) fn specifiers(input: &mut In<'_, '_>) -> Parsed<Specifiers> {
    super::state::nested(input, |input| {
        let mut builder = Builder { specifiers: Specifiers::empty(), ty: Type::None, start: index(input) };
        builder.run(input)?;
        builder.finish(input)
    })
}

impl Specifiers {
    fn empty() -> Specifiers {
        Specifiers {
            storage: Vec::new(),
            is_inline: None,
            is_kernel: None,
            qualifiers: Qualifiers::default(),
            attributes: Vec::new(),
            ty: TypeSpecifier::Missing,
            ty_span: Span::NONE,
            span: Span::NONE,
        }
    }

    /// Whether this declares type names.
    pub(super) fn is_typedef(&self) -> bool {
        self.storage.iter().any(|(class, _)| *class == StorageClass::Typedef)
    }
}

impl Builder {
    fn run(&mut self, input: &mut In<'_, '_>) -> Parsed<()> {
        loop {
            match peek(input) {
                Some(TokenKind::Keyword(keyword)) => {
                    if !self.keyword(input, keyword)? {
                        return Ok(());
                    }
                }
                Some(TokenKind::Identifier(symbol)) if matches!(self.ty, Type::None) => {
                    if input.state().is_type(symbol) {
                        let span = bump(input);
                        self.other(TypeSpecifier::Named(Name { symbol, span }), span);
                    } else if !self.unknown(input)? {
                        return Ok(());
                    }
                }
                _ => return Ok(()),
            }
        }
    }

    /// Takes a keyword, if it is a specifier.
    fn keyword(&mut self, input: &mut In<'_, '_>, keyword: Keyword) -> Parsed<bool> {
        if is_type_keyword(keyword) {
            self.type_keyword(input, keyword)?;
        } else if is_qualifier(keyword) {
            let span = bump(input);
            self.specifiers.qualifiers.add(keyword, span);
        } else if let Some(class) = storage_class(keyword) {
            let span = bump(input);
            self.specifiers.storage.push((class, span));
        } else {
            match keyword {
                Keyword::Inline => self.specifiers.is_inline = Some(bump(input)),
                Keyword::Kernel => self.specifiers.is_kernel = Some(bump(input)),
                Keyword::Attribute => self.specifiers.attributes.extend(attributes(input)?),
                Keyword::Extension => _ = bump(input),
                _ => return Ok(false),
            }
        }
        Ok(true)
    }

    fn type_keyword(&mut self, input: &mut In<'_, '_>, keyword: Keyword) -> Parsed<()> {
        if is_basic(keyword) {
            return self.basic(input, keyword);
        }
        self.conflict(input)?;
        let start = index(input);
        let ty = match keyword {
            Keyword::Struct | Keyword::Union => TypeSpecifier::Record(Box::new(records::record(input)?)),
            Keyword::Enum => TypeSpecifier::Enum(Box::new(records::enumeration(input)?)),
            Keyword::Typeof => type_of(input)?,
            _ => pipe(input)?,
        };
        let span = span_since(input, start);
        self.other(ty, span);
        Ok(())
    }

    fn basic(&mut self, input: &mut In<'_, '_>, keyword: Keyword) -> Parsed<()> {
        match &mut self.ty {
            Type::Basic(keywords) if basic_type(keywords.iter().copied().chain([keyword])).is_some() => {
                keywords.push(keyword);
            }
            Type::None => self.ty = Type::Basic(SmallVec::from_slice(&[keyword])),
            _ => self.conflict(input)?,
        }
        let span = bump(input);
        self.specifiers.ty_span = self.specifiers.ty_span.to(span);
        Ok(())
    }

    fn other(&mut self, ty: TypeSpecifier, span: Span) {
        if matches!(self.ty, Type::None) {
            self.ty = Type::Other(ty);
            self.specifiers.ty_span = span;
        }
    }

    /// Reports a second type. If a semicolon seems to be missing, this part ends here.
    fn conflict(&mut self, input: &mut In<'_, '_>) -> Parsed<()> {
        let previous_name = match &self.ty {
            Type::None | Type::Wrong => return Ok(()),
            Type::Basic(keywords) => keywords.last().map_or("", |keyword| keyword.text()).to_owned(),
            Type::Other(TypeSpecifier::Record(record)) if record.members.is_some() => {
                let what = if record.is_union { "union" } else { "struct" };
                return Err(semicolon_after(input, record.span, what));
            }
            Type::Other(TypeSpecifier::Enum(listed)) if listed.enumerators.is_some() => {
                return Err(semicolon_after(input, listed.span, "enum"));
            }
            Type::Other(TypeSpecifier::Named(name)) => input.state().interner().text(name.symbol).to_owned(),
            Type::Other(TypeSpecifier::Record(record)) if record.is_union => "union".to_owned(),
            Type::Other(TypeSpecifier::Record(_)) => "struct".to_owned(),
            Type::Other(TypeSpecifier::Enum(_)) => "enum".to_owned(),
            Type::Other(TypeSpecifier::Pipe(_)) => "pipe".to_owned(),
            Type::Other(_) => "typeof".to_owned(),
        };
        let message = format!("cannot combine with previous '{previous_name}' declaration specifier");
        let error =
            Diagnostic::error(here(input), message).related(self.specifiers.ty_span, "the other type");
        report(input, error);
        self.ty = Type::Wrong;
        Ok(())
    }

    /// Handles an identifier that is not a type where one is expected: it may be a misspelt type or keyword.
    /// Returns whether it was taken.
    fn unknown(&mut self, input: &mut In<'_, '_>) -> Parsed<bool> {
        let Some(symbol) = peek_identifier(input) else { return Ok(false) };
        let before_type = starts_type_name(input, 1);
        let before_name = match peek_at(input, 1) {
            Some(TokenKind::Identifier(_)) => true,
            Some(TokenKind::Punct(Punct::Star)) => {
                matches!(peek_at(input, 2), Some(TokenKind::Identifier(_) | TokenKind::Punct(Punct::Star)))
            }
            _ => false,
        };
        let has_more = index(input) > self.start;
        if !before_type && !before_name {
            return Ok(false);
        }
        // Keywords of newer versions; the checker says so.
        let newer = match input.state().interner().text(symbol) {
            "generic" => Some(Keyword::Generic),
            "pipe" => Some(Keyword::Pipe),
            _ => None,
        };
        if let Some(keyword) = newer.filter(|_| before_type) {
            return self.keyword(input, keyword);
        }
        // A name that already has a reported error does not get another one.
        if !input.state().is_suspect(symbol) {
            // `const x y` is more likely a misspelt x than a missing type.
            let error = unknown_type(input, symbol, !has_more);
            report(input, error);
        }
        let span = bump(input);
        if before_type {
            suspect_declared(input);
        }
        if !before_type {
            self.ty = Type::Wrong;
            self.specifiers.ty_span = span;
        }
        Ok(true)
    }

    fn finish(mut self, input: &mut In<'_, '_>) -> Parsed<Specifiers> {
        self.specifiers.ty = match self.ty {
            Type::Basic(keywords) => basic_type(keywords.into_iter()).unwrap_or_else(|| {
                unreachable!("a combination of type keywords is checked when it is read");
            }),
            Type::Other(ty) => ty,
            Type::Wrong => TypeSpecifier::Missing,
            Type::None => return Err(missing_type(input)),
        };
        self.specifiers.span = span_since(input, self.start);
        Ok(self.specifiers)
    }
}

/// "unknown type name", with a suggestion.
pub(super) fn unknown_type(
    input: &mut In<'_, '_>,
    symbol: crate::symbol::Symbol,
    keywords: bool,
) -> Diagnostic {
    let place = here(input);
    let state = input.state();
    state.suspect(symbol);
    let name = state.interner().text(symbol);
    if let Some(keyword) = tag_keyword(state.tokens(), symbol) {
        return Diagnostic::error(place, format!("must use '{keyword}' tag to refer to type '{name}'"));
    }
    if let Some(remark) = crate::foreign::remark(name) {
        return Diagnostic::error(place, format!("unknown type name '{name}'")).note(remark);
    }
    match state.suggestion(symbol, keywords) {
        Some(known) => {
            Diagnostic::error(place, format!("unknown type name '{name}'; did you mean '{known}'?"))
        }
        None => Diagnostic::error(place, format!("unknown type name '{name}'")),
    }
}

/// Remembers the names that follow a misspelt word, up to a bracket or semicolon: it may be `typedef`.
fn suspect_declared(input: &mut In<'_, '_>) {
    const FAR: usize = 8;
    for ahead in 0..FAR {
        match peek_at(input, ahead) {
            Some(TokenKind::Identifier(symbol)) if !input.state().is_type(symbol) => {
                input.state().suspect(symbol);
            }
            Some(TokenKind::Punct(Punct::Star)) | Some(TokenKind::Identifier(_) | TokenKind::Keyword(_)) => {}
            _ => return,
        }
    }
}

/// The keyword before a name that is a tag somewhere.
fn tag_keyword(tokens: &[Token], symbol: crate::symbol::Symbol) -> Option<&'static str> {
    tokens.windows(2).find_map(|pair| match (pair[0].kind, pair[1].kind) {
        (TokenKind::Keyword(keyword @ (Keyword::Struct | Keyword::Union | Keyword::Enum)), second)
            if second == TokenKind::Identifier(symbol) =>
        {
            Some(keyword.text())
        }
        _ => None,
    })
}

fn missing_type(input: &mut In<'_, '_>) -> Fault {
    if let Some(symbol) = peek_identifier(input) {
        let follows = peek_at(input, 1);
        let unknown = matches!(follows, Some(TokenKind::Punct(Punct::Comma | Punct::RightParen)));
        if unknown {
            let error = unknown_type(input, symbol, false);
            return Fault::here(input, error);
        }
        let error = Diagnostic::error(here(input), "a type specifier is required for all declarations");
        let is_auto = previous(input).is_some_and(|token| token.kind == TokenKind::Keyword(Keyword::Auto));
        let note = if is_auto {
            "write the type: 'auto' does not deduce it in C"
        } else {
            "C99 has no implicit 'int'"
        };
        return Fault::here(input, error.note(note));
    }
    super::fault::expected(input, "a type")
}

fn semicolon_after(input: &mut In<'_, '_>, definition: Span, what: &str) -> Fault {
    // The next part starts after the closing brace, where recovery finds it.
    let mut at = index(input);
    while at > 0 && input.state().tokens()[at - 1].span.end > definition.end {
        at -= 1;
    }
    let at_closer = previous(input).is_some_and(|token| token.span.end == definition.end);
    let place = Span::new(definition.end, definition.end);
    let error = Diagnostic::error(place, format!("expected ';' after {what}"));
    let at = if at_closer { index(input) } else { at };
    Fault { at, diagnostic: Box::new(error) }
}

/// `'typeof' '(' (type-name | expression) ')'`
fn type_of(input: &mut In<'_, '_>) -> Parsed<TypeSpecifier> {
    bump(input);
    let opener = super::tokens::expect(input, Punct::LeftParen, "after 'typeof'")?;
    let ty = if starts_type_name(input, 0) {
        TypeSpecifier::TypeofType(Box::new(super::declarators::type_name(input)?))
    } else {
        TypeSpecifier::TypeofExpr(Box::new(expression(input)?))
    };
    expect_closer(input, Punct::RightParen, opener)?;
    Ok(ty)
}

/// `'pipe' specifiers`
fn pipe(input: &mut In<'_, '_>) -> Parsed<TypeSpecifier> {
    bump(input);
    if at_punct(input, Punct::RightParen) || at_punct(input, Punct::Comma) {
        return Err(super::fault::missing(input, "the type of the packets after 'pipe'"));
    }
    let specifiers = specifiers(input)?;
    let span = specifiers.span;
    let place = Span::new(span.end, span.end);
    let declarator = Declarator { name: None, derived: Vec::new(), attributes: Vec::new(), span: place };
    Ok(TypeSpecifier::Pipe(Box::new(TypeName { specifiers, declarator, span })))
}

/// The type that a combination of keywords names (C99 §6.7.2), if it is valid.
fn basic_type(keywords: impl Iterator<Item = Keyword>) -> Option<TypeSpecifier> {
    let (mut base, mut sign, mut short, mut long, mut imaginary) = (None, None, 0, 0, None);
    for keyword in keywords {
        match keyword {
            Keyword::Signed | Keyword::Unsigned if sign.is_none() => sign = Some(keyword),
            Keyword::Short => short += 1,
            Keyword::Long => long += 1,
            Keyword::Complex | Keyword::Imaginary if imaginary.is_none() => imaginary = Some(keyword),
            Keyword::Signed | Keyword::Unsigned | Keyword::Complex | Keyword::Imaginary => return None,
            _ if base.is_none() => base = Some(keyword),
            _ => return None,
        }
    }
    let unsigned = sign == Some(Keyword::Unsigned);
    let choose = |signed, without| TypeSpecifier::Basic(if unsigned { without } else { signed });
    if let Some(keyword) = imaginary {
        let fits =
            matches!(base, None | Some(Keyword::Float | Keyword::Double)) && sign.is_none() && short == 0;
        let name = if keyword == Keyword::Complex { "_Complex" } else { "_Imaginary" };
        return fits.then_some(TypeSpecifier::Unsupported(name));
    }
    Some(match (base, short, long) {
        (None | Some(Keyword::Int), 0, 0) => choose(BasicType::Int, BasicType::UInt),
        (None | Some(Keyword::Int), 1, 0) => choose(BasicType::Short, BasicType::UShort),
        // OpenCL C reserves `long long` for 128 bits (§6.3.4). But programs that use it mean the 64 bits that
        // it has on hosts and GPUs, and pass such values in buffers, so it is `long`.
        (None | Some(Keyword::Int), 0, 1 | 2) => choose(BasicType::Long, BasicType::ULong),
        (Some(Keyword::Char), 0, 0) => choose(BasicType::Char, BasicType::UChar),
        (Some(Keyword::Double), 0, 1) if sign.is_none() => TypeSpecifier::Unsupported("long double"),
        (Some(keyword), 0, 0) if sign.is_none() => TypeSpecifier::Basic(match keyword {
            Keyword::Void => BasicType::Void,
            Keyword::Bool => BasicType::Bool,
            Keyword::Half => BasicType::Half,
            Keyword::Float => BasicType::Float,
            Keyword::Double => BasicType::Double,
            _ => return None,
        }),
        _ => return None,
    })
}
