//! Kernels that measure themselves: the wish, and the places in sources of what they measure.

use crate::places::Places;
use crate::{Compiler, Object};
use clvk_interface::measure::{Measure, Measured};
use clvk_ir::{Op, Span};

impl Compiler {
    /// Makes kernels measure this, or nothing.
    #[must_use]
    pub fn with_measurement(mut self, measure: Option<Measure>) -> Self {
        self.wishes.measure = measure;
        self
    }
}

impl Object {
    /// The positions of the variables with this name, as [`Measure::Search`] takes them.
    #[must_use]
    pub fn variables(&self, name: &str) -> Vec<(u32, u32)> {
        let Some(sources) = &self.sources else { return Vec::new() };
        let mut found = Vec::new();
        for (_, function) in self.module.functions.iter() {
            function.walk(|_, data| {
                let is_named = || sources.source_text(data.span) == name;
                if matches!(data.op, Op::Alloca { .. }) && data.span != Span::NONE && is_named() {
                    found.push((data.span.start, data.span.end));
                }
            });
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// Adds the places and names of what is measured, and the sources of these places.
pub(crate) fn locate(measured: &mut Measured, object: &Object) {
    let Some(sources) = &object.sources else { return };
    let mut places = Places::new(sources);
    for site in &mut measured.sites {
        site.place = places.range(site.span);
    }
    for line in &mut measured.lines {
        line.place = places.range(line.span);
    }
    for cost in &mut measured.costs {
        cost.place = places.range(cost.span);
    }
    for point in &mut measured.points {
        point.place = places.range(point.span);
        if point.variable != (0, 0) {
            let text = sources.source_text(Span::new(point.variable.0, point.variable.1));
            let is_name = text.chars().all(|it| it.is_alphanumeric() || it == '_') && !text.is_empty();
            point.name = if is_name { text.to_owned() } else { String::new() };
        }
    }
    measured.sources = places.texts;
}
