//! The whole program: types, constants, functions, and the kernel with its memory and its results.

use super::atomic::Shared;
use super::feature::Feature;
use super::node::{Kind, Node};
use super::scope::{Entry, Space, What};
use super::types::{INTEGERS, Record, Scalar, Type, Value};
use super::{Argument, Context, Generator, Language, Program, item};

/// The most bytes of an array in local memory: devices have at least 16 KiB (Vulkan), and there are up to two
/// arrays.
const MAX_LOCAL_BYTES: usize = 7 << 10;

/// The parts of the kernel.
#[derive(Default)]
pub(super) struct Frame {
    pub parameters: Vec<String>,
    pub arguments: Vec<Argument>,
    /// Variables at program scope.
    variables: Vec<Node>,
    /// Declarations at the start of the kernel.
    pub start: Vec<Node>,
    /// The values that make up the results: expressions with their types.
    pub roots: Vec<(String, Type)>,
    items: usize,
    group: usize,
}

impl Generator {
    pub(super) fn program(mut self) -> Program {
        let mut items = Vec::new();
        if self.weights.of(Feature::Global) > 0 && self.chance(Feature::ProgramVariable, 18) {
            self.program_variables = true;
            // PoCL 3.1 has these functions for private memory only in the language version that such
            // variables need.
            self.weights.never(Feature::VectorLoad);
        }
        if self.weights.of(Feature::Struct) > 0 {
            items.extend((0..self.choice.between(0, 3)).map(|_| self.record()));
        }
        if self.weights.of(Feature::PointerStruct) > 0 {
            items.extend((0..self.choice.between(0, 2)).map(|_| self.handle()));
        }
        if self.weights.of(Feature::Constant) > 0 {
            items.extend((0..self.choice.between(0, 2)).map(|_| self.constant()));
        }
        if self.weights.of(Feature::Function) > 0 {
            items.extend((0..self.choice.between(0, 4)).map(|_| self.function()));
        }
        let (kernel, arguments, local, global) = self.kernel();
        items.push(kernel);
        items.insert(0, self.prelude.node());
        let root = Node::sequence(Kind::Part, items);
        let (program_variables, generic) = (self.program_variables, self.generic);
        let language = Language::C;
        Program { seed: self.seed, root, arguments, global, local, program_variables, generic, language }
    }

    /// The numbers of work-items in a group, and in all.
    fn launch(&mut self) -> (Vec<usize>, Vec<usize>) {
        let local: Vec<usize> = match self.choice.below(5) {
            0 => vec![self.choice.between(1, 4), self.choice.between(1, 4)],
            1 => vec![self.choice.between(1, 3), self.choice.between(1, 2), self.choice.between(1, 3)],
            _ => vec![*self.choice.pick(&[1, 2, 3, 4, 8, 16])],
        };
        let global = local.iter().map(|size| size * self.choice.between(1, 3)).collect();
        (local, global)
    }

    fn record(&mut self) -> Node {
        let id = self.records.len();
        let union = self.chance(Feature::Union, 10);
        let packed = !union && self.chance(Feature::Packed, 10);
        let members = if union { self.union_members() } else { self.struct_members() };
        let keyword = if union { "union" } else { "struct" };
        let attribute = if packed { " __attribute__((packed))" } else { "" };
        let typedef = self.choice.percent(50);
        let tag = format!("S{id}");
        let name = if typedef { tag.clone() } else { format!("{keyword} {tag}") };
        let members: Vec<(String, Type)> =
            members.into_iter().enumerate().map(|(index, ty)| (format!("m{index}"), ty)).collect();
        let lines: String =
            members.iter().map(|(name, ty)| format!("{};\n", ty.declare(name, &self.records))).collect();
        let text = if typedef {
            format!("typedef {keyword}{attribute} {{\n{lines}}} {tag};\n\n")
        } else {
            format!("{keyword}{attribute} {tag} {{\n{lines}}};\n\n")
        };
        self.records.push(Record { name, union, packed, members });
        item(text)
    }

    fn struct_members(&mut self) -> Vec<Type> {
        (0..self.choice.between(1, 5))
            .map(|_| {
                let ty = self.any_type();
                let small = ty.scalars(&self.records) <= 4;
                if small && self.chance(Feature::Array, 30) {
                    let length = self.choice.between(2, 4);
                    Type::Array(Box::new(ty), length)
                } else {
                    ty
                }
            })
            .collect()
    }

    /// Members that all cover the same bytes.
    fn union_members(&mut self) -> Vec<Type> {
        let size = *self.choice.pick(&[4usize, 8, 16]);
        (0..self.choice.between(2, 3))
            .map(|_| {
                let scalars: Vec<Scalar> =
                    INTEGERS.into_iter().filter(|scalar| scalar.bits() as usize / 8 <= size).collect();
                let scalar = *self.choice.pick(&scalars);
                let count = size * 8 / scalar.bits() as usize;
                if count > 1 && self.choice.percent(30) {
                    Type::Array(Box::new(Type::Value(Value::scalar(scalar))), count)
                } else {
                    Type::Value(Value { scalar, lanes: count as u8 })
                }
            })
            .collect()
    }

    fn constant(&mut self) -> Node {
        let name = self.name("c");
        let mut ty = self.any_type();
        if self.choice.percent(80) {
            let length = self.choice.between(2, 6);
            ty = Type::Array(Box::new(ty), length);
        }
        let initializer = self.constant_initializer(&ty);
        let text = format!("__constant {} = {initializer};\n\n", ty.declare(&name, &self.records));
        self.scope.push(Entry { name, what: What::Object, ty, space: Space::Constant, writable: false });
        item(text)
    }

    fn constant_initializer(&mut self, ty: &Type) -> String {
        match ty {
            Type::Value(value) => self.expression_literal(*value).to_string(),
            Type::Array(element, length) => {
                let elements: Vec<String> =
                    (0..*length).map(|_| self.constant_initializer(element)).collect();
                format!("{{{}}}", elements.join(", "))
            }
            Type::Record(id) => {
                let record = self.records[*id].clone();
                let count = if record.union { 1 } else { record.members.len() };
                let members: Vec<String> = record.members[..count]
                    .iter()
                    .map(|(_, member)| self.constant_initializer(member))
                    .collect();
                format!("{{{}}}", members.join(", "))
            }
        }
    }

    fn expression_literal(&mut self, value: Value) -> Node {
        if value.scalar.is_float() {
            self.float_literal(value, value.scalar.float_bits())
        } else {
            self.literal(value)
        }
    }

    fn kernel(&mut self) -> (Node, Vec<Argument>, Vec<usize>, Vec<usize>) {
        let (local, global) = self.launch();
        let mut frame =
            Frame { items: global.iter().product(), group: local.iter().product(), ..Frame::default() };
        self.work_item_ids(&mut frame, local.len());
        self.input_buffers(&mut frame);
        self.value_parameters(&mut frame);
        self.state_buffers(&mut frame);
        self.local_arrays(&mut frame);
        self.atomic_counters(&mut frame);
        let first = self.scope.len();
        (self.cost, self.trips, self.cost_limit) = (0, 1, 300);
        let context = Context { depth: 0, uniform: true, in_loop: false, returns: None, kernel: true };
        let count = self.choice.between(4, 11);
        let body = self.statements(count, context);
        for entry in &self.scope[first..] {
            if entry.what == What::Object {
                frame.roots.push((entry.name.clone(), entry.ty.clone()));
            }
        }
        let results = self.results(&frame);
        let words = frame.roots.len() + 1;
        let mut arguments =
            vec![Argument::Buffer { contents: vec![0; words * frame.items * 4], compare: true }];
        arguments.extend(frame.arguments);
        let parameters = [vec!["__global uint *out".to_owned()], frame.parameters].concat().join(", ");
        let start = Node::sequence(Kind::Part, frame.start);
        let template = format!("#__kernel void test({parameters}) {{\n###}}\n");
        let variables = Node::sequence(Kind::Part, frame.variables);
        (Node::new(Kind::Part, &template, vec![variables, start, body, results]), arguments, local, global)
    }

    fn work_item_ids(&mut self, frame: &mut Frame, dimensions: usize) {
        let linear = |id: &str, size: &str| {
            let outer = (1..dimensions).rev().fold(String::new(), |outer, dimension| match outer.as_str() {
                "" => format!("{id}({dimension})"),
                _ => format!("({outer} * {size}({dimension}) + {id}({dimension}))"),
            });
            let outer = if outer.is_empty() { outer } else { format!("{outer} * {size}(0) + ") };
            format!("(uint)({outer}{id}(0))")
        };
        let lid = linear("get_local_id", "get_local_size");
        let group = linear("get_group_id", "get_num_groups");
        let text = format!(
            "const uint lid = {lid};\nconst uint group = {group};\nconst uint gid = group * {}u + lid;\nuint hash = gid;\n",
            frame.group
        );
        frame.start.push(Node::text(Kind::Part, text));
        for (name, bound) in [("gid", frame.items), ("lid", frame.group)] {
            self.scope.push(Entry {
                name: name.to_owned(),
                what: What::Counter(bound),
                ty: Type::Value(Value::scalar(Scalar::UInt)),
                space: Space::Private,
                writable: false,
            });
        }
    }

    fn input_buffers(&mut self, frame: &mut Frame) {
        for _ in 0..self.choice.between(0, 2) {
            let name = self.name("in");
            let (ty, length) = (self.any_type(), self.choice.between(2, 9));
            let constant = self.choice.percent(30);
            let qualifiers = if constant { "__constant" } else { "__global const" };
            let element = ty.name(&self.records).expect("not an array");
            frame.parameters.push(format!("{qualifiers} {element} *{name}"));
            let whole = Type::Array(Box::new(ty.clone()), length);
            let contents = whole.contents(&self.records, &mut self.choice);
            frame.arguments.push(Argument::Buffer { contents, compare: false });
            let space = if constant { Space::Constant } else { Space::Global };
            self.scope.push(Entry { name, what: What::FixedPointer(length), ty, space, writable: false });
        }
    }

    fn value_parameters(&mut self, frame: &mut Frame) {
        frame.parameters.push("uint uniform_value".to_owned());
        let uniform = self.choice.bits() as u32;
        frame.arguments.push(Argument::Value(uniform.to_le_bytes().to_vec()));
        for _ in 0..self.choice.between(0, 3) {
            let name = self.name("x");
            let ty = self.any_type();
            frame.parameters.push(ty.declare(&name, &self.records));
            frame.arguments.push(Argument::Value(ty.contents(&self.records, &mut self.choice)));
            frame.roots.push((name.clone(), ty.clone()));
            // PoCL 3.1 passes a structure to all work-items of a group at one address, so what one writes,
            // others see.
            let writable = !matches!(ty, Type::Record(_));
            self.declare_object(&name, ty, writable);
        }
    }

    fn state_buffers(&mut self, frame: &mut Frame) {
        if self.weights.of(Feature::Global) == 0 {
            return;
        }
        for _ in 0..self.choice.between(0, 2) {
            let name = self.name("g");
            let (ty, length) = self.own_type();
            let element = ty.name(&self.records).expect("not an array");
            let pointer = format!("__global {element} *{name} = {name}_all + gid * {length};\n");
            frame.start.push(Node::text(Kind::Part, pointer));
            if self.program_variables && self.choice.percent(60) {
                let variable = self.program_variable(&format!("{name}_all"), &ty, length * frame.items);
                frame.variables.push(variable);
                self.own_part(frame, name, ty, length, Space::Global);
                continue;
            }
            let restrict = *self.choice.pick(&["", "restrict "]);
            frame.parameters.push(format!("__global {element} *{restrict}{name}_all"));
            let whole = Type::Array(Box::new(ty.clone()), length * frame.items);
            let contents = whole.contents(&self.records, &mut self.choice);
            let compare = !ty.has_padding(&self.records) && !ty.has_float(&self.records);
            frame.arguments.push(Argument::Buffer { contents, compare });
            self.own_part(frame, name, ty, length, Space::Global);
        }
    }

    /// An array in global memory, as a program-scope variable.
    fn program_variable(&mut self, name: &str, ty: &Type, length: usize) -> Node {
        let initializer = if self.choice.percent(50) {
            let first = self.constant_initializer(ty);
            format!(" = {{{first}}}")
        } else {
            String::new()
        };
        let declared = Type::Array(Box::new(ty.clone()), length).declare(name, &self.records);
        item(format!("__global {declared}{initializer};\n\n"))
    }

    /// A work-item's part of a shared array, and its size.
    fn own_type(&mut self) -> (Type, usize) {
        let ty = self.any_type();
        let scalar = matches!(ty, Type::Value(value) if !value.is_vector());
        let length = self.choice.between(1, if scalar { 9 } else { 4 });
        (ty, length)
    }

    fn own_part(&mut self, frame: &mut Frame, name: String, ty: Type, length: usize, space: Space) {
        frame.roots.push((name.clone(), Type::Array(Box::new(ty.clone()), length)));
        self.scope.push(Entry { name, what: What::FixedPointer(length), ty, space, writable: true });
    }

    fn local_arrays(&mut self, frame: &mut Frame) {
        if self.weights.of(Feature::Local) == 0 {
            return;
        }
        for _ in 0..self.choice.between(0, 2) {
            let name = self.name("l");
            let (ty, length) = self.own_type();
            let element = ty.name(&self.records).expect("not an array");
            let total = length * frame.group;
            let bytes = ty.layout(&self.records).0 * total;
            if bytes > MAX_LOCAL_BYTES {
                continue;
            }
            self.growth = 0;
            if self.choice.percent(40) {
                frame.parameters.push(format!("__local {element} *{name}_all"));
                frame.arguments.push(Argument::Local(bytes));
            } else {
                frame.start.push(Node::text(Kind::Part, format!("__local {element} {name}_all[{total}];\n")));
            }
            let initializer = self.initializer(&ty);
            let template = format!(
                "__local {element} *{name} = {name}_all + lid * {length};\n\
                 for (int i = 0; i < {length}; ++i) {{\n{element} first = #;\n{name}[i] = first;\n}}\n"
            );
            frame.start.push(Node::new(Kind::Part, &template, vec![initializer]));
            if let Type::Value(value) = ty {
                self.shared.push(Shared { name: format!("{name}_all"), value, length: total });
            }
            self.own_part(frame, name, ty, length, Space::Local);
        }
    }
}
