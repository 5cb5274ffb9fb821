//! The memory of a launch: objects in one address space of 64 bits.
//!
//! Objects lie far apart, and the low word of an address wraps round inside most of them, so that arithmetic
//! that loses a carry or leaves an object reaches nothing. No object holds address 0.

use super::Fault;

/// log2 of the distance between the addresses of two objects.
const SPACING: u32 = 33;
/// Where in its part of the address space an object begins.
const START: u64 = 0xffff_ff80;

/// What an object is in the terms of the language, with the number that `PointerSpace` gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Private = 0,
    Local = 1,
    Global = 2,
    /// A table that nothing writes.
    Constant = 3,
}

struct Object {
    kind: Kind,
    bytes: Vec<u8>,
}

/// All objects of a launch.
#[derive(Default)]
pub struct Memory {
    objects: Vec<Object>,
}

impl Memory {
    /// Adds an object; gives its address.
    pub fn add(&mut self, kind: Kind, bytes: Vec<u8>) -> u64 {
        self.objects.push(Object { kind, bytes });
        ((self.objects.len() as u64) << SPACING) + START
    }

    fn find(&self, address: u64, size: usize) -> Result<(usize, usize), Fault> {
        let outside = || format!("an access of {size} bytes at {address:#x} is in no object");
        let object = (address >> SPACING).checked_sub(1).ok_or_else(outside)? as usize;
        let length = self.objects.get(object).ok_or_else(outside)?.bytes.len();
        let offset = (address & ((1 << SPACING) - 1)) as i64 - START as i64;
        let inside = usize::try_from(offset).is_ok_and(|offset| offset + size <= length);
        if inside {
            return Ok((object, offset as usize));
        }
        Err(format!("an access of {size} bytes at offset {offset} of an object of {length} bytes"))
    }

    /// What kind of memory an address points into.
    pub fn kind(&self, address: u64) -> Result<Kind, Fault> {
        Ok(self.objects[self.find(address, 0)?.0].kind)
    }

    /// Bytes of an object.
    pub fn read(&self, address: u64, size: usize) -> Result<&[u8], Fault> {
        let (object, offset) = self.find(address, size)?;
        Ok(&self.objects[object].bytes[offset..offset + size])
    }

    /// Gives an object some of the bytes that it starts with.
    pub fn initialize(&mut self, address: u64, bytes: &[u8]) -> Result<(), Fault> {
        let (object, offset) = self.find(address, bytes.len())?;
        self.objects[object].bytes[offset..offset + bytes.len()].copy_from_slice(bytes);
        Ok(())
    }

    /// Bytes of an object, to be changed.
    pub fn write(&mut self, address: u64, size: usize) -> Result<&mut [u8], Fault> {
        let (object, offset) = self.find(address, size)?;
        let object = &mut self.objects[object];
        if object.kind == Kind::Constant {
            return Err("a table of constants is written".to_owned());
        }
        Ok(&mut object.bytes[offset..offset + size])
    }
}
