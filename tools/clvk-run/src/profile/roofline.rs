//! The roofline: operations a second over operations a byte, below what the device can do at most. In the
//! terminal, and as a picture.

use super::peaks::Peaks;
use super::svg::{self, WIDTH, escaped};
use std::fmt::Write;

/// A kernel in the picture.
pub struct Mark {
    /// Its name.
    pub name: String,
    /// Operations for each byte of global memory.
    pub intensity: f64,
    /// Operations a second.
    pub rate: f64,
}

/// The powers of two at the edges of the picture, of intensities and rates.
struct Frame {
    x: (f64, f64),
    y: (f64, f64),
}

/// The most operations a second at an intensity.
fn roof(peaks: &Peaks, intensity: f64) -> f64 {
    (peaks.bytes * intensity).min(peaks.operations)
}

impl Frame {
    fn new(peaks: &Peaks, marks: &[Mark]) -> Frame {
        let ridge = (peaks.operations / peaks.bytes).log2();
        let (mut x, mut y) = ((ridge - 6.0, ridge + 4.0), (0.0, peaks.operations.log2() + 1.0));
        for mark in marks {
            let place = mark.intensity.log2();
            x = (x.0.min(place - 1.0), x.1.max(place + 1.0));
            y.1 = y.1.max(mark.rate.log2() + 0.5);
        }
        x = (x.0.floor().max(-20.0), x.1.ceil().min(30.0));
        y.0 = roof(peaks, x.0.exp2()).log2();
        for mark in marks {
            y.0 = y.0.min(mark.rate.max(1.0).log2() - 1.0);
        }
        Frame { x, y: (y.0.floor().max(0.0), y.1.ceil()) }
    }

    /// The place of a point, from 0 to 1 in both directions.
    fn place(&self, intensity: f64, rate: f64) -> (f64, f64) {
        let part = |value: f64, (low, high): (f64, f64)| {
            ((value.max(f64::MIN_POSITIVE).log2() - low) / (high - low)).clamp(0.0, 1.0)
        };
        (part(intensity, self.x), part(rate, self.y))
    }
}

/// A number with the prefix of its power of ten, and three digits.
pub fn short(value: f64) -> String {
    let prefixes = [(1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")];
    let (scaled, prefix) = match prefixes.iter().find(|(power, _)| value >= *power) {
        Some((power, prefix)) => (value / power, *prefix),
        None => (value, ""),
    };
    let digits = match scaled {
        scaled if scaled >= 100.0 || scaled == 0.0 => 0,
        scaled if scaled >= 10.0 => 1,
        _ => 2,
    };
    format!("{scaled:.digits$} {prefix}")
}

/// The lines of the roofline for a terminal.
pub fn text(peaks: &Peaks, marks: &[Mark], width: usize) -> Vec<String> {
    const HEIGHT: usize = 12;
    let columns = width.saturating_sub(14).clamp(20, 72);
    let frame = Frame::new(peaks, marks);
    let mut grid = vec![vec![' '; columns]; HEIGHT];
    let roofs = (0..columns).map(|column| {
        let part = (column as f64 + 0.5) / columns as f64;
        let intensity = (frame.x.0 + part * (frame.x.1 - frame.x.0)).exp2();
        let (_, y) = frame.place(intensity, roof(peaks, intensity));
        let is_flat = peaks.bytes * intensity > peaks.operations;
        (row(y, HEIGHT), if is_flat { '─' } else { '╱' })
    });
    for (column, (row, character)) in roofs.enumerate() {
        grid[row][column] = character;
    }
    for (number, mark) in marks.iter().enumerate() {
        let (x, y) = frame.place(mark.intensity, mark.rate);
        let column = ((x * columns as f64) as usize).min(columns - 1);
        grid[row(y, HEIGHT)][column] = letter(number);
    }
    let mut lines = Vec::new();
    for (position, row) in grid.iter().enumerate() {
        let label = match position {
            0 => format!("{}op/s", short(frame.y.1.exp2())),
            _ if position == HEIGHT - 1 => format!("{}op/s", short(frame.y.0.exp2())),
            _ => String::new(),
        };
        lines.push(format!("{label:>12} │{}", row.iter().collect::<String>().trim_end()));
    }
    lines.push(format!("{:>12} └{}", "", "─".repeat(columns)));
    let (left, right) = (fraction(frame.x.0.exp2()), fraction(frame.x.1.exp2()));
    let gap = columns.saturating_sub(left.chars().count() + right.chars().count() + 8);
    lines.push(format!("{:>13}{left} op/byte{}{right}", "", " ".repeat(gap)));
    for (number, mark) in marks.iter().enumerate() {
        let part = mark.rate / roof(peaks, mark.intensity);
        lines.push(format!(
            "  {} {}: {}op/s at {} op/byte, {:.0}% of the roof",
            letter(number),
            mark.name,
            short(mark.rate),
            fraction(mark.intensity),
            part * 100.0
        ));
    }
    lines
}

fn row(y: f64, height: usize) -> usize {
    (((1.0 - y) * height as f64) as usize).min(height - 1)
}

fn letter(number: usize) -> char {
    char::from(b'A' + (number % 26) as u8)
}

fn fraction(value: f64) -> String {
    match value {
        value if value >= 10.0 => format!("{value:.0}"),
        value if value >= 0.1 => format!("{value:.2}"),
        value => format!("{value:.4}"),
    }
}

const HEIGHT: f64 = 460.0;
const LEFT: f64 = 80.0;
const RIGHT: f64 = 24.0;
const TOP: f64 = 44.0;
const BOTTOM: f64 = 56.0;

/// The roofline as SVG.
pub fn svg(title: &str, peaks: &Peaks, marks: &[Mark]) -> String {
    let frame = Frame::new(peaks, marks);
    let at = |intensity: f64, rate: f64| {
        let (x, y) = frame.place(intensity, rate);
        (LEFT + x * (WIDTH - LEFT - RIGHT), HEIGHT - BOTTOM - y * (HEIGHT - TOP - BOTTOM))
    };
    let mut svg = svg::begin(HEIGHT, (LEFT, 24.0), title);
    grid(&mut svg, &frame, &at);
    let ridge = peaks.operations / peaks.bytes;
    let corners = [frame.x.0.exp2(), ridge, frame.x.1.exp2()].map(|x| at(x, roof(peaks, x)));
    let points: Vec<String> = corners.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    let _ = writeln!(
        svg,
        "<polyline points=\"{}\" fill=\"none\" stroke=\"#245\" stroke-width=\"2.5\"/>",
        points.join(" ")
    );
    let (x, y) = corners[1];
    let _ = writeln!(
        svg,
        "<text x=\"{:.1}\" y=\"{:.1}\" fill=\"#245\">{}op/s, single precision</text>",
        x + 6.0,
        y - 7.0,
        short(peaks.operations)
    );
    let (x0, y0) = corners[0];
    let angle = -(y0 - y).atan2(x - x0).to_degrees();
    let (middle_x, middle_y) = ((x0 + x) / 2.0, (y0 + y) / 2.0);
    let _ = writeln!(
        svg,
        "<text transform=\"translate({middle_x:.1} {:.1}) rotate({angle:.1})\" text-anchor=\"middle\" \
         fill=\"#245\">{}B/s, a copy</text>",
        middle_y - 8.0,
        short(peaks.bytes)
    );
    for (number, mark) in marks.iter().enumerate() {
        let ((x, y), (_, top)) =
            (at(mark.intensity, mark.rate), at(mark.intensity, roof(peaks, mark.intensity)));
        let colour = COLOURS[number % COLOURS.len()];
        let is_right = x > WIDTH * 0.7;
        let (text_x, anchor) = if is_right { (x - 9.0, "end") } else { (x + 9.0, "start") };
        let _ = writeln!(
            svg,
            "<line x1=\"{x:.1}\" y1=\"{y:.1}\" x2=\"{x:.1}\" y2=\"{top:.1}\" stroke=\"{colour}\" \
             stroke-dasharray=\"3 3\"/>\n<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"5\" fill=\"{colour}\"/>\n\
             <text x=\"{text_x:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\" fill=\"{colour}\">{}: {}op/s</text>",
            y + 16.0,
            escaped(&mark.name),
            short(mark.rate)
        );
    }
    svg.push_str("</svg>\n");
    svg
}

/// Colours of kernels.
const COLOURS: [&str; 6] = ["#c0392b", "#2471a3", "#1e8449", "#7d3c98", "#b9770e", "#566573"];

/// Lines at powers of four with their numbers, and what the axes are.
fn grid(svg: &mut String, frame: &Frame, at: &dyn Fn(f64, f64) -> (f64, f64)) {
    let powers = |(low, high): (f64, f64), most: f64| {
        let step = ((high - low) / most).ceil().max(1.0);
        (0..).map(move |number| low + f64::from(number) * step).take_while(move |power| *power <= high)
    };
    let (bottom, left) = (HEIGHT - BOTTOM, LEFT);
    for power in powers(frame.x, 8.0) {
        let (x, _) = at(power.exp2(), 1.0);
        let _ = writeln!(
            svg,
            "<line x1=\"{x:.1}\" y1=\"{TOP}\" x2=\"{x:.1}\" y2=\"{bottom}\" stroke=\"#e4e4e4\"/>\n\
             <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"#555\">{}</text>",
            bottom + 17.0,
            fraction(power.exp2())
        );
    }
    for power in powers(frame.y, 8.0) {
        let (_, y) = at(1.0, power.exp2());
        let _ = writeln!(
            svg,
            "<line x1=\"{left}\" y1=\"{y:.1}\" x2=\"{:.1}\" y2=\"{y:.1}\" stroke=\"#e4e4e4\"/>\n\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\" fill=\"#555\">{}op/s</text>",
            WIDTH - RIGHT,
            left - 6.0,
            y + 4.0,
            short(power.exp2())
        );
    }
    let _ = writeln!(
        svg,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"#222\">operations for each byte of global \
         memory</text>",
        f64::midpoint(left, WIDTH - RIGHT),
        HEIGHT - 14.0
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> (Peaks, Vec<Mark>) {
        let mark = |name: &str, intensity, rate| Mark { name: name.to_owned(), intensity, rate };
        let marks = vec![mark("a<b", 0.25, 2e9), mark("far", 1e-9, 1.0)];
        (Peaks { bytes: 1e10, operations: 1e11 }, marks)
    }

    #[test]
    fn the_roof_bends_where_bandwidth_and_arithmetic_meet() {
        let (peaks, _) = example();
        assert_eq!([1.0, 10.0, 100.0].map(|intensity| roof(&peaks, intensity)), [1e10, 1e11, 1e11]);
    }

    #[test]
    fn pictures_hold_all_kernels_within_their_frame() {
        let (peaks, marks) = example();
        let svg = svg("t & u", &peaks, &marks);
        assert!(svg.contains("a&lt;b: 2.00 Gop/s") && svg.contains("t &amp; u"));
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
        let lines = text(&peaks, &marks, 80);
        assert!(lines.iter().any(|line| line.contains('A')) && lines.iter().any(|line| line.contains('╱')));
        assert!(lines.iter().any(|line| line.contains("A a<b: 2.00 Gop/s at 0.25 op/byte, 80% of the roof")));
        assert!(lines.iter().take(13).all(|line| line.chars().count() <= 80));
    }

    #[test]
    fn numbers_have_three_digits() {
        assert_eq!([1.0, 12.34e3, 999e6, 2.5e12].map(short), ["1.00 ", "12.3 k", "999 M", "2.50 T"]);
    }
}
