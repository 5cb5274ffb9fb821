//! "Did you mean": the known name that is nearest to an unknown one.
//!
//! One rule for all names that a program or its build options can misspell: types, variables, functions,
//! members, attributes, directives, options.

/// Longer names are not compared, because the time is the product of their lengths.
const LONGEST: usize = 64;

/// The candidate with the fewest edits, if they are few: one for each three letters after the first, at most
/// four. A candidate that differs only in capitals and underscores (`getGlobalId`) is nearer than any other.
/// Among equally near ones, the first in alphabetical order wins.
pub(crate) fn nearest<S: AsRef<str> + Ord>(name: &str, candidates: impl IntoIterator<Item = S>) -> Option<S> {
    let letters: Vec<char> = name.chars().collect();
    let limit = (letters.len().saturating_sub(1) / 3).min(4);
    if letters.len() > LONGEST {
        return None;
    }
    let near = |candidate: S| {
        if candidate.as_ref() == name {
            return None;
        }
        if is_respelt(name, candidate.as_ref()) {
            return Some((0, candidate));
        }
        if is_cut(name, candidate.as_ref()) {
            return Some((1, candidate));
        }
        let other: Vec<char> = candidate.as_ref().chars().collect();
        if other.len().abs_diff(letters.len()) > limit {
            return None;
        }
        let distance = edit_distance(&letters, &other);
        (distance <= limit).then_some((distance, candidate))
    };
    candidates.into_iter().filter_map(near).min().map(|(_, candidate)| candidate)
}

/// Whether a name lacks at most the last two letters of another one.
fn is_cut(name: &str, other: &str) -> bool {
    name.len() >= 4 && other.len() <= name.len() + 2 && other.starts_with(name)
}

/// Whether two names consist of the same words.
fn is_respelt(a: &str, b: &str) -> bool {
    fn plain(name: &str) -> impl Iterator<Item = char> {
        name.chars().filter(|letter| *letter != '_').flat_map(char::to_lowercase)
    }
    plain(a).next().is_some() && plain(a).eq(plain(b))
}

/// Number of letters to insert, delete, replace or swap with their neighbour to get from one text to the
/// other (optimal string alignment).
fn edit_distance(from: &[char], to: &[char]) -> usize {
    let mut before_previous: Vec<usize> = Vec::new();
    let mut previous: Vec<usize> = (0..=to.len()).collect();
    for (row, &letter) in from.iter().enumerate() {
        let mut current = vec![row + 1];
        for (column, &other) in to.iter().enumerate() {
            // A number is not a misspelt letter: `M_PI_2` is not `M_PI_F`.
            let is_number = letter.is_ascii_digit() != other.is_ascii_digit();
            let replaced = previous[column] + usize::from(letter != other) + usize::from(is_number);
            let mut best = replaced.min(previous[column + 1] + 1).min(current[column] + 1);
            let swapped = row > 0 && column > 0 && letter == to[column - 1] && from[row - 1] == other;
            if swapped {
                best = best.min(before_previous[column - 1] + 1);
            }
            current.push(best);
        }
        before_previous = std::mem::replace(&mut previous, current);
    }
    previous[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        let distance = |from: &str, to: &str| {
            edit_distance(&from.chars().collect::<Vec<_>>(), &to.chars().collect::<Vec<_>>())
        };
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("abcd", "abdc"), 1);
        assert_eq!(distance("größe", "grösse"), 2);
    }

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
        let names = ["get_global_id", "get_global_size", "barrier", "float4", "image2d_t", "return", "x"];
        let find = |name| nearest(name, names);
        assert_eq!(find("get_gloabl_id"), Some("get_global_id"));
        assert_eq!(find("barier"), Some("barrier"));
        assert_eq!(find("flaot4"), Some("float4"));
        assert_eq!(find("image2d"), Some("image2d_t"));
        assert_eq!(find("retrun"), Some("return"));
        assert_eq!(find("velocity"), None);
        assert_eq!(find("position"), None);
        assert_eq!(find("y"), None);
        assert_eq!(nearest("foo", ["for"]), None);
        assert_eq!(find("x"), None);
        assert_eq!(find("bar"), None);
        assert_eq!(find("barri"), Some("barrier"));
        assert_eq!(nearest("M_PI_G", ["M_PI_2", "M_PI_F"]), Some("M_PI_F"));
    }

    #[test]
    fn capitals_and_underscores_are_no_edits() {
        let names = ["get_global_id", "get_global_size", "N", "__"];
        assert_eq!(nearest("getGlobalId", names), Some("get_global_id"));
        assert_eq!(nearest("n", names), Some("N"));
        assert_eq!(nearest("_", names), None);
    }

    #[test]
    fn the_choice_does_not_depend_on_the_order() {
        assert_eq!(nearest("float5", ["float8", "float4"]), Some("float4"));
    }
}
