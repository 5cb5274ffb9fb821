//! The result for continuous integration: SARIF 2.1.0, which code hosts show beside the source, and JUnit's
//! XML.

use super::text::{details, reason_text, word};
use super::verdict::{Row, Verdict};
use clvk::Place;
use quick_xml::Writer;
use quick_xml::events::BytesText;
use serde_json::{Value, json};
use std::io;

/// SARIF 2.1.0: a result for each reason, an error, and for each kernel that costs or loses something, a
/// note.
pub fn sarif(rows: &[Row]) -> String {
    let (mut results, mut rules): (Vec<Value>, Vec<String>) = (Vec::new(), Vec::new());
    for row in rows {
        for reason in &row.reasons {
            let rule = reason.needs.clone().unwrap_or_else(|| "invalid-source".to_owned());
            let kernel =
                if row.kernel.is_empty() { String::new() } else { format!("kernel `{}` ", row.kernel) };
            let device =
                if row.profile.is_empty() { String::new() } else { format!(" (on {})", row.profile) };
            let remedy = reason.remedy.as_ref().map_or(String::new(), |remedy| format!("; {remedy}"));
            let text = format!("{kernel}{}{remedy}{device}", reason.text);
            results.push(result(&rule, "error", &text, &row.file, reason.place.as_ref()));
            rules.push(rule);
        }
        if matches!(row.verdict, Verdict::RunsEmulated | Verdict::RunsLowerPrecision) {
            let rule = if row.verdict == Verdict::RunsEmulated { "emulated" } else { "lower-precision" };
            let text = format!(
                "kernel `{}` {} on {}: {}",
                row.kernel,
                word(row.verdict),
                row.profile,
                details(row).join("; ")
            );
            results.push(result(rule, "note", &text, &row.file, None));
            rules.push(rule.to_owned());
        }
    }
    rules.sort();
    rules.dedup();
    let rules: Vec<Value> = rules.iter().map(|id| json!({ "id": id })).collect();
    let driver = json!({
        "name": "clvk-run check",
        "version": env!("CARGO_PKG_VERSION"),
        "informationUri": "https://www.khronos.org/opencl/",
        "rules": rules,
    });
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{ "tool": { "driver": driver }, "columnKind": "unicodeCodePoints", "results": results }],
    });
    serde_json::to_string_pretty(&log).expect("it is plain data")
}

fn result(rule: &str, level: &str, text: &str, file: &str, place: Option<&Place>) -> Value {
    let uri = uri(place.map_or(file, |place| &place.file));
    let mut physical = json!({ "artifactLocation": { "uri": uri } });
    if let Some(place) = place {
        physical["region"] = json!({
            "startLine": place.line,
            "startColumn": place.column,
            "endLine": place.end_line,
            "endColumn": place.end_column,
        });
    }
    json!({
        "ruleId": rule,
        "level": level,
        "message": { "text": text },
        "locations": [{ "physicalLocation": physical }],
    })
}

/// A path as a relative reference of RFC 3986, which has letters, digits and few signs, all of ASCII.
fn uri(path: &str) -> String {
    let mut uri = String::new();
    for byte in path.bytes() {
        match byte {
            b'\\' if cfg!(windows) => uri.push('/'),
            b'/' | b'-' | b'.' | b'_' | b'~' => uri.push(byte.into()),
            _ if byte.is_ascii_alphanumeric() => uri.push(byte.into()),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

/// JUnit's XML: a suite for each device, a case for each kernel, which fails where it cannot run.
pub fn junit(rows: &[Row]) -> String {
    let mut devices: Vec<&str> = Vec::new();
    for row in rows {
        if !devices.contains(&row.profile.as_str()) {
            devices.push(&row.profile);
        }
    }
    let mut writer = Writer::new_with_indent(Vec::new(), b' ', 2);
    let written = writer
        .create_element("testsuites")
        .with_attribute(("name", "clvk-run check"))
        .write_inner_content(|writer| devices.iter().try_for_each(|device| suite(writer, device, rows)));
    written.expect("memory takes all that is written");
    let text = String::from_utf8(writer.into_inner()).expect("all that was written is text");
    format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{text}")
}

fn suite(writer: &mut Writer<Vec<u8>>, device: &str, rows: &[Row]) -> io::Result<()> {
    let rows: Vec<&Row> = rows.iter().filter(|row| row.profile == device).collect();
    let failures = rows.iter().filter(|row| row.verdict == Verdict::CannotRun).count();
    let name = if device.is_empty() { "all devices" } else { device };
    let (tests, failures) = (rows.len().to_string(), failures.to_string());
    writer
        .create_element("testsuite")
        .with_attributes([
            ("name", name),
            ("tests", tests.as_str()),
            ("failures", failures.as_str()),
            ("errors", "0"),
            ("skipped", "0"),
        ])
        .write_inner_content(|writer| rows.iter().try_for_each(|row| case(writer, row)))?;
    Ok(())
}

fn case(writer: &mut Writer<Vec<u8>>, row: &Row) -> io::Result<()> {
    let kernel = if row.kernel.is_empty() { "(the whole file)" } else { &row.kernel };
    let case = writer
        .create_element("testcase")
        .with_attributes([("classname", row.file.as_str()), ("name", kernel)]);
    let reasons: Vec<String> = row.reasons.iter().map(reason_text).collect();
    if row.verdict == Verdict::CannotRun {
        case.write_inner_content(|writer| {
            let first = reasons.first().map_or("", String::as_str);
            writer
                .create_element("failure")
                .with_attributes([("message", first), ("type", "cannot-run")])
                .write_text_content(BytesText::new(&reasons.join("\n")))?;
            Ok(())
        })?;
    } else if row.verdict == Verdict::Runs {
        case.write_empty()?;
    } else {
        case.write_inner_content(|writer| {
            let text = format!("{}\n{}", word(row.verdict), details(row).join("\n"));
            writer.create_element("system-out").write_text_content(BytesText::new(&text))?;
            Ok(())
        })?;
    }
    Ok(())
}
