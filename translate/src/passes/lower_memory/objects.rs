//! Which variables a pointer may point into.
//!
//! Pointers that may meet (through region parameters, results, selections or memory) share a class, found by
//! unification as in Steensgaard's analysis. Each class knows its roots, whether it holds physical addresses,
//! and the classes of the pointers that are stored in its memory. Constants (null) belong to no class: they
//! take the representation of the class that they meet.
//!
//! Pointers also meet through integers. A pointer made from an integer may point into everything whose
//! address became an integer ([`Objects::join_integers`]), including memory that is written as one and read
//! as the other. All physical memory holds the same pointers, because two buffers may be the same.

use clvk_ir::{
    AddressSpace, ConvertOp, EntityId, Function, Global, Initializer, Inst, Module, Op, Region, Span, Type,
    Value, ValueDef, Variable,
};
use rustc_hash::FxHashMap;

use crate::passes::cursor::region_owners;

/// A class of pointers: an index into [`Objects`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Class(u32);

/// A memory object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Root {
    /// Private memory.
    Alloca(Inst),
    /// A module-scope variable.
    Global(Global),
    /// A storage buffer, or local memory whose size the host sets.
    Variable(Variable),
}

#[derive(Default)]
struct Node {
    roots: Vec<Root>,
    physical: bool,
    /// Classes of the pointers in this memory, one for each address space.
    pointees: [Option<Class>; 5],
    /// By address space: whether pointers are read from it.
    reads_pointers: [bool; 5],
    /// Values other than pointers are written to it or read from it.
    holds_others: bool,
    /// Where it was first seen, for messages.
    span: Span,
}

/// Where a pointer operand of structured control flow leads.
pub struct Flow {
    /// Position of the operand.
    pub operand: usize,
    /// The value that it may become.
    pub target: Value,
}

/// The classes of a function's pointers.
pub struct Objects {
    parents: Vec<u32>,
    nodes: Vec<Node>,
    of_value: FxHashMap<Value, Class>,
    of_root: FxHashMap<Root, Class>,
    owners: Vec<Option<Inst>>,
    /// Pointers of this class and address space were converted to integers.
    to_integers: Vec<(Class, AddressSpace)>,
    /// Integers were converted to pointers of this class and address space.
    from_integers: Vec<(Class, AddressSpace)>,
    /// Some private memory is in a buffer that is reached by its address.
    private_addresses: bool,
}

const SPACES: [AddressSpace; 5] = [
    AddressSpace::Private,
    AddressSpace::Local,
    AddressSpace::Global,
    AddressSpace::Constant,
    AddressSpace::Generic,
];

/// Whether pointers of two address spaces may point to the same memory.
fn overlap(a: AddressSpace, b: AddressSpace) -> bool {
    let generic = |a, b| a == AddressSpace::Generic && b != AddressSpace::Constant;
    a == b || generic(a, b) || generic(b, a)
}

fn space_index(space: AddressSpace) -> usize {
    match space {
        AddressSpace::Private => 0,
        AddressSpace::Local => 1,
        AddressSpace::Global => 2,
        AddressSpace::Constant => 3,
        AddressSpace::Generic => 4,
    }
}

impl Objects {
    /// Finds the classes. `physical` says that integers may be addresses. `holder` is the storage buffer with
    /// the program's variables, which may contain pointers to them.
    pub fn find(module: &Module, function: &Function, physical: bool, holder: Option<Variable>) -> Objects {
        let mut objects = Objects {
            parents: Vec::new(),
            nodes: Vec::new(),
            of_value: FxHashMap::default(),
            of_root: FxHashMap::default(),
            owners: region_owners(function),
            to_integers: Vec::new(),
            from_integers: Vec::new(),
            private_addresses: false,
        };
        let region_of = regions_of_insts(function);
        function.walk(|inst, _| objects.visit(module, function, inst, region_of[inst.index()]));
        if let Some(holder) = holder {
            let class = objects.root_class(Root::Variable(holder), function.span);
            for space in [AddressSpace::Global, AddressSpace::Constant] {
                let slot = objects.pointee_class(class, space, function.span);
                objects.unify(slot, class);
            }
        }
        objects.settle(physical);
        objects
    }

    /// Joins classes that meet through integers and through physical memory, until nothing changes.
    fn settle(&mut self, physical: bool) {
        loop {
            let before = (self.classes().count(), self.physical_count(), self.from_integers.len());
            self.join_generic_pointees();
            self.read_integers_as_pointers();
            self.join_integers(physical);
            self.spread_addresses();
            if before == (self.classes().count(), self.physical_count(), self.from_integers.len()) {
                return;
            }
        }
    }

    fn physical_count(&self) -> usize {
        self.classes().filter(|&class| self.is_physical(class)).count()
    }

    /// Memory that holds generic pointers may hold those of other address spaces at the same position.
    fn join_generic_pointees(&mut self) {
        for class in self.classes().collect::<Vec<_>>() {
            let Some(generic) = self.pointee(class, AddressSpace::Generic) else { continue };
            for space in [AddressSpace::Private, AddressSpace::Local, AddressSpace::Global] {
                if let Some(pointee) = self.pointee(class, space) {
                    self.unify(generic, pointee);
                }
            }
        }
    }

    /// Where pointers are read from memory to which only other values were written, those were pointers
    /// converted to integers. If any pointers are made from integers, all pointers in memory together with
    /// other values may have been read as integers.
    fn read_integers_as_pointers(&mut self) {
        let mut read = Vec::new();
        let mut written = Vec::new();
        for class in self.classes() {
            let node = &self.nodes[class.0 as usize];
            for space in SPACES {
                let Some(pointee) = self.pointee(class, space).filter(|_| node.holds_others) else {
                    continue;
                };
                let rootless = self.roots(pointee).is_empty() && !self.is_physical(pointee);
                if rootless && node.reads_pointers[space_index(space)] {
                    read.push((pointee, space));
                } else if !rootless {
                    written.push((pointee, space));
                }
            }
        }
        read.retain(|(class, space)| {
            !self.from_integers.iter().any(|(known, of)| self.representative(*known) == *class && of == space)
        });
        self.from_integers.extend(read);
        if !self.from_integers.is_empty() {
            written.retain(|(class, space)| {
                !self
                    .to_integers
                    .iter()
                    .any(|(known, of)| self.representative(*known) == *class && of == space)
            });
            self.to_integers.extend(written);
        }
    }

    /// A pointer made from an integer may point into everything that was converted to an integer.
    fn join_integers(&mut self, physical: bool) {
        for (pointer, space) in self.from_integers.clone() {
            if physical && self.has_addresses(space) {
                let class = self.representative(pointer);
                self.nodes[class.0 as usize].physical = true;
            }
            for (source, of) in self.to_integers.clone() {
                if overlap(space, of) {
                    self.unify(pointer, source);
                }
            }
        }
    }

    /// The class of a pointer; `None` for constants.
    pub fn class(&self, value: Value) -> Option<Class> {
        self.of_value.get(&value).map(|&class| self.representative(class))
    }

    /// The class of the pointers of one address space that are stored in the memory of a class.
    pub fn pointee(&self, class: Class, space: AddressSpace) -> Option<Class> {
        let class = self.representative(class);
        self.nodes[class.0 as usize].pointees[space_index(space)].map(|class| self.representative(class))
    }

    /// The class of pointers to a root.
    pub fn class_of_root(&self, root: Root) -> Option<Class> {
        self.of_root.get(&root).map(|&class| self.representative(class))
    }

    /// The roots of a class.
    pub fn roots(&self, class: Class) -> &[Root] {
        &self.nodes[self.representative(class).0 as usize].roots
    }

    /// Whether a class holds addresses.
    pub fn is_physical(&self, class: Class) -> bool {
        self.nodes[self.representative(class).0 as usize].physical
    }

    /// Whether the memory of a class holds other values than pointers.
    pub fn holds_others(&self, class: Class) -> bool {
        self.nodes[self.representative(class).0 as usize].holds_others
    }

    /// Whether pointers of an address space are read from the memory of a class.
    pub fn reads_pointers(&self, class: Class, space: AddressSpace) -> bool {
        self.nodes[self.representative(class).0 as usize].reads_pointers[space_index(space)]
    }

    /// Whether pointers of an address space may be addresses.
    pub fn has_addresses(&self, space: AddressSpace) -> bool {
        match space {
            AddressSpace::Private => self.private_addresses,
            AddressSpace::Local => false,
            AddressSpace::Global | AddressSpace::Constant | AddressSpace::Generic => true,
        }
    }

    /// The source position where a class was first seen.
    pub fn span(&self, class: Class) -> Span {
        self.nodes[self.representative(class).0 as usize].span
    }

    /// The classes.
    pub fn classes(&self) -> impl Iterator<Item = Class> + '_ {
        (0..self.parents.len() as u32).filter(|&index| self.parents[index as usize] == index).map(Class)
    }

    fn representative(&self, class: Class) -> Class {
        let mut index = class.0;
        while self.parents[index as usize] != index {
            index = self.parents[index as usize];
        }
        Class(index)
    }

    fn new_class(&mut self, span: Span) -> Class {
        let index = self.parents.len() as u32;
        self.parents.push(index);
        self.nodes.push(Node { span, ..Node::default() });
        Class(index)
    }

    fn root_class(&mut self, root: Root, span: Span) -> Class {
        if let Some(&class) = self.of_root.get(&root) {
            return class;
        }
        let class = self.new_class(span);
        self.nodes[class.0 as usize].roots.push(root);
        self.of_root.insert(root, class);
        class
    }

    /// The class of an operand or result, created at first sight; `None` for null.
    fn value_class(
        &mut self,
        module: &Module,
        function: &Function,
        value: Value,
        span: Span,
    ) -> Option<Class> {
        match function.values[value].def {
            ValueDef::Constant(_) => None,
            ValueDef::Global(global) => {
                let class = self.global_class(module, global, span);
                self.of_value.insert(value, class);
                Some(class)
            }
            _ => Some(match self.of_value.get(&value) {
                Some(&class) => class,
                None => {
                    let class = self.new_class(span);
                    self.of_value.insert(value, class);
                    class
                }
            }),
        }
    }

    /// A variable and, through the pointers in its initialiser, those that it refers to.
    fn global_class(&mut self, module: &Module, global: Global, span: Span) -> Class {
        let mut found = None;
        let mut pending = vec![(global, None::<Class>)];
        while let Some((global, holder)) = pending.pop() {
            let known = self.of_root.contains_key(&Root::Global(global));
            let class = self.root_class(Root::Global(global), span);
            found.get_or_insert(class);
            let data = &module.globals[global];
            if let Some(holder) = holder {
                let slot = self.pointee_class(holder, data.space, span);
                self.unify(slot, class);
            }
            if let (false, Initializer::Bytes { relocations, .. }) = (known, &data.initializer) {
                pending.extend(relocations.iter().map(|relocation| (relocation.target, Some(class))));
            }
        }
        found.expect("the first variable was visited")
    }

    fn pointee_class(&mut self, class: Class, space: AddressSpace, span: Span) -> Class {
        let class = self.representative(class);
        if let Some(pointee) = self.nodes[class.0 as usize].pointees[space_index(space)] {
            return pointee;
        }
        let pointee = self.new_class(span);
        self.nodes[class.0 as usize].pointees[space_index(space)] = Some(pointee);
        pointee
    }

    fn unify(&mut self, a: Class, b: Class) {
        let mut pending = vec![(a, b)];
        while let Some((a, b)) = pending.pop() {
            let (a, b) = (self.representative(a), self.representative(b));
            if a == b {
                continue;
            }
            let (into, from) = if a.0 < b.0 { (a, b) } else { (b, a) };
            self.parents[from.0 as usize] = into.0;
            let node = std::mem::take(&mut self.nodes[from.0 as usize]);
            let target = &mut self.nodes[into.0 as usize];
            target.physical |= node.physical;
            target.holds_others |= node.holds_others;
            for (mine, other) in target.reads_pointers.iter_mut().zip(node.reads_pointers) {
                *mine |= other;
            }
            target.roots.extend(node.roots);
            for (slot, pointee) in target.pointees.iter_mut().zip(node.pointees) {
                match (*slot, pointee) {
                    (Some(mine), Some(other)) => pending.push((mine, other)),
                    (None, other) => *slot = other,
                    (Some(_), None) => {}
                }
            }
        }
    }

    fn unify_values(&mut self, module: &Module, function: &Function, a: Value, b: Value, span: Span) {
        let a = self.value_class(module, function, a, span);
        let b = self.value_class(module, function, b, span);
        if let (Some(a), Some(b)) = (a, b) {
            self.unify(a, b);
        }
    }

    /// The pointer operands of `inst` that become other values without being changed.
    pub fn flows(&self, function: &Function, inst: Inst, region: Option<Region>) -> Vec<Flow> {
        self.flows_into(function, inst, region, |target| function.ty(target).is_pointer())
    }

    /// The same while pointers are being turned into integers.
    pub fn lowered_flows(&self, function: &Function, inst: Inst, region: Option<Region>) -> Vec<Flow> {
        self.flows_into(function, inst, region, |target| self.class(target).is_some())
    }

    fn flows_into(
        &self,
        function: &Function,
        inst: Inst,
        region: Option<Region>,
        is_pointer: impl Fn(Value) -> bool,
    ) -> Vec<Flow> {
        let data = &function.insts[inst];
        let targets: &[Value] = match &data.op {
            Op::Select => {
                let target = data.results[0];
                return match is_pointer(target) {
                    true => vec![Flow { operand: 1, target }, Flow { operand: 2, target }],
                    false => Vec::new(),
                };
            }
            Op::Exit(owner) => &function.insts[*owner].results,
            Op::Continue(owner) => &function.regions[function.insts[*owner].regions[1]].params,
            Op::Loop(_) => &function.regions[data.regions[0]].params,
            Op::NextIteration => match region.and_then(|region| self.owners[region.index()]) {
                Some(owner) => &function.regions[function.insts[owner].regions[0]].params,
                None => &[],
            },
            _ => &[],
        };
        targets
            .iter()
            .enumerate()
            .filter(|(_, target)| is_pointer(**target))
            .map(|(operand, &target)| Flow { operand, target })
            .collect()
    }

    fn visit(&mut self, module: &Module, function: &Function, inst: Inst, region: Option<Region>) {
        let data = &function.insts[inst];
        for Flow { operand, target } in self.flows(function, inst, region) {
            self.unify_values(module, function, data.operands[operand], target, data.span);
        }
        match &data.op {
            Op::Alloca { .. } => {
                let class = self.root_class(Root::Alloca(inst), data.span);
                self.of_value.insert(data.results[0], class);
            }
            Op::ElementPointer(variable) => {
                let class = self.root_class(Root::Variable(*variable), data.span);
                self.of_value.insert(data.results[0], class);
            }
            Op::PhysicalPointer(space) => {
                self.private_addresses |= *space == AddressSpace::Private;
                if let Some(class) = self.value_class(module, function, data.results[0], data.span) {
                    let class = self.representative(class);
                    self.nodes[class.0 as usize].physical = true;
                }
            }
            Op::Convert(ConvertOp::IntToPointer) => {
                let space = function.ty(data.results[0]).address_space();
                if let Some(class) = self.value_class(module, function, data.results[0], data.span) {
                    self.from_integers.push((class, space.expect("the result is a pointer")));
                }
            }
            Op::Convert(ConvertOp::PointerToInt) => {
                let space = function.ty(data.operands[0]).address_space();
                if let Some(class) = self.value_class(module, function, data.operands[0], data.span) {
                    self.to_integers.push((class, space.expect("the operand is a pointer")));
                }
            }
            Op::PointerOffset(_) | Op::PointerIndex { .. } | Op::Convert(ConvertOp::AddressSpace) => {
                self.unify_values(module, function, data.operands[0], data.results[0], data.span);
            }
            Op::MemoryCopy { .. } => self.copy(module, function, inst),
            _ => self.memory_access(module, function, inst),
        }
    }

    fn copy(&mut self, module: &Module, function: &Function, inst: Inst) {
        let data = &function.insts[inst];
        let to = self.value_class(module, function, data.operands[0], data.span);
        let from = self.value_class(module, function, data.operands[1], data.span);
        let (Some(to), Some(from)) = (to, from) else { return };
        for space in 0..5 {
            let mine = self.nodes[self.representative(to).0 as usize].pointees[space];
            let other = self.nodes[self.representative(from).0 as usize].pointees[space];
            let shared = match (mine, other) {
                (Some(mine), Some(other)) => {
                    self.unify(mine, other);
                    mine
                }
                (Some(one), None) | (None, Some(one)) => one,
                (None, None) => self.new_class(data.span),
            };
            for side in [to, from] {
                let side = self.representative(side);
                self.nodes[side.0 as usize].pointees[space].get_or_insert(shared);
            }
        }
    }

    /// Loads and stores of pointers, in any kind of memory.
    fn memory_access(&mut self, module: &Module, function: &Function, inst: Inst) {
        let data = &function.insts[inst];
        let accessed = match data.op {
            Op::Load { .. } => data.results[0],
            Op::Store { .. } => data.operands[1],
            _ => {
                for operand in data.operands.iter().filter(|operand| function.ty(**operand).is_pointer()) {
                    self.value_class(module, function, *operand, data.span);
                }
                return;
            }
        };
        let memory = self.value_class(module, function, data.operands[0], data.span);
        let Type::Pointer(space) = function.ty(accessed) else {
            if let Some(memory) = memory {
                let memory = self.representative(memory);
                self.nodes[memory.0 as usize].holds_others = true;
            }
            return;
        };
        if let (Some(memory), Op::Load { .. }) = (memory, &data.op) {
            let memory = self.representative(memory);
            self.nodes[memory.0 as usize].reads_pointers[space_index(space)] = true;
        }
        let accessed = self.value_class(module, function, accessed, data.span);
        if let (Some(memory), Some(accessed)) = (memory, accessed) {
            let slot = self.pointee_class(memory, space, data.span);
            self.unify(slot, accessed);
        }
    }

    /// Pointers that are read from physical memory are addresses; all physical memory holds the same
    /// pointers.
    fn spread_addresses(&mut self) {
        let physical: Vec<Class> = self.classes().filter(|&class| self.is_physical(class)).collect();
        for space in SPACES {
            let pointees: Vec<Class> =
                physical.iter().filter_map(|&class| self.pointee(class, space)).collect();
            let Some(&first) = pointees.first() else { continue };
            for &other in &pointees[1..] {
                self.unify(first, other);
            }
            if !matches!(space, AddressSpace::Private | AddressSpace::Local) {
                let first = self.representative(first);
                self.nodes[first.0 as usize].physical = true;
            }
        }
    }
}

/// The region that each instruction is in.
pub fn regions_of_insts(function: &Function) -> Vec<Option<Region>> {
    let mut region_of = vec![None; function.insts.len()];
    for (region, data) in function.regions.iter() {
        for inst in &data.insts {
            region_of[inst.index()] = Some(region);
        }
    }
    region_of
}
