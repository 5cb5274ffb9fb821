//! Name patterns with alternatives: `convert_{float,double}{,2,4}` matches `convert_float`, `convert_double4`
//! and four more names.
//!
//! A brace holds the choices for a part; a choice may be empty. A `*` at the end of a pattern matches any
//! ending; such a pattern has no list of names. Nothing else is special, and a name without braces matches
//! itself.

use smallvec::SmallVec;

/// The choices that make up a name, in the order of the pattern's braces.
pub(super) type Parts<'p> = SmallVec<[&'p str; 4]>;

/// The choices with which `pattern` matches `name`; if there are several, the first ones.
pub(super) fn parts<'p>(pattern: &'p str, name: &str) -> Option<Parts<'p>> {
    let mut parts = Parts::new();
    gives(pattern, name, &mut parts).then_some(parts)
}

/// One level of recursion for each brace of the pattern.
fn gives<'p>(pattern: &'p str, name: &str, parts: &mut Parts<'p>) -> bool {
    let Some((start, choices, end)) = first_brace(pattern) else {
        return match pattern.strip_suffix('*') {
            Some(start) => name.starts_with(start),
            None => name == pattern,
        };
    };
    let Some(rest) = name.strip_prefix(start) else { return false };
    for choice in choices.split(',') {
        if let Some(rest) = rest.strip_prefix(choice) {
            parts.push(choice);
            if gives(end, rest, parts) {
                return true;
            }
            parts.pop();
        }
    }
    false
}

/// The text before the first brace, in it and after it.
fn first_brace(pattern: &str) -> Option<(&str, &str, &str)> {
    let (start, rest) = pattern.split_once('{')?;
    let (choices, end) = rest.split_once('}')?;
    Some((start, choices, end))
}

/// Every name that `pattern` matches; none if it ends in `*`.
#[must_use]
pub fn expand(pattern: &str) -> Vec<String> {
    let Some((start, choices, end)) = first_brace(pattern) else {
        return if pattern.ends_with('*') { Vec::new() } else { vec![pattern.to_owned()] };
    };
    let ends = expand(end);
    let with = |choice| ends.iter().map(move |end| format!("{start}{choice}{end}"));
    choices.split(',').flat_map(with).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_gives_every_combination() {
        assert_eq!(expand("a{,b}{c,d}e"), ["ace", "ade", "abce", "abde"]);
        assert_eq!(expand("plain"), ["plain"]);
        assert!(expand("any_*").is_empty());
    }

    #[test]
    fn a_name_is_taken_apart() {
        let of = |pattern, name| parts(pattern, name).map(|parts| parts.to_vec());
        assert_eq!(of("a_{x,xy}{,z}", "a_xyz"), Some(vec!["xy", "z"]));
        assert_eq!(of("a_{x,xy}{,z}", "a_x"), Some(vec!["x", ""]));
        assert_eq!(of("a_{x,xy}{,z}", "a_yz"), None);
        assert_eq!(of("a_{x,xy}{,z}", "a_xyzz"), None);
        assert_eq!(of("any_*", "any_thing"), Some(vec![]));
        assert_eq!(of("any_*", "anything"), None);
    }
}
