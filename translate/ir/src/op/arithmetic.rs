//! Arithmetic, comparisons and conversions.

use bitflags::bitflags;
use serde::{Deserialize, Serialize};

bitflags! {
    /// Floating-point rewrites that the source allows for an instruction.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    pub struct FastMath: u8 {
        /// May be fused with another one into a multiply-add (`FP_CONTRACT ON`).
        const CONTRACT = 1;
        /// May be reassociated.
        const REASSOCIATE = 2;
        /// No operand or result is a NaN.
        const NO_NAN = 4;
        /// No operand or result is infinite.
        const NO_INF = 8;
        /// The sign of zero does not matter.
        const NO_SIGNED_ZERO = 16;
        /// Division may become multiplication by the reciprocal.
        const RECIPROCAL = 32;
        /// The device's own approximate functions may be used (`-cl-fast-relaxed-math`, `native_*`).
        const APPROXIMATE = 64;
    }
}

/// One operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum UnaryOp {
    /// Two's complement negation.
    Neg,
    /// All bits inverted; of `Bool`, logical not.
    Not,
    /// Sign inverted, also of NaN and zero.
    FNeg,
    /// Number of one bits.
    PopCount,
    /// Number of leading zero bits; the width for zero.
    CountLeadingZeros,
    /// Number of trailing zero bits; the width for zero.
    CountTrailingZeros,
    /// Position of the highest one bit, counted from the lowest; all ones for zero. 32 bits only.
    HighestBit,
    /// Position of the lowest one bit; all ones for zero. 32 bits only.
    LowestBit,
}

/// Two operands of the result's type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[expect(missing_docs)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    /// Signed division; for a zero divisor and on overflow, any value.
    SDiv,
    UDiv,
    /// Signed remainder, with the sign of the dividend.
    SRem,
    URem,
    /// Shift left; the count is taken modulo the width (OpenCL C §6.5.10), as in all shifts.
    Shl,
    LShr,
    AShr,
    And,
    Or,
    Xor,
    SMin,
    SMax,
    UMin,
    UMax,
    /// High half of the product.
    SMulHi,
    UMulHi,
    FAdd,
    FSub,
    FMul,
    /// Division to the precision of OpenCL C §7.4 (2.5 ulp in single precision).
    FDiv,
}

impl BinaryOp {
    /// Whether it is an integer quotient or remainder.
    #[must_use]
    pub fn divides_integers(self) -> bool {
        matches!(self, BinaryOp::SDiv | BinaryOp::UDiv | BinaryOp::SRem | BinaryOp::URem)
    }

    /// For a minimum or maximum of integers: the comparison that is true where the result is the first
    /// operand.
    #[must_use]
    pub fn first_if(self) -> Option<CompareOp> {
        Some(match self {
            BinaryOp::SMin => CompareOp::SLt,
            BinaryOp::SMax => CompareOp::SGt,
            BinaryOp::UMin => CompareOp::ULt,
            BinaryOp::UMax => CompareOp::UGt,
            _ => return None,
        })
    }
}

/// A comparison of two operands of one type, whose result is `Bool` or a vector of it. Those with `F` compare
/// floating-point numbers: `O`rdered ones are false if an operand is a NaN, `U`nordered ones are true. `Eq`
/// and `Ne` also compare pointers of one address space, and truth values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[expect(missing_docs)]
pub enum CompareOp {
    Eq,
    Ne,
    SLt,
    SLe,
    SGt,
    SGe,
    ULt,
    ULe,
    UGt,
    UGe,
    FOEq,
    FONe,
    FOLt,
    FOLe,
    FOGt,
    FOGe,
    FUEq,
    FUNe,
    FULt,
    FULe,
    FUGt,
    FUGe,
    /// Neither is a NaN.
    FOrd,
    /// One is a NaN.
    FUno,
}

impl CompareOp {
    /// The comparison that is true where this one is false.
    #[must_use]
    pub fn inverse(self) -> CompareOp {
        use CompareOp::*;
        match self {
            Eq => Ne,
            Ne => Eq,
            SLt => SGe,
            SLe => SGt,
            SGt => SLe,
            SGe => SLt,
            ULt => UGe,
            ULe => UGt,
            UGt => ULe,
            UGe => ULt,
            FOEq => FUNe,
            FONe => FUEq,
            FOLt => FUGe,
            FOLe => FUGt,
            FOGt => FULe,
            FOGe => FULt,
            FUEq => FONe,
            FUNe => FOEq,
            FULt => FOGe,
            FULe => FOGt,
            FUGt => FOLe,
            FUGe => FOLt,
            FOrd => FUno,
            FUno => FOrd,
        }
    }

    /// The same comparison on unsigned integers; floating-point comparisons are unchanged.
    #[must_use]
    pub fn unsigned(self) -> CompareOp {
        use CompareOp::*;
        match self {
            SLt => ULt,
            SLe => ULe,
            SGt => UGt,
            SGe => UGe,
            other => other,
        }
    }

    /// The comparison with its operands exchanged.
    #[must_use]
    pub fn swapped(self) -> CompareOp {
        use CompareOp::*;
        match self {
            SLt => SGt,
            SLe => SGe,
            SGt => SLt,
            SGe => SLe,
            ULt => UGt,
            ULe => UGe,
            UGt => ULt,
            UGe => ULe,
            FOLt => FOGt,
            FOLe => FOGe,
            FOGt => FOLt,
            FOGe => FOLe,
            FULt => FUGt,
            FULe => FUGe,
            FUGt => FULt,
            FUGe => FULe,
            same => same,
        }
    }
}

/// Rounding of a conversion (OpenCL C §6.4.3.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum RoundingMode {
    /// To nearest, ties to even.
    NearestEven,
    /// Toward zero.
    TowardZero,
    /// Toward positive infinity.
    TowardPositive,
    /// Toward negative infinity.
    TowardNegative,
}

/// A conversion of one operand. Types have the same number of lanes, unless said otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ConvertOp {
    /// To a narrower integer: keeps the low bits.
    Truncate,
    /// To a wider integer with zeros; `Bool` gives 0 or 1.
    ZeroExtend,
    /// To a wider integer with copies of the sign; `Bool` gives 0 or all ones.
    SignExtend,
    /// Signed integer to floating point.
    SignedToFloat(RoundingMode),
    /// Unsigned integer to floating point.
    UnsignedToFloat(RoundingMode),
    /// Floating point to signed integer, toward zero. Out of range: any value, or with `saturating` the
    /// nearest one, and zero for NaN. Other roundings combine this with a rounding function.
    FloatToSigned {
        /// Saturates.
        saturating: bool,
    },
    /// Floating point to unsigned integer.
    FloatToUnsigned {
        /// Saturates.
        saturating: bool,
    },
    /// Between floating-point types; the rounding matters only for narrowing.
    Float(RoundingMode),
    /// The same bits as another type of the same size; the number of lanes may differ (`as_type`). Not for
    /// pointers or `Bool`.
    Bitcast,
    /// A pointer's address as a 64-bit integer.
    PointerToInt,
    /// A 64-bit integer as a pointer.
    IntToPointer,
    /// A pointer in another address space (to or from `Generic`).
    AddressSpace,
}

/// Functions that the device executes. Operands and result have one floating-point type unless said
/// otherwise. The ones named `Native` have the device's own precision; the others are exact or correctly
/// rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum MathOp {
    /// Absolute value.
    FAbs,
    /// The smaller; a NaN operand is ignored if the other is a number.
    FMin,
    /// The larger; a NaN operand is ignored if the other is a number.
    FMax,
    /// Toward negative infinity.
    Floor,
    /// Toward positive infinity.
    Ceil,
    /// Toward zero.
    Trunc,
    /// To nearest, ties to even.
    RoundEven,
    /// `a * b + c`, rounded once (three operands).
    Fma,
    /// Clamps a number between two bounds (three operands: the number, the lower and the upper bound): the
    /// larger of the number and the lower bound, then the smaller of that and the upper bound, with the NaN
    /// rules of [`MathOp::FMax`] and [`MathOp::FMin`]. The lower bound is not above the upper one.
    FClamp,
    /// The first operand's magnitude with the sign of the second.
    CopySign,
    /// Square root, to the precision of OpenCL C §7.4.
    Sqrt,
    /// Whether it is a NaN; gives `Bool`.
    IsNan,
    /// Whether it is infinite; gives `Bool`.
    IsInf,
    /// Whether the compiler knows that it is not positive, but negative, zero or a NaN; gives `Bool`. Of such
    /// a number it may not know, so both answers must lead to the same result.
    NeverPositive,
    /// Reciprocal square root, at the device's precision (2 ulp by the Vulkan specification).
    NativeRsqrt,
    /// Square root at the device's precision.
    NativeSqrt,
    /// 2 to the power of the operand, at the device's precision.
    NativeExp2,
    /// e to the power of the operand, at the device's precision.
    NativeExp,
    /// Natural logarithm, at the device's precision.
    NativeLog,
    /// Logarithm to base 2, at the device's precision.
    NativeLog2,
    /// Sine, at the device's precision.
    NativeSin,
    /// Cosine, at the device's precision.
    NativeCos,
    /// Quotient at the device's precision (two operands).
    NativeDivide,
    /// Sum of the products of the lanes of two vectors; gives the scalar.
    Dot,
}

impl MathOp {
    /// Whether devices provide it in single and half precision only.
    #[must_use]
    pub fn is_single_only(self) -> bool {
        use MathOp::{NativeCos, NativeExp, NativeExp2, NativeLog, NativeLog2, NativeSin};
        matches!(self, NativeExp | NativeExp2 | NativeLog | NativeLog2 | NativeSin | NativeCos)
    }
}

/// The signs of the bytes of a [`Op::PackedDot`](super::Op::PackedDot).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum PackedDot {
    /// Both operands hold unsigned bytes.
    Unsigned,
    /// Both hold signed ones.
    Signed,
    /// The first holds signed bytes, the second unsigned ones.
    Mixed,
}
