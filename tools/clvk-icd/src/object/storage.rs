//! Where the contents of a memory object are: on which devices of its context.

use crate::code::Result;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use vk_runtime::Buffer;

/// A resource on each device of a context.
pub struct Storage<T> {
    on_devices: Vec<OnceLock<Result<T>>>,
    /// A bit for each device that has the newest contents; if none is set, the contents are undefined. It
    /// changes only while `moving` is locked.
    current: AtomicU64,
    moving: Mutex<()>,
}

/// A resource that storage can hold.
pub trait Resource: Sized {
    /// Copies the contents from one device to another, through the host.
    fn copy_to(&self, other: &Self) -> Result<()>;
}

impl Resource for Buffer {
    fn copy_to(&self, other: &Self) -> Result<()> {
        let mut bytes = vec![0; self.size() as usize];
        self.read(0, &mut bytes)?;
        Ok(other.write(0, &bytes)?)
    }
}

impl Resource for vk_runtime::Image {
    fn copy_to(&self, other: &Self) -> Result<()> {
        let mut bytes = vec![0; self.description().byte_size() as usize];
        self.read(&mut bytes)?;
        Ok(other.write(&bytes)?)
    }
}

impl<T: Resource> Storage<T> {
    /// For a context with that many devices.
    pub fn new(devices: usize) -> Self {
        let on_devices = (0..devices).map(|_| OnceLock::new()).collect();
        Storage { on_devices, current: AtomicU64::new(0), moving: Mutex::default() }
    }

    /// With the contents that one device has.
    pub fn holding(devices: usize, index: usize, resource: T) -> Self {
        let storage = Self::new(devices);
        let _ = storage.on_devices[index].set(Ok(resource));
        storage.current.store(1 << index, Ordering::Release);
        storage
    }

    /// The resource on a device with the newest contents; `writes` if they are about to change there.
    pub fn on_device(&self, index: usize, writes: bool, make: impl FnOnce() -> Result<T>) -> Result<&T> {
        let own = self.on_devices[index].get_or_init(make).as_ref().map_err(|&code| code)?;
        let bit = 1 << index;
        let then = |current: u64| if writes { bit } else { current | bit };
        let current = self.current.load(Ordering::Acquire);
        if then(current) == current {
            return Ok(own);
        }
        let _moving = self.moving.lock().unwrap_or_else(PoisonError::into_inner);
        let current = self.current.load(Ordering::Acquire);
        if current & bit == 0 {
            let source = (0..self.on_devices.len()).find(|&other| current & (1 << other) != 0);
            if let Some(Ok(source)) = source.and_then(|other| self.on_devices[other].get()) {
                source.copy_to(own)?;
            }
        }
        self.current.store(then(current), Ordering::Release);
        Ok(own)
    }
}
