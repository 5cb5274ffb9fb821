//! Compiles a kernel for a phone that is not attached, and writes what an application ships: SPIR-V and the
//! interface of its kernels. Vulkan is not needed. On the phone, the crate `vk-runtime` loads the two files
//! without any compiler.
//!
//! usage: `offline [PROFILE [FOLDER]]`

use clvk::{Compiler, DeviceProfile};
use std::error::Error;
use std::path::{Path, PathBuf};

/// What is compiled.
pub const SOURCE: &str = "
kernel void scale(global float *data, float factor, uint count)
{
    for (uint i = get_global_id(0); i < count; i += get_global_size(0))
        data[i] *= factor;
}";

/// Writes `scale.spv` and `scale.json` to a folder.
pub fn compile_for(profile: &DeviceProfile, folder: &Path) -> Result<(), Box<dyn Error>> {
    let program = Compiler::new(profile).with_options("-cl-std=CL3.0")?.compile("scale.cl", SOURCE)?;
    std::fs::write(folder.join("scale.spv"), program.spirv_bytes())?;
    std::fs::write(folder.join("scale.json"), program.interface_json())?;
    for kernel in program.kernels() {
        let arguments = kernel.arguments.iter();
        let list: Vec<String> = arguments.map(|it| format!("{} {}", it.type_name, it.name)).collect();
        println!("{}: {}({})", profile.name, kernel.name, list.join(", "));
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    // A preset; `DeviceProfile::from_json` reads the profiles that `clvk-run devices --json` prints on a
    // phone.
    let profile = DeviceProfile::preset(&arguments.next().unwrap_or_else(|| "adreno-740".to_owned()))?;
    let folder = arguments.next().map_or_else(std::env::temp_dir, PathBuf::from);
    compile_for(&profile, &folder)
}
