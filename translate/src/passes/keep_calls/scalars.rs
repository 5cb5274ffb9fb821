//! The numbers that values are passed as.
//!
//! They are words and other numbers that the device has, so that no later pass changes a signature. Where the
//! device has addresses, pointers to global memory and to constants in it are numbers, too.

use crate::passes::rewrite::Emitter;
use clvk_interface::{AddressingMode, DeviceProfile};
use clvk_ir::{AddressSpace, CompareOp, ConvertOp, Op, Scalar, Type, Value};

/// What the device has.
#[derive(Clone, Copy)]
pub struct Scalars {
    int64: bool,
    float64: bool,
    addresses: bool,
}

impl Scalars {
    /// What a device has.
    pub fn of(profile: &DeviceProfile) -> Self {
        Scalars {
            int64: profile.int64,
            float64: profile.float64,
            addresses: profile.addressing() == AddressingMode::Physical,
        }
    }

    /// Whether pointers of this type are passed as addresses.
    pub fn has_addresses(self, ty: Type) -> bool {
        self.addresses && matches!(ty, Type::Pointer(AddressSpace::Global | AddressSpace::Constant))
    }

    /// The types as which a value is passed; `None` if it cannot be.
    pub fn types(self, ty: Type) -> Option<Vec<Type>> {
        if self.has_addresses(ty) {
            return Some(vec![Type::I64]);
        }
        let (Type::Scalar(scalar) | Type::Vector(scalar, _)) = ty else { return None };
        let lane: &[Type] = match scalar {
            Scalar::F32 => &[Type::F32],
            Scalar::I32 | Scalar::I8 | Scalar::I16 | Scalar::Bool => &[Type::I32],
            Scalar::I64 if self.int64 => &[Type::I64],
            Scalar::I64 => &[Type::I32, Type::I32],
            Scalar::F64 if self.float64 => &[Type::F64],
            Scalar::F64 | Scalar::F16 => return None,
        };
        Some(lane.repeat(ty.lanes() as usize))
    }

    /// The numbers of a value.
    pub fn take_apart(self, emitter: &mut Emitter<'_>, value: Value) -> Vec<Value> {
        let ty = emitter.function.ty(value);
        let Type::Vector(scalar, lanes) = ty else { return self.lane_apart(emitter, value) };
        let extract = |lane| emitter.value(Op::Extract(lane), &[value], Type::Scalar(scalar));
        let lanes: Vec<Value> = (0..lanes).map(extract).collect();
        lanes.into_iter().flat_map(|lane| self.lane_apart(emitter, lane)).collect()
    }

    fn lane_apart(self, emitter: &mut Emitter<'_>, lane: Value) -> Vec<Value> {
        match emitter.function.ty(lane) {
            Type::Scalar(Scalar::I8 | Scalar::I16 | Scalar::Bool) => {
                vec![emitter.value(Op::Convert(ConvertOp::ZeroExtend), &[lane], Type::I32)]
            }
            Type::Pointer(_) => vec![emitter.value(Op::Convert(ConvertOp::PointerToInt), &[lane], Type::I64)],
            Type::I64 if !self.int64 => {
                let pair = emitter.reinterpret(lane, Type::Vector(Scalar::I32, 2));
                [0, 1].map(|word| emitter.value(Op::Extract(word), &[pair], Type::I32)).to_vec()
            }
            _ => vec![lane],
        }
    }

    /// The value of some numbers.
    pub fn join(self, emitter: &mut Emitter<'_>, numbers: &[Value], ty: Type) -> Value {
        if ty.is_pointer() {
            return emitter.value(Op::Convert(ConvertOp::IntToPointer), numbers, ty);
        }
        let scalar = ty.scalar().expect("only numbers, vectors of them and addresses are passed");
        let each = numbers.len() / ty.lanes() as usize;
        let join = |numbers: &[Value]| self.join_lane(emitter, numbers, Type::Scalar(scalar));
        let lanes: Vec<Value> = numbers.chunks(each).map(join).collect();
        match lanes[..] {
            [only] => only,
            _ => emitter.value(Op::Construct, &lanes, ty),
        }
    }

    fn join_lane(self, emitter: &mut Emitter<'_>, numbers: &[Value], ty: Type) -> Value {
        match (ty, numbers) {
            (Type::BOOL, &[number]) => {
                let zero = emitter.function.int(Type::I32, 0);
                emitter.value(Op::Compare(CompareOp::Ne), &[number, zero], ty)
            }
            (Type::Scalar(Scalar::I8 | Scalar::I16), &[number]) => {
                emitter.value(Op::Convert(ConvertOp::Truncate), &[number], ty)
            }
            (_, &[number]) => number,
            _ => {
                let pair = emitter.value(Op::Construct, numbers, Type::Vector(Scalar::I32, 2));
                emitter.reinterpret(pair, ty)
            }
        }
    }
}
