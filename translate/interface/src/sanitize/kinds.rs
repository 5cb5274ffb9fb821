//! The kinds of errors.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A kind of error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs)]
pub enum Kind {
    Bounds,
    Alignment,
    Arithmetic,
    Barriers,
    Races,
    Uninitialised,
}

/// A row of [`KINDS`].
pub struct KindRow {
    /// The kind.
    pub kind: Kind,
    /// Its name on command lines.
    pub name: &'static str,
    /// What it finds.
    pub finds: &'static str,
}

/// All kinds.
pub static KINDS: &[KindRow] = &[
    KindRow {
        kind: Kind::Bounds,
        name: "bounds",
        finds: "accesses outside of buffers, variables and images",
    },
    KindRow {
        kind: Kind::Alignment,
        name: "alignment",
        finds: "accesses that are not aligned as their type",
    },
    KindRow {
        kind: Kind::Arithmetic,
        name: "arithmetic",
        finds: "divisions by zero, quotients and conversions that do not fit their type",
    },
    KindRow {
        kind: Kind::Barriers,
        name: "barriers",
        finds: "barriers and asynchronous copies that only some work-items reach",
    },
    KindRow {
        kind: Kind::Races,
        name: "races",
        finds: "accesses of several work-items to the same memory, where one writes and nothing orders them",
    },
    KindRow {
        kind: Kind::Uninitialised,
        name: "uninitialised",
        finds: "reads of local and private memory before it is written",
    },
];

impl Kind {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        KINDS.iter().find(|row| row.kind == self).map_or("", |row| row.name)
    }

    /// The kind with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Kind> {
        KINDS.iter().find(|row| row.name == name).map(|row| row.kind)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A set of kinds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Kinds(u32);

impl Kinds {
    /// Every kind.
    #[must_use]
    pub fn all() -> Kinds {
        KINDS.iter().fold(Kinds::default(), |kinds, row| kinds.with(row.kind))
    }

    /// With one more.
    #[must_use]
    pub fn with(self, kind: Kind) -> Kinds {
        Kinds(self.0 | 1 << kind as u32)
    }

    /// Whether a kind is in the set.
    #[must_use]
    pub fn has(self, kind: Kind) -> bool {
        self.0 & 1 << kind as u32 != 0
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The kinds of a list with commas; `all` and `1` are all of them, and `0` and nothing none.
    ///
    /// # Errors
    /// A sentence that names the kind that does not exist, and those that do.
    pub fn parse(text: &str) -> Result<Kinds, String> {
        let mut kinds = Kinds::default();
        for name in text.split(',').map(str::trim).filter(|name| !matches!(*name, "" | "0")) {
            kinds = match (name, Kind::from_name(name)) {
                ("all" | "1", _) => Kinds::all(),
                (_, Some(kind)) => kinds.with(kind),
                (_, None) => {
                    let names: Vec<&str> = KINDS.iter().map(|row| row.name).collect();
                    return Err(format!(
                        "the sanitizer has no kind `{name}`; choose among {}, or `all`",
                        names.join(", ")
                    ));
                }
            };
        }
        Ok(kinds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_kinds_are_read() {
        assert_eq!(Kinds::parse("all"), Ok(Kinds::all()));
        assert_eq!(Kinds::parse("1"), Ok(Kinds::all()));
        assert_eq!(Kinds::parse("0"), Ok(Kinds::default()));
        let two = Kinds::parse("bounds, barriers").unwrap();
        assert!(two.has(Kind::Bounds) && two.has(Kind::Barriers) && !two.has(Kind::Arithmetic));
        assert!(Kinds::parse("bound").unwrap_err().contains("no kind `bound`; choose among bounds, "));
        for row in KINDS {
            assert_eq!(Kind::from_name(row.name), Some(row.kind));
            assert_eq!(KINDS.iter().filter(|other| other.kind == row.kind).count(), 1);
        }
    }
}
