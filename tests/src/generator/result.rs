//! The end of the kernel, which turns everything in scope into numbers.

use super::Generator;
use super::kernel::Frame;
use super::node::{Kind, Node};
use super::types::{Scalar, Type};

impl Generator {
    /// Statements that turn everything in scope at the end into numbers.
    pub(super) fn results(&mut self, frame: &Frame) -> Node {
        let words = frame.roots.len() + 1;
        let mut statements = Vec::new();
        if self.counters.iter().any(|counter| counter.place.starts_with("&group")) {
            let text = "barrier(CLK_LOCAL_MEM_FENCE);\nhash = mix_word(hash, (uint)group_counters[0]);\n\
                        hash = mix_word(hash, (uint)group_counters[1]);\n";
            statements.push(Node::statement(text, Vec::new()));
        }
        statements.push(Node::statement(&format!("out[gid * {words}] = hash;\n"), Vec::new()));
        for (index, (name, ty)) in frame.roots.iter().enumerate() {
            let code = self.hash_code(name, ty);
            let text = format!("{{\nuint h = 0;\n{code}out[gid * {words} + {}] = h;\n}}\n", index + 1);
            statements.push(Node::statement(&text, Vec::new()));
        }
        Node::sequence(Kind::Statement, statements)
    }

    fn hash_code(&mut self, path: &str, ty: &Type) -> String {
        match ty {
            Type::Value(value) if value.is_vector() => {
                (0..value.lanes).map(|lane| hash_scalar(&format!("{path}.s{lane:x}"), value.scalar)).collect()
            }
            Type::Value(value) => hash_scalar(path, value.scalar),
            Type::Array(element, length) => {
                if self.choice.percent(50) && *length <= 3 {
                    return (0..*length)
                        .map(|index| self.hash_code(&format!("{path}[{index}]"), element))
                        .collect();
                }
                let index = self.name("k");
                let inner = self.hash_code(&format!("{path}[{index}]"), element);
                format!("for (int {index} = 0; {index} < {length}; ++{index}) {{\n{inner}}}\n")
            }
            Type::Record(id) => {
                let record = self.records[*id].clone();
                let members = if record.union {
                    vec![self.choice.pick(&record.members).clone()]
                } else {
                    record.members
                };
                members
                    .iter()
                    .map(|(name, member)| self.hash_code(&format!("{path}.{name}"), member))
                    .collect()
            }
        }
    }
}

fn hash_scalar(path: &str, scalar: Scalar) -> String {
    match scalar {
        Scalar::Float | Scalar::Double | Scalar::Half => format!("h = mix_word(h, (uint)(int){path});\n"),
        Scalar::Long | Scalar::ULong => {
            format!("h = mix_word(h, (uint){path});\nh = mix_word(h, (uint)((ulong){path} >> 32));\n")
        }
        _ => format!("h = mix_word(h, (uint){path});\n"),
    }
}
