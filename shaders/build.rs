//! Compiles the built-in library with our own front end and serialises it.

use clvk_frontend::source::FileIncludes;
use clvk_frontend::{LanguageVersion, Options};
use clvk_interface::FeatureSet;
use clvk_ir::container::write_library;
use clvk_ir::verify::{Stage, verify_stage};
use std::path::Path;

fn main() {
    println!("cargo::rerun-if-changed=library");
    let path = Path::new("library/library.cl");
    let text = std::fs::read_to_string(path).expect("the library's source is in the package");
    let options = Options {
        version: LanguageVersion::C30,
        features: FeatureSet::all(),
        library: true,
        ..Options::default()
    };
    let includes = FileIncludes { directories: Vec::new() };
    let module = match clvk_frontend::compile(&path.to_string_lossy(), &text, &options, &includes) {
        Ok(compilation) => compilation.module,
        Err(failure) => {
            panic!("the library does not compile:\n{}", failure.diagnostics.render_plain(&failure.sources))
        }
    };
    if let Err(errors) = verify_stage(&module, Stage::Source) {
        let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
        panic!("the front end made a wrong module of the library:\n{}", errors.join("\n"));
    }
    let folder = std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    std::fs::write(Path::new(&folder).join("library.bin"), write_library(&module))
        .expect("OUT_DIR can be written");
}
