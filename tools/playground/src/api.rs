//! Requests and answers.

use clvk::interface::print;
use clvk::interface::{ModuleInterface, PrintFormat, ShaderLanguage, TexelFormat};
use clvk::{BuildOptions, Compiler, DeviceProfile, Error, Message, Overrides, TexelFormats};
use rspirv::binary::Disassemble;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What the page may ask for.
#[derive(Debug, Deserialize)]
#[serde(tag = "ask", rename_all = "kebab-case")]
enum Request {
    /// To compile a source.
    Compile(Box<Compile>),
    /// For the text that a launch has printed.
    Printed { words: Vec<u32>, formats: Vec<PrintFormat>, strings: Vec<Vec<u8>> },
    /// For the devices that are known.
    Presets,
}

#[derive(Debug, Deserialize)]
struct Compile {
    source: String,
    /// Build options, as in OpenCL.
    #[serde(default)]
    options: String,
    /// `wgsl`, `msl`, `hlsl`, `glsl` or `spirv`.
    language: String,
    /// The name of a preset.
    #[serde(default = "webgpu")]
    profile: String,
    /// Kernels to translate; all if it is empty.
    #[serde(default)]
    kernels: Vec<String>,
    /// Formats of images that kernels write, by the argument's name.
    #[serde(default)]
    formats: BTreeMap<String, TexelFormat>,
}

fn webgpu() -> String {
    "webgpu".to_owned()
}

/// An answer. What does not apply is left out.
#[derive(Default, Serialize)]
struct Answer {
    /// Errors and warnings.
    messages: Vec<Message>,
    /// The result as text; SPIR-V is disassembled.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// How to launch the kernels.
    #[serde(skip_serializing_if = "Option::is_none")]
    interface: Option<serde_json::Value>,
    /// SPIR-V.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    words: Vec<u32>,
    /// How a buffer for what kernels print begins, if they print.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    print_head: Vec<u32>,
    /// Names of presets.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    presets: Vec<&'static str>,
}

/// Words of the buffer for what a launch prints.
const PRINT_WORDS: u32 = 1 << 16;

/// The name of the source in messages.
const SOURCE: &str = "kernel.cl";

/// Answers a request. Both are JSON; an error is a message of the answer.
#[must_use]
pub fn respond(request: &str) -> String {
    let answer = match serde_json::from_str(request) {
        Ok(Request::Compile(request)) => {
            compile(&request).unwrap_or_else(|error| Answer { messages: error.list(), ..Answer::default() })
        }
        Ok(Request::Printed { words, formats, strings }) => {
            let (text, lost) = print::printed(&words, &formats, &strings);
            let mut text = String::from_utf8_lossy(&text).into_owned();
            if lost > 0 {
                text += &format!("\n({lost} more calls of printf did not fit)\n");
            }
            Answer { text: Some(text), ..Answer::default() }
        }
        Ok(Request::Presets) => {
            Answer { presets: DeviceProfile::preset_names().collect(), ..Answer::default() }
        }
        Err(error) => refusal(format!("the page asks for something unknown: {error}")),
    };
    serde_json::to_string(&answer).expect("an answer is plain data")
}

fn refusal(text: String) -> Answer {
    Answer { messages: vec![Message::error(text)], ..Answer::default() }
}

fn compile(request: &Compile) -> Result<Answer, Error> {
    let Ok(profile) = DeviceProfile::preset(&request.profile) else {
        return Ok(refusal(format!("there is no device profile `{}`", request.profile)));
    };
    let formats: TexelFormats = request.formats.clone();
    let compiler = Compiler::new(&profile)
        .with_cache(None)
        .without_files()
        .with_build_options(BuildOptions::parse(&request.options)?)
        .with_kernels(&request.kernels)
        .with_texel_formats(formats);
    let object = compiler.object(clvk::ObjectKind::Executable, SOURCE, &request.source)?;
    let mut answer = Answer { messages: object.warnings().list(), ..Answer::default() };
    let Some(language) = language(&request.language) else {
        let program = compiler.translate(&object)?;
        answer.messages.extend(program.translation_warnings().list());
        answer.interface = serde_json::to_value(program.interface()).ok();
        answer.text = rspirv::dr::load_words(program.spirv()).ok().map(|module| module.disassemble());
        answer.words = program.spirv().to_vec();
        return Ok(answer);
    };
    let shader = compiler.shaders(&object)?.write(language, &Overrides::new())?;
    if prints(&shader.interface.module) {
        answer.print_head = print::head(PRINT_WORDS).to_vec();
    }
    answer.interface = serde_json::to_value(&shader.interface).ok();
    answer.text = Some(shader.text);
    Ok(answer)
}

fn prints(interface: &ModuleInterface) -> bool {
    !interface.print_formats.is_empty()
}

fn language(name: &str) -> Option<ShaderLanguage> {
    ShaderLanguage::ALL.into_iter().find(|language| language.names().0.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn ask(request: Value) -> Value {
        serde_json::from_str(&respond(&request.to_string())).expect("answers are JSON")
    }

    #[test]
    fn a_kernel_has_wgsl_and_an_interface() {
        let source = "kernel void f(write_only image2d_t to) { write_imagef(to, (int2)(0), (float4)(1)); }";
        let answer = ask(json!({"ask": "compile", "language": "wgsl", "source": source}));
        assert_eq!(answer["messages"], json!([]));
        assert!(
            answer["text"].as_str().expect("it is a text").contains("texture_storage_2d<rgba8unorm,write>")
        );
        let bound = &answer["interface"]["entry_points"][0]["bindings"][0];
        assert_eq!(bound["resource"], json!({"storage-texture": {"format": "rgba8unorm"}}));
        let formats = json!({"to": "r32float"});
        let answer = ask(json!({"ask": "compile", "language": "wgsl", "source": source, "formats": formats}));
        assert!(
            answer["text"].as_str().expect("it is a text").contains("texture_storage_2d<r32float,write>")
        );
        let formats = json!({"to": "r32uint"});
        let answer = ask(json!({"ask": "compile", "language": "wgsl", "source": source, "formats": formats}));
        assert_eq!(
            answer["messages"][0]["text"],
            "the kernel `f` writes floating-point numbers to the image `to`, and r32uint has unsigned integers"
        );
    }

    #[test]
    fn an_error_has_its_place() {
        let answer =
            ask(json!({"ask": "compile", "language": "wgsl", "source": "kernel void f() {\n  x = 1;\n}"}));
        let message = &answer["messages"][0];
        assert_eq!((&message["severity"], &message["place"]["line"]), (&json!("error"), &json!(2)));
        assert_eq!(message["place"]["column"], 3);
        assert_eq!(answer.get("text"), None);
    }

    #[test]
    fn spirv_is_for_a_device() {
        let request = json!({
            "ask": "compile", "language": "spirv", "profile": "vulkan-1.1",
            "source": "kernel void f(global int *a) { *a = 1; }",
        });
        let answer = ask(request);
        assert_eq!(answer["words"][0], 0x0723_0203);
        assert!(answer["text"].as_str().expect("it is a text").contains("OpEntryPoint GLCompute"));
    }

    #[test]
    fn wrong_requests_are_told() {
        for request in ["", "{}", "{\"ask\":\"compile\"}", "[1]"] {
            let answer: Value = serde_json::from_str(&respond(request)).expect("answers are JSON");
            assert_eq!(answer["messages"][0]["severity"], "error", "{request}");
        }
    }
}
