//! Built-in functions of extensions that are not supported yet. They are listed so that they are refused as
//! unsupported instead of as misspelled names.

use super::table::{Row, Strategy, row};

/// The rows.
pub(super) const PATTERNS: &[Row] = &[row("", "intel_sub_group_*", Strategy::Unsupported)];
