//! Semaphores that are shared with other users of Vulkan, in this process or others.
//!
//! Such a semaphore is one of Vulkan: a submission waits for it or signals it. A signal is submitted as soon
//! as what it waits for allows. Vulkan demands that a wait is submitted after its signal, so a wait is
//! recorded after the signals that were enqueued before and may concern it: those of the same semaphore, and
//! those of others that share its payload, as far as files tell. Where another user signals, the application
//! must enqueue the wait after the other user has submitted the signal.

use crate::engine::command::{Command, Semaphores};
use crate::engine::event::Event;
use crate::engine::semaphore::SharedSemaphore;
use crate::objects::device::Device;
use crate::objects::semaphore::Semaphore;
use crate::vulkan::descriptor::File;
use crate::vulkan::error::Result;
use crate::vulkan::external_semaphore::{SemaphoreHandle, refused};
use crate::vulkan::handle::lock;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

impl Device {
    /// How semaphores can be shared with other users of Vulkan. The first call tests it as far as one device
    /// can.
    #[must_use]
    pub fn semaphore_handles(&self) -> &[SemaphoreHandle] {
        self.shared.semaphore_handles.get_or_init(|| {
            let offered = self.info().facts().map_or(&[][..], |facts| &facts.semaphore_handles);
            let works = |kind: &SemaphoreHandle| {
                let tested = self.test_handle(*kind);
                if let Err(error) = &tested {
                    tracing::debug!(%error, ?kind, "the device does not share semaphores");
                }
                tested.is_ok()
            };
            offered.iter().copied().filter(works).collect()
        })
    }

    fn test_handle(&self, kind: SemaphoreHandle) -> Result<()> {
        let heap = &self.shared.heap;
        let semaphore = SharedSemaphore::exportable(heap, kind)?;
        let descriptor = match kind {
            SemaphoreHandle::OpaqueFd => Some(semaphore.export_reference()?),
            // Without a signal there is nothing to export.
            SemaphoreHandle::SyncFd => None,
        };
        SharedSemaphore::import(heap, kind, descriptor.as_ref().map(AsFd::as_fd)).map(drop)
    }

    fn check_handle(&self, kind: SemaphoreHandle) -> Result<()> {
        let known = self.semaphore_handles().contains(&kind);
        if known { Ok(()) } else { Err(refused("the device does not share them by such descriptors")) }
    }
}

impl Semaphore {
    /// A semaphore that is not signalled and that others can use too ([`Semaphore::export`]).
    ///
    /// # Errors
    /// [`crate::Error::ExternalSemaphore`] on devices that cannot ([`Device::semaphore_handles`]), or a
    /// failure of Vulkan.
    pub fn exportable(device: &Device, kind: SemaphoreHandle) -> Result<Self> {
        device.check_handle(kind)?;
        let shared = SharedSemaphore::exportable(&device.shared.heap, kind)?;
        Ok(Semaphore::with(device, Some(shared)))
    }

    /// A semaphore that another user of Vulkan exported from the same device. The descriptor stays the
    /// caller's. A sync file is one signal; none is a signal that has taken place.
    ///
    /// # Errors
    /// [`crate::Error::ExternalSemaphore`] on devices that cannot, and where the driver refuses the
    /// descriptor.
    pub fn import(
        device: &Device,
        kind: SemaphoreHandle,
        descriptor: Option<BorrowedFd<'_>>,
    ) -> Result<Self> {
        device.check_handle(kind)?;
        let shared = SharedSemaphore::import(&device.shared.heap, kind, descriptor)?;
        let semaphore = Semaphore::with(device, Some(shared));
        semaphore.state().imported_signal = kind == SemaphoreHandle::SyncFd;
        Ok(semaphore)
    }

    /// A descriptor for a semaphore that was made to be exported as this kind. For sync files this is a wait
    /// for the first signal that no wait was enqueued for; none is a signal that has taken place.
    ///
    /// # Errors
    /// [`crate::Error::ExternalSemaphore`] for other semaphores, and for sync files if no such signal is
    /// submitted, or not all waits before it are; a failure of Vulkan or of the device.
    pub fn export(&self, kind: SemaphoreHandle) -> Result<Option<OwnedFd>> {
        let shared = self.shared().ok_or_else(|| refused("it was not made to be exported"))?;
        let mut state = self.state();
        match kind {
            SemaphoreHandle::OpaqueFd => {
                let descriptor = shared.export_reference()?;
                state.signals.iter().for_each(|signal| self.note_signal(signal));
                Ok(Some(descriptor))
            }
            SemaphoreHandle::SyncFd => {
                state.settle();
                let waits: Vec<Event> = state.pairs.iter().map(|(_, wait)| wait.clone()).collect();
                let descriptor = shared.export_signal(state.signals.front(), &waits)?;
                state.signals.pop_front();
                Ok(descriptor)
            }
        }
    }

    /// Remembers a signal that is not recorded yet, for waits for other semaphores with the same payload.
    pub(crate) fn note_signal(&self, signal: &Event) {
        let Some(file) = self.file().filter(|_| signal.is_pending()) else { return };
        let mut signals = lock(&self.device().shared.shared_signals);
        signals.retain(|(_, signal)| signal.is_pending());
        signals.push((file, signal.clone()));
    }

    /// The signals that are not recorded yet and may be of this semaphore's payload.
    pub(crate) fn noted_signals(&self) -> Vec<Event> {
        let Some(file) = self.file() else { return Vec::new() };
        let signals = lock(&self.device().shared.shared_signals);
        let concerns = |(other, signal): &&(File, Event)| *other == file && signal.is_pending();
        signals.iter().filter(concerns).map(|(_, signal)| signal.clone()).collect()
    }

    /// What others share its payload by, if they may have it.
    pub(crate) fn file(&self) -> Option<File> {
        self.shared().and_then(SharedSemaphore::file)
    }
}

/// The command for a wait, or a signal.
pub(crate) fn command(device: &Device, semaphores: &[Semaphore], signals: bool) -> Command {
    let shared = semaphores.iter().filter_map(Semaphore::shared);
    let raw: Semaphores = shared.map(|shared| Arc::clone(&shared.raw)).collect();
    if raw.is_empty() { Command::point() } else { Command::at_semaphores(device.id(), raw, signals) }
}
