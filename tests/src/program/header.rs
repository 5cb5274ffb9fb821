//! The `//!` lines of a program.

use super::values::{append, scalar_type, size};
use super::{FromSpirv, Program, computed, expected_reports};
use crate::case::{
    Argument, Case, Forbids, Launch, Output, Resource, ResourceId, ResourceKind, Tolerance, UNWRITTEN,
};
use clvk_interface::{Feature, Preference, Quirk, ScalarType};

/// Reads the header of a program's text.
pub fn parse(text: &str) -> Result<Program, String> {
    let mut program = Program { text: text.to_owned(), ..Program::default() };
    for (number, line) in text.lines().enumerate() {
        let Some(line) = line.strip_prefix("//!").or(line.strip_prefix(";!")) else { continue };
        directive(&mut program, line.trim()).map_err(|error| format!("line {}: {error}", number + 1))?;
    }
    finish(&program)?;
    Ok(program)
}

fn finish(program: &Program) -> Result<(), String> {
    if program.refused.is_some() {
        return Ok(());
    }
    let expects = !program.case.outputs.is_empty() || !expected_reports(&program.text)?.is_empty();
    if program.case.launches.is_empty() || !expects {
        return Err("it launches or expects nothing".to_owned());
    }
    for output in &program.case.outputs {
        let resource = &program.case.resources[output.resource.0];
        let (expected, size) = (output.expected.len(), resource.data.len());
        if expected != size {
            return Err(format!("`{}` has {size} bytes, and {expected} are expected", resource.name));
        }
    }
    Ok(())
}

fn directive(program: &mut Program, line: &str) -> Result<(), String> {
    let (key, rest) = line.split_once(':').ok_or("a `:` is missing")?;
    let rest = rest.trim();
    match key.split_whitespace().collect::<Vec<_>>()[..] {
        ["options"] => program.case.options.extend(rest.split_whitespace().map(str::to_owned)),
        ["needs"] => {
            for name in rest.split_whitespace() {
                let feature =
                    Feature::from_name(name).ok_or_else(|| format!("no feature is called `{name}`"))?;
                program.needs.push(feature);
            }
        }
        ["quirk"] => {
            let quirk = Quirk::from_name(rest).ok_or_else(|| format!("no quirk is called `{rest}`"))?;
            program.quirks.push(quirk);
        }
        ["prefers"] => {
            let preference = Preference::from_name(rest);
            let preference = preference.ok_or_else(|| format!("no preference is called `{rest}`"))?;
            program.preferences.push(preference);
        }
        ["prints"] => program.prints.push(rest.to_owned()),
        ["spirv", "refused"] => program.spirv = Some(FromSpirv::Refused(rest.to_owned())),
        ["spirv", "differs"] => program.spirv = Some(FromSpirv::Differs(rest.to_owned())),
        ["refused"] => program.refused = Some(rest.to_owned()),
        ["buffer", name] => buffer(&mut program.case, name, rest)?,
        ["buffer", name, access] => {
            buffer(&mut program.case, name, rest)?;
            let id = resource(&program.case, name)?;
            let forbids = match access {
                "read-only" => Forbids::Writes,
                "write-only" => Forbids::Reads,
                "undefined" => Forbids::EarlyReads,
                _ => {
                    return Err(format!("`{access}` is not `read-only`, `write-only` or `undefined`"));
                }
            };
            program.case.resources[id.0].forbids = Some(forbids);
        }
        ["launch"] => launch(&mut program.case, rest)?,
        ["expect", name] => expect(&mut program.case, name, rest)?,
        ["tolerance", name] => tolerance(&mut program.case, name, rest)?,
        _ => return Err(format!("`{key}` is not known")),
    }
    Ok(())
}

fn find(case: &Case, name: &str) -> Option<ResourceId> {
    case.resources.iter().position(|resource| resource.name == name).map(ResourceId)
}

fn resource(case: &Case, name: &str) -> Result<ResourceId, String> {
    find(case, name).ok_or_else(|| format!("no buffer is called `{name}`"))
}

fn buffer(case: &mut Case, name: &str, rest: &str) -> Result<(), String> {
    let (types, contents) = match rest.split_once('=') {
        Some((types, contents)) => (types.trim(), Some(contents)),
        None => {
            let (types, _) = rest.rsplit_once(' ').ok_or("neither a count nor contents")?;
            (types, None)
        }
    };
    let record = types.split_whitespace().map(scalar_type).collect::<Result<Vec<ScalarType>, _>>()?;
    if record.is_empty() {
        return Err("a type is missing".to_owned());
    }
    let Some(contents) = contents else {
        let count = rest.rsplit(' ').next().unwrap_or_default();
        let count: usize = count.parse().map_err(|_| format!("`{count}` is not a count"))?;
        let bytes: usize = record.iter().cycle().take(count).map(|&ty| size(ty)).sum();
        case.add(name, ResourceKind::Buffer { record }, vec![UNWRITTEN; bytes]);
        return Ok(());
    };
    let id = match find(case, name) {
        Some(id) => id,
        None => case.add(name, ResourceKind::Buffer { record: record.clone() }, Vec::new()),
    };
    let resource: &mut Resource = &mut case.resources[id.0];
    if resource.record() != record {
        return Err(format!("`{name}` had another type before"));
    }
    append(&mut resource.data, &record, contents)
}

fn expect(case: &mut Case, name: &str, rest: &str) -> Result<(), String> {
    let id = resource(case, name)?;
    let record = case.resources[id.0].record().to_vec();
    let words = match rest.strip_prefix("computed ") {
        Some(function) => computed::words(function.trim())?,
        None => rest.to_owned(),
    };
    let output = match case.outputs.iter_mut().position(|output| output.resource == id) {
        Some(position) => &mut case.outputs[position],
        None => {
            case.outputs.push(Output {
                resource: id,
                expected: Vec::new(),
                tolerance: Tolerance::Exact,
                reason: "the language leaves no choice".to_owned(),
                picture: None,
            });
            case.outputs.last_mut().expect("it was pushed")
        }
    };
    append(&mut output.expected, &record, &words)
}

fn tolerance(case: &mut Case, name: &str, rest: &str) -> Result<(), String> {
    let id = resource(case, name)?;
    let (numbers, reason) = rest.split_once(" because ").ok_or("`because REASON` is missing")?;
    let number = |text: &str| text.parse::<f64>().map_err(|_| format!("`{text}` is not a number"));
    let tolerance = match numbers.split_whitespace().collect::<Vec<_>>()[..] {
        ["absolute", absolute, "relative", relative] => {
            Tolerance::Float { absolute: number(absolute)?, relative: number(relative)? }
        }
        _ => return Err("a tolerance is `absolute NUMBER relative NUMBER because REASON`".to_owned()),
    };
    let output = case.outputs.iter_mut().find(|output| output.resource == id);
    let output = output.ok_or_else(|| format!("nothing is expected of `{name}` so far"))?;
    output.tolerance = tolerance;
    output.reason = reason.to_owned();
    Ok(())
}

fn launch(case: &mut Case, rest: &str) -> Result<(), String> {
    let (kernel, rest) = rest.split_once('(').ok_or("`(` is missing")?;
    let (arguments, sizes) = rest.rsplit_once(')').ok_or("`)` is missing")?;
    let arguments = arguments
        .split(',')
        .map(str::trim)
        .filter(|argument| !argument.is_empty())
        .map(|text| argument(case, text))
        .collect::<Result<_, _>>()?;
    let (global, local) = match sizes.split_whitespace().collect::<Vec<_>>()[..] {
        ["global", global] => (extents(global)?, extents(global)?),
        ["global", global, "local", local] => (extents(global)?, extents(local)?),
        _ => return Err("sizes are `global N` or `global N local N`".to_owned()),
    };
    if global.len() != local.len() {
        return Err("the local size has other dimensions than the global size".to_owned());
    }
    let kernel = kernel.trim().to_owned();
    case.launches.push(Launch { kernel, global, local, offset: Vec::new(), arguments });
    Ok(())
}

fn extents(text: &str) -> Result<Vec<usize>, String> {
    let extents = text.split('x').map(str::parse).collect::<Result<Vec<usize>, _>>();
    match extents {
        Ok(extents) if (1..=3).contains(&extents.len()) && !extents.contains(&0) => Ok(extents),
        _ => Err(format!("`{text}` is not a size")),
    }
}

fn argument(case: &Case, text: &str) -> Result<Argument, String> {
    if let Some(id) = find(case, text) {
        return Ok(Argument::Resource(id));
    }
    if text == "null" {
        return Ok(Argument::Null);
    }
    if let Some(bytes) = text.strip_prefix("local ") {
        return bytes.trim().parse().map(Argument::Local).map_err(|_| format!("`{bytes}` is not a size"));
    }
    let mut bytes = Vec::new();
    for part in text.split(" + ") {
        let (name, values) =
            part.trim().split_once(' ').ok_or_else(|| format!("no buffer is called `{text}`"))?;
        let ty = scalar_type(name.trim_end_matches(|it: char| it.is_ascii_digit()))?;
        append(&mut bytes, &[ty], values)?;
    }
    Ok(Argument::Value(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_says_memory_launches_and_results() {
        let program = parse(
            "//! needs: cl_khr_fp64\n//! options: -DN=1 -w\n//! buffer out: int 4\n//! buffer in: float = 1 2\n\
             //! buffer in: float = 3\n//! launch: k(out, in, int2 1 2 + char 3, local 16) global 4x2 local 2x1\n\
             //! expect out: 1 2\n//! expect out: 2*7\nkernel void k() {}\n//! no header line: this begins a line too\n"
                .replace("//! no header", "// no header")
                .as_str(),
        )
        .unwrap();
        assert_eq!(program.needs, [Feature::Fp64]);
        assert_eq!(program.case.options, ["-DN=1", "-w"]);
        assert_eq!(program.case.resources[1].data, [1.0f32, 2.0, 3.0].map(f32::to_le_bytes).concat());
        let launch = &program.case.launches[0];
        assert_eq!((&launch.global[..], &launch.local[..]), (&[4, 2][..], &[2, 1][..]));
        assert!(
            matches!(&launch.arguments[2], Argument::Value(bytes) if bytes == &[1, 0, 0, 0, 2, 0, 0, 0, 3])
        );
        assert!(matches!(launch.arguments[3], Argument::Local(16)));
        assert_eq!(program.case.outputs[0].expected, [1, 2, 7, 7].map(i32::to_le_bytes).concat());
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        let good = "//! buffer out: int 1\n//! launch: k(out) global 1\n";
        for (line, message) in [
            ("//! expect out: 1 2", "`out` has 4 bytes, and 8 are expected"),
            ("//! expect in: 1", "line 3: no buffer is called `in`"),
            ("//! expect out: computed nothing", "line 3: no function `nothing` in program/computed.rs"),
            ("//! expects out: 1", "line 3: `expects out` is not known"),
            (
                "//! launch: k(out) global 4x2 local 3",
                "line 3: the local size has other dimensions than the global size",
            ),
            ("//! launch: k(put) global 4", "line 3: no buffer is called `put`"),
            ("//! needs: cl_khr_nothing", "line 3: no feature is called `cl_khr_nothing`"),
            ("", "it launches or expects nothing"),
        ] {
            assert_eq!(parse(&format!("{good}{line}\n")).unwrap_err(), message);
        }
    }
}
