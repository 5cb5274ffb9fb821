//! The definitions at the start of a program, as far as it needs them.

use super::node::{Kind, Node};

/// Which definitions a program needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Prelude {
    /// `real`, `real2` and so on, with their conversions.
    pub half: bool,
    /// Accesses by one of two pointers to different address spaces.
    pub choose: bool,
}

const MIX: &str = "uint mix_word(uint hash, uint value) {\n\
    hash = (hash ^ value) * 0x01000193u;\n\
    return hash ^ (hash >> 15);\n}\n\n";

/// With generic pointers, through such a pointer; otherwise through one of the two.
const CHOOSE: &str = "#ifdef GENERIC\n\
    #define CHOSEN(type, condition, first, second) ((condition) ? (type *)(first) : (type *)(second))\n\
    #define CHOOSE(type, condition, first, second, index) (CHOSEN(const type, condition, first, second)[index])\n\
    #define CHOOSE_SET(type, condition, first, second, index, value) \\\n\
    CHOSEN(type, condition, first, second)[index] = (value);\n\
    #else\n\
    #define CHOOSE(type, condition, first, second, index) ((condition) ? (first)[index] : (second)[index])\n\
    #define CHOOSE_SET(type, condition, first, second, index, value) \\\n\
    if (condition) (first)[index] = (value); else (second)[index] = (value);\n\
    #endif\n\n";

impl Prelude {
    /// The definitions.
    pub fn node(self) -> Node {
        let mut text = MIX.to_owned();
        if self.half {
            text += &half();
        }
        if self.choose {
            text += CHOOSE;
        }
        Node::text(Kind::Part, text)
    }
}

/// `half` where it is an arithmetic type. The values are chosen so that `float` computes the same.
fn half() -> String {
    let definitions = |scalar: &str| -> String {
        ["", "2", "3", "4", "8", "16"]
            .iter()
            .map(|lanes| {
                format!(
                    "typedef {scalar}{lanes} real{lanes};\n#define convert_real{lanes} convert_{scalar}{lanes}\n"
                )
            })
            .collect()
    };
    format!(
        "#ifdef cl_khr_fp16\n#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n{}#else\n{}#endif\n\n",
        definitions("half"),
        definitions("float")
    )
}
