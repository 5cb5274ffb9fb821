//! Answers to queries (`clGet…Info`).
//!
//! An object answers with bytes ([`Answer`]). [`Request`] passes them to the application by the rule that all
//! queries share: the size if it is wanted, and the value if there is a large enough place for it.

use crate::border::{Out, Plain, bytes_of};
use crate::code::{self, Result, ensure};
use smallvec::SmallVec;
use std::ffi::{CStr, c_void};

/// A value as bytes, as the application gets it.
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

/// An array of pointers to texts that live as long as the process.
pub fn texts(texts: &[&'static CStr]) -> Result<Answer> {
    list(&texts.iter().map(|text| text.as_ptr() as usize).collect::<Vec<_>>())
}

/// Bytes, unchanged.
pub fn bytes(bytes: &[u8]) -> Result<Answer> {
    Ok(Answer(SmallVec::from_slice(bytes)))
}

/// The last three parameters of a query.
pub struct Request {
    /// Size of the place `value`, in bytes.
    pub size: usize,
    /// Receives the value.
    pub value: Out<c_void>,
    /// Receives its size.
    pub size_ret: Out<usize>,
}

impl Request {
    /// Passes the answer to the application.
    pub fn answer(self, Answer(bytes): Answer) -> Result<()> {
        ensure(self.value.is_null() || self.size >= bytes.len(), code::INVALID_VALUE)?;
        self.value.set_bytes(&bytes);
        self.size_ret.set(bytes.len());
        Ok(())
    }
}

/// Returns a list of handles or formats as `clGetDeviceIDs` and similar functions do: as many elements as
/// there is room for.
pub fn enumerate<T: Copy>(values: &[T], room: u32, out: Out<T>, count: Out<u32>) -> Result<()> {
    ensure(room > 0 || out.is_null(), code::INVALID_VALUE)?;
    for (index, &value) in values.iter().take(room as usize).enumerate() {
        out.set_at(index, value);
    }
    count.set(values.len() as u32);
    Ok(())
}
