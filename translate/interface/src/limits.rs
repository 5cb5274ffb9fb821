//! What a kernel asks of a launch beyond the limits of a device.

use crate::{DeviceProfile, KernelInterface};

/// A limit that every launch of a kernel exceeds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExceededLimit {
    /// Vulkan's name of it.
    pub limit: &'static str,
    /// A phrase whose subject is the kernel: `declares 65536 bytes of local memory; the device has 32768`.
    pub problem: String,
    /// What to do, as an imperative.
    pub remedy: &'static str,
}

impl KernelInterface {
    /// The limits of the device that every launch of the kernel exceeds.
    #[must_use]
    pub fn exceeded_limits(&self, profile: &DeviceProfile) -> Vec<ExceededLimit> {
        let (group, memory) = (self.exceeded_work_group(profile), self.static_local_memory);
        let memory = (memory > profile.max_local_memory).then(|| ExceededLimit {
            limit: "maxComputeSharedMemorySize",
            problem: format!(
                "declares {memory} bytes of local memory; the device has {} (maxComputeSharedMemorySize)",
                profile.max_local_memory
            ),
            remedy: "make its `__local` arrays smaller",
        });
        group.into_iter().chain(memory).collect()
    }

    fn exceeded_work_group(&self, profile: &DeviceProfile) -> Option<ExceededLimit> {
        let size = self.local_size.required()?;
        let text = size.map(|size| size.to_string()).join("×");
        let remedy = "remove `reqd_work_group_size`, or require a smaller work-group";
        let items: u64 = size.iter().fold(1, |items, &size| u64::from(size).saturating_mul(items));
        if items > u64::from(profile.max_work_group_invocations) {
            let limit = "maxComputeWorkGroupInvocations";
            let most = profile.max_work_group_invocations;
            let problem = format!(
                "requires work-groups of {text}; the device allows {most} work-items in one ({limit})"
            );
            return Some(ExceededLimit { limit, problem, remedy });
        }
        let limit = "maxComputeWorkGroupSize";
        let most = profile.max_work_group_size.map(|size| size.to_string()).join("×");
        let exceeds = size.iter().zip(&profile.max_work_group_size).any(|(size, limit)| size > limit);
        let problem = format!("requires work-groups of {text}; the device allows at most {most} ({limit})");
        exceeds.then_some(ExceededLimit { limit, problem, remedy })
    }
}
