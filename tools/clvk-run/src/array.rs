//! Files of elements: NPY, or raw little-endian bytes.

use crate::failure::{Failure, Result};
use crate::number::ElementType;
use clvk_interface::ScalarType;
use ndarray::ArrayD;
use ndarray_npy::{ReadNpyError, ReadNpyExt, WriteNpyExt};
use std::fs::File;
use std::io::{BufReader, BufWriter};
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

/// Reads the elements for a parameter: their bytes.
pub fn read(path: &Path, element: ElementType, parameter: &str) -> Result<Vec<u8>> {
    let bytes = if is_npy(path) {
        with_npy_type!(element.scalar, T => read_npy::<T>(path, element, parameter))?
    } else {
        std::fs::read(path).map_err(|error| cannot("read", path, error))?
    };
    if bytes.is_empty() {
        return Err(Failure::usage(format!(
            "`{}` holds no elements; a buffer needs at least one",
            path.display()
        )));
    }
    match element.size() {
        Some(size) if !bytes.len().is_multiple_of(size as usize) => Err(Failure::usage(format!(
            "`{}` holds {} bytes, which is no whole number of `{element}` ({size} bytes each) for {parameter}",
            path.display(),
            bytes.len()
        ))),
        _ => Ok(bytes),
    }
}

fn read_npy<T>(path: &Path, element: ElementType, parameter: &str) -> Result<Vec<u8>>
where
    T: ndarray_npy::ReadableElement + bytemuck::NoUninit,
{
    let file = File::open(path).map_err(|error| cannot("read", path, error))?;
    let array = ArrayD::<T>::read_npy(BufReader::new(file)).map_err(|error| match error {
        ReadNpyError::WrongDescriptor(found) => Failure::usage(format!(
            "`{}` holds elements of NPY type {found}, but {parameter} needs `{element}`; convert the file",
            path.display()
        )),
        error => cannot("read", path, error),
    })?;
    let lanes = u64::from(element.stride());
    if array.len() as u64 % lanes != 0 {
        return Err(Failure::usage(format!(
            "`{}` has the shape {:?}, which is no whole number of `{element}` ({lanes} scalars each) for {parameter}",
            path.display(),
            array.shape()
        )));
    }
    let array = array.as_standard_layout();
    Ok(bytemuck::cast_slice(array.as_slice().expect("standard layout is contiguous")).to_vec())
}

/// Writes elements; an NPY file gets this shape, in elements, with the lanes of a vector as the last dimension.
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
