//! Images and samplers: descriptors, and words that describe them where the kernel asks.

use super::{Lowering, Uses};
use crate::TranslateError;
use clvk_interface::enqueue::PROGRAM_SAMPLER;
use clvk_interface::{
    Argument, ArgumentKind, DeviceProfile, ImageAccess, ImageDimension, ImageQuery, MOST_LEVELS,
    SamplerSource, TexelSampler, ValueLocation,
};
use clvk_ir::{Function, ImageOp, ImageType, Inst, Op, SampledType, SamplerWord, Type, Value};

/// The texel type with which an operation accesses its image.
pub(super) fn texels(function: &Function, inst: Inst, op: ImageOp) -> Option<SampledType> {
    let data = &function.insts[inst];
    let (texel, signed) = match op {
        ImageOp::SampledRead | ImageOp::SampledTexel => return Some(SampledType::Float),
        ImageOp::Read { signed } => (function.ty(data.results[0]), signed),
        ImageOp::Write { signed } => (function.ty(data.operands[2]), signed),
        _ => return None,
    };
    Some(match (texel.is_float(), signed) {
        (true, _) => SampledType::Float,
        (false, true) => SampledType::Sint,
        (false, false) => SampledType::Uint,
    })
}

/// Refuses a kernel that needs more descriptors of a kind than the device has for one stage. Buffers that are
/// read or written as images count as images (Vulkan, Limits).
///
/// # Errors
/// One for each kind.
pub(super) fn check_counts(
    function: &Function,
    arguments: &[Argument],
    other_samplers: u32,
    profile: &DeviceProfile,
) -> Result<(), Vec<TranslateError>> {
    let (mut sampled, mut storage, mut samplers) = (0, 0, other_samplers);
    for argument in arguments {
        match argument.kind {
            ArgumentKind::Image { access: ImageAccess::ReadOnly, .. } => sampled += 1,
            ArgumentKind::Image { levels, .. } => storage += levels,
            ArgumentKind::Sampler { .. } => samplers += 1,
            _ => {}
        }
    }
    let counts = [
        (sampled, "reads", "images", profile.max_sampled_images, "maxPerStageDescriptorSampledImages"),
        (
            storage,
            "writes to",
            "images, counting each level of detail",
            profile.max_storage_images,
            "maxPerStageDescriptorStorageImages",
        ),
        (samplers, "uses", "samplers", profile.max_samplers, "maxPerStageDescriptorSamplers"),
    ];
    let errors: Vec<TranslateError> = counts
        .into_iter()
        .filter(|&(count, .., limit, _)| count > limit)
        .map(|(count, verb, what, limit, name)| {
            let problem = format!("{verb} {count} {what}; the device's limit is {limit} ({name})");
            TranslateError::of_kernel(function, problem).needs(name)
        })
        .collect();
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

impl Lowering<'_, '_> {
    /// The sampler that the program declares with these properties: one binding for all its uses in the
    /// kernel.
    pub(super) fn program_sampler(&mut self, word: SamplerWord) -> Value {
        let known = self.samplers.iter().find(|(other, _)| *other == word);
        let binding = match known {
            Some(&(_, binding)) => binding,
            None => {
                let binding = self.next_binding();
                self.samplers.push((word, binding));
                binding
            }
        };
        self.cursor.value(Op::SamplerBinding { binding }, &[], Type::Sampler)
    }

    /// The second descriptor of a sampler, for coordinates in texels.
    fn texel_sampler(&mut self, sampler: Value) -> Value {
        let of = match self.handles.get(&sampler) {
            Some(&argument) => SamplerSource::Argument(argument),
            None => SamplerSource::Program(self.position_of_program_sampler(sampler)),
        };
        let known = self.texel_samplers.iter().find(|known| known.of == of);
        let binding = match known {
            Some(known) => known.binding,
            None => {
                let binding = self.next_binding();
                self.texel_samplers.push(TexelSampler { binding, of });
                binding
            }
        };
        self.cursor.value(Op::SamplerBinding { binding }, &[], Type::Sampler)
    }

    /// The location of the word about a sampler, if the kernel asks for it.
    pub(super) fn sampler_word(&mut self, index: usize, new: Value) -> Option<ValueLocation> {
        let offset = self.layout.offsets[index]?;
        let word = self.passed(offset, Type::I32);
        self.words.insert(new, word);
        Some(self.layout.location(index))
    }

    /// The locations of the words about an image that the kernel asks for.
    fn image_words(
        &mut self,
        index: usize,
        new: Value,
        asked: &[ImageQuery],
    ) -> Vec<(ImageQuery, ValueLocation)> {
        let Some(start) = self.layout.offsets[index] else { return Vec::new() };
        let places = asked.iter().copied().zip((start..).step_by(4));
        places
            .map(|(query, offset)| {
                let word = self.passed(offset, Type::I32);
                self.image_words.insert((new, query), word);
                (query, self.layout.at(offset))
            })
            .collect()
    }

    pub(super) fn image(
        &mut self,
        index: usize,
        old: Value,
        image: ImageType,
        uses: &Uses,
    ) -> (ArgumentKind, Option<Value>) {
        let sampled = uses.images.get(&old).map_or(SampledType::Float, |&(first, _)| first);
        let levels = if uses.levels.contains(&old) { MOST_LEVELS } else { 1 };
        let binding = self.next_binding();
        self.binding += levels - 1;
        let ty = Type::Image(ImageType { sampled, ..image });
        let new = self.cursor.value(Op::ImageBinding { binding }, &[], ty);
        let access = match (image.readable, image.writable) {
            (true, true) => ImageAccess::ReadWrite,
            (false, true) => ImageAccess::WriteOnly,
            (_, false) => ImageAccess::ReadOnly,
        };
        let dimension = match image.dimension.without_depth() {
            clvk_ir::ImageDimension::D1 => ImageDimension::D1,
            clvk_ir::ImageDimension::D1Array => ImageDimension::D1Array,
            clvk_ir::ImageDimension::D1Buffer => ImageDimension::D1Buffer,
            clvk_ir::ImageDimension::D2 => ImageDimension::D2,
            clvk_ir::ImageDimension::D2Array => ImageDimension::D2Array,
            _ => ImageDimension::D3,
        };
        let words = self.image_words(index, new, uses.asked(old));
        (ArgumentKind::Image { binding, dimension, access, levels, words }, Some(new))
    }

    /// The number with which an image or sampler is passed to a block that the kernel enqueues.
    pub(super) fn handle_number(&mut self, inst: Inst) -> Value {
        let handle = self.cursor.operands(inst)[0];
        let number = match self.handles.get(&handle) {
            Some(&argument) => argument,
            None => PROGRAM_SAMPLER | self.word_of_program_sampler(handle).bits(),
        };
        self.cursor.int(Type::I32, i64::from(number))
    }

    /// What the host says about an image.
    pub(super) fn word_of_image(&mut self, inst: Inst, query: ImageQuery) -> Value {
        let image = self.cursor.operands(inst)[0];
        *self
            .image_words
            .get(&(image, query))
            .expect("every image is a parameter, whose queries were counted")
    }

    /// What the host says about a sampler.
    pub(super) fn word_of(&mut self, inst: Inst) -> Value {
        let handle = self.cursor.operands(inst)[0];
        if let Some(&word) = self.words.get(&handle) {
            return word;
        }
        let word = self.word_of_program_sampler(handle);
        self.cursor.int(Type::I32, i64::from(word.bits()))
    }

    fn word_of_program_sampler(&self, handle: Value) -> SamplerWord {
        self.samplers[self.position_of_program_sampler(handle) as usize].0
    }

    /// The index in [`Lowering::samplers`].
    fn position_of_program_sampler(&self, handle: Value) -> u32 {
        let binding =
            self.cursor.function.defining_inst(handle).map(|inst| &self.cursor.function.insts[inst].op);
        let known = match binding {
            Some(Op::SamplerBinding { binding }) => {
                self.samplers.iter().position(|(_, other)| other == binding)
            }
            _ => None,
        };
        known.expect("every image and sampler is a parameter, or the program's") as u32
    }

    /// An image whose texels are read or written as several types becomes several descriptors at one binding;
    /// which of them a launch may use depends on its image (OpenCL C §6.15.15).
    pub(super) fn image_access(&mut self, inst: Inst, op: ImageOp) {
        let mut operands = self.cursor.operands(inst);
        let Type::Image(image) = self.cursor.function.ty(operands[0]) else {
            unreachable!("the first operand is an image")
        };
        let binding =
            self.cursor.function.defining_inst(operands[0]).map(|inst| &self.cursor.function.insts[inst].op);
        let (Some(sampled), Some(&Op::ImageBinding { binding })) =
            (texels(self.cursor.function, inst, op), binding)
        else {
            return self.cursor.keep_with(inst, &operands);
        };
        if op == ImageOp::SampledTexel {
            operands[1] = self.texel_sampler(operands[1]);
        }
        let ty = Type::Image(ImageType { sampled, ..image });
        if let ImageOp::Write { .. } = op
            && let [_, place, texel, level] = operands[..]
        {
            return self.write_to_level(op, (binding, ty), [place, texel], level);
        }
        if sampled != image.sampled {
            operands[0] = self.cursor.value(Op::ImageBinding { binding }, &[], ty);
        }
        self.cursor.keep_with(inst, &operands);
    }

    /// Writes to one level of detail; to Vulkan each level is an image with its own binding.
    fn write_to_level(
        &mut self,
        op: ImageOp,
        (binding, ty): (u32, Type),
        [place, texel]: [Value; 2],
        level: Value,
    ) {
        let labels: Vec<Box<[u64]>> =
            (0..u64::from(MOST_LEVELS) - 1).map(|level| vec![level].into()).collect();
        let regions: Vec<_> = (0..MOST_LEVELS).map(|_| self.cursor.function.add_region()).collect();
        let owner = self.cursor.push(Op::Switch(labels.into()), &[level], &[], &regions);
        for (region, binding) in regions.into_iter().zip(binding..) {
            self.cursor.open(region);
            let image = self.cursor.value(Op::ImageBinding { binding }, &[], ty);
            self.cursor.push(Op::Image(op), &[image, place, texel], &[], &[]);
            self.cursor.push(Op::Exit(owner), &[], &[], &[]);
            self.cursor.close();
        }
    }
}
