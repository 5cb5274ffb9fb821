//! Compiles the kernels with our own compiler, for devices with addresses and 64-bit integers and nothing else that is optional.

use clvk_frontend::source::FileIncludes;
use clvk_frontend::{LanguageVersion, Options};
use clvk_interface::{DeviceProfile, FeatureSet};
use clvk_translate::TranslateOptions;
use std::path::Path;

const SOURCE: &str = "transfer.cl";

fn main() {
    println!("cargo::rerun-if-changed={SOURCE}");
    let mut profile = DeviceProfile::preset("vulkan-1.1").expect("it is a preset");
    (profile.buffer_device_address, profile.int64) = (true, true);
    let text = std::fs::read_to_string(SOURCE).expect("the source is in the package");
    let features = FeatureSet::of(&profile);
    let options = Options { version: LanguageVersion::C30, features, ..Options::default() };
    let includes = FileIncludes { directories: Vec::new() };
    let module = match clvk_frontend::compile(SOURCE, &text, &options, &includes) {
        Ok(compilation) => compilation.module,
        Err(failure) => {
            panic!("{SOURCE} does not compile:\n{}", failure.diagnostics.render_plain(&failure.sources))
        }
    };
    let options = TranslateOptions::default();
    let compiled = match clvk_translate::translate(module, clvk_shaders::library(), &profile, &options) {
        Ok(compiled) => compiled,
        Err(errors) => {
            let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
            panic!("{SOURCE} cannot be translated: {}", errors.join("; "))
        }
    };
    let folder = std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    let bytes = postcard::to_stdvec(&compiled).expect("modules can be written");
    std::fs::write(Path::new(&folder).join("transfer.bin"), bytes).expect("OUT_DIR can be written");
}
