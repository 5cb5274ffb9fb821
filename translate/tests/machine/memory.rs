//! The memory of a launch: objects in one 64-bit address space.
//!
//! Objects are far apart, and inside most of them the low word of an address wraps, so arithmetic that loses
//! a carry or leaves an object reaches no memory. Address 0 is not in an object.

use super::Fault;

/// log2 of the distance between the addresses of two objects.
const SPACING: u32 = 33;
/// The offset of an object in its part of the address space.
const START: u64 = 0xffff_ff80;

/// The language's kind of an object, with the number that `PointerSpace` returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Private = 0,
    Local = 1,
    Global = 2,
    /// A read-only table.
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
    /// Adds an object; returns its address.
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

    /// The kind of memory that an address points into.
    pub fn kind(&self, address: u64) -> Result<Kind, Fault> {
        Ok(self.objects[self.find(address, 0)?.0].kind)
    }

    /// Bytes of an object.
    pub fn read(&self, address: u64, size: usize) -> Result<&[u8], Fault> {
        let (object, offset) = self.find(address, size)?;
        Ok(&self.objects[object].bytes[offset..offset + size])
    }

    /// Sets some of an object's initial bytes.
    pub fn initialize(&mut self, address: u64, bytes: &[u8]) -> Result<(), Fault> {
        let (object, offset) = self.find(address, bytes.len())?;
        self.objects[object].bytes[offset..offset + bytes.len()].copy_from_slice(bytes);
        Ok(())
    }

    /// Bytes of an object, for writing.
    pub fn write(&mut self, address: u64, size: usize) -> Result<&mut [u8], Fault> {
        let (object, offset) = self.find(address, size)?;
        let object = &mut self.objects[object];
        if object.kind == Kind::Constant {
            return Err("a table of constants is written".to_owned());
        }
        Ok(&mut object.bytes[offset..offset + size])
    }
}
