//! What is known of the ids that a function defines.
//!
//! Not here: constants and variables of the module, which the index knows. (A variable's address is kept here
//! once the function has it.)

use super::values::Definition;
use crate::binary::{Id, Instruction};
use rustc_hash::FxHashMap;

/// A table of ids for each row: producers number the ids of a function one after the other. Ids beyond it are
/// hashed.
const TABLE_PER_ID: usize = 4;

/// An id.
#[derive(Clone, Copy, Debug, Default)]
pub struct Local {
    /// Its type; 0 if the function does not say.
    pub ty: Id,
    /// The label of the block that defines it; 0 for parameters.
    pub home: Id,
    /// Another block uses it.
    pub crosses: bool,
    pub definition: Option<Definition>,
}

/// The ids of a function.
#[derive(Debug, Default)]
pub struct Locals {
    rows: Vec<Local>,
    /// The first id of the table.
    first: Id,
    /// By id: the number of its row, from 1; 0 if it has none.
    table: Vec<u32>,
    others: FxHashMap<Id, u32>,
}

impl Locals {
    /// Begins a function, with a table for the results of its instructions.
    pub fn restart(&mut self, instructions: &[Instruction<'_>]) {
        self.first = instructions.iter().filter_map(Instruction::result).min().unwrap_or_default();
        self.rows.clear();
        self.table.clear();
        self.table.resize(TABLE_PER_ID * instructions.len(), 0);
        self.others.clear();
    }

    fn row(&self, id: Id) -> Option<usize> {
        let number = match self.table.get(id.wrapping_sub(self.first) as usize) {
            Some(&number) => number,
            None => *self.others.get(&id)?,
        };
        (number as usize).checked_sub(1)
    }

    /// What is known of an id.
    pub fn get(&self, id: Id) -> Option<&Local> {
        self.row(id).map(|row| &self.rows[row])
    }

    /// The same, to be changed; it is empty for a new id.
    pub fn entry(&mut self, id: Id) -> &mut Local {
        let row = self.row(id).unwrap_or_else(|| {
            self.rows.push(Local::default());
            let number = self.rows.len() as u32;
            match self.table.get_mut(id.wrapping_sub(self.first) as usize) {
                Some(place) => *place = number,
                None => drop(self.others.insert(id, number)),
            }
            self.rows.len() - 1
        });
        &mut self.rows[row]
    }

    /// Adds an id; gives whether it is a new one.
    pub fn add(&mut self, id: Id, ty: Id, home: Id) -> bool {
        let before = self.rows.len();
        *self.entry(id) = Local { ty, home, ..Local::default() };
        self.rows.len() > before
    }

    /// Notes that a block uses an id, if another one defines it.
    pub fn note_use(&mut self, id: Id, label: Id) {
        if let Some(row) = self.row(id) {
            let local = &mut self.rows[row];
            local.crosses |= local.home != label;
        }
    }

    /// What an id is, once it is defined.
    pub fn definition(&self, id: Id) -> Option<Definition> {
        self.get(id)?.definition
    }

    /// Defines an id.
    pub fn define(&mut self, id: Id, definition: Definition) {
        self.entry(id).definition = Some(definition);
    }

    /// The type that the function gives an id.
    pub fn type_of(&self, id: Id) -> Option<Id> {
        self.get(id).map(|local| local.ty).filter(|&ty| ty != 0)
    }
}
