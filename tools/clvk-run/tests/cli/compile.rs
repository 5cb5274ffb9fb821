//! `compile`.

use crate::harness::Folder;

#[test]
fn spirv_and_the_interface_are_written_beside_each_other() {
    let folder = Folder::new("compile");
    let run = folder.good(&["compile", "saxpy.cl", "-o", "out.spv"]);
    assert_eq!(run.out, "wrote out.spv and out.json, the interface (how to launch its kernels)\n");
    let spirv = folder.read("out.spv");
    assert_eq!(spirv[..4], 0x0723_0203u32.to_le_bytes());
    assert_eq!(spirv.len() % 4, 0);
    let interface: serde_json::Value = serde_json::from_slice(&folder.read("out.json")).unwrap();
    let kernel = &interface["kernels"][0];
    assert_eq!(kernel["name"], "saxpy");
    let names: Vec<_> = kernel["arguments"].as_array().unwrap().iter().map(|it| it["name"].clone()).collect();
    assert_eq!(names, ["a", "x", "y"]);
    folder.refused(2, &["compile", "saxpy.cl"], &["SPIR-V is binary", "-o OUT.spv"]);
    folder.refused(2, &["compile", "saxpy.cl", "-o", "out.json"], &["where the interface goes", ".spv"]);
    folder.refused(2, &["compile", "saxpy.cl", "-o", "no/folder/x.spv"], &["cannot write `no/folder/x.spv`"]);
    folder.refused(2, &["compile", "saxpy.cl", "-o", "."], &["cannot write `.`"]);
}

#[test]
fn what_is_something_else_is_not_overwritten() {
    let folder = Folder::new("compile_foreign");
    folder.write("out.json", "{\"mine\": 1}");
    let compile = |output| ["compile", "saxpy.cl", "-o", output];
    folder.refused(2, &compile("out.spv"), &["`out.json` exists and is not an interface", "`-o`"]);
    assert!(!folder.path("out.spv").exists());
    folder.write("notes.spv", "notes");
    folder.refused(2, &compile("notes.spv"), &["`notes.spv` exists and is not SPIR-V"]);
    folder.refused(2, &compile("./saxpy.cl"), &["`./saxpy.cl` is the source"]);
    folder.refused(2, &["compile", "saxpy.cl", "--emit", "ir", "-o", "saxpy.cl"], &["is the source"]);
    assert_eq!(folder.read("out.json"), b"{\"mine\": 1}");
    // Its own results it replaces, and devices have nothing beside them.
    folder.good(&compile("a.spv"));
    folder.good(&compile("a.spv"));
    folder.good(&compile("/dev/null"));
    assert!(!std::path::Path::new("/dev/null.json").exists());
}

#[test]
fn the_preprocessed_source_can_be_emitted() {
    let folder = Folder::new("preprocessed");
    folder.write("f.h", "#define TWICE(x) ((x) * N)\n");
    folder.write("p.cl", "#include \"f.h\"\nkernel void p(global int *x) { *x = TWICE(4); }\n");
    let text = folder.good(&["compile", "p.cl", "-DN=2", "--emit", "preprocessed"]).out;
    assert!(text.contains("kernel void p(global int *x) { *x = ((4) * 2); }"), "{text}");
    assert!(!text.contains("TWICE") && !text.contains("#include"), "{text}");
    // What comes out is the same program.
    folder.write("again.cl", &text);
    let ir = |file| folder.good(&["compile", file, "-DN=2", "--emit", "ir"]).out;
    assert_eq!(ir("again.cl"), ir("p.cl"));
    folder.write("bad.cl", "#include \"missing.h\"\n");
    let run = folder.run(&["compile", "bad.cl", "--emit", "preprocessed"]);
    assert!(run.code == 3 && run.err.contains("missing.h"), "{run:?}");
}

#[test]
fn every_form_can_be_emitted() {
    let folder = Folder::new("emit");
    let emit = |what| folder.good(&["compile", "saxpy.cl", "--emit", what]).out;
    let asm = emit("asm");
    assert!(asm.contains("OpEntryPoint GLCompute") && asm.contains("\"saxpy\""), "{asm}");
    assert!(emit("ir").contains("saxpy"));
    let interface: serde_json::Value = serde_json::from_str(&emit("interface")).unwrap();
    assert_eq!(interface["kernels"][0]["name"], "saxpy");
    folder.good(&["compile", "saxpy.cl", "--emit", "asm", "-o", "out.txt"]);
    assert_eq!(String::from_utf8(folder.read("out.txt")).unwrap(), asm);
    let run = folder.run(&["compile", "saxpy.cl", "--emit", "nonsense"]);
    assert!(run.code == 2 && run.err.contains("spirv, asm, preprocessed, ir, interface"), "{run:?}");
}

#[test]
fn spirv_goes_to_the_standard_output_if_that_is_asked_for() {
    let folder = Folder::new("stdout");
    folder.good(&["compile", "saxpy.cl", "-o", "out.spv"]);
    let output = folder.command(&["compile", "saxpy.cl", "-o", "-"]).output().unwrap();
    assert!(output.status.success());
    assert_eq!(output.stdout, folder.read("out.spv"));
    assert!(!folder.path("-").exists());
}

#[test]
fn the_program_can_be_looked_at_after_each_pass() {
    let folder = Folder::new("dump");
    let dump = |pass| folder.run(&["compile", "saxpy.cl", "--dump-after", pass]);
    let run = dump("inline");
    assert_eq!((run.code, run.out.as_str()), (0, ""), "{run:?}");
    assert!(run.err.starts_with("; after inline\n") && run.err.contains("saxpy"), "{run:?}");
    assert_eq!(run.err.matches("; after ").count(), 1, "{run:?}");
    assert!(dump("all").err.matches("; after ").count() > 5);
    folder.refused(
        2,
        &["compile", "saxpy.cl", "-o", "out.spv", "--dump-after", "nonsense"],
        &["there is no pass `nonsense`; the passes are ", "inline"],
    );
    let both = folder.run(&["compile", "saxpy.cl", "--emit", "ir", "--dump-after", "inline"]);
    assert!(both.out.contains("saxpy") && both.err.contains("; after inline"), "{both:?}");
}

#[test]
fn profiles_are_presets_or_files() {
    let folder = Folder::new("profile");
    let compile =
        |profile: &str| folder.good(&["compile", "saxpy.cl", "--emit", "asm", "--profile", profile]).out;
    let (lavapipe, swiftshader) = (compile("lavapipe-22.3"), compile("swiftshader"));
    assert!(!lavapipe.is_empty() && !swiftshader.is_empty());
    // The profile of a device, as `devices` prints it, is a profile file.
    let list: serde_json::Value = serde_json::from_str(&folder.good(&["devices", "--json"]).out).unwrap();
    let devices = list.as_array().unwrap();
    let profile = devices.iter().map(|device| &device["profile"]).find(|profile| !profile.is_null()).unwrap();
    folder.write("device.json", profile.to_string());
    assert!(compile("device.json").contains("OpEntryPoint"));
    folder.write("broken.json", "{");
    for (profile, expected) in [
        ("nonsense", "no device profile is called `nonsense`; the presets are lavapipe-22.3"),
        ("missing.json", "cannot read `missing.json`"),
        ("broken.json", "`broken.json` is"),
    ] {
        folder.refused(2, &["compile", "saxpy.cl", "--emit", "asm", "--profile", profile], &[expected]);
    }
}

#[test]
fn what_a_device_lacks_is_named() {
    let folder = Folder::new("lacks");
    folder.write("d.cl", "__kernel void d(__global double *x) { x[get_global_id(0)] *= 2.0; }");
    folder.good(&["compile", "d.cl", "-o", "d.spv", "--profile", "nvidia-h200"]);
    let run = folder.run(&["compile", "d.cl", "-o", "d.spv", "--profile", "swiftshader"]);
    assert_eq!(run.code, 3, "{run:?}");
    assert!(run.err.contains("double"), "{run:?}");
}

#[test]
fn a_closed_pipe_is_no_failure() {
    use std::process::Stdio;
    let folder = Folder::new("pipe");
    for arguments in [&["compile", "saxpy.cl", "--emit", "asm"][..], &["devices"], &["devices", "--json"]] {
        let mut command = folder.command(arguments);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), errors.as_str()), (Some(0), ""), "{arguments:?}");
    }
}

#[test]
fn a_program_without_kernels_compiles_to_nothing() {
    let folder = Folder::new("no-kernels");
    folder.write("functions.cl", "int twice(int x) { return x + x; }");
    let message = "`functions.cl` compiles, but has no kernels";
    folder.refused(3, &["compile", "functions.cl", "-o", "out.spv"], &[message]);
    folder.refused(3, &["compile", "functions.cl", "--emit", "asm"], &[message]);
    assert!(!folder.path("out.spv").exists());
    assert!(folder.good(&["compile", "functions.cl", "--emit", "ir"]).out.contains("twice"));
    let interface = folder.good(&["compile", "functions.cl", "--emit", "interface"]).out;
    let interface: serde_json::Value = serde_json::from_str(&interface).unwrap();
    assert_eq!(interface["kernels"].as_array().map(Vec::len), Some(0));
}

#[test]
fn line_information_names_the_lines_of_the_source() {
    let folder = Folder::new("lines");
    folder.write("twice.h", "int twice(int x) {\n    return x * 2;\n}\n");
    folder.write(
        "l.cl",
        "#include \"twice.h\"\n\
        kernel void l(global int *x, int n) {\n\
        \x20   for (int i = 0; i < n; i++) {\n\
        \x20       if (x[i] > 3)\n\
        \x20           x[i] = twice(x[i]);\n\
        \x20   }\n\
        \x20   barrier(CLK_GLOBAL_MEM_FENCE);\n\
        \x20   x[0]--;\n\
        }\n",
    );
    let asm = folder.good(&["compile", "l.cl", "-g", "--emit", "asm"]).out;
    let id = |name: &str| {
        let line = asm.lines().find(|line| line.ends_with(&format!("OpString \"{name}\"")));
        line.unwrap_or_else(|| panic!("{asm}")).split(' ').next().unwrap().to_owned()
    };
    assert!(asm.contains(&format!("OpSource OpenCL_C 120 {} \"#include", id("l.cl"))), "{asm}");
    assert!(asm.contains(&format!("OpSource OpenCL_C 120 {} \"int twice", id("twice.h"))), "{asm}");
    // The instruction after a line comes from it.
    let after = |place: &str, op: &str| {
        let lines: Vec<&str> = asm.lines().collect();
        let at = |index: usize| {
            lines[index].ends_with(place) && lines[index + 1..].iter().take(4).any(|it| it.contains(op))
        };
        assert!((0..lines.len() - 1).any(at), "no {op} after {place}: {asm}");
    };
    after(&format!("OpLine {} 2 12", id("twice.h")), "OpIMul");
    after(&format!("OpLine {} 5 13", id("l.cl")), "OpStore");
    after(&format!("OpLine {} 7 5", id("l.cl")), "OpControlBarrier");
    assert!(!folder.good(&["compile", "l.cl", "--emit", "asm"]).out.contains("OpLine"));
    // Drivers and the validation layer take it.
    let run =
        ["run", "l.cl", "-g", "--validate", "--global", "1", "--print", "x", "--", "fill:5:int[2]", "2"];
    assert_eq!(folder.printed(&run), ["9", "10"]);
}

#[test]
fn shaders_are_written_with_their_interface() {
    let folder = Folder::new("shaders");
    let run = folder.good(&["compile", "saxpy.cl", "--emit", "wgsl", "-o", "out.wgsl"]);
    assert_eq!(run.out, "wrote out.wgsl and out.json, the interface (how to launch its kernels)\n");
    let text = String::from_utf8(folder.read("out.wgsl")).unwrap();
    assert!(text.contains("@compute @workgroup_size(local_size_x, local_size_y, local_size_z)"), "{text}");
    let interface: serde_json::Value = serde_json::from_slice(&folder.read("out.json")).unwrap();
    let entry_point = &interface["entry_points"][0];
    assert_eq!(entry_point["kernel"], "saxpy");
    let resources: Vec<_> =
        entry_point["bindings"].as_array().unwrap().iter().map(|it| it["resource"].clone()).collect();
    assert_eq!(resources, ["read-only-storage", "storage", "uniform"]);
    assert_eq!(interface["overrides"][0]["default"], 64);
    // It replaces its own results.
    folder.good(&["compile", "saxpy.cl", "--emit", "wgsl", "-o", "out.wgsl"]);
    folder.refused(2, &["compile", "saxpy.cl", "--emit", "wgsl", "-o", "out.json"], &["end in `.wgsl`"]);
}

#[test]
fn spirv_for_other_drivers_of_opencl_is_written_alone_and_runs_here_too() {
    let folder = Folder::new("opencl-spirv");
    let write = ["compile", "saxpy.cl", "--emit", "opencl-spirv", "-o", "out.spv"];
    folder.good(&write);
    assert_eq!(folder.read("out.spv")[..4], 0x0723_0203_u32.to_le_bytes());
    assert!(!folder.path("out.json").exists(), "the module says itself how its kernels are launched");
    // It replaces its own results, but nothing else.
    folder.good(&write);
    let over_source = ["compile", "saxpy.cl", "--emit", "opencl-spirv", "-o", "notes.txt"];
    folder.write("notes.txt", "keep me");
    folder.refused(2, &over_source, &["`notes.txt` exists and is not SPIR-V"]);
    folder.refused(2, &["compile", "saxpy.cl", "--emit", "opencl-spirv"], &["SPIR-V is binary"]);
    let asm = folder.good(&["compile", "saxpy.cl", "--emit", "opencl-asm"]).out;
    assert!(asm.contains("OpEntryPoint Kernel") && asm.contains("\"saxpy\""), "{asm}");

    folder.write("twice.cl", "kernel void twice(global int *x) { x[get_global_id(0)] *= 2; }");
    folder.good(&["compile", "twice.cl", "--emit", "opencl-spirv", "-o", "twice.spv"]);
    let run = ["run", "twice.spv", "--global", "2", "--print", "x", "--", "fill:21:int[2]"];
    assert_eq!(folder.printed(&run), ["42", "42"]);
}

#[test]
fn spirv_for_other_drivers_of_opencl_has_the_features_that_are_asked_for() {
    let folder = Folder::new("opencl-features");
    folder.write(
        "f.cl",
        "#if defined cl_khr_fp64 && !defined __opencl_c_pipes\nkernel void all_but_pipes() {}\n#endif\n",
    );
    let asm = |more: &[&str]| {
        folder.good(&[&["compile", "f.cl", "--emit", "opencl-asm", "-cl-std=CL3.0"], more].concat()).out
    };
    assert!(asm(&[]).contains("\"all_but_pipes\""));
    // This device has no doubles.
    assert!(!asm(&["--profile", "adreno-740"]).contains("\"all_but_pipes\""));
    folder.write("p.cl", "kernel void take(read_only pipe int p) {}\n");
    let pipe = ["compile", "p.cl", "--emit", "opencl-asm", "-cl-std=CL3.0"];
    let refused = folder.run(&pipe);
    assert_eq!(refused.code, 3);
    for expected in ["takes a pipe", "p.cl:1:13", "for other drivers of OpenCL"] {
        assert!(refused.err.contains(expected), "{expected}: {refused:?}");
    }
}

#[test]
fn overrides_are_set_by_name() {
    let folder = Folder::new("overrides");
    let emit =
        |language, value| folder.good(&["compile", "saxpy.cl", "--emit", language, "--set", value]).out;
    assert!(emit("wgsl", "local_size_x=16").contains("local_size_x: u32 = 16u;"));
    assert!(emit("hlsl", "0=16").contains("[numthreads(16, 1, 1)]"));
    assert!(emit("glsl", "local_size_y=4").contains("local_size_x = 64, local_size_y = 4"));
    assert!(emit("msl", "local_size_z=2").contains("kernel void saxpy("));
    let refused = |arguments: &[&str], parts: &[&str]| {
        folder.refused(2, &[&["compile", "saxpy.cl"], arguments].concat(), parts);
    };
    refused(&["--emit", "wgsl", "--set", "size=1"], &["no override `size`", "local_size_x"]);
    refused(&["--emit", "wgsl", "--set", "local_size_x"], &["is not NAME=NUMBER"]);
    refused(&["--emit", "asm", "--set", "local_size_x=1"], &["`--set` is for `--emit wgsl`"]);
}

#[test]
fn shaders_use_the_optional_features_that_are_named() {
    let folder = Folder::new("shader_features");
    let halves = "kernel void f(global float *a) { half h = a[0]; a[0] = h + h; }";
    let rows = "kernel void f(global int *a) { a[get_global_id(0)] = sub_group_reduce_add(1); }";
    folder.write("halves.cl", format!("#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n{halves}"));
    folder.write("rows.cl", rows);
    let emit = |file: &str, language: &str, features: &[&str]| {
        let command = ["compile", file, "-cl-std=CL3.0", "--emit", language];
        folder.run(&[&command[..], features].concat())
    };
    let text = |file, features: &[&str]| emit(file, "wgsl", features).out;
    let (half, group) = (["--shader-features", "shader-f16"], ["--shader-features", "subgroups"]);
    assert!(!text("halves.cl", &[]).contains("f16"));
    assert!(text("halves.cl", &half).contains("enable f16;"));
    assert!(!text("rows.cl", &half).contains("enable"));
    let wgsl = text("rows.cl", &group);
    assert!(wgsl.starts_with("enable subgroups;\n") && wgsl.contains("subgroupAdd("), "{wgsl}");
    assert!(wgsl.contains("@workgroup_size(local_size_x * local_size_y * local_size_z)"), "{wgsl}");
    let refused = |file, language, features: &[&str], code, part: &str| {
        let run = emit(file, language, features);
        assert!(run.code == code && run.err.contains(part), "{part}: {run:?}");
    };
    refused("halves.cl", "glsl", &half, 2, "there is no half precision");
    refused("rows.cl", "asm", &group, 2, "`--shader-features` is for `--emit wgsl`");
    refused("rows.cl", "wgsl", &["--shader-features", "f16"], 2, "shader-f16 and subgroups");
    folder.write("sized.cl", format!("__attribute__((intel_reqd_sub_group_size(16))) {rows}"));
    refused("sized.cl", "wgsl", &group, 3, "the size of the device's sub-groups is not known");
    folder.write("barrier.cl", "kernel void f() { sub_group_barrier(CLK_LOCAL_MEM_FENCE); }");
    refused("barrier.cl", "wgsl", &group, 3, "has a barrier of sub-groups");
}

#[test]
fn parts_of_programs_declare_what_others_define() {
    let folder = Folder::new("parts");
    folder.write("f.clcpp", "int twice(int x); kernel void f(global int *x) { *x = twice(*x); }");
    folder.write("g.clcpp", "extern int n; kernel void f(global int *x) { *x = n; }");
    let whole = folder.run(&["compile", "g.clcpp", "--emit", "ir"]);
    assert!(whole.code == 3 && whole.err.contains("'n' is declared but not defined"), "{whole:?}");
    let part = |file| folder.good(&["compile", file, "--emit", "ir", "--part"]).out;
    assert!(part("f.clcpp").contains("twice") && part("g.clcpp").contains("@n"), "{}", part("g.clcpp"));
    folder.refused(2, &["compile", "f.clcpp", "--part"], &["`--part` is for `--emit ir`"]);
    let dump = ["compile", "f.clcpp", "--emit", "ir", "--part", "--dump-after", "all"];
    folder.refused(2, &dump, &["`--part` is for `--emit ir`"]);
}

#[test]
fn images_have_the_formats_that_are_asked_for() {
    let folder = Folder::new("texel_formats");
    folder.write(
        "f.cl",
        "kernel void f(write_only image2d_t to) { write_imagef(to, (int2)(0), (float4)(1)); }",
    );
    let emit = |more: &[&str]| folder.good(&[&["compile", "f.cl", "--emit", "wgsl"], more].concat()).out;
    assert!(emit(&[]).contains("texture_storage_2d<rgba8unorm,write>"));
    assert!(emit(&["--texel-format", "to=rgba32float"]).contains("texture_storage_2d<rgba32float,write>"));
    let refused = |arguments: &[&str], parts: &[&str]| {
        folder.refused(2, &[&["compile", "f.cl"], arguments].concat(), parts);
    };
    refused(&["--emit", "wgsl", "--texel-format", "to=rgb8"], &["is not IMAGE=FORMAT", "rgba8unorm, "]);
    refused(&["--emit", "wgsl", "--texel-format", "from=rgba8unorm"], &["no kernel writes an image `from`"]);
    refused(&["--emit", "wgsl", "--texel-format", "to=r32sint"], &["r32sint has signed integers"]);
    refused(&["--emit", "asm", "--texel-format", "to=r32float"], &["`--texel-format` is for `--emit wgsl`"]);
}

#[test]
fn what_wgsl_cannot_say_is_refused_at_its_place() {
    let folder = Folder::new("no_shader");
    folder.write(
        "f.cl",
        "kernel void f(global int *p) {\n  p[0] = 1;\n  mem_fence(CLK_GLOBAL_MEM_FENCE);\n  p[1] = 2;\n}\n",
    );
    let run = folder.run(&["compile", "f.cl", "--emit", "wgsl"]);
    assert_eq!(run.code, 3, "{}", run.err);
    assert!(run.err.contains("f.cl:3:") && run.err.contains("WGSL has only barriers"), "{}", run.err);
}

#[test]
fn spirv_as_text_is_a_source() {
    let folder = Folder::new("compile_text");
    let text = include_str!("../../../../tests/programs/spirv/phis.spvasm");
    folder.write("phis.spvasm", text);
    let listed = folder.good(&["check", "--profile", "lavapipe-22.3", "phis.spvasm"]);
    assert!(listed.out.contains("fibonacci  runs"), "{}", listed.out);
    let line = text.lines().position(|line| line.contains("OpBranch")).unwrap() + 1;
    let wrong = text.replacen("OpBranch", "OpBench", 1);
    folder.write("wrong.spvasm", wrong);
    let place = format!("wrong.spvasm:{line}:");
    folder.refused(3, &["check", "wrong.spvasm"], &[&place, "OpBench"]);
    folder.refused(2, &["check", "absent.spvasm"], &["cannot read `absent.spvasm`"]);
}

#[test]
fn errors_of_other_drivers_are_avoided_where_they_are_named() {
    let folder = Folder::new("avoided");
    folder.write("wait.cl", "kernel void f() { sub_group_barrier(CLK_LOCAL_MEM_FENCE); }");
    let emit = |language: &str, avoided: &[&str]| {
        let command = ["compile", "wait.cl", "-cl-std=CL3.0", "--emit", language];
        folder.run(&[&command[..], avoided].concat())
    };
    let meets = ["--avoid", "sub-group-barrier-meets"];
    assert!(emit("opencl-asm", &[]).out.contains("OpControlBarrier"));
    let text = emit("opencl-asm", &meets).out;
    assert!(text.contains("OpMemoryBarrier") && !text.contains("OpControlBarrier"), "{text}");
    let refused = |language, avoided: &[&str], part: &str| {
        let run = emit(language, avoided);
        assert!(run.code == 2 && run.err.contains(part), "{part}: {run:?}");
    };
    refused("asm", &meets, "`--avoid` is for `--emit opencl-spirv`");
    refused("opencl-asm", &["--avoid", "split-accesses"], "sub-group-barrier-meets");
}
