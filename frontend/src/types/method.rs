//! Types of methods.

use crate::ast::AddressSpaceQualifier;

/// What the type of a method says of the object that it is called on ([dcl.fct]/8).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct MethodQualifiers {
    /// `const`.
    pub is_const: bool,
    /// `volatile`.
    pub is_volatile: bool,
    /// Its address space.
    pub space: Option<AddressSpaceQualifier>,
    /// `&` (false) or `&&` (true).
    pub reference: Option<bool>,
}
