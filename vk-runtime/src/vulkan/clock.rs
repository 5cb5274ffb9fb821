//! The host's clock, and the device's time stamps on it.

use crate::vulkan::handle::lock;
use crate::vulkan::logical_device::LogicalDevice;
use crate::vulkan::physical_device::Usable;
use ash::vk;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

/// The host clock of the crate in nanoseconds; all its times are measured with it. It begins near the start
/// of the process and never goes back.
#[must_use]
pub fn host_time() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    let elapsed = START.get_or_init(Instant::now).elapsed();
    // Not zero, which profiling tools take for "unknown".
    1 + u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX - 1)
}

/// How long a comparison of the clocks stays valid.
const RECALIBRATION: Duration = Duration::from_secs(1);

/// How many times the clocks are compared to find a short enough comparison: the thread may be interrupted
/// for milliseconds.
const COMPARISONS: u32 = 8;

/// Nanoseconds that a comparison may take.
const SHORT: u64 = 10_000;

/// Turns time stamps of a device into times of the host.
pub(crate) struct Clock {
    device: Arc<LogicalDevice>,
    /// Whether the device can report its current time.
    calibrated: bool,
    counter: Counter,
    anchor: Mutex<Anchor>,
}

/// How a device counts time.
#[derive(Clone, Copy)]
struct Counter {
    /// Nanoseconds per tick.
    period: f64,
    /// Valid bits of a time stamp.
    mask: u64,
}

/// A moment on both clocks.
#[derive(Clone, Copy, Default)]
struct Anchor {
    known: Option<Instant>,
    ticks: u64,
    host: u64,
}

impl Clock {
    /// The clock of a device that was opened.
    pub(crate) fn new(device: &Arc<LogicalDevice>, usable: &Usable) -> Self {
        let period = f64::from(usable.capabilities.limits.timestamp_period);
        Clock {
            device: Arc::clone(device),
            calibrated: device.tells_time(),
            counter: Counter { period, mask: mask(device.timestamp_bits()) },
            anchor: Mutex::default(),
        }
    }

    /// Turns the time stamps of a submission, which is done, into times of the host. It went to the device at
    /// `submitted`, so it cannot have begun earlier. The clocks are compared, if the last comparison was long
    /// ago; they are not the same, but what is done did not end later than now: what the host does next
    /// begins later.
    pub(crate) fn convert(&self, stamps: &mut [u64], submitted: u64) {
        let Some(&first) = stamps.first() else { return };
        let mut anchor = lock(&self.anchor);
        self.refresh(&mut anchor);
        self.counter.begin_after(&mut anchor, first, submitted);
        let now = host_time();
        for stamp in stamps {
            *stamp = self.counter.host(&anchor, *stamp).min(now);
        }
    }

    fn refresh(&self, anchor: &mut Anchor) {
        let holds = anchor.known.is_some_and(|known| known.elapsed() < RECALIBRATION);
        if self.calibrated
            && !holds
            && let Some(compared) = self.compared()
        {
            *anchor = compared;
        }
    }

    /// The shortest of some comparisons of the clocks.
    fn compared(&self) -> Option<Anchor> {
        let mut shortest: Option<(u64, Anchor)> = None;
        for _ in 0..COMPARISONS {
            let before = host_time();
            let ticks = self.device.device_time()?;
            let took = host_time() - before;
            if shortest.is_none_or(|(time, _)| took < time) {
                shortest =
                    Some((took, Anchor { known: Some(Instant::now()), ticks, host: before + took / 2 }));
            }
            if took <= SHORT {
                break;
            }
        }
        shortest.map(|(_, anchor)| anchor)
    }

    /// The device's and the host's current time, in nanoseconds of the host's clock; `None` if the device
    /// does not report its time.
    pub(crate) fn now(&self) -> Option<(u64, u64)> {
        if !self.calibrated {
            return None;
        }
        let mut anchor = lock(&self.anchor);
        self.refresh(&mut anchor);
        let ticks = self.device.device_time()?;
        Some((self.counter.host(&anchor, ticks), host_time()))
    }
}

impl Counter {
    /// Time of the host at which a time stamp was taken.
    fn host(self, anchor: &Anchor, ticks: u64) -> u64 {
        let difference = signed_difference(ticks, anchor.ticks, self.mask);
        let nanoseconds = (difference as f64 * self.period) as i64;
        anchor.host.saturating_add_signed(nanoseconds).max(1)
    }

    /// Moves the anchor if work that began at `first` would otherwise have begun before it was `submitted`.
    /// All times computed from the anchor keep their distances and their order.
    fn begin_after(self, anchor: &mut Anchor, first: u64, submitted: u64) {
        if anchor.known.is_none() || self.host(anchor, first) < submitted {
            let known = anchor.known.or_else(|| Some(Instant::now()));
            *anchor = Anchor { known, ticks: first, host: submitted };
        }
    }
}

fn mask(bits: u32) -> u64 {
    u64::MAX >> (64 - bits.clamp(1, 64))
}

/// How far `a` is after `b` on a counter that wraps, at most half way round.
fn signed_difference(a: u64, b: u64, mask: u64) -> i64 {
    let difference = a.wrapping_sub(b) & mask;
    if difference > mask / 2 { (difference | !mask).cast_signed() } else { difference.cast_signed() }
}

/// Whether the driver can report the device's time.
pub(crate) fn can_calibrate(
    entry: &ash::Entry,
    instance: &ash::Instance,
    physical: vk::PhysicalDevice,
) -> bool {
    let extension = ash::ext::calibrated_timestamps::Instance::new(entry, instance);
    // SAFETY: the physical device is of the instance and has the extension, which the caller checked.
    let domains = unsafe { extension.get_physical_device_calibrateable_time_domains(physical) };
    domains.is_ok_and(|domains| domains.contains(&vk::TimeDomainEXT::DEVICE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_survive_a_wrap_of_a_short_counter() {
        assert_eq!(signed_difference(0x10, 0xffff_fff0, mask(32)), 32);
        assert_eq!(signed_difference(0xffff_fff0, 0x10, mask(32)), -32);
        assert_eq!(signed_difference(9, 5, mask(64)), 4);
        assert_eq!(signed_difference(5, 9, mask(64)), -4);
        assert_eq!(signed_difference(5, 9, mask(36)), -4);
    }

    #[test]
    fn what_seems_to_begin_before_it_is_submitted_is_moved_as_a_whole() {
        let counter = Counter { period: 2.0, mask: mask(64) };
        let known = Some(Instant::now());
        let mut anchor = Anchor { known, ticks: 1000, host: 50_000 };
        counter.begin_after(&mut anchor, 1100, 50_200);
        assert_eq!(counter.host(&anchor, 1100), 50_200, "not earlier: nothing moves");
        counter.begin_after(&mut anchor, 1200, 60_000);
        assert_eq!(counter.host(&anchor, 1200), 60_000);
        assert_eq!(counter.host(&anchor, 1500), 60_600);
        assert_eq!(anchor.known, known, "the clocks were not compared");
        let mut unknown = Anchor::default();
        counter.begin_after(&mut unknown, 7, 400);
        assert_eq!(counter.host(&unknown, 8), 402);
    }

    #[test]
    fn the_host_clock_does_not_go_back() {
        let first = host_time();
        assert!(first > 0 && host_time() >= first);
    }
}
