//! The work-items of a work-group: which one runs next, and which waits for which.

use super::access::stride;
use super::compute::{self, combine, identity};
use super::host::Dispatch;
use super::item::{Item, State};
use super::memory::Kind;
use super::query::Ids;
use super::{Bits, Fault, Machine, index};
use clvk_ir::{AddressSpace, ElementCount, Function, Inst, SubGroupOp, Type, VariableSpace};

/// The most instructions of a turn.
const MOST_TURN: u64 = 24;

/// All positions in a box.
fn positions(size: [u32; 3]) -> impl Iterator<Item = [u32; 3]> {
    let plane = move |z| (0..size[1]).flat_map(move |y| (0..size[0]).map(move |x| [x, y, z]));
    (0..size[2]).flat_map(plane)
}

impl<'m> Machine<'m> {
    /// Executes the work-groups of a dispatch.
    pub fn dispatch(&mut self, kernel: &'m Function, dispatch: &Dispatch) -> Result<(), Fault> {
        for group in positions(dispatch.count) {
            let mut items = self.items(kernel, dispatch, group)?;
            self.execute_group(&mut items)?;
        }
        Ok(())
    }

    /// The work-items of a group, with their shared memory.
    fn items(
        &mut self,
        kernel: &'m Function,
        dispatch: &Dispatch,
        group: [u32; 3],
    ) -> Result<Vec<Item<'m>>, Fault> {
        let arguments = self.parameters(kernel)?;
        let mut items = Vec::new();
        for local in positions(dispatch.local) {
            let ids = Ids { dispatch: *dispatch, group, local };
            items.push(Item::new(kernel, arguments.clone(), ids)?);
        }
        for (variable, data) in kernel.variables.iter() {
            if data.space != VariableSpace::Local || data.shared {
                continue;
            }
            let bytes = match data.count {
                ElementCount::Fixed(count) => u64::from(count) * stride(data),
                // The host rounds up to whole elements.
                ElementCount::Specialised { spec_id } => {
                    u64::from(self.passed.local(spec_id)?).next_multiple_of(stride(data))
                }
                ElementCount::Runtime => return Err("local memory has a size".to_owned()),
            };
            let address = self.local_memory(bytes);
            items.iter_mut().for_each(|item| item.frame().variables[index(variable)] = Some(address));
        }
        let variables = self.module.functions.iter().flat_map(|(_, function)| function.variables.iter());
        for (_, data) in variables.filter(|(_, data)| data.shared) {
            let ElementCount::Fixed(count) = data.count else {
                return Err("local memory that functions share has a size".to_owned());
            };
            if !items[0].shared.contains_key(data.name.as_str()) {
                let address = self.local_memory(u64::from(count) * stride(data));
                for item in &mut items {
                    item.shared.insert(&data.name, address);
                }
            }
        }
        for (global, data) in self.module.globals.iter() {
            if data.space == AddressSpace::Local {
                let address = self.local_memory(data.size);
                for item in &mut items {
                    item.locals.insert(global, address);
                }
            }
        }
        Ok(items)
    }

    /// Local memory, whose contents are undefined.
    pub fn local_memory(&mut self, size: u64) -> u64 {
        let bytes = self.undefined(size as usize);
        self.memory.add(Kind::Local, bytes)
    }

    fn execute_group(&mut self, items: &mut [Item<'m>]) -> Result<(), Fault> {
        let mut random = self.settings.order;
        loop {
            let running: Vec<usize> =
                (0..items.len()).filter(|&index| items[index].state == State::Running).collect();
            if running.is_empty() {
                if items.iter().all(|item| item.state == State::Done) {
                    return Ok(());
                }
                self.release(items)?;
                continue;
            }
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(self.settings.order);
            let (turn, chosen) = match self.settings.order {
                0 => (u64::MAX, running[0]),
                _ => ((random >> 33) % MOST_TURN + 1, running[(random >> 48) as usize % running.len()]),
            };
            let item = &mut items[chosen];
            for _ in 0..turn {
                if item.state != State::Running {
                    break;
                }
                self.step(item)?;
            }
        }
    }

    /// Releases work-items that wait for each other when no other can continue.
    fn release(&mut self, items: &mut [Item<'m>]) -> Result<(), Fault> {
        let size = self.settings.sub_group_size as usize;
        let mut released = false;
        for sub_group in items.chunks_mut(size) {
            let waiting = sub_group.iter().find_map(|item| match &item.state {
                State::InSubGroup { inst, op, .. } => Some((*inst, *op)),
                _ => None,
            });
            let Some((inst, op)) = waiting else { continue };
            let all = sub_group
                .iter()
                .all(|item| matches!(&item.state, State::InSubGroup { inst: at, .. } if *at == inst));
            if !all {
                return Err("a sub-group operation is not reached by the whole sub-group".to_owned());
            }
            self.together(sub_group, inst, op)?;
            released = true;
        }
        if released {
            return Ok(());
        }
        let State::AtBarrier(inst) = items[0].state else {
            return Err("a barrier is not reached by the whole work-group".to_owned());
        };
        for item in items {
            if item.state != State::AtBarrier(inst) {
                return Err("a barrier is not reached by the whole work-group".to_owned());
            }
            item.state = State::Running;
        }
        Ok(())
    }

    /// A sub-group operation, once all work-items have reached it.
    fn together(&self, items: &mut [Item<'m>], inst: Inst, op: Option<SubGroupOp>) -> Result<(), Fault> {
        let brought: Vec<Vec<Bits>> = items
            .iter_mut()
            .map(|item| match std::mem::replace(&mut item.state, State::Running) {
                State::InSubGroup { operands, .. } => operands,
                _ => unreachable!("the caller has seen that all wait"),
            })
            .collect();
        let Some(op) = op else { return Ok(()) };
        for (position, item) in items.iter_mut().enumerate() {
            let function = item.frame().function;
            let operand = function.insts[inst].operands.first();
            let ty = operand.map_or(Type::BOOL, |&value| function.ty(value));
            let result = self.collective(op, ty, &brought, position)?;
            item.define(inst, vec![result])?;
        }
        Ok(())
    }

    fn collective(
        &self,
        op: SubGroupOp,
        ty: Type,
        brought: &[Vec<Bits>],
        position: usize,
    ) -> Result<Bits, Fault> {
        let value = |item: usize| brought[item][0][0];
        let of_index = |operand: u64| match brought.get(operand as usize) {
            Some(operands) => operands[0][0],
            None => self.any() & compute::scalar(ty).mask(),
        };
        let all = 0..brought.len();
        let (arithmetic, range, start) = match op {
            SubGroupOp::Reduce(op) => (op, all, None),
            SubGroupOp::InclusiveScan(op) => (op, 0..position + 1, None),
            SubGroupOp::ExclusiveScan(op) => (op, 0..position, Some(identity(op, compute::scalar(ty)))),
            SubGroupOp::ClusteredReduce(op) => {
                let size = brought[position][1][0] as usize;
                let first = position / size * size;
                (op, first..(first + size).min(brought.len()), None)
            }
            _ => {
                let bits = match op {
                    SubGroupOp::All => u64::from(all.clone().all(|item| value(item) != 0)),
                    SubGroupOp::Any => u64::from(all.clone().any(|item| value(item) != 0)),
                    SubGroupOp::Elect => u64::from(position == 0),
                    SubGroupOp::Ballot => {
                        let bit = |item: usize| u128::from(value(item)) << item;
                        let words = all.fold(0, |words, item| words | bit(item));
                        return Ok((0..4).map(|word| u64::from((words >> (32 * word)) as u32)).collect());
                    }
                    SubGroupOp::BroadcastFirst => value(0),
                    _ => of_index(brought[position][1][0]),
                };
                return Ok(Bits::from_slice(&[bits]));
            }
        };
        let mut result = start;
        for item in range {
            result = Some(match result {
                None => value(item),
                Some(so_far) => combine(arithmetic, compute::scalar(ty), so_far, value(item), self.any())?,
            });
        }
        Ok(Bits::from_slice(&[result.expect("a work-item is in its own range")]))
    }
}
