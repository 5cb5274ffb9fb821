//! Kernels as SPIR-V for other drivers of OpenCL.

use crate::judge::FOR_OPENCL;
use crate::{Compiler, Error, Object, ObjectKind};
use clvk_interface::{Feature, FeatureSet, Quirk};
use clvk_ir::Module;

impl Compiler {
    /// Offers programs what SPIR-V for OpenCL can say, instead of what the profile's device has: everything
    /// but pipes and queues on the device. Whether a driver's device has it, that driver says.
    #[must_use]
    pub fn with_opencl_features(self) -> Self {
        let lacking = [Feature::Pipes, Feature::DeviceEnqueue, Feature::DeviceEnqueueLocalArgumentTypes];
        let lacking: FeatureSet = lacking.into_iter().collect();
        let mut compiler = self.with_features(FeatureSet::all().without(lacking));
        compiler.for_opencl = true;
        compiler
    }

    /// Avoids errors of the driver of OpenCL that will take the module; those of [`Quirk::IN_OPENCL`] can be
    /// avoided.
    #[must_use]
    pub fn avoiding_for_opencl(mut self, quirks: &[Quirk]) -> Self {
        self.avoided_for_opencl = quirks.to_vec();
        self
    }

    /// Compiles a whole program, which messages call `name`, to SPIR-V for drivers of OpenCL
    /// (`clCreateProgramWithIL`).
    ///
    /// ```
    /// use clvk::{Compiler, DeviceProfile};
    ///
    /// # fn main() -> Result<(), clvk::Error> {
    /// let compiler = Compiler::new(&DeviceProfile::default()).with_opencl_features();
    /// let source = "kernel void root(global double *a) { a[get_global_id(0)] = sqrt(*a); }";
    /// let bytes = compiler.compile_opencl_spirv("root.cl", source)?;
    /// assert_eq!(bytes[..4], 0x0723_0203_u32.to_le_bytes());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::Source`], [`Error::Unsupported`].
    pub fn compile_opencl_spirv(&self, name: &str, text: &str) -> Result<Vec<u8>, Error> {
        self.opencl_spirv(&self.object(ObjectKind::Executable, name, text)?)
    }

    /// Translates an object to SPIR-V for drivers of OpenCL. The profile's device does not matter, except for
    /// the features that the object was compiled with.
    ///
    /// # Errors
    /// [`Error::Unsupported`]: what such modules cannot say.
    pub fn opencl_spirv(&self, object: &Object) -> Result<Vec<u8>, Error> {
        self.opencl_spirv_watched(object, |_, _| ())
    }

    /// Like [`Compiler::opencl_spirv`], and shows the module after each pass by the pass's name.
    ///
    /// # Errors
    /// As for [`Compiler::opencl_spirv`].
    pub fn opencl_spirv_watched(
        &self,
        object: &Object,
        mut after_pass: impl FnMut(&'static str, &Module),
    ) -> Result<Vec<u8>, Error> {
        self.refuse_deferred(object)?;
        let (module, library) = (object.module().clone(), clvk_shaders::library());
        let wishes = self.wishes_for(object);
        let version = self.options.version.number();
        let avoided = &self.avoided_for_opencl;
        let words =
            clvk_translate::translate_for_opencl(module, library, &wishes, version, avoided, &mut after_pass);
        let words = words.map_err(|errors| self.unsupported_with(errors, object, FOR_OPENCL))?;
        Ok(words.into_iter().flat_map(u32::to_le_bytes).collect())
    }
}

/// The names of the passes that [`Compiler::opencl_spirv_watched`] shows, in order.
pub fn opencl_pass_names() -> impl Iterator<Item = &'static str> {
    clvk_translate::pipeline(clvk_translate::Target::OpenCl).map(|pass| pass.name)
}
