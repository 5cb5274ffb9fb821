//! From a command to the command buffer of a slot.
//!
//! Whatever can fail comes before the first Vulkan command, so that a command is recorded whole or not at
//! all. Images are always in the layout `GENERAL`. The module `slot` says why the `unsafe` calls are sound.

use crate::engine::arena::{Piece, argument_alignment};
use crate::engine::arguments::Descriptor;
use crate::engine::buffer::BufferInner;
use crate::engine::command::{Command, Kind, PinnedUse};
use crate::engine::fill::Pattern;
use crate::engine::launch::Launch;
use crate::engine::loop_watch::LoopWatch;
use crate::engine::print::PrintBuffer;
use crate::engine::repeat::Recording;
use crate::engine::reports::ReportBuffer;
use crate::engine::slot::{Keep, Slot};
use crate::engine::transfer::{DeviceMemory, Pitches, Shape, Transfer, Unpack, buffer_regions};
use crate::vulkan::error::{Error, Result};
use ash::vk;
use smallvec::SmallVec;
use std::sync::Arc;
use vk::ImageLayout as Layout;

/// Alignment of data in staging memory: that of the largest pixel, which copies of images need.
pub(crate) const STAGING_ALIGNMENT: u64 = 16;

/// Bytes of a repeated pattern that are uploaded; the device copies the rest from them.
const SEED: u64 = 64 << 10;

/// What a recorded command leaves to be done.
#[derive(Default)]
pub(crate) struct Recorded {
    /// Its time stamps: when it could begin, and when it ended.
    pub(crate) stamps: Option<[u32; 2]>,
    /// Data for the host.
    pub(crate) unpack: Option<Unpack>,
    /// What it printed.
    pub(crate) print: Option<PrintBuffer>,
    /// Whether its loops were ended early.
    pub(crate) loop_watch: Option<LoopWatch>,
    /// What it reported.
    pub(crate) reports: Option<Box<ReportBuffer>>,
    /// Whether the device writes the host's side of a pinned buffer.
    pub(crate) writes_pinned: bool,
}

impl Recorded {
    /// Whether there is something to do or to note on the host when the device is done.
    pub(crate) fn is_for_host(&self) -> bool {
        self.writes_pinned
            || self.unpack.is_some()
            || self.print.is_some()
            || self.loop_watch.is_some()
            || self.reports.is_some()
    }
}

impl Slot {
    /// Records a command, after a barrier if it depends on earlier ones in the slot.
    pub(crate) fn record(&mut self, command: Command, timed: bool) -> Result<Recorded> {
        if timed && !self.repeats {
            self.prepare_queries()?;
        }
        // A repeated slot holds nothing but its launch.
        if !self.repeats {
            let anything = command.reaches_anything();
            let depends = self.hazards.conflicts(command.accesses(), anything);
            if depends || matches!(command.kind, Kind::Barrier) {
                self.barrier();
            }
            self.hazards.note(command.accesses(), anything);
        }
        self.for_host |= command.kind.is_for_host();
        let stamps;
        if !timed {
            self.last_end = None;
        }
        let (mut print, mut loop_watch, mut reports) = (None, None, None);
        let unpack = match command.kind {
            Kind::Launch(mut launch) => {
                print = launch.print_buffer.take();
                loop_watch = launch.loop_watch.take();
                reports = launch.reports.take();
                stamps = if self.repeats {
                    self.keep_launch(&mut launch);
                    self.recording.as_ref().and_then(Recording::stamps)
                } else {
                    if let Some(shadow) = reports.as_ref().and_then(|reports| reports.shadow.as_ref()) {
                        self.fill_buffer(shadow, 0, shadow.raw_size, &Pattern::of_word(0))?;
                        self.barrier_within();
                    }
                    self.launch(&mut launch, timed)?
                };
                launch.put_back();
                None
            }
            other => {
                let is_empty = other.is_empty();
                let start = timed.then(|| self.start_stamp());
                let unpack = self.other(other)?;
                stamps = start.map(|start| [start, if is_empty { start } else { self.end_stamp() }]);
                unpack
            }
        };
        let writes_pinned = command.pinned == Some(PinnedUse::Written);
        Ok(Recorded { stamps, unpack, print, loop_watch, reports, writes_pinned })
    }

    fn other(&mut self, kind: Kind) -> Result<Option<Unpack>> {
        self.recording = None;
        match kind {
            Kind::CopyBuffer { source, destination, from, to, shape, .. } => {
                self.copy_buffer(&source, &destination, &buffer_regions(from, to, shape));
                self.keep_buffer(source);
                self.keep_buffer(destination);
            }
            Kind::FillBuffer { buffer, offset, size, pattern } => {
                self.fill_buffer(&buffer, offset, size, &pattern)?;
                self.keep_buffer(buffer);
            }
            Kind::CopyImage { source, destination, from, to } => {
                self.copy_image(&source, &destination, &from, &to)?;
                self.keeps.push(Keep::Image(source));
                self.keeps.push(Keep::Image(destination));
            }
            Kind::FillImage { image, region, pixel } => {
                self.fill_image(&image, &region, &pixel)?;
                self.keeps.push(Keep::Image(image));
            }
            Kind::FillBox { buffer, offset, pitches, shape, pattern } => {
                self.fill_box(&buffer, (offset, pitches), shape, &pattern)?;
                self.keep_buffer(buffer);
            }
            Kind::BufferToImage { buffer, from, image, region } => {
                self.buffer_to_image(&buffer, from, &image, &region)?;
                self.keep_buffer(buffer);
                self.keeps.push(Keep::Image(image));
            }
            Kind::ImageToBuffer { image, region, buffer, to } => {
                self.image_to_buffer(&image, &region, &buffer, to)?;
                self.keep_buffer(buffer);
                self.keeps.push(Keep::Image(image));
            }
            Kind::PrepareImage(image) => {
                self.prepare_image(&image);
                self.keeps.push(Keep::Image(image));
            }
            Kind::ChangeOwner { buffers, acquires } => {
                self.change_owner(&buffers, acquires);
                buffers.into_iter().for_each(|buffer| self.keep_buffer(buffer));
            }
            Kind::Write(transfer) => self.write(&transfer)?,
            Kind::Read(transfer) => return self.read(&transfer).map(Some),
            Kind::Marker | Kind::Point | Kind::Barrier => {}
            Kind::WaitSemaphores(semaphores) => self.waits.extend(semaphores),
            Kind::SignalSemaphores(semaphores) => self.signals.extend(semaphores),
            Kind::Launch(_) | Kind::Native(_) => {
                unreachable!("launches and functions of the host go other ways")
            }
        }
        Ok(None)
    }

    /// Keeps a buffer until the device is done, and lets the host wait for that.
    fn keep_buffer(&mut self, buffer: Arc<BufferInner>) {
        buffer.mark_used(self.serial);
        self.keeps.push(Keep::Buffer(buffer));
    }

    pub(crate) fn copy_buffer(&mut self, from: &BufferInner, to: &BufferInner, regions: &[vk::BufferCopy]) {
        let device = self.heap.logical.raw();
        // SAFETY: see the module `slot`; the ranges lie in their buffers and do not overlap.
        unsafe { device.cmd_copy_buffer(self.buffer, from.raw(), to.raw(), regions) }
    }

    fn copy_piece(&mut self, piece: Piece, to: &BufferInner, offset: u64, size: u64) {
        let region = vk::BufferCopy { src_offset: piece.offset, dst_offset: offset, size };
        self.copy_buffer(&piece.buffer, to, &[region]);
        self.keeps.push(Keep::Buffer(piece.buffer));
    }

    /// Staging memory filled with a repeated pattern.
    pub(crate) fn repeated(&mut self, pattern: &Pattern, size: u64) -> Result<Piece> {
        let piece = self.upload.take(&self.heap, size, STAGING_ALIGNMENT)?;
        // SAFETY: the piece has this size and nothing else uses it.
        pattern.repeat(unsafe { std::slice::from_raw_parts_mut(piece.pointer().as_ptr(), size as usize) });
        Ok(piece)
    }

    fn fill_buffer(&mut self, buffer: &BufferInner, offset: u64, size: u64, pattern: &Pattern) -> Result<()> {
        let Some(word) = pattern.word() else { return self.fill_by_copies(buffer, offset, size, pattern) };
        // Fills take whole words at multiples of 4; short patterns may begin and end elsewhere.
        let start = offset.next_multiple_of(4).min(offset + size);
        let end = (offset + size) / 4 * 4;
        let edges = [(offset, start), (end.max(start), offset + size)];
        let mut pieces: SmallVec<[(Piece, u64, u64); 2]> = SmallVec::new();
        for (from, to) in edges {
            if from < to {
                pieces.push((self.repeated(pattern, to - from)?, from, to - from));
            }
        }
        for (piece, from, length) in pieces {
            self.copy_piece(piece, buffer, from, length);
        }
        if start < end {
            let device = self.heap.logical.raw();
            // SAFETY: see the module `slot`; offset and size are multiples of 4 and not zero.
            unsafe { device.cmd_fill_buffer(self.buffer, buffer.raw(), start, end - start, word) }
        }
        Ok(())
    }

    /// Fills the rows of a box, each from the same row of staging memory.
    fn fill_box(
        &mut self,
        buffer: &BufferInner,
        to: (u64, Pitches),
        shape: Shape,
        pattern: &Pattern,
    ) -> Result<()> {
        let piece = self.repeated(pattern, shape.row)?;
        let same_row = Pitches { row: 0, slice: 0 };
        self.copy_buffer(&piece.buffer, buffer, &buffer_regions((piece.offset, same_row), to, shape));
        self.keeps.push(Keep::Buffer(piece.buffer));
        Ok(())
    }

    /// Writes the pattern a few times, and then copies what is there, twice as much each time.
    fn fill_by_copies(
        &mut self,
        buffer: &BufferInner,
        offset: u64,
        size: u64,
        pattern: &Pattern,
    ) -> Result<()> {
        let mut done = size.min(SEED / pattern.len() * pattern.len());
        let piece = self.repeated(pattern, done)?;
        self.copy_piece(piece, buffer, offset, done);
        while done < size {
            self.barrier();
            let length = done.min(size - done);
            let region = vk::BufferCopy { src_offset: offset, dst_offset: offset + done, size: length };
            self.copy_buffer(buffer, buffer, &[region]);
            done += length;
        }
        // The last copy follows a barrier that cleared the access.
        self.hazards.note(&[buffer.access(offset..offset + size, true)], false);
        Ok(())
    }

    /// Copies the host's data to staging memory, and records a copy from there.
    fn write(&mut self, transfer: &Transfer) -> Result<()> {
        let size = transfer.shape.size();
        let piece = self.upload.take(&self.heap, size, STAGING_ALIGNMENT)?;
        // SAFETY: the piece has room for the box, and nothing else uses it.
        unsafe { transfer.pack(piece.pointer()) };
        match &transfer.device {
            DeviceMemory::Buffer { buffer, offset, pitches } => {
                let packed = Pitches::packed(transfer.shape);
                let regions = buffer_regions((piece.offset, packed), (*offset, *pitches), transfer.shape);
                self.copy_buffer(&piece.buffer, buffer, &regions);
                self.keep_buffer(Arc::clone(buffer));
            }
            DeviceMemory::Image { image, region } => {
                self.copy_to_image(&piece.buffer, image, &[image.buffer_copy(region, piece.offset)]);
                self.keeps.push(Keep::Image(Arc::clone(image)));
            }
        }
        self.keeps.push(Keep::Buffer(piece.buffer));
        Ok(())
    }

    /// Records a copy to staging memory, from which the host takes the data later.
    fn read(&mut self, transfer: &Transfer) -> Result<Unpack> {
        let shape = transfer.shape;
        let staging = self.download.take(&self.heap, shape.size(), STAGING_ALIGNMENT)?;
        match &transfer.device {
            DeviceMemory::Buffer { buffer, offset, pitches } => {
                let packed = Pitches::packed(shape);
                let regions = buffer_regions((*offset, *pitches), (staging.offset, packed), shape);
                self.copy_buffer(buffer, &staging.buffer, &regions);
                self.keep_buffer(Arc::clone(buffer));
            }
            DeviceMemory::Image { image, region } => {
                self.copy_from_image(image, &staging.buffer, &[image.buffer_copy(region, staging.offset)]);
                self.keeps.push(Keep::Image(Arc::clone(image)));
            }
        }
        Ok(Unpack { staging, host: transfer.host, shape })
    }

    /// Records a launch; gives its time stamps, if it is timed.
    fn launch(&mut self, launch: &mut Launch, timed: bool) -> Result<Option<[u32; 2]>> {
        if launch.founder.is_some() {
            return Err(Error::DeviceQueue {
                reason: "the launch of that kernel cannot be recorded together with others",
            });
        }
        self.place_arguments(launch)?;
        let layout = Arc::clone(&launch.steps[0].1.layout);
        let descriptors = &launch.encoded.descriptors;
        let set = match layout.set_layout() {
            None => None,
            Some(set_layout) => {
                let set = self.descriptors.take(&self.heap.logical, set_layout, descriptors)?;
                for (binding, descriptor) in descriptors {
                    self.write_descriptor(set, *binding, descriptor);
                }
                Some(set)
            }
        };
        let (device, commands, point) =
            (self.heap.logical.raw(), self.buffer, vk::PipelineBindPoint::COMPUTE);
        if let Some(set) = set {
            // SAFETY: see the module `slot`; the set has the layout that the pipeline layout names.
            unsafe { device.cmd_bind_descriptor_sets(commands, point, layout.raw(), 0, &[set], &[]) };
        }
        self.push(layout.raw(), 0, &launch.encoded.push);
        let start = timed.then(|| self.start_stamp());
        let has_pixels = !launch.encoded.pixels.is_empty();
        if has_pixels {
            self.load_pixels(&launch.encoded.pixels);
        }
        let mut bound = vk::Pipeline::null();
        for (number, (dispatch, pipeline)) in launch.steps.iter().enumerate() {
            if number > 0 && launch.in_turn {
                self.barrier_within();
            }
            if pipeline.raw() != bound {
                bound = pipeline.raw();
                // SAFETY: see the module `slot`.
                unsafe { self.heap.logical.raw().cmd_bind_pipeline(commands, point, bound) };
            }
            if let Some(offset) = launch.group_offset {
                self.push(layout.raw(), offset, bytemuck::bytes_of(&dispatch.first));
            }
            let [x, y, z] = dispatch.count;
            // SAFETY: see the module `slot`; the counts were checked against the device's limits.
            unsafe { self.heap.logical.raw().cmd_dispatch(commands, x, y, z) };
        }
        if has_pixels {
            self.store_pixels(&launch.encoded.pixels);
            // The barriers between the copies cleared them.
            self.hazards.note(&launch.encoded.accesses, launch.encoded.reaches_anything);
        }
        let stamps = start.map(|start| [start, self.end_stamp()]);
        let alone = self.count == 0 && !self.runs.in_span();
        self.recording = if alone { Recording::of(launch, self.behind_barrier, stamps) } else { None };
        self.keep_launch(launch);
        Ok(stamps)
    }

    /// Takes over the objects that a launch uses.
    fn keep_launch(&mut self, launch: &mut Launch) {
        for buffer in launch.encoded.buffers.drain(..) {
            self.keep_buffer(buffer);
        }
        for (_, descriptor) in launch.encoded.descriptors.drain(..) {
            match descriptor {
                Descriptor::StorageBuffer(buffer, _) => self.keep_buffer(buffer),
                Descriptor::SampledImage(image)
                | Descriptor::FirstLevel(image)
                | Descriptor::StorageImage(image, _) => {
                    self.keeps.push(Keep::Image(image));
                }
                Descriptor::UniformTexels(view) | Descriptor::StorageTexels(view) => {
                    self.keep_buffer(Arc::clone(&view.buffer));
                    self.keeps.push(Keep::Texels(view));
                }
                Descriptor::Sampler(sampler) => self.keeps.push(Keep::Sampler(sampler)),
            }
        }
        for pixels in launch.encoded.pixels.drain(..) {
            self.keep_buffer(pixels.buffer);
            self.keeps.push(Keep::Image(pixels.image));
        }
        self.keeps.extend(launch.steps.drain(..).map(|(_, pipeline)| Keep::Pipeline(pipeline)));
    }

    /// Puts spilled arguments into memory and the address into the push constants, or a descriptor of the
    /// range.
    fn place_arguments(&mut self, launch: &mut Launch) -> Result<()> {
        if let Some(bounds) = launch.encoded.bounds.take() {
            let table = bounds.table();
            let piece = self.place(bytemuck::cast_slice(&table))?;
            let size = size_of_val(&table[..]) as u64;
            launch.encoded.reach(bounds.location, &piece.buffer, piece.offset..piece.offset + size);
            self.keeps.push(Keep::Buffer(piece.buffer));
        }
        let spilled = &launch.encoded.spilled;
        if spilled.is_empty() {
            return Ok(());
        }
        let size = spilled.len() as u64;
        let piece = self.place(spilled)?;
        let location =
            launch.argument_buffer.expect("arguments spill only where the kernel has an argument buffer");
        launch.encoded.reach(location, &piece.buffer, piece.offset..piece.offset + size);
        self.keeps.push(Keep::Buffer(piece.buffer));
        Ok(())
    }

    /// Memory for the kernel to read, with these bytes; there is at least one.
    fn place(&mut self, bytes: &[u8]) -> Result<Piece> {
        let piece = self.arguments.take(&self.heap, bytes.len() as u64, argument_alignment(&self.heap))?;
        // SAFETY: the piece has this size and nothing else uses it.
        unsafe { piece.pointer().copy_from_nonoverlapping(std::ptr::NonNull::from(&bytes[0]), bytes.len()) };
        Ok(piece)
    }

    fn push(&mut self, layout: vk::PipelineLayout, offset: u32, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        let stage = vk::ShaderStageFlags::COMPUTE;
        let device = self.heap.logical.raw();
        // SAFETY: see the module `slot`; the range lies in the layout's push constants, and offset and size
        // are multiples of 4 (`check_interface`).
        unsafe { device.cmd_push_constants(self.buffer, layout, stage, offset, bytes) }
    }

    fn write_descriptor(&self, set: vk::DescriptorSet, binding: u32, descriptor: &Descriptor) {
        let mut buffers = [vk::DescriptorBufferInfo::default()];
        let mut images = [vk::DescriptorImageInfo::default()];
        let mut views = [vk::BufferView::null()];
        let write = vk::WriteDescriptorSet::default()
            .dst_set(set)
            .dst_binding(binding)
            .descriptor_type(descriptor.kind());
        let write = match descriptor {
            Descriptor::StorageBuffer(buffer, range) => {
                let size = range.end - range.start;
                buffers[0] = buffers[0].buffer(buffer.raw()).offset(range.start).range(size);
                write.buffer_info(&buffers)
            }
            Descriptor::SampledImage(image) => {
                images[0] = images[0].image_view(image.view()).image_layout(Layout::GENERAL);
                write.image_info(&images)
            }
            Descriptor::FirstLevel(image) => {
                images[0] = images[0].image_view(image.first_level()).image_layout(Layout::GENERAL);
                write.image_info(&images)
            }
            Descriptor::StorageImage(image, level) => {
                images[0] = images[0].image_view(image.written_level(*level)).image_layout(Layout::GENERAL);
                write.image_info(&images)
            }
            Descriptor::UniformTexels(view) | Descriptor::StorageTexels(view) => {
                views[0] = view.raw();
                write.texel_buffer_view(&views)
            }
            Descriptor::Sampler(sampler) => {
                images[0] = images[0].sampler(sampler.raw());
                write.image_info(&images)
            }
        };
        // SAFETY: the set is new, the binding has this type in its layout, and the objects are kept (see
        // `slot`).
        unsafe { self.heap.logical.raw().update_descriptor_sets(&[write], &[]) }
    }
}
