//! Directives, predefined macros and the resulting tokens.

use clvk_frontend::source::IncludeResolver;
use clvk_frontend::testing::Interner;
use clvk_frontend::testing::{Environment, preprocess};
use clvk_frontend::testing::{FloatSuffix, Keyword, Pragma, Token, TokenKind};
use clvk_frontend::{Diagnostics, LanguageVersion, NoIncludes, Options, SourceMap, preprocess_only};
use clvk_interface::{Feature, FeatureSet};
use std::path::{Path, PathBuf};

fn expand_with(text: &str, options: &Options, includes: &dyn IncludeResolver) -> String {
    match preprocess_only("main.cl", text, options, includes) {
        Ok(output) => {
            let lines = output.text.lines().filter(|line| !line.starts_with("#line"));
            lines.collect::<Vec<_>>().join(" ").split_whitespace().collect::<Vec<_>>().join(" ")
        }
        Err(failure) => panic!("{}", failure.diagnostics.render_plain(&failure.sources)),
    }
}

fn expand(text: &str) -> String {
    expand_with(text, &Options::default(), &NoIncludes)
}

/// The tokens, their names, and the messages.
fn tokens(text: &str, options: &Options) -> (Vec<Token>, Interner, String) {
    let (mut interner, mut sources) = (Interner::default(), SourceMap::default());
    let mut diagnostics = Diagnostics::new(options);
    let (includes, interner_) = (&NoIncludes, &mut interner);
    let environment = Environment {
        options,
        includes,
        interner: interner_,
        sources: &mut sources,
        diagnostics: &mut diagnostics,
    };
    let tokens = preprocess("main.cl", text, environment);
    let messages = diagnostics.render_plain(&sources);
    (tokens, interner, messages)
}

fn holds(condition: &str) -> bool {
    expand(&format!("#if {condition}\nyes\n#else\nno\n#endif")) == "yes"
}

#[test]
fn conditions_have_the_values_of_c() {
    for condition in [
        "1",
        "2 - 1",
        "1 + 2 * 3 == 7",
        "(1 + 2) * 3 == 9",
        "-1 < 0",
        "-1 > 0u",
        "~0 == -1",
        "!0",
        "!!5 == 1",
        "7 / 2 == 3",
        "-7 / 2 == -3",
        "-7 % 3 == -1",
        "1 << 63 < 0",
        "1u << 63 > 0",
        "-8 >> 1 == -4",
        "0x7fffffffffffffff + 1 < 0",
        "18446744073709551615 == -1",
        "1 ? 2 : 0",
        "0 ? 0 : 1 ? 2 : 0",
        "(1 ? -1 : 0u) > 0",
        "1 || 0 && 0",
        "3 & 6 ^ 1 | 8",
        "(3 & 6 ^ 1 | 8) == 11",
        "'a' == 97",
        "'\\377' < 0",
        "1 == 1 != 0",
        "5 > 4 == 1",
        "defined X == 0",
        "!defined(X)",
        "undefined_name == 0",
        "0x10 == 16 && 010 == 8 && 0b11 == 3",
        "1 - 1 - 1 == -1",
        "100 / 10 / 5 == 2",
        "- - 1 == 1",
        "-9223372036854775807 - 1 == (-9223372036854775807 - 1) / -1",
        "1 << 64 == 0",
        "1 << -1 == 0",
        "true",
    ] {
        assert!(holds(condition), "{condition}");
        assert!(!holds(&format!("!({condition})")), "!({condition})");
    }
    assert_eq!(expand("#define X 0\n#define D defined(X) && !X\n#if D\nyes\n#endif"), "yes");
    assert_eq!(
        expand("#define F(x) x + 1\n#define NAME F\n#if NAME (1) == 2 && F(\\\n2) == 3\nyes\n#endif"),
        "yes"
    );
}

#[test]
fn one_group_of_a_conditional_is_compiled() {
    let text = |first: u32, second: u32| {
        format!("#if {first}\na\n#elif {second}\nb\n#if 0\nx\n#else\nc\n#endif\n#else\nd\n#endif\ne")
    };
    assert_eq!(expand(&text(1, 1)), "a e");
    assert_eq!(expand(&text(0, 1)), "b c e");
    assert_eq!(expand(&text(0, 0)), "d e");
    assert_eq!(expand("#ifdef X\na\n#else\nb\n#endif\n#ifndef X\nc\n#endif"), "b c");
    // Skipped text must be tokens only; directives in comments and strings are none; an #elif after is not
    // evaluated.
    let text = "#if 0\ndont /*\n#else\n*/ don't /*\n \"a /* b\" // \\\n#else\n# unknown\n#if 1 /\n#endif\n#elif 1\nyes\n#elif 1 / 0\n#endif";
    assert_eq!(expand(text), "yes");
    assert_eq!(expand("#if 0\n\\\n#else\nyes\n#\\\nendif\nmore"), "yes more");
}

#[test]
fn lines_are_joined_before_anything_else() {
    assert_eq!(
        expand("in\\\nt a\\  \nb = 1\\\r\n2; // c \\\n c2\n\"x\\\ny\" +\\\n+ /\\\n* c *\\\n/ %:\\\n%: end"),
        "int ab = 12; \"xy\" ++ ## end"
    );
    let (tokens, interner, messages) = tokens("long_\\\nname = 1\\\n.5\\\ne+1\\\n0f;", &Options::default());
    assert_eq!(messages, "");
    assert_eq!(tokens[0].kind, TokenKind::Identifier(interner.get("long_name").expect("it is a token")));
    assert_eq!(tokens[0].span.end - tokens[0].span.start, 11);
    assert!(matches!(tokens[2].kind, TokenKind::Float(value, FloatSuffix::Float, _) if value == 1.5e10));
}

#[test]
fn places_are_known_to_macros() {
    let text = "__LINE__ __FILE__\n#define HERE __LINE__\n\nHERE\n#line 100 \"other \\\"name\\\".cl\"\nHERE __FILE__\n# 7\n__LINE__\n\
        __COUNTER__ __COUNTER__ __INCLUDE_LEVEL__";
    assert_eq!(expand(text), "1 \"main.cl\" 4 100 \"other \\\"name\\\".cl\" 7 0 1 0");
    let date = expand("__DATE__ __TIME__");
    assert_eq!(date.len(), "\"Jan 01 2024\" \"00:00:00\"".len() - usize::from(date.contains("  ")), "{date}");
}

struct Headers;

impl IncludeResolver for Headers {
    fn resolve(&self, name: &str, quoted: bool, from: &Path) -> Option<Result<(PathBuf, String), String>> {
        let text = match (name, quoted) {
            ("a.h", true) => "A __FILE__ __INCLUDE_LEVEL__",
            ("a.h", false) => "system",
            ("once.h", _) => "#pragma once\nonce",
            ("dir/b.h", _) => "#include \"c.h\"\nB",
            ("c.h", _) if from == Path::new("dir/b.h") => "C\n#define FROM_C 1",
            ("bad.h", _) => return Some(Err("it is a directory".to_owned())),
            _ => return None,
        };
        Some(Ok((name.into(), text.to_owned())))
    }
}

#[test]
fn files_are_included() {
    let options = Options::default();
    let text = "#include \"a.h\"\n#include <a.h>\n#define H(x) <x.h>\n#include H(a)\n#define Q \"a.h\"\n#include Q\n\
        #include \"once.h\"\n#include \"once.h\" // again\n#include \"dir/b.h\"\nFROM_C";
    assert_eq!(expand_with(text, &options, &Headers), "A \"a.h\" 1 system system A \"a.h\" 1 once C B 1");
    for (text, message) in [
        ("#include \"bad.h\"", "'bad.h' cannot be included: it is a directory"),
        ("#include \"c.h\"", "file 'c.h' not found"),
        ("#include", "expected \"FILE\" or <FILE> after #include"),
        ("#include \"\"", "the file name is empty"),
        ("#define F(x) x\nF(1\n#include \"a.h\"\n)", "#include in the arguments of a macro is not supported"),
    ] {
        let failure = preprocess_only("main.cl", text, &options, &Headers).expect_err(text);
        assert_eq!(failure.diagnostics.list()[0].message, message);
    }
}

/// Two directories that hold a file of the same name.
struct Layers;

impl IncludeResolver for Layers {
    fn resolve(&self, name: &str, _: bool, _: &Path) -> Option<Result<(PathBuf, String), String>> {
        let text = "first\n#if __has_include_next(\"layer.h\")\n#include_next \"layer.h\"\n#endif";
        (name == "layer.h").then(|| Ok(("first/layer.h".into(), text.to_owned())))
    }

    fn resolve_next(&self, name: &str, from: &Path) -> Option<Result<(PathBuf, String), String>> {
        let text = "second\n#if __has_include_next(\"layer.h\")\nthird\n#endif";
        (name == "layer.h" && from == Path::new("first/layer.h"))
            .then(|| Ok(("second/layer.h".into(), text.to_owned())))
    }
}

#[test]
fn files_of_the_next_directory_are_included() {
    let options = Options::default();
    assert_eq!(expand_with("#include \"layer.h\"\nrest", &options, &Layers), "first second rest");
    // In the main file there is no directory to continue after.
    assert_eq!(expand_with("#include_next <layer.h>", &options, &Layers), "first second");
    let failure =
        preprocess_only("main.cl", "#include_next \"x.h\"", &options, &Layers).expect_err("no such file");
    assert!(failure.diagnostics.render_plain(&failure.sources).contains("file 'x.h' not found"));
}

#[test]
fn the_file_system_knows_what_is_next() {
    let folder = std::env::temp_dir().join(format!("clvk-include-next-{}", std::process::id()));
    let file = |layer: &str, text: &str| {
        std::fs::create_dir_all(folder.join(layer)).expect("a folder");
        std::fs::write(folder.join(layer).join("layer.h"), text).expect("a file");
    };
    file("a", "a\n#include_next <layer.h>");
    file("b", "b\n#if __has_include_next(<layer.h>)\n#error\n#endif");
    let directories = vec![folder.join("a"), folder.join("b")];
    let includes = clvk_frontend::FileIncludes { directories };
    let text = expand_with("#include <layer.h>", &Options::default(), &includes);
    std::fs::remove_dir_all(&folder).expect("the folder is ours");
    assert_eq!(text, "a b");
}

#[test]
fn conditions_ask_what_there_is() {
    let options = Options::default();
    let asks = |condition: &str| {
        expand_with(&format!("#if {condition}\nyes\n#else\nno\n#endif"), &options, &Headers) == "yes"
    };
    for condition in [
        "__has_include(\"a.h\")",
        "__has_include(<a.h>) && !__has_include(\"d.h\")",
        "defined(__has_include) && defined __has_include_next",
        "__has_include_next(<a.h>)",
        "__has_attribute(__packed__) && __has_attribute(overloadable) && !__has_attribute(section)",
        "__has_builtin(__builtin_expect) && !__has_builtin(__builtin_alloca)",
        "!__has_feature(modules) && !__has_extension(blocks)",
    ] {
        assert!(asks(condition), "{condition}");
    }
    let macro_name =
        "#define NAME <a.h>\n#define a b\n#if __has_include(NAME) || !__has_include(<a.h>)\n1\n#endif";
    // The written form is not expanded; a macro's replacement is fully expanded.
    assert_eq!(expand_with(macro_name, &options, &Headers), "");
}

#[test]
fn optional_tokens_depend_on_variable_arguments() {
    let define = "#define F(a, ...) f(a __VA_OPT__(,) __VA_ARGS__)\n#define G(X, ...) X ## __VA_OPT__(x ## X)\n\
        #define H(X, ...) __VA_OPT__(a X ## X) ## b\n#define EMPTY\n#define P(...) x ## __VA_OPT__() ## y\n";
    let given = |text: &str| expand(&format!("{define}{text}"));
    assert_eq!(given("F(1) F(1, 2) F(1, 2, 3) F(1,) F(1, EMPTY)"), "f(1) f(1, 2) f(1, 2, 3) f(1) f(1)");
    assert_eq!(given("G(a) G(a, 1)"), "a axa");
    assert_eq!(given("H(p) H(p, 1) P() P(1)"), "b a ppb xy xy");
}

#[test]
fn the_options_define_macros() {
    let options = Options::parse("-D A -DB=2 -D \"C=x y\" -U B -DF(x)=[x]").expect("they are right");
    assert_eq!(
        expand_with("A B C F(1) __LINE__ __INCLUDE_LEVEL__", &options, &NoIncludes),
        "1 B x y [1] 1 0"
    );
}

#[test]
fn the_version_and_the_features_define_macros() {
    let names = "__OPENCL_VERSION__ __OPENCL_C_VERSION__ CL_VERSION_1_2 CL_VERSION_2_0 CL_VERSION_3_0 CL_VERSION_3_1 \
        cl_khr_fp64 __opencl_c_fp64 __IMAGE_SUPPORT__ __FAST_RELAXED_MATH__ __ENDIAN_LITTLE__";
    let features: FeatureSet = [Feature::Fp64, Feature::Fp64LanguageFeature].into_iter().collect();
    let mut options = Options { features, ..Options::default() };
    assert_eq!(
        expand_with(names, &options, &NoIncludes),
        "300 120 120 CL_VERSION_2_0 CL_VERSION_3_0 CL_VERSION_3_1 1 __opencl_c_fp64 __IMAGE_SUPPORT__ \
         __FAST_RELAXED_MATH__ 1"
    );
    options.version = LanguageVersion::C31;
    options.features = FeatureSet::all();
    options.fast_relaxed_math = true;
    assert_eq!(expand_with(names, &options, &NoIncludes), "300 310 120 200 300 310 1 1 1 1 1");
}

#[test]
fn the_constants_of_the_language() {
    let (tokens, _, messages) = tokens(
        "M_PI_F INFINITY NAN HUGE_VALF CLK_GLOBAL_MEM_FENCE INT_MIN M_PI DBL_MAX",
        &Options::default(),
    );
    assert_eq!(messages, "");
    let float = |index: usize| match tokens[index].kind {
        TokenKind::Float(value, FloatSuffix::Float, _) => value,
        other => panic!("{other:?}"),
    };
    assert_eq!(float(0), std::f64::consts::PI);
    assert_eq!(float(1), f64::INFINITY);
    assert!(float(2).is_nan());
    assert_eq!(float(3), f64::INFINITY);
    assert!(matches!(tokens[4].kind, TokenKind::Int(2, _)));
    // INT_MIN is six tokens. Without double precision, M_PI is a macro, as in clang, and DBL_MAX is not: it
    // has no value in single precision.
    assert_eq!(tokens.len(), 5 + 6 + 2);
    assert!(
        matches!(tokens[11].kind, TokenKind::Float(value, FloatSuffix::None, _) if value == std::f64::consts::PI)
    );
    assert!(matches!(tokens[12].kind, TokenKind::Identifier(_)));
    assert_eq!(tokens[5].span, tokens[10].span, "they stand where the name stands");
    assert_eq!(
        expand("kernel_exec(64, float4) void f();"),
        "__kernel __attribute__((work_group_size_hint(64, 1, 1))) __attribute__((vec_type_hint(float4))) void f();"
    );
    assert_eq!(expand("#undef M_PI_F\n#define M_PI_F 3\n#ifdef FLT_MAX\nM_PI_F\n#endif"), "3");
}

#[test]
fn pragmas_reach_the_parser_where_they_stand() {
    let text = "#define N 4\n#pragma unroll N\nfor\n#define P _Pragma(\"nounroll\") while\nP\n\
        #pragma OPENCL FP_CONTRACT OFF\n#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n#pragma OPENCL EXTENSION all : disable\n\
        _Pragma(\"unroll\") do";
    let options = Options { features: FeatureSet::all(), ..Options::default() };
    let (tokens, interner, messages) = tokens(text, &options);
    assert_eq!(messages, "");
    let kinds: Vec<TokenKind> = tokens.iter().map(|token| token.kind).collect();
    let name = |text: &str| interner.get(text).expect("it is in the text");
    assert_eq!(
        kinds,
        [
            TokenKind::Pragma(Pragma::Unroll(Some(4))),
            TokenKind::Keyword(Keyword::For),
            TokenKind::Pragma(Pragma::Unroll(Some(1))),
            TokenKind::Keyword(Keyword::While),
            TokenKind::Pragma(Pragma::FpContract(Some(false))),
            TokenKind::Pragma(Pragma::Extension { name: name("cl_khr_fp16"), enable: true }),
            TokenKind::Pragma(Pragma::Extension { name: name("all"), enable: false }),
            TokenKind::Pragma(Pragma::Unroll(None)),
            TokenKind::Keyword(Keyword::Do),
        ]
    );
}

#[test]
fn keywords_depend_on_the_version() {
    let kinds = |version| {
        let (tokens, ..) =
            tokens("pipe generic __generic kernel", &Options { version, ..Options::default() });
        tokens.iter().map(|token| matches!(token.kind, TokenKind::Keyword(_))).collect::<Vec<_>>()
    };
    assert_eq!(kinds(LanguageVersion::C12), [false, false, true, true]);
    assert_eq!(kinds(LanguageVersion::C20), [true, true, true, true]);
}

#[test]
fn strings_and_bad_tokens() {
    let (tokens, interner, messages) = tokens("\"a\\n\\xff\\101é\"", &Options::default());
    assert_eq!(messages, "");
    let TokenKind::Str(text) = tokens[0].kind else { panic!("{tokens:?}") };
    let bytes: Vec<u32> = interner.text(text).chars().map(u32::from).collect();
    assert_eq!(bytes, [97, 10, 255, 65, 0xc3, 0xa9]);
    for (text, message) in [
        ("\"abc", "the \" quote is not closed on its line"),
        ("'abc", "the ' quote is not closed on its line"),
        ("''", "empty character literal"),
        ("\"\\q\"", "unknown escape sequence '\\q'"),
        ("a \u{1}", "unexpected character '\\u{1}'"),
        ("1 \\ 2", "unexpected character '\\\\'"),
        ("99999999999999999999", "integer literal is too large to be represented in any integer type"),
        ("1.0e", "exponent of floating-point literal has no digits"),
        ("1lL", "invalid suffix 'lL' on integer literal"),
        ("1lul", "invalid suffix 'lul' on integer literal"),
        ("1lll", "invalid suffix 'lll' on integer literal"),
    ] {
        let messages = self::tokens(text, &Options::default()).2;
        assert!(messages.contains(&format!("error: {message}\n")), "{text}: {messages}");
    }
}

#[test]
fn preprocessed_text_preprocesses_to_the_same_tokens() {
    let text = "#define PLUS +\n#define NEG -\n#define EMPTY\n#define CAT(a, b) a ## b\n\n\nint x = -NEG 1 +PLUS+ 2;\n\n\n\n\n\n\n\n\n\n\n\n\n\
        float y = M_PI_F / INFINITY; /* c */ int EMPTY z\n= CAT(1, 2)CAT(3, 4)EMPTY.x; a<EMPTY<b;\n#pragma OPENCL FP_CONTRACT ON\n\
        #pragma unroll 3\nfor (;;) { x EMPTY= x; }\n";
    let options = Options::default();
    let output =
        preprocess_only("main.cl", text, &options, &NoIncludes).unwrap_or_else(|_| panic!("no errors"));
    let (first, first_names, _) = tokens(text, &options);
    let (second, second_names, messages) = tokens(&output.text, &options);
    assert_eq!(messages, "", "{}", output.text);
    let show = |tokens: &[Token], names: &Interner| -> Vec<String> {
        tokens
            .iter()
            .map(|token| match token.kind {
                TokenKind::Identifier(name) => names.text(name).to_owned(),
                TokenKind::Float(value, suffix, _) => format!("{value} {suffix:?}"),
                kind => format!("{kind:?}"),
            })
            .collect()
    };
    assert_eq!(show(&first, &first_names), show(&second, &second_names), "{}", output.text);
}

#[test]
fn a_number_sign_that_begins_no_directive_begins_none_in_the_text() {
    for (text, expected) in [
        ("#define H #\nH define A 1\nA", "# define A 1 A"),
        ("a\n#define H %:\nH undef A\nA", "a # undef A A"),
        ("#define N\nN # if 0\nb", "# if 0 b"),
        ("#define H #\nH\nH line 3\n\n\n\n\n\n\n\n\n\n\n\nc", "# # line 3 c"),
        ("#define H #\nH error no", "# error no"),
    ] {
        let print = |text: &str| {
            let output = preprocess_only("main.cl", text, &Options::default(), &NoIncludes);
            output
                .unwrap_or_else(|failure| panic!("{}", failure.diagnostics.render_plain(&failure.sources)))
                .text
        };
        let once = print(text);
        let (mut read, again) = (String::new(), print(&once));
        for line in again.lines().filter(|line| !line.starts_with("#line") && !line.starts_with("#define")) {
            read.push_str(&line.replace("__clvk_nothing", ""));
            read.push(' ');
        }
        assert_eq!(read.split_whitespace().collect::<Vec<_>>().join(" "), expected, "{text}\n{once}");
    }
}

#[test]
fn the_text_is_read_without_a_complaint_whatever_lines_and_names_it_has() {
    for text in [
        "a _Pragma(\"pack(1)\")# )\nb",
        "#line 7 \"a\\nb\\\"c\\\\\"\nd __FILE__\n",
        "#line 2147483647\na\nb\n\n\n\n\n\n\n\n\n\n\n\n\n\nc",
    ] {
        let print = |text: &str| {
            let output = preprocess_only("main.cl", text, &Options::default(), &NoIncludes);
            match output {
                Ok(output) => output.text,
                Err(failure) => panic!("{text}\n{}", failure.diagnostics.render_plain(&failure.sources)),
            }
        };
        print(&print(text));
    }
}

#[test]
fn an_open_quote_takes_no_more_of_the_text_than_of_its_line() {
    // The argument's lines are joined.
    let text = "#define CALL(x) x\nCALL(a \"b\nc) d\n";
    let output =
        preprocess_only("a.cl", text, &Options::default(), &NoIncludes).expect("it is accepted").text;
    let lines: Vec<&str> = output.lines().map(str::trim).collect();
    assert!(lines.windows(2).any(|pair| pair == ["a \"b", "c d"]), "{output}");
}
