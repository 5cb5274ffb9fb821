//! The index space of a launch: checked, divided into work-groups, split into dispatches.
//!
//! Pure arithmetic over the kernel's interface and the device's profile. Where the work-group size does not
//! divide the global size, the groups at the ends are smaller. They are separate dispatches, with pipelines
//! of that size. A kernel that requires one size for all work-groups is refused in that case (OpenCL C
//! §6.9.2).

use clvk_interface::{BufferLocation, DeviceProfile, ImplicitBuffer, KernelInterface, LocalSize};
use smallvec::SmallVec;

/// Sizes of a launch, as `clEnqueueNDRangeKernel` takes them. Dimensions from `work_dim` on have size 1 and
/// offset 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchConfig {
    /// Number of dimensions, 1 to 3.
    pub work_dim: u32,
    /// Number of work-items in each dimension.
    pub global: [u64; 3],
    /// Work-group size; chosen by the runtime if not given.
    pub local: Option<[u32; 3]>,
    /// First global id in each dimension.
    pub offset: [u64; 3],
}

impl LaunchConfig {
    /// `x` work-items in one dimension.
    #[must_use]
    pub fn linear(x: u64) -> Self {
        LaunchConfig { work_dim: 1, global: [x, 1, 1], local: None, offset: [0; 3] }
    }

    /// `x` × `y` work-items.
    #[must_use]
    pub fn planar(x: u64, y: u64) -> Self {
        LaunchConfig { work_dim: 2, global: [x, y, 1], local: None, offset: [0; 3] }
    }

    /// `x` × `y` × `z` work-items.
    #[must_use]
    pub fn spatial(x: u64, y: u64, z: u64) -> Self {
        LaunchConfig { work_dim: 3, global: [x, y, z], local: None, offset: [0; 3] }
    }

    /// The same with this work-group size.
    #[must_use]
    pub fn with_local(self, local: [u32; 3]) -> Self {
        LaunchConfig { local: Some(local), ..self }
    }

    /// The same with this global offset.
    #[must_use]
    pub fn with_offset(self, offset: [u64; 3]) -> Self {
        LaunchConfig { offset, ..self }
    }
}

/// A launch that the device accepts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    /// The work-group size by which groups are numbered.
    pub(crate) local: [u32; 3],
    pub(crate) global: [u32; 3],
    pub(crate) offset: [u32; 3],
    pub(crate) work_dim: u32,
    pub(crate) dispatches: SmallVec<[Dispatch; 1]>,
    /// Bytes of private memory for the largest dispatch.
    pub(crate) private_memory: u64,
}

impl Plan {
    /// Whether global ids begin at 0, and so do the work-groups of each dispatch.
    pub(crate) fn has_no_offsets(&self) -> bool {
        self.offset == [0; 3] && self.dispatches.iter().all(|dispatch| dispatch.first == [0; 3])
    }
}

/// One `vkCmdDispatch`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dispatch {
    /// Number of the first work-group.
    pub(crate) first: [u32; 3],
    /// Number of work-groups.
    pub(crate) count: [u32; 3],
    /// Their size.
    pub(crate) local: [u32; 3],
}

/// Work-items of a group when the runtime chooses.
const CHOSEN_INVOCATIONS: u32 = 256;

/// A launch with more dispatches than this is a mistake: it would run for days.
const MOST_DISPATCHES: u64 = 65_536;

const DIMENSIONS: [&str; 3] = ["x", "y", "z"];

/// Checks a launch; the error is the end of the sentence "the kernel cannot be launched: …".
pub(crate) fn plan(
    kernel: &KernelInterface,
    profile: &DeviceProfile,
    config: &LaunchConfig,
) -> Result<Plan, String> {
    let (global, offset) = check_global(config)?;
    let local = match (config.local, kernel.local_size.required()) {
        (Some(local), Some(required)) if local != required => {
            return Err(format!(
                "it requires work-groups of {}, not {}; give that local size or none",
                sizes(required),
                sizes(local)
            ));
        }
        (Some(local), _) | (None, Some(local)) => local,
        (None, None) => chosen_local_size(kernel, config.global, profile),
    };
    check_sub_groups(kernel, local, profile)?;
    check_local(config.work_dim, local, profile)?;
    if let LocalSize::Required(_) = kernel.local_size {
        check_divides(global, local)?;
    }
    check_row(kernel, local, profile)?;
    let most = groups_with_private_memory(kernel, profile, local)?;
    let dispatches = divide(profile, global, local, most)?;
    let private_memory = private_memory(kernel, &dispatches);
    Ok(Plan { local, global, offset, work_dim: config.work_dim, dispatches, private_memory })
}

fn sizes(size: [u32; 3]) -> String {
    format!("{}×{}×{}", size[0], size[1], size[2])
}

/// The sizes and offsets as the 32-bit words that shaders use.
fn check_global(config: &LaunchConfig) -> Result<([u32; 3], [u32; 3]), String> {
    if !(1..=3).contains(&config.work_dim) {
        return Err(format!("it has {} dimensions; give 1, 2 or 3", config.work_dim));
    }
    let (mut global, mut offset) = ([1; 3], [0; 3]);
    for (d, name) in DIMENSIONS.iter().enumerate() {
        let (size, start) = (config.global[d], config.offset[d]);
        if d >= config.work_dim as usize {
            if size != 1 || start != 0 {
                return Err(format!(
                    "the global size is {size} and the offset {start} in dimension {name}, but the launch has only {} \
                     dimensions; make them 1 and 0, or raise `work_dim`",
                    config.work_dim
                ));
            }
            continue;
        }
        if size == 0 {
            return Err(format!("the global size is 0 in dimension {name}; it must be at least 1"));
        }
        if start.checked_add(size).is_none_or(|end| end > u64::from(u32::MAX)) {
            return Err(format!(
                "the global size {size} with the offset {start} in dimension {name} exceeds the 32-bit range of global \
                 ids; launch it in several parts"
            ));
        }
        // Checked just above.
        (global[d], offset[d]) = (size as u32, start as u32);
    }
    Ok((global, offset))
}

/// Kernels may require a number of sub-groups.
fn check_sub_groups(
    kernel: &KernelInterface,
    local: [u32; 3],
    profile: &DeviceProfile,
) -> Result<(), String> {
    let Some(required) = kernel.required_sub_groups else { return Ok(()) };
    let items: u64 = local.iter().map(|&size| u64::from(size)).product();
    let width = profile.sub_group_size().max(1);
    let count = items.div_ceil(u64::from(width));
    if count == u64::from(required) {
        return Ok(());
    }
    Err(format!(
        "it requires work-groups of {required} sub-groups, and those of {} have {count}, of {width} work-items each",
        sizes(local)
    ))
}

/// Kernels that use sub-groups run as one row of work-items.
fn check_row(kernel: &KernelInterface, local: [u32; 3], profile: &DeviceProfile) -> Result<(), String> {
    let (row, limit) = (local.iter().product::<u32>(), profile.max_work_group_size[0]);
    if kernel.sub_groups && row > limit {
        return Err(format!(
            "a work-group of {} has {row} work-items; for a kernel that uses sub-groups, the device's limit is {limit}",
            sizes(local)
        ));
    }
    Ok(())
}

fn check_local(work_dim: u32, local: [u32; 3], profile: &DeviceProfile) -> Result<(), String> {
    for (d, name) in DIMENSIONS.iter().enumerate() {
        let (size, limit) = (local[d], profile.max_work_group_size[d]);
        if size == 0 {
            return Err(format!("the local size is 0 in dimension {name}; it must be at least 1"));
        }
        if d >= work_dim as usize && size != 1 {
            return Err(format!(
                "the local size is {size} in dimension {name}, but the launch has only {work_dim} dimensions; make it 1"
            ));
        }
        if size > limit {
            return Err(format!(
                "the local size {size} in dimension {name} exceeds the device's limit of {limit}"
            ));
        }
    }
    let invocations: u64 = local.iter().map(|&size| u64::from(size)).product();
    if invocations > u64::from(profile.max_work_group_invocations) {
        return Err(format!(
            "a work-group of {} has {invocations} work-items, more than the device's limit of {}",
            sizes(local),
            profile.max_work_group_invocations
        ));
    }
    Ok(())
}

fn check_divides(global: [u32; 3], local: [u32; 3]) -> Result<(), String> {
    for (d, name) in DIMENSIONS.iter().enumerate() {
        if !global[d].is_multiple_of(local[d]) {
            return Err(format!(
                "the local size {} required by the kernel does not divide the global size {} in dimension {name}; round \
                 the global size up to {}",
                local[d],
                global[d],
                u64::from(global[d]).next_multiple_of(u64::from(local[d]))
            ));
        }
    }
    Ok(())
}

/// Bytes of private memory that the work-groups of a dispatch may have together.
const MOST_PRIVATE_MEMORY: u64 = 256 << 20;

/// How many work-groups have room for their private memory at a time.
fn groups_with_private_memory(
    kernel: &KernelInterface,
    profile: &DeviceProfile,
    local: [u32; 3],
) -> Result<u32, String> {
    if kernel.private_memory == 0 {
        return Ok(u32::MAX);
    }
    let range = match kernel.implicit_buffer(ImplicitBuffer::PrivateMemory) {
        Some(BufferLocation::Descriptor { .. }) => u64::from(profile.max_storage_buffer_range),
        _ => u64::MAX,
    };
    let group = box_size(local).saturating_mul(kernel.private_memory);
    match MOST_PRIVATE_MEMORY.min(range) / group {
        0 => Err(format!(
            "a work-group of {} work-items with {} bytes of private memory each needs too much memory; use smaller \
             work-groups",
            box_size(local),
            kernel.private_memory
        )),
        most => Ok(u32::try_from(most).unwrap_or(u32::MAX)),
    }
}

/// Bytes of private memory for the largest dispatch.
fn private_memory(kernel: &KernelInterface, dispatches: &[Dispatch]) -> u64 {
    let items = dispatches.iter().map(|dispatch| box_size(dispatch.count) * box_size(dispatch.local));
    items.max().unwrap_or(0) * kernel.private_memory
}

/// The number of elements in a box.
fn box_size(size: [u32; 3]) -> u64 {
    size.iter().map(|&size| u64::from(size)).product()
}

/// Groups of one size along a dimension that fit one dispatch: the first one, their number, and the size.
type Run = (u32, u32, u32);

/// The runs of a dimension: whole groups, as many as the device takes at a time, and the rest.
fn runs(global: u32, local: u32, limit: u32) -> impl Iterator<Item = Run> + Clone {
    let (whole, rest) = (global / local, global % local);
    let limit = limit.max(1);
    let runs = (0..whole).step_by(limit as usize).map(move |first| (first, limit.min(whole - first), local));
    runs.chain((rest > 0).then_some((whole, 1, rest)))
}

/// Dispatches that cover all work-items within the device's limits, of at most `most` work-groups each.
fn divide(
    profile: &DeviceProfile,
    global: [u32; 3],
    local: [u32; 3],
    most: u32,
) -> Result<SmallVec<[Dispatch; 1]>, String> {
    let mut limit = profile.max_work_group_count.map(|count| count.max(1));
    let mut left = most;
    for d in 0..3 {
        limit[d] = limit[d].min(left);
        left = (left / global[d].div_ceil(local[d]).min(limit[d]).max(1)).max(1);
    }
    let along = |d: usize| runs(global[d], local[d], limit[d]);
    let parts = [0, 1, 2].map(|d| {
        let whole = u64::from((global[d] / local[d]).div_ceil(limit[d]));
        whole + u64::from(!global[d].is_multiple_of(local[d]))
    });
    let total = parts.iter().fold(1u64, |total, &part| total.saturating_mul(part));
    if total > MOST_DISPATCHES {
        return Err(format!("it would need {total} dispatches; use larger work-groups"));
    }
    let mut dispatches = SmallVec::with_capacity(total as usize);
    for z in along(2) {
        for y in along(1) {
            for x in along(0) {
                let runs = [x, y, z];
                dispatches.push(Dispatch {
                    first: runs.map(|(first, ..)| first),
                    count: runs.map(|(_, count, _)| count),
                    local: runs.map(|(.., size)| size),
                });
            }
        }
    }
    // Dispatches of one size stay together, since each size has its own pipeline.
    dispatches.sort_by_key(|dispatch: &Dispatch| std::cmp::Reverse(dispatch.local));
    Ok(dispatches)
}

/// A work-group size: one that divides the global size, unless most lanes would idle then.
pub(crate) fn choose_local_size(global: [u64; 3], profile: &DeviceProfile) -> [u32; 3] {
    // A size that does not fit 32 bits is refused later.
    let global = global.map(|size| u32::try_from(size).unwrap_or(u32::MAX).max(1));
    let most = u64::from(CHOSEN_INVOCATIONS.min(profile.max_work_group_invocations));
    let divisor = choose_divisor(global, profile);
    let items = |size: [u32; 3]| size.iter().map(|&size| u64::from(size)).product::<u64>();
    if items(divisor) * 4 >= most.min(items(global)) {
        return divisor;
    }
    // As if every dimension were rounded up to a power of two; the rests at the ends make smaller groups.
    let rounded = global.map(|size| size.checked_next_power_of_two().unwrap_or(1 << 31));
    let size = choose_divisor(rounded, profile);
    [0, 1, 2].map(|d| size[d].min(global[d]))
}

/// A work-group size that divides the global size: as many busy lanes as possible up to
/// [`CHOSEN_INVOCATIONS`], then rows near the subgroup size, so that neighbouring work-items touch
/// neighbouring memory.
fn choose_divisor(global: [u32; 3], profile: &DeviceProfile) -> [u32; 3] {
    let most = CHOSEN_INVOCATIONS.min(profile.max_work_group_invocations).max(1);
    let divisors = |d: usize, limit: u32| {
        let limit = limit.min(profile.max_work_group_size[d]).max(1);
        (1..=limit).filter(move |&size| global[d].is_multiple_of(size))
    };
    let subgroup = profile.subgroup_size.max(1);
    let planar = global[1] > 1 || global[2] > 1;
    let row = if planar { subgroup.max(16) } else { most };
    let score = |size: [u32; 3]| {
        let items = size[0] * size[1] * size[2];
        // Busy lanes per lane used, scaled by the size of the group: 256 full lanes are best.
        let lanes = items.next_multiple_of(subgroup);
        let use_of_lanes = items * items / lanes;
        let row_distance = (size[0].max(row) / size[0].min(row)).ilog2();
        (use_of_lanes, std::cmp::Reverse(row_distance), size[0], size[1])
    };
    let mut best = [1; 3];
    for x in divisors(0, most) {
        for y in divisors(1, most / x) {
            for z in divisors(2, most / (x * y)) {
                if score([x, y, z]) > score(best) {
                    best = [x, y, z];
                }
            }
        }
    }
    best
}

/// The work-group size that the runtime chooses for a kernel.
pub(crate) fn chosen_local_size(
    kernel: &KernelInterface,
    global: [u64; 3],
    profile: &DeviceProfile,
) -> [u32; 3] {
    match kernel.required_sub_groups {
        Some(count) => [count.saturating_mul(profile.sub_group_size().max(1)), 1, 1],
        None => choose_local_size(global, profile),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile() -> DeviceProfile {
        DeviceProfile {
            subgroup_size: 32,
            max_work_group_invocations: 1024,
            max_work_group_size: [1024, 1024, 64],
            max_work_group_count: [65_535; 3],
            ..DeviceProfile::preset("nvidia-h200").unwrap()
        }
    }

    fn kernel() -> KernelInterface {
        KernelInterface { push_constant_size: 12, ..KernelInterface::new("k") }
    }

    #[test]
    fn the_chosen_size_divides_and_fills_subgroups() {
        let choose = |global: [u64; 3]| choose_local_size(global, &profile());
        assert_eq!(choose([1 << 20, 1, 1]), [256, 1, 1]);
        assert_eq!(choose([1024, 1024, 1]), [32, 8, 1]);
        assert_eq!(choose([1000, 1, 1]), [250, 1, 1], "250 of 256 lanes busy beats any smaller divisor");
        assert_eq!(choose([1_000_003, 1, 1]), [256, 1, 1], "a prime number: the last group is smaller");
        assert_eq!(choose([1021, 1021, 1]), [32, 8, 1]);
        assert_eq!(choose([2, 1_000_003, 1]), [2, 128, 1]);
        assert_eq!(choose([3, 1, 1]), [3, 1, 1]);
        assert_eq!(choose([64, 64, 64]), [32, 8, 1]);
        let lavapipe = DeviceProfile { subgroup_size: 8, ..profile() };
        assert_eq!(choose_local_size([512, 512, 1], &lavapipe), [16, 16, 1]);
        let tiny =
            DeviceProfile { max_work_group_invocations: 128, max_work_group_size: [16, 8, 4], ..profile() };
        let size = choose_local_size([4096, 4096, 1], &tiny);
        assert_eq!(size, [16, 8, 1]);
    }

    #[test]
    fn a_required_size_must_divide() {
        let kernel = KernelInterface { local_size: LocalSize::Required([8, 16, 1]), ..kernel() };
        let message = plan(&kernel, &profile(), &LaunchConfig::planar(64, 100)).unwrap_err();
        assert!(
            message.contains("16") && message.contains("100") && message.contains("dimension y"),
            "{message}"
        );
        assert!(message.contains("112"), "{message}");
    }

    #[test]
    fn a_required_number_of_sub_groups_is_kept() {
        let kernel = KernelInterface { required_sub_groups: Some(3), ..kernel() };
        let config = LaunchConfig::planar(96, 4);
        assert_eq!(plan(&kernel, &profile(), &config).unwrap().local, [96, 1, 1]);
        // The last sub-group need not be full.
        assert!(plan(&kernel, &profile(), &config.with_local([13, 5, 1])).is_ok());
        let message = plan(&kernel, &profile(), &config.with_local([16, 4, 1])).unwrap_err();
        assert!(message.contains("3 sub-groups") && message.contains("16×4×1 have 2"), "{message}");
        let many = KernelInterface { required_sub_groups: Some(u32::MAX), ..kernel };
        assert!(plan(&many, &profile(), &config).is_err());
    }

    #[test]
    fn groups_at_the_ends_are_smaller() {
        let config = LaunchConfig { work_dim: 3, global: [20, 7, 5], ..LaunchConfig::linear(1) };
        let plan = plan(&kernel(), &profile(), &config.with_local([8, 4, 5])).unwrap();
        let requires = KernelInterface { local_size: LocalSize::RequiredWhole([8, 4, 5]), ..kernel() };
        assert_eq!(super::plan(&requires, &profile(), &config).unwrap(), plan);
        let mut seen = vec![0; 20 * 7 * 5];
        for dispatch in &plan.dispatches {
            for d in 0..3 {
                assert!(dispatch.local[d] == plan.local[d] || dispatch.count[d] == 1, "{dispatch:?}");
            }
            let along = |d: usize| {
                let start = dispatch.first[d] * plan.local[d];
                start..start + dispatch.count[d] * dispatch.local[d]
            };
            for z in along(2) {
                for y in along(1) {
                    for x in along(0) {
                        seen[((z * 7 + y) * 20 + x) as usize] += 1;
                    }
                }
            }
        }
        assert!(seen.iter().all(|&count| count == 1), "{seen:?}");
        assert_eq!(plan.dispatches.len(), 4);
    }

    #[test]
    fn limits_are_kept() {
        let refuse = |config: LaunchConfig, part: &str| {
            let message = plan(&kernel(), &profile(), &config).unwrap_err();
            assert!(message.contains(part), "{message}");
        };
        refuse(LaunchConfig::linear(0), "global size is 0");
        refuse(LaunchConfig::linear(4096).with_local([2048, 1, 1]), "limit of 1024");
        refuse(LaunchConfig::planar(64, 64).with_local([64, 32, 1]), "2048 work-items");
        refuse(LaunchConfig::linear(64).with_local([8, 8, 1]), "1 dimensions");
        refuse(LaunchConfig::linear(64).with_local([0, 1, 1]), "local size is 0");
        refuse(LaunchConfig::linear(1 << 32), "32-bit");
        refuse(LaunchConfig::linear(u64::MAX).with_offset([u64::MAX, 0, 0]), "32-bit");
        refuse(LaunchConfig { work_dim: 4, ..LaunchConfig::linear(1) }, "4 dimensions");
        refuse(LaunchConfig { global: [4, 4, 1], ..LaunchConfig::linear(4) }, "dimension y");
        refuse(LaunchConfig::linear(u64::from(u32::MAX)).with_local([1, 1, 1]), "65537 dispatches");
    }

    #[test]
    fn a_required_size_is_taken_and_enforced() {
        let kernel = KernelInterface { local_size: LocalSize::Required([64, 1, 1]), ..kernel() };
        assert_eq!(plan(&kernel, &profile(), &LaunchConfig::linear(128)).unwrap().local, [64, 1, 1]);
        let message =
            plan(&kernel, &profile(), &LaunchConfig::linear(128).with_local([32, 1, 1])).unwrap_err();
        assert!(message.contains("64×1×1") && message.contains("32×1×1"), "{message}");
    }

    #[test]
    fn many_groups_are_split_without_gap_or_overlap() {
        let kernel = KernelInterface { group_offset: Some(0), ..kernel() };
        let config = LaunchConfig::planar(200_000, 70_000).with_local([1, 1, 1]);
        let plan = plan(&kernel, &profile(), &config).unwrap();
        assert_eq!(plan.dispatches.len(), 4 * 2);
        let covered: u64 =
            plan.dispatches.iter().map(|d| d.count.iter().map(|&c| u64::from(c)).product::<u64>()).sum();
        assert_eq!(covered, 200_000 * 70_000);
        assert_eq!(
            plan.dispatches[1],
            Dispatch { first: [65_535, 0, 0], count: [65_535, 65_535, 1], local: [1; 3] }
        );
        assert_eq!(
            plan.dispatches[7],
            Dispatch { first: [196_605, 65_535, 0], count: [3_395, 4_465, 1], local: [1; 3] }
        );
    }
}
