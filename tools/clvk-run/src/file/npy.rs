//! NPY files (NumPy's format for one array).

use super::{Contents, Form, cannot, in_elements, name_of, read_bytes, write_bytes};
use crate::failure::{Failure, Result};
use crate::number::ElementType;
use clvk::interface::ScalarType;
use ndarray::ArrayD;
use ndarray_npy::npy::header::Header;
use ndarray_npy::{ReadNpyError, ReadNpyExt, ReadableElement, WritableElement, WriteNpyExt};
use num_complex::Complex;
use std::fmt::Display;
use std::path::{Path, PathBuf};

/// Runs a block with a type alias for an element type that NPY has.
macro_rules! with_npy_type {
    ($scalar:expr, $alias:ident => $body:expr) => {
        match $scalar {
            ScalarType::I8 => {
                type $alias = i8;
                $body
            }
            ScalarType::U8 => {
                type $alias = u8;
                $body
            }
            ScalarType::I16 => {
                type $alias = i16;
                $body
            }
            ScalarType::U16 => {
                type $alias = u16;
                $body
            }
            ScalarType::I32 => {
                type $alias = i32;
                $body
            }
            ScalarType::U32 => {
                type $alias = u32;
                $body
            }
            ScalarType::I64 => {
                type $alias = i64;
                $body
            }
            ScalarType::U64 => {
                type $alias = u64;
                $body
            }
            ScalarType::F32 => {
                type $alias = f32;
                $body
            }
            ScalarType::F64 => {
                type $alias = f64;
                $body
            }
            // The library knows no half: its bits are read and written as integers, see `rename`.
            ScalarType::F16 => {
                type $alias = u16;
                $body
            }
            ScalarType::Opaque => Err(Failure::usage(
                "NPY files of structures are not supported; use a file of raw bytes (`.bin`)",
            )),
        }
    };
}

/// What a header may add to the bytes of a file.
pub const MOST_HEADER: u64 = 1 << 16;

/// Whether bytes are those of an NPY file.
pub fn is_npy(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x93NUMPY")
}

/// Whether NPY has elements of this type.
pub fn check(element: ElementType) -> Result<()> {
    with_npy_type!(element.scalar, T => Ok::<_, Failure>(size_of::<T>())).map(|_| ())
}

/// Reads the elements for a parameter.
pub fn read(path: &Path, bytes: &[u8], element: ElementType, parameter: &str) -> Result<Contents> {
    let complex = check_header(path, bytes)?;
    if complex.is_some() && element.lanes == 2 {
        match element.scalar {
            ScalarType::F32 => return read_as::<Complex<f32>>(path, bytes, element, parameter, true),
            ScalarType::F64 => return read_as::<Complex<f64>>(path, bytes, element, parameter, true),
            _ => {}
        }
    }
    if element.scalar == ScalarType::F16 {
        let mut renamed = bytes.to_vec();
        if !rename(&mut renamed, b"f2'", b"u2'") {
            let header = Header::from_reader(&mut &bytes[..]).map_err(|error| cannot("read", path, error))?;
            return Err(wrong_type(path, header.type_descriptor, element, parameter));
        }
        return read_as::<u16>(path, &renamed, element, parameter, false);
    }
    with_npy_type!(element.scalar, T => read_as::<T>(path, bytes, element, parameter, false))
}

/// Renames the type in a header to another one of the same size; gives whether it was there.
fn rename(bytes: &mut [u8], from: &[u8; 3], to: &[u8; 3]) -> bool {
    let end = bytes.len().min(MOST_HEADER as usize);
    let header = bytes[..end].split(|&byte| byte == b'\n').next().map_or(0, <[u8]>::len);
    let Some(position) = bytes[..header].windows(3).position(|window| window == from) else { return false };
    bytes[position..position + 3].copy_from_slice(to);
    true
}

/// The elements are of a type that does not suit.
fn wrong_type(path: &Path, found: impl Display, element: ElementType, parameter: &str) -> Failure {
    Failure::usage(format!(
        "{} holds elements of NPY type {found}, but {parameter} needs `{element}`; convert the file",
        name_of(path, "read")
    ))
}

fn read_as<T>(
    path: &Path,
    bytes: &[u8],
    element: ElementType,
    parameter: &str,
    complex: bool,
) -> Result<Contents>
where
    T: ReadableElement + bytemuck::NoUninit,
{
    let array = ArrayD::<T>::read_npy(bytes).map_err(|error| match error {
        ReadNpyError::WrongDescriptor(found) => wrong_type(path, found, element, parameter),
        error => cannot("read", path, error),
    })?;
    let shape: Vec<u64> = array.shape().iter().map(|&extent| extent as u64).collect();
    let extents = if complex { Some(shape.clone()) } else { in_elements(&shape, element) };
    let extents = extents.ok_or_else(|| {
        Failure::usage(format!(
            "`{}` has the shape {shape:?}, but {parameter} needs `{element}`: a last dimension of {}",
            path.display(),
            element.stride()
        ))
    })?;
    let array = array.as_standard_layout();
    let elements = array.as_slice().expect("standard layout is contiguous");
    let form = Form { shape: Some(shape), complex };
    Ok(Contents { bytes: bytemuck::cast_slice(elements).to_vec(), extents, form })
}

/// An array of any type.
pub struct Array {
    /// Its file.
    pub path: PathBuf,
    /// Extent in each dimension.
    pub shape: Vec<u64>,
    /// Type of its elements.
    pub scalar: ScalarType,
    /// Their bytes.
    pub bytes: Vec<u8>,
}

/// Elements of arrays that [`read_any`] takes.
const SCALARS: &[(&str, ScalarType)] = &[
    ("i1", ScalarType::I8),
    ("u1", ScalarType::U8),
    ("i2", ScalarType::I16),
    ("u2", ScalarType::U16),
    ("i4", ScalarType::I32),
    ("u4", ScalarType::U32),
    ("i8", ScalarType::I64),
    ("u8", ScalarType::U64),
    ("f2", ScalarType::F16),
    ("f4", ScalarType::F32),
    ("f8", ScalarType::F64),
];

/// Reads an array, whatever it holds.
pub fn read_any(path: &Path) -> Result<Array> {
    let bytes = read_bytes(path, MOST_BYTES)?;
    check_header(path, &bytes)?;
    let header = Header::from_reader(&mut bytes.as_slice()).map_err(|error| cannot("read", path, error))?;
    let name = header.type_descriptor.as_string().map_or("", String::as_str);
    let known = SCALARS.iter().find(|(known, _)| name.trim_start_matches(['<', '>', '|', '=']) == *known);
    let &(_, scalar) = known.ok_or_else(|| {
        cannot("read", path, format!("it holds elements of NPY type '{name}'; convert the file"))
    })?;
    let element = ElementType { scalar, lanes: 1 };
    let Contents { bytes, extents, .. } = read(path, &bytes, element, "an image")?;
    Ok(Array { path: path.to_owned(), shape: extents, scalar, bytes })
}

/// Bytes that an array for an image may have: as many as the largest picture.
const MOST_BYTES: u64 = 1 << 32;

/// Checks what the library trusts: that the header is short and flat, and that the elements that it promises
/// are there. Gives the descriptor of complex numbers if it has them.
fn check_header(path: &Path, bytes: &[u8]) -> Result<Option<String>> {
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
    let name = header.type_descriptor.as_string();
    // The size of a number ends its name; a type that is not a number is refused by its name later.
    let digits = name.and_then(|name| {
        name.trim_start_matches(['<', '>', '|', '=']).strip_prefix(['i', 'u', 'f', 'c', 'b'])
    });
    if let Some(Ok(size)) = digits.map(str::parse::<usize>) {
        let length = header.shape.iter().try_fold(size, |length, &extent| length.checked_mul(extent));
        if length != Some(rest.len()) {
            return Err(damaged(&format!(
                "has the shape {:?}, but {} bytes of elements",
                header.shape,
                rest.len()
            )));
        }
    }
    Ok(name.filter(|name| name.contains('c')).cloned())
}

/// Writes elements; the file gets the shape of the form, else their extents with the lanes of a vector as the
/// last dimension.
pub fn write(path: &Path, element: ElementType, extents: &[u64], form: &Form, bytes: &[u8]) -> Result<()> {
    let mut shape = form.shape.clone().unwrap_or_else(|| extents.to_vec());
    if form.shape.is_none() && element.lanes > 1 {
        shape.push(element.stride().into());
    }
    let shape: Vec<usize> = shape.iter().map(|&extent| extent as usize).collect();
    match (form.complex, element.scalar) {
        (true, ScalarType::F32) => write_as::<Complex<f32>>(path, shape, bytes, false),
        (true, ScalarType::F64) => write_as::<Complex<f64>>(path, shape, bytes, false),
        (_, scalar) => {
            with_npy_type!(scalar, T => write_as::<T>(path, shape, bytes, scalar == ScalarType::F16))
        }
    }
}

fn write_as<T>(path: &Path, shape: Vec<usize>, bytes: &[u8], is_half: bool) -> Result<()>
where
    T: WritableElement + bytemuck::AnyBitPattern + bytemuck::NoUninit,
{
    let elements: Vec<T> = bytemuck::pod_collect_to_vec(bytes);
    let array = ArrayD::from_shape_vec(shape, elements).expect("the buffer was made with this shape");
    let mut file = Vec::with_capacity(bytes.len() + 128);
    array.write_npy(&mut file).map_err(|error| cannot("write", path, error))?;
    if is_half {
        rename(&mut file, b"u2'", b"f2'");
    }
    write_bytes(path, &file)
}
