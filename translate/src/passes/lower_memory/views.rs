//! The typed array that represents the memory of a class of pointers, recovered from the accesses.
//!
//! If all accesses have one vector or scalar type, at multiples of its size, that is the element type. If
//! accesses differ, the element is the smallest unit that one of them uses, and wider accesses combine
//! several elements. It is a word, and smaller accesses take a part of it, if the device has no smaller unit,
//! if smaller accesses are rare, or if there are atomic operations on words. Several variables in one class
//! share one array (an arena) at different offsets.
//!
//! Where the device prefers it, an array in local memory has vectors of four as elements although single
//! numbers are accessed, too ([`View::wide`]): through pointers to their lanes, because work-items that
//! store to lanes of one vector must not disturb each other.
//!
//! Where the pointers of a class may point into memories of several kinds (private and local memory, several
//! buffers, addresses), each kind has an array of its own, and a pointer's [`View::tag`] says which one it
//! points into.
//!
//! Pointer offsets count in a power of two of bytes that divides all address arithmetic of the class
//! ([`View::scale`]), so they rarely need a shift to become element indices.

use super::Buffers;
use super::alignments::{Alignments, BUFFER_ALIGNMENT, MOST_ALIGNED};
use super::device::Device;
use super::float_atomics;
use super::matrices;
use super::objects::{Class, Objects, Root};
use super::shared::{Array, Shared};
use super::vectors::runs;
use super::words::Word;
use crate::TranslateError;
use clvk_interface::{DeviceProfile, PROGRAM_VARIABLES_TAG, Preference};
use clvk_ir::{
    AddressSpace, ElementCount, EntityId, Function, Inst, Module, Op, Scalar, Type, Variable, VariableData,
    VariableSpace,
};
use rustc_hash::FxHashMap;

/// Alignment of the variables in an arena, as a power of two.
const ARENA_ALIGNMENT: u32 = 5;

/// A typed array that represents the memory of a class.
#[derive(Clone, Debug)]
pub struct View {
    /// The array.
    pub variable: Variable,
    /// The array's address space in the source language.
    pub space: AddressSpace,
    /// High word of the pointers into it, where they have one: in memory, as integers, and where a class has
    /// several views. No device has such addresses (see [`FIRST_TAG`]).
    pub tag: u32,
    /// Type of an element.
    pub element: Type,
    /// Distance of the elements as log2 of bytes.
    pub stride: u32,
    /// The unit of pointer offsets as log2 of bytes.
    pub scale: u32,
    /// The word that is the element, if some accesses are smaller or less aligned.
    pub word: Option<Word>,
    /// Whether the elements are vectors of four 32-bit numbers, which are accessed on their own, too.
    pub wide: bool,
    /// Byte offset of each variable.
    pub roots: FxHashMap<Root, u64>,
}

impl View {
    /// The type of the lanes of the elements, if they are accessed on their own.
    pub fn lane_type(&self) -> Option<Type> {
        self.element.scalar().filter(|_| self.wide).map(Type::Scalar)
    }

    /// The offset of a variable in the unit of pointers.
    pub fn root_offset(&self, root: Root) -> i64 {
        (self.roots.get(&root).copied().unwrap_or(0) >> self.scale) as i64
    }

    /// A pointer with its tag, as stored in memory and converted to an integer.
    pub fn tagged(&self, bytes: u32) -> u64 {
        u64::from(self.tag) << 32 | u64::from(bytes)
    }
}

/// The tag of the first view. An address whose upper bits are neither all zero nor all one is invalid on
/// every device: the widest addresses have 57 bits.
const FIRST_TAG: u32 = PROGRAM_VARIABLES_TAG + 1;

/// The views of every class.
#[derive(Default)]
pub struct Views {
    of_class: FxHashMap<Class, Vec<View>>,
}

impl Views {
    /// The views of a class: none if its pointers are only addresses, or only null.
    pub fn of(&self, class: Class) -> &[View] {
        self.of_class.get(&class).map_or(&[], Vec::as_slice)
    }

    /// All views.
    pub fn iter(&self) -> impl Iterator<Item = (Class, &View)> {
        self.of_class.iter().flat_map(|(class, views)| views.iter().map(|view| (*class, view)))
    }
}

/// One typed access.
struct Access {
    scalar: Scalar,
    lanes: u32,
    /// Whether it is a load.
    loads: bool,
    /// How often it is executed, compared with others.
    times: u64,
    /// The alignment of the offset, as log2.
    align: u32,
}

impl Access {
    /// Size in bytes.
    fn size(&self) -> u64 {
        u64::from(self.scalar.size() * self.lanes)
    }
}

/// Storing a part of a word takes about as many instructions as storing this many elements.
const PART_OF_WORD: u64 = 4;
/// The same where accesses themselves cost most ([`Preference::PrivateWords`]): it is a load and a store.
const ACCESSES_OF_PART: u64 = 2;

/// What is known of a class.
#[derive(Default)]
pub(super) struct Facts {
    accesses: Vec<Access>,
    /// Copies and fills: alignment and size.
    bulk: Vec<(u32, u64)>,
    scale: Option<u32>,
    scalar_only: bool,
    /// Of cooperative matrices that are loaded or stored: an element, and the least of their alignments in
    /// bytes.
    matrix: Option<(Scalar, u32)>,
    /// The sizes in bytes of atomic operations: the sum of one or several of 2, 4 and 8.
    atomic: u32,
    /// It may be an array of vectors in which single numbers are accessed.
    wide: bool,
    /// Only one work-item uses the memory at a time, so changing a part of a word needs no atomic operation.
    unshared: bool,
    /// Accesses and elements cost more than what is computed with them.
    costly: bool,
    device: Device,
}

/// The type that a value has in memory: pointers are 64-bit integers.
pub fn memory_type(ty: Type) -> Type {
    if ty.is_pointer() { Type::I64 } else { ty }
}

/// Finds the views of every class, and makes the variables.
pub fn recover(
    module: &Module,
    function: &mut Function,
    objects: &Objects,
    profile: &DeviceProfile,
    buffers: &Buffers,
    shared: &Shared,
    wide: bool,
) -> Result<Views, Vec<TranslateError>> {
    let alignments = Alignments::find(function, objects, buffers);
    let (mut facts, copies) = collect(function, objects, &alignments, profile);
    for (class, facts) in &mut facts {
        let groups = groups(module, function, objects.roots(*class), buffers);
        let unshared =
            |group: &Group| matches!(group.storage, VariableSpace::Private | VariableSpace::ConstantTable);
        facts.scalar_only = shared.array(objects.roots(*class)).is_some();
        facts.unshared = !objects.is_physical(*class) && groups.iter().all(unshared);
        let is_private = |group: &Group| group.storage == VariableSpace::Private;
        facts.costly = profile.prefers(Preference::PrivateWords) && groups.iter().all(is_private);
        let is_local = |group: &Group| group.storage == VariableSpace::Local;
        facts.wide = wide && !objects.is_physical(*class) && groups.len() == 1 && groups.iter().all(is_local);
        facts.device = groups
            .iter()
            .map(|group| Device::of(profile, Some(group.storage)))
            .reduce(Device::and)
            .unwrap_or(Device::of(profile, None));
    }
    settle_alignments(function, objects, &alignments);
    settle_copies(&mut facts, &copies);
    let mut views = Views::default();
    let mut errors = Vec::new();
    let mut tag = FIRST_TAG;
    for class in objects.classes() {
        let none = Facts::default();
        let facts = facts.get(&class).unwrap_or(&none);
        let groups = groups(module, function, objects.roots(class), buffers);
        let single = groups.len() == 1 && !objects.is_physical(class);
        for group in groups {
            let group_tag = if group.is(buffers.holder) { PROGRAM_VARIABLES_TAG } else { tag };
            tag += 1;
            let shared = shared.array(&group.roots);
            match make_view(module, function, facts, group, shared, single, group_tag) {
                Ok(view) => views.of_class.entry(class).or_default().push(view),
                Err(problem) => {
                    errors.push(TranslateError::of_kernel(function, problem).at(objects.span(class)));
                }
            }
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    super::tables::fill(module, function, objects, &views)?;
    Ok(views)
}

/// A copy between two classes.
pub(super) struct CopyLink {
    to: Class,
    from: Class,
}

pub(super) fn collect(
    function: &Function,
    objects: &Objects,
    alignments: &Alignments,
    profile: &DeviceProfile,
) -> (FxHashMap<Class, Facts>, Vec<CopyLink>) {
    let mut facts: FxHashMap<Class, Facts> = FxHashMap::default();
    let mut copies = Vec::new();
    let runs = runs(function);
    for (value, data) in function.values.iter() {
        if let (true, Some(class)) = (data.ty.is_pointer(), objects.class(value)) {
            facts.entry(class).or_default().count_at_most(alignments.of(value));
        }
    }
    function.walk(|inst, data| {
        let class_of = |operand: usize| objects.class(data.operands[operand]);
        let claimed = |operand: usize, align: u32| {
            let value = data.operands[operand];
            let most = objects.class(value).map_or(0, |class| guaranteed(objects, class));
            alignments.of(value).max(align.max(1).ilog2().min(most))
        };
        let (ty, align) = match data.op {
            Op::Load { align, .. } => (function.ty(data.results[0]), align),
            Op::Store { align, .. } => (function.ty(data.operands[1]), align),
            Op::AtomicLoad { .. } | Op::AtomicRmw { .. } | Op::AtomicCompareExchange { .. } => {
                let ty = function.ty(data.results[0]);
                (ty, ty.access_size())
            }
            Op::AtomicStore { .. } => {
                let ty = function.ty(data.operands[1]);
                (ty, ty.access_size())
            }
            Op::MemoryCopy { size, align } => {
                let known = |operand: usize| match class_of(operand) {
                    Some(_) => claimed(operand, align),
                    None => alignments.of(data.operands[operand]).max(align.max(1).ilog2()),
                };
                let common = known(0).min(known(1)).min(size.trailing_zeros());
                for operand in 0..2 {
                    if let Some(class) = class_of(operand) {
                        let facts = facts.entry(class).or_default();
                        facts.bulk.push((claimed(operand, align), size));
                        facts.count_at_most(common);
                    }
                }
                if let (Some(to), Some(from)) = (class_of(0), class_of(1)) {
                    copies.push(CopyLink { to, from });
                }
                return;
            }
            Op::Matrix(op) if op.accesses_memory() => {
                if let Some(class) = class_of(0) {
                    let matrix = matrices::matrix_of(function, inst);
                    facts
                        .entry(class)
                        .or_default()
                        .add_matrix(matrix.element.held(), matrices::alignment(matrix, op));
                }
                return;
            }
            Op::MemoryZero { size, align } => {
                if let Some(class) = class_of(0) {
                    let facts = facts.entry(class).or_default();
                    facts.bulk.push((claimed(0, align), size));
                    facts.count_at_most(claimed(0, align).min(size.trailing_zeros()));
                }
                return;
            }
            _ => return,
        };
        let Some(class) = class_of(0) else { return };
        let ty = memory_type(ty);
        let scalar = ty.scalar().expect("only scalars, vectors and pointers are in memory");
        let atomic = !matches!(data.op, Op::Load { .. } | Op::Store { .. });
        let scalar = if atomic { float_atomics::held(profile, &data.op, scalar) } else { scalar };
        let loads = matches!(data.op, Op::Load { .. });
        let times = runs[inst.index()];
        let access = Access { scalar, lanes: ty.lanes(), loads, times, align: claimed(0, align) };
        let facts = facts.entry(class).or_default();
        if atomic {
            facts.atomic |= scalar.size();
        }
        facts.accesses.push(access);
    });
    (facts, copies)
}

/// Sets the alignments of accesses to what is known about their variables.
fn settle_alignments(function: &mut Function, objects: &Objects, alignments: &Alignments) {
    let mut known: Vec<(Inst, u32)> = Vec::new();
    function.walk(|inst, data| {
        let (Op::Load { align, .. }
        | Op::Store { align, .. }
        | Op::MemoryCopy { align, .. }
        | Op::MemoryZero { align, .. }) = data.op
        else {
            return;
        };
        let pointers = if matches!(data.op, Op::MemoryCopy { .. }) { 2 } else { 1 };
        let claims = data.operands[..pointers].iter().map(|&pointer| match objects.class(pointer) {
            Some(class) if !objects.is_physical(class) => {
                alignments.of(pointer).max(align.max(1).ilog2().min(guaranteed(objects, class)))
            }
            _ => align.max(1).ilog2(),
        });
        known.push((inst, claims.min().unwrap_or(0)));
    });
    for (inst, log2) in known {
        if let Op::Load { align, .. }
        | Op::Store { align, .. }
        | Op::MemoryCopy { align, .. }
        | Op::MemoryZero { align, .. } = &mut function.insts[inst].op
        {
            *align = (1 << log2).max(1);
        }
    }
}

/// The alignment of the start of each variable of a class.
fn guaranteed(objects: &Objects, class: Class) -> u32 {
    match objects.roots(class) {
        roots if roots.iter().any(|root| matches!(root, Root::Variable(_))) => BUFFER_ALIGNMENT,
        [_] => MOST_ALIGNED,
        _ => ARENA_ALIGNMENT,
    }
}

impl Facts {
    /// Those of local memory that is split into scalars.
    pub(super) fn of_local_memory(profile: &DeviceProfile) -> Facts {
        let device = Device::of(profile, Some(VariableSpace::Local));
        Facts { scalar_only: true, device, ..Facts::default() }
    }

    /// Adds what else is done with the memory.
    pub(super) fn add(&mut self, other: Facts) {
        self.accesses.extend(other.accesses);
        self.bulk.extend(other.bulk);
        self.atomic |= other.atomic;
        if let Some((scalar, align)) = other.matrix {
            self.add_matrix(scalar, align);
        }
    }

    fn add_matrix(&mut self, scalar: Scalar, align: u32) {
        let (first, least) = self.matrix.unwrap_or((scalar, align));
        self.matrix = Some((first, least.min(align)));
    }

    /// Limits the unit of offsets to `step` bytes, as log2 of bytes.
    fn count_at_most(&mut self, step: u32) {
        self.scale = Some(self.scale.unwrap_or(MOST_ALIGNED).min(step));
    }

    /// The smallest unit that an access uses as log2 of bytes.
    fn unit(&self) -> u32 {
        let accesses = self.accesses.iter().map(|access| access.scalar.size().ilog2().min(access.align));
        let bulk = self.bulk.iter().map(|(align, size)| (*align).min(size.trailing_zeros()));
        let typed = accesses.min();
        let most = if typed.is_none() || self.device.no_64bit { 2 } else { 3 };
        typed.into_iter().chain(bulk).min().unwrap_or(2).min(most)
    }

    /// The word that is the element although some accesses are smaller: where the device has no smaller ones,
    /// where there are atomic operations on words or halves of them, and where it takes fewer instructions.
    fn word(&self) -> Option<Word> {
        let atomic = |size: u32| self.atomic & size != 0;
        let unit = self.unit();
        if atomic(8) && unit < 3 && !self.unshared && !self.device.no_64bit {
            return Some(Word::Double);
        }
        let gain = if self.costly { 1 } else { 2 };
        let few = || self.unshared && unit < 2 && gain * self.steps_in_words() <= self.steps_in_units(unit);
        ((atomic(4) && unit < 2) || atomic(2) || self.device.lacks(unit) || few()).then_some(Word::Single)
    }

    /// Sizes, and alignments as log2, of accesses, copies and fills.
    fn sizes(&self) -> impl Iterator<Item = (u64, u32)> {
        let accesses = self.accesses.iter().map(|access| (access.size(), access.align));
        let bulk = self.bulk.iter().map(|&(align, size)| (size, align.min(size.trailing_zeros())));
        accesses.chain(bulk)
    }

    /// How many elements all accesses touch if an element is a unit of this size, as log2 of bytes.
    fn steps_in_units(&self, unit: u32) -> u64 {
        self.sizes().map(|(size, _)| size >> unit).sum()
    }

    /// How many elements all accesses touch if an element is a word; reading and changing a part of a word
    /// counts as several.
    fn steps_in_words(&self) -> u64 {
        let part = if self.costly { ACCESSES_OF_PART } else { PART_OF_WORD };
        let steps = |(size, align): (u64, u32)| match size {
            _ if align >= 2 && size.is_multiple_of(4) => size / 4,
            0..8 => part * (size / 4 + 1),
            _ => part * (size >> align.min(2)),
        };
        self.sizes().map(steps).sum()
    }

    /// The element's type, and its stride as log2.
    fn element(&self) -> (Type, u32) {
        if let (Some((scalar, _)), true) = (self.matrix, self.accesses.is_empty() && self.bulk.is_empty()) {
            return (Type::Scalar(scalar), scalar.size().ilog2());
        }
        let unit = self.unit();
        if let Some(word) = self.word() {
            return (word.ty(), word.bytes().ilog2());
        }
        let held = |scalar| if scalar == Scalar::F16 && self.device.no_half { Scalar::I16 } else { scalar };
        let mut scalars = self.accesses.iter().map(|access| held(access.scalar));
        let scalar = match scalars.next() {
            Some(first) if first.size().ilog2() == unit && scalars.all(|scalar| scalar == first) => first,
            _ => return (Type::Scalar(Scalar::int(8 << unit)), unit),
        };
        let lanes = self.accesses[0].lanes;
        let stride = (scalar.size() * lanes.next_power_of_two()).ilog2();
        let fits = |align: u32| align >= stride;
        let matrices_fit = self.matrix.is_none_or(|(_, align)| fits(align.ilog2()));
        let vector = lanes > 1
            && matrices_fit
            && !self.scalar_only
            && self.accesses.iter().all(|access| access.lanes == lanes && fits(access.align))
            && self.bulk.iter().all(|(align, size)| fits(*align) && fits(size.trailing_zeros()));
        if vector {
            return (Type::with_lanes(scalar, lanes), stride);
        }
        if self.is_wide(scalar) { (Type::with_lanes(scalar, 4), 4) } else { (Type::Scalar(scalar), unit) }
    }

    /// Whether vectors of four are the elements although some accesses are of numbers. All are of numbers of
    /// this type or of aligned vectors of four of them. Accesses of numbers take a shift and a mask more, so
    /// at least as many accesses must be loads of vectors.
    fn is_wide(&self, scalar: Scalar) -> bool {
        let fits = |access: &Access| access.lanes == 1 || access.lanes == 4 && access.align >= 4;
        let sum = |total: u64, access: &Access| total.saturating_add(access.times);
        let vectors = self.accesses.iter().filter(|access| access.lanes == 4 && access.loads).fold(0, sum);
        let numbers = self.accesses.iter().filter(|access| access.lanes == 1).fold(0, sum);
        self.wide
            && !self.scalar_only
            && matches!(scalar, Scalar::I32 | Scalar::F32)
            && self.atomic == 0
            && self.matrix.is_none()
            && self.accesses.iter().all(fits)
            && self.bulk.iter().all(|(align, size)| *align >= 4 && size.is_multiple_of(16))
            && vectors >= numbers
    }
}

/// Memories that are copied to each other use the same vector element, or scalar ones.
fn settle_copies(facts: &mut FxHashMap<Class, Facts>, copies: &[CopyLink]) {
    loop {
        let mut changed = false;
        for CopyLink { to, from } in copies {
            let element = |class: &Class| facts.get(class).map(Facts::element);
            let (a, b) = (element(to), element(from));
            if a == b {
                continue;
            }
            for class in [to, from] {
                if let Some(facts) = facts.get_mut(class).filter(|facts| facts.element().0.lanes() > 1) {
                    facts.scalar_only = true;
                    changed = true;
                }
            }
        }
        if !changed {
            return;
        }
    }
}

/// Variables of a class that share an array.
struct Group {
    storage: VariableSpace,
    space: AddressSpace,
    roots: Vec<Root>,
}

impl Group {
    /// Whether the group is this variable alone.
    fn is(&self, variable: Option<Variable>) -> bool {
        variable.is_some_and(|variable| self.roots == [Root::Variable(variable)])
    }
}

/// The groups of a class: one for each kind of storage, and one for each variable that the host provides.
fn groups(module: &Module, function: &Function, roots: &[Root], buffers: &Buffers) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for &root in roots {
        let (storage, space) = match root {
            Root::Alloca(_) => (VariableSpace::Private, AddressSpace::Private),
            Root::Global(global) => match module.globals[global].space {
                AddressSpace::Local => (VariableSpace::Local, AddressSpace::Local),
                _ => (VariableSpace::ConstantTable, AddressSpace::Constant),
            },
            Root::Variable(variable) => match function.variables[variable].space {
                VariableSpace::Local => (VariableSpace::Local, AddressSpace::Local),
                storage if buffers.private == Some(variable) => (storage, AddressSpace::Private),
                // Constant buffers too: where it matters, a constant pointer may point to either.
                storage => (storage, AddressSpace::Global),
            },
        };
        let alone = |root: &Root| matches!(root, Root::Variable(_));
        let found = groups
            .iter_mut()
            .find(|group| !alone(&root) && group.storage == storage && !group.roots.iter().any(alone));
        match found {
            Some(group) => group.roots.push(root),
            None => groups.push(Group { storage, space, roots: vec![root] }),
        }
    }
    groups
}

/// The view of a group; `single` if the class has only this one.
fn make_view(
    module: &Module,
    function: &mut Function,
    facts: &Facts,
    group: Group,
    shared: Option<&Array>,
    single: bool,
    tag: u32,
) -> Result<View, String> {
    let all = shared.map_or(facts, |array| &array.facts);
    let (element, stride) = all.element();
    let scale = if single { facts.scale.unwrap_or(stride).min(stride) } else { 0 };
    let (variable, roots) = if let [Root::Variable(variable)] = group.roots[..] {
        function.variables[variable].element = element;
        (variable, FxHashMap::from_iter([(Root::Variable(variable), 0)]))
    } else {
        let placed = shared.map_or(&group.roots, |array| &array.roots);
        let Placed { roots, count, mut name } = place_roots(module, function, placed, stride)?;
        if let Some(array) = shared {
            name.clone_from(&array.name);
        }
        let (space, count, shared) = (group.storage, ElementCount::Fixed(count), shared.is_some());
        let data = VariableData { name, space, shared, element, count, initializer: Vec::new() };
        (function.variables.push(data), roots)
    };
    let word = all.word();
    let wide = element.lanes() > 1 && all.accesses.iter().any(|access| access.lanes == 1);
    Ok(View { variable, space: group.space, tag, element, stride, scale, word, wide, roots })
}

/// The variables of an array.
struct Placed {
    /// Byte offset of each.
    roots: FxHashMap<Root, u64>,
    /// Number of elements of the array.
    count: u32,
    name: String,
}

/// Assigns each variable its offset.
fn place_roots(module: &Module, function: &Function, roots: &[Root], stride: u32) -> Result<Placed, String> {
    let mut end = 0u64;
    let mut name = String::from("arena");
    let mut offsets = FxHashMap::default();
    for &root in roots {
        let size = match root {
            Root::Alloca(inst) => match function.insts[inst].op {
                Op::Alloca { size, .. } => size,
                _ => unreachable!("the root is an alloca"),
            },
            Root::Global(global) => module.globals[global].size,
            Root::Variable(_) => unreachable!("a variable that the host provides is alone"),
        };
        if let ([_], Root::Global(global)) = (roots, root) {
            name.clone_from(&module.globals[global].name);
        }
        end = end.next_multiple_of(1 << ARENA_ALIGNMENT);
        offsets.insert(root, end);
        end = end.saturating_add(size).min(u64::MAX / 2);
    }
    let elements = end.div_ceil(1 << stride).max(1);
    if end > u64::from(u32::MAX / 2) {
        return Err(format!("has variables of {end} bytes in total; the limit is 2^31 bytes"));
    }
    Ok(Placed { roots: offsets, count: elements as u32, name })
}
