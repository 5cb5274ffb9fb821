//! The whole program: types, constants, functions, and the kernel with its memory and its results.

use super::feature::Feature;
use super::node::{Kind, Node};
use super::scope::{Entry, Space, What};
use super::types::{FLOAT_BITS, INTEGERS, Record, Scalar, Type, Value};
use super::{Argument, Context, Generator, Program, item};

/// An array in local memory, of which every work-item owns a part.
#[derive(Clone, Debug)]
pub(super) struct Shared {
    name: String,
    value: Value,
    length: usize,
}

/// A counter for atomic operations that commute.
#[derive(Clone, Debug)]
pub(super) struct Counter {
    place: String,
    scalar: Scalar,
    /// Functions with their numbers of arguments.
    functions: &'static [(&'static str, usize)],
}

/// Groups of functions that commute among themselves.
const COMMUTING: [&[(&str, usize)]; 6] = [
    &[("atomic_add", 2), ("atomic_sub", 2), ("atomic_inc", 1), ("atomic_dec", 1)],
    &[("atomic_min", 2)],
    &[("atomic_max", 2)],
    &[("atomic_and", 2)],
    &[("atomic_or", 2)],
    &[("atomic_xor", 2)],
];

/// Bytes of an array in local memory: devices have 16 KiB at least (Vulkan) and there are up to two.
const MAX_LOCAL_BYTES: usize = 7 << 10;

/// What the kernel is made of.
#[derive(Default)]
struct Frame {
    parameters: Vec<String>,
    arguments: Vec<Argument>,
    /// Declarations at the start of the kernel.
    start: Vec<Node>,
    /// What the results are made of: expressions with their types.
    roots: Vec<(String, Type)>,
    items: usize,
    group: usize,
}

const PRELUDE: &str = "uint mix_word(uint hash, uint value) {\n\
    hash = (hash ^ value) * 0x01000193u;\n\
    return hash ^ (hash >> 15);\n}\n\n";

impl Generator {
    pub(super) fn program(mut self) -> Program {
        let mut items = vec![Node::text(Kind::Part, PRELUDE)];
        if self.weights.of(Feature::Struct) > 0 {
            items.extend((0..self.choice.between(0, 3)).map(|_| self.record()));
        }
        if self.weights.of(Feature::Constant) > 0 {
            items.extend((0..self.choice.between(0, 2)).map(|_| self.constant()));
        }
        if self.weights.of(Feature::Function) > 0 {
            items.extend((0..self.choice.between(0, 4)).map(|_| self.function()));
        }
        let local: Vec<usize> = match self.choice.below(4) {
            0 => vec![self.choice.between(1, 4), self.choice.between(1, 4)],
            _ => vec![*self.choice.pick(&[1, 2, 3, 4, 8, 16])],
        };
        let global: Vec<usize> = local.iter().map(|size| size * self.choice.between(1, 3)).collect();
        let (kernel, arguments) = self.kernel(&local, &global);
        items.push(kernel);
        Program { seed: self.seed, root: Node::sequence(Kind::Part, items), arguments, global, local }
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
        if value.scalar == Scalar::Float {
            self.float_literal(value, FLOAT_BITS)
        } else {
            self.literal(value)
        }
    }

    fn kernel(&mut self, local: &[usize], global: &[usize]) -> (Node, Vec<Argument>) {
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
        let template = format!("__kernel void test({parameters}) {{\n###}}\n");
        (Node::new(Kind::Part, &template, vec![start, body, results]), arguments)
    }

    fn work_item_ids(&mut self, frame: &mut Frame, dimensions: usize) {
        let (lid, group) = if dimensions == 1 {
            ("(uint)get_local_id(0)", "(uint)get_group_id(0)")
        } else {
            (
                "(uint)(get_local_id(1) * get_local_size(0) + get_local_id(0))",
                "(uint)(get_group_id(1) * get_num_groups(0) + get_group_id(0))",
            )
        };
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
            // PoCL 3.1 passes a structure to all work-items of a group by one address: what one writes, others see.
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
            let (ty, length) = (self.any_type(), self.choice.between(1, 4));
            let element = ty.name(&self.records).expect("not an array");
            let restrict = *self.choice.pick(&["", "restrict "]);
            frame.parameters.push(format!("__global {element} *{restrict}{name}_all"));
            let whole = Type::Array(Box::new(ty.clone()), length * frame.items);
            let contents = whole.contents(&self.records, &mut self.choice);
            let compare = !ty.has_padding(&self.records) && !ty.has_float(&self.records);
            frame.arguments.push(Argument::Buffer { contents, compare });
            let text = format!("__global {element} *{name} = {name}_all + gid * {length};\n");
            frame.start.push(Node::text(Kind::Part, text));
            self.own_part(frame, name, ty, length, Space::Global);
        }
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
            let (ty, length) = (self.any_type(), self.choice.between(1, 4));
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

    fn atomic_counters(&mut self, frame: &mut Frame) {
        if self.weights.of(Feature::Atomic) == 0 || self.choice.percent(50) {
            return;
        }
        let scalar = *self.choice.pick(&[Scalar::Int, Scalar::UInt]);
        let name = scalar.name();
        frame.parameters.push(format!("__global {name} *counters"));
        let counters = Type::Array(Box::new(Type::Value(Value::scalar(scalar))), 4);
        frame.arguments.push(Argument::Buffer {
            contents: counters.contents(&self.records, &mut self.choice),
            compare: true,
        });
        let mut places: Vec<String> = (0..4).map(|index| format!("&counters[{index}]")).collect();
        if self.weights.of(Feature::Local) > 0 && self.choice.percent(50) {
            let text = format!(
                "__local {name} group_counters[2];\nif (lid == 0) {{\ngroup_counters[0] = 1;\ngroup_counters[1] = 2;\n}}\n\
                 barrier(CLK_LOCAL_MEM_FENCE);\n"
            );
            frame.start.push(Node::text(Kind::Part, text));
            places.extend(["&group_counters[0]".to_owned(), "&group_counters[1]".to_owned()]);
        }
        for place in places {
            let functions = *self.choice.pick(&COMMUTING);
            self.counters.push(Counter { place, scalar, functions });
        }
    }

    /// An atomic operation whose result is not used.
    pub(super) fn atomic(&mut self, context: Context) -> Option<Node> {
        if !context.kernel || self.counters.is_empty() {
            return None;
        }
        let counter = self.choice.pick(&self.counters).clone();
        let &(function, arguments) = self.choice.pick(counter.functions);
        let place = Node::text(Kind::Part, counter.place);
        if arguments == 1 {
            return Some(Node::statement(&format!("{function}(#);\n"), vec![place]));
        }
        let operand = self.expression(Value::scalar(counter.scalar), 2);
        Some(Node::statement(&format!("{function}(#, #);\n"), vec![place, operand]))
    }

    /// Reads what another work-item wrote, between two barriers.
    pub(super) fn exchange(&mut self, context: Context) -> Option<Node> {
        if !context.kernel || !context.uniform || self.shared.is_empty() {
            return None;
        }
        let shared = self.choice.pick(&self.shared).clone();
        let index = self.index(shared.length);
        let name = self.name("v");
        self.declare_object(&name, Type::Value(shared.value), true);
        let fence = *self.choice.pick(&["CLK_LOCAL_MEM_FENCE", "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE"]);
        let template = format!(
            "barrier({fence});\n{} {name} = {}[#];\nbarrier({fence});\n",
            shared.value.name(),
            shared.name
        );
        Some(Node::statement(&template, vec![index]))
    }

    /// Statements that make numbers of everything that is there at the end.
    fn results(&mut self, frame: &Frame) -> Node {
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
        Scalar::Float => format!("h = mix_word(h, (uint)(int){path});\n"),
        Scalar::Long | Scalar::ULong => {
            format!("h = mix_word(h, (uint){path});\nh = mix_word(h, (uint)((ulong){path} >> 32));\n")
        }
        _ => format!("h = mix_word(h, (uint){path});\n"),
    }
}
