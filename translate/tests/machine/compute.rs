//! The results of operations without effects, according to the manual in `clvk_ir::Op`. A value is the bits
//! of its lanes.

use super::float::{self, Format, Number};
use super::{Bits, Fault};
use clvk_ir::{
    BinaryOp, CompareOp, ConvertOp, GroupArithmetic, MathOp, Op, PackedDot, Scalar, Type, UnaryOp,
};

/// The scalar type of a value; pointers are 64-bit numbers here.
pub fn scalar(ty: Type) -> Scalar {
    ty.scalar().unwrap_or(Scalar::I64)
}

/// A number interpreted as signed in its type's width.
pub fn signed(scalar: Scalar, bits: u64) -> i64 {
    let unused = 64 - scalar.bits();
    ((bits << unused) as i64) >> unused
}

/// The result of an operation; `any` is used where its manual says “any value”.
pub fn compute(
    op: &Op,
    operands: &[(Bits, Type)],
    result: Type,
    any: &mut dyn FnMut() -> u64,
) -> Result<Bits, Fault> {
    let (a, ty) = operands.first().map_or((&[][..], result), |(bits, ty)| (&bits[..], *ty));
    let of = |index: usize| &operands[index].0;
    let mask = scalar(result).mask();
    let by_lane = |lane: &mut dyn FnMut(usize) -> u64| (0..result.lanes() as usize).map(lane).collect();
    Ok(match op {
        Op::Unary(op) => by_lane(&mut |lane| unary(*op, scalar(ty), a[lane]) & mask),
        Op::Binary(op) if result.is_float() => {
            by_lane(&mut |lane| float::binary(*op, scalar(ty), a[lane], of(1)[lane], any()))
        }
        Op::Binary(op) => by_lane(&mut |lane| integers(*op, scalar(ty), a[lane], of(1)[lane], any()) & mask),
        Op::Checked => Bits::from_slice(a),
        Op::Compare(op) => by_lane(&mut |lane| u64::from(compare(*op, scalar(ty), a[lane], of(1)[lane]))),
        Op::Convert(op) => return convert(*op, a, ty, result, any),
        Op::Select => by_lane(&mut |lane| {
            let condition = a[if a.len() == 1 { 0 } else { lane }];
            of(if condition != 0 { 1 } else { 2 })[lane]
        }),
        Op::Math(op @ (MathOp::IsNan | MathOp::IsInf | MathOp::NeverPositive)) => by_lane(&mut |lane| {
            let number = Format::of(scalar(ty)).decode(a[lane]);
            u64::from(match op {
                MathOp::IsNan => matches!(number, Number::Nan),
                // Nothing is known before a launch.
                MathOp::NeverPositive => false,
                _ => matches!(number, Number::Infinity { .. }),
            })
        }),
        Op::Math(op) => {
            let mut lanes = Bits::new();
            for lane in 0..result.lanes() as usize {
                let numbers: Bits = operands.iter().map(|(bits, _)| bits[lane]).collect();
                lanes.push(float::math(*op, scalar(ty), &numbers, any())?);
            }
            lanes
        }
        Op::PackedDot(signs) => Bits::from_slice(&[packed_dot(*signs, a[0], of(1)[0]) & mask]),
        _ => return vector(op, operands, result, any),
    })
}

fn vector(
    op: &Op,
    operands: &[(Bits, Type)],
    result: Type,
    any: &mut dyn FnMut() -> u64,
) -> Result<Bits, Fault> {
    let of = |index: usize| &operands[index].0;
    let mask = scalar(result).mask();
    Ok(match op {
        Op::Construct => operands.iter().map(|(bits, _)| bits[0]).collect(),
        Op::Extract(lane) => Bits::from_slice(&[of(0)[usize::from(*lane)]]),
        Op::ExtractDynamic => {
            let lane = usize::try_from(of(1)[0]).ok().and_then(|lane| of(0).get(lane));
            Bits::from_slice(&[lane.copied().unwrap_or_else(|| any() & mask)])
        }
        Op::Insert(lane) => {
            let mut vector = of(0).clone();
            vector[usize::from(*lane)] = of(1)[0];
            vector
        }
        Op::InsertDynamic => {
            let mut vector = of(0).clone();
            match usize::try_from(of(2)[0]).ok().and_then(|lane| vector.get_mut(lane)) {
                Some(lane) => *lane = of(1)[0],
                // It is not specified which lane.
                None => vector.iter_mut().for_each(|lane| *lane = any() & mask),
            }
            vector
        }
        Op::Shuffle(chosen) => {
            let both: Vec<u64> = of(0).iter().chain(of(1)).copied().collect();
            let lane = |&entry: &u8| match both.get(usize::from(entry)) {
                Some(&lane) if entry != 255 => lane,
                _ => any() & mask,
            };
            chosen[..result.lanes() as usize].iter().map(lane).collect()
        }
        other => return Err(format!("{other:?} is not interpreted")),
    })
}

fn unary(op: UnaryOp, scalar: Scalar, a: u64) -> u64 {
    let bits = scalar.bits();
    let count = match op {
        UnaryOp::Neg => return a.wrapping_neg(),
        UnaryOp::Not => return !a,
        UnaryOp::FNeg => return a ^ (1 << (bits - 1)),
        UnaryOp::PopCount => a.count_ones(),
        UnaryOp::CountLeadingZeros => a.leading_zeros() - (64 - bits),
        UnaryOp::CountTrailingZeros => a.trailing_zeros().min(bits),
        UnaryOp::HighestBit | UnaryOp::LowestBit if a == 0 => return u64::MAX,
        UnaryOp::HighestBit => 63 - a.leading_zeros(),
        UnaryOp::LowestBit => a.trailing_zeros(),
    };
    u64::from(count)
}

fn integers(op: BinaryOp, scalar: Scalar, a: u64, b: u64, any: u64) -> u64 {
    let (x, y) = (i128::from(signed(scalar, a)), i128::from(signed(scalar, b)));
    let (u, v) = (u128::from(a), u128::from(b));
    let count = (b % u64::from(scalar.bits())) as u32;
    let overflows = x == -1 << (scalar.bits() - 1) && y == -1;
    match op {
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Sub => a.wrapping_sub(b),
        BinaryOp::Mul => a.wrapping_mul(b),
        BinaryOp::SDiv | BinaryOp::UDiv | BinaryOp::SRem | BinaryOp::URem if b == 0 => any,
        BinaryOp::SDiv | BinaryOp::SRem if overflows => any,
        BinaryOp::SDiv => (x / y) as u64,
        BinaryOp::SRem => (x % y) as u64,
        BinaryOp::UDiv => a / b,
        BinaryOp::URem => a % b,
        BinaryOp::Shl => a << count,
        BinaryOp::LShr => a >> count,
        BinaryOp::AShr => (x >> count) as u64,
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
        BinaryOp::SMin => x.min(y) as u64,
        BinaryOp::SMax => x.max(y) as u64,
        BinaryOp::UMin => a.min(b),
        BinaryOp::UMax => a.max(b),
        BinaryOp::SMulHi => ((x * y) >> scalar.bits()) as u64,
        BinaryOp::UMulHi => ((u * v) >> scalar.bits()) as u64,
        BinaryOp::FAdd | BinaryOp::FSub | BinaryOp::FMul | BinaryOp::FDiv => {
            panic!("{op:?} is not of integers")
        }
    }
}

fn compare(op: CompareOp, scalar: Scalar, a: u64, b: u64) -> bool {
    use CompareOp::*;
    let (x, y) = (signed(scalar, a), signed(scalar, b));
    match op {
        Eq => return a == b,
        Ne => return a != b,
        SLt => return x < y,
        SLe => return x <= y,
        SGt => return x > y,
        SGe => return x >= y,
        ULt => return a < b,
        ULe => return a <= b,
        UGt => return a > b,
        UGe => return a >= b,
        _ => {}
    }
    let (x, y) = (float::value(scalar, a), float::value(scalar, b));
    let unordered = x.is_nan() || y.is_nan();
    match op {
        FOEq => x == y,
        FONe => !unordered && x != y,
        FOLt => x < y,
        FOLe => x <= y,
        FOGt => x > y,
        FOGe => x >= y,
        FUEq => unordered || x == y,
        FUNe => unordered || x != y,
        FULt => unordered || x < y,
        FULe => unordered || x <= y,
        FUGt => unordered || x > y,
        FUGe => unordered || x >= y,
        FOrd => !unordered,
        _ => unordered,
    }
}

fn convert(
    op: ConvertOp,
    a: &[u64],
    from: Type,
    to: Type,
    any: &mut dyn FnMut() -> u64,
) -> Result<Bits, Fault> {
    let (source, target) = (scalar(from), scalar(to));
    let mut lane = |bits: u64| match op {
        ConvertOp::Truncate | ConvertOp::ZeroExtend => bits & target.mask(),
        ConvertOp::SignExtend => signed(source, bits) as u64 & target.mask(),
        ConvertOp::SignedToFloat(mode) => {
            let number = signed(source, bits);
            let magnitude = u128::from(number.unsigned_abs());
            Format::of(target).round(float::Exact { negative: number < 0, magnitude, exponent: 0 }, mode)
        }
        ConvertOp::UnsignedToFloat(mode) => {
            let exact = float::Exact { negative: false, magnitude: u128::from(bits), exponent: 0 };
            Format::of(target).round(exact, mode)
        }
        ConvertOp::FloatToSigned { saturating } => to_integer(source, bits, target, true, saturating, any()),
        ConvertOp::FloatToUnsigned { saturating } => {
            to_integer(source, bits, target, false, saturating, any())
        }
        ConvertOp::Float(mode) => Format::of(target).convert(Format::of(source), bits, mode, any()),
        ConvertOp::Bitcast | ConvertOp::PointerToInt | ConvertOp::IntToPointer | ConvertOp::AddressSpace => {
            bits
        }
    };
    if op != ConvertOp::Bitcast {
        return Ok(a.iter().map(|&bits| lane(bits)).collect());
    }
    let bytes: Vec<u8> = a.iter().flat_map(|bits| to_bytes(source, *bits)).collect();
    if bytes.len() != to.access_size() as usize {
        return Err(format!("{from} and {to} have different sizes"));
    }
    Ok(bytes.chunks(target.size() as usize).map(from_bytes).collect())
}

/// The bytes of a scalar in memory.
pub fn to_bytes(scalar: Scalar, bits: u64) -> impl Iterator<Item = u8> {
    bits.to_le_bytes().into_iter().take(scalar.size() as usize)
}

/// The bits of a scalar of up to 8 bytes.
pub fn from_bytes(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte))
}

/// A floating-point number converted to an integer, toward zero.
fn to_integer(from: Scalar, bits: u64, to: Scalar, is_signed: bool, saturating: bool, any: u64) -> u64 {
    let number = float::value(from, bits).trunc();
    let width = to.bits();
    let (least, most) = match is_signed {
        true => (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1),
        false => (0, (1i128 << width) - 1),
    };
    // Doubles beyond the range of 128 bits become the nearest 128-bit integer, and NaNs zero.
    let integer = number as i128;
    let inside = !number.is_nan() && (least..=most).contains(&integer);
    let integer = match inside || saturating {
        true => integer.clamp(least, most) as u64,
        false => any,
    };
    integer & to.mask()
}

fn packed_dot(signs: PackedDot, a: u64, b: u64) -> u64 {
    let byte = |word: u64, index: u32, is_signed: bool| {
        let byte = (word >> (8 * index)) as u8;
        if is_signed { i64::from(byte as i8) } else { i64::from(byte) }
    };
    let (a_signed, b_signed) = (signs != PackedDot::Unsigned, signs == PackedDot::Signed);
    (0..4).map(|index| byte(a, index, a_signed) * byte(b, index, b_signed)).sum::<i64>() as u64
}

/// What two work-items of a sub-group contribute, combined.
pub fn combine(op: GroupArithmetic, scalar: Scalar, a: u64, b: u64, any: u64) -> Result<u64, Fault> {
    use GroupArithmetic::*;
    let op = match op {
        FAdd => return Ok(float::binary(BinaryOp::FAdd, scalar, a, b, any)),
        FMul => return Ok(float::binary(BinaryOp::FMul, scalar, a, b, any)),
        FMin => return float::math(MathOp::FMin, scalar, &[a, b], any),
        FMax => return float::math(MathOp::FMax, scalar, &[a, b], any),
        Add => BinaryOp::Add,
        Mul => BinaryOp::Mul,
        SMin => BinaryOp::SMin,
        UMin => BinaryOp::UMin,
        SMax => BinaryOp::SMax,
        UMax => BinaryOp::UMax,
        And => BinaryOp::And,
        Or => BinaryOp::Or,
        Xor => BinaryOp::Xor,
    };
    Ok(integers(op, scalar, a, b, any) & scalar.mask())
}

/// The value that leaves any other value unchanged when combined with it.
pub fn identity(op: GroupArithmetic, scalar: Scalar) -> u64 {
    use GroupArithmetic::*;
    let float = |number: f64| {
        Format::of(scalar).convert(
            Format::of(Scalar::F64),
            number.to_bits(),
            clvk_ir::RoundingMode::NearestEven,
            0,
        )
    };
    match op {
        Add | Or | Xor | UMax => 0,
        Mul => 1,
        And | UMin => scalar.mask(),
        SMin => scalar.mask() >> 1,
        SMax => (scalar.mask() >> 1) + 1,
        FAdd => float(0.0),
        FMul => float(1.0),
        FMin => float(f64::INFINITY),
        FMax => float(f64::NEG_INFINITY),
    }
}
