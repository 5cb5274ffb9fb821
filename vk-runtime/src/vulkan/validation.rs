//! Messages of the Khronos validation layer.

use crate::vulkan::handle::lock;
use ash::vk;
use std::ffi::{CStr, c_void};
use std::sync::Mutex;

/// The severity of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValidationSeverity {
    /// Legal, but probably a mistake.
    Warning,
    /// Against the Vulkan specification.
    Error,
}

/// A warning or an error of the validation layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValidationMessage {
    /// Its severity.
    pub severity: ValidationSeverity,
    /// Its name: usually the valid-usage identifier.
    pub id: String,
    /// The whole text.
    pub text: String,
}

impl std::fmt::Display for ValidationMessage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?} {}: {}", self.severity, self.id, self.text)
    }
}

/// The log to which the messenger writes. Vulkan has its address, so it lives in a box.
#[derive(Default)]
pub(crate) struct MessageLog(Mutex<Vec<ValidationMessage>>);

impl MessageLog {
    /// Messages beyond this many are only traced, so that a run of millions of launches stays bounded.
    const CAPACITY: usize = 10_000;

    pub(crate) fn take(&self) -> Vec<ValidationMessage> {
        std::mem::take(&mut lock(&self.0))
    }

    fn push(&self, message: ValidationMessage) {
        tracing::error!(target: "vk_runtime::validation", "{message}");
        let mut messages = lock(&self.0);
        if messages.len() < Self::CAPACITY {
            messages.push(message);
        }
    }

    /// How to create a messenger that reports to this log.
    ///
    /// The log must outlive the messenger.
    pub(crate) fn messenger_info(&self) -> vk::DebugUtilsMessengerCreateInfoEXT<'static> {
        vk::DebugUtilsMessengerCreateInfoEXT::default()
            .message_severity(
                vk::DebugUtilsMessageSeverityFlagsEXT::WARNING | vk::DebugUtilsMessageSeverityFlagsEXT::ERROR,
            )
            // Without advice about speed: images stay in the layout `GENERAL`, because changing it costs a
            // full barrier.
            .message_type(vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION)
            .pfn_user_callback(Some(receive_message))
            .user_data(std::ptr::from_ref(self).cast_mut().cast())
    }
}

/// Called by the layer, on any thread that is inside a Vulkan function.
unsafe extern "system" fn receive_message(
    severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    _types: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    user_data: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: `user_data` is the log given in `messenger_info`, which outlives the messenger and is shared;
    // `data` is valid during the call, or null is tolerated by `as_ref`.
    let (log, data) = unsafe { (user_data.cast::<MessageLog>().as_ref(), data.as_ref()) };
    if let (Some(log), Some(data)) = (log, data) {
        let text = |pointer: *const std::ffi::c_char| {
            if pointer.is_null() {
                return String::new();
            }
            // SAFETY: Vulkan gives a null-terminated string that is valid during the call.
            unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned()
        };
        let severity = if severity.contains(vk::DebugUtilsMessageSeverityFlagsEXT::ERROR) {
            ValidationSeverity::Error
        } else {
            ValidationSeverity::Warning
        };
        log.push(ValidationMessage {
            severity,
            id: text(data.p_message_id_name),
            text: text(data.p_message),
        });
    }
    vk::FALSE
}
