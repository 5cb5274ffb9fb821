//! `clvk-run compile --emit wgsl` and its kind.

use crate::compile::Emit;
use clvk::interface::{ShaderFeature, ShaderLanguage};

#[cfg(feature = "shaders")]
pub use writer::emit;

/// The language that is wanted, if it is not SPIR-V.
pub fn language(emit: Emit) -> Option<ShaderLanguage> {
    match emit {
        Emit::Wgsl => Some(ShaderLanguage::Wgsl),
        Emit::Msl => Some(ShaderLanguage::Msl),
        Emit::Hlsl => Some(ShaderLanguage::Hlsl),
        Emit::Glsl => Some(ShaderLanguage::Glsl),
        _ => None,
    }
}

/// The optional feature with this name.
///
/// # Errors
/// Names those that exist.
pub fn feature(name: &str) -> Result<ShaderFeature, String> {
    let found = ShaderFeature::ALL.into_iter().find(|feature| feature.name() == name);
    let known = ShaderFeature::ALL.map(ShaderFeature::name).join(" and ");
    found.ok_or_else(|| format!("shaders know the features {known}"))
}

/// Refuses: this program was built without the writers of these languages.
#[cfg(not(feature = "shaders"))]
pub fn emit(
    _: &crate::cli::CompileCommand,
    language: ShaderLanguage,
    _: &clvk::Compiler,
    _: &clvk::Object,
) -> crate::failure::Result<()> {
    Err(crate::failure::Failure::usage(format!(
        "this clvk-run was built without the feature `shaders`, which writes {}; build it with default features",
        language.names().0
    )))
}

/// With the writers of these languages.
#[cfg(feature = "shaders")]
mod writer {
    use crate::cli::CompileCommand;
    use crate::compile::{check_passes, write_with_interface};
    use crate::console;
    use crate::failure::{Failure, Result};
    use clvk::interface::{ShaderLanguage, ShaderOverride, TexelFormat};
    use clvk::ir::Module;
    use clvk::{Compiler, Object, Overrides, Shaders};

    /// Writes the kernels of an object in a language.
    pub fn emit(
        command: &CompileCommand,
        language: ShaderLanguage,
        compiler: &Compiler,
        object: &Object,
    ) -> Result<()> {
        check_passes(&command.dump_after, clvk::shader_pass_names())?;
        let wanted = |pass: &str| command.dump_after.iter().any(|name| name == pass || name == "all");
        let dump = |pass: &'static str, module: &Module| {
            if wanted(pass) {
                console::tell(format!("; after {pass}\n{module}\n"));
            }
        };
        let formats = command.texel_format.iter().map(|text| texel_format(text)).collect::<Result<_>>()?;
        let shaders = compiler.clone().with_texel_formats(formats).shaders_watched(object, dump)?;
        let overrides = overrides(&command.set, &shaders)?;
        let shader = shaders.write(language, &overrides)?;
        let interface = serde_json::to_string_pretty(&shader.interface).expect("interfaces are plain data");
        write_with_interface(command, shader.text.as_bytes(), &interface)
    }

    /// An image and its format.
    fn texel_format(text: &str) -> Result<(String, TexelFormat)> {
        let known = text.split_once('=').and_then(|(image, wanted)| {
            let (_, format) = TexelFormat::ALL.into_iter().find(|(name, _)| *name == wanted.trim())?;
            Some((image.trim().to_owned(), format))
        });
        known.ok_or_else(|| {
            let names = TexelFormat::ALL.map(|(name, _)| name).join(", ");
            Failure::usage(format!("`--texel-format {text}` is not IMAGE=FORMAT; the formats are {names}"))
        })
    }

    /// The overrides that the command line sets, by name or number.
    fn overrides(given: &[String], shaders: &Shaders) -> Result<Overrides> {
        let known = shaders.overrides();
        given.iter().map(|text| one_override(text, &known)).collect()
    }

    fn one_override(text: &str, known: &[ShaderOverride]) -> Result<(u32, u32)> {
        let wrong =
            || Failure::usage(format!("`--set {text}` is not NAME=NUMBER, such as `local_size_x=16`"));
        let (name, value) = text.split_once('=').ok_or_else(wrong)?;
        let value = value.trim().parse().map_err(|_| wrong())?;
        let name = name.trim();
        match known.iter().find(|it| it.name == name || it.id.to_string() == name) {
            Some(it) => Ok((it.id, value)),
            None if known.is_empty() => {
                Err(Failure::usage("`--set` sets overrides, and these kernels have none".to_owned()))
            }
            None => {
                let names: Vec<&str> = known.iter().map(|it| it.name.as_str()).collect();
                Err(Failure::usage(format!("there is no override `{name}`; they are {}", names.join(", "))))
            }
        }
    }
}
