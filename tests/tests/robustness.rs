//! User input never crashes or hangs the compiler.
//!
//! Mutations of the real kernels, and texts designed to exhaust a compiler: each ends in a diagnostic, or
//! compiles, within a time limit.

use clvk::{Compiler, Error, Overrides};
use clvk_interface::{DeviceProfile, Quirk, ShaderLanguage};
use clvk_tests::case::Size;
use clvk_tests::cases;
use clvk_tests::pipeline::{compile_with_includes, messages};
use clvk_tests::program::program_folder;
use clvk_tests::random::Random;
use rustix::time::{ClockId, clock_gettime};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

const MUTATIONS: usize = 500;

/// The time for which a text may occupy a core. The promise is a second in a release build.
const LIMIT: Duration = Duration::from_secs(if cfg!(debug_assertions) { 15 } else { 1 });

/// The time after which a compilation counts as hanging.
const HANGS_AFTER: Duration = Duration::from_secs(120);

/// A text, and the files that it may include.
#[derive(Clone, Debug, Default)]
struct Input {
    text: String,
    includes: Vec<(&'static str, String)>,
    /// Whether it is C++ for OpenCL.
    is_cxx: bool,
}

impl Input {
    fn text(text: String) -> Self {
        Input { text, ..Input::default() }
    }

    fn cxx(text: String) -> Self {
        Input { text, is_cxx: true, ..Input::default() }
    }
}

/// The outcome of a compilation.
#[derive(Debug)]
enum End {
    Compiled,
    Refused(Error),
    Panicked(String),
    Hung,
}

/// The CPU time of this thread, which does not depend on how busy the machine is.
fn cpu_time() -> Duration {
    clock_gettime(ClockId::ThreadCPUTime).try_into().expect("time does not run backwards")
}

/// Compiles in a thread with the stack size of a test thread; also returns the CPU time.
fn compile(input: &Input) -> (End, Duration) {
    let (sender, receiver) = mpsc::channel();
    let input = input.clone();
    let worker = thread::spawn(move || {
        let profile = DeviceProfile::preset("lavapipe-22.3").expect("a preset");
        let includes: Vec<(&str, &str)> =
            input.includes.iter().map(|(name, text)| (*name, text.as_str())).collect();
        let file = if input.is_cxx { "test.clcpp" } else { "test.cl" };
        let end = match compile_with_includes(file, &input.text, &[], &includes, &profile) {
            Ok(_) => End::Compiled,
            Err(error) => End::Refused(error),
        };
        // The receiver is gone if this took too long.
        let _ = sender.send((end, cpu_time()));
    });
    match receiver.recv_timeout(HANGS_AFTER) {
        Ok(result) => result,
        Err(mpsc::RecvTimeoutError::Timeout) => (End::Hung, HANGS_AFTER),
        Err(mpsc::RecvTimeoutError::Disconnected) => {
            let payload = worker.join().expect_err("the thread ended without an answer");
            let text = payload.downcast_ref::<String>().cloned();
            let text = text
                .or_else(|| payload.downcast_ref::<&str>().map(|text| (*text).to_owned()))
                .unwrap_or_default();
            (End::Panicked(text), Duration::ZERO)
        }
    }
}

/// Expects a diagnostic in time, with a position, that contains one of `words`.
#[track_caller]
fn expect_refusal(input: &Input, words: &[&str]) {
    let (end, time) = compile(input);
    let End::Refused(error @ Error::Source(_)) = end else { panic!("expected a diagnostic, but: {end:?}") };
    let message = messages(&error);
    assert!(message.contains("error"), "no error in: {message}");
    assert!(words.iter().any(|word| message.contains(word)), "none of {words:?} in: {message}");
    let length = error.plain().len();
    assert!(length < 100_000, "a message of {length} bytes");
    assert!(time < LIMIT, "took {time:?}");
}

/// The text with one to eight bytes, or runs of bytes, deleted, duplicated, swapped or replaced.
fn mutate(text: &str, seed: usize) -> String {
    let random = Random::new(seed as u64);
    let mut bytes = text.as_bytes().to_vec();
    let edits = 1 + random.below(0, 8) as usize;
    for edit in 0..edits {
        let at = |which: usize, bound: usize| random.below(8 * edit + which, bound as u32) as usize;
        let position = at(1, bytes.len());
        let length = (1 + at(2, if at(3, 4) == 0 { 40 } else { 1 })).min(bytes.len() - position);
        match at(4, 4) {
            0 => drop(bytes.drain(position..position + length)),
            1 => {
                let run = bytes[position..position + length].to_vec();
                bytes.splice(position..position, run);
            }
            2 => {
                let other = at(5, bytes.len());
                bytes.swap(position, other);
            }
            _ => bytes[position] = b' ' + at(6, 95) as u8,
        }
    }
    String::from_utf8(bytes).expect("kernels are ASCII")
}

#[test]
fn mutated_kernels_compile_or_are_refused() {
    let texts: Vec<(&str, String)> = cases::ALL
        .iter()
        .map(|definition| {
            let path = (definition.build)(Size::Small).source_path();
            (definition.name, std::fs::read_to_string(path).expect("a kernel"))
        })
        .collect();
    let texts: Vec<_> = texts.into_iter().map(|(name, text)| (name.to_owned(), Input::text(text))).collect();
    expect_answers_to_mutations(&texts);
}

#[test]
fn mutated_programs_in_cxx_compile_or_are_refused() {
    let kernels = cases::CXX.iter().map(|definition| (definition.build)(Size::Small).source_path());
    let folder = program_folder().join("cxx");
    let entries = std::fs::read_dir(folder).expect("the programs in C++");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).chain(kernels).collect();
    paths.retain(|path| path.extension().is_some_and(|it| it == "clcpp"));
    paths.sort();
    let texts: Vec<_> = paths
        .iter()
        .map(|path| {
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            (name, Input::cxx(std::fs::read_to_string(path).expect("a program")))
        })
        .collect();
    expect_answers_to_mutations(&texts);
}

/// Expects that mutations of texts compile, or are refused with a message, in time.
#[track_caller]
fn expect_answers_to_mutations(texts: &[(String, Input)]) {
    let mut failures = Vec::new();
    let mut refused = 0;
    for seed in 0..MUTATIONS {
        let (name, text) = &texts[seed % texts.len()];
        let input = Input { text: mutate(&text.text, seed), ..text.clone() };
        let (end, time) = compile(&input);
        let complaint = match end {
            End::Panicked(message) => format!("panicked: {message}"),
            End::Hung => "hung".to_owned(),
            End::Refused(error @ Error::Source(_)) if !messages(&error).contains("error") => {
                format!("was refused without an error: {error}")
            }
            _ if time > LIMIT => format!("took {time:?}"),
            End::Refused(_) => {
                refused += 1;
                continue;
            }
            End::Compiled => continue,
        };
        failures.push(format!("mutation {seed} of {name} {complaint}\n{}", keep(&input, name, seed)));
    }
    assert!(failures.is_empty(), "{} mutations failed:\n{}", failures.len(), failures.join("\n"));
    // Most mutations break the program; if few are refused, the mutations or the diagnostics do not work.
    assert!(refused > MUTATIONS / 2, "only {refused} of {MUTATIONS} were refused");
    assert!(refused < MUTATIONS, "not one of {MUTATIONS} compiled");
}

/// Writes a text that failed to a file, and says where.
fn keep(input: &Input, name: &str, seed: usize) -> String {
    let folder = clvk_tests::picture::picture_folder().with_file_name("robustness");
    let path = folder.join(format!("{name}-{seed}.cl"));
    match std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&path, &input.text)) {
        Ok(()) => format!("the text is in {}", path.display()),
        Err(error) => format!("the text cannot be kept: {error}"),
    }
}

/// Uses what profiles differ in: narrow and wide types, sub-groups, images, atomics, loads under conditions.
const MANY_FEATURES: &str = "
kernel void memory(global uchar3 *bytes, global half *halves, global long *wide, constant float *table, local short *shared, int n)
{
    int at = get_local_id(0);
    shared[at] = n > at ? bytes[n].y : halves[n] > 1.0h;
    barrier(CLK_LOCAL_MEM_FENCE);
    private uchar own[9] = {1};
    own[n & 7] = shared[at ^ 1];
    if (wide[at] > n)
        wide[at] = wide[at] / n + own[at & 7] + (long)(table[at] * 0.1f);
    vstore_half(fma(table[n], 2.0f, (float)vload_half(at, halves)), at, halves);
}
kernel void groups(global uint *out, global atomic_uint *sum, float x)
{
    uint own = sub_group_reduce_add((uint)get_global_id(0)) + get_sub_group_local_id();
    out[get_sub_group_id()] = sub_group_broadcast(own, 0) + work_group_scan_inclusive_max(own);
    atomic_fetch_add(sum, own);
    if (sub_group_any(x > 0.5f))
        out[own] = as_uint(exp(x) + sin(x) / x + rsqrt(x));
}
kernel void pictures(read_only image2d_t from, write_only image2d_t to, sampler_t sampler)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(to, at, read_imagef(from, sampler, convert_float2(at) + 0.5f) + read_imagef(from, at));
}
";

/// A preset with some facts turned round, and other quirks.
fn odd_profile(seed: u64) -> DeviceProfile {
    let random = Random::new(seed);
    let names: Vec<&str> = DeviceProfile::preset_names().collect();
    let preset =
        DeviceProfile::preset(names[random.below(0, names.len() as u32) as usize]).expect("a preset");
    let mut facts = serde_json::to_value(&preset).expect("a profile is data");
    for (index, fact) in facts.as_object_mut().expect("with members").values_mut().enumerate() {
        if let Some(given) = fact.as_bool()
            && random.below(1 + index, 6) == 0
        {
            *fact = (!given).into();
        }
    }
    let mut profile: DeviceProfile = serde_json::from_value(facts).expect("it is still a profile");
    let chosen = |index: usize| random.below(1000 + index, 4) == 0;
    profile.quirks = Quirk::ALL
        .iter()
        .copied()
        .enumerate()
        .filter(|(index, _)| chosen(*index))
        .map(|(_, quirk)| quirk)
        .collect();
    profile
}

#[test]
fn any_profile_is_compiled_for_or_refused() {
    let options = ["-cl-std=CL3.0".to_owned()];
    for seed in 0..80 {
        let profile = odd_profile(seed);
        for kernel in ["memory", "groups", "pictures"] {
            let text = MANY_FEATURES
                .split("kernel void ")
                .find(|text| text.starts_with(kernel))
                .expect("it is there");
            let text = format!("kernel void {text}");
            let end =
                std::panic::catch_unwind(|| compile_with_includes("test.cl", &text, &options, &[], &profile));
            assert!(end.is_ok(), "seed {seed}, {kernel}: {}", profile.to_json());
        }
    }
}

#[test]
fn deep_nesting_is_refused() {
    const DEPTH: usize = 10_000;
    for (open, inner, close) in [
        ("(", "1", ")"),
        ("-", "1", ""),
        ("!", "1", ""),
        ("(int)", "1", ""),
        ("a[", "0", "]"),
        ("1 ? 1 : ", "1", ""),
        ("1 ? ", "1", " : 1"),
        ("1 + (", "1", ")"),
    ] {
        let text = format!(
            "__kernel void k(__global int *a) {{ a[0] = {}{inner}{}; }}",
            open.repeat(DEPTH),
            close.repeat(DEPTH)
        );
        expect_refusal(&Input::text(text), &["deep", "nest", "limit"]);
    }
    for (open, close) in [("{", "}"), ("if (1) ", ""), ("while (1) {", "}"), ("switch (1) { case 1: ", "}")] {
        let text = format!("__kernel void k(void) {{ {};{} }}", open.repeat(DEPTH), close.repeat(DEPTH));
        expect_refusal(&Input::text(text), &["deep", "nest", "limit"]);
    }
}

/// naga recurses over nested statements; these nest about as deep as shaders may.
#[test]
fn deep_nesting_becomes_shaders() {
    let nested = |open: &dyn Fn(usize) -> String, depth: usize| {
        format!("{}{}", (0..depth).map(open).collect::<String>(), "}".repeat(depth))
    };
    let profile = DeviceProfile::preset("webgpu").expect("a preset");
    for body in [
        nested(&|level| format!("if (a[{level}] > n) {{ a[{level}] = s; s += a[n];"), 100),
        nested(&|level| format!("while (a[{level}] < n) {{ a[{level}] += s; s += a[n];"), 40),
    ] {
        let text = with_body(&body).text;
        let shaders = Compiler::new(&profile).with_cache(None).compile_shaders("test.cl", &text);
        let shaders = shaders.unwrap_or_else(|error| panic!("{}", messages(&error)));
        let sizes: Overrides = shaders.overrides().iter().map(|it| (it.id, 64)).collect();
        for language in ShaderLanguage::ALL {
            let shader = shaders.write(language, &sizes);
            shader.unwrap_or_else(|error| panic!("{language:?}: {error}"));
        }
    }
}

#[test]
fn endless_programs_in_cxx_are_refused() {
    const DEPTH: usize = 10_000;
    let nested = |open: &str, inner: &str, close: &str| {
        format!("{}{inner}{}", open.repeat(DEPTH), close.repeat(DEPTH))
    };
    for text in [
        // Text that nests.
        nested("namespace a { ", "", " }"),
        nested("struct a { ", "int x;", " };"),
        format!("template <class T> struct s {{}}; {} x;", nested("s<", "int", ">")),
        format!("kernel void k() {{ {}; }}", nested("[&] { ", "", " }()")),
        format!("kernel void k(global int *a) {{ a[0] = {}; }}", nested("static_cast<int>(", "1", ")")),
        format!("kernel void k(global int *a) {{ a[0] = int{}; }}", nested("{", "1", "}")),
        // Instantiations without an end, and twice as many at each step.
        "template <int N> struct s { static constexpr int v = s<N + 1>::v; }; static_assert(s<0>::v == 0);".to_owned(),
        "template <int N> int f() { return f<N + 1>(); } kernel void k(global int *a) { a[0] = f<0>(); }".to_owned(),
        "template <class T> struct p {}; template <class T> int f(T) { return f(p<T>()); } kernel void k(global int *a) { a[0] = f(1); }".to_owned(),
        "template <int N, int M> struct s { static constexpr int v = s<N - 1, 2 * M>::v + s<N - 1, 2 * M + 1>::v; };\n\
         template <int M> struct s<0, M> { static constexpr int v = 1; }; static_assert(s<30, 1>::v == 0);".to_owned(),
        // Evaluation without an end.
        "constexpr int f(int n) { while (true) ++n; return n; } static_assert(f(1) == 0);".to_owned(),
        "constexpr int f(int n) { return f(n + 1); } static_assert(f(1) == 0);".to_owned(),
        "constexpr int f(int n) { return n < 2 ? 1 : f(n - 1) + f(n - 2); } static_assert(f(90) == 0);".to_owned(),
    ] {
        let input = Input::cxx(text);
        let (end, time) = compile(&input);
        let start: String = input.text.chars().take(120).collect();
        let End::Refused(error @ Error::Source(_)) = end else { panic!("{start}: {end:?}") };
        let length = error.plain().len();
        assert!(length < 100_000, "{start}: a message of {length} bytes");
        assert!(time < LIMIT, "{start}: took {time:?}");
    }
}

#[test]
fn deep_declarations_are_refused() {
    const DEPTH: usize = 10_000;
    for text in [
        format!("__kernel void k(__global int {}a) {{}}", "*".repeat(DEPTH)),
        format!("__kernel void k(void) {{ int {}a{}; }}", "(".repeat(DEPTH), ")".repeat(DEPTH)),
        format!("__kernel void k(void) {{ int a{}; }}", "[1]".repeat(DEPTH)),
        format!("{} int a; {}", "struct { ".repeat(DEPTH), "} x;".repeat(DEPTH)),
        format!("__constant int a[] = {}1{};", "{".repeat(DEPTH), "}".repeat(DEPTH)),
    ] {
        expect_refusal(&Input::text(text), &["deep", "nest", "limit", "many"]);
    }
}

#[test]
fn a_long_expression_is_no_deep_one() {
    // Left-associative: nothing in the text nests.
    let text = format!("__kernel void k(__global int *a) {{ a[0] = a[1]{}; }}", " + a[1]".repeat(5_000));
    let (end, time) = compile(&Input::text(text));
    assert!(matches!(end, End::Compiled | End::Refused(_)), "{end:?}");
    assert!(time < LIMIT, "took {time:?}");
}

/// A kernel with this body.
fn with_body(body: &str) -> Input {
    Input::text(format!("__kernel void k(__global int *a, int n) {{ int s = n; {body} a[0] = s; }}"))
}

#[test]
fn many_jumps_are_no_deep_nesting() {
    let parts = |count: usize, part: &dyn Fn(usize) -> String| (0..count).map(part).collect::<String>();
    let cases = parts(2_000, &|index| format!("case {index}: s += a[{index}] * s;\n"));
    let labels = parts(500, &|index| format!("l{index}: s += a[{index}];\n"));
    let back = parts(500, &|index| format!("if ((s & 1023) == {index}) goto l{index};\n"));
    let alone = parts(500, &|index| format!("m{index}: s += a[{index}]; if (s & {index}) goto m{index};\n"));
    for body in [
        format!("switch (n) {{ {cases} }}"),
        format!("switch (n) {{ do {{ {cases} }} while (s < 0); }}"),
        labels + &back,
        alone,
    ] {
        let (end, time) = compile(&with_body(&body));
        assert!(matches!(end, End::Compiled), "{end:?}\n{body}");
        assert!(time < LIMIT, "took {time:?}");
    }
}

#[test]
fn deep_conditions_of_the_preprocessor_are_refused_or_understood() {
    // The evaluation does not recurse, so parentheses may nest to any depth.
    let parentheses = format!("#if {}1{}\n#endif\n", "(".repeat(10_000), ")".repeat(10_000));
    let (end, time) = compile(&Input::text(parentheses));
    assert!(matches!(end, End::Compiled), "{end:?}");
    assert!(time < LIMIT, "took {time:?}");
    let blocks = format!("{}{}", "#if 1\n".repeat(10_000), "#endif\n".repeat(10_000));
    expect_refusal(&Input::text(blocks), &["deep", "nest", "limit"]);
}

#[test]
fn a_file_that_includes_itself_is_refused() {
    let text = "#include \"self.h\"\n".to_owned();
    let once = Input { includes: vec![("self.h", text.clone())], ..Input::text(text.clone()) };
    expect_refusal(&once, &["deep", "nest", "include"]);
    // Two inclusions in each: the number of files doubles with each level.
    let twice = Input { includes: vec![("self.h", text.repeat(2))], ..Input::text(text) };
    expect_refusal(&twice, &["deep", "nest", "include"]);
}

#[test]
fn macro_bombs_are_refused() {
    // Each macro uses the one before it ten times: 10^30 tokens.
    let mut doubling = "#define A0 1 +\n".to_owned();
    for level in 1..=30 {
        doubling += &format!("#define A{level} {}\n", format!("A{} ", level - 1).repeat(10));
    }
    doubling += "__kernel void k(__global int *a) { a[0] = A30 1; }\n";
    expect_refusal(&Input::text(doubling), &["macro", "expan", "token", "limit"]);

    // The same through arguments.
    let mut arguments = "#define F(x) x x x x\n__kernel void k(__global int *a) { a[0] = ".to_owned();
    arguments += &format!("{}1 +{} 1; }}\n", "F(".repeat(60), ")".repeat(60));
    expect_refusal(&Input::text(arguments), &["macro", "expan", "token", "limit"]);

    // One identifier of unbounded length.
    let mut pasting =
        "#define P(x, y) x ## y\n#define Q(x, y) P(x, y)\n#define B0 aaaaaaaaaaaaaaaa\n".to_owned();
    for level in 1..=40 {
        pasting += &format!("#define B{level} Q(B{0}, B{0})\n", level - 1);
    }
    pasting += "int B40;\n";
    expect_refusal(&Input::text(pasting), &["macro", "expan", "token", "limit", "more than"]);
}

#[test]
fn huge_sizes_are_refused() {
    for text in [
        "__kernel void k(void) { int a[0x7fffffffffffffff]; a[0] = 1; }",
        "__kernel void k(void) { __local int a[1 << 30][1 << 30][1 << 30]; a[0][0][0] = 1; }",
        "typedef struct { char a[0xffffffffffffffff]; char b[0xffffffffffffffff]; } S; __kernel void k(__global S *s) {}",
        "__constant int a[0x7fffffff] = { 1 }; __kernel void k(__global int *b) { b[0] = a[b[1]]; }",
    ] {
        let (end, time) = compile(&Input::text(text.to_owned()));
        assert!(matches!(end, End::Refused(_)), "{text}\n{end:?}");
        assert!(time < LIMIT, "{text} took {time:?}");
    }
}

#[test]
fn recursion_is_refused() {
    let text = "int g(int x); int f(int x) { return g(x); } int g(int x) { return f(x); }\n\
                __kernel void k(__global int *a) { a[0] = f(1); }";
    let (end, time) = compile(&Input::text(text.to_owned()));
    let End::Refused(error @ Error::Source(_)) = end else { panic!("expected a refusal, but: {end:?}") };
    let message = messages(&error);
    let circle = "recursion is not supported in OpenCL C: 'g' calls itself through 'f'";
    assert!(message.contains(circle), "{message}");
    assert!(time < LIMIT, "took {time:?}");
}

#[test]
fn odd_bytes_are_refused() {
    for text in [
        "__kernel void k(void) { int \u{0}; }",
        "__kernel void k(void) { int ä\u{1F600}; }",
        "\u{FEFF}@`$",
        "\"unterminated",
        "'",
        "/* unterminated",
        "#define",
        "#if",
        "#include",
        "#define F(",
        "#define F(x) #\nint a = F(1);",
        "__kernel void k(void) { int a = 99999999999999999999999999999; float b = 1e99999999999f; }  )",
        "\\",
        "??=if",
    ] {
        let (end, _) = compile(&Input::text(text.to_owned()));
        assert!(matches!(end, End::Refused(Error::Source(_))), "{text:?}\n{end:?}");
    }
}
