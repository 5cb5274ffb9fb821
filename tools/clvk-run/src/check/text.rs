//! The result for people: the kernels with what is to be said of them, and a matrix of kernels and devices.

use super::verdict::{Row, Spot, Verdict};
use crate::wrap::wrapped;
use clvk::{DeviceProfile, Reason};
use std::collections::BTreeSet;
use std::path::Path;

/// Columns of the longest verdict, and the space after it.
const VERDICT: usize = 15;

/// Everything, for a terminal of this many columns.
pub fn report(rows: &[&Row], profiles: &[DeviceProfile], width: usize) -> String {
    let mut lines = Vec::new();
    let kernels = by_kernel(rows);
    for rows in &kernels {
        let name = if rows[0].kernel.is_empty() { "(the whole file)" } else { &rows[0].kernel };
        let title = bold(&format!("{}: {name}", rows[0].file));
        let groups = groups(rows);
        if let [group] = groups.as_slice()
            && group[0].verdict == Verdict::Runs
        {
            let everywhere =
                if group.len() > 1 { format!(" on all {} devices", group.len()) } else { String::new() };
            lines.push(format!("{title}  {}{everywhere}", coloured(Verdict::Runs, "runs")));
            continue;
        }
        lines.push(title);
        for group in groups {
            group_lines(&group, width, &mut lines);
        }
    }
    lines.push(String::new());
    if kernels.len() > 1 && profiles.len() > 1 {
        lines.extend(matrix(&kernels, profiles, width));
        lines.push(String::new());
    }
    lines.push(summary(rows));
    lines.join("\n")
}

/// Rows of the same kernel stand beside each other.
fn by_kernel<'r>(rows: &[&'r Row]) -> Vec<Vec<&'r Row>> {
    let same = |a: &&Row, b: &&Row| (&a.file, &a.kernel) == (&b.file, &b.kernel);
    rows.chunk_by(same).map(<[&Row]>::to_vec).collect()
}

/// Devices with the same outcome together, the best verdict first.
fn groups<'r>(rows: &[&'r Row]) -> Vec<Vec<&'r Row>> {
    let mut groups: Vec<Vec<&Row>> = Vec::new();
    for row in rows {
        let same = |other: &&Row| {
            (other.verdict, &other.emulated, &other.narrowed, &other.reasons)
                == (row.verdict, &row.emulated, &row.narrowed, &row.reasons)
        };
        match groups.iter_mut().find(|group| same(&group[0])) {
            Some(group) => group.push(row),
            None => groups.push(vec![row]),
        }
    }
    groups.sort_by_key(|group| group[0].verdict);
    groups
}

fn group_lines(group: &[&Row], width: usize, lines: &mut Vec<String>) {
    let row = group[0];
    let devices: Vec<&str> = group.iter().map(|row| row.profile.as_str()).collect();
    let devices = devices.join(", ");
    let text = match row.verdict {
        Verdict::RunsEmulated | Verdict::RunsLowerPrecision if row.cost > 0 => {
            format!("{devices}: ~{} operations more", row.cost)
        }
        _ => devices,
    };
    let wrapped_devices = wrapped(&text, 2 + VERDICT.max(word(row.verdict).len() + 2), width);
    let verdict = coloured(row.verdict, &format!("{:<VERDICT$}", format!("{}  ", word(row.verdict))));
    lines.push(format!("  {verdict}{}", wrapped_devices.trim_start()));
    if row.verdict != Verdict::CannotRun {
        details(row).iter().for_each(|detail| lines.push(wrapped(detail, 6, width)));
    }
    lines.extend(row.reasons.iter().map(|reason| wrapped(&reason_text(reason), 6, width)));
}

/// What costs or loses something, with its lines.
pub fn details(row: &Row) -> Vec<String> {
    const MOST_LINES: usize = 6;
    let mut details = Vec::new();
    let emulated = row.emulated.iter().map(|item| (item.what, &item.places));
    let narrowed = (!row.narrowed.is_empty())
        .then_some(("constants in single instead of double precision", &row.narrowed));
    for (what, places) in emulated.chain(narrowed) {
        details.extend(places.iter().take(MOST_LINES).map(|spot| spot_text(spot, what)));
        let left_out: usize = places.iter().skip(MOST_LINES).map(|spot| spot.count).sum();
        if left_out > 0 {
            details.push(format!("and {left_out} more {what} on {} more lines", places.len() - MOST_LINES));
        }
    }
    details
}

/// `line 12: 3 64-bit integer operations by words, in 2 loops`.
fn spot_text(spot: &Spot, what: &str) -> String {
    let place = if spot.line > 0 { format!("line {}: ", spot.line) } else { String::new() };
    let loops = match spot.loops {
        0 => String::new(),
        1 => ", each time around a loop".to_owned(),
        depth => format!(", each time around {depth} nested loops"),
    };
    format!("{place}{} {what}{loops}", spot.count)
}

/// `line 3: computes in double precision; compute in float`.
pub fn reason_text(reason: &Reason) -> String {
    let place = reason.place.as_ref().map_or(String::new(), |place| format!("line {}: ", place.line));
    let remedy = reason.remedy.as_ref().map_or(String::new(), |remedy| format!("; {remedy}"));
    format!("{place}{}{remedy}", reason.text)
}

/// The verdict in words.
pub fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Runs => "runs",
        Verdict::RunsEmulated => "runs emulated",
        Verdict::RunsLowerPrecision => "runs, with lower precision",
        Verdict::CannotRun => "cannot run",
    }
}

fn sign(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Runs => "+",
        Verdict::RunsEmulated => "~",
        Verdict::RunsLowerPrecision => "-",
        Verdict::CannotRun => "x",
    }
}

fn coloured(verdict: Verdict, text: &str) -> String {
    let colour = match verdict {
        Verdict::Runs => 32,
        Verdict::RunsEmulated | Verdict::RunsLowerPrecision => 33,
        Verdict::CannotRun => 31,
    };
    format!("\u{1b}[{colour}m{text}\u{1b}[0m")
}

fn bold(text: &str) -> String {
    format!("\u{1b}[1m{text}\u{1b}[0m")
}

/// Kernels by devices, which are numbered; in several parts where they do not fit beside each other.
fn matrix(kernels: &[Vec<&Row>], profiles: &[DeviceProfile], width: usize) -> Vec<String> {
    const LONGEST_NAME: usize = 40;
    let several_files = kernels.iter().any(|rows| rows[0].file != kernels[0][0].file);
    // Folders only where they tell files apart.
    let file_name =
        |row: &'_ Row| Path::new(&row.file).file_name().map(|name| name.to_string_lossy().into_owned());
    let paths: BTreeSet<&str> = kernels.iter().map(|rows| rows[0].file.as_str()).collect();
    let names: BTreeSet<_> = kernels.iter().map(|rows| file_name(rows[0])).collect();
    let clashes = names.len() < paths.len();
    let name = |row: &Row| {
        let kernel = if row.kernel.is_empty() { "(the whole file)" } else { &row.kernel };
        let file = file_name(row).filter(|_| !clashes).unwrap_or_else(|| row.file.clone());
        let full = if several_files { format!("{file}: {kernel}") } else { kernel.to_owned() };
        let excess = full.chars().count().saturating_sub(LONGEST_NAME);
        if excess == 0 { full } else { format!("…{}", full.chars().skip(excess + 1).collect::<String>()) }
    };
    let name_width = kernels.iter().map(|rows| name(rows[0]).chars().count()).max().unwrap_or(0);
    let column = profiles.len().to_string().len() + 1;
    let fitting = (width.saturating_sub(name_width + 1) / column).max(1);
    let mut lines = Vec::new();
    let numbered: Vec<(usize, &DeviceProfile)> = profiles.iter().enumerate().collect();
    for part in numbered.chunks(fitting) {
        let head: String = part.iter().map(|(index, _)| format!("{:>column$}", index + 1)).collect();
        lines.push(format!("{:name_width$}{head}", ""));
        for rows in kernels {
            let cells: String = part.iter().map(|(_, profile)| cell(rows, &profile.name, column)).collect();
            lines.push(format!("{:<name_width$}{cells}", name(rows[0])));
        }
        lines.push(String::new());
    }
    let devices: Vec<String> =
        numbered.iter().map(|(index, profile)| format!("{}\u{a0}{}", index + 1, profile.name)).collect();
    lines.push(wrapped(&devices.join(", "), 0, width).replace('\u{a0}', " "));
    lines.push("+ runs, ~ runs emulated, - runs with lower precision, x cannot run".to_owned());
    lines
}

fn cell(rows: &[&Row], profile: &str, column: usize) -> String {
    let verdict = rows.iter().find(|row| row.profile == profile).map(|row| row.verdict);
    match verdict {
        Some(verdict) => coloured(verdict, &format!("{:>column$}", sign(verdict))),
        None => format!("{:>column$}", ""),
    }
}

fn summary(rows: &[&Row]) -> String {
    let count = |verdict| rows.iter().filter(|row| row.verdict == verdict).count();
    let (runs, emulated, cannot) =
        (count(Verdict::Runs), count(Verdict::RunsEmulated), count(Verdict::CannotRun));
    let narrowed = match count(Verdict::RunsLowerPrecision) {
        0 => String::new(),
        narrowed => format!("{narrowed} run with lower precision, "),
    };
    format!("{runs} run, {emulated} run emulated, {narrowed}{cannot} cannot run (kernels times devices)")
}
