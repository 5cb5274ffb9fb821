//! The picture of a sweep: a bar for each combination, the fastest first.

use super::svg::{self, WIDTH, escaped};
use super::sweep::{Tried, sorted};
use crate::timing::human;
use std::fmt::Write;

const ROW: f64 = 24.0;
const TOP: f64 = 48.0;
const BOTTOM: f64 = 40.0;
/// Room for a character of the settings.
const CHARACTER: f64 = 7.0;
/// Room for a time and a note, right of its bar.
const TIME: f64 = 190.0;
/// The longest line, as a part of the longest bar; longer ones are cut off there.
const LONGEST: f64 = 1.1;

/// The picture, as SVG. A bar is as long as the median time; a line goes from the least time to what 95% of
/// the runs stay below.
pub fn svg(title: &str, tried: &[Tried]) -> String {
    let rows = sorted(tried);
    let longest = rows.iter().map(|it| it.settings.chars().count()).max().unwrap_or(0);
    let left = (longest as f64 * CHARACTER + 24.0).min(WIDTH / 2.0);
    let most = rows.iter().filter_map(|it| it.times.as_ref()).map(|times| times.median_ns);
    let most = most.fold(0.0, f64::max).max(1.0);
    let at = |ns: f64| left + (ns / most).min(LONGEST) / LONGEST * (WIDTH - left - TIME);
    let height = TOP + rows.len() as f64 * ROW + BOTTOM;
    let mut svg = svg::begin(height, (16.0, 26.0), title);
    for part in 0..=4 {
        let ns = most * f64::from(part) / 4.0;
        let (x, bottom) = (at(ns), height - BOTTOM);
        let _ = writeln!(
            svg,
            "<line x1=\"{x:.1}\" y1=\"{TOP}\" x2=\"{x:.1}\" y2=\"{bottom}\" stroke=\"#e4e4e4\"/>\n\
             <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"#555\">{}</text>",
            bottom + 18.0,
            human(ns)
        );
    }
    for (it, number) in rows.into_iter().zip(0u32..) {
        row(&mut svg, it, TOP + f64::from(number) * ROW, number == 0, &at);
    }
    svg.push_str("</svg>\n");
    svg
}

fn row(svg: &mut String, it: &Tried, top: f64, is_best: bool, at: &dyn Fn(f64) -> f64) {
    let (left, middle, text) = (at(0.0), top + ROW / 2.0, top + ROW / 2.0 + 4.0);
    let _ = writeln!(
        svg,
        "<text x=\"{:.1}\" y=\"{text:.1}\" text-anchor=\"end\" fill=\"#222\">{}</text>",
        left - 8.0,
        escaped(&it.settings)
    );
    let Some(times) = &it.times else {
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{text:.1}\" fill=\"#b9560e\">does not run</text>",
            left + 8.0
        );
        return;
    };
    let colour = match (it.differs(), is_best) {
        (true, _) => "#c0392b",
        (false, true) => "#1e8449",
        (false, false) => "#2471a3",
    };
    let note = if it.differs() { ", other results" } else { "" };
    let (end, low, high) = (at(times.median_ns), at(times.min_ns), at(times.slow_ns));
    let _ = writeln!(
        svg,
        "<rect x=\"{left:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{colour}\"/>\n\
         <line x1=\"{low:.1}\" y1=\"{middle:.1}\" x2=\"{high:.1}\" y2=\"{middle:.1}\" stroke=\"#222\"/>\n\
         <text x=\"{:.1}\" y=\"{text:.1}\" fill=\"#222\">{}{note}</text>",
        top + 4.0,
        end - left,
        ROW - 8.0,
        end.max(high) + 6.0,
        human(times.median_ns)
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::sample::Distribution;

    #[test]
    fn a_picture_has_a_bar_for_each_combination() {
        let tried = |settings: &str, ns: f64, difference| Tried {
            settings: settings.to_owned(),
            times: Distribution::of(&[ns, ns, 1.5 * ns]),
            difference,
            refused: None,
        };
        let none = Tried { times: None, refused: Some("no".to_owned()), ..tried("a<b", 1.0, 0.0) };
        let svg = svg("t & u", &[tried("local=8", 2e6, 0.0), tried("local=16", 1e6, 0.0), none]);
        assert_eq!(svg.matches("<rect x=").count(), 2);
        assert!(svg.contains("t &amp; u") && svg.contains("a&lt;b") && svg.contains("does not run"));
        assert!(svg.find("local=16").unwrap() < svg.find("local=8<").unwrap(), "the fastest is first: {svg}");
        let wrong = super::svg("", &[tried("x", 1.0, 0.5)]);
        assert!(wrong.contains("#c0392b") && wrong.contains("other results"));
    }

    #[test]
    fn the_longest_line_leaves_room_for_its_time() {
        let times = Distribution::of(&[1e6, 1e6, 1e6, 99e6, 99e6]);
        let tried = Tried { settings: "local=16".to_owned(), times, difference: 0.5, refused: None };
        let svg = svg("t", &[tried]);
        let start = svg.split("<text x=\"").find(|text| text.contains("other results")).unwrap();
        let (x, text) = start.split_once('"').unwrap();
        let text = text.split('>').nth(1).unwrap().trim_end_matches("</text");
        let end = x.parse::<f64>().unwrap() + text.chars().count() as f64 * CHARACTER;
        assert!(end <= WIDTH, "{text} ends at {end}: {svg}");
    }
}
