//! "Did you mean": the known name that is nearest to an unknown one.

use crate::diagnostic::edit_distance_with_swaps;

/// The candidate that can be made of `name` with the fewest insertions, deletions, replacements and swaps of
/// neighbours: at most one for each three letters after the first, none for very short names.
pub(super) fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (name.len().saturating_sub(1) / 3).min(3);
    candidates
        .filter(|candidate| candidate.len().abs_diff(name.len()) <= limit && *candidate != name)
        .map(|candidate| (edit_distance_with_swaps(name.as_bytes(), candidate.as_bytes()), candidate))
        .filter(|&(distance, _)| distance <= limit)
        // The name decides between equally near ones, so that the choice does not hang on the table's order.
        .min()
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
        let names = ["float4", "float8", "image2d_t", "kernel", "return"];
        let find = |name| nearest(name, names.into_iter());
        assert_eq!(find("flaot4"), Some("float4"));
        assert_eq!(find("image2d"), Some("image2d_t"));
        assert_eq!(find("retrun"), Some("return"));
        assert_eq!(find("kernal"), Some("kernel"));
        assert_eq!(find("position"), None);
        assert_eq!(find("x"), None);
    }
}
