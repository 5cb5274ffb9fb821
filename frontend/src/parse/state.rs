//! The parser's state besides the tokens: names and their scopes, depth, and the errors found.

use super::brackets::Brackets;
use super::fault::Fault;
use super::tokens;
use super::{In, Parsed, Tokens};
use crate::Span;
use crate::diagnostic::Diagnostic;
use crate::limits::{SUGGESTIONS, TREE_DEPTH};
use crate::symbol::{Interner, Symbol};
use crate::token::{Keyword, Punct, Token, TokenKind};
use chumsky::input::{Checkpoint, Cursor};
use chumsky::inspector::Inspector;
use rustc_hash::{FxHashMap, FxHashSet};

/// The meaning of an identifier, as far as the grammar needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// A variable, function, parameter or enumerator.
    Ordinary,
    /// A type; `vector` if it is a built-in vector type.
    Type { vector: bool },
}

/// A declaration that can be undone: the name and its previous meaning.
type Shadowed = (Symbol, Option<Meaning>);

/// A step of the names' history.
#[derive(Debug)]
enum Step {
    Declared,
    Opened,
    /// A closed scope: its names, with their meanings inside.
    Closed(Vec<Shadowed>),
}

/// Names in scope, with a history, so that chumsky can rewind.
#[derive(Debug, Default)]
struct Names {
    meanings: FxHashMap<Symbol, Meaning>,
    /// Open scopes, each with the names that it shadows.
    scopes: Vec<Vec<Shadowed>>,
    history: Vec<Step>,
}

impl Names {
    fn set(&mut self, symbol: Symbol, meaning: Option<Meaning>) -> Option<Meaning> {
        match meaning {
            Some(meaning) => self.meanings.insert(symbol, meaning),
            None => self.meanings.remove(&symbol),
        }
    }

    fn declare(&mut self, symbol: Symbol, meaning: Meaning) {
        let before = self.set(symbol, Some(meaning));
        self.scopes.last_mut().expect("the file scope is never closed").push((symbol, before));
        self.history.push(Step::Declared);
    }

    fn open(&mut self) {
        self.scopes.push(Vec::new());
        self.history.push(Step::Opened);
    }

    fn close(&mut self) {
        let mut scope = self.scopes.pop().expect("a scope is closed once");
        for (symbol, meaning) in scope.iter_mut().rev() {
            *meaning = self.set(*symbol, *meaning);
        }
        self.history.push(Step::Closed(scope));
    }

    /// Restores the state in which the history was `length` long.
    fn rewind(&mut self, length: usize) {
        while self.history.len() > length {
            match self.history.pop() {
                Some(Step::Declared) => {
                    if let Some((symbol, before)) = self.scopes.last_mut().and_then(Vec::pop) {
                        self.set(symbol, before);
                    }
                }
                Some(Step::Opened) => {
                    self.scopes.pop();
                }
                Some(Step::Closed(mut scope)) => {
                    for (symbol, meaning) in &mut scope {
                        *meaning = self.set(*symbol, *meaning);
                    }
                    self.scopes.push(scope);
                }
                None => unreachable!("the history is longer than its target"),
            }
        }
    }
}

/// The parser's state.
#[derive(Debug)]
pub(super) struct State<'s> {
    tokens: Tokens<'s>,
    brackets: Brackets,
    interner: &'s Interner,
    names: Names,
    /// The name `vec_step`.
    pub(super) vec_step: Symbol,
    /// The places of `#pragma pack`: the index of the token after it, and the value from there on.
    packs: Vec<(usize, Option<u32>)>,
    /// Number of recursive productions that are being parsed.
    depth: usize,
    /// Depth of the deepest finished tree below the node being parsed.
    height: usize,
    /// Errors, each with the index of the token at which it was found.
    diagnostics: Vec<(usize, Diagnostic)>,
    /// Names in parts that were not understood and may declare them.
    suspects: FxHashSet<Symbol>,
}

impl<'s> State<'s> {
    pub(super) fn new(
        tokens: Tokens<'s>,
        brackets: Brackets,
        interner: &'s Interner,
        builtin_types: &[(Symbol, bool)],
        vec_step: Symbol,
        packs: Vec<(usize, Option<u32>)>,
    ) -> State<'s> {
        let mut names = Names::default();
        names.open();
        for &(symbol, vector) in builtin_types {
            names.declare(symbol, Meaning::Type { vector });
        }
        let (diagnostics, suspects) = (Vec::new(), FxHashSet::default());
        State {
            tokens,
            brackets,
            interner,
            names,
            vec_step,
            packs,
            depth: 0,
            height: 0,
            diagnostics,
            suspects,
        }
    }

    /// All tokens.
    pub(super) fn tokens(&self) -> &'s [Token] {
        self.tokens
    }

    /// The bracket structure.
    pub(super) fn brackets(&self) -> &Brackets {
        &self.brackets
    }

    /// The brace of the block around a token, if it follows the condition of an `if` or an `else`.
    pub(super) fn block_of_if(&self, at: usize) -> Option<Span> {
        let brace = self.brackets.around(at)?;
        let before = brace.checked_sub(1)?;
        let keyword = match self.tokens[before].kind {
            TokenKind::Punct(Punct::RightParen) => {
                let opener = (0..before).rev().find(|&index| self.brackets.closer(index) == Some(before))?;
                opener.checked_sub(1).map(|index| self.tokens[index].kind)
            }
            kind => Some(kind),
        };
        let is_branch = matches!(keyword, Some(TokenKind::Keyword(Keyword::If | Keyword::Else)));
        is_branch.then_some(self.tokens[brace].span)
    }

    /// Texts of the names.
    pub(super) fn interner(&self) -> &'s Interner {
        self.interner
    }

    /// The value of `#pragma pack` at a token.
    pub(super) fn pack(&self, at: usize) -> Option<u32> {
        let before = self.packs.partition_point(|(behind, _)| *behind <= at);
        before.checked_sub(1).and_then(|last| self.packs[last].1)
    }

    /// The meaning of a name here.
    pub(super) fn meaning(&self, symbol: Symbol) -> Option<Meaning> {
        self.names.meanings.get(&symbol).copied()
    }

    /// Whether a name is a type name here.
    pub(super) fn is_type(&self, symbol: Symbol) -> bool {
        matches!(self.meaning(symbol), Some(Meaning::Type { .. }))
    }

    /// Declares a name in the innermost scope.
    pub(super) fn declare(&mut self, symbol: Symbol, meaning: Meaning) {
        self.names.declare(symbol, meaning);
    }

    /// Adds an error, which stays even if the parser rewinds.
    pub(super) fn report(&mut self, fault: Fault) {
        self.diagnostics.push((fault.at, *fault.diagnostic));
    }

    /// Remembers a name that a part may have declared although it was not understood.
    pub(super) fn suspect(&mut self, symbol: Symbol) {
        self.suspects.insert(symbol);
    }

    /// Whether a part that was not understood may have declared a name.
    pub(super) fn is_suspect(&self, symbol: Symbol) -> bool {
        self.suspects.contains(&symbol)
    }

    /// Hands out the names that may have been declared.
    pub(super) fn take_suspects(&mut self) -> FxHashSet<Symbol> {
        std::mem::take(&mut self.suspects)
    }

    /// Errors so far.
    pub(super) fn error_count(&self) -> usize {
        self.diagnostics.len()
    }

    /// The first error after that many, with the index of its token.
    pub(super) fn first_error_since(&self, count: usize) -> Option<&(usize, Diagnostic)> {
        self.diagnostics.get(count)
    }

    /// Hands out the errors.
    pub(super) fn take_diagnostics(&mut self) -> Vec<(usize, Diagnostic)> {
        std::mem::take(&mut self.diagnostics)
    }

    /// The type name or keyword that `symbol` may be a misspelling of.
    pub(super) fn suggestion(&self, symbol: Symbol, keywords: bool) -> Option<&'s str> {
        if self.diagnostics.len() > SUGGESTIONS {
            return None;
        }
        let interner = self.interner;
        let meanings = self.names.meanings.iter();
        let types = meanings.filter(|(_, meaning)| matches!(meaning, Meaning::Type { .. }));
        let types = types.map(|(&name, _)| interner.text(name));
        let keywords = Keyword::ALL.iter().filter(|keyword| keywords || is_type_keyword(**keyword));
        // Most keywords with underscores also exist without them.
        let spellings = keywords.flat_map(|keyword| {
            let plain = keyword.text().trim_start_matches('_');
            let plain = Some(plain).filter(|plain| Keyword::from_text(plain) == Some(*keyword));
            [keyword.text()].into_iter().chain(plain)
        });
        crate::suggest::nearest(interner.text(symbol), types.chain(spellings))
    }
}

fn is_type_keyword(keyword: Keyword) -> bool {
    use Keyword as K;
    matches!(
        keyword,
        K::Char
            | K::Short
            | K::Int
            | K::Long
            | K::Float
            | K::Double
            | K::Half
            | K::Void
            | K::Unsigned
            | K::Signed
    ) || matches!(keyword, K::Bool | K::Struct | K::Union | K::Enum | K::Const | K::Volatile)
}

impl<'s> Inspector<'s, Tokens<'s>> for State<'s> {
    type Checkpoint = usize;

    fn on_token(&mut self, _: &Token) {}

    fn on_save<'parse>(&self, _: &Cursor<'s, 'parse, Tokens<'s>>) -> usize {
        self.names.history.len()
    }

    fn on_rewind<'parse>(&mut self, marker: &Checkpoint<'s, 'parse, Tokens<'s>, usize>) {
        self.names.rewind(*marker.inspector());
    }
}

/// Parses in a new scope. After an error, rewinding closes the scope.
pub(super) fn in_scope<'s, 'p, T>(
    input: &mut In<'s, 'p>,
    production: impl FnOnce(&mut In<'s, 'p>) -> Parsed<T>,
) -> Parsed<T> {
    input.state().names.open();
    let value = production(input)?;
    input.state().names.close();
    Ok(value)
}

/// Parses a tree node, which counts towards the tree's depth; see [`deeper`].
pub(super) fn nested<'s, 'p, T>(
    input: &mut In<'s, 'p>,
    production: impl FnOnce(&mut In<'s, 'p>) -> Parsed<T>,
) -> Parsed<T> {
    deeper(input, |input| {
        let value = production(input)?;
        grow(input)?;
        Ok(value)
    })
}

/// Parses a construct that may contain itself: bounds the recursion, and grows the stack if necessary.
pub(super) fn deeper<'s, 'p, T>(
    input: &mut In<'s, 'p>,
    production: impl FnOnce(&mut In<'s, 'p>) -> Parsed<T>,
) -> Parsed<T> {
    const RED_ZONE: usize = 256 << 10;
    const SEGMENT: usize = 2 << 20;
    // Productions of one node may contain each other, but not often.
    const RECURSION: usize = 4 * TREE_DEPTH;
    if input.state().depth >= RECURSION {
        return Err(too_deep(input));
    }
    input.state().depth += 1;
    let result = stacker::maybe_grow(RED_ZONE, SEGMENT, || subtree(input, production));
    input.state().depth -= 1;
    result
}

/// Parses trees for which [`grow`] is to count only what is below them.
pub(super) fn subtree<'s, 'p, T>(
    input: &mut In<'s, 'p>,
    production: impl FnOnce(&mut In<'s, 'p>) -> Parsed<T>,
) -> Parsed<T> {
    let siblings = std::mem::take(&mut input.state().height);
    let result = production(input);
    let state = input.state();
    state.height = if result.is_ok() { state.height.max(siblings) } else { siblings };
    result
}

/// Counts a node over those parsed since the [`subtree`] began.
pub(super) fn grow(input: &mut In<'_, '_>) -> Parsed<()> {
    let state = input.state();
    state.height += 1;
    if state.height > TREE_DEPTH {
        return Err(too_deep(input));
    }
    Ok(())
}

fn too_deep(input: &mut In<'_, '_>) -> Fault {
    let message = format!("expression, statement or declarator is more than {TREE_DEPTH} levels deep");
    let diagnostic = Diagnostic::error(tokens::here(input), message)
        .note("long chains of operators and of 'else if' count too; split it into several statements");
    Fault::here(input, diagnostic)
}
