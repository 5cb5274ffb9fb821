//! From the operations of a batch to a command buffer.
//!
//! Every command buffer begins with a barrier behind all earlier work of the queue and ends with one that makes its
//! writes visible to the host; between dependent operations stands a barrier, decided by `hazard`. Images are in the
//! layout `GENERAL` except during a copy, which brings them into the layout for copies and back.

use crate::arguments::Descriptor;
use crate::batch::{Launch, Op, OpKind};
use crate::buffer::{BASE_ALIGNMENT, BufferInner};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::handle::{LogicalDevice, Owned};
use crate::hazard::HazardTracker;
use crate::image::ImageInner;
use crate::memory::MemoryUse;
use crate::queue::Commands;
use ash::vk;
use std::sync::Arc;
use vk::{AccessFlags, ImageLayout as Layout, PipelineStageFlags as Stage};

/// A complete command buffer and all that it uses.
pub(crate) struct Recorded {
    commands: Commands,
    operations: Vec<Op>,
    queries: Option<Queries>,
    _descriptors: Option<Owned<vk::DescriptorPool>>,
    _arguments: Option<Arc<BufferInner>>,
}

struct Queries {
    pool: Owned<vk::QueryPool>,
    count: u32,
}

impl Recorded {
    pub(crate) fn command_buffer(&self) -> vk::CommandBuffer {
        self.commands.buffer
    }

    /// Visits each buffer that the user can reach.
    pub(crate) fn for_each_buffer(&self, mut visit: impl FnMut(&Arc<BufferInner>)) {
        for operation in &self.operations {
            operation.for_each_buffer(&mut visit);
        }
    }

    /// Frees what the work used, after it is done; gives the time stamps and what can be used again.
    pub(crate) fn finish(self) -> (Result<Option<Vec<u64>>>, Commands) {
        for operation in &self.operations {
            if let OpKind::Launch(launch) = &operation.kind
                && let Some(print) = &launch.print_buffer
                && let Err(error) = print.finish()
            {
                tracing::warn!(%error, "what a kernel printed was lost");
            }
        }
        let ticks = match &self.queries {
            None => Ok(None),
            Some(queries) => queries.read().map(Some),
        };
        (ticks, self.commands)
    }
}

impl Queries {
    /// Two time stamps for each launch.
    fn new(device: &Arc<LogicalDevice>, launches: u32) -> Result<Self> {
        let count = launches * 2;
        let info = vk::QueryPoolCreateInfo::default().query_type(vk::QueryType::TIMESTAMP).query_count(count);
        // SAFETY: the create info has no pointers, the count is not zero.
        let pool = unsafe { device.raw().create_query_pool(&info, None) }
            .map_err(Error::vulkan("create a query pool"))?;
        // SAFETY: just created from this device.
        Ok(Queries { pool: unsafe { Owned::new(device, pool) }, count })
    }

    fn read(&self) -> Result<Vec<u64>> {
        let mut ticks = vec![0u64; self.count as usize];
        let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT;
        // SAFETY: the vector has room for all queries, which were all written, for their work is done.
        unsafe { self.pool.device().raw().get_query_pool_results(self.pool.get(), 0, &mut ticks, flags) }
            .map_err(Error::vulkan("read time stamps"))?;
        Ok(ticks)
    }
}

/// Records the operations of a batch.
pub(crate) fn record(device: &Device, mut operations: Vec<Op>, timed: bool) -> Result<Recorded> {
    let logical = &device.shared.logical;
    let launches = operations.iter().filter(|op| matches!(op.kind, OpKind::Launch(_))).count();
    let launches = u32::try_from(launches).unwrap_or(u32::MAX / 2).min(u32::MAX / 2);
    let queries = if timed && launches > 0 { Some(Queries::new(logical, launches)?) } else { None };
    let arguments = place_arguments(device, &mut operations)?;
    let descriptors = create_descriptor_pool(logical, &operations)?;
    let commands = device.shared.queue.commands()?;

    let mut recorder = Recorder {
        device: logical,
        buffer: commands.buffer,
        descriptors: descriptors.as_ref().map(Owned::get),
        queries: queries.as_ref().map(|queries| queries.pool.get()),
        next_query: 0,
    };
    recorder.begin(queries.as_ref())?;
    let mut hazards = HazardTracker::default();
    for operation in &operations {
        if matches!(operation.kind, OpKind::Barrier) {
            hazards.clear();
            recorder.barrier(DEVICE_STAGES, DEVICE_WRITES, DEVICE_STAGES, DEVICE_ACCESSES);
        } else if hazards.add(&operation.accesses) {
            recorder.barrier(DEVICE_STAGES, DEVICE_WRITES, DEVICE_STAGES, DEVICE_ACCESSES);
        }
        recorder.operation(operation)?;
    }
    recorder.end()?;
    Ok(Recorded { commands, operations, queries, _descriptors: descriptors, _arguments: arguments })
}

/// The stages of all operations here.
const DEVICE_STAGES: Stage = Stage::from_raw(Stage::COMPUTE_SHADER.as_raw() | Stage::TRANSFER.as_raw());
const DEVICE_WRITES: AccessFlags =
    AccessFlags::from_raw(AccessFlags::SHADER_WRITE.as_raw() | AccessFlags::TRANSFER_WRITE.as_raw());
const DEVICE_ACCESSES: AccessFlags = AccessFlags::from_raw(
    DEVICE_WRITES.as_raw() | AccessFlags::SHADER_READ.as_raw() | AccessFlags::TRANSFER_READ.as_raw(),
);

/// Puts spilled arguments into one buffer and their addresses into the push constants, or descriptors of their ranges.
fn place_arguments(device: &Device, operations: &mut [Op]) -> Result<Option<Arc<BufferInner>>> {
    let alignment = device.limits().min_storage_buffer_alignment.max(BASE_ALIGNMENT) as usize;
    let mut bytes = Vec::new();
    let mut places = Vec::new();
    for (index, operation) in operations.iter().enumerate() {
        if let OpKind::Launch(launch) = &operation.kind
            && !launch.encoded.spilled.is_empty()
        {
            bytes.resize(bytes.len().next_multiple_of(alignment), 0);
            places.push((index, bytes.len() as u64));
            bytes.extend_from_slice(&launch.encoded.spilled);
        }
    }
    if bytes.is_empty() {
        return Ok(None);
    }
    let buffer = device.create_buffer("kernel arguments", bytes.len() as u64, MemoryUse::Arguments)?;
    buffer.write_mapped(0, &bytes, device.timeout())?;
    for (index, offset) in places {
        let OpKind::Launch(launch) = &mut operations[index].kind else { continue };
        let size = launch.encoded.spilled.len() as u64;
        match launch.argument_buffer {
            Some(location) => launch.encoded.reach(location, &buffer, offset..offset + size),
            None => unreachable!("arguments spill only where the kernel has an argument buffer"),
        }
    }
    Ok(Some(buffer))
}

fn descriptor_type(descriptor: &Descriptor) -> vk::DescriptorType {
    match descriptor {
        Descriptor::StorageBuffer(..) => vk::DescriptorType::STORAGE_BUFFER,
        Descriptor::SampledImage(_) => vk::DescriptorType::SAMPLED_IMAGE,
        Descriptor::StorageImage(_) => vk::DescriptorType::STORAGE_IMAGE,
        Descriptor::Sampler(..) => vk::DescriptorType::SAMPLER,
    }
}

/// A pool with exactly the descriptors that the operations need.
fn create_descriptor_pool(
    device: &Arc<LogicalDevice>,
    operations: &[Op],
) -> Result<Option<Owned<vk::DescriptorPool>>> {
    let mut sets = 0;
    let mut sizes: Vec<vk::DescriptorPoolSize> = Vec::new();
    for operation in operations {
        let OpKind::Launch(launch) = &operation.kind else { continue };
        sets += u32::from(launch.pipeline.layout.set_layout().is_some());
        for (_, descriptor) in &launch.encoded.descriptors {
            let kind = descriptor_type(descriptor);
            match sizes.iter_mut().find(|size| size.ty == kind) {
                Some(size) => size.descriptor_count += 1,
                None => sizes.push(vk::DescriptorPoolSize { ty: kind, descriptor_count: 1 }),
            }
        }
    }
    if sets == 0 {
        return Ok(None);
    }
    let info = vk::DescriptorPoolCreateInfo::default().max_sets(sets).pool_sizes(&sizes);
    // SAFETY: `sizes` lives until after the call, and no count is zero.
    let pool = unsafe { device.raw().create_descriptor_pool(&info, None) }
        .map_err(Error::vulkan("create a descriptor pool"))?;
    // SAFETY: just created from this device.
    Ok(Some(unsafe { Owned::new(device, pool) }))
}

/// A command buffer being recorded.
///
/// What makes its `unsafe` calls sound, once for all: the command buffer is this recorder's alone and in the
/// recording state between `begin` and `end`; every handle given to a command is kept alive by the operation that it
/// comes from, which goes into the same `Recorded`; ranges were checked when the operation was made.
struct Recorder<'a> {
    device: &'a Arc<LogicalDevice>,
    buffer: vk::CommandBuffer,
    descriptors: Option<vk::DescriptorPool>,
    queries: Option<vk::QueryPool>,
    next_query: u32,
}

impl Recorder<'_> {
    fn begin(&mut self, queries: Option<&Queries>) -> Result<()> {
        let info = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        // SAFETY: the command buffer is in the initial state.
        unsafe { self.device.raw().begin_command_buffer(self.buffer, &info) }
            .map_err(Error::vulkan("begin a command buffer"))?;
        if let Some(queries) = queries {
            // SAFETY: see the type; the range is the whole pool.
            unsafe {
                self.device.raw().cmd_reset_query_pool(self.buffer, queries.pool.get(), 0, queries.count)
            };
        }
        self.barrier(DEVICE_STAGES, DEVICE_WRITES, DEVICE_STAGES, DEVICE_ACCESSES);
        Ok(())
    }

    fn end(&mut self) -> Result<()> {
        self.barrier(
            DEVICE_STAGES,
            DEVICE_WRITES,
            Stage::HOST,
            AccessFlags::HOST_READ | AccessFlags::HOST_WRITE,
        );
        // SAFETY: see the type.
        unsafe { self.device.raw().end_command_buffer(self.buffer) }
            .map_err(Error::vulkan("end a command buffer"))
    }

    /// Orders all memory accesses of earlier operations before those of later ones.
    fn barrier(&mut self, from: Stage, written: AccessFlags, to: Stage, accessed: AccessFlags) {
        let barrier = vk::MemoryBarrier::default().src_access_mask(written).dst_access_mask(accessed);
        let none = vk::DependencyFlags::empty();
        // SAFETY: see the type; stages and accesses are those of compute, transfer and host.
        unsafe { self.device.raw().cmd_pipeline_barrier(self.buffer, from, to, none, &[barrier], &[], &[]) }
    }

    fn operation(&mut self, operation: &Op) -> Result<()> {
        let (device, commands) = (self.device.raw(), self.buffer);
        match &operation.kind {
            OpKind::Launch(launch) => self.launch(launch)?,
            OpKind::Copy { source, destination, region } => {
                // SAFETY: see the type; both ranges lie in their buffers and do not overlap.
                unsafe { device.cmd_copy_buffer(commands, source.raw(), destination.raw(), &[*region]) }
            }
            OpKind::Fill { buffer, pattern } => {
                // SAFETY: see the type; the size is a multiple of 4.
                unsafe { device.cmd_fill_buffer(commands, buffer.raw(), 0, buffer.raw_size, *pattern) }
            }
            OpKind::PrepareImage(image) => self.image_layout(image, Layout::UNDEFINED, Layout::GENERAL),
            OpKind::BufferToImage { buffer, image, region } => {
                let layout = Layout::TRANSFER_DST_OPTIMAL;
                self.image_layout(image, Layout::GENERAL, layout);
                // SAFETY: see the type; the region lies in the image and the buffer holds it.
                unsafe {
                    device.cmd_copy_buffer_to_image(commands, buffer.raw(), image.raw(), layout, &[*region])
                }
                self.image_layout(image, layout, Layout::GENERAL);
            }
            OpKind::ImageToBuffer { image, buffer, region } => {
                let layout = Layout::TRANSFER_SRC_OPTIMAL;
                self.image_layout(image, Layout::GENERAL, layout);
                // SAFETY: see the type; the region lies in the image and the buffer has room for it.
                unsafe {
                    device.cmd_copy_image_to_buffer(commands, image.raw(), layout, buffer.raw(), &[*region])
                }
                self.image_layout(image, layout, Layout::GENERAL);
            }
            OpKind::Barrier => {}
        }
        Ok(())
    }

    /// Changes the layout of an image, after all earlier and before all later operations.
    fn image_layout(&mut self, image: &ImageInner, old: Layout, new: Layout) {
        let barrier = vk::ImageMemoryBarrier::default()
            .image(image.raw())
            .subresource_range(image.whole())
            .old_layout(old)
            .new_layout(new)
            .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .src_access_mask(DEVICE_WRITES)
            .dst_access_mask(DEVICE_ACCESSES);
        let none = vk::DependencyFlags::empty();
        // SAFETY: see the type; the image is in the old layout, and it is new if that is undefined.
        unsafe {
            let device = self.device.raw();
            device.cmd_pipeline_barrier(
                self.buffer,
                DEVICE_STAGES,
                DEVICE_STAGES,
                none,
                &[],
                &[],
                &[barrier],
            );
        }
    }

    /// Writes the next time stamp, when everything before is done.
    fn time_stamp(&mut self) {
        let Some(pool) = self.queries else { return };
        let stage = Stage::BOTTOM_OF_PIPE;
        // SAFETY: see the type; the pool has two queries for each launch, all reset.
        unsafe { self.device.raw().cmd_write_timestamp(self.buffer, stage, pool, self.next_query) };
        self.next_query += 1;
    }

    fn launch(&mut self, launch: &Launch) -> Result<()> {
        let (device, commands) = (self.device.raw(), self.buffer);
        let layout = &launch.pipeline.layout;
        // SAFETY: see the type.
        unsafe { device.cmd_bind_pipeline(commands, vk::PipelineBindPoint::COMPUTE, launch.pipeline.raw()) };
        if let Some(set_layout) = layout.set_layout() {
            let set = self.descriptor_set(set_layout, launch)?;
            let point = vk::PipelineBindPoint::COMPUTE;
            // SAFETY: see the type; the set has the layout that the pipeline layout names.
            unsafe { device.cmd_bind_descriptor_sets(commands, point, layout.raw(), 0, &[set], &[]) };
        }
        self.push(launch, 0, &launch.encoded.push);
        self.time_stamp();
        for dispatch in &launch.dispatches {
            if let Some(offset) = launch.group_offset {
                self.push(launch, offset, bytemuck::bytes_of(&dispatch.first));
            }
            let [x, y, z] = dispatch.count;
            // SAFETY: see the type; the counts were checked against the device's limits.
            unsafe { device.cmd_dispatch(commands, x, y, z) };
        }
        self.time_stamp();
        Ok(())
    }

    fn push(&mut self, launch: &Launch, offset: u32, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        let (layout, stage) = (launch.pipeline.layout.raw(), vk::ShaderStageFlags::COMPUTE);
        // SAFETY: see the type; the range lies in the layout's push constants, and offset and size are multiples of 4
        // (`check_interface`).
        unsafe { self.device.raw().cmd_push_constants(self.buffer, layout, stage, offset, bytes) }
    }

    /// A descriptor set with the arguments of a launch.
    fn descriptor_set(
        &mut self,
        layout: vk::DescriptorSetLayout,
        launch: &Launch,
    ) -> Result<vk::DescriptorSet> {
        let layouts = [layout];
        let pool = self.descriptors.expect("a pool is made if any launch has a set layout");
        let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
        // SAFETY: the pool is used by this recorder alone and has room for all sets.
        let sets = unsafe { self.device.raw().allocate_descriptor_sets(&info) }
            .map_err(Error::vulkan("allocate a descriptor set"))?;
        for (binding, descriptor) in &launch.encoded.descriptors {
            self.write_descriptor(sets[0], *binding, descriptor);
        }
        Ok(sets[0])
    }

    fn write_descriptor(&mut self, set: vk::DescriptorSet, binding: u32, descriptor: &Descriptor) {
        let mut buffers = [vk::DescriptorBufferInfo::default()];
        let mut images = [vk::DescriptorImageInfo::default()];
        let write = vk::WriteDescriptorSet::default()
            .dst_set(set)
            .dst_binding(binding)
            .descriptor_type(descriptor_type(descriptor));
        let write = match descriptor {
            Descriptor::StorageBuffer(buffer, range) => {
                let size = range.end - range.start;
                buffers[0] = buffers[0].buffer(buffer.raw()).offset(range.start).range(size);
                write.buffer_info(&buffers)
            }
            Descriptor::SampledImage(image) | Descriptor::StorageImage(image) => {
                images[0] = images[0].image_view(image.view()).image_layout(vk::ImageLayout::GENERAL);
                write.image_info(&images)
            }
            Descriptor::Sampler(sampler, normalized) => {
                images[0] = images[0].sampler(sampler.raw(*normalized));
                write.image_info(&images)
            }
        };
        // SAFETY: the set is new, the binding has this type in its layout, and the objects live as the type says.
        unsafe { self.device.raw().update_descriptor_sets(&[write], &[]) }
    }
}
