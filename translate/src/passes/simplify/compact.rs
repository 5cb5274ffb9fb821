//! Puts what a function still has in the order of its body, and drops the rest.
//!
//! Passes never take anything out of the arenas of a function, so that after a while most of what is there is dead and what lives is
//! scattered among it. Every walk then waits for memory: the cost of a large function grows faster than its size. Ids
//! of instructions, values and regions that were kept elsewhere mean nothing afterwards.

use clvk_ir::{Arena, EntityId, Function, Inst, InstData, Op, Region, Value, ValueData, ValueDef};

/// Functions with fewer instructions fit in the nearest cache whatever they hold.
const SMALL: usize = 2048;

/// Compacts a function of which less than half of the instructions live.
pub fn run(function: &mut Function) {
    if function.insts.len() <= SMALL {
        return;
    }
    let mut live = 0;
    function.walk(|_, _| live += 1);
    if live * 2 < function.insts.len() {
        compact(function);
    }
}

fn compact(function: &mut Function) {
    let order = Order::of(function);
    let mut new = Function::new(std::mem::take(&mut function.name), function.result);
    new.kernel = function.kernel.take();
    new.span = function.span;
    new.variables = std::mem::take(&mut function.variables);
    new.params = order.values.renamed(&function.params);
    new.body = function.body.map(|body| order.regions.get(body));
    for &value in &order.values.list {
        let data = &function.values[value];
        let def = match &data.def {
            ValueDef::Result(inst, position) => ValueDef::Result(order.insts.get(*inst), *position),
            ValueDef::RegionParam(region, position) => {
                ValueDef::RegionParam(order.regions.get(*region), *position)
            }
            other => other.clone(),
        };
        new.values.push(ValueData { ty: data.ty, def });
    }
    for &inst in &order.insts.list {
        new.insts.push(order.renamed(&function.insts[inst]));
    }
    for &region in &order.regions.list {
        let data = &mut function.regions[region];
        data.params = order.values.renamed(&data.params);
        data.insts = order.insts.renamed(&data.insts);
        new.regions.push(std::mem::take(data));
    }
    *function = new;
}

/// The entities of one kind that live, in their new order, and the new id of each.
struct Renaming<I> {
    list: Vec<I>,
    new: Vec<Option<I>>,
}

impl<I: EntityId> Renaming<I> {
    fn of<T>(arena: &Arena<I, T>) -> Self {
        Renaming { list: Vec::new(), new: vec![None; arena.len()] }
    }

    fn add(&mut self, id: I) {
        if self.new[id.index()].is_none() {
            self.new[id.index()] = Some(I::from_index(self.list.len()));
            self.list.push(id);
        }
    }

    fn get(&self, id: I) -> I {
        self.new[id.index()].expect("what the body names is part of it")
    }

    fn renamed(&self, ids: &[I]) -> Vec<I> {
        ids.iter().map(|&id| self.get(id)).collect()
    }
}

/// The new order of a function: that of its body, constants where they are first used.
struct Order {
    insts: Renaming<Inst>,
    values: Renaming<Value>,
    regions: Renaming<Region>,
}

impl Order {
    fn of(function: &Function) -> Self {
        let mut order = Order {
            insts: Renaming::of(&function.insts),
            values: Renaming::of(&function.values),
            regions: Renaming::of(&function.regions),
        };
        function.params.iter().for_each(|&param| order.values.add(param));
        function.body.into_iter().for_each(|body| order.region(function, body));
        function.walk(|inst, data| {
            order.insts.add(inst);
            data.operands.iter().chain(&data.results).for_each(|&value| order.values.add(value));
            data.regions.iter().for_each(|&region| order.region(function, region));
        });
        order
    }

    fn region(&mut self, function: &Function, region: Region) {
        self.regions.add(region);
        function.regions[region].params.iter().for_each(|&param| self.values.add(param));
    }

    fn renamed(&self, data: &InstData) -> InstData {
        let op = match data.op {
            Op::Exit(target) => Op::Exit(self.insts.get(target)),
            Op::Continue(target) => Op::Continue(self.insts.get(target)),
            ref other => other.clone(),
        };
        InstData {
            op,
            operands: data.operands.iter().map(|&value| self.values.get(value)).collect(),
            results: data.results.iter().map(|&value| self.values.get(value)).collect(),
            regions: data.regions.iter().map(|&region| self.regions.get(region)).collect(),
            fast_math: data.fast_math,
            span: data.span,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clvk_ir::{Span, Type, text};

    /// The text form names values in the order of the body, so that the same code gives the same text.
    #[test]
    fn what_lives_stays_as_it_is() {
        let source = include_str!("../../../ir/tests/everything.ir");
        let mut module = text::parse_module(source).expect("the text is a module");
        let before = module.to_string();
        for (_, function) in module.functions.iter_mut().filter(|(_, function)| function.body.is_some()) {
            let mut live = 0;
            function.walk(|_, _| live += 1);
            let zero = function.zero(Type::Vector(clvk_ir::Scalar::I8, 16));
            for _ in 0..=live {
                function.make_inst(Op::Extract(0), &[zero], &[Type::I8], &[], Span::NONE);
            }
            compact(function);
            assert_eq!(function.insts.len(), live);
        }
        clvk_ir::verify::verify(&module).expect("it is still a module");
        assert_eq!(module.to_string(), before);
    }
}
