//! The report as one page that needs nothing else.

use super::Report;
use super::counters::Counter;
use super::lines::{File, Line};
use super::roofline::short;
use super::svg::escaped;
use crate::timing::human;
use std::fmt::Write;

const STYLE: &str = "\
body{font:15px/1.5 system-ui,sans-serif;margin:2em auto;max-width:70em;padding:0 1em;color:#222;background:#fff}\
h1{font-size:1.4em}h2{font-size:1.1em;margin-top:2em}\
table{border-collapse:collapse}td,th{padding:.1em .8em .1em 0;text-align:left;vertical-align:top}\
.limit{background:#eef4fa;border-left:4px solid #2471a3;padding:.6em 1em}\
.bars{display:flex;align-items:flex-end;height:60px;gap:2px}.bars i{background:#2471a3;width:14px;min-height:1px}\
.source{font:13px/1.45 ui-monospace,monospace;width:100%}.source td{padding:0 .8em 0 0;white-space:pre}\
.source .n{text-align:right;color:#777}.remark{color:#b9560e;white-space:normal!important}\
svg{max-width:100%;height:auto}";

/// The page.
pub fn page(report: &Report, svg: &str) -> String {
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\"><title>Profile</title>\
         <style>{STYLE}</style></head><body>\n<h1>Profile on {}</h1>\n",
        escaped(&report.device)
    );
    for kernel in &report.kernels {
        let _ = writeln!(page, "<h2>{}</h2>", escaped(&kernel.title()));
        if let Some(limit) = &kernel.limit {
            let _ = writeln!(page, "<p class=\"limit\">Limited by {}.</p>", escaped(limit));
        }
        page.push_str("<table>");
        for (name, value) in kernel.facts() {
            let _ = writeln!(page, "<tr><th>{name}</th><td>{}</td></tr>", escaped(&value));
        }
        page.push_str("</table>\n");
        if let Some(times) = &kernel.device {
            let most = times.histogram.iter().copied().max().unwrap_or(0).max(1);
            page.push_str("<div class=\"bars\">");
            for count in &times.histogram {
                let _ = write!(page, "<i style=\"height:{}%\" title=\"{count}\"></i>", count * 100 / most);
            }
            let _ = writeln!(page, "</div><p>{} to {}</p>", human(times.min_ns), human(times.slow_ns));
        }
        counters(&mut page, &kernel.counters);
    }
    if let Some(problem) = &report.counters_problem {
        let _ = writeln!(page, "<p>{}</p>", escaped(problem));
    }
    let _ = writeln!(page, "<h2>Roofline</h2>\n{svg}");
    for kernel in &report.kernels {
        for file in &kernel.files {
            source(&mut page, &kernel.kernel, file);
        }
    }
    page.push_str("</body></html>\n");
    page
}

/// The device's counters of a launch.
fn counters(page: &mut String, counters: &[Counter]) {
    if counters.is_empty() {
        return;
    }
    page.push_str("<h3>The device's counters</h3>\n<table>");
    for counter in counters {
        let _ = writeln!(
            page,
            "<tr><td>{}</td><th>{}</th><td class=\"n\">{}</td><td>{}</td></tr>",
            escaped(&counter.category),
            escaped(&counter.name),
            escaped(&counter.shown()),
            escaped(&counter.description)
        );
    }
    page.push_str("</table>\n");
}

fn source(page: &mut String, kernel: &str, file: &File) {
    let _ = writeln!(
        page,
        "<h2>Lines of {} in {}</h2>\n<table class=\"source\"><tr><th>runs</th><th>cost</th><th>active</th>\
         <th></th><th>source</th><th></th></tr>",
        escaped(kernel),
        escaped(&file.name)
    );
    for (number, line) in file.lines.iter().enumerate() {
        let Line { runs, share, active, text, accesses, .. } = line;
        let runs = runs.map_or(String::new(), |runs| short(runs as f64));
        let cost = if *share >= 0.005 { format!("{:.0}%", share * 100.0) } else { String::new() };
        let active = active.map_or(String::new(), |active| format!("{:.0}%", active * 100.0));
        let details: Vec<String> = accesses
            .iter()
            .map(|access| {
                let parts = access.parts.map_or(String::new(), |parts| format!(", {parts:.1} at a time"));
                format!("{}: {}B{parts}", access.text, short(access.bytes as f64))
            })
            .collect();
        let _ = writeln!(
            page,
            "<tr style=\"background:rgba(192,57,43,{:.3})\" title=\"{}\"><td class=\"n\">{runs}</td>\
             <td class=\"n\">{cost}</td><td class=\"n\">{active}</td><td class=\"n\">{}</td><td>{}</td>\
             <td class=\"remark\">{}</td></tr>",
            (share * 0.7).min(0.5),
            escaped(&details.join("\n")),
            number + 1,
            escaped(text),
            escaped(&line.remark())
        );
    }
    page.push_str("</table>\n");
}
