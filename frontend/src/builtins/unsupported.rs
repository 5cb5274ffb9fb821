//! Built-in functions of OpenCL C that are not supported yet: named, so that they are refused as such and not as
//! misspelled names.

/// The beginnings of their names.
const PREFIXES: &[&str] = &["intel_sub_group_"];

/// Whether `name` is a built-in function that is not supported yet.
pub(super) fn is_unsupported(name: &str) -> bool {
    PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}
