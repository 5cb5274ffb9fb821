//! Parameters, module-scope variables, arguments, and the sizes of the launch.

use super::places::{Place, Units};
use super::{Counter, Features, Generator, Program, Scope};
use crate::machine::{Argument, Launch};
use crate::random::Random;
use clvk_ir::{
    AddressSpace, AtomicOp, Builder, Constant, Function, GlobalData, Initializer, KernelInfo, KernelParam,
    KernelParamKind, Module, Op, Relocation, Scalar, Type, Value, ValueDef, WorkItemQuery,
};

/// Size in bytes of each work-item's part of the large buffer.
const PART: u64 = 64;
/// Size in bytes of read-only memory.
const READ: u64 = 128;
/// Size in bytes of each work-item's part of the buffer in which it shows its results.
const SHOWN: u64 = 256;

/// The purpose of a parameter.
enum Role {
    /// Each work-item has a part of this size in bytes.
    Parts {
        stride: u64,
        units: Units,
    },
    Read {
        units: Units,
    },
    Counters(AtomicOp, Type),
    Null,
    Local,
    Value,
    Structure {
        size: u64,
    },
}

/// A kernel whose parameters are being made.
struct Setup {
    random: Random,
    function: Function,
    params: Vec<KernelParam>,
    roles: Vec<Role>,
    launch: Launch,
}

pub(super) fn program(mut random: Random, features: Features) -> Program {
    let launch = sizes(&mut random);
    let function = Function::new("kernel", None);
    let mut setup = Setup { random, function, params: Vec::new(), roles: Vec::new(), launch };
    setup.parameters();
    let Setup { mut random, mut function, params, roles, launch } = setup;
    let uniform = (0..3).all(|d| launch.global[d].is_multiple_of(launch.local[d]));
    function.kernel = Some(KernelInfo {
        params,
        required_work_group_size: random.once_in(4).then_some(launch.local),
        uniform_work_groups: uniform && random.once_in(2),
        ..KernelInfo::default()
    });
    let mut module = Module::default();
    let globals = globals(&mut random, &mut module, &launch);
    let body = function.add_region();
    function.body = Some(body);
    let params = function.params.clone();
    let meets = random.below(3) > 0;
    let mut generator = Generator {
        random: random.fork(),
        builder: Builder::new(&mut function, body),
        features,
        fuel: 8 + random.below(20) as u32,
        counters: Vec::new(),
        exchange: None,
        rows: None,
        meets,
        asks_space: true,
    };
    let mut scope = Scope::default();
    generator.begin(&mut scope, &params, &roles);
    generator.use_globals(&mut scope, &module, &globals);
    generator.large_variable(&mut scope);
    generator.some_values(&mut scope);
    generator.statements(&mut scope, 30);
    generator.finish(&mut scope);
    module.functions.push(function);
    Program { module, launch }
}

/// One or two dimensions, few work-items, sometimes smaller groups at the ends.
fn sizes(random: &mut Random) -> Launch {
    let (work_dim, global, local) = random.pick(&[
        (1, [4, 1, 1], [2, 1, 1]),
        (1, [5, 1, 1], [2, 1, 1]),
        (1, [6, 1, 1], [4, 1, 1]),
        (1, [3, 1, 1], [3, 1, 1]),
        (2, [3, 2, 1], [2, 1, 1]),
        (2, [2, 3, 1], [2, 2, 1]),
        (3, [2, 1, 2], [1, 1, 2]),
    ]);
    let offset = [random.pick(&[0, 0, 7]), 0, 0];
    Launch { work_dim, global, local, offset, arguments: Vec::new() }
}

impl Setup {
    fn items(&self) -> u64 {
        self.launch.global.iter().map(|&size| u64::from(size)).product()
    }

    fn parameters(&mut self) {
        self.parts(SHOWN, Units::Mixed, 16);
        let units = self.units();
        self.parts(PART, units, 16);
        let small = self.random.pick(&[Type::I8, Type::I16, Type::F16, Type::Vector(Scalar::I8, 3)]);
        let size = u64::from(small.access_size());
        let stride = (5 * size).min(9);
        self.parts(
            stride / u64::from(align_of(small)) * u64::from(align_of(small)),
            Units::Only(small),
            align_of(small),
        );
        let units = self.units();
        self.read(units);
        if self.random.once_in(2) {
            self.counters();
        }
        if self.random.once_in(4) {
            let kind = KernelParamKind::Buffer { read_only: false, restrict: false, volatile: false };
            self.param(
                Type::Pointer(AddressSpace::Global),
                Some((Scalar::I32, 1)),
                kind,
                Argument::Null,
                Role::Null,
            );
        }
        if self.random.once_in(2) {
            let kind = KernelParamKind::Local { read_only: false, restrict: false, volatile: false };
            let bytes = self.launch.local.iter().product::<u32>() * 4;
            let ty = Type::Pointer(AddressSpace::Local);
            self.param(ty, Some((Scalar::I32, 1)), kind, Argument::Local(bytes), Role::Local);
        }
        for ty in [Type::I32, Type::I64, Type::F32, Type::I8, Type::Vector(Scalar::I16, 3), Type::F16] {
            if self.random.once_in(2) {
                self.number(ty);
            }
        }
        if self.random.once_in(3) {
            let size = self.random.pick(&[12, 20, 9]);
            let align = if size == 9 { 1 } else { 4 };
            let kind = KernelParamKind::Value { size, align };
            let bytes = self.bytes(u64::from(size));
            let role = Role::Structure { size: u64::from(size) };
            self.param(Type::Pointer(AddressSpace::Private), None, kind, Argument::Value(bytes), role);
        }
        if self.random.once_in(6) {
            // Too large for the push constants.
            let bytes = self.bytes(200);
            let kind = KernelParamKind::Value { size: 200, align: 8 };
            let role = Role::Structure { size: 200 };
            self.param(Type::Pointer(AddressSpace::Private), None, kind, Argument::Value(bytes), role);
        }
    }

    fn units(&mut self) -> Units {
        let only = self.random.pick(&[
            Type::I32,
            Type::F32,
            Type::Vector(Scalar::F32, 4),
            Type::I64,
            Type::I16,
            Type::Vector(Scalar::I32, 2),
        ]);
        self.random.pick(&[Units::Mixed, Units::Packed, Units::Only(only)])
    }

    fn param(
        &mut self,
        ty: Type,
        element: Option<(Scalar, u32)>,
        kind: KernelParamKind,
        argument: Argument,
        role: Role,
    ) {
        self.function.add_param(ty);
        let name = format!("p{}", self.params.len());
        let type_name = "type".to_owned();
        self.params.push(KernelParam { name, type_name, element, signed: true, kind, max_size: None });
        self.launch.arguments.push(argument);
        self.roles.push(role);
    }

    fn bytes(&mut self, count: u64) -> Vec<u8> {
        (0..count).map(|_| self.random.below(256) as u8).collect()
    }

    /// A buffer that the host passes with an offset.
    fn buffer(&mut self, size: u64, element: Option<(Scalar, u32)>, read_only: bool, role: Role) {
        let unit = element.map_or(16, |(scalar, lanes)| scalar.size() * lanes.next_power_of_two());
        let start = unit * self.random.pick(&[0, 0, 1, 3]);
        let contents = self.bytes((u64::from(start) + size).next_multiple_of(4));
        let restrict = self.random.once_in(4);
        let space = match read_only {
            true => self.random.pick(&[AddressSpace::Global, AddressSpace::Constant]),
            false => AddressSpace::Global,
        };
        let kind = KernelParamKind::Buffer { read_only, restrict, volatile: false };
        self.param(Type::Pointer(space), element, kind, Argument::Buffer { contents, start }, role);
    }

    fn parts(&mut self, stride: u64, units: Units, align: u32) {
        let size = stride * self.items();
        let element = match units {
            Units::Only(ty) => ty.scalar().map(|scalar| (scalar, if align == 16 { ty.lanes() } else { 1 })),
            _ => None,
        };
        self.buffer(size, element, false, Role::Parts { stride, units });
    }

    fn read(&mut self, units: Units) {
        let element = match units {
            Units::Only(ty) => ty.scalar().map(|scalar| (scalar, ty.lanes())),
            _ => None,
        };
        self.buffer(READ, element, true, Role::Read { units });
    }

    fn counters(&mut self) {
        use AtomicOp::*;
        let ty = self.random.pick(&[Type::I32, Type::I32, Type::I16, Type::F32]);
        let op = if ty.is_float() {
            FAdd
        } else {
            self.random.pick(&[Add, And, Or, Xor, SMin, SMax, UMin, UMax, Sub])
        };
        self.buffer(8, ty.scalar().map(|scalar| (scalar, 1)), false, Role::Counters(op, ty));
        if let (true, Some(Argument::Buffer { contents, .. })) =
            (ty.is_float(), self.launch.arguments.last_mut())
        {
            contents.fill(0);
        }
    }

    fn number(&mut self, ty: Type) {
        let scalar = ty.scalar().map_or(4, Scalar::size);
        let size = scalar * ty.lanes().next_power_of_two();
        let bytes = self.bytes(u64::from(size));
        let kind = KernelParamKind::Value { size, align: size };
        let element = ty.scalar().map(|scalar| (scalar, ty.lanes()));
        self.param(ty, element, kind, Argument::Value(bytes), Role::Value);
    }
}

fn align_of(ty: Type) -> u32 {
    ty.scalar().map_or(1, Scalar::size)
}

/// The module's variables: a table, pointers to it, and local memory; as values of the kernel.
fn globals(random: &mut Random, module: &mut Module, launch: &Launch) -> Vec<clvk_ir::Global> {
    let mut bytes = |count: u64| (0..count).map(|_| random.below(256) as u8).collect::<Vec<u8>>();
    let (small, large) = (bytes(64), bytes(4160));
    let mut add = |name: &str, space, size, initializer| {
        let data =
            GlobalData { name: name.to_owned(), space, size, align: 16, is_read_only: false, initializer };
        module.globals.push(data)
    };
    let contents = |bytes: Vec<u8>| Initializer::Bytes { bytes, relocations: Vec::new() };
    let mut all = Vec::new();
    if random.once_in(2) {
        let (bytes, size) = if random.once_in(8) { (large, 4160) } else { (small, 64) };
        let table = add("table", AddressSpace::Constant, size, contents(bytes));
        all.push(table);
        if random.once_in(3) {
            let relocations = [(0, 16), (8, 0)]
                .map(|(offset, addend)| Relocation { offset, target: table, addend })
                .to_vec();
            let initializer = Initializer::Bytes { bytes: vec![0; 16], relocations };
            all.push(add("pointers", AddressSpace::Constant, 16, initializer));
        }
    }
    if random.once_in(2) {
        let words = u64::from(launch.local.iter().product::<u32>()) * 4;
        all.push(add("local", AddressSpace::Local, words, Initializer::None));
        all.push(add("rows", AddressSpace::Local, words * 4, Initializer::None));
    }
    if random.once_in(3) {
        let items: u64 = launch.global.iter().map(|&size| u64::from(size)).product();
        all.push(add("global", AddressSpace::Global, items * 16, Initializer::Zero));
    }
    all
}

impl Generator<'_> {
    /// Makes the parameters available to statements.
    fn begin(&mut self, scope: &mut Scope, params: &[Value], roles: &[Role]) {
        let info = self.builder.function.kernel.as_ref().expect("it is a kernel");
        let elements: Vec<_> = info.params.iter().map(|param| param.element).collect();
        for ((&param, role), element) in params.iter().zip(roles).zip(elements) {
            let unit =
                element.map_or(16, |(scalar, lanes)| scalar.size() * lanes.next_power_of_two()).min(16);
            let place = |pointer, size, align, units, writable| Place {
                pointer,
                size,
                align,
                units,
                writable,
                origin: None,
            };
            match *role {
                Role::Parts { stride, units } => {
                    let item = self.number(WorkItemQuery::GlobalLinearId);
                    let pointer = self.builder.pointer_index(param, item, stride);
                    let align = unit.min(1 << stride.trailing_zeros());
                    scope.places.push(place(pointer, stride, align, units, true));
                }
                Role::Read { units } => scope.places.push(place(param, READ, unit, units, false)),
                Role::Counters(op, ty) => self.counters.push(Counter { pointer: param, op, ty }),
                Role::Null => {
                    let null = self.builder.function.constant(self.ty(param), Constant::Bits(0));
                    let is_null = self.builder.compare(clvk_ir::CompareOp::Eq, param, null);
                    scope.values.push(is_null);
                    let own = scope.places[0];
                    let pointer = self.builder.select(is_null, own.pointer, param);
                    scope.places.push(Place { pointer, ..own });
                }
                Role::Local if self.meets => self.exchange_through(param),
                Role::Local => {}
                Role::Value => scope.values.push(param),
                Role::Structure { size } => {
                    let align = if size == 9 { 1 } else { 4 };
                    let units = if size == 9 { Units::Packed } else { Units::Mixed };
                    scope.places.push(place(param, size, align, units, false));
                }
            }
        }
    }

    fn use_globals(&mut self, scope: &mut Scope, module: &Module, globals: &[clvk_ir::Global]) {
        for &global in globals {
            let data = &module.globals[global];
            let pointer = self.builder.function.global(Type::Pointer(data.space), global);
            let units = self.random.pick(&[Units::Mixed, Units::Packed, Units::Only(Type::F32)]);
            let place = Place { pointer, size: data.size, align: 16, units, writable: false, origin: None };
            match (data.space, data.size) {
                (AddressSpace::Constant, 16) => {
                    let index = self.index(scope, 2);
                    let slot = self.builder.pointer_index(pointer, index, 8);
                    let pointer = self.builder.load(slot, Type::Pointer(AddressSpace::Constant), 8, false);
                    scope.places.push(Place { pointer, size: 48, ..place });
                }
                (AddressSpace::Constant, _) => scope.places.push(place),
                (AddressSpace::Local, _) if data.name == "rows" => self.rows = Some(pointer),
                (AddressSpace::Local, _) if self.meets => self.exchange_through(pointer),
                (AddressSpace::Local, _) => {}
                _ => {
                    let item = self.number(WorkItemQuery::GlobalLinearId);
                    let pointer = self.builder.pointer_index(pointer, item, 16);
                    scope.places.push(Place { pointer, size: 16, writable: true, ..place });
                }
            }
        }
        debug_assert!(scope.places.iter().all(|place| {
            !matches!(self.builder.function.values[place.pointer].def, ValueDef::Constant(_))
        }));
    }

    /// Values that are unknown to all passes.
    fn some_values(&mut self, scope: &mut Scope) {
        let place = scope.places[0];
        let mut types = vec![Type::I32, Type::I64];
        types.extend((0..6).map(|_| self.some_type()));
        for ty in types {
            let (pointer, align) = self.within(scope, &place, ty);
            let value = self.builder.load(pointer, ty, align, false);
            scope.values.push(value);
        }
    }

    /// Sometimes makes private memory that exceeds the limit of some devices, or of all.
    fn large_variable(&mut self, scope: &mut Scope) {
        if !self.random.once_in(10) {
            return;
        }
        let size = self.random.pick(&[3600, 9000]);
        let pointer = self.alloca(size);
        self.builder.push(Op::MemoryZero { size, align: 16 }, &[pointer], &[]);
        let units = self.random.pick(&[Units::Mixed, Units::Packed, Units::Only(Type::I16)]);
        scope.places.push(Place { pointer, size, align: 16, units, writable: true, origin: None });
        self.asks_space = false;
    }
}
