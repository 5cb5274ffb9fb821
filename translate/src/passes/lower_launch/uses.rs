//! What a kernel uses of its launch and of its parameters; the host need not pass the rest.

use super::handles::texels;
use clvk_interface::{ImageQuery, ImplicitBuffer, ScalarType};
use clvk_ir::{
    AddressSpace, ConvertOp, Function, ImageOp, Inst, Op, SampledType, Scope, Type, Value, WorkItemQuery,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// What a kernel uses of its launch.
#[derive(Default)]
pub(super) struct Uses {
    pub global_offset: bool,
    pub group_offset: bool,
    pub global_size: bool,
    pub work_dim: bool,
    pub command_number: bool,
    pub zero: bool,
    pub implicit: Vec<ImplicitBuffer>,
    /// It compares pointers or converts them to integers, so it can distinguish null.
    pub null: bool,
    pub barrier: bool,
    /// Anything about sub-groups.
    pub sub_groups: bool,
    /// The number of work-items of the sub-group.
    pub sub_group_size: bool,
    /// Structure parameters whose pointers have other uses than loads at constant offsets.
    pub copied_structures: Vec<Value>,
    /// Samplers whose properties the kernel asks for.
    pub words: FxHashSet<Value>,
    /// What the kernel asks about images, without duplicates.
    pub queries: FxHashMap<Value, Vec<ImageQuery>>,
    /// Images to whose levels of detail the kernel writes.
    pub levels: FxHashSet<Value>,
    /// The texel type of each image parameter at its first use, and whether all uses agree.
    pub images: FxHashMap<Value, (SampledType, bool)>,
}

impl Uses {
    pub(super) fn of(function: &Function) -> Uses {
        let mut uses = Uses::default();
        let mut structure_of: FxHashMap<Value, Value> = function
            .params
            .iter()
            .filter(|&&param| function.ty(param) == Type::Pointer(AddressSpace::Private))
            .map(|&param| (param, param))
            .collect();
        function.walk(|inst, data| {
            match &data.op {
                Op::WorkItem(query) => uses.query(*query),
                Op::Barrier { execution, .. } => {
                    uses.barrier = true;
                    uses.sub_groups |= *execution == Scope::SubGroup;
                }
                Op::SubGroup(_) | Op::Matrix(_) => {
                    uses.barrier = true;
                    uses.sub_groups = true;
                }
                Op::Convert(ConvertOp::PointerToInt) => uses.null = true,
                Op::Compare(_) => uses.null |= function.ty(data.operands[0]).is_pointer(),
                Op::SamplerWord => {
                    uses.words.insert(data.operands[0]);
                }
                Op::Image(ImageOp::Query(query)) => uses.ask(data.operands[0], *query),
                Op::ImplicitBuffer(which) if !uses.implicit.contains(which) => uses.implicit.push(*which),
                Op::Image(op) => uses.image(function, inst, *op),
                _ => {}
            }
            for (position, operand) in data.operands.iter().enumerate() {
                let Some(&structure) = structure_of.get(operand) else { continue };
                match constant_step(function, inst) {
                    Some(_) => {
                        structure_of.insert(data.results[0], structure);
                    }
                    None if matches!(data.op, Op::Load { .. }) => {}
                    None if matches!(data.op, Op::MemoryCopy { size, align } if position == 1 && small_copy(size, align)) => {}
                    None => uses.copied_structures.push(structure),
                }
            }
        });
        uses
    }

    pub(super) fn query(&mut self, query: WorkItemQuery) {
        match query {
            WorkItemQuery::GlobalId => {
                self.global_offset = true;
                self.group_offset = true;
            }
            WorkItemQuery::GroupId => self.group_offset = true,
            WorkItemQuery::GlobalOffset => self.global_offset = true,
            WorkItemQuery::GlobalSize | WorkItemQuery::NumGroups => self.global_size = true,
            WorkItemQuery::GlobalLinearId => {
                self.group_offset = true;
                self.global_size = true;
            }
            WorkItemQuery::WorkDim => self.work_dim = true,
            WorkItemQuery::CommandNumber => self.command_number = true,
            WorkItemQuery::SubGroupSize => {
                self.sub_groups = true;
                self.sub_group_size = true;
            }
            query if query.is_of_sub_groups() => self.sub_groups = true,
            WorkItemQuery::LocalSize
            | WorkItemQuery::EnqueuedLocalSize
            | WorkItemQuery::LocalId
            | WorkItemQuery::LocalLinearId
            | WorkItemQuery::Zero => {}
            // A launch's dispatches are determined by its group offsets.
            WorkItemQuery::DispatchLinearId => self.group_offset = true,
            other => unreachable!("{other:?} is of sub-groups"),
        }
    }

    pub(super) fn ask(&mut self, image: Value, query: ImageQuery) {
        let asked = self.queries.entry(image).or_default();
        if !asked.contains(&query) {
            asked.push(query);
        }
    }

    /// What the kernel asks about an image.
    pub(super) fn asked(&self, image: Value) -> &[ImageQuery] {
        self.queries.get(&image).map_or(&[], Vec::as_slice)
    }

    /// The number of words about an image or a sampler that the kernel needs.
    pub(super) fn word_count(&self, param: Value) -> u32 {
        u32::from(self.words.contains(&param)) + self.asked(param).len() as u32
    }

    /// What the texels of an image parameter are, as the host calls it; opaque where its uses differ, or are
    /// elsewhere.
    pub(super) fn texel(&self, image: Value) -> ScalarType {
        match self.images.get(&image) {
            Some((SampledType::Float, true)) => ScalarType::F32,
            Some((SampledType::Sint, true)) => ScalarType::I32,
            Some((SampledType::Uint, true)) => ScalarType::U32,
            _ => ScalarType::Opaque,
        }
    }

    pub(super) fn image(&mut self, function: &Function, inst: Inst, op: ImageOp) {
        let data = &function.insts[inst];
        if let Some(seen) = texels(function, inst, op) {
            let (first, alike) = self.images.entry(data.operands[0]).or_insert((seen, true));
            *alike &= *first == seen;
        }
        if matches!(op, ImageOp::Write { .. }) && data.operands.len() > 3 {
            self.levels.insert(data.operands[0]);
        }
    }
}

/// The number of bytes by which an instruction moves a pointer, if that is constant.
pub(super) fn constant_step(function: &Function, inst: Inst) -> Option<i64> {
    let data = &function.insts[inst];
    match data.op {
        Op::PointerOffset(offset) => Some(offset),
        Op::PointerIndex { stride } => {
            let index = function.as_bits(data.operands[1])?;
            let index = function.ty(data.operands[1]).scalar()?.sign_extend(index);
            index.checked_mul(i64::try_from(stride).ok()?)
        }
        _ => None,
    }
}

/// Whether a copy out of a structure is small enough for one store for each word.
pub(super) fn small_copy(size: u64, align: u32) -> bool {
    size <= 128 && align >= 4 && size.is_multiple_of(4)
}
