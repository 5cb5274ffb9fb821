//! The numbers of specialisation constants.

/// The specialisation constants that every module shares, by `SpecId`; those of `__local` arguments follow.
#[derive(Clone, Copy, Debug)]
pub struct SpecConstants;

impl SpecConstants {
    /// Work-group size in x; y and z are the next two.
    pub const LOCAL_SIZE_X: u32 = 0;
    /// Work-group size in x that the launch asked for; y and z are the next two. It differs from
    /// [`Self::LOCAL_SIZE_X`] only in dispatches of the smaller groups at the ends of a launch.
    pub const ENQUEUED_LOCAL_SIZE_X: u32 = 3;
    /// First id that a `__local` argument may have.
    pub const FIRST_LOCAL_ARGUMENT: u32 = 6;
    /// What kernels with [`offset_mask`](crate::KernelInterface::offset_mask) mask their offsets with: all
    /// bits, unless the host sets it to 0 because all of them are 0. Far from the ids of `__local` arguments.
    pub const OFFSET_MASK: u32 = (1 << 16) + 1;
}
