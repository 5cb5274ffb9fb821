//! Tables for terminals: columns as wide as their widest cell, which wrap where the terminal is too narrow.

use crate::wrap::wrapped;

/// Columns between two cells.
const GAP: usize = 2;

/// A column is not made narrower than this, nor than its heading.
const NARROWEST: usize = 10;

/// The lines of a table with a heading, for a terminal of this many columns. The heading is bold.
pub fn table<const N: usize>(heading: [&str; N], rows: &[[String; N]], width: usize) -> Vec<String> {
    let natural: [usize; N] = std::array::from_fn(|column| {
        let cells = rows.iter().map(|row| columns_of(&row[column]));
        cells.chain([columns_of(heading[column])]).max().unwrap_or(0)
    });
    let least: [usize; N] = std::array::from_fn(|column| columns_of(heading[column]).max(NARROWEST));
    let widths = fitted(natural, least, width);
    let heading = line(&heading.map(str::to_owned), &widths);
    let heading = heading.into_iter().map(|line| format!("\u{1b}[1m{line}\u{1b}[0m"));
    heading.chain(rows.iter().flat_map(|row| line(row, &widths))).collect()
}

/// Takes columns from the widest cells until the table fits, if it can.
fn fitted<const N: usize>(mut widths: [usize; N], least: [usize; N], width: usize) -> [usize; N] {
    while widths.iter().sum::<usize>() + GAP * N.saturating_sub(1) > width {
        let shrinkable = (0..N).filter(|&column| widths[column] > least[column]);
        let Some(widest) = shrinkable.max_by_key(|&column| widths[column]) else { break };
        widths[widest] -= 1;
    }
    widths
}

/// A row, in as many lines as its tallest cell.
fn line<const N: usize>(cells: &[String; N], widths: &[usize; N]) -> Vec<String> {
    let cells: Vec<Vec<String>> = cells
        .iter()
        .zip(widths)
        .map(|(cell, &width)| wrapped(cell, 0, width).lines().map(str::to_owned).collect())
        .collect();
    let height = cells.iter().map(Vec::len).max().unwrap_or(0);
    let part = |cell: &Vec<String>, number: usize, width: usize| {
        let text = cell.get(number).map_or("", String::as_str);
        format!("{text:<width$}")
    };
    let rows = (0..height).map(|number| {
        let parts: Vec<String> =
            cells.iter().zip(widths).map(|(cell, &width)| part(cell, number, width)).collect();
        parts.join(&" ".repeat(GAP)).trim_end().to_owned()
    });
    rows.collect()
}

fn columns_of(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(width: usize) -> Vec<String> {
        let row = |name: &str, driver: &str| [name.to_owned(), driver.to_owned()];
        let rows = [row("llvmpipe (LLVM 15.0.6)", "Mesa 22.3.6"), row("x", "y")];
        let lines = table(["NAME", "DRIVER"], &rows, width);
        lines.iter().map(|line| anstream::adapter::strip_str(line).to_string()).collect()
    }

    #[test]
    fn columns_are_aligned_and_wrap_where_it_is_narrow() {
        let wide = [
            "NAME                    DRIVER",
            "llvmpipe (LLVM 15.0.6)  Mesa 22.3.6",
            "x                       y",
        ];
        assert_eq!(plain(80), wide);
        assert_eq!(plain(usize::MAX), wide);
        let narrow =
            ["NAME            DRIVER", "llvmpipe (LLVM  Mesa 22.3.6", "15.0.6)", "x               y"];
        assert_eq!(plain(27), narrow);
        assert!(plain(1).iter().all(|line| line.len() <= 22));
    }
}
