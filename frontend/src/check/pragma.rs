//! Pragmas (OpenCL C §6.12): contraction, extensions, unrolling.

use super::Checker;
use crate::Span;
use crate::symbol::Symbol;
use crate::token::Pragma;
use clvk_ir::UnrollHint;

impl Checker<'_> {
    /// A pragma outside functions.
    pub(super) fn file_pragma(&mut self, pragma: Pragma, span: Span) {
        match pragma {
            Pragma::FpContract(state) => self.contract = state.unwrap_or(!self.options.library),
            Pragma::Extension { name, enable } => self.extension_pragma(name, enable),
            Pragma::Pack(_) => panic!("the parser takes it out"),
            Pragma::Unroll(_) => self.warn(span, "'#pragma unroll' is ignored: it must come before a loop"),
        }
    }

    /// A pragma in a block; `at_start` if only pragmas precede it in the block.
    pub(super) fn block_pragma(
        &mut self,
        pragma: Pragma,
        span: Span,
        at_start: bool,
        unroll: &mut UnrollHint,
    ) {
        match pragma {
            Pragma::FpContract(_) if !at_start => {
                let message = "'#pragma OPENCL FP_CONTRACT' can only appear outside functions or at the start of a block";
                self.error(span, message);
            }
            Pragma::FpContract(state) => {
                self.contract = state.unwrap_or(!self.options.library);
                let contract = self.contract;
                let function = self.current.as_mut().expect("statements stand in functions");
                function.contract &= contract;
            }
            Pragma::Pack(_) => panic!("the parser takes it out"),
            Pragma::Unroll(count) => *unroll = count.map_or(UnrollHint::Full, UnrollHint::By),
            Pragma::Extension { name, enable } => self.extension_pragma(name, enable),
        }
    }

    /// All extensions of the device are on from the start, as in other compilers; a program can disable them.
    fn extension_pragma(&mut self, name: Symbol, enable: bool) {
        if matches!(self.text(name), "all" | "cl_khr_fp16") {
            self.half_disabled = !enable;
        }
    }
}
