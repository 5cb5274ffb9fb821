//! Reads `queries.txt`, which documents its own format.

use std::collections::BTreeMap;

/// A query.
pub struct Row {
    pub name: String,
    /// The type of its answer; `None` if it is refused.
    pub ty: Option<Answer>,
    /// The extension that a device must list for an answer.
    pub extension: Option<String>,
    /// Its value, if it is newer than the headers.
    pub value: Option<u32>,
}

/// The type of an answer.
pub struct Answer {
    /// A C type; for a list, that of its elements.
    pub ty: String,
    /// Whether it is a list of any length.
    pub list: bool,
}

/// All queries, by group.
pub struct Table {
    pub groups: BTreeMap<String, Vec<Row>>,
    not_queries: Vec<String>,
}

impl Table {
    pub fn read() -> Self {
        let mut table = Table { groups: BTreeMap::new(), not_queries: Vec::new() };
        let mut group = "";
        for line in include_str!("queries.txt").lines() {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if !line.starts_with(' ') {
                group = line;
                continue;
            }
            let mut words = line.split_whitespace();
            let name = words.next().unwrap().to_owned();
            if group == "not-a-query" {
                table.not_queries.push(name);
                continue;
            }
            let ty = words.next().unwrap_or_else(|| panic!("{name}: no type"));
            let extension = words.next().filter(|&word| word != "-").map(str::to_owned);
            let value = words.next().map(|word| u32::from_str_radix(&word[2..], 16).unwrap());
            let ty = (ty != "refused").then(|| match ty.strip_suffix("[]") {
                Some(element) => Answer { ty: element.to_owned(), list: true },
                None => Answer { ty: ty.to_owned(), list: false },
            });
            table.groups.entry(group.to_owned()).or_default().push(Row { name, ty, extension, value });
        }
        table
    }

    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.groups.values().flatten()
    }

    /// Whether a name is in it, as a query or not.
    pub fn has(&self, name: &str) -> bool {
        self.rows().any(|row| row.name == name) || self.not_queries.iter().any(|other| other == name)
    }
}
