//! What the options of clspv say: the device, the host, the source and the outputs.

use super::options::{is_true, take};
use clvk::DeviceProfile;
use clvk::interface::clspv::ClspvLaunch;
use clvk::interface::{Feature, FeatureKind, FeatureSet};

/// The push constants of every device.
const LEAST_PUSH_CONSTANTS: u32 = 128;

/// What is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OutputFormat {
    /// SPIR-V.
    #[default]
    Spirv,
    /// Its words as an initialiser in C.
    C,
    /// An object to be linked.
    Object,
}

/// See the module.
pub struct Settings {
    pub inputs: Vec<String>,
    pub output: Option<String>,
    pub descriptor_map: Option<String>,
    pub format: OutputFormat,
    /// The inputs are objects that were written as such.
    pub takes_objects: bool,
    /// Options for the front end.
    pub build: Vec<String>,
    pub profile: DeviceProfile,
    pub launch: ClspvLaunch,
    pub uniform: bool,
    pub arm_non_uniform: bool,
    version: String,
    enabled_features: Vec<Feature>,
    is_64bit: bool,
}

/// The device that clspv compiles for if it is told nothing: what its documentation says that a device must
/// have. It leaves limits of sizes and counts to the host.
fn device() -> DeviceProfile {
    const MANY: u32 = u32::MAX;
    DeviceProfile {
        name: "clspv".to_owned(),
        vulkan: (1, 0),
        spirv: (1, 0),
        int8: true,
        int16: true,
        int64: true,
        float16: true,
        float64: true,
        storage_8bit: true,
        storage_16bit: true,
        push_constant_8bit: true,
        push_constant_16bit: true,
        image_read_without_format: true,
        image_write_without_format: true,
        subgroup_size: 1,
        max_push_constants: LEAST_PUSH_CONSTANTS,
        max_local_memory: MANY,
        max_work_group_invocations: MANY,
        max_work_group_size: [MANY; 3],
        max_work_group_count: [MANY; 3],
        max_storage_buffer_range: MANY,
        max_storage_images: MANY,
        max_sampled_images: MANY,
        max_samplers: MANY,
        ..DeviceProfile::default()
    }
}

impl Settings {
    /// Reads the arguments.
    ///
    /// # Errors
    /// The first one that is wrong, or cannot be honoured.
    pub fn read(arguments: &[String]) -> Result<Settings, String> {
        let mut settings = Settings {
            inputs: Vec::new(),
            output: None,
            descriptor_map: None,
            format: OutputFormat::default(),
            takes_objects: false,
            // clspv's documentation, section Compilation.
            build: vec!["-DVULKAN=100".to_owned()],
            profile: device(),
            launch: ClspvLaunch {
                non_uniform: false,
                global_offset: false,
                global_offset_in_push_constants: false,
                values_in_push_constants: false,
                max_push_constants: LEAST_PUSH_CONSTANTS,
                argument_information: false,
            },
            uniform: false,
            arm_non_uniform: false,
            version: "CL1.2".to_owned(),
            enabled_features: Vec::new(),
            is_64bit: false,
        };
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            match argument.as_str() {
                "-" => settings.inputs.push(argument.clone()),
                text if text.starts_with('-') => take(&mut settings, text, &mut rest)?,
                _ => settings.inputs.push(argument.clone()),
            }
        }
        settings.finish()?;
        Ok(settings)
    }

    fn finish(&mut self) -> Result<(), String> {
        if self.inputs.is_empty() {
            self.inputs.push("-".to_owned());
        }
        if self.profile.buffer_device_address && !self.is_64bit {
            return Err("-physical-storage-buffers can only be used with -arch=spir64".to_owned());
        }
        if self.uniform && self.arm_non_uniform {
            return Err("cannot enable Arm non-uniform workgroup extension support with uniform work-groups"
                .to_owned());
        }
        let is_new = !matches!(self.version.as_str(), "CL1.0" | "CL1.1" | "CL1.2");
        self.launch.non_uniform = (is_new || self.arm_non_uniform) && !self.uniform;
        self.build.push(format!("-cl-std={}", self.version));
        if self.uniform {
            self.build.push("-cl-uniform-work-group-size".to_owned());
        }
        // A device that has no halves does not round them.
        self.profile.rounding_rte_f16 &= self.profile.float16;
        self.profile.denorm_preserve_f16 &= self.profile.float16;
        self.profile.rounding_rte_f64 &= self.profile.float64;
        self.profile.denorm_preserve_f64 &= self.profile.float64;
        Ok(())
    }

    /// Where the result goes.
    pub fn output(&self) -> &str {
        match (&self.output, self.format) {
            (Some(path), _) => path,
            (None, OutputFormat::Object) => "a.bc",
            (None, _) => "a.spv",
        }
    }

    /// The features of `offered` that the options leave to programs. Since OpenCL C 3.0, those of the
    /// language must be enabled by name, except doubles and images, which have options of their own.
    pub fn features(&self, offered: FeatureSet) -> FeatureSet {
        if !self.version.starts_with("CL3") {
            return offered;
        }
        let own = [Feature::Fp64LanguageFeature, Feature::Images, Feature::Int64];
        let disabled = Feature::ALL.iter().copied().filter(|feature| {
            feature.kind() == FeatureKind::LanguageFeature
                && !own.contains(feature)
                && !self.enabled_features.contains(feature)
        });
        offered.without(disabled.collect())
    }

    pub(super) fn flag(&mut self, value: &str, set: fn(&mut Settings, bool)) -> Result<(), String> {
        set(self, is_true(value)?);
        Ok(())
    }

    pub(super) fn arch(&mut self, value: &str) -> Result<(), String> {
        self.is_64bit = match value {
            "spir" | "spirv32" => false,
            "spir64" | "spirv64" => true,
            _ => return unknown(value),
        };
        Ok(())
    }

    pub(super) fn version(&mut self, value: &str) -> Result<(), String> {
        if value.starts_with("CLC++") {
            return Err("not supported: C++ for OpenCL; write OpenCL C".to_owned());
        }
        value.clone_into(&mut self.version);
        Ok(())
    }

    pub(super) fn native_math(&mut self, value: &str) -> Result<(), String> {
        if is_true(value)? {
            self.build.push("-cl-fast-relaxed-math".to_owned());
        }
        Ok(())
    }

    pub(super) fn pushed_offset(&mut self, value: &str) -> Result<(), String> {
        let on = is_true(value)?;
        self.launch.global_offset |= on;
        self.launch.global_offset_in_push_constants = on;
        Ok(())
    }

    pub(super) fn clustered(&mut self, value: &str) -> Result<(), String> {
        match is_true(value)? {
            true => Ok(()),
            false => Err("not supported: values share one buffer".to_owned()),
        }
    }

    pub(super) fn images(&mut self, on: bool) {
        self.profile.image_read_without_format = on;
        self.profile.image_write_without_format = on;
    }

    pub(super) fn push_constant_size(&mut self, value: &str) -> Result<(), String> {
        let bytes = value.parse().map_err(|_| format!("'{value}' value invalid for uint argument!"))?;
        self.launch.max_push_constants = bytes;
        Ok(())
    }

    pub(super) fn no_16bit(&mut self, value: &str) -> Result<(), String> {
        storage_classes(value, &mut self.profile, |it| (&mut it.storage_16bit, &mut it.push_constant_16bit))
    }

    pub(super) fn no_8bit(&mut self, value: &str) -> Result<(), String> {
        storage_classes(value, &mut self.profile, |it| (&mut it.storage_8bit, &mut it.push_constant_8bit))
    }

    pub(super) fn rounding(&mut self, value: &str) -> Result<(), String> {
        let p = &mut self.profile;
        widths(value, [&mut p.rounding_rte_f16, &mut p.rounding_rte_f32, &mut p.rounding_rte_f64])
    }

    pub(super) fn preserve(&mut self, value: &str) -> Result<(), String> {
        let p = &mut self.profile;
        widths(value, [&mut p.denorm_preserve_f16, &mut p.denorm_preserve_f32, &mut p.denorm_preserve_f64])
    }

    pub(super) fn flush(&mut self, value: &str) -> Result<(), String> {
        let (mut half, mut double) = (false, false);
        widths(value, [&mut half, &mut self.profile.denorm_flush_f32, &mut double])
    }

    pub(super) fn spirv_version(&mut self, value: &str) -> Result<(), String> {
        (self.profile.spirv, self.profile.vulkan) = match value {
            "1.0" => ((1, 0), (1, 0)),
            "1.3" => ((1, 3), (1, 1)),
            "1.4" => ((1, 4), (1, 1)),
            "1.5" => ((1, 5), (1, 2)),
            "1.6" => ((1, 6), (1, 3)),
            _ => return unknown(value),
        };
        Ok(())
    }

    pub(super) fn feature_macros(&mut self, value: &str) -> Result<(), String> {
        for name in value.split(',').filter(|name| !name.is_empty()) {
            match Feature::from_name(name) {
                Some(feature) => self.enabled_features.push(feature),
                None => return Err(format!("'{name}' wasn't recognized as an option!")),
            }
        }
        Ok(())
    }

    pub(super) fn output_format(&mut self, value: &str) -> Result<(), String> {
        self.format = match value {
            "spv" => OutputFormat::Spirv,
            "c" => OutputFormat::C,
            "bc" => OutputFormat::Object,
            "ll" => return Err("not supported: there is no LLVM in this compiler".to_owned()),
            _ => return unknown(value),
        };
        Ok(())
    }

    pub(super) fn language(&mut self, value: &str) -> Result<(), String> {
        self.takes_objects = match value {
            "cl" => false,
            "ir" => true,
            _ => return unknown(value),
        };
        Ok(())
    }
}

fn unknown<T>(value: &str) -> Result<T, String> {
    Err(format!("Cannot find option named '{value}'!"))
}

/// Takes storage away.
fn storage_classes(
    value: &str,
    profile: &mut DeviceProfile,
    members: fn(&mut DeviceProfile) -> (&mut bool, &mut bool),
) -> Result<(), String> {
    let (buffers, push_constants) = members(profile);
    // As a prefix, the value may begin with the sign.
    for class in value.trim_start_matches('=').split(',') {
        match class {
            "ssbo" => *buffers = false,
            "pushconstant" => *push_constants = false,
            // There are no uniform buffers.
            "ubo" => {}
            _ => return unknown(class),
        }
    }
    Ok(())
}

/// Sets the members for 16, 32 and 64 bits.
fn widths(value: &str, members: [&mut bool; 3]) -> Result<(), String> {
    let [half, single, double] = members;
    for width in value.split(',') {
        match width {
            "16" => *half = true,
            "32" => *single = true,
            "64" => *double = true,
            _ => return unknown(width),
        }
    }
    Ok(())
}
