//! Samplers (OpenCL C §6.15.15.1).

use crate::engine::arguments::Descriptor;
use crate::engine::sampler::{AddressingMode, FilterMode, SamplerDescription, SamplerInner};
use crate::objects::device::Device;
use crate::vulkan::error::{Error, Result};
use clvk_interface::{ProgramSampler, SamplerAddressing, SamplerLevels};
use std::fmt;
use std::sync::{Arc, OnceLock};

/// How a kernel reads images. Cloning is cheap and gives the same sampler.
#[derive(Clone)]
pub struct Sampler {
    inner: Arc<SamplerInner>,
    /// For coordinates in texels, once a kernel needs it.
    texels: Arc<OnceLock<Arc<SamplerInner>>>,
    device: Device,
    description: SamplerDescription,
}

impl Sampler {
    /// A sampler with these properties.
    ///
    /// # Errors
    /// [`Error::Sampler`] if repeating is asked for with coordinates that are not normalised, or a failure of
    /// Vulkan.
    pub fn new(device: &Device, description: SamplerDescription) -> Result<Self> {
        let repeats =
            matches!(description.addressing, AddressingMode::Repeat | AddressingMode::MirroredRepeat);
        if repeats && !description.normalized_coordinates {
            return Err(Error::Sampler(
                "repeating needs normalised coordinates; choose another addressing mode or normalise"
                    .to_owned(),
            ));
        }
        let inner = Arc::new(SamplerInner::new(&device.shared.heap.logical, &description)?);
        Ok(Sampler { inner, texels: Arc::default(), device: device.clone(), description })
    }

    /// A sampler that a program declares.
    pub(crate) fn of_program(device: &Device, sampler: &ProgramSampler) -> Result<Self> {
        let addressing = match sampler.addressing {
            SamplerAddressing::None => AddressingMode::None,
            SamplerAddressing::ClampToEdge => AddressingMode::ClampToEdge,
            SamplerAddressing::Clamp => AddressingMode::Clamp,
            SamplerAddressing::Repeat => AddressingMode::Repeat,
            SamplerAddressing::MirroredRepeat => AddressingMode::MirroredRepeat,
        };
        let filter = if sampler.linear { FilterMode::Linear } else { FilterMode::Nearest };
        let normalized_coordinates = sampler.normalized_coordinates;
        // Repeating without normalised coordinates has undefined results (OpenCL C §6.15.15.1), but is
        // allowed.
        let addressing = match addressing {
            AddressingMode::Repeat | AddressingMode::MirroredRepeat if !normalized_coordinates => {
                AddressingMode::ClampToEdge
            }
            other => other,
        };
        let levels = SamplerLevels::default();
        Sampler::new(device, SamplerDescription { addressing, filter, normalized_coordinates, levels })
    }

    /// Its properties.
    #[must_use]
    pub fn description(&self) -> &SamplerDescription {
        &self.description
    }

    /// The device it is on.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The descriptor of it.
    pub(crate) fn descriptor(&self) -> Descriptor {
        Descriptor::Sampler(Arc::clone(&self.inner))
    }

    /// The descriptor of it for coordinates in texels.
    pub(crate) fn texel_descriptor(&self) -> Result<Descriptor> {
        if let Some(known) = self.texels.get() {
            return Ok(Descriptor::Sampler(Arc::clone(known)));
        }
        let new = SamplerInner::of_texels(&self.device.shared.heap.logical, &self.description)?;
        Ok(Descriptor::Sampler(Arc::clone(self.texels.get_or_init(|| Arc::new(new)))))
    }
}

impl fmt::Debug for Sampler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Sampler").field(&self.description).finish()
    }
}
