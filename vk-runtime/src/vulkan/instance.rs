//! The Vulkan loader and instance.

use crate::vulkan::error::{Error, Result};
use crate::vulkan::physical_device::{self, DeviceInfo};
use crate::vulkan::surface::WindowSystem;
use crate::vulkan::validation::{MessageLog, ValidationMessage};
use ash::vk;
use std::ffi::{CStr, c_char};
use std::sync::Arc;

/// Vulkan version up to which the crate knows features; devices may be newer.
pub(crate) const HIGHEST_KNOWN_VERSION: u32 = vk::API_VERSION_1_3;

const VALIDATION_LAYER: &CStr = c"VK_LAYER_KHRONOS_validation";

/// Extensions of devices that validation layers in use may not know, with the version of Vulkan's headers
/// that brought them.
const NEW_EXTENSIONS: &[(&CStr, u32)] = &[
    (vk::KHR_MAP_MEMORY2_NAME, vk::make_api_version(0, 1, 3, 244)),
    (ash::ext::map_memory_placed::NAME, vk::make_api_version(0, 1, 3, 274)),
];

/// What to ask of the instance.
#[derive(Clone, Debug, Default)]
pub struct InstanceOptions {
    /// Loads the Khronos validation layer, including synchronisation validation, and collects its messages
    /// ([`Instance::take_validation_messages`]). Slow; meant for tests.
    pub validation: bool,
    /// Enables what showing images in windows of a system needs ([`Presenter`](crate::Presenter)).
    pub presentation: Option<WindowSystem>,
}

/// The entry into Vulkan. Cloning is cheap and gives the same instance.
#[derive(Clone)]
pub struct Instance {
    handle: Arc<InstanceHandle>,
}

impl Instance {
    /// Loads the Vulkan library and creates an instance.
    ///
    /// # Errors
    /// [`Error::NoLoader`], [`Error::LoaderTooOld`], [`Error::NoDevice`] (no driver at all),
    /// [`Error::NoValidationLayer`], or another failure of Vulkan.
    pub fn new(options: &InstanceOptions) -> Result<Self> {
        Ok(Instance { handle: Arc::new(InstanceHandle::new(options)?) })
    }

    /// The highest version of Vulkan that the loader knows, as (major, minor, patch). No driver is loaded.
    ///
    /// # Errors
    /// [`Error::NoLoader`], or another failure of Vulkan.
    pub fn loader_version() -> Result<(u32, u32, u32)> {
        let version = version_of(&load()?)?;
        Ok((vk::api_version_major(version), vk::api_version_minor(version), vk::api_version_patch(version)))
    }

    /// Every device found, in order of preference: discrete, integrated, virtual, CPU, other. Devices that
    /// cannot be used are listed too, with the reason.
    ///
    /// # Errors
    /// [`Error::NoDevice`] when there is none.
    pub fn devices(&self) -> Result<Vec<DeviceInfo>> {
        physical_device::enumerate(&self.handle)
    }

    /// The device with this index in [`Instance::devices`], or else the first one whose name contains
    /// `query`, ignoring case.
    ///
    /// # Errors
    /// [`Error::UnknownDevice`], which lists the devices; [`Error::UnusableDevice`]; [`Error::NoDevice`].
    pub fn select(&self, query: &str) -> Result<DeviceInfo> {
        physical_device::select(self.devices()?, query)
    }

    /// The first usable device.
    ///
    /// # Errors
    /// [`Error::NoDevice`], or [`Error::UnusableDevice`] when none can be used.
    pub fn default_device(&self) -> Result<DeviceInfo> {
        physical_device::first_usable(self.devices()?)
    }

    pub(crate) fn handle(&self) -> &Arc<InstanceHandle> {
        &self.handle
    }

    /// The warnings and errors of the validation layer since the last call; empty without validation.
    #[must_use]
    pub fn take_validation_messages(&self) -> Vec<ValidationMessage> {
        self.handle.messages.take()
    }
}

/// Owner of a `VkInstance` and of its messenger.
pub(crate) struct InstanceHandle {
    raw: ash::Instance,
    has_surfaces: bool,
    /// For which version of Vulkan the validation layer was written, if it checks.
    checked_by: Option<u32>,
    messenger: Option<(ash::ext::debug_utils::Instance, vk::DebugUtilsMessengerEXT)>,
    // Dropped after the instance: the messenger writes to it, and the entry keeps the library loaded.
    messages: Box<MessageLog>,
    entry: ash::Entry,
}

impl InstanceHandle {
    fn new(options: &InstanceOptions) -> Result<Self> {
        let entry = load()?;
        if version_of(&entry)? < vk::API_VERSION_1_1 {
            return Err(Error::LoaderTooOld);
        }
        let messages = Box::<MessageLog>::default();
        let checked_by = options.validation.then(|| validation_layer_version(&entry)).transpose()?;
        let (raw, has_surfaces) = create_instance(&entry, options, &messages)?;
        let mut instance = InstanceHandle { raw, has_surfaces, checked_by, messenger: None, messages, entry };
        if options.validation {
            let debug_utils = ash::ext::debug_utils::Instance::new(&instance.entry, &instance.raw);
            // SAFETY: the extension was enabled; the log outlives the messenger (see `Drop`).
            let messenger = unsafe {
                debug_utils.create_debug_utils_messenger(&instance.messages.messenger_info(), None)
            }
            .map_err(Error::vulkan("create a debug messenger"))?;
            instance.messenger = Some((debug_utils, messenger));
        }
        Ok(instance)
    }

    /// Whether the validation layer, if there is one, knows an extension of devices. It reports the
    /// structures of others as errors.
    pub(crate) fn knows(&self, extension: &CStr) -> bool {
        let since = NEW_EXTENSIONS.iter().find(|(name, _)| *name == extension);
        since.is_none_or(|&(_, version)| self.checked_by.is_none_or(|layer| layer >= version))
    }

    pub(crate) fn entry(&self) -> &ash::Entry {
        &self.entry
    }

    pub(crate) fn raw(&self) -> &ash::Instance {
        &self.raw
    }

    /// Whether it was created for windows, and the loader has what they need.
    pub(crate) fn has_surfaces(&self) -> bool {
        self.has_surfaces
    }
}

impl Drop for InstanceHandle {
    fn drop(&mut self) {
        if let Some((debug_utils, messenger)) = self.messenger.take() {
            // SAFETY: created from this instance, used by nothing else.
            unsafe { debug_utils.destroy_debug_utils_messenger(messenger, None) }
        }
        // SAFETY: every device holds its instance, so none is left.
        unsafe { self.raw.destroy_instance(None) }
    }
}

/// Loads the loader.
fn load() -> Result<ash::Entry> {
    // SAFETY: the loader is the system's Vulkan library; it stays loaded as long as the entry lives.
    unsafe { ash::Entry::load() }.map_err(Error::NoLoader)
}

/// The highest version of Vulkan that the loader knows.
fn version_of(entry: &ash::Entry) -> Result<u32> {
    // SAFETY: the entry points are loaded.
    let version = unsafe { entry.try_enumerate_instance_version() };
    Ok(version.map_err(Error::vulkan("report its version"))?.unwrap_or(vk::API_VERSION_1_0))
}

fn create_instance(
    entry: &ash::Entry,
    options: &InstanceOptions,
    messages: &MessageLog,
) -> Result<(ash::Instance, bool)> {
    let application = vk::ApplicationInfo::default()
        .engine_name(c"clvk")
        .application_name(c"clvk")
        .api_version(HIGHEST_KNOWN_VERSION);
    let available = extension_names(entry, None)?;
    let mut extensions: Vec<*const c_char> = Vec::new();
    let mut flags = vk::InstanceCreateFlags::empty();
    if available.iter().any(|name| name.as_c_str() == ash::khr::portability_enumeration::NAME) {
        extensions.push(ash::khr::portability_enumeration::NAME.as_ptr());
        flags |= vk::InstanceCreateFlags::ENUMERATE_PORTABILITY_KHR;
    }
    let has = |extension: &CStr| available.iter().any(|name| name.as_c_str() == extension);
    let surfaces = options.presentation.map(|system| [ash::khr::surface::NAME, system.extension()]);
    let surfaces = surfaces.filter(|names| names.iter().all(|name| has(name)));
    extensions.extend(surfaces.iter().flatten().map(|name| name.as_ptr()));
    let mut layers: Vec<*const c_char> = Vec::new();
    let mut messenger = messages.messenger_info();
    let enabled = [vk::ValidationFeatureEnableEXT::SYNCHRONIZATION_VALIDATION];
    let mut features = vk::ValidationFeaturesEXT::default().enabled_validation_features(&enabled);
    let mut info = vk::InstanceCreateInfo::default();
    if options.validation {
        let of_layer = extension_names(entry, Some(VALIDATION_LAYER))?;
        layers.push(VALIDATION_LAYER.as_ptr());
        extensions.push(ash::ext::debug_utils::NAME.as_ptr());
        info = info.push_next(&mut messenger);
        if of_layer.iter().any(|name| name.as_c_str() == ash::ext::validation_features::NAME) {
            extensions.push(ash::ext::validation_features::NAME.as_ptr());
            info = info.push_next(&mut features);
        }
    }
    let info = info
        .flags(flags)
        .application_info(&application)
        .enabled_extension_names(&extensions)
        .enabled_layer_names(&layers);
    // SAFETY: all that `info` points to lives until the end of this function; the message log outlives the
    // instance.
    let raw = unsafe { entry.create_instance(&info, None) }.map_err(|result| match result {
        vk::Result::ERROR_INCOMPATIBLE_DRIVER => Error::NoDevice,
        vk::Result::ERROR_LAYER_NOT_PRESENT => Error::NoValidationLayer,
        other => Error::vulkan("create an instance")(other),
    })?;
    Ok((raw, surfaces.is_some()))
}

/// Names of the instance extensions of a layer, or of the loader and the drivers.
fn extension_names(entry: &ash::Entry, layer: Option<&CStr>) -> Result<Vec<std::ffi::CString>> {
    // SAFETY: the entry points are loaded, `layer` is null-terminated.
    let properties = unsafe { entry.enumerate_instance_extension_properties(layer) }
        .map_err(Error::vulkan("list the instance extensions"))?;
    Ok(properties.iter().filter_map(|p| p.extension_name_as_c_str().ok()).map(CStr::to_owned).collect())
}

/// The version of Vulkan that the validation layer was written for.
fn validation_layer_version(entry: &ash::Entry) -> Result<u32> {
    // SAFETY: the entry points are loaded.
    let layers = unsafe { entry.enumerate_instance_layer_properties() }
        .map_err(Error::vulkan("list the instance layers"))?;
    let layer = layers.iter().find(|layer| layer.layer_name_as_c_str() == Ok(VALIDATION_LAYER));
    layer.map(|layer| layer.spec_version).ok_or(Error::NoValidationLayer)
}
