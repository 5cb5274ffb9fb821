//! What may have been meant by an argument that is not one.

use super::KINDS;
use crate::failure::Failure;
use crate::file::{Format, picture::PictureFormat};
use crate::number::ElementType;
use crate::similar::nearest;
use std::path::Path;

/// A text without a kind that is not a value.
pub fn not_an_argument(text: &str) -> Failure {
    if text.is_empty() {
        return Failure::usage("an empty text is not a kernel argument; is a variable of the shell empty?");
    }
    let meant = match text {
        "NULL" | "nullptr" => Some("null".to_owned()),
        _ if text.starts_with(['(', '{']) => {
            return Failure::usage(format!(
                "`{text}` is not a kernel argument: a vector is `(1,2,3,4)`, a structure `{{1, 2.5f, (1,2)}}`; quote \
                 both for the shell"
            ));
        }
        _ if text.split_once('[').is_some_and(|(ty, _)| ElementType::parse(ty).is_some()) => {
            Some(format!("zero:{text}"))
        }
        _ => file_argument(text),
    };
    if let Some(meant) = meant {
        return Failure::usage(format!("`{text}` is not a kernel argument; did you mean `{meant}`?"));
    }
    let kinds: Vec<String> = KINDS.iter().map(|kind| format!("{kind}:")).collect();
    Failure::usage(format!(
        "`{text}` is not a kernel argument: a number, `(1,2,3,4)`, `null`, or one of `{}` (see `clvk-run run --help`)",
        kinds.join(" ")
    ))
}

/// The name of a file without its kind.
fn file_argument(text: &str) -> Option<String> {
    let path = Path::new(text);
    let has_ending = path.extension().is_some_and(|ending| !ending.is_empty());
    if !path.exists() && !has_ending && !text.contains('/') {
        return None;
    }
    Some(match Format::of(path) {
        Format::Picture(PictureFormat::Image(_)) => format!("image:{text}` or `in:{text}"),
        _ => format!("in:{text}"),
    })
}

/// A kind that does not exist.
pub fn unknown_kind(text: &str, kind: &str) -> Failure {
    let kinds = KINDS.join(", ");
    match nearest(kind, KINDS.iter().copied()) {
        Some(nearest) => Failure::usage(format!(
            "`{kind}:` in `{text}` is not a kind of kernel argument; the kinds are {kinds}; did you mean `{nearest}:`?"
        )),
        None if kind == "buffer" || kind == "file" => Failure::usage(format!(
            "`{kind}:` in `{text}` is not a kind of kernel argument; did you mean `in:{}`?",
            &text[kind.len() + 1..]
        )),
        None => Failure::usage(format!(
            "`{kind}:` in `{text}` is not a kind of kernel argument; the kinds are {kinds}"
        )),
    }
}
