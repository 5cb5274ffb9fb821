//! Files of elements: NPY, or raw little-endian bytes.

use crate::failure::{Failure, Result};
use crate::number::ElementType;
use clvk::interface::ScalarType;
use ndarray::ArrayD;
use ndarray_npy::npy::header::Header;
use ndarray_npy::{ReadNpyError, ReadNpyExt, WriteNpyExt};
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

/// Runs a block with a type alias for an element type that NPY has.
macro_rules! with_npy_type {
    ($scalar:expr, $alias:ident => $body:expr) => {
        match $scalar {
            ScalarType::I8 => { type $alias = i8; $body }
            ScalarType::U8 => { type $alias = u8; $body }
            ScalarType::I16 => { type $alias = i16; $body }
            ScalarType::U16 => { type $alias = u16; $body }
            ScalarType::I32 => { type $alias = i32; $body }
            ScalarType::U32 => { type $alias = u32; $body }
            ScalarType::I64 => { type $alias = i64; $body }
            ScalarType::U64 => { type $alias = u64; $body }
            ScalarType::F32 => { type $alias = f32; $body }
            ScalarType::F64 => { type $alias = f64; $body }
            ScalarType::F16 | ScalarType::Opaque => Err(Failure::usage(
                "NPY files of half or of structures are not supported; use a file of raw bytes (any other ending)",
            )),
        }
    };
}

fn is_npy(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("npy"))
}

fn cannot(verb: &str, path: &Path, error: impl std::fmt::Display) -> Failure {
    Failure::usage(format!("cannot {verb} `{}`: {error}", path.display()))
}

/// Elements of a file.
pub struct Contents {
    /// Their bytes.
    pub bytes: Vec<u8>,
    /// Extent in each dimension, in elements.
    pub extents: Vec<u64>,
}

/// Whether the elements can be written to a file of this name.
pub fn check_type(path: &Path, element: ElementType) -> Result<()> {
    if is_npy(path) {
        with_npy_type!(element.scalar, T => Ok::<_, Failure>(size_of::<T>())).map(|_| ())
    } else {
        Ok(())
    }
}

/// Reads a file of at most `limit` bytes. Pipes and devices, which may never end, are refused.
pub fn read_bytes(path: &Path, limit: u64) -> Result<Vec<u8>> {
    let data = std::fs::metadata(path)
        .map_err(|error| cannot("read", path, format!("{error}; name an existing file")))?;
    if !data.is_file() {
        return Err(cannot("read", path, "it is not a regular file; name a file of elements"));
    }
    if data.len() > limit {
        let length = data.len();
        return Err(cannot(
            "read",
            path,
            format!("it holds {length} bytes, and at most {limit} can be used"),
        ));
    }
    std::fs::read(path).map_err(|error| cannot("read", path, error))
}

/// What a header may add to the bytes of an NPY file.
const MOST_HEADER: u64 = 1 << 16;

/// Reads the elements for a parameter, at most `limit` bytes.
pub fn read(path: &Path, element: ElementType, parameter: &str, limit: u64) -> Result<Contents> {
    let contents = if is_npy(path) {
        let bytes = read_bytes(path, limit.saturating_add(MOST_HEADER))?;
        with_npy_type!(element.scalar, T => read_npy::<T>(path, &bytes, element, parameter))?
    } else {
        let bytes = read_bytes(path, limit)?;
        let count = bytes.len() as u64 / u64::from(element.size().unwrap_or(1));
        Contents { bytes, extents: vec![count] }
    };
    let length = contents.bytes.len();
    if length == 0 {
        return Err(Failure::usage(format!(
            "`{}` holds no elements; a buffer needs at least one",
            path.display()
        )));
    }
    match element.size() {
        Some(size) if !length.is_multiple_of(size as usize) => Err(Failure::usage(format!(
            "`{}` holds {length} bytes, which is not a whole number of `{element}` ({size} bytes each) for {parameter}",
            path.display(),
        ))),
        _ => Ok(contents),
    }
}

fn read_npy<T>(path: &Path, bytes: &[u8], element: ElementType, parameter: &str) -> Result<Contents>
where
    T: ndarray_npy::ReadableElement + bytemuck::NoUninit,
{
    check_header(path, bytes, size_of::<T>())?;
    let array = ArrayD::<T>::read_npy(bytes).map_err(|error| match error {
        ReadNpyError::WrongDescriptor(found) => Failure::usage(format!(
            "`{}` holds elements of NPY type {found}, but {parameter} needs `{element}`; convert the file",
            path.display()
        )),
        error => cannot("read", path, error),
    })?;
    let mut extents: Vec<u64> = array.shape().iter().map(|&extent| extent as u64).collect();
    let lanes = u64::from(element.stride());
    if lanes > 1 {
        match extents.as_mut_slice() {
            [flat] if flat.is_multiple_of(lanes) => *flat /= lanes,
            [_, .., last] if *last == lanes => drop(extents.pop()),
            _ => {
                return Err(Failure::usage(format!(
                    "`{}` has the shape {:?}, but {parameter} needs `{element}`: a last dimension of {lanes}",
                    path.display(),
                    array.shape()
                )));
            }
        }
    }
    let array = array.as_standard_layout();
    let elements = array.as_slice().expect("standard layout is contiguous");
    Ok(Contents { bytes: bytemuck::cast_slice(elements).to_vec(), extents })
}

/// Checks what the library trusts: that the header is short and flat, and that the elements that it promises
/// are there.
fn check_header(path: &Path, bytes: &[u8], size: usize) -> Result<()> {
    let damaged = |what: &str| {
        cannot("read", path, format!("the NPY file {what}; write it again, for example with NumPy"))
    };
    // The text of the header follows 10 or 12 bytes and ends with a line feed; nothing in it is nested.
    let head = &bytes[..bytes.len().min(MOST_HEADER as usize)];
    let end =
        head.iter().skip(12).position(|byte| *byte == b'\n').map_or(head.len(), |position| position + 13);
    if head[..end].iter().filter(|byte| b"([{".contains(byte)).count() > 64 {
        return Err(damaged("has a damaged header"));
    }
    let mut rest = bytes;
    let header = Header::from_reader(&mut rest)
        .map_err(|error| damaged(&format!("has a damaged header ({error})")))?;
    let length = header.shape.iter().try_fold(size, |length, &extent| length.checked_mul(extent));
    // A wrong type is told by its name.
    let wrong_type = header.type_descriptor.as_string().is_none_or(|name| !name.ends_with(&size.to_string()));
    if wrong_type || length == Some(rest.len()) {
        return Ok(());
    }
    Err(damaged(&format!("has the shape {:?}, but {} bytes of elements", header.shape, rest.len())))
}

/// Writes elements; an NPY file gets this shape, in elements, with the lanes of a vector as the last
/// dimension.
pub fn write(path: &Path, element: ElementType, extents: &[u64], bytes: &[u8]) -> Result<()> {
    if is_npy(path) {
        let mut shape: Vec<usize> = extents.iter().map(|&extent| extent as usize).collect();
        if element.lanes > 1 {
            shape.push(element.stride() as usize);
        }
        return with_npy_type!(element.scalar, T => write_npy::<T>(path, shape, bytes));
    }
    std::fs::write(path, bytes).map_err(|error| cannot("write", path, error))
}

fn write_npy<T>(path: &Path, shape: Vec<usize>, bytes: &[u8]) -> Result<()>
where
    T: ndarray_npy::WritableElement + bytemuck::Pod,
{
    let elements: Vec<T> = bytemuck::pod_collect_to_vec(bytes);
    let array = ArrayD::from_shape_vec(shape, elements).expect("the buffer was made with this shape");
    let file = File::create(path).map_err(|error| cannot("write", path, error))?;
    array.write_npy(BufWriter::new(file)).map_err(|error| cannot("write", path, error))
}
