//! The functions that do not meet their bound yet: `known.txt`, with a reason for each.

use crate::subject::Subject;

/// A line is a device (or `*`), a function and its type, and the reason.
const LIST: &str = include_str!("known.txt");

/// The reason why a function is known to be wrong on a device, if it is.
pub fn reason(device: &str, subject: &Subject) -> Option<&'static str> {
    LIST.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
        let mut words = line.splitn(3, ' ');
        let (on, label, reason) = (words.next()?, words.next()?, words.next()?);
        ((on == "*" || on == device) && label == subject.label()).then_some(reason)
    })
}
