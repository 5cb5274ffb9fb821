//! "Did you mean": the known name that is nearest to a misspelled one.

use crate::diagnostic::edit_distance_with_swaps;

/// The nearest of `candidates`, if one is near: at most a third of the name differs.
pub(super) fn closest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let length = name.chars().count();
    // Of a name of one letter nothing would be left.
    let limit = length.div_ceil(3).min(4).min(length.saturating_sub(1));
    candidates
        .filter(|candidate| *candidate != name && candidate.len().abs_diff(name.len()) <= limit)
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min()
        .map(|(_, candidate)| candidate)
}

/// How many edits make `b` of `a`; names that are very long are not compared.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len() > 64 || b.len() > 64 {
        return usize::MAX;
    }
    edit_distance_with_swaps(&a, &b)
}

#[cfg(test)]
mod tests {
    use super::closest;

    #[test]
    fn near_names_only() {
        let names = ["get_global_id", "get_global_size", "barrier", "x"];
        assert_eq!(closest("get_gloabl_id", names.into_iter()), Some("get_global_id"));
        assert_eq!(closest("barier", names.into_iter()), Some("barrier"));
        assert_eq!(closest("velocity", names.into_iter()), None);
    }
}
