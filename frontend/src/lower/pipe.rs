//! Pipes (OpenCL C §6.15.18): the library finds the places of packets, and the code here copies the packets.

use super::builtin::Arguments;
use super::function::FunctionLowering;
use crate::builtins::PipeFunction;
use clvk_ir::{
    AddressSpace, CompareOp, ConvertOp, FenceFlags, GlobalData, Initializer, Op, Scope, SubGroupOp, Type,
    Value, WorkItemQuery,
};

const PIPE: Type = Type::Pointer(AddressSpace::Global);

impl FunctionLowering<'_, '_> {
    /// A call; packets have this size and alignment.
    pub fn pipe(
        &mut self,
        function: PipeFunction,
        (size, align): (u64, u32),
        arguments: &Arguments,
    ) -> Option<Value> {
        let values = arguments.values.clone();
        Some(match function {
            PipeFunction::Commit { .. } => return None,
            PipeFunction::IsValid => {
                let none = self.function.int(Type::I64, 0);
                self.is(CompareOp::Ne, values[0], none)
            }
            PipeFunction::Count => self.pipe_function("count", &values[..1], Type::I32),
            PipeFunction::Size => self.pipe_function("size", &values[..1], Type::I32),
            PipeFunction::Reserve { writes, scope } => {
                let writes = self.function.int(Type::I32, i64::from(writes));
                let operands = [values[0], values[1], writes];
                let reserve = |this: &mut Self| this.pipe_function("reservation", &operands, Type::I64);
                match scope {
                    Scope::WorkGroup => self.once_in_group(reserve),
                    Scope::SubGroup => self.once_in_sub_group(reserve),
                    _ => reserve(self),
                }
            }
            PipeFunction::Transfer { writes } => {
                let zero = self.function.int(Type::I32, 0);
                let (place, index) = match values[2..] {
                    [id, index] => (self.build().convert(ConvertOp::Truncate, id, Type::I32), index),
                    _ => {
                        let one = self.function.int(Type::I32, 1);
                        let writes = self.function.int(Type::I32, i64::from(writes));
                        (self.pipe_function("reserve", &[values[0], one, writes], Type::I32), zero)
                    }
                };
                let found = self.is(CompareOp::Ne, place, zero);
                let (inst, regions) = self.construct(Op::If, &[found], &[], 2);
                self.within(regions[0], |this| {
                    let offset = this.pipe_function("packet", &[values[0], place, index], Type::I64);
                    let packet =
                        this.build().value(Op::PointerIndex { stride: 1 }, &[values[0], offset], PIPE);
                    let (to, from) = if writes { (packet, values[1]) } else { (values[1], packet) };
                    this.push(Op::MemoryCopy { size, align }, &[to, from], &[]);
                    this.exit(inst, &[]);
                });
                self.within(regions[1], |this| this.exit(inst, &[]));
                let failed = self.function.int(Type::I32, -1);
                self.choose(found, zero, failed)
            }
        })
    }

    fn pipe_function(&mut self, stem: &str, operands: &[Value], result: Type) -> Value {
        let params: Vec<Type> = operands.iter().map(|&operand| self.function.ty(operand)).collect();
        let name = format!("__clvk_pipe_{stem}");
        let function = self.lowering.library_function(name, &params, Some(result));
        self.build().value(Op::Call(function), operands, result)
    }

    /// A 64-bit integer that one work-item of the sub-group computes for all of them.
    fn once_in_sub_group(&mut self, compute: impl FnOnce(&mut Self) -> Value) -> Value {
        let first = self.build().value(Op::SubGroup(SubGroupOp::Elect), &[], Type::BOOL);
        let (inst, regions) = self.construct(Op::If, &[first], &[Type::I64], 2);
        self.within(regions[0], |this| {
            let value = compute(this);
            this.exit(inst, &[value]);
        });
        self.within(regions[1], |this| {
            let none = this.function.int(Type::I64, 0);
            this.exit(inst, &[none]);
        });
        let value = self.function.insts[inst].results[0];
        self.build().value(Op::SubGroup(SubGroupOp::BroadcastFirst), &[value], Type::I64)
    }

    /// A 64-bit integer that one work-item of the group computes for all of them.
    fn once_in_group(&mut self, compute: impl FnOnce(&mut Self) -> Value) -> Value {
        let shared = self.shared_word();
        let id = self.build().value(Op::WorkItem(WorkItemQuery::LocalLinearId), &[], Type::I64);
        let zero = self.function.int(Type::I64, 0);
        let first = self.is(CompareOp::Eq, id, zero);
        self.group_barrier();
        let (inst, regions) = self.construct(Op::If, &[first], &[], 2);
        self.within(regions[0], |this| {
            let value = compute(this);
            this.build().store(shared, value, 8, false);
            this.exit(inst, &[]);
        });
        self.within(regions[1], |this| this.exit(inst, &[]));
        self.group_barrier();
        self.build().load(shared, Type::I64, 8, false)
    }

    /// 8 bytes of local memory, the same at every call.
    fn shared_word(&mut self) -> Value {
        const NAME: &str = ".reservation";
        let globals = &self.lowering.module.globals;
        let known = globals.iter().find(|(_, data)| data.name == NAME).map(|(global, _)| global);
        let global = known.unwrap_or_else(|| {
            self.lowering.module.globals.push(GlobalData {
                name: NAME.to_owned(),
                space: AddressSpace::Local,
                size: 8,
                align: 8,
                is_read_only: false,
                initializer: Initializer::None,
            })
        });
        self.function.global(Type::Pointer(AddressSpace::Local), global)
    }

    fn group_barrier(&mut self) {
        let scope = Scope::WorkGroup;
        self.push(Op::Barrier { execution: scope, memory: scope, flags: FenceFlags::LOCAL }, &[], &[]);
    }
}
