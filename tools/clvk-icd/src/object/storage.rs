//! Where the contents of a memory object are: on which devices of its context.

use super::moves;
use crate::code::Result;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use vk_runtime::{Buffer, Event, EventStatus};

/// A resource on each device of a context.
pub struct Storage<T> {
    on_devices: Vec<OnceLock<Result<T>>>,
    /// A bit for each device that has the newest contents; if none is set, the contents are undefined. It
    /// changes only while `arrivals` is locked. It says what holds when all commands enqueued so far are
    /// done.
    current: AtomicU64,
    /// A bit for each device to which contents may still be moving.
    arriving: AtomicU64,
    /// For each such device, the event of their arrival.
    arrivals: Mutex<Vec<Option<Event>>>,
}

/// A resource that storage can hold.
pub trait Resource: Clone + Send + 'static {
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
        let (current, arriving) = (AtomicU64::new(0), AtomicU64::new(0));
        Storage { on_devices, current, arriving, arrivals: Mutex::new(vec![None; devices]) }
    }

    /// With the contents that one device has.
    pub fn holding(devices: usize, index: usize, resource: T) -> Self {
        let storage = Self::new(devices);
        let _ = storage.on_devices[index].set(Ok(resource));
        storage.current.store(1 << index, Ordering::Release);
        storage
    }

    /// The resource on a device, whatever its contents are.
    pub fn resource(&self, index: usize, make: impl FnOnce() -> Result<T>) -> Result<&T> {
        self.on_devices[index].get_or_init(make).as_ref().map_err(|&code| code)
    }

    /// The contents are about to be replaced as a whole, so no device needs them any more.
    pub fn forget(&self) {
        if self.on_devices.len() > 1 {
            let _arrivals = self.arrivals.lock().unwrap_or_else(PoisonError::into_inner);
            self.current.store(0, Ordering::Release);
        }
    }

    /// The resource on a device, for a command that this thread makes; `writes` if that changes the contents.
    /// If they must get to the device first, the command waits for that ([`moves`]).
    pub fn on_device(&self, index: usize, writes: bool, make: impl FnOnce() -> Result<T>) -> Result<&T> {
        let own = self.resource(index, make)?;
        let bit = 1 << index;
        let then = |current: u64| if writes { bit } else { current | bit };
        let current = self.current.load(Ordering::Acquire);
        if then(current) == current && self.arriving.load(Ordering::Acquire) & bit == 0 {
            return Ok(own);
        }
        let mut arrivals = self.arrivals.lock().unwrap_or_else(PoisonError::into_inner);
        let current = self.current.load(Ordering::Acquire);
        if current & bit != 0 {
            match &arrivals[index] {
                Some(arrival) if is_under_way(arrival) => moves::await_arrival(arrival.clone()),
                _ => {
                    arrivals[index] = None;
                    self.arriving.fetch_and(!bit, Ordering::Release);
                }
            }
        } else {
            let source = (0..self.on_devices.len()).find(|&other| current & (1 << other) != 0);
            if let Some(from) = source
                && let Some(Ok(source)) = self.on_devices[from].get()
            {
                let (source, own) = (source.clone(), own.clone());
                let after = arrivals[from].clone().filter(is_under_way);
                arrivals[index] = Some(moves::need(move || source.copy_to(&own), after));
                self.arriving.fetch_or(bit, Ordering::Release);
            }
        }
        self.current.store(then(current), Ordering::Release);
        Ok(own)
    }
}

/// Whether it is still to come. After a failed move, later commands fail too.
fn is_under_way(arrival: &Event) -> bool {
    arrival.status() != EventStatus::Complete
}
