//! Which name may have been meant by one that does not exist.

/// The known name that differs least, if it differs little.
pub fn nearest<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let distance = |known: &str| strsim::damerau_levenshtein(known, name);
    let near = known.into_iter().filter(|known| distance(known) <= 1 + known.len() / 4);
    near.min_by_key(|known| distance(known))
}

/// `; did you mean `inline`?`, or what to say otherwise.
pub fn did_you_mean<'k>(
    name: &str,
    known: impl IntoIterator<Item = &'k str>,
    otherwise: impl FnOnce() -> String,
) -> String {
    match nearest(name, known) {
        Some(known) => format!("; did you mean `{known}`?"),
        None => otherwise(),
    }
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn only_little_differences_are_mistakes_of_typing() {
        let known = ["inline", "in", "simplify"];
        assert_eq!(nearest("inlin", known), Some("inline"));
        assert_eq!(nearest("simplfiy", known), Some("simplify"));
        assert_eq!(nearest("out", known), None);
    }
}
