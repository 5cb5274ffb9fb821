//! Kernels in the languages of WebGPU, Metal, Direct3D and OpenGL.

use crate::{Compiler, Error, Object, ObjectKind};
use clvk_interface::{ModuleInterface, ShaderLanguage, ShaderOverride};
use clvk_ir::Module;
use clvk_naga::{Overrides, ShaderText, TexelFormats};

/// A program's kernels, ready to be written as WGSL, MSL, HLSL or GLSL. [`Compiler::shaders`] makes it.
///
/// ```
/// use clvk::{Compiler, DeviceProfile};
///
/// # fn main() -> Result<(), clvk::Error> {
/// let profile = DeviceProfile::preset("webgpu").expect("it is a preset");
/// let source = "kernel void scale(global float *a, float by) { a[get_global_id(0)] *= by; }";
/// let wgsl = Compiler::new(&profile).compile_shaders("scale.cl", source)?.to_wgsl()?;
/// assert!(wgsl.text.contains("fn scale("));
/// assert_eq!(wgsl.interface.entry_points[0].bindings[0].name, "a");
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Shaders {
    shaders: clvk_naga::Shaders,
}

impl Compiler {
    /// Sets the formats of images that kernels write, by the argument's name, in shaders, whose text has
    /// them. Others follow from the numbers that the kernel writes
    /// ([`TexelFormat::usual`](clvk_interface::TexelFormat::usual)).
    #[must_use]
    pub fn with_texel_formats(mut self, formats: TexelFormats) -> Self {
        self.texel_formats = formats;
        self
    }

    /// Compiles a whole program, which messages call `name`, to shaders.
    ///
    /// # Errors
    /// [`Error::Source`], [`Error::Unsupported`], [`Error::Shader`].
    pub fn compile_shaders(&self, name: &str, text: &str) -> Result<Shaders, Error> {
        self.shaders(&self.object(ObjectKind::Executable, name, text)?)
    }

    /// Translates an object to shaders, for what these languages can use of the device: 32-bit numbers,
    /// buffers that are bound, and the optional features that the profile lists
    /// ([`DeviceProfile::shader_features`](clvk_interface::DeviceProfile::shader_features)).
    ///
    /// # Errors
    /// [`Error::Unsupported`]: what the kernels need and these languages or the device do not have.
    /// [`Error::Shader`].
    pub fn shaders(&self, object: &Object) -> Result<Shaders, Error> {
        self.shaders_watched(object, |_, _| ())
    }

    /// Like [`Compiler::shaders`], and shows the module after each pass by the pass's name.
    ///
    /// # Errors
    /// As for [`Compiler::shaders`].
    pub fn shaders_watched(
        &self,
        object: &Object,
        mut after_pass: impl FnMut(&'static str, &Module),
    ) -> Result<Shaders, Error> {
        self.refuse_deferred(object)?;
        let (module, library) = (object.module().clone(), clvk_shaders::library());
        let wishes = self.wishes_for(object);
        let raised = clvk_translate::raise(module, library, self.profile(), &wishes, &mut after_pass);
        let (module, interface) = raised.map_err(|errors| self.unsupported(errors, object))?;
        let shaders =
            clvk_naga::Shaders::new(&module, interface, &self.texel_formats).map_err(Error::Shader)?;
        Ok(Shaders { shaders })
    }
}

impl Shaders {
    /// The interface of the kernels, in which the push constants are a uniform buffer.
    #[must_use]
    pub fn interface(&self) -> &ModuleInterface {
        self.shaders.interface()
    }

    /// The constants that are set when a pipeline is made.
    #[must_use]
    pub fn overrides(&self) -> Vec<ShaderOverride> {
        self.shaders.overrides()
    }

    /// The kernels in a language. `overrides` have the values of overrides by number; in WGSL they become
    /// defaults.
    ///
    /// # Errors
    /// [`Error::Shader`]: the language lacks something, or needs the value of an override.
    pub fn write(&self, language: ShaderLanguage, overrides: &Overrides) -> Result<ShaderText, Error> {
        self.shaders.write(language, overrides).map_err(Error::Shader)
    }

    /// The kernels in WebGPU's language.
    ///
    /// # Errors
    /// As for [`Shaders::write`].
    pub fn to_wgsl(&self) -> Result<ShaderText, Error> {
        self.write(ShaderLanguage::Wgsl, &Overrides::new())
    }

    /// The kernels in Metal's language.
    ///
    /// # Errors
    /// As for [`Shaders::write`].
    pub fn to_msl(&self, overrides: &Overrides) -> Result<ShaderText, Error> {
        self.write(ShaderLanguage::Msl, overrides)
    }

    /// The kernels in Direct3D's language, for shader model 6.
    ///
    /// # Errors
    /// As for [`Shaders::write`].
    pub fn to_hlsl(&self, overrides: &Overrides) -> Result<ShaderText, Error> {
        self.write(ShaderLanguage::Hlsl, overrides)
    }

    /// The kernel in OpenGL's language; a text has one kernel ([`Compiler::with_kernels`]).
    ///
    /// # Errors
    /// As for [`Shaders::write`].
    pub fn to_glsl(&self, overrides: &Overrides) -> Result<ShaderText, Error> {
        self.write(ShaderLanguage::Glsl, overrides)
    }
}

/// The names of the passes that [`Compiler::shaders_watched`] shows, in order.
pub fn shader_pass_names() -> impl Iterator<Item = &'static str> {
    clvk_translate::pipeline(clvk_translate::Target::Naga).map(|pass| pass.name)
}
