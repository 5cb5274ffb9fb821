//! The sanitizer, on every Vulkan device found, with addresses and with descriptors.
//!
//! - `planted`: the programs of `tests/sanitizer` make errors. Each must be reported, at its place, as often
//!   as its comment says, and nothing else (`clvk_tests::program::expected_reports`). Kinds that `all` does
//!   not contain are looked for in the folder of their name, where loops may take [`LOOP_BUDGET`] iterations.
//! - `right`: the programs of `tests/programs` and the kernels of `tests/kernels` make none. Nothing is
//!   reported, and the results are right. Every sixteenth is run unless its checks are very large, or all
//!   with `CLVK_TESTS_ALL=1`.
//!   [`DELIBERATE`] names programs that do make errors.
//! - `presets`: the programs of `tests/sanitizer` are valid SPIR-V for every preset, with every kind at once.
//!   Each preset takes a few of them, or all with `CLVK_TESTS_ALL=1`.
//! - `engines`: programs with cooperative matrices keep a device's matrix engine with every kind, and are
//!   valid.
//! - `remembers`: kernels remember memory only where they report what they find there.
//! - `settled`: local memory that nobody races for is not remembered, and barriers that all meet are not
//!   counted. `settled_matrices`: the same for matrices.
//! - `inside`: accesses that stay in their objects, in all launches or in one, are known.
//! - `unwatched`: buffers that a kernel only reads, or where each work-item has a part of its own, are known.
//!
//! spirv-val and the Khronos validation layer must be silent. `CLVK_TESTS_WITHOUT` names features of the
//! profile to do without, and `CLVK_TESTS_ROBUST=1` runs everything in robust mode too, as for the programs.
//! `CLVK_TESTS_SANITIZE=KINDS` looks for other kinds in the right programs, to read what they say.

use clvk::{Compiler, Error, ReportLog};
use clvk_interface::sanitize::{
    ArgumentMemory, Check, Checked, Holder, KINDS, Kind, Kinds, PLAIN, Shape, forbidden,
};
use clvk_interface::{DeviceProfile, ImplicitBuffer};
use clvk_tests::applicable::sample_step;
use clvk_tests::bench::{self, Bench, Ended, Mode, Opened, Settings, lock};
use clvk_tests::program::{self, ExpectedReport, Program, expected_reports};
use clvk_tests::{judge, pipeline};
use libtest_mimic::{Arguments, Failed, Trial};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use vk_runtime::{DeviceOptions, PrintHandler, ReportHandler};

/// Programs that make errors, with their reason: what they test is what becomes of these.
const DELIBERATE: &[(&str, &str)] = &[
    ("control/values_of_left_loops", "a plain read of a number that others change by atomic operations"),
    ("spirv/enqueue", "a barrier that orders no memory"),
];

/// The iterations that loops may take in the folder of their kind: few, because some drivers end loops.
const LOOP_BUDGET: u32 = 400;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    match trials() {
        Ok(trials) => libtest_mimic::run(&arguments, trials).exit_code(),
        Err(error) => {
            eprintln!("the tests of the sanitizer cannot run: {error}");
            ExitCode::FAILURE
        }
    }
}

/// A device, and what it has reported.
struct Watched {
    bench: Bench,
    log: Arc<Mutex<ReportLog>>,
}

impl Watched {
    fn new(mode: &Mode) -> Result<Watched, String> {
        let log: Arc<Mutex<ReportLog>> = Arc::default();
        let receiver = Arc::clone(&log);
        let options = DeviceOptions {
            print_handler: PrintHandler::new(|_| {}),
            report_handler: ReportHandler::new(move |reports| {
                lock(&receiver).add(&reports);
            }),
            ..DeviceOptions::default()
        };
        Ok(Watched { bench: Bench::new(mode.index, &Settings::of_environment(mode, options))?, log })
    }
}

/// What is run, and what must be reported.
struct Subject {
    name: String,
    program: Program,
    kinds: Kinds,
    reports: Vec<ExpectedReport>,
}

const PLANTED: &str = "planted";

impl Subject {
    fn of(program: Program, area: &str) -> Result<Subject, String> {
        let reports = expected_reports(&program.text)?;
        let folder = program.name.split('/').next().and_then(Kind::from_name);
        let planted = folder.filter(|_| area == PLANTED);
        let kinds = planted.map_or(Kinds::all(), |kind| Kinds::all().with(kind));
        let kinds = match planted {
            Some(Kind::Loops) => kinds.with_loop_budget(LOOP_BUDGET),
            // What reads a format is copied to each call, and these expressions have many accesses; drivers
            // take minutes for it with all checks.
            Some(kind @ (Kind::Printf | Kind::Unsequenced)) => Kinds::default().with(kind).with(Kind::Bounds),
            _ => kinds,
        };
        Ok(Subject { name: format!("{area}/{}", program.name), program, kinds, reports })
    }
}

fn subjects() -> Result<Vec<Subject>, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("sanitizer");
    let planted = program::all_in(&folder)?.into_iter().map(|program| Subject::of(program, PLANTED));
    let wanted = wanted()?;
    let is_right =
        |program: &Program| wanted.is_none() || DELIBERATE.iter().all(|(name, _)| program.name != *name);
    let right = program::all_that_run()?.into_iter().step_by(sample_step()).filter(is_right);
    let right = right.map(|program| {
        let subject = Subject::of(program, "right")?;
        Ok(Subject { kinds: wanted.unwrap_or(subject.kinds), ..subject })
    });
    planted.chain(right).collect()
}

/// The kinds that the environment names for the right programs.
fn wanted() -> Result<Option<Kinds>, String> {
    let named = std::env::var("CLVK_TESTS_SANITIZE").ok();
    let kinds = named.map(|kinds| Kinds::parse(&kinds));
    kinds.transpose().map_err(|error| format!("CLVK_TESTS_SANITIZE: {error}"))
}

fn trials() -> Result<Vec<Trial>, String> {
    let subjects: Vec<Arc<Subject>> = subjects()?.into_iter().map(Arc::new).collect();
    let mut trials = Vec::new();
    for (name, first) in DeviceProfile::preset_names().zip(0..) {
        let subjects = subjects.clone();
        trials.push(Trial::test(format!("presets/{name}"), move || preset(name, first, &subjects)));
    }
    trials.push(Trial::test("engines", engines));
    trials.push(Trial::test("unwatched", unwatched));
    trials.push(Trial::test("inside", inside));
    trials.push(Trial::test("remembers", remembers));
    trials.push(Trial::test("settled", settled));
    trials.push(Trial::test("settled_matrices", settled_matrices));
    for mode in bench::modes()? {
        let watched: Opened<Watched> = Arc::default();
        for subject in &subjects {
            let (subject, watched, mode) = (Arc::clone(subject), Arc::clone(&watched), mode.clone());
            trials.push(Trial::ignorable_test(format!("{}/{}", mode.name, subject.name), move || {
                let watched = watched.get_or_init(|| Watched::new(&mode)).as_ref()?;
                watched.bench.completion(&subject.name, run(watched, &subject, mode.must_run))
            }));
        }
    }
    Ok(trials)
}

/// Each preset takes one of this many planted programs, if it does not take all.
const SHARE: usize = 15;

fn preset(name: &str, first: usize, subjects: &[Arc<Subject>]) -> Result<(), Failed> {
    let profile = DeviceProfile::preset(name)?;
    let planted = subjects.iter().filter(|subject| subject.name.starts_with(PLANTED));
    let share = if sample_step() > 1 { SHARE } else { 1 };
    let mut valid = 0;
    for subject in planted.skip(first % share).step_by(share) {
        let kinds = Kinds::parse("all,warnings")?;
        let compiler = Compiler::new(&profile).with_sanitizer(kinds);
        match pipeline::compile_program(&subject.program, compiler) {
            Ok(module) => {
                judge::validate(&module, &profile).map_err(|error| format!("{}: {error}", subject.name))?;
                valid += 1;
            }
            Err(Error::Unsupported { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    if valid > 0 { Ok(()) } else { Err("no program was translated".into()) }
}

/// How many products of matrices a module leaves to the device's engine.
fn products(words: &[u32]) -> usize {
    const PRODUCT: u32 = 4459;
    let (mut count, mut at) = (0, 5);
    while let Some(word) = words.get(at) {
        count += usize::from(word & 0xffff == PRODUCT);
        at += (word >> 16).max(1) as usize;
    }
    count
}

fn engines() -> Result<(), Failed> {
    let profile = DeviceProfile::preset("nvidia-h200")?;
    let mut kept = 0;
    for program in program::all_that_run()?.iter().filter(|program| program.text.contains("coop_mat")) {
        let of = |kinds: Kinds| -> Result<usize, Failed> {
            let compiler = Compiler::new(&profile).with_sanitizer(kinds);
            let module = pipeline::compile_program(program, compiler)?;
            judge::validate(&module, &profile).map_err(|error| format!("{}: {error}", program.name))?;
            Ok(products(&module.spirv))
        };
        let plain = of(Kinds::default())?;
        for kinds in ["bounds", "all,warnings"] {
            let checked = of(Kinds::parse(kinds)?)?;
            assert_eq!(checked > 0, plain > 0, "{} with {kinds}: {plain} products", program.name);
        }
        kept += usize::from(plain > 0);
    }
    assert!(kept >= 5, "only {kept} programs use the engine");
    Ok(())
}

/// Which of three buffers go without cells in a launch of 64 by 4 work-items in groups of 16 by 1, with an
/// integer. Nothing has written the last buffer before.
fn unwatched_of(body: &str, integer: i64) -> Result<u32, Failed> {
    let text = format!(
        "kernel void of(global int *a, global int *b, global int *c, int n)
        {{ int x = get_global_id(0), y = get_global_id(1), l = get_local_id(0), g = get_group_id(0); {body} }}"
    );
    let compiler = Compiler::new(&DeviceProfile::preset("lavapipe-22.3")?).with_sanitizer(Kinds::all());
    let module = compiler.compile("of.cl", &text)?.into_module();
    let sanitized = module.sanitized.as_ref().ok_or("it checks nothing")?;
    let mut arguments = [1, 2, 3].map(|number| ArgumentMemory {
        holder: Some((Holder::Buffer(number), 0)),
        ..ArgumentMemory::default()
    });
    arguments[2].forbidden = forbidden::EARLY_READS;
    let integer = ArgumentMemory { value: Some(integer), ..ArgumentMemory::default() };
    let arguments = [arguments[0], arguments[1], arguments[2], integer];
    let shape = Shape { global: [64, 4, 1], offset: [0; 3], local: [16, 1, 1], sub_group: 0 };
    Ok(sanitized.unwatched("of", &arguments, &shape))
}

fn unwatched() -> Result<(), Failed> {
    let cases = [
        // What is read and what each work-item has its own part of; not what is read unwritten.
        ("for (int i = 0; i < n; ++i) b[y * 64 + x] += a[i];", 64, 0b111),
        ("b[y * 64 + x] += c[x];", 64, 0b011),
        ("c[y * 64 + x] += a[x];", 64, 0b011),
        ("c[y * 64 + x] = a[x]; b[0] = 1;", 64, 0b101),
        // Rows by an integer that only the host knows.
        ("b[y * n + x] = 1;", 64, 0b111),
        ("b[y * n + x] = 1;", 63, 0b101),
        ("if (x < n && y < n) b[y * n + x] = 1;", 63, 0b111),
        ("if (x >= n) return; b[y * n + x] = 1;", 63, 0b111),
        ("if (x <= n) b[y * n + x] = 1;", 63, 0b101),
        ("if (x < n || y < n) b[y * n + x] = 1;", 63, 0b101),
        // Loops, and computed places.
        ("for (int i = 0; i < n; ++i) b[(i * 4 + y) * 64 + x] = 1;", 9, 0b111),
        ("for (int i = 0; i < n; ++i) b[(i * 3 + y) * 64 + x] = 1;", 9, 0b101),
        ("for (int i = 0; i < 4; ++i) b[(y * 4 + i) * 64 + g * 16 + l % 4 * 4 + l / 4] = 1;", 0, 0b111),
        ("for (int i = 0; i < 4; ++i) b[(y * 4 + i) * 64 + g * 16 + l % 4 * 3 + l / 4] = 1;", 0, 0b101),
        // One work-item of each group.
        ("if (l == 0) b[y * 4 + g] = 1;", 0, 0b111),
        ("if (l < 2) b[y * 4 + g] = 1;", 0, 0b101),
        // Atomic operations alone, and pointers that walk.
        ("atomic_inc(&b[a[x]]);", 0, 0b111),
        ("atomic_inc(&b[a[x]]); b[99 + a[x]] = 1;", 0, 0b101),
        ("global int *p = a; for (int i = 0; i < n; ++i, p += n) b[y * 64 + x] += *p;", 9, 0b111),
        ("global int *p = b; for (int i = 0; i < n; ++i, p += n) *p = a[i];", 9, 0b101),
        // Places from memory.
        ("b[a[x]] = 1;", 0, 0b101),
    ];
    for (body, integer, expected) in cases {
        let found = unwatched_of(body, integer)?;
        assert_eq!(found, expected, "{body} with {integer}: {found:#b}, not {expected:#b}");
    }
    Ok(())
}

/// Whether all accesses of a kernel that are checked stay inside in a launch of 64 by 4 work-items in groups
/// of 16 by 1, with buffers of 1024 bytes and an integer, and how many these are.
fn inside_of(body: &str, integer: i64) -> Result<(bool, usize), Failed> {
    let text = format!(
        "kernel void of(global int *a, global uchar *b, int n)
        {{ int x = get_global_id(0), y = get_global_id(1), l = get_local_id(0); {body} }}"
    );
    let compiler = Compiler::new(&DeviceProfile::preset("lavapipe-22.3")?)
        .with_sanitizer(Kinds::default().with(Kind::Bounds));
    let module = compiler.compile("of.cl", &text)?.into_module();
    let sanitized = module.sanitized.as_ref().ok_or("it checks nothing")?;
    let buffer = ArgumentMemory { all: 1024, ..ArgumentMemory::default() };
    let integer = ArgumentMemory { value: Some(integer), ..ArgumentMemory::default() };
    let shape = Shape { global: [64, 4, 1], offset: [0; 3], local: [16, 1, 1], sub_group: 0 };
    let bits = sanitized.inside("of", &[buffer, buffer, integer], &shape) & !PLAIN;
    let known: BTreeSet<u32> = sanitized.habits["of"].confined.iter().map(|confined| confined.bit).collect();
    let is_checked = |check: &&Check| matches!(check.checked, Checked::Inside { .. });
    let checks = sanitized.checks.iter().filter(is_checked).count();
    Ok((bits.count_ones() as usize == known.len() && known.len() == checks, checks))
}

fn inside() -> Result<(), Failed> {
    let cases = [
        // By ids, sizes and integers.
        ("a[y * 64 + x] = 1;", 0, (true, 1)),
        ("a[y * n + x] = 1;", 64, (true, 1)),
        ("a[y * n + x] = 1;", 65, (false, 1)),
        ("if (x < n && y < n) a[y * n + x] = 1;", 16, (true, 1)),
        ("if (x < n && y < n) a[y * n + x] = 1;", 65, (false, 1)),
        ("if (x > 0 && y > 0) a[(y - 1) * n + x - 1] = 1;", 64, (true, 1)),
        ("if (x > 0) a[(y - 1) * n + x - 1] = 1;", 64, (false, 1)),
        ("if (x >= n) return; a[x] = 1;", 256, (true, 1)),
        // Products that wrap around.
        ("a[(x * n) & 255] = 1;", 1 << 30, (true, 1)),
        ("a[(x * n) / 256] = 1;", 1 << 30, (false, 1)),
        // Loops.
        ("for (int i = 0; i < n; ++i) a[i] = 1;", 256, (true, 1)),
        ("for (int i = 0; i < n; ++i) a[i] = 1;", 257, (false, 1)),
        ("for (int i = n - 1; i >= 0; --i) a[i] = 1;", 256, (true, 1)),
        ("for (int i = n; i >= 0; --i) a[i] = 1;", 256, (false, 1)),
        ("for (uint i = n; i > 0; --i) a[i - 1] = 1;", 256, (true, 1)),
        ("for (int s = n; s > 0; s >>= 1) if (l < s) a[l + s] = 1;", 240, (true, 1)),
        ("for (int s = n; s > 0; s >>= 1) if (l < s) a[l + s] = 1;", 241, (false, 1)),
        ("int k = 0; for (int i = 0; i < n; ++i) { k = b[i] > 3 ? i : k; a[k & 255] = 1; }", 9, (true, 2)),
        // From memory, with a condition or a mask.
        ("int i = b[x]; if (i >= 0 && i < n) a[i] = 1;", 256, (true, 2)),
        ("int i = a[x]; if (i >= 0 && i < n) b[i] = 1;", 1024, (true, 2)),
        ("int i = a[x]; if (i < n) b[i] = 1;", 1024, (false, 2)),
        ("uint i = a[x]; if (i < n) b[i] = 1;", 1024, (true, 2)),
        ("a[a[x] & 255] = 1;", 0, (true, 2)),
        ("a[a[x]] = 1;", 0, (false, 2)),
        // In all launches: no check is left.
        ("int p[16]; for (int i = 0; i < 16; ++i) p[i] = i; a[p[x & 15] & 255] = 1;", 0, (true, 1)),
        ("local int t[4][9]; t[l & 3][l & 7] = x; a[x] = t[3][l / 4 & 3];", 0, (true, 1)),
        ("local int t[16]; t[l] = x; a[x] = t[15 - l];", 0, (true, 3)),
        ("local int t[15]; t[l] = x; a[x] = t[14 - l];", 0, (false, 3)),
    ];
    for (body, integer, expected) in cases {
        let found = inside_of(body, integer)?;
        assert_eq!(found, expected, "{body} with {integer}");
    }
    Ok(())
}

/// With each kind alone, a kernel that orders memory, and that has nothing to report with most of them. The
/// runtime gives it shadow memory together with that for its reports.
fn remembers() -> Result<(), Failed> {
    let text = "kernel void next(global atomic_int *counter, global int *out) {
        out[get_global_id(0)] = atomic_fetch_add(counter, 1);
        barrier(CLK_GLOBAL_MEM_FENCE);
    }";
    for row in KINDS {
        let kinds = Kinds::default().with(row.kind);
        let mut compiler = Compiler::new(&DeviceProfile::preset("lavapipe-22.3")?).with_sanitizer(kinds);
        compiler = compiler.with_options("-cl-std=CL3.0")?;
        let module = compiler.compile("next.cl", text)?.into_module();
        for kernel in &module.interface.kernels {
            let has = |buffer| kernel.implicit_buffer(buffer).is_some();
            let is_reported = has(ImplicitBuffer::Reports) || !has(ImplicitBuffer::Shadow);
            assert!(is_reported, "{}: it remembers what it does not report", row.name);
        }
    }
    Ok(())
}

/// Local memory that is known not to be raced for is not remembered: only the accesses to global memory are.
fn settled() -> Result<(), Failed> {
    let settled = "local float tile[9][9];
        int x = get_local_id(0), y = get_local_id(1);
        for (int k = 0; k < width; k += 8) {
            for (int i = y * 8 + x; i < 81; i += 64)
                tile[i / 9][i % 9] = in[k + i];
            barrier(CLK_LOCAL_MEM_FENCE);
            out[get_global_id(0)] = tile[y + (k & 1)][x];
            barrier(CLK_LOCAL_MEM_FENCE);
            for (int part = 4; part > 0; part /= 2) {
                if (x < part)
                    tile[y][x] += tile[y][x + part];
                barrier(CLK_LOCAL_MEM_FENCE);
            }
        }";
    // Without the second barrier.
    let open = settled.replacen("barrier", "", 2).replacen(
        "(CLK_LOCAL_MEM_FENCE);",
        "barrier(CLK_LOCAL_MEM_FENCE);",
        1,
    );
    for (body, ordered, written) in [(settled, 2, 1), (&open, 7, 4)] {
        let text = format!(
            "kernel __attribute__((reqd_work_group_size(8, 8, 1)))
            void fold(global const float *in, global float *out, int width) {{ {body} }}"
        );
        assert_eq!(unsettled("lavapipe-22.3", &text)?, [ordered, written, 0], "{text}");
    }
    Ok(())
}

/// The same of local memory that an engine's matrices are loaded from.
fn settled_matrices() -> Result<(), Failed> {
    let text = "typedef float __attribute__((coop_mat(CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP, 16, 16,
            CLK_COOPERATIVE_MATRIX_ACCUMULATOR))) matrix;
        kernel __attribute__((reqd_work_group_size(64, 1, 1)))
        void stage(global const float *in, global float *out, int n)
        {
            local float tiles[2][16][20];
            for (int k = 0; k < n; ++k) {
                for (int i = get_local_id(0); i < 512; i += 64)
                    tiles[i / 256][i / 16 % 16][i % 16] = in[k * 512 + i];
                barrier(CLK_LOCAL_MEM_FENCE);
                local float *tile = (local float *)tiles[get_sub_group_id() % 2];
                matrix m = coop_mat_load(tile, CLK_COOPERATIVE_MATRIX_LAYOUT_COLUMN_MAJOR, STRIDE);
                coop_mat_store(out, m + m, CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR, 16);
                barrier(CLK_LOCAL_MEM_FENCE);
            }
        }";
    // With the second stride, matrices reach what nobody writes.
    for (stride, ordered, written) in [("20", 2, 1), ("19", 2, 2)] {
        let [found_ordered, found_written, _] = unsettled("nvidia-h200", &text.replace("STRIDE", stride))?;
        assert_eq!([found_ordered, found_written], [ordered, written], "with a stride of {stride}");
    }
    Ok(())
}

/// How many checks a program keeps of the order of accesses, of reads before writes, and of barriers.
fn unsettled(preset: &str, text: &str) -> Result<[usize; 3], Failed> {
    let compiler = Compiler::new(&DeviceProfile::preset(preset)?).with_sanitizer(Kinds::all());
    let module = compiler.compile("kernel.cl", text)?.into_module();
    let sanitized = module.sanitized.as_ref().ok_or("it checks nothing")?;
    let count = |is_it: &dyn Fn(&Checked) -> bool| {
        sanitized.checks.iter().filter(|check| is_it(&check.checked)).count()
    };
    Ok([
        count(&|checked| matches!(checked, Checked::Ordered { .. })),
        count(&|checked| matches!(checked, Checked::Written { .. })),
        count(&|checked| matches!(checked, Checked::Barrier)),
    ])
}

fn run(watched: &Watched, subject: &Subject, must_run: bool) -> Result<(), Ended> {
    let Watched { bench, log } = watched;
    let compiler = bench.compiler().with_sanitizer(subject.kinds);
    let module = bench.compile_sampled(&subject.program, compiler, must_run)?;
    bench.exclusively(|| {
        *lock(log) = ReportLog::default();
        let mut wrong = bench.run(&subject.program.case, module, true)?;
        wrong.extend(differences(&lock(log), subject));
        bench::none(&wrong)
    })
}

/// The reports that came and should not, and those that did not come.
fn differences(log: &ReportLog, subject: &Subject) -> Vec<String> {
    if DELIBERATE.iter().any(|(name, _)| subject.name == format!("right/{name}")) {
        let silent = log.reports().is_empty();
        return silent
            .then(|| "it should make errors, and none was reported".to_owned())
            .into_iter()
            .collect();
    }
    let lines: Vec<&str> = subject.program.text.lines().collect();
    let mut missing: Vec<&ExpectedReport> = subject.reports.iter().collect();
    let mut wrong = Vec::new();
    for report in log.reports() {
        let place = report.place.as_ref();
        let line = place.map_or(0, |place| place.line);
        let code = place.and_then(|place| {
            let (start, end) = (place.column as usize - 1, place.end_column as usize - 1);
            lines.get(line as usize - 1)?.get(start..end)
        });
        let is_it = |expected: &&ExpectedReport| {
            expected.kind == report.kind
                && expected.line == line
                && Some(expected.code.as_str()) == code
                && expected.count.is_none_or(|count| count == report.count)
                && report.problem.contains(&expected.text)
        };
        match missing.iter().position(is_it) {
            Some(position) => drop(missing.swap_remove(position)),
            None => wrong.push(format!(
                "line {line}, `{}`: {}, {} times: {}",
                code.unwrap_or_default(),
                report.kind,
                report.count,
                report.problem
            )),
        }
    }
    missing.retain(|expected| !expected.optional);
    wrong.extend(missing.iter().map(|expected| format!("not reported: {expected:?}")));
    wrong
}
