//! What is made once for each key: by a launch, or before by a thread.
//!
//! An entry is wanted (a thread will make it), in work, or made. A launch waits for an entry that is in work.
//! It makes one that is only wanted instead of the thread, so it does not wait longer than without threads.
//! If making fails, the entry is gone, and the next launch tries again and sees the error.

use crate::vulkan::handle::lock;
use rustc_hash::FxHashMap;
use std::hash::Hash;
use std::sync::{Condvar, Mutex, PoisonError};

/// See the module.
pub(crate) struct CompileTable<K, V> {
    entries: Mutex<FxHashMap<K, Entry<V>>>,
    /// Nothing is in work any more that was.
    changed: Condvar,
}

enum Entry<V> {
    Wanted,
    InWork,
    Made(V),
}

/// What [`CompileTable::get`] gives.
pub(crate) enum Found<'a, K: Clone + Eq + Hash, V> {
    /// It is there.
    Made(V),
    /// The caller must make it.
    Missing(Making<'a, K, V>),
}

/// The duty to make an entry. Dropping it gives up.
pub(crate) struct Making<'a, K: Clone + Eq + Hash, V> {
    table: &'a CompileTable<K, V>,
    key: K,
}

impl<K, V> Default for CompileTable<K, V> {
    fn default() -> Self {
        CompileTable { entries: Mutex::default(), changed: Condvar::new() }
    }
}

impl<K: Clone + Eq + Hash, V: Clone> CompileTable<K, V> {
    /// An entry for a launch.
    pub(crate) fn get(&self, key: &K) -> Found<'_, K, V> {
        let mut entries = lock(&self.entries);
        loop {
            match entries.get_mut(key) {
                Some(Entry::Made(value)) => return Found::Made(value.clone()),
                Some(Entry::InWork) => {
                    entries = self.changed.wait(entries).unwrap_or_else(PoisonError::into_inner);
                }
                Some(entry @ Entry::Wanted) => {
                    *entry = Entry::InWork;
                    break;
                }
                None => {
                    entries.insert(key.clone(), Entry::InWork);
                    break;
                }
            }
        }
        Found::Missing(Making { table: self, key: key.clone() })
    }

    /// Notes that a thread will make an entry; false if it is known already.
    pub(crate) fn want(&self, key: &K) -> bool {
        let mut entries = lock(&self.entries);
        let new = !entries.contains_key(key);
        if new {
            entries.insert(key.clone(), Entry::Wanted);
        }
        new
    }

    /// Begins with an entry for the thread; `None` if it is not wanted any more.
    pub(crate) fn begin(&self, key: &K) -> Option<Making<'_, K, V>> {
        let mut entries = lock(&self.entries);
        let entry = entries.get_mut(key).filter(|entry| matches!(entry, Entry::Wanted))?;
        *entry = Entry::InWork;
        drop(entries);
        Some(Making { table: self, key: key.clone() })
    }

    /// No thread will make the entry.
    pub(crate) fn forget(&self, key: &K) {
        let mut entries = lock(&self.entries);
        if let Some(Entry::Wanted) = entries.get(key) {
            entries.remove(key);
        }
    }
}

impl<K: Clone + Eq + Hash, V> Making<'_, K, V> {
    /// It is made.
    pub(crate) fn done(self, value: V) {
        if let Some(entry) = lock(&self.table.entries).get_mut(&self.key) {
            *entry = Entry::Made(value);
        }
    }
}

impl<K: Clone + Eq + Hash, V> Drop for Making<'_, K, V> {
    fn drop(&mut self) {
        let mut entries = lock(&self.table.entries);
        if let Some(Entry::InWork) = entries.get(&self.key) {
            entries.remove(&self.key);
        }
        drop(entries);
        self.table.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(table: &CompileTable<u32, &'static str>, key: u32) -> Option<&'static str> {
        match table.get(&key) {
            Found::Made(value) => Some(value),
            Found::Missing(_) => None,
        }
    }

    #[test]
    fn a_thread_makes_what_is_wanted() {
        let table = CompileTable::default();
        assert!(table.want(&1));
        assert!(!table.want(&1), "it is wanted already");
        table.begin(&1).expect("it is wanted").done("by the thread");
        assert_eq!(made(&table, 1), Some("by the thread"));
        assert!(table.begin(&1).is_none() && !table.want(&1), "it is made");
    }

    #[test]
    fn a_launch_does_not_wait_for_a_thread_that_has_not_begun() {
        let table = CompileTable::default();
        assert!(table.want(&1));
        let Found::Missing(making) = table.get(&1) else { panic!("nothing was made") };
        assert!(table.begin(&1).is_none(), "the thread has nothing to do any more");
        making.done("by the launch");
        assert_eq!(made(&table, 1), Some("by the launch"));
    }

    #[test]
    fn a_launch_waits_for_a_thread_that_has_begun() {
        let table = CompileTable::default();
        assert!(table.want(&1));
        let making = table.begin(&1).expect("it is wanted");
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| made(&table, 1));
            assert_eq!(made(&table, 2), None, "others do not wait");
            making.done("by the thread");
            assert_eq!(waiting.join().unwrap(), Some("by the thread"));
        });
    }

    #[test]
    fn after_a_failure_the_next_one_tries_again() {
        let table = CompileTable::default();
        assert!(table.want(&1));
        let making = table.begin(&1).expect("it is wanted");
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| made(&table, 1));
            drop(making);
            assert_eq!(waiting.join().unwrap(), None, "it had to make it");
        });
        assert!(table.want(&1));
        table.forget(&1);
        assert!(table.begin(&1).is_none() && table.want(&1));
    }
}
