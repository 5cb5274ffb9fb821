//! Compiles a kernel and runs it on the first Vulkan device.

use clvk::{Arg, Compiler, Device, Error, LaunchConfig};

const SOURCE: &str = "
kernel void saxpy(float a, global const float *x, global float *y)
{
    size_t i = get_global_id(0);
    y[i] += a * x[i];
}";

/// `a * x + y`, computed on a device.
pub fn saxpy(device: &Device, a: f32, x: &[f32], y: &[f32]) -> Result<Vec<f32>, Error> {
    let program = Compiler::for_device(device).compile("saxpy.cl", SOURCE)?;
    let kernel = program.load(device)?.kernel("saxpy")?;
    let (x, y) = (clvk::upload(device, x)?, clvk::upload(device, y)?);
    let arguments = [clvk::value(&a), Arg::Buffer(&x), Arg::Buffer(&y)];
    kernel.launch(&LaunchConfig::linear(y.size() / 4), &arguments)?.wait()?;
    clvk::download(&y)
}

fn main() -> Result<(), Error> {
    let device = clvk::open_device(None)?;
    let sum = saxpy(&device, 2.0, &[1.0, 2.0, 3.0], &[10.0, 20.0, 30.0])?;
    println!("{}: {sum:?}", device.info().name());
    Ok(())
}
