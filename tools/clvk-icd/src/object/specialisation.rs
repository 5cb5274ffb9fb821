//! Values of specialisation constants (`clSetProgramSpecializationConstant`).
//!
//! A module of SPIR-V says which constants it has. Those of a source in OpenCL C++ are known when it was
//! compiled: until then every ID is taken, and a build fails if the source lacks a constant that is set.

use crate::border::In;
use crate::code::{self, Result, ensure};
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::fmt::Write as _;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Most bytes of a constant, which is a scalar.
const LARGEST: usize = 8;

/// What the constants of a program are set to, for the builds that follow.
#[derive(Default)]
pub struct Specialisation {
    /// Size in bytes and bits, by ID.
    set: Mutex<BTreeMap<u32, (usize, u64)>>,
}

impl Specialisation {
    /// Sets a constant. `known` has the IDs and sizes of all constants, if they are known:
    /// `CL_INVALID_SPEC_ID`, `CL_INVALID_VALUE`.
    pub fn set(&self, known: Option<&[(u32, u32)]>, id: u32, size: usize, value: In<c_void>) -> Result<()> {
        if let Some(known) = known {
            let found = known.iter().find(|(known, _)| *known == id);
            let &(_, known) = found.ok_or(code::INVALID_SPEC_ID)?;
            ensure(size == known as usize, code::INVALID_VALUE)?;
        }
        ensure(size.is_power_of_two() && size <= LARGEST, code::INVALID_VALUE)?;
        let value = value.bytes(size).ok_or(code::INVALID_VALUE)?;
        let mut bits = [0; LARGEST];
        bits[..size].copy_from_slice(&value);
        self.lock().insert(id, (size, u64::from_le_bytes(bits)));
        Ok(())
    }

    /// The constants that are set, and their bits.
    pub fn bits(&self) -> Vec<(u32, u64)> {
        self.lock().iter().map(|(&id, &(_, bits))| (id, bits)).collect()
    }

    /// What is wrong with the constants that are set for a program with these (ID and size); empty if nothing
    /// is.
    pub fn problems(&self, known: &[(u32, u32)]) -> String {
        let mut text = String::new();
        for (id, (size, _)) in &*self.lock() {
            let problem = match known.iter().find(|(known, _)| known == id) {
                None => format!("the program has no specialisation constant {id}, which is set"),
                Some((_, known)) if *known as usize != *size => {
                    format!(
                        "the specialisation constant {id} has {known} bytes, and is set to a value of {size}"
                    )
                }
                Some(_) => continue,
            };
            writeln!(text, "error: {problem}").expect("a String takes everything");
        }
        text
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<u32, (usize, u64)>> {
        self.set.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a source may have specialisation constants: they come with a header.
pub fn may_have_constants(source: &str) -> bool {
    let text = source.replace("\\\r\n", "").replace("\\\n", "");
    ["include", "spec_constant"].iter().any(|word| text.contains(word))
}
