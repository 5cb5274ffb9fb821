//! Floating-point operations for which Vulkan's precision is below OpenCL C's (§7.4): quotients and roots.
//!
//! They call the library, with three exceptions: the build options permit the device's precision, the device
//! is precise enough for the given operands, or the code is the library itself.

use super::function::FunctionLowering;
use crate::options::Options;
use crate::types::ScalarKind;
use clvk_ir::{BinaryOp, Op, Scalar, Type, Value};

/// The precision with which quotients and roots are computed.
#[derive(Clone, Copy, Debug)]
pub(super) struct FloatPolicy {
    /// Use the device's operations, except for quotients of doubles.
    trusting: bool,
    /// Round single precision correctly.
    correct_singles: bool,
}

impl FloatPolicy {
    pub fn new(options: &Options) -> Self {
        FloatPolicy {
            trusting: options.library || options.unsafe_math,
            correct_singles: options.correctly_rounded_divide_sqrt,
        }
    }
}

impl FunctionLowering<'_, '_> {
    /// `left / right`. Half precision is legalised to correct rounding everywhere.
    pub fn divide(&mut self, left: Value, right: Value, kind: ScalarKind) -> Value {
        let policy = self.lowering.float_policy;
        let stem = match kind {
            _ if policy.trusting && kind != ScalarKind::Double => None,
            ScalarKind::Double => (!self.divides_exactly(right)).then_some("divide"),
            ScalarKind::Float if policy.correct_singles => {
                (!self.divides_exactly(right)).then_some("divide_exact")
            }
            ScalarKind::Float => (!self.divides_well(right)).then_some("divide"),
            _ => None,
        };
        match stem {
            Some(stem) => self.elementwise(stem, &[left, right]),
            None => self.build().binary(BinaryOp::FDiv, left, right),
        }
    }

    /// The square root of single- or double-precision numbers.
    pub fn square_root(&mut self, value: Value) -> Value {
        let stem = self.square_root_stem(self.function.ty(value).scalar());
        self.elementwise(stem, &[value])
    }

    /// The library's square root for the build options.
    pub fn square_root_stem(&self, scalar: Option<Scalar>) -> &'static str {
        let correct = self.lowering.float_policy.correct_singles && scalar == Some(Scalar::F32);
        if correct { "sqrt_exact" } else { "sqrt" }
    }

    /// A library function whose operands and result have the same type.
    pub fn elementwise(&mut self, stem: &str, values: &[Value]) -> Value {
        let ty = self.function.ty(values[0]);
        let scalar = ty.scalar().expect("numbers");
        let suffix = match scalar {
            Scalar::F16 => "f16",
            Scalar::F32 => "f32",
            _ => "f64",
        };
        let name = format!("__clvk_{stem}_{suffix}");
        let params = vec![Type::Scalar(scalar); values.len()];
        let func = self.lowering.library_function(name, &params, Some(Type::Scalar(scalar)));
        let op = if ty.lanes() > 1 { Op::CallElementwise(func) } else { Op::Call(func) };
        let inst = self.push(op, values, &[ty]);
        self.function.insts[inst].results[0]
    }

    /// Whether the divisor is a constant by which Vulkan's division is precise to 2.5 ulp: from 2^-126 to
    /// 2^126.
    fn divides_well(&self, divisor: Value) -> bool {
        self.every_lane(divisor, |bits| {
            let magnitude = f32::from_bits(bits as u32).abs();
            (f32::MIN_POSITIVE..=f32::from_bits(0x7e80_0000)).contains(&magnitude)
        })
    }

    /// Whether the divisor is a constant whose reciprocal is exact: a power of two.
    fn divides_exactly(&self, divisor: Value) -> bool {
        match self.function.ty(divisor).scalar() {
            Some(Scalar::F64) => self.every_lane(divisor, |bits| {
                let exponent = (bits >> 52) & 0x7ff;
                bits << 12 == 0 && (1..=2044).contains(&exponent)
            }),
            _ => self.every_lane(divisor, |bits| {
                let exponent = (bits >> 23) & 0xff;
                bits & 0x7f_ffff == 0 && (1..=252).contains(&exponent)
            }),
        }
    }

    fn every_lane(&self, value: Value, test: impl Fn(u64) -> bool) -> bool {
        let lanes = self.function.ty(value).lanes() as usize;
        self.function
            .as_constant(value)
            .is_some_and(|constant| (0..lanes).all(|lane| constant.lane(lane).is_some_and(&test)))
    }
}
