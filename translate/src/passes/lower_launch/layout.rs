//! Where the values that the host passes lie: in the push constants, or in the argument buffer.

use super::uses::Uses;
use crate::TranslateError;
use clvk_interface::{AddressingMode, DeviceProfile, ImplicitBuffer, ValueLocation};
use clvk_ir::{Function, KernelParam, KernelParamKind};

/// Push-constant words for launch queries.
#[derive(Default)]
pub(super) struct LaunchWords {
    pub global_offset: Option<u32>,
    pub group_offset: Option<u32>,
    pub global_size: Option<u32>,
    pub work_dim: Option<u32>,
    pub command_number: Option<u32>,
    pub zero: Option<u32>,
}

/// Where the values that the host passes lie.
pub(super) struct Layout {
    /// Offset of each parameter, if it has one.
    pub offsets: Vec<Option<u32>>,
    pub words: LaunchWords,
    pub push_constant_size: u32,
    /// The implicit buffers that the kernel uses, with the offsets of their addresses where it uses
    /// addresses.
    pub implicit: Vec<(ImplicitBuffer, Option<u32>)>,
    /// Size of the argument buffer, and the offset of its address, if it has one.
    pub argument_buffer: Option<(u32, u32)>,
}

impl Layout {
    pub(super) fn location(&self, param: usize) -> ValueLocation {
        self.at(self.offsets[param].expect("the parameter has a place"))
    }

    /// The location of an argument.
    pub(super) fn at(&self, offset: u32) -> ValueLocation {
        match self.argument_buffer {
            Some(_) => ValueLocation::ArgumentBuffer { offset },
            None => ValueLocation::PushConstant { offset },
        }
    }
}

/// Places the parameters and launch words.
pub(super) fn lay_out(
    function: &Function,
    params: &[KernelParam],
    uses: &Uses,
    profile: &DeviceProfile,
) -> Result<Layout, Vec<TranslateError>> {
    let addressing = profile.addressing();
    let address = if addressing == AddressingMode::Physical { 8 } else { 0 };
    let places = (0..).map(|position| (address > 0).then_some(position * address));
    let implicit: Vec<_> = uses.implicit.iter().copied().zip(places).collect();
    let start = address * implicit.len() as u32;
    let asked: Vec<u32> = function.params.iter().map(|&param| uses.word_count(param)).collect();
    let (offsets, arguments_end) = place_arguments(params, &asked, addressing, start);
    let mut words = LaunchWords::default();
    let end = place_words(&mut words, uses, arguments_end);
    if end <= profile.max_push_constants {
        return Ok(Layout { offsets, words, push_constant_size: end, implicit, argument_buffer: None });
    }
    let (offsets, size) = place_arguments(params, &asked, addressing, 0);
    if size == 0 {
        let problem = format!(
            "needs {end} bytes of push constants; the device has only {}",
            profile.max_push_constants
        );
        return Err(vec![TranslateError::of_kernel(function, problem).needs("maxPushConstantsSize")]);
    }
    let end = place_words(&mut words, uses, start + address);
    let argument_buffer = Some((size, start));
    Ok(Layout { offsets, words, push_constant_size: end, implicit, argument_buffer })
}

fn place_arguments(
    params: &[KernelParam],
    asked: &[u32],
    addressing: AddressingMode,
    start: u32,
) -> (Vec<Option<u32>>, u32) {
    let pointer = if addressing == AddressingMode::Physical { 8 } else { 4 };
    let mut offsets = vec![None; params.len()];
    let mut end = start;
    let is_buffer = |param: &KernelParam| {
        matches!(param.kind, KernelParamKind::Buffer { .. } | KernelParamKind::Pipe { .. })
    };
    let buffers = params.iter().enumerate().filter(|(_, param)| is_buffer(param));
    for (index, _) in buffers {
        offsets[index] = Some(end);
        end += pointer;
    }
    for (index, param) in params.iter().enumerate() {
        let (size, align) = match param.kind {
            KernelParamKind::Value { size, align } => (size, align),
            KernelParamKind::Queue => (8, 8),
            KernelParamKind::Image(_) | KernelParamKind::Sampler if asked[index] > 0 => (4 * asked[index], 4),
            _ => continue,
        };
        end = end.next_multiple_of(align.clamp(1, 16));
        offsets[index] = Some(end);
        end = end.saturating_add(size);
    }
    (offsets, end.next_multiple_of(4))
}

fn place_words(words: &mut LaunchWords, uses: &Uses, mut end: u32) -> u32 {
    for (used, place, size) in [
        (uses.global_offset, &mut words.global_offset, 12),
        (uses.group_offset, &mut words.group_offset, 12),
        (uses.global_size, &mut words.global_size, 12),
        (uses.work_dim, &mut words.work_dim, 4),
        (uses.command_number, &mut words.command_number, 4),
        (uses.zero, &mut words.zero, 4),
    ] {
        if used {
            *place = Some(end);
            end += size;
        }
    }
    end
}
