//! Runs a case through wgpu: the launcher that the interface of WGSL describes, for tests.

use clvk::{ShaderText, interface};
use clvk_interface::{
    ArgumentKind, BufferLocation, ImageInfo, ImageQuery, ImplicitBuffer, Interpolation, KernelInterface,
    ModuleInterface, PROGRAM_VARIABLES_TAG, SamplerAddressing, ShaderEntryPoint, ShaderFeature,
    ShaderResource, SpecConstants, ValueLocation, print, sampler_word,
};
use clvk_tests::case::{self, Addressing, Argument, Case, Launch, Resource, ResourceKind};
use std::collections::BTreeMap;
use std::sync::Mutex;

/// `CL_RGBA` and `CL_UNORM_INT8`.
const RGBA8: (u16, u16) = (0x10B5, 0x10D2);

/// Words of the buffer for what a launch prints.
const PRINT_WORDS: u32 = 1 << 16;

/// Bytes of private memory for the work-items of a dispatch.
const PRIVATE_MEMORY: u64 = 64 << 20;

/// Bytes of the stack for wgpu, whose compiler recurses over nested statements and is not optimised here.
const STACK: usize = 64 << 20;

/// A device with WebGPU's default limits, and features if they were asked for.
pub struct Gpu {
    device: wgpu::Device,
    queue: wgpu::Queue,
    /// Launches go one at a time, so that errors belong to one of them.
    running: Mutex<()>,
}

/// What a case left.
pub struct Outcome {
    /// The contents of each resource.
    pub contents: Vec<Vec<u8>>,
    /// What it printed.
    pub printed: Vec<u8>,
}

/// A resource on the device.
enum Memory {
    Buffer(wgpu::Buffer),
    Texture(wgpu::Texture),
}

impl Gpu {
    /// The Vulkan devices through which wgpu can run: their names, and the optional features of each.
    pub fn found() -> Vec<(String, Vec<ShaderFeature>)> {
        let features = |adapter: &wgpu::Adapter| {
            let has = |feature: &ShaderFeature| adapter.features().contains(wgpu_feature(*feature));
            ShaderFeature::ALL.into_iter().filter(has).collect()
        };
        adapters().iter().map(|adapter| (adapter.get_info().name, features(adapter))).collect()
    }

    /// Opens a device with these features.
    pub fn open(index: usize, features: &[ShaderFeature]) -> Result<Gpu, String> {
        let adapter = adapters().swap_remove(index);
        let required_limits = wgpu::Limits::default();
        let required_features =
            features.iter().fold(wgpu::Features::empty(), |all, it| all | wgpu_feature(*it));
        let descriptor = wgpu::DeviceDescriptor {
            required_limits,
            required_features,
            ..wgpu::DeviceDescriptor::default()
        };
        let (device, queue) =
            pollster::block_on(adapter.request_device(&descriptor)).map_err(|error| error.to_string())?;
        Ok(Gpu { device, queue, running: Mutex::new(()) })
    }

    /// Runs all launches of a case.
    pub fn run(&self, case: &Case, shader: &ShaderText) -> Result<Outcome, String> {
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().stack_size(STACK);
            let thread = thread.spawn_scoped(scope, || self.run_here(case, shader));
            let outcome = thread.map_err(|error| error.to_string())?.join();
            outcome.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }

    fn run_here(&self, case: &Case, shader: &ShaderText) -> Result<Outcome, String> {
        let _running = self.running.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let validation = self.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let internal = self.device.push_error_scope(wgpu::ErrorFilter::Internal);
        let outcome = self.launches(case, shader);
        for scope in [internal, validation] {
            if let Some(error) = pollster::block_on(scope.pop()) {
                return Err(format!("{error}\n{}", numbered(&shader.text)));
            }
        }
        outcome
    }

    fn launches(&self, case: &Case, shader: &ShaderText) -> Result<Outcome, String> {
        // naga's reader of WGSL has sub-groups, but does not know the extension's name (30.0).
        let text = shader.text.replace("enable subgroups;", "");
        let module = self.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(text.into()),
        });
        let memory: Vec<Memory> = case.resources.iter().map(|resource| self.memory(resource)).collect();
        let variables = self.program_variables(&shader.interface.module);
        let mut printed = Vec::new();
        for launch in &case.launches {
            let entry_point = shader.interface.entry_points.iter().find(|it| it.kernel == launch.kernel);
            let entry_point = entry_point.ok_or_else(|| format!("there is no kernel {}", launch.kernel))?;
            let kernel = shader.interface.module.kernel(&launch.kernel).expect("each has an interface");
            let run = Run {
                gpu: self,
                shader,
                launch,
                kernel,
                entry_point,
                memory: &memory,
                variables: &variables,
            };
            printed.extend(run.run(&module)?);
        }
        let contents = memory.iter().zip(&case.resources).map(|(memory, resource)| match memory {
            Memory::Buffer(buffer) => self.read(buffer, resource.data.len()),
            Memory::Texture(texture) => self.read_texture(texture),
        });
        Ok(Outcome { contents: contents.collect::<Result<_, _>>()?, printed })
    }

    fn memory(&self, resource: &Resource) -> Memory {
        match resource.kind {
            ResourceKind::Buffer { .. } => Memory::Buffer(self.buffer(&resource.data)),
            ResourceKind::ImageRgba8 { width, height, .. } => {
                let size =
                    wgpu::Extent3d { width: width as u32, height: height as u32, depth_or_array_layers: 1 };
                let texture = self.device.create_texture(&wgpu::TextureDescriptor {
                    label: None,
                    size,
                    mip_level_count: 1,
                    sample_count: 1,
                    dimension: wgpu::TextureDimension::D2,
                    format: wgpu::TextureFormat::Rgba8Unorm,
                    usage: wgpu::TextureUsages::TEXTURE_BINDING
                        | wgpu::TextureUsages::STORAGE_BINDING
                        | wgpu::TextureUsages::COPY_SRC
                        | wgpu::TextureUsages::COPY_DST,
                    view_formats: &[],
                });
                let layout = wgpu::TexelCopyBufferLayout {
                    offset: 0,
                    bytes_per_row: Some(4 * width as u32),
                    rows_per_image: None,
                };
                self.queue.write_texture(texture.as_image_copy(), &resource.data, layout, size);
                Memory::Texture(texture)
            }
        }
    }

    /// A storage buffer with these contents, as many bytes as WebGPU wants.
    fn buffer(&self, data: &[u8]) -> wgpu::Buffer {
        let mut data = data.to_vec();
        data.resize(data.len().next_multiple_of(16).max(16), 0);
        let usage = wgpu::BufferUsages::STORAGE
            | wgpu::BufferUsages::UNIFORM
            | wgpu::BufferUsages::COPY_SRC
            | wgpu::BufferUsages::COPY_DST;
        let size = data.len() as u64;
        let descriptor = wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false };
        let buffer = self.device.create_buffer(&descriptor);
        self.queue.write_buffer(&buffer, 0, &data);
        buffer
    }

    fn read(&self, buffer: &wgpu::Buffer, bytes: usize) -> Result<Vec<u8>, String> {
        let size = buffer.size();
        let staging = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size,
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        encoder.copy_buffer_to_buffer(buffer, 0, &staging, 0, size);
        self.queue.submit([encoder.finish()]);
        let slice = staging.slice(..);
        slice.map_async(wgpu::MapMode::Read, |_| ());
        self.device.poll(wgpu::PollType::wait_indefinitely()).map_err(|error| error.to_string())?;
        let data = slice.get_mapped_range().map_err(|error| error.to_string())?;
        Ok(data[..bytes].to_vec())
    }

    /// The texels, row by row.
    fn read_texture(&self, texture: &wgpu::Texture) -> Result<Vec<u8>, String> {
        let (row, padded) = (4 * texture.width(), (4 * texture.width()).next_multiple_of(256));
        let buffer = self.buffer(&vec![0; (padded * texture.height()) as usize]);
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let layout =
            wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(padded), rows_per_image: None };
        let target = wgpu::TexelCopyBufferInfo { buffer: &buffer, layout };
        encoder.copy_texture_to_buffer(texture.as_image_copy(), target, texture.size());
        self.queue.submit([encoder.finish()]);
        let data = self.read(&buffer, buffer.size() as usize)?;
        Ok(data.chunks(padded as usize).flat_map(|line| &line[..row as usize]).copied().collect())
    }

    /// The buffer with the program's variables.
    fn program_variables(&self, module: &ModuleInterface) -> wgpu::Buffer {
        let Some(variables) = &module.program_variables else { return self.buffer(&[]) };
        let mut data = vec![0; variables.size as usize];
        let mut put = |offset: u64, bytes: &[u8]| {
            data[offset as usize..][..bytes.len()].copy_from_slice(bytes);
        };
        for contents in &variables.contents {
            put(contents.offset, &contents.bytes);
        }
        for pointer in &variables.pointers {
            let tagged = u64::from(PROGRAM_VARIABLES_TAG) << 32 | pointer.target;
            put(pointer.offset, &tagged.to_le_bytes());
        }
        self.buffer(&data)
    }
}

/// The feature's name in wgpu.
fn wgpu_feature(feature: ShaderFeature) -> wgpu::Features {
    match feature {
        ShaderFeature::Half => wgpu::Features::SHADER_F16,
        ShaderFeature::SubGroups => wgpu::Features::SUBGROUP,
    }
}

fn adapters() -> Vec<wgpu::Adapter> {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.backends = wgpu::Backends::VULKAN;
    let instance = wgpu::Instance::new(descriptor);
    pollster::block_on(instance.enumerate_adapters(wgpu::Backends::VULKAN))
}

/// The text with numbers of lines, for messages.
fn numbered(text: &str) -> String {
    let lines = text.lines().enumerate().map(|(index, line)| format!("{:4} {line}\n", index + 1));
    lines.collect()
}

/// Consecutive work-groups of one size in one dimension.
#[derive(Clone, Copy)]
struct Part {
    first: u32,
    count: u32,
    size: u32,
}

/// One launch.
struct Run<'a> {
    gpu: &'a Gpu,
    shader: &'a ShaderText,
    launch: &'a Launch,
    kernel: &'a KernelInterface,
    entry_point: &'a ShaderEntryPoint,
    memory: &'a [Memory],
    variables: &'a wgpu::Buffer,
}

impl Run<'_> {
    fn run(&self, module: &wgpu::ShaderModule) -> Result<Vec<u8>, String> {
        let print = self.gpu.buffer(bytemuck::cast_slice(&self.print_buffer()));
        let most = (PRIVATE_MEMORY / self.kernel.private_memory.max(1)).min(self.work_items() as u64);
        let private = self.gpu.buffer(&vec![0; (self.kernel.private_memory * most) as usize]);
        let [x, y, z] = [0, 1, 2].map(|dimension| self.parts(dimension));
        for z in &z {
            for y in &y {
                for x in &x {
                    self.dispatch(module, [*x, *y, *z], &print, &private)?;
                }
            }
        }
        let words = self.gpu.read(&print, PRINT_WORDS as usize * 4)?;
        let module = &self.shader.interface.module;
        Ok(print::printed(bytemuck::cast_slice(&words), &module.print_formats, &module.print_strings).0)
    }

    /// The whole work-groups of a dimension, and the smaller one at its end. There are several parts of whole
    /// ones if their private memory is too large for one.
    fn parts(&self, dimension: usize) -> Vec<Part> {
        let size = |sizes| Self::size(sizes, dimension, 1);
        let (global, local) = (size(&self.launch.global), size(&self.launch.local));
        let beside = self.work_items() as u64 / u64::from(global);
        let private = self.kernel.private_memory * beside * u64::from(local);
        let most = (PRIVATE_MEMORY / private.max(1)).clamp(1, u64::from(u32::MAX)) as u32;
        let whole = (0..global / local).step_by(most as usize).map(|first| {
            let count = most.min(global / local - first);
            Part { first, count, size: local }
        });
        let rest = Part { first: global / local, count: 1, size: global % local };
        whole.chain([rest]).filter(|part| part.size > 0).collect()
    }

    fn dispatch(
        &self,
        module: &wgpu::ShaderModule,
        parts: [Part; 3],
        print: &wgpu::Buffer,
        private: &wgpu::Buffer,
    ) -> Result<(), String> {
        let device = &self.gpu.device;
        let constants = self.constants(parts);
        let constants: Vec<(&str, f64)> = constants.iter().map(|(id, value)| (id.as_str(), *value)).collect();
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module,
            entry_point: Some(&self.entry_point.name),
            compilation_options: wgpu::PipelineCompilationOptions {
                constants: &constants,
                zero_initialize_workgroup_memory: false,
            },
            cache: None,
        });
        let uniform = self.gpu.buffer(&self.uniform(parts)?);
        let absent = self.gpu.buffer(&[]);
        let (views, samplers) = (self.views(), self.samplers());
        let mut entries = Vec::new();
        for binding in &self.entry_point.bindings {
            let resource = match binding.resource {
                ShaderResource::Uniform => uniform.as_entire_binding(),
                ShaderResource::Texture | ShaderResource::StorageTexture { .. } => {
                    wgpu::BindingResource::TextureView(&views[&binding.binding])
                }
                ShaderResource::Sampler => wgpu::BindingResource::Sampler(&samplers[&binding.binding]),
                ShaderResource::Storage | ShaderResource::ReadOnlyStorage => {
                    self.storage(binding.binding, print, private, &absent)?.as_entire_binding()
                }
            };
            entries.push(wgpu::BindGroupEntry { binding: binding.binding, resource });
        }
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            pass.set_pipeline(&pipeline);
            if !entries.is_empty() {
                let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
                    label: None,
                    layout: &pipeline.get_bind_group_layout(0),
                    entries: &entries,
                });
                pass.set_bind_group(0, &group, &[]);
            }
            let [x, y, z] = parts.map(|part| part.count);
            pass.dispatch_workgroups(x, y, z);
        }
        self.gpu.queue.submit([encoder.finish()]);
        Ok(())
    }

    /// The buffer at a binding.
    fn storage<'a>(
        &'a self,
        binding: u32,
        print: &'a wgpu::Buffer,
        private: &'a wgpu::Buffer,
        absent: &'a wgpu::Buffer,
    ) -> Result<&'a wgpu::Buffer, String> {
        let implicit =
            |which| self.kernel.implicit_buffer(which) == Some(BufferLocation::Descriptor { binding });
        match self.argument(binding) {
            Some(Argument::Resource(id)) => match &self.memory[id.0] {
                Memory::Buffer(buffer) => Ok(buffer),
                Memory::Texture(_) => Err("an image is bound as a buffer".into()),
            },
            Some(_) => Ok(absent),
            None if implicit(ImplicitBuffer::ProgramVariables) => Ok(self.variables),
            None if implicit(ImplicitBuffer::Print) => Ok(print),
            None if implicit(ImplicitBuffer::PrivateMemory) => Ok(private),
            None => Err(format!("nothing is known about the binding {binding}")),
        }
    }

    fn size(sizes: &[usize], dimension: usize, rest: usize) -> u32 {
        sizes.get(dimension).copied().unwrap_or(rest) as u32
    }

    fn work_items(&self) -> usize {
        self.launch.global.iter().product()
    }

    fn print_buffer(&self) -> Vec<u32> {
        let mut words = vec![0; PRINT_WORDS as usize];
        let head = print::head(PRINT_WORDS);
        words[..head.len()].copy_from_slice(&head);
        words
    }

    /// The overrides, by number. Those of other kernels' local memory get any value.
    fn constants(&self, parts: [Part; 3]) -> Vec<(String, f64)> {
        let value = |id: u32| match id {
            0..SpecConstants::ENQUEUED_LOCAL_SIZE_X => parts[id as usize].size,
            SpecConstants::ENQUEUED_LOCAL_SIZE_X..SpecConstants::FIRST_LOCAL_ARGUMENT => {
                Self::size(&self.launch.local, id as usize % 3, 1)
            }
            _ => self.elements(id),
        };
        let overrides = self.shader.interface.overrides.iter();
        overrides.map(|it| (it.id.to_string(), f64::from(value(it.id)))).collect()
    }

    /// The number of elements of a `__local` argument.
    fn elements(&self, id: u32) -> u32 {
        for (argument, given) in self.kernel.arguments.iter().zip(&self.launch.arguments) {
            if let (ArgumentKind::Local { spec_id, element_size }, Argument::Local(bytes)) =
                (&argument.kind, given)
                && *spec_id == id
            {
                return (*bytes as u32).div_ceil(*element_size).max(1);
            }
        }
        1
    }

    /// The argument at a binding.
    fn argument(&self, wanted: u32) -> Option<&Argument> {
        let arguments = self.kernel.arguments.iter().zip(&self.launch.arguments);
        let mut found = arguments.filter(|(argument, _)| match argument.kind {
            ArgumentKind::StorageBuffer { binding, .. }
            | ArgumentKind::Image { binding, .. }
            | ArgumentKind::Sampler { binding, .. } => binding == wanted,
            _ => false,
        });
        found.next().map(|(_, given)| given)
    }

    /// The contents of the uniform buffer.
    fn uniform(&self, parts: [Part; 3]) -> Result<Vec<u8>, String> {
        let size = self.entry_point.uniform.map_or(0, |block| block.size) as usize;
        let mut data = vec![0; size.max(self.kernel.push_constant_size as usize)];
        let mut put =
            |offset: u32, bytes: &[u8]| data[offset as usize..][..bytes.len()].copy_from_slice(bytes);
        let at = |location: ValueLocation| match location {
            ValueLocation::PushConstant { offset } => Ok(offset),
            ValueLocation::ArgumentBuffer { .. } => Err("an argument is in a buffer".to_owned()),
        };
        for (argument, given) in self.kernel.arguments.iter().zip(&self.launch.arguments) {
            match (&argument.kind, given) {
                (ArgumentKind::StorageBuffer { offset_location, .. }, Argument::Null) => {
                    put(at(*offset_location)?, &u32::MAX.to_le_bytes());
                }
                (ArgumentKind::Value { location, size }, Argument::Value(bytes)) => {
                    let used = bytes.len().min(*size as usize);
                    put(at(*location)?, &bytes[..used]);
                }
                (ArgumentKind::Image { words, .. }, Argument::Resource(id)) => {
                    let Memory::Texture(texture) = &self.memory[id.0] else { continue };
                    for &(query, location) in words {
                        let word = match query {
                            ImageQuery::Format => {
                                ImageInfo::new(RGBA8.0, RGBA8.1, Interpolation::Never).bits()
                            }
                            ImageQuery::Width => texture.width(),
                            ImageQuery::Height => texture.height(),
                            ImageQuery::Depth | ImageQuery::ArraySize | ImageQuery::Levels => 1,
                        };
                        put(at(location)?, &word.to_le_bytes());
                    }
                }
                (ArgumentKind::Sampler { word_location: Some(location), .. }, Argument::Sampler(sampler)) => {
                    put(at(*location)?, &properties(sampler).to_le_bytes());
                }
                _ => {}
            }
        }
        let vector = |sizes: &[usize], rest| [0, 1, 2].map(|dimension| Self::size(sizes, dimension, rest));
        let vectors = [
            (self.kernel.global_offset, vector(&self.launch.offset, 0)),
            (self.kernel.global_size, vector(&self.launch.global, 1)),
            (self.kernel.group_offset, parts.map(|part| part.first)),
        ];
        for (place, words) in vectors {
            if let Some(place) = place {
                put(place, bytemuck::cast_slice(&words));
            }
        }
        if let Some(place) = self.kernel.work_dim {
            put(place, &(self.launch.global.len() as u32).to_le_bytes());
        }
        Ok(data)
    }

    fn views(&self) -> BTreeMap<u32, wgpu::TextureView> {
        let is_texture = |it: &&interface::ShaderBinding| {
            matches!(it.resource, ShaderResource::Texture | ShaderResource::StorageTexture { .. })
        };
        let textures = self.entry_point.bindings.iter().filter(is_texture);
        let view = |it: &interface::ShaderBinding| match self.argument(it.binding) {
            Some(Argument::Resource(id)) => match &self.memory[id.0] {
                Memory::Texture(texture) => Some((it.binding, texture.create_view(&Default::default()))),
                Memory::Buffer(_) => None,
            },
            _ => None,
        };
        textures.filter_map(view).collect()
    }

    /// Samplers clamp: the kernel computes what is beyond the edge.
    fn samplers(&self) -> BTreeMap<u32, wgpu::Sampler> {
        let samplers = self.entry_point.bindings.iter().filter(|it| it.resource == ShaderResource::Sampler);
        let descriptor = wgpu::SamplerDescriptor {
            mag_filter: wgpu::FilterMode::Linear,
            min_filter: wgpu::FilterMode::Linear,
            ..wgpu::SamplerDescriptor::default()
        };
        samplers.map(|it| (it.binding, self.gpu.device.create_sampler(&descriptor))).collect()
    }
}

fn properties(sampler: &case::Sampler) -> u32 {
    let addressing = match sampler.addressing {
        Addressing::Clamp => SamplerAddressing::Clamp,
        Addressing::ClampToEdge => SamplerAddressing::ClampToEdge,
    };
    sampler_word(addressing, sampler.linear, sampler.normalized)
}
