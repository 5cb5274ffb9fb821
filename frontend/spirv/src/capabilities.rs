//! What a module declares: capabilities and extensions (SPIR-V §3.2.30 and §2.4).
//!
//! Not every capability that an instruction needs is asked for: many are declared by others that contain
//! them, and what is missing does not change what a module means. Checked are those that no other one
//! contains.

use crate::binary::Instruction;
use crate::error::Error;
use rspirv::dr::Operand;
use rspirv::grammar::INSTRUCTION_TABLE;
use rspirv::spirv::{Capability, LinkageType, Op};
use rustc_hash::FxHashSet;
use std::sync::LazyLock;

/// Capabilities that no other one contains. (Those of shaders are never there.)
const ALONE: &[Capability] = &[
    Capability::Matrix,
    Capability::Shader,
    Capability::BitInstructions,
    Capability::ExpectAssumeKHR,
    Capability::SubgroupShuffleINTEL,
    Capability::SubgroupBufferBlockIOINTEL,
    Capability::SubgroupImageBlockIOINTEL,
    Capability::AtomicFloat16AddEXT,
    Capability::AtomicFloat32AddEXT,
    Capability::AtomicFloat64AddEXT,
    Capability::AtomicFloat16MinMaxEXT,
    Capability::AtomicFloat32MinMaxEXT,
    Capability::AtomicFloat64MinMaxEXT,
];

/// What makes instructions known, if all of that is checked.
struct Needed {
    /// The first list is empty.
    lists: Vec<&'static [Capability]>,
    /// The list of each instruction, by number.
    of: Vec<u16>,
}

static NEEDED: LazyLock<Needed> = LazyLock::new(|| {
    let is_checked = |any: &[Capability]| !any.is_empty() && any.iter().all(|it| ALONE.contains(it));
    let rows = INSTRUCTION_TABLE.iter().filter(|row| is_checked(row.capabilities));
    // Cooperative matrices are multiplied by numbers, too. What only shaders have is not supported anyway.
    let rows =
        rows.filter(|row| row.opcode != Op::MatrixTimesScalar && row.capabilities != [Capability::Shader]);
    let mut needed = Needed { lists: vec![&[]], of: Vec::new() };
    for row in rows {
        let number = row.opcode as usize;
        needed.of.resize(needed.of.len().max(number + 1), 0);
        needed.of[number] = needed.lists.len() as u16;
        needed.lists.push(row.capabilities);
    }
    needed
});

/// What a module declares.
#[derive(Debug, Default)]
pub struct Declared {
    capabilities: FxHashSet<Capability>,
    extensions: FxHashSet<String>,
    /// Capabilities that need one of these extensions, with the instruction that declares them.
    demanded: Vec<(usize, u16, Capability)>,
}

impl Declared {
    /// `OpCapability`.
    pub fn add_capability(&mut self, capability: Capability, instruction: &Instruction<'_>) {
        self.capabilities.insert(capability);
        if ALONE.contains(&capability) {
            self.demanded.push((instruction.at, instruction.opcode, capability));
        }
    }

    /// `OpExtension`.
    pub fn add_extension(&mut self, name: String) {
        self.extensions.insert(name);
    }

    /// Whether the module declares a capability.
    pub fn has(&self, capability: Capability) -> bool {
        self.capabilities.contains(&capability)
    }

    /// Whether the module declares an extension.
    pub fn has_extension(&self, name: &str) -> bool {
        self.extensions.contains(name)
    }

    /// A capability that an instruction needs, if the module declares none of them.
    pub fn missing(&self, instruction: &Instruction<'_>) -> Option<Capability> {
        let needed = &*NEEDED;
        let list = *needed.of.get(usize::from(instruction.opcode))?;
        if list == 0 {
            return None;
        }
        let any = needed.lists[usize::from(list)];
        let is_there = any.iter().any(|capability| self.has(*capability));
        if is_there { None } else { any.last().copied() }
    }

    /// Checks that what a decoration with a linkage needs is declared.
    ///
    /// # Errors
    /// It is not.
    pub fn check_linkage(&self, decoration: &Instruction<'_>) -> Result<(), Error> {
        if !self.has(Capability::Linkage) {
            return Err(decoration.error("the module does not declare the capability Linkage"));
        }
        let linkage = decoration.string(2).1.first().copied().and_then(LinkageType::from_u32);
        let any = linkage.map(|linkage| Operand::LinkageType(linkage).required_extensions());
        match any.unwrap_or_default()[..] {
            [name] if !self.has_extension(name) => {
                Err(decoration.error(format!("the module does not declare the extension {name}")))
            }
            _ => Ok(()),
        }
    }

    /// Checks that the extensions are declared that add the capabilities.
    ///
    /// # Errors
    /// One is missing.
    pub fn check_extensions(&self) -> Result<(), Error> {
        for &(at, opcode, capability) in &self.demanded {
            let any = Operand::Capability(capability).required_extensions();
            if !any.is_empty() && !any.iter().any(|name| self.has_extension(name)) {
                let problem = format!("the module does not declare the extension {}", any[0]);
                return Err(Error::at(at, opcode, problem));
            }
        }
        Ok(())
    }
}
