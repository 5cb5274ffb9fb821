//! Windows to show images in.

use crate::vulkan::error::{Error, Result};
use crate::vulkan::instance::{Instance, InstanceHandle};
use crate::vulkan::physical_device::DeviceInfo;
use ash::{ext, khr, vk};
use raw_window_handle::{HasDisplayHandle, HasWindowHandle, RawDisplayHandle};
use std::any::Any;
use std::ffi::CStr;
use std::fmt;
use std::sync::Arc;

/// A system that has windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum WindowSystem {
    Android,
    Metal,
    Wayland,
    Windows,
    Xcb,
    Xlib,
}

impl WindowSystem {
    /// The system of a display connection; `None` if Vulkan has no windows there.
    pub fn of(display: &impl HasDisplayHandle) -> Option<Self> {
        Some(match display.display_handle().ok()?.as_raw() {
            RawDisplayHandle::Android(_) => WindowSystem::Android,
            RawDisplayHandle::AppKit(_) | RawDisplayHandle::UiKit(_) => WindowSystem::Metal,
            RawDisplayHandle::Wayland(_) => WindowSystem::Wayland,
            RawDisplayHandle::Windows(_) => WindowSystem::Windows,
            RawDisplayHandle::Xcb(_) => WindowSystem::Xcb,
            RawDisplayHandle::Xlib(_) => WindowSystem::Xlib,
            _ => return None,
        })
    }

    /// The instance extension for its windows.
    pub(crate) fn extension(self) -> &'static CStr {
        match self {
            WindowSystem::Android => khr::android_surface::NAME,
            WindowSystem::Metal => ext::metal_surface::NAME,
            WindowSystem::Wayland => khr::wayland_surface::NAME,
            WindowSystem::Windows => khr::win32_surface::NAME,
            WindowSystem::Xcb => khr::xcb_surface::NAME,
            WindowSystem::Xlib => khr::xlib_surface::NAME,
        }
    }
}

/// A window as Vulkan sees it. It keeps the window alive.
pub struct Surface {
    raw: vk::SurfaceKHR,
    functions: khr::surface::Instance,
    instance: Arc<InstanceHandle>,
    // Dropped after the surface, which refers to it.
    _window: Arc<dyn Any + Send + Sync>,
}

/// What a surface offers to a device.
pub(crate) struct SurfaceSupport {
    pub(crate) capabilities: vk::SurfaceCapabilitiesKHR,
    pub(crate) formats: Vec<vk::SurfaceFormatKHR>,
    pub(crate) modes: Vec<vk::PresentModeKHR>,
}

impl Surface {
    /// The surface of a window of any library that implements the traits of `raw-window-handle`, on an
    /// instance that was made for windows
    /// ([`InstanceOptions::presentation`](crate::InstanceOptions::presentation)).
    ///
    /// # Errors
    /// [`Error::NoSurface`] if the instance cannot show images in windows of this system, or a failure of
    /// Vulkan.
    pub fn new<W>(instance: &Instance, window: Arc<W>) -> Result<Self>
    where
        W: HasDisplayHandle + HasWindowHandle + Send + Sync + 'static,
    {
        let handle = instance.handle();
        if !handle.has_surfaces() {
            return Err(Error::NoSurface(
                "the Vulkan loader or driver has no windows of this system".to_owned(),
            ));
        }
        let unavailable = |error: raw_window_handle::HandleError| Error::NoSurface(error.to_string());
        let display = window.display_handle().map_err(unavailable)?.as_raw();
        let raw_window = window.window_handle().map_err(unavailable)?.as_raw();
        // SAFETY: the handles are of a display connection and a window that live as long as `window`, which
        // the surface keeps. `create_surface` needs the extension of the window system, whose absence it
        // reports.
        let raw =
            unsafe { ash_window::create_surface(handle.entry(), handle.raw(), display, raw_window, None) }
                .map_err(|result| match result {
                    vk::Result::ERROR_EXTENSION_NOT_PRESENT => {
                        Error::NoSurface("the Vulkan loader does not support this window system".to_owned())
                    }
                    other => Error::vulkan("make a surface of the window")(other),
                })?;
        let functions = khr::surface::Instance::new(handle.entry(), handle.raw());
        Ok(Surface { raw, functions, instance: Arc::clone(handle), _window: window })
    }

    pub(crate) fn raw(&self) -> vk::SurfaceKHR {
        self.raw
    }

    /// Whether it is of the instance that a device is of.
    pub(crate) fn is_of(&self, device: &DeviceInfo) -> bool {
        Arc::ptr_eq(&self.instance, &device.instance)
    }

    /// What the surface offers to a device, whose queue family this is; `None` if the family cannot show
    /// images there.
    pub(crate) fn support(&self, device: &DeviceInfo, family: u32) -> Result<Option<SurfaceSupport>> {
        let failed = "ask what the window supports";
        // SAFETY: surface and device are of the same instance (`is_of`), and the family is of the device.
        let supported =
            unsafe { self.functions.get_physical_device_surface_support(device.handle, family, self.raw) }
                .map_err(Error::vulkan(failed))?;
        if !supported {
            return Ok(None);
        }
        // SAFETY: as before.
        let capabilities =
            unsafe { self.functions.get_physical_device_surface_capabilities(device.handle, self.raw) }
                .map_err(Error::vulkan(failed))?;
        // SAFETY: as before.
        let formats = unsafe { self.functions.get_physical_device_surface_formats(device.handle, self.raw) }
            .map_err(Error::vulkan(failed))?;
        // SAFETY: as before.
        let modes =
            unsafe { self.functions.get_physical_device_surface_present_modes(device.handle, self.raw) }
                .map_err(Error::vulkan(failed))?;
        Ok(Some(SurfaceSupport { capabilities, formats, modes }))
    }
}

impl Drop for Surface {
    fn drop(&mut self) {
        // SAFETY: this is the only owner, and every swapchain that was made of it holds it.
        unsafe { self.functions.destroy_surface(self.raw, None) }
    }
}

impl fmt::Debug for Surface {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Surface")
    }
}
