//! A word that is always 0, which no driver knows: what passes hide values behind.
//!
//! In a kernel it is a push constant, whose place is in the kernel's interface. A function that stays
//! ([`super::keep_calls`]) takes it as its first parameter.

use clvk_interface::{DeviceProfile, ModuleInterface, Quirk};
use clvk_ir::{Function, Op, Value};

/// Whether a pass hides anything from the device's driver. The query
/// [`WorkItemQuery::Zero`](clvk_ir::WorkItemQuery) is answered only there.
pub fn is_wanted(profile: &DeviceProfile) -> bool {
    let hidden = [
        Quirk::ValueRanges,
        Quirk::LoopResults,
        Quirk::ReassociatedFloats,
        Quirk::CountedIndices,
        Quirk::LoopsEnd,
    ];
    hidden.into_iter().any(|quirk| profile.has(quirk))
}

/// Where a function has the word.
#[derive(Clone, Copy)]
pub enum Zero {
    /// At this offset in the push constants.
    PushConstant(u32),
    /// In a parameter.
    Param(Value),
}

impl Zero {
    /// Where a function has it, on a device for which it is wanted.
    pub fn of(function: &Function, interface: &ModuleInterface) -> Option<Zero> {
        match function.kernel {
            Some(_) => interface.kernel(&function.name)?.zero.map(Zero::PushConstant),
            None => function.params.first().copied().map(Zero::Param),
        }
    }

    /// The word, read by the instruction that `push` adds if it needs one.
    pub fn read(self, push: impl FnOnce(Op) -> Value) -> Value {
        match self {
            Zero::PushConstant(offset) => push(Op::PushConstant { offset }),
            Zero::Param(value) => value,
        }
    }
}
