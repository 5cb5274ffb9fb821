//! `check`.

use crate::harness::Folder;

const BYTES: &str =
    "__kernel void invert(__global uchar *x) { x[get_global_id(0)] = ~x[get_global_id(0)]; }\n";

/// The rows of a run with `--json`.
fn rows(folder: &Folder, code: i32, arguments: &[&str]) -> Vec<serde_json::Value> {
    let run = folder.run(&[&["check", "--json"], arguments].concat());
    assert_eq!((run.code, run.err.as_str()), (code, ""), "{arguments:?}: {run:?}");
    serde_json::from_str(&run.out).unwrap()
}

#[test]
fn a_plain_kernel_runs_on_every_preset() {
    let folder = Folder::new("check-plain");
    let presets = folder.good(&["devices", "--presets"]).out;
    for expected in ["vulkan-1.1", "android-baseline-2022", "mali-g610", "adreno-740", "lavapipe-25.0"] {
        assert!(presets.lines().any(|preset| preset == expected), "{presets}");
    }
    let rows = rows(&folder, 0, &["saxpy.cl"]);
    let of: Vec<&str> = rows.iter().map(|row| row["profile"].as_str().unwrap()).collect();
    assert_eq!(of, presets.lines().collect::<Vec<_>>());
    assert!(rows.iter().all(|row| row["kernel"] == "saxpy" && row["verdict"] != "cannot-run"), "{rows:?}");
}

#[test]
fn emulation_is_named_and_counted() {
    let folder = Folder::new("check-emulated");
    folder.write("invert.cl", BYTES);
    let rows = rows(&folder, 0, &["--profile", "nvidia-h200,vulkan-1.1", "invert.cl"]);
    assert_eq!(rows[0]["verdict"], "runs");
    assert_eq!(rows[0]["emulated"], serde_json::json!([]));
    assert_eq!(rows[1]["verdict"], "runs-emulated");
    let counts: Vec<_> = rows[1]["emulated"].as_array().unwrap().iter().collect();
    let count_of =
        |what: &str| counts.iter().find(|item| item["what"] == what).map(|item| item["count"].clone());
    assert_eq!(count_of("8/16-bit loads from words"), Some(1.into()), "{counts:?}");
    assert_eq!(count_of("8/16-bit stores into words"), Some(1.into()), "{counts:?}");
    let text = folder.good(&["check", "--profile", "vulkan-1.1", "invert.cl"]).out;
    assert!(text.starts_with("invert.cl: invert\n  vulkan-1.1  runs emulated, ~"), "{text}");
    assert!(text.contains("1 8/16-bit stores into words"), "{text}");
    assert!(text.ends_with("0 run, 1 run emulated, 0 cannot run (kernels times devices)\n"), "{text}");
}

#[test]
fn what_cannot_run_says_why_kernel_by_kernel() {
    let folder = Folder::new("check-cannot");
    let source = "__kernel void good(__global int *x) { x[0] = 1; }\n\
        __kernel __attribute__((reqd_work_group_size(512, 1, 1))) void large(__global int *x) { x[0] = 1; }\n";
    folder.write("two.cl", source);
    folder.write("double.cl", "__kernel void d(__global double *x) { x[0] = 1; }\n");
    let found = rows(&folder, 3, &["--profile", "vulkan-1.1,nvidia-h200", "two.cl", "double.cl"]);
    let verdict = |kernel: &str, profile: &str| {
        let row = found.iter().find(|row| row["kernel"] == kernel && row["profile"] == profile);
        row.unwrap_or_else(|| panic!("no row of {kernel} on {profile}: {found:?}"))
    };
    assert_eq!(verdict("good", "vulkan-1.1")["verdict"], "runs");
    assert_eq!(verdict("large", "nvidia-h200")["verdict"], "runs");
    let large = verdict("large", "vulkan-1.1");
    assert!(large["reasons"][0].as_str().unwrap().contains("maxComputeWorkGroupInvocations"), "{large}");
    assert_eq!(verdict("d", "nvidia-h200")["verdict"], "runs");
    let double = verdict("", "vulkan-1.1");
    assert!(double["reasons"][0].as_str().unwrap().contains("double"), "{double}");
    let run = folder.run(&["check", "--profile", "vulkan-1.1", "two.cl"]);
    assert_eq!((run.code, run.err.as_str()), (3, ""), "{run:?}");
    assert!(run.out.contains("cannot run: requires work-groups of 512×1×1"), "{run:?}");
}

#[test]
fn what_kernels_do_with_images_is_judged_kernel_by_kernel() {
    let folder = Folder::new("check-images");
    let source = "kernel void reads(read_only image2d_t i, sampler_t s, global float4 *o)\n\
                  { o[0] = read_imagef(i, s, (float2)(0.5f)); }\n\
                  kernel void asks(write_only image3d_t i, global int *o) { o[0] = get_image_depth(i); }\n\
                  kernel void writes(write_only image2d_t i) { write_imagef(i, (int2)(0), (float4)(1)); }\n\
                  kernel void fills(write_only image3d_t i) { write_imagef(i, (int4)(0), (float4)(1)); }\n\
                  kernel void both(read_write image2d_t i, global float4 *o) { o[0] = read_imagef(i, (int2)(0)); }\n\
                  kernel void macros(global int *o) {\n\
                  #ifdef __IMAGE_SUPPORT__\n\
                  #error the device does not offer images\n\
                  #endif\n\
                  }\n";
    folder.write("images.cl", source);
    let rows = rows(&folder, 3, &["--profile", "vulkan-1.1", "images.cl", "-cl-std=CL3.0"]);
    let reasons: Vec<(&str, Vec<&str>)> = rows
        .iter()
        .map(|row| {
            let reasons = row["reasons"].as_array().unwrap().iter();
            (row["kernel"].as_str().unwrap(), reasons.map(|reason| reason.as_str().unwrap()).collect())
        })
        .collect();
    let writes = "writes images; the device has no shaderStorageImageWriteWithoutFormat";
    let reads = "reads images that it may also write; the device has no shaderStorageImageReadWithoutFormat";
    let expected = [
        ("reads", vec![]),
        ("asks", vec![]),
        ("writes", vec![writes]),
        ("fills", vec![writes]),
        ("both", vec![reads]),
        ("macros", vec![]),
    ];
    assert_eq!(reasons, expected);
}

#[test]
fn mistakes_are_named() {
    let folder = Folder::new("check-mistakes");
    folder.refused(2, &["check", "--profile", "nonesuch", "saxpy.cl"], &["nonesuch", "vulkan-1.1"]);
    folder.refused(2, &["check", "missing.cl"], &["missing.cl"]);
    let run = folder.run(&["check"]);
    assert!(run.code == 2 && run.err.contains("FILES"), "{run:?}");
}
