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
    assert!(presets.contains("Qualcomm") && presets.contains("Mesa (Turnip)"), "{presets}");
    // After the heading; what is wrapped begins with spaces.
    let lines = presets.lines().skip(1).filter(|line| !line.starts_with(' '));
    let names: Vec<&str> = lines.filter_map(|line| line.split_whitespace().next()).collect();
    for expected in ["vulkan-1.1", "android-baseline-2022", "mali-g610", "adreno-740", "lavapipe-25.0"] {
        assert!(names.contains(&expected), "{presets}");
    }
    let rows = rows(&folder, 0, &["saxpy.cl"]);
    let of: Vec<&str> = rows.iter().map(|row| row["profile"].as_str().unwrap()).collect();
    assert_eq!(of, names);
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
    assert!(text.starts_with("invert.cl: invert\n  runs emulated  vulkan-1.1: ~"), "{text}");
    assert!(text.contains("1 8/16-bit stores into words"), "{text}");
    assert!(text.ends_with("0 run, 1 run emulated, 0 cannot run (kernels times devices)\n"), "{text}");
}

/// The row of a kernel on a device.
fn row<'r>(rows: &'r [serde_json::Value], kernel: &str, profile: &str) -> &'r serde_json::Value {
    let row = rows.iter().find(|row| row["kernel"] == kernel && row["profile"] == profile);
    row.unwrap_or_else(|| panic!("no row of {kernel} on {profile}: {rows:?}"))
}

#[test]
fn what_cannot_run_says_why_kernel_by_kernel() {
    let folder = Folder::new("check-cannot");
    let source = "__kernel void good(__global int *x) { x[0] = 1; }\n\
        __kernel __attribute__((reqd_work_group_size(512, 1, 1))) void large(__global int *x) { x[0] = 1; }\n\
        __kernel void much(__global int *x) { __local int m[5000]; m[0] = 1; x[0] = m[0]; }\n";
    folder.write("two.cl", source);
    let found = rows(&folder, 3, &["--profile", "vulkan-1.1,nvidia-h200", "two.cl"]);
    assert_eq!(row(&found, "good", "vulkan-1.1")["verdict"], "runs");
    assert_eq!(row(&found, "large", "nvidia-h200")["verdict"], "runs");
    assert_eq!(row(&found, "much", "nvidia-h200")["verdict"], "runs");
    let large = &row(&found, "large", "vulkan-1.1")["reasons"][0];
    assert_eq!(
        (&large["needs"], &large["place"]["line"]),
        (&"maxComputeWorkGroupInvocations".into(), &2.into())
    );
    let much = &row(&found, "much", "vulkan-1.1")["reasons"][0];
    assert_eq!((&much["needs"], &much["place"]["line"]), (&"maxComputeSharedMemorySize".into(), &3.into()));
    assert!(much["text"].as_str().unwrap().contains("declares 20000 bytes of local memory"), "{much}");
    let run = folder.run(&["check", "--profile", "vulkan-1.1", "two.cl"]);
    assert_eq!((run.code, run.err.as_str()), (3, ""), "{run:?}");
    assert!(
        run.out.contains("cannot run     vulkan-1.1\n      line 2: requires work-groups of 512×1×1"),
        "{run:?}"
    );
}

const DOUBLES: &str = "typedef double real;\n\
    double half_of(double x) { return x / 2; }\n\
    kernel void single(global float *x) { x[0] *= 2.0f; }\n\
    kernel void direct(global double *x) { x[0] *= 2.0; x[1] = x[0]; double y = x[2]; x[3] = y; }\n\
    kernel void called(global float *x) { x[0] = half_of(x[0]); }\n\
    kernel void named(global real *x) { x[1] = x[0]; }\n\
    kernel void vector(global float *x) {\n\
      double4 v = convert_double4(vload4(0, x)); x[0] = dot(v, v); }\n\
    kernel void sum(global long *x) { atom_add(x, 3L); }\n";

#[test]
fn a_missing_feature_condemns_the_kernels_that_reach_it_and_no_others() {
    let folder = Folder::new("check-doubles");
    folder.write("doubles.cl", DOUBLES);
    let found = rows(&folder, 3, &["--profile", "vulkan-1.1,nvidia-h200", "doubles.cl"]);
    let verdicts: Vec<(&str, &str, usize)> = found
        .iter()
        .filter(|row| row["profile"] == "vulkan-1.1")
        .map(|row| {
            let reasons = row["reasons"].as_array().unwrap();
            let line = reasons.first().map_or(0, |reason| reason["place"]["line"].as_u64().unwrap() as usize);
            assert!(reasons.len() <= 1 || row["kernel"] == "vector", "each reason once: {row}");
            (row["kernel"].as_str().unwrap(), row["verdict"].as_str().unwrap(), line)
        })
        .collect();
    let expected = [
        ("single", "runs", 0),
        ("direct", "cannot-run", 4),
        ("called", "cannot-run", 2),
        ("named", "cannot-run", 6),
        ("vector", "cannot-run", 8),
        ("sum", "cannot-run", 9),
    ];
    assert_eq!(verdicts, expected);
    let direct = &row(&found, "direct", "vulkan-1.1")["reasons"][0];
    assert_eq!((&direct["needs"], &direct["remedy"]), (&"cl_khr_fp64".into(), &"compute in float".into()));
    assert!(found.iter().all(|row| row["profile"] == "vulkan-1.1" || row["verdict"] == "runs"), "{found:?}");
}

#[test]
fn a_refused_kernel_is_named_once_with_the_extension_and_the_feature_of_vulkan() {
    let folder = Folder::new("check-atomics");
    folder.write("wide.cl", "kernel void wide(global long *x) { atom_add(x, 1L); }\n");
    let compiled = folder.run(&["compile", "wide.cl", "--profile", "vulkan-1.1", "--emit", "asm"]);
    assert_eq!(compiled.code, 3, "{compiled:?}");
    let message = compiled.err.lines().next().unwrap_or_default();
    assert_eq!(
        message,
        "error: kernel `wide` uses the built-in function `atom_add`, which requires cl_khr_int64_base_atomics \
         (shaderInt64, shaderBufferInt64Atomics, shaderSharedInt64Atomics of Vulkan); use 32-bit atomic operations"
    );
}

#[test]
fn a_kernel_is_compiled_beside_one_that_the_device_cannot_run() {
    let folder = Folder::new("check-beside");
    folder.write("doubles.cl", DOUBLES);
    let compile = |kernel: &str| {
        folder.run(&["compile", "doubles.cl", "--profile", "vulkan-1.1", "--emit", "asm", "--kernel", kernel])
    };
    let single = compile("single");
    assert_eq!(single.code, 0, "{single:?}");
    assert!(single.out.contains("\"single\"") && !single.out.contains("OpCapability Float64"), "{single:?}");
    let called = compile("called");
    assert_eq!((called.code, called.out.as_str()), (3, ""), "{called:?}");
    assert!(
        called.err.contains("doubles.cl:2:1") && called.err.contains("requires cl_khr_fp64"),
        "{called:?}"
    );
    let none = compile("nonesuch");
    assert!(none.code == 2 && none.err.contains("single, direct, called"), "{none:?}");
    // All of them: the first refusal is an error.
    let all = folder.run(&["compile", "doubles.cl", "--profile", "vulkan-1.1", "--emit", "asm"]);
    assert_eq!(all.code, 3, "{all:?}");
}

#[test]
fn a_source_that_is_wrong_is_one_error_whatever_the_devices() {
    let folder = Folder::new("check-syntax");
    folder.write("bad.cl", "kernel void f(global int *x) { x[0] = ; }\n");
    let run = folder.run(&["check", "bad.cl"]);
    assert_eq!((run.code, run.out.as_str()), (3, ""), "{run:?}");
    assert_eq!(run.err.matches("bad.cl:1:").count(), 1, "{run:?}");
    let json = folder.run(&["check", "--json", "bad.cl"]);
    let rows: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(rows.as_array().unwrap().len(), 1, "{rows}");
    assert_eq!(rows[0]["reasons"][0]["place"]["line"], 1, "{rows}");
    // What only some devices refuse belongs to them.
    let guarded = "#ifndef cl_khr_fp64\n#error doubles are needed\n#endif\nkernel void f(global int *x) {}\n";
    folder.write("guarded.cl", guarded);
    let rows = super::check::rows(&folder, 3, &["--profile", "vulkan-1.1,nvidia-h200", "guarded.cl"]);
    assert_eq!(row(&rows, "f", "nvidia-h200")["verdict"], "runs");
    let whole = &row(&rows, "", "vulkan-1.1")["reasons"][0];
    assert!(whole["text"].as_str().unwrap().contains("doubles are needed"), "{whole}");
}

#[test]
fn a_file_without_kernels_is_an_error() {
    let folder = Folder::new("check-empty");
    folder.write("functions.cl", "int twice(int x) { return x + x; }");
    folder.refused(3, &["check", "functions.cl"], &["`functions.cl` has no kernels", "`__kernel`"]);
    let run = folder.run(&["check", "functions.cl", "saxpy.cl", "--profile", "vulkan-1.1"]);
    assert!(run.code == 3 && run.out.contains("saxpy") && run.err.contains("functions.cl"), "{run:?}");
}

#[test]
fn the_list_of_devices_is_a_profile() {
    let folder = Folder::new("check-devices");
    folder.write("d.json", folder.good(&["devices", "--json"]).out);
    assert!(folder.good(&["check", "--profile", "d.json", "saxpy.cl"]).out.contains("saxpy.cl: saxpy  runs"));
    let first = folder.good(&["check", "--profile", "d.json#0", "saxpy.cl"]).out;
    assert!(first.contains("saxpy.cl: saxpy  runs"), "{first}");
    let many = ["check", "--profile", "d.json#99", "saxpy.cl"];
    folder.refused(2, &many, &["`99` is not the number of a device"]);
    folder.write("none.json", "[{\"name\": \"x\", \"profile\": null}]");
    folder.refused(2, &["check", "--profile", "none.json", "saxpy.cl"], &["no device that can be used"]);
}

#[test]
fn kernels_and_devices_are_shown_as_a_matrix() {
    let folder = Folder::new("check-matrix");
    folder.write("doubles.cl", DOUBLES);
    let run = folder.run(&["check", "--profile", "nvidia-h200,vulkan-1.1", "doubles.cl"]);
    let lines: Vec<&str> = run.out.lines().collect();
    let at = lines.iter().position(|line| line.trim() == "1 2").unwrap_or_else(|| panic!("{}", run.out));
    assert_eq!(lines[at + 1..at + 4], ["single + +", "direct + x", "called + x"], "{}", run.out);
    assert!(run.out.contains("1 nvidia-h200, 2 vulkan-1.1"), "{}", run.out);
}

#[test]
fn emulation_says_where_it_is() {
    let folder = Folder::new("check-where");
    let source = "kernel void w(global ulong *x, int n) {\n\
        ulong s = x[0] * 3;\n\
        for (int i = 0; i < n; ++i)\n\
        s = s / (x[i] | 1);\n\
        x[0] = s; }\n";
    folder.write("wide.cl", source);
    let found = rows(&folder, 0, &["--profile", "vulkan-1.1", "wide.cl"]);
    let items = found[0]["emulated"].as_array().unwrap();
    let is_division = |item: &&serde_json::Value| item["what"].as_str().unwrap().contains("divisions");
    let division = items.iter().find(is_division).unwrap();
    let places: Vec<_> = division["places"].as_array().unwrap().iter().collect();
    assert!(places.iter().all(|it| (&it["line"], &it["loops"]) == (&4.into(), &1.into())), "{found:?}");
    let text = folder.good(&["check", "--profile", "vulkan-1.1", "wide.cl"]).out;
    let in_loop =
        |line: &str| line.starts_with("      line 4: ") && line.ends_with(", each time around a loop");
    assert!(text.lines().any(in_loop), "{text}");
    assert!(text.lines().any(|line| line.starts_with("      line 5: ") && !line.contains("loop")), "{text}");
}

#[test]
fn doubles_that_become_single_cost_precision() {
    let folder = Folder::new("check-precision");
    let source = "float third(float x) { return x * 0.3333; }\n\
        kernel void lower(global float *x) { x[0] = third(x[0]); }\n\
        kernel void same(global float *x) { x[0] *= 0.5f; }\n";
    folder.write("precision.cl", source);
    let found = rows(&folder, 0, &["--profile", "vulkan-1.1,nvidia-h200", "precision.cl"]);
    let lower = row(&found, "lower", "vulkan-1.1");
    assert_eq!(lower["verdict"], "runs-lower-precision");
    assert_eq!(lower["narrowed"][0]["line"], 1);
    assert_eq!(row(&found, "same", "vulkan-1.1")["verdict"], "runs");
    assert_eq!(row(&found, "lower", "nvidia-h200")["verdict"], "runs");
}

#[test]
fn results_are_written_for_continuous_integration() {
    let folder = Folder::new("check-formats");
    folder.write("a & b.cl", DOUBLES);
    let check = |format: &str| {
        let run =
            folder.run(&["check", "--profile", "nvidia-h200,vulkan-1.1", "--format", format, "a & b.cl"]);
        assert_eq!((run.code, run.err.as_str()), (3, ""), "{run:?}");
        run.out
    };
    let sarif: serde_json::Value = serde_json::from_str(&check("sarif")).unwrap();
    assert_sarif(&sarif);
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let direct =
        results.iter().find(|it| it["message"]["text"].as_str().unwrap().contains("`direct`")).unwrap();
    assert_eq!((&direct["ruleId"], &direct["level"]), (&"cl_khr_fp64".into(), &"error".into()));
    let location = &direct["locations"][0]["physicalLocation"];
    assert_eq!(location["region"]["startLine"], 4);
    let rules = sarif["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap();
    for result in results {
        assert!(rules.iter().any(|rule| rule["id"] == result["ruleId"]), "{result}");
    }
    // What a reader of XML sees: a suite for each device, its cases, and those that fail.
    let junit = check("junit");
    let mut reader = quick_xml::Reader::from_str(&junit);
    let (mut suites, mut cases, mut failures) = (Vec::new(), 0, 0);
    loop {
        use quick_xml::events::Event;
        match reader.read_event().unwrap_or_else(|error| panic!("{error}: {junit}")) {
            Event::Start(tag) | Event::Empty(tag) => match tag.name().as_ref() {
                b"testsuite" => {
                    let name = tag.try_get_attribute("name").unwrap().unwrap();
                    suites.push(name.unescape_value().unwrap().into_owned());
                }
                b"testcase" => {
                    cases += 1;
                    let file = tag.try_get_attribute("classname").unwrap().unwrap();
                    assert_eq!(file.unescape_value().unwrap(), "a & b.cl");
                }
                b"failure" => failures += 1,
                _ => {}
            },
            Event::Eof => break,
            _ => {}
        }
    }
    assert_eq!((suites.join(" ").as_str(), cases, failures), ("nvidia-h200 vulkan-1.1", 12, 5));
}

/// What OASIS' specification requires of a log (SARIF 2.1.0; the number of the section at each line).
fn assert_sarif(log: &serde_json::Value) {
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_else(|| panic!("{value}")).to_owned();
    let list = |value: &serde_json::Value| value.as_array().unwrap_or_else(|| panic!("{value}")).clone();
    assert_eq!(text(&log["version"]), "2.1.0"); // 3.13.2
    for run in list(&log["runs"]) {
        let driver = &run["tool"]["driver"]; // 3.14.6, 3.18.2
        assert!(!text(&driver["name"]).is_empty()); // 3.19.8
        assert!(["utf16CodeUnits", "unicodeCodePoints"].contains(&text(&run["columnKind"]).as_str())); // 3.14.17
        let rules: Vec<String> = list(&driver["rules"]).iter().map(|rule| text(&rule["id"])).collect(); // 3.49.3
        assert!(rules.windows(2).all(|pair| pair[0] < pair[1]), "rules are unique (3.19.23): {rules:?}");
        for result in list(&run["results"]) {
            assert!(!text(&result["message"]["text"]).is_empty()); // 3.27.11, 3.11.8
            assert!(rules.contains(&text(&result["ruleId"])), "{result}"); // 3.27.5
            let levels = ["none", "note", "warning", "error"];
            assert!(levels.contains(&text(&result["level"]).as_str())); // 3.27.10
            for location in list(&result["locations"]) {
                let physical = &location["physicalLocation"];
                // 3.4.3: a URI reference (RFC 3986) that begins with no scheme.
                let uri = text(&physical["artifactLocation"]["uri"]);
                assert!(uri.chars().all(|c| c.is_ascii_alphanumeric() || "/-._~%".contains(c)), "{uri}");
                let number = |name: &str| physical["region"][name].as_u64();
                if !physical["region"].is_null() {
                    let start = (number("startLine").unwrap(), number("startColumn").unwrap()); // 3.30.5, 3.30.6
                    let end = (number("endLine").unwrap(), number("endColumn").unwrap()); // 3.30.7, 3.30.8
                    assert!(start.0 >= 1 && start.1 >= 1 && end >= start, "{physical}");
                }
            }
        }
    }
}

#[test]
fn sarif_has_what_its_specification_requires() {
    let folder = Folder::new("check-sarif");
    folder.write("a & b#1 50% ü.cl", DOUBLES);
    folder.write("bad.cl", "kernel void f(global int *x) { x[0] = ; }\n");
    folder.write("precision.cl", "kernel void lower(global float *x) { x[0] *= 0.3333; }\n");
    let run = folder.run(&["check", "--format", "sarif", "a & b#1 50% ü.cl", "bad.cl", "precision.cl"]);
    assert_eq!(run.code, 3, "{run:?}");
    let log: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_sarif(&log);
    assert!(run.out.contains("\"uri\": \"a%20%26%20b%231%2050%25%20%C3%BC.cl\""), "{}", run.out);
    let levels: Vec<_> =
        log["runs"][0]["results"].as_array().unwrap().iter().map(|it| &it["level"]).collect();
    assert!(levels.contains(&&"error".into()) && levels.contains(&&"note".into()), "{levels:?}");
}

/// What vulkan.gpuinfo.org, both forms of `vulkaninfo`, and Android say of one device.
const REPORTS: [(&str, &str); 4] = [
    (
        "gpuinfo.json",
        r#"{ "environment": {}, "extensions": [], "features": { "shaderInt16": 1 },
        "extended": { "devicefeatures2": [{ "extension": "VK_KHR_8bit_storage", "name": "storageBuffer8BitAccess",
        "supported": true }], "deviceproperties2": [] }, "properties": { "deviceName": "D", "apiVersion": 4198528,
        "limits": { "maxComputeSharedMemorySize": 20000 },
        "subgroupProperties": { "subgroupSize": 8, "supportedStages": 32, "supportedOperations": 15 } } }"#,
    ),
    (
        "old.json",
        r#"{ "VkPhysicalDeviceProperties": { "deviceName": "D", "apiVersion": 4198528,
        "limits": { "maxComputeSharedMemorySize": 20000 } }, "VkPhysicalDeviceFeatures": { "shaderInt16": 1 },
        "VkPhysicalDevice8BitStorageFeaturesKHR": { "storageBuffer8BitAccess": 1 },
        "VkPhysicalDeviceSubgroupProperties": { "subgroupSize": 8, "supportedStages": 32, "supportedOperations": 15 } }"#,
    ),
    (
        "profiles.json",
        r#"{ "profiles": { "VP_VULKANINFO_D": { "api-version": "1.1.128", "capabilities": ["device"] } },
        "capabilities": { "device": { "features": { "VkPhysicalDeviceFeatures": { "shaderInt16": true },
        "VkPhysicalDeviceVulkan12Features": { "storageBuffer8BitAccess": true } }, "properties": {
        "VkPhysicalDeviceProperties": { "deviceName": "D", "limits": { "maxComputeSharedMemorySize": 20000 } },
        "VkPhysicalDeviceVulkan11Properties": { "subgroupSize": 8, "subgroupSupportedStages":
        ["VK_SHADER_STAGE_COMPUTE_BIT"], "subgroupSupportedOperations": ["VK_SUBGROUP_FEATURE_BASIC_BIT",
        "VK_SUBGROUP_FEATURE_VOTE_BIT", "VK_SUBGROUP_FEATURE_ARITHMETIC_BIT", "VK_SUBGROUP_FEATURE_BALLOT_BIT"] } } } } }"#,
    ),
    (
        "vkjson.json",
        r#"{ "devices": [{ "properties": { "deviceName": "D", "apiVersion": 4198528.0,
        "limits": { "maxComputeSharedMemorySize": 20000.0 } }, "features": { "shaderInt16": 1.0 },
        "subgroupProperties": { "subgroupSize": 8.0, "supportedStages": 32.0, "supportedOperations": 15.0 },
        "VK_KHR_8bit_storage": { "8BitStorageFeaturesKHR": { "storageBuffer8BitAccess": 1.0 } } }] }"#,
    ),
];

#[test]
fn reports_of_other_programs_are_profiles() {
    let folder = Folder::new("check-import");
    let mut seen = Vec::new();
    for (file, text) in REPORTS {
        folder.write(file, text);
        let profile: serde_json::Value =
            serde_json::from_str(&folder.good(&["devices", "--profile", file]).out).unwrap();
        let members = ["name", "vulkan", "spirv", "int16", "int8", "storage_8bit", "subgroup_size"];
        let expected = serde_json::json!(["D", [1, 1], [1, 3], true, false, true, 8]);
        assert_eq!(serde_json::json!(members.map(|member| &profile[member])), expected, "{file}");
        assert_eq!(
            (&profile["max_local_memory"], &profile["max_push_constants"]),
            (&20000.into(), &128.into())
        );
        assert_eq!(
            (&profile["subgroup_arithmetic"], &profile["subgroup_shuffle"]),
            (&true.into(), &false.into())
        );
        seen.push(profile);
        assert!(folder.good(&["check", "--profile", file, "saxpy.cl"]).out.contains("runs"), "{file}");
    }
    assert!(seen.iter().all(|profile| *profile == seen[0]), "{seen:?}");
    folder.write("other.json", "{ \"x\": 1 }");
    folder.refused(
        2,
        &["check", "--profile", "other.json", "saxpy.cl"],
        &["not a report that is known", "vulkaninfo"],
    );
    folder.write("1.0.json", REPORTS[0].1.replace("4198528", "4194305"));
    folder.refused(2, &["check", "--profile", "1.0.json", "saxpy.cl"], &["Vulkan 1.0", "needs 1.1"]);
}

#[test]
fn vulkan_profiles_are_devices() {
    // As Khronos' roadmap files are: what versions require, what the profile adds, alternatives, minimums.
    let roadmap = r#"{ "profiles": {
        "VP_OLD": { "version": 1, "api-version": "1.0.68", "capabilities": ["core"] },
        "VP_2022": { "version": 1, "api-version": "1.3.204", "capabilities": ["core", "more", ["only"]] },
        "VP_2024": { "version": 1, "api-version": "1.3.276", "profiles": ["VP_2022"],
            "capabilities": ["newest", ["either", "or"]] } },
        "capabilities": {
        "core": { "features": { "VkPhysicalDeviceFeatures": { "shaderInt16": true } }, "properties": {
            "VkPhysicalDeviceProperties": { "limits": { "maxComputeSharedMemorySize": 16384,
            "maxComputeWorkGroupSize": [128, 128, 64], "maxPerStageDescriptorStorageImages": 4 } } } },
        "more": { "extensions": { "VK_KHR_global_priority": 1 }, "features": { "VkPhysicalDeviceVulkan12Features": {
            "bufferDeviceAddress": true, "vulkanMemoryModel": true, "vulkanMemoryModelDeviceScope": true } },
            "properties": { "VkPhysicalDeviceProperties": { "limits": { "maxComputeSharedMemorySize": 32768 } },
            "VkPhysicalDeviceVulkan11Properties": { "subgroupSize": 4, "subgroupSupportedStages":
            ["VK_SHADER_STAGE_COMPUTE_BIT", "VK_SHADER_STAGE_FRAGMENT_BIT"], "subgroupSupportedOperations":
            ["VK_SUBGROUP_FEATURE_BASIC_BIT", "VK_SUBGROUP_FEATURE_VOTE_BIT", "VK_SUBGROUP_FEATURE_ARITHMETIC_BIT",
            "VK_SUBGROUP_FEATURE_BALLOT_BIT", "VK_SUBGROUP_FEATURE_SHUFFLE_BIT"] } } },
        "only": { "features": { "VkPhysicalDeviceVulkan12Features": { "shaderInt8": true } } },
        "newest": { "features": { "VkPhysicalDeviceVulkan12Features": { "shaderFloat16": true } } },
        "either": { "features": { "VkPhysicalDeviceFeatures": { "shaderInt64": true } } },
        "or": { "features": { "VkPhysicalDeviceFeatures": { "shaderFloat64": true } } } } }"#;
    let folder = Folder::new("check-vulkan-profiles");
    folder.write("roadmap.json", roadmap);
    let profile = |number: usize| -> serde_json::Value {
        let name = format!("roadmap.json#{number}");
        serde_json::from_str(&folder.good(&["devices", "--profile", &name]).out).unwrap()
    };
    // The one for Vulkan 1.0 is left out.
    let (first, second) = (profile(0), profile(1));
    let members = ["name", "int16", "int8", "int64", "float16", "float64", "buffer_device_address"];
    let of = |profile: &serde_json::Value| serde_json::json!(members.map(|member| &profile[member]));
    assert_eq!(of(&first), serde_json::json!(["VP_2022", true, true, false, false, false, true]));
    assert_eq!(of(&second), serde_json::json!(["VP_2024", true, true, false, true, false, true]));
    for profile in [&first, &second] {
        assert_eq!(
            (&profile["vulkan"], &profile["spirv"]),
            (&serde_json::json!([1, 3]), &serde_json::json!([1, 6]))
        );
        assert_eq!((&profile["max_local_memory"], &profile["subgroup_size"]), (&32768.into(), &4.into()));
        assert_eq!(
            (&profile["subgroup_shuffle"], &profile["subgroup_clustered"]),
            (&true.into(), &false.into())
        );
        // What the file leaves out is named.
        let source = profile["source"].as_str().unwrap();
        assert!(source.contains("Vulkan's minimums") && source.contains("`max_push_constants`"), "{source}");
        assert!(!source.contains("`max_local_memory`") && !source.contains("`subgroup_size`"), "{source}");
    }
    folder.refused(2, &["devices", "--profile", "roadmap.json"], &["0 VP_2022, 1 VP_2024"]);
}

#[test]
fn vulkan_profiles_are_found_beside_the_file_that_requires_them() {
    // As Android's are: a file a profile.
    let folder = Folder::new("check-vulkan-profiles-beside");
    let file = |name: &str, required: &str, feature: &str| {
        let text = format!(
            r#"{{ "profiles": {{ "{name}": {{ "version": 1, "api-version": "1.1.0", "profiles": [{required}],
            "capabilities": ["own"] }} }}, "capabilities": {{ "own": {{ "features": {{ "VkPhysicalDeviceFeatures": {{
            "{feature}": true }} }} }} }} }}"#
        );
        folder.write(&format!("{name}.json"), text);
    };
    file("VP_2025", r#""VP_2023""#, "shaderInt16");
    folder.refused(
        2,
        &["check", "--profile", "VP_2025.json", "saxpy.cl"],
        &["`VP_2025` requires `VP_2023`, which is neither in it nor in `VP_2023.json` beside it"],
    );
    file("VP_2023", r#""VP_2021""#, "shaderInt64");
    // Each requires the other: a profile is read once.
    file("VP_2021", r#""VP_2025""#, "shaderFloat64");
    let profile: serde_json::Value =
        serde_json::from_str(&folder.good(&["devices", "--profile", "VP_2025.json"]).out).unwrap();
    let members = ["name", "int16", "int64", "float64"].map(|member| &profile[member]);
    assert_eq!(serde_json::json!(members), serde_json::json!(["VP_2025", true, true, true]));
    // A name that leads elsewhere names nothing.
    file("VP_2026", r#""../VP_2025""#, "shaderInt16");
    folder.refused(2, &["check", "--profile", "VP_2026.json", "saxpy.cl"], &["requires `../VP_2025`"]);
}

#[test]
fn constants_of_double_precision_are_judged_kernel_by_kernel() {
    let folder = Folder::new("check-constants");
    let source = "kernel void plain(global float *x) { x[0] = 1; }\n\
        kernel void limits(global float *x) { x[0] = x[1] < DBL_MAX ? DBL_MIN : -DBL_EPSILON; }\n\
        kernel void digits(global int *x) { int t[DBL_DIG] = {DBL_MIN_EXP}; x[0] = t[x[0]]; }\n\
        kernel void pi(global float *x) { x[0] = M_PI; }\n";
    folder.write("constants.cl", source);
    let found = rows(&folder, 3, &["--profile", "vulkan-1.1,nvidia-h200", "constants.cl"]);
    for (kernel, verdict) in [
        ("plain", "runs"),
        ("limits", "cannot-run"),
        ("digits", "cannot-run"),
        ("pi", "runs-lower-precision"),
    ] {
        assert_eq!(row(&found, kernel, "vulkan-1.1")["verdict"], verdict, "{kernel}");
        assert_eq!(row(&found, kernel, "nvidia-h200")["verdict"], "runs", "{kernel}");
    }
    let reasons = &row(&found, "limits", "vulkan-1.1")["reasons"];
    assert_eq!((&reasons[0]["needs"], &reasons[0]["place"]["line"]), (&"cl_khr_fp64".into(), &2.into()));
    assert!(reasons[0]["text"].as_str().unwrap().contains("the constant `DBL_MAX`"), "{reasons}");
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
            (
                row["kernel"].as_str().unwrap(),
                reasons.map(|reason| reason["text"].as_str().unwrap()).collect(),
            )
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
