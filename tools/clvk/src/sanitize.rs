//! What sanitized kernels report, with places, as data and as messages.

use crate::message::{Messages, Place};
use crate::places::Places;
use crate::{Compiler, Object};
use clvk_frontend::{Diagnostic, Diagnostics, SourceMap};
use clvk_interface::sanitize::{
    Check, Checked, Found, Kind, Kinds, ObjectKind, Race, Reports, Sanitized, SourceRange, SourceText,
};
use clvk_ir::Span;
use rustc_hash::FxHashMap;
use serde::Serialize;
use std::sync::Arc;

impl Compiler {
    /// Makes kernels check for errors of these kinds and report them
    /// when they run.
    #[must_use]
    pub fn with_sanitizer(mut self, kinds: Kinds) -> Self {
        self.wishes.sanitize = kinds;
        self
    }
}

/// The most characters of an object's name that is an expression.
const LONGEST_NAME: usize = 60;

/// Adds the places of checks and objects, and the sources of these places.
pub(crate) fn locate(sanitized: &mut Sanitized, object: &Object) {
    let Some(sources) = &object.sources else { return };
    let mut places = Places::new(sources);
    for check in &mut sanitized.checks {
        check.place = places.range(check.span);
        for call in &mut check.calls {
            call.place = places.range(call.span);
        }
    }
    for object in &mut sanitized.objects {
        object.place = places.range(object.span);
        if object.kind == ObjectKind::Part {
            let text = sources.source_text(Span::new(object.span.0, object.span.1));
            object.name = text.chars().take(LONGEST_NAME).filter(|it| *it != '\n').collect();
            object.place = None;
        }
        if object.kind == ObjectKind::Private {
            let text = sources.source_text(Span::new(object.span.0, object.span.1));
            let is_name = text.chars().all(|it| it.is_alphanumeric() || it == '_') && !text.is_empty();
            object.name = if is_name { text.to_owned() } else { String::new() };
            object.place = object.place.filter(|_| is_name);
        }
    }
    sanitized.sources = places.texts;
}

/// An object that an access left.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReportedObject {
    /// What it is.
    pub kind: ObjectKind,
    /// Its name; empty if it has none.
    pub name: String,
    /// Bytes.
    pub size: u64,
}

/// An error that a kernel made, perhaps often.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The kind of error.
    pub kind: Kind,
    /// The kernel.
    pub kernel: String,
    /// What is wrong, in one line.
    pub problem: String,
    /// Where, if it is in a source.
    pub place: Option<Place>,
    /// The calls by which the work-item that made it first came there, the innermost first.
    pub calls: Vec<Place>,
    /// Whether it was made after other calls, too.
    #[serde(skip)]
    has_other_calls: bool,
    /// For accesses: what they left.
    pub object: Option<ReportedObject>,
    /// For accesses: bytes from the object's start.
    pub offset: Option<i64>,
    /// How often, modulo 2³² in each launch.
    pub count: u64,
    /// Global id of a work-item that made it first.
    pub global_id: [u32; 3],
    /// Its local id.
    pub local_id: [u32; 3],
    /// Its work-group.
    pub group_id: [u32; 3],
    /// Its sub-group, if the kernel uses sub-groups.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sub_group_id: Option<u32>,
    /// Where, in the sources of the log.
    #[serde(skip)]
    span: Span,
    /// Where the object is declared.
    #[serde(skip)]
    declared: Span,
    /// For races: the other access.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other: Option<OtherAccess>,
}

/// The other access of a race.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OtherAccess {
    /// Where, if it is in a source. It is likely rather than known, because several work-items note their
    /// accesses at the same time.
    pub place: Option<Place>,
    /// The local linear id of the other work-item of this work-group, if there is one.
    pub local_linear_id: Option<u32>,
    /// The linear number of the other work-group, if there is one.
    pub group_linear_id: Option<u32>,
    /// Where, in the sources of the log.
    #[serde(skip)]
    span: Span,
}

impl Report {
    /// Whether it is about something that right programs may do, too.
    #[must_use]
    pub fn is_warning(&self) -> bool {
        self.kind.warns()
    }
}

/// The same error at the same place is in the log once.
type Key = (String, Span, Checked, Option<(ObjectKind, String)>);

/// The reports of launches, each error once.
#[derive(Default)]
pub struct ReportLog {
    reports: Vec<Report>,
    known: FxHashMap<Key, usize>,
    sources: SourceMap,
    /// The first position of each text.
    texts: FxHashMap<SourceText, u32>,
}

/// The most errors of a kind that are shown.
const MOST_SHOWN: usize = 20;

impl ReportLog {
    /// Adds what a launch found; gives the first of the reports that are new.
    pub fn add(&mut self, reports: &Reports<'_>) -> usize {
        let before = self.reports.len();
        for found in reports.found {
            if let Some(check) = reports.sanitized.checks.get(found.check as usize) {
                self.add_one(reports, check, found);
            }
        }
        before
    }

    fn add_one(&mut self, reports: &Reports<'_>, check: &Check, found: &Found) {
        let sanitized = reports.sanitized;
        let object = sanitized.object(found.object);
        let span = self.span(sanitized, check.place);
        let named = object.map(|object| (object.kind, object.name.clone()));
        let key = (reports.kernel.to_owned(), span, check.checked.clone(), named);
        let calls = self.calls(sanitized, check);
        if let Some(&known) = self.known.get(&key) {
            let report = &mut self.reports[known];
            report.count += u64::from(found.count);
            report.has_other_calls |= report.calls != calls;
            return;
        }
        self.known.insert(key, self.reports.len());
        let is_access = check.checked.is_of_access();
        let other = self.other(sanitized, check, found);
        let declared = self.span(sanitized, object.and_then(|object| object.place));
        self.reports.push(Report {
            kind: check.checked.kind(),
            kernel: reports.kernel.to_owned(),
            problem: check.checked.problem(sanitized, found),
            place: self.place(span),
            calls,
            has_other_calls: false,
            object: object.map(|object| ReportedObject {
                kind: object.kind,
                name: object.name.clone(),
                size: found.size,
            }),
            offset: is_access.then_some(found.values[0] as i64),
            count: u64::from(found.count),
            global_id: found.global_id,
            local_id: found.local_id,
            group_id: found.group_id,
            sub_group_id: found.sub_group,
            span,
            declared,
            other,
        });
    }

    /// The other access of a race.
    fn other(&mut self, sanitized: &Sanitized, check: &Check, found: &Found) -> Option<OtherAccess> {
        let Checked::Ordered { .. } = check.checked else { return None };
        let race = Race::read(found.values[1]);
        let span = self.span(sanitized, race.other(sanitized).and_then(|other| other.place));
        Some(OtherAccess {
            place: self.place(span),
            local_linear_id: race.other.filter(|_| !race.other_group),
            group_linear_id: race.other.filter(|_| race.other_group),
            span,
        })
    }

    /// The calls that lead to a check.
    fn calls(&mut self, sanitized: &Sanitized, check: &Check) -> Vec<Place> {
        let spans: Vec<Span> = check.calls.iter().map(|call| self.span(sanitized, call.place)).collect();
        spans.into_iter().filter_map(|span| self.place(span)).collect()
    }

    fn place(&self, span: Span) -> Option<Place> {
        Place::of(span, &self.sources).filter(|_| span != Span::NONE)
    }

    /// A span in the log's own sources.
    fn span(&mut self, sanitized: &Sanitized, place: Option<SourceRange>) -> Span {
        let text = |place: SourceRange| sanitized.sources.get(place.source as usize).map(|it| (it, place));
        let Some((text, place)) = place.and_then(text) else { return Span::NONE };
        let start = match self.texts.get(text) {
            Some(&start) => start,
            None => {
                let added = self.sources.add_file(text.name.clone(), text.text.as_str(), None);
                let Ok(file) = added else { return Span::NONE };
                let start = self.sources.file_start(file);
                self.texts.insert(text.clone(), start);
                start
            }
        };
        Span::new(start + place.start, start + place.end)
    }

    /// The errors, in the order in which launches reported them.
    #[must_use]
    pub fn reports(&self) -> &[Report] {
        &self.reports
    }

    /// The errors from one on as messages, the first [`MOST_SHOWN`] of each kind.
    #[must_use]
    pub fn messages(&self, from: usize) -> Messages {
        let mut diagnostics = Diagnostics::default();
        let mut shown: FxHashMap<Kind, usize> = FxHashMap::default();
        for (position, report) in self.reports.iter().enumerate() {
            let of_kind = shown.entry(report.kind).or_default();
            *of_kind += 1;
            if position < from || *of_kind > MOST_SHOWN {
                continue;
            }
            diagnostics.push(self.diagnostic(report));
        }
        for (kind, count) in shown.into_iter().filter(|&(_, count)| count > MOST_SHOWN) {
            if from == 0 {
                let more = format!("{} more reports of the kind `{kind}` are not shown", count - MOST_SHOWN);
                diagnostics.push(match kind.warns() {
                    true => Diagnostic::warning(Span::NONE, more),
                    false => Diagnostic::error(Span::NONE, more),
                });
            }
        }
        Messages::new(diagnostics, Arc::new(self.sources.clone()))
    }

    fn diagnostic(&self, report: &Report) -> Diagnostic {
        let Report { kind, kernel, problem, .. } = report;
        let three = |[x, y, z]: [u32; 3]| format!("({x}, {y}, {z})");
        let (item, local, group) = (three(report.global_id), three(report.local_id), three(report.group_id));
        let times = if report.count == 1 { "once".to_owned() } else { format!("{} times", report.count) };
        let first = match kind {
            Kind::Barriers => format!("first in the work-group {group}"),
            _ => {
                let within =
                    report.sub_group_id.map_or(String::new(), |it| format!(", in its sub-group {it}"));
                format!("first in the work-item {item}, which is {local} in the work-group {group}{within}")
            }
        };
        let text = format!("{problem} [{kind}]");
        let mut diagnostic = if report.is_warning() {
            Diagnostic::warning(report.span, text)
        } else {
            Diagnostic::error(report.span, text)
        };
        diagnostic = diagnostic.note(format!("kernel `{kernel}`, {times}; {first}"));
        for Place { file, line, column, .. } in &report.calls {
            diagnostic = diagnostic.note(format!("called from {file}:{line}:{column}"));
        }
        if report.has_other_calls {
            diagnostic = diagnostic.note("the same happens after other calls");
        }
        if report.declared != Span::NONE {
            diagnostic = diagnostic.related(report.declared, "the variable is declared here");
        }
        match &report.other {
            Some(OtherAccess { span, .. }) if *span == report.span => {
                diagnostic.note("the other access is at the same place")
            }
            Some(other) if other.span != Span::NONE => diagnostic.related(other.span, other.describe()),
            _ => diagnostic,
        }
    }
}

impl OtherAccess {
    fn describe(&self) -> String {
        match (self.local_linear_id, self.group_linear_id) {
            (Some(item), _) => format!("the other access is here, by the work-item {item} of the work-group"),
            (_, Some(group)) => format!("the other access is here, by the work-group {group}"),
            _ => "the other access is here".to_owned(),
        }
    }
}
