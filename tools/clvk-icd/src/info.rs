//! Answers to queries (`clGet…Info`).
//!
//! What an object answers is bytes ([`Answer`]); [`Request`] gives them to the application by the one rule
//! that all queries have: the size if it is wanted, and the value if there is a place that is large enough.

use crate::border::{Out, Plain, bytes_of};
use crate::code::{self, Result, ensure};
use smallvec::SmallVec;
use std::ffi::c_void;

/// A value as the application gets it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer(SmallVec<[u8; 64]>);

/// A single value.
pub fn value<T: Plain>(value: T) -> Result<Answer> {
    Ok(Answer(SmallVec::from_slice(bytes_of(&value))))
}

/// `CL_TRUE` or `CL_FALSE`.
pub fn truth(condition: bool) -> Result<Answer> {
    value(u32::from(condition))
}

/// An array, which may be empty.
pub fn list<T: Plain>(values: &[T]) -> Result<Answer> {
    Ok(Answer(values.iter().flat_map(|value| bytes_of(value).iter().copied()).collect()))
}

/// Text with a zero at its end.
pub fn text(text: &str) -> Result<Answer> {
    Ok(Answer(text.bytes().chain([0]).collect()))
}

/// Bytes as they are.
pub fn bytes(bytes: &[u8]) -> Result<Answer> {
    Ok(Answer(SmallVec::from_slice(bytes)))
}

/// The last three parameters of a query.
pub struct Request {
    /// Bytes that `value` has room for.
    pub size: usize,
    /// Where the value goes.
    pub value: Out<c_void>,
    /// Where its size goes.
    pub size_ret: Out<usize>,
}

impl Request {
    /// Gives the answer.
    pub fn answer(self, Answer(bytes): Answer) -> Result<()> {
        ensure(self.value.is_null() || self.size >= bytes.len(), code::INVALID_VALUE)?;
        self.value.set_bytes(&bytes);
        self.size_ret.set(bytes.len());
        Ok(())
    }
}

/// Gives a list of handles or formats as `clGetDeviceIDs` and its like do: as many as there is room for.
pub fn enumerate<T: Copy>(values: &[T], room: u32, out: Out<T>, count: Out<u32>) -> Result<()> {
    ensure(room > 0 || out.is_null(), code::INVALID_VALUE)?;
    for (index, &value) in values.iter().take(room as usize).enumerate() {
        out.set_at(index, value);
    }
    count.set(values.len() as u32);
    Ok(())
}
