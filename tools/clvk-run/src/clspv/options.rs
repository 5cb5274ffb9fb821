//! The options of clspv, as LLVM's command lines spell them: with one dash or two, `-name`, `-name=value` or
//! `-name value`; flags also as `-name=0` and `-name=1`.

use super::settings::Settings;
use crate::similar::did_you_mean;
use std::fmt::Write;

/// What an option does here.
pub(super) enum Action {
    /// It says something about the host or the device; or asks for an output.
    Set(fn(&mut Settings, &str) -> Result<(), String>),
    /// An option of OpenCL C, which the front end knows by the same name.
    Source,
    /// The same, with what follows its name.
    SourceValue,
    /// It only tunes clspv's code, or what it allows is always done: accepted, without effect.
    Tunes,
    /// It cannot be honoured, for this reason.
    Refused(&'static str),
}

/// What stands after the name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Takes {
    /// Nothing, or a truth value.
    Flag,
    /// A value.
    Value(&'static str),
    /// A value that may follow without `=`.
    Prefix(&'static str),
}

/// One option.
pub(super) struct Row {
    pub name: &'static str,
    pub takes: Takes,
    pub action: Action,
    pub help: &'static str,
}

use Action::{Refused, Set, Source, SourceValue, Tunes};
use Takes::{Flag, Prefix, Value};

const fn row(name: &'static str, takes: Takes, action: Action, help: &'static str) -> Row {
    Row { name, takes, action, help }
}

/// Every option.
#[rustfmt::skip]
pub(super) static TABLE: &[Row] = &[
    row("D", Prefix("name[=value]"), SourceValue, "define a macro"),
    row("I", Prefix("folder"), SourceValue, "look for headers there"),
    row("O", Prefix("level"), Tunes, "clspv's optimisation"),
    row("Werror", Flag, Source, "warnings are errors"),
    row("arch", Value("spir|spir64"), Set(Settings::arch), "`spir64` for -physical-storage-buffers; sizes have 64 bits in either"),
    row("cl-arm-integer-dot-product", Flag, Tunes, "the host may use the extension; programs that do are refused"),
    row("cl-arm-non-uniform-work-group-size", Flag, Set(|it, on| it.flag(on, |it, on| it.arm_non_uniform = on)), "work-groups at the ends may be smaller before OpenCL C 2.0, too"),
    row("cl-denorms-are-zero", Flag, Source, "subnormal numbers may be zero"),
    row("cl-fast-relaxed-math", Flag, Source, "as in OpenCL"),
    row("cl-finite-math-only", Flag, Source, "as in OpenCL"),
    row("cl-fp32-correctly-rounded-divide-sqrt", Flag, Source, "as in OpenCL"),
    row("cl-kernel-arg-info", Flag, Set(|it, on| it.flag(on, |it, on| it.launch.argument_information = on)), "describe arguments as clGetKernelArgInfo does"),
    row("cl-mad-enable", Flag, Source, "as in OpenCL"),
    row("cl-native-math", Flag, Set(Settings::native_math), "taken as -cl-fast-relaxed-math"),
    row("cl-no-signed-zeros", Flag, Source, "as in OpenCL"),
    row("cl-no-subgroup-ifp", Flag, Tunes, "kernels do not need sub-groups that progress independently"),
    row("cl-opt-disable", Flag, Source, "as in OpenCL"),
    row("cl-single-precision-constant", Flag, Source, "as in OpenCL"),
    row("cl-std", Value("CL1.0|CL1.1|CL1.2|CL2.0|CL3.0"), Set(Settings::version), "the version of OpenCL C; CL1.2 if left out"),
    row("cl-uniform-work-group-size", Flag, Set(|it, on| it.flag(on, |it, on| it.uniform = on)), "all work-groups have the same size"),
    row("cl-unsafe-math-optimizations", Flag, Source, "as in OpenCL"),
    row("cluster-pod-kernel-args", Flag, Set(Settings::clustered), "values share one buffer, as they always do here"),
    row("constant-args-ubo", Flag, Refused("constant arguments are always in storage buffers"), "constant arguments in uniform buffers"),
    row("decorate-nonuniform", Flag, Tunes, "no descriptor is chosen at run time"),
    row("denorm-flush-to-zero", Value("16,32,64"), Set(Settings::flush), "the device can flush subnormal numbers of 32 bits"),
    row("denorm-preserve", Value("16,32,64"), Set(Settings::preserve), "the device can preserve subnormal numbers"),
    row("descriptormap", Value("file"), Set(|it, file| { it.descriptor_map = Some(file.to_owned()); Ok(()) }), "write the descriptor map, too"),
    row("distinct-kernel-descriptor-sets", Flag, Refused("the kernels of a module share one descriptor set"), "a descriptor set for each kernel"),
    row("enable-feature-macros", Value("names"), Set(Settings::feature_macros), "the features of OpenCL C 3.0 that programs may use"),
    row("enable-opaque-pointers", Flag, Tunes, "always"),
    row("enable-printf", Flag, Tunes, "accepted; kernels that call printf are refused"),
    row("fp16", Flag, Set(|it, on| it.flag(on, |it, on| it.profile.float16 = on)), "the device has halves; on if left out"),
    row("fp64", Flag, Set(|it, on| it.flag(on, |it, on| it.profile.float64 = on)), "the device has doubles; on if left out"),
    row("g", Flag, Source, "write line information"),
    row("global-offset", Flag, Set(|it, on| it.flag(on, |it, on| it.launch.global_offset |= on)), "the host sets a global offset"),
    row("global-offset-push-constant", Flag, Set(Settings::pushed_offset), "the host sets it in push constants"),
    row("hack-block-order", Flag, Tunes, "for drivers that need another order of blocks"),
    row("hack-clamp-width", Flag, Tunes, "for drivers with errors in narrow clamps"),
    row("hack-convert-to-float", Flag, Tunes, "for drivers that drop conversions"),
    row("hack-dis", Flag, Tunes, "each image and sampler has a variable of its own in any case"),
    row("hack-image1d-buffer-bgra", Flag, Refused("kernels do not reorder the channels of 1D image buffers"), "reorder the channels of 1D image buffers"),
    row("hack-initializers", Flag, Tunes, "the work-group size is not a variable"),
    row("hack-inserts", Flag, Tunes, "structures are not values"),
    row("hack-logical-ptrtoint", Flag, Tunes, "always"),
    row("hack-mul-extended", Flag, Tunes, "for drivers with errors in OpSMulExtended"),
    row("hack-phis", Flag, Tunes, "structures are not values"),
    row("hack-scf", Flag, Tunes, "for drivers with errors in signed comparisons"),
    row("hack-undef", Flag, Tunes, "for drivers with errors in OpUndef"),
    row("images", Flag, Set(|it, on| it.flag(on, Settings::images)), "the device has images; on if left out"),
    row("inline-entry-points", Flag, Tunes, "always"),
    row("int8", Flag, Set(|it, on| it.flag(on, |it, on| it.profile.int8 = on)), "the device computes with bytes; on if left out"),
    row("long-vector", Flag, Tunes, "vectors of 8 and 16 are always allowed"),
    row("max-pushconstant-size", Value("bytes"), Set(Settings::push_constant_size), "the device's limit; 128 if left out"),
    row("max-ubo-size", Value("bytes"), Tunes, "there are no uniform buffers"),
    row("memmove-alloca-limit", Value("bytes"), Tunes, "how clspv moves memory"),
    row("module-constants-in-storage-buffer", Flag, Tunes, "large constants are in a storage buffer in any case, small ones in the shader"),
    row("no-16bit-storage", Prefix("ssbo,ubo,pushconstant"), Set(Settings::no_16bit), "where the device cannot store 16 bits"),
    row("no-8bit-storage", Prefix("ssbo,ubo,pushconstant"), Set(Settings::no_8bit), "where the device cannot store 8 bits"),
    row("no-dra", Flag, Tunes, "direct access to resources"),
    row("no-inline-single", Flag, Tunes, "inlining"),
    row("no-smsv", Flag, Tunes, "sharing of variables"),
    row("no-vec3-to-vec4", Flag, Tunes, "how vectors of three are stored follows from OpenCL"),
    row("o", Value("file"), Set(|it, file| { it.output = Some(file.to_owned()); Ok(()) }), "where to write; a.spv if left out"),
    row("output-format", Value("spv|c|bc"), Set(Settings::output_format), "SPIR-V, its words as a list for C, or an object to link with -x ir"),
    row("physical-storage-buffers", Flag, Set(|it, on| it.flag(on, |it, on| it.profile.buffer_device_address = on)), "buffers are 64-bit addresses"),
    row("pod-pushconstant", Flag, Set(|it, on| it.flag(on, |it, on| it.launch.values_in_push_constants = on)), "values must fit into push constants"),
    row("pod-ubo", Flag, Refused("values are in push constants or, where these are too small, in a storage buffer"), "values in uniform buffers"),
    row("printf-buffer-size", Value("bytes"), Tunes, "kernels that call printf are refused"),
    row("relaxed-ubo-layout", Flag, Tunes, "there are no uniform buffers"),
    row("rewrite-packed-structs", Flag, Tunes, "structures may be packed in any case"),
    row("rounding-mode-rte", Value("16,32,64"), Set(Settings::rounding), "the device can promise to round to nearest even"),
    row("samplermap", Value("file"), Refused("samplers are described by the reflection, as in newer versions of clspv"), "a sampler map"),
    row("scalar-block-layout", Flag, Refused("clspv does not implement it either"), "another layout of blocks"),
    row("show-ids", Flag, Tunes, "shows nothing"),
    row("spv-khr-fma", Value("16,32,64"), Tunes, "the extension is not used"),
    row("spv-version", Value("1.0|1.3|1.4|1.5|1.6"), Set(Settings::spirv_version), "the version of SPIR-V; 1.0 if left out"),
    row("std430-ubo-layout", Flag, Tunes, "there are no uniform buffers"),
    row("uniform-workgroup-size", Flag, Set(|it, on| it.flag(on, |it, on| it.uniform = on)), "all work-groups have the same size"),
    row("untyped-pointers", Flag, Tunes, "the extension is not used"),
    row("use-native-builtins", Value("names"), Tunes, "functions keep OpenCL's precision"),
    row("vec3-to-vec4", Flag, Tunes, "how vectors of three are stored follows from OpenCL"),
    row("w", Flag, Source, "no warnings"),
    row("work-dim", Flag, Tunes, "get_work_dim is always supported"),
    row("x", Value("cl|ir"), Set(Settings::language), "what the inputs are: OpenCL C, or what --output-format=bc wrote"),
];

/// The help text.
pub fn help() -> String {
    let mut text = String::from(
        "OVERVIEW: OpenCL C to Vulkan SPIR-V for the hosts of clspv, by clvk\n\nUSAGE: clspv [options] <input files>\n\nOPTIONS:\n",
    );
    for row in TABLE {
        let name = match row.takes {
            Flag => format!("-{}", row.name),
            Value(value) => format!("-{}=<{value}>", row.name),
            Prefix(value) => format!("-{}<{value}>", row.name),
        };
        let note = match row.action {
            Tunes => " (no effect)",
            Refused(_) => " (refused)",
            _ => "",
        };
        let _ = writeln!(text, "  {name:<44} {}{note}", row.help);
    }
    text
}

/// The option that an argument is, and what stands after its name.
fn find(argument: &str) -> Option<(&'static Row, Option<&str>)> {
    let text = argument.strip_prefix("--").or_else(|| argument.strip_prefix('-'))?;
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (text, None),
    };
    if let Some(row) = TABLE.iter().find(|row| row.name == name) {
        // `-D=x` does not exist.
        return Some((row, value));
    }
    let prefixes = TABLE.iter().filter(|row| matches!(row.takes, Prefix(_)));
    prefixes.max_by_key(|row| if text.starts_with(row.name) { row.name.len() } else { 0 }).and_then(|row| {
        let rest = text.strip_prefix(row.name)?;
        Some((row, Some(rest)))
    })
}

/// Takes an argument, and the next one if that is its value.
///
/// # Errors
/// As LLVM words them.
pub(super) fn take<'a>(
    settings: &mut Settings,
    argument: &str,
    rest: &mut impl Iterator<Item = &'a String>,
) -> Result<(), String> {
    let Some((row, value)) = find(argument) else {
        let names = TABLE.iter().map(|row| row.name);
        let meant = did_you_mean(argument.trim_start_matches('-'), names, String::new);
        return Err(format!("Unknown command line argument '{argument}'.  Try: 'clspv --help'{meant}"));
    };
    let value = match (row.takes, value) {
        (Flag, None) => "1",
        (_, Some(value)) => value,
        (_, None) => rest.next().ok_or_else(|| format!("for the -{} option: requires a value!", row.name))?,
    };
    let wrong = |problem: String| format!("for the -{} option: {problem}", row.name);
    match row.action {
        Set(set) => set(settings, value).map_err(wrong)?,
        Source => {
            if is_true(value).map_err(wrong)? {
                settings.build.push(format!("-{}", row.name));
            }
        }
        SourceValue => settings.build.extend([format!("-{}", row.name), value.to_owned()]),
        Tunes if row.takes == Flag => drop(is_true(value).map_err(wrong)?),
        Tunes => {}
        Refused(reason) if row.takes != Flag || is_true(value).map_err(wrong)? => {
            return Err(wrong(format!("not supported: {reason}")));
        }
        Refused(_) => {}
    }
    Ok(())
}

/// A truth value, as LLVM spells it.
pub(super) fn is_true(value: &str) -> Result<bool, String> {
    match value {
        "1" | "" | "true" | "TRUE" | "True" => Ok(true),
        "0" | "false" | "FALSE" | "False" => Ok(false),
        _ => Err(format!("'{value}' is invalid value for boolean argument! Try 0 or 1")),
    }
}
