//! The rules of the repository, as tests: what documents name exists, files stay small, imports go down,
//! dependencies are used, and English stays plain. Each rule lists its exceptions; a list only shrinks,
//! because an exception that is no longer needed fails the test.

mod documents;
mod imports;
mod limits;
mod prose;
mod tree;
