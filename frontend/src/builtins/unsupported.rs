//! Built-in functions of extensions that are not supported yet: listed, so that they are refused as such and
//! not as misspelled names.

use super::table::{Row, Strategy, row};

/// The rows.
pub(super) const PATTERNS: &[Row] = &[row("", "intel_sub_group_*", Strategy::Unsupported)];
