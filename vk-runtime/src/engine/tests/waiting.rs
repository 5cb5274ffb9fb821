//! Events, and what waits for them.

use super::OpenStream;
use crate::engine::command::Command;
use crate::engine::event::{Dependent, Event, EventStatus, Needs, Place, Readiness};
use crate::engine::followup::Followups;
use crate::engine::stream::Stream;
use crate::vulkan::error::Error;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Waits for some events, and reports when it is released and whether one failed.
struct Waiter {
    stream: Option<Arc<Stream>>,
    remaining: AtomicUsize,
    failed: AtomicBool,
    gone: Mutex<Sender<bool>>,
}

impl Waiter {
    /// One that waits for this many things, on a stream.
    fn new(stream: Option<&Arc<Stream>>, things: usize) -> (Arc<Self>, Receiver<bool>) {
        let (sender, receiver) = channel();
        let (remaining, failed) = (AtomicUsize::new(things), AtomicBool::new(false));
        let waiter = Waiter { stream: stream.cloned(), remaining, failed, gone: Mutex::new(sender) };
        (Arc::new(waiter), receiver)
    }

    fn block(self: &Arc<Self>, event: &Event, needs: Needs, inherits: bool) -> Readiness {
        let mut followups = Followups::default();
        let readiness = event.block(self.clone(), needs, inherits, &mut followups);
        followups.run();
        readiness
    }
}

impl Dependent for Waiter {
    fn is_on(&self, stream: &Arc<Stream>) -> bool {
        self.stream.as_ref().is_some_and(|own| Arc::ptr_eq(own, stream))
    }

    fn release(&self, failed: bool) -> bool {
        self.failed.fetch_or(failed, Ordering::Relaxed);
        self.remaining.fetch_sub(1, Ordering::AcqRel) == 1
    }

    fn go(self: Arc<Self>, _: &mut Followups) {
        let gone = self.gone.lock().expect("no thread panicked");
        gone.send(self.failed.load(Ordering::Relaxed)).expect("the test waits for it");
    }
}

const LONG: Duration = Duration::from_secs(60);

#[test]
fn a_dependent_is_released_once_when_all_it_waits_for_is_over() {
    let (waiter, gone) = Waiter::new(None, 2);
    let (first, second) = (Event::user(), Event::user());
    assert_eq!(waiter.block(&first, Needs::Completion, true), Readiness::Blocked);
    assert_eq!(waiter.block(&second, Needs::Completion, true), Readiness::Blocked);
    first.set_status(EventStatus::Complete).expect("it is not set yet");
    assert!(gone.try_recv().is_err(), "it waits for the second one");
    assert!(matches!(first.set_status(EventStatus::Failed(-3)), Err(Error::EventIsSet)));
    second.set_status(EventStatus::Complete).expect("it is not set yet");
    assert_eq!(gone.try_recv(), Ok(false));
    assert!(gone.try_recv().is_err(), "once");
    assert_eq!(waiter.block(&first, Needs::Completion, true), Readiness::Ready, "it is over");
}

#[test]
fn failures_are_inherited_where_that_is_asked_for() {
    for inherits in [true, false] {
        let (waiter, gone) = Waiter::new(None, 1);
        let event = Event::user();
        assert_eq!(waiter.block(&event, Needs::Order, inherits), Readiness::Blocked);
        event.set_status(EventStatus::Failed(-5)).expect("it is not set yet");
        assert_eq!(gone.try_recv(), Ok(inherits));
        let late = waiter.block(&event, Needs::Order, inherits);
        assert_eq!(late, if inherits { Readiness::Failed } else { Readiness::Ready });
        assert!(matches!(event.wait(), Err(Error::CommandFailed { code: -5 })));
    }
}

#[test]
fn what_waits_for_a_user_event_that_is_dropped_fails() {
    let (waiter, gone) = Waiter::new(None, 1);
    let event = Event::user();
    let other = event.clone();
    waiter.block(&event, Needs::Completion, true);
    drop(event);
    assert!(gone.try_recv().is_err(), "there is another handle");
    drop(other);
    assert_eq!(gone.try_recv(), Ok(true));
}

/// The test never polls the device: a thread of the stream waits for it.
#[test]
fn order_is_satisfied_by_recording_and_completion_by_the_device() {
    let stream = OpenStream::new();
    let event = Event::new();
    let (ordered, ordered_gone) = Waiter::new(Some(&stream), 1);
    let (elsewhere, elsewhere_gone) = Waiter::new(None, 1);
    let (complete, complete_gone) = Waiter::new(Some(&stream), 1);
    assert_eq!(ordered.block(&event, Needs::Order, true), Readiness::Blocked, "it is not recorded");
    assert_eq!(elsewhere.block(&event, Needs::Order, true), Readiness::Blocked);
    assert_eq!(complete.block(&event, Needs::Completion, true), Readiness::Blocked);
    let mut followups = Followups::default();
    stream.0.issue(Command::marker(), &[], Some(&event), false, &mut followups).expect("it is recorded");
    assert!(ordered_gone.try_recv().is_err(), "nothing is released while locks may be held");
    followups.run();
    assert_eq!(ordered_gone.try_recv(), Ok(false), "it is recorded, on the same stream");
    assert_eq!(elsewhere_gone.recv_timeout(LONG), Ok(false));
    assert_eq!(complete_gone.recv_timeout(LONG), Ok(false));
    assert_eq!(event.status(), EventStatus::Complete);
}

#[test]
fn an_event_is_only_at_its_own_place() {
    let (stream, other) = (OpenStream::new(), OpenStream::new());
    let event = Event::new();
    assert!(event.is_pending() && !event.is_at(&stream, 3, 1));
    let mut followups = Followups::default();
    event.issued(Place { stream: Arc::clone(&stream), serial: 3, epoch: 1 }, &mut followups);
    followups.run();
    assert!(event.is_at(&stream, 3, 1));
    assert!(!event.is_at(&stream, 3, 2) && !event.is_at(&stream, 4, 1) && !event.is_at(&other, 3, 1));
    assert_eq!(event.readiness(&stream, Needs::Order, true), Readiness::Ready);
    assert_eq!(event.readiness(&other, Needs::Order, true), Readiness::Blocked);
    assert_eq!(event.readiness(&stream, Needs::Completion, true), Readiness::Blocked);
}

#[test]
fn callbacks_are_called_once_with_the_status_that_they_wait_for() {
    let stream = OpenStream::new();
    let (sender, receiver) = channel();
    let event = Event::new();
    for status in [EventStatus::Complete, EventStatus::Submitted] {
        let sender = sender.clone();
        event.on_status(status, move |reached| sender.send(reached).expect("the test waits"));
    }
    let mut followups = Followups::default();
    stream.0.issue(Command::marker(), &[], Some(&event), false, &mut followups).expect("it is recorded");
    followups.run();
    let called = [(); 2].map(|()| receiver.recv_timeout(LONG).expect("a callback"));
    assert_eq!(called, [EventStatus::Submitted, EventStatus::Complete]);
    let late = sender.clone();
    event.on_status(EventStatus::Running, move |reached| late.send(reached).expect("the test waits"));
    assert_eq!(receiver.recv_timeout(LONG), Ok(EventStatus::Running), "it is past that");
    drop(sender);
    assert!(receiver.recv_timeout(LONG).is_err(), "each once");
}
