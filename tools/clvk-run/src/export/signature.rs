//! The kernels as an application calls them, for all languages alike.

use crate::export::names::safe;
use clvk::interface::{Argument, ArgumentKind, ImageAccess, ImageDimension, KernelInterface, ScalarType};

/// A kernel.
pub struct Kernel {
    /// Its name in the source.
    pub name: String,
    /// Its declaration, for comments.
    pub declaration: String,
    /// The work-group size that it requires.
    pub required_local_size: Option<[u32; 3]>,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
}

/// A parameter.
pub struct Parameter {
    /// A name that all languages take and no other parameter has.
    pub name: String,
    /// The type in the source.
    pub type_name: String,
    /// What the application gives.
    pub kind: Kind,
}

/// What an application gives for a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A buffer of these elements.
    Buffer {
        /// Element type.
        element: ScalarType,
        /// Lanes of an element.
        lanes: u32,
        /// The kernel does not write it.
        read_only: bool,
    },
    /// A number.
    Scalar(ScalarType),
    /// A vector of numbers, 3 of them padded to 4.
    Vector(ScalarType, u32),
    /// A structure of this many bytes.
    Bytes(u32),
    /// A size of local memory, of elements of this many bytes.
    Local(u32),
    /// An image.
    Image {
        /// Shape.
        dimension: ImageDimension,
        /// Whether the kernel writes it.
        writes: bool,
        /// What its channels are.
        element: ScalarType,
    },
    /// A sampler.
    Sampler,
}

impl Kernel {
    /// The kernel of an interface.
    pub fn of(interface: &KernelInterface) -> Kernel {
        let mut parameters: Vec<Parameter> = Vec::new();
        for (index, argument) in interface.arguments.iter().enumerate() {
            let given = if argument.name.is_empty() { format!("arg{index}") } else { argument.name.clone() };
            let mut name = safe(&given);
            while parameters.iter().any(|other| other.name == name) {
                name.push('_');
            }
            parameters.push(Parameter {
                name,
                type_name: argument.type_name.clone(),
                kind: Kind::of(argument),
            });
        }
        let declared: Vec<String> =
            interface.arguments.iter().map(|it| format!("{} {}", it.type_name, it.name)).collect();
        Kernel {
            name: interface.name.clone(),
            // A comment must not end in it.
            declaration: format!("{}({})", interface.name, declared.join(", ")).replace("*/", "* /"),
            required_local_size: interface.local_size.required(),
            parameters,
        }
    }
}

impl Kind {
    fn of(argument: &Argument) -> Kind {
        let (element, lanes) = (argument.element, argument.lanes);
        match argument.kind {
            ArgumentKind::BufferAddress { read_only, .. } | ArgumentKind::StorageBuffer { read_only, .. } => {
                Kind::Buffer { element, lanes, read_only }
            }
            ArgumentKind::Value { size, .. } if element == ScalarType::Opaque => Kind::Bytes(size),
            ArgumentKind::Value { .. } if lanes == 1 => Kind::Scalar(element),
            ArgumentKind::Value { .. } => Kind::Vector(element, lanes),
            ArgumentKind::Local { element_size, .. } => Kind::Local(element_size),
            ArgumentKind::Image { dimension, access, .. } => {
                Kind::Image { dimension, writes: access != ImageAccess::ReadOnly, element }
            }
            ArgumentKind::Sampler { .. } => Kind::Sampler,
        }
    }
}

/// Lanes that a vector takes in memory (OpenCL C §6.3.5).
pub fn stored_lanes(lanes: u32) -> u32 {
    if lanes == 3 { 4 } else { lanes }
}

/// The name of an element type in the samples' enumerations.
pub fn element_name(element: ScalarType) -> &'static str {
    match element {
        ScalarType::I8 => "I8",
        ScalarType::U8 => "U8",
        ScalarType::I16 => "I16",
        ScalarType::U16 => "U16",
        ScalarType::I32 => "I32",
        ScalarType::U32 => "U32",
        ScalarType::I64 => "I64",
        ScalarType::U64 => "U64",
        ScalarType::F16 => "F16",
        ScalarType::F32 => "F32",
        ScalarType::F64 => "F64",
        ScalarType::Opaque => "Opaque",
    }
}
