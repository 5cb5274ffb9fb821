//! Texts with placeholders: `@NAME@` is replaced.

/// Fills in a template.
///
/// # Panics
/// If a placeholder of the template has no value, or a value has no placeholder: they are ours.
pub fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let mut out = String::with_capacity(template.len());
    let mut rest = template;
    let mut used = vec![false; values.len()];
    while let Some(start) = rest.find('@') {
        let after = &rest[start + 1..];
        let end = after.find(|c: char| !(c.is_ascii_uppercase() || c == '_')).unwrap_or(after.len());
        let is_placeholder = end > 0 && after[end..].starts_with('@');
        if !is_placeholder {
            out.push_str(&rest[..=start]);
            rest = after;
            continue;
        }
        let name = &after[..end];
        let index = values.iter().position(|(known, _)| *known == name);
        let index = index.unwrap_or_else(|| panic!("the placeholder @{name}@ has no value"));
        used[index] = true;
        out.push_str(&rest[..start]);
        out.push_str(values[index].1);
        rest = &after[end + 1..];
    }
    out.push_str(rest);
    let unused = used.iter().position(|used| !used).map(|index| values[index].0);
    assert!(unused.is_none(), "no placeholder is called @{}@", unused.unwrap_or_default());
    out
}

#[cfg(test)]
mod tests {
    use super::fill;

    #[test]
    fn placeholders_are_replaced_and_other_signs_stay() {
        assert_eq!(fill("a@b.c @X@@Y@ @ @Z", &[("X", "1"), ("Y", "@X@")]), "a@b.c 1@X@ @ @Z");
    }
}
