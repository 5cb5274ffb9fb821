//! Build options (OpenCL API §5.8.6).

use clvk_frontend::{LanguageVersion, NoIncludes, Options, OptionsError, compile};

fn parse(text: &str) -> Options {
    Options::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn message(text: &str) -> String {
    Options::parse(text).expect_err(text).to_string()
}

#[test]
fn macros_and_directories() {
    let options = parse(
        " -DA -D B -D C=3 -DD=\"a b\" -D 'E=\"s t\"' -D F=\\\"q\\\" -U A -UB -I one -Itwo\t-I \"a dir\" ",
    );
    let macros: Vec<(&str, Option<&str>)> =
        options.macros.iter().map(|(name, value)| (name.as_str(), value.as_deref())).collect();
    assert_eq!(
        macros,
        [
            ("A", Some("1")),
            ("B", Some("1")),
            ("C", Some("3")),
            ("D", Some("a b")),
            ("E", Some("\"s t\"")),
            ("F", Some("\"q\"")),
            ("A", None),
            ("B", None),
        ]
    );
    assert_eq!(options.include_dirs, ["one", "two", "a dir"].map(std::path::PathBuf::from));
    let split = Options::parse_arguments(["-D", "A=b c", "-w"]).expect("they are right");
    assert_eq!(split.macros, [("A".to_owned(), Some("b c".to_owned()))]);
    assert!(split.no_warnings);
}

#[test]
fn flags_and_what_they_imply() {
    let options = parse("-cl-fast-relaxed-math");
    assert!(options.fast_relaxed_math && options.finite_math_only && options.unsafe_math);
    assert!(options.no_signed_zeros && !options.denorms_are_zero);
    let options = parse("-cl-unsafe-math-optimizations");
    assert!(options.unsafe_math && options.no_signed_zeros);
    assert!(!options.finite_math_only && !options.fast_relaxed_math);
    assert!(!parse("-cl-mad-enable").unsafe_math);
    let options = parse(
        "-cl-single-precision-constant -cl-denorms-are-zero -cl-fp32-correctly-rounded-divide-sqrt -cl-opt-disable \
         -cl-no-signed-zeros -cl-finite-math-only -cl-uniform-work-group-size -cl-no-subgroup-ifp -cl-strict-aliasing \
         -cl-kernel-arg-info -g -Werror -cl-std=CL3.0",
    );
    assert!(
        options.single_precision_constants
            && options.denorms_are_zero
            && options.correctly_rounded_divide_sqrt
    );
    assert!(options.no_optimization && options.uniform_work_group_size);
    assert!(options.warnings_are_errors && options.version == LanguageVersion::C30);
    assert_eq!(parse("").version, LanguageVersion::C12);
    // Only OpenCL C++ has it.
    let option = "-cl-zero-init-local-mem-vars";
    assert!(parse(&format!("{option} -cl-std=c++")).zero_local_variables);
    assert!(message(option).contains(option));
}

#[test]
fn wrong_options_are_named() {
    assert_eq!(
        message("-w -cl-fast-relax-math"),
        "unknown build option `-cl-fast-relax-math`: did you mean `-cl-fast-relaxed-math`?"
    );
    assert_eq!(message("-Xyzzy-nothing-like-it"), "unknown build option `-Xyzzy-nothing-like-it`");
    assert_eq!(message("kernel.cl"), "unknown build option `kernel.cl`");
    assert_eq!(message("-D"), "build option `-D` needs a macro, `name` or `name=value`, after it");
    assert_eq!(message("-I"), "build option `-I` needs a directory after it");
    assert!(message("-cl-std=CL4.0").starts_with("unknown language version `CL4.0` in -cl-std"));
    assert!(message("-D 1x=2").starts_with("`1x` in `-D` is not the name of a macro"));
    assert!(message("-U a-b").starts_with("`a-b` in `-U` is not the name of a macro"));
    assert_eq!(Options::parse("-D 'x").expect_err("open"), OptionsError::OpenQuote { quote: '\'' });
    assert!(message("-é").starts_with("unknown build option `-é`"));
}

#[test]
fn options_of_other_vendors_are_kept_aside() {
    let options = parse(
        "-cl-nv-verbose -w -cl-nv-maxrregcount=32 -cl-nv-maxrregcount 64 -cl-intel-greater-than-4GB-buffer-required \
         -D A=1 -cl-amd-x -fno-bin-llvmir -fbin-exe -cl-std=CL2.0",
    );
    assert_eq!(
        options.ignored,
        [
            "-cl-nv-verbose",
            "-cl-nv-maxrregcount=32",
            "-cl-nv-maxrregcount 64",
            "-cl-intel-greater-than-4GB-buffer-required",
            "-cl-amd-x",
            "-fno-bin-llvmir",
            "-fbin-exe"
        ]
    );
    assert!(options.no_warnings && options.version == LanguageVersion::C20 && options.macros.len() == 1);
    assert!(message("-cl-nvverbose").starts_with("unknown build option"));
    assert!(message("-w 64").starts_with("unknown build option"));
}

#[test]
fn ignored_options_are_warned_about() {
    let log = |text: &str| {
        let result = compile("a.cl", "kernel void k(global int *p) { p[0] = 1; }", &parse(text), &NoIncludes);
        let compilation =
            result.unwrap_or_else(|failure| panic!("{}", failure.diagnostics.render_plain(&failure.sources)));
        compilation.diagnostics.render_plain(&compilation.sources)
    };
    let expected =
        "warning: the build option `-cl-nv-maxrregcount 64` belongs to another vendor and is ignored\n";
    assert!(log("-cl-nv-maxrregcount 64").starts_with(expected), "{}", log("-cl-nv-maxrregcount 64"));
    assert!(log("-Werror -cl-nv-maxrregcount 64").starts_with(expected), "it is not about the program");
    assert_eq!(log("-w -cl-nv-maxrregcount 64"), "");
}
