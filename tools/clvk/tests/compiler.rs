//! The compiler's interface: options, headers, kernels, objects and errors.

use clvk::interface::{AddressingMode, ScalarType};
use clvk::{
    BuildOptions, Compiler, DeviceProfile, DiskCache, Error, Layout, MemberLayout, Object, ObjectKind,
    Program, Severity,
};
use std::cell::Cell;
use std::path::PathBuf;
use std::sync::Arc;

fn profile(name: &str) -> DeviceProfile {
    DeviceProfile::preset(name).unwrap()
}

fn compiler() -> Compiler {
    Compiler::new(&profile("lavapipe-22.3")).with_cache(None)
}

/// A folder of the test's own.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn features_come_from_the_profile() {
    let double =
        "#ifndef cl_khr_fp64\n#error no doubles\n#endif\nkernel void k(global double *a) { *a *= 2; }";
    let with = profile("lavapipe-22.3");
    let without = DeviceProfile { float64: false, ..with.clone() };
    // Options come after the profile and do not take its features away.
    let compiler = Compiler::new(&with).with_options("-cl-std=CL3.0").unwrap();
    assert!(compiler.compile("double.cl", double).is_ok());
    let error = Compiler::new(&without).compile("double.cl", double).unwrap_err();
    assert!(matches!(error, Error::Source(_)), "{error}");
    assert!(error.plain().contains("double.cl:2:1: error: no doubles"), "{error}");
}

#[test]
fn options_are_refused_by_name() {
    let Err(error) = compiler().with_options("-cl-fast-relaxed-maths") else { panic!("it is not an option") };
    let text = "unknown build option `-cl-fast-relaxed-maths`: did you mean `-cl-fast-relaxed-math`?";
    assert_eq!(error.to_string(), text);
    assert_eq!(error.plain(), format!("error: {text}\n"));
    assert_eq!(error.list()[0].text, text);
    assert!(BuildOptions::from_arguments(["-D", "A=1", "-I", "a b"]).is_ok());
    assert!(BuildOptions::from_arguments(["-D"]).is_err());
}

#[test]
fn errors_render_in_three_ways() {
    let text = "#define WRONG nothing\nkernel void k(global int *a)\n{\n    int unused = WRONG; // ä\n    a[0] = more;\n}\n";
    let error = compiler().compile("wrong.cl", text).unwrap_err();
    let plain = error.plain();
    assert!(plain.starts_with("wrong.cl:4:18: error: "), "{plain}");
    assert!(plain.contains("\nwrong.cl:5:12: error: "), "{plain}");
    assert!(plain.ends_with("2 errors generated\n"), "{plain}");
    assert_eq!(format!("{error}\n"), plain);
    assert_eq!(format!("{error:?}"), error.to_string());
    let coloured = error.pretty(true);
    assert!(coloured.contains("\u{1b}[") && !error.pretty(false).contains('\u{1b}'));
    let json: serde_json::Value = serde_json::from_str(&error.json()).unwrap();
    let second = &json[1];
    assert_eq!(second["severity"], "error");
    assert_eq!(second["place"]["file"], "wrong.cl");
    let ends = ["line", "column", "end_line", "end_column"].map(|key| second["place"][key].as_u64().unwrap());
    assert_eq!(ends, [5, 12, 5, 16]);
    // In an expansion, the place is the use of the macro.
    let place = error.list()[0].place.clone().unwrap();
    assert_eq!((place.line, place.column, place.end_column), (4, 18, 23));
}

#[test]
fn warnings_come_with_success() {
    let text = "kernel void k(global int *a) { int unused; a[0] = 1; }\n#warning look here\n";
    let program = compiler().compile("warned.cl", text).unwrap();
    let warnings = program.warnings().list();
    assert!(warnings.iter().all(|warning| warning.severity == Severity::Warning));
    assert!(
        program.warnings().plain().contains("warned.cl:2:1: warning: look here"),
        "{}",
        program.warnings()
    );
    let silent = compiler().with_options("-w").unwrap().compile("warned.cl", text).unwrap();
    assert!(silent.warnings().is_empty());
    assert!(compiler().with_options("-Werror").unwrap().compile("warned.cl", text).is_err());
}

#[test]
fn headers_come_before_files() {
    let folder = folder("headers");
    std::fs::write(folder.join("a.h"), "#error from the file\n").unwrap();
    std::fs::write(folder.join("b.h"), "#define B 2\n").unwrap();
    let text = "#include <a.h>\n#include <b.h>\nkernel void k(global int *a) { *a = A + B; }";
    let compiler = compiler().with_header("a.h", "#define A 1").with_build_options(
        BuildOptions::from_arguments(["-I".to_owned(), folder.display().to_string()]).unwrap(),
    );
    assert!(compiler.compile("k.cl", text).is_ok());
    let error = compiler.without_files().compile("k.cl", text).unwrap_err();
    assert!(error.plain().starts_with("k.cl:2:"), "{error}");
}

#[test]
fn what_a_device_lacks_names_kernel_and_device() {
    let text = "kernel void fits(global int *a) { *a = 1; }\n\
                kernel void large(global int *a) { local int l[65536]; l[*a] = 1; barrier(1); *a = l[*a + 1]; }";
    let small = DeviceProfile { int64: false, buffer_device_address: false, ..profile("vulkan-1.1") };
    let double = "kernel void k(global double *a) { *a *= 3; }";
    // Checked for a device that has doubles, translated for one that does not.
    let object = compiler().object(ObjectKind::Executable, "double.cl", double).unwrap();
    let compiler = Compiler::new(&small).with_cache(None);
    let error = compiler.translate(&object).unwrap_err();
    assert!(matches!(error, Error::Unsupported { .. }), "{error}");
    assert!(error.plain().starts_with("double.cl:1:"), "{error}");
    assert!(error.plain().contains("\nnote: for the device `vulkan-1.1`\n"), "{error}");
    assert!(compiler.with_kernels(["fits"]).compile("two.cl", text).is_ok());
}

#[test]
fn kernels_are_chosen_by_name() {
    let text = "kernel void a(global int *x) { *x = 1; } kernel void b(global int *x) { *x = 2; }";
    let program = compiler().with_kernels(["b"]).compile("two.cl", text).unwrap();
    assert_eq!(program.kernel_names().collect::<Vec<_>>(), ["b"]);
    assert!(program.kernel("a").is_none() && program.kernel("b").is_some());
    let error = compiler().with_kernels(["c"]).compile("two.cl", text).unwrap_err();
    assert!(matches!(error, Error::Unsupported { .. }) && error.to_string().contains("`c`"), "{error}");
}

#[test]
fn files_are_compiled_and_linked() {
    let folder = folder("files");
    let [one, two, text] = ["one.cl", "two.cl", "latin.cl"].map(|name| folder.join(name));
    std::fs::write(&one, "int twice(int x);\nkernel void k(global int *a) { *a = twice(*a); }").unwrap();
    std::fs::write(&two, "#include \"two.h\"\nint twice(int x) { return FACTOR * x; }").unwrap();
    std::fs::write(folder.join("two.h"), "#define FACTOR 2").unwrap();
    std::fs::write(&text, b"// \xe4").unwrap();
    let program = compiler().compile_files(&[&one, &two]).unwrap();
    assert_eq!(program.kernel_names().collect::<Vec<_>>(), ["k"]);
    assert!(compiler().compile_files(&[&one]).is_err(), "nothing defines `twice`");
    let twice = compiler().compile_files(&[&one, &two, &two]).unwrap_err();
    assert!(matches!(twice, Error::Link(_)) && twice.plain().starts_with("error: "), "{twice}");
    let latin = compiler().compile_files(&[&text]).unwrap_err();
    assert!(
        latin.to_string().ends_with("it is not valid UTF-8 text (at byte 3); save it as UTF-8"),
        "{latin}"
    );
    let missing = compiler().compile_files(&[folder.join("none.cl")]).unwrap_err();
    assert!(matches!(missing, Error::File { .. }), "{missing}");
}

#[test]
fn objects_are_stored_and_linked() {
    let part = |name: &str, text: &str| compiler().object(ObjectKind::Compiled, name, text).unwrap();
    let one = part("one.cl", "int twice(int x);\nkernel void k(global int *a) { *a = twice(*a); }");
    let two = part("two.cl", "int twice(int x) { return 2 * x; }");
    assert_eq!((one.kind(), one.kernel_names().count()), (ObjectKind::Compiled, 1));
    let (bytes, direct) = (one.to_bytes("-w"), compiler().link([&one, &two]).unwrap());
    let (again, options) = Object::from_bytes(&bytes).unwrap();
    assert_eq!((options.as_str(), again.has_uniform_work_groups()), ("-w", true));
    let library = Object::link(ObjectKind::Library, [&again, &two]).unwrap();
    assert_eq!(library.kind(), ObjectKind::Library);
    assert_eq!(compiler().link([&library]).unwrap().module(), direct.module());
    for at in (0..bytes.len()).step_by(7) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 4;
        assert!(Object::from_bytes(&damaged).is_err(), "byte {at}");
        assert!(Object::from_bytes(&bytes[..at]).is_err(), "cut off at {at}");
    }
}

#[test]
fn translations_come_from_the_cache() {
    let cache = Arc::new(DiskCache::new(&folder("cache"), 1 << 24));
    let text = "kernel void a(global int *x) { *x = 1; } kernel void b(global int *x) { *x = 2; }";
    let compiler = compiler().with_cache(Some(Arc::clone(&cache)));
    let object = compiler.object(ObjectKind::Executable, "two.cl", text).unwrap();
    let passes = Cell::new(0);
    let watched = compiler.translate_watched(&object, |_, _| passes.set(passes.get() + 1)).unwrap();
    assert_eq!(passes.get(), clvk::pass_names().count());
    let first = compiler.translate(&object).unwrap();
    let second = compiler.translate(&object).unwrap();
    assert!(first.module() == watched.module() && second.module() == first.module());
    let robust = compiler.clone().with_robustness(true).translate(&object).unwrap();
    assert!(robust.module() != first.module());
    // Neither other kernels nor another device find that entry.
    let chosen = compiler.clone().with_kernels(["b"]).translate(&object).unwrap();
    assert_eq!(chosen.kernels().len(), 1);
    let phone = Compiler::new(&profile("mali-g610")).with_cache(None);
    let cached = phone.clone().with_cache(Some(cache)).translate(&object).unwrap();
    assert_eq!(cached.module(), phone.translate(&object).unwrap().module());
}

#[test]
fn the_interface_tells_what_images_are_read_as() {
    let source = "kernel void k(read_only image2d_t f, read_only image1d_t i, write_only image3d_t u, read_only image2d_t unused,
                                read_only image2d_t both, global int4 *out) {
            out[0] = convert_int4(read_imagef(f, (int2)(0))) + read_imagei(i, 0);
            out[1] = read_imagei(both, (int2)(0)) + as_int4(read_imageui(both, (int2)(0)));
            write_imageui(u, (int4)(0), (uint4)(1));
        }";
    let program = Compiler::new(&profile("lavapipe-25.0")).with_cache(None).compile("k.cl", source).unwrap();
    let arguments = &program.kernel("k").unwrap().arguments;
    let texels: Vec<ScalarType> = arguments.iter().take(5).map(|argument| argument.element).collect();
    let expected =
        [ScalarType::F32, ScalarType::I32, ScalarType::U32, ScalarType::Opaque, ScalarType::Opaque];
    assert_eq!(texels, expected);
}

#[test]
fn structures_of_kernels_are_described() {
    let options = ObjectKind::Executable;
    let describe = |text: &str| {
        let object = compiler().object(options, "k.cl", text).unwrap();
        object.structure("k", 0).cloned()
    };
    let layout =
        describe("typedef struct { char c; float3 v; } S; kernel void k(S s, global int *x) { *x = s.c; }");
    let value = |scalar, lanes| Layout::Value { scalar, lanes };
    let member = |name: &str, offset, layout| MemberLayout { name: name.to_owned(), offset, layout };
    let members = vec![member("c", 0, value(ScalarType::I8, 1)), member("v", 16, value(ScalarType::F32, 3))];
    assert_eq!(layout, Some(Layout::Structure { size: 32, members }));
    assert_eq!(describe("kernel void k(int a) {}"), None);
    // What would double with each structure is not described, and takes no time.
    let mut text = "struct s0 { int a; };\n".to_owned();
    for i in 1..28 {
        text += &format!("struct s{i} {{ struct s{0} a, b; }};\n", i - 1);
    }
    assert_eq!(describe(&format!("{text}kernel void k(global struct s27 *p) {{}}")), None);
}

/// The kernels of a program that reach buffers through descriptors on a device that prefers these, and all
/// others.
fn in_forms(text: &str) -> (Vec<String>, Vec<String>) {
    in_forms_on("adreno-740", text)
}

fn in_forms_on(preset: &str, text: &str) -> (Vec<String>, Vec<String>) {
    let compiler = Compiler::new(&profile(preset)).with_cache(None).with_options("-cl-std=CL3.0").unwrap();
    let object = compiler.object(ObjectKind::Executable, "k.cl", text).unwrap();
    let forms = compiler.translate_forms(&object).unwrap();
    let names = |program: &Option<Program>, addressing| {
        let Some(program) = program else { return Vec::new() };
        assert_eq!(program.interface().addressing, addressing);
        program.kernel_names().map(str::to_owned).collect()
    };
    // The other form is always possible.
    assert_eq!(compiler.translate(&object).unwrap().interface().addressing, AddressingMode::Physical);
    (names(&forms.bound, AddressingMode::Logical), names(&forms.others, AddressingMode::Physical))
}

#[test]
fn kernels_take_the_preferred_form_unless_they_need_the_other() {
    for bound in [
        "a[get_global_id(0)] += c[3];",
        // Null and alignment.
        "*a = b ? *b : 0;",
        "*a = ((ulong)b & 15) == 0 ? ((global int4 *)b)->x : 0;",
        // Equality and distance within one buffer.
        "int sum = 0; for (global int *p = b; p != b + n; p++) sum += *p; *a = sum;",
        "global int *p = b; while (*p) p++; *a = p - b;",
        "global int *p[2] = { b, b + n }; *a = p[1] - p[n & 1];",
        // Pointers that may be of either are only followed.
        "global int *p = n ? a : b; *p = 1;",
    ] {
        let text =
            format!("kernel void k(global int *a, global int *b, constant int *c, int n) {{ {bound} }}");
        assert_eq!(in_forms(&text).0, ["k"], "{bound}");
    }
    for needs in [
        // A pointer in memory, to write and to read.
        "kernel void k(global int *global *a, global int *b) { *a = b; }",
        "kernel void k(global int *global *a) { **a = 1; }",
        "typedef struct { global int *p; } S; kernel void k(S s) { *s.p = 1; }",
        "typedef struct { global int *p; int n[40]; } S;
         kernel void k(global S *s, global int *a, int n) { S t; t.p = a; t.n[n] = 1; *s = t; }",
        "typedef struct { global int *p; int n[40]; } S;
         kernel void k(global S *s, global int *a, int n) { S t; t.p = a; t.n[n] = 1; if (n) t = *s; *t.p = t.n[1]; }",
        // An address as a number.
        "kernel void k(global ulong *a) { *a = (ulong)a; }",
        "kernel void k(global ulong *a) { *a = (ulong)a & 4095; }",
        "kernel void k(global ulong *a) { *a = (ulong)a >> 32; }",
        "kernel void k(global int *a) { printf(\"%p\", a); }",
        "kernel void k(global ulong *a, int n) {
             union { global ulong *p; ulong u; } x[4]; x[n].p = a; *a = x[n & 1].u; }",
        // A number as an address.
        "kernel void k(ulong a) { *(global int *)a = 1; }",
        "kernel void k(ulong a, global int *b) { if (((ulong)b & 3) == 0) *(global int *)a = 1; }",
        // Two arguments may be one buffer.
        "kernel void k(global int *a, global int *b) { *a = a == b; }",
        "kernel void k(global int *a, global int *b) { *a = a < b; }",
        "kernel void k(global int *a, global int *b) { *a = b - a; }",
        "kernel void k(global int *a, global int *b, int n) { global int *p = n ? a : b; *a = p == a; }",
        // The last pointer is before the buffer.
        "kernel void k(global int *a, global int *b, int n) {
             int sum = 0; for (global int *p = b + n; --p >= b;) sum += *p; *a = sum; }",
        // What both forms would have to share.
        "global int n; kernel void k(global int *a) { *a = n++; }",
        "global int n; int next(void) { return n++; } kernel void k(global int *a) { *a = next(); }",
        "kernel void k(global int *a) { queue_t q = get_default_queue();
             enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ *a = 1; }); }",
    ] {
        let (bound, others) = in_forms(needs);
        assert_eq!((bound.len(), others[0].as_str()), (0, "k"), "{needs}");
    }
}

#[test]
fn vectors_decide_where_descriptors_are_faster_for_them_alone() {
    let text = "
        kernel void numbers(global float *a) { a[get_global_id(0)] *= 2; }
        kernel void pairs(global float2 *a) { a[get_global_id(0)] *= 2; }
        float4 first(global const float4 *a) { return *a; }
        kernel void called(global const float4 *a, global float *b) { *b = first(a).x + first(a).y; }
        kernel void row(global const float *a, global float4 *b, int n) {
            float sum = 0; for (int i = 0; i < n; i++) sum += a[i]; *b = sum; }
        kernel void turned(global const float4 *a, global float *b, int n) {
            float4 sum = 0; for (int i = 0; i < n; i++) sum += a[i]; *b = sum.x; }
        kernel void in_private(global int *a, int n) { int4 b[4]; b[n] = n; a[n] = b[n & 3].y; }";
    let (bound, others) = in_forms_on("lavapipe-22.3", text);
    assert_eq!(bound, ["pairs", "called", "turned"]);
    assert_eq!(others, ["numbers", "row", "in_private"]);
    assert_eq!(in_forms_on("lavapipe-25.0", text).0.len(), 0);
}

#[test]
fn kernels_that_read_fixed_places_take_descriptors_where_these_are_faster() {
    let text = "
        kernel void filters(global float4 *a, constant float *w, read_only image2d_t image, sampler_t s) {
            float4 sum = 0; for (int y = 0; y < 3; y++) for (int x = 0; x < 3; x++)
                sum += w[3 * y + x] * read_imagef(image, s, (int2)(x, y) + (int)get_global_id(0));
            a[get_global_id(0)] = sum; }
        kernel void polynomial(global float *a, constant float *w) {
            size_t i = get_global_id(0); a[i] = w[0] + w[1] * 2 + w[2] * 4; }
        kernel void twice(global float *a, constant float *w) {
            size_t i = get_global_id(0); a[i] = a[i + 1] + a[i + 2] + w[0]; }
        kernel void unknown_end(global float *a, constant float *w, int n) {
            float sum = 0; for (int i = 0; i < n; i++) sum += w[i]; a[0] = sum; }
        kernel void unknown_place(global float *a, constant float *w, int n) { a[0] = w[n] + w[n + 1]; }
        kernel void by_group(global float *a, constant float *w) {
            a[get_global_id(0)] = w[get_group_id(0)] + w[get_group_id(0) + 1]; }
        kernel void not_constant(global float *a, global const float *w) { a[get_global_id(0)] = w[0] * w[1]; }
        kernel void shows(global ulong *a, constant float *w) { *a = (ulong)w + (ulong)w[1] + (ulong)w[2]; }";
    let (bound, others) = in_forms_on("lavapipe-25.0", text);
    assert_eq!(bound, ["filters", "polynomial"]);
    assert_eq!(
        others,
        ["twice", "unknown_end", "unknown_place", "by_group", "not_constant", "shows"].map(str::to_owned)
    );
}

#[test]
fn each_kernel_has_its_own_form() {
    let text = "global int n;
        kernel void plain(global int *a) { *a = 1; }
        kernel void counts(global int *a) { *a = n++; }
        kernel void calls(global int *a) { plain(a); }
        kernel void stores(global ulong *a) { *a = (ulong)a; }";
    let (bound, others) = in_forms(text);
    assert_eq!(
        (bound, others),
        (vec!["plain".into(), "calls".into()], vec!["counts".into(), "stores".into()])
    );
    // Where there is no preference, there is one form.
    let addressing = |preset: &str, kernels: &[&str]| {
        let compiler =
            Compiler::new(&profile(preset)).with_cache(None).with_options("-cl-std=CL3.0").unwrap();
        let compiler = compiler.with_kernels(kernels.iter().copied());
        let object = compiler.object(ObjectKind::Executable, "k.cl", text).unwrap();
        let forms = compiler.translate_forms(&object).unwrap();
        assert_eq!(forms.others.is_some(), preset != "adreno-740" || kernels == ["counts"]);
        compiler.translate_preferred(&object).unwrap().interface().addressing
    };
    assert_eq!(addressing("lavapipe-25.0", &["plain"]), AddressingMode::Physical);
    assert_eq!(addressing("adreno-740", &["plain"]), AddressingMode::Logical);
    assert_eq!(addressing("adreno-740", &["counts"]), AddressingMode::Physical);
    // What the device cannot do is refused for it, not for the form.
    let preferring = profile("adreno-740");
    let compiler = Compiler::new(&DeviceProfile { float64: true, ..preferring.clone() }).with_cache(None);
    let double = "kernel void k(global double *a) { *a *= 3; }";
    let object = compiler.object(ObjectKind::Executable, "k.cl", double).unwrap();
    let compiler = Compiler::new(&preferring).with_cache(None);
    let refused = compiler.translate_preferred(&object).unwrap_err();
    assert!(matches!(refused, Error::Unsupported { .. }), "{refused}");
    let Err(refused) = compiler.translate_forms(&object) else { panic!("the device has no doubles") };
    assert!(!refused.plain().contains("descriptors"), "{refused}");
}

#[test]
fn built_in_functions_of_spirv_are_those_of_c_whatever_the_options() -> Result<(), Error> {
    let source = "kernel void k(__global float *a) { *a = sin(*a) + fmod(*a, 3.0f); }";
    for language in ["-cl-std=CL3.0", "-cl-std=CLC++2021", "-cl-std=c++"] {
        let compiler = compiler().with_options(language)?;
        let bytes = compiler.compile_opencl_spirv("k.cl", source)?;
        let object = compiler.spirv_object(ObjectKind::Executable, "k.spv", &bytes)?;
        compiler.translate(&object)?;
    }
    Ok(())
}
