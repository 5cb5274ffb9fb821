//! What a kit can run: the rest is refused by name.

use crate::export::variant::Variant;
use crate::failure::{Failure, Result, Status};
use clvk::interface::{Argument, ArgumentKind, ImageDimension, ImplicitBuffer, KernelInterface};
use clvk::ir::{KernelParamKind, Module};

/// Refuses kernels that need what the runtime of a kit does not have, and variants that differ for the host.
pub fn check(module: &Module, variants: &[Variant]) -> Result<()> {
    let first = &variants[0];
    for variant in variants {
        for kernel in variant.program.kernels() {
            check_kernel(module, kernel)?;
        }
        same_kernels(first, variant)?;
    }
    Ok(())
}

fn check_kernel(module: &Module, kernel: &KernelInterface) -> Result<()> {
    if kernel.hook.is_some() {
        let message = format!(
            "the program has objects that code begins or ends (`{}`), which an exported program cannot; \
             give them constant contents and no destructors, or use the crate `clvk`",
            kernel.name
        );
        return Err(Failure::new(Status::Source, message));
    }
    let needs = |what: &str| {
        let message = format!(
            "kernel `{}` {what}, which an exported program cannot; leave it out with `--kernel`, or use the crate `clvk`",
            kernel.name
        );
        Err(Failure::new(Status::Source, message))
    };
    if kernel.implicit_buffer(ImplicitBuffer::Print).is_some() {
        return needs("prints with `printf`");
    }
    if kernel.implicit_buffer(ImplicitBuffer::DeviceQueue).is_some() || kernel.is_block {
        return needs("enqueues kernels");
    }
    let params =
        module.kernels().map(|function| &module.functions[function]).find(|it| it.name == kernel.name);
    let params =
        params.and_then(|function| function.kernel.as_ref()).map_or(&[][..], |info| &info.params[..]);
    for param in params {
        match param.kind {
            KernelParamKind::Pipe { .. } => return needs(&format!("takes the pipe `{}`", param.name)),
            KernelParamKind::Queue => return needs(&format!("takes the queue `{}`", param.name)),
            _ => {}
        }
    }
    for argument in &kernel.arguments {
        if let ArgumentKind::Image { dimension: ImageDimension::D1Buffer, .. } = argument.kind {
            return needs(&format!("takes the image `{}`, which is made from a buffer", argument.name));
        }
    }
    Ok(())
}

/// The host launches all variants alike.
fn same_kernels(first: &Variant, other: &Variant) -> Result<()> {
    let shape =
        |variant: &Variant| -> Vec<String> { variant.program.kernels().iter().map(kernel_shape).collect() };
    if shape(first) == shape(other) {
        return Ok(());
    }
    Err(Failure::new(
        Status::Source,
        format!(
            "the kernels for `{}` and `{}` have different parameters, so an application cannot launch them alike; \
             export them separately",
            first.name, other.name
        ),
    ))
}

fn kernel_shape(kernel: &KernelInterface) -> String {
    let arguments: Vec<String> = kernel.arguments.iter().map(argument_shape).collect();
    format!("{} {:?} {:?}", kernel.name, kernel.local_size, arguments)
}

fn argument_shape(argument: &Argument) -> String {
    let kind = match argument.kind {
        ArgumentKind::BufferAddress { read_only, .. } | ArgumentKind::StorageBuffer { read_only, .. } => {
            format!("pointer {read_only}")
        }
        ArgumentKind::Value { size, .. } => format!("value {size}"),
        ArgumentKind::Local { element_size, .. } => format!("local {element_size}"),
        ArgumentKind::Image { dimension, access, .. } => format!("image {dimension:?} {access:?}"),
        ArgumentKind::Sampler { .. } => "sampler".to_owned(),
    };
    format!("{} {} {:?} {} {kind}", argument.name, argument.type_name, argument.element, argument.lanes)
}
