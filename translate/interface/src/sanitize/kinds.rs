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
    Flags,
    Loops,
    Printf,
    Unsequenced,
    Overflow,
    Shifts,
    Nan,
    Constness,
    Restrict,
}

/// A row of [`KINDS`].
pub struct KindRow {
    /// The kind.
    pub kind: Kind,
    /// Its name on command lines.
    pub name: &'static str,
    /// What it finds.
    pub finds: &'static str,
    /// Who must ask for it by name.
    pub group: Group,
}

/// Which kinds are asked for together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// `all`: what no right program does, but for loops that take long and end.
    All,
    /// `warnings`: what right programs may do, though few mean it. Reports of it are warnings.
    Warnings,
}

/// All kinds.
pub static KINDS: &[KindRow] = &[
    KindRow {
        kind: Kind::Bounds,
        name: "bounds",
        finds: "accesses outside of buffers, variables and images",
        group: Group::All,
    },
    KindRow {
        kind: Kind::Alignment,
        name: "alignment",
        finds: "accesses that are not aligned as their type",
        group: Group::All,
    },
    KindRow {
        kind: Kind::Arithmetic,
        name: "arithmetic",
        finds: "divisions by zero, quotients and conversions that do not fit their type",
        group: Group::All,
    },
    KindRow {
        kind: Kind::Barriers,
        name: "barriers",
        finds: "barriers and asynchronous copies that only some work-items reach",
        group: Group::All,
    },
    KindRow {
        kind: Kind::Races,
        name: "races",
        finds: "accesses of several work-items to the same memory, where one writes and nothing orders them",
        group: Group::All,
    },
    KindRow {
        kind: Kind::Uninitialised,
        name: "uninitialised",
        finds: "reads of local and private memory before it is written",
        group: Group::All,
    },
    KindRow {
        kind: Kind::Flags,
        name: "flags",
        finds: "writes to buffers of `CL_MEM_READ_ONLY`, and reads of those of `CL_MEM_WRITE_ONLY`",
        group: Group::All,
    },
    KindRow {
        kind: Kind::Loops,
        name: "loops",
        finds: "loops that take more iterations than their budget: `loops=N`",
        group: Group::All,
    },
    KindRow {
        kind: Kind::Printf,
        name: "printf",
        finds: "arguments of `printf` that its format does not take, and conversions that do not exist",
        group: Group::All,
    },
    KindRow {
        kind: Kind::Unsequenced,
        name: "unsequenced",
        finds: "memory that an expression changes twice, or changes and reads, in no defined order",
        group: Group::All,
    },
    KindRow {
        kind: Kind::Overflow,
        name: "overflow",
        finds: "sums, differences and products of signed integers that do not fit their type",
        group: Group::Warnings,
    },
    KindRow {
        kind: Kind::Shifts,
        name: "shifts",
        finds: "shifts by negative numbers, or by as many bits as the number has, or more",
        group: Group::Warnings,
    },
    KindRow {
        kind: Kind::Nan,
        name: "nan",
        finds: "NaNs and infinities that are made of finite numbers, and divisions by zero",
        group: Group::Warnings,
    },
    KindRow {
        kind: Kind::Constness,
        name: "constness",
        finds: "writes through pointers that were made of pointers to `const`",
        group: Group::Warnings,
    },
    KindRow {
        kind: Kind::Restrict,
        name: "restrict",
        finds: "memory that is written and reached through two arguments, where one is `restrict`",
        group: Group::Warnings,
    },
];

/// The iterations that a loop may take if no budget is given.
pub const LOOP_BUDGET: u32 = 1 << 24;

impl Kind {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        KINDS.iter().find(|row| row.kind == self).map_or("", |row| row.name)
    }

    /// Whether its reports are warnings.
    #[must_use]
    pub fn warns(self) -> bool {
        KINDS.iter().any(|row| row.kind == self && row.group == Group::Warnings)
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
pub struct Kinds {
    bits: u32,
    /// The iterations that a loop may take; zero if none were given.
    loop_budget: u32,
}

impl Kinds {
    /// Every kind of the group `all`.
    #[must_use]
    pub fn all() -> Kinds {
        Kinds::of(Group::All)
    }

    /// The kinds of a group.
    fn of(group: Group) -> Kinds {
        let rows = KINDS.iter().filter(|row| row.group == group);
        rows.fold(Kinds::default(), |kinds, row| kinds.with(row.kind))
    }

    /// With one more.
    #[must_use]
    pub fn with(self, kind: Kind) -> Kinds {
        Kinds { bits: self.bits | 1 << kind as u32, ..self }
    }

    /// With this budget of iterations for loops.
    #[must_use]
    pub fn with_loop_budget(self, loop_budget: u32) -> Kinds {
        Kinds { loop_budget, ..self }
    }

    /// Whether a kind is in the set.
    #[must_use]
    pub fn has(self, kind: Kind) -> bool {
        self.bits & 1 << kind as u32 != 0
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.bits == 0
    }

    /// The iterations that a loop may take.
    #[must_use]
    pub fn loop_budget(self) -> u32 {
        if self.loop_budget == 0 { LOOP_BUDGET } else { self.loop_budget }
    }

    /// These kinds and those.
    fn and(self, other: Kinds) -> Kinds {
        Kinds { bits: self.bits | other.bits, ..self }
    }

    /// The kinds of a list with commas; `all` and `1` are those of errors,
    /// `warnings` are those that warn, and `0` and nothing none. `loops=N` gives loops a budget of N
    /// iterations.
    ///
    /// # Errors
    /// A sentence that names the kind that does not exist, and those that do, or the wrong number.
    pub fn parse(text: &str) -> Result<Kinds, String> {
        let mut kinds = Kinds::default();
        for name in text.split(',').map(str::trim).filter(|name| !matches!(*name, "" | "0")) {
            if let Some(("loops", number)) = name.split_once('=') {
                let budget = number.parse().ok().filter(|&budget| budget > 0);
                let budget = budget.ok_or_else(|| {
                    format!("`{number}` is not a number of iterations from 1 to {}", u32::MAX)
                })?;
                kinds = kinds.with(Kind::Loops).with_loop_budget(budget);
                continue;
            }
            kinds = match (name, Kind::from_name(name)) {
                ("all" | "1", _) => kinds.and(Kinds::all()),
                ("warnings", _) => kinds.and(Kinds::of(Group::Warnings)),
                (_, Some(kind)) => kinds.with(kind),
                (_, None) => {
                    let names: Vec<&str> = KINDS.iter().map(|row| row.name).collect();
                    return Err(format!(
                        "the sanitizer has no kind `{name}`; choose among {}, `all` and `warnings`",
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
        assert!(Kinds::all().has(Kind::Loops) && Kinds::all().loop_budget() == LOOP_BUDGET);
        let some = Kinds::parse("loops=70,all").unwrap();
        assert!(some.has(Kind::Loops) && some.has(Kind::Races) && some.loop_budget() == 70);
        assert!(Kinds::parse("loops=0").unwrap_err().starts_with("`0` is not a number of iterations"));
        let warnings = Kinds::parse("warnings").unwrap();
        assert!(warnings.has(Kind::Overflow) && warnings.has(Kind::Nan) && !warnings.has(Kind::Bounds));
        assert!(Kind::Shifts.warns() && !Kind::Loops.warns() && !Kinds::all().has(Kind::Shifts));
        for row in KINDS {
            assert_eq!(Kind::from_name(row.name), Some(row.kind));
            assert_eq!(KINDS.iter().filter(|other| other.kind == row.kind).count(), 1);
        }
    }
}
