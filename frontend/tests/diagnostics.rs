//! The exact text of preprocessor messages, and the rendering of messages in general.

use clvk_frontend::source::IncludeResolver;
use clvk_frontend::{Diagnostic, Diagnostics, ErrorLimit, Form, Options, SourceMap, Span, preprocess_only};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// Headers by name.
struct Headers(&'static [(&'static str, &'static str)]);

impl IncludeResolver for Headers {
    fn resolve(&self, name: &str, _: bool, _: &Path) -> Option<Result<(PathBuf, String), String>> {
        let (name, text) = self.0.iter().find(|(known, _)| *known == name)?;
        Some(Ok((name.into(), (*text).to_owned())))
    }
}

fn errors_with(text: &str, options: &Options, headers: Headers) -> String {
    match preprocess_only("a.cl", text, options, &headers) {
        Ok(output) => output.diagnostics.render_plain(&output.sources),
        Err(failure) => failure.diagnostics.render_plain(&failure.sources),
    }
}

fn errors(text: &str) -> String {
    errors_with(text, &Options::default(), Headers(&[]))
}

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(errors(text), expected);
}

#[test]
fn conditions() {
    check(
        "#if 1 / 0\n#endif",
        "a.cl:1:7: error: division by zero in a condition\n  #if 1 / 0\n        ^\n1 error generated\n",
    );
    check("#if 0 && 1 / 0 || 0 ? 1 % 0 : 0\n#endif\n#if 1 || 1 / 0\n#endif", "");
    check(
        "#if (1 +\n#endif",
        "a.cl:1:9: error: expected a value\n  #if (1 +\n          ^\n1 error generated\n",
    );
    check(
        "#if (1\n#endif",
        "a.cl:1:7: error: expected ')'\n  #if (1\n        ^\na.cl:1:5: note: to match this '('\n  #if (1\n      ^\n1 error generated\n",
    );
    check("#if 1)\n#endif", "a.cl:1:6: error: this ')' has no '('\n  #if 1)\n       ^\n1 error generated\n");
    check(
        "#if 1 ? 2\n#endif",
        "a.cl:1:7: error: this '?' has no ':'\n  #if 1 ? 2\n        ^\n1 error generated\n",
    );
    check(
        "#if 1.5f\n#endif",
        "a.cl:1:5: error: floating-point literal in a condition\n  #if 1.5f\n      ^~~~\n1 error generated\n",
    );
    check(
        "#if defined(X) && F(1)\n#endif",
        "a.cl:1:20: error: expected an operator before '(': is a function-like macro missing?\n  \
         #if defined(X) && F(1)\n                     ^\n1 error generated\n",
    );
    check("#if\n#endif", "a.cl:1:2: error: this condition is empty\n  #if\n   ^~\n1 error generated\n");
    check(
        "#if 1 = 2\n#endif",
        "a.cl:1:7: error: '=' is not an operator of a condition; did you mean '=='?\n  #if 1 = 2\n        ^\n1 error generated\n",
    );
}

#[test]
fn conditionals_are_balanced_in_each_file() {
    check(
        "#elif 1\n#else\n#endif\n#if 1",
        "a.cl:1:1: error: #elif without #if\n  #elif 1\n  ^~~~~\n\
         a.cl:2:1: error: #else without #if\n  #else\n  ^~~~~\n\
         a.cl:3:1: error: #endif without #if\n  #endif\n  ^~~~~~\n\
         a.cl:4:1: error: this conditional directive has no #endif\n  #if 1\n  ^~~\n4 errors generated\n",
    );
    check(
        "#if 0\n#else\n#else\n#endif y",
        "a.cl:3:1: error: #else after #else\n  #else\n  ^~~~~\na.cl:2:1: note: the #else is here\n  #else\n  ^~~~~\n\
         a.cl:4:8: warning: extra tokens at the end of #endif\n  #endif y\n         ^\n1 warning and 1 error generated\n",
    );
    let headers = Headers(&[("open.h", "#if 1\n")]);
    assert_eq!(
        errors_with("#include \"open.h\"\n#endif", &Options::default(), headers),
        "In file included from a.cl:1:\nopen.h:1:1: error: this conditional directive has no #endif\n  #if 1\n  ^~~\n\
         a.cl:2:1: error: #endif without #if\n  #endif\n  ^~~~~~\n2 errors generated\n",
    );
}

#[test]
fn definitions() {
    check("#define", "a.cl:1:2: error: macro name missing\n  #define\n   ^~~~~~\n1 error generated\n");
    check(
        "#define 1",
        "a.cl:1:9: error: macro name must be an identifier\n  #define 1\n          ^\n1 error generated\n",
    );
    check(
        "#define defined",
        "a.cl:1:9: error: 'defined' cannot be defined as a macro\n  #define defined\n          ^~~~~~~\n1 error generated\n",
    );
    check(
        "#define F(x) #y",
        "a.cl:1:14: error: '#' is not followed by a macro parameter\n  #define F(x) #y\n               ^\n1 error generated\n",
    );
    check(
        "#define F() a ##",
        "a.cl:1:15: error: '##' cannot appear at the start or the end of a macro's replacement\n  #define F() a ##\n                ^~\n1 error generated\n",
    );
    check(
        "#define F(x, x)",
        "a.cl:1:14: error: two parameters of this macro have the same name\n  #define F(x, x)\n               ^\n1 error generated\n",
    );
    check(
        "#define X 1\n#define X 1\n#define X 2",
        "a.cl:3:9: warning: macro 'X' is redefined\n  #define X 2\n          ^\n\
         a.cl:2:9: note: it was defined differently here\n  #define X 1\n          ^\n1 warning generated\n",
    );
    check("#define M_PI 3\n#define NAN 0", "");
    check(
        "#define V __VA_ARGS__",
        "a.cl:1:11: error: '__VA_ARGS__' can only appear in the replacement of a macro with '...'\n  \
         #define V __VA_ARGS__\n            ^~~~~~~~~~~\n1 error generated\n",
    );
}

#[test]
fn calls() {
    check(
        "#define F(x) x\nF(1,2) F()",
        "a.cl:2:1: error: macro 'F' needs 1 argument, 2 given\n  F(1,2) F()\n  ^\n\
         a.cl:1:9: note: the macro is defined here\n  #define F(x) x\n          ^\n1 error generated\n",
    );
    check(
        "#define F(x) x\nF(1",
        "a.cl:2:1: error: the call of macro 'F' has no ')'\n  F(1\n  ^\n\
         a.cl:1:9: note: the macro is defined here\n  #define F(x) x\n          ^\n1 error generated\n",
    );
    check(
        "\t#define CAT(a, b) a ## b\n\tCAT(+, /)",
        "a.cl:2:6: error: '##' of '+' and '/' does not make a token\n  \tCAT(+, /)\n  \t    ^\n1 error generated\n",
    );
}

#[test]
fn the_text_after_a_macro_call_without_its_parenthesis_is_read() {
    let text = "#define F(x) x\nkernel void f(global int *p) {\n  p[0] = F(1;\n  p[1] = two, three;\n}\n";
    let (diagnostics, sources) = compile_errors(text, &Options::default());
    let all = ErrorLimit { errors: None, remedy: "" };
    assert_eq!(
        diagnostics.render(&sources, Form::Short, all),
        "a.cl:3:10: error: the call of macro 'F' has no ')'\n\
         a.cl:4:10: error: use of undeclared identifier 'two'\n\
         a.cl:4:15: error: use of undeclared identifier 'three'\n"
    );
    // The rest is read again once, however many such calls there are.
    let many = format!("#define F(x) x\n{}", "F(1;\n".repeat(100_000));
    let start = std::time::Instant::now();
    let (diagnostics, _) = compile_errors(&many, &Options::default());
    assert!(diagnostics.error_count() >= 2 && start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}

#[test]
fn other_directives() {
    check(
        "#inclde <x>",
        "a.cl:1:1: error: unknown directive '#inclde'; did you mean '#include'?\n  #inclde <x>\n  ^~~~~~~\n1 error generated\n",
    );
    check(
        "#error don't \\\n do this",
        "a.cl:1:1: error: don't do this\n  #error don't \\\n  ^~~~~~\n1 error generated\n",
    );
    check("#warning w", "a.cl:1:1: warning: w\n  #warning w\n  ^~~~~~~~\n1 warning generated\n");
    check(
        "#line 77 \"x.h\"\n\n#error here",
        "x.h:78:1: error: here\n  #error here\n  ^~~~~~\n1 error generated\n",
    );
    check("x /* abc", "a.cl:1:3: error: this comment is not closed\n  x /* abc\n    ^~\n1 error generated\n");
    check(
        "#pragma foo\n#pragma OPENCL EXTENSION cl_khr_nope : enable\n#pragma unroll 0",
        "a.cl:1:9: warning: unknown pragma is ignored\n  #pragma foo\n          ^~~\n\
         a.cl:2:26: warning: the device does not support extension 'cl_khr_nope': the pragma is ignored\n  \
         #pragma OPENCL EXTENSION cl_khr_nope : enable\n                           ^~~~~~~~~~~\n\
         a.cl:3:16: warning: expected a positive number of iterations: the pragma is ignored\n  \
         #pragma unroll 0\n                 ^\n3 warnings generated\n",
    );
}

#[test]
fn includes() {
    check(
        "#include <x>",
        "a.cl:1:10: error: file 'x' not found\n  #include <x>\n           ^~~\n\
         note: add the directory that holds it with -I\n1 error generated\n",
    );
    let headers = Headers(&[("a.h", "#error x")]);
    assert_eq!(
        errors_with("#include \"a.h\"", &Options::default(), headers),
        "In file included from a.cl:1:\na.h:1:1: error: x\n  #error x\n  ^~~~~~\n1 error generated\n",
    );
    let headers = Headers(&[("a.h", "#include \"b.h\"\n"), ("b.h", "\n#include \"a.h\"\n")]);
    let rendered = errors_with("#include \"a.h\"", &Options::default(), headers);
    let (chain, error) = rendered.split_once("b.h:2:10: ").expect("the error is in the innermost file");
    assert!(chain.starts_with("In file included from a.cl:1:\nIn file included from a.h:1:\n"), "{chain}");
    assert!(chain.contains("\n(56 more files):\n") && chain.lines().count() == 9, "{chain}");
    assert_eq!(
        error,
        "error: #include is nested deeper than 64 files\n  #include \"a.h\"\n           ^~~~~\n\
         note: 'b.h' includes itself: b.h → a.h → b.h\n1 error generated\n",
    );
}

#[test]
fn the_library_of_cxx_is_refused_with_the_section() {
    for (standard, section) in
        [("-cl-std=CLC++2021", "C++ for OpenCL §2.1"), ("-cl-std=c++", "OpenCL C++ §2.9")]
    {
        let options = Options::parse(standard).expect("the option is known");
        let text = errors_with("#include <vector>", &options, Headers(&[]));
        assert!(text.contains(section), "{text}");
    }
    assert!(errors("#include <vector>").contains("with -I"), "in C it is a header like others");
}

/// The messages of the whole front end.
fn compile_errors(text: &str, options: &Options) -> (Diagnostics, SourceMap) {
    let failure =
        clvk_frontend::compile("a.cl", text, options, &Headers(&[])).err().expect("there is an error");
    (failure.diagnostics, failure.sources)
}

#[test]
fn the_macros_that_an_error_comes_from_are_named() {
    let text = "#define BAD(x) x + 09\n#define OUTER(y) (BAD(y))\nconstant int a =\n  OUTER(1);\n";
    let (diagnostics, sources) = compile_errors(text, &Options::default());
    assert_eq!(
        diagnostics.render_plain(&sources),
        "a.cl:4:3: error: invalid digit '9' in octal literal\n  \x20 OUTER(1);\n    ^~~~~~~~\n\
         a.cl:1:20: note: in expansion of macro 'BAD'\n  #define BAD(x) x + 09\n                     ^~\n\
         a.cl:2:19: note: in expansion of macro 'OUTER'\n  #define OUTER(y) (BAD(y))\n                    ^~~~~~\n\
         1 error generated\n",
    );
    let pretty = diagnostics.render_pretty(&sources, false);
    for part in [
        "error: invalid digit '9' in octal literal",
        " --> a.cl:4:3",
        " ::: a.cl:2:19: in expansion of macro 'OUTER'",
    ] {
        assert!(pretty.contains(part), "{part} is not in\n{pretty}");
    }
    assert!(!pretty.contains('\x1b'), "no colours were asked for");
    assert!(diagnostics.render_pretty(&sources, true).contains('\x1b'));
}

#[test]
fn an_argument_is_shown_where_it_is_written() {
    let text = "#define ID(x) x\nconstant int a = ID(ID(0b3));\n";
    let (diagnostics, sources) = compile_errors(text, &Options::default());
    assert_eq!(
        diagnostics.render_plain(&sources),
        "a.cl:2:24: error: invalid digit '3' in binary literal\n  constant int a = ID(ID(0b3));\n                         ^~~\n1 error generated\n",
    );
}

#[test]
fn a_span_from_an_argument_into_the_body_shows_the_call() {
    let mut sources = SourceMap::default();
    let mut diagnostics = Diagnostics::default();
    let options = Options::default();
    let mut interner = clvk_frontend::testing::Interner::default();
    let environment = clvk_frontend::testing::Environment {
        options: &options,
        includes: &Headers(&[]),
        interner: &mut interner,
        sources: &mut sources,
        diagnostics: &mut diagnostics,
    };
    let tokens =
        clvk_frontend::testing::preprocess("a.cl", "#define F(x) x.y\n\na + F(1.5f) + b", environment);
    assert_eq!(tokens.len(), 7);
    let span = tokens[2].span.to(tokens[4].span);
    assert_eq!(sources.location(span).column, 5);
    diagnostics.push(Diagnostic::error(span, "no such member").label("of a float").note("try less"));
    assert_eq!(
        diagnostics.render_plain(&sources),
        "a.cl:3:5: error: no such member\n  a + F(1.5f) + b\n      ^~~~~~~ of a float\n\
         a.cl:1:16: note: in expansion of macro 'F'\n  #define F(x) x.y\n                 ^\nnote: try less\n1 error generated\n",
    );
    let whole = tokens[0].span.to(tokens[6].span);
    assert_eq!(sources.source_text(whole), "a + F(1.5f) + b");
}

#[test]
fn warnings_can_be_silenced_or_made_errors() {
    let silent = Options { no_warnings: true, warnings_are_errors: true, ..Options::default() };
    assert_eq!(errors_with("#warning w", &silent, Headers(&[])), "");
    let strict = Options { warnings_are_errors: true, ..Options::default() };
    assert_eq!(
        errors_with("#warning w", &strict, Headers(&[])),
        "a.cl:1:1: error: w [-Werror]\n  #warning w\n  ^~~~~~~~\n1 error generated\n",
    );
}

#[test]
fn long_lines_are_cut_around_the_caret() {
    let text = format!("{} #bad {}", "é ".repeat(1_000_000), "y ".repeat(1_000_000));
    let text = text + "\n" + &"x".repeat(1_000_000) + "`" + &"y".repeat(1_000_000);
    let (diagnostics, sources) = compile_errors(&text, &Options::default());
    // The text is not OpenCL C, which would hide all errors but the first.
    let all = ErrorLimit { errors: None, remedy: "" };
    let render = |form| diagnostics.render(&sources, form, all);
    let (plain, pretty) = (render(Form::Plain), render(Form::Pretty { colour: false }));
    for (rendered, header, gutter) in [
        (&plain, "a.cl:2:1000001: error: unexpected character '`'", "  "),
        (&pretty, " --> a.cl:2:1000001", "2 | "),
    ] {
        let message = rendered.find(header);
        assert!(message.is_some(), "{}", &rendered[..rendered.floor_char_boundary(2000)]);
        let lines: Vec<&str> = rendered[message.unwrap_or(0)..].lines().collect();
        let line = lines[1].strip_prefix(gutter).unwrap_or_else(|| panic!("{}", lines[1]));
        assert!(line.starts_with("…xxx") && line.ends_with("y…") && line.chars().count() < 170, "{line}");
        assert_eq!(lines[1].chars().nth(lines[2].find('^').unwrap_or(0)), Some('`'));
        assert!(rendered.len() < 200_000, "{} bytes", rendered.len());
    }
}

#[test]
fn messages_come_in_the_order_of_their_places_and_are_counted() {
    let mut sources = SourceMap::default();
    let file = sources.add_file("a.cl", "one\ntwo\n", None).expect("small");
    let start = sources.file_start(file);
    let mut diagnostics = Diagnostics::default();
    diagnostics.push(Diagnostic::error(Span::new(start + 4, start + 7), "second"));
    diagnostics
        .push(Diagnostic::warning(Span::new(start, start + 3), "first").related(Span::NONE, "nowhere"));
    assert_eq!(
        diagnostics.render_plain(&sources),
        "a.cl:1:1: warning: first\n  one\n  ^~~\nnote: nowhere\na.cl:2:1: error: second\n  two\n  ^~~\n\
         1 warning and 1 error generated\n",
    );
    for _ in 0..1000 {
        diagnostics.push(Diagnostic::error(Span::NONE, "again"));
    }
    let plain = diagnostics.render_plain(&sources);
    assert!(
        plain.ends_with("and 1 more warning and 981 more errors\n1 warning and 1001 errors generated\n"),
        "{plain}"
    );
    assert_eq!(plain.matches("error: again").count(), 20);
    let all = ErrorLimit { errors: None, remedy: "show all" };
    let plain = diagnostics.render(&sources, Form::Short, all);
    assert_eq!(plain.matches("error: again").count(), 999);
    assert!(plain.ends_with("and 1 more error\n"), "those that are not kept cannot be shown: {plain}");
    let ten = ErrorLimit { errors: NonZeroUsize::new(10), remedy: "show all with --error-limit 0" };
    let short = diagnostics.render(&sources, Form::Short, ten);
    assert!(short.ends_with("more errors; show all with --error-limit 0\n"), "{short}");
}

#[test]
fn places_that_belong_to_a_message_are_shown_at_their_own_position() {
    let text = "int one(int x);\n\n\tint two = one(\"é\" + 3);\n";
    let mut sources = SourceMap::default();
    let file = sources.add_file("a.cl", text, None).expect("small");
    let span = |part: &str| {
        let start = sources.file_start(file) + text.find(part).expect("it is there") as u32;
        Span::new(start, start + part.len() as u32)
    };
    let mut diagnostics = Diagnostics::default();
    diagnostics.push(
        Diagnostic::error(span("+"), "no such sum")
            .mark(span("\"é\""), "a string")
            .mark(span("3"), "'int'")
            .related(span("x"), "the parameter 'x' is declared here")
            .related(Span::NONE, "nowhere")
            .note("write a number"),
    );
    assert_eq!(
        diagnostics.render_pretty(&sources, false),
        "error: no such sum
 --> a.cl:3:20
3 |     int two = one(\"é\" + 3);
  |                   --- ^ - 'int'
  |                   a string
 ::: a.cl:1:13: the parameter 'x' is declared here
1 | int one(int x);
  |             -
  = nowhere
  = write a number

1 error generated
"
    );
}
