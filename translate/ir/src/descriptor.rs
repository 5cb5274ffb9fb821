//! Descriptors as numbers: the low half is the binding, the high half the descriptor set. Our own launches
//! use set 0 only, so the number is the binding.

/// The number of a descriptor.
#[must_use]
pub const fn of(set: u32, binding: u32) -> u32 {
    set << 16 | binding
}

/// The set and the binding.
#[must_use]
pub const fn parts(descriptor: u32) -> (u32, u32) {
    (descriptor >> 16, descriptor & 0xffff)
}
