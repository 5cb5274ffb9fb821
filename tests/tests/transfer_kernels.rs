//! The compiled code of the runtime's own kernels (`vk-runtime/kernels`) is checked in, so that the runtime
//! needs no compiler. It must be what our compiler makes from their source.
//!
//! After a change of the source, the compiler or the interface, write the files again:
//! `CLVK_TRANSFER_WRITE=1 cargo test -p clvk-tests --test transfer_kernels`.

use clvk_interface::DeviceProfile;
use clvk_tests::{pipeline, spirv};
use std::path::Path;

#[test]
fn the_transfer_kernels_are_those_of_their_source() -> Result<(), Box<dyn std::error::Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../vk-runtime/kernels");
    let source = std::fs::read_to_string(folder.join("transfer.cl"))?;
    // Everything that they need: they run on any device, whatever else it has or lacks.
    let mut profile = DeviceProfile::preset("vulkan-1.1")?;
    (profile.buffer_device_address, profile.int64) = (true, true);
    let compiled = pipeline::compile("transfer.cl", &source, &["-cl-std=CL3.0".to_owned()], &profile)?;
    let module: Vec<u8> = spirv::bytes(&compiled.spirv);
    let interface = serde_json::to_string_pretty(&compiled.interface)? + "\n";
    let (module_file, interface_file) = (folder.join("transfer.spv"), folder.join("transfer.json"));
    if std::env::var_os("CLVK_TRANSFER_WRITE").is_some() {
        std::fs::write(&module_file, &module)?;
        std::fs::write(&interface_file, &interface)?;
        return Ok(());
    }
    let remedy = "write them again with CLVK_TRANSFER_WRITE=1, see CONTRIBUTING.md";
    assert!(
        std::fs::read(&module_file)? == module,
        "the SPIR-V of the transfer kernels is out of date; {remedy}"
    );
    assert!(
        std::fs::read_to_string(&interface_file)? == interface,
        "the interface of the transfer kernels is out of date; {remedy}"
    );
    Ok(())
}
