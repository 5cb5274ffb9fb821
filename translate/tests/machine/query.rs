//! A work-item's view of its launch: as OpenCL C defines it (§6.15.1), and as a Vulkan shader sees it.

use super::host::Dispatch;
use super::item::Item;
use super::{Bits, Fault, Machine};
use clvk_ir::{InputVariable, WorkItemQuery};

/// The position of a work-item.
#[derive(Clone, Copy, Debug)]
pub struct Ids {
    pub dispatch: Dispatch,
    /// The work-group in its dispatch.
    pub group: [u32; 3],
    /// The work-item in its group.
    pub local: [u32; 3],
}

/// The index of a position in a box, counting along x first.
fn linear(at: [u32; 3], size: [u32; 3]) -> u32 {
    (at[2] * size[1] + at[1]) * size[0] + at[0]
}

impl Ids {
    /// The index in the work-group.
    pub fn local_index(&self) -> u32 {
        linear(self.local, self.dispatch.local)
    }
}

impl Machine<'_> {
    /// The answer to a query of the language.
    pub fn query(&self, item: &Item<'_>, query: WorkItemQuery, dimension: Option<u64>) -> Result<u64, Fault> {
        use WorkItemQuery::*;
        let Ids { dispatch, group, local } = item.ids;
        let launch = self.launch;
        let each = |of: &dyn Fn(usize) -> u32| [0, 1, 2].map(of);
        let group_id = each(&|d| dispatch.first[d] + group[d]);
        let position = each(&|d| group_id[d] * launch.local[d] + local[d]);
        let (size, items) = (self.settings.sub_group_size, dispatch.local.iter().product::<u32>());
        let (index, whole) = (item.ids.local_index(), launch.local.iter().product::<u32>());
        let (of_dimensions, beyond) = match query {
            GlobalSize => (launch.global, 1),
            GlobalId => (each(&|d| position[d] + launch.offset[d]), 0),
            LocalSize => (dispatch.local, 1),
            EnqueuedLocalSize => (launch.local, 1),
            LocalId => (local, 0),
            NumGroups => (each(&|d| launch.global[d].div_ceil(launch.local[d])), 1),
            GroupId => (group_id, 0),
            GlobalOffset => (launch.offset, 0),
            _ => {
                return Ok(u64::from(match query {
                    WorkDim => launch.work_dim,
                    GlobalLinearId => linear(position, launch.global),
                    LocalLinearId => index,
                    DispatchLinearId => linear(group, dispatch.count) * items + index,
                    SubGroupSize => size.min(items - index / size * size),
                    MaxSubGroupSize => size,
                    NumSubGroups => items.div_ceil(size),
                    EnqueuedNumSubGroups => whole.div_ceil(size),
                    SubGroupId => index / size,
                    SubGroupLocalId => index % size,
                    CommandNumber | Zero => 0,
                    other => return Err(format!("{other:?} is not interpreted")),
                }));
            }
        };
        let dimension = dimension.ok_or("a query lacks its dimension")?;
        let known = usize::try_from(dimension).ok().and_then(|dimension| of_dimensions.get(dimension));
        Ok(u64::from(known.copied().unwrap_or(beyond)))
    }

    /// An input of the shader.
    pub fn input(&self, item: &Item<'_>, input: InputVariable) -> Bits {
        let Ids { dispatch, group, local } = item.ids;
        let (size, items) = (self.settings.sub_group_size, dispatch.local.iter().product::<u32>());
        let index = item.ids.local_index();
        let three = |values: [u32; 3]| values.iter().map(|&value| u64::from(value)).collect();
        let one = |value: u32| Bits::from_slice(&[u64::from(value)]);
        match input {
            InputVariable::LocalInvocationId if self.flat => three([index, 0, 0]),
            InputVariable::LocalInvocationId => three(local),
            InputVariable::WorkgroupId => three(group),
            InputVariable::NumWorkgroups => three(dispatch.count),
            InputVariable::LocalInvocationIndex => one(index),
            InputVariable::SubgroupSize => one(size),
            InputVariable::NumSubgroups if self.settings.counts_full_sub_groups => one(items / size),
            InputVariable::NumSubgroups => one(items.div_ceil(size)),
            InputVariable::SubgroupId => one(index / size),
            InputVariable::SubgroupLocalInvocationId => one(index % size),
            InputVariable::WorkgroupSize => three(dispatch.local),
            InputVariable::EnqueuedWorkgroupSize => three(self.launch.local),
            InputVariable::Unwatched | InputVariable::Inside => one(0),
            InputVariable::OffsetMask => one(u32::MAX),
            InputVariable::WorkDim | InputVariable::GlobalOffset => {
                unreachable!("only modules for hosts of clspv have these")
            }
        }
    }
}
