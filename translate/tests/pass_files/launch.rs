//! Launches that a case describes in one line: the inputs and the expected outputs.
//!
//! ```text
//! ; run: global=4 local=2 in=i32[1,-2,3,4] n=f32[0.5] tile=local[16] gone=null -> in=i32[1,-2,3,9]
//! ```
//!
//! `global` and `local` are numbers of work-items in one dimension (1 if not given). Every parameter of the
//! kernel is given: a buffer or a value by its elements, local memory by its size in bytes. A kernel without
//! parameters has `push=…` for its push constants, and its buffers under the names of its variables. The
//! arrow is followed by the buffers whose contents are known; `nan` is any NaN there.
//!
//! Each launch is executed twice, with another order of the work-items and with other contents of
//! uninitialised memory.

use crate::machine::{self, Argument, Launch, Raw, Settings};
use clvk_interface::{DeviceProfile, ModuleInterface, Quirk};
use clvk_ir::{Function, KernelParamKind, Module, VariableSpace};
use half::f16;

/// Elements of a type: `i32[1,-2]`.
struct Elements<'t> {
    ty: &'t str,
    list: Vec<&'t str>,
}

impl<'t> Elements<'t> {
    fn parse(text: &'t str) -> Result<Elements<'t>, String> {
        let inner = text.strip_suffix(']').and_then(|text| text.split_once('['));
        let (ty, list) = inner.ok_or_else(|| format!("`{text}` is not TYPE[ELEMENTS]"))?;
        Ok(Elements { ty, list: list.split(',').collect() })
    }

    /// Size of an element in bytes.
    fn size(&self) -> usize {
        match self.ty {
            "i8" => 1,
            "i16" | "f16" => 2,
            "i64" | "f64" => 8,
            _ => 4,
        }
    }

    fn element(&self, text: &str) -> Result<Vec<u8>, String> {
        let wrong = || format!("`{text}` is not of type {}", self.ty);
        let float = || text.parse::<f64>().map_err(|_| wrong());
        let bits = match (self.ty, text.strip_prefix("0x")) {
            (_, Some(digits)) => u64::from_str_radix(digits, 16).map_err(|_| wrong())?,
            ("f16", _) => u64::from(f16::from_f64(float()?).to_bits()),
            ("f32", _) => u64::from((float()? as f32).to_bits()),
            ("f64", _) => float()?.to_bits(),
            ("i8" | "i16" | "i32" | "i64", _) => text.parse::<i128>().map_err(|_| wrong())? as u64,
            _ => return Err(wrong()),
        };
        Ok(bits.to_le_bytes()[..self.size()].to_vec())
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        let elements: Result<Vec<Vec<u8>>, String> =
            self.list.iter().map(|text| self.element(text)).collect();
        Ok(elements?.concat())
    }

    /// Whether bytes are these elements.
    fn are(&self, bytes: &[u8]) -> Result<bool, String> {
        if bytes.len() < self.size() * self.list.len() {
            return Ok(false);
        }
        for (text, found) in self.list.iter().zip(bytes.chunks(self.size())) {
            let same = match *text {
                "nan" => is_nan(found),
                _ => self.element(text)? == found,
            };
            if !same {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

fn is_nan(bytes: &[u8]) -> bool {
    match *bytes {
        [a, b] => f16::from_le_bytes([a, b]).is_nan(),
        [a, b, c, d] => f32::from_le_bytes([a, b, c, d]).is_nan(),
        [..] => bytes.try_into().is_ok_and(|bytes| f64::from_le_bytes(bytes).is_nan()),
    }
}

/// The words of a line, as names and values.
fn pairs(text: &str) -> Result<Vec<(&str, &str)>, String> {
    let pair = |word| str::split_once(word, '=').ok_or_else(|| format!("`{word}` is not NAME=VALUE"));
    text.split_whitespace().map(pair).collect()
}

/// Runs a line: launches the only kernel of a module, which passes made from `source`, and compares.
pub fn check(
    line: &str,
    source: &Module,
    module: &Module,
    interface: Option<&ModuleInterface>,
    profile: &DeviceProfile,
    memory_lowered: bool,
) -> Result<(), String> {
    let (inputs, outputs) = line.split_once("->").ok_or("there is no `->`")?;
    let (inputs, outputs) = (pairs(inputs)?, pairs(outputs)?);
    let kernel = machine::only_kernel(module);
    let described = interface.and_then(|all| Some((all.kernels.first()?, all)));
    let function = &source.functions[machine::only_kernel(source)];
    let names = parameters(function);
    let (launch, raw) = launch(function, &inputs, &names)?;
    for (garbage, order) in [(3, 0), (1 << 40 | 17, 5)] {
        let sub_group_size = profile.sub_group_size();
        let counts_full_sub_groups = profile.has(Quirk::FullSubgroupsCounted);
        let settings = Settings { garbage, order, sub_group_size, counts_full_sub_groups, memory_lowered };
        let (found, found_names) = match &raw {
            Some((raw, names)) => (machine::run_raw(module, kernel, raw, &launch, settings)?, names.clone()),
            None => {
                let buffers = launch.arguments.iter().zip(&names);
                let buffers = buffers.filter(|(argument, _)| matches!(argument, Argument::Buffer { .. }));
                let names = buffers.map(|(_, name)| name.clone()).collect();
                (machine::run(module, kernel, described, &launch, settings)?, names)
            }
        };
        for &(name, value) in &outputs {
            let position = found_names.iter().position(|known| known == name);
            let contents = &found[position.ok_or_else(|| format!("there is no buffer `{name}`"))?];
            if !Elements::parse(value)?.are(contents)? {
                return Err(format!("`{name}` is {contents:02x?}"));
            }
        }
    }
    Ok(())
}

fn parameters(function: &Function) -> Vec<String> {
    let info = function.kernel.as_ref();
    info.map_or_else(Vec::new, |info| info.params.iter().map(|param| param.name.clone()).collect())
}

type RawLaunch = Option<(Raw, Vec<String>)>;

/// The launch that the words before the arrow describe.
fn launch(
    function: &Function,
    inputs: &[(&str, &str)],
    names: &[String],
) -> Result<(Launch, RawLaunch), String> {
    let given = |name: &str| inputs.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
    let size = |name| given(name).map_or(Ok(1), |text| text.parse().map_err(|_| format!("`{text}`?")));
    let (global, local): (u32, u32) = (size("global")?, size("local")?);
    let arguments: Result<Vec<Argument>, String> = names
        .iter()
        .map(|name| argument(function, name, given(name).ok_or_else(|| format!("`{name}` is not given"))?))
        .collect();
    let launch = Launch {
        work_dim: 1,
        global: [global, 1, 1],
        local: [local, 1, 1],
        offset: [0; 3],
        arguments: arguments?,
    };
    if !names.is_empty() {
        return Ok((launch, None));
    }
    let mut raw = Raw { push_constants: Vec::new(), buffers: Vec::new() };
    if let Some(push) = given("push") {
        // Elements of several types in sequence: `push=i32[1];f32[2]`.
        for part in push.split(';') {
            raw.push_constants.extend(Elements::parse(part)?.bytes()?);
        }
    }
    let mut buffers = Vec::new();
    for (_, variable) in function.variables.iter() {
        if let (VariableSpace::StorageBuffer { binding, .. }, Some(value)) =
            (variable.space, given(&variable.name))
        {
            raw.buffers.push((binding, Elements::parse(value)?.bytes()?));
            buffers.push(variable.name.clone());
        }
    }
    Ok((launch, Some((raw, buffers))))
}

fn argument(function: &Function, name: &str, value: &str) -> Result<Argument, String> {
    if value == "null" {
        return Ok(Argument::Null);
    }
    let elements = Elements::parse(value)?;
    if elements.ty == "local" {
        let bytes = elements.list[0].parse().map_err(|_| format!("`{value}`?"))?;
        return Ok(Argument::Local(bytes));
    }
    let mut bytes = elements.bytes()?;
    let params = function.kernel.iter().flat_map(|info| &info.params);
    match params.into_iter().find(|param| param.name == name).map(|param| &param.kind) {
        Some(KernelParamKind::Value { size, .. }) => {
            bytes.resize(*size as usize, 0);
            Ok(Argument::Value(bytes))
        }
        Some(_) => Ok(Argument::Buffer { contents: bytes, start: 0 }),
        None => Err(format!("`{name}` is not a parameter")),
    }
}
