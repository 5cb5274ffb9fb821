//! Platforms, and the lookup of functions by name.

use crate::border::{In, Out};
use crate::cl;
use crate::code::{self, ensure};
use crate::dispatch;
use crate::entry::{plain, status};
use crate::handle::Handle;
use crate::info::{self, Request};
use crate::object::platform::Platform;
use std::ffi::{c_char, c_void};

status! {
    /// `clGetPlatformIDs`.
    fn clGetPlatformIDs(num_entries: u32, platforms: Out<Handle<Platform>>, num_platforms: Out<u32>) {
        ensure(!platforms.is_null() || !num_platforms.is_null(), code::INVALID_VALUE)?;
        info::enumerate(&[Handle::of(Platform::get())], num_entries, platforms, num_platforms)
    }

    /// `clIcdGetPlatformIDsKHR`, which the loader calls. A platform without devices is not listed.
    fn clIcdGetPlatformIDsKHR(num_entries: u32, platforms: Out<Handle<Platform>>, num_platforms: Out<u32>) {
        ensure(!platforms.is_null() || !num_platforms.is_null(), code::INVALID_VALUE)?;
        ensure(!Platform::get().devices().is_empty(), code::PLATFORM_NOT_FOUND)?;
        info::enumerate(&[Handle::of(Platform::get())], num_entries, platforms, num_platforms)
    }

    /// `clGetPlatformInfo`.
    fn clGetPlatformInfo(
        platform: Handle<Platform>,
        name: cl::cl_platform_info,
        size: usize,
        value: Out<c_void>,
        size_ret: Out<usize>,
    ) {
        Request { size, value, size_ret }.answer(Platform::of(platform)?.query(name)?)
    }

    /// `clUnloadPlatformCompiler`: there is nothing to unload.
    fn clUnloadPlatformCompiler(platform: Handle<Platform>) {
        platform.get().map(drop)
    }

    /// `clUnloadCompiler`.
    fn clUnloadCompiler() {
        Ok(())
    }
}

plain! {
    /// `clGetExtensionFunctionAddress`.
    fn clGetExtensionFunctionAddress(name: In<c_char>) -> *mut c_void {
        Ok(dispatch::extension_function(&name.text().unwrap_or_default()).cast_mut())
    }

    /// `clGetExtensionFunctionAddressForPlatform`.
    fn clGetExtensionFunctionAddressForPlatform(
        platform: Handle<Platform>,
        name: In<c_char>,
    ) -> *mut c_void {
        platform.get()?;
        Ok(dispatch::extension_function(&name.text().unwrap_or_default()).cast_mut())
    }
}
