//! What a work-item did, step by step, from the recorded events.

use clvk::interface::measure::{Kind, Measured, Measurement, Point};
use serde::Serialize;

/// A value that was stored, or that decided.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Step {
    /// The place in the program.
    #[serde(skip)]
    pub point: u32,
    /// File, if it is known.
    pub file: String,
    /// Line, from 1; 0 if it is not known.
    pub line: usize,
    /// The line's text.
    pub source: String,
    /// What got the value: a variable, or an expression that reaches memory. Of a decision the expression.
    pub what: String,
    /// Whether it is a decision.
    pub decides: bool,
    /// The value, with all its lanes.
    pub value: String,
    /// Its lanes as numbers, for comparisons.
    #[serde(skip)]
    pub numbers: Vec<f64>,
    /// Its bits.
    #[serde(skip)]
    pub bits: Vec<u64>,
}

/// The steps of the traced work-item.
pub fn steps(measured: &Measured, measurement: &Measurement) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut events = measurement.events.iter();
    while let Some(first) = events.next() {
        let Some(point) = measured.points.get(first.what as usize) else { continue };
        let mut bits = vec![first.value];
        bits.extend(events.by_ref().take(point.lanes.saturating_sub(1) as usize).map(|event| event.value));
        steps.push(step(measured, first.what, point, bits));
    }
    steps
}

fn step(measured: &Measured, number: u32, point: &Point, bits: Vec<u64>) -> Step {
    let (mut file, mut line, mut source, mut text) = Default::default();
    if let Some(place) = point.place {
        let of = &measured.sources[place.source as usize];
        let before = of.text.get(..place.start as usize).unwrap_or_default();
        line = before.matches('\n').count() + 1;
        source = of.text.lines().nth(line - 1).unwrap_or_default().trim().to_owned();
        file = of.name.clone();
        text = of.text.get(place.start as usize..place.end as usize).unwrap_or_default();
    }
    let lanes: Vec<(String, f64)> = bits.iter().map(|&bits| shown(point.kind, bits)).collect();
    let value = match &lanes[..] {
        [(only, _)] => only.clone(),
        several => {
            let texts: Vec<&str> = several.iter().map(|(text, _)| text.as_str()).collect();
            format!("({})", texts.join(", "))
        }
    };
    let what = if point.decides { words(decision(text)) } else { target(point, text) };
    let numbers = lanes.into_iter().map(|(_, number)| number).collect();
    Step { point: number, file, line, source, what, decides: point.decides, value, numbers, bits }
}

/// A text in one line.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(60).collect()
}

/// What follows the opening parenthesis up to the closing one; everything if it does not close.
fn inside(text: &str) -> &str {
    let mut depth = 0;
    for (position, character) in text.char_indices() {
        match character {
            '(' => depth += 1,
            ')' if depth == 0 => return &text[..position],
            ')' => depth -= 1,
            _ => {}
        }
    }
    text
}

/// The condition of a statement, or of an expression that chooses.
fn decision(text: &str) -> &str {
    let keyword = |word: &str| {
        let rest = text.strip_prefix(word)?.trim_start();
        rest.strip_prefix('(').map(inside)
    };
    if let Some(head) = keyword("for") {
        return head.split(';').nth(1).unwrap_or(head);
    }
    if let Some(condition) = ["if", "while", "switch"].iter().find_map(|word| keyword(word)) {
        return condition;
    }
    if text.starts_with("do") {
        let last = text.rfind("while").and_then(|position| text[position..].split_once('('));
        return last.map_or(text, |(_, rest)| inside(rest));
    }
    text.split_once('?').map_or(text, |(condition, _)| condition)
}

/// What is left of the first assignment of an expression; none if it has none.
fn assigned(text: &str) -> Option<&str> {
    let bytes = text.as_bytes();
    let is = |position: usize| {
        let after = bytes.get(position + 1);
        let before = position.checked_sub(1).map(|it| bytes[it]);
        bytes[position] == b'=' && after != Some(&b'=') && !matches!(before, Some(b'=' | b'!' | b'<' | b'>'))
            || bytes[position] == b'='
                && position >= 2
                && matches!(&bytes[position - 2..position], b"<<" | b">>")
    };
    let position = (0..bytes.len()).find(|&position| is(position))?;
    Some(text[..position].trim_end_matches(['+', '-', '*', '/', '%', '&', '|', '^', '<', '>']).trim())
}

/// What a store reaches: the variable's name where it is the whole variable, else the expression.
fn target(point: &Point, text: &str) -> String {
    match assigned(text).map(words) {
        Some(left) if !left.is_empty() && !left.contains(' ') => left,
        _ if !point.name.is_empty() => match point.offset {
            Some(0) => point.name.clone(),
            Some(offset) => format!("{} at byte {offset}", point.name),
            None => format!("{}[…]", point.name),
        },
        _ => words(text),
    }
}

/// A lane as text and as a number.
fn shown(kind: Kind, bits: u64) -> (String, f64) {
    let float = |number: f64, text: String| (text, number);
    match kind {
        Kind::Bool => (if bits & 1 == 1 { "true" } else { "false" }.to_owned(), (bits & 1) as f64),
        Kind::Float(16) => {
            let number = half::f16::from_bits(bits as u16);
            float(number.to_f64(), number.to_string())
        }
        Kind::Float(32) => {
            let number = f32::from_bits(bits as u32);
            float(f64::from(number), format!("{number:?}"))
        }
        Kind::Float(_) => float(f64::from_bits(bits), format!("{:?}", f64::from_bits(bits))),
        Kind::Int(width) => {
            let shift = 64 - width.clamp(1, 64);
            let number = (bits << shift) as i64 >> shift;
            let text = match number {
                0.. => number.to_string(),
                _ => format!("{number} ({:#x})", bits << shift >> shift),
            };
            (text, number as f64)
        }
    }
}

/// Whether two steps are the same, floating-point values within a tolerance.
pub fn agree(a: &Step, b: &Step, tolerance: f64) -> bool {
    let near = |(a, b): (&f64, &f64)| (a - b).abs() <= tolerance * b.abs().max(1.0);
    a.point == b.point
        && a.bits.len() == b.bits.len()
        && (a.bits == b.bits || tolerance > 0.0 && a.numbers.iter().zip(&b.numbers).all(near))
}

/// Steps for people: those that are shown, and how often what was shown last is repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The step at this position.
    Step(usize),
    /// Steps are left out, which are rounds of a loop.
    Folded {
        /// Steps.
        steps: usize,
        /// Rounds.
        rounds: usize,
    },
}

/// Most steps of a round that is recognised.
const LONGEST_ROUND: usize = 48;
/// Rounds that are shown at the start of a loop; the last one is shown, too.
const SHOWN_ROUNDS: usize = 2;

/// Of a loop whose rounds differ, which begin at the same place as the step here: where the third round
/// begins, where the last one does, and how many there are from the one to the other.
fn last_round(steps: &[Step], at: usize) -> Option<(usize, usize, usize)> {
    let next = |from: usize| {
        let after = steps.iter().enumerate().skip(from + 1).take(LONGEST_ROUND);
        after.filter(|(_, step)| step.point == steps[at].point).map(|(position, _)| position).next()
    };
    let starts: Vec<usize> = std::iter::successors(Some(at), |&start| next(start)).collect();
    match starts[..] {
        [_, _, third, .., last] if starts.len() > SHOWN_ROUNDS + 2 => Some((third, last, starts.len() - 3)),
        _ => None,
    }
}

/// Folds loops: rounds of the same places, or else rounds that begin at the same place.
pub fn folded(steps: &[Step]) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut at = 0;
    while at < steps.len() {
        let is_round = |length: usize, round: usize| {
            let (first, other) = (at, at + round * length);
            other + length <= steps.len()
                && (0..length).all(|it| steps[first + it].point == steps[other + it].point)
        };
        let rounds = |length: usize| (1..).take_while(|&round| is_round(length, round)).count() + 1;
        // The shortest round that pays.
        let found = (1..=LONGEST_ROUND)
            .map(|length| (length, rounds(length)))
            .find(|&(_, rounds)| rounds > SHOWN_ROUNDS + 2);
        match found {
            Some((length, rounds)) => {
                parts.extend((at..at + SHOWN_ROUNDS * length).map(Part::Step));
                let left_out = rounds - SHOWN_ROUNDS - 1;
                parts.push(Part::Folded { steps: left_out * length, rounds: left_out });
                let last = at + (rounds - 1) * length;
                parts.extend((last..last + length).map(Part::Step));
                at = last + length;
            }
            None => match last_round(steps, at) {
                Some((third, last, rounds)) => {
                    parts.extend((at..third).map(Part::Step));
                    parts.push(Part::Folded { steps: last - third, rounds });
                    // What follows is not folded again by the same place.
                    parts.push(Part::Step(last));
                    at = last + 1;
                }
                None => {
                    parts.push(Part::Step(at));
                    at += 1;
                }
            },
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(point: u32, bits: u64) -> Step {
        let text = String::new;
        Step {
            point,
            file: text(),
            line: 1,
            source: text(),
            what: text(),
            decides: false,
            value: text(),
            numbers: vec![f64::from(f32::from_bits(bits as u32))],
            bits: vec![bits],
        }
    }

    #[test]
    fn loops_are_folded() {
        let mut steps = vec![at(0, 0)];
        for round in 0..100 {
            steps.extend([at(1, round), at(2, round)]);
        }
        steps.push(at(3, 0));
        let parts = folded(&steps);
        let shown: Vec<usize> = [0, 1, 2, 3, 4, 199, 200, 201].to_vec();
        let positions = parts.iter().filter_map(|part| match part {
            Part::Step(position) => Some(*position),
            Part::Folded { .. } => None,
        });
        assert_eq!(positions.collect::<Vec<_>>(), shown);
        assert_eq!(parts[5], Part::Folded { steps: 194, rounds: 97 });
        // Nothing is lost where nothing repeats.
        assert_eq!(folded(&steps[..4]).len(), 4);
    }

    #[test]
    fn rounds_that_differ_are_folded_too() {
        let mut steps = vec![at(0, 0)];
        for round in 0..100u64 {
            steps.push(at(1, round));
            // Not periodic: no sequence comes thrice.
            steps.extend((round.count_ones() % 2 == 0).then(|| at(2, round)));
        }
        let parts = folded(&steps);
        assert!(parts.len() < 10, "{parts:?}");
        let shown = |part: &Part| match part {
            Part::Step(_) => 1,
            Part::Folded { steps, .. } => *steps,
        };
        assert_eq!(parts.iter().map(shown).sum::<usize>(), steps.len());
    }

    #[test]
    fn decisions_are_their_conditions() {
        let of = |text| decision(text).trim();
        assert_eq!(of("for (int j = 0; j < n; j++) { x; }"), "j < n");
        assert_eq!(of("if (f(x) > (y)) a; else b;"), "f(x) > (y)");
        assert_eq!(of("while (x) { if (y) z; }"), "x");
        assert_eq!(of("do { while (a) b; } while (c < d)"), "c < d");
        assert_eq!((of("a > 0 ? b : c"), of("a && b"), of("iffy")), ("a > 0", "a && b", "iffy"));
    }

    #[test]
    fn values_have_their_kind() {
        let text = |kind, bits| shown(kind, bits).0;
        assert_eq!(text(Kind::Float(32), u64::from(1.5f32.to_bits())), "1.5");
        assert_eq!(text(Kind::Float(32), u64::from(f32::NAN.to_bits())), "NaN");
        assert_eq!(text(Kind::Float(16), 0x3c00), "1");
        assert_eq!(text(Kind::Int(8), 0xff), "-1 (0xff)");
        assert_eq!(text(Kind::Int(32), 7), "7");
        assert_eq!(text(Kind::Int(64), u64::MAX), "-1 (0xffffffffffffffff)");
        assert_eq!(text(Kind::Bool, 1), "true");
    }

    #[test]
    fn targets_are_what_is_assigned() {
        let of = |text| assigned(text);
        assert_eq!(of("a[i & 3] = i"), Some("a[i & 3]"));
        assert_eq!(of("sum += x"), Some("sum"));
        assert_eq!(of("x <<= 2"), Some("x"));
        assert_eq!((of("a == b"), of("a <= b"), of("i++")), (None, None, None));
    }

    #[test]
    fn small_differences_are_none_with_a_tolerance() {
        let bits = |number: f32| u64::from(number.to_bits());
        let (a, b) = (at(0, bits(1.0)), at(0, bits(1.000_001)));
        assert!(!agree(&a, &b, 0.0) && agree(&a, &b, 1e-5) && !agree(&a, &at(1, bits(1.0)), 1.0));
    }
}
