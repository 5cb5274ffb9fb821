//! Names of OpenCL's built-in functions as C++ mangles them (Itanium C++ ABI §5.1): what translators leave
//! as imports when they do not know the function, such as `_Z3maxDv4_fS_`.
//!
//! Not here: other names of C++, and whether a function is a built-in one.

use clvk_ir::{AddressSpace, Scalar, Type};

/// How deep pointers and qualifiers may be nested. Built-in functions need three.
const MAX_DEPTH: u32 = 8;

/// A function.
#[derive(Debug, PartialEq, Eq)]
pub struct Mangled<'a> {
    /// Its name in OpenCL C.
    pub name: &'a str,
    pub params: Vec<Param>,
}

/// A parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// Its type as OpenCL C spells it; that of an image is only its name in C++.
    pub text: String,
    /// The type in the IR; `None` for objects and enumerations.
    pub ty: Option<Type>,
}

/// The function that a name says; `None` if the name is not mangled, or has types that built-in functions do
/// not take.
pub fn demangle(mangled: &str) -> Option<Mangled<'_>> {
    let mut parser = Parser { rest: mangled.strip_prefix("_Z")?, known: Vec::new() };
    let name = parser.name()?;
    let mut params = Vec::new();
    if parser.rest != "v" {
        loop {
            params.push(parser.ty(0)?.param());
            if parser.rest.is_empty() {
                break;
            }
        }
    }
    Some(Mangled { name, params })
}

/// A type.
#[derive(Clone, Debug)]
struct Ty {
    text: String,
    ty: Option<Type>,
    /// Where it is, if its name says so.
    space: Option<AddressSpace>,
}

impl Ty {
    fn param(self) -> Param {
        Param { text: self.text, ty: self.ty }
    }
}

struct Parser<'a> {
    rest: &'a str,
    /// The types that abbreviations name, in order.
    known: Vec<Ty>,
}

impl<'a> Parser<'a> {
    fn take(&mut self, start: &str) -> bool {
        let rest = self.rest.strip_prefix(start);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Digits of this base, and what they are worth.
    fn number(&mut self, base: u32) -> Option<usize> {
        let end = self.rest.find(|it: char| !it.is_digit(base)).unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at(end);
        self.rest = rest;
        usize::from_str_radix(digits, base).ok()
    }

    /// A length and as many characters.
    fn name(&mut self) -> Option<&'a str> {
        let length = self.number(10)?;
        let name = self.rest.get(..length)?;
        self.rest = &self.rest[length..];
        Some(name)
    }

    fn ty(&mut self, depth: u32) -> Option<Ty> {
        if depth == MAX_DEPTH {
            return None;
        }
        if self.take("S") {
            let number = if self.rest.starts_with('_') { 0 } else { self.number(36)?.checked_add(1)? };
            return if self.take("_") { self.known.get(number).cloned() } else { None };
        }
        let ty = match self.rest.as_bytes().first()? {
            b'0'..=b'9' => object(self.name()?)?,
            b'P' => {
                self.take("P");
                let Ty { text, space, .. } = self.ty(depth + 1)?;
                let start = if space.is_none() { "private " } else { "" };
                let ty = Type::Pointer(space.unwrap_or(AddressSpace::Private));
                plain(format!("{start}{text} *"), Some(ty))
            }
            b'U' | b'V' | b'K' => self.qualified(depth)?,
            _ if self.take("Dv") => {
                let lanes = u8::try_from(self.number(10)?).ok()?;
                let (scalar, name) = if self.take("_") { self.scalar()? } else { return None };
                if !matches!(lanes, 2 | 3 | 4 | 8 | 16) {
                    return None;
                }
                plain(format!("{name}{lanes}"), Some(Type::Vector(scalar, lanes)))
            }
            // These have no abbreviations.
            b'v' if depth > 0 && self.take("v") => return Some(plain("void".to_owned(), None)),
            _ => {
                let (scalar, name) = self.scalar()?;
                return Some(plain(name.to_owned(), Some(Type::Scalar(scalar))));
            }
        };
        self.known.push(ty.clone());
        Some(ty)
    }

    /// A type with an address space, `volatile` and `const`, or an atomic one.
    fn qualified(&mut self, depth: u32) -> Option<Ty> {
        if self.take("U7_Atomic") {
            let Ty { text, ty, space } = self.ty(depth + 1)?;
            return Some(Ty { text: format!("atomic_{text}"), ty, space });
        }
        let (mut text, mut space) = (String::new(), None);
        if self.take("U") {
            let (name, of_number) = match self.name()? {
                "AS0" => ("private ", AddressSpace::Private),
                "AS1" => ("global ", AddressSpace::Global),
                "AS2" => ("constant ", AddressSpace::Constant),
                "AS3" => ("local ", AddressSpace::Local),
                "AS4" => ("", AddressSpace::Generic),
                _ => return None,
            };
            (text, space) = (name.to_owned(), Some(of_number));
        }
        for (letter, word) in [("V", "volatile "), ("K", "const ")] {
            if self.take(letter) {
                text.push_str(word);
            }
        }
        let Ty { text: inner, ty, .. } = self.ty(depth + 1)?;
        text.push_str(&inner);
        Some(Ty { text, ty, space })
    }

    fn scalar(&mut self) -> Option<(Scalar, &'static str)> {
        const SCALARS: [(&str, Scalar, &str); 15] = [
            ("c", Scalar::I8, "char"),
            ("a", Scalar::I8, "char"),
            ("h", Scalar::I8, "uchar"),
            ("s", Scalar::I16, "short"),
            ("t", Scalar::I16, "ushort"),
            ("i", Scalar::I32, "int"),
            ("j", Scalar::I32, "uint"),
            ("l", Scalar::I64, "long"),
            ("m", Scalar::I64, "ulong"),
            ("x", Scalar::I64, "long"),
            ("y", Scalar::I64, "ulong"),
            ("f", Scalar::F32, "float"),
            ("d", Scalar::F64, "double"),
            ("Dh", Scalar::F16, "half"),
            ("DF16_", Scalar::F16, "half"),
        ];
        SCALARS.iter().find(|(code, ..)| self.take(code)).map(|&(_, scalar, name)| (scalar, name))
    }
}

fn plain(text: String, ty: Option<Type>) -> Ty {
    Ty { text, ty, space: None }
}

/// Objects and enumerations.
fn object(name: &str) -> Option<Ty> {
    let text = match name {
        "memory_order" | "memory_scope" => name,
        "ocl_sampler" => "sampler_t",
        "ocl_event" => "event_t",
        "ocl_clkevent" => "clk_event_t",
        "ocl_queue" => "queue_t",
        "ocl_reserveid" => "reserve_id_t",
        _ if name.starts_with("ocl_image") => name,
        _ => return None,
    };
    Some(plain(text.to_owned(), None))
}

#[cfg(test)]
mod tests {
    use super::demangle;

    /// A name of clang 19 (`-cl-std=clc++2021 -target spir64 -S -emit-llvm`), as OpenCL C.
    fn plain(mangled: &str) -> Option<String> {
        let function = demangle(mangled)?;
        let params: Vec<&str> = function.params.iter().map(|param| param.text.as_str()).collect();
        Some(format!("{}({})", function.name, params.join(", ")))
    }

    #[test]
    fn numbers_that_no_name_has_are_refused() {
        // 2^64 - 1 in base 36, and one more.
        for mangled in ["_Z1fS3W5E11264SGSF_", "_Z1fS3W5E11264SGSG_", "_Z18446744073709551615fv", "_Z1fS"] {
            assert_eq!(plain(mangled), None, "{mangled}");
        }
    }

    #[test]
    fn names_of_clang_are_functions_of_opencl_c() {
        for (mangled, expected) in [
            ("_Z12get_local_idj", "get_local_id(uint)"),
            ("_Z12get_work_dimv", "get_work_dim()"),
            ("_Z3maxDv4_fS_", "max(float4, float4)"),
            ("_Z6vload4mPU3AS4Kf", "vload4(ulong, const float *)"),
            ("_Z10atomic_addPU3AS3Vii", "atomic_add(local volatile int *, int)"),
            ("_Z6selectDv4_iS_Dv4_j", "select(int4, int4, uint4)"),
            (
                "_Z11read_imagef14ocl_image2d_ro11ocl_samplerDv2_i",
                "read_imagef(ocl_image2d_ro, sampler_t, int2)",
            ),
            (
                "_Z25atomic_fetch_add_explicitPU3AS4VU7_Atomicii12memory_order12memory_scope",
                "atomic_fetch_add_explicit(volatile atomic_int *, int, memory_order, memory_scope)",
            ),
            (
                "_Z21async_work_group_copyPU3AS3iPU3AS1Kim9ocl_event",
                "async_work_group_copy(local int *, global const int *, ulong, event_t)",
            ),
            ("_Z17wait_group_eventsiPU3AS49ocl_event", "wait_group_events(int, event_t *)"),
            ("_Z8prefetchPU3AS1KDhm", "prefetch(global const half *, ulong)"),
            ("_Z5fractDv3_dPU3AS1S_", "fract(double3, global double3 *)"),
            ("_Z5frexpfPi", "frexp(float, private int *)"),
            ("_Z5fractDv3_dPU3AS1S_S1_", "fract(double3, global double3 *, global double3 *)"),
        ] {
            assert_eq!(plain(mangled).as_deref(), Some(expected), "{mangled}");
        }
    }

    #[test]
    fn other_names_are_not() {
        for mangled in [
            "max",
            "_Z",
            "_Z3max",
            "_Z3maxS_",
            "_Z3maxb",
            "_Z9maxf",
            "_Z3maxfv",
            "_Z3maxvf",
            "_Z3maxN1a1bE",
            "_ZN1a1bEf",
            "_Z3max6record",
            "_Z3maxDv5_f",
            "_Z3maxDv4f",
            "_Z3maxDv999_f",
            "_Z3maxPPPPPPPPPPf",
            "_Z3maxfS",
            "_Z3maxPU3AS9f",
            "_Z99999999999999999999999maxf",
            "_Z3maxSZZZZZZZZZZZZZZZZZZZZZZ_",
            "_Z2mäf",
            "_Z6printfPU3AS2Kcz",
        ] {
            assert_eq!(plain(mangled), None, "{mangled}");
        }
    }
}
