//! The matrix products for which a device has an engine (`VK_KHR_cooperative_matrix`).

use crate::DeviceProfile;
use serde::{Deserialize, Serialize};
use std::fmt::{self, Display};
use std::str::FromStr;

/// The type of a matrix's elements (`VkComponentTypeKHR`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs)]
pub enum MatrixElement {
    F16,
    F32,
    F64,
    S8,
    S16,
    S32,
    S64,
    U8,
    U16,
    U32,
    U64,
    BF16,
}

/// `VK_COMPONENT_TYPE_BFLOAT16_KHR`.
const BFLOAT16: u32 = 1_000_141_000;

impl MatrixElement {
    /// All of them, in the order of Vulkan's numbers, which count from 0 but for the last.
    pub const ALL: [MatrixElement; 12] = [
        MatrixElement::F16,
        MatrixElement::F32,
        MatrixElement::F64,
        MatrixElement::S8,
        MatrixElement::S16,
        MatrixElement::S32,
        MatrixElement::S64,
        MatrixElement::U8,
        MatrixElement::U16,
        MatrixElement::U32,
        MatrixElement::U64,
        MatrixElement::BF16,
    ];

    /// The element with Vulkan's number, if kernels can have such matrices.
    #[must_use]
    pub fn from_number(number: i32) -> Option<MatrixElement> {
        let number = u32::try_from(number).ok()?;
        Self::ALL.into_iter().find(|element| element.number() == number)
    }

    /// Vulkan's number.
    #[must_use]
    pub fn number(self) -> u32 {
        if self == MatrixElement::BF16 { BFLOAT16 } else { self as u32 }
    }

    /// OpenCL's number, which is Vulkan's; the draft has none for bfloat16.
    #[must_use]
    pub fn opencl_number(self) -> Option<u32> {
        (self != MatrixElement::BF16).then(|| self.number())
    }

    /// Size in bits.
    #[must_use]
    pub fn bits(self) -> u32 {
        match self {
            MatrixElement::S8 | MatrixElement::U8 => 8,
            MatrixElement::F16 | MatrixElement::BF16 | MatrixElement::S16 | MatrixElement::U16 => 16,
            MatrixElement::F32 | MatrixElement::S32 | MatrixElement::U32 => 32,
            MatrixElement::F64 | MatrixElement::S64 | MatrixElement::U64 => 64,
        }
    }

    /// Whether it is a signed integer.
    #[must_use]
    pub fn is_signed(self) -> bool {
        matches!(self, MatrixElement::S8 | MatrixElement::S16 | MatrixElement::S32 | MatrixElement::S64)
    }

    fn name(self) -> &'static str {
        const NAMES: [&str; 12] =
            ["f16", "f32", "f64", "s8", "s16", "s32", "s64", "u8", "u16", "u32", "u64", "bf16"];
        NAMES[self as usize]
    }
}

/// A product `a × b + c` that a sub-group computes. Its text, which profiles hold, is
/// `16x16x16 f16 f16 f32 f32`: the shape m×n×k, then the elements of a (m×k), b (k×n), c and the result
/// (m×n).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct MatrixProduct {
    /// Rows of a and of the result.
    pub m: u32,
    /// Columns of b and of the result.
    pub n: u32,
    /// Columns of a and rows of b.
    pub k: u32,
    /// The elements of a, b, c and the result.
    pub elements: [MatrixElement; 4],
}

impl Display for MatrixProduct {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}x{}", self.m, self.n, self.k)?;
        self.elements.iter().try_for_each(|element| write!(f, " {}", element.name()))
    }
}

impl From<MatrixProduct> for String {
    fn from(product: MatrixProduct) -> String {
        product.to_string()
    }
}

/// A text that is not a matrix product.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is not a matrix product like `16x16x16 f16 f16 f32 f32`")]
pub struct NotAProduct(String);

impl TryFrom<String> for MatrixProduct {
    type Error = NotAProduct;

    fn try_from(text: String) -> Result<Self, NotAProduct> {
        text.parse()
    }
}

impl FromStr for MatrixProduct {
    type Err = NotAProduct;

    fn from_str(text: &str) -> Result<Self, NotAProduct> {
        let parse = || {
            let mut words = text.split(' ');
            let extents: Vec<u32> =
                words.next()?.split('x').map(|extent| extent.parse().ok()).collect::<Option<_>>()?;
            let element = |word: &str| MatrixElement::ALL.into_iter().find(|it| it.name() == word);
            let elements: Vec<MatrixElement> = words.map(element).collect::<Option<_>>()?;
            let [m, n, k] = extents[..] else { return None };
            let elements = <[MatrixElement; 4]>::try_from(elements).ok()?;
            Some(MatrixProduct { m, n, k, elements })
        };
        parse().ok_or_else(|| NotAProduct(text.to_owned()))
    }
}

/// The products that devices without a matrix engine offer.
const EMULATED_PRODUCTS: [&str; 7] = [
    "16x16x16 f16 f16 f16 f16",
    "16x16x16 f16 f16 f32 f32",
    "16x16x16 bf16 bf16 f32 f32",
    "16x16x16 f32 f32 f32 f32",
    "16x16x32 s8 s8 s32 s32",
    "16x16x32 u8 u8 u32 u32",
    "16x16x32 u8 u8 s32 s32",
];

impl DeviceProfile {
    /// The products of cooperative matrices that kernels can rely on: those of the matrix engine, or where
    /// there is none, those of common engines, which the work-items of a sub-group compute. (They compute any
    /// other product, too.)
    #[must_use]
    pub fn matrix_products(&self) -> Vec<MatrixProduct> {
        if !self.matrices.is_empty() {
            return self.matrices.clone();
        }
        let parse = |text: &&str| text.parse().expect("it is a product");
        EMULATED_PRODUCTS.iter().map(parse).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_a_product_is_read_again() {
        let text = "16x8x32 u8 u8 s32 s32";
        let product: MatrixProduct = text.parse().unwrap();
        assert_eq!((product.m, product.n, product.k), (16, 8, 32));
        assert_eq!(product.elements[2], MatrixElement::S32);
        assert_eq!(product.to_string(), text);
        for wrong in ["", "16x16 f16 f16 f32 f32", "16x16x16 f16 f16 f32", "16x16x16 f16 f16 f32 e4m3"] {
            assert!(wrong.parse::<MatrixProduct>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn every_device_offers_products() {
        let without = DeviceProfile::preset("lavapipe-22.3").unwrap();
        assert_eq!(without.matrix_products().len(), EMULATED_PRODUCTS.len());
        let with = DeviceProfile::preset("nvidia-h200").unwrap();
        assert_eq!(with.matrix_products(), with.matrices);
        assert_eq!(with.matrices.len(), 11);
    }

    #[test]
    fn numbers_are_vulkans() {
        // VK_COMPONENT_TYPE_FLOAT16_KHR, …SINT8, …UINT64.
        let numbers = [MatrixElement::F16, MatrixElement::S8, MatrixElement::U64].map(MatrixElement::number);
        assert_eq!(numbers, [0, 3, 10]);
        assert_eq!(MatrixElement::from_number(10), Some(MatrixElement::U64));
        assert_eq!(MatrixElement::from_number(11), None);
        // VK_COMPONENT_TYPE_BFLOAT16_KHR.
        assert_eq!(MatrixElement::from_number(1_000_141_000), Some(MatrixElement::BF16));
        assert_eq!(MatrixElement::BF16.opencl_number(), None);
    }
}
