//! Interned strings.

use rustc_hash::FxHashMap;

/// An interned string: identifiers, and the contents of string literals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(u32);

impl Symbol {
    /// A small number, different for each symbol of an interner, for tables indexed by symbols.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Owns the interned strings of a compilation.
#[derive(Debug, Default)]
pub struct Interner {
    strings: Vec<Box<str>>,
    symbols: FxHashMap<Box<str>, Symbol>,
}

impl Interner {
    /// The symbol of `text`.
    pub fn intern(&mut self, text: &str) -> Symbol {
        if let Some(&symbol) = self.symbols.get(text) {
            return symbol;
        }
        let symbol = Symbol(u32::try_from(self.strings.len()).expect("fewer than 2^32 different names"));
        self.strings.push(text.into());
        self.symbols.insert(text.into(), symbol);
        symbol
    }

    /// The symbol of `text`, if it was interned before.
    #[must_use]
    pub fn get(&self, text: &str) -> Option<Symbol> {
        self.symbols.get(text).copied()
    }

    /// The text of a symbol.
    #[must_use]
    pub fn text(&self, symbol: Symbol) -> &str {
        &self.strings[symbol.0 as usize]
    }
}
