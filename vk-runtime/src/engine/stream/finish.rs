//! The end of submissions: data goes to the host, events complete, slots become free; or all fail.

use super::Stream;
use crate::engine::event::code;
use crate::engine::followup::Followups;
use crate::engine::label::Record;
use crate::engine::loop_watch::LoopWatch;
use crate::engine::runs::{between, records};
use crate::engine::slot::{Entry, Slot};
use crate::vulkan::clock::host_time;
use crate::vulkan::error::{Error, Result};
use crate::vulkan::handle::lock;
use smallvec::SmallVec;
use std::sync::atomic::Ordering;

impl Stream {
    /// Finishes the submissions that the device is done with.
    pub(super) fn ask_and_reap(&self, followups: &mut Followups) -> Result<()> {
        let done = self.signal.done(&lock(&self.state).in_flight);
        if let Err(Error::DeviceLost { .. }) = done {
            self.lose(followups);
        }
        self.reap(done?, followups);
        Ok(())
    }

    /// Finishes the submissions up to `done`, which are known to be done.
    pub(super) fn reap(&self, done: u64, followups: &mut Followups) {
        let _reaping = lock(&self.reaping);
        let done = done.min(self.submitted.load(Ordering::Acquire));
        let mut state = lock(&self.state);
        while let Some(mut slot) = state.take_done(done) {
            self.in_flight.store(state.in_flight.len(), Ordering::Relaxed);
            drop(state);
            self.finish(&slot, followups);
            let serial = slot.serial;
            slot.release();
            state = lock(&self.state);
            state.put_back(slot);
            self.finished.store(serial, Ordering::Release);
        }
        drop(state);
        // Submissions that failed have no slot. The lock `reaping` keeps others from changing the number.
        if self.finished.load(Ordering::Relaxed) < done {
            self.finished.store(done, Ordering::Release);
        }
    }

    /// Finishes a submission that the device is done with.
    fn finish(&self, slot: &Slot, followups: &mut Followups) {
        let mut times = slot.read_queries().unwrap_or_else(|error| {
            tracing::warn!(%error, "the time stamps of a submission were lost");
            SmallVec::new()
        });
        self.clock.convert(&mut times, slot.submitted);
        if !slot.runs.is_empty() {
            self.record(slot, &times);
        }
        for entry in &slot.entries {
            if let Some(unpack) = &entry.recorded.unpack {
                unpack.run();
            }
            if let Some(print) = &entry.recorded.print {
                print.finish();
            }
            if let Some(reports) = &entry.recorded.reports {
                reports.finish();
            }
            let ended = entry.recorded.loop_watch.as_ref().and_then(LoopWatch::ended);
            if let Some(kernel) = ended {
                self.faults.note(slot.serial, kernel);
            }
            let Some(event) = &entry.event else { continue };
            if ended.is_some() {
                event.fail(code::OUT_OF_RESOURCES, followups);
                continue;
            }
            event.complete(entry.recorded.stamps.and_then(|stamps| between(&times, stamps)), followups);
        }
        self.forget_host_writes(slot);
    }

    /// Gives the records of a submission that is done to the handler.
    fn record(&self, slot: &Slot, times: &[u64]) {
        let from = slot.submitted.max(self.recorded_until.load(Ordering::Relaxed));
        let room = (from, host_time());
        let give = |records: &[Record]| {
            if let Some(last) = records.last() {
                self.recorded_until.store(last.ended, Ordering::Relaxed);
            }
            self.records.call(records);
        };
        match slot.runs.expected_alone(slot.submitted, room) {
            Some(record) => give(&[record]),
            None => {
                let mut found = SmallVec::new();
                records(slot, &mut lock(&self.sampling), times, room, &mut found);
                give(&found);
            }
        }
    }

    pub(super) fn forget_host_writes(&self, slot: &Slot) {
        for Entry { recorded, .. } in &slot.entries {
            if recorded.unpack.is_some() {
                self.host_writes.fetch_sub(1, Ordering::AcqRel);
            }
            if recorded.writes_pinned {
                self.pinned_writes.fetch_sub(1, Ordering::AcqRel);
            }
        }
    }

    /// Fails everything in flight: the device is lost.
    pub(crate) fn lose(&self, followups: &mut Followups) {
        let _reaping = lock(&self.reaping);
        self.lose_reaping(followups);
    }

    fn lose_reaping(&self, followups: &mut Followups) {
        self.lost.store(true, Ordering::Relaxed);
        let slots: Vec<Box<Slot>> = {
            let mut state = lock(&self.state);
            let open = state.open.take();
            if let Some(slot) = &open {
                self.submitted.store(slot.serial, Ordering::Release);
            }
            let slots = state.in_flight.drain(..).chain(open).collect();
            self.in_flight.store(0, Ordering::Relaxed);
            slots
        };
        for slot in slots {
            fail_entries(&slot, followups);
            self.forget_host_writes(&slot);
        }
        self.finished.store(self.submitted.load(Ordering::Acquire), Ordering::Release);
    }
}

pub(super) fn fail_entries(slot: &Slot, followups: &mut Followups) {
    for entry in &slot.entries {
        if let Some(event) = &entry.event {
            event.fail(code::OUT_OF_RESOURCES, followups);
        }
    }
}
