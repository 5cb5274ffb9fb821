//! The order of a stream: submissions, barriers, data for the host.

use super::{OpenStream, words};
use crate::engine::command::Command;
use crate::engine::event::{Event, EventStatus};
use crate::vulkan::error::Error;

/// The submission of a command and the barriers before it.
fn place(event: &Event) -> (u64, u32) {
    let place = event.place().expect("it is recorded and not complete");
    (place.serial, place.epoch)
}

#[test]
fn later_commands_see_what_earlier_ones_wrote() {
    let stream = OpenStream::new();
    let [a, b, c] = [0; 3].map(|_| stream.buffer(16));
    for command in [
        stream.fill(&a, 0..16, 7),
        stream.copy(&a, &b),
        stream.fill(&a, 4..8, 9),
        stream.copy(&a, &c),
        stream.fill(&a, 0..16, 1),
    ] {
        stream.issue_silently(command).expect("it is recorded");
    }
    stream.wait(stream.last(), None).expect("it completes");
    assert_eq!([words::<4>(&a), words(&b), words(&c)], [[1; 4], [7; 4], [7, 9, 7, 7]]);
}

/// Counted, since software drivers run commands in order even without barriers.
#[test]
fn a_barrier_comes_only_where_commands_depend_on_each_other() {
    let stream = OpenStream::new();
    let (a, b) = (stream.buffer(64), stream.buffer(64));
    let first = stream.issue(stream.fill(&a, 0..32, 1), &[]);
    let apart = stream.issue(stream.fill(&a, 32..64, 2), &[]);
    let other = stream.issue(stream.fill(&b, 0..64, 3), &[]);
    let reads = stream.issue(stream.copy(&a, &b), &[]);
    let again = stream.issue(stream.copy(&a, &b), &[]);
    let (serial, epoch) = place(&first);
    assert_eq!([&apart, &other].map(place), [(serial, epoch); 2], "nothing depends on anything");
    assert_eq!(place(&reads), (serial, epoch + 1), "it reads what was written, and writes it");
    assert_eq!(place(&again), (serial, epoch + 2), "it writes what was written");
    let free = stream.issue(Command::marker(), &[]);
    assert_eq!(place(&free), (serial, epoch + 2), "it uses nothing");
    let behind = stream.issue(Command::marker(), &[free]);
    assert_eq!(place(&behind), (serial, epoch + 3), "it waits for a command of the same epoch");
    let later = stream.issue(Command::marker(), &[again]);
    assert_eq!(place(&later), (serial, epoch + 3), "that command is behind a barrier already");
    let barrier = stream.issue(Command::barrier(), &[]);
    assert_eq!(place(&barrier), (serial, epoch + 4));
    barrier.wait().expect("all completes");
    assert_eq!(words::<16>(&b), std::array::from_fn(|word| if word < 8 { 1 } else { 2 }));
}

#[test]
fn submissions_are_numbered_without_gaps_and_finish_in_order() {
    let stream = OpenStream::new();
    let mut last = 0;
    let mut events = Vec::new();
    for _ in 0..500 {
        let event = stream.issue(Command::marker(), &[]);
        if let Some(place) = event.place() {
            assert!(place.serial == last || place.serial == last + 1, "{} after {last}", place.serial);
            last = place.serial;
        }
        events.push(event);
    }
    assert!(last > 1, "500 commands are more than one submission");
    stream.wait(last / 2, None).expect("half of them complete");
    assert!(stream.is_finished(last / 2));
    // Backwards, since the device works meanwhile.
    let complete: Vec<bool> =
        events.iter().rev().map(|event| event.status() == EventStatus::Complete).collect();
    assert!(complete.is_sorted(), "a later command was complete before an earlier one");
    stream.wait(stream.last(), None).expect("all complete");
    assert!(events.iter().all(|event| event.status() == EventStatus::Complete));
}

#[test]
fn data_for_the_host_is_there_when_its_event_is_complete() {
    let stream = OpenStream::new();
    let buffer = stream.buffer(4096);
    let mut found = [0u8; 1000];
    stream.issue_silently(stream.fill(&buffer, 0..4096, 0x0302_0105)).expect("it is recorded");
    let event = stream.issue(stream.read(&buffer, &mut found), &[]);
    assert!(stream.writes_host(), "writes of the host's memory must not overtake it");
    stream.issue_silently(stream.fill(&buffer, 0..4096, 0)).expect("it is recorded");
    event.wait().expect("it completes");
    assert!(!stream.writes_host());
    assert!(found.chunks(4).all(|word| word == [5, 1, 2, 3]));
}

#[test]
fn a_closed_stream_has_finished_everything() {
    let stream = OpenStream::new();
    let buffer = stream.buffer(16);
    let event = stream.issue(stream.fill(&buffer, 0..16, 4), &[]);
    drop(stream);
    assert_eq!(event.status(), EventStatus::Complete);
    assert_eq!(words::<4>(&buffer), [4; 4]);
    assert!(matches!(event.set_status(EventStatus::Complete), Err(Error::NotAUserEvent)));
}
