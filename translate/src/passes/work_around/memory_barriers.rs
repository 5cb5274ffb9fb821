//! Orders memory without memory barriers, for drivers that make the whole work-group wait at one
//! ([`Quirk::MemoryBarrierMeets`]).
//!
//! On such a driver, atomic operations that read and write are sequentially consistent whatever their order,
//! and those with an order also act as such barriers. So fences become atomic operations that change nothing,
//! on a word of local memory that nothing else uses, and atomic operations lose their order; those that only
//! read or only write become ones that do both. It runs after [`order_memory`](crate::passes::order_memory),
//! which makes fences, and [`declare`](crate::passes::declare), which looks at orders.

use crate::TranslateError;
use crate::passes::{Context, cursor::Cursor};
use clvk_interface::Quirk;
use clvk_ir::{
    AddressSpace, AtomicOp, ElementCount, Function, Inst, MemoryOrder, Op, Scope, Type, Variable,
    VariableData, VariableSpace,
};

/// Size in bytes of the word that fences change.
const WORD: u32 = 4;

/// See the module.
///
/// # Errors
/// None.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    if !context.profile.has(Quirk::MemoryBarrierMeets) {
        return Ok(());
    }
    for function in context.module.kernels_mut() {
        let has_word = avoid(function);
        let interface = context.interface.kernels.iter_mut().find(|kernel| kernel.name == function.name);
        if let Some(interface) = interface.filter(|_| has_word) {
            interface.static_local_memory += WORD;
        }
    }
    Ok(())
}

/// Replaces the operations of a kernel; returns whether it now has a word for fences.
fn avoid(function: &mut Function) -> bool {
    let mut avoiding = Avoiding { cursor: Cursor::new(function), word: None };
    while let Some(inst) = avoiding.cursor.advance() {
        avoiding.inst(inst);
    }
    avoiding.word.is_some()
}

struct Avoiding<'f> {
    cursor: Cursor<'f>,
    word: Option<Variable>,
}

impl Avoiding<'_> {
    fn inst(&mut self, inst: Inst) {
        let order = MemoryOrder::Relaxed;
        match self.cursor.function.insts[inst].op {
            // Sub-groups run in lockstep on such a driver.
            Op::Fence { .. } | Op::Barrier { execution: Scope::SubGroup, .. } => self.fence(),
            Op::AtomicRmw { op, scope, .. } => self.keep_as(inst, Op::AtomicRmw { op, order, scope }),
            Op::AtomicCompareExchange { scope, .. } => {
                self.keep_as(inst, Op::AtomicCompareExchange { success: order, failure: order, scope });
            }
            Op::AtomicLoad { scope, .. } => self.load(inst, scope),
            Op::AtomicStore { scope, .. } => {
                let (operands, exchange) = (self.cursor.operands(inst), AtomicOp::Exchange);
                let ty = self.cursor.function.ty(operands[1]);
                self.cursor.value(Op::AtomicRmw { op: exchange, order, scope }, &operands, ty);
            }
            _ => self.cursor.keep(inst),
        }
    }

    fn keep_as(&mut self, inst: Inst, op: Op) {
        self.cursor.function.insts[inst].op = op;
        self.cursor.keep(inst);
    }

    /// Turns a load into an operation that changes nothing; a load of a floating-point number stays as it is.
    fn load(&mut self, inst: Inst, scope: Scope) {
        let order = MemoryOrder::Relaxed;
        let ty = self.cursor.function.ty(self.cursor.result(inst));
        if !ty.is_int() {
            return self.keep_as(inst, Op::AtomicLoad { order, scope });
        }
        let (pointer, zero) = (self.cursor.operands(inst)[0], self.cursor.function.zero(ty));
        let old = self.cursor.value(Op::AtomicRmw { op: AtomicOp::Or, order, scope }, &[pointer, zero], ty);
        self.cursor.replace_result(inst, old);
    }

    fn fence(&mut self) {
        let word = self.word();
        let zero = self.cursor.int(Type::I32, 0);
        let local = Type::Pointer(AddressSpace::Local);
        let pointer = self.cursor.value(Op::ElementPointer(word), &[zero], local);
        let unchanged =
            Op::AtomicRmw { op: AtomicOp::Or, order: MemoryOrder::Relaxed, scope: Scope::WorkGroup };
        self.cursor.value(unchanged, &[pointer, zero], Type::I32);
    }

    /// The variable that only fences use.
    fn word(&mut self) -> Variable {
        let variables = &mut self.cursor.function.variables;
        *self.word.get_or_insert_with(|| {
            variables.push(VariableData {
                name: "fence".into(),
                space: VariableSpace::Local,
                shared: false,
                element: Type::I32,
                count: ElementCount::Fixed(1),
                initializer: Vec::new(),
            })
        })
    }
}
