//! Checks that every index is valid in its arena, that each region has one owner, each instruction is in one
//! place, and values know their definitions. After this, a walk over the function terminates, and all of its
//! look-ups succeed.

use crate::{EntityId, Function, Inst, Op, Region, Value, ValueDef};

/// Checks a function's indices.
///
/// # Errors
/// The first broken rule.
pub(crate) fn check_indices(function: &Function) -> Result<(), String> {
    let mut check = Check {
        function,
        region_seen: vec![false; function.regions.len()],
        inst_seen: vec![false; function.insts.len()],
    };
    check.values(&function.params)?;
    let mut open: Vec<Region> = Vec::new();
    if let Some(body) = function.body {
        check.region(body, &mut open)?;
    }
    while let Some(region) = open.pop() {
        for &inst in &function.regions[region].insts {
            check.inst(inst, &mut open)?;
        }
    }
    Ok(())
}

struct Check<'a> {
    function: &'a Function,
    region_seen: Vec<bool>,
    inst_seen: Vec<bool>,
}

impl Check<'_> {
    fn values(&self, values: &[Value]) -> Result<(), String> {
        let count = self.function.values.len();
        match values.iter().find(|value| value.index() >= count) {
            None => Ok(()),
            Some(value) => Err(format!("there is no value {}", value.index())),
        }
    }

    /// Enters a region for the first time.
    fn region(&mut self, region: Region, open: &mut Vec<Region>) -> Result<(), String> {
        let index = region.index();
        match self.region_seen.get_mut(index) {
            None => return Err(format!("there is no region {index}")),
            Some(true) => return Err(format!("region {index} has two owners")),
            Some(seen) => *seen = true,
        }
        let params = &self.function.regions[region].params;
        self.values(params)?;
        for (position, &param) in params.iter().enumerate() {
            if self.function.values[param].def != ValueDef::RegionParam(region, position as u32) {
                return Err(format!("parameter {position} of region {index} is not defined as that"));
            }
        }
        open.push(region);
        Ok(())
    }

    fn inst(&mut self, inst: Inst, open: &mut Vec<Region>) -> Result<(), String> {
        let index = inst.index();
        match self.inst_seen.get_mut(index) {
            None => return Err(format!("there is no instruction {index}")),
            Some(true) => return Err(format!("instruction {index} stands in two places")),
            Some(seen) => *seen = true,
        }
        let data = &self.function.insts[inst];
        let results = data.results.as_slice();
        self.values(&data.operands)?;
        self.values(results)?;
        for (position, &result) in results.iter().enumerate() {
            if self.function.values[result].def != ValueDef::Result(inst, position as u32) {
                return Err(format!("result {position} of instruction {index} is not defined as that"));
            }
        }
        match data.op {
            Op::Exit(target) | Op::Continue(target) if target.index() >= self.function.insts.len() => {
                return Err(format!("there is no instruction {}", target.index()));
            }
            Op::ElementPointer(variable) if self.function.variables.get(variable).is_none() => {
                return Err(format!("there is no variable {}", variable.index()));
            }
            _ => {}
        }
        let expected = super::region_count(&data.op);
        let regions = data.regions.as_slice();
        if regions.len() != expected {
            return Err(format!("instruction {index} has {} regions instead of {expected}", regions.len()));
        }
        for &region in regions {
            self.region(region, open)?;
        }
        Ok(())
    }
}
