//! No input makes preprocessing panic, hang, overflow the stack or use unbounded memory.

use clvk_frontend::source::IncludeResolver;
use clvk_frontend::{NoIncludes, Options, compile, preprocess_only};
use proptest::prelude::*;
use rustix::time::{ClockId, clock_gettime};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The processor time of this thread, which does not depend on the machine's load.
fn cpu_time() -> Duration {
    clock_gettime(ClockId::ThreadCPUTime).try_into().expect("time does not run backwards")
}

/// Checks that little processor time was used since `start`; the builds under test are not optimised.
#[track_caller]
fn expect_work_below(seconds: u64, start: Duration) {
    let work = cpu_time() - start;
    assert!(work < Duration::from_secs(seconds), "{work:?} of work");
}

/// The first error, within a time that only linear work can meet.
fn error(text: &str, includes: &dyn IncludeResolver) -> String {
    let start = cpu_time();
    let result = preprocess_only("a.cl", text, &Options::default(), includes);
    let failure = result.expect_err("there is an error");
    let rendered = failure.diagnostics.render_plain(&failure.sources);
    expect_work_below(20, start);
    assert!(rendered.len() < 1 << 20);
    failure.diagnostics.list()[0].message.clone()
}

fn fine(text: &str) -> String {
    let result = preprocess_only("a.cl", text, &Options::default(), &NoIncludes);
    result.unwrap_or_else(|failure| panic!("{}", failure.diagnostics.render_plain(&failure.sources))).text
}

/// `#define A1 A0 A0`, `#define A2 A1 A1` …
fn doubling(bottom: &str, levels: usize) -> String {
    let lines = (1..=levels).map(|level| format!("#define A{level} A{0} A{0}\n", level - 1));
    format!("#define A0 {bottom}\n{}A{levels}\n", lines.collect::<String>())
}

#[test]
fn macro_bombs_end_in_an_error() {
    assert!(error(&doubling("x", 60), &NoIncludes).contains("macro expansion takes more than"));
    assert!(error(&doubling("", 60), &NoIncludes).contains("macro expansion takes more than"));
    let nested = format!("#define D(x) x x\n{}1{}\n", "D(".repeat(60), ")".repeat(60));
    assert!(error(&nested, &NoIncludes).contains("macro expansion takes more than"));
    let wide = format!("#define D(x) {}\nD(D(D(D(D(1)))))\n", "x ".repeat(1000));
    assert!(error(&wide, &NoIncludes).contains("macro expansion takes more than"));
    let strings =
        format!("#define S(x) #x\n#define T(x) S(x)\n{}\"\\\\\"{}", "T(".repeat(60), ")".repeat(60));
    assert!(error(&strings, &NoIncludes).contains("of text"));
    let pasted = format!("#define P(a) a ## a\n#define C(a) P(a)\n{}x{}", "C(".repeat(60), ")".repeat(60));
    assert!(error(&pasted, &NoIncludes).contains("of text"));
    let recursive = "#define F(x) x F(x x) G\n#define G F(\nF(1) G 1) G 1)";
    fine(recursive);
}

#[test]
fn deep_nesting_is_no_danger() {
    let deep = 10_000;
    let condition = format!("#if {}1{}\nyes\n#endif", "(".repeat(deep), ")".repeat(deep));
    assert!(fine(&condition).contains("yes"));
    assert!(fine(&format!("#if {}1\nyes\n#endif", "!!".repeat(deep))).contains("yes"));
    assert!(
        fine(&format!("#if {}1{}\nyes\n#endif", "1 ? ".repeat(deep), " : 0".repeat(deep))).contains("yes")
    );
    assert!(error(&"#if 1\n".repeat(deep), &NoIncludes).contains("conditionals are nested deeper than 256"));
    assert!(
        fine(&format!("#if 0\n{}{}#endif\nyes", "#if 1\n".repeat(deep), "#endif\n".repeat(deep)))
            .contains("yes")
    );
    let calls = format!("#define F(x) x\n{}1{}", "F(".repeat(deep), ")".repeat(deep));
    assert!(error(&calls, &NoIncludes).contains("macro calls are nested deeper than 128"));
    let open = format!("#define F(x) x\n{}", "F(".repeat(deep));
    assert!(error(&open, &NoIncludes).contains("has no ')'"));
    let lines: String = (0..deep).map(|n| format!("#define M{n}(x) M{}(x)\n", n + 1)).collect();
    assert!(fine(&format!("{lines}M0(7)")).contains(&format!("M{deep}(7)")));
    let pragmas = format!("{}\"\"{}", "_Pragma(".repeat(deep), ")".repeat(deep));
    error(&pragmas, &NoIncludes);
    let brackets = format!("#define F(x) x\nF({}1{})", "(".repeat(deep), ")".repeat(deep));
    fine(&brackets);
}

#[test]
fn large_texts_take_linear_time() {
    let start = cpu_time();
    let n = 200_000;
    fine(&"a\\\nb ".repeat(n));
    fine(&"\\\n".repeat(n));
    fine(&format!("#define X {}\n", "a\\\nb \\\n".repeat(n)));
    fine(&format!("#if 0\n{}\n#endif", "' \\\n\" /* \n*/".repeat(n)));
    fine(&format!("// {}\nx", "\\\n".repeat(n)));
    fine(&format!("\"{}\"", "\\\n".repeat(n)));
    fine(&"/**/".repeat(n));
    fine(&"x".repeat(n * 10));
    fine(&format!("#define F(...) #__VA_ARGS__\nF({})", "a, ".repeat(n)));
    expect_work_below(60, start);
}

/// Each file includes the next one twice.
struct Doubling;

impl IncludeResolver for Doubling {
    fn resolve(&self, name: &str, _: bool, _: &Path) -> Option<Result<(PathBuf, String), String>> {
        let next = name.parse::<u32>().ok()? + 1;
        let text =
            if next > 40 { String::new() } else { format!("#include \"{next}\"\n#include \"{next}\"\n") };
        Some(Ok((name.into(), text)))
    }
}

#[test]
fn include_bombs_end_in_an_error() {
    assert!(error("#include \"0\"\n", &Doubling).contains("more than 10000 files are included"));
}

#[test]
fn the_whole_front_end_survives_what_preprocessing_lets_through() {
    let deep = "(".repeat(10_000) + "1" + &")".repeat(10_000);
    let chain = "1 + ".repeat(100_000) + "1";
    let bomb = doubling("x +", 17).trim_end().to_owned() + " 1";
    for value in [deep, chain, bomb] {
        let start = cpu_time();
        let (macros, value) = value.rsplit_once('\n').unwrap_or(("", &value));
        let text = format!("{macros}\nkernel void f(global int *a) {{ int x = 1; *a = {value}; }}\n");
        if let Err(failure) = compile("a.cl", &text, &Options::default(), &NoIncludes) {
            assert!(failure.diagnostics.has_errors());
            assert!(failure.diagnostics.render_plain(&failure.sources).len() < 1 << 20);
        }
        expect_work_below(20, start);
    }
}

fn never_panics(text: &str) {
    let options = Options { features: clvk_interface::FeatureSet::all(), ..Options::default() };
    match preprocess_only("a.cl", text, &options, &NoIncludes) {
        Ok(output) => {
            let _ = output.diagnostics.render_plain(&output.sources);
            let _ = output.diagnostics.render_pretty(&output.sources, true);
        }
        Err(failure) => {
            let _ = failure.diagnostics.render_plain(&failure.sources);
            let _ = failure.diagnostics.render_pretty(&failure.sources, true);
        }
    }
    let mut interner = clvk_frontend::testing::Interner::default();
    let mut sources = clvk_frontend::SourceMap::default();
    let mut diagnostics = clvk_frontend::Diagnostics::default();
    let environment = clvk_frontend::testing::Environment {
        options: &options,
        includes: &NoIncludes,
        interner: &mut interner,
        sources: &mut sources,
        diagnostics: &mut diagnostics,
    };
    let tokens = clvk_frontend::testing::preprocess("a.cl", text, environment);
    for pair in tokens.windows(2) {
        let span = pair[0].span.to(pair[1].span);
        diagnostics.push(clvk_frontend::Diagnostic::warning(span, "joined"));
        let _ = sources.source_text(span);
        let _ = sources.expansion_chain(span);
    }
    let _ = diagnostics.render_plain(&sources);
}

/// Pieces of text that are significant for preprocessing.
const PIECES: &[&str] = &[
    "#define ",
    "#undef ",
    "#if ",
    "#ifdef ",
    "#elif ",
    "#else",
    "#endif",
    "#include ",
    "#line ",
    "#pragma ",
    "#error ",
    "defined",
    "F",
    "G",
    "x",
    "(",
    ")",
    ",",
    "...",
    "__VA_ARGS__",
    "#",
    "##",
    "\\\n",
    "\n",
    " ",
    "\"",
    "'",
    "\\",
    "/*",
    "*/",
    "//",
    "1",
    "0x",
    "1.5e",
    "<",
    ">",
    "?",
    ":",
    "&&",
    "||",
    "/",
    "%",
    "-",
    "~",
    "_Pragma(\"",
    "__LINE__",
    "é",
    "€",
    "\u{feff}",
    "\r",
    "\t",
    "\0",
    "NAN",
    "INT_MIN",
    "EXTENSION",
    "OPENCL",
    "unroll",
    "once",
    "F(",
    "G(",
];

proptest! {
    #[test]
    fn arbitrary_text_never_panics(text in ".{0,200}") {
        never_panics(&text);
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        never_panics(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn arbitrary_pieces_never_panic(pieces in proptest::collection::vec(proptest::sample::select(PIECES), 0..80)) {
        never_panics(&pieces.concat());
    }

    #[test]
    fn arbitrary_options_never_panic(text in ".{0,80}") {
        if let Ok(options) = Options::parse(&text) {
            let _ = preprocess_only("a.cl", "x", &options, &NoIncludes);
        }
    }
}

#[test]
fn functions_of_one_name_are_bounded() {
    let mut text = String::new();
    for index in 0..=clvk_frontend::limits::OVERLOADS {
        text += &format!(
            "struct s{index} {{ int a; }}; __attribute__((overloadable)) void f(struct s{index} *p);\n"
        );
    }
    let failure = compile("a.cl", &text, &Options::default(), &NoIncludes).err().expect("there are too many");
    let messages = failure.diagnostics.render_plain(&failure.sources);
    assert!(messages.contains("more than 4096 functions have the same name"), "{messages}");
    assert_eq!(failure.diagnostics.error_count(), 1, "{messages}");
}
