//! The functions on pipes (OpenCL C §6.15.18).
//!
//! They have their own strategy because signatures cannot express pipes, reservations and pointers to packets
//! of any type.

use super::table::{Row, Strategy, row};
use crate::options::LanguageVersion::C20;
use clvk_interface::Feature;
use clvk_ir::Scope;

/// What a function does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PipeFunction {
    /// `read_pipe` and `write_pipe`.
    Transfer { writes: bool },
    /// `reserve_read_pipe` and its kind.
    Reserve { writes: bool, scope: Scope },
    /// `commit_read_pipe` and its kind.
    Commit { writes: bool },
    /// `is_valid_reserve_id`.
    IsValid,
    /// `get_pipe_num_packets`.
    Count,
    /// `get_pipe_max_packets`.
    Size,
}

impl PipeFunction {
    /// Whether it writes to the pipe (true) or reads from it (false), if it does either.
    #[must_use]
    pub fn writes(self) -> Option<bool> {
        match self {
            PipeFunction::Transfer { writes }
            | PipeFunction::Reserve { writes, .. }
            | PipeFunction::Commit { writes } => Some(writes),
            PipeFunction::IsValid | PipeFunction::Count | PipeFunction::Size => None,
        }
    }
}

const fn pipe(name: &'static str, function: PipeFunction) -> Row {
    row("6.15.18", name, Strategy::Pipe(function)).since(C20).needs(Feature::Pipes)
}

const fn reserve(name: &'static str, writes: bool, scope: Scope) -> Row {
    pipe(name, PipeFunction::Reserve { writes, scope })
}

const fn commit(name: &'static str, writes: bool) -> Row {
    pipe(name, PipeFunction::Commit { writes })
}

/// The rows.
pub(super) const ROWS: &[Row] = &[
    pipe("read_pipe", PipeFunction::Transfer { writes: false }),
    pipe("write_pipe", PipeFunction::Transfer { writes: true }),
    reserve("reserve_read_pipe", false, Scope::WorkItem),
    reserve("reserve_write_pipe", true, Scope::WorkItem),
    reserve("work_group_reserve_read_pipe", false, Scope::WorkGroup),
    reserve("work_group_reserve_write_pipe", true, Scope::WorkGroup),
    reserve("sub_group_reserve_read_pipe", false, Scope::SubGroup).needs(Feature::SubGroups),
    reserve("sub_group_reserve_write_pipe", true, Scope::SubGroup).needs(Feature::SubGroups),
    commit("commit_read_pipe", false),
    commit("commit_write_pipe", true),
    commit("work_group_commit_read_pipe", false),
    commit("work_group_commit_write_pipe", true),
    commit("sub_group_commit_read_pipe", false).needs(Feature::SubGroups),
    commit("sub_group_commit_write_pipe", true).needs(Feature::SubGroups),
    pipe("is_valid_reserve_id", PipeFunction::IsValid),
    pipe("get_pipe_num_packets", PipeFunction::Count),
    pipe("get_pipe_max_packets", PipeFunction::Size),
];
