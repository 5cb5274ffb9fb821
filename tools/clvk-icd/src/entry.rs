//! How entry points are defined: no panic crosses the border, and results become codes.
//!
//! [`status!`] defines functions that return a code, [`creation!`] functions that return something and take
//! `errcode_ret` last. Each has two symbols. The one in the dispatch tables has a Rust name. The other one is
//! exported under OpenCL's name, for applications that link with this library as libOpenCL, and calls the
//! first. If the tables held the exported ones, the loader's functions of the same names could replace them
//! in a process that has both.

use crate::border::Out;
use crate::cl::{CL_SUCCESS, cl_int};
use crate::code::{self, Result};
use crate::handle::Handle;
use crate::object::moves;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs an entry point that returns a code.
pub fn run_status(name: &'static str, work: impl FnOnce() -> Result<()>) -> cl_int {
    match guarded(name, work) {
        Ok(()) => CL_SUCCESS,
        Err(code) => code.0,
    }
}

/// Runs an entry point that returns something.
pub fn run_creation<T: Nothing>(
    name: &'static str,
    errcode_ret: Out<cl_int>,
    work: impl FnOnce() -> Result<T>,
) -> T {
    let (result, code) = match guarded(name, work) {
        Ok(result) => (result, CL_SUCCESS),
        Err(code) => (T::NOTHING, code.0),
    };
    errcode_ret.set(code);
    result
}

fn guarded<T>(name: &'static str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    // Panics are bugs of the driver, and the hook has written the message. Locks stay usable.
    let result = catch_unwind(AssertUnwindSafe(work)).unwrap_or(Err(code::OUT_OF_HOST_MEMORY));
    if let Err(code) = &result {
        tracing::debug!("{name} fails with {}", code.0);
        // The command that needed moves is not enqueued, and others may wait for these.
        moves::settle();
    }
    result
}

/// The value that is returned if there is nothing to return.
pub trait Nothing {
    /// Null.
    const NOTHING: Self;
}

impl<T> Nothing for Handle<T> {
    const NOTHING: Self = Handle::NULL;
}

impl Nothing for () {
    const NOTHING: Self = ();
}

impl Nothing for *mut c_void {
    const NOTHING: Self = std::ptr::null_mut();
}

/// Defines entry points that return a code.
macro_rules! status {
    ($($(#[$meta:meta])* fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $body:block)*) => {
        $(
            $(#[$meta])*
            #[inline(never)]
            #[allow(clippy::too_many_arguments)]
            pub extern "C" fn $name($($arg: $ty),*) -> crate::cl::cl_int {
                crate::entry::run_status(stringify!($name), move || $body)
            }

            const _: () = {
                #[unsafe(no_mangle)]
                #[allow(clippy::too_many_arguments)]
                extern "C" fn $name($($arg: $ty),*) -> crate::cl::cl_int {
                    self::$name($($arg),*)
                }
            };
        )*
    };
}
pub(crate) use status;

/// Defines entry points that return something and have `errcode_ret` as their last parameter.
macro_rules! creation {
    ($($(#[$meta:meta])* fn $name:ident($($arg:ident: $ty:ty),* $(,)?) -> $result:ty $body:block)*) => {
        $(
            $(#[$meta])*
            #[inline(never)]
            #[allow(clippy::too_many_arguments)]
            pub extern "C" fn $name(
                $($arg: $ty,)* errcode_ret: crate::border::Out<crate::cl::cl_int>
            ) -> $result {
                crate::entry::run_creation(stringify!($name), errcode_ret, move || $body)
            }

            const _: () = {
                #[unsafe(no_mangle)]
                #[allow(clippy::too_many_arguments)]
                extern "C" fn $name(
                    $($arg: $ty,)* errcode_ret: crate::border::Out<crate::cl::cl_int>
                ) -> $result {
                    self::$name($($arg,)* errcode_ret)
                }
            };
        )*
    };
}
pub(crate) use creation;

/// Defines entry points that return something and cannot report an error.
macro_rules! plain {
    ($($(#[$meta:meta])* fn $name:ident($($arg:ident: $ty:ty),* $(,)?) -> $result:ty $body:block)*) => {
        $(
            $(#[$meta])*
            #[inline(never)]
            #[allow(clippy::too_many_arguments)]
            pub extern "C" fn $name($($arg: $ty),*) -> $result {
                crate::entry::run_value(stringify!($name), move || $body)
            }

            const _: () = {
                #[unsafe(no_mangle)]
                #[allow(clippy::too_many_arguments)]
                extern "C" fn $name($($arg: $ty),*) -> $result {
                    self::$name($($arg),*)
                }
            };
        )*
    };
}
pub(crate) use plain;

/// Runs an entry point that cannot report an error.
pub fn run_value<T: Nothing>(name: &'static str, work: impl FnOnce() -> Result<T>) -> T {
    guarded(name, work).unwrap_or(T::NOTHING)
}
