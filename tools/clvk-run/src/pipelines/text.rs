//! What drivers made of kernels, for people: a table for each device.

use super::row::{Cost, Outcome, Row};
use crate::wrap::wrapped;

/// Columns of the longest name of a kernel that stands in one line with its numbers.
const LONGEST_NAME: usize = 30;

/// Columns before the names, and of the time with the space before it.
const INDENT: usize = 2;
const TIME: usize = 11;

/// A column of numbers.
struct Column {
    heading: &'static str,
    /// Where the terminal is narrow, the column of the highest rank is left out first.
    rank: u8,
    cell: fn(&Row) -> Option<u64>,
    /// For the legend.
    meaning: &'static str,
}

/// In the order of the table.
const COLUMNS: &[Column] = &[
    Column { heading: "REGS", rank: 1, cell: |row| row.cost.registers, meaning: "registers of a work-item" },
    Column {
        heading: "SHARED",
        rank: 6,
        cell: |row| row.cost.shared_registers,
        meaning: "registers that a sub-group shares",
    },
    Column {
        heading: "SPILLS",
        rank: 2,
        cell: |row| row.cost.spills,
        meaning: "registers that went to memory because there were too few",
    },
    Column { heading: "INSTR", rank: 0, cell: |row| row.cost.instructions, meaning: "instructions" },
    Column { heading: "CODE", rank: 5, cell: |row| row.cost.code_size, meaning: "bytes of machine code" },
    Column {
        heading: "SCRATCH",
        rank: 3,
        cell: |row| row.cost.scratch,
        meaning: "bytes of memory of a work-item, for spills and private arrays",
    },
    Column {
        heading: "LOCAL",
        rank: 8,
        cell: |row| row.cost.local_memory,
        meaning: "bytes of local memory of a work-group",
    },
    Column {
        heading: "WAVES",
        rank: 7,
        cell: |row| row.cost.sub_groups_in_flight,
        meaning: "sub-groups that a core holds at a time",
    },
    Column {
        heading: "CYCLES",
        rank: 4,
        cell: |row| row.cost.cycles,
        meaning: "cycles, as the driver estimates them",
    },
];

/// Everything, for a terminal of this many columns.
pub fn report(rows: &[Row], stats: bool, width: usize) -> String {
    let mut lines = Vec::new();
    let same_device =
        |a: &Row, b: &Row| (&a.device, &a.driver, &a.profile) == (&b.device, &b.driver, &b.profile);
    for rows in rows.chunk_by(same_device) {
        lines.push(title(&rows[0]));
        lines.extend(device(rows, stats, width));
        lines.push(String::new());
    }
    if stats {
        let used = COLUMNS.iter().filter(|column| rows.iter().any(|row| (column.cell)(row).is_some()));
        let legend: Vec<String> =
            used.map(|column| format!("{}: {}", column.heading, column.meaning)).collect();
        if !legend.is_empty() {
            let legend = format!("{}; `--json` has everything", legend.join("; "));
            lines.push(wrapped(&legend, 0, width));
        }
    }
    lines.push(summary(rows));
    lines.join("\n")
}

fn title(row: &Row) -> String {
    let driver = if row.driver.is_empty() { String::new() } else { format!(", {}", row.driver) };
    let profile = row.profile.as_ref().map_or(String::new(), |name| format!(", compiled for {name}"));
    format!("\u{1b}[1m{}\u{1b}[0m{driver}{profile}", row.device)
}

/// The columns that a driver fills, as many as there is room for beside the names; the first ones remain.
struct Shape {
    columns: Vec<(&'static Column, usize)>,
    /// Columns of the kernels' names.
    name: usize,
}

impl Shape {
    fn new(rows: &[Row], stats: bool, width: usize) -> Self {
        let filled =
            COLUMNS.iter().filter(|column| stats && rows.iter().any(|row| (column.cell)(row).is_some()));
        let with_width = |column: &'static Column| {
            let cells = rows.iter().filter_map(column.cell).map(|value| value.to_string().len());
            (column, cells.chain([column.heading.len()]).max().unwrap_or(0))
        };
        let names = rows.iter().map(|row| name(row).chars().count()).filter(|&length| length <= LONGEST_NAME);
        let name = names.chain(["KERNEL".len()]).max().unwrap_or(0);
        let mut columns: Vec<_> = filled.map(with_width).collect();
        while INDENT + name + TIME + columns.iter().map(|(_, width)| 2 + width).sum::<usize>() > width
            && let Some(least) = (0..columns.len()).max_by_key(|&index| columns[index].0.rank)
        {
            columns.remove(least);
        }
        Shape { columns, name }
    }

    fn heading(&self) -> String {
        let cells = self.columns.iter().map(|(column, width)| format!("  {:>width$}", column.heading));
        let name = self.name;
        format!("  \u{1b}[1m{:<name$}  {:>9}{}\u{1b}[0m", "KERNEL", "TIME", cells.collect::<String>())
    }

    /// A kernel's lines.
    fn lines(&self, row: &Row, width: usize) -> Vec<String> {
        let mut lines = Vec::new();
        let (columns, mut title) = (self.name, name(row));
        if title.chars().count() > columns {
            lines.push(format!("  {title}"));
            title = "";
        }
        if row.outcome == Outcome::Compiled {
            let cells = self.columns.iter().map(|(column, width)| {
                let cell = (column.cell)(row).map_or_else(|| "-".to_owned(), |value| value.to_string());
                format!("  {cell:>width$}")
            });
            let time = duration(row.seconds);
            lines.push(format!("  {title:<columns$}  {time:>9}{}", cells.collect::<String>()));
        } else {
            let outcome = row.outcome.word();
            lines.push(format!("  {title:<columns$}  \u{1b}[31m{outcome:>9}\u{1b}[0m"));
            lines.extend(row.reasons.iter().map(|reason| wrapped(reason, 6, width)));
        }
        lines
    }
}

fn device(rows: &[Row], stats: bool, width: usize) -> Vec<String> {
    let shape = Shape::new(rows, stats, width);
    let several_files = rows.iter().any(|row| row.file != rows[0].file);
    let mut lines = vec![shape.heading()];
    for rows in rows.chunk_by(|a, b| a.file == b.file) {
        if several_files {
            lines.push(format!("  {}:", rows[0].file));
        }
        lines.extend(rows.iter().flat_map(|row| shape.lines(row, width)));
    }
    let compiled = rows.iter().any(|row| row.outcome == Outcome::Compiled);
    if stats && compiled && rows.iter().all(|row| row.cost == Cost::default()) {
        let text =
            "this driver says nothing about what it makes of kernels (VK_KHR_pipeline_executable_properties)";
        lines.push(wrapped(text, 2, width));
    }
    lines
}

fn name(row: &Row) -> &str {
    if row.kernel.is_empty() { "(the whole file)" } else { &row.kernel }
}

fn duration(seconds: f64) -> String {
    match seconds {
        _ if seconds < 0.01 => format!("{:.1} ms", seconds * 1e3),
        _ if seconds < 1.0 => format!("{:.0} ms", seconds * 1e3),
        _ => format!("{seconds:.1} s"),
    }
}

fn summary(rows: &[Row]) -> String {
    let all =
        [Outcome::Compiled, Outcome::Refused, Outcome::Failed, Outcome::Crashed, Outcome::TimedOut].iter();
    let counts = all.filter_map(|&outcome| {
        let count = rows.iter().filter(|row| row.outcome == outcome).count();
        (count > 0 || outcome == Outcome::Compiled).then(|| format!("{count} {}", outcome.word()))
    });
    format!("{} (kernels times devices)", counts.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(kernel: &str, outcome: Outcome, registers: Option<u64>) -> Row {
        Row {
            file: "a.cl".to_owned(),
            kernel: kernel.to_owned(),
            device: "GPU".to_owned(),
            driver: "Mesa".to_owned(),
            profile: None,
            outcome,
            reasons: Vec::new(),
            local_size: [64, 1, 1],
            seconds: 0.0042,
            cost: Cost { registers, ..Cost::default() },
            executables: Vec::new(),
        }
    }

    fn plain(rows: &[Row], stats: bool) -> String {
        anstream::adapter::strip_str(&report(rows, stats, 80)).to_string()
    }

    #[test]
    fn a_table_has_the_columns_that_the_driver_fills() {
        let mut refused = row("b", Outcome::Refused, None);
        refused.reasons.push("line 3: needs doubles".to_owned());
        let rows = [row("a", Outcome::Compiled, Some(128)), refused, row("c", Outcome::Compiled, None)];
        let expected = "\
GPU, Mesa
  KERNEL       TIME  REGS
  a          4.2 ms   128
  b         refused
      line 3: needs doubles
  c          4.2 ms     -

REGS: registers of a work-item; `--json` has everything
2 compiled, 1 refused (kernels times devices)";
        assert_eq!(plain(&rows, true), expected);
        assert!(!plain(&rows, false).contains("REGS"));
    }

    #[test]
    fn a_driver_without_statistics_is_named() {
        let text = plain(&[row("a", Outcome::Compiled, None)], true);
        assert!(text.contains("says nothing"), "{text}");
        let text = plain(&[row("a", Outcome::Failed, None)], true);
        assert!(!text.contains("says nothing"), "{text}");
    }
}
