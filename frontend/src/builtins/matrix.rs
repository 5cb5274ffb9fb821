//! The functions on cooperative matrices (`cl_khr_cooperative_matrix`).
//!
//! They have their own strategy because signatures cannot express matrices, and because a call that makes a
//! matrix gets its type from its use.

use super::table::{Row, Strategy, row};
use clvk_interface::Feature;

/// What a function does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MatrixFunction {
    /// `coop_mat_load(pointer, layout, stride)`.
    Load,
    /// `coop_mat_store(pointer, matrix, layout, stride)`.
    Store,
    /// `coop_mat_mulAdd(a, b, c)`, and with operands.
    MulAdd,
    /// `coop_mat_init(value)`.
    Fill,
    /// `coop_mat_length(matrix)`.
    Length,
}

const fn function(name: &'static str, function: MatrixFunction) -> Row {
    row("cl_khr_cooperative_matrix", name, Strategy::Matrix(function)).needs(Feature::CooperativeMatrix)
}

/// The rows.
pub(super) const ROWS: &[Row] = &[
    function("coop_mat_load", MatrixFunction::Load),
    function("coop_mat_store", MatrixFunction::Store),
    function("coop_mat_mulAdd", MatrixFunction::MulAdd),
    function("coop_mat_init", MatrixFunction::Fill),
    function("coop_mat_length", MatrixFunction::Length),
];
