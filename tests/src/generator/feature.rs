//! The contents of generated programs, and their proportions: a table of weights.

/// Something that programs may contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// Types of 8 and 16 bits.
    Narrow,
    /// Types of 64 bits.
    Long,
    /// Floating-point numbers that are small integers.
    Float,
    /// Of double precision.
    Double,
    /// Of half precision, where implementations have such arithmetic.
    Half,
    /// Vectors.
    Vector,
    /// Structures.
    Struct,
    /// Packed structures.
    Packed,
    /// Unions.
    Union,
    /// Arrays in private memory.
    Array,
    /// Pointers to private, local and global objects.
    Pointer,
    /// Arrays of pointers.
    PointerArray,
    /// Pointers chosen by `?:`.
    PointerChoice,
    /// Pointers to pointers.
    PointerPointer,
    /// Structures with pointers.
    PointerStruct,
    /// Generic pointers, where implementations have them.
    Generic,
    /// Loops over a range of pointers.
    PointerWalk,
    /// Objects read as bytes.
    ByteAccess,
    /// Components of vectors reached through pointers.
    LanePointer,
    /// Functions.
    Function,
    /// Functions that take and return structures.
    RecordFunction,
    /// Functions that write through pointers.
    EffectFunction,
    /// `for`, `while` and `do`.
    Loop,
    /// `break` and `continue`.
    Jump,
    /// `return` before the end of a function.
    EarlyReturn,
    /// `switch`.
    Switch,
    /// `goto` out of loops, and back.
    Goto,
    /// Loops that `goto` and `switch` enter in the middle. PoCL's compiler does not terminate on them, so
    /// they occur only on request.
    EnteredLoop,
    /// `if`.
    If,
    /// Program-scope constants.
    Constant,
    /// Program-scope variables in global memory (OpenCL C 2.0).
    ProgramVariable,
    /// Memory of the work-group, with barriers.
    Local,
    /// Buffers that work-items own a part of.
    Global,
    /// Atomic operations.
    Atomic,
    /// Compound literals.
    CompoundLiteral,
    /// Integer built-in functions.
    BuiltIn,
    /// `vload` and `vstore`.
    VectorLoad,
    /// Conversions, explicit and by reinterpretation.
    Conversion,
    /// Declarations.
    Declaration,
    /// Assignments.
    Assignment,
    /// Compound assignments, `++` and `--`.
    Update,
    /// Plain arithmetic.
    Arithmetic,
    /// Operands read from memory, and literals.
    Leaf,
}

use Feature::{
    Arithmetic, Array, Assignment, Atomic, BuiltIn, ByteAccess, CompoundLiteral, Constant, Conversion,
    Declaration, Double, EarlyReturn, EffectFunction, EnteredLoop, Float, Function, Generic, Global, Goto,
    Half, If, Jump, LanePointer, Leaf, Local, Long, Loop, Narrow, Packed, Pointer, PointerArray,
    PointerChoice, PointerPointer, PointerStruct, PointerWalk, ProgramVariable, RecordFunction, Struct,
    Switch, Union, Update, Vector, VectorLoad,
};

/// Every feature, its name on the command line, and its default weight.
const FEATURES: &[(Feature, &str, u32)] = &[
    (Narrow, "narrow", 10),
    (Long, "long", 5),
    (Float, "float", 5),
    (Double, "double", 4),
    (Half, "half", 4),
    (Vector, "vector", 10),
    (Struct, "struct", 10),
    (Packed, "packed", 4),
    (Union, "union", 4),
    (Array, "array", 8),
    (Pointer, "pointer", 8),
    (PointerArray, "pointer-array", 3),
    (PointerChoice, "pointer-choice", 4),
    (PointerPointer, "pointer-pointer", 2),
    (PointerStruct, "pointer-struct", 3),
    (Generic, "generic", 3),
    (PointerWalk, "pointer-walk", 3),
    (ByteAccess, "byte-access", 2),
    (LanePointer, "lane-pointer", 2),
    (Function, "function", 8),
    (RecordFunction, "record-function", 4),
    (EffectFunction, "effect-function", 6),
    (Loop, "loop", 8),
    (Jump, "jump", 6),
    (EarlyReturn, "early-return", 4),
    (Switch, "switch", 5),
    (Goto, "goto", 2),
    (EnteredLoop, "entered-loop", 0),
    (If, "if", 8),
    (Constant, "constant", 6),
    (ProgramVariable, "program-variable", 2),
    (Local, "local", 6),
    (Global, "global", 8),
    (Atomic, "atomic", 4),
    (CompoundLiteral, "compound-literal", 3),
    (BuiltIn, "built-in", 8),
    (VectorLoad, "vector-load", 3),
    (Conversion, "conversion", 8),
    (Declaration, "declaration", 12),
    (Assignment, "assignment", 14),
    (Update, "update", 8),
    (Arithmetic, "arithmetic", 14),
    (Leaf, "leaf", 10),
];

/// How often each feature is used: never for zero, otherwise in proportion to the alternatives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weights {
    weights: Vec<u32>,
}

impl Default for Weights {
    fn default() -> Self {
        Weights { weights: FEATURES.iter().map(|&(_, _, weight)| weight).collect() }
    }
}

impl Weights {
    /// The weight of a feature.
    #[must_use]
    pub fn of(&self, feature: Feature) -> u32 {
        self.weights[feature as usize]
    }

    /// Leaves a feature out.
    pub fn never(&mut self, feature: Feature) {
        self.weights[feature as usize] = 0;
    }

    /// Changes weights as `NAME=WEIGHT` says.
    ///
    /// # Errors
    /// A sentence, if there is no such feature or the weight is not a number up to 1000.
    pub fn set(&mut self, assignment: &str) -> Result<(), String> {
        let names = || FEATURES.iter().map(|&(_, name, _)| name).collect::<Vec<_>>().join(", ");
        let (name, weight) =
            assignment.split_once('=').ok_or_else(|| format!("`{assignment}` is not NAME=WEIGHT"))?;
        let index = FEATURES
            .iter()
            .position(|&(_, known, _)| known == name)
            .ok_or_else(|| format!("no feature is called `{name}`; there are {}", names()))?;
        let weight = weight.parse::<u32>().ok().filter(|&weight| weight <= 1000);
        self.weights[index] = weight.ok_or_else(|| format!("`{assignment}`: weights are from 0 to 1000"))?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_enumeration() {
        for (index, &(feature, ..)) in FEATURES.iter().enumerate() {
            assert_eq!(feature as usize, index);
        }
    }

    #[test]
    fn weights_are_set_by_name() {
        let mut weights = Weights::default();
        weights.set("goto=9").expect("a known name");
        assert_eq!(weights.of(Goto), 9);
        assert!(weights.set("gotos=9").is_err());
        assert!(weights.set("goto=-1").is_err());
    }
}
