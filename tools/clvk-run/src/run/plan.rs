//! A job on a device: kernels, resources and sizes, all checked before anything runs.

use crate::argument::ArgumentText;
use crate::cli::Size;
use crate::failure::{Failure, Result, counted, given};
use crate::job::{Job, Launch, Step};
use crate::program::{Source, check_kernel, without_kernels};
use crate::resource::{Resource, target};
use crate::verify::Check;
use crate::{structure, texels};
use clvk::interface::measure::Measure;
use clvk::interface::sanitize::Kinds;
use clvk::interface::{Argument, ArgumentKind, ImageAccess, ImageDimension};
use clvk::{Compiler, Device, Kernel, KernelInterface, LaunchConfig, Layout, Object};

/// A job that can run.
pub struct Plan {
    /// The device.
    pub device: Device,
    /// What launches share, by position in [`Job::arguments`].
    pub slots: Vec<Slot>,
    /// What to do.
    pub steps: Vec<Planned>,
}

/// An argument of the job.
pub struct Slot {
    /// What it is called.
    pub name: String,
    /// The first parameter that takes it.
    pub parameter: Argument,
    /// The structure that the parameter is or points to.
    pub structure: Option<Layout>,
    /// As it was written.
    pub text: ArgumentText,
    /// What it is on the device.
    pub resource: Resource,
}

/// A step that can run.
pub enum Planned {
    /// Runs a kernel.
    Launch(PlannedLaunch),
    /// Compares a slot.
    Verify(Check),
    /// Prints a slot's first elements.
    Print {
        /// Position.
        slot: usize,
        /// Elements at most.
        count: u64,
    },
    /// Swaps what two slots have.
    Swap(usize, usize),
    /// Does steps several times.
    Repeat(u32, Vec<Planned>),
}

/// A launch that can run.
pub struct PlannedLaunch {
    /// Which of the job's launches it is.
    pub number: usize,
    /// Kernel.
    pub kernel: Kernel,
    /// Sizes.
    pub config: LaunchConfig,
    /// Work-group size that it has, and whether clvk chose it.
    pub local: ([u32; 3], bool),
    /// Slots of its arguments.
    pub slots: Vec<usize>,
}

/// The kernel of a launch.
pub struct Compiled {
    kernel: Kernel,
    /// The structures that its parameters are or point to.
    structures: Vec<Option<Layout>>,
}

impl Compiled {
    /// Its name.
    pub fn name(&self) -> &str {
        self.kernel.name()
    }

    /// How it is launched.
    pub fn interface(&self) -> &KernelInterface {
        self.kernel.interface()
    }
}

/// Compiles the kernels of a job's launches, in order, with checks for errors of these kinds.
pub fn compile(job: &Job, sources: &[Source], device: &Device, kinds: Kinds) -> Result<Vec<Compiled>> {
    compile_with(job, sources, device, kinds, |_| Ok(None))
}

/// The same; the kernels of an object measure what is wished for it.
pub fn compile_with(
    job: &Job,
    sources: &[Source],
    device: &Device,
    kinds: Kinds,
    measure: impl Fn(&Object) -> Result<Option<Measure>>,
) -> Result<Vec<Compiled>> {
    load(job, &read(job, sources, device, kinds, measure)?, device, |compiler, object| {
        Ok([Some(compiler.translate(object)?), None])
    })
}

/// Makes the plan of a job whose kernels reach buffers as the device prefers, like those of the OpenCL driver
/// ([`Compiler::translate_forms`]), unless an argument can only be an address.
pub fn prepare(job: &Job, sources: &[Source], device: &Device, kinds: Kinds) -> Result<Plan> {
    let read = read(job, sources, device, kinds, |_| Ok(None))?;
    let preferred = load(job, &read, device, |compiler, object| {
        let forms = compiler.translate_forms(object)?;
        Ok([forms.bound, forms.others])
    })?;
    let plan = Plan::new(device, job, &preferred)?;
    if !plan.needs_addresses() {
        return Ok(plan);
    }
    drop(plan);
    let kernels = load(job, &read, device, |compiler, object| Ok([Some(compiler.translate(object)?), None]))?;
    Plan::new(device, job, &kernels)
}

/// A source that the front end has read.
struct Read {
    compiler: Compiler,
    object: Object,
    /// The kernels of its launches, in order.
    names: Vec<String>,
}

fn read(
    job: &Job,
    sources: &[Source],
    device: &Device,
    kinds: Kinds,
    measure: impl Fn(&Object) -> Result<Option<Measure>>,
) -> Result<Vec<Read>> {
    let launches = job.launches();
    let read = |(position, source): (usize, &Source)| {
        let compiler = source.compiler(Compiler::for_device(device).judging_kernels().with_sanitizer(kinds));
        let object = source.object(&compiler)?;
        let known: Vec<&str> = object.kernel_names().collect();
        let of_source = launches.iter().filter(|launch| launch.source == position);
        let names = of_source.map(|launch| choose_kernel(source, &known, launch.kernel.as_deref()));
        let names = names.collect::<Result<Vec<String>>>()?;
        let compiler = compiler.with_measurement(measure(&object)?).with_kernels(&names);
        Ok(Read { compiler, object, names })
    };
    sources.iter().enumerate().map(read).collect()
}

/// The kernels of the launches, in order, each in the first of the programs that has it.
fn load(
    job: &Job,
    read: &[Read],
    device: &Device,
    translate: impl Fn(&Compiler, &Object) -> Result<[Option<clvk::Program>; 2]>,
) -> Result<Vec<Compiled>> {
    let mut loaded = Vec::new();
    for Read { compiler, object, names } in read {
        let programs = translate(compiler, object)?.into_iter().flatten();
        let programs: Vec<_> = programs.map(|program| program.load(device)).collect::<Result<_, _>>()?;
        loaded.push((programs, object, names.iter()));
    }
    let mut kernels = Vec::new();
    for launch in job.launches() {
        let (programs, object, names) = &mut loaded[launch.source];
        let name = names.next().expect("a name was chosen for each launch");
        let of_program = |program: &clvk::runtime::Program| {
            program.interface().kernels.iter().any(|kernel| kernel.name == *name)
        };
        let program = programs.iter().find(|program| of_program(program)).or(programs.last());
        let kernel = program.expect("a launch's source has kernels").kernel(name)?;
        let parameters = 0..kernel.interface().arguments.len();
        let structures = parameters.map(|parameter| object.structure(name, parameter).cloned()).collect();
        kernels.push(Compiled { kernel, structures });
    }
    Ok(kernels)
}

fn choose_kernel(source: &Source, kernels: &[&str], wanted: Option<&str>) -> Result<String> {
    match (wanted, kernels) {
        (_, []) => Err(without_kernels(&source.name())),
        (Some(name), _) => check_kernel(name, kernels).map(|()| name.to_owned()),
        (None, [only]) => Ok((*only).to_owned()),
        (None, _) => Err(Failure::usage(format!(
            "there are several kernels; choose one with `--kernel`: {}",
            kernels.join(", ")
        ))),
    }
}

impl Plan {
    /// Makes what the job needs on the device; `kernels` are those of its launches, in order.
    pub fn new(device: &Device, job: &Job, kernels: &[Compiled]) -> Result<Plan> {
        Self::after(device, job, kernels, Vec::new())
    }

    /// The same with the slots of an earlier plan, whose resources are used again where they suit.
    pub fn after(device: &Device, job: &Job, kernels: &[Compiled], earlier: Vec<Slot>) -> Result<Plan> {
        let earlier = earlier.into_iter().map(Some).collect();
        let mut planner = Planner { device, job, kernels, slots: Vec::new(), next: 0, earlier };
        planner.slots.resize_with(job.arguments.len(), || None);
        for (launch, kernel) in job.launches().into_iter().zip(kernels) {
            planner.bind_all(launch, kernel)?;
        }
        let steps = planner.steps(&job.steps)?;
        // Arguments that no launch takes were refused when the job was read.
        let slots = planner.slots.into_iter().flatten().collect();
        Ok(Plan { device: device.clone(), slots, steps })
    }
}

impl Plan {
    /// Whether an argument is a null pointer, or a buffer that no descriptor reaches as a whole.
    fn needs_addresses(&self) -> bool {
        self.slots.iter().any(|slot| match &slot.resource {
            Resource::Buffer(resource) => !resource.buffer.fits_descriptor(),
            Resource::Null => true,
            _ => false,
        })
    }

    /// Its launches, each once.
    pub fn launches(&self) -> Vec<&PlannedLaunch> {
        fn visit<'p>(steps: &'p [Planned], found: &mut Vec<&'p PlannedLaunch>) {
            for step in steps {
                match step {
                    Planned::Launch(launch) => found.push(launch),
                    Planned::Repeat(_, steps) => visit(steps, found),
                    _ => {}
                }
            }
        }
        let mut found = Vec::new();
        visit(&self.steps, &mut found);
        found
    }

    /// Bytes of a launch's arguments in local memory.
    pub fn local_arguments(&self, launch: &PlannedLaunch) -> Vec<u64> {
        let sizes = launch.slots.iter().filter_map(|&slot| match self.slots[slot].resource {
            Resource::Local(size) => Some(size),
            _ => None,
        });
        sizes.collect()
    }
}

/// What is known while a plan is made.
struct Planner<'a> {
    device: &'a Device,
    job: &'a Job,
    /// The kernels of the launches, and how many launches are planned.
    kernels: &'a [Compiled],
    next: usize,
    slots: Vec<Option<Slot>>,
    /// Those of an earlier plan.
    earlier: Vec<Option<Slot>>,
}

impl Planner<'_> {
    fn steps(&mut self, steps: &[Step]) -> Result<Vec<Planned>> {
        steps.iter().map(|step| self.step(step)).collect()
    }

    fn step(&mut self, step: &Step) -> Result<Planned> {
        Ok(match step {
            Step::Launch(launch) => Planned::Launch(self.launch(launch)?),
            Step::Verify(text) => Planned::Verify(Check::new(text, self.find_elements(&text.argument)?)),
            Step::Swap([left, right]) => {
                let (left, right) = (self.find_elements(left)?, self.find_elements(right)?);
                self.check_swap(left, right)?;
                Planned::Swap(left, right)
            }
            Step::Repeat { times, steps } => Planned::Repeat(*times, self.steps(steps)?),
            Step::Print(text) => {
                Planned::Print { slot: self.find_elements(&text.argument)?, count: text.count }
            }
        })
    }

    /// Makes what a launch takes.
    fn bind_all(&mut self, launch: &Launch, compiled: &Compiled) -> Result<()> {
        let interface = compiled.kernel.interface();
        check_count(interface, launch.arguments.len(), self.job.is_file)?;
        let parameters = interface.arguments.iter().zip(&compiled.structures);
        let mut arguments = launch.arguments.iter().zip(parameters);
        arguments
            .try_for_each(|(&slot, (parameter, structure))| self.bind(slot, parameter, structure.as_ref()))
    }

    fn launch(&mut self, launch: &Launch) -> Result<PlannedLaunch> {
        let number = self.next;
        self.next += 1;
        let kernel = self.kernels[number].kernel.clone();
        let slots: Vec<&Slot> = launch.arguments.iter().map(|&slot| self.slot(slot)).collect();
        let config = launch_config(launch, kernel.interface(), &slots)?;
        let local = (kernel.suggested_local_size(&config)?, config.local.is_none());
        Ok(PlannedLaunch { number, config, local, slots: launch.arguments.clone(), kernel })
    }

    /// Refuses to swap what is not alike.
    fn check_swap(&self, left: usize, right: usize) -> Result<()> {
        let (left, right) = (self.slot(left), self.slot(right));
        let alike = match (&left.resource, &right.resource) {
            (Resource::Buffer(left), Resource::Buffer(right)) => left.shape == right.shape,
            (Resource::Image(left), Resource::Image(right)) => left.description == right.description,
            _ => false,
        };
        if alike {
            return Ok(());
        }
        Err(Failure::usage(format!(
            "`{}` and `{}` cannot be swapped: they must have the same type and shape",
            left.name, right.name
        )))
    }

    /// Makes a slot's resource for a parameter, or checks that what is there suits it.
    fn bind(&mut self, slot: usize, parameter: &Argument, structure: Option<&Layout>) -> Result<()> {
        let shared = &self.job.arguments[slot];
        if let Some(Slot { resource, .. }) = &self.slots[slot] {
            resource.check(parameter, &shared.text)?;
        } else {
            let resource = match self.take_earlier(slot, parameter, structure) {
                Some(resource) => resource,
                None => Resource::new(self.device, parameter, structure, &shared.text)?,
            };
            let name = shared.name.clone().unwrap_or_else(|| parameter.name.clone());
            let (parameter, structure, text) = (parameter.clone(), structure.cloned(), shared.text.clone());
            self.slots[slot] = Some(Slot { name, parameter, structure, text, resource });
        }
        Ok(())
    }

    /// The resource of an earlier plan that the same text made for a parameter of the same type.
    fn take_earlier(
        &mut self,
        slot: usize,
        parameter: &Argument,
        structure: Option<&Layout>,
    ) -> Option<Resource> {
        let suits = |earlier: &mut Slot| {
            earlier.text == self.job.arguments[slot].text
                && earlier.parameter.type_name == parameter.type_name
                && earlier.parameter.kind == parameter.kind
                && earlier.structure.as_ref() == structure
        };
        Some(self.earlier.get_mut(slot)?.take_if(suits)?.resource)
    }

    fn slot(&self, slot: usize) -> &Slot {
        self.slots[slot].as_ref().expect("a launch took it")
    }

    /// The slot of a name or, where there is one launch, of an index.
    fn find(&self, name: &str) -> Result<usize> {
        let known =
            || self.slots.iter().enumerate().filter_map(|(index, slot)| Some((index, slot.as_ref()?)));
        let by_index =
            name.parse::<usize>().ok().filter(|&index| self.slots.get(index).is_some_and(Option::is_some));
        let by_name = || known().find(|(_, slot)| slot.name == name).map(|(index, _)| index);
        by_index.or_else(by_name).ok_or_else(|| {
            let names: Vec<&str> = known().map(|(_, slot)| slot.name.as_str()).collect();
            Failure::usage(format!("there is no argument `{name}`; the arguments are {}", names.join(", ")))
        })
    }

    /// The slot of this name, which must have elements.
    fn find_elements(&self, name: &str) -> Result<usize> {
        let index = self.find(name)?;
        let slot = self.slot(index);
        match slot.resource.element(&slot.parameter) {
            Some(_) => Ok(index),
            None => Err(Failure::usage(format!(
                "`{name}` is not a buffer or an image: only buffers and images can be printed and verified"
            ))),
        }
    }
}

fn check_count(interface: &KernelInterface, count: usize, is_file: bool) -> Result<()> {
    let parameters = &interface.arguments;
    if count == parameters.len() {
        return Ok(());
    }
    let list: Vec<String> =
        parameters.iter().map(|parameter| format!("{} {}", parameter.type_name, parameter.name)).collect();
    let wrong = format!(
        "kernel `{}` has {} ({}), but {}",
        interface.name,
        counted(parameters.len(), "parameter"),
        list.join(", "),
        given(count, "argument")
    );
    let example: Vec<String> = parameters.iter().map(example).collect();
    Err(Failure::usage(match is_file {
        true => format!("{wrong}; write for example `arguments = [\"{}\"]`", example.join("\", \"")),
        false => format!("{wrong} after `--`; write for example `-- {}`", example.join(" ")),
    }))
}

/// An argument that a parameter could take.
fn example(parameter: &Argument) -> String {
    let element = target(parameter);
    let vector = |number: &str| format!("({})", vec![number; element.lanes as usize].join(","));
    match &parameter.kind {
        ArgumentKind::BufferAddress { .. } | ArgumentKind::StorageBuffer { .. }
            if element.size().is_some() =>
        {
            format!("zero:{element}[N]")
        }
        ArgumentKind::BufferAddress { .. } | ArgumentKind::StorageBuffer { .. } => "in:FILE".to_owned(),
        ArgumentKind::Value { .. } if element.size().is_none() => "in:FILE".to_owned(),
        ArgumentKind::Value { .. } if element.lanes > 1 => vector("1"),
        ArgumentKind::Value { .. } => "1".to_owned(),
        ArgumentKind::Local { .. } => "local:BYTES".to_owned(),
        ArgumentKind::Image { access: ImageAccess::ReadOnly, .. } => "image:FILE.png".to_owned(),
        ArgumentKind::Image { dimension, .. } => format!("image-out:FILE:{}", texels::form(*dimension)),
        ArgumentKind::Sampler { .. } => "sampler:clamp,nearest,unnormalized".to_owned(),
    }
}

fn launch_config(launch: &Launch, interface: &KernelInterface, slots: &[&Slot]) -> Result<LaunchConfig> {
    let global = match launch.global {
        Some(global) => global,
        None => derived_global(interface, slots)?,
    };
    let required = interface.local_size.required();
    let local = match launch.local {
        Some(local) => {
            let mut sizes = [1; 3];
            for (size, value) in sizes.iter_mut().zip(local.values) {
                *size = u32::try_from(value).map_err(|_| {
                    Failure::usage(format!("the local size {value} is larger than any device allows"))
                })?;
            }
            Some(sizes)
        }
        None => required,
    };
    let offset = launch.offset.map_or([0; 3], |offset| offset.values);
    let dimensions = [Some(global), launch.local, launch.offset];
    let work_dim = dimensions.iter().flatten().map(|size| size.dimensions).max().unwrap_or(1);
    Ok(LaunchConfig { work_dim, global: global.values, local, offset })
}

/// A work-item for each texel of the image that the kernel writes or of the buffer that is shown, else for
/// each element of the first buffer.
fn derived_global(interface: &KernelInterface, slots: &[&Slot]) -> Result<Size> {
    let parameters = || interface.arguments.iter().zip(slots);
    let written = parameters().find_map(|(parameter, slot)| match (&parameter.kind, &slot.resource) {
        (ArgumentKind::Image { access: ImageAccess::ReadOnly, .. }, _) => None,
        (_, Resource::Image(image)) => Some(image.description),
        _ => None,
    });
    if let Some(description) = written {
        let dimensions = match description.dimension {
            ImageDimension::D1 | ImageDimension::D1Buffer => 1,
            ImageDimension::D1Array | ImageDimension::D2 => 2,
            ImageDimension::D2Array | ImageDimension::D3 => 3,
        };
        return Ok(Size { dimensions, values: description.sizes(0).map(u64::from) });
    }
    let screen = slots.iter().find_map(|slot| match &slot.text {
        ArgumentText::Screen(screen) => Some(screen.size),
        _ => None,
    });
    if let Some([width, height]) = screen {
        return Ok(Size { dimensions: 2, values: [width.into(), height.into(), 1] });
    }
    let elements = parameters().find_map(|(parameter, slot)| match &slot.resource {
        Resource::Buffer(buffer) => {
            let structure = || structure::size(slot.structure.as_ref()?);
            let element = target(parameter).size().map(u64::from).or_else(structure)?;
            Some(buffer.buffer.size() / element)
        }
        _ => None,
    });
    let elements = elements
        .ok_or_else(|| Failure::usage("there is no buffer to take the global size from; give `--global`"))?;
    Ok(Size { dimensions: 1, values: [elements, 1, 1] })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{Cli, Command};
    use clap::Parser as _;
    use clvk::interface::Preference;
    use clvk::runtime::{DeviceOptions, Instance, InstanceOptions};

    /// The kind of the first parameter when `double_it` runs with this argument.
    fn kind_of_parameter(device: &Device, argument: &str) -> ArgumentKind {
        let name = format!("clvk-plan-{}-{}.cl", std::process::id(), argument.len());
        let path = std::env::temp_dir().join(name);
        let text = "kernel void double_it(global float4 *a) { if (a) a[get_global_id(0)] *= 2.0f; }";
        std::fs::write(&path, text).unwrap();
        let words = ["clvk-run", "run", path.to_str().unwrap(), "--global", "2", "--", argument];
        let Command::Run(command) = Cli::try_parse_from(words).unwrap().command else { unreachable!() };
        let job = Job::of_command(&command, &[]).unwrap();
        let plan = prepare(&job, &[Source::read(&path, &[]).unwrap()], device, Kinds::default());
        std::fs::remove_file(&path).unwrap();
        plan.unwrap_or_else(|error| panic!("{error:?}")).launches()[0].kernel.interface().arguments[0]
            .kind
            .clone()
    }

    #[test]
    fn buffers_are_reached_as_the_device_prefers_unless_one_is_null() {
        let info = Instance::new(&InstanceOptions::default()).unwrap().default_device().unwrap();
        let device = Device::new(&info, &DeviceOptions::default()).unwrap();
        let profile = device.profile();
        let is_bound =
            |argument| matches!(kind_of_parameter(&device, argument), ArgumentKind::StorageBuffer { .. });
        let logical = profile.addressing() == clvk::interface::AddressingMode::Logical;
        let prefers = Preference::OF_BUFFERS.iter().any(|&preference| profile.prefers(preference));
        assert_eq!(is_bound("fill:1:float4[2]"), logical || prefers);
        assert_eq!(is_bound("null"), logical);
    }
}
