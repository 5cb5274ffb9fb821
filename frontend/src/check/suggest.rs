//! "Did you mean": the known name that is nearest to a misspelled one.

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

/// Insertions, deletions, substitutions and swaps of neighbours from `a` to `b`.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len() > 64 || b.len() > 64 {
        return usize::MAX;
    }
    let mut before = vec![0; b.len() + 1];
    let mut previous: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut current = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let substitution = previous[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            current[j] = substitution.min(previous[j] + 1).min(current[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                current[j] = current[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut previous, current);
    }
    previous[b.len()]
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
