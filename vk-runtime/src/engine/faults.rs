//! Launches whose results are wrong, remembered for the next wait.

use crate::vulkan::error::{Error, Result};
use crate::vulkan::handle::lock;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// The launches of a stream with wrong results.
#[derive(Default)]
pub(crate) struct Faults {
    /// By the serial of their submission.
    launches: Mutex<Vec<(u64, Error)>>,
    any: AtomicBool,
}

impl Faults {
    /// Remembers that the results of a launch are wrong.
    pub(crate) fn note(&self, serial: u64, kernel: &str) {
        let error = Error::LoopsEnded { kernel: kernel.to_owned() };
        tracing::error!(%error);
        lock(&self.launches).push((serial, error));
        self.any.store(true, Ordering::Release);
    }

    /// Fails if a launch up to this submission has wrong results. Reports each fault once.
    pub(crate) fn take(&self, serial: u64) -> Result<()> {
        if !self.any.load(Ordering::Acquire) {
            return Ok(());
        }
        let mut launches = lock(&self.launches);
        let found = launches.iter().position(|&(of, _)| of <= serial);
        let error = found.map(|position| launches.swap_remove(position).1);
        launches.retain(|&(of, _)| of > serial);
        self.any.store(!launches.is_empty(), Ordering::Release);
        error.map_or(Ok(()), Err)
    }
}
