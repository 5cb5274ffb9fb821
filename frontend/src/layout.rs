//! How the structures lie in memory that kernels take by value or through pointers (OpenCL C §6.3.5), for
//! hosts that make and show them.

use crate::hir::Program;
use crate::symbol::Interner;
use crate::types::{ScalarKind, TypeId, TypeKind, Types};
use clvk_interface::ScalarType;

/// How an object lies in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Layout {
    /// A scalar, or a vector of several lanes. A vector of three takes as much room as one of four.
    Value {
        /// Type of a lane.
        scalar: ScalarType,
        /// Lanes.
        lanes: u32,
    },
    /// A structure.
    Structure {
        /// Size in bytes.
        size: u64,
        /// Members, in order.
        members: Vec<MemberLayout>,
    },
    /// An array.
    Array {
        /// Number of elements.
        length: u64,
        /// Bytes from one element to the next.
        stride: u64,
        /// An element.
        element: Box<Layout>,
    },
    /// Anything else: a union, a pointer.
    Opaque,
}

/// A member of a structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberLayout {
    /// Its name; empty for an anonymous structure.
    pub name: String,
    /// Bytes before it.
    pub offset: u64,
    /// What it is.
    pub layout: Layout,
}

/// The structure that a kernel takes by value or through a pointer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParameterLayout {
    /// The kernel.
    pub kernel: String,
    /// Position of the parameter.
    pub parameter: usize,
    /// The structure.
    pub layout: Layout,
}

/// Members of a parameter's structure that are described at most, those of inner ones counted; and how deep
/// structures are described.
const MOST: (usize, u32) = (4096, 32);

/// The structures of all kernels.
pub(crate) fn of_kernels(program: &Program, interner: &Interner) -> Vec<ParameterLayout> {
    let mut layouts = Vec::new();
    for function in program.functions.iter().filter(|function| function.kernel.is_some()) {
        for (parameter, local) in function.locals[..function.param_count].iter().enumerate() {
            let ty = program.types.wrapped(local.ty.ty).unwrap_or(local.ty.ty);
            let ty = match program.types.kind(ty) {
                TypeKind::Pointer { pointee, .. } => pointee.ty,
                _ => ty,
            };
            if !matches!(program.types.kind(ty), TypeKind::Record(_)) {
                continue;
            }
            let mut describer = Describer { types: &program.types, interner, left: MOST.0 };
            // Half a description would be none.
            if let Some(layout) = describer.describe(ty, MOST.1) {
                layouts.push(ParameterLayout { kernel: function.name.clone(), parameter, layout });
            }
        }
    }
    layouts
}

struct Describer<'a> {
    types: &'a Types,
    interner: &'a Interner,
    /// Members that may still be described.
    left: usize,
}

impl Describer<'_> {
    /// The layout of a type; `None` if it is too large to describe.
    fn describe(&mut self, ty: TypeId, depth: u32) -> Option<Layout> {
        let depth = depth.checked_sub(1)?;
        self.left = self.left.checked_sub(1)?;
        if let Some((kind, lanes)) = self.types.as_arithmetic(ty) {
            return Some(Layout::Value { scalar: scalar_type(kind), lanes });
        }
        Some(match self.types.kind(ty) {
            TypeKind::Array { element, length: Some(length) } => {
                let stride = self.types.layout(element.ty)?.0;
                let element = Box::new(self.describe(element.ty, depth)?);
                Layout::Array { length: *length, stride, element }
            }
            TypeKind::Record(record) => {
                let record = self.types.record(*record);
                let (false, Some(members)) = (record.is_union, &record.members) else {
                    return Some(Layout::Opaque);
                };
                let member = |member: &crate::types::Member| {
                    let name = member.name.map_or("", |name| self.interner.text(name)).to_owned();
                    Some(MemberLayout {
                        name,
                        offset: member.offset,
                        layout: self.describe(member.ty.ty, depth)?,
                    })
                };
                Layout::Structure {
                    size: record.size,
                    members: members.iter().map(member).collect::<Option<_>>()?,
                }
            }
            _ => Layout::Opaque,
        })
    }
}

fn scalar_type(kind: ScalarKind) -> ScalarType {
    match kind {
        ScalarKind::Bool | ScalarKind::UChar => ScalarType::U8,
        ScalarKind::Char => ScalarType::I8,
        ScalarKind::Short => ScalarType::I16,
        ScalarKind::UShort => ScalarType::U16,
        ScalarKind::Int => ScalarType::I32,
        ScalarKind::UInt => ScalarType::U32,
        ScalarKind::Long => ScalarType::I64,
        ScalarKind::ULong => ScalarType::U64,
        ScalarKind::Half => ScalarType::F16,
        ScalarKind::Float => ScalarType::F32,
        ScalarKind::Double => ScalarType::F64,
    }
}
