//! What hosts of clspv are told, as instructions of `NonSemantic.ClspvReflection`.
//!
//! Their operands are constants and strings, so only the module's types, constants and strings grow. The
//! instructions themselves end the module, because they name entry points.

use super::writer::{TypeKey, Writer, instruction};
use clvk_interface::clspv::{ReflectedArgument, ReflectedKernel, Reflection};
use clvk_interface::{ProgramSampler, sampler_word};
use rspirv::{
    dr::{Instruction, Operand},
    spirv::{self, Word},
};

/// The name of the instruction set, with its revision.
const NAME: &str = "NonSemantic.ClspvReflection.5";

/// Numbers of instructions that do not depend on what is reflected.
const KERNEL: u32 = 1;
const ARGUMENT_INFO: u32 = 2;
const SPEC_CONSTANT_WORKGROUP_SIZE: u32 = 12;
const SPEC_CONSTANT_GLOBAL_OFFSET: u32 = 13;
const SPEC_CONSTANT_WORK_DIM: u32 = 14;
const LITERAL_SAMPLER: u32 = 23;
const PROPERTY_REQUIRED_WORKGROUP_SIZE: u32 = 24;

/// The instructions; the module gets what they refer to.
pub fn write(writer: &mut Writer, reflection: &Reflection) -> Vec<Instruction> {
    writer.extension("SPV_KHR_non_semantic_info", (1, 6));
    let set = writer.id();
    let name = vec![Operand::LiteralString(NAME.to_owned())];
    writer.module.ext_inst_imports.push(instruction(spirv::Op::ExtInstImport, None, Some(set), name));
    let void = writer.type_id(TypeKey::Void);
    let mut reflected = Reflected { writer, set, void, instructions: Vec::new() };
    for sampler in &reflection.samplers {
        let ProgramSampler { binding, addressing, linear, normalized_coordinates } = *sampler;
        let mask = sampler_word(addressing, linear, normalized_coordinates);
        reflected.words(LITERAL_SAMPLER, &[0, binding, mask]);
    }
    if let Some(variables) = &reflection.variables {
        let (number, place) = variables.instruction();
        let data = reflected.text(&variables.hexadecimal());
        let mut operands = reflected.constants(&place);
        operands.push(data);
        reflected.add(number, &operands);
    }
    for kernel in &reflection.kernels {
        reflected.kernel(kernel);
    }
    for (words, offset) in &reflection.launch_words {
        reflected.words(words.instruction(), &[*offset, clvk_interface::clspv::LaunchWords::SIZE]);
    }
    if !reflection.kernels.is_empty() {
        reflected.words(SPEC_CONSTANT_WORKGROUP_SIZE, &[0, 1, 2]);
    }
    if let Some(first) = reflection.global_offset {
        reflected.words(SPEC_CONSTANT_GLOBAL_OFFSET, &[first, first + 1, first + 2]);
    }
    if let Some(id) = reflection.work_dim {
        reflected.words(SPEC_CONSTANT_WORK_DIM, &[id]);
    }
    reflected.instructions
}

struct Reflected<'w> {
    writer: &'w mut Writer,
    set: Word,
    void: Word,
    instructions: Vec<Instruction>,
}

impl Reflected<'_> {
    fn kernel(&mut self, kernel: &ReflectedKernel) {
        let entry = self.writer.entry_point(&kernel.name);
        let name = self.text(&kernel.name);
        let [count, flags] = [kernel.argument_count, 0].map(|word| self.writer.word(word));
        let attributes = self.text(&kernel.attributes);
        let declaration = self.add(KERNEL, &[entry, name, count, flags, attributes]);
        if let Some(size) = kernel.required_work_group_size {
            self.words_of(PROPERTY_REQUIRED_WORKGROUP_SIZE, declaration, &size);
        }
        for argument in &kernel.arguments {
            self.argument(declaration, argument);
        }
        for word in &kernel.words {
            self.words_of(word.kind.instruction(), declaration, &[word.ordinal, word.offset, 4]);
        }
    }

    fn argument(&mut self, declaration: Word, argument: &ReflectedArgument) {
        let mut operands = vec![self.text(&argument.name)];
        if let Some(information) = &argument.information {
            operands.push(self.text(&information.type_name));
            operands.extend(self.constants(&[
                information.address,
                information.access,
                information.qualifiers,
            ]));
        }
        let information = self.add(ARGUMENT_INFO, &operands);
        let (number, place) = argument.place.instruction();
        let mut operands = vec![declaration, self.writer.word(argument.ordinal)];
        operands.extend(self.constants(&place));
        operands.push(information);
        self.add(number, &operands);
    }

    /// An instruction on constants.
    fn words(&mut self, number: u32, words: &[u32]) {
        let operands = self.constants(words);
        self.add(number, &operands);
    }

    /// An instruction on a kernel and constants.
    fn words_of(&mut self, number: u32, declaration: Word, words: &[u32]) {
        let operands = [vec![declaration], self.constants(words)].concat();
        self.add(number, &operands);
    }

    fn constants(&mut self, words: &[u32]) -> Vec<Word> {
        words.iter().map(|&word| self.writer.word(word)).collect()
    }

    fn text(&mut self, text: &str) -> Word {
        let id = self.writer.id();
        let operands = vec![Operand::LiteralString(text.to_owned())];
        self.writer.module.debug_string_source.push(instruction(spirv::Op::String, None, Some(id), operands));
        id
    }

    fn add(&mut self, number: u32, operands: &[Word]) -> Word {
        let id = self.writer.id();
        let mut all = vec![Operand::IdRef(self.set), Operand::LiteralExtInstInteger(number)];
        all.extend(operands.iter().copied().map(Operand::IdRef));
        self.instructions.push(instruction(spirv::Op::ExtInst, Some(self.void), Some(id), all));
        id
    }
}
