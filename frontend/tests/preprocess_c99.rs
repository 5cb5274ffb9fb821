//! The examples of C99 §6.10.3.4 and §6.10.3.5, which define the results of macro expansion.

use clvk_frontend::{NoIncludes, Options, preprocess_only};

/// The preprocessed text of a file, one blank between tokens, without `#line`.
fn expand(text: &str) -> String {
    let output = match preprocess_only("t.cl", text, &Options::default(), &NoIncludes) {
        Ok(output) => output,
        Err(failure) => panic!("{}", failure.diagnostics.render_plain(&failure.sources)),
    };
    let lines: Vec<&str> = output.text.lines().filter(|line| !line.starts_with("#line")).collect();
    lines.join(" ").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text without blanks, because the examples and the printer place blanks differently.
fn tight(text: &str) -> String {
    text.split_whitespace().collect()
}

#[test]
fn example_1_constants() {
    let text = "#define TABSIZE 100\nint table[TABSIZE];";
    assert_eq!(tight(&expand(text)), "inttable[100];");
}

#[test]
fn example_3_redefinition_and_reexamination() {
    let text = "#define x 3\n#define f(a) f(x * (a))\n#undef x\n#define x 2\n#define g f\n#define z z[0]\n\
        #define h g(~\n#define m(a) a(w)\n#define w 0,1\n#define t(a) a\n#define p() int\n#define q(x) x\n\
        #define r(x,y) x ## y\n#define str(x) # x\n\
        f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);\ng(x+(3,4)-w) | h 5) & m\n(f)^m(m);\n\
        p() i[q()] = { q(1), r(2,3), r(4,), r(,5), r(,) };\nchar c[2][6] = { str(hello), str() };";
    let expected = "f(2 * (y+1)) + f(2 * (f(2 * (z[0])))) % f(2 * (0)) + t(1);\n\
        f(2 * (2+(3,4)-0,1)) | f(2 * (~ 5)) & f(2 * (0,1))^m(0,1);\n\
        int i[] = { 1, 23, 4, 5, };\nchar c[2][6] = { \"hello\", \"\" };";
    assert_eq!(tight(&expand(text)), tight(expected));
}

#[test]
fn example_4_strings_and_pasting() {
    let text = "#define str(s) # s\n#define xstr(s) str(s)\n\
        #define debug(s, t) printf(\"x\" # s \"= %d, x\" # t \"= %s\", \\\n x ## s, x ## t)\n\
        #define INCFILE(n) vers ## n\n#define glue(a, b) a ## b\n#define xglue(a, b) glue(a, b)\n\
        #define HIGHLOW \"hello\"\n#define LOW LOW \", world\"\n\
        debug(1, 2);\nfputs(str(strncmp(\"abc\\0d\", \"abc\", '\\4') // this goes away\n == 0) str(: @\\n), s);\n\
        xstr(INCFILE(2).h)\nglue(HIGH, LOW);\nxglue(HIGH, LOW)";
    let expected = "printf(\"x\" \"1\" \"= %d, x\" \"2\" \"= %s\", x1, x2);\n\
        fputs(\"strncmp(\\\"abc\\\\0d\\\", \\\"abc\\\", '\\\\4') == 0\" \": @\\n\", s);\n\
        \"vers2.h\"\n\"hello\";\n\"hello\" \", world\"";
    assert_eq!(tight(&expand(text)), tight(expected));
    let blanks = expand("#define str(s) # s\nstr( a  +   b\n /* c */ (x) )");
    assert_eq!(blanks, "\"a + b (x)\"");
}

#[test]
fn example_of_pasting_hashes() {
    let text = "#define hash_hash # ## #\n#define mkstr(a) # a\n#define in_between(a) mkstr(a)\n\
        #define join(c, d) in_between(c hash_hash d)\nchar p[] = join(x, y);";
    assert_eq!(expand(text), "char p[] = \"x ## y\";");
}

#[test]
fn example_5_placemarkers() {
    let text = "#define t(x,y,z) x ## y ## z\n\
        int j[] = { t(1,2,3), t(,4,5), t(6,,7), t(8,9,), t(10,,), t(,11,), t(,,12), t(,,) };";
    assert_eq!(tight(&expand(text)), "intj[]={123,45,67,89,10,11,12,};");
}

#[test]
fn example_7_variable_arguments() {
    let text = "#define debug(...) fprintf(stderr, __VA_ARGS__)\n#define showlist(...) puts(#__VA_ARGS__)\n\
        #define report(test, ...) ((test)?puts(#test):\\\n printf(__VA_ARGS__))\n\
        debug(\"Flag\");\ndebug(\"X = %d\\n\", x);\nshowlist(The first, second, and third items.);\n\
        report(x>y, \"x is %d but y is %d\", x, y);";
    let expected = "fprintf(stderr, \"Flag\");fprintf(stderr, \"X = %d\\n\", x);\
        puts(\"The first, second, and third items.\");((x>y)?puts(\"x>y\"): printf(\"x is %d but y is %d\", x, y));";
    assert_eq!(tight(&expand(text)), tight(expected));
    assert!(expand(text).contains("\"The first, second, and third items.\""));
}

#[test]
fn gnu_variable_arguments() {
    let text = "#define a(f, ...) g(f, ## __VA_ARGS__)\n#define b(f, rest...) g(f, ## rest)\n#define x 7\n\
        a(1) a(1,) a(1, x) b(2) b(2, x, 4)";
    assert_eq!(tight(&expand(text)), "g(1)g(1)g(1,7)g(2)g(2,7,4)");
}

#[test]
fn rescanning_takes_the_rest_of_the_file() {
    assert_eq!(tight(&expand("#define f(a) a + g\n#define g(b) [b]\nf(1)(2)")), "1+[2]");
    assert_eq!(tight(&expand("#define f(a) a*g\n#define g(a) f(a)\nf(2)(9)")), "2*9*g");
    assert_eq!(tight(&expand("#define foo foo a bar\n#define bar foo 12\nfoo")), "fooafoo12");
    assert_eq!(
        tight(&expand(
            "#define EMPTY\n#define DEFER(id) id EMPTY\n#define A() 123\n#define E(x) x\nDEFER(A)() E(DEFER(A)())"
        )),
        "A()123"
    );
    // A directive between the arguments, as other compilers handle it.
    assert_eq!(tight(&expand("#define f(a) <a>\nf(1\n#define Y 2\n+ Y)")), "<1+2>");
}
